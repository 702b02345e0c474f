"""Linear models about a state, exact to rounding by the complex step.

With x = (q, u) and inputs v, the model x-dot = f(x, v), y = g(x, v) is differentiated as Im f(x + i h e)/h with
h = 1e-30: no difference is taken, so nothing cancels.
Ref: Squire and Trapp, SIAM Review 40 (1998) 110.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import energy
from kaneflex.kernels import layout as L
from kaneflex.model.model import Model
from kaneflex.plan.build import Plan, build
from kaneflex.plan.channels import SensorTable, add_channel
from kaneflex.plan.laws import LawNotDifferentiable
from kaneflex.plan.state import State, initial_state

H = 1e-30


def quaternion_turns(e: np.ndarray) -> np.ndarray:
    """de/d(small rotation in body axes), 4 by 3, of a unit quaternion."""
    e0, e1, e2, e3 = e
    return np.array([[-e1, -e2, -e3], [e0, -e3, e2], [e3, e0, -e1], [-e2, e1, e0]]) / 2


@dataclass(frozen=True)
class LinearModel:
    """dx/dt = A (x - x0) + B (v - v0) + f0, y - y0 = C (x - x0) + D (v - v0).

    x holds all coordinates and speeds, quaternions included: a unit quaternion adds one eigenvalue that says nothing, see
    `reduced`. f0 is the rate at the state itself, zero at an equilibrium.
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
        n = len(self.x0)
        columns, names = [], []
        left = np.zeros((0, n))
        k = 0
        while k < n:
            if k in self.quaternions:
                block = np.zeros((n, 3))
                block[k : k + 4] = quaternion_turns(self.x0[k : k + 4])
                columns.append(block)
                left = np.vstack([left, 4 * block.T])
                body = self.states[k].rpartition(".")[0]
                names += [f"{body}.rotation_{a}" for a in "xyz"]
                k += 4
            else:
                unit = np.zeros((n, 1))
                unit[k] = 1
                columns.append(unit)
                left = np.vstack([left, unit.T])
                names.append(self.states[k])
                k += 1
        T = np.hstack(columns)
        return LinearModel(
            left @ self.A @ T, left @ self.B, self.C @ T, self.D, tuple(names), self.inputs, self.outputs,
            left @ self.x0, left @ self.f0,
        )  # fmt: skip

    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of the reduced A, 1/s, by imaginary part."""
        values = np.linalg.eigvals(self.reduced().A if self.quaternions else self.A)
        return values[np.lexsort((values.real, np.abs(values.imag)))]

    def to_control(self) -> Any:
        """A python-control StateSpace with the same names."""
        try:
            import control
        except ImportError as e:
            raise ImportError('to_control needs python-control: pip install "kaneflex[control]"') from e
        names = {
            "states": [s.replace(".", "_") for s in self.states],
            "inputs": [s.replace(".", "_") for s in self.inputs],
            "outputs": [s.replace(".", "_") for s in self.outputs],
        }
        return control.ss(self.A, self.B, self.C, self.D, **names)


def linearize(
    model: Model,
    state: State | None = None,
    *,
    outputs: Sequence[str] = (),
    inputs: dict[str, float] | None = None,
    formulation: str = "recursive",
    speeds: str = "customary",
) -> LinearModel:
    """The linear model about a state (the initial one when None); outputs are channel names, all of q and u when none."""
    plan = build(model, formulation, speeds)
    dynamics = Dynamics(plan)
    state = initial_state(plan) if state is None else state
    x0 = np.concatenate([state.q, dynamics.speeds_from_rates(state.q, state.rates)])
    v0 = np.zeros(len(model.inputs))
    for name, value in (inputs or {}).items():
        v0[plan.index.inputs[name]] = value
    table = SensorTable()
    places = [add_channel(plan.index, table, name) for name in outputs]
    jacobian = _Jacobian(plan, dynamics, state.t, table)
    f, g = jacobian.columns(x0, v0)
    n = len(x0)
    dynamics.set_inputs(v0)
    f0 = dynamics.derivative(state.t, np.append(x0, [0.0, 0.0]))[:n]
    names, rows = [], []
    for name, place in zip(outputs, places, strict=True):
        k = range(*place.indices(table.size))
        rows += list(k)
        names += [name] if len(k) == 1 else [f"{name}[{i}]" for i in range(len(k))]
    if outputs:
        C, D = g[rows, :n], g[rows, n:]
    else:
        C, D, names = np.eye(n), np.zeros((n, len(v0))), [*plan.index.coordinates, *_speed_labels(plan)]
    states = (*plan.index.coordinates, *_speed_labels(plan))
    quaternions = tuple(j.quaternion for j in plan.index.joints.values() if j.quaternion is not None)
    return LinearModel(f[:, :n], f[:, n:], C, D, states, tuple(model.inputs), tuple(names), x0, f0, quaternions)


def _speed_labels(plan: Plan) -> list[str]:
    letter = "rate" if plan.speeds == "customary" else "u"
    return [f"{name}.{letter}" if not name.endswith(".rate") else name for name in plan.index.speeds]


class _Jacobian:
    """Columns of df/d(x, v) and dg/d(x, v): complex step, or differences where a user function cannot take complex x."""

    def __init__(self, plan: Plan, dynamics: Dynamics, t: float, table: SensorTable):
        self.plan, self.dynamics, self.t = plan, dynamics, t
        self.table, self.arrays = table, table.arrays()
        try:
            self.I = plan.complex_tables()
            self.exact = True
        except LawNotDifferentiable as e:
            import warnings

            warnings.warn(f"{e}; this linear model is made by central differences instead", UserWarning, stacklevel=4)
            self.I, self.exact = plan.I.copy(), False
        self.I[L.PLACED] = 1
        self.W = plan.workspace(complex if self.exact else float)

    def columns(self, x0: np.ndarray, v0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z0 = np.concatenate([x0, v0])
        f, g = [], []
        for k in range(len(z0)):
            if self.exact:
                z = z0.astype(complex)
                z[k] += 1j * H
                a, b = self._evaluate(z, len(x0))
                f.append(a.imag / H)
                g.append(b.imag / H)
            else:
                h = 6e-6 * max(1.0, abs(z0[k]))
                up, down = (self._evaluate(z0 + s * h * np.eye(len(z0))[k], len(x0)) for s in (1, -1))
                f.append((up[0] - down[0]) / (2 * h))
                g.append((up[1] - down[1]) / (2 * h))
        return np.array(f).T, np.array(g).T

    def _evaluate(self, z: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        kernels, P = self.dynamics.kernels, self.plan.P
        dtype = z.dtype
        first = int(self.I[L.W_SIGNAL])
        self.W[first : first + len(z) - n] = z[n:]
        y, ydot = np.append(z[:n], np.zeros(2, dtype)), np.empty(n + 2, dtype)
        kernels.call_derivative(self.I, P, self.W, self.t, y, ydot)
        out = np.zeros((1, max(1, self.table.size)), dtype)
        if self.table.size:
            sums, scratch = np.zeros((1, energy.TOTALS), dtype), np.empty(self.plan.nu, dtype)
            kernels.call_channels(
                self.I, P, self.W, *self.arrays, np.array([self.t]), y[None, :], z[None, n:], 1, out, sums, scratch
            )
        return ydot[:n], out[0, : self.table.size]
