"""Motions of SymPy's frames and points, as measure numbers by frame.

A vector is a tuple of entries (frame, (x, y, z)), one per frame, the frame given by its number. Every entry's partial
velocities, value and bias (the acceleration without rates of the speeds) are formed once, however many points carry it:

    position entry c in F:   c-dot + omega x c ,    c-ddot + 2 omega x c-dot + alpha x c + omega x (omega x c)       (1)
    velocity entry c in F:   c ,                    c-dot + omega x c                                                (2)

Angular velocities and accelerations are carried from frame to frame. Neighbouring turns about the same axis are joined
into one turn by the sum of their angles, so that plane mechanisms stay as short as on paper.
Ref: Kane and Levinson, Dynamics (1985), sections 2.3 to 2.8.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import sympy
from sympy.physics.vector import ReferenceFrame

from kaneflex.model.checks import ModelError
from kaneflex.symbolic.calculus import coefficients
from kaneflex.symbolic.kanes_method.rates import Rates
from kaneflex.symbolic.kanes_method.vectors import (
    NOTHING,
    STILL,
    Entry,
    FrameVector,
    Motion,
    Triple,
    Turn,
    add,
    cross,
    joined,
    sum_of,
    turned,
    vanishes,
)
from kaneflex.symbolic.translate import ZERO, Symbols

Expr = Any


class Frames:
    """The frames that SymPy's objects are written in: orientation and angular motion of each in the inertial one."""

    def __init__(self, inertial: ReferenceFrame, symbols: Symbols, turning: Rates) -> None:
        self.inertial, self.symbols, self.rates = inertial, symbols, turning
        self.frames: list[ReferenceFrame] = []
        self._numbers: dict[ReferenceFrame, int] = {}
        self._up: dict[int, tuple[int, Turn]] = {}
        self._carried: dict[int, tuple[int, FrameVector]] = {}
        self._moved: dict[tuple[int, Triple, int], Triple] = {}
        self._angular: dict[tuple[int, int], Motion] = {}
        self._turning: dict[tuple[int, int], Motion] = {}
        self._search("_dcm_dict", self._link)
        self._search("_ang_vel_dict", self._link_rate)

    def number(self, frame: ReferenceFrame) -> int:
        """The number of a frame; a frame that is not oriented in the inertial one is an error."""
        found = self._numbers.get(frame)
        if found is None or (found and found not in self._up):
            raise ModelError(f"frame {frame} is not oriented in the inertial frame {self.inertial}: orient it first")
        return found

    def turning(self, frame: ReferenceFrame) -> tuple[int, int]:
        """The number of a frame whose angular velocity is known, and of one to write it in: a wheel need not be oriented."""
        found = axes = self._numbers.get(frame, -1)
        if found < 0:
            raise ModelError(f"neither orientation nor angular velocity of frame {frame} in {self.inertial} is known")
        while axes and axes not in self._up:
            axes = self._carried[axes][0]
        return found, axes

    def parent(self, frame: int) -> int:
        """The frame that a frame is oriented in; the inertial one is its own."""
        return self._up[frame][0] if frame in self._up else frame

    def hold(self, frame: int, axes: int, chosen: Sequence[Expr | None]) -> None:
        """Write a frame's angular velocity with speeds in the place of those components that they stand for.

        To be called outward from the inertial frame, before anything else is asked for.
        """
        value = self._angular_velocity(frame, axes).value
        x, y, z = (v if u is None else u for v, u in zip(value, chosen, strict=True))
        self._carried[frame] = (0, ((axes, (x, y, z)),))
        self._turning.clear()
        self._angular.clear()

    def _take(self, frame: ReferenceFrame) -> int:
        if frame not in self._numbers:
            self._numbers[frame] = len(self.frames)
            self.frames.append(frame)
        return self._numbers[frame]

    def _search(self, table: str, link: Callable[[ReferenceFrame, ReferenceFrame], None]) -> None:
        """Breadth first from the inertial frame, so that every frame is reached by the shortest way, as SymPy does."""
        self._take(self.inertial)
        queue, seen = deque([self.inertial]), {self.inertial}
        while queue:
            near = queue.popleft()
            for far in getattr(near, table):
                if far not in seen:
                    seen.add(far)
                    self._take(far)
                    link(near, far)
                    queue.append(far)

    def _link(self, near: ReferenceFrame, far: ReferenceFrame) -> None:
        self._up[self._numbers[far]] = (self._numbers[near], self._turn(far._dcm_dict[near]))

    def _link_rate(self, near: ReferenceFrame, far: ReferenceFrame) -> None:
        self._carried[self._numbers[far]] = (self._numbers[near], self.vector(far._ang_vel_dict[near]))

    def _turn(self, C: Any) -> Turn:
        """Components in the outer axes to those in the inner ones: a turn about one axis, recognised, or a matrix."""
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            if C[k, k] == 1 and not any((C[k, i], C[k, j], C[i, k], C[j, k])) and C[i, i] == C[j, j]:
                c, s = C[i, i], C[i, j]
                if isinstance(c, sympy.cos) and C[j, i] == -s and s in (sympy.sin(c.args[0]), -sympy.sin(c.args[0])):
                    angle = self.symbols.engine(c.args[0])
                    return (k, angle if s == sympy.sin(c.args[0]) else -angle)
                if c == 1 and s == 0:
                    return (k, ZERO)
        return (-1, tuple(tuple(self.symbols.engine(C[i, j]) for j in range(3)) for i in range(3)))

    # -- components ----------------------------------------------------------------------------------------------------

    def vector(self, v: Any) -> FrameVector:
        """A SymPy vector as entries, with rates of the coordinates replaced by speeds."""
        entries = []
        for components, frame in getattr(v, "args", ()):
            x, y, z = (self.rates.in_speeds(self.symbols.engine(c)) for c in components)
            entries.append((self.number(frame), (x, y, z)))
        return tuple(entries)

    def _way(self, inner: int) -> tuple[int, Turn]:
        """From a frame up to the ancestor at which the axis of the turns changes, and the joint turn."""
        up, (axis, angle) = self._up[inner]
        while axis >= 0 and up in self._up and self._up[up][1][0] == axis:
            up, (_, more) = self._up[up]
            angle = angle + more
        return up, (axis, angle)

    def in_root(self, entry: Entry) -> Triple:
        """Components of an entry in the inertial axes."""
        return self.expressed(entry, 0)

    def expressed(self, entry: Entry, frame: int) -> Triple:
        """Components of an entry in the axes of a frame."""
        inner, c = entry
        if inner == frame or vanishes(c):
            return c
        key = (inner, c, frame)
        found = self._moved.get(key)
        if found is None:
            found = self._outward(inner, c) if frame == 0 else self._across(inner, c, frame)
            self._moved[key] = found
        return found

    def _outward(self, inner: int, c: Triple) -> Triple:
        up, turn = self._way(inner)
        return self.expressed((up, turned(turn, c, -1)), 0)

    def _across(self, inner: int, c: Triple, frame: int) -> Triple:
        """By the common ancestor, turns about the same axis joined."""
        above = {inner: 0}
        k = inner
        while k in self._up:
            k = self._up[k][0]
            above[k] = len(above)
        down: list[tuple[Turn, int]] = []
        meeting = frame
        while meeting not in above:
            down.append((self._up[meeting][1], 1))
            meeting = self._up[meeting][0]
        steps: list[tuple[Turn, int]] = []
        k = inner
        while k != meeting:
            steps.append((self._up[k][1], -1))
            k = self._up[k][0]
        for turn, sign in joined(steps + down[::-1]):
            c = turned(turn, c, sign)
        return c

    # -- angular motion ------------------------------------------------------------------------------------------------

    def angular(self, frame: int, axes: int) -> Motion:
        """Angular velocity of a frame in the inertial one: partial ones, value and bias, components in `axes`."""
        if frame == 0:
            return STILL
        key = (frame, axes)
        found = self._angular.get(key)
        if found is None:
            base, own = self._base(frame)
            below = self.shown(self.angular(base, base), base, axes) if axes == frame else self.angular(base, axes)
            moved = self._angular_velocity(frame, axes)
            biases = [below.bias]
            for f, c in own:
                value = self.rates.without_auxiliary(c)
                rate = add(self.rates.derivative(value), cross(self._angular_velocity(f, f).value, value))
                biases.append(self.expressed((f, rate), axes))
            found = self._given(frame, axes, moved._replace(bias=add(*biases)))
            self._angular[key] = found
        return found

    def _base(self, frame: int) -> tuple[int, FrameVector]:
        if frame not in self._carried:
            raise ModelError(f"the angular velocity of frame {self.frames[frame]} is not known: set it, or orient it")
        return self._carried[frame]

    def _angular_velocity(self, frame: int, axes: int) -> Motion:
        """The same without the bias: an angular velocity may be written in the very frame that it is of."""
        if frame == 0:
            return STILL
        key = (frame, axes)
        found = self._turning.get(key)
        if found is None:
            base, own = self._base(frame)
            below = self._angular_velocity(base, base if axes == frame else axes)
            parts = [self.shown(below, base, axes) if axes == frame else below]
            for f, c in own:
                parts.append(self.shown(Motion(self._partials(c), self.rates.without_auxiliary(c), NOTHING), f, axes))
            found = self._turning[key] = sum_of(parts)
        return found

    def _given(self, frame: int, axes: int, m: Motion) -> Motion:
        """The motion with the angular acceleration that the user has set, if any."""
        table = self.frames[frame]._ang_acc_dict
        if self.inertial not in table:
            return m
        rest, given = self.rates.at_rest, self.vector(table[self.inertial])
        return m._replace(bias=add(*(self.expressed((f, (rest(c[0]), rest(c[1]), rest(c[2]))), axes) for f, c in given)))

    def shown(self, m: Motion, inner: int, axes: int) -> Motion:
        """A motion with its components in other axes."""
        if inner == axes:
            return m
        partials = {r: self.expressed((inner, p), axes) for r, p in m.partials.items()}
        return Motion(partials, self.expressed((inner, m.value), axes), self.expressed((inner, m.bias), axes))

    def omega(self, frame: int) -> Motion:
        """Angular motion of a frame in its own axes."""
        return self.angular(frame, frame)

    def velocity_entry(self, entry: Entry) -> Motion:
        """Eq. (2)."""
        frame, c = entry
        value = self.rates.without_auxiliary(c)
        bias = add(self.rates.derivative(value), cross(self._angular_velocity(frame, frame).value, value))
        return Motion(self._partials(c), value, bias)

    def _partials(self, c: Triple) -> dict[int, Triple]:
        """Coefficients of the speeds in components."""
        partials: dict[int, list[Expr]] = {}
        for k in range(3):
            found, _ = coefficients(c[k], self.rates.speeds, "a velocity")
            for r, x in found.items():
                partials.setdefault(r, [ZERO] * 3)[k] = x
        return {r: (p[0], p[1], p[2]) for r, p in partials.items()}

    def position_entry(self, entry: Entry) -> Motion:
        """Eq. (1)."""
        frame, c = entry
        turning = self.omega(frame)
        rate = self.rates.full_derivative(c)
        own = self.velocity_entry((frame, rate)) if not vanishes(rate) else STILL
        partials = dict(own.partials)
        for r, w in turning.partials.items():
            partials[r] = add(partials.get(r, NOTHING), cross(w, c))
        value = add(own.value, cross(turning.value, c))
        # own.bias holds c-ddot + omega x c-dot
        bias = add(own.bias, cross(turning.bias, c), cross(turning.value, value))
        return Motion(partials, value, bias)


__all__ = ["Frames"]
