"""Between SymPy's expressions, in which users write, and SymEngine's, in which the work is done.

A function of time such as q(t) becomes the plain symbol q, its derivative the symbol q'; an integral over time becomes a
symbol too, whose rate is the integrand. A function that SymEngine does not have (a curve of a muscle, say) is replaced by
its definition, which is translated once. Unknown functions, f(q(t)), stay what they are, see `unknown_functions`.
Expressions are walked as graphs: a part that occurs often is translated once.
"""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import symengine
import sympy
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef, Derivative
from sympy.physics.vector import dynamicsymbols

from kaneflex.model.checks import ModelError, shown
from kaneflex.symbolic.errors import KindError
from kaneflex.symbolic.unknown_functions import in_sympy, is_unknown, unknown

Expr = Any
ZERO, ONE = symengine.Integer(0), symengine.Integer(1)

_FUNCTIONS: tuple[str, ...] = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh")
_FUNCTIONS += ("acosh", "atanh", "exp", "log", "sign", "erf", "erfc", "Max", "Min")
_CONDITIONS = ("StrictLessThan", "LessThan", "StrictGreaterThan", "GreaterThan", "Equality", "Unequality")
_TO_ENGINE = {getattr(sympy, name): getattr(symengine, name) for name in (*_FUNCTIONS, *_CONDITIONS, "And", "Or", "Not")}
_TO_ENGINE |= {sympy.Abs: symengine.Abs, sympy.UnevaluatedExpr: lambda e: e}
_TO_SYMPY = {name: getattr(sympy, name) for name in _FUNCTIONS} | {"Abs": sympy.Abs}  # by the names of SymEngine's types
_ELEMENTARY = tuple(getattr(sympy, name) for name in (*_FUNCTIONS, "Abs", "Piecewise"))
#: What a function that SymEngine or exported code does not have may be rewritten in; the shortest form is taken.
_REWRITTEN = tuple(getattr(sympy, name) for name in (*_FUNCTIONS[:6], *_FUNCTIONS[7:10], "log", "exp", "Piecewise"))


class Symbols:
    """Pairs of SymPy atoms and SymEngine symbols, and translation of expressions between the two."""

    def __init__(self) -> None:
        self.time = dynamicsymbols._t
        self._engine: dict[tuple[Any, int], Expr] = {}  # by SymPy's atom and the order of its time derivative
        self._atoms: dict[Expr, tuple[Any, int]] = {}
        self._taken: set[str] = set()
        self._definitions: dict[tuple[Any, int], tuple[list[Expr], Expr]] = {}  # of functions that SymEngine does not have
        self._seen: dict[Any, Expr] = {}
        self._shown: dict[Expr, Any] = {}

    def symbol(self, atom: Any) -> Expr:
        """The SymEngine symbol of a SymPy symbol, function of time, or derivative of one."""
        if isinstance(atom, Derivative):
            return self._symbol(atom.expr, sum(int(count) for _, count in atom.variable_count))
        return self._symbol(atom, 0)

    def _symbol(self, atom: Any, order: int) -> Expr:
        key = (atom, order)
        found = self._engine.get(key)
        if found is None:
            if order:
                name = str(self._symbol(atom, 0)) + "'" * order
            else:
                name = str(atom.func) if isinstance(atom, AppliedUndef) else str(atom)
            found = symengine.Symbol(self._new(name))
            self._engine[key], self._atoms[found] = found, key
        return found

    def _new(self, name: str) -> str:
        """The name, or one like it that is not taken yet."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def rate(self, symbol: Expr) -> Expr:
        """The symbol of the time derivative of a symbol; zero for one that does not depend on time."""
        atom, order = self._atoms.get(symbol, (None, 0))
        if isinstance(atom, AppliedUndef):
            return self._symbol(atom, order + 1)
        if isinstance(atom, sympy.Integral):
            return self._walk(atom.diff(self.time))
        return ONE if atom == self.time else ZERO

    def is_dynamic(self, symbol: Expr) -> bool:
        """Whether a symbol stands for a function of time, a derivative or an integral of one."""
        return isinstance(self._atoms.get(symbol, (None, 0))[0], AppliedUndef | sympy.Integral)

    def atom(self, symbol: Expr) -> Any:
        """What a symbol stands for in SymPy; None for one that is not known."""
        atom, order = self._atoms.get(symbol, (None, 0))
        return atom.diff(self.time, order) if order else atom

    def engine(self, expression: Any) -> Expr:
        """A SymPy expression (or a number) as a SymEngine one."""
        if isinstance(expression, symengine.Basic):
            return expression
        if isinstance(expression, str) and re.fullmatch(r"\w+", expression) and len(expression) < 1000:
            return self._walk(sympy.Symbol(expression))
        plain = isinstance(expression, int | float | np.number) and not isinstance(expression, bool)
        if not plain and not isinstance(expression, sympy.Basic):
            raise ModelError(f"{shown(expression)} is no expression: give one of SymPy, a number, or the name of a symbol")
        return self._walk(sympy.sympify(expression))

    def _walk(self, e: Any) -> Expr:
        found = self._seen.get(e)
        if found is not None:
            return found
        if e.is_Add:
            result = symengine.Add(*[self._walk(a) for a in e.args])
        elif e.is_Mul:
            result = symengine.Mul(*[self._walk(a) for a in e.args])
        elif e.is_Pow:
            result = self._walk(e.base) ** self._walk(e.exp)
        elif e.is_Symbol or self._is_function(e) or (isinstance(e, Derivative) and self._is_function(e.expr)):
            result = self.symbol(e)
        elif e.is_Number or e.is_NumberSymbol:
            result = symengine.sympify(e)
        elif e.func in _TO_ENGINE:
            result = _TO_ENGINE[e.func](*[self._walk(a) for a in e.args])
        elif isinstance(e, sympy.Piecewise):
            result = symengine.Piecewise(*[(self._walk(value), self._walk(condition)) for value, condition in e.args])
        elif isinstance(e, ExprWithLimits):
            result = self._with_limits(e)
        elif isinstance(e, Derivative | sympy.Subs):
            result = self._derivative(e)
        elif isinstance(e, sympy.Function):
            result = _with(*self._definition(e.func, len(e.args)), [self._walk(a) for a in e.args])
        else:
            result = self._by_itself(e)
        self._seen[e] = result
        return result

    def _is_function(self, e: Any) -> bool:
        return isinstance(e, AppliedUndef) and e.args == (self.time,)

    # -- what SymEngine does not have --------------------------------------------------------------------------------------

    def _with_limits(self, e: Any) -> Expr:
        """An integral or sum: a function of time by itself where it runs over time, else of what is free in it."""
        bound = {limits[0] for limits in e.limits}
        plain = {f: sympy.Dummy() for f in e.atoms(AppliedUndef) if self._is_function(f)}
        if self.time in bound.union(*(x.xreplace(plain).free_symbols for limits in e.limits for x in limits[1:])):
            return self._symbol(e, 0)
        free = [*sorted(plain, key=str), *sorted(e.xreplace(plain).free_symbols - set(plain.values()), key=str)]
        function = unknown(self._new(str(e)), lambda *new: e.xreplace(dict(zip(free, new, strict=True))), len(free))
        return _with(*function, [self._walk(a) for a in free])

    def _derivative(self, e: Any) -> Expr:
        """A derivative of an unknown function by what it depends on, at a point or not."""
        if isinstance(e, sympy.Subs):
            at = {self._walk(v): self._walk(p) for v, p in zip(e.variables, e.point, strict=True)}
            return self._walk(e.expr).xreplace(at)
        formed = e.doit() if self.time in e.variables else e
        if formed != e:
            return self._walk(formed)
        result = self._walk(e.expr)
        for variable in e.variables:
            result = result.diff(self._walk(variable))
        return result

    def _definition(self, function: Any, count: int) -> tuple[list[Expr], Expr]:
        """Symbols for the arguments of a function; in these its definition, or what it can be rewritten in, or itself."""
        found = self._definitions.get((function, count))
        if found is None:
            inside = sympy.symbols(f"x:{count}", cls=sympy.Dummy)
            shell = function(*inside)
            forms = {shell.doit(deep=False), *(shell.rewrite(other) for other in _REWRITTEN)}
            known = [e for e in forms if all(isinstance(f, _ELEMENTARY) for f in e.atoms(sympy.Function))]
            known = [e for e in known if not e.has(sympy.I)]
            if known:
                found = [self._walk(s) for s in inside], self._walk(min(known, key=sympy.count_ops))
            else:
                found = unknown(self._new(str(function)), function, count)
            self._definitions[function, count] = found
        return found

    def _by_itself(self, e: Any) -> Expr:
        """Whatever SymEngine can take by itself, once functions of time are plain symbols."""
        atoms = {a: self._walk(a) for a in e.atoms(AppliedUndef, Derivative, sympy.Symbol)}
        words = f"{e} cannot be worked with: write it with elementary functions of time"
        if not all(s.is_Symbol for s in atoms.values()):
            raise ModelError(words)
        try:
            return symengine.sympify(e.xreplace({a: sympy.Symbol(str(s)) for a, s in atoms.items()}))
        except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
            raise ModelError(f"{words} ({error})") from error

    def sympy(self, expression: Expr) -> Any:
        """A SymEngine expression as a SymPy one, with functions of time and derivatives."""
        found = self._shown.get(expression)
        if found is not None:
            return found
        if expression in self._atoms:
            result = self.atom(expression)
        elif not expression.args:
            result = expression._sympy_()
        else:
            arguments = [self.sympy(a) for a in expression.args]
            if expression.is_Add:
                result = sympy.Add(*arguments)
            elif expression.is_Mul:
                result = sympy.Mul(*arguments)
            elif expression.is_Pow:
                result = sympy.Pow(*arguments)
            elif type(expression).__name__ in _TO_SYMPY:
                result = _TO_SYMPY[type(expression).__name__](*arguments)
            elif is_unknown(expression):
                result = in_sympy(expression, arguments)
            else:
                known = {sympy.Symbol(str(s)): self.atom(s) for s in expression.free_symbols}
                result = sympy.sympify(expression).xreplace(known)
        self._shown[expression] = result
        return result

    def matrix(self, rows: Iterable[Iterable[Expr]], width: int | None = None) -> Any:
        """Rows of SymEngine expressions as a SymPy Matrix; `width` tells the number of columns of one without rows."""
        table = [[self.sympy(e) for e in row] for row in rows]
        if not table or not table[0]:
            return sympy.zeros(len(table), width or 0) if width else sympy.Matrix()
        return sympy.Matrix(table)


def _with(inside: list[Expr], definition: Expr, arguments: list[Expr]) -> Expr:
    """A function's definition with arguments in the place of its symbols."""
    return definition.xreplace(dict(zip(inside, arguments, strict=True)))


def as_list(given: Any) -> list[Any]:
    """A list, matrix or None as a list."""
    if given is None:
        return []
    if isinstance(given, sympy.MatrixBase | list | tuple) or hasattr(given, "__iter__"):
        return list(given)
    raise KindError(f"{given!r} is not a list")
