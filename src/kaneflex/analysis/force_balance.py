"""Balance of large trees in generalized forces: Newton's method for what loads and springs leave in every joint.

`balance` asks for accelerations that vanish. In a fine chain those that its springs cause one by one are immense beside
those of its loads, so that a balance of accelerations says little; the forces and moments in its joints are all of one size.
With the joint forces tau(q) that hold the system at rest, by inverse dynamics, and a part p of the loads,

    r(q, p) = tau(q) - (1 - p) tau(q0) = 0 .                                                                       (1)

Without constraints and states of blocks only; large: what follows takes a column of d tau/dq for every speed.
"""

from typing import Any

import numpy as np

from kaneflex.analysis.balance import LONGEST, Balance
from kaneflex.analysis.derivatives import Derivatives
from kaneflex.analysis.residual import drives_first
from kaneflex.analysis.solving import solved
from kaneflex.analysis.tangent import normalise_quaternions, quaternion_turns
from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels.tables import Tables

Array = np.ndarray
LARGE = 30  # speeds from which on forces are balanced
FARTHEST = 0.25  # of the system's size: most that a body moves in one step
ROUNDING = 64 * np.finfo(float).eps


def fits(dynamics: Dynamics) -> bool:
    """Whether a system is balanced in forces: not with internal coordinates, of which the places of bodies do not tell."""
    plan = dynamics.plan
    if plan.index.modes:
        return False
    return plan.nu >= LARGE and not plan.is_constrained and not dynamics.layout.nz and plan.model.base is None


class ForceBalance(Balance):
    """The problem in forces: a tree at a time with its inputs.

    Args:
        dynamics: of the system, with inputs set.
        t: time, s.
        inputs: their values.
    """

    def __init__(self, dynamics: Dynamics, t: float, inputs: Array):
        super().__init__(dynamics, t, inputs)
        self.places = ChannelReader(dynamics.plan, [f"{body}.position" for body in dynamics.plan.index.joints])
        self.quaternions = set(dynamics.layout.quaternions)

    def rates(self, x: Array, part: float = 1.0) -> Array:
        """r of (1)."""
        layout, none = self.dynamics.layout, np.zeros(self.dynamics.plan.nu)
        found = self.dynamics.inverse_dynamics(x[layout.q], none, none, self.t)
        return np.asarray(found - self.tau(part))

    def hold(self, x: Array) -> None:
        """Make x the state that is in balance without loads, p = 0."""
        self.held = self.rates(x)

    def left(self, x: Array, part: float = 1.0) -> Any:
        """What is left of (1) at x."""
        return ForcesLeft(self, x, part)

    def loads(self, left: Any) -> Array:
        """Change of (1) per unit of the part of the loads."""
        return self.rates(left.x, 1.0) - self.rates(left.x, 0.0)

    def spread(self, x: Array) -> Array:
        """Places of all bodies, (n, 3), m."""
        values = self.places.read_one(self.dynamics, self.t, x)
        return np.array(list(values.values()))

    def moved(self, x: Array, way: Array) -> Array | None:
        """x changed by a way, of which so much that no body moves far."""
        before, plan = self.spread(x), self.dynamics.plan
        size = float(np.linalg.norm(np.ptp(before, axis=0))) or np.inf
        for scale in 0.5 ** np.arange(30):
            y = x + scale * way
            normalise_quaternions(plan, y)
            if np.linalg.norm(self.spread(y) - before, axis=1).max() <= FARTHEST * size:
                return y
        return None

    def directions(self, x: Array) -> Array:
        """Changes of q for unit speeds, as (place, column) blocks put in full, (nq, nu)."""
        found, k, c = np.zeros((self.dynamics.plan.nq, self.dynamics.plan.nu)), 0, 0
        for joint in self.dynamics.plan.index.joints.values():
            k, c = joint.q0, joint.u0
            if joint.quaternion is None:
                found[k : k + joint.coordinates, c : c + joint.speeds] = np.eye(joint.speeds)
                continue
            slides = joint.quaternion - k
            turn = quaternion_turns(x[joint.quaternion : joint.quaternion + 4])
            first = c + joint.speed_names.index("wx")
            found[joint.quaternion : joint.quaternion + 4, first : first + 3] = turn
            found[k : k + slides, c : c + slides] = np.eye(slides)
        return found


class ForcesLeft:
    """What is left of (1) at x with a part of the loads, and its derivative; attributes as those of `balance.Left`."""

    def __init__(self, problem: ForceBalance, x: Array, part: float):
        dynamics = problem.dynamics
        self.x, self.part, self.nq = x, part, dynamics.plan.nq
        self.r = self.rows = problem.rates(x, part)
        self.X = np.zeros((len(x), dynamics.plan.nu))
        self.X[: self.nq] = problem.directions(x)
        self.coordinates = self.X.shape[1]
        self.slopes = _slopes(problem.derivatives, x, problem.inputs_at(part), self.X[: self.nq])
        sizes = _caused_forces(dynamics, problem.t, x) + np.abs(problem.tau(part))
        steps = np.maximum(1.0, np.abs(x)) @ np.abs(self.X)
        beyond = np.maximum(np.abs(self.r) - ROUNDING * (np.abs(self.slopes) @ steps + sizes), 0.0)
        largest = float(sizes.max(initial=0.0))  # of moments in all joints, which one load causes together
        self.worst = int(np.argmax(beyond)) if len(beyond) else 0
        self.ratio = float(beyond.max(initial=0.0) / largest) if largest else 0.0

    def step(self) -> Array:
        """Newton's change of x."""
        return self.limited(solved(self.slopes, -self.rows))

    def limited(self, step: Array) -> Array:
        """The change of x by a step of the unknowns, of at most LONGEST in any of them."""
        longest = float(np.abs(step).max(initial=0.0))
        return np.asarray(self.X @ (step * min(1.0, LONGEST / longest if longest else 1.0)))


def _slopes(derivatives: Derivatives, x: Array, inputs: Array, directions: Array) -> Array:
    """d tau/dq along directions of q with the inputs' values, by the complex step."""
    plan, nu = derivatives.plan, derivatives.plan.nu
    none, tau = np.zeros(nu, derivatives.W.dtype), np.empty(nu, derivatives.W.dtype)

    def evaluate(q: Array) -> Array:
        derivatives.kernels.call_inverse(derivatives.I, plan.P, derivatives.W, derivatives.t, q, none, none, tau)
        return tau.copy()

    derivatives.work.tau.value[:] = 0
    derivatives.work.law_output.value[: len(inputs)] = inputs
    return derivatives.along(evaluate, x[: plan.nq], directions)


def _caused_forces(dynamics: Dynamics, t: float, x: Array) -> Array:
    """Sizes of the joint forces that gravity and each load cause by themselves at x, at rest, summed."""
    plan = dynamics.plan
    I, P, drives = drives_first(dynamics)
    tables = Tables(I, {"I": I, "P": P})
    header, gravity = tables.header, tables.gravity.value
    q, none, tau = x[: plan.nq].copy(), np.zeros(plan.nu), np.empty(plan.nu)

    def forces(loads: int) -> Array:
        header.forces = loads
        dynamics.kernels.call_inverse(I, P, dynamics.W, t, q, none, none, tau)
        return tau.copy()

    before = forces(drives)
    sizes = np.abs(before)
    gravity[:] = 0
    before = forces(drives)
    for count in range(drives + 1, plan.header.forces + 1):
        after = forces(count)
        sizes += np.abs(after - before)
        before = after
    return sizes


__all__ = ["ForceBalance", "fits"]
