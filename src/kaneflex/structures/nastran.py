"""Structures from Nastran's files (op4, op2, bulk data), read by pyyeti, with a report on what was read."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError, Vector, positive
from kaneflex.model.typed import typed
from kaneflex.structures.elements.contract import Elements
from kaneflex.structures.soundness import Finding, Report, check
from kaneflex.structures.structure import Structure

PAIRS = (("MGG", "KGG"), ("MXX", "KXX"), ("MAA", "KAA"), ("MNN", "KNN"), ("MFF", "KFF"))
NOT_HELD = ("rbe3", "rbe1", "mpc", "rrod", "rspline", "rtrplt")  # constraints that g-set matrices leave out


class NastranStructure(Structure):
    """A structure read from Nastran's files; `report` says in plain words what was read and whether it is sound.

    Args:
        points, names, elements, links: as for Structure.
        notes: findings of the import, which come first in the report.
    """

    def __init__(
        self,
        points: Any,
        names: Mapping[str, int],
        elements: Sequence[Elements],
        links: Sequence[tuple[int, int]] = (),
        notes: Sequence[Finding] = (),
    ) -> None:
        super().__init__(points, names, elements, links)
        self.report = Report((*notes, *check(self).findings))


@dataclass(frozen=True)
class _Grid:
    """What the geometry says: grid ids, places, axes of displacements, and which rows of a matrix are whose."""

    ids: np.ndarray
    points: np.ndarray
    axes: np.ndarray  # (n, 3, 3): columns are the displacement axes of each grid in basic coordinates
    rows: np.ndarray  # dof 6*node + component of each row, -1 for scalar points
    retained: np.ndarray  # bool over rows: those of the a-set, where the geometry knows sets


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
    scalar_points: str = "refuse",
    superelement: int = 0,
) -> NastranStructure:
    """A structure from the mass and stiffness matrices of a Nastran run and its geometry.

    Matrices are those of the free structure, over all grid points (MGG, KGG) or those retained. Displacements in local
    coordinate systems are turned to the basic one. Rigid elements in the geometry that tie all six components (RBE2, RBAR)
    become rigid links. Nodes are named by their grid ids, e.g. "101". Print `.report`.

    Args:
        matrices: op4 or op2 file with M and K.
        geometry: bulk data (any extension but these), .asm file of an external superelement, or .op2 file with the tables.
        names: more names, name -> grid id, e.g. {"root": 101}.
        mass: name of the mass matrix in the file; None: the first known pair, MGG and KGG before MXX, MAA, MNN, MFF.
        stiffness: name of the stiffness matrix; None likewise.
        differential: differential stiffness per load case as (name of the matrix, displacements): the displacements are the
            name of a column in the file or numbers over the same rows. Geometric stiffness is then known for what these load
            cases combine to.
        length_unit: metres per unit of length of the deck, e.g. 1e-3 for mm.
        mass_unit: kilograms per unit of mass, e.g. 1e3 for t; seconds are seconds.
        scalar_points: "refuse" models with scalar points (reduced models with modal coordinates), or "drop" those points:
            what is left is the static (Guyan) reduction to the grid points.
        superelement: its id, in an op2 file that holds several.
    """
    if scalar_points not in ("refuse", "drop"):
        raise ModelError(f'scalar_points is {scalar_points!r}: give "refuse" or "drop"')
    read = _matrices(_there(matrices))
    M_name, K_name = _pair(read, mass, stiffness, matrices)
    grid = _geometry(_there(geometry), superelement)
    place = _placement(grid, read(M_name), read(K_name), scalar_points, (M_name, K_name))
    unit = positive(length_unit, "length_unit")
    scale = positive(mass_unit, "mass_unit")
    by_length = np.tile([1.0, 1.0, 1.0, unit, unit, unit], len(grid.ids))
    turn = sparse.csr_array(sparse.diags_array(by_length) @ place)

    def whole(A: Any) -> sparse.csr_array:
        full = scale * (turn @ sparse.csr_array(A) @ turn.T)
        return sparse.csr_array((full + full.T) / 2)

    points = unit * grid.points
    number = {int(g): k for k, g in enumerate(grid.ids)}
    named = {}
    for name, which in (names or {}).items():
        if which not in number:
            raise ModelError(f'node "{name}": grid {which} is not in {geometry}; there are grids {_some(grid.ids)}')
        named[name] = number[which]
    named |= {str(g): k for g, k in number.items()}
    geometric = _differential(read, differential, turn, by_length, unit, whole) if differential else None
    whole_M, whole_K = whole(read(M_name)), whole(read(K_name))
    group = Structure.from_matrices(whole_M, whole_K, points, geometric=geometric).elements
    links, notes = _links(_there(geometry), number)
    notes = [_what_was_read(grid, M_name, K_name, read, place), *_local_axes(grid), *notes]
    return NastranStructure(points, named, group, links, notes)


def _pyyeti() -> Any:
    try:
        with np.printoptions():  # pyyeti changes how NumPy prints, for everybody
            return importlib.import_module("pyyeti.nastran")
    except ImportError as e:
        raise ModelError("reading Nastran's files needs pyyeti: pip install 'kaneflex[fe]'") from e


def _there(path: str | Path) -> Path:
    file = Path(path)
    if not file.is_file():
        raise ModelError(f"{file} is not there: give the path of a file")
    return file


def _matrices(path: Path) -> Any:
    """A function that gives a matrix by its name; its attribute `names` lists them, its `path` the file."""
    nastran = _pyyeti()
    try:
        if path.suffix.lower() == ".op2":
            with nastran.op2.OP2(str(path)) as file:
                found = {k.lower(): v for k, v in file.rdop2mats().items()}
        else:
            found = dict(nastran.op4.read(str(path), sparse=None))
    except Exception as e:  # pyyeti raises whatever its parsing trips over
        raise ModelError(f"{path} cannot be read as Nastran's {path.suffix or 'op4'} matrices: {e}") from e

    def read(name: str) -> Any:
        if name.lower() not in found:
            raise ModelError(f'{path} has no matrix "{name}": there are {", ".join(k.upper() for k in found) or "none"}')
        return found[name.lower()]

    read.names = tuple(found)  # type: ignore[attr-defined]
    return read


def _pair(read: Any, mass: str | None, stiffness: str | None, path: Any) -> tuple[str, str]:
    if mass is not None and stiffness is not None:
        return mass, stiffness
    if (mass is None) != (stiffness is None):
        raise ModelError("give both names, mass= and stiffness=, or neither")
    for M, K in PAIRS:
        if M.lower() in read.names and K.lower() in read.names:
            return M, K
    known = ", ".join(f"{M} and {K}" for M, K in PAIRS)
    raise ModelError(
        f"{path} has none of {known} but {', '.join(n.upper() for n in read.names) or 'nothing'}: give mass= and stiffness="
    )


def _geometry(path: Path, superelement: int) -> _Grid:
    nastran = _pyyeti()
    kept, scalars = None, np.zeros(0, dtype=int)
    try:
        if path.suffix.lower() == ".op2":
            uset = _op2_geometry(nastran, path, superelement)
        elif path.suffix.lower() == ".asm":
            uset, _, _, *more = nastran.asm2uset(str(path), try_rdextrn="pv_only")
            kept = more[0] if more else None
        else:
            uset, _ = nastran.bulk2uset(str(path))
            found = nastran.rdspoints(str(path))
            scalars = scalars if found is None else np.asarray(found, dtype=int).ravel()
    except ModelError:
        raise
    except Exception as e:  # pyyeti raises whatever its parsing trips over
        raise ModelError(f"{path} cannot be read as Nastran's geometry: {e}") from e
    if uset is None or not len(uset):
        raise ModelError(f"{path} has no grid points: give the file with the GRID entries")
    ids, components = (uset.index.get_level_values(k).to_numpy() for k in ("id", "dof"))
    first = np.flatnonzero(components == 1)
    rigid = nastran.rbgeom_uset(uset)
    # rows of rigid translations are a grid's displacement axes
    axes = np.stack([rigid[k : k + 3, :3].T for k in first]) if len(first) else np.zeros((0, 3, 3))
    node = {g: k for k, g in enumerate(ids[first].tolist())}
    rows = np.array([6 * node[g] + c - 1 if c else -1 for g, c in zip(ids.tolist(), components.tolist(), strict=True)])
    retained = np.asarray(nastran.mksetpv(uset, "g", "a") if kept is None else kept, dtype=bool)
    if len(scalars):  # scalar points of bulk data stand among the grids, by their ids
        order = np.argsort(np.concatenate([ids, scalars]), kind="stable")
        rows = np.concatenate([rows, np.full(len(scalars), -1)])[order]
        retained = np.concatenate([retained, np.ones(len(scalars), dtype=bool)])[order]
    return _Grid(ids[first], uset.iloc[first, 1:].to_numpy(dtype=float), axes, rows, retained)


def _op2_geometry(nastran: Any, path: Path, superelement: int) -> Any:
    """The table of grid points in an op2 file: of pyyeti's own nas2cam output, or of PARAM,POST,-1."""
    with nastran.op2.OP2(str(path)) as file:
        if "SELIST" in file.dbnames or "USETTAB" in file.dbnames or "USET0" in file.dbnames:
            tables = file.rdn2cop2()["uset"]
            if superelement not in tables:
                raise ModelError(
                    f"{path} has no superelement {superelement}: there are {', '.join(map(str, sorted(tables)))}"
                )
            return tables[superelement]
        return file.rdparampost(get_mats=False, get_dr_tables=False)["uset"]


def _placement(grid: _Grid, M: Any, K: Any, scalar_points: str, names: tuple[str, str]) -> sparse.csr_array:
    """The map from a matrix's rows to the 6n dofs of all grids in basic axes."""
    size = M.shape[0]
    for A, name in ((M, names[0]), (K, names[1])):
        if A.shape != (size, size):
            raise ModelError(
                f"{name} is {A.shape[0]} by {A.shape[1]}, {names[0]} {size} by {M.shape[1]}: both must be square and alike"
            )
    rows = grid.rows if size == len(grid.rows) else grid.rows[grid.retained]
    if size != len(rows):
        raise ModelError(
            f"{names[0]} has {size} rows, the geometry {len(grid.rows)} dofs of {len(grid.ids)} grid points "
            f"({int(grid.retained.sum())} retained): they do not belong together, or the matrix is of another set"
        )
    scalars = int(np.count_nonzero(rows < 0))
    if scalars and scalar_points == "refuse":
        raise ModelError(
            f"the model has {scalars} scalar points: it is reduced already, and where its inner mass is cannot be known. "
            'Export MGG and KGG of the whole model, or give scalar_points="drop" for the static reduction to the grid points'
        )
    own = np.flatnonzero(rows >= 0)
    n = 6 * len(grid.ids)
    pick = sparse.csr_array((np.ones(len(own)), (rows[own], own)), shape=(n, size))
    turn = sparse.block_diag([a for axes in grid.axes for a in (axes, axes)], format="csr")
    return sparse.csr_array(turn @ pick)


def _differential(
    read: Any,
    cases: Sequence[tuple[str, Any]],
    turn: sparse.csr_array,
    by_length: np.ndarray,
    unit: float,
    whole: Callable[[Any], sparse.csr_array],
) -> Callable[[Vector], Any]:
    """Geometric stiffness as a combination of load cases: that of the displacements in the cases' displacements."""
    stiffnesses, columns = [], []
    for name, displacement in cases:
        stiffnesses.append(whole(read(name)))
        u = read(displacement) if isinstance(displacement, str) else displacement
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
            raise ModelError(
                f"geometric stiffness is asked for a displacement that is no combination of the {len(cases)} load cases "
                f"in differential= ({rest / np.linalg.norm(displacement):.1%} left over): run Nastran for that load too"
            )
        return sum(f * A for f, A in zip(factors, stiffnesses, strict=True))

    return geometric


def _links(path: Path, number: Mapping[int, int]) -> tuple[list[tuple[int, int]], list[Finding]]:
    """Rigid links from RBE2 and RBAR entries of bulk data, and what of other constraints is left out."""
    if path.suffix.lower() in (".op2", ".asm"):
        return [], []
    nastran = _pyyeti()
    links: list[tuple[int, int]] = []
    left: dict[str, int] = {}
    for card in nastran.rdcards(str(path), "rbe2", return_var="list") or []:
        _, reference, components, *dependents = card
        if not _all_six(components):
            left["RBE2 of some components"] = left.get("RBE2 of some components", 0) + 1
            continue
        links += [(int(reference), int(g)) for g in dependents if isinstance(g, (int, np.integer)) and g]
    for card in nastran.rdcards(str(path), "rbar", return_var="list") or []:
        _, a, b, *components = [*list(card), "", "", "", ""]
        if _all_six(components[0]) and not _all_six(components[1]):
            links.append((int(a), int(b)))
        elif _all_six(components[1]):
            links.append((int(b), int(a)))
        else:
            left["RBAR of some components"] = left.get("RBAR of some components", 0) + 1
    for word in NOT_HELD:
        # with a number after the word: case control says MPC = 1
        cards = nastran.rdcards(str(path), rf"{word}\*?[ ,]\s*\d", return_var="list", regex=True) or []
        if cards:
            left[word.upper()] = len(cards)
    missing = sorted({g for pair in links for g in pair} - set(number))
    if missing:
        raise ModelError(f"{path}: rigid elements name grid {missing[0]}, which has no GRID entry: give the whole bulk data")
    notes = [Finding(True, f"{len(links)} rigid links from RBE2 and RBAR entries")] if links else []
    for word, count in left.items():
        notes.append(
            Finding(False, f"{count} {word}: not carried over; export matrices in which it is eliminated (MNN, KNN)")
        )
    return [(number[a], number[b]) for a, b in links], notes


def _all_six(components: Any) -> bool:
    return set("123456") <= set(str(components).removesuffix(".0"))


def _what_was_read(grid: _Grid, M: str, K: str, read: Any, place: sparse.csr_array) -> Finding:
    dropped = place.shape[1] - int(np.count_nonzero(np.diff(place.tocsc().indptr)))
    text = f"{M} and {K} over {read(M).shape[0]} dofs, {len(grid.ids)} grid points {_some(grid.ids)}"
    return Finding(not dropped, text + (f"; {dropped} scalar points dropped: a static reduction" if dropped else ""))


def _local_axes(grid: _Grid) -> list[Finding]:
    local = np.flatnonzero(np.abs(grid.axes - np.eye(3)).max(axis=(1, 2)) > 1e-9)
    if not len(local):
        return [Finding(True, "all displacements are in basic axes")]
    some = _some(grid.ids[local])
    return [Finding(True, f"{len(local)} grid points have displacements in local axes, turned to basic ones: {some}")]


def _some(ids: np.ndarray) -> str:
    return ", ".join(map(str, ids[:5].tolist())) + (f", ... {ids[-1]}" if len(ids) > 5 else "")
