"""A motor that drives a piston through a pair of gears, a crank and a massless rod: speeds and forces in closed form.

Source: energy and Newton's laws of a slider-crank with a massless rod, derived for this file.

The motor (inertia J1) turns the crank (J2, radius r) through gears, motor rate = N times crank rate, of opposite sense; a
massless rod of length l, which is a constraint of distance and no body, ties the crank's pin to a piston of mass m on the
line y = 0. With t the crank's angle, ' = d/dt of it, and the rod's slope sin b = r sin t/l,

    x = r cos t + l cos b ,   x' = -r sin t (1 + r cos t/(l cos b)) ,   J(t) = J2 + N^2 J1 + m x'^2               (1)

A constant motor torque T does the work N T t (t from the start), so that from rest, against a piston force P,

    J(t) w^2/2 = N T (t - t0) - P (x - x0)                                                                       (2)

is the speed w at every angle. The acceleration of the piston follows, x'' w^2 + x' w', and with it what is carried: the
rod's pressure (m a + P)/cos b, and the gears' torque on the crank, J2 w' + (m a + P) x'. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, rod, title
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.constraints import Distance, Gear
from kaneflex.model.forces import JointForce
from kaneflex.model.joints import Prismatic, Revolute
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "motor": 2e-4, "crank": 0.01, "piston": 0.6, "radius": 0.05, "rod": 0.16, "gears": 4.0, "torque": 1.5, "load": 10.0,
    "start": 0.4,
}  # fmt: skip
DURATION = 0.5


def build(p: Parameters) -> System:
    """The crank about z at the origin, the piston on x, the motor beside the crank."""
    r, l, N = positive(p["radius"], "radius"), positive(p["rod"], "rod"), positive(p["gears"], "gears")
    if l <= r:
        raise ModelError(f"a rod of {l:g} m is too short for a crank of {r:g} m: give a longer one")
    J1, J2 = positive(p["motor"], "motor"), positive(p["crank"], "crank")
    system = System("geared crank")
    system.add("motor", Rigid(0.5, inertia=(J1, J1, J1)), Revolute("z"), at=(0, -1.25 * r, 0), q=0.0)
    system.add("crank", Rigid(2.0, inertia=(J2, J2, J2), frames={"pin": (r, 0, 0)}), Revolute("z"), q=p["start"])
    system.add("piston", Rigid(positive(p["piston"], "piston")), Prismatic("x"), q=float(slide(p["start"], p)[0]))
    system.constrain("gears", Gear("crank", "motor", ratio=-N, offset=N * p["start"]))
    system.constrain("rod", Distance("crank.pin", "piston", length=l))
    system.apply("drive", JointForce("motor", -p["torque"]))
    system.apply("gas", JointForce("piston", -p["load"]))
    system.show("crank", drum(r, 0.2 * r), drum(0.12 * r, 0.6 * r, position=(r, 0, 0), color="grey"))
    system.show("motor", drum(0.25 * r, 0.2 * r), rod((0, 0, 0.1 * r), (0.2 * r, 0, 0.1 * r), 0.03 * r, color="grey"))
    system.show("piston", Box((0.6 * r, 0.7 * r, 0.7 * r)))
    return system


def slide(t: Any, p: Parameters) -> tuple[np.ndarray, ...]:
    """x, x', x'' of (1) and cos b at crank angles t."""
    r, l = p["radius"], p["rod"]
    s, c = np.sin(t), np.cos(t)
    cb = np.sqrt(1 - (r * s / l) ** 2)
    b1 = r * c / (l * cb)  # db/dt
    b2 = (-r * s / l + r * s / l * b1**2) / cb
    return r * c + l * cb, -r * s - r * s * b1, -r * c - r * c * b1 - r * s * b2, cb


def speed(t: Any, p: Parameters) -> tuple[np.ndarray, ...]:
    """Crank rate by (2) at angles t, its derivative with time, and the piston's acceleration."""
    x, x1, x2, _ = slide(t, p)
    x0 = slide(p["start"], p)[0]
    J = p["crank"] + p["gears"] ** 2 * p["motor"] + p["piston"] * x1**2
    w2 = 2 * (p["gears"] * p["torque"] * (np.asarray(t) - p["start"]) - p["load"] * (x - x0)) / J
    force = p["gears"] * p["torque"] - p["load"] * x1  # d/dt of (2): J w' + m x' x'' w^2 = N T - P x'
    a = (force - p["piston"] * x1 * x2 * w2) / J
    return np.sqrt(np.maximum(w2, 0)), a, x2 * w2 + x1 * a


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Half a second from rest, 250 samples."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-11, atol=1e-12, formulation=formulation, speeds=speeds, output=0.002
    )


def carried(run: Run, p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """Pressure in the rod (N) and torque of the gears on the crank (N m) in closed form, at the run's crank angles."""
    t = run["crank.angle"]
    _, x1, _, cb = slide(t, p)
    _, a, ax = speed(t, p)
    along = p["piston"] * ax + p["load"]  # force of the rod on the piston along x
    return along / cb, p["crank"] * a + along * x1


def checks(run: Run, p: Parameters) -> list[Check]:
    """Speed over the angle, what rod and gears carry, and that both constraints hold."""
    t = run["crank.angle"]
    w, _, _ = speed(t, p)
    pressure, torque = carried(run, p)
    most = lambda x: float(np.abs(x).max())
    gears = run["gears.multipliers"]
    gap = np.linalg.norm(run["crank.pin.position"] - run["piston.position"], axis=1) - p["rod"]
    ratio = run["motor.rate"] + p["gears"] * run["crank.rate"]
    turn = run["motor.angle"] + p["gears"] * (t - p["start"])
    return [
        Check(
            "crank rate over its angle, rad/s", most(run["crank.rate"][1:] - w[1:]), 0.0, 3e-10 * most(w), "closed form: (2)"
        ),
        Check("piston's place, m", most(run["piston.slide"] - slide(t, p)[0]), 0.0, 1e-12, "closed form: (1)"),
        Check("pressure in the rod, N", most(run["rod.multipliers"] - pressure), 0.0, 3e-10 * most(pressure), "closed form"),
        Check(
            "torque of the gears on the crank, N m",
            most(p["gears"] * gears - torque),
            0.0,
            3e-10 * most(torque),
            "closed form",
        ),
        Check("length of the rod, change, m", most(gap), 0.0, 1e-12, "identity: distance held"),
        Check("motor rate plus N times crank rate, rad/s", most(ratio), 0.0, 1e-12 * most(w), "identity: gears"),
        Check("motor angle plus N times that of the crank, rad", most(turn), 0.0, 1e-12 * most(t), "identity: gears"),
        balance(run, 5e-10),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Rates, what the rod carries, and the mechanism."""
    picture, axes = panels(1, 3, size=(11.4, 3.8))
    t = run["crank.angle"]
    turns = t / (2 * math.pi)
    w, _, _ = speed(t, p)
    pressure, torque = carried(run, p)
    axes[0].plot(turns, run["crank.rate"], label="crank")
    axes[0].plot(turns, -run["motor.rate"] / p["gears"], "--", color=COLOURS[1], label=f"motor, of {-p['gears']:g}")
    axes[0].plot(turns[::6], w[::6], "o", color=GREY, mfc="white", ms=4, label="closed form (2)")
    axes[0].set(xlabel="turns of the crank", ylabel="rate, rad/s")
    axes[1].plot(turns, run["rod.multipliers"], color=COLOURS[2], label="pressure in the rod")
    axes[1].plot(turns[::4], pressure[::4], "o", color=COLOURS[2], mfc="white", ms=3, label="closed form")
    axes[1].set(xlabel="turns of the crank", ylabel="force, N")
    axes[2].plot(turns, p["gears"] * run["gears.multipliers"], color=COLOURS[4], label="torque of the gears")
    axes[2].plot(turns[::4], torque[::4], "o", color=COLOURS[4], mfc="white", ms=3, label="closed form")
    axes[2].set(xlabel="turns of the crank", ylabel="torque on the crank, N m")
    for ax in axes:
        ax.margins(y=0.2)
        legend(ax, loc="upper left")
    title(picture, "Motor, gears, crank and a massless rod")
    return picture


EXAMPLE = Example(
    name="geared-crank",
    title="Motor, gears, crank and a massless rod: speeds and forces in closed form",
    document="Classics",
    chapter="ropes, stops and gears",
    source="energy and Newton's laws of the slider-crank with a massless rod, derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
