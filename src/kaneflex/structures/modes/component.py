"""A structure in its independent coordinates, ready for reduction."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError
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
RIGID = 1e-8  # part of the stiffness up to which the strain of a rigid motion is rounding


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
                if row.nnz and row.indices[0] in self.free and row.indices[0] not in columns:
                    columns.append(int(row.indices[0]))
                    names.append(f"{self.short_name(node)}.{DOF_NAMES[component]}")
        return np.array(columns, dtype=int), names

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

    def check_free(self) -> None:
        """Rigid motions of the whole body must not strain it when its modes are those of a free body."""
        strain = self.rigid_strain()
        worst = int(np.argmax(strain))
        if strain[worst] > RIGID:
            raise ModelError(
                f"a rigid {RIGID_MOTIONS[worst]} of the body strains it: it is held to the ground somewhere, so it has no "
                "free modes; remove what holds it, or give a root and another method"
            )
