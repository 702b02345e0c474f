"""A run and what goes on from it, as one."""

from dataclasses import replace

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.plan.plan import Plan
from kaneflex.simulate.trajectory import Trajectory


def together(first: Trajectory, second: Trajectory) -> Trajectory:
    """The trajectory of both: one time axis, events and impacts of both, and all that is needed to go on.

    Where the system, its input functions and the integrator are the same on both sides, the samples there are joined, the
    one at the seam once; else the seam is one between segments, and its instant is sampled on both sides.
    """
    start = second.segments[0] if second.segments else second
    (t, y), behind = first.at_end, start.t[0]
    if behind < t - 1e-12 * max(1.0, abs(t)) or second.clock != first.clock:
        raise ModelError(
            f"the run to join begins at t = {behind:.9g} s and does not go on from this one, which ends at {t:.9g} s: "
            "join what extend gave"
        )
    earlier, later = [*first.segments, first], [*second.segments, second]
    if _alike(first, start) and (behind > t or _same(start.y[0], y)):
        earlier.pop()
        later[0] = _merged(first, start)
    last = later.pop()
    return replace(last, segments=(*earlier, *later), assembly=first.assembly, before=first.before)


def _same(y: np.ndarray, other: np.ndarray) -> bool:
    """Whether a state is another one but for rounding: samples are brought to their constraints once more."""
    return y.shape == other.shape and bool(np.allclose(y, other, rtol=1e-9, atol=1e-12))


def _alike(a: Trajectory, b: Trajectory) -> bool:
    """Whether two trajectories are of one system, driven in the same way, by the same integrator."""
    same = a.options == b.options and a.plan.index.coordinates == b.plan.index.coordinates
    same = same and a.plan.index.speeds == b.plan.index.speeds and np.array_equal(a.plan.P, b.plan.P)
    return bool(same and a.plan.missing == b.plan.missing and _functions(a.plan) == _functions(b.plan))


def _functions(plan: Plan) -> list[object]:
    """The user functions that channels depend on: all but those of events."""
    return [law.function for law in plan.laws[: plan.header.first_event]]


def _merged(a: Trajectory, b: Trajectory) -> Trajectory:
    """Samples, events and counts of both as of one trajectory, which goes on as the second does."""
    seam = 1 if a.t[-1] == b.t[0] and _same(a.y[-1], b.y[0]) else 0
    statistics = {k: a.statistics.get(k, 0) + b.statistics.get(k, 0) for k in {**a.statistics, **b.statistics}}
    return replace(
        b,
        t=np.concatenate([a.t, b.t[seam:]]),
        y=np.concatenate([a.y, b.y[seam:]]),
        inputs=np.concatenate([a.inputs, b.inputs[seam:]]),
        statistics=statistics,
        events=[*a.events, *b.events],
        impacts=[*a.impacts, *b.impacts],
        projection_failures=[*a.projection_failures, *b.projection_failures],
        unseen=[*a.unseen, *b.unseen],
        before=a.before,
    )
