"""States in which nothing accelerates and no state of a block changes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kaneflex.analysis.balance import Balance, Left, newton
from kaneflex.analysis.continuation import continued
from kaneflex.analysis.force_balance import ForceBalance, ForcesLeft, fits
from kaneflex.analysis.linearize import check_contacts
from kaneflex.analysis.relaxation import relaxed
from kaneflex.analysis.tangent import check_regular
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import assemble, redundant_equations
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.inputs import input_values
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.plan.build import build
from kaneflex.plan.state import State, state_of

Array = np.ndarray
ROUNDED = 1e-7  # of the forces: less may be what the rounding of places leaves in very stiff springs


@typed
def equilibrium(
    model: Model,
    guess: Mapping[str, Any] | State | None = None,
    *,
    inputs: Mapping[str, Any] | None = None,
    tolerance: float = 1e-10,
    iterations: int = 100,
) -> State:
    """A state at rest with zero accelerations, near a guess (a State, or values by name; None for the initial state).
    States of blocks do not change there either.

    All rates are zero but those that follow motions, which must not accelerate and on which the balance must not depend.
    Newton's method on the accelerations of the independent speeds, by the exact linear model in the independent
    coordinates, with the step halved until the largest acceleration falls, and every step put back on the constraints,
    until nothing is gained; where that fails, the loads are applied by degrees, along the path of equilibria that begins at
    the guess, see `continuation`. What is left must be less than `tolerance` times the accelerations that gravity (along any
    axis), the loads one by one and the products of rates cause, but for the rounding of the coordinates. Raises when no
    such state is found, with the best residual. Inputs have their values at the time of the guess.
    """
    tolerance = checks.positive(tolerance, "tolerance")
    iterations = checks.whole(iterations, "iterations", least=1)
    plan = build(model)
    dynamics = Dynamics(plan)
    state = state_of(plan, guess, "guess").copy()
    values = input_values(model.inputs, inputs, state.t)
    dynamics.set_inputs(values)
    state.rates[:] = 0
    state.given = None if state.given is None else (state.given[0], np.zeros_like(state.given[1]))
    if plan.is_constrained:
        state = assemble(dynamics, state).state
        _check_rest(dynamics, state)
    layout, t = plan.layout, state.t
    dynamics.set_states(state.z)
    x = np.concatenate([state.q, state.rates, state.z])
    r = dynamics.derivative(t, layout.with_works(x))[layout.q.stop : layout.states]
    if not np.all(np.isfinite(r[: plan.nu])):
        dynamics.check_regular(t, state.q, state.rates)
    if not np.all(np.isfinite(r)):
        k = int(np.argmin(np.isfinite(r))) - plan.nu
        raise ModelError(f'the rate of "{plan.index.states[k]}" is not finite at the guess: give another one')
    problem = ForceBalance(dynamics, t, values) if fits(dynamics, t, x, values) else Balance(dynamics, t, values)
    x = problem.started(x)
    near = relaxed(problem, x) if isinstance(problem, ForceBalance) else None
    left = newton(problem, x if near is None else near, tolerance, iterations)
    reached = 1.0
    # beside an equilibrium that it relaxed to, a path from the guess may only lead to another, where cables are pushed
    if not left.ratio <= tolerance and near is None:
        found, reached = continued(problem, x)
        if reached == 1:
            left = newton(problem, found, tolerance, iterations)
    if not left.ratio <= tolerance:
        _not_found(dynamics, t, left, reached)
    state = State(plan.index, t, left.x[layout.q], left.x[layout.u], z=left.x[layout.z])
    dynamics.set_states(state.z)
    if plan.is_constrained:
        if isinstance(left, Left):
            check_regular(dynamics, t, left.x, left.tangent)
        _check_lasting(dynamics, t, left.x[: layout.states])
    check_contacts(dynamics, state, -1e-9)
    return state


def _not_found(dynamics: Dynamics, t: float, left: Left | ForcesLeft, reached: float) -> None:
    plan = dynamics.plan
    equations = [f"{name}[{k}]" for name, k in plan.equations]
    name, best = [*plan.index.speeds, *plan.index.states, *equations][left.worst], abs(float(left.r[left.worst]))
    advice = "start nearer, or check that some load holds that coordinate"
    if left.ratio < ROUNDED:
        enough = 10 ** np.ceil(np.log10(left.ratio))
        advice = f"all but the rounding of places in stiff springs is balanced: give tolerance={enough:.0e}"
    if plan.model.contacts:
        advice += "; contacts hold nothing here: constrain the points that touch"
    redundant = redundant_equations(dynamics, t, left.x[plan.layout.q], np.zeros(plan.nu))
    if redundant:
        advice += (
            f"; {', '.join(redundant)} say there what other equations say: if only there, as where a line without stretch "
            "is straight between two points, the position is singular, and the equilibrium, if there is one, elsewhere"
        )
    what = "a rate" if plan.nu <= left.worst < plan.nu + len(plan.index.states) else "an acceleration"
    what = "a force" if isinstance(left, ForcesLeft) else what
    what = "an error" if left.worst >= plan.nu + len(plan.index.states) else what
    where = f'no equilibrium of "{plan.model.name}" near the guess'
    if reached < 1:
        where += f" (with the loads applied by degrees, at {max(reached, 0.0):.0%} of them at the most)"
    raise ModelError(f'{where}: {what} of {best:.3g} is left in "{name}"; {advice}')


def _check_rest(dynamics: Dynamics, state: State) -> None:
    """Motions must not accelerate, nor move anything else through the constraints."""
    plan = dynamics.plan
    _, speeds = plan.followers
    udot = dynamics.udot_at(state.t, state.q, state.rates)
    for k in range(plan.nu):
        if k in speeds and abs(udot[k]) > 1e-12:
            raise ModelError(
                f'there is no equilibrium at t = {state.t:g} s: the motion of "{plan.index.speeds[k]}" accelerates by '
                f"{udot[k]:.3g}; choose a time at which it does not, by the guess"
            )
        if k not in speeds and abs(state.rates[k]) > 1e-12 * (1 + np.abs(state.rates).max()):
            raise ModelError(
                f"there is no equilibrium at t = {state.t:g} s: motions or constraints that depend on time move "
                f'"{plan.index.speeds[k]}" at {state.rates[k]:.3g}'
            )


def _check_lasting(dynamics: Dynamics, t: float, x: Array) -> None:
    """Where motions go on at a constant rate, the balance must not depend on where they are."""
    layout = dynamics.layout
    _, speeds = dynamics.plan.followers
    fastest = float(np.abs(x[layout.u]).max())
    if fastest == 0:
        return
    for angle in (0.1, 0.37, 1.0):
        y = layout.with_works(x)
        later = t + angle / fastest
        dynamics.follow(later, y)
        q, u, _ = layout.split(y)
        udot = dynamics.udot_at(later, q, u)
        if np.abs(u - x[layout.u]).max() > 1e-9 * fastest or np.abs(udot[speeds]).max() > 1e-9 * fastest**2:
            return  # another motion by then
        values, rates = dynamics.equations(later, q, u)
        lost = max(float(np.abs(part).max(initial=0.0)) for part in (udot, values, rates))
        if lost > 1e-6 * (1 + fastest**2):
            k = int(np.argmax(np.abs(udot)))
            raise ModelError(
                f"there is no lasting equilibrium: the balance at t = {t:g} s is lost as the motion goes on, "
                f'"{dynamics.plan.index.speeds[k]}" accelerates by {udot[k]:.3g} at t = {later:g} s'
            )
