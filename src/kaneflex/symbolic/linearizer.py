"""Linear models of constrained equations of motion about an operating point.

With the equations f_0(q, q') + f_1(q, u) = 0, f_2(q, u') + f_3(q, q', u, r) + f_4(q, lambda) = 0, and constraints f_c(q),
f_v(q, u), f_a(q, q', u, u') = 0, perturbations of dependent coordinates and speeds are put in terms of the independent ones,

    dq = C_0 dq_i ,    du = C_1 dq + C_2 du_i                                                        (1)

The operating point is put in before anything is solved, so that a pivot which vanishes there is never divided by.
Ref: Peterson, Gede and Hubbard, Multibody System Dynamics 33 (2015) 143.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy.core.sorting import default_sort_key
from sympy.physics.mechanics import Linearizer as OfSympy

from kaneflex.model.checks import ModelError, shown
from kaneflex.model.typed import typed
from kaneflex.symbolic.calculus import Rows, jacobian, negative, number, plus, replaced, solve, times, total
from kaneflex.symbolic.errors import KindError
from kaneflex.symbolic.translate import ONE, ZERO, Symbols, as_list

if TYPE_CHECKING:
    from kaneflex.symbolic.kanes_method.method import KanesMethod

Expr = Any
_PARTS = ("f_0", "f_1", "f_2", "f_3", "f_4", "f_c", "f_v", "f_a")


@typed
class Linearizer(OfSympy):
    """Equations in the form above, linearised; in place of SymPy's class of the same name.

    Args:
        f_0, f_1, f_2, f_3, f_4, f_c, f_v, f_a: columns of the form above, empty ones where there is nothing.
        q, u: coordinates and speeds.
        q_i, q_d, u_i, u_d: the independent ones and the dependent ones of them.
        r: inputs, functions of time.
        lams: multipliers.
        linear_solver: accepted for SymPy's sake; pivots are always chosen here.

    Attributes:
        perm_mat: [q_i, u_i] = perm_mat^T [q, u, lams].
    """

    def __init__(
        self,
        f_0: Any,
        f_1: Any,
        f_2: Any,
        f_3: Any,
        f_4: Any,
        f_c: Any,
        f_v: Any,
        f_a: Any,
        q: Any,
        u: Any,
        q_i: Any = None,
        q_d: Any = None,
        u_i: Any = None,
        u_d: Any = None,
        r: Any = None,
        lams: Any = None,
        linear_solver: Any = "LU",
    ) -> None:
        symbols = Symbols()
        given = dict(zip(_PARTS, (f_0, f_1, f_2, f_3, f_4, f_c, f_v, f_a), strict=True))
        parts = {name: [symbols.engine(e) for e in as_list(column)] for name, column in given.items()}
        self._take(symbols, parts, {"q": q, "u": u, "q_i": q_i, "q_d": q_d, "u_i": u_i, "u_d": u_d, "r": r, "lams": lams})

    def _take(
        self,
        symbols: Symbols,
        parts: Mapping[str, list[Expr]],
        groups: Mapping[str, Any],
        ready: Mapping[str, Rows] | None = None,
    ) -> None:
        """Equations and variables; `ready` are Jacobians that need not be formed any more, by f and variable."""
        self._symbols, self._parts, self._ready = symbols, dict(parts), dict(ready or {})
        lists = {name: as_list(group) for name, group in groups.items()}
        for name, group in lists.items():
            setattr(self, name, sympy.Matrix(group))
        self._variables = {name: [symbols.symbol(s) for s in lists[name]] for name in ("q", "u", "r", "lams")}
        self._places = _places(lists, "q", len(parts["f_c"])), _places(lists, "u", len(parts["f_v"]))
        n, o, k = (len(lists[name]) for name in ("q", "u", "lams"))
        for name, least in (("f_0", n), ("f_1", n), ("f_3", len(parts["f_2"])), ("f_a", len(parts["f_v"]))):
            if len(parts[name]) != least:
                raise ModelError(f"{name} has {len(parts[name])} equations, where there must be {least}")
        kept = [*self._places[0][0], *(n + j for j in self._places[1][0])]
        self.perm_mat = sympy.zeros(n + o + k, len(kept))
        for column, row in enumerate(kept):
            self.perm_mat[row, column] = 1
        self._blocks: dict[str, Rows] = {}

    @classmethod
    def of(cls, method: "KanesMethod") -> "Linearizer":
        """The linearizer of a method whose equations are formed."""
        method._need_explicit()
        native, symbols, rows = method.native, method.symbols, len(method._u) - method._dependent
        inputs = _inputs_of(method)
        plain = dict.fromkeys(method._auxiliary, ZERO)
        parts = {
            "f_0": [symbols.rate(s) for s in native.q],
            "f_1": [-e for e in native.qdot],
            "f_2": [-e for e in _times_column(native.mass_matrix[:rows], native.udot)],
            "f_3": native.forcing[:rows],
            "f_4": [ZERO] * rows,
            "f_c": method.ties.f_h,
            "f_v": [a + b for a, b in zip(_times_column(method.ties.k_nh, native.u), method.ties.f_nh, strict=True)],
            "f_a": [a + b for a, b in zip(_times_column(method.ties.k_dnh, native.udot), method.ties.f_dnh, strict=True)],
        }
        without = {name: [replaced(e, plain) for e in column] for name, column in parts.items()}
        i, j = len(method._q) - len(method._qdep), rows
        groups = {"q": method._q, "u": method._u, "q_i": method._q[:i], "q_d": method._qdep, "u_i": method._u[:j]}
        ready = {"a_udot": method.ties.k_dnh, "2_udot": negative(native.mass_matrix[:rows])}
        return cls._from_parts(symbols, without, groups | {"u_d": method._udep, "r": inputs, "lams": []}, ready)

    @classmethod
    def _from_parts(
        cls,
        symbols: Symbols,
        parts: Mapping[str, list[Any]],
        groups: Mapping[str, Any],
        ready: Mapping[str, Any] | None = None,
    ) -> "Linearizer":
        """A linearizer of SymEngine's expressions.

        Args:
            symbols: translates.
            parts: the columns f_0 to f_a, by name.
            groups: q, u, q_i, q_d, u_i, u_d, r and lams, by name.
            ready: Jacobians that need not be formed any more, by f and variable, such as "2_udot".
        """
        made = cls.__new__(cls)
        made._take(symbols, parts, groups, ready)
        return made

    def __getattr__(self, name: str) -> Any:
        """f_0 to f_4, f_c, f_v and f_a as SymPy columns, made when they are asked for."""
        if name not in _PARTS:
            raise AttributeError(f"a Linearizer has no {name!r}")
        return self._symbols.matrix([e] for e in self._parts[name])

    def _form(self) -> None:
        """Jacobians of the equations, once."""
        f, rate = {name[2:]: column for name, column in self._parts.items()}, self._symbols.rate
        by = self._variables | {"udot": [rate(s) for s in self._variables["u"]]}
        speeds = set(by["u"])
        by["qdot"] = [rate(s) for s in by["q"]]
        f["motion"] = [total(terms) for terms in zip(f["2"], f["3"], f["4"] or [ZERO] * len(f["2"]), strict=True)]
        f["0 + 1"] = [a + b for a, b in zip(f["0"], f["1"], strict=True)]

        def block(name: str, variable: str) -> Rows:
            ready = self._ready.get(f"{name}_{variable}")
            return jacobian(f[name], by[variable]) if ready is None else ready

        # a coordinate's rate that is a speed as well counts as the speed
        later = [[ZERO if s in speeds else e for s, e in zip(by["qdot"], row, strict=True)] for row in block("3", "qdot")]
        given = [[ZERO if s in speeds else e for s, e in zip(by["qdot"], row, strict=True)] for row in block("a", "qdot")]
        self._blocks = {
            "M": _beside(block("0", "qdot"), _nothing(len(by["q"]), len(by["u"]) + len(by["lams"])))
            + _beside(given, block("a", "udot"), _nothing(len(f["a"]), len(by["lams"])))
            + _beside(later, block("2", "udot"), block("4", "lams") or _nothing(len(later), 0)),
            "qq": negative(block("0 + 1", "q")),
            "qu": negative(block("1", "u")),
            "cq": negative(block("a", "q")),
            "cu": negative(block("a", "u")),
            "dq": negative(block("motion", "q")),
            "du": negative(block("motion", "u")),
            "dr": negative(block("3", "r")),
            "hq": block("c", "q"),
            "vq": block("v", "q"),
            "vu": block("v", "u"),
        }

    def point(self, op_point: Any) -> dict[Expr, Expr]:
        """An operating point `op_point`, a dictionary or several, in terms of the symbols here; see `operating_point`."""
        return operating_point(self._symbols, op_point)

    def native(self, op_point: Any = None) -> tuple[Rows, Rows, Rows]:
        """M, A, B of M [q', u', lams] = A [q_i, u_i] + B r at `op_point`, of SymEngine; rows: q, constraints, motion."""
        if not self._blocks:
            self._form()
        put_in = put_in_of(self.point(op_point))
        at = {k: [[put_in(e) for e in row] for row in block] for k, block in self._blocks.items()}
        C0, C1, C2 = self._dependence(at)
        A = []
        for q_block, u_block in ((at["qq"], at["qu"]), (at["cq"], at["cu"]), (at["dq"], at["du"])):
            by_q = times(plus(q_block, times(u_block, C1)), C0) if C0 else [[] for _ in u_block]
            A += _beside(by_q, times(u_block, C2))
        B = _nothing(len(at["qq"]) + len(at["cu"]), len(self._variables["r"])) + at["dr"]
        return at["M"], A, B

    def _dependence(self, at: Mapping[str, Rows]) -> tuple[Rows, Rows, Rows]:
        """C_0, C_1 and C_2 of Eq. (1)."""
        (q_i, q_d), (u_i, u_d) = self._places
        n, o = len(self._variables["q"]), len(self._variables["u"])
        C0, C1, C2 = _picked(n, q_i), _nothing(o, n), _picked(o, u_i)
        if q_d:
            names = ", ".join(map(str, self.q_d))
            what = f"the configuration constraints do not determine {names} at the operating point: choose other coordinates"
            follow = negative(solve(_columns(at["hq"], q_d), _columns(at["hq"], q_i), what))
            for place, row in zip(q_d, follow, strict=True):
                C0[place] = row
        if u_d:
            names = ", ".join(map(str, self.u_d))
            what = f"the velocity constraints do not determine {names} at the operating point: choose other speeds"
            follow = negative(solve(_columns(at["vu"], u_d), _beside(_columns(at["vu"], u_i), at["vq"]), what))
            for place, row in zip(u_d, follow, strict=True):
                C1[place], C2[place] = row[len(u_i) :], row[: len(u_i)]
        return C0, C1, C2

    def linearize(self, op_point: Any = None, A_and_B: bool = False, simplify: bool = False) -> tuple[Any, ...]:
        """Matrices of the linear model.

        Args:
            op_point: values of coordinates, speeds, their rates and parameters: a dictionary, or several. Expressions among
                the keys are replaced where they stand as they are.
            A_and_B: False for (M, A, B) of M [q', u', lams] = A [q_i, u_i] + B r; True for (A, B), solved for the rates of
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
        what = "the mass matrix is singular at the operating point: some speed meets no inertia there"
        width = len(A[0])
        X = solve(M, _beside(A, B), what)
        (q_i, _), (u_i, _) = self._places
        kept = [X[k] for k in q_i] + [X[len(self._variables["q"]) + k] for k in u_i]
        return [row[:width] for row in kept], [row[width:] for row in kept]

    def numbers(self, op_point: Any) -> tuple[np.ndarray, np.ndarray]:
        """A and B as arrays, where `op_point` gives every symbol a value."""
        tables = self._solved(*self.native(op_point))
        left = {s for t in tables for row in t for e in row for s in e.free_symbols}
        if left:
            raise ModelError(f"{', '.join(sorted(map(str, left)))} have no value: give them in op_point")
        A, B = (np.array([[number(e) for e in row] for row in t], float) for t in tables)
        return A, B


def operating_point(symbols: Symbols, op_point: Any) -> dict[Expr, Expr]:
    """Values of symbols, and of expressions that stand in the equations as they are.

    Args:
        symbols: translates.
        op_point: a mapping, or several; or None.
    """
    if op_point is None:
        return {}
    tables: Iterable[Mapping[Any, Any]] = [op_point] if isinstance(op_point, Mapping) else op_point
    if isinstance(op_point, str) or not isinstance(tables, Iterable):
        raise KindError(f"op_point is {shown(op_point)}: give a mapping from symbols to values, or several")
    found = {}
    for table in tables:
        if not isinstance(table, Mapping):
            raise ModelError(f"op_point has {shown(table)} in it: give a mapping from symbols to values, or several")
        for key, value in table.items():
            symbol = symbols.engine(key)
            if symbol.is_Number:
                raise ModelError(f"op_point gives a value to {key}, which is a number")
            found[symbol] = symbols.engine(value)
    return found


def put_in_of(values: Mapping[Expr, Expr]) -> Callable[[Expr], Expr]:
    """What puts an operating point into expressions."""
    if all(s.is_Symbol for s in values):
        return lambda e: replaced(e, values)
    return lambda e: e.xreplace(values)


def _inputs_of(method: "KanesMethod") -> list[Any]:
    """Functions of time in the forces that are neither coordinates nor speeds."""
    native, symbols = method.native, method.symbols
    own = {*native.q, *native.u, *native.udot, *method._auxiliary}
    own |= {symbols.rate(s) for s in (*native.q, *method._auxiliary)}
    found = {s for e in native.forcing for s in e.free_symbols if symbols.is_dynamic(s)} - own
    elsewhere = [*native.qdot, *method.ties.f_h, *(e for row in native.mass_matrix for e in row), *method.ties.f_dnh]
    strange = {s for e in elsewhere for s in e.free_symbols if symbols.is_dynamic(s)} - own
    if strange:
        names = ", ".join(sorted(map(str, strange)))
        raise ModelError(f"{names} depend on time and are not in the forces alone: give them values in op_point first")
    return inputs_in_order(symbols, found)


def inputs_in_order(symbols: Symbols, found: set[Expr]) -> list[Any]:
    """Functions of time as inputs, in SymPy's order."""
    if any(symbols.rate(s) in found for s in found):
        raise ModelError("the forces hold a function of time and its derivative: take the derivative as an input of its own")
    return sorted((symbols.atom(s) for s in found), key=default_sort_key)


def _places(lists: Mapping[str, list[Any]], name: str, constraints: int) -> tuple[list[int], list[int]]:
    """Where the independent variables and the dependent ones stand among all."""
    whole, free, tied = (lists[k] for k in (name, f"{name}_i", f"{name}_d"))
    if set(whole) != {*free, *tied} or len(whole) != len(free) + len(tied):
        raise ModelError(f"{name}_i and {name}_d are {free} and {tied}: together they must be {whole}, each once")
    if len(tied) != constraints:
        raise ModelError(f"{name}_d has {len(tied)} of {name} for {constraints} constraints: give one for each")
    return [whole.index(s) for s in free], [whole.index(s) for s in tied]


def _times_column(table: Rows, column: list[Expr]) -> list[Expr]:
    return [total([a * s for a, s in zip(row, column, strict=True) if a != 0]) for row in table]


def _columns(table: Rows, kept: list[int]) -> Rows:
    return [[row[k] for k in kept] for row in table]


def _beside(*tables: Rows) -> Rows:
    return [[e for row in rows for e in row] for rows in zip(*tables, strict=True)]


def _nothing(rows: int, columns: int) -> Rows:
    return [[ZERO] * columns for _ in range(rows)]


def _picked(n: int, places: list[int]) -> Rows:
    """n rows with a one in each column, at these places."""
    return [[ONE if k == place else ZERO for place in places] for k in range(n)]


__all__ = ["Linearizer", "inputs_in_order", "operating_point", "put_in_of"]
