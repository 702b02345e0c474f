"""The law: what plans hold of a user's function. Gives the warnings, and files symbolic laws in `symbolic_ops.laws`."""

import itertools
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kaneflex.kernels import backend
from kaneflex.plan.laws.capture import Capture
from kaneflex.plan.laws.cells import reals_in, with_reals
from kaneflex.plan.laws.code import Code
from kaneflex.plan.laws.entries import CODE, Block
from kaneflex.plan.laws.errors import SlowLawWarning
from kaneflex.plan.laws.messages import source_of
from kaneflex.plan.laws.moment import capture_of

_keys = itertools.count(1)


class CompiledFunction:
    """A user's function of time and of the quantities it names, reachable from compiled code.

    `function` is f(t) or f(t, x), x being an array of `inputs` numbers; it returns `outputs` numbers, or one number
    where `outputs` is 1. `name` stands in messages, as in "force 'thrust'". The law must live as long as its addresses
    are in use. `symbolic` replaces the function in symbolic runs, and `source` its source text.

    A function that was made out of others, by running them on symbols, has them in its attribute `traced`.

    Attributes:
        given: what the user gave that the function was made of, a profile say.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        inputs: int,
        outputs: int,
        *,
        name: str,
        symbolic: Callable[[Any, Sequence[Any]], Sequence[Any]] | None = None,
        source: str | None = None,
    ) -> None:
        self.function = self.given = function
        self.inputs = inputs
        self.outputs = outputs
        self.name = name
        self.source = source_of(function) if source is None else source
        self._symbolic = symbolic
        self._key: int | None = None
        self._code = Code(function, inputs, outputs, name)
        self._traced = getattr(function, "traced", None)
        self._seen = [self._code.capture] if self._traced is None else self._captures()
        if self._code.reason:
            _warn_slow(name, self._code.reason, "the run")

    def __repr__(self) -> str:
        how = "compiled" if self.compiled else "interpreted"
        return f"<CompiledFunction {self.name}: {self.inputs} -> {self.outputs}, {how}>"

    def _captures(self) -> list[Capture]:
        return [self._code.capture_now()] if self._traced is None else [capture_of(f) for f in self._traced]

    def is_current(self) -> bool:
        """Whether the law is what would be made of the function now: whether what this refers to is unchanged.

        What runs in the interpreter looks up the contents of objects whenever it is called.
        """
        looks_up = self._traced is None and not self.compiled
        now = self._captures()
        return all(
            new.fingerprint == old.fingerprint and (looks_up or not new.live)
            for new, old in zip(now, self._seen, strict=True)
        )

    def note_errors_in(self, errors: list[BaseException]) -> None:
        """Note what the function raises in compiled code, with where that was, in this list; its values are NaN then."""
        self._code.note_in(errors)

    @property
    def errors(self) -> list[BaseException]:
        """What the function raised, when called by compiled code."""
        return self._code.errors

    @property
    def address(self) -> int:
        """Where the function on float64 is."""
        return self._code.real.address

    @property
    def machine_code(self) -> int:
        """Address of the code on float64, which other laws may share; that of the interpreter where it runs in there."""
        return int(self._code.real.cells[CODE])

    @property
    def compiled(self) -> bool:
        """False when the function runs in the Python interpreter."""
        return not self._code.reason

    def along(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of a law without inputs, a row per time; NaN where the function raises, whose exceptions are not kept."""
        out = np.zeros((len(times), self.outputs))
        with self._code.real.errors_apart():
            backend.compiled().call_law_along(self.address, times, out)
        return out

    @property
    def fingerprint(self) -> Any:
        """Equal for functions of the same code and numbers; None where the function refers to objects that may change."""
        captures = self._seen
        return None if any(c.live or c.keeps_state for c in captures) else tuple(c.fingerprint for c in captures)

    def reals_of(self, function: Callable[..., Any]) -> NDArray[np.float64] | None:
        """The real numbers that a function refers to, one after the other; None unless it is this law's on other numbers,
        and these are data of compiled code.

        Args:
            function: as it is given to the constructor.
        """
        capture = self._code.capture_of(function)
        shared = self._code.real.has_data and not capture.live and capture.structure == self._code.capture.structure
        parts = [x for value, _ in capture.numbers for x in reals_in(value)]
        return np.concatenate([np.zeros(0), *parts]) if shared else None

    def on(self, reals: NDArray[np.float64]) -> Block:
        """The law's compiled code on other real numbers, which are in the order of `reals_of`."""
        left = iter(reals.tolist())
        return self._code.real.on([(with_reals(value, left), kind) for value, kind in self._code.capture.numbers])

    @property
    def complex_address(self) -> int:
        """Where the function on complex128 is; made when first asked for."""
        code = self._code
        if code.complex is None:
            code.complex, reason = code.make_complex()
            if reason and self.compiled:
                _warn_slow(self.name, reason, "a run with derivatives")
        return code.complex.address

    @property
    def symbolic_key(self) -> int:
        """Key of the function in `symbolic_ops.laws`; filed there when first asked for."""
        from kaneflex.kernels import symbolic_ops  # SymEngine is loaded when it is wanted

        if self._key is None:
            self._key = next(_keys)
            symbolic_ops.laws[self._key] = self._on_symbols()
            weakref.finalize(self, symbolic_ops.laws.pop, self._key, None)
        return self._key

    def _on_symbols(self) -> Callable[[Any, Sequence[Any]], Sequence[Any]]:
        symbolic, inputs = self._symbolic, self.inputs  # what is filed must not keep the law alive
        if symbolic is None:
            return self._code.symbolic()
        return lambda t, x: symbolic(t, x[:inputs])


def _warn_slow(name: str, reason: str, what: str) -> None:
    message = f"{name} runs in the Python interpreter ({reason}); {what} will be slow"
    warnings.warn(message, SlowLawWarning, stacklevel=3)
