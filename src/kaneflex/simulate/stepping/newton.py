"""Newton's matrix 1 - h mu J of implicit steps.

Of large trees it holds what joints do of themselves, which costs as much as some evaluations however many bodies there are
(`formulations.tree_matrix`). Where that does not do, and of small systems, it holds all entries of the Jacobian, by
differences. Corrections are mixed (`mixing`) to make up for what the first lacks, and for what has changed since the second
was made: a few bodies that touch the ground meanwhile, say.

The coordinates come first in y and their rates q' = W(q) u have few terms: pivots of their columns are taken from their own
rows, so that eliminating them costs as much as these rows have entries, and what is left to factor is of the order of the
speeds: half of y, an eighth of the work (RADAU5's option M1, HW IV.8). The same source serves real and complex mu.
"""

from kaneflex.formulations.tree_matrix import make_tree_matrix, solve_tree_real
from kaneflex.kernels.ops import offset, sqrt
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.vectors import ask, copy_vector, scaled_norm, scaled_square, slot, weighted_sum


def magnitude(x):
    """|Re x| + |Im x|, by which pivots are compared: a root for each entry would cost as much as the elimination."""
    return abs(x.real) + abs(x.imag)


def factor_matrix(n, first, A, pivot, places):
    """A = P L U in place, by Gauss's elimination with partial pivoting; 0 when A is singular or not finite. The pivots of
    the first columns are from the first rows, in which only the entries that are not zero are worked with (`places`)."""
    for k in range(n):
        p = k
        for i in range(k + 1, first if k < first else n):
            if magnitude(A[i * n + k]) > magnitude(A[p * n + k]):
                p = i
        pivot[k] = p
        if not magnitude(A[p * n + k]) > 0.0:
            return 0
        if p != k:
            for j in range(n):
                A[k * n + j], A[p * n + j] = A[p * n + j], A[k * n + j]
        count = n
        if k < first:
            count = 0
            for j in range(k + 1, n):
                if A[k * n + j] != 0.0:
                    places[count] = j
                    count += 1
        inverse = 1.0 / A[k * n + k]
        for i in range(k + 1, n):
            m = A[i * n + k] * inverse
            A[i * n + k] = m
            if m != 0.0 and 4 * count < n - k:
                for c in range(count):
                    A[i * n + places[c]] -= m * A[k * n + places[c]]
            elif m != 0.0:
                for j in range(k + 1, n):
                    A[i * n + j] -= m * A[k * n + j]
    return 1


def solve_factored(n, A, pivot, x):
    """x = A^-1 x with the factors of `factor_matrix`."""
    for k in range(n):
        p = pivot[k]
        x[k], x[p] = x[p], x[k]
    for i in range(1, n):
        x[i] -= dot_product(i, offset(A, i * n), x)
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - dot_product(n - i - 1, offset(A, i * n + i + 1), offset(x, i + 1))) / A[i * n + i]


def dot_product(n, a, b):
    """sum a_j b_j, in four sums that need not wait for each other."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = n - n % 4
    for j in range(0, whole, 4):
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
    for j in range(whole, n):
        s0 += a[j] * b[j]
    return (s0 + s1) + (s2 + s3)


def factor_shifted(N, S, shift, A, pivot, places):
    """Factors of 1 - shift J; 0 when it is singular."""
    n = N[RK_SIZE]
    J = offset(S, N[RK_J])
    for i in range(n):
        for j in range(n):
            A[i * n + j] = -shift * J[i * n + j]
        A[i * n + i] += 1.0
    return factor_matrix(n, N[RK_COORDINATES], A, pivot, places)


def begin_jacobian(N, C, S):
    """Want the slope at (t, y) for a new Jacobian, unless the old one serves. (A diagonal method's last k is not that slope
    to rounding; a coupled one needs the slope in any case, for its error.)"""
    n = N[RK_SIZE]
    if N[RK_KIND] == RK_COUPLED and N[RK_VALID] == 0:
        N[RK_VALID] = 1
        ask(N, C, C[RK_T], N[RK_Y], slot(N, N[RK_FIRST]))
        return RK_SLOPE
    if N[RK_MATRIX] == RK_TREE:
        N[RK_PHASE] = RK_FACTOR
        if N[RK_JACOBIAN] == 0 or C[RK_H_LU] != C[RK_H_TRY]:
            copy_vector(n, offset(S, N[RK_Y]), offset(S, N[RK_POINT]))
            C[RK_POINT_T] = C[RK_T]
            new_jacobian(N, C)
        return RK_GO
    if N[RK_JACOBIAN] > 0 or N[RK_MATRIX] == RK_NONE:
        N[RK_PHASE] = RK_FACTOR
        return RK_GO
    copy_vector(n, offset(S, N[RK_Y]), offset(S, N[RK_TRY]))
    N[RK_INDEX] = 0
    N[RK_PHASE] = RK_COLUMN
    if N[RK_KIND] == RK_COUPLED or N[RK_KIND] == RK_LINEAR:
        copy_vector(n, offset(S, slot(N, N[RK_FIRST])), offset(S, N[RK_DELTA]))
        return RK_GO
    ask(N, C, C[RK_T], N[RK_Y], N[RK_DELTA])
    return RK_SLOPE


def jacobian_column(N, C, S):
    """J = df/dy by forward differences, increments sqrt(eps max(1e-5, |y_j|)) as in RADAU5 (HW IV.8), by columns. No slope
    depends on work."""
    n = N[RK_SIZE]
    y = offset(S, N[RK_Y])
    moved = offset(S, N[RK_TRY])
    j = N[RK_INDEX] - 1
    if j >= 0:
        d = moved[j] - y[j]
        for i in range(n):
            S[N[RK_J] + i * n + j] = (S[N[RK_BASE] + i] - S[N[RK_DELTA] + i]) / d
        moved[j] = y[j]
    j += 1
    if j == n - N[RK_WORKS]:
        for i in range(n):
            for k in range(j, n):
                S[N[RK_J] + i * n + k] = 0.0
        new_jacobian(N, C)
        N[RK_PHASE] = RK_FACTOR
        return RK_GO
    moved[j] = y[j] + sqrt(2.2e-16 * max(1e-5, abs(y[j])))
    N[RK_INDEX] = j + 1
    ask(N, C, C[RK_T], N[RK_TRY], N[RK_BASE])
    return RK_SLOPE


def new_jacobian(N, C):
    """There is a Jacobian of this step, and no factors yet."""
    N[RK_JACOBIAN] = 2
    N[RK_JACOBIANS] += 1
    N[RK_FACTORED] = 0
    N[RK_PAIRS] = 0
    N[RK_MIXES] = 1 if N[RK_MATRIX] == RK_TREE else 0
    C[RK_ETA] = 1.0


def new_factors(N, C):
    """Newton's matrix is to be factored for the step being tried."""
    if C[RK_H_LU] != C[RK_H_TRY]:
        C[RK_ETA] = 1.0
        N[RK_PAIRS] = 0
    C[RK_H_LU] = C[RK_H_TRY]


def factor_tree(I, P, W, N, C, T, S, X, re, im):
    """The matrix of the tree for the step being tried, for real and, if there is one, complex mu = re + i im: an evaluation,
    unless the last one was where the step begins, and loads twice more."""
    h, known = C[RK_H_TRY], 1.0 if N[RK_WORKED] == N[RK_Y] and C[RK_POINT_T] == C[RK_T] else 0.0
    make_tree_matrix(I, P, W, C[RK_POINT_T], offset(S, N[RK_POINT]), X, h * T[N[RK_GAMMA]], h * re, h * im, known)
    N[RK_WORKED] = -1
    N[RK_EVALUATIONS] += 2 if known > 0.0 else 3
    N[RK_FACTORED] = 1


def solve_newton(I, P, N, C, T, S, L, pivot, x):
    """x = (1 - h gamma J)^-1 x; x itself where nothing is solved for."""
    if N[RK_MATRIX] == RK_TREE:
        solve_tree_real(I, P, L, offset(S, N[RK_POINT]), C[RK_H_TRY] * T[N[RK_GAMMA]], x)
    elif N[RK_MATRIX] == RK_FULL:
        solve_factored(N[RK_SIZE], L, pivot, x)


def correction_norm(N, C, S, blocks, d):
    """Root of the mean square of a correction of all stages, 1 being the tolerance. With the matrix of the tree, work
    follows the state one correction later, and does not count; nor where steps are fixed."""
    n, y, square = N[RK_SIZE], offset(S, N[RK_Y]), 0.0
    follows = N[RK_MATRIX] == RK_TREE or N[RK_KIND] == RK_ALPHA
    count = min(N[RK_CHECKED], n - N[RK_WORKS]) if follows else N[RK_CHECKED]
    for b in range(blocks):
        square += scaled_square(N, C, S, count, offset(d, b * n), y, y)
    return sqrt(square / (blocks * max(1, count)))


def newton_verdict(N, C, sweep, norm, before, tolerance, most):
    """After a correction: 0 converged, 1 go on, 2 give up. Where stages are coupled and a matrix of many columns makes
    corrections go slowly, they are mixed from then on, as long as it serves. Stages one after the other each begin anew, and
    what a mixed one leaves would add up over them."""
    if sweep == 0:
        C[RK_NORM_FIRST] = norm
    if N[RK_MIXES] == 1:
        return mixed_verdict(C, sweep, norm, before, tolerance)
    verdict = plain_verdict(C, sweep, norm, before, tolerance, most)
    if N[RK_KIND] == RK_COUPLED and C[RK_RATE] * RK_SLOW > 1.0 and N[RK_SIZE] - N[RK_WORKS] >= RK_MANY:
        N[RK_MIXES] = 1
        if verdict == 2:
            verdict = 1
    return verdict


def plain_verdict(C, sweep, norm, before, tolerance, most):
    """The error left is at most rate / (1 - rate) times the correction, and should be `tolerance` after no more than `most`
    corrections (HW IV.8.10 and 8.11)."""
    if sweep > 0:
        rate = norm / before
        C[RK_RATE] = max(C[RK_RATE], rate)
        if not rate < 1.0:
            return 0 if norm <= tolerance else 2  # below the tolerance only rounding is left to iterate on
        C[RK_ETA] = rate / (1.0 - rate)
        if rate ** (most - 1 - sweep) * C[RK_ETA] * norm > tolerance:
            return 2
    return 0 if C[RK_ETA] * norm <= tolerance else 1


def mixed_verdict(C, sweep, norm, before, tolerance):
    """As `plain_verdict`, for corrections that are mixed: their rate changes, and what counts is the mean of it."""
    if sweep > 0:
        rate = norm / before
        mean = (norm / C[RK_NORM_FIRST]) ** (1.0 / sweep)
        C[RK_RATE] = max(C[RK_RATE], mean)
        slower = max(rate, mean)  # the last correction may be small by chance
        C[RK_ETA] = slower / (1.0 - slower) if slower < 0.5 else 1.0
        if sweep > 2 and not mean ** (RK_PATIENT - 1 - sweep) * norm < tolerance:
            return 0 if norm <= tolerance else 2
    return 0 if C[RK_ETA] * norm <= tolerance else 1


def expected_rate(N, C):
    """What the first correction of a stage leaves, over itself, as the stage before tells: where corrections with all
    entries are mixed that tells nothing."""
    return 1.0 if N[RK_MIXES] == 1 and N[RK_MATRIX] == RK_FULL else max(C[RK_ETA], 2.2e-16) ** 0.8


def slow_rate(N):
    """Rate of Newton's method beyond which the next step gets a matrix of its own: the more columns that has by differences,
    the slower may it be (THET of RADAU5, from 0.001 to 0.1), and slower still where corrections are mixed."""
    if N[RK_MATRIX] == RK_TREE:
        return 0.3
    if N[RK_MIXES] == 1:
        return 0.5
    return min(0.1, 0.004 * (N[RK_SIZE] - N[RK_WORKS])) if N[RK_KIND] == RK_COUPLED else 0.1


def is_looked_at(N):
    """1 when it is time to see whether the matrix of the tree serves for the error estimate."""
    return 1 if N[RK_MATRIX] == RK_TREE and N[RK_STEPS] % RK_LOOKS == 0 else 0


def begin_look(N, C, S):
    """Want the slope at y + d, d along the error's estimate in DELTA, a millionth of y or thereabouts."""
    y, e = offset(S, N[RK_Y]), offset(S, N[RK_DELTA])
    C[RK_ASIDE] = 1e-6 / max(scaled_norm(N, C, S, e, y, y) * max(C[RK_RTOL], 1e-12), 1e-290)
    for i in range(N[RK_SIZE]):
        S[N[RK_TRY] + i] = y[i] + C[RK_ASIDE] * e[i]
    ask(N, C, C[RK_T], N[RK_TRY], N[RK_BASE])
    N[RK_PHASE] = RK_WEIGH
    return RK_SLOPE


def look_on(N, C, S):
    """And at y - d."""
    for i in range(N[RK_SIZE]):
        S[N[RK_TRY] + i] = S[N[RK_Y] + i] - C[RK_ASIDE] * S[N[RK_DELTA] + i]
    ask(N, C, C[RK_T], N[RK_TRY], N[RK_SPARE])
    N[RK_PHASE] = RK_WEIGHED_UP
    return RK_SLOPE


def end_look(I, P, N, C, T, S, L, pivot):
    """Stiffness that is not in the matrix would make the estimate e too large, and steps too short: what e leaves of its own
    equation (1 - h gamma J) e = E k, once more divided by the matrix, must be small beside it."""
    n, e = N[RK_SIZE], offset(S, N[RK_DELTA])
    left, slopes = offset(S, N[RK_TRY]), offset(S, N[RK_BASE])
    weighted_sum(n, N[RK_SLOTS], offset(T, N[RK_E]), offset(S, N[RK_K]), left)
    shift = C[RK_H_TRY] * T[N[RK_GAMMA]] / (2.0 * C[RK_ASIDE])
    for i in range(n):
        left[i] += shift * (slopes[i] - S[N[RK_SPARE] + i]) - e[i]
    solve_newton(I, P, N, C, T, S, L, pivot, left)
    y = offset(S, N[RK_Y])
    large = scaled_norm(N, C, S, left, y, y) > 0.5 * scaled_norm(N, C, S, e, y, y) and C[RK_ERROR] > 0.05
    rejected = N[RK_REJECTED] - N[RK_SEEN]
    N[RK_SEEN] = N[RK_REJECTED]
    if large or 2 * rejected > RK_LOOKS:
        N[RK_DOUBT] += RK_DOUBT_LARGE
    else:
        N[RK_DOUBT] = max(0, N[RK_DOUBT] - RK_TRUST)
    return doubt(N)


def doubt(N):
    """Give up the matrix of the tree where there is much to say against it, and try the step again."""
    if N[RK_MATRIX] == RK_FULL or N[RK_DOUBT] < RK_DOUBTS:
        return RK_GO
    N[RK_MATRIX] = RK_FULL
    N[RK_JACOBIAN] = 0
    N[RK_FACTORED] = 0
    N[RK_PHASE] = RK_DIFFERENCE
    return RK_FILL
