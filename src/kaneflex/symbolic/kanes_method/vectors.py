"""Components of vectors, and turns of axes, as SymEngine expressions; terms that vanish are not formed."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import symengine

from kaneflex.symbolic.calculus import total
from kaneflex.symbolic.translate import ZERO

Expr = Any
Triple = tuple[Expr, Expr, Expr]
Entry = tuple[int, Triple]
FrameVector = tuple[Entry, ...]
Turn = tuple[int, Expr]  # axis and angle, or -1 and a matrix by rows

NOTHING: Triple = (ZERO, ZERO, ZERO)


def cross(a: Triple, b: Triple) -> Triple:
    """a x b, without terms that vanish."""
    if vanishes(a) or vanishes(b):
        return NOTHING
    return (_minor(a, b, 1, 2), _minor(a, b, 2, 0), _minor(a, b, 0, 1))


def _minor(a: Triple, b: Triple, i: int, j: int) -> Expr:
    x = ZERO if a[i] == 0 or b[j] == 0 else a[i] * b[j]
    y = ZERO if a[j] == 0 or b[i] == 0 else a[j] * b[i]
    return x if y == 0 else x - y


def add(*triples: Triple) -> Triple:
    """Sum of triples."""
    kept = [t for t in triples if not vanishes(t)]
    if not kept:
        return NOTHING
    if len(kept) == 1:
        return kept[0]
    x, y, z = (total([t[k] for t in kept if t[k] != 0]) for k in range(3))
    return (x, y, z)


def scale(s: Expr, a: Triple) -> Triple:
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


def dot(a: Triple, b: Triple) -> Expr:
    """a . b of triples in the same axes."""
    return total([x * y for x, y in zip(a, b, strict=True) if x != 0 and y != 0])


def vanishes(a: Triple) -> bool:
    """Whether all three are zero."""
    return a is NOTHING or bool(a[0] == 0 and a[1] == 0 and a[2] == 0)


class Motion(NamedTuple):
    """A velocity (or angular velocity) in one frame: partial ones by speed, value and bias without auxiliary speeds."""

    partials: dict[int, Triple]
    value: Triple
    bias: Triple


STILL = Motion({}, NOTHING, NOTHING)


def sum_of(parts: Sequence[Motion]) -> Motion:
    """Sum of motions in the same axes."""
    kept = [m for m in parts if m is not STILL]
    if len(kept) < 2:
        return kept[0] if kept else STILL
    speeds = sorted({r for m in kept for r in m.partials})
    partials = {r: add(*(m.partials[r] for m in kept if r in m.partials)) for r in speeds}
    return Motion(partials, add(*(m.value for m in kept)), add(*(m.bias for m in kept)))


def turned(turn: Turn, c: Triple, sign: int) -> Triple:
    """Components after a turn of the axes (sign 1) or back (sign -1)."""
    axis, angle = turn
    if axis < 0:
        rows = angle if sign > 0 else tuple(zip(*angle, strict=True))
        x, y, z = (dot(row, c) for row in rows)
        return (x, y, z)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    if angle == 0 or (c[i] == 0 and c[j] == 0):
        return c
    cosine, sine = symengine.cos(angle), symengine.sin(angle)
    if sign < 0:
        sine = -sine
    out = list(c)
    out[i] = total([f * x for f, x in ((cosine, c[i]), (sine, c[j])) if x != 0])
    out[j] = total([f * x for f, x in ((cosine, c[j]), (-sine, c[i])) if x != 0])
    return (out[0], out[1], out[2])


def joined(steps: list[tuple[Turn, int]]) -> list[tuple[Turn, int]]:
    """Neighbouring turns about the same axis as one."""
    result: list[tuple[Turn, int]] = []
    for (axis, angle), sign in steps:
        if axis >= 0:
            angle, sign = (angle, 1) if sign > 0 else (-angle, 1)
            if result and result[-1][0][0] == axis:
                angle = result.pop()[0][1] + angle
        result.append(((axis, angle), sign))
    return result
