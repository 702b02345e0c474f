"""Compiled sweeps over a tape, and steps of a Runge-Kutta method taken back by them.

With Y_j = y + h sum a_jl k_l, k_j = f(t + c_j h, Y_j), y+ = y + h sum b_j k_j and v+ the derivatives of a cost by y+, those
by y are v = v+ + sum_j w_j with, from the last stage to the first,

    w_j = f_y(Y_j)^T s_j ,    s_j = h (b_j v+ + sum_l>j a_lj w_l) ,                                                       (1)

and each stage adds f_p(Y_j)^T s_j to the derivatives by what else is given. The products with f_y^T and f_p^T are one sweep
back over the tape, whatever their number: v <- v + (derivative of the operation by its operand) times that of its result.
Refs: Griewank and Walther, Evaluating Derivatives (2008), section 3.2, for the sweep; Sanz-Serna, SIAM Review 58 (2016) 3,
for (1). Touches raw memory: user functions at their addresses.
"""

from typing import Any

import numba
import numpy as np

from kaneflex.analysis.derivatives import H
from kaneflex.analysis.taped_numbers import ADD, COS, DIV, EXP, LAW, MUL, RAMP, SIN, SQRT, SUB
from kaneflex.kernels.compiled_ops import call_law, offset, pointer

POINTS = 6  # at which a function is taken for its derivative by a parameter
_call: Any = call_law
_pointer: Any = pointer
_offset: Any = offset


@numba.njit(cache=True, error_model="numpy")
def sweep(rows: Any, first: Any, second: Any, calls: Any, seen: Any, laws: Any, room: Any, v: Any) -> None:
    """The numbers v of all places, from those given and the constants."""
    for r in range(rows.shape[0]):
        operation, start, stop = rows[r, 0], rows[r, 1], rows[r, 2]
        if operation == MUL:
            for i in range(start, stop):
                v[i] = v[first[i]] * v[second[i]]
        elif operation == ADD:
            for i in range(start, stop):
                v[i] = v[first[i]] + v[second[i]]
        elif operation == SUB:
            for i in range(start, stop):
                v[i] = v[first[i]] - v[second[i]]
        elif operation == DIV:
            for i in range(start, stop):
                v[i] = v[first[i]] / v[second[i]]
        elif operation == SIN:
            for i in range(start, stop):
                v[i] = np.sin(v[first[i]])
        elif operation == COS:
            for i in range(start, stop):
                v[i] = np.cos(v[first[i]])
        elif operation == SQRT:
            for i in range(start, stop):
                v[i] = np.sqrt(v[first[i]])
        elif operation == EXP:
            for i in range(start, stop):
                v[i] = np.exp(v[first[i]])
        elif operation == LAW:
            i = start
            while i < stop:
                c = first[i]
                for k in range(calls[c, 2]):
                    room[k] = v[seen[calls[c, 4] + k]]
                given = _pointer(room)
                _call(laws[c, 0], v[calls[c, 1]], given, 0, _offset(_pointer(v), i), 0)
                i += calls[c, 3]
        else:  # RAMP and STEP
            for i in range(start, stop):
                x = v[first[i]]
                v[i] = (x if operation == RAMP else 1.0) if x > 0.0 else 0.0


@numba.njit(cache=True, error_model="numpy")
def sweep_back(
    rows: Any,
    first: Any,
    second: Any,
    calls: Any,
    seen: Any,
    laws: Any,
    varied: Any,
    weights: Any,
    room: Any,
    complexes: Any,
    v: Any,
    w: Any,
    by_name: Any,
) -> None:
    """From the derivatives w by the outputs those by all places; what follows from parameters of user functions is added to
    `by_name`."""
    for r in range(rows.shape[0] - 1, -1, -1):
        operation, start, stop = rows[r, 0], rows[r, 1], rows[r, 2]
        if operation == MUL:
            for i in range(start, stop):
                a, b, s = first[i], second[i], w[i]
                w[a] += s * v[b]
                w[b] += s * v[a]
        elif operation == ADD:
            for i in range(start, stop):
                s = w[i]
                w[first[i]] += s
                w[second[i]] += s
        elif operation == SUB:
            for i in range(start, stop):
                s = w[i]
                w[first[i]] += s
                w[second[i]] -= s
        elif operation == DIV:
            for i in range(start, stop):
                s = w[i] / v[second[i]]
                w[first[i]] += s
                w[second[i]] -= s * v[i]
        elif operation == SIN:
            for i in range(start, stop):
                w[first[i]] += w[i] * np.cos(v[first[i]])
        elif operation == COS:
            for i in range(start, stop):
                w[first[i]] -= w[i] * np.sin(v[first[i]])
        elif operation == SQRT:
            for i in range(start, stop):
                if w[i] != 0.0:  # a root of zero that nothing follows from has no part in it
                    w[first[i]] += w[i] / (2 * v[i])
        elif operation == EXP:
            for i in range(start, stop):
                w[first[i]] += w[i] * v[i]
        elif operation == LAW:
            i = start
            while i < stop:
                _law_back(calls, seen, laws, varied, weights, room, complexes, v, w, by_name, i, first[i])
                i += calls[first[i], 3]
        elif operation == RAMP:
            for i in range(start, stop):
                if v[first[i]] > 0.0:
                    w[first[i]] += w[i]


@numba.njit(cache=True, error_model="numpy")
def _law_back(
    calls: Any,
    seen: Any,
    laws: Any,
    varied: Any,
    weights: Any,
    room: Any,
    complexes: Any,
    v: Any,
    w: Any,
    by_name: Any,
    i: Any,
    c: Any,
) -> None:
    """Through call c of a user function, whose values are at places i and on: by the complex step for what it sees, by
    differences for parameters that it refers to. The latter are taken where one point tells that there is one."""
    t, sees, values, where = v[calls[c, 1]], calls[c, 2], calls[c, 3], calls[c, 4]
    any_weight = False
    for k in range(values):
        any_weight = any_weight or w[i + k] != 0.0
    if not any_weight:
        return
    x, out = _pointer(complexes), _offset(_pointer(complexes), sees)
    for j in range(sees):
        for k in range(sees):
            complexes[k] = complex(v[seen[where + k]], H if k == j else 0.0)
        _call(laws[c, 1], t, x, 0, out, 0)
        for k in range(values):
            w[seen[where + j]] += w[i + k] * (complexes[sees + k].imag / H)
    for k in range(sees):
        room[k] = v[seen[where + k]]
    given, found = _pointer(room), _offset(_pointer(room), sees)
    for n in range(laws[c, 2], laws[c, 3]):
        _call(varied[n, 1], t, given, 0, found, 0)
        differs = False
        for k in range(values):
            differs = differs or room[sees + k] != v[i + k]
        if differs:
            for m in range(POINTS):
                if m > 0:
                    _call(varied[n, 1 + m], t, given, 0, found, 0)
                for k in range(values):
                    by_name[varied[n, 0]] += weights[n, m] * w[i + k] * room[sees + k]


@numba.njit(cache=True, error_model="numpy")
def steps_back(
    tape: Any, method: Any, times: Any, lengths: Any, states: Any, quaternions: Any, back: Any, by_given: Any, by_name: Any
) -> None:
    """Take steps back by (1): `back`, the derivatives of a cost by the state at the end, become those by the state at the
    start; those by what else is given, and by parameters of user functions, are added to `by_given` and `by_name`.

    Args:
        tape: (numbers, rows, first, second, outputs, calls, seen, laws, varied, weights).
        method: a, b, c of the tableau.
        times, lengths, states: of each step: when it began, how long it was, the state x there.
        quaternions: places in x at which one begins; each is brought to unit length after a step.
    """
    numbers, rows, first, second, outputs, calls, seen, laws, varied, weights = tape
    a, b, c = method
    stages, n, others = len(b), states.shape[1], len(by_given)
    most = 1
    for call in range(calls.shape[0]):
        most = max(most, calls[call, 2] + calls[call, 3])
    room, complexes = np.zeros(most), np.zeros(most, np.complex128)
    v, w = np.empty((stages, len(numbers))), np.empty(len(numbers))
    for j in range(stages):
        v[j] = numbers
    k, by_stage, end = np.empty((stages, n)), np.empty((stages, n)), np.empty(n)
    for step in range(len(times) - 1, -1, -1):
        h = lengths[step]
        for j in range(stages):
            v[j, 0] = times[step] + c[j] * h
            for i in range(n):
                total = 0.0
                for l in range(j):
                    total += a[j, l] * k[l, i]
                v[j, 1 + i] = states[step, i] + h * total
            sweep(rows, first, second, calls, seen, laws, room, v[j])
            for i in range(n):
                k[j, i] = v[j, outputs[i]]
        for i in range(n):
            end[i] = states[step, i]
            for j in range(stages):
                end[i] += h * b[j] * k[j, i]
        unit_back(quaternions, end, back)
        for j in range(stages - 1, -1, -1):
            w[:] = 0.0
            for i in range(n):
                total = b[j] * back[i]
                for l in range(j + 1, stages):
                    total += a[l, j] * by_stage[l, i]
                w[outputs[i]] += h * total
            sweep_back(rows, first, second, calls, seen, laws, varied, weights, room, complexes, v[j], w, by_name)
            for i in range(n):
                by_stage[j, i] = w[1 + i]
            for i in range(others):
                by_given[i] += w[1 + n + i]
        for j in range(stages):
            for i in range(n):
                back[i] += by_stage[j, i]


@numba.njit(cache=True, error_model="numpy")
def unit_back(quaternions: Any, y: Any, back: Any) -> None:
    """Through the division of every quaternion in y by its length."""
    for q in quaternions:
        square, along = 0.0, 0.0
        for i in range(q, q + 4):
            square += y[i] * y[i]
            along += y[i] * back[i]
        length = np.sqrt(square)
        for i in range(q, q + 4):
            back[i] = (back[i] - y[i] * along / square) / length


__all__ = ["POINTS", "steps_back", "sweep", "sweep_back"]
