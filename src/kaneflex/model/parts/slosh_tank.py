"""A tank whose liquid sloshes."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from kaneflex.model import checks
from kaneflex.model.bodies import PointMass, Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import JointSpring
from kaneflex.model.joints import Fixed, Prismatic, Universal
from kaneflex.model.parts.contract import PartBase, Site
from kaneflex.model.slosh_mode import FULLEST, mode_of
from kaneflex.model.sphere_slosh import sphere_mode
from kaneflex.model.typed import typed

SHAPES = ("cylinder", "box", "sphere")
MODELS = ("pendulum", "spring")


class Slosh(NamedTuple):
    """The first mode of a liquid, as a mass beside the rest; heights above the bottom of the tank."""

    liquid: float  # kg
    mass: float  # kg, of the mode
    height: float  # m, of that mass
    length: float  # m, of its pendulum: frequency^2 = acceleration/length
    rest: float  # kg
    rest_height: float  # m, so that the mass centre of both is that of the liquid


@typed
@dataclass(frozen=True)
class SloshTank(PartBase):
    """An upright tank with an amount of liquid that stays: the first mode of slosh across, both ways, and the rest, fixed.

    z of the part's axes is up, against the acceleration felt; the part's place is the middle of the bottom. The mode is a
    pendulum, for any acceleration along z, or a mass on springs, for the one given. With k = 1.8412/radius (cylinder) or
    pi/width (box with a square base) and the depth h of the liquid, potential flow gives (H. N. Abramson, NASA SP-106, 1966;
    F. T. Dodge, The New Dynamic Behavior of Liquids in Moving Containers, 2000)

        frequency^2 = acceleration k tanh(k h) ,  height of the mass = h - (2/k) tanh(k h/2) ,
        mass/liquid = 2 tanh(k h)/(k h (1.8412^2 - 1)) for the cylinder, 8 tanh(k h)/(pi^2 k h) for the box.

    Of a sphere they come from a series (`sphere_slosh`); pressure on its wall goes through its centre, which is where its
    pendulum hangs. Higher modes count with the rest, and swirl about z is left out. `slosh()` has these numbers.

    Args:
        shape: "cylinder", "box" or "sphere".
        radius: of the cylinder or sphere, or half the width of the box, m.
        height: of the tank, m; of a sphere twice its radius.
        fill: part of the height that is filled, above 0 and up to 1, of a sphere up to 0.95.
        density: of the liquid, kg/m^3.
        model: "pendulum" or "spring".
        damping: ratio of the mode's damping to critical; of a pendulum at `acceleration`.
        acceleration: along z, m/s^2, for springs and damping.
        shell: mass of the empty tank, kg, as a thin tube, or a thin sphere.
        inertia: of the rest of the liquid about its own mass centre, kg m^2, three numbers; none unless it is given.
    """

    shape: str
    radius: float
    height: float
    fill: float
    density: float = 1000.0
    model: str = "pendulum"
    damping: float = 0.0
    acceleration: float = 9.80665
    shell: float = 0.0
    inertia: Any = (0.0, 0.0, 0.0)

    def _check(self) -> None:
        checks.known(self.shape, SHAPES, "shape of a SloshTank")
        checks.known(self.model, MODELS, "model of a SloshTank")
        for name in ("radius", "height", "fill", "density", "acceleration"):
            checks.positive(getattr(self, name), f"{name} of a SloshTank")
        for name in ("damping", "shell"):
            checks.not_negative(getattr(self, name), f"{name} of a SloshTank")
        if self.fill > 1:
            raise ModelError(f"fill of a SloshTank is {self.fill:g}: give a part of its height, up to 1")
        object.__setattr__(self, "inertia", checks.vector(self.inertia, "inertia of a SloshTank"))
        if self.shape == "sphere" and abs(self.height - 2 * self.radius) > 1e-9 * self.radius:
            raise ModelError(f"height of a SloshTank is {self.height:g}: a sphere has twice its radius, {2 * self.radius:g}")
        if self.shape == "sphere" and self.fill > FULLEST:
            raise ModelError(
                f"fill of a SloshTank is {self.fill:g}: a sphere that is fuller than {FULLEST:g} does not slosh"
            )

    def slosh(self) -> Slosh:
        """Masses, heights and the length of the pendulum."""
        h, r = self.fill * self.height, self.radius
        if self.shape == "sphere":
            return self._in_a_sphere(h, r)
        liquid = self.density * h * (math.pi * r**2 if self.shape == "cylinder" else 4 * r**2)
        mass, _, _, height, _, _, length = map(float, mode_of(self.shape, r, self.density)(h))
        rest = liquid - mass
        return Slosh(liquid, mass, height, length, rest, (liquid * h / 2 - mass * height) / rest)

    def _in_a_sphere(self, h: float, r: float) -> Slosh:
        """The same for a sphere: the mass hangs on its centre."""
        liquid = self.density * math.pi * h**2 * (r - h / 3)
        k, share = sphere_mode(h / r)
        mass, length = share * liquid, r / k
        centre = h * (8 * r - 3 * h) / (4 * (3 * r - h))  # of the liquid above the bottom
        rest = liquid - mass
        return Slosh(liquid, mass, r - length, length, rest, (liquid * centre - mass * (r - length)) / rest)

    def describe(self) -> str:
        """Shape, liquid, and what of it sloshes."""
        found = self.slosh()
        return f"{self.shape}, {found.liquid:.4g} kg, of which {found.mass:.4g} kg slosh as a {self.model}"

    def install(self, site: Site) -> None:
        """Shell with the rest of the liquid, and the mode."""
        s, H, r = self.slosh(), self.height, self.radius
        wall, about = self.shell * (r**2 / 2 + H**2 / 12), self.shell * r**2
        if self.shape == "sphere":
            wall = about = 2 / 3 * self.shell * r**2
        m = self.shell + s.rest
        middle = (self.shell * H / 2 + s.rest * s.rest_height) / m
        apart = self.shell * (H / 2 - middle) ** 2 + s.rest * (s.rest_height - middle) ** 2
        x, y, z = self.inertia
        rigid = Rigid(m, com=(0, 0, middle), inertia=(wall + apart + x, wall + apart + y, about + z))
        tank = site.add("", rigid, Fixed())
        rate = math.sqrt(self.acceleration / s.length)
        if self.model == "pendulum":
            bob = Rigid(s.mass, com=(0, 0, -s.length), frames={"mass": (0, 0, -s.length)})
            site.add("slosh", bob, Universal(("x", "y")), parent=tank, at=(0, 0, s.height + s.length))
            if self.damping:
                site.apply("damper", JointSpring(site.named("slosh"), 0.0, 2 * self.damping * rate * s.mass * s.length**2))
            return
        k, c = s.mass * rate**2, 2 * self.damping * rate * s.mass
        first = site.add("slide", PointMass(0.0), Prismatic("x"), parent=tank, at=(0, 0, s.height))
        second = site.add("slosh", PointMass(s.mass), Prismatic("y"), parent=first)
        for word, joint in (("spring_x", first), ("spring_y", second)):
            site.apply(word, JointSpring(joint, k, c))


__all__ = ["SloshTank"]
