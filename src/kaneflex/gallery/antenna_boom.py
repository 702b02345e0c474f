"""An antenna boom that is extruded from a spacecraft which floats freely and spins.

Sources: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapter 11; T. R. Kane, A. K. Banerjee, Extrusion of a
Beam from a Rotating Base, J. Guidance 12 (1989) 140-146; A. K. Banerjee, J. Guidance 15 (1992) 121-127. Their data were
not found: a bus of 40 kg and 10 kg m^2 that spins at 0.4 rad/s stands in, with a boom of EI = 30 N m^2 and 0.2018806 kg/m.

The boom leaves a canister, an exit at e = 0.5 m on the bus's x axis, rod by rod; what is inside is mass in the exit. Nothing
acts from outside: linear and angular momentum stay through every release. With a stiff boom, m' its mass per length, L its
length, l what is outside, M and I_b those of the bus, the bus turns with

    W = W0 I(l0)/I(l) ,    I = I_b + S_2 - S_1^2/(M + m' L) ,                                              (1)

S_1 = m' [(L - l) e + l (e + l/2)], S_2 = m' [(L - l) e^2 + ((e + l)^3 - e^3)/3],

since the boom slides along the line on which the mass centres lie; so does a spacecraft that tumbles, by Euler's equations
with I about the axes across the boom: (I w)' + w x I w = 0. The flexible boom is bent by the load of Coriolis, 2 W l' per
mass, and swings; the bus answers, aside and in its angle.

Reference: the linear extruding beam, six modes of a cantilever of the present length, on a body that floats freely, computed
apart. Deployed from 1 m to 8 m in 14 s as l = 1 + 7 (p - sin(2 pi p)/(2 pi)), p = t/14 s, then left alone. Units: SI, rad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import quad, solve_ivp

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, sample, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free
from kaneflex.model.profiles import Profile
from kaneflex.model.rods.reel import Reel
from kaneflex.model.rods.rod import Rod
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"mass": 40.0, "inertia": 10.0, "spin": 0.4, "EI": 30.0, "n": 34}
LENGTH, LINE_MASS, EXIT, TIME, UNTIL = 8.5, 0.2018806, 0.5, 14.0, 20.0
WAY = profiles.smooth_step(7.0, TIME, initial=1.0)
VISCOUS = 1e-3  # s
STIFF, THIN = 3e4, 1e-3  # N m^2 and radius, m, of the boom that stands for a rigid line
TUMBLING = (0.15, 0.25, 0.4)  # rad/s
INERTIAS = (6.0, 14.0, 10.0)  # kg m^2, of the bus that tumbles

#: Time, s; deflection of the tip, place of the bus, m; angle of the bus, rad: linear extruding beam on a free body.
CONTINUUM = (
    (4, -0.004598, 0.023234, -0.029429, 1.579758),
    (6, -0.046320, 0.054963, -0.039077, 2.262873),
    (8, -0.091695, 0.107998, -0.038512, 2.726890),
    (10, -0.038853, 0.163480, -0.021115, 2.996518),
    (12, -0.010069, 0.193301, 0.007435, 3.186241),
    (14, 0.003112, 0.194401, 0.037317, 3.355683),
    (16, -0.001017, 0.185684, 0.065611, 3.525004),
    (18, -0.001204, 0.172331, 0.092041, 3.694014),
    (20, 0.003257, 0.154718, 0.115854, 3.862680),
)
NAMES = ("tip across, m", "bus along x, m", "bus along y, m", "angle of the bus, rad")
ROOM = np.array((0.7, 0.015, 0.004, 0.05))  # over n^2: how far rods are from the continuum


def across(p: Parameters, l: float, own: float) -> tuple[float, float]:
    """I of (1), kg m^2, `own` being that of the bus; and how far the mass centre of all is from the bus's, m."""
    inside = LENGTH - l
    first = LINE_MASS * (inside * EXIT + l * (EXIT + l / 2))
    second = LINE_MASS * (inside * EXIT**2 + ((EXIT + l) ** 3 - EXIT**3) / 3)
    whole = p["mass"] + LINE_MASS * LENGTH
    return float(own + second - first**2 / whole), float(first / whole)


def spacecraft(p: Parameters, inertia: Any, spin: Any, rod: Rod, way: Profile = WAY) -> System:
    """The bus with its boom, which is out by 1 m or as far as `way` says; the mass centre of all at rest."""
    at = np.array((across(p, 1.0, 0.0)[1], 0.0, 0.0))
    system = System("antenna boom")
    bus = Rigid(positive(p["mass"], "mass"), inertia=inertia)
    system.add("bus", bus, Free(), rates=(*-np.cross(spin, at), *spin))
    system.add_rod("boom", rod, parent="bus", at=Frame((EXIT, 0, 0)))
    system.add_feed("feed", rod="boom", out_of="bus", length=way, reel=Reel())
    system.show("bus", Box((2 * EXIT, 0.8, 0.8)))
    system.show("feed_store", Box((0.3, 0.3, 0.3)))
    return system


def build(p: Parameters, way: Profile = WAY) -> System:
    """In the plane."""
    if p["n"] < 4:
        raise ModelError(f"n is {p['n']}: give at least 4 rods")
    inertia = (positive(p["inertia"], "inertia"),) * 3
    rod = Rod(LENGTH, LINE_MASS, positive(p["EI"], "EI"), n=p["n"], plane="xy", damping=VISCOUS)
    return spacecraft(p, inertia, (0.0, 0.0, p["spin"]), rod, way)


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Deployment, and six seconds more."""
    how: dict[str, Any] = {"formulation": formulation, "speeds": speeds}
    return system.simulate(UNTIL, method="dopri5", rtol=1e-6, atol=1e-8, output=0.05, **how)


def motion(run: Run) -> np.ndarray:
    """Deflection of the tip in axes of the bus, m, place of the bus, m, and its angle, rad: (n, 4)."""
    R = run["bus.rotation"]
    tip = np.einsum("nij,ni->nj", R, run["boom.tip.position"] - run["bus.position"])[:, 1]
    return np.column_stack([tip, run["bus.position"][:, :2], np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))])


def checks(run: Run, p: Parameters) -> list[Check]:
    """Momentum, the continuum on a free body and its limit, and stiff booms by (1)."""
    H = run["momentum.angular"]
    lost = float(np.abs(H - H[0]).max() / abs(H[0, 2]))
    source = "identity: nothing acts from outside"
    found = [
        balance(run, 3e-8),
        Check("angular momentum, largest change, relative", lost, 0.0, 2e-11, source),
        Check("linear momentum, largest, N s", float(np.abs(run["momentum.linear"]).max()), 0.0, 1e-9, source),
    ]
    if unchanged(p, DEFAULTS, "n"):
        found += _beside_the_continuum(run, p)
    return [*found, _damped(p), _turned(p), _tumbling(p)]


def _beside_the_continuum(run: Run, p: Parameters) -> list[Check]:
    """At all times of the table, and the limit by half as many rods at 8 s."""
    table, source = np.array(CONTINUUM), "linear extruding beam on a free body, computed apart"
    at, found = [sample(run, t) for t in table[:, 0]], []
    values = motion(run)[at]
    for k, name in enumerate(NAMES):
        names, room = [f"at {t:g} s" for t in table[:, 0]], ROOM[k] / p["n"] ** 2 * 2
        found.append(worst(name, names, values[:, k], table[:, k + 1], room, source))
    coarse = {**p, "n": p["n"] // 2}
    half = motion(simulate(build(coarse), coarse))[at[2]]
    limit = (4 * values[2] - half) / 3
    allowed = 5e-3 * np.abs(table[2, 1:])
    return [*found, worst("limit of short rods at 8 s", NAMES, limit, table[2, 1:], allowed, source)]


def _damped(p: Parameters) -> Check:
    """Poles of the boom that is out and does not spin: a material that damps by its rate gives 2 z/w, the same to all."""
    system = build({**p, "spin": 0.0}, profiles.hold(8.0))
    poles = system.linearize(system.state()).eigenvalues()
    lowest = sorted(poles[poles.imag > 1e-3], key=np.imag)[:3]
    times = [-2 * pole.real / abs(pole) ** 2 for pole in lowest]
    names = [f"mode {k + 1}" for k in range(3)]
    return worst("boom out by 8 m: damping over frequency, s", names, times, [VISCOUS] * 3, 1e-9, "identity: 2 z/w")


def _turned(p: Parameters) -> Check:
    """The angle of the bus with a stiff boom at the end."""
    rod = Rod(LENGTH, LINE_MASS, STIFF, n=6, plane="xy", damping=VISCOUS, radius=THIN)
    system = spacecraft(p, (p["inertia"],) * 3, (0.0, 0.0, p["spin"]), rod)
    run = system.simulate(UNTIL, rtol=1e-7, output=UNTIL)
    rate = lambda t: across(p, 1.0, p["inertia"])[0] / across(p, float(WAY(t)), p["inertia"])[0]
    wanted = p["spin"] * quad(rate, 0, TIME, epsabs=1e-10)[0] + p["spin"] * rate(TIME) * (UNTIL - TIME)
    turned = float((motion(run)[-1, 3] - wanted + np.pi) % (2 * np.pi) - np.pi)
    return Check("stiff boom: angle of the bus at the end, difference, rad", turned, 0.0, 5e-5, "closed form (1)")


def _tumbling(p: Parameters) -> Check:
    """Rates of a bus that tumbles, its boom stiff, by Euler's equations."""
    rod = Rod(LENGTH, LINE_MASS, (STIFF, STIFF), GJ=STIFF, n=6, damping=VISCOUS, radius=THIN)
    run = spacecraft(p, INERTIAS, TUMBLING, rod).simulate(TIME, rtol=1e-7, output=1.0)

    def law(t: float, h: np.ndarray) -> np.ndarray:
        return -np.cross(h / inertia(t), h)

    def inertia(t: float) -> np.ndarray:
        grown = across(p, float(WAY(t)), 0.0)[0]
        return np.array(INERTIAS) + np.array((0.0, grown, grown))

    h = solve_ivp(law, (0, TIME), inertia(0.0) * TUMBLING, "DOP853", np.asarray(run.t), rtol=1e-10, atol=1e-11).y.T
    wanted = h / np.array([inertia(t) for t in run.t])
    names = [f"w{axis} at {t:g} s" for t in run.t for axis in "xyz"]
    return worst("stiff boom, tumbling, rad/s", names, run["bus.omega"], wanted, 5e-5, "Euler's equations, SciPy's DOP853")


def figure(run: Run, p: Parameters) -> Figure:
    """The spacecraft at times, and the deflection of the tip beside the continuum."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2), width_ratios=(1, 1.3))
    for n, t in enumerate((0.0, 4.0, 6.0, 8.0, 11.0, 20.0)):
        k = sample(run, t)
        arc = run.model.rods["boom"].arc
        out = arc >= arc[-1] - run["feed.length"][k] - 1e-9
        exit_ = run["bus.position"][k] + run["bus.rotation"][k] @ (EXIT, 0, 0)
        points = np.vstack([run["bus.position"][k], exit_, run["boom.shape"][k][out]])
        left.plot(points[:, 0], points[:, 1], color=COLOURS[n % len(COLOURS)], label=f"{t:g} s")
    left.plot(0, 0, "s", color=GREY, ms=9)
    left.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    left.margins(0.1)
    legend(left, loc="lower right")
    right.plot(run.t, motion(run)[:, 0], label="deflection of the tip, run")
    right.set(xlabel="time, s", ylabel="tip across, m")
    other = right.twinx()
    other.plot(run.t, run["bus.omega"][:, 2], color=COLOURS[1])
    other.set_ylabel("rate of the bus, rad/s", color=COLOURS[1])
    if unchanged(p, DEFAULTS, "n"):
        table = np.array(CONTINUUM)
        right.plot(table[:, 0], table[:, 1], "o", color=GREY, mfc="white", ms=5, label="continuum on a free body")
    legend(right, loc="center right")
    title(picture, "Antenna boom out of a spacecraft that floats freely and spins")
    return picture


EXAMPLE = Example(
    name="antenna-boom",
    title="Antenna boom extruded from a free, spinning spacecraft",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 11",
    source="Kane and Banerjee (1989); Banerjee (1992); linear extruding beam on a free body",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
