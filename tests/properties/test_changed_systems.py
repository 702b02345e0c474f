"""Systems that change: a joint locked by an event is a fixed joint from there, one that is released is a free one, and
one that follows a motion does so under the force that its drive reports. Tolerances are a few times the errors seen at
rtol = 1e-12."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from properties.alike import few_and_many, holds
from properties.remakes import Spoiled
from properties.worlds import TIGHT, World, by_name, flexible, looped, rigid, system_of

import kaneflex as kf
from kaneflex.model.frames import Frame
from kaneflex.model.profiles import cosine
from kaneflex.plan.build import build

Array = np.ndarray
SCALAR = ("Revolute", "Prismatic", "Screw", "Spherical", "Universal")
MAKE = {
    "rigid": lambda seed: rigid(seed, kinds=SCALAR),
    "flexible": lambda seed: flexible(seed, kinds=SCALAR),
    "looped": lambda seed: looped(seed, kinds=SCALAR, ties=("Spherical", "Distance", "PointOnLine")),
}
all_makes = pytest.mark.parametrize("make", MAKE)


def at_start(t: float) -> float:
    """Falls through zero at 0.1 s."""
    return 0.1 - t


def scalar_joint(world: World) -> str:
    """A joint of one coordinate, not the first."""
    return next(b for b in world.bodies[1:] if type(world.system.parts[b].joint) in (kf.Revolute, kf.Prismatic, kf.Screw))


def with_scalar(make: str, seed: int) -> tuple[World, str]:
    for k in range(100):
        world = MAKE[make](1000 * seed + k)
        try:
            return world, scalar_joint(world)
        except StopIteration:
            continue
    raise AssertionError("no joint of one coordinate")


def changing(world: World, action: Callable[..., Any]) -> kf.Run:
    """A run that changes at 0.1 s."""
    return world.run(events=[kf.Event(at_start, name="change", action=action)])


def fixed_as_it_is(system: kf.System, name: str, q: float) -> kf.System:
    """The system with a joint replaced by a fixed one in the pose of q."""
    part = system.parts[name]
    A, joint = part.joint.alignment, part.joint
    c, s = (1.0, 0.0) if isinstance(joint, kf.Prismatic) else (np.cos(q), np.sin(q))
    slide = {kf.Prismatic: q, kf.Screw: q * getattr(joint, "pitch", 0.0) / (2 * np.pi)}.get(type(joint), 0.0)
    R = A @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ A.T
    other = system_of(system)
    rotation = part.at.R @ R
    moved = part.at.R @ A[:, 2] * slide
    if type(part.at) is Frame or not slide:
        at = replace(part.at, position=part.at.p + moved, rotation=rotation)
        other.parts.put(name, replace(part, joint=kf.Fixed(), at=at))
    else:  # a node carries no point beside itself: the slide goes to the child
        hinge = replace(part.hinge, position=part.hinge.p - part.hinge.R @ A[:, 2] * slide)
        other.parts.put(name, replace(part, joint=kf.Fixed(), at=replace(part.at, rotation=rotation), hinge=hinge))
    other.take_over(loads={n: x for n, x in other.loads.items() if getattr(x, "joint", None) != name})
    other.take_over(inputs={n: x for n, x in other.inputs.items() if getattr(x, "joint", None) != name})
    return other


@all_makes
@few_and_many
def test_locked_is_fixed(make, seeds):
    """After a joint is locked, the motion is that of a system with a fixed joint there, started with the rates after the
    jump."""

    def measure(seed, spoil=0.0):
        world, joint = with_scalar(make, seed)
        run = changing(world, lambda state, change: change.lock(joint))
        last = run.last
        state = last.state(0)
        system = fixed_as_it_is(world.system, joint, state[f"{joint}.q"])
        start = {n: x for n, x in by_name(system, state).items() if not n.startswith(f"{joint}.") or "modes" in n}
        inputs = {n: x for n, x in world.inputs.items() if n in system.inputs}
        other = World(system, start, world.span - 0.1, inputs)
        again = (Spoiled(spoil)(other) if spoil else other).run(times=last.t - last.t[0])
        worst = 0.0
        for body in world.bodies:
            for what in ("position", "velocity", "acceleration"):
                x, y = last[f"{body}.{what}"], again[f"{body}.{what}"]
                worst = max(worst, float(np.abs(x - y).max()) / max(1.0, float(np.abs(x).max())))
        return worst

    holds(measure, seeds, 1e-9)


@all_makes
@few_and_many
def test_jump_of_a_lock(make, seeds):
    """Speeds jump by the impulse in the locked joint alone: in the metric of M, to the nearest speeds without that rate."""

    def measure(seed, spoil=0.0):
        world, joint = with_scalar(make, seed)
        run = changing(world, lambda state, change: change.lock(joint))
        before, after = run.segments[0].final, run.last.state(0)
        plan = build(world.system)
        d, place = world.system.dynamics(), plan.index.joints[joint].u0
        M = d.mass_matrix(before.q) * (1 + spoil * np.diag(np.arange(plan.nu)))
        J = np.zeros((1, plan.nu))
        J[0, place] = 1
        if world.system.constraints:
            rest = d.equations(0.1, before.q, np.zeros(plan.nu))[1]
            rows = [d.equations(0.1, before.q, e)[1] - rest for e in np.eye(plan.nu)]
            J = np.vstack([J, np.column_stack(rows)])
        X = np.linalg.solve(M, J.T)
        wanted = before.rates - X @ np.linalg.solve(J @ X, J @ before.rates)
        return float(np.abs(wanted - after.rates).max()) / max(1.0, float(np.abs(before.rates).max()))

    holds(measure, seeds, 1e-10)


@all_makes
@few_and_many
def test_released_is_free(make, seeds):
    """A joint that is held at its value from the start and released moves as one that was free, from there."""

    def measure(seed, spoil=0.0):
        world, joint = with_scalar(make, seed)
        system = system_of(world.system)
        part = system.parts[joint]
        q = float(np.ravel(world.start[f"{joint}.q"])[0])
        system.parts.put(joint, replace(part, joint=replace(part.joint, motion=kf.profiles.hold(q))))
        start = {**world.start, f"{joint}.rate": 0.0}
        if system.constraints:  # with the joint held the others' rates cannot be what they are
            start = {name: v for name, v in start.items() if name.endswith((".q", ".modes"))}
            start = by_name(system, system.assemble(start).state)
        held = world.but(system=system, start=start)
        run = changing(held, lambda state, change: change.release(joint))
        free = world.but(start=by_name(world.system, run.last.state(0)), span=world.span - 0.1)
        other = (Spoiled(spoil)(free) if spoil else free).run(times=run.last.t - run.last.t[0])
        worst = 0.0
        for body in world.bodies:
            x, y = run.last[f"{body}.position"], other[f"{body}.position"]
            worst = max(worst, float(np.abs(x - y).max()) / max(1.0, float(np.abs(x).max())))
        return worst

    holds(measure, seeds, 1e-10)


# -- motions and the forces that they take ---------------------------------------------------------------------------------


@all_makes
@few_and_many
def test_drive_gives_the_motion_that_asks_for_it(make, seeds):
    """At every sample: with the joint free and the force that its drive reports in it, all accelerations are the same."""

    def measure(seed, spoil=0.0):
        world, joint, run = driven_run(make, seed)
        free = system_of(world.system)
        name = free.add_input("as_driven", kf.JointForce(joint))
        d, worst = free.dynamics(), 0.0
        order = list(d.plan.index.inputs)
        for k in range(len(run.t)):
            state = run.state(k)
            inputs = {**world.inputs, name: float(run[f"{joint}.drive"][k]) * (1 + spoil)}
            d.set_inputs(np.array([inputs[n] for n in order]))
            y = np.concatenate([state.q, d.speeds_from_rates(state.q, state.rates), [0.0, 0.0]])
            ydot = d.derivative(run.t[k], y)
            wanted = run.trajectory.dynamics.derivative(run.t[k], run.trajectory.y[k])
            n = d.plan.nq + d.plan.nu
            worst = max(worst, float(np.abs(ydot[:n] - wanted[:n]).max()) / max(1.0, float(np.abs(wanted[:n]).max())))
        return worst

    holds(measure, seeds, 1e-11)


def driven_run(make: str, seed: int) -> tuple[World, str, kf.Run]:
    """A world, a joint of it, and the run in which that follows a motion from where it is; one that loops do not forbid."""
    for k in range(20):
        world, joint = with_scalar(make, 20 * seed + k)
        driven, part = system_of(world.system), world.system.parts[joint]
        motion = cosine(0.4, 1.9, -np.pi / 2, float(np.ravel(world.start[f"{joint}.q"])[0]))
        driven.parts.put(joint, replace(part, joint=replace(part.joint, motion=motion)))
        try:
            start = {n: x for n, x in world.start.items() if n != f"{joint}.rate"}  # that is the motion's
            if driven.constraints:
                near = driven.state(start)
                near.given = None  # all may be moved
                start = by_name(driven, driven.assemble(near).state)
            return world, joint, world.but(system=driven, start=start).run(duration=0.2, output=0.04)
        except (kf.ModelError, kf.SimulationError):
            continue
    raise AssertionError("no joint can be driven")


def test_recorded_drive_repeats_the_motion():
    """The drive of a whole run, fitted by a polynomial and fed to the free joint, repeats the run."""

    def measure(seed, spoil=0.0):
        s = arm(motion=cosine(0.8, 2.0))
        nodes = np.cos(np.pi * (np.arange(41) + 0.5) / 41)[::-1]
        driven = s.simulate(0.6, times=0.3 * (nodes + 1), **TIGHT)
        table = np.polynomial.chebyshev.chebfit(nodes, driven["a.drive"], 40) * (1 + spoil)
        free = arm(motion=None)

        def torque(now):
            x = now / 0.3 - 1.0
            b1 = b2 = 0.0
            for k in range(40, 0, -1):
                b1, b2 = 2 * x * b1 - b2 + table[k], b1
            return x * b1 - b2 + table[0]

        first_state = s.simulate(0.6, times=[0.0], **TIGHT).state(0)
        start = {"a.q": first_state["a.q"], "a.rate": first_state["a.rate"], "b.q": 0.3}
        run = free.simulate(0.6, times=driven.t, initial=start, inputs={"motor": torque}, **TIGHT)
        return float(np.abs(run["b.position"] - driven["b.position"]).max())

    holds(measure, range(1), 1e-9)


def arm(motion: Any) -> kf.System:
    """Two links in a tilted plane; the first is driven, or has a motor."""
    s = kf.System("arm", gravity=(1.0, -9.81, 0.0))
    link = kf.Rigid(1.0, com=(0.5, 0.1, 0), inertia=(0.1, 0.2, 0.2), frames={"tip": (1, 0, 0)})
    s.add("a", link, kf.Revolute("z", motion=motion), q=0.0)
    s.add("b", link, kf.Revolute("z"), parent="a", at="tip", q=0.3)
    if motion is None:
        s.add_input("motor", kf.JointForce("a"))
    return s
