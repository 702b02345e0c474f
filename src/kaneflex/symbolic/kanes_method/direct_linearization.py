"""Linearised equations of a KanesMethod about a reference motion, by `linear_motion` (1) and (2)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kaneflex.model.checks import ModelError
from kaneflex.symbolic.calculus import jacobian, replaced, time_derivative
from kaneflex.symbolic.linear_motion import LinearMotion, linear_terms, motion_of
from kaneflex.symbolic.translate import ZERO

if TYPE_CHECKING:
    from kaneflex.symbolic.kanes_method.method import KanesMethod

Expr = Any


def linearize_method(
    method: "KanesMethod", about: Mapping[Any, Any], premature: bool, geometric_stiffness: bool, simplify: bool
) -> LinearMotion:
    """Linearised equations of a method about a reference motion; arguments as for `linearize_directly`."""
    method._need()
    if method._dependent:
        raise ModelError("a system with dependent speeds has no direct linearisation here: use linearize")
    native, symbols = method.native, method.symbols
    at = _reference(method, about)
    inputs = _inputs(method)
    shares = method.mechanics.shares(method.bodylist, method.forcelist, native.udot)
    terms = linear_terms(shares, at, [*native.udot, *native.u, *native.q, *inputs], native.q, len(native.u))
    plain = dict.fromkeys(method._auxiliary, ZERO)
    qdot = [replaced(e, plain) for e in native.qdot]
    W, X = ([[replaced(e, at) for e in row] for row in jacobian(qdot, group)] for group in (native.u, native.q))
    groups = {"q": native.q, "u": native.u, "r": inputs}
    names = {letter: [symbols.atom(s) for s in group] for letter, group in groups.items()}
    whole = not premature or geometric_stiffness
    return motion_of(terms, (W, X), names, symbols, whole=whole, simplify=simplify)


def _inputs(method: "KanesMethod") -> list[Expr]:
    """Functions of time in the equations that are neither coordinates nor speeds, nor their rates."""
    native, symbols = method.native, method.symbols
    own = {*native.q, *native.u, *native.udot, *method._auxiliary, *(symbols.rate(s) for s in native.q)}
    found = {s for e in native.forcing for s in e.free_symbols if symbols.is_dynamic(s)} - own
    return sorted(found, key=str)


def _reference(method: "KanesMethod", about: Mapping[Any, Any]) -> dict[Expr, Expr]:
    """Values of q, u and u' in the reference motion, by symbol."""
    native, symbols = method.native, method.symbols
    given = {symbols.engine(k): symbols.engine(v) for k, v in about.items()}
    known = {*native.q, *native.u, *native.udot}
    for s in given:
        if s.args or not (s in known or symbols.is_dynamic(s)):
            raise ModelError(f"the reference gives a value to {s}, which is no coordinate, speed or input")
    at = {s: given.get(s, ZERO) for s in (*native.q, *native.u)}
    for s, rate in zip(native.u, native.udot, strict=True):
        at[rate] = given.get(rate, time_derivative(at[s], symbols.rate))
    at |= {s: e for s, e in given.items() if s not in at}
    at |= dict.fromkeys(method._auxiliary, ZERO)
    return at


__all__ = ["linearize_method"]
