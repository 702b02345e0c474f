"""A tether that carries a current through the field of the Earth: it pushes the orbit up, and its libration grows.

Source: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), appendix 2.C; V. V. Beletsky and E. M. Levin, Dynamics of
Space Tether Systems (1993); J. Pelaez, E. C. Lorenzini, O. Lopez-Rebollal and M. Ruiz, J. Astronautical Sciences 48 (2000),
449, for the growth of the libration. Field of a centred dipole, 3.12e-5 T on the equator.

A mass m hangs on a straight massless tether below an orbiter that is so heavy that it stays on its circular orbit, inclined
by i against the field's equator. The current I gives each piece of the tether the force I dl x B. With u the unit vector
along the tether, th and p its angles from the vertical in and out of the plane of the orbit, the latitude v = W t, and
B = B0 (-2 sin i sin v, sin i cos v, cos i) up, forward and along the normal of the orbit,

    th'' = 2 (th' + W) p' tan p - 3 W^2 sin th cos th + e W^2 (u × b) . u_th/cos^2 p                                    (1)
    p'' = -[(th' + W)^2 + 3 W^2 cos^2 th] sin p cos p + e W^2 (u × b) . u_p ,    e = I B0/(2 m W^2) , b = B/B0 .

The field changes as the tether goes round, and swings it: there is one motion that repeats with the orbit, and others go
away from it by a factor per orbit, the largest multiplier of Floquet. Without current it is 1; with 5 A, 100 kg and 45
degrees 1.017285, so that a swing grows by e in 58 orbits.

On the equator the field is constant. A light tether with a mass m at its end rests there, tilted by th and bent by y,

    f l^2/2 = 3 W^2 m l^2 sin th cos th ,    y = f l^2/(8 T) ,   T = 3 m W^2 l ,   f = I B0 .                             (2)

There the force pushes forwards: a' = 2 a F/(M v). The power of the forces is -I times
the electromotive force, the integral of (v x B).dl, at every sample. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title
from kaneflex.model.blocks import ElectromotiveForce, LocalVertical, OrbitalElements
from kaneflex.model.bodies import PointMass, Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import CentralGravity, CurrentTether, Force, OrbitGravity
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Free, Revolute, Translational, Universal
from kaneflex.model.orbits import EARTH_MU, EARTH_RADIUS, EARTH_RATE, Dipole, KeplerOrbit
from kaneflex.model.orbits.vectors import along, cross, length
from kaneflex.model.profiles import constant_rate
from kaneflex.model.rods.rod import Cable
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"mass": 100.0, "length": 1.0, "altitude": 296e3, "inclination": 45.0, "current": 5.0, "orbits": 10}
SAMPLES = 40  # of an orbit
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
WIRE = ("orbiter", "satellite.end")
FIELD = Dipole()
MASS, LENGTH, TURNS = 10e3, 20e3, 5  # of the boost: kg, m, orbits


def orbit(p: Parameters, inclination: float | None = None) -> KeplerOrbit:
    """The orbiter's."""
    tilt = math.radians(p["inclination"] if inclination is None else inclination)
    return KeplerOrbit(EARTH_MU, EARTH_RADIUS + positive(p["altitude"], "altitude"), inclination=tilt)


def strength(p: Parameters) -> float:
    """B0 at the height of the orbit, T."""
    return float(FIELD.strength * (EARTH_RADIUS / orbit(p).semi_major_axis) ** 3)


def swing(p: Parameters) -> float:
    """e of (1)."""
    return float(p["current"] * strength(p) / (2 * p["mass"] * orbit(p).rate ** 2))


def hanging(p: Parameters, path: KeplerOrbit) -> System:
    """The tether at rest along the vertical of an orbit."""
    l = positive(p["length"], "length")
    system = System("electrodynamic tether")
    end = Rigid(positive(p["mass"], "mass"), com=(-l, 0, 0), inertia=(0, 0, 0), frames={"end": (-l, 0, 0)})
    plane = Frame((0, 0, 0), (("x", path.inclination),))
    system.add("orbiter", PointMass(1.0), Fixed())
    system.add("satellite", end, Universal(("z", "y")), at=plane, q=(0.0, 0.0), rates=(path.rate, 0.0))
    system.apply("earth", OrbitGravity(path))
    system.apply("current", CurrentTether(WIRE, p["current"], FIELD, path))
    system.add_block("local", LocalVertical(path, "satellite.end", down=True))
    system.add_block("wire", ElectromotiveForce(WIRE, FIELD, EARTH_RATE, path))
    system.show("satellite", Sphere(0.05 * l, position=(-l, 0, 0)))
    system.show("orbiter", Box((0.1 * l,) * 3))
    return system


def build(p: Parameters) -> System:
    """On the inclined orbit."""
    if p["orbits"] < 1 or not 0 <= p["inclination"] <= 90:
        raise ModelError("orbits, inclination: give at least one orbit, and 0 to 90 degrees")
    return hanging(p, orbit(p))


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """All orbits."""
    times = np.arange(p["orbits"] * SAMPLES + 1) * orbit(p).period / SAMPLES
    return system.simulate(float(times[-1]), times=times, formulation=formulation, speeds=speeds, **FINE)


def law(v: float, y: np.ndarray, e: float, i: float) -> list[float]:
    """(1) over the latitude v: y is th, p, and their rates over W."""
    b = -2 * math.sin(i) * math.sin(v), math.sin(i) * math.cos(v), math.cos(i)
    th, p, th_rate, p_rate = map(float, y)
    ct, st, cp, sp = math.cos(th), math.sin(th), math.cos(p), math.sin(p)
    x, y, z = (e * u for u in cross((-cp * ct, -cp * st, sp), b))
    turn = 2 * (th_rate + 1) * p_rate * sp / cp - 3 * st * ct + (st * x - ct * y) / cp
    return [th_rate, p_rate, turn, -((th_rate + 1) ** 2 + 3 * ct**2) * sp * cp + sp * ct * x + sp * st * y + cp * z]


def by_hand(p: Parameters, y: Any, orbits: float, samples: int = 1) -> np.ndarray:
    """th, p and their rates over W by (1), (4, n): DOP853 at 1e-12."""
    v = np.linspace(0, 2 * math.pi * orbits, samples + 1)
    arguments = swing(p), math.radians(p["inclination"])
    found = solve_ivp(law, (0, v[-1]), y, "DOP853", t_eval=v, args=arguments, rtol=1e-12, atol=1e-13)
    return np.asarray(found.y)


def after_orbit(system: System, p: Parameters, y: Any) -> np.ndarray:
    """What an orbit makes of th, p and their rates over W, by a run."""
    W = orbit(p).rate
    start = {"satellite.q": y[:2], "satellite.rate": (W * (1 + y[2]), W * y[3])}
    run = system.simulate(orbit(p).period, initial=start, output=orbit(p).period, **FINE)
    words = ("in_plane", "out_of_plane", "in_plane_rate", "out_of_plane_rate")
    return np.array([run[f"local.{word}"][-1] for word in words]) / [1, 1, W, W]


def slopes(map_: Any, y: np.ndarray) -> np.ndarray:
    """Derivatives of what an orbit makes of a state, by differences of fourth order."""
    h = 1e-3
    ends = [[map_(y + k * h * e) for k in (1, -1, 2, -2)] for e in np.eye(4)]
    return np.column_stack([(8 * (a - b) - (c - d)) / (12 * h) for a, b, c, d in ends])


def growth(p: Parameters) -> tuple[float, float]:
    """The largest multiplier by runs, and by (1), about the motion that repeats with the orbit, which (1) gives."""
    own = lambda y: by_hand(p, y, 1.0)[:, -1]
    y = fsolve(lambda y: own(y) - y, np.zeros(4), xtol=1e-10)
    system = build(p)
    found, wanted = (slopes(m, y) for m in (lambda x: after_orbit(system, p, x), own))
    return tuple(float(np.abs(np.linalg.eigvals(J)).max()) for J in (found, wanted))  # type: ignore[return-value]


def checks(run: Run, p: Parameters) -> list[Check]:
    """Libration beside (1), its growth; force, electromotive force, power; orbit raised."""
    wanted = by_hand(p, np.zeros(4), p["orbits"], p["orbits"] * SAMPLES)
    off = np.abs(np.column_stack([run["local.in_plane"], run["local.out_of_plane"]]) - wanted[:2].T).max()
    found, floquet = growth(p)
    return [
        Check("angles, largest difference, rad", float(off), 0.0, 3e-6 * p["length"], "(1), integrated by SciPy's DOP853"),
        Check("largest multiplier of Floquet", found, floquet, 1e-6, "(1): derivatives of one orbit, by SciPy's DOP853"),
        balance(run, 1e-9),
        *_resting(p),
        *_raised(p),
    ]


def _resting(p: Parameters) -> list[Check]:
    """Tilt and bow of a light tether of rods on the equator, at a current that tilts it by 0.01 rad."""
    path, l, m, n, tilt = orbit(p, 0.0), p["length"], p["mass"], 10, 0.01
    T = 3 * m * path.rate**2 * l
    f = T / l * math.sin(2 * tilt)
    system = System("bow")
    system.add("local", PointMass(0.0), Revolute("z", motion=constant_rate(path.rate)))
    down = Frame((0, 0, 0), (("z", math.pi),))
    system.add_rod("tether", Cable(l, 1e-6 * m / l, n=n, plane="xy"), parent="local", at=down)
    system.add("satellite", PointMass(m), Fixed(), parent="tether", at="tip")
    system.apply("earth", OrbitGravity(path))
    system.apply("current", CurrentTether(("tether", "tether.tip"), f / strength(p), FIELD, path))
    shape = system.channels(system.equilibrium(), "tether.shape")["tether.shape"][:, :2]
    end, middle = shape[-1], shape[n // 2]
    across = float(end[1] * middle[0] - end[0] * middle[1]) / math.hypot(*end)
    return [
        Check("tilt at rest on the equator, rad", math.atan2(end[1], -end[0]), tilt, 5e-7, "closed form (2)"),
        Check("bow at rest on the equator, m", across, f * l**2 / (8 * T), 1e-3 * f * l**2 / (8 * T), "closed form (2)"),
    ]


def boosted(p: Parameters) -> System:
    """A dumbbell of 10 t with 20 km and 1 A on the equator, the current downwards; N is at the centre of the Earth."""
    path = orbit(p, 0.0)
    r, W, J = path.semi_major_axis, path.rate, MASS * LENGTH**2 / 4
    frames = {"high": (LENGTH / 2, 0, 0), "low": (-LENGTH / 2, 0, 0)}
    system = System("boost")
    body, q, rates = Rigid(MASS, inertia=(1e6, J, J), frames=frames), (r, 0, 0, 1, 0, 0, 0), (0, r * W, 0, 0, 0, W)
    system.add("dumbbell", body, Free(), q=q, rates=rates)
    system.apply("earth", CentralGravity(EARTH_MU))
    system.apply("current", CurrentTether(("dumbbell.high", "dumbbell.low"), 1.0, FIELD))
    system.add_block("orbit", OrbitalElements("dumbbell", EARTH_MU))
    system.add_block("wire", ElectromotiveForce(("dumbbell.high", "dumbbell.low"), FIELD))
    system.add_block("plasma", ElectromotiveForce(("dumbbell.high", "dumbbell.low"), FIELD, EARTH_RATE))
    return system


def _raised(p: Parameters) -> list[Check]:
    """Force, electromotive force and power on the equator, and the orbit after five turns."""
    path = orbit(p, 0.0)
    a, W, B = path.semi_major_axis, path.rate, strength(p)
    run = boosted(p).simulate(TURNS * path.period, method="dop853", rtol=1e-12, atol=1e-9)
    force = MASS * run["dumbbell.acceleration"][0, 1]
    power = float(np.abs(run["current.power"] + run["wire.emf"]).max() / run["current.power"].mean())
    gain = float(run["orbit.semi_major_axis"][-1] - run["orbit.semi_major_axis"][0])
    return [
        Check("force of 20 km and 1 A, N", force, B * LENGTH, 1e-5, "closed form: I l B; 0.544604 at 296 km"),
        Check(
            "electromotive force against the field that turns, V",
            -float(run["plasma.emf"][0]),
            B * LENGTH * (W - EARTH_RATE) * a,
            0.05,
            "closed form: B l (v less the turning field's); 3943.689 at 296 km",
        ),
        Check("power of the forces + I emf, relative", power, 0.0, 1e-11, "identity: (dl x B).v = -(v x B).dl"),
        Check(
            "semi-major axis gained in five turns, m",
            gain,
            raised_by_hand(a, B),
            0.2,
            "point mass under I l B(r) forwards, SciPy's DOP853; 2 a F t/(M v) = 2552.16 at 296 km",
        ),
        *_pushed(p),
    ]


def _pushed(p: Parameters) -> list[Check]:
    """With the force of the start all the time: a^(-1/2) falls by F t/(M sqrt(mu))."""
    path = orbit(p, 0.0)
    a, t, F = path.semi_major_axis, TURNS * path.period, strength(p) * LENGTH
    gain = (a**-0.5 - F * t / (MASS * math.sqrt(EARTH_MU))) ** -2 - a
    source = "closed form: a' = 2 a F/(M v) with v of the circle; 2552.89 at 296 km, integrated"
    return [Check("gained under a constant force, m", pushed(p), gain, 2e-5, source)]


def pushed(p: Parameters) -> float:
    """The semi-major axis that a point of the same mass gains, m, pushed forwards with the constant force of the start."""
    path = orbit(p, 0.0)
    (r, v), F = path.state(0.0), strength(p) * LENGTH
    system = System("pushed")
    system.add("point", PointMass(MASS), Translational(), q=r, rates=v)
    system.apply("earth", CentralGravity(EARTH_MU))
    forwards = lambda t, x: along(F / length(x), (x[0], x[1], x[2]))
    system.apply("push", Force("point", forwards, axes="inertial", sees=["point.velocity"]))
    system.add_block("orbit", OrbitalElements("point", EARTH_MU))
    run = system.simulate(TURNS * path.period, method="dop853", rtol=1e-12, atol=1e-9)
    return float(np.ptp(run["orbit.semi_major_axis"][[0, -1]]))


def raised_by_hand(a: float, B: float) -> float:
    """The semi-major axis gained by a point mass in the plane, from a circle with the radius a."""

    def fall(t: float, y: np.ndarray) -> list[float]:
        r = math.hypot(y[0], y[1])
        push = LENGTH * B * (a / r) ** 3 / MASS / r
        return [y[2], y[3], -EARTH_MU * y[0] / r**3 - push * y[1], -EARTH_MU * y[1] / r**3 + push * y[0]]

    until = TURNS * 2 * math.pi * math.sqrt(a**3 / EARTH_MU)
    start = [a, 0, 0, math.sqrt(EARTH_MU / a)]
    x, y, u, v = solve_ivp(fall, (0, until), start, "DOP853", rtol=1e-13, atol=1e-8).y[:, -1]
    return 1 / (2 / math.hypot(x, y) - (u * u + v * v) / EARTH_MU) - a


def figure(run: Run, p: Parameters) -> Figure:
    """Both angles beside (1), and the electromotive force."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.0), width_ratios=(1.6, 1))
    turns, wanted = run.t / orbit(p).period, by_hand(p, np.zeros(4), p["orbits"], p["orbits"] * SAMPLES)
    for k, (word, label) in enumerate((("in_plane", "in the plane"), ("out_of_plane", "out of the plane"))):
        left.plot(turns, np.degrees(run[f"local.{word}"]), color=COLOURS[k], label=label)
        left.plot(turns[::7], np.degrees(wanted[k])[::7], "o", color=GREY, mfc="white", ms=3.5)
    left.set(xlabel="orbits", ylabel="angle from the vertical, degrees")
    left.margins(y=0.2)
    legend(left, loc="upper left", ncols=2)
    one = turns <= 2
    right.plot(turns[one], 1000 * run["wire.emf"][one] / p["length"], color=COLOURS[2])
    right.set(xlabel="orbits", ylabel="electromotive force, V/km")
    title(picture, "Libration of a tether that carries a constant current on an inclined orbit")
    return picture


EXAMPLE = Example(
    name="electrodynamic-tether",
    title="Electrodynamic tether: orbit raised, libration that grows",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 2",
    source="Beletsky and Levin 1993; Pelaez and others 2000; closed forms of the dipole field",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
