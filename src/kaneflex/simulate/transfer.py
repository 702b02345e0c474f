"""The same motion in another model: coordinates and rates by name, those of new joints from the motion of their bodies."""

from collections.abc import Iterable, Mapping

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.part import Part
from kaneflex.plan.plan import Plan
from kaneflex.simulate.exchange import AT_REST, Motion

Coordinates = tuple[float, ...]  # of a joint


def motion_of_bodies(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray, names: Iterable[str]) -> dict[str, Motion]:
    """Motion of the own frames of these bodies at time t, coordinates q and speeds u."""
    words, names = ("rotation", "position", "omega", "velocity"), list(names)
    if not names:
        return {}
    reader = ChannelReader(dynamics.plan, [f"{name}.{word}" for name in names for word in words])
    values = reader.read_one(dynamics, t, np.concatenate([q, u]))
    found = {}
    for name in names:
        R, p, omega, v = (values[f"{name}.{word}"] for word in words)
        found[name] = Motion(R, p, R @ omega, v)
    return found


def transfer_state(
    old: Dynamics,
    plan: Plan,
    moved: Mapping[str, Coordinates],
    inputs: Mapping[str, float],
    t: float,
    q: np.ndarray,
    u: np.ndarray,
) -> tuple[Dynamics, np.ndarray, np.ndarray]:
    """The same motion in another plan: its dynamics, with inputs of these values and the states of blocks as they are, q
    and u.

    Bodies that are new start from what their parts say, joints that are new on others from the coordinates in `moved`. It
    takes time in proportion to the number of bodies.
    """
    index, parts = plan.index, plan.model.parts
    before, rates = old.plan.index, old.rates_from_speeds(q, u)
    after_q, after_rates = np.zeros(plan.nq), np.zeros(plan.nu)
    about = {one for name in moved if name in parts for one in (name, parts[name].parent) if one in before.joints}
    motion = motion_of_bodies(old, t, q, u, about)
    for name, joint in index.joints.items():
        place, speeds = slice(joint.q0, joint.q0 + joint.coordinates), slice(joint.u0, joint.u0 + joint.speeds)
        if name in moved:
            after_q[place], after_rates[speeds] = moved[name], _relative_rates(parts[name], motion)
        elif name not in before.joints:
            part = parts[name]
            after_q[place] = part.joint.facts.neutral if part.q is None else part.q
            after_rates[speeds] = 0.0 if part.rates is None else part.rates
        else:
            was = before.joints[name]
            after_q[place] = q[was.q0 : was.q0 + was.coordinates]
            after_rates[speeds] = rates[was.u0 : was.u0 + was.speeds]
    for name, k in index.rotors.items():
        after_rates[k] = rates[before.rotors[name]] if name in before.rotors else plan.model.rotors[name][1].rate
    for name, modes in index.modes.items():
        if name in before.modes:
            own = before.modes[name]
            after_q[modes.q0 : modes.q0 + modes.modes] = q[own.q0 : own.q0 + own.modes]
            after_rates[modes.u0 : modes.u0 + modes.modes] = rates[own.u0 : own.u0 + own.modes]
    new = Dynamics(plan)
    new.set_inputs(np.array([inputs[name] for name in index.inputs]))
    new.set_states(states_of(old, plan))
    return new, after_q, new.speeds_from_rates(after_q, after_rates)


def states_of(old: Dynamics, plan: Plan) -> np.ndarray:
    """States of the blocks of another plan: as they are, or those that new ones start from."""
    z, before = old.z, old.plan.index.blocks
    found = [np.zeros(0)]
    for name in plan.index.blocks:
        was = before.get(name)
        found.append(plan.model.blocks[name].start if was is None else z[was.z0 : was.z0 + len(was.states)])
    return np.concatenate(found)


def _relative_rates(part: Part, motion: Mapping[str, Motion]) -> list[float]:
    """Rates of a joint in its neutral pose (Free: any) from the motion of its bodies."""
    R, p, omega, v = motion[part.name]
    carrier = motion.get(part.parent, AT_REST)
    axes = R @ part.hinge.R @ part.joint.alignment
    point = p + R @ part.hinge.p
    v = v + np.cross(omega, point - p) - carrier.v - np.cross(carrier.omega, point - carrier.p)
    twist = [*(axes.T @ (omega - carrier.omega)), *(axes.T @ v)]
    columns = part.joint.facts.at_neutral or part.joint.facts.axes
    return [float(twist[k]) for k in columns]


__all__ = ["Coordinates", "motion_of_bodies", "states_of", "transfer_state"]
