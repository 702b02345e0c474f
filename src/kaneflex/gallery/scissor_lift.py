"""A scissor lift of many bays is drawn out by a force: loops that share bodies, in closed form.

Source: textbook kinematics of scissors with Lagrange's equation of the one freedom, derived for this file.

Bars of length 2 a and mass m cross in pairs at angles +-t to x, pinned at their centres and, from pair to pair, at
their ends. The first ends slide on a wall, x = 0; a force F along x pulls at the last pair of ends. With n bays,

    T = m a^2 t'^2 (n/3) ((4 n^2 - 1) sin^2 t + 1) ,    work = 2 n a F (cos t - cos t_0) ,                           (1)

so that rate and time from rest at t_0 follow from the energy by one quadrature. All pins are revolute joints in space:
three of the five equations of each loop follow from the others. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import quad

from kaneflex.builders import scissor_mast
from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, sample, title, unchanged
from kaneflex.model.checks import positive
from kaneflex.model.forces import Force
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"bays": 10, "arm": 1.0, "mass": 1.0, "force": 1.0, "start": math.radians(80), "end": math.radians(20)}
TIME, RATE = 14.303387829, -0.310499714  # s and rad/s, of ten bays, integrated apart from this package


def build(p: Parameters) -> System:
    """The lift at rest, nearly folded."""
    s = scissor_mast(p["bays"], arm=p["arm"], mass=p["mass"], angle=p["start"])
    for side in "ab":
        s.apply(f"pull_{side}", Force(f"{side}{p['bays'] - 1}.tip", (p["force"] / 2, 0, 0), axes="inertial"))
    return s


def mass(t: Any, p: Parameters) -> Any:
    """M of T = M t'^2/2, from (1)."""
    n = p["bays"]
    return 2 * p["mass"] * p["arm"] ** 2 * n / 3 * ((4 * n**2 - 1) * np.sin(t) ** 2 + 1)


def rate(t: Any, p: Parameters) -> Any:
    """t' at the angle t."""
    return -np.sqrt(4 * p["bays"] * p["arm"] * p["force"] * (np.cos(t) - math.cos(p["start"])) / mass(t, p))


def duration(p: Parameters) -> float:
    """Time from the start to the end; with t = t_0 - x^2 the integrand has no singularity."""
    start, pull = p["start"], 4 * p["bays"] * p["arm"] * positive(p["force"], "force")

    def slowness(x: float) -> float:
        t = start - x * x
        fall = 2 * math.sin((t + start) / 2) * math.sin(x * x / 2)  # cos t - cos t_0
        return 2 * x * math.sqrt(float(mass(t, p)) / (pull * fall))

    return float(quad(slowness, 0.0, math.sqrt(start - p["end"]), epsabs=0, epsrel=1e-13, limit=200)[0])


def simulate(system: System, p: Parameters, *, formulation: str = "cartesian", speeds: str = "customary") -> Run:
    """From the start to the end by (1)."""
    time = duration(p)
    tight: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}
    return system.simulate(time, output=time / 100, formulation=formulation, speeds=speeds, **tight)


def checks(run: Run, p: Parameters) -> list[Check]:
    """Angle and rate at the end, rates and places of the last ends at all times, energy."""
    n, angle = p["bays"], run["a0.angle"]
    source = "closed form (1)"
    tip = run[f"a{n - 1}.tip.position"]
    far = float(np.abs(tip[:, 0] - 2 * n * p["arm"] * np.cos(angle)).max())
    speed = float(np.abs(run["a0.angle.rate"] - rate(angle, p)).max())
    found = [
        Check("angle at the end, rad", float(angle[-1]), p["end"], 1e-9, "closed form: quadrature of (1)"),
        Check("rate at all times, largest difference, rad/s", speed, 0.0, 1e-9, source),
        Check("last ends from 2 n a cos t, m", far, 0.0, 1e-12 * n * p["arm"], "identity: geometry of the scissors"),
        balance(run, 1e-9),
    ]
    if unchanged(p, DEFAULTS):
        other = "closed form, integrated apart from this package"
        found.append(Check("rate at the end, rad/s", float(run["a0.angle.rate"][sample(run, TIME)]), RATE, 1e-8, other))
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """The angle over time, and the lift as it is drawn out."""
    picture, (left, right) = panels(1, 2, size=(9.6, 3.6), width_ratios=(1, 1.4))
    angle = run["a0.angle"]
    left.plot(run.t, angle, label="angle of the bars")
    left.plot(run.t[::10], np.arccos(run[f"a{p['bays'] - 1}.tip.position"][::10, 0] / (2 * p["bays"] * p["arm"])), "o",
              color=GREY, mfc="white", ms=4, label="by the last ends")  # fmt: skip
    left.set(xlabel="time, s", ylabel="angle, rad")
    legend(left)
    for m, k in enumerate((0, len(run.t) * 2 // 3, len(run.t) - 1)):
        for side in "ab":
            for j in range(p["bays"]):
                bar = np.array([run[f"{side}{j}.{end}.position"][k, :2] for end in ("root", "tip")])
                right.plot(bar[:, 0], bar[:, 1] - 2.6 * p["arm"] * m, "-", color=COLOURS[m], lw=1)
    right.set(xlabel="x, m", ylabel="y, three instants apart, m", aspect="equal")
    title(picture, f"Scissor lift of {p['bays']} bays")
    return picture


EXAMPLE = Example(
    name="scissor-lift",
    title="Scissor lift of many bays: loops that share bodies, against the closed form",
    document="Hu, Guan and Hou, fully Cartesian coordinates",
    chapter="large structures",
    source="kinematics of scissors and Lagrange's equation, derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
