"""Feeds in the tables: which joints of a rod are locked, and what its guide does, from the feed's states.

All segments are in the tables from the start. A joint that is inside has prescribed speeds at rest; letting it go changes
one integer of each, so that a run with thousands of releases has one plan. A guide is one row of drives among the loads for
each speed of the outermost joint inside, which it holds where it is at rest; with none inside, a joint load of zero. Of a
rod in a reel segments inside have a trace of their mass, and of what water does to them.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.bodies.fed_rod import TRACES
from kaneflex.kernels.forces.exit_bending import EXIT_BENDING
from kaneflex.kernels.forces.exit_spring import BEGIN, EXIT_A, EXIT_B, EXIT_HELD, EXIT_SPRING
from kaneflex.kernels.forces.ground_contact import GROUND_CONTACT
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE
from kaneflex.kernels.forces.joint_load import JOINT_LOAD
from kaneflex.kernels.forces.joint_spring import JOINT_SPRING
from kaneflex.kernels.forces.morison import MORISON
from kaneflex.kernels.forces.rod_bending import ROD_BENDING
from kaneflex.kernels.tables import Tables, named
from kaneflex.model.checks import ModelError
from kaneflex.model.rods.feed import OUTSIDE, PHASE, Feed
from kaneflex.model.rods.reel import FedRod, Store
from kaneflex.plan.load_tables import kind_and_column, load_row, put_on_body

if TYPE_CHECKING:
    from kaneflex.plan.build import _Builder
    from kaneflex.plan.plan import Plan

EXITS = {JOINT_SPRING: EXIT_SPRING, ROD_BENDING: EXIT_BENDING}  # of a joint in the rod, the same near the exit
PLAIN = {exit_: kind for kind, exit_ in EXITS.items()}
SLENDER = {MORISON: 3, GROUND_CONTACT: 0}  # loads on segments, and which of their parameters is the length
MASSES = slice(L.MASS, L.INERTIA + 6)  # of a body's row in P


@dataclass(frozen=True)
class Springs:
    """The rod's springs of one kind in the joints of all segments but the first.

    Attributes:
        first: which of a joint's speeds they act on.
        speeds: how many of them.
        rows: of the loads, from root to tip.
    """

    first: int
    speeds: int
    rows: np.ndarray


@dataclass(frozen=True)
class Inside:
    """What segments of a rod in a reel lose while they are inside: places in P, and the numbers there when outside.

    Attributes:
        free: place of the length beyond the innermost free joint, of the body in the exit.
        segment: which of `columns` each number belongs to.
        is_fluid: whether it is of what water, air or ground does to the segment, and not of its mass.
        places: of the numbers.
        numbers: their values outside.
    """

    free: int
    segment: np.ndarray
    is_fluid: np.ndarray
    places: np.ndarray
    numbers: np.ndarray


@dataclass(frozen=True)
class FeedIndex:
    """Where a feed is in the tables.

    Attributes:
        feed: its declaration.
        z: its states.
        slide: coordinate of the length outside.
        rate: speed of it.
        columns: speeds of the joints of all segments but the first, a row for each, from root to tip; up to where it is cut.
        rows: loads of the guide.
        springs: of the rod in these joints.
        bodies: rows of the segments.
        shown: the states that the tables have now, and in whose workspace; what a reel's segments lose.
    """

    feed: Feed
    z: slice
    slide: int
    rate: int
    columns: np.ndarray
    rows: tuple[int, ...]
    springs: tuple[Springs, ...]
    bodies: np.ndarray
    shown: dict[str, object] = field(default_factory=dict)

    @property
    def joints(self) -> int:
        """Number of joints that can be let go, those beyond a cut among them."""
        return len(self.feed.segments) - 1

    def guided(self, z: np.ndarray) -> int:
        """Row of `columns` of the joint that the guide turns: the outermost one inside."""
        return self.joints - int(z[OUTSIDE]) - 1


def feeds_of(builder: "_Builder") -> dict[str, Feed]:
    """The feeds of a model, by name."""
    return {name: block for name, block in builder.model.blocks.items() if isinstance(block, Feed)}


def add_feeds(builder: "_Builder") -> list[int]:
    """The rows of guides; speeds of the joints that are locked at the start."""
    locked: list[int] = []
    for name, feed in feeds_of(builder).items():
        joints = [builder.index.joints[segment] for segment in feed.segments]
        z0 = builder.index.blocks[name].z0
        whole = _whole(builder, feed)
        columns = np.array([range(joint.u0, joint.u0 + joint.speeds) for joint in joints[1:whole]])
        rows = []
        for k in range(feed.speeds):
            rows.append(len(builder.force_rows))
            load_row(builder, name, JOINT_LOAD, FORCE_COLUMN=int(columns[0, k]), FORCE_COORDINATE=-1)
        z, bodies = slice(z0, z0 + len(feed.state_names)), np.array([joint.row for joint in joints])
        springs = _springs(builder, feed, columns, joints[0].row)
        found = FeedIndex(feed, z, joints[0].q0, joints[0].u0, columns, tuple(rows), springs, bodies)
        builder.index.feeds[name] = found
        locked += columns[: len(joints) - 1 - int(feed.start[OUTSIDE])].ravel().tolist()
        if feed.store:
            _wind(builder, feed, joints[0].row)
    return locked


def _whole(builder: "_Builder", feed: Feed) -> int:
    """Number of segments up to the first that a run has cut off."""
    parts = [builder.model.parts[name] for name in feed.segments]
    cut = (k for k in range(1, len(parts)) if parts[k].parent != parts[k - 1].name)
    return next(cut, len(parts))


def _wind(builder: "_Builder", feed: Feed, first: int) -> None:
    """The numbers that the kernels of a reel's two bodies read."""
    body, store = (builder.model.parts[name].body for name in (feed.segments[0], feed.store))
    assert isinstance(body, FedRod)
    assert isinstance(store, Store)
    row = builder.index.joints[feed.store].row
    builder.body_reals[first][MASSES] = body.parameters(builder.index.own_frame[feed.segments[0]].R.T)
    builder.body_reals[row][MASSES] = store.parameters()
    builder.body_rows[row][L.SLIDER] = first


def _springs(builder: "_Builder", feed: Feed, columns: np.ndarray, first: int) -> tuple[Springs, ...]:
    """The springs of a rod; each is told which body slides."""
    of_speed: dict[int, dict[int, int]] = {}
    place = {int(column): (joint, speed) for joint, row in enumerate(columns) for speed, column in enumerate(row)}
    speeds: dict[int, int] = {}
    for row in builder.index.loads.get(feed.rod, ()):
        kind, column = kind_and_column(builder, row)
        if kind in EXITS and column in place:
            joint, speed = place[column]
            of_speed.setdefault(speed, {})[joint] = row
            speeds[speed] = 3 if kind == ROD_BENDING else 1
            put_on_body(builder, row, first)
    full = {speed: rows for speed, rows in of_speed.items() if len(rows) == len(columns)}
    return tuple(
        Springs(speed, speeds[speed], np.array([rows[k] for k in range(len(columns))])) for speed, rows in full.items()
    )


def set_springs(tables: Tables, found: FeedIndex, springs: Springs, z: np.ndarray) -> None:
    """The compliance of the joints near the exit: (1) of `exit_spring`, of the outermost one inside what it begins with."""
    kinds, law, rows = tables.force.kind, tables.force.law, springs.rows
    for row in rows[np.isin(kinds[rows], list(PLAIN))]:
        kinds[row] = PLAIN[int(kinds[row])]
    outside, feed = int(z[OUTSIDE]), found.feed
    inside = found.joints - outside
    for k in range(max(inside - 1, 0), min(inside + 2, len(rows))):
        row, number = rows[k], found.joints - 1 - k  # of the joint from the tip on
        slope = 1 / feed.spans[number] if k >= inside else 0.0
        kinds[row] = EXITS[int(kinds[row])]
        law[row, EXIT_A : EXIT_B + 1] = 1 / BEGIN - slope * feed.releases[number], slope
        held = z[feed.held][springs.first : springs.first + springs.speeds] if k == inside else np.zeros(springs.speeds)
        law[row, EXIT_HELD : EXIT_HELD + springs.speeds] = -held / (2 * BEGIN**2 * law[row, : springs.speeds])


def _inside(plan: "Plan", found: FeedIndex) -> Inside:
    """Where the numbers are that segments of a rod in a reel lose while they are inside."""
    tables, segment, places = plan.tables, [], []
    start = {name: tables.extent(next(x for x in named(name) if x.array == "P"))[0] for name in ("body", "force")}
    loads: dict[int, list[int]] = {}
    for row, (kind, body) in enumerate(zip(tables.force.kind, tables.force.body, strict=True)):
        if int(kind) in SLENDER:
            loads.setdefault(int(body), []).append(row)
    is_fluid: list[bool] = []
    for k, body in enumerate(found.bodies):
        own = [start["body"] + int(body) * L.BODY_REALS + i for i in range(MASSES.start, MASSES.stop)] if k else []
        masses, added = len(own), int(tables.body[int(body)].added)
        own += range(added, added + 21) if added else ()
        for row in loads.get(int(body), ()):
            own.append(start["force"] + row * L.FORCE_REALS + L.FORCE_LAW + SLENDER[int(tables.force.kind[row])])
        segment += [k - 1] * len(own)
        is_fluid += [n >= masses for n in range(len(own))]
        places += own
    free = start["body"] + int(found.bodies[0]) * L.BODY_REALS + L.MASS_MOMENT + 1
    return Inside(free, np.array(segment), np.array(is_fluid), np.array(places), plan.P[places].copy())


def lost_inside(plan: "Plan", found: FeedIndex) -> Inside:
    """What the segments of a rod in a reel lose while they are inside; found once."""
    if "inside" not in found.shown:
        found.shown["inside"] = _inside(plan, found)
    lost = found.shown["inside"]
    assert isinstance(lost, Inside)
    return lost


def set_reel(plan: "Plan", found: FeedIndex, z: np.ndarray) -> None:
    """The masses of segments inside and outside; one that a guide turns straight has its own until it is.

    Fluid acts on the part of a segment that is outside, on the mean until the next joint is let go.
    """
    lost = lost_inside(plan, found)
    outside = int(z[OUTSIDE]) + int(z[PHASE] > 0)
    behind = found.joints - outside - 1 - lost.segment  # segments from the one in the exit inwards
    ends = found.feed.lead + np.linspace(0.0, 1.0, 65)  # of that one, in segments outside the exit
    wet = [float(np.clip(ends - k, 0.0, 1.0).mean()) for k in (-1, 0, 1)]
    fluid = np.select([behind < -1, behind == -1, behind == 0, behind == 1], [1.0, *wet], 0.0)
    share = np.where(lost.is_fluid, fluid, behind < 0)
    plan.P[lost.places] = np.maximum(share, 1 / TRACES) * lost.numbers
    plan.P[lost.free] = found.feed.exits[outside - 1] if outside else 0.0


def set_feeds(plan: "Plan", W: np.ndarray, z: np.ndarray) -> None:
    """Lock and let go the joints of all rods that are fed as their states say, in the plan's tables and a workspace."""
    changed = False
    for found in plan.index.feeds.values():
        own = z[found.z]
        shown = (W.ctypes.data, own.tobytes())
        if found.shown.get("states") == shown:
            continue
        found.shown["states"], changed = shown, True
        tables, work = plan.tables, Tables(plan.I, {"W": W})
        prescribed, rates = tables.column.prescribed, work.column.prescribed_rate
        inside = found.joints - int(own[OUTSIDE])
        if inside > len(found.columns):
            segment = found.feed.segments[len(found.columns) + 1]
            raise ModelError(f'rod "{found.feed.rod}" is cut at "{segment}", which is inside: cut it where it is outside')
        prescribed[found.columns[:inside]] = 1
        prescribed[found.columns[inside:]] = 0
        rates[found.columns] = 0.0
        for springs in found.springs:
            set_springs(tables, found, springs, own)
        if found.feed.store:
            set_reel(plan, found, own)
        columns = found.columns[min(max(found.guided(own), 0), len(found.columns) - 1)]
        for row, column, acceleration in zip(found.rows, columns, own[found.feed.guided], strict=True):
            tables.force.kind[row] = JOINT_DRIVE if inside else JOINT_LOAD
            tables.force.column[row] = column
            tables.force.value[row, 0] = acceleration if own[PHASE] > 0 else 0.0
    if changed:
        plan.header.prescribed_speeds = int(plan.tables.column.prescribed.sum())


def held_coordinates(plan: "Plan", z: np.ndarray) -> list[int]:
    """Coordinates of the joints that are inside and do not move, with the states z of blocks."""
    found: list[int] = []
    for one in plan.index.feeds.values():
        inside = one.joints - int(z[one.z][OUTSIDE])
        for segment in one.feed.segments[1 : 1 + inside]:
            joint = plan.index.joints[segment]
            found += range(joint.q0, joint.q0 + joint.coordinates)
    return found


__all__ = ["FeedIndex", "add_feeds", "feeds_of", "held_coordinates", "lost_inside", "set_feeds"]
