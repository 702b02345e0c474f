"""Newton's method for states in balance: at rest, or in steady motion, with loads that may be applied by degrees.

The unknowns are independent states of x = (q, u, z), see `tangent`; the equations say that the accelerations and the rates
of the states of blocks vanish, r(x) = 0, but for states that only sum up, and what else the problem asks for. Of the loads
a part p is applied:

    r(x, p) = u-dot with the generalized forces (1 - p) tau0 besides, and z-dot - (1 - p) z-dot0                 (1)

where tau0 are the joint forces that hold the guess without acceleration and z-dot0 the rates there. The guess is in balance
at p = 0, the solution is at p = 1, and where the loads are dead (1) applies them in proportion: what finite-element programs
call load stepping.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from kaneflex.analysis.derivatives import Derivatives
from kaneflex.analysis.residual import caused, rounding
from kaneflex.analysis.small_motions import Motions
from kaneflex.analysis.solving import solved
from kaneflex.analysis.tangent import Tangent, normalise_quaternions, tangent
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import LIMIT, SWEEPS
from kaneflex.plan.feeds import held_coordinates

Array = np.ndarray
LONGEST = 0.5  # rad or m: most that one step changes a coordinate by
NOTHING = 1e-9  # of the largest acceleration that forces cause: along a speed for which they cause less, it counts instead


@dataclass(frozen=True)
class Extra:
    """Equations of a problem besides r = 0: their values at x, and their changes along directions of x."""

    values: Callable[[Array], Array]
    slopes: Callable[[Array, Array], Array]


class Balance:
    """The problem: a system at a time with its inputs, which unknowns there are, and what is asked of them.

    Args:
        dynamics: of the system, with inputs and states of blocks set.
        t: time, s.
        inputs: their values.
        moving: whether speeds are unknowns too; else only coordinates and states of blocks are.
        extra: further equations.
    """

    def __init__(self, dynamics: Dynamics, t: float, inputs: Array, moving: bool = False, extra: Extra | None = None):
        self.dynamics, self.t, self.inputs, self.moving, self.extra = dynamics, t, inputs, moving, extra
        self.derivatives = Derivatives(dynamics, t)
        self.held = np.zeros(dynamics.plan.nu + dynamics.layout.nz)  # tau0 and z-dot0 of (1)
        plan = dynamics.plan
        held_by = ((plan.index.blocks[name], block) for name, block in plan.model.blocks.items())
        self.sums = [plan.nu + of.z0 + block.state_names.index(name) for of, block in held_by for name in block.sums]

    def started(self, x: Array) -> Array:
        """The unknowns to begin with at x = (q, u, z)."""
        return x

    def rates(self, x: Array, part: float = 1.0) -> Array:
        """r of (1): accelerations and rates of the states of blocks at x = (q, u, z), with a part of the loads."""
        layout, nu = self.dynamics.layout, self.dynamics.plan.nu
        y = layout.with_works(x)
        tau = None if part == 1 else self.tau(part)
        rates = self.dynamics.derivative(self.t, y, tau=tau)[layout.q.stop : layout.states]
        rates[nu:] -= (1 - part) * self.held[nu:]
        rates[self.sums] = 0.0
        return rates

    def tau(self, part: float) -> Array:
        """Generalized forces that hold what of the loads is not applied."""
        return np.asarray((1 - part) * self.held[: self.dynamics.plan.nu])

    def inputs_at(self, part: float) -> Array:
        """Values of the inputs at a part of the loads."""
        return self.inputs

    def left(self, x: Array, part: float = 1.0) -> "Left":
        """What is left of (1) at x, and the linear model there."""
        return Left(self, x, part)

    def loads(self, left: "Left") -> Array:
        """Change of the equations per unit of the part of the loads."""
        change = self.rates(left.x, 1.0) - self.rates(left.x, 0.0)
        return np.asarray(left.tangent.pick[left.coordinates :, left.nq :] @ change)

    def inner(self, a: Array, b: Array) -> float:
        """Product of two changes of x, by which steps along a path are measured."""
        return float(a @ b)

    def size(self, x: Array) -> float:
        """Largest of the equations at full load, which Newton's method reduces; infinite where there is no value."""
        rows = self.rates(x) if self.extra is None else np.append(self.rates(x), self.extra.values(x))
        return float(np.abs(rows).max(initial=0.0)) if np.all(np.isfinite(rows)) else np.inf

    def hold(self, x: Array) -> None:
        """Make x the state that is in balance without loads, p = 0."""
        layout = self.dynamics.layout
        q, u = x[layout.q], x[layout.u]
        tau = self.dynamics.inverse_dynamics(q, u, np.zeros(len(u)), self.t)
        self.held = np.append(tau, self.rates(x)[len(u) :])

    def moved(self, x: Array, way: Array) -> Array | None:
        """x changed and put back on motions and constraints, or None where that fails."""
        dynamics, layout = self.dynamics, self.dynamics.layout
        y = layout.with_works(x)
        y[: layout.states] += way
        normalise_quaternions(dynamics.plan, y)
        if dynamics.plan.is_constrained and dynamics.project(self.t, y, SWEEPS, LIMIT) < 0:
            return None
        return y[: layout.states]


class Left:
    """What is left of the equations at x with a part of the loads, and the linear model there.

    Attributes:
        r: accelerations and rates of the states of blocks.
        ratio: the largest of them beyond rounding, over the accelerations that the forces cause one by one, or over what the
            parts of a block state's rate are; the largest of the extra equations where that is more.
        worst: the number of that entry of r.
        X: directions of the unknowns.
        rows, slopes: the equations that Newton's method solves, and their changes along X.
    """

    def __init__(self, problem: Balance, x: Array, part: float = 1.0, r: Array | None = None):
        dynamics, layout = problem.dynamics, problem.dynamics.layout
        nq, nu, nz = dynamics.plan.nq, dynamics.plan.nu, layout.nz
        self.x, self.part = x, part
        self.r = problem.rates(x, part) if r is None else r
        self.tangent: Tangent = tangent(dynamics, problem.derivatives, x)
        count = self.tangent.X.shape[1]
        unknown = range(count) if problem.moving else [*range(self.tangent.coordinates), *range(count - nz, count)]
        self.X = self.tangent.X[:, unknown]
        held = held_coordinates(dynamics.plan, x[layout.z])
        if held:
            self.X = self.X @ null_space(self.X[held])
        self.coordinates, self.nq = self.tangent.coordinates, nq
        directions = np.vstack([self.X, np.zeros((len(problem.inputs), self.X.shape[1]))])
        slopes = problem.derivatives.motion(x, problem.inputs_at(part), directions, problem.tau(part))[0][nq:]
        slopes[problem.sums] = 0.0
        beyond = np.maximum(np.abs(self.r) - rounding(slopes, self.X[:nq], x[:nq]), 0.0)
        sizes = np.maximum(1.0, np.abs(x)) @ np.abs(self.X)
        causes = caused(dynamics, problem.t, x)
        causes = np.maximum(causes, NOTHING * causes.max(initial=0.0))
        self.forces = np.append(causes, np.abs(slopes[nu:]) @ sizes)
        ratios = np.divide(beyond, self.forces, out=np.where(beyond > 0, np.inf, 0.0), where=self.forces > 0)
        self.worst = int(np.argmax(ratios)) if len(ratios) else 0
        self.ratio = float(ratios.max(initial=0.0))
        picked = self.tangent.pick[self.coordinates :, nq:]
        self.rows, self.slopes = picked @ self.r, picked @ slopes
        if problem.extra is not None:
            values = problem.extra.values(x)
            self.ratio = max(self.ratio, float(np.abs(values).max(initial=0.0)))
            self.rows = np.append(self.rows, values)
            self.slopes = np.vstack([self.slopes, problem.extra.slopes(x, self.X)])

    def step(self) -> Array:
        """Newton's change of x, of at most LONGEST in any coordinate; the least where the unknowns are not determined."""
        return self.limited(solved(self.slopes, -self.rows))

    def direction(self, loads: Array, before: Array, part: float) -> tuple[Array, float]:
        """Changes of x and of the part of the loads along which nothing is left, on from where the path came."""
        A = np.column_stack([self.slopes, loads])
        if A.shape[0] < A.shape[1]:  # normal to all rows: with one more row that leads on from where the path came
            bordered, right = np.vstack([A, np.append(before @ self.X, part)]), np.append(np.zeros(len(A)), 1.0)
            d = solved(bordered, right)
            if np.abs(bordered @ d - right).max() > 1e-6 * max(1.0, np.abs(A).max() * np.abs(d).max()):
                d = np.linalg.svd(A)[2][-1]
        else:
            d = np.append(np.zeros(A.shape[1] - 1), 1.0)
        return self.X @ d[:-1], float(d[-1])

    def correction(self, loads: Array, along: Array, by: float) -> tuple[Array, float]:
        """Newton's changes of x and of the part of the loads, across the direction (along, by)."""
        row = np.append(along @ self.X, by)
        step = solved(np.vstack([np.column_stack([self.slopes, loads]), row]), np.append(-self.rows, 0.0))
        return self.limited(step[:-1]), float(step[-1])

    def motions(self) -> Motions:
        """Small motions without damping."""
        if self.slopes.shape[0] != self.slopes.shape[1] or not self.slopes.size:
            return Motions(np.zeros(0), np.zeros((len(self.x), 0)))
        squares, shapes = np.linalg.eig(self.slopes)
        return Motions(squares, self.X @ shapes)

    def limited(self, step: Array) -> Array:
        """The change of x by a step of the unknowns, shortened so that no coordinate changes by more than LONGEST."""
        way = self.X @ step
        longest = max(np.abs(step[: self.coordinates]).max(initial=0.0), np.abs(way[: self.nq]).max(initial=0.0))
        return np.asarray(way * (LONGEST / longest) if longest > LONGEST else way)


def newton(problem: Balance, x: Array, tolerance: float, iterations: int) -> Left:
    """Newton's method at full load, with the step halved until the largest equation falls, until nothing is gained."""
    left = problem.left(x)
    for _ in range(iterations):
        if left.ratio == 0:
            break
        way = left.step()
        for scale in 0.5 ** np.arange(12 if left.ratio > tolerance else 1):
            trial = problem.moved(left.x, scale * way)
            if trial is not None and problem.size(trial) < problem.size(left.x):
                break
        else:
            break
        assert trial is not None
        left = problem.left(trial)
    return left
