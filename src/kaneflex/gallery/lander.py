"""Touchdown of a lander with a slosh pendulum: one foot strikes and stays, the lander pivots on it, falls back or tips over.

Source: slosh and touchdown by generalized impulse and momentum, an application of C. M. Roithmayr's (J. Spacecraft and
Rockets, 2024, abstract); a plane model with stand-in data.

x along the ground, y up, g = 1.62 m/s^2. The lander (m, central inertia I = 9000 kg m^2) has its feet at b = 2.5 m either
side and h = 3 m below its mass centre; a particle ms hangs on a massless rod of l = 1 m from a pivot d = 0.5 m above the
mass centre, beta its angle from the downward vertical. It comes down level, without turning, v_v = 1 m/s down and v_h = 2.5
m/s along. The leading (right) foot finds a rock 0.1 m high and strikes first. Impacts are plastic: the foot stops, and is
held as long as it is pressed. With q = (x, y, theta, beta), M its mass matrix and G the Jacobian of the foot,

    M (q'+ - q'-) = G^T P ,   G q'+ = 0                                                                           (1)

loses the energy -P.v/2, v the foot's velocity before, and leaves the momentum conjugate to beta,

    ms l (cos beta, sin beta).(velocity of the particle) ,                                                         (2)

as it was, because the foot's place does not depend on beta. Without the pendulum (m = 5000 kg) the lander turns forward at

    w+ = m (h v_h - b v_v)/A ,   A = I + m (b^2 + h^2)                                                              (3)

and tips over when A w+^2/2 > m g (sqrt(b^2 + h^2) - h) = 7331.5 J, that is for v_h > 3.1904 m/s; below that the tilt comes
to rest where the energy is used up. With the pendulum (m = 4200 kg, ms = 800 kg) it falls back: at 2.89 s the other foot
strikes, and the first comes off at once because it would have to pull. The reference numbers are of an independent program,
integrated by DOP853 at rtol 1e-12 between the impacts.

In the other way to land there is no rock, and feet do not dig in: both strike level ground at once and slide against the
friction mu = 0.3. Neither impulses nor forces turn the rigid lander, whose feet get, of all that they get along the normal,

    (1 + mu h/b)/2 in front, (1 - mu h/b)/2 behind;  it slides at  v = v_h - mu v_v  at first, and  v^2/(2 mu g)  far.   (4)

Such a foot alone on the rock gets, with c = 1/m + b^2/I - mu h b/I, along the normal the impulse P and then the force N,

    P = v_v/c ,   N = (g - h w^2)/c ,   w = (b - mu h) P/I  the rate of the lander, which turns back.                    (5)

Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, rod, sample, title, unchanged, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.contacts import Contact
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Planar, Revolute
from kaneflex.model.shapes import Box, Cone, Shape, Sphere
from kaneflex.plan.plan import Event
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "mass": 4200.0, "slosh": 800.0, "inertia": 9000.0, "b": 2.5, "h": 3.0, "length": 1.0, "pivot": 0.5,
    "gravity": 1.62, "forward": 2.5, "down": 1.0, "angle": 0.0, "rock": 0.1,
}  # fmt: skip
DURATION = 3.2
DROP = 0.05  # of the leading foot above the rock at the start, m
FRICTION = 10.0  # a foot digs in
SLIDING = 0.3  # friction of feet that do not
TOLERANCES: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}

#: Rows (t, x, y, theta, slosh angle relative to the lander, their rates).
TABLE = (
    (0.5, 0.380965231, 3.292100536, -0.080847961, 0.882696169, -0.131058893, 1.946745476),
    (1.0, 0.546795776, 3.402740630, -0.131902181, 1.721277765, -0.076256611, 1.341432195),
    (1.5, 0.618446741, 3.446873680, -0.153451759, 2.198409556, -0.004616338, 0.556753638),
    (2.0, 0.549572167, 3.404490645, -0.132742591, 2.273726435, 0.089235182, -0.253311381),
    (2.5, 0.328575099, 3.254528844, -0.064338744, 1.954399516, 0.182671116, -1.007620160),
    (3.0, 0.048384812, 3.067370582, 0.027402161, 1.212482692, 0.046685832, -2.302909292),
    (3.2, 0.046059772, 3.069201117, 0.028159926, 0.735771788, -0.041596613, -2.477793459),
)
#: Impacts: (time, foot, impulse along x and y, energy lost).
IMPACTS = (
    (0.0522077782, "right", (-7432.735426, 8042.921204), 13312.379885),
    (2.8911710811, "left", (2301.557914, 3539.306803), 2164.139247),
)
#: (Time, force of the ground on the right foot along x and y.)
FORCE = (1.0, -3072.322521, 5724.596358)
#: Of the rigid lander, m = 5000 kg: w+ by v_h for v_v = 1 m/s, and the v_h that tips it over.
RIGID = {1.0: 0.02933, 2.0: 0.20528, 2.5: 0.29326, 3.0: 0.38123}
THRESHOLD = 3.1904


def build(p: Parameters) -> System:
    """The lander just above the ground; the rock is under its right foot."""
    slowest = math.sqrt(2 * p["gravity"] * DROP)
    if p["down"] <= slowest:
        raise ModelError(f"down is {p['down']:g} m/s: the lander must fall faster than {slowest:.3g} m/s")
    if positive(p["b"], "b") and positive(p["h"], "h") and positive(p["rock"], "rock") and p["forward"] < 0:
        raise ModelError(f"forward is {p['forward']:g} m/s: the right foot leads, give a speed that is not negative")
    return _system(p, {"left": "soil", "right": "rock"}, p["rock"], friction=FRICTION, after="stick")


def slippery(p: Parameters) -> System:
    """The lander above ground and rock, with feet that slide."""
    return _system(p, {"left": "soil", "right": "rock"}, p["rock"], friction=SLIDING)


def level(p: Parameters) -> System:
    """The lander just above level ground, both feet alike, which slide."""
    return _system(p, {"left": "soil", "right": "soil"}, 0.0, friction=SLIDING)


def _system(p: Parameters, pads_of: dict[str, str], below: float, **law: Any) -> System:
    """The lander with its lowest foot DROP above what is below it, m, and the law of its feet."""
    b, h, g = p["b"], p["h"], p["gravity"]
    system = System("lander", gravity=(0, -g, 0))
    up = (("x", -math.pi / 2),)  # z of the frame is up
    pads = {"soil": Frame((0, 0, 0), up), "rock": Frame((0, p["rock"], 0), up)}
    system.add("ground", Rigid(0.0, frames=pads))
    body = Rigid(p["mass"], inertia=p["inertia"], frames={"left": (-b, -h, 0), "right": (b, -h, 0)})
    fall = math.sqrt(p["down"] ** 2 - 2 * g * DROP)
    lander = system.add("lander", body, Planar("z"), q=(0, below + DROP + h, 0), rates=(p["forward"], -fall, 0))
    if p["slosh"]:
        tank = Rigid(p["slosh"], com=(0, -p["length"], 0), frames={"mass": (0, -p["length"], 0)})
        system.add("slosh", tank, Revolute("z"), parent=lander, at=(0, p["pivot"], 0), q=p["angle"])
    _show(system, p)
    for foot, pad in pads_of.items():
        system.contact(foot, Contact(f"lander.{foot}", on=f"ground.{pad}", **law))
    return system


def _show(system: System, p: Parameters) -> None:
    """A clear tank on two legs, the pendulum in it, the ground, and the rock where the right foot comes down."""
    place = p["b"] + p["forward"] * impact_time(p)
    slab = Box((1.6, p["rock"], 1.6), position=(place, p["rock"] / 2, 0), color="grey")
    system.show("ground", Box((10, 0.1, 4.5), position=(0, -0.05, 0), color="silver"), slab)
    tank = drum(1.3, 2.6, "y", position=(0, p["pivot"], 0), opacity=0.35)
    low = p["pivot"] - 1.3
    nozzle = Cone(0.5, 0.9, position=(0, low - 0.6, 0), rotation=(("x", -math.pi / 2),), color="grey")
    legs: list[Shape] = [nozzle, tank]
    for x in (-1, 1):
        foot = (x * p["b"], 0.1 - p["h"], 0)
        legs.append(drum(0.4, 0.1, "y", position=(x * p["b"], 0.05 - p["h"], 0), color="grey"))
        legs += [rod((x * r, y, z), foot, 0.06) for r, y, z in ((1.3, low + 0.8, 0), (0.9, low, 0.9), (0.9, low, -0.9))]
    system.show("lander", *legs)
    if p["slosh"]:
        bob = (0, -p["length"], 0)
        system.show("slosh", Sphere(0.22, position=bob), rod((0, 0, 0), bob, 0.03), Sphere(0.06, color="grey"))


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Just over three seconds, sampled every 10 ms."""
    return system.simulate(DURATION, output=0.01, formulation=formulation, speeds=speeds, **TOLERANCES)


def impact_time(p: Parameters) -> float:
    """When the right foot strikes, s: free fall through DROP."""
    return (p["down"] - math.sqrt(p["down"] ** 2 - 2 * p["gravity"] * DROP)) / p["gravity"]


def first_impact(p: Parameters) -> tuple[np.ndarray, np.ndarray, float]:
    """(x', y', theta', beta') after the right foot has struck, impulse (x, y) and energy lost, by (1)."""
    s, c = math.sin(p["angle"]), math.cos(p["angle"])
    J = np.array([[1, 0, -p["pivot"], p["length"] * c], [0, 1, 0, p["length"] * s]])
    M = np.diag([p["mass"], p["mass"], p["inertia"], 0.0 if p["slosh"] else 1.0]) + p["slosh"] * J.T @ J
    G = np.array([[1, 0, p["h"], 0], [0, 1, p["b"], 0]])
    before = np.array([p["forward"], -p["down"], 0, 0])
    P = np.linalg.solve(G @ np.linalg.solve(M, G.T), -G @ before)
    return before + np.linalg.solve(M, G.T @ P), P, -float(P @ (G @ before)) / 2


def pivot_inertia(p: Parameters) -> float:
    """A of (3), kg m^2."""
    return p["inertia"] + p["mass"] * (p["b"] ** 2 + p["h"] ** 2)


def threshold(p: Parameters) -> float:
    """v_h that tips the rigid lander over, m/s."""
    w = math.sqrt(2 * barrier(p) / pivot_inertia(p))
    return (w * pivot_inertia(p) / p["mass"] + p["b"] * p["down"]) / p["h"]


def barrier(p: Parameters) -> float:
    """Energy that lifts the rigid lander's mass centre over its foot, J."""
    return p["mass"] * p["gravity"] * (math.hypot(p["b"], p["h"]) - p["h"])


def _states(run: Run) -> np.ndarray:
    """Rows (x, y, theta, slosh angle, their rates)."""
    q, rates = run["lander.q"], run["lander.rate"]
    return np.column_stack([q, run["slosh.q"], rates[:, 2], run["slosh.rate"]])


def checks(run: Run, p: Parameters) -> list[Check]:
    """The first impact and its laws, the motion after it, the rigid lander, and what holds by itself."""
    o = run.trajectory.options
    ways: dict[str, Any] = {"formulation": o.formulation, "speeds": o.speeds, **TOLERANCES}
    found = _first(run, p)
    if unchanged(p, DEFAULTS):
        found += _printed(run)
    rigid = {**p, "mass": p["mass"] + p["slosh"], "slosh": 0.0}
    for others in (_rigid, _tipping, _sliding, _one_foot):
        found += others(rigid, ways)
    return found + _held(run, p)


def _just_after(run: Run, p: Parameters) -> np.ndarray:
    """(x', y', theta', beta') just after the first impact."""
    segment = _pivoting(run)
    rates = segment["lander.rate"][0]
    return np.array([*rates, rates[2] + segment["slosh.rate"][0] if p["slosh"] else 0.0])


def _first(run: Run, p: Parameters) -> list[Check]:
    """Velocities, impulse and energy of the first impact, and the slosh momentum (2)."""
    after, P, lost = first_impact(p)
    hit, u = run.impacts[0], _just_after(run, p)
    impulse = np.array(hit.impulse)[:2]
    source = "closed form (1)"
    size = float(np.linalg.norm(P))
    across = np.array([math.cos(p["angle"]), math.sin(p["angle"])])
    particle = np.array([[1, 0, -p["pivot"], p["length"] * across[0]], [0, 1, 0, p["length"] * across[1]]])
    before = p["slosh"] * p["length"] * float(across @ (p["forward"], -p["down"]))
    slosh = p["slosh"] * p["length"] * float(across @ particle @ u)
    foot = u[:2] + u[2] * np.array([p["h"], p["b"]])
    work = -float(impulse @ (p["forward"], -p["down"])) / 2
    names = ("x'", "y'", "theta'", "beta'")
    return [
        Check("first impact: time, s", hit.t, impact_time(p), 1e-10, "closed form: free fall"),
        worst("first impact: after, m/s and rad/s", names, u, after, 1e-11, source),
        worst("first impact: impulse, N s", "xy", impulse, P, 1e-11 * size, source),
        Check("first impact: energy lost, J", hit.energy[0] - hit.energy[1], lost, 1e-11 * lost, source),
        Check("first impact: impulse x mean foot velocity, J", work, lost, 1e-11 * lost, "identity: energy lost"),
        Check("first impact: foot's speed after, m/s", float(np.linalg.norm(foot)), 0.0, 1e-12, "identity: the foot stops"),
        Check("first impact: slosh momentum, kg m^2/s", slosh, before, 1e-12 * size, "identity: (2) is not changed"),
    ]


def _printed(run: Run) -> list[Check]:
    """The motion and both impacts against the independent program."""
    source = "independent program, DOP853 at rtol 1e-12 between impacts"
    names = ("x", "y", "theta", "slosh angle", "theta rate", "slosh rate")
    y = _states(run)
    found = [worst(f"t = {t:g} s", names, y[sample(run, t)], row, 2e-8, source) for t, *row in TABLE]
    segment = _pivoting(run)
    force = segment.loads("right").force[sample(segment, FORCE[0]), :2]
    found.append(worst(f"force on the right foot at {FORCE[0]:g} s, N", "xy", force, FORCE[1:], 1e-5, source))
    found.append(Check("impacts", float(len(run.impacts)), float(len(IMPACTS)), 0.5, source))
    for hit, (t, foot, impulse, lost) in zip(run.impacts, IMPACTS, strict=False):
        found += [
            Check(f"{foot} foot strikes at, s", hit.t if hit.name == foot else math.nan, t, 5e-9, source),
            worst(f"{foot} foot: impulse, N s", "xy", np.array(hit.impulse)[:2], impulse, 1e-4, source),
            Check(f"{foot} foot: energy lost, J", hit.energy[0] - hit.energy[1], lost, 1e-4, source),
        ]
    return found


def _rigid(p: Parameters, ways: dict[str, Any]) -> list[Check]:
    """w+ of the rigid lander for several speeds: closed form (3), and its printed values."""
    end = 2 * impact_time(p)
    runs = [build({**p, "forward": v}).simulate(end, output=end, **ways) for v in RIGID]
    values = np.array([-_just_after(run, p)[2] for run in runs])
    wanted = [p["mass"] * (p["h"] * v - p["b"] * p["down"]) / pivot_inertia(p) for v in RIGID]
    names = [f"v_h = {v:g}" for v in RIGID]
    found = [worst("rigid lander: w+, rad/s", names, values, wanted, 1e-11, "closed form (3)")]
    if p["mass"] == 5000 and all(p[key] == DEFAULTS[key] for key in ("inertia", "b", "h", "gravity", "down")):
        found.append(worst("rigid lander: w+, rad/s, printed", names, values, list(RIGID.values()), 6e-6, "table of (3)"))
        source = "closed form, printed"
        found.append(Check("speed that tips it over, m/s", threshold(p), THRESHOLD, 6e-5, source, "documentation"))
        level = threshold({**p, "down": 0.0})
        found.append(Check("the same without fall, m/s", level, 2.3570, 6e-5, source, "documentation"))
        found.append(Check("energy to tip it over, J", barrier(p), 7331.5, 0.06, source, "documentation"))
    return found


def _tipping(p: Parameters, ways: dict[str, Any]) -> list[Check]:
    """The rigid lander half a percent below and above the threshold: greatest tilt, and rate at the top."""
    A, top = pivot_inertia(p), math.atan2(p["b"], p["h"])
    source = "closed form: energy about the foot"
    low, high = ({**p, "forward": f * threshold(p)} for f in (0.995, 1.005))
    w = [p["mass"] * (p["h"] * q["forward"] - p["b"] * p["down"]) / A for q in (low, high)]
    rest = Event(lambda t, x: x[2], sees=("lander.rate",), direction=1, terminal=True, name="at rest")
    run = build(low).simulate(20.0, output=0.1, events=[rest], **ways)
    rise = A * w[0] ** 2 / 2 / (p["mass"] * p["gravity"])
    tilt = top - math.acos((p["h"] + rise) / math.hypot(p["b"], p["h"]))
    over = Event(lambda t, x: x[0] + top, sees=("lander.angle",), direction=-1, terminal=True, name="over")
    other = build(high).simulate(20.0, output=0.1, events=[over], **ways)
    rate = math.sqrt(w[1] ** 2 - 2 * barrier(p) / A)
    return [
        Check("0.5 % below the threshold: greatest tilt, rad", -float(run["lander.angle"][-1]), tilt, 2e-11, source),
        Check("0.5 % above: rate over the top, rad/s", -float(other["lander.rate"][-1, 2]), rate, 1e-10, source),
    ]


def _sliding(p: Parameters, ways: dict[str, Any]) -> list[Check]:
    """The rigid lander on level ground, whose feet slide until friction has stopped it, (4)."""
    t, mu, weight = impact_time(p), SLIDING, p["mass"] * p["gravity"]
    speed, uneven = p["forward"] - mu * p["down"], mu * p["h"] / p["b"]
    if speed <= 0.1 or uneven >= 0.95:  # it stops in the impact, or tips over
        return []
    rest = speed / (mu * p["gravity"])
    run = level(p).simulate(t + 1.1 * rest, output=(t + 1.1 * rest) / 100, **ways)
    sliding = next(part for part in [*run.segments, run.last] if part.t[0] >= t - 1e-9)
    force = np.array([sliding.loads(foot).force[0, :2] for foot in ("left", "right")])
    share = np.array([1 - uneven, 1 + uneven]) / 2
    impulses = dict(run.impacts[0].impulses)
    struck = [impulses.get(foot, np.full(2, math.nan))[:2] for foot in ("left", "right")]
    along, source = np.array([-mu, 1.0]), "closed form (4)"
    names = ("left x", "left y", "right x", "right y")
    wanted = np.outer(share, along)
    slid = float(run["lander.q"][-1, 0]) - p["forward"] * t
    return [
        worst("level: impulse, N s", names, struck, p["mass"] * p["down"] * wanted, 1e-12 * p["mass"] * p["down"], source),
        Check("level: speed after, m/s", float(sliding["lander.rate"][0, 0]), speed, 1e-12, source),
        worst("level: force while it slides, N", names, force, weight * wanted, 1e-12 * weight, source),
        Check("level: slides, m", slid, speed**2 / (2 * mu * p["gravity"]), 1e-10, source),
        Check("level: rests at, s", run.last.t[0], t + rest, 2e-5, f"{source}; slip of 1e-6 m/s is none"),
        Check("level: largest tilt, rad", float(np.abs(run["lander.angle"]).max()), 0.0, 1e-12, "identity: both feet stay"),
    ]


def _one_foot(p: Parameters, ways: dict[str, Any]) -> list[Check]:
    """The rigid lander just after one foot has struck the rock, on which it slides, (5)."""
    mu, m, I, b, h = SLIDING, p["mass"], p["inertia"], p["b"], p["h"]
    c = 1 / m + b**2 / I - mu * h * b / I
    impulse = p["down"] / c
    rate = (b - mu * h) * impulse / I
    force = (p["gravity"] - h * rate**2) / c
    if c <= 0 or force <= 0 or p["forward"] - mu * impulse / m + h * rate <= 0.1:  # it would jam, leave or stop
        return []
    end = 2 * impact_time(p)
    run = slippery(p).simulate(end, output=end, **ways)
    segment, along, source = _pivoting(run), np.array([-mu, 1.0]), "closed form (5)"
    found = segment.loads("right").force[0, :2]
    struck = np.array(run.impacts[0].impulse)[:2]
    return [
        worst("one foot slides: impulse, N s", "xy", struck, impulse * along, 1e-11 * impulse, source),
        Check("one foot slides: rate after, rad/s", float(segment["lander.rate"][0, 2]), rate, 1e-11, source),
        worst("one foot slides: force after, N", "xy", found, force * along, 1e-11 * force, source),
    ]


def _held(run: Run, p: Parameters) -> list[Check]:
    """The right foot stays where it struck, pressed, until the left one strikes; the book of energy closes."""
    segment = _pivoting(run)
    place, force = segment["lander.right.position"], segment.loads("right").force[:, 1]
    wanted = np.array([p["forward"] * impact_time(p) + p["b"], p["rock"], 0.0])
    speed = np.abs(segment["lander.right.velocity"]).max()
    pull = float(max(-force.min(), 0.0))
    return [
        Check("right foot from where it struck, m", float(np.abs(place - wanted).max()), 0.0, 2e-11, "identity: it is held"),
        Check("speed of the held foot, m/s", float(speed), 0.0, 1e-12, "identity: it is held"),
        Check("pull on the held foot, N", pull, 0.0, 1e-9, "identity: the ground only pushes"),
        balance(run, 1e-9),
    ]


def _pivoting(run: Run) -> Run:
    """The segment of a run in which the right foot is held: the one after the first impact."""
    return [*run.segments, run.last][1 if run.segments else 0]


def figure(run: Run, p: Parameters) -> Figure:
    """Tilt and slosh angle, energy with its steps, and the lander in a few positions."""
    picture, axes = panels(2, 2, size=(9.4, 4.8), width_ratios=(1.4, 1))
    top, bottom = axes[:, 0]
    top.plot(run.t, np.degrees(run["lander.angle"]), color=COLOURS[0], label="tilt of the lander")
    if p["slosh"]:
        top.plot(run.t, np.degrees(run["slosh.q"]) / 10, color=COLOURS[2], label="slosh angle / 10")
    top.set(ylabel="angle, degrees", xticklabels=[])
    bottom.plot(run.t, run["energy.total"] / 1e3, color=COLOURS[4], label="kinetic and potential energy")
    bottom.set(xlabel="time, s", ylabel="energy, kJ")
    if unchanged(p, DEFAULTS):
        rows = np.array(TABLE)
        top.plot(rows[:, 0], np.degrees(rows[:, 3]), "o", color=COLOURS[0], mfc="white", ms=5, label="reference")
        top.plot(rows[:, 0], np.degrees(rows[:, 4]) / 10, "o", color=COLOURS[2], mfc="white", ms=5)
    for ax in (top, bottom):
        for k, hit in enumerate(run.impacts):
            ax.axvline(hit.t, color=COLOURS[1], linestyle=":", linewidth=1, label=None if k else "impacts")
        ax.margins(y=0.36)
        legend(ax, loc="upper right", ncols=2, borderaxespad=0.1)
    for ax in axes[:, 1]:
        ax.remove()
    _draw(picture.add_subplot(axes[0, 1].get_gridspec()[:, 1]), run, p)
    title(picture, f"Touchdown at {p['forward']:g} m/s along and {p['down']:g} m/s down")
    return picture


def _draw(ax: Any, run: Run, p: Parameters) -> None:
    """Legs, body and slosh mass at the start, at the greatest tilt and at the end, on the ground."""
    b, h = p["b"], p["h"]
    half = np.array([[1.0, -1.0], [0.5, -0.2], [0.45, 0.4]])
    shape = np.vstack([half * (-b, h), half[::-1] * (b, h)])
    most = int(np.argmin(run["lander.angle"]))
    for k, label in ((0, "start"), (most, "greatest tilt"), (len(run.t) - 1, "end")):
        colour = COLOURS[("start", "greatest tilt", "end").index(label)]
        x, y, angle = run["lander.q"][k]
        c, s = math.cos(angle), math.sin(angle)
        ax.plot(*(np.array([[x], [y]]) + np.array([[c, -s], [s, c]]) @ shape.T), color=colour, linewidth=1.4, label=label)
        if p["slosh"]:
            line = np.array([run["slosh.position"][k, :2], run["slosh.mass.position"][k, :2]])
            ax.plot(*line.T, color=colour, linewidth=1.0)
            ax.plot(*line[1], "o", color=colour, ms=6)
    foot = p["forward"] * impact_time(p) + b
    ground = np.array([[-b - 1.5, 0], [foot - 0.5, 0], [foot - 0.3, p["rock"]], [foot + 0.6, p["rock"]], [foot + 0.8, 0]])
    ax.plot(*ground.T, color=GREY, linewidth=2.5)
    ax.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    ax.margins(y=0.18)
    ax.spines[["top", "right"]].set_visible(False)
    legend(ax, loc="upper left", ncols=3, borderaxespad=0.1)


EXAMPLE = Example(
    name="lander",
    title="Touchdown of a lander with a slosh pendulum, foot by foot (stand-in)",
    document="Roithmayr, applications of Kane's method",
    source="Slosh and touchdown (Roithmayr, J. Spacecraft and Rockets, 2024, abstract), with stand-in data",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
