"""A flexible body with efficient modal speeds, whose mass matrix is constant (CONSTANT_MASS), and the undeformed one
(UNDEFORMED).

As in `bodies.modal` the affine part of the body's motion is that of a few points of unit mass, here in axes of the root, and
the residual modes phi have the mass matrix E. The velocity of a material point is taken as

    sum h_k c_k' + phi sigma ,   c_k' = sqrt m v (k = 0) + omega x c_k + e_k eta-dot ,   e_k = columns_k + R_k eta        (1)

so that c_k' and sigma are speeds with which the mass matrix is constant, unit masses and E. Of omega x phi eta, which
sigma - eta-dot should be, (1) keeps what the modes span:

    E (sigma - eta-dot) = w = sum omega_a w_a ,   w_a = eta d_a ,   d_ij = int phi_i x phi_j dm .                         (2)

u holds eta-dot, with which nodes move; the kinetic energy of (1) gives the equations in them. With x = E^+ w,
y_a = eta-dot d_a and y = sum omega_a y_a, they have besides M times the accelerations

    b_k = omega x (omega x c_k + 2 e_k eta-dot) + eta-dot R_k eta-dot   (k = 0: + sqrt m omega x (omega x root)) ,
    force = sqrt m b_0 ,   mode j = sum e_kj . b_k + 2 y_j + sum omega_a (x d_a)_j ,                                      (3)
    torque = sum c_k x b_k + omega x h + n ,   h_a = w_a . (eta-dot + x) ,   n_a = w_a . E^+ y + y_a . x ;

    M: J = that of the points + w_a . E^+ w_b ,   coupling of mode j  sqrt m e_0j ,  sum c_k x e_kj + w_aj ,
       modal mass  1 + sum over the forms of (Z h^T + h Z^T) ,   Z = R_k eta ,  h = columns_k + Z/2 :                     (4)

the unit matrix but for two rows per form, since E = 1 - columns^T columns. M is a sum of squares, power is the rate of
energy, and momentum and angular momentum are kept, with whatever hangs on the nodes. The body is stiffened where
accelerations of the points, by spin or along a line, meet R_k, and by loads at nodes in these nodes' own second-order
motion. Lost is what the modes do not span of omega x phi eta: see `structures.modes.efficient_speeds`.
Ref: D'Eleuterio and Barfoot (1999); Banerjee and Lemak; Banerjee, Flexible Multibody Dynamics, sections 8.1 and 9.1.
"""

from kaneflex.kernels.algebra import (
    add,
    cross,
    dot,
    half,
    load3,
    load6,
    scale,
    skew,
    store3,
    store6,
    store33,
    sym_mul,
)
from kaneflex.kernels.bodies.rigid import central_inertia
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import modal_three, product_with, row_sums, second_rates


def constant_inertia(I, P, W, i, q):
    """Inertia, coupling and modal mass (4) of the flexible body i alone, and the terms (3)."""
    f, shape, own, m = flexible_row(I, i), shape_par(I, i), I[flexible_row(I, i) + FLEXIBLE_W], I[body_row(i) + MODES]
    omega, root, size = load3(W, body_work(i) + OMEGA), load3(P, shape), P[shape + shape_root_mass_par()]
    bend_points(I, P, W, i, q)
    J, torque = carry_residual(I, P, W, i, q, omega)
    store6(W, own + OWN_RESIDUAL, J)
    slot = 0
    for k in range(I[f + FLEXIBLE_POINTS]):
        c, v = point_motion(I, P, W, i, k, q)
        b = cross(omega, add(cross(omega, c), scale(2, v)))
        if I[f + FLEXIBLE_FORMS] > 0:
            second, slot = second_rates(I, W, i, 3 + 3 * k, slot)
            b = add(b, second)
        if k == 0:
            b = add(b, scale(size, cross(omega, cross(omega, root))))
        store3(W, own + OWN_C + 3 * k, c)
        store3(W, own + OWN_B + 3 * k, b)
        torque, J = add(torque, cross(c, b)), central_inertia(J, 1, c, half(c))
        arm = c
        if k == 0:  # its coupling is about the origin of M
            arm = add(c, scale(size, root))
        couple_point(I, W, i, k, arm, b)
    first, coupling = modal_work(I, i, POINT_COLUMNS), modal_work(I, i, OWN_COUPLING) + 3 * m
    for j in range(3 * m):
        W[coupling + j] = size * W[first + j]
    store_whole(I, P, W, i, J, scale(size, load3(W, own + OWN_C)), scale(size, load3(W, own + OWN_B)), torque)


def bend_points(I, P, W, i, q):
    """Z, h of (4) and Z again to SECOND, e_k to POINT_COLUMNS; the forms times eta-dot stay in BY_SIGMA."""
    f, m, shape = flexible_row(I, i), I[body_row(i) + MODES], shape_par(I, i)
    count, Z, z = I[f + FLEXIBLE_FORMS] * m, modal_work(I, i, SECOND), 0 * W[body_work(i) + OMEGA]
    columns, sigma, rates = modal_work(I, i, POINT_COLUMNS), modal_work(I, i, SIGMA), modal_work(I, i, BY_SIGMA)
    for k in range(3 * m * I[f + FLEXIBLE_POINTS]):
        W[columns + k] = z + P[shape + shape_c1_par(m) + k]
    if count > 0:
        row_sums(P, shape + shape_forms_par(m), count, count, m, q, I[f + FLEXIBLE_Q], W, sigma, W, Z, W, rates)
        for n in range(3 * I[f + FLEXIBLE_POINTS]):
            if is_zero(I[f + FLEXIBLE_ZERO], 3 + n) == 0:
                for k in range(m):
                    W[Z + count + k] = W[columns + n * m + k] + W[Z + k] / 2
                    W[Z + 2 * count + k] = W[Z + k]
                    W[columns + n * m + k] += W[Z + k]
                Z += m


def point_motion(I, P, W, i, k, q):
    """c_k = c_k0 + (columns_k + e_k) eta/2, and e_k eta-dot, in one pass."""
    f, m, shape, z = flexible_row(I, i), I[body_row(i) + MODES], shape_par(I, i), 0 * W[body_work(i) + OMEGA]
    e, columns, sigma = modal_work(I, i, POINT_COLUMNS + 3 * k), shape + shape_c1_par(m) + 3 * k * m, modal_work(I, i, SIGMA)
    eta, c = I[f + FLEXIBLE_Q], load3(P, shape + shape_places_par() + 3 * k)
    cx, cy, cz, vx, vy, vz = z, z, z, z, z, z
    for j in range(m):
        x, rate = q[eta + j], W[sigma + j]
        ex, ey, ez = W[e + j], W[e + m + j], W[e + 2 * m + j]
        cx, cy = cx + (P[columns + j] + ex) * x, cy + (P[columns + m + j] + ey) * x
        cz, vx, vy, vz = cz + (P[columns + 2 * m + j] + ez) * x, vx + ex * rate, vy + ey * rate, vz + ez * rate
    if I[f + FLEXIBLE_SPEEDS] == CONSTANT_MASS:
        c = (c[0] + cx / 2, c[1] + cy / 2, c[2] + cz / 2)
    return c, (vx, vy, vz)


def carry_residual(I, P, W, i, q, omega):
    """The share of the residual modes in J and torque; w_a to the angular coupling, their share in the modes (3) to
    MODAL_BIAS."""
    f, m = flexible_row(I, i), I[body_row(i) + MODES]
    by_eta, coupling, bias = modal_work(I, i, BY_ETA), modal_work(I, i, OWN_COUPLING), modal_work(I, i, MODAL_BIAS)
    o, count = 0 * omega[0], I[f + FLEXIBLE_TURNS] * m
    J, torque, slot = (o, o, o, o, o, o), (o, o, o), 0
    for k in range(3 * m):
        W[coupling + k] = o
    for k in range(m):
        W[bias + k] = o
    if count > 0:
        turns = I[f + FLEXIBLE_SPAN] + span_turns_par(I[f + FLEXIBLE_SPANS], m)
        sigma, rates, again = modal_work(I, i, SIGMA), by_eta + count, by_eta + 2 * count
        row_sums(P, turns, count, count, m, q, I[f + FLEXIBLE_Q], W, sigma, W, by_eta, W, rates)
        for a in range(3):
            if is_zero(I[f + FLEXIBLE_ZERO], a) == 0:
                for k in range(m):
                    W[coupling + a * m + k] = W[by_eta + slot + k]
                    W[bias + k] += omega[a] * W[rates + slot + k]
                slot += m
        J, torque = spanned_motion(I, P, W, i, omega)
        x = modal_work(I, i, SCRATCH)
        row_sums(P, turns, count, 0, m, W, x, W, x, W, again, W, again)
        store3(W, body_work(i) + TORQUE, torque)
        slot = 0
        for k in range(m):
            W[bias + k] = 2 * W[bias + k]
        for a in range(3):
            if is_zero(I[f + FLEXIBLE_ZERO], a) == 0:
                W[body_work(i) + TORQUE + a] += product_with(W, rates + slot, W, x, m)
                for k in range(m):
                    W[bias + k] += omega[a] * W[again + slot + k]
                slot += m
        torque = load3(W, body_work(i) + TORQUE)
    return J, torque


def spanned_motion(I, P, W, i, omega):
    """w_a . E^+ w_b, and w_a . E^+ y + (omega x h)_a of (3), w_a being in the angular coupling and y in MODAL_BIAS;
    x = E^+ w to SCRATCH."""
    f, m, sigma = flexible_row(I, i), I[body_row(i) + MODES], modal_work(I, i, SIGMA)
    w, y, x = modal_work(I, i, OWN_COUPLING), modal_work(I, i, MODAL_BIAS), modal_work(I, i, SCRATCH)
    span, o = I[f + FLEXIBLE_SPAN], 0 * omega[0]
    J, torque, h = (o, o, o, o, o, o), (o, o, o), (o, o, o)
    for k in range(m):
        own = modal_three(W, w + k, m)
        W[x + k] = dot(omega, own)
        J, torque, h = add_square(J, own), add(torque, scale(W[y + k], own)), add(h, scale(W[sigma + k], own))
    for n in range(I[f + FLEXIBLE_SPANS]):
        part, factor = (o, o, o), o
        for k in range(m):
            row = P[span + n * m + k]
            part, factor = add(part, scale(row, modal_three(W, w + k, m))), factor + row * W[y + k]
        J, torque, spin = add_square(J, part), add(torque, scale(factor, part)), dot(omega, part)
        for k in range(m):
            W[x + k] += spin * P[span + n * m + k]
    return J, add(torque, cross(omega, add(h, sym_mul(J, omega))))


def add_square(J, v):
    """J + v v^T of six numbers."""
    return (
        J[0] + v[0] * v[0],
        J[1] + v[0] * v[1],
        J[2] + v[0] * v[2],
        J[3] + v[1] * v[1],
        J[4] + v[1] * v[2],
        J[5] + v[2] * v[2],
    )


def couple_point(I, W, i, k, c, b):
    """Shares of point k, at c, in the angular coupling (4) and in the modes (3)."""
    m, coupling, out = I[body_row(i) + MODES], modal_work(I, i, OWN_COUPLING), modal_work(I, i, MODAL_BIAS)
    at = modal_work(I, i, POINT_COLUMNS + 3 * k)
    for j in range(m):
        e = modal_three(W, at + j, m)
        turn = cross(c, e)
        for n in range(3):
            W[coupling + n * m + j] += turn[n]
        W[out + j] += dot(e, b)


def store_whole(I, P, W, i, J, moment, force, torque):
    """Inertia of body i and the velocity terms of its inertia force, about its root in axes of M, about the origin of M."""
    w, shape, own, omega = body_work(i), shape_par(I, i), I[flexible_row(I, i) + FLEXIBLE_W], load3(W, body_work(i) + OMEGA)
    size, root = P[shape + shape_root_mass_par()], load3(P, shape)
    J = central_inertia(J, 1, root, add(moment, scale(size * size / 2, root)))
    s, z = add(moment, scale(size * size, root)), 0 * omega[0]
    given, whole = load6(P, body_par(i) + INERTIA), load6(P, shape + shape_inertia_par())
    spun = (z + given[0] - whole[0], given[1] - whole[1], given[2] - whole[2], given[3] - whole[3], given[4] - whole[4],
            given[5] - whole[5])  # less that of rotors about their axes, whose share is counted with them  # fmt: skip
    J = (J[0] + spun[0], J[1] + spun[1], J[2] + spun[2], J[3] + spun[3], J[4] + spun[4], J[5] + spun[5])
    store6(W, own + OWN_J, J)
    store3(W, own + OWN_S, s)
    store6(W, w + J_, J)
    store33(W, w + H_, skew(s))
    store3(W, w + FORCE, force)
    store3(W, w + TORQUE, add(add(torque, cross(root, force)), cross(omega, sym_mul(spun, omega))))


def constant_mass_entry(I, W, i, k, n):
    """Entry k, n of the modal mass (4)."""
    m, forms, Z = I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_FORMS], modal_work(I, i, SECOND)
    h, value = Z + forms * m, 0 * W[body_work(i) + OMEGA]
    if k == n:
        value += 1
    for s in range(forms):
        value += W[Z + s * m + k] * W[h + s * m + n] + W[h + s * m + k] * W[Z + s * m + n]
    return value


def attracted_inertia(I, W, i, J):
    """J without the share of the residual modes, whose slope is not known, for what needs both."""
    if I[flexible_row(I, i) + FLEXIBLE_SPEEDS] == CONSTANT_MASS:
        own = load6(W, I[flexible_row(I, i) + FLEXIBLE_W] + OWN_RESIDUAL)
        J = (J[0] - own[0], J[1] - own[1], J[2] - own[2], J[3] - own[3], J[4] - own[4], J[5] - own[5])
    return J
