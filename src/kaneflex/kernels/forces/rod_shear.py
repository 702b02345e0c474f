"""Stretch and shear of a rod between two of its segments, which a free joint connects: forces in the axes halfway between
those of the two, so that neither of them is preferred.

The axes halfway, turned by theta/2 from F, have the Gibbs vector m = e/(1 + e0) of `rod_bending`, and R, from them to F and
from M to them, is 1 + 2/(1 + x) (m~ + m~ m~). With p from F to M in F, and velocity v and angular velocity w of M in F in
axes of M, strain and its rate are

    g = R^T p ,    g' = R v - o x g ,    o = 2/(1 + x) (m' - m x m') ,                                                  (1)

o being the angular velocity of the axes halfway. Of the energy g.K g/2 and of a material with the viscous time T the force
s = K (g + T g') is conjugate to g', so that R^T s acts against v and, with m' = B w, -(do/dw)^T (g x s) against w.
"""

from kaneflex.kernels.algebra import add, cross, dot, madd, matmul, mul, scale, skew, sub, tmul
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.rod_bending import quarter_moment, quarter_rate, quarter_turn
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *

ROD_SHEAR = 12
FACTS = LoadFacts(ROD_SHEAR, parameters=("kx", "ky", "kz", "T"), spatial=False)


def rod_shear(I, P, W, m, q, z):
    """(1). Parameters: the diagonal of K in the axes halfway, and T; the column and the coordinate are the first of a free
    joint's."""
    b, g = force_row(I, m), force_par(I, m)
    c, first = column_work(I, I[b + FORCE_COLUMN]), I[b + FORCE_COORDINATE]
    k, time = (P[g + FORCE_LAW], P[g + FORCE_LAW + 1], P[g + FORCE_LAW + 2]), P[g + FORCE_LAW + 3]
    turn = quarter_turn(q, first + 3)
    x = dot(turn, turn)
    factor = 2 / (1 + x)
    cross_matrix = skew(turn)
    square = madd(cross_matrix, matmul(cross_matrix, cross_matrix))
    one = ((z + 1, z, z), (z, z + 1, z), (z, z, z + 1))
    R = madd(one, (scale(factor, square[0]), scale(factor, square[1]), scale(factor, square[2])))
    v, w = (rate(W, c, 0), rate(W, c, 1), rate(W, c, 2)), (rate(W, c, 3), rate(W, c, 4), rate(W, c, 5))
    strain = tmul(R, (q[first], q[first + 1], q[first + 2]))
    change = quarter_rate(turn, x, w)
    omega = scale(factor, sub(change, cross(turn, change)))
    rates = sub(mul(R, v), cross(omega, strain))
    force = (
        k[0] * (strain[0] + time * rates[0]),
        k[1] * (strain[1] + time * rates[1]),
        k[2] * (strain[2] + time * rates[2]),
    )
    along_v, couple = tmul(R, force), cross(strain, force)
    along_w = quarter_moment(turn, x, scale(factor, add(couple, cross(turn, couple))))
    for n in range(3):
        W[c + n * COLUMN_WIDTH + TAU] -= along_v[n]
        W[c + (n + 3) * COLUMN_WIDTH + TAU] += along_w[n]
    energy = (k[0] * strain[0] * strain[0] + k[1] * strain[1] * strain[1] + k[2] * strain[2] * strain[2]) / 2
    loss = time * (k[0] * rates[0] * rates[0] + k[1] * rates[1] * rates[1] + k[2] * rates[2] * rates[2])
    record_energy(I, W, m, energy, z, -loss)
