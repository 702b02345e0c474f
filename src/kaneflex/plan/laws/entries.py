"""Functions behind a block of cells, and the exceptions they leave behind.

Compiled code reaches a user's function through the address of a block: its first cell is the address of a C function
void(double t, const T* x, T* out, const int64* block), its second that of the interpreter's, of the same signature, and
the cells after these are the numbers that the function refers to. Touches raw memory: what is behind the addresses.
"""

import contextlib
import ctypes
import itertools
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kaneflex.plan.laws.cells import packed

CODE, INTERPRETER, NUMBER, DATA = 0, 1, 2, 3  # cells: addresses of the code and of the interpreter, the block's number, data

_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_numbers = itertools.count(1)
_blocks: "weakref.WeakValueDictionary[int, Block]" = weakref.WeakValueDictionary()


@contextlib.contextmanager
def quiet(category: type[Warning] = Warning) -> Iterator[None]:
    """No warnings of the category, nor of numpy's arithmetic."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", category)
        yield


class Block:
    """A user's function on float64 or complex128, at an address that is good as long as this lives.

    Where `code`, the address of compiled code, is 0 the function runs in the interpreter. An exception there is noted in
    `errors`, with where it was, and the values become NaN.
    """

    def __init__(
        self,
        function: Callable[[float, Any], Any],
        name: str,
        sizes: tuple[int, int],
        dtype: Any,
        errors: list[BaseException],
    ) -> None:
        self.function, self.name, self.errors = function, name, errors
        self.inputs, self.outputs = sizes
        self.dtype = np.dtype(dtype)
        self._alive: Any = None
        self._number = next(_numbers)
        _blocks[self._number] = self
        self.cells = np.array([_interpreter, _interpreter, self._number], np.int64)

    def be_compiled(self, code: Any, data: bytes = b"", alive: Any = None) -> None:
        """Run compiled code, whose `address` it has, on the data; `alive` is what these point into."""
        head = np.array([code.address, _interpreter, self._number], np.int64)
        self.cells, self._alive = np.concatenate([head, np.frombuffer(data, np.int64)]), (code, alive)

    @property
    def has_data(self) -> bool:
        """Whether it is compiled code on numbers that are data."""
        return len(self.cells) > DATA

    def on(self, numbers: list[tuple[Any, Any]]) -> "Block":
        """The same compiled code on other numbers, (frozen number, kind) each."""
        other = Block(self.function, self.name, (self.inputs, self.outputs), self.dtype, self.errors)
        data = b"".join(packed(value, kind) for value, kind in numbers)
        other.be_compiled(self._alive[0], data, [value for value, _ in numbers])
        return other

    @property
    def address(self) -> int:
        """What compiled code calls."""
        return int(self.cells.ctypes.data)

    def run(self, t: float, x: Any) -> Any:
        """Call it from Python; its exceptions are not kept."""
        x, out = np.array(x, self.dtype), np.zeros(self.outputs, self.dtype)
        with self.errors_apart():
            _PROTOTYPE(int(self.cells[CODE]))(t, x.ctypes.data, out.ctypes.data, self.address)
        return out

    @contextlib.contextmanager
    def errors_apart(self) -> Iterator[None]:
        """Inside, exceptions are not noted, but for those that stop the program, which are raised at the end."""
        kept, self.errors = self.errors, []
        try:
            with quiet():
                yield
        finally:
            found, self.errors = self.errors, kept
        if found and not isinstance(found[0], Exception):
            raise found[0]

    def interpret(self, t: float, x: int | None, out: int) -> None:
        """The function's values at the address out; x is the address of what it sees."""
        size = self.dtype.itemsize
        target = np.frombuffer((ctypes.c_char * (self.outputs * size)).from_address(out), self.dtype)
        try:
            seen = np.zeros(self.inputs, self.dtype)
            if self.inputs:
                seen[:] = np.frombuffer((ctypes.c_char * (self.inputs * size)).from_address(x or 0), self.dtype)
            target[:] = self.function(t, seen)
        except BaseException as error:
            target[:] = np.nan
            error.add_note(f"in {self.name} at t = {t:.9g}")
            if not self.errors or not isinstance(error, Exception):  # the first, but that the user wants to stop
                self.errors.insert(0, error)


def _interpret(t: float, x: int | None, out: int, block: int) -> None:
    number = ctypes.c_int64.from_address(block + 8 * NUMBER).value
    _blocks[number].interpret(t, x, out)


_callback = _PROTOTYPE(_interpret)
_interpreter = int(ctypes.cast(_callback, ctypes.c_void_p).value or 0)
