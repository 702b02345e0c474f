"""A payload on a slack rope above an elastic stop: falls, bounces and jerks, each piece of its motion in closed form.

Source: piecewise damped harmonic motion, derived for this file; every textbook of vibrations has its pieces.

A payload of mass m moves up and down (z) under gravity. A rope from the ceiling, length l and stiffness k_r, pulls it
when it is longer than l, that is below z = -l, and is slack above; in the guide, a stop of stiffness k_s and damping d
pushes it back from z = -h. With k and k x the sums of stiffness and of stiffness times place (-l, -h) of what acts, every
piece of the motion is

    m z'' = -k (z - x) - d z' - m g :   z = c + exp(-b s) ((z0 - c) cos w s + (v0 + b (z0 - c))/w sin w s) ,
    c = x - m g/k ,   b = d/(2 m) ,   w^2 = k/m - b^2 ;   a parabola where nothing acts,                               (1)

s from the piece's start, where z = z0, z' = v0. The next begins where z passes -l or -h, which bisection finds in (1).
Without the damper nothing is lost, and the payload comes back to its height after every bounce. Units: SI.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from dataclasses import dataclass
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
DURATION = 4.0
STEP = 0.005


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


@dataclass(frozen=True)
class Piece:
    """A piece of (1) from its start."""

    begin: float
    z: float
    v: float
    stiffness: float
    damping: float
    place: float
    p: Parameters

    def at(self, s: Any) -> tuple[np.ndarray, np.ndarray]:
        """z and z' at times s after the start; complex where the damping is above the critical one."""
        m, g = self.p["mass"], self.p["gravity"]
        if self.stiffness == 0:
            return self.z + self.v * s - g * s**2 / 2, self.v - g * s
        c, b = self.place - m * g / self.stiffness, self.damping / (2 * m)
        w = cmath.sqrt(self.stiffness / m - b**2)
        x, y = self.z - c, (self.v + b * (self.z - c)) / w
        cos, sin, fade = np.cos(w * s), np.sin(w * s), np.exp(-b * s)
        return c + (fade * (x * cos + y * sin)).real, (fade * ((w * y - b * x) * cos - (w * x + b * y) * sin)).real


def acting(z: Any, p: Parameters) -> Any:
    """How many act at the height z: nothing, the rope, or rope and stop."""
    return np.add(z < -p["rope"], z < -p["stop"], dtype=int)


def pieces(p: Parameters, end: float) -> Iterator[Piece]:
    """The pieces that begin before `end`, s, in turn."""
    t, z, v, now = 0.0, -p["start"], 0.0, 0
    while t < end:
        k = (0.0, p["k_rope"], p["k_rope"] + p["k_stop"])[now]
        pull = (0.0, p["k_rope"] * p["rope"], p["k_rope"] * p["rope"] + p["k_stop"] * p["stop"])[now]
        piece = Piece(t, z, v, k, p["damping"] if now == 2 else 0.0, -pull / k if k else 0.0, p)
        yield piece
        s = np.linspace(0, end - t, 4001)[1:]
        other = np.flatnonzero(acting(piece.at(s)[0], p) != now)
        if not len(other):
            return
        low, high = float(s[other[0]] - s[0]), float(s[other[0]])
        while low < (middle := (low + high) / 2) < high:
            low, high = (middle, high) if acting(piece.at(middle)[0], p) == now else (low, middle)
        z, v = map(float, piece.at(high))
        t, now = t + high, int(acting(z, p))


def exact(t: Any, p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """Height, m, and its rate at times t by (1)."""
    t = np.asarray(t, float)
    z, v = np.zeros_like(t), np.zeros_like(t)
    for piece in pieces(p, float(t.max())):
        later = t >= piece.begin
        z[later], v[later] = piece.at(t[later] - piece.begin)
    return z, v


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Some bounces."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-11, atol=1e-12, formulation=formulation, speeds=speeds, output=STEP
    )


def forces(run: Run, p: Parameters) -> dict[str, np.ndarray]:
    """Pull of the rope and push of the stop's, N, from their potential energies: k s^2/2."""
    return {
        "rope": np.sqrt(2 * p["k_rope"] * run["rope.potential"]),
        "stop": np.sqrt(2 * p["k_stop"] * run["stop.potential"]),
    }


def checks(run: Run, p: Parameters) -> list[Check]:
    """Heights, rates and forces of both springs at all samples, and what the damper took."""
    m, g = p["mass"], p["gravity"]
    z, v = exact(run.t, p)
    fall = math.sqrt(2 * g * (p["stop"] - p["start"]))
    strain = sum(p[f"k_{name}"] * np.maximum(-p[name] - z[-1], 0) ** 2 / 2 for name in ("rope", "stop"))
    lost = float(m * g * (-p["start"] - z[-1]) - m * v[-1] ** 2 / 2 - strain)
    source = "closed form: (1), piece by piece"
    found = [
        balance(run, 1e-8),
        Check("height, largest difference, m", _most(run["payload.slide"] - z), 0.0, 2e-8 * p["rope"], source),
        Check("its rate, largest difference, m/s", _most(run["payload.rate"] - v), 0.0, 2e-7 * fall, source),
        Check("energy that the damper took, J", run.audit.dissipated_work, lost, 1e-8 * m * g * p["stop"], source),
    ]
    for name, force in forces(run, p).items():
        k = p[f"k_{name}"]
        off = _most(force - k * np.maximum(-p[name] - z, 0))
        found.append(Check(f"force of the {name}'s spring, largest difference, N", off, 0.0, 4e-8 * k, source))
    return found


def _most(x: np.ndarray) -> float:
    return float(np.abs(x).max())


def figure(run: Run, p: Parameters) -> Figure:
    """Height and forces over time."""
    picture, (top, bottom) = panels(2, 1, size=(9.0, 5.0), sharex=True)
    top.plot(run.t, run["payload.slide"], label="run")
    top.plot(run.t[::12], exact(run.t[::12], p)[0], "o", color=GREY, mfc="white", ms=4, label="closed form, piece by piece")
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
    source="piecewise damped harmonic motion in closed form, derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
