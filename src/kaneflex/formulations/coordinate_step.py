"""Coordinates moved by finite displacements along the columns of their joints, the same all the way.

A joint whose speeds are the rates of its coordinates adds them. A rotation in space by the rotation vector s in the axes of
the body, e' = e (0, s)/2 for unit time, and a free body that is moved by d as it turns, p' = R d, end at

    e cos(x/2) + e (0, s) sin(x/2)/x ,    p + R (d + (1 - cos x)/x^2 s x d + (x - sin x)/x^3 s x (s x d)) ,          (1)

x = |s|. On numbers only.
"""

from kaneflex.kernels.algebra import add, cross, dot, load3, mul, quaternion_matrix, scale, store3
from kaneflex.kernels.joints.free import FREE
from kaneflex.kernels.joints.spherical import SPHERICAL, quaternion_rates
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import cos, sin, sqrt


def coordinate_step(I, q, s, new):
    """Coordinates q moved by s, one for every speed, to `new`."""
    for i in range(1, I[BODIES]):
        b = body_row(i)
        first, along_ = I[b + Q0], I[b + U0]
        if I[b + JOINT] == SPHERICAL:
            turn(q, first, load3(s, along_), new)
        elif I[b + JOINT] == FREE:
            store3(new, first, carried_place(q, first, load3(s, along_ + 3), load3(s, along_)))
            turn(q, first + 3, load3(s, along_ + 3), new)
        else:
            for k in range(I[b + NQ]):
                new[first + k] = q[first + k] + s[along_ + k]
        if I[b + MODES] > 0:
            f = flexible_row(I, i)
            for k in range(I[b + MODES]):
                new[I[f + FLEXIBLE_Q] + k] = q[I[f + FLEXIBLE_Q] + k] + s[I[f + FLEXIBLE_U] + k]


def turn(q, k, s, new):
    """Eq. (1) for the quaternion at k."""
    x = sqrt(dot(s, s))
    quaternion_rates(q, k, s[0], s[1], s[2], new)  # e (0, s)/2
    share = sin(x / 2) / (x / 2) if x > 1e-8 else 1.0
    for m in range(4):
        new[k + m] = cos(x / 2) * q[k + m] + share * new[k + m]


def carried_place(q, k, s, d):
    """Eq. (1) for the place at k, before a quaternion."""
    square = dot(s, s)
    x = sqrt(square)
    first, second = 0.5 - square / 24, 1.0 / 6 - square / 120
    if x > 1e-3:
        first, second = (1 - cos(x)) / square, (x - sin(x)) / (square * x)
    across = cross(s, d)
    path = add(d, add(scale(first, across), scale(second, cross(s, across))))
    return add(load3(q, k), mul(quaternion_matrix(q[k + 3], q[k + 4], q[k + 5], q[k + 6]), path))
