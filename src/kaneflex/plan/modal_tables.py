"""Flexible bodies and their nodes as rows of the tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.kernels import layout as L

if TYPE_CHECKING:
    from kaneflex.structures.modes.modal_data import ModalBody, NodeModes

SIX = np.triu_indices(3)


@dataclass(frozen=True)
class ModalIndex:
    """Where a flexible body's modes are in q and u, and its data as they were given."""

    q0: int
    u0: int
    modes: int
    modal: ModalBody


@dataclass
class FlexibleTables:
    """Rows of flexible bodies and nodes; places in P and W are counted from the tables' own begin until `arrays`."""

    bodies: list[list[int]] = field(default_factory=list)
    nodes: list[list[int]] = field(default_factory=list)
    reals: list[np.ndarray] = field(default_factory=list)
    size: int = 0  # of reals
    work: int = 0  # in W
    seen: list[ModalBody] = field(default_factory=list)  # each flexible body in axes of its joint

    def _keep(self, *arrays: np.ndarray) -> int:
        block = np.concatenate([np.ravel(a) for a in arrays])
        self.reals.append(block)
        self.size += len(block)
        return self.size - len(block)

    def _room(self, n: int) -> int:
        self.work += n
        return self.work - n

    def add_body(self, row: int, body: ModalBody, q0: int, u0: int, loaded: int, speeds: int) -> int:
        """Row of a flexible body (in axes of its joint) whose next `loaded` nodes, still to be added, carry bodies."""
        m = len(body.stiffness)
        place = self._keep(body.stiffness, body.damping, body.D, body.B, body.J1, body.D2, body.b2, body.J2)
        zero = zeros(body.D2, body.b2, body.J2)
        off_diagonal = body.damping - np.diag(np.diag(body.damping))
        zero |= int(not np.any(off_diagonal)) << L.DIAGONAL_DAMPING
        solver = L.UNIT if not loaded else L.DIRECT if m <= 6 * loaded + 6 else L.UPDATE
        sizes = {L.UNIT: 0, L.DIRECT: L.modal_mass_size_work(m), L.UPDATE: L.pivoted_size_work(6 * loaded)}
        work = self._room(L.MODAL + L.MODAL_VECTORS * m)
        solve = self._room(sizes[solver])
        self.bodies.append([row, place, work, zero, solver, len(self.nodes), loaded, q0, u0, solve, speeds, 0])
        self.seen.append(body)
        return len(self.bodies) - 1

    def add_node(self, flexible: int, node: NodeModes) -> int:
        """Row of a node of a flexible body, in the same axes."""
        m = node.Phi.shape[1]
        place = self._keep(node.position, node.Psi, node.Phi, node.H, node.G)
        work, loaded = self._room(L.node_size_work(m)), self._room(L.node_load_size_work(m))
        self.nodes.append([flexible, place, work, loaded, zeros(node.H, node.G)])
        return len(self.nodes) - 1

    def integers(self, first_real: int, first_work: int) -> tuple[np.ndarray, np.ndarray]:
        """The integer tables, with reals from `first_real` in P and work from `first_work` in W."""
        bodies = np.array(self.bodies, np.int64).reshape(-1, L.FLEXIBLE_INTS)
        nodes = np.array(self.nodes, np.int64).reshape(-1, L.NODE_INTS)
        bodies[:, L.FLEXIBLE_P] += first_real
        bodies[:, [L.FLEXIBLE_W, L.FLEXIBLE_SOLVE]] += first_work
        nodes[:, L.NODE_P] += first_real
        nodes[:, [L.NODE_W, L.NODE_LOADED]] += first_work
        return bodies.ravel(), nodes.ravel()


def zeros(*groups: Any) -> int:
    """Bits of the matrices that are zero, or nothing but rounding beside the others of their group."""
    bits = [np.abs(A).max(initial=0.0) <= 1e-13 * np.abs(group).max(initial=0.0) for group in groups for A in group]
    return sum(1 << n for n, zero in enumerate(bits) if zero)


def with_constant_mass(body: ModalBody) -> ModalBody:
    """The data of speeds that make the mass matrix constant: d in D2, the stiffening by angular velocity in J2, no more."""
    D2 = (body.D2 - body.D2.transpose(0, 2, 1)) / 2
    return replace(undeformed(body), D2=D2, J2=body.J2_motion)


def undeformed(body: ModalBody) -> ModalBody:
    """The data without anything of second order."""
    none = np.zeros_like(body.b2)
    nodes = {name: replace(n, G=none, H=none) for name, n in body.nodes.items()}
    return replace(body, b2=none, D2=none, J2=np.zeros_like(body.J2), nodes=nodes)


def seen_from(body: ModalBody, R: np.ndarray, p: np.ndarray) -> ModalBody:
    """A modal body in axes turned by R (their components to the body's) about an origin at p, fixed to its root.

    With r' = R^T (r - p): s' = R^T (s - m p), D' = R^T (D - p x s'), J' = R^T (J - [s p]) R + ..., term by term in eta.
    """

    def turned(x: np.ndarray) -> np.ndarray:
        return np.tensordot(R.T, x, 1)

    def arm(s: np.ndarray) -> np.ndarray:
        """2 p.s 1 - p s^T - s p^T as six numbers, for s of shape (3, ...)."""
        full = -(np.multiply.outer(p, s) + np.moveaxis(np.multiply.outer(p, s), 1, 0))
        full[range(3), range(3)] += 2 * np.tensordot(p, s, 1)
        return full[SIX]

    def turned_six(J: np.ndarray) -> np.ndarray:
        full = np.zeros((3, 3, *J.shape[1:]))
        full[SIX] = J
        full[SIX[::-1]] = J
        return np.einsum("ai,bj,ab...->ij...", R, R, full)[SIX]

    def crossed(s: np.ndarray) -> np.ndarray:
        return np.tensordot(np.cross(p, np.eye(3)).T, s, 1)

    nodes = {
        name: replace(n, position=turned(n.position - p), Phi=turned(n.Phi), Psi=turned(n.Psi), G=turned(n.G), H=turned(n.H))
        for name, n in body.nodes.items()
    }
    return replace(
        body,
        B=turned(body.B),
        b2=turned(body.b2),
        D=turned(body.D - crossed(body.B)),
        D2=turned(body.D2 - crossed(body.b2)),
        J1=turned_six(body.J1 - arm(body.B)),
        J2=turned_six(body.J2 - arm(body.b2)),
        J2_motion=turned_six(body.J2_motion - arm(body.b2)),
        nodes=nodes,
    )
