"""User functions that do not run on symbols, such as those that look up a table: their values are symbols of their own,
given from outside as inputs are. A run takes them from the kernels, which evaluate the functions."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import symengine

from kaneflex.kernels import symbolic_ops
from kaneflex.kernels.tables import Tables
from kaneflex.model import checks
from kaneflex.plan.laws import CompiledFunction, LawNotSymbolic
from kaneflex.plan.plan import Plan

Expr = Any


class Signals:
    """The user functions of a plan on symbols: `symbols` stand for the values of those that cannot be so run.

    `places` says what each symbol is: name of the function and number of the value.
    """

    def __init__(self, plan: Plan) -> None:
        self.symbols: list[Expr] = []
        self.places: list[tuple[str, int]] = []
        self._keys: list[int] = []
        self._files: dict[int, Any] = {}
        for law, row in zip(plan.laws, plan.tables.law, strict=True):
            of_joint = row.sensors < 0
            self._keys.append(law.symbolic_key if of_joint or _runs(law) else self._stand_in(law))

    def _stand_in(self, law: CompiledFunction) -> int:
        quoted = re.findall(r'"(.*?)"', law.name)
        word = "f_" + re.sub(r"\W+", "_", quoted[0] if quoted else law.name)
        names = [word] if law.outputs == 1 else [f"{word}_{k + 1}" for k in range(law.outputs)]
        own = [symengine.Symbol(name) for name in checks.distinct(names, map(str, self.symbols))]
        self.symbols += own
        self.places += [(law.name, k) for k in range(law.outputs)]
        key = -1 - len(self._files)
        self._files[key] = lambda t, x: own
        return key

    @contextmanager
    def filed(self, tables: Tables) -> Iterator[None]:
        """Have the functions found by these tables."""
        for row, key in zip(tables.law, self._keys, strict=True):
            row.address = key
        symbolic_ops.laws.update(self._files)
        try:
            yield
        finally:
            for key in self._files:
                del symbolic_ops.laws[key]


def _runs(law: CompiledFunction) -> bool:
    """Whether a law runs on symbols."""
    seen = [symengine.Symbol(f"x{k}") for k in range(law.inputs)]
    try:
        symbolic_ops.laws[law.symbolic_key](symengine.Symbol("t"), seen)
    except LawNotSymbolic:
        return False
    return True


__all__ = ["Signals"]
