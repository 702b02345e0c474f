"""Equilibria along a path on which one input grows: load stepping, past folds and bifurcations.

The path of `continuation` with the input's value in the place of the part of the loads: v = v0 + p (v1 - v0).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.analysis.balance import Balance
from kaneflex.analysis.continuation import Point, path
from kaneflex.analysis.equilibrium import equilibrium
from kaneflex.analysis.force_balance import ForceBalance, fits
from kaneflex.analysis.singular_points import SingularPoint, Watch
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model import checks
from kaneflex.model.inputs import input_values
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.plan.build import build
from kaneflex.plan.state import State

Array = np.ndarray
CLOSE = 1e-10  # of the accelerations that the forces cause: what may be left at a point


@typed
@dataclass(frozen=True, eq=False)
class EquilibriumPath:
    """Equilibria one after the other, as an input changes.

    Attributes:
        input: the input's name.
        values: of the input at the points, (k,); they turn back at a fold.
        states: the equilibria.
        stable: whether small motions about each stay small, as far as a linear model without damping tells: False beyond a
            limit load, a point of buckling, or where a follower load makes the motion flutter, (k,).
        reached: whether the path came to the value that was asked for.
        singular: points between these, in their order, at which the path turns back or another one crosses it.
    """

    input: str
    values: np.ndarray
    states: tuple[State, ...]
    stable: np.ndarray
    reached: bool
    singular: tuple[SingularPoint, ...] = ()

    @property
    def folds(self) -> tuple[SingularPoint, ...]:
        """Points at which the path turns back: limit loads, where a structure snaps through."""
        return tuple(point for point in self.singular if point.kind == "fold")

    @property
    def bifurcations(self) -> tuple[SingularPoint, ...]:
        """Points at which another path crosses: loads at which a structure buckles."""
        return tuple(point for point in self.singular if point.kind == "bifurcation")


class Along:
    """What of a problem changes along the path: its input, and nothing is held besides."""

    inputs: Array
    t: float
    dynamics: Dynamics
    which: int
    first: float
    last: float

    def lead(self, which: int, value: float) -> None:
        """Say which input changes, and to what."""
        self.which, self.first, self.last = which, float(self.inputs[which]), value

    def inputs_at(self, part: float) -> Array:
        """Values of the inputs at a part p of the way."""
        found = self.inputs.copy()
        found[self.which] = self.first + part * (self.last - self.first)
        return found

    def rates(self, x: Array, part: float = 1.0) -> Array:
        """What is left at x, with the input's value at a part of the way."""
        self.dynamics.set_inputs(self.inputs_at(part))
        return np.asarray(super().rates(x, 1.0))  # type: ignore[misc]

    def tau(self, part: float) -> Array:
        """None: the input itself is there."""
        return np.zeros(self.dynamics.plan.nu)


class Driven(Along, Balance):
    """Balance of accelerations with an input that changes along the path."""


class DrivenForces(Along, ForceBalance):
    """Balance of forces with an input that changes along the path."""


@typed
def equilibrium_path(
    model: Model,
    input: str,
    value: float,
    guess: Mapping[str, Any] | State | None = None,
    *,
    inputs: Mapping[str, Any] | None = None,
    longest: float = 0.5,
    points: int = 200,
    branch: SingularPoint | None = None,
    side: int = 1,
) -> EquilibriumPath:
    """Equilibria from where an input has its value of `inputs` (0 when it is not among them) until it has another.

    The path is followed by its arc length in coordinates and input, so that it may turn back, as it does where a structure
    snaps through; `equilibrium` finds the first point, near the guess. Where another path crosses it, it goes straight on;
    `branch` follows the other one.

    Args:
        model: the system.
        input: name of the input.
        value: that it shall reach.
        guess: near which the first equilibrium is looked for; None for the initial state.
        inputs: values of all inputs at the start, as for `simulate`.
        longest: step along the path: the norm of the changes of all coordinates (rad, m) and of the input, over its range.
        points: most of them.
        branch: a bifurcation of another path, with the same input, at which this one begins in the direction of its first
            shape, which is the largest in its first entry where there are several; `guess` is not looked at then.
        side: 1, or -1 for the opposite direction.
    """
    checks.known(input, model.inputs, "input that changes along the path:")
    value = checks.number(value, "value")
    longest, points = checks.positive(longest, "longest"), checks.whole(points, "points", least=1)
    if branch is not None:
        _check_branch(branch, side)
        inputs = {**(inputs or {}), input: branch.value}
    start = equilibrium(model, guess, inputs=inputs) if branch is None else branch.state.copy()
    dynamics = Dynamics(build(model))
    values = input_values(model.inputs, inputs, start.t)
    which = dynamics.plan.index.inputs[input]
    if values[which] == value:
        raise checks.ModelError(f'input "{input}" is {value:g} at the start already: give another value to reach')
    dynamics.set_inputs(values)
    dynamics.set_states(start.z)
    x = np.concatenate([start.q, start.rates, start.z])
    problem = (DrivenForces if fits(dynamics, start.t, x, values) else Driven)(dynamics, start.t, values)
    problem.lead(which, value)
    x, direction = problem.started(x), None
    if branch is not None:
        along = np.zeros(len(x))
        along[: dynamics.plan.nq] = side * branch.shapes[0]
        direction = along, 0.0
    watch = Watch(problem, CLOSE)
    return _followed(problem, path(problem, x, longest, points, CLOSE, direction, watch.joined), watch, input, which)


def _check_branch(branch: SingularPoint, side: int) -> None:
    if branch.kind != "bifurcation":
        raise checks.ModelError(f"branch is a {branch}: no other path crosses there; give one of path.bifurcations")
    if side not in (1, -1):
        raise checks.ModelError(f"side is {side}: give 1, or -1 for the opposite direction")


def _followed(problem: Along, points: Iterator[Point], watch: Watch, input: str, which: int) -> EquilibriumPath:
    """The path as the user sees it, with the singular points between its points."""
    dynamics = problem.dynamics
    layout, index = dynamics.layout, dynamics.plan.index

    def shown(point: Point) -> tuple[float, State]:
        x = point.left.x
        state = State(index, problem.t, x[layout.q], x[layout.u], z=x[layout.z])
        return float(problem.inputs_at(point.left.part)[which]), state

    along, singular = list[tuple[float, State, bool]](), list[SingularPoint]()
    last: Point | None = None
    for point in points:
        for at, shapes, fold in watch.singular(last, point) if last is not None else ():
            kind = "fold" if fold else "bifurcation"
            singular.append(SingularPoint(kind, *shown(at), shapes[:, : dynamics.plan.nq]))
        along.append((*shown(point), watch.motions(point).stable))
        last = point
    values, states, stable = zip(*along, strict=True)
    reached = bool(values[-1] == problem.last)
    return EquilibriumPath(input, np.array(values), states, np.array(stable), reached, tuple(singular))


__all__ = ["EquilibriumPath", "SingularPoint", "equilibrium_path"]
