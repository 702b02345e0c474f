"""A cantilever whose base is accelerated along it: inertia loads soften it until it buckles.

Source: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), section 8.1 and appendix 8.A, geometric stiffness due
to inertia loads; the beam that buckles under a load along it is A. G. Greenhill's, Proc. Cambridge Phil. Soc. 4 (1881)
65-73.

With the base accelerated by a along the beam, towards its tip, its sections carry the inertia of what is beyond them, the
pressure m a (L - x). With modes phi of the cantilever, w_i their frequencies, small deflections obey

    q_i'' + w_i^2 q_i - a sum_j S_ij q_j = 0 ,   S_ij = int (L - x) phi_i' phi_j' m dx ,   int phi_i^2 m dx = 1   (1)

which is the appendix's way to the stiffness: load, pressure in the beam, work of it on the shortening. The package takes
the geometric stiffness of finite elements under twelve such loads, by reciprocity. In units of sqrt(EI/(m L^4)) the first
squared frequency falls from 12.362 almost linearly and is zero at a m L^3/EI = (9/4) j^2 = 7.837, j = 1.866 the first
zero of the Bessel function J of order -1/3. The reference at any acceleration is Ritz's method with powers of x, whose
integrals are fractions. The run starts from the first mode and swings with that frequency.

Accelerated across, in its stiff plane, a deep beam tips over: bending moments M = m a (L - x)^2/2 soften it against twist
t with bending aside (L. Prandtl, Kipp-Erscheinungen, Munich, 1899). With its stiff plane rigid

    GJ t'' + M^2/EI t = 0 ,   t(0) = t'(L) = 0 :   a m L^3/sqrt(EI GJ) = 6 j = 12.854                                  (2)

at the first zero j = 2.142 of the Bessel function J of order -1/6. Units: SI, rad.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.special import jv

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import work_of_drives
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Prismatic
from kaneflex.model.profiles import Motion
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.structures.beam import Beam
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"acceleration": 4.0, "length": 2.0, "EI": 30.0, "mass_per_length": 0.5, "tip": 0.002}
MODES, PERIODS, SAMPLES = 4, 2, 160
#: Where the pressure of the beam's own inertia buckles it, in units of EI/(m L^3).
CRITICAL = 2.25 * brentq(lambda z: jv(-1 / 3, z), 1.5, 2.2, xtol=1e-14) ** 2
#: Acceleration across at which a deep beam tips over, in units of sqrt(EI GJ)/(m L^3).
TIPS_OVER = 6 * brentq(lambda z: jv(-1 / 6, z), 1.8, 2.4, xtol=1e-14)


def unit(p: Parameters) -> float:
    """sqrt(EI/(m L^4)), rad/s."""
    return float(np.sqrt(p["EI"] / (p["mass_per_length"] * p["length"] ** 4)))


@cache
def _beam(length: float, EI: float, mass_per_length: float) -> Flexible:
    """Modes that bend in the plane; what bends across it is far stiffer."""
    m = positive(mass_per_length, "mass_per_length")
    beam = Beam(positive(length, "length"), 1e6 * EI, (1e4 * positive(EI, "EI"), EI), m, 20, GJ=1e4 * EI, rotary=0.0)
    return Flexible(beam, modes=ModeChoice(count=MODES))


def build(p: Parameters) -> System:
    """A slide along x that is accelerated, and the beam on it along x."""
    if not abs(p["acceleration"]) < CRITICAL:
        raise ModelError(f"acceleration is {p['acceleration']:g} EI/(m L^3): the beam buckles at {CRITICAL:.4g}; give less")
    beam, a = _beam(p["length"], p["EI"], p["mass_per_length"]), p["acceleration"] * unit(p) ** 2 * p["length"]
    system = System("accelerated beam")
    motion = Motion(lambda t: a * t**2 / 2, lambda t: a * t, lambda t: a + 0 * t)
    system.add("slide", Rigid(1.0), Prismatic("x", motion=motion))
    system.add("beam", beam, parent="slide")
    system.show("slide", Box((0.04 * p["length"], 0.2 * p["length"], 0.2 * p["length"])))
    return system


def tipping(p: Parameters, a: float, speeds: str) -> float:
    """Squared first frequency over EI/(m L^4) of a deep beam, GJ = EI, its base accelerated across by a
    sqrt(EI GJ)/(m L^3); from its own linear model."""
    L, EI, m = p["length"], p["EI"], p["mass_per_length"]
    beam = Beam(L, 1e6 * EI, (1e4 * EI, EI), m, 40, GJ=EI, rotary=0.0, polar=1e-3 * m * L**2)
    a *= unit(p) ** 2 * L
    system = System("deep beam")
    motion = Motion(lambda t: a * t**2 / 2, lambda t: a * t, lambda t: a + 0 * t)
    system.add("slide", Rigid(1.0), Prismatic("z", motion=motion))
    system.add("beam", Flexible(beam, modes={"bending y": 8, "torsion": 8}), parent="slide")
    squares = [(mode.eigenvalue**2).real for mode in system.modes(system.state(), speeds=speeds)]
    return -max(squares) / unit(p) ** 2


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Two periods, from the first mode of the beam at rest, the tip `tip` lengths off the axis."""
    beam = _beam(p["length"], p["EI"], p["mass_per_length"]).modal
    start = np.eye(MODES)[0] * p["tip"] * p["length"] / beam.nodes["tip"].Phi[1, 0]
    times = np.linspace(0, PERIODS * 2 * np.pi / (unit(p) * np.sqrt(squares(p["acceleration"])[0])), SAMPLES + 1)
    return system.simulate(
        float(times[-1]), initial={"beam.modes": start}, method="dop853", rtol=1e-9, atol=1e-12, formulation=formulation,
        speeds=speeds, times=times,
    )  # fmt: skip


def squares(a: float, terms: int = 12, payload: float = 0.0) -> np.ndarray:
    """Squared frequencies over EI/(m L^4) by polynomials x^2 P_i(2 x - 1) and their exact integrals by Gauss's rule, P_i
    Legendre's, by which the mass matrix keeps its digits; `payload` m L is on the tip."""
    x, weight = np.polynomial.legendre.leggauss(terms + 3)
    x, weight, one = (x + 1) / 2, weight / 2, np.polynomial.Polynomial
    functions = [one([0, 0, 1]) * one.cast(np.polynomial.Legendre.basis(i))(one([-1, 2])) for i in range(terms)]
    y, slope, bend = (np.array([f.deriv(k)(x) for f in functions]) for k in range(3))
    M, K = y * weight @ y.T + payload, bend * weight @ bend.T
    S = slope * weight * (1 - x + payload) @ slope.T
    return np.asarray(eigh(K - a * S, M, eigvals_only=True))[:MODES]


def appendix(count: int = 3) -> np.ndarray:
    """S of (1) from the cantilever's mode functions, m = L = 1, by Gauss's rule."""
    x, weight = np.polynomial.legendre.leggauss(60)
    x, weight = (x + 1) / 2, weight / 2
    b = [brentq(lambda y: np.cos(y) + 1 / np.cosh(y), np.pi * k, np.pi * (k + 1), xtol=1e-14) for k in range(count)]
    s = [(np.cosh(y) + np.cos(y)) / (np.sinh(y) + np.sin(y)) for y in b]
    slope = np.array(
        [y * (np.sinh(y * x) + np.sin(y * x) - c * (np.cosh(y * x) - np.cos(y * x))) for y, c in zip(b, s, strict=True)]
    )
    return (slope * weight * (1 - x)) @ slope.T


def frequencies(p: Parameters, a: float) -> np.ndarray:
    """Squared frequencies over EI/(m L^4) of the system, its base accelerated by a; from its own linear model."""
    system = build({**p, "acceleration": a})
    found = [mode.frequency for mode in system.modes(system.state())]
    return (np.array(found[:MODES]) / unit(p)) ** 2


def checks(run: Run, p: Parameters) -> list[Check]:
    """Stiffness the appendix's way, frequencies over acceleration, where they vanish, and the run's own."""
    modal = _beam(p["length"], p["EI"], p["mass_per_length"]).modal
    soft = modal.stiffness_in_motion((1.0, 0, 0)) - modal.stiffness_in_motion()
    wanted = -appendix() / p["length"]
    sign = np.sign(modal.nodes["tip"].Phi[1, :3]) * [1, -1, 1]  # the tip of the functions goes up, down, up
    names = [f"S{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)]
    found = [
        worst(
            "geometric stiffness, 1/m",
            names,
            soft[:3, :3] * np.outer(sign, sign),
            wanted,
            2e-5 / p["length"],
            "(1), by quadrature",
        )
    ]
    for a in sorted({0.0, 4.0, 7.0, p["acceleration"]}):
        source = "Ritz's method with powers, in this file"
        name = [f"mode {k}" for k in range(1, 4)]
        exact = squares(a)[:3]
        found.append(
            worst(
                f"squared frequency at {a:g}, over EI/mL^4", name, frequencies(p, a)[:3], exact, 1e-4 * exact + 2e-3, source
            )
        )
    low, high = 7.6, 7.8
    first = [frequencies(p, a)[0] for a in (low, high)]
    buckles = high + first[1] * (high - low) / (first[0] - first[1])
    found.append(Check("acceleration that buckles, EI/(m L^3)", buckles, CRITICAL, 2e-3, "Greenhill: (9/4) j^2"))
    low, high = 0.99, 0.998
    first = [tipping(p, x * TIPS_OVER, run.plan.speeds) for x in (low, high)]
    tips = TIPS_OVER * float(np.sqrt(high**2 + first[1] * (high**2 - low**2) / (first[0] - first[1])))
    source = "Prandtl: (2)"
    found.append(Check("acceleration across that tips over, sqrt(EI GJ)/(m L^3)", tips, TIPS_OVER, 1e-3 * TIPS_OVER, source))
    tip = CubicSpline(run.t, run["beam.tip.deflection"][:, 1])
    zeros = tip.roots(extrapolate=False)
    period = 2 * float(np.diff(zeros).mean())
    exact_period = 2 * np.pi / (unit(p) * np.sqrt(squares(p["acceleration"])[0]))
    source = "Ritz's method with powers, in this file"
    found.append(Check("period of the run, s", period, exact_period, 1e-3 * exact_period, source))
    return [*found, balance(run, 1e-12), work_of_drives(run, ("slide",), 1e-6)]


def figure(run: Run, p: Parameters) -> Figure:
    """Squared first frequency over the acceleration, and the swinging tip."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.0))
    a = np.linspace(-4, CRITICAL, 60)
    left.plot(a, [squares(x)[0] for x in a], color=GREY, label="Ritz's method with powers")
    left.plot(a, 12.3624 - a * appendix(1)[0, 0], ":", color=COLOURS[2], label="(1) with one mode")
    some = np.linspace(-4, 7.5, 8)
    left.plot(some, [frequencies(p, x)[0] for x in some], "o", color=COLOURS[0], label="package")
    left.plot(CRITICAL, 0, "s", color=COLOURS[1], label="Greenhill")
    left.axhline(0, color=GREY, lw=0.8)
    left.set(xlabel=r"acceleration along the beam, $EI/(mL^3)$", ylabel=r"squared frequency, $EI/(mL^4)$")
    legend(left, loc="upper right")
    right.plot(run.t, 1e3 * run["beam.tip.deflection"][:, 1], label=f"accelerated by {p['acceleration']:g}")
    still = p["tip"] * p["length"] * np.cos(unit(p) * np.sqrt(squares(0.0)[0]) * run.t)
    right.plot(run.t, 1e3 * still, ":", color=GREY, label="at rest")
    right.set(xlabel="time, s", ylabel="tip deflection, mm")
    right.margins(y=0.25)
    legend(right, loc="upper right", ncols=2)
    title(picture, "Cantilever accelerated along its axis")
    return picture


EXAMPLE = Example(
    name="accelerated-beam",
    title="Cantilever accelerated along its axis: stiffness by inertia loads, and buckling",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 8",
    source="section 8.1 and appendix 8.A; Greenhill (1881); Ritz's method",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
