"""The beam of 10 m that is brought to speed, by rods and springs, beside the same beam by modes.

Sources: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapter 10 (rods and springs, implicit steps in the
order-n elimination); T. R. Kane, R. R. Ryan, A. K. Banerjee, J. Guidance 10 (1987) 139-151 and J. C. Simo, L. Vu-Quoc, CMAME
66 (1988) 125-161 for the manoeuvre and the beam: EI = 1.4e4 N m^2, EA = 2.8e7 N, 1.2 kg/m, to 6 rad/s in 15 s.

A chain of n rods with springs EI/l, at the root 2 EI/l, has no second-order displacement to forget: stiffening is in its
kinematics. Its highest frequency grows like n^2, where the motion takes seconds. Linearly implicit steps along the chain
follow the motion alone: as many for 100 rods as for 20. The error of the chain is of order 2,

    v(n) = v + c/n^2 ,                                                                                               (1)

of order 1 with a whole spring EI/l at the root, which stands for half a rod too much. The moment at the root, what the hub's
torque leaves over its own inertia, comes with the motion.

References: a geometrically exact beam (Reissner) by finite elements, apart; the largest deflection of 5, 10 and 20 rods by
another program (planar, in absolute angles); and the modes of this package, run beside. Units: SI, rad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import stretching_beam
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, sample, title, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import JointSpring
from kaneflex.model.joints import Revolute
from kaneflex.model.rods.rod import Rod
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"n": 20}
LENGTH, LINE_MASS, BENDING, RATE, TIME = 10.0, 1.2, 1.4e4, 6.0, 15.0

#: Tip deflection at times, s and m, and its peak, of the geometrically exact beam.
MARKS = (2.5, 5.0, 7.5, 10.0, 12.5, 15.0)
EXACT, PEAK = (-0.15128, -0.46848, -0.5591, -0.3628, -0.1127, 0.0013), -0.5738

#: Largest deflection, m, of chains of rods by another program.
CHAINS = {5: -0.59808, 10: -0.57980, 20: -0.57525}
WHOLE = {10: -0.6965, 20: -0.6347}  # with EI/l at the root

#: Moment at the root, N m, of the exact beam at `MARKS`.
MOMENTS = (77.14, 243.07, 319.98, 240.78, 81.70, -0.97)

RATIOS = (0.02, 0.01, 0.03)  # of the three lowest modes of a chain that is damped by modes


def build(p: Parameters, whole_spring: bool = False) -> System:
    """A hub that turns about z as prescribed, and the chain along its x axis, with half a spring or a whole one."""
    if p["n"] < 1:
        raise ModelError(f"n is {p['n']}: give at least 1 rod")
    system = System("rod spin-up")
    system.add("hub", Rigid(1.0, inertia=(1, 1, 1)), Revolute("z", motion=profiles.spin_up(rate=RATE, time=TIME)))
    root = "pinned" if whole_spring else "clamped"
    system.add_rod("beam", Rod(LENGTH, LINE_MASS, BENDING, n=p["n"], plane="xy"), parent="hub", root=root)
    if whole_spring:
        system.apply("root", JointSpring("beam_1", stiffness=BENDING * p["n"] / LENGTH))
    system.show("hub", drum(0.4, 0.9))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """A fifth longer than the ramp, every 0.05 s, by linearly implicit steps."""
    return system.simulate(
        1.2 * TIME, method="ros34pw2", rtol=1e-5, atol=1e-7, output=0.05, formulation=formulation, speeds=speeds
    )


def deflection(run: Run) -> np.ndarray:
    """Of the tip across the line that the hub carries, m."""
    tip, hub = run["beam.tip.position"], run["hub.rotation"]
    return np.einsum("nij,ni->nj", hub, tip)[:, 1]


def checks(run: Run, p: Parameters) -> list[Check]:
    """The table of the exact beam, other chains, order 2 in n, modes beside, steps that do not grow."""
    v, found = deflection(run), [balance(run, 5e-4)]
    source = "exact beam by finite elements, apart"
    if p["n"] >= 20:
        values = [v[sample(run, t)] for t in MARKS]
        allowed = 0.004 * abs(PEAK)  # of order 1/n^2
        found.append(worst("tip deflection, m", [f"at {t:g} s" for t in MARKS], values, EXACT, allowed, source))
        found.append(Check("largest tip deflection, m", float(v.min()), PEAK, allowed, source))
        at = [sample(run, t) for t in MARKS]
        moments, names = run["hub.drive"][at] - run["hub.alpha"][at, 2], [f"at {t:g} s" for t in MARKS]
        found.append(worst("moment at the root, N m", names, moments, MOMENTS, 1e-3 * max(MOMENTS), source))
    if p["n"] != DEFAULTS["n"]:
        return found
    peaks, steps = {p["n"]: float(v.min())}, {p["n"]: run.statistics["steps"]}
    for n in (5, 10, 100):
        other = simulate(build({"n": n}), {"n": n})
        peaks[n], steps[n] = float(deflection(other).min()), other.statistics["steps"]
    names = [f"{n} rods" for n in CHAINS]
    source = "rods and springs by another program"
    found.append(worst("largest tip deflection, m", names, [peaks[n] for n in CHAINS], list(CHAINS.values()), 3e-5, source))
    whole = [float(deflection(simulate(build({"n": n}, True), {"n": n})).min()) for n in WHOLE]
    names = [f"{n} rods" for n in WHOLE]
    found.append(worst("largest with EI/l at the root, m", names, whole, list(WHOLE.values()), 5e-5, source))
    order = np.log2((peaks[5] - peaks[100]) / (peaks[10] - peaks[100]))
    found.append(Check("order of convergence in n", float(order), 2.0, 0.1, "(1)"))
    found.append(
        Check("steps for 100 rods over those for 20", steps[100] / steps[20], 1.0, 0.1, "(1): the motion is the same")
    )
    modes = by_modes(run)
    k = int(np.argmax(np.abs(v - modes)))
    name = f"tip deflection where it differs most from modes, t = {run.t[k]:.4g} s, m"
    found.append(Check(name, float(v[k]), float(modes[k]), 0.006 * abs(PEAK), "six modes of this package, run beside"))
    return found + _damped()


def _damped() -> list[Check]:
    """The chain at rest, each of its three lowest modes with a ratio of its own, and its swing from a bent start."""
    system = System("damped by modes")
    system.add_rod("beam", Rod(LENGTH, LINE_MASS, BENDING, n=10, plane="xy", damping_ratio=RATIOS))
    values = system.linearize().eigenvalues()
    lowest = sorted(values[values.imag > 0], key=abs)[: len(RATIOS)]
    names, source = [f"mode {k + 1}" for k in range(len(RATIOS))], "what was asked for"
    swing = system.simulate(2.0, initial={"beam_1.q": 0.05}, method="ros34pw2", rtol=1e-7, atol=1e-9)
    return [
        worst("damping ratios by modes", names, [-s.real / abs(s) for s in lowest], RATIOS, 1e-9, source),
        Check("damped swing: energy balance, relative", swing.audit.energy_drift, 0.0, 5e-7, "identity: energy and work"),
    ]


def by_modes(run: Run) -> np.ndarray:
    """Tip deflection of the same beam by six modes, m."""
    system = System("by modes")
    system.add("hub", Rigid(1.0, inertia=(1, 1, 1)), Revolute("z", motion=profiles.spin_up(rate=RATE, time=TIME)))
    system.add("beam", stretching_beam("SVQ", 6, True), parent="hub")
    return np.asarray(system.simulate(float(run.t[-1]), times=run.t)["beam.tip.deflection"][:, 1])


def figure(run: Run, p: Parameters) -> Figure:
    """Tip deflection beside modes and the exact beam; moment along the rod."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.0), width_ratios=(1.4, 1))
    left.plot(run.t, deflection(run), label=f"{p['n']} rods")
    left.plot(run.t, by_modes(run), ":", color="#111827", linewidth=1.2, label="six modes")
    left.plot(MARKS, EXACT, "o", color=GREY, mfc="white", ms=5, label="exact beam")
    left.set(xlabel="time, s", ylabel="tip deflection across, m")
    legend(left, loc="lower right")
    arc = np.linspace(0, LENGTH, p["n"], endpoint=False)
    for n, t in enumerate((2.5, 5.0, 7.5, 10.0)):
        moment = np.reshape(run["beam.moment"][sample(run, t)], -1)
        right.plot(arc, moment, color=COLOURS[n], label=f"{t:g} s")
    right.set(xlabel="along the beam, m", ylabel="bending moment, N m")
    legend(right, loc="lower right")
    title(picture, "Spin-up to 6 rad/s by rods and springs")
    return picture


EXAMPLE = Example(
    name="rod-spin-up",
    title="Beam brought to speed, by rods and springs beside modes",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 10",
    source="Banerjee (2016); Kane, Ryan and Banerjee (1987); Simo and Vu-Quoc (1988)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
