"""A bend of 45 degrees pulled out of its plane: rods with stretch, shear and twist beside the equations of a Cosserat rod.

Source: K. J. Bathe and S. Bolourchi, Int. J. Numer. Methods Eng. 14 (1979) 961; J. C. Simo and L. Vu-Quoc, Comput. Methods
Appl. Mech. Eng. 58 (1986) 79, whose tip is at (15.79, 47.23, 53.37) in their axes under the load 600.

An eighth of a circle of radius 100 lies in the x-y plane, clamped where its tangent is x. Its section is a unit square with
E = 1e7 and G = E/2. A dead force P along z acts at its tip. With the section's force n = P z everywhere, moment m, rotation
R and place r,

    r' = R (x + C^-1 R^T n) ,    R' = R (k0 + D^-1 R^T m)~ ,    m' = -r' × n ,    m(L) = 0 ,    R(0) = 1 ,           (1)

C and D being the stiffness to stretch and shear, and to twist and bending. (1) is integrated here from the tip, whose three
angles are found so that the root is as it must be. Rods approach it like 1/n^2. In the run the load is taken off.
Units: as in the source, with a mass of 1 per length.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, balance, legend, panels, title
from kaneflex.model.forces import Force
from kaneflex.model.rods.rod import Rod
from kaneflex.plan.state import State
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"n": 8, "radius": 100.0, "modulus": 1e7, "load": 600.0}
TORSION = 0.1405771  # of a unit square
SHEAR = 5 / 6
LOADS = (300.0, 450.0, 600.0)
PRINTED = (47.23, 15.79, 53.37)  # Simo and Vu-Quoc under 600, eight elements; in these axes


def _stiffness(p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """C and D of (1): along and about x, y and z."""
    E, G = p["modulus"], p["modulus"] / 2
    return np.array([E, G * SHEAR, G * SHEAR]), np.array([G * TORSION, E / 12, E / 12])


def build(p: Parameters) -> System:
    """The bend, with its load as an input."""
    C, D = _stiffness(p)
    bend = Rod(
        p["radius"] * math.pi / 4,
        1.0,
        EI=(D[1], D[2]),
        GJ=D[0],
        EA=C[0],
        GA=(C[1], C[2]),
        n=p["n"],
        curvature=(0, 0, 1 / p["radius"]),
        rotary_inertia=1 / 12,
    )
    system = System("bend")
    system.add_rod("bend", bend)
    system.add_input("load", Force("bend.tip", (0, 0, 1.0), axes="inertial"))
    return system


def pulled(system: System, load: float) -> State:
    """The equilibrium under a load."""
    return system.equilibrium_path("load", load, longest=1.0).states[-1]


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The load taken off, for a twentieth of a second."""
    start = pulled(system, p["load"])
    return system.simulate(
        0.05, initial=start, method="radau5", rtol=1e-7, atol=1e-7, formulation=formulation, speeds=speeds
    )


def cosserat(p: Parameters, load: float) -> np.ndarray:
    """The tip by (1)."""
    C, D = _stiffness(p)
    L, n, k0 = p["radius"] * math.pi / 4, np.array([0, 0, load]), np.array([0, 0, 1 / p["radius"]])

    def hat(a: np.ndarray) -> np.ndarray:
        return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    def turn(v: np.ndarray) -> np.ndarray:
        K, angle = hat(v), max(float(np.linalg.norm(v)), 1e-12)
        return np.asarray(np.eye(3) + math.sin(angle) / angle * K + (1 - math.cos(angle)) / angle**2 * K @ K)

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        R, m = y[3:12].reshape(3, 3), y[12:]
        along = R @ (np.array([1.0, 0, 0]) + R.T @ n / C)
        return np.concatenate([along, (R @ hat(k0 + R.T @ m / D)).ravel(), -np.cross(along, n)])

    def root(v: np.ndarray) -> np.ndarray:
        start = np.concatenate([np.zeros(3), (turn(v) @ turn(np.array([0, 0, math.pi / 4]))).ravel(), np.zeros(3)])
        return np.asarray(solve_ivp(slope, (L, 0), start, method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1])

    def miss(v: np.ndarray) -> np.ndarray:
        R = root(v)[3:12].reshape(3, 3)
        return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2

    v = np.zeros(3)
    for part in np.linspace(0.1, 1, 10):
        n[2] = part * load
        v = fsolve(miss, v, xtol=1e-12)
    return -root(v)[:3]


def _tip(p: Parameters, n: int, load: float) -> np.ndarray:
    system = build({**p, "n": n})
    return np.asarray(system.channels(pulled(system, load), "bend.tip.position", inputs={"load": load})["bend.tip.position"])


def checks(run: Run, p: Parameters) -> list[Check]:
    """Tips extrapolated from n and 2 n rods, the order of their approach, what is printed, the moment at the root."""
    n, result = p["n"], []
    for load in LOADS:
        exact, coarse, fine = cosserat(p, load), _tip(p, n, load), _tip(p, 2 * n, load)
        for k, axis in enumerate("xyz"):
            value, within = float((4 * fine[k] - coarse[k]) / 3), 20 * p["radius"] / 100 / n**4
            result.append(Check(f"{axis} of the tip under {load:g}", value, float(exact[k]), within, "Cosserat rod, (1)"))
    error = [np.linalg.norm(x - exact) for x in (coarse, fine)]
    order = math.log2(error[0] / error[1])
    result.append(Check("order of the approach to it", order, 2.0, 2 / n**2, "theory: error of order 1/n^2"))
    if p["radius"] == 100 and p["modulus"] == 1e7:
        away = float(np.linalg.norm(exact - np.array(PRINTED)))
        result.append(Check("printed tip from (1), under 600", away, 0.0, 0.5, "Simo and Vu-Quoc 1986", "documentation"))
    moment = p["load"] * float(np.hypot(*run["bend.tip.position"][0, :2]))
    change = run["bend.curvature"][0, 0] - np.array([0, 0, 1 / p["radius"]])
    root = float(np.linalg.norm(_stiffness(p)[1] * change))
    within = 2e-3 / n**2 * moment  # the moment of an anisotropic joint is that of its rotation vector to second order
    result.append(Check("moment at the root at the start", root, moment, within, "statics: the load times its arm"))
    result.append(balance(run, 5e-7))
    return result


def figure(run: Run, p: Parameters) -> Figure:
    """Shapes as the load grows, in two views."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.2))
    system = build(p)
    for k, load in enumerate((0.0, *LOADS)):
        state = pulled(system, load) if load else system.state()
        shape = system.channels(state, "bend.shape", inputs={"load": load})["bend.shape"]
        for ax, second in ((left, 1), (right, 2)):
            ax.plot(shape[:, 0], shape[:, second], ".-", color=COLOURS[k % len(COLOURS)], label=f"load {load:g}")
        if load:
            tip = cosserat(p, load)
            left.plot(tip[0], tip[1], "o", mfc="none", color="black")
            right.plot(tip[0], tip[2], "o", mfc="none", color="black")
    left.set(xlabel="x, lengths of the source", ylabel="y, lengths of the source", aspect="equal")
    right.set(xlabel="x, lengths of the source", ylabel="z, lengths of the source", aspect="equal")
    legend(left, loc="upper left")
    title(picture, f"Bend of 45 degrees, {p['n']} rods; circles: tips of the Cosserat rod")
    return picture


EXAMPLE = Example(
    name="bend",
    title="Bend of 45 degrees pulled out of its plane",
    document="Classics",
    chapter="large deflections",
    source="Bathe and Bolourchi 1979; Simo and Vu-Quoc 1986",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
