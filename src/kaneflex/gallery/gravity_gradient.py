"""A satellite on an elliptic orbit that the gradient of gravity keeps upright: its libration, forced by the orbit itself.

Source: V. V. Beletskii, Motion of an Artificial Satellite about its Center of Mass (Israel Program for Scientific
Translations, 1966); P. C. Hughes, Spacecraft Attitude Dynamics (Wiley, 1986), chapter 9.

The satellite (principal inertias A along the orbit, B across it, C along the vertical, all but the boom's small) moves
under the attraction of a centre, on an orbit with semi-major axis a and eccentricity e. Its angle t from the vertical in
the plane of the orbit obeys, with ' = d/df of the true anomaly f,

    (1 + e cos f) t'' - 2 e sin f t' + k sin t cos t = 2 e sin f ,   k = 3 (A - C)/B .                             (1)

For small e and t the satellite librates freely at sqrt(k) times the orbital rate n, and the orbit forces

    t = 2 e/(k - 1) sin f                                                                                        (2)

The orbit is Kepler's up to (size/a)^2. The run starts at the perigee with the rate of (2); time and true anomaly are tied
by Kepler's equation, solved here. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, legend, panels, rod, title
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import CentralGravity
from kaneflex.model.joints import Free
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"along": 80.0, "across": 90.0, "vertical": 20.0, "axis": 7.0e6, "eccentricity": 0.02, "rate": 0.1}
MU = 3.986004418e14  # of the Earth, m^3/s^2
ORBITS, SAMPLES = 2, 80  # samples of each


def ratio(p: Parameters) -> float:
    """k of (1)."""
    return float(3 * (p["along"] - p["vertical"]) / p["across"])


def mean_motion(p: Parameters) -> float:
    """n, rad/s."""
    return math.sqrt(MU / p["axis"] ** 3)


def perigee(p: Parameters) -> tuple[float, float, float]:
    """Distance, speed, and rate of the true anomaly at the perigee."""
    r = p["axis"] * (1 - p["eccentricity"])
    v = math.sqrt(MU * (1 + p["eccentricity"]) / r)
    return r, v, v / r


def build(p: Parameters) -> System:
    """At the perigee on x of N, moving along y; the body's x is up, its y along the orbit, its z across."""
    A, B, C = (positive(p[name], name) for name in ("along", "across", "vertical"))
    if not 0 <= p["eccentricity"] < 0.3:
        raise ModelError(f"eccentricity is {p['eccentricity']:g}: give 0 to 0.3; beyond, the satellite tumbles")
    if ratio(p) <= 0 or abs(ratio(p) - 1) < 0.05:
        raise ModelError(f"3 (along - vertical)/across is {ratio(p):g}: give a satellite that stands upright, and not 1")
    r, v, rate = perigee(p)
    system = System("gravity gradient")
    spin = rate * (1 + p["rate"] * math.sqrt(ratio(p)) + 2 * p["eccentricity"] / (ratio(p) - 1))
    system.add("bus", Rigid(100.0, inertia=(C, A, B)), Free(), q=(r, 0, 0, 1, 0, 0, 0), rates=(0, v, 0, 0, 0, spin))
    system.apply("earth", CentralGravity(MU))
    size = math.sqrt((A + B - C) / 200)
    system.show("bus", Box((0.4 * size, 0.4 * size, 0.4 * size)), rod((0, 0, 0), (2 * size, 0, 0), 0.03 * size))
    system.show("bus", Sphere(0.1 * size, position=(2 * size, 0, 0)))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Two orbits."""
    times = np.linspace(0, ORBITS * 2 * math.pi / mean_motion(p), ORBITS * SAMPLES + 1)
    return system.simulate(
        float(times[-1]), method="dop853", rtol=1e-12, atol=1e-11, formulation=formulation, speeds=speeds, times=times
    )


def anomaly(t: Any, p: Parameters) -> np.ndarray:
    """True anomaly at times t from the perigee, rad, growing beyond a turn: Kepler's equation by Newton's method."""
    M, e = mean_motion(p) * np.asarray(t, float), p["eccentricity"]
    E = M + e * np.sin(M)
    for _ in range(30):
        E = E - (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
    beta = e / (1 + math.sqrt(1 - e**2))
    return np.asarray(E + 2 * np.arctan(beta * np.sin(E) / (1 - beta * np.cos(E))))


def libration(f: np.ndarray, p: Parameters) -> np.ndarray:
    """The angle from the vertical at true anomalies f, by (1), DOP853 at 1e-12."""
    e, k = p["eccentricity"], ratio(p)

    def law(x: float, y: np.ndarray) -> tuple[float, float]:
        force = 2 * e * math.sin(x) * (1 + y[1]) - k * math.sin(y[0]) * math.cos(y[0])
        return y[1], force / (1 + e * math.cos(x))

    start = p["rate"] * math.sqrt(k) + 2 * e / (k - 1)
    return np.asarray(solve_ivp(law, (0, f[-1]), (0.0, start), "DOP853", t_eval=f, rtol=1e-12, atol=1e-14).y[0])


def angle(run: Run) -> np.ndarray:
    """The angle of the body's x from the vertical in the plane of the orbit, rad."""
    up, x = run["bus.position"], run["bus.rotation"][:, :, 0]
    return np.arctan2(up[:, 0] * x[:, 1] - up[:, 1] * x[:, 0], (up * x).sum(axis=1))


def checks(run: Run, p: Parameters) -> list[Check]:
    """Libration and orbit at all samples, the frequency of small librations, and what is conserved."""
    f, r = anomaly(run.t, p), np.linalg.norm(run["bus.position"], axis=1)
    conic = p["axis"] * (1 - p["eccentricity"] ** 2) / (1 + p["eccentricity"] * np.cos(f))
    off = float(np.abs(angle(run) - libration(f, p)).max())
    momentum, energy = run["momentum.angular"][:, 2], run["energy.total"]
    found = [
        Check("angle from the vertical, largest difference, rad", off, 0.0, 2e-10, "equation (1), integrated by DOP853"),
        Check("distance from Kepler's orbit, m", float(np.abs(r - conic).max()), 0.0, 1e-3, "closed form: conic section"),
        Check(
            "change of the angular momentum, relative",
            float(np.ptp(momentum) / momentum[0]),
            0.0,
            1e-10,
            "identity: central force",
        ),
        Check(
            "change of the energy, relative",
            float(np.ptp(energy) / abs(energy[0])),
            0.0,
            1e-10,
            "identity: no work but gravity's",
        ),
    ]
    return [*found, _frequency(p)]


def _frequency(p: Parameters) -> Check:
    """Small free librations on a circular orbit: sine of their phase after a quarter of the period, by a run of its own."""
    q = {**p, "eccentricity": 0.0, "rate": 1e-5}
    wanted = math.sqrt(ratio(p)) * mean_motion(p)
    system = build(q)
    run = system.simulate(math.pi / wanted, method="dop853", rtol=1e-12, atol=1e-13, output=math.pi / wanted / 40)
    t = angle(run)
    k = len(t) - 4
    slope = (t[-1] - t[k]) / (run.t[-1] - run.t[k])
    zero = run.t[-1] - t[-1] / slope  # half a period, near a zero of the sine
    return Check("frequency of small librations, rad/s", math.pi / zero, wanted, 1e-7 * wanted, "closed form: n sqrt k")


def figure(run: Run, p: Parameters) -> Figure:
    """Angle from the vertical beside (1) and (2), and the orbit with the satellite drawn large."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.0), width_ratios=(1.5, 1))
    f, orbits = anomaly(run.t, p), run.t * mean_motion(p) / (2 * math.pi)
    left.plot(orbits, np.degrees(angle(run)), label="run")
    left.plot(orbits[::4], np.degrees(libration(f, p))[::4], "o", color=GREY, mfc="white", ms=4, label="equation (1)")
    forced = 2 * p["eccentricity"] / (ratio(p) - 1) * np.sin(f)
    left.plot(orbits, np.degrees(forced), ":", color=COLOURS[1], label="forced by the orbit, (2)")
    left.set(xlabel="orbits", ylabel="angle from the vertical, degrees")
    left.margins(y=0.2)
    legend(left, loc="upper right", ncols=3)
    x, y = run["bus.position"][:, :2].T / 1e6
    right.plot(x, y, color=GREY, lw=1)
    for k in range(0, SAMPLES, 5):
        along = run["bus.rotation"][k, :2, 0] * 0.12 * p["axis"] / 1e6
        right.plot([x[k], x[k] + along[0]], [y[k], y[k] + along[1]], color=COLOURS[0], lw=2)
    right.plot(0, 0, "o", ms=14, color=COLOURS[2])
    right.set(xlabel="x, 1000 km", ylabel="y, 1000 km", aspect="equal")
    right.margins(0.05)
    title(picture, "Satellite upright by the gradient of gravity")
    return picture


EXAMPLE = Example(
    name="gravity-gradient",
    title="Satellite upright by the gradient of gravity on an elliptic orbit",
    document="Classics",
    chapter="spacecraft",
    source="Beletskii's equation of libration; Hughes, Spacecraft Attitude Dynamics, chapter 9",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
