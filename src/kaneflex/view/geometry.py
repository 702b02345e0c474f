"""What bodies look like: the shapes they were given, or shapes made from their data.

A rigid body becomes the solid box, rod or disk of its mass and inertia, at its mass centre and along its principal axes; a
point mass a ball; rods lead from its joint to what hangs on it. A flexible body has its skin. Nothing is larger than the
system as its joints and frames span it: an inertia may be given for other reasons than looks.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.model.constraints import Rolling
from kaneflex.model.forces import JointSpring
from kaneflex.model.joints import Free, frame_along
from kaneflex.model.model import GROUND, Model
from kaneflex.model.part import Part
from kaneflex.model.rods.feed import Feed
from kaneflex.model.shapes import Box, Cylinder, Ellipsoid, Shape, Sphere, Tube
from kaneflex.structures.skin import Skin
from kaneflex.view.fittings import METAL

Pose = tuple[Vector, Vector]  # R and p of a body in N

ROD = 0.012  # radius of rods, in sizes of the system
PIN = 0.022  # radius of joints
THICKNESS = {"pin": (PIN, 3 * PIN), "rail": (0.8 * PIN, 3 * PIN)}  # radius and length of joints with an axis
COIL, TURNS = 1.7, 3  # radius of a spring around a pin, over the pin's, and its turns
BALL = 0.05  # radius of the heaviest point mass
HUB = 0.12  # dimension of a body that nothing but its inertia describes
NEEDLE = 0.2  # width over length up to which a body is a rod
# most of a body's length over the distance of its farthest joint or frame from its mass centre: as a rod, as a box, and as
# the cube of three equal inertias, which are often given where one of them matters
ROD_REACH, BOX_REACH, CUBE_REACH = 2.2, 1.1, 0.7
ALONE = 20.0  # most of the size of a single body, over the extent of its frames
SHORT = 4.0  # lengths of a link beyond which the system's size says nothing about how thick it is
LEAST = 0.02  # least dimension of a box
_MOST_RODS = 12  # of one body
_ALIKE = 0.05  # relative difference of principal inertias below which a body is one of revolution


@dataclass(frozen=True)
class Drawing:
    """Shapes of the bodies of a system.

    Args:
        size: characteristic length, m.
        shapes: by body, in body axes; "N" too where it was given shapes.
    """

    size: float
    shapes: Mapping[str, tuple[Shape | Skin, ...]]


@dataclass(frozen=True)
class _Solid:
    """Principal inertias (ascending) over the mass, m^2, principal axes as columns, and mass centre, m."""

    inertia: Vector
    axes: Vector
    centre: Vector

    @property
    def box(self) -> Vector:
        """Edges of the homogeneous box with these inertias, m, along the axes: the longest first."""
        J = self.inertia
        return np.asarray(np.sqrt(np.maximum(6 * (J.sum() - 2 * J), 0.0)))


def drawing(model: Model, poses: Mapping[str, Pose]) -> Drawing:
    """Shapes of all bodies of a model.

    Args:
        model: the model.
        poses: R and p in N of every body, at some time.
    """
    carried: dict[str, list[Vector]] = {}
    exits = {block.segments[0]: block.exits[-1] for block in model.blocks.values() if isinstance(block, Feed)}
    for part in model.parts.values():  # a rod that is fed leaves its body at the exit, the slide's origin is behind it
        carried.setdefault(part.parent, []).append(part.at.p + exits.get(part.name, 0.0) * part.at.R[:, 0])
    points = {name: _features(model, part, carried.get(name, [])) for name, part in model.parts.items()}
    solids = {name: _solid(part) for name, part in model.parts.items() if not part.body.is_flexible}
    size = _size(points, solids, model, poses)
    rolling = {str(c.body).partition(".")[0]: c for c in model.constraints.values() if isinstance(c, Rolling)}
    heaviest = max((model.parts[n].body.mass_properties()[0] for n, s in solids.items() if s is None), default=0.0)
    shapes: dict[str, tuple[Shape | Skin, ...]] = {}
    rods = {name: (rod, l) for rod in model.rods.values() for name, l in zip(rod.segments, rod.lengths, strict=True)}
    for name, part in model.parts.items():
        if name in model.shapes:
            shapes[name] = model.shapes[name]
        elif name in rods:
            rod, length = rods[name]
            radius = float(np.clip(rod.rod.drawn_radius() or 0.0, rod.rod.length / 250, rod.rod.length / 40))
            shapes[name] = (Tube(np.array([[0.0, 0, 0], [length, 0, 0]]), radius),)
        elif part.body.is_flexible:
            skin: Skin = part.body.skin  # type: ignore[attr-defined]
            shapes[name] = (skin, *_pin(part, min(size, 2 * skin.size or size)))
        elif name in rolling and isinstance(rolling[name].body, str):
            shapes[name] = (_rolling(model, rolling[name], size), *_pin(part, size))
        else:
            near = _near(part, points[name], size)
            ball = _ball(part, heaviest, near) if solids[name] is None else ()
            solid = _of_inertia(solids[name], size, _room(points[name], solids[name], size, len(model.parts)))
            shapes[name] = (*ball, *solid, *_rods(part, points[name], solids[name], solid, near), *_pin(part, near))
    for name in {load.joint for load in model.loads.values() if isinstance(load, JointSpring) and load.stiffness}:
        if name in shapes and name not in model.shapes and model.parts[name].joint.drawn == "pin":
            shapes[name] = (*shapes[name], _coil(model.parts[name], _near(model.parts[name], points[name], size)))
    if GROUND in model.shapes:
        shapes[GROUND] = model.shapes[GROUND]
    return Drawing(size, shapes)


def _features(model: Model, part: Part, carried: list[Vector]) -> Vector:
    """Points of a body where something is: its hinge, its frames, what hangs on it, its mass centre; (n, 3)."""
    mass, moment, _ = part.body.mass_properties()
    found = [part.hinge.p, *carried]
    if part.name in model.shapes:  # they show how large it is; its frames may be anywhere
        return np.array(found)
    found += [frame.p for frame in model.frames[part.name].values()]
    if mass > 0 and not part.body.is_flexible:
        found.append(moment / mass)
    return np.array(found)


def _solid(part: Part) -> _Solid | None:
    """Inertia about the mass centre over the mass; None for point masses and bodies without mass."""
    mass, moment, J = part.body.mass_properties()
    if mass <= 0:
        return None
    c = moment / mass
    values, axes = np.linalg.eigh(J / mass - (c @ c * np.eye(3) - np.outer(c, c)))
    if values[2] <= 1e-12 * max(float(c @ c), float(values[2])) or values[2] <= 0:
        return None
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1
    return _Solid(np.maximum(values, 0.0), axes, c)


def _size(
    points: Mapping[str, Vector], solids: Mapping[str, _Solid | None], model: Model, poses: Mapping[str, Pose]
) -> float:
    """Extent of joints, frames and mass centres; that of bodies where these say less, or nothing."""
    places = []
    for name, (R, p) in poses.items():
        own = points[name]
        body = model.parts[name].body
        if body.is_flexible:
            own = np.concatenate([own, body.skin.points])  # type: ignore[attr-defined]
        places.append(own @ R.T + p)
    roots = [part.at.p for part in model.parts.values() if part.parent == GROUND and not isinstance(part.joint, Free)]
    cloud = np.concatenate([*places, np.array(roots).reshape(-1, 3)]) if places else np.zeros((1, 3))
    span = float(np.linalg.norm(np.ptp(cloud, axis=0)))
    widest = max([float(s.box[0]) for s in solids.values() if s is not None] + _given(model), default=0.0)
    if span <= 1e-9 * widest or span == 0:
        return widest or 1.0
    return max(span, min(widest, ALONE * span)) if len(model.parts) == 1 else max(span, *_given(model), 0.0)


def _given(model: Model) -> list[float]:
    """Extents of shapes that were given and of what rolls."""
    found = [2 * max(c.radii) for c in model.constraints.values() if isinstance(c, Rolling)]
    for name, shapes in model.shapes.items():
        for shape in shapes if name != GROUND else ():
            for field, factor in (("size", 1.0), ("radii", 2.0), ("radius", 2.0), ("length", 1.0)):
                found.append(factor * float(np.max(getattr(shape, field, 0.0))))
            for field in ("points", "vertices"):
                cloud = getattr(shape, field, None)
                if cloud is not None:
                    found.append(float(np.ptp(cloud, axis=0).max()))
    return found


def _room(points: Vector, solid: _Solid | None, size: float, bodies: int) -> float:
    """Largest dimension of a body among others: as its own joints and frames reach, since an inertia may be of any size."""
    if solid is None or bodies == 1:
        return size
    reach = float(np.linalg.norm(points - solid.centre, axis=1).max())
    long, middle, _ = solid.box
    alike = solid.inertia[2] - solid.inertia[0] <= _ALIKE * solid.inertia[2]
    factor = ROD_REACH if middle <= NEEDLE * long else CUBE_REACH if alike else BOX_REACH
    return float(np.clip(factor * reach, HUB * size, size))


def _near(part: Part, points: Vector, size: float) -> float:
    """The size by which rods, joints and balls are drawn: less than the system's where links are short beside it."""
    reach = float(np.linalg.norm(points - part.hinge.p, axis=1).max())
    return min(size, SHORT * reach) if reach > 0 else size


def _of_inertia(solid: _Solid | None, size: float, room: float) -> tuple[Shape, ...]:
    """Box, rod or disk of a body's inertia, shrunk to the room that it has."""
    if solid is None:
        return ()
    if solid.box[0] > room:
        solid = _Solid(solid.inertia * (room / solid.box[0]) ** 2, solid.axes, solid.centre)
    J, axes, at = solid.inertia, solid.axes, solid.centre
    long, middle, _ = solid.box
    clip = lambda x, least=LEAST: float(np.clip(x, least * size, size))
    if middle <= NEEDLE * long:
        radius = float(np.clip(np.sqrt(2 * J[0]), ROD * size, NEEDLE * clip(long)))
        return (Cylinder(radius, clip(long), rotation=_about(axes[:, 0]), position=at),)
    if J[1] - J[0] <= _ALIKE * J[2] and J[2] - J[1] > 3 * _ALIKE * J[2]:  # of revolution about the axis of largest inertia
        thickness = np.sqrt(max(12 * (J[:2].mean() - J[2] / 2), 0.0))
        return (Cylinder(clip(np.sqrt(2 * J[2]), LEAST / 2), clip(thickness), rotation=_about(axes[:, 2]), position=at),)
    if J[2] - J[1] <= _ALIKE * J[2] and J[1] - J[0] > 3 * _ALIKE * J[2]:  # or of least
        length = np.sqrt(max(12 * (J[1:].mean() - J[0] / 2), 0.0))
        return (Cylinder(clip(np.sqrt(2 * J[0]), LEAST / 2), clip(length), rotation=_about(axes[:, 0]), position=at),)
    return (Box(tuple(clip(x) for x in solid.box), rotation=axes, position=at),)


def _ball(part: Part, heaviest: float, size: float) -> tuple[Shape, ...]:
    """A point mass, by its mass beside the heaviest; of what has no mass a dot."""
    mass, moment, _ = part.body.mass_properties()
    if mass <= 0:
        return ()
    radius = BALL * size * max((mass / heaviest) ** (1 / 3), 0.3)
    return (Sphere(radius, position=tuple(moment / mass)),)


def _rolling(model: Model, constraint: Rolling, size: float) -> Shape:
    """The ellipsoid of a rolling body, a disk where it is thin."""
    _, frame = model.locate(constraint.body, "rolling")
    radii = np.array(constraint.radii)
    if radii.min() > 0:
        return Ellipsoid(tuple(radii), position=frame.position, rotation=frame.rotation)
    axis = int(radii.argmin())
    turn = frame.R @ _about(np.eye(3)[axis])
    return Cylinder(float(radii.max()), LEAST * size / 2, position=frame.position, rotation=turn)


def _rods(part: Part, points: Vector, solid: _Solid | None, shown: tuple[Shape, ...], size: float) -> Iterable[Shape]:
    """Rods from the hinge, or from the mass centre of what flies freely, to where something is that the shape leaves out."""
    centre = solid.centre if solid is not None else None
    start = centre if centre is not None and isinstance(part.joint, Free) else part.hinge.p
    if centre is not None and _inside(shown, start):
        start = centre
    ends: list[Vector] = []
    if centre is not None and shown and not _inside(shown, start):  # what hangs away from its joint is held by something
        ends.append(centre)
    for p in points:
        far = [np.linalg.norm(p - e) > LEAST * size for e in [start, *ends]]
        if all(far) and not _inside(shown, p) and len(ends) < _MOST_RODS:
            ends.append(p)
    return [Tube(np.array([start, end]), min(ROD * size, 0.2 * float(np.linalg.norm(end - start)))) for end in ends]


def _inside(shapes: tuple[Shape, ...], p: Vector) -> bool:
    """Whether a point lies within a box or cylinder, a tenth of its dimensions around it included."""
    for shape in shapes:
        x = shape.R.T @ (p - np.array(shape.position))
        half = np.array(shape.size) / 2 if isinstance(shape, Box) else np.full(3, np.nan)
        if isinstance(shape, Cylinder):
            half = np.array([shape.radius, shape.radius, shape.length / 2])
        if np.all(np.abs(x) <= half + 0.1 * half.max()):
            return True
    return False


def _pin(part: Part, size: float) -> tuple[Shape, ...]:
    """A body's inboard joint."""
    joint, at = part.joint, part.hinge
    if joint.drawn == "ball":
        return (Sphere(1.2 * PIN * size, position=at.position, color=METAL),)
    if joint.drawn in THICKNESS:
        radius, length = THICKNESS[joint.drawn]
        turn = at.R @ joint.alignment
        return (Cylinder(radius * size, length * size, position=at.position, rotation=turn, color=METAL),)
    return ()


def _coil(part: Part, size: float) -> Shape:
    """A spring around a body's inboard pin."""
    radius, length = COIL * PIN * size, THICKNESS["pin"][1] * size
    angle = np.linspace(0, 2 * np.pi * TURNS, 12 * TURNS + 1)
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.linspace(-0.4, 0.4, len(angle)) * length])
    turn = part.hinge.R @ part.joint.alignment
    return Tube(points, 0.25 * PIN * size, position=part.hinge.position, rotation=turn, color=METAL)


def _about(axis: Any) -> Vector:
    """Rotation whose z is along a unit vector."""
    x, y, z = (float(v) for v in axis)
    return frame_along((x, y, z))
