"""Random loops on random trees, and what must hold for their equations. Checks raise AssertionError, as `identities` does.

    @given(mechanisms())
    def test(recipe): m = recipe.mechanism(); m.dynamics("dense", "efficient")

Equations of motion make sense wherever a system is, so most mechanisms are not assembled: only `fitted` ones satisfy their
constraints in the coordinates. Constraints that contradict each other, or nearly say the same, are left out; doubled ones
are put in on purpose (`Mechanism.double`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from formulations.identities import Motion, close, largest, power_is_energy_rate, prescribed
from hypothesis import strategies as st
from trees import JOINTS, TIME, WAYS, NoPlace, Random, Recipe, Tree, make_joint, trees, turn

import kaneflex as kf
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model import joints
from kaneflex.model.frames import Frame
from kaneflex.model.profiles import cosine
from kaneflex.plan.channels import SensorTable, add_channel
from kaneflex.plan.state import State

Array = np.ndarray
CLOSING = tuple(name for name in JOINTS if name not in ("Free", "CustomJoint"))
JOINT_KINDS = tuple(name for name in JOINTS if name != "CustomJoint")  # deriving one takes longer than all the rest
MOTIONS = (cosine(0.9, 1.3, 0.4, 0.2), cosine(0.4, 2.6, -1.1, -0.3), cosine(0.7, 1.9, 2.2))  # few, for each is compiled


# -- functions of written constraints: few, for each is compiled -----------------------------------------------------------


def span(t):
    return 0.8 + 0.2 * kf.sin(2 * t)


def apart(t, x):
    """Two points at a distance that changes with time; positions of both."""
    return (x[0] - x[3]) ** 2 + (x[1] - x[4]) ** 2 + (x[2] - x[5]) ** 2 - span(t) ** 2


def guided(t, x):
    """Two rows: a point on a vertical line that moves; its position."""
    return x[0] - 0.3 * kf.sin(t), x[1] - 0.2 * t


def leaning(t, x):
    """A frame leans as a coordinate and time tell it; its rotation and the coordinate."""
    return x[2] + 0.3 * (x[9] - 0.5 * t)


def steered(t, x, v):
    """The velocity of a point along an axis of its frame is a function of time; its position and rotation."""
    return v[0] * x[3] + v[1] * x[6] + v[2] * x[9] - 0.3 * kf.cos(t)


def geared(t, x, v):
    """A rate that depends on another coordinate; two coordinates."""
    return v[0] * (1.5 + kf.sin(x[1])) - v[1] + 0.1 * t


def bowl(x, y, z):
    return 0.3 * (x * x + y * y) - z


# -- making constraints ----------------------------------------------------------------------------------------------------


def rotation(axis: Any, angle: float) -> Array:
    """Rotation matrix about a unit vector."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def relative_pose(joint: joints.Joint, rng: Random) -> tuple[Array, Array]:
    """Some pose that a closing joint allows, of its outboard frame in its inboard one."""
    kind, angle, slide, zero = type(joint).__name__, rng.uniform(-3, 3), rng.normal(), np.zeros(3)
    if kind == "Universal":
        first, second = joint.axes
        return rotation(first, angle) @ rotation(second, rng.uniform(-3, 3)), zero
    if kind == "Spherical":
        return turn(rng), zero
    if kind == "SlidingBall":
        return turn(rng), slide * np.array(joint.axis)
    if kind == "SlidingPin":
        return rotation(joint.axes[1], angle), slide * np.array(joint.axes[0])
    if kind == "Translational":
        return np.eye(3), rng.normal(size=3)
    if kind == "Fixed":
        return np.eye(3), zero
    axis = np.array(joint.axis)
    R = np.eye(3) if kind == "Prismatic" else rotation(axis, angle)
    p = {"Revolute": zero, "Screw": getattr(joint, "pitch", 0.0) * angle / (2 * math.pi) * axis}.get(kind, slide * axis)
    if kind == "Planar":
        p = rng.normal(size=3)
        p -= p @ axis * axis
    return R, p


class Bench:
    """Where constraints are made: places on the bodies of a tree, known in space."""

    def __init__(self, tree: "Mechanism", rng: Random, fitted: bool):
        self.tree, self.rng, self.fitted = tree, rng, fitted
        self.poses = body_poses(tree)

    def body(self, other_than: str = "", ground: bool = True) -> str:
        names = [n for n in self.tree.names if n != other_than]
        if ground and other_than != "N" and self.rng.random() < 0.3:
            return "N"
        return Tree.pick(self.rng, names)

    def put(self, body: str, R: Array, p: Array) -> Any:
        """A frame at a pose in space: its name, or itself on the ground."""
        if body == "N":
            return Frame(p, R)
        R_b, p_b = self.poses[body]
        name = f"f{len(self.tree.model.frames[body])}"
        return self.tree.model.add_frame(body, name, Frame(R_b.T @ (p - p_b), R_b.T @ R))

    def somewhere(self, body: str) -> tuple[Array, Array]:
        """A pose in space not far from a body."""
        p = self.poses[body][1] if body != "N" else np.zeros(3)
        return turn(self.rng), p + 0.5 * self.rng.normal(size=3)

    def pair(self, ground_first: bool = True) -> tuple[str, str]:
        a = self.body(ground=ground_first)
        return a, self.body(other_than=a, ground=False)

    def scalar(self) -> tuple[str, float]:
        """A scalar coordinate and its value."""
        index = self.tree.plan(*WAYS[0]).index
        name = Tree.pick(self.rng, self.tree.scalars)
        joint = index.joints[name]
        k = int(self.rng.integers(joint.coordinates))
        return f"{name}.{joint.coordinate_names[k]}", float(self.tree.q[joint.q0 + k])


def make_closure(bench: Bench, kind: str) -> Any:
    a, b = bench.pair()
    joint = make_joint(kind, bench.rng)
    R, p = bench.somewhere(a)
    X, x = relative_pose(joint, bench.rng)
    place = (R @ X, p + R @ x) if bench.fitted else bench.somewhere(b)
    ends = [bench.put(a, R, p), bench.put(b, *place)]
    return kf.Closure(*ends, joint)


def make_distance(bench: Bench) -> Any:
    a, b = bench.pair()
    one, other = bench.somewhere(a), bench.somewhere(b)
    length = float(np.linalg.norm(one[1] - other[1])) if bench.fitted else 1.0
    return kf.Distance(bench.put(a, *one), bench.put(b, *other), length)


def make_point_on(bench: Bench, kind: Any) -> Any:
    on, body = bench.pair()
    R, p = bench.somewhere(on)
    step = np.array([0.0, 0.0, 1.0]) if kind is kf.PointOnLine else np.array([1.0, 1.0, 0.0])
    there = p + R @ (step * bench.rng.normal(size=3)) if bench.fitted else bench.somewhere(body)[1]
    return kind(bench.put(body, turn(bench.rng), there), bench.put(on, R, p))


def make_surface(bench: Bench) -> Any:
    on, body = bench.pair()
    x, y = bench.rng.normal(size=2)
    local = np.array([x, y, bowl(x, y, 0.0)])
    if on == "N":
        return kf.PointOnSurface(bench.put(body, np.eye(3), local + (0 if bench.fitted else 0.1)), "N", bowl)
    R, p = bench.somewhere(on)
    there = p + R @ local if bench.fitted else bench.somewhere(body)[1]
    return kf.PointOnSurface(bench.put(body, turn(bench.rng), there), bench.put(on, R, p), bowl)


def make_gear(bench: Bench) -> Any:
    (a, qa), (b, qb) = bench.scalar(), bench.scalar()
    if a == b:
        raise NoPlace
    ratio = bench.rng.normal()
    return kf.Gear(a, b, ratio, [None, qb - ratio * qa][int(bench.rng.integers(2))])


def make_coupler(bench: Bench) -> Any:
    found = dict(bench.scalar() for _ in range(3))
    terms = {name: float(bench.rng.normal()) for name in found}
    return kf.Coupler(terms, sum(c * found[name] for name, c in terms.items()) + (0.0 if bench.fitted else 0.1))


def make_knife(bench: Bench) -> Any:
    on, body = bench.pair()
    return kf.KnifeEdge(bench.put(body, *bench.somewhere(body)), on)


def make_rolling(bench: Bench) -> Any:
    on, body = bench.pair()
    radii = bench.rng.uniform(0.3, 0.8, 3) * [1, 1, bench.rng.random() < 0.6]
    B, centre = bench.somewhere(body)
    A, p = bench.somewhere(on)
    if bench.fitted:
        reach = np.linalg.norm(radii * (B.T @ A[:, 2]))
        p = centre + A @ [bench.rng.normal(), bench.rng.normal(), -reach]
    return kf.Rolling(bench.put(body, B, centre), bench.put(on, A, p), tuple(radii))


def make_written(bench: Bench, function: Any) -> Any:
    rng = bench.rng
    b = bench.body(ground=False)
    R, p = bench.somewhere(b)
    if function is apart:
        a = bench.body(other_than=b, ground=False)
        away = R[:, 0] * float(span(TIME)) if bench.fitted else rng.normal(size=3)
        ends = [bench.put(a, np.eye(3), p + away), bench.put(b, R, p)]
        return kf.Constraint(function, tuple(f"{end}.position" for end in ends))
    if function is guided:
        if bench.fitted:
            p = np.array([0.3 * math.sin(TIME), 0.2 * TIME, rng.normal()])
        return kf.Constraint(function, (f"{bench.put(b, R, p)}.position",))
    if function is leaning:
        name, value = bench.scalar()
        lean = -0.3 * (value - 0.5 * TIME)
        if bench.fitted:
            if abs(lean) > 0.95:
                raise NoPlace
            R = rotation((1, 0, 0), rng.uniform(-3, 3)) @ rotation((0, 1, 0), math.asin(lean))  # R[0, 2] is the lean
        return kf.Constraint(function, (f"{bench.put(b, R, p)}.rotation", name))
    if function is geared:
        (one, _), (other, _) = bench.scalar(), bench.scalar()
        if one == other:
            raise NoPlace
        return kf.VelocityConstraint(function, (one, other))
    end = bench.put(b, R, p)
    return kf.VelocityConstraint(function, (f"{end}.position", f"{end}.rotation"))


MAKERS: dict[str, Callable[[Bench], Any]] = {
    **{f"Closure-{name}": lambda bench, name=name: make_closure(bench, name) for name in CLOSING},
    "Distance": make_distance,
    "PointOnLine": lambda bench: make_point_on(bench, kf.PointOnLine),
    "PointOnPlane": lambda bench: make_point_on(bench, kf.PointOnPlane),
    "PointOnSurface": make_surface,
    "Gear": make_gear,
    "Coupler": make_coupler,
    "KnifeEdge": make_knife,
    "Rolling": make_rolling,
    **{
        f"Written-{f.__name__}": lambda bench, f=f: make_written(bench, f) for f in (apart, guided, leaning, steered, geared)
    },
}
TIES = tuple(MAKERS)
OF_TIME = tuple(kind for kind in TIES if kind.startswith("Written"))
DERIVED = (*OF_TIME, "PointOnSurface")  # in symbols, which takes longer than all the rest
BUILT_IN = tuple(kind for kind in TIES if kind not in DERIVED)


# -- mechanisms --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Loops:
    """What a mechanism is made of: a tree, kinds of constraints on it, whether joints are driven, whether it fits."""

    recipe: Recipe
    ties: tuple[str, ...]
    driven: bool = False
    fitted: bool = False

    def mechanism(self) -> "Mechanism":
        return Mechanism(self)


class Mechanism(Tree):
    """A tree with constraints that can all be satisfied by accelerations."""

    bench = Bench

    def __init__(self, loops: Loops):
        super().__init__(loops.recipe)
        self.loops, self.motions = loops, {}
        rng = np.random.default_rng(loops.recipe.seed + 1)
        if loops.driven:
            self._drive(rng)
        bench = self.bench(self, rng, loops.fitted)  # where bodies are does not depend on what drives them
        for n, kind in enumerate(loops.ties):
            try:
                self.model.constrain(f"tie{n}", MAKERS[kind](bench))
            except NoPlace:
                continue
        self.changed()
        self.leave_out(self._spoilers())

    def changed(self) -> None:
        """Forget plans of the model as it was."""
        self._plans.clear()
        self.__dict__.pop("ways", None)

    def _drive(self, rng: Random) -> None:
        """Let every third scalar joint or so follow a motion, in one of its coordinates or in all."""
        index = self.plan(*WAYS[0]).index
        for name in self.scalars:
            joint, place, given = self.model.parts[name].joint, index.joints[name], {}
            if rng.random() > 0.35:
                continue
            for k, coordinate in enumerate(place.coordinate_names):
                if rng.random() < 0.7:
                    given[coordinate] = motion = MOTIONS[rng.integers(len(MOTIONS))]
                    value, rate, _ = motion.functions
                    self.q[place.q0 + k], self.w[place.u0 + k] = value(TIME), rate(TIME)
                    self.motions[place.u0 + k] = motion
            if given:
                part = self.model.parts[name]
                self.model.parts.put(name, replace(part, joint=replace(joint, motion=given)))

    def _spoilers(self) -> list[str]:
        """Constraints that those before them contradict, or nearly imply, and those beyond half of the freedom."""
        d = self.dynamics(*WAYS[0])
        free = np.flatnonzero(~prescribed(d))
        if not self.model.constraints or not len(free):
            return list(self.model.constraints)
        J = jacobian(d, self.q)[:, free]
        freedom = len(free) - len(self.rotors)
        root = np.linalg.cholesky(d.mass_matrix(self.q)[np.ix_(free, free)])
        bad, kept = [], np.zeros((0, len(free)))
        for name in self.model.constraints:
            rows = np.linalg.solve(root, J[d.plan.index.constraints[name]].T).T
            sizes = np.linalg.norm(rows, axis=1, keepdims=True)
            more = np.vstack([kept, rows / np.maximum(sizes, 1e-9)])
            if sizes.min() < 0.03 or len(more) > freedom // 2 or np.linalg.svd(more, compute_uv=False)[-1] < 0.05:
                bad.append(name)
            else:
                kept = more
        return bad

    def leave_out(self, names: Sequence[str]) -> None:
        for name in names:
            del self.model.constraints[name]
        if names:
            self.changed()

    def double(self) -> None:
        """Say everything twice."""
        for name, constraint in list(self.model.constraints.items()):
            self.model.constrain(f"{name}again", constraint)
        self.changed()

    def settle_rates(self) -> None:
        """Rates that satisfy the constraints, as near as can be."""
        d = self.dynamics(*WAYS[0])
        _, speeds = d.equations(TIME, self.q, self.w)
        self.w = self.w + d.respond(TIME, self.q, defects=speeds)

    def state(self, t: float = TIME) -> State:
        return State(self.plan(*WAYS[0]).index, t, self.q, self.w)


@st.composite
def mechanisms(
    draw: st.DrawFn,
    most: int = 14,
    ties: Sequence[str] = TIES,
    driven: bool | None = None,
    fitted: bool | None = None,
    at_most: int = 5,
    kinds: Sequence[str] = JOINT_KINDS,
    **tree: Any,
) -> Loops:
    """Recipes of mechanisms: trees of two to `most` bodies with one to `at_most` constraints asked for."""
    recipe = draw(trees(most=most, kinds=kinds, **tree))
    asked = tuple(draw(st.lists(st.sampled_from(sorted(ties)), min_size=1, max_size=at_most)))
    drive = draw(st.booleans()) if driven is None else driven
    return Loops(recipe, asked, drive, draw(st.booleans()) if fitted is None else fitted)


def body_poses(tree: Tree) -> dict[str, tuple[Array, Array]]:
    """R and p of every body in space."""
    d, table = tree.dynamics(*WAYS[0]), SensorTable()
    places = {n: [add_channel(d.plan.index, table, f"{n}.{what}") for what in ("rotation", "position")] for n in tree.names}
    state = np.concatenate([tree.q, np.zeros(d.plan.nu)])[None, :]
    values, _ = d.channels(np.array([TIME]), state, *table.arrays(), table.size)
    return {n: (values[0, R].reshape(3, 3), values[0, p]) for n, (R, p) in places.items()}


# -- what the equations say ------------------------------------------------------------------------------------------------


def jacobian(d: Dynamics, q: Array) -> Array:
    """What every equation says of every speed: its speed at unit speeds less that at rest."""
    _, still = d.equations(TIME, q, np.zeros(d.plan.nu))
    columns = [d.equations(TIME, q, e)[1] - still for e in np.eye(d.plan.nu)]
    return np.column_stack(columns) if columns else np.zeros((len(still), 0))


def explicit(d: Dynamics, q: Array) -> Array:
    """The part of every equation's speed that depends on time alone."""
    return d.equations(TIME, q, np.zeros(d.plan.nu))[1]


def holonomic(d: Dynamics) -> Array:
    """Which equations are derivatives of equations in the coordinates."""
    return d.plan.tables.equation.holonomic == 1


def multipliers(d: Dynamics) -> Array:
    """As the last solve left them."""
    return d.work.equation.multiplier[: d.plan.header.rows].copy()


def by_name(d: Dynamics, values: Array) -> Array:
    """Equations in the order of the constraints' names; a formulation may have its own."""
    rows = d.plan.index.constraints
    return np.concatenate([values[rows[name]] for name in sorted(rows)])


def slope(f: Callable[[float], Array], h: float) -> Array:
    """df/ds at 0 by differences of fourth order."""
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


class LoopMotion(Motion):
    """Motion of a mechanism, with its multipliers."""

    def __init__(self, d: Dynamics, tree: Mechanism):
        super().__init__(d, tree)
        self.multipliers = multipliers(d)

    def along(self, ydot: Array, which: int) -> Array:
        """Rate of the equations' values (0) or speeds (1) when y changes by ydot per second."""
        d, nq, n = self.d, self.d.plan.nq, self.d.plan.nq + self.d.plan.nu
        y = self.y[:n]
        step = 1e-3 / (1 + 0.3 * np.abs(ydot[:nq]).sum())  # the last body of a chain moves by the sum
        return slope(lambda s: d.equations(TIME + s, *np.split(y + s * ydot[:n], [nq]))[which], step)

    @property
    def gamma(self) -> Array:
        """Rate of the equations' speeds with the speeds held."""
        return self.along(np.concatenate([self.ydot[: self.d.plan.nq], np.zeros(self.d.plan.nu + 2)]), 1)


# -- laws --------------------------------------------------------------------------------------------------------------


def same_multipliers(one: LoopMotion, other: LoopMotion) -> None:
    """Two ways give the same multipliers; those of least norm where they are not unique."""
    ways = f"{one.d} and {other.d}"
    close(by_name(one.d, one.multipliers), by_name(other.d, other.multipliers), f"multipliers, {ways}", tolerance=1e-9)


def constraints_stay(motion: LoopMotion) -> None:
    """d/dt of every equation's speed is zero along the motion, and that of a holonomic equation's value is its speed."""
    d, u = motion.d, motion.u
    scale = 1 + largest(motion.udot, motion.accelerations) + largest(u, motion.tree.w) ** 2
    rate = motion.along(motion.ydot, 1)
    close(rate, np.zeros_like(rate), f"rate of the equations' speeds, {d}", scale, 1e-7)
    rows = holonomic(d)
    if not motion.tree.loops.fitted:
        rows &= ~screws(d)
    _, speeds = d.equations(TIME, motion.tree.q, u)
    close(motion.along(motion.ydot, 0)[rows], speeds[rows], f"speeds of the equations, {d}", 1 + largest(speeds), 1e-7)


def screws(d: Dynamics) -> Array:
    """Equations of closing screws, whose value has the right slope only where the loop is closed."""
    rows = np.zeros(d.plan.header.rows, bool)
    for name, c in d.plan.model.constraints.items():
        if isinstance(c, kf.Closure) and isinstance(c.joint, joints.Screw):
            rows[d.plan.index.constraints[name].start + 2] = True
    return rows


def inverse_with_multipliers(motion: LoopMotion) -> None:
    """Inverse dynamics knows no constraints: what it asks for is what joints and multipliers gave, J^T lambda included."""
    d, tree, u = motion.d, motion.tree, motion.u
    J = jacobian(d, tree.q)
    R = np.column_stack([d.rates_from_speeds(tree.q, e) for e in np.eye(d.plan.nu)])
    wanted = R.T @ (tree.tau + motion.holding) + J.T @ motion.multipliers
    at_rest = R.T @ d.inverse_dynamics(tree.q, u, np.zeros_like(u), TIME)
    got = R.T @ d.inverse_dynamics(tree.q, u, motion.udot, TIME)
    close(got, wanted, f"inverse dynamics, {d}", largest(at_rest, got, wanted, J.T * motion.multipliers))


def kkt(motion: LoopMotion) -> tuple[Array, Array]:
    """u-dot and multipliers of least norm from M, h, J and gamma by NumPy; customary speeds."""
    d, tree = motion.d, motion.tree
    M, h, J, gamma = d.mass_matrix(tree.q), d.bias(tree.q, motion.u, TIME), jacobian(d, tree.q), motion.gamma
    held = prescribed(d)
    f, udot = np.flatnonzero(~held), np.where(held, motion.udot, 0.0)
    force = (tree.tau - h - M @ udot)[f]
    n, m = len(f), len(J)
    K = np.block([[M[np.ix_(f, f)], -J[:, f].T], [J[:, f], np.zeros((m, m))]])
    found = np.linalg.lstsq(K, np.concatenate([force, -gamma - J @ udot]), rcond=1e-11)[0]
    udot[f] = found[:n]
    return udot, found[n:]


def least_multipliers(motion: LoopMotion) -> Array:
    """Multipliers of least norm from the pseudo-inverse of J M^-1 J^T."""
    d, tree = motion.d, motion.tree
    M, h, J, gamma = d.mass_matrix(tree.q), d.bias(tree.q, motion.u, TIME), jacobian(d, tree.q), motion.gamma
    held = prescribed(d)
    f, udot = np.flatnonzero(~held), np.where(held, motion.udot, 0.0)
    inverse = np.linalg.inv(M[np.ix_(f, f)])
    alone = inverse @ (tree.tau - h - M @ udot)[f]
    return -np.linalg.pinv(J[:, f] @ inverse @ J[:, f].T, rcond=1e-9, hermitian=True) @ (J[:, f] @ alone + J @ udot + gamma)


def least_norm(motion: LoopMotion) -> None:
    """Multipliers as reported are those of least norm; what the solve itself leaves has the same effect."""
    d, tree = motion.d, motion.tree
    u, tau = motion.u, tree.tau
    assert not np.any(tau), "reported multipliers know no outside joint forces"
    wanted, reported = least_multipliers(motion), d.multipliers(TIME, tree.q, u)
    close(reported, wanted, f"multipliers of least norm, {d}", tolerance=1e-6)
    assert np.linalg.norm(reported) <= np.linalg.norm(motion.multipliers) * (1 + 1e-9), f"least norm, {d}"
    J = jacobian(d, tree.q)[:, ~prescribed(d)]
    close(J.T @ reported, J.T @ motion.multipliers, f"effect of the multipliers, {d}", largest(J.T * reported), 1e-9)


def kkt_agrees(motion: LoopMotion) -> None:
    """The same accelerations and multipliers as NumPy gets from the matrices."""
    d = motion.d
    for k, profile in motion.tree.motions.items():
        close(motion.udot[k], profile.functions[2](TIME), f"given acceleration, {d}", 1.0, 1e-12)
    udot, found = kkt(motion)
    close(motion.udot, udot, f"u-dot by the matrices, {d}", tolerance=1e-6)
    close(motion.multipliers, found, f"multipliers by the matrices, {d}", tolerance=1e-6)


def power_balances(motion: LoopMotion) -> None:
    """d/dt of the energy is the power of loads, drives and moving constraints, once the speeds satisfy the constraints."""
    d, tree = motion.d, motion.tree
    _, speeds = d.equations(TIME, tree.q, motion.u)
    close(speeds, np.zeros_like(speeds), f"speeds of the equations, {d}", 1 + largest(tree.w), 1e-9)
    power_is_energy_rate(motion)


# -- planar linkages -------------------------------------------------------------------------------------------------------


class Linkage(Mechanism):
    """A planar tree of bars in a tilted plane with loops closed by spatial joints, many of whose equations say nothing new.

    It is assembled: elsewhere the equations of a closing slide contradict each other.
    """

    def __init__(self, kinds: Sequence[str], parents: Sequence[int], loops: Sequence[tuple[int, int, str]], seed: int):
        self.loops, self.motions, self.recipe = Loops(Recipe((), ()), (), fitted=True), {}, Recipe((), ())
        self._plans, self.rotors = {}, []
        rng = np.random.default_rng(seed)
        self.model = kf.System("linkage", gravity=rng.normal(size=3) * 3)
        self.names = [f"b{i}" for i in range(len(kinds))]
        tilt = turn(rng)
        for i, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
            at = Frame((*rng.normal(size=2), 0.0), rotation((0, 0, 1), rng.normal()))
            if parent < 0:
                at = Frame(tilt @ at.p, tilt @ at.R)
            body = kf.Rigid(rng.uniform(1, 2), (*rng.normal(size=2) * 0.3, 0.0), rng.uniform(0.3, 0.5, 3))
            self.model.add(f"b{i}", body, self._in_plane(kind, rng), None if parent < 0 else f"b{parent}", at)
        n = self.plan(*WAYS[0]).nu
        self.q, self.w = 0.7 * rng.normal(size=n), 0.7 * rng.normal(size=n)
        self.tau, self.inputs = np.zeros(n), np.zeros(0)
        bench = Bench(self, rng, True)
        for n, (a, b, kind) in enumerate(loops):
            R_a, p_a = bench.poses[f"b{a}"]
            R, p = R_a @ rotation((0, 0, 1), rng.normal()), p_a + R_a @ (*rng.normal(size=2), 0.0)
            joint = self._in_plane(kind, rng)
            X, x = relative_pose(joint, rng)
            self.model.close(f"loop{n}", bench.put(f"b{a}", R, p), bench.put(f"b{b}", R @ X, p + R @ x), joint)
        self.changed()
        self.settle_rates()

    @staticmethod
    def _in_plane(kind: str, rng: Random) -> joints.Joint:
        return kf.Revolute("z") if kind == "Revolute" else kf.Prismatic((*rng.normal(size=2), 0.0))

    def is_clear(self) -> bool:
        """Whether equations say something new clearly or not at all."""
        d = self.dynamics(*WAYS[0])
        root = np.linalg.cholesky(d.mass_matrix(self.q))
        sizes = np.linalg.svd(np.linalg.solve(root, jacobian(d, self.q).T), compute_uv=False)
        return not np.any((sizes > 1e-9) & (sizes < 0.05)) and np.sum(sizes > 0.05) < d.plan.nu


class Assembled(Mechanism):
    """A system as it starts."""

    def __init__(self, system: kf.System):
        self.loops, self.motions, self.recipe = Loops(Recipe((), ()), (), fitted=True), {}, Recipe((), ())
        self._plans, self.model, self.names, self.rotors = {}, system, list(system.parts), []
        state = system.assemble().state
        self.q, self.w = state.q, state.rates
        self.tau, self.inputs = np.zeros(len(self.w)), np.zeros(len(system.inputs))


@st.composite
def linkages(draw: st.DrawFn, most: int = 10) -> Linkage:
    n = draw(st.integers(4, most))
    kinds = draw(st.lists(st.sampled_from(["Revolute", "Revolute", "Prismatic"]), min_size=n, max_size=n))
    parents = [-1, *(draw(st.integers(-1, i - 1)) for i in range(1, n))]
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(1, n - 1)), min_size=1, max_size=n // 3))
    loops = [(a, (a + b) % n, draw(st.sampled_from(["Revolute", "Prismatic"]))) for a, b in pairs]
    return Linkage(kinds, parents, loops, draw(st.integers(0, 2**32 - 1)))
