"""Structures from ANSYS: text matrices (Harwell-Boeing, MatrixMarket) with .mapping; nodes and cells of .cdb files."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.model.extras import optional
from kaneflex.model.typed import typed
from kaneflex.structures.readers.labelled import from_labelled, symmetric
from kaneflex.structures.readers.matrix_files import there
from kaneflex.structures.structure import Structure

COMPONENTS = {"UX": 1, "UY": 2, "UZ": 3, "ROTX": 4, "ROTY": 5, "ROTZ": 6}


@typed
def from_ansys(
    mass: str | Path, stiffness: str | Path, mapping: str | Path, mesh: str | Path, names: Mapping[str, int] | None = None,
    length_unit: float = 1.0, mass_unit: float = 1.0,
) -> Structure:  # fmt: skip
    """A structure from ANSYS matrices of the free body.

    Args:
        mass, stiffness: text files of HBMAT,...,ASCII,MASS (STIFF) with no right-hand side, or MatrixMarket (.mmf).
        mapping: the .mapping file of HBMAT: equation, node and dof in each line.
        mesh: the .cdb file of CDWRITE, for the places of nodes.
        names: more names, name -> node number.
        length_unit: metres per unit of length, e.g. 1e-3 for mm.
        mass_unit: kilograms per unit of mass, e.g. 1e3 for t; seconds are seconds.
    """
    rows = _mapping(there(mapping))
    M, K = (text_matrix(there(p)) for p in (mass, stiffness))
    for A, path in ((M, mass), (K, stiffness)):
        if A.shape != (len(rows), len(rows)):
            raise ModelError(f"{path} is {A.shape[0]} by {A.shape[1]}, the mapping has {len(rows)} rows: they do not match")
    ids, points = cdb(there(mesh), with_cells=False)[:2]
    places = dict(zip(ids.tolist(), points.tolist(), strict=True))
    return from_labelled(M, K, rows, places, Path(mesh).name, names, length_unit, mass_unit)


def text_matrix(path: Path) -> sparse.csr_array:
    """A symmetric matrix from a Harwell-Boeing or MatrixMarket text."""
    from scipy.io import hb_read

    with open(path, errors="replace") as file:
        text = file.read()
    try:
        if text.startswith("%%MatrixMarket"):
            return _matrix_market(text)
        lines = text.split("\n", 3)
        if lines[2][:2].upper() != "RS":
            return sparse.csr_array(hb_read(io.StringIO(text), spmatrix=False))
        lines[2] = "RUA" + lines[2][3:]  # SciPy reads no symmetric ones: a triangle is a matrix too
        return symmetric(hb_read(io.StringIO("\n".join(lines)), spmatrix=False))
    except Exception as e:  # the parsers raise whatever they trip over
        raise ModelError(
            f"{path} cannot be read as a Harwell-Boeing or MatrixMarket matrix: {type(e).__name__}: {str(e)[:150]}; export "
            "it with HBMAT,name,ext,,ASCII,MASS,NO,YES (no right-hand side, with mapping)"
        ) from e


def _matrix_market(text: str) -> sparse.csr_array:
    """Entries of a MatrixMarket text, row, column and value in each line; SciPy's reader crashes on damaged ones."""
    head, _, rest = text.partition("\n")
    kind = head.lower().split()
    if kind[1:4] != ["matrix", "coordinate", "real"] or kind[4:] not in (["symmetric"], ["general"]):
        raise ValueError(f"{head!r} is no real matrix by coordinates, symmetric or general")
    entries = np.loadtxt(io.StringIO(rest), comments="%", ndmin=2)
    (rows, columns, count), entries = entries[0].astype(int), entries[1:]
    at = entries[:, :2].astype(int) - 1
    if rows != columns or rows > len(text) or count != len(entries) or at.min(initial=0) < 0 or at.max(initial=-1) >= rows:
        raise ValueError(f"{len(entries)} entries of {count}, or one outside of {rows} by {columns}")
    A = sparse.coo_array((entries[:, 2], (at[:, 0], at[:, 1])), shape=(rows, columns))
    return symmetric(A) if kind[4] == "symmetric" else sparse.csr_array(A)


def _mapping(path: Path) -> np.ndarray:
    rows: list[tuple[int, int]] = []
    for line in path.read_text(errors="replace").splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[0].isdigit():
            if fields[2].upper() not in COMPONENTS or not fields[1].isdigit() or int(fields[0]) != len(rows) + 1:
                raise ModelError(f"{path}: line {line!r} is no equation in order, node and one of {', '.join(COMPONENTS)}")
            rows.append((int(fields[1]), COMPONENTS[fields[2].upper()]))
    if not rows:
        raise ModelError(f"{path} has no lines of equation, node and dof: it is the .mapping file of HBMAT?")
    return np.array(rows, dtype=int)


def cdb(
    path: Path, with_cells: bool = True
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Node ids, places, cells by kind (node ids), and sets of nodes of a .cdb file."""
    library = optional("mapdl_archive", "reading ANSYS's .cdb files needs mapdl-archive", "mesh")
    try:
        read: Any = library.Archive(str(path), parse_vtk=False, read_eblock=with_cells)
        ids, points = np.asarray(read.nnum, dtype=int), np.asarray(read.nodes, dtype=float)[:, :3]
        cells: dict[str, list[list[int]]] = {}
        types = {int(k): int(number) for k, number in np.asarray(read.ekey).reshape(-1, 2).tolist()} if with_cells else {}
        for element in read.elem if with_cells else ():
            kind, nodes = cell_of(types.get(int(element[1]), 0), [int(g) for g in element[10:] if g > 0])
            if kind:
                cells.setdefault(kind, []).append(nodes)
        sets = {name: np.asarray(own, dtype=int) for name, own in read.node_components.items()}
    except Exception as e:  # the library raises whatever its parsing trips over
        raise ModelError(f"{path} cannot be read as ANSYS's .cdb file: {type(e).__name__}: {str(e)[:150]}") from e
    if not len(ids):
        raise ModelError(f"{path} has no NBLOCK with nodes: write it with CDWRITE,DB")
    return ids, points, {k: np.array(v, dtype=int) for k, v in cells.items()}, sets


def cell_of(element: int, nodes: list[int]) -> tuple[str, list[int]]:
    """Kind and corners of an ANSYS element by its number; degenerate ones repeat nodes."""
    different = list(dict.fromkeys(nodes))
    if element in (3, 4, 180, 188, 189):
        return "line", nodes[:2]
    if element in (63, 93, 181, 281):
        corners = list(dict.fromkeys(nodes[:4]))
        return {3: "triangle", 4: "quad"}.get(len(corners), ""), corners
    if element in (92, 187, 285):
        return "tetra", nodes[:4]
    if element in (45, 95, 185, 186):
        corners = list(dict.fromkeys(nodes[:8]))
        kind = {4: "tetra", 5: "pyramid", 6: "wedge", 8: "hexahedron"}.get(len(corners), "")
        return kind, corners
    return "", different
