"""Ruthless linearisation of a beam on a turning base: where it holds, with which error, and where it breaks.

Source: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), section 6.7. The beam is that of J. C. Simo, L.
Vu-Quoc, CMAME 66 (1988) 125-161; the book's own figures are not at hand.

`formulation="ruthless"` drops every product of speeds and keeps the undeformed shape: what is left of a beam on a base
that turns at W(t) = (W_s/T) [t - sin(p t)/p], p = 2 pi/T, is one forced oscillator for each mode. With the cantilever's
mode functions, their numbers b_i (cos b cosh b = -1) and frequencies w_i = b_i^2 sqrt(EI/(m L^4)), the tip is for t <= T
at

    v = -sum 4 L (-1)^(i+1)/b_i^2 (W_s/T) [(1 - cos w_i t)/w_i^2 - (cos p t - cos w_i t)/(w_i^2 - p^2)] .          (1)

The exact equations have besides the stiffening of order W^2, so that the relative error of (1) is proportional to
(W_s/w_1)^2: it holds for slow articulation. At W_s = 6 rad/s, 1.6 times the beam's first frequency, it is a tenth of the
deflection and grows; and of the tension, m W^2 L^2/2 at the root, ruthless linearisation knows nothing at any speed.
Units: SI, rad.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq

from kaneflex.gallery.beam_spin_up import EXACT, MARKS
from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import beam_data, bending_beam, work_of_drives
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, sample, title, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"beam": "SVQ", "rate": 6.0, "time": 15.0, "modes": 4}
SLOWER = (2.0, 4.0, 8.0, 16.0)  # the rate is divided by these to see the order of the error


def build(p: Parameters) -> System:
    """A hub that turns about z as prescribed, and the beam along its x axis, its root on the axis."""
    if p["modes"] < 1:
        raise ModelError(f"modes is {p['modes']}: give at least 1")
    beam_data(p["beam"])
    system = System("ruthless turn")
    ramp = profiles.spin_up(rate=positive(p["rate"], "rate"), time=positive(p["time"], "time"))
    system.add("hub", Rigid(1.0, inertia=(1, 1, 1)), Revolute("z", motion=ramp))
    system.add("beam", bending_beam(p["beam"], p["modes"], True), parent="hub")
    system.show("hub", drum(0.4, 0.9))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """As long as the ramp, 300 samples."""
    times = np.linspace(0, p["time"], 301)
    return system.simulate(
        p["time"], method="dop853", rtol=1e-8, atol=1e-10, formulation=formulation, speeds=speeds, times=times
    )


@cache
def _slowed(beam: str, rate: float, time: float, modes: int, formulation: str) -> Run:
    """The same turn at another rate or by another formulation; checks and figure look at these runs."""
    p = {"beam": beam, "rate": rate, "time": time, "modes": modes}
    return simulate(build(p), p, formulation=formulation)


def turn(p: Parameters, formulation: str, slower: float = 1.0) -> Run:
    """The turn of these parameters by a formulation, `slower` times slower."""
    return _slowed(p["beam"], p["rate"] / slower, p["time"], p["modes"], formulation)


def closed_form(t: Any, p: Parameters) -> np.ndarray:
    """Tip deflection by (1), as many modes as the run has, m."""
    data, t = beam_data(p["beam"]), np.asarray(t, float)
    q = 2 * np.pi / p["time"]
    v = np.zeros_like(t)
    for i in range(p["modes"]):
        b = brentq(lambda x: np.cos(x) + 1 / np.cosh(x), np.pi * i, np.pi * (i + 1), xtol=1e-14)
        w = b**2 * np.sqrt(data.EI / (data.mass_per_length * data.length**4))
        shape = (1 - np.cos(w * t)) / w**2 - (np.cos(q * t) - np.cos(w * t)) / (w**2 - q**2)
        v -= 4 * data.length * (-1) ** i / b**2 * p["rate"] / p["time"] * shape
    return v


def first_frequency(p: Parameters) -> float:
    """3.516 sqrt(EI/(m L^4)), rad/s."""
    data = beam_data(p["beam"])
    return float(3.5160152685 * np.sqrt(data.EI / (data.mass_per_length * data.length**4)))


def error(p: Parameters, slower: float) -> float:
    """Largest difference of the tip's deflections, relative to the largest deflection, at a slower turn."""
    exact, ruthless = (turn(p, f, slower)["beam.tip.deflection"][:, 1] for f in ("recursive", "ruthless"))
    return float(np.abs(ruthless - exact).max() / np.abs(exact).max())


def checks(run: Run, p: Parameters) -> list[Check]:
    """Ruthless beside its closed form, the exact beam, the order of the difference, and tension at the root."""
    ruthless, wanted = turn(p, "ruthless"), closed_form(run.t, p)
    found = [_differ(ruthless["beam.tip.deflection"][:, 1], wanted)]
    if p["beam"] == "SVQ" and p["time"] == 15.0 and p["rate"] == 6.0 and p["modes"] >= 3:
        row, peak = EXACT["SVQ", 6.0]
        tip, names = run["beam.tip.deflection"][:, 1], [f"at {t:g} s" for t in MARKS]
        source = "geometrically exact beam, apart"
        values = [tip[sample(run, t)] for t in MARKS]
        found += [
            worst("tip deflection, m", names, values, row, 0.005 * abs(peak), source),
            Check("largest tip deflection, m", float(tip.min()), peak, 0.005 * abs(peak), source),
        ]
    errors = [error(p, slower) for slower in SLOWER]
    order = float(np.log2(errors[-2] / errors[-1]))
    limit = (p["rate"] / SLOWER[-1] / first_frequency(p)) ** 2
    source = "theory: what is dropped is quadratic in the rate"
    found.append(Check("order of the error of slow turns in their rate", order, 2.0, 2 * limit, source))
    return [*found, *_tension(run, ruthless, p), balance(run, 1e-12), work_of_drives(run, ("hub",), 1e-6)]


def _differ(tip: np.ndarray, wanted: np.ndarray) -> Check:
    k = int(np.argmax(np.abs(tip - wanted)))
    allowed = 2e-6 * float(np.abs(wanted).max())
    return Check("ruthless tip deflection where it differs most, m", tip[k], wanted[k], allowed, "closed form: (1)")


def _tension(run: Run, ruthless: Run, p: Parameters) -> list[Check]:
    """Pull of the beam on its root at the end of the ramp: exact, and by ruthless linearisation."""
    data = beam_data(p["beam"])
    exact = data.mass_per_length * p["rate"] ** 2 * data.length**2 / 2
    pull = [-float((r["beam.rotation"][-1].T @ r.loads("beam").force[-1])[0]) for r in (run, ruthless)]
    return [
        Check("tension at the root after the ramp, N", pull[0], exact, 1e-3 * exact, "closed form: m W^2 L^2/2"),
        Check("ruthless tension at the root after the ramp, N", pull[1], 0.0, 1e-12 * exact, "its definition: no W^2"),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Tip deflection by both, fast and slow, and the error over the rate."""
    picture, axes = panels(1, 3, size=(11.4, 3.9), width_ratios=(1.2, 1.2, 1))
    for ax, slower in zip(axes[:2], (1.0, SLOWER[1]), strict=True):
        rate = p["rate"] / slower
        ax.plot(run.t, turn(p, "recursive", slower)["beam.tip.deflection"][:, 1], label="exact equations")
        ax.plot(run.t, turn(p, "ruthless", slower)["beam.tip.deflection"][:, 1], "--", label="ruthless")
        at = np.linspace(0, p["time"], 31)
        mine = closed_form(at, {**p, "rate": rate})
        ax.plot(at, mine, "o", color=COLOURS[1], mfc="white", ms=4, label="closed form (1)")
        if slower == 1 and (p["beam"], rate) in EXACT and p["time"] == 15.0:
            ax.plot(MARKS, EXACT[p["beam"], rate][0], "s", color=GREY, mfc="white", ms=5, label="exact beam")
        share = rate / first_frequency(p)
        ax.set(xlabel="time, s", ylabel="tip deflection, m", title=f"to {rate:g} rad/s, {share:.2g} $\\omega_1$")
        ax.title.set_fontsize("small")
        ax.margins(y=0.12)
        legend(ax, loc="upper center")
    share = p["rate"] / np.array((1.0, *SLOWER)) / first_frequency(p)
    axes[2].loglog(share, [error(p, s) for s in (1.0, *SLOWER)], "o-", color=COLOURS[4], label="largest relative error")
    axes[2].loglog(share, error(p, SLOWER[-1]) * (share / share[-1]) ** 2, ":", color=GREY, label="rate squared")
    axes[2].set(xlabel=r"rate / $\omega_1$", ylabel="error of the tip, relative")
    axes[2].margins(0.08)
    legend(axes[2], loc="upper left")
    title(picture, "Ruthless linearisation of a beam on a turning base")
    return picture


EXAMPLE = Example(
    name="ruthless-turn",
    title="Ruthless linearisation of a turning beam: where it holds and where it breaks (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 6",
    source="stand-in for section 6.7; closed form; Simo and Vu-Quoc (1988)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
