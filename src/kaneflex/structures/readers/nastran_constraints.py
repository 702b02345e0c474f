"""Rigid elements, means and equations of Nastran's bulk data, for matrices over dofs that these tie together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from kaneflex.model.checks import ModelError, Vector
from kaneflex.structures.elements.contract import cross_matrix
from kaneflex.structures.readers.bulk_data import BulkData, components, expanded
from kaneflex.structures.soundness import Finding

NOT_READ = ("rspline", "rtrplt", "rsscon")
ALL = (0, 1, 2, 3, 4, 5)
SCALAR = -1  # in the place of a node
Dof = tuple[int, int]  # node and component in the axes of its grid; SCALAR and the number of a scalar point


@dataclass
class Constraints:
    """What entries tie together, over the dofs of nodes and then scalar points.

    `links` are (reference, dependent) nodes; each of `equations` has the dof that Nastran takes out and a sum that is zero,
    dof in basic axes -> factor.
    """

    links: list[tuple[int, int]] = field(default_factory=list)
    equations: list[tuple[Dof, dict[int, float]]] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)

    @property
    def gone(self) -> set[Dof]:
        """Dofs, in the axes of their grids, that are not in the n-set."""
        return {dof for dof, _ in self.equations} | {(b, c) for _, b in self.links for c in ALL}

    def matrix(self, points: Vector, axes: Vector, size: int) -> sparse.csr_array:
        """Rows of dependent dofs over the independent ones, (size, size).

        All equations, those of links too, are solved for as many dofs. Links stay links, which stiffen by motion.
        """
        if not self.equations:
            return sparse.csr_array((size, size))
        linked = [6 * b + c for _, b in self.links for c in ALL]
        if len(self.gone) < len(self.equations) + len(linked):
            raise ModelError("rigid elements and equations between dofs contradict each other: a dof is dependent twice")
        solved = np.array([*self._solved_for(axes), *linked])
        terms = [row for _, row in self.equations]
        for a, b in self.links:
            block = _rigid(points[b] - points[a])
            terms += [{6 * b + c: 1.0} | {6 * a + j: -block[c, j] for j in np.flatnonzero(block[c]).tolist()} for c in ALL]
        entries = [(k, j, x) for k, row in enumerate(terms) for j, x in row.items()]
        k, j, x = (np.array(v) for v in zip(*entries, strict=True))
        E = sparse.csc_array(sparse.coo_array((x.astype(float), (k, j)), shape=(len(terms), size)))
        free = np.setdiff1d(np.arange(size), solved)
        used = free[np.diff(E[:, free].indptr) > 0]
        try:
            factor = splu(sparse.csc_array(E[:, solved]))
            if np.abs(factor.U.diagonal()).min() < 1e-10:
                raise RuntimeError("a dof depends on itself")
        except RuntimeError as e:
            raise ModelError(f"rigid elements and equations between dofs contradict each other: {e}") from e
        parts = np.array_split(used, 1 + len(used) // 500)
        found = sparse.coo_array(sparse.hstack([sparse.csc_array(-factor.solve(E[:, part].toarray())) for part in parts]))
        rows = (found.row < len(self.equations)) & (np.abs(found.data) > 1e-13)
        where = solved[found.row[rows]], used[found.col[rows]]
        return sparse.csr_array(sparse.coo_array((found.data[rows], where), shape=(size, size)))

    def _solved_for(self, axes: Vector) -> list[int]:
        """Dofs in basic axes, as many as equations: of each grid's displacements, and rotations, those nearest to the
        directions that are taken out."""
        groups: dict[tuple[int, int], list[int]] = {}
        for (node, c), _ in self.equations:
            groups.setdefault((node, c // 3 if node != SCALAR else c), []).append(c)
        found: list[int] = []
        for (node, which), own in groups.items():
            if node == SCALAR:
                found += [6 * len(axes) + which] * len(own)
                continue
            along = axes[node][:, [c % 3 for c in own]].T
            best = linalg.qr(along, mode="r", pivoting=True)[1][: len(own)]
            found += [6 * node + 3 * which + int(k) for k in best]
        return found


class _Reader:
    """Makes constraints of entries, over nodes with places and axes."""

    def __init__(self, bulk: BulkData, number: Mapping[int, int], scalars: Mapping[int, int], points: Vector, axes: Vector):
        self.bulk, self.number, self.scalars, self.points, self.axes = bulk, number, scalars, points, axes
        self.found = Constraints()

    def node(self, grid: Any) -> int:
        if int(grid) not in self.number:
            raise ModelError(
                f"{self.bulk.path}: rigid elements name grid {grid}, which has no GRID entry: give the whole bulk data"
            )
        return self.number[int(grid)]

    def along(self, dof: Dof) -> Vector:
        """Direction of a dof among the six of its node, in basic axes."""
        node, c = dof
        found = np.zeros(6)
        found[3 * (c // 3) : 3 * (c // 3) + 3] = self.axes[node][:, c % 3]
        return found

    def moved(self, dof: Dof, reference: int) -> Vector:
        """Displacement along a dof by the six motions of a rigid body about a node."""
        return np.asarray(self.along(dof) @ _rigid(self.points[dof[0]] - self.points[reference]))

    def tie(self, gone: Dof, terms: Sequence[tuple[Dof, float]]) -> None:
        """An equation over dofs in the axes of grids, solved by Nastran for the first."""
        row: dict[int, float] = {}
        for (node, c), x in terms:
            if node == SCALAR:
                row[6 * len(self.points) + c] = row.get(6 * len(self.points) + c, 0.0) + x
                continue
            for k, direction in enumerate(self.along((node, c)).tolist()):
                if direction:
                    row[6 * node + k] = row.get(6 * node + k, 0.0) + x * direction
        self.found.equations.append((gone, {k: v for k, v in row.items() if v}))

    def rigid(self, independent: Sequence[Dof], dependent: Sequence[Dof], word: str) -> None:
        """Dofs that follow the rigid body which six others make."""
        reference = independent[0][0] if independent else -1
        R = np.array([self.moved(dof, reference) for dof in independent])
        if R.shape != (6, 6) or np.linalg.cond(R / np.maximum(np.abs(R).max(axis=0), 1e-30)) > 1e10:
            raise ModelError(f"{self.bulk.path}: {word}: its independent dofs are not six that hold a rigid body")
        whole = sorted({node for node, _ in independent})
        for node in sorted({node for node, _ in dependent}):
            own = [dof for dof in dependent if dof[0] == node]
            if len(whole) == 1 and len(own) == 6:
                self.found.links.append((reference, node))
                continue
            for dof in own:
                factors = np.linalg.solve(R.T, self.moved(dof, reference))
                terms = [(other, -float(x)) for other, x in zip(independent, factors, strict=True) if abs(x) > 1e-14]
                self.tie(dof, [(dof, 1.0), *terms])

    def pairs(self, fields: Sequence[Any]) -> list[Dof]:
        """Dofs of fields grid, components, grid, components, and so on."""
        given = [v for v in fields if v != ""]
        return [(self.node(g), c) for g, cs in zip(given[::2], given[1::2], strict=True) for c in components(cs)]

    def rbe2(self, card: Sequence[Any]) -> None:
        a, which = self.node(card[1]), components(card[2])
        dependent = [(self.node(g), c) for g in expanded(card[3:]) for c in which]
        self.rigid([(a, c) for c in ALL], dependent, f"RBE2 {card[0]}")

    def rbe1(self, card: Sequence[Any]) -> None:
        at = next((k for k, v in enumerate(card) if str(v).strip().upper() == "UM"), len(card))
        end = next((k for k, v in enumerate(card) if k > at and isinstance(v, float)), len(card))  # thermal expansion
        self.rigid(self.pairs(card[1:at]), self.pairs(card[at + 1 : end]), f"RBE1 {card[0]}")

    def rbar(self, card: Sequence[Any]) -> None:
        ident, a, b, *fields = [*card, "", "", "", ""]
        ends = self.node(a), self.node(b)
        independent, dependent = ([(node, c) for node, cs in zip(ends, two, strict=True) for c in components(cs)]
                                  for two in (fields[:2], fields[2:4]))  # fmt: skip
        others = [(node, c) for node in ends for c in ALL if (node, c) not in independent]
        self.rigid(independent, dependent or others, f"RBAR {ident}")

    def rrod(self, card: Sequence[Any]) -> None:
        """The distance of two grids stays."""
        _, a, b, *fields = [*card, "", ""]
        ends = self.node(a), self.node(b)
        n = self.points[ends[1]] - self.points[ends[0]]
        gone = next((node, components(c)[0]) for node, c in zip(ends, fields, strict=False) if components(c))
        terms = [((node, c), sign * float(self.along((node, c))[:3] @ n)) for node, sign in zip(ends, (-1, 1), strict=True)
                 for c in ALL[:3]]  # fmt: skip
        self.tie(gone, terms)

    def rbe3(self, card: Sequence[Any]) -> None:
        """The weighted mean of nodes: u_ref = (R^T W R)^-1 R^T W u, R their rigid motions about the reference grid."""
        ident, _, reference, which, *rest = card
        words = [str(v).strip().upper() for v in rest]
        at = words.index("UM") if "UM" in words else None
        end = words.index("ALPHA") if "ALPHA" in words else len(rest)
        r, used = self.node(reference), self._weighted(rest[: end if at is None else at])
        arms = [np.linalg.norm(self.points[k] - self.points[r]) for k in dict.fromkeys(n for _, (n, _) in used)]
        size = float(np.mean(arms)) or 1.0
        weights = np.sqrt([w * (size**2 if c > 2 else 1.0) for w, (_, c) in used])
        scale = np.r_[[1.0] * 3, [1 / size] * 3]  # motions of the reference as large as those of its nodes
        R = weights[:, None] * np.array([self.moved(dof, r) for _, dof in used]) * scale
        if np.linalg.matrix_rank(R, tol=1e-6 * np.linalg.norm(R)) < 6:
            raise ModelError(f"{self.bulk.path}: RBE3 {ident} does not tell a rotation: its grids lie on one line")
        mean = scale[:, None] * np.linalg.pinv(R) * weights
        own = [(r, c) for c in components(which)]
        gone = own if at is None else self.pairs(rest[at + 1 : end])
        if len(gone) != len(own):
            raise ModelError(f"{self.bulk.path}: RBE3 {ident} has {len(gone)} dofs after UM: give {len(own)}")
        for out, dof in zip(gone, own, strict=True):
            factors = self.along(dof) @ mean
            terms = [(other, -float(x)) for (_, other), x in zip(used, factors, strict=True) if abs(x) > 1e-14]
            self.tie(out, [(dof, 1.0), *terms])

    def _weighted(self, fields: Sequence[Any]) -> list[tuple[float, Dof]]:
        """Weights and dofs of fields weight, components, grid, grid, ..., weight, and so on."""
        found: list[tuple[float, Dof]] = []
        given = [v for v in fields if v != ""]
        starts = [k for k, v in enumerate(given) if isinstance(v, float)]
        for first, last in zip(starts, [*starts[1:], len(given)], strict=True):
            which = components(given[first + 1])
            found += [(given[first], (self.node(g), c)) for g in expanded(given[first + 2 : last]) for c in which]
        return found

    def mpc(self, card: Sequence[Any]) -> None:
        """A sum A u that is zero, solved for its first dof: three fields a term, two terms a line, from the second field."""
        lines = [[*card[k : k + 8], *[""] * 8] for k in range(0, len(card), 8)]
        given = [line[k : k + 3] for line in lines for k in (1, 4) if line[k] != "" and line[k + 2] not in ("", 0.0)]
        terms = [(self._dof(g, c), float(x)) for g, c, x in given]
        self.tie(terms[0][0], terms)

    def _dof(self, ident: Any, component: Any) -> Dof:
        if int(ident) in self.scalars:
            return SCALAR, self.scalars[int(ident)]
        (c,) = components(component)
        return self.node(ident), c


def read_constraints(bulk: BulkData, number: Mapping[int, int], scalars: Mapping[int, int], points: Vector, axes: Vector
                     ) -> Constraints:  # fmt: skip
    """RBE1, RBE2, RBE3, RBAR, RROD and MPC entries of bulk data.

    Args:
        bulk: the entries.
        number: node of each grid that has rows in the matrices.
        scalars: number of each scalar point.
        points: of the nodes, m.
        axes: of their displacements, (n, 3, 3), columns in basic axes.
    """
    reader = _Reader(bulk, number, scalars, points, axes)
    found = reader.found
    try:
        for word in ("rbe2", "rbar", "rbe1", "rrod", "rbe3"):
            for card in bulk.entries(word):
                getattr(reader, word)(card)
        equations = bulk.of_chosen_sets("mpc", [[card[0], card] for card in bulk.entries("mpc")])
        for (card,) in equations or ():
            reader.mpc(card)
    except (ValueError, IndexError, TypeError, StopIteration) as e:
        raise ModelError(f"{bulk.path}: a rigid element, an RBE3 or an MPC entry cannot be read: {e}") from e
    if found.links:
        found.notes.append(Finding(True, f"{len(found.links)} rigid links from RBE2, RBAR and RBE1 entries"))
    if found.equations:
        count = len(found.equations)
        found.notes.append(Finding(True, f"{count} dofs depend on others by rigid elements, RBE3 and MPC entries"))
    if equations is None:
        text = "MPC entries of several sets: not carried over; MPC = n in case control says which set"
        found.notes.append(Finding(False, text))
    held = len(bulk.entries("spc", "spc1"))
    if held:
        found.notes.append(Finding(False, f"{held} SPC entries: not applied, the body is taken as free; a root holds it"))
    for word in NOT_READ:
        if word in bulk:
            advice = "not carried over; export matrices in which it is eliminated (MNN, KNN)"
            found.notes.append(Finding(False, f"{len(bulk.entries(word))} {word.upper()}: {advice}"))
    return found


def _rigid(arm: Vector) -> Vector:
    block = np.eye(6)
    block[:3, 3:] = -cross_matrix(arm)
    return block
