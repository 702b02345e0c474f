"""Newton's matrix of implicit steps, with what joints do of themselves, eliminated along the tree in order n.

An implicit step wants x with (1 - g J) x = r, J = dy'/dy, g a part of the step. What makes a system stiff are, nearly
always, springs and dampers in its joints, and the modes of flexible bodies. With their tangents K and D, one number each for
every relative rate w, and s = W^+ r_q for the displacements along the columns that belong to the change r_q of the
coordinates, J is taken as that of

    q' = W w ,    M w' = -(K + B^T G B) s - D w + A^T lambda ,    A w' = 0 ,                                         (1)

A holding the equations of constraints, for which x follows from r = (r_q, r_w) as

    (M + g D + g^2 (K + B^T G B)) e - A^T lambda = -g (D r_w + (K + B^T G B) (s + g r_w)) ,    A e = 0 ,             (2)
    x_w = r_w + e ,    x_q = r_q + g W x_w .                                                                         (3)

B s are the rotations of the bodies and G is what tension makes of them, see `tension`. Speeds u, where they are not w, stand
for the same motion. The elimination of `recursive`, with its loops and modes, solves (2) when every pivot gets g D + g^2 K
and every body's inertia of rotation g^2 G more; loads are in the joints and on rotations only, so that no product with M is
wanted. All else that J holds is left to the iteration which uses this matrix (`simulate.stepping.mixing`), or to a method
whose order does not depend on it (`simulate.stepping.linear`). K and D are found by differences of the loads in all joints
at once, which is exact where a joint's load depends on its own motion.

The same source eliminates with real and with complex g, on numbers only. M, D, K and G are positive and 1/g, 1 and g have
positive real parts, and so has M/g + D + g K, whatever g: with A sqrt g in the place of A, what is left of an equation has
one too, and pivots are chosen among equations as they are in an evaluation.

The numbers are kept in an array X: a workspace like W, room for a vector (q, u), then K and D, a vector (q, u) for the
differences, the inertias of the bodies alone, their G, and, for complex g, a workspace and two vectors (q, u) in complex
numbers.
"""

from kaneflex.formulations.evaluate import along, placed, prepare, solve
from kaneflex.formulations.loop_elimination import begin_loops, carry_loops, close_loops, find_multipliers
from kaneflex.formulations.modal_elimination import begin_modes, eliminate_modes, pass_to_modes
from kaneflex.formulations.multipliers import begin_rank
from kaneflex.formulations.recursive import back_substitute, keep_column, pass_to_parent, spin_rotors, times_column
from kaneflex.formulations.sliding_friction import unload_friction
from kaneflex.formulations.tension import TENSION_G, TENSION_WIDTH, joint_pulls, tension_stiffness
from kaneflex.kernels.algebra import (
    accumulate3,
    add,
    cross,
    load3,
    load6,
    load33,
    rank_one,
    scale,
    store3,
    sym_mul,
    sym_rank_one,
    tmul,
)
from kaneflex.kernels.bodies.dispatch import body_inertia
from kaneflex.kernels.forces.dispatch import apply_forces
from kaneflex.kernels.joints.dispatch import joint_rates
from kaneflex.kernels.kinematics import accelerate, add_along, add_modal_rates, coordinate_rates, transport
from kaneflex.kernels.layout import *
from kaneflex.kernels.node import NODE_JOINT
from kaneflex.kernels.ops import complexes, offset, sqrt
from kaneflex.kernels.sensors import load_states

LARGE = 40  # numbers in y from which on the matrix pays,
LARGE_AGAIN = 90  # and where loops or modes are eliminated again for every right side
FRACTION = 1000000  # one over the displacements and rates by which joints are tried
OWN_INERTIA = 21  # numbers from J_ on


def tangent_place(I):
    """Place in X of K; D follows it, then a vector (q, u)."""
    return I[W_SIZE] + I[COORDINATES] + I[SPEEDS]


def inertia_place(I):
    """Place in X of the inertias of the bodies alone."""
    return tangent_place(I) + 3 * I[SPEEDS] + I[COORDINATES]


def tension_place(I):
    """Place in X of G of every body."""
    return inertia_place(I) + OWN_INERTIA * I[BODIES]


def complex_place(I):
    """Place in X of the complex workspace; two vectors (q, u) follow it."""
    return tension_place(I) + TENSION_WIDTH * I[BODIES]


def tree_length(I):
    """Length of X."""
    return complex_place(I) + 2 * (I[W_SIZE] + 2 * I[COORDINATES] + 2 * I[SPEEDS])


def tree_serves(I):
    """Whether the matrix can be made: for flexible bodies whose modal speeds are rates."""
    for i in range(1, I[BODIES] if I[FLEXIBLES] > 0 else 1):
        if I[body_row(i) + MODES] > 0 and I[flexible_row(I, i) + FLEXIBLE_SPEEDS] != RATES:
            return False
    return True


def tree_pays(I, n):
    """Whether it costs less than one with all entries for n numbers in y, which serves for several steps; where it can be
    made."""
    return bool(n >= (LARGE if is_plain(I) == 1 else LARGE_AGAIN))


def is_plain(I):
    """1 for rigid bodies without constraints, whose factors stay as they are from one right side to the next."""
    return 1 if I[CLUSTERS] + I[FLEXIBLES] == 0 else 0


def joint_loads(I, P, W, t, q):
    """TAU of all speeds for coordinates q and the rates that are in the workspace; bodies are left where they are."""
    if I[PLACED] == 1:
        placed(I, P, W, t, q)
    apply_forces(I, P, W, t, q)


def body_tangents(I, P, W, t, y, X, known):
    """Inertia of every body alone and what tension makes of its rotation; leaves W as `prepare` does, but for loads on the
    bodies. With `known` above zero W is as an evaluation at (t, y) left it."""
    nq, own, G = I[COORDINATES], inertia_place(I), offset(X, tension_place(I))
    if known == 0.0:
        load_states(I, W, y)
        prepare(I, P, W, t, y, offset(y, nq))
        solve(I, P, W, offset(X, I[W_SIZE]))
    joint_pulls(I, W, G)
    if is_plain(I) == 0:
        prepare(I, P, W, t, y, offset(y, nq))
    for i in range(1, I[BODIES]):
        if is_plain(I) == 1:
            body_inertia(I, P, W, t, i, y)
        for k in range(OWN_INERTIA):
            X[own + OWN_INERTIA * i + k] = W[body_work(i) + J_ + k]
    tension_stiffness(I, W, offset(X, own), G)


def joint_tangents(I, P, W, t, y, X):
    """K and D of every speed, none of them negative: what the loads in the joints lose per displacement and rate of all;
    after `body_tangents`."""
    nq, nu = I[COORDINATES], I[SPEEDS]
    K = tangent_place(I)
    D, moved = K + nu, K + 2 * nu
    rates = moved + nq
    for k in range(nu):
        c = column_work(I, k)
        X[K + k] = W[c + TAU]
        X[D + k] = W[c + TAU]
        X[rates + k] = W[c + RATE]
        W[c + RATE] = 1.0
    coordinate_rates(I, W, y, offset(X, moved))
    for j in range(nq):
        X[moved + j] = y[j] + X[moved + j] / FRACTION
    for k in range(nu):
        W[column_work(I, k) + RATE] = X[rates + k]
    joint_loads(I, P, W, t, offset(X, moved))
    for k in range(nu):
        c = column_work(I, k)
        X[K + k] = max(0.0, FRACTION * (X[K + k] - W[c + TAU]))
        W[c + RATE] = X[rates + k] + 1.0 / FRACTION
    joint_loads(I, P, W, t, y)
    for k in range(nu):
        X[D + k] = max(0.0, FRACTION * (X[D + k] - W[column_work(I, k) + TAU]))


def begin_shifted(I, W, X, V, g):
    """V: the workspace W at rest and unloaded, modal masses with g D + g^2 K, equations times sqrt g."""
    z = 0 * g
    if is_plain(I) == 1:
        begin_tree(I, W, V, z)
    else:
        begin_all(I, W, X, V, g)
    for i in range(1, I[BODIES]):
        begin_body(I, V, X, i, g)
    for k in range(I[SPEEDS]):
        V[column_work(I, k) + TAU] = z
        V[column_work(I, k) + PRESCRIBED_RATE] = z
    if I[FRICTIONS] > 0:
        unload_friction(I, V)
    if is_plain(I) == 1:
        eliminate_shifted(I, V, X, g)


def begin_tree(I, W, V, z):
    """What of W the elimination of rigid bodies along a tree reads: the poses of the joints, and their columns."""
    for i in range(I[BODIES]):
        w = body_work(i)
        for k in range(w + R_MP, w + P_PM + 3):
            V[k] = W[k] + z
        begin_rest(V, w, z)
    for k in range(I[SPEEDS]):
        if I[column_row(I, k) + AXIS] == GENERAL:
            c = column_work(I, k)
            for n in range(c + S_, c + S_ + 6):
                V[n] = W[n] + z


def begin_rest(V, w, z):
    """Body row w at rest and unloaded."""
    for place in (BIAS_A, BIAS_L, TORQUE, FORCE, ALPHA, A_):
        store3(V, w + place, (z, z, z))


def begin_all(I, W, X, V, g):
    """All of W, with its modes and equations."""
    K, D, z, c = tangent_place(I), tangent_place(I) + I[SPEEDS], 0 * g, sqrt(g)
    for k in range(I[W_SIZE]):
        V[k] = W[k] + z
    for i in range(I[BODIES]):
        begin_rest(V, body_work(i), z)
        m = I[body_row(i) + MODES]
        for k in range(m):
            speed = I[flexible_row(I, i) + FLEXIBLE_U] + k
            V[modal_work(I, i, MODAL_BIAS) + k] = z
            V[I[flexible_row(I, i) + FLEXIBLE_MASS] + k * m + k] += g * (X[D + speed] + g * X[K + speed])
    for r in range(I[ROWS]):
        V[equation_work(I, r) + GAMMA] = z
    for e in range(I[CONSTRAINTS]):
        b = constraint_row(I, e)
        first, count = wrench_work(I, e, 0 * e, 0 * e), I[b + CONSTRAINT_ROWS] * I[b + ATTACHMENTS] * WRENCH_WIDTH
        for k in range(first, first + count):
            V[k] = c * V[k]
        for k in range(I[W_TERM] + I[b + TERM0], I[W_TERM] + I[b + TERM0] + I[b + TERMS]):
            V[k] = c * V[k]


def begin_body(I, V, X, i, g):
    """Inertia of body i alone, with g^2 G."""
    own, G = inertia_place(I) + OWN_INERTIA * i, tension_place(I) + TENSION_WIDTH * i
    for k in range(OWN_INERTIA):
        V[body_work(i) + J_ + k] = X[own + k] + 0 * g
    for k in range(TENSION_G):
        V[body_work(i) + J_ + k] += g * g * X[G + k]


def eliminate_shifted(I, V, X, g):
    """`eliminate` of `recursive` with g D + g^2 K in the pivots, at rest."""
    K, D = tangent_place(I), tangent_place(I) + I[SPEEDS]
    for i in range(I[BODIES] - 1, 0, -1):
        b, w = body_row(i), body_work(i)
        wp = body_work(I[b + PARENT])
        if I[b + CLOSES] > 0:
            close_loops(I, V, i)
        if I[b + MODES] > 0:
            eliminate_modes(I, V, i)
        J, H, M = load6(V, w + J_), load33(V, w + H_), load6(V, w + M_)
        n, f = load3(V, w + TORQUE), load3(V, w + FORCE)
        for k in range(I[b + U0] + I[b + NU] - 1, I[b + U0] - 1, -1):
            if I[column_row(I, k) + PRESCRIBED] == 0:
                c = column_work(I, k)
                Ua, Ul, d, p = times_column(V, c, I[column_row(I, k) + AXIS], J, H, M, n, f)
                pivot = keep_column(V, c, Ua, Ul, d + g * (X[D + k] + g * X[K + k]), V[c + TAU] - p)
                J, H, M = sym_rank_one(J, pivot, Ua), rank_one(H, pivot, Ua, Ul), sym_rank_one(M, pivot, Ul)
                push = pivot * (V[c + TAU] - p)
                n, f = add(n, scale(push, Ua)), add(f, scale(push, Ul))
        if wp > 0:
            pass_to_parent(V, w, wp, J, H, M, n, f)
        if I[b + JOINT] == NODE_JOINT:
            pass_to_modes(I, V, i)
        if I[b + PATHS] > 0:
            carry_loops(I, V, i)


def displacement(I, V, i, q, r, room):
    """s = W^+ r_q of body i's joint and modes, left in TAU. Columns of W are orthogonal where a joint has more coordinates
    than speeds."""
    b = body_row(i)
    first, count, c = I[b + Q0], I[b + NU], column_work(I, I[b + U0])
    for m in range(count):
        V[c + m * COLUMN_WIDTH + TAU] = r[first + m]
    if I[b + NQ] != count:
        for m in range(count):
            for n in range(count):
                V[c + n * COLUMN_WIDTH + RATE] = 0 * r[0] + (1 if n == m else 0)
            joint_rates(I, V, i, q, room)
            total, square = 0 * r[0], 0 * r[0]
            for n in range(first, first + I[b + NQ]):
                total += room[n] * r[n]
                square += room[n] * room[n]
            V[c + m * COLUMN_WIDTH + TAU] = total / square
    if I[b + MODES] > 0:
        f = flexible_row(I, i)
        for m in range(I[b + MODES]):
            V[column_work(I, I[f + FLEXIBLE_U] + m) + TAU] = r[I[f + FLEXIBLE_Q] + m]


def relative_rates(I, V, u):
    """Relative rates w of the motion that speeds u are, left in WDOT."""
    for k in range(I[SPEEDS]):
        if I[column_row(I, k) + TOTAL] == 1:
            accelerate(I, V, u)
            return
        V[column_work(I, k) + WDOT] = u[k]


def displace(I, V, i):
    """Rotation and displacement of body i, in its axes, for displacements along the columns that are in WDOT: left in ALPHA
    and A_."""
    b, w = body_row(i), body_work(i)
    theta, p = transport(V, w, body_work(I[b + PARENT]))
    store3(V, w + ALPHA, theta)
    store3(V, w + A_, p)
    for k in range(I[b + U0], I[b + U0] + I[b + NU]):
        add_along(V, w, column_work(I, k), I[column_row(I, k) + AXIS], V[column_work(I, k) + WDOT])
    if I[b + JOINT] == NODE_JOINT:
        add_modal_rates(I, V, i)


def load_shifted(I, V, X, q, g, x, room):
    """Right side of (2) in TAU and TORQUE, r_w being in WDOT, in whose place s + g r_w is left."""
    K, D, z = tangent_place(I), tangent_place(I) + I[SPEEDS], 0 * g
    for i in range(1, I[BODIES]):
        b, w = body_row(i), body_work(i)
        displacement(I, V, i, q, x, room)
        for k in range(I[b + U0], I[b + U0] + I[b + NU] + I[b + MODES]):  # modal speeds follow the joint's
            c = column_work(I, k)
            far = V[c + TAU] + g * V[c + WDOT]
            V[c + TAU] = -g * (X[D + k] * V[c + WDOT] + X[K + k] * far)
            V[c + WDOT] = far
        displace(I, V, i)
        turned = sym_mul(load6(X, tension_place(I) + TENSION_WIDTH * i), load3(V, w + ALPHA))
        store3(V, w + TORQUE, scale(g, turned))
        store3(V, w + FORCE, (z, z, z))


def carry_loads(I, V):
    """Tip to base, the right side alone: what is left of every TAU, with factors that are there."""
    for i in range(I[BODIES] - 1, 0, -1):
        b, w = body_row(i), body_work(i)
        wp, n, f = body_work(I[b + PARENT]), load3(V, w + TORQUE), load3(V, w + FORCE)
        for k in range(I[b + U0] + I[b + NU] - 1, I[b + U0] - 1, -1):
            if I[column_row(I, k) + PRESCRIBED] == 0:
                c = column_work(I, k)
                V[c + TAU_REDUCED] = V[c + TAU] - along(I, V, k, n, f)
                push = V[c + D_] * V[c + TAU_REDUCED]
                n, f = add(n, scale(push, load3(V, c + U_))), add(f, scale(push, load3(V, c + U_ + 3)))
        if wp > 0:
            E = load33(V, w + R_MP)
            f = tmul(E, f)
            accumulate3(V, wp + FORCE, f)
            accumulate3(V, wp + TORQUE, add(tmul(E, n), cross(load3(V, w + P_PM), f)))


def eliminate_again(I, V, X, g):
    """Factors and right side together, from the inertias of the bodies alone, and the multipliers of what closes on the
    ground."""
    ground = 0 * I[BODIES]
    for i in range(1, I[BODIES]):
        begin_body(I, V, X, i, g)
    if I[FLEXIBLES] > 0:
        begin_modes(I, V)
    if I[CLUSTERS] > 0:
        begin_rank(I, V)
        begin_loops(I, V)
    eliminate_shifted(I, V, X, g)
    if I[CLUSTERS] > 0:
        close_loops(I, V, ground)
        find_multipliers(I, V, ground)


def solve_shifted(I, P, V, X, q, g, x, room):
    """Eqs. (2) and (3): x = (x_q, x_u) in place of r, after `begin_shifted`."""
    nq, nu = I[COORDINATES], I[SPEEDS]
    u, e = offset(x, nq), offset(room, nq)
    relative_rates(I, V, u)
    load_shifted(I, V, X, q, g, x, room)
    if is_plain(I) == 1:
        carry_loads(I, V)
    else:
        eliminate_again(I, V, X, g)
    back_substitute(I, V, e)
    spin_rotors(I, P, V, e)
    for k in range(nu):
        u[k] += e[k]
    relative_rates(I, V, u)
    for k in range(nu):
        V[column_work(I, k) + RATE] = V[column_work(I, k) + WDOT]
    coordinate_rates(I, V, q, room)
    for j in range(nq):
        x[j] += g * room[j]


def make_tree_matrix(I, P, W, t, y, X, g, re, im, known):
    """What the matrix at (t, y) is made of for g and, unless it is real, for re + i im; `known` as in `body_tangents`."""
    body_tangents(I, P, W, t, y, X, known)
    joint_tangents(I, P, W, t, y, X)
    begin_shifted(I, W, X, X, g)
    if im != 0.0:
        begin_shifted(I, W, X, complexes(offset(X, complex_place(I))), complex(re, im))


def solve_tree_real(I, P, X, q, g, x):
    """x = (1 - g A)^-1 x for the real g of the factors; q is where they were made."""
    solve_shifted(I, P, X, X, q, g, x, offset(X, I[W_SIZE]))


def solve_tree_complex(I, P, X, q, re, im, x_re, x_im):
    """The same for the complex g = re + i im, parts of x apart."""
    V = complexes(offset(X, complex_place(I)))
    room, n = offset(V, I[W_SIZE]), I[COORDINATES] + I[SPEEDS]
    x = offset(room, n)
    for k in range(n):
        x[k] = complex(x_re[k], x_im[k])
    solve_shifted(I, P, V, X, q, complex(re, im), x, room)
    for k in range(n):
        x_re[k] = x[k].real
        x_im[k] = x[k].imag
