"""The gradient of a number by many parameters at once: the steps of the run are taken back (`tape_sweeps`), at a cost that
does not grow with the parameters.

    dc/dp = c_p + v(t0)^T dx0/dp + sum over stages of s^T f_p ,                                                          (1)

v being the derivatives of the number c by the state x, and s what a step back has at a stage. These are the derivatives of
the very steps that were taken, exact to rounding; the steps are short enough for the motion and for its change with the
parameters (`paired_steps`).
"""

from typing import Any

import numpy as np

from kaneflex.analysis.compiled_slopes import Slopes
from kaneflex.analysis.paired_steps import FULL, SMALL, advance_pair
from kaneflex.analysis.parameter_numbers import ParameterNumbers, numbers_of
from kaneflex.analysis.tape import tape_of
from kaneflex.analysis.tape_sweeps import POINTS, steps_back
from kaneflex.analysis.variations import STEP, NotDifferentiable, Point, Posed, along, names_of, pose
from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.model.checks import ModelError
from kaneflex.model.said import Asked
from kaneflex.plan.laws import LawNotDifferentiable
from kaneflex.results.run import Run
from kaneflex.simulate.lanes import plan_serves
from kaneflex.simulate.methods.dop853 import DOP853

Array = np.ndarray
ROOM = 1024  # steps in one go


class Adjoint:
    """Gradients of what a run ends with.

    Args:
        run: the run, in which nothing happens but corners of profiles that stay where they are.
        asked: how it was asked for.
        names: of parameters and initial values.
        rtol: relative tolerance of the steps; the absolute one is as much smaller than the run's as this is.
    """

    def __init__(self, run: Run, asked: Asked, names: Any, rtol: float):
        options = run.trajectory.options
        self.names = names_of(names)
        self.base = pose(asked, options, asked.values, {})
        plan = self.base.plan
        if run.events or run.impacts or run.segments or run.status != "done" or not plan_serves(plan):
            raise NotDifferentiable("something happens in the run, or its equations branch")
        self.point = Point(asked, options, self.names, self.base)
        self.numbers = ParameterNumbers(self.point, self.names)
        self.n, self.end = plan.layout.states, float(run.t[-1])
        self._steps((rtol, options.atol * min(1.0, rtol / options.rtol)))
        self._tables()

    # -- there ---------------------------------------------------------------------------------------------------------

    def _steps(self, tolerances: tuple[float, float]) -> None:
        """Steps of the motion."""
        base, beside = self.base, self.numbers.beside
        slopes = Slopes(base), Slopes(beside)
        blocks = np.array([s.block for s in slopes])
        method = DOP853.A, DOP853.b, DOP853.c, DOP853.E[:, : DOP853.stages].copy()
        Y = np.array([base.y0, beside.y0])
        quaternions = np.array(base.plan.layout.quaternions, np.int64)
        clock, found = np.array([base.t0, base.t0, 0.0, 0.0]), []
        apart = float(np.linalg.norm(list(self.numbers.moved.values()))) * STEP
        for stop in [t for t in base.plan.breaks if base.t0 < t < self.end] + [self.end]:
            clock[1] = stop - 8 * np.spacing(abs(stop))  # on this side of a corner, whatever rounding does to stages
            status = FULL
            while status == FULL and clock[0] < clock[1]:
                times, lengths, states = np.empty(ROOM), np.empty(ROOM), np.empty((ROOM, self.n))
                own = (method, clock, Y, self.n, apart, np.array(tolerances), quaternions, times, lengths, states)
                status, count = advance_pair(slopes[0].code, blocks, *own)
                found.append((times[:count], lengths[:count], states[:count]))
            for posed in (base, beside):
                posed.plan.raise_errors()
            if status == SMALL:
                raise NotDifferentiable(f"no step is short enough at t = {clock[0]:.6g} s")
            clock[0] = stop
        self.times, self.lengths, self.states = (np.concatenate(part) for part in zip(*found, strict=True))
        self.last = Y[0].copy()

    # -- and back ------------------------------------------------------------------------------------------------------

    def _tables(self) -> None:
        """The tape, with the user functions and what they depend on."""
        plan, (places, _) = self.base.plan, self.numbers.changes
        parameters, inputs = places[places < len(plan.P)], np.arange(len(self.base.inputs))
        self._given = np.append(parameters, len(plan.P) + inputs)  # their places among the problem's numbers
        tape = tape_of(plan, parameters.tolist())
        changes = sorted(self.numbers.laws, key=lambda change: change.law)
        varied = np.array([[c.name, *(law.address for law in c.each)] for c in changes], np.int64).reshape(-1, 1 + POINTS)
        weights = np.array([c.weights for c in changes]).reshape(-1, POINTS)
        owners = [c.law for c in changes]
        laws = np.zeros((len(tape.calls), 4), np.int64)
        for row, (number, _, sees, _, _) in zip(laws, tape.calls.tolist(), strict=True):
            law = plan.laws[number]
            row[0], row[1] = law.address, law.complex_address if sees else 0
            row[2], row[3] = np.searchsorted(owners, number), np.searchsorted(owners, number, side="right")
        numbers = tape.numbers.copy()
        numbers[1 + self.n :][: len(self._given)] = numbers_of(self.base)[self._given]
        self._tape = numbers, tape.rows, tape.first, tape.second, tape.outputs, tape.calls, tape.seen, laws, varied, weights

    def _back(self, by_state: Array) -> Array:
        """Derivatives by the names of a number whose derivatives by the state at the end are these."""
        by_given, by_name = np.zeros(len(self._given)), np.zeros(len(self.names))
        back = np.ascontiguousarray(by_state, float).copy()
        quaternions = np.array(self.base.plan.layout.quaternions, np.int64)
        method = DOP853.A, DOP853.b, DOP853.c
        steps_back(self._tape, method, self.times, self.lengths, self.states, quaternions, back, by_given, by_name)
        self.base.plan.raise_errors()
        places, changes = self.numbers.changes
        by_number = np.zeros(len(numbers_of(self.base)))
        by_number[self._given] = by_given
        by_number[-self.n :] = back
        return by_name + by_number[places] @ changes

    # -- what is asked for ---------------------------------------------------------------------------------------------

    def final(self, name: str) -> tuple[Any, Array]:
        """The last value of a channel, and its derivatives, (..., names)."""
        x, base = self.last[: self.n], self.base
        value = self._read(base, name, x[None])[0]
        if not np.array_equal(value, self._read(self.numbers.beside, name, x[None])[0]):
            raise NotDifferentiable(f"channel {name} depends on parameters by itself")
        scale = np.maximum(np.abs(x), 1.0)
        each = np.moveaxis(along(lambda e: self._read(base, name, x + e * np.diag(scale)), 1.0), 0, -1) / scale
        flat = each.reshape(-1, self.n)
        return value, np.array([self._back(row) for row in flat]).reshape(*np.shape(value), len(self.names))

    def _read(self, posed: Posed, name: str, x: Array) -> Array:
        y = np.hstack([x, np.zeros((len(x), len(self.last) - self.n))])
        inputs = np.repeat(posed.inputs[None], len(x), axis=0)
        return np.asarray(ChannelReader(posed.plan, [name]).read(posed.dynamics, np.full(len(x), self.end), y, inputs)[name])


def adjoint_gradient(run: Run, asked: Asked, names: Any, rtol: float, channel: str) -> tuple[Any, Array] | None:
    """The last value of a channel and its derivatives by names, where they can be had in this way; else None."""
    try:
        return Adjoint(run, asked, names, rtol).final(channel)
    except (ModelError, LawNotDifferentiable):
        return None


__all__ = ["Adjoint", "adjoint_gradient"]
