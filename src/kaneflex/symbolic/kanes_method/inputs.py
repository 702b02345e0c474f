"""What a KanesMethod is given, brought to SymEngine: symbols, kinematical equations, constraints."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy.core.function import AppliedUndef, Derivative
from sympy.physics.vector import dynamicsymbols

from kaneflex.model.checks import ModelError
from kaneflex.symbolic.calculus import Rows, coefficients, negative, solve_regular, total
from kaneflex.symbolic.errors import MissingError, NotLinearError
from kaneflex.symbolic.kanes_method.generalized_forces import BodyTerms
from kaneflex.symbolic.kanes_method.rates import Rates
from kaneflex.symbolic.translate import ZERO, Symbols, as_list

Expr = Any


@dataclass
class Native:
    """Kane's equations as lists of SymEngine expressions of plain symbols: M u' = F with the constraints' rows below.

    `qdot` is q' in terms of q, u and t; F_r and F*_r (`fr`, `frstar`) hold the auxiliary equations last.
    """

    q: list[Expr]
    u: list[Expr]
    udot: list[Expr]
    qdot: list[Expr]
    mass_matrix: Rows = field(default_factory=list)
    forcing: list[Expr] = field(default_factory=list)
    fr: list[Expr] = field(default_factory=list)
    frstar: list[Expr] = field(default_factory=list)
    auxiliary: list[Expr] = field(default_factory=list)
    bodies: list[BodyTerms] = field(default_factory=list)


@dataclass(frozen=True)
class Ties:
    """Constraints as SymEngine expressions: f_h = 0, k_nh u + f_nh = 0, k_dnh u' + f_dnh = 0, u_dep = A_rs u_ind + ..."""

    f_h: list[Expr]
    k_nh: Rows
    f_nh: list[Expr]
    k_dnh: Rows
    f_dnh: list[Expr]
    A_rs: Rows


class KaneInputs:
    """Coordinates, speeds, q' = W u + X, and dependent speeds u_dep = A_rs u_ind + ..."""

    def _set_symbols(self, q_ind: Any, q_dep: Any, u_ind: Any, u_dep: Any, u_aux: Any) -> None:
        q_i, q_d, u_i, u_d, u_a = (as_list(x) for x in (q_ind, q_dep, u_ind, u_dep, u_aux))
        _check_symbols(q_i + q_d, u_i + u_d, u_a)
        self._q, self._qdep = sympy.Matrix(q_i + q_d), sympy.Matrix(q_d)
        self._u, self._udep = sympy.Matrix(u_i + u_d), sympy.Matrix(u_d)
        self._uaux = sympy.Matrix(u_a)
        self.symbols = Symbols()
        take = self.symbols.symbol
        q, u = [take(s) for s in q_i + q_d], [take(s) for s in u_i + u_d]
        self.native = Native(q, u, [self.symbols.rate(s) for s in u], [])
        self._auxiliary = [take(s) for s in u_a]
        self._rates = Rates(self.symbols, u, self._auxiliary)
        self._dependent = len(u_d)
        self._W: Rows = []  # q' = W u + X
        self._X: list[Expr] = []
        self._implicit: tuple[Rows, Rows, list[Expr]] = ([], [], [])
        self.ties = Ties([], [], [], [], [], [])
        self._kinematical = False

    def _initialize_kindiffeq_matrices(self, kdeqs: Any, linear_solver: Any = "LU") -> None:
        """Take the kinematical equations, and with them the constraints; by SymPy's name, for those who give them later."""
        self._solve_kinematics(as_list(kdeqs))
        self._solve_constraints(*self._constraints)
        self._kinematical = True

    def _need_kinematics(self) -> None:
        if not self._kinematical:
            raise MissingError("there are no kinematical equations: give kd_eqs, one for each coordinate")

    def _solve_kinematics(self, equations: list[Any]) -> None:
        q = self.native.q
        rates = [self.symbols.rate(s) for s in q]
        if len(equations) != len(q):
            raise ModelError(f"there are {len(q)} coordinates and {len(equations)} kinematical equations: give one for each")
        numbers = {s: k for k, s in enumerate(rates)}
        speeds = self._rates.speeds
        A, B, X = [], [], []
        for k, e in enumerate(equations):
            what = f"kinematical equation {k + 1}"
            of_rates, rest = coefficients(self.symbols.engine(e), numbers, what)
            of_speeds, rest = coefficients(rest, speeds, what)
            if any(s in speeds for c in of_rates.values() for s in c.free_symbols):
                raise NotLinearError(f"{what} has a product of a speed and a rate: give it linear in both")
            A.append([of_rates.get(j, ZERO) for j in range(len(q))])
            B.append([of_speeds.get(j, ZERO) for j in range(len(speeds))])
            X.append(rest)
        right = [[-b for b in row] + [-x] for row, x in zip(B, X, strict=True)]
        names = ", ".join(str(s) for s in self._q)
        message = f"the kinematical equations do not determine the rates of {names}: they are singular in these rates"
        solved = solve_regular(A, right, message) if q else []
        for row in solved:
            self.native.qdot.append(total([c * s for c, s in zip(row[:-1], speeds, strict=True)] + [row[-1]]))
        n = len(self.native.u)
        self._W = [row[:n] for row in solved]
        self._X = [row[-1] for row in solved]
        self._implicit = (A, [row[:n] for row in B], X)
        self._rates.settle(dict(zip(rates, self.native.qdot, strict=True)))

    def _set_constraints(self, positions: list[Any], speeds: list[Any], accelerations: list[Any]) -> None:
        m = self._dependent
        if len(positions) != len(self._qdep):
            raise ModelError(
                f"there are {len(self._qdep)} dependent coordinates and {len(positions)} configuration constraints: "
                "give as many of one as of the other"
            )
        if len(speeds) != m:
            raise ModelError(
                f"there are {m} dependent speeds and {len(speeds)} velocity constraints: give as many of one as of the other"
            )
        if accelerations and len(accelerations) != m:
            raise ModelError(f"there are {m} dependent speeds and {len(accelerations)} acceleration constraints")
        self._constraints = positions, speeds, accelerations

    def _solve_constraints(self, positions: list[Any], speeds: list[Any], accelerations: list[Any]) -> None:
        m, u = self._dependent, self.native.u
        engine, rates = self.symbols.engine, self._rates
        given = [rates.in_speeds(engine(e)) for e in speeds]
        k_nh, f_nh = self._linear(given, u, "velocity constraint")
        if accelerations:
            given_rates = [rates.in_speeds(engine(e)) for e in accelerations]
            k_dnh, f_dnh = self._linear(given_rates, self.native.udot, "acceleration constraint")
        else:
            k_dnh, f_dnh = k_nh, [self._rates.plain_rate(e) for e in given]
        A_rs = self._dependent_on(k_nh, len(u) - m)
        self.ties = Ties([engine(e) for e in positions], k_nh, f_nh, k_dnh, f_dnh, A_rs)

    def _linear(self, equations: list[Expr], symbols: Sequence[Expr], what: str) -> tuple[Rows, list[Expr]]:
        numbers = {s: k for k, s in enumerate(symbols)}
        K, rest = [], []
        for k, e in enumerate(equations):
            found, left = coefficients(e, numbers, f"{what} {k + 1}")
            K.append([found.get(j, ZERO) for j in range(len(symbols))])
            rest.append(left)
        return K, rest

    def _dependent_on(self, K: Rows, independent: int) -> Rows:
        """A_rs of u_dep = A_rs u_ind + ..."""
        if not K:
            return []
        names = ", ".join(str(s) for s in self._udep)
        message = (
            f"the velocity constraints do not determine the dependent speeds {names}: "
            "they contradict or repeat one another, or other speeds must be the dependent ones"
        )
        right = [row[:independent] or [ZERO] for row in K]
        solved = solve_regular([row[independent:] for row in K], right, message)
        return negative([row[:independent] for row in solved])


def _check_symbols(q: list[Any], u: list[Any], auxiliary: list[Any]) -> None:
    time = {dynamicsymbols._t}
    for what, group in (("coordinate", q), ("speed", u), ("auxiliary speed", auxiliary)):
        for s in group:
            if not (isinstance(s, AppliedUndef | Derivative) and s.free_symbols == time):
                raise ModelError(f"{what} {s!r} is not a function of time: make it with dynamicsymbols")
        twice = {s for s in group if group.count(s) > 1}
        if twice:
            raise ModelError(f"{what} {', '.join(map(str, twice))} is given twice")
    for what, both in (
        ("a coordinate and a speed", set(q) & set(u)),
        ("an auxiliary speed and a coordinate", set(auxiliary) & set(q)),
    ):
        if both:
            raise ModelError(f"{', '.join(map(str, both))} is both {what}")
    if not u:
        raise ModelError("there are no speeds: give at least one independent or dependent speed")


__all__ = ["KaneInputs", "Native"]
