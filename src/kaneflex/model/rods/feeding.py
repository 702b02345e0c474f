"""A feed in a system: the rod's first segment on a slide, its length as it is prescribed or driven."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import JointForce, RodElasticity
from kaneflex.model.frames import Frame, NodeFrame
from kaneflex.model.joints import Prismatic
from kaneflex.model.model import Body, Model
from kaneflex.model.profiles import Profile, constant_rate, motion_of
from kaneflex.model.rods.feed import Feed
from kaneflex.model.rods.rod import curvature_at


def add_feed(
    model: Model,
    name: str,
    rod: str,
    out_of: Body | str | None,
    length: Any,
    rate: Any,
    force: Any,
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
    if motion is not None and force is not None:
        raise ModelError(f"{what} has a force, and a length or rate that is prescribed: give one of them")
    part = model.parts[first]
    at = Frame.of(part.at.R, part.at.p - total * part.at.R[:, 0])
    joint = Prismatic("x", motion=motion)
    model.parts.put(first, replace(part, joint=joint, at=at, q=(start,), rates=None))
    model.rods.put(rod, replace(placed, root="fed", spans=(0.0, *placed.spans[1:])))
    if isinstance(load, RodElasticity):
        stiffness = load.stiffness.copy()
        stiffness[0] = 0.0
        model.loads.put(rod, replace(load, stiffness=stiffness))
    speeds = model.parts[placed.segments[1]].joint.facts.speeds
    slide = f"{first}.slide"
    feed = Feed(
        rod=rod,
        segments=placed.segments,
        lengths=placed.lengths,
        speeds=speeds,
        initial=start,
        sees=(slide, f"{slide}.rate"),
    )
    model.blocks.put(name, feed)
    model.units.put(f"{name}.length", "m")
    model.units.put(f"{name}.rate", "m/s")
    if force is not None:
        model.apply(f"{name}_drive", JointForce(first, value=force, sees=sees))
    elif sees:
        raise ModelError(f"{what} sees channels, but has no force that would: give force=")
    return name


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
