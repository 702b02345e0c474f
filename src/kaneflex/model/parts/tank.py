"""A tank that engines and thrusters draw from, until it is empty."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, Crossing, entries, seen
from kaneflex.model.checks import ModelError
from kaneflex.model.drained import SHAPES, DrainedMass, contents_of
from kaneflex.model.forces import JointForce
from kaneflex.model.joints import Fixed, Universal
from kaneflex.model.parts.contract import SUPPLY, PartBase, Site, shared
from kaneflex.model.slosh_mode import FULLEST, mode_of
from kaneflex.model.typed import typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model


@typed
@dataclass(frozen=True)
class TankLevel(BlockBase):
    """What is in a Tank, which makes it: falls as the flows of what it feeds say, until only the residual is left.

    Args:
        propellant, residual, shape, radius, density: as for Tank.
        sees: flows, kg/s.
        drives: supplies of what is fed.
    """

    propellant: float
    residual: float
    shape: str
    radius: float
    density: float
    only_seen: ClassVar[int] = 2

    @property
    def state_names(self) -> tuple[str, ...]:
        """Mass of the contents, kg; 1 until the tank has run empty."""
        return "propellant", "open"

    @property
    def start(self) -> np.ndarray:
        """Filled."""
        return np.array([self.propellant, 1.0])

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """It runs empty: nothing is fed any more."""
        return (Crossing("usable", {"propellant": float(self.residual), "open": 0.0}, "runs empty"),)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Supplies; what can still be used, depth of the contents."""
        return *(f"supply{k + 1}" for k in range(len(self.drives))), "usable", "depth"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return *("",) * len(self.drives), "kg", "m"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        n, left = len(self.drives), float(self.residual)
        inside, first = contents_of(self.shape, float(self.radius), float(self.density)), entries(n + 2)

        def flows(t: Any, x: Any, z: Any) -> Any:
            total = 0 * z[0]
            for k in range(size):
                total -= x[k]
            return total, 0 * z[0]

        def outputs(t: Any, z: Any) -> Any:
            out = np.zeros(n + 2, z.dtype)
            for k in range(n):
                out[k] = z[1]
            out[n] = z[0] - left
            out[n + 1] = inside(z[0])[0]
            return first(out)

        return BlockLaw(flows, outputs)


@typed
@dataclass(frozen=True)
class SloshTorque(BlockBase):
    """Torques on the slosh mode of a Tank, which makes it: damping, and what its pendulum lacks as its pivot stays.

    Args:
        shape, radius, density, damping, acceleration: as for Tank.
        pivot: height of the pivot above the bottom, m.
        sees: contents, kg; both angles and both rates of the pendulum.
        drives: torques about its two axes.
    """

    shape: str
    radius: float
    density: float
    damping: float
    acceleration: float
    pivot: float
    only_seen: ClassVar[int] = 2

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def start(self) -> np.ndarray:
        """Nothing."""
        return np.zeros(0)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Torques, mass of the mode, and its frequency under the acceleration given."""
        return "torque1", "torque2", "mass", "frequency"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "N m", "N m", "kg", "rad/s"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 5, what)
        a, z, pivot = float(self.acceleration), float(self.damping), float(self.pivot)
        inside = contents_of(self.shape, float(self.radius), float(self.density))
        mode = mode_of(self.shape, float(self.radius), float(self.density))

        def torques(t: Any, x: Any, z_: Any) -> Any:
            w, _, _, s, _, _, length = mode(inside(x[0])[0])
            l, rate = pivot - s, np.sqrt(a / length)
            k, c = w * a * l * (l / length - 1), 2 * z * rate * w * l * l
            return (-k * x[1] - c * x[3], -k * x[2] - c * x[4], w, rate), ()

        return BlockLaw(torques)


@typed
@dataclass(frozen=True)
class Tank(PartBase):
    """A tank with propellant as variable mass, from which other parts draw.

    z of the part's axes is up, and the part's place is the middle of the bottom. The contents are at the bottom and move
    with the tank as if they were frozen, unless `slosh` is given: then the first mode of a `SloshTank` is a pendulum whose
    mass, length and frequency follow the level, and the rest is frozen. In a sphere it hangs on the centre; in a cylinder or
    box its pivot stays where it is at first, and a torque makes up for that under the `acceleration` given. Mass, mass
    centre and inertia change with what engines and thrusters use: those named in `feeds`, each made with `fed=True`, or
    clusters of such. With the outlet where they are, jet damping and Coriolis forces of the flow follow; their thrust is
    their own. When only the residual is left the supply ends in an event, "name runs empty", and so does their thrust. The
    reaction to a flow that grows is left out.

    Channels: states `propellant`, all that is in it, kg, and `open`; `usable`, kg; `depth` of the contents, m;
    "name.current_mass" with the shell, and without the mode. Of the mode: "name_slosh.q", "name_slosh.current_mass";
    "name_torque.frequency", rad/s.

    Args:
        shape: "cylinder", "box" with a square base, or "sphere".
        radius: of the tank, or half the width of the box, m.
        propellant: in it at the start, kg.
        feeds: names of the parts that it feeds, installed before it.
        height: of a cylinder or box, m; a sphere has its own.
        density: of the propellant, kg/m^3.
        shell: mass of the empty tank, kg, as a thin tube, or a thin sphere.
        residual: what cannot be used, kg; a thousandth of a full tank when None.
        outlet: where the flow leaves the vehicle, in the part's axes, m: the engine's place.
        slosh: whether the contents slosh.
        damping: ratio of the mode's damping to critical.
        acceleration: along z, m/s^2, for the damping and, but in a sphere, for the frequency.
    """

    shape: str
    radius: float
    propellant: float
    feeds: Any = ()
    height: float | None = None
    density: float = 1000.0
    shell: float = 0.0
    residual: float | None = None
    outlet: Any = (0.0, 0.0, 0.0)
    slosh: bool = False
    damping: float = 0.0
    acceleration: float = 9.80665

    def _check(self) -> None:
        checks.known(self.shape, SHAPES, "shape of a Tank")
        checks.not_negative(self.damping, "damping of a Tank")
        checks.positive(self.acceleration, "acceleration of a Tank")
        for name in ("radius", "propellant", "density"):
            checks.positive(getattr(self, name), f"{name} of a Tank")
        checks.not_negative(self.shell, "shell of a Tank")
        if self.shape == "sphere" and self.height not in (None, 2 * self.radius):
            raise ModelError(f"height of a Tank is {self.height}: a sphere has twice its radius; leave it out")
        if self.shape != "sphere" and self.height is None:
            raise ModelError(f"a Tank that is a {self.shape} has no height: give it, m")
        height = 2 * self.radius if self.height is None else self.height
        object.__setattr__(self, "height", checks.positive(height, "height of a Tank"))
        full = self.capacity
        if self.propellant > full * (1 + 1e-12):
            raise ModelError(f"propellant of a Tank is {self.propellant:g} kg: it holds {full:g} kg")
        object.__setattr__(self, "residual", 1e-3 * full if self.residual is None else self.residual)
        if checks.positive(self.residual, "residual of a Tank") >= self.propellant:
            raise ModelError(f"residual of a Tank is {self.residual:g} kg: it holds only {self.propellant:g} kg")
        feeds = (self.feeds,) if isinstance(self.feeds, str) else self.feeds
        object.__setattr__(self, "feeds", tuple(checks.names(feeds, "feeds of a Tank")))
        object.__setattr__(self, "outlet", checks.vector(self.outlet, "outlet of a Tank"))
        if self.slosh and self.shape == "sphere" and self._depth() > 2 * FULLEST * self.radius:
            raise ModelError(f"a Tank that is a sphere and fuller than {FULLEST:g} of its height does not slosh: give less")

    def _depth(self) -> float:
        return float(contents_of(self.shape, float(self.radius), float(self.density))(float(self.propellant))[0])

    @property
    def capacity(self) -> float:
        """Mass of a full tank, kg."""
        r, h = self.radius, self.height or 0.0
        volumes = {"cylinder": math.pi * r**2 * h, "box": 4 * r**2 * h, "sphere": 4 / 3 * math.pi * r**3}
        return self.density * volumes[self.shape]

    def describe(self) -> str:
        """Shape, propellant and what is fed."""
        fed = f", feeds {', '.join(self.feeds)}" if self.feeds else ""
        return f"{self.shape}, {self.propellant:.4g} of {self.capacity:.4g} kg{fed}"

    def install(self, site: Site) -> None:
        """Shell with contents, their level, supplies."""
        r, H, m = self.radius, float(self.height or 0.0), self.shell
        wall = (m * (r**2 / 2 + H**2 / 12),) * 2 + (m * r**2,) if self.shape != "sphere" else (2 / 3 * m * r**2,) * 3
        _, _, _, high, _, _, length = mode_of(self.shape, float(r), float(self.density))(self._depth())
        pivot = float(high + length)
        body = DrainedMass(
            contents=f"{site.name}.propellant", loaded=self.propellant, shape=self.shape, radius=r, density=self.density,
            shell=m, centre=H / 2, inertia=wall, outlet=self.outlet, role="rest" if self.slosh else "all", pivot=pivot,
        )  # fmt: skip
        tank = site.add("", body, Fixed())
        if self.slosh:
            mode = site.add("slosh", replace(body, role="mode"), Universal(("x", "y")), parent=tank, at=(0, 0, pivot))
            turns = [site.add_input(f"turn{k}", JointForce(mode, coordinate=f"angle{k}")) for k in (1, 2)]
        fed = [name for feed in self.feeds for name in supplied(site.model, feed, site.what)]
        sees, drives = [f"{name}.flow" for name in fed], [f"{name}_{SUPPLY}" for name in fed]
        site.add_block("", TankLevel(**shared(self, TankLevel), sees=sees, drives=drives))
        if self.slosh:
            seen_by = (f"{site.name}.propellant", f"{mode}.q", f"{mode}.rate")
            site.add_block("torque", SloshTorque(**shared(self, SloshTorque), pivot=pivot, sees=seen_by, drives=turns))
        site.unit(f"{site.name}.propellant", "kg")


def supplied(model: "Model", feed: str, what: str) -> list[str]:
    """The parts, or those that a cluster is made of, that take a supply."""
    heads = (name.removesuffix(f"_{SUPPLY}") for name in model.inputs if name.endswith(f"_{SUPPLY}"))
    found = [name for name in heads if name == feed or name.rpartition("_")[0] == feed]
    if not found:
        raise ModelError(f'{what} feeds "{feed}", which takes no supply: install it before, made with fed=True')
    taken = {d: block for block, x in model.blocks.items() for d in x.drives}
    other = next((taken[f"{n}_{SUPPLY}"] for n in found if f"{n}_{SUPPLY}" in taken), None)
    if other is not None:
        raise ModelError(f'{what} feeds "{feed}", which "{other}" feeds already: name it in one of them')
    return found


__all__ = ["Tank"]
