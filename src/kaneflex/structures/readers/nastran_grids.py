"""Grid points of Nastran's files: places, axes of displacements, sets; from bulk data, .asm and .pch files, op2 tables."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.structures.readers.matrix_files import nastran_tools

SETS = ("n", "f", "a")  # sets that matrices come in besides all dofs, the largest first


@dataclass(frozen=True)
class Grids:
    """What the geometry says: grid ids, places, axes of displacements, and which rows of a matrix are whose.

    `rows` (r, 2) has the id and the component of each dof of the g-set, 0 for scalar points; `sets` says which of these are
    in smaller sets.
    """

    ids: np.ndarray
    points: np.ndarray
    axes: np.ndarray  # (n, 3, 3): columns are the displacement axes of each grid in basic coordinates
    rows: np.ndarray
    sets: dict[str, np.ndarray]

    def rows_of(self, size: int, name: str) -> np.ndarray:
        """Ids and components of the rows of a matrix with `size` of them: the first set that is as large."""
        for kept in self.sets.values():
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


def read_grids(path: Path, superelement: int | None) -> Grids:
    """The grid points of a file."""
    nastran = nastran_tools()
    kept: dict[str, np.ndarray] = {}
    scalars = np.zeros(0, dtype=int)
    try:
        if path.suffix.lower() == ".op2":
            uset = _op2_table(nastran, path, superelement)
        elif path.suffix.lower() == ".asm":
            uset, _, _, *more = nastran.asm2uset(str(path), try_rdextrn="pv_only")
            kept = {"a": np.asarray(more[0], dtype=bool)} if more else {}
        else:
            uset, scalars = _bulk_table(nastran, path)
            kept = _bulk_sets(nastran, path, uset)
    except ModelError:
        raise
    except (Exception, SystemExit) as e:  # pyyeti raises whatever its parsing trips over
        raise ModelError(f"{path} cannot be read as Nastran's geometry: {_why(e, path)}") from e
    if uset is None or not len(uset):
        raise ModelError(f"{path} has no grid points: give the file with the GRID entries")
    ids, components = (uset.index.get_level_values(k).to_numpy() for k in ("id", "dof"))
    first = np.flatnonzero(components == 1)
    rigid = nastran.rbgeom_uset(uset)
    # rows of rigid translations are a grid's displacement axes
    axes = np.stack([rigid[k : k + 3, :3].T for k in first]) if len(first) else np.zeros((0, 3, 3))
    places = uset.iloc[first, 1:].to_numpy(dtype=float)
    if not np.isfinite(places).all() or not np.isfinite(axes).all():
        raise ModelError(f"{path} has grid points at places that are not finite numbers: it is damaged, export it again")
    rows = np.column_stack([ids, components]).astype(int)
    sets = {"g": np.ones(len(rows), dtype=bool)}
    for word in SETS:
        sets[word] = kept[word] if word in kept else np.asarray(nastran.mksetpv(uset, "p", word), dtype=bool)
    if len(scalars):  # scalar points of bulk data stand among the grids, by their ids
        rows = np.vstack([rows, np.column_stack([scalars, np.zeros_like(scalars)])])
        order = np.argsort(rows[:, 0], kind="stable")
        rows = rows[order]
        sets = {word: np.concatenate([pv, np.ones(len(scalars), dtype=bool)])[order] for word, pv in sets.items()}
    return Grids(ids[first].astype(int), places, axes, rows, sets)


def expanded(values: Iterable[Any]) -> list[int]:
    """Grid ids of a list that may say "first THRU last"."""
    found: list[int] = []
    given = [v for v in values if v != ""]
    k = 0
    while k < len(given):
        if isinstance(given[k], str):
            if given[k].strip().upper() != "THRU" or not found or k + 1 == len(given):
                break  # an ALPHA or the like ends the list
            found += range(found[-1] + 1, int(given[k + 1]) + 1)
            k += 2
            continue
        if isinstance(given[k], float) and given[k] != int(given[k]):
            break  # a coefficient of thermal expansion
        found.append(int(given[k]))
        k += 1
    return found


def _why(e: BaseException, path: Path) -> str:
    text = " ".join(f"{type(e).__name__}: {e}".split())[:200]
    if isinstance(e, KeyError) and "uset" in text:
        return "it has no table of grid points: write them with PARAM,POST,-1 (BGPDT, EQEXIN, USET), or give the bulk data"
    if isinstance(e, FileNotFoundError):
        return f"an INCLUDE names a file that is not beside {path.name}: {e.filename}"
    return text


def _op2_table(nastran: Any, path: Path, superelement: int | None) -> Any:
    """The table of grid points in an op2 file: of pyyeti's own nas2cam output, or of PARAM,POST,-1."""
    with nastran.op2.OP2(str(path)) as file:
        if {"SELIST", "SLIST", "USETTAB", "USET0"} & set(file.dbnames):
            tables = file.rdn2cop2()["uset"]
            one = next(iter(tables)) if len(tables) == 1 else superelement
            if one not in tables:
                listed = ", ".join(map(str, sorted(tables)))
                if superelement is None:
                    raise ModelError(f"{path} has superelements {listed}: say which with superelement=")
                raise ModelError(f"{path} has no superelement {superelement}: there are {listed}")
            return tables[one]
        return file.rdparampost(get_mats=False, get_dr_tables=False)["uset"]


def _bulk_table(nastran: Any, path: Path) -> tuple[Any, np.ndarray]:
    """The table of the grid points of bulk data, and the ids of scalar points."""
    cards = lambda word: nastran.rdcards(str(path), word, return_var="list", blank="", regex=True) or []
    coords = nastran.rdcord2cards(str(path))
    defaults = (cards(r"grdset\*?[ ,]") or [[]])[0]
    default = lambda at: int(defaults[at] or 0) if len(defaults) > at else 0
    grids = []
    for card in cards(r"grid\*?[ ,]"):
        ident, system, x, y, z, axes = ([*card, *[""] * 6])[:6]
        place = [float(v) if v != "" else 0.0 for v in (x, y, z)]
        first, second = (default(at) if given == "" else int(given) for at, given in ((1, system), (5, axes)))
        grids.append((int(ident), first, place, second))
    if not grids:
        return None, np.zeros(0, dtype=int)
    grids.sort(key=lambda g: g[0])
    grids = list({g[0]: g for g in grids}.values())  # parts of a file for the assembly and for the superelement repeat them
    _add_cord1(nastran, cards(r"cord1[rcs]\*?[ ,]"), _cord1_kinds(path), grids, coords, path)
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
    ids, systems, places, axes = zip(*grids, strict=True)
    uset = nastran.addgrid(None, np.array(ids), "b", list(systems), np.array(places), list(axes), coords)
    found = nastran.rdspoints(str(path))
    return uset, np.zeros(0, dtype=int) if found is None else np.unique(np.asarray(found, dtype=int).ravel())


def _bulk_sets(nastran: Any, path: Path, uset: Any) -> dict[str, np.ndarray]:
    """The a-set, where ASET entries and their like say it."""
    cards = lambda word: nastran.rdcards(str(path), word, return_var="list", blank="", regex=True) or []
    kept: set[tuple[int, int]] = set()
    for components, *ids in cards(r"[abcq]set1\*?[ ,]"):
        kept |= {(g, int(c)) for g in expanded(ids) for c in str(components or 0)}
    for card in cards(r"[abcq]set\*?[ ,]"):
        for g, components in zip(card[::2], card[1::2], strict=False):
            kept |= {(int(g), int(c)) for c in str(components or 0)} if g != "" else set()
    if not kept or uset is None:
        return {}
    ids, components = (uset.index.get_level_values(k).tolist() for k in ("id", "dof"))
    return {"a": np.array([(g, c) in kept for g, c in zip(ids, components, strict=True)], dtype=bool)}


def _cord1_kinds(path: Path) -> list[int]:
    words = re.findall(r"^cord1([rcs])", path.read_text(errors="replace"), re.IGNORECASE | re.MULTILINE)
    return ["rcs".index(w.lower()) + 1 for w in words]


def _add_cord1(nastran: Any, cards: Any, kinds: list[int], grids: Any, coords: dict[int, Any], path: Path) -> None:
    """Adds coordinate systems that three grids define to those known."""
    if not cards:
        return
    if len(kinds) != len(cards):
        raise ModelError(f"{path}: CORD1x entries stand in included files: put them in the bulk data itself")
    located = [g for g in grids if g[1] == 0 or g[1] in coords]
    table = nastran.addgrid(None, [g[0] for g in located], "b", [g[1] for g in located], [g[2] for g in located], 0, coords)
    places = {g[0]: table.iloc[6 * k, 1:].to_numpy(dtype=float) for k, g in enumerate(located)}
    for card, kind in zip(cards, kinds, strict=True):
        numbers = [int(v) for v in card if v != ""]
        for ident, *three in (numbers[k : k + 4] for k in range(0, len(numbers), 4)):
            missing = [g for g in three if g not in places]
            if len(three) != 3 or missing:
                raise ModelError(f"{path}: coordinate system {ident} is defined by grids that are not located: {missing}")
            system = np.vstack([[ident, kind, 0], *(places[g] for g in three)])
            nastran.addgrid(None, 1, "b", 0, [0, 0, 0], system, coords)
