"""Equations of motion as C99 and as compiled functions: q', u' and z' from t, q, u, z, inputs and parameters.

The matrix form A z = b with z = (u', multipliers) is computed by straight-line code and solved as `solve` says, in C as in
the compiled function.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import symengine

from kaneflex.kernels.compiled_ops import reals_at
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.files import write_text
from kaneflex.symbolic.calculus import Probe, Rows
from kaneflex.symbolic.program import COMPARISONS, Compiled, Operation, Program
from kaneflex.symbolic.solve import c_solve, solve_in_place
from kaneflex.symbolic.translate import ZERO, Symbols

if TYPE_CHECKING:
    from kaneflex.symbolic.kanes_method.method import KanesMethod
    from kaneflex.symbolic.system.derivation import Equations

Expr = Any
_reals: Any = reals_at


@dataclass
class MatrixForm:
    """q', rates of `states` of blocks, and A z = b, z = (u', multipliers); what the symbols are, and values of parameters as
    far as they are known.

    `sizes` are those of the multipliers' pivots, see `solve`; `rows` the numbers of the equations that have multipliers;
    `names` say what coordinates, speeds and states are called in the system, where they have other names than their symbols.
    """

    name: str
    t: Expr
    q: list[Expr]
    u: list[Expr]
    inputs: list[Expr]
    parameters: list[Expr]
    values: dict[Expr, float]
    qdot: list[Expr]
    A: Rows
    b: list[Expr]
    sizes: list[Expr] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    states: list[Expr] = field(default_factory=list)
    state_rates: list[Expr] = field(default_factory=list)
    names: dict[Expr, str] = field(default_factory=dict)

    @property
    def arguments(self) -> list[Expr]:
        """t, q, u, states of blocks, inputs, parameters."""
        return [self.t, *self.q, *self.u, *self.states, *self.inputs, *self.parameters]

    @property
    def outputs(self) -> list[Expr]:
        """q', rates of the states of blocks, A by rows, b, sizes."""
        return [*self.qdot, *self.state_rates, *(e for row in self.A for e in row), *self.b, *self.sizes]

    def program(self) -> Program:
        """Straight-line program of the outputs."""
        return Program(self.arguments, self.outputs)

    def numbers(self, values: Mapping[Any, float] | None = None) -> list[float]:
        """Values of the parameters in order; `values` by symbol or name go before those that are known."""
        known = {str(s): v for s, v in self.values.items()}
        names = [str(s) for s in self.parameters]
        for key, value in (values or {}).items():
            checks.known(str(key), names, "parameter")
            known[str(key)] = checks.number(value, f'parameter "{key}"')
        missing = [n for n in names if n not in known]
        if missing:
            raise ModelError(f"{', '.join(missing)} have no value: give numbers for these parameters")
        return [known[n] for n in names]


def of_equations(eq: "Equations") -> MatrixForm:
    """The matrix form of a system's equations, with multipliers where there are constraints.

    Constraint equations that repeat others wherever the bodies are (those out of the plane of a plane loop) are left out.
    """
    kept = independent([c.row for c in eq.constraints])
    rows = [eq.constraints[k] for k in kept]
    A = [[*row, *(ZERO if r in eq.drives else -c.row[r] for c in rows)] for r, row in enumerate(eq.M)]
    A += [[*c.row, *[ZERO] * len(rows)] for c in rows]
    b, sizes = [*eq.F, *(-c.beta for c in rows)], [c.size for c in rows]
    parameters = sorted(eq.values, key=str)
    values = dict(eq.values)
    return MatrixForm(
        eq.name, eq.t, eq.q, eq.u, eq.inputs, parameters, values, eq.qdot, A, b, sizes, kept, eq.z, eq.zdot, eq.names
    )


def independent(rows: Rows) -> list[int]:
    """Numbers of rows that do not depend on the ones before them, judged at two random points."""
    kept: list[int] = []
    tables = [np.array([[probe(e).real for e in row] for row in rows]) for probe in (Probe(3), Probe(5))]
    for k in range(len(rows)):
        for table in tables:
            sizes = np.linalg.norm(table, axis=1, keepdims=True)
            unit = table / np.where(sizes > 1e-9, sizes, np.inf)
            if np.linalg.matrix_rank(unit[[*kept, k]], tol=1e-9) > len(kept):
                kept.append(k)
                break
    return kept


def of_method(method: "KanesMethod", name: str = "system", inputs: Sequence[Any] = ()) -> MatrixForm:
    """The matrix form of a KanesMethod.

    Args:
        method: with its equations formed.
        name: of the exported functions.
        inputs: functions of time whose values are given from outside, in this order; others are an error.
    """
    method._need_explicit()
    native, symbols = method.native, method.symbols
    plain = dict.fromkeys(method._auxiliary, ZERO)
    plain |= {symbols.rate(s): ZERO for s in method._auxiliary}

    def each(e: Expr) -> Expr:
        return symengine.sympify(e).xreplace(plain)

    qdot, A = [each(e) for e in native.qdot], [[each(e) for e in row] for row in native.mass_matrix]
    b = [each(e) for e in native.forcing]
    return of_symbols(symbols, name, (native.q, native.u), inputs, (qdot, A, b))


def of_symbols(
    symbols: Symbols,
    name: str,
    state: tuple[list[Expr], list[Expr]],
    inputs: Sequence[Any],
    equations: tuple[list[Expr], Rows, list[Expr]],
    sizes: Sequence[Expr] = (),
) -> MatrixForm:
    """The matrix form of equations in SymPy's symbols.

    Args:
        symbols: translates.
        name: of the exported functions.
        state: q and u.
        inputs: functions of time whose values are given from outside, in this order; others are an error.
        equations: q', A and b.
        sizes: of the multipliers' pivots, see `solve`.
    """
    if not 0 < len(name) <= 200:
        raise ModelError(f"name is {checks.shown(name)}: give one that files and functions of C can have")
    (q, u), (qdot, A, b) = state, equations
    given, t = [symbols.engine(s) for s in inputs], symbols.symbol(symbols.time)
    wrong = [str(s) for s in given if not symbols.is_dynamic(s)]
    if wrong:
        raise ModelError(f"{', '.join(wrong)} in inputs= are no functions of time: give dynamicsymbols")
    everything = set().union(*(e.free_symbols for e in [*qdot, *b, *(x for row in A for x in row)]))
    rest = everything - {*q, *u, *given, t}
    strange = sorted(str(s) for s in rest if symbols.is_dynamic(s))
    if strange:
        raise ModelError(f"{', '.join(strange)} are functions of time without a value: name them in inputs=")
    parameters = sorted(rest, key=str)
    return MatrixForm(name, t, q, u, given, parameters, {}, qdot, A, b, list(sizes), list(range(len(sizes))))


# -- C -----------------------------------------------------------------------------------------------------------------


def identifier(name: str) -> str:
    """A name that C takes."""
    word = re.sub(r"\W", "_", name.replace("'", "_dot"), flags=re.ASCII)
    return word if word[:1].isalpha() else f"x{word}"


def comment(text: Any) -> str:
    """A text that can stand in a comment of C: nothing in it ends or begins one, or a line."""
    seen = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(text))
    return re.sub(r"(?<=\*)/|(?<=/)\*", r"\\\g<0>", seen)


_C_FUNCTIONS = {"abs": "fabs"}


class _CWriter:
    """Lines of C from a program: lines that are used once are written where they are used."""

    def __init__(self, program: Program, inputs: Sequence[str]) -> None:
        self.program, self.inputs = program, inputs
        self.uses = program.uses()
        self.names: dict[int, str] = {}
        self.text: list[str] = []
        for k, line in enumerate(program.lines):
            if self.uses[k] and self._is_named(line, k):
                self.names[k] = f"z{len(self.names)}"
                kind = "int" if line.name in COMPARISONS else "double"
                self.text.append(f"    const {kind} {self.names[k]} = {self._formula(k)};")

    def _is_named(self, line: Operation, k: int) -> bool:
        if line.name in ("input", "constant"):
            return False
        return self.uses[k] > 1 or self._depth(k) > 5

    def _depth(self, k: int) -> int:
        inner = [j for j in self.program.lines[k].operands if j not in self.names]
        return 1 + max((self._depth(j) for j in inner if self.program.lines[j].operands), default=0)

    def value(self, k: int) -> str:
        """What stands for line k in a formula."""
        return self.names.get(k) or self._formula(k)

    def _formula(self, k: int) -> str:
        line = self.program.lines[k]
        x = [self.value(j) for j in line.operands]
        if line.name == "input":
            return self.inputs[int(line.value)]
        if line.name == "constant":
            text = repr(line.value).replace("inf", "INFINITY").replace("nan", "NAN")
            return f"({text})" if line.value < 0 else text
        if line.name in ("add", "sub", "mul", "div", *COMPARISONS):
            sign = {"add": "+", "sub": "-", "mul": "*", "div": "/"}.get(line.name, line.name)
            return f"({x[0]} {sign} {x[1]})"
        if line.name == "neg":
            return f"(-{x[0]})"
        if line.name == "select":
            return f"({x[0]} ? {x[1]} : {x[2]})"
        return f"{_C_FUNCTIONS.get(line.name, line.name)}({', '.join(x)})"


def c_source(form: MatrixForm) -> tuple[str, str]:
    """Text of the .c and .h files."""
    name = identifier(form.name)
    nq, nu, nx, m = len(form.q), len(form.u), len(form.states), len(form.b)
    arrays = [("t", [form.t]), ("q", form.q), ("u", form.u), ("x", form.states), ("r", form.inputs), ("p", form.parameters)]
    inputs = [a if a == "t" else f"{a}[{k}]" for a, group in arrays for k in range(len(group))]
    program = form.program()
    writer = _CWriter(program, inputs)
    outputs = [writer.value(k) for k in program.outputs]
    letters = ["q", "u", *(["x"] if nx else []), "r", "p"]
    arguments = ", ".join(["double t", *(f"const double {x}[]" for x in letters)])
    unused = "    " + " ".join(f"(void){x};" for x in ("t", *letters))
    states, given_states = (f" double xdot[{nx}],", " xdot,") if nx else ("", "")
    body = [unused, *writer.text]
    body += [f"    qdot[{k}] = {outputs[k]};" for k in range(nq)]
    body += [f"    xdot[{k}] = {outputs[nq + k]};" for k in range(nx)]
    outputs = outputs[nq + nx :]
    body += [f"    a[{k // m}][{k % m}] = {outputs[k]};" for k in range(m * m)]
    body += [f"    b[{k}] = {outputs[m * m + k]};" for k in range(m)]
    body += [f"    s[{k}] = {outputs[m * m + m + k]};" for k in range(m - nu)]
    more, given = (f", double s[{m - nu}]", ", s") if m > nu else ("", "")
    sizes = "; s: what pivots of multipliers are measured by" if m > nu else ""
    legend = _legend(form, nu, m)
    header = f"""{legend}
#ifndef {name.upper()}_H
#define {name.upper()}_H

#define {name.upper()}_NQ {nq}
#define {name.upper()}_NU {nu}
#define {name.upper()}_NX {nx}
#define {name.upper()}_NR {len(form.inputs)}
#define {name.upper()}_NP {len(form.parameters)}
#define {name.upper()}_NZ {m}

/* q' and the equations a z = b, z = (u', multipliers){sizes}. */
void {name}_equations({arguments},
    double qdot[{nq}],{states} double a[{m}][{m}], double b[{m}]{more});

/* Rates of q{', x' if nx else ''} and u; 0, or -1 when the matrix is singular. */
int {name}_rates({arguments},
    double qdot[{nq}],{states} double udot[{nu}]);

#endif
"""
    lines = "\n".join(body)
    source = f"""{legend}
#include <math.h>
#include "{name}.h"

void {name}_equations({arguments},
    double qdot[{nq}],{states} double a[{m}][{m}], double b[{m}]{more})
{{
{lines}
}}
{c_solve(name, nu, m)}
int {name}_rates({arguments},
    double qdot[{nq}],{states} double udot[{nu}])
{{
    double a[{m}][{m}], b[{m}]{more.replace("double ", "")};
    {name}_equations(t, {", ".join(letters)}, qdot,{given_states} a, b{given});
    if ({name}_solve(a, b{given}) != 0)
        return -1;
    for (int k = 0; k < {nu}; ++k)
        udot[k] = b[k];
    return 0;
}}
"""
    return source, header


def _legend(form: MatrixForm, nu: int, m: int) -> str:
    """The comment that says what is where."""
    groups = [("q: coordinates", form.q), ("u: generalized speeds", form.u)]
    groups += [("x: states of blocks", form.states)] if form.states else []
    groups += [("r: inputs", form.inputs)]
    lines = [f"/* Equations of motion of {comment(form.name)}. No dependencies but the C library; SI units, radians.", " *"]
    for title, group in groups:
        called = [comment(s) + (f" = {comment(form.names[s])}" if s in form.names else "") for s in group]
        lines.append(f" * {title}: " + (", ".join(f"[{k}] {name}" for k, name in enumerate(called)) or "none"))
    lines.append(" * p: parameters:")
    for k, s in enumerate(form.parameters):
        value = f" = {form.values[s]!r}" if s in form.values else ""
        lines.append(f" *   [{k}] {comment(s)}{value}")
    if m > nu:
        lines.append(f" * z: u' ({nu}), then {m - nu} multipliers of the constraint equations.")
    return "\n".join([*lines, " */"])


def write_c(form: MatrixForm, folder: Any) -> tuple[Path, Path]:
    """Write <name>.c and <name>.h into a folder, which is made where there is none; returns their paths."""
    place = Path(folder)
    paths = []
    for text, ending in zip(c_source(form), ("c", "h"), strict=True):
        paths.append(write_text(place / f"{identifier(form.name)}.{ending}", text))
    return paths[0], paths[1]


# -- compiled ----------------------------------------------------------------------------------------------------------


class RatesFunction:
    """y' = f(t, y) with y = (q, u, states of blocks), compiled; parameters and inputs are held by the object.

    `function(t, y, ydot)` is the Numba function itself, for use in compiled loops.
    """

    def __init__(self, form: MatrixForm, values: Mapping[Any, float] | None = None) -> None:
        self.form, self.code = form, form.program().compiled()
        nq, nu, nx, m = len(form.q), len(form.u), len(form.states), len(form.b)
        self.size = nq + nu + nx
        self._x = np.zeros(self.code.inputs)
        self._x[1 + self.size + len(form.inputs) :] = form.numbers(values)
        self._out = np.zeros(self.code.size)
        self.function = _rates_function(self.code, self._x, self._out, (nq, nu, nx, m))

    def set_inputs(self, values: Any) -> None:
        """Set the values of the inputs, in their order."""
        first = 1 + self.size
        self._x[first : first + len(self.form.inputs)] = checks.array(values, (len(self.form.inputs),), "inputs")

    def __call__(self, t: float, y: Any) -> np.ndarray:
        """Rates of y = (q, u, states of blocks)."""
        out = np.empty(self.size)
        self.function(float(t), checks.array(y, (self.size,), "y"), out)
        return out


def _rates_function(code: Compiled, x: np.ndarray, out: np.ndarray, sizes: tuple[int, int, int, int]) -> Any:
    call, where, result = code.pointer_function(), x.ctypes.data, out.ctypes.data
    nq, nu, nx, m = sizes
    size, size_out, matrix = nq + nu + nx, code.size, nq + nx

    def rates(t: Any, y: Any, ydot: Any) -> None:
        # the arrays are addressed, not closed over: Numba would freeze their contents
        arguments, values = numba.carray(_reals(where), 1 + size), numba.carray(_reals(result), size_out)
        arguments[0] = t
        for k in range(size):
            arguments[1 + k] = y[k]
        call(t, where, result)
        for k in range(nq):
            ydot[k] = values[k]
        for k in range(nx):
            ydot[nq + nu + k] = values[nq + k]
        b = values[matrix + m * m : matrix + m * m + m]
        solve_in_place(values[matrix : matrix + m * m].reshape(m, m), b, values[matrix + m * m + m :])
        for k in range(nu):
            ydot[nq + k] = b[k]

    compiled: Any = numba.njit(rates, error_model="numpy")
    compiled.alive = (code, x, out)
    return compiled
