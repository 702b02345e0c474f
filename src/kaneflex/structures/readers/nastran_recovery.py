"""Recovery rows (OTM, LTM, DTM) from Nastran's files, by label."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.readers.matrix_files import MatrixFile, NamedMatrix, there
from kaneflex.structures.readers.nastran_library import nastran_tools
from kaneflex.structures.readers.nastran_structure import NastranStructure
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
            "45.T1", or "7.3" where they are not displacements. Without either, the table that goes with the matrix (TUG1
            with MUG1) is taken from the .pch file beside the matrices; else rows of DMIG entries have their own labels and
            others are numbered.
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
    named = list(labels) if labels is not None else _labels(first, next(iter(wanted)), read.path, table)
    if len(named) != rows:
        raise ModelError(f"{next(iter(wanted))} has {rows} rows, the labels are {len(named)}: give one for each")
    over = lambda name: None if name is None else columns_of(wanted[name], name, structure.rows) @ structure.to_file
    return Recovery(tuple(named), over(displacement), over(acceleration), mode_acceleration, unit)


def columns_of(A: NamedMatrix, name: str, rows: np.ndarray) -> sparse.csr_array:
    """A matrix over the rows of mass and stiffness, given by id and component, in their order."""
    values = sparse.csr_array(A.values)
    if A.columns is not None:
        at = {(int(g), int(c)): k for k, (g, c) in enumerate(rows)}
        strange = [tuple(c) for c in A.columns.tolist() if tuple(c) not in at]
        if strange:
            point, component = strange[0]
            raise ModelError(f"{name} has a column of point {point}, component {component}, which the body lacks")
        own = np.array([at[tuple(c)] for c in A.columns.tolist()])
        pick = sparse.csr_array((np.ones(len(own)), (np.arange(len(own)), own)), shape=(len(own), len(rows)))
        return sparse.csr_array(values @ pick)
    if values.shape[1] != len(rows) and not values.nnz:
        raise ModelError(
            f"{name} is empty, as Nastran writes what it was not asked for: ask for it in case control of the export, "
            "e.g. STRESS(PLOT) = ALL for MES1"
        )
    if values.shape[1] != len(rows):
        raise ModelError(
            f"{name} has {values.shape[1]} columns, mass and stiffness {len(rows)}: it belongs to another model"
        )
    return values


def _beside(path: Path, name: str) -> tuple[Path, str] | None:
    """The punch file beside a file of matrices, and the table there that tells the rows of one."""
    punch, table = path.with_suffix(".pch"), f"T{name[1:].upper()}"
    if punch == path or not punch.is_file():
        return None
    entry = re.compile(rf"^DTI\*?[ ,]+{re.escape(table)}[ ,]", re.IGNORECASE | re.MULTILINE)
    return (punch, table) if entry.search(punch.read_text(errors="replace")) else None


def row_table(
    A: NamedMatrix, name: str, path: Path, table: tuple[str | Path, str] | None = None
) -> tuple[np.ndarray | None, bool]:
    """Ids and components of the rows of a matrix, and whether these are displacements and rotations of points: of a table,
    of that beside the file of matrices, or of the matrix itself."""
    if chosen := table or _beside(path, name):
        punch = there(chosen[0])
        try:
            rows = np.asarray(nastran_tools().rddtipch(str(punch), chosen[1]), dtype=int)
        except (Exception, SystemExit) as e:
            raise ModelError(f'{punch} has no table "{chosen[1]}" that tells rows: {type(e).__name__}: {e}') from e
        return rows, chosen[1].upper().startswith("TUG")
    return A.rows, True


def _labels(A: NamedMatrix, name: str, path: Path, table: tuple[str | Path, str] | None) -> list[str]:
    rows, of_points = row_table(A, name, path, table)
    if rows is None:
        return [str(k + 1) for k in range(A.shape[0])]
    return [f"{g}.{COMPONENTS[c] if of_points and 0 <= c <= 6 else c}" for g, c in rows.tolist()]
