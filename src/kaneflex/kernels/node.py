"""A node: a frame that moves with the material of a flexible body. In the tree it is a massless body on a joint whose
columns belong to its parent's modal speeds, so that whatever is fixed to a body can be fixed to a node.

Its rotation in the body is that of the rotation vector theta, to second order in eta; its place is to second order that in
the mean axes, which turn by Theta = T eta about the root (see `modal`):

    theta = Psi eta + 1/2 H eta eta ,   r^ = p + Phi eta + 1/2 G eta eta ,   place = root + exp(Theta~) r^ .            (1)

With G_theta of `rotation` (2), A_k the angular velocity of the mean axes per modal speed, and Q taking components in the
mean axes to the node's,

    angular column k = G_theta (Psi + H eta)_k ,  linear column k = Q [(Phi + G eta)_k + A_k x r^]                       (2)

in axes of the node. These are the exact derivatives of (1), so that no power is lost in a joint on a node; G and H, the
second-order motion, bring the stiffening by loads there. Their own derivatives are, with omega, v the node's velocities in
the body, Omega that of the mean axes, but for rates of modal speeds,

    omega' = [(3) of `rotation`] + G_theta H sigma sigma ,
    v' = G sigma sigma + 2 Omega x v - Omega x (Omega x r^) + Omega' x r^   (components in the mean axes).              (3)

In the UNDEFORMED body columns are (2) at eta = 0, and there is no (3). A node of a strain rod is one of its sections, see
`strain_rod`.
"""

from kaneflex.kernels.algebra import (
    accumulate3,
    add,
    cross,
    dot,
    load3,
    load33,
    matmul,
    mul,
    scale,
    store3,
    store33,
    sub,
    transpose,
)
from kaneflex.kernels.bodies.strain_rod import rod_node_pose
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import clear_rows, modal_rows, row_sums_of_two, rows_at, second_order, store_rows
from kaneflex.kernels.ops import lanes, row, row_of, store_row
from kaneflex.kernels.rotation import rate_matrix, turn_bias, turn_factors, turn_matrix

NODE_JOINT = 11


def node_pose(I, P, W, i):
    """Eqs. (1) to (3) of body i, a node: R_MP, P_PM, its columns and what begins with NODE_THETA; after the rates of its
    parent."""
    if I[node_row(I, i) + NODE_SECTION] > 0:
        rod_node_pose(I, P, W, i)
    else:
        modal_node_pose(I, P, W, i)


def modal_node_pose(I, P, W, i):
    """The same of a node of a modal body."""
    turn, shift = node_deflection(I, P, W, i)
    if I[flexible_row(I, I[body_row(i) + PARENT]) + FLEXIBLE_SPEEDS] == UNDEFORMED:
        undeformed_node(I, P, W, i, turn, shift)
    else:
        deformed_node(I, P, W, i, turn, shift)


def node_slopes(I, i, first):
    """Places in W of three slopes of body i, a node: of theta, or from 3 on of r^."""
    n, m = node_row(I, i), I[body_row(I[body_row(i) + PARENT]) + MODES]
    at, slot = I[n + NODE_W] + node_slopes_work(m), n + NODE_SLOT + first
    return at + I[slot] * m, at + I[slot + 1] * m, at + I[slot + 2] * m


def node_part(I, P, W, i, first):
    """`second_order` of theta, or from 3 on of r^ - p, of body i, a node."""
    n, flexible = node_row(I, i), I[body_row(i) + PARENT]
    m, eta, slot = I[body_row(flexible) + MODES], modal_work(I, flexible, ETA), n + NODE_SLOT + first
    linear, rates, none = I[n + NODE_P] + node_first_par(), I[n + NODE_W] + node_rates_work(m), 6 - I[n + NODE_FORMS]
    places = linear + I[slot] * m, linear + I[slot + 1] * m, linear + I[slot + 2] * m
    x, y, z = I[slot] - none, I[slot + 1] - none, I[slot + 2] - none
    if x < 0:
        x = I[n + NODE_FORMS]
    if y < 0:
        y = I[n + NODE_FORMS]
    if z < 0:
        z = I[n + NODE_FORMS]
    found = rates + x * m, rates + y * m, rates + z * m
    return second_order(P, places, W, node_slopes(I, i, first), found, eta, modal_work(I, flexible, SIGMA), m)


def node_deflection(I, P, W, i):
    """theta and r^ - p of (1), each with its rate and with its second derivative along the modal speeds; slopes
    Psi + H eta and Phi + G eta are left in the node's row."""
    n, flexible = node_row(I, i), I[body_row(i) + PARENT]
    m, eta, at = I[body_row(flexible) + MODES], modal_work(I, flexible, ETA), I[n + NODE_P]
    slopes, rates, z = I[n + NODE_W] + node_slopes_work(m), I[n + NODE_W] + node_rates_work(m), 0 * W[OMEGA]
    count, sigma = I[n + NODE_FORMS] * m, modal_work(I, flexible, SIGMA)
    first, linear = at + node_first_par(), 6 * m - count
    for k in range(0, linear, lanes(z)):
        store_row(W, slopes + k, row_of(z) + row(z, P, first + k), linear - k)
    row_sums_of_two(P, at + node_forms_par(m), first + linear, count, m, W, eta, sigma, slopes + linear, rates)
    clear_rows(W, rates + count, m)
    return node_part(I, P, W, i, 0), node_part(I, P, W, i, 3)


def deformed_node(I, P, W, i, turn, shift):
    """Eqs. (1) to (3) with speeds that are rates of the modal coordinates."""
    w, n, flexible = body_work(i), node_row(I, i), I[body_row(i) + PARENT]
    scalars, own = node_work(I, i), I[flexible_row(I, flexible) + FLEXIBLE_W]
    theta, p, mean = turn[0], load3(P, I[n + NODE_P]), load33(W, own + OWN_R)
    Omega, change = load3(W, own + OWN_OMEGA), load3(W, own + OWN_CHANGE)
    a, b = turn_factors(dot(theta, theta))
    R, slope, r = turn_matrix(theta, a, b), rate_matrix(theta, a, b), add(p, shift[0])
    turned, Q = mul(mean, r), matmul(transpose(R), mean)
    store3(W, w + P_PM, add(load3(P, shape_par(I, flexible)), turned))
    store33(W, w + R_MP, transpose(R))
    store3(W, scalars + NODE_THETA, theta)
    store3(W, scalars + NODE_MOVED, sub(turned, p))
    v = add(shift[1], cross(Omega, r))
    store3(W, scalars + NODE_RATE, mul(slope, turn[1]))
    store3(W, scalars + NODE_RATE + 3, mul(Q, v))
    store3(W, scalars + NODE_BIAS, add(turn_bias(theta, turn[1], b), mul(slope, turn[2])))
    bend = add(cross(Omega, sub(scale(2, v), cross(Omega, r))), cross(change, r))
    store3(W, scalars + NODE_BIAS + 3, mul(Q, add(shift[2], bend)))
    node_columns(I, W, i, slope, Q, r)


def node_columns(I, W, i, slope, Q, r):
    """Columns (2) of body i, a node, from its slopes."""
    flexible, columns = I[body_row(i) + PARENT], I[node_row(I, i) + NODE_W]
    m, A = I[body_row(flexible) + MODES], modal_work(I, flexible, TURN_COLUMNS)
    turns, shifts, z = node_slopes(I, i, 0), node_slopes(I, i, 3), 0 * r[0]
    for k in range(0, m, lanes(z)):
        turn, swept = mul(slope, rows_at(z, W, turns, k)), cross(modal_rows(z, W, A + k, m), r)
        shift = mul(Q, add(rows_at(z, W, shifts, k), swept))
        store_rows(W, columns + k, m, turn, m - k)
        store_rows(W, columns + 3 * m + k, m, shift, m - k)


def undeformed_node(I, P, W, i, turn, shift):
    """The node of an undeformed body: columns at eta = 0; NODE_MOVED says where it is."""
    w, n, flexible = body_work(i), node_row(I, i), I[body_row(i) + PARENT]
    m, columns, scalars, z = I[body_row(flexible) + MODES], I[n + NODE_W], node_work(I, i), 0 * W[OMEGA]
    p = load3(P, I[n + NODE_P])
    store3(W, w + P_PM, (z + p[0], z + p[1], z + p[2]))
    store33(W, w + R_MP, ((1 + z, z, z), (z, 1 + z, z), (z, z, 1 + z)))
    store3(W, scalars + NODE_THETA, turn[0])
    store3(W, scalars + NODE_MOVED, shift[0])
    store3(W, scalars + NODE_RATE, turn[1])
    store3(W, scalars + NODE_RATE + 3, shift[1])
    store3(W, scalars + NODE_BIAS, (z, z, z))
    store3(W, scalars + NODE_BIAS + 3, (z, z, z))
    for k in range(6 * m):
        W[columns + k] = z + P[I[n + NODE_P] + node_first_par() + k]


def node_motion(I, W, i):
    """The node's motion in its flexible body, left in REL."""
    store3(W, body_work(i) + REL, load3(W, node_work(I, i) + NODE_RATE))
    store3(W, body_work(i) + REL + 3, load3(W, node_work(I, i) + NODE_RATE + 3))


def node_bias(I, W, i):
    """Add to the bias of body i, a node, its accelerations (3) in the flexible body."""
    w, bias = body_work(i), node_work(I, i) + NODE_BIAS
    accumulate3(W, w + BIAS_A, load3(W, bias))
    accumulate3(W, w + BIAS_L, load3(W, bias + 3))
