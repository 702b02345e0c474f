"""`kaneflex import`: a flexible body from the files of a finite-element program, with a page that shows what it is."""

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kaneflex.cli.group import FAILED, InputError, main


@main.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The body, an HDF5 file; its page is beside it.")
@click.option("--root", help="Node that the body's frame is fixed to; without it, mean axes of the free body.")
@click.option("--average", multiple=True, metavar="NODE", help="The root is the mean of these nodes; may be given again.")
@click.option("--modes", default=10, show_default=True, help="Number of modes.")
@click.option("--below", type=float, help="Keep modes below this frequency, Hz, instead.")
@click.option("--effective-mass", type=float, default=0.0, help="Drop modes with less than this part of the mass.")
@click.option("--length-unit", type=float, default=1.0, show_default=True, help="Metres per unit of length of the files.")
@click.option("--mass-unit", type=float, default=1.0, show_default=True, help="Kilograms per unit of mass.")
@click.option("--mass", help="Name of the mass matrix in Nastran's file, where it is not a usual one.")
@click.option("--stiffness", help="Name of the stiffness matrix, likewise.")
@click.option("--name", multiple=True, metavar="NAME=ID", help="A name for a node of the file; may be given again.")
@click.option("--recovery", multiple=True, metavar="NAME=MATRIX", help="Rows of outputs in Nastran's file, otm=MUG1.")
@click.option("--inner", nargs=2, metavar="MATRIX FILE", help="Displacements of grids inside, MUG1, and their bulk data.")
@click.option("--superelement", type=int, help="Which one, where files hold several.")
@click.option("--modal", multiple=True, type=int, metavar="ID", help="A grid whose dofs are modal coordinates.")
@click.option("--damping", default="0", show_default=True, help='Ratio of all modes, or "model": by the files\' matrices.')
@click.option("--material", nargs=3, type=float, metavar="E NU DENSITY", help="Of a mesh: Pa, 1, kg/m^3.")
@click.option("--thickness", type=float, help="Of the shells of a mesh, m.")
@click.option("--link", multiple=True, metavar="NAME=NODES", help="Of a mesh: a node that a set, or 1,2,3, follows rigidly.")
def import_body(files: tuple[Path, ...], out: Path, root: str | None, average: tuple[str, ...], modes: int,
                below: float | None, effective_mass: float, length_unit: float, mass_unit: float,
                mass: str | None, stiffness: str | None, name: tuple[str, ...], recovery: tuple[str, ...],
                inner: tuple[str, str] | None, superelement: int | None, modal: tuple[int, ...], damping: str,
                material: tuple[float, float, float] | None, thickness: float | None, link: tuple[str, ...]
                ) -> int:  # fmt: skip
    """Flexible body from FILES of a finite-element program, with a page that shows it.

    FILES are Nastran's matrices and geometry, a CalculiX deck, Abaqus's .mtx files and deck, ANSYS's matrices, .mapping and
    .cdb, an .npz or .mat file, or a mesh with --material. Exit status 1 says that the report asks for a look.
    """
    from kaneflex.model.checks import ModelError
    from kaneflex.structures import Flexible, ModeChoice, check
    from kaneflex.structures.readers.any_files import from_files, matrices_first
    from kaneflex.structures.stored_body import save_body

    options: dict[str, Any] = {"length_unit": length_unit, "mass_unit": mass_unit}
    given = {"superelement": superelement, "mass": mass, "stiffness": stiffness, "inner": inner}
    options |= {word: value for word, value in given.items() if value is not None}
    if modal:
        options["modal"] = modal
    if name:
        options["names"] = _pairs(name, "--name", "NAME=ID", int)
    if material is not None:
        options |= dict(zip(("E", "nu", "density"), material, strict=True)) | {"thickness": thickness, "links": _links(link)}
    try:
        with contextlib.redirect_stdout(sys.stderr):
            structure = from_files(files, **options)
            wanted = _pairs(recovery, "--recovery", "NAME=MATRIX", str)
            rows = _recovery(structure, matrices_first(files)[0], superelement, wanted)
            report = getattr(structure, "report", None) or check(structure)
            if average:
                root = root or "mean"
                structure = structure.averaged(root, average)
            count = None if below is not None else modes
            choice = ModeChoice("free" if root is None else "fixed", count, below=below, effective_mass=effective_mass)
            body = Flexible(structure, root=root, modes=choice, stiffening=structure.stiffens, damping=_damping(damping),
                            recovery=rows)  # fmt: skip
            save_body(body, out, str(report))
            page = body.show_modes(out.with_suffix(".html"), out.stem, report)
    except ModelError as e:
        raise InputError(str(e)) from e
    click.echo(report)
    click.echo(body.component_modes.table())
    click.echo(f"wrote {out}")
    click.echo(f"wrote {page}")
    return 0 if report.good else FAILED


def _links(given: tuple[str, ...]) -> dict[str, Any]:
    """Names of nodes, and what follows them: a set of the file, or node numbers."""
    numbers = lambda nodes: [int(k) for k in nodes.split(",")] if nodes.replace(",", "").strip().isdigit() else nodes
    return _pairs(given, "--link", "NAME=SET or NAME=1,2,3", numbers)


def _pairs(given: tuple[str, ...], option: str, form: str, read: Callable[[str], Any]) -> dict[str, Any]:
    """Words NAME=VALUE of an option, by name."""
    found: dict[str, Any] = {}
    for words in given:
        name, _, value = words.partition("=")
        try:
            found[name] = read(value)
        except ValueError:
            value = ""
        if not name or not value:
            raise InputError(f"{option} {words}: give {form}")
    return found


def _recovery(structure: Any, matrices: Path, superelement: int | None, given: dict[str, str]) -> dict[str, Any]:
    from kaneflex.structures.readers.nastran_recovery import recovery_from_nastran
    from kaneflex.structures.readers.nastran_structure import NastranStructure

    if given and not isinstance(structure, NastranStructure):
        raise InputError("--recovery takes rows from Nastran's files: these are others")
    rows = lambda matrix: recovery_from_nastran(structure, matrices, matrix, superelement=superelement)
    return {name: rows(matrix) for name, matrix in given.items()}


def _damping(words: str) -> Any:
    try:
        return words if words == "model" else float(words)
    except ValueError as e:
        raise InputError(f'--damping {words}: give a ratio, or "model"') from e
