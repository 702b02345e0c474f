"""What must hold for the equations of every tree, whichever way they are written. Each function raises AssertionError.

A difference is measured against the largest number of its kind.
"""

from typing import Any

import numpy as np
from trees import TIME, Tree

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import energy
from kaneflex.kernels import layout as L
from kaneflex.kernels.sensors import SENSE_ENERGY

TOLERANCE = 1e-10
STEP = 1e-30  # of the complex step


def close(got: Any, wanted: Any, what: str, scale: float | None = None, tolerance: float = TOLERANCE) -> None:
    """Assert that two arrays differ by no more than `tolerance` times the largest number."""
    got, wanted = np.atleast_1d(got), np.atleast_1d(wanted)
    assert got.shape == wanted.shape, f"{what}: shapes {got.shape} and {wanted.shape}"
    assert np.all(np.isfinite(got)) and np.all(np.isfinite(wanted)), f"{what}: not finite"
    if got.size == 0:
        return
    largest = max(np.abs(got).max(), np.abs(wanted).max()) if scale is None else scale
    off = np.abs(got - wanted).max()
    assert off <= tolerance * largest, f"{what}: off by {off:.3g}, which is {off / largest:.3g} of {largest:.3g}"


def largest(*arrays: Any) -> float:
    return max((float(np.abs(a).max()) for a in map(np.atleast_1d, arrays) if a.size), default=0.0)


def set_tau(d: Dynamics, tau: np.ndarray | None) -> None:
    d.W[d.I[L.W_TAU] : d.I[L.W_TAU] + d.plan.nu] = 0 if tau is None else tau


def state(d: Dynamics, tree: Tree) -> np.ndarray:
    """y of the tree's state in the speeds of d."""
    return np.concatenate([tree.q, d.speeds_from_rates(tree.q, tree.w), [0.0, 0.0]])


def rates(d: Dynamics, tree: Tree) -> np.ndarray:
    """y-dot, with the tree's joint forces; leaves the accelerations in the workspace."""
    y = state(d, tree)
    set_tau(d, tree.tau)
    return d.derivative(TIME, y)


def speed_rates(d: Dynamics, tree: Tree) -> np.ndarray:
    return rates(d, tree)[d.plan.nq : -2]


def body_accelerations(d: Dynamics) -> np.ndarray:
    """ALPHA and A_ of every body, as the last evaluation left them."""
    rows = d.W[: d.I[L.BODIES] * L.BODY_WIDTH].reshape(-1, L.BODY_WIDTH)
    return rows[1:, L.ALPHA : L.A_ + 3].copy()


def prescribed(d: Dynamics) -> np.ndarray:
    """Which speeds are prescribed."""
    first = int(d.I[L.I_COLUMN])
    return d.I[first : first + d.plan.nu * L.COLUMN_INTS].reshape(-1, L.COLUMN_INTS)[:, L.PRESCRIBED] == 1


def column_entry(d: Dynamics, entry: int) -> np.ndarray:
    first = int(d.I[L.W_COLUMN])
    return d.W[first : first + d.plan.nu * L.COLUMN_WIDTH].reshape(-1, L.COLUMN_WIDTH)[:, entry].copy()


def dw_du(d: Dynamics, tree: Tree) -> np.ndarray:
    """Relative rates per speed: w is linear in u."""
    return np.column_stack([d.rates_from_speeds(tree.q, e) for e in np.eye(d.plan.nu)])


# -- identities --------------------------------------------------------------------------------------------------------


def same_accelerations(one: Dynamics, other: Dynamics, tree: Tree) -> None:
    """Two ways give every body the same acceleration."""
    found = []
    for d in (one, other):
        rates(d, tree)
        found.append(body_accelerations(d))
    close(*found, f"accelerations, {one} and {other}")


def same_loads(one: Dynamics, other: Dynamics, tree: Tree) -> None:
    """Two ways give the same loads in the joints of prescribed speeds, and the same powers."""
    found, powers = [], []
    for d in (one, other):
        powers.append(rates(d, tree)[-2:])
        found.append(column_entry(d, L.T_)[prescribed(d)])
    close(*found, "loads that hold the base")
    close(*powers, "powers")


def forward_is_inverse(d: Dynamics, tree: Tree) -> None:
    """Joint forces give speed rates, which give the joint forces back, with the loads that hold the base."""
    udot, u = speed_rates(d, tree), d.speeds_from_rates(tree.q, tree.w)
    wanted = tree.tau + np.where(prescribed(d), column_entry(d, L.T_), 0.0)
    at_rest = d.inverse_dynamics(tree.q, u, np.zeros_like(u), TIME)
    got = d.inverse_dynamics(tree.q, u, udot, TIME)
    close(got, wanted, f"joint forces, {d}", largest(wanted, at_rest))


def energies(d: Dynamics, y: np.ndarray) -> np.ndarray:
    """Kinetic energy, potential of gravity, potential of the loads; y may be complex."""
    real = not np.iscomplexobj(y)
    I = d.I.copy() if real else d.plan.complex_tables()
    return sums(d, I, y)[0]


def sums(d: Dynamics, I: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The energies, and all totals (see kernels.energy), at the state y, in the scalar of y."""
    I[L.PLACED] = 1
    W = d.plan.workspace(y.dtype)
    n, first = int(I[L.FORCES]), int(I[L.W_SIGNAL])
    sensors = np.array([[SENSE_ENERGY, 0, m, L.ENERGY_WIDTH, L.ENERGY_WIDTH * m] for m in range(n)], np.int64).ravel()
    inputs = d.W[first : first + I[L.INPUTS]].astype(y.dtype)[None, :]
    out, totals = np.zeros((1, max(1, L.ENERGY_WIDTH * n)), y.dtype), np.zeros((1, energy.TOTALS), y.dtype)
    scratch = np.zeros(d.plan.nu, y.dtype)
    reals = np.zeros(n * L.SENSOR_REALS)
    d.kernels.call_channels(I, d.P, W, sensors, reals, np.array([TIME]), y[None, :], inputs, 0, out, totals, scratch)
    T, V = totals[0, energy.KINETIC], totals[0, energy.GRAVITY_POTENTIAL]
    return np.array([T, V, out[0, L.POTENTIAL :: L.ENERGY_WIDTH].sum() if n else 0 * T]), totals[0]


def rate_of_sums(d: Dynamics, y: np.ndarray, ydot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Time derivatives of `sums` along y-dot, by the complex step."""
    step = (y + 1j * STEP * ydot)[:-2].copy()
    return tuple(x.imag / STEP for x in sums(d, d.plan.complex_tables(), step))  # type: ignore[return-value]


def power_is_energy_rate(d: Dynamics, tree: Tree) -> None:
    """d/dt (kinetic + potential) = power of the applied loads, of dampers, of what holds the base, and of tau."""
    y, ydot = state(d, tree), rates(d, tree)
    change, _ = rate_of_sums(d, y, ydot)
    powers = np.array([*ydot[-2:], tree.tau @ tree.w])
    close(change.sum(), powers.sum(), f"power, {d}", largest(change, powers))


def mass_matrix_fits(d: Dynamics, tree: Tree) -> None:
    """M is symmetric and positive definite, M = (dw/du)^T d tau/d u-dot, and M u-dot + h = (dw/du)^T tau."""
    M, R = d.mass_matrix(tree.q), dw_du(d, tree)
    n, u = d.plan.nu, d.speeds_from_rates(tree.q, tree.w)
    assert np.array_equal(M, M.T), "mass matrix is not symmetric"
    assert np.linalg.eigvalsh(M)[0] > 0, "mass matrix is not positive definite"
    at_rest = d.inverse_dynamics(tree.q, u, np.zeros(n), TIME)
    columns = [d.inverse_dynamics(tree.q, u, e, TIME) - at_rest for e in np.eye(n)]
    close(R.T @ np.column_stack(columns), M, f"mass matrix, {d}", largest(M, at_rest))
    close(R.T @ at_rest, d.bias(tree.q, u, TIME), f"bias, {d}", largest(R.T @ at_rest, M @ speed_rates(d, tree)))


def momentum_balances(d: Dynamics, tree: Tree) -> None:
    """Of a tree that floats, with loads between its bodies only: dP/dt = m g, and H about the mass centre is constant."""
    tree.tau[:6] = 0.0  # the free joint's own
    y, ydot = state(d, tree), rates(d, tree)
    _, change = rate_of_sums(d, y, ydot)
    _, now = sums(d, d.I.copy(), y[:-2].copy())
    mass, g = now[energy.TOTAL_MASS], np.array(tree.model.gravity)

    def part(x: np.ndarray, first: int) -> np.ndarray:
        return x[first : first + 3]

    P, c = part(now, energy.LINEAR_MOMENTUM), part(now, energy.TOTAL_MOMENT) / mass
    P_dot, H_dot = part(change, energy.LINEAR_MOMENTUM), part(change, energy.ANGULAR_MOMENTUM)
    forces = largest(mass * g, mass * body_accelerations(d)[:, 3:], tree.tau)
    close(part(change, energy.TOTAL_MOMENT), P, f"velocity of the mass centre, {d}", largest(P, mass * tree.w))
    close(P_dot, mass * g, f"momentum, {d}", forces)
    # d/dt (H - c x P) = H-dot - c x P-dot, for c-dot is along P
    close(H_dot, np.cross(c, P_dot), f"angular momentum, {d}", forces)
