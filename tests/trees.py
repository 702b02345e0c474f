"""Random trees of bodies. Hypothesis draws the structure, so that a failure shrinks to a small tree; the numbers come
from a seed, for they should be generic and of order one, not clever.

    @given(trees())
    def test(recipe): tree = recipe.tree(); tree.dynamics("dense", "efficient")

Joint types and kinds of loads are those that the package has: a new one must be given its numbers here.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model import forces, joints, media
from kaneflex.model.bodies import Rigid, Rotor
from kaneflex.model.frames import Frame
from kaneflex.model.model import Model
from kaneflex.model.orbits import Atmosphere, Dipole, KeplerOrbit
from kaneflex.plan import formulation as formulations
from kaneflex.plan.build import SPEEDS, build
from kaneflex.plan.plan import Plan

#: Formulations of the same equations in the coordinates of the tree.
FORMULATIONS = tuple(
    name
    for name, way in formulations.FORMULATIONS.items()
    if way.exact and not isinstance(way, formulations.OtherCoordinates)
)
WAYS = tuple((formulation, speeds) for formulation in FORMULATIONS for speeds in SPEEDS)
TIME = 0.4  # at which functions of time are evaluated
Random = np.random.Generator


# -- joints ----------------------------------------------------------------------------------------------------------------


JOINTS = joints.JOINTS  # every joint that a user can declare, by name


def crank(q):
    """Pose of a two-coordinate joint: a pin on a circle, and on it a rocker that climbs as it turns."""
    ca, sa, cb, sb = np.cos(q[0]), np.sin(q[0]), np.cos(q[1]), np.sin(q[1])
    R = [[ca, -sa * cb, sa * sb], [sa, ca * cb, -ca * sb], [0, sb, cb]]
    return R, [0.4 * ca - 0.1 * sa * sb, 0.4 * sa, 0.2 * sb + 0.05 * q[0]]


def direction(rng: Random) -> np.ndarray:
    a = rng.normal(size=3)
    return a / np.linalg.norm(a)


def turn(rng: Random) -> np.ndarray:
    """A random rotation matrix."""
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def some_axis(rng: Random) -> Any:
    return direction(rng) if rng.random() < 0.6 else str(rng.choice(["x", "y", "z", "-x", "-y", "-z"]))


def two_axes(rng: Random) -> Any:
    if rng.random() < 0.5:
        return tuple(rng.permutation(["x", "y", "z"])[:2].tolist())
    R = turn(rng)
    return R[:, 0], R[:, 1]


_FIELDS: dict[str, Callable[[Random], Any]] = {
    "axis": some_axis,
    "axes": two_axes,
    "pitch": lambda rng: rng.uniform(0.3, 2.0),
    "pose": lambda rng: crank,
    "coordinates": lambda rng: ("turn", "rock"),
}


def make_joint(name: str, rng: Random) -> joints.Joint:
    """A joint of a type with random arguments."""
    kind = JOINTS[name]
    return kind(**{f.name: _FIELDS[f.name](rng) for f in fields(kind) if f.name in _FIELDS})  # type: ignore[arg-type]


def frame(rng: Random, near: float, far: float) -> Frame:
    """A frame at a distance between `near` and `far`, turned or not."""
    return Frame(direction(rng) * rng.uniform(near, far), turn(rng) if rng.random() < 0.7 else None)


# -- loads -----------------------------------------------------------------------------------------------------------------


def gust(t):
    return 0.6 * math.cos(3 * t), 0.2 + t, -0.5


def follow(t, x):
    return -0.4 * x[0] + 0.3 * math.sin(t), -0.3 * x[1] * x[2], 0.2 * x[2]


def servo(t, x):
    return math.cos(t) - 0.8 * x[0] * x[0] - 0.5 * x[1]


def swing(t):
    return 0.7 * math.sin(5 * t), -0.3, 0.4 * math.cos(t)


def make_force(tree: "Tree", rng: Random, way: str, kind: Any = forces.Force) -> Any:
    value, sees = {"function": (gust, ()), "seeing": (follow, (f"{tree.body(rng)}.velocity",))}.get(
        way, (rng.normal(size=3), ())
    )
    return kind(tree.spot(rng), value, axes="inertial" if way in ("inertial", "function") else "body", sees=sees)


def make_torque(tree: "Tree", rng: Random, way: str) -> Any:
    return make_force(tree, rng, way, forces.Torque)


def make_line(tree: "Tree", rng: Random, way: str) -> Any:
    a, b = tree.spot(rng), (tuple(rng.normal(size=3)) if way == "ground" or len(tree.names) == 1 else None)
    if b is None:
        other = [n for n in tree.names if n != a.partition(".")[0]]
        b = tree.spot(rng, str(rng.choice(other)))
        a, b = (f"{end.partition('.')[0]}.tip" for end in (a, b))  # a body's origin may be the tip that it hangs on
    data: dict[str, Any] = {"stiffness": rng.uniform(1, 4), "damping": rng.uniform(0.1, 1), "length": rng.uniform(0.1, 2)}
    if way == "slack":
        data["slack"] = True
    elif way == "smooth":
        data = {"stiffness": data["stiffness"]}
    elif way == "function":
        data |= {"tension": servo, "sees": (f"{tree.body(rng)}.velocity",)}
    else:
        data["tension"] = rng.normal()
    return forces.SpringDamper(a, b, **data)


def make_joint_spring(tree: "Tree", rng: Random, way: str) -> Any:
    if way == "rotor":
        return forces.JointSpring(tree.pick(rng, tree.rotors), damping=rng.uniform(0.1, 1))
    name = tree.pick(rng, tree.balls if way == "ball" else tree.scalars)
    rest = 0.0 if way == "ball" else rng.normal()
    names = tree.model.parts[name].joint.facts.coordinate_names
    coordinate = str(rng.choice(names)) if way == "one" else None
    return forces.JointSpring(name, rng.uniform(1, 4), rng.uniform(0.1, 1), rest, coordinate)


def make_joint_stop(tree: "Tree", rng: Random, way: str) -> Any:
    lower = rng.normal()
    return forces.JointStop(tree.pick(rng, tree.scalars), lower, lower + 0.2, rng.uniform(1, 4), rng.uniform(0.1, 1))


def make_joint_force(tree: "Tree", rng: Random, way: str) -> Any:
    sees: Any = ()
    value: Any = rng.normal()
    if way == "seeing":
        value, sees = servo, (f"{tree.body(rng)}.omega",)
    if way == "rotor":
        return forces.JointForce(tree.pick(rng, tree.rotors), value)
    name = tree.pick(rng, tree.moving)
    return forces.JointForce(name, value, str(rng.choice(joints.speed_names(tree.model.parts[name].joint))), sees)


def make_central(tree: "Tree", rng: Random, way: str) -> Any:
    bodies = None if way == "all" else (tree.body(rng),)
    oblate = {"j2": 0.1, "radius": 20.0, "axis": direction(rng)} if way == "oblate" else {}
    return forces.CentralGravity(800.0, direction(rng) * 45.0, bodies, **oblate)


def make_orbit_gravity(tree: "Tree", rng: Random, way: str) -> Any:
    orbit = KeplerOrbit(800.0, 30.0, 0.3, *rng.uniform(0.2, 6, 4))
    oblate = {"j2": 0.1, "radius": 20.0, "axis": direction(rng)} if way == "oblate" else {}
    return forces.OrbitGravity(orbit, None if way == "all" else (tree.body(rng),), **oblate)


def make_drag(tree: "Tree", rng: Random, way: str) -> Any:
    air = Atmosphere(0.3, 0.0, 2.0, 5.0, rate=0.2, centre=(0.0, 3.0, 5.0))
    return forces.OrbitalDrag(tree.body(rng), air, 0.7, 1.3, direction(rng) if way == "plate" else None)


def make_magnet(tree: "Tree", rng: Random, way: str) -> Any:
    orbit = KeplerOrbit(800.0, 30.0, 0.3) if way == "falling" else None
    return forces.MagneticTorque(tree.body(rng), rng.normal(size=3), Dipole(9.0, 9.0, 0.3, 0.4, 0.5, (0, 0, 9)), orbit)


def make_current(tree: "Tree", rng: Random, way: str) -> Any:
    names = [tree.body(rng) for _ in range(3)]
    return forces.CurrentTether(names, rng.normal(), Dipole(9.0, 9.0, 0.3, 0.4, 0.5, (0, 0, 9)))


def make_mutual(tree: "Tree", rng: Random, way: str) -> Any:
    return forces.MutualGravity(constant=rng.uniform(0.1, 1.0))


def tide(t):
    return 1 + 0.4 * math.cos(2 * t)


def make_medium(rng: Random, way: str) -> Any:
    """Water around the origin, whose surface passes through the tree; or wind."""
    shear = tuple((height, tuple(rng.normal(size=3))) for height in (0.0, 0.4, 1.1))
    if way == "wind":
        return media.Air(0.7, wind=shear, gust=tide)
    if way == "still":
        return media.Sea(1.2, surface=9.0)
    depth = {"deep": None, "shallow": 2.5}[way]
    waves = tuple(media.Wave(rng.uniform(0.1, 0.4), rng.uniform(1, 3), *rng.uniform(0, 6, 2)) for _ in range(2))
    return media.Sea(1.2, depth, rng.normal(), shear, tide if way == "deep" else 0.7, waves)


def make_morison(tree: "Tree", rng: Random, way: str) -> Any:
    coefficients = rng.uniform(0.2, 2.0, 4)
    return forces.Morison(
        tree.pick(rng, tree.stiff),
        make_medium(rng, way),
        rng.uniform(0.2, 0.6),
        *coefficients,
        element=rng.normal(size=(2, 3)).tolist(),
        section=rng.uniform(0.1, 0.5),
        pieces=int(rng.integers(1, 3)),
        slow=0.1,
    )


def make_added_mass(tree: "Tree", rng: Random, way: str) -> Any:
    root = rng.normal(size=(6, 6))
    matrix = {"still": rng.uniform(0.2, 1.0), "wind": (root @ root.T)[:3, :3] / 4}.get(way, root @ root.T / 4)
    at = tuple(0.4 * rng.normal(size=3))
    medium, (volume, drag) = make_medium(rng, way), rng.uniform(0.2, 0.9, 2)
    return forces.AddedMass((tree.pick(rng, tree.stiff),), matrix, medium, volume, at, drag, slow=0.1)


def make_ground(tree: "Tree", rng: Random, way: str) -> Any:
    return forces.SoftGround(
        tree.pick(rng, tree.stiff),
        stiffness=rng.uniform(2, 5),
        damping=rng.uniform(0.1, 0.5),
        friction=tuple(rng.uniform(0.1, 0.8, 2)),
        slip=0.3,
        level=rng.uniform(0.5, 2),
        normal=direction(rng) if way == "slope" else None,
        radius=0.1,
        element=rng.normal(size=(2, 3)).tolist(),
    )


def make_rod_elasticity(tree: "Tree", rng: Random, way: str) -> Any:
    """On a body whose joint is made one of a rod, with axes that are those of its frames."""
    space = (joints.Spherical(), joints.Free(), joints.SlidingBall("y"))
    plane = (joints.Revolute("x"), joints.Planar("y"), joints.SlidingPin(("x", "y")))
    parts = tree.model.parts
    taken = {getattr(load, "joint", None) for load in (*tree.model.loads.values(), *tree.model.inputs.values())}
    free = [n for n in tree.moving if not parts[n].parent.startswith("c") and n not in taken]
    if not free:
        return make_line(tree, rng, "between")
    name = tree.pick(rng, free)
    joint = {"space": space, "plane": plane}[way][rng.integers(3)]
    parts.put(name, replace(parts[name], joint=joint))
    return forces.RodElasticity((name,), rng.uniform(1, 4, size=(1, 6)), rng.uniform(0.1, 0.3))


_MAKERS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "Force": (make_force, ("body", "inertial", "function", "seeing")),
    "Torque": (make_torque, ("body", "inertial", "function", "seeing")),
    "SpringDamper": (make_line, ("ground", "between", "slack", "smooth", "function")),
    "JointSpring": (make_joint_spring, ("all", "one", "ball", "rotor")),
    "JointStop": (make_joint_stop, ("",)),
    "JointForce": (make_joint_force, ("constant", "seeing", "rotor")),
    "CentralGravity": (make_central, ("all", "one", "oblate")),
    "OrbitGravity": (make_orbit_gravity, ("all", "one", "oblate")),
    "OrbitalDrag": (make_drag, ("ball", "plate")),
    "MagneticTorque": (make_magnet, ("still", "falling")),
    "CurrentTether": (make_current, ("",)),
    "MutualGravity": (make_mutual, ("all",)),
    "Morison": (make_morison, ("still", "wind", "deep", "shallow")),
    "AddedMass": (make_added_mass, ("still", "wind", "deep", "shallow")),
    "SoftGround": (make_ground, ("level", "slope")),
    "RodElasticity": (make_rod_elasticity, ("space", "plane")),
}
LOADS = tuple((kind, way) for kind in forces.LOADS for way in _MAKERS[kind][1])
INTERNAL = tuple(
    (kind, way)
    for kind, way in LOADS
    if kind.startswith(("Joint", "Rod", "Mutual"))
    or (kind == "SpringDamper" and way in ("between", "slack", "smooth", "function"))
)
BASES: dict[str, Any] = {
    "inertial": None,
    "sliding": forces.MovingBase((0.4, -0.7, 0.3)),
    "shaken": forces.MovingBase(swing),
    "turning": forces.MovingBase((0.2, 0.1, -0.6), (0.5, -0.3, 0.8)),
    "tumbling": forces.MovingBase(swing, gust),
}


class NoPlace(Exception):
    """The tree has nothing that a load of this kind could act on."""


# -- trees -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recipe:
    """What a tree is made of. Body i hangs on body parents[i] (-1: the base) by a joint of type joints[i]."""

    joints: tuple[str, ...]
    parents: tuple[int, ...]
    rotors: tuple[bool, ...] = ()
    massless: tuple[bool, ...] = ()
    loads: tuple[tuple[str, str], ...] = ()
    base: str = "inertial"
    gravity: bool = True
    seed: int = 0

    def tree(self) -> "Tree":
        return Tree(self)

    def only(self, **changes: Any) -> "Recipe":
        """The recipe with something changed."""
        return replace(self, **changes)


class Tree:
    """A model with a state: coordinates q, relative rates w, joint forces tau, inputs."""

    def __init__(self, recipe: Recipe):
        self.recipe = recipe
        rng = np.random.default_rng(recipe.seed)
        gravity = rng.normal(size=3) * 3 if recipe.gravity else np.zeros(3)
        self.model = Model("tree", gravity=gravity, base=BASES[recipe.base])
        self.names: list[str] = []
        self.rotors: list[str] = []
        flags = [*recipe.rotors, *[False] * len(recipe.joints)], [*recipe.massless, *[False] * len(recipe.joints)]
        for i, (name, parent) in enumerate(zip(recipe.joints, recipe.parents, strict=True)):
            self._add(i, name, parent, rng, flags[0][i], flags[1][i])
        for n, (kind, way) in enumerate(recipe.loads):
            try:
                load = _MAKERS[kind][0](self, rng, way)
            except NoPlace:
                continue
            constant = not callable(getattr(load, "value", getattr(load, "tension", None)))
            if n % 4 == 3 and constant and isinstance(load, forces.Force | forces.JointForce | forces.SpringDamper):
                self.model.add_input(f"input{n}", load)
            else:
                self.model.apply(f"load{n}", load)
        self._plans: dict[tuple[str, str], Any] = {}
        index = self.plan(*WAYS[0]).index
        self.q = 0.7 * rng.normal(size=len(index.coordinates))
        for joint in index.joints.values():
            if joint.quaternion is not None:
                k = slice(joint.quaternion, joint.quaternion + 4)
                self.q[k] /= np.linalg.norm(self.q[k])
        self.w = 0.7 * rng.normal(size=len(index.speeds))
        self.tau = rng.normal(size=len(index.speeds))
        self.inputs = rng.normal(size=len(index.inputs))

    def _add(self, i: int, name: str, parent: int, rng: Random, rotor: bool, massless: bool) -> None:
        joint, at, mother = make_joint(name, rng), frame(rng, 0.3, 1.0), f"b{parent}" if parent >= 0 else None
        empty = massless and name == "Fixed"
        if massless and joint.facts.speeds == 1 and hasattr(joint, "axis"):
            # a body without mass on a turn about x; what it carries moves on y, so that the two are never one motion
            self.model.add(f"c{i}", Rigid(0.0), joints.Revolute("x"), mother, at)
            joint, at, mother = replace(joint, axis="y"), Frame((0.0, 0.0, 0.0)), f"c{i}"  # type: ignore[type-var]
        self.model.add(
            f"b{i}",
            Rigid(0.0) if empty else rigid(rng),
            joint,
            mother,
            at,
            hinge=frame(rng, 0.0, 0.3) if rng.random() < 0.7 else None,
        )
        self.model.add_frame(f"b{i}", "tip", frame(rng, 0.2, 0.6))
        if rotor and not empty:
            self.model.add_rotor(f"r{i}", f"b{i}", Rotor(direction(rng), rng.uniform(0.01, 0.03)))
            self.rotors.append(f"r{i}")
        self.names.append(f"b{i}")

    # where loads act

    @staticmethod
    def pick(rng: Random, names: Sequence[str]) -> str:
        if not names:
            raise NoPlace
        return str(names[rng.integers(len(names))])

    def body(self, rng: Random) -> str:
        return self.pick(rng, self.names)

    def spot(self, rng: Random, body: str | None = None) -> str:
        name = self.body(rng) if body is None else body
        return f"{name}.tip" if rng.random() < 0.7 else name

    @property
    def stiff(self) -> list[str]:
        """Bodies that are not flexible."""
        return [name for name in self.names if not self.model.parts[name].body.is_flexible]

    def _joints(self, fits: Callable[[Any], bool]) -> list[str]:
        """Joints between bodies of the tree that fit; the first body's own joint is left alone (see `momentum`)."""
        return [n for n in self.names if fits(self.model.parts[n].joint.facts) and (n != "b0" or len(self.names) == 1)]

    @property
    def moving(self) -> list[str]:
        return self._joints(lambda facts: facts.speeds > 0)

    @property
    def scalars(self) -> list[str]:
        return self._joints(lambda facts: facts.speeds > 0 and facts.scalar_rates)

    @property
    def balls(self) -> list[str]:
        return self._joints(lambda facts: not facts.scalar_rates)

    # its equations

    def plan(self, formulation: str, speeds: str) -> Plan:
        if (formulation, speeds) not in self._plans:
            self._plans[formulation, speeds] = build(self.model, formulation, speeds)
        return self._plans[formulation, speeds]

    def dynamics(self, formulation: str, speeds: str) -> Dynamics:
        """The equations of motion; inputs are set."""
        d = Dynamics(self.plan(formulation, speeds))
        d.set_inputs(self.inputs)
        return d

    @cached_property
    def ways(self) -> dict[tuple[str, str], Dynamics]:
        """Every formulation with every choice of speeds."""
        return {way: self.dynamics(*way) for way in WAYS}


def rigid(rng: Random) -> Rigid:
    """A body with the inertia of a real one: tr(S) 1 - S, S the second moment of its mass."""
    mass, R = rng.uniform(0.5, 2.0), turn(rng)
    S = mass * (R * rng.uniform(0.03, 0.12, 3)) @ R.T
    S = (S + S.T) / 2
    return Rigid(mass, direction(rng) * rng.uniform(0, 0.3), np.trace(S) * np.eye(3) - S)


@st.composite
def trees(
    draw: st.DrawFn,
    most: int = 40,
    kinds: Sequence[str] = tuple(JOINTS),
    loads: Sequence[tuple[str, str]] = LOADS,
    bases: Sequence[str] = tuple(BASES),
    root: str | None = None,
    rotors: bool = True,
    gravity: bool = True,
) -> Recipe:
    """Recipes of 1 to `most` bodies. With `root` the first body hangs on such a joint and carries all others."""
    n = draw(st.one_of(st.integers(1, min(most, 8)), st.integers(1, most)))
    names = [draw(st.sampled_from(sorted(kinds))) for _ in range(n)]
    for i in [i for i, name in enumerate(names) if name == "CustomJoint"][1:]:
        names[i] = "Universal"  # one is enough: deriving it in symbols costs more than all the rest of a tree
    first = 0 if root else -1
    parents = [-1, *(draw(st.integers(first, i - 1)) for i in range(1, n))]
    if root:
        names[0] = root
    base = draw(st.sampled_from(["inertial", *bases])) if bases else "inertial"
    if base == "inertial" and set(names) == {"Fixed"}:
        names[-1] = "Revolute"
    flags = st.lists(st.booleans(), min_size=n, max_size=n).map(tuple)
    return Recipe(
        joints=tuple(names),
        parents=tuple(parents),
        rotors=draw(flags) if rotors else (),
        massless=draw(flags),
        loads=tuple(draw(st.lists(st.sampled_from(loads), max_size=8))) if loads else (),
        base=base,
        gravity=gravity,
        seed=draw(st.integers(0, 2**32 - 1)),
    )
