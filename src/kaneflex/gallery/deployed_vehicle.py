"""An underwater vehicle let out behind a ship on a cable, and kept at a depth.

Source: A. K. Banerjee, Flexible Multibody Dynamics (2016), sections 11.4 and 11.5; A. K. Banerjee and V. N. Do, Deployment
Control of a Cable Connecting a Ship to an Underwater Vehicle, Journal of Guidance 17 (1994), 1327. Their data were not
found; the cable is that of `towed-cable`.

The ship goes ahead at a constant speed; in axes that go with it the water flows past. The cable runs off a reel over a
sheave that turns freely, rod by rod: what is in the reel has no weight in the cable and meets no water. A rod weighs,
and has drag, buoyancy and added mass by Morison's equation, as far as it is outside. The vehicle pulls down and back.

When the cable is out and the motion has died away, tension T and angle p along it are those of steady towing,

    T' = w sin p + rho d pi Ct V^2 cos^2 p/2 ,   T p' = w cos p - rho d Cn V^2 sin^2 p/2                                (1)

from the vehicle up. Then a vehicle that is kept at a depth: the depth is a constraint, and its multiplier the thrust that is
needed, which (1) gives as well, by shooting; and the same by a thruster with a law of depth and its rate.
Units: SI, rad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, rod, title
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive, whole
from kaneflex.model.constraints import PointOnPlane
from kaneflex.model.forces import Force, Morison
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Revolute
from kaneflex.model.media import Sea
from kaneflex.model.profiles import Profile, smooth_step
from kaneflex.model.rods.reel import Reel
from kaneflex.model.rods.rod import Cable
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "start": 100.0, "end": 300.0, "time": 200.0, "diameter": 0.02, "weight": 2.0, "density": 1025.0, "Cn": 1.2, "Ct": 0.01,
    "speed": 2.0, "down": 1500.0, "back": 400.0, "vehicle": 200.0, "n": 31,
}  # fmt: skip
GRAVITY, DURATION, FROM_SURFACE = 9.81, 600.0, 10.0
KEPT = 60.0  # m below the sheave, of the vehicle that is kept at a depth
STIFF, DAMPS = 300.0, 2000.0  # N/m and N s/m, of the law that does it
NAMES = ("tension at the ship, N", "angle at the ship, rad", "vehicle behind the ship, m", "vehicle below the ship, m")


def towed(p: Parameters, length: Profile) -> System:
    """The cable behind the ship; x ahead, z up, in axes that go with the ship."""
    d, rho, n = positive(p["diameter"], "diameter"), positive(p["density"], "density"), whole(p["n"], "n", least=4)
    mass = positive(p["weight"], "weight") / GRAVITY + rho * np.pi * d**2 / 4
    total = p["end"] * n / (n - 1)  # a rod more, which stays inside
    system = System("deployed vehicle", gravity=(0, 0, -GRAVITY))
    system.add("sheave", Rigid(20.0, inertia=(2.0, 2.0, 2.0)), Revolute("y"), q=-0.4)
    cable = Cable(total, mass, n=n, plane="xz", radius=d / 2)
    system.add_rod("cable", cable, parent="sheave", at=Frame((0, 0, 0), (("y", np.pi),)))
    system.add("vehicle", Rigid(positive(p["vehicle"], "vehicle")), Fixed(), parent="cable", at="tip")
    system.add_feed("winch", "cable", length=length, reel=Reel())
    sea = Sea(rho, surface=FROM_SURFACE, current=(-positive(p["speed"], "speed"), 0, 0))
    system.apply("sea", Morison("cable", sea, d, p["Cn"], p["Ct"]))
    load = (-p["back"], 0, p["vehicle"] * GRAVITY - positive(p["down"], "down"))
    system.apply("load", Force("vehicle", load, axes="inertial"))
    deck = (0.0, 0.0, FROM_SURFACE + 4.0)
    system.show("N", Box((60.0, 12.0, 10.0), position=deck, color="grey"), rod((0, 0, 0), deck, 1.0, color="silver"))
    return system


def build(p: Parameters) -> System:
    """The deployment."""
    if not 0 < p["start"] < p["end"]:
        raise ModelError("start, end: give 0 < start < end, lengths of the cable")
    return towed(p, smooth_step(p["end"] - p["start"], positive(p["time"], "time"), initial=p["start"]))


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From steady towing with what is out at first until the motion with the whole cable has died away."""
    state = system.equilibrium({"sheave.q": -0.5})
    return system.simulate(DURATION, initial=state, formulation=formulation, speeds=speeds, rtol=1e-6, output=2.0)


def steady(p: Parameters, length: float, thrust: float = 0.0) -> tuple[float, ...]:
    """Tension at the ship (N), angle of the last rod's length there (rad), how far behind and below the ship the vehicle is
    (m), by (1); with a thrust upwards."""
    drag, down = p["density"] * p["diameter"] * p["speed"] ** 2 / 2, p["down"] - thrust

    def rates(s: float, y: Any) -> list[float]:
        T, angle = y[:2]
        across = p["weight"] * np.cos(angle) - drag * p["Cn"] * np.sin(angle) * abs(np.sin(angle))
        along = p["weight"] * np.sin(angle) + drag * np.pi * p["Ct"] * np.cos(angle) ** 2
        return [along, across / T, np.cos(angle), np.sin(angle)]

    start = [np.hypot(down, p["back"]), np.arctan2(down, p["back"]), 0.0, 0.0]
    middle = length - p["end"] / (p["n"] - 1) / 2  # of the rod in the exit, whose angle is that of the cable there
    along = solve_ivp(rates, (0, length), start, t_eval=(middle, length), rtol=1e-11, atol=1e-11).y
    return float(along[0, 1]), float(along[1, 0]), float(along[2, 1]), float(along[3, 1])


def at_ship(run: Run, k: int) -> tuple[float, ...]:
    """The same of a sample of the run."""
    end = run["vehicle.position"][k]
    return float(run["winch.tension"][k]), -float(run["sheave.q"][k]), -float(end[0]), -float(end[2])


def kept(p: Parameters, by_law: bool) -> tuple[Run, float]:
    """The last tenth of the cable runs out while the vehicle is kept at a depth, by a law or by a constraint; and the thrust
    upwards at the end, N."""
    system = towed(p, smooth_step(p["end"] / 10, 60.0, initial=0.9 * p["end"]))
    if by_law:
        law = lambda t, x: (0.0 * x[2], 0.0 * x[2], -STIFF * (x[2] + KEPT) - DAMPS * x[5])
        sees = ["vehicle.position", "vehicle.velocity"]
        system.apply("thruster", Force("vehicle", law, axes="inertial", sees=sees))
    else:
        system.constrain("depth", PointOnPlane("vehicle", Frame((0.0, 0.0, -KEPT))))
    guess = -float(np.arcsin(KEPT / (0.9 * p["end"])))
    run = system.simulate(400.0, initial=system.equilibrium({"sheave.q": guess}), rtol=1e-6, output=4.0)
    if by_law:
        return run, float(-STIFF * (run["vehicle.position"][-1, 2] + KEPT))
    return run, float(np.ravel(run["depth.multipliers"][-1])[0])


def needed(p: Parameters, depth: float) -> float:
    """The thrust upwards that keeps the vehicle at a depth, N, by (1)."""
    return float(brentq(lambda thrust: steady(p, p["end"], thrust)[3] - depth, -p["down"], p["down"] - 1.0))


def checks(run: Run, p: Parameters) -> list[Check]:
    """Tension, angle and place before and after against (1); the thrust that a depth needs."""
    source, found = "integration of (1) along the cable, by SciPy", [balance(run, 1e-9)]
    allowed = np.array((1e3, 8.0, 1e2, 5e2)) / p["n"] ** 2
    for when, k, length in (("at first", 0, p["start"]), ("at the end", -1, p["end"])):
        rows = zip(NAMES, at_ship(run, k), steady(p, length), allowed, strict=True)
        found += [Check(f"{name}, {when}", x, y, room, source) for name, x, y, room in rows]
    for by_law in (False, True):
        one, thrust = kept(p, by_law)
        depth = -float(one["vehicle.position"][-1, 2])
        way = "by a law" if by_law else "by a constraint"
        found.append(Check(f"thrust at a depth, {way}, N", thrust, needed(p, depth), 3e3 / p["n"] ** 2, source))
        if not by_law:
            off = float(np.abs(one["vehicle.position"][:, 2] + KEPT).max())
            found.append(Check("depth by a constraint, largest difference, m", off, 0.0, 1e-9, "as given"))
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """Shapes on the way, and the tension at the ship."""
    picture, (left, right) = panels(1, 2, size=(9.5, 4.2))
    shape, length = run["cable.shape"], run["winch.length"]
    arc = run.model.rods["cable"].arc
    for n, t in enumerate((0.0, 60.0, 100.0, 150.0, 200.0, 300.0, 600.0)):
        k = int(np.searchsorted(run.t, t).clip(0, len(run.t) - 1))
        out = arc >= arc[-1] - length[k]
        points = np.vstack([[0, 0, 0], shape[k][out]])
        colour = COLOURS[0] if n in (0, 6) else GREY
        left.plot(points[:, 0], points[:, 2], color=colour, lw=1.8 if n in (0, 6) else 0.9)
        left.annotate(f"{t:.0f} s", points[-1, (0, 2)], fontsize="small", color=colour)
    ends = np.array([steady(p, l)[2:] for l in (p["start"], p["end"])])
    left.plot(*-ends.T, "o", mfc="white", color=COLOURS[1], label="steady, by integration along the cable")
    left.set(xlabel="behind the ship, m", ylabel="height, m", aspect="equal")
    legend(left, loc="upper left")
    right.plot(run.t, run["winch.tension"])
    for l in (p["start"], p["end"]):
        right.axhline(steady(p, l)[0], color=COLOURS[1], ls=":", lw=1)
    right.set(xlabel="time, s", ylabel="tension at the ship, N")
    title(picture, "Vehicle let out behind a ship on 100 m to 300 m of cable")
    return picture


EXAMPLE = Example(
    name="deployed-vehicle",
    title="Underwater vehicle let out behind a ship",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 11",
    source="sections 11.4 and 11.5, with data of an ordinary cable; steady towing by integration along the cable",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
