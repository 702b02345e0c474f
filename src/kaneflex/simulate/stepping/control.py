"""Step control: the first step, the next one, acceptance."""

from kaneflex.kernels.ops import offset
from kaneflex.simulate.stepping.events import begin_events
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.vectors import ask, scaled_norm, slot


def guess_step(N, C, S):
    """After a start: sides of the events, and, unless the first step is given, an Euler step that changes y by a
    hundredth (HNW II.4, starting step, a to c)."""
    status = begin_events(N, S)
    N[RK_FRESH] = 0
    N[RK_PHASE] = RK_PLAN
    if status != RK_GO:
        N[RK_FRESH] = 1  # what happened may change all that this start is made of
        N[RK_VALID] = 0
        return status
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
    kind = N[RK_KIND]
    N[RK_PHASE] = RK_RUN if kind == RK_EXPLICIT else (RK_OUTSIDE if kind == RK_OWN else RK_DIFFERENCE)
    return RK_GO


def predicted_factor(N, C, error):
    """Change of the step by Gustafsson's predictive control, smaller where Newton's method took long (HW IV.8.24 to 8.26):
    the error coefficient is expected to change as it did over the step before."""
    safety = 0.9 * (1 + 2 * RK_SWEEPS) / (N[RK_COUNT] + 2 * RK_SWEEPS)
    factor = min(0.9, safety) / error ** C[RK_POWER]
    if N[RK_SMOOTH] == 1:
        factor = min(factor, 0.9 * C[RK_H_TRY] / C[RK_H_OLD] * (C[RK_ERROR_OLD] / (error * error)) ** C[RK_POWER])
    return factor


def accept_step(N, C, error):
    """1 when the step is accepted; sets the next step H by PI control (HNW II.4, HW IV.2.43):
    h 0.934 err_old^beta / err^(1/q - 0.75 beta), or, rejected, h 0.9 / err^(1/q). A step that is not finite is quartered.

    With beta = 0.2/q, 0.934 = 0.9^0.65 lets the error settle where 0.9 / err^(1/q) alone would: at 0.9^q. An implicit
    method's estimate is less sharp: it keeps 0.9."""
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
        if N[RK_KIND] == RK_COUPLED:
            factor = predicted_factor(N, C, bounded)
        else:
            safety = 0.9 if N[RK_IMPLICIT] == 1 else 0.934
            factor = safety * C[RK_ERROR_OLD] ** C[RK_BETA] / bounded ** (C[RK_POWER] - 0.75 * C[RK_BETA])
        factor = min(C[RK_GROW], max(C[RK_SHRINK], factor))
        if N[RK_SHRUNK] == 1:
            factor = min(factor, 1.0)
        kept = N[RK_IMPLICIT] == 1 and (N[RK_KIND] == RK_DIAGONAL or N[RK_JACOBIAN] > 0)
        large = N[RK_KIND] == RK_COUPLED and N[RK_SIZE] > RK_LARGE and N[RK_MATRIX] == RK_FULL
        if kept and factor >= 1.0 and factor <= (2.0 if large else 1.2):
            factor = 1.0  # the factors of Newton's matrix serve once more (QUOT2 of RADAU5)
        if h < C[RK_H]:
            C[RK_H] = max(C[RK_H], h * factor)  # the step was cut to end at STOP
        else:
            C[RK_H] = h * factor
            C[RK_ERROR_OLD] = max(error, 1e-4)
        if N[RK_KIND] == RK_COUPLED:
            C[RK_ERROR_OLD] = max(error, 0.01)  # of the very step whose length is kept in H_OLD
    N[RK_SHRUNK] = 0
    N[RK_BAD] = 0
    return 1
