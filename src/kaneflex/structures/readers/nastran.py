"""Structures from Nastran's files: full models and Craig-Bampton models, with a report on what was read."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError, Vector, positive
from kaneflex.model.typed import typed
from kaneflex.structures.craig_bampton import from_craig_bampton
from kaneflex.structures.elements.matrices import UncoveredLoad
from kaneflex.structures.readers.matrix_files import MatrixFile, NamedMatrix, rounding_of, there
from kaneflex.structures.readers.nastran_constraints import Constraints, read_constraints
from kaneflex.structures.readers.nastran_grids import Grids, read_grids
from kaneflex.structures.soundness import Finding, Report, check
from kaneflex.structures.structure import Structure

PAIRS = (("MGG", "KGG"), ("MXX", "KXX"), ("MAA", "KAA"), ("MAAX", "KAAX"), ("MNN", "KNN"), ("MFF", "KFF"))
TRIPLES = ((1, 2, 3), (4, 5, 6))


class NastranStructure(Structure):
    """A structure read from Nastran's files; `report` says in plain words what was read and whether it is sound.

    Args:
        base: the structure as it was put together.
        notes: findings of the import, which come first in the report.
        to_file: (rows, all dofs): coordinates of the file's matrices, in its units and axes, from those of the structure.
        rows: id and component of each of these coordinates, (rows, 2).
    """

    def __init__(self, base: Structure, notes: Sequence[Finding], to_file: sparse.csr_array, rows: np.ndarray) -> None:
        super().__init__(base.points, base.names, base.elements, base.links, base.hidden, base.dependent)
        self.to_file, self.rows = to_file, rows
        numbers = {str(g) for g in rows[rows[:, 1] > 0, 0].tolist()}
        self._given = tuple(name for name in base.names if name not in numbers)
        self.report = Report((*notes, *check(self).findings))

    @property
    def given_names(self) -> tuple[str, ...]:
        """Names of nodes other than their grid ids."""
        return self._given


@typed
def from_nastran(
    matrices: str | Path,
    geometry: str | Path,
    names: Mapping[str, int] | None = None,
    mass: str | None = None,
    stiffness: str | None = None,
    differential: Sequence[tuple[str, Any]] = (),
    length_unit: float = 1.0,
    mass_unit: float = 1.0,
    superelement: int | None = None,
) -> NastranStructure:
    """A structure from the mass and stiffness matrices of a Nastran run and its geometry.

    Matrices are those of the free structure: over all grid points (MGG, KGG), over those retained, or of a Craig-Bampton
    model, over boundary grids and scalar points (external superelement of EXTSEOUT: MXX, KXX or MAA, KAA; MAAX, KAAX as
    DMIG), whose scalar points are modal coordinates. Displacements in local coordinate systems are turned to the basic one.
    Rigid elements in the geometry that tie all six components (RBE2, RBAR) become rigid links; RBE2 of some components, RBE3
    and MPC entries make dofs dependent, where displacements are in basic axes; what is not carried over is in the report.
    Nodes are named by their grid ids, e.g. "101". Print `.report`.

    Args:
        matrices: file with M and K: op4, op2, DMIG entries (.pch), MSC Nastran's HDF5 (.h5).
        geometry: bulk data (any extension but these), .asm file of an external superelement, or .op2 file with the tables.
        names: more names, name -> grid id, e.g. {"root": 101}.
        mass: name of the mass matrix in the file; None: the first known pair, MGG and KGG before MXX, MAA, MAAX, MNN, MFF.
        stiffness: name of the stiffness matrix; None likewise.
        differential: differential stiffness per load case as (name of the matrix, displacements): the displacements are the
            name of a column in the file or numbers over the same rows. Geometric stiffness is then known for what these load
            cases combine to.
        length_unit: metres per unit of length of the deck, e.g. 1e-3 for mm.
        mass_unit: kilograms per unit of mass, e.g. 1e3 for t; seconds are seconds.
        superelement: its id, in files that hold several.
    """
    read, grid = MatrixFile(matrices, superelement), read_grids(there(geometry), superelement)
    M_name, K_name = _pair(read, mass, stiffness)
    unit, scale = positive(length_unit, "length_unit"), positive(mass_unit, "mass_unit")
    tied = _tied(there(geometry), grid, unit)
    M, K, rows = _alike(read[M_name], read[K_name], grid, (M_name, K_name))
    used = _used(grid, rows)
    turn = _turn(grid, rows)
    shifts = (rows[:, 1] >= 1) & (rows[:, 1] <= 3)
    by_length = np.where(shifts, 1.0, unit)  # what goes with rotations and modal coordinates bears a length more
    to_basic = sparse.csr_array(sparse.diags_array(by_length) @ turn)

    def whole(A: Any) -> sparse.csr_array:
        full = scale * (to_basic @ sparse.csr_array(A) @ to_basic.T)
        return sparse.csr_array((full + full.T) / 2)

    number = {int(g): k for k, g in enumerate(grid.ids[used])}
    table = np.array([(number[g], c) if c else (0, 0) for g, c in rows.tolist()], dtype=int).reshape(-1, 2)
    geometric = _differential(read, differential, to_basic, by_length, unit, whole) if differential else None
    if len(rows) != len(grid.rows):  # of a smaller set, from which dependent dofs are gone
        tied = Constraints()
    rounding = rounding_of(M, K)
    base = from_craig_bampton(
        whole(M), whole(K), unit * grid.points[used], table, geometric=geometric, rounding=rounding
    )  # fmt: skip
    named = _named(names or {}, number, geometry) | {str(g): k for g, k in number.items()}
    base = Structure(base.points, named, base.elements, tied.links, base.hidden, tied.matrix(base.points, base.size))
    notes = [_what_was_read(grid, rows, M_name, K_name, rounding), *_local_axes(grid, used), *tied.notes]
    if base.hidden:
        notes.append(_where_its_mass_is(base))
    per_row = sparse.diags_array(np.where(shifts, 1 / unit, 1.0))
    pick = sparse.csr_array(
        (np.ones(len(rows)), (np.arange(len(rows)), _places(table, len(number)))), shape=(len(rows), base.size)
    )
    return NastranStructure(base, notes, sparse.csr_array(per_row @ turn.T @ pick), rows)


def _tied(path: Path, grid: Grids, unit: float) -> Constraints:
    """What rigid elements and equations tie together; the n-set of the geometry is then known, which is without them."""
    number = {int(g): k for k, g in enumerate(grid.ids)}
    basic = np.abs(grid.axes - np.eye(3)).max(axis=(1, 2)) < 1e-9
    tied = read_constraints(path, number, unit * grid.points, basic)
    gone = {*tied.rows, *(6 * b + c for _, b in tied.links for c in range(6))}
    if gone:
        kept = [not c or 6 * number[g] + c - 1 not in gone for g, c in grid.rows.tolist()]
        grid.sets["n"] = np.array(kept, dtype=bool)
    return tied


def _pair(read: MatrixFile, mass: str | None, stiffness: str | None) -> tuple[str, str]:
    if mass is not None and stiffness is not None:
        return mass, stiffness
    if (mass is None) != (stiffness is None):
        raise ModelError("give both names, mass= and stiffness=, or neither")
    for M, K in PAIRS:
        if M in read and K in read:
            return M, K
    known = ", ".join(f"{M} and {K}" for M, K in PAIRS)
    raise ModelError(
        f"{read.path} has none of {known} but {', '.join(read.names) or 'nothing'}: give mass= and stiffness="
    )


def _alike(M: NamedMatrix, K: NamedMatrix, grid: Grids, names: tuple[str, str]) -> tuple[Any, Any, np.ndarray]:
    """Both matrices over the same rows, with the ids and components of these."""
    for A, name in ((M, names[0]), (K, names[1])):
        if A.shape[0] != A.shape[1]:
            raise ModelError(f"{name} is {A.shape[0]} by {A.shape[1]}: it must be square")
    if M.rows is not None and K.rows is not None:  # DMIG entries leave out rows without numbers
        known = {(int(g), int(c)) for g, c in grid.rows}
        rows = sorted({tuple(r) for A in (M, K) for r in A.rows.tolist()})  # type: ignore[union-attr]
        strange = [r for r in rows if r[1] and r not in known]
        if strange:
            raise ModelError(f"{names[0]} has rows of grid {strange[0][0]}, which the geometry does not have: give its GRID")
        at = {r: k for k, r in enumerate(rows)}

        def wide(A: NamedMatrix) -> sparse.csr_array:
            own = np.array([at[tuple(r)] for r in A.rows.tolist()])  # type: ignore[union-attr]
            pick = sparse.csr_array((np.ones(len(own)), (own, np.arange(len(own)))), shape=(len(rows), len(own)))
            return pick @ sparse.csr_array(A.values) @ pick.T

        return wide(M), wide(K), np.array(rows, dtype=int)
    if M.shape != K.shape:
        raise ModelError(f"{names[0]} is {M.shape[0]} by {M.shape[1]}, {names[1]} {K.shape[0]} by {K.shape[1]}: give a pair")
    return M.values, K.values, grid.rows_of(M.shape[0], names[0])


def _used(grid: Grids, rows: np.ndarray) -> np.ndarray:
    """Which grids have rows."""
    used = np.isin(grid.ids, rows[rows[:, 1] > 0, 0])
    if not used.any():
        raise ModelError("no row of the matrices belongs to a grid point: a body needs a boundary grid to be joined by")
    return used


def _places(table: np.ndarray, nodes: int) -> np.ndarray:
    """Number of each row among the dofs of the structure."""
    modal = table[:, 1] == 0
    return np.where(modal, 6 * nodes + np.cumsum(modal) - 1, 6 * table[:, 0] + table[:, 1] - 1)


def _turn(grid: Grids, rows: np.ndarray) -> sparse.csr_array:
    """Rows in local axes to rows in basic axes, square."""
    at = {(int(g), int(c)): k for k, (g, c) in enumerate(rows)}
    number = {int(g): k for k, g in enumerate(grid.ids)}
    local = np.abs(grid.axes - np.eye(3)).max(axis=(1, 2)) > 1e-12
    turn = sparse.lil_array(sparse.eye_array(len(rows)))
    for g in dict.fromkeys(rows[rows[:, 1] > 0, 0].tolist()):
        if not local[number[g]]:
            continue
        for triple in TRIPLES:
            own = [at[g, c] for c in triple if (g, c) in at]
            if own and len(own) < 3:
                raise ModelError(
                    f"grid {g} keeps only some of components {''.join(map(str, triple))}, in local axes: these cannot be "
                    "turned to basic ones; keep all three (ASET), or give the grid basic axes"
                )
            for a, i in enumerate(own):
                for b, j in enumerate(own):
                    turn[i, j] = grid.axes[number[g]][a, b]
    return sparse.csr_array(turn)


def _named(names: Mapping[str, int], number: Mapping[int, int], geometry: Any) -> dict[str, int]:
    named = {}
    for name, which in names.items():
        if which not in number:
            known = _some(np.array(list(number)))
            raise ModelError(f'node "{name}": grid {which} is not in {geometry}; there are grids {known}')
        named[name] = number[which]
    return named


def _differential(
    read: MatrixFile,
    cases: Sequence[tuple[str, Any]],
    turn: sparse.csr_array,
    by_length: np.ndarray,
    unit: float,
    whole: Callable[[Any], sparse.csr_array],
) -> Callable[[Vector], Any]:
    """Geometric stiffness as a combination of load cases: that of the displacements in the cases' displacements."""
    stiffnesses, columns = [], []
    for name, displacement in cases:
        stiffnesses.append(whole(read[name].values))
        u = read[displacement].values if isinstance(displacement, str) else displacement
        u = np.asarray(u.toarray() if sparse.issparse(u) else u, dtype=float).ravel()
        if u.shape != (turn.shape[1],):
            raise ModelError(f'displacements of "{name}" have {u.size} rows: give {turn.shape[1]}, as the matrices have')
        # turn scales rotations as forces go; displacements go the other way, and lengths become metres
        columns.append(unit * (turn @ u) / by_length**2)
    basis = np.array(columns).T

    def geometric(displacement: Vector) -> Any:
        factors = np.linalg.lstsq(basis, displacement, rcond=None)[0]
        rest = np.linalg.norm(basis @ factors - displacement)
        if rest > 1e-3 * np.linalg.norm(displacement):
            raise UncoveredLoad(
                f"geometric stiffness is asked for a displacement that is no combination of the {len(cases)} load cases "
                f"in differential= ({rest / np.linalg.norm(displacement):.1%} left over): run Nastran for that load too"
            )
        return sum(f * A for f, A in zip(factors, stiffnesses, strict=True))

    return geometric


def _what_was_read(grid: Grids, rows: np.ndarray, M: str, K: str, rounding: float) -> Finding:
    modal = int(np.count_nonzero(rows[:, 1] == 0))
    kept = np.unique(rows[rows[:, 1] > 0, 0])
    text = f"{M} and {K} over {len(rows)} dofs, {len(kept)} of {len(grid.ids)} grid points {_some(kept)}"
    if modal:
        text += f"; {modal} scalar points, taken as modal coordinates of a reduced (Craig-Bampton) model"
    return Finding(True, text + (f"; numbers good to {rounding:.0e}" if rounding > 1e-9 else ""))


def _where_its_mass_is(structure: Structure) -> Finding:
    return Finding(
        True,
        f"the model is reduced: mass, momenta and modal masses are exact, and where inside the {structure.hidden} modal "
        "coordinates move mass is not known: inertia changes with deformation only as momenta demand; no motion stiffness "
        "but from differential=",
    )


def _local_axes(grid: Grids, used: np.ndarray) -> list[Finding]:
    local = np.flatnonzero((np.abs(grid.axes - np.eye(3)).max(axis=(1, 2)) > 1e-9) & used)
    if not len(local):
        return [Finding(True, "all displacements are in basic axes")]
    some = _some(grid.ids[local])
    return [Finding(True, f"{len(local)} grid points have displacements in local axes, turned to basic ones: {some}")]


def _some(ids: np.ndarray) -> str:
    return ", ".join(map(str, ids[:5].tolist())) + (f", ... {ids[-1]}" if len(ids) > 5 else "")
