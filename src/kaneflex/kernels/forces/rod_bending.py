"""Bending and twist of a rod between two of its segments, which a joint with a quaternion connects: moments that are linear
in the rotation vector.

With m = e/(1 + e0), whose length is tan(theta/4), x = m.m and G(x) = arctan(sqrt x)/sqrt x, the rotation vector and its rate
for the angular velocity w (axes of M) are

    phi = 4 G m ,    m' = B w ,    4 B w = (1 - x) w + 2 m x w + 2 m (m.w) ,                                         (1)
    phi' = 4 G m' + 8 G' (m.m') m .                                                                                (2)

Of the energy phi.K phi/2 and of a material that is viscous with the time T, the moment conjugate to w is

    tau = - (d phi/dw)^T K (phi + T phi') ,                                                                        (3)

(2) read from right to left. All is smooth at theta = 0 and up to a whole turn, where e0 = -1. G and G' come from halving the
angle, x -> x a^2 with a = 1/(1 + sqrt(1 + x)): G(x) = 2 a G(x a^2), until the series of the arc tangent has few terms.
Ref: Schaub and Junkins, Analytical Mechanics of Space Systems (2018), section 3.6 (modified Rodrigues parameters).
"""

from kaneflex.kernels.algebra import add, cross, dot, scale, sub
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import sqrt

ROD_BENDING = 11
FACTS = LoadFacts(ROD_BENDING, parameters=("kx", "ky", "kz", "T"), spatial=False)
ARC_TERMS = 8


def quarter_turn(q, e):
    """m = tan(theta/4) times the axis of the rotation, from the quaternion q[e:]."""
    s = 1 / (1 + q[e])
    return q[e + 1] * s, q[e + 2] * s, q[e + 3] * s


def arc_of_tangent(x):
    """G and dG/dx: three halvings of the angle, then the series."""
    w1 = sqrt(1 + x)
    a1 = 1 / (1 + w1)
    x1 = x * a1 * a1
    w2 = sqrt(1 + x1)
    a2 = 1 / (1 + w2)
    x2 = x1 * a2 * a2
    w3 = sqrt(1 + x2)
    a3 = 1 / (1 + w3)
    x3 = x2 * a3 * a3
    G, slope = 0 * x, 0 * x
    for k in range(ARC_TERMS, -1, -1):
        slope = -G - x3 * slope  # of 1/(2 k + 1) - x G
        G = (1 + 0 * x) / (2 * k + 1) - x3 * G
    for a, w in ((a3, w3), (a2, w2), (a1, w1)):
        slope = a * a * (2 * a * slope - G) / w
        G = 2 * a * G
    return G, slope


def quarter_rate(m, x, w):
    """m' = B w of (1)."""
    return scale((1 + 0 * x) / 4, add(add(scale(1 - x, w), scale(2, cross(m, w))), scale(2 * dot(m, w), m)))


def quarter_moment(m, x, h):
    """B^T h."""
    return scale((1 + 0 * x) / 4, add(sub(scale(1 - x, h), scale(2, cross(m, h))), scale(2 * dot(m, h), m)))


def along_arc(m, G, slope, v):
    """4 G v + 8 G' (m.v) m, of (2), which is its own transpose."""
    return add(scale(4 * G, v), scale(8 * slope * dot(m, v), m))


def rod_bending(I, P, W, m, q, z):
    """(3). Parameters: the diagonal of K in axes of M, and T."""
    b, g = force_row(I, m), force_par(I, m)
    c = column_work(I, I[b + FORCE_COLUMN])
    k, time = (P[g + FORCE_LAW], P[g + FORCE_LAW + 1], P[g + FORCE_LAW + 2]), P[g + FORCE_LAW + 3]
    turn = quarter_turn(q, I[b + FORCE_COORDINATE])
    x = dot(turn, turn)
    G, slope = arc_of_tangent(x)
    w = (W[c + RATE], W[c + COLUMN_WIDTH + RATE], W[c + 2 * COLUMN_WIDTH + RATE])
    phi = scale(4 * G, turn)
    rates = along_arc(turn, G, slope, quarter_rate(turn, x, w))
    moment = (
        k[0] * (phi[0] + time * rates[0]),
        k[1] * (phi[1] + time * rates[1]),
        k[2] * (phi[2] + time * rates[2]),
    )
    tau = quarter_moment(turn, x, along_arc(turn, G, slope, moment))
    for n in range(3):
        W[c + n * COLUMN_WIDTH + TAU] -= tau[n]
    energy = (k[0] * phi[0] * phi[0] + k[1] * phi[1] * phi[1] + k[2] * phi[2] * phi[2]) / 2
    loss = time * (k[0] * rates[0] * rates[0] + k[1] * rates[1] * rates[1] + k[2] * rates[2] * rates[2])
    record_energy(I, W, m, energy, z, -loss)
