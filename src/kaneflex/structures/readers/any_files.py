"""Structures from files of any kind that is known, by their endings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.readers.abaqus import from_abaqus
from kaneflex.structures.readers.ansys import from_ansys
from kaneflex.structures.readers.calculix import from_calculix
from kaneflex.structures.readers.file_kinds import OF_MATRICES, kind_of
from kaneflex.structures.readers.matrix_files import there
from kaneflex.structures.readers.meshes import from_mesh
from kaneflex.structures.readers.nastran import from_nastran
from kaneflex.structures.readers.tables import from_tables
from kaneflex.structures.structure import Structure

MESHES = (".cdb", ".unv", ".uff", ".msh", ".vtk", ".vtu", ".med", ".xdmf", ".mesh", ".e", ".exo", ".stl", ".obj", ".ply")
MATERIAL = ("E", "nu", "density", "thickness", "section", "links")
NO_MATERIAL = "a mesh without matrices: give E, nu and density of its material (and thickness of shells), or export M and K"
ELSEWHERE = {
    ".full": "an ANSYS binary matrix file: export its text with HBMAT (ASCII, with mapping) and give it with the .cdb file",
    ".sub": "an ANSYS binary superelement: export its matrices with *DMAT and *EXPORT, and put them into an .npz file",
    ".rst": "ANSYS results: export M and K with HBMAT (ASCII, with mapping) and the mesh with CDWRITE",
    ".odb": "an Abaqus results database: export M and K with *MATRIX OUTPUT, FORMAT=MATRIX INPUT",
    ".sim": "an Abaqus SIM file: export M and K with *MATRIX OUTPUT, FORMAT=MATRIX INPUT",
    ".frd": "CalculiX results: give the deck, .inp, with .sti, .mas and .dof beside it",
    ".f06": "a Nastran listing: give matrices (.op4, .op2, .pch, .h5) and geometry",
}


@typed
def from_files(files: Sequence[str | Path], **options: Any) -> Structure:
    """A structure from the files of a finite-element program.

    Args:
        files: Nastran's matrices (.op4, .op2, .pch, .h5) and geometry (.asm, .bdf, .pch, .op2); a CalculiX deck (.inp);
            Abaqus's .mtx files and deck (.inp); ANSYS's two matrices, .mapping and .cdb; NumPy's or MATLAB's tables (.npz,
            .mat); a mesh (.cdb, .unv, .msh, .vtk, .inp, ...) with E, nu and density.
        options: of the reader that takes them, e.g. length_unit.
    """
    paths = [there(file) for file in files]
    endings = [path.suffix.lower() for path in paths]
    for path, ending in zip(paths, endings, strict=True):
        if ending in ELSEWHERE:
            raise ModelError(f"{path} is {ELSEWHERE[ending]}")
    of_material = {word: options.pop(word) for word in MATERIAL if options.get(word) is not None}
    if of_material and len(paths) == 1:
        missing = [word for word in ("E", "nu", "density") if word not in of_material]
        if missing:
            raise ModelError(f"{paths[0]}: {missing[0]} is missing: a mesh needs E, nu and density")
        units = {"length_unit": options["length_unit"]} if options.get("length_unit", 1.0) != 1.0 else {}
        return from_mesh(paths[0], **of_material, **units)
    if ".mapping" in endings:
        return _ansys(paths, endings, options)
    if ".mtx" in endings:
        return _abaqus(paths, endings, options)
    if len(paths) == 1 and endings[0] in MESHES:
        raise ModelError(f"{paths[0]} is {NO_MATERIAL}")
    if endings == [".inp"]:
        return from_calculix(paths[0], **options)
    if len(paths) == 1 and endings[0] in (".npz", ".mat"):
        return from_tables(paths[0], **options)
    if len(paths) == 3 and {".asm", ".pch"} < set(endings):
        paths = [path for path in paths if path.suffix.lower() != ".pch"]  # it is read with the .asm file that it is beside
    return _nastran(matrices_first(paths), options)


def matrices_first(paths: Sequence[Path]) -> list[Path]:
    """The same files, those of matrices before those that may have some, and these before the geometry.

    Args:
        paths: of files that are there.
    """
    may = ("op2", "dmig")
    return sorted(paths, key=lambda path: 0 if (kind := kind_of(path)) in OF_MATRICES else 1 if kind in may else 2)


def _nastran(paths: Sequence[Path], options: dict[str, Any]) -> Structure:
    kinds = [kind_of(path) for path in paths]
    if len(paths) == 1:
        if kinds[0] in ("op2", "dmig"):
            return from_nastran(paths[0], paths[0], **options)  # matrices and grids in one file
        has, lacks = ("matrices", "geometry (.asm, .bdf, .pch or .op2)"), ("geometry", "matrices (.op4, .op2, .pch or .h5)")
        own, other = has if kinds[0] in OF_MATRICES else lacks
        raise ModelError(f"{paths[0]}: this is taken for Nastran's {own}; give the {other} of the same model too")
    if len(paths) == 3 and kinds[2] == "bulk" and kinds[1] != "bulk":  # mass and stiffness in a file each
        return from_nastran(paths[:2], paths[2], **options)
    if len(paths) != 2:
        listed = ", ".join(path.name for path in paths)
        raise ModelError(
            f"{listed}: give Nastran's matrices and geometry, a CalculiX deck, Abaqus's .mtx files and deck, ANSYS's "
            "matrices, .mapping and .cdb, one .npz or .mat file, or a mesh with its material"
        )
    return from_nastran(paths[0], paths[1], **options)


def _abaqus(paths: Sequence[Path], endings: Sequence[str], options: dict[str, Any]) -> Structure:
    decks = [p for p, ending in zip(paths, endings, strict=True) if ending == ".inp"]
    if len(decks) != 1:
        raise ModelError("Abaqus's .mtx files need the deck, .inp, with the nodes beside them: give it too")
    return from_abaqus([p for p in paths if p not in decks], decks[0], **options)


def _ansys(paths: Sequence[Path], endings: Sequence[str], options: dict[str, Any]) -> Structure:
    by_ending = dict(zip(endings, paths, strict=True))
    matrices = [p for p, ending in zip(paths, endings, strict=True) if ending not in (".mapping", ".cdb")]
    mass = [p for p in matrices if "mass" in p.stem.lower() or p.stem.lower().startswith("m")]
    if ".cdb" not in by_ending or len(matrices) != 2 or len(mass) != 1:
        raise ModelError(
            "ANSYS's .mapping file needs two matrices, the mass called mass..., and the .cdb file with nodes: give all four"
        )
    stiffness = next(p for p in matrices if p not in mass)
    return from_ansys(mass[0], stiffness, by_ending[".mapping"], by_ending[".cdb"], **options)
