"""Grid points of Nastran's files: places, axes of displacements, sets; from bulk data, .asm and .pch files, op2 tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.structures.readers.bulk_data import BulkData, components, expanded
from kaneflex.structures.readers.file_kinds import OF_MATRICES, WORDS, kind_of
from kaneflex.structures.readers.fortran_records import check_records
from kaneflex.structures.readers.nastran_library import nastran_tools
from kaneflex.structures.readers.nastran_op2 import GridEntry, op2_table

SETS = ("n", "f", "a")  # sets that matrices come in besides all dofs, the largest first


@dataclass(frozen=True)
class Grids:
    """What the geometry says: grid ids, places, axes of displacements, and which rows of a matrix are whose.

    `rows` (r, 2) has the id and the component of each dof of the g-set, 0 for scalar points; `sets` says which of these are
    in smaller sets; `modal` are those of grids whose dofs are modal coordinates (q-set); `bulk` are the entries of bulk
    data, where it is such.
    """

    ids: np.ndarray
    points: np.ndarray
    axes: np.ndarray  # (n, 3, 3): columns are the displacement axes of each grid in basic coordinates
    rows: np.ndarray
    sets: dict[str, np.ndarray]
    modal: np.ndarray
    bulk: BulkData | None = None

    def rows_of(self, size: int, name: str) -> np.ndarray:
        """Ids and components of the rows of a matrix with `size` of them: the set in its name, or the first as large."""
        own = name[1:2].lower() if name[1:3] in ("NN", "FF", "AA") else "g"
        for kept in (self.sets[own], *self.sets.values()):
            if int(kept.sum()) == size:
                return self.rows[kept]
        counts = dict[int, str]()
        for word, kept in self.sets.items():
            counts.setdefault(int(kept.sum()), word)
        sizes = ", ".join(f"{count} in the {word}-set" for count, word in counts.items())
        raise ModelError(
            f"{name} has {size} rows, the geometry {sizes} (dofs of {len(self.ids)} grid points): they do not belong "
            "together, or the matrix is of another set"
        )


    def are_modal(self, rows: np.ndarray, more: Sequence[int] = ()) -> np.ndarray:
        """Which rows are modal coordinates: those of scalar points and of grids with dofs in the q-set.

        Args:
            rows: ids and components.
            more: ids of grids whose dofs are such too.
        """
        unknown = sorted(set(more) - set(self.ids.tolist()))
        if unknown:
            raise ModelError(f"modal: grid {unknown[0]} is not in the geometry: give ids of grid points")
        return (rows[:, 1] == 0) | np.isin(rows[:, 0], [*self.rows[self.modal, 0].tolist(), *more])


def read_grids(path: Path, superelement: int | None) -> Grids:
    """The grid points of a file."""
    kind = kind_of(path)
    if kind in (*OF_MATRICES, "listing"):
        raise ModelError(
            f"{path} is {WORDS[kind]}: as the geometry give bulk data, the .asm or .pch file of an external superelement, "
            "or an op2 file written with PARAM,POST,-1"
        )
    read = _op2 if kind == "op2" else _text
    try:
        found = read(path, superelement)
    except ModelError:
        raise
    except (Exception, SystemExit) as e:  # pyyeti raises whatever its parsing trips over
        raise ModelError(f"{path} cannot be read as Nastran's geometry: {_why(e)}") from e
    if not np.isfinite(found.points).all() or not np.isfinite(found.axes).all():
        raise ModelError(f"{path} has grid points at places that are not finite numbers: it is damaged, export it again")
    return found


def _why(e: BaseException) -> str:
    text = " ".join(f"{type(e).__name__}: {e}".split())[:200]
    if isinstance(e, KeyError) and "uset" in text:
        return "it has no table of grid points: write them with PARAM,POST,-1 (BGPDT, EQEXIN, USET), or give the bulk data"
    return text


def _op2(path: Path, superelement: int | None) -> Grids:
    nastran = nastran_tools()
    check_records(path)
    with nastran.op2.OP2(str(path)) as file:
        table = lambda grids, coords: _table(grids, coords, path)
        uset, scalars, retained, modal = op2_table(file, path, superelement, table)
    rows, sets = _with_scalars(uset, scalars)
    if retained:
        sets["a"] = _members(rows, retained)
    return _grids(uset, rows, sets, modal)


def _text(path: Path, superelement: int | None) -> Grids:
    """Bulk data, and .asm or .pch files of external superelements, whose EXTRN or SECONCT entries tell the order of rows."""
    bulk = BulkData(path, superelement)
    uset = _bulk_table(bulk)
    if uset is None:
        raise ModelError(f"{path} has no grid points: give the file with the GRID entries")
    rows, sets = _with_scalars(uset, np.array(bulk.scalar_points, dtype=int))
    retained = _retained(bulk)
    order = {ident: k for k, ident in reversed(list(enumerate(ident for ident, _ in retained)))}
    lost = [ident for ident in order if ident not in set(rows[:, 0].tolist())]
    if lost:
        raise ModelError(f"{path}: point {lost[0]} is in the boundary and has no GRID or SPOINT entry: give the whole file")
    kept = set(retained) | _set_entries(bulk)
    if kept:
        sets["a"] = _members(rows, kept)
    held = _held(bulk)
    sets["f"] = np.array([row not in held for row in map(tuple, rows.tolist())], dtype=bool)
    if not kept:
        sets["a"] = sets["f"]
    if order:
        by_order = np.argsort([order.get(ident, len(order)) for ident in rows[:, 0].tolist()], kind="stable")
        rows, sets = rows[by_order], {word: pv[by_order] for word, pv in sets.items()}
    return _grids(uset, rows, sets, _set_entries(bulk, "q"), bulk)


def _with_scalars(uset: Any, scalars: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Rows of the g-set and which of them are in smaller sets; scalar points stand among the grids, by their ids."""
    nastran = nastran_tools()
    ids, which = (uset.index.get_level_values(k).to_numpy() for k in ("id", "dof"))
    rows = np.column_stack([ids, which]).astype(int)
    sets = {word: np.asarray(nastran.mksetpv(uset, "p", word), dtype=bool) for word in SETS}
    rows = np.vstack([rows, np.column_stack([scalars, np.zeros_like(scalars)])])
    order = np.argsort(rows[:, 0], kind="stable") if len(scalars) else np.arange(len(rows))
    sets = {"g": np.ones(len(ids), dtype=bool)} | sets
    return rows[order], {word: np.concatenate([pv, np.ones(len(scalars), dtype=bool)])[order] for word, pv in sets.items()}


def _members(rows: np.ndarray, named: set[tuple[int, int]]) -> np.ndarray:
    """Which rows are named as (id, component); scalar points by component 0 or 1, all of them where none is named."""
    points = {ident for ident, _ in named}
    scalars = set(rows[rows[:, 1] == 0, 0].tolist())
    all_scalars = not scalars & points
    return np.array([(g, c) in named if c else all_scalars or g in points for g, c in rows.tolist()], dtype=bool)


def _grids(
    uset: Any, rows: np.ndarray, sets: dict[str, np.ndarray], modal: set[tuple[int, int]], bulk: BulkData | None = None
) -> Grids:
    ids, which = (uset.index.get_level_values(k).to_numpy() for k in ("id", "dof"))
    first = np.flatnonzero(which == 1)
    rigid = nastran_tools().rbgeom_uset(uset)
    # rows of rigid translations are a grid's displacement axes
    axes = np.stack([rigid[k : k + 3, :3].T for k in first]) if len(first) else np.zeros((0, 3, 3))
    in_q = np.asarray(nastran_tools().mksetpv(uset, "p", "q"), dtype=bool)
    modal = modal | {(int(g), int(c)) for g, c in zip(ids[in_q], which[in_q], strict=True)}
    of_modes = (rows[:, 1] > 0) & np.array([tuple(row) in modal for row in rows.tolist()], dtype=bool)
    return Grids(ids[first].astype(int), uset.iloc[first, 1:].to_numpy(dtype=float), axes, rows, sets, of_modes, bulk)


def _bulk_table(bulk: BulkData) -> Any:
    """The table of the grid points of bulk data."""
    coords = bulk.coordinate_systems
    defaults = (bulk.entries("grdset") or [[]])[0]
    default = lambda at: int(defaults[at] or 0) if len(defaults) > at else 0
    grids = []
    for card in bulk.entries("grid"):
        ident, system, x, y, z, axes = ([*card, *[""] * 6])[:6]
        place = [float(v) if v != "" else 0.0 for v in (x, y, z)]
        first, second = (default(at) if given == "" else int(given) for at, given in ((1, system), (5, axes)))
        grids.append((int(ident), first, place, second))
    if not grids:
        return None
    _add_cord1(bulk, grids, coords)
    return _table(grids, coords, bulk.path)


def _table(grids: list[GridEntry], coords: dict[int, Any], path: Path) -> Any:
    """The table of GRID entries; those that are there twice must be alike."""
    by_id: dict[int, GridEntry] = {}
    for entry in sorted(grids, key=lambda g: g[0]):
        if by_id.setdefault(entry[0], entry) != entry:
            raise ModelError(f"{path}: grid {entry[0]} is there twice, at other places or in other axes: leave out one")
    grids = list(by_id.values())
    for ident, system, _, axes in grids:
        for word, which in (("its place", system), ("its displacements", axes)):
            if which > 0 and which not in coords:
                raise ModelError(
                    f"{path}: grid {ident} has {word} in coordinate system {which}, which has no CORD1x or CORD2x entry: "
                    "give the whole bulk data"
                )
    fluid = [g[0] for g in grids if g[3] < 0]
    if fluid:
        raise ModelError(f"{path}: grid {fluid[0]} is a fluid point (CD = -1): leave fluids out")
    ids, places = np.array([g[0] for g in grids]), np.array([g[2] for g in grids])
    return nastran_tools().addgrid(None, ids, "b", [g[1] for g in grids], places, [g[3] for g in grids], coords)


def _retained(bulk: BulkData) -> list[tuple[int, int]]:
    """Rows of an external superelement in their order, as (id, component): of EXTRN entries, which stand in the .pch file
    beside an .asm file, or of SECONCT entries, which know points only."""
    punch = bulk.path.with_suffix(".pch")
    told = bulk
    if bulk.path.suffix.lower() == ".asm" and "extrn" not in bulk and punch.is_file():
        told = BulkData(punch)
    listed = [v for card in told.entries("extrn") for v in card]
    pairs = [(int(g), cs) for g, cs in zip(listed[::2], listed[1::2], strict=False) if g != ""]
    if not pairs and "seconct" in bulk and bulk.path.suffix.lower() == ".asm":
        scalars = set(bulk.scalar_points)
        inside = nastran_tools().rdseconct(bulk.text("seconct"))[0]
        pairs = [(int(g), 0 if g in scalars else 123456) for g in dict.fromkeys(np.asarray(inside).tolist())]
    return [(g, c) for g, cs in pairs for c in ([k + 1 for k in components(cs)] or [0])]


def _set_entries(bulk: BulkData, letters: str = "abcq") -> set[tuple[int, int]]:
    """What ASET, BSET, CSET, QSET entries and their like name, as (id, component)."""
    each = lambda value: [k + 1 for k in components(value)] or [0]
    words = [letter + "set" for letter in letters]
    kept = {(g, c) for cs, *ids in bulk.entries(*(w + "1" for w in words)) for g in expanded(ids) for c in each(cs)}
    for card in bulk.entries(*words):
        kept |= {(int(g), c) for g, cs in zip(card[::2], card[1::2], strict=False) if g != "" for c in each(cs)}
    return kept


def _held(bulk: BulkData) -> set[tuple[int, int]]:
    """Dofs that SPC and SPC1 entries of the chosen set hold, and permanent constraints of GRID entries."""
    each = lambda value: [k + 1 for k in components(value)]
    single = [(number, g, cs) for number, *rest in bulk.entries("spc")
              for g, cs in zip(rest[::3], rest[1::3], strict=False) if g != ""]  # fmt: skip
    single += [(number, g, cs) for number, cs, *ids in bulk.entries("spc1") for g in expanded(ids)]
    supports = bulk.of_chosen_sets("spc", single) or []
    permanent = [(card[0], card[6]) for card in bulk.entries("grid") if len(card) > 6]
    return {(int(g), c) for g, cs in [*supports, *permanent] for c in each(cs)}


def _add_cord1(bulk: BulkData, grids: list[GridEntry], coords: dict[int, Any]) -> None:
    """Adds coordinate systems that three grids define to those known."""
    kinds = [(kind, card) for kind, word in enumerate("rcs", 1) for card in bulk.entries("cord1" + word)]
    if not kinds:
        return
    nastran = nastran_tools()
    located = [g for g in grids if g[1] == 0 or g[1] in coords]
    table = nastran.addgrid(None, [g[0] for g in located], "b", [g[1] for g in located], [g[2] for g in located], 0, coords)
    places = {g[0]: table.iloc[6 * k, 1:].to_numpy(dtype=float) for k, g in enumerate(located)}
    for kind, card in kinds:
        numbers = [int(v) for v in card if v != ""]
        for ident, *three in (numbers[k : k + 4] for k in range(0, len(numbers), 4)):
            missing = [g for g in three if g not in places]
            if len(three) != 3 or missing:
                raise ModelError(f"{bulk.path}: coordinate system {ident} is defined by grids without places: {missing}")
            system = np.vstack([[ident, kind, 0], *(places[g] for g in three)])
            nastran.addgrid(None, 1, "b", 0, [0, 0, 0], system, coords)
