"""A cable with an underwater vehicle behind a ship: steady towing, and from one speed to another.

Source: A. K. Banerjee, Flexible Multibody Dynamics (2016), sections 11.4 and 11.5; A. K. Banerjee and V. N. Do, Deployment
Control of a Cable Connecting a Ship to an Underwater Vehicle, Journal of Guidance 17 (1994), 1327. The data here are of an
ordinary cable.

A ship tows a cable of weight w per length in water and diameter d, at whose end a vehicle pulls down and back. The cable is
a chain of n rods in the plane; each feels, per length and with the velocity u of the water relative to it across and along,

    f = rho d/2 (Cn |u_n| u_n + pi Ct |u_t| u_t) ,                                                                     (1)

buoyancy, and the added mass rho pi d^2/4 of motion across. In steady towing with the speed V, tension T and angle p below
the horizontal follow from the vehicle up the cable,

    T' = w sin p + rho pi Ct d V^2 cos^2 p/2 ,    T p' = w cos p - rho Cn d V^2 sin^2 p/2 ,                            (2)

and a cable without a load at its end is straight, at the angle where the right side of the second is zero. Here the ship is
at rest and the water moves; it begins with a speed at which the cable is steady and goes over to another. Rods converge to
(2) like 1/n^2. Units: SI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, rod, title
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import positive, whole
from kaneflex.model.forces import Force, Morison
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed
from kaneflex.model.media import Sea
from kaneflex.model.profiles import smooth_step
from kaneflex.model.rods.rod import Cable
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "length": 300.0, "diameter": 0.02, "weight": 2.0, "density": 1025.0, "Cn": 1.2, "Ct": 0.01, "before": 1.0, "speed": 2.0,
    "down": 1500.0, "back": 400.0, "vehicle": 200.0, "n": 30,
}  # fmt: skip
GRAVITY = 9.81
CHANGE = 60.0  # s, from one speed to the other
DURATION = 900.0
FROM_SURFACE = 10.0  # m: the ship's end is that deep


def build(p: Parameters) -> System:
    """The cable behind the ship, level; x ahead, z up."""
    d, rho, n = positive(p["diameter"], "diameter"), positive(p["density"], "density"), whole(p["n"], "n", least=2)
    mass = positive(p["weight"], "weight") / GRAVITY + rho * np.pi * d**2 / 4
    speed, down = positive(p["speed"], "speed"), positive(p["down"], "down")
    system = System("towed cable", gravity=(0, 0, -GRAVITY))
    cable = Cable(p["length"], mass, n=n, plane="xz", radius=d / 2)
    system.add_rod("cable", cable, at=Frame((0, 0, 0), (("y", np.pi),)))
    system.add("vehicle", Rigid(positive(p["vehicle"], "vehicle")), Fixed(), parent="cable", at="tip")
    first = positive(p["before"], "before") / speed
    strength = smooth_step(1 - first, CHANGE, initial=first)
    sea = Sea(rho, surface=FROM_SURFACE, current=(-speed, 0, 0), strength=strength)
    system.apply("sea", Morison("cable", sea, d, p["Cn"], p["Ct"]))
    deck = (0.0, 0.0, FROM_SURFACE + 4.0)  # a hull at the surface, and what the cable comes from
    system.show("N", Box((60.0, 12.0, 10.0), position=deck, color="grey"), rod((0, 0, 0), deck, 1.0, color="silver"))
    system.apply("load", Force("vehicle", (-p["back"], 0, p["vehicle"] * GRAVITY - down), axes="inertial"))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From steady towing at the first speed until it is steady at the second."""
    state = system.equilibrium({"cable_1.q": -0.5})
    return system.simulate(DURATION, initial=state, formulation=formulation, speeds=speeds, rtol=1e-7, output=2.0)


def steady(p: Parameters, speed: float) -> tuple[float, float, float, float]:
    """Tension (N) and angle (rad) at the ship, and how far behind and below it the vehicle is (m), by (2)."""
    from scipy.integrate import solve_ivp

    drag = p["density"] * p["diameter"] * speed**2 / 2

    def rates(s: float, y: Any) -> list[float]:
        T, angle = y[:2]
        across = p["weight"] * np.cos(angle) - drag * p["Cn"] * np.sin(angle) ** 2
        along = p["weight"] * np.sin(angle) + drag * np.pi * p["Ct"] * np.cos(angle) ** 2
        return [along, across / T, np.cos(angle), np.sin(angle)]

    start = [np.hypot(p["down"], p["back"]), np.arctan2(p["down"], p["back"]), 0.0, 0.0]
    end = solve_ivp(rates, (0, p["length"]), start, rtol=1e-11, atol=1e-11).y[:, -1]
    return float(end[0]), float(end[1]), float(end[2]), float(end[3])


def at_ship(run: Run, k: int) -> tuple[float, float, float, float]:
    """The same of a sample of the run."""
    force, end = run.loads("cable_1").force[k], run["vehicle.position"][k]
    return float(np.hypot(force[0], force[2])), float(np.arctan2(force[2], force[0])), -float(end[0]), -float(end[2])


def critical_angle(p: Parameters) -> float:
    """Angle of a cable without a vehicle, rad: w cos p = rho Cn d V^2 sin^2 p/2."""
    r = p["weight"] / (p["density"] * p["Cn"] * p["diameter"] * p["speed"] ** 2)
    return float(np.arccos(np.sqrt(1 + r * r) - r))


def free_angle(p: Parameters) -> float:
    """The same of a chain of rods, by its equilibrium."""
    bare = build({**p, "before": p["speed"]})
    bare.loads["load"] = Force("vehicle", (0, 0, p["vehicle"] * GRAVITY), axes="inertial")  # which carries the vehicle
    state = bare.equilibrium({"cable_1.q": -0.3})
    return -float(np.ravel(state["cable_1.q"])[0])


def checks(run: Run, p: Parameters) -> list[Check]:
    """Tension, angle and place before and after against (2), and the angle of the cable alone."""
    closed, found = "integration of (2) along the cable, by SciPy", [balance(run, 1e-8)]
    allowed = np.array((3e3, 3.0, 3e2, 3e2)) / p["n"] ** 2 * (p["length"] / 300.0) ** 2  # rods converge like 1/n^2
    names = ("tension at the ship, N", "angle at the ship, rad", "vehicle behind the ship, m", "vehicle below the ship, m")
    for when, k, speed in (("at first", 0, p["before"]), ("at the end", -1, p["speed"])):
        rows = zip(names, at_ship(run, k), steady(p, speed), allowed, strict=True)
        found += [Check(f"{name}, {when}", x, y, tolerance, closed) for name, x, y, tolerance in rows]
    alone = "closed form: weight and drag across the cable in balance"
    found.append(Check("angle of the cable alone, rad", free_angle(p), critical_angle(p), 1e-10, alone))
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """Shapes on the way, and the tension at the ship."""
    picture, (left, right) = panels(1, 2, size=(9.5, 4.2))
    shape = run["cable.shape"]
    for k in np.searchsorted(run.t, (0.0, 60.0, 120.0, 240.0, 900.0)).clip(0, len(run.t) - 1):
        colour = COLOURS[0] if k in (0, len(run.t) - 1) else GREY
        left.plot(shape[k, :, 0], shape[k, :, 2], color=colour, lw=1.8 if colour != GREY else 0.9)
        left.annotate(f"{run.t[k]:.0f} s", shape[k, -1, (0, 2)], fontsize="small", color=colour)
    ends = np.array([steady(p, speed)[2:] for speed in (p["before"], p["speed"])])
    left.plot(*-ends.T, "o", mfc="white", color=COLOURS[1], label="steady, by integration along the cable")
    left.set(xlabel="behind the ship, m", ylabel="height, m", aspect="equal")
    legend(left, loc="upper left")
    force = run.loads("cable_1").force
    right.plot(run.t, np.hypot(force[:, 0], force[:, 2]), label="run")
    for speed in (p["before"], p["speed"]):
        right.axhline(steady(p, speed)[0], color=COLOURS[1], ls=":", lw=1)
    right.set(xlabel="time, s", ylabel="tension at the ship, N")
    title(picture, "Cable with a vehicle behind a ship that goes from one speed to another")
    return picture


EXAMPLE = Example(
    name="towed-cable",
    title="Underwater vehicle on a cable behind a ship",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 11",
    source="sections 11.4 and 11.5, with data of an ordinary cable; steady towing by integration along the cable",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
