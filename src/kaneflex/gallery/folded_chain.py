"""A folded chain whose free end is let go: it falls faster than a stone, and pulls its hook ever harder.

Source: M. G. Calkin and R. H. March, The dynamics of a falling chain, American J. Physics 57 (1989), 154; W. Tomaszewski,
P. Pieranski and J.-C. Geminard, The motion of a freely falling chain tip, American J. Physics 74 (2006), 776; closed forms
derived for this file.

A chain of length L, mass per length r, hangs by both ends, close together. One is let go and falls by x. What falls is
straight, (L - x)/2 long; the rest hangs still below the hook, and the fold between them is short. Nothing is lost in it, and

    x'^2 = g x (2 L - x)/(L - x) ,    T = r g (L + x)/2 + r x'^2/4 ,                                                  (1)

T being the pull on the hook: the end falls faster than freely, and the whole length takes 0.847213 of the time sqrt(2 L/g).

Here the chain is n rods on pins, one of them across in the fold. They move by

    sum_j a_ij [cos(f_i - f_j) f_j'' + sin(f_i - f_j) f_j'^2] = -b_i sin(f_i) g ,                                         (2)

f_i being their angles from the vertical. With more rods the motion comes nearer to (1), slowly, for the fold swings like a
whip: at a fall of 0.8 L it is behind by 0.9 % of L with 41 rods, and by 0.4 % with 161. Their pull on the hook
swings about T of (1) as each rod is turned over. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import CubicSpline

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.frames import Frame
from kaneflex.model.rods.rod import Cable
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"length": 1.0, "density": 0.3, "n": 41, "gravity": 9.81}
UNTIL = 0.8  # of the length, fallen by the free end when the run ends
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-11}


def folded(n: int) -> np.ndarray:
    """Angles of the rods from the vertical at the start: down, one across, and up."""
    return np.array([0.0] * (n // 2) + [math.pi / 2] + [math.pi] * (n // 2))


def build(p: Parameters) -> System:
    """The chain in the plane of x and z, z up, hung by its root, its other end held no more."""
    if p["n"] < 5 or p["n"] % 2 == 0:
        raise ModelError(f"n is {p['n']}: give an odd number of rods, 5 or more")
    L, density = positive(p["length"], "length"), positive(p["density"], "density")
    system = System("folded chain", gravity=(0, 0, -positive(p["gravity"], "gravity")))
    down = Frame((0, 0, 0), (("y", math.pi / 2),))
    system.add_rod("chain", Cable(L, density, n=p["n"], plane="xz"), at=down)
    system.show("N", Box((0.1 * L, 0.1 * L, 0.02 * L), position=(0, 0, 0.01 * L)))
    return system


def start(p: Parameters) -> dict[str, float]:
    """Angles of the pins of the folded chain, and rest; the plane's normal is -y, about which angles count."""
    turns = np.diff(np.concatenate([[0.0], folded(p["n"])]))
    return {f"chain_{k + 1}.{word}": value for k, q in enumerate(turns) for word, value in (("q", -float(q)), ("rate", 0.0))}


def fall_time(p: Parameters, x: float) -> float:
    """Time in which the free end falls by x, s: (1), with x = L sin^2 u, which takes the roots away."""
    law = lambda u: 2 * math.cos(u) ** 2 / math.sqrt(2 - math.sin(u) ** 2)
    return float(math.sqrt(p["length"] / p["gravity"]) * quad(law, 0, math.asin(math.sqrt(x / p["length"])))[0])


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until the free end has fallen by most of the length, by (1)."""
    until = fall_time(p, UNTIL * p["length"])
    fine = {**FINE, "formulation": formulation, "speeds": speeds}
    return system.simulate(until, initial=start(p), output=until / 100, **fine)


def by_hand(p: Parameters, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Depth of the free end, and pull on the hook downwards, by (2): SciPy's DOP853."""
    n = p["n"]
    d, m = p["length"] / n, p["density"] * p["length"] / n
    k = np.arange(1, n + 1)
    a = m * d**2 * (n - np.maximum.outer(k, k) + 0.5)
    a[k - 1, k - 1] = m * d**2 * (n - k + 1 / 3)
    b = m * d * (n - k + 0.5) * p["gravity"]

    def law(_: float, y: np.ndarray) -> np.ndarray:
        f, rate = y[:n], y[n:]
        apart = np.subtract.outer(f, f)
        turn = np.linalg.solve(a * np.cos(apart), -(a * np.sin(apart)) @ rate**2 - b * np.sin(f))
        return np.concatenate([rate, turn])

    y = np.concatenate([folded(n), np.zeros(n)])
    found = solve_ivp(law, (0, t[-1]), y, "DOP853", t_eval=t, rtol=1e-10, atol=1e-11).y
    f, rate = found[:n], found[n:]
    turn = np.array([law(0.0, y)[n:] for y in found.T]).T
    falls = d * (n - k + 0.5) @ (-np.sin(f) * turn - np.cos(f) * rate**2)  # of the middles of all rods
    return np.asarray(d * np.cos(f).sum(axis=0)), p["density"] * p["length"] * p["gravity"] - m * falls


def ideal(p: Parameters, t: np.ndarray) -> np.ndarray:
    """x of (1) at times t."""
    x = p["length"] * np.sin(np.linspace(0, math.asin(math.sqrt(UNTIL + 0.1)), 200)) ** 2
    return np.asarray(CubicSpline([fall_time(p, v) for v in x], x)(t))


def checks(run: Run, p: Parameters) -> list[Check]:
    """The free end beside (2) and beside (1), which rods of finite length come near to."""
    L, g, r, t = p["length"], p["gravity"], p["density"], np.asarray(run.t)
    depth, x, half = -run["chain.tip.position"][:, 2], ideal(p, t), len(t) // 2
    wanted, pull = by_hand(p, t)
    off, hook = float(np.abs(depth - wanted).max()), run.loads("chain_1").force[:, 2]
    momentum = r * (L - x) / 2 * np.sqrt(g * x * (2 * L - x) / (L - x))
    falls = -run["momentum.linear"][:, 2]
    when, stone = float(CubicSpline(t, depth).solve(0.7 * L, extrapolate=False)[0]), math.sqrt(2 * 0.7 * L / g)
    return [
        Check("depth of the free end, largest difference, m", off, 0.0, 5e-10 * L, "(2), SciPy's DOP853"),
        Check("the same without size of the fold, m", float(np.abs(depth - x).max()), 0.0, 0.012 * L, "closed form (1)"),
        Check("time to fall by 0.7 L, of a stone's", when / stone, fall_time(p, 0.7 * L) / stone, 0.005, "closed form (1)"),
        Check("momentum at half the time, N s", float(falls[half]), float(momentum[half]), 0.05 * momentum[half], "(1)"),
        Check("pull on the hook, largest difference, N", float(np.abs(hook - pull).max()), 0.0, 1e-8 * pull.max(), "(2)"),
        balance(run, 5e-9),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """The chain at some times, the fall of its end, the pull on the hook."""
    picture, (left, middle, right) = panels(1, 3, size=(10.4, 3.8), width_ratios=(0.6, 1, 1))
    t, x = np.asarray(run.t), ideal(p, np.asarray(run.t))
    for n, k in enumerate((0, 50, 80, 100)):
        left.plot(*run["chain.shape"][k][:, [0, 2]].T + np.array([[0.08 * p["length"] * n], [0]]), color=COLOURS[n])
    left.set(xlabel="x, m (moved apart)", ylabel="z, m", aspect="equal")
    middle.plot(t, -run["chain.tip.position"][:, 2], label="run")
    middle.plot(t[::6], x[::6], "o", color=GREY, mfc="white", ms=4, label="closed form (1)")
    middle.plot(t, p["gravity"] * t**2 / 2, ls=":", color=COLOURS[1], label="stone")
    middle.set(xlabel="t, s", ylabel="fall of the free end, m")
    legend(middle, loc="upper left")
    pull = p["density"] * p["gravity"] * ((p["length"] + x) / 2 + x * (2 * p["length"] - x) / (4 * (p["length"] - x)))
    right.plot(t, run["chain.tension"][:, 0])
    right.plot(t[::6], pull[::6], "o", color=GREY, mfc="white", ms=4)
    right.set(xlabel="t, s", ylabel="pull on the hook, N")
    title(picture, "Folded chain, one end let go")
    return picture


EXAMPLE = Example(
    name="folded-chain",
    title="Falling folded chain: its end falls faster than a stone",
    document="Classics",
    source="Calkin and March 1989; Tomaszewski and others 2006; closed forms",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
