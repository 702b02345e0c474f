"""A flexible arm that is turned at once, stopped at once, pushed by a moment, or has a hinge in its middle.

Sources: J. C. Simo, L. Vu-Quoc, On the dynamics of flexible beams under large overall motions: the plane case, part II, J.
Appl. Mech. 53 (1986) 855-863; A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapter 10, for rods and springs.

The arm of 10 m along x is clamped to a hub about z at the origin; it stretches, shears and bends.

    driven:       EA = GA = 1e4 N, EI = 1e3 N m^2, 1 kg/m, rotary inertia 10 kg m. The hub turns at 1.5 rad/`time` from the
                  first instant, and stands still from `time` on; the beam is at rest at the start.
    pinned:       the same beam on a pin, where a moment of 80 N m turns it until 2.5 s.
    articulated:  EA = GA = 1e6 N, EI = 1e5 N m^2, 1 kg/m, rotary inertia 1 kg m, with a hinge at 5 m; driven by 1.5 rad in
                  0.5 s.

A hub that starts and stops in no time gives the beam no impulse: a section of it has no mass. So the rate of the first
joint jumps against the hub's (an event locks the hub), and moments travel along the beam as waves. When the moment of the
pinned arm is gone, energy and angular momentum stay; the momentum is then the moment's impulse,

    H = 80 N m × 2.5 s = 200 N m s .                                                                                 (1)

References: places of the tip by geometrically exact finite elements (Reissner), computed apart, those of the arm without
hinge also in agreement with histories of another program within 0.02 m. Units: SI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, sample, title, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import known, positive, whole
from kaneflex.model.forces import Torque
from kaneflex.model.joints import Revolute
from kaneflex.model.rods.rod import Rod
from kaneflex.plan.plan import Event
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"case": "driven", "time": 2.5, "n": 20}
LENGTH, TURN, MOMENT, PUSH = 10.0, 1.5, 80.0, 2.5
SECTIONS = {  # EA = GA, EI, mass per length, rotary inertia per length
    "driven": (1e4, 1e3, 1.0, 10.0),
    "pinned": (1e4, 1e3, 1.0, 10.0),
    "articulated": (1e6, 1e5, 1.0, 1.0),
}
DURATION = {"driven": 9.0, "pinned": 15.0, "articulated": 1.0}
ERROR = {"driven": 0.008, "pinned": 0.004, "articulated": 0.03}  # m for each second, with 20 segments

#: Tip (t, x, y), s and m, by case and time of the turn.
TABLES = {
    ("driven", 2.5): ((1.0, 9.698, 0.481), (2.5, 5.050, 8.522), (5.0, -8.060, 3.755), (9.0, 6.908, 6.825)),
    ("driven", 5.0): ((2.5, 8.743, 4.788), (4.0, 1.859, 9.788), (5.0, -2.600, 9.580), (9.0, 5.193, 8.209)),
    ("pinned", 2.5): (
        (1.0, 9.859, 0.378), (2.5, 8.344, 5.518), (5.0, -1.671, 9.872), (7.5, -9.660, 2.549), (10.0, -6.231, -7.831),
        (15.0, 9.990, 0.627),
    ),
    ("articulated", 0.5): ((0.25, 6.544, -0.508), (0.5, 2.242, 0.585), (0.75, -1.517, 0.122)),
}  # fmt: skip


def build(p: Parameters) -> System:
    """The arm of a case, along x."""
    case = known(p["case"], SECTIONS, "case")
    n = whole(p["n"], "n", least=4)
    system = System(f"{case} arm")
    if case == "pinned":
        system.add_rod("arm", _rod(LENGTH, n, *SECTIONS[case]), root="pinned")
        system.apply("motor", Torque("arm.root", lambda t: (0.0, 0.0, MOMENT * (t < PUSH)), axes="inertial"))
        return system
    motion = profiles.constant_rate(TURN / positive(p["time"], "time"))
    system.add("hub", Rigid(1.0, inertia=(1, 1, 1)), Revolute("z", motion=motion))
    half = case == "articulated"
    system.add_rod("arm", _rod(LENGTH / (1 + half), n // (1 + half), *SECTIONS[case]), parent="hub")
    if half:
        system.add_rod("outer", _rod(LENGTH / 2, n // 2, *SECTIONS[case]), parent="arm", at="tip", root="pinned")
    system.show("hub", drum(0.3, 0.6))
    return system


def _rod(length: float, n: int, stiff: float, EI: float, mass: float, rotary: float) -> Rod:
    return Rod(length, mass, EI, EA=stiff, GA=stiff, n=n, plane="xy", rotary_inertia=rotary, radius=0.08)


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From rest, whatever the hub does, by linearly implicit steps; the hub is locked at the end of its turn."""
    case = p["case"]
    how: dict[str, Any] = {"method": "ros34pw2", "rtol": 1e-5, "atol": 1e-6, "formulation": formulation, "speeds": speeds}
    if case == "pinned":
        return system.simulate(DURATION[case], output=0.05, **how)
    end = float(p["time"])
    stop = Event(lambda t: t - end, action=lambda state, change: change.lock("hub"), name="stop")
    still = {"arm_1.rate": -TURN / end}
    return system.simulate(DURATION[case], initial=still, events=[stop], output=0.05, **how)


def outermost(p: Parameters) -> str:
    """The name of the rod whose tip is the arm's."""
    return "outer" if p["case"] == "articulated" else "arm"


def checks(run: Run, p: Parameters) -> list[Check]:
    """The tip beside the exact beam; what the stop takes; what the moment gives."""
    tip, found = run[f"{outermost(p)}.tip.position"], [balance(run, 8e-4)]
    table = np.array(TABLES.get((p["case"], 2.5 if p["case"] == "pinned" else p["time"]), ()))
    if len(table) and p["n"] >= 20:
        values = [tip[sample(run, t), :2] for t in table[:, 0]]
        names = [f"{axis} at {t:g} s" for t in table[:, 0] for axis in "xy"]
        allowed = np.repeat(ERROR[p["case"]] * table[:, 0] * (20 / p["n"]) ** 2 + 1e-3, 2)
        source = "geometrically exact beam by finite elements, apart"
        found.append(worst("place of the tip, m", names, values, table[:, 1:], allowed, source))
    if p["case"] == "pinned":
        H, source = MOMENT * PUSH, "(1)"
        own = float(run["momentum.angular"][-1, 2])
        return [*found, Check("angular momentum about the pin at the end, N m s", own, H, 1e-5 * H, source)]
    before, after = run.impacts[0].energy
    hub, source = (TURN / p["time"]) ** 2 / 2, "closed form: the hub's own, for a section of the beam has no mass"
    return [*found, Check("energy that the stop takes, J", float(before - after), hub, 1e-9 * hub, source)]


def figure(run: Run, p: Parameters) -> Figure:
    """The arm at successive instants, and its tip."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.2))
    names = ("arm", "outer") if p["case"] == "articulated" else ("arm",)
    for k in np.linspace(0, len(run.t) - 1, 14).astype(int):
        for n, name in enumerate(names):
            shape = run[f"{name}.shape"][k]
            left.plot(shape[:, 0], shape[:, 1], color=COLOURS[n], alpha=0.25 + 0.75 * k / len(run.t), linewidth=1.3)
    left.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    tip = run[f"{outermost(p)}.tip.position"]
    for axis, name in enumerate("xy"):
        right.plot(run.t, tip[:, axis], color=COLOURS[axis], label=f"{name}, {p['n']} segments")
    table = np.array(TABLES.get((p["case"], 2.5 if p["case"] == "pinned" else p["time"]), ()))
    if len(table):
        right.plot(table[:, 0], table[:, 1:], "o", color=GREY, mfc="white", ms=5)
        right.plot([], [], "o", color=GREY, mfc="white", ms=5, label="exact beam")
    right.set(xlabel="time, s", ylabel="tip, m")
    legend(right, loc="lower right")
    title(picture, f"Flexible arm, {p['case']}")
    return picture


EXAMPLE = Example(
    name="driven-arm",
    title="Flexible arm turned and stopped at once, pushed by a moment, or with a hinge",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 10",
    source="Simo and Vu-Quoc (1986)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
