"""What the tables of a plan show of a feed: which joints are locked, the springs near the exit, masses in a reel, the guide.

A release or a capture changes rows near the exit alone, so that what it costs does not grow with the rod.
"""

import weakref
from dataclasses import dataclass
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
from kaneflex.model.rods.feed import OUTSIDE, PHASE

if TYPE_CHECKING:
    from kaneflex.plan.feeds import FeedIndex, Springs
    from kaneflex.plan.plan import Plan

EXITS = {JOINT_SPRING: EXIT_SPRING, ROD_BENDING: EXIT_BENDING}  # of a joint in the rod, the same near the exit
PLAIN = {exit_: kind for kind, exit_ in EXITS.items()}
SLENDER = {MORISON: 3, GROUND_CONTACT: 0}  # loads on segments, and which of their parameters is the length
MASSES = slice(L.MASS, L.INERTIA + 6)  # of a body's row in P
NEAR = 4  # joints on both sides of the innermost one outside, whose rows depend on how the feed stands


@dataclass(frozen=True)
class Inside:
    """What segments of a rod in a reel lose while they are inside: places in P, and the numbers there when outside.

    Attributes:
        free: place of the length beyond the innermost free joint, of the body in the exit.
        segment: which of `FeedIndex.columns` each number belongs to, ascending; -1 is the first segment of the rod.
        is_fluid: whether it is of what water, air or ground does to the segment, and not of its mass.
        places: of the numbers.
        numbers: their values outside.
    """

    free: int
    segment: np.ndarray
    is_fluid: np.ndarray
    places: np.ndarray
    numbers: np.ndarray


class FeedTables:
    """The rows of a feed in a plan's tables, found once, and what they show."""

    def __init__(self, plan: "Plan", found: "FeedIndex"):
        tables = plan.tables
        self.I, self.P, self.found = plan.I, plan.P, found
        self.prescribed, self.kind, self.column = tables.column.prescribed, tables.force.kind, tables.force.column
        self.law, self.value = tables.force.law, tables.force.value
        self.lost = _lost_inside(plan, found) if found.feed.store else None
        self.is_wet = self.lost is not None and bool(self.lost.is_fluid.any())
        ends = found.feed.lead + np.linspace(0.0, 1.0, 65)  # of the segment in the exit, in segments outside the exit
        self.wet = [float(np.clip(ends - k, 0.0, 1.0).mean()) for k in (-1, 0, 1)]
        self._workspace: weakref.ref[np.ndarray] | None = None
        self._states = b""
        self._inside = 0

    def show(self, W: np.ndarray, z: np.ndarray) -> None:
        """Lock joints and let them go as the feed's states z say, in the plan's tables and a workspace."""
        found, known, states = self.found, self._workspace is not None and self._workspace() is W, z.tobytes()
        if known and states == self._states:
            return
        count, inside = len(found.columns), found.joints - int(z[OUTSIDE])
        if inside > count:
            segment = found.feed.segments[count + 1]
            raise ModelError(f'rod "{found.feed.rod}" is cut at "{segment}", which is inside: cut it where it is outside')
        if not known:
            self._workspace, self._rates = weakref.ref(W), Tables(self.I, {"W": W}).column.prescribed_rate
        first = max(min(inside, self._inside) - NEAR, 0) if known else 0
        last = min(max(inside, self._inside) + NEAR, count) if known else count
        self._states, self._inside = states, inside
        columns = found.columns[first:last]
        before = int(self.prescribed[columns].sum())
        self.prescribed[columns] = (np.arange(first, last) < inside)[:, None]
        self.I[L.PRESCRIBED_SPEEDS] += int(self.prescribed[columns].sum()) - before
        self._rates[columns] = 0.0
        for springs in found.springs:
            self._set_springs(springs, z, first, last)
        if self.lost is not None:
            self._set_reel(self.lost, z, first, last)
        guided = found.columns[min(max(found.guided(z), 0), count - 1)]
        for row, column, acceleration in zip(found.rows, guided, z[found.feed.guided], strict=True):
            self.kind[row] = JOINT_DRIVE if inside else JOINT_LOAD
            self.column[row] = column
            self.value[row, 0] = acceleration if z[PHASE] > 0 else 0.0

    def _set_springs(self, springs: "Springs", z: np.ndarray, first: int, last: int) -> None:
        """Compliances of the joints near the exit: (1) of `exit_spring`, of the outermost one inside what it begins with."""
        kinds, law, rows = self.kind, self.law, springs.rows
        near = rows[first:last]
        for row in near[np.isin(kinds[near], list(PLAIN))]:
            kinds[row] = PLAIN[int(kinds[row])]
        feed, inside = self.found.feed, self._inside
        for k in range(max(inside - 1, 0), min(inside + 2, len(rows))):
            row, number = rows[k], self.found.joints - 1 - k  # of the joint from the tip on
            slope = 1 / feed.spans[number] if k >= inside else 0.0
            kinds[row] = EXITS[int(kinds[row])]
            law[row, EXIT_A : EXIT_B + 1] = 1 / BEGIN - slope * feed.releases[number], slope
            held = z[feed.held][springs.first : springs.first + springs.speeds] if k == inside else np.zeros(springs.speeds)
            law[row, EXIT_HELD : EXIT_HELD + springs.speeds] = -held / (2 * BEGIN**2 * law[row, : springs.speeds])

    def _set_reel(self, lost: Inside, z: np.ndarray, first: int, last: int) -> None:
        """The masses of segments inside and outside; one that a guide turns straight has its own until it is.

        Fluid acts on the part of a segment that is outside, on the mean until the next joint is let go.
        """
        found, outside = self.found, int(z[OUTSIDE]) + int(z[PHASE] > 0)
        near = slice(*np.searchsorted(lost.segment, (first if first else -1, last)))
        behind = found.joints - outside - 1 - lost.segment[near]  # segments from the one in the exit inwards
        fluid = np.select([behind < -1, behind == -1, behind == 0, behind == 1], [1.0, *self.wet], 0.0)
        share = np.where(lost.is_fluid[near], fluid, behind < 0)
        self.P[lost.places[near]] = np.maximum(share, 1 / TRACES) * lost.numbers[near]
        self.P[lost.free] = found.feed.exits[outside - 1] if outside else 0.0


def _lost_inside(plan: "Plan", found: "FeedIndex") -> Inside:
    """Where the numbers are that segments of a rod in a reel lose while they are inside."""
    tables, segment, places = plan.tables, [], []
    start = {name: tables.extent(next(x for x in named(name) if x.array == "P"))[0] for name in ("body", "force")}
    loads: dict[int, list[int]] = {}
    for row, (kind, body) in enumerate(zip(tables.force.kind, tables.force.body, strict=True)):
        if int(kind) in SLENDER:
            loads.setdefault(int(body), []).append(row)
    is_fluid: list[bool] = []
    added_inertia = tables.body.added
    for k, body in enumerate(found.bodies):
        own = [start["body"] + int(body) * L.BODY_REALS + i for i in range(MASSES.start, MASSES.stop)] if k else []
        masses, added = len(own), int(added_inertia[int(body)])
        own += range(added, added + 21) if added else ()
        for row in loads.get(int(body), ()):
            own.append(start["force"] + row * L.FORCE_REALS + L.FORCE_LAW + SLENDER[int(tables.force.kind[row])])
        segment += [k - 1] * len(own)
        is_fluid += [n >= masses for n in range(len(own))]
        places += own
    free = start["body"] + int(found.bodies[0]) * L.BODY_REALS + L.MASS_MOMENT + 1
    return Inside(free, np.array(segment), np.array(is_fluid), np.array(places), plan.P[places].copy())


def tables_of(plan: "Plan", found: "FeedIndex") -> FeedTables:
    """The rows of a feed in a plan's tables."""
    own = found.tables
    if own is None or own.I is not plan.I or own.P is not plan.P:
        own = found.tables = FeedTables(plan, found)
    return own


def set_feeds(plan: "Plan", W: np.ndarray, z: np.ndarray) -> None:
    """Lock and let go the joints of all rods that are fed as their states say, in the plan's tables and a workspace."""
    for found in plan.index.feeds.values():
        tables_of(plan, found).show(W, z[found.z])


__all__ = ["EXITS", "MASSES", "FeedTables", "set_feeds", "tables_of"]
