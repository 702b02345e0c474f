"""A tank as a body: contents that are a state of a block, at the bottom of a cylinder, a box or a sphere."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels.bodies import drained
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.model import checks
from kaneflex.model.bodies import BodyBase, settled_frames
from kaneflex.model.checks import ModelError
from kaneflex.model.slosh_mode import mode_of
from kaneflex.model.typed import Name, typed

SHAPES = ("cylinder", "box", "sphere")
ROLES = ("all", "rest", "mode")


@typed
@dataclass(frozen=True)
class DrainedMass(BodyBase):
    """A shell with contents that fill it from the bottom, the origin, up along z; made by a `Tank`.

    The contents move with the shell as if they were frozen, sink as they are used, and leave at the outlet, where they have
    the velocity of the shell there. Thrust is not part of it. What follows is the change of mass, mass centre and inertia,
    Coriolis forces of the flow between the contents and the outlet, and jet damping.

    Where the contents slosh there are two of these bodies: the shell with the rest of them, and the mode, a particle on a
    rod that hangs on the `pivot`, its origin, above the bottom. What the mode loses as the level falls runs along the rod
    to the pivot, where it has the velocity of the tank, and so to the rest: no momentum is lost, and the rod swings with
    m l^2 angle' as its angular momentum, by which energy over frequency stays what it is while the level falls slowly.

    Args:
        contents: channel of the state that is their mass, kg: "block.state".
        loaded: that mass at first, kg.
        shape: "cylinder", "box" with a square base, or "sphere".
        radius: of the tank, or half the width of the box, m.
        density: of the contents, kg/m^3.
        shell: mass of the empty tank, kg.
        centre: height of the mass centre of the shell, m.
        inertia: of the shell about its mass centre, kg m^2, three numbers.
        outlet: where the flow leaves the vehicle, m.
        role: "all", or of contents that slosh "rest" or "mode".
        pivot: height of the mode's pivot above the bottom, m.
        frames: named frames on the body.
    """

    contents: Name
    loaded: float
    shape: str
    radius: float
    density: float
    shell: float
    centre: float
    inertia: Any
    outlet: Any
    role: str = "all"
    pivot: float = 0.0
    frames: Mapping[str, Any] = field(default_factory=dict)
    facts: ClassVar[BodyFacts] = drained.FACTS

    def __post_init__(self) -> None:
        checks.known(self.shape, SHAPES, "shape of a DrainedMass")
        checks.known(self.role, ROLES, "role of a DrainedMass")
        object.__setattr__(self, "pivot", checks.number(self.pivot, "pivot of a DrainedMass"))
        for name in ("loaded", "radius", "density"):
            object.__setattr__(self, name, checks.positive(getattr(self, name), f"{name} of a DrainedMass"))
        object.__setattr__(self, "shell", checks.not_negative(self.shell, "shell of a DrainedMass"))
        object.__setattr__(self, "centre", checks.number(self.centre, "centre of a DrainedMass"))
        for name in ("inertia", "outlet"):
            object.__setattr__(self, name, checks.vector(getattr(self, name), f"{name} of a DrainedMass"))
        object.__setattr__(self, "frames", settled_frames(self.frames))

    def mass_properties(self) -> tuple[float, checks.Vector, checks.Vector]:
        """Mass, mass times mass centre, and inertia about the body's origin, body axes, with the contents of the start."""
        found = self.law(np.eye(3), np.zeros(3))(0.0, np.array([self.loaded, 0.0]))
        m, h, J = found[0], np.array(found[1:4]), found[4:10]
        return float(m), h, np.array([[J[0], J[1], J[2]], [J[1], J[3], J[4]], [J[2], J[4], J[5]]])

    def law(self, R: checks.Vector, p: checks.Vector) -> Callable[..., Any]:
        """The function of t and (contents, their rate) that `kernels.bodies.drained` reads."""
        if np.abs(R - np.eye(3)).max() > 0 or np.abs(p).max() > 0:
            raise ModelError("a DrainedMass is held at its origin, in its own axes: give it no other frame of the joint")
        if self.role == "mode":
            return self._mode()
        ms, zs, (Jx, Jy, Jz), (a, b, c) = self.shell, self.centre, self.inertia, self.outlet
        Jx, Jy = Jx + ms * zs * zs, Jy + ms * zs * zs
        inside = contents_of(self.shape, float(self.radius), float(self.density))
        mode = mode_of(self.shape, float(self.radius), float(self.density))
        moves, pivot = float(self.role == "rest"), float(self.pivot)

        def law(t: Any, x: Any) -> Any:
            m, rate = x[0], x[1]
            depth, across, h, J, K, thinner, bend = inside(m)
            o, w, w1, w2, v, v1, v2, y, y1 = 0 * m, 0 * m, 0 * m, 0 * m, 0 * m, 0 * m, 0 * m, 0 * m, 0 * m
            if moves > 0:  # mass w of the mode, its moment v and its inertia y about the bottom, and derivatives by m
                w, p1, p2, s, s1, s2, _ = mode(depth)
                w1, w2 = p1 * thinner, p2 * thinner * thinner + p1 * bend
                s2, s1 = s2 * thinner * thinner + s1 * bend, s1 * thinner
                v, v1, v2 = w * s, w1 * s + w * s1, w2 * s + 2 * w1 * s1 + w * s2
                y, y1 = v * s, v1 * s + v * s1
            turn = rate * (across + depth * depth - y1)
            g, sink = rate * (depth - v1 - c + w1 * pivot), rate * rate * (thinner - v2)
            jet, square = rate * w1 * pivot * pivot, rate * rate * w2
            return (
                m + ms - w, o, o, h + ms * zs - v, J + Jx - y, o, o, J + Jy - y, o, K + Jz,
                rate * (1 - w1), o, o, rate * (depth - v1), turn, o, o, turn, o, 2 * rate * across,
                -rate * a, -rate * b, g, o, o, sink + square * pivot, o, o, o, o, o, o,
                jet - rate * (b * b + c * c), rate * a * b, rate * a * c, jet - rate * (a * a + c * c), rate * b * c,
                -rate * (a * a + b * b), o, o, o, o, o, o, -square, o, o, sink,
            )  # fmt: skip

        return law

    def _mode(self) -> Callable[..., Any]:
        """The law of a mode: w at the distance l below its origin, which is its outlet."""
        inside = contents_of(self.shape, float(self.radius), float(self.density))
        mode, pivot = mode_of(self.shape, float(self.radius), float(self.density)), float(self.pivot)

        def law(t: Any, x: Any) -> Any:
            m, rate = x[0], x[1]
            depth, _, _, _, _, thinner, bend = inside(m)
            w, p1, p2, s, s1, s2, _ = mode(depth)
            w1, w2 = p1 * thinner, p2 * thinner * thinner + p1 * bend
            l, l1, l2 = pivot - s, -s1 * thinner, -s2 * thinner * thinner - s1 * bend
            o, J = 0 * m, w * l * l
            h1, h2 = -rate * (w1 * l + w * l1), -rate * rate * (w2 * l + 2 * w1 * l1 + w * l2)
            J1 = rate * (w1 * l + 2 * w * l1) * l
            return (
                w, o, o, -w * l, J, o, o, J, o, o, rate * w1, o, o, h1, J1, o, o, J1, o, o, o, o, h1, o, o, h2,
                o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, rate * rate * w2, o, o, h2,
            )  # fmt: skip

        return law


def contents_of(shape: str, r: float, rho: float) -> Callable[..., Any]:
    """A function of the contents' mass, kg, that gives depth; J/m across of a layer at the surface; mass moment along z;
    inertia about the bottom, across and along z; d depth/d mass, and its derivative by the mass."""
    area = math.pi * r * r if shape == "cylinder" else 4 * r * r
    own = r * r / 4 if shape == "cylinder" else r * r / 3
    whole = 4 / 3 * math.pi * r**3 * rho

    def upright(m: Any) -> Any:
        d = m / (rho * area)
        return d, own + 0 * m, m * d / 2, m * (own + d * d / 3), 2 * m * own, 1 / (rho * area) + 0 * m, 0 * m

    def ball(m: Any) -> Any:
        d = r * (1 - 2 * np.cos((np.arccos(2 * m / whole - 1) + 4 * math.pi) / 3))
        square = 2 * r * d - d * d  # of the radius of the surface
        d3 = d * d * d
        h = rho * math.pi * d3 * (2 * r / 3 - d / 4)
        along = rho * math.pi / 2 * d3 * (4 * r * r / 3 - r * d + d * d / 5)
        across = along / 2 + rho * math.pi * d3 * d * (r / 2 - d / 5)
        thinner = 1 / (rho * math.pi * square)
        return d, square / 4, h, across, along, thinner, -2 * (r - d) * thinner * thinner / square

    return ball if shape == "sphere" else upright


__all__ = ["DrainedMass"]
