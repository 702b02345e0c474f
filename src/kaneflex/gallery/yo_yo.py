"""Yo-yo despin: two masses on cords that unwind from a spinning drum take its spin away.

Source: J. V. Fedor, Theory and Design Curves for a Yo-Yo De-Spin Mechanism for Satellites, NASA TN D-708 (1961); closed
forms derived for this file from energy and angular momentum.

A drum with radius R and inertia I spins at w0. Two masses, m together, are let go at the rim, each on a cord that is wound
around it; the cord leaves the drum along the tangent. With f the angle that is unwound, energy and angular momentum give

    f' = w0 ,   w = w0 (c - f^2)/(c + f^2) ,   c = 1 + I/(m R^2) ,   T = 2 c I w0^2 f/(R (c + f^2)^2) ,             (1)

T being the tension of each cord. A cord is let go as a tangent when all of it, the length l, is unwound. Or it stays on a
hinge at the rim, swings on until it is radial, and is let go there: with u the velocity of the masses at that moment,

    I w + m (R + l) u = (I + m R^2) w0 ,   I w^2 + m u^2 = (I + m R^2) w0^2 .                                       (2)

The spin is gone at l = R sqrt(c) with tangential, and at l = R (sqrt(c) - 1) with radial release, whatever w0 is.

A mass hangs on the drum by a joint whose one coordinate is f, its pose that of an involute. The body's origin is the far end
of the cord: when all is unwound, it is the hinge, to which the body is attached at that event. It is cut off at the next.
A mass that has just left the rim does not yet fix how fast the cord unwinds: the run starts at f = 0.1. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, largest_difference, legend, panels, title
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.frames import Frame
from kaneflex.model.joints import CustomJoint, Free, Revolute
from kaneflex.model.shapes import Sphere
from kaneflex.plan.plan import Event
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"radius": 0.5, "inertia": 20.0, "masses": 1.2, "spin": 12.0, "release": "radial", "length": 1.0}
START = 0.1  # rad, unwound
AFTER = 0.15  # s that the run goes on after the release
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}


def ratio(p: Parameters) -> float:
    """c of (1)."""
    return 1 + float(p["inertia"]) / (p["masses"] * p["radius"] ** 2)


def cord(p: Parameters) -> float:
    """Length of a cord, m: `length` times that which takes all the spin away."""
    if p["release"] not in ("radial", "tangential"):
        raise ModelError(f'release is "{p["release"]}": give radial or tangential')
    whole = p["radius"] * (math.sqrt(ratio(p)) - (p["release"] == "radial"))
    if not START * p["radius"] < p["length"] * whole < 100 * p["radius"]:
        raise ModelError(f"length is {p['length']:g}: the cords are shorter than what is unwound at the start, or endless")
    return float(p["length"] * whole)


def build(p: Parameters) -> System:
    """The drum in free space, the cords unwound a little."""
    R, I, m, l = *(positive(p[name], name) for name in ("radius", "inertia", "masses")), cord(p)
    c, w0 = ratio(p), p["spin"]
    spin = w0 * (c - START**2) / (c + START**2)
    system = System("yo-yo")
    system.add("drum", Rigid(40.0, inertia=(0.7 * I, 0.7 * I, I)), Free(), rates=(0, 0, 0, 0, 0, spin))
    system.show("drum", drum(R, R, color="silver"))

    def involute(q: Any) -> Any:
        """x of the body points to where the cord leaves the drum, y along the tangent; its origin is the cord's far end."""
        cos, sin = symengine.cos(q[0]), symengine.sin(q[0])
        away = l - R * q[0]
        axes = [[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]
        return axes, (R * cos - away * sin, R * sin + away * cos, 0)

    for k in (0, 1):
        body = Rigid(m / 2, com=(0, -l, 0), inertia=(0, 0, 0), frames={"end": (0, -l, 0)})
        at = Frame((0, 0, 0), (("z", k * math.pi),))
        joint = CustomJoint(involute, ("unwound",))
        system.add(f"mass{k}", body, joint, parent="drum", at=at, q=START, rates=w0)
        system.show(f"mass{k}", Sphere(0.1 * R, position=(0, -l, 0)))
    return system


def events(p: Parameters) -> list[Event]:
    """All unwound: cut, or kept on a hinge, and cut when the cord is radial, where the distance is largest."""
    square = p["radius"] ** 2 + cord(p) ** 2

    def cut(state: Any, change: Any) -> None:
        for k in (0, 1):
            change.detach(f"mass{k}")

    def keep(state: Any, change: Any) -> None:
        for k in (0, 1):
            change.attach(f"mass{k}", "drum", Revolute("z"))

    def unwound(t: float, x: Any) -> Any:
        return (x[0] - x[3]) ** 2 + (x[1] - x[4]) ** 2 - square

    def farther(t: float, x: Any) -> Any:
        return (x[0] - x[3]) * (x[6] - x[9]) + (x[1] - x[4]) * (x[7] - x[10])

    places = ["mass0.end.position", "drum.position"]
    if p["release"] == "tangential":
        return [Event(unwound, places, action=cut, name="release", direction=1)]
    speeds = ["mass0.end.velocity", "drum.velocity"]
    return [
        Event(unwound, places, action=keep, name="unwound", direction=1),
        Event(farther, [*places, *speeds], action=cut, name="release", direction=-1),
    ]


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until a little after the release: the cords unwind at f' = w0, and swing out in less than half a turn of the drum."""
    until = (cord(p) / p["radius"] - START + 2.5 * (p["release"] == "radial")) / p["spin"] + AFTER
    fine = {**FINE, "formulation": formulation, "speeds": speeds}
    return system.simulate(until, events=events(p), output=until / 400, **fine)


def spin(p: Parameters, f: Any) -> Any:
    """w of (1)."""
    return p["spin"] * (ratio(p) - f**2) / (ratio(p) + f**2)


def left(p: Parameters) -> float:
    """The spin that the drum keeps, by (1) or (2)."""
    l, I, w0 = cord(p), p["inertia"], p["spin"]
    if p["release"] == "tangential":
        return float(spin(p, l / p["radius"]))
    H, k = ratio(p) * p["masses"] * p["radius"] ** 2 * w0, p["masses"] * (p["radius"] + l) ** 2
    return float(np.roots([I + I * I / k, -2 * H * I / k, H * H / k - H * w0]).real.min())


def checks(run: Run, p: Parameters) -> list[Check]:
    """While the cords unwind, after the release, and runs of other lengths and releases."""
    R, I, c, w0 = p["radius"], p["inertia"], ratio(p), p["spin"]
    at = {name: t for t, name in reversed(run.events)}
    first = run.t < min(at.values())
    f = START + w0 * run.t[first]
    pull = np.linalg.norm(run.loads("mass0").force[first], axis=1)
    tension = 2 * c * I * w0**2 * f / (R * (c + f**2) ** 2)
    out = np.linalg.norm(run["mass0.end.position"][first] - run["drum.position"][first], axis=1)
    whole, turning = (cord(p) / R - START) / w0, I * run["drum.wz"]
    for k in (0, 1):
        (x, y, _), (vx, vy, _) = run[f"mass{k}.end.position"].T, run[f"mass{k}.end.velocity"].T
        turning = turning + p["masses"] / 2 * (x * vy - y * vx)
    found = [
        Check(
            "spin while unwinding, rad/s",
            largest_difference(run["drum.wz"][first], spin(p, f)),
            0.0,
            2e-10 * w0,
            "closed form (1)",
        ),
        Check(
            "distance of a mass, m", largest_difference(out, R * np.sqrt(1 + f**2)), 0.0, 1e-9 * R, "closed form: f' = w0"
        ),
        Check("tension, N", largest_difference(pull, tension), 0.0, 5e-10 * tension.max(), "closed form (1)"),
        Check("time when all is unwound, s", min(at.values()), whole, 1e-12, "closed form: f' = w0"),
        Check(
            "angular momentum, relative change", largest_difference(turning / turning[0], np.ones(1)), 0.0, 1e-11, "identity"
        ),
        balance(run, 1e-10),
    ]
    for release in ("tangential", "radial"):
        for length in (1.0, 0.6):
            other = {**p, "release": release, "length": length}
            end = simulate(build(other), other)["drum.wz"][-1]
            name = f"{release} release, {length:g} of the length that stops the drum: spin left, rad/s"
            found.append(Check(name, float(end), left(other), 1e-10 * w0, "closed form (1)" if release[0] == "t" else "(2)"))
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """Ways of the masses, and the spin of the drum beside (1)."""
    picture, (way, right) = panels(1, 2, size=(9.6, 4.2), width_ratios=(1, 1.4))
    angle = np.linspace(0, 2 * math.pi, 100)
    way.fill(p["radius"] * np.cos(angle), p["radius"] * np.sin(angle), color="#dbe4ee")
    for k in (0, 1):
        way.plot(*run[f"mass{k}.end.position"][:, :2].T, color=COLOURS[k])
    way.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    right.plot(run.t, run["drum.wz"], label="run")
    f = np.linspace(START, cord(p) / p["radius"], 25)
    right.plot((f - START) / p["spin"], spin(p, f), "o", color=GREY, mfc="white", ms=4, label="closed form (1)")
    for t, name in run.events:
        right.axvline(t, color=GREY, lw=0.8, ls=":")
        right.text(t, 0.8 * p["spin"], f" {name}", color=GREY, fontsize="small")
    right.set(xlabel="t, s", ylabel="spin of the drum, rad/s")
    legend(right, loc="lower left")
    title(picture, f"Yo-yo despin, {p['release']} release")
    return picture


EXAMPLE = Example(
    name="yo-yo",
    title="Yo-yo despin: masses on cords that unwind from a spinning drum",
    document="Classics",
    source="Fedor, NASA TN D-708 (1961); closed forms",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
