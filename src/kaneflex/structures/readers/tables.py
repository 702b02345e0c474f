"""Structures from NumPy's and MATLAB's files: mass, stiffness, places of nodes and a table of degrees of freedom."""

from pathlib import Path

import numpy as np

from kaneflex.model.checks import ModelError, array, positive
from kaneflex.model.typed import typed
from kaneflex.structures.craig_bampton import from_craig_bampton
from kaneflex.structures.readers.matrix_files import MatrixFile, rounding_of
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
    unit, scale = positive(length_unit, "length_unit"), positive(mass_unit, "mass_unit")
    M, K = read[mass].values, read[stiffness].values
    table = np.asarray(read[nodes].values, dtype=float)
    places = array(table, (len(table), 4), f'"{nodes}" of {read.path}')
    rows = np.asarray(array(np.asarray(read[dofs].values), (M.shape[0], 2), f'"{dofs}" of {read.path}'), dtype=int)
    number = {int(g): k for k, g in enumerate(places[:, 0])}
    strange = [int(g) for g, c in rows if c and int(g) not in number]
    if strange:
        raise ModelError(f'{read.path}: "{dofs}" names node {strange[0]}, which is not among its "{nodes}"')
    by_unit = np.where((rows[:, 1] >= 1) & (rows[:, 1] <= 3), 1.0, unit)
    dense = (A.toarray() if hasattr(A, "toarray") else np.asarray(A) for A in (M, K))
    first, second = (scale * (by_unit[:, None] * A * by_unit) for A in dense)
    where = np.array([(number[int(g)] if c else 0, int(c)) for g, c in rows])
    names = {str(g): k for g, k in number.items()}
    return from_craig_bampton(first, second, unit * places[:, 1:], where, names, rounding=rounding_of(M, K))
