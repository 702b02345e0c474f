"""What bodies are coloured by: a rod by its channels along the arc, any body by its speed and turning.

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
from kaneflex.view.rods import owners_of
from kaneflex.view.samples import gather, pieces

if TYPE_CHECKING:
    from kaneflex.results.run import Run

Array = np.ndarray
CHANNELS = ("curvature", "moment", "tension", "strain")  # of a cable, which does not resist bending, the last two
WHOLE = {"speed": "velocity", "turning": "omega"}  # of any body, by its channel: the length of the vector
LEVELS = 65535  # steps from the least to the largest
NOTHING = 1e-5  # an end of the scale that is so small beside it is shown as 0
EVEN = 1e-9  # spread over size below which something is the same everywhere
UNITS = {
    "curvature": "rad/m", "twist": "rad/m", "moment": "N m", "torque": "N m", "tension": "N", "strain": "",
    "speed": "m/s", "turning": "rad/s",
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
    """Values along a rod, or of a body as a whole.

    Args:
        arcs: arc lengths of the places, (n,), m; of what is no rod, one.
        values: by what they are, (K, n).
    """

    arcs: Array
    values: Mapping[str, Array]


def along(run: "Run", keep: Array, colour: str | None = None) -> dict[str, Along]:
    """Values along all rods of a run, and of its other bodies, by name.

    Args:
        run: the run.
        keep: numbers of the samples.
        colour: channel that bodies are coloured by besides; None for none.
    """
    arcs = {name: rod.arc[:-1] for name, rod in run.model.rods.items()}
    for name, place in run.plan.index.modes.items():
        if isinstance(place.modal, RodData):
            arcs[name] = place.modal.arcs
    slack = [name for name, rod in run.model.rods.items() if isinstance(rod.rod, Cable)]
    shown = {name: ("tension", "strain") if name in slack else CHANNELS for name in arcs}
    found = {name: Along(np.asarray(at), _values(run, name, shown[name], len(at), keep)) for name, at in arcs.items()}
    for name, rod in run.model.rods.items():
        speeds = gather(pieces(run, keep), [f"{segment}.velocity" for segment in rod.segments])
        if len(speeds) == len(rod.segments):
            speed = np.stack([np.linalg.norm(x, axis=1) for x in speeds.values()], axis=1)
            found[name] = Along(found[name].arcs, {**found[name].values, **({"speed": speed} if _tells(speed) else {})})
    return found | _whole(run, keep, set(found), colour)


def _whole(run: "Run", keep: Array, rods: set[str], colour: str | None) -> dict[str, Along]:
    """Speed and turning of bodies, and the size of another channel that is asked for."""
    wanted = WHOLE if colour is None or colour in UNITS else {**WHOLE, colour: colour}
    parts, owners = pieces(run, keep), owners_of(run.model)
    bodies = [b for b in dict.fromkeys(b for part in parts for b in part.model.parts) if b not in rods | set(owners)]
    values = gather(parts, [f"{body}.{channel}" for body in bodies for channel in wanted.values()])
    size = lambda x: x.reshape(-1, 1) if x.ndim == 1 else np.linalg.norm(x.reshape(len(keep), -1), axis=1)[:, None]
    found: dict[str, dict[str, Array]] = {body: {} for body in bodies}
    for body in bodies:
        for name, channel in wanted.items():
            x = values.get(f"{body}.{channel}")
            if x is None and name == colour:
                with suppress(ModelError):
                    x = np.asarray(run[f"{body}.{channel}"], dtype=float)[keep]
            if x is not None and np.isfinite(x).any():
                found[body][name] = size(x)
    seen = {name: [v[name].ravel() for v in found.values() if name in v] for name in wanted}
    telling = {name for name, x in seen.items() if x and _tells(np.concatenate(x))}
    return {b: Along(np.zeros(1), {n: x for n, x in v.items() if n in telling}) for b, v in found.items()}


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
    return {name: _tidy(*found[name]) for name in (*UNITS, *(n for n in found if n not in UNITS)) if name in found}


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
    there = f"there {'is' if len(found) == 1 else 'are'} {', '.join(found)}" if found else "nothing in this run differs"
    raise ModelError(f'bodies cannot be coloured by "{colour}": {there}')


def scales(found: Mapping[str, tuple[float, float]], unit: str = "") -> list[dict[str, Any]]:
    """The quantities of a page, as its scene has them.

    Args:
        found: from `ranges`.
        unit: of a channel that was asked for.
    """
    digits = lambda ends: [float(f"{x:.9g}") for x in ends]
    return [{"name": name, "unit": UNITS.get(name, unit), "range": digits(ends)} for name, ends in found.items()]


__all__ = ["Along", "along", "chosen", "coded", "ranges", "scales"]
