"""Numbers that a function refers to as data: cells of eight bytes, which compiled code reads through a pointer.

What a number is (`kind_of`) decides about the code that is compiled; its value does not. Touches raw memory and Numba's
types; knows nothing of functions.
"""

import functools
from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic

from kaneflex.kernels.numba_compat import cgutils, make_array, populate_array

_STATIC = 64  # arrays of one dimension up to this length have their length compiled in, and so no checks of bounds
Kind = Any  # a dtype's text, ("array", dtype, dimensions, length or None) or ("tuple", kinds)


def kind_of(value: Any) -> Kind | None:
    """The kind of a number, of an array of numbers, or of a tuple of these; None for all else."""
    if type(value) in (bool, float, complex):
        return np.dtype(type(value)).str
    if type(value) is int:
        return "<i8" if -(2**63) <= value < 2**63 else None
    if isinstance(value, np.ndarray | np.generic):
        dtype = value.dtype
        if dtype.kind not in "biufc" or dtype.itemsize > 16 or not dtype.isnative or dtype.str in ("<f2", "<c32", "<f16"):
            return None
        if isinstance(value, np.generic):
            return dtype.str
        if type(value) is not np.ndarray or value.ndim == 0:
            return None
        return "array", dtype.str, value.ndim, len(value) if value.ndim == 1 and len(value) <= _STATIC else None
    if type(value) is tuple:
        kinds = tuple(kind_of(v) for v in value)
        return None if None in kinds or not kinds else ("tuple", *kinds)
    return None


def frozen_number(value: Any) -> Any:
    """The value as it is now: arrays are copied, and cannot be written to."""
    if isinstance(value, np.ndarray):
        value = np.array(value, order="C")
        value.flags.writeable = False
    elif isinstance(value, tuple):
        value = tuple(frozen_number(v) for v in value)
    return value


def bytes_of(value: Any) -> Any:
    """Something to compare frozen numbers by, to the bit."""
    if isinstance(value, tuple):
        return tuple(bytes_of(v) for v in value)
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    return np.asarray(value).tobytes()


def reals_in(value: Any) -> list[Any]:
    """The floats in a frozen number, in arrays of them."""
    if isinstance(value, tuple):
        return [x for v in value for x in reals_in(v)]
    return [np.ravel(value)] if np.asarray(value).dtype == np.float64 else []


def with_reals(value: Any, reals: Any) -> Any:
    """The frozen number with its floats taken from an iterator."""
    if isinstance(value, tuple):
        return tuple(with_reals(v, reals) for v in value)
    if np.asarray(value).dtype != np.float64:
        return value
    found = np.array([next(reals) for _ in range(np.size(value))]).reshape(np.shape(value))
    return frozen_number(found) if isinstance(value, np.ndarray) else float(found)


def size_of(kind: Kind) -> int:
    """Number of cells."""
    if isinstance(kind, str):
        return -(-np.dtype(kind).itemsize // 8)
    return sum(size_of(k) for k in kind[1:]) if kind[0] == "tuple" else 1 + int(kind[2])


def packed(value: Any, kind: Kind) -> Any:
    """The cells of a frozen number, as bytes; an array must outlive them."""
    if isinstance(kind, str):
        raw = np.asarray(value, np.dtype(kind)).tobytes()
        return raw.ljust(8 * size_of(kind), b"\0")
    if kind[0] == "tuple":
        return b"".join(packed(v, k) for v, k in zip(value, kind[1:], strict=True))
    return np.array([value.ctypes.data, *value.shape], np.int64).tobytes()


def numba_type(kind: Kind) -> Any:
    """Numba's type of a kind; arrays cannot be written to."""
    if isinstance(kind, str):
        return numba.from_dtype(np.dtype(kind))
    if kind[0] == "tuple":
        return numba.types.Tuple([numba_type(k) for k in kind[1:]])
    return numba.types.Array(numba.from_dtype(np.dtype(kind[1])), kind[2], "C", readonly=True)


@functools.cache
def loader(kind: Kind, first: int) -> Any:
    """A function of compiled code that reads a number from the cells at a pointer, from number `first` on."""
    made = numba_type(kind)

    @intrinsic
    def load(typingctx: Any, cells: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _read(context, builder, kind, args[0], first)

        return made(cells), codegen

    return load


def _read(context: Any, builder: Any, kind: Kind, cells: Any, first: int) -> Any:
    made = numba_type(kind)
    place = builder.gep(cells, [cgutils.intp_t(first)])
    if isinstance(kind, str):
        return context.unpack_value(builder, made, builder.bitcast(place, context.get_data_type(made).as_pointer()))
    if kind[0] == "tuple":
        parts = []
        for k in kind[1:]:
            parts.append(_read(context, builder, k, cells, first))
            first += size_of(k)
        return context.make_tuple(builder, made, parts)
    address = builder.load(place)
    if kind[3] is None:
        shape = [builder.load(builder.gep(cells, [cgutils.intp_t(first + 1 + k)])) for k in range(made.ndim)]
    else:
        shape = [cgutils.intp_t(kind[3])]
    size = context.get_abi_sizeof(context.get_data_type(made.dtype))
    strides: list[Any] = []
    stride = cgutils.intp_t(size)
    for length in reversed(shape):
        strides.insert(0, stride)
        stride = builder.mul(stride, length)
    array = make_array(made)(context, builder)
    data = builder.inttoptr(address, context.get_data_type(made.dtype).as_pointer())
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=cgutils.intp_t(size), meminfo=None)
    return array._getvalue()
