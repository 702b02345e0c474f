"""Recovery rows (OTM, LTM, DTM) from Nastran's files, by label."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.readers.matrix_files import MatrixFile, NamedMatrix, nastran_tools, there
from kaneflex.structures.readers.nastran import NastranStructure
from kaneflex.structures.recovery import Recovery

COMPONENTS = ("S", "T1", "T2", "T3", "R1", "R2", "R3")


@typed
def recovery_from_nastran(
    structure: NastranStructure,
    matrices: str | Path,
    displacement: str | None = None,
    acceleration: str | None = None,
    labels: Sequence[str] | None = None,
    table: tuple[str | Path, str] | None = None,
    mode_acceleration: bool = True,
    unit: str = "",
    superelement: int | None = None,
) -> Recovery:
    """Recovery rows whose columns are the coordinates of a structure read by `from_nastran`, in the units of the file.

    Args:
        structure: what the rows belong to.
        matrices: file with them: op4, op2, DMIG entries (.pch), HDF5.
        displacement: name of the matrix of displacements, e.g. "MUG1" (displacements), "MEF1" (forces), "MES1" (stresses).
        acceleration: name of that of accelerations.
        labels: of the rows.
        table: punch file and name of the table that tells the rows, e.g. ("panel.pch", "TUG1"): these are then called
            "45.T1", or "7.3" where they are not displacements. Without either, rows of DMIG entries have their own labels
            and others are numbered.
        mode_acceleration: see `Recovery`.
        unit: of the rows, which stay in those of the file: SI where its units are.
        superelement: which of several in the file.
    """
    read = MatrixFile(matrices, superelement)
    wanted = {name: read[name] for name in (displacement, acceleration) if name is not None}
    if not wanted:
        raise ModelError(f"recovery from {matrices}: name a matrix, displacement= or acceleration=; there are {read.names}")
    first = next(iter(wanted.values()))
    rows = first.shape[0]
    for name, A in wanted.items():
        if A.shape[0] != rows:
            raise ModelError(f"{name} has {A.shape[0]} rows, {next(iter(wanted))} {rows}: give matrices of the same rows")
    named = list(labels) if labels is not None else _labels(first, rows, table)
    if len(named) != rows:
        raise ModelError(f"{next(iter(wanted))} has {rows} rows, the labels are {len(named)}: give one for each")
    over = lambda name: None if name is None else _columns(wanted[name], name, structure) @ structure.to_file
    return Recovery(tuple(named), over(displacement), over(acceleration), mode_acceleration, unit)


def _columns(A: NamedMatrix, name: str, structure: NastranStructure) -> sparse.csr_array:
    """The matrix over the coordinates of the structure's file, in their order."""
    values = sparse.csr_array(A.values)
    if A.columns is not None:
        at = {(int(g), int(c)): k for k, (g, c) in enumerate(structure.rows)}
        strange = [tuple(c) for c in A.columns.tolist() if tuple(c) not in at]
        if strange:
            point, component = strange[0]
            raise ModelError(f"{name} has a column of point {point}, component {component}, which the body lacks")
        own = np.array([at[tuple(c)] for c in A.columns.tolist()])
        pick = sparse.csr_array((np.ones(len(own)), (np.arange(len(own)), own)), shape=(len(own), len(structure.rows)))
        return sparse.csr_array(values @ pick)
    if values.shape[1] != len(structure.rows):
        raise ModelError(
            f"{name} has {values.shape[1]} columns, mass and stiffness {len(structure.rows)}: it belongs to another model"
        )
    return values


def _labels(A: NamedMatrix, rows: int, table: tuple[str | Path, str] | None) -> list[str]:
    if table is not None:
        path, name = there(table[0]), table[1]
        try:
            found: Any = nastran_tools().rddtipch(str(path), name)
        except (Exception, SystemExit) as e:
            raise ModelError(f'{path} has no table "{name}" that tells rows: {type(e).__name__}: {e}') from e
        plain = name.upper() != "TUG1"
        return [f"{g}.{c if plain else COMPONENTS[c]}" for g, c in found.tolist()]
    if A.rows is not None:
        return [f"{g}.{COMPONENTS[c] if 0 <= c <= 6 else c}" for g, c in A.rows.tolist()]
    return [str(k + 1) for k in range(rows)]
