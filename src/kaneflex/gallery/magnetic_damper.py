"""A satellite that gravity keeps upright, damped by a magnet in a ball of fluid that follows the Earth's field.

Source: C. M. Roithmayr, A. Hu, R. Chipman, New results in the analysis of a magnetic damper, Journal of Guidance, Control,
and Dynamics 19 (1996) 980; class of the Long Duration Exposure Facility (9724 kg, 9.14 m by 4.27 m, as a uniform cylinder).

The ball, of inertia I_b and with the magnet m, turns in a fluid that resists with c: the body feels c (w_b - w), the ball
the opposite and m x B. On a circular polar orbit at the rate n about a dipole, field lines turn in the orbit's plane at

    3 n (1 + s^2)/(1 + 3 s^2) ,     s the sine of the latitude, 2 n on the average,                                   (1)

and a strong magnet follows them: it turns in the body at n on the average, and pulls its pitch aside by

    c n / (3 n^2 (I1 - I3)) .                                                                                          (2)

Pitch librates at sqrt(3 (1 - r)) n, roll at sqrt(4 - 3 r) n, r = I3/I1; with the magnet held by the field, pitch decays
with the time 2 I1/c.

Coils in the place of the ball hold the pitch a much harder: the field B is in the orbit's plane, so that their moment
B x T/B^2 gives any torque T about its normal, T = -kp a - kd a' here, wherever the craft is:

    I1 a'' + kd a' + (kp + 3 n^2 (I1 - I3)) a = 0 .                                                                    (3)

Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, poles_off, title, unchanged, worst
from kaneflex.model.blocks import Block
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import JointForce, JointSpring, OrbitGravity
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Revolute, Spherical
from kaneflex.model.orbits.dipole import Dipole
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.parts import MagneticDamper, MagneticTorquer
from kaneflex.model.profiles import constant_rate
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MU, EARTH = 3.986004418e14, 6378137.0  # m^3/s^2, m
DEFAULTS = {
    "mass": 9724.0, "length": 9.14, "radius": 2.135, "altitude": 477.0e3,
    "damping": 1.0, "magnet": 2.5e4, "ball": 1.0, "pitch": 0.02, "orbits": 6,
}  # fmt: skip
#: of the defaults: inertias across and along, kg m^2, rate of the orbit, 1/s, librations in pitch and roll over it
PRINTED = (78775.97, 22162.09, 1.112358e-3, 1.468335, 1.776516)
#: inertias in roll, pitch and yaw (kg m^2), n, c; libration in pitch over n, time of its decay (days), bias (rad)
OTHER, OTHER_FOUND = ((7e4, 6.5e4, 2e4), 0.00115, 0.02), (1.5191, 75.2, 1.16e-4)
HELD = (-0.9 + 1.6j, -0.9 - 1.6j)  # poles of the pitch that coils hold, over n
COILS = 500.0  # A m^2, their limit
LEVEL = np.column_stack(
    [(0, 0, 1), (0, 1, 0), (-1, 0, 0)]
)  # forward, against the normal, down at the time 0, on the equator


def inertia(p: Parameters) -> tuple[float, float]:
    """Across the axis of the cylinder, and about it."""
    m, l, r = (positive(p[name], name) for name in ("mass", "length", "radius"))
    return m * (3 * r * r + l * l) / 12, m * r * r / 2


def orbit(p: Parameters) -> KeplerOrbit:
    """Circular and polar, at the equator at the time 0."""
    return KeplerOrbit(MU, EARTH + positive(p["altitude"], "altitude"), inclination=math.pi / 2)


def build(p: Parameters) -> System:
    """The body on a ball joint of a frame that goes round with the orbit; its z is down, along the cylinder."""
    across, along = inertia(p)
    if along >= across:
        raise ModelError(
            f"length {p['length']:g} and radius {p['radius']:g}: give a slender cylinder, which gravity keeps upright"
        )
    n = orbit(p).rate
    s = System("magnetic damper")
    s.add("orbit", Rigid(0.0), Revolute("y", motion=constant_rate(-n)))
    start = (math.cos(p["pitch"] / 2), 0, math.sin(p["pitch"] / 2), 0)
    body = Rigid(p["mass"], inertia=(across, across, along))
    s.add("craft", body, Spherical(), parent="orbit", at=Frame((0, 0, 0), LEVEL.tolist()), q=start)
    s.apply("earth", OrbitGravity(orbit(p)))
    if p["damping"]:
        s.add_part(
            "damper",
            MagneticDamper(p["magnet"], p["damping"], mass=10.0, inertia=p["ball"], field=Dipole(), orbit=orbit(p)),
            on="craft",
        )
    s.show("craft", drum(p["radius"], p["length"], axis="z"))
    return s


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From a pitch at rest, the ball along the field and turning with it."""
    n, period = orbit(p).rate, orbit(p).period
    times = np.linspace(0, p["orbits"] * period, 120 * int(p["orbits"]) + 1)
    first = {"damper_ball.rate": (0.0, -2 * n, 0.0)}
    return system.simulate(
        float(times[-1]),
        times=times,
        initial=first,
        method="radau5",
        rtol=1e-8,
        atol=1e-9,
        formulation=formulation,
        speeds=speeds,
    )


def pitch(run: Run) -> np.ndarray:
    """rad."""
    e = run["craft.q"]
    return np.asarray(2 * np.arctan2(e[:, 2], e[:, 0]))


def checks(run: Run, p: Parameters) -> list[Check]:
    """Librations, the ball's rate, decay and bias of pitch; pitch held by coils."""
    return [*_librations(p), *_other(), *_ball(run, p), *_pitch(run, p), balance(run, 1e-8), *_by_coils(p)]


def _librations(p: Parameters) -> list[Check]:
    across, along = inertia(p)
    n, r = orbit(p).rate, along / across
    poles = build({**p, "damping": 0.0, "pitch": 0.0}).linearize().eigenvalues() / n
    near = lambda w: float(poles.imag[np.abs(poles - 1j * w).argmin()])
    wanted = {"pitch": math.sqrt(3 * (1 - r)), "roll": math.sqrt(4 - 3 * r)}
    found = [
        Check(f"libration in {name} over n", near(w), w, 1e-9, "closed form: small turns") for name, w in wanted.items()
    ]
    if unchanged(p, DEFAULTS, "damping", "magnet", "ball", "pitch", "orbits"):
        names = ("inertia across", "inertia along", "rate of the orbit", "libration in pitch", "libration in roll")
        values = (across, along, n, near(wanted["pitch"]), near(wanted["roll"]))
        found.append(worst("printed", names, values, PRINTED, (6e-3, 6e-3, 6e-10, 6e-7, 6e-7), "closed form, printed"))
    return found


def _other() -> list[Check]:
    """Another spacecraft in pitch, its ball turning at n against it: libration, decay and bias."""
    (roll, across, yaw), n, c = OTHER
    s = System("in pitch")
    s.add("orbit", Rigid(0.0), Revolute("y", motion=constant_rate(-n)))
    body = Rigid(1000.0, inertia=(roll, across, yaw))
    s.add("craft", body, Revolute("y"), parent="orbit", at=Frame((0, 0, 0), LEVEL.tolist()), q=0.0)
    s.apply("earth", OrbitGravity(KeplerOrbit(MU, (MU / n**2) ** (1 / 3), inclination=math.pi / 2)))
    s.apply("fluid", JointSpring("craft", 0.0, c))
    s.apply("drift", JointForce("craft", -c * n))  # the ball goes round at 2 n, the craft's level axes at n
    at = s.equilibrium({"craft.q": 0.0})
    pole = max(s.linearize(at).eigenvalues(), key=lambda x: x.imag)
    values = (abs(pole) / n, -1 / pole.real / 86400, abs(float(at["craft.q"])))
    names = ("libration over n", "decay, days", "bias, rad")
    return [worst("another spacecraft", names, values, OTHER_FOUND, (6e-5, 0.06, 6e-7), "closed form, printed")]


def _ball(run: Run, p: Parameters) -> list[Check]:
    """The ball against (1), from its second half orbit on, and its lag behind the field."""
    n = orbit(p).rate
    late = run.t > orbit(p).period / 2
    s2 = np.sin(n * run.t) ** 2
    line = 3 * n * (1 + s2) / (1 + 3 * s2)
    spin = -run["damper_ball.omega"][:, 1]
    angle = n * run.t  # latitude; the field in the plane of the orbit
    B = Dipole().strength * (EARTH / orbit(p).semi_major_axis) ** 3 * np.sqrt(1 + 3 * np.sin(angle) ** 2)
    field = np.column_stack([-3 * np.cos(angle) * np.sin(angle), 1 - 3 * np.sin(angle) ** 2])  # x and z of N
    field /= np.linalg.norm(field, axis=1)[:, None]
    magnet = run["damper_ball.rotation"][:, :, 0]
    lag = np.abs(magnet[:, 2] * field[:, 0] - magnet[:, 0] * field[:, 1])
    exact = p["damping"] * np.abs(line - n) / (p["magnet"] * B)
    whole = run.t > run.t[-1] - orbit(p).period * (1 + 1e-9)
    mean = float(np.trapezoid(spin[whole], run.t[whole]) / np.ptp(run.t[whole]))
    return [
        Check("ball: mean rate over n", mean / n, 2.0, 2e-4, "closed form: mean of (1)"),
        Check(
            "ball: rate from that of the field line, over n",
            float(np.abs(spin - line)[late].max() / n),
            0.0,
            0.02,
            "closed form: (1), a magnet that follows at once",
        ),
        Check(
            "ball: lag from c w/(m B), largest difference, rad",
            float(np.abs(lag - exact)[late].max()),
            0.0,
            3e-4,
            "closed form: torques of fluid and field",
        ),
    ]


def _pitch(run: Run, p: Parameters) -> list[Check]:
    """Difference of two runs against the damped libration; mean of pitch against (2)."""
    across, along = inertia(p)
    n, c = orbit(p).rate, p["damping"]
    quiet = {**p, "pitch": 0.0}
    other = simulate(build(quiet), quiet)
    w2, d = 3 * n**2 * (across - along) / across, c / (2 * across)
    w = math.sqrt(w2 - d * d)
    exact = p["pitch"] * np.exp(-d * run.t) * (np.cos(w * run.t) + d / w * np.sin(w * run.t))
    off = float(np.abs(pitch(run) - pitch(other) - exact).max() / p["pitch"])
    long = {**quiet, "pitch": -c * n / (3 * n**2 * (across - along)), "orbits": 24}
    far = simulate(build(long), long)
    # free librations left, w n, and the field's, 2 n: a window of Hann over the last orbits leaves the mean
    last = far.t > far.t[-1] - 20 * orbit(p).period
    window = np.sin(np.pi * (far.t[last] - far.t[last][0]) / np.ptp(far.t[last])) ** 2
    mean = float((pitch(far)[last] * window).sum() / window.sum())
    ratio = mean / long["pitch"]
    return [
        Check(
            "pitch: difference of two runs from the damped libration, of its start",
            off,
            0.0,
            0.02,
            "closed form: decay by 2 I/c",
        ),
        Check("pitch: mean over that of (2)", ratio, 1.0, 1e-3, "closed form: equation (2)"),
    ]


def coiled(p: Parameters) -> System:
    """The craft with coils, and the law that holds its pitch."""
    (across, along), n = inertia(p), orbit(p).rate
    kp, kd = across * abs(HELD[0]) ** 2 * n**2 - 3 * n**2 * (across - along), -2 * across * HELD[0].real * n
    system = build({**p, "damping": 0.0})
    system.add_part("coils", MagneticTorquer(COILS, Dipole(), orbit(p)), on="craft")

    def law(t: Any, x: Any, z: Any) -> Any:
        torque = -2 * kp * x[0] - kd * x[1]
        over = torque / (x[2] * x[2] + x[3] * x[3])
        return (-x[3] * over, x[2] * over), ()

    sees, drives = ["craft.e2", "craft.wy", "coils_field.bx", "coils_field.bz"], ["coils_x", "coils_z"]
    system.add_block("hold", Block(law, gives=["mx", "mz"], sees=sees, drives=drives))
    return system


def held(p: Parameters) -> Run:
    """Three orbits from a pitch at rest in the orbit's frame."""
    end = 3 * orbit(p).period
    fine: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
    return coiled(p).simulate(end, output=end / 240, **fine)


def _by_coils(p: Parameters) -> list[Check]:
    """Poles at several places of the orbit, the motion, and the moments of the coils."""
    run, n = held(p), orbit(p).rate
    off, level = [], (1.0, 0.0, 0.0, 0.0)
    for part in (0.0, 0.1, 0.25):
        place = coiled(p).simulate(part * orbit(p).period or 1e-3).final
        place["craft.q"], place["craft.rate"] = level, (0.0, 0.0, 0.0)
        off.append(poles_off(coiled(p).linearize(place).eigenvalues() / n, HELD))
    s = n * np.array(HELD)
    exact = p["pitch"] * ((s[1] * np.exp(s[0] * run.t) - s[0] * np.exp(s[1] * run.t)) / (s[1] - s[0])).real
    across = float(np.abs(run["craft.q"][:, [1, 3]]).max())
    return [
        Check("coils: poles of pitch over n, at three places", max(off), 0.0, 1e-8, "identity: as placed, (3)"),
        Check("coils: pitch, largest difference, of its start", float(np.abs(pitch(run) - exact).max() / p["pitch"]), 0.0,
              1e-3, "closed form (3), small turns"),
        Check("coils: turn in roll and yaw, rad", across, 0.0, 1e-12, "closed form: none"),
    ]  # fmt: skip


def figure(run: Run, p: Parameters) -> Figure:
    """Pitch, and the rate of the ball."""
    picture, (left, right) = panels(1, 2, size=(9.6, 3.8))
    n, (across, along) = orbit(p).rate, inertia(p)
    orbits = run.t / orbit(p).period
    left.plot(orbits, np.degrees(pitch(run)), label="pitch")
    left.axhline(math.degrees(-p["damping"] * n / (3 * n**2 * (across - along))), color=GREY, ls=":", label="mean by (2)")
    left.set(xlabel="orbits", ylabel="pitch, degrees")
    legend(left, loc="upper right")
    s2 = np.sin(n * run.t) ** 2
    right.plot(orbits, -run["damper_ball.omega"][:, 1] / n, label="ball")
    right.plot(
        orbits[::6], (3 * (1 + s2) / (1 + 3 * s2))[::6], "o", color=COLOURS[1], mfc="white", ms=3, label="field line, (1)"
    )
    right.set(xlabel="orbits", ylabel="rate, over n", xlim=(0, 2))
    legend(right, loc="upper right")
    title(picture, "Satellite with a magnetic damper")
    return picture


EXAMPLE = Example(
    name="magnetic-damper",
    title="Satellite with a magnetic damper",
    document="Roithmayr, applications of Kane's method",
    chapter="magnetic damper",
    source="Roithmayr, Hu and Chipman 1996",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
