"""Stretch and shear of a rod in a plane, between two segments that a planar joint connects: `rod_shear` with one turn.

With q = (x, y, a) and the axes halfway turned by a/2,

    g = (x c + y s, -x s + y c) ,    c = cos(a/2) ,  s = sin(a/2) ,                                                   (1)

and with the force f = K (g + T g') the generalized force is -(dg/dq)^T f, where dg/da = (g2, -g1)/2.
"""

from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import cos, sin

ROD_SHEAR_IN_PLANE = 13
FACTS = LoadFacts(ROD_SHEAR_IN_PLANE, parameters=("kx", "ky", "T"), spatial=False)


def rod_shear_in_plane(I, P, W, m, q, z):
    """(1). Parameters: the two of K, and T; the column and the coordinate are the first of a planar joint's."""
    b, g = force_row(I, m), force_par(I, m)
    work, first = column_work(I, I[b + FORCE_COLUMN]), I[b + FORCE_COORDINATE]
    k1, k2, time = P[g + FORCE_LAW], P[g + FORCE_LAW + 1], P[g + FORCE_LAW + 2]
    c, s = cos(q[first + 2] / 2), sin(q[first + 2] / 2)
    g1, g2 = q[first] * c + q[first + 1] * s, q[first + 1] * c - q[first] * s
    w1, w2, turn = rate(W, work, 0), rate(W, work, 1), rate(W, work, 2) / 2
    rate1, rate2 = w1 * c + w2 * s + g2 * turn, w2 * c - w1 * s - g1 * turn
    f1, f2 = k1 * (g1 + time * rate1), k2 * (g2 + time * rate2)
    W[work + TAU] -= f1 * c - f2 * s
    W[work + COLUMN_WIDTH + TAU] -= f1 * s + f2 * c
    W[work + 2 * COLUMN_WIDTH + TAU] -= (f1 * g2 - f2 * g1) / 2
    record_energy(I, W, m, (k1 * g1 * g1 + k2 * g2 * g2) / 2, z, -time * (k1 * rate1 * rate1 + k2 * rate2 * rate2))
