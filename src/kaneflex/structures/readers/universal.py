"""Universal files (.unv, .uff): nodes, elements, units and mode shapes, read by pyuff."""

from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.extras import optional
from kaneflex.model.typed import typed
from kaneflex.structures.readers.matrix_files import there
from kaneflex.structures.structure import Structure

# fe descriptors of dataset 2412: kind, and which of its nodes are corners
CELLS = {
    11: ("line", (0, 1)), 21: ("line", (0, 1)), 22: ("line", (0, 2)), 24: ("line", (0, 2)),
    41: ("triangle", (0, 1, 2)), 91: ("triangle", (0, 1, 2)), 42: ("triangle", (0, 2, 4)), 92: ("triangle", (0, 2, 4)),
    44: ("quad", (0, 1, 2, 3)), 94: ("quad", (0, 1, 2, 3)), 45: ("quad", (0, 2, 4, 6)), 95: ("quad", (0, 2, 4, 6)),
    111: ("tetra", (0, 1, 2, 3)), 112: ("wedge", (0, 1, 2, 3, 4, 5)), 115: ("hexahedron", tuple(range(8))),
}  # fmt: skip
NORMAL_MODE, DISPLACEMENT = 2, 8


def universal(path: Path) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray], float | None]:
    """Node ids, places, cells by kind (node ids), and metres per unit of length where dataset 164 tells it."""
    sets = _sets(path)
    nodes = [s for s in sets if s.get("type") in (15, 2411)]
    if not nodes:
        raise ModelError(f"{path} has no nodes (datasets 15 or 2411): export the mesh with them")
    ids = np.concatenate([np.asarray(s["node_nums"], dtype=int) for s in nodes])
    points = np.concatenate([np.column_stack([s["x"], s["y"], s["z"]]).astype(float) for s in nodes])
    cells: dict[str, list[list[int]]] = {}
    for elements in (s for s in sets if s.get("type") == 2412):
        for number, own in elements.items():
            if isinstance(number, int) and number not in CELLS:
                raise ModelError(f"{path}: elements with fe descriptor {number} are not known here: leave them out")
            for element in own if isinstance(number, int) else ():
                kind, corners = CELLS[number]
                cells.setdefault(kind, []).append([element["nodes_nums"][k] for k in corners])
    units = [s for s in sets if s.get("type") == 164]
    length = 1 / float(units[-1]["length"]) if units and units[-1].get("length") else None
    return ids, points, {k: np.array(v, dtype=int) for k, v in cells.items()}, length


@typed
def shapes_from_universal(path: str | Path, structure: Structure) -> tuple[np.ndarray, np.ndarray]:
    """Mode shapes of a Universal file (dataset 55, normal modes, real), for `component_modes(structure, root, shapes)`.

    Args:
        path: the file.
        structure: whose nodes are named by their numbers in the file.

    Returns:
        Frequencies, Hz, (m,), and shapes over all dofs of the structure, (6n, m); nodes that the file leaves out rest.
    """
    modes = [s for s in _sets(there(path)) if s.get("type") == 55 and s.get("analysis_type") == NORMAL_MODE]
    modes = [s for s in modes if s.get("spec_data_type") == DISPLACEMENT and s.get("data_type") == 2]
    if not modes:
        raise ModelError(f"{path} has no normal modes (dataset 55, real displacements): export mode shapes")
    shapes = np.zeros((structure.size, len(modes)))
    for j, mode in enumerate(modes):
        for k, ident in enumerate(np.asarray(mode["node_nums"], dtype=int).tolist()):
            if str(ident) not in structure.names:
                raise ModelError(f"{path}: mode {j + 1} has node {ident}, which the structure does not name: give its mesh")
            values = [mode[f"r{c}"][k] for c in range(1, 1 + int(mode["n_data_per_node"]))]
            at = 6 * structure.names[str(ident)]
            shapes[at : at + len(values), j] = values
    return np.array([float(mode["freq"]) for mode in modes]), shapes


def _sets(path: Path) -> list[Any]:
    library = optional("pyuff", "reading Universal files needs pyuff", "mesh")
    try:
        found = library.UFF(str(path)).read_sets()
    except Exception as e:  # the library raises whatever its parsing trips over
        raise ModelError(
            f"{path} cannot be read as a Universal file: {type(e).__name__}: {str(e)[:150]}; elements of more than eight "
            "nodes (quadratic solids) are not read: export linear ones"
        ) from e
    return found if isinstance(found, list) else [found]
