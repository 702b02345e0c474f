"""The independent states of a system that motions and constraints hold, and how all others follow them.

A variation of x = (q, u) that stays on the constraints keeps

    G dq = 0 ,      J du + (dc/dq) dq = 0 ,                                                            (1)

g(q) = 0 being the equations in the coordinates, c = J u + b = 0 those in the speeds (the rates of the former and those
that are not integrable), while dq = du = 0 for what follows a motion and a quaternion keeps its length. Some coordinates
and some speeds are chosen to be independent, by pivoting on G and on J; (1) gives the others, x = X z. With x-dot = f(x)
the independent states have z-dot = f_z(x), whose derivative is f_z' X: no second derivatives are needed, at any state.
With equations that are not integrable there are more independent coordinates than speeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kaneflex.analysis.derivatives import Derivatives
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import redundant_equations
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE
from kaneflex.model.checks import ModelError
from kaneflex.plan.plan import Plan

PROBE = 1e-3  # how far from a state it is looked whether the constraints are of the same rank, rad or m
LEFT = 1e-5  # what may be left of a redundant equation, as a fraction of what it is made of
WEAK = 1e-9  # of what is left of the weakest equation beside the strongest, below which it says nothing

Array = np.ndarray


@dataclass(frozen=True)
class Tangent:
    """Independent states of x = (q, u, z).

    Attributes:
        X: variation of x per unit of each independent state.
        pick: independent states = pick x, for variations.
        names: of the independent states.
        coordinates: how many of them are coordinates, the rest being speeds and states of blocks.
        left: largest part of a redundant constraint equation that X does not keep, and its number.
    """

    X: Array
    pick: Array
    names: tuple[str, ...]
    coordinates: int
    left: tuple[float, int] = (0.0, -1)


def quaternion_turns(e: Array) -> Array:
    """de/d(small rotation in body axes), 4 by 3, of a unit quaternion."""
    e0, e1, e2, e3 = e
    return np.array([[-e1, -e2, -e3], [e0, -e3, e2], [e3, e0, -e1], [-e2, e1, e0]]) / 2


def unit_quaternions(x: Array, states: Sequence[str], quaternions: Sequence[int]) -> tuple[Array, Array, list[str]]:
    """X, pick and names of states in which a quaternion's four numbers are the three of a small rotation.

    Args:
        x: the states.
        states: their names.
        quaternions: where in x quaternions begin.
    """
    n = len(x)
    columns, rows, names = [], [], []
    k = 0
    while k < n:
        size = 4 if k in quaternions else 1
        block = np.zeros((n, 3 if size == 4 else 1))
        block[k : k + size] = quaternion_turns(x[k : k + 4]) if size == 4 else 1
        columns.append(block)
        rows.append((4 if size == 4 else 1) * block.T)
        body = states[k].rpartition(".")[0]
        names += [f"{body}.rotation_{a}" for a in "xyz"] if size == 4 else [states[k]]
        k += size
    return np.hstack(columns), np.vstack(rows), names


def quaternions_of(plan: Plan) -> tuple[int, ...]:
    """Where in q quaternions begin."""
    return tuple(j.quaternion for j in plan.index.joints.values() if j.quaternion is not None)


def followers(plan: Plan) -> tuple[list[int], list[int]]:
    """Coordinates and speeds that follow motions."""
    force = plan.tables.force
    follow = (force.kind == JOINT_DRIVE) & (force.coordinate >= 0)
    return force.coordinate[follow].tolist(), force.column[follow].tolist()


def tangent(dynamics: Dynamics, derivatives: Derivatives, x: Array) -> Tangent:
    """The independent states at x = (q, u, z), which satisfies motions and constraints; states of blocks are independent."""
    plan = dynamics.plan
    T, pick, names = unit_quaternions(x, plan.state_names, quaternions_of(plan))
    if not plan.is_constrained:
        return Tangent(T, pick, tuple(names), T.shape[1] - plan.nu - plan.layout.nz)
    coordinates, speeds = followers(plan)
    loose = ~_touched(T, [*coordinates, *(plan.nq + k for k in speeds)])
    n = int(loose[: T.shape[1] - plan.nu - plan.layout.nz].sum())
    T, pick, names = T[:, loose], pick[loose], [name for name, k in zip(names, loose, strict=True) if k]
    N, free, left = _solved(dynamics, derivatives, x, T, n)
    return Tangent(T @ N, pick[free], tuple(names[k] for k in free), sum(k < n for k in free), left)


def _touched(T: Array, rows: Sequence[int]) -> Array:
    """Which columns have entries in the rows."""
    return (T[list(rows)] != 0).any(axis=0)


def _solved(
    dynamics: Dynamics, derivatives: Derivatives, x: Array, T: Array, n: int
) -> tuple[Array, list[int], tuple[float, int]]:
    """Solution of (1) in terms of the columns of T, n of them coordinates; the independent ones; what is left."""
    plan = dynamics.plan
    redundant = redundant_equations(dynamics, derivatives.t, x[plan.layout.q], x[plan.layout.u])
    kept = [r for r, name in enumerate(equation_names(plan)) if name not in redundant]
    holonomic = plan.tables.equation.holonomic == 1
    solvable = ~_touched(T, base_states(plan))
    values, speeds = derivatives.equations(x, T)
    size = derivatives.measures()[:, None]
    size[size == 0] = 1
    G, slope, J = values[:, :n] / size, speeds[:, :n] / size, speeds[:, n:] / size
    weights = np.linalg.svd(J[kept][:, solvable[n:]], compute_uv=False) if kept else np.zeros(0)
    if kept and (len(weights) < len(kept) or not weights[-1] > WEAK * weights[0]):
        raise singular([equation_names(plan)[r] for r in kept])
    first = [r for r in kept if holonomic[r]]
    while True:
        Nq, free = _null_space(G[first], solvable[:n])
        left = _largest(G @ Nq, np.abs(G).max(initial=0.0) * np.abs(Nq).max(initial=1.0), holonomic, first)
        if left[0] <= LEFT:
            break
        first.append(left[1])  # the solution of the dynamics keeps an equation of the speeds instead
    Nu, free_u = _null_space(J[kept], solvable[n:])
    follow = np.zeros((J.shape[1], len(free)))
    bound = [k for k in range(J.shape[1]) if k not in free_u]
    change = slope @ Nq
    if bound:
        follow[bound] = np.linalg.solve(J[kept][:, bound], -change[kept])
    moving = np.abs(x[plan.layout.u]).max(initial=0.0) + np.abs(follow).max(initial=0.0)
    scale = np.abs(change).max(initial=0.0) + np.abs(J).max(initial=0.0) * moving
    left = _largest(change + J @ follow, scale, np.ones_like(holonomic), kept)
    N = np.block([[Nq, np.zeros((n, len(free_u)))], [follow, Nu]])
    return N, [*free, *(n + k for k in free_u)], left


def equation_names(plan: Plan) -> list[str]:
    """Names of the constraint equations, "constraint[k]", in their order."""
    found = [""] * plan.header.rows
    for name, rows in plan.index.constraints.items():
        found[rows] = [f"{name}[{k}]" for k in range(rows.stop - rows.start)]
    return found


def singular(equations: Sequence[str]) -> ModelError:
    """The error of a position in which some of the equations lose their independence."""
    return ModelError(
        f"the position is singular: among {', '.join(equations)} some follow from the other constraint equations here, but "
        "not around it, so that small motions have no linear model; move away from it, or take out a constraint"
    )


def base_states(plan: Plan) -> list[int]:
    """States of a moving base, which follow from its given accelerations and from nothing else."""
    if plan.model.base is None:
        return []
    joints = [plan.index.joints[name] for name in ("base_origin", "base") if name in plan.index.joints]
    coordinates = [k for j in joints for k in range(j.q0, j.q0 + j.coordinates)]
    return coordinates + [plan.nq + k for j in joints for k in range(j.u0, j.u0 + j.speeds)]


def _null_space(R: Array, solvable: Array) -> tuple[Array, list[int]]:
    """N with R N = 0, whose rows of the independent columns are those of the unit matrix; these columns.

    The dependent ones are found by pivoting: of those that are nearly as good as the best, the last.
    """
    left, bound = np.where(solvable, R, 0.0), list[int]()
    for _ in range(len(R)):
        size = np.linalg.norm(left, axis=0)
        size[bound] = 0
        k = int(np.flatnonzero(size >= 0.3 * size.max())[-1])
        bound.append(k)
        unit = left[:, k] / size[k]
        left = left - np.outer(unit, unit @ left)
    free = [k for k in range(R.shape[1]) if k not in bound]
    N = np.zeros((R.shape[1], len(free)))
    N[free] = np.eye(len(free))
    if bound:
        N[bound] = -np.linalg.solve(R[:, bound], R[:, free])
    return N, free


def _largest(residual: Array, scale: float, which: Array, without: Sequence[int]) -> tuple[float, int]:
    """Largest entry as a fraction of the scale, over rows `which` but those in `without`, and its row."""
    sizes = np.abs(residual).max(axis=1, initial=0.0) * which
    sizes[list(without)] = 0
    row = int(np.argmax(sizes)) if len(sizes) else -1
    return (float(sizes[row] / scale), row) if row >= 0 and sizes[row] > 0 else (0.0, row)


def check_regular(dynamics: Dynamics, t: float, x: Array, found: Tangent) -> None:
    """Raise an error where the constraints have a lower rank than around: a dead point, a fork of the motion.

    Only with redundant equations can that be. A little way along a variation, back on the constraints, no more equations
    must be independent than at the state, and the way must not be lost.
    """
    plan, nq, layout = dynamics.plan, dynamics.plan.nq, dynamics.layout
    redundant = redundant_equations(dynamics, t, x[layout.q], x[layout.u])
    if not redundant:
        return
    lost = found.left[0] > LEFT
    if found.coordinates and not lost:
        weights = 1 / np.sqrt(1.0 + np.arange(found.coordinates))
        way = found.X[:nq, : found.coordinates] @ weights
        way *= PROBE / np.abs(way).max()
        y = layout.with_works(x)
        y[layout.q] += way
        normalise_quaternions(plan, y)
        lost = dynamics.project(t, y, 50) < 0 or np.linalg.norm(y[:nq] - x[:nq]) < 0.5 * np.linalg.norm(way)
        lost = lost or len(redundant_equations(dynamics, t, y[layout.q], y[layout.u])) < len(redundant)
    if lost:
        raise singular(redundant)


def normalise_quaternions(plan: Plan, q: Array) -> None:
    """Scale every quaternion in q to unit length, in place."""
    for k in quaternions_of(plan):
        q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
