"""A node: a frame that moves with the material of a flexible body. In the tree it is a massless body on a joint whose
columns belong to its parent's modal speeds, so that whatever is fixed to a body can be fixed to a node.

Its rotation in the body is that of the rotation vector theta, to second order in eta; its place is to second order that in
the mean axes, which turn by Theta = T eta about the root (see `modal`):

    theta = Psi eta + 1/2 H eta eta ,   r^ = p + Phi eta + 1/2 G eta eta ,   place = root + exp(Theta~) r^ .            (1)

With the angular velocity omega(theta, theta') of `rotation` (2), A_k that of the mean axes per modal speed, and Q taking
components in the mean axes to the node's,

    angular column k = omega(theta, (Psi + H eta)_k) ,  linear column k = Q [(Phi + G eta)_k + A_k x r^]                 (2)

in axes of the node. These are the exact derivatives of (1), so that no power is lost in a joint on a node; G and H, the
second-order motion, bring the stiffening by loads there. In the UNDEFORMED body columns are (2) at eta = 0. A node of a
strain rod is one of its sections, see `strain_rod`.
"""

from kaneflex.kernels.algebra import (
    add,
    cross,
    dot,
    half,
    load3,
    load33,
    matmul,
    mul,
    scale,
    store3,
    store33,
    sub,
    tmul,
    transpose,
)
from kaneflex.kernels.bodies.strain_rod import rod_node_bias, rod_node_pose
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import add_product, modal_three, product_with, six_products, three_products
from kaneflex.kernels.rotation import turn_bias, turn_factors, turn_matrix, turn_rate

NODE_JOINT = 11


def node_pose(I, P, W, i, q):
    """Eqs. (1) and (2) of body i, a node: R_MP, P_PM, its columns and what begins with NODE_THETA."""
    flexible = I[body_row(i) + PARENT]
    if I[node_row(I, i) + NODE_SECTION] > 0:
        rod_node_pose(I, P, W, i)
    elif I[flexible_row(I, flexible) + FLEXIBLE_SPEEDS] == UNDEFORMED:
        undeformed_node(I, P, W, i, q)
    else:
        deformed_node(I, P, W, i, q)


def node_deflection(I, P, W, i, q):
    """theta and r^ - p of (1); their slopes Psi + H eta and Phi + G eta are left where the columns will be."""
    n, flexible = node_row(I, i), I[body_row(i) + PARENT]
    m, eta = I[body_row(flexible) + MODES], I[flexible_row(I, flexible) + FLEXIBLE_Q]
    at, columns, z = I[n + NODE_P], I[n + NODE_W], 0 * W[OMEGA]
    for k in range(6 * m):
        W[columns + k] = z + P[at + 3 + k]
    for k in range(6):
        if is_zero(I[n + NODE_ZERO], k) == 0:
            add_product(P, at + 3 + 6 * m + k * m * m, m, q, eta, W, columns + k * m)
    constant, now = six_products(P, at + 3, q, eta, m), six_products(W, columns, q, eta, m)
    theta = half(add((constant[0], constant[1], constant[2]), (now[0], now[1], now[2])))
    return theta, half(add((constant[3], constant[4], constant[5]), (now[3], now[4], now[5])))


def deformed_node(I, P, W, i, q):
    """Eqs. (1) and (2) with speeds that are rates of the modal coordinates."""
    w, n, flexible = body_work(i), node_row(I, i), I[body_row(i) + PARENT]
    m, eta, shape = I[body_row(flexible) + MODES], I[flexible_row(I, flexible) + FLEXIBLE_Q], shape_par(I, flexible)
    columns, scalars, T = I[n + NODE_W], node_work(I, i), shape + shape_T_par()
    theta, move = node_deflection(I, P, W, i, q)
    p, root, Theta = load3(P, I[n + NODE_P]), load3(P, shape), three_products(P, T, q, eta, m)
    a, b, _, _ = turn_factors(dot(theta, theta))
    a_mean, b_mean, _, _ = turn_factors(dot(Theta, Theta))
    R, mean, r = turn_matrix(theta, a, b), turn_matrix(Theta, a_mean, b_mean), add(p, move)
    turned = mul(mean, r)
    store3(W, w + P_PM, add(root, turned))
    store33(W, w + R_MP, transpose(R))
    store3(W, scalars + NODE_THETA, theta)
    store3(W, scalars + NODE_MOVED, sub(turned, p))
    store3(W, scalars + NODE_PLACE, r)
    store3(W, scalars + NODE_TURN, Theta)
    Q = matmul(transpose(R), mean)
    for k in range(m):
        slope = modal_three(W, columns + k, m)
        turn = turn_rate(theta, a, b, slope)
        swept = cross(turn_rate(Theta, a_mean, b_mean, modal_three(P, T + k, m)), r)
        shift = mul(Q, add(modal_three(W, columns + 3 * m + k, m), swept))
        for c in range(3):
            W[columns + (6 + c) * m + k] = slope[c]
            W[columns + c * m + k] = turn[c]
            W[columns + (3 + c) * m + k] = shift[c]


def undeformed_node(I, P, W, i, q):
    """The node of an undeformed body: columns at eta = 0; NODE_MOVED says where it is."""
    w, n, flexible = body_work(i), node_row(I, i), I[body_row(i) + PARENT]
    m, columns, scalars, z = I[body_row(flexible) + MODES], I[n + NODE_W], node_work(I, i), 0 * W[OMEGA]
    theta, move = node_deflection(I, P, W, i, q)
    p = load3(P, I[n + NODE_P])
    store3(W, w + P_PM, (z + p[0], z + p[1], z + p[2]))
    store33(W, w + R_MP, ((1 + z, z, z), (z, 1 + z, z), (z, z, 1 + z)))
    store3(W, scalars + NODE_THETA, theta)
    store3(W, scalars + NODE_MOVED, move)
    for k in range(6 * m):
        W[columns + k] = z + P[I[n + NODE_P] + 3 + k]


def node_motion(I, W, i):
    """The node's motion in its flexible body, left in REL."""
    flexible, columns = I[body_row(i) + PARENT], I[node_row(I, i) + NODE_W]
    m, sigma = I[body_row(flexible) + MODES], modal_work(I, flexible, SIGMA)
    store3(W, body_work(i) + REL, three_products(W, columns, W, sigma, m))
    store3(W, body_work(i) + REL + 3, three_products(W, columns + 3 * m, W, sigma, m))


def node_bias(I, P, W, i):
    """Add to the bias of body i, a node, its accelerations in the flexible body without rates of modal speeds."""
    if I[node_row(I, i) + NODE_SECTION] > 0:
        rod_node_bias(I, P, W, i)
    elif I[flexible_row(I, I[body_row(i) + PARENT]) + FLEXIBLE_SPEEDS] != UNDEFORMED:
        exact_node_bias(I, P, W, i)


def node_squares(I, P, W, i):
    """H sigma sigma and G sigma sigma of body i, a node, to NODE_SQUARE."""
    n, flexible = node_row(I, i), I[body_row(i) + PARENT]
    m, sigma, scratch = I[body_row(flexible) + MODES], modal_work(I, flexible, SIGMA), modal_work(I, flexible, SCRATCH)
    second, square, z = I[n + NODE_P] + 3 + 6 * m, node_work(I, i) + NODE_SQUARE, 0 * W[OMEGA]
    for k in range(6):
        W[square + k] = z
        if is_zero(I[n + NODE_ZERO], k) == 0:
            for j in range(m):
                W[scratch + j] = z
            add_product(P, second + k * m * m, m, W, sigma, W, scratch)
            W[square + k] = product_with(W, scratch, W, sigma, m)


def exact_node_bias(I, P, W, i):
    """Second derivatives of (1) that do not contain rates of modal speeds: with omega, v the node's velocities in the body,
    Omega that of the mean axes,

        omega' = [(3) of `rotation`] + omega(theta, H sigma sigma) ,
        v' = G sigma sigma + 2 Omega x v - Omega x (Omega x r^) + Omega' x r^   (components in the mean axes).
    """
    w, flexible, scalars = body_work(i), I[body_row(i) + PARENT], node_work(I, i)
    m, sigma, T = I[body_row(flexible) + MODES], modal_work(I, flexible, SIGMA), shape_par(I, flexible) + shape_T_par()
    node_squares(I, P, W, i)
    theta, rate = load3(W, scalars + NODE_THETA), three_products(W, I[node_row(I, i) + NODE_W] + 6 * m, W, sigma, m)
    a, b, a_slope, b_slope = turn_factors(dot(theta, theta))
    turn = add(turn_bias(theta, rate, b, a_slope, b_slope), turn_rate(theta, a, b, load3(W, scalars + NODE_SQUARE)))
    store3(W, w + BIAS_A, add(load3(W, w + BIAS_A), turn))
    Theta, rate, r = load3(W, scalars + NODE_TURN), three_products(P, T, W, sigma, m), load3(W, scalars + NODE_PLACE)
    a, b, a_slope, b_slope = turn_factors(dot(Theta, Theta))
    Omega, change = turn_rate(Theta, a, b, rate), turn_bias(Theta, rate, b, a_slope, b_slope)
    Q = matmul(load33(W, w + R_MP), turn_matrix(Theta, a, b))
    v = tmul(Q, load3(W, w + REL + 3))
    turned = add(cross(Omega, sub(scale(2, v), cross(Omega, r))), cross(change, r))
    store3(W, w + BIAS_L, add(load3(W, w + BIAS_L), mul(Q, add(load3(W, scalars + NODE_SQUARE + 3), turned))))
