"""Lagrange's equations of a system, by way of its kinetic energy, in quasi-coordinates.

With q' = W(q) u, Q(q) = q' at given u, p_r = dT/du_r, and Y a left inverse of W,

    p_r' = F_r + sum_i W_ir dT/dq_i + p . Y b_r ,    b_r,i = sum_j (q_j' dW_ir/dq_j - W_jr dQ_i/dq_j)          (1)

b_r being u_s [X_s, X_r], brackets of the vector fields that the columns of W are: unlike Y they are needed only where a
quaternion has length one, so that more coordinates than speeds are no hindrance. The angles of rotors, which nothing
depends on, are further coordinates.
Ref: Banerjee (2016), section 1.3; Meirovitch, Methods of Analytical Dynamics (1970), section 4.12.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import symengine

from kaneflex.model.checks import ModelError
from kaneflex.model.drained import DrainedMass
from kaneflex.model.model import Model
from kaneflex.model.variable_mass import VariableMass
from kaneflex.symbolic.calculus import Rows, jacobian, replaced, solve_regular, times, total
from kaneflex.symbolic.lagrange_equations import LagrangeEquations
from kaneflex.symbolic.system.system_equations import Derivation
from kaneflex.symbolic.translate import ONE, ZERO

Expr = Any


def lagrange_of_system(
    model: Model, *, speeds: str = "customary", symbols: Mapping[str, Any] | None = None
) -> LagrangeEquations:
    """Lagrange's equations of a system, Eq. (1). Rows of prescribed speeds say what their rates are, as in Kane's."""
    if speeds == "constant-mass":
        raise ModelError('speeds "constant-mass" are an approximation of the velocities: give "customary"')
    for name, part in model.parts.items():
        if isinstance(part.body, VariableMass | DrainedMass):
            raise ModelError(f"body \"{name}\" loses mass: Lagrange's equations are those of a closed system, use Kane's")
    derivation = Derivation(model, speeds, symbols, simplify=False)
    eq = derivation.equations()
    T = derivation.kinetic_energy()
    kinematics = Kinematics(derivation)
    W, Q, q, n = kinematics.W, kinematics.rates, kinematics.q, len(eq.u)
    p = [T.diff(s) for s in eq.u]
    M = [[e.diff(s) for s in eq.u] for e in p]
    change, slope = jacobian(p, q), jacobian(Q, q)
    by_q = [T.diff(s) for s in q]
    brackets = []
    for r in range(n):
        column = [row[r] for row in W]
        own = jacobian(column, q)
        brackets.append([_dot(own[i], Q) - _dot(column, slope[i]) for i in range(len(Q))])
    turned = kinematics.speeds_of([[b[i] for b in brackets] for i in range(len(Q))])
    F = []
    for r in range(n):
        active = total([rows[r] for rows in eq.active.values()])
        virtual = _dot([row[r] for row in W], by_q)
        F.append(active + virtual + _dot(p, [row[r] for row in turned]) - _dot(change[r], Q) - p[r].diff(eq.t))
    for r in eq.drives:
        M[r], F[r] = eq.M[r], eq.F[r]
    quasi = any(e != (1 if i == k else 0) for i, row in enumerate(W) for k, e in enumerate(row)) or len(W) != n
    return LagrangeEquations(T, M, F, quasi, dict(eq.values))


class Kinematics:
    """Coordinates, angles of rotors among them, and speeds: W of q' = W u, and u of q'.

    Attributes:
        q: symbols of the coordinates; an angle of a rotor is named after it.
        rates: q' in terms of u.
        W: dq'/du.
    """

    def __init__(self, derivation: Derivation) -> None:
        plan, n = derivation.plan, derivation.plan.nu
        rotors = plan.index.rotors
        self.q = [*derivation.q, *(symengine.Symbol(name) for name in rotors)]
        self._ratio = derivation.bodies.ratios()
        w = [symengine.Symbol(f"w{k + 1}_relative") for k in range(n)]
        joint_rates = [*derivation.rates_of(w), *(w[k] for k in rotors.values())]
        self._relative = jacobian(joint_rates, w)  # dq'/dw, joint by joint
        self.W = times(self._relative, self._ratio)
        self.rates = [_dot(row, derivation.u) for row in self.W]
        self._inverse = self._left_inverse(derivation)

    def _left_inverse(self, derivation: Derivation) -> Rows:
        """dw/dq'. Rows of W_w that are square are solved; those of a quaternion have columns at right angles, whose squares
        are the same everywhere."""
        index, n = derivation.plan.index, derivation.plan.nu
        found: Rows = [[ZERO] * len(self.q) for _ in range(n)]
        for joint in index.joints.values():
            rows = range(joint.q0, joint.q0 + joint.coordinates)
            columns = range(joint.u0, joint.u0 + joint.speeds)
            block = [[self._relative[i][k] for k in columns] for i in rows]
            if joint.quaternion is None:
                unit = [[ONE if a == b else ZERO for b in rows] for a in rows]
                inverse = solve_regular(block, unit, "the rates of a joint do not determine its coordinates") if unit else []
            else:
                level = dict.fromkeys(derivation.q, ZERO) | {derivation.q[joint.quaternion]: ONE}
                squares = [total([replaced(row[k], level) ** 2 for row in block]) for k in range(joint.speeds)]
                inverse = [[row[k] / squares[k] for row in block] for k in range(joint.speeds)]
            for k, row in zip(columns, inverse, strict=True):
                for i, e in zip(rows, row, strict=True):
                    found[k][i] = e
        for modes in index.modes.values():
            for k in range(modes.modes):
                found[modes.u0 + k][modes.q0 + k] = ONE
        for m, k in enumerate(index.rotors.values()):
            found[k][derivation.plan.nq + m] = ONE
        return found

    def speeds_of(self, columns: Rows) -> Rows:
        """Y times columns: u of rates q'."""
        relative = times(self._inverse, columns)
        identity = all(e == (1 if i == k else 0) for i, row in enumerate(self._ratio) for k, e in enumerate(row))
        return relative if identity else solve_regular(self._ratio, relative, "the speeds do not determine the rates")


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    return total([x * y for x, y in zip(a, b, strict=True) if x != 0 and y != 0])


__all__ = ["Kinematics", "lagrange_of_system"]
