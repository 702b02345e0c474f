"""A Rod with an order in a system: one body, a StrainRod, where a Rod with n segments is a chain."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Closure
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Free, Joint, Planar, Revolute, Spherical
from kaneflex.model.model import Body, Model
from kaneflex.model.rods.build import check_ends, turned
from kaneflex.model.rods.hanging import between_ends
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.rods.rod import PLANES, Rod, curvature_at, free_point, rotary_inertia_at
from kaneflex.model.rods.stiffness import viscous_time
from kaneflex.structures.strain_rod import StrainRod

FEW = 50  # arc lengths at which a property is looked at, to see whether it changes


def strain_rod_of(rod: Rod, root: str = "clamped", tip: str = "free") -> StrainRod:
    """The body of a rod with an order.

    Args:
        rod: what it is.
        root: how it is held there, for its damping ratio.
        tip: likewise.
    """
    given: dict[str, Any] = {name: _of_arc(rod, name) for name in ("mass_per_length", "EI", "GJ", "EA", "GA")}
    rotary = tuple(_component(rod, partial(rotary_inertia_at, rod), c) for c in range(3))
    curvature = tuple(_component(rod, partial(curvature_at, rod), c) for c in range(3))
    return StrainRod(
        rod.length, **given, order=rod.order, plane=rod.plane, curvature=curvature, rotary_inertia=rotary, radius=rod.radius,
        damping=viscous_time(rod, root, tip), points=dict(rod.points),
    )  # fmt: skip


def _component(rod: Rod, values: Callable[[Any], Any], c: int) -> Any:
    """A number where a component does not change along the rod, else a function of the arc length."""
    few = values(np.linspace(0.0, rod.length, FEW))[:, c]
    if np.ptp(few) == 0:
        return float(few[0])
    return lambda s: float(values(np.array([s]))[0, c])


def _of_arc(rod: Rod, name: str) -> Any:
    """A property of the section, as a StrainRod takes it."""
    if getattr(rod, name) is None:
        return None
    along = rod.sections[name]
    parts = tuple(_component(rod, along, c) for c in range(along.size))
    return parts if along.size > 1 else parts[0]


def add_rod_of_order(
    model: Model,
    name: str,
    rod: Rod,
    parent: Body | str | None,
    at: Any,
    root: str | Joint | None,
    tip: str | Joint,
    end: Any,
) -> Body:
    """See `System.add_rod`."""
    root = "clamped" if root is None else root
    check_ends(rod, root, tip, end, f'rod "{name}"')
    model._new_name(f"{name}_tip")
    words = [x if isinstance(x, str) else "pinned" for x in (root, tip)]
    axis = None if rod.plane is None else "xyz"[PLANES[rod.plane]]
    joints: dict[str, Joint] = {
        "clamped": Fixed(),
        "pinned": Spherical() if axis is None else Revolute(axis),
        "free": Free() if axis is None else Planar(axis),
    }
    body, joint = strain_rod_of(rod, *words), root if isinstance(root, Joint) else joints[root]
    q = None
    if end is not None:
        body, q = _arched(model, rod, body, joint, model._place_on(parent, at, name, f'rod "{name}"'), end)
    made = model.add(name, body, joint, parent, at, q=q)
    if tip != "free":
        tie = tip if isinstance(tip, Joint) else Spherical() if tip == "pinned" else Fixed()
        model.constrain(f"{name}_tip", Closure(end, f"{name}.tip", tie))
    return made


def _arched(
    model: Model, rod: Rod, body: StrainRod, joint: Joint, root: tuple[str, Frame], end: Any
) -> tuple[StrainRod, tuple[float, ...] | None]:
    """A straight rod between two points of N as an arc of a circle, and the coordinates of its joint; else as it is."""
    lengths = (rod.length / FEW,) * FEW
    placed = PlacedRod(rod, ("",) * FEW, lengths, "", "", lengths, {})
    turns = curvature_at(rod, np.linspace(0.0, rod.length, FEW)) * rod.length / FEW
    pose = between_ends(model, rod, placed, turns, *root, end)
    if pose is None:
        return body, None
    bent = np.sum(pose.turns[1:], axis=0) / (rod.length * (FEW - 1) / FEW)
    start, first = np.zeros(len(body.modal)), 0
    for kind, n in body.order.items():
        if n and kind in ("bending z", "bending y"):
            start[first] = bent[1 if kind == "bending z" else 2]
        first += n
    q = None if isinstance(joint, Fixed) else turned(joint, pose.turns[0], 0.0)
    return replace(body, start=tuple(start)), q


def add_point_of_order(model: Model, rod: str, name: str, s: float) -> str:
    """See `System.add_point`."""
    part = model.parts[rod]
    body = part.body
    if not isinstance(body, StrainRod):
        raise ModelError(f'"{rod}" is no rod: it has frames, by add_frame')
    free_point(name)
    if name in body.points:
        raise ModelError(f'rod "{rod}" has a point "{name}" already: choose another name')
    arc = checks.positive(s, f'point "{name}" of rod "{rod}"')
    own = {n: frame for n, frame in body.frames.items() if n not in (*body.points, "root")}
    longer = replace(body, points={**body.points, name: arc}, frames=own)
    model.parts.put(rod, replace(part, body=longer))
    return model.add_frame(rod, name, longer.frames[name])
