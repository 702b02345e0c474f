"""States in which nothing accelerates."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kaneflex.analysis.derivatives import Derivatives
from kaneflex.analysis.linearize import check_contacts, input_values
from kaneflex.analysis.residual import caused, rounding
from kaneflex.analysis.tangent import check_regular, followers, normalise_quaternions, tangent
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import LIMIT, SWEEPS, assemble
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.plan.build import build
from kaneflex.plan.state import State, state_of

Array = np.ndarray


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

    All rates are zero but those that follow motions, which must not accelerate and on which the balance must not depend.
    Newton's method on the accelerations of the independent speeds, by the exact linear model in the independent
    coordinates, with the step halved until the largest acceleration falls, and every step put back on the constraints,
    until nothing is gained. What is left must be less than `tolerance` times the accelerations that gravity (along any
    axis), the loads one by one and the products of rates cause, but for the rounding of the coordinates. Raises when no
    such state is found, with the best residual. Inputs have their values at the time of the guess.
    """
    tolerance = checks.positive(tolerance, "tolerance")
    iterations = checks.whole(iterations, "iterations", least=1)
    plan = build(model)
    dynamics = Dynamics(plan)
    state = state_of(plan, guess, "guess").copy()
    values = input_values(model, inputs, state.t)
    dynamics.set_inputs(values)
    state.rates[:] = 0
    state.given = None if state.given is None else (state.given[0], np.zeros_like(state.given[1]))
    if plan.is_constrained:
        state = assemble(dynamics, state).state
        _check_rest(dynamics, state)
    nq, t = plan.nq, state.t
    x, r = np.concatenate([state.q, state.rates]), dynamics.udot_at(t, state.q, state.rates)
    if not np.all(np.isfinite(r)):
        dynamics.check_regular(t, state.q, state.rates)
    derivatives = Derivatives(dynamics, t)
    left = _Left(dynamics, derivatives, values, x, r)
    for _ in range(iterations):
        if left.ratio == 0:
            break
        way = _newton_step(dynamics, left)
        for scale in 0.5 ** np.arange(12 if left.ratio > tolerance else 1):
            trial = _moved(dynamics, t, left.x, scale * way)
            if trial is None:
                continue
            udot = dynamics.udot_at(t, trial[:nq], trial[nq:])
            if np.all(np.isfinite(udot)) and np.abs(udot).max(initial=0.0) < np.abs(left.r).max():
                break
        else:
            break
        assert trial is not None
        left = _Left(dynamics, derivatives, values, trial, udot)
    if not left.ratio <= tolerance:
        _not_found(dynamics, left)
    state = State(plan.index, t, left.x[:nq], left.x[nq:])
    if plan.is_constrained:
        check_regular(dynamics, t, left.x, left.tangent)
        _check_lasting(dynamics, t, left.x)
    check_contacts(dynamics, state, -1e-9)
    return state


class _Left:
    """The accelerations r that are left at x = (q, u), the linear model there, and how large they are.

    `ratio` is the largest acceleration beyond rounding over those that the forces cause, of the speed `worst`.
    """

    def __init__(self, dynamics: Dynamics, derivatives: Derivatives, inputs: Array, x: Array, r: Array):
        nq = dynamics.plan.nq
        self.x, self.r = x, r
        self.tangent = tangent(dynamics, derivatives, x)
        self.X = self.tangent.X[:, : self.tangent.coordinates]
        directions = np.vstack([self.X, np.zeros((len(inputs), self.X.shape[1]))])
        self.slopes = derivatives.motion(x, inputs, directions)[0][nq:]
        beyond = np.maximum(np.abs(r) - rounding(self.slopes, self.X[:nq], x[:nq]), 0.0)
        forces = caused(dynamics, derivatives.t, x)
        ratios = np.divide(beyond, forces, out=np.where(beyond > 0, np.inf, 0.0), where=forces > 0)
        self.worst = int(np.argmax(ratios)) if len(ratios) else 0
        self.ratio = float(ratios.max(initial=0.0))


def _newton_step(dynamics: Dynamics, left: _Left) -> Array:
    """Change of q that would take the accelerations away, of at most 0.5 in any coordinate."""
    nq = dynamics.plan.nq
    picked = left.tangent.pick[left.tangent.coordinates :, nq:]
    step = np.linalg.lstsq(picked @ left.slopes, -picked @ left.r, rcond=1e-12)[0]
    way = left.X[:nq] @ step
    limit = max(np.abs(step).max(initial=0.0), np.abs(way).max(initial=0.0))
    return way * (0.5 / limit) if limit > 0.5 else way


def _moved(dynamics: Dynamics, t: float, x: Array, way: Array) -> Array | None:
    """x with q moved and put back on the constraints, or None where that fails."""
    plan = dynamics.plan
    y = np.concatenate([x[: plan.nq] + way, x[plan.nq :], [0.0, 0.0]])
    normalise_quaternions(plan, y)
    if plan.is_constrained and dynamics.project(t, y, SWEEPS, LIMIT) < 0:
        return None
    return y[:-2]


def _not_found(dynamics: Dynamics, left: _Left) -> None:
    plan = dynamics.plan
    name, best = plan.index.speeds[left.worst], abs(float(left.r[left.worst]))
    advice = "start nearer, or check that some load holds that coordinate"
    if plan.model.contacts:
        advice += "; contacts hold nothing here: constrain the points that touch"
    raise ModelError(
        f'no equilibrium of "{plan.model.name}" near the guess: an acceleration of {best:.3g} is left in "{name}"; {advice}'
    )


def _check_rest(dynamics: Dynamics, state: State) -> None:
    """Motions must not accelerate, nor move anything else through the constraints."""
    plan = dynamics.plan
    _, speeds = followers(plan)
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
    nq = dynamics.plan.nq
    _, speeds = followers(dynamics.plan)
    fastest = float(np.abs(x[nq:]).max())
    if fastest == 0:
        return
    for angle in (0.1, 0.37, 1.0):
        y = np.append(x, [0.0, 0.0])
        later = t + angle / fastest
        dynamics.follow(later, y)
        q, u = y[:nq], y[nq:-2]
        udot = dynamics.udot_at(later, q, u)
        if np.abs(u - x[nq:]).max() > 1e-9 * fastest or np.abs(udot[speeds]).max() > 1e-9 * fastest**2:
            return  # another motion by then
        values, rates = dynamics.equations(later, q, u)
        lost = max(float(np.abs(part).max(initial=0.0)) for part in (udot, values, rates))
        if lost > 1e-6 * (1 + fastest**2):
            k = int(np.argmax(np.abs(udot)))
            raise ModelError(
                f"there is no lasting equilibrium: the balance at t = {t:g} s is lost as the motion goes on, "
                f'"{dynamics.plan.index.speeds[k]}" accelerates by {udot[k]:.3g} at t = {later:g} s'
            )
