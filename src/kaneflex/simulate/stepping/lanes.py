"""LANES runs side by side: each steps by itself, at its own time with its own step; their slopes are found together.

Because the loop asks for slopes instead of calling the right-hand side, runs need not share anything but the kernels: one
may reject a step, look for an event or end while the others go on, and another takes its place.
"""

from kaneflex.formulations.evaluate import derivative
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import LANES, integers_at, lanes_at, offset, reals_at
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.loop import answer, explicit_turns
from kaneflex.simulate.stepping.singular import mind_singular

# What a run of the batch is about.
LANE_IDLE = 0  # there is none
LANE_TURNS = 1  # steps, as far as it gets without a slope
LANE_WAITS = 2  # wants a slope
LANE_REPORTS = 3  # has something to report


def lane_put(b, k, t, y):
    """Put time and state at which run k wants its slope beside those of the others."""
    N, C, S = integers_at(b[3]), reals_at(b[4]), reals_at(b[6])
    t[k] = C[RK_ASK_T]
    for i in range(N[RK_SIZE]):
        y[i * LANES + k] = S[N[RK_ASK_Y] + i]


def lane_take(b, k, slopes, seen):
    """Take the slope of run k from among those of all, and what was seen with it of how independent equations are."""
    I, P, W = integers_at(b[0]), reals_at(b[1]), reals_at(b[2])
    N, C, S = integers_at(b[3]), reals_at(b[4]), reals_at(b[6])
    y, out = offset(S, N[RK_ASK_Y]), offset(S, N[RK_ASK_OUT])
    for i in range(N[RK_SIZE]):
        out[i] = slopes[i * LANES + k]
    N[RK_EVALUATIONS] += 1
    N[RK_WORKED] = -1
    if N[RK_TIED] == 1:
        for i in range(RANK_WIDTH):
            W[I[W_RANK] + i] = seen[(I[W_RANK] + i) * LANES + k]
        mind_singular(I, P, W, N, C, S, C[RK_ASK_T], y, out)


def lane_alone(b):
    """Find the slope that a run wants by itself."""
    I, P, W = integers_at(b[0]), reals_at(b[1]), reals_at(b[2])
    answer(I, P, W, integers_at(b[3]), reals_at(b[4]), reals_at(b[6]), RK_SLOPE)


def lanes_turn(phase, status, blocks):
    """Let every run go on as far as it gets without a slope. Returns how many wait for one, and how many have something to
    report."""
    waiting, reporting = 0, 0
    for k in range(LANES):
        if phase[k] == LANE_TURNS:
            status[k] = explicit_turns(integers_at(blocks[k]), 1)
            phase[k] = LANE_WAITS if status[k] == RK_SLOPE else LANE_REPORTS
        if phase[k] == LANE_WAITS:
            waiting += 1
        elif phase[k] == LANE_REPORTS:
            reporting += 1
    return waiting, reporting


def advance_lanes(block):
    """Step the runs of a batch until one has something to report, or none is left.

    At the address `block` are the addresses of I, P, W (for lanes), of time, state and slope in lanes, of what each run is
    about (LANE_IDLE, ...), of the status of those that report, of the block of each run, as `explicit_turns` takes it, and
    the number of waiting runs up to which their slopes are found one by one."""
    b = integers_at(block)
    I, P, W = integers_at(b[0]), lanes_at(b[1]), lanes_at(b[2])
    phase, status, blocks, few = integers_at(b[6]), integers_at(b[7]), integers_at(b[8]), b[9]
    waiting, reporting = lanes_turn(phase, status, blocks)
    while reporting == 0 and waiting > 0:
        for k in range(LANES):
            if phase[k] == LANE_WAITS:
                if waiting <= few:
                    lane_alone(integers_at(blocks[k]))
                else:
                    lane_put(integers_at(blocks[k]), k, reals_at(b[3]), reals_at(b[4]))
        if waiting > few:
            derivative(I, P, W, lanes_at(b[3])[0], lanes_at(b[4]), lanes_at(b[5]))
        for k in range(LANES):
            if phase[k] == LANE_WAITS:
                if waiting > few:
                    lane_take(integers_at(blocks[k]), k, reals_at(b[5]), reals_at(b[2]))
                phase[k] = LANE_TURNS
        waiting, reporting = lanes_turn(phase, status, blocks)
    return reporting
