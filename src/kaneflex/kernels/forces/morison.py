"""Water or air on a slender straight element of a body: drag, buoyancy, and inertia by Morison's equation.

With u the velocity and a_w the acceleration of the medium, v those of the axis there, u_n and u_t the parts of u - v across
and along the axis e, d the diameter and A the area of the section, the force per length is

    f = rho d/2 (Cn |u_n| u_n + pi Ct |u_t| u_t) - rho A G + rho A a_w + N (a_w - a) ,                                   (1)
    N = rho A (Ca (1 - e e^T) + Ct' e e^T) ,

G being uniform gravity: the third term is the force that the water would feel in the element's place, the last one that of
the added mass. What it has of a is in the body's added inertia, see `added_inertia`, but for omega x (omega x r); it is
the acceleration of the material and nothing else that Morison's equation has there. The sum over the element is Gauss's
rule with two points, exact for cubics: for drag that does not change its sign on the element, and its torque and power too.
|u| is the root of u.u + s^2, so that drag is linear in speeds below s.

Of the power of drag, f . (u - v) is lost, and f . u is applied by the medium. The rate of the fluid's kinetic energy
v . N v/2 and N (a_w - a) together leave v . N (a_w - omega x v) applied.
Where the element leaves the medium by its surface, all terms but that of N a fade while its diameter passes.

POINT and POINT_OTHER: Gauss's points; FRAME: its x axis is e. Value: factor of the current.
Parameters: Cn, pi Ct, d, length, A, Ca, Ct', s.
Ref: Morison, O'Brien, Johnson and Schaaf, Petroleum Transactions AIME 189 (1950), 149; Faltinsen (1990), chapter 7.
"""

from kaneflex.kernels.algebra import add, cross, dot, load3, load33, scale, sub, tmul
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import apply_force, record_energy, scalar_value
from kaneflex.kernels.kinematics import point_place
from kaneflex.kernels.layout import *
from kaneflex.kernels.medium import current_at, immersion, waves_at
from kaneflex.kernels.ops import sqrt

MORISON = 31
FACTS = LoadFacts(MORISON, value=1, letter="s", parameters=("Cn",), apart=("morison",))


def across(e, x, normal, tangential):
    """normal (1 - e e^T) x + tangential e e^T x."""
    along_axis = dot(e, x)
    return add(scale(normal, x), scale((tangential - normal) * along_axis, e))


def element_drag(P, law, density, e, u):
    """Drag per length for the relative velocity u, the first term of (1)."""
    slow, d = P[law + 7], P[law + 2]
    x = dot(e, u)
    n = sub(u, scale(x, e))
    normal = P[law] * sqrt(dot(n, n) + slow * slow)
    tangential = P[law + 1] * sqrt(x * x + slow * slow)
    return scale(density * d / 2, add(scale(normal, n), scale(tangential * x, e)))


def morison(I, P, W, m, t):
    """Eq. (1) at the two points of Gauss."""
    b, g = force_row(I, m), force_par(I, m)
    i, n, law = I[b + FORCE_BODY], I[b + FORCE_MEDIUM], g + FORCE_LAW
    w, z = body_work(i), 0 * W[OMEGA]
    R, e = load33(W, w + R_NM), (P[g + FRAME], P[g + FRAME + 3], P[g + FRAME + 6])
    gravity = load3(P, I[P_GRAVITY])
    v0, omega, G = load3(W, w + V_), load3(W, w + OMEGA), tmul(R, gravity)
    factor, half_length, density = scalar_value(I, P, W, m, z), P[law + 3] / 2, P[I[medium_row(I, n) + MEDIUM_P]]
    mass, strength = density * P[law + 4], sqrt(dot(gravity, gravity))
    potential, applied, lost = z, z, z
    for k in range(2):
        p = load3(P, g + POINT + 3 * k)
        x, v = point_place(W, w, p), add(v0, cross(omega, p))
        wet, rise = immersion(I, P, n, x, P[law + 2])
        u, a = current_at(I, P, n, x, factor), (z, z, z)
        if I[medium_row(I, n) + MEDIUM_WAVES] > 0:
            stream, change = waves_at(I, P, n, t, x)
            u, a = add(u, stream), scale(wet, tmul(R, change))
        u = tmul(R, u)
        drag = scale(wet, element_drag(P, law, density, e, sub(u, v)))
        spin = cross(omega, cross(omega, p))
        added = across(e, sub(sub(a, G), spin), mass * P[law + 5], mass * P[law + 6])
        pushed = scale(mass, sub(a, scale(wet, G)))
        apply_force(W, i, p, scale(half_length, add(drag, add(pushed, added))))
        work = dot(v, across(e, sub(a, cross(omega, v)), mass * P[law + 5], mass * P[law + 6]))
        potential += half_length * mass * strength * rise
        applied += half_length * (dot(drag, u) + mass * dot(a, v) + work)
        lost -= half_length * dot(drag, sub(u, v))
    record_energy(I, W, m, potential, applied, lost)
