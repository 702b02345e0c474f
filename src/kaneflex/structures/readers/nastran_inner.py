"""Grid points inside a superelement whose motion its file tells: nodes to look at, and to attach sensors to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.structures.readers.bulk_data import BulkData
from kaneflex.structures.readers.matrix_files import MatrixFile, there
from kaneflex.structures.readers.nastran_grids import read_grids
from kaneflex.structures.readers.nastran_recovery import columns_of, row_table

MEMBERS = {"cbar": (2, 4), "cbeam": (2, 4), "crod": (2, 4), "ctube": (2, 4), "conrod": (1, 3), "plotel": (1, 3)}
FACES = {"ctria3": (2, 5), "ctriar": (2, 5), "cquad4": (2, 6), "cquadr": (2, 6), "cshear": (2, 6)}


@dataclass(frozen=True)
class InnerGrids:
    """Grid points inside: their ids, and what `from_craig_bampton` takes of them; `bulk` has the elements between them."""

    ids: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    given: dict[str, Any] = field(default_factory=dict)
    bulk: BulkData | None = None

    def lines(self, number: Mapping[int, int]) -> np.ndarray | None:
        """Pairs of nodes that members, and edges of plates, join; None where there are none.

        Args:
            number: of nodes, by grid id.
        """
        pairs: list[tuple[int, int]] = []
        for word, (first, last) in (MEMBERS | FACES).items():
            for card in self.bulk.entries(word) if self.bulk is not None else ():
                around = [int(g) for g in card[first:last]]
                closed = [*around, around[0]] if word in FACES else around
                pairs += [(number[a], number[b]) for a, b in pairwise(closed) if a in number and b in number]
        return np.array(pairs, dtype=int) if pairs else None


def inner_grids(
    read: MatrixFile, name: str, geometry: str | Path, rows: np.ndarray, to_file: sparse.csr_array, unit: float
) -> InnerGrids:
    """Inner grid points, with their places (m), and their displacements and rotations in basic axes per coordinate, (6k, n).

    Args:
        read: the matrices.
        name: of the matrix of displacements, e.g. "MUG1", over the rows of mass and stiffness.
        geometry: bulk data with the GRID entries of these points.
        rows: id and component of each row of mass and stiffness.
        to_file: what these rows are, in the file's units and axes, in terms of the coordinates asked for.
        unit: metres per unit of length.
    """
    matrix = read[name]
    listed, _ = row_table(matrix, name, read.path)
    if listed is None or len(listed) != matrix.shape[0]:
        raise ModelError(
            f"{name} does not tell its rows: put the .pch file with its table T{name[1:]} beside {read.path.name}, or give "
            "DMIG entries"
        )
    grids = read_grids(there(geometry), None)
    number = {int(g): k for k, g in enumerate(grids.ids)}
    boundary = set(rows[rows[:, 1] > 0, 0].tolist())
    ids = np.array([g for g in dict.fromkeys(listed[:, 0].tolist()) if g in number and g not in boundary], dtype=int)
    if not len(ids):
        raise ModelError(f"{name} has no rows of grid points of {geometry} inside: give the superelement's bulk data")
    at = {int(g): k for k, g in enumerate(ids)}
    moved = np.asarray((columns_of(matrix, name, rows) @ to_file).toarray())
    inner = np.zeros((len(ids), 2, 3, moved.shape[1]))
    for (grid, c), row in zip(listed.tolist(), moved, strict=True):
        if grid in at and c:
            inner[at[grid], (c - 1) // 3, (c - 1) % 3] = row
    own = [number[g] for g in ids.tolist()]
    inner = np.einsum("kab,ksbn->ksan", grids.axes[own], inner)
    inner[:, 0] *= unit
    moves = {"inner_points": unit * grids.points[own], "inner": inner.reshape(6 * len(ids), -1)}
    return InnerGrids(ids, moves, grids.bulk)
