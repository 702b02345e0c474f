"""One user function in its three worlds: float, complex and symbolic.

Calls the user's function to learn what it returns, and compares the worlds; gives no warnings.
"""

import functools
import inspect
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from kaneflex.kernels.numba_compat import Dispatcher
from kaneflex.model.recipes import holds
from kaneflex.plan.laws.capture import Capture
from kaneflex.plan.laws.entries import Block, quiet
from kaneflex.plan.laws.errors import LawNotDifferentiable, LawNotSymbolic
from kaneflex.plan.laws.machine import Shape, machine_of
from kaneflex.plan.laws.messages import describe, mismatch, remedy
from kaneflex.plan.laws.moment import capture_of

_STEP = 1e-30  # of the complex step


ORDINARY = 2  # the first trials; what follows is for functions that these are outside the domain of


def trials(size: int) -> list[tuple[float, np.ndarray]]:
    """Times and x at which functions are tried: zeros, equal numbers, and such that no two vectors of them are parallel."""
    return [(0.0, np.zeros(size)), (0.123, np.full(size, 0.5)), (0.123, 0.5 + np.sin(np.arange(size)) / 4)]


class Code:
    """A user function as float, complex and symbolic code.

    `real` is the block of cells on float64, and `reason` why that is the interpreter's, or ''. `complex` is the one on
    complex128, once it has been asked for. Exceptions of both are noted in `errors`.
    """

    def __init__(self, function: Callable[..., Any], inputs: int, outputs: int, name: str) -> None:
        self.inputs, self.outputs, self.name = inputs, outputs, name
        self.errors: list[BaseException] = []
        self.complex: Block | None = None
        self._function = function
        self._takes_x = _takes_x(getattr(function, "py_func", function), inputs, name)
        self.capture = self.capture_now()
        live = self.capture.keeps_state or not self.capture.functions
        self._plain = self.capture.function if live else self.capture.twin(arrays=False)
        proved = self.capture.proved.get((inputs, outputs))
        self._form, known = self._probe() if proved is None else (proved, [])
        self.real = self._interpreted(np.float64)
        self.reason = self._compile(known)
        if not self.reason:
            self.capture.proved[inputs, outputs] = self._form

    def capture_now(self) -> Capture:
        """What the function refers to at this moment."""
        return capture_of(self._function, self._takes_x, lambda: _straight(self._function, self._takes_x))

    def capture_of(self, function: Callable[..., Any]) -> Capture:
        """What another function refers to, called as this one is."""
        return Capture(_straight(function, self._takes_x))

    def note_in(self, errors: list[BaseException]) -> None:
        """Note exceptions in this list from now on."""
        self.errors = self.real.errors = errors
        if self.complex is not None:
            self.complex.errors = errors

    def _call(self, function: Callable[..., Any], t: Any, x: Any) -> Any:
        """The function's own value."""
        return function(t, x) if self._takes_x else function(t)

    def _values(self, result: Any) -> Any:
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
        raise ValueError(mismatch(self.name, what, self.outputs))

    def _evaluate(self, t: float, x: Any) -> Any:
        """The Python function's values."""
        return self._values(self._call(self._plain, t, x))

    # ---- float

    def _probe(self) -> tuple[str, list[tuple[float, Any, Any]]]:
        """Call the function in Python: the form of what it returns, and (t, x, values) to compare with later."""
        form, failure, name = "", None, self.name
        known: list[tuple[float, Any, Any]] = []
        for k, (t, x) in enumerate(trials(self.inputs)):
            if k == ORDINARY and known:
                break
            x.flags.writeable = False
            try:
                with quiet(RuntimeWarning):
                    result = self._call(self._plain, t, x)
            except (ArithmeticError, ValueError) as error:  # x = 0, or equal numbers, may be outside of its domain
                failure = failure or error
                continue
            except Exception as error:
                if known:  # right at the first point, so that it is no slip of the pen
                    continue
                raise ValueError(f"{name}: the function failed at t = {t:g}: {describe(error)}") from error
            values = self._values(result)
            if values.dtype.kind == "c":
                raise ValueError(f"{name}: the function returned complex numbers")
            form = form or ("tuple" if isinstance(result, tuple) else "array" if np.ndim(result) else "scalar")
            known.append((t, x, values))
        if failure and not known:
            raise ValueError(f"{name}: the function failed at t = 0.123: {describe(failure)}") from failure
        return form, known

    def _interpreted(self, dtype: Any) -> Block:
        return Block(self._evaluate, self.name, (self.inputs, self.outputs), dtype, self.errors)

    def _shape(self, complex: bool) -> Shape:
        return Shape(self._takes_x, self._form, self.inputs, self.outputs, complex)

    def _compile(self, known: list[tuple[float, Any, Any]]) -> str:
        """Make `real` compiled code; why it stays in the interpreter, or ''."""
        if isinstance(self._function, types.MethodType):
            return "a method of an object"
        if not self.capture.functions:
            return "a callable object"
        if self.capture.keeps_state:
            return "it assigns to names outside of it"
        machine, data, alive = machine_of(self.capture, self._shape(False))
        if not machine.address:
            return machine.reason
        block = self._interpreted(np.float64)
        block.be_compiled(machine, data, alive)
        for t, x, values in known:
            if not np.allclose(block.run(t, x), values.astype(float), rtol=1e-6, atol=0.0, equal_nan=True):
                return "compiled, it gives other numbers; do integers overflow, or is it random?"
        self.real = block
        return ""

    # ---- complex

    def make_complex(self) -> tuple[Block, str]:
        """A block on complex128, and why it runs in the interpreter, or ''."""
        block, reason = self._interpreted(np.complex128), self.reason
        if not reason:
            capture = Capture(_straight(self._function, self._takes_x), anew=True) if self.capture.opaque else self.capture
            machine, data, alive = machine_of(capture, self._shape(True))
            if machine.address:
                block.be_compiled(machine, data, alive)
                if self._is_analytic(block):
                    return block, ""
                block = self._interpreted(np.complex128)
                reason = "compiled for complex numbers, it loses their imaginary part"
            else:
                reason = "Numba has no complex version; to compare, write x[0].real"
        failure = self._complex_failure()
        if failure:
            raise LawNotDifferentiable(self.name, remedy(self._plain, failure)) from failure
        if not self._is_analytic(block):
            advice = "abs, norm, .real and float drop the imaginary part; np.sqrt(v*v) and a branch on v.real keep it"
            raise LawNotDifferentiable(self.name, f"its complex step is not its derivative; {advice}")
        return block, reason

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

    def _is_analytic(self, block: Block) -> bool:
        """Whether the complex step agrees with differences, wherever these tell a derivative."""
        h, wrong = 1e-6, np.zeros((self.inputs, self.outputs), int)
        for t, x in self._points():
            middle = self.real.run(t, x)
            for i in range(self.inputs):
                aside = np.eye(self.inputs)[i]
                right = (self.real.run(t, x + h * aside) - middle) / h
                left = (middle - self.real.run(t, x - h * aside)) / h
                value = block.run(t, x + 1j * _STEP * aside)
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

    def symbolic(self) -> Callable[[Any, Sequence[Any]], list[Any]]:
        """The function on SymEngine objects."""
        import symengine  # loaded when it is wanted

        from kaneflex.plan.laws.symbols import symbolic_twin

        twin, name = symbolic_twin(self._function if holds(self._function) else self._plain), self.name
        call, inputs, outputs = self._call, self.inputs, self.outputs

        def law(t: Any, x: Sequence[Any]) -> list[Any]:
            seen = np.empty(inputs, object)
            seen[:] = x[:inputs]
            try:
                result = call(twin, t, seen)
                values = [symengine.sympify(v) for v in np.asarray(result, object).reshape(-1)]
            except Exception as error:
                raise LawNotSymbolic(f"{name} does not run on symbols: {describe(error)}") from error
            if len(values) != outputs:
                raise ValueError(mismatch(name, len(values), outputs))
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


def _straight(function: Any, takes_x: bool) -> Any:
    """The function as one of exactly (t) or (t, x), its other arguments numbers that it refers to; as it is when it is no
    Python function, nor one that Numba may know."""
    inner, positional = function, ()
    words: dict[str, Any] = {}
    while isinstance(inner, functools.partial):
        positional, words, inner = (*inner.args, *positional), inner.keywords | words, inner.func
    plain = getattr(inner, "py_func", inner)
    arguments = ["t", "x"][: 1 + takes_x]
    if isinstance(plain, types.FunctionType):
        code = plain.__code__
        varied = code.co_flags & inspect.CO_VARARGS or code.co_kwonlyargcount
        if inner is plain and code.co_argcount == len(arguments) and not (varied or positional or words):
            return inner
        if isinstance(inner, Dispatcher) and not (positional or words) and code.co_argcount == len(arguments) and not varied:
            return _wrapped(inner, (), arguments, {})
        names = code.co_varnames[: code.co_argcount]
        defaults = dict(zip(names[len(names) - len(plain.__defaults__ or ()) :], plain.__defaults__ or (), strict=True))
        for name in names[: len(positional) + len(arguments)]:
            defaults.pop(name, None)
        words = defaults | (plain.__kwdefaults__ or {}) | words
        if inner is plain:
            inner = types.FunctionType(code, plain.__globals__, plain.__name__, None, plain.__closure__)
            inner.__module__ = plain.__module__
    elif not isinstance(plain, types.BuiltinFunctionType | np.ufunc):
        return function
    return _wrapped(inner, positional, arguments, words)


def _wrapped(inner: Any, positional: tuple[Any, ...], arguments: list[str], words: dict[str, Any]) -> Any:
    given = [f"a{k}" for k in range(len(positional))] + arguments + [f"{word}=k{k}" for k, word in enumerate(words)]
    space = {"inner": inner} | {f"a{k}": v for k, v in enumerate(positional)}
    space |= {f"k{k}": v for k, v in enumerate(words.values())}
    code = _code_of(f"lambda {', '.join(arguments)}: inner({', '.join(given)})")
    return types.FunctionType(code, space, "law")


@functools.lru_cache(maxsize=256)
def _code_of(text: str) -> types.CodeType:
    made: types.FunctionType = eval(text)
    return made.__code__
