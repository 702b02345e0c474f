"""How a straight rod or cable whose two ends are fixed in N begins: hanging as a catenary, or as an arc of a circle.

A catenary of weight w per length, horizontal span h and rise v, from s = 0 to L, has the slope (s - s0)/a:

    2 a sinh(h/2a) = sqrt(L^2 - v^2) ,    s0 = L/2 - (v/2) coth(h/2a) .                                               (1)

A chain of uniform links is in balance where each lies along the force in its middle: with the horizontal force H and the
weight W(s) of what is up to s, the slope of a link is

    (W(s) - V)/H ,                                                                                                        (2)

and each link is longer by what the force along it, at its end, stretches there.
Ref: Irvine, Cable Structures (1981), chapter 1.
"""

import math
from typing import NamedTuple

import numpy as np

from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.frames import GROUND, Frame, as_frame
from kaneflex.model.model import Model
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.rods.rod import PLANES, Cable, Strand

ROUNDS = 60
STEEP = 1e-3  # of its length: less of a horizontal span than this and a cable is no catenary


class Pose(NamedTuple):
    """Turns in the joints from the neutral pose, as rotation vectors in the segments' axes, and slides along x, m."""

    turns: list[Vector]
    slides: list[float]


def between_ends(
    model: Model, rod: Strand, placed: PlacedRod, turns: Vector, mother: str, place: Frame, end: object
) -> Pose | None:
    """The pose of a rod between its ends; None where these are not both in N, or it is not straight without load.

    Args:
        model: the model, for its gravity.
        rod: the rod.
        placed: its segments.
        turns: of the segments without load, rotation vectors.
        mother: what carries the root.
        place: the root there.
        end: where the tip is.
    """
    if mother != GROUND or (isinstance(end, str) and end != GROUND) or turns.any():
        return None
    target = np.zeros(3) if isinstance(end, str) else as_frame(end, "end of a rod").p
    chord, down = place.R.T @ (target - place.p), place.R.T @ np.array(model.gravity)
    lengths = np.array(placed.lengths)
    distance, total = float(np.linalg.norm(chord)), float(lengths.sum())
    if distance > total * (1 + 1e-9) and not rod.stretches:
        raise ModelError(f"a rod of {total:g} m cannot reach over {distance:g} m: give a longer one, EA, or another end")
    normal = _normal(rod, chord, down, total)
    middles = np.cumsum(lengths) - lengths / 2
    weight = float(np.linalg.norm(down))
    flat = chord - (chord @ down) * down / weight**2 if weight else chord
    span = float(np.linalg.norm(flat))
    slides = np.zeros(len(lengths))
    if isinstance(rod, Cable) and span > STEEP * total and weight and len(lengths) > 1:
        along = flat / span
        headings, slides = _catenary(rod, placed, span, float(-chord @ down) / weight, weight)
    else:
        along = chord / distance if distance > 1e-9 * total else np.array([1.0, 0, 0])
        headings = _arc_angle(lengths, distance) * (middles / total - 0.5)
    upward = normal if float(np.cross(normal, along) @ down) <= 0 else -normal  # a turn about it leads up
    first = _from_x(along, upward, float(headings[0]))
    return Pose([first, *(upward * d for d in np.diff(headings))], slides.tolist())


def _normal(rod: Strand, chord: Vector, down: Vector, size: float) -> Vector:
    """Unit vector normal to the plane of the curve, which has the chord and gravity in it."""
    if rod.plane is not None:
        normal = np.eye(3)[PLANES[rod.plane]]
        if abs(normal @ chord) > 1e-9 * size:
            raise ModelError(f'the ends of a rod in its "{rod.plane}" plane are not in it: turn it by at=Frame(p, rotation)')
        return normal
    normal = np.cross(down, chord)
    if np.linalg.norm(normal) < 1e-9 * max(float(np.linalg.norm(down)) * size, 1e-300):
        normal = np.cross(np.eye(3)[int(np.argmin(np.abs(chord)))], chord if np.any(chord) else [1.0, 0, 0])
    return np.asarray(normal / np.linalg.norm(normal))


def _catenary(rod: Strand, placed: PlacedRod, h: float, v: float, gravity: float) -> tuple[Vector, Vector]:
    """Slopes of the segments as angles, rad, and slides of the joints, m, in balance: (2), by Newton's method from (1)."""
    lengths, arc = np.array(placed.lengths), placed.arc
    middles = (arc[:-1] + arc[1:]) / 2
    weights = gravity * rod.sections["mass_per_length"](middles)[:, 0] * lengths
    at_middles, at_joints = np.cumsum(weights) - weights / 2, np.cumsum(weights)[:-1]
    compliance = np.zeros(len(lengths) - 1)
    if rod.stretches:
        compliance = np.diff([0.0, *middles[1:-1], rod.length]) / rod.sections["EA"](arc[1:-1])[:, 0]

    def chain(H: float, V: float) -> tuple[Vector, Vector]:
        headings = np.arctan2(at_middles - V, H)
        tension = H * np.cos(headings[:-1]) + (at_joints - V) * np.sin(headings[:-1])
        return headings, compliance * tension

    def miss(force: Vector) -> Vector:
        headings, slides = chain(*force)
        reach = lengths + np.append(slides, 0.0)
        return np.array([reach @ np.cos(headings) - h, reach @ np.sin(headings) - v])

    stretched, w, force = rod.length, float(weights.sum()) / rod.length, np.zeros(2)
    for _ in range(ROUNDS if rod.stretches else 1):
        L = max(stretched, math.hypot(h, v) * (1 + 1e-6))
        a = _parameter(math.sqrt(L * L - v * v), h)
        s0 = L / 2 - v / (2 * math.tanh(h / (2 * a)))
        force = w * rod.length / L * np.array([a, s0])
        stretched = (stretched + rod.length + float(chain(*force)[1].sum())) / 2
    for _ in range(ROUNDS):
        now = miss(force)
        steps = 1e-7 * max(float(np.abs(force).max()), 1e-300) * np.eye(2)
        slope = np.column_stack([(miss(force + d) - now) / d.sum() for d in steps])
        way = -np.linalg.solve(slope, now)
        size = next((x for x in 0.5 ** np.arange(12) if np.linalg.norm(miss(force + x * way)) < np.linalg.norm(now)), 0.0)
        if not size:
            break
        force = force + size * way
    headings, slides = chain(*force)
    return headings, np.insert(slides, 0, 0.0)


def _parameter(reach: float, h: float) -> float:
    """a of 2 a sinh(h/2a) = reach, where reach > h: by halving h/2a."""
    low, high = 1e-9, 700.0
    for _ in range(200):
        x = (low + high) / 2
        low, high = (x, high) if math.sinh(x) / x < reach / h else (low, x)
    return h / (low + high)


def _arc_angle(lengths: Vector, distance: float) -> float:
    """The angle of an arc of segments whose ends are a distance apart, between 0 and a whole turn."""
    middle = (np.cumsum(lengths) - lengths / 2) / lengths.sum() - 0.5
    low, high = 0.0, 2 * math.pi
    for _ in range(ROUNDS):
        guess = (low + high) / 2
        reach = math.hypot(float(lengths @ np.cos(guess * middle)), float(lengths @ np.sin(guess * middle)))
        low, high = (guess, high) if reach > distance else (low, guess)
    return low


def _from_x(along: Vector, normal: Vector, angle: float) -> Vector:
    """The rotation vector from the x axis to `along` turned about the normal by an angle."""
    heading = math.cos(angle) * along + math.sin(angle) * np.cross(normal, along)
    axis = np.cross([1.0, 0.0, 0.0], heading)
    sine, cosine = float(np.linalg.norm(axis)), float(heading[0])
    if sine < 1e-12:
        return np.zeros(3) if cosine > 0 else math.pi * normal
    return np.asarray(math.atan2(sine, cosine) / sine * axis)


__all__ = ["Pose", "between_ends"]
