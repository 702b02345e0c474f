"""A hanging chain of n uniform rods: its frequencies beside an assembled eigenproblem and beside the continuous chain.

Source: the n-fold compound pendulum; the continuous chain is D. Bernoulli's, see G. N. Watson, A Treatise on the Theory of
Bessel Functions, chapter 1.

The chain of length L and mass M hangs from a fixed point and consists of n equal thin rods, hinged in one plane. In the
absolute angles of the rods (i = 1 at the top), with m = M/n and l = L/n,

    M_ij = m l^2 (n - max(i, j) + 1/2) ,   M_ii = m l^2 (n - i + 1/3) ,   K_ii = m g l (n - i + 1/2)              (1)

For n -> infinity the frequencies are those of the continuous chain, j_0k/2 sqrt(g/L) with j_0k the zeros of J0; those of
the rods approach them with an error of order 1/n^2, so that (4 f(2n) - f(n))/3 is two orders better: relative errors of
about 0.015 (f_k/f_1)^6 / n^4 remain. The run lets the chain go at rest, stretched out straight at an angle. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eigh
from scipy.special import jn_zeros

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, balance, legend, panels, title, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"n": 20, "length": 2.0, "mass": 1.0, "gravity": 9.81, "angle": 0.5}
DURATION = 2.0


def build(p: Parameters) -> System:
    """The chain at rest, straight, at its angle from the vertical; x is down."""
    n = p["n"]
    if n < 1:
        raise ModelError(f"n is {n}: give at least one rod")
    m, l = p["mass"] / n, p["length"] / n
    rod = Rigid(m, com=(l / 2, 0, 0), inertia=(0, m * l**2 / 12, m * l**2 / 12), frames={"end": (l, 0, 0)})
    system = System("chain", gravity=(p["gravity"], 0, 0))
    above = system.add("rod1", rod, Revolute("z"), q=p["angle"])
    for k in range(2, n + 1):
        above = system.add(f"rod{k}", rod, Revolute("z"), parent=above, at="end", q=0.0)
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Two seconds, sampled every 10 ms."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-11, atol=1e-12, formulation=formulation, speeds=speeds, output=0.01
    )


def frequencies(p: Parameters) -> np.ndarray:
    """Circular frequencies by (1), assembled apart from the package."""
    n = p["n"]
    m, l = p["mass"] / n, p["length"] / n
    i = np.arange(1, n + 1)
    M = m * l**2 * (n - np.maximum.outer(i, i) + 0.5 - np.eye(n) / 6)
    K = m * p["gravity"] * l * np.diag(n - i + 0.5)
    return np.sqrt(eigh(K, M, eigvals_only=True))


def _modes(p: Parameters) -> np.ndarray:
    """Circular frequencies by the package, about the chain at rest."""
    system = build(p)
    hanging = system.state()
    hanging.q[:] = 0
    return np.array([m.frequency for m in system.modes(hanging)])


def checks(run: Run, p: Parameters) -> list[Check]:
    """Frequencies, their limit, energy, and the other formulation."""
    n, exact, found = p["n"], frequencies(p), _modes(p)
    names = [f"frequency {k}" for k in range(1, n + 1)]
    result = [
        worst("small motions, rad/s", names, found, exact, 1e-12 * exact.max(), "equations (1), assembled in this file")
    ]
    if n >= 8:
        result += _limit(p, found)
    scale = p["mass"] * p["gravity"] * p["length"]
    energy = -scale / 2 * math.cos(p["angle"])
    result.append(
        Check("energy at the end, J", run["energy.total"][-1], energy, 1e-12 * scale, "closed form: -M g L cos / 2")
    )
    result.append(balance(run, 2e-10))
    if n <= 60 and abs(p["angle"]) <= math.pi / 2:  # let go from higher up it whips, and rounding grows
        result.append(_other_formulation(run, p))
    return result


def _limit(p: Parameters, found: np.ndarray) -> list[Check]:
    """The first three frequencies, extrapolated from n and 2n rods, beside Bernoulli's."""
    finer = _modes({**p, "n": 2 * p["n"]})
    exact = jn_zeros(0, 3) / 2 * math.sqrt(p["gravity"] / p["length"])
    n = p["n"]
    order = math.log2((found[0] - exact[0]) / (finer[0] - exact[0]))
    source = "Bernoulli: j_0k/2 sqrt(g/L)"
    return [
        *(
            Check(
                f"continuous chain, frequency {k + 1}, rad/s",
                float((4 * finer[k] - found[k]) / 3),
                float(exact[k]),
                float(0.03 * exact[k] * (exact[k] / exact[0]) ** 6 / n**4),
                source,
            )
            for k in range(3)
        ),
        Check("order of the approach to the continuous chain", order, 2.0, 2 / n**2, "theory: error of order 1/n^2"),
    ]


def _other_formulation(run: Run, p: Parameters) -> Check:
    """The same motion by the other formulation, at the end of the run."""
    here = run.trajectory.options
    other = "dense" if here.formulation == "recursive" else "recursive"
    again = simulate(build(p), p, formulation=other, speeds=here.speeds)
    names = [f"q{k}" for k in range(1, p["n"] + 1)]
    source = "identity: recursive and dense are the same equations"
    return worst(f"angles at the end, {here.formulation} beside {other}", names, run.q[-1], again.q[-1], 1e-10, source)


def figure(run: Run, p: Parameters) -> Figure:
    """The chain at successive instants, and its frequencies beside the continuous chain's."""
    from matplotlib.collections import LineCollection

    picture, (left, right) = panels(1, 2, size=(9.4, 4.4), width_ratios=(1.35, 1))
    n = p["n"]
    ends = np.array([run[f"rod{k}.end.position"] for k in range(1, n + 1)])
    points = np.concatenate([np.zeros((1, *ends.shape[1:])), ends])[:, :, [1, 0]] * [1, -1]
    shown = np.arange(0, len(run.t), 5)
    lines = LineCollection([points[:, k] for k in shown], cmap="viridis_r", linewidths=1.1, array=run.t[shown])
    left.add_collection(lines)
    left.plot(*points[-1].T, color=COLOURS[1], linewidth=1.0, linestyle=":", label="path of the free end")
    left.set(xlabel="across, m", ylabel="up, m", aspect="equal")
    left.margins(0.05)
    picture.colorbar(lines, ax=left, label="time, s", shrink=0.85, pad=0.02)
    legend(left, loc="upper left")
    count = min(n, 12)
    k = np.arange(1, count + 1)
    right.plot(
        k, jn_zeros(0, count) / 2 * math.sqrt(p["gravity"] / p["length"]), "-", color=COLOURS[0], label="continuous chain"
    )
    right.plot(k, frequencies(p)[:count], "o", color=COLOURS[1], ms=5, label=f"{n} rods")
    right.set(xlabel="mode", ylabel="frequency, rad/s")
    right.margins(x=0.04)
    legend(right, loc="upper left")
    title(picture, f"Chain of {n} rods let go at {p['angle']:g} rad")
    return picture


EXAMPLE = Example(
    name="chain",
    title="Hanging chain of rods and its limit, the continuous chain",
    document="Classics",
    chapter="chains and arms",
    source="Bernoulli's hanging chain; Watson, Theory of Bessel Functions, chapter 1",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
