"""A cantilever bent by a dead load by up to 81 % of its length, and let go: rods and springs beside the elastica.

Source: A. K. Banerjee, Flexible Multibody Dynamics, chapter 10 (beams of rods and springs); the elastica is Euler's, its
deflections by elliptic integrals those of K. E. Bisshopp and D. C. Drucker, Q. Appl. Math. 3 (1945) 272.

A straight inextensible rod of length L and stiffness EI is clamped at its root; a force P across it acts at its tip and
keeps its direction. With the tip's slope a and k^2 = (1 + sin a)/2, sin f = 1/(k sqrt 2),

    sqrt(P L^2/EI) = K(k) - F(f, k) ,                                                                               (1)
    v/L = 1 - 2 (E(k) - E(f, k))/(K(k) - F(f, k)) ,    1 - u/L = sqrt(2 sin a)/(K(k) - F(f, k))                      (2)

for the deflection v across and the approach u of the tip. n rods with springs of EI/l between them, and of 2 EI/l at the
root, come near it with an error of order 1/n^2. At every equilibrium the moment at the root is P (L - u), whatever n.
The run lets the rod go from there, without load and without damping. Units: SI, rad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, balance, legend, panels, title
from kaneflex.model.forces import Force
from kaneflex.model.rods.rod import Rod
from kaneflex.plan.state import State
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"n": 20, "length": 1.0, "mass": 1.0, "stiffness": 1.0, "load": 10.0}
LOADS = (1.0, 2.0, 5.0, 10.0)  # P L^2/EI of the tables
PERIODS = 0.35  # of the first mode


def build(p: Parameters) -> System:
    """The rod along x, with its load, along y, as an input in units of EI/L^2."""
    L, EI = p["length"], p["stiffness"]
    system = System("elastica")
    system.add_rod("rod", Rod(L, p["mass"] / L, EI=EI, n=p["n"], plane="xy"))
    system.add_input("load", Force("rod.tip", (0, EI / L**2, 0), axes="inertial"))
    return system


def bent(system: System, load: float) -> State:
    """The equilibrium under a load P L^2/EI, by the path from none."""
    return system.equilibrium_path("load", load).states[-1]


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The rod let go from its equilibrium, for a third of a period of its first mode."""
    period = 2 * np.pi / 3.51602 * np.sqrt(p["mass"] * p["length"] ** 3 / p["stiffness"])
    start = bent(system, p["load"])
    return system.simulate(
        PERIODS * period, initial=start, method="dop853", rtol=1e-9, atol=1e-11, formulation=formulation, speeds=speeds
    )


def elastica(load: float) -> tuple[float, float, float]:
    """v/L, u/L and the slope of the tip by (1) and (2)."""

    def parts(a: float) -> tuple[float, float, float]:
        k2 = (1 + np.sin(a)) / 2
        f = np.arcsin(1 / np.sqrt(2 * k2))
        return k2, f, ellipk(k2) - ellipkinc(f, k2)

    a = brentq(lambda a: parts(a)[2] ** 2 - load, 1e-9, np.pi / 2 - 1e-9, xtol=1e-15)
    k2, f, K = parts(a)
    return 1 - 2 * (ellipe(k2) - ellipeinc(f, k2)) / K, 1 - np.sqrt(2 * np.sin(a)) / K, a


def _deflection(p: Parameters, n: int, load: float) -> tuple[float, float, float]:
    """v/L, u/L and the moment at the root over P (L - u) of n rods."""
    system, L = build({**p, "n": n}), p["length"]
    found = system.channels(bent(system, load), "rod.tip.position", "rod.moment", inputs={"load": load})
    x, y, _ = found["rod.tip.position"]
    return y / L, 1 - x / L, found["rod.moment"][0] / (load * p["stiffness"] / L**2 * x)


def checks(run: Run, p: Parameters) -> list[Check]:
    """Deflections extrapolated from n and 2 n rods, the order of their approach, the moment at the root, the energy."""
    n, result = p["n"], []
    source = "elliptic integrals, (1) and (2)"
    for load in LOADS:
        v, u, _ = elastica(load)
        coarse, fine = _deflection(p, n, load), _deflection(p, 2 * n, load)
        within = 0.06 * load**1.5 / n**4
        result += [
            Check(f"v/L at P L^2/EI = {load:g}", (4 * fine[0] - coarse[0]) / 3, v, within, source),
            Check(f"u/L at P L^2/EI = {load:g}", (4 * fine[1] - coarse[1]) / 3, u, within, source),
        ]
    order = np.log2((coarse[0] - v) / (fine[0] - v))
    result.append(Check("order of the approach to the elastica", order, 2.0, 2 / n**2, "theory: error of order 1/n^2"))
    statics = "statics: the load times its arm"
    result.append(Check("moment at the root over P (L - u)", coarse[2], 1.0, 5e-10, statics))
    moment = p["load"] * p["stiffness"] / p["length"] ** 2 * run["rod.tip.position"][0, 0]
    own = p["stiffness"] * run["rod.curvature"][0, 0]
    result.append(Check("moment at the root at the start, N m", own, moment, 5e-10 * moment, statics))
    strain = float(run["rod.potential"][0])
    own = _strain_energy(p["load"]) * p["stiffness"] / p["length"]
    result.append(Check("strain energy at the start, J", strain, own, 2 * own / n**2, "integral of the squared curvature"))
    result.append(balance(run, 5e-12))
    return result


def _strain_energy(load: float) -> float:
    """Of the elastica, over EI/L, where (d theta/ds)^2 = 2 P (sin a - sin theta)."""
    _, _, a = elastica(load)
    s = np.linspace(0, 1, 4001)
    theta = a * (1 - (1 - s) ** 2)  # dense near the tip, where the curvature vanishes
    curvature = np.sqrt(2 * load * np.maximum(np.sin(a) - np.sin(theta), 0))
    return float(np.trapezoid(curvature, theta)) / 2


def figure(run: Run, p: Parameters) -> Figure:
    """Equilibria beside the elastica's tips, and the rod let go."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.2))
    for k, load in enumerate(LOADS):
        system = build(p)
        shape = system.channels(bent(system, load), "rod.shape", inputs={"load": load})["rod.shape"] / p["length"]
        left.plot(shape[:, 0], shape[:, 1], "-", color=COLOURS[k % len(COLOURS)], label=f"P L²/EI = {load:g}")
        v, u, _ = elastica(load)
        left.plot(1 - u, v, "o", color="black", ms=4, label="elastica" if k == 0 else None)
    left.set(xlabel="x, over L", ylabel="y, over L", aspect="equal")
    legend(left, loc="upper left")
    shown = np.linspace(0, len(run.t) - 1, 12).astype(int)
    for k in shown:
        shape = run["rod.shape"][k]
        right.plot(shape[:, 0], shape[:, 1], color=COLOURS[0], alpha=0.25 + 0.75 * k / shown[-1])
    right.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    title(picture, f"{p['n']} rods and springs: bent by a dead load, and let go")
    return picture


EXAMPLE = Example(
    name="elastica",
    title="Elastica: a rod bent by a dead load, and let go",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 10",
    source="Banerjee chapter 10; Bisshopp and Drucker 1945",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
