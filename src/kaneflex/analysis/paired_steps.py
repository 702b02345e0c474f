"""A motion and one beside it, in common steps that are short enough for both and for their difference.

What a gradient needs of a motion are its steps, and how it changes with its parameters must be followed by these as well as
the motion itself: where nothing moves yet, a motion alone would take any step. The motion beside it, at other values of all
parameters at once, shows in its difference, over how far the values are apart, what such a change does.

The steps are those of an explicit Runge-Kutta method with the error estimates of DOP853 (Hairer, Norsett, Wanner, Solving
Ordinary Differential Equations I, section II.5). Touches raw memory, that of plans which must outlive the calls.
"""

from typing import Any

import numba
import numpy as np

from kaneflex.analysis.compiled_slopes import rate_at

DONE, FULL, SMALL = 0, 1, 2  # the end is reached; there is no room for more steps; no step is short enough
LEAST = 1e-14  # of the time, a step


@numba.njit(cache=True, error_model="numpy")
def _error(e: Any, K: Any, h: Any, n: Any, scale: Any) -> float:
    """Norm of the two error estimates over `scale`, joined."""
    fifth, third = 0.0, 0.0
    for i in range(n):
        x, y = 0.0, 0.0
        for j in range(e.shape[1]):
            x += e[0, j] * K[j, i]
            y += e[1, j] * K[j, i]
        fifth += (x / scale[i]) ** 2
        third += (y / scale[i]) ** 2
    if fifth == 0.0 and third == 0.0:
        return 0.0
    return h * fifth / np.sqrt((fifth + 0.01 * third) * n)


@numba.njit(cache=True, error_model="numpy")
def _unit(quaternions: Any, y: Any) -> None:
    for q in quaternions:
        square = 0.0
        for i in range(q, q + 4):
            square += y[i] * y[i]
        for i in range(q, q + 4):
            y[i] /= np.sqrt(square)


@numba.njit(cache=True, error_model="numpy")
def advance_pair(
    code: Any,
    blocks: Any,
    method: Any,
    clock: Any,
    Y: Any,
    n: Any,
    apart: Any,
    tolerances: Any,
    quaternions: Any,
    times: Any,
    lengths: Any,
    states: Any,
) -> tuple[int, int]:
    """Step from clock[0] to clock[1], until `times`, `lengths` and `states` are full: status, and number of steps.

    Args:
        code: address of the rate of y.
        blocks: of both motions, addresses of the addresses of their tables.
        method: a, b, c and both rows of e of the tableau.
        clock: the time, s, and the end; the next step, 0 for one that is to be found; largest difference so far. Written.
        Y: both states y, the first n numbers of which are controlled. Written.
        apart: how far the values of the parameters are apart, of their size.
        tolerances: relative and absolute one.
        quaternions: places in y at which one begins.
    """
    a, b, c, e = method
    stages, size, count = len(b), Y.shape[1], 0
    K, D = np.zeros((2, stages, size)), np.zeros((stages, size))
    tried, new, scale = np.empty(size), np.empty((2, size)), np.empty(n)
    rtol, atol, rejected = tolerances[0], tolerances[1], False
    if clock[2] == 0.0:
        clock[2] = (clock[1] - clock[0]) / 100
    while clock[0] < clock[1]:
        if count == len(times):
            return FULL, count
        t, h = clock[0], clock[2]
        left = clock[1] - t
        if h >= left or h > 0.99 * left:
            h = left
        elif 2 * h > left:
            h = left / 2
        if h < left and h < LEAST * max(abs(t), abs(clock[1])):
            return SMALL, count
        for m in range(2):
            for j in range(stages):
                for i in range(size):
                    total = 0.0
                    for l in range(j):
                        total += a[j, l] * K[m, l, i]
                    tried[i] = Y[m, i] + h * total
                at = t + c[j] * h
                rate_at(code, blocks[m], at, tried.ctypes.data, K[m, j].ctypes.data)  # type: ignore[call-arg]
            for i in range(size):
                total = 0.0
                for j in range(stages):
                    total += b[j] * K[m, j, i]
                new[m, i] = Y[m, i] + h * total
        largest, norm = clock[3], 0.0
        for i in range(n):
            largest = max(largest, abs(new[1, i] - new[0, i]) / apart)
            norm = max(norm, abs(new[0, i]))
        for i in range(n):
            scale[i] = atol + rtol * max(abs(Y[0, i]), abs(new[0, i]))
        error = _error(e, K[0], h, n, scale)
        for i in range(n):
            scale[i] = rtol * (abs(new[1, i] - new[0, i]) / apart + largest) + 1e-16 / apart * norm + 1e-300
            for j in range(stages):
                D[j, i] = (K[1, j, i] - K[0, j, i]) / apart
        error = max(error, _error(e, D, h, n, scale))
        if not error <= 1.0:
            clock[2] = h * (max(0.2, 0.9 * error ** (-1 / 8)) if error > 1.0 else 0.1)
            rejected = True
            continue
        times[count], lengths[count] = t, h
        for i in range(n):
            states[count, i] = Y[0, i]
        count += 1
        for m in range(2):
            _unit(quaternions, new[m])
            for i in range(size):
                Y[m, i] = new[m, i]
        clock[0], clock[3] = t + h if h < left else clock[1], largest
        clock[2] = h * (min(1.0 if rejected else 6.0, 0.9 * error ** (-1 / 8)) if error > 0.0 else 6.0)
        rejected = False
    return DONE, count


__all__ = ["DONE", "FULL", "SMALL", "advance_pair"]
