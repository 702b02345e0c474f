"""A rubber cord that is let go from the horizontal: a pendulum that bends by more than half a turn.

Source: the problem is a standard one of geometrically exact and absolute nodal coordinate beams (A. K. Banerjee, Flexible
Multibody Dynamics, chapter 10, has rods and springs for it); the data are this file's own, stated here in full.

A cord of L = 1 m, 0.35 kg/m, EI = 0.04 N m^2 (rubber, 20 mm thick), pinned at the origin, is straight and level when it is
let go under g = 9.81 m/s^2, y up. It does not stretch. Its weight bends it by as much as m g L^3/EI = 86 says: it whips
through the lowest place and curls up. Nothing takes its energy, and what turns it about the pin is its weight alone:

    E = 0 always ,    angular momentum about the pin = -integral of m g L x_c dt .                                   (1)

The cord is a chain of `n` segments, integrated by linearly implicit steps; beside it runs a rod of high order, eight
polynomials of curvature. Reference: places of the tip by a geometrically exact beam (Reissner; finite elements, computed
apart). Units: SI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import cumulative_simpson

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, sample, support, title, unchanged, worst
from kaneflex.model.checks import positive, whole
from kaneflex.model.rods.rod import Rod
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"length": 1.0, "line_mass": 0.35, "EI": 0.04, "gravity": 9.81, "n": 40}
ROTARY = 8.75e-6  # kg m, of a section
ORDER = 8
DURATION, EVERY = 1.5, 0.005

#: Tip (t, x, y), s and m, of the geometrically exact beam, EA = GA = 1.5e6 N.
TABLE = (
    (0.25, 0.8904, -0.2881),
    (0.5, -0.1959, -0.9497),
    (0.75, -0.8575, -0.4355),
    (1.0, -0.9127, 0.1065),
    (1.25, -0.6464, -0.3272),
    (1.5, 0.4973, -0.6694),
)


def build(p: Parameters) -> System:
    """The cord along x, by segments."""
    return _cord(p, n=whole(p["n"], "n", least=2))


def _cord(p: Parameters, **division: Any) -> System:
    system = System("flexible pendulum", gravity=(0, -p["gravity"], 0))
    length, mass = positive(p["length"], "length"), positive(p["line_mass"], "line_mass")
    cord = Rod(length, mass, positive(p["EI"], "EI"), plane="xy", rotary_inertia=ROTARY, radius=0.01 * length, **division)
    system.add_rod("cord", cord, root="pinned")
    system.show("N", *support((0, 0, 0), -0.06 * length))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """A second and a half by linearly implicit steps, sampled every 5 ms."""
    how: dict[str, Any] = {"formulation": formulation, "speeds": speeds, "output": EVERY}
    return system.simulate(DURATION, method="ros34pw2", rtol=1e-5, atol=1e-7, **how)


def checks(run: Run, p: Parameters) -> list[Check]:
    """The exact beam, the rod of high order, order 2 in n, energy and angular momentum."""
    tip, found = run["cord.tip.position"], [balance(run, 1e-6), _momentum(run, p)]
    if unchanged(p, DEFAULTS, "n") and p["n"] >= 40:
        table, source = np.array(TABLE), "geometrically exact beam by finite elements, apart"
        values = [tip[sample(run, t), :2] for t in table[:, 0]]
        names = [f"{axis} at {t:g} s" for t in table[:, 0] for axis in "xy"]
        found.append(worst("place of the tip, m", names, values, table[:, 1:], 6e-4, source))
        found.append(_order(p, tip))
    beside = by_order(p)
    k = int(np.argmax(np.linalg.norm(tip - beside, axis=1)))
    far = float(np.linalg.norm(tip - beside, axis=1)[k])
    name = f"tip from that of the rod of order {ORDER}, t = {run.t[k]:.4g} s, m"
    small = (1e-3 + 2 / p["n"] ** 2) * p["length"]
    return [*found, Check(name, far, 0.0, small, "rod of high order of this package, run beside")]


def _momentum(run: Run, p: Parameters) -> Check:
    """Angular momentum about the pin, beside the impulse of the weight by (1)."""
    weight = p["line_mass"] * p["length"] * p["gravity"]
    impulse = -weight * cumulative_simpson(run["mass_centre.position"][:, 0], x=run.t, initial=0.0)
    own = run["momentum.angular"][:, 2]
    k = int(np.argmax(np.abs(own - impulse)))
    name, source = "angular momentum where it differs most, N m s", "identity (1), Simpson's rule over the samples"
    return Check(name, float(own[k]), float(impulse[k]), 2e-6 * float(np.abs(own).max()), source)


def _order(p: Parameters, tip: np.ndarray) -> Check:
    """Order of convergence in n, by a quarter and half as many segments, until 0.75 s."""
    coarse, middle = (simulate(_cord(p, n=p["n"] // k), p)["cord.tip.position"] for k in (4, 2))
    early = slice(0, round(0.75 / EVERY))
    gap = [float(np.abs(b - a)[early].max()) for a, b in ((coarse, middle), (middle, tip))]
    return Check("order of convergence in n", float(np.log2(gap[0] / gap[1])), 2.0, 0.1, "theory: error of order 1/n^2")


def by_order(p: Parameters) -> np.ndarray:
    """Places of the tip of the same cord by polynomials, at the samples."""
    run = _cord(p, order=ORDER).simulate(DURATION, method="radau5", rtol=1e-6, atol=1e-8, output=EVERY)
    return np.asarray(run["cord.tip.position"])


def figure(run: Run, p: Parameters) -> Figure:
    """The cord at successive instants, and the way of its tip beside the references."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.4))
    shape, tip, beside = run["cord.shape"], run["cord.tip.position"], by_order(p)
    for k in range(0, len(run.t), 10):
        left.plot(shape[k, :, 0], shape[k, :, 1], color=COLOURS[0], alpha=0.2 + 0.8 * k / len(run.t), linewidth=1.3)
    left.plot(tip[:, 0], tip[:, 1], ":", color=COLOURS[1], linewidth=1.0, label="way of the tip")
    left.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    legend(left, loc="upper right")
    for axis, name in enumerate("xy"):
        right.plot(run.t, tip[:, axis], color=COLOURS[axis], label=f"{name}, {p['n']} segments")
        right.plot(run.t, beside[:, axis], ":", color="#111827", linewidth=1.2)
    right.plot([], [], ":", color="#111827", label=f"order {ORDER}")
    if unchanged(p, DEFAULTS, "n"):
        table = np.array(TABLE)
        right.plot(table[:, 0], table[:, 1:], "o", color=GREY, mfc="white", ms=5)
        right.plot([], [], "o", color=GREY, mfc="white", ms=5, label="exact beam")
    right.set(xlabel="time, s", ylabel="tip, m")
    legend(right, loc="upper center", ncols=2)
    title(picture, "Rubber cord let go from the horizontal")
    return picture


EXAMPLE = Example(
    name="flexible-pendulum",
    title="Very flexible pendulum let go from the horizontal",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 10",
    source="Reissner's beam by finite elements; data of its own",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
