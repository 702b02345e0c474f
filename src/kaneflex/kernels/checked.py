"""Kernels run in the interpreter on arrays that know what they hold: slow, for tests.

Compiled kernels read and write through pointers, where nothing is checked. Here every access of I, P and W is: it must be
within the array, and within the table or block whose place in the header or in a row it started from; an entry of W must
have been written before it is read; and who writes it must be, or be called by, a kernel that the `schema` names as its
writer. Only W is written.
"""

import ctypes
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from kaneflex.kernels import backend, ops
from kaneflex.kernels.schema import TABLES, Table, places
from kaneflex.kernels.tables import Tables

Array = np.ndarray
# of I: places in W inside of a table
POINTERS = {"PATH_ON", "PATH_DELASSUS", "ATTACHED_AT", "OPEN_AT", "TERM_AT", "FRICTION_AT", "FRICTION_OTHER_AT"}
SUFFIX = {"I": "row", "P": "par", "W": "work"}
Allowed = Mapping[int, tuple[str, frozenset[str]]]


class CheckError(Exception):
    """A kernel reads or writes what it must not."""


class Place(int):
    """Where a table or block begins: sums with it stay inside of that."""

    first: int
    end: int
    what: str

    def __new__(cls, value: int, first: int, end: int, what: str) -> "Place":
        self = super().__new__(cls, value)
        self.first, self.end, self.what = first, end, what
        return self

    def __add__(self, n: int) -> "Place":
        return Place(int(self) + int(n), self.first, self.end, self.what)

    __radd__ = __add__

    def __sub__(self, n: int) -> int:
        return int(self) - int(n) if isinstance(n, Place) else self + -n


class CheckedArray:
    """Numbers with bounds. Those that are NaN have not been written; `allowed` are the writers of the others."""

    def __init__(self, name: str, values: Array, allowed: Allowed | None = None, places: Mapping[int, Place] | None = None):
        self.name, self.values, self.places = name, values.tolist(), places or {}
        self.known = (~np.isnan(values)).tolist()
        self.allowed, self.written = allowed, set[tuple[str, str]]()

    def _at(self, k: int) -> int:
        if isinstance(k, Place) and not k.first <= k < k.end:
            raise CheckError(f"{self.name}[{int(k)}] is outside of {k.what}, which is {self.name}[{k.first}:{k.end}]")
        if not 0 <= k < len(self.values):
            raise CheckError(f"{self.name}[{int(k)}] of {len(self.values)}")
        return int(k)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return _From(self, k.start)
        k = self._at(k)
        if not self.known[k]:
            raise CheckError(f"{self.name}[{k}], {self.what(k)}, is read before it is written")
        return self.places.get(k, self.values[k])

    def __setitem__(self, k: int, value: Any) -> None:
        k = self._at(k)
        if self.allowed is not None:
            what, writers = self.allowed.get(k, ("nothing", frozenset()))
            writer = next((name for name in _callers() if name in writers), None)
            if writer is None:
                raise CheckError(f"{self.name}[{k}], {what}, is written by {' in '.join(_callers())}")
            self.written.add((what, writer))
        self.values[k], self.known[k] = value, True

    def what(self, k: int) -> str:
        """Table and field of an entry."""
        return self.allowed[k][0] if self.allowed and k in self.allowed else "nothing"


class _From:
    """An array from one of its entries on."""

    def __init__(self, array: CheckedArray, start: int):
        self.array, self.start = array, start

    def __getitem__(self, k: Any) -> Any:
        return _From(self.array, self.start + k.start) if isinstance(k, slice) else self.array[self.start + k]

    def __setitem__(self, k: int, value: Any) -> None:
        self.array[self.start + k] = value


def _flat(array: Any) -> Any:
    """What `pointer` makes of an array: its numbers in a row."""
    return array.reshape(-1) if isinstance(array, np.ndarray) else array


def _callers() -> Iterator[str]:
    """Kernels being run, the innermost first."""
    frame = sys._getframe(2)
    while frame is not None:
        if "body_row" in frame.f_globals and frame.f_code.co_name in frame.f_globals:
            yield frame.f_code.co_name
        frame = frame.f_back  # type: ignore[assignment]


class CheckedSystem:
    """The arrays of a system and kernels on them, as in `s.kernels.call_derivative(s.I, s.P, s.W, t, y, ydot)`.

    Args:
        I, P, W: the arrays; W as it is when new.
        laws: user functions by address, each with `inputs` and `outputs`.
        instead: kernels that stand in the place of others, by name, as the formulation says.
    """

    def __init__(self, I: Array, P: Array, W: Array, laws: Mapping[int, Any], instead: Mapping[str, Any] | None = None):
        self._tables, self.laws = Tables(I, {"I": I, "P": P, "W": W}), laws
        allowed: dict[int, tuple[str, frozenset[str]]] = {}
        for table in (table for table in TABLES if table.array == "W"):
            for start, fields in self._rows(table):
                for field, (at, end, _) in zip(table.fields, fields.values(), strict=bool(fields)):
                    for k in range(start + at, start + end):
                        what, writers = allowed.get(k, (f"{table.name}.{field.name}", frozenset()))
                        allowed[k] = what, writers | set(field.writers.split())
        for k in np.flatnonzero(~np.isnan(W)).tolist():
            if "start" not in allowed[k][1]:
                raise CheckError(f"W[{k}], {allowed[k][0]}, is written at the start")
        self.I = CheckedArray("I", I, {}, self._places(I))
        self.P, self.W = CheckedArray("P", P, {}), CheckedArray("W", W, allowed)
        self.kernels = backend.interpreted(vars(ops) | {"call_law": self._call_law, "pointer": _flat})
        kernels = self.kernels.body_row.__globals__
        kernels.update({name: kernels[other] for name, other in (instead or {}).items()})
        for table in TABLES:
            if table.name == "body":
                self._bound(f"body_{SUFFIX[table.array]}", *self._extent(table), table.name)

    def _rows(self, table: Table) -> list[tuple[int, dict[str, tuple[int, int, tuple[int, ...]]]]]:
        return [self._tables.row(table, n) for n in range(self._tables.extent(table)[1])]

    def _extent(self, table: Table) -> tuple[int, int]:
        """Where a table begins and ends."""
        rows = [(start, start + max(end for _, end, _ in fields.values())) for start, fields in self._rows(table) if fields]
        return min((first for first, _ in rows), default=0), max((end for _, end in rows), default=0)

    def _places(self, I: Array) -> dict[int, Place]:
        """Entries of I that are places in an array, and the table or block that each is in."""
        found = {}
        words = {field.name: k for k, field in enumerate(TABLES[0].fields)}
        for table in TABLES:
            if table.per not in ("", "header"):
                owner = next(t for t in TABLES if t.array == "I" and t.name == table.per)
                at = places(owner, {})[0][table.place]
                for (row, _), (start, fields) in zip(self._rows(owner), self._rows(table), strict=True):
                    end = start + max((end for _, end, _ in fields.values()), default=0)
                    if end > start:
                        found[row + at] = Place(start, start, end, f"a row of {table.name}")
            elif table.place:
                first, end = self._extent(table)
                found[words[table.place]] = Place(int(I[words[table.place]]), first, end, table.name)
        regions = [(*self._extent(table), table.name) for table in TABLES if table.array == "W"]
        for table in (table for table in TABLES if table.array == "I"):
            for name in POINTERS & {field.name for field in table.fields}:
                for start, _ in self._rows(table):
                    k = start + places(table, {})[0][name]
                    found[k] = next(Place(int(I[k]), *region) for region in regions if region[0] <= I[k] < region[1])
        return found

    def _bound(self, name: str, first: int, end: int, what: str) -> None:
        """Let a function that gives places in a table give them with its bounds."""
        kernels = self.kernels.body_row.__globals__
        given = kernels[name]
        kernels[name] = lambda i: Place(given(i), first, end, what)

    def _call_law(self, address: int, t: float, x: Any, first: int, out: Any, start: int) -> None:
        law = self.laws[int(address)]
        seen = (ctypes.c_double * max(law.inputs, 1))(*(x[first + k] for k in range(law.inputs)))
        values = (ctypes.c_double * law.outputs)()
        pointer = ctypes.c_void_p
        code = ctypes.cast(pointer(int(address)), ctypes.POINTER(ctypes.c_int64))[0]
        ctypes.CFUNCTYPE(None, ctypes.c_double, pointer, pointer, pointer)(code)(t, seen, values, pointer(int(address)))
        for k in range(law.outputs):
            out[start + k] = values[k]


__all__ = ["CheckError", "CheckedArray", "CheckedSystem"]
