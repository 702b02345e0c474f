"""Steady motions: constant speeds, all accelerations zero, and so they stay as the motion goes on.

A steady spin, a descent at constant speed, a steady turn, a precession: with the speeds u constant the accelerations
u-dot(q, u) vanish at every q that the motion q-dot = W(q) u comes to. It is asked for at the state itself and for its rate,

    u-dot = 0 ,    (d u-dot/dq) W u = 0 ,                                                             (1)

by Newton's method, and looked at along the motion afterwards.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kaneflex.analysis.balance import Balance, Extra, Left, newton
from kaneflex.analysis.linearize import check_contacts, input_values
from kaneflex.analysis.residual import caused
from kaneflex.analysis.tangent import check_regular, followers, normalise_quaternions
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import LIMIT, SWEEPS, assemble
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.plan.build import build
from kaneflex.plan.state import State, state_of

Array = np.ndarray
STEP = 1e-6  # of a state, where the second of (1) is differentiated by differences
ANGLE = 1.0  # rad or m: how far the motion is followed to see that it lasts
LOOKS = 20  # at how many places on the way
LASTS = 1e-6  # of the accelerations that the forces cause: what may come up on the way


@typed
def steady_motion(
    model: Model,
    moving: Mapping[str, float | None],
    guess: Mapping[str, Any] | State | None = None,
    *,
    inputs: Mapping[str, Any] | None = None,
    tolerance: float = 1e-10,
    iterations: int = 100,
) -> State:
    """A state of steady motion near a guess (a State, or values by name; None for the initial state).

    Args:
        model: the system.
        moving: the rates that are not zero, by name ("hub.rate", "car.vx"): a number that the rate shall have, in rad/s or
            m/s, or None where it is to be found, beginning at that of the guess: constraints or the balance decide on it.
            All other rates are zero, but for those of given motions.
        guess: coordinates to begin at.
        inputs: as for `simulate`, at the time of the guess.
        tolerance: as for `equilibrium`.
        iterations: most Newton steps.

    Where several motions are steady, the one that Newton's method comes to with the least steps is given. Raises where none
    is found, or where what was found does not last.
    """
    tolerance = checks.positive(tolerance, "tolerance")
    iterations = checks.whole(iterations, "iterations", least=1)
    plan = build(model)
    dynamics = Dynamics(plan)
    state = state_of(plan, guess, "guess").copy()
    free, fixed = _wanted(plan.index.rates, moving)
    for k, value in fixed.items():
        state.rates[k] = value
    values = input_values(model, inputs, state.t)
    dynamics.set_inputs(values)
    if plan.is_constrained:
        state.given = None  # a guess need not agree with itself
        state = assemble(dynamics, state).state
    dynamics.set_states(state.z)
    x = np.concatenate([state.q, state.rates, state.z])
    dynamics.check_regular(state.t, state.q, state.rates)
    driven = followers(plan)[1]
    wanted = {k: fixed.get(k, 0.0) for k in range(plan.nu) if k not in free and k not in driven}
    problem = Balance(dynamics, state.t, values, moving=True)
    problem.extra = _equations(problem, wanted, x)
    left = newton(problem, x, tolerance, iterations)
    if not left.ratio <= tolerance:
        _not_found(dynamics, left, wanted)
    layout = plan.layout
    found = State(plan.index, state.t, left.x[layout.q], left.x[layout.u], z=left.x[layout.z])
    dynamics.set_states(found.z)
    if plan.is_constrained:
        check_regular(dynamics, state.t, left.x, left.tangent)
    check_contacts(dynamics, found, -1e-9)
    _check_lasting(problem, left)
    return found


def _wanted(rates: list[str], moving: Mapping[str, float | None]) -> tuple[list[int], dict[int, float]]:
    """Numbers of the rates that are to be found, and values of those that are given."""
    if not moving:
        raise ModelError('no rate is moving: name some, e.g. moving={"hub.rate": 6.0}, or take equilibrium()')
    free, fixed = [], {}
    for name, value in moving.items():
        body = name.removesuffix(".rate")
        full = [r for r in rates if r == name or (name.endswith(".rate") and r.startswith(f"{body}.") and r.count(".") > 1)]
        if name not in rates and len(full) != 1:
            checks.known(name, rates, "moving: rate")
        k = rates.index(full[0])
        if value is None:
            free.append(k)
        else:
            fixed[k] = checks.number(value, f'moving: "{name}"')
    return free, fixed


def _equations(problem: Balance, rates: Mapping[int, float], x0: Array) -> Extra:
    """The second of (1) and the rates that are asked for, in parts of what forces cause and of the fastest rate at x0."""
    dynamics, layout = problem.dynamics, problem.dynamics.layout
    numbers, wanted = list(rates), np.array(list(rates.values()))
    fastest = max(float(np.abs(x0[layout.u]).max(initial=0.0)), 1e-3)
    strongest = max(float(caused(dynamics, problem.t, x0).max(initial=0.0)), fastest**2)

    def change(x: Array) -> Array:
        """Rate of u-dot as the motion goes on with its speeds constant."""
        direction = np.zeros((len(x) + len(problem.inputs), 1))
        direction[layout.q, 0] = dynamics.derivative(problem.t, layout.with_works(x))[layout.q]
        return problem.derivatives.motion(x, problem.inputs, direction)[0][layout.u, 0]

    def values(x: Array) -> Array:
        return np.append(change(x) / (strongest * fastest), (x[layout.u][numbers] - wanted) / fastest)

    def slopes(x: Array, X: Array) -> Array:
        columns = []
        for d in X.T:
            h = STEP * max(1.0, float(np.abs(x).max())) / max(float(np.abs(d).max()), 1e-300)
            columns.append((values(x + h * d) - values(x - h * d)) / (2 * h))
        return np.array(columns).T

    return Extra(values, slopes)


def _not_found(dynamics: Dynamics, left: Left, wanted: Mapping[int, float]) -> None:
    plan = dynamics.plan
    name = [*plan.index.speeds, *plan.index.states][left.worst]
    u, more = left.x[plan.layout.u], ""
    k = max(wanted, key=lambda k: abs(u[k] - wanted[k]), default=None)
    if k is not None and abs(u[k] - wanted[k]) > 1e-6 * (1 + np.abs(u).max()):
        more = f', and "{plan.index.rates[k]}" is {u[k]:.3g} where it should be {wanted[k]:.3g}'
    raise ModelError(
        f'no steady motion of "{plan.model.name}" near the guess: an acceleration of {abs(float(left.r[left.worst])):.3g} '
        f'is left in "{name}"{more}; start nearer, or let more rates be moving, with None where the motion decides on them'
    )


def _check_lasting(problem: Balance, left: Left) -> None:
    """The accelerations must stay zero as the motion goes on with its speeds constant."""
    dynamics, layout = problem.dynamics, problem.dynamics.layout
    y = layout.with_works(left.x)
    fastest = float(np.abs(y[layout.u]).max(initial=0.0))
    if fastest == 0:
        return
    h, t = ANGLE / (fastest * LOOKS), problem.t
    for _ in range(LOOKS):  # midpoint rule in the coordinates
        half = y.copy()
        half[layout.q] += h / 2 * dynamics.derivative(t, y)[layout.q]
        normalise_quaternions(dynamics.plan, half)
        y[layout.q] += h * dynamics.derivative(t + h / 2, half)[layout.q]
        normalise_quaternions(dynamics.plan, y)
        t += h
        if dynamics.plan.is_constrained:
            speeds = y[layout.u].copy()
            dynamics.project(t, y, SWEEPS, LIMIT)
            y[layout.u] = speeds
        udot = dynamics.derivative(t, y)[layout.u]
        lost = np.abs(udot) - LASTS * left.forces[: len(udot)]
        k = int(np.argmax(lost))
        if lost[k] > LASTS * fastest**2:
            raise ModelError(
                f'the motion found is not steady: "{dynamics.plan.index.speeds[k]}" accelerates by {udot[k]:.3g} after '
                f"{t - problem.t:.3g} s; its speeds are constant at an instant only (of a Free joint they are in the axes "
                "of the body, of other joints relative to the parent)"
            )
