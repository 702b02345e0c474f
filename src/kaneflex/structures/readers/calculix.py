"""Structures from CalculiX: the matrices that *FREQUENCY, SOLVER=MATRIXSTORAGE writes, and the nodes of the deck."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.readers.deck_nodes import deck_nodes
from kaneflex.structures.readers.labelled import from_labelled, symmetric
from kaneflex.structures.readers.matrix_files import MOST, there
from kaneflex.structures.structure import Structure


@typed
def from_calculix(
    deck: str | Path, names: Mapping[str, int] | None = None, length_unit: float = 1.0, mass_unit: float = 1.0
) -> Structure:
    """A structure from a CalculiX run of the free body with *FREQUENCY, SOLVER=MATRIXSTORAGE.

    Beside the deck, job.inp, lie job.sti, job.mas (entries of one triangle: row, column, value) and job.dof (node.component
    of each row). Nodes of solids have no rotations: `linked` makes a root of some. Nodes are named by their numbers.

    Args:
        deck: the .inp file.
        names: more names, name -> node number of the deck.
        length_unit: metres per unit of length of the deck, e.g. 1e-3 for mm.
        mass_unit: kilograms per unit of mass, e.g. 1e3 for t; seconds are seconds.
    """
    path = there(deck)
    for suffix in (".sti", ".mas", ".dof"):
        if not path.with_suffix(suffix).is_file():
            raise ModelError(
                f"{path.with_suffix(suffix)} is not beside {path.name}: run CalculiX with *FREQUENCY, SOLVER=MATRIXSTORAGE"
            )
    dofs = _dofs(path.with_suffix(".dof"))
    K, M = (_matrix(path.with_suffix(suffix), len(dofs)) for suffix in (".sti", ".mas"))
    places = deck_nodes(path)
    lost = [k for k in dofs[:, 0].tolist() if k not in places]
    if lost:
        raise ModelError(
            f"{path}: node {lost[0]} of the matrices is not in the deck: CalculiX expands beams and shells to solids with "
            "nodes of their own; give solids"
        )
    return from_labelled(M, K, dofs, places, path.stem, names, length_unit, mass_unit)


def _dofs(path: Path) -> np.ndarray:
    try:
        rows = [tuple(map(int, line.split("."))) for line in path.read_text().split()]
        found = np.array(rows, dtype=int).reshape(-1, 2)
    except ValueError as e:
        raise ModelError(f"{path} is no list of dofs, node.component in each line: {e}") from e
    if not len(found) or found[:, 1].min() < 1 or found[:, 1].max() > 6:
        raise ModelError(f"{path} has rows that are no displacements or rotations: leave out fluids and temperatures")
    return found


def _matrix(path: Path, size: int) -> sparse.csr_array:
    """A symmetric matrix from one of its triangles."""
    try:
        entries = np.loadtxt(path, ndmin=2)
        row, column = (entries[:, k].astype(int) - 1 for k in (0, 1))
        inside = (row >= 0) & (row < size) & (column >= 0) & (column < size)
        if not inside.all() or size > MOST:
            raise ValueError(f"row {int(np.flatnonzero(~inside)[0]) + 1} is outside of the {size} dofs")
    except (ValueError, IndexError) as e:
        raise ModelError(f"{path} cannot be read as rows, columns and values: {e}") from e
    return symmetric(sparse.coo_array((entries[:, 2], (row, column)), shape=(size, size)))
