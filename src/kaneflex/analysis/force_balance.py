"""Balance of large systems in generalized forces: Newton's method for what loads and springs leave in every joint.

`balance` asks for accelerations that vanish. In a fine chain those that its springs cause one by one are immense beside
those of its loads, so that a balance of accelerations says little; the forces and moments in its joints are all of one size.
With the joint forces tau(q, lambda) that hold the system at rest, by inverse dynamics, multipliers lambda of the constraints
g(q) = 0 among the unknowns, and a part p of the loads,

    r(x, p) = tau(q, lambda) - (1 - p) tau(q0, lambda0) = 0 ,    g(q) = 0 .                                         (1)

x = (q, u, lambda) with u = 0. The matrix of Newton's method is that of `static_tangent`, so that a step costs as much as the
system is long. A little stiffness against the motion of every body, which slows down nothing, holds what nothing else
does: a cable that turns about itself. In an equation of a constraint that follows from others the multiplier stays.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from kaneflex.analysis.balance import LONGEST, Balance
from kaneflex.analysis.downhill import downhill
from kaneflex.analysis.small_motions import CountedMotions, Motions, slowest
from kaneflex.analysis.static_tangent import StaticTangent, StaticTree
from kaneflex.analysis.stiffness_signs import negative
from kaneflex.analysis.tangent import normalise_quaternions
from kaneflex.formulations.dynamics import Dynamics

Array = np.ndarray
LARGE = 30  # speeds from which on forces are balanced
FARTHEST = 0.25  # of the system's size: most that a body moves in one step
ROUNDING = 64 * np.finfo(float).eps
FLOOR = 1e-9  # of the stiffness that the largest force makes: what all bodies have besides
SYMMETRIC = 1e-8  # of the stiffness: what is left of the differences across its diagonal where loads have a potential
YIELD = 1e-11  # of the compliance that goes with the largest force: what constraints give way by, in a step


def fits(dynamics: Dynamics, t: float, x: Array, inputs: Array) -> bool:
    """Whether a system is balanced in forces at x: a large one of rigid bodies, each load by what it acts on alone."""
    plan = dynamics.plan
    header = plan.header
    if plan.index.modes or header.rotors or header.frictions or dynamics.layout.nz or plan.model.base is not None:
        return False
    if plan.nu < LARGE or plan.speeds != "customary" or len(plan.tables.term.row):
        return False
    if np.any(x[dynamics.layout.u]):  # what turns with a motion has forces of inertia, which statics does not know
        return False
    if header.rows and not np.all(plan.tables.equation.holonomic == 1):
        return False
    problem = ForceBalance(dynamics, t, inputs)
    if not problem.derivatives.exact:
        return False
    y = problem.started(x)
    return problem.tree.is_exact(y[: plan.nq], y[problem.multipliers], inputs)


class ForceBalance(Balance):
    """The problem in forces: a system at a time with its inputs.

    Args:
        dynamics: of the system, with inputs set.
        t: time, s.
        inputs: their values.
    """

    def __init__(self, dynamics: Dynamics, t: float, inputs: Array):
        super().__init__(dynamics, t, inputs)
        self.tree = StaticTree(dynamics, self.derivatives)
        states = dynamics.layout.states
        self.multipliers = slice(states, states + self.tree.rows)

    def started(self, x: Array) -> Array:
        """x with multipliers: those with which the system would begin to move."""
        if len(x) > self.multipliers.start or not self.tree.rows:
            return x
        layout = self.dynamics.layout
        found = self.dynamics.multipliers(self.t, x[layout.q], x[layout.u])
        return np.append(x, np.where(np.isfinite(found), found, 0.0))

    def rates(self, x: Array, part: float = 1.0) -> Array:
        """r of (1), then g."""
        tau = self.tree.hold(x[: self.tree.nq], x[self.multipliers])
        return np.append(tau - self.tau(part), self.tree.closure())

    def hold(self, x: Array) -> None:
        """Make x the state that is in balance without loads, p = 0."""
        self.held = self.rates(x)

    def left(self, x: Array, part: float = 1.0) -> Any:
        """What is left of (1) at x."""
        return ForcesLeft(self, x, part)

    def loads(self, left: Any) -> Array:
        """Change of (1) per unit of the part of the loads."""
        return self.rates(left.x, 1.0) - self.rates(left.x, 0.0)

    def inner(self, a: Array, b: Array) -> float:
        """By the coordinates alone."""
        return float(a[: self.tree.nq] @ b[: self.tree.nq])

    def size(self, x: Array) -> float:
        """Largest of the equations, in parts of the forces that were there at first and of the system's size."""
        rows = self.rates(x) / self.measures(x)
        return float(np.abs(rows).max(initial=0.0)) if np.all(np.isfinite(rows)) else np.inf

    def measures(self, x: Array) -> Array:
        """By which the equations are judged: the largest moment or force in a joint, and the system's size."""
        if not hasattr(self, "_measures"):
            left = self.left(x)
            self._measures = np.append(np.full(self.tree.nu, left.largest or 1.0), np.full(self.tree.rows, left.extent))
        return self._measures

    def spread(self, x: Array) -> Array:
        """Places of all bodies, (n, 3), m."""
        self.tree.hold(x[: self.tree.nq], x[self.multipliers])
        return self.dynamics.work.body.p_nm[1 : self.tree.bodies].copy()

    def moved(self, x: Array, way: Array) -> Array | None:
        """x changed by a way, of which so much that no body moves far."""
        before, plan = self.spread(x), self.dynamics.plan
        size = extent(before)
        for scale in 0.5 ** np.arange(30):
            y = x + scale * way
            normalise_quaternions(plan, y)
            if np.linalg.norm(self.spread(y) - before, axis=1).max() <= FARTHEST * size:
                return y
        return None


def extent(places: Array) -> float:
    """Size of a system by the places of its bodies, with the inertial origin, m."""
    size = float(np.linalg.norm(np.ptp(places, axis=0)))
    return size or float(np.abs(places).max(initial=0.0)) or 1.0


class ForcesLeft:
    """What is left of (1) at x with a part of the loads, and its derivative.

    Attributes:
        r: what is left of the forces in the joints, N m or N, and of the constraints, m or rad.
        ratio: the largest of them beyond rounding, over the largest force in a joint, or over the system's size.
        worst: the number of that entry of r.
        largest: moment in a joint, N m: of a force with the length of its body for an arm.
        extent: size of the system, m.
    """

    def __init__(self, problem: ForceBalance, x: Array, part: float):
        tree = problem.tree
        self.problem, self.tree, self.x, self.part, self.nq = problem, tree, x, part, tree.nq
        self.r = self.rows = problem.rates(x, part)
        body = problem.dynamics.work.body
        self.extent = extent(body.p_nm[1 : tree.bodies])
        self.force = float(np.linalg.norm(body.force[1 : tree.bodies], axis=1).max(initial=0.0))
        self.arm = np.linalg.norm(body.p_pm[1 : tree.bodies], axis=1)
        moments = np.linalg.norm(body.torque[1 : tree.bodies], axis=1)
        moments += np.linalg.norm(body.force[1 : tree.bodies], axis=1) * np.maximum(self.arm, self.extent / tree.bodies)
        self.largest = max(float(moments.max(initial=0.0)), float(np.abs(problem.tau(part)).max(initial=0.0)))
        stiff = np.abs(self.tangent.stiffness).max(axis=0, initial=0.0)
        rounded = ROUNDING * (stiff + self.force * self.extent + self.largest)
        rounded = np.append(rounded, np.full(tree.rows, ROUNDING * self.extent))
        beyond = np.maximum(np.abs(self.r) - rounded, 0.0)
        beyond /= np.append(np.full(tree.nu, self.largest or 1.0), np.full(tree.rows, self.extent))
        self.worst = int(np.argmax(beyond)) if len(beyond) else 0
        self.ratio = float(beyond.max(initial=0.0))

    @cached_property
    def tangent(self) -> StaticTangent:
        """The matrix here."""
        x = self.x
        return self.tree.tangent(x[: self.nq], x[self.problem.multipliers], self.problem.inputs_at(self.part))

    @cached_property
    def downhill(self) -> StaticTangent:
        """The matrix here without negative stiffness."""
        return downhill(self.tangent)

    def matrix(self, slowed: float = 0.0, exact: bool = True) -> sparse.csc_matrix:
        """That of a step: with a little stiffness of every body and a little that constraints give way by.

        Args:
            slowed: stiffness against the motion of all bodies together, N/m.
            exact: or without negative stiffness.
        """
        tangent, n = self.tangent if exact else self.downhill, self.tree.bodies - 1
        arm, turns = self.extent / n, self.tree.axis < 3
        spring = np.abs(tangent.stiffness).max(axis=0, initial=0.0)
        bending = float(spring[turns].max(initial=0.0)) / n / self.extent  # EI/L^2 of a rod
        force = max(self.force, bending, float(spring[~turns].max(initial=0.0)) * arm * FLOOR)
        turn, shift = FLOOR * force * arm + slowed / n * arm**2, FLOOR * force / self.extent / n + slowed / n
        added, place = np.zeros(tangent.size), np.arange(tangent.size)
        added[: 6 * n] = np.tile([-turn] * 3 + [-shift] * 3, n)
        added[tangent.at_l :] = -YIELD * arm / max(force, bending * n**2)
        columns = np.where(place < 6 * n, place + 6 * n, place)
        return tangent.matrix + sparse.csc_matrix((added, (place, columns)), shape=tangent.matrix.shape)

    def solver(self, matrix: sparse.csc_matrix) -> Callable[[Array], Array]:
        """What gives x of matrix x = right, refined once; infinite where the matrix is singular."""
        try:
            factors = splu(matrix.tocsc())
        except RuntimeError:
            return lambda right: np.full(len(right), np.inf)

        def solved(right: Array) -> Array:
            x = factors.solve(right)
            return np.asarray(x + factors.solve(right - matrix @ x))

        return solved

    def solved(self, matrix: sparse.csc_matrix, right: Array) -> Array:
        """x of matrix x = right, as `solver` gives it."""
        return self.solver(matrix)(right)

    def change(self, step: Array) -> Array:
        """Change of x by a solution in the unknowns of the tangent."""
        tangent, way = self.tangent, np.zeros(len(self.x))
        way[: self.nq] = self.tree.change(tangent.directions, step[tangent.at_s : tangent.at_l])
        way[self.problem.multipliers] = step[tangent.at_l : tangent.size]
        return way

    def limited(self, step: Array) -> Array:
        """The change of x by a solution, of at most LONGEST in any coordinate."""
        tangent = self.tangent
        longest = float(np.abs(step[tangent.at_s : tangent.at_l]).max(initial=0.0))
        if not np.isfinite(longest):
            return np.zeros(len(self.x))
        return self.change(step * min(1.0, LONGEST / longest if longest else 1.0))

    def motions(self) -> Motions | CountedMotions:
        """Small motions without damping; the slowest alone where loads have no potential."""
        if self._has_potential():
            return CountedMotions(negative(self.tangent), lambda: self._slowest(symmetric=True))
        return self._slowest(symmetric=False)

    def _has_potential(self) -> bool:
        """Whether the stiffness is symmetric, by two directions that are not special."""
        tree, n = self.tree, np.arange(self.tree.nu)
        size = np.abs(self.tangent.springs).max(axis=0, initial=0.0) + self.largest
        weight = np.where(tree.free, 1.0, 0.0) / np.sqrt(np.where(size > 0, size, 1.0))
        a, b = weight * np.cos(n), weight * np.sin(1.3 * n)
        to_a, to_b = self.tangent.reduced(np.column_stack([a, b]))[0].T
        return bool(abs(a @ to_b - b @ to_a) <= SYMMETRIC * (np.abs(a) @ np.abs(to_b) + np.abs(b) @ np.abs(to_a)))

    def _slowest(self, symmetric: bool) -> Motions:
        tangent, tree, problem = self.tangent, self.tree, self.problem
        q, none, free, columns = self.x[: self.nq], np.zeros(tree.nu), tree.free, slice(tangent.at_s, tangent.at_l)
        inverse = lambda udot: problem.dynamics.inverse_dynamics(q, none, udot, problem.t)
        problem.rates(self.x, self.part)  # with the inputs of this point
        solve, rest = self.solver(self.matrix()), inverse(none)

        def compliance(r: Array) -> Array:
            rows = np.append(np.where(free, r, 0.0), np.zeros(tree.rows))
            return np.where(free, solve(self.right(rows))[columns], 0.0)

        mass = lambda s: np.where(free, inverse(np.where(free, s, 0.0)) - rest, 0.0)
        squares, shapes = slowest(compliance, mass, tree.nu, symmetric)
        ways = np.zeros((len(self.x), len(squares)), shapes.dtype)
        for k, shape in enumerate(shapes.T):
            ways[: self.nq, k] = tree.change(tangent.directions, shape)
        return Motions(squares, ways)

    def right(self, rows: Array) -> Array:
        """The right side that goes with rows of the equations."""
        return np.concatenate([np.zeros(self.tangent.at_s), rows])

    def solution(self) -> Array:
        """Newton's step in the unknowns of the tangent."""
        return self.solved(self.matrix(), self.right(-self.rows))

    def step(self) -> Array:
        """Newton's change of x."""
        return self.limited(self.solution())

    def _bordered(self, loads: Array, row: Array, corner: float) -> sparse.csc_matrix:
        """The matrix with a column for the part of the loads, and a row in changes of q and of the part."""
        tangent, tree = self.tangent, self.tree
        along = np.zeros(tangent.size)
        for m in range(tree.widest):
            has = tree.width > m
            np.add.at(along, tangent.at_s + tree.u0[has] + m, (tangent.directions[m] * row[: self.nq])[has])
        column = sparse.csc_matrix(self.right(loads)[:, None])
        return sparse.bmat([[self.matrix(), column], [sparse.csr_matrix(along[None, :]), np.array([[corner]])]]).tocsc()

    def direction(self, loads: Array, before: Array, part: float) -> tuple[Array, float]:
        """Changes of x and of the part of the loads along which nothing is left, on from where the path came."""
        right = np.zeros(self.tangent.size + 1)
        right[-1] = 1
        d = self.solved(self._bordered(loads, before, part), right)
        return self.change(d[:-1]), float(d[-1])

    def correction(self, loads: Array, along: Array, by: float) -> tuple[Array, float]:
        """Newton's changes of x and of the part of the loads, across the direction (along, by)."""
        d = self.solved(self._bordered(loads, along, by), np.append(self.right(-self.rows), 0.0))
        return self.limited(d[:-1]), float(d[-1])


__all__ = ["ForceBalance", "fits"]
