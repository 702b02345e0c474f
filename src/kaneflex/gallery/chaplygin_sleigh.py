"""Chaplygin's sleigh: a body on a horizontal plane, on a knife edge that lets it slide along itself only.

Source: S. A. Chaplygin (1911); Ju. I. Neimark and N. A. Fufaev, Dynamics of Nonholonomic Systems (1972). The solution below
was derived for this file.

The blade is along the body's x axis, the mass centre at a ahead of it. u is the blade's velocity along itself, w the rate
of turn, m the mass, I the central inertia and k^2 = (I + m a^2)/m. The blade's side force N does no work, yet it turns the
sleigh's momentum about:

    u' = a w^2 ,   k^2 w' = -a u w ,   N = m u w I/(I + m a^2).                                                    (1)

The energy m (u^2 + k^2 w^2)/2 = m V^2/2 is constant, and with l = a V/k^2

    u = V tanh l(t - t0) ,   k w = V sech l(t - t0) ,   heading = heading(t0) + (k/a) arcsin tanh l(t - t0).       (2)

Pushed backwards (u < 0) the sleigh stops at t0, where its path has a cusp, and goes on with its mass centre leading: the
system is conservative, and still it prefers a direction. From the start on it turns by (k/a) arccos(u(0)/V).

The model is a body on a `Planar` joint with a `KnifeEdge`. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.constraints import KnifeEdge
from kaneflex.model.joints import Planar
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"mass": 2.0, "inertia": 0.5, "ahead": 0.3, "speed": -1.5, "turn": 0.8}
DURATION = 8.0
TOLERANCES: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}


def build(p: Parameters) -> System:
    """The sleigh with its blade at the origin, along x, z up; the body's origin is its mass centre."""
    a = positive(p["ahead"], "ahead")
    if p["turn"] == 0:
        raise ModelError("turn is 0: the sleigh goes straight on; give a rate")
    system = System("chaplygin sleigh")
    body = Rigid(p["mass"], inertia=(p["inertia"] / 2, p["inertia"] / 2, p["inertia"]), frames={"blade": (-a, 0, 0)})
    system.add("sleigh", body, Planar("z"), q=(a, 0, 0), rates=(p["speed"], a * p["turn"], p["turn"]))
    balls = [Sphere(0.15 * a, position=(1.6 * a, y * a, 0.15 * a), color="grey") for y in (-0.8, 0.8)]
    blade = Box((a, 0.06 * a, 0.4 * a), position=(-a, 0, 0.2 * a), color="red")
    system.show("sleigh", Box((4 * a, 2.4 * a, 0.15 * a), position=(0, 0, 0.4 * a), opacity=0.4), blade, *balls)
    system.constrain("edge", KnifeEdge("sleigh.blade", on="N"))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Eight seconds, sampled every 20 ms."""
    return system.simulate(DURATION, output=0.02, formulation=formulation, speeds=speeds, **TOLERANCES)


def constants(p: Parameters) -> tuple[float, float, float, float]:
    """V (m/s), k (m), l (1/s) and t0 (s) of (2)."""
    k = math.sqrt(p["inertia"] / p["mass"] + p["ahead"] ** 2)
    V = math.hypot(p["speed"], k * p["turn"])
    l = p["ahead"] * V / k**2
    return V, k, l, -math.atanh(p["speed"] / V) / l


def exact(t: Any, p: Parameters) -> np.ndarray:
    """Rows (u, w, heading, N) at the times t by (2) and (1)."""
    V, k, l, t0 = constants(p)
    x = l * (np.asarray(t, float) - t0)
    side = math.copysign(1.0, p["turn"])
    u, w = V * np.tanh(x), side * V / k / np.cosh(x)
    heading = side * k / p["ahead"] * (np.arcsin(np.tanh(x)) - math.asin(p["speed"] / V))
    return np.stack([u, w, heading, u * w * p["inertia"] / k**2], axis=-1)


def path(t: Any, p: Parameters) -> np.ndarray:
    """Where the blade is at ascending times t: u (cos heading, sin heading) of (2) by Gauss quadrature in short pieces."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    ends = np.concatenate([[0.0], np.asarray(t, float)])
    half = np.diff(ends)[:, None] / 2
    u, _, heading, _ = np.moveaxis(exact(ends[:-1, None] + half * (1 + nodes), p), -1, 0)
    pieces = np.stack([(half * weights * u * f(heading)).sum(axis=1) for f in (np.cos, np.sin)], axis=-1)
    return np.cumsum(pieces, axis=0)


def _motion(run: Run) -> np.ndarray:
    """Rows (u, w, heading, N) of a run."""
    heading = run["sleigh.angle"]
    along = np.column_stack([np.cos(heading), np.sin(heading)])
    across = np.column_stack([-np.sin(heading), np.cos(heading)])
    u = (run["sleigh.blade.velocity"][:, :2] * along).sum(axis=1)
    N = (run.loads("edge").force[:, :2] * across).sum(axis=1)
    return np.column_stack([u, run["sleigh.rate"][:, 2], heading, N])


def checks(run: Run, p: Parameters) -> list[Check]:
    """Motion, side force and path at all samples, the cusp, the turn in the end, energy."""
    V, k, l, t0 = constants(p)
    found, y, wanted = [], _motion(run), exact(run.t, p)
    scales = (V, V / k, k / p["ahead"], p["mass"] * V**2 / k)
    labels = ("blade's velocity, m/s", "rate of turn, rad/s", "heading, rad", "side force, N")
    for j, (label, scale) in enumerate(zip(labels, scales, strict=True)):
        i = int(np.argmax(np.abs(y[:, j] - wanted[:, j])))
        source = "closed form (1)" if j == 3 else "closed form (2)"
        found.append(Check(f"{label}, worst sample", y[i, j], wanted[i, j], 1e-9 * scale, source))
    place, blade = path(run.t, p), run["sleigh.blade.position"][:, :2]
    at = int(np.argmax(np.abs(blade - place)))
    source = "closed form (2), by quadrature"
    found.append(Check("path of the blade, m, worst", blade.flat[at], place.flat[at], 1e-8, source))
    o = run.trajectory.options
    end = max(t0, 0.0) + 35 / l
    long = build(p).simulate(end, output=end, formulation=o.formulation, speeds=o.speeds, **TOLERANCES)
    turn = math.copysign(k / p["ahead"] * math.acos(p["speed"] / V), p["turn"])
    energy = p["mass"] * V**2 / 2
    side = np.abs(np.einsum("ki,ki->k", run["sleigh.blade.velocity"], run["sleigh.rotation"][:, :, 1])).max()
    return [
        *found,
        Check("heading in the end, rad", float(long["sleigh.angle"][-1]), turn, 1e-10 * abs(turn), "closed form (2)"),
        Check("speed in the end, m/s", float(_motion(long)[-1, 0]), V, 1e-10 * V, "closed form (2)"),
        Check("energy at the end, J", run["energy.total"][-1], energy, 1e-9 * energy, "closed form: m V^2/2"),
        Check("side slip of the blade, m/s", float(side), 0.0, 1e-12 * V, "identity: no velocity across the blade"),
        balance(run, 1e-9),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Velocity along the blade and rate of turn; side force; paths of the blade and of the mass centre."""
    picture, axes = panels(2, 2, size=(9.4, 4.8), width_ratios=(1.4, 1))
    top, bottom = axes[:, 0]
    y, wanted = _motion(run), exact(run.t, p)
    some = slice(0, None, max(1, len(run.t) // 12))
    for j, (label, colour) in enumerate(((r"velocity $u$, m/s", 0), (r"rate of turn $\omega$, rad/s", 2))):
        top.plot(run.t, y[:, j], color=COLOURS[colour], label=label)
        top.plot(run.t[some], wanted[some, j], "o", color=COLOURS[colour], mfc="white", ms=5)
    top.plot([], [], "o", color=GREY, mfc="white", ms=5, label="closed form")
    top.set(ylabel="u, m/s;  ω, rad/s", xticklabels=[])
    bottom.plot(run.t, y[:, 3], color=COLOURS[1], label="side force")
    bottom.plot(run.t[some], wanted[some, 3], "o", color=COLOURS[1], mfc="white", ms=5, label="closed form")
    bottom.set(xlabel="time, s", ylabel="side force on the blade, N")
    for ax in (top, bottom):
        ax.axhline(0, color=GREY, linewidth=0.8, linestyle=":")
        ax.margins(y=0.2)
        legend(ax, loc="lower right", ncols=3, borderaxespad=0.1)
    for ax in axes[:, 1]:
        ax.remove()
    _draw(picture.add_subplot(axes[0, 1].get_gridspec()[:, 1]), run, constants(p)[3])
    title(picture, "Chaplygin's sleigh, pushed backwards" if p["speed"] < 0 else "Chaplygin's sleigh")
    return picture


def _draw(ax: Any, run: Run, stop: float) -> None:
    """Paths from above up to twice the time of the cusp and a second, with blade and mass centre at a few instants."""
    last = int(np.searchsorted(run.t, 1.0 + 2 * max(stop, 0.5)))
    blade, centre = run["sleigh.blade.position"][:last], run["sleigh.position"][:last]
    for k in range(0, len(blade), max(1, len(blade) // 16)):
        ax.plot(*np.array([blade[k, :2], centre[k, :2]]).T, color="#111827", linewidth=1.2, alpha=0.6)
        ax.plot(*centre[k, :2], "o", color=COLOURS[2], ms=3)
    ax.plot(*blade[:, :2].T, color=COLOURS[0], linewidth=1.6, label="blade")
    ax.plot(*centre[:, :2].T, color=COLOURS[2], linewidth=1.0, label="mass centre")
    ax.plot(*blade[0, :2], "s", color=COLOURS[1], ms=5, label="start")
    ax.set(xlabel="x, m", ylabel="y, m", title="from above")
    ax.set_aspect("equal", adjustable="datalim")
    ax.title.set_fontsize("small")
    ax.spines[["top", "right"]].set_visible(False)
    legend(ax, loc="best")


EXAMPLE = Example(
    name="chaplygin-sleigh",
    title="Chaplygin's sleigh on its knife edge, against its closed form",
    document="Classics",
    chapter="rolling and sliding",
    source="Chaplygin (1911); Neimark and Fufaev, Dynamics of Nonholonomic Systems",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
