"""How declarations came about, where parameters had a part in it, so that they can be made again at other values.

A constructor, or a function that makes a declaration, is given the values of the expressions among its arguments; the
declaration it makes is one of numbers, as any other, and keeps the call as its `Recipe`. `revalued` makes the call again:
all that a constructor checks and derives follows the new values. `typed` and `Model` do the keeping.
"""

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.parameters import Expression, Parameter
from kaneflex.model.rebinding import captured_by, is_own, rebound

RECIPE = "_recipe"  # where an object keeps it
_PLAIN = frozenset((float, int, str, bool, type(None), complex, bytes, np.float64))


@dataclass(frozen=True)
class Recipe:
    """The call that made a declaration."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...]
    words: dict[str, Any]


def recipe_of(value: Any) -> Recipe | None:
    """The call with parameters that made an object; None where there was none."""
    return getattr(value, "__dict__", {}).get(RECIPE)


def holds(value: Any) -> bool:
    """Whether a value depends on parameters: an expression, what was made of one, or a function that refers to one."""
    kind: Any = type(value)  # what is asked most is answered first
    if kind in _PLAIN:
        return False
    if kind is tuple or kind is list:
        return any(type(x) not in _PLAIN and holds(x) for x in value)
    if kind is dict:
        return any(type(x) not in _PLAIN and holds(x) for x in value.values())
    if kind is np.ndarray and value.dtype != object:
        return False
    if _keeps_recipes(kind):
        return RECIPE in value.__dict__
    return next(iter(_expressions(value, set())), None) is not None


def parameters_in(value: Any) -> dict[str, Parameter]:
    """Parameters that a value depends on, by name; two of one name must be the same."""
    found: dict[str, Parameter] = {}
    for expression in _expressions(value, set()):
        for name, parameter in expression.parameters.items():
            other = found.setdefault(name, parameter)
            if other.said != parameter.said or other.value != parameter.value:
                raise ModelError(
                    f'there are two parameters "{name}", {other!r} and {parameter!r}: give them two names, or one value'
                )
    return found


def expressions_in(value: Any) -> list[Expression]:
    """The expressions that a value depends on, as the user wrote them."""
    return list(_expressions(value, set()))


def _expressions(value: Any, seen: set[int]) -> Any:
    """The expressions in a value, as they are found."""
    kind = type(value)
    if kind in _PLAIN:
        return
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, tuple | list):
        for x in value:
            if type(x) not in _PLAIN:
                yield from _expressions(x, seen)
    elif isinstance(value, Mapping):
        for x in value.values():
            yield from _expressions(x, seen)
    elif isinstance(value, np.ndarray):
        if value.dtype == object:
            yield from _expressions(value.ravel().tolist(), seen)
    elif id(value) not in seen:
        seen.add(id(value))
        for x in _inside(value):
            yield from _expressions(x, seen)


def _inside(value: Any) -> tuple[Any, ...]:
    """What a function or an object was made of, as far as parameters may be in it."""
    if isinstance(value, types.FunctionType):
        return (
            (*captured_by(value).values(), *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
            if is_own(value)
            else ()
        )
    if isinstance(value, functools.partial):
        return value.func, value.args, value.keywords
    if isinstance(value, type | types.ModuleType):
        return ()
    inner = getattr(value, "py_func", None)
    if inner is not None:
        return (inner,)
    recipe = recipe_of(value)
    if recipe is not None:
        return recipe.arguments, recipe.words
    return tuple(getattr(value, f.name) for f in fields(value)) if _is_open(value.__class__) else ()


@functools.cache
def _keeps_recipes(kind: Any) -> bool:
    """Whether objects of a class depend on parameters just where they keep how they were made of them."""
    return (
        not issubclass(kind, Expression | Mapping | tuple | list)
        and not hasattr(kind, "py_func")
        and hasattr(inspect.getattr_static(kind, "__init__"), "keeps_recipe")
        and hasattr(kind, "__dict__")
    )


@functools.cache
def _is_open(kind: Any) -> bool:
    """Whether objects of a class hold expressions in their fields: a dataclass whose constructor is not looked after, unless
    it says, by `of_numbers`, that it comes after planning, where only numbers count."""
    looked_after = hasattr(inspect.getattr_static(kind, "__init__"), "keeps_recipe")
    return is_dataclass(kind) and not looked_after and not getattr(kind, "of_numbers", False)


def nominal(value: Any) -> Any:
    """The value with numbers in the place of expressions; objects and functions as they are."""
    if isinstance(value, Expression):
        return value.value
    if isinstance(value, tuple | list | Mapping | np.ndarray) and holds(value):
        return _several(value, nominal)
    return value


def note(made: Any, make: Callable[..., Any], arguments: tuple[Any, ...], words: Mapping[str, Any]) -> None:
    """Keep with an object the call that made it."""
    made.__dict__[RECIPE] = Recipe(make, arguments, dict(words))


def revalued(value: Any, values: Mapping[str, float], made: dict[int, Any] | None = None) -> Any:
    """The value again, at other values of some parameters.

    Args:
        value: what depends on parameters, or does not.
        values: of parameters, by name.
        made: by identity, what was made again already: what was one object stays one.
    """

    def changed(expression: Expression) -> bool:
        return any(name in values for name in expression.parameters)

    return _Remaking(lambda expression: expression.at(values), changed, {} if made is None else made).again(value)


def with_numbers(value: Any, values: Mapping[str, float]) -> Any:
    """The value again with numbers in the place of all expressions, in functions and objects too: for what is asked once.

    Args:
        value: what may depend on parameters.
        values: of parameters that shall have another than their own.
    """
    return _Remaking(lambda expression: expression.at(values).value, lambda expression: True, {}).again(value)


@dataclass(frozen=True)
class _Remaking:
    """Makes values again with their expressions changed."""

    change: Callable[[Expression], Any]
    concerns: Callable[[Expression], bool]
    made: dict[int, Any]

    def again(self, value: Any) -> Any:
        if type(value) in _PLAIN:
            return value
        if isinstance(value, Expression):
            return self.change(value)
        if isinstance(value, tuple | list | Mapping | np.ndarray):
            return _several(value, self.again) if holds(value) else value
        if id(value) not in self.made:
            concerned = any(map(self.concerns, _expressions(value, set())))
            self.made[id(value)] = value, self._object(value) if concerned else value
        return self.made[id(value)][1]

    def _object(self, value: Any) -> Any:
        """A function or an object again."""
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, functools.partial):
            words = {k: self.again(v) for k, v in value.keywords.items()}
            return functools.partial(self.again(value.func), *map(self.again, value.args), **words)
        inner = getattr(value, "py_func", None)
        if inner is not None:
            return self.again(inner)
        recipe = recipe_of(value)
        if recipe is not None:
            return recipe.make(*map(self.again, recipe.arguments), **{k: self.again(v) for k, v in recipe.words.items()})
        return replace(value, **{f.name: self.again(getattr(value, f.name)) for f in fields(value) if f.init})

    def _function(self, function: types.FunctionType) -> Any:
        def changed(value: Any, twin: Callable[[Any], Any]) -> Any:
            return twin(value) if is_own(value) and holds(value) else self.again(value)

        again = rebound(function, changed)
        again.__dict__.update(function.__dict__)
        return again


def _several(value: Any, change: Callable[[Any], Any]) -> Any:
    """A container with each of its entries changed."""
    if isinstance(value, Mapping):
        return {k: change(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        each = list(map(change, value.ravel()))
        again = np.empty(value.size, object if any(isinstance(x, Expression) for x in each) else float)
        again[:] = each
        return again.reshape(value.shape)
    each = list(map(change, value))
    return type(value)(*each) if hasattr(value, "_fields") else type(value)(each)


__all__ = [
    "RECIPE",
    "Recipe",
    "expressions_in",
    "holds",
    "nominal",
    "note",
    "parameters_in",
    "recipe_of",
    "revalued",
    "with_numbers",
]
