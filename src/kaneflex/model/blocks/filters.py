"""Filters of a control loop: a notch at a bending frequency, a roll-off above it, and resonances."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, entries
from kaneflex.model.blocks.state_space import StateSpace, TransferFunction
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed


class _Linear(BlockBase):
    """A block that is a transfer function or matrices by another name."""

    def _inner(self) -> TransferFunction | StateSpace:
        raise NotImplementedError

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states."""
        return self._inner().state_names

    @property
    def start(self) -> np.ndarray:
        """At rest."""
        return np.zeros(len(self.state_names))

    @property
    def output_names(self) -> tuple[str, ...]:
        """The output."""
        return tuple(self.drives[:1]) or ("output",)

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        return self._inner().law(size, what)


@typed
@dataclass(frozen=True)
class Notch(_Linear):
    """(s^2 + 2 depth width w s + w^2)/(s^2 + 2 width w s + w^2): passes all but frequencies near w.

    Args:
        frequency: w, rad/s.
        width: damping ratio of the poles.
        depth: what is left of a signal at w, 0 for nothing.
        sees: one channel.
        drives: one input.
    """

    frequency: float
    width: float = 0.5
    depth: float = 0.0

    def _check(self) -> None:
        for name in ("frequency", "width"):
            checks.positive(getattr(self, name), f"{name} of a Notch block")
        checks.not_negative(self.depth, "depth of a Notch block")

    def _inner(self) -> TransferFunction:
        w, b = float(self.frequency), 2 * self.width * self.frequency
        return TransferFunction([1.0, self.depth * b, w * w], [1.0, b, w * w], sees=self.sees, drives=self.drives)


@typed
@dataclass(frozen=True)
class BendingFilter(_Linear):
    """w^2/(s^2 + 2 damping w s + w^2): passes what is below w and lets bending above it fade by 40 dB a decade.

    Args:
        frequency: w, rad/s.
        damping: ratio.
        sees: one channel.
        drives: one input.
    """

    frequency: float
    damping: float = 0.7

    def _check(self) -> None:
        for name in ("frequency", "damping"):
            checks.positive(getattr(self, name), f"{name} of a BendingFilter block")

    def _inner(self) -> TransferFunction:
        w = float(self.frequency)
        return TransferFunction([w * w], [1.0, 2 * self.damping * w, w * w], sees=self.sees, drives=self.drives)


@typed
@dataclass(frozen=True)
class Resonators(_Linear):
    """a'' + w^2 a = x for each of several frequencies: fed back, they take these frequencies out of x.

    Outputs are a and a' of each, `a1`, `a1_rate`, `a2`, ...: a controller with gains for them leaves no ripple at w.

    Args:
        frequencies: w, rad/s; 0 for a double integral.
        sees: one channel.
    """

    frequencies: Any = field(default=())

    def _check(self) -> None:
        given = checks.items(self.frequencies, "frequencies of a Resonators block")
        if not given:
            raise ModelError("a Resonators block has no frequencies: give one or more, rad/s")
        found = tuple(checks.not_negative(w, "frequency of a Resonators block") for w in given)
        object.__setattr__(self, "frequencies", found)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The resonances and their rates."""
        return tuple(name for k in range(len(self.frequencies)) for name in (f"a{k + 1}", f"a{k + 1}_rate"))

    @property
    def state_names(self) -> tuple[str, ...]:
        """The same as the outputs, as states."""
        return tuple(f"{name}_state" for name in self.output_names)

    def _inner(self) -> StateSpace:
        n = len(self.frequencies)
        A, B = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, 1))
        for k, w in enumerate(self.frequencies):
            A[2 * k, 2 * k + 1], A[2 * k + 1, 2 * k], B[2 * k + 1] = 1.0, -w * w, 1.0
        return StateSpace(A, B, np.eye(2 * n), sees=self.sees)


@typed
@dataclass(frozen=True)
class Estimator(_Linear):
    """Estimates states from what is measured: z' = A z + B u + L (y - C z). Outputs are the estimates, `x1`, `x2`, ...

    Args:
        A, B, C: of the linear model, matrices.
        L: gain of the estimator, a row for each state; `LinearModel.kalman` gives one.
        sees: inputs u first, then measurements y.
        initial: estimates at the start; zero by default.
    """

    A: Any
    B: Any
    C: Any
    L: Any
    initial: Any = None

    def _check(self) -> None:
        A = checks.array(self.A, np.shape(np.atleast_2d(np.asarray(self.A, object))), "A of an Estimator block")
        n = len(A)
        shapes = {"A": (n, n)}
        for name in ("B", "C", "L"):
            given = np.shape(np.asarray(getattr(self, name), object))
            if len(given) != 2:
                raise ModelError(f"{name} of an Estimator block is {checks.shown(getattr(self, name))}: give a matrix")
            shapes[name] = (n, given[1]) if name != "C" else (given[0], n)
        for name, shape in shapes.items():
            object.__setattr__(self, name, checks.array(getattr(self, name), shape, f"{name} of an Estimator block"))
        if self.L.shape[1] != len(self.C):
            raise ModelError(
                f"L of an Estimator block has {self.L.shape[1]} columns: one for each measurement, {len(self.C)}"
            )
        first = checks.array(np.zeros(n) if self.initial is None else self.initial, (n,), "initial of an Estimator block")
        object.__setattr__(self, "initial", tuple(float(x) for x in first))

    @property
    def output_names(self) -> tuple[str, ...]:
        """The estimates."""
        return tuple(f"x{k + 1}" for k in range(len(self.A)))

    @property
    def start(self) -> np.ndarray:
        """Estimates at the start."""
        return np.array(self.initial, float)

    def _inner(self) -> StateSpace:
        return StateSpace(self.A - self.L @ self.C, np.hstack([self.B, self.L]), np.eye(len(self.A)), sees=self.sees)


@typed
@dataclass(frozen=True)
class StateFeedback(BlockBase):
    """u = -K (x - at): the gain of an LQR or of pole placement. Outputs: `u1`, `u2`, ..., or the inputs that it drives.

    Args:
        K: gain, a row for each output and a column for each value that is seen; `LinearModel.lqr` gives one.
        at: what x is held at; zero when None.
        sees: the states, in the order of the columns.
        drives: inputs.
    """

    K: Any
    at: Any = None

    def _check(self) -> None:
        if checks.dimensions(self.K) != 2:
            raise ModelError(f"K of a StateFeedback block is {checks.shown(self.K)}: give a matrix")
        K = checks.array(self.K, np.shape(np.asarray(self.K, object)), "K of a StateFeedback block")
        object.__setattr__(self, "K", K)
        at = np.zeros(K.shape[1]) if self.at is None else self.at
        given = checks.array(at, (K.shape[1],), "at of a StateFeedback block")
        object.__setattr__(self, "at", tuple(float(x) for x in given))

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """The outputs."""
        return tuple(self.drives) or tuple(f"u{k + 1}" for k in range(len(self.K)))

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        K, at, first = np.array(self.K), np.array(self.at), entries(len(self.K))
        if size != K.shape[1]:
            raise ModelError(f"{what} has a gain for {K.shape[1]} values and sees {size}: name one channel for each column")

        def feedback(t: Any, x: Any, z: Any) -> Any:
            out = np.zeros(len(K), x.dtype)
            for i in range(len(K)):
                for k in range(len(at)):
                    out[i] -= K[i, k] * (x[k] - at[k])
            return first(out), ()

        return BlockLaw(feedback)


__all__ = ["BendingFilter", "Estimator", "Notch", "Resonators", "StateFeedback"]
