"""Attraction by a distant centre on one body, to second order in its size (MacCullagh).

With r the mass centre from the attracting centre, n = r/|r|, and J the body's central inertia,

    V = -mu m/r - mu/(2 r^3) (tr J - 3 n.Jn)                                                        (1)
    f = -mu m/r^2 n - 3 mu/(2 r^4) [(tr J - 5 n.Jn) n + 2 J n]                                       (2)
    t = 3 mu/r^3 n x J n        (gravity gradient, about the mass centre)                             (3)

(2) and (3) both follow from (1), so that energy is conserved to rounding.
A flexible body has its mass centre c = s/m and J as they are when deformed, and on mode k the same (1) exerts

    f . dc/d eta_k + mu/(2 r^3) (tr J_k - 3 n.J_k n) ,    J_k = d(central inertia)/d eta_k .                          (4)

Value: (mu, m, 0); POINT: mass centre in the body; POINT_OTHER: the attracting centre in N; parameters: J (6).
Ref: Hughes, Spacecraft Attitude Dynamics (1986), section 8.1.
"""

from kaneflex.kernels.algebra import add, cross, dot, load3, load6, load33, scale, sub, sym_mul, tmul
from kaneflex.kernels.flexible import modal_six
from kaneflex.kernels.forces.value import apply_force, apply_torque, record_energy
from kaneflex.kernels.kinematics import point_place
from kaneflex.kernels.layout import (
    FLEXIBLE_U,
    FLEXIBLE_W,
    FORCE_BODY,
    FORCE_LAW,
    MODES,
    OWN_COUPLING,
    OWN_J,
    OWN_S,
    POINT,
    POINT_OTHER,
    R_NM,
    TAU,
    VALUE,
    body_row,
    body_work,
    column_work,
    flexible_row,
    force_par,
    force_row,
    modal_work,
)
from kaneflex.kernels.ops import sqrt


def central_force(I, P, W, m, z):
    """Eqs. (1) to (4)."""
    i, g = I[force_row(I, m) + FORCE_BODY], force_par(I, m)
    w, c, J = body_work(i), load3(P, g + POINT), load6(P, g + FORCE_LAW)
    mu, mass = P[g + VALUE], P[g + VALUE + 1]
    if I[body_row(i) + MODES] > 0:
        own = I[flexible_row(I, i) + FLEXIBLE_W]
        c = scale(1 / mass, load3(W, own + OWN_S))
        J = central_inertia(load6(W, own + OWN_J), -mass / 2, c, c)
    r = tmul(load33(W, w + R_NM), sub(point_place(W, w, c), load3(P, g + POINT_OTHER)))
    distance = sqrt(dot(r, r))
    n = scale(1 / distance, r)
    Jn = sym_mul(J, n)
    trace, nJn = J[0] + J[3] + J[5], dot(n, Jn)
    k = mu / (distance * distance * distance)
    f = add(
        scale(-k * (mass * distance + 3 * (trace - 5 * nJn) / (2 * distance)), n),
        scale(-3 * k / distance, Jn),
    )
    apply_force(W, i, c, f)
    apply_torque(W, i, scale(3 * k, cross(n, Jn)))
    if I[body_row(i) + MODES] > 0:
        attract_modes(I, W, i, mass, c, n, f, k / 2)
    record_energy(I, W, m, -mu * mass / distance - k * (trace - 3 * nJn) / 2, z, z)


def central_inertia(J, m, a, b):
    """J + m (2 a.b 1 - a b^T - b a^T)."""
    d = 2 * dot(a, b)
    return (
        J[0] + m * (d - 2 * a[0] * b[0]),
        J[1] - m * (a[0] * b[1] + b[0] * a[1]),
        J[2] - m * (a[0] * b[2] + b[0] * a[2]),
        J[3] + m * (d - 2 * a[1] * b[1]),
        J[4] - m * (a[1] * b[2] + b[1] * a[2]),
        J[5] + m * (d - 2 * a[2] * b[2]),
    )


def attract_modes(I, W, i, mass, c, n, f, k):
    """Eq. (4)."""
    own, m, first = modal_work(I, i, OWN_COUPLING), I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_U]
    for mode in range(m):
        shift = modal_six(W, own + mode, m)
        shift = (shift[3] / mass, shift[4] / mass, shift[5] / mass)
        J = central_inertia(modal_six(W, own + 6 * m + mode, m), -mass, c, shift)
        W[column_work(I, first + mode) + TAU] += dot(f, shift) + k * (J[0] + J[3] + J[5] - 3 * dot(n, sym_mul(J, n)))
