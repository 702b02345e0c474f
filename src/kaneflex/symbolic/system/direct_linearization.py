"""Linearised equations of a system about a state or a reference motion, by `linear_motion` (1) and (2).

Coordinates and speeds that follow motions are not among the variations, which are of what is free.
"""

from collections.abc import Mapping
from typing import Any

import symengine
import sympy

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import assemble
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.inputs import input_values
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.plan import Plan
from kaneflex.plan.state import State, state_of
from kaneflex.symbolic.calculus import Rows, jacobian, replaced, time_derivative
from kaneflex.symbolic.linear_motion import LinearMotion, Terms, linear_terms, motion_of
from kaneflex.symbolic.system.derivation import Equations
from kaneflex.symbolic.system.system_equations import LARGEST_SIMPLIFIED, Derivation
from kaneflex.symbolic.translate import ONE, ZERO, Symbols

Expr = Any


def linearize_system(
    model: Model,
    about: Mapping[Any, Any] | State | None,
    premature: bool,
    whole: bool,
    simplify: bool | None,
    *,
    axes: str = "inertial",
    inputs: Mapping[str, Any] | None = None,
    speeds: str = "customary",
    symbols: Mapping[str, Any] | None = None,
) -> LinearMotion:
    """Linearised equations of a system, with the last sum of (1) where `whole`; else as for `linearize_directly`."""
    plan = build(model, "dense", speeds)
    _refuse(plan, premature)
    checks.known(axes, ("inertial", "body", *plan.index.joints), "axes")
    derivation = Derivation(model, speeds, symbols, simplify=False)
    eq = derivation.equations()
    if eq.signals:
        raise ModelError(
            f"{eq.signals[0][0]} does not run on symbols, so that its derivatives are not known: use System.linearize"
        )
    at = _reference(plan, eq, about, inputs)
    driven_q, driven_u = plan.followers
    q = [s for k, s in enumerate(eq.q) if k not in driven_q]
    kept = [r for r in range(plan.nu) if r not in driven_u]
    u, udot = [eq.u[r] for r in kept], [eq.udot[r] for r in kept]
    terms = linear_terms(derivation.bodies.shares(), at, [*udot, *u, *q, *eq.inputs], q, plan.nu)
    if axes != "body":
        terms = _in_axes(terms, linear_terms(derivation.bodies.shares(axes), at, [], q, plan.nu).geometric, 2 * len(u))
    qdot = [e for k, e in enumerate(eq.qdot) if k not in driven_q]
    W, X = ([[replaced(e, at) for e in row] for row in jacobian(qdot, group)] for group in (u, q))
    small = plan.nu <= LARGEST_SIMPLIFIED and not plan.index.modes
    short = small if simplify is None else simplify
    names = {"q": q, "u": u, "r": eq.inputs}
    free_terms = Terms(*([rows[r] for r in kept] for rows in terms))
    return motion_of(free_terms, (W, X), names, Symbols(), whole=whole, simplify=short, values=eq.values)


def _in_axes(terms: Terms, geometric: Rows, first: int) -> Terms:
    """The same sum of `linear_motion` (1), the last part of it being `geometric`; columns of q begin at `first`."""
    linear = []
    for row, own, other in zip(terms.linear, terms.geometric, geometric, strict=True):
        k = first + len(own)
        linear.append([*row[:first], *(x - a + b for x, a, b in zip(row[first:k], own, other, strict=True)), *row[k:]])
    return Terms(linear, geometric, terms.residual)


def _refuse(plan: Plan, premature: bool) -> None:
    """Raise an error that names what is in the system and has no direct linearisation."""
    model = plan.model
    instead = "use System.linearize"
    if plan.equations:
        raise ModelError(f'constraint "{plan.equations[0][0]}" makes speeds dependent, which has no direct form: {instead}')
    if plan.layout.nz:
        block = next(iter(plan.index.blocks))
        raise ModelError(f'block "{block}" has states of its own, which has no direct form: {instead}')
    if model.base is not None:
        raise ModelError(f"the moving base has states that follow from accelerations, which has no direct form: {instead}")
    if plan.speeds == "constant-mass":
        raise ModelError('speeds "constant-mass" are an approximation, which has no partial velocities: give "customary"')
    _, driven = plan.followers
    if driven and plan.speeds != "customary":
        names = ", ".join(f'"{plan.index.speeds[k]}"' for k in driven)
        raise ModelError(f'{names} follow motions, and {plan.speeds} speeds are no rates: give speeds="customary"')
    if premature and plan.index.modes:
        raise ModelError(
            f'the velocities of flexible body "{next(iter(plan.index.modes))}" are linearised prematurely by '
            "Flexible(..., stiffening=False): give premature for rigid bodies only"
        )


def _reference(
    plan: Plan, eq: Equations, about: Mapping[Any, Any] | State | None, inputs: Mapping[str, Any] | None
) -> dict[Expr, Expr]:
    """Values of q, u, u', inputs and, at a state, of time, by symbol."""
    dynamics = Dynamics(plan)
    by_symbol = isinstance(about, Mapping) and any(isinstance(k, symengine.Basic | sympy.Basic) for k in about)
    state = state_of(plan, None if by_symbol else about, "state to linearize about")
    given = input_values(plan.model.inputs, inputs, state.t)
    dynamics.set_inputs(given)
    if plan.is_constrained:
        state = assemble(dynamics, state).state
    u = dynamics.speeds_from_rates(state.q, state.rates)
    at = _numbers([*eq.q, *eq.u, *eq.inputs], [*state.q, *u, *given])
    if by_symbol:
        assert isinstance(about, Mapping)
        return _motion(eq, at, about)
    rates = dynamics.derivative(state.t, plan.layout.join(state.q, u))[plan.layout.u]
    return at | _numbers([*eq.udot, eq.t], [*rates, state.t])


def _numbers(symbols: list[Expr], values: list[Any]) -> dict[Expr, Expr]:
    return {s: symengine.RealDouble(float(x)) if x else ZERO for s, x in zip(symbols, values, strict=True)}


def _motion(eq: Equations, initial: dict[Expr, Expr], about: Mapping[Any, Any]) -> dict[Expr, Expr]:
    """A reference motion that is given by symbols; the rates of the speeds are those of what it says."""
    given = {symengine.sympify(k): symengine.sympify(v) for k, v in about.items()}
    for s in given:
        if s not in initial and s not in eq.udot:
            names = ", ".join(map(str, initial))
            raise ModelError(f"the reference gives a value to {s}, which is no coordinate, speed or input, as {names} are")
    at = initial | given
    for r, (s, rate) in enumerate(zip(eq.u, eq.udot, strict=True)):
        if r in eq.drives:  # its row is u' = F
            at.setdefault(rate, replaced(eq.F[r], at))
        else:
            at.setdefault(rate, time_derivative(at[s], lambda x: ONE if x == eq.t else ZERO))
    return at


__all__ = ["linearize_system"]
