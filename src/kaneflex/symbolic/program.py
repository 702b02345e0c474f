"""Expressions as straight-line programs: every common part once, one operation per line; counted, printed, compiled.

Expressions are walked as the graphs that they are, so that a part which stands in a thousand places is computed once.
Products and sums are paired in a fixed order, so that equal parts of them are found too.
"""

import ctypes
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import symengine
import sympy

from kaneflex.kernels.numba_compat import binding, ir
from kaneflex.model.checks import ModelError, shown
from kaneflex.model.typed import typed

Expr = Any

UNARY: tuple[str, ...] = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")
UNARY += ("exp", "log", "sqrt", "abs", "erf", "erfc")
_UNARY_OF = {name: name for name in UNARY} | {"Abs": "abs"}  # by the names of SymEngine's types
_COMPARE = {"StrictLessThan": "<", "LessThan": "<=", "Equality": "==", "Unequality": "!="}
COMPARISONS = tuple(_COMPARE.values())


class Operation(NamedTuple):
    """One line: what is done to which earlier lines; `value` of a constant, or number of an input."""

    name: str
    operands: tuple[int, ...] = ()
    value: float = 0.0


@typed
class Program:
    """Lines that compute the outputs from the inputs.

    Args:
        inputs: symbols, in the order of the argument array.
        outputs: expressions of these symbols and no others.
    """

    def __init__(self, inputs: Sequence[Expr], outputs: Iterable[Expr]) -> None:
        inputs = [_expression(s) for s in inputs]
        self.inputs = [str(s) for s in inputs]
        self.lines: list[Operation] = []
        self._numbers: dict[Operation, int] = {}
        self._places: dict[Expr, int] = {}
        for k, s in enumerate(inputs):
            self._places[s] = self._line(Operation("input", value=float(k)))
        self.outputs = [self._walk(_expression(e)) for e in outputs]

    # -- from expressions to lines -------------------------------------------------------------------------------------

    def _line(self, operation: Operation) -> int:
        found = self._numbers.get(operation)
        if found is None:
            found = self._numbers[operation] = len(self.lines)
            self.lines.append(operation)
        return found

    def _constant(self, value: float) -> int:
        return self._line(Operation("constant", value=float(value)))

    def _is(self, k: int, value: float) -> bool:
        return self.lines[k].name == "constant" and self.lines[k].value == value

    def _walk(self, e: Expr) -> int:
        """Line of an expression, without recursion: sums of sums may be thousands deep."""
        stack = [e]
        while stack:
            here = stack[-1]
            if here in self._places:
                stack.pop()
                continue
            missing = [a for a in self._parts(here) if a not in self._places]
            if missing:
                stack.extend(missing)
            else:
                self._places[here] = self._make(here)
                stack.pop()
        return self._places[e]

    def _parts(self, e: Expr) -> list[Expr]:
        if e.is_Mul:
            return [a.args[0] if _is_power(a) else a for a in e.args]
        if e.is_Pow:
            return [e.args[0]] if _is_power(e) else list(e.args)
        if isinstance(e, symengine.Piecewise):
            return [x for x in e.args if not _is_true(x)]
        return list(e.args)

    def _make(self, e: Expr) -> int:
        at = self._places
        if not e.args:
            if e.is_Symbol:
                raise ModelError(f'symbol "{e}" has no value: it is none of the inputs {", ".join(self.inputs)}')
            return self._constant(float(complex(e).real))
        if e.is_Add:
            return self._sum(e)
        if e.is_Mul:
            return self._product(e.args)
        if e.is_Pow:
            if _is_power(e):
                return self._product([e])
            if e.args[0] == symengine.E:
                return self._line(Operation("exp", (at[e.args[1]],)))
            return self._line(Operation("pow", (at[e.args[0]], at[e.args[1]])))
        if type(e).__name__ in _UNARY_OF:
            return self._line(Operation(_UNARY_OF[type(e).__name__], (at[e.args[0]],)))
        if isinstance(e, symengine.Piecewise):
            return self._choice(list(e.args))
        kind = type(e).__name__
        if kind in _COMPARE:
            return self._line(Operation(_COMPARE[kind], (at[e.args[0]], at[e.args[1]])))
        if kind in ("Max", "Min"):
            lines = [at[a] for a in e.args]
            best = lines[0]
            for k in lines[1:]:
                better = (best, k) if kind == "Min" else (k, best)
                best = self._line(Operation("select", (self._line(Operation("<", better)), best, k)))
            return best
        if kind == "sign":
            x, zero = at[e.args[0]], self._constant(0)
            less, more = self._line(Operation("<", (x, zero))), self._line(Operation("<", (zero, x)))
            below = self._line(Operation("select", (less, self._constant(-1), zero)))
            return self._line(Operation("select", (more, self._constant(1), below)))
        if kind == "atan2":
            return self._line(Operation("atan2", (at[e.args[0]], at[e.args[1]])))
        raise ModelError(f"{kind} cannot be turned into code: {e}")

    def _sum(self, e: Expr) -> int:
        plus: list[int] = []
        minus: list[int] = []
        for a in e.args:
            if a.is_Mul and a.args[0] == -1:
                minus.append(self._product(a.args[1:]))
            elif a.is_Number and a.is_negative:
                minus.append(self._constant(-float(a)))
            else:
                plus.append(self._places[a])
        total = self._chain("add", plus) if plus else -1
        for k in sorted(minus):
            total = self._line(Operation("neg", (k,))) if total < 0 else self._line(Operation("sub", (total, k)))
        return total

    def _product(self, factors: Sequence[Expr]) -> int:
        up: list[int] = []
        down: list[int] = []
        for f in factors:
            if _is_power(f):
                base, n = self._places[f.args[0]], f.args[1]
                twice = int(2 * n)
                target = up if twice > 0 else down
                target.extend([base] * (abs(twice) // 2))
                if twice % 2:
                    target.append(self._line(Operation("sqrt", (base,))))
            elif f.is_Rational and not f.is_Integer:
                p, q = f.get_num_den()
                up.append(self._constant(float(p)))
                down.append(self._constant(float(q)))
            else:
                up.append(self._places[f] if f in self._places else self._walk(f))
        negative = [k for k in up if self._is(k, -1.0)]
        up = [k for k in up if not self._is(k, -1.0) and not self._is(k, 1.0)]
        if all(self.lines[k].name == "constant" for k in down) and down:
            # x/2 as x*0.5 where that is exact, else one division at the end
            value = float(np.prod([self.lines[k].value for k in down]))
            if np.frexp(value)[0] == 0.5:
                factor = self._constant(1 / value)
                up, down = [*up, factor], []
        top = self._chain("mul", up) if up else self._constant(1)
        if down:
            top = self._line(Operation("div", (top, self._chain("mul", down))))
        return self._line(Operation("neg", (top,))) if len(negative) % 2 else top

    def _chain(self, name: str, lines: list[int]) -> int:
        """n-ary operation in pairs; constants first, then in the order of the lines, so that prefixes are shared."""
        constants = [k for k in lines if self.lines[k].name == "constant"]
        others = sorted(k for k in lines if self.lines[k].name != "constant")
        if len(constants) > 1:
            values = [self.lines[k].value for k in constants]
            constants = [self._constant(float(np.prod(values)) if name == "mul" else float(np.sum(values)))]
        ordered = others + constants if name == "add" else constants + others
        result = ordered[0]
        for k in ordered[1:]:
            result = self._line(Operation(name, (result, k)))
        return result

    def _choice(self, pairs: list[Expr]) -> int:
        values, conditions = pairs[::2], pairs[1::2]
        result = self._places[values[-1]]
        for value, condition in list(zip(values, conditions, strict=True))[-2::-1]:
            result = self._line(Operation("select", (self._places[condition], self._places[value], result)))
        return result

    # -- what it costs -------------------------------------------------------------------------------------------------

    def uses(self) -> list[int]:
        """How often the outputs and the lines that they need use each line; 0 for one that nothing needs."""
        uses = [0] * len(self.lines)
        for k in self.outputs:
            uses[k] += 1
        for k in range(len(self.lines) - 1, -1, -1):
            if uses[k]:
                for j in self.lines[k].operands:
                    uses[j] += 1
        return uses

    def counts(self) -> dict[str, int]:
        """Number of operations by name: add (subtractions too), mul, div, neg, functions by their names, total."""
        found: dict[str, int] = {}
        for needed, line in zip(self.uses(), self.lines, strict=True):
            if needed and line.name not in ("input", "constant"):
                name = "add" if line.name == "sub" else line.name
                found[name] = found.get(name, 0) + 1
        return found | {"total": sum(found.values())}

    # -- compiled ------------------------------------------------------------------------------------------------------

    def compiled(self) -> "Compiled":
        """Machine code of the program."""
        return Compiled(self)


def _expression(given: Any) -> Expr:
    """An expression of SymEngine from one of SymPy or SymEngine, or a number."""
    plain = isinstance(given, int | float | np.number) and not isinstance(given, bool)
    if not plain and not isinstance(given, sympy.Basic | symengine.Basic):
        raise ModelError(f"{shown(given)} is no expression: give one of SymPy or SymEngine")
    return symengine.sympify(given)


def _is_power(e: Expr) -> bool:
    """Whether e is a whole or half power, which is made of products and square roots."""
    if not e.is_Pow:
        return False
    n = e.args[1]
    return bool(n.is_Rational and (2 * n).is_Integer and abs(n) <= 8)


def _is_true(e: Expr) -> bool:
    return bool(e == symengine.true)


class Compiled:
    """A program as machine code: `f(x)` gives the outputs for an array of inputs; `address` is of C's void(double, x, out).

    The first argument of the C function, a time, is there for the signature's sake; time is an input like others.
    """

    def __init__(self, program: Program) -> None:
        self.inputs, self.size = len(program.inputs), len(program.outputs)
        module = _module(program)
        self._engine = _jit(str(module))
        self.address = int(self._engine.get_function_address("f"))
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)(self.address)
        self._last_x: Any = None
        self._last_out: Any = None
        self._at_x = self._at_out = 0

    def pointer_function(self) -> Any:
        """The C function for Numba's code: f(t, address of x, address of out)."""
        return ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_size_t, ctypes.c_size_t)(self.address)

    def __call__(self, x: Any, out: np.ndarray | None = None) -> np.ndarray:
        """The outputs; `out` is filled and returned when given. Fastest when the same two arrays come again."""
        if x is self._last_x and out is self._last_out and out is not None:
            self._call(0.0, self._at_x, self._at_out)
            return out
        given = np.ascontiguousarray(x, float)
        if given.shape != (self.inputs,):
            raise ModelError(f"the function takes {self.inputs} numbers, not an array of shape {given.shape}")
        result = np.empty(self.size) if out is None else out
        if not (result.shape == (self.size,) and result.dtype == float and result.flags.c_contiguous):
            raise ModelError(f"out is not a contiguous array of {self.size} float64 numbers")
        self._call(0.0, given.ctypes.data, result.ctypes.data)
        if given is x:
            self._last_x, self._last_out, self._at_x, self._at_out = x, out, given.ctypes.data, result.ctypes.data
        return result


def _module(program: Program) -> ir.Module:
    """LLVM's form of a program."""
    double = ir.DoubleType()
    module = ir.Module("kaneflex")
    arrays = double.as_pointer()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [double, arrays, arrays]), "f")
    builder = ir.IRBuilder(function.append_basic_block())
    _, x, out = function.args
    library: dict[str, Any] = {}

    def call(name: str, *arguments: Any) -> Any:
        if name not in library:
            library[name] = ir.Function(module, ir.FunctionType(double, [double] * len(arguments)), name)
        return builder.call(library[name], arguments)

    plain = {"add": builder.fadd, "sub": builder.fsub, "mul": builder.fmul, "div": builder.fdiv, "neg": builder.fneg}
    values: list[Any] = [None] * len(program.lines)
    for k, (needed, line) in enumerate(zip(program.uses(), program.lines, strict=True)):
        if not needed:
            continue
        given = [values[j] for j in line.operands]
        if line.name == "input":
            values[k] = builder.load(builder.gep(x, [ir.Constant(ir.IntType(64), int(line.value))]))
        elif line.name == "constant":
            values[k] = ir.Constant(double, line.value)
        elif line.name in plain:
            values[k] = plain[line.name](*given)
        elif line.name in COMPARISONS:
            values[k] = builder.fcmp_ordered(line.name, *given)
        elif line.name == "select":
            values[k] = builder.select(*given)
        elif line.name == "sqrt":
            values[k] = call("llvm.sqrt.f64", *given)
        elif line.name == "abs":
            values[k] = call("llvm.fabs.f64", *given)
        else:
            values[k] = call(line.name, *given)
    for n, k in enumerate(program.outputs):
        builder.store(values[k], builder.gep(out, [ir.Constant(ir.IntType(64), n)]))
    builder.ret_void()
    return module


_ready = False


def _jit(text: str) -> Any:
    """An engine that holds the compiled module."""
    global _ready
    if not _ready:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        _ready = True
    module = binding.parse_assembly(text)
    module.verify()
    # the lines hold no common parts, so that the generic passes would find little for the time they take
    level = 1 if len(text) < 2_000_000 else 0
    machine = binding.Target.from_default_triple().create_target_machine(opt=level, jit=True)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
