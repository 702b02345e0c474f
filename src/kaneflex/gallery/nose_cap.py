"""A nose cap that has left its rails tips over, and its rim strikes and slides along a parachute package.

Source: A. K. Banerjee, Flexible Multibody Dynamics: Efficient Formulations and Applications, appendix 2.A (sliding impact
of a nose cap with a package of parachute); generalized impulse and momentum as in Kane and Levinson. Stand-in data.

In the axes of the booster, which moves uniformly; x forward along the rails, no gravity. The cap (150 kg, central
inertias 60, 45, 48 kg m^2 along its axes) has its mass centre at the origin when it leaves the rails. The pusher's work
W = 48 J has given it sqrt(2 W/m) = 0.8 m/s forward; it drifts at 0.4 and 0.1 m/s along y and z and has a tip-off rate of
3.5 rad/s about y; its rim is at (-0.1, 0.3, -1) m. The package (320 kg; 40, 70, 65 kg m^2) is free and at rest, its mass
centre at (-1.1, 0.1, -0.6) m; its face passes 0.6 m ahead of that, with the normal n = (cos s, -sin s sin k, sin s cos k),
s = 0.25 and k = 0.4 rad. Up to the impact the cap turns about a principal axis, and the rim reaches the face when

    n.(v t + R_y(3.5 t) rim - face) = 0.                                                                          (1)

With v the velocity of the rim relative to the package, P the impulse on the cap and r from a mass centre to the rim,

    v+ = v + K P ,   K = sum of both bodies' 1/m - r~ I^-1 r~.                                                    (2)

With restitution e and friction mu the rim slips on along t, the unit vector of its tangential velocity, and

    P = J (n - mu t) ,   J = -(1 + e) v.n/(n.K n - mu n.K t) ;                                                     (3)

if that would reverse the slip it sticks, P = -K^-1 (v + e (v.n) n). Always the energy lost is -P.(v + v+)/2: nothing for
e = 1 and mu = 0, (v.n)^2/(2 n.K n) for e = mu = 0. Units: SI, rad.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, lathed, legend, panels, solid, title, unchanged, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.contacts import Contact
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "mass": 150.0, "work": 48.0, "drift": 0.4, "tip_off": 3.5, "package_mass": 320.0,
    "slope": 0.25, "skew": 0.4, "restitution": 0.4, "friction": 0.2,
}  # fmt: skip
DURATION = 0.4
INERTIA, PACKAGE_INERTIA = (60.0, 45.0, 48.0), (40.0, 70.0, 65.0)
RIM, PACKAGE, FACE = np.array([-0.1, 0.3, -1.0]), np.array([-1.1, 0.1, -0.6]), np.array([0.6, 0.0, 0.0])
RISE = 0.1  # drift along z, m/s
TOLERANCES: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}

#: Time of the impact, impulse on the cap, energy lost, velocities of cap and package afterwards (linear, angular), by an
#: independent program.
TIME = 0.126030004727
IMPULSE = (89.301809254, -10.212131041, 2.970742266)
LOST = 77.158793341
AFTER = (
    (1.395345395, 0.331919126, 0.119804948, -0.172392902, 1.824349486, -0.444450827),
    (-0.279068154, 0.031912910, -0.009283570, 0.044968576, 0.346643649, 0.451412264),
)


def normal(p: Parameters) -> np.ndarray:
    """Of the package's face, outward."""
    s, c = math.sin(p["slope"]), math.cos(p["slope"])
    return np.array([c, -s * math.sin(p["skew"]), s * math.cos(p["skew"])])


def launch(p: Parameters) -> np.ndarray:
    """Velocity of the cap's mass centre when it leaves the rails, m/s."""
    if p["work"] < 0:
        raise ModelError(f"work of the pusher is {p['work']:g} J: it must not be negative")
    return np.array([math.sqrt(2 * p["work"] / p["mass"]), p["drift"], RISE])


def build(p: Parameters) -> System:
    """Cap and package, both free; the origin of each is its mass centre."""
    system = System("nose cap")
    cap = Rigid(p["mass"], inertia=INERTIA, frames={"rim": tuple(RIM)})
    face = Frame(tuple(FACE), (("x", p["skew"]), ("y", math.pi / 2 - p["slope"])))
    system.add("cap", cap, Free(), rates=(*launch(p), 0, p["tip_off"], 0))
    package = Rigid(p["package_mass"], inertia=PACKAGE_INERTIA, frames={"face": face})
    system.add("package", package, Free(), q=(*PACKAGE, 1, 0, 0, 0))
    angle = np.linspace(0, math.pi / 2, 12)
    shell = np.column_stack([math.hypot(*RIM[1:]) * np.cos(angle), 1.3 * np.sin(angle)])  # its edge passes through the rim
    dome = lathed([(0, 0), *shell], position=(RIM[0], 0, 0), rotation=(("y", math.pi / 2),))
    system.show("cap", dome, Sphere(0.05, position=RIM, color="red"))
    system.show("package", Box((1.1, 1.1, 1.0), position=FACE - 0.5 * normal(p), rotation=face.rotation))
    law = {"restitution": p["restitution"], "friction": p["friction"]}
    system.contact("strike", Contact("cap.rim", on="package.face", **law))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Four tenths of a second, sampled every 2 ms."""
    return system.simulate(DURATION, output=0.002, formulation=formulation, speeds=speeds, **TOLERANCES)


def turned(p: Parameters, t: float) -> np.ndarray:
    """R of the cap at time t before the impact."""
    s, c = math.sin(p["tip_off"] * t), math.cos(p["tip_off"] * t)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def impact_time(p: Parameters) -> float:
    """The first root of (1), s."""
    from scipy.optimize import brentq

    n, v = normal(p), launch(p)

    def gap(t: float) -> float:

        return float(n @ (v * t + turned(p, t) @ RIM - PACKAGE - FACE))

    times = np.linspace(0.0, DURATION, 201)
    for t0, t1 in pairwise(times):
        if gap(t0) > 0 >= gap(t1):
            return float(brentq(gap, t0, t1, xtol=1e-15))
    raise ModelError(f"the rim does not reach the package within {DURATION:g} s")


class Strike:
    """The impact in closed form, (2) and (3).

    Args:
        p: parameters.

    Attributes:
        t: s. n: normal. K: matrix of (2). v, v_after: of the rim relative to the package, m/s. impulse: on the cap, N s.
        slips: whether the rim slips on. lost: energy, J. cap, package: (velocity, angular velocity) afterwards, six
        numbers in inertial axes. inertia: of the cap in inertial axes.
    """

    def __init__(self, p: Parameters):
        e, mu = p["restitution"], p["friction"]
        self.t, self.n = impact_time(p), normal(p)
        R, v0, w0 = turned(p, self.t), launch(p), np.array([0.0, p["tip_off"], 0.0])
        self.inertia = R @ np.diag(INERTIA) @ R.T
        arm = R @ RIM
        far = v0 * self.t + arm - PACKAGE
        inverses = np.linalg.inv(self.inertia), np.diag(1 / np.array(PACKAGE_INERTIA))
        self.K = sum(
            np.eye(3) / m - _cross(r) @ inverse @ _cross(r)
            for m, r, inverse in ((p["mass"], arm, inverses[0]), (p["package_mass"], far, inverses[1]))
        )
        n, K = self.n, self.K
        self.v = v0 + np.cross(w0, arm)
        slip = self.v - (self.v @ n) * n
        t = slip / np.linalg.norm(slip)
        P = -(1 + e) * (self.v @ n) / (n @ K @ (n - mu * t)) * (n - mu * t)
        self.slips = bool((self.v + K @ P) @ t > 0)
        if not self.slips:
            P = -np.linalg.solve(K, self.v + e * (self.v @ n) * n)
        self.impulse, self.v_after = P, self.v + K @ P
        self.lost = -float(P @ (self.v + self.v_after)) / 2
        self.cap = np.concatenate([v0 + P / p["mass"], w0 + inverses[0] @ np.cross(arm, P)])
        self.package = np.concatenate([-P / p["package_mass"], -inverses[1] @ np.cross(far, P)])


def _cross(r: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def _after(run: Run, strike: Strike) -> tuple[np.ndarray, np.ndarray]:
    """Velocities of cap and package just after the impact, from what each of them keeps in free flight up to the end."""
    found = []
    for body, J0, J in (("cap", INERTIA, strike.inertia), ("package", PACKAGE_INERTIA, np.diag(PACKAGE_INERTIA))):
        R, w = run[f"{body}.rotation"][-1], run[f"{body}.omega"][-1]
        found.append(np.concatenate([run[f"{body}.velocity"][-1], np.linalg.solve(J, R @ (np.array(J0) * w))]))
    return found[0], found[1]


def checks(run: Run, p: Parameters) -> list[Check]:
    """Time, impulse, velocities and energy of the impact, momentum, and other laws of impact."""
    strike = Strike(p)
    found = _impact(run, strike, "strike")
    if unchanged(p, DEFAULTS):
        source = "independent program, same law of impact"
        found.append(Check("time of the impact, s, printed", run.impacts[0].t, TIME, 1e-11, source))
        found.append(worst("impulse, N s, printed", "xyz", run.impacts[0].impulse, IMPULSE, 2e-8, source))
        names = [f"{body} {x}" for body in ("cap", "package") for x in ("vx", "vy", "vz", "wx", "wy", "wz")]
        found.append(worst("after, printed", names, _after(run, strike), AFTER, 2e-9, source))
        found.append(Check("energy lost, J, printed", -np.subtract(*run.impacts[0].energy[::-1]), LOST, 2e-8, source))
    o = run.trajectory.options
    for name, law in (
        ("elastic, smooth", {"restitution": 1.0, "friction": 0.0}),
        ("plastic, smooth", {"restitution": 0.0, "friction": 0.0}),
        ("rough", {"friction": 5.0}),
    ):
        q = {**p, **law}
        other = build(q).simulate(DURATION, output=DURATION, formulation=o.formulation, speeds=o.speeds, **TOLERANCES)
        found += _other(other, Strike(q), name)
    return found + _identities(run, strike, p)


def _impact(run: Run, strike: Strike, name: str) -> list[Check]:
    """A run's only impact against the closed form."""
    source = "closed form (2), (3)"
    hit, size = run.impacts[0], abs(strike.impulse[0])
    names = [f"{body} {x}" for body in ("cap", "package") for x in ("vx", "vy", "vz", "wx", "wy", "wz")]
    return [
        Check(f"{name}: impacts", float(len(run.impacts)), 1.0, 0.5, source),
        Check(f"{name}: time, s", hit.t, strike.t, 5e-12, "closed form (1)"),
        worst(f"{name}: impulse on the cap, N s", "xyz", hit.impulse, strike.impulse, 2e-11 * size, source),
        worst(f"{name}: velocities after", names, _after(run, strike), (strike.cap, strike.package), 5e-11, source),
        Check(f"{name}: energy lost, J", hit.energy[0] - hit.energy[1], strike.lost, 1e-11 * hit.energy[0], source),
    ]


def _other(run: Run, strike: Strike, name: str) -> list[Check]:
    """Another law of impact: what it loses, and how the rim moves along the face afterwards."""
    found = _impact(run, strike, name)[2:]
    hit, n = run.impacts[0], strike.n
    lost, tolerance = hit.energy[0] - hit.energy[1], 1e-11 * hit.energy[0]
    if name == "elastic, smooth":
        found.append(Check(f"{name}: energy is kept, J", lost, 0.0, tolerance, "identity: e = 1, mu = 0"))
    elif name == "plastic, smooth":
        wanted = float((strike.v @ n) ** 2 / (2 * n @ strike.K @ n))
        found.append(Check(f"{name}: energy lost, J, along n", lost, wanted, tolerance, "closed form: (v.n)^2/(2 n.K n)"))
    else:
        v = strike.v + strike.K @ np.array(hit.impulse)
        slip = float(np.linalg.norm(v - (v @ n) * n))
        found.append(Check(f"{name}: slip after, m/s", slip, 0.0, 2e-11, "identity: the rim sticks"))
    return found


def _identities(run: Run, strike: Strike, p: Parameters) -> list[Check]:
    """Both momenta over the run and across the impact, restitution, energy."""
    hit = run.impacts[0]
    P, H = run["momentum.linear"], run["momentum.angular"]
    jump = np.abs(np.subtract(*hit.linear_momentum)).max() + np.abs(np.subtract(*hit.angular_momentum)).max()
    v = strike.v + strike.K @ np.array(hit.impulse)
    scale = float(np.linalg.norm(P[0]))
    e = float(-(v @ strike.n) / (strike.v @ strike.n))
    turning = float(np.abs(H - H[0]).max())
    return [
        Check("change of linear momentum, kg m/s", float(np.abs(P - P[0]).max()), 0.0, 1e-9 * scale, "identity: no force"),
        Check("change of angular momentum, kg m^2/s", turning, 0.0, 5e-10 * scale, "identity: no moment"),
        Check("change of both momenta in the impact", float(jump), 0.0, 1e-12 * scale, "identity: impulses are opposite"),
        Check("rebound over approach speed", e, p["restitution"], 2e-11, "identity: Newton's restitution"),
        balance(run, 1e-9),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Velocity and energy over time; the path of the rim and the two bodies in space."""
    picture, axes = panels(2, 2, size=(9.4, 4.8), width_ratios=(1.3, 1))
    top, bottom = axes[:, 0]
    v, hit = run["cap.rim.velocity"], run.impacts[0]
    for k, axis in enumerate("xyz"):
        top.plot(run.t, v[:, k], color=COLOURS[k], label=f"rim {axis}")
    top.set(ylabel="velocity, m/s", xticklabels=[])
    bottom.plot(run.t, run["energy.kinetic"], color=COLOURS[4], label="both bodies")
    bottom.plot(hit.t, hit.energy[0] - Strike(p).lost, "o", color=COLOURS[4], mfc="white", ms=5, label="closed form, after")
    bottom.set(xlabel="time, s", ylabel="kinetic energy, J")
    for ax in (top, bottom):
        ax.axvline(hit.t, color=GREY, linestyle=":", linewidth=1)
        ax.margins(y=0.22)
        legend(ax, loc="upper right", ncols=3, borderaxespad=0.1)
    for ax in axes[:, 1]:
        ax.remove()
    _draw(picture.add_subplot(axes[0, 1].get_gridspec()[:, 1], projection="3d"), run)
    title(picture, "Nose cap and parachute package: a sliding impact")
    return picture


def _draw(ax: Any, run: Run) -> None:
    """The cap's rim circle and apex and the package's face at the start, at the impact and at the end."""
    solid(ax)
    t = run.impacts[0].t
    angle = np.linspace(0, 2 * math.pi, 61)
    radius = math.hypot(RIM[1], RIM[2])
    rim = np.array([np.full_like(angle, RIM[0]), radius * np.cos(angle), radius * np.sin(angle)])
    square = 0.45 * np.array([[-1, 1, 1, -1, -1], [-1, -1, 1, 1, -1], [0, 0, 0, 0, 0]])
    for k, label in ((0, "start"), (int(np.searchsorted(run.t, t)), "impact"), (len(run.t) - 1, "end")):
        colour = COLOURS[("start", "impact", "end").index(label)]
        R, c = run["cap.rotation"][k], run["cap.position"][k][:, None]
        ax.plot(*(c + R @ rim), color=colour, linewidth=1.5, label=label)
        for j in range(0, 60, 10):
            ax.plot(*(c + R @ np.column_stack([rim[:, j], [0.9, 0, 0]])), color=colour, linewidth=0.5)
        face = run["package.face.position"][k][:, None] + run["package.face.rotation"][k] @ square
        ax.plot(*face, color=colour, linewidth=1.0)
    ax.plot(*run["cap.rim.position"].T, color="#111827", linewidth=1.4, label="path of the rim")
    ax.set(xlabel="x, m", ylabel="y, m", zlabel="z, m")
    ax.tick_params(labelsize="x-small")
    ax.set_box_aspect((1.3, 1, 1), zoom=0.84)
    ax.locator_params(nbins=5)
    ax.view_init(18, -72)
    legend(ax, loc="upper left")


EXAMPLE = Example(
    name="nose-cap",
    title="Nose cap that strikes and slides along a parachute package (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 2",
    source="Banerjee, Flexible Multibody Dynamics, appendix 2.A, with stand-in data",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
