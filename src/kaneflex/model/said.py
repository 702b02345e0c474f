"""What was said to a model from the first parameter on, so that it can be said again at other values.

Before any parameter there is nothing to keep. The first call with one keeps the model as it was, and from then on every
call that changes the model is a `Step`: one that names no parameter may still depend on what one that does has added.
"""

import copy
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeVar, cast

from kaneflex.model.checks import ModelError, shown
from kaneflex.model.parameters import Parameter, check_values
from kaneflex.model.recipes import holds, nominal, parameters_in, revalued, with_numbers

Method = TypeVar("Method", bound=Callable[..., Any])
SAYING: set[str] = set()  # names of the methods that change a model


@dataclass(frozen=True)
class Step:
    """A call that changed a model: of a method, or of one of a table's.

    Args:
        method: its name.
        given: the arguments, and those by name, bodies by their names.
        table: which table's, "" for the model's own.
    """

    method: str
    given: tuple[tuple[Any, ...], dict[str, Any]]
    table: str = ""

    def again(self, model: Any, change: Callable[[Any], Any]) -> None:
        """Make the call again, on another model, with arguments changed."""
        arguments, words = change(self.given)
        getattr(getattr(model, self.table) if self.table else model, self.method)(*arguments, **words)


class Remembering:
    """What a model has of parameters: `steps`, said from the first one on, and `before`, the model as it was then."""

    steps: tuple[Step, ...] = ()
    before: Any = None

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters in the declarations, by name."""
        return parameters_in([step.given for step in self.steps])

    def at(self, parameters: Mapping[str, float] | None) -> Self:
        """The same system with other values of some parameters, which are its own from then on.

        Args:
            parameters: values by name; what is not named stays as it is.
        """
        values = check_values(parameters, self.parameters)
        return self.beyond(values) if values else self

    def beyond(self, values: Mapping[str, float]) -> Self:
        """The same, at values of known parameters that need not be within their bounds.

        Args:
            values: by name.
        """
        model, made = copy.copy(self.before), dict[int, Any]()
        for step in self.steps:
            step.again(model, lambda given: revalued(given, values, made))
        return cast(Self, model)


@contextmanager
def records(model: Any, method: str, arguments: tuple[Any, ...], words: dict[str, Any], table: str = "") -> Iterator[Any]:
    """Note a call as a step of the model, unless it is part of another; gives the arguments with numbers for parameters."""
    space = model.__dict__
    depends = holds(arguments) or holds(words)
    if space.get("_inside_step") or model.is_kept or model.is_running or not (model.steps or depends):
        yield (nominal(arguments), nominal(words)) if depends else (arguments, words)
        return
    before = space.get("before") if model.steps else copy.copy(model)
    space["_inside_step"] = True
    try:
        yield (nominal(arguments), nominal(words)) if depends else (arguments, words)
    finally:
        del space["_inside_step"]
    space.update(before=before, steps=(*model.steps, Step(method, _by_name((arguments, words)), table)))


def said(method: Method) -> Method:
    """A method that changes a model, with its calls kept as steps where parameters are; one that adds by name wants it."""
    names = list(inspect.signature(method).parameters)[1:2] == ["name"]

    @functools.wraps(method)
    def call(model: Any, *arguments: Any, **words: Any) -> Any:
        if names and arguments and "name" not in words:
            kind = type(arguments[0])
            if kind.__module__.startswith("kaneflex."):  # a body or a load, where its name should be
                example = f'{method.__name__}("{kind.__name__.lower()}", {kind.__name__}(...))'
                raise ModelError(f"name is {shown(arguments[0])}: give a name first, such as {example}")
        with records(model, method.__name__, arguments, words) as (given, named):
            return method(model, *given, **named)

    call.takes_parameters = True  # type: ignore[attr-defined]
    SAYING.add(method.__name__)
    return cast(Method, call)


class Asked(NamedTuple):
    """What was asked of a system: arguments, and those by name, as they were given, and values of parameters."""

    system: Any
    arguments: tuple[Any, ...]
    words: dict[str, Any]
    values: dict[str, float]


def at_values(method: Method) -> Method:
    """A method that asks something of a system: of the system at the values of `parameters=`, with numbers in the place of
    expressions among the other arguments. An answer that has a place for it is told what was asked."""

    @functools.wraps(method)
    def call(system: Any, *arguments: Any, parameters: Any = None, **words: Any) -> Any:
        given, values, at = (arguments, words), dict[str, float](), system
        if parameters is not None or holds(given):
            own = system.parameters
            values = check_values(parameters, parameters_in(given) | own)
            given = with_numbers(given, values)
            at = system.at({name: value for name, value in values.items() if name in own})
        answer = method(at, *given[0], **given[1])
        if hasattr(answer, "asked"):
            answer.asked = Asked(system, arguments, words, values)
        return answer

    call.takes_parameters = True  # type: ignore[attr-defined]
    return cast(Method, call)


def _by_name(given: Any) -> Any:
    """Arguments with names in the place of bodies, which belong to one model."""
    if hasattr(given, "_model"):
        return given.name
    if type(given) in (tuple, list):
        return type(given)(map(_by_name, given))
    return {k: _by_name(v) for k, v in given.items()} if type(given) is dict else given


__all__ = ["SAYING", "Asked", "Remembering", "Step", "at_values", "records", "said"]
