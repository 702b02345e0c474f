"""What must hold for the equations of every tree, whichever way they are written. Each function raises AssertionError.

A difference is measured against the largest number of its kind.
"""

from itertools import combinations
from typing import Any

import numpy as np
from trees import TIME, Tree

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import energy
from kaneflex.kernels.sensors import SENSE_ENERGY
from kaneflex.kernels.tables import width, with_header
from kaneflex.model.forces import OrbitGravity
from kaneflex.plan.channels import SensorTable

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
    d.work.tau.value[:] = 0 if tau is None else tau


def state(d: Dynamics, tree: Tree) -> np.ndarray:
    """y of the tree's state in the speeds of d."""
    return np.concatenate([tree.q, d.speeds_from_rates(tree.q, tree.w), [0.0, 0.0]])


def rates(d: Dynamics, tree: Tree) -> np.ndarray:
    """y-dot, with the tree's joint forces; leaves the accelerations in the workspace."""
    y = state(d, tree)
    ydot = np.empty_like(y)
    set_tau(d, tree.tau)
    d.kernels.call_derivative(d.I, d.P, d.W, TIME, y, ydot)
    return ydot


def body_accelerations(d: Dynamics) -> np.ndarray:
    """ALPHA and A_ of every body, as the last evaluation left them."""
    body = d.work.body
    return np.hstack([body.alpha, body.a])[1 : d.plan.header.bodies]


def prescribed(d: Dynamics) -> np.ndarray:
    """Which speeds are prescribed."""
    return d.plan.tables.column.prescribed == 1


def dw_du(d: Dynamics, tree: Tree) -> np.ndarray:
    """Relative rates per speed: w is linear in u."""
    return np.column_stack([d.rates_from_speeds(tree.q, e) for e in np.eye(d.plan.nu)])


def relative_rate_rates(d: Dynamics, q: np.ndarray, u: np.ndarray, qdot: np.ndarray, udot: np.ndarray) -> np.ndarray:
    """w-dot along the motion, whatever the speeds are: the complex step of w(q, u)."""
    w = np.zeros(d.plan.nu, complex)
    I, W = d.plan.complex_tables(), d.plan.workspace(complex)
    d.kernels.call_rates_from_speeds(I, d.P, W, q + 1j * STEP * qdot, u + 1j * STEP * udot, w)
    return w.imag / STEP


# -- identities --------------------------------------------------------------------------------------------------------


class Motion:
    """What one way of writing the equations gives for a tree's state and joint forces."""

    def __init__(self, d: Dynamics, tree: Tree):
        self.d, self.tree = d, tree
        self.y = state(d, tree)
        self.ydot = rates(d, tree)
        self.accelerations = body_accelerations(d)
        self.holding = np.where(prescribed(d), d.work.column.tau_reduced, 0.0)

    @property
    def u(self) -> np.ndarray:
        return self.y[self.d.plan.nq : -2]

    @property
    def udot(self) -> np.ndarray:
        return self.ydot[self.d.plan.nq : -2]


def same_motion(one: Motion, other: Motion) -> None:
    """Two ways give every body the same acceleration; what holds the base, and the powers, are the same too."""
    ways = f"{one.d} and {other.d}"
    close(one.accelerations, other.accelerations, f"accelerations, {ways}")
    if one.d.plan.speeds == other.d.plan.speeds:
        close(one.udot, other.udot, f"u-dot, {ways}")
    close(one.ydot[: one.d.plan.nq], other.ydot[: one.d.plan.nq], f"rates of the coordinates, {ways}")
    held = largest(one.holding, other.holding, 1e-3 * one.accelerations)  # they, and powers, may be rounding alone
    close(one.holding, other.holding, f"loads that hold the base, {ways}", held)
    powers = largest(one.ydot[-2:], other.ydot[-2:], 1e-3 * one.accelerations)
    close(one.ydot[-2:], other.ydot[-2:], f"powers, {ways}", powers)


def forward_is_inverse(motion: Motion) -> None:
    """Joint forces give speed rates, which give the joint forces back, with the loads that hold the base."""
    d, tree, u = motion.d, motion.tree, motion.u
    wanted = tree.tau + motion.holding
    at_rest = d.inverse_dynamics(tree.q, u, np.zeros_like(u), TIME)
    got = d.inverse_dynamics(tree.q, u, motion.udot, TIME)
    close(got, wanted, f"joint forces, {d}", largest(wanted, at_rest))


def sums(d: Dynamics, y: np.ndarray, t: float = TIME) -> tuple[np.ndarray, np.ndarray]:
    """Energies (kinetic, of gravity, of the loads) and all totals of kernels.energy at y = (q, u), which may be complex."""
    I = with_header(d.plan.complex_tables() if np.iscomplexobj(y) else d.I, placed=1)
    W, header, table = d.plan.workspace(y.dtype), d.plan.header, SensorTable()
    potentials = [table.add(SENSE_ENERGY, width("energy", "W"), index=m).start for m in range(header.forces)]
    inputs = d.work.law_output.value[: header.inputs].astype(y.dtype)[None, :]
    out, totals = np.zeros((1, max(1, table.size)), y.dtype), np.zeros((1, energy.GROUP_WIDTH), y.dtype)
    scratch, sensors = np.zeros(d.plan.nu, y.dtype), table.arrays()
    d.kernels.call_channels(I, d.P, W, *sensors, np.array([t]), y[None, :], inputs, 0, out, totals, scratch)
    T, V = totals[0, energy.KINETIC], totals[0, energy.GRAVITY_POTENTIAL]
    return np.array([T, V, out[0, potentials].sum() if potentials else 0 * T]), totals[0]


def rate_of_sums(d: Dynamics, y: np.ndarray, ydot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Time derivatives of `sums` along y-dot, by the complex step."""
    energies, totals = sums(d, (y + 1j * STEP * ydot)[:-2].copy())
    return energies.imag / STEP, totals.imag / STEP


def rate_in_time(motion: Motion) -> np.ndarray:
    """Rates of the energies at rest, of potentials that change with time themselves: differences of sixth order."""
    h, y = 0.03, motion.y[:-2]
    one, two, three = (sums(motion.d, y, TIME + k * h)[0] - sums(motion.d, y, TIME - k * h)[0] for k in (1, 2, 3))
    return (45 * one - 9 * two + three) / (60 * h)


def power_is_energy_rate(motion: Motion) -> None:
    """d/dt (kinetic + potential) = power of the applied loads, of dampers, of what holds the base, and of tau."""
    change, _ = rate_of_sums(motion.d, motion.y, motion.ydot)
    if any(isinstance(load, OrbitGravity) for load in motion.tree.model.loads.values()):
        change = change + rate_in_time(motion)
    powers = np.array([*motion.ydot[-2:], motion.tree.tau @ motion.tree.w])
    close(change.sum(), powers.sum(), f"power, {motion.d}", largest(change, powers))


def mass_matrix_fits(motion: Motion) -> None:
    """M is symmetric, and positive definite in what is free to move; M = (dw/du)^T d tau/d u-dot; M u-dot + h =
    (dw/du)^T tau, tau with the loads that hold the base."""
    d, tree, u, n = motion.d, motion.tree, motion.u, motion.d.plan.nu
    M, R = d.mass_matrix(tree.q), dw_du(d, tree)
    assert np.array_equal(M, M.T), "mass matrix is not symmetric"
    free = ~prescribed(d)
    assert not free.any() or np.linalg.eigvalsh(M[free][:, free])[0] > 0, "mass matrix is not positive definite"
    at_rest = d.inverse_dynamics(tree.q, u, np.zeros(n), TIME)
    columns = [d.inverse_dynamics(tree.q, u, e, TIME) - at_rest for e in np.eye(n)]
    close(R.T @ np.column_stack(columns), M, f"mass matrix, {d}", largest(M, at_rest))
    h = R.T @ at_rest
    close(M @ motion.udot + h, R.T @ (tree.tau + motion.holding), f"equations of motion, {d}", largest(h, R.T @ tree.tau))


def bias_balances_motion(motion: Motion) -> None:
    """M u-dot + h = (dw/du)^T (loads that hold the base), u-dot and the loads being the solve's own."""
    d, tree, u = motion.d, motion.tree, motion.u
    udot = d.udot_at(TIME, tree.q, u)
    held = np.zeros_like(u)
    for k in range(d.plan.nu):
        if prescribed(d)[k]:
            held[k] = d.work.column[k].tau_reduced
    close(d.mass_matrix(tree.q) @ udot - dw_du(d, tree).T @ held, -d.bias(tree.q, u, TIME), f"bias, {d}")


def momentum_balances(motion: Motion) -> None:
    """Of a tree that floats, with loads between its bodies only: dP/dt = m g, and H about the mass centre is constant."""
    d, tree, y = motion.d, motion.tree, motion.y
    assert not np.any(tree.tau[:6]), "the free joint's own tau acts from outside"
    _, change = rate_of_sums(d, y, motion.ydot)
    _, now = sums(d, y[:-2].copy())
    mass, g = now[energy.TOTAL_MASS], np.array(tree.model.gravity)

    def part(x: np.ndarray, first: int) -> np.ndarray:
        return x[first : first + 3]

    P, c = part(now, energy.LINEAR_MOMENTUM), part(now, energy.TOTAL_MOMENT) / mass
    P_dot, H_dot = part(change, energy.LINEAR_MOMENTUM), part(change, energy.ANGULAR_MOMENTUM)
    forces = largest(mass * g, mass * motion.accelerations[:, 3:], tree.tau)
    close(part(change, energy.TOTAL_MOMENT), P, f"velocity of the mass centre, {d}", largest(P, mass * tree.w))
    close(P_dot, mass * g, f"momentum, {d}", forces)
    # d/dt (H - c x P) = H-dot - c x P-dot, for c-dot is along P
    close(H_dot, np.cross(c, P_dot), f"angular momentum, {d}", forces)


def check_tree(tree, ways: dict[tuple[str, str], Dynamics] | None = None) -> None:
    """Every way (all of the tree's) gives the same motion; forward is inverse dynamics; power is the rate of energy."""
    motions = [Motion(d, tree) for d in (tree.ways if ways is None else ways).values()]
    for one, other in combinations(motions, 2):
        same_motion(one, other)
    for motion in motions:
        forward_is_inverse(motion)
        power_is_energy_rate(motion)
