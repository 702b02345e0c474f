"""A rod whose coordinates are coefficients of its strain: exact for large rotation, of high order along the arc.

With x along the rod, its sections have the turn rate kappa and the tangent eps in their own axes,

    xi(s) = (kappa, eps) = xi_0(s) + sum_k b_k(s) e_c(k) eta_k ,     R' = R kappa~ ,   r' = R eps ,                    (1)

b_k being polynomials (Legendre's where the rod is uniform), e_c the six unit strains: twist, bending about y and z, stretch,
shear along y and z. Sections follow each other by the steps of `twists`, in axes of the root. Their partial velocities
are the derivatives of these steps and of nothing else,

    w_k += R A theta_k ,    v_k += w_k x R p + R (A rho_k + dp/dtheta theta_k) ,                                        (2)

and their accelerations without rates of speeds are second derivatives of the same along eta-dot. With masses w_j and
rotary inertia D_j (diagonal in the section's axes) at Gauss points along the arc, every integral is a sum over sections as
if they were bodies, whose Kane's equations are exact however few they are: the mass matrix is a sum of squares, and power is
the rate of energy to rounding. With v, om, a, al the motion of a section in M and omega that of M in N,

    f = w (a + 2 omega x v + omega x (omega x r)) ,   K = R D R^T ,
    n = K (al + omega x om) + (omega + om) x K (omega + om) ,                                                          (3)
    force = sum f ,   torque = sum r x f + n ,   coefficient k = sum v_k . f + w_k . n ,                               (4)
    M: coupling  sum w v_k ,  sum r x w v_k + K w_k ;   own mass  sum w v_k . v_l + w_k . K w_l .                        (5)

Elastic and damping forces are those of `modal`: the polynomials are orthogonal with the stiffness as weight, so that each
coefficient has one of its own. In a plane, vectors have their zeros in sight of the compiler.
Ref: Simo and Vu-Quoc (1986) for the strains; Renda et al., IEEE Trans. Robotics 34 (2018) 1518, for strains as coordinates.
"""

from kaneflex.kernels.algebra import (
    add,
    cross,
    dot,
    load3,
    load33,
    mul,
    scale,
    store3,
    store33,
    sub,
    sym_add,
    sym_congruence,
    sym_mul,
    tmul,
    transpose,
)
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.modal import attract_modes, modal_force, modal_properties, modal_rates, turned_six
from kaneflex.kernels.bodies.rigid import central_inertia
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import add_squares, modal_rows, modal_three, store_rows
from kaneflex.kernels.modal_shape import store_whole
from kaneflex.kernels.ops import lanes, row, store_row
from kaneflex.kernels.rod_steps import plane_step, space_step

STRAIN_ROD = 3
FACTS = BodyFacts(
    STRAIN_ROD, force="modes", apart=("strain_rod_rates", "strain_rod_inertia", "strain_rod_force"), has_symbols=False
)


def strain_rod_rates(I, P, W, i, q, u):
    """Rates of the coefficients of body i, and where its sections are and how they move."""
    f, m, z = flexible_row(I, i), I[body_row(i) + MODES], 0 * u[0]
    at, columns = I[f + FLEXIBLE_ROD], I[f + FLEXIBLE_ROD] + rod_columns_work(I[f + FLEXIBLE_SECTIONS] + 1)
    modal_rates(I, P, W, i, q, u)
    store33(W, at + SECTION_R, ((1 + z, z, z), (z, 1 + z, z), (z, z, 1 + z)))
    for k in range(SECTION_P, SECTION_WIDTH):
        W[at + k] = z
    for k in range(6 * m):
        W[columns + k] = z
    for j in range(I[f + FLEXIBLE_SECTIONS]):
        if I[f + FLEXIBLE_PLANE] == 1:
            plane_step(I, P, W, i, j)
        else:
            space_step(I, P, W, i, j)


def strain_rod_inertia(I, P, W, i):
    """Eqs. (3) to (5) of body i alone."""
    f, m, z = flexible_row(I, i), I[body_row(i) + MODES], 0 * W[body_work(i) + OMEGA]
    own, M, out = I[f + FLEXIBLE_W], I[f + FLEXIBLE_MASS], modal_work(I, i, MODAL_BIAS)
    coupling, shape = modal_work(I, i, OWN_COUPLING), shape_par(I, i)
    R = load33(P, shape + rod_axes_par())
    omega, size = tmul(R, load3(W, body_work(i) + OMEGA)), P[shape + shape_root_mass_par()]
    for k in range(m * m):
        W[M + k] = z
    for k in range(6 * m):
        W[coupling + k] = z
    for k in range(m):
        W[out + k] = z
    J, moment, force, torque = (z, z, z, z, z, z), (z, z, z), (z, z, z), (z, z, z)
    for j in range(1, I[f + FLEXIBLE_SECTIONS] + 1):
        at = section_work(I, i, j)
        mass, r = P[section_par(I, i, j) + STEP_MASS], load3(W, at + SECTION_P)
        a, v = load3(W, at + SECTION_A), load3(W, at + SECTION_V)
        push = scale(mass, add(a, cross(omega, add(scale(2, v), cross(omega, r)))))
        J, moment = central_inertia(J, mass / 2, r, r), add(moment, scale(mass, r))
        force, torque = add(force, push), add(torque, cross(r, push))
        columns_of_mass(I, W, i, j, mass, r, push)
        if I[f + FLEXIBLE_SPINS] == 1:
            K = section_inertia(I, P, W, i, j)
            om, al = load3(W, at + SECTION_OMEGA), load3(W, at + SECTION_ALPHA)
            spin = add(omega, om)
            turn = add(sym_mul(K, add(al, cross(omega, om))), cross(spin, sym_mul(K, spin)))
            J, torque = sym_add(J, K), add(torque, turn)
            columns_of_spin(I, W, i, j, K, turn)
    store33(W, own + OWN_R, ((z + R[0][0], z + R[0][1], z + R[0][2]), (z + R[1][0], z + R[1][1], z + R[1][2]),
                             (z + R[2][0], z + R[2][1], z + R[2][2])))  # fmt: skip
    store3(W, own + OWN_B, scale(1 / size, force))
    turn_coupling(I, P, W, i, R)
    store_whole(I, P, W, i, sym_congruence(transpose(R), J), mul(R, moment), mul(R, force), mul(R, torque))


def section_inertia(I, P, W, i, j):
    """K of section j of body i."""
    D, R, z = load3(P, section_par(I, i, j) + STEP_SPIN), load33(W, section_work(I, i, j) + SECTION_R), 0 * W[OMEGA]
    return sym_congruence(transpose(R), (z + D[0], z, z, z + D[1], z, z + D[2]))


def columns_of_mass(I, W, i, j, mass, r, push):
    """What the mass at section j has in (4) and (5)."""
    m, columns = I[body_row(i) + MODES], section_columns_work(I, i, j) + 3 * I[body_row(i) + MODES]
    out, coupling, z = modal_work(I, i, MODAL_BIAS), modal_work(I, i, OWN_COUPLING), 0 * r[0]
    for k in range(0, m, lanes(z)):
        n, v = m - k, modal_rows(z, W, columns + k, m)
        momentum = scale(mass, v)
        turn, shift = modal_rows(z, W, coupling + k, m), modal_rows(z, W, coupling + 3 * m + k, m)
        store_rows(W, modal_work(I, i, MOMENTUM) + k, m, momentum, n)
        store_rows(W, coupling + k, m, add(turn, cross(r, momentum)), n)
        store_rows(W, coupling + 3 * m + k, m, add(shift, momentum), n)
        store_row(W, out + k, row(z, W, out + k) + dot(v, push), n)
    add_to_own_mass(I, W, i, columns)


def columns_of_spin(I, W, i, j, K, turn):
    """What the rotary inertia at section j has in (4) and (5)."""
    m, columns, z = I[body_row(i) + MODES], section_columns_work(I, i, j), 0 * turn[0]
    out, coupling = modal_work(I, i, MODAL_BIAS), modal_work(I, i, OWN_COUPLING)
    for k in range(0, m, lanes(z)):
        n, w = m - k, modal_rows(z, W, columns + k, m)
        momentum = sym_mul(K, w)
        store_rows(W, modal_work(I, i, MOMENTUM) + k, m, momentum, n)
        store_rows(W, coupling + k, m, add(modal_rows(z, W, coupling + k, m), momentum), n)
        store_row(W, out + k, row(z, W, out + k) + dot(w, turn), n)
    add_to_own_mass(I, W, i, columns)


def add_to_own_mass(I, W, i, columns):
    """Add to the own mass (5), upper half, the products of three columns of a section and of MOMENTUM, their momenta."""
    m, M, three = I[body_row(i) + MODES], I[flexible_row(I, i) + FLEXIBLE_MASS], 3
    for k in range(m):
        add_squares(W, columns, modal_work(I, i, MOMENTUM), three, k, k, m, m, M + k * m)


def turn_coupling(I, P, W, i, R):
    """The coupling, so far about the root in its axes, about the origin of M in its axes."""
    m, coupling, root = I[body_row(i) + MODES], modal_work(I, i, OWN_COUPLING), load3(P, shape_par(I, i))
    z = 0 * W[coupling]
    for k in range(0, m, lanes(z)):
        shift = mul(R, modal_rows(z, W, coupling + 3 * m + k, m))
        turn = add(mul(R, modal_rows(z, W, coupling + k, m)), cross(root, shift))
        store_rows(W, coupling + k, m, turn, m - k)
        store_rows(W, coupling + 3 * m + k, m, shift, m - k)


def strain_rod_properties(I, P, W, i):
    """Mass, mass moment and inertia about the origin of M as the rod is deformed."""
    return modal_properties(I, P, W, i)


def strain_rod_force(I, P, W, m, q):
    """Generalized forces, strain energy and dissipated power of all coefficients of load m's body."""
    modal_force(I, P, W, m, q)


def strain_rod_attraction(I, P, W, i, mass, c, n, f, k):
    """Eq. (4) of `central_force`: what a distant centre exerts on the coefficients."""
    rod_inertia_slopes(I, P, W, i)
    attract_modes(I, W, i, mass, c, n, f, k)


def rod_inertia_slopes(I, P, W, i):
    """dJ/d eta about the origin of M to J_SLOPE, after `strain_rod_inertia`."""
    f, m, out = flexible_row(I, i), I[body_row(i) + MODES], modal_work(I, i, J_SLOPE)
    coupling, shape, z = modal_work(I, i, OWN_COUPLING), shape_par(I, i), 0 * W[OMEGA]
    R = load33(P, shape + rod_axes_par())
    for k in range(m):
        slope = (z, z, z, z, z, z)
        for j in range(1, I[f + FLEXIBLE_SECTIONS] + 1):
            columns, mass = section_columns_work(I, i, j) + k, P[section_par(I, i, j) + STEP_MASS]
            r, v = load3(W, section_work(I, i, j) + SECTION_P), modal_three(W, columns + 3 * m, m)
            slope = central_inertia(slope, mass, r, v)
            slope = turned_six(slope, section_inertia(I, P, W, i, j), modal_three(W, columns, m))
        slope = sym_congruence(transpose(R), slope)
        slope = central_inertia(slope, 1, load3(P, shape), modal_three(W, coupling + 3 * m + k, m))
        for n in range(6):
            W[out + n * m + k] = slope[n]


def rod_node_pose(I, P, W, i):
    """Pose, columns, velocities and accelerations without rates of speeds of body i, a node on a section of a rod. Its axes
    are parallel to those of M where the rod is not strained."""
    w, n, rod = body_work(i), node_row(I, i), I[body_row(i) + PARENT]
    m, out, j, scalars = I[body_row(rod) + MODES], I[n + NODE_W], I[n + NODE_SECTION], node_work(I, i)
    at, columns, shape = section_work(I, rod, j), section_columns_work(I, rod, j), shape_par(I, rod)
    R, rest_axes = load33(P, shape + rod_axes_par()), load33(P, I[n + NODE_P] + rod_node_axes_par())
    moved = mul(R, load3(W, at + SECTION_P))
    place, z = add(load3(P, shape), moved), 0 * moved[0]
    Q = root_to_node(W, at, rest_axes)
    store3(W, w + P_PM, place)
    store33(W, w + R_MP, (mul(R, Q[0]), mul(R, Q[1]), mul(R, Q[2])))
    store3(W, scalars + NODE_MOVED, sub(place, load3(P, I[n + NODE_P])))
    store3(W, scalars + NODE_THETA, sub(mul(R, load3(W, at + SECTION_TURN)), load3(P, I[n + NODE_P] + rod_node_turn_par())))
    store3(W, scalars + NODE_RATE, mul(Q, load3(W, at + SECTION_OMEGA)))
    store3(W, scalars + NODE_RATE + 3, mul(Q, load3(W, at + SECTION_V)))
    store3(W, scalars + NODE_BIAS, mul(Q, load3(W, at + SECTION_ALPHA)))
    store3(W, scalars + NODE_BIAS + 3, mul(Q, load3(W, at + SECTION_A)))
    for k in range(0, m, lanes(z)):
        store_rows(W, out + k, m, mul(Q, modal_rows(z, W, columns + k, m)), m - k)
        store_rows(W, out + 3 * m + k, m, mul(Q, modal_rows(z, W, columns + 3 * m + k, m)), m - k)


def root_to_node(W, at, rest_axes):
    """Components in axes of the root to components in the node's, which is on the section at W[at:]."""
    R = load33(W, at + SECTION_R)
    return mul(R, rest_axes[0]), mul(R, rest_axes[1]), mul(R, rest_axes[2])
