"""Grid points and sets in Nastran's op2 files: tables of pyyeti's nas2cam, of PARAM,POST,-1, or entries in GEOM1 to 4."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.structures.readers.nastran_library import chosen

# record headers of GEOM2 and GEOM4: bulk entries, their first two numbers
SPOINT = (5551, 49)
PAIRED = {(5561, 76), (110, 1), (310, 3), (510, 5)}  # ASET, BSET, CSET, QSET: id, components
LISTED = {(5571, 77), (210, 2), (410, 4), (610, 6)}  # ASET1, BSET1, CSET1, QSET1: components, 0, ids, -1 or 1, first, last
OF_MODES = {(510, 5), (610, 6)}  # QSET, QSET1
GridEntry = tuple[int, int, list[float], int]  # id, CP, place, CD


class Op2Grids(NamedTuple):
    """What an op2 file tells of grid points: the table of them; ids of scalar points that it leaves out; the a-set as (id,
    component) where told, and the q-set, of modal coordinates, likewise."""

    table: Any
    scalars: np.ndarray
    retained: set[tuple[int, int]]
    modal: set[tuple[int, int]]


def superelements(file: Any, path: Path) -> list[int]:
    """Ids of the superelements whose tables a PARAM,POST,-1 file has, in the order of the file; [0] where there is one."""
    return list(_tables(file, path)["geom1"]) or [0]


def op2_table(
    file: Any, path: Path, superelement: int | None, table: Callable[[list[GridEntry], Any], Any]
) -> Op2Grids:
    """Grid points and sets of one superelement.

    Args:
        file: pyyeti's OP2, open.
        path: of it, for messages.
        superelement: which of several.
        table: makes the table of GRID entries and coordinate systems.
    """
    nobody = np.zeros(0, dtype=int)
    if {"SELIST", "SLIST", "USETTAB", "USET0"} & set(file.dbnames):  # pyyeti's own nas2cam output
        tables = file.rdn2cop2()["uset"]
        return Op2Grids(tables[chosen(list(tables), superelement, path)], nobody, set(), set())
    read = _tables(file, path)
    if not read["geom1"]:
        raise KeyError("uset")
    which = chosen(list(read["geom1"]), superelement, path)
    geom1, part = read["geom1"][which], list(read["geom1"]).index(which)
    kept = {(int(g), int(c)) for g, cs in geom1.get("extrn", ()) if g > 0 for c in str(int(cs))}
    entries = _entries(file, "GEOM4", part)
    kept |= _retained(entries)
    modal = _retained([(head, numbers) for head, numbers in entries if head in OF_MODES])
    if which == 0 and "uset" in read:
        return Op2Grids(read["uset"], nobody, kept, modal)
    if "grid" not in geom1:
        raise KeyError("uset")
    grids = [(int(g[0]), int(g[1]), [float(x) for x in g[2:5]], int(g[5])) for g in geom1["grid"]]
    scalars = [rest for head, rest in _entries(file, "GEOM2", part) if head == SPOINT]
    return Op2Grids(table(grids, geom1["cords"]), np.unique(np.concatenate([nobody, *scalars])), kept, modal)


def _tables(file: Any, path: Path) -> Any:
    geometry = [name for name in ("GEOM1S", "GEOM1") if name in file.dbdct][:1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tables that are not there
        read = file.rdparampost(get_mats=False, get_dr_tables=False)
    count = len(file.dbdct[geometry[0]]) if geometry else 0
    if count > 1 and count != len(read["geom1"]):
        raise ModelError(
            f"{path} has {count} tables {geometry[0]} and does not say whose they are: write each superelement to a file of "
            "its own, or give its .asm file as the geometry"
        )
    return read


def _entries(file: Any, name: str, part: int) -> list[tuple[tuple[int, int], np.ndarray]]:
    """Records of the table that belongs to the part-th GEOM1, as (header, numbers)."""
    starts = [b.start for b in file.dblist if b.name in ("GEOM1S", "GEOM1")]
    start = starts[part] if part < len(starts) else 0
    stop = starts[part + 1] if part + 1 < len(starts) else np.inf
    for block in file.dblist:
        if block.name in (name, name + "S") and start <= block.start < stop:
            file.set_position(block.start)
            file.rdop2nt()
            records: list[np.ndarray] = []
            while not file.near_db_end() and len(records) < len(block.headers):
                records.append(file.rdop2record())
            return [((int(r[0]), int(r[1])), r[3:].astype(int)) for r in records]
    return []


def _retained(entries: Sequence[tuple[tuple[int, int], np.ndarray]]) -> set[tuple[int, int]]:
    """What ASET, BSET, CSET, QSET entries and their like name, (id, component); 0 stands for a scalar point."""
    kept: set[tuple[int, int]] = set()
    for head, numbers in entries:
        if head in PAIRED:
            kept |= {(int(g), int(c)) for g, cs in numbers.reshape(-1, 2) for c in str(cs)}
        elif head in LISTED:
            rest = numbers.tolist()
            while len(rest) > 2:
                components, through, *rest = rest
                end = 2 if through else rest.index(-1) if -1 in rest else len(rest)
                ids = range(rest[0], rest[1] + 1) if through else rest[:end]
                kept |= {(g, int(c)) for g in ids for c in str(components)}
                rest = rest[end if through else end + 1 :]
    return kept
