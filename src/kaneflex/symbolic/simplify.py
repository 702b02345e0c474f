"""Trigonometric polynomials brought to one form, so that equal ones look equal and short ones stay short.

Products of sines and cosines become sums of sines and cosines of sums of angles, which is unique: sin^2 + cos^2 is 1, and
cos q1 cos q2 - sin q1 sin q2 is cos(q1 + q2). The shorter of that and of the expanded form with sin^2 = 1 - cos^2 is taken.
"""

from collections.abc import Iterable
from typing import Any

import symengine

from kaneflex.symbolic.calculus import Probe, total
from kaneflex.symbolic.program import Program
from kaneflex.symbolic.translate import ONE, ZERO

Expr = Any
HALF = symengine.Rational(1, 2)
Angle = tuple[tuple[Expr, Expr], ...]  # (symbol or product, factor) pairs, sorted


def operations(e: Expr) -> int:
    """Number of operations that an expression takes, common parts counted once."""
    symbols = sorted(e.free_symbols, key=str)
    return Program(symbols, [e]).counts()["total"]


def simplified(e: Expr, limit: int = 20_000) -> Expr:
    """A shorter form of an expression, or the expression itself.

    Args:
        e: the expression.
        limit: terms of the expanded form beyond which it is left alone.
    """
    if not e.args:
        return e
    expanded = symengine.expand(e)
    if len(expanded.args) > limit:
        return e
    candidates = [e, expanded]
    reduced = _harmonic(expanded)
    if reduced is not None:
        candidates += [reduced, _collected(reduced)]
    squares = _without_squares(expanded)
    candidates += [squares, _collected(squares)]
    probe = Probe(11)
    wanted = probe(e)
    kept = [c for c in candidates if abs(probe(c) - wanted) <= 1e-9 * max(1.0, abs(wanted))]
    return min(kept, key=lambda c: (operations(c), len(str(c))))


def _terms(e: Expr) -> list[Expr]:
    return list(e.args) if e.is_Add else [e]


def _factors(e: Expr) -> list[Expr]:
    return list(e.args) if e.is_Mul else [e]


def _is_trig(e: Expr) -> bool:
    return isinstance(e, symengine.sin | symengine.cos)


# -- sums of angles ----------------------------------------------------------------------------------------------------


def _harmonic(e: Expr) -> Expr | None:
    """The sum over harmonics; None where sines stand in denominators or in other functions."""
    found: dict[tuple[str, Angle], list[Expr]] = {}
    for term in _terms(e):
        rest: list[Expr] = []
        waves: dict[tuple[str, Angle], Expr] = {("cos", ()): ONE}
        for factor in _factors(term):
            base, n = (factor.args[0], factor.args[1]) if factor.is_Pow else (factor, ONE)
            if _is_trig(base) and n.is_Integer and n > 0:
                for _ in range(int(n)):
                    waves = _times(waves, base)
                    if len(waves) > 500:
                        return None
            else:
                rest.append(factor)
        weight = symengine.Mul(*rest) if rest else ONE
        for key, c in waves.items():
            found.setdefault(key, []).append(c * weight)
    terms = []
    for (kind, angle), weights in found.items():
        weight = symengine.expand(total(weights))
        if weight == 0 or (kind == "sin" and not angle):
            continue
        whole = total([s * k for s, k in angle])
        terms.append(weight if not angle else weight * (symengine.cos(whole) if kind == "cos" else symengine.sin(whole)))
    return symengine.expand(total(terms)) if terms else ZERO


def _angle(e: Expr) -> dict[Expr, Expr]:
    parts: dict[Expr, Expr] = {}
    for term in _terms(symengine.expand(e)):
        number, rest = ONE, []
        for f in _factors(term):
            if f.is_Number:
                number = number * f
            else:
                rest.append(f)
        key = symengine.Mul(*rest) if rest else ONE
        parts[key] = parts.get(key, ZERO) + number
    return parts


def _times(waves: dict[tuple[str, Angle], Expr], factor: Expr) -> dict[tuple[str, Angle], Expr]:
    """Products to sums: cos a cos b = (cos(a - b) + cos(a + b))/2 and so on."""
    b = _angle(factor.args[0])
    cosine = isinstance(factor, symengine.cos)
    result: dict[tuple[str, Angle], Expr] = {}
    for (kind, angle), c in waves.items():
        a = dict(angle)
        for sign in (1, -1):
            whole = dict(a)
            for s, k in b.items():
                whole[s] = whole.get(s, ZERO) + sign * k
            if kind == "cos":
                new, weight = ("cos", HALF) if cosine else ("sin", HALF * sign)
            else:
                new, weight = ("sin", HALF) if cosine else ("cos", -HALF * sign)
            flip, key = _sorted(whole)
            if new == "sin":
                weight = weight * flip
            result[(new, key)] = result.get((new, key), ZERO) + weight * c
    return {k: c for k, c in result.items() if c != 0}


def _sorted(parts: dict[Expr, Expr]) -> tuple[int, Angle]:
    """The angle with its first factor positive, and -1 where the sign was turned for that."""
    pairs = sorted(((s, k) for s, k in parts.items() if k != 0), key=lambda p: str(p[0]))
    if pairs and _turned(pairs):
        return -1, tuple((s, -k) for s, k in pairs)
    return 1, tuple(pairs)


def _turned(pairs: list[tuple[Expr, Expr]]) -> bool:
    """Positive factors should prevail; where they balance, the last one should be positive, as in q3 - q2."""
    sign = sum(1 if float(k) > 0 else -1 for _, k in pairs)
    return sign < 0 or (sign == 0 and float(pairs[-1][1]) < 0)


# -- squares -----------------------------------------------------------------------------------------------------------


def _without_squares(e: Expr) -> Expr:
    """Expanded, with even powers of sines replaced by cosines."""
    terms = []
    for term in _terms(e):
        factors = []
        for f in _factors(term):
            if f.is_Pow and isinstance(f.args[0], symengine.sin) and f.args[1].is_Integer and f.args[1] > 1:
                n, angle = int(f.args[1]), f.args[0].args[0]
                factors.append((1 - symengine.cos(angle) ** 2) ** (n // 2) * symengine.sin(angle) ** (n % 2))
            else:
                factors.append(f)
        terms.append(symengine.Mul(*factors))
    return symengine.expand(total(terms))


def _collected(e: Expr) -> Expr:
    """The factors that all terms share, taken out; else terms with the same function gathered."""
    terms = _terms(e)
    if len(terms) < 2:
        return e
    common = None
    for term in terms:
        here = {f: None for f in _factors(term) if not f.is_Number}
        common = here if common is None else {f: None for f in common if f in here}
    shared = [f for f in common or {} if not f.is_Number]
    if shared:
        divisor = symengine.Mul(*shared)
        return divisor * _collected(total([_divided(t, shared) for t in terms]))
    groups: dict[Expr, list[Expr]] = {}
    for term in terms:
        waves = [f for f in _factors(term) if _is_trig(f)]
        groups.setdefault(symengine.Mul(*waves) if waves else ONE, []).append(term)
    if len(groups) == len(terms) or len(groups) == 1:
        return e
    parts = []
    for wave, members in groups.items():
        if wave == 1 or len(members) == 1:
            parts += members
        else:
            parts.append(wave * total([_divided(t, _factors(wave)) for t in members]))
    return total(parts)


def _divided(term: Expr, factors: Iterable[Expr]) -> Expr:
    left = _factors(term)
    for f in factors:
        left.remove(f)
    return symengine.Mul(*left) if left else ONE
