"""What a segment integrates: the tree's state, or that of a formulation with coordinates of its own, which the run sees in
the coordinates of the tree."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.integration_state import IntegrationState
from kaneflex.model.checks import ModelError
from kaneflex.plan.formulation import OtherCoordinates
from kaneflex.plan.laws import LawNotDifferentiable
from kaneflex.plan.plan import Plan
from kaneflex.plan.state_layout import StateLayout
from kaneflex.simulate.integrator import Integrator, Reals, Status


@dataclass(frozen=True)
class Integration:
    """What is integrated.

    Attributes:
        I: tables that the step loop takes.
        layout: where everything stands in y.
        is_constrained: whether the ends of steps are projected.
        is_tied: whether singular positions of constraint equations are looked out for.
        has_tree_matrix: whether u-dot comes from an elimination along the tree, along which Newton's matrix may be made too.
        has_tree_state: whether y is the tree's and its rates are those of the kernels.
        state: the way to the tree and back, where y is not the tree's.
    """

    I: np.ndarray
    layout: StateLayout
    is_constrained: bool
    is_tied: bool
    has_tree_matrix: bool = False
    has_tree_state: bool = False
    state: IntegrationState | None = None

    def moved_by(self, speeds: str) -> int:
        """Speeds whose displacements move the coordinates: all where they are rates of the tree's joints, else none."""
        return self.layout.nu if self.has_tree_state and speeds == "customary" else 0

    def tolerances(self, t: float, y0: Reals, atol: float) -> float | Reals:
        """Absolute tolerances of y, where `atol` is that of the tree's, whose state at the start is y0."""
        state = self.state
        if state is None:
            return atol
        return state.formulation.tolerances(state.dynamics.plan, state.from_tree(t, y0), atol)

    def seen_from_tree(self, integrator: Integrator) -> Integrator:
        """An integrator of this y, as a run sees it."""
        return integrator if self.state is None else cast(Integrator, TreeView(integrator, self.state))


def integration_of(dynamics: Dynamics, rates: Any = None) -> Integration:
    """What is integrated for a plan: as its formulation says, or with `rates` for y' in the place of its kernels."""
    plan = dynamics.plan
    tied = bool(plan.index.constraints)
    if rates is not None:
        return Integration(rates.tables(plan, dynamics.W), plan.layout, plan.is_constrained, False)
    if isinstance(plan.formulation, OtherCoordinates):  # its projection holds joints too, and tells of no shares
        state = IntegrationState(dynamics, plan.formulation)
        return Integration(state.I, state.layout, True, False, state=state)
    return Integration(plan.I, plan.layout, plan.is_constrained, tied, not plan.formulation.is_dense, True)


class TreeView:
    """An `Integrator` whose y, starts and samples are those of the tree, around one that integrates other coordinates.

    Args:
        inner: the integrator.
        state: between the two.
    """

    def __init__(self, inner: Integrator, state: IntegrationState):
        self._inner, self._state = inner, state
        self._rows: Reals = np.zeros((0, state.layout.size))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)  # the clock, counters, events and what is stored

    @property
    def y(self) -> Reals:
        """Present state of the tree."""
        return self._state.to_tree(np.array([self._inner.t]), self._inner.y[None, :])[0]

    def start(self, t: float, y: Reals, step: float | None = None) -> None:
        """Start afresh at the state y of the tree."""
        self._inner.start(t, self._state.from_tree(t, y), step)

    def advance(self, t_stop: float, times: Reals, samples: Reals, max_steps: int) -> Status:
        """Step, and fill rows of `samples` with states of the tree."""
        before = self._inner.filled
        if len(self._rows) != len(times):
            self._rows = np.zeros((len(times), self._state.layout.size))
        try:
            return self._inner.advance(t_stop, times, self._rows, max_steps)
        finally:
            new = slice(before, self._inner.filled)
            samples[new] = self._state.to_tree(times[new], self._rows[new])


def tables_for_derivatives(plan: Plan, method: str) -> np.ndarray:
    """I with functions on complex numbers, for exact derivatives, or an error that names the one that takes none."""
    try:
        return plan.complex_tables()
    except LawNotDifferentiable as e:
        raise ModelError(f"method {method!r} needs exact derivatives, and {e}; or take another method") from e


__all__ = ["Integration", "TreeView", "integration_of", "tables_for_derivatives"]
