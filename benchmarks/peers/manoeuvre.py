"""An attitude manoeuvre of a spacecraft with four wheels, two flexible panels and two slosh pendulums, in kaneflex.

The bus turns to another attitude while its main engine burns. A computer samples attitude and angular velocity and commands
the wheels, T = -stiffness sigma - damping omega of the modified Rodrigues parameters sigma from the target; torques are held
in between. A panel is a chain of equal plates on hinges with springs and dampers, as many modes as plates; or the modes of
a cantilever, each as the mass that it moves, on a spring, where its force acts. A pendulum is a point on a rod, on two
hinges across. This is what Basilisk has, so that both programs have the same equations.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import kaneflex as kf

Array = NDArray[np.float64]

#: Axes of the hinge frames of the panels, rows in the bus's axes: plates along -1, hinges about 2.
SIDES = {"left": ((0, -1, 0), (1, 0, 0), (0, 0, 1)), "right": ((0, 1, 0), (-1, 0, 0), (0, 0, 1))}
#: Axes of the pendulums, rows in the bus's axes: the rod at rest along 1, turned about 3, then about 2.
HANGING = ((0, 0, -1), (0, 1, 0), (1, 0, 0))
_S, _C = np.sin(0.6), np.cos(0.6)
WHEELS = ((_C, 0, _S), (-_C, 0, _S), (0, _C, _S), (0, -_C, _S))
#: What a panel is: plates on hinges, or the modes of a cantilever as masses on springs.
PANELS = ("plates", "modes")


@dataclass(frozen=True)
class Spacecraft:
    """What it is made of, in kg, m, s, N, rad."""

    mass: float = 750.0
    com: tuple[float, float, float] = (0.001, -0.002, 0.1)
    inertia: tuple[float, float, float] = (900.0, 800.0, 600.0)
    wheel_inertia: float = 0.16
    wheel_viscous: float = 1e-4
    panels: str = "plates"
    plates: int = 6  # or modes
    frequency: float = 1.5  # rad/s, the first of a panel's modes
    ratio: float = 0.005  # of the modes' damping
    plate_mass: float = 5.0
    plate_inertia: tuple[float, float, float] = (1.0, 0.42, 1.4)
    plate_half: float = 0.5  # from a hinge to the plate's mass centre
    hinge_stiffness: float = 1200.0
    hinge_damping: float = 2.0
    hinge: float = 0.8  # distance of a panel's first hinge from the middle
    slosh_mass: tuple[float, ...] = (30.0, 20.0)
    slosh_length: tuple[float, ...] = (0.35, 0.3)
    pivot: tuple[tuple[float, float, float], ...] = ((0.4, 0.0, 0.3), (-0.6, 0.0, 0.2))
    thrust: float = 100.0  # along z of the bus, at its origin
    target: tuple[float, float, float] = (0.03, -0.02, 0.037)  # modified Rodrigues parameters
    stiffness: float = 80.0
    damping: float = 350.0
    period: float = 0.5
    duration: float = 60.0


def modes(craft: Spacecraft) -> Iterator[tuple[float, float, float]]:
    """Of each mode of a panel, a cantilever of the plates' length and mass: frequency, rad/s, the mass that it moves, kg,
    and the distance of that mass from the root, m. With cos b cosh b = -1 they go as b^2, 4 s^2/b^2 and 1/(s b), s =
    (sinh b - sin b)/(cosh b + cos b) (R. D. Blevins, Formulas for Natural Frequency and Mode Shape, 1979)."""
    length, mass = 2 * craft.plate_half * craft.plates, craft.plate_mass * craft.plates
    roots = [brentq(lambda b: np.cos(b) + 1 / np.cosh(b), k * np.pi, (k + 1) * np.pi) for k in range(craft.plates)]
    for b in roots:
        s = (np.sinh(b) - np.sin(b)) / (np.cosh(b) + np.cos(b))
        yield craft.frequency * (b / roots[0]) ** 2, mass * 4 * s**2 / b**2, length / (s * b)


def dispersed(seed: int) -> Spacecraft:
    """A spacecraft of a Monte Carlo: masses, inertias, stiffnesses, friction and target by chance, up to a tenth away."""
    by_chance, one = np.random.default_rng(seed), Spacecraft()
    near = lambda x: tuple(map(near, x)) if isinstance(x, tuple) else float(x * by_chance.uniform(0.9, 1.1))
    names = ("mass", "inertia", "hinge_stiffness", "hinge_damping", "wheel_viscous", "slosh_mass", "slosh_length", "target",
             "frequency")  # fmt: skip
    return replace(one, **{name: near(getattr(one, name)) for name in names})


@dataclass(frozen=True)
class Ending:
    """Where a manoeuvre ends.

    Args:
        attitude: quaternion of the bus, scalar first.
        omega: its angular velocity in its own axes, rad/s.
        wheels: speeds of the wheels, rad/s.
        hinges: angles of the left panel, then of the right, rad; of modes, ways over distances from the root.
        slosh: two angles of each pendulum, rad.
        position: of the origin of the bus from where it was, m.
        seconds: of the processor.
        words: how it went.
    """

    attitude: Array
    omega: Array
    wheels: Array
    hinges: Array
    slosh: Array
    position: Array
    seconds: float
    words: str = ""

    def error(self, exact: Ending) -> float:
        """The largest difference of an angle, rad: of the attitude, a hinge or a pendulum."""
        a, b = self.attitude, exact.attitude
        turn = 2 * (b[0] * a[1:] - a[0] * b[1:] - np.cross(b[1:], a[1:]))
        gaps = np.concatenate([turn, self.hinges - exact.hinges, self.slosh - exact.slosh])
        return float(np.abs(gaps).max())


def mrp_feedback(craft: Spacecraft) -> Callable[[float, Array], Array]:
    """Torques on the wheels by what the computer sees: the coordinates of the bus and its angular velocity."""
    n2 = sum(x * x for x in craft.target)
    g0, g1, g2, g3 = ((1 - n2) / (1 + n2), *(2 * x / (1 + n2) for x in craft.target))
    share, k, d = np.linalg.pinv(np.array(WHEELS).T), craft.stiffness, craft.damping

    def law(t: float, x: Array) -> Array:
        e0, e1, e2, e3, wx, wy, wz = x[3:].tolist()
        gain = k / (1 + g0 * e0 + g1 * e1 + g2 * e2 + g3 * e3)
        tx = gain * (g0 * e1 - e0 * g1 - g2 * e3 + g3 * e2) + d * wx
        ty = gain * (g0 * e2 - e0 * g2 - g3 * e1 + g1 * e3) + d * wy
        tz = gain * (g0 * e3 - e0 * g3 - g1 * e2 + g2 * e1) + d * wz
        return share @ (tx, ty, tz)

    return law


def build(craft: Spacecraft) -> kf.System:
    """The system of bodies, at rest."""
    s = kf.System("manoeuvre")
    s.add("bus", kf.Rigid(craft.mass, com=craft.com, inertia=craft.inertia), kf.Free(), q=(0, 0, 0, 1, 0, 0, 0))
    s.apply("engine", kf.Force("bus", (0.0, 0.0, craft.thrust)))
    for k, axis in enumerate(WHEELS):
        s.add_part(f"wheel{k}", kf.parts.ReactionWheel(axis, craft.wheel_inertia, viscous=craft.wheel_viscous), on="bus")
    _panels(s, craft)
    for k, (mass, length, pivot) in enumerate(zip(craft.slosh_mass, craft.slosh_length, craft.pivot, strict=True)):
        bob = kf.Rigid(mass, com=(length, 0, 0))
        s.add(f"slosh{k}", bob, kf.Universal(("z", "y")), "bus", kf.Frame(pivot, np.array(HANGING, float).T), q=(0, 0))
    return s


def _panels(s: kf.System, craft: Spacecraft) -> None:
    if craft.panels == "modes":
        for name, axes in SIDES.items():
            for k, (w, mass, out) in enumerate(modes(craft)):
                at = tuple((craft.hinge + out) * -np.array(axes[0], float))
                s.add(f"{name}{k}", kf.PointMass(mass), kf.Prismatic("z"), "bus", at, q=0.0, rates=0.0)
                s.apply(f"{name}{k}_spring", kf.JointSpring(f"{name}{k}", mass * w**2, 2 * craft.ratio * mass * w))
        return
    half = craft.plate_half
    plate = kf.Rigid(craft.plate_mass, com=(-half, 0, 0), inertia=craft.plate_inertia, frames={"end": (-2 * half, 0, 0)})
    for name, axes in SIDES.items():
        place: Any = kf.Frame(craft.hinge * -np.array(axes[0], float), np.array(axes, float).T)
        parent = "bus"
        for k in range(craft.plates):
            body = s.add(f"{name}{k}", plate, kf.Revolute("y"), parent, place, q=0.0, rates=0.0)
            s.apply(f"{name}{k}_spring", kf.JointSpring(f"{name}{k}", craft.hinge_stiffness, craft.hinge_damping))
            parent, place = body, "end"


class KaneflexManoeuvre:
    """kaneflex holding a spacecraft."""

    def __init__(self, craft: Spacecraft) -> None:
        """Build the system."""
        self.craft, self.system = craft, build(craft)
        names = [f"wheel{k}" for k in range(len(WHEELS))]
        self.control = kf.Sampled(craft.period, mrp_feedback(craft), sees=("bus.q", "bus.omega"), drives=names)

    def run(self, way: str, setting: float) -> Ending:
        """Integrate from rest, the end kept only.

        Args:
            way: the integrator.
            setting: step of rk4, s; tolerance of the others.
        """
        craft, fixed = self.craft, {"step": setting} if way == "rk4" else {"rtol": setting, "atol": setting}
        begun = time.process_time()
        run = self.system.simulate(
            craft.duration, method=way, **fixed, controllers=[self.control], output=craft.duration, progress=False
        )
        seconds = time.process_time() - begun
        q, one = run["bus.q"], "q" if craft.panels == "modes" else "angle"
        over = [out for *_, out in modes(craft)] if craft.panels == "modes" else [1.0] * craft.plates
        return Ending(
            q[-1, 3:],
            run["bus.omega"][-1],
            np.array([run[f"wheel{k}.rate"][-1] for k in range(len(WHEELS))]),
            np.array([run[f"{side}{k}.{one}"][-1] / over[k] for side in SIDES for k in range(craft.plates)]),
            np.concatenate([run[f"slosh{k}.q"][-1] for k in range(len(craft.slosh_mass))]),
            q[-1, :3] - q[0, :3],
            seconds,
            f"{run.statistics['steps']} steps",
        )
