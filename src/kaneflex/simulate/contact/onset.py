"""Slip that begins: while a point hardly slides, friction turns its slip much faster than anything else moves.

With the slip v = r (cos b, sin b) the angle b follows r b' = g(b): it goes to where friction leaves an acceleration along
the slip, at a rate of the acceleration by friction divided by r, without bound where r begins at zero. An explicit method
would need steps of r over that acceleration. But there is nothing to be seen of the rate: b changes as slowly as the loads
do. So b(t) is found beforehand for a short time, as a polynomial, by collocation: friction of the direction b gives a slip
of that direction. Until then friction has this direction, and the motion is as smooth as without friction.
"""

import copy
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels.tables import Tables
from kaneflex.model.forces import SlidingFriction
from kaneflex.model.model import Model
from kaneflex.simulate.changes import editable_copy
from kaneflex.simulate.contact.closing import closed, friction_of
from kaneflex.simulate.contact.kinematics import PointVelocities
from kaneflex.simulate.contact.thresholds import (
    DIFFERENCE,
    ENOUGH,
    FIRST,
    LONGEST,
    NO_DIRECTION,
    NO_SLIP,
    QUICK,
    SHORTEST,
    SLOW,
    TURN,
)
from kaneflex.simulate.methods.dop853 import DOP853
from kaneflex.simulate.trajectory import Options

Array = np.ndarray
NODES = (1 - np.cos(np.pi * np.arange(1, 7) / 6)) / 2  # of collocation, in units of the time
BETWEEN = np.array([0.03, 0.15, 0.37, 0.63, 0.85, 0.98])
POWERS = np.linalg.inv(np.vander(NODES, increasing=True))  # coefficients by powers, from values at the nodes
INTEGRALS = (NODES[:, None] ** np.arange(1, 7) / np.arange(1, 7)) @ POWERS  # from zero to the nodes, from values there


def eased(model: Model, dynamics: Dynamics, t: float, q: Array, u: Array, options: Options) -> Model:
    """The model with the direction of friction given for a while, where points begin to slip; the same model where not."""
    names = [name for name in closed(model) if friction_of(name) in model.loads]
    if not names:
        return model
    begin = _Beginning(model, dynamics, names, t, q, u)
    if not begin.names:
        return model
    time, best = begin.first, None
    tolerance = 0.1 * (options.atol + options.rtol * max(float(np.abs(u).max()), 0.1))
    while SHORTEST < time <= LONGEST:
        found = begin.collocated(time, tolerance)
        if found is None:
            if best is not None:
                break
            time /= 4
            continue
        best = (time, found[0])
        if found[1]:
            break
        time *= 5
    if best is None:
        return model
    other, (time, coefficients) = editable_copy(model), best
    for name, angle in zip(begin.names, coefficients, strict=True):
        other.loads.put(friction_of(name), SlidingFriction(name, tuple(map(float, angle)), t, t + time))
    return other


def free_again(model: Model, t: float) -> Model:
    """The model with friction along the slip again, where its direction was given."""
    other = editable_copy(model)
    for name, load in model.loads.items():
        if isinstance(load, SlidingFriction) and load.until is not None:
            angle = np.polyval(load.angle[::-1], t - load.since)
            other.loads.put(name, replace(load, angle=(float(angle),), since=0.0, until=None))
    return other


class _Beginning:
    """Points that begin to slip, at one state."""

    def __init__(self, model: Model, dynamics: Dynamics, names: list[str], t: float, q: Array, u: Array):
        self.model, self.t, self.names = model, t, names
        self.worker = copy.copy(dynamics)
        self.worker.P = dynamics.P.copy()
        self.y = dynamics.layout.join(q, u, dynamics.z)
        self.nq, self.nu = len(q), len(u)
        tables = Tables(dynamics.I, {"P": self.worker.P})
        loads = [dynamics.plan.index.loads[friction_of(name)] for name in names]
        self.frictions = [tables.force[m].friction_par for (m,) in loads]
        self._points = PointVelocities(self.worker, [model.contacts[n] for n in names])
        slips = self._slips(t, self.y)[0]
        self.angles = np.array([self._angle(k, v) for k, v in enumerate(slips)])
        self._turns_quickly(slips)

    def _slips(self, times: ArrayLike, states: Array) -> Array:
        """Slip of the points, in axes of their planes, at every time and row of states."""
        rows = np.atleast_2d(states)
        return self._points.velocities(np.broadcast_to(times, len(rows)).astype(float), rows)[:, :, :2]

    def _angle(self, k: int, slip: Array) -> float:
        load = self.model.loads[friction_of(self.names[k])]
        assert isinstance(load, SlidingFriction)
        return float(np.arctan2(slip[1], slip[0])) if np.hypot(*slip) > NO_DIRECTION else load.angle[0]

    def _give(self, coefficients: Array, times: float) -> None:
        """Let friction have angles by powers of t over `times`."""
        for friction, c in zip(self.frictions, coefficients, strict=True):
            friction[1:] = 0.0, self.t, *(c / times ** np.arange(6))

    def _accelerations(self, angles: Array) -> Array:
        """Of the slip of the points, apart from what does not depend on friction, when friction has these angles."""
        self._give(np.column_stack([angles, np.zeros((len(angles), 5))]), 1.0)
        udot = self.worker.derivative(self.t, self.y)[self.nq : self.nq + self.nu]
        q = self.y[: self.nq]
        changed, still = self._slips(self.t, np.array([[*q, *udot], [*q, *(0 * udot)]]))
        return changed - still

    def _turns_quickly(self, slips: Array) -> None:
        """Keep those points only that slide slowly, and none if all of these are well accelerated."""
        across, turn = np.column_stack([-np.sin(self.angles), np.cos(self.angles)]), TURN
        at = self._accelerations(self.angles)
        G = np.empty((len(self.names), len(self.names)))
        for k in range(len(self.names)):
            moved = self.angles.copy()
            moved[k] += turn
            G[:, k] = -np.sum(across * (self._accelerations(moved) - at), axis=1) / turn
        later = self.y + DIFFERENCE * self.worker.derivative(self.t, self.y)
        along = np.column_stack([np.cos(self.angles), np.sin(self.angles)])
        gain = np.sum(along * (self._slips(self.t + DIFFERENCE, later)[0] - slips), axis=1) / DIFFERENCE
        self.friction = np.abs(G).sum(axis=1)
        sizes = np.linalg.norm(slips, axis=1)
        quick = sizes < QUICK * self.friction
        hardly = np.where(sizes < NO_DIRECTION, gain, np.abs(gain)) < SLOW * self.friction
        quick &= bool(np.any(quick & hardly))
        for k in np.flatnonzero(~quick).tolist():
            self.frictions[k][1] = 1 / NO_SLIP
        self.names = [n for n, keep in zip(self.names, quick, strict=True) if keep]
        self.frictions = [own for own, keep in zip(self.frictions, quick, strict=True) if keep]
        self.angles, self.G, self.friction = self.angles[quick], G[np.ix_(quick, quick)], self.friction[quick]
        self._points = PointVelocities(self.worker, [self.model.contacts[n] for n in self.names])
        times = sizes[quick] / np.maximum(np.abs(gain[quick]), 1e-300)  # in which slip doubles
        self.first = min(max(FIRST, float(times.min(initial=LONGEST))), LONGEST)

    def collocated(self, time: float, tolerance: float) -> tuple[Array, bool] | None:
        """Coefficients of the angles by powers of t, and whether that is long enough; None when they were not found to the
        tolerance (m/s), or the points do not slip."""
        n, angles = len(self.names), np.repeat(self.angles[:, None], 6, axis=1)
        worst = np.inf
        for _ in range(15):
            defects, sizes, between, pace = self._path(angles, time)
            last, worst = worst, float(np.abs(defects).max())
            if not ENOUGH * tolerance < worst < last:
                break
            J = np.kron(self.G, time * INTEGRALS) + np.diag(np.abs(sizes.ravel()))
            angles = angles + np.linalg.lstsq(J, defects.ravel(), rcond=None)[0].reshape(n, 6)
        if not (max(worst, float(np.abs(between).max())) <= tolerance and sizes.min() > 0):
            return None
        c = angles @ POWERS.T
        done = (pace > SLOW * self.friction) | (sizes[:, -1] > QUICK * self.friction)
        return c / time ** np.arange(6), bool(done.all())

    def _path(self, angles: Array, time: float) -> tuple[Array, Array, Array, Array]:
        """The slip when friction has the angles: its part across them at the nodes, that along them, that across them
        between the nodes, and its acceleration at the end."""
        self._give(angles @ POWERS.T, time)
        at = np.concatenate([NODES, BETWEEN])
        states, t, y = np.empty((len(at), len(self.y))), self.t, self.y
        for k in np.argsort(at):  # a step of a high order from each to the next
            h = self.t + time * at[k] - t
            slopes = np.zeros((DOP853.stages, len(y)))
            for i in range(DOP853.stages):
                slopes[i] = self.worker.derivative(t + DOP853.c[i] * h, y + h * (DOP853.A[i] @ slopes))
            t, y = t + h, y + h * (DOP853.b @ slopes)
            states[k] = y
        slips = self._slips(self.t + time * at, states).swapaxes(0, 1)
        values = (angles @ POWERS.T) @ (at[:, None] ** np.arange(6)).T
        across = np.cos(values) * slips[:, :, 1] - np.sin(values) * slips[:, :, 0]
        along = np.cos(values) * slips[:, :, 0] + np.sin(values) * slips[:, :, 1]
        pace = (along[:, 5] - along[:, -1]) / (time * (1 - BETWEEN[-1]))
        return across[:, :6], along[:, :6], across[:, 6:], pace
