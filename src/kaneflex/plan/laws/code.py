"""One user function in its three worlds: float, complex and symbolic.

Calls the user's function to learn what it returns, and compares the worlds; gives no warnings.
"""

import inspect
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from kaneflex.plan.laws.entries import Entry, compiled_entry, interpreted_entry, quiet
from kaneflex.plan.laws.errors import LawNotDifferentiable, LawNotSymbolic
from kaneflex.plan.laws.jit import jitted
from kaneflex.plan.laws.words import few_words, mismatch, remedy, told

_STEP = 1e-30  # of the complex step


class Code:
    """A user function as float, complex and symbolic code. Laws of other names may share it: all are in `names`.

    `real` is the entry on float64, and `reason` why that is the interpreter's, or ''. `complex` is the one on
    complex128, once a law has asked for it.
    """

    def __init__(self, function: Callable[..., Any], inputs: int, outputs: int, name: str) -> None:
        self.inputs, self.outputs, self.names = inputs, outputs, [name]
        self.complex: Entry | None = None
        self.memory: dict[str, Any] = {}
        self._function = function
        self._plain = function.py_func if isinstance(function, Dispatcher) else function
        self._takes_x = _takes_x(self._plain, inputs, name)
        self._form, known = self._probe(name)
        self.real = self._interpreted(np.float64)
        self.reason = self._compile(known)

    def _call(self, function: Callable[..., Any], t: Any, x: Any) -> Any:
        """The function's own value."""
        return function(t, x) if self._takes_x else function(t)

    def _values(self, result: Any, name: str) -> Any:
        """What the function returned as a flat array of numbers, when it is that."""
        array = np.asarray(result)
        what: str | int
        if array.dtype.kind not in "biufc":
            what = "None" if result is None else f"a {type(result).__name__}" if array.ndim == 0 else "no numbers"
        elif array.ndim > 1:
            what = f"an array of {' x '.join(map(str, array.shape))}"
        elif array.size != self.outputs:
            what = array.size
        else:
            return array.reshape(-1)
        raise ValueError(mismatch(name, what, self.outputs))

    def _evaluate(self, t: float, x: Any) -> Any:
        """The Python function's values."""
        return self._values(self._call(self._plain, t, x), self._told_names())

    def _told_names(self) -> str:
        return " or ".join(self.names)

    # ---- float

    def _probe(self, name: str) -> tuple[str, list[tuple[float, Any, Any]]]:
        """Call the function in Python: the form of what it returns, and (t, x, values) to compare with later."""
        form, failure = "", None
        known: list[tuple[float, Any, Any]] = []
        for t, value in ((0.0, 0.0), (0.123, 0.5)):
            x = np.full(self.inputs, value)
            x.flags.writeable = False
            try:
                with quiet(RuntimeWarning):
                    result = self._call(self._plain, t, x)
            except (ArithmeticError, ValueError) as error:  # x = 0 may be outside of its domain
                failure = failure or error
                continue
            except Exception as error:
                if known:  # right at the first point, so that it is no slip of the pen
                    continue
                raise ValueError(f"{name}: the function failed at t = {t:g}: {told(error)}") from error
            values = self._values(result, name)
            if values.dtype.kind == "c":
                raise ValueError(f"{name}: the function returned complex numbers")
            form = form or ("tuple" if isinstance(result, tuple) else "array" if np.ndim(result) else "scalar")
            known.append((t, x, values))
        if failure and not known:
            raise ValueError(f"{name}: the function failed at t = 0.123: {told(failure)}") from failure
        return form, known

    def _interpreted(self, dtype: Any) -> Entry:
        inputs, outputs = self.inputs, self.outputs
        return interpreted_entry(self._evaluate, self._told_names, inputs=inputs, outputs=outputs, dtype=dtype)

    def _compiled(self, function: Any, spare: Entry) -> Entry:
        return compiled_entry(function, spare, takes_x=self._takes_x, form=self._form, inputs=self.inputs)

    def _compile(self, known: list[tuple[float, Any, Any]]) -> str:
        """Make `real` compiled code; why it stays in the interpreter, or ''."""
        if isinstance(self._function, types.MethodType):
            return "a method of an object"
        try:
            function = jitted(self._function, self._takes_x)
            if function is None:
                return "a callable object"
            entry = self._compiled(function, self.real)
        except Exception as error:
            return few_words(error)
        for t, x, values in known:
            found = entry.run(t, x)
            if not np.allclose(found, values.astype(float), rtol=1e-6, atol=0.0, equal_nan=True):
                return "compiled, it gives other numbers; do integers overflow, or is it random?"
        self.real = entry
        return ""

    # ---- complex

    def make_complex(self, name: str) -> tuple[Entry, str]:
        """An entry on complex128, and why it runs in the interpreter, or ''."""
        spare, reason = self._interpreted(np.complex128), self.reason
        if not reason:
            try:
                function = jitted(self._function, self._takes_x, whole_powers=True)
                entry = self._compiled(function, spare)
                if self._is_analytic(entry):
                    return entry, ""
                reason = "compiled for complex numbers, it loses their imaginary part"
            except Exception:
                reason = "Numba has no complex version; to compare, write x[0].real"
        failure = self._complex_failure()
        if failure:
            raise LawNotDifferentiable(name, remedy(self._plain, failure)) from failure
        if not self._is_analytic(spare):
            advice = "abs, norm, .real and float drop the imaginary part; np.sqrt(v*v) and a branch on v.real keep it"
            raise LawNotDifferentiable(name, f"its complex step is not its derivative; {advice}")
        return spare, reason

    def _points(self) -> Iterator[tuple[float, Any]]:
        """Places at which to try the function."""
        random = np.random.default_rng(3)
        for t, low in ((0.123, 0.3), (0.7, -1.0), (2.9, -1.0), (0.31, 0.5), (5.3, -0.4)):
            yield t, random.uniform(low, 1.0, self.inputs)

    def _complex_failure(self) -> Exception | None:
        """The exception that the Python function raises on complex numbers."""
        for t, x in self._points():
            with quiet():
                try:
                    self._call(self._plain, t, x)
                except Exception:  # outside of its domain in any case
                    continue
                warnings.simplefilter("error", np.exceptions.ComplexWarning)
                try:
                    self._evaluate(t, x + 1e-3j)
                except Exception as error:
                    return error
        return None

    def _is_analytic(self, entry: Entry) -> bool:
        """Whether the complex step agrees with differences, wherever these tell a derivative."""
        h, wrong = 1e-6, np.zeros((self.inputs, self.outputs), int)
        for t, x in self._points():
            middle = self.real.run(t, x)
            for i in range(self.inputs):
                aside = np.eye(self.inputs)[i]
                right = (self.real.run(t, x + h * aside) - middle) / h
                left = (middle - self.real.run(t, x - h * aside)) / h
                value = entry.run(t, x + 1j * _STEP * aside)
                with np.errstate(all="ignore"):
                    size = np.abs(middle).max(initial=0.0)
                    room = 1e-3 * (np.abs(left) + np.abs(right)) + 1e-8 * size
                    smooth = np.abs(right - left) < room
                    off = np.abs(value.imag / _STEP - (left + right) / 2) > room
                    off |= np.abs(value.real - middle) > 1e-6 * np.abs(middle) + 1e-9 * size
                    off |= ~np.isfinite(value)
                wrong[i] += smooth & off & np.isfinite(middle)
        return not np.any(wrong >= 2)

    # ---- symbols

    def symbolic(self, name: str) -> Callable[[Any, Sequence[Any]], list[Any]]:
        """The function on SymEngine objects."""
        import symengine  # loaded when it is wanted

        from kaneflex.plan.laws.symbols import symbolic_twin

        twin = symbolic_twin(self._plain)

        def law(t: Any, x: Sequence[Any]) -> list[Any]:
            seen = np.empty(self.inputs, object)
            seen[:] = x[: self.inputs]
            try:
                result = self._call(twin, t, seen)
                values = [symengine.sympify(v) for v in np.asarray(result, object).reshape(-1)]
            except Exception as error:
                raise LawNotSymbolic(f"{name} does not run on symbols: {told(error)}") from error
            if len(values) != self.outputs:
                raise ValueError(mismatch(name, len(values), self.outputs))
            return values

        return law


def _takes_x(function: Any, inputs: int, name: str) -> bool:
    """Whether the function takes x besides t."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return inputs > 0
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in positional if p.default is p.empty]
    loose = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    strict = any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    if strict or len(needed) > 2 or not (positional or loose):
        has = ", ".join(str(p) for p in parameters)
        raise ValueError(f"{name}: the function takes ({has}); it must take (t) or (t, x)")
    return len(needed) == 2 or ((loose or len(positional) > 1) and inputs > 0)
