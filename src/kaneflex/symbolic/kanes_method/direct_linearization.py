"""Linearised equations about a reference motion, derived directly: velocities and partial velocities are linearised first.

With q = q0 + dq, u = u0 + du, every force or inertia force R and the partial velocity v_r of what it acts on,

    sum v_r . R = [sum v_r . R]_0 + sum v_r0 . dR + sum dv_r . R_0                                    (1)

to first order. A partial velocity that is taken from a velocity which was linearised before has lost dv_r: that is premature
linearisation, and the last sum is what it loses. It can be given back afterwards as a geometric stiffness due to the loads
of the reference motion,

    K_rs = - sum (dv_r/dq_s)_0 . R_0                                                                  (2)

Ref: Banerjee, Flexible Multibody Dynamics (2016), sections 1.4 and 1.5; Kane, Ryan and Banerjee, J. Guidance 10 (1987) 139.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError, known
from kaneflex.model.typed import typed
from kaneflex.symbolic.calculus import Rows, jacobian, negative, plus, replaced, solve, time_derivative, total
from kaneflex.symbolic.kanes_method.vectors import dot
from kaneflex.symbolic.simplify import simplified
from kaneflex.symbolic.translate import ZERO, Symbols

if TYPE_CHECKING:
    from kaneflex.symbolic.kanes_method.method import KanesMethod

Expr = Any


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

    def sympy(self, name: str) -> Any:
        """The matrix of that name as a SymPy matrix."""
        known(name, ("M", "G", "K", "B", "W", "X", "residual", "geometric"), "matrix")
        rows = getattr(self, name)
        return self.symbols.matrix([[e] for e in rows] if name == "residual" else rows)

    def numbers(self, values: Mapping[Any, Any] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """A and B of x' = A x + B r, x = (dq, du), as arrays; `values` gives every symbol that is left."""
        table = {self.symbols.engine(k): self.symbols.engine(v) for k, v in (values or {}).items()}
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
        whole = np.array([[float(complex(e).real) for e in row] for row in upper + lower])
        return whole[:, : n + o], whole[:, n + o :]


@typed
def linearize_directly(
    method: "KanesMethod",
    reference: Mapping[Any, Any],
    *,
    premature: bool = False,
    geometric_stiffness: bool = False,
    simplify: bool = True,
) -> LinearMotion:
    """Linearised equations about a reference motion.

    Args:
        method: with its equations formed and no dependent speeds.
        reference: coordinates and speeds as constants or functions of time; rates of the speeds follow from them, and what
            is left out is zero. Other functions of time (inputs) may be given their reference values too.
        premature: take partial velocities from velocities that were linearised before, which is wrong in general.
        geometric_stiffness: with premature, add the stiffness that the reference motion's loads give, afterwards.
        simplify: bring the matrices to a short form.
    """
    method._need()
    if method._dependent:
        raise ModelError("a system with dependent speeds has no direct linearisation here: use linearize")
    if geometric_stiffness and not premature:
        raise ModelError("geometric_stiffness corrects premature linearisation: give premature=True with it")
    native, symbols = method.native, method.symbols
    at = _reference(method, reference)
    inputs = _inputs(method)
    shares = method.mechanics.shares(method.bodylist, method.forcelist, native.udot)
    x = [*native.udot, *native.u, *native.q, *inputs]
    n, o = len(native.q), len(native.u)
    linear: Rows = [[ZERO] * len(x) for _ in range(o)]
    geometric: Rows = [[ZERO] * n for _ in range(o)]
    residual = [ZERO] * o
    for share in shares:
        load = [replaced(e, at) for e in share.load]
        change = [[replaced(e, at) for e in row] for row in jacobian(share.load, x)]
        for r, p in share.partials.items():
            if r >= o:
                continue
            still = [replaced(e, at) for e in p]
            moved = [[replaced(e, at) for e in row] for row in jacobian(p, native.q)]
            residual[r] = residual[r] + dot(tuple(still), tuple(load))
            for k in range(len(x)):
                linear[r][k] = linear[r][k] + _dot3(still, [row[k] for row in change])
            for s in range(n):
                geometric[r][s] = geometric[r][s] - _dot3(load, [row[s] for row in moved])
    shorter = simplified if simplify else lambda e: e
    geometric = _each(geometric, shorter)
    B = [row[2 * o + n :] for row in linear]
    M, G, K = (negative([row[a:b] for row in linear]) for a, b in ((0, o), (o, 2 * o), (2 * o, 2 * o + n)))
    if not premature or geometric_stiffness:
        K = plus(K, geometric)
    plain = dict.fromkeys(method._auxiliary, ZERO)
    qdot = [replaced(e, plain) for e in native.qdot]
    W, X = ([[replaced(e, at) for e in row] for row in jacobian(qdot, group)] for group in (native.u, native.q))
    names = {
        "q": [symbols.atom(s) for s in native.q],
        "u": [symbols.atom(s) for s in native.u],
        "r": [symbols.atom(s) for s in inputs],
    }
    M, G, K, B, W, X = (_each(rows, shorter) for rows in (M, G, K, B, W, X))
    return LinearMotion(symbols, names, M, G, K, B, W, X, [shorter(e) for e in residual], geometric)


def _dot3(a: list[Expr], b: list[Expr]) -> Expr:
    return total([x * y for x, y in zip(a, b, strict=True) if x != 0 and y != 0])


def _each(rows: Rows, f: Any) -> Rows:
    return [[f(e) for e in row] for row in rows]


def _inputs(method: "KanesMethod") -> list[Expr]:
    """Functions of time in the equations that are neither coordinates nor speeds, nor their rates."""
    native, symbols = method.native, method.symbols
    own = {*native.q, *native.u, *native.udot, *method._auxiliary, *(symbols.rate(s) for s in native.q)}
    found = {s for e in native.forcing for s in e.free_symbols if symbols.is_dynamic(s)} - own
    return sorted(found, key=str)


def _reference(method: "KanesMethod", reference: Mapping[Any, Any]) -> dict[Expr, Expr]:
    """Values of q, u and u' in the reference motion, by symbol."""
    native, symbols = method.native, method.symbols
    given = {symbols.engine(k): symbols.engine(v) for k, v in reference.items()}
    known = {*native.q, *native.u, *native.udot}
    for s in given:
        if s.args or not (s in known or symbols.is_dynamic(s)):
            raise ModelError(f"the reference gives a value to {s}, which is no coordinate, speed or input")
    at = {s: given.get(s, ZERO) for s in (*native.q, *native.u)}
    for s, rate in zip(native.u, native.udot, strict=True):
        at[rate] = given.get(rate, time_derivative(at[s], symbols.rate))
    at |= {s: e for s, e in given.items() if s not in at}
    at |= dict.fromkeys(method._auxiliary, ZERO)
    return at


__all__ = ["LinearMotion", "linearize_directly"]
