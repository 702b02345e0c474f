"""Linear models of constrained equations of motion about an operating point.

With the equations f_0(q, q') + f_1(q, u) = 0, f_2(q, u') + f_3(q, u, r) = 0, and constraints f_c(q), f_v(q, u),
f_a(q, u, u') = 0, perturbations of the dependent coordinates and speeds are put in terms of the independent ones,

    dq = C_0 dq_i ,    du = C_1 dq + C_2 du_i                                                        (1)

The operating point is put in before anything is solved, so that a pivot which vanishes there is never divided by.
Ref: Peterson, Gede and Hubbard, Multibody System Dynamics 33 (2015) 143.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy.core.sorting import default_sort_key

from kaneflex.model.checks import ModelError, shown
from kaneflex.model.typed import typed
from kaneflex.symbolic.calculus import Rows, jacobian, negative, plus, replaced, solve, times, total
from kaneflex.symbolic.translate import ONE, ZERO

if TYPE_CHECKING:
    from kaneflex.symbolic.kanes_method.method import KanesMethod

Expr = Any


@typed
class Linearizer:
    """The equations of a `KanesMethod` in the form above; `linearize` as in SymPy's class of the same name.

    Args:
        method: with its equations formed.

    Attributes:
        q, u: coordinates and speeds; q_i, q_d, u_i, u_d the independent and dependent ones; r: other functions of time.
        perm_mat: [q_i, u_i] = perm_mat^T [q, u].
    """

    def __init__(self, method: "KanesMethod") -> None:
        self._method, native = method, method.native
        self._symbols = method.symbols
        self.q, self.u = method.q, method.u
        l, m = len(method._qdep), len(method._udep)
        self._sizes = len(native.q), len(native.u), l, m
        self.q_i, self.q_d = self.q[: len(self.q) - l, :], self.q[len(self.q) - l :, :]
        self.u_i, self.u_d = self.u[: len(self.u) - m, :], self.u[len(self.u) - m :, :]
        self._blocks: dict[str, Rows] = {}
        self._inputs = self._find_inputs()
        self.r = sympy.Matrix([self._symbols.atom(s) for s in self._inputs])
        n, o = self._sizes[:2]
        self.perm_mat = sympy.zeros(n + o, n - l + o - m)
        for j in range(n - l):
            self.perm_mat[j, j] = 1
        for j in range(o - m):
            self.perm_mat[n + j, n - l + j] = 1

    @classmethod
    def of(cls, method: "KanesMethod") -> "Linearizer":
        """The linearizer of a method whose equations are formed."""
        return cls(method)

    def _find_inputs(self) -> list[Expr]:
        """Functions of time in the forces that are neither coordinates nor speeds."""
        method, native = self._method, self._method.native
        own = {*native.q, *native.u, *native.udot, *method._auxiliary}
        own |= {self._symbols.rate(s) for s in (*native.q, *method._auxiliary)}
        found = {s for e in native.forcing for s in e.free_symbols if self._symbols.is_dynamic(s)} - own
        elsewhere = [*native.qdot, *method.ties.f_h, *(e for row in native.mass_matrix for e in row), *method.ties.f_dnh]
        strange = {s for e in elsewhere for s in e.free_symbols if self._symbols.is_dynamic(s)} - own
        if strange:
            names = ", ".join(sorted(map(str, strange)))
            raise ModelError(f"{names} depend on time and are not in the forces alone: give them values in op_point first")
        if any(self._symbols.rate(s) in found for s in found):
            raise ModelError(
                "the forces hold a function of time and its derivative: take the derivative as an input of its own"
            )
        return sorted(found, key=lambda s: default_sort_key(self._symbols.atom(s)))

    def _form(self) -> None:
        """Jacobians of the equations, once."""
        method, native, parts = self._method, self._method.native, self._parts()
        rows = self._sizes[1] - self._sizes[3]
        qdot = [-e for e in parts["f_1"]]
        motion = [a + b for a, b in zip(parts["f_2"], parts["f_3"], strict=True)]
        speeds, accelerations = parts["f_v"], parts["f_a"]
        q, u, r = native.q, native.u, self._inputs
        self._blocks = {
            "qq": jacobian(qdot, q),
            "qu": jacobian(qdot, u),
            "cq": negative(jacobian(accelerations, q)),
            "cu": negative(jacobian(accelerations, u)),
            "dq": negative(jacobian(motion, q)),
            "du": negative(jacobian(motion, u)),
            "dr": negative(jacobian(motion, r)),
            "M": [*method.ties.k_dnh, *negative(native.mass_matrix[:rows])],
            "hq": jacobian(method.ties.f_h, q),
            "vq": jacobian(speeds, q),
            "vu": jacobian(speeds, u),
        }

    def _parts(self) -> dict[str, list[Expr]]:
        """f_0 to f_3 and f_c, f_v, f_a, without auxiliary speeds."""
        method, native = self._method, self._method.native
        rows = self._sizes[1] - self._sizes[3]

        def times_column(table: Rows, column: Iterable[Expr]) -> list[Expr]:
            entries = list(column)
            return [total([a * s for a, s in zip(row, entries, strict=True) if a != 0]) for row in table]

        plain = dict.fromkeys(method._auxiliary, ZERO)
        found = {
            "f_0": [self._symbols.rate(s) for s in native.q],
            "f_1": [-e for e in native.qdot],
            "f_2": [-e for e in times_column(native.mass_matrix[:rows], native.udot)],
            "f_3": native.forcing[:rows],
            "f_c": method.ties.f_h,
            "f_v": [a + b for a, b in zip(times_column(method.ties.k_nh, native.u), method.ties.f_nh, strict=True)],
            "f_a": [a + b for a, b in zip(times_column(method.ties.k_dnh, native.udot), method.ties.f_dnh, strict=True)],
        }
        return {k: [replaced(e, plain) for e in column] for k, column in found.items()}

    def __getattr__(self, name: str) -> Any:
        """f_0 to f_3, f_c, f_v and f_a as SymPy columns, made when they are asked for."""
        if name not in ("f_0", "f_1", "f_2", "f_3", "f_c", "f_v", "f_a"):
            raise AttributeError(f"a Linearizer has no {name!r}")
        return self._symbols.matrix([e] for e in self._parts()[name])

    def point(self, op_point: Any) -> dict[Expr, Expr]:
        """An operating point `op_point`, a dictionary or several, in terms of the symbols here."""
        if op_point is None:
            return {}
        tables: Iterable[Mapping[Any, Any]] = [op_point] if isinstance(op_point, Mapping) else op_point
        found = {}
        if isinstance(op_point, str) or not isinstance(tables, Iterable):
            raise ModelError(f"op_point is {shown(op_point)}: give a mapping from symbols to values, or several")
        for table in tables:
            if not isinstance(table, Mapping):
                raise ModelError(f"op_point has {shown(table)} in it: give a mapping from symbols to values, or several")
            for key, value in table.items():
                symbol = self._symbols.engine(key)
                if symbol.args or symbol.is_Number:
                    raise ModelError(f"op_point gives a value to {key}, which is not a symbol of the system")
                found[symbol] = self._symbols.engine(value)
        return found

    def native(self, op_point: Any = None) -> tuple[Rows, Rows, Rows]:
        """M, A, B of M [q', u'] = A [q_i, u_i] + B r at `op_point`, SymEngine expressions, rows: q, constraints, motion."""
        if not self._blocks:
            self._form()
        values = self.point(op_point)
        at = {k: [[replaced(e, values) for e in row] for row in block] for k, block in self._blocks.items()}
        n, o, _, m = self._sizes
        C0, C1, C2 = self._dependence(at)
        A = []
        for q_block, u_block in ((at["qq"], at["qu"]), (at["cq"], at["cu"]), (at["dq"], at["du"])):
            if not u_block and not q_block:
                continue
            by_q = plus(q_block, times(u_block, C1)) if m else q_block
            by_q = times(by_q, C0) if n else [[] for _ in u_block]
            by_u = times(u_block, C2)
            A += [[*a, *b] for a, b in zip(by_q, by_u, strict=True)]
        M = [[*_unit(i, n), *[ZERO] * o] for i in range(n)] + [[*[ZERO] * n, *row] for row in at["M"]]
        B = [[ZERO] * len(self._inputs) for _ in range(n + m)] + at["dr"]
        return M, A, B

    def _dependence(self, at: Mapping[str, Rows]) -> tuple[Rows, Rows, Rows]:
        """C_0, C_1 and C_2 of Eq. (1)."""
        n, o, l, m = self._sizes
        C0, C1, C2 = _identity(n), [[ZERO] * n for _ in range(o)], _identity(o)
        if l:
            names = ", ".join(map(str, self.q_d))
            what = f"the configuration constraints do not determine {names} at the operating point: choose other coordinates"
            follow = solve([row[n - l :] for row in at["hq"]], [row[: n - l] for row in at["hq"]], what)
            C0 = [row[: n - l] for row in _identity(n)[: n - l]] + negative(follow)
        if m:
            names = ", ".join(map(str, self.u_d))
            what = f"the velocity constraints do not determine {names} at the operating point: choose other speeds"
            right = [[*row[: o - m], *of_q] for row, of_q in zip(at["vu"], at["vq"], strict=True)]
            follow = negative(solve([row[o - m :] for row in at["vu"]], right, what))
            C1 = [[ZERO] * n for _ in range(o - m)] + [row[o - m :] for row in follow]
            C2 = [row[: o - m] for row in _identity(o)[: o - m]] + [row[: o - m] for row in follow]
        return C0, C1, C2

    def linearize(self, op_point: Any = None, A_and_B: bool = False, simplify: bool = False) -> tuple[Any, ...]:
        """Matrices of the linear model.

        Args:
            op_point: values of coordinates, speeds, their rates and parameters: a dictionary, or several.
            A_and_B: False for (M, A, B) of M [q', u'] = A [q_i, u_i] + B r; True for (A, B), solved for the rates of
                [q_i, u_i].
            simplify: let SymPy simplify the result.
        """
        M, A, B = self.native(op_point)
        tables = self._solved(M, A, B) if A_and_B else (M, A, B)
        result = []
        for table in tables:
            matrix = self._symbols.matrix(table, len(table[0]) if table else 0)
            result.append(sympy.simplify(matrix) if simplify and matrix else matrix)
        return tuple(result)

    def _solved(self, M: Rows, A: Rows, B: Rows) -> tuple[Rows, Rows]:
        n, o, l, m = self._sizes
        what = "the mass matrix is singular at the operating point: some speed meets no inertia there"
        width = len(A[0])
        X = solve(M, [[*a, *b] for a, b in zip(A, B, strict=True)], what)
        kept = X[: n - l] + X[n : n + o - m]
        return [row[:width] for row in kept], [row[width:] for row in kept]

    def numbers(self, op_point: Any) -> tuple[np.ndarray, np.ndarray]:
        """A and B as arrays, where `op_point` gives every symbol a value."""
        tables = self._solved(*self.native(op_point))
        left = {s for t in tables for row in t for e in row for s in e.free_symbols}
        if left:
            raise ModelError(f"{', '.join(sorted(map(str, left)))} have no value: give them in op_point")
        A, B = (np.array([[float(complex(e).real) for e in row] for row in t], float) for t in tables)
        return A, B


def _identity(n: int) -> Rows:
    return [_unit(i, n) for i in range(n)]


def _unit(i: int, n: int) -> list[Expr]:
    return [ONE if i == j else ZERO for j in range(n)]


__all__ = ["Linearizer"]
