"""The loop and its two compiled entries, with all calls of the right-hand side."""

from kaneflex.formulations.evaluate import derivative, event_values, kinetic_energy, normalise
from kaneflex.kernels.ops import integers_at, offset, pointer, reals_at, sqrt
from kaneflex.simulate.stepping.alpha import alpha_failed, alpha_sweep, begin_alpha, keep_alpha
from kaneflex.simulate.stepping.control import accept_step, end_guess, guess_step, plan_step
from kaneflex.simulate.stepping.coupled import (
    begin_coupled,
    coupled_correct,
    coupled_outcome,
    coupled_refine,
    coupled_stage,
    keep_polynomial,
)
from kaneflex.simulate.stepping.dense_output import fill_samples
from kaneflex.simulate.stepping.events import (
    any_crossed,
    begin_search,
    bracket_event,
    end_probe,
    end_trial,
    report_event,
    update_event_signs,
)
from kaneflex.simulate.stepping.exact_tangent import end_direction, slope_along
from kaneflex.simulate.stepping.explicit import explicit_result, explicit_stage
from kaneflex.simulate.stepping.implicit import (
    begin_stages,
    dense_defect,
    implicit_outcome,
    implicit_stage,
    newton_failed,
    newton_sweep,
    probe_dense,
)
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.linear import (
    begin_linear,
    end_linear_look,
    keep_before,
    late_rate,
    linear_solve,
    linear_stage,
    shape_step,
)
from kaneflex.simulate.stepping.newton import begin_jacobian, end_look, jacobian_column, look_on
from kaneflex.simulate.stepping.scan import begin_scan, cross_part, scan_part, sift_part
from kaneflex.simulate.stepping.singular import hold, hold_sample, slope_at, step_held, step_planned
from kaneflex.simulate.stepping.vectors import ask, copy_vector, defect, slot, weighted_sum


def begin_call(N, C, S, times, samples):
    """What needs no step: samples at the present time, events still to be reported. Then the slope, unless known."""
    while N[RK_FILLED] < N[RK_TIMES] and times[N[RK_FILLED]] <= C[RK_T]:
        copy_vector(N[RK_SIZE], offset(S, N[RK_Y]), offset(samples, N[RK_FILLED] * N[RK_SIZE]))
        N[RK_FILLED] += 1
    status = report_event(N, S)
    if status == RK_GO and C[RK_T] >= C[RK_STOP]:
        status = RK_DONE
    N[RK_PHASE] = RK_PLAN
    N[RK_WORKED] = -1
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
    N[RK_PHASE] = RK_GUESS if N[RK_FRESH] > 0 else RK_PLAN
    ask(N, C, C[RK_T], N[RK_Y], N[RK_GX])
    return RK_VALUES if N[RK_FRESH] > 0 and N[RK_EVENTS] > 0 else RK_GO


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
    """Prepare the dense output when a sample lies within the step, events are followed there, one happened, or one's side
    is not known."""
    N[RK_SEARCH] = 1 if N[RK_SCANNED] > 0 else any_crossed(N, S, offset(S, N[RK_G1]))
    for i in range(N[RK_EVENTS]):
        S[N[RK_FIRED] + i] = 0.0
        if S[N[RK_SIDE] + i] == 0.0:
            N[RK_SEARCH] = 1
        if i >= N[RK_SCANNED] and S[N[RK_G1] + i] != S[N[RK_G1] + i]:
            N[RK_WHICH] = i
            return RK_NO_VALUE
    N[RK_PHASE] = RK_FINISH
    if N[RK_SEARCH] == 1 or (N[RK_FILLED] < N[RK_TIMES] and times[N[RK_FILLED]] < C[RK_T_NEW]):
        N[RK_INDEX] = N[RK_SLOTS] - N[RK_EXTRA]
        N[RK_END] = N[RK_SLOTS]
        N[RK_PHASE] = RK_RUN if N[RK_EXTRA] > 0 else (RK_SHAPE if N[RK_KIND] >= RK_LINEAR else RK_DENSE)
    return RK_GO


def make_polynomial(N, T, S):
    """F = D k for `dense_state`; a method that makes its own steps gives F itself, and others have it (RK_SHAPE)."""
    n = N[RK_SIZE]
    for j in range(N[RK_TERMS] if N[RK_KIND] < RK_OWN else 0):
        row = offset(T, N[RK_D] + j * N[RK_SLOTS])
        weighted_sum(n, N[RK_SLOTS], row, offset(S, N[RK_K]), offset(S, N[RK_F] + j * n))


def begin_dense(I, N, C, T, S):
    """The dense output; then the search for the step's first event, if one is due."""
    make_polynomial(N, T, S)
    C[RK_LOW] = 0.0
    C[RK_HIGH] = 1.0
    N[RK_COUNT] = 0
    N[RK_MOVED] = 0
    if N[RK_SEARCH] != 0:
        return search_turn(I, N, C, S)
    N[RK_PHASE] = RK_FINISH
    return RK_GO


def search_turn(I, N, C, S):
    """Do what the phase says, for phases of the search for the step's first event: compiled when there are events."""
    phase = N[RK_PHASE]
    if phase == RK_PROBED:
        return end_probe(N, C, S)
    if phase == RK_BRACKET:
        return bracket_event(I, N, C, S)
    if phase == RK_TRIED:
        return end_trial(N, C, S)
    if phase == RK_SCAN:
        return scan_part(I, N, C, S)
    if phase == RK_SIFT:
        return sift_part(I, N, C, S)
    if phase == RK_CROSS:
        return cross_part(I, N, C, S)
    N[RK_PHASE] = RK_FINISH
    return begin_scan(I, N, C, S) if N[RK_SCANNED] > 0 else begin_search(I, N, C, S)


def finish_step(I, N, C, T, S, times, samples):
    """Fill samples, move on, report an event."""
    n = N[RK_SIZE]
    fill_samples(I, N, C, S, times, samples)
    if N[RK_KIND] == RK_COUPLED:
        make_polynomial(N, T, S)
        keep_polynomial(N, C)
    if N[RK_KIND] >= RK_LINEAR:
        keep_before(N, C, S)
    if N[RK_KIND] == RK_ALPHA:
        keep_alpha(N, C, T, S)
    C[RK_T] = C[RK_T_NEW]
    copy_vector(n, offset(S, N[RK_NEW]), offset(S, N[RK_Y]))
    copy_vector(n, offset(S, slot(N, N[RK_LAST])), offset(S, slot(N, N[RK_FIRST])))
    N[RK_WORKED] = N[RK_Y] if N[RK_WORKED] == N[RK_NEW] else -1
    N[RK_PHASE] = RK_PLAN
    if N[RK_EVENTS] == 0:
        return RK_GO
    update_event_signs(N, S)
    if N[RK_SEARCH] == 2:
        N[RK_RATED] = 0
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
        return finish_step(I, N, C, T, S, times, samples)
    if phase == RK_DENSE:
        return begin_dense(I, N, C, T, S)
    if phase == RK_CHECK:
        return check_slope(N, C, S)
    if phase == RK_GUESS:
        return guess_step(N, C, S)
    if phase == RK_GUESSED:
        return end_guess(N, C, S)
    if phase == RK_BEGIN:
        return begin_call(N, C, S, times, samples)
    return search_turn(I, N, C, S)


def hold_step(I, P, W, N, C, S):
    """Bring the end of a step that is to be accepted back to motions and constraints.

    Where Newton's method does not find them the step was too long: it is tried again shorter, RK_TRIES times in a row,
    before it counts as a projection failure."""
    y = offset(S, N[RK_NEW])
    if C[RK_ERROR] + defect(N[RK_SIZE], y) <= 1.0:
        slack = 0.1 * sqrt(C[RK_RTOL])  # what is left then is a hundredth of the tolerance, until the next step
        lost = hold(I, P, W, N, C, C[RK_T_NEW], y, slack) < 0
        if lost and N[RK_ADAPTIVE] == 1 and N[RK_LOST] < RK_TRIES:
            N[RK_LOST] += 1
            C[RK_ERROR] = RK_TOO_LONG
        else:
            N[RK_PROJECTION_FAILURES] += lost
            N[RK_LOST] = 0
            if N[RK_KIND] == RK_LINEAR:
                slope_at(I, P, W, N, C, S, C[RK_T_NEW], y, offset(S, slot(N, N[RK_LAST])))
            step_held(I, P, W, N, C, S)


def weigh_work(I, P, W, N, C, S, phase):
    """The last two entries of y are work: beside the largest kinetic energy so far it need not be known better than to a
    tenth of the relative tolerance, however near to zero it is."""
    y = offset(S, N[RK_Y] if phase == RK_GUESS else N[RK_NEW])
    kinetic_energy(I, P, W, C[RK_T] if phase == RK_GUESS else C[RK_T_NEW], y, offset(S, N[RK_SUMS]))
    N[RK_WORKED] = -1
    least = 0.1 * C[RK_RTOL] * S[N[RK_SUMS]]
    for i in range(N[RK_ATOL] + N[RK_SIZE] - 2, N[RK_ATOL] + N[RK_SIZE]):
        if least > S[i] and least < 1e300:
            S[i] = least


def hold_samples(I, P, W, N, C, S, times, samples, first):
    """Bring the samples from `first` on to motions and constraints."""
    while first < N[RK_FILLED]:
        hold_sample(I, P, W, N, C, S, times[first], offset(samples, first * N[RK_SIZE]))
        first += 1


def answer(I, P, W, N, C, S, status):
    """The slope or the event functions that are wanted."""
    t, y, out = C[RK_ASK_T], offset(S, N[RK_ASK_Y]), offset(S, N[RK_ASK_OUT])
    if status == RK_SLOPE:
        slope_at(I, P, W, N, C, S, t, y, out)
        N[RK_WORKED] = N[RK_ASK_Y] if N[RK_CONSTRAINED] == 0 else -1
    elif status == RK_VALUES:
        N[RK_WORKED] = -1
        if N[RK_WATCHED] == 1:
            derivative(I, P, W, t, y, offset(S, N[RK_SPARE]))
        event_values(I, P, W, t, y, out)


def explicit_turns(b, apart):
    """Step an explicit method until there is something to report: the status. With apart = 1 a slope is something to report
    (RK_SLOPE), which who called gives, and calls again.

    At b are the addresses of I, P, W, of the integrator's arrays N, C, T, S, and of the times and rows of samples."""
    I, P, W = integers_at(b[0]), reals_at(b[1]), reals_at(b[2])
    N, C, T, S = integers_at(b[3]), reals_at(b[4]), reals_at(b[5]), reals_at(b[6])
    at, rows = reals_at(b[7]), reals_at(b[8])
    status = RK_GO
    while status < 0:
        phase, before = N[RK_PHASE], N[RK_FILLED]
        if N[RK_KIND] == RK_OWN and phase == RK_JUDGE:
            normalise(I, offset(S, N[RK_NEW]))
        if N[RK_CONSTRAINED] == 1 and phase == RK_JUDGE:
            hold_step(I, P, W, N, C, S)
        if N[RK_WEIGHED] == 1 and (phase == RK_FINISH or phase == RK_GUESS):
            weigh_work(I, P, W, N, C, S, phase)
        if phase == RK_PLAN:
            step_planned(C)
        if phase == RK_RUN:
            explicit_stage(N, C, T, S)
            status = RK_SLOPE
        elif phase == RK_RESULT:
            status = explicit_result(I, N, C, T, S)
        elif phase == RK_OUTSIDE:
            status = RK_STEP
        elif phase == RK_ASKED:
            answer(I, P, W, N, C, S, RK_SLOPE)
            status = RK_STEP
        else:
            status = common_turn(I, N, C, T, S, at, rows)
        if N[RK_CONSTRAINED] == 1:
            hold_samples(I, P, W, N, C, S, at, rows, before)
        if apart == 1 and status == RK_SLOPE:
            return status
        answer(I, P, W, N, C, S, status)
    return status


def advance_explicit(block):
    """Step an explicit method until there is something to report: the status. For a method that makes its own steps, give
    back RK_STEP where one is to be made, and after a slope that it asked for (RK_ASKED).

    `block` is the address of the addresses that `explicit_turns` takes: one number costs less to pass than nine arrays."""
    return explicit_turns(integers_at(block), 0)


def linear_turn(I, P, W, N, C, T, S, L, pivot):
    """Do what the phase says, for phases of a linearly implicit step."""
    phase = N[RK_PHASE]
    if phase == RK_FACTOR:
        return begin_linear(I, P, W, N, C, T, S, L, pivot)
    if phase == RK_LATE:
        return late_rate(N, C, S)
    if phase == RK_SOLVE:
        return linear_stage(I, P, N, C, T, S, L, pivot)
    if phase == RK_PRODUCT:
        return end_direction(I, P, N, C, T, S, L, pivot)
    return linear_solve(I, P, N, C, T, S, L, pivot)


def alpha_turn(I, P, W, N, C, T, S, L, pivot):
    """Do what the phase says, for phases of a step of Newmark's method or generalized-alpha."""
    phase = N[RK_PHASE]
    if phase == RK_FACTOR:
        return begin_alpha(I, P, W, N, C, T, S, L, pivot)
    if phase == RK_SWEEP:
        return alpha_sweep(I, P, W, N, C, T, S, L, pivot)
    return alpha_failed(N, C)


def implicit_turn(I, P, W, N, C, T, S, L, Z, pivot):
    """Do what the phase says, for phases of an implicit step."""
    phase, coupled = N[RK_PHASE], N[RK_KIND] == RK_COUPLED
    if phase == RK_SHAPE:
        return shape_step(I, P, N, C, T, S, L, pivot)
    stages = phase == RK_FACTOR or phase == RK_LATE or phase == RK_SOLVE or phase == RK_SWEEP or phase == RK_PRODUCT
    if N[RK_KIND] == RK_LINEAR and stages:
        return linear_turn(I, P, W, N, C, T, S, L, pivot)
    if N[RK_KIND] == RK_ALPHA and (phase == RK_FACTOR or phase == RK_SWEEP or phase == RK_FAILED):
        return alpha_turn(I, P, W, N, C, T, S, L, pivot)
    if phase == RK_STAGE:
        return coupled_stage(N, C, T, S)
    if phase == RK_CORRECT:
        return coupled_correct(I, P, N, C, T, S, L, Z, pivot)
    if phase == RK_REFINE:
        return coupled_refine(I, P, N, C, T, S, L, pivot)
    if phase == RK_SWEEP:
        return newton_sweep(I, P, N, C, T, S, L, pivot)
    if phase == RK_SOLVE:
        return implicit_stage(N, C, T, S)
    if phase == RK_OUTCOME:
        return coupled_outcome(I, P, N, C, T, S, L, pivot) if coupled else implicit_outcome(I, P, N, C, T, S, L, pivot)
    if phase == RK_DEFECT:
        return dense_defect(I, P, N, C, T, S, L, pivot)
    if phase == RK_DIFFERENCE:
        return begin_jacobian(N, C, S)
    if phase == RK_COLUMN:
        return jacobian_column(N, C, S)
    if phase == RK_FACTOR:
        if coupled:
            return begin_coupled(I, P, W, N, C, T, S, L, Z, pivot)
        return begin_stages(I, P, W, N, C, T, S, L, pivot)
    if phase == RK_WEIGH:
        return look_on(N, C, S)
    if phase == RK_WEIGHED_UP and N[RK_KIND] == RK_LINEAR:
        return end_linear_look(I, P, N, C, T, S, L, pivot)
    if phase == RK_WEIGHED_UP:
        status = end_look(I, P, N, C, T, S, L, pivot)
        return probe_dense(N, C, T, S) if status == RK_GO else status
    return newton_failed(N)


def advance_implicit(ints, reals, work, counts, clock, tableau, store, factors, roots, pivots, times, samples):
    """Step an implicit method, as `advance_explicit` does. Factors of Newton's matrix, real and complex (after a vector),
    and their pivots are no part of what is stored: they follow from the Jacobian."""
    L, Z, pivot = pointer(factors), pointer(roots), pointer(pivots)
    I, P, W = pointer(ints), pointer(reals), pointer(work)
    N, C, T, S = pointer(counts), pointer(clock), pointer(tableau), pointer(store)
    at, rows = pointer(times), pointer(samples)
    status = RK_GO
    while status < 0:
        phase, before = N[RK_PHASE], N[RK_FILLED]
        if N[RK_CONSTRAINED] == 1 and phase == RK_JUDGE:
            hold_step(I, P, W, N, C, S)
        if N[RK_WEIGHED] == 1 and (phase == RK_FINISH or phase == RK_GUESS):
            weigh_work(I, P, W, N, C, S, phase)
        if phase == RK_PLAN:
            step_planned(C)
        if phase >= RK_DIFFERENCE:
            status = implicit_turn(I, P, W, N, C, T, S, L, Z, pivot)
        else:
            status = common_turn(I, N, C, T, S, at, rows)
        if N[RK_CONSTRAINED] == 1:
            hold_samples(I, P, W, N, C, S, at, rows, before)
        if status == RK_ALONG:
            slope_along(I, P, W, N, C, S, L, Z, pivot)
        answer(I, P, W, N, C, S, status)
    return status
