"""What hinges of structures that unfold are fitted with: latches, motors and dry friction."""

import math
from collections.abc import Sequence
from typing import Any

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import JointForce, JointSpring
from kaneflex.model.typed import Name, typed
from kaneflex.plan.plan import Event


@typed
def latch(
    joints: Name | Sequence[Name],
    at: float = 0.0,
    *,
    stiffness: float | None = None,
    damping: float = 0.0,
    direction: int = 0,
    name: Name = "latch",
) -> Event:
    """An event for `simulate` that latches joints when the first of them gets to a value; a run that ends before warns.

    Without a stiffness the joints are locked, a plastic impact, whose loss of energy is in run.impacts; with one,
    springs and dampers (latch_<joint>) hold them there from then on, and nothing jumps. It closes once, though a
    structure on springs passes there again.

    Args:
        joints: the joints, of one coordinate each, by name; the first one is watched.
        at: its value when the latch closes, rad or m; springs of all of them rest where they are then.
        stiffness: N m/rad or N/m; None to lock.
        damping: of the springs, N m s/rad or N s/m.
        direction: +1 to close when the coordinate rises, -1 when it falls, 0 for both.
        name: of the event.
    """
    held = (joints,) if isinstance(joints, str) else tuple(joints)
    if not held:
        raise ModelError(f'latch "{name}" has no joints: give one or several')
    at = checks.number(at, f'at of latch "{name}"')
    if stiffness is None and damping:
        raise ModelError(f'latch "{name}" has damping and no stiffness: give both, or neither to lock')
    if stiffness is not None:
        stiffness = checks.positive(stiffness, f'stiffness of latch "{name}"')
        damping = checks.not_negative(damping, f'damping of latch "{name}"')

    def close(state: Any, change: Any) -> None:
        for joint in held:
            if stiffness is None:
                if not change.model.parts[joint].joint.motions(joint):
                    change.lock(joint)
            elif f"latch_{joint}" not in change.model.loads:
                rest = float(state[f"{joint}.q"])
                change.apply(f"latch_{joint}", JointSpring(joint, stiffness=stiffness, damping=damping, rest=rest))

    return Event(lambda t, x: x[0] - at, [f"{held[0]}.q"], direction=direction, action=close, name=name, awaited=True)


@typed
def hinge_motor(joint: Name, stall: float, free_rate: float) -> JointForce:
    """Torque of a motor in a joint, or force: `stall` (1 - rate/free_rate), that of a DC motor at a constant voltage.

    Args:
        joint: of one coordinate.
        stall: at rest, N m or N.
        free_rate: rate at which there is none left, rad/s or m/s, of the sign of `stall`.
    """
    stall, free = checks.number(stall, "stall of a motor"), checks.number(free_rate, "free_rate of a motor")
    if not stall * free > 0:
        raise ModelError(f'motor in "{joint}": stall is {stall:g} and free_rate {free:g}: give both one sign, and not zero')
    return JointForce(joint, lambda t, x: stall * (1 - x[0] / free), sees=[f"{joint}.rate"])


@typed
def hinge_friction(joint: Name, torque: float, slow: float = 1e-3) -> JointForce:
    """Dry friction in a joint: `torque` against the rate w, as -torque w/sqrt(w^2 + slow^2).

    Args:
        joint: of one coordinate.
        torque: N m or N, while it moves.
        slow: rate below which friction is like damping, so that a joint under less than the torque creeps, rad/s or m/s.
    """
    most, slow = checks.not_negative(torque, "torque of friction"), checks.positive(slow, "slow rate of friction")
    return JointForce(joint, lambda t, x: -most * x[0] / math.sqrt(x[0] * x[0] + slow * slow), sees=[f"{joint}.rate"])
