"""Events: zeros of functions of the state, bracketed on the dense output."""

from kaneflex.kernels.ops import offset
from kaneflex.simulate.stepping.dense_output import dense_state
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.vectors import ask, copy_vector


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


def report_event(N, S):
    """Take the first event from those that happened and are not reported; RK_GO when there is none."""
    N[RK_WHICH] = -1
    for i in range(N[RK_EVENTS]):
        if S[N[RK_WAITING] + i] > 0.0:
            S[N[RK_WAITING] + i] = 0.0
            N[RK_WHICH] = i
            return RK_EVENT
    return RK_GO


def begin_events(N, S):
    """Take the sides from GX at a start: RK_GO, or a status. One that is zero has no side yet; neither has one that
    happened at this very instant and was not moved since, for rounding decides on which side of its root the state was
    put. Where the right-hand side has jumped but not the state, a function that jumped through zero is an event."""
    jumped = N[RK_FRESH] == 2
    N[RK_RATED] = 0
    for i in range(N[RK_EVENTS]):
        g = S[N[RK_GX] + i]
        if g != g:
            N[RK_WHICH] = i
            return RK_NO_VALUE
        same = S[N[RK_FIRED] + i] > 0.0 and abs(g) <= 2.0 * abs(S[N[RK_G0] + i]) + 1e-13
        if jumped and not same and has_crossed(N, S, i, g) == 1:
            S[N[RK_WAITING] + i] = 1.0
            S[N[RK_FIRED] + i] = 1.0
        S[N[RK_SIDE] + i] = 0.0 if same else sign_of(g)
        S[N[RK_G0] + i] = g
    return report_event(N, S)


def pass_sides(N, S, g):
    """Take the sides from g, where no event has happened."""
    for i in range(N[RK_EVENTS]):
        if g[i] != 0.0:
            S[N[RK_SIDE] + i] = sign_of(g[i])


def update_event_signs(N, S):
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
        if has_crossed(N, S, i, g1) == 1 and g0 == g0:
            x = min(x, a + (b - a) * abs(g0) / (abs(g0) + abs(g1) + 1e-300))
    return x


def begin_search(I, N, C, S):
    """The search for the step's first event where functions are not followed within the step. One whose side is unknown
    started at zero: see where it goes first."""
    N[RK_PHASE] = RK_BRACKET
    for i in range(N[RK_EVENTS]):
        if S[N[RK_SIDE] + i] == 0.0:
            N[RK_PHASE] = RK_PROBED
    return values_within(I, N, C, S, 1.0 / 1024.0) if N[RK_PHASE] == RK_PROBED else RK_GO


def end_probe(N, C, S):
    """Where no known event has happened by then, the sides are those of the probe and the search begins there."""
    n = N[RK_EVENTS]
    gx = offset(S, N[RK_GX])
    N[RK_PHASE] = RK_BRACKET
    if any_crossed(N, S, gx) == 1:
        C[RK_HIGH] = C[RK_X]
        copy_vector(n, gx, offset(S, N[RK_G1]))
    else:
        C[RK_LOW] = C[RK_X]
        copy_vector(n, gx, offset(S, N[RK_G0]))
        for i in range(n):
            if S[N[RK_SIDE] + i] == 0.0:
                S[N[RK_SIDE] + i] = sign_of(gx[i])
        if N[RK_SCANNED] > 0:
            N[RK_PHASE] = RK_CROSS
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
