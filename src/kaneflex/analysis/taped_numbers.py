"""A fifth scalar for the kernels: numbers that note down what is done with them.

Kernels never branch on the state, so what they do is the same straight line of operations for every state of a system: its
tape (Wengert, Comm. ACM 7 (1964) 463). Numbers known beforehand are worked out while it is noted: what is multiplied by one
of the many zeros among a system's parameters is not on the tape.
"""

from collections.abc import Callable
from typing import Any

from kaneflex.kernels import ops

GIVEN, CONSTANT, ADD, SUB, MUL, DIV, SIN, COS, SQRT, EXP, RAMP, STEP, LAW = range(13)  # operations; GIVEN are arguments
UNARY = {SIN: ops.sin, COS: ops.cos, SQRT: ops.sqrt, EXP: ops.exp, RAMP: ops.ramp, STEP: ops.step}


class Notes:
    """The operations in order: (operation, place of the first operand, place of the second one) each.

    Of a GIVEN number the first is its number, of a CONSTANT its value; of a LAW they are the number of the call, and which
    of its values this is.

    Attributes:
        calls: of user functions: number of the law, place of the time, places of what it sees, number of its values.
    """

    def __init__(self) -> None:
        self.rows: list[tuple[int, Any, Any]] = []
        self._known: dict[tuple[int, Any, Any], Taped] = {}
        self.calls: list[tuple[int, int, tuple[int, ...], int]] = []

    def number(self, operation: int, a: Any, b: Any = -1) -> "Taped":
        """The number that an operation gives; the same operation on the same numbers is noted once."""
        row = operation, a, b
        found = self._known.get(row)
        if found is None:
            found = self._known[row] = Taped(self, len(self.rows))
            self.rows.append(row)
        return found

    def place(self, value: Any) -> int:
        """Place of a number, or of a constant."""
        return value.place if type(value) is Taped else self.number(CONSTANT, float(value)).place

    def law(self, number: int, inputs: int, outputs: int) -> Callable[..., None]:
        """What notes a call of a user function, as `ops.call_law` makes it."""

        def call(t: Any, x: Any, first: int, out: Any, start: int) -> None:
            seen = tuple(self.place(x[first + k]) for k in range(inputs))
            self.calls.append((number, self.place(t), seen, outputs))
            for k in range(outputs):
                out[start + k] = self.number(LAW, len(self.calls) - 1, k)

        return call


class Taped:
    """A number on a tape."""

    __slots__ = ("notes", "place")

    def __init__(self, notes: Notes, place: int) -> None:
        self.notes, self.place = notes, place

    def __add__(self, other: Any) -> Any:
        if type(other) is not Taped and other == 0:
            return self
        a, b = self.place, self.notes.place(other)
        return self.notes.number(ADD, min(a, b), max(a, b))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if type(other) is not Taped:
            return self + -other
        return self.notes.number(SUB, self.place, other.place)

    def __rsub__(self, other: Any) -> Any:
        return self.notes.number(SUB, self.notes.place(other), self.place)

    def __mul__(self, other: Any) -> Any:
        if type(other) is not Taped:
            if other == 0:
                return 0.0
            if other == 1:
                return self
        a, b = self.place, self.notes.place(other)
        return self.notes.number(MUL, min(a, b), max(a, b))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.notes.number(DIV, self.place, other.place) if type(other) is Taped else self * (1 / other)

    def __rtruediv__(self, other: Any) -> Any:
        return 0.0 if other == 0 else self.notes.number(DIV, self.notes.place(other), self.place)

    def __neg__(self) -> Any:
        return self * -1.0

    def __bool__(self) -> bool:
        raise TypeError("a kernel asks for the value of a number that is on a tape")


def _taped(operation: int) -> Callable[[Any], Any]:
    plain = UNARY[operation]
    return lambda x: x.notes.number(operation, x.place) if type(x) is Taped else plain(x)


def _call_law(address: Callable[..., None], t: Any, x: Any, first: int, out: Any, start: int) -> None:
    """Note a call of a user's function: in the place of its address is what `Notes.law` gives."""
    address(t, x, first, out, start)


def scalar() -> dict[str, Any]:
    """The functions of `ops` on taped numbers, as `backend.interpreted` takes them."""
    names = {operation: function.__name__ for operation, function in UNARY.items()}
    return vars(ops) | {names[k]: _taped(k) for k in UNARY} | {"call_law": _call_law}


__all__ = [
    "ADD", "CONSTANT", "COS", "DIV", "EXP", "GIVEN", "LAW", "MUL", "RAMP", "SIN", "SQRT", "STEP", "SUB",
    "Notes", "Taped", "scalar",
]  # fmt: skip
