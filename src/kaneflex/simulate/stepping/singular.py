"""Through singular positions, where constraint equations that are independent elsewhere follow from one another.

Where branches of the configurations cross, an equation is, but for smooth factors, s n = 0: s along the branch of the
motion, n across it. Kane's equations ask there for n'' = -(2 s' n' + s'' n)/s. On the branch, n = 0, the accelerations are
smooth; beside it any error of n grows without bound as s goes to zero, and at s = 0 nothing holds n at all. What is left of
an equation after the others, its share, is of the order of s^2. So where the least share is below a small part, 1/RK_ZONE
or less, of the usual one,

- u-dot is interpolated, with s the variable, from eight neighbours farther off, before and behind, that are moved along
  the rates by multiples of a spacing and projected, which sets n = 0:

    f(0) = (56 (f_1 + f_-1) - 28 (f_2 + f_-2) + 8 (f_3 + f_-3) - f_4 - f_-4)/70 + O(spacing^8) ,                   (1)

- the states themselves are projected onto the other equations only: corrections of n of the order of defect/s would throw
  them onto another branch.

A mechanism that misses a singular position by little turns sharply there, and is integrated as it is: what lies between
its neighbours, interpolated in the same way, does not satisfy the constraints. Where (1) differs from the formula of six
points, the part is made smaller. An equation whose usual share is below 1/RK_SLIGHT is redundant but for small deflections
(the loop of a plane mechanism with flexible links, closed in space): it passes no branches, and none of this concerns it.
Ref: Bayo and Avello, Nonlinear Dynamics 5 (1994) 209, for the trouble; (1) is Lagrange's formula.
"""

from kaneflex.formulations.evaluate import derivative, normalise
from kaneflex.formulations.projection import branches_meet, moves_in_time, project
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import offset
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.vectors import slot

RK_SLIGHT = 100000  # one over the usual share of an equation that is hardly independent anywhere
RK_CLOSE = 100  # one over the part of the usual share below which a position is told of
RK_PATIENCE = 16  # evaluations in a row that may fail to be made from neighbours, before it is tried less often


def share_here(I, W, N, C):
    """The least share of a constraint equation, over the usual one, where the last solution was; 0 where fewer equations
    than usual are independent."""
    x = I[W_RANK]
    share = 1.0
    if C[RK_USUAL] * RK_SLIGHT > 1.0 and W[x + RANK_COUNT] < N[RK_RANK]:
        share = 0.0
    elif C[RK_USUAL] * RK_SLIGHT > 1.0 and W[x + RANK_COUNT] == N[RK_RANK]:
        share = W[x + RANK_LEAST] / C[RK_USUAL]
    return share


def hold(I, P, W, N, C, t, y, slack):
    """`project`, near a singular position without the equations that are nearly redundant, and to the last digit where some
    are less so; what it returns."""
    if N[RK_TIED] == 0 or C[RK_LEAST] * RK_CLOSE >= 1.0:
        return project(I, P, W, t, y, 8, 0.5, slack)
    W[I[W_RANK] + RANK_DROP] = C[RK_REACH] * C[RK_USUAL] if N[RK_FAILS] == 0 else 0.0
    taken = project(I, P, W, t, y, 8, 0.5, slack)
    if taken >= 0 and share_here(I, W, N, C) * RK_CLOSE < 1.0:
        project(I, P, W, t, y, 8, 0.5, 1e-12)  # n left over would make n' of n/s
    W[I[W_RANK] + RANK_DROP] = 0.0
    return taken


def hold_sample(I, P, W, N, C, S, t, y):
    """`project` for a sample, which nothing depends on: onto all equations, unless that turns the speeds onto another
    branch."""
    if N[RK_TIED] == 0:
        project(I, P, W, t, y, 8, 0.5, 0.0)
        return
    n, before = N[RK_SIZE], near_vector(S, N, 0)
    for i in range(n):
        before[i] = y[i]
    taken = project(I, P, W, t, y, 8, 0.5, 0.0)
    if N[RK_FAILS] == 0 and share_here(I, W, N, C) < C[RK_REACH]:
        fastest, turned = 1.0, 0.0
        for i in range(I[COORDINATES], I[COORDINATES] + I[SPEEDS]):
            fastest = max(fastest, abs(before[i]))
            turned = max(turned, abs(y[i] - before[i]))
        if taken < 0 or not turned <= 0.1 * fastest:
            for i in range(n):
                y[i] = before[i]
            hold(I, P, W, N, C, t, y, 1e-12)


def slope_at(I, P, W, N, C, S, t, y, out):
    """y' at (t, y); near a singular position from its neighbours."""
    derivative(I, P, W, t, y, out)
    N[RK_EVALUATIONS] += 1
    if N[RK_TIED] == 1:
        mind_singular(I, P, W, N, C, S, t, y, out)


def mind_singular(I, P, W, N, C, S, t, y, out):
    """After y' has been found at (t, y), with what it says of the equations in W: note how independent they are, and where
    they hardly are take y' from its neighbours."""
    share = share_here(I, W, N, C)
    if share < C[RK_LEAST]:
        C[RK_LEAST], C[RK_LEAST_T], N[RK_LEAST_ROW] = share, t, int(W[I[W_RANK] + RANK_ROW])
    if share < C[RK_REACH]:
        if N[RK_PAUSE] > 0:
            N[RK_PAUSE] -= 1
        else:
            slope_from_neighbours(I, P, W, N, C, S, t, y, out, share)


def slope_from_neighbours(I, P, W, N, C, S, t, y, out, share):
    """Eq. (1), with neighbours so near that they lie on a smooth curve; as it is where there are none or none are needed."""
    while share < C[RK_REACH]:
        if bridge(I, P, W, N, C, S, t, y, out) == 1:
            N[RK_FAILS] = 0
            return
        if C[RK_REACH] * RK_CORE <= 1.0:
            N[RK_FAILS] = min(N[RK_FAILS] + 1, 2 * RK_PATIENCE)
            N[RK_PAUSE] = (1 << max(0, N[RK_FAILS] - RK_PATIENCE)) - 1
            return
        C[RK_REACH] *= 0.25
        C[RK_APART] *= 0.5


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
    h = C[RK_APART] if C[RK_APART] > 0.0 else max(C[RK_H_TRY] / 16, 1e-6)
    for _ in range(60):
        share = neighbour(I, P, W, N, C, t, y, rates, h, timed, scratch)
        share = min(share, neighbour(I, P, W, N, C, t, y, rates, -h, timed, scratch)) / C[RK_REACH]
        if share >= 4.0 and share <= 16.0:
            C[RK_APART] = h
            return h
        h *= 1.4 if share < 4.0 else 0.7
    return 0.0


def bridge(I, P, W, N, C, S, t, y, out):
    """Eq. (1) for the rates of speeds and quadratures in `out`; 1 when the neighbours lie on one smooth curve, else 0 and
    `out` stays as it is."""
    n, nq = N[RK_SIZE], I[COORDINATES]
    z, f, mean, other = near_vector(S, N, 0), near_vector(S, N, 1), near_vector(S, N, 2), near_vector(S, N, 3)
    timed = moves_in_time(I, W)
    h = find_spacing(I, P, W, N, C, t, y, out, timed, z)
    if h == 0.0:
        return 0
    for i in range(n):
        mean[i] = 0.0
        other[i] = 0.0
    for k in range(-4, 5):
        if k == 0:
            continue
        if neighbour(I, P, W, N, C, t, y, out, k * h, timed, z) < 2.0 * C[RK_REACH]:
            return 0
        derivative(I, P, W, t + timed * k * h, z, f)
        N[RK_EVALUATIONS] += 1
        eight, six = weights(abs(k))
        for i in range(nq):
            mean[i] += eight * z[i]
        for i in range(nq, n):
            mean[i] += eight * f[i]
            other[i] += six * f[i]
    if is_smooth(I, P, W, t, mean, other) == 0:
        return 0
    for i in range(nq, n):
        out[i] = mean[i]
    return 1


def is_smooth(I, P, W, t, mean, other):
    """1 when the coordinates between the neighbours, in `mean`, satisfy the constraints, and six points give the rates that
    eight do."""
    nq, largest, apart = I[COORDINATES], 0.0, 0.0
    for i in range(nq, nq + I[SPEEDS]):
        largest = max(largest, abs(mean[i]))
        apart = max(apart, abs(mean[i] - other[i]))
    if not apart <= 1e-6 * largest:
        return 0
    normalise(I, mean)
    return branches_meet(I, P, W, t, mean)


def weights(far):
    """Of the neighbour that is `far` spacings away: in (1) and in the formula of six points."""
    if far == 1:
        return 0.8, 0.75
    if far == 2:
        return -0.4, -0.3
    if far == 3:
        return 8.0 / 70.0, 0.05
    return -1.0 / 70.0, 0.0


def near_vector(S, N, k):
    """The k-th vector for evaluations near a singular position."""
    return offset(S, N[RK_NEIGHBOURS] + k * N[RK_SIZE])


def step_planned(C):
    """A step is tried: nothing singular has been seen in it."""
    C[RK_LEAST] = 1.0


def step_held(I, P, W, N, C, S):
    """After a step's end has been projected: what is usual, singular positions that were passed, and, near one, the slope
    at the end anew: the old one is of a state beside the constraints."""
    if N[RK_TIED] == 0:
        return
    x = I[W_RANK]
    if W[x + RANK_COUNT] > N[RK_RANK] and W[x + RANK_LEAST] * RK_SLIGHT > 1.0:
        N[RK_RANK] = int(W[x + RANK_COUNT])
        C[RK_USUAL] = W[x + RANK_LEAST]
    elif W[x + RANK_COUNT] == N[RK_RANK]:
        C[RK_USUAL] = max(C[RK_USUAL], W[x + RANK_LEAST])
    share = share_here(I, W, N, C)
    if share * RK_CLOSE >= 1.0:
        N[RK_FAILS] = 0
        N[RK_PAUSE] = 0
        C[RK_REACH] = 1.0 / RK_ZONE
    if share * RK_CLOSE < 1.0 and (N[RK_IMPLICIT] == 0 or N[RK_KIND] == RK_ALPHA):
        slope_at(I, P, W, N, C, S, C[RK_T_NEW], offset(S, N[RK_NEW]), offset(S, slot(N, N[RK_LAST])))
    if C[RK_BEFORE] * RK_CLOSE < 1.0 and C[RK_BEFORE] < C[RK_EARLIER] and C[RK_BEFORE] <= C[RK_LEAST]:
        k = N[RK_PASSES] + 3 * N[RK_PASSED]
        S[k], S[k + 1], S[k + 2] = C[RK_BEFORE_T], N[RK_BEFORE_ROW], C[RK_BEFORE] * C[RK_USUAL]
        N[RK_PASSED] += 1
        if N[RK_PASSED] == RK_ROOM:
            N[RK_LEFT] = 0
    C[RK_EARLIER] = C[RK_BEFORE]
    C[RK_BEFORE], C[RK_BEFORE_T], N[RK_BEFORE_ROW] = C[RK_LEAST], C[RK_LEAST_T], N[RK_LEAST_ROW]
