"""User functions of time and measured quantities, made callable from compiled kernels by address.

A function is compiled by Numba on its own, behind a fixed C signature void(double t, const T* x, T* out), so that a new
law never compiles a kernel anew. What Numba cannot compile runs in the interpreter, behind the same signature. Either
way an exception in a run ends in `pending_error`, and the law's values become NaN: a compiled law that raises is
evaluated once more in the interpreter, which knows the message.

Names that the function refers to are read when the law is made; a compiled law does not notice later changes.
"""

import ctypes
import functools
import inspect
import itertools
import math
import operator
import re
import textwrap
import types
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numba
import numpy as np
import symengine
from numba import carray
from numba.core import cgutils
from numba.core import ir as numba_ir
from numba.core.compiler import Compiler, CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError, NumbaWarning, TypingError
from numba.core.ir_utils import build_definitions, mk_unique_var
from numba.core.registry import cpu_target
from numba.core.untyped_passes import IRProcessing
from numba.extending import intrinsic, overload

from kaneflex.kernels import compiled_ops, ops, symbolic_ops

__all__ = [
    "Law",
    "LawNotDifferentiable",
    "LawNotSymbolic",
    "SlowLawWarning",
    "pending_error",
    "source_of",
    "symbolic_twin",
]

_REMEMBERED = 128  # compiled functions kept for reuse
_LIBRARIES = {"numpy", "scipy", "sympy", "symengine", "numba", "math", "cmath", "builtins"}
_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)
_STEP = 1e-30  # of the complex step
_pending: list[BaseException] = []
_keys = itertools.count(1)


class SlowLawWarning(UserWarning):
    """A user function runs in the Python interpreter."""


class LawNotDifferentiable(TypeError):
    """A user function cannot be differentiated by the complex step; `remedy` says what to write instead."""

    def __init__(self, name: str, remedy: str) -> None:
        super().__init__(f"{name} cannot be differentiated: {remedy}")
        self.name, self.remedy = name, remedy

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.remedy)


class LawNotSymbolic(TypeError):
    """A user function does not run on symbols."""


def pending_error() -> BaseException | None:
    """The first exception that a user function raised in a run since the last call of this, or None."""
    error = _pending[0] if _pending else None
    _pending.clear()
    return error


class Law:
    """A user's function of time and of the quantities it names, reachable from compiled code.

    `function` is f(t) or f(t, x), x being an array of `inputs` numbers; it returns `outputs` numbers, or one number
    where `outputs` is 1. `name` stands in messages, as in "force 'thrust'". The law must live as long as its addresses
    are in use. `symbolic` replaces the function in symbolic runs, and `source` its source text.
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
        self.function = function
        self.inputs = inputs
        self.outputs = outputs
        self.name = name
        self.source = source_of(function) if source is None else source
        self._symbolic = symbolic
        self._key: int | None = None
        self._code = _code(function, inputs, outputs, name)
        if self._code.reason:
            _warn_slow(name, self._code.reason)

    def __repr__(self) -> str:
        return f"<Law {self.name}: {self.inputs} -> {self.outputs}, {'compiled' if self.compiled else 'interpreted'}>"

    @property
    def address(self) -> int:
        """Where the function on float64 is."""
        return self._code.address

    @property
    def compiled(self) -> bool:
        """False when the function runs in the Python interpreter."""
        return not self._code.reason

    @property
    def complex_address(self) -> int:
        """Where the function on complex128 is; made when first asked for."""
        code = self._code
        if not code.complex_address:
            reason = code.make_complex(self.name)
            if reason and self.compiled:
                _warn_slow(self.name, reason, "with derivatives")
        return code.complex_address

    @property
    def symbolic_key(self) -> int:
        """Key of the function in `symbolic_ops.laws`; filed there when first asked for."""
        if self._key is None:
            self._key = next(_keys)
            if self._symbolic is None:
                symbolic_ops.laws[self._key] = self._code.symbolic(self.name)
            else:
                symbolic_ops.laws[self._key] = _first(self._symbolic, self.inputs)
            weakref.finalize(self, symbolic_ops.laws.pop, self._key, None)
        return self._key


def _first(function: Callable[..., Any], inputs: int) -> Callable[[Any, Sequence[Any]], Any]:
    return lambda t, x: function(t, x[:inputs])


def _warn_slow(name: str, reason: str, where: str = "") -> None:
    run = f"a run {where}" if where else "the run"
    message = f"{name} runs in the Python interpreter ({reason}); {run} will be slow"
    warnings.warn(message, SlowLawWarning, stacklevel=3)


# ---- one function in its three worlds


class _Code:
    """A user function as float, complex and symbolic code. Laws of other names may share it."""

    def __init__(self, function: Callable[..., Any], inputs: int, outputs: int, name: str) -> None:
        self.inputs, self.outputs, self.names = inputs, outputs, [name]
        self.function = function
        self.plain = function.py_func if isinstance(function, Dispatcher) else function
        self.takes_x = _takes_x(self.plain, inputs, name)
        self.complex_address = 0
        self.keep: list[Any] = []  # what the addresses point into
        self.form, self.known = self.probe(name)
        self.interpreted = self.interpreter(np.float64)
        self.address = self.interpreted
        self.reason = self.compile()

    def call(self, function: Callable[..., Any], t: Any, x: Any) -> Any:
        """The function's own value."""
        return function(t, x) if self.takes_x else function(t)

    def values(self, result: Any, name: str = "") -> Any:
        """What the function returned as a flat array of numbers, when it is that."""
        name = name or " or ".join(self.names)
        array = np.asarray(result)
        if array.dtype.kind not in "biufc":
            what = "None" if result is None else f"a {type(result).__name__}" if array.ndim == 0 else "no numbers"
            raise ValueError(f"{name}: the function returned {what}, {_needs(name, self.outputs)}")
        if array.ndim > 1:
            shape = " x ".join(map(str, array.shape))
            raise ValueError(f"{name}: the function returned an array of {shape}, {_needs(name, self.outputs)}")
        if array.size != self.outputs:
            count = f"{array.size} value{'' if array.size == 1 else 's'}"
            raise ValueError(f"{name}: the function returned {count}, {_needs(name, self.outputs)}")
        return array.reshape(-1)

    def probe(self, name: str) -> tuple[str, list[tuple[float, Any, Any]]]:
        """Call the function in Python: the form of what it returns, and (t, x, values) to compare with later."""
        form, failure = "", None
        known: list[tuple[float, Any, Any]] = []
        for t, value in ((0.0, 0.0), (0.123, 0.5)):
            x = np.full(self.inputs, value)
            x.flags.writeable = False
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore", RuntimeWarning)
                    result = self.call(self.plain, t, x)
            except (ArithmeticError, ValueError) as error:  # x = 0 may be outside of its domain
                failure = failure or error
                continue
            except Exception as error:
                if known:  # right at the first point, so that it is no slip of the pen
                    continue
                raise ValueError(f"{name}: the function failed at t = {t:g}: {_told(error)}") from error
            values = self.values(result, name)
            if values.dtype.kind == "c":
                raise ValueError(f"{name}: the function returned complex numbers")
            form = form or _form(result)
            known.append((t, x, values))
        if failure and not known:
            raise ValueError(f"{name}: the function failed at t = 0.123: {_told(failure)}") from failure
        return form, known

    def interpreter(self, dtype: Any) -> int:
        """Address of the Python function behind the C signature: an exception is kept, and the values become NaN."""
        inputs, outputs, size = self.inputs, self.outputs, np.dtype(dtype).itemsize
        X, Out = ctypes.c_char * (inputs * size), ctypes.c_char * (outputs * size)
        none = np.zeros(0, dtype)

        def entry(t: float, x: int | None, out: int) -> None:
            target = np.frombuffer(Out.from_address(out), dtype)
            try:
                seen = np.frombuffer(X.from_address(x), dtype).copy() if inputs and x else none.copy()
                target[:] = self.values(self.call(self.plain, t, seen))
            except BaseException as error:
                target[:] = np.nan
                error.add_note(f"in {' or '.join(self.names)} at t = {t:.9g}")
                if not _pending:
                    _pending.append(error)

        callback = _PROTOTYPE(entry)
        self.keep.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value or 0

    def compile(self) -> str:
        """Set the address of the float64 code; why it stays in the interpreter, or ''."""
        if isinstance(self.function, types.MethodType):
            return "a method of an object"
        try:
            jitted = _jitted(self.function, "t, x" if self.takes_x else "t")
            if jitted is None:
                return "a callable object"
            address = self.entry(jitted, numba.float64, self.interpreted)
        except Exception as error:
            return _few_words(error)
        for t, x, values in self.known:
            compiled = self.run(address, t, x, np.float64)
            if not np.allclose(compiled, values.astype(float), rtol=1e-6, atol=0.0, equal_nan=True):
                return "compiled, it gives other numbers; do integers overflow, or is it random?"
        self.address = address
        return ""

    def entry(self, function: Any, scalar: Any, spare: int) -> int:
        """Compile a Numba function for a scalar; where it raises, the code at the address `spare` is called instead."""
        inputs, outputs = self.inputs, self.outputs
        arguments = "(t, carray(x, (inputs,)))" if self.takes_x else "(t,)"
        if self.form == "scalar":
            good, store = "done", ["out[0] = r"]
        elif self.form == "tuple":
            good, store = "done", [f"out[{k}] = r[{k}]" for k in range(outputs)]
        else:
            good, store = "done and len(r) == outputs", ["for k in range(outputs):", "    out[k] = r[k]"]
        lines = [
            "def entry(t, x, out):",
            f"    done, r = attempt(function, {arguments})",
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
            "spare": spare,
        }
        exec("\n".join(lines), space)
        pointer = numba.types.CPointer(scalar)
        signature = numba.void(numba.float64, pointer, pointer)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)
            if function._can_compile:  # for the sake of its messages
                function.compile((numba.float64, scalar[::1]) if self.takes_x else (numba.float64,))
            made = numba.cfunc(signature, error_model="numpy")(space["entry"])
        self.keep.append(made)
        return int(made.address or 0)

    def run(self, address: int, t: float, x: Any, dtype: Any) -> Any:
        """Call compiled code from Python; its exceptions are not kept."""
        x, out, kept = np.array(x, dtype), np.zeros(self.outputs, dtype), len(_pending)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _PROTOTYPE(address)(t, x.ctypes.data, out.ctypes.data)
        del _pending[kept:]
        return out

    def make_complex(self, name: str) -> str:
        """Set the address of the complex128 code; why it runs in the interpreter, or ''."""
        spare, reason = self.interpreter(np.complex128), self.reason
        if not reason:
            try:
                jitted = _jitted(self.function, "t, x" if self.takes_x else "t", whole_powers=True)
                address = self.entry(jitted, numba.complex128, spare)
                if self.analytic(address):
                    self.complex_address = address
                    return ""
                reason = "compiled for complex numbers, it loses their imaginary part"
            except Exception:
                reason = "Numba has no complex version; to compare, write x[0].real"
        failure = self.complex_failure()
        if failure:
            raise LawNotDifferentiable(name, _remedy(self.plain, failure)) from failure
        if not self.analytic(spare):
            remedy = "abs, norm, .real and float drop the imaginary part; np.sqrt(v*v) and a branch on v.real keep it"
            raise LawNotDifferentiable(name, f"its complex step is not its derivative; {remedy}")
        self.complex_address = spare
        return reason

    def points(self) -> Iterator[tuple[float, Any]]:
        """Places at which to try the function."""
        random = np.random.default_rng(3)
        for t, low in ((0.123, 0.3), (0.7, -1.0), (2.9, -1.0), (0.31, 0.5), (5.3, -0.4)):
            yield t, random.uniform(low, 1.0, self.inputs)

    def complex_failure(self) -> Exception | None:
        """The exception that the Python function raises on complex numbers."""
        for t, x in self.points():
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    self.call(self.plain, t, x)
                except Exception:  # outside of its domain in any case
                    continue
                warnings.simplefilter("error", np.exceptions.ComplexWarning)
                try:
                    self.values(self.call(self.plain, t, x + 1e-3j))
                except Exception as error:
                    return error
        return None

    def analytic(self, address: int) -> bool:
        """Whether the complex step agrees with differences, wherever these tell a derivative."""
        h, wrong = 1e-6, np.zeros((self.inputs, self.outputs), int)
        for t, x in self.points():
            middle = self.run(self.address, t, x, np.float64)
            for i in range(self.inputs):
                aside = np.eye(self.inputs)[i]
                right = (self.run(self.address, t, x + h * aside, np.float64) - middle) / h
                left = (middle - self.run(self.address, t, x - h * aside, np.float64)) / h
                value = self.run(address, t, x + 1j * _STEP * aside, np.complex128)
                with np.errstate(all="ignore"):
                    size = np.abs(middle).max(initial=0.0)
                    room = 1e-3 * (np.abs(left) + np.abs(right)) + 1e-8 * size
                    smooth = np.abs(right - left) < room
                    off = np.abs(value.imag / _STEP - (left + right) / 2) > room
                    off |= np.abs(value.real - middle) > 1e-6 * np.abs(middle) + 1e-9 * size
                    off |= ~np.isfinite(value)
                wrong[i] += smooth & off & np.isfinite(middle)
        return not np.any(wrong >= 2)

    def symbolic(self, name: str) -> Callable[[Any, Sequence[Any]], list[Any]]:
        """The function on SymEngine objects."""
        twin = symbolic_twin(self.plain)

        def law(t: Any, x: Sequence[Any]) -> list[Any]:
            seen = np.empty(self.inputs, object)
            seen[:] = x[: self.inputs]
            try:
                result = self.call(twin, t, seen)
                values = [symengine.sympify(v) for v in np.asarray(result, object).reshape(-1)]
            except Exception as error:
                raise LawNotSymbolic(f"{name} does not run on symbols: {_told(error)}") from error
            if len(values) != self.outputs:
                raise ValueError(f"{name}: the function returned {len(values)}, {_needs(name, self.outputs)}")
            return values

        return law


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


# ---- powers: Numba takes v**3 of a complex v by logarithms, which for v < 0 ruins a small imaginary part


def _power(base: Any, exponent: Any) -> Any:
    return base**exponent


@overload(_power)
def _compiled_power(base: Any, exponent: Any) -> Any:
    number = base.dtype if isinstance(base, numba.types.Array) else base
    if not (isinstance(number, numba.types.Complex) and isinstance(exponent, numba.types.Integer | numba.types.Float)):
        return _power

    def power(base: Any, exponent: Any) -> Any:
        n = int(exponent)
        if n != exponent:
            return base**exponent
        left, factor, value = abs(n), base, 0 * base + 1
        while left:
            if left & 1:
                value = value * factor
            factor = factor * factor
            left >>= 1
        return 1 / value if n < 0 else value

    return power


@register_pass(mutates_CFG=False, analysis_only=False)
class _Powers(FunctionPass):
    """Makes a ** b a call of `_power`."""

    _name = "kaneflex_powers"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function at hand."""
        changed = False
        for block in state.func_ir.blocks.values():
            body = []
            for line in block.body:
                value: Any = getattr(line, "value", None)
                binary = isinstance(value, numba_ir.Expr) and value.op in ("binop", "inplace_binop")
                if binary and value.fn in (operator.pow, operator.ipow):
                    name = numba_ir.Var(block.scope, mk_unique_var("$power"), line.loc)
                    body.append(numba_ir.Assign(numba_ir.Global("_power", _power, line.loc), name, line.loc))
                    line.value = numba_ir.Expr.call(name, [value.lhs, value.rhs], (), line.loc)
                    changed = True
                body.append(line)
            block.body = body
        if changed:
            state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return changed


class _PowersCompiler(CompilerBase):
    """Numba's compiler, with `_Powers`."""

    def define_pipelines(self) -> list[Any]:
        """The usual one with one pass more."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.add_pass_after(_Powers, IRProcessing)
        manager.finalize()
        return [manager]


# ---- words


def _needs(name: str, outputs: int) -> str:
    kind = name.partition(" '")[0] if " '" in name else ""
    if not kind:
        return f"{outputs} {'is' if outputs == 1 else 'are'} needed"
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind} needs {outputs}"


def _form(result: Any) -> str:
    if isinstance(result, tuple):
        return "tuple"
    return "scalar" if np.ndim(result) == 0 else "array"


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _few_words(error: Exception) -> str:
    """The first line of a Numba message that says something."""
    if not isinstance(error, NumbaError):
        return f"Numba fails on it with {type(error).__name__}"
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip(" -").rstrip(":") for line in text.splitlines()]
    told = [line for line in lines if line and not line.startswith(("Failed in nopython", "During: "))]
    return textwrap.shorten(told[0] if told else type(error).__name__, 100, placeholder=" ...")


def _remedy(function: Any, error: Exception) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    function = getattr(function, "__func__", function)
    if isinstance(function, types.FunctionType):
        used = []
        for f in _reached(function):
            captured = _captured(f)
            names = set(_names(f.__code__))
            if math in captured.values():
                used += [n for n in names if callable(getattr(math, n, None))]
            used += [n for n, v in captured.items() if getattr(v, "__module__", "") == "math" and callable(v)]
        if used:
            names_used = " and ".join(sorted(set(used)))
            return f"use numpy's {names_used}: those of the math module take no complex numbers"
    return f"it does not run on complex numbers ({_told(error)})"


def source_of(function: Any) -> str:
    """The function's source text, or how Python prints it where there is none."""
    try:
        return textwrap.dedent(inspect.getsource(getattr(function, "py_func", function)))
    except (OSError, TypeError):
        return repr(function)


def _takes_x(function: Any, inputs: int, name: str) -> bool:
    """Whether the function takes x besides t."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return inputs > 0
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in positional if p.default is p.empty]
    loose = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    strict = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if strict or len(needed) > 2 or not (positional or loose):
        has = ", ".join(str(p) for p in parameters)
        raise ValueError(f"{name}: the function takes ({has}); it must take (t) or (t, x)")
    return len(needed) == 2 or ((loose or len(positional) > 1) and inputs > 0)


# ---- the function again, with other globals


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _captured(function: types.FunctionType) -> dict[str, Any]:
    """What the function's free names stand for."""
    space = function.__globals__
    captured = {name: space[name] for name in _names(function.__code__) if name in space}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            captured[name] = cell.cell_contents
        except ValueError:  # assigned later
            continue
    return captured


def _own(value: Any) -> bool:
    """Whether it is a Python function that is not a library's."""
    return isinstance(value, types.FunctionType) and (value.__module__ or "").partition(".")[0] not in _LIBRARIES


def _reached(function: types.FunctionType) -> list[types.FunctionType]:
    """The function and its helpers."""
    found = [function]
    for f in found:
        found += [v for v in _captured(f).values() if _own(v) and v not in found]
    return found


def _rebound(function: types.FunctionType, change: Callable[[Any, Any], Any], wrap: Callable[[Any], Any]) -> Any:
    """The function with every free name changed by change(value, twin), where twin(helper) does the same to a helper;
    each function made is wrapped by `wrap`."""
    twins: dict[types.FunctionType, Any] = {}

    def twin(f: types.FunctionType) -> Any:
        if f in twins:
            return twins[f]
        space = dict(f.__globals__)
        cells = tuple(types.CellType() for _ in f.__closure__ or ())
        copy = types.FunctionType(f.__code__, space, f.__name__, f.__defaults__, cells or None)
        copy.__kwdefaults__ = f.__kwdefaults__
        copy.__module__, copy.__qualname__ = f.__module__, f.__qualname__
        twins[f] = wrap(copy)  # before its names are filled in, for it may name itself
        free = dict(zip(f.__code__.co_freevars, cells, strict=True))
        for name, value in _captured(f).items():
            changed = change(value, twin)
            if name in free:
                free[name].cell_contents = changed
            else:
                space[name] = changed
        return twins[f]

    return twin(function)


def _jitted(function: Any, arguments: str, whole_powers: bool = False) -> Any:
    """The function of `arguments` as Numba takes it, helpers included; None for objects that Numba cannot know.

    With `whole_powers`, for complex numbers, all that is Python source is compiled anew, its powers by multiplication.
    """
    compiler = _PowersCompiler if whole_powers else Compiler
    jit = numba.njit(error_model="numpy", boundscheck=True, pipeline_class=compiler)
    positional: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while isinstance(function, functools.partial):
        positional, keywords = (*function.args, *positional), function.keywords | keywords
        function = function.func
    inner, plain = function, getattr(function, "py_func", function)
    if isinstance(plain, types.FunctionType):
        if whole_powers or inner is plain:
            inner = _rebound(plain, lambda value, twin: _compilable(value, twin, whole_powers), jit)
        count, varied = plain.__code__.co_argcount, plain.__code__.co_flags & inspect.CO_VARARGS
        bare = count == arguments.count(",") + 1 and not varied and not plain.__code__.co_kwonlyargcount
        if bare and not positional and not keywords:
            return inner
    elif not isinstance(plain, types.BuiltinFunctionType | np.ufunc):
        return None
    space = {"inner": inner} | {f"a{k}": v for k, v in enumerate(positional)}
    space |= {f"k{k}": v for k, v in enumerate(keywords.values())}
    given = "".join(f"a{k}, " for k in range(len(positional)))
    words = "".join(f", {word}=k{k}" for k, word in enumerate(keywords))
    exec(f"def law({arguments}): return inner({given}{arguments}{words})", space)
    return jit(space["law"])


def _compilable(value: Any, twin: Callable[[Any], Any], anew: bool) -> Any:
    """A helper as compiled code calls it."""
    if anew and isinstance(value, Dispatcher) and _own(value.py_func):
        value = value.py_func
    return value if _numba_knows(value) else twin(value)


def _numba_knows(value: Any) -> bool:
    """False for a helper that must be compiled as well."""
    if not _own(value):
        return True
    context = cpu_target.typing_context
    context.refresh()
    try:
        return context.resolve_value_type(value) is not None
    except (ValueError, TypeError, TypingError):
        return False


def symbolic_twin(function: Any) -> Callable[..., Any]:
    """The function with numpy's, math's and the kernels' scalar functions replaced by SymEngine's, helpers included."""
    if isinstance(function, functools.partial):
        return functools.partial(symbolic_twin(function.func), *function.args, **function.keywords)
    if isinstance(function, types.MethodType):
        return types.MethodType(symbolic_twin(function.__func__), function.__self__)
    function = getattr(function, "py_func", function)
    if isinstance(function, types.FunctionType):
        return _rebound(function, _symbolic_value, lambda f: f)
    call = inspect.getattr_static(type(function), "__call__", None)
    if _own(call):
        return types.MethodType(symbolic_twin(call), function)
    return _symbolic_value(function, None)


def _symbolic_value(value: Any, twin: Any) -> Any:
    value = getattr(value, "py_func", value) if isinstance(value, Dispatcher) else value
    if isinstance(value, types.ModuleType) and value in (np, math):
        return _SymbolicModule(value)
    if callable(value) and isinstance(value, types.BuiltinFunctionType | types.FunctionType | np.ufunc):
        replaced = _symbolic_functions().get(value)
        if replaced is not None:
            return replaced
        return twin(value) if twin and _own(value) else value
    return value


class _SymbolicModule:
    """numpy or math, with those functions replaced that SymEngine has."""

    pi = symengine.pi

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return _symbolic_value(getattr(self._module, name), None)


@functools.cache
def _symbolic_functions() -> dict[Any, Any]:
    def each(function: Callable[..., Any], arguments: int = 1) -> Any:
        return np.frompyfunc(function, arguments, 1)

    table: dict[Any, Any] = {}
    for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "floor", "ceil"):
        function = each(getattr(symengine, {"ceil": "ceiling"}.get(name, name)))
        table |= {getattr(module, name): function for module in (np, math)}
    for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh"):
        function = each(getattr(symengine, name))
        table |= {getattr(math, name): function, getattr(np, name.replace("a", "arc", 1)): function}
    for function, made in (
        ((math.atan2, np.arctan2), each(symengine.atan2, 2)),
        ((math.fabs, np.abs, np.fabs), each(symengine.Abs)),
        ((math.pow, np.power), each(lambda a, b: a**b, 2)),
        ((math.radians, np.radians, np.deg2rad), each(lambda a: a * symengine.pi / 180)),
        ((math.degrees, np.degrees, np.rad2deg), each(lambda a: a * 180 / symengine.pi)),
        ((math.hypot, np.hypot), each(lambda a, b: symengine.sqrt(a**2 + b**2), 2)),
        ((np.sign,), each(symengine.sign)),
        ((np.maximum,), each(symengine.Max, 2)),
        ((np.minimum,), each(symengine.Min, 2)),
        ((np.square,), each(lambda a: a * a)),
        ((ops.ramp, compiled_ops.ramp), each(symbolic_ops.ramp)),
        ((ops.step, compiled_ops.step), each(symbolic_ops.step)),
        ((compiled_ops.sin,), each(symengine.sin)),
        ((compiled_ops.cos,), each(symengine.cos)),
    ):
        table |= dict.fromkeys(function, made)
    return table


# ---- reuse


_made: OrderedDict[Any, _Code] = OrderedDict()


def _code(function: Callable[..., Any], inputs: int, outputs: int, name: str) -> _Code:
    """The code of the function, compiled already if it is the same one and all it refers to is unchanged."""
    key = _identity(function)
    if key is None:
        return _Code(function, inputs, outputs, name)
    key = (key, inputs, outputs)
    if key in _made:
        code = _made[key]
        _made.move_to_end(key)
        if name not in code.names:
            code.names.append(name)
        return code
    code = _made[key] = _Code(function, inputs, outputs, name)
    if len(_made) > _REMEMBERED:
        _made.popitem(last=False)
    return code


def _identity(value: Any, seen: tuple[Any, ...] = ()) -> Any:
    """Something hashable that changes when the function, or a value it refers to, does; None where that is unknown."""
    if isinstance(value, bool | int | float | complex | str | None):
        return type(value), value
    if isinstance(value, types.ModuleType):
        return value if value.__name__ in ("math", "cmath", "numpy") else None
    if isinstance(value, types.BuiltinFunctionType | np.ufunc | Dispatcher):
        return value
    parts: list[Any] = []
    if isinstance(value, functools.partial):
        parts = [value.func, *value.args, *value.keywords.values()]
        head: Any = (len(value.args), *value.keywords)
    elif isinstance(value, types.FunctionType):
        if value in seen or (value.__module__ or "").partition(".")[0] in _LIBRARIES:
            return value
        captured = _captured(value)
        head, parts, seen = (value, *captured), list(captured.values()), (*seen, value)
    elif isinstance(value, tuple):
        head, parts = tuple, list(value)
    else:
        return None
    known = [_identity(part, seen) for part in parts]
    return None if None in known else (head, *known)
