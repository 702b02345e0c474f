"""Linear motion about a reference motion, and what it is made of: loads with the partial velocities of what they act on.

With q = q0 + dq, u = u0 + du, every force or inertia force R and the partial velocity v_r of what it acts on,

    sum v_r . R = [sum v_r . R]_0 + sum v_r0 . dR + sum dv_r . R_0                                    (1)

to first order. A partial velocity that is taken from a velocity which was linearised before has lost dv_r: that is premature
linearisation, and the last sum is what it loses. It can be given back afterwards as a geometric stiffness due to the loads
of the reference motion,

    K_rs = - sum (dv_r/dq_s)_0 . R_0                                                                  (2)

What is lost depends on the axes that the velocities are written in; (1) does not.
Ref: Banerjee, Flexible Multibody Dynamics (2016), sections 1.4 and 1.5; Kane, Ryan and Banerjee, J. Guidance 10 (1987) 139.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import symengine

from kaneflex.model.checks import ModelError, known
from kaneflex.model.typed import typed
from kaneflex.symbolic.calculus import Rows, jacobian, negative, number, plus, replaced, solve, total
from kaneflex.symbolic.simplify import simplified
from kaneflex.symbolic.translate import ZERO, Symbols

Expr = Any


class Share(NamedTuple):
    """A force, torque, both, or a load along one speed, with the partial velocities of what it acts on, by speed."""

    name: str
    partials: dict[int, tuple[Expr, ...]]
    load: tuple[Expr, ...]


class Terms(NamedTuple):
    """What is linear in udot, u, q, inputs (one row per speed, in this order), K_rs of (2), and the sum itself."""

    linear: Rows
    geometric: Rows
    residual: list[Expr]


def linear_terms(
    shares: Sequence[Share], at: Mapping[Expr, Expr], x: Sequence[Expr], q: Sequence[Expr], count: int
) -> Terms:
    """Eqs (1) without its last sum, and (2), for the first `count` speeds.

    Args:
        shares: loads and partial velocities.
        at: values in the reference motion.
        x: what the loads are differentiated by.
        q: what the partial velocities are differentiated by.
        count: of speeds; those from there on are auxiliary.
    """
    linear: Rows = [[ZERO] * len(x) for _ in range(count)]
    geometric: Rows = [[ZERO] * len(q) for _ in range(count)]
    residual = [ZERO] * count
    for share in shares:
        load = [replaced(e, at) for e in share.load]
        change = _at(jacobian(share.load, x), at)
        for r, p in share.partials.items():
            if r >= count:
                continue
            still, moved = [replaced(e, at) for e in p], _at(jacobian(p, q), at)
            residual[r] = residual[r] + _dot(still, load)
            for k in range(len(x)):
                linear[r][k] = linear[r][k] + _dot(still, [row[k] for row in change])
            for s in range(len(q)):
                geometric[r][s] = geometric[r][s] - _dot(load, [row[s] for row in moved])
    return Terms(linear, geometric, residual)


def motion_of(
    terms: Terms,
    kinematics: tuple[Rows, Rows],
    names: dict[str, list[Any]],
    symbols: Symbols,
    *,
    whole: bool,
    simplify: bool,
    values: dict[Expr, float] | None = None,
) -> "LinearMotion":
    """The motion that the terms of some speeds make.

    Args:
        terms: of as many speeds as there are names of.
        kinematics: W and X of dq' = W du + X dq.
        names: of coordinates "q", speeds "u" and inputs "r".
        symbols: translates to and from SymPy.
        whole: the last sum of (1) is in it.
        simplify: bring the matrices to a short form.
        values: of parameters.
    """
    shorter = simplified if simplify else lambda e: e
    n, o = len(names["q"]), len(names["u"])
    linear, geometric = terms.linear, _each(terms.geometric, shorter)
    M, G, K = (negative([row[a:b] for row in linear]) for a, b in ((0, o), (o, 2 * o), (2 * o, 2 * o + n)))
    if whole:
        K = plus(K, geometric)
    B = [row[2 * o + n :] for row in linear]
    M, G, K, B, W, X = (_each(rows, shorter) for rows in (M, G, K, B, *kinematics))
    residual = [shorter(e) for e in terms.residual]
    return LinearMotion(symbols, names, M, G, K, B, W, X, residual, geometric, values or {})


def _each(rows: Rows, f: Any) -> Rows:
    return [[f(e) for e in row] for row in rows]


def _at(rows: Rows, at: Mapping[Expr, Expr]) -> Rows:
    return [[replaced(e, at) for e in row] for row in rows]


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    return total([x * y for x, y in zip(a, b, strict=True) if x != 0 and y != 0])


@typed
@dataclass
class LinearMotion:
    """M du' + G du + K dq = B dr + f0 ,  dq' = W du + X dq: about a reference motion.

    Attributes:
        symbols: translates to and from SymPy.
        names: of coordinates and speeds.
        M, G, K: coefficients of the rates of the speeds, of the speeds and of the coordinates (moved to the left).
        W, X: those of the kinematical equations.
        B: of the inputs r.
        residual: f0, zero where the reference motion satisfies the equations.
        geometric: K_rs of Eq. (2); it is part of K where the partial velocities were linearised rightly, or corrected.
        values: numbers that a system has for its parameters.
    """

    symbols: Symbols
    names: dict[str, list[Any]]
    M: Rows
    G: Rows
    K: Rows
    B: Rows
    W: Rows
    X: Rows
    residual: list[Expr]
    geometric: Rows
    values: dict[Expr, float] = field(default_factory=dict)

    def sympy(self, name: str) -> Any:
        """The matrix of that name as a SymPy matrix."""
        known(name, ("M", "G", "K", "B", "W", "X", "residual", "geometric"), "matrix")
        rows = getattr(self, name)
        return self.symbols.matrix([[e] for e in rows] if name == "residual" else rows)

    def numbers(self, values: Mapping[Any, Any] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """A and B of x' = A x + B r, x = (dq, du), as arrays; `values` gives every symbol that is left.

        Parameters of a system have its numbers, unless `values` gives others.
        """
        table = {s: symengine.RealDouble(x) for s, x in self.values.items()}
        table |= {self.symbols.engine(k): self.symbols.engine(v) for k, v in (values or {}).items()}
        n, o = len(self.W), len(self.M)

        def at(rows: Rows) -> Rows:
            return [[replaced(e, table) for e in row] for row in rows]

        right = [[-k for k in K] + [-g for g in G] + b for K, G, b in zip(at(self.K), at(self.G), at(self.B), strict=True)]
        lower = solve(at(self.M), right, "the mass matrix is singular in this motion: some speed meets no inertia")
        width = len(self.B[0]) if self.B else 0
        upper = [[*x, *w, *[ZERO] * width] for x, w in zip(at(self.X), at(self.W), strict=True)]
        left = {s for row in upper + lower for e in row for s in e.free_symbols}
        if left:
            raise ModelError(f"{', '.join(sorted(map(str, left)))} have no value: give numbers for them")
        whole = np.array([[number(e) for e in row] for row in upper + lower])
        return whole[:, : n + o], whole[:, n + o :]


__all__ = ["LinearMotion", "Share", "Terms", "linear_terms", "motion_of"]
