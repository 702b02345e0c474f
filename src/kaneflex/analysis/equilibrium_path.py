"""Equilibria along a path on which one input grows: load stepping, past folds.

The path of `continuation` with the input's value in the place of the part of the loads: v = v0 + p (v1 - v0).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.analysis.balance import Balance, Left
from kaneflex.analysis.continuation import path
from kaneflex.analysis.equilibrium import equilibrium
from kaneflex.analysis.force_balance import ForceBalance, fits
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model import checks
from kaneflex.model.inputs import input_values
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.plan.build import build
from kaneflex.plan.state import State

Array = np.ndarray
NOTHING = 1e-12  # of the largest eigenvalue: what rounding leaves of the others
REAL = 1e-6  # of an eigenvalue: an imaginary part that is none
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
    """

    input: str
    values: np.ndarray
    states: tuple[State, ...]
    stable: np.ndarray
    reached: bool


class Along:
    """What of a problem changes along the path: its input, and nothing is held besides."""

    inputs: Array
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
) -> EquilibriumPath:
    """Equilibria from where an input has its value of `inputs` (0 when it is not among them) until it has another.

    The path is followed by its arc length in coordinates and input, so that it may turn back, as it does where a structure
    snaps through; `equilibrium` finds the first point, near the guess.

    Args:
        model: the system.
        input: name of the input.
        value: that it shall reach.
        guess: near which the first equilibrium is looked for; None for the initial state.
        inputs: values of all inputs at the start, as for `simulate`.
        longest: step along the path: the norm of the changes of all coordinates (rad, m) and of the input, over its range.
        points: most of them.
    """
    checks.known(input, model.inputs, "input that changes along the path:")
    value = checks.number(value, "value")
    longest, points = checks.positive(longest, "longest"), checks.whole(points, "points", least=1)
    start = equilibrium(model, guess, inputs=inputs)
    dynamics = Dynamics(build(model))
    values = input_values(model.inputs, inputs, start.t)
    which = dynamics.plan.index.inputs[input]
    if values[which] == value:
        raise checks.ModelError(f'input "{input}" is {value:g} at the start already: give another value to reach')
    dynamics.set_inputs(values)
    dynamics.set_states(start.z)
    problem = (DrivenForces if fits(dynamics) else Driven)(dynamics, start.t, values)
    problem.lead(which, value)
    layout, found = dynamics.layout, list[tuple[float, State, bool]]()
    x = np.concatenate([start.q, start.rates, start.z])
    for left in path(problem, x, longest, points, close=CLOSE):
        state = State(dynamics.plan.index, start.t, left.x[layout.q], left.x[layout.u], z=left.x[layout.z])
        found.append((float(problem.inputs_at(left.part)[which]), state, _is_stable(problem, left)))
    along, states, stable = zip(*found, strict=True)
    return EquilibriumPath(input, np.array(along), states, np.array(stable), bool(along[-1] == value))


def _is_stable(problem: Balance, left: Left) -> bool:
    """Whether all squares of the eigenvalues of small motions are real and not positive."""
    slopes = left.slopes
    if slopes.shape[0] != slopes.shape[1] or not slopes.size:
        return True
    if isinstance(problem, ForceBalance):  # forces that hold it: M u-dot = -tau
        slopes = -np.linalg.solve(problem.dynamics.mass_matrix(left.x[: left.nq], problem.t), slopes)
    squares = np.linalg.eigvals(slopes)
    largest = float(np.abs(squares).max())
    flutter = np.abs(squares.imag) > np.maximum(NOTHING * largest, REAL * np.abs(squares))
    return bool(squares.real.max() <= NOTHING * largest and not flutter.any())


__all__ = ["EquilibriumPath", "equilibrium_path"]
