"""Values of many channels at chosen samples of a run, in one pass over every segment of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.model import Model
from kaneflex.plan.plan import Plan

if TYPE_CHECKING:
    from kaneflex.results.run import Run

Array = np.ndarray


@dataclass(frozen=True)
class Piece:
    """Samples over which the system stays the same.

    Args:
        plan, dynamics: of the system.
        t: times, s, (k,).
        y: states (q, u, ...), (k, n).
        inputs: values of inputs, (k, i), or None for those that are set.
    """

    plan: Plan
    dynamics: Dynamics
    t: Array
    y: Array
    inputs: Array | None

    @property
    def model(self) -> Model:
        """The model of the system."""
        return self.plan.model


def pieces(run: "Run", keep: Array) -> list[Piece]:
    """The chosen samples of a run, segment by segment; segments of which none is chosen are left out.

    Args:
        run: the run.
        keep: numbers of samples, ascending.
    """
    found, start = [], 0
    for segment in (*run.segments, run.last):
        tr = segment.trajectory
        own = keep[(keep >= start) & (keep < start + len(tr.t))] - start
        start += len(tr.t)
        if len(own):
            inputs = None if tr.inputs is None else tr.inputs[own]
            found.append(Piece(tr.plan, tr.dynamics, tr.t[own], tr.y[own], inputs))
    return found


def gather(parts: Sequence[Piece], names: Iterable[str]) -> dict[str, Array]:
    """Channels by name, (K,) or (K, k), rotations (K, 3, 3); NaN where a piece does not have one.

    Names that no piece has, and those that need more than the motion (accelerations, loads), are left out.

    Args:
        parts: from `pieces`.
        names: of channels.
    """
    wanted = list(dict.fromkeys(names))
    columns: dict[str, list[Array | int]] = {name: [] for name in wanted}
    for part in parts:
        known = [name for name in wanted if name in part.plan.channels and part.plan.channels[name].is_seen]
        reader = ChannelReader(part.plan, known, before_solve=True)
        reader.solves = part.model.base is not None and not part.plan.missing
        values = reader.read(part.dynamics, part.t, part.y, part.inputs) if known else {}
        for name in wanted:
            columns[name].append(values.get(name, len(part.t)))
    return {name: whole for name, found in columns.items() if (whole := _joined(found)) is not None}


def _joined(found: list[Array | int]) -> Array | None:
    """Pieces of a channel in one; a number stands for so many rows of NaN. None when it is nowhere or changes its size."""
    shapes = {x.shape[1:] for x in found if not isinstance(x, int)}
    if len(shapes) != 1:
        return None
    shape = shapes.pop()
    return np.concatenate([np.full((x, *shape), np.nan) if isinstance(x, int) else x for x in found])


def thinned(run: "Run", most: int) -> Array:
    """Numbers of at most about `most` samples, evenly spread, with the first, the last, and those beside events and changes.

    Args:
        run: the run.
        most: how many to choose.
    """
    n = len(run.t)
    if n <= 1.2 * most:  # a few left out here and there would be seen, and gain nothing
        return np.arange(n)
    chosen = [np.unique(np.linspace(0, n - 1, max(most, 2)).round().astype(int))]
    borders = np.cumsum([len(segment.t) for segment in (*run.segments, run.last)])[:-1]
    moments = np.searchsorted(run.t, [t for t, _ in run.events] + [i.t for i in run.impacts])
    near = np.concatenate([borders - 1, borders, moments - 1, moments])
    if len(near) <= most:
        chosen.append(near[(near >= 0) & (near < n)])
    return np.unique(np.concatenate(chosen)).astype(int)
