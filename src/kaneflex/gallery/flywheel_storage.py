"""Flywheels that hold a spacecraft's attitude and store its energy at once.

Source: C. M. Roithmayr, C. D. Karlgaard, R. R. Kumar, D. M. Bose, Integrated power and attitude control with spacecraft
flywheels and control moment gyroscopes, Journal of Guidance, Control, and Dynamics 27 (2004) 859.

Wheels of inertia J spin at W_i about axes a_i. Their motors give torques T_i such that the body feels the torque t and the
wheels take up the power P,

    sum a_i T_i = -t ,     sum W_i T_i = P ,                                                                          (1)

of which with four wheels or more the solution of least squares is taken, first law; in the second, counter-rotating pairs
take up power without torque: T = P/(2 W) and its opposite. Bearing drag is added to the motors; what is left of it acts on
the error e of the stored energy, on which the power commanded is fed back, P = P_ref + k e:

    e' = -k e ,     e = E_ref - sum J W_i^2/2 .                                                                       (2)

Where there are control moment gyros besides, they hold the attitude by the second law, and the pair is left with the power.

Small turns a of the body, I' its inertia less that of the wheels about their axes and h their momentum, obey

    I' a'' = h x a' - kp a - kd a' .                                                                                   (3)

Power is taken up by day and given back by night, P_ref = P sin n t: after an orbit all speeds are what they were, since
under (1) without torque they go back the way they came. Attitude does not feel any of it. Units: SI.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, drum, legend, panels, poles_off, title, worst
from kaneflex.model.blocks import AttitudeControl, Block
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import positive
from kaneflex.model.forces import Torque
from kaneflex.model.joints import Free
from kaneflex.model.parts import ControlMomentGyro, GyroCluster, ReactionWheel
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"wheel": 0.3, "power": 1500.0, "drag": 1e-5, "gain": 0.01, "error": 2.0e4, "rate": 0.0011}
TORQUE = 0.05  # N m from outside, of the second law
INERTIA = (2.0e4, 3.0e4, 4.0e4)  # of the body with its wheels locked, kg m^2
LOOP: dict[str, Any] = {"kp": 200.0, "kd": 4000.0}
AXES = np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1 / math.sqrt(3),) * 3])
SPEEDS = (4500.0, -4400.0, 4600.0, -4300.0)
WHEELS = ("w1", "w2", "w3", "w4")
#: least norm of (1) for t = (1, -2, 0.5) N m, P = 1500 W, J = 0.3 kg m^2, by a separate program, rad/s^2
PUBLISHED = (1.358867, 11.358867, 3.025534, -8.127130)


def law(p: Parameters) -> Any:
    """Steering by (1) and (2): of t and (torque, speeds), with the reference of the energy as its state."""
    A = np.ascontiguousarray(AXES.T)
    J, P, c, k, n = (float(p[name]) for name in ("wheel", "power", "drag", "gain", "rate"))

    def steer(t: Any, x: Any, z: Any) -> Any:
        stored = 0 * x[0]
        for i in range(4):
            stored += J * x[3 + i] * x[3 + i] / 2
        error = z[0] - stored
        wanted = P * np.sin(n * t)
        M, b = np.zeros((4, 4), x.dtype), np.zeros(4, x.dtype)
        for i in range(4):
            for j in range(3):
                M[j, i] = A[j, i]
            M[3, i] = x[3 + i]
        for j in range(3):
            b[j] = -x[j]
        b[3] = wanted + k * error
        T = np.linalg.solve(M, b)  # of least squares with more wheels; with four the only one
        return (T[0] + c * x[3], T[1] + c * x[4], T[2] + c * x[5], T[3] + c * x[6], error, stored), wanted

    return steer


def craft(p: Parameters) -> System:
    """The body with its wheels."""
    s = System("flywheel storage")
    s.add("bus", Rigid(5000.0, inertia=INERTIA), Free(), q=(0, 0, 0, 1, 0, 0, 0))
    for name, axis, speed in zip(WHEELS, AXES, SPEEDS, strict=True):
        wheel = ReactionWheel(tuple(axis), positive(p["wheel"], "wheel"), viscous=p["drag"], rate=speed)
        s.add_part(name, wheel, on="bus")
    s.show("bus", Box((2, 2, 2)), *(drum(0.4, 0.2, axis=x, position=tuple(1.2 * np.eye(3)[k])) for k, x in enumerate("xyz")))
    return s


def build(p: Parameters) -> System:
    """Attitude control, and the steering of its torque and of the power."""
    s = craft(p)
    s.add_block("control", AttitudeControl("bus", **LOOP))
    start = p["wheel"] / 2 * float(np.square(SPEEDS).sum()) + p["error"]
    sees = [*(f"control.t{x}" for x in "xyz"), *(f"{name}.rate" for name in WHEELS)]
    gives = ["c1", "c2", "c3", "c4", "error", "stored"]
    s.add_block("steering", Block(law(p), states=["reference"], initial=[start], gives=gives, sees=sees))
    for k, name in enumerate(WHEELS):
        gear = Block(lambda t, x, z: (x[0], ()), gives=["torque"], sees=[f"steering.c{k + 1}"], drives=[name])
        s.add_block(f"to_{name}", gear)
    s.set_unit("steering.error", "J")
    s.set_unit("steering.stored", "J")
    return s


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """One orbit."""
    period = 2 * math.pi / p["rate"]
    return system.simulate(
        period, output=period / 400, method="dop853", rtol=1e-11, atol=1e-11, formulation=formulation, speeds=speeds
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """The law, its error, the attitude, the way back, momentum; the pair."""
    e = run["steering.error"]
    decay = p["error"] * np.exp(-p["gain"] * run.t)
    speeds = np.column_stack([run[f"{name}.rate"] for name in WHEELS])
    still = build({**p, "error": 0.0})
    period = 2 * math.pi / p["rate"]
    back = still.simulate(period, output=period / 50, method="dop853", rtol=1e-11, atol=1e-11)
    ends = np.column_stack([back[f"{name}.rate"] for name in WHEELS])
    H = run["momentum.central"]
    size = p["wheel"] * np.abs(speeds).max()
    found = [
        Check(
            "error of the energy from exp(-k t), of its start",
            float(np.abs(e - decay).max() / p["error"]),
            0.0,
            1e-7,
            "closed form: equation (2)",
        ),
        Check(
            "turn of the body while the wheels are charged, rad",
            float(np.abs(run["bus.q"][:, 4:]).max()),
            0.0,
            1e-7,
            "closed form: no torque",
        ),
        Check(
            "speeds after an orbit from those at the start, rad/s",
            float(np.abs(ends[-1] - ends[0]).max()),
            0.0,
            1e-6,
            "closed form: the way back",
        ),
        Check(
            "change of the whole angular momentum, of a wheel's",
            float(np.abs(H - H[0]).max() / size),
            0.0,
            1e-10,
            "identity: no torque from outside",
        ),
        Check(
            "energy taken up by half the orbit, J, over P",
            float((back["steering.stored"].max() - back["steering.stored"][0]) / p["power"]),
            2 / p["rate"],
            1e-8,
            "closed form: integral of the sine",
        ),
    ]
    return [*found, _poles(p), *_law(p), *_pair(p), *_with_gyros(p)]


def _poles(p: Parameters) -> Check:
    """Of the whole loop: those of (3), and that of (2)."""
    I, eye = np.diag(INERTIA) - p["wheel"] * AXES.T @ AXES, np.eye(3)
    h = p["wheel"] * np.array(SPEEDS) @ AXES
    gyroscopic = np.cross(h, eye).T  # h x
    A = np.vstack([np.eye(3, 6, 3), np.linalg.solve(I, np.hstack([-LOOP["kp"] * eye, gyroscopic - LOOP["kd"] * eye]))])
    found = build({**p, "error": 0.0}).linearize().eigenvalues()
    wanted = np.append(np.linalg.eigvals(A), -p["gain"])
    off = poles_off(found, wanted, relative=True)
    return Check("poles of attitude and energy, relative", off, 0.0, 1e-8, "closed form: (3), and (2)")


def _law(p: Parameters) -> list[Check]:
    """Speeding up of the wheels under a torque and a power that are given."""
    s = craft({**p, "wheel": 0.3, "drag": 0.0})
    M = np.vstack([AXES.T, SPEEDS])
    T = np.linalg.lstsq(M, np.array([-1.0, 2.0, -0.5, 1500.0]), rcond=None)[0]
    motors = dict(zip(WHEELS, T, strict=True))
    found = s.channels(None, "bus.alpha", *(f"{name}.motor" for name in WHEELS), inputs=motors)
    rates = np.array([found[f"{name}.motor"] for name in WHEELS]) / 0.3
    steering = law({**DEFAULTS, "drag": 0.0, "gain": 0.0, "rate": math.pi / 2})
    x = np.array([1.0, -2.0, 0.5, *SPEEDS])
    own = np.array(steering(1.0, x, np.zeros(1))[0][:4]) / 0.3
    off = max(float(np.abs(rates - PUBLISHED).max()), float(np.abs(own - PUBLISHED).max()))
    # the body with its wheels locked, less what turns with the wheels about their axes
    I = np.diag(INERTIA) - 0.3 * AXES.T @ AXES
    turn = np.linalg.solve(I, (1.0, -2.0, 0.5))
    return [
        Check(
            "least squares of torque and power, rad/s^2, from the others",
            off,
            0.0,
            1e-6,
            "separate program: least norm of (1)",
        ),
        Check(
            "the body's acceleration under it, relative",
            float(np.linalg.norm(found["bus.alpha"] - turn) / np.linalg.norm(turn)),
            0.0,
            1e-9,
            "closed form: I w' = t",
        ),
    ]


def _pair(p: Parameters) -> list[Check]:
    """Two wheels that turn against each other at 4500 rad/s and take up 1500 W: second law."""
    s = System("pair")
    s.add("bus", Rigid(100.0, inertia=(50.0, 50.0, 50.0)), Free(), q=(0, 0, 0, 1, 0, 0, 0))
    s.apply("nothing", Torque("bus", (0.0, 0.0, 0.0)))
    for name, speed in (("left", 4500.0), ("right", -4500.0)):
        s.add_part(name, ReactionWheel((0, 0, 1), 0.3, rate=speed), on="bus")
    torque = 1500.0 / (2 * 4500.0)
    run = s.simulate(10.0, inputs={"left": torque, "right": -torque}, method="dop853", rtol=1e-12, atol=1e-12)
    rate = float(run["left.rate"][-1] - 4500.0) / 10.0
    power = float(run["left.power"][0] + run["right.power"][0])
    stored = 0.3 * 4500.0**2 / 2 / 3.6e6
    return [
        Check("pair: speeding up, rad/s^2", rate, 0.555556, 1e-6, "closed form: P/(2 J W)"),
        Check("pair: motor torque, N m", float(run["left.motor"][0]), 0.166667, 1e-6, "closed form: P/(2 W)"),
        Check("pair: power, W", power, 1500.0, 1e-9, "closed form: T W of both"),
        Check("pair: the body's rate, rad/s", float(np.abs(run["bus.omega"]).max()), 0.0, 1e-12, "closed form: no torque"),
        Check("energy in one wheel, kWh", stored, 0.84375, 1e-9, "closed form: J W^2/2", "documentation"),
    ]


def _with_gyros(p: Parameters) -> list[Check]:
    """Second law: gyros hold the attitude against a torque from outside while a pair of wheels is charged."""
    J, c, k, P, torque = (float(x) for x in (p["wheel"], p["drag"], p["gain"], p["power"], TORQUE))
    s = System("flywheels and gyros")
    s.add("bus", Rigid(5000.0, inertia=INERTIA), Free(), q=(0, 0, 0, 1, 0, 0, 0))
    s.add_part("gyros", GyroCluster.pyramid(ControlMomentGyro(200.0, 0.5, 20.0, bandwidth=2.0)), on="bus")
    for name, speed in (("left", 4500.0), ("right", -4500.0)):
        s.add_part(name, ReactionWheel((0, 0, 1), J, viscous=c, rate=speed), on="bus")

    def charge(t: Any, x: Any, z: Any) -> Any:
        error = z[0] - J * (x[0] * x[0] + x[1] * x[1]) / 2
        power = P + k * error
        return (power / (2 * x[0]) + c * x[0], power / (2 * x[1]) + c * x[1], error), P

    start = J * 4500.0**2 + p["error"]
    gives, sees = ["left_torque", "right_torque", "error"], ["left.rate", "right.rate"]
    s.add_block("charge", Block(charge, states=["reference"], initial=[start], gives=gives, sees=sees))
    for name in ("left", "right"):
        s.add_block(
            f"to_{name}", Block(lambda t, x, z: (x[0], ()), gives=["torque"], sees=[f"charge.{name}_torque"], drives=[name])
        )
    s.add_block("control", AttitudeControl("bus", **LOOP, drives=["gyros_x", "gyros_y", "gyros_z"]))
    s.apply("outside", Torque("bus", (torque, 0, 0), axes="inertial"))
    run = s.simulate(400.0, output=4.0, method="radau5", rtol=1e-9, atol=1e-11)
    decay = p["error"] * np.exp(-k * run.t)
    off = float(np.abs(run["charge.error"] - decay).max() / p["error"])
    H = run["momentum.central"] - torque * np.outer(run.t, (1.0, 0.0, 0.0))
    turn = 2 * run["bus.q"][-1, 4:]
    return [
        Check("gyros: error of the energy from exp(-k t), of its start", off, 0.0, 1e-6, "closed form: equation (2)"),
        Check(
            "gyros: momentum less the integral of the torque, N m s", float(np.abs(H - H[0]).max()), 0.0, 5e-9, "identity"
        ),
        worst(
            "gyros: turn at the end, rad", "xyz", turn, (torque / LOOP["kp"], 0.0, 0.0), 1e-9, "closed form: torque over kp"
        ),
        Check(
            "gyros: momentum of their wheels, N m s", float(run["gyros.hx"][-1]), torque * 400.0, 0.01, "closed form: T t"
        ),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Speeds of the wheels, and the error of the energy."""
    picture, (left, right) = panels(1, 2, size=(9.6, 3.8))
    minutes = run.t / 60
    for k, name in enumerate(WHEELS):
        left.plot(minutes, np.abs(run[f"{name}.rate"]), color=COLOURS[k], label=f"wheel {k + 1}")
    left.set(xlabel="minutes", ylabel="size of the speed, rad/s")
    legend(left, ncols=2, loc="lower center")
    right.semilogy(minutes, np.abs(run["steering.error"]) + 1e-9, label="run")
    right.semilogy(
        minutes[::8], p["error"] * np.exp(-p["gain"] * run.t[::8]), "o", color=GREY, mfc="white", ms=4, label="closed form"
    )
    right.set(xlabel="minutes", ylabel="error of the energy, J", ylim=(1e-4, None))
    legend(right, loc="upper right")
    title(picture, "Flywheels: attitude and energy at once")
    return picture


EXAMPLE = Example(
    name="flywheel-storage",
    title="Flywheels that hold the attitude and store energy",
    document="Roithmayr, applications of Kane's method",
    chapter="energy storage",
    source="Roithmayr, Karlgaard, Kumar and Bose 2004",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
