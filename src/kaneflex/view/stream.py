"""A run that goes on while it is watched: the scene of its first piece, and the samples of each further one.

The viewer's arrays over time are taken in a fixed order: times, place of the anchor, poses and modal coordinates of bodies,
points and vectors of arrows, ends of lines, values of plots. A further piece is these arrays and nothing else.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.model import Model
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.view import along, arrows, curves
from kaneflex.view.levels import levels_of
from kaneflex.view.scene import FORMAT, Numbers, Scene, Track, up_of

if TYPE_CHECKING:
    from kaneflex.results.run import Run

Array = np.ndarray


class PieceTrack(Track):
    """A piece of a run. Rods are drawn by their segments, since their smooth shapes come from a whole motion.

    Args:
        run: the piece.
        numbers: store of arrays.
        first: the first piece, whose shapes these are.
    """

    def __init__(self, run: "Run", numbers: Numbers, first: "PieceTrack | None" = None) -> None:
        self.first = first
        self.kept: dict[str, Array | None] = {} if first is None else first.kept
        super().__init__(run.model.name, run, np.arange(len(run.t)), numbers)
        if first is not None:
            self.turned = first.turned

    def _rods(self) -> dict[str, tuple[Model, PlacedRod]]:
        return {}

    def _along(self, colour: str | None) -> dict[str, along.Along]:
        return {}

    def _arrows(self) -> Iterator[arrows.Arrow]:
        if self.run is not None:
            yield from arrows.applied(self.run, self.keep, self.values)

    def _orbit(self) -> dict[str, Any] | None:
        return None

    def _drawn(self) -> tuple[float, dict[str, Any]]:
        if self.first is None:
            return super()._drawn()
        return self.first.size, dict.fromkeys(self.first.shapes, ())

    def _wheels(self) -> list[Any]:
        return super()._wheels() if self.first is None else self.first.wheels

    def _anchor(self, always: bool = False) -> Array | None:
        return None if self.first is not None and self.first.anchor is None else super()._anchor(self.first is not None)

    def _modes(self, body: str) -> tuple[Array | None, Array | None]:
        if self.first is None:
            values, self.kept[body] = super()._modes(body)
            return values, self.kept[body]
        values, kept = self.values.get(f"{body}.modes"), self.kept[body]
        return None if values is None else np.nan_to_num(values.reshape(len(values), -1))[:, kept], kept


def sampled(data: Mapping[str, Any]) -> list[Any]:
    """The arrays over time of a scene of one run, in order, as they are described.

    Args:
        data: of the scene.
    """
    run = data["runs"][0]
    found = [run["t"], run["anchor"]]
    for body in run["bodies"]:
        found += [body["pose"], body["modes"]]
    for arrow in run["arrows"]:
        found += [arrow["at"], arrow["vector"]]
    found += [line["points"] for line in run["lines"]]
    found += [line["values"] for plot in data["plots"] for line in plot["lines"]]
    return [x for x in found if x is not None]


class Stream:
    """The scene of a run's first piece, to which further ones are added.

    Args:
        run: the first piece.
        title: of the page.
        channels: those plotted at first; None for a choice.
    """

    def __init__(self, run: "Run", title: str, channels: list[str] | None = None) -> None:
        self.shown = channels or curves.chosen_channels(run)
        self.title = title
        self.wanted = list(dict.fromkeys([*self.shown, *curves.further_channels(run)]))
        self.first: PieceTrack | None = None
        self.scene = self._scene(run)
        self._form = self._shapes(self.scene)

    def _scene(self, run: "Run") -> Scene:
        numbers = Numbers()
        track = PieceTrack(run, numbers, self.first)
        values = curves.curves(run, track.keep, track.parts, self.wanted)
        data = {
            "format": FORMAT,
            "kind": "run",
            "title": self.title,
            "up": up_of(run.model),
            "size": track.size,
            "levels": levels_of(run.model),
            "runs": [track.data()],
            "plots": curves.plots({run.model.name: run}, [values], self.shown, numbers.put),
        }
        self.first = self.first or track
        return Scene(data, numbers)

    @staticmethod
    def _shapes(scene: Scene) -> list[tuple[int, ...]]:
        return [tuple(x["shape"][1:]) for x in sampled(scene.data)]

    def more(self, run: "Run") -> dict[str, Any] | None:
        """A further piece as a message; None where it does not fit what the page has.

        Args:
            run: the piece, whose first sample is the last of the one before.
        """
        scene = self._scene(run)
        if self._shapes(scene) != self._form:
            return None
        numbers = Numbers()
        arrays = [numbers.put(x[1:], "f8") for x in scene.numbers.filled(sampled(scene.data))]
        return {"kind": "more", "arrays": arrays, "bytes": numbers.text(deflated=False)}


__all__ = ["PieceTrack", "Stream", "sampled"]
