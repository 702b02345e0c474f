"""The report of a run: one page that shows the motion, and says what was run and whether to trust it."""

import contextlib
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kaneflex.model.checks import ModelError
from kaneflex.version import __version__
from kaneflex.view import sections as part
from kaneflex.view.page import listing, section, viewer, write_page
from kaneflex.view.scene import Scene, scene_of

if TYPE_CHECKING:
    from kaneflex.results.run import Run


def write_report(
    run: "Run",
    path: str | Path,
    *,
    checks: Sequence[Any] = (),
    title: str | None = None,
    source: str | None = None,
    figure: Any = None,
    parameters: Mapping[str, Any] | None = None,
    command: str | None = None,
    channels: Sequence[str] | None = None,
    colour: str | None = None,
    scene: Scene | None = None,
) -> Path:
    """Write the report of a run as one self-contained HTML file.

    Args:
        run: the run.
        path: the file; its folder is made when missing.
        checks: numbers of the run beside references, as `gallery.Check` has them.
        title: heading; the system's name when None.
        source: where the system comes from.
        figure: Matplotlib figure to show; None for the coordinates of the first joints.
        parameters: values the system was built with.
        command: what to type to get the same run; None for the call of `simulate`.
        channels: those plotted below the moving picture at first; None for a choice.
        colour: what bodies are coloured by at first, "speed" or "tension" say; None for their own colours.
        scene: of the run, where it has been made already.
    """
    heading = run.model.name if title is None else title
    scene = scene or scene_of({run.model.name: run}, heading, channels=channels, colour=colour)
    pieces = [
        part.header(run, heading, source, checks),
        viewer(scene),
        part.figure_section(_figures(run, figure)),
        part.checks_section(checks),
        part.audit_section(run),
        section("Run", listing(part.statistics(run))),
        part.parameters_section(run, parameters or {}),
        part.model_section(run),
        section("Reproduce", f'<pre tabindex="0">{escape(command or part.call(run))}</pre>', f"kaneflex {__version__}"),
    ]
    return write_page(path, heading, pieces, scene)


def _figures(run: "Run", figure: Any) -> list[tuple[Any, str]]:
    from kaneflex.view.plots import default_channels, energy_figure, plot_channels

    words = f"{run.model.name} over time"
    if figure is not None:
        return [(figure, words)]
    drawn = []
    with contextlib.suppress(ModelError):  # some channels need functions that a file does not hold
        drawn.append((plot_channels(run, default_channels(run)[:-1] or ["energy.kinetic"]), words))
    with contextlib.suppress(ModelError):
        drawn.append((energy_figure(run), "Kinetic, potential and total energy over time"))
    return drawn


__all__ = ["write_report"]
