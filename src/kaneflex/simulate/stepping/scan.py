"""Scanning a step for events: it is divided until every event function is followed from part to part, so that two zeros in
one step, or a zero that is only touched, do not go unseen.

In a part from a to b the functions and their rates are known at both ends and at a point between (the golden section, so
that no round period hides behind the points). The cubic through the ends must meet what is found there; then zeros and
minima of the cubics are those of the functions.
"""

from kaneflex.kernels.ops import offset, sqrt
from kaneflex.simulate.stepping.dense_output import dense_state
from kaneflex.simulate.stepping.events import any_crossed, pass_sides, values_within
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.vectors import ask, copy_vector

RK_NEAR = 512  # rates are differences over this share of a part
RK_PARTS = 65536  # most parts of a step
RK_MOST_BLIND = 32  # parts that may go unseen before the rest of the step is not divided any more
RK_MOST_DIPS = 12  # minima that are looked at in a step


def begin_scan(I, N, C, S):
    """The first part of a step: all of it, unless steps before had to be divided."""
    N[RK_DIPS] = 0
    N[RK_BLIND] = 0
    high = 2.0 * C[RK_SPACING] / C[RK_H_TRY] if C[RK_SPACING] > 0.0 else 1.0
    if high < 0.7:
        return look_ahead(I, N, C, S, high)
    C[RK_HIGH] = 1.0  # the functions at the end of the step are known
    N[RK_INDEX] = 0
    N[RK_PHASE] = RK_SCAN
    return RK_GO


def look_ahead(I, N, C, S, high):
    """Want the event functions at the end of the next part."""
    C[RK_HIGH] = min(high, 1.0)
    N[RK_INDEX] = 0
    N[RK_PHASE] = RK_SCAN
    if C[RK_HIGH] == 1.0:
        ask(N, C, C[RK_T_NEW], N[RK_NEW], N[RK_G1])
    else:
        dense_state(I, N, C, S, C[RK_HIGH], offset(S, N[RK_TRY]))
        ask(N, C, C[RK_T] + C[RK_HIGH] * C[RK_H_TRY], N[RK_TRY], N[RK_G1])
    return RK_VALUES


def scan_part(I, N, C, S):
    """Collect the rate at the start, unless known, the rate at the end, value and rate in the middle."""
    a, b = C[RK_LOW], C[RK_HIGH]
    near = (b - a) / RK_NEAR
    k = N[RK_INDEX]
    if k == 0:
        C[RK_MIDDLE] = a + 0.3819660112501051 * (b - a)
        k = N[RK_RATED]
    elif k == 1:
        set_rates(N, C, S, N[RK_GX], N[RK_G0], N[RK_D0], near)
        N[RK_RATED] = 1
    elif k == 2:
        set_rates(N, C, S, N[RK_G1], N[RK_GX], N[RK_D1], near)
    elif k == 3:
        copy_vector(N[RK_EVENTS], offset(S, N[RK_GX]), offset(S, N[RK_GM]))
    else:
        set_rates(N, C, S, N[RK_GX], N[RK_GM], N[RK_DM], near)
        N[RK_PHASE] = RK_SIFT
        return RK_GO
    N[RK_INDEX] = k + 1
    if k < 2:
        return values_within(I, N, C, S, a + near if k == 0 else b - near)
    return values_within(I, N, C, S, C[RK_MIDDLE] if k == 2 else C[RK_MIDDLE] + near)


def set_rates(N, C, S, after, before, out, x):
    """Rates (per second) of the event functions from two values, x of the step apart; all by their places in S."""
    for i in range(N[RK_EVENTS]):
        S[out + i] = (S[after + i] - S[before + i]) / (x * C[RK_H_TRY])


def mismatch(N, C, S, i):
    """What event function i misses its cubic by in the middle of the part, in value and (a quarter of) rate."""
    w = (C[RK_HIGH] - C[RK_LOW]) * C[RK_H_TRY]
    x = 0.3819660112501051
    g0, g1, gm = S[N[RK_G0] + i], S[N[RK_G1] + i], S[N[RK_GM] + i]
    d0, d1, dm = w * S[N[RK_D0] + i], w * S[N[RK_D1] + i], w * S[N[RK_DM] + i]
    c2 = 3.0 * (g1 - g0) - 2.0 * d0 - d1
    c3 = d0 + d1 - 2.0 * (g1 - g0)
    value = g0 + x * (d0 + x * (c2 + x * c3))
    return abs(gm - value) + 0.25 * abs(dm - d0 - x * (2.0 * c2 + 3.0 * x * c3))


def room(N, S, i):
    """What event function i may miss a guess by: a tenth of it, or rounding."""
    return 0.1 * max(abs(S[N[RK_G0] + i]), abs(S[N[RK_G1] + i]), abs(S[N[RK_GM] + i])) + 1e-13


def is_jump(N, C, S, i):
    """1 when event function i goes on straight from one end of the part to the middle: what is between is one jump."""
    w = (C[RK_HIGH] - C[RK_LOW]) * C[RK_H_TRY]
    x = 0.3819660112501051
    left = S[N[RK_G0] + i] + x * w * S[N[RK_D0] + i]
    right = S[N[RK_G1] + i] - (1.0 - x) * w * S[N[RK_D1] + i]
    gm = S[N[RK_GM] + i]
    return 1 if min(abs(gm - left), abs(gm - right)) <= room(N, S, i) else 0


def sift_part(I, N, C, S):
    """Divide the part where an event function does not follow its cubic; where it cannot be divided, note that. Then see
    on which side functions are that started at zero."""
    w = C[RK_HIGH] - C[RK_LOW]
    short = w * C[RK_H_TRY] <= 1e-11 * max(1.0, abs(C[RK_T]))
    last = short or w * RK_PARTS <= 1.0 or N[RK_BLIND] > RK_MOST_BLIND
    for i in range(N[RK_SCANNED]):
        if not mismatch(N, C, S, i) <= room(N, S, i):
            if not last:
                C[RK_HIGH] = C[RK_MIDDLE]
                copy_vector(N[RK_EVENTS], offset(S, N[RK_GM]), offset(S, N[RK_G1]))
                N[RK_RATED] = 0
                N[RK_INDEX] = 0
                N[RK_PHASE] = RK_SCAN
                return RK_GO
            if S[N[RK_G1] + i] != S[N[RK_G1] + i] or S[N[RK_GM] + i] != S[N[RK_GM] + i]:
                N[RK_WHICH] = i
                return RK_NO_VALUE
            if not short and is_jump(N, C, S, i) == 0:
                note_unseen(N, C, i)
    C[RK_SPACING] = 0.0 if w >= 1.0 else w * C[RK_H_TRY]
    N[RK_PHASE] = RK_CROSS
    for i in range(N[RK_EVENTS]):
        if S[N[RK_SIDE] + i] == 0.0:
            N[RK_PHASE] = RK_PROBED
    return values_within(I, N, C, S, C[RK_LOW] + w / 1024.0) if N[RK_PHASE] == RK_PROBED else RK_GO


def note_unseen(N, C, i):
    """Event function i changes too fast to be followed."""
    if N[RK_UNSEEN] == 0:
        N[RK_UNSEEN_EVENT] = i
        C[RK_UNSEEN_T] = C[RK_T] + C[RK_LOW] * C[RK_H_TRY]
    N[RK_UNSEEN] += 1
    N[RK_BLIND] += 1


def cross_part(I, N, C, S):
    """Go to the search where an event has happened by the middle or the end of the part; look at a minimum that may reach
    zero; else on to the next part."""
    if any_crossed(N, S, offset(S, N[RK_GM])) == 1:
        C[RK_HIGH] = C[RK_MIDDLE]
        copy_vector(N[RK_EVENTS], offset(S, N[RK_GM]), offset(S, N[RK_G1]))
        N[RK_PHASE] = RK_BRACKET
        return RK_GO
    a, b = C[RK_LOW], C[RK_HIGH]
    x = first_dip(N, C, S, a, C[RK_MIDDLE], N[RK_G0], N[RK_D0], N[RK_GM], N[RK_DM])
    if x < C[RK_MIDDLE]:
        return look_at_dip(I, N, C, S, x)
    pass_sides(N, S, offset(S, N[RK_GM]))
    x = first_dip(N, C, S, C[RK_MIDDLE], b, N[RK_GM], N[RK_DM], N[RK_G1], N[RK_D1])
    if any_crossed(N, S, offset(S, N[RK_G1])) == 1 or x < b:
        C[RK_LOW] = C[RK_MIDDLE]
        copy_vector(N[RK_EVENTS], offset(S, N[RK_GM]), offset(S, N[RK_G0]))
        copy_vector(N[RK_EVENTS], offset(S, N[RK_DM]), offset(S, N[RK_D0]))
        N[RK_PHASE] = RK_BRACKET
        return look_at_dip(I, N, C, S, x) if x < b else RK_GO
    pass_sides(N, S, offset(S, N[RK_G1]))
    C[RK_LOW] = b
    copy_vector(N[RK_EVENTS], offset(S, N[RK_G1]), offset(S, N[RK_G0]))
    copy_vector(N[RK_EVENTS], offset(S, N[RK_D1]), offset(S, N[RK_D0]))
    N[RK_PHASE] = RK_FINISH
    return RK_GO if b >= 1.0 else look_ahead(I, N, C, S, b + 2.0 * (b - a) if 1.0 - b > 2.4 * (b - a) else 1.0)


def look_at_dip(I, N, C, S, x):
    """Let the part end at a minimum."""
    N[RK_DIPS] += 1
    return look_ahead(I, N, C, S, x)


def first_dip(N, C, S, a, b, g0, d0, g1, d1):
    """Where, between a and b, the cubic of an event function first comes nearest to zero, and so near that the function may
    reach it; b when none does. Values and rates at a and b are at the places g0, d0, g1, d1 of S."""
    w = (b - a) * C[RK_H_TRY]
    found = b
    for i in range(N[RK_SCANNED]):
        s = S[N[RK_SIDE] + i]
        c0, c1, change, slope = S[g0 + i], w * S[d0 + i], S[g1 + i] - S[g0 + i], w * S[d1 + i]
        if s * c0 > 0.0 and s * S[g1 + i] > 0.0 and s * c1 < 0.0 and s * slope > 0.0:
            c2, c3 = 3.0 * change - 2.0 * c1 - slope, c1 + slope - 2.0 * change
            bottom = c2 + s * sqrt(max(c2 * c2 - 3.0 * c1 * c3, 0.0))
            x = min(0.98, max(0.02, -c1 / bottom)) if bottom != 0.0 else 0.5
            lowest = s * (c0 + x * (c1 + x * (c2 + x * c3)))
            if lowest <= mismatch(N, C, S, i):
                found = min(found, a + x * (b - a))
    return found if N[RK_DIPS] < RK_MOST_DIPS else b
