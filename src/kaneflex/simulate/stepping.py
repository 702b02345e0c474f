# mypy: disallow-untyped-defs=False
"""The compiled step loop: explicit and diagonally implicit Runge-Kutta steps, step control, dense output, events.

A run lives in four flat arrays, all made by `Stepper`, so that it can stop after any step, be stored, and go on with
the same bits:

- `N`, integers: sizes, the places of the vectors below, counters, flags, pivots;
- `C`, reals: the clock and the constants of step control;
- `T`, reals: the method's tableau;
- `S`, reals: state, stage vectors k_j, dense output, events, Jacobian.

The loop is written by reverse communication: the kernels do not call the right-hand side. A run is in one of the phases
below; each phase has a kernel that does its work, sets the next phase, and returns RK_GO, a status, or what it wants to
know: RK_SLOPE (y' at a state) or RK_VALUES (the event functions there). Only the two entries at the end of the file
link the right-hand side, which is by far the largest piece of code: called from the step, the search for events and so
on, it would be optimised again in each of them, and the loop would take twice as long to compile.

Sources: HNW = Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993); HW = Hairer, Wanner, the same,
II (1996).
"""

from kaneflex.formulations.evaluate import derivative, event_values, normalise
from kaneflex.kernels.ops import offset, pointer, sqrt

# What a call of `advance_...` returns, see stepper.Status
RK_DONE = 0
RK_BUDGET = 1
RK_EVENT = 2
RK_STEP_TOO_SMALL = 3
RK_NOT_FINITE = 4
RK_GO = -1  # inside the loop only: to the next phase,
RK_SLOPE = -2  # the right-hand side is wanted,
RK_VALUES = -3  # the event functions are wanted

# Phases of a run
RK_BEGIN = 0  # of a call
RK_CHECK = 1  # the slope at (t, y) is there
RK_GUESS = 2  # the event functions at a start are there
RK_GUESSED = 3  # the slope after an Euler step is there
RK_PLAN = 4  # the next step
RK_RUN = 5  # explicit: the stages from INDEX to END
RK_RESULT = 6  # explicit: new state and error
RK_JUDGE = 7  # accept or reject
RK_LOOK = 8  # the event functions at the end of the step are there: is a search or a sample due?
RK_DENSE = 9  # make the dense output
RK_PROBED = 10  # event functions early in the step are there
RK_BRACKET = 11  # the next trial in the search for an event
RK_TRIED = 12  # its event functions are there
RK_FINISH = 13  # fill samples and move on
RK_DIFFERENCE = 14  # implicit: a new Jacobian?
RK_COLUMN = 15  # implicit: the slope for its next column is there
RK_FACTOR = 16  # implicit: Newton's matrix
RK_SOLVE = 17  # implicit: the next stage
RK_SWEEP = 18  # implicit: the slope for a Newton correction is there
RK_FAILED = 19  # implicit: Newton did not converge
RK_OUTCOME = 20  # implicit: error
RK_DEFECT = 21  # implicit: the slope within the dense output is there

# N: the problem and the method
RK_SIZE = 0  # length n of y
RK_CHECKED = 1  # entries of y, the first ones, whose error counts
RK_EVENTS = 2
RK_STAGES = 3
RK_SLOTS = 4  # number of stage vectors kept, see methods/contract.py
RK_FIRST = 5  # slot of the slope at the step's start
RK_LAST = 6  # slot of the slope at the step's end
RK_FSAL = 7
RK_ESTIMATES = 8  # rows of E
RK_TERMS = 9  # rows of D
RK_EXTRA = 10  # extra stages of the dense output
RK_ADAPTIVE = 11
RK_IMPLICIT = 12
# N: places in T
RK_A = 13
RK_B = 14
RK_NODES = 15
RK_E = 16
RK_D = 17
# N: places in S
RK_Y = 18
RK_NEW = 19  # y at the end of the step
RK_TRY = 20  # argument of the right-hand side
RK_K = 21  # stage vectors
RK_F = 22  # coefficients of the dense output; scratch before they are made
RK_ATOL = 23
RK_G0 = 24  # event functions at the start of the step,
RK_G1 = 25  # at its end,
RK_GX = 26  # in between
RK_SIDE = 27  # sign that each event function has, 0 when unknown
RK_DIRECTION = 28
RK_WAITING = 29  # events that happened at this instant and are not yet reported
RK_FIRED = 30  # events that happened at this instant
RK_J = 31  # implicit: Jacobian,
RK_LU = 32  # factors of 1 - h gamma J,
RK_BASE = 33  # y + h sum a_ij k_j over the stages before
RK_DELTA = 34  # Newton correction
RK_PIVOT = 35  # place in N of the pivots
# N: counters and flags
RK_STEPS = 36
RK_REJECTED = 37
RK_EVALUATIONS = 38
RK_FILLED = 39  # samples filled
RK_TIMES = 40  # samples wanted
RK_WHICH = 41  # event that happened, or -1
RK_FRESH = 42  # 1 before the first step from a start
RK_VALID = 43  # 1 when the slope at (t, y) is known
RK_SHRUNK = 44  # 1 after a rejected step
RK_BAD = 45  # 1 after a step with numbers that are not finite
RK_JACOBIAN = 46  # 0: to be made, 1: of an earlier step, 2: of this step
RK_FACTORED = 47
RK_PHASE = 48
RK_ASK_Y = 49  # place in S of the state where a slope or event functions are wanted,
RK_ASK_OUT = 50  # and of the answer
RK_LEFT = 51  # attempts left in this call
RK_INDEX = 52  # stage or column that comes next
RK_COUNT = 53  # Newton corrections, or trials in the search
RK_MOVED = 54  # search: which end of the bracket moved last
RK_SEARCH = 55  # 1: this step is searched for an event, 2: it has one
RK_END = 56  # explicit: stage before which to stop
RK_PROBE = 57  # place in T: implicit: weights of the dense output and its slope at 3/4 of the step
RK_INTS = 58

# C: the clock and step control
RK_T = 0
RK_H = 1  # step to try next
RK_H_TRY = 2  # step being tried
RK_T_NEW = 3  # its end
RK_STOP = 4
RK_RTOL = 5
RK_MAX_STEP = 6
RK_ERROR_OLD = 7  # error of the step before
RK_POWER = 8  # one over the order of the error estimate
RK_BETA = 9  # share of the step before in the PI control
RK_GROW = 10
RK_SHRINK = 11
RK_ETA = 12  # Newton: expected error over last correction
RK_RATE = 13  # Newton: slowest convergence in this step
RK_H_LU = 14  # step that the factors belong to
RK_ASK_T = 15
RK_ERROR = 16  # error of the step being tried
RK_LOW = 17  # search: no event before this part of the step,
RK_HIGH = 18  # one before this
RK_X = 19  # and the trial
RK_NORM = 20  # Newton: last correction
RK_REALS = 21


def weighted_sum(n, count, weights, K, out):
    """out = sum_j weights_j k_j."""
    for i in range(n):
        out[i] = 0.0
    for j in range(count):
        w = weights[j]
        if w != 0.0:
            k = offset(K, j * n)
            for i in range(n):
                out[i] += w * k[i]


def weighted_step(n, count, weights, h, K, y, out):
    """out = y + h sum_j weights_j k_j; the sum first, so that y is rounded once."""
    weighted_sum(n, count, weights, K, out)
    for i in range(n):
        out[i] = y[i] + h * out[i]


def copy_vector(n, x, out):
    """out = x."""
    for i in range(n):
        out[i] = x[i]


def defect(n, x):
    """0 when every entry is a finite number, else NaN."""
    total = 0.0
    for i in range(n):
        total += x[i] - x[i]
    return total


def scaled_square(N, C, S, x, y, z):
    """Sum over the checked entries of (x / (atol + rtol max(|y|, |z|)))^2."""
    atol = offset(S, N[RK_ATOL])
    rtol = C[RK_RTOL]
    total = 0.0
    for i in range(N[RK_CHECKED]):
        r = x[i] / (atol[i] + rtol * max(abs(y[i]), abs(z[i])))
        total += r * r
    return total


def scaled_norm(N, C, S, x, y, z):
    """Root of the mean of what `scaled_square` sums: 1 is the tolerance (HNW II.4.11)."""
    return sqrt(scaled_square(N, C, S, x, y, z) / max(1, N[RK_CHECKED]))


def ask(N, C, t, y, out):
    """Say where the right-hand side or the event functions are wanted: time, place of the state, place of the answer."""
    C[RK_ASK_T] = t
    N[RK_ASK_Y] = y
    N[RK_ASK_OUT] = out


def slot(N, j):
    """Place of stage vector j."""
    return N[RK_K] + j * N[RK_SIZE]


def node(N, C, T, j):
    """Time t + c_j h of stage j. Rounding must not carry it beyond the end, where an input may jump."""
    return min(C[RK_T] + T[N[RK_NODES] + j] * C[RK_H_TRY], C[RK_T_NEW])


# Explicit steps


def explicit_stage(N, C, T, S):
    """Want the next stage, k_j = f(t + c_j h, y + h sum a_jl k_l), of the step or of the dense output."""
    j = N[RK_INDEX]
    # the argument of an FSAL method's last stage is the new state
    tried = N[RK_NEW] if N[RK_FSAL] == 1 and j == N[RK_LAST] else N[RK_TRY]
    row = offset(T, N[RK_A] + j * N[RK_SLOTS])
    weighted_step(N[RK_SIZE], j, row, C[RK_H_TRY], offset(S, N[RK_K]), offset(S, N[RK_Y]), offset(S, tried))
    ask(N, C, node(N, C, T, j), tried, slot(N, j))
    N[RK_INDEX] = j + 1
    if j + 1 == N[RK_END]:
        N[RK_PHASE] = RK_RESULT if N[RK_END] == N[RK_STAGES] else RK_DENSE


def explicit_error(N, C, T, S):
    """Norm of the error estimate h E k, NaN when it is not finite. Two estimates e5, e3 are joined as
    h e5^2 / sqrt(e5^2 + e3^2 / 100), which is of order 8 (HNW II.5, DOP853)."""
    n = N[RK_SIZE]
    y = offset(S, N[RK_Y])
    new = offset(S, N[RK_NEW])
    K = offset(S, N[RK_K])
    estimate = offset(S, N[RK_F])
    if N[RK_ADAPTIVE] == 0:
        return 0.0
    weighted_sum(n, N[RK_STAGES], offset(T, N[RK_E]), K, estimate)
    square = scaled_square(N, C, S, estimate, y, new)
    if N[RK_ESTIMATES] == 2 and square > 0.0:
        weighted_sum(n, N[RK_STAGES], offset(T, N[RK_E] + N[RK_SLOTS]), K, estimate)
        square = square * square / (square + 0.01 * scaled_square(N, C, S, estimate, y, new))
    error = C[RK_H_TRY] * sqrt(square / max(1, N[RK_CHECKED]))
    return error + (error - error)


def explicit_result(I, N, C, T, S):
    """All stages are there: the new state, normalised when its error is small enough, and the slope there."""
    new = offset(S, N[RK_NEW])
    if N[RK_FSAL] == 0:
        weights = offset(T, N[RK_B])
        weighted_step(N[RK_SIZE], N[RK_STAGES], weights, C[RK_H_TRY], offset(S, N[RK_K]), offset(S, N[RK_Y]), new)
    C[RK_ERROR] = explicit_error(N, C, T, S)
    N[RK_PHASE] = RK_JUDGE
    if C[RK_ERROR] <= 1.0:
        normalise(I, new)
        # an FSAL slope was taken before normalising, which moves the state by no more than the local error
        if N[RK_FSAL] == 0:
            ask(N, C, C[RK_T_NEW], N[RK_NEW], slot(N, N[RK_LAST]))
            return RK_SLOPE
    return RK_GO


# Implicit steps


def factor_matrix(n, A, pivot):
    """A = P L U in place, by Gauss's elimination with partial pivoting; 0 when A is singular or not finite."""
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i * n + k]) > abs(A[p * n + k]):
                p = i
        pivot[k] = p
        if not abs(A[p * n + k]) > 0.0:
            return 0
        if p != k:
            for j in range(n):
                A[k * n + j], A[p * n + j] = A[p * n + j], A[k * n + j]
        for i in range(k + 1, n):
            m = A[i * n + k] / A[k * n + k]
            A[i * n + k] = m
            if m != 0.0:
                for j in range(k + 1, n):
                    A[i * n + j] -= m * A[k * n + j]
    return 1


def solve_factored(n, A, pivot, x):
    """x = A^-1 x with the factors of `factor_matrix`."""
    for k in range(n):
        p = pivot[k]
        x[k], x[p] = x[p], x[k]
    for i in range(1, n):
        for j in range(i):
            x[i] -= A[i * n + j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= A[i * n + j] * x[j]
        x[i] /= A[i * n + i]


def begin_jacobian(N, C, S):
    """Want the slope at (t, y) for a new Jacobian, unless the old one serves. (The last stage's k is not that slope to
    rounding.)"""
    if N[RK_JACOBIAN] > 0:
        N[RK_PHASE] = RK_FACTOR
        return RK_GO
    copy_vector(N[RK_SIZE], offset(S, N[RK_Y]), offset(S, N[RK_TRY]))
    N[RK_INDEX] = 0
    N[RK_PHASE] = RK_COLUMN
    ask(N, C, C[RK_T], N[RK_Y], N[RK_DELTA])
    return RK_SLOPE


def jacobian_column(N, C, S):
    """J = df/dy by forward differences, increments sqrt(eps max(1e-5, |y_j|)) as in RADAU5 (HW IV.8), by columns."""
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
    if j == n:
        N[RK_JACOBIAN] = 2
        N[RK_FACTORED] = 0
        N[RK_PHASE] = RK_FACTOR
        return RK_GO
    moved[j] = y[j] + sqrt(2.2e-16 * max(1e-5, abs(y[j])))
    N[RK_INDEX] = j + 1
    ask(N, C, C[RK_T], N[RK_TRY], N[RK_BASE])
    return RK_SLOPE


def factor_newton(N, C, T, S):
    """Factors of 1 - h gamma J for the step being tried; 0 when it is singular."""
    h = C[RK_H_TRY]
    if N[RK_FACTORED] == 1 and C[RK_H_LU] == h:
        return 1
    n = N[RK_SIZE]
    J = offset(S, N[RK_J])
    LU = offset(S, N[RK_LU])
    hg = h * T[N[RK_A]]
    for i in range(n):
        for j in range(n):
            LU[i * n + j] = -hg * J[i * n + j]
        LU[i * n + i] += 1.0
    C[RK_H_LU] = h
    C[RK_ETA] = 1.0
    N[RK_FACTORED] = factor_matrix(n, LU, offset(N, N[RK_PIVOT]))
    return N[RK_FACTORED]


def newton_verdict(C, sweep, norm, before):
    """After a correction: 0 converged, 1 go on, 2 give up. The error left is at most rate / (1 - rate) times the
    correction, and should be a hundredth of the tolerance (HW IV.8.10 and 8.11)."""
    if sweep > 0:
        rate = norm / before
        C[RK_RATE] = max(C[RK_RATE], rate)
        if not rate < 1.0:
            return 0 if norm <= 0.01 else 2  # below the tolerance only rounding is left to iterate on
        C[RK_ETA] = rate / (1.0 - rate)
        if rate ** (9 - sweep) * C[RK_ETA] * norm > 0.01:
            return 2
    return 0 if C[RK_ETA] * norm <= 0.01 else 1


def begin_stages(N, C, T, S):
    """Newton's matrix, then the first stage."""
    C[RK_ERROR] = 1e300  # what is told of a step whose stages cannot be found
    C[RK_RATE] = 0.0
    N[RK_INDEX] = 0
    N[RK_PHASE] = RK_SOLVE if factor_newton(N, C, T, S) == 1 else RK_FAILED
    return RK_GO


def implicit_stage(N, C, T, S):
    """Begin stage i, Y = base + h gamma f(t + c_i h, Y), base = y + h sum a_ij k_j; the last Y is the new state."""
    n = N[RK_SIZE]
    i = N[RK_INDEX]
    if i == N[RK_STAGES]:
        N[RK_PHASE] = RK_OUTCOME
        return RK_GO
    base = offset(S, N[RK_BASE])
    Y = offset(S, N[RK_NEW])
    guess = offset(S, slot(N, i - 1 if i > 0 else N[RK_FIRST]))
    row = offset(T, N[RK_A] + i * N[RK_SLOTS])
    weighted_step(n, i, row, C[RK_H_TRY], offset(S, N[RK_K]), offset(S, N[RK_Y]), base)
    for m in range(n):
        Y[m] = base[m] + C[RK_H_TRY] * T[N[RK_A]] * guess[m]
    C[RK_ETA] = max(C[RK_ETA], 2.2e-16) ** 0.8
    N[RK_COUNT] = 0
    N[RK_PHASE] = RK_SWEEP
    ask(N, C, node(N, C, T, i), N[RK_NEW], slot(N, i))
    return RK_SLOPE


def newton_sweep(N, C, T, S):
    """A simplified Newton correction of the stage, (1 - h gamma J) delta = base + h gamma f(Y) - Y."""
    n = N[RK_SIZE]
    i = N[RK_INDEX]
    y = offset(S, N[RK_Y])
    Y = offset(S, N[RK_NEW])
    k = offset(S, slot(N, i))
    base = offset(S, N[RK_BASE])
    delta = offset(S, N[RK_DELTA])
    hg = C[RK_H_TRY] * T[N[RK_A]]
    for m in range(n):
        delta[m] = base[m] + hg * k[m] - Y[m]
    solve_factored(n, offset(S, N[RK_LU]), offset(N, N[RK_PIVOT]), delta)
    before = C[RK_NORM]
    C[RK_NORM] = scaled_norm(N, C, S, delta, y, y)
    for m in range(n):
        Y[m] += delta[m]
    N[RK_PHASE] = RK_FAILED
    if defect(n, Y) != 0.0:
        C[RK_ERROR] = defect(n, Y)
        return RK_GO
    verdict = newton_verdict(C, N[RK_COUNT], C[RK_NORM], before)
    N[RK_COUNT] += 1
    if verdict == 1 and N[RK_COUNT] < 10:
        N[RK_PHASE] = RK_SWEEP  # same state, same place of the answer: only the state has moved
        return RK_SLOPE
    if verdict == 0:
        # from the equation, not from the right-hand side, which would enlarge what Newton left by the stiffness
        for m in range(n):
            k[m] = (Y[m] - base[m]) / hg
        N[RK_INDEX] = i + 1
        N[RK_PHASE] = RK_SOLVE
    return RK_GO


def newton_failed(N):
    """Once more with a Jacobian of this step; if it was one, the step is rejected."""
    if N[RK_JACOBIAN] == 2:
        N[RK_PHASE] = RK_JUDGE
    else:
        N[RK_JACOBIAN] = 0
        N[RK_PHASE] = RK_DIFFERENCE
    return RK_GO


def implicit_outcome(I, N, C, T, S):
    """The norm of the error (1 - h gamma J)^-1 h E k (HW IV.8.19: filtered, as the plain estimate is too large in stiff
    components), and the new state normalised. If that is small enough, the dense output is looked at."""
    n = N[RK_SIZE]
    new = offset(S, N[RK_NEW])
    estimate = offset(S, N[RK_DELTA])
    error = 0.0
    if N[RK_ADAPTIVE] == 1:
        weighted_sum(n, N[RK_STAGES], offset(T, N[RK_E]), offset(S, N[RK_K]), estimate)
        solve_factored(n, offset(S, N[RK_LU]), offset(N, N[RK_PIVOT]), estimate)
        error = C[RK_H_TRY] * scaled_norm(N, C, S, estimate, offset(S, N[RK_Y]), new)
    C[RK_ERROR] = error + (error - error)
    N[RK_PHASE] = RK_JUDGE
    if not error <= 1.0:
        return RK_GO
    normalise(I, new)
    N[RK_JACOBIAN] = 0 if C[RK_RATE] > 0.1 else 1
    if N[RK_ADAPTIVE] == 0:
        return RK_GO
    within = offset(S, N[RK_TRY])
    weighted_step(n, N[RK_SLOTS], offset(T, N[RK_PROBE]), C[RK_H_TRY], offset(S, N[RK_K]), offset(S, N[RK_Y]), within)
    ask(N, C, C[RK_T] + 0.75 * C[RK_H_TRY], N[RK_TRY], N[RK_BASE])
    N[RK_PHASE] = RK_DEFECT
    return RK_SLOPE


def dense_defect(N, C, T, S):
    """The dense output u must be as good as the step's end, which a stiff component hits however long the step is. Its
    error is estimated as (1 - h gamma J)^-1 h gamma (f(u) - u'): of order h^4 where J is small, the error itself where
    J is large."""
    n = N[RK_SIZE]
    f = offset(S, N[RK_BASE])
    estimate = offset(S, N[RK_DELTA])
    hg = C[RK_H_TRY] * T[N[RK_A]]
    weighted_sum(n, N[RK_SLOTS], offset(T, N[RK_PROBE] + N[RK_SLOTS]), offset(S, N[RK_K]), estimate)
    for i in range(n):
        estimate[i] = hg * (f[i] - estimate[i])
    solve_factored(n, offset(S, N[RK_LU]), offset(N, N[RK_PIVOT]), estimate)
    error = scaled_norm(N, C, S, estimate, offset(S, N[RK_Y]), offset(S, N[RK_NEW]))
    C[RK_ERROR] = max(C[RK_ERROR], error) + (error - error)
    N[RK_PHASE] = RK_JUDGE
    return RK_GO


# Step control


def guess_step(N, C, S):
    """After a start: sides of the events, and, unless the first step is given, an Euler step that changes y by a
    hundredth (HNW II.4, starting step, a to c)."""
    begin_events(N, S)
    N[RK_FRESH] = 0
    N[RK_PHASE] = RK_PLAN
    if C[RK_H] > 0.0:
        return RK_GO
    y = offset(S, N[RK_Y])
    slope = offset(S, slot(N, N[RK_FIRST]))
    size = scaled_norm(N, C, S, y, y, y)
    speed = scaled_norm(N, C, S, slope, y, y)
    h = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
    h = min(h, C[RK_MAX_STEP], C[RK_STOP] - C[RK_T])
    C[RK_H_TRY] = h
    for i in range(N[RK_SIZE]):
        S[N[RK_TRY] + i] = y[i] + h * slope[i]
    N[RK_PHASE] = RK_GUESSED
    ask(N, C, min(C[RK_T] + h, C[RK_STOP]), N[RK_TRY], N[RK_F])
    return RK_SLOPE


def end_guess(N, C, S):
    """The first step, from the slopes at the start and after the Euler step (HNW II.4, starting step, d to f)."""
    y = offset(S, N[RK_Y])
    slope = offset(S, slot(N, N[RK_FIRST]))
    after = offset(S, N[RK_F])
    h = C[RK_H_TRY]
    for i in range(N[RK_SIZE]):
        after[i] -= slope[i]
    most = max(scaled_norm(N, C, S, slope, y, y), scaled_norm(N, C, S, after, y, y) / h)
    guess = max(1e-6, h * 1e-3) if most <= 1e-15 else (0.01 / most) ** C[RK_POWER]
    C[RK_H] = min(100.0 * h, guess) if most - most == 0.0 else h * 1e-3
    N[RK_PHASE] = RK_PLAN
    return RK_GO


def plan_step(N, C):
    """Set the step to try: H, or what is left before STOP when that is not more than 1.01 H; or say why there is none."""
    t = C[RK_T]
    left = C[RK_STOP] - t
    if left <= 0.0:
        return RK_DONE
    h = min(C[RK_H], C[RK_MAX_STEP])
    # 16 units in the last place of t; at t = 0 it is the smallness of the number itself that ends the search
    if not h >= max(16.0 * 2.220446049250313e-16 * abs(t), 1e-290):
        return RK_NOT_FINITE if N[RK_BAD] == 1 else RK_STEP_TOO_SMALL
    if N[RK_LEFT] <= 0:
        return RK_BUDGET
    N[RK_LEFT] -= 1
    last = 1.01 * h >= left
    C[RK_H] = h
    C[RK_H_TRY] = left if last else h
    C[RK_T_NEW] = C[RK_STOP] if last else t + h
    N[RK_INDEX] = 1  # explicit: k_0 is known
    N[RK_END] = N[RK_STAGES]
    N[RK_PHASE] = RK_DIFFERENCE if N[RK_IMPLICIT] == 1 else RK_RUN
    return RK_GO


def accept_step(N, C, error):
    """1 when the step is accepted; sets the next step H by PI control (HNW II.4, HW IV.2.43):
    h 0.9 err_old^beta / err^(1/q - 0.75 beta), or, rejected, h 0.9 / err^(1/q). A step that is not finite is quartered."""
    h = C[RK_H_TRY]
    if not error <= 1.0:
        N[RK_REJECTED] += 1
        N[RK_SHRUNK] = 1
        if error != error:
            N[RK_BAD] = 1
            C[RK_H] = h * 0.25
        else:
            C[RK_H] = h * max(C[RK_SHRINK], 0.9 / error ** C[RK_POWER])
        return 0
    N[RK_STEPS] += 1
    if N[RK_ADAPTIVE] == 1:
        bounded = max(error, 1e-14)
        factor = 0.9 * C[RK_ERROR_OLD] ** C[RK_BETA] / bounded ** (C[RK_POWER] - 0.75 * C[RK_BETA])
        factor = min(C[RK_GROW], max(C[RK_SHRINK], factor))
        if N[RK_SHRUNK] == 1:
            factor = min(factor, 1.0)
        if N[RK_IMPLICIT] == 1 and factor >= 1.0 and factor <= 1.2:
            factor = 1.0  # the factors of Newton's matrix serve once more
        if h < C[RK_H]:
            C[RK_H] = max(C[RK_H], h * factor)  # the step was cut to end at STOP
        else:
            C[RK_H] = h * factor
            C[RK_ERROR_OLD] = max(error, 1e-4)
    N[RK_SHRUNK] = 0
    N[RK_BAD] = 0
    return 1


# Dense output


def dense_state(I, N, C, S, x, out):
    """The normalised state at t + x h: y + h x (F_0 + (1-x) (F_1 + x (F_2 + (1-x) (F_3 + ...)))) (HNW II.6)."""
    n = N[RK_SIZE]
    y = offset(S, N[RK_Y])
    for i in range(n):
        out[i] = 0.0
    for j in range(N[RK_TERMS] - 1, -1, -1):
        F = offset(S, N[RK_F] + j * n)
        factor = 1.0 - x if j % 2 == 1 else x
        for i in range(n):
            out[i] = (out[i] + F[i]) * factor
    for i in range(n):
        out[i] = y[i] + C[RK_H_TRY] * out[i]
    normalise(I, out)


def fill_samples(I, N, C, S, times, samples):
    """Fill the samples that are due up to T_NEW; one exactly there gets the new state itself."""
    n = N[RK_SIZE]
    while N[RK_FILLED] < N[RK_TIMES] and times[N[RK_FILLED]] <= C[RK_T_NEW]:
        t = times[N[RK_FILLED]]
        row = offset(samples, N[RK_FILLED] * n)
        if t == C[RK_T_NEW]:
            copy_vector(n, offset(S, N[RK_NEW]), row)
        else:
            dense_state(I, N, C, S, (t - C[RK_T]) / C[RK_H_TRY], row)
        N[RK_FILLED] += 1


# Events


def sign_of(x):
    """-1.0, 0.0 or 1.0."""
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)


def has_crossed(N, S, i, g):
    """1 when event function i, now g, has left the side it was on in the direction that counts."""
    side = S[N[RK_SIDE] + i]
    direction = S[N[RK_DIRECTION] + i]
    return 1 if (side < 0.0 and g >= 0.0 and direction >= 0.0) or (side > 0.0 and g <= 0.0 and direction <= 0.0) else 0


def any_crossed(N, S, g):
    """1 when some event function has crossed."""
    for i in range(N[RK_EVENTS]):
        if has_crossed(N, S, i, g[i]) == 1:
            return 1
    return 0


def begin_events(N, S):
    """Take the sides from GX at a start. One that is zero has no side yet; neither has one that happened at this very
    instant and was not moved since, for rounding decides on which side of its root the state was put."""
    for i in range(N[RK_EVENTS]):
        g = S[N[RK_GX] + i]
        same = S[N[RK_FIRED] + i] > 0.0 and abs(g) <= 2.0 * abs(S[N[RK_G0] + i])
        S[N[RK_SIDE] + i] = 0.0 if same else sign_of(g)
        S[N[RK_G0] + i] = g


def settle_sides(N, S):
    """After a step: the sides from G1; at an event also the list of what has happened."""
    g = offset(S, N[RK_G1])
    for i in range(N[RK_EVENTS]):
        S[N[RK_G0] + i] = g[i]
        if N[RK_SEARCH] == 2 and has_crossed(N, S, i, g[i]) == 1:
            S[N[RK_WAITING] + i] = 1.0
            S[N[RK_FIRED] + i] = 1.0
            S[N[RK_SIDE] + i] = -S[N[RK_SIDE] + i]  # also where g is exactly zero, lest it happen again
        elif g[i] != 0.0:
            S[N[RK_SIDE] + i] = sign_of(g[i])


def report_event(N, S):
    """Take the first event from those that happened and are not reported; RK_GO when there is none."""
    N[RK_WHICH] = -1
    for i in range(N[RK_EVENTS]):
        if S[N[RK_WAITING] + i] > 0.0:
            S[N[RK_WAITING] + i] = 0.0
            N[RK_WHICH] = i
            return RK_EVENT
    return RK_GO


def values_within(I, N, C, S, x):
    """Want the event functions at t + x h, by dense output."""
    C[RK_X] = x
    dense_state(I, N, C, S, x, offset(S, N[RK_TRY]))
    ask(N, C, C[RK_T] + x * C[RK_H_TRY], N[RK_TRY], N[RK_GX])
    return RK_VALUES


def first_secant(N, S, a, b):
    """Earliest root of the chords from (a, G0) to (b, G1) of the events that crossed before b."""
    x = b
    for i in range(N[RK_EVENTS]):
        g0 = S[N[RK_G0] + i]
        g1 = S[N[RK_G1] + i]
        if has_crossed(N, S, i, g1) == 1:
            x = min(x, a + (b - a) * abs(g0) / (abs(g0) + abs(g1) + 1e-300))
    return x


def begin_dense(I, N, C, T, S):
    """F = D k for `dense_state`; then the search for the step's first event, if one is due. A function whose side is
    unknown started at zero: see where it goes first."""
    n = N[RK_SIZE]
    for j in range(N[RK_TERMS]):
        row = offset(T, N[RK_D] + j * N[RK_SLOTS])
        weighted_sum(n, N[RK_SLOTS], row, offset(S, N[RK_K]), offset(S, N[RK_F] + j * n))
    C[RK_LOW] = 0.0
    C[RK_HIGH] = 1.0
    N[RK_COUNT] = 0
    N[RK_MOVED] = 0
    N[RK_PHASE] = RK_FINISH
    if N[RK_SEARCH] == 0:
        return RK_GO
    N[RK_PHASE] = RK_BRACKET
    for i in range(N[RK_EVENTS]):
        if S[N[RK_SIDE] + i] == 0.0:
            N[RK_PHASE] = RK_PROBED
    return values_within(I, N, C, S, 1.0 / 1024.0) if N[RK_PHASE] == RK_PROBED else RK_GO


def end_probe(N, C, S):
    """Where no known event has happened by then, the sides are those of the probe and the search begins there."""
    n = N[RK_EVENTS]
    gx = offset(S, N[RK_GX])
    if any_crossed(N, S, gx) == 1:
        C[RK_HIGH] = C[RK_X]
        copy_vector(n, gx, offset(S, N[RK_G1]))
    else:
        C[RK_LOW] = C[RK_X]
        copy_vector(n, gx, offset(S, N[RK_G0]))
        for i in range(n):
            if S[N[RK_SIDE] + i] == 0.0:
                S[N[RK_SIDE] + i] = sign_of(gx[i])
    N[RK_PHASE] = RK_BRACKET
    return RK_GO


def bracket_event(I, N, C, S):
    """Close in on the earliest crossing between LOW, where no event has happened, and HIGH, where one has. The Illinois
    method (Dowell and Jarratt, BIT 11 (1971) 168) on the earliest root of the chords, every fourth time a bisection;
    trials keep half the tolerance away from the ends, so that the bracket closes from both sides. Then the new state is
    put just after the event."""
    a = C[RK_LOW]
    b = C[RK_HIGH]
    if any_crossed(N, S, offset(S, N[RK_G1])) == 0:
        N[RK_PHASE] = RK_FINISH
        return RK_GO
    tolerance = 1e-13 * max(1.0, abs(C[RK_T]), abs(C[RK_T_NEW])) / C[RK_H_TRY]
    if b - a <= tolerance or N[RK_COUNT] == 240:
        if b < 1.0:
            dense_state(I, N, C, S, b, offset(S, N[RK_NEW]))
            C[RK_T_NEW] = min(C[RK_T_NEW], C[RK_T] + b * C[RK_H_TRY])
            N[RK_VALID] = 0
        N[RK_SEARCH] = 2
        N[RK_PHASE] = RK_FINISH
        ask(N, C, C[RK_T_NEW], N[RK_NEW], N[RK_G1])  # again, for G1 may have been halved
        return RK_VALUES
    x = first_secant(N, S, a, b) if N[RK_COUNT] % 4 < 3 else a + (b - a) / 2.0
    N[RK_COUNT] += 1
    N[RK_PHASE] = RK_TRIED
    return values_within(I, N, C, S, max(a + tolerance / 2.0, min(b - tolerance / 2.0, x)))


def end_trial(N, C, S):
    """Move the end of the bracket that the trial replaces; the value at an end that stays twice is halved (Illinois)."""
    n = N[RK_EVENTS]
    gx = offset(S, N[RK_GX])
    after = any_crossed(N, S, gx)
    moves = offset(S, N[RK_G1] if after == 1 else N[RK_G0])
    stays = offset(S, N[RK_G0] if after == 1 else N[RK_G1])
    side = 1 if after == 1 else -1
    C[RK_HIGH if after == 1 else RK_LOW] = C[RK_X]
    copy_vector(n, gx, moves)
    if N[RK_MOVED] == side:
        for i in range(n):
            stays[i] /= 2.0
    N[RK_MOVED] = side
    N[RK_PHASE] = RK_BRACKET
    return RK_GO


# The loop


def begin_call(N, C, S, times, samples):
    """What needs no step: samples at the present time, events still to be reported. Then the slope, unless known."""
    while N[RK_FILLED] < N[RK_TIMES] and times[N[RK_FILLED]] <= C[RK_T]:
        copy_vector(N[RK_SIZE], offset(S, N[RK_Y]), offset(samples, N[RK_FILLED] * N[RK_SIZE]))
        N[RK_FILLED] += 1
    status = report_event(N, S)
    if status == RK_GO and C[RK_T] >= C[RK_STOP]:
        status = RK_DONE
    N[RK_PHASE] = RK_PLAN
    if status == RK_GO and N[RK_VALID] == 0:
        N[RK_PHASE] = RK_CHECK
        ask(N, C, C[RK_T], N[RK_Y], slot(N, N[RK_FIRST]))
        status = RK_SLOPE
    return status


def check_slope(N, C, S):
    """Without finite numbers at (t, y) there is no step at all. After a start, want the event functions."""
    n = N[RK_SIZE]
    if defect(n, offset(S, N[RK_Y])) + defect(n, offset(S, slot(N, N[RK_FIRST]))) != 0.0:
        return RK_NOT_FINITE
    N[RK_VALID] = 1
    N[RK_PHASE] = RK_GUESS if N[RK_FRESH] == 1 else RK_PLAN
    ask(N, C, C[RK_T], N[RK_Y], N[RK_GX])
    return RK_VALUES if N[RK_FRESH] == 1 and N[RK_EVENTS] > 0 else RK_GO


def judge_step(N, C, S):
    """Accept the step, and want the event functions at its end, or reject it."""
    n = N[RK_SIZE]
    if C[RK_ERROR] <= 1.0:
        C[RK_ERROR] += defect(n, offset(S, N[RK_NEW])) + defect(n, offset(S, slot(N, N[RK_LAST])))
    if accept_step(N, C, C[RK_ERROR]) == 0:
        N[RK_PHASE] = RK_PLAN
        if N[RK_ADAPTIVE] == 0:
            return RK_NOT_FINITE if N[RK_BAD] == 1 else RK_STEP_TOO_SMALL
        return RK_GO
    N[RK_PHASE] = RK_LOOK
    ask(N, C, C[RK_T_NEW], N[RK_NEW], N[RK_G1])
    return RK_VALUES if N[RK_EVENTS] > 0 else RK_GO


def look_around(N, C, S, times):
    """Prepare the dense output when a sample lies within the step, an event happened, or one's side is not known."""
    N[RK_SEARCH] = any_crossed(N, S, offset(S, N[RK_G1]))
    for i in range(N[RK_EVENTS]):
        S[N[RK_FIRED] + i] = 0.0
        if S[N[RK_SIDE] + i] == 0.0:
            N[RK_SEARCH] = 1
    N[RK_PHASE] = RK_FINISH
    if N[RK_SEARCH] == 1 or (N[RK_FILLED] < N[RK_TIMES] and times[N[RK_FILLED]] < C[RK_T_NEW]):
        N[RK_INDEX] = N[RK_SLOTS] - N[RK_EXTRA]
        N[RK_END] = N[RK_SLOTS]
        N[RK_PHASE] = RK_RUN if N[RK_EXTRA] > 0 else RK_DENSE
    return RK_GO


def finish_step(I, N, C, S, times, samples):
    """Fill samples, move on, report an event."""
    n = N[RK_SIZE]
    fill_samples(I, N, C, S, times, samples)
    C[RK_T] = C[RK_T_NEW]
    copy_vector(n, offset(S, N[RK_NEW]), offset(S, N[RK_Y]))
    copy_vector(n, offset(S, slot(N, N[RK_LAST])), offset(S, slot(N, N[RK_FIRST])))
    N[RK_PHASE] = RK_PLAN
    if N[RK_EVENTS] == 0:
        return RK_GO
    settle_sides(N, S)
    return report_event(N, S)


def common_turn(I, N, C, T, S, times, samples):
    """Do what the phase says, for phases that all methods share."""
    phase = N[RK_PHASE]
    if phase == RK_PLAN:
        return plan_step(N, C)
    if phase == RK_JUDGE:
        return judge_step(N, C, S)
    if phase == RK_LOOK:
        return look_around(N, C, S, times)
    if phase == RK_FINISH:
        return finish_step(I, N, C, S, times, samples)
    if phase == RK_DENSE:
        return begin_dense(I, N, C, T, S)
    if phase == RK_PROBED:
        return end_probe(N, C, S)
    if phase == RK_BRACKET:
        return bracket_event(I, N, C, S)
    if phase == RK_TRIED:
        return end_trial(N, C, S)
    if phase == RK_CHECK:
        return check_slope(N, C, S)
    if phase == RK_GUESS:
        return guess_step(N, C, S)
    if phase == RK_GUESSED:
        return end_guess(N, C, S)
    return begin_call(N, C, S, times, samples)


def advance_explicit(ints, reals, work, counts, clock, tableau, store, times, samples):
    """Step an explicit method until there is something to report: the status."""
    I, P, W = pointer(ints), pointer(reals), pointer(work)
    N, C, T, S = pointer(counts), pointer(clock), pointer(tableau), pointer(store)
    at, rows = pointer(times), pointer(samples)
    N[RK_PHASE] = RK_BEGIN
    status = RK_GO
    while status < 0:
        phase = N[RK_PHASE]
        if phase == RK_RUN:
            explicit_stage(N, C, T, S)
            status = RK_SLOPE
        elif phase == RK_RESULT:
            status = explicit_result(I, N, C, T, S)
        else:
            status = common_turn(I, N, C, T, S, at, rows)
        if status == RK_SLOPE:
            derivative(I, P, W, C[RK_ASK_T], offset(S, N[RK_ASK_Y]), offset(S, N[RK_ASK_OUT]))
            N[RK_EVALUATIONS] += 1
        elif status == RK_VALUES:
            event_values(I, P, W, C[RK_ASK_T], offset(S, N[RK_ASK_Y]), offset(S, N[RK_ASK_OUT]))
    return status


def implicit_turn(I, N, C, T, S):
    """Do what the phase says, for phases of an implicit step."""
    phase = N[RK_PHASE]
    if phase == RK_SWEEP:
        return newton_sweep(N, C, T, S)
    if phase == RK_SOLVE:
        return implicit_stage(N, C, T, S)
    if phase == RK_OUTCOME:
        return implicit_outcome(I, N, C, T, S)
    if phase == RK_DEFECT:
        return dense_defect(N, C, T, S)
    if phase == RK_DIFFERENCE:
        return begin_jacobian(N, C, S)
    if phase == RK_COLUMN:
        return jacobian_column(N, C, S)
    if phase == RK_FACTOR:
        return begin_stages(N, C, T, S)
    return newton_failed(N)


def advance_implicit(ints, reals, work, counts, clock, tableau, store, times, samples):
    """Step a diagonally implicit method, as `advance_explicit` does."""
    I, P, W = pointer(ints), pointer(reals), pointer(work)
    N, C, T, S = pointer(counts), pointer(clock), pointer(tableau), pointer(store)
    at, rows = pointer(times), pointer(samples)
    N[RK_PHASE] = RK_BEGIN
    status = RK_GO
    while status < 0:
        if N[RK_PHASE] >= RK_DIFFERENCE:
            status = implicit_turn(I, N, C, T, S)
        else:
            status = common_turn(I, N, C, T, S, at, rows)
        if status == RK_SLOPE:
            derivative(I, P, W, C[RK_ASK_T], offset(S, N[RK_ASK_Y]), offset(S, N[RK_ASK_OUT]))
            N[RK_EVALUATIONS] += 1
        elif status == RK_VALUES:
            event_values(I, P, W, C[RK_ASK_T], offset(S, N[RK_ASK_Y]), offset(S, N[RK_ASK_OUT]))
    return status
