"""Feeds in the tables: which joints of a rod are locked, and what its guide does, from the feed's states.

All segments are in the tables from the start. A joint that is inside has prescribed speeds at rest; letting it go changes
one integer of each, so that a run with thousands of releases has one plan (`feed_tables`). A guide is one row of drives
among the loads for each speed of the outermost joint inside, which it holds where it is at rest; with none inside, a joint
load of zero. Of a rod in a reel segments inside have a trace of their mass, and of what water does to them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces.joint_load import JOINT_LOAD
from kaneflex.kernels.forces.rod_bending import ROD_BENDING
from kaneflex.model.rods.feed import OUTSIDE, Feed
from kaneflex.model.rods.reel import FedRod, Store
from kaneflex.plan.feed_tables import EXITS, MASSES, FeedTables
from kaneflex.plan.load_tables import kind_and_column, load_row, put_on_body

if TYPE_CHECKING:
    from kaneflex.plan.build import _Builder
    from kaneflex.plan.plan import Plan


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


@dataclass
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
        tables: its rows, once they were looked for.
    """

    feed: Feed
    z: slice
    slide: int
    rate: int
    columns: np.ndarray
    rows: tuple[int, ...]
    springs: tuple[Springs, ...]
    bodies: np.ndarray
    tables: FeedTables | None = None

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


def held_coordinates(plan: "Plan", z: np.ndarray) -> list[int]:
    """Coordinates of the joints that are inside and do not move, with the states z of blocks."""
    found: list[int] = []
    for one in plan.index.feeds.values():
        inside = one.joints - int(z[one.z][OUTSIDE])
        for segment in one.feed.segments[1 : 1 + inside]:
            joint = plan.index.joints[segment]
            found += range(joint.q0, joint.q0 + joint.coordinates)
    return found


__all__ = ["FeedIndex", "Springs", "add_feeds", "feeds_of", "held_coordinates"]
