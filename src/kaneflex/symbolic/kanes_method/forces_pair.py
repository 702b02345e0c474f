"""What `kanes_equations` returns: a tuple of two SymPy columns, each made when it is looked at."""

from collections.abc import Sequence
from typing import Any

from kaneflex.symbolic.translate import Symbols

Expr = Any


class GeneralizedForces(tuple[Any, ...]):
    """The pair (Fr, Fr*), as SymPy's class returns it."""

    _columns: list[Sequence[Expr]]
    _symbols: Symbols
    _made: dict[int, Any]

    def __new__(cls, symbols: Symbols, fr: Sequence[Expr], frstar: Sequence[Expr]) -> "GeneralizedForces":
        """The pair of what `symbols` makes of two columns of SymEngine expressions."""
        pair = super().__new__(cls, (None, None))
        pair._symbols, pair._columns, pair._made = symbols, [fr, frstar], {}
        return pair

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return tuple(self)[k]
        k = range(2)[k]
        if k not in self._made:
            self._made[k] = self._symbols.matrix([e] for e in self._columns[k])
        return self._made[k]

    def __iter__(self) -> Any:
        return iter((self[0], self[1]))

    def __reduce__(self) -> Any:
        return tuple, (tuple(iter(self)),)


def _as_the_pair(name: str) -> Any:
    """A method of tuples on the two columns, which the tuple's own storage does not hold."""

    def method(self: GeneralizedForces, *others: Any) -> Any:
        return getattr(tuple(iter(self)), name)(*(tuple(iter(x)) if isinstance(x, GeneralizedForces) else x for x in others))

    return method


_OF_TUPLES = ("__eq__", "__ne__", "__hash__", "__repr__", "__contains__", "__add__", "__mul__", "__rmul__", "count", "index")
for _name in _OF_TUPLES:
    setattr(GeneralizedForces, _name, _as_the_pair(_name))
GeneralizedForces.__radd__ = lambda self, other: (*other, *self)  # type: ignore[attr-defined]


__all__ = ["GeneralizedForces"]
