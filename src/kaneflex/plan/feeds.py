"""Feeds in the tables: which joints of a rod are locked, and what its guide does, from the feed's states.

All segments are in the tables from the start. A joint that is inside has prescribed speeds at rest; letting it go changes
one integer of each, so that a run with thousands of releases has one plan. A guide is one row of drives among the loads for
each speed of a joint, which is a joint load of zero where the guide is at rest.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.kernels.forces.exit_bending import EXIT_BENDING
from kaneflex.kernels.forces.exit_spring import EXIT_A, EXIT_B, EXIT_SPRING
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE
from kaneflex.kernels.forces.joint_load import JOINT_LOAD
from kaneflex.kernels.forces.joint_spring import JOINT_SPRING
from kaneflex.kernels.forces.rod_bending import ROD_BENDING
from kaneflex.kernels.tables import Tables
from kaneflex.model.rods.feed import GUIDE, OUTSIDE, PHASE, Feed
from kaneflex.plan.load_tables import kind_and_column, load_row, put_on_body

if TYPE_CHECKING:
    from kaneflex.plan.build import _Builder
    from kaneflex.plan.plan import Plan

EXITS = {JOINT_SPRING: EXIT_SPRING, ROD_BENDING: EXIT_BENDING}  # of a joint in the rod, the same near the exit
RIGID = 0.01  # compliance with which a joint begins, of that in the rod


@dataclass(frozen=True)
class FeedIndex:
    """Where a feed is in the tables.

    Attributes:
        feed: its declaration.
        z: its states.
        slide: coordinate of the length outside.
        rate: speed of it.
        columns: speeds of the joints of all segments but the first, a row for each, from root to tip.
        rows: loads of the guide.
        bends: loads of the rod's bending in these joints, by row of `columns`; () for a cable.
    """

    feed: Feed
    z: slice
    slide: int
    rate: int
    columns: np.ndarray
    rows: tuple[int, ...]
    bends: tuple[int, ...] = ()

    def guided(self, z: np.ndarray) -> int:
        """Row of `columns` of the joint that the guide turns: the outermost one inside."""
        return len(self.columns) - int(z[OUTSIDE]) - 1


def feeds_of(builder: "_Builder") -> dict[str, Feed]:
    """The feeds of a model, by name."""
    return {name: block for name, block in builder.model.blocks.items() if isinstance(block, Feed)}


def add_feeds(builder: "_Builder") -> list[int]:
    """The rows of guides; speeds of the joints that are locked at the start."""
    locked: list[int] = []
    for name, feed in feeds_of(builder).items():
        joints = [builder.index.joints[segment] for segment in feed.segments]
        z0 = builder.index.blocks[name].z0
        columns = np.array([range(joint.u0, joint.u0 + joint.speeds) for joint in joints[1:]])
        rows = []
        for k in range(feed.speeds):
            rows.append(len(builder.force_rows))
            load_row(builder, name, JOINT_LOAD, FORCE_COLUMN=int(columns[0, k]), FORCE_COORDINATE=-1)
        z = slice(z0, z0 + len(feed.state_names))
        bends = _bends(builder, feed, columns, joints[0].row)
        found = FeedIndex(feed, z, joints[0].q0, joints[0].u0, columns, tuple(rows), bends)
        builder.index.feeds[name] = found
        locked += columns[: len(columns) - int(feed.start[OUTSIDE])].ravel().tolist()
    return locked


def _bends(builder: "_Builder", feed: Feed, columns: np.ndarray, first: int) -> tuple[int, ...]:
    """Loads of the bending of a rod; each is told which body slides."""
    in_space = builder.index.joints[feed.segments[1]].quaternion is not None
    turns = columns[:, -3 if in_space else -1].tolist()
    of_column: dict[int, int] = {}
    for row in builder.index.loads.get(feed.rod, ()):
        kind, column = kind_and_column(builder, row)
        if kind in EXITS and column in turns:
            of_column[column] = row
            put_on_body(builder, row, first)
    return tuple(of_column[column] for column in turns if column in of_column)


def set_bending(tables: Tables, found: FeedIndex, z: np.ndarray) -> None:
    """The compliance of the joints near the exit: (1) of `exit_spring`, of the outermost one inside what it begins with."""
    if not found.bends:
        return
    kinds, bends = tables.force.kind, np.array(found.bends)
    plain = {exit_: kind for kind, exit_ in EXITS.items()}
    for row in bends[np.isin(kinds[bends], list(EXITS.values()))]:
        kinds[row] = plain[int(kinds[row])]
    inside = len(bends) - int(z[OUTSIDE])
    exits = found.feed.exits
    for row, begins, grows in ((inside - 1, RIGID, 0.0), (inside, RIGID, 1.5 - RIGID), (inside + 1, 1.5, -0.5)):
        if not 0 <= row < len(bends):
            continue
        length = found.feed.lengths[inside]  # of the segment in the exit
        slope, at = grows / length, exits[int(z[OUTSIDE]) - 1] if z[OUTSIDE] else 0.0
        kinds[bends[row]] = EXITS[int(kinds[bends[row]])]
        tables.force.law[bends[row], EXIT_A : EXIT_B + 1] = begins - slope * at, slope


def set_feeds(plan: "Plan", W: np.ndarray, z: np.ndarray) -> None:
    """Lock and let go the joints of all rods that are fed as their states say, in the plan's tables and a workspace."""
    tables, work = plan.tables, Tables(plan.I, {"W": W})
    prescribed, rates = tables.column.prescribed, work.column.prescribed_rate
    for found in plan.index.feeds.values():
        own = z[found.z]
        inside = len(found.columns) - int(own[OUTSIDE])
        prescribed[found.columns[:inside]] = 1
        prescribed[found.columns[inside:]] = 0
        rates[found.columns] = 0.0
        set_bending(tables, found, own)
        turning = own[PHASE] > 0
        columns = found.columns[max(found.guided(own), 0)]
        for row, column, acceleration in zip(found.rows, columns, own[GUIDE:], strict=True):
            tables.force.kind[row] = JOINT_DRIVE if turning else JOINT_LOAD
            tables.force.column[row] = column
            tables.force.value[row, 0] = acceleration if turning else 0.0
    plan.header.prescribed_speeds = int(prescribed.sum())


__all__ = ["FeedIndex", "add_feeds", "feeds_of", "set_feeds"]
