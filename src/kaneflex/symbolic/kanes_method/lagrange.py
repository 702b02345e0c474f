"""Lagrange's equations of the same system, in coordinates or in quasi-coordinates, to set beside Kane's.

With q' = W(q) u, Y = W^-1 and T(q, u) the kinetic energy, for every speed

    d/dt dT/du_r + sum_s dT/du_s sum_ij (dY_si/dq_j - dY_sj/dq_i) q_j' W_ir - sum_i W_ir dT/dq_i = F_r                 (1)

which for u = q' are Lagrange's equations. The detour over the kinetic energy costs derivatives that Kane's method does not
take.
Ref: Banerjee (2016), section 1.3; Meirovitch, Methods of Analytical Dynamics (1970), section 4.12.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import symengine
from sympy.physics.mechanics import RigidBody

from kaneflex.model.checks import ModelError
from kaneflex.symbolic.calculus import Rows, replaced, solve_regular, total
from kaneflex.symbolic.kanes_method.vectors import add, dot
from kaneflex.symbolic.lagrange_equations import LagrangeEquations
from kaneflex.symbolic.translate import ONE, ZERO

if TYPE_CHECKING:
    from kaneflex.symbolic.kanes_method.method import KanesMethod

Expr = Any


def lagrange_of_method(method: "KanesMethod") -> LagrangeEquations:
    """Lagrange's equations of the system of a KanesMethod, for its coordinates and speeds; Eq. (1).

    Args:
        method: with its equations formed, without constraints and without a part of q' that holds no speeds.
    """
    method._need()
    native = method.native
    if method._dependent or len(native.q) != len(native.u):
        raise ModelError("Lagrange's equations here need as many speeds as coordinates and no constraints: use Kane's")
    if any(x != 0 for x in method._X):
        raise ModelError("Lagrange's equations here need speeds that are linear in q' alone: q' = W(q) u")
    q, u, W = native.q, native.u, method._W
    n = len(q)
    T = kinetic_energy(method)
    by_u = [T.diff(s) for s in u]
    M = [[e.diff(s) for s in u] for e in by_u]
    identity = all(W[i][j] == (1 if i == j else 0) for i in range(n) for j in range(n))
    Y = _identity(n) if identity else solve_regular(W, _identity(n), "the speeds do not determine q'")
    time = method.symbols.symbol(method.symbols.time)
    plain = dict.fromkeys(method._auxiliary, ZERO)
    F = []
    for r in range(n):
        rest = [e * v for e, v in zip((by_u[r].diff(s) for s in q), native.qdot, strict=True) if e != 0]
        rest.append(by_u[r].diff(time))
        if not identity:
            rest += _hamel(by_u, Y, W, q, native.qdot, r)
        rest += [-W[i][r] * T.diff(q[i]) for i in range(n) if W[i][r] != 0]
        F.append(replaced(method._unreduced[0][r] - total(rest), plain))
    return LagrangeEquations(T, M, F, not identity)


def _hamel(by_u: Sequence[Expr], Y: Rows, W: Rows, q: Sequence[Expr], qdot: Sequence[Expr], r: int) -> list[Expr]:
    """The terms of quasi-coordinates in equation r."""
    n, terms = len(q), []
    for s in range(n):
        for i in range(n):
            if W[i][r] == 0:
                continue
            for j in range(n):
                change = Y[s][i].diff(q[j]) - Y[s][j].diff(q[i])
                if change != 0:
                    terms.append(by_u[s] * change * qdot[j] * W[i][r])
    return terms


def kinetic_energy(method: "KanesMethod") -> Expr:
    """T(q, u, t) of the bodies, J."""
    mechanics, terms = method.mechanics, []
    for body in method.bodylist:
        rigid = isinstance(body, RigidBody)
        parts = mechanics.points.motion(body.masscenter if rigid else body.point)
        v = add(*(mechanics.frames.in_root((f, m.value)) for f, m in parts))
        terms.append(method.symbols.engine(body.mass) * dot(v, v) / 2)
        if rigid:
            frame, _ = mechanics.frames.turning(body.frame)
            for axes, J, _, _ in mechanics.rotation(body):
                w = mechanics.frames.angular(frame, axes).value
                terms.append(dot(w, tuple(dot(row, w) for row in J)) / 2)
    return symengine.sympify(total(terms))


def _identity(n: int) -> Rows:
    return [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]
