"""Kane's equations for the rates of points and unit vectors, with multipliers for what is not shared.

With Phi the partial velocities of a body, its balance I a + p, and the loads tau of its joints, all bodies together are

    M y'' + B^T mu = sum Phi^T (tau - (I bias + p)) ,    M = sum Phi^T I Phi ,    B y'' = -gamma ,                  (1)

which are (20) to (22) of the paper with equal indices, inertias in common axes, and the multipliers that it leaves out. M
alone is singular, as a body of six freedoms has nine coordinates or more. B^T S B is added to M and -B^T S gamma to the
right side, which changes neither y'' nor mu, so that the matrix is positive definite wherever (1) has a solution; S is a
diagonal matrix of the size of the masses.

An equation may follow from others, always or in one position alone: it is left out of K, the matrix with M + B^T S B, and
its multiplier is zero; S keeps it where the others have it to rounding. The solution is refined by what (1), summed body by
body and equation by equation, leaves of the right sides f and c,

    K (change of y'', change of mu) = (f - M y'' - B^T mu + B^T S r, r) ,    r = c - B y'' ,                          (2)

until the next change would be rounding, mostly once, or changes do not fall any more: the digits that factors of long
structures have lost.

The end of a step is put back on all equations by the least change in the sense of kinetic energy: Newton's steps with the
same matrix for the coordinates, one for their rates.
On numbers only.
"""

from kaneflex.formulations.cartesian.equations import cartesian_equations, equation_at, rate_defect, result_at
from kaneflex.formulations.cartesian.layout import *
from kaneflex.formulations.cartesian.matrix import (
    add_load,
    clear_side,
    factor_cartesian,
    set_side,
    solve_cartesian,
    solve_once,
    unknown,
)
from kaneflex.formulations.cartesian.motion import dual, own_integers, own_reals
from kaneflex.formulations.evaluate import load_and_constrain, placed, work_rates
from kaneflex.formulations.other_coordinates import tree_state
from kaneflex.formulations.recursive import drive_rotors
from kaneflex.formulations.row_solve import factor_rows, solve_rows
from kaneflex.formulations.sliding_friction import add_friction_wrenches, friction_powers
from kaneflex.kernels.algebra import accumulate3, add, cross, load3, load33, scale, store3, sub, tmul
from kaneflex.kernels.bodies.dispatch import body_inertia
from kaneflex.kernels.constraints.dispatch import constraint_equations
from kaneflex.kernels.inertia import add_rotor_momenta, inertia_times
from kaneflex.kernels.kinematics import coordinate_rates
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import integers_at, offset
from kaneflex.kernels.sensors import load_states, state_rates


def add_loads(I, T, P, W):
    """Phi^T of applied loads and of what inertia has besides y'', to the right side."""
    C, X = own_integers(I), own_reals(I)
    for i in range(1, T[BODIES]):
        w, phi = body_work(i), C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i
        fall = tmul(load33(W, w + R_NM), load3(P, T[P_GRAVITY]))
        torque, force = inertia_times(W, w, load3(X, phi + C_BIAS), sub(load3(X, phi + C_BIAS + 3), fall))
        store3(X, phi + C_LOAD, scale(-1, add(torque, load3(W, w + TORQUE))))
        store3(X, phi + C_LOAD + 3, scale(-1, add(force, load3(W, w + FORCE))))
    for i in range(1, T[BODIES]):
        for k in range(T[body_row(i) + U0], T[body_row(i) + U0] + T[body_row(i) + NU]):
            add_joint_load(C, X, T, W, k)
    for i in range(1, T[BODIES]):
        phi = C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i
        add_load(C, X, i, load3(X, phi + C_LOAD), load3(X, phi + C_LOAD + 3))


def set_right_side(I, T, P, W):
    """Right side of (1)."""
    C, X = own_integers(I), own_reals(I)
    clear_side(I)
    add_loads(I, T, P, W)
    for r in range(C[C_EQUATIONS]):
        set_side(C, X, r, -X[result_at(C, r) + C_GAMMA])


def solve_sliding(I, T, P, W):
    """Friction of points that slide, Eq. (2) of `sliding_friction` with the matrix of (1) in the place of A, after the
    solution without it: the friction of a unit normal force is a load, which changes all normal forces; all is solved again
    with the forces found."""
    C, X, n, K = own_integers(I), own_reals(I), T[FRICTIONS], T[W_NORMAL]
    for r in range(n):
        W[K + pivoted_b_work(n) + r] = normal_force(C, X, r)
    for k in range(n):
        w, f = friction_work(T, k), force_row(T, T[friction_row(T, k) + FRICTION_LOAD])
        clear_side(I)
        add_load(C, X, T[f + FORCE_BODY], load3(W, w + FRICTION_WRENCH), load3(W, w + FRICTION_WRENCH + 3))
        add_load(C, X, T[f + FORCE_OTHER], load3(W, w + FRICTION_OTHER), load3(W, w + FRICTION_OTHER + 3))
        solve_cartesian(I, T, W)
        for r in range(n):
            W[K + r * n + k] = -normal_force(C, X, r)
        W[K + k * n + k] += 1.0
    factor_rows(W, K, n)
    N = solve_rows(W, K, n)
    for k in range(n):
        W[equation_work(T, T[friction_row(T, k) + FRICTION_ROW]) + MULTIPLIER] = W[N + k]
    add_friction_wrenches(T, W)
    friction_powers(T, W)
    set_right_side(I, T, P, W)
    solve_cartesian(I, T, W)


def normal_force(C, X, n):
    """On the n-th point that slides with friction."""
    return -unknown(C, X, C[C_FREE] + C[C[C_NORMAL_TABLE] + n])


def add_joint_load(C, X, T, W, k):
    """The load in a joint along speed k, on its body and the opposite on the parent."""
    i = T[column_row(T, k) + BODY]
    w, f = body_work(i), W[column_work(T, k) + TAU]
    up, own = T[body_row(i) + PARENT], C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i
    torque, force = dual(C, X, T, W, k)
    s, d = scale(f, torque), scale(f, force)
    accumulate3(X, own + C_LOAD, s)
    accumulate3(X, own + C_LOAD + 3, d)
    if up > 0:
        E, other = load33(W, w + R_MP), C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * up
        push = tmul(E, d)
        accumulate3(X, other + C_LOAD, scale(-1, add(tmul(E, s), cross(load3(W, w + P_PM), push))))
        accumulate3(X, other + C_LOAD + 3, scale(-1, push))


def store_accelerations(I, T, P, W):
    """ALPHA and A_ of all bodies."""
    C, X = own_integers(I), own_reals(I)
    for i in range(1, T[BODIES]):
        w, b, phi = body_work(i), C[C_BODY_TABLE] + C_BODY_INTS * i, C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i
        for m in range(6):
            total = X[phi + C_BIAS + m]
            for n in range(3 * C[b + C_REFS]):
                k = C[C[C_REF_TABLE] + C_REF_INTS * (C[b + C_REF0] + n // 3)] + n % 3
                total += X[phi + m * C_MOST + n] * unknown(C, X, k)
            W[w + ALPHA + m] = total
        accumulate3(W, w + A_, scale(-1, tmul(load33(W, w + R_NM), load3(P, T[P_GRAVITY]))))


def store_multipliers(I, T, W):
    """Multipliers of the equations of constraints that are not shared, and loads that hold motions, with their power."""
    C, X = own_integers(I), own_reals(I)
    for r in range(T[ROWS]):
        W[equation_work(T, r) + MULTIPLIER] = 0.0
    for r in range(C[C_EQUATIONS]):
        b, multiplier = equation_at(C, r), -unknown(C, X, C[C_FREE] + r)
        if C[b + C_KIND] == C_USER_ROW:
            W[equation_work(T, C[b + C_A]) + MULTIPLIER] = multiplier
        elif C[b + C_KIND] == C_DRIVE_ROW:
            c = column_work(T, C[b + C_A])
            W[c + TAU_REDUCED] = multiplier
            W[energy_work(T, C[b + C_D]) + POWER_APPLIED] = multiplier * W[c + RATE]


def cartesian_derivative(I, P, W, t, y, ydot):
    """The rate of y."""
    T, C, X = integers_at(I[TREE]), own_integers(I), own_reals(I)
    x = tree_state(I, P, W, t, y)
    load_states(T, W, x)
    for i in range(1, T[BODIES]):
        body_inertia(T, P, W, t, i, x)
    add_rotor_momenta(T, P, W)
    load_and_constrain(T, P, W, t, x)
    drive_rotors(T, P, W)
    cartesian_equations(I, T, W, y, x)
    factor_cartesian(I, T, W)
    set_right_side(I, T, P, W)
    solve_cartesian(I, T, W)
    if T[FRICTIONS] > 0:
        solve_sliding(I, T, P, W)
    store_accelerations(I, T, P, W)
    store_multipliers(I, T, W)
    free, speeds = C[C_FREE], I[COORDINATES]
    for k in range(free):
        ydot[k] = y[speeds + k]
        ydot[speeds + k] = unknown(C, X, k)
    for m in range(T[ROTORS]):
        load = W[column_work(T, T[rotor_row(T, m) + ROTOR_U]) + TAU]
        ydot[speeds + free + m] = load / P[rotor_par(T, m) + ROTOR_INERTIA]
    coordinate_rates(T, W, x, offset(ydot, free))
    own = I[COORDINATES] + I[SPEEDS]
    state_rates(T, W, offset(ydot, own - T[COORDINATES] - T[SPEEDS]))
    work_rates(T, W, offset(ydot, own + T[STATES]))


def factor_at(I, P, W, t, y):
    """The matrix of (1) and the values of all equations at y; returns the state of the tree."""
    T = integers_at(I[TREE])
    x = tree_state(I, P, W, t, y)
    load_states(T, W, x)
    for i in range(1, T[BODIES]):
        body_inertia(T, P, W, t, i, x)
    placed(T, P, W, t, x)
    constraint_equations(T, P, W, x)
    cartesian_equations(I, T, W, y, x)
    factor_cartesian(I, T, W)
    return x


def largest_value(I, y):
    """Largest value of an equation, as a multiple of what rounding explains."""
    C, X = own_integers(I), own_reals(I)
    worst, span = 0.0, 1.0
    for k in range(C[C_FREE]):
        span = max(span, abs(y[k]))
    for r in range(C[C_EQUATIONS]):
        worst = max(worst, abs(X[result_at(C, r) + C_VALUE]))
    return worst / (4e-15 * span)


def cartesian_project(I, P, W, t, y, sweeps, limit, slack):
    """`project` for points and vectors: the end of a step back on all equations; returns the Newton steps taken, -1 without
    convergence."""
    C, X, T = own_integers(I), own_reals(I), integers_at(I[TREE])
    free, taken, met, done, largest = C[C_FREE], 0, 0, 0, slack + 1.0
    while done == 0:
        x = factor_at(I, P, W, t, y)
        met = 1 if largest < slack or largest_value(I, y) <= 1.0 else 0
        done = 1 if met == 1 or taken == sweeps else 0
        clear_side(I)
        for r in range(C[C_EQUATIONS]):
            k = result_at(C, r)
            if done == 1:
                value = rate_defect(C, X, y, I[COORDINATES], r)
            else:
                value = X[k + C_VALUE]
            set_side(C, X, r, -value)
        solve_once(I)
        first = I[COORDINATES] if done == 1 else 0
        largest = 0.0
        for k in range(free):
            change = unknown(C, X, k)
            y[first + k] += change
            largest = max(largest, abs(change))
        for k in range(T[COORDINATES]):
            y[free + k] = x[k]
        taken += 1 - done
    return taken if met == 1 else -1
