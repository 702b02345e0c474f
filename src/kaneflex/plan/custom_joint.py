"""Custom joints: a user's pose of M in F, differentiated in symbols and made into the two laws that kernels call.

With w = q-dot, R = R_FM and p the origin of M in F, column i is the angular part vee(R^T dR/dq_i) and the linear part
R^T dp/dq_i, both in axes of M. The bias is what is left of the acceleration of M in F when the rates of w are taken
away: angular, sum dS_i/dq_j w_i w_j, for the angular acceleration's components in M are the rates of omega's; linear,
R^T sum d2p/dq_i dq_j w_i w_j.
"""

import hashlib
import linecache
import types
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import symengine
import sympy
from sympy.printing.pycode import PythonCodePrinter

from kaneflex.kernels import compiled_ops
from kaneflex.plan.laws import CompiledFunction, frozen, source_of
from kaneflex.plan.laws.symbols import symbolic_twin

_FUNCTIONS = {
    "sin": compiled_ops.sin,
    "cos": compiled_ops.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "copysign": np.copysign,
    "pi": np.pi,
    "e": np.e,
}
_TRIALS = 12  # places at which the pose is tried


def custom_joint_laws(pose: Callable[..., Any], coordinates: int, *, name: str) -> tuple[CompiledFunction, CompiledFunction]:
    """The laws of a joint whose frame M stands in F as pose(q) says: (R, p), components in M to components in F and
    the origin of M.

    `pose` is run once, on symbols; it may use the functions of numpy, math, SymPy and SymEngine. The first law makes E
    = R^T by rows (9), p (3) and the columns (6 each, angular first) of q; the second the bias (angular 3, linear 3) of
    (q, w).
    """
    q = [symengine.Symbol(f"q__{i}") for i in range(coordinates)]
    w = [symengine.Symbol(f"w__{i}") for i in range(coordinates)]
    R, p = _pose(pose, q, name)
    E = [[R[j][i] for j in range(3)] for i in range(3)]
    angular = [_vee(_product(E, [[r.diff(s) for r in row] for row in R])) for s in q]
    linear = [_turned(E, [x.diff(s) for x in p]) for s in q]
    place = [*E[0], *E[1], *E[2], *p]
    for a, v in zip(angular, linear, strict=True):
        place += [*a, *v]
    turning = [sum(angular[i][k].diff(q[j]) * w[i] * w[j] for i, j in _pairs(coordinates)) for k in range(3)]
    moving = [sum(x.diff(q[i]).diff(q[j]) * w[i] * w[j] for i, j in _pairs(coordinates)) for x in p]
    bias = [*map(_short, turning), *_turned(E, moving)]

    place_function = _function(place, q, name)
    _check(place_function, coordinates, name)
    bias_function = _function(bias, [*q, *w], f"{name}, bias")
    place_function.traced = bias_function.traced = (pose,)
    source = source_of(pose)
    return (
        CompiledFunction(
            place_function, coordinates, len(place), name=name, symbolic=_substitution(place, q), source=source
        ),
        CompiledFunction(
            bias_function,
            2 * coordinates,
            6,
            name=f"{name}, bias",
            symbolic=_substitution(bias, [*q, *w]),
            source=source,
        ),
    )


def _pose(pose: Callable[..., Any], q: list[Any], name: str) -> tuple[list[list[Any]], list[Any]]:
    """What the user's function returns, as SymEngine expressions of q and nothing else."""
    try:
        R, p = symbolic_twin(frozen(pose))(list(q))
        flat = [symengine.sympify(e) for e in (*_flat(R), *_flat(p))]
        count = len(list(_flat(R)))
    except Exception as error:
        raise ValueError(f"{name}: the pose failed on symbols: {type(error).__name__}: {error}") from error
    if count != 9 or len(flat) != 12:
        got = f"{count} and {len(flat) - count} expressions"
        raise ValueError(f"{name}: the pose must return a 3 x 3 matrix R and 3 components p, not {got}")
    strange = set().union(*(e.free_symbols for e in flat)) - set(q)
    if strange:
        raise ValueError(f"{name}: the pose contains {', '.join(sorted(map(str, strange)))}, which have no value")
    return [flat[0:3], flat[3:6], flat[6:9]], flat[9:]


def _flat(value: Any) -> Iterable[Any]:
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _pairs(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(n)]


def _product(A: Any, B: Any) -> list[list[Any]]:
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def _turned(A: Any, v: Any) -> list[Any]:
    return [_short(sum(A[i][k] * v[k] for k in range(3))) for i in range(3)]


def _vee(A: Any) -> list[Any]:
    return [_short(e) for e in (A[2][1], A[0][2], A[1][0])]


def _short(expression: Any) -> Any:
    """The expression, or its expansion with sin^2 + cos^2 = 1 made use of where that is shorter."""
    e = symengine.sympify(expression)
    squares = {f**2: 1 - symengine.cos(f.args[0]) ** 2 for f in e.atoms(symengine.sin)}
    other = e.expand().subs(squares).expand()
    return min(e, other, key=symengine.count_ops)


def _check(function: Callable[..., Any], coordinates: int, name: str) -> None:
    """The pose must be a rotation, and each coordinate must move it."""
    random, tried, moved = np.random.default_rng(7), 0, np.zeros(coordinates, bool)
    for _ in range(_TRIALS):
        q = random.uniform(-1.0, 1.0, coordinates)
        with np.errstate(all="ignore"):
            try:
                values = np.array(function(0.0, q), float)
            except NameError as error:
                raise ValueError(f"{name}: the pose has a function that cannot be computed: {error}") from error
            except (ArithmeticError, ValueError):
                continue
        if not np.all(np.isfinite(values)):
            continue
        tried += 1
        E = values[:9].reshape(3, 3)
        at = "q = " + ", ".join(f"{x:.3g}" for x in q)
        off = np.abs(E @ E.T - np.eye(3)).max()
        if off > 1e-9:
            raise ValueError(f"{name}: R is not a rotation at {at}: R^T R differs from 1 by {off:.2g}")
        if np.linalg.det(E) < 0:
            raise ValueError(f"{name}: R is a reflection, its determinant is -1 at {at}")
        moved |= np.any(values[12:].reshape(coordinates, 6) != 0.0, axis=1)
    if not tried:
        raise ValueError(f"{name}: the pose has no finite value at {_TRIALS} random places with |q| < 1")
    if not np.all(moved):
        still = ", ".join(str(i) for i in np.flatnonzero(~moved))
        raise ValueError(f"{name}: coordinate {still} does not move the joint (they count from 0)")


def _function(expressions: Sequence[Any], symbols: Sequence[Any], name: str) -> Any:
    """law(t, x) that returns the expressions, x being the values of the symbols. Their numbers are in an array that it
    refers to, so that expressions which differ in numbers only are the same code."""
    printer = PythonCodePrinter({"fully_qualified_modules": False})
    expressions, numbers = _numbers_apart(expressions)
    shared, left = symengine.cse(expressions)
    try:
        lines = [f"    {symbol} = x[{k}]" for k, symbol in enumerate(symbols)]
        lines += [f"    c__{k} = c[{k}]" for k in range(len(numbers))]
        lines += [f"    {symbol} = {printer.doprint(sympy.sympify(e))}" for symbol, e in shared]
        entries = [printer.doprint(sympy.sympify(e)) for e in left]
    except Exception as error:
        raise ValueError(f"{name}: the pose has a function that cannot be computed: {error}") from error
    source = "\n".join(["def law(t, x):", *lines, "    return (", *(f"        {e}," for e in entries), "    )", ""])
    try:
        code = _executed(source).__code__
    except SyntaxError as error:
        raise ValueError(f"{name}: the pose has a function that cannot be computed: {error}") from error
    return types.FunctionType(code, _FUNCTIONS | {"c": np.array(numbers, float)}, "law")


def _numbers_apart(expressions: Sequence[Any]) -> tuple[list[Any], list[float]]:
    """The expressions with symbols c__0, c__1, ... for floating-point numbers but exponents, and these numbers.

    They are counted in an order that does not depend on them: of terms and factors by what else is in these.
    """
    texts: dict[Any, str] = {}
    made: dict[Any, Any] = {}
    found: dict[float, Any] = {}

    def text(e: Any) -> str:
        if e not in texts:
            parts = [text(a) for a in e.args]
            texts[e] = "#" if _is_float(e) else f"{type(e).__name__}({','.join(ordered(e, parts))})" if parts else str(e)
        return texts[e]

    def ordered(e: Any, parts: list[str]) -> list[str]:
        return sorted(parts) if e.is_Add or e.is_Mul else parts

    def without(e: Any) -> Any:
        if e in made:
            return made[e]
        if _is_float(e):
            made[e] = found.setdefault(float(e), symengine.Symbol(f"c__{len(found)}"))
        elif not e.args:
            made[e] = e
        else:
            held = e.is_Pow and e.args[1].is_Number
            order = sorted(range(len(e.args)), key=lambda k: text(e.args[k])) if e.is_Add or e.is_Mul else range(len(e.args))
            parts = {k: e.args[k] if held and k == 1 else without(e.args[k]) for k in order}
            made[e] = e.func(*(parts[k] for k in range(len(parts))))
        return made[e]

    return [without(symengine.sympify(e)) for e in expressions], list(found)


def _is_float(e: Any) -> bool:
    return isinstance(e, symengine.RealDouble)


@lru_cache(maxsize=256)
def _executed(source: str) -> Any:
    """The function `law` of a source text, without what it refers to."""
    place = f"<custom joint {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    space: dict[str, Any] = {}
    exec(compile(source, place, "exec"), space)
    return space["law"]


def _substitution(expressions: Sequence[Any], symbols: Sequence[Any]) -> Callable[[Any, Sequence[Any]], list[Any]]:
    """The expressions themselves, with other symbols or numbers put in."""

    def law(t: Any, x: Sequence[Any]) -> list[Any]:
        values = {symbol: symengine.sympify(x[k]) for k, symbol in enumerate(symbols)}
        return [e.subs(values) for e in expressions]

    return law
