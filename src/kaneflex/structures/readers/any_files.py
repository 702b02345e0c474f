"""Structures from files of any kind that is known, by their endings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.readers.calculix import from_calculix
from kaneflex.structures.readers.matrix_files import there
from kaneflex.structures.readers.nastran import from_nastran
from kaneflex.structures.readers.tables import from_tables
from kaneflex.structures.structure import Structure

MATRICES = (".op4", ".h5", ".hdf5", ".dmig")
GEOMETRY = (".asm", ".bdf", ".dat", ".blk", ".nas")
ELSEWHERE = {
    ".full": "an ANSYS matrix file: read it with pymapdl-reader and give M, K and dofs to structures.from_tables as .npz",
    ".sub": "an ANSYS substructure: read it with pymapdl-reader and give it to structures.from_tables as .npz",
    ".cdb": "an ANSYS mesh without matrices: export M and K (HBMAT) and give them to structures.from_tables as .npz",
    ".unv": "a Universal file: its meshes carry no matrices; export M and K and give them to structures.from_tables as .npz",
    ".mtx": "an Abaqus or MatrixMarket matrix: give M, K, nodes and dofs to structures.from_tables as .npz",
    ".frd": "CalculiX results: give the deck, .inp, with .sti, .mas and .dof beside it",
}


@typed
def from_files(files: Sequence[str | Path], **options: Any) -> Structure:
    """A structure from one or two files of a finite-element program.

    Args:
        files: Nastran's matrices (.op4, .op2, .pch, .h5) and geometry (.asm, .bdf, .pch, .op2); a CalculiX deck (.inp);
            NumPy's or MATLAB's tables (.npz, .mat).
        options: of the reader that takes them, e.g. length_unit.
    """
    paths = [there(file) for file in files]
    endings = [path.suffix.lower() for path in paths]
    for path, ending in zip(paths, endings, strict=True):
        if ending in ELSEWHERE:
            raise ModelError(f"{path} is {ELSEWHERE[ending]}")
    if endings == [".inp"]:
        return from_calculix(paths[0], **options)
    if len(paths) == 1 and endings[0] in (".npz", ".mat"):
        return from_tables(paths[0], **options)
    if len(paths) == 1 and endings[0] in (".pch", ".op2", ".bdf"):
        return from_nastran(paths[0], paths[0], **options)  # matrices and grids in one file
    if len(paths) != 2:
        listed = ", ".join(path.name for path in paths)
        raise ModelError(f"{listed}: give Nastran's matrices and geometry, a CalculiX deck, or one .npz or .mat file")
    if endings[0] in GEOMETRY or endings[1] in MATRICES:
        paths = paths[::-1]
    return from_nastran(paths[0], paths[1], **options)
