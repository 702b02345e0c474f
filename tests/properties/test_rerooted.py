"""The same mechanism described from another root, its loops cut at other joints, down to bodies that all float and are
held by closures alone; and the same constraints in other words. Tolerances are a few times the errors seen at rtol =
1e-12."""

from dataclasses import replace

import numpy as np
import pytest
from properties.alike import few_and_many, gap, holds
from properties.graphs import rerooted
from properties.remakes import Spoiled
from properties.worlds import TIES, World, flexible, flexible_loops, looped, rigid, struck, system_of

import kaneflex as kf
from kaneflex.model.frames import Frame

AT_FRAMES = (  # loads that name no joint
    ("Force", "body"),
    ("Force", "inertial"),
    ("Torque", "body"),
    ("SpringDamper", "ground"),
    ("SpringDamper", "between"),
    ("CentralGravity", "one"),
)
SPRINGS = (("SpringDamper", "between"),)
JOINTS = tuple(kind for kind in TIES if kind != "Gear")
WORLDS = {
    "rigid": lambda seed: rigid(seed, loads=AT_FRAMES),
    "floating": lambda seed: rigid(seed, loads=AT_FRAMES, root="Free"),
    "flexible": lambda seed: flexible(seed, loads=AT_FRAMES),
    "looped": lambda seed: looped(seed, loads=AT_FRAMES, ties=JOINTS),
    "flexible loops": lambda seed: flexible_loops(seed, loads=AT_FRAMES, ties=JOINTS),
    "struck": lambda seed: struck(seed, loads=SPRINGS),
    "struck loops": lambda seed: struck(seed, loops=True, loads=SPRINGS),
    "struck table": lambda seed: struck(seed, table=True, loads=SPRINGS),
    "held": lambda seed: struck(seed, restitution=(0.0, 0.0), after="slide", feet=1, loads=SPRINGS),
}


@pytest.mark.parametrize("kind", WORLDS)
@few_and_many
def test_another_root(kind, seeds):
    def measure(seed, spoil=0.0):
        world = WORLDS[kind](seed)
        other = rerooted(Spoiled(spoil)(world) if spoil else world, seed)
        return gap(world.run(), other.run(), world.bodies)

    holds(measure, seeds, 1e-10)


@pytest.mark.parametrize("kind", WORLDS)
@few_and_many
def test_some_joints_cut_or_all(kind, seeds):
    """Two joints are left in the tree, or none: each body floats, and every joint is a closure."""

    def measure(seed, spoil=0.0):
        world = WORLDS[kind](seed)
        other = Spoiled(spoil)(world) if spoil else world
        return gap(world.run(), rerooted(other, seed, most=2 * (seed % 2)).run(), world.bodies)

    holds(measure, seeds, 1e-10)


# -- constraints in other words --------------------------------------------------------------------------------------------


def constrained(world: World, change) -> World:
    """The world with each constraint replaced by those that `change(system, name, constraint)` gives, by name."""
    system = system_of(world.system)
    system.take_over(frames={body: dict(frames) for body, frames in system.frames.items()})
    old = dict(system.constraints)
    system.take_over(constraints={})
    for name, constraint in old.items():
        for other, said in change(system, name, constraint).items():
            system.constrain(other, said)
    return world.but(system=system)


def added(system: kf.System, end, name: str, move: Frame):
    """A frame beside an end of a constraint, moved and turned with respect to it."""
    if not isinstance(end, str):
        return Frame(end.p + end.R @ move.p, end.R @ move.R)
    body, frame = system.locate(end, name)
    there = replace(frame, position=frame.p + frame.R @ move.p, rotation=frame.R @ move.R)
    return system.add_frame(body, f"{name}{len(system.frames[body])}", there)


def twice(system, name, constraint):
    """Everything is said twice."""
    return {name: constraint, f"{name}_again": constraint}


def by_planes(system, name, constraint):
    """A point held by a ball joint lies in three planes."""
    turns = {"x": (("y", np.pi / 2),), "y": (("x", np.pi / 2),), "z": None}
    planes = {axis: added(system, constraint.a, name, Frame((0, 0, 0), turn)) for axis, turn in turns.items()}
    return {f"{name}_{axis}": kf.PointOnPlane(constraint.b, plane) for axis, plane in planes.items()}


def by_ball_and_line(system, name, constraint):
    """A hinge is a ball joint, and a second point of its axis, on body a for b may be a node, on a line."""
    x = np.array(constraint.joint.axis)
    side = np.cross(np.eye(3)[np.argmin(np.abs(x))], x)
    side /= np.linalg.norm(side)
    line = added(system, constraint.b, name, Frame((0, 0, 0), np.column_stack([side, np.cross(x, side), x])))
    return {
        name: kf.Closure(constraint.a, constraint.b, kf.Spherical()),
        f"{name}_line": kf.PointOnLine(added(system, constraint.a, name, Frame(0.7 * x)), line),
    }


def by_other_end(system, name, constraint):
    """The joint from its other side."""
    return {name: kf.Closure(constraint.b, constraint.a, constraint.joint)}


def multiplied(system, name, constraint):
    """A relation of coordinates, times three."""
    return {name: kf.Coupler({n: 3 * c for n, c in constraint.terms.items()}, 3 * constraint.offset)}


SAID = {
    "twice": (twice, TIES),
    "ball by planes": (by_planes, ("Spherical",)),
    "hinge by ball and line": (by_ball_and_line, ("Revolute",)),
    "from the other side": (by_other_end, ("Revolute", "Spherical", "Cylindrical", "Screw", "Planar")),
    "gear times three": (multiplied, ("Gear",)),
}


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize(
    "make", [looped, pytest.param(flexible_loops, marks=pytest.mark.thorough)], ids=["rigid", "flexible"]
)
@few_and_many
def test_constraints_in_other_words(said, make, seeds):
    change, ties = SAID[said]

    def measure(seed, spoil=0.0):
        world = make(seed, ties=ties)
        return gap(world.run(), constrained(Spoiled(spoil)(world) if spoil else world, change).run(), world.bodies)

    holds(measure, seeds, 2e-11)
