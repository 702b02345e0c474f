"""A ship on a circle that tows a vehicle on a cable: the steady turn.

Sources: Y. Choo and M. J. Casarella, Configuration of a Towline Attached to a Vehicle Moving in a Circular Path, J.
Hydronautics 6 (1972), 51; C. M. Ablow and S. Schechter, Numerical Simulation of Undersea Cable Dynamics, Ocean Engineering
10 (1983), 443, for a ship that turns; A. K. Banerjee, Flexible Multibody Dynamics (2016), section 11.4, for cables under
water. The cable is that of `towed-cable`, with a heavy vehicle.

A ship goes round a circle of radius R in still water with the speed V, w = V/R. When the motion has died away the cable is
at rest in axes that turn with the ship, out of any plane. With s from the vehicle up, r the place from the circle's axis,
F the force of what is above on what is below, t its direction, a = -w^2 (x, y, 0), u = -w z x r the water's velocity
relative to the cable, u_n and u_t its parts across and along,

    r' = t ,   F' = m a + m_a (a - (a.t) t) + W z - rho d/2 (Cn |u_n| u_n + pi Ct |u_t| u_t) ,                          (1)
    F(0) = M a + D z - rho A/2 |u| u ,   r(L) = (R, 0, 0) ,

W being the weight per length in water, D that of the vehicle, M its mass, A its drag area. The vehicle runs on a smaller
circle, slower than the ship, and so goes deeper than on a straight course. (1) is solved by shooting from the vehicle.

The cable is n rods in space that hang at first; the ship gains its speed in `time`. Rods converge to (1) like 1/n^2.
Units: SI.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive, whole
from kaneflex.model.forces import AddedMass, Force, Morison
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Revolute
from kaneflex.model.media import Sea
from kaneflex.model.profiles import spin_up
from kaneflex.model.rods.rod import Cable
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "radius": 150.0, "speed": 2.0, "length": 200.0, "diameter": 0.02, "weight": 2.0, "density": 1025.0, "Cn": 1.2,
    "Ct": 0.01, "down": 1500.0, "vehicle": 200.0, "area": 0.1, "time": 100.0, "n": 20,
}  # fmt: skip
GRAVITY, FROM_SURFACE = 9.81, 10.0
TURNS = 3.0
NAMES = ("vehicle outwards, m", "vehicle ahead, m", "vehicle up, m", "tension at the ship, N", "tension at the vehicle, N")


def build(p: Parameters) -> System:
    """The ship on an arm about the circle's axis z, its x axis outwards; the cable below it."""
    d, rho, n = positive(p["diameter"], "diameter"), positive(p["density"], "density"), whole(p["n"], "n", least=4)
    R, down = positive(p["radius"], "radius"), positive(p["down"], "down")
    if not p["length"] > 0 or p["length"] < 0.1 * R:
        raise ModelError(f"length is {p['length']:g} m: give a cable of a tenth of the radius or more")
    mass = positive(p["weight"], "weight") / GRAVITY + rho * np.pi * d**2 / 4
    system = System("circular tow", gravity=(0, 0, -GRAVITY))
    way = spin_up(positive(p["speed"], "speed") / R, positive(p["time"], "time"))
    system.add("ship", Rigid(1.0, inertia=(1, 1, 1)), Revolute("z", motion=way))
    hanging = Frame((R, 0, 0), (("y", np.pi / 2),))
    system.add_rod("cable", Cable(p["length"], mass, n=n, radius=d / 2), parent="ship", at=hanging)
    system.add("vehicle", Rigid(positive(p["vehicle"], "vehicle")), Fixed(), parent="cable", at="tip")
    sea = Sea(rho, surface=FROM_SURFACE)
    system.apply("sea", Morison("cable", sea, d, p["Cn"], p["Ct"]))
    system.apply("water", AddedMass("vehicle", 0.0, sea, drag_area=p["area"]))
    system.apply("load", Force("vehicle", (0, 0, p["vehicle"] * GRAVITY - down), axes="inertial"))
    system.show("ship", Box((6.0, 24.0, 6.0), position=(R, 0, FROM_SURFACE), color="grey"))
    system.show("vehicle", Sphere(3.0))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From rest until the turn is steady."""
    until = p["time"] + TURNS * 2 * np.pi * p["radius"] / p["speed"]
    return system.simulate(until, formulation=formulation, speeds=speeds, rtol=1e-6, output=until / 300)


def turning(p: Parameters) -> np.ndarray:
    """Places and forces (6, 41) from the vehicle up, in axes that turn with the ship, by (1)."""
    return _turning(*(float(p[word]) for word in DEFAULTS if word not in ("time", "n")))


@cache
def _turning(
    R: float, V: float, L: float, d: float, W: float, rho: float, Cn: float, Ct: float, D: float, M: float, A: float
) -> np.ndarray:
    moved = rho * np.pi * d**2 / 4
    mass, k, z = W / GRAVITY + moved, rho * d / 2, np.array((0.0, 0.0, 1.0))

    def around(r: np.ndarray, w: float) -> tuple[np.ndarray, np.ndarray]:
        return -(w**2) * r * (1, 1, 0), w * np.array((r[1], -r[0], 0.0))

    def slope(s: float, y: np.ndarray, w: float) -> np.ndarray:
        F, (a, u) = y[3:], around(y[:3], w)
        t = F / np.linalg.norm(F)
        along = (u @ t) * t
        across = u - along
        drag = k * (Cn * np.linalg.norm(across) * across + np.pi * Ct * np.linalg.norm(along) * along)
        return np.concatenate([t, mass * a + moved * (a - (a @ t) * t) + W * z - drag])

    def cable(r: np.ndarray, w: float, fine: float) -> np.ndarray:
        a, u = around(r, w)
        start = np.concatenate([r, M * a + D * z - rho * A / 2 * np.linalg.norm(u) * u])
        places = np.linspace(0, L, 41)
        return np.asarray(solve_ivp(slope, (0, L), start, "DOP853", places, args=(w,), rtol=fine, atol=fine).y)

    guess = np.array((R, 0.0, -L))
    for part in np.linspace(0.2, 1.0, 5):  # from the hanging cable on
        w = part * V / R
        guess = fsolve(lambda r, w=w: cable(r, w, 1e-8)[:3, -1] - (R, 0, 0), guess, xtol=1e-9)
    return cable(guess, V / R, 1e-10)


def wanted(p: Parameters) -> np.ndarray:
    """The numbers of `NAMES` by (1)."""
    y = turning(p)
    return np.array([*y[:3, 0], np.linalg.norm(y[3:, -1]), np.linalg.norm(y[3:, 0])])


def seen(run: Run, k: int) -> np.ndarray:
    """The same of a sample."""
    place = run["ship.rotation"][k].T @ run["vehicle.position"][k]
    return np.array([*place, run["cable.tension"][k, 0], np.linalg.norm(run.loads("vehicle").force[k])])


def checks(run: Run, p: Parameters) -> list[Check]:
    """The end of the run against (1), and the limit of short rods."""
    source, right, l, T = "(1), by shooting with SciPy's DOP853", wanted(p), p["length"], wanted(p)[3]
    size = np.array((l, l, l, T, T))
    here = seen(run, -1)
    found = [balance(run, 1e-10)]
    found += [
        Check(name, float(a), float(b), float(0.3 * x / p["n"] ** 2), source)
        for name, a, b, x in zip(NAMES, here, right, size, strict=True)
    ]
    coarse = {**p, "n": p["n"] // 2}
    half = seen(simulate(build(coarse), coarse), -1)
    found.append(worst("limit of short rods", NAMES, (4 * here - half) / 3, right, 5e-5 * size, source))
    return found


def straight(p: Parameters) -> float:
    """How far below the ship the vehicle is on a straight course, m: (1) for a very large circle."""
    return -float(wanted({**p, "radius": 100 * p["radius"]})[2])


def figure(run: Run, p: Parameters) -> Figure:
    """The cable from above and from the side in the ship's axes, and the vehicle's depth on the way."""
    picture, (left, middle, right) = panels(1, 3, size=(11.0, 3.9))
    y = turning(p)
    shape = run["cable.shape"][-1] @ run["ship.rotation"][-1]
    for ax, i, j in ((left, 0, 1), (middle, 0, 2)):
        ax.plot(shape[:, i], shape[:, j], color=COLOURS[0], label="run")
        ax.plot(y[i, ::4], y[j, ::4], "o", color=GREY, mfc="white", ms=4, label="(1)")
    angle = np.linspace(0, -1.5, 60)
    for radius, style in ((p["radius"], "-"), (float(np.hypot(y[0, 0], y[1, 0])), ":")):
        left.plot(radius * np.cos(angle), radius * np.sin(angle), style, color=COLOURS[1], lw=0.8)
    left.set(xlabel="outwards, m", ylabel="ahead, m", aspect="equal")
    middle.set(xlabel="outwards, m", ylabel="height, m")
    legend(left, loc="upper left")
    right.plot(run.t, -run["vehicle.position"][:, 2], color=COLOURS[0])
    right.axhline(-y[2, 0], color=GREY, ls=":", label="(1)")
    right.axhline(straight(p), color=COLOURS[1], ls=":", label="straight course")
    right.set(xlabel="time, s", ylabel="vehicle below the ship, m")
    legend(right, loc="center right")
    title(picture, "Vehicle on a cable behind a ship on a circle")
    return picture


EXAMPLE = Example(
    name="circular-tow",
    title="Underwater vehicle on a cable behind a ship that turns",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 11",
    source="Choo and Casarella 1972; Ablow and Schechter 1983; the steady turn as a boundary value problem",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
