"""From the axes of one body to those of another, by the joints between them alone: the attitude of what both hang on stays
out of it."""

from dataclasses import dataclass
from typing import Any

from kaneflex.symbolic.calculus import Rows, times, transposed

Expr = Any


@dataclass
class Axes:
    """Orientations along the tree.

    Attributes:
        joints: by row of a body, the row of its parent and R_MP, the parent's components into its own.
        rows: by name of a body.
        own: by name of a body, components in M into those in its own axes.
    """

    joints: dict[int, tuple[int, Rows]]
    rows: dict[str, int]
    own: dict[str, Rows]

    def turn(self, i: int, body: str) -> Rows:
        """The matrix that turns components in M of the body in row i into those in the axes of a body."""
        base = self.rows[body]
        above, below = self._upward(base), self._upward(i)
        meeting = next(k for k in below if k in above)
        R = self.own[body]
        for k in above[: above.index(meeting)]:
            R = times(R, self.joints[k][1])
        for k in reversed(below[: below.index(meeting)]):
            R = times(R, transposed(self.joints[k][1]))
        return R

    def _upward(self, i: int) -> list[int]:
        """Row i and the rows of all that it hangs on, the inertial frame last."""
        found = [i]
        while found[-1]:
            found.append(self.joints[found[-1]][0])
        return found


__all__ = ["Axes"]
