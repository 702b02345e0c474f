"""States in which nothing accelerates."""

import numpy as np

from kaneflex.analysis.derivatives import Derivatives
from kaneflex.analysis.linearize import check_contacts, input_values
from kaneflex.analysis.tangent import check_regular, followers, normalise_quaternions, tangent
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.state import State, check_state, initial_state
from kaneflex.simulate.assembly import LIMIT, SWEEPS, assemble

Array = np.ndarray


def equilibrium(
    model: Model,
    guess: State | None = None,
    *,
    inputs: dict[str, float] | None = None,
    tolerance: float = 1e-10,
    iterations: int = 100,
) -> State:
    """A state at rest with zero accelerations, near a guess (the initial state when None).

    All rates are zero but those that follow motions, which must not accelerate and on which the balance must not depend.
    Newton's method on the accelerations of the independent speeds, by the exact linear model in the independent
    coordinates, with the step halved until the largest acceleration falls, and every step put back on the constraints.
    Raises when none is found, with the best residual.
    """
    plan = build(model)
    dynamics = Dynamics(plan)
    values = input_values(model, inputs)
    dynamics.set_inputs(values)
    if guess is not None:
        check_state(plan, guess, "the guess")
    state = initial_state(plan) if guess is None else guess.copy()
    state.rates[:] = 0
    state.given = None if state.given is None else (state.given[0], np.zeros_like(state.given[1]))
    if plan.held:
        state = assemble(dynamics, state).state
        _check_rest(dynamics, state)
    nq, t = plan.nq, state.t
    x, r = np.concatenate([state.q, state.rates]), dynamics.udot_at(t, state.q, state.rates)
    if not np.all(np.isfinite(r)):
        dynamics.check_regular(t, state.q, state.rates)
    best = float(np.abs(r).max())
    derivatives = None
    for _ in range(iterations):
        if best <= tolerance:
            break
        derivatives = Derivatives(dynamics, t) if derivatives is None else derivatives
        way = _newton_step(dynamics, derivatives, x, values, r)
        for scale in 0.5 ** np.arange(12):
            trial = _moved(dynamics, t, x, scale * way)
            if trial is None:
                continue
            udot = dynamics.udot_at(t, trial[:nq], trial[nq:])
            if np.all(np.isfinite(udot)) and np.abs(udot).max() < best:
                break
        else:
            break
        assert trial is not None
        x, r, best = trial, udot, float(np.abs(udot).max())
    if best > tolerance:
        _not_found(dynamics, r, best)
    state = State(plan.index, t, x[:nq], x[nq:])
    if plan.held:
        derivatives = Derivatives(dynamics, t) if derivatives is None else derivatives
        check_regular(dynamics, t, x, tangent(dynamics, derivatives, x))
        _check_lasting(dynamics, t, x)
    check_contacts(dynamics, state, -1e-9)
    return state


def _newton_step(dynamics: Dynamics, derivatives: Derivatives, x: Array, inputs: Array, r: Array) -> Array:
    """Change of q that would take the accelerations r away, of at most 0.5 in any coordinate."""
    nq = dynamics.plan.nq
    found = tangent(dynamics, derivatives, x)
    n = found.coordinates
    X = found.X[:, :n]
    f, _ = derivatives.motion(x, inputs, np.vstack([X, np.zeros((len(inputs), n))]))
    picked = found.pick[n:, nq:]
    step = np.linalg.lstsq(picked @ f[nq:], -picked @ r, rcond=1e-12)[0]
    way = X[:nq] @ step
    limit = max(np.abs(step).max(initial=0.0), np.abs(way).max(initial=0.0))
    return way * (0.5 / limit) if limit > 0.5 else way


def _moved(dynamics: Dynamics, t: float, x: Array, way: Array) -> Array | None:
    """x with q moved and put back on the constraints, or None where that fails."""
    plan = dynamics.plan
    y = np.concatenate([x[: plan.nq] + way, x[plan.nq :], [0.0, 0.0]])
    normalise_quaternions(plan, y)
    if plan.held and dynamics.project(t, y, SWEEPS, LIMIT) < 0:
        return None
    return y[:-2]


def _not_found(dynamics: Dynamics, r: Array, best: float) -> None:
    plan = dynamics.plan
    name = plan.index.speeds[int(np.argmax(np.abs(r)))]
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
