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
from kaneflex.model.typed import Name, typed

SHAPES = ("cylinder", "box", "sphere")


@typed
@dataclass(frozen=True)
class DrainedMass(BodyBase):
    """A shell with contents that fill it from the bottom, the origin, up along z; made by a `Tank`.

    The contents move with the shell as if they were frozen, sink as they are used, and leave at the outlet, where they have
    the velocity of the shell there. Thrust is not part of it. What follows is the change of mass, mass centre and inertia,
    Coriolis forces of the flow between the contents and the outlet, and jet damping.

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
    frames: Mapping[str, Any] = field(default_factory=dict)
    facts: ClassVar[BodyFacts] = drained.FACTS

    def __post_init__(self) -> None:
        checks.known(self.shape, SHAPES, "shape of a DrainedMass")
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
        ms, zs, (Jx, Jy, Jz), (a, b, c) = self.shell, self.centre, self.inertia, self.outlet
        Jx, Jy = Jx + ms * zs * zs, Jy + ms * zs * zs
        inside = contents_of(self.shape, float(self.radius), float(self.density))

        def law(t: Any, x: Any) -> Any:
            m, rate = x[0], x[1]
            depth, across, h, J, K, thinner = inside(m)
            o, lower = 0 * m, c - depth  # of the outlet below the surface
            g, sink = -rate * lower, rate * rate * thinner
            return (
                m + ms, o, o, h + ms * zs, J + Jx, o, o, J + Jy, o, K + Jz,
                rate, o, o, rate * depth, rate * (across + depth * depth), o, o,
                rate * (across + depth * depth), o, 2 * rate * across,
                -rate * a, -rate * b, g, o, o, sink, o, o, o, o, o, o,
                -rate * (b * b + c * c), rate * a * b, rate * a * c, -rate * (a * a + c * c), rate * b * c,
                -rate * (a * a + b * b), o, o, o, o, o, o, o, o, o, sink,
            )  # fmt: skip

        return law


def contents_of(shape: str, r: float, rho: float) -> Callable[..., Any]:
    """A function of the contents' mass, kg, that gives depth; J/m across of a layer at the surface; mass moment along z;
    inertia about the bottom, across and along z; d depth/d mass."""
    area = math.pi * r * r if shape == "cylinder" else 4 * r * r
    own = r * r / 4 if shape == "cylinder" else r * r / 3
    whole = 4 / 3 * math.pi * r**3 * rho

    def upright(m: Any) -> Any:
        d = m / (rho * area)
        return d, own + 0 * m, m * d / 2, m * (own + d * d / 3), 2 * m * own, 1 / (rho * area) + 0 * m

    def ball(m: Any) -> Any:
        d = r * (1 - 2 * np.cos((np.arccos(2 * m / whole - 1) + 4 * math.pi) / 3))
        square = 2 * r * d - d * d  # of the radius of the surface
        d3 = d * d * d
        h = rho * math.pi * d3 * (2 * r / 3 - d / 4)
        along = rho * math.pi / 2 * d3 * (4 * r * r / 3 - r * d + d * d / 5)
        across = along / 2 + rho * math.pi * d3 * d * (r / 2 - d / 5)
        return d, square / 4, h, across, along, 1 / (rho * math.pi * square)

    return ball if shape == "sphere" else upright


__all__ = ["DrainedMass"]
