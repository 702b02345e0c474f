"""Rigid elements, interpolations and equations of Nastran's bulk data, for matrices over dofs that these tie together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError, Vector
from kaneflex.structures.elements.contract import cross_matrix
from kaneflex.structures.readers.matrix_files import nastran_tools
from kaneflex.structures.readers.nastran_grids import expanded
from kaneflex.structures.soundness import Finding

NOT_READ = ("rbe1", "rrod", "rspline", "rtrplt", "rssscon")
DEEPEST = 30  # chains of dependent dofs


@dataclass
class Constraints:
    """Rigid links (reference, dependent), rows of other dependent dofs, and what is to be said of them."""

    links: list[tuple[int, int]] = field(default_factory=list)
    rows: dict[int, dict[int, float]] = field(default_factory=dict)  # dof -> dof -> factor
    notes: list[Finding] = field(default_factory=list)

    def matrix(self, points: Vector, size: int) -> sparse.csr_array:
        """Rows of dependent dofs over the independent ones, (size, size)."""
        entries = [(i, j, x) for i, row in self.rows.items() for j, x in row.items()]
        followers = {b for _, b in self.links}
        for reference, follower in self.links:
            block = _rigid(points[follower] - points[reference])
            entries += [(6 * follower + i, 6 * reference + j, block[i, j]) for i, j in zip(*np.nonzero(block), strict=True)]
        if not entries:
            return sparse.csr_array((size, size))
        i, j, x = (np.array(v) for v in zip(*entries, strict=True))
        found = sparse.csr_array(sparse.coo_array((x.astype(float), (i, j)), shape=(size, size)))
        depends = np.diff(found.indptr) > 0
        on_others = sparse.diags_array(depends.astype(float))
        on_free = sparse.diags_array((~depends).astype(float))
        for _ in range(DEEPEST):
            chained = found @ on_others
            chained.eliminate_zeros()
            if not chained.nnz:
                break
            found = sparse.csr_array(found @ on_free + chained @ found)
        else:
            raise ModelError("rigid elements and equations between dofs depend on each other in a circle: leave one out")
        own = np.array([k // 6 not in followers for k in range(size)])  # links stay links, which stiffen by motion
        found = sparse.csr_array(sparse.diags_array(own.astype(float)) @ found)
        found.eliminate_zeros()
        return found


def read_constraints(path: Path, number: Mapping[int, int], points: Vector, basic: np.ndarray) -> Constraints:
    """RBE2, RBAR, RBE3 and MPC entries of bulk data.

    Args:
        path: the file; one of another kind has none.
        number: node of each grid that has rows in the matrices.
        points: of the nodes, m.
        basic: which nodes have displacements in basic axes.
    """
    found = Constraints()
    if path.suffix.lower() in (".op2", ".asm", ".pch"):
        return found
    nastran = nastran_tools()
    left: dict[str, int] = {}

    def cards(word: str) -> list[list[Any]]:
        pattern = rf"{word}\*?[ ,]\s*\d"  # with a number after the word: case control says MPC = 1
        return [list(c) for c in nastran.rdcards(str(path), pattern, return_var="list", blank="", regex=True) or []]

    try:
        for card in cards("rbe2"):
            _rbe2(found, card, number, points, basic, left, path)
        for card in cards("rbar"):
            _rbar(found, card, number, left, path)
        for card in cards("rbe3"):
            _rbe3(found, card, number, points, basic, left, path)
        _mpc(found, cards("mpc"), number, basic, left)
        for word in NOT_READ:
            count = len(cards(word))
            left |= {word.upper(): count} if count else {}
        held = len(cards("spc1?"))
    except (ValueError, IndexError, TypeError) as e:
        raise ModelError(f"{path}: a rigid element, an RBE3 or an MPC entry cannot be read: {e}") from e
    if found.links:
        found.notes.append(Finding(True, f"{len(found.links)} rigid links from RBE2 and RBAR entries"))
    if found.rows:
        found.notes.append(Finding(True, f"{len(found.rows)} dofs depend on others by RBE2, RBE3 and MPC entries"))
    if held:
        found.notes.append(Finding(False, f"{held} SPC entries: not applied, the body is taken as free; a root holds it"))
    for word, count in left.items():
        found.notes.append(
            Finding(False, f"{count} {word}: not carried over; export matrices in which it is eliminated (MNN, KNN)")
        )
    return found


def _components(value: Any) -> list[int]:
    return [int(c) - 1 for c in str(value).removesuffix(".0").strip() if c in "123456"]


def _rigid(arm: Vector) -> Vector:
    block = np.eye(6)
    block[:3, 3:] = -cross_matrix(arm)
    return block


def _node(number: Mapping[int, int], grid: int, path: Path) -> int:
    if grid not in number:
        raise ModelError(f"{path}: rigid elements name grid {grid}, which has no GRID entry: give the whole bulk data")
    return number[grid]


def _count(left: dict[str, int], word: str) -> None:
    left[word] = left.get(word, 0) + 1


def _rbe2(found: Constraints, card: Sequence[Any], number: Mapping[int, int], points: Vector, basic: np.ndarray,
          left: dict[str, int], path: Path) -> None:  # fmt: skip
    _, reference, components, *dependents = card
    a, which = _node(number, int(reference), path), _components(components)
    for grid in expanded(dependents):
        b = _node(number, grid, path)
        if len(which) == 6:
            found.links.append((a, b))
        elif not basic[b] or not basic[a]:
            _count(left, "RBE2 of some components in local axes")
        else:
            block = _rigid(points[b] - points[a])
            for c in which:
                found.rows[6 * b + c] = {6 * a + j: float(block[c, j]) for j in np.flatnonzero(block[c]).tolist()}


def _rbar(found: Constraints, card: Sequence[Any], number: Mapping[int, int], left: dict[str, int], path: Path) -> None:
    _, a, b, *components = [*card, "", "", "", ""]
    first, second = (_components(c) for c in components[:2])
    if len(first) == 6:
        found.links.append((_node(number, int(a), path), _node(number, int(b), path)))
    elif len(second) == 6:
        found.links.append((_node(number, int(b), path), _node(number, int(a), path)))
    else:
        _count(left, "RBAR of some components")


def _rbe3(found: Constraints, card: Sequence[Any], number: Mapping[int, int], points: Vector, basic: np.ndarray,
          left: dict[str, int], path: Path) -> None:  # fmt: skip
    """The weighted mean of nodes: u_ref = (R^T W R)^-1 R^T W u, R their rigid motions about the reference grid."""
    _, _, reference, components, *rest = card
    words = [str(v).strip().upper() for v in rest if isinstance(v, str)]
    if "UM" in words:
        _count(left, "RBE3 with UM")
        return
    groups: list[tuple[float, list[int], list[int]]] = []
    for value in rest:
        if isinstance(value, str) and value.strip().upper() == "ALPHA":
            break
        if value == "":
            continue
        if isinstance(value, float):
            groups.append((value, [], []))
        elif groups and not groups[-1][1]:
            groups[-1][1].extend(_components(value))
        elif groups:
            groups[-1][2].append(int(value))
    r = _node(number, int(reference), path)
    used = [(w, c, _node(number, g, path)) for w, which, grids in groups for g in grids for c in which]
    if not basic[r] or not all(basic[k] for _, _, k in used) or not used:
        _count(left, "RBE3 in local axes")
        return
    size = float(np.mean([np.linalg.norm(points[k] - points[r]) for _, _, k in used])) or 1.0
    R = np.array([_rigid(points[k] - points[r])[c] for _, c, k in used])
    weights = np.array([w * (size**2 if c > 2 else 1.0) for w, c, _ in used])
    moment = R.T @ (weights[:, None] * R)
    if np.linalg.cond(moment / np.outer(*[np.r_[[1.0] * 3, [size] * 3]] * 2)) > 1e12:
        raise ModelError(f"{path}: the RBE3 on grid {reference} does not tell a rotation: its grids lie on one line")
    mean = np.linalg.solve(moment, R.T * weights)
    for c in _components(components):
        row: dict[int, float] = {}
        for (_, own, k), x in zip(used, mean[c], strict=True):
            if abs(x) > 1e-14:
                row[6 * k + own] = row.get(6 * k + own, 0.0) + float(x)
        found.rows[6 * r + c] = row


def _mpc(found: Constraints, cards: Sequence[Sequence[Any]], number: Mapping[int, int], basic: np.ndarray,
         left: dict[str, int]) -> None:  # fmt: skip
    """Equations sum A u = 0, the first dof being dependent; of one set: bulk data does not tell which one is chosen."""
    if len({int(card[0]) for card in cards}) > 1:
        left["MPC of several sets"] = len(cards)
        return
    for card in cards:
        fields = list(card[1:])
        terms: list[Any] = []
        # three fields a term, two terms a line; the line's first and last field stay empty
        while fields:
            line, fields = fields[:8], fields[8:]
            line = line if not terms else line[1:]
            terms += [line[k : k + 3] for k in range(0, len(line) - 2, 3) if line[k] != ""]
        dofs = [(int(g), _components(c), float(x)) for g, c, x in terms if x not in ("", 0.0)]
        known = all(g in number and len(c) == 1 and basic[number[g]] for g, c, _ in dofs)
        if not dofs or not known:
            _count(left, "MPC of scalar points or in local axes")
            continue
        (g, c, first), *others = dofs
        found.rows[6 * number[g] + c[0]] = {6 * number[k] + d[0]: -x / first for k, d, x in others}
