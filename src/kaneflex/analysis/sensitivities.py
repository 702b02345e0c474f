"""Derivatives of a run by parameters and initial values: forward sensitivities S = dy/dp along the motion,

    S' = df/dy S + df/dp ,    S(t0) = dy0/dp ,                                                                           (1)

integrated with the motion; df/dy S by the complex step, df/dp by differences of the problem (`variations`). Where an event
g(t, y) = 0 makes the state jump, y+ = R(t, y-), and with it where profiles have corners,

    dt = -(g_y S + g_p)/(g_t + g_y f-) ,    S+ = R_y S + R_p + (R_t + R_y f- - f+) dt .                                  (2)

Refs: Dickinson and Gelinas, J. Comput. Phys. 21 (1976) 123, for (1); Leine and Nijmeijer, Dynamics and Bifurcations of
Non-Smooth Mechanical Systems (2004), section 7.4, for (2), the saltation matrix.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from kaneflex.analysis.compiled_slopes import CompiledSlopes
from kaneflex.analysis.derivatives import Derivatives
from kaneflex.analysis.variations import NotDifferentiable, Posed, along, names_of, pose, vary
from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.said import Asked
from kaneflex.plan.plan import Event
from kaneflex.plan.state import State
from kaneflex.results.run import Run
from kaneflex.simulate.contact.events import contact_events
from kaneflex.simulate.contact.impacts import SimultaneousImpact

Array = np.ndarray
GRAZING = 1e-6  # rate of an event function, as a part of its change in a second, below which the motion grazes


@dataclass
class Happening:
    """An instant at which something happens: a break of a profile, an event, an impact.

    Args:
        t: s.
        kind: "break", "event" or "impact".
        name: of the event or contact, or number of the break.
    """

    t: float
    kind: str
    name: Any
    is_last: bool = False


@dataclass
class Sensitivities:
    """Derivatives of a run by parameters and initial values.

    Args:
        run: the run.
        names: of the parameters and initial values.
        tolerance: relative one of the integration of the derivatives; None for a tenth of the run's, or better.
        asked: how the run was asked for, where it is not as the run says.

    Attributes:
        t: times of the samples, those of the run.
        S: derivatives of y = (q, u, z) by the names: (samples, states, names).
        event_times: (time, name, derivatives of the time by the names) of events and impacts.
    """

    run: Run
    names: list[str]
    tolerance: float | None = None
    asked: Any = None
    event_times: list[tuple[float, str, Array]] = field(default_factory=list)

    def __post_init__(self) -> None:
        asked: Asked | None = self.run.asked if self.asked is None else self.asked
        self.names = names_of(self.names)
        if self.tolerance is not None:
            checks.positive(self.tolerance, "tolerance")
        if asked is None:
            raise ModelError(
                "derivatives are of runs that came from simulate: a file does not say how its run was asked for"
            )
        if self.run.segments or self.run.status not in ("done", "event"):
            first = next((f"at t = {s.t[-1]:.6g} s: {s.message}" for s in (*self.run.segments, self.run)), "")
            raise NotDifferentiable(f"the system becomes another one in this run, which has no derivatives here, {first}")
        self.asked = asked
        options = self.run.trajectory.options
        self.base = pose(asked, options, asked.values, {})
        self.varied = [vary(asked, options, name, self.base) for name in self.names]
        self.rtol = tolerance_of(self.run, self.tolerance)
        self.n = self.base.plan.layout.states
        self._derivatives = Derivatives(self.base.dynamics, self.base.t0)
        self.moved_end: Array | None = None  # derivatives of the time of the end, where an event ends the run
        exact = self._derivatives.exact
        self._compiled = CompiledSlopes(self.base, self._derivatives, self.varied) if exact else None
        self._integrate()

    # -- along the motion ----------------------------------------------------------------------------------------------

    def _slope(self, t: float, x: Array, S: Array) -> Array:
        """Eq. (1)."""
        if self._compiled is not None:
            return self._compiled(t, self.base.plan.layout.with_works(x), np.ascontiguousarray(S))
        self._derivatives.t = t
        v = self.base.inputs
        directions = np.vstack([S, np.zeros((len(v), S.shape[1]))])
        change, _ = self._derivatives.motion(x, v, directions)
        y = self.base.plan.layout.with_works(x)
        for j, varied in enumerate(self.varied):
            if not varied.is_start:
                change[:, j] += varied.difference(lambda p: p.rate(t, y)[: self.n], t, self.base.plan.breaks)
        return change

    def _joined(self, t: float, z: Array) -> Array:
        x, S = z[: self.n], z[self.n :].reshape(self.n, -1)
        return np.concatenate([self._rate(self.base, t, x), self._slope(t, x, S).ravel()])

    def _rate(self, posed: Posed, t: float, x: Array) -> Array:
        return posed.rate(t, posed.plan.layout.with_works(x))[: self.n]

    def _integrate(self) -> None:
        base, wanted = self.base, self.run.t
        x = base.y0[: self.n]
        S = np.array([v.difference(lambda p: p.y0[: self.n]) for v in self.varied]).T.reshape(self.n, len(self.names))
        t, rows, states = base.t0, [], []
        end = float(wanted[-1])
        for happening in [*self._happenings(), Happening(end, "end", "")]:
            stop = min(happening.t, end)
            inside = wanted[(wanted >= t) & (wanted < stop)]
            if stop > t:
                x, S, at = self._advance(t, x, S, stop, inside)
                states.append(at[:, : self.n])
                rows.append(at[:, self.n :].reshape(len(inside), self.n, len(self.names)))
            t = stop
            if happening.kind == "end":
                break
            x, S = self._across(happening, x, S)
        left = int(np.sum(wanted >= t))
        states.append(np.repeat(x[None], left, axis=0))
        rows.append(np.repeat(S[None], left, axis=0))
        self.t, self.S, self.x = wanted, np.concatenate(rows), np.concatenate(states)

    def _advance(self, t: float, x: Array, S: Array, stop: float, inside: Array) -> tuple[Array, Array, Array]:
        z = np.concatenate([x, S.ravel()])
        scale = np.concatenate(
            [np.full(self.n, 1.0), np.repeat(np.maximum(np.abs(S).max(axis=0), 1.0)[None], self.n, 0).ravel()]
        )
        last = np.nextafter(stop, -np.inf)
        found = solve_ivp(
            self._joined,
            (t, last),
            z,
            "DOP853",
            t_eval=[*inside[inside <= last], last],
            rtol=self.rtol,
            atol=self.rtol * scale,
        )
        if not found.success:
            raise NotDifferentiable(
                f"the derivatives could not be integrated beyond t = {found.t[-1]:.6g} s: {found.message}"
            )
        values = found.y.T
        z = values[-1]
        return z[: self.n].copy(), z[self.n :].reshape(self.n, -1).copy(), values[: len(inside)]

    # -- across instants -----------------------------------------------------------------------------------------------

    def _happenings(self) -> list[Happening]:
        """What happens in the run, in order."""
        run, t0, end = self.run, self.base.t0, float(self.run.t[-1])
        found = [Happening(t, "break", k) for k, t in enumerate(self.base.plan.breaks) if t0 < t < end]
        own = {event.name for event in self.base.events}
        found += [Happening(t, "event", name) for t, name in run.events if name in own]
        for impact in run.impacts:
            if "," in impact.name or impact.name not in self.base.model.contacts:
                raise NotDifferentiable(
                    f'no derivatives across "{impact.name}" at t = {impact.t:.6g} s: several strike at once'
                )
            found.append(Happening(impact.t, "impact", impact.name))
        found.sort(key=lambda h: h.t)
        for a, b in pairwise(found):
            if a.kind != "break" and b.kind != "break" and b.t - a.t < 1e-12 * max(1.0, b.t):
                raise NotDifferentiable(
                    f'no derivatives where "{a.name}" and "{b.name}" happen in one instant, t = {a.t:.6g} s'
                )
        if run.status == "event" and found:
            found[-1].is_last = True
        return found

    def _across(self, happening: Happening, x: Array, S: Array) -> tuple[Array, Array]:
        """State and sensitivities after an instant, by eq. (2)."""
        t, before = happening.t, self._rate(self.base, np.nextafter(happening.t, -np.inf), x)
        if happening.kind == "break":
            after = self._rate(self.base, t, x)
            dt = np.array([float(v.difference(lambda p: p.plan.breaks[happening.name])) for v in self.varied])
            return x, S + np.outer(before - after, dt)
        function, jump = self._event_of(happening)
        dt = self._time_of(happening, function, x, S, before)
        self.event_times.append((t, str(happening.name), dt))
        if happening.is_last:
            self.moved_end = dt
            return x, S + np.outer(before, dt)
        if jump is None:
            return x, S
        new = jump(self.base, t, x)
        after = self._rate(self.base, t, new)
        along_motion = along(lambda e: jump(self.base, t + e, x + e * before), 1.0)
        here = partial(jump, self.base, t)
        jumped = np.array([along(partial(_shifted, here, x, s), _room(x, s)) for s in S.T]).T.reshape(S.shape)
        for j, varied in enumerate(self.varied):
            jumped[:, j] += varied.difference(lambda p: jump(p, t, x))
        return new, jumped + np.outer(along_motion - after, dt)

    def _time_of(self, happening: Happening, g: Any, x: Array, S: Array, before: Array) -> Array:
        """Derivatives of the instant of an event."""
        t = happening.t
        rate = float(along(lambda e: g(self.base, t + e, x + e * before), 1.0))
        parts = []
        for j, varied in enumerate(self.varied):
            change = along(partial(_shifted, partial(g, self.base, t), x, S[:, j]), _room(x, S[:, j]))
            parts.append(float(change) + float(varied.difference(lambda p: g(p, t, x))))
        size = float(np.abs(along(lambda e: g(self.base, t, x * (1 + e)), 1.0))) + abs(rate)
        if abs(rate) <= GRAZING * size or not np.isfinite(rate):
            raise NotDifferentiable(
                f'no derivatives by the instant of "{happening.name}" at t = {t:.6g} s: the motion grazes there'
            )
        return -np.array(parts) / rate

    def _event_of(self, happening: Happening) -> tuple[Any, Any]:
        """Functions g(problem, t, x) and R(problem, t, x) of an event; no R where nothing jumps."""
        name = happening.name
        if happening.kind == "impact":
            return lambda p, t, x: _value(p, contact_events(name, p.model.contacts[name])[0], t, x), _strike(name)
        k = next(k for k, e in enumerate(self.base.events) if e.name == name)
        acts = self.base.events[k].action is not None

        def act(p: Posed, t: float, x: Array) -> Array:
            q, u, z = p.plan.layout.split(x)
            state = State(p.plan.index, t, q.copy(), p.dynamics.rates_from_speeds(q, u), z=z.copy())
            p.events[k].action(state)
            return np.concatenate([state.q, p.dynamics.speeds_from_rates(state.q, state.rates), state.z])

        return (lambda p, t, x: _value(p, p.events[k], t, x)), act if acts else None

    # -- what is asked for ---------------------------------------------------------------------------------------------

    def channel(self, name: str) -> Array:
        """Derivatives of a channel over the run: (samples, ..., names), in units of the channel by those of the names.

        Args:
            name: of the channel.
        """
        found = []
        for j, varied in enumerate(self.varied):
            S = self.S[:, :, j]
            total = np.array(along(partial(_shifted, partial(self._read, self.base, name), self.x, S), _room(self.x, S)))
            if not varied.is_start:
                sets = np.array([varied.which(t, self.base.plan.breaks) for t in self.t])
                for n in set(sets.tolist()):
                    each = sum(w * self._read(p, name, self.x) for w, p in varied.sets[n])
                    total[sets == n] += np.asarray(each)[sets == n]
            if self.moved_end is not None:  # the last sample is at another time, too
                of_time = along(lambda e: self._read(self.base, name, self.x[-1:], self.t[-1:] + e), 1.0)
                total[-1] += np.asarray(of_time)[0] * self.moved_end[j]
            found.append(total)
        return np.stack(found, axis=-1)

    def final(self, name: str) -> Array:
        """Derivatives of the last value of a channel: (..., names).

        Args:
            name: of the channel.
        """
        return np.asarray(self.channel(name)[-1])

    def event_time(self, name: str, number: int = 0) -> Array:
        """Derivatives of the time of an event or impact by the names, s.

        Args:
            name: of the event, or of the contact.
            number: which of those of that name, from 0.
        """
        own = [d for _, n, d in self.event_times if n == name]
        checks.known(name, [n for _, n, _ in self.event_times], "event")
        if not 0 <= number < len(own):
            raise ModelError(f'event "{name}" happens {len(own)} times in the run, so there is no number {number}')
        return own[number]

    def values(self, name: str) -> Array:
        """A channel over the run, integrated with the derivatives.

        Args:
            name: of the channel.
        """
        return self._read(self.base, name, self.x)

    def _read(self, posed: Posed, name: str, x: Array, times: Array | None = None) -> Array:
        y = np.hstack([x, np.zeros((len(x), posed.plan.layout.size - self.n))])
        reader = ChannelReader(posed.plan, [name])
        inputs = np.repeat(posed.inputs[None], len(x), axis=0)
        return np.asarray(reader.read(posed.dynamics, self.t if times is None else times, y, inputs)[name])


def tolerance_of(run: Run, tolerance: float | None) -> float:
    """Relative tolerance of the derivatives of a run: a tenth of its own, or better, where nothing is said."""
    return max(min(run.trajectory.options.rtol / 10, 1e-9) if tolerance is None else tolerance, 3e-14)


def _shifted(function: Callable[[Array], Any], x: Array, direction: Array, e: float) -> Any:
    return function(x + e * direction)


def _room(x: Array, direction: Array) -> float:
    """How far along a direction x changes as much as its own size."""
    return (float(np.abs(x).max(initial=0.0)) + 1.0) / (float(np.abs(direction).max(initial=0.0)) or 1.0)


def _value(posed: Posed, event: Event, t: float, x: Array) -> float:
    """An event's function."""
    y = posed.plan.layout.with_works(x)
    if not event.sees:
        try:
            return float(event.function(t))
        except TypeError:
            return float(event.function(t, np.zeros(0)))
    read = ChannelReader(posed.plan, event.sees).read(posed.dynamics, np.array([t]), y[None], posed.inputs[None])
    return float(np.ravel(event.function(t, np.concatenate([np.ravel(read[name]) for name in event.sees])))[0])


def _strike(name: str) -> Callable[[Posed, float, Array], Array]:
    def strike(p: Posed, t: float, x: Array) -> Array:
        q, u, z = p.plan.layout.split(x)
        impact = SimultaneousImpact(p.dynamics, {name: p.model.contacts[name]}, {name: False}, t, q.copy(), u.copy())
        if impact.impulses is None:
            raise NotDifferentiable(f'no derivatives across the impact of "{name}" at t = {t:.6g} s')
        return np.concatenate([q, impact.after, z])

    return strike


__all__ = ["Happening", "Sensitivities", "tolerance_of"]
