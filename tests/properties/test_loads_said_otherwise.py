"""Loads in halves, with their opposites, carried to other points, as pairs, as inputs; gravity as forces and as a base
that is accelerated; springs side by side and end to end. Tolerances are a few times the errors seen at rtol = 1e-12."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from properties.alike import few_and_many, gap, holds
from properties.remakes import Spoiled
from properties.worlds import (
    LOADS,
    TIGHT,
    World,
    all_kinds,
    flexible,
    looped,
    rigid,
    run_of,
    struck,
    system_of,
    world_of,
)
from trees import frame
from trees import rigid as some_body

import kaneflex as kf
from kaneflex.model.frames import Frame, NodeFrame

MAKE = {"rigid": rigid, "flexible": flexible, "looped": looped, "struck": struck}


def reloaded(world: World, change: Any) -> World:
    """The world with each load replaced by those that `change(system, name, load)` gives, by name."""
    system = system_of(world.system)
    system.take_over(frames={b: dict(frames) for b, frames in system.frames.items()})
    old = dict(system.loads)
    system.take_over(loads={})
    for name, load in old.items():
        for other, said in change(system, name, load).items():
            system.apply(other, said)
    return world.but(system=system)


def part_of(load: Any, share: float) -> Any:
    """A share of a load."""
    if isinstance(load, kf.Force):
        return replace(load, value=share * np.array(load.value))
    names = {"value", "stiffness", "damping", "tension", "mu"} & set(load.__dataclass_fields__)
    return replace(load, **{n: share * getattr(load, n) for n in names})


def halves(system, name, load):
    """A load in two parts: springs side by side among them."""
    return {name: part_of(load, 0.3), f"{name}_rest": part_of(load, 0.7)}


def opposites(system, name, load):
    """With a force and its negative beside every load."""
    body = str(next(iter(system.parts)))
    push = kf.Force(body, (3.0, -5.0, 2.0), "inertial")
    return {name: load, f"{name}_push": push, f"{name}_pull": replace(push, value=-np.array(push.value))}


def carried(system, name, load):
    """A force in body axes at a point of a rigid body is that force at the body's origin, and a torque."""
    if type(load) is not kf.Force or load.axes != "body":
        return {name: load}
    body, at = system.locate(load.at, name)
    if isinstance(at, NodeFrame):
        return {name: load}
    F = at.R @ load.value
    return {name: kf.Force(body, F), f"{name}_moment": kf.Torque(body, np.cross(at.p, F))}


def as_pairs(system, name, load):
    """A torque in a hinge is that torque on the outboard body and its opposite on the other; a force in a slide likewise, on
    the line of the slide."""
    joint = system.parts[load.joint].joint if getattr(load, "joint", None) in system.parts else None
    if not isinstance(load, kf.JointForce) or type(joint) not in (kf.Revolute, kf.Prismatic):
        return {name: load}
    part = system.parts[load.joint]
    kind = kf.Torque if isinstance(joint, kf.Revolute) else kf.Force
    value = load.value * np.array(joint.axis)
    ends = {"out": kind(system.add_frame(part.name, f"{name}_out", part.hinge), value)}
    if part.parent != "N":
        ends["in"] = kind(system.add_frame(part.parent, f"{name}_in", part.at), -value)
    return {f"{name}_{end}": said for end, said in ends.items()}


SAID = {"halves": halves, "opposites": opposites, "carried": carried, "pairs": as_pairs}


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("make", MAKE)
@few_and_many
def test_loads_in_other_words(said, make, seeds):
    loads = {"carried": (("Force", "body"),), "pairs": (("JointForce", "constant"),)}.get(said, LOADS)

    def measure(seed, spoil=0.0):
        given = {} if make == "struck" and said in ("halves", "opposites") else {"loads": loads}
        world = MAKE[make](seed, **given)
        return gap(world.run(), reloaded(Spoiled(spoil)(world) if spoil else world, SAID[said]).run(), world.bodies)

    holds(measure, seeds, 1e-10 if make == "struck" else 2e-11)


@all_kinds
def test_an_input_is_a_load(kind):
    """Inputs with constant values are loads of these values."""

    def measure(seed, spoil=0.0):
        world = world_of(kind, seed)
        system = system_of(world.system)
        run = run_of(kind, seed)
        body = max(world.bodies, key=lambda b: float(np.ptp(run[f"{b}.position"], axis=0).max()))
        for name, load in {
            "push": kf.Force(body, (2.0, -1.0, 0.5)),
            "twist": kf.Torque(body, (0.3, 0.2, -0.4), "inertial"),
        }.items():
            system.loads.put(name, part_of(load, 1.7))
        as_loads = world.but(system=system)
        system = system_of(world.system)
        system.add_input("push", kf.Force(body, (2.0, -1.0, 0.5)))
        system.add_input("twist", kf.Torque(body, (0.3, 0.2, -0.4), "inertial"))
        as_inputs = world.but(system=system, inputs={**world.inputs, "push": 1.7 + spoil, "twist": 1.7})
        return gap(as_loads.run(), as_inputs.run(), world.bodies)

    holds(measure, range(1), 1e-10, spoil=1e-2)


@pytest.mark.parametrize("make", ["rigid", "looped", "struck"])
@few_and_many
def test_gravity_is_a_force_at_each_mass_centre(make, seeds):
    def measure(seed, spoil=0.0):
        world = MAKE[make](seed)
        system = system_of(world.system)
        system.take_over(frames={b: dict(frames) for b, frames in system.frames.items()})
        g, system.gravity = np.array(system.gravity), (0.0, 0.0, 0.0)
        for name, part in world.system.parts.items():
            if part.body.mass:
                place = system.add_frame(name, "mass_centre", Frame(part.body.com))
                system.apply(f"weight_{name}", kf.Force(place, (1 + spoil) * part.body.mass * g, "inertial"))
        return gap(world.run(), world.but(system=system).run(), world.bodies)

    holds(measure, seeds, 1e-10)


@pytest.mark.parametrize("make", ["rigid", "flexible", "struck"])
@few_and_many
def test_gravity_is_an_accelerated_base(make, seeds):
    """On a base that is accelerated by -g everything moves, seen from the base, as in gravity g: the lift of Einstein."""
    inner = tuple(x for x in LOADS if x[0].startswith("Joint") or x in (("SpringDamper", "between"), ("Force", "body")))

    def measure(seed, spoil=0.0):
        world = MAKE[make](seed, loads=inner)
        old = world.system
        g = np.array(old.gravity)
        lift = kf.System("lift", base=kf.MovingBase(-(1 + spoil) * g))
        for name, part in old.parts.items():
            lift.add(name, part.body, part.joint, None if part.parent == "N" else part.parent, part.at, hinge=part.hinge)
            for frame_name, where in old.frames[name].items():
                if frame_name not in part.body.frames:
                    lift.add_frame(name, frame_name, where)
        for name, (owner, rotor) in old.rotors.items():
            lift.add_rotor(name, owner, rotor)
        for name, load in old.loads.items():
            lift.apply(name, load)
        for name, load in old.inputs.items():
            lift.add_input(name, load)
        for name, contact in old.contacts.items():
            lift.contact(name, replace(contact, on="base" if contact.on == "N" else contact.on))
        one, other = world.run(), world.but(system=lift).run()
        base = -0.5 * (1 + spoil) * np.outer(other.t**2, g)
        worst = 0.0
        assert [i.name for i in one.impacts] == [i.name for i in other.impacts]
        for body in world.bodies:
            x, y = one[f"{body}.position"], other[f"{body}.position"] - base
            worst = max(
                worst, float(np.abs(x - y).max()), float(np.abs(one[f"{body}.rotation"] - other[f"{body}.rotation"]).max())
            )
        return worst

    holds(measure, seeds, 1e-10)


# -- springs ---------------------------------------------------------------------------------------------------------------


def pulled(*springs: kf.SpringDamper, last: str) -> kf.System:
    """Bodies on a vertical slide each, joined by springs, "N" to "a" to "b"; the last is pulled by 20 N."""
    s = kf.System("springs")
    for name, q in (("a", -1.0), ("b", -2.0)):
        if name <= last:
            s.add(name, kf.Rigid(2.0, inertia=(0.1, 0.1, 0.1)), kf.Prismatic("z"), q=q)
    for k, spring in enumerate(springs):
        s.apply(f"spring{k}", spring)
    s.apply("pull", kf.Force(last, (0, 0, -20.0)))
    return s


def test_springs_end_to_end():
    """Two springs with a body between them stretch, at rest, as one of stiffness k1 k2/(k1 + k2) does."""

    def measure(seed, spoil=0.0):
        k1, k2, l1, l2 = np.random.default_rng(seed).uniform(1, 2, 4) * [100, 100, 0.4, 0.4]
        joined = kf.SpringDamper("N", "a", k1 * k2 / (k1 + k2) * (1 + spoil), length=l1 + l2)
        springs = kf.SpringDamper("N", "a", k1, length=l1), kf.SpringDamper("a", "b", k2, length=l2)
        one, two = pulled(joined, last="a").equilibrium(), pulled(*springs, last="b").equilibrium()
        return abs(one["a.q"] - two["b.q"])

    holds(measure, range(3), 1e-11)


def test_a_spring_in_a_slide_is_one_beside_it():
    """A spring and damper in a slide are those on the line between its two sides."""

    def measure(seed, spoil=0.0):
        rng = np.random.default_rng(seed)
        first, second, place = some_body(rng), some_body(rng), frame(rng, 0.3, 1.0)
        runs = []
        for beside in (False, True):
            s = kf.System("spring", gravity=(1.0, 2.0, -3.0))
            s.add("a", first, kf.Spherical(), rates=(0.4, 0.3, -0.2))
            s.add("b", second, kf.Prismatic("z"), "a", place, q=0.5, rates=0.3)
            if beside:
                s.apply("k", kf.SpringDamper(s.add_frame("a", "seat", place), "b", 5.0 * (1 + spoil), 0.4, length=0.2))
            else:
                s.apply("k", kf.JointSpring("b", 5.0, 0.4, rest=0.2))
            runs.append(s.simulate(0.4, output=0.008, **TIGHT))
        return gap(*runs, ["a", "b"])

    holds(measure, range(3), 1e-11)
