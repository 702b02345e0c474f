"""The reference: partial velocities of every body with respect to every speed, M assembled, one symmetric solve.

With P_jr the partial velocity and partial angular velocity of body j for speed r, in axes of j,

    P_jr = A_j P_cr + S_j (own speeds) ,    sum_j P_jr . (I_j a_j + p_j) = sum_k (dw_k/du_r) tau_k            (1)

so that M_rs = sum_j P_jr . I_j P_js. With efficient speeds A_j = (1 - S H^T) times the plain transport and
w_k = u_k - (carried component along column k); dw/du keeps the joint loads conjugate to the rates. A rotor adds
J_s s_r s_s, with s_r its total spin's partial rate. Cost O(n^3).
Ref: Kane and Levinson (1985), Eqs. 4.11.1 and 6.1.1.
"""

from kaneflex.formulations.dense_solve import factor_mass, solve_mass
from kaneflex.formulations.embedded import embedded_udot
from kaneflex.formulations.multipliers import cluster_height, factor_cluster, raise_multipliers, reduce_rows
from kaneflex.formulations.sliding_friction import friction_column, solve_friction
from kaneflex.kernels.algebra import add, cross, dot, load3, load33, mul, store3
from kaneflex.kernels.bodies.modal import modal_mass_entry
from kaneflex.kernels.constraints.dispatch import equation_rate
from kaneflex.kernels.inertia import balance, inertia_times
from kaneflex.kernels.kinematics import accelerate
from kaneflex.kernels.layout import *
from kaneflex.kernels.node import NODE_JOINT
from kaneflex.kernels.ops import offset


def partial_velocities(I, W):
    """P_jr and dw/du, body by body; after `velocities`."""
    n, z = I[SPEEDS], 0 * W[OMEGA]
    for k in range(PARTIAL_WIDTH * n):
        W[I[W_PARTIAL] + k] = z
    for k in range(n * n):
        W[I[W_RATIO] + k] = z
    for i in range(1, I[BODIES]):
        b, w = body_row(i), body_work(i)
        E, r = load33(W, w + R_MP), load3(W, w + P_PM)
        for s in range(n):
            pc, p = partial_work(I, I[b + PARENT], s), partial_work(I, i, s)
            omega = load3(W, pc)
            store3(W, p, mul(E, omega))
            store3(W, p + 3, mul(E, add(load3(W, pc + 3), cross(omega, r))))
            for k in range(I[b + U0], I[b + U0] + I[b + NU]):
                own_speed(I, W, k, s, p)
        if I[b + JOINT] == NODE_JOINT:
            modal_partials(I, W, i)
        for k in range(I[b + MODES]):
            s = I[flexible_row(I, i) + FLEXIBLE_U] + k
            W[I[W_RATIO] + s * n + s] += 1


def modal_partials(I, W, i):
    """Add what the modal speeds of its flexible body contribute to the partial velocities of body i, a node."""
    flexible, T = I[body_row(i) + PARENT], I[node_row(I, i) + NODE_W]
    m, first = I[body_row(flexible) + MODES], I[flexible_row(I, flexible) + FLEXIBLE_U]
    for k in range(m):
        p = partial_work(I, i, first + k)
        for c in range(6):
            W[p + c] += W[T + c * m + k]


def coupling_column(I, W, i, k):
    """Angular and linear coupling of the k-th mode of the flexible body i with its own motion."""
    m, own = I[body_row(i) + MODES], modal_work(I, i, OWN_COUPLING) + k
    return (W[own], W[own + m], W[own + 2 * m]), (W[own + 3 * m], W[own + 4 * m], W[own + 5 * m])


def modal_mass(I, W):
    """Add to M, upper half, what the modal speeds of flexible bodies have of it."""
    n = I[SPEEDS]
    for i in range(1, I[BODIES]):
        for k in range(I[body_row(i) + MODES]):
            s = I[flexible_row(I, i) + FLEXIBLE_U] + k
            turn, shift = coupling_column(I, W, i, k)
            for j in range(k + 1):
                W[I[W_MASS] + (s - k + j) * n + s] += modal_mass_entry(I, W, i, j, k)
            for r in range(n):
                p = partial_work(I, i, r)
                value = dot(load3(W, p), turn) + dot(load3(W, p + 3), shift)
                if r < s:
                    W[I[W_MASS] + r * n + s] += value
                else:
                    W[I[W_MASS] + s * n + r] += value


def own_speed(I, W, k, s, p):
    """Add what speed k of the body's own joint contributes to the partial velocity at p for speed s."""
    c, axis = column_work(I, k), I[column_row(I, k) + AXIS]
    ratio = 0 * W[OMEGA]
    if k == s:
        ratio += 1
    if I[column_row(I, k) + TOTAL] == 1:
        if axis < GENERAL:
            ratio -= W[p + axis]
        else:
            ratio -= dot(load3(W, c + S_), load3(W, p))
    W[I[W_RATIO] + k * I[SPEEDS] + s] = ratio
    if axis < GENERAL:
        W[p + axis] += ratio
    else:
        for m in range(6):
            W[p + m] += ratio * W[c + S_ + m]


def rotor_partial(I, P, W, m, s):
    """Partial rate of rotor m's total spin for speed s."""
    b, k = rotor_row(I, m), I[rotor_row(I, m) + ROTOR_U]
    rate = (1 - I[column_row(I, k) + TOTAL]) * dot(
        load3(P, rotor_par(I, m) + ROTOR_AXIS), load3(W, partial_work(I, I[b + ROTOR_BODY], s))
    )
    if k == s:
        rate += 1
    return rate


def mass_matrix(I, P, W):
    """M_rs = sum_j P_jr . I_j P_js + sum J_s s_r s_s, both halves; after `partial_velocities`."""
    n = I[SPEEDS]
    for k in range(n * n):
        W[I[W_MASS] + k] = 0 * W[OMEGA]
    for i in range(1, I[BODIES]):
        for s in range(n):
            p = partial_work(I, i, s)
            torque, force = inertia_times(W, body_work(i), load3(W, p), load3(W, p + 3))
            for r in range(s + 1):
                p = partial_work(I, i, r)
                W[I[W_MASS] + r * n + s] += dot(load3(W, p), torque) + dot(load3(W, p + 3), force)
    if I[FLEXIBLES] > 0:
        modal_mass(I, W)
    for m in range(I[ROTORS]):
        J = P[rotor_par(I, m) + ROTOR_INERTIA]
        for s in range(n):
            spin = J * rotor_partial(I, P, W, m, s)
            for r in range(s + 1):
                W[I[W_MASS] + r * n + s] += spin * rotor_partial(I, P, W, m, r)
    for s in range(n):
        for r in range(s):
            W[I[W_MASS] + s * n + r] = W[I[W_MASS] + r * n + s]


def dense_force(I, P, W, r):
    """F_r + F*_r of speed r, with the accelerations that are in the workspace."""
    n = I[SPEEDS]
    value = 0 * W[OMEGA]
    for k in range(n):
        value += W[I[W_RATIO] + k * n + r] * W[column_work(I, k) + TAU]
    for i in range(1, I[BODIES]):
        p = partial_work(I, i, r)
        torque, force = balance(W, body_work(i))
        value -= dot(load3(W, p), torque) + dot(load3(W, p + 3), force)
        f = flexible_row(I, i)
        if I[body_row(i) + MODES] > 0 and I[f + FLEXIBLE_U] <= r < I[f + FLEXIBLE_U] + I[body_row(i) + MODES]:
            turn, shift = coupling_column(I, W, i, r - I[f + FLEXIBLE_U])
            value -= dot(turn, load3(W, body_work(i) + ALPHA)) + dot(shift, load3(W, body_work(i) + A_))
            value -= W[modal_work(I, i, MODAL_BIAS) + r - I[f + FLEXIBLE_U]]
    for m in range(I[ROTORS]):
        b, g = rotor_row(I, m), rotor_par(I, m)
        k = I[b + ROTOR_U]
        carried_spin = dot(load3(P, g + ROTOR_AXIS), load3(W, body_work(I[b + ROTOR_BODY]) + ALPHA))
        if I[column_row(I, k) + TOTAL] == 0:
            value -= P[g + ROTOR_INERTIA] * carried_spin * rotor_partial(I, P, W, m, r)
    return value


def rotor_ratios(I, P, W):
    """dw/du of rotors: w = u, less the carried spin where u is total."""
    n = I[SPEEDS]
    for m in range(I[ROTORS]):
        b, k = rotor_row(I, m), I[rotor_row(I, m) + ROTOR_U]
        for s in range(n):
            spin = dot(load3(P, rotor_par(I, m) + ROTOR_AXIS), load3(W, partial_work(I, I[b + ROTOR_BODY], s)))
            W[I[W_RATIO] + k * n + s] = -I[column_row(I, k) + TOTAL] * spin
            if k == s:
                W[I[W_RATIO] + k * n + s] += 1


def hold_prescribed(I, W, udot):
    """Replace the row of a prescribed speed by w-dot = given, as its own equation gives the load instead.

    In u: sum_s (dw_k/du_s) u-dot_s = given - (w-dot at u-dot = 0).
    """
    n = I[SPEEDS]
    for k in range(n):
        if I[column_row(I, k) + PRESCRIBED] == 1:
            for s in range(n):
                W[I[W_MASS] + k * n + s] = W[I[W_RATIO] + k * n + s]
            udot[k] = W[column_work(I, k) + PRESCRIBED_RATE] - W[column_work(I, k) + WDOT]


def constraint_jacobian(I, W):
    """J_rs: what equation r says of speed s, and the measure of each equation for finding redundant ones."""
    n = I[SPEEDS]
    for e in range(I[CONSTRAINTS]):
        b = constraint_row(I, e)
        for m in range(I[b + CONSTRAINT_ROWS]):
            r = I[b + CONSTRAINT_ROW] + m
            W[equation_work(I, r) + SIZE_] = 0 * W[OMEGA]
            for s in range(n):
                constraint_partial(I, W, e, m, r, s)


def constraint_partial(I, W, e, m, r, s):
    """J_rs of constraint e's m-th equation r."""
    b, n = constraint_row(I, e), I[SPEEDS]
    total, size = 0 * W[OMEGA], 0 * W[OMEGA]
    for a in range(I[b + ATTACHMENTS]):
        place = wrench_work(I, e, m, a)
        p = partial_work(I, I[attachment_row(I, I[b + ATTACHMENT0] + a) + ATTACHED], s)
        torque, force, turn, slide = load3(W, place), load3(W, place + 3), load3(W, p), load3(W, p + 3)
        total += dot(torque, turn) + dot(force, slide)
        size += dot(torque, torque) * dot(turn, turn) + dot(force, force) * dot(slide, slide)
    for k in range(I[b + TERM0], I[b + TERM0] + I[b + TERMS]):
        if I[term_row(I, k) + TERM_ROW] == m:
            c = W[I[W_TERM] + k] * W[I[W_RATIO] + I[term_row(I, k) + TERM_COLUMN] * n + s]
            total += c
            size += c * c
    W[I[W_JACOBIAN] + r * n + s] = total
    if I[column_row(I, s) + PRESCRIBED] == 0:
        W[equation_work(I, r) + SIZE_] += size / W[I[W_MASS] + s * n + s]


def equation_rates(I, W):
    """BETA: rates of the equations with the accelerations that are in the workspace."""
    for e in range(I[CONSTRAINTS]):
        for k in range(I[constraint_row(I, e) + CONSTRAINT_ROWS]):
            r = equation_work(I, I[constraint_row(I, e) + CONSTRAINT_ROW] + k)
            W[r + BETA] = equation_rate(I, W, e, k)


def friction_columns(I, W):
    """M^-1 times the generalized forces of friction under unit normal forces, behind M^-1 J^T, and J of these: the columns B
    of `sliding_friction`."""
    n, m, J = I[SPEEDS], I[ROWS], I[W_JACOBIAN]
    for k in range(I[FRICTIONS]):
        w, f = friction_work(I, k), force_row(I, I[friction_row(I, k) + FRICTION_LOAD])
        z = J + jacobian_friction_work(m, n) + k * n
        for s in range(n):
            p, o = partial_work(I, I[f + FORCE_BODY], s), partial_work(I, I[f + FORCE_OTHER], s)
            value = 0 * W[OMEGA]
            for c in range(6):
                value += W[w + FRICTION_WRENCH + c] * W[p + c] + W[w + FRICTION_OTHER + c] * W[o + c]
            W[z + s] = (1 - I[column_row(I, s) + PRESCRIBED]) * value
        solve_mass(W, I[W_MASS], n, offset(W, z))
        B = friction_column(I, 0 * n, k)
        for r in range(m):
            W[B + r] = 0 * W[OMEGA]
            for s in range(n):
                W[B + r] += W[J + r * n + s] * W[z + s]


def constrain_dense(I, P, W, udot):
    """u-dot with constraints from u-dot without them: J M^-1 J^T lambda = -(rate of the equations), u-dot + M^-1 J^T lambda.

    M has been factored; J^T does not act on prescribed speeds, whose equations were replaced.
    """
    n, m, h = I[SPEEDS], I[ROWS], cluster_height(I, 0 * I[ROWS])
    J, A = I[W_JACOBIAN], I[cluster_row(I, 0 * n) + CLUSTER_DELASSUS]
    Z = J + jacobian_Z_work(m, n)
    for r in range(m):
        for s in range(n):
            W[Z + r * n + s] = (1 - I[column_row(I, s) + PRESCRIBED]) * W[J + r * n + s]
        solve_mass(W, I[W_MASS], n, offset(W, Z + r * n))
    for r in range(m):
        for s in range(m):
            value = 0 * W[OMEGA]
            for k in range(n):
                value += W[J + r * n + k] * W[Z + s * n + k]
            W[A + r * h + s] = value
    if I[FRICTIONS] > 0:
        friction_columns(I, W)
    accelerate(I, W, udot)
    equation_rates(I, W)
    factor_cluster(I, W, 0 * n)
    reduce_rows(I, W, 0 * n, BETA, 1 + 0 * n, MULTIPLIER)
    raise_multipliers(I, W, 0 * n)
    for r in range(m):
        W[equation_work(I, r) + MULTIPLIER] = -W[equation_work(I, r) + MULTIPLIER]
    if I[FRICTIONS] > 0:
        solve_friction(I, W, 0 * n)
    for r in range(m + I[FRICTIONS]):
        multiplier = W[equation_work(I, r) + MULTIPLIER]
        for s in range(n):
            udot[s] += multiplier * W[Z + r * n + s]


def form_equations(I, P, W, udot):
    """M, and the right side F_r + F*_r(u-dot = 0) of M u-dot = F_r + F*_r, left in udot; J where there are constraints.
    After velocities, inertia and forces are in the workspace."""
    n = I[SPEEDS]
    for r in range(n):
        udot[r] = 0 * W[OMEGA]
    partial_velocities(I, W)
    rotor_ratios(I, P, W)
    mass_matrix(I, P, W)
    if I[CLUSTERS] > 0:
        constraint_jacobian(I, W)
    accelerate(I, W, udot)
    for r in range(n):
        udot[r] = dense_force(I, P, W, r)


def dense_udot(I, P, W, udot):
    """u-dot from M u-dot = F_r + F*_r(u-dot = 0) + J^T lambda, after velocities, inertia and forces are in the workspace."""
    form_equations(I, P, W, udot)
    hold_prescribed(I, W, udot)
    factor_mass(W, I[W_MASS], I[SPEEDS])
    solve_mass(W, I[W_MASS], I[SPEEDS], udot)
    if I[CLUSTERS] > 0:
        constrain_dense(I, P, W, udot)
    accelerate(I, W, udot)


def independent_udot(I, P, W, udot):
    """As `dense_udot`, with the constraints embedded; only where there are some."""
    form_equations(I, P, W, udot)
    equation_rates(I, W)
    embedded_udot(I, W, udot)
    accelerate(I, W, udot)
