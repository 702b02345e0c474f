"""A user's file as a system that the commands take: `kaneflex run arm.py --set stiffness=50`."""

import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kaneflex.cli.group import InputError

if TYPE_CHECKING:
    from kaneflex.gallery import Example


def example_of_file(path: Path) -> "Example":
    """The system of a Python file: its variable `system`, run for `duration` seconds (10 where it does not say). Its
    Parameters are what `--set` changes."""
    from kaneflex import System
    from kaneflex.gallery import Example
    from kaneflex.view.plots import default_channels, plot_channels

    if not path.is_file():
        raise InputError(f"there is no file {path}")
    try:
        found = runpy.run_path(str(path))
    except Exception as e:
        raise InputError(f"{path} does not run: {type(e).__name__}: {e}") from e
    system, duration = found.get("system"), found.get("duration", 10.0)
    if not isinstance(system, System):
        raise InputError(f"{path} has no system: give the variable `system` a System")
    if isinstance(duration, bool) or not isinstance(duration, int | float) or not duration > 0:
        raise InputError(f"{path}: duration is {duration!r}: give seconds")

    def build(parameters: Any) -> System:
        return system.at({name: value for name, value in parameters.items() if name in system.parameters})

    def simulate(system: System, parameters: Any, **words: Any) -> Any:
        return system.simulate(float(duration), **words)

    return Example(
        name=path.stem,
        title=system.name,
        document="file",
        source=str(path),
        build=build,
        simulate=simulate,
        checks=lambda run, parameters: [],
        figure=lambda run, parameters: plot_channels(run, default_channels(run)[:-1] or ["energy.kinetic"]),
        parameters={name: parameter.value for name, parameter in system.parameters.items()},
    )


__all__ = ["example_of_file"]
