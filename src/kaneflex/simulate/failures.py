"""Why a run could not go on, in words that say where to look."""

from typing import TYPE_CHECKING

import numpy as np

from kaneflex.formulations.initial_conditions import independence
from kaneflex.formulations.undefined_loads import line_without_length, undefined_load
from kaneflex.plan.formulation import OtherCoordinates
from kaneflex.structures.modes.modal_data import ModalBody
from kaneflex.structures.modes.modal_nodes import followed

if TYPE_CHECKING:
    from kaneflex.simulate.integrator import Integrator
    from kaneflex.simulate.segment import Segment

ALMOST_IN = 0.01  # of its first segment: a rod of which next to nothing is outside
LARGEST_DEFLECTION, LARGEST_SLOPE = 0.1, 0.3  # of the length, and rad: the range of the theory of flexible bodies


def _culprit(segment: "Segment", stepper: "Integrator") -> str:
    """The coordinate or speed that changes fastest, or is not finite."""
    values = segment.dynamics._derivative(stepper.t, stepper.y)
    names = [*segment.plan.index.coordinates, *segment.plan.index.speeds]
    n = len(names)
    bad = np.flatnonzero(~np.isfinite(values[:n]))
    k = int(bad[0]) if len(bad) else int(np.argmax(np.abs(values[:n])))
    return names[k]


def _near_singular(segment: "Segment", stepper: "Integrator") -> str:
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
    passes = ', where formulation="recursive" goes on' if isinstance(segment.plan.formulation, OtherCoordinates) else ""
    return f'; constraint "{name}" is nearly singular there{passes}' if near else ""


def _overbent(segment: "Segment", stepper: "Integrator") -> str:
    """The flexible body that is farthest out of the range of its theory where the stepper is, in words, or nothing.

    Deflections are those of its nodes beside its farthest node from the root, slopes their rotations.
    """
    plan, worst, said = segment.plan, 1.0, ""
    for name, place in plan.index.modes.items():
        if not isinstance(place.modal, ModalBody):
            continue  # a rod, whose deflections may be of any size
        nodes = {label: place.modal.nodes[label] for label in followed(place.modal.nodes)}
        eta = stepper.y[plan.layout.q][place.q0 : place.q0 + place.modes]
        length = max((float(np.linalg.norm(node.position)) for node in nodes.values()), default=0.0)
        for label, node in nodes.items():
            moved = float(np.linalg.norm(node.Phi @ eta)) / length if length else 0.0
            turned = float(np.linalg.norm(node.Psi @ eta))
            if max(moved / LARGEST_DEFLECTION, turned / LARGEST_SLOPE) > worst:
                worst = max(moved / LARGEST_DEFLECTION, turned / LARGEST_SLOPE)
                said = f'flexible body "{name}" is deflected by {moved:.2g} of its length'
                said += f' and turned by {turned:.2g} rad at "{label}"'
    return said


def _beyond(segment: "Segment", stepper: "Integrator", what: str) -> str:
    """The words for a run that stopped with a flexible body out of the range of its theory, or nothing."""
    said = _overbent(segment, stepper)
    limits = f"{LARGEST_DEFLECTION:g} of the length and {LARGEST_SLOPE:g} rad"
    return f"{what} at t = {stepper.t:.6g} s: {said}; its theory holds to {limits}: cut it into several" if said else ""


def _undefined(segment: "Segment", stepper: "Integrator", what: str) -> str:
    """The words for a run that stopped where a load is not defined, there or within a fixed step from there, or nothing."""
    dynamics, t, y, step = segment.dynamics, stepper.t, stepper.y, segment.options.step or 0.0
    rate = dynamics._derivative(t, y)
    said = undefined_load(dynamics, t)
    for ahead in (step / 2, step):
        if not said and ahead:
            dynamics._derivative(t + ahead, y + ahead * rate)
            said = line_without_length(dynamics, t + ahead)
    return f"{what}: {said}" if said else ""


def _drawn_in(segment: "Segment", stepper: "Integrator", what: str) -> str:
    """The words for a run that stopped where a drive pulled at the end of a rod of which nothing is left, or nothing."""
    for name, found in segment.plan.index.feeds.items():
        left, first = float(stepper.y[found.slide]), float(found.feed.lengths[0])
        if left < ALMOST_IN * first and stepper.y[segment.layout.u][found.rate] < 0:
            return (
                f'{what} at t = {stepper.t:.6g} s, where feed "{name}" has drawn rod "{found.feed.rod}" in but for '
                f"{left:.3g} m and its drive pulls at next to no mass: hang a body on its tip, or stop before by an event"
            )
    return ""


def why_long(segment: "Segment", stepper: "Integrator") -> str:
    """That the run took too many steps."""
    return _beyond(segment, stepper, f"{segment.options.max_steps} steps were spent") or (
        f"{segment.options.max_steps} steps were spent by t = {stepper.t:.6g} s, "
        f'where "{_culprit(segment, stepper)}" changes '
        'fastest: look for an unstable controller or a stiff spring (method="radau5"), take longer steps through what turns '
        'or swings many times (method="dop853"), or raise max_steps' + _near_singular(segment, stepper)
    )


def why_small(segment: "Segment", stepper: "Integrator") -> str:
    """That no step is small enough."""
    what = "the step became too small"
    return (
        _beyond(segment, stepper, what)
        or _undefined(segment, stepper, what)
        or _drawn_in(segment, stepper, what)
        or (
            f'the step became too small at t = {stepper.t:.6g} s, where "{_culprit(segment, stepper)}" changes fastest: '
            'for stiff springs or dampers use method="radau5", else look for a singular position or a jump in a function'
            + _near_singular(segment, stepper)
        )
    )


def why_no_value(segment: "Segment", stepper: "Integrator") -> str:
    """That an event function gave NaN."""
    k = stepper.event
    name = f'event "{segment.events[k].name}"' if k < len(segment.events) else f'contact "{segment.happenings.due(k)[1]}"'
    return f"{name}: its function is not a number (NaN) at t = {stepper.asked:.9g} s: look for a root or a division"


def why_not_finite(segment: "Segment", stepper: "Integrator") -> str:
    """That the state is not finite."""
    what = "the state stopped being finite"
    return (
        _beyond(segment, stepper, what)
        or _undefined(segment, stepper, what)
        or (
            f'the state stopped being finite at t = {stepper.t:.6g} s, first in "{_culprit(segment, stepper)}": '
            "look for a division by zero in a function, a singular position, or too large a fixed step"
        )
    )
