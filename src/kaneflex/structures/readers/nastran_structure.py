"""A structure that remembers the coordinates of Nastran's files that it was read from."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from kaneflex.structures.soundness import Finding, Report, check
from kaneflex.structures.structure import Structure


class NastranStructure(Structure):
    """A structure read from Nastran's files; `report` says in plain words what was read and whether it is sound.

    Args:
        base: the structure as it was put together.
        notes: findings of the import, which come first in the report.
        to_file: (rows, all dofs): coordinates of the file's matrices, in its units and axes, from those of the structure.
        rows: id and component of each of these coordinates, (rows, 2).
    """

    def __init__(self, base: Structure, notes: Sequence[Finding], to_file: sparse.csr_array, rows: np.ndarray) -> None:
        super().__init__(base.points, base.names, base.elements, base.links, base.hidden, base.dependent)
        self.to_file, self.rows = to_file, rows
        numbers = {str(g) for g in rows[rows[:, 1] > 0, 0].tolist()}
        self._given = tuple(name for name in base.names if name not in numbers)
        self.report = Report((*notes, *check(self).findings))

    @property
    def given_names(self) -> tuple[str, ...]:
        """Names of nodes other than their grid ids."""
        return self._given
