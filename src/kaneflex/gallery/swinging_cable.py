"""A cable that hangs from a fixed point in water and swings: its small swings, and one that begins far out.

Sources: the hanging chain is Daniel Bernoulli's (G. N. Watson, Theory of Bessel Functions, chapter 1); water by Morison's
equation (Morison and others, Petroleum Transactions AIME 189 (1950), 149); A. K. Banerjee, Flexible Multibody Dynamics,
section 11.4, for cables under water.

A uniform cable of mass m per length hangs in water that moves along across it, m_a = rho pi d^2/4, and carries m_a g of
its weight: w = (m - m_a) g. Small swings are those of Bernoulli's chain,

    omega_k = (j_0k/2) sqrt(w/((m + m_a) L)) ,    J_0(j_0k) = 0 ,                                                     (1)

in vacuum (`density=0`) (j_0k/2) sqrt(g/L). n segments approach them like 1/n^2. The run lets the straight cable go at
`angle` from the vertical. Drag, rho Cn d v_n^2/2 across and rho pi Ct d v_t^2/2 along, makes it slow.

The water moved along pulls outwards too. A stiff rod of the same section and length, hinged to what turns about the vertical
at a rate W, rests at the angle a of a conical pendulum,

    cos a = 3 w/(2 (m + m_a) W^2 L) ,                                                                                 (2)

since all drag on it is across the plane in which it swings.

Reference of the run: places of the lower end of the same chain by Lagrange's equations in absolute angles, integrated apart.
Units: SI, rad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import jn_zeros

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, sample, support, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, not_negative, positive, whole
from kaneflex.model.forces import Morison
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Revolute
from kaneflex.model.media import Sea
from kaneflex.model.rods.rod import Cable
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "length": 100.0, "diameter": 0.02, "line_mass": 0.525887, "density": 1025.0, "Cn": 1.2, "Ct": 0.01, "angle": 1.0,
    "n": 20,
}  # fmt: skip
GRAVITY = 9.81
DURATION = 240.0
WHIRLING = 1.0  # rad from the vertical, of the rod of (2)

#: Lower end (t, x, z), s and m, of the same chain by Lagrange's equations.
TABLE = (
    (20.0, 79.3915, -59.7173),
    (40.0, 73.9762, -65.0368),
    (80.0, 62.0412, -74.9617),
    (120.0, 49.0555, -84.0593),
    (180.0, 29.3299, -94.4304),
    (240.0, 13.3096, -98.9088),
)


def build(p: Parameters) -> System:
    """The straight cable at its angle, its upper end at the origin, z up."""
    system = System("swinging cable", gravity=(0, 0, -GRAVITY))
    _hang(system, p, whole(p["n"], "n", least=2), p["angle"])
    system.show("N", *support((0, 0, 0), -0.03 * p["length"], "z"))
    return system


def _hang(system: System, p: Parameters, n: int, angle: float, parent: str | None = None) -> None:
    """n straight segments at an angle from the vertical, with water around them."""
    d, rho = positive(p["diameter"], "diameter"), not_negative(p["density"], "density")
    mass, moved = positive(p["line_mass"], "line_mass"), rho * np.pi * d**2 / 4
    if mass <= moved:
        raise ModelError(f"line_mass is {mass:g} kg/m: give more than the {moved:g} kg/m of the water that it displaces")
    cable = Cable(positive(p["length"], "length"), mass, n=n, plane="xz", radius=d / 2)
    system.add_rod("cable", cable, parent=parent, at=Frame((0, 0, 0), (("y", np.pi / 2 - angle),)))
    if rho:
        system.apply("sea", Morison("cable", Sea(rho, surface=0.1 * p["length"]), d, p["Cn"], p["Ct"]))


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Four minutes in water, one swing and a half in vacuum, by linearly implicit steps."""
    duration = DURATION if p["density"] else 3.5 * np.sqrt(p["length"] / GRAVITY)
    how: dict[str, Any] = {"formulation": formulation, "speeds": speeds, "output": duration / 240}
    return system.simulate(duration, method="ros34pw2", rtol=1e-5, atol=1e-7, **how)


def swings(p: Parameters) -> np.ndarray:
    """The first three frequencies by (1), rad/s."""
    moved = p["density"] * np.pi * p["diameter"] ** 2 / 4
    w = (p["line_mass"] - moved) * GRAVITY
    return np.asarray(jn_zeros(0, 3) / 2 * np.sqrt(w / ((p["line_mass"] + moved) * p["length"])))


def _modes(p: Parameters, n: int) -> np.ndarray:
    """The first three of n segments that hang, rad/s."""
    system = build({**p, "angle": 0.0, "n": n})
    return np.array([mode.frequency for mode in system.modes(system.state())[:3]])


def _whirling(p: Parameters) -> Check:
    """A rod that turns with its support at the rate of (2), after one turn."""
    moved = p["density"] * np.pi * p["diameter"] ** 2 / 4
    w, mass = (p["line_mass"] - moved) * GRAVITY, p["line_mass"] + moved
    rate = float(np.sqrt(1.5 * w / (mass * p["length"] * np.cos(WHIRLING))))
    system = System("whirling rod", gravity=(0, 0, -GRAVITY))
    system.add("support", Rigid(0.0), Revolute("z", motion=profiles.constant_rate(rate)))
    _hang(system, p, 1, WHIRLING, parent="support")
    run = system.simulate(2 * np.pi / rate, rtol=1e-8, atol=1e-10, output=0.5 * np.pi / rate)
    down = -run["cable.tip.position"][-1, 2] / p["length"]
    return Check("whirling rod: angle after a turn, rad", float(np.arccos(down)), WHIRLING, 1e-6, "closed form (2)")


def checks(run: Run, p: Parameters) -> list[Check]:
    """Small swings in water and in vacuum, a rod that whirls, and the lower end of the large swing."""
    found = [balance(run, 3e-5), _whirling(p)]
    cases = [("in water", p), ("in vacuum", {**p, "density": 0.0})] if p["density"] else [("in vacuum", p)]
    for words, case in cases:
        exact, (coarse, fine) = swings(case), (_modes(case, k * p["n"]) for k in (1, 2))
        names, extrapolated = [f"swing {k}" for k in (1, 2, 3)], (4 * fine - coarse) / 3
        allowed = 0.03 * exact * (exact / exact[0]) ** 6 / p["n"] ** 4 + 1e-9
        found.append(worst(f"frequency {words}, rad/s", names, extrapolated, exact, allowed, "closed form (1)"))
        order = float(np.log2((coarse[0] - exact[0]) / (fine[0] - exact[0])))
        found.append(Check(f"order of convergence in n, {words}", order, 2.0, 2 / p["n"] ** 2, "theory: 1/n^2"))
    if unchanged(p, DEFAULTS):
        table, tip = np.array(TABLE), run["cable.tip.position"][:, [0, 2]]
        values = [tip[sample(run, t)] for t in table[:, 0]]
        names = [f"{axis} at {t:g} s" for t in table[:, 0] for axis in "xz"]
        source = "Lagrange's equations of the same chain, apart"
        found.append(worst("lower end, m", names, values, table[:, 1:], 2e-4 * p["length"], source))
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """The cable at successive instants, and its lower end."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.2))
    shape, tip = run["cable.shape"], run["cable.tip.position"]
    for k in range(0, len(run.t), 12):
        left.plot(shape[k, :, 0], shape[k, :, 2], color=COLOURS[0], alpha=0.25 + 0.75 * k / len(run.t), linewidth=1.3)
    left.set(xlabel="x, m", ylabel="height, m", aspect="equal")
    for n, (axis, name) in enumerate(((0, "x"), (2, "height"))):
        right.plot(run.t, tip[:, axis], color=COLOURS[n], label=name)
    if unchanged(p, DEFAULTS):
        table = np.array(TABLE)
        right.plot(table[:, 0], table[:, 1:], "o", color=GREY, mfc="white", ms=5)
        right.plot([], [], "o", color=GREY, mfc="white", ms=5, label="Lagrange's equations")
    right.set(xlabel="time, s", ylabel="lower end, m")
    legend(right, loc="center right")
    title(picture, f"Cable let go at {p['angle']:g} rad from the vertical, {'in water' if p['density'] else 'in vacuum'}")
    return picture


EXAMPLE = Example(
    name="swinging-cable",
    title="Hanging cable that swings in water or in vacuum",
    document="Classics",
    chapter="cables in water",
    source="Bernoulli's hanging chain; Morison's equation",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
