"""A slider-crank of two elastic bars at 150 rad/s: how far crank and rod bend, against a geometrically exact program.

Source: data remembered as those of the slider-crank of Koppens (1989) and Jonker (1989), unverified: crank 0.15 m,
connecting rod 0.3 m of round steel, 6 mm thick, E = 200 GPa, 7870 kg/m^3, a slider of half the rod's mass, 150 rad/s. Their
crank is rigid and turns at once; here it is a bar of 12 mm that bends as well, clamped to its shaft, and is brought to its
rate from rest within one turn, by w (t/T - sin(2 pi t/T)/(2 pi)), T = 4 pi/w; one turn at full rate follows. Bars have shear
deformation, G = E/2.6 and shear factor 0.9; no gravity, no damping.

The rod turns on pins at both ends. Its shapes are those of a simply supported beam, seen from the tangent at its root, which
the pin lets turn, and its stretch; the crank has vibration modes and static shapes of loads at its pin. The rod is bent by
its own inertia, and its stiffness is changed by the forces in its pins, up to 0.3 of its Euler load, 1.4 kN, so that
displacements of second order take part: without them (`stiffening=False`) its bending is wrong by its own size.

References: the middle of the rod across its chord, and the tip of the crank across the tangent of its root, by a program of
its own: Reissner beams in inertial axes, places and angles of nodes as coordinates, which knows of no modes. When the crank
turns slowly the rod is a pinned beam under the inertia of the rigid linkage: with accelerations a and b of its ends normal
to it, its middle moves by

    -m l^4 (a + b)/2 * 5/(384 EI) (1 + 9.6 EI/(GA l^2)) ,        m per length .                                      (1)

Units: SI, rad.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, sample, title, unchanged, worst
from kaneflex.gallery.slider_crank import kinematics
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Prismatic, Revolute
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.structures import Beam, Flexible, ModeChoice
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "crank": 0.15, "rod": 0.3, "crank_diameter": 0.012, "rod_diameter": 0.006, "E": 2e11, "density": 7870.0,
    "slider_mass": 0.0334, "rate": 150.0, "modes": 3, "damping": 0.0, "stiffening": True,
}  # fmt: skip
SHEAR, NU = 0.9, 0.3
SAMPLES = 360  # in the run
SLOW = 0.1  # of the rate, where (1) holds

#: Rows (time as a fraction of the run, deflection of the rod's middle and of the crank's tip, m) by Reissner beams, five
#: quadratic elements in the crank and ten in the rod, 2880 and 5760 steps extrapolated to none; converged to 1e-6 m.
TABLE = (
    (0.2, -2.916e-04, -1.312e-04),
    (0.3, 3.593e-04, -5.041e-04),
    (0.4, 1.207e-03, 6.758e-05),
    (0.45, 8.238e-04, 1.248e-04),
    (0.5, 2.099e-04, -1.139e-04),
    (0.55, -5.648e-04, -6.314e-04),
    (0.6, -2.779e-03, -2.767e-04),
    (0.65, -1.129e-03, 8.754e-04),
    (0.7, 3.464e-03, -1.341e-03),
    (0.75, 2.028e-03, 1.072e-03),
    (0.8, 5.657e-04, -7.250e-05),
    (0.85, -7.801e-04, -5.265e-04),
    (0.9, -1.498e-03, -9.569e-04),
    (0.95, -4.376e-03, 6.603e-04),
    (1, 2.831e-06, -9.676e-05),
)


def build(p: Parameters) -> System:
    """Crank and rod straight along x, at rest."""
    r, l = positive(p["crank"], "crank"), positive(p["rod"], "rod")
    if l <= r:
        raise ModelError(f"a rod of {l:g} m is too short for a crank of {r:g} m to turn")
    if p["modes"] < 1:
        raise ModelError(f"modes is {p['modes']}: give at least 1")
    rate, ramp = times(p)
    links = {name: _link(name, *data(name, p), p["modes"], p["damping"], p["stiffening"]) for name in ("crank", "rod")}
    system = System("flexible-slider-crank")
    system.add("crank", links["crank"], Revolute("z", motion=profiles.spin_up(rate, ramp)))
    system.add("rod", links["rod"], Revolute("z"), "crank", "tip")
    system.add("slider", Rigid(positive(p["slider_mass"], "slider_mass")), Prismatic("x"), q=r + l)
    system.close("wrist", "rod.tip", "slider", Revolute("z"))
    system.show("slider", Box((0.3 * r, 0.2 * r, 0.2 * r), opacity=0.6), drum(0.05 * r, 0.25 * r, color="grey"))
    rails = [Box((2.6 * r, 0.03 * r, 0.2 * r), position=(l, y * r, 0), color="silver") for y in (-0.12, 0.12)]
    system.show("N", *rails, drum(0.1 * r, 0.3 * r, color="silver"))
    return system


def times(p: Parameters) -> tuple[float, float]:
    """Rate of the crank, rad/s, and the time in which it comes to it, s."""
    rate = positive(p["rate"], "rate")
    return rate, 4 * math.pi / rate


def data(name: str, p: Parameters) -> tuple[float, float, float, float, float]:
    """Length, EA, EI, GA and mass per length of a link: a round bar."""
    d = positive(p[f"{name}_diameter"], f"{name}_diameter")
    area, I = math.pi * d**2 / 4, math.pi * d**4 / 64
    return p[name], p["E"] * area, p["E"] * I, SHEAR * p["E"] / (2 * (1 + NU)) * area, p["density"] * area


@cache
def _link(
    name: str, length: float, EA: float, EI: float, GA: float, line: float, modes: int, damping: float, stiffening: bool
) -> Flexible:
    """A bar along x with the node "middle": the rod on pins at both ends, the crank with static shapes at its tip."""
    beam = Beam(length, EA, EI, line, elements=16, GA=GA).named(middle=8)
    if name == "crank":
        return Flexible(beam, modes={"bending y": modes, "axial": 1}, damping=damping, stiffening=stiffening)
    choice = {"bending y": ModeChoice("pinned", count=modes), "axial": ModeChoice(count=1)}
    return Flexible(beam, modes=choice, interfaces=("tip",), damping=damping, stiffening=stiffening)


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Two turns of the crank, one of them while its rate grows."""
    at = np.arange(SAMPLES + 1) * (1.5 * times(p)[1] / SAMPLES)
    return system.simulate(
        float(at[-1]), method="dop853", rtol=1e-8, atol=1e-10, formulation=formulation, speeds=speeds, times=at
    )


def bending(run: Run) -> np.ndarray:
    """The rod's middle across its chord, and the crank's tip across the tangent of its root, m: (samples, 2)."""
    root, middle, tip = (run[f"rod.{name}position"][:, :2] @ (1, 1j) for name in ("", "middle.", "tip."))
    chord = tip - root
    return np.column_stack([((middle - root) / (chord / abs(chord))).imag, run["crank.tip.deflection"][:, 1]])


def quasi_static(run: Run, p: Parameters) -> np.ndarray:
    """The rod's middle by (1), from the accelerations of the rigid linkage, m."""
    angle, rate = run["crank.angle"], run["crank.rate"]
    swing = np.gradient(rate, run.t, edge_order=2)
    k = kinematics(angle, {**p, "offset": 0.0})
    end = -p["crank"] * np.exp(1j * angle) * rate**2 + 1j * p["crank"] * np.exp(1j * angle) * swing
    slide = k["x2"] * rate**2 + k["x1"] * swing
    normal = ((end + slide) / 2 * np.exp(-1j * k["f"])).imag
    l, _, EI, GA, line = data("rod", p)
    return np.asarray(-5 / 384 * line * l**4 * normal / EI * (1 + 9.6 * EI / (GA * l**2)))


def checks(run: Run, p: Parameters) -> list[Check]:
    """Bending against the exact program, and of a slow mechanism against (1); the loop and the energy."""
    found = []
    if unchanged(p, DEFAULTS, "modes") and p["modes"] >= 3:
        rows, values = np.array(TABLE), bending(run)
        at = [sample(run, t * run.t[-1]) for t in rows[:, 0]]
        labels = [f"at {t:g} of the run" for t in rows[:, 0]]
        for k, name in ((0, "the rod's middle"), (1, "the crank's tip")):
            scale = float(np.abs(rows[:, k + 1]).max())
            what, source = f"deflection of {name}, m", "geometrically exact beams"
            found.append(worst(what, labels, values[at, k], rows[:, k + 1], 5e-3 * scale, source))
    slow = {**p, "rate": SLOW * p["rate"]}
    gentle = simulate(build(slow), slow)
    exact = quasi_static(gentle, slow)
    difference = float(np.abs(bending(gentle)[:, 0] - exact).max())
    what = f"deflection of the rod's middle at {SLOW:g} of the rate, largest difference, m"
    found.append(Check(what, difference, 0.0, 0.02 * float(np.abs(exact).max()), "closed form: pinned beam under (1)"))
    gap = float(np.abs(run["rod.tip.position"] - run["slider.position"]).max())
    return [
        *found,
        Check("gap at the wrist pin, m", gap, 0.0, 1e-12 * p["rod"], "identity: the loop stays closed"),
        balance(run, 1e-10),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Bending of rod and crank beside the references, and the torque of the drive."""
    picture, axes = panels(3, 1, size=(7.2, 6.8), sharex=True)
    values, known = bending(run), unchanged(p, DEFAULTS, "modes")
    t = 1e3 * run.t
    axes[0].plot(t, 1e3 * quasi_static(run, p), "--", color=GREY, lw=1.0, label="quasi-static")
    for k, name in ((0, "rod's middle"), (1, "crank's tip")):
        axes[k].plot(t, 1e3 * values[:, k], color=COLOURS[k], label=name)
        if known:
            rows = np.array(TABLE)
            axes[k].plot(rows[:, 0] * t[-1], 1e3 * rows[:, k + 1], "o", color=COLOURS[k], mfc="white", ms=4.5, label="exact")
        axes[k].set(ylabel=f"{name}, mm")
    axes[2].plot(t, run["crank.drive"], color=COLOURS[2], label="torque of the drive")
    axes[2].set(xlabel="time, ms", ylabel="torque, N m")
    for ax in axes:
        ax.margins(y=0.25)
        legend(ax, loc="upper left", ncols=3)
    title(picture, "Slider-crank of elastic bars at 150 rad/s")
    return picture


EXAMPLE = Example(
    name="flexible-slider-crank",
    title="Slider-crank of two elastic bars at 150 rad/s (stand-in)",
    document="Classics",
    chapter="closed loops",
    source="remembered data of Koppens and of Jonker; geometrically exact beams and a pinned beam in closed form",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
