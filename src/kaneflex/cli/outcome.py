"""Running a gallery system: what comes of it, and the files that show it."""

import base64
import io
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kaneflex import FileError, ModelError, SimulationError
from kaneflex.cli.group import InputError

if TYPE_CHECKING:
    from kaneflex.gallery import Check, Example
    from kaneflex.results.run import Run
    from kaneflex.view.scene import Scene

SMALL = (480, 300)  # pixels of the picture in the index
TELLING = 0.4  # part of a run's time at which it is shown there


@dataclass
class Outcome:
    """What came of running a gallery system."""

    example: "Example"
    parameters: Mapping[str, Any]
    formulation: str
    speeds: str
    run: "Run | None" = None
    checks: "list[Check]" = field(default_factory=list)
    status: str = "failed"
    message: str = ""
    compile_seconds: float = 0.0
    total: float = 0.0
    files: list[Path] = field(default_factory=list)
    thumbnail: str | None = None

    @property
    def finished(self) -> bool:
        """True when the run reached its end or a terminal event."""
        return self.run is not None and self.status in ("done", "event")

    @property
    def ok(self) -> bool:
        """True when the run finished and its checks and its audit pass."""
        return self.finished and self.run is not None and self.run.audit.ok and all(c.ok for c in self.checks)

    @property
    def passed(self) -> tuple[int, int]:
        """How many checks pass, and how many there are, documentation apart."""
        real = [c.ok for c in self.checks if c.kind == "check"]
        return sum(real), len(real)

    @property
    def timing(self) -> dict[str, Any]:
        """Steps and evaluations of the integrator, and seconds: integrating, compiling, all of the command."""
        statistics = {} if self.run is None else self.run.statistics
        counts = {key: statistics.get(key) for key in ("steps", "evaluations", "seconds")}
        return counts | {"compile_seconds": self.compile_seconds, "total": self.total}

    @property
    def command(self) -> str:
        """What to type to get the same run again."""
        words = ["kaneflex", "run", self.example.name]
        for key, value in self.parameters.items():
            if value != self.example.parameters[key]:
                words += ["--set", f"{key}={value}"]
        if self.formulation != "recursive":
            words += ["--formulation", self.formulation]
        if self.speeds != "customary":
            words += ["--speeds", self.speeds]
        return shlex.join(words)

    def as_dict(self) -> dict[str, Any]:
        """The outcome as plain data."""
        return {
            "name": self.example.name,
            "title": self.example.title,
            "parameters": dict(self.parameters),
            "formulation": self.formulation,
            "speeds": self.speeds,
            "checks": [c.as_dict() for c in self.checks],
            "audit": None if self.run is None else self.run.audit.as_dict(),
            "timing": self.timing,
            "status": self.status,
            "message": self.message,
            "ok": self.ok,
            "files": [str(file) for file in self.files],
        }


def read_settings(example: "Example", changes: Sequence[str]) -> dict[str, Any]:
    """The parameters of a run from texts key=value."""
    given = {}
    for text in changes:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InputError(f'--set "{text}": give key=value, e.g. --set {next(iter(example.parameters), "key")}=1')
        given[key.strip()] = value.strip()
    try:
        return example.settings(given)
    except ModelError as e:
        raise InputError(str(e)) from e
    except (ValueError, TypeError, OverflowError) as e:
        raise InputError(f'"{example.name}" cannot take --set {" --set ".join(changes)}: {e}') from e


def execute(example: "Example", parameters: Mapping[str, Any], formulation: str, speeds: str) -> Outcome:
    """Build, simulate and check."""
    from kaneflex.kernels.progress import progress

    outcome = Outcome(example, parameters, formulation, speeds)
    compiled = progress.seconds
    try:
        run = example.simulate(example.build(parameters), parameters, formulation=formulation, speeds=speeds)
        outcome.run, outcome.status, outcome.message = run, run.status, run.message
        if outcome.finished:
            outcome.checks = list(example.checks(run, parameters))
    except SimulationError as e:
        outcome.status, outcome.message = "failed", str(e)
    except (ValueError, ArithmeticError) as e:  # ModelError is a ValueError
        if not isinstance(e, ModelError) and dict(parameters) == dict(example.parameters):
            raise  # nobody's input
        detail = str(e) if isinstance(e, ModelError) else f"{type(e).__name__}: {e}"
        raise InputError(f'"{example.name}" cannot run like this: {detail}') from e
    outcome.compile_seconds = progress.seconds - compiled
    return outcome


def make_folder(out: Path | None) -> None:
    """Make a folder where it is missing; None is no folder."""
    if out is None:
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise InputError(f"cannot write to {out}: {e.strerror}") from e


def remove(path: Path) -> None:
    """Remove a file where it is there."""
    try:
        path.unlink(missing_ok=True)
    except OSError as e:
        raise InputError(f"cannot remove {path}: {e.strerror}") from e


def write_files(outcome: Outcome, out: Path) -> None:
    """Write run.h5, figure.png and report.html, as far as there is a run.

    The report of an earlier run goes before the others are overwritten and the new one comes last, so that a folder with a
    report has the files of one run, whenever the process may end.
    """
    from kaneflex.view.plots import save_figure
    from kaneflex.view.report import write_report
    from kaneflex.view.scene import scene_of

    run, example = outcome.run, outcome.example
    if run is None:
        return
    figure = example.figure(run, outcome.parameters)
    scene = scene_of({run.model.name: run}, example.title)
    try:
        remove(out / "report.html")
        outcome.files = [
            run.save(out / "run.h5"),
            save_figure(figure, out / "figure.png"),
            write_report(
                run,
                out / "report.html",
                checks=outcome.checks,
                title=example.title,
                source=example.source,
                figure=figure,
                parameters=outcome.parameters,
                command=outcome.command,
                scene=scene,
            ),
        ]
    except FileError as e:
        raise InputError(str(e)) from e
    outcome.thumbnail = _small(scene)


def _small(scene: "Scene") -> str:
    """The system in motion as a small picture in a data address."""
    from PIL import Image

    from kaneflex.view.picture import Picture

    buffer = io.BytesIO()
    times = scene.numbers.filled(scene.data["runs"][0]["t"])
    moment = float(times[0] + TELLING * (times[-1] - times[0]))
    Image.fromarray(Picture(scene, SMALL, still=moment).at(moment)).save(buffer, "PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


__all__ = ["Outcome", "execute", "make_folder", "read_settings", "remove", "write_files"]
