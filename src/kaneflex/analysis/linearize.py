"""Linear models about a state.

With x = (q, u, z) and inputs v, the model x-dot = f(x, v), y = g(x, v) is differentiated exactly, see `derivatives`; where
motions and constraints hold the system, along its independent states, see `tangent`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_continuous_are

from kaneflex.analysis.derivatives import Derivatives
from kaneflex.analysis.residual import ROUNDING, caused, rounding
from kaneflex.analysis.tangent import Tangent, base_states, check_regular, quaternions_of, tangent, unit_quaternions
from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import assemble
from kaneflex.model.checks import ModelError, array, dimensions, distinct, known, warn
from kaneflex.model.extras import optional
from kaneflex.model.inputs import input_values
from kaneflex.model.model import Model
from kaneflex.model.parts.placed import inner_names
from kaneflex.model.typed import typed
from kaneflex.plan.build import build
from kaneflex.plan.state import State, state_of
from kaneflex.simulate.contact.closing import closed
from kaneflex.simulate.contact.kinematics import ContactKinematics

BALANCED = 1e-6  # of the accelerations that the forces cause one by one: what may be left where they balance
NEAR = 1e-3  # a given state may be this far from its constraints (m, rad, per s of its speeds) and is put on them


@typed
@dataclass(frozen=True)
class LinearModel:
    """dx/dt = A (x - x0) + B (v - v0) + f0, y - y0 = C (x - x0) + D (v - v0).

    x holds all coordinates, speeds and states of blocks, quaternions included: a unit quaternion adds one eigenvalue that
    says nothing, see `reduced`.

    Attributes:
        A, B, C, D: matrices, in SI units.
        states, inputs, outputs: names of the entries of x, v and y.
        x0: the state about which it is linear.
        f0: the rate at that state, zero at an equilibrium.
        quaternions: where unit quaternions begin in x.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    x0: np.ndarray
    f0: np.ndarray
    quaternions: tuple[int, ...] = ()

    def reduced(self) -> "LinearModel":
        """The same model in independent coordinates: a quaternion's four numbers become the three of a small rotation."""
        X, pick, names = unit_quaternions(self.x0, self.states, self.quaternions)
        return LinearModel(
            pick @ self.A @ X, pick @ self.B, self.C @ X, self.D, tuple(names), self.inputs, self.outputs,
            pick @ self.x0, pick @ self.f0,
        )  # fmt: skip

    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of the reduced A, 1/s, by imaginary part."""
        values = np.linalg.eigvals(self.reduced().A if self.quaternions else self.A)
        return values[np.lexsort((values.real, np.abs(values.imag)))]

    def lqr(self, Q: Any, R: Any, states: Sequence[str] | None = None) -> np.ndarray:
        """The gain K of v = v0 - K (x - x0) that makes the integral of x Q x + v R v least, for `blocks.StateFeedback`.

        Args:
            Q, R: weights, symmetric, R positive: matrices, or their diagonals.
            states: those to control, in the order of K's columns, where others do not act on them (the place of a craft
                whose attitude is controlled); all of them when None.
        """
        A, B, _ = self._part(states)
        q, r = _weight(Q, len(A), "Q"), _weight(R, B.shape[1], "R")
        return np.linalg.solve(r, B.T @ _riccati(A, B, q, r, "inputs reach"))

    def kalman(self, process: Any, noise: Any, states: Sequence[str] | None = None) -> np.ndarray:
        """The gain L of the Kalman filter x' = A x + L (y - C x) for white noise, for `blocks.Estimator`.

        Args:
            process: intensity of the noise on the states' rates, a matrix or its diagonal.
            noise: intensity of that of the outputs, likewise, positive.
            states: as for `lqr`.
        """
        A, _, C = self._part(states)
        q, r = _weight(process, len(A), "process"), _weight(noise, len(C), "noise")
        return np.linalg.solve(r, C @ _riccati(A.T, C.T, q, r, "outputs tell of")).T

    def _part(self, states: Sequence[str] | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A, B, C of some states, which the others do not move."""
        if states is None:
            return self.A, self.B, self.C
        own = [self.states.index(known(name, self.states, "state")) for name in states]
        rest = [k for k in range(len(self.A)) if k not in own]
        A = self.A[np.ix_(own, own)]
        moved = np.abs(self.A[np.ix_(own, rest)])
        if moved.size and moved.max() > 1e-12 * np.abs(self.A).max():
            i, j = np.unravel_index(moved.argmax(), moved.shape)
            raise ModelError(f'state "{self.states[rest[j]]}" acts on "{states[i]}": name it among states= too')
        return A, self.B[own], self.C[:, own]

    def _repr_html_(self) -> str:
        """Eigenvalues and small matrices, for notebooks."""
        from kaneflex.view.notebook import linear_html

        return linear_html(self)

    def to_control(self) -> Any:
        """A python-control StateSpace with the same names, but for dots, brackets and colons, which become "_"."""
        control = optional("control", "to_control needs python-control", "control")
        names = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        plain = {k: distinct(re.sub(r"^-|[.\[\]:]", "_", s) for s in group) for k, group in names.items()}
        return control.ss(self.A, self.B, self.C, self.D, **plain)


def _weight(value: Any, n: int, what: str) -> np.ndarray:
    """A weight as a matrix, from one or from its diagonal."""
    return np.diag(array(value, (n,), what)) if dimensions(value) == 1 else array(value, (n, n), what)


def _riccati(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, who: str) -> np.ndarray:
    try:
        return np.asarray(solve_continuous_are(A, B, Q, R))
    except (np.linalg.LinAlgError, ValueError) as e:
        raise ModelError(
            f"no gain is best: not all states that do not decay are ones that the {who}, or a weight is wrong ({e})"
        ) from e


@typed
def linearize(
    model: Model,
    state: Mapping[str, Any] | State | None = None,
    *,
    outputs: Sequence[str] = (),
    inputs: Mapping[str, Any] | None = None,
    formulation: str = "recursive",
    speeds: str = "customary",
) -> LinearModel:
    """The linear model about a state (the initial one when None); outputs are channel names, all of q and u when none.

    The state is a State, or values by name. Inputs have their values at its time. A warning tells where the speeds change
    there: the matrices alone are then no model of the motion, which has the rate `f0` besides.

    Where motions or constraints hold the system, the states are independent ones, chosen by pivoting, with a small
    rotation in place of a quaternion; a state that does not satisfy its constraints is refused. The model is that of
    the instant: where the system moves, its eigenvalues tell of stability if the motion is steady in these coordinates.
    """
    plan = build(model, formulation, speeds)
    dynamics = Dynamics(plan)
    given, state = state, state_of(plan, state, "state to linearize about")
    v0 = input_values(model.inputs, inputs, state.t)
    dynamics.set_inputs(v0)
    state = _placed(dynamics, state, given is not None)
    check_contacts(dynamics, state, 1e-9)
    reader = ChannelReader(plan, outputs)
    for name, channel in reader.channels.items():
        if channel.function is not None:
            raise ModelError(f'channel "{name}" is no output of a linear model: take coordinates or places of its segments')
    dynamics.set_states(state.z)
    x0 = np.concatenate([state.q, dynamics.speeds_from_rates(state.q, state.rates), state.z])
    derivatives = Derivatives(dynamics, state.t, reader.table)
    n = len(x0)
    states = plan.state_names
    if plan.is_constrained:
        found = tangent(dynamics, derivatives, x0)
        check_regular(dynamics, state.t, x0, found)
        quaternions: tuple[int, ...] = ()
    else:
        found = Tangent(np.eye(n), np.eye(n), states, plan.nq)
        quaternions = quaternions_of(plan)
    f, g = derivatives.motion(x0, v0, _with_inputs(found.X, len(v0)))
    f0 = dynamics.derivative(state.t, plan.layout.with_works(x0))[:n]
    if not np.isfinite(f0).all():
        dynamics.check_regular(state.t, state.q, x0[plan.layout.u])
    _warn_unsteady(dynamics, state.t, x0, f0, f[:, : len(found.names)], found)
    names, rows = [], []
    for name in outputs:
        changes = reader.channels[name].rows(g[reader.places[name]])
        rows.append(changes)
        names += [name] if len(changes) == 1 else [f"{name}[{i}]" for i in range(len(changes))]
    m = len(found.names)
    if outputs:
        C, D = np.split(np.concatenate(rows), [m], axis=1)
    else:
        C, D, names = found.X, np.zeros((n, len(v0))), list(states)
    A, B = found.pick @ f[:, :m], found.pick @ f[:, m:]
    x, rate = found.pick @ x0, found.pick @ f0
    inner = inner_names(model.installed)  # driven by blocks of their parts
    own = [k for k, name in enumerate(model.inputs) if name not in inner]
    named = tuple(name for name in model.inputs if name not in inner)
    return LinearModel(A, B[:, own], C, D[:, own], found.names, named, tuple(names), x, rate, quaternions)


def _with_inputs(X: np.ndarray, inputs: int) -> np.ndarray:
    """Directions of (x, v): those of x, then one for every input."""
    out = np.zeros((X.shape[0] + inputs, X.shape[1] + inputs))
    out[: X.shape[0], : X.shape[1]] = X
    out[X.shape[0] :, X.shape[1] :] = np.eye(inputs)
    return out


def _placed(dynamics: Dynamics, state: State, given: bool) -> State:
    """The state on motions and constraints; the initial state is assembled as a run's is, a given one must be near."""
    if not dynamics.plan.is_constrained:
        return state
    if given:
        _check_near(dynamics, state)
    return assemble(dynamics, state).state


def _warn_unsteady(
    dynamics: Dynamics, t: float, x: np.ndarray, rate: np.ndarray, slopes: np.ndarray, found: Tangent
) -> None:
    """Warn where an independent speed changes at x, beyond what is left of forces that balance."""
    plan, nq, u = dynamics.plan, dynamics.plan.nq, dynamics.layout.u
    free = np.array(found.pick[:, u].any(axis=0))
    free[[k - nq for k in base_states(plan) if k >= nq]] = False  # their accelerations are given
    if not free.any():
        return
    r = np.abs(rate[u])
    sizes = caused(dynamics, t, x)
    allowed = BALANCED * sizes + ROUNDING * sizes.max() + rounding(slopes[u], found.X[:nq], x[:nq])
    moving = np.flatnonzero(free & (r > allowed))
    if len(moving):
        k = int(moving[np.argmax(r[moving])])
        warn(
            f'"{plan.model.name}" is not in equilibrium at the state it is linearized about: "{plan.index.speeds[k]}" '
            f"accelerates by {rate[nq + k]:.3g} (SI units) there; take the state from equilibrium(...), or mind `f0`"
        )


def _check_near(dynamics: Dynamics, state: State) -> None:
    plan = dynamics.plan
    y = plan.layout.join(state.q, dynamics.speeds_from_rates(state.q, state.rates))
    dynamics.follow(state.t, y)
    q, u, _ = plan.layout.split(y)
    allowed = NEAR, NEAR * (1 + float(np.abs(u).max()))
    found = dynamics.equations(state.t, q, u)
    for values, most, unit, what in zip(found, allowed, ("m or rad", "m/s or rad/s"), ("coordinates", "rates"), strict=True):
        for name, rows in plan.index.constraints.items():
            worst = float(np.abs(values[rows]).max(initial=0.0))
            if not worst <= most:
                raise ModelError(
                    f'the {what} given to linearize do not satisfy constraint "{name}", by {worst:.3g} ({unit}): '
                    "take the state from assemble(...), equilibrium(...) or a run"
                )


def check_contacts(dynamics: Dynamics, state: State, gap: float) -> None:
    """Raise an error where the point of a contact that nothing holds is less than `gap` (m) above its plane."""
    model = dynamics.plan.model
    for name, contact in model.contacts.items():
        if name in closed(model):
            continue
        height = ContactKinematics(dynamics, contact, state.t, state.q).gap()
        if not height > gap:
            raise ModelError(
                f'contact "{name}" is closed at this state ({height:.3g} m above its plane), and what it does is not '
                f'linear: hold "{contact.point}" by a constraint (PointOnPlane, or close with Spherical) in its place'
            )
