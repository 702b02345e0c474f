"""Structures from meshes: cells of a file become beams, shells and solids of this package's own elements."""

import contextlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError, Vector, positive
from kaneflex.model.extras import optional
from kaneflex.model.typed import typed
from kaneflex.structures.elements.tetrahedron import EDGES
from kaneflex.structures.framework import Framework
from kaneflex.structures.readers.ansys import cdb
from kaneflex.structures.readers.deck_nodes import deck_nodes
from kaneflex.structures.readers.matrix_files import there
from kaneflex.structures.readers.universal import universal
from kaneflex.structures.section import Section
from kaneflex.structures.solid import quadratic
from kaneflex.structures.structure import Structure

FACES = {
    "hexahedron": ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
    "wedge": ((0, 1, 2), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    "pyramid": ((0, 1, 2, 3), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
}
CORNERS = {"line": 2, "triangle": 3, "quad": 4, "tetra": 4, "hexahedron": 8, "wedge": 6, "pyramid": 5}
ORDERS = {"line3": "line", "triangle6": "triangle", "quad8": "quad", "quad9": "quad", "tetra10": "tetra",
          "hexahedron20": "hexahedron", "hexahedron27": "hexahedron", "wedge15": "wedge",
          "pyramid13": "pyramid"}  # fmt: skip


@dataclass(frozen=True)
class Mesh:
    """Nodes with their numbers, cells by kind (places in `points`, corners only), sets of nodes, metres per unit if told."""

    ids: np.ndarray
    points: Vector
    cells: dict[str, np.ndarray]
    sets: dict[str, np.ndarray]
    length_unit: float | None = None


@typed
def from_mesh(
    path: str | Path, E: float, nu: float, density: float, thickness: float | None = None, section: Section | None = None,
    links: Mapping[str, Any] | None = None, length_unit: float | None = None,
) -> Structure:  # fmt: skip
    """A structure of one material from a mesh: lines are beams, triangles and quadrilaterals shells, the rest solids.

    Solids are of quadratic tetrahedra with straight edges: nodes in the middles of edges are made anew, and hexahedra,
    wedges and pyramids are divided about their centres and those of their faces. Where a file has solids, its faces and
    lines are left out (they are boundaries), unless thickness or section ask for them. Nodes are named by their numbers.

    Args:
        path: any file that meshio reads (.msh, .vtk, .vtu, .inp, .med, .xdmf, ...), ANSYS's .cdb, Universal .unv.
        E: Young's modulus, Pa.
        nu: Poisson's ratio.
        density: kg/m^3.
        thickness: of shells, m.
        section: of beams.
        links: name -> nodes (their numbers, or the name of a set in the file) that follow a new node rigidly: roots and
            interfaces of solids, whose nodes have no rotations.
        length_unit: metres per unit of length of the file; None: as the file tells, else 1.
    """
    mesh = read_mesh(there(path))
    unit = length_unit if length_unit is not None else mesh.length_unit if mesh.length_unit is not None else 1.0
    cells, points = dict(mesh.cells), positive(unit, "length_unit") * mesh.points
    solid = [kind for kind in cells if kind in FACES or kind == "tetra"]
    for kind, needs, what in (("line", section, "section"), ("triangle", thickness, "thickness"),
                              ("quad", thickness, "thickness")):  # fmt: skip
        if kind in cells and needs is None:
            if not solid and not (kind == "line" and thickness is not None):
                raise ModelError(f"{path} has {len(cells[kind])} cells of kind {kind}: give {what}=")
            del cells[kind]
    if not cells:
        raise ModelError(f"{path} has no cells to make elements of: there are {', '.join(mesh.cells) or 'none'}")
    frame, grown = _frame(mesh, points, cells, E, nu, density, thickness, section)
    for name, which in (links or {}).items():
        own = _members(mesh, which, path)
        frame = frame.linked(name, [k for k, needs in grown.items() if needs <= own])
    return frame


def _frame(mesh: Mesh, points: Vector, cells: dict[str, np.ndarray], E: float, nu: float, density: float,
           thickness: float | None, section: Section | None) -> tuple[Structure, dict[int, frozenset[int]]]:  # fmt: skip
    """The structure, and for each of its nodes the nodes of the mesh whose membership in a set decides on its own."""
    used = np.unique(np.concatenate([own.ravel() for own in cells.values()]))
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    cells = {kind: number[own] for kind, own in cells.items()}
    points, grown = points[used], {k: frozenset([int(mesh.ids[at])]) for k, at in enumerate(used.tolist())}
    names = {str(mesh.ids[at]): k for k, at in enumerate(used.tolist())}
    tetrahedra = [cells.pop("tetra")] if "tetra" in cells else []
    centres: dict[tuple[int, ...], int] = {}
    for kind in FACES:
        if kind in cells:
            points, more = _divided(points, cells.pop(kind), FACES[kind], grown, centres)
            tetrahedra.append(more)
    solids = []
    if tetrahedra:
        points, group = quadratic(points, np.concatenate(tetrahedra), E, nu, density)
        for k, (a, b) in enumerate(EDGES):
            for first, second, middle in group.nodes[:, [a, b, 4 + k]].tolist():
                grown[middle] = grown[first] | grown[second]
        solids = [group]
    frame = Framework()
    for p in points:
        frame.node(None, p)
    for start, end in cells.get("line", np.zeros((0, 2), int)).tolist():
        assert section is not None
        frame.beam(start, end, section)
    for kind in ("triangle", "quad"):
        if kind in cells and thickness is not None:
            frame.shell(cells[kind].tolist(), thickness, E, nu, density, kind)
    points, _, groups, _ = frame.parts()
    return Structure(points, names, [*groups, *solids]), grown


def _divided(
    points: Vector, cells: np.ndarray, faces: Sequence[tuple[int, ...]], grown: dict[int, frozenset[int]],
    centres: dict[tuple[int, ...], int],
) -> tuple[Vector, np.ndarray]:  # fmt: skip
    """Tetrahedra from the centre of each cell to its triangles, and to those about the centres of its quadrilaterals, which
    neighbours share."""
    found, new = [], list(points)

    def centre(corners: Sequence[int]) -> int:
        key = tuple(sorted(corners))
        if key not in centres:
            centres[key] = len(new)
            grown[len(new)] = frozenset().union(*(grown[c] for c in corners))
            new.append(points[list(corners)].mean(axis=0))
        return centres[key]

    for cell in cells.tolist():
        middle = centre(cell)
        for face in faces:
            own = [cell[k] for k in face]
            if len(own) == 3:
                found.append([*own, middle])
            else:
                top = centre(own)
                found += [[own[k], own[(k + 1) % 4], top, middle] for k in range(4)]
    return np.array(new), np.array(found, dtype=int)


def _members(mesh: Mesh, which: Any, path: Any) -> frozenset[int]:
    if isinstance(which, str):
        if which not in mesh.sets:
            raise ModelError(f'{path} has no set of nodes "{which}": there are {", ".join(mesh.sets) or "none"}')
        return frozenset(mesh.sets[which].tolist())
    return frozenset(int(k) for k in which)


def read_mesh(path: Path) -> Mesh:
    """The mesh of a file, by its ending."""
    ending, unit = path.suffix.lower(), None
    sets: dict[str, np.ndarray] = {}
    if ending == ".cdb":
        ids, points, cells, sets = cdb(path)
    elif ending in (".unv", ".uff"):
        ids, points, cells, unit = universal(path)
    else:
        return _by_meshio(path)
    at = {int(g): k for k, g in enumerate(ids.tolist())}
    strange = [g for own in cells.values() for g in own.ravel().tolist() if g not in at]
    if strange:
        raise ModelError(f"{path}: an element names node {strange[0]}, which has no place: the file is damaged")
    numbered = {kind: np.vectorize(at.__getitem__, otypes=[int])(own) for kind, own in cells.items()}
    return Mesh(ids, points, numbered, sets, unit)


def _by_meshio(path: Path) -> Mesh:
    meshio = optional("meshio", "reading meshes needs meshio", "mesh")
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            # of the two kinds of .msh files Gmsh's is meant
            return _as_mesh(meshio.read(path, "gmsh" if path.suffix.lower() == ".msh" else None), path)
    except ModelError:
        raise
    except (Exception, SystemExit) as e:  # the library raises whatever its parsing trips over, or makes arrays that are none
        raise ModelError(f"{path} cannot be read as a mesh: {type(e).__name__}: {str(e)[:150]}") from e


def _as_mesh(read: Any, path: Path) -> Mesh:
    """What meshio read, with corners alone."""
    points = np.atleast_2d(np.asarray(read.points, dtype=float))
    points = np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))])
    if not np.isfinite(points).all():
        raise ModelError(f"{path} has nodes at places that are not finite numbers: it is damaged")
    cells: dict[str, list[np.ndarray]] = {}
    for block in read.cells:
        kind = ORDERS.get(block.type, block.type)
        if kind in CORNERS and len(block.data):
            cells.setdefault(kind, []).append(np.asarray(block.data, dtype=int)[:, : CORNERS[kind]])
        elif kind != "vertex" and len(block.data):
            raise ModelError(f"{path}: cells of kind {block.type} are not known here: give lines, triangles, solids")
    whole = {kind: np.concatenate(own) for kind, own in cells.items()}
    fits = lambda kind, own: own.shape[1] == CORNERS[kind] and own.min() >= 0 and own.max() < len(points)
    wrong = [kind for kind, own in whole.items() if not fits(kind, own)]
    if wrong:
        raise ModelError(f"{path}: a cell of kind {wrong[0]} names a node that is not there: the file is damaged")
    deck = list(deck_nodes(path)) if path.suffix.lower() == ".inp" else []  # meshio forgets the numbers of nodes
    ids = np.array(deck) if len(deck) == len(points) else np.arange(1, len(points) + 1)
    sets = {name: ids[np.asarray(own, dtype=int)] for name, own in (read.point_sets or {}).items()}
    for name, blocks in (read.cell_sets_dict or {}).items():
        nodes = [read.cells_dict[kind][own].ravel() for kind, own in blocks.items()]
        sets.setdefault(name, ids[np.unique(np.concatenate(nodes))] if nodes else ids[:0])
    return Mesh(ids, points, whole, sets)
