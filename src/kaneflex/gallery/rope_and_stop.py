"""A payload on a slack rope above an elastic stop: falls, bounces and jerks, each piece of its motion in closed form.

Source: piecewise harmonic motion, derived for this file; every textbook of vibrations has its pieces.

A payload of mass m moves up and down (z) under gravity. A rope from the ceiling, length l and stiffness k_r, pulls it
when it is longer than l, that is below z = -l, and is slack above; in the guide, a stop of stiffness k_s pushes it back
from z = -h. The motion is a sequence of three kinds of pieces, each with its own rate w and centre c:

    rope slack      z'' = -g                          parabola
    rope taut       z'' = -w^2 (z - c) ,   w^2 = k_r/m ,   c = -l - m g/k_r
    on the stop     the same with w^2 = (k_r + k_s)/m and c = -(k_r l + k_s h + m g)/(k_r + k_s)                   (1)

and the next begins where z passes -l or -h, which is an arctangent. Nothing is lost: the payload comes back to its height
after every bounce, with the period of the pieces. A damper in the stop takes energy; the run then ends its sequence of
heights as it may, and the energy balance is what is checked. Units: SI.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, rod, title
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import JointStop, SpringDamper
from kaneflex.model.joints import Prismatic
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "mass": 20.0, "start": 0.5, "rope": 2.0, "stop": 2.4, "k_rope": 3000.0, "k_stop": 40000.0, "damping": 0.0,
    "gravity": 9.81,
}  # fmt: skip
BOUNCES = 3


def build(p: Parameters) -> System:
    """The payload at rest below the ceiling; z up, the rope slack beside its guide."""
    m, l = positive(p["mass"], "mass"), positive(p["rope"], "rope")
    if not 0 < p["start"] < l < p["stop"]:
        raise ModelError(
            f"start, rope and stop are {p['start']:g}, {l:g}, {p['stop']:g} m below the ceiling: give them in this order"
        )
    system = System("rope and stop", gravity=(0, 0, -positive(p["gravity"], "gravity")))
    system.add("payload", Rigid(m), Prismatic("z"), q=-p["start"])
    system.apply("rope", SpringDamper("N", "payload", stiffness=positive(p["k_rope"], "k_rope"), length=l, slack=True))
    stiffness = positive(p["k_stop"], "k_stop")
    system.apply("stop", JointStop("payload", lower=-p["stop"], stiffness=stiffness, damping=p["damping"]))
    system.show("payload", Box((0.3, 0.3, 0.2), position=(0, 0, -0.1)))
    system.show("N", Box((0.8, 0.8, 0.05), position=(0, 0, 0.03), color="silver"))
    system.show("N", *(rod((x, 0, 0), (x, 0, -1.4 * p["stop"]), 0.015, color="grey") for x in (-0.18, 0.18)))
    return system


def period(p: Parameters) -> float:
    """Time from one highest point to the next, s: twice that of the pieces on the way down."""
    return 2 * sum(duration for duration, *_ in _pieces(p))


def _pieces(p: Parameters) -> list[tuple[float, float, float, float, float]]:
    """The way down: duration, z and z' at the start, w and c of each piece; w = 0 where the rope is slack."""
    m, g, kr, ks = p["mass"], p["gravity"], p["k_rope"], p["k_stop"]
    falls = math.sqrt(2 * (p["rope"] - p["start"]) / g)
    found = [(falls, -p["start"], 0.0, 0.0, 0.0)]
    z, v = -p["rope"], -g * falls
    for k, c, until in (
        (kr, -p["rope"] - m * g / kr, -p["stop"]),
        (kr + ks, -(kr * p["rope"] + ks * p["stop"] + m * g) / (kr + ks), -math.inf),
    ):
        w = math.sqrt(k / m)
        reach = math.hypot(z - c, v / w)
        lowest = (math.pi - math.atan2(-v / w, z - c)) / w  # z = c + reach cos(phase) until the phase is pi
        if c - reach >= until:
            return [*found, (lowest, z, v, w, c)]
        rest = math.acos((until - c) / reach) - math.atan2(-v / w, z - c)
        found.append((rest / w, z, v, w, c))
        z, v = until, -w * math.sqrt(reach**2 - (until - c) ** 2)
    return found


def exact(t: Any, p: Parameters) -> np.ndarray:
    """Height at times t by (1), m: the way down, and back as in a mirror."""
    whole = period(p)
    into = np.mod(np.asarray(t, float), whole)
    down = np.minimum(into, whole - into)
    z, begin = np.zeros_like(down), 0.0
    for duration, z0, v0, w, c in _pieces(p):
        here = (down >= begin) & (down <= begin + duration * (1 + 1e-12))
        s = down[here] - begin
        if w == 0:
            z[here] = z0 + v0 * s - p["gravity"] * s**2 / 2
        else:
            z[here] = c + (z0 - c) * np.cos(w * s) + v0 / w * np.sin(w * s)
        begin += duration
    return z


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Three bounces, 200 samples each."""
    times = np.linspace(0, BOUNCES * period(p), 200 * BOUNCES + 1)
    return system.simulate(
        float(times[-1]), method="dop853", rtol=1e-11, atol=1e-12, formulation=formulation, speeds=speeds, times=times
    )


def forces(run: Run, p: Parameters) -> dict[str, np.ndarray]:
    """Pull of the rope and push of the stop, N, from their potential energies: k s^2/2."""
    return {
        "rope": np.sqrt(2 * p["k_rope"] * run["rope.potential"]),
        "stop": np.sqrt(2 * p["k_stop"] * run["stop.potential"]),
    }


def checks(run: Run, p: Parameters) -> list[Check]:
    """Heights at all samples, the deepest point, and both forces there; where nothing is lost."""
    found: list[Check] = [balance(run, 1e-8)]
    z = run["payload.slide"]
    if p["damping"] > 0:
        m, g = p["mass"], p["gravity"]
        lost = (
            -m * g * (float(z[-1]) + p["start"])
            - m * float(run["payload.rate"][-1]) ** 2 / 2
            - float(run["rope.potential"][-1])
        )
        lost -= float(run["stop.potential"][-1])
        source = "identity: what is missing of the energy"
        return [
            *found,
            Check("energy that the stop took, J", run.audit.dissipated_work, lost, 1e-8 * m * g * p["stop"], source),
        ]
    wanted = exact(run.t, p)
    off = float(np.abs(z - wanted).max())
    found.append(Check("height, largest difference, m", off, 0.0, 2e-8 * p["rope"], "closed form: (1), piece by piece"))
    deepest = float(exact(period(p) / 2, p))
    k = 100  # half a period
    for name, stiffness, free in (("rope", p["k_rope"], p["rope"]), ("stop", p["k_stop"], p["stop"])):
        peak = stiffness * max(-deepest - free, 0.0)
        value = float(forces(run, p)[name][k])
        found.append(Check(f"largest force of the {name}, N", value, peak, 1e-9 * stiffness, "closed form: (1)"))
    energy = p["mass"] * p["gravity"] * (deepest + p["start"])
    strain = p["k_rope"] * max(-deepest - p["rope"], 0) ** 2 / 2 + p["k_stop"] * max(-deepest - p["stop"], 0) ** 2 / 2
    held = float(run["rope.potential"][k] + run["stop.potential"][k])
    found.append(
        Check("strain energy at the deepest point, J", held, -energy, 1e-9 * strain, "closed form: what the payload fell")
    )
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """Height and forces over time."""
    picture, (top, bottom) = panels(2, 1, size=(9.0, 5.0), sharex=True)
    top.plot(run.t, run["payload.slide"], label="run")
    if p["damping"] == 0:
        top.plot(run.t[::12], exact(run.t[::12], p), "o", color=GREY, mfc="white", ms=4, label="closed form, piece by piece")
    top.axhline(-p["rope"], color=COLOURS[2], ls=":", lw=1, label="rope taut below")
    top.axhline(-p["stop"], color=COLOURS[1], ls=":", lw=1, label="stop")
    top.set(ylabel="height, m")
    top.margins(y=0.25)
    legend(top, loc="upper center", ncols=4)
    for colour, (name, force) in zip((COLOURS[2], COLOURS[1]), forces(run, p).items(), strict=True):
        bottom.plot(run.t, force / 1e3, color=colour, label=name)
    bottom.set(xlabel="time, s", ylabel="force on the payload, kN")
    legend(bottom, loc="upper left")
    title(picture, "Payload on a slack rope above an elastic stop")
    return picture


EXAMPLE = Example(
    name="rope-and-stop",
    title="Payload on a slack rope above an elastic stop",
    document="Classics",
    chapter="ropes, stops and gears",
    source="piecewise harmonic motion in closed form, derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
