"""A structure in its independent coordinates, ready for reduction."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.structures.modes.eigenmodes import ROUNDING
from kaneflex.structures.modes.reduction import held_factor
from kaneflex.structures.structure import DOF_NAMES, Structure

RIGID_MOTIONS = (
    "translation along x",
    "translation along y",
    "translation along z",
    "rotation about x",
    "rotation about y",
    "rotation about z",
)
KINDS = ("axial", "torsion", "bending x", "bending y", "bending z", "plane xy", "plane xz", "plane yz")
RIGID = 1e-8  # part of the stiffness up to which the strain of a rigid motion is rounding


def rigid_limit(structure: Structure) -> float:
    """Part of the stiffness up to which the strain of a rigid motion is rounding: that of the file, of which it is a sum."""
    return max(RIGID, 10 * structure.rounding)


class Component:
    """Mass, stiffness and rigid motions of a structure over its independent dofs, and which of them a root holds.

    Args:
        structure: the finite-element model.
        root: node that the body frame is fixed to (name, number or place); None: mean axes.
        interfaces: other nodes where loads enter.
    """

    def __init__(self, structure: Structure, root: Any, interfaces: Sequence[Any] = ()) -> None:
        self.structure = structure
        self.root = None if root is None else structure.node(root)
        self.expand = structure.expand
        self.M = sparse.csr_array(self.expand.T @ structure.M @ self.expand)
        self.K = sparse.csr_array(self.expand.T @ structure.K @ self.expand)
        self.free = structure.held(root)
        self.interfaces = [structure.node(k) for k in ([interfaces] if isinstance(interfaces, str) else interfaces)]

    @property
    def size(self) -> int:
        """Number of independent dofs."""
        return int(self.expand.shape[1])

    @cached_property
    def rigid(self) -> np.ndarray:
        """Rigid motions over the independent dofs (f, 6), rotations about the root, or about the mass centre without one."""
        about = self.structure.mass_properties()[1] if self.root is None else self.structure.points[self.root]
        return self.independent(self.structure.rigid_body_vectors(about))

    def independent(self, full: np.ndarray) -> np.ndarray:
        """Independent dofs of displacements given over all (6n, k)."""
        normal = held_factor(self.expand.T @ self.expand, "the map of independent dofs")
        return normal.solve(np.asarray(self.expand.T @ full))

    def boundary(self, nodes: Sequence[int]) -> tuple[np.ndarray, list[str]]:
        """Independent dofs of nodes that the root does not hold, with names like "tip.uz"."""
        columns: list[int] = []
        names: list[str] = []
        for node in nodes:
            if self.root is not None and node == self.root:
                raise ModelError(
                    f"{self.structure.describe(node)} is the root and an interface too: it does not move; leave it out"
                )
            moved = self.structure.follows.get(node, node)
            for component in range(6):
                row = self.expand[[6 * moved + component]]
                if row.nnz > 1:
                    raise ModelError(
                        f"{self.structure.describe(node)} is an interface and moves as other nodes say: take these"
                    )
                if row.nnz and row.indices[0] in self.free and row.indices[0] not in columns:
                    columns.append(int(row.indices[0]))
                    names.append(f"{self.short_name(node)}.{DOF_NAMES[component]}")
        return np.array(columns, dtype=int), names

    def dofs(self, kind: str | None) -> np.ndarray:
        """Independent dofs that move in shapes of a kind: of a member along x, "bending y" has uy and theta_z.

        Args:
            kind: one of KINDS; bending is called by the direction of the deflection. None for all dofs.
        """
        if kind is None:
            return np.arange(self.size)
        checks.known(kind, KINDS, "kind of modes")
        word, _, letters = kind.rpartition(" ")
        axes = ["xyz".index(letter) for letter in letters] if word else []
        if word == "plane":
            moving = [*axes, 6 - sum(axes)]  # its two displacements and the rotation about its normal
        else:
            along = self.axis(f'modes of the kind "{kind}"')
            if along in axes:
                raise ModelError(f'modes of the kind "{kind}": the member lies along {"xyz"[along]}: name another direction')
            moving = [axes[0], 6 - along - axes[0]] if axes else [along] if kind == "axial" else [3 + along]
        columns = np.flatnonzero(np.isin(self.own % 6, moving) & (self.own < 6 * len(self.structure)))
        if not len(columns):
            raise ModelError(f'modes of the kind "{kind}": no node of the structure can move so: choose by number')
        return columns

    @property
    def own(self) -> np.ndarray:
        """Which of all dofs each independent one is."""
        return self.structure.own

    def axis(self, what: str) -> int:
        """Direction (0, 1, 2) along which all nodes lie on one line; `what` says in an error who asks."""
        extent = np.ptp(self.structure.points, axis=0)
        along = int(np.argmax(extent))
        if np.delete(extent, along).max() > 1e-6 * extent[along]:
            raise ModelError(
                f'{what}: the nodes do not lie on one line along x, y or z: choose a plane, e.g. "plane xy", or by number'
            )
        return along

    def pins(self) -> np.ndarray:
        """Independent dofs that pins at the root and at the interfaces hold: all displacements there but those along the
        member of the interfaces, and the twist of the root."""
        if not self.interfaces:
            raise ModelError('method "pinned" needs interfaces: name the node of the other pin')
        along = self.axis('method "pinned"')
        held = [6 * self.root + c for c in (0, 1, 2, 3 + along)] if self.root is not None else []
        held += [6 * node + c for node in self.interfaces for c in range(3) if c != along]
        return np.flatnonzero(np.isin(self.own, [6 * self.structure.follows.get(k // 6, k // 6) + k % 6 for k in held]))

    def short_name(self, node: int) -> str:
        """A node's name, or its number."""
        return next((n for n, k in self.structure.names.items() if k == node), str(node))

    def unit_loads(self, node: int) -> tuple[np.ndarray, list[str]]:
        """Unit forces and torques at a node over the independent dofs (f, up to 6), with names like "tip.uz"."""
        active = [c for c in range(6) if self.expand[[6 * node + c]].nnz]
        rows = self.expand[[6 * node + c for c in active]].toarray()
        return rows.T, [f"{self.short_name(node)}.{DOF_NAMES[c]}" for c in active]

    def rigid_strain(self) -> np.ndarray:
        """Strain energy of the six rigid motions, as parts of the sizes of the terms that make it up; 0 for a free body."""
        energy = np.einsum("ij,ij->j", self.rigid, self.K @ self.rigid)
        size = np.einsum("ij,i,ij->j", self.rigid, self.K.diagonal(), self.rigid)
        return np.asarray(np.abs(energy) / np.where(size > 0, size, 1.0))

    @cached_property
    def rounding(self) -> float:
        """Part of the stiffness that is rounding: what its rigid motions show of it, as far as these may be strained."""
        strain = float(self.rigid_strain().max())
        return max(ROUNDING, 10 * strain) if strain < rigid_limit(self.structure) else ROUNDING

    def check_free(self) -> None:
        """Rigid motions of the whole body must not strain it when its modes are those of a free body."""
        strain = self.rigid_strain()
        worst = int(np.argmax(strain))
        if strain[worst] > rigid_limit(self.structure):
            raise ModelError(
                f"a rigid {RIGID_MOTIONS[worst]} of the body strains it: it is held to the ground somewhere, so it has no "
                "free modes; remove what holds it, or give a root and another method"
            )
