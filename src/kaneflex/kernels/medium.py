"""Water and air: how they move, and how much of a body is in them.

The velocity at the height z is a factor of the time times a profile by straight pieces, written as a sum over its bends,

    u(z) = u_0 + sum c_k ramp(z - z_k) ,                                                                              (1)

and to it add waves of Airy's linear theory: with the phase theta = k (x cos b + y sin b) - w t + e, x and y being horizontal
and b the heading, z counted from the surface at rest and h the depth,

    u = A w C (cos theta) ahead + A w S (sin theta) up ,   a = A w^2 C (sin theta) ahead - A w^2 S (cos theta) up ,     (2)
    C = cosh k(z + h)/sinh kh = (e^kz + e^-k(z + 2h))/(1 - e^-2kh) ,   S = sinh k(z + h)/sinh kh ,   w^2 = g k tanh kh .

Above the surface at rest z = 0 is put in (2). The factor of time moves no water of its own: its rate is left out of a.
A row of a wave has A (m), w (rad/s), k (1/m), e (rad), cos b, sin b, 1/(1 - e^-2kh), and 2h (of no use in deep water).
Ref: Airy, Tides and Waves (1845); Faltinsen, Sea Loads on Ships and Offshore Structures (1990), table 2.1.
"""

from kaneflex.kernels.algebra import add, dot, load3, scale
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import cos, exp, ramp, sin


def medium_height(I, P, n, x):
    """Height of the place x, inertial axes."""
    return dot(load3(P, I[medium_row(I, n) + MEDIUM_P] + medium_up_par()), x)


def current_at(I, P, n, x, factor):
    """Eq. (1) at the place x, inertial axes, times the factor."""
    b, z = medium_row(I, n), medium_height(I, P, n, x)
    g = I[b + MEDIUM_P]
    u = load3(P, g + medium_velocity_par())
    u = (0 * z + u[0], 0 * z + u[1], 0 * z + u[2])
    for k in range(I[b + MEDIUM_BENDS]):
        bend = g + medium_bends_par() + 4 * k
        u = add(u, scale(ramp(z - P[bend]), load3(P, bend + 1)))
    return scale(factor, u)


def waves_at(I, P, n, t, x):
    """Eq. (2) at the place x and the time t: velocity and acceleration of the water, inertial axes."""
    b, g = medium_row(I, n), I[medium_row(I, n) + MEDIUM_P]
    up, east, north = load3(P, g + medium_up_par()), load3(P, g + medium_east_par()), load3(P, g + medium_north_par())
    X, Y = dot(east, x), dot(north, x)
    z = -ramp(P[g + medium_level_par()] - dot(up, x))
    u_x, u_y, u_z, a_x, a_y, a_z = 0 * z, 0 * z, 0 * z, 0 * z, 0 * z, 0 * z
    for m in range(I[b + MEDIUM_WAVES]):
        r = g + medium_waves_par(I[b + MEDIUM_BENDS]) + 8 * m
        k, w, speed = P[r + 2], P[r + 1], P[r] * P[r + 1] * P[r + 6]
        down, reflected = exp(k * z), 0 * z
        if I[b + MEDIUM_DEEP] == 0:
            reflected = exp(-k * (z + P[r + 7]))
        theta = k * (X * P[r + 4] + Y * P[r + 5]) - w * t + P[r + 3]
        c, s, C, S = cos(theta), sin(theta), speed * (down + reflected), speed * (down - reflected)
        ahead, push = C * c, w * C * s
        u_x += P[r + 4] * ahead
        u_y += P[r + 5] * ahead
        u_z += S * s
        a_x += P[r + 4] * push
        a_y += P[r + 5] * push
        a_z -= w * S * c
    u = add(add(scale(u_x, east), scale(u_y, north)), scale(u_z, up))
    return u, add(add(scale(a_x, east), scale(a_y, north)), scale(a_z, up))


def immersion(I, P, n, x, size):
    """Share of a body of this size, m, around x that is in the medium, from 0 to 1 while it passes the surface; and the
    buoyant force's potential over density, gravity and volume, m."""
    b, z = medium_row(I, n), medium_height(I, P, n, x)
    wet, rise = 1 + 0 * z, -z
    if I[b + MEDIUM_SURFACE] == 1:
        s = (2 * (P[I[b + MEDIUM_P] + medium_level_par()] - z) / size + 1) / 2
        wet, rise = ramp(s) - ramp(s - 1), size * (ramp(s) * ramp(s) - ramp(s - 1) * ramp(s - 1)) / 2
    return wet, rise
