"""The tables of a system in Cartesian coordinates: what is shared, equations, and where their entries of the matrix go.

The unknowns are the accelerations of the points and vectors and the multipliers of the equations, see `ordering`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kaneflex.formulations.cartesian import layout as L
from kaneflex.formulations.cartesian.features import Feature, Shared, Tie, share
from kaneflex.formulations.cartesian.ordering import Ordering
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE
from kaneflex.kernels.ops import LANES
from kaneflex.model.joints import Free
from kaneflex.plan.plan import Plan

Array = np.ndarray


@dataclass
class Equation:
    """One equation: its kind, four integers and the numbers that the kernels read, the bodies whose motion it contains, and
    the points and vectors it contains by themselves."""

    kind: int
    integers: tuple[int, ...]
    reals: tuple[float, ...]
    bodies: tuple[int, ...] = ()
    features: tuple[Feature, ...] = ()


@dataclass(frozen=True)
class CartesianTables:
    """Integers, the room that begins with numbers, and the count of free coordinates.

    Attributes:
        integers: of the tables, see `layout`.
        reals: numbers, and room for what is computed.
        coordinates: three for every point or vector that is free.
        shared: what they were made of.
        equations: in the order of the tables.
        products: multiplications of one factorisation.
    """

    integers: Array
    reals: Array
    coordinates: int
    shared: Shared
    equations: list[Equation]
    products: int


def rigid_equations(shared: Shared, place: dict[int, int]) -> list[Equation]:
    """What keeps the bases rigid: lengths of directions and the angle between them, each once."""
    found: dict[object, Equation] = {}
    for i, base in enumerate(shared.bases):
        if shared.owners[i][0] != i or i == 0:
            continue
        ways = base.first, base.second
        x, y = (direction(way, i) for way in ways)
        for (a, u), (b, v) in (((ways[0], x), (ways[0], x)), ((ways[1], y), (ways[1], y)), ((ways[0], x), (ways[1], y))):
            names = frozenset(frozenset(id(f) for f in way) for way in (a, b))
            features = tuple(f for f in (*a, *b) if f is not None and place[id(f)] >= 0)
            if features and names not in found:
                size = float(np.sqrt(np.linalg.norm(u) * np.linalg.norm(v)))
                refs = tuple(L.C_NO_FEATURE if f is None else place[id(f)] for f in (*a, *b))
                found[names] = Equation(L.C_RIGID_ROW, refs, (float(u @ v), size), features=features)
    return list(found.values())


def direction(way: tuple[Feature, Feature | None], body: int) -> Array:
    """A direction of a base in axes of the body's M."""
    head, tail = way
    return head.bodies[body] if tail is None else head.bodies[body] - tail.bodies[body]


def tie_equations(ties: Iterable[Tie]) -> list[Equation]:
    """What joints say that is not shared."""
    found = []
    for tie in ties:
        reals = (*tie.point_a, *tie.frame_a.ravel(), *tie.point_b, *tie.frame_b.ravel(), tie.parameter)
        bodies = tuple(i for i in (tie.a, tie.b) if i > 0)
        found += [Equation(L.C_TIE_ROW, (tie.a, tie.b, code, 0), reals, bodies) for code in tie.codes]
    return found


def own_joints(plan: Plan) -> list[int]:
    """Bodies whose joints have columns alone, as custom joints do: no words that would say what they do not let move."""
    return [j.row for j in plan.index.joints.values() if not j.joint.equations and not isinstance(j.joint, Free)]


def joint_equations(plan: Plan) -> list[Equation]:
    """What joints that have columns alone do not let move."""
    found = []
    for i in own_joints(plan):
        row = plan.tables.body[i]
        bodies = tuple(k for k in (i, int(row.parent)) if k > 0)
        found += [Equation(L.C_JOINT_ROW, (i, n, 0, 0), (), bodies) for n in range(int(row.nu), 6)]
    return found


def drive_equations(plan: Plan) -> list[Equation]:
    """Joint coordinates that follow motions."""
    found = []
    for m, row in enumerate(plan.tables.force if len(plan.tables.force) else ()):
        if row.kind == JOINT_DRIVE:
            body = int(plan.tables.column[int(row.column)].body)
            bodies = tuple(i for i in (body, int(plan.tables.body[body].parent)) if i > 0)
            found.append(Equation(L.C_DRIVE_ROW, (int(row.column), int(row.coordinate), int(row.law_output), m), (), bodies))
    return found


def user_equations(plan: Plan, absorbed: set[int]) -> list[Equation]:
    """Equations of constraints that are not shared."""
    found, tables = [], plan.tables
    for e, row in enumerate(tables.constraint if len(tables.constraint) else ()):
        for n in range(int(row.rows)):
            r = int(row.row) + n
            if r in absorbed:
                continue
            bodies = [int(tables.attachment.attached[int(row.attachment0) + k]) for k in range(int(row.attachments))]
            for m in range(int(row.term0), int(row.term0 + row.terms)):
                if tables.term[m].row == n:
                    body = int(tables.column[int(tables.term[m].column)].body)
                    bodies += [body, int(tables.body[body].parent)]
            found.append(Equation(L.C_USER_ROW, (r, e, n, 0), (), tuple(dict.fromkeys(i for i in bodies if i > 0))))
    return found


def make_tables(plan: Plan) -> CartesianTables:
    """Points and vectors of a plan, its equations and their order."""
    shared = share(plan)
    free = [f for f in shared.features if not f.is_constant]
    constants = [f for f in shared.features if f.is_constant]
    place = {id(f): 3 * n for n, f in enumerate(free)} | {id(f): -2 - n for n, f in enumerate(constants)}
    equations = rigid_equations(shared, place) + tie_equations(shared.ties) + joint_equations(plan)
    equations += drive_equations(plan) + user_equations(plan, shared.absorbed)
    refs = [sorted({place[id(f)] for f in base.features if place[id(f)] >= 0}) for base in shared.bases]
    columns = [sorted({place[id(f)] for f in eq.features} | {k for i in eq.bodies for k in refs[i]}) for eq in equations]
    order = Ordering(len(free), [[k // 3 for k in own] for own in refs], [[k // 3 for k in own] for own in columns])
    for own in (*refs, *columns):
        own.sort(key=lambda k: order.block[k // 3])
    writer = _Writer()
    _write_bodies(writer, plan, shared, place, refs)
    _write_features(writer, free, constants)
    _write_equations(writer, equations, columns, refs)
    _write_solve(writer, order, 3 * len(free), plan.layout.nq)
    _write_places(writer, order, refs, columns)
    _write_joints(writer, plan)
    _write_normals(writer, plan, equations)
    return CartesianTables(*writer.arrays(len(free), len(equations)), 3 * len(free), shared, equations, order.products)


class _Writer:
    """Tables as they are written: integers and reals, and where each begins."""

    def __init__(self) -> None:
        self.header = np.zeros(L.C_HEADER, np.int64)
        self.integers: list[int] = [0] * L.C_HEADER
        self.reals: list[float] = []

    def begin(self, integers: int = -1, reals: int = -1) -> None:
        """Note in the header where the next integers and the next reals stand."""
        if integers >= 0:
            self.header[integers] = len(self.integers)
        if reals >= 0:
            self.header[reals] = len(self.reals)

    def room(self, reals: int, count: int) -> None:
        """Leave room for numbers that are computed."""
        self.header[reals] = len(self.reals)
        self.reals += [0.0] * count

    def arrays(self, features: int, rows: int) -> tuple[Array, Array]:
        """The tables."""
        integers = np.array(self.integers, np.int64)
        integers[: len(self.header)] = self.header
        integers[L.C_FREE] = 3 * features
        integers[L.C_EQUATIONS] = rows
        return integers, np.array(self.reals)


def _write_bodies(w: _Writer, plan: Plan, shared: Shared, place: dict[int, int], refs: list[list[int]]) -> None:
    w.begin(L.C_BODY_TABLE, L.C_BODY_NUMBERS)
    at = 0
    for i, base in enumerate(shared.bases):
        heads = [place[id(base.origin)]]
        for head, tail in (base.first, base.second):
            heads += [place[id(head)], L.C_NO_FEATURE if tail is None else place[id(tail)]]
        w.integers += [*heads, len(refs[i]), at, 0]
        at += len(refs[i])
        owner, R, p = shared.owners[i]
        E = frame_of(*(direction(way, owner) for way in (base.first, base.second)))
        w.reals += [*(R.T @ E).ravel(), *(-R.T @ (base.origin.bodies[owner] - p))]
    w.begin(L.C_REF_TABLE)
    for base, own in zip(shared.bases, refs, strict=True):
        for k in own:
            signs = [int(place[id(base.origin)] == k)]
            for head, tail in (base.first, base.second):
                signs.append(int(place[id(head)] == k) - int(tail is not None and place[id(tail)] == k))
            w.integers += [k, *signs]
    w.room(L.C_BODY_COLUMNS, len(shared.bases) * L.C_COLUMNS_WIDTH)


def frame_of(x: Array, y: Array) -> Array:
    """The right-handed frame whose first axis is along x, and whose second is in the plane of x and y."""
    e1 = x / np.linalg.norm(x)
    e3 = np.cross(e1, y)
    e3 /= np.linalg.norm(e3)
    return np.column_stack([e1, np.cross(e3, e1), e3])


def _write_features(w: _Writer, free: list[Feature], constants: list[Feature]) -> None:
    w.begin(L.C_FEATURE_TABLE, L.C_FEATURE_NUMBERS)
    for f in free:
        body = f.based[0]
        w.integers += [body, int(f.is_point)]
        w.reals += list(f.bodies[body])
    w.begin(reals=L.C_CONSTANTS)
    w.reals += [0.0, 0.0, 0.0, *(x for f in constants for x in f.bodies[0])]


def _write_equations(w: _Writer, equations: list[Equation], columns: list[list[int]], refs: list[list[int]]) -> None:
    w.begin(L.C_EQUATION_TABLE, L.C_EQUATION_NUMBERS)
    at = pairs = 0
    for eq, own in zip(equations, columns, strict=True):
        w.integers += [eq.kind, *eq.integers, len(own), at, len(eq.bodies), pairs, 0]
        w.reals += [*eq.reals, *[0.0] * (L.C_EQUATION_REALS - len(eq.reals))]
        at, pairs = at + len(own), pairs + len(eq.bodies)
    w.begin(L.C_COLUMN_TABLE)
    w.integers += [k for own in columns for k in own]
    w.begin(L.C_PAIR_TABLE)
    maps: list[int] = []
    for eq, own in zip(equations, columns, strict=True):
        for i in eq.bodies:
            w.integers += [i, len(maps)]
            maps += [own.index(k) for k in refs[i]]
    w.begin(L.C_MAP_TABLE)
    w.integers += maps
    w.room(L.C_GRADIENTS, 3 * at)
    w.room(L.C_RESULTS, L.C_RESULT_WIDTH * len(equations))


def _write_solve(w: _Writer, order: Ordering, free: int, tree: int) -> None:
    n = len(order.position)
    w.begin(L.C_POSITIONS)
    w.integers += order.position.tolist()
    signs = np.ones(n, np.int64)
    signs[order.position[free:]] = -1
    w.begin(L.C_SIGNS)
    w.integers += signs.tolist()
    w.room(L.C_FACTOR, order.entries)
    w.header[L.C_FACTOR_SIZE] = order.entries
    w.header[L.C_SUPERNODES] = len(order.supernodes)
    for place in (L.C_DIAGONAL, L.C_SIDE, L.C_GIVEN, L.C_FOUND, L.C_SIZES):
        w.room(place, n)
    w.room(L.C_SCRATCH, tree)
    w.room(L.C_MULTIPLIERS, max((s.sizes[0] for s in order.supernodes), default=0))
    w.room(L.C_ROW, max((s.sizes[2] for s in order.supernodes), default=0))
    w.room(L.C_INERTIA_TIMES, L.C_MOST + LANES)
    w.reals += [0.0] * LANES  # what reads rows of numbers reads beyond the last


def _write_places(w: _Writer, order: Ordering, refs: list[list[int]], columns: list[list[int]]) -> None:
    """Supernodes; where entries of bodies and of equations go."""
    factor = int(w.header[L.C_FACTOR])
    lists: list[int] = []
    table: list[int] = []
    at = len(w.integers) + L.SN_INTS * len(order.supernodes)
    for s in order.supernodes:
        index, targets, rows = order.targets(s)
        begin, here = at + len(lists), len(index) + len(targets)
        table += [s.first, *s.sizes, factor + s.rows, begin - s.sizes[0], begin + here]
        lists += [*index, *targets, *(x for row, own in rows for x in (factor + row, begin + len(index) + own))]
    w.begin(L.C_SUPERNODE_TABLE)
    w.integers += table + lists
    w.begin(L.C_DIAGONAL_TABLE)
    w.integers += [factor + k for k in order.diagonal()]
    w.begin(L.C_PLACE_TABLE)
    places: list[int] = []
    for i, own in enumerate(refs):
        w.integers[w.header[L.C_BODY_TABLE] + L.C_BODY_INTS * i + L.C_BODY_PLACES] = len(places)
        blocks = [int(order.block[k // 3]) for k in own]
        for n, a in enumerate(blocks):
            places += [order.place(a, a)[1], *(factor + order.place(a, b)[0] for b in blocks[n:])]
    count = len(order.block) - len(columns)
    for r, own in enumerate(columns):
        w.integers[w.header[L.C_EQUATION_TABLE] + L.C_EQUATION_INTS * r + L.C_PLACES] = len(places)
        blocks, last = [int(order.block[k // 3]) for k in own], int(order.block[count + r])
        for n, a in enumerate(blocks):
            places += [order.place(a, a)[1], *(factor + order.place(a, b)[0] for b in (last, *blocks[n:]))]
    w.integers += places


def _write_joints(w: _Writer, plan: Plan) -> None:
    """Where the numbers of joints that have columns alone are."""
    own = {i: len(w.reals) + n * L.C_JOINT_WIDTH for n, i in enumerate(own_joints(plan))}
    w.begin(L.C_JOINT_TABLE)
    w.integers += [own.get(i, 0) for i in range(len(plan.tables.body))]
    w.reals += [0.0] * (len(own) * L.C_JOINT_WIDTH)


def _write_normals(w: _Writer, plan: Plan, equations: list[Equation]) -> None:
    """Equations whose multipliers are the normal forces on points that slide with friction."""
    of = {eq.integers[0]: r for r, eq in enumerate(equations) if eq.kind == L.C_USER_ROW}
    w.begin(L.C_NORMAL_TABLE)
    w.integers += [of[int(row.normal)] for row in (plan.tables.friction if len(plan.tables.friction) else ())]
