"""Why a run could not go on, in words that say where to look."""

from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.formulations.initial_conditions import independence

if TYPE_CHECKING:
    from kaneflex.simulate.segment import Segment


def _culprit(segment: "Segment", stepper: Any) -> str:
    """The coordinate or speed that changes fastest, or is not finite."""
    values = segment.dynamics._derivative(stepper.t, stepper.y)
    names = [*segment.plan.index.coordinates, *segment.plan.index.speeds]
    n = len(names)
    bad = np.flatnonzero(~np.isfinite(values[:n]))
    k = int(bad[0]) if len(bad) else int(np.argmax(np.abs(values[:n])))
    return names[k]


def _near_singular(segment: "Segment", stepper: Any) -> str:
    """A word about a constraint that is nearly singular where the stepper is, or nothing."""
    if not segment.plan.index.constraints:
        return ""
    layout, y = segment.plan.layout, stepper.y
    rate = segment.dynamics.derivative(stepper.t, y)
    ahead = y + 1e-3 / max(float(np.abs(rate[layout.q]).max()), 1e-300) * rate  # at the very place the rank tells nothing
    ranks = []
    for q, u in ((y[layout.q], y[layout.u]), (ahead[layout.q], y[layout.u])):
        rank, share, name = independence(segment.dynamics, stepper.t, q, u)
        ranks.append(rank)
    near = share < 1e-4 or ranks[1] > ranks[0]
    return f'; constraint "{name}" is nearly singular there' if near else ""


def why_long(segment: "Segment", stepper: Any) -> str:
    """That the run took too many steps."""
    return (
        f'{segment.options.max_steps} steps were spent by t = {stepper.t:.6g} s, '
        f'where "{_culprit(segment, stepper)}" changes '
        'fastest: look for an unstable controller or a stiff spring (method="sdirk4"), take longer steps through what turns '
        'or swings many times (method="dop853"), or raise max_steps' + _near_singular(segment, stepper)
    )


def why_small(segment: "Segment", stepper: Any) -> str:
    """That no step is small enough."""
    return (
        f'the step became too small at t = {stepper.t:.6g} s, where "{_culprit(segment, stepper)}" changes fastest: '
        'for stiff springs or dampers use method="sdirk4", else look for a singular position or a jump in a function'
        + _near_singular(segment, stepper)
    )


def why_no_value(segment: "Segment", stepper: Any) -> str:
    """That an event function gave NaN."""
    k = stepper.event
    name = f'event "{segment.events[k].name}"' if k < len(segment.events) else f'contact "{segment.due(k)[1]}"'
    return f"{name}: its function is not a number (NaN) at t = {stepper.asked:.9g} s: look for a root or a division"


def why_not_finite(segment: "Segment", stepper: Any) -> str:
    """That the state is not finite."""
    return (
        f'the state stopped being finite at t = {stepper.t:.6g} s, first in "{_culprit(segment, stepper)}": '
        "look for a division by zero in a function, a singular position, or too large a fixed step"
    )
