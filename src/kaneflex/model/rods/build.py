"""A rod in a system: its segments as bodies on joints, its springs as one load, its ends tied."""

import math
from functools import partial
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.bodies import Rigid, RigidAsGiven
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.constraints import Closure
from kaneflex.model.forces.rod_elasticity import RodElasticity
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Free, Joint, Planar, Revolute, SlidingBall, SlidingPin, Spherical
from kaneflex.model.model import Body, Model
from kaneflex.model.part import Part
from kaneflex.model.rods.hanging import Pose, between_ends
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.rods.rod import PLANES, Cable, Strand, arc_length, free_point, rotary_inertia_at
from kaneflex.model.rods.stiffness import (
    joint_stiffness,
    middles,
    modal_damping,
    rotation_of,
    segment_lengths,
    turns_without_load,
    viscous_time,
)
from kaneflex.model.tables import Settled

ROOTS = ("clamped", "pinned", "free")
TIPS = ("free", "pinned", "clamped")
UNCHANGED = "build the system anew for another rod"


def add_rod(
    model: Model,
    name: str,
    rod: Strand,
    parent: Body | str | None,
    at: Any,
    root: str | Joint | None,
    tip: str | Joint,
    end: Any,
) -> PlacedRod:
    """See `System.add_rod`."""
    what = f'rod "{name}"'
    model._new_name(name)
    if not isinstance(rod, Strand):
        raise ModelError(f"{what} is {checks.shown(rod)}: give a Rod or a Cable")
    root = ("pinned" if isinstance(rod, Cable) else "clamped") if root is None else root
    check_ends(rod, root, tip, end, what)
    names = tuple(f"{name}_{k + 1}" for k in range(rod.n))
    for one in (*names, f"{name}_tip"):
        model._new_name(one)
    mother, place = model._place_on(parent, at, name, what)
    tip_clamped = tip == "clamped" or isinstance(tip, Fixed)
    lengths = segment_lengths(rod, tip_clamped)
    sections = middles(lengths, tip_clamped)
    turns = turns_without_load(rod, sections)
    stiffness = joint_stiffness(rod, sections, root == "clamped")
    held = [x if isinstance(x, str) else "pinned" for x in (root, tip)]
    time = viscous_time(rod, held[0], held[1])
    modes = modal_damping(rod, held[0], held[1], time)
    spans = np.diff(sections, prepend=0.0)
    spans[0] *= root == "clamped" and not isinstance(rod, Cable)
    arcs = {"root": 0.0, **rod.points, "tip": rod.length}
    words = [x if isinstance(x, str) else type(x).__name__ for x in (root, tip)]
    placed = PlacedRod(rod, names, tuple(lengths), words[0], words[1], tuple(spans.tolist()), Settled(arcs, UNCHANGED))
    pose = between_ends(model, rod, placed, turns, mother, place, end) if end is not None else None
    parts = _parts(rod, placed, mother, place, root, turns, pose)
    frames = _frames(placed)
    for part in parts:
        model.frames.put(part.name, Settled(frames.get(part.name, {}), UNCHANGED))
        model.parts.put(part.name, part)
    model._loaded(mother, place)
    model.rods.put(name, placed)
    if stiffness.any():
        model.loads.put(name, RodElasticity(names, stiffness, time, modes))
    if tip != "free":
        _tie(model, name, placed, tip, end)
    return placed


def add_point(model: Model, rod: str, name: str, s: float) -> str:
    """See `System.add_point`."""
    placed = model.rods[checks.known(rod, model.rods, "rod")]
    free_point(name)
    if name in placed.points:
        raise ModelError(f'rod "{rod}" has a point "{name}" already: choose another name')
    arc = arc_length(placed.rod, s, f'point "{name}" of rod "{rod}"')
    segment, along = placed.at(arc)
    model.add_frame(segment, name, Frame((along, 0.0, 0.0)))
    points = Settled({**placed.points, name: arc}, UNCHANGED)
    own = {x: getattr(placed, x) for x in ("rod", "segments", "lengths", "root", "tip", "spans")}
    model.rods.put(rod, PlacedRod(**own, points=points))
    return f"{rod}.{name}"


def check_ends(rod: Strand, root: Any, tip: Any, end: Any, what: str) -> None:
    """Refuse ends that do not fit each other or the rod."""
    for value, words, which in ((root, ROOTS, "root"), (tip, TIPS, "tip")):
        if not isinstance(value, Joint):
            checks.known(value, words, f"{what}: {which}, a joint or one of these words,")
        if value == "clamped" and isinstance(rod, Cable):
            raise ModelError(f'{what}: its {which} is clamped, but a Cable does not resist bending: say "pinned"')
    if tip == "free" and end is not None:
        raise ModelError(f'{what}: end= says where its tip is, but the tip is free: give tip="pinned" or "clamped"')
    if tip != "free" and end is None:
        raise ModelError(f'{what}: its tip is tied, but not to what: give end="body.frame", "N" or a point of N')


# ---- segments


def _joints(rod: Strand, root: Any) -> tuple[Joint, Joint]:
    """The joint of the root and that of all other segments."""
    if rod.plane is None:
        first: Joint = Free() if root == "free" else Spherical()
        other: Joint = Free() if rod.shears else SlidingBall("x") if rod.stretches else Spherical()
    else:
        axis = "xyz"[PLANES[rod.plane]]
        first = Planar(axis) if root == "free" else Revolute(axis)
        other = Planar(axis) if rod.shears else SlidingPin(("x", axis)) if rod.stretches else Revolute(axis)
    return root if isinstance(root, Joint) else first, other


def _bodies(rod: Strand, lengths: tuple[float, ...]) -> list[Rigid]:
    """The segments; those of a rod that does not change along it are one body many times."""
    mass = rod.sections["mass_per_length"]
    uniform = all(s.function is None and s.table is None for s in rod.sections.values())
    made: dict[float, Rigid] = {}
    found, start = [], 0.0
    for l in lengths:
        if not uniform or l not in made:
            m, first, second = mass.integral(start, start + l, partial(_moments, start)).tolist()
            middle = np.array([start + l / 2])
            Jx, Jy, Jz = (l * rotary_inertia_at(rod, middle)[0]).tolist()
            slender = second - first**2 / m
            # a short segment with the section's inertia about x alone is none that a distribution of mass has
            made[l] = RigidAsGiven(m, com=(first / m, 0.0, 0.0), inertia=(Jx, Jy + slender, Jz + slender))
        found.append(made[l])
        start += l
    return found


def _moments(start: float, s: Vector, mass: Vector) -> Vector:
    """Of mass per length at arc lengths s: itself, its first and its second moment about the start of a segment."""
    return np.asarray(mass * np.column_stack([s**0, s - start, (s - start) ** 2]))


def _parts(
    rod: Strand, placed: PlacedRod, mother: str, place: Frame, root: Any, turns: Vector, pose: Pose | None
) -> list[Part]:
    """The segments as parts, each from the end of the one before it. A joint's frames lie halfway between the axes of the
    two where the rod is not loaded, so that neither is preferred."""
    first, other = _joints(rod, root)
    bodies, origin = _bodies(rod, placed.lengths), Frame()
    shared: dict[float, Frame] = {}
    parts = []
    for k, (name, body) in enumerate(zip(placed.segments, bodies, strict=True)):
        joint = first if k == 0 else other
        hinge = origin
        if k == 0:
            at = place
        else:
            l = placed.lengths[k - 1]
            at = shared.setdefault(l, Frame((l, 0.0, 0.0)))
        if turns[k].any():
            half = rotation_of(turns[k] / 2)
            at, hinge = Frame.of(at.R @ half, at.p), Frame.of(half.T, np.zeros(3))
        q = joint.facts.neutral if pose is None else turned(joint, pose.turns[k], pose.slides[k])
        mother_k = mother if k == 0 else placed.segments[k - 1]
        parts.append(Part(name, body, joint, mother_k, at, hinge, q if joint.facts.coordinates else None, None))
    return parts


def _frames(placed: PlacedRod) -> dict[str, dict[str, Frame]]:
    """Frames of the points, by segment."""
    found: dict[str, dict[str, Frame]] = {}
    for point, s in placed.points.items():
        segment, along = placed.at(s)
        found.setdefault(segment, {})[point] = Frame((along, 0.0, 0.0))
    return found


def turned(joint: Joint, vector: Vector, slide: float) -> tuple[float, ...]:
    """Coordinates of a joint that is turned by a rotation vector, and has slid along x, from its neutral pose."""
    found = dict(zip(joint.facts.coordinate_names, joint.facts.neutral, strict=True))
    if "angle" in found:
        found["angle"] = float(joint.alignment[:, 2] @ vector)
    elif "e0" in found:
        angle = float(np.linalg.norm(vector))
        axis = joint.alignment.T @ (vector / angle if angle else vector)
        found |= zip(("e0", "e1", "e2", "e3"), (math.cos(angle / 2), *(math.sin(angle / 2) * axis).tolist()), strict=True)
    along = "slide" if "slide" in found else "y" if joint.alignment[0, 1] else "x"  # a planar joint may have x second
    found |= {along: slide} if slide and along in found else {}
    return tuple(found.values())


# ---- the tip


def _tie(model: Model, name: str, placed: PlacedRod, tip: Any, end: Any) -> None:
    joint = tip if isinstance(tip, Joint) else Spherical() if tip == "pinned" else Fixed()
    model.constrain(f"{name}_tip", Closure(end, placed.frame_of("tip", name), joint))


__all__ = ["add_point", "add_rod", "turned"]
