"""The right-hand side of a system as a tape: a straight line of operations, for sweeps in both directions.

The tape is sorted by levels, each of which needs only those before it, and within a level by operation: a sweep goes over
long rows of one operation. Its numbers are, in order, t, the state x = (q, u, z), chosen parameters of the tables, the named
inputs, constants, and what the operations give.
"""

import functools
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.analysis.taped_numbers import CONSTANT, GIVEN, LAW, Notes, scalar
from kaneflex.kernels import backend
from kaneflex.kernels.tables import Tables
from kaneflex.plan.plan import Plan

Array = np.ndarray
KEPT = 8  # tapes that are kept
_kept: OrderedDict[Any, "Tape"] = OrderedDict()


@dataclass(frozen=True)
class Tape:
    """The operations that give x-dot.

    Args:
        numbers: those of all places, with the constants filled in.
        rows: of operations of one kind: (operation, first place, place after the last one).
        first, second: places of the operands, for every place; of a LAW number of the call and of its value.
        outputs: places of x-dot.
        calls: of user functions, a row each: number of the law, place of the time, how many numbers it sees, how many it
            gives, where in `seen` the former begin.
        seen: places of what the functions see.
        givens: how many numbers are given.
    """

    numbers: Array
    rows: Array
    first: Array
    second: Array
    outputs: Array
    calls: Array
    seen: Array
    givens: int


def tape_of(plan: Plan, parameters: Sequence[int] = ()) -> Tape:
    """The tape of a plan whose formulation is recursive, without loops and friction.

    Args:
        plan: of the system.
        parameters: places in P of the numbers that are given, as the state is; others are constants.
    """
    constants = plan.P.copy()
    constants[list(parameters)] = np.nan
    header = plan.with_header(stages=0, complex_stages=0)
    Tables(header, {"I": header}).law.address[:] = 0
    sizes = str([(law.inputs, law.outputs) for law in plan.laws])
    key = header.tobytes(), constants.tobytes(), tuple(parameters), sizes
    if key not in _kept:
        _kept[key] = _recorded(plan, parameters)
        if len(_kept) > KEPT:
            _kept.popitem(last=False)
    _kept.move_to_end(key)
    return _kept[key]


@functools.cache
def _kernels() -> Any:
    return backend.interpreted(scalar())


def _recorded(plan: Plan, parameters: Sequence[int]) -> Tape:
    notes, layout = Notes(), plan.layout
    givens = 1 + layout.states + len(parameters) + len(plan.index.inputs)
    given = [notes.number(GIVEN, k) for k in range(givens)]
    t, x, rest = given[0], given[1 : 1 + layout.states], given[1 + layout.states :]
    I = np.array(plan.I.tolist(), object)  # Python's integers, which are the quickest
    Tables(I, {"I": I}).law.address[:] = [notes.law(k, law.inputs, law.outputs) for k, law in enumerate(plan.laws)]
    P, W = np.array(plan.P.tolist(), object), np.array(plan.workspace().tolist(), object)
    P[list(parameters)] = rest[: len(parameters)]
    plan.work(W).law_output.value[: len(plan.index.inputs)] = rest[len(parameters) :]
    y, ydot = np.array([*x, 0.0, 0.0], object), np.zeros(layout.size, object)
    _kernels().derivative(I, P, W, t, y, ydot)
    return _sorted(notes, givens, [notes.place(value) for value in ydot[: layout.states]])


def _sorted(notes: Notes, givens: int, outputs: list[int]) -> Tape:
    """The tape of what the outputs need."""
    needed, called = _needed(notes, outputs)
    level = [0] * len(notes.rows)
    order = []
    for k, (operation, a, b) in enumerate(notes.rows):
        if operation == LAW:
            _, t, seen, _ = notes.calls[a]
            level[k] = 1 + max((level[j] for j in (t, *seen)), default=0)
        elif operation not in (GIVEN, CONSTANT):
            level[k] = 1 + max(level[a], level[b] if b >= 0 else 0)
        if needed[k] or operation == GIVEN:
            order.append((level[k], operation, k))
    order.sort()
    place = {k: n for n, (_, _, k) in enumerate(order)}
    size = len(order)
    numbers, first, second = np.zeros(size), np.zeros(size, np.int64), np.zeros(size, np.int64)
    rows: list[list[int]] = []
    for n, (depth, operation, k) in enumerate(order):
        _, a, b = notes.rows[k]
        if operation == CONSTANT:
            numbers[n] = a
        elif operation == LAW:
            first[n], second[n] = a, b
        elif operation != GIVEN:
            first[n], second[n] = place[a], place[b] if b >= 0 else 0
        if depth > 0:
            if n > 0 and order[n - 1][:2] == (depth, operation):
                rows[-1][2] = n + 1
            else:
                rows.append([operation, n, n + 1])
    calls, seen_places = [], list[int]()
    for number, (law, t, seen, values) in enumerate(notes.calls):
        if number in called:
            calls.append([law, place[t], len(seen), values, len(seen_places)])
            seen_places += [place[j] for j in seen]
        else:
            calls.append([law, 0, 0, 0, 0])
    return Tape(
        numbers,
        np.array(rows, np.int64).reshape(-1, 3),
        first,
        second,
        np.array([place[k] for k in outputs], np.int64),
        np.array(calls, np.int64).reshape(-1, 5),
        np.array(seen_places, np.int64),
        givens,
    )


def _needed(notes: Notes, outputs: list[int]) -> tuple[list[bool], set[int]]:
    """Which numbers the outputs depend on, and which calls: of a function that gives one of them all values are needed."""
    needed, called = [False] * len(notes.rows), set[int]()
    values = {row[1:]: k for k, row in enumerate(notes.rows) if row[0] == LAW}
    left = list(outputs)
    while left:
        k = left.pop()
        if needed[k]:
            continue
        needed[k] = True
        operation, a, b = notes.rows[k]
        if operation == LAW:
            if a not in called:
                called.add(a)
                _, t, seen, count = notes.calls[a]
                left += [t, *seen, *(values[a, n] for n in range(count))]
        elif operation not in (GIVEN, CONSTANT):
            left += [a, b] if b >= 0 else [a]
    return needed, called


__all__ = ["Tape", "tape_of"]
