"""`kaneflex study`: many runs of one system, said in a file."""

import importlib.util
import shlex
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kaneflex.cli.group import FAILED, InputError, main
from kaneflex.cli.list_systems import find_example
from kaneflex.cli.output import print_json, print_table

if TYPE_CHECKING:
    from kaneflex.study import Distribution, Ensemble, Study

KEYS = ("system", "runs", "design", "seed", "keep", "store", "points", "limit", "audit", "table", "parameters", "simulate")


@main.command("study")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--store", type=click.Path(path_type=Path), help="Folder of the results, in place of the one in the file.")
@click.option("--workers", type=click.IntRange(min=0), help="Processes on this machine; one per processor by default.")
@click.option("--cluster", metavar="ADDRESS", help='Scheduler of a Dask cluster, e.g. "tcp://host:8786".')
@click.option("--out", type=click.Path(path_type=Path), help="Write study.html to this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else on standard output.")
def run_study(
    file: Path, store: Path | None, workers: int | None, cluster: str | None, out: Path | None, as_json: bool
) -> None:
    """Do the study that the TOML FILE describes; what its store has already is not done again.

    FILE names a gallery system, or a function of a Python file that makes a system or a run ("craft.py:build"), its
    parameters with their distributions, what is kept, and the options of `simulate`; see docs/studies.md.
    """
    from kaneflex import FileError, ModelError

    try:
        study = read_study(file, store)
        found = study.run(cluster, workers=workers)
        command = shlex.join(["kaneflex", "study", str(file)])
        page = None if out is None else found.report(out / "study.html", command=command)
    except (ModelError, FileError, ImportError, RuntimeError) as e:
        raise InputError(str(e)) from e
    if as_json:
        print_json(_summary(found, page))
    else:
        _show(found, page)
    sys.exit(0 if found.complete and not found.failed.any() else FAILED)


def read_study(file: Path, store: Path | None = None) -> "Study":
    """The study that a TOML file describes.

    Args:
        file: its path; other files are found beside it.
        store: in place of the one in the file.
    """
    from kaneflex import ModelError
    from kaneflex.model.checks import known
    from kaneflex.study import Study

    try:
        said = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as e:
        raise InputError(f"cannot read {file}: {e.strerror}") from e
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise InputError(f"{file} is no TOML: {e}") from e
    for key in said:
        known(key, KEYS, f"key of {file.name}")
    if not isinstance(said.get("system"), str):
        raise ModelError(f'{file.name}: say which system, e.g. system = "flexible-slew" or system = "craft.py:build"')
    parameters: Any = {name: _distribution(name, value) for name, value in said.get("parameters", {}).items()}
    if "table" in said:
        parameters, said["design"] = _table(file.parent / said["table"]), "table"
    words = {key: said[key] for key in ("runs", "design", "seed", "keep", "points", "limit", "audit") if key in said}
    place = store or file.parent / said.get("store", f"{file.stem}.zarr")
    subject = _subject(said["system"], file.parent, parameters)
    return Study(subject, parameters, store=place, **words, **said.get("simulate", {}))


def _distribution(name: str, value: Any) -> "Distribution | Any":
    """A parameter's distribution from {normal = [10, 1]}, with named arguments in a table: {normal = {mean = 10, ...}}."""
    from kaneflex import ModelError, study

    if not isinstance(value, dict):
        return value
    kinds = {word: getattr(study, word) for word in ("normal", "uniform", "lognormal", "triangular", "choice")}
    if len(value) != 1 or next(iter(value)) not in kinds:
        raise ModelError(f'parameter "{name}": give one of {", ".join(kinds)}, e.g. {name} = {{ normal = [10.0, 1.0] }}')
    ((kind, given),) = value.items()
    try:
        if isinstance(given, dict):
            return kinds[kind](**given)
        return kinds[kind](given) if kind == "choice" else kinds[kind](*given)
    except TypeError as e:
        raise ModelError(f'parameter "{name}": {e}') from e


def _table(path: Path) -> dict[str, list[Any]]:
    """Columns of a file with values between commas, the first line their names."""
    import csv

    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except OSError as e:
        raise InputError(f"cannot read {path}: {e.strerror}") from e
    names = [name.strip() for name in rows[0]] if rows else []
    if any(len(row) != len(names) for row in rows):
        raise InputError(f"{path}: every line must have {len(names)} values")
    columns: dict[str, list[Any]] = {}
    for k, name in enumerate(names):
        texts = [row[k].strip() for row in rows[1:]]
        try:
            columns[name] = [float(x) for x in texts]
        except ValueError:
            columns[name] = texts
    return columns


def _subject(system: str, folder: Path, parameters: dict[str, Any]) -> Callable[[dict[str, Any]], Any] | Any:
    """What is run: a system with parameters or a function of a file, or a gallery system."""
    name, colon, what = system.rpartition(":")
    if not colon:
        return GalleryRun(find_example(system).name, tuple(parameters))
    from kaneflex import System

    path = (folder / name).resolve()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))  # where worker processes find it too
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as e:
        raise InputError(f"{path} cannot be run: {type(e).__name__}: {e}") from e
    subject = getattr(module, what, None)
    if not isinstance(subject, System) and not callable(subject):
        raise InputError(f'{path} has no system or function "{what}"')
    return subject


class GalleryRun:
    """A gallery system as a function of its parameters."""

    def __init__(self, name: str, parameters: tuple[str, ...]) -> None:
        from kaneflex.model.checks import known

        self.__name__ = name
        for parameter in parameters:
            known(parameter, find_example(name).parameters, f'parameter of "{name}"')

    def __call__(self, values: dict[str, Any]) -> Any:
        """The run with these values."""
        example = find_example(self.__name__)
        settings = example.settings({name: str(value) for name, value in values.items()})
        return example.simulate(example.build(settings), settings)


def _summary(found: "Ensemble", page: Path | None) -> dict[str, Any]:
    outputs = {name: list(found.percentiles(name)) for name in found.outputs()} if found.done.any() else {}
    return {
        "runs": found.store.runs,
        "done": int(found.done.sum()),
        "failed": int(found.failed.sum()),
        "store": str(found.path),
        "percentiles": {"levels": [5, 25, 50, 75, 95]} | outputs,
        "messages": {str(run): message for run, message in found.messages().items()},
        "page": page,
    }


def _show(found: "Ensemble", page: Path | None) -> None:
    rows = []
    for output in found.outputs() if found.done.any() else ():
        rows.append((found.title(output), *(f"{x:.6g}" for x in found.percentiles(output))))
    print_table(("kept", "5 %", "25 %", "50 %", "75 %", "95 %"), rows, right=(1, 2, 3, 4, 5))
    messages = found.messages()
    for run, message in list(messages.items())[:10]:
        click.echo(f"run {run}: {message}")
    if len(messages) > 10:
        click.echo(f"... and {len(messages) - 10} more runs with a message")
    click.echo(f"{found.done.sum()} runs done, {found.failed.sum()} failed, in {found.path}")
    if page is not None:
        click.echo(f"wrote {page}")
