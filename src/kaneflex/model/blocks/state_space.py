"""Linear blocks: matrices, or a transfer function."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, numbered, seen
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class StateSpace(BlockBase):
    """z-dot = A z + B x, outputs = C z + D x.

    Args:
        A, B, C, D: matrices; D is zero when None. A may be a python-control StateSpace in continuous time, alone.
        initial: values of the states at the start; zero by default.
        states: names of the states, z_1, z_2, ... by default.
        gives: names of the outputs, by default the inputs that it drives, or y_1, y_2, ...
        sees, drives: see `contract.BlockBase`.
    """

    A: Any
    B: Any = None
    C: Any = None
    D: Any = None
    initial: Any = None
    states: Sequence[str] | None = None
    gives: str | Sequence[str] | None = None

    def _check(self) -> None:
        A, B, C, D = self._matrices()
        n, m, p = len(A), B.shape[1], C.shape[0]
        for name, matrix, shape in (("A", A, (n, n)), ("B", B, (n, m)), ("C", C, (p, n)), ("D", D, (p, m))):
            object.__setattr__(self, name, checks.array(matrix, shape, f"{name} of a {type(self).__name__} block"))
        initial = checks.several(np.zeros(n) if self.initial is None else self.initial, n, "initial values of the states")
        object.__setattr__(self, "initial", tuple(float(v) for v in initial))
        names = numbered(n, "z_") if self.states is None else checks.names(self.states, "states")
        gives = self.gives if self.gives is not None else self.drives or numbered(p, "y_")
        gives = checks.names([gives] if isinstance(gives, str) else gives, "gives")
        for what, found, count in (("states", names, n), ("outputs", gives, p)):
            if len(found) != count:
                raise ModelError(f"a StateSpace block has {count} {what} and {len(found)} names of them: name each")
        object.__setattr__(self, "states", tuple(names))
        object.__setattr__(self, "gives", tuple(gives))

    def _matrices(self) -> list[np.ndarray]:
        A, B, C, D = self.A, self.B, self.C, self.D
        if B is None and C is None and all(hasattr(A, name) for name in "ABCD"):
            if getattr(A, "dt", 0) not in (0, None):
                raise ModelError(f"the StateSpace given has a sampling time of {A.dt} s: give one in continuous time")
            A, B, C, D = A.A, A.B, A.C, A.D
        if B is None or C is None:
            raise ModelError("a StateSpace block needs A, B and C (and D), or a python-control StateSpace alone")
        A, B, C = (_matrix(x, f"{name} of a StateSpace block") for x, name in zip((A, B, C), "ABC", strict=True))
        if B.shape[0] != A.shape[0] and B.shape[1] == A.shape[0]:
            raise ModelError(f"B of a StateSpace block is {B.shape[0]} x {B.shape[1]}: a row for each state, {len(A)}")
        D = np.zeros((C.shape[0], B.shape[1])) if D is None else _matrix(D, "D of a StateSpace block")
        return [A, B, C, D]

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states."""
        return tuple(self.states or ())

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(self.gives or ())

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages.

        Without D the outputs do not depend on what is seen.
        """
        seen(size, self.B.shape[1], what)
        A, B, C, D = self.A, self.B, self.C, self.D
        if not D.any():
            return BlockLaw(lambda t, x, z: product(A, z) + product(B, x), lambda t, z: product(C, z))
        return BlockLaw(lambda t, x, z: (product(C, z) + product(D, x), product(A, z) + product(B, x)))


@typed
@dataclass(frozen=True)
class TransferFunction(BlockBase):
    """y(s) = [num(s)/den(s)] x(s) from one value to one, in the controllable canonical form.

    Args:
        num, den: coefficients by falling powers of s; the degree of num is at most that of den. num may be a python-control
            TransferFunction in continuous time with one input and one output, alone.
        initial: values of the states at the start; zero by default.
        gives: name of the output, by default the input that it drives, or "y".
        sees, drives: see `contract.BlockBase`.
    """

    num: Any
    den: Any = None
    initial: Any = None
    gives: str | Sequence[str] | None = None

    def _check(self) -> None:
        num, den = self.num, self.den
        if den is None and hasattr(num, "num") and hasattr(num, "den"):
            if getattr(num, "dt", 0) not in (0, None):
                raise ModelError(f"the TransferFunction given is sampled every {num.dt} s: give one in continuous time")
            if np.shape(num.num)[:2] != (1, 1):
                raise ModelError("the TransferFunction given has several inputs or outputs: give a StateSpace")
            num, den = num.num[0][0], num.den[0][0]
        if den is None:
            raise ModelError("a TransferFunction block needs num and den, or a python-control TransferFunction alone")
        num, den = (np.trim_zeros(_row(x, f"{n} of a TransferFunction block"), "f") for x, n in ((num, "num"), (den, "den")))
        if not len(den):
            raise ModelError("den of a TransferFunction block is zero")
        if len(num) > len(den):
            raise ModelError(
                f"num of a TransferFunction block is of degree {len(num) - 1} and den of {len(den) - 1}: the output would "
                "hold derivatives of what it sees; make den of the same degree or higher"
            )
        object.__setattr__(self, "num", tuple(map(float, num)))
        object.__setattr__(self, "den", tuple(map(float, den)))
        inner = self._state_space()
        object.__setattr__(self, "initial", inner.initial)
        object.__setattr__(self, "gives", inner.gives)

    def _state_space(self) -> StateSpace:
        """The same as matrices."""
        den, n = np.array(self.den), len(self.den) - 1
        num = np.zeros(n + 1)
        num[n + 1 - len(self.num) :] = self.num
        a, b = den[1:] / den[0], num / den[0]
        A, B = np.eye(n, k=-1), np.eye(n, 1)
        A[:1] = -a
        C = (b[1:] - a * b[0])[None, :]
        gives = self.gives if self.gives is not None else self.drives or ("y",)
        return StateSpace(A, B, C, [[b[0]]], self.initial, gives=gives, sees=self.sees)

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states."""
        return numbered(len(self.den) - 1, "z_")

    @property
    def output_names(self) -> tuple[str, ...]:
        """Name of the output."""
        return tuple(self.gives or ())

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        return self._state_space().law(size, what)


def product(A: Any, v: Any) -> Any:
    """A v, v of real, complex or symbolic entries; in loops, which compile in a fraction of the time of whole arrays."""
    out = np.zeros(len(A), v.dtype)
    for i in range(len(A)):
        for j in range(len(v)):
            out[i] += A[i, j] * v[j]
    return out


def _matrix(value: Any, what: str) -> np.ndarray:
    """A matrix of numbers; a number is one of one row and column."""
    if checks.dimensions(value) > 2:
        raise ModelError(f"{what} is {checks.shown(value)}: give rows of numbers")
    return np.atleast_2d(checks.array(value, np.shape(np.asarray(value, object)), what))


def _row(value: Any, what: str) -> np.ndarray:
    """Numbers in a row; a number is a row of one."""
    if checks.dimensions(value) > 1:
        raise ModelError(f"{what} is {checks.shown(value)}: give numbers in a row")
    return np.atleast_1d(checks.array(value, np.shape(np.asarray(value, object)), what))


__all__ = ["StateSpace", "TransferFunction"]
