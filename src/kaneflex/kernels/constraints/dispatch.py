"""Equations of all constraints. Adding a kind means a file here and one line in the chain."""

from kaneflex.kernels.algebra import dot, load3
from kaneflex.kernels.constraints.closure import closure_rows
from kaneflex.kernels.constraints.coupler import coupler_row
from kaneflex.kernels.constraints.distance import distance_row
from kaneflex.kernels.constraints.knife_edge import knife_edge_row
from kaneflex.kernels.constraints.rolling import rolling_rows
from kaneflex.kernels.constraints.user_defined import user_rows, user_terms
from kaneflex.kernels.layout import *

CLOSURE = 0
DISTANCE = 1
COUPLER = 2
KNIFE_EDGE = 3
ROLLING = 4
USER_DEFINED = 5


def constraint_equations(I, P, W, q):
    """Wrenches, values, gamma of every equation; after `place`, and after the laws where there are written ones."""
    for e in range(I[CONSTRAINTS]):
        b = constraint_row(I, e)
        kind = I[b + CONSTRAINT_KIND]
        for m in range(I[b + TERM0], I[b + TERM0] + I[b + TERMS]):
            W[I[W_TERM] + m] = 0 * W[OMEGA] + P[I[P_TERM] + m]
        for n in range(I[b + CONSTRAINT_ROWS]):
            W[equation_work(I, I[b + CONSTRAINT_ROW] + n) + ARM] = 0 * W[OMEGA] + P[constraint_par(I, e) + CONSTRAINT_ARM]
        if kind == CLOSURE:
            closure_rows(I, P, W, e)
        elif kind == DISTANCE:
            distance_row(I, P, W, e)
        elif kind == COUPLER:
            coupler_row(I, P, W, e, q)
        elif kind == KNIFE_EDGE:
            knife_edge_row(I, P, W, e)
        elif kind == ROLLING:
            rolling_rows(I, P, W, e)
        else:
            user_rows(I, P, W, e)
            user_terms(I, W, e)


def row_sum(I, W, e, n, angular, linear, rate_place):
    """Sum over attachments and terms of constraint e's n-th equation, with the motion that body rows hold at `angular`
    and `linear` and columns at `rate_place`."""
    b = constraint_row(I, e)
    total = 0 * W[OMEGA]
    for a in range(I[b + ATTACHMENTS]):
        place, w = wrench_work(I, e, n, a), body_work(I[attachment_row(I, I[b + ATTACHMENT0] + a) + ATTACHED])
        total += dot(load3(W, place), load3(W, w + angular)) + dot(load3(W, place + 3), load3(W, w + linear))
    for m in range(I[b + TERM0], I[b + TERM0] + I[b + TERMS]):
        if I[term_row(I, m) + TERM_ROW] == n:
            total += W[I[W_TERM] + m] * W[column_work(I, I[term_row(I, m) + TERM_COLUMN]) + rate_place]
    return total


def equation_speeds(I, W):
    """Eq. (1) of the package: how far the speeds are from satisfying every equation."""
    for e in range(I[CONSTRAINTS]):
        b = constraint_row(I, e)
        for n in range(I[b + CONSTRAINT_ROWS]):
            r = equation_work(I, I[b + CONSTRAINT_ROW] + n)
            W[r + SPEED_] = row_sum(I, W, e, n, OMEGA, V_, RATE) + W[r + EXPLICIT]


def equation_rate(I, W, e, n):
    """Rate of constraint e's n-th equation with the accelerations that are in the workspace."""
    r = equation_work(I, I[constraint_row(I, e) + CONSTRAINT_ROW] + n)
    return row_sum(I, W, e, n, ALPHA, A_, WDOT) + W[r + GAMMA]
