"""Random systems that can be run: trees of rigid and flexible bodies, loops closed on them, feet above planes that stand or
move. All data are constants, so that a system can be said again in other words (see `remakes`), and no function is compiled
for a single example.

    world = rigid(seed); run = world.run(); world.run(formulation="dense")
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from formulations.flexible import FlexibleRecipe
from formulations.loops import CLOSING, relative_pose
from trees import JOINTS, NoPlace, Recipe, Tree, direction, make_joint, turn

import kaneflex as kf
from kaneflex.model.frames import Frame
from kaneflex.model.model import Model
from kaneflex.plan.channels import SensorTable, add_channel
from kaneflex.plan.state import State

Array = np.ndarray
TIGHT: dict[str, Any] = {"method": "dop853", "rtol": 1e-12, "atol": 1e-13, "progress": False}
# Deriving a custom joint takes longer than all the rest. Those of rods slide and turn at once, so that loads on all their
# coordinates have no unit in other units; tests/rods and random trees have them.
KINDS = tuple(name for name in JOINTS if name not in ("CustomJoint", "SlidingBall", "SlidingPin"))
LOADS = (  # constants only
    ("Force", "body"),
    ("Force", "inertial"),
    ("Torque", "body"),
    ("Torque", "inertial"),
    ("SpringDamper", "ground"),
    ("SpringDamper", "between"),
    ("JointSpring", "all"),
    ("JointSpring", "one"),
    ("JointSpring", "ball"),
    ("JointSpring", "rotor"),
    ("JointForce", "constant"),
    ("JointForce", "rotor"),
    ("CentralGravity", "one"),
)
INNER = tuple(x for x in LOADS if x[0].startswith("Joint") or x == ("SpringDamper", "between"))
STIFFER = 1000.0  # times the stiffness of `particle_body`, whose modes must not be bent far in a run


@dataclass(frozen=True)
class World:
    """A system with the values that it starts from, by name, and how long it is watched, s."""

    system: kf.System
    start: Mapping[str, Any]
    span: float = 0.5
    inputs: Mapping[str, float] = field(default_factory=dict)
    events: tuple[kf.Event, ...] = ()

    def run(self, **options: Any) -> kf.Run:
        """A run at tight tolerances, sampled 50 times unless told otherwise."""
        given = {"inputs": self.inputs, "events": self.events, "output": self.span / 50} | TIGHT | options
        if "times" in given:
            del given["output"]
        return self.system.simulate(given.pop("duration", self.span), initial=given.pop("initial", self.start), **given)

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return list(self.system.parts)

    def but(self, **changes: Any) -> "World":
        """The world with something changed."""
        return replace(self, **changes)

    def poses(self, places: Sequence[str] = ()) -> dict[str, tuple[Array, Array, Array, Array]]:
        """R, p, omega and v (inertial axes) of bodies and frames at the start."""
        return poses_at(self.system, self.system.state(self.start), places or self.bodies)


def poses_at(system: Any, state: State, places: Sequence[str]) -> dict[str, tuple[Array, Array, Array, Array]]:
    """R, p, omega and v (inertial axes) of bodies and frames ("body.frame") at a state."""
    d, table = system.dynamics(), SensorTable()
    what = ("rotation", "position", "omega", "velocity")
    found = {p: [add_channel(d.plan.index, table, f"{p}.{w}") for w in what] for p in places}
    row = np.concatenate([state.q, d.speeds_from_rates(state.q, state.rates)])[None, :]
    values, _ = d.channels(np.array([state.t]), row, *table.arrays(), table.size)
    result = {}
    for place, (R, p, omega, v) in found.items():
        turned = values[0, R].reshape(3, 3)
        result[place] = (turned, values[0, p], turned @ values[0, omega], values[0, v])
    return result


def by_name(model: Model, state: State) -> dict[str, Any]:
    """The values of a state by name, those of every joint, rotor and mode."""
    values: dict[str, Any] = {}
    for name, part in model.parts.items():
        if part.joint.facts.coordinates:
            values |= {f"{name}.q": state[f"{name}.q"], f"{name}.rate": state[f"{name}.rate"]}
        if part.body.is_flexible:
            values |= {f"{name}.{x}": state[f"{name}.{x}"] for x in ("modes", "modes_rate")}
    return values | {f"{name}.rate": state[f"{name}.rate"] for name in model.rotors}


def system_of(model: Model) -> kf.System:
    """The same declarations as a System."""
    system = kf.System(model.name, gravity=model.gravity)
    tables = ("parts", "frames", "rotors", "loads", "inputs", "constraints", "contacts")
    system.take_over(**{table: dict(getattr(model, table)) for table in tables})
    return system


# -- trees ---------------------------------------------------------------------------------------------------------------


def of_tree(tree: Tree, span: float = 0.5) -> World:
    """The world of a random tree: its flexible bodies made stiffer, its inputs given."""
    system = system_of(tree.model)
    for name, part in system.parts.items():
        if part.body.is_flexible:
            modal = part.body.modal
            soft = replace(modal, stiffness=STIFFER * modal.stiffness, damping=10 * modal.damping)
            system.parts.put(name, replace(part, body=kf.Flexible(soft)))
    for table in (system.loads, system.inputs):
        for name, load in table.items():
            if isinstance(load, kf.JointSpring) and load.coordinate is None and load.joint in system.parts:
                joint = system.parts[load.joint].joint  # a spring on all coordinates of these would mix units
                if isinstance(joint, kf.Cylindrical | kf.Planar | kf.Translational):
                    table[name] = replace(load, coordinate=joint.facts.coordinate_names[0])
    state = State(tree.plan("recursive", "customary").index, 0.0, tree.q, tree.w)
    inputs = {name: float(x) for name, x in zip(system.inputs, tree.inputs, strict=True)}
    return World(system, by_name(system, state), span, inputs)


def _recipe(
    rng: np.random.Generator, n: int, kinds: Sequence[str], root: str | None, loads: Any, count: int
) -> dict[str, Any]:
    joints = [str(rng.choice(kinds)) for _ in range(n)]
    parents = [-1, *(int(rng.integers(0 if root else -1, i)) for i in range(1, n))]
    if root:
        joints[0] = root
    elif set(joints) == {"Fixed"}:
        joints[-1] = "Revolute"
    picked = tuple(loads[int(k)] for k in rng.integers(len(loads), size=count)) if loads else ()
    return {
        "joints": tuple(joints),
        "parents": tuple(parents),
        "rotors": tuple(bool(x) for x in rng.random(n) < 0.3),
        "loads": picked,
        "seed": int(rng.integers(2**32)),
    }


def rigid(
    seed: int,
    n: int = 5,
    *,
    kinds: Sequence[str] = KINDS,
    root: str | None = None,
    loads: Any = LOADS,
    count: int = 5,
    gravity: bool = True,
) -> World:
    """A tree of rigid bodies on joints of all types, with rotors and constant loads. With `root` it hangs on such a
    joint."""
    rng = np.random.default_rng([seed, 1])
    return of_tree(Recipe(**_recipe(rng, n, kinds, root, loads, count), gravity=gravity).tree())


def flexible(seed: int, n: int = 4, *, damped: bool = True, gravity: bool = True, **tree: Any) -> World:
    """A tree of rigid and flexible bodies; at least one is flexible, and joints and loads are at its nodes."""
    rng = np.random.default_rng([seed, 2])
    given = {"kinds": KINDS, "root": None, "loads": LOADS, "count": 4} | tree
    modes = tuple(int(m) for m in rng.choice([0, 2, 3, 8], n))
    modes = modes if any(modes) else (3, *modes[1:])
    world = of_tree(FlexibleRecipe(**_recipe(rng, n, *given.values()), modes=modes, gravity=gravity).tree())
    return world if damped else undamped(world)


def undamped(world: World) -> World:
    """The world without dampers, and without internal damping of its flexible bodies."""
    system = system_of(world.system)
    for name, part in system.parts.items():
        if part.body.is_flexible:
            modal = part.body.modal
            system.parts.put(name, replace(part, body=kf.Flexible(replace(modal, damping=0 * modal.damping))))
    for table in (system.loads, system.inputs):
        for name, load in table.items():
            if hasattr(load, "damping"):
                table[name] = replace(load, damping=0.0)
    return world.but(system=system)


# -- loops -----------------------------------------------------------------------------------------------------------------


def tied(world: World, seed: int, kinds: Sequence[str], count: int = 2, ground: bool = True) -> World:
    """The world with constraints that its start satisfies: closing joints by their names, and others; on N too, or between
    bodies alone. What would leave fewer than two freedoms, or be nearly redundant, is left out."""
    rng = np.random.default_rng([seed, 3])
    for n in range(count):
        trial = system_of(world.system)
        trial.take_over(frames={body: dict(frames) for body, frames in trial.frames.items()})
        try:
            constraint = _constraint(world, trial, rng, str(rng.choice(kinds)), ground)
        except NoPlace:
            continue
        trial.constrain(f"tie{n}", constraint)
        if _is_clear(trial, world.start):
            near = trial.state(world.start)
            near.given = None  # all may be moved
            state = trial.assemble(near).state
            world = world.but(system=trial, start=by_name(trial, state))
    return world


def _constraint(world: World, system: kf.System, rng: np.random.Generator, kind: str, ground: bool) -> Any:
    """A constraint between two places as they are: one is a frame that may be a node, the other is put to fit."""
    bodies = {b: system.parts[b].body for b in world.bodies}
    firm = [b for b, body in bodies.items() if not body.is_flexible and body.mass_properties()[0] > 0]
    body = str(rng.choice([b for b in world.bodies if "tip" in system.frames[b]]))
    others = [b for b in firm if b != body]
    if not others and not ground:
        raise NoPlace
    to = str(rng.choice(others)) if others and (rng.random() < 0.7 or not ground) else "N"
    place = f"{body}.tip"
    R, p, _, _ = world.poses([place])[place]

    def put(R: Array, p: Array) -> Any:
        if to == "N":
            return Frame(p, R)
        R_b, p_b, _, _ = world.poses([to])[to]
        return system.add_frame(to, f"end{len(system.frames[to])}", Frame(R_b.T @ (p - p_b), R_b.T @ R))

    if kind == "Distance":
        away = direction(rng) * rng.uniform(0.5, 1.5)
        return kf.Distance(put(turn(rng), p + away), place, float(np.linalg.norm(away)))
    if kind == "PointOnPlane":
        Q = turn(rng)
        return kf.PointOnPlane(place, put(Q, p + Q @ [rng.normal(), rng.normal(), 0.0]))
    if kind == "PointOnLine":
        Q = turn(rng)
        return kf.PointOnLine(place, put(Q, p + Q @ [0.0, 0.0, rng.normal()]))
    if kind == "KnifeEdge":
        return kf.KnifeEdge(place, to)
    if kind == "Rolling":
        radii = rng.uniform(0.3, 0.8, 3)
        Q = turn(rng)
        reach = float(np.linalg.norm(radii * (R.T @ Q[:, 2])))
        return kf.Rolling(place, put(Q, p + Q @ [rng.normal(), rng.normal(), -reach]), tuple(radii))
    if kind == "Gear":
        found = [b for b in world.bodies if type(system.parts[b].joint) in (kf.Revolute, kf.Prismatic, kf.Screw)]
        if len(found) < 2:
            raise NoPlace
        a, b = rng.permutation(found)[:2]
        ratio = float(rng.uniform(0.5, 1.5))
        return kf.Gear(str(a), str(b), ratio, float(world.start[f"{b}.q"] - ratio * world.start[f"{a}.q"]))
    joint = make_joint(kind, rng)
    X, x = relative_pose(joint, rng)  # of the place in the frame that is put
    R_a = R @ X.T
    return kf.Closure(put(R_a, p - R_a @ x), place, joint)


def _is_clear(system: kf.System, start: Mapping[str, Any]) -> bool:
    """Whether the constraints leave two freedoms, and say something new clearly."""
    d = system.dynamics()
    state = system.state(start)
    q, n = state.q, d.plan.nu
    rest = d.equations(0.0, q, np.zeros(n))[1]
    J = np.column_stack([d.equations(0.0, q, e)[1] - rest for e in np.eye(n)])
    if len(J) > n - 2 - len(system.rotors):
        return False
    rows = np.linalg.solve(np.linalg.cholesky(d.mass_matrix(q)), J.T).T
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    return bool(sizes.min() > 0.05 and np.linalg.svd(rows / sizes, compute_uv=False)[-1] > 0.1)


TIES = (*(k for k in CLOSING if k in KINDS and k not in ("Fixed", "Translational", "Prismatic")),
        "Distance", "PointOnPlane", "PointOnLine")  # fmt: skip
TIES = (*TIES, "KnifeEdge", "Rolling", "Gear")


def looped(seed: int, n: int = 6, ties: Sequence[str] = TIES, **tree: Any) -> World:
    """A tree of rigid bodies with constraints on it; at least one."""
    return _with_ties(lambda k: rigid(k, n, **tree), seed, ties)


def flexible_loops(seed: int, n: int = 5, ties: Sequence[str] = TIES, **tree: Any) -> World:
    """A tree of rigid and flexible bodies with constraints at nodes and elsewhere."""
    return _with_ties(lambda k: flexible(k, n, **tree), seed, ties)


def _with_ties(make: Callable[[int], World], seed: int, ties: Sequence[str], ground: bool = True) -> World:
    for k in range(100):
        world = tied(make(1000 * seed + k), seed, ties, ground=ground)
        if world.system.constraints and _is_moderate(world):
            return world
    raise AssertionError(f"no loop closes on the trees of seed {seed}")


def _is_moderate(world: World) -> bool:
    """Whether modes stay small beside what their second order is right for; closing a loop may make them fast."""
    soft = [b for b in world.bodies if world.system.parts[b].body.is_flexible]
    try:
        run = world.run(method="dopri5", rtol=1e-5, atol=1e-7) if soft else None
    except kf.SimulationError:
        return False
    return run is None or max(float(np.abs(run[f"{b}.modes"]).max()) for b in soft) < 0.2


# -- contacts --------------------------------------------------------------------------------------------------------------


def struck(seed: int, **how: Any) -> World:
    """A free tree whose feet fall on a plane, struck a few times: see `_falling`. Those that bounce ever faster, and those
    that miss the plane, are passed over."""
    for k in range(100):
        world = _falling(1000 * seed + k, **how)
        try:
            run = world.run(rtol=1e-9, atol=1e-10, output=world.span, max_steps=1000)
        except (kf.ModelError, kf.SimulationError):
            continue
        if 1 <= len(run.impacts) <= 6:
            return world
    raise AssertionError(f"nothing is struck a few times with seed {seed}")


def _falling(
    seed: int,
    *,
    soft: bool = False,
    loops: bool = False,
    table: bool = False,
    restitution: tuple[float, float] = (0.5, 1.0),
    friction: float = 0.4,
    after: str = "bounce",
    n: int = 3,
    feet: int = 2,
    **tree: Any,
) -> World:
    """A free tree above a plane: z = 0 of N, or of a heavy table that flies below it."""
    given = {"root": "Free", "loads": INNER, "count": 2, "gravity": False} | tree
    make: Callable[..., World] = flexible if soft else rigid
    if loops:
        world = _with_ties(lambda k: make(k, n + 2, **given), seed, ("Spherical", "Distance", "PointOnLine"), False)
    else:
        world = make(seed, n, **given)
    rng = np.random.default_rng([seed, 4])
    system, start = system_of(world.system), dict(world.start)
    system.gravity = (0.0, 0.0, -9.81)
    places = [f"{b}.tip" for b in rng.permutation(world.bodies)[:feet]]
    lowest = min(p[2] for _, p, _, _ in world.poses(places).values())
    root = world.bodies[0]
    start[f"{root}.q"] = np.array(start[f"{root}.q"])
    start[f"{root}.q"][:3] += system.parts[root].at.R.T @ [0.0, 0.0, 0.03 - lowest]
    on = _add_table(system, start, rng) if table else "N"
    for k, place in enumerate(places):
        e = float(rng.uniform(*restitution))
        system.contact(f"foot{k}", kf.Contact(place, on, e, friction * float(rng.random()), after))
    return world.but(system=system, start=start, span=0.3)


def _add_table(system: kf.System, start: dict[str, Any], rng: np.random.Generator) -> str:
    """A heavy free body that turns slowly and carries a plane at z = 0, tilted slightly."""
    body = kf.Rigid(20.0, rng.normal(size=3) * 0.1, (6.0, 7.0, 8.0))
    tilt = Frame((0.1, -0.2, 0.5))
    system.add("table", body, kf.Free())
    system.add_frame("table", "top", tilt)
    start["table.q"] = np.array([-0.1, 0.2, -0.5, 1.0, 0.0, 0.0, 0.0])
    start["table.rate"] = np.array([0.1, 0.2, 0.5, *(0.05 * rng.normal(size=3))])
    return "table.top"


# -- events ----------------------------------------------------------------------------------------------------------------


def second(t: float, x: Any) -> Any:
    """The second of what is seen."""
    return x[1]


def locks(world: World) -> Callable[[Any, Any], None] | None:
    """An action that locks the first joint that can be, but for the root's, once."""
    joints = [b for b in world.bodies[1:] if world.system.parts[b].joint.facts.scalar_rates]

    def action(state: State, change: kf.Change) -> None:
        if change.model.parts[joints[0]].joint.motion is None:
            change.lock(joints[0])

    return action if joints else None


def cuts(world: World) -> Callable[[Any, Any], None] | None:
    """An action that cuts the last body off its parent, once."""
    body = world.bodies[-1]
    named = (getattr(x, "joint", None) for x in (*world.system.loads.values(), *world.system.inputs.values()))

    def action(state: State, change: kf.Change) -> None:
        if change.model.parts[body].parent != "N":
            change.detach(body)

    return None if body in named or world.system.parts[body].parent == "N" else action


def changed(seed: int, make: Callable[..., World] = rigid, what: Any = cuts) -> World:
    """A tree that changes when the angular velocity of a body changes its sign about the body's second axis, which a mirror
    leaves as it is; one way only, for the change may turn it back at once."""
    for k in range(100):
        world = make(1000 * seed + k, kinds=("Revolute", "Prismatic", "Universal", "Cylindrical", "Spherical", "Screw"))
        action = what(world)
        turning = np.array([world.run(method="dopri5", rtol=1e-6)[f"{b}.omega"][:, 1] for b in world.bodies])
        for body, omega in zip(world.bodies, turning, strict=True):
            at = np.flatnonzero(omega[1:] * omega[:-1] < 0)
            if action is not None and len(at) and 5 < at[0] < 40:
                way = int(np.sign(omega[at[0] + 1]))
                event = kf.Event(second, [f"{body}.omega"], way, action=action, name="turns")
                return world.but(events=(event,))
    raise AssertionError(f"nothing turns back with seed {seed}")


MAKERS: dict[str, Callable[[int], World]] = {
    "rigid": rigid,
    "flexible": flexible,
    "looped": looped,
    "flexible loops": flexible_loops,
    "struck": struck,
    "struck loops": lambda seed: struck(seed, loops=True),
    "struck flexible": lambda seed: struck(seed, soft=True),
    "struck table": lambda seed: struck(seed, table=True),
    "held": lambda seed: struck(seed, restitution=(0.0, 0.0), after="slide", feet=1),
    "stuck": lambda seed: struck(seed, restitution=(0.0, 0.0), after="stick", feet=1),
    "cut": changed,
    "cut flexible": lambda seed: changed(seed, flexible),
    "locked": lambda seed: changed(seed, rigid, locks),
    "locked flexible": lambda seed: changed(seed, flexible, locks),
}
LATER = ("flexible loops", "stuck", "cut flexible", "locked", "locked flexible")  # those that only thorough tests look at
SMOOTH = tuple(MAKERS)[:4]
all_kinds = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.thorough] if kind in LATER else []) for kind in MAKERS]
)


@cache
def world_of(kind: str, seed: int) -> World:
    """A world of a kind, made once."""
    return MAKERS[kind](seed)


@cache
def run_of(kind: str, seed: int) -> kf.Run:
    """Its run, made once."""
    return world_of(kind, seed).run()
