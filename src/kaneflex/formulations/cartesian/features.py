"""Points and unit vectors that bodies share: how joints and loops become sharing, and what is left of them as equations.

A ball joint shares a point of two bodies, a revolute joint a point and a unit vector; what a joint does not share is an
equation between the two bodies, in the words by which joints close loops. Of the points and vectors of a body three are its
base: a point, and two directions, each a shared vector or the way to a second shared point, or a vector of its own. A point
or vector that is not in the base of one of its bodies is tied to it by equations. What is shared with the inertial frame is
a constant.
Ref: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems (1994), chapter 2.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from kaneflex.kernels.constraints.closure import POINT_ROW
from kaneflex.kernels.constraints.dispatch import CLOSURE
from kaneflex.kernels.joints.fixed import FIXED
from kaneflex.model.joints.contract import frame_along
from kaneflex.plan.constraint_tables import EQUATIONS
from kaneflex.plan.plan import Plan

Array = np.ndarray

POINTS = frozenset((POINT_ROW, POINT_ROW + 1, POINT_ROW + 2))
PARALLEL = frozenset((EQUATIONS["x.z"], EQUATIONS["y.z"]))
UNTURNED = frozenset((EQUATIONS["x.y"], EQUATIONS["y.z"], EQUATIONS["z.x"]))
SAME = 1e-9  # of places and directions that are one, beside the size of the structure
CLEAR = 0.2  # least sine of the angle between the two directions of a base that are shared


@dataclass(frozen=True)
class Tie:
    """Equations of a joint between frame A on body a and frame B on body b, each by its place and axes in axes of M.

    Attributes:
        codes: of the equations, see `kernels.constraints.closure`.
        equations: of these in the tables of constraints, where it is a constraint of the user.
        parameter: of a screw, its advance, m.
    """

    a: int
    point_a: Array
    frame_a: Array
    b: int
    point_b: Array
    frame_b: Array
    codes: tuple[int, ...]
    equations: tuple[int, ...] = ()
    parameter: float = 0.0


@dataclass(eq=False)
class Feature:
    """A point, or a unit vector, and the bodies it is fixed in: its components in axes of M of each."""

    is_point: bool
    bodies: dict[int, Array] = field(default_factory=dict)
    based: list[int] = field(default_factory=list)  # bodies that have it in their base

    @property
    def is_constant(self) -> bool:
        """Whether it is fixed in the inertial frame."""
        return 0 in self.bodies


@dataclass(frozen=True)
class Base:
    """A point and two directions; a direction is a unit vector, without a tail, or goes from a point `tail` to a `head`."""

    origin: Feature
    first: tuple[Feature, Feature | None]
    second: tuple[Feature, Feature | None]

    @property
    def features(self) -> list[Feature]:
        """All of them, each once."""
        found = [self.origin, *self.first, *self.second]
        return [f for n, f in enumerate(found) if f is not None and not any(f is g for g in found[:n])]


@dataclass
class Shared:
    """What `share` finds.

    Attributes:
        features: all that are coordinates or constants.
        bases: of every body, the inertial frame first.
        owners: the body whose axes each body's base is given in, itself but for bodies on Fixed joints, and the place (R, p)
            of its M in these.
        ties: equations that are left, besides those of constraints.
        absorbed: equations of constraints in the tables that sharing, or `ties`, have in their place.
    """

    features: list[Feature]
    bases: list[Base]
    owners: list[tuple[int, Array, Array]]
    ties: list[Tie]
    absorbed: set[int]


def joint_ties(plan: Plan) -> list[Tie]:
    """The joints of the tree."""
    words = {index.row: index.joint.equations for index in plan.index.joints.values()}
    ties = []
    for i, row in enumerate(plan.tables.body):
        if i > 0:
            codes = tuple(EQUATIONS[word] for word in words[i])
            at, axes = np.array(row.p_pf), np.array(row.r_pf)
            ties.append(Tie(int(row.parent), at, axes, i, np.zeros(3), np.eye(3), codes, parameter=float(row.joint_par[0])))
    return ties


def closure_ties(plan: Plan) -> list[Tie]:
    """The constraints that are joints between two frames."""
    ties = []
    attached, codes = plan.tables.attachment.attached, plan.tables.equation.code
    watched = set(np.ravel(plan.tables.watch.row).tolist()) if len(plan.tables.watch) else set()
    for row in plan.tables.constraint if len(plan.tables.constraint) else ():
        rows = tuple(range(int(row.row), int(row.row + row.rows)))
        if row.kind == CLOSURE and not watched & set(rows):
            a, b = (int(attached[int(row.attachment0) + k]) for k in range(2))
            kinds = tuple(int(codes[r]) for r in rows)
            frames = (np.array(row.point_a), np.array(row.frame_a)), (np.array(row.point_b), np.array(row.frame_b))
            ties.append(Tie(a, *frames[0], b, *frames[1], kinds, rows, float(row.par[0])))
    return ties


class Sharing:
    """The features of a system while joints are turned into sharing."""

    def __init__(self, plan: Plan):
        self.owners: list[tuple[int, Array, Array]] = [(0, np.eye(3), np.zeros(3))]
        ties = joint_ties(plan)
        for tie in ties:  # parents come first
            owner, R, p = self.owners[tie.a]
            fixed = plan.tables.body[tie.b].joint == FIXED
            self.owners.append((owner, R @ tie.frame_a, p + R @ tie.point_a) if fixed else (tie.b, np.eye(3), np.zeros(3)))
        self.joints = [tie for tie in ties if self.owners[tie.b][0] == tie.b]
        self.closures = closure_ties(plan)
        reach = [
            float(np.abs(place).max()) for tie in (*self.joints, *self.closures) for place in (tie.point_a, tie.point_b)
        ]
        self.size: float = max(reach, default=0.0) or 1.0
        self.of: list[list[Feature]] = [[] for _ in self.owners]

    def local(self, body: int, is_point: bool, x: Array) -> tuple[int, Array]:
        """A point or vector of a body, as its owner has it."""
        owner, R, p = self.owners[body]
        return owner, R @ x + p if is_point else R @ x

    def at(self, owner: int, is_point: bool, x: Array) -> Feature:
        """The feature that a body has there, a new one where it has none."""
        near = SAME * (self.size if is_point else 1.0)
        for feature in self.of[owner]:
            if feature.is_point == is_point and np.abs(feature.bodies[owner] - x).max() < near:
                return feature
        return self.new(owner, is_point, x)

    def new(self, owner: int, is_point: bool, x: Array) -> Feature:
        """A feature of one body."""
        self.of[owner].append(Feature(is_point, {owner: x}))
        return self.of[owner][-1]

    def join(self, tie: Tie, is_point: bool) -> bool:
        """Make the origins, or third axes, of the two frames one feature; False where a body would have it twice."""
        ends = (tie.a, tie.point_a, tie.frame_a), (tie.b, tie.point_b, tie.frame_b)
        one, other = (self.at(owner, is_point, x)
                      for owner, x in (self.local(i, is_point, p if is_point else R[:, 2]) for i, p, R in ends))  # fmt: skip
        if one is other:
            return True
        if one.bodies.keys() & other.bodies.keys():
            return False
        for owner in other.bodies:
            self.of[owner] = [one if f is other else f for f in self.of[owner]]
        one.bodies.update(other.bodies)
        return True

    def absorb(self, tie: Tie) -> set[int]:
        """Turn a joint into sharing; returns the codes that are equations still."""
        left = set(tie.codes)
        if left >= POINTS and self.join(tie, True):
            left -= POINTS
        if left >= PARALLEL and self.join(tie, False):
            left -= PARALLEL
        elif left >= UNTURNED and self.join(tie, False):
            left -= UNTURNED - {EQUATIONS["x.y"]}
        return left

    def base(self, owner: int) -> Base:
        """The base of a body: two shared points far apart and a vector, where it has them."""
        mine = self.of[owner]
        points = [f for f in mine if f.is_point]
        vectors = sorted((f for f in mine if not f.is_point), key=lambda f: not f.is_constant)
        place = {id(f): f.bodies[owner] for f in mine}
        apart = lambda n, m: float(np.linalg.norm(place[id(points[n])] - place[id(points[m])]))
        pairs: list[tuple[float, int, int]] = [(apart(n, m), n, m) for n in range(len(points)) for m in range(n)]
        length, n, m = max(pairs, default=(0.0, 0, 0))
        origin = points[m] if points else self.new(owner, True, np.zeros(3))
        first: tuple[Feature, Feature | None]
        if length > 1e-3 * self.size:
            first, along = (points[n], origin), (place[id(points[n])] - place[id(origin)]) / length
        else:
            vector = vectors[0] if vectors else self.new(owner, False, np.array([1.0, 0.0, 0.0]))
            first, along = (vector, None), vector.bodies[owner]
        choices: list[tuple[Feature, Feature | None, Array]] = [(f, None, place[id(f)]) for f in vectors]
        choices += [(f, origin, place[id(f)] - place[id(origin)]) for f in points if f is not origin]
        for head, tail, way in choices:
            reach = np.linalg.norm(way)
            if np.linalg.norm(np.cross(along, way)) > CLEAR * max(float(reach), 0.05 * length):
                return Base(origin, first, (head, tail))
        across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
        return Base(origin, first, (self.new(owner, False, across / np.linalg.norm(across)), None))

    def tied(self, feature: Feature) -> list[Tie]:
        """Equations by which a feature is fixed in bodies that do not have it in their bases."""
        based = [0] if feature.is_constant else feature.based
        lead = based[0] if based else next(iter(feature.bodies))
        codes = tuple(sorted(POINTS if feature.is_point else PARALLEL))
        ends: dict[int, tuple[Array, Array]] = {}
        for i, x in feature.bodies.items():
            ends[i] = (x, np.eye(3)) if feature.is_point else (np.zeros(3), frame_along(tuple(x)))
        (p, R), others = ends[lead], [i for i in feature.bodies if i != lead and i not in feature.based]
        return [Tie(lead, p, R, i, ends[i][0], ends[i][1], codes) for i in others]


def share(plan: Plan) -> Shared:
    """Points and vectors of a planned system, and the equations that are left."""
    s = Sharing(plan)
    ties = [replace(tie, codes=tuple(sorted(s.absorb(tie)))) for tie in s.joints]
    absorbed = set()
    for tie in s.closures:
        left = s.absorb(tie)
        absorbed |= {r for r, code in zip(tie.equations, tie.codes, strict=True) if code not in left}
    ground = [s.new(0, k == 0, x) for k, x in enumerate(np.vstack([np.zeros(3), np.eye(3)[:2]]))]
    bases = [Base(ground[0], (ground[1], None), (ground[2], None))]
    for i in range(1, len(s.owners)):
        owner = s.owners[i][0]
        bases.append(s.base(i) if owner == i else bases[owner])
        if owner == i:
            for feature in bases[i].features:
                feature.based.append(i)
    every = {id(f): f for own in s.of for f in own}
    ties += [tie for feature in every.values() for tie in s.tied(feature)]
    kept = [f for f in every.values() if f.based or f.is_constant]
    return Shared(kept, bases, s.owners, [tie for tie in ties if tie.codes], absorbed)
