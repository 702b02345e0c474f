"""A satellite let out from the Shuttle on a tether: deployment, retrieval with and without thrusters, station keeping.

Source: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), sections 2.1 to 2.3; A. K. Banerjee and T. R. Kane, Tether
Deployment Dynamics, J. Astronautical Sciences 30 (1982), 347, and Tethered Satellite Retrieval with Thruster Augmented
Control, J. Guidance 7 (1984), 45; C. C. Rupp, NASA TM X-64963 (1975), for the law of tension. Data of the TSS-1 class.

The orbiter is on a circular orbit with rate W, so heavy that it stays there: it is the origin of N, which falls along the
orbit (`OrbitGravity`). The satellite, mass m, hangs on a straight massless tether of length l. With th its angle from the
vertical in the plane of the orbit and p out of it, and terms of l over the radius of the orbit left out,

    l'' = l [p'^2 + (th' + W)^2 cos^2 p + W^2 (3 cos^2 th cos^2 p - 1)] - T/m
    th'' = -(th' + W)(2 l'/l - 2 p' tan p) - 3 W^2 sin th cos th                                                          (1)
    p'' = -2 (l'/l) p' - [(th' + W)^2 + 3 W^2 cos^2 th] sin p cos p

- Deployment by l' = c W l: the tether finds the angle sin 2 th = -4 c/3, the tension m l W^2 (3 cos^2 th - c^2).
- Retrieval, c < 0: the angle out of the plane grows as 1/l. Thrusters across the tether, f = -m l W k (th' cos p, p'), damp
  both angles by 2 c + k; one along it keeps a least tension T_min: F = T_min - m l W^2 (3 cos^2 th - c^2).
- Station keeping by Rupp's law, T = m W^2 [K1 l + K2 l'/W - (K1 - 3) l_c]; and deployment by it to ten times the length: the
  satellite is pushed off, since the law would push at first what it can only pull.

The picture's run deploys from 200 m to 20 km. The numbers of (1) are checked on tethers of 0.1 m to 4 m, so that l over the
radius of the orbit is below 1e-6. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title, worst
from kaneflex.model.blocks import LocalVertical
from kaneflex.model.bodies import PointMass
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import Force, JointForce, OrbitGravity
from kaneflex.model.joints import Prismatic, Universal
from kaneflex.model.orbits import EARTH_MU, EARTH_RADIUS, KeplerOrbit
from kaneflex.model.profiles import Motion
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"mass": 518.0, "altitude": 296e3, "start": 200.0, "length": 20e3, "rate": 0.3}
SHORT = 0.1  # m, for the numbers of (1): nothing is lost beside the size of the orbit
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
COMPUTED = "equations (1), integrated by SciPy's DOP853 at 1e-12"
#: Wt, and th in degrees, of a deployment with c = 0.3 from rest at th = 0: (1)
DEPLOYED = ((1, -11.143394), (2, -18.649750), (4, -8.124919), (8, -10.721422), (12, -11.498232))
#: l/l0, th and p of a retrieval with c = -0.1 from the steady angle and p = 0.01: (1)
RETRIEVED = (
    (0.472871, 0.066778, -0.015868),
    (0.223607, 0.066771, 0.003187),
    (0.105737, 0.068232, 0.062062),
    (0.05, 0.067993, -0.200782),
)
#: the same with thrusters, k = 2, from the steady angle + 0.1 and p = 0.1
AUGMENTED = (
    (0.860892, 0.062686, -0.014860),
    (0.741134, 0.061032, 0.000574),
    (0.472871, 0.066800, 0.000126),
    (0.223607, 0.066866, 0.000000),
)
#: l/l_c, th and p at the start of a deployment by Rupp's law with K1 = 5, K2 = 4, and l'/(W l_c) that it is pushed off with
PUSHED_OFF = (0.1, 0.0, 0.05), 0.5
#: orbits, l/l_c, th, p under Rupp's law with K1, K2 from l = 0.9 l_c, th = 0.1, p = 0.05
KEPT = {
    (5, 4): (
        (0.25, 0.894422, -0.086752, -0.050725),
        (0.5, 0.973467, -0.009301, 0.045509),
        (1, 0.998240, -0.001553, 0.044783),
        (2, 1.000161, -0.000215, 0.044629),
    ),
    (4, 4): (
        (0.25, 0.871964, -0.067653, -0.052125),
        (0.5, 0.928478, -0.003885, 0.048021),
        (1, 0.971559, -0.005015, 0.046100),
        (2, 0.995908, -0.001043, 0.044935),
    ),
}


def orbit(p: Parameters) -> KeplerOrbit:
    """The orbiter's."""
    return KeplerOrbit(EARTH_MU, EARTH_RADIUS + positive(p["altitude"], "altitude"))


def steady(c: float) -> float:
    """The angle that a tether finds at the rate c, rad."""
    if abs(c) >= 0.75:
        raise ModelError(f"rate is {c:g}: beyond 0.75 no angle is steady")
    return math.asin(-4 * c / 3) / 2


def tethered(
    p: Parameters, length: float, angles: tuple[float, float], c: float | None, push: float | None = None
) -> System:
    """The satellite below the orbiter, its angles given and their rates zero; l' = c W l, or let go with l' = `push`."""
    path = orbit(p)
    W, (th, out) = path.rate, angles
    motion = None
    if c is not None:  # the length as a function of time, with its rates
        motion = Motion(
            lambda t: length * np.exp(c * W * t),
            lambda t: c * W * length * np.exp(c * W * t),
            lambda t: (c * W) ** 2 * length * np.exp(c * W * t),
        )
    system = System("tethered satellite")
    # about the normal of the orbit, then towards it; the line has no mass, and the satellite slides along it
    system.add("line", PointMass(0.0), Universal(("z", "y")), q=(th, out), rates=(W, 0.0))
    body, slide = PointMass(positive(p["mass"], "mass")), Prismatic("-x", motion=motion)
    system.add("satellite", body, slide, parent="line", q=length, rates=push)
    system.apply("earth", OrbitGravity(path))
    system.add_block("local", LocalVertical(path, "satellite", down=True))
    system.show("satellite", Sphere(0.02 * p["length"]))
    system.show("N", Box((0.03 * p["length"],) * 3))
    return system


def build(p: Parameters) -> System:
    """The deployment of the parameters."""
    if not 0 < p["start"] < p["length"] or p["rate"] <= 0:
        raise ModelError("start, length, rate: give 0 < start < length, and a positive rate of deployment")
    steady(p["rate"])
    return tethered(p, p["start"], (0.0, 0.0), p["rate"])


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until the whole tether is out."""
    until = math.log(p["length"] / p["start"]) / (p["rate"] * orbit(p).rate)
    return system.simulate(until, formulation=formulation, speeds=speeds, output=until / 400, **FINE)


def retrieve(p: Parameters, rows: Any, c: float, start: tuple[float, float], k: float, floor: float) -> Run:
    """A retrieval at the rate c with thrusters, to samples at the lengths of `rows`.

    Args:
        p: parameters.
        rows: the first entries are l/l0.
        c: l'/(W l).
        start: angles beside the steady one.
        k: gain of the thrusters across the tether.
        floor: least tension that the thruster along it keeps, N.
    """
    system = tethered(p, SHORT, (steady(c) + start[0], start[1]), c)
    W, m = orbit(p).rate, p["mass"]

    def thrust(t: float, x: Any) -> Any:
        l, th, th_rate, out, out_rate = x
        pull = floor - m * l * W * W * (3 * np.cos(th) ** 2 - c * c)
        across = m * l * W * k
        # outwards is -x, the way of th is -y
        return -np.maximum(pull, 0.0), across * th_rate * np.cos(out), -across * out_rate

    sees = [f"local.{word}" for word in ("distance", "in_plane", "in_plane_rate", "out_of_plane", "out_of_plane_rate")]
    system.apply("thrusters", Force("satellite", thrust, sees=sees))
    times = np.array([0.0] + [math.log(row[0]) / (c * W) for row in rows])
    return system.simulate(float(times[-1]), times=times, **FINE)


def kept(p: Parameters, K1: float, K2: float, start: tuple[float, float, float], push: float = 0.0) -> System:
    """The short length kept by Rupp's law, from l/l_c, th, p, and l'/(W l_c)."""
    goal, W, m = SHORT, orbit(p).rate, p["mass"]
    system = tethered(p, start[0] * goal, start[1:], None, push * W * goal)

    def tension(t: float, x: Any) -> Any:
        return -m * W * W * (K1 * x[0] + K2 * x[1] / W - (K1 - 3) * goal)

    system.apply("reel", JointForce("satellite", tension, sees=["local.distance", "local.distance_rate"]))
    return system


def keep(p: Parameters, K1: float, K2: float) -> Run:
    """Station keeping, two orbits."""
    system, times = kept(p, K1, K2, (0.9, 0.1, 0.05)), np.array([0, 0.25, 0.5, 1, 2]) * orbit(p).period
    return system.simulate(float(times[-1]), times=times, **FINE)


def angles(run: Run) -> np.ndarray:
    """Angles in and out of the plane, (n, 2)."""
    return np.column_stack([run["local.in_plane"], run["local.out_of_plane"]])


def checks(run: Run, p: Parameters) -> list[Check]:
    """The picture's deployment, and the numbers of (1) on short tethers."""
    W, m, c = orbit(p).rate, p["mass"], p["rate"]
    size = p["length"] / orbit(p).semi_major_axis
    wanted = path(p, np.asarray(run.t))
    off = float(np.abs(run["local.in_plane"] - wanted).max())
    at, l = run["local.in_plane"][-1], run["local.distance"][-1]
    pull = m * l * ((run["local.in_plane_rate"][-1] + W) ** 2 + W**2 * (3 * math.cos(at) ** 2 - 1) - (c * W) ** 2)
    found = [
        Check("angle of the deployment, largest difference, rad", off, 0.0, 1.5 * size, f"{COMPUTED}; l/a is {size:.1e}"),
        Check("tension at the end, N", -run["satellite.drive"][-1], pull, 2 * size * pull, "(1) for the motion of the run"),
        balance(run, 1e-9),
        *_deployment(p),
    ]
    return [*found, *_retrieval(p), *_keeping(p)]


def path(p: Parameters, t: np.ndarray) -> np.ndarray:
    """th of a deployment at the times t by (1)."""
    W, c = orbit(p).rate, p["rate"]
    law = lambda x, y: (y[1], -2 * c * (y[1] + 1) - 3 * math.sin(y[0]) * math.cos(y[0]))
    return np.asarray(solve_ivp(law, (0, W * t[-1]), (0.0, 0.0), "DOP853", t_eval=W * t, rtol=1e-12, atol=1e-13).y[0])


def _deployment(p: Parameters) -> list[Check]:
    """c = 0.3 on a short tether: the angles of (1), the steady one and its tension."""
    system, W, c = tethered(p, SHORT, (0.0, 0.0), 0.3), orbit(p).rate, 0.3
    times = np.array([0, *(row[0] for row in DEPLOYED)]) / W
    run = system.simulate(float(times[-1]), times=times, **FINE)
    names = [f"Wt = {row[0]}" for row in DEPLOYED]
    found = [worst("deployment, degrees", names, np.degrees(angles(run)[1:, 0]), [r[1] for r in DEPLOYED], 3e-5, COMPUTED)]
    both = [tethered(p, SHORT, (steady(rate), 0.0), rate).simulate(2 / W, **FINE) for rate in (c, 0.5)]
    drifts = [np.abs(one["local.in_plane"] - one["local.in_plane"][0]).max() for one in both]
    still, l = both[0], both[0]["local.distance"]
    tension = float(-still["satellite.drive"][-1] / (p["mass"] * l[-1] * W**2))
    closed = 3 * math.cos(steady(c)) ** 2 - c**2
    beside = tethered(p, SHORT, (steady(c), 0.0), c)
    poles = beside.linearize(beside.state()).eigenvalues() / W
    decay = poles[np.argmin(np.abs(poles.imag - 1.63))]
    wanted = -c + 1j * math.sqrt(3 * math.cos(2 * steady(c)) - c**2)
    return [
        *found,
        worst("drift from the steady angle, rad", ("c = 0.3", "c = 0.5"), drifts, (0, 0), 1e-7, "sin 2 th = -4 c/3"),
        Check("pole beside it over W, difference", abs(decay - wanted), 0.0, 1e-6, "s^2 + 2 c s + 3 cos 2 th"),
        Check("steady tension over m l W^2, c = 0.3", tension, closed, 1e-6, "closed form: 3 cos^2 th - c^2 = 2.784773"),
    ]


def _retrieval(p: Parameters) -> list[Check]:
    """c = -0.1 with and without thrusters."""
    W, m, found = orbit(p).rate, p["mass"], []
    for name, rows, start, k in (
        ("retrieval", RETRIEVED, (0.0, 0.01), 0.0),
        ("retrieval with thrusters", AUGMENTED, (0.1, 0.1), 2.0),
    ):
        floor = 1.5 * m * SHORT * W**2 if k else 0.0
        run = retrieve(p, rows, -0.1, start, k, floor)
        labels = [f"{word} at l/l0 = {row[0]:g}" for row in rows for word in ("th", "p")]
        found.append(worst(f"{name}, rad", labels, angles(run)[1:], [row[1:] for row in rows], 2e-6, COMPUTED))
        if k:
            pull = float(-run["satellite.drive"][-1])
            found.append(Check("least tension kept, N", pull, floor, 1e-6 * floor, "closed form: F = T_min - T"))
    return found


def _keeping(p: Parameters) -> list[Check]:
    """Rupp's law: poles of small motions in the plane, and histories."""
    found = [_poles(p, K1, K2) for K1, K2 in ((5, 4), (4, 4), (6, 4))]
    for (K1, K2), rows in KEPT.items():
        run = keep(p, K1, K2)
        values = np.column_stack([run["local.distance"] / SHORT, angles(run)])[1:]
        labels = [f"{word} after {row[0]:g} orbits" for row in rows for word in ("l/l_c", "th", "p")]
        found.append(worst(f"Rupp's law, K1 = {K1}, K2 = {K2}", labels, values, [row[1:] for row in rows], 1e-6, COMPUTED))
    times = np.linspace(0.0, 2 * orbit(p).period, 41)
    run = kept(p, 5, 4, *PUSHED_OFF).simulate(float(times[-1]), times=times, **FINE)
    wanted = kept_by_hand(orbit(p).rate * times, 5, 4, *PUSHED_OFF)
    values = np.column_stack([run["local.distance"] / SHORT, angles(run)])
    off, name = float(np.abs(values - wanted).max()), "deployed by Rupp's law: l/l_c, th, p, largest difference"
    return [*found, Check(name, off, 0.0, 1e-7, COMPUTED)]


def kept_by_hand(t: np.ndarray, K1: float, K2: float, start: tuple[float, float, float], push: float) -> np.ndarray:
    """l/l_c, th and p at the times W t by (1) and Rupp's law."""

    def law(_: float, y: Any) -> tuple[float, ...]:
        l, v, th, w, p, r = y
        c, square = math.cos(p), 3 * math.cos(th) ** 2
        return (
            v,
            l * (r * r + (w + 1) ** 2 * c * c + square * c * c - 1) - (K1 * l + K2 * v - (K1 - 3)),
            w,
            -(w + 1) * (2 * v / l - 2 * r * math.tan(p)) - 3 * math.sin(th) * math.cos(th),
            r,
            -2 * v / l * r - ((w + 1) ** 2 + square) * math.sin(p) * c,
        )

    begin = (start[0], push, start[1], 0.0, start[2], 0.0)
    return np.asarray(solve_ivp(law, (0, t[-1]), begin, "DOP853", t_eval=t, rtol=1e-12, atol=1e-13).y[::2].T)


def _poles(p: Parameters, K1: float, K2: float) -> Check:
    """The polynomial whose roots are the poles over W: a quartic in the plane, and 2 W out of it. With K1 = 6, K2 = 4 the
    quartic is (s^2 + 2 s + 3)^2, with double roots."""
    system = kept(p, K1, K2, (1.0, 0.0, 0.0))
    found = np.poly(system.linearize(system.state()).eigenvalues() / orbit(p).rate).real
    wanted = np.polymul([1, K2, K1 + 4, 3 * K2, 3 * K1 - 9], [1, 0, 4])
    far, source = float(np.abs(found - wanted).max()), "s^4 + K2 s^3 + (K1 + 4) s^2 + 3 K2 s + 3 K1 - 9, s^2 + 4"
    return Check(f"coefficients of Rupp's law, K1 = {K1}, K2 = {K2}", far, 0.0, 3e-6, source)


def figure(run: Run, p: Parameters) -> Figure:
    """The way of the satellite seen from the orbiter, and the angle beside (1)."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2), width_ratios=(1, 1.4))
    l, th = run["local.distance"] / 1000, run["local.in_plane"]
    left.plot(-l * np.sin(th), -l * np.cos(th), color=COLOURS[0])
    for k in range(0, len(l), 40):
        left.plot([0, -l[k] * math.sin(th[k])], [0, -l[k] * math.cos(th[k])], color=GREY, lw=0.7)
    left.plot(0, 0, "s", color=COLOURS[1], ms=9)
    left.set(xlabel="ahead of the orbiter, km", ylabel="above the orbiter, km", aspect="equal")
    left.margins(0.1)
    orbits = run.t / orbit(p).period
    right.plot(orbits, np.degrees(th), label="run, finite l/a")
    by_hand = np.degrees(path(p, np.asarray(run.t)))
    right.plot(orbits[::12], by_hand[::12], "o", color=GREY, mfc="white", ms=4, label="equations (1)")
    right.axhline(math.degrees(steady(p["rate"])), ls=":", color=COLOURS[1], label="steady angle")
    right.set(xlabel="orbits", ylabel="angle from the vertical, degrees")
    legend(right, loc="lower right")
    title(picture, "Satellite let out on a tether by l' = c W l")
    return picture


EXAMPLE = Example(
    name="tethered-satellite",
    title="Satellite on a tether: deployment, retrieval with thrusters, station keeping",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 2",
    source="Banerjee and Kane 1982, 1984; Rupp, NASA TM X-64963",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
