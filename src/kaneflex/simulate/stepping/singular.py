"""Through singular positions, where constraint equations that are independent elsewhere follow from one another.

Where branches of the configurations cross, an equation is, but for smooth factors, s n = 0: s along the branch of the
motion, n across it. Kane's equations ask there for n'' = -(2 s' n' + s'' n)/s. On the branch, n = 0, the accelerations are
smooth; beside it any error of n grows without bound as s goes to zero, and at s = 0 nothing holds n at all. What is left of
an equation after the others, its share, is of the order of s^2. So where the least share is below 1/RK_ZONE of the usual one

- u-dot is interpolated, with s the variable, from six neighbours farther off, before and behind, that are moved along the
  rates by multiples of a spacing and projected, which sets n = 0:

    f(0) = (15 (f_1 + f_-1) - 6 (f_2 + f_-2) + f_3 + f_-3)/20 + O(spacing^6) ,                                     (1)

- the states themselves are projected onto the other equations only: corrections of n of the order of defect/s would throw
  them onto another branch.

A mechanism that misses a singular position by little turns sharply there, and is integrated as it is: across the gap its
neighbours do not lie on one smooth curve, which odd differences of their coordinates, and the difference of (1) to the
formula of four points, tell.
Ref: Bayo and Avello, Nonlinear Dynamics 5 (1994) 209, for the trouble; (1) is Lagrange's formula.
"""

from kaneflex.formulations.evaluate import derivative, normalise
from kaneflex.formulations.projection import project
from kaneflex.kernels.layout import (
    CLUSTERS,
    COORDINATES,
    EXPLICIT,
    MOTIONS,
    RANK_COUNT,
    RANK_DROP,
    RANK_LEAST,
    RANK_ROW,
    ROWS,
    SPEEDS,
    W_RANK,
    equation_work,
)
from kaneflex.kernels.ops import offset
from kaneflex.simulate.stepping.layout import (
    RK_BEFORE,
    RK_BEFORE_ROW,
    RK_BEFORE_T,
    RK_EARLIER,
    RK_EVALUATIONS,
    RK_FAILS,
    RK_H_TRY,
    RK_HELD,
    RK_IMPLICIT,
    RK_LAST,
    RK_LEAST,
    RK_LEAST_ROW,
    RK_LEAST_T,
    RK_LEFT,
    RK_NEAR,
    RK_NEW,
    RK_PASSED,
    RK_PASSES,
    RK_PAUSE,
    RK_RANK,
    RK_ROOM,
    RK_RTOL,
    RK_SIZE,
    RK_SPACING,
    RK_T_NEW,
    RK_USUAL,
)
from kaneflex.simulate.stepping.vectors import slot

RK_ZONE = 100_000  # one over the part of the usual share below which a position counts as singular
RK_CLOSE = 100  # the same for positions that are told of
RK_UNKNOWN = -1  # independent equations, where what was evaluated does not say


def share_here(I, W, N, C):
    """The least share of a constraint equation, over the usual one, where the last solution was; 0 where fewer equations
    than usual are independent."""
    x = I[W_RANK]
    share = 1.0
    if W[x + RANK_COUNT] < N[RK_RANK]:
        share = 0.0
    elif C[RK_USUAL] > 0.0 and W[x + RANK_COUNT] == N[RK_RANK]:
        share = W[x + RANK_LEAST] / C[RK_USUAL]
    return share


def hold(I, P, W, C, t, y, slack):
    """`project` without the equations that are nearly redundant; what it returns."""
    if I[CLUSTERS] == 0:
        return project(I, P, W, t, y, 8, 0.5, slack)
    W[I[W_RANK] + RANK_DROP] = C[RK_USUAL] / RK_ZONE
    taken = project(I, P, W, t, y, 8, 0.5, slack)
    W[I[W_RANK] + RANK_DROP] = 0.0
    return taken


def slope_at(I, P, W, N, C, S, t, y, out):
    """y' at (t, y); near a singular position from its neighbours."""
    if I[CLUSTERS] == 0 or N[RK_HELD] == 0:
        derivative(I, P, W, t, y, out)
        N[RK_EVALUATIONS] += 1
        return
    W[I[W_RANK] + RANK_COUNT] = RK_UNKNOWN
    derivative(I, P, W, t, y, out)
    N[RK_EVALUATIONS] += 1
    if W[I[W_RANK] + RANK_COUNT] == RK_UNKNOWN:
        return
    share = share_here(I, W, N, C)
    if share < C[RK_LEAST]:
        C[RK_LEAST], C[RK_LEAST_T], N[RK_LEAST_ROW] = share, t, int(W[I[W_RANK] + RANK_ROW])
    if share * RK_ZONE < 1.0:
        if N[RK_PAUSE] > 0:
            N[RK_PAUSE] -= 1
        elif bridge(I, P, W, N, C, S, t, y, out) == 1:
            N[RK_FAILS] = 0
        else:
            N[RK_FAILS] = min(N[RK_FAILS] + 1, 20)
            N[RK_PAUSE] = 1 << N[RK_FAILS]


def moves_in_time(I, W):
    """1 when motions or constraints depend on time, so that a neighbour must be taken at another time too."""
    found = 1 if I[MOTIONS] > 0 else 0
    for r in range(I[ROWS]):
        if W[equation_work(I, r) + EXPLICIT] != 0.0:
            found = 1
    return found


def neighbour(I, P, W, N, C, t, y, rates, ahead, timed, out):
    """The state beside (t, y), by a time `ahead` along its rates, projected; its share, 0 where it cannot be projected."""
    for i in range(N[RK_SIZE]):
        out[i] = y[i]
    for i in range(I[COORDINATES]):
        out[i] += ahead * rates[i]
    normalise(I, out)
    taken = project(I, P, W, t + timed * ahead, out, 8, 0.5, 0.0)
    return share_here(I, W, N, C) if taken >= 0 else 0.0


def find_spacing(I, P, W, N, C, t, y, rates, timed, scratch):
    """The time from one neighbour to the next: the first ones well off the singular position, but near. 0: there is none."""
    h = C[RK_SPACING] if C[RK_SPACING] > 0.0 else max(C[RK_H_TRY] / 16, 1e-6)
    for _ in range(40):
        share = neighbour(I, P, W, N, C, t, y, rates, h, timed, scratch)
        share = RK_ZONE * min(share, neighbour(I, P, W, N, C, t, y, rates, -h, timed, scratch))
        if share >= 4.0 and share <= 80.0:
            C[RK_SPACING] = h
            return h
        h *= 2.0 if share < 4.0 else 0.5
    return 0.0


def bridge(I, P, W, N, C, S, t, y, out):
    """Eq. (1) for the rates of speeds and quadratures in `out`; 1 when the neighbours lie on one smooth curve, else 0 and
    `out` stays as it is."""
    n, nq, nu = N[RK_SIZE], I[COORDINATES], I[SPEEDS]
    z, f, six, odd = near_vector(S, N, 0), near_vector(S, N, 1), near_vector(S, N, 2), near_vector(S, N, 3)
    timed = moves_in_time(I, W)
    h = find_spacing(I, P, W, N, C, t, y, out, timed, z)
    if h == 0.0:
        return 0
    for i in range(n):
        six[i] = 0.0
        odd[i] = 0.0
    for k in range(-3, 4):
        if k == 0:
            continue
        if neighbour(I, P, W, N, C, t, y, out, k * h, timed, z) * RK_ZONE < 2.0:
            return 0
        derivative(I, P, W, t + timed * k * h, z, f)
        N[RK_EVALUATIONS] += 1
        far, side = abs(k), 1.0 if k > 0 else -1.0
        weight = 0.75 if far == 1 else (-0.3 if far == 2 else 0.05)
        lower = 4.0 / 6.0 if far == 1 else (-1.0 / 6.0 if far == 2 else 0.0)
        difference = 5.0 if far == 1 else (-4.0 if far == 2 else 1.0)
        for i in range(nq):
            odd[i] += side * difference * z[i]
        for i in range(nq, n):
            six[i] += weight * f[i]
            odd[i] += (weight - lower) * f[i]
    largest = 0.0
    for i in range(nq, nq + nu):
        largest = max(largest, abs(six[i]))
    smooth = 1
    for i in range(nq):
        if not abs(odd[i]) <= max(1e-8, C[RK_RTOL]) * (1.0 + abs(y[i])):
            smooth = 0
    for i in range(nq, nq + nu):
        if not abs(odd[i]) <= 1e-5 * largest:
            smooth = 0
    if smooth == 1:
        for i in range(nq, n):
            out[i] = six[i]
    return smooth


def near_vector(S, N, k):
    """The k-th vector for evaluations near a singular position."""
    return offset(S, N[RK_NEAR] + k * N[RK_SIZE])


def step_planned(C):
    """A step is tried: nothing singular has been seen in it."""
    C[RK_LEAST] = 1.0


def step_held(I, P, W, N, C, S):
    """After a step's end has been projected: what is usual, singular positions that were passed, and, near one, the slope
    at the end anew: the old one is of a state beside the constraints."""
    if I[CLUSTERS] == 0:
        return
    x = I[W_RANK]
    if W[x + RANK_COUNT] > N[RK_RANK]:
        N[RK_RANK] = int(W[x + RANK_COUNT])
        C[RK_USUAL] = W[x + RANK_LEAST]
    elif W[x + RANK_COUNT] == N[RK_RANK]:
        C[RK_USUAL] = max(C[RK_USUAL], W[x + RANK_LEAST])
    share = share_here(I, W, N, C)
    if share * RK_ZONE >= 1.0:
        N[RK_FAILS] = 0
        N[RK_PAUSE] = 0
    if share * RK_CLOSE < 1.0 and N[RK_IMPLICIT] == 0:
        slope_at(I, P, W, N, C, S, C[RK_T_NEW], offset(S, N[RK_NEW]), offset(S, slot(N, N[RK_LAST])))
    if C[RK_BEFORE] * RK_CLOSE < 1.0 and C[RK_BEFORE] < C[RK_EARLIER] and C[RK_BEFORE] <= C[RK_LEAST]:
        k = N[RK_PASSES] + 3 * N[RK_PASSED]
        S[k], S[k + 1], S[k + 2] = C[RK_BEFORE_T], N[RK_BEFORE_ROW], C[RK_BEFORE] * C[RK_USUAL]
        N[RK_PASSED] += 1
        if N[RK_PASSED] == RK_ROOM:
            N[RK_LEFT] = 0
    C[RK_EARLIER] = C[RK_BEFORE]
    C[RK_BEFORE], C[RK_BEFORE_T], N[RK_BEFORE_ROW] = C[RK_LEAST], C[RK_LEAST_T], N[RK_LEAST_ROW]
