"""A flexible body with efficient modal speeds, whose mass matrix is constant (CONSTANT_MASS).

As in `bodies.modal` the affine part of the body's motion is that of a few points of unit mass, here in axes of the root, and
the residual modes phi have the mass matrix E. The velocity of a material point is taken as

    sum h_k c_k' + phi sigma ,   c_k' = sqrt m v (k = 0) + omega x c_k + e_k eta-dot ,   e_k = columns_k + R_k eta        (1)

so that c_k' and sigma are speeds with which the mass matrix is constant, unit masses and E. Of omega x phi eta, which
sigma - eta-dot should be, (1) keeps what the modes span:

    E (sigma - eta-dot) = sum omega_a w_a ,   w_a = eta d_a ,   d_ij = int phi_i x phi_j dm .                             (2)

u holds eta-dot, with which nodes move. The kinetic energy of (1) in them is that of `bodies.modal` without a mean rotation,
A = 0, and with

    F_ab = d_a E^+ d_b^T + d_b E^+ d_a^T ,   J_ab = 1/2 eta F_ab eta = w_a . E^+ w_b                                      (3)

for the residual inertia, so that all of its equations hold here. Since E = 1 - columns^T columns, the modal mass is

    1 + sum over the forms of (e_k e_k^T - columns_k columns_k^T) :                                                       (4)

the unit matrix but for two rows per form. M is a sum of squares, power is the rate of energy, and momentum and angular
momentum are kept, with whatever hangs on the nodes. The body is stiffened where accelerations of the points, by spin or
along a line, meet R_k, and by loads at nodes in these nodes' own second-order motion. Lost is what the modes do not span of
omega x phi eta: see `structures.modes.efficient_speeds`.
Ref: D'Eleuterio and Barfoot (1999); Banerjee and Lemak; Banerjee, Flexible Multibody Dynamics, sections 8.1 and 9.1.
"""

from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_shape import second_columns


def first_columns(I, P, W, i):
    """The linear parts of the last MIXED of the columns that have a form to FIRST."""
    f, m, out = flexible_row(I, i), I[body_row(i) + MODES], modal_work(I, i, FIRST)
    count, z = I[f + FLEXIBLE_MIXED] * m, 0 * W[body_work(i) + OMEGA]
    at = shape_par(I, i) + shape_c1_par(m) + (I[f + FLEXIBLE_LINEAR] + I[f + FLEXIBLE_SECOND]) * m - count
    for k in range(count):
        W[out + k] = z + P[at + k]


def constant_mass_entry(I, W, i, k, n):
    """Entry k, n of the modal mass (4)."""
    f, m, g, c = flexible_row(I, i), I[body_row(i) + MODES], second_columns(I, i), modal_work(I, i, FIRST)
    value = 0 * W[body_work(i) + OMEGA]
    if k == n:
        value += 1
    for s in range(I[f + FLEXIBLE_SECOND]):
        value += W[g + s * m + k] * W[g + s * m + n]
    for s in range(I[f + FLEXIBLE_MIXED]):
        value -= W[c + s * m + k] * W[c + s * m + n]
    return value
