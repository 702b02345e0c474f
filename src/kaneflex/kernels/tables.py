"""The arrays I, P and W by name: `tables.force[2].kind`, `tables.body["arm"].mass`, `work.body[3].omega`.

What is read is a view of the array: writing into it, or `tables.body[3].mass = 2.0`, changes the array. Names are those of
the `schema`, constants in small letters and without the table's prefix and a last underscore; a table of single numbers has
`value`. A whole column is `tables.column.prescribed`, a row for each row of the table. For Python outside of compiled code,
which has its constants.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from math import prod
from typing import Any

import numpy as np

from kaneflex.kernels.schema import TABLES, Field, Table, places, shape_of

Array = np.ndarray
Part = tuple[Table, Array]


def name_of(table: Table, field: Field) -> str:
    """Name of a field in views."""
    return field.name if table.block else field.name.removeprefix(table.prefix).lower().rstrip("_") or "value"


def fields_of(table: Table, counts: Mapping[str, int] | None) -> tuple[dict[str, tuple[int, int, tuple[int, ...]]], int]:
    """Begin, end and shape of every field in a row by name, and the row's length; nothing where there is no row."""
    if counts is None:
        return {}, 0
    begin, length = places(table, counts)
    found = {}
    for field in table.fields:
        shape, at = shape_of(field, counts), begin[field.name]
        found[name_of(table, field)] = at, at + prod(shape), shape
    return found, length


@cache
def fixed_fields(table: Table) -> tuple[dict[str, tuple[int, int, tuple[int, ...]]], int]:
    """`fields_of` a table whose rows are all alike."""
    return fields_of(table, {})


@cache
def named(name: str) -> tuple[Table, ...]:
    """The tables of a name, one in each array that has it."""
    return tuple(table for table in TABLES if table.name == name)


class Row:
    """A row of a table, its fields as attributes: numbers, or views of several."""

    __slots__ = ("_parts",)

    def __init__(self, parts: list[tuple[Array, int, Mapping[str, tuple[int, int, tuple[int, ...]]]]]):
        object.__setattr__(self, "_parts", parts)

    def _view(self, name: str) -> Array:
        for array, start, fields in self._parts:
            if name in fields:
                at, end, shape = fields[name]
                return array[start + at : start + end].reshape(shape)
        raise AttributeError(f"no field {name!r}: there are {', '.join(n for part in self._parts for n in part[2])}")

    def __getattr__(self, name: str) -> Any:
        view = self._view(name)
        return view if view.shape else view[()]

    def __setattr__(self, name: str, value: Any) -> None:
        self._view(name)[...] = value


class Rows:
    """All rows of a table, by number or name; its fields as attributes are those of all rows, one below the other."""

    def __init__(self, tables: "Tables", parts: list[Part], numbers: Mapping[str, int]):
        self._tables, self._parts, self._numbers = tables, parts, numbers

    def __len__(self) -> int:
        return self._tables.extent(self._parts[0][0])[1]

    def __iter__(self) -> Iterator[Row]:
        return (self[n] for n in range(len(self)))

    def __getitem__(self, key: int | str) -> Row:
        number = self._numbers[key] if isinstance(key, str) else int(key)
        if not 0 <= number < len(self):
            raise IndexError(f"row {number} of {self._parts[0][0].name}, which has {len(self)}")
        return Row([(array, *self._tables.row(table, number)) for table, array in self._parts])

    @property
    def arrays(self) -> list[Array]:
        """The table's rows as arrays, in each of the arrays that have some."""
        return [self._whole(table, array) for table, array in self._parts]

    def _whole(self, table: Table, array: Array) -> Array:
        (start, rows), width = self._tables.extent(table), fixed_fields(table)[1]
        return array[start : start + rows * width].reshape(rows, width)

    def __getattr__(self, name: str) -> Any:
        for table, array in self._parts:
            fields = {} if table.per else fixed_fields(table)[0]
            if name in fields:
                at, end, shape = fields[name]
                return self._whole(table, array)[:, at:end].reshape(-1, *shape)
        raise AttributeError(f"no field {name!r} that every row of {self._parts[0][0].name} has alike")


class Tables:
    """Views of the arrays of a system.

    Args:
        I: the integers, which say where everything is.
        arrays: those that are looked at, by the letters of the schema.
        numbers: of named rows, by table.
    """

    def __init__(self, I: Array, arrays: Mapping[str, Array], numbers: Mapping[str, Mapping[str, int]] | None = None):
        self._header = Row([(I, 0, fixed_fields(TABLES[0])[0])])
        self._arrays, self._numbers = dict(arrays), numbers or {}
        self._index = self if "I" in arrays else Tables(I, {"I": I}, numbers)

    @property
    def header(self) -> Row:
        """Sizes, options, and places of the tables."""
        return self._header

    def __getattr__(self, name: str) -> Rows:
        parts = [(table, self._arrays[table.array]) for table in named(name) if table.array in self._arrays]
        if not parts:
            raise AttributeError(f"no table {name!r} in {' and '.join(self._arrays)}")
        return Rows(self, parts, self._numbers.get(name, {}))

    def extent(self, table: Table) -> tuple[int, int]:
        """Where a table begins, and the number of its rows."""
        if table.per:
            return 0, 1 if table.per == "header" else len(getattr(self._index, table.per))
        header, width = self._header, fixed_fields(table)[1]
        start = int(getattr(header, table.place.lower())) if table.place else _BEGIN.get((table.name, table.array), 0)
        if table.until:
            return start, max(int(getattr(header, table.until.lower())) - start, 0) // width
        return start, int(table.rows) if table.rows.isdigit() else int(getattr(header, table.rows.lower()))

    def row(self, table: Table, number: int) -> tuple[int, dict[str, tuple[int, int, tuple[int, ...]]]]:
        """Where a row of a table begins, and its fields."""
        if not table.per:
            fields, width = fixed_fields(table)
            return self.extent(table)[0] + number * width, fields
        other = self._header if table.per == "header" else getattr(self._index, table.per)[number]
        counts = table.counts(self._index, other, number) if table.counts else {}
        return int(getattr(other, _PLACE[table.place])), fields_of(table, counts)[0]


def width(name: str, array: str) -> int:
    """Numbers in a row of a table, in one of the arrays."""
    return next(fixed_fields(table)[1] for table in named(name) if table.array == array)


def with_header(I: Array, **words: int) -> Array:
    """A copy of I with other words in its header, by their names in views: the same system asked otherwise."""
    I, fields = I.copy(), fixed_fields(TABLES[0])[0]
    for name, value in words.items():
        I[fields[name][0]] = value
    return I


_BEGIN = {("body", "I"): fixed_fields(TABLES[0])[1]}  # bodies come first, behind the header in I
_PLACE = {field.name: name_of(table, field) for table in TABLES if table.array == "I" for field in table.fields}

__all__ = ["Row", "Rows", "Tables", "width", "with_header"]
