"""`kaneflex export`: a system of the gallery as files for other programs."""

import contextlib
import sys
from pathlib import Path

import click

from kaneflex.cli.group import InputError, main
from kaneflex.cli.list_systems import find_example
from kaneflex.cli.outcome import make_folder, read_settings


@main.command("export")
@click.argument("name")
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a parameter; may be given again.")
@click.option("--fmu", type=click.Choice(["2.0", "3.0"]), help="Write NAME.fmu for this version of FMI.")
@click.option("--c", "as_c", is_flag=True, help="Write the equations as NAME.c and NAME.h.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("."), help="Folder for the files.")
def export_system(name: str, changes: tuple[str, ...], fmu: str | None, as_c: bool, out: Path) -> None:
    """Write the gallery system NAME as an FMU for co-simulation and model exchange, or as C."""
    from kaneflex import ModelError

    example = find_example(name)
    if fmu is None and not as_c:
        raise InputError("say what to write: --fmu 3.0, --fmu 2.0 or --c")
    parameters = read_settings(example, changes)
    make_folder(out)
    files: list[Path] = []
    try:
        with contextlib.redirect_stdout(sys.stderr):
            system = example.build(parameters)
            if fmu is not None:
                files.append(system.to_fmu(out / f"{name}.fmu", version=fmu))
            if as_c:
                files += system.equations().export_c(out)
    except ModelError as e:
        raise InputError(f'"{name}" cannot be exported: {e}') from e
    for file in files:
        click.echo(f"wrote {file}")
