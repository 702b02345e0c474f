"""A seven-joint arm under joint torques from a sampled controller: PD feedback with gravity compensation.

Source: the law is that of M. Takegaki and S. Arimoto, ASME Journal of Dynamic Systems, Measurement and Control 103 (1981)
119, with a moving target; the arm has the proportions of a KUKA LBR iiwa 14 with rounded masses, all stated below.

With all angles zero the arm stands upright, all frames are parallel to N (z up), and the joints are at the heights OFFSETS
above each other, on one vertical, with axes z, y, z, -y, z, y, z. Each link has its frame at its joint, a mass, a mass
centre and principal central inertias along that frame. The target of each joint runs from START to GOAL on the quintic
q(s) = START + (10 s^3 - 15 s^4 + 6 s^5) (GOAL - START), s = t/MOVE. Every `period` seconds a controller in plain Python
reads angles and rates and sets the torques

    tau = g(q) + Kp (q_target - q) + Kd (q_target' - q')                                                          (1)

with g the torques that hold the arm against gravity, from the package's inverse dynamics; they are held until the next
sample. That makes the work of the motors an exact sum, tau_k . (q_k+1 - q_k) over the samples. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, rod, solid, title, unchanged, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import not_negative, positive
from kaneflex.model.forces import JointForce
from kaneflex.model.joints import Revolute
from kaneflex.model.shapes import Cylinder, Sphere
from kaneflex.results.run import Run
from kaneflex.simulate.sampled import Sampled
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"period": 0.002, "gravity": 9.81, "payload": 2.0, "stiffness": 400.0, "damping": 40.0}
DURATION, MOVE = 2.0, 1.5
SUBSAMPLES = 4  # output samples for each period of the controller

AXES = ((0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1))
OFFSETS = (0.16, 0.20, 0.20, 0.22, 0.20, 0.20, 0.08)  # height of each joint above the one before, m
FLANGE = 0.05  # height of the payload above the last joint, m
MASSES = (5.8, 6.4, 3.5, 3.5, 3.5, 1.8, 1.2)
CENTRES = (
    (0.0, -0.03, 0.12), (0.0, 0.06, 0.06), (0.0, 0.03, 0.13), (0.0, 0.07, 0.03),
    (0.0, -0.02, 0.08), (0.0, 0.0, 0.02), (0.0, 0.0, 0.02),
)  # fmt: skip
INERTIAS = (
    (0.033, 0.033, 0.012), (0.030, 0.030, 0.011), (0.025, 0.024, 0.008), (0.017, 0.016, 0.006),
    (0.010, 0.009, 0.005), (0.005, 0.005, 0.004), (0.001, 0.001, 0.001),
)  # fmt: skip
START = np.array([-0.6, 0.9, 0.3, -1.2, 0.4, 0.8, 0.0])
GOAL = np.array([0.8, 0.4, -0.3, -1.6, -0.5, 1.1, 0.7])
GAINS = np.array([1.0, 1.0, 0.5, 0.5, 0.1, 0.1, 0.005])  # share of stiffness and damping at each joint
JOINTS = tuple(f"link{k}" for k in range(1, 8))
MOTORS = tuple(f"motor{k}" for k in range(1, 8))


def build(p: Parameters) -> System:
    """The arm at rest in START, with one named torque for each joint."""
    system = System("manipulator", gravity=(0, 0, -p["gravity"]))
    not_negative(p["payload"], "payload")
    parent = None
    for k, name in enumerate(JOINTS):
        points = [(p["payload"], (0, 0, FLANGE))] if k == 6 and p["payload"] > 0 else []
        frames = {"tool": (0, 0, FLANGE)} if k == 6 else {}
        link = Rigid(MASSES[k], com=CENTRES[k], inertia=INERTIAS[k], points=points, frames=frames)
        parent = system.add(name, link, Revolute(AXES[k]), parent=parent, at=(0, 0, OFFSETS[k]), q=START[k])
        reach = (*OFFSETS, FLANGE)[k + 1]
        arm = rod((0, 0, 0), (0, 0, reach), 0.045 if k < 6 else 0.03)
        system.show(name, arm, drum(0.055, 0.13, "xyz"[int(np.argmax(np.abs(AXES[k])))], color="grey"))
        system.add_input(MOTORS[k], JointForce(name))
    system.show("link7", Sphere(0.05, position=(0, 0, FLANGE), color="gold"))
    system.show("N", Cylinder(0.1, OFFSETS[0], position=(0, 0, OFFSETS[0] / 2), color="silver"))
    return system


def target(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Angles and rates that the arm should have at time t."""
    s = min(max(t / MOVE, 0.0), 1.0)
    way = GOAL - START
    return START + (10 * s**3 - 15 * s**4 + 6 * s**5) * way, 30 * s**2 * (1 - s) ** 2 / MOVE * way


def controller(p: Parameters) -> Sampled:
    """The law (1), called every `period` seconds."""
    model = build(p).dynamics()  # its motors are at zero: inverse dynamics at rest is g(q)
    Kp, Kd, zero = p["stiffness"] * GAINS, p["damping"] * GAINS, np.zeros(7)

    def law(t: float, x: np.ndarray) -> np.ndarray:
        q, w = x[:7], x[7:]
        q_target, w_target = target(t)
        return model.inverse_dynamics(q, zero, zero) + Kp * (q_target - q) + Kd * (w_target - w)

    sees = [*(f"{j}.q" for j in JOINTS), *(f"{j}.rate" for j in JOINTS)]
    return Sampled(p["period"], law, sees, MOTORS)


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Two seconds in whole periods: the move, and half a second at the goal."""
    period = positive(p["period"], "period of the controller")
    return system.simulate(
        period * round(DURATION / period),
        method="dop853",
        rtol=1e-10,
        atol=1e-12,
        formulation=formulation,
        speeds=speeds,
        output=period / SUBSAMPLES,
        controllers=[controller(p)],
    )


def gravity_torques(p: Parameters, q: np.ndarray) -> np.ndarray:
    """Torques that hold the arm at q: minus the moments of the weights beyond each joint about its axis."""
    R, origin = np.eye(3), np.zeros(3)
    axes, origins, weights = [], [], []
    for k in range(7):
        origin = origin + R @ [0, 0, OFFSETS[k]]
        axis = R @ AXES[k]
        R = R @ _turn(np.array(AXES[k], float), q[k])
        axes.append(axis)
        origins.append(origin)
        weights.append((MASSES[k], origin + R @ CENTRES[k], k))
    weights.append((p["payload"], origin + R @ [0, 0, FLANGE], 6))
    g = np.array([0, 0, -p["gravity"]])
    moments = [sum(axes[i] @ np.cross(place - origins[i], m * g) for m, place, k in weights if k >= i) for i in range(7)]
    return -np.array(moments)


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix about an axis (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * (K @ K)


def checks(run: Run, p: Parameters) -> list[Check]:
    """Gravity torques, the equations of motion along the run, the work of the motors, the goal, the other formulation."""
    tau = np.column_stack([run[m] for m in MOTORS])
    names = [f"joint {k}" for k in range(1, 8)]
    found = [
        worst(
            "torques at the start, N m",
            names,
            tau[0],
            gravity_torques(p, START),
            1e-11,
            "closed form: moments of the weights",
        ),
        _inverse(run, p, tau, names),
        _work(run, tau),
        balance(run, 1e-11),
    ]
    if unchanged(p, DEFAULTS):
        source = "the law (1): at rest only the goal needs no feedback"
        found.append(worst("angles at the end, rad", names, run.q[-1], GOAL, 5e-4, source))
    return [*found, _other_formulation(run, p, names)]


def _inverse(run: Run, p: Parameters, tau: np.ndarray, names: list[str]) -> Check:
    """Accelerations by five-point differences within a hold, put into inverse dynamics: the torques that were applied."""
    dynamics = build(p).dynamics()
    w = np.column_stack([run[f"{j}.rate"] for j in JOINTS])
    h = p["period"] / SUBSAMPLES
    holds = (len(run.t) - 1) // SUBSAMPLES
    middles = SUBSAMPLES * np.linspace(0, holds - 1, 60).astype(int) + SUBSAMPLES // 2
    gaps = []
    for k in middles:
        acceleration = (w[k - 2] - 8 * w[k - 1] + 8 * w[k + 1] - w[k + 2]) / (12 * h)
        gaps.append(dynamics.inverse_dynamics(run.q[k], w[k], acceleration) - tau[k])
    k, joint = np.unravel_index(int(np.argmax(np.abs(gaps))), (len(middles), 7))
    value = float(tau[middles[k], joint] + gaps[k][joint])
    return Check(
        f"torque of {names[joint]} at t = {run.t[middles[k]]:.3f} s from the motion, N m, worst of {7 * len(middles)}",
        value,
        float(tau[middles[k], joint]),
        1e-7 * max(1.0, p["period"] / 0.002) ** 4,
        "identity: inverse dynamics of the motion, differentiated from its samples",
    )


def _work(run: Run, tau: np.ndarray) -> Check:
    """Energy gained against the sum of tau . (change of q) over the holds."""
    q = run.q[::SUBSAMPLES]
    held = tau[SUBSAMPLES // 2 :: SUBSAMPLES][: len(q) - 1]
    work = float(np.sum(held * np.diff(q, axis=0)))
    gained = float(run["energy.total"][-1] - run["energy.total"][0])
    return Check("energy gained, J", gained, work, 2e-11, "identity: work of held torques, tau . (change of q) summed")


def _other_formulation(run: Run, p: Parameters, names: list[str]) -> Check:
    here = run.trajectory.options
    other = "dense" if here.formulation == "recursive" else "recursive"
    again = simulate(build(p), p, formulation=other, speeds=here.speeds)
    source = "identity: recursive and dense are the same equations"
    label = f"angles at the end, rad, {here.formulation} beside {other}"
    return worst(label, names, run.q[-1], again.q[-1], 1e-12, source)


def figure(run: Run, p: Parameters) -> Figure:
    """Angles beside their targets, torques, and the arm along its way."""
    picture, axes = panels(2, 2, size=(10.0, 5.6), width_ratios=(1.35, 1))
    top, bottom = axes[:, 0]
    targets = np.array([target(t)[0] for t in run.t])
    for k in range(7):
        top.plot(run.t, run.q[:, k], color=COLOURS[k])
        top.plot(run.t, targets[:, k], ":", color="#111827", linewidth=1, label="target" if k == 6 else None)
        bottom.plot(run.t, run[MOTORS[k]], color=COLOURS[k], label=f"{k + 1}")
    top.set(ylabel="angle, rad", xticklabels=[])
    bottom.set(xlabel="time, s", ylabel="torque, N m")
    top.margins(y=0.14)
    legend(top, loc="upper right", borderaxespad=0.1)
    legend(bottom, loc="upper right", ncols=7, title="joint", handlelength=1.0, columnspacing=1.0, alignment="right")
    bottom.margins(y=0.3)
    for ax in axes[:, 1]:
        ax.remove()
    _draw(picture.add_subplot(axes[0, 1].get_gridspec()[:, 1], projection="3d"), run)
    title(picture, f"Seven-joint arm, controlled every {1e3 * p['period']:g} ms, payload {p['payload']:g} kg")
    return picture


def _draw(ax: Any, run: Run) -> None:
    """The arm at start and end, faint in between, and the path of the tool."""
    from matplotlib.ticker import MultipleLocator

    places = [run[f"{j}.position"] for j in JOINTS] + [run["link7.tool.position"]]
    points = np.array([np.zeros_like(places[0]), *places])
    for k in np.linspace(0, len(run.t) * MOVE / DURATION, 8).astype(int)[1:-1]:
        ax.plot(*points[:, k].T, color="#9ca3af", linewidth=1.0)
    for k, colour, label in ((0, COLOURS[0], "start"), (-1, COLOURS[1], "end")):
        ax.plot(*points[:, k].T, "-o", color=colour, linewidth=2.4, ms=4, label=label)
    ax.plot(*points[-1].T, color=GREY, linestyle="--", linewidth=1.2, label="path of the tool")
    solid(ax)
    ax.set_aspect("equal")
    ax.set_box_aspect(np.ptp([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1), zoom=0.9)
    ax.view_init(22, -55)
    for axis in "xyz":
        getattr(ax, f"{axis}axis").set_major_locator(MultipleLocator(0.2))
        getattr(ax, f"set_{axis}label")(f"{axis}, m", labelpad=-3)
        ax.tick_params(axis=axis, pad=-2, labelsize="x-small")
    legend(ax, loc="lower center", ncols=3, bbox_to_anchor=(0.5, -0.12), handlelength=1.4, columnspacing=1.0)


EXAMPLE = Example(
    name="manipulator",
    title="Seven-joint arm under a sampled controller with gravity compensation",
    document="Classics",
    chapter="chains and arms",
    source="law: Takegaki and Arimoto (1981); data of a seven-joint arm, stated in the file",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
