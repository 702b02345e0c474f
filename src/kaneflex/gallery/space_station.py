"""A space station that gyros hold where the torques of gravity and air balance: momentum management, and jets.

Source: B. Wie, K. W. Byun, V. W. Warren, D. Geller, D. Long, J. Sunkel, New approach to attitude/momentum control for the
Space Station, Journal of Guidance, Control, and Dynamics 12 (1989) 714; C. M. Roithmayr's multibody simulation of the
station.

A station with principal inertias I1, I2, I3 (roll, pitch, yaw; forward, against the orbit's normal, down) goes round the
Earth at the rate n. Air turns it with torques of a constant part and parts at n and 2 n. Gyros give the torque -u and take
up the momentum h:

    I w' + w x I w = 3 n^2 c x I c + air - u ,      h' + w x h = u .                                                  (1)

Not to let h grow, the law feeds back the attitude, its rate, h and the integral of h; the station then flies where gravity
balances the constant torque of the air, in pitch at

    3 n^2 (I1 - I3) sin t cos t = air ,                                                                                (2)

7.6 degrees nose down. Resonators at n and 2 n that see the momentum in pitch keep these frequencies out of it: they are
left to the attitude. Gains are those of given poles, by the exact linear model; poles of the closed loop are those again.

Besides: solar arrays on joints that turn once an orbit, without torque (the station turns at -I_a/I n), and jets in a dead
band: with pulses of d seconds and torque T it goes to and fro at T d/(2 I). Units: SI; the source's slug ft^2 are 1.3558
kg m^2.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.signal import place_poles

from kaneflex.analysis.linearize import LinearModel
from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, drum, legend, panels, title
from kaneflex.model.blocks import Resonators, StateFeedback, StateSpace
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import positive
from kaneflex.model.forces import OrbitGravity, Torque
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free, Revolute, Spherical
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.parts import MomentumStore, ThrusterCluster, couples
from kaneflex.model.parts.thruster import G0, Thruster
from kaneflex.model.profiles import constant_rate
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.simulate.sampled import Sampled
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SLUG = 1.3558179483314004  # kg m^2 in one slug ft^2, and N m in one ft lb
DEFAULTS = {
    "roll": 50.28e6,
    "pitch": 10.80e6,
    "yaw": 58.57e6,
    "rate": 0.0011,
    "air": 4.0,
    "side": 1.0,
    "ripple": 1.0,
    "orbits": 16,
}
MU = 3.986004418e14  # m^3/s^2
PITCH = (-1.0, -1.5, -0.8 + 0.8j, -0.8 - 0.8j)  # poles over n, of the source's kind
FILTERS = (-0.3 + 1.3j, -0.3 - 1.3j, -0.3 + 2.3j, -0.3 - 2.3j)
ROLL_YAW = (-1.05 + 0.7j, -1.05 - 0.7j, -0.7 + 0.3j, -0.7 - 0.3j, -0.6 + 1.0j, -0.6 - 1.0j, -1.5, -0.9)
LEVEL = np.column_stack([(0, 1, 0), (0, 0, -1), (-1, 0, 0)])  # forward, against the normal, down at the time 0
#: gain in pitch of the source's poles without filters, ft lb/rad, ft lb s/rad, 1/s, 1/s^2
PITCH_GAIN = (-129.5895, -7.759833e4, -2.675030e-3, -1.008869e-6)
STATES = {
    "pitch": (
        "station.rotation_y",
        "station.wy",
        "cmgs.hy",
        "sum.z_2",
        *(f"filter.a{k}{x}_state" for k in (1, 2) for x in ("", "_rate")),
    ),
    "roll and yaw": tuple(
        f"{x}"
        for k, a in ((1, "x"), (3, "z"))
        for x in (f"station.rotation_{a}", f"station.w{a}", f"cmgs.h{a}", f"sum.z_{k}")
    ),
}


def inertia(p: Parameters) -> np.ndarray:
    """I1, I2, I3, kg m^2."""
    return np.array([positive(p[name], name) for name in ("roll", "pitch", "yaw")]) * SLUG


def plant(p: Parameters) -> System:
    """The station without its loop, level: on a ball joint of a frame that turns with the orbit."""
    n = positive(p["rate"], "rate")
    s = System("space station")
    s.add("orbit", Rigid(0.0), Revolute("z", motion=constant_rate(n)))
    body = Rigid(2.0e5, inertia=tuple(inertia(p)))
    s.add("station", body, Spherical(), parent="orbit", at=Frame((0, 0, 0), LEVEL.tolist()), q=(1, 0, 0, 0))
    s.apply("earth", OrbitGravity(KeplerOrbit(MU, (MU / n**2) ** (1 / 3))))
    s.add_part("cmgs", MomentumStore(), on="station")
    sees = ["cmgs.hx", "cmgs.hy", "cmgs.hz"]
    s.add_block("sum", StateSpace(np.zeros((3, 3)), np.eye(3), np.eye(3), sees=sees))
    s.add_block("filter", Resonators([n, 2 * n], sees="cmgs.hy"))
    s.show("station", drum(4, 60, axis="y"), Box((20, 8, 8)))
    s.show("station", *(Box((12, 30, 0.5), position=(0, 45 * x, 0)) for x in (1, -1)))
    return s


def gain(p: Parameters, names: tuple[str, ...], inputs: tuple[str, ...], poles: Any) -> np.ndarray:
    """K that gives some states, which others do not move, their poles over n; by states that are scaled to be alike."""
    n, linear = p["rate"], _linear(*(p[x] for x in ("roll", "pitch", "yaw", "rate")))
    at, of = [linear.states.index(x) for x in names], [linear.inputs.index(x) for x in inputs]
    power = [_power(x) for x in names]
    scale = np.array([n**a * (inertia(p)[1] if h else 1.0) for a, h in power])
    A, B = linear.A[np.ix_(at, at)] * scale / scale[:, None] / n, linear.B[np.ix_(at, of)] / scale[:, None] / n
    weight = np.abs(B).max()
    K = place_poles(A, B / weight, np.array(poles), rtol=1e-14, maxiter=200).gain_matrix / weight
    return np.asarray(K / scale)


@cache
def _linear(roll: float, pitch: float, yaw: float, rate: float) -> LinearModel:
    """The linear model of the plant in level flight."""
    return plant({"roll": roll, "pitch": pitch, "yaw": yaw, "rate": rate}).linearize()


def _power(name: str) -> tuple[int, bool]:
    """Of n in a state's size, and whether it is momentum and so grows with the inertia."""
    words = {
        "rotation": (0, False),
        ".w": (1, False),
        ".h": (1, True),
        "sum": (0, True),
        "rate_state": (0, True),
        "_state": (-1, True),
    }
    return next(power for word, power in words.items() if word in name)


def build(p: Parameters) -> System:
    """With the loop closed, and the air."""
    s = plant(p)
    sees: list[str] = []
    K = np.zeros((3, 16))
    groups = ((("cmgs_y",), (*PITCH, *FILTERS), "pitch"), (("cmgs_x", "cmgs_z"), ROLL_YAW, "roll and yaw"))
    for inputs, poles, group in groups:
        found = gain(p, STATES[group], inputs, poles)
        for row, name in zip(found, inputs, strict=True):
            K["xyz".index(name[-1]), len(sees) : len(sees) + len(row)] = row
        sees += STATES[group]
    turns = [k for k, name in enumerate(sees) if "rotation" in name]
    K[:, turns] *= 2  # of small turns, which are twice the vector of the quaternion
    channels = [name.replace("rotation_", "e").replace("ex", "e1").replace("ey", "e2").replace("ez", "e3") for name in sees]
    s.add_block("manager", StateFeedback(K, sees=channels, drives=["cmgs_x", "cmgs_y", "cmgs_z"]))
    n, constant, across, ripple = p["rate"], p["air"] * SLUG, p["side"] * SLUG, p["ripple"] * SLUG

    def air(t: float) -> Any:
        wave = ripple * (np.sin(n * t) + 0.5 * np.sin(2 * n * t))
        side = across + wave
        return side, constant + wave + ripple * np.sin(n * t), side

    s.apply("air", Torque("station", air))
    return s


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From level flight without momentum until all has settled."""
    period = 2 * math.pi / p["rate"]
    times = np.linspace(0, p["orbits"] * period, 200 * int(p["orbits"]) + 1)
    return system.simulate(
        float(times[-1]), times=times, method="dop853", rtol=1e-10, atol=1e-10, formulation=formulation, speeds=speeds
    )


def pitch(run: Run) -> np.ndarray:
    """Angle of pitch, rad, from the orientation in the orbit's frame."""
    e = run["station.q"]
    return np.asarray(np.arcsin(np.clip(2 * (e[:, 0] * e[:, 2] - e[:, 1] * e[:, 3]), -1, 1)))


def momentum(run: Run) -> np.ndarray:
    """What is stored, in axes of the station."""
    return np.column_stack([run[f"cmgs.h{x}"] for x in "xyz"])


def checks(run: Run, p: Parameters) -> list[Check]:
    """Poles, gains, where it flies, ripple, momentum; arrays and jets by runs of their own."""
    return [*_poles(run, p), *_attitude(run, p), _balance(run, p), _arrays(p), *_jets(p)]


def _poles(run: Run, p: Parameters) -> list[Check]:
    n, (a, b, c) = p["rate"], inertia(p)
    level = {"station.q": (1.0, 0, 0, 0)}
    open_ = _linear(*(p[x] for x in ("roll", "pitch", "yaw", "rate"))).eigenvalues() / n
    system = build({**p, "air": 0.0, "side": 0.0, "ripple": 0.0})
    closed = system.linearize(level).eigenvalues() / n
    wanted = np.array([*PITCH, *FILTERS, *ROLL_YAW])
    off = max(float(np.abs(closed - x).min()) for x in wanted)
    kx, kz = (b - c) / a, (b - a) / c  # roll and yaw: s^4 + (1 + 3 kx + kx kz) s^2 + 4 kx kz
    roots = np.roots([1, 0, 1 + 3 * kx + kx * kz, 0, 4 * kx * kz])
    fast = roots[np.argmax(roots.real + 1e-3 * roots.imag)]
    growing = open_[np.argmax(np.where(np.abs(open_.imag) > 0.1, open_.real + 1e-3 * open_.imag, -9))]
    straight = open_[np.argmax(np.where(np.abs(open_.imag) < 1e-6, open_.real, -9))]
    closed_form = "closed form: characteristic equations of small turns"
    found = [
        Check("open loop: root of pitch over n", float(straight.real), math.sqrt(3 * (c - a) / b), 1e-9, closed_form),
        Check("open loop: real part of roll and yaw over n", float(growing.real), float(fast.real), 1e-9, closed_form),
        Check("open loop: imaginary part of roll and yaw over n", float(growing.imag), float(fast.imag), 1e-9, closed_form),
        Check("closed loop: poles from those placed, over n", off, 0.0, 1e-8, "identity: poles placed are poles found"),
    ]
    if all(p[x] == DEFAULTS[x] for x in ("roll", "pitch", "yaw", "rate")):
        K = -gain(p, STATES["pitch"][:4], ("cmgs_y",), PITCH)[0] / np.array([SLUG, SLUG, 1.0, 1.0])
        part = max(abs(x / y - 1) for x, y in zip(K, PITCH_GAIN, strict=True))
        source = "pole placement on (1) in pitch by a separate program"
        found.append(Check("gains in pitch, relative difference", part, 0.0, 1e-6, source))
    return found


def _attitude(run: Run, p: Parameters) -> list[Check]:
    n, (a, _, c) = p["rate"], inertia(p)
    last = run.t >= run.t[-1] - 2 * math.pi / n * (1 + 1e-9)
    t, h = run.t[last], momentum(run)[last, 1]
    size = np.abs(run["cmgs.hy"]).max()
    ripple = [abs(np.trapezoid(h * np.exp(-1j * k * n * t), t)) * 2 / (t[-1] - t[0]) / size for k in (1, 2)]
    still = build({**p, "side": 0.0, "ripple": 0.0})
    end = still.simulate(12 * 2 * math.pi / n, method="dop853", rtol=1e-10, atol=1e-10, output=math.pi / n)
    ratio = p["air"] * SLUG / (3 * n**2 * (a - c))
    return [
        Check(
            "pitch under the constant torque, degrees",
            math.degrees(pitch(end)[-1]),
            math.degrees(math.asin(2 * ratio) / 2),
            1e-6,
            "closed form: equation (2)",
        ),
        Check(
            "the same for small angles, degrees",
            math.degrees(ratio),
            -7.6159 * p["air"] / 4,
            1e-4,
            "Wie et al. 1989",
            "documentation",
        ),
        Check(
            "momentum left then, kg m^2/s, over its peak",
            float(np.abs(momentum(end)[-1]).max() / np.abs(momentum(end)).max()),
            0.0,
            1e-7,
            "closed form: the integral of h is at rest",
        ),
        Check("momentum in pitch at n and 2 n, of its peak", max(ripple), 0.0, 1e-9, "closed form: resonators take it out"),
    ]


def _balance(run: Run, p: Parameters) -> Check:
    """Momentum of station and gyros about the mass centre against the integral of gravity's and the air's torque."""
    n, I = p["rate"], np.diag(inertia(p))
    R = run["station.rotation"]
    angle = n * run.t
    down = -np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    c = np.einsum("nji,nj->ni", R, down)
    wave = p["ripple"] * SLUG * (np.sin(angle) + 0.5 * np.sin(2 * angle))
    side = p["side"] * SLUG + wave
    air = np.column_stack([side, p["air"] * SLUG + wave + p["ripple"] * SLUG * np.sin(angle), side])
    torque = np.einsum("nij,nj->ni", R, 3 * n**2 * np.cross(c, c @ I) + air)
    whole = run["momentum.central"] + np.einsum("nij,nj->ni", R, momentum(run))
    given = cumulative_simpson(torque, x=run.t, axis=0, initial=0.0)
    off = float(np.abs(whole - whole[0] - given).max() / np.abs(whole).max())
    return Check("momentum less the integral of outside torque, of its size", off, 0.0, 1e-6, "identity: angular momentum")


def _arrays(p: Parameters) -> Check:
    """Two arrays that turn in the station once an orbit, free of torque."""
    I, Ia = inertia(p)[1], 0.05 * inertia(p)[1]
    s = System("arrays")
    s.add("station", Rigid(2.0e5, inertia=(2 * I, I, 2 * I)), Free(), q=(0, 0, 0, 1, 0, 0, 0))
    for name, side in (("port", 1), ("starboard", -1)):
        body, motion = Rigid(1000.0, inertia=(Ia, Ia, Ia)), constant_rate(p["rate"])
        s.add(name, body, Revolute("y", motion=motion), parent="station", at=(0, 30.0 * side, 0))
    rate = s.simulate(100.0, initial={"station.rate": (0, 0, 0, 0, -2 * Ia / (I + 2 * Ia) * p["rate"], 0)})
    drift = float(rate["station.omega"][-1, 1] / p["rate"])
    left = float(np.abs(rate["momentum.central"]).max() / (I * p["rate"]))
    return Check("rate of the station under its arrays, over n", drift + left, -0.1 / 1.1, 1e-10, "closed form: -I_a/I")


def _jets(p: Parameters) -> list[Check]:
    """One edge of the dead band: a pulse of 0.1 s of two jets of 100 N at 2.5 m turns the drift round."""
    I, edge, d = 1.0e7, math.radians(1.0), 0.1
    drift = 500.0 * d / (2 * I)
    s = System("jets")
    s.add("station", Rigid(1.0e5, inertia=(I, I, I)), Free(), q=(0, 0, 0, 1, 0, 0, 0))
    s.add_part("rcs", ThrusterCluster(Thruster(100.0, 220.0), *couples(2.5)), on="station")

    def fire(t: float, x: Any) -> float:
        return -500.0 if 2 * x[0] > edge and x[1] > 0 else 500.0 if 2 * x[0] < -edge and x[1] < 0 else 0.0

    controller = Sampled(d, fire, sees=["station.e2", "station.wy"], drives=["rcs_ty"])
    angle = edge - 3.05 * drift
    first = {"station.q": (0, 0, 0, math.cos(angle / 2), 0, math.sin(angle / 2), 0), "station.rate": (0, 0, 0, 0, drift, 0)}
    run = s.simulate(8.0, initial=first, controllers=[controller], rtol=1e-10, atol=1e-14)
    after, used = -float(run["station.omega"][-1, 1]), float(run["rcs.propellant"][-1])
    exact = 2 * 2 * 100.0 * d / (220.0 * G0) * 5400.0 / (4 * edge / drift)
    return [
        Check("jets: drift in the dead band, rad/s", after, 2.5e-6, 1e-12, "closed form: T d/(2 I)"),
        Check("jets: period of the limit cycle, s", 4 * edge / after, 27925.268, 1e-2, "closed form: 8 I edge/(T d)"),
        Check(
            "jets: propellant in 5400 s, kg",
            2 * used * 5400.0 * after / (4 * edge),
            exact,
            1e-9,
            "closed form: 2 pulses a period",
        ),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Attitude and momentum over the orbits."""
    picture, (left, right) = panels(1, 2, size=(9.6, 3.8))
    orbits, e = run.t * p["rate"] / (2 * math.pi), run["station.q"]
    for k, (name, angle) in enumerate((("roll", 2 * e[:, 1]), ("pitch", pitch(run)), ("yaw", 2 * e[:, 3]))):
        left.plot(orbits, np.degrees(angle), color=COLOURS[k], label=name)
    n, (a, _, c) = p["rate"], inertia(p)
    balance = math.degrees(math.asin(2 * p["air"] * SLUG / (3 * n**2 * (a - c))) / 2)
    left.axhline(balance, color=GREY, ls=":", label="pitch by (2)")
    left.set(xlabel="orbits", ylabel="attitude, degrees")
    left.margins(y=0.15)
    legend(left, ncols=2, loc="upper right")
    for k, name in enumerate(("roll", "pitch", "yaw")):
        right.plot(orbits, momentum(run)[:, k], color=COLOURS[k], label=name)
    right.set(xlabel="orbits", ylabel="momentum of the gyros, kg m²/s")
    legend(right, loc="upper right")
    title(picture, "Space station: momentum management")
    return picture


EXAMPLE = Example(
    name="space-station",
    title="Space station with momentum management by gyros, arrays and jets",
    document="Roithmayr, applications of Kane's method",
    chapter="space station",
    source="Wie, Byun, Warren, Geller, Long and Sunkel 1989",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
