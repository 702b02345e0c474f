"""Newmark's method and generalized-alpha, with fixed steps: the equations at the end of a step, by Newton's method.

With v for all of y but the coordinates (speeds, states of blocks, work), f for v', and a, kept from step to step, for the
algorithm's own v',

    (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) f_1 + alpha_f f_0 ,                                              (1)
    v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1) ,    s = h u_0 + h^2 ((1/2 - beta) a_0 + beta a_1) ,                 (2)

f_1 = f(t_1, y_1), and s moves the coordinates along the columns of their joints: q_1 = q_0 + s, or q_0 exp(s) for rotations
in space (`formulations.coordinate_step`). alpha_m = alpha_f = 0 is Newmark's method. The unknown is v_1. Newton's matrix is
1 - g J_v - b J_q W, g = gamma (1 - alpha_f)/(1 - alpha_m) h, b = beta (1 - alpha_f)/(1 - alpha_m) h^2, for which the other
methods' 1 - c J serves with c^2 = b, which is right for springs, and nearly so for dampers. The first guess is v_0, for
accelerations may be those of stiff springs. The momentum of a system that floats is put right in the end
(`formulations.momentum`). Where coordinates are not those of a tree, or speeds no rates of its joints,
coordinates are among the v.

With beta = 0 nothing is solved for: q_1 is known, and f_1 is taken at it and at the speeds v_0 + h a_0, which leaves the
order 2. One evaluation a step, as long as h is shorter than sqrt(2/gamma) over the highest frequency; momentum is then kept
to the method's order only.
Ref: Newmark, J. Eng. Mech. 85 (1959) 67; Chung and Hulbert, J. Appl. Mech. 60 (1993) 371; on rotations Arnold and Bruels,
Multibody Syst. Dyn. 18 (2007) 185 and Bruels and Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002.
"""

from kaneflex.formulations.coordinate_step import coordinate_step
from kaneflex.formulations.evaluate import normalise
from kaneflex.formulations.momentum import hold_momentum
from kaneflex.kernels.ops import offset
from kaneflex.simulate.stepping.implicit import factor_newton
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.mixing import mix
from kaneflex.simulate.stepping.newton import correction_norm, doubt, newton_verdict, slow_rate, solve_newton
from kaneflex.simulate.stepping.vectors import ask, defect, slot


def moved_coordinates(N):
    """Coordinates that are moved by s: none where they are among the v."""
    return N[RK_COORDINATES] if N[RK_SPEEDS] > 0 else 0


def begin_alpha(I, P, W, N, C, T, S, L, pivot):
    """Newton's matrix; what is known of a_1, v_1 and s before f_1 is; the first guess."""
    C[RK_ERROR] = 1e300
    C[RK_RATE] = 0.0
    N[RK_PHASE] = RK_FAILED
    explicit = N[RK_MATRIX] == RK_NONE
    if not explicit and factor_newton(I, P, W, N, C, T, S, L, pivot) == 0:
        return RK_GO
    n, h = N[RK_SIZE], C[RK_H_TRY]
    am, af, beta, gamma = T[N[RK_AXES]], T[N[RK_AXES] + 1], T[N[RK_AXES] + 2], T[N[RK_AXES] + 3]
    y, new, f = offset(S, N[RK_Y]), offset(S, N[RK_NEW]), offset(S, slot(N, N[RK_FIRST]))
    a, known = offset(S, N[RK_Z] + n), offset(S, N[RK_Z] + 2 * n)
    v, s = offset(S, N[RK_Z] + 3 * n), offset(S, N[RK_Z] + 4 * n)
    for m in range(n):
        if N[RK_SMOOTH] == 0:
            a[m] = f[m]
        known[m] = (af * f[m] - am * a[m]) / (1.0 - am)
        v[m] = y[m] + h * ((1.0 - gamma) * a[m] + gamma * known[m])
        s[m] = h * y[m] + h * h * ((0.5 - beta) * a[m] + beta * known[m])
        new[m] = y[m] + h * a[m] if explicit else y[m]
    move_coordinates(I, N, C, T, S)
    C[RK_ETA] = 1.0
    N[RK_COUNT] = 0
    N[RK_PHASE] = RK_SWEEP
    ask(N, C, C[RK_T_NEW], N[RK_NEW], slot(N, N[RK_LAST]))
    return RK_SLOPE


def move_coordinates(I, N, C, T, S):
    """Coordinates of NEW for its speeds, by s of Eq. (2)."""
    n, nq = N[RK_SIZE], moved_coordinates(N)
    if nq == 0:
        return
    ratio = C[RK_H_TRY] * T[N[RK_AXES] + 2] / T[N[RK_AXES] + 3]  # b / g
    new, room = offset(S, N[RK_NEW]), offset(S, N[RK_TRY])
    for m in range(nq, n):
        room[m] = S[N[RK_Z] + 4 * n + m] + ratio * (new[m] - S[N[RK_Z] + 3 * n + m])
    coordinate_step(I, offset(S, N[RK_Y]), offset(room, nq), new)


def alpha_sweep(I, P, W, N, C, T, S, L, pivot):
    """A correction of v_1, f_1 being there, and whether another one is needed."""
    n, nq, g = N[RK_SIZE], moved_coordinates(N), C[RK_H_TRY] * T[N[RK_AXES] + 4]
    new, f, v = offset(S, N[RK_NEW]), offset(S, slot(N, N[RK_LAST])), offset(S, N[RK_Z] + 3 * n)
    delta = offset(S, N[RK_DELTA])
    for m in range(n):
        delta[m] = v[m] + g * f[m] - new[m] if m >= nq else 0.0
    solve_newton(I, P, N, C, T, S, L, pivot, delta)
    explicit, verdict = N[RK_MATRIX] == RK_NONE, 0
    N[RK_PHASE] = RK_FAILED
    if explicit:
        for m in range(nq, n):
            new[m] += delta[m]
    else:
        before = C[RK_NORM]
        C[RK_NORM] = correction_norm(N, C, S, 1, delta)
        N[RK_CORRECTIONS] += 1
        mix(N, C, S, 1, new, delta)
        move_coordinates(I, N, C, T, S)
        verdict = newton_verdict(N, C, N[RK_COUNT], C[RK_NORM], before, 0.01, 2 * RK_PATIENT)
    if defect(n, new) != 0.0 or (explicit and has_exploded(N, S) == 1):
        return RK_GO
    N[RK_COUNT] += 1
    if verdict == 1 and N[RK_COUNT] < 2 * RK_PATIENT:
        N[RK_PHASE] = RK_SWEEP
        return RK_SLOPE
    if verdict == 0:
        for m in range(nq, n):  # from the equation, as in `newton_sweep`
            f[m] = (new[m] - v[m]) / g
        normalise(I, new)
        if nq > 0 and not explicit:
            hold_momentum(I, P, W, C[RK_T], offset(S, N[RK_Y]), C[RK_T_NEW], new, C[RK_T_NEW] - C[RK_T])
            N[RK_WORKED] = -1
        N[RK_JACOBIAN] = 0 if C[RK_RATE] > slow_rate(N) else 1
        C[RK_ERROR] = 0.0
        N[RK_PHASE] = RK_JUDGE
    return RK_GO


def has_exploded(N, S):
    """1 when an entry of NEW is beyond all bounds: too long steps without a matrix let vibrations grow for ever, through
    numbers that are finite for long."""
    for m in range(N[RK_SIZE]):
        if not abs(S[N[RK_NEW] + m]) < 1e30:
            return 1
    return 0


def alpha_failed(N, C):
    """Once more with a matrix of this step, then with all of its entries; then there is no such step."""
    if N[RK_JACOBIAN] != 2 and N[RK_MATRIX] != RK_NONE:
        N[RK_JACOBIAN] = 0
        N[RK_PHASE] = RK_DIFFERENCE
        return RK_GO
    huge = 1e300 * C[RK_ERROR]
    C[RK_ERROR] = huge - huge  # no number
    N[RK_PHASE] = RK_JUDGE
    if N[RK_MATRIX] == RK_TREE and N[RK_SIZE] <= RK_FILLABLE:
        N[RK_DOUBT] = RK_DOUBTS
    return doubt(N)


def keep_alpha(N, C, T, S):
    """After a step: a_1 by Eq. (1)."""
    n, share = N[RK_SIZE], (1.0 - T[N[RK_AXES] + 1]) / (1.0 - T[N[RK_AXES]])
    f = offset(S, slot(N, N[RK_LAST]))
    if N[RK_VALID] == 0:  # an event ended the step within
        N[RK_SMOOTH] = 0
        return
    for m in range(n):
        S[N[RK_Z] + n + m] = S[N[RK_Z] + 2 * n + m] + share * f[m]
