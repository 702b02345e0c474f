"""Rods deep in a reel, which cost nothing while explicit steps are made.

They are locked, straight and without mass but for a trace: nothing that moves depends on them. While the loop runs, sweeps
pass over them (`layout.is_stored`), and the first rod after them is on the body that slides, where they would hold it.
Nothing else ever sees that: before the loop comes back all is as it was.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces.central_force import CENTRAL_FORCE
from kaneflex.kernels.forces.oblate_force import OBLATE_FORCE
from kaneflex.kernels.forces.orbit_force import ORBIT_FORCE
from kaneflex.kernels.forces.orbit_oblate_force import ORBIT_OBLATE_FORCE
from kaneflex.kernels.tables import Tables
from kaneflex.model.rods.feed import OUTSIDE

if TYPE_CHECKING:
    from kaneflex.plan.feeds import FeedIndex
    from kaneflex.plan.plan import Plan

ATTRACTIONS = (CENTRAL_FORCE, OBLATE_FORCE, ORBIT_FORCE, ORBIT_OBLATE_FORCE)  # of a trace of mass: nothing
NEAR = 6  # rods behind the exit that stay, more than what a release or a capture changes
LEAST = 4  # rods that are worth it


class StoredRods:
    """The rods in the reel of a feed, in a plan's tables."""

    def __init__(self, plan: "Plan", found: "FeedIndex"):
        self.plan, self.found, self.tables = plan, found, plan.tables.body
        self.can_rest = _nothing_looks(plan, found)
        if not self.can_rest:
            return
        bodies = found.bodies
        turned, place = [np.eye(3)], [np.zeros(3)]  # of each rod in axes of the one that slides, where all are straight
        for row in bodies[1:]:
            own = self.tables[int(row)]
            place.append(place[-1] + turned[-1] @ own.p_pf)
            turned.append(turned[-1] @ np.reshape(own.r_pf, (3, 3)))
        self.turned, self.place = turned, place

    @contextmanager
    def resting(self, W: np.ndarray, z: np.ndarray) -> Iterator[None]:
        """Pass over the rods that are inside by the feed's states z."""
        last = (
            self.found.joints - int(z[OUTSIDE]) - NEAR if self.can_rest else 0
        )  # number of them, after the one that slides
        if last < LEAST:
            yield
            return
        I, rows = self.plan.I, self.found.bodies
        row = self.tables[int(rows[last + 1])]
        kept = int(row.parent), np.array(row.p_pf), np.array(row.r_pf)
        Tables(I, {"W": W}).column.rate[self.found.columns[:last]] = 0.0
        try:
            row.parent = int(rows[0])
            row.p_pf[:], row.r_pf[:] = self.place[last + 1], self.turned[last + 1].reshape(kept[2].shape)
            I[L.STORED], I[L.STORED_END] = rows[1], rows[last] + 1
            yield
        finally:
            I[L.STORED] = I[L.STORED_END] = 0
            row.parent = kept[0]
            row.p_pf[:], row.r_pf[:] = kept[1:]


def _nothing_looks(plan: "Plan", found: "FeedIndex") -> bool:
    """Whether nothing but attraction acts on the rods of a feed inside, nothing hangs on them, and no function sees them."""
    feed, tables, rows = found.feed, plan.tables, found.bodies
    others = plan.index.constraints or plan.model.contacts or plan.I[L.SUMMED] or plan.I[L.MEDIA]
    if plan.formulation.name != "recursive" or not feed.store or others:
        return False
    if len(found.columns) < found.joints or np.any(np.diff(rows) != 1) or tables.column.total[found.columns].any():
        return False
    inner = rows[1:-1]  # what the last one carries is never inside
    children = np.flatnonzero(np.isin(tables.body.parent, inner))
    carries = np.isin(tables.force.body, inner) & ~np.isin(tables.force.kind, ATTRACTIONS)
    seen = np.isin(tables.sensor.body, inner)
    ties = carries | np.isin(tables.force.other, inner)
    return bool(np.isin(children, rows[2:]).all()) and not ties.any() and not seen.any()


__all__ = ["StoredRods"]
