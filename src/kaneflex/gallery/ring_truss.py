"""A ring truss unfolds, latches and rings: the rim of a mesh antenna, a closed ring of parallelograms.

Source: rims of deployable mesh antennas (hoops of parallelograms, synchronised at the battens); closed form derived here.

n bays, each two longerons of length l and mass m_l between upright battens of mass m_b; the longerons make the angle t with
the horizontal, up in one bay and down in the next; closed cables over drums, or gears, make all angles one. Free in space
and at rest, the ring keeps its centre, and its battens move along radii and up or down. With
r = l/(2 sin(pi/n)), c = l/(2 tan(pi/n)), J that of a longeron,

    T = M t'^2/2 ,   M = n m_b (r^2 sin^2 t + (l/2)^2 cos^2 t) + 2 n (m_l c^2 sin^2 t + J) ,                         (1)
    M t'' + M' t'^2/2 = -n k (t + t_p) - n (k_l t + d_l t') ,                                                        (2)

k and t_p being stiffness and preload of the torsion springs, one in each bay. Latches with stiffness k_l and damping
d_l close when t = 0; until then they do not act. From rest at t_0 the rate when they close follows from the energy of
the springs, and the time to unfold is a quadrature. Freedoms: with 3 n + 5 speeds and 6 n + 4 equations Gruebler's
count is 1 - 3 n, but all hinges of a bay are parallel and the ring is regular: seven are left, six of them in space.
Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp

from kaneflex.builders import latch, ring_truss
from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title, unfolding_time
from kaneflex.plan.plan import Event
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "bays": 12, "length": 1.0, "height": 0.6, "batten_mass": 0.4, "longeron_mass": 0.3, "start": 1.4,
    "stiffness": 0.2, "preload": 0.3, "latch": 400.0, "damping": 2.0,
}  # fmt: skip
AFTER = 1.0  # s that are seen after the latches have closed


def build(p: Parameters) -> System:
    """The ring, folded and at rest."""
    return ring_truss(
        p["bays"], length=p["length"], height=p["height"], batten_mass=p["batten_mass"], longeron_mass=p["longeron_mass"],
        angle=p["start"], stiffness=p["stiffness"], preload=p["preload"],
    )  # fmt: skip


def latches(p: Parameters) -> Event:
    """Springs and dampers that act from the instant of the unfolded ring on."""
    tops = [f"top{i}" for i in range(p["bays"])]
    return latch(tops, 0.0, stiffness=p["latch"], damping=p["damping"], direction=1, name="latches close")


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until a second after the latches have closed."""
    tight: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
    duration = unfolding(p)[0] + AFTER
    return system.simulate(
        duration, output=duration / 400, events=[latches(p)], formulation=formulation, speeds=speeds, **tight
    )


def mass(t: Any, p: Parameters) -> tuple[Any, Any]:
    """M of (1) and its derivative by t."""
    n, l = p["bays"], p["length"]
    r, c, J = l / (2 * math.sin(math.pi / n)), l / (2 * math.tan(math.pi / n)), p["longeron_mass"] * l**2 / 12
    rise = n * p["batten_mass"] * (r**2 - l**2 / 4) + 2 * n * p["longeron_mass"] * c**2
    return n * p["batten_mass"] * l**2 / 4 + 2 * n * J + rise * np.sin(t) ** 2, rise * np.sin(2 * t)


def unfolding(p: Parameters) -> tuple[float, float]:
    """Time until the latches close, and the rate of t then."""
    n, k, start, pre = p["bays"], p["stiffness"], p["start"], p["preload"]
    work = lambda t: n * k / 2 * (start - t) * (start + t + 2 * pre)
    time = unfolding_time(lambda t: float(mass(t, p)[0]), work, start, 0.0)
    return time, -math.sqrt(2 * work(0.0) / float(mass(0.0, p)[0]))


def ringing(times: np.ndarray, p: Parameters) -> np.ndarray:
    """t after the latches have closed by (2), integrated by SciPy."""
    n, begin, rate = p["bays"], *unfolding(p)

    def slope(_: float, y: np.ndarray) -> list[float]:
        M, M1 = mass(y[0], p)
        load = -n * (p["stiffness"] * (y[0] + p["preload"]) + p["latch"] * y[0] + p["damping"] * y[1])
        return [y[1], (load - M1 * y[1] ** 2 / 2) / M]

    found = solve_ivp(slope, (0.0, AFTER), [0.0, rate], "DOP853", t_eval=times - begin, rtol=1e-11, atol=1e-13)
    return np.asarray(found.y[0])


def checks(run: Run, p: Parameters) -> list[Check]:
    """When the latches close, the energy just before, the ringing after that, the loops, redundant equations and energy."""
    n, time = p["bays"], unfolding(p)[0]
    latched = [t for t, name in run.events if name == "latches close"][:1]
    after = run.t > time + 1e-6
    angle, k = -run["top0.q"], int(np.argmax(after)) - 1
    ring = float(np.abs(angle[after] - ringing(run.t[after], p)).max())
    springs = n * p["stiffness"] / 2 * ((p["start"] + p["preload"]) ** 2 - (angle[k] + p["preload"]) ** 2)
    ends = (f"top{n - 1}.tip", "batten0.top_in"), (f"bottom{n // 2}.tip", f"batten{n // 2 + 1}.bottom_in")
    gap = max(float(np.abs(run[f"{a}.position"] - run[f"{b}.position"]).max()) for a, b in ends)
    redundant = len(run.assembly.redundant) if run.assembly is not None else 0
    source = "closed form: quadrature of (1)"
    return [
        Check("latches close at, s", latched[0] if latched else math.nan, time, 1e-10 * time, source),
        Check(
            "kinetic energy before that, J", float(run["energy.kinetic"][k]), springs, 1e-9 * springs, "energy of springs"
        ),
        Check("ringing, largest difference, rad", ring, 0.0, 1e-11 * n, "(2), integrated by SciPy"),
        Check("gap of the loops, m", gap, 0.0, 1e-14 * n**2 * p["length"], "identity: the loops stay closed"),
        Check("redundant equations", float(redundant), 3.0 * n + 6, 0.5, "identity: 6 n + 4 equations leave 7 of 3 n + 5"),
        balance(run, 1e-8),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Angle and energies over time, and the ring from above as it unfolds."""
    picture, axes = panels(2, 2, size=(9.6, 5.2), width_ratios=(1.4, 1))
    top, bottom = axes[:, 0]
    for ax in axes[:, 1]:
        ax.remove()
    time = unfolding(p)[0]
    top.plot(run.t, -run["top0.q"], label="angle of the longerons")
    after = run.t > time + 1e-6
    some = np.flatnonzero(after)[::4]
    top.plot(run.t[some], ringing(run.t[some], p), "o", color=GREY, mfc="white", ms=4, label="one freedom, SciPy")
    bottom.plot(run.t, run["energy.kinetic"], label="kinetic")
    bottom.plot(run.t, run["energy.total"], color=COLOURS[1], label="total")
    top.set(ylabel="angle, rad", xticklabels=[])
    bottom.set(xlabel="time, s", ylabel="energy, J")
    for ax in (top, bottom):
        ax.axvline(time, color=GREY, lw=0.8, ls=":")
        legend(ax, loc="upper right")
    plan = picture.add_subplot(axes[0, 1].get_gridspec()[:, 1])
    stages = np.searchsorted(run.t, np.array([0.0, 0.55, 0.8, 1.0]) * time)
    for m, k in enumerate(stages):
        corners = np.array([run[f"batten{i % p['bays']}.position"][k, :2] for i in range(p["bays"] + 1)])
        plan.plot(*corners.T, "-o", color=COLOURS[0], alpha=0.25 + 0.25 * m, ms=3)
    plan.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    title(picture, "Ring truss: unfolds, latches, rings")
    return picture


EXAMPLE = Example(
    name="ring-truss",
    title="Ring truss of an antenna: a closed ring of loops unfolds, latches and rings",
    document="Hu, Guan and Hou, fully Cartesian coordinates",
    chapter="large structures",
    source="hoops of parallelograms; closed form derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
