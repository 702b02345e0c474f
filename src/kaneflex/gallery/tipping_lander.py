"""A lander that tips over: trailing feet first, then the leading ones; the map of stability with and without slosh; four
feet.

Source: slosh and touchdown by generalized impulse and momentum, an application of C. M. Roithmayr's (J. Spacecraft and
Rockets, 2024, abstract), which names two ways to tip over, "two-and-over" (see "lander") and "two-two-and-over";
stand-in data.

The lander of that system (m = 5000 kg, I = 9000 kg m^2, feet b = 2.5 m either side and h = 3 m below the mass centre, g
= 1.62 m/s^2) comes down on level ground pitched up by 5 degrees, v_v down and v_h along. Feet dig in: an impact is
plastic, and the feet that have struck are pinned to the ground until the others strike, also against a pull. With r =
(r_x, r_y) from the trailing foot to the mass centre and A = I + m (b^2 + h^2),

    w_1 = m (r_x v_v + r_y v_h)/A   after the trailing feet have struck,
    w_2 = sqrt(w_1^2 + 2 m g (r_y - h)/A)   when the leading ones strike, which lets the trailing ones go,                (1)
    w_3 = w_2 (I + m (h^2 - b^2))/A   after that: it tips over where A w_3^2/2 > m g (sqrt(b^2 + h^2) - h).

For v_v = 1 m/s that is from v_h = 7.501134 m/s on, against 3.1904 where the leading feet strike first. A slosh pendulum
of 800 kg in the place of as much of the lander's mass changes the boundary: the map has both, by bisection on runs. The
momentum conjugate to the slosh angle is not changed by an impact. On its leading feet, which are hinges then, the lander
stands where the mass centre of all is above them, R_y and P_y the heights of its own and of the pivot over the feet and P_x
the pivot's place along: small turns a of it and s of the pendulum, of length l, from the vertical, obey

    (I + m r^2 + m_s (P_x^2 + P_y^2)) a'' - m_s P_y l s'' = (m R_y + m_s P_y) g a ,   l s'' - P_y a'' = -g s ,         (2)

and jets that see both angles and their rates hold it, with the poles that are placed. In space, with four feet, two of
each at +-c, a symmetric landing is that of the plane.

On struts that crush, four parts `Foot`, and with its liquid in a `SloshTank`, the lander comes down in space as in the plane
on two feet of twice the strength. Level, its struts take m v^2/2 and the weight's work: with F the force of all they are
shortened by x = m v^2/(2 (F - m g)), m without the pads. Units: SI, rad; pitch in degrees.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.signal import place_poles

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.lander import DROP, barrier, pivot_inertia
from kaneflex.gallery.lander import threshold as leading_first
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, poles_off, rod, title, unchanged, worst
from kaneflex.model.blocks import StateFeedback
from kaneflex.model.bodies import PointMass, Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.constraints import Closure
from kaneflex.model.forces import Torque
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free, Planar, Prismatic, Revolute, Spherical
from kaneflex.model.parts import Foot, SloshTank
from kaneflex.model.shapes import Box, Sphere
from kaneflex.plan.plan import Event
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "mass": 5000.0, "slosh": 0.0, "inertia": 9000.0, "b": 2.5, "h": 3.0, "length": 1.0, "pivot": 0.5, "gravity": 1.62,
    "forward": 5.0, "down": 1.0, "pitch": 5.0,
}  # fmt: skip
WIDTH = 2.0  # c, m
LIQUID = 800.0  # kg, of the map
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
HELD = (-0.6, -0.8, -0.4 + 1.5j, -0.4 - 1.5j)  # 1/s, poles of the lander that jets hold on its leading feet, with slosh
#: struts of four feet: force that crushes (N), stroke (m), mass of a pad (kg), stiffness along and across
STRUT: dict[str, float] = {"crush": 9000.0, "stroke": 0.6, "mass": 5.0, "stiffness": 1e6}
LIMBS: dict[str, Any] = {"length": 1.0, "friction": 10.0, "after": "stick"}
TANK: dict[str, Any] = {"shape": "sphere", "radius": 0.7, "height": 1.4, "fill": 0.5}
#: v_h, and rates after the first and before the second impact, for v_v = 1 m/s
PRINTED = {
    2.0: (-0.506860, -0.544190),
    3.0: (-0.694923, -0.722602),
    4.0: (-0.882986, -0.904931),
    5.0: (-1.071049, -1.089212),
}
FACTOR, THRESHOLD = 0.266862, 7.501134


def lander(p: Parameters, space: bool = False) -> System:
    """The lander with its trailing feet DROP above level ground, in the plane with two feet or in space with four."""
    b, h, g, c = positive(p["b"], "b"), positive(p["h"], "h"), positive(p["gravity"], "gravity"), WIDTH if space else 0.0
    angle = math.radians(p["pitch"])
    if not 0 < angle < math.atan2(h, b) or p["down"] ** 2 <= 2 * g * DROP or p["forward"] < 0:
        raise ModelError("pitch, down, forward: give a pitch up, a fall, and a speed forward that is not negative")
    low, fall = b * math.sin(angle) + h * math.cos(angle), math.sqrt(p["down"] ** 2 - 2 * g * DROP)
    system = System("tipping lander", gravity=(0, -g, 0))
    system.add("ground", Rigid(0.0))
    feet = {"left": (-b, -h, -c), "right": (b, -h, -c)}
    feet |= {"left_far": (-b, -h, c), "right_far": (b, -h, c)} if space else {}
    body = Rigid(p["mass"], inertia=p["inertia"], frames=feet)
    if space:
        q = (0, DROP + low, 0, math.cos(angle / 2), 0, 0, math.sin(angle / 2))
        turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        u, v = turn @ (p["forward"], -fall)  # velocities of a Free joint are in the axes of the body
        system.add("lander", body, Free(), q=q, rates=(u, v, 0, 0, 0, 0))
    else:
        system.add("lander", body, Planar("z"), q=(0, DROP + low, angle), rates=(p["forward"], -fall, 0))
    if p["slosh"]:
        bob = Rigid(p["slosh"], com=(0, -p["length"], 0), frames={"mass": (0, -p["length"], 0)})
        system.add("slosh", bob, Revolute("z"), parent="lander", at=(0, p["pivot"], 0), q=-angle)
        system.show("slosh", Sphere(0.22, position=(0, -p["length"], 0)), rod((0, 0, 0), (0, -p["length"], 0), 0.03))
    system.show("ground", Box((14, 0.1, 4.5), position=(2, -0.05, 0), color="silver"))
    legs = [rod((0.5 * x, 0, 0.5 * z), (x, y, z), 0.06) for x, y, z in feet.values()]
    system.show("lander", drum(1.3, 2.6, "y", position=(0, 0.5, 0), opacity=0.35), *legs)
    return system


def striking(p: Parameters, space: bool = False) -> list[Event]:
    """The feet of a side strike: they are pinned, those of the other side are let go."""
    sides = {"left": ("left", "left_far"), "right": ("right", "right_far")}
    feet = {side: names if space else names[:1] for side, names in sides.items()}

    def action(side: str, other: str) -> Any:
        def pin(state: Any, change: Any) -> None:
            for foot in feet[other]:
                if foot in change.model.constraints:
                    change.unconstrain(foot)
            for foot in feet[side]:
                place = change.model.channels(state, f"lander.{foot}.position")[f"lander.{foot}.position"]
                change.constrain(foot, Closure(Frame(tuple(place)), f"lander.{foot}", Spherical()))

        return pin

    angle = math.radians(p["pitch"])
    low = p["b"] * math.sin(angle) + p["h"] * math.cos(angle)
    # by the height of the mass centre while it falls, and by the tilt: heights of pinned feet are rounding
    left = Event(
        lambda t, x: x[1] - low, sees=("lander.position",), direction=-1, action=action("left", "right"), name="left"
    )
    right = Event(lambda t, x: x[3], sees=("lander.rotation",), direction=-1, action=action("right", "left"), name="right")
    return [left, right]


def land(p: Parameters, until: float, space: bool = False, **more: Any) -> Run:
    """A run of the lander; further events may be given."""
    events = [*striking(p, space), *more.pop("events", [])]
    return lander(p, space).simulate(until, events=events, **{**FINE, **more})


def build(p: Parameters) -> System:
    """The landing in the plane."""
    return lander(p)


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """One second: both impacts, and the rise after them."""
    more: dict[str, Any] = {"formulation": formulation, "speeds": speeds, **FINE}
    return system.simulate(1.0, output=0.01, events=striking(p), **more)


def rates(p: Parameters) -> np.ndarray:
    """w_1, w_2, w_3 of the rigid lander by (1), forwards, rad/s."""
    angle, m, A = math.radians(p["pitch"]), p["mass"], pivot_inertia(p)
    s, c = math.sin(angle), math.cos(angle)
    x, y = p["b"] * c - p["h"] * s, p["b"] * s + p["h"] * c
    first = m * (x * p["down"] + y * p["forward"]) / A
    second = math.sqrt(first**2 + 2 * m * p["gravity"] * (y - p["h"]) / A)
    return np.array([first, second, second * (p["inertia"] + m * (p["h"] ** 2 - p["b"] ** 2)) / A])


def threshold(p: Parameters) -> float:
    """v_h from which on the rigid lander tips over, by (1), m/s."""
    angle, m, A = math.radians(p["pitch"]), p["mass"], pivot_inertia(p)
    s, c = math.sin(angle), math.cos(angle)
    x, y = p["b"] * c - p["h"] * s, p["b"] * s + p["h"] * c
    second = math.sqrt(2 * barrier(p) / A) * A / (p["inertia"] + m * (p["h"] ** 2 - p["b"] ** 2))
    first = math.sqrt(second**2 - 2 * m * p["gravity"] * (y - p["h"]) / A)
    return (first * A / m - x * p["down"]) / y


def tips(p: Parameters) -> bool:
    """Whether a run goes over its leading feet: it ends when the tilt is 60 degrees, or when it falls back."""
    over = Event(lambda t, x: x[0] + math.pi / 3, sees=("lander.angle",), direction=-1, terminal=True, name="over")
    # of the rates (x', y', theta') the third
    back = Event(lambda t, x: x[2] - 0.02, sees=("lander.rate",), direction=1, terminal=True, name="back")
    run = land(p, 12.0, output=0.5, events=[over, back], rtol=1e-8, atol=1e-9)
    return bool(run.events) and run.events[-1][1] == "over"


def boundary(p: Parameters, within: float = 0.02) -> float:
    """v_h from which on a run tips over, m/s, by bisection."""
    low, high = 0.5, 20.0
    while high - low > within:
        middle = (low + high) / 2
        low, high = (low, middle) if tips({**p, "forward": middle}) else (middle, high)
    return (low + high) / 2


def checks(run: Run, p: Parameters) -> list[Check]:
    """Rates around both impacts, the threshold, slosh momentum, four feet."""
    found = [*_impacts(run, p), balance(run, 1e-11)]
    rigid = {**p, "mass": p["mass"] + p["slosh"], "slosh": 0.0}
    return [*found, *_speeds(rigid), *_over(rigid), _momentum(p), _four_feet(p), *_on_its_feet(p), *_on_struts(p)]


def turning(run: Run) -> np.ndarray:
    """Rates after the first impact, before and after the second, forwards."""
    first, second = [*run.segments, run.last][1:3]
    return -np.array([first["lander.rate"][0, 2], first["lander.rate"][-1, 2], second["lander.rate"][0, 2]])


def _impacts(run: Run, p: Parameters) -> list[Check]:
    if p["slosh"]:
        return []
    names = ("after the first", "before the second", "after the second")
    return [worst("rate of the run, rad/s", names, turning(run), rates(p), 3e-12, "closed form (1)")]


def _speeds(p: Parameters) -> list[Check]:
    """The printed rates, and the factor of the second impact."""
    found, table = [], {}
    for v in PRINTED:
        one = {**p, "forward": v, "down": 1.0}
        table[v] = turning(land(one, 1.0, output=0.1)), rates(one)
    names = [f"v_h = {v:g}, w_{k}" for v in PRINTED for k in (1, 2, 3)]
    values, wanted = (np.ravel([row[k] for row in table.values()]) for k in (0, 1))
    found.append(worst("rates, v_v = 1 m/s, rad/s", names, values, wanted, 4e-12, "closed form (1)"))
    if unchanged(p, DEFAULTS, "forward", "down", "slosh"):
        names = [f"v_h = {v:g}, w_{k}" for v in PRINTED for k in (1, 2)]
        here = np.ravel([row[0][:2] for row in table.values()])
        found.append(worst("rates, printed, rad/s", names, -here, np.ravel(list(PRINTED.values())), 6e-7, "printed"))
        ratio = float(table[5.0][0][2] / table[5.0][0][1])
        found.append(Check("factor of the second impact, printed", ratio, FACTOR, 6e-7, "closed form, printed"))
    return found


def _over(p: Parameters) -> list[Check]:
    """Just below and above the threshold."""
    v = threshold(p)
    source = "closed form (1)"
    sides = [tips({**p, "forward": f * v}) for f in (0.999, 1.001)]
    found = [Check("tips over within 0.1 % of the threshold", float(sides[1] - sides[0]), 1.0, 0.1, source)]
    if unchanged(p, DEFAULTS, "forward", "slosh"):
        value = Check("speed that tips it over, m/s", v, THRESHOLD, 6e-7, "independent program, printed", "documentation")
        found.append(value)
    return found


def _momentum(p: Parameters) -> Check:
    """Momentum conjugate to the slosh angle, before and after both impacts."""
    liquid = {**p, "slosh": LIQUID, "mass": p["mass"] + p["slosh"] - LIQUID}
    run = land(liquid, 1.0, output=0.1)
    segments, jumps = [*run.segments, run.last], []
    for before, after in pairwise(segments[:3]):
        pair = []
        for part, k in ((before, -1), (after, 0)):
            across = part["slosh.rotation"][k][:, 0]  # the bob moves along x of the pendulum
            pair.append(LIQUID * p["length"] * float(across @ part["slosh.mass.velocity"][k]))
        jumps.append(abs(pair[1] - pair[0]))
    size = LIQUID * p["length"] * p["forward"]
    return Check("slosh momentum, largest jump, kg m^2/s", max(jumps), 0.0, 1e-12 * size, "identity: not changed by impacts")


def _four_feet(p: Parameters) -> Check:
    """Place and tilt at the end in space less those in the plane."""
    flat, deep = (land(p, 1.0, space, output=0.1) for space in (False, True))
    R = deep["lander.rotation"][-1]
    found = [*deep["lander.position"][-1], math.atan2(R[1, 0], R[0, 0])]
    x, y, angle = flat["lander.q"][-1]
    off = float(np.abs(np.array(found) - [x, y, 0.0, angle]).max())
    return Check("four feet in space less two in the plane", off, 0.0, 1e-11, "identity: symmetric")


def _on_its_feet(p: Parameters) -> list[Check]:
    """The lander with slosh on its leading feet, at the highest point: its linear model, and that with jets."""
    m, m_s, b, h, l, g = p["mass"] + p["slosh"] - LIQUID, LIQUID, p["b"], p["h"], p["length"], p["gravity"]
    angle = -math.atan2(b * (m + m_s), m * h + m_s * (h + p["pivot"]))
    system = System("lander on its leading feet", gravity=(0, -g, 0))
    body = Rigid(m, com=(-b, h, 0), inertia=p["inertia"], frames={"pivot": (-b, h + p["pivot"], 0)})
    system.add("lander", body, Revolute("z"), q=angle)
    bob = Rigid(m_s, com=(0, -l, 0))
    system.add("slosh", bob, Revolute("z"), parent="lander", at="pivot", q=-angle)
    system.add_input("jets", Torque("lander", (0, 0, 1)))
    model = system.linearize()
    c, s = math.cos(angle), math.sin(angle)
    R_y, P_x, P_y = h * c - b * s, -b * c - (h + p["pivot"]) * s, (h + p["pivot"]) * c - b * s
    M = np.array([
        [p["inertia"] + m * (b**2 + h**2) + m_s * (P_x**2 + P_y**2), -m_s * P_y * l],
        [-m_s * P_y * l, m_s * l**2],
    ])  # fmt: skip
    squares = np.linalg.eigvals(np.linalg.solve(M, np.diag([(m * R_y + m_s * P_y) * g, -m_s * g * l]))).astype(complex)
    wanted = np.concatenate([np.sqrt(squares), -np.sqrt(squares)])
    K = place_poles(model.A, model.B, np.array(HELD)).gain_matrix
    sees = ["lander.angle", "slosh.angle", "lander.angle.rate", "slosh.angle.rate"]
    order = [model.states.index(name) for name in sees]
    system.add_block("hold", StateFeedback(K[:, order], at=(angle, -angle, 0, 0), sees=sees, drives="jets"))
    loop = system.linearize().eigenvalues()
    return [
        Check("on its feet: poles, 1/s", poles_off(model.eigenvalues(), wanted), 0.0, 1e-10, "closed form (2)"),
        Check("held on its feet: poles, 1/s", poles_off(loop, HELD), 0.0, 1e-8, "identity: poles placed are poles found"),
    ]


def on_struts(p: Parameters, space: bool, tilt: float, forward: float, liquid: bool) -> System:
    """The lander, z up, its lowest pads at the ground, on struts: four in space, two of twice the strength in the plane."""
    b, h, c, times = p["b"], p["h"], WIDTH, 1.0 if space else 2.0
    system = System("lander on struts", gravity=(0, 0, -p["gravity"]))
    tank = SloshTank(**TANK, damping=0.01)
    body = Rigid(p["mass"] + p["slosh"] - (tank.slosh().liquid if liquid else 0.0), inertia=p["inertia"])
    high = h * math.cos(tilt) + b * math.sin(tilt)
    turn = np.array([[math.cos(tilt), math.sin(tilt)], [-math.sin(tilt), math.cos(tilt)]])
    u, w = turn @ (forward, -p["down"])  # velocities of a Free joint are in the axes of the body
    if space:
        q = (0, 0, high, math.cos(tilt / 2), 0, -math.sin(tilt / 2), 0)  # pitched up, about -y
        system.add("lander", body, Free(), q=q, rates=(u, 0, w, 0, 0, 0))
    else:
        system.add("along", PointMass(0.0), Prismatic("x"), q=0.0, rates=forward)
        system.add("up", PointMass(0.0), Prismatic("z"), parent="along", q=high, rates=-p["down"])
        system.add("lander", body, Revolute("-y"), parent="up", q=tilt, rates=0.0)
    for name, x in (("left", -b), ("right", b)):
        for word, y in (("", -c), ("_far", c)) if space else (("", 0.0),):
            strong: dict[str, Any] = {key: value * (1.0 if key == "stroke" else times) for key, value in STRUT.items()}
            strong["damping"] = strong["crush"] / p["down"]  # so that the force is that of crushing from the touch on
            system.add_part(name + word, Foot(**strong, **LIMBS), on="lander", at=(x, y, LIMBS["length"] - h))
    if liquid:
        system.add_part("tank", tank, on="lander", at=(0, 0, -TANK["radius"]))
    return system


def _on_struts(p: Parameters) -> list[Check]:
    """A level landing, and one on the trailing feet in space and in the plane."""
    loose: dict[str, Any] = {"method": "radau5", "rtol": 1e-8, "atol": 1e-10}
    stop = Event(lambda t, x: x[0], sees=("lander.vz",), direction=1, terminal=True, name="stop")
    level = on_struts(p, True, 0.0, 0.0, False).simulate(2.0, output=0.02, events=[stop], **loose)
    m, F, feet = p["mass"] + p["slosh"], 4 * STRUT["crush"], ("left", "left_far", "right", "right_far")
    x = m * p["down"] ** 2 / (2 * (F - m * p["gravity"]))
    short = [float(level[f"{name}.q"][-1]) for name in feet]
    taken = [float(level[f"{name}.absorbed"][-1]) / STRUT["crush"] - float(level[f"{name}.crushed"][-1]) for name in feet]
    ends = []
    for space in (False, True):
        run = on_struts(p, space, math.radians(p["pitch"]), 0.4, True).simulate(1.0, output=0.1, **loose)
        R, way = run["lander.rotation"][-1], run["lander.position"][-1]
        ends.append([*way, math.atan2(R[2, 0], R[0, 0]), float(run["left.crushed"][-1]), float(run["right.crushed"][-1])])
    names, source = ("x", "y", "z", "tilt", "left strut", "right strut"), "identity: symmetric"
    return [
        worst("on struts, level: shortened, m", feet, short, [x] * 4, 1e-9 * x, "closed form: energy"),
        worst("on struts, level: energy over force less what is crushed, m", feet, taken, [0.0] * 4, 1e-6 * x, "identity"),
        worst("on struts: four feet in space less two in the plane, m, rad", names, ends[1], ends[0], 1e-8, source),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Tilt and its rate, and the map of stability."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2))
    left.plot(run.t, np.degrees(run["lander.angle"]), color=COLOURS[0], label="tilt, degrees")
    left.plot(run.t, 10 * run["lander.rate"][:, 2], color=COLOURS[3], label="10 times its rate, rad/s")
    for k, (t, _) in enumerate(run.events):
        left.axvline(t, color=COLOURS[1], ls=":", lw=1, label=None if k else "impacts")
    left.set(xlabel="time, s", ylabel="tilt, degrees; rate, 0.1 rad/s")
    legend(left)
    falls, rigid = np.linspace(0.6, 3.0, 25), {**p, "mass": p["mass"] + p["slosh"], "slosh": 0.0}
    right.plot(falls, [threshold({**rigid, "down": v}) for v in falls], color=COLOURS[0], label="trailing feet first, rigid")
    right.plot(
        falls, [leading_first({**rigid, "down": v}) for v in falls], color=COLOURS[1], label="leading feet first, rigid"
    )
    few = np.array([0.6, 1.4, 2.2, 3.0])
    liquid = {**rigid, "slosh": LIQUID, "mass": rigid["mass"] - LIQUID}
    runs = [boundary({**liquid, "down": v}, 0.1) for v in few]
    right.plot(few, runs, "o", color=COLOURS[3], label="trailing feet first, slosh (runs)")
    right.set(xlabel="v_v, m/s", ylabel="v_h that tips it over, m/s", ylim=(0, None))
    right.axhline(p["forward"], color=GREY, lw=0.7)
    legend(right)
    title(picture, "Lander that strikes with its trailing feet first")
    return picture


EXAMPLE = Example(
    name="tipping-lander",
    title="Lander that tips over: two feet, two feet and over; map of stability (stand-in)",
    document="Roithmayr, applications of Kane's method",
    source="Slosh and touchdown (Roithmayr, J. Spacecraft and Rockets, 2024, abstract), with stand-in data",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
