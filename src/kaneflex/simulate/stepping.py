# mypy: disallow-untyped-defs=False
"""The compiled step loop: explicit and diagonally implicit Runge-Kutta steps, step control, dense output, events.

A run lives in four flat arrays, all made by `Stepper`, so that it can stop after any step, be stored, and go on with
the same bits:

- `N`, integers: sizes, the places of the vectors below, counters, flags, pivots;
- `C`, reals: the clock and the constants of step control;
- `T`, reals: the method's tableau;
- `S`, reals: state, stage vectors k_j, dense output, events, Jacobian.

The right-hand side is reached by the bare names `derivative`, `event_values` and `normalise`. Few kernels here call
`derivative`, for each that does costs compile time in proportion to the right-hand side's size.

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
RK_GO = -1  # inside the loop only: nothing to report

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
RK_INTS = 48

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
RK_REALS = 15


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


# Explicit steps


def explicit_stages(I, P, W, N, C, T, S, begin, end):
    """k_j = f(t + c_j h, y + h sum a_jl k_l) for the stages from `begin` to before `end`."""
    n = N[RK_SIZE]
    t = C[RK_T]
    h = C[RK_H_TRY]
    K = offset(S, N[RK_K])
    for j in range(begin, end):
        # the argument of an FSAL method's last stage is the new state
        tried = offset(S, N[RK_NEW] if N[RK_FSAL] == 1 and j == N[RK_LAST] else N[RK_TRY])
        weighted_step(n, j, offset(T, N[RK_A] + j * N[RK_SLOTS]), h, K, offset(S, N[RK_Y]), tried)
        # rounding must not carry t beyond the end, where an input may jump
        derivative(I, P, W, min(t + T[N[RK_NODES] + j] * h, C[RK_T_NEW]), tried, offset(K, j * n))
    N[RK_EVALUATIONS] += end - begin


def explicit_error(N, C, T, S):
    """Norm of the error estimate h E k, NaN when the step is not finite. Two estimates e5, e3 are joined as
    h e5^2 / sqrt(e5^2 + e3^2 / 100), which is of order 8 (HNW II.5, DOP853)."""
    n = N[RK_SIZE]
    y = offset(S, N[RK_Y])
    new = offset(S, N[RK_NEW])
    K = offset(S, N[RK_K])
    estimate = offset(S, N[RK_F])
    if N[RK_ADAPTIVE] == 0:
        return defect(n, new)
    weighted_sum(n, N[RK_STAGES], offset(T, N[RK_E]), K, estimate)
    square = scaled_square(N, C, S, estimate, y, new)
    if N[RK_ESTIMATES] == 2 and square > 0.0:
        weighted_sum(n, N[RK_STAGES], offset(T, N[RK_E] + N[RK_SLOTS]), K, estimate)
        square = square * square / (square + 0.01 * scaled_square(N, C, S, estimate, y, new))
    error = C[RK_H_TRY] * sqrt(square / max(1, N[RK_CHECKED]))
    return error + (error - error) + defect(n, new)


def explicit_attempt(I, P, W, N, C, T, S):
    """One step of size H_TRY from (t, y): the new state, normalised, the slope there, and the error's norm."""
    n = N[RK_SIZE]
    new = offset(S, N[RK_NEW])
    K = offset(S, N[RK_K])
    explicit_stages(I, P, W, N, C, T, S, 1, N[RK_STAGES])
    if N[RK_FSAL] == 0:
        weighted_step(n, N[RK_STAGES], offset(T, N[RK_B]), C[RK_H_TRY], K, offset(S, N[RK_Y]), new)
    error = explicit_error(N, C, T, S)
    if error <= 1.0:
        normalise(I, new)
        slope = offset(K, N[RK_LAST] * n)
        # an FSAL slope was taken before normalising, which moves the state by no more than the local error
        if N[RK_FSAL] == 0:
            derivative(I, P, W, C[RK_T_NEW], new, slope)
            N[RK_EVALUATIONS] += 1
        error += defect(n, slope)
    return error


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


def difference_jacobian(I, P, W, N, C, S):
    """J = df/dy at (t, y) by forward differences, increments sqrt(eps max(1e-5, |y_j|)) as in RADAU5 (HW IV.8)."""
    n = N[RK_SIZE]
    t = C[RK_T]
    y = offset(S, N[RK_Y])
    moved = offset(S, N[RK_TRY])
    here = offset(S, N[RK_DELTA])
    there = offset(S, N[RK_BASE])
    J = offset(S, N[RK_J])
    derivative(I, P, W, t, y, here)
    copy_vector(n, y, moved)
    for j in range(n):
        moved[j] = y[j] + sqrt(2.2e-16 * max(1e-5, abs(y[j])))
        derivative(I, P, W, t, moved, there)
        d = moved[j] - y[j]
        for i in range(n):
            J[i * n + j] = (there[i] - here[i]) / d
        moved[j] = y[j]
    N[RK_EVALUATIONS] += n + 1
    N[RK_JACOBIAN] = 2
    N[RK_FACTORED] = 0


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


def newton_judgement(C, sweep, norm, before):
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


def implicit_stages(I, P, W, N, C, T, S):
    """k_i = f(t + c_i h, Y_i), Y_i = y + h sum a_ij k_j, by simplified Newton iterations; the last Y_i is the new
    state. 0 when all converged, NaN when not finite, else 1e300."""
    n = N[RK_SIZE]
    h = C[RK_H_TRY]
    y = offset(S, N[RK_Y])
    Y = offset(S, N[RK_NEW])
    K = offset(S, N[RK_K])
    base = offset(S, N[RK_BASE])
    delta = offset(S, N[RK_DELTA])
    hg = h * T[N[RK_A]]
    C[RK_RATE] = 0.0
    for i in range(N[RK_STAGES]):
        k = offset(K, i * n)
        guess = offset(K, (i - 1 if i > 0 else N[RK_FIRST]) * n)
        weighted_step(n, i, offset(T, N[RK_A] + i * N[RK_SLOTS]), h, K, y, base)
        for m in range(n):
            Y[m] = base[m] + hg * guess[m]
        C[RK_ETA] = max(C[RK_ETA], 2.2e-16) ** 0.8
        norm = 0.0
        todo = 1
        for sweep in range(10):
            derivative(I, P, W, min(C[RK_T] + T[N[RK_NODES] + i] * h, C[RK_T_NEW]), Y, k)
            N[RK_EVALUATIONS] += 1
            for m in range(n):
                delta[m] = base[m] + hg * k[m] - Y[m]
            solve_factored(n, offset(S, N[RK_LU]), offset(N, N[RK_PIVOT]), delta)
            before = norm
            norm = scaled_norm(N, C, S, delta, y, y)
            for m in range(n):
                Y[m] += delta[m]
            if defect(n, Y) != 0.0:
                return defect(n, Y)
            todo = newton_judgement(C, sweep, norm, before)
            if todo != 1:
                break
        if todo != 0:
            return 1e300
        # from the equation, not from the right-hand side, which would enlarge what Newton left by the stiffness
        for m in range(n):
            k[m] = (Y[m] - base[m]) / hg
    return 0.0


def implicit_attempt(I, P, W, N, C, T, S):
    """One diagonally implicit step: the new state, normalised, and the norm of the error (1 - h gamma J)^-1 h E k
    (HW IV.8.19: filtered, as the plain estimate is too large in stiff components)."""
    n = N[RK_SIZE]
    new = offset(S, N[RK_NEW])
    estimate = offset(S, N[RK_DELTA])
    for _ in range(2):
        if N[RK_JACOBIAN] == 0:
            difference_jacobian(I, P, W, N, C, S)
        error = 1e300
        if factor_newton(N, C, T, S) == 1:
            error = implicit_stages(I, P, W, N, C, T, S)
        if error == 0.0 or N[RK_JACOBIAN] == 2:
            break
        N[RK_JACOBIAN] = 0  # it failed with a Jacobian of an earlier step: once more with one of this step
    if error != 0.0:
        return error
    if N[RK_ADAPTIVE] == 1:
        weighted_sum(n, N[RK_STAGES], offset(T, N[RK_E]), offset(S, N[RK_K]), estimate)
        solve_factored(n, offset(S, N[RK_LU]), offset(N, N[RK_PIVOT]), estimate)
        error = C[RK_H_TRY] * scaled_norm(N, C, S, estimate, offset(S, N[RK_Y]), new)
    if error <= 1.0:
        normalise(I, new)
        N[RK_JACOBIAN] = 0 if C[RK_RATE] > 0.1 else 1
    return error + (error - error) + defect(n, new)


# Step control


def starting_guess(N, C, S, slope):
    """A step that changes y by a hundredth (HNW II.4, starting step, a to c)."""
    y = offset(S, N[RK_Y])
    size = scaled_norm(N, C, S, y, y, y)
    speed = scaled_norm(N, C, S, slope, y, y)
    h = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
    return min(h, C[RK_MAX_STEP], C[RK_STOP] - C[RK_T])


def starting_step(N, C, S, slope, after, h):
    """The first step, from the slopes at the start and after an Euler step h (HNW II.4, starting step, d to f)."""
    n = N[RK_SIZE]
    y = offset(S, N[RK_Y])
    speed = scaled_norm(N, C, S, slope, y, y)
    for i in range(n):
        after[i] -= slope[i]
    bend = scaled_norm(N, C, S, after, y, y) / h
    most = max(speed, bend)
    if most - most != 0.0:
        return h * 1e-3
    guess = max(1e-6, h * 1e-3) if most <= 1e-15 else (0.01 / most) ** C[RK_POWER]
    return min(100.0 * h, guess)


def plan_step(N, C):
    """Set the step to try: H, or what is left before STOP when that is not more than 1.01 H. Returns RK_GO, or why
    there is none."""
    t = C[RK_T]
    left = C[RK_STOP] - t
    if left <= 0.0:
        return RK_DONE
    h = min(C[RK_H], C[RK_MAX_STEP])
    # 16 units in the last place of t; at t = 0 it is the smallness of the number itself that ends the search
    if not h >= max(16.0 * 2.220446049250313e-16 * abs(t), 1e-290):
        return RK_NOT_FINITE if N[RK_BAD] == 1 else RK_STEP_TOO_SMALL
    C[RK_H] = h
    if 1.01 * h >= left:
        C[RK_H_TRY] = left
        C[RK_T_NEW] = C[RK_STOP]
    else:
        C[RK_H_TRY] = h
        C[RK_T_NEW] = t + h
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


def dense_coefficients(N, T, S):
    """F = D k, for `dense_state`."""
    n = N[RK_SIZE]
    for j in range(N[RK_TERMS]):
        weighted_sum(n, N[RK_SLOTS], offset(T, N[RK_D] + j * N[RK_SLOTS]), offset(S, N[RK_K]), offset(S, N[RK_F] + j * n))


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


def begin_events(N, S, g):
    """Take the sides from g at a start. One that is zero has no side yet; neither has one that happened at this very
    instant and was not moved since, for rounding decides on which side of its root the state was put."""
    before = offset(S, N[RK_G0])
    for i in range(N[RK_EVENTS]):
        same = S[N[RK_FIRED] + i] > 0.0 and abs(g[i]) <= 2.0 * abs(before[i])
        S[N[RK_SIDE] + i] = 0.0 if same else sign_of(g[i])
        before[i] = g[i]


def settle_sides(N, S, fired):
    """After a step or at an event: the sides from G1, and with fired=1 the list of what has happened."""
    g = offset(S, N[RK_G1])
    for i in range(N[RK_EVENTS]):
        if fired == 1 and has_crossed(N, S, i, g[i]) == 1:
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


def event_due(N, S):
    """1 when the step just taken has to be searched: an event crossed, or its side is not known yet."""
    due = any_crossed(N, S, offset(S, N[RK_G1]))
    for i in range(N[RK_EVENTS]):
        S[N[RK_FIRED] + i] = 0.0
        if S[N[RK_SIDE] + i] == 0.0:
            due = 1
    return due


def events_within(I, P, W, N, C, S, x):
    """GX = event functions at t + x h, by dense output."""
    tried = offset(S, N[RK_TRY])
    dense_state(I, N, C, S, x, tried)
    event_values(I, P, W, C[RK_T] + x * C[RK_H_TRY], tried, offset(S, N[RK_GX]))


def first_secant(N, S, a, b):
    """Earliest root of the chords from (a, G0) to (b, G1) of the events that crossed before b."""
    x = b
    for i in range(N[RK_EVENTS]):
        g0 = S[N[RK_G0] + i]
        g1 = S[N[RK_G1] + i]
        if has_crossed(N, S, i, g1) == 1:
            x = min(x, a + (b - a) * abs(g0) / (abs(g0) + abs(g1) + 1e-300))
    return x


def bracket_event(I, P, W, N, C, S, a, b):
    """The earliest crossing between a, where no event has crossed, and b, where one has: the place just after it. The
    Illinois method (Dowell and Jarratt, BIT 11 (1971) 168) on the earliest chord root, every fourth time a bisection;
    trial points keep half the tolerance away from the ends, so that the bracket closes from both sides."""
    n = N[RK_EVENTS]
    g0 = offset(S, N[RK_G0])
    g1 = offset(S, N[RK_G1])
    gx = offset(S, N[RK_GX])
    tolerance = 1e-13 * max(1.0, abs(C[RK_T]), abs(C[RK_T_NEW])) / C[RK_H_TRY]
    moved = 0
    for trial in range(240):
        if b - a <= tolerance:
            break
        x = first_secant(N, S, a, b) if trial % 4 < 3 else a + (b - a) / 2.0
        x = max(a + tolerance / 2.0, min(b - tolerance / 2.0, x))
        events_within(I, P, W, N, C, S, x)
        if any_crossed(N, S, gx) == 1:
            b = x
            copy_vector(n, gx, g1)
            if moved == 1:
                for i in range(n):
                    g0[i] /= 2.0
            moved = 1
        else:
            a = x
            copy_vector(n, gx, g0)
            if moved == -1:
                for i in range(n):
                    g1[i] /= 2.0
            moved = -1
    return b


def search_step(I, P, W, N, C, S):
    """Search the step for its first event and put the new state just after it; 1 when there is one."""
    n = N[RK_EVENTS]
    a = 0.0
    b = 1.0
    unknown = 0
    for i in range(n):
        if S[N[RK_SIDE] + i] == 0.0:
            unknown = 1
    if unknown == 1:  # a function that started at zero: see where it went first
        early = 1.0 / 1024.0
        events_within(I, P, W, N, C, S, early)
        if any_crossed(N, S, offset(S, N[RK_GX])) == 1:
            b = early
            copy_vector(n, offset(S, N[RK_GX]), offset(S, N[RK_G1]))
        else:
            a = early
            copy_vector(n, offset(S, N[RK_GX]), offset(S, N[RK_G0]))
            for i in range(n):
                if S[N[RK_SIDE] + i] == 0.0:
                    S[N[RK_SIDE] + i] = sign_of(S[N[RK_GX] + i])
    if any_crossed(N, S, offset(S, N[RK_G1])) == 0:
        return 0
    b = bracket_event(I, P, W, N, C, S, a, b)
    if b < 1.0:
        dense_state(I, N, C, S, b, offset(S, N[RK_NEW]))
        C[RK_T_NEW] = min(C[RK_T_NEW], C[RK_T] + b * C[RK_H_TRY])
        N[RK_VALID] = 0
    # once more, for the chords' values may have been halved
    event_values(I, P, W, C[RK_T_NEW], offset(S, N[RK_NEW]), offset(S, N[RK_G1]))
    return 1


# The loop


def prepare_run(I, P, W, N, C, S):
    """Before the first step of a call: the slope at (t, y), the sides of the events, the first step, unless known."""
    n = N[RK_SIZE]
    y = offset(S, N[RK_Y])
    slope = offset(S, N[RK_K] + N[RK_FIRST] * n)
    if N[RK_VALID] == 0:
        derivative(I, P, W, C[RK_T], y, slope)
        N[RK_EVALUATIONS] += 1
        if defect(n, y) + defect(n, slope) != 0.0:
            return RK_NOT_FINITE
        N[RK_VALID] = 1
    if N[RK_FRESH] == 1:
        if N[RK_EVENTS] > 0:
            event_values(I, P, W, C[RK_T], y, offset(S, N[RK_GX]))
            begin_events(N, S, offset(S, N[RK_GX]))
        if not C[RK_H] > 0.0:
            h = starting_guess(N, C, S, slope)
            tried = offset(S, N[RK_TRY])
            after = offset(S, N[RK_F])
            for i in range(n):
                tried[i] = y[i] + h * slope[i]
            derivative(I, P, W, min(C[RK_T] + h, C[RK_STOP]), tried, after)
            N[RK_EVALUATIONS] += 1
            C[RK_H] = starting_step(N, C, S, slope, after, h)
        N[RK_FRESH] = 0
    return RK_GO


def begin_call(I, N, C, S, times, samples):
    """What needs no step: samples at the present time, events that are still to be reported."""
    C[RK_T_NEW] = C[RK_T]
    copy_vector(N[RK_SIZE], offset(S, N[RK_Y]), offset(S, N[RK_NEW]))
    fill_samples(I, N, C, S, times, samples)
    status = report_event(N, S)
    if status == RK_GO and C[RK_T] >= C[RK_STOP]:
        status = RK_DONE
    return status


def finish_step(I, P, W, N, C, T, S, times, samples):
    """After an accepted step: look for events, fill samples, move on. Returns RK_GO or RK_EVENT."""
    n = N[RK_SIZE]
    search = 0
    fired = 0
    if N[RK_EVENTS] > 0:
        event_values(I, P, W, C[RK_T_NEW], offset(S, N[RK_NEW]), offset(S, N[RK_G1]))
        search = event_due(N, S)
    if search == 1 or (N[RK_FILLED] < N[RK_TIMES] and times[N[RK_FILLED]] < C[RK_T_NEW]):
        if N[RK_EXTRA] > 0:
            explicit_stages(I, P, W, N, C, T, S, N[RK_SLOTS] - N[RK_EXTRA], N[RK_SLOTS])
        dense_coefficients(N, T, S)
    if search == 1:
        fired = search_step(I, P, W, N, C, S)
    fill_samples(I, N, C, S, times, samples)
    C[RK_T] = C[RK_T_NEW]
    copy_vector(n, offset(S, N[RK_NEW]), offset(S, N[RK_Y]))
    K = offset(S, N[RK_K])
    copy_vector(n, offset(K, N[RK_LAST] * n), offset(K, N[RK_FIRST] * n))
    if N[RK_EVENTS] > 0:
        settle_sides(N, S, fired)
        copy_vector(N[RK_EVENTS], offset(S, N[RK_G1]), offset(S, N[RK_G0]))
    return report_event(N, S) if fired == 1 else RK_GO


def give_up(N):
    """Status after a fixed step that failed."""
    return RK_NOT_FINITE if N[RK_BAD] == 1 else RK_STEP_TOO_SMALL


def advance_explicit(ints, reals, work, counts, clock, tableau, store, times, samples, t_stop, max_steps):
    """Step an explicit method to t_stop, an event, or for max_steps attempts; returns the status."""
    I, P, W = pointer(ints), pointer(reals), pointer(work)
    N, C, T, S = pointer(counts), pointer(clock), pointer(tableau), pointer(store)
    at, rows = pointer(times), pointer(samples)
    C[RK_STOP] = t_stop
    status = begin_call(I, N, C, S, at, rows)
    if status == RK_GO and max_steps > 0:
        status = prepare_run(I, P, W, N, C, S)
    tried = 0
    while status == RK_GO:
        status = plan_step(N, C)
        if status != RK_GO:
            break
        if tried >= max_steps:
            return RK_BUDGET
        tried += 1
        if accept_step(N, C, explicit_attempt(I, P, W, N, C, T, S)) == 1:
            status = finish_step(I, P, W, N, C, T, S, at, rows)
        elif N[RK_ADAPTIVE] == 0:
            status = give_up(N)
    return status


def advance_implicit(ints, reals, work, counts, clock, tableau, store, times, samples, t_stop, max_steps):
    """Step a diagonally implicit method, as `advance_explicit` does."""
    I, P, W = pointer(ints), pointer(reals), pointer(work)
    N, C, T, S = pointer(counts), pointer(clock), pointer(tableau), pointer(store)
    at, rows = pointer(times), pointer(samples)
    C[RK_STOP] = t_stop
    status = begin_call(I, N, C, S, at, rows)
    if status == RK_GO and max_steps > 0:
        status = prepare_run(I, P, W, N, C, S)
    tried = 0
    while status == RK_GO:
        status = plan_step(N, C)
        if status != RK_GO:
            break
        if tried >= max_steps:
            return RK_BUDGET
        tried += 1
        if accept_step(N, C, implicit_attempt(I, P, W, N, C, T, S)) == 1:
            status = finish_step(I, P, W, N, C, T, S, at, rows)
        elif N[RK_ADAPTIVE] == 0:
            status = give_up(N)
    return status
