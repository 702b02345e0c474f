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
from kaneflex.structures.modes.model_damping import rigid_part
from kaneflex.structures.readers.matrix_files import MatrixFile, NamedMatrix, check_symmetric, rounding_of, there
from kaneflex.structures.readers.nastran_constraints import SCALAR, Constraints, read_constraints
from kaneflex.structures.readers.nastran_grids import Grids, read_grids
from kaneflex.structures.readers.nastran_inner import InnerGrids, inner_grids
from kaneflex.structures.readers.nastran_structure import NastranStructure
from kaneflex.structures.soundness import Finding
from kaneflex.structures.structure import Structure

PAIRS = (("MGG", "KGG"), ("MXX", "KXX"), ("MAA", "KAA"), ("MAAX", "KAAX"), ("MNN", "KNN"), ("MFF", "KFF"))
TRIPLES = ((1, 2, 3), (4, 5, 6))


@typed
def from_nastran(
    matrices: str | Path | Sequence[str | Path],
    geometry: str | Path,
    names: Mapping[str, int] | None = None,
    mass: str | None = None,
    stiffness: str | None = None,
    differential: Sequence[tuple[str, Any]] | Sequence[str] = (),
    length_unit: float = 1.0,
    mass_unit: float = 1.0,
    superelement: int | None = None,
    viscous: str | None = None,
    structural: str | None = None,
    inner: tuple[str, str | Path] | None = None,
    modal: Sequence[int] = (),
) -> NastranStructure:
    """A structure from the mass and stiffness matrices of a Nastran run and its geometry.

    Matrices are those of the free structure: over all grid points (MGG, KGG), over those retained, or of a Craig-Bampton
    model, over boundary grids and scalar points (external superelement of EXTSEOUT: MXX, KXX or MAA, KAA; MAAX, KAAX as
    DMIG), whose scalar points are modal coordinates. Displacements in local coordinate systems are turned to the basic one.
    Rigid elements in the geometry that tie all six components (RBE2, RBAR, RBE1) become rigid links; those of some
    components, RROD, RBE3 and MPC entries make dofs dependent; what is not carried over is in the report.
    Nodes are named by their grid ids, e.g. "101". Print `.report`.

    Args:
        matrices: file with M and K, or several: op4, op2, DMIG entries (.pch), MSC Nastran's HDF5 (.h5).
        geometry: bulk data (any extension but these), .asm file of an external superelement, or .op2 file with the tables.
        names: more names, name -> grid id, e.g. {"root": 101}.
        mass: name of the mass matrix in the file; None: the first known pair, MGG and KGG before MXX, MAA, MAAX, MNN, MFF.
        stiffness: name of the stiffness matrix; None likewise.
        differential: differential stiffness per load case as (name of the matrix, displacements): the displacements are the
            name of a column in the file or numbers over the same rows. Geometric stiffness is then known for what these load
            cases combine to. Or twelve names alone: of the unit inertia loads of `from_craig_bampton(unit_loads=...)`, in
            the units of the file, about its basic origin; these need no displacements and serve reduced models.
        length_unit: metres per unit of length of the deck, e.g. 1e-3 for mm.
        mass_unit: kilograms per unit of mass, e.g. 1e3 for t; seconds are seconds.
        superelement: its id, in files that hold several.
        viscous: name of the matrix of viscous damping; None: BXX, BAA or the like beside the mass, where the file has one.
        structural: name of that of structural damping; None: K4XX, K4AA or the like. Flexible(damping="model") takes both.
        inner: of a reduced model, the matrix of displacements of grid points inside and the bulk data that has these, e.g.
            ("MUG1", "panel.bdf"): they become nodes, for sensors and to be seen. Its rows are told by the table, TUG1, of
            the .pch file beside the matrices.
        modal: ids of grid points whose dofs are modal coordinates, as those of scalar points, where no QSET entry or set
            of the geometry says so.
    """
    read, grid = MatrixFile(matrices, superelement), read_grids(there(geometry), superelement)
    M_name, K_name = _pair(read, mass, stiffness)
    rounding = rounding_of(read[M_name].values, read[K_name].values)
    for name in (M_name, K_name):
        if read[name].shape[0] == read[name].shape[1]:
            check_symmetric(read[name].values, name, rounding)
    unit, scale = positive(length_unit, "length_unit"), positive(mass_unit, "mass_unit")
    tied = _tied(grid, unit)
    M, K, rows = _alike(read[M_name], read[K_name], grid, (M_name, K_name))
    of_modes = grid.are_modal(rows, modal)
    used = _used(grid, rows[~of_modes])
    turn = _turn(grid, rows, of_modes)
    shifts = (rows[:, 1] >= 1) & (rows[:, 1] <= 3) & ~of_modes
    by_length = np.where(shifts, 1.0, unit)  # what goes with rotations and modal coordinates bears a length more
    to_basic = sparse.csr_array(sparse.diags_array(by_length) @ turn)

    def whole(A: Any) -> sparse.csr_array:
        full = scale * (to_basic @ sparse.csr_array(A) @ to_basic.T)
        return sparse.csr_array((full + full.T) / 2)

    number = {int(g): k for k, g in enumerate(grid.ids[used])}
    table = np.array([(0, 0) if q else (number[g], c) for q, (g, c) in zip(of_modes, rows.tolist(), strict=True)])
    stiffening = _stiffening(read, differential, to_basic, by_length, unit, whole)
    if inner is not None and not of_modes.any():
        raise ModelError(f"inner= is for reduced models: {M_name} has no modal coordinates")
    if len(rows) != len(grid.rows) or inner is not None:  # of a smaller set, from which dependent dofs are gone
        tied = Constraints(notes=_held(grid, rows))
    named_damping = {word: _damping_of(read, word, given, M_name, rows) for word, given in
                     (("viscous", viscous), ("structural", structural))}  # fmt: skip
    damping = {word: whole(found[1]) for word, found in named_damping.items() if found is not None}
    per_row = sparse.csr_array(sparse.diags_array(np.where(shifts, 1 / unit, 1.0)) @ turn.T)
    inside = InnerGrids() if inner is None else inner_grids(read, *inner, rows, per_row, unit)
    number |= {int(g): len(number) + k for k, g in enumerate(inside.ids)}
    base = from_craig_bampton(
        whole(M), whole(K), unit * grid.points[used], table, rounding=rounding, **inside.given, **stiffening, **damping
    )  # fmt: skip
    named = _named(names or {}, number, geometry) | {str(g): k for g, k in number.items()}
    depends = base.dependent + tied.matrix(base.points, grid.axes[used], base.size)
    base = Structure(base.points, named, base.elements, tied.links, base.hidden, depends)
    notes = [_what_was_read(grid, rows, of_modes, M_name, K_name, rounding), *_local_axes(grid, used), *tied.notes]
    if inner is not None:
        notes.append(Finding(True, f"{len(inside.ids)} grid points inside move by {inner[0]}: {_some(inside.ids)}"))
    if base.hidden:
        notes.append(_where_its_mass_is(base))
    notes += [_what_damping(base, word, found[0]) for word, found in named_damping.items() if found is not None]
    pick = sparse.csr_array(
        (np.ones(len(rows)), (np.arange(len(rows)), _places(table, len(number)))), shape=(len(rows), base.size)
    )
    found = NastranStructure(base, notes, sparse.csr_array(per_row @ pick), rows)
    found.lines = inside.lines(number)
    return found


def _tied(grid: Grids, unit: float) -> Constraints:
    """What rigid elements and equations tie together; the n-set of the geometry is then known, which is without them."""
    if grid.bulk is None:
        return Constraints()
    number = {int(g): k for k, g in enumerate(grid.ids)}
    scalars = {int(g): k for k, g in enumerate(grid.rows[grid.rows[:, 1] == 0, 0])}
    tied = read_constraints(grid.bulk, number, scalars, unit * grid.points, grid.axes)
    gone = tied.gone
    if gone:
        own = lambda g, c: (number[g], c - 1) if c else (SCALAR, scalars[g])
        grid.sets["n"] = np.array([own(g, c) not in gone for g, c in grid.rows.tolist()], dtype=bool)
        for word in ("f", "a"):
            grid.sets[word] = grid.sets[word] & grid.sets["n"]
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
    there_are = ", ".join(read.names) or "nothing"
    raise ModelError(f"{read.path} has none of {known} but {there_are}: say which are mass and stiffness")


def _damping_of(
    read: MatrixFile, kind: str, given: str | None, M_name: str, rows: np.ndarray
) -> tuple[str, Any] | None:
    """Name and values of a damping matrix, over the rows of M and K; None where the file has none, or zeros.

    Nastran writes a matrix of one row for one that is not there, and calls it BXX1 or K4XX1 then.
    """
    letters, own = "B" if kind == "viscous" else "K4", M_name[1:]
    candidates = [letters + rest for rest in (own, own + "1", "XX", "AA", "XX1")] if given is None else [given]
    for name in candidates:
        if given is None and name not in read:
            continue
        A = read[name]
        if not (A.values.nnz if sparse.issparse(A.values) else np.any(A.values)):
            continue
        if A.rows is not None:
            at = {tuple(r): k for k, r in enumerate(rows.tolist())}
            strange = [r for r in A.rows.tolist() if tuple(r) not in at]
            if strange:
                raise ModelError(f"{name} has a row of point {strange[0][0]}, which {M_name} has not: give a match")
            return name, _wide(A, at)
        if A.shape != (len(rows), len(rows)):
            raise ModelError(f"{name} is {A.shape[0]} by {A.shape[1]}, {M_name} has {len(rows)} rows: they do not match")
        return name, A.values
    return None


def _what_damping(structure: Structure, kind: str, name: str) -> Finding:
    held = rigid_part(structure, kind)
    if held > max(1e-6, 10 * structure.rounding):
        return Finding(False, f"{name}, {kind} damping, resists a rigid motion ({held:.1e} of it): damping to the ground, "
                              "which a body cannot have; only what it does in the modes is taken")  # fmt: skip
    text = f'{name}: {kind} damping, taken with damping="model"'
    if kind == "structural":
        text += ", as viscous damping of the same loss at each mode's own frequency"
    return Finding(True, text)


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
        return _wide(M, at), _wide(K, at), np.array(rows, dtype=int)
    if M.shape != K.shape:
        raise ModelError(f"{names[0]} is {M.shape[0]} by {M.shape[1]}, {names[1]} {K.shape[0]} by {K.shape[1]}: give a pair")
    return M.values, K.values, grid.rows_of(M.shape[0], names[0])


def _wide(A: NamedMatrix, at: Mapping[tuple[int, ...], int]) -> sparse.csr_array:
    """A matrix of which some rows are there over all rows."""
    own = np.array([at[tuple(r)] for r in A.rows.tolist()])  # type: ignore[union-attr]
    pick = sparse.csr_array((np.ones(len(own)), (own, np.arange(len(own)))), shape=(len(at), len(own)))
    return pick @ sparse.csr_array(A.values) @ pick.T


def _used(grid: Grids, rows: np.ndarray) -> np.ndarray:
    """Which grids have rows that are no modal coordinates."""
    used = np.isin(grid.ids, rows[:, 0])
    if not used.any():
        raise ModelError("no row of the matrices belongs to a grid point: a body needs a boundary grid to be joined by")
    return used


def _places(table: np.ndarray, nodes: int) -> np.ndarray:
    """Number of each row among the dofs of the structure."""
    modal = table[:, 1] == 0
    return np.where(modal, 6 * nodes + np.cumsum(modal) - 1, 6 * table[:, 0] + table[:, 1] - 1)


def _turn(grid: Grids, rows: np.ndarray, of_modes: np.ndarray) -> sparse.csr_array:
    """Rows in local axes to rows in basic axes, square."""
    at = {(int(g), int(c)): k for k, (g, c) in enumerate(rows)}
    number = {int(g): k for k, g in enumerate(grid.ids)}
    local = np.abs(grid.axes - np.eye(3)).max(axis=(1, 2)) > 1e-12
    turn = sparse.lil_array(sparse.eye_array(len(rows)))
    for g in dict.fromkeys(rows[~of_modes, 0].tolist()):
        if not local[number[g]]:
            continue
        for triple in TRIPLES:
            own = [at[g, c] for c in triple if (g, c) in at]
            if own and len(own) < 3:
                raise ModelError(
                    f"grid {g} keeps only some of components {''.join(map(str, triple))}, in local axes: these cannot be "
                    "turned to basic ones; keep all three (ASET), give the grid basic axes, or export the whole (MGG, KGG)"
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


def _stiffening(
    read: MatrixFile,
    cases: Sequence[Any],
    turn: sparse.csr_array,
    by_length: np.ndarray,
    unit: float,
    whole: Callable[[Any], sparse.csr_array],
) -> dict[str, Any]:
    """What `from_craig_bampton` takes of differential stiffness: of the twelve unit loads, or of load cases."""
    if cases and all(isinstance(case, str) for case in cases):
        if len(cases) != 12:
            raise ModelError(
                f"differential= has {len(cases)} names: give twelve, of the unit inertia loads, or pairs of a name and "
                "displacements"
            )
        # unit accelerations are one unit of length per second squared; their gradients are the same in all units
        return {"unit_loads": [whole(read[name].values) / (unit if k < 3 else 1.0) for k, name in enumerate(cases)]}
    return {"geometric": _differential(read, cases, turn, by_length, unit, whole)} if cases else {}


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


def _what_was_read(grid: Grids, rows: np.ndarray, of_modes: np.ndarray, M: str, K: str, rounding: float) -> Finding:
    modal, scalars = int(of_modes.sum()), int(np.count_nonzero(rows[:, 1] == 0))
    kept = np.unique(rows[~of_modes, 0])
    text = f"{M} and {K} over {len(rows)} dofs, {len(kept)} of {len(grid.ids)} grid points {_some(kept)}"
    if modal:
        at = [f"{scalars} scalar points"] if scalars else []
        at += [f"{modal - scalars} dofs of grid points of the q-set"] if modal > scalars else []
        text += f"; {' and '.join(at)}, taken as modal coordinates of a reduced (Craig-Bampton) model"
    return Finding(True, text + (f"; numbers good to {rounding:.0e}" if rounding > 1e-9 else ""))


def _where_its_mass_is(structure: Structure) -> Finding:
    return Finding(
        True,
        f"the model is reduced: mass, momenta and modal masses are exact, and where inside the {structure.hidden} modal "
        "coordinates move mass is not known: inertia changes with deformation only as momenta demand; "
        + ("motion stiffness from differential=" if structure.stiffens else "no motion stiffness: give differential="),
    )


def _held(grid: Grids, rows: np.ndarray) -> list[Finding]:
    """What SPC entries took out of the matrices."""
    present = {tuple(r) for r in rows.tolist()}
    out = grid.rows[grid.sets["n"] & ~grid.sets["f"]]
    gone = np.array([g for g, c in out.tolist() if (g, c) not in present], dtype=int)
    if not len(gone):
        return []
    return [Finding(True, f"{len(gone)} dofs that SPC entries hold have no rows, of grid points {_some(np.unique(gone))}")]


def _local_axes(grid: Grids, used: np.ndarray) -> list[Finding]:
    local = np.flatnonzero((np.abs(grid.axes - np.eye(3)).max(axis=(1, 2)) > 1e-9) & used)
    if not len(local):
        return [Finding(True, "all displacements are in basic axes")]
    some = _some(grid.ids[local])
    return [Finding(True, f"{len(local)} grid points have displacements in local axes, turned to basic ones: {some}")]


def _some(ids: np.ndarray) -> str:
    return ", ".join(map(str, ids[:5].tolist())) + (f", ... {ids[-1]}" if len(ids) > 5 else "")
