"""SymPy's LagrangesMethod, on SymEngine: Lagrange's equations of what a user says in energies, constraints and loads.

With the Lagrangian L(q, q', t), generalized forces Q, and constraints whose derivatives by q' and by time are C and
C q'' - d (those of the configuration are differentiated first),

    d/dt dL/dq' - dL/dq - Q + C^T lambda = 0 ,    C q'' = d                                          (1)

with SymPy's sign of the multipliers. Ref: Meirovitch, Methods of Analytical Dynamics (1970), sections 2.9 and 2.11.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy
from sympy.physics.mechanics import LagrangesMethod as OfSympy
from sympy.physics.mechanics import dynamicsymbols

from kaneflex.model.checks import ModelError, known
from kaneflex.model.typed import typed
from kaneflex.symbolic import export
from kaneflex.symbolic.calculus import Rows, coefficients, jacobian, negative, replaced, solve, time_derivative, total
from kaneflex.symbolic.kanes_method.generalized_forces import Mechanics
from kaneflex.symbolic.kanes_method.rates import Rates
from kaneflex.symbolic.linearizer import Linearizer, inputs_in_order, operating_point, put_in_of
from kaneflex.symbolic.translate import ZERO, Symbols, as_list

Expr = Any


@dataclass
class Terms:
    """M q'' = F - C^T lambda, C q'' = d, as SymEngine expressions; `momentum_rates` are d/dt dL/dq', `by_q` dL/dq."""

    q: list[Expr]
    u: list[Expr]
    udot: list[Expr]
    momentum_rates: list[Expr]
    by_q: list[Expr]
    active: list[Expr]
    constraints: list[Expr]
    mass_matrix: Rows
    forcing: list[Expr]
    C: Rows
    d: list[Expr]


@typed
class LagrangesMethod(OfSympy):
    """Lagrange's equations from a Lagrangian; in place of SymPy's class of the same name.

    Args:
        Lagrangian: kinetic less potential energy, an expression of SymPy.
        qs: coordinates.
        forcelist: pairs of point and force, or frame and torque, for what is not in the Lagrangian.
        bodies: kept for those who ask for them.
        frame: the inertial frame, which loads need.
        hol_coneqs: constraints of the coordinates: expressions that are zero.
        nonhol_coneqs: constraints of the rates of the coordinates.

    Attributes:
        native: the equations as SymEngine expressions, once they are formed.
    """

    def __init__(
        self,
        Lagrangian: Any,
        qs: Any,
        forcelist: Any = None,
        bodies: Any = None,
        frame: Any = None,
        hol_coneqs: Any = None,
        nonhol_coneqs: Any = None,
    ) -> None:
        super().__init__(Lagrangian, qs, forcelist, bodies, frame, hol_coneqs, nonhol_coneqs)
        self.symbols = Symbols()
        self._given = self.symbols.engine(self._L[0]), as_list(hol_coneqs), as_list(nonhol_coneqs)
        self.native: Terms | None = None

    def form_lagranges_equations(self) -> Any:
        """Form the equations; a SymPy column of what is zero in Eq. (1)."""
        symbols, (L, positions, speeds) = self.symbols, self._given
        q = [symbols.symbol(s) for s in self._q]
        u = [symbols.rate(s) for s in q]
        udot = [symbols.rate(s) for s in u]
        momenta = [L.diff(s) for s in u]
        rates = [time_derivative(p, symbols.rate) for p in momenta]
        by_q = [L.diff(s) for s in q]
        active = self._active(u, len(q))
        still = dict.fromkeys(udot, ZERO)
        constraints = [time_derivative(symbols.engine(e), symbols.rate) for e in positions]
        constraints += [symbols.engine(e) for e in speeds]
        C = jacobian(constraints, u)
        M = jacobian(momenta, u)
        of_loads = [coefficients(e, {s: k for k, s in enumerate(udot)}, "a load") for e in active]
        M = [[e - found.get(k, ZERO) for k, e in enumerate(row)] for row, (found, _) in zip(M, of_loads, strict=True)]
        F = [rest + e - replaced(r, still) for r, e, (_, rest) in zip(rates, by_q, of_loads, strict=True)]
        d = [-replaced(time_derivative(e, symbols.rate), still) for e in constraints]
        self.native = Terms(q, u, udot, rates, by_q, active, constraints, M, F, C, d)
        self.lam_vec = sympy.Matrix(dynamicsymbols(f"lam1:{len(C) + 1}")) if C else sympy.Matrix()
        for name in _LATER:
            self.__dict__.pop(name, None)
        return self.eom

    def _active(self, u: list[Expr], count: int) -> list[Expr]:
        """Generalized forces of the loads: partial velocities are those of Kane's method with the speeds q'."""
        if not self._forcelist:
            return [ZERO] * count
        if self.inertial is None:
            raise ModelError("there are loads, and no frame: give the inertial one, frame=")
        rates = Rates(self.symbols, u, ())
        rates.settle({s: s for s in u})
        return Mechanics(self.inertial, self.symbols, rates).active(self._forcelist, count)

    def _need(self) -> Terms:
        if self.native is None:
            raise ModelError("Lagrange's equations are not formed yet: call form_lagranges_equations first")
        return self.native

    def __getattr__(self, name: str) -> Any:
        """SymPy's names for the parts of the equations, made when they are asked for."""
        if name not in _LATER:
            raise AttributeError(f"a LagrangesMethod has no {name!r}")
        made = self.__dict__[name] = _LATER[name](self, self._need())
        return made

    def _column(self, entries: Sequence[Expr]) -> Any:
        return self.symbols.matrix([e] for e in entries)

    def _multipliers(self) -> list[Expr]:
        """C^T lambda."""
        terms, lam = self._need(), [self.symbols.symbol(s) for s in self.lam_vec]
        return [total([row[j] * s for row, s in zip(terms.C, lam, strict=True)]) for j in range(len(terms.q))]

    def _system(self) -> tuple[Rows, list[Expr]]:
        """The matrix and the right-hand side for q'' and minus the multipliers."""
        terms = self._need()
        k = len(terms.C)
        A = [[*row, *(-c[j] for c in terms.C)] for j, row in enumerate(terms.mass_matrix)]
        return A + [[*c, *[ZERO] * k] for c in terms.C], [*terms.forcing, *terms.d]

    def rhs(self, inv_method: Any = None, **kwargs: Any) -> Any:
        """Rates of (q, q'), solved, and minus the multipliers; `inv_method` and `kwargs` are accepted for SymPy's sake."""
        A, b = self._system()
        solved = solve(A, [[e] for e in b], _SINGULAR)
        return self._column([*self._need().u, *(row[0] for row in solved)])

    def solve_multipliers(self, op_point: Any = None, sol_type: str = "dict") -> Any:
        """Values of the multipliers.

        Args:
            op_point: values of symbols that are put in before: a dictionary, or several.
            sol_type: "dict" (by multiplier) or "Matrix" (a column).
        """
        known(sol_type, ("dict", "Matrix"), "sol_type")
        A, b = self._system()
        if not self.lam_vec:
            raise ModelError("there are no constraints, and so no multipliers to solve for")
        put_in = put_in_of(operating_point(self.symbols, op_point))
        solved = solve([[put_in(e) for e in row] for row in A], [[put_in(e)] for e in b], _SINGULAR)
        values = self._column([-row[0] for row in solved[-len(self.lam_vec) :]])
        return dict(zip(self.lam_vec, values, strict=True)) if sol_type == "dict" else values

    def to_linearizer(
        self, q_ind: Any = None, qd_ind: Any = None, q_dep: Any = None, qd_dep: Any = None, linear_solver: Any = "LU"
    ) -> Linearizer:
        """A Linearizer of these equations.

        Args:
            q_ind, q_dep: independent and dependent coordinates; what is not named depends on nothing.
            qd_ind, qd_dep: their rates likewise.
            linear_solver: accepted for SymPy's sake.
        """
        terms, symbols = self._need(), self.symbols
        still = dict.fromkeys(terms.udot, ZERO)
        at_rest = [replaced(e, still) for e in terms.active]
        parts = {
            "f_0": terms.u,
            "f_1": [-s for s in terms.u],
            "f_2": [r - (e - rest) for r, e, rest in zip(terms.momentum_rates, terms.active, at_rest, strict=True)],
            "f_3": [-(e + rest) for e, rest in zip(terms.by_q, at_rest, strict=True)],
            "f_4": self._multipliers(),
            "f_c": [symbols.engine(e) for e in self._given[1]],
            "f_v": terms.constraints,
            "f_a": [time_derivative(e, symbols.rate) for e in terms.constraints],
        }
        own = {*terms.q, *terms.u, *terms.udot}
        inputs = {s for e in parts["f_3"] for s in e.free_symbols if symbols.is_dynamic(s)} - own
        groups = {"q": self._q, "u": self._qdots, "r": inputs_in_order(symbols, inputs), "lams": self.lam_vec}
        for name, whole, free, tied in (("q", self._q, q_ind, q_dep), ("u", self._qdots, qd_ind, qd_dep)):
            tied = as_list(tied)
            groups |= {f"{name}_d": tied, f"{name}_i": [s for s in whole if s not in tied] if free is None else free}
        return Linearizer._from_parts(symbols, parts, groups)

    # -- code ----------------------------------------------------------------------------------------------------------

    def export_c(self, folder: str | Path, name: str = "system", inputs: Sequence[Any] = ()) -> Any:
        """Write <name>.c and <name>.h to a folder, C99 without dependencies.

        Args:
            folder: where to.
            name: of the files and of the functions in them.
            inputs: functions of time that are given from outside.
        """
        return export.write_c(self._form(name, inputs), folder)

    def function(self, values: Mapping[Any, float] | None = None, inputs: Sequence[Any] = ()) -> Any:
        """y' = f(t, y), y = (q, q'), compiled; `values` are the numbers of all parameters, `inputs` as in `export_c`."""
        return export.RatesFunction(self._form("system", inputs), values)

    def _form(self, name: str, inputs: Sequence[Any]) -> export.MatrixForm:
        terms, (A, b) = self._need(), self._system()
        # what a multiplier's pivot is made of, were the mass matrix diagonal
        sizes = [total([c * c / terms.mass_matrix[j][j] for j, c in enumerate(row) if c != 0]) for row in terms.C]
        return export.of_symbols(self.symbols, name, (terms.q, terms.u), inputs, (terms.u, A, b), sizes)


_SINGULAR = "the mass matrix is singular: some coordinate meets no inertia, or constraints repeat one another"
_LATER: dict[str, Callable[[LagrangesMethod, Terms], Any]] = {
    "_term1": lambda method, terms: method._column(terms.momentum_rates),
    "_term2": lambda method, terms: method._column(terms.by_q),
    "_term3": lambda method, terms: method._column([-e for e in method._multipliers()]),
    "_term4": lambda method, terms: method._column(terms.active),
    "_m_d": lambda method, terms: method.symbols.matrix(terms.mass_matrix),
    "_f_d": lambda method, terms: method._column(terms.forcing),
    "_m_cd": lambda method, terms: method.symbols.matrix(terms.C),
    "_f_cd": lambda method, terms: method._column(terms.d),
    "lam_coeffs": lambda method, terms: method.symbols.matrix(negative(terms.C)),
    "eom": lambda method, terms: method._term1 - method._term2 - method._term4 - method._term3,
}


__all__ = ["LagrangesMethod"]
