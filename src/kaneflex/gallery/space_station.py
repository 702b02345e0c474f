"""A space station that gyros hold where the torques of gravity and air balance: momentum management, and jets.

Source: B. Wie, K. W. Byun, V. W. Warren, D. Geller, D. Long, J. Sunkel, New approach to attitude/momentum control for the
Space Station, Journal of Guidance, Control, and Dynamics 12 (1989) 714; C. M. Roithmayr's multibody simulation of the
station.

A station with principal inertias I1, I2, I3 (roll, pitch, yaw; forward, against the orbit's normal, down) goes round the
Earth at the rate n. Air turns it with torques of a constant part and parts at n and 2 n. Gyros give the torque -u and take
up the momentum h:

    I w' + w × I w = 3 n^2 c × I c + air - u ,      h' + w × h = u .                                                  (1)

Not to let h grow, the law feeds back the attitude, its rate, h and the integral of h; the station then flies where gravity
balances the constant torque of the air, in pitch at

    3 n^2 (I1 - I3) sin t cos t = air ,                                                                                (2)

7.6 degrees nose down. Resonators at n and 2 n keep these frequencies out of what they see (`steady`): out of the
momentum about all three axes, so that they are left to the attitude, or out of pitch and yaw and the momentum in
roll. Roll cannot be kept steady at n: the plant has a zero there, whatever the gains are. Gains are those of given
poles, by the exact linear model; poles of the closed loop are those again.

The gyros are an ideal store of momentum; with `gyros` four of one gimbal each, 4760 kg m^2/s, whose gimbals and wheels are
bodies and which a steering law turns. Both fly alike, and the momentum of all is the integral of the outside torque.

With `arrays` two solar arrays are on alpha joints and turn once an orbit, facing the Sun: bodies on prescribed joints, whose
momentum 2 I_a n about the normal couples roll and yaw. The gains come from the linear model with them, and poles, attitude
(2) and the balance of momentum hold as before.

Besides: arrays on a station without torque, which turns at -I_a/I n, and jets in a dead band: with pulses of d seconds and
torque T it goes to and fro at T d/(2 I) with the period 8 I edge/(T d). Units: SI; the source's slug ft^2 are 1.3558
kg m^2.
"""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.signal import place_poles

from kaneflex.analysis.linearize import LinearModel
from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, drum, legend, panels, poles_off, title, worst
from kaneflex.model.blocks import Block, Resonators, StateFeedback, StateSpace
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import known, positive
from kaneflex.model.forces import OrbitGravity, Torque
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free, Revolute, Spherical
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.parts import ControlMomentGyro, GyroCluster, MomentumStore, ThrusterCluster, couples
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
    "roll": 50.28e6, "pitch": 10.80e6, "yaw": 58.57e6, "rate": 0.0011, "air": 4.0, "side": 1.0, "ripple": 1.0, "orbits": 16,
    "steady": "momentum", "gyros": False, "arrays": False,
}  # fmt: skip
FINE = {"rtol": 1e-10, "atol": 1e-10}
MU = 3.986004418e14  # m^3/s^2
PITCH = (-1.0, -1.5, -0.8 + 0.8j, -0.8 - 0.8j)  # poles over n, of the source's kind
FILTERS = (-0.3 + 1.3j, -0.3 - 1.3j, -0.3 + 2.3j, -0.3 - 2.3j)
SIDE_FILTERS = (-0.25 + 0.9j, -0.25 - 0.9j, -0.4 + 1.2j, -0.4 - 1.2j, -0.25 + 1.9j, -0.25 - 1.9j, -0.35 + 2.3j, -0.35 - 2.3j)
ROLL_YAW = (-1.05 + 0.7j, -1.05 - 0.7j, -0.7 + 0.3j, -0.7 - 0.3j, -0.6 + 1.0j, -0.6 - 1.0j, -1.5, -0.9)
LEVEL = np.column_stack([(0, 1, 0), (0, 0, -1), (-1, 0, 0)])  # forward, against the normal, down at the time 0
#: gain in pitch of the source's poles without filters, ft lb/rad, ft lb s/rad, 1/s, 1/s^2
PITCH_GAIN = (-129.5895, -7.759833e4, -2.675030e-3, -1.008869e-6)
#: what the resonators of roll, pitch and yaw see
SEEN = {"momentum": ("hx", "hy", "hz"), "attitude": ("hx", "e2", "e3")}
AXES = {"pitch": "y", "roll and yaw": "xz"}
#: torque of the air that leaves this ripple in pitch, peak to peak, without resonators, by a separate program, degrees
RIPPLE = 13.13
COMMANDS = ("cmgs_x", "cmgs_y", "cmgs_z")
SHAPE = ("roll", "pitch", "yaw", "rate", "steady", "arrays")  # what the linear model depends on
ARRAY = {"mass": 1000.0, "out": 30.0, "share": 0.05}  # kg; m from the middle; inertia about its joint over the station's
CLUSTER = GyroCluster.pyramid(ControlMomentGyro(4760.0, 6.9, 270.0, bandwidth=1.0), steering="null-motion", gain=0.01)


def states(group: str, filters: bool = True) -> tuple[str, ...]:
    """States of a group of axes: turn, rate, momentum and its sum about each, and the resonators."""
    found = [
        x
        for a in AXES[group]
        for x in (f"station.rotation_{a}", f"station.w{a}", f"cmgs.h{a}", f"sum.z_{1 + 'xyz'.index(a)}")
    ]
    words = [f"{x}_state" for k in (1, 2) for x in (f"a{k}", f"a{k}_rate")] if filters else []
    return (*found, *(f"filter_{a}.{x}" for a in AXES[group] for x in words))


def inertia(p: Parameters) -> np.ndarray:
    """I1, I2, I3, kg m^2."""
    return np.array([positive(p[name], name) for name in ("roll", "pitch", "yaw")]) * SLUG


def plant(p: Parameters) -> System:
    """The station without its loop, level: on a ball joint of a frame that turns with the orbit."""
    n = positive(p["rate"], "rate")
    s = System("space station")
    s.add("orbit", Rigid(0.0), Revolute("z", motion=constant_rate(n)))
    I = inertia(p)
    if p["arrays"]:
        m, d, Ia = ARRAY["mass"], ARRAY["out"], ARRAY["share"] * I[1]
        I = I - 2 * np.array([Ia + m * d**2, Ia, Ia + m * d**2])
    body = Rigid(2.0e5, inertia=tuple(I))
    s.add("station", body, Spherical(), parent="orbit", at=Frame((0, 0, 0), LEVEL.tolist()), q=(1, 0, 0, 0))
    for name, side in (("port", 1), ("starboard", -1)) if p["arrays"] else ():
        alpha = Revolute("y", motion=constant_rate(n))
        s.add(name, Rigid(m, inertia=(Ia, Ia, Ia)), alpha, parent="station", at=(0, side * d, 0))
        s.show(name, Box((12, 30, 0.5), position=(0, 15 * side, 0)))
    s.apply("earth", OrbitGravity(KeplerOrbit(MU, (MU / n**2) ** (1 / 3))))
    s.add_part("cmgs", CLUSTER if p["gyros"] else MomentumStore(), on="station")
    sees = [f"cmgs.h{x}" for x in "xyz"]
    s.add_block("sum", StateSpace(np.zeros((3, 3)), np.eye(3), np.eye(3), sees=sees))
    for x, word in zip("xyz", SEEN[known(p["steady"], SEEN, "steady")], strict=True):
        s.add_block(f"filter_{x}", Resonators([n, 2 * n], sees=f"cmgs.{word}" if word[0] == "h" else f"station.{word}"))
    s.show("station", drum(4, 60, axis="y"), Box((20, 8, 8)))
    s.show("station", *(Box((12, 30, 0.5), position=(0, 45 * x, 0)) for x in (1, -1) if not p["arrays"]))
    return s


def _channel(state: str) -> str:
    """The channel of a state: for turns that of the vector of the quaternion."""
    for k, axis in enumerate("xyz"):
        state = state.replace(f"rotation_{axis}", f"e{k + 1}")
    return state


def gain(p: Parameters, names: tuple[str, ...], inputs: tuple[str, ...], poles: Any) -> np.ndarray:
    """K that gives some states, which others do not move, their poles over n; by states that are scaled to be alike."""
    n, linear = p["rate"], _linear(*(p[x] for x in SHAPE))
    at, of = [linear.states.index(x) for x in names], [linear.inputs.index(x) for x in inputs]
    power = [_power(x, p) for x in names]
    scale = np.array([n**a * (inertia(p)[1] if h else 1.0) for a, h in power])
    A, B = linear.A[np.ix_(at, at)] * scale / scale[:, None] / n, linear.B[np.ix_(at, of)] / scale[:, None] / n
    weight = np.abs(B).max()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # shapes of the modes are still being improved; the poles are there
        K = place_poles(A, B / weight, np.array(poles)).gain_matrix / weight
    return np.asarray(K / scale)


@cache
def _linear(*shape: Any) -> LinearModel:
    """The linear model of the plant in level flight, with the ideal store."""
    return plant({**dict(zip(SHAPE, shape, strict=True)), "gyros": False}).linearize()


def _power(name: str, p: Parameters) -> tuple[int, bool]:
    """Of n in a state's size, and whether it is momentum and so grows with the inertia."""
    words = {"rotation": (0, False), ".w": (1, False), ".h": (1, True), "sum": (0, True)}
    if not name.startswith("filter"):
        return next(power for word, power in words.items() if word in name)
    momentum = SEEN[p["steady"]]["xyz".index(name[7])][0] == "h"
    return (-1 if "rate" in name else -2) + momentum, momentum


def _manager(p: Parameters, filters: bool = True) -> StateFeedback:
    """The law of all three axes, with or without resonators."""
    sees: list[str] = []
    more = (FILTERS, SIDE_FILTERS) if filters else ((), ())
    groups = {"pitch": (("cmgs_y",), PITCH + more[0]), "roll and yaw": (("cmgs_x", "cmgs_z"), ROLL_YAW + more[1])}
    K = np.zeros((3, sum(len(states(group, filters)) for group in groups)))
    for group, (inputs, poles) in groups.items():
        names = states(group, filters)
        for row, name in zip(gain(p, names, inputs, poles), inputs, strict=True):
            K["xyz".index(name[-1]), len(sees) : len(sees) + len(row)] = row
        sees += names
    turns = [k for k, name in enumerate(sees) if "rotation" in name]
    K[:, turns] *= 2  # of small turns, which are twice the vector of the quaternion
    return StateFeedback(K, sees=[_channel(name) for name in sees], drives=() if p["gyros"] else COMMANDS)


def _turned() -> Block:
    """Commands of the gyros: the torque that is wanted, and what turns their momentum along with the station, w x h."""

    def law(t: Any, x: Any, z: Any) -> Any:
        w, h = x[3:6], x[6:9]
        return (x[0] + w[1] * h[2] - w[2] * h[1], x[1] + w[2] * h[0] - w[0] * h[2], x[2] + w[0] * h[1] - w[1] * h[0]), ()

    sees = [*(f"manager.u{k}" for k in (1, 2, 3)), "station.omega", *(f"cmgs.h{x}" for x in "xyz")]
    return Block(law, sees=sees, drives=COMMANDS)


def build(p: Parameters, filters: bool = True) -> System:
    """With the loop closed, and the air; `filters=False`: without resonators."""
    s = plant(p)
    s.add_block("manager", _manager(p, filters))
    if p["gyros"]:
        s.add_block("steering", _turned())
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
    more: dict[str, Any] = {"method": "radau5", "rtol": 1e-9, "atol": 1e-10} if p["gyros"] else {"method": "dop853", **FINE}
    return system.simulate(float(times[-1]), times=times, formulation=formulation, speeds=speeds, **more)


def pitch(run: Run) -> np.ndarray:
    """Angle of pitch, rad, from the orientation in the orbit's frame."""
    e = run["station.q"]
    return np.asarray(np.arcsin(np.clip(2 * (e[:, 0] * e[:, 2] - e[:, 1] * e[:, 3]), -1, 1)))


def momentum(run: Run) -> np.ndarray:
    """What is stored, in axes of the station: the momentum of the wheels, or of the ideal store."""
    return np.column_stack([run[f"cmgs.h{x}"] for x in "xyz"])


def checks(run: Run, p: Parameters) -> list[Check]:
    """Poles, gains, where it flies, ripple, momentum; arrays and jets by runs of their own."""
    found = [*_poles({**p, "arrays": False}), *_attitude(run, p), _balance(run, p), _unfiltered(), *_others(p)]
    return [*found, *_on_alpha_joints(p), _arrays(p), *_jets(), *_limit_cycle()]


def _poles(p: Parameters) -> list[Check]:
    n, (a, b, c) = p["rate"], inertia(p)
    level = {"station.q": (1.0, 0, 0, 0)}
    open_ = _linear(*(p[x] for x in SHAPE)).eigenvalues() / n
    system = build({**p, "air": 0.0, "side": 0.0, "ripple": 0.0, "gyros": False})
    closed = system.linearize(level).eigenvalues() / n
    wanted = np.array([*PITCH, *FILTERS, *ROLL_YAW, *SIDE_FILTERS])
    off = poles_off(closed, wanted)
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
        K = -gain(p, states("pitch", filters=False), ("cmgs_y",), PITCH)[0] / np.array([SLUG, SLUG, 1.0, 1.0])
        part = max(abs(x / y - 1) for x, y in zip(K, PITCH_GAIN, strict=True))
        source = "pole placement on (1) in pitch by a separate program"
        found.append(Check("gains in pitch, relative difference", part, 0.0, 1e-6, source))
    return found


def _attitude(run: Run, p: Parameters) -> list[Check]:
    n, (a, _, c) = p["rate"], inertia(p)
    still = build({**p, "side": 0.0, "ripple": 0.0, "gyros": False})
    end = still.simulate(12 * 2 * math.pi / n, method="dop853", rtol=1e-10, atol=1e-10, output=math.pi / n)
    ratio = p["air"] * SLUG / (3 * n**2 * (a - c))
    found, wanted, small = math.degrees(pitch(end)[-1]), math.degrees(math.asin(2 * ratio) / 2), -7.6159 * p["air"] / 4
    left = float(np.abs(momentum(end)[-1]).max() / np.abs(momentum(end)).max())
    source = "closed form: the integral of h is at rest"
    return [
        Check("pitch under the constant torque, degrees", found, wanted, 1e-6, "closed form: equation (2)"),
        Check("the same for small angles, degrees", math.degrees(ratio), small, 1e-4, "Wie et al. 1989", "documentation"),
        Check("momentum left then, kg m^2/s, over its peak", left, 0.0, 1e-7, source),
        *_ripple(run, p),
    ]


def harmonics(run: Run, p: Parameters) -> dict[str, float]:
    """What is left at n and 2 n over the last orbit of momentum and turns, of their largest values."""
    n = p["rate"]
    last = run.t >= run.t[-1] - 2 * math.pi / n * (1 + 1e-9)
    t, found = run.t[last], {}
    values = {f"h{x}": momentum(run)[:, k] for k, x in enumerate("xyz")}
    values |= {f"e{k}": run["station.q"][:, k] for k in (1, 2, 3)}
    for name, x in values.items():
        parts = [abs(np.trapezoid(x[last] * np.exp(-1j * k * n * t), t)) * 2 / (t[-1] - t[0]) for k in (1, 2)]
        found[name] = max(parts) / float(np.abs(x).max())
    return found


def _ripple(run: Run, p: Parameters) -> list[Check]:
    """What the resonators see has none of their frequencies."""
    left = harmonics(run, p)
    names, source = SEEN[p["steady"]], "closed form: resonators take it out"
    return [worst("left at n and 2 n, of the largest", names, [left[x] for x in names], [0.0] * 3, 4e-7, source)]


def _unfiltered() -> Check:
    """Ripple of pitch without resonators, for torques so small that (1) is linear, over their size."""
    part = 1e-3
    few: dict[str, Any] = {**DEFAULTS, "air": 4.0 * part, "ripple": part, "side": 0.0}
    s, n = build(few, filters=False), few["rate"]
    period = 2 * math.pi / n
    end = s.simulate(9 * period, times=np.linspace(0, 9 * period, 1801), method="dop853", rtol=1e-9, atol=1e-11)
    ripple = math.degrees(float(np.ptp(pitch(end)[-200:]))) / part
    return Check("ripple of pitch without resonators, degrees", ripple, RIPPLE, 5e-3, "separate program: (1) in pitch")


def _others(p: Parameters) -> list[Check]:
    """An orbit with gyros as bodies beside the ideal store, and their momentum."""
    few, runs = {"orbits": 1}, []
    for gyros in (False, True):
        other = {**p, **few, "gyros": gyros}
        runs.append(simulate(build(other), other))
    ideal, real = runs
    turn = float(np.abs(real["station.q"] - ideal["station.q"]).max()) * 2
    stored = float(np.abs(momentum(real) - momentum(ideal)).max() / np.abs(momentum(ideal)).max())
    source = "identity: wheels take up what the ideal store does"
    balance, name = _balance(real, {**p, **few, "gyros": True}), "momentum less the integral of outside torque, of its size"
    return [
        Check("gyros as bodies: attitude from that with the ideal store, rad", turn, 0.0, 5e-5, source),
        Check("gyros as bodies: momentum from that of the ideal store, of its largest", stored, 0.0, 1e-3, source),
        Check(f"gyros as bodies: {name}", balance.value, 0.0, 1e-5, balance.source),
    ]


def _balance(run: Run, p: Parameters) -> Check:
    """Momentum of station and gyros about the mass centre against the integral of gravity's and the air's torque."""
    n, R, I = p["rate"], run["station.rotation"], run["mass_centre.inertia"]
    angle = n * run.t
    up = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    wave = p["ripple"] * SLUG * (np.sin(angle) + 0.5 * np.sin(2 * angle))
    side = p["side"] * SLUG + wave
    air = np.column_stack([side, p["air"] * SLUG + wave + p["ripple"] * SLUG * np.sin(angle), side])
    torque = 3 * n**2 * np.cross(up, np.einsum("nij,nj->ni", I, up)) + np.einsum("nij,nj->ni", R, air)
    stored = 0.0 if p["gyros"] else np.einsum("nij,nj->ni", R, momentum(run))  # gyros that are bodies are counted already
    whole = run["momentum.central"] + stored
    given = cumulative_simpson(torque, x=run.t, axis=0, initial=0.0)
    off = float(np.abs(whole - whole[0] - given).max() / np.abs(whole).max())
    return Check("momentum less the integral of outside torque, of its size", off, 0.0, 1e-6, "identity: angular momentum")


def _on_alpha_joints(p: Parameters) -> list[Check]:
    """The managed station with arrays that turn: open and closed loop, where it flies, its momentum."""
    n, (a, b, c) = p["rate"], inertia(p)
    turning = {**p, "arrays": True, "gyros": False, "side": 0.0, "ripple": 0.0, "orbits": 12}
    open_ = _linear(*(turning[x] for x in SHAPE)).eigenvalues() / n
    h = 2 * ARRAY["share"] * b  # n h: momentum of the arrays along y, beside that of turning with the station
    roll, yaw, both = (4 * (b - c) - h) / a, (b - a - h) / c, (a - b + c + h) ** 2 / (a * c)
    roots = np.roots([1, 0, roll + yaw + both, 0, roll * yaw])
    off = poles_off(open_, roots)
    closed = build({**turning, "air": 0.0}).linearize({"station.q": (1.0, 0, 0, 0)}).eigenvalues() / n
    wanted = np.array([*PITCH, *FILTERS, *ROLL_YAW, *SIDE_FILTERS])
    moved = poles_off(closed, wanted)
    end = simulate(build(turning), turning)
    level = math.degrees(math.asin(2 * p["air"] * SLUG / (3 * n**2 * (a - c))) / 2)
    balance = _balance(end, turning)
    return [
        Check("arrays that turn: open loop of roll and yaw, over n", off, 0.0, 1e-9, "closed form: 2 I_a n along y"),
        Check("arrays that turn: poles from those placed, over n", moved, 0.0, 1e-8, "identity: poles placed are found"),
        Check("arrays that turn: pitch, degrees", math.degrees(pitch(end)[-1]), level, 1e-6, "closed form: equation (2)"),
        Check("arrays that turn: momentum less outside torque, of its size", balance.value, 0.0, 1e-6, balance.source),
    ]


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


def _jets() -> list[Check]:
    """One edge of the dead band: a pulse of 0.1 s of two jets of 100 N at 2.5 m turns the drift round. There and back the
    drift takes 8 I edge/(T d) = 27925.268 s, and the period with its two pulses 27925.468 s, printed as 27925.5 s."""
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
    run = s.simulate(8.0, output=d, initial=first, controllers=[controller], rtol=1e-10, atol=1e-14)
    after = -float(run["station.omega"][-1, 1])
    period = 4 * edge / after - 2 * float(np.sum(run["rcs_ty"][:-1] * np.diff(run.t))) / 500.0  # drift and both pulses
    used = 2 * float(run["rcs.propellant"][-1]) * 5400.0 / period
    exact, source = 2 * 2 * 100.0 * d / (220.0 * G0) * 5400.0 / (4 * edge / drift + 2 * d), "closed form: 2 pulses a period"
    return [
        Check("jets: drift in the dead band, rad/s", after, 2.5e-6, 1e-12, "closed form: T d/(2 I)"),
        Check("jets: period of the limit cycle, s", period, 27925.468, 1e-2, "closed form: 8 I edge/(T d) + 2 d"),
        Check("jets: period of the limit cycle, printed, s", period, 27925.5, 0.05, "closed form, printed"),
        Check("jets: propellant in 5400 s, kg", used, exact, 1e-9, source),
        Check("jets: propellant in 5400 s, printed, kg", used, 3.585e-3, 6e-7, "closed form, printed"),
    ]


def _limit_cycle() -> list[Check]:
    """Three periods in the dead band with pulses of 2 s, beside parabolas: T d/(2 I) to and fro, two pulses a period."""
    I, edge, d, T = 1.0e7, math.radians(1.0), 2.0, 500.0
    drift = T * d / (2 * I)
    s = System("limit cycle")
    s.add("station", Rigid(1.0e5, inertia=(I, I, I)), Free(), q=(0, 0, 0, 1, 0, 0, 0), rates=(0, 0, 0, 0, drift, 0))
    s.add_part("rcs", ThrusterCluster(Thruster(100.0, 220.0), *couples(2.5)), on="station")

    def fire(t: float, x: Any) -> float:
        return -T if x[0] > edge and x[1] > 0 else T if x[0] < -edge and x[1] < 0 else 0.0

    turned = lambda t, x: fire(t, (2 * math.asin(x[0]), x[1]))
    jets = Sampled(d, turned, sees=["station.e2", "station.wy"], drives=["rcs_ty"])
    count = round(3 * (4 * edge / drift) / d)
    run = s.simulate(count * d, output=d, controllers=[jets], method="dop853", rtol=1e-11, atol=1e-14)
    angle, rate, fired, rows = 0.0, drift, 0, []
    for k in range(count + 1):
        rows.append(angle)
        torque = fire(0.0, (angle, rate))
        fired += torque != 0 and k < count
        angle, rate = angle + rate * d + torque * d * d / (2 * I), rate + torque * d / I
    here = 2 * np.arcsin(run["station.q"][:, 5])
    edges = run.t[1:][(np.diff(here) <= 0) & (np.diff(np.append(here, 0))[:-1] <= 0) & (here[1:] > edge)]
    period = float(np.diff(edges[np.append(True, np.diff(edges) > 100 * d)]).mean())
    used = fired * 2 * 100.0 * d / (220.0 * G0)
    by, spent = "parabolas of the same pulses, by hand", float(run["rcs.propellant"][-1])
    return [
        Check("limit cycle: angle, largest difference, of the edge", float(np.abs(here - rows).max() / edge), 0.0, 1e-7, by),
        Check("limit cycle: period, s", period, 4 * edge / drift + 2 * d, 2 * d, "closed form: 8 I edge/(T d), and pulses"),
        Check("limit cycle: propellant, kg", spent, used, 1e-9, "closed form: two pulses a period"),
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
