"""Functions that SymEngine does not have, and their derivatives, as functions that it carries along.

SymEngine asks SymPy for the derivative of such a function; here every derivative f_12(x, y) is one more function of the same
arguments, so that numbers and expressions can be put in. SymEngine's own derivatives of unknown functions do not stand that.
"""

from collections.abc import Callable
from typing import Any

import symengine
import sympy
from sympy.core.function import UndefinedFunction

Expr = Any


class _Ordered(type(sympy.Function)):  # type: ignore[misc]
    """Classes that can be sorted, which SymEngine does with functions of the same arguments."""

    def __lt__(cls, other: Any) -> bool:
        return bool((cls.__name__, id(cls)) < (other.__name__, id(other)))


class UnknownFunction(sympy.Function, metaclass=_Ordered):
    """A derivative of what `make` gives in SymPy for some arguments; `orders` are those by each argument."""

    make: Callable[..., Any]
    orders: tuple[int, ...]
    family: dict[tuple[int, ...], Any]

    def fdiff(self, argindex: int = 1) -> Any:
        """The derivative by an argument: the function of one order more."""
        kind = type(self)
        orders = tuple(n + (k == argindex - 1) for k, n in enumerate(kind.orders))
        return _derivative(kind.family, orders)(*self.args)

    @classmethod
    def _should_evalf(cls, arg: Any) -> int:
        """Numbers among the arguments do not make it one."""
        return -1

    def _eval_evalf(self, prec: int) -> Any:
        """No number: SymEngine says so with a RuntimeError."""
        return sympy.nan


def unknown(name: str, make: Callable[..., Any], count: int) -> tuple[list[Expr], Expr]:
    """SymEngine's symbols for the arguments of a function, and the function of these.

    Args:
        name: what it is shown as.
        make: gives SymPy's expression for arguments.
        count: number of arguments.
    """
    none = (0,) * count
    family: dict[tuple[int, ...], Any] = {}
    family[none] = _Ordered(name, (UnknownFunction,), {"make": staticmethod(make), "orders": none, "family": family})
    inside = sympy.symbols(f"_argument:{count}", seq=True)
    return [symengine.Symbol(str(s)) for s in inside], symengine.sympify(family[none](*inside))


def _derivative(family: dict[tuple[int, ...], Any], orders: tuple[int, ...]) -> Any:
    if orders not in family:
        base = family[(0,) * len(orders)]
        name = f"{base.__name__}_" + "".join(str(k + 1) * n for k, n in enumerate(orders))
        family[orders] = _Ordered(name, (UnknownFunction,), {"make": base.make, "orders": orders, "family": family})
    return family[orders]


def is_unknown(e: Expr) -> bool:
    """Whether a SymEngine expression is such a function of something."""
    return type(e).__name__ == "PyFunction"


def unknowns(e: Expr) -> set[Expr]:
    """Those in an expression, the outermost where one is in another."""
    seen, stack, found = {e}, [e], set()
    while stack:
        here = stack.pop()
        if is_unknown(here):
            found.add(here)
        else:
            fresh = [a for a in here.args if a not in seen]
            seen.update(fresh)
            stack += fresh
    return found


def in_sympy(e: Expr, arguments: list[Any]) -> Any:
    """SymPy's form of such a function, of arguments that are SymPy's already."""
    kind = type(e.pyobject())
    if not any(kind.orders):
        return kind.make(*arguments)
    first = kind.orders.index(1) if sum(kind.orders) == 1 else -1
    if first >= 0 and isinstance(kind.make, UndefinedFunction) and arguments.count(arguments[first]) == 1:
        return kind.make(*arguments).fdiff(first + 1)
    inside = [sympy.Dummy() if n else a for n, a in zip(kind.orders, arguments, strict=True)]
    formed = kind.make(*inside).diff(*((x, n) for x, n in zip(inside, kind.orders, strict=True) if n))
    at = {x: a for x, a, n in zip(inside, arguments, kind.orders, strict=True) if n}
    return sympy.Subs(formed, list(at), list(at.values())).doit() if formed.has(sympy.Derivative) else formed.xreplace(at)


__all__ = ["in_sympy", "is_unknown", "unknown", "unknowns"]
