"""What a joint type must say, and the functions its file must have.

A joint carries frame F, fixed on the parent, to frame M, which is the child's own frame. With `name` the joint's
name, `k` the first of its coordinates in q, `g` the body's place in P, and `c` the place in W of its first speed, a
joint's file holds

    name_pose(q, k, P, g)           -> E = R_MF (components in F to components in M), p = origin of M from F, in F
    name_columns(q, k, P, g, W, c)  writes columns whose axis is GENERAL to W[c + m*COLUMN_WIDTH + S_:], angular first
    name_bias(q, k, W, c)           -> angular acceleration and acceleration of M in F, axes of M, without rates of w
    name_rates(q, k, W, c, qdot)    writes q-dot = W(q) w, w being rate(W, c, m)

Only `pose` is always there; `columns` where an axis is GENERAL, `bias` where it is not zero, `rates` where q-dot is
not w itself. A function takes those arguments that it needs, in any order: of the above, and of I, i (the body) and z (a
zero of the run's scalar); `dispatch` calls it by its name. The revolute joint alone has its column and its zero
bias written into the callers too, see `revolute`.

Coordinates whose names begin with "angle" are in rad, others in m; a quaternion stands last. The file states F, M, the
meaning of q, the sign, and the pose at q = 0. Every speed is a column of the partial velocities of M in F: unit columns
0-2 turn about, 3-5 slide along an axis of M.

Efficient speeds: where `total` is true for a column, u is the *total* angular velocity component along its axis instead
of w. Such a column turns about an axis of M, or is GENERAL with its axis fixed in F; a joint's axes are orthonormal.
"""

from typing import NamedTuple


class JointFacts(NamedTuple):
    """The integers of a joint type that planning needs."""

    code: int
    coordinates: int
    axes: tuple[int, ...]
    total: tuple[bool, ...]
    coordinate_names: tuple[str, ...]
    neutral: tuple[float, ...]
    scalar_rates: bool = True  # q-dot = w, coordinate by coordinate: springs, stops and dampers act on each
    at_neutral: tuple[int, ...] = ()  # axes of the columns at the neutral coordinates, where one is GENERAL: the rate is the
    # component of the relative motion along it

    @property
    def speeds(self) -> int:
        """Number of speeds."""
        return len(self.axes)
