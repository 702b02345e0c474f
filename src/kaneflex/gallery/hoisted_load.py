"""A crane that hoists a load which swings: a rope whose length a winch gives, as a massless line and as rods.

Source: the pendulum of varying length, L. Lecornu, Acta Mathematica 19 (1895), 201; G. N. Watson, Theory of Bessel Functions
(1944), section 4.3, for the equation; data of an ordinary crane.

With l the length of the rope and th its angle from the vertical

    l th'' + 2 l' th' + g sin th = 0 ,    T = m (g cos th + l th'^2 - l'') .                                            (1)

Where the length changes at a constant rate v, small swings are Bessel functions of z = 2 sqrt(g l)/|v|:

    th = (A J_1(z) + B Y_1(z))/sqrt(l) .                                                                                (2)

A rope with the mass c per length, straight as long as it is light, has the angular momentum (m l^2 + c l^3/3) th' about the
sheave, where what is wound up has none:

    [(m l^2 + c l^3/3) th']' = -(m l + c l^2/2) g sin th .                                                              (3)

The load is a point on three slides, at a distance from the sheave that is given as a profile: `Distance(length=profile)`.
The winch's work is in the balance. The same rope as rods, `Cable`, runs through a sheave that turns freely onto a reel: rods
are taken in one by one. Its own weight c per length hangs with the load, T = (m + c l)(g - l'') where it does not swing.
Units: SI, rad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import j1, jvp, y1, yvp

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, rod, title
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.constraints import Distance
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Revolute, Translational
from kaneflex.model.profiles import Profile
from kaneflex.model.rods.reel import Reel
from kaneflex.model.rods.rod import Cable
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"mass": 500.0, "start": 20.0, "end": 5.0, "time": 30.0, "angle": 0.1}
GRAVITY = 9.81
SMALL = 1e-4  # rad: what a swing adds to (2) is its square
LIGHT, HEAVY, PIECES = 0.1, 4.0, 10  # kg/m of ropes, and their rods


def hoisted(p: Parameters, length: Profile, angle: float) -> System:
    """The load on a massless rope, at rest on it; x to the side, z up."""
    l, rate = float(length(0.0)), float(length.functions[1](0.0))  # type: ignore[misc]
    down = np.array((np.sin(angle), 0.0, -np.cos(angle)))
    system = System("hoisted load", gravity=(0, 0, -GRAVITY))
    system.add("load", Rigid(positive(p["mass"], "mass")), Translational(), q=tuple(l * down), rates=tuple(rate * down))
    system.constrain("rope", Distance("N", "load", length))
    system.show("load", Box((1.0, 1.0, 1.0), color="grey"))
    system.show("N", rod((-6.0, 0, 1.0), (0.5, 0, 1.0), 0.3, color="silver"))
    return system


def build(p: Parameters) -> System:
    """The crane at work: from one length to the other at a constant rate."""
    if not 0 < p["end"] < p["start"]:
        raise ModelError("start, end: give 0 < end < start, lengths of the rope")
    return hoisted(p, way(p), p["angle"])


def way(p: Parameters) -> Profile:
    """The length of the rope."""
    return profiles.constant_rate((p["end"] - p["start"]) / positive(p["time"], "time"), initial=p["start"])


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until the load is up."""
    return system.simulate(p["time"], rtol=1e-10, atol=1e-11, output=0.1, formulation=formulation, speeds=speeds)


def swing(run: Run) -> np.ndarray:
    """The rope's angle from the vertical, rad."""
    at = run["load.position"]
    return np.arctan2(at[:, 0], -at[:, 2])


def by_hand(p: Parameters, angle: float, t: np.ndarray, per_length: float = 0.0) -> np.ndarray:
    """th and th' at the times t by (3), without a mass per length by (1), for a constant rate."""
    v, m, c = (p["end"] - p["start"]) / p["time"], p["mass"], per_length

    def law(s: float, y: np.ndarray) -> tuple[float, float]:
        l = p["start"] + v * s
        arm, turning = m * l + c * l**2 / 2, m * l**2 + c * l**3 / 3
        return y[1], -((2 * m * l + c * l**2) * v * y[1] + arm * GRAVITY * np.sin(y[0])) / turning

    return np.asarray(solve_ivp(law, (0, t[-1]), (angle, 0.0), "DOP853", t_eval=t, rtol=1e-12, atol=1e-13).y)


def by_bessel(p: Parameters, angle: float, t: float) -> float:
    """th at the time t by (2)."""
    v = (p["end"] - p["start"]) / p["time"]
    z = lambda l: 2 * np.sqrt(GRAVITY * l) / abs(v)
    l0, l = p["start"], p["start"] + v * t
    k = z(l0) / (2 * l0)  # dz/dl
    rates = [k * f(1, z(l0)) - g(z(l0)) / (2 * l0) for f, g in ((jvp, j1), (yvp, y1))]
    A, B = np.linalg.solve([[j1(z(l0)), y1(z(l0))], rates], [angle * np.sqrt(l0), 0.0])
    return float((A * j1(z(l)) + B * y1(z(l))) / np.sqrt(l))


def on_rods(p: Parameters, per_length: float, length: Profile, angle: float) -> System:
    """The load on a rope of rods that runs over a sheave, which turns freely, onto a reel."""
    system = System("hoisted on rods", gravity=(0, 0, -GRAVITY))
    hanging = Frame((0, 0, 0), (("y", np.pi / 2),))
    system.add("sheave", Rigid(1.0, inertia=(0.01,) * 3), Revolute("y"), q=-angle)
    system.add_rod("rope", Cable(p["start"] + 1.0, per_length, n=PIECES, plane="xz"), parent="sheave", at=hanging)
    system.add("load", Rigid(p["mass"]), Fixed(), parent="rope", at="tip")
    system.add_feed("winch", "rope", length=length, reel=Reel())
    return system


def checks(run: Run, p: Parameters) -> list[Check]:
    """(1) for the run, (2) for a small swing, the same rope as rods."""
    t = np.asarray(run.t)
    th, rate = by_hand(p, p["angle"], t)
    l = np.array([way(p)(s) for s in t])
    tension = p["mass"] * (GRAVITY * np.cos(th) + l * rate**2)
    pull = -np.asarray(run["rope.multipliers"]).reshape(-1)
    small = simulate(hoisted(p, way(p), SMALL), p)
    wanted = [by_bessel(p, SMALL, s) for s in t]
    k = int(np.argmax(np.abs(swing(small) - wanted)))
    source = "(1), integrated by SciPy's DOP853"
    return [
        balance(run, 1e-9),
        Check("swing, largest difference, rad", float(np.abs(swing(run) - th).max()), 0.0, 1e-7 * p["angle"], source),
        Check("tension, largest difference, N", float(np.abs(pull - tension).max()), 0.0, 1e-7 * p["mass"], source),
        Check(f"small swing at {t[k]:g} s, rad", float(swing(small)[k]), wanted[k], 1e-6 * SMALL, "closed form (2)"),
        *_rods(p, t),
    ]


def _rods(p: Parameters, t: np.ndarray) -> list[Check]:
    """A light rope of rods swings as a straight one; a heavy one has the tension of its weight."""
    light = on_rods(p, LIGHT, way(p), p["angle"]).simulate(p["time"], rtol=1e-6, times=t)
    off = float(np.abs(swing(light) - by_hand(p, p["angle"], t, LIGHT)[0]).max())
    lift = profiles.smooth_step(p["end"] - p["start"], p["time"], initial=p["start"])
    heavy = on_rods(p, HEAVY, lift, 0.0).simulate(p["time"], rtol=1e-6, output=0.1)
    push = np.array([lift.functions[2](s) for s in heavy.t])
    closed = (p["mass"] + HEAVY * heavy["winch.length"]) * (GRAVITY - push)
    far = float(np.abs(heavy["winch.tension"] - closed).max() / closed.max())
    ratio = LIGHT * p["start"] / p["mass"]
    drift = max(one.audit.energy_drift for one in (light, heavy))
    return [
        Check("ropes of rods: energy balance, relative", drift, 0.0, 1e-8, "identity: energy and work"),
        Check("light rope of rods: swing, largest difference, over the first", off / p["angle"], 0.0, 5 * ratio**2, "(3)"),
        Check(
            "heavy rope of rods: tension, largest difference, relative", far, 0.0, 1e-12, "closed form: (m + c l)(g - l'')"
        ),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """The way of the load, and its angle beside (1)."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.2), width_ratios=(1, 1.6))
    at = run["load.position"]
    left.plot(at[:, 0], at[:, 2], color=COLOURS[0])
    for k in range(0, len(run.t), 60):
        left.plot([0, at[k, 0]], [0, at[k, 2]], color=GREY, lw=0.7)
    left.plot(0, 0, "s", color=COLOURS[1], ms=8)
    left.set(xlabel="to the side, m", ylabel="height, m")
    right.plot(run.t, np.degrees(swing(run)), label="run")
    t = np.asarray(run.t)
    right.plot(
        t[::6], np.degrees(by_hand(p, p["angle"], t)[0])[::6], "o", color=GREY, mfc="white", ms=4, label="equation (1)"
    )
    right.set(xlabel="time, s", ylabel="angle of the rope, degrees")
    legend(right, loc="upper left")
    title(picture, "Load hoisted at a constant rate")
    return picture


EXAMPLE = Example(
    name="hoisted-load",
    title="Crane that hoists a load which swings",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 11",
    source="pendulum of varying length, closed form in Bessel functions",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
