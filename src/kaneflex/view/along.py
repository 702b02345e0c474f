"""What a rod is coloured by: its channels along the arc, at the samples of a page.

Curvature and moment are those of bending: with their sign in a plane, in space the length of the part across the rod, beside
twist and torque, the part along it. What is the same everywhere, such as the strain of a rod that does not stretch, is left
out. A page has the numbers in sixteen bits between the least and the largest of all rods
and runs on it, which is also what its scale of colours goes by.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.rods.rod import Cable
from kaneflex.structures.rod_tables import RodData

if TYPE_CHECKING:
    from kaneflex.results.run import Run

Array = np.ndarray
CHANNELS = ("curvature", "moment", "tension", "strain")  # of a cable, which does not resist bending, the last two
LEVELS = 65535  # steps from the least to the largest
NOTHING = 1e-5  # an end of the scale that is so small beside it is shown as 0
EVEN = 1e-9  # spread over size below which something is the same everywhere
UNITS = {
    "curvature": "rad/m", "twist": "rad/m", "moment": "N m", "torque": "N m", "tension": "N", "strain": "",
}  # fmt: skip
_ACROSS: Callable[[Array], Array] = lambda x: np.linalg.norm(x[..., 1:], axis=-1)
_ALONG: Callable[[Array], Array] = lambda x: x[..., 0]
#: Of channels with three numbers at a place: what is shown of them, by name.
PARTS = {
    "curvature": {"curvature": _ACROSS, "twist": _ALONG},
    "moment": {"moment": _ACROSS, "torque": _ALONG},
}


@dataclass(frozen=True)
class Along:
    """Values along a rod.

    Args:
        arcs: arc lengths of the places, (n,), m.
        values: by what they are, (K, n).
    """

    arcs: Array
    values: Mapping[str, Array]


def along(run: "Run", keep: Array) -> dict[str, Along]:
    """Values along all rods of a run, by the name of the rod.

    Args:
        run: the run.
        keep: numbers of the samples.
    """
    arcs = {name: rod.arc[:-1] for name, rod in run.model.rods.items()}
    for name, place in run.plan.index.modes.items():
        if isinstance(place.modal, RodData):
            arcs[name] = place.modal.arcs
    slack = [name for name, rod in run.model.rods.items() if isinstance(rod.rod, Cable)]
    shown = {name: ("tension", "strain") if name in slack else CHANNELS for name in arcs}
    return {name: Along(np.asarray(at), _values(run, name, shown[name], len(at), keep)) for name, at in arcs.items()}


def _values(run: "Run", rod: str, channels: Iterable[str], n: int, keep: Array) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for channel in channels:
        values = None
        with suppress(ModelError):  # a rod may have no such channel, or loads need functions that a file does not hold
            values = np.asarray(run[f"{rod}.{channel}"])[keep]
        if values is None or values.shape[:2] != (len(keep), n):
            continue
        if values.ndim == 2:
            found[channel] = values
        else:
            found |= {name: part(values) for name, part in PARTS[channel].items()}
    return {name: values for name, values in found.items() if _tells(values)}


def _tells(values: Array) -> bool:
    """Whether there is anything to see: numbers that are not the same everywhere."""
    known = values[np.isfinite(values)]
    return known.size > 0 and float(np.ptp(known)) > EVEN * float(np.abs(known).max())


def ranges(tracks: Iterable[Mapping[str, Along]]) -> dict[str, tuple[float, float]]:
    """The least and the largest of every quantity, over all rods of all runs.

    Args:
        tracks: one mapping of rods for each run.
    """
    found: dict[str, tuple[float, float]] = {}
    for rod in (rod for track in tracks for rod in track.values()):
        for name, values in rod.values.items():
            low, high = float(np.nanmin(values)), float(np.nanmax(values))
            known = found.get(name, (low, high))
            found[name] = min(low, known[0]), max(high, known[1])
    return {name: _tidy(*found[name]) for name in UNITS if name in found}


def _tidy(low: float, high: float) -> tuple[float, float]:
    """Ends of a scale, without one that is nothing beside it."""
    small = NOTHING * (high - low)
    return 0.0 if abs(low) < small else low, 0.0 if abs(high) < small else high


def coded(values: Array, within: tuple[float, float]) -> Array:
    """Numbers in steps from 0, the least, to LEVELS, the largest; 0 where there is none.

    Args:
        values: the numbers.
        within: the least and the largest.
    """
    low, high = within
    return np.clip(np.nan_to_num(np.rint((values - low) / (high - low) * LEVELS), nan=0.0), 0, LEVELS)


def chosen(colour: str | None, known: Iterable[str]) -> str | None:
    """What rods are coloured by at first, checked.

    Args:
        colour: as the user gives it.
        known: what there is.
    """
    found = list(known)
    if colour is None or colour in found:
        return colour
    there = f"there {'is' if len(found) == 1 else 'are'} {', '.join(found)}" if found else "no rod of this run has any"
    raise ModelError(f'rods cannot be coloured by "{colour}": {there}')


def scales(found: Mapping[str, tuple[float, float]]) -> list[dict[str, Any]]:
    """The quantities of a page, as its scene has them.

    Args:
        found: from `ranges`.
    """
    return [{"name": name, "unit": UNITS[name], "range": [float(f"{x:.9g}") for x in ends]} for name, ends in found.items()]


__all__ = ["Along", "along", "chosen", "coded", "ranges", "scales"]
