"""A feed in a system: the rod's first segment on a slide, its length as it is prescribed or driven."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kaneflex.kernels.forces.exit_spring import BEGIN
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Coupler
from kaneflex.model.forces import JointForce, RodElasticity
from kaneflex.model.frames import Frame, NodeFrame
from kaneflex.model.joints import Fixed, Prismatic, Revolute
from kaneflex.model.model import Body, Model
from kaneflex.model.profiles import Profile, constant_rate, motion_of
from kaneflex.model.rods.feed import Feed
from kaneflex.model.rods.reel import FedRod, Reel, Store
from kaneflex.model.rods.rod import curvature_at, rotary_inertia_at


def add_feed(
    model: Model,
    name: str,
    rod: str,
    out_of: Body | str | None,
    length: Any,
    rate: Any,
    force: Any,
    tension: Any,
    torque: Any,
    reel: Reel | None,
    sees: Sequence[str],
    initial: Any,
) -> str:
    """See `System.add_feed`."""
    what = f'feed "{name}"'
    model._new_name(name)
    checks.known(rod, model.rods, f"{what}: rod")
    _check_rod(model, rod, out_of, what)
    placed, load = model.rods[rod], model.loads.copy().get(rod)
    total, first = placed.rod.length, placed.segments[0]
    motion, start = _motion(length, rate, initial, total, what)
    _check_drive(motion, {"force": force, "tension": tension, "torque": torque}, reel, sees, what)
    part = model.parts[first]
    exit_ = part.at
    at = Frame.of(exit_.R, exit_.p - total * exit_.R[:, 0])
    joint = Prismatic("x", motion=motion)
    model.parts.put(first, replace(part, joint=joint, at=at, q=(start,), rates=None))
    model.rods.put(rod, replace(placed, root="fed", spans=(0.0, *placed.spans[1:])))
    if isinstance(load, RodElasticity):
        if load.modes is not None:
            raise ModelError(f"{what}: modes of a rod that grows change with it: give it damping, or one damping_ratio")
        stiffness = load.stiffness.copy()
        stiffness[0] = 0.0
        model.loads.put(rod, replace(load, stiffness=stiffness))
    slide = f"{first}.slide"
    lead = 1 / BEGIN - 1.0 if "EI" in placed.rod.sections else 0.0 if reel is None else 0.5
    feed = Feed(
        rod=rod,
        segments=placed.segments,
        lengths=placed.lengths,
        speeds=model.parts[placed.segments[1]].joint.facts.speeds,
        initial=start,
        store="" if reel is None else f"{name}_store",
        lead=lead,
        sees=(slide, f"{slide}.rate"),
    )
    if reel is not None:
        _wind(model, name, feed, reel, exit_, what)
    model.blocks.put(name, feed)
    model.units.put(f"{name}.length", "m")
    model.units.put(f"{name}.rate", "m/s")
    drives = ((first, force), (first, None if tension is None else _inwards(tension, sees)), (feed.store, torque))
    for where, value in drives:
        if value is not None:
            model.apply(f"{name}_drive", JointForce(where, value=value, sees=sees))
    return name


def _check_drive(motion: Any, drives: dict[str, Any], reel: Reel | None, sees: Sequence[str], what: str) -> None:
    """Refuse what drives a feed twice, and what it has no reel for."""
    given = [word for word, value in drives.items() if value is not None]
    if motion is not None and given:
        raise ModelError(f"{what} has a {given[0]}, and a length or rate that is prescribed: give one of them")
    if len(given) > 1:
        raise ModelError(f"{what} has a {given[0]} and a {given[1]}: give one of them")
    if sees and not given:
        raise ModelError(f"{what} sees channels, but has no force, tension or torque that would: give one of them")
    if "tension" in given and reel is None:
        raise ModelError(
            f"{what} has a tension, but the whole rod lies straight behind its exit and moves with it: give reel=Reel(), "
            "or the force that moves all of it"
        )
    if "torque" in given and (reel is None or reel.radius is None):
        raise ModelError(f"{what} has a torque, but no drum that it would turn: give reel=Reel(radius, inertia)")


def _inwards(tension: Any, sees: Sequence[str]) -> Any:
    """The force along the slide that a tension in the exit is."""
    if not checks.is_function(tension):
        return -checks.number(tension, "tension")
    return (lambda t, x: -tension(t, x)) if sees else (lambda t: -tension(t))


def _wind(model: Model, name: str, feed: Feed, reel: Reel, exit_: Frame, what: str) -> None:
    """Put the part inside into the reel: what is in the exit, and what is left, as two bodies."""
    placed = model.rods[feed.rod]
    rod, first = placed.rod, model.parts[feed.segments[0]]
    sections = np.ravel(rod.sections["mass_per_length"](np.linspace(0.0, rod.length, 33)))
    if np.ptp(sections) > 1e-12 * sections[0]:
        raise ModelError(f'{what}: rod "{feed.rod}" has a mass per length that changes: one in a reel is the same all along')
    per_length, total = float(sections[0]), rod.length
    jx, jy, jz = rotary_inertia_at(rod, np.array([total / 2]))[0].tolist()
    outside = feed.outside(feed.initial)
    beyond = float(feed.exits[outside - 1]) if outside else 0.0
    body = FedRod(per_length, total, feed.initial, beyond, (jx, jy, jz), first.body.frames)
    model.parts.put(first.name, replace(first, body=body))
    axis = (placed.normal or 2) if reel.axis is None else "xyz".index(reel.axis)
    radius = reel.radius or 0.0
    store = Store(per_length, total, feed.initial, radius, reel.inertia, axis)
    joint = Fixed() if reel.radius is None else Revolute("xyz"[axis])
    rates = None if reel.radius is None or first.rates is None else tuple(r / radius for r in first.rates)
    model.add(feed.store, store, joint, parent=first.parent, at=exit_, rates=rates)
    if reel.radius is not None:
        model.constrain(f"{name}_winding", Coupler({f"{first.name}.slide": 1.0, f"{feed.store}.angle": -reel.radius}))


def _check_rod(model: Model, rod: str, out_of: Body | str | None, what: str) -> None:
    """Refuse a rod that cannot lie straight behind its exit."""
    placed, whole = model.rods[rod], f'{what}: rod "{rod}"'
    others = [name for name, block in model.blocks.items() if isinstance(block, Feed) and block.rod == rod]
    if others:
        raise ModelError(f'{whole} is fed by "{others[0]}" already: give each feed a rod of its own')
    if placed.root != "clamped" and not (placed.root == "pinned" and "EI" not in placed.rod.sections):
        raise ModelError(f"{whole} has the root {placed.root}: a rod that is fed is clamped there, a cable pinned")
    if placed.tip != "free":
        raise ModelError(f"{whole} is tied at its tip: add it with a free tip, and close a loop there after the feed")
    if len(placed.segments) < 2:
        raise ModelError(f"{whole} has one segment, which no joint lets go: give n = 2 or more")
    if placed.rod.shears:
        raise ModelError(f"{whole} shears: a rod that is fed has no GA")
    if curvature_at(placed.rod, np.array(placed.arc)).any():
        raise ModelError(f"{whole} is curved without load: one that is fed lies straight behind its exit")
    part = model.parts[placed.segments[0]]
    if isinstance(part.at, NodeFrame):
        raise ModelError(f"{whole} begins on a node of a flexible body: put a rigid body there, and let the rod out of that")
    owner = out_of.name if isinstance(out_of, Body) else out_of
    if owner is not None and owner != part.parent:
        raise ModelError(f'{whole} is on "{part.parent}", not on "{owner}": leave out_of away, or add the rod there')
    parts = [model.parts[segment] for segment in placed.segments]
    if any(one.q is not None and one.q != one.joint.facts.neutral for one in parts):
        raise ModelError(f"{whole} does not begin straight: one that is fed does")


def _motion(length: Any, rate: Any, initial: Any, total: float, what: str) -> tuple[Any, float]:
    """The length outside as a motion, None where it is free, and its value at the start."""
    if length is not None and rate is not None:
        raise ModelError(f"{what} has a length and a rate: give one of them")
    if length is not None:
        if initial is not None:
            raise ModelError(f"{what} has an initial length, and a length for all times: give one of them")
        motion: Profile | None = motion_of(length, f"length of {what}")
        assert motion is not None
        start = float(motion(0.0))
    else:
        start = checks.number(0.0 if initial is None else initial, f"initial length of {what}")
        motion = None if rate is None else constant_rate(checks.number(rate, f"rate of {what}"), initial=start)
    if not -1e-9 * total <= start <= total * (1 + 1e-9):
        raise ModelError(f"{what} begins with {start:g} m outside: give a length from 0 to the rod's, {total:g} m")
    return motion, min(max(start, 0.0), total)


__all__ = ["add_feed"]
