"""A rod as it stands in a system: its segments by name, and where on them its points are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model.checks import Vector, known
from kaneflex.model.rods.rod import PLANES, Strand


@dataclass(frozen=True, eq=False)
class PlacedRod:
    """A rod of a system, `system.rods["boom"]`.

    Args:
        rod: the Rod or Cable.
        segments: names of its bodies, from root to tip. Of each, x runs along the segment from its origin, the inboard end.
        lengths: of the segments, m.
        root: how it is held there, in words.
        tip: likewise.
        spans: arc length whose bending each segment's inboard joint stands for, m; 0 where there is no stiffness.
        points: arc lengths of its points, m, "root" and "tip" among them.
    """

    rod: Any
    segments: tuple[str, ...]
    lengths: tuple[float, ...]
    root: str
    tip: str
    spans: tuple[float, ...]
    points: Mapping[str, float]

    @property
    def arc(self) -> Vector:
        """Arc lengths of its joints and of its tip, (n + 1,), m."""
        return np.concatenate([[0.0], np.cumsum(self.lengths)])

    @property
    def normal(self) -> int | None:
        """The axis normal to its plane, 1 (y) or 2 (z); None in space."""
        return None if self.rod.plane is None else PLANES[self.rod.plane]

    def at(self, s: float) -> tuple[str, float]:
        """The segment at an arc length, m, and how far from its origin; of two segments the outboard one."""
        starts = self.arc[:-1]
        k = int(np.searchsorted(starts, s * (1 + 1e-12), side="right")) - 1
        return self.segments[k], float(min(max(s - starts[k], 0.0), self.lengths[k]))

    def frame_of(self, point: str, what: str) -> str:
        """The place "segment.point" of one of its points; `what` says in an error who asks."""
        known(point, self.points, what)
        return f"{self.at(self.points[point])[0]}.{point}"

    def words(self) -> str:
        """What a description of the system says of it."""
        rod: Strand = self.rod
        found = [f"{rod.length:g} m in {len(self.segments)} segments", f"root {self.root}", f"tip {self.tip}"]
        found += [f"in its {rod.plane} plane"] if rod.plane else []
        found += ["stretches and shears" if rod.shears else "stretches"] if rod.stretches else []
        return ", ".join(found)


__all__ = ["PlacedRod"]
