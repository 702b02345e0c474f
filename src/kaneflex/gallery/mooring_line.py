"""A mooring line that rises from the sea bed: at rest by the catenary, and in heave beside MoorDyn.

Source: catenary with touch-down, for instance Faltinsen, Sea Loads on Ships and Offshore Structures (1990), section 8.2; in
heave MoorDyn 2.7.2 (https://github.com/FloatingArrayDesign/MoorDyn), with 40 segments and EA = 2.5e8 N.

A chain of length L and weight w per length in water lies on the bed from its anchor on and rises to a fairlead at the
height h above the bed. Pulled by H there, the length s hangs, the fairlead is at X and the tension is T:

    s = sqrt(h^2 + 2 h H/w) ,    X = L - s + (H/w) asinh(w s/H) ,    T = H + w h .                                       (1)

Then the fairlead heaves, A (1 - exp(-(t/3 s)^4)) sin(2 pi t/P) up, and drag and added mass across the chain decide about
the tension: with P = 10 s it moves near its resonance. MoorDyn holds the velocity of a moved point from one call to the
next: its numbers are those of calls every 0.5 ms, for longer ones lose the inertia of the point's acceleration.
The chain is n rods that do not stretch, tied to the fairlead; rods converge to (1) like 1/n^2. Units: SI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, sample, title, unchanged, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, not_negative, positive, whole
from kaneflex.model.forces import Morison, SoftGround
from kaneflex.model.joints import Prismatic
from kaneflex.model.media import Sea
from kaneflex.model.rods.rod import Cable
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "length": 200.0, "diameter": 0.05, "mass": 20.0, "density": 1025.0, "Cn": 1.6, "Ct": 0.1, "depth": 80.0, "height": 70.0,
    "pull": 15000.0, "heave": 1.0, "period": 10.0, "kbot": 3.0e5, "cbot": 3.0e4, "n": 40,
}  # fmt: skip
GRAVITY = 9.81
DURATION = 25.0
#: Force on the fairlead by MoorDyn at the times in s, N.
TIMES = (2.5, 5.0, 7.5, 10.0, 12.5, 15.0, 17.5, 20.0, 22.5, 25.0)
MOORDYN = (29194.0, 25409.0, 27804.0, 29521.0, 26679.0, 25050.0, 27857.0, 29510.0, 26671.0, 25050.0)


def in_water(p: Parameters) -> float:
    """Weight per length in water, N/m."""
    return float((p["mass"] - p["density"] * np.pi * p["diameter"] ** 2 / 4) * GRAVITY)


def hanging(p: Parameters) -> tuple[float, float]:
    """Length that hangs, and how far from the anchor the fairlead is, m, by (1)."""
    a, h = p["pull"] / in_water(p), p["height"]
    s = np.sqrt(h * (h + 2 * a))
    return float(s), float(p["length"] - s + a * np.arcsinh(s / a))


def build(p: Parameters) -> System:
    """The chain between anchor and fairlead; x from one to the other, z up, the surface at z = 0."""
    d, rho, n = positive(p["diameter"], "diameter"), positive(p["density"], "density"), whole(p["n"], "n", least=4)
    if not (in_water(p) > 0 and positive(p["pull"], "pull") and 0 < p["height"] < p["depth"]):
        raise ModelError("the chain floats, or the fairlead is not between bed and surface: give other numbers")
    s, x = hanging(p)
    if s > 0.95 * p["length"]:
        raise ModelError(f"{s:g} m of {p['length']:g} m hang: give a longer chain, or less pull, so that some lies")
    heave, rate = not_negative(p["heave"], "heave"), 2 * np.pi / positive(p["period"], "period")
    motion = lambda t: heave * (1 - np.exp(-((t / 3) ** 4))) * np.sin(rate * t)
    system = System("mooring line", gravity=(0, 0, -GRAVITY))
    system.add("fairlead", Rigid(0.0), Prismatic("z", motion=motion), at=(x, 0, p["height"] - p["depth"]))
    chain = Cable(p["length"], p["mass"], n=n, plane="xz", radius=d / 2)
    system.add_rod("chain", chain, at=(0, 0, -p["depth"]), tip="pinned", end="fairlead")
    system.apply("sea", Morison("chain", Sea(rho, p["depth"]), d, p["Cn"], p["Ct"]))
    system.apply("bed", SoftGround("chain", p["kbot"] * d, p["cbot"] * d, level=-p["depth"]))
    return system


def start(p: Parameters) -> dict[str, float]:
    """Joints of a chain along the catenary, to begin the search for the equilibrium with."""
    n, a, (s, _) = int(p["n"]), p["pull"] / in_water(p), hanging(p)
    middles = (np.arange(n) + 0.5) * p["length"] / n
    slopes = np.arctan(np.maximum(0.0, middles - p["length"] + s) / a)
    lowered = np.diff(slopes, prepend=0.0)
    lowered[0] -= 1e-4  # into the bed, which holds nothing that only touches it
    return {f"chain_{k + 1}.q": -float(turn) for k, turn in enumerate(lowered)}


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From rest through two and a half periods."""
    state = system.equilibrium(start(p))
    return system.simulate(
        DURATION, initial=state, formulation=formulation, speeds=speeds, rtol=1e-6, atol=1e-8, output=0.05
    )


def tension(run: Run) -> np.ndarray:
    """Tension at the fairlead, N."""
    return np.asarray(np.linalg.norm(run.loads("chain_tip").force, axis=1))


def checks(run: Run, p: Parameters) -> list[Check]:
    """Pull and tension at rest by (1), and the tension in heave beside MoorDyn."""
    T, closed, w = tension(run), "closed form: catenary with touch-down, (1)", in_water(p)
    pull, n = float(run["chain.tension"][0, 0]), p["n"]
    whole_tension, allowed = p["pull"] + w * p["height"], 3 * p["pull"] / n**2  # rods converge like 1/n^2
    found = [
        balance(run, 1e-6),
        Check("pull on the anchor at rest, N", pull, p["pull"], allowed, closed),
        Check("tension at the fairlead at rest, N", float(T[0]), whole_tension, allowed, closed),
        Check("length on the bed at rest, m", lying(run, p), p["length"] - hanging(p)[0], p["length"] / n, closed),
    ]
    if unchanged(p, DEFAULTS, "n"):
        names, values = [f"at {t:g} s" for t in TIMES], [T[sample(run, t)] for t in TIMES]
        found.append(worst("tension in heave, N", names, values, MOORDYN, 0.015 * np.array(MOORDYN), "MoorDyn 2.7.2"))
    return found


def lying(run: Run, p: Parameters) -> float:
    """Length of the rods that lie on the bed at rest, m."""
    height = run["chain.shape"][0, :, 2] + p["depth"]
    return float(p["length"] * np.count_nonzero(height[1:] < 1e-3 * p["height"]) / p["n"])


def figure(run: Run, p: Parameters) -> Figure:
    """The line at rest, and the tension in heave."""
    picture, (left, right) = panels(1, 2, size=(9.5, 4.0))
    shape, (s, x) = run["chain.shape"][0], hanging(p)
    left.plot(shape[:, 0], shape[:, 2], label="run")
    a, u = p["pull"] / in_water(p), np.linspace(0, s, 12)
    along, up = p["length"] - s + a * np.arcsinh(u / a), np.hypot(a, u) - a - p["depth"]
    left.plot(along, up, "o", mfc="white", color=GREY, label="catenary")
    left.axhline(-p["depth"], color=COLOURS[6], lw=1)
    left.set(xlabel="from the anchor, m", ylabel="height, m", xlim=(0, 1.02 * x))
    legend(left)
    right.plot(run.t, tension(run) / 1e3, label="run")
    if unchanged(p, DEFAULTS, "n"):
        right.plot(TIMES, np.array(MOORDYN) / 1e3, "o", mfc="white", color=COLOURS[1], label="MoorDyn")
    right.set(xlabel="time, s", ylabel="tension at the fairlead, kN")
    legend(right, loc="lower right")
    title(picture, "Mooring line: at rest, and with a fairlead that heaves")
    return picture


EXAMPLE = Example(
    name="mooring-line",
    title="Mooring line on the sea bed with a fairlead that heaves",
    document="Classics",
    chapter="cables in water",
    source="catenary with touch-down in closed form; MoorDyn 2.7.2 in heave",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
