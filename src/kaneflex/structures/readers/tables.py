"""Structures from NumPy's and MATLAB's files: mass, stiffness, places of nodes and a table of degrees of freedom."""

from pathlib import Path

import numpy as np

from kaneflex.model.checks import ModelError, array
from kaneflex.model.typed import typed
from kaneflex.structures.readers.labelled import from_labelled
from kaneflex.structures.readers.matrix_files import MatrixFile
from kaneflex.structures.structure import Structure


@typed
def from_tables(
    path: str | Path, mass: str = "M", stiffness: str = "K", nodes: str = "nodes", dofs: str = "dofs",
    length_unit: float = 1.0, mass_unit: float = 1.0,
) -> Structure:  # fmt: skip
    """A structure, full or reduced, from arrays in an .npz or .mat file.

    Args:
        path: the file.
        mass, stiffness: names of the matrices.
        nodes: name of the table of nodes: id, x, y, z in each row.
        dofs: name of the table of rows: id and component, 1 to 6, or 0 for a modal coordinate.
        length_unit: metres per unit of length.
        mass_unit: kilograms per unit of mass; seconds are seconds.
    """
    read = MatrixFile(path)
    M, K = read[mass].values, read[stiffness].values
    table = np.asarray(read[nodes].values, dtype=float)
    places = array(table, (len(table), 4), f'"{nodes}" of {read.path}')
    rows = np.asarray(array(np.asarray(read[dofs].values), (M.shape[0], 2), f'"{dofs}" of {read.path}'), dtype=int)
    by_id = {int(g): place for g, *place in places.tolist()}
    strange = [int(g) for g, c in rows.tolist() if c and int(g) not in by_id]
    if strange:
        raise ModelError(f'{read.path}: "{dofs}" names node {strange[0]}, which is not among its "{nodes}"')
    return from_labelled(M, K, rows, by_id, str(read.path), None, length_unit, mass_unit)
