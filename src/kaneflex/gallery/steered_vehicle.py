"""An underwater vehicle on a cable that a ship lets out: depth and heading by laws, its path by a constraint.

Source: A. K. Banerjee, Flexible Multibody Dynamics (2016), sections 11.4 and 11.5; A. K. Banerjee and V. N. Do, Deployment
Control of a Cable Connecting a Ship to an Underwater Vehicle, Journal of Guidance 17 (1994), 1327. Their data were not
found; the cable is that of `towed-cable`. `deployed-vehicle` has the same in a vertical plane, without steering.

The ship goes ahead, along x, with V; in axes that go with it the water flows past. The cable, rods in space, runs off a reel
over a sheave that turns freely. The vehicle hangs on a ball at its end, its weight below, and has added mass, m_x along its
axis and m_y across. A thruster pushes along the axis with F. Two laws steer it while the cable runs out: a torque
-K sin(h - h_c) - C h' for its heading h, and a vertical thrust -k (z + depth) - c z'. Water turns a vehicle that goes askew
further (Munk's moment), so that at rest

    K sin(h - h_c) = (m_y - m_x) V^2 sin h cos h .                                                                     (1)

F sin h pulls the cable aside. At rest, with s from the vehicle up, F_c the force of what is above on what is below, t its
direction, W the weight per length in water, u = (-V, 0, 0) with its parts u_n across and u_t along the cable,

    r' = t ,   F_c' = W z - rho d/2 (Cn |u_n| u_n + pi Ct |u_t| u_t) ,   F_c(0) = -load of the vehicle .           (2)

Then the path of the vehicle is given as a constraint while the cable runs out, y = b x^2 and z = -g + f x in axes of the
ship: its two multipliers are the thrust across it that is needed, which (2) gives as well, by shooting. Rods converge to
(2) like 1/n^2. Units: SI, rad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, rod, title, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive, whole
from kaneflex.model.constraints import Constraint
from kaneflex.model.forces import AddedMass, Force, Morison, Torque
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Spherical, Universal
from kaneflex.model.media import Sea
from kaneflex.model.profiles import Profile, hold, smooth_step
from kaneflex.model.rods.reel import Reel
from kaneflex.model.rods.rod import Cable
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "start": 80.0, "end": 120.0, "time": 100.0, "diameter": 0.02, "weight": 2.0, "density": 1025.0, "Cn": 1.2, "Ct": 0.01,
    "speed": 2.0, "down": 1500.0, "vehicle": 200.0, "area": 0.1, "thrust": 600.0, "heading": 40.0, "depth": 50.0, "n": 13,
}  # fmt: skip
GRAVITY, UNTIL, FROM_SURFACE = 9.81, 600.0, 10.0
ADDED, BELOW = (20.0, 120.0, 120.0), 0.6  # kg along and across the axis; m, of the vehicle's mass centre under the ball
STIFF, DAMPS = 300.0, 1500.0  # N/m and N s/m, of the law of depth
TURN, CALM = 4000.0, 3000.0  # N m and N m s, of the law of heading
SLOPE = 0.6  # rad, of the straight cable at the start
BOW, DEEP, FALL = 1.5e-3, 30.0, 0.25  # of the path that is given: y = BOW x^2, z = -DEEP + FALL x, m
UP = np.array((0.0, 0.0, 1.0))
NAMES = ("vehicle behind the ship, m", "vehicle aside, m", "vehicle below the ship, m", "tension at the ship, N")


def steered(p: Parameters, length: Profile, heading: Any) -> System:
    """The cable behind the ship with the vehicle and the law of its heading; x ahead, y to port, z up."""
    d, rho, n = positive(p["diameter"], "diameter"), positive(p["density"], "density"), whole(p["n"], "n", least=4)
    mass = positive(p["weight"], "weight") / GRAVITY + rho * np.pi * d**2 / 4
    system = System("steered vehicle", gravity=(0, 0, -GRAVITY))
    astern = Frame((0, 0, 0), (("y", np.pi),))
    system.add("sheave", Rigid(20.0, inertia=(2.0, 2.0, 2.0)), Universal(("z", "y")), q=(0.0, -SLOPE))
    cable = Cable(p["end"] * n / (n - 1), mass, n=n, radius=d / 2)
    system.add_rod("cable", cable, parent="sheave", at=astern)
    own = positive(p["vehicle"], "vehicle")
    body = Rigid(own, com=(0, 0, -BELOW), inertia=(10.0, 60.0, 60.0))
    level = (np.pi - SLOPE) / 2  # back by the turn of the cable's end
    system.add("vehicle", body, Spherical(), parent="cable", at="tip", q=(np.cos(level), 0.0, -np.sin(level), 0.0))
    system.add_feed("winch", "cable", length=length, reel=Reel())
    sea = Sea(rho, surface=FROM_SURFACE, current=(-positive(p["speed"], "speed"), 0, 0))
    system.apply("sea", Morison("cable", sea, d, p["Cn"], p["Ct"]))
    system.apply("water", AddedMass("vehicle", np.diag(ADDED), sea, drag_area=p["area"]))
    system.apply("lift", Force("vehicle", (0, 0, own * GRAVITY - positive(p["down"], "down")), axes="inertial"))
    system.apply("screw", Force("vehicle", (p["thrust"], 0, 0)))

    def rudder(t: float, x: Any) -> Any:
        wanted = heading(t)
        return 0.0 * t, 0.0 * t, -TURN * (x[3] * np.cos(wanted) - x[0] * np.sin(wanted)) - CALM * x[11]

    system.apply("rudder", Torque("vehicle", rudder, sees=["vehicle.rotation", "vehicle.omega"]))
    deck = (0.0, 0.0, FROM_SURFACE + 2.0)
    system.show("N", Box((30.0, 6.0, 5.0), position=deck, color="grey"), rod((0, 0, 0), deck, 0.5, color="silver"))
    for name in ("sheave", "winch_store"):
        system.show(name, Sphere(1.0))
    system.show("vehicle", Box((5.0, 1.6, 1.6), position=(0, 0, -BELOW)))
    return system


def build(p: Parameters) -> System:
    """Both laws at work while the cable runs out."""
    if not 0 < p["start"] < p["end"] or not 0 < p["depth"] < p["start"]:
        raise ModelError("start, end, depth: give 0 < start < end, lengths of the cable, and a depth that it reaches")
    time, turn = positive(p["time"], "time"), np.radians(p["heading"])
    length = smooth_step(p["end"] - p["start"], time, initial=p["start"])
    system = steered(p, length, smooth_step(turn, time, initial=0.0))
    depth = p["depth"]
    law = lambda t, x: (0.0 * t, 0.0 * t, -STIFF * (x[2] + depth) - DAMPS * x[5])
    system.apply("lifter", Force("vehicle", law, axes="inertial", sees=["vehicle.position", "vehicle.velocity"]))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From a straight cable until the motion with the whole of it has died away."""
    return system.simulate(UNTIL, formulation=formulation, speeds=speeds, rtol=1e-6, output=3.0)


def on_path(p: Parameters) -> Run:
    """The cable runs out while the vehicle, heading forwards, is held on its path."""
    length = smooth_step(p["end"] - p["start"], p["time"], initial=p["start"])
    system = steered(p, length, hold(0.0))
    path = lambda t, x: (x[1] - BOW * x[0] * x[0], x[2] + DEEP - FALL * x[0])
    system.constrain("path", Constraint(path, ["vehicle.position"]))
    end = lambda q: p["start"] * np.array((-np.cos(q[1]) * np.cos(q[0]), -np.cos(q[1]) * np.sin(q[0]), np.sin(q[1])))
    begin = fsolve(lambda q: path(0.0, end(q)), (0.0, -SLOPE), xtol=1e-12)  # straight, from the sheave to the path
    return system.simulate(UNTIL, initial={"sheave.q": begin}, rtol=1e-6, output=6.0)


def hanging(p: Parameters, force: Any) -> np.ndarray:
    """Place of the vehicle from the ship and tension there, by (2), with a force on the vehicle beside weight and drag."""
    k, u = p["density"] * p["diameter"] / 2, np.array((-p["speed"], 0.0, 0.0))

    def slope(s: float, y: np.ndarray) -> np.ndarray:
        t = y[3:] / np.linalg.norm(y[3:])
        along = (u @ t) * t
        across = u - along
        drag = k * (p["Cn"] * np.linalg.norm(across) * across + np.pi * p["Ct"] * np.linalg.norm(along) * along)
        return np.concatenate([t, p["weight"] * UP - drag])

    load = force - p["down"] * UP + p["density"] * p["area"] / 2 * p["speed"] * u
    start = np.concatenate([np.zeros(3), -load])
    end = solve_ivp(slope, (0, p["end"]), start, "DOP853", rtol=1e-10, atol=1e-10).y[:, -1]
    return np.array([*-end[:3], np.linalg.norm(end[3:])])


def held_heading(p: Parameters) -> float:
    """h by (1), rad."""
    wanted, turn = np.radians(p["heading"]), (ADDED[1] - ADDED[0]) * p["speed"] ** 2
    law = lambda h: TURN * np.sin(h - wanted) - turn * np.sin(h) * np.cos(h)
    return float(fsolve(law, wanted, xtol=1e-12)[0])


def held_depth(p: Parameters) -> tuple[np.ndarray, float]:
    """Place and tension by (2) under both laws; and the vertical thrust, N."""
    h = held_heading(p)
    ahead = p["thrust"] * np.array((np.cos(h), np.sin(h), 0.0))
    rest = lambda z: hanging(p, ahead - STIFF * (z[0] + p["depth"]) * UP)[2] - z[0]
    z = float(fsolve(rest, -p["depth"], xtol=1e-10)[0])
    lift = -STIFF * (z + p["depth"])
    return hanging(p, ahead + lift * UP), lift


def on_path_by_hand(p: Parameters) -> np.ndarray:
    """The two multipliers, N, at the end by (2)."""

    def force(pushes: np.ndarray, x: float) -> np.ndarray:
        across = pushes[0] * np.array((-2 * BOW * x, 1, 0)) + pushes[1] * np.array((-FALL, 0, 1))
        return np.asarray(across + np.array((p["thrust"], 0, 0)))

    def off(z: np.ndarray) -> list[float]:
        at = hanging(p, force(z[:2], z[2]))
        return [at[1] - BOW * at[0] ** 2, at[2] + DEEP - FALL * at[0], at[0] - z[2]]

    return np.asarray(fsolve(off, (0.0, 0.0, -0.8 * p["end"]), xtol=1e-11)[:2])


def at_end(run: Run) -> np.ndarray:
    """The numbers of `NAMES` at the end of a run."""
    end = run["vehicle.position"][-1]
    return np.array((-end[0], end[1], -end[2], run["winch.tension"][-1]))


def checks(run: Run, p: Parameters) -> list[Check]:
    """Heading, place, tension and thrust at the end by (1) and (2); thrust on a path."""
    source, R = "(2), by shooting with SciPy's DOP853", run["vehicle.rotation"][-1]
    at, lift = held_depth(p)
    end, h = run["vehicle.position"][-1], float(np.arctan2(R[1, 0], R[0, 0]))
    allowed = np.array((0.6, 0.4, 0.1, 8.0)) * p["end"] / 120 * (13 / p["n"]) ** 2
    values, wanted = at_end(run), at * (-1, 1, -1, 1)
    found = [balance(run, 1e-9), Check("heading at the end, rad", h, held_heading(p), 1e-6, "closed form (1)")]
    rows = zip(NAMES, values, wanted, allowed, strict=True)
    found += [Check(name, float(a), float(b), float(room), source) for name, a, b, room in rows]
    fine = {**p, "n": 2 * p["n"]}
    limit = (4 * at_end(simulate(build(fine), fine)) - values) / 3
    found.append(worst("limit of short rods", NAMES, limit, wanted, 0.1 * allowed, source))
    thrust = -STIFF * (end[2] + p["depth"])
    found.append(Check("vertical thrust by the law of depth, N", float(thrust), lift, 12 * (13 / p["n"]) ** 2, source))
    other = on_path(p)
    names, by_hand = ("aside", "up"), on_path_by_hand(p)
    found.append(
        worst("thrust on a path, N", names, other["path.multipliers"][-1], by_hand, 20 * (13 / p["n"]) ** 2, source)
    )
    x, y, z = other["vehicle.position"].T
    off = float(max(np.abs(y - BOW * x**2).max(), np.abs(z + DEEP - FALL * x).max()))
    return [*found, Check("distance from the path, largest, m", off, 0.0, 1e-9, "as given, while rods leave")]


def figure(run: Run, p: Parameters) -> Figure:
    """The vehicle's way from above, its heading and its depth."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2), width_ratios=(1, 1.2))
    at, _ = held_depth(p)
    R, shape = run["vehicle.rotation"], run["cable.shape"]
    left.plot(run["vehicle.position"][:, 0], run["vehicle.position"][:, 1], color=COLOURS[0], label="way of the vehicle")
    arc, length = run.model.rods["cable"].arc, run["winch.length"]
    for t in (0.0, 60.0, 120.0, 600.0):
        k = int(np.searchsorted(run.t, t).clip(0, len(run.t) - 1))
        points = np.vstack([[0, 0, 0], shape[k][arc >= arc[-1] - length[k]]])
        left.plot(points[:, 0], points[:, 1], color=GREY, lw=0.9)
    left.plot(at[0], at[1], "o", color=COLOURS[1], mfc="white", label="at rest, (2)")
    left.set(xlabel="ahead of the ship, m", ylabel="to port, m")
    left.margins(0.1)
    legend(left, loc="upper right")
    right.plot(run.t, np.degrees(np.arctan2(R[:, 1, 0], R[:, 0, 0])), label="heading, degrees")
    right.axhline(np.degrees(held_heading(p)), color=GREY, ls=":", lw=1)
    right.plot(run.t, -run["vehicle.position"][:, 2], label="depth below the sheave, m")
    right.axhline(-at[2], color=GREY, ls=":", lw=1)
    right.set(xlabel="time, s", ylabel="heading, degrees; depth, m", xlim=(0, 300))
    legend(right, loc="lower right")
    title(picture, "Vehicle on a cable that runs out, steered in depth and heading")
    return picture


EXAMPLE = Example(
    name="steered-vehicle",
    title="Underwater vehicle on a cable with depth, heading and path control",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 11",
    source="sections 11.4 and 11.5, with data of an ordinary cable; steady towing in space by shooting",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
