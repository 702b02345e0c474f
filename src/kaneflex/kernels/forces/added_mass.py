"""A rigid body in a fluid: added inertia in full, buoyancy and drag at a point.

With V the velocity of the body's M relative to the fluid around it, and J, H, M the added inertia (`added_inertia`), the
fluid has the momenta p = H^T omega + M V and l = J omega + H V, and Kirchhoff's equations give

    force = -(p-dot + omega x p) ,    torque = -(l-dot + omega x l + V x p) ,                                          (1)

rates being those of components in M. Of V-dot = a - a_w - omega x V, a being the acceleration of M in N, the first term is
in the body's inertia and the others are here. To it add, at the point r, the force rho V_0 (a_w - G) on the volume V_0, as
the fluid would feel it in the body's place, and drag rho S |u| u/2 with the velocity u of the fluid relative to that point,
|u| being the root of u.u + s^2. The fluid is taken to move around the body as it does at r.

Rows hold M in POINT and POINT_OTHER, H in FRAME, J in the first six parameters, then V_0, its diameter, r, S, s. Value:
factor of the current.
Ref: Lamb, Hydrodynamics (1932), chapter 6; Newman, Marine Hydrodynamics (1977), section 4.13.
"""

from kaneflex.kernels.added_inertia import added_momentum
from kaneflex.kernels.algebra import add, cross, dot, load3, load6, load33, mul, scale, sub, sym_mul, tmul
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, apply_torque, record_energy, scalar_value
from kaneflex.kernels.kinematics import point_place
from kaneflex.kernels.layout import *
from kaneflex.kernels.medium import current_at, immersion, waves_at
from kaneflex.kernels.ops import sqrt

ADDED_MASS = 32
FACTS = LoadFacts(ADDED_MASS, value=1, letter="s", apart=("added_mass",))


def added_mass(I, P, W, m, t):
    """Eq. (1) but for what is in the body's inertia, the force on its volume, and drag."""
    b, g = force_row(I, m), force_par(I, m)
    i, n, law = I[b + FORCE_BODY], I[b + FORCE_MEDIUM], g + FORCE_LAW
    w, z = body_work(i), 0 * W[OMEGA]
    J, H, M, r = load6(P, law), load33(P, g + FRAME), load6(P, g + POINT), load3(P, law + 8)
    R, v, omega = load33(W, w + R_NM), load3(W, w + V_), load3(W, w + OMEGA)
    gravity, x = load3(P, I[P_GRAVITY]), point_place(W, w, r)
    G = tmul(R, gravity)
    stream, change = waves_at(I, P, n, t, x)
    a = tmul(R, change)
    stream = tmul(R, add(stream, current_at(I, P, n, x, scalar_value(I, P, W, m, z))))
    V = sub(v, stream)
    l, p = added_momentum(J, H, M, omega, V)
    carried = add(a, cross(omega, V))
    force = sub(sym_mul(M, carried), cross(omega, p))
    torque = sub(sub(mul(H, carried), cross(omega, l)), cross(V, p))
    apply_force(W, i, (z, z, z), sub(force, sym_mul(M, G)))
    apply_torque(W, i, sub(torque, mul(H, G)))
    wet, rise = immersion(I, P, n, x, P[law + 7])
    density = P[I[medium_row(I, n) + MEDIUM_P]]
    mass, u = density * P[law + 6], scale(-1, add(V, cross(omega, r)))
    pushed = scale(mass * wet, a)
    drag = scale(density * P[law + 11] / 2 * wet * sqrt(dot(u, u) + P[law + 12] * P[law + 12]), u)
    apply_force(W, i, r, add(drag, sub(pushed, scale(mass * wet, G))))
    turned = cross(omega, v)
    power = dot(v, force) + dot(omega, torque) - dot(v, sym_mul(M, turned)) - dot(omega, mul(H, turned))
    power += dot(pushed, add(v, cross(omega, r))) + dot(drag, stream)
    record_energy(I, W, m, mass * sqrt(dot(gravity, gravity)) * rise, power, -dot(drag, u))
