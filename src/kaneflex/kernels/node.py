"""A node: a frame that moves with the material of a flexible body. In the tree it is a massless body on a joint whose
columns belong to its parent's modal speeds, so that whatever is fixed to a body can be fixed to a node.

With theta = Psi eta + 1/2 H eta eta the node's rotation vector to second order, rho = theta/2 taken as Rodrigues parameters,

    r = p + Phi eta + 1/2 G eta eta ,   R = [(1 - rho.rho) 1 + 2 rho rho^T + 2 rho~]/(1 + rho.rho)  (node to body)       (1)
    angular column k = (1 - rho~)(Psi + H eta)_k/(1 + rho.rho) ,  linear column k = R^T (Phi + G eta)_k                 (2)

in axes of the node. These are the exact derivatives of (1), so that no power is lost in a joint on a node; G and H, the
second-order motion, bring the stiffening by loads there. With CONSTANT_MASS speeds (see `modal`) velocities are those of
the undeformed body: columns (2) at eta = 0, in axes of the node as it is turned.
"""

from kaneflex.kernels.algebra import add, cross, dot, half, load3, load33, mul, scale, store3, store33, sub
from kaneflex.kernels.bodies.modal import add_product, product_with, six_products, three_products
from kaneflex.kernels.layout import *

NODE_JOINT = 11


def node_pose(I, P, W, i, q):
    """Eqs. (1) and (2) of body i, a node: R_MP, P_PM, its columns and rho."""
    w, n, flexible = body_work(i), node_row(I, i), I[body_row(i) + PARENT]
    m, eta = I[body_row(flexible) + MODES], I[flexible_row(I, flexible) + FLEXIBLE_Q]
    at, columns = I[n + NODE_P], I[n + NODE_W]
    first, second = at + node_Psi_par(), at + node_H_par(m)
    z = 0 * W[OMEGA]
    for k in range(6 * m):
        W[columns + k] = z + P[first + k]
    for k in range(6):
        if is_zero(I[n + NODE_ZERO], k) == 0:
            add_product(P, second + k * m * m, m, q, eta, W, columns + k * m)
    constant, now = six_products(P, first, q, eta, m), six_products(W, columns, q, eta, m)
    theta = half(add((constant[0], constant[1], constant[2]), (now[0], now[1], now[2])))
    move = half(add((constant[3], constant[4], constant[5]), (now[3], now[4], now[5])))
    rho = half(theta)
    share = 1 / (1 + dot(rho, rho))
    store3(W, w + P_PM, add(load3(P, at), move))
    store3(W, columns + node_rho_work(m), rho)
    store3(W, columns + node_deflection_work(m), move)
    store33(W, w + R_MP, rodrigues_matrix(rho, share))
    if I[flexible_row(I, flexible) + FLEXIBLE_SPEEDS] != RATES:  # velocities are those of the undeformed body
        store3(W, w + P_PM, (z + P[at], z + P[at + 1], z + P[at + 2]))
        share, rho = 1 + z, (z, z, z)
        for k in range(6 * m):
            W[columns + k] = z + P[first + k]
    if I[flexible_row(I, flexible) + FLEXIBLE_SPEEDS] == UNDEFORMED:
        store33(W, w + R_MP, rodrigues_matrix(rho, share))
    E = load33(W, w + R_MP)
    for k in range(m):
        turn = (W[columns + k], W[columns + m + k], W[columns + 2 * m + k])
        shift = mul(E, (W[columns + 3 * m + k], W[columns + 4 * m + k], W[columns + 5 * m + k]))
        turn = scale(share, sub(turn, cross(rho, turn)))
        if I[flexible_row(I, flexible) + FLEXIBLE_SPEEDS] != RATES:
            turn = mul(E, turn)
        for c in range(3):
            W[columns + c * m + k] = turn[c]
            W[columns + (3 + c) * m + k] = shift[c]


def rodrigues_matrix(rho, share):
    """R^T of Eq. (1), with share = 1/(1 + rho.rho): components in the body's axes to components in the node's."""
    x, y, z = rho
    d = 1 - dot(rho, rho)
    return (
        (share * (d + 2 * x * x), 2 * share * (x * y + z), 2 * share * (x * z - y)),
        (2 * share * (x * y - z), share * (d + 2 * y * y), 2 * share * (y * z + x)),
        (2 * share * (x * z + y), 2 * share * (y * z - x), share * (d + 2 * z * z)),
    )


def node_motion(I, W, i):
    """The node's motion in its flexible body, left in REL."""
    flexible, columns = I[body_row(i) + PARENT], I[node_row(I, i) + NODE_W]
    m, sigma = I[body_row(flexible) + MODES], modal_work(I, flexible, SIGMA)
    store3(W, body_work(i) + REL, three_products(W, columns, W, sigma, m))
    store3(W, body_work(i) + REL + 3, three_products(W, columns + 3 * m, W, sigma, m))


def node_bias(I, P, W, i):
    """Add to the bias of body i, a node, its accelerations in the flexible body without rates of modal speeds."""
    if I[flexible_row(I, I[body_row(i) + PARENT]) + FLEXIBLE_SPEEDS] == RATES:
        exact_node_bias(I, P, W, i)
    else:
        constant_node_bias(W, i)


def constant_node_bias(W, i):
    """With CONSTANT_MASS speeds the columns are fixed in the body: half those of a moving point, see `modal` (6)."""
    w = body_work(i)
    Omega = sub(load3(W, w + OMEGA), load3(W, w + REL))
    store3(W, w + BIAS_L, sub(load3(W, w + BIAS_L), cross(Omega, load3(W, w + REL + 3))))


def exact_node_bias(I, P, W, i):
    """Second derivatives of Eq. (1) that do not contain rates of modal speeds."""
    w, n, flexible = body_work(i), node_row(I, i), I[body_row(i) + PARENT]
    m, sigma, scratch = I[body_row(flexible) + MODES], modal_work(I, flexible, SIGMA), modal_work(I, flexible, SCRATCH)
    rho, omega = load3(W, I[n + NODE_W] + node_rho_work(m)), load3(W, w + REL)
    second, square = I[n + NODE_P] + node_H_par(m), I[n + NODE_W] + node_square_work(m)
    z = 0 * omega[0]
    for k in range(6):
        W[square + k] = z
        if is_zero(I[n + NODE_ZERO], k) == 0:
            for j in range(m):
                W[scratch + j] = z
            add_product(P, second + k * m * m, m, W, sigma, W, scratch)
            W[square + k] = product_with(W, scratch, W, sigma, m)
    turn = load3(W, square)
    turn = scale(1 / (1 + dot(rho, rho)), sub(turn, cross(rho, turn)))
    turn = sub(turn, scale(dot(rho, omega), omega))
    store3(W, w + BIAS_A, add(load3(W, w + BIAS_A), turn))
    store3(W, w + BIAS_L, add(load3(W, w + BIAS_L), mul(load33(W, w + R_MP), load3(W, square + 3))))
