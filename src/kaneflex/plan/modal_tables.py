"""Flexible bodies and their nodes as rows of the tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.structures.modes.mean_axes import in_mean_axes, mean_shape
from kaneflex.structures.modes.modal_data import ModalBody, axial


@dataclass(frozen=True)
class ModalIndex:
    """Where a flexible body's modes are in q and u, and its data as they were given."""

    q0: int
    u0: int
    modes: int
    modal: ModalBody


@dataclass(frozen=True)
class SeenBody:
    """A flexible body in axes of its joint: its integrals about its root, and where the root is from the origin of M."""

    modal: ModalBody
    root: np.ndarray


@dataclass
class FlexibleTables:
    """Rows of flexible bodies and nodes; places in P and W are counted from the tables' own begin until `arrays`."""

    bodies: list[list[int]] = field(default_factory=list)
    nodes: list[list[int]] = field(default_factory=list)
    reals: list[np.ndarray] = field(default_factory=list)
    size: int = 0  # of reals
    work: int = 0  # in W
    seen: list[SeenBody] = field(default_factory=list)

    def _keep(self, *arrays: np.ndarray) -> int:
        block = np.concatenate([np.ravel(a) for a in arrays])
        self.reals.append(block)
        self.size += len(block)
        return self.size - len(block)

    def _room(self, n: int) -> int:
        self.work += n
        return self.work - n

    def add_body(
        self, row: int, body: SeenBody, inertia: np.ndarray, q0: int, u0: int, loaded: int, speeds: int
    ) -> int:
        """Row of a flexible body (in axes of its joint, with its inertia there) whose next `loaded` nodes, still to be
        added, carry bodies."""
        modal, m = body.modal, len(body.modal)
        off_diagonal = modal.damping - np.diag(np.diag(modal.damping))
        zero = int(not np.any(off_diagonal)) << L.DIAGONAL_DAMPING
        points, forms, rate_forms = 0, 0, 0
        if speeds == L.RATES:
            shape = mean_shape(modal, body.root, inertia)
            integrals = self._keep(*shape.arrays())
            zero |= shape.zero
            points, forms, rate_forms = shape.points, shape.forms.shape[1], shape.rate_forms
            solver, own = L.DIRECT, m * m
        else:
            about = moved_to(modal, body.root)
            J2 = np.zeros_like(about.J2_motion) if speeds == L.UNDEFORMED else about.J2_motion
            d = np.zeros_like(about.b2) if speeds == L.UNDEFORMED else axial(about.E)
            integrals = self._keep(about.D, about.B, about.J1, d, J2)
            zero |= zeros(d) | zeros(J2) << L.FORMS - 6
            solver = L.UNIT if not loaded else L.DIRECT if m <= 6 * loaded + 6 else L.UPDATE
            own = 0
        rows = 6 * loaded
        # see formulations.modal_elimination
        sizes = {L.UNIT: 0, L.DIRECT: m * (m + L.RIGHT_SIDES), L.UPDATE: L.pivoted_size_work(rows)}
        work, solve, mass = self._room(L.MODAL + L.MODAL_VECTORS * m), self._room(sizes[solver]), self._room(own)
        places = [self._keep(modal.stiffness, modal.damping), integrals, work]
        row_of = [row, *places, zero, solver, len(self.nodes), loaded, q0, u0, solve, speeds, 0]
        self.bodies.append([*row_of, mass, points, forms, rate_forms])
        self.seen.append(body)
        return len(self.bodies) - 1

    def add_node(self, flexible: int, name: str) -> int:
        """Row of a node of a flexible body."""
        body, rates = self.seen[flexible], self.bodies[flexible][L.FLEXIBLE_SPEEDS] == L.RATES
        node, m = body.modal.nodes[name], len(body.modal)
        if rates:
            node = in_mean_axes(node, body.modal.turn)
            place = self._keep(node.position, node.Psi, node.Phi, node.H, node.G)
            zero = zeros(node.H, node.G)
        else:  # velocities are those of the undeformed body
            none = np.zeros((6, m, m))
            place, zero = self._keep(node.position + body.root, node.Psi, node.Phi, none), zeros(none)
        self.nodes.append([flexible, place, self._room(L.node_size_work(m)), self._room(L.node_load_size_work(m)), zero])
        return len(self.nodes) - 1

    def integers(self, first_real: int, first_work: int) -> tuple[np.ndarray, np.ndarray]:
        """The integer tables, with reals from `first_real` in P and work from `first_work` in W."""
        bodies = np.array(self.bodies, np.int64).reshape(-1, L.FLEXIBLE_INTS)
        nodes = np.array(self.nodes, np.int64).reshape(-1, L.NODE_INTS)
        bodies[:, [L.FLEXIBLE_P, L.FLEXIBLE_SHAPE]] += first_real
        bodies[:, [L.FLEXIBLE_W, L.FLEXIBLE_SOLVE, L.FLEXIBLE_MASS]] += first_work
        nodes[:, L.NODE_P] += first_real
        nodes[:, [L.NODE_W, L.NODE_LOADED]] += first_work
        return bodies.ravel(), nodes.ravel()


def zeros(*groups: Any) -> int:
    """Bits of the matrices that are zero, or nothing but rounding beside the others of their group."""
    bits = [np.abs(A).max(initial=0.0) <= 1e-13 * np.abs(group).max(initial=0.0) for group in groups for A in group]
    return sum(1 << n for n, zero in enumerate(bits) if zero)


def seen_from(body: ModalBody, R: np.ndarray, p: np.ndarray) -> SeenBody:
    """A modal body in axes turned by R (their components to the body's), the origin of M being at p."""

    def turned(x: np.ndarray) -> np.ndarray:
        return np.tensordot(R.T, x, 1)

    def twice(x: np.ndarray) -> np.ndarray:
        return np.einsum("ai,bj,ab...->ij...", R, R, x)

    nodes = {
        name: replace(n, position=turned(n.position), Phi=turned(n.Phi), Psi=turned(n.Psi), G=turned(n.G), H=turned(n.H))
        for name, n in body.nodes.items()
    }
    once = {name: turned(getattr(body, name)) for name in ("first_moment", "B", "b2", "turn")}
    both = {name: twice(getattr(body, name)) for name in ("second_moment", "C", "E", "C2")}
    return SeenBody(replace(body, nodes=nodes, **once, **both), -R.T @ p)  # type: ignore[arg-type]


def moved_to(body: ModalBody, root: np.ndarray) -> ModalBody:
    """The integrals of a modal body about a point from which its root is at `root`."""
    s = body.first_moment
    second = body.second_moment + np.outer(root, s) + np.outer(s, root) + body.mass * np.outer(root, root)
    return replace(
        body,
        first_moment=s + body.mass * root,
        second_moment=second,
        C=body.C + np.multiply.outer(root, body.B),
        C2=body.C2 + np.multiply.outer(root, body.b2),
    )
