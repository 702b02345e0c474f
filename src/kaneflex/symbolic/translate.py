"""Between SymPy's expressions, in which users write, and SymEngine's, in which the work is done.

A function of time such as q(t) becomes the plain symbol q, its derivative the symbol q'. Expressions are walked as graphs:
a part that occurs often is translated once.
"""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import symengine
import sympy
from sympy.core.function import AppliedUndef, Derivative
from sympy.physics.vector import dynamicsymbols

from kaneflex.model.checks import ModelError, shown

Expr = Any
ZERO, ONE = symengine.Integer(0), symengine.Integer(1)

_FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sign")
_TO_ENGINE = {getattr(sympy, name): getattr(symengine, name) for name in _FUNCTIONS} | {sympy.Abs: symengine.Abs}
_TO_SYMPY = {name: getattr(sympy, name) for name in _FUNCTIONS} | {"Abs": sympy.Abs}  # by the names of SymEngine's types


class Symbols:
    """Pairs of SymPy atoms and SymEngine symbols, and translation of expressions between the two."""

    def __init__(self) -> None:
        self.time = dynamicsymbols._t
        self._engine: dict[tuple[Any, int], Expr] = {}  # by SymPy's atom and the order of its time derivative
        self._atoms: dict[Expr, tuple[Any, int]] = {}
        self._taken: set[str] = set()
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
            while name in self._taken:
                name += "_"
            found = symengine.Symbol(name)
            self._taken.add(name)
            self._engine[key], self._atoms[found] = found, key
        return found

    def rate(self, symbol: Expr) -> Expr:
        """The symbol of the time derivative of a symbol; zero for one that does not depend on time."""
        atom, order = self._atoms.get(symbol, (None, 0))
        if isinstance(atom, AppliedUndef):
            return self._symbol(atom, order + 1)
        return ONE if atom == self.time else ZERO

    def is_dynamic(self, symbol: Expr) -> bool:
        """Whether a symbol stands for a function of time or a derivative of one."""
        return isinstance(self._atoms.get(symbol, (None, 0))[0], AppliedUndef)

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
        else:
            result = self._other(e)
        self._seen[e] = result
        return result

    def _is_function(self, e: Any) -> bool:
        return isinstance(e, AppliedUndef) and e.args == (self.time,)

    def _other(self, e: Any) -> Expr:
        """Whatever SymEngine can take by itself, once functions of time are plain symbols (Piecewise, Max, relations)."""
        unknown = [f for f in e.atoms(AppliedUndef) if not self._is_function(f)]
        if unknown:
            raise ModelError(f"{unknown[0]} is not a function of time alone: write out what it is")
        atoms = {a: sympy.Symbol(str(self._walk(a))) for a in e.atoms(AppliedUndef, Derivative, sympy.Symbol)}
        try:
            return symengine.sympify(e.xreplace(atoms))
        except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
            raise ModelError(f"{e} cannot be worked with: write it with elementary functions of time ({error})") from error

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
