"""`kaneflex import`: a flexible body from the files of a finite-element program, with a page that shows what it is."""

import contextlib
import sys
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
@click.option("--superelement", type=int, help="Which one, where files hold several.")
def import_body(files: tuple[Path, ...], out: Path, root: str | None, average: tuple[str, ...], modes: int,
                below: float | None, effective_mass: float, length_unit: float, mass_unit: float,
                superelement: int | None) -> int:  # fmt: skip
    """Flexible body from FILES: Nastran's matrices and geometry, a CalculiX deck, or an .npz or .mat file.

    Exit status 1 says that the report asks for a look.
    """
    from kaneflex.model.checks import ModelError
    from kaneflex.structures import Flexible, ModeChoice, check
    from kaneflex.structures.readers.any_files import from_files
    from kaneflex.structures.stored_body import save_body

    options: dict[str, Any] = {"length_unit": length_unit, "mass_unit": mass_unit}
    if superelement is not None:
        options["superelement"] = superelement
    try:
        with contextlib.redirect_stdout(sys.stderr):
            structure = from_files(files, **options)
            report = getattr(structure, "report", None) or check(structure)
            if average:
                root = root or "mean"
                structure = structure.averaged(root, average)
            count = None if below is not None else modes
            choice = ModeChoice("free" if root is None else "fixed", count, below=below, effective_mass=effective_mass)
            body = Flexible(structure, root=root, modes=choice, stiffening=structure.stiffens)
            save_body(body, out, str(report))
            page = body.show_modes(out.with_suffix(".html"), f"Modes of {out.stem}")
    except ModelError as e:
        raise InputError(str(e)) from e
    click.echo(report)
    click.echo(body.component_modes.table())
    click.echo(f"wrote {out}")
    click.echo(f"wrote {page}")
    return 0 if report.good else FAILED
