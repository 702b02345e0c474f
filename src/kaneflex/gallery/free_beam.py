"""A free-flying flexible beam that spins: its frequencies, what is conserved, and efficient speeds beside customary ones.

Source: stand-in for A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), appendix A, efficient generalized speeds
for a single free-flying flexible body.

A uniform beam (length L, EI, mass m per length) turns freely at the rate W about an axis across it through its middle. In
axes that turn with it, small deflections v about the straight beam obey, with x from the middle,

    m v'' + EI v_xxxx - (N v_x)_x - c m W^2 v = 0 ,   N = m W^2 (L^2/4 - x^2)/2 ,                                  (1)

c = 1 in the plane of the spin and c = 0 across it; the Coriolis force of v is along the beam and stretches it only.
Without spin the frequencies are b^2 sqrt(EI/(m L^4)), cos b cosh b = 1. With it those of the even motions, which the
beam's turn does not take part in, come from Ritz's method with Legendre's polynomials, whose integrals are exact by
Gauss's rule. The run starts with a deflection in the plane and one across it; momentum and energy stay.

Spinning about its own axis at the rate W the beam vibrates as at rest, in planes that do not turn. In axes that turn with
it a vibration of frequency w is then two circular ones,

    v'' - 2 W z' + (w^2 - W^2) v = 0 ,   z'' + 2 W v' + (w^2 - W^2) z = 0 :   |w - W|  and  w + W ,                    (2)

of which the force between modes in two planes, 2 W, makes the difference.

`speeds="constant-mass"`, the efficient speeds of the appendix, describe the same motion up to terms of order (W/w_1)^2:
the difference of the modal coordinates is seen in the figure. Units: SI, rad.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import legendre
from scipy.interpolate import CubicSpline
from scipy.linalg import eigh
from scipy.optimize import brentq

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, lost_stiffness, panels, title, worst
from kaneflex.model import profiles
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Free, Revolute
from kaneflex.results.run import Run
from kaneflex.structures.beam import Beam
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"length": 6.0, "EI": 400.0, "mass_per_length": 0.5, "spin": 0.5, "amplitude": 0.002}
MODES, PERIODS = 6, 4


def unit(p: Parameters) -> float:
    """sqrt(EI/(m L^4)), rad/s."""
    return float(np.sqrt(p["EI"] / (p["mass_per_length"] * p["length"] ** 4)))


@cache
def _beam(length: float, EI: float, mass_per_length: float) -> Flexible:
    """The beam in mean axes, pairs of modes in the plane and across it; twist and stretch are far stiffer."""
    m = positive(mass_per_length, "mass_per_length")
    beam = Beam(positive(length, "length"), 1e5 * positive(EI, "EI"), EI, m, 24, GJ=1e4 * EI, rotary=0.0, polar=1e-6)
    return Flexible(beam, root=None, modes=ModeChoice("free", count=MODES))


def build(p: Parameters) -> System:
    """The beam along x, its middle at the origin, spinning about z; `spin` is in terms of its first frequency."""
    if not 0 <= p["spin"] <= 2:
        raise ModelError(f"spin is {p['spin']:g} of the first frequency: give 0 to 2")
    system = System("free beam")
    middle = (p["length"] / 2, 0, 0)
    system.add(
        "beam", _beam(p["length"], p["EI"], p["mass_per_length"]), Free(), hinge=middle, rates=(0, 0, 0, 0, 0, rate(p))
    )
    return system


def rate(p: Parameters) -> float:
    """The spin, rad/s."""
    return float(p["spin"] * unit(p) * at_rest(1)[0])


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Four periods of the first mode at rest, from its deflection in the plane and half of it across."""
    times = np.linspace(0, PERIODS * 2 * np.pi / (unit(p) * at_rest(1)[0]), 40 * PERIODS + 1)
    tip = system.parts["beam"].body.modal.nodes["tip"].Phi  # type: ignore[attr-defined]
    start = np.zeros(MODES)
    for axis, size in ((1, 1.0), (2, 0.5)):
        mode = int(np.argmax(np.abs(tip[axis, :2])))
        start[mode] = size * p["amplitude"] * p["length"] / tip[axis, mode]
    return system.simulate(
        float(times[-1]), initial={"beam.modes": start}, method="dop853", rtol=1e-10, atol=1e-12, formulation=formulation,
        speeds=speeds, times=times,
    )  # fmt: skip


def at_rest(count: int) -> np.ndarray:
    """Frequencies without spin over sqrt(EI/(m L^4)): cos b cosh b = 1."""
    law = lambda b: np.cos(b) - 1 / np.cosh(b)
    return np.array([brentq(law, np.pi * (k + 0.9), np.pi * (k + 2.1), xtol=1e-14) ** 2 for k in range(count)])


def spinning(p: Parameters, across: bool) -> np.ndarray:
    """Frequencies of the first two even motions of (1), rad/s, by even Legendre polynomials of degree 2 to 16."""
    x, weight = legendre.leggauss(40)
    basis = [legendre.Legendre.basis(k) for k in range(2, 18, 2)]
    value, slope, curve = (np.array([b.deriv(k)(x) if k else b(x) for b in basis]) for k in (0, 1, 2))
    W2 = (rate(p) / unit(p)) ** 2  # lengths of L/2 each way: d/dx gets a factor of 2
    M = (value * weight) @ value.T
    K = 16 * (curve * weight) @ curve.T + W2 * 4 * (slope * weight * (1 - x**2) / 8) @ slope.T
    squares = eigh(K, M, eigvals_only=True)[:2] - (0.0 if across else W2)
    return np.asarray(unit(p) * np.sqrt(squares))


def measured(run: Run, axis: int) -> float:
    """Frequency of the tip's deflection, from its zeros; the second-order shortening is along x."""
    zeros = CubicSpline(run.t, run["beam.tip.deflection"][:, axis]).roots(extrapolate=False)
    return float(np.pi / np.diff(zeros).mean())


def _linear(p: Parameters) -> np.ndarray:
    """Frequencies of the linear model, rad/s, the spin held by a joint: even motions do not feel it."""
    system, beam = System("held beam"), _beam(p["length"], p["EI"], p["mass_per_length"])
    system.add("beam", beam, Revolute("z", motion=profiles.constant_rate(rate(p))), hinge=(p["length"] / 2, 0, 0))
    return np.array([mode.frequency for mode in system.modes(system.state())])


def _rolling(p: Parameters, speeds: str) -> np.ndarray:
    """Frequencies of the linear model of the beam that spins about its own axis, rad/s, of the first two pairs of modes."""
    system, beam = System("rolling beam"), _beam(p["length"], p["EI"], p["mass_per_length"])
    system.add("beam", beam, Revolute("x", motion=profiles.constant_rate(rate(p))), hinge=(p["length"] / 2, 0, 0))
    return np.sort([mode.frequency for mode in system.modes(system.state(), speeds=speeds)])[:4]


def checks(run: Run, p: Parameters) -> list[Check]:
    """Frequencies at rest and spinning, by the linear model and by the run; momenta; the other speeds."""
    still = build({**p, "spin": 0.0})
    modes = np.array([m.frequency for m in still.modes(still.state()) if m.frequency > 0.1 * unit(p)])[::2][:3]
    source, wanted = "closed form: cos b cosh b = 1", unit(p) * at_rest(3)
    found = [worst("at rest, rad/s", [f"pair {k}" for k in (1, 2, 3)], modes, wanted, 1e-4 * wanted, source)]
    linear = _linear(p)
    for name, axis, across in (("in the plane", 1, False), ("across it", 2, True)):
        exact = float(spinning(p, across)[0])
        nearest = float(linear[np.argmin(np.abs(linear - exact))])
        label = f"spinning, {name}, linear model, rad/s"
        found.append(Check(label, nearest, exact, 1e-4 * exact, "Ritz's method with polynomials, (1)"))
        label = f"spinning, {name}, from zeros of the run, rad/s"
        lost = 0.0 if across else lost_stiffness(run, "beam") * (unit(p) * at_rest(1)[0]) ** 2 / (2 * exact)
        found.append(Check(label, measured(run, axis), exact, 1e-3 * exact + lost, "Ritz's method with polynomials, (1)"))
    own = np.sort(np.abs(np.add.outer(unit(p) * at_rest(2), [-rate(p), rate(p)])).ravel())
    names = [f"whirl {k}" for k in range(1, 5)]
    label = "spinning about its own axis, rad/s"
    found.append(worst(label, names, _rolling(p, run.plan.speeds), own, 1e-4 * own.max(), "closed form: w - W, w + W"))
    momentum = run["momentum.angular"]
    start = p["mass_per_length"] * p["length"] ** 3 / 12 * rate(p)
    drift = float(np.abs(momentum - momentum[0]).max())
    share = 20 * p["amplitude"] ** 2  # deflections change the inertia by their square
    allowed = share * start + 1e-12
    return [
        *found,
        Check(
            "angular momentum about the spin axis, N m s", float(momentum[0, 2]), start, allowed, "closed form: m L^3 W/12"
        ),
        Check("change of the angular momentum, N m s", drift, 0.0, 1e-12 * start + 1e-12, "identity: no torque"),
        Check(
            "way of the mass centre, m",
            float(np.abs(run["mass_centre.position"]).max()),
            0.0,
            1e-12 * p["length"],
            "identity: no force",
        ),
        balance(run, 1e-11 if p["spin"] else 1e-8),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Frequencies over the spin, the tip's deflections, and the difference that efficient speeds make."""
    picture, axes = panels(1, 3, size=(11.4, 3.8))
    spins = np.linspace(0, 1.5, 40)
    for colour, name, across in ((COLOURS[0], "in the plane", False), (COLOURS[1], "across it", True)):
        curves = np.array([spinning({**p, "spin": s}, across)[0] for s in spins]) / unit(p)
        axes[0].plot(spins, curves, color=colour, label=f"{name}, (1)")
    axes[0].plot(p["spin"], measured(run, 1) / unit(p), "o", color=COLOURS[0], label="run")
    axes[0].plot(p["spin"], measured(run, 2) / unit(p), "o", color=COLOURS[1])
    axes[0].set(xlabel="spin / first frequency", ylabel=r"frequency, $\sqrt{EI/(mL^4)}$")
    legend(axes[0], loc="upper left")
    for axis, name in ((1, "in the plane"), (2, "across it")):
        axes[1].plot(run.t, 1e3 * run["beam.tip.deflection"][:, axis], color=COLOURS[axis - 1], label=name)
    axes[1].set(xlabel="time, s", ylabel="deflection of an end, mm")
    axes[1].margins(y=0.2)
    legend(axes[1], loc="upper right", ncols=2)
    spins, off = np.array([0.02, 0.05, 0.1, 0.2]), []
    for spin in spins:
        q = {**p, "spin": float(spin)}
        pair = [simulate(build(q), q, speeds=s)["beam.modes"] for s in ("customary", "constant-mass")]
        off.append(np.abs(pair[1] - pair[0]).max() / np.abs(pair[0]).max())
    axes[2].loglog(spins, off, "o-", color=COLOURS[4], label="efficient less customary speeds")
    axes[2].loglog(spins, off[-1] * (spins / spins[-1]) ** 2, ":", color=GREY, label="spin squared")
    axes[2].minorticks_off()
    axes[2].set(xticks=spins, xticklabels=[f"{x:g}" for x in spins])
    axes[2].set(xlabel="spin / first frequency", ylabel="difference of the modes, relative")
    legend(axes[2], loc="upper left")
    axes[2].margins(0.1)
    title(picture, "Free-flying beam that spins")
    return picture


EXAMPLE = Example(
    name="free-beam",
    title="Free-flying flexible beam that spins, by customary and by efficient speeds (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="appendix A",
    source="stand-in for appendix A; Ritz's method with polynomials",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
