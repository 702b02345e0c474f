"""What is drawn beside bodies: rails, wheels, planes, exits of rods, nozzles.

Nothing is added to a body that was given shapes: these show what is on it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.model.constraints import PointOnLine, PointOnPlane, Rolling
from kaneflex.model.frames import Frame
from kaneflex.model.joints import frame_along
from kaneflex.model.model import GROUND, Model
from kaneflex.model.part import Part
from kaneflex.model.parts import Engine, Thruster
from kaneflex.model.rods.feed import Feed
from kaneflex.model.shapes import Box, Cone, Cylinder, Shape, Tube

Array = np.ndarray
Poses = Mapping[str, tuple[Array, Array]]  # R (K, 3, 3) and p (K, 3) of bodies in N; NaN where they are not there
Placed = Iterator[tuple[str, Shape]]  # shapes with the body that they are on, in its axes

METAL = "#8a939b"
DARK = "#4a5560"
RAIL = 0.007  # radius of rails, in sizes of the system
BEYOND = 0.06  # of a rail, beyond the travel on it
FAR = 1000.0  # from the origin of N, beyond which single precision is too little
FARTHEST = 10.0  # travel, in sizes of the system, up to which there is a rail
WHEEL = 0.33  # radius of a wheel over the width of the box that it is in
LOOSE = 0.05  # and in sizes of the system where there is no box
PLATE = 0.4  # edge of planes
NOZZLE = 0.05  # length of nozzles
SLEEVE = 0.03  # length of the sleeve at a rod's exit
UPRIGHT = 0.999  # cosine to the vertical from which on a plane fixed in N is the ground


@dataclass(frozen=True)
class Wheel:
    """A rotor to be drawn on its body.

    Args:
        name: of the rotor.
        body: that it is on.
        axes: rotation whose third column is the axis, in the body's axes.
        centre: in the body, m.
        radius: m.
    """

    name: str
    body: str
    axes: Vector
    centre: Vector
    radius: float

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """A disk with a spoke, by which its turning is seen."""
        spoke = Box((1.9 * self.radius, 0.2 * self.radius, 0.37 * self.radius), color=DARK)
        return Cylinder(self.radius, 0.3 * self.radius, color="silver"), spoke


def fittings(model: Model, poses: Poses, size: float) -> dict[str, tuple[Shape, ...]]:
    """Shapes to be added, by body and "N".

    Args:
        model: the model.
        poses: of the bodies over the samples.
        size: characteristic length, m.
    """
    found: dict[str, tuple[Shape, ...]] = {}
    everything = chain(_rails(model, poses, size), _plates(model, size), _exits(model, size), _nozzles(model, size))
    for body, shape in everything:
        if body not in model.shapes:
            found[body] = (*found.get(body, ()), shape)
    return found


def _rails(model: Model, poses: Poses, size: float) -> Placed:
    """Rods along which joints and points slide, as far as they do."""
    for name, part in _sliding(model, poses):
        if name not in model.shapes:
            R, p = poses[name]
            yield from _rail(model, poses, part.parent, part.at, part.joint.alignment[:, 2], p + R @ part.hinge.p, size)
    for tie in model.constraints.values():
        if isinstance(tie, PointOnLine):
            (on, line), (body, point) = (_located(model, place) for place in (tie.line, tie.point))
            if body in poses:
                R, p = poses[body]
                yield from _rail(model, poses, on, line, np.array([0.0, 0.0, 1.0]), p + R @ point.p, size)


def _sliding(model: Model, poses: Poses) -> Iterator[tuple[str, Part]]:
    """Bodies on sliding joints, without the rods that are fed."""
    fed = {block.segments[0] for block in model.blocks.values() if isinstance(block, Feed)}
    for name, part in model.parts.items():
        if part.joint.drawn == "rail" and name in poses and name not in fed:
            yield name, part


def tethers(model: Model, poses: Poses, size: float) -> Iterator[tuple[str, Array]]:
    """Lines to bodies that slide out farther than a rail would be long: names, and ends (K, 2, 3).

    Args:
        model: the model.
        poses: of the bodies over the samples.
        size: characteristic length, m.
    """
    for name, part in _sliding(model, poses):
        if part.parent in poses:
            (R, p), (base, origin) = poses[name], poses[part.parent]
            ends = np.stack([origin + base @ part.at.p, p + R @ part.hinge.p], axis=1)
            if np.nanmax(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), initial=0.0) > FARTHEST * size:
                yield name, ends


def _rail(model: Model, poses: Poses, on: str, at: Frame, axis: Vector, point: Array, size: float) -> Placed:
    """A rod on a body along an axis of one of its frames, along the way of a point (K, 3) of N."""
    if on != GROUND and on not in poses:
        return
    R, p = poses[on] if on != GROUND else (np.eye(3)[None], np.zeros((1, 3)))
    along = at.R @ axis
    way = np.sum((point - p) * (R @ along), axis=1) - at.p @ along
    way = way[np.isfinite(way)]
    if not len(way) or np.ptp(way) > FARTHEST * size or np.linalg.norm(at.p) > FAR * size:
        return
    ends = [way.min() - BEYOND * size, way.max() + BEYOND * size]
    yield on, Tube(at.p + np.outer(ends, along), RAIL * size, color=METAL)


def _located(model: Model, place: Any) -> tuple[str, Frame]:
    """Body and frame of a place of a constraint."""
    if isinstance(place, str):
        return model.locate(place, "what is drawn")
    return GROUND, place if isinstance(place, Frame) else Frame(place)


def planes_of(model: Model) -> list[tuple[str, Frame]]:
    """Planes that points strike, stay in or roll on, each once: body and frame, whose z is the normal.

    Args:
        model: the model.
    """
    places: list[Any] = [c.on for c in model.contacts.values()]
    places += [c.plane for c in model.constraints.values() if isinstance(c, PointOnPlane)]
    places += [c.on for c in model.constraints.values() if isinstance(c, Rolling)]
    names = dict.fromkeys(p for p in places if isinstance(p, str))
    return [_located(model, p) for p in (*names, *(p for p in places if not isinstance(p, str)))]


def is_ground(model: Model, body: str, frame: Frame) -> bool:
    """Whether a plane is fixed in N and level, so that the grid of the page shows it.

    Args:
        model: the model.
        body, frame: of the plane.
    """
    g = np.array(model.gravity)
    up = -g / np.linalg.norm(g) if g.any() else np.array([0.0, 0.0, 1.0])
    return body == GROUND and float(frame.R[:, 2] @ up) > UPRIGHT


def _plates(model: Model, size: float) -> Placed:
    """Planes as thin plates, but for the ground."""
    for body, frame in planes_of(model):
        if not is_ground(model, body, frame):
            look: dict[str, Any] = {"color": METAL, "opacity": 0.4, "position": frame.position, "rotation": frame.rotation}
            yield body, Box((PLATE * size, PLATE * size, 0.005 * size), **look)


def _exits(model: Model, size: float) -> Placed:
    """A sleeve where a rod comes out of a body."""
    for block in model.blocks.values():
        if isinstance(block, Feed):
            part = model.parts[block.segments[0]]
            along = part.at.R[:, 0]
            radius = model.rods[block.rod].rod.drawn_radius() or 0.0
            look: dict[str, Any] = {
                "position": tuple(part.at.p + block.exits[-1] * along),
                "rotation": frame_along(tuple(along)),
            }
            yield part.parent, Cylinder(max(2 * radius, 0.4 * SLEEVE * size), SLEEVE * size, color=METAL, **look)


def _nozzles(model: Model, size: float) -> Placed:
    """Cones that open against the thrust."""
    for placed in model.installed.values():
        if isinstance(placed.part, Thruster):
            thrust = placed.at.R @ np.array(placed.part.direction)
            yield placed.on, _nozzle(placed.at.p, thrust, NOZZLE * size)
        elif isinstance(placed.part, Engine) and placed.bodies:
            yield placed.bodies[0], _nozzle(np.zeros(3), np.array([1.0, 0.0, 0.0]), 2 * NOZZLE * size)


def _nozzle(at: Vector, thrust: Vector, length: float) -> Shape:
    """A cone with its tip at a point, which opens against a direction."""
    turn = frame_along((float(thrust[0]), float(thrust[1]), float(thrust[2])))
    return Cone(0.45 * length, length, position=tuple(at - length * thrust), rotation=turn, color=DARK)


def wheels_of(model: Model, shapes: Mapping[str, tuple[Any, ...]], size: float) -> list[Wheel]:
    """Rotors at their places: those of parts there, others at the mass centre of their body.

    Args:
        model: the model.
        shapes: of bodies, as they are drawn.
        size: characteristic length, m.
    """
    at = {rotor: placed.at.p for placed in model.installed.values() for rotor in placed.pieces.get("rotors", ())}
    found = []
    for name, (body, rotor) in model.rotors.items():
        mass, moment, _ = model.parts[body].body.mass_properties()
        if name not in at and (body in model.shapes or mass <= 0):
            continue
        boxes = [shape for shape in shapes[body] if isinstance(shape, Box)]
        radius = WHEEL * float(np.sort(boxes[0].size)[1]) if boxes and name not in at else LOOSE * size
        x, y, z = (float(v) for v in rotor.axis)
        centre = at.get(name, moment / mass if mass > 0 else np.zeros(3))
        found.append(Wheel(name, body, frame_along((x, y, z)), np.asarray(centre), radius))
    return found


__all__ = ["Wheel", "fittings", "is_ground", "planes_of", "tethers", "wheels_of"]
