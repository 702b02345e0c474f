"""How the numbers of a problem depend on parameters and initial values: those of its tables, and those that its user
functions refer to.

Making a problem anew takes milliseconds, so that it is done rarely: once with all values moved, which shows what depends on
them at all; and by `variations` (1) for those that numbers depend on, of which all are moved at once that have no number in
common. A user function is made anew by itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kaneflex.analysis.variations import CENTRAL, NotDifferentiable, Point, Posed
from kaneflex.model.recipes import parameters_in, revalued
from kaneflex.plan.laws import CompiledFunction
from kaneflex.plan.laws.entries import Block
from kaneflex.plan.laws.profiles import plain_function

Array = np.ndarray
Numbers = Callable[[Mapping[str, float]], Array]  # some numbers with values moved by so many steps, by name
Group = list[tuple[str, Array]]  # names, and which numbers depend on each


@dataclass(frozen=True)
class LawChange:
    """A user function that depends on a parameter.

    Args:
        law: its number.
        name: number of the parameter.
        each: the function at the values of `variations.CENTRAL`.
        weights: of its values in the derivative.
    """

    law: int
    name: int
    each: list[Block]
    weights: list[float]


class ParameterNumbers:
    """What depends on parameters and initial values near a point.

    Args:
        point: where.
        names: of them.

    Attributes:
        moved: by how many steps each is moved at once.
        beside: the problem there.
        laws: changes of user functions.
    """

    def __init__(self, point: Point, names: Sequence[str]):
        self.point, self.names = point, list(names)
        golden = (5**0.5 - 1) / 2
        self.moved = {name: 0.7 + 0.6 * ((k * golden) % 1) for k, name in enumerate(self.names)}  # alike for no two
        self.beside = point.posed(self.moved)
        if self.beside.plan.breaks != point.base.plan.breaks:
            raise NotDifferentiable("corners of profiles move with parameters")
        pairs = zip(point.base.plan.laws, self.beside.plan.laws, strict=True)
        self.laws = [change for k, pair in enumerate(pairs) for change in self._law_changes(k, *pair)]

    def _law_changes(self, number: int, law: CompiledFunction, beside: CompiledFunction) -> Iterator[LawChange]:
        if law.fingerprint is None or beside.fingerprint is None:
            raise NotDifferentiable(f"{law.name} refers to objects that may change")
        if law.fingerprint == beside.fingerprint:
            return
        known = parameters_in(law.given)
        moved = {name: k for name, k in self.moved.items() if name in known}
        numbers, first, last = self._numbers_alone(law), law.reals_of(law.function), law.reals_of(beside.function)
        if first is None or last is None:
            raise NotDifferentiable(f"{law.name} is another function beside these parameters")
        try:
            is_alone = np.array_equal(numbers(moved), last)
        except NotDifferentiable:  # it is made of something else than was given
            is_alone = False
        if not is_alone:
            numbers, moved = self._numbers_in_whole(number), self.moved
        for group in _groups(numbers, first, moved):
            made = [numbers(dict.fromkeys((name for name, _ in group), float(sign))) for sign, _ in CENTRAL]
            for name, support in group:
                each = [law.on(np.where(support, other, first)) for other in made]
                weights = [weight / self.point.steps[name] for _, weight in CENTRAL]
                yield LawChange(number, self.names.index(name), each, weights)

    def _numbers_alone(self, law: CompiledFunction) -> Numbers:
        """Those that a user function refers to, which is made anew by itself."""
        return lambda moved: _known(law, plain_function(revalued(law.given, self.point.parameters(moved))))

    def _numbers_in_whole(self, number: int) -> Numbers:
        """Those that a user function refers to, of the whole problem made anew."""
        law = self.point.base.plan.laws[number]
        return lambda moved: _known(law, self.point.posed(moved).plan.laws[number].function)

    @cached_property
    def changes(self) -> tuple[Array, Array]:
        """Numbers of the problem that depend on the names, see `numbers_of`, and their derivatives, a column for each."""
        first = numbers_of(self.point.base)
        differs = first != numbers_of(self.beside)
        found = np.zeros((len(first), len(self.names)))
        for group in self._number_groups(first) if differs.any() else []:
            for sign, weight in CENTRAL:
                numbers = self._numbers(dict.fromkeys((name for name, _ in group), float(sign)))
                for name, support in group:
                    found[support, self.names.index(name)] += weight / self.point.steps[name] * (numbers - first)[support]
        places = np.flatnonzero(differs | found.any(axis=1))
        return places, found[places]

    def _number_groups(self, first: Array) -> list[Group]:
        """Groups of names; those that user functions refer to need not be looked at where they move no numbers together."""
        in_laws = {self.names[change.name] for change in self.laws}
        others = {name: k for name, k in self.moved.items() if name not in in_laws}
        if in_laws and np.any(self._numbers({name: self.moved[name] for name in in_laws}) != first):
            others = self.moved
        return _groups(self._numbers, first, others)

    def _numbers(self, moved: Mapping[str, float]) -> Array:
        return numbers_of(self.point.posed(moved))


def numbers_of(posed: Posed) -> Array:
    """The numbers of a problem: P, inputs, the state x at the start."""
    return np.concatenate([posed.plan.P, posed.inputs, posed.y0[: posed.plan.layout.states]])


def _known(law: CompiledFunction, function: Callable[..., Any]) -> Array:
    found = law.reals_of(function)
    if found is None:
        raise NotDifferentiable(f"{law.name} is another function beside these parameters")
    return found


def _groups(numbers: Numbers, first: Array, moved: Mapping[str, float]) -> list[Group]:
    """Names that numbers depend on, so that in a group no number depends on two.

    Args:
        numbers: as functions of the names.
        first: their values where nothing is moved.
        moved: by how much each name is moved to see.
    """
    groups: list[Group] = []
    for name, k in moved.items():
        support = numbers({name: k}) != first
        if support.any():
            fitting = (g for g in groups if not any(np.any(support & other) for _, other in g))
            group = next(fitting, None)
            if group is None:
                groups.append(group := [])
            group.append((name, support))
    return groups


__all__ = ["LawChange", "ParameterNumbers", "numbers_of"]
