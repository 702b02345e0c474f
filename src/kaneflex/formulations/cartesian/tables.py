"""The tables of a system in Cartesian coordinates: what is shared, numbered, in an order in which elimination stays local.

The unknowns are the accelerations of the points and vectors and the multipliers of the equations. Points and vectors are
numbered by the reverse Cuthill-McKee order of the graph in which those of a body, or of an equation, are neighbours; an
equation follows the last of its points and vectors. Of the symmetric matrix the rows are kept from their first entry on.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from kaneflex.formulations.cartesian import layout as L
from kaneflex.formulations.cartesian.features import Feature, Shared, Tie, share
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE
from kaneflex.kernels.ops import LANES
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


def ordered(count: int, cliques: list[list[int]]) -> list[int]:
    """Free points and vectors by the reverse Cuthill-McKee order of the graph in which those of a clique are neighbours."""
    pairs = np.array([pair for clique in cliques for pair in combinations(sorted(set(clique)), 2)] or [(0, 0)])
    graph = coo_matrix((np.ones(len(pairs)), pairs.T), (count, count))
    return [int(k) for k in reverse_cuthill_mckee((graph + graph.T).tocsr(), symmetric_mode=True)] if count else []


def make_tables(plan: Plan) -> CartesianTables:
    """Points and vectors of a plan, its equations and their order."""
    shared = share(plan)
    free = [f for f in shared.features if not f.is_constant]
    constants = [f for f in shared.features if f.is_constant]
    place = {id(f): 3 * n for n, f in enumerate(free)} | {id(f): -2 - n for n, f in enumerate(constants)}
    equations = rigid_equations(shared, place) + tie_equations(shared.ties)
    equations += drive_equations(plan) + user_equations(plan, shared.absorbed)
    refs = [sorted({place[id(f)] for f in base.features if place[id(f)] >= 0}) for base in shared.bases]
    columns = [sorted({place[id(f)] for f in eq.features} | {k for i in eq.bodies for k in refs[i]}) for eq in equations]
    columns_of = [[k // 3 for k in own] for own in (*refs, *columns)]
    rank = {k: n for n, k in enumerate(ordered(len(free), columns_of))}
    position, first = _positions(len(free), rank, columns, columns_of)
    writer = _Writer()
    _write_bodies(writer, plan, shared, place, refs)
    _write_features(writer, free, constants)
    _write_equations(writer, equations, columns, refs)
    _write_solve(writer, position, first, 3 * len(free), plan.layout.nq)
    products = sum(int((np.arange(k, i) - np.maximum(k, first[k:i])).sum()) for i, k in enumerate(first.tolist()))
    return CartesianTables(*writer.arrays(len(free), len(equations)), 3 * len(free), shared, equations, products)


def _positions(count: int, rank: dict[int, int], columns: list[list[int]], cliques: list[list[int]]) -> tuple[Array, Array]:
    """Place of every unknown in the order of elimination, coordinates first, and of the first entry of every row."""
    last = [max((rank[k // 3] for k in own), default=-1) for own in columns]
    after: list[list[int]] = [[] for _ in range(count + 1)]
    for r, n in enumerate(last):
        after[n if n >= 0 else count].append(r)
    position, at = np.zeros(3 * count + len(columns), np.int64), 0
    for k, n in sorted(rank.items(), key=lambda pair: pair[1]):
        position[3 * k : 3 * k + 3] = at, at + 1, at + 2
        at += 3
        for r in after[n]:
            position[3 * count + r] = at
            at += 1
    for r in after[count]:
        position[3 * count + r] = at
        at += 1
    first = np.arange(len(position))
    for clique in cliques:
        if clique:
            least = min(int(position[3 * k]) for k in clique)
            for k in clique:
                places = position[3 * k : 3 * k + 3]
                first[places] = np.minimum(first[places], least)
    for r, own in enumerate(columns):
        if own:
            first[position[3 * count + r]] = min(int(position[k]) for k in own)
    return position, first


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
        w.integers += [*heads, len(refs[i]), at]
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
        w.integers += [eq.kind, *eq.integers, len(own), at, len(eq.bodies), pairs]
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


def _write_solve(w: _Writer, position: Array, first: Array, free: int, tree: int) -> None:
    n = len(position)
    w.begin(L.C_POSITIONS)
    w.integers += position.tolist()
    w.begin(L.C_FIRSTS)
    w.integers += first.tolist()
    w.begin(L.C_STARTS)
    starts = np.concatenate([[0], np.cumsum(np.arange(n) - first)])  # of the entries before the diagonal
    w.integers += starts.tolist()
    signs = np.ones(n, np.int64)
    signs[position[free:]] = -1
    w.begin(L.C_SIGNS)
    w.integers += signs.tolist()
    w.room(L.C_FACTOR, int(starts[-1]))
    w.room(L.C_DIAGONAL, n)
    w.room(L.C_SIDE, n)
    w.room(L.C_SCRATCH, tree)
    for place in (L.C_GIVEN, L.C_FOUND):
        w.room(place, n)
    w.reals += [0.0] * LANES  # what reads rows of numbers reads beyond the last
