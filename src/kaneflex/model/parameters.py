"""Parameters: numbers with a name, which stand in declarations and can be given another value without building anew.

Arithmetic on a parameter gives an `Expression`, which remembers how it came about; numpy's functions take them too. What
a declaration does with expressions is in `recipes`.
"""

import copy
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError

_OPERATORS: dict[
    str, tuple[str, int, Callable[..., Any]]
] = {  # of numpy's names: sign, how strongly it binds, and what it does
    "add": ("+", 1, operator.add),
    "subtract": ("-", 1, operator.sub),
    "multiply": ("*", 2, operator.mul),
    "divide": ("/", 2, operator.truediv),
    "negative": ("-", 3, operator.neg),
    "power": ("**", 4, operator.pow),
}
_FUNCTIONS = (
    *("sqrt", "exp", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2"),
    *("sinh", "cosh", "tanh", "square", "reciprocal", "positive", "absolute", "hypot", "minimum", "maximum"),
)
_ADVICE = "give it to a declaration as it is, or take its .value; numpy's functions (np.sin, np.sqrt) take it, math's do not"


class Expression:
    """A number made of parameters by arithmetic; `value` is what it is at their values.

    Args:
        function: one of numpy's names, "multiply", "sin", ...
        arguments: expressions and numbers.
    """

    def __init__(self, function: str, *arguments: Any):
        self.function = checks.known(function, (*_OPERATORS, *_FUNCTIONS), "function of parameters")
        self.arguments = tuple(
            a if isinstance(a, Expression) else checks.number(a, "a number beside a parameter") for a in arguments
        )
        self.value = self._evaluated()

    def _evaluated(self) -> float:
        numbers = [a.value if isinstance(a, Expression) else a for a in self.arguments]
        with np.errstate(all="ignore"):
            try:
                known = _OPERATORS.get(self.function)
                value = float(known[2](*numbers) if known else getattr(np, self.function)(*numbers))
            except (ArithmeticError, TypeError):
                value = math.nan
        if not math.isfinite(value):
            given = ", ".join(f"{name} = {p.value:g}" for name, p in self.parameters.items())
            raise ModelError(f"{self!r} is no finite number at {given}: give other values")
        return value

    @property
    def parameters(self) -> dict[str, "Parameter"]:
        """The parameters in it, by name."""
        found: dict[str, Parameter] = {}
        for a in self.arguments:
            found |= a.parameters if isinstance(a, Expression) else {}
        return found

    def at(self, values: Mapping[str, float]) -> "Expression":
        """The same expression with other values of some parameters.

        Args:
            values: by name.
        """
        if not any(name in _by_name(values) for name in self.parameters):
            return self
        return Expression(self.function, *(a.at(values) if isinstance(a, Expression) else a for a in self.arguments))

    def on(self, leaf: Callable[["Parameter"], Any], functions: Callable[[str], Callable[..., Any]]) -> Any:
        """The expression evaluated on other things than numbers, on symbols, say.

        Args:
            leaf: what stands for a parameter.
            functions: what does a function of numpy's name.
        """
        return functions(self.function)(*(a.on(leaf, functions) if isinstance(a, Expression) else a for a in self.arguments))

    # ---- arithmetic

    def __add__(self, other: Any) -> Any:
        return _made("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _made("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _made("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _made("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _made("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _made("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _made("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _made("divide", other, self)

    def __pow__(self, other: Any) -> Any:
        return _made("power", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _made("power", other, self)

    def __neg__(self) -> "Expression":
        return Expression("negative", self)

    def __pos__(self) -> "Expression":
        return self

    def __abs__(self) -> "Expression":
        return Expression("absolute", self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **words: Any) -> Any:
        name = {"float_power": "power", "true_divide": "divide"}.get(ufunc.__name__, ufunc.__name__)
        if method != "__call__" or words or name not in (*_OPERATORS, *_FUNCTIONS):
            raise ModelError(f"np.{ufunc.__name__} does not take {self!r}: {_ADVICE}")
        if any(np.ndim(x) for x in inputs):
            return np.frompyfunc(lambda *given: _made(name, *given), len(inputs), 1)(*(_boxed(x) for x in inputs))
        return _made(name, *inputs)

    def __float__(self) -> float:
        raise ModelError(f"{self!r} has no value of its own here: {_ADVICE}")

    def __bool__(self) -> bool:
        raise ModelError(f"{self!r} is neither true nor false: {_ADVICE}")

    def _not_ordered(self, other: Any) -> Any:
        raise ModelError(f"{self!r} cannot be compared, for it may have other values: {_ADVICE}")

    __lt__ = __le__ = __gt__ = __ge__ = _not_ordered

    def __repr__(self) -> str:
        return self._written(0)

    def _written(self, inside: int) -> str:
        words = [a._written if isinstance(a, Expression) else lambda _, a=a: f"{a:g}" for a in self.arguments]
        if self.function not in _OPERATORS:
            return f"{self.function}({', '.join(word(0) for word in words)})"
        sign, strength, _ = _OPERATORS[self.function]
        if len(words) == 1:
            text = sign + words[0](strength)
        else:
            spaced = f" {sign} " if strength == 1 else sign
            text = words[0](strength) + spaced + words[1](strength + 1)
        return f"({text})" if strength < inside else text


class Parameter(Expression):
    """A number with a name that may stand wherever a number may in a declaration; `simulate(..., parameters={name: value})`
    gives it another value, see docs/parameters.md.

    Args:
        name: by which it is known; a system has one parameter of a name.
        value: of its own, where nothing else is said.
        low, high: least and greatest value that is allowed; None for no bound.
        unit: shown in tables, e.g. "N/m".
    """

    def __init__(self, name: str, value: float, low: float | None = None, high: float | None = None, unit: str = ""):
        self.name = checks.name(name, "name of a parameter")
        what = f'parameter "{name}"'
        self.value = checks.number(value, what)
        self.low = None if low is None else checks.number(low, f"{what}: low")
        self.high = None if high is None else checks.number(high, f"{what}: high")
        if not isinstance(unit, str):
            raise ModelError(f'{what}: unit is {checks.shown(unit)}: give a text, e.g. "N/m"')
        self.unit, self.function, self.arguments = unit, "", ()
        self.check()

    def check(self) -> None:
        """Refuse a value outside of the bounds."""
        if (self.low is not None and self.value < self.low) or (self.high is not None and self.value > self.high):
            raise ModelError(f'parameter "{self.name}" is {self.value:g}: it must be {self._range()}')

    def _range(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.low:g} or more" if self.low is not None else f"{self.high:g} or less"
        return f"from {self.low:g} to {self.high:g}"

    @property
    def parameters(self) -> dict[str, "Parameter"]:
        """Itself, by name."""
        return {self.name: self}

    @property
    def said(self) -> tuple[Any, ...]:
        """All that was said of it, but for its value."""
        return self.name, self.low, self.high, self.unit

    def at(self, values: Mapping[str, float]) -> "Parameter":
        """The parameter with another value, where there is one for it, be it within the bounds or not.

        Args:
            values: by name.
        """
        if self.name not in _by_name(values):
            return self
        other = copy.copy(self)
        other.value = checks.number(values[self.name], f'parameter "{self.name}"')
        return other

    def on(self, leaf: Callable[["Parameter"], Any], functions: Callable[[str], Callable[..., Any]]) -> Any:
        """What stands for it.

        Args:
            leaf: gives that.
            functions: of expressions.
        """
        return leaf(self)

    def _written(self, inside: int) -> str:
        return self.name

    def __repr__(self) -> str:
        return f'Parameter("{self.name}", {self.value:g}{f" {self.unit}" if self.unit else ""})'


def _boxed(value: Any) -> Any:
    """Something that numpy's loops go over element by element."""
    if isinstance(value, Expression):
        box = np.empty((), object)
        box[()] = value
        return box
    return np.asarray(value, object)


def _made(function: str, *arguments: Any) -> Any:
    """The expression of a function of numbers and expressions; of arrays an array of them."""
    if any(isinstance(a, np.ndarray) and a.ndim for a in arguments):
        return np.frompyfunc(lambda *given: _made(function, *given), len(arguments), 1)(*map(_boxed, arguments))
    if not all(isinstance(a, Expression | int | float | np.number | np.ndarray) for a in arguments):
        return NotImplemented
    return Expression(function, *(a.item() if isinstance(a, np.ndarray) else a for a in arguments))


def _by_name(values: Any) -> Mapping[str, float]:
    if not isinstance(values, Mapping):
        raise ModelError(f'values of parameters are {checks.shown(values)}: give them by name, e.g. {{"stiffness": 50.0}}')
    return values


def check_values(values: Any, known: Mapping[str, Parameter]) -> dict[str, float]:
    """Values by name of known parameters, each within its bounds."""
    if values is None:
        return {}
    found = {}
    for name, value in _by_name(values).items():
        checks.known(name, known, "parameter")
        parameter = known[name].at({name: value})
        parameter.check()
        found[name] = parameter.value
    return found


__all__ = ["Expression", "Parameter", "check_values"]
