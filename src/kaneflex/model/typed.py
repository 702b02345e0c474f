"""Arguments checked against their annotations, so that a wrong kind of value is refused at the border, by name.

Only what a value is, is looked at here: a number, a name, a function. Whether it makes sense (positive, known, of a
length) is for the function itself to say; an argument annotated `Any` is all its own, and `Annotated[..., Rule(...)]` brings
a kind of its own. A constructor that refuses a wrong
kind of value in words of its own has the first word.

Parameters among the arguments: the function gets their values, and what it makes keeps the call, see `recipes`. A function
whose attribute `takes_parameters` is True gets them as they are.
"""

import inspect
import math
import os
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial, wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, Union

import numpy as np

from kaneflex.model.checks import ModelError, is_function, shown
from kaneflex.model.recipes import holds, nominal, note, recipe_of

T = TypeVar("T")


class Rule(NamedTuple):
    """Whether a value is of a kind, and the kind in words."""

    accepts: Callable[[Any], bool]
    words: str


Measured = typing.Annotated[
    float, Rule(lambda value: isinstance(value, float | np.floating) or _is_number(value), "one real number, or NaN")
]
Name = typing.Annotated[str, Rule(lambda value: isinstance(value, str) and value != "", "a name")]


def typed(thing: T) -> T:
    """A function, or a class with its constructor and public methods, that refuses arguments of a wrong kind."""
    if not isinstance(thing, type):
        return typing.cast(T, _checked(thing, getattr(thing, "__name__", "")))
    for name, member in list(vars(thing).items()):
        if name.startswith("_") and name != "__init__":
            continue
        owner = thing.__name__ if name == "__init__" else f"{thing.__name__}.{name}"
        if isinstance(member, classmethod | staticmethod):
            setattr(thing, name, type(member)(_checked(member.__func__, owner)))
        elif inspect.isfunction(member):
            setattr(thing, name, _checked(member, owner))
    return thing


def _checked(function: Any, owner: str) -> Any:
    """The function, with its arguments looked at first. The annotations are read at the first call, when all are known."""
    parameters = list(inspect.signature(function).parameters.values())
    if all(p.annotation is p.empty for p in parameters):
        return function
    rules: dict[str, Rule | None] = {}
    places: list[str] = []

    def prepare() -> None:
        hints = _hints(function)
        for p in parameters:
            rules[p.name] = None if p.kind is p.VAR_KEYWORD else _rule(hints.get(p.name, Any))
        places.extend(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))

    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)

    def first_wrong(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
        given = [*zip(places, args, strict=False), *kwargs.items()]
        given += [] if rest is None else [(rest, value) for value in args[len(places) :]]
        for name, value in given:
            rule = rules.get(name)
            if rule is not None and value is not defaults.get(name, rule) and not rule.accepts(value):
                return f"{name} is {shown(value)}: give {rule.words} ({owner})"
        return None

    takes_parameters = getattr(function, "takes_parameters", False)

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if not rules:
            prepare()
        if not (holds(args) or (kwargs and holds(kwargs))):
            wrong = first_wrong(args, kwargs)
            if wrong is None:
                return function(*args, **kwargs)
            if function.__name__ == "__init__":
                _let_speak(function, args, kwargs)
            raise ModelError(wrong)
        numbers = nominal(args), nominal(kwargs)
        wrong = first_wrong(*numbers)
        if wrong is not None:
            if function.__name__ == "__init__":
                _let_speak(function, *numbers)
            raise ModelError(wrong)
        if takes_parameters:
            return function(*args, **kwargs)
        if function.__name__ != "__init__":
            return _kept(function(*numbers[0], **numbers[1]), checked, args, kwargs, owner)
        if type(args[0]).__init__ is not checked:
            raise ModelError(
                f"{type(args[0]).__name__} hands parameters on to {owner}, where they would be lost: make it a dataclass "
                "without an __init__ of its own"
            )
        function(*numbers[0], **numbers[1])
        return note(args[0], type(args[0]), args[1:], kwargs)

    checked.keeps_recipe = True  # type: ignore[attr-defined]
    return checked


def _kept(made: Any, make: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], owner: str) -> Any:
    """What a function made of parameters, with the call; refused where what was made cannot keep it."""
    if hasattr(type(made).__init__, "keeps_recipe") and not any(made is a for a in args):
        if recipe_of(made) is None:
            note(made, make, args, kwargs)
    elif holds(args[1:]) or holds(kwargs):
        raise ModelError(f"{owner} does not take parameters: give numbers")
    return made


def _let_speak(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Let a function raise an error of the package, if it has one."""
    try:
        function(*args, **kwargs)
    except Exception as e:
        if type(e).__module__.partition(".")[0] == __name__.partition(".")[0]:
            raise


def _hints(function: Any) -> dict[str, Any]:
    """Annotations of a function."""
    space, found = getattr(function, "__globals__", {}), {}
    module = inspect.getmodule(function)
    space = vars(module) | space if module is not None else space
    for name, hint in function.__annotations__.items():
        if isinstance(hint, str):
            try:
                hint = eval(hint, dict(space))
            except NameError:
                hint = _by_name(hint)
        found[name] = hint
    return found


def _by_name(hint: str) -> Any:
    """The annotation of a class that is not loaded here, for type checkers only: by its name; Any for other things."""
    word = hint.removesuffix(" | None")
    if not word.isidentifier():
        return Any
    rule = Rule(lambda value: any(cls.__name__ == word for cls in type(value).__mro__), f"a {word}")
    return typing.Annotated[Any, rule] | None if word != hint else typing.Annotated[Any, rule]


# ---- kinds of values


def _rule(hint: Any) -> Rule | None:
    """The rule of an annotation; None where anything goes."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        own = next((x for x in arguments[1:] if isinstance(x, Rule)), None)
        return _rule(arguments[0]) if own is None else own
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is np.ndarray or hint is np.ndarray:
        return _REALS if "float64" in str(hint) else _NUMBERS
    if origin is not None:
        return _GENERIC[origin](arguments) if origin in _GENERIC else None
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and hint is not object and hint is not Any:
        return Rule(lambda value: isinstance(value, hint), f"a {hint.__name__}")
    return None


def _union(members: Sequence[Any]) -> Rule | None:
    if Path in members:
        members = [m for m in members if m is not str]
    rules = [_rule(m) for m in members]
    known = [rule for rule in rules if rule is not None]
    if len(known) < len(rules):
        return None
    return Rule(lambda value: any(rule.accepts(value) for rule in known), " or ".join(dict.fromkeys(r.words for r in known)))


def _is_number(value: Any) -> bool:
    if type(value) is float:  # quick, for this is what most are
        return value == value
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return not math.isnan(float(value))
    except OverflowError:
        return False


def _is_complex(value: Any) -> bool:
    return _is_number(value) or isinstance(value, complex | np.complexfloating)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and abs(int(value)) < 2**53


def _is_path(value: Any) -> bool:
    if isinstance(value, Path):
        return True
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    return isinstance(text, str) and 0 < len(text) < 4096 and "\0" not in text and all(len(p) < 256 for p in text.split("/"))


def _is_array(value: Any, kinds: str = "biufc") -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in kinds


def _each(arguments: Sequence[Any], kind: Any, word: str) -> Rule:
    """Several values, each by the rule of the first argument."""
    inner = _rule(arguments[0]) if arguments else None
    numbers = inner is not None and inner.words == _PLAIN[float].words

    def accepts(value: Any) -> bool:
        if isinstance(value, np.ndarray):
            return numbers and value.ndim == 1 and all(inner is None or inner.accepts(x) for x in value)
        indexed = kind is Iterable and hasattr(value, "__getitem__") and hasattr(value, "__len__")  # SymPy's matrices
        listed = isinstance(value, kind) or indexed
        if not listed or isinstance(value, str | bytes | Mapping | Set | type):
            return False
        return inner is None or not isinstance(value, Sequence) or all(inner.accepts(x) for x in value)

    return Rule(accepts, f"{word} of which each is {inner.words}" if inner is not None else word)


def _tuple(arguments: Sequence[Any]) -> Rule:
    if not arguments or arguments[-1] is ...:
        return _each(arguments[:1], Sequence, "a tuple")
    rules = [_rule(a) for a in arguments]

    def accepts(value: Any) -> bool:
        if isinstance(value, str | bytes) or not isinstance(value, Sequence) or len(value) != len(rules):
            return False
        return all(rule is None or rule.accepts(x) for rule, x in zip(rules, value, strict=True))

    return Rule(accepts, "a tuple of " + ", ".join("anything" if r is None else r.words for r in rules))


def _mapping(arguments: Sequence[Any]) -> Rule:
    key, value = [_rule(a) for a in arguments] if arguments else (None, None)

    def accepts(given: Any) -> bool:
        if type(given) is not dict and not isinstance(given, Mapping):
            return False
        kinds = key is None or all(map(key.accepts, given))
        return kinds and (value is None or all(map(value.accepts, given.values())))

    words = "a mapping" if key is None else f"a mapping from {key.words}"
    return Rule(accepts, words if value is None else f"{words} to {value.words}")


_REALS = Rule(partial(_is_array, kinds="biuf"), "an array of real numbers")
_NUMBERS = Rule(_is_array, "an array of numbers")
_FUNCTION = Rule(is_function, "a function")
_PLAIN: dict[Any, Rule] = {
    None: Rule(lambda value: value is None, "None"),
    types.NoneType: Rule(lambda value: value is None, "None"),
    bool: Rule(lambda value: isinstance(value, bool | np.bool_), "True or False"),
    int: Rule(_is_whole, "a whole number"),
    float: Rule(_is_number, "one real number"),
    complex: Rule(_is_complex, "one number"),
    str: Rule(lambda value: isinstance(value, str), "a name"),
    Path: Rule(_is_path, "the path of a file"),
    Callable: _FUNCTION,
}
_GENERIC: dict[Any, Callable[[Sequence[Any]], Rule | None]] = {
    Callable: lambda arguments: _FUNCTION,
    Mapping: _mapping,
    dict: _mapping,
    Sequence: partial(_each, kind=Sequence, word="a list"),
    list: partial(_each, kind=Sequence, word="a list"),
    Iterable: partial(_each, kind=Iterable, word="a list"),
    tuple: _tuple,
}
