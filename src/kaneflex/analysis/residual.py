"""How large the accelerations at a state are, beside those that the forces cause one by one.

u-dot is the sum of what the products of rates, gravity and each load cause by themselves. At an equilibrium these cancel,
to rounding: whether an acceleration is nothing is judged by the sum of their sizes. Gravity counts along all three axes,
since it may happen to cause nothing where a pendulum hangs.
"""

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import layout as L
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE

ROUNDING = 8 * np.finfo(float).eps  # of a coordinate, in parts of its size or of 1 rad or m

Array = np.ndarray


def caused(dynamics: Dynamics, t: float, x: Array) -> Array:
    """Sizes of the accelerations that products of rates, gravity and each load cause by themselves at x, summed.

    Where constraints take up forces, what these would cause without the constraints counts too.
    """
    sizes = _caused(dynamics, t, x, constrained=True)
    if dynamics.I[L.CONSTRAINTS]:
        loose = _caused(dynamics, t, x, constrained=False)
        sizes += np.where(np.isfinite(loose), loose, 0.0)  # without its constraints a system may have speeds without inertia
    return sizes


def _caused(dynamics: Dynamics, t: float, x: Array, constrained: bool) -> Array:
    plan = dynamics.plan
    I, P, drives = _drives_first(dynamics)
    if not constrained:
        I[L.CONSTRAINTS] = I[L.ROWS] = I[L.CLUSTERS] = I[L.FRICTIONS] = 0
    y, out = plan.layout.with_works(x), np.empty(plan.layout.size)
    gravity = slice(int(I[L.P_GRAVITY]), int(I[L.P_GRAVITY]) + 3)
    strength = float(np.linalg.norm(P[gravity]))

    def udot(loads: int, along: Array) -> Array:
        I[L.FORCES], P[gravity] = loads, strength * along
        dynamics.kernels.call_derivative(I, P, dynamics.W, t, y, out)
        return out[plan.layout.u].copy()

    none = np.zeros(3)
    before = udot(drives, none)
    sizes = np.abs(before)
    for axis in np.eye(3) if strength else ():
        sizes += np.abs(udot(drives, axis) - before)
    for count in range(drives + 1, int(plan.I[L.FORCES]) + 1):
        after = udot(count, none)
        sizes += np.abs(after - before)
        before = after
    return sizes


def _drives_first(dynamics: Dynamics) -> tuple[Array, Array, int]:
    """The tables with the given motions before all loads, so that the last of these can be left out; how many motions."""
    I, P = dynamics.I.copy(), dynamics.P.copy()
    n = int(I[L.FORCES])
    rows = I[int(I[L.I_FORCE]) :][: n * L.FORCE_INTS].reshape(n, L.FORCE_INTS)
    reals = P[int(I[L.P_FORCE]) :][: n * L.FORCE_REALS].reshape(n, L.FORCE_REALS)
    is_drive = rows[:, L.FORCE_KIND] == JOINT_DRIVE
    order = np.argsort(~is_drive, kind="stable")
    rows[:], reals[:] = rows[order], reals[order]
    loads = I[int(I[L.I_FRICTION]) :][: int(I[L.FRICTIONS]) * L.FRICTION_INTS : L.FRICTION_INTS]
    loads[:] = np.argsort(order)[loads]
    return I, P, int(is_drive.sum())


def rounding(slopes: Array, X: Array, q: Array) -> Array:
    """Accelerations that come from rounding the coordinates.

    Args:
        slopes: change of the accelerations along directions of the coordinates.
        X: these directions, columns.
        q: coordinates.
    """
    moved = np.maximum(1.0, np.abs(q)) @ np.abs(X) / np.maximum(np.abs(X).sum(axis=0), 1e-300)
    return ROUNDING * np.abs(slopes) @ moved
