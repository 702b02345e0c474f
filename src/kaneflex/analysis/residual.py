"""How large the accelerations at a state are, beside those that the forces cause one by one.

u-dot is the sum of what the products of rates, gravity and each load cause by themselves. At an equilibrium these cancel,
to rounding: whether an acceleration is nothing is judged by the sum of their sizes. Gravity counts along all three axes,
since it may happen to cause nothing where a pendulum hangs.
"""

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE
from kaneflex.kernels.tables import Tables, with_header

EPS = float(np.finfo(float).eps)
ROUNDING = 8 * EPS  # of a coordinate, in parts of its size or of 1 rad or m

Array = np.ndarray


def caused(dynamics: Dynamics, t: float, x: Array) -> Array:
    """Sizes of the accelerations that products of rates, gravity and each load cause by themselves at x, summed.

    Where constraints take up forces, what these would cause without the constraints counts too.
    """
    sizes = _caused(dynamics, t, x, constrained=True)
    if dynamics.plan.header.constraints:
        loose = _caused(dynamics, t, x, constrained=False)
        sizes += np.where(np.isfinite(loose), loose, 0.0)  # without its constraints a system may have speeds without inertia
    return sizes + EPS * sizes.max(initial=0.0)  # one that nothing causes has the rounding of the others


def _caused(dynamics: Dynamics, t: float, x: Array, constrained: bool) -> Array:
    plan = dynamics.plan
    I, P, drives = drives_first(dynamics)
    if not constrained:
        I = with_header(I, constraints=0, rows=0, clusters=0, frictions=0)
    tables = Tables(I, {"I": I, "P": P})
    if not constrained:  # nor do loops pass through a joint, or close on a body
        tables.body.paths[:], tables.body.closes[:] = 0, 0
    header, gravity = tables.header, tables.gravity.value
    y, out = plan.layout.with_works(x), np.empty(plan.layout.size)
    strength = float(np.linalg.norm(gravity))

    def udot(loads: int, along: Array) -> Array:
        header.forces, gravity[:] = loads, strength * along
        dynamics.kernels.call_derivative(I, P, dynamics.W, t, y, out)
        return out[plan.layout.u].copy()

    none = np.zeros(3)
    before = udot(drives, none)
    sizes = np.abs(before)
    for axis in np.eye(3) if strength else ():
        sizes += np.abs(udot(drives, axis) - before)
    for count in range(drives + 1, plan.header.forces + 1):
        after = udot(count, none)
        sizes += np.abs(after - before)
        before = after
    return sizes


def drives_first(dynamics: Dynamics) -> tuple[Array, Array, int]:
    """The tables with the given motions before all loads, so that the last of these can be left out; how many motions."""
    I, P = dynamics.I.copy(), dynamics.P.copy()
    tables = Tables(I, {"I": I, "P": P})
    is_drive = tables.force.kind == JOINT_DRIVE
    order = np.argsort(~is_drive, kind="stable")
    for part in tables.force.arrays:
        part[:] = part[order]
    tables.friction.load[:] = np.argsort(order)[tables.friction.load]
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
