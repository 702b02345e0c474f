"""Flexible bodies and their nodes as rows of the tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.model.checks import warn
from kaneflex.plan.cache_lines import up_to_line
from kaneflex.structures.modes.efficient_speeds import efficient_shape, undeformed_shape
from kaneflex.structures.modes.mean_axes import OF_POINTS, in_mean_axes, in_tiles, mean_shape
from kaneflex.structures.modes.modal_data import ModalBody
from kaneflex.structures.rod_tables import RodData

LOST = 0.01  # part of the stiffness, at a spin of the lowest frequency, from which on lost motion is told
NEVER = 1 << 40  # more bodies than there are
KEPT = 4  # places in which a body was seen, and shapes of one, that are kept for the plans to come
SMALL = 200  # nodes of a body up to which these are kept
MANY = 1.7  # modes per row from which on to update the unit matrix by rows costs less than to solve the whole


@dataclass(frozen=True)
class ModalIndex:
    """Where a flexible body's modes are in q and u, and its data as they were given."""

    q0: int
    u0: int
    modes: int
    modal: ModalBody | RodData


@dataclass(frozen=True)
class SeenBody:
    """A flexible body in axes of its joint: its integrals about its root, and where the root is from the origin of M."""

    modal: ModalBody
    root: np.ndarray
    made: dict[Any, Any] = field(default_factory=dict)  # what plans made of it, by what it depends on besides

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` gives, which is made once; of what depends on other numbers in every plan the last ones are kept."""
        found = self.made.get(key)
        if found is None:
            if len(self.made) > KEPT + len(self.modal.nodes):
                self.made.clear()
            found = self.made[key] = make()
        return found


@dataclass(frozen=True)
class SeenRod:
    """A strain rod, the axes of its root in those of its joint's M, and where the root is from the origin of M."""

    modal: RodData
    axes: np.ndarray
    root: np.ndarray


@dataclass
class FlexibleTables:
    """Rows of flexible bodies and nodes; places in P and W are counted from the tables' own begin until `arrays`."""

    bodies: list[list[int]] = field(default_factory=list)
    nodes: list[list[int]] = field(default_factory=list)
    reals: list[np.ndarray] = field(default_factory=list)
    size: int = 0  # of reals
    work: int = 0  # in W
    seen: list[SeenBody | SeenRod] = field(default_factory=list)

    def _keep(self, *arrays: np.ndarray, before: int = 0) -> int:
        """Place of numbers in P; what comes after the first `before` of them begins with a line."""
        gap, block = up_to_line(self.size + before), np.concatenate([np.ravel(a) for a in arrays])
        self.reals += [np.zeros(gap), block]
        self.size += gap + len(block)
        return self.size - len(block)

    def _room(self, n: int, before: int = 0) -> int:
        """Place of n numbers in W, likewise."""
        self.work += up_to_line(self.work + before) + n
        return self.work - n

    def add_body(
        self, name: str, row: int, body: SeenBody, inertia: np.ndarray, q0: int, u0: int, loaded: int, speeds: int
    ) -> int:
        """Row of a flexible body (in axes of its joint, with its inertia there) whose next `loaded` nodes, still to be
        added, carry bodies."""
        modal, m = body.modal, len(body.modal)
        off_diagonal = modal.damping - np.diag(np.diag(modal.damping))
        zero = int(not np.any(off_diagonal)) << L.DIAGONAL_DAMPING
        shape = body.once((speeds, inertia.tobytes()), lambda: _shape_of(body, speeds, inertia))
        if shape.lost is not None:
            warn_of_lost_motion(name, shape.lost, modal)
        rows = sum(shape.counts[-2:])  # that A differs by from the unit matrix, see formulations.modal_elimination
        solver = L.DIRECT if speeds == L.RATES or loaded or MANY * rows > m else L.UPDATE
        sizes = {L.DIRECT: m * (m + L.RIGHT_SIDES), L.UPDATE: L.modal_update_size_work(rows)}
        work, solve = self._room(L.MODAL + L.MODAL_VECTORS * m, L.MODAL), self._room(sizes[solver])
        mass = self._room(m * m if solver == L.DIRECT else 0)
        before = self._keep(modal.stiffness, modal.damping)
        reals = self._keep(*shape.arrays, before=L.shape_forms_par(m))
        places = [before, reals, work]
        zeros = zero | shape.left_out
        row_of = [row, *places, zeros, solver, len(self.nodes), loaded, q0, u0, solve, speeds, 0, mass]
        turning, no_rod = 0 if speeds == L.RATES else NEVER, [0] * (L.FLEXIBLE_INTS - L.FLEXIBLE_ROD)
        self.bodies.append([*row_of, *shape.counts, turning, *shape.slots, *no_rod])
        self.seen.append(body)
        return len(self.bodies) - 1

    def add_rod(self, row: int, rod: SeenRod, inertia: np.ndarray, plane: bool, q0: int, u0: int, loaded: int) -> int:
        """Row of a strain rod with its inertia about M, likewise."""
        data, m, n = rod.modal, len(rod.modal), len(rod.modal.mass)
        steps = np.column_stack([data.mass, data.spin, data.steps.given.reshape(n, -1)])
        shape = self._keep(rod.root, np.array([np.sqrt(data.mass.sum())]), inertia, rod.axes, steps, data.steps.B)
        work, solve = self._room(L.MODAL + L.MODAL_VECTORS * m, L.MODAL), self._room(m * (m + L.RIGHT_SIDES))
        mass, sections = self._room(m * m), self._room(L.rod_size_work(n + 1, m))
        places, zero = [self._keep(data.stiffness, data.damping), shape, work], 1 << L.DIAGONAL_DAMPING
        row_of = [row, *places, zero, L.DIRECT, len(self.nodes), loaded, q0, u0, solve, L.RATES, 0, mass]
        no_shape = [0] * (L.FLEXIBLE_ROD - L.FLEXIBLE_POINTS)
        self.bodies.append([*row_of, *no_shape, sections, n, int(plane), int(np.any(data.spin)), *data.strains.start])
        self.seen.append(rod)
        return len(self.bodies) - 1

    def add_node(self, flexible: int, name: str, row: int) -> int:
        """Row of a node of a flexible body, which is that row of the bodies."""
        body, deforms = self.seen[flexible], self.bodies[flexible][L.FLEXIBLE_SPEEDS] != L.UNDEFORMED
        m = len(body.modal)
        if isinstance(body, SeenRod):
            section = body.modal.nodes[name]
            at, R, turn = body.root + body.axes @ section.position, body.axes @ section.R, body.axes @ section.turn
            self._node_row(flexible, self._keep(at, R, turn), m, [0] * (L.NODE_SECTION - L.NODE_FORMS) + [section.section])
            return len(self.nodes) - 1
        if deforms:
            self.bodies[flexible][L.FLEXIBLE_TURNING] = min(row, self.bodies[flexible][L.FLEXIBLE_TURNING])
        arrays, forms = body.once((name, deforms), lambda: _node_of(body, name, deforms))
        self._node_row(flexible, self._keep(*arrays, before=L.node_forms_par(m)), m, forms)
        return len(self.nodes) - 1

    def _node_row(self, flexible: int, data: int, m: int, forms_to_section: list[int]) -> None:
        motion, load = self._room(L.node_size_work(m)), self._room(L.node_load_size_work(m))
        self.nodes.append([flexible, data, motion, load, *forms_to_section])

    def integers(self, first_real: int, first_work: int) -> tuple[np.ndarray, np.ndarray]:
        """The integer tables, with reals from `first_real` in P and work from `first_work` in W."""
        bodies = np.array(self.bodies, np.int64).reshape(-1, L.FLEXIBLE_INTS)
        nodes = np.array(self.nodes, np.int64).reshape(-1, L.NODE_INTS)
        bodies[:, [L.FLEXIBLE_P, L.FLEXIBLE_SHAPE]] += first_real
        bodies[:, [L.FLEXIBLE_W, L.FLEXIBLE_SOLVE, L.FLEXIBLE_MASS, L.FLEXIBLE_ROD]] += first_work
        nodes[:, L.NODE_P] += first_real
        nodes[:, [L.NODE_W, L.NODE_LOADED]] += first_work
        return bodies.ravel(), nodes.ravel()


def zeros(*groups: Any) -> list[bool]:
    """Which of the matrices are zero, or nothing but rounding beside the others of their group."""
    return [np.abs(A).max(initial=0.0) <= 1e-13 * np.abs(group).max(initial=0.0) for group in groups for A in group]


_seen: WeakKeyDictionary[ModalBody, dict[bytes, SeenBody]] = WeakKeyDictionary()


class ShapeRow(NamedTuple):
    """What a plan needs of a shape, see `structures.modes.mean_axes`.

    Args:
        arrays: its numbers.
        left_out: bits of the forms that are not there.
        counts: of points, linear forms, forms, forms with rates, second-order and mixed ones.
        slots: of the forms, and forms of the slots.
        lost: part of the stiffness that is lost; None where none can be.
    """

    arrays: tuple[np.ndarray, ...]
    left_out: int
    counts: tuple[int, ...]
    slots: tuple[int, ...]
    lost: float | None


def _shape_of(body: SeenBody, speeds: int, inertia: np.ndarray) -> ShapeRow:
    """The shape of a body for the choice of speeds."""
    lost = None
    if speeds == L.RATES or speeds == L.UNDEFORMED:
        shape = (mean_shape if speeds == L.RATES else undeformed_shape)(body.modal, body.root, inertia)
    else:
        efficient = efficient_shape(body.modal, body.root, inertia)
        shape, lost = efficient.shape, efficient.lost
    left_out = sum(1 << n for n in range(L.FORMS) if n not in shape.there)
    rates = sum(n < OF_POINTS.stop for n in shape.there)
    counts = shape.points, len(shape.linear), len(shape.there), rates, len(shape.second), len(shape.mixed)
    return ShapeRow(shape.arrays(), left_out, counts, (*shape.slots, *shape.form_of_slot), lost)


def _node_of(body: SeenBody, name: str, deforms: bool) -> tuple[tuple[np.ndarray, ...], list[int]]:
    """Numbers of a node, and where its forms are."""
    node, m = body.modal.nodes[name], len(body.modal)
    if deforms:
        node = in_mean_axes(node, body.modal.turn)
        place, H, G = node.position, node.H, node.G
    else:  # velocities are those of the undeformed body
        place, H = node.position + body.root, np.zeros((3, m, m))
        G = H
    first, second = np.concatenate([node.Psi, node.Phi]), np.concatenate([H, G])
    bent = [n for n in range(6) if not zeros(H, G)[n]]
    order = [n for n in range(6) if n not in bent] + bent
    return (place, first[order], in_tiles(second[bent])), [len(bent), *(order.index(n) for n in range(6)), 0]


def seen_from(body: ModalBody, R: np.ndarray, p: np.ndarray) -> SeenBody:
    """A modal body in axes turned by R (their components to the body's), the origin of M being at p."""
    if len(body.nodes) > SMALL:
        return _turned(body, R, p)
    known, key = _seen.setdefault(body, {}), R.tobytes() + p.tobytes()
    found = known.get(key)
    if found is None:
        if len(known) >= KEPT:
            known.clear()
        found = known[key] = _turned(body, R, p)
    return found


def _turned(body: ModalBody, R: np.ndarray, p: np.ndarray) -> SeenBody:

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


def inertia_beside_modes(body: ModalBody, axis: np.ndarray, rotors: Sequence[tuple[Sequence[float], float]]) -> float:
    """Inertia of a modal body about an axis through its root while its modes, and its origin, may move against that turn.

    That is what a rotor on the root may have at most, or else the mass matrix is not positive.

    Args:
        body: in the axes of `axis`.
        axis: unit vector.
        rotors: axes and inertias of others, which the body's own inertia includes.

    Returns:
        kg m^2.
    """
    M = np.eye(6 + len(body))
    M[:3, :3] = body.inertia - sum((j * np.outer(a, a) for a, j in rotors), np.zeros((3, 3)))
    M[:3, 3:6], M[3:6, 3:6] = np.cross(body.first_moment, np.eye(3)).T, body.mass * np.eye(3)
    M[:3, 6:], M[3:6, 6:] = body.D, body.B
    values, vectors = np.linalg.eigh(np.triu(M) + np.triu(M, 1).T)
    return float(1 / np.sum((vectors[:3].T @ axis) ** 2 / np.maximum(values, 1e-15 * values[-1])))


def warn_of_lost_motion(name: str, lost: float, body: ModalBody) -> None:
    """Say where efficient modal speeds lose part of what a spin makes of the modes."""
    if lost > LOST:
        warn(
            f'"{name}": its modes span only part of what a spin turns them into (omega x phi), which speeds="constant-mass" '
            f"needs: at a spin of its lowest frequency, {np.sqrt(body.stiffness.min()):.3g} rad/s, the stiffness is up to "
            f"{100 * lost:.2g} % too high, and by the square of the rate otherwise; add modes at right angles to those "
            'there are (for a beam that bends, axial ones), or take speeds="efficient"'
        )
