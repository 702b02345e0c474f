"""The function of a VariableMass: its properties in axes of M, with the rates that the kernels want, derived in symbols.

A quantity is a tuple of expressions of t: its value, its rate, its second derivative, as far as they are needed.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import symengine

from kaneflex.model.checks import ModelError
from kaneflex.model.profiles import Profile, Ready, curve
from kaneflex.model.variable_mass import VariableMass
from kaneflex.plan.laws import frozen
from kaneflex.plan.laws.profiles import on_symbols
from kaneflex.plan.motion_law import of_time
from kaneflex.plan.traced import T, check_agreement, check_arguments, generated, traced

Quantity = tuple[Any, ...]
ZERO = symengine.Integer(0)
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
_ADVICE = "write it with NumPy's functions and without branches, or give a profile"
_TRIALS = (0.0, 0.123, 0.7, 2.9, 0.31, 5.3, 11.7)  # s
_AGREE = 1e-9  # share of the flow that the rate of the mass may be off by


def variable_mass_law(body: VariableMass, R: np.ndarray, p: np.ndarray, rotors: Sequence[Any], what: str) -> Any:
    """The function of t that `kernels.bodies.variable_mass` reads; one that a file could not hold is returned as it is.

    Args:
        body: whose it is.
        R, p: orientation and origin of its joint's frame M on the body.
        rotors: axis in M and axial inertia of each rotor on the body.
        what: what the body is called in messages.
    """
    functions = tuple(body.functions())
    missing = next((f for f in functions if hasattr(f, "is_missing")), None)
    if missing is not None:
        return missing
    given = _Given(what)
    m = given.quantities(body.mass, (1,), "mass")[0]
    c = _seen_from(R, p, given.quantities(body.com, (3,), "mass centre"))
    flows = _flows(body, m, given)
    at = [body.frames[o.at].p if isinstance(o.at, str) else np.array(o.at) for o in body.outlets]
    places = [_numbers(R.T @ (r - p)) for r in at]
    exits = [_turned(R, given.quantities(o.velocity, (3,), "velocity of an outlet")) for o in body.outlets]
    h = [_times(m, x) for x in c]
    J = _inertia(given.quantities(body.inertia, (3, 9), "inertia"), R, m, c, rotors)
    flow = [(x[1], x[2]) for x in h]
    for r, m_e in zip(places, flows, strict=True):
        flow = [_plus(g, _scaled(x, m_e)) for g, x in zip(flow, r, strict=True)]
    origin = _numbers(-R.T @ p)
    own = _turned(R, given.quantities(body.swirl, (3,), "swirl"))
    swirl = [[a + l[k] for a, l in zip(_cross(origin, [g[k] for g in flow]), own, strict=True)] for k in (0, 1)]
    jet = [sum((m_e[0] * _arm(r, k) for r, m_e in zip(places, flows, strict=True)), ZERO) for k in range(6)]
    push = [[m_e[0] * v[0] for v in exit_] for m_e, exit_ in zip(flows, exits, strict=True)]
    force = [sum((f[k] for f in push), ZERO) for k in range(3)]
    torque = [sum((_cross(r, f)[k] for r, f in zip(places, push, strict=True)), ZERO) for k in range(3)]
    outputs = [m[0], *(x[0] for x in h), *(x[0] for x in J), m[1], *(x[1] for x in h), *(x[1] for x in J)]
    outputs += [*(g[0] for g in flow), *(g[1] for g in flow), *swirl[0], *swirl[1], *jet, *force, *torque]
    outputs += [m[2], *(x[2] for x in h)]
    law = given.law(outputs)
    law.traced = functions
    return law


class _Given:
    """Quantities as the user gave them, in symbols of t, and of the values and derivatives of profiles."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.profiles: list[Ready] = []
        self.symbols: list[Any] = []

    def quantities(self, x: Any, counts: tuple[int, ...], name: str) -> list[Quantity]:
        """Value, rate and second derivative of one number or several."""
        what = f"{self.what}, {name}"
        if isinstance(x, tuple):
            return [q for part in x for q in self.quantities(part, (3,) if isinstance(part, tuple) else (1,), name)]
        if isinstance(x, Ready):
            n = len(self.symbols)
            self.profiles.append(x)
            self.symbols += [symengine.Symbol(f"profile__{n + k}") for k in range(3)]
            acceleration, value, rate = self.symbols[n:]
            return [(value, rate, acceleration)]
        if isinstance(x, Profile):
            found: list[Any] = []
            for f in x.functions:
                found.append(found[-1].diff(T) if f is None else _expressions(f, what)[0])
            return [tuple(found)]
        if not callable(x):
            return [(_number(x), ZERO, ZERO)]
        values = _expressions(x, what)
        if len(values) not in counts:
            raise ModelError(f"{what}: the function returned {len(values)} numbers, not {' or '.join(map(str, counts))}")
        return [(v, v.diff(T), v.diff(T).diff(T)) for v in values]

    def law(self, expressions: Sequence[Any]) -> Any:
        """The expressions as a function of t."""
        inner = generated(expressions, self.symbols, self.what, _ADVICE)
        if not self.profiles:
            return of_time(inner)
        pieces = [profile.pieces for profile in self.profiles]
        rows, ends = np.concatenate(pieces), np.cumsum([0, *map(len, pieces)])

        def law(t: Any) -> Any:
            x = np.empty(3 * (len(ends) - 1))
            for k in range(len(ends) - 1):
                x[3 * k], x[3 * k + 1], x[3 * k + 2] = curve(t, rows[ends[k] : ends[k + 1]])
            return inner(t, x)

        law.symbolic = lambda t, x: inner.symbolic(t, [e for p in pieces for e in on_symbols(p, t)])  # type: ignore[attr-defined]
        return law

    @property
    def breaks(self) -> list[float]:
        """Times at which profiles are not smooth."""
        return sorted({0.0}.union(*(p.breaks for p in self.profiles)))


def _expressions(function: Any, what: str) -> list[Any]:
    """What a function of t returns, in symbols."""
    check_arguments(function, ("t",), what)
    found = traced(function, (T,), what, _ADVICE)
    law = generated(found, [], what, _ADVICE)
    check_agreement(frozen(function), lambda t: law(t, ()), [(t,) for t in _TRIALS], what, _ADVICE)
    return found


def _flows(body: VariableMass, m: Quantity, given: _Given) -> list[Quantity]:
    """Flow of each outlet and its rate; the one that is not given is what is missing of the rate of the mass."""
    flows = [None if o.flow is None else given.quantities(o.flow, (1,), "flow of an outlet")[0][:2] for o in body.outlets]
    known = [f for f in flows if f is not None]
    left: Quantity = (-m[1], -m[2])
    for f in known:
        left = _plus(left, _scaled(symengine.Integer(-1), f))
    if len(known) == len(flows):
        _check_mass_is_kept(left[0], sum((f[0] for f in known), ZERO), given)
    return [left if f is None else f for f in flows]


def _check_mass_is_kept(left: Any, flow: Any, given: _Given) -> None:
    """Refuse outlets whose flows do not sum up to what the mass loses; left = -m-dot - flow."""
    law = given.law([left, flow])
    for t in (*_TRIALS, *((a + b) / 2 for a, b in pairwise(given.breaks))):
        with np.errstate(all="ignore"):
            off, out = (float(x) for x in law(np.float64(t)))
        if abs(off) > _AGREE * max(abs(out), abs(out + off)):
            raise ModelError(
                f"{given.what}: at t = {t:g} the mass falls by {out + off:.6g} kg/s, but {out:.6g} kg/s leave by outlets: "
                "make them agree, or leave out the flow of one outlet"
            )


def _inertia(
    given: list[Quantity], R: np.ndarray, m: Quantity, c: Sequence[Quantity], rotors: Sequence[Any]
) -> list[Quantity]:
    """J about the origin of M in its axes, less the axial inertia of rotors: value and rate."""
    none: Quantity = (ZERO, ZERO, ZERO)
    if len(given) == 3:
        given = [given[i] if i == j else none for i in range(3) for j in range(3)]
    rows = [_turned(R, given[3 * i : 3 * i + 3]) for i in range(3)]
    columns = [_turned(R, [row[j] for row in rows]) for j in range(3)]  # columns[j][i] of R^T J R
    square = _plus(_plus(_times(c[0], c[0]), _times(c[1], c[1])), _times(c[2], c[2]))
    found = []
    for i, j in PAIRS:
        arm = _scaled(symengine.Integer(-1), _times(c[i], c[j]))
        arm = _plus(square, arm) if i == j else arm
        own = _plus(columns[j][i], _times(m, arm))
        spin = _number(sum(-J * a[i] * a[j] for a, J in rotors))
        found.append((own[0] + spin, own[1]))
    return found


def _number(x: float) -> Any:
    """A number, without rounding of zeros and ones."""
    near = round(float(x))
    return symengine.Integer(near) if abs(x - near) < 1e-15 else symengine.RealDouble(float(x))


def _numbers(values: Any) -> list[Any]:
    return [_number(x) for x in values]


def _plus(a: Quantity, b: Quantity) -> Quantity:
    return tuple(x + y for x, y in zip(a, b, strict=False))


def _scaled(factor: Any, a: Quantity) -> Quantity:
    return tuple(factor * x for x in a)


def _times(a: Quantity, b: Quantity) -> Quantity:
    """Product, its rate and its second derivative."""
    return a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]


def _turned(R: np.ndarray, v: Sequence[Quantity]) -> list[Quantity]:
    """R^T v."""
    turned = []
    for j in range(3):
        total: Quantity = (ZERO, ZERO, ZERO)
        for i in range(3):
            total = _plus(total, _scaled(_number(R[i, j]), v[i]))
        turned.append(total)
    return turned


def _seen_from(R: np.ndarray, p: np.ndarray, v: Sequence[Quantity]) -> list[Quantity]:
    """R^T (v - p)."""
    return _turned(R, [(x[0] - _number(o), *x[1:]) for x, o in zip(v, p, strict=True)])


def _cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _arm(r: Sequence[Any], k: int) -> Any:
    """Entry k of r^2 1 - r r^T."""
    i, j = PAIRS[k]
    return (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] if i == j else ZERO) - r[i] * r[j]
