"""Functions behind the C signature void(double t, const T* x, T* out), and the exceptions they leave behind.

Touches raw memory: what is behind the addresses x and out, and machine code. Knows nothing of names and warnings.
"""

import contextlib
import ctypes
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import carray
from numba.core import cgutils
from numba.core.errors import NumbaWarning
from numba.extending import intrinsic

from kaneflex.kernels import compiled_ops

_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)
_pending: list[BaseException] = []


def pending_error() -> BaseException | None:
    """The first exception that a user function raised in a run since the last call of this, or None."""
    error = _pending[0] if _pending else None
    _pending.clear()
    return error


@contextlib.contextmanager
def quiet(category: type[Warning] = Warning) -> Iterator[None]:
    """No warnings of the category, nor of numpy's arithmetic."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", category)
        yield


@dataclass(frozen=True)
class Entry:
    """An address that is good as long as this lives: `owner` is what it points into."""

    address: int
    owner: Any
    outputs: int
    dtype: Any

    def run(self, t: float, x: Any) -> Any:
        """Call it from Python; its exceptions are not kept."""
        x, out, kept = np.array(x, self.dtype), np.zeros(self.outputs, self.dtype), len(_pending)
        with quiet():
            _PROTOTYPE(self.address)(t, x.ctypes.data, out.ctypes.data)
        del _pending[kept:]
        return out


def interpreted_entry(
    function: Callable[[float, Any], Any], note: Callable[[], str], *, inputs: int, outputs: int, dtype: Any
) -> Entry:
    """A Python function of (t, x): an exception is kept, with where it was by note(), and the values become NaN."""
    size = np.dtype(dtype).itemsize
    X, Out = ctypes.c_char * (inputs * size), ctypes.c_char * (outputs * size)

    def entry(t: float, x: int, out: int) -> None:
        target = np.frombuffer(Out.from_address(out), dtype)
        try:
            seen = np.frombuffer(X.from_address(x), dtype).copy() if inputs else np.zeros(0, dtype)
            target[:] = function(t, seen)
        except BaseException as error:
            target[:] = np.nan
            error.add_note(f"in {note()} at t = {t:.9g}")
            if not _pending:
                _pending.append(error)

    callback = _PROTOTYPE(entry)
    return Entry(ctypes.cast(callback, ctypes.c_void_p).value or 0, callback, outputs, dtype)


def compiled_entry(function: Any, spare: Entry, *, takes_x: bool, form: str, inputs: int) -> Entry:
    """A Numba function that returns a "scalar", a "tuple" or an "array", compiled for the numbers that `spare` takes;
    where it raises or returns another length, `spare` is called instead."""
    outputs, scalar = spare.outputs, numba.from_dtype(np.dtype(spare.dtype))
    good, store = "done", [f"out[{k}] = r[{k}]" for k in range(outputs)]
    if form == "scalar":
        store = ["out[0] = r"]
    elif form == "array":
        good, store = "done and len(r) == outputs", ["for k in range(outputs):", "    out[k] = r[k]"]
    lines = [
        "def entry(t, x, out):",
        f"    done, r = attempt(function, {'(t, carray(x, (inputs,)))' if takes_x else '(t,)'})",
        f"    if {good}:",
        *("        " + line for line in store or ["pass"]),
        "    else:",
        "        call_law(spare, t, x, 0, out, 0)",
    ]
    space = {
        "attempt": _attempt,
        "function": function,
        "carray": carray,
        "call_law": compiled_ops.call_law,
        "inputs": inputs,
        "outputs": outputs,
        "spare": spare.address,
    }
    exec("\n".join(lines), space)
    pointer = numba.types.CPointer(scalar)
    with quiet(NumbaWarning):
        if function._can_compile:  # for the sake of its messages
            function.compile((numba.float64, scalar[::1]) if takes_x else (numba.float64,))
        made = numba.cfunc(numba.void(numba.float64, pointer, pointer), error_model="numpy")(space["entry"])
    return Entry(int(made.address or 0), (made, spare), outputs, spare.dtype)


@intrinsic
def _attempt(typingctx: Any, function: Any, arguments: Any) -> Any:
    """(True, value), or (False, nothing) when the function raises."""
    inner = function.get_call_type(typingctx, tuple(arguments), {})
    pair = numba.types.Tuple((numba.boolean, inner.return_type))

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        made = function.dispatcher.get_compile_result(inner)
        context.add_linking_libs([made.library])
        values = cgutils.unpack_tuple(builder, args[1])
        values = [context.cast(builder, *v) for v in zip(values, arguments, inner.args, strict=True)]
        status, value = context.call_internal_no_propagate(builder, made.fndesc, inner, values)
        value = builder.select(status.is_ok, value, value.type(None))
        return context.make_tuple(builder, pair, (status.is_ok, value))

    return pair(function, arguments), codegen
