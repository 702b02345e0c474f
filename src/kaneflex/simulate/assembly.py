"""Bringing a system together: coordinates and rates that satisfy motions and constraints, near given ones."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import layout as L
from kaneflex.kernels.constraints.dispatch import CLOSURE
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Closure, Distance, Rolling
from kaneflex.model.joints import Fixed, Prismatic, Screw, Spherical, Translational, Universal
from kaneflex.plan.plan import Plan
from kaneflex.plan.state import State

UNDEFINED = {
    Distance: "its ends coincide, so that it has no direction",
    Rolling: "the disk lies flat on the plane, so that it has no point of contact",
}
SWEEPS, LIMIT = 200, 0.3  # Newton steps, and the longest change of a rate (rad, m) in one of them


@dataclass(frozen=True)
class Assembly:
    """What assembling did.

    Attributes:
        state: the assembled state.
        moved: (name, before, after) of every coordinate and rate that changed by more than 1e-9.
        violation: largest defect of a constraint equation in the coordinates before, and the constraint's name.
        steps: Newton steps taken.
        redundant: constraint equations that follow from the others, as "name[k]".
    """

    state: State
    moved: tuple[tuple[str, float, float], ...]
    violation: tuple[float, str]
    steps: int
    redundant: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"assembled in {self.steps} steps; before, the largest defect was {self.violation[0]:.3g}"]
        if self.violation[1]:
            lines[0] += f' in "{self.violation[1]}"'
        lines += [f"  {name}: {before:.9g} -> {after:.9g}" for name, before, after in self.moved]
        if self.redundant:
            lines.append(
                f"  redundant: {', '.join(self.redundant)}; the motion does not depend on them, "
                "their multipliers are those of least norm"
            )
        return "\n".join(lines)


def assemble(dynamics: Dynamics, state: State, keep: Sequence[str] = ()) -> Assembly:
    """Project a state onto motions and constraints, with the smallest change in the sense of kinetic energy.

    Flexible bodies keep their deflection where the joints alone can do it.

    Args:
        dynamics: of the system.
        state: where to begin.
        keep: coordinates ("joint.coordinate", "joint" or "body.modes") that stay as they are.
    """
    plan = dynamics.plan
    if isinstance(keep, str):
        raise ModelError(f'keep is "{keep}": give a sequence of names, e.g. keep=("{keep}",)')
    worker = _holding(dynamics, keep) if keep else dynamics
    y = np.concatenate([state.q, worker.speeds_from_rates(state.q, state.rates), [0.0, 0.0]])
    if plan.I[L.MOTIONS]:  # then the other rates are kept, not the speeds, whose meaning may depend on the driven ones
        worker.follow(state.t, y)
        driven = np.setdiff1d(np.arange(plan.nu), plan.free_speeds)
        rates = state.rates.copy()
        rates[driven] = y[plan.nq : -2][driven]
        y[plan.nq : -2] = worker.speeds_from_rates(y[: plan.nq], rates)
    before, _ = worker.equations(state.t, y[: plan.nq], y[plan.nq : -2])
    steps, y = _projected(worker, state.t, y)
    q, u = y[: plan.nq], y[plan.nq : -2]
    _check_met(worker, state.t, q, u, steps)
    _check_sides(worker, state.t, q)
    rates = dynamics.rates_from_speeds(q, u)
    after = State(plan.index, state.t, q, rates)
    old, new = np.concatenate([state.q, state.rates]), np.concatenate([q, rates])
    moved = tuple((_named(plan, k), float(old[k]), float(new[k])) for k in np.flatnonzero(np.abs(old - new) > 1e-9).tolist())
    worst = (0.0, "")
    if len(before):
        k = int(np.argmax(np.abs(before)))
        worst = (float(abs(before[k])), _owner(plan, k))
    return Assembly(after, moved, worst, steps, redundant_equations(dynamics, state.t, q, u))


def _projected(worker: Dynamics, t: float, y: np.ndarray) -> tuple[int, np.ndarray]:
    """Newton steps and the projected y: with the modes of flexible bodies held, or free where that does not do."""
    plan = worker.plan
    if plan.index.modes:
        stiff, found = _holding(worker, [f"{name}.modes" for name in plan.index.modes]), y.copy()
        steps = stiff.project(t, found, SWEEPS, LIMIT)
        _, left = worker.equations(t, found[: plan.nq], found[plan.nq : -2])
        if steps >= 0 and np.abs(left).max(initial=0.0) <= 1e-10 * (1 + np.abs(found[plan.nq : -2]).max()):
            return steps, found
    return worker.project(t, y, SWEEPS, LIMIT), y


def _named(plan: Plan, k: int) -> str:
    """Name of a coordinate, or of a rate, counted after the coordinates."""
    return plan.index.coordinates[k] if k < plan.nq else f"{plan.index.speeds[k - plan.nq]} rate"


def _owner(plan: Plan, row: int) -> str:
    return plan.equations[row][0]


def _holding(dynamics: Dynamics, keep: Sequence[str]) -> Dynamics:
    """The dynamics with some speeds held."""
    plan = dynamics.plan
    worker = copy.copy(dynamics)
    worker.I = dynamics.I.copy()
    for name in keep:
        joint, _, coordinate = name.partition(".")
        checks.known(joint, plan.index.joints, "keep: joint")
        if joint in plan.index.modes and coordinate == "modes":
            modes = plan.index.modes[joint]
            first = int(worker.I[L.I_COLUMN]) + modes.u0 * L.COLUMN_INTS + L.PRESCRIBED
            worker.I[first : first + modes.modes * L.COLUMN_INTS : L.COLUMN_INTS] = 1
            row = int(worker.I[L.HEADER + plan.index.joints[joint].row * L.BODY_INTS + L.FLEXIBLE])
            worker.I[worker.I[L.I_FLEXIBLE] + row * L.FLEXIBLE_INTS + L.FLEXIBLE_HELD] = 1
            continue
        index = plan.index.joints[joint]
        names = index.speed_names
        if coordinate not in ("", "q"):
            checks.known(coordinate, names, f'keep: coordinate of joint "{joint}"')
            names = (coordinate,)
        for one in names:
            k = index.u0 + index.speed_names.index(one)
            worker.I[worker.I[L.I_COLUMN] + k * L.COLUMN_INTS + L.PRESCRIBED] = 1
    return worker


def _check_met(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray, steps: int) -> None:
    values, speeds = dynamics.equations(t, q, u)
    if not len(values):
        return
    plan = dynamics.plan
    k = int(np.argmax(np.where(np.isfinite(values), np.abs(values), np.inf)))
    if not np.isfinite(values[k]):
        name = _owner(plan, k)
        why = UNDEFINED.get(
            type(plan.model.constraints[name]), "the position is singular, or one of its functions is not finite"
        )
        raise ModelError(f'the system cannot be assembled: constraint "{name}" says nothing here: {why}; start elsewhere')
    if steps < 0:
        raise ModelError(
            f'the system cannot be assembled: constraint "{_owner(plan, k)}" stays off by {abs(values[k]):.3g} (m or rad); '
            "check lengths and frames, start nearer to a configuration that fits, or hold less (motions, keep)"
        )
    k = int(np.argmax(np.abs(speeds)))
    if not abs(speeds[k]) <= 1e-9 * (1 + float(np.abs(u).max())):
        raise ModelError(
            f'no rates satisfy constraint "{_owner(plan, k)}" here: {abs(speeds[k]):.3g} (m/s or rad/s) is left; '
            "the position is singular, or a prescribed motion contradicts the constraint"
        )


def _check_sides(dynamics: Dynamics, t: float, q: np.ndarray) -> None:
    """Equations of direction are satisfied by opposite directions too: refuse a closing joint put together that way."""
    plan = dynamics.plan
    I, W = dynamics.I, dynamics.W
    first, count = int(I[L.I_CONSTRAINT]), int(I[L.CONSTRAINTS])
    kinds = I[first : first + count * L.CONSTRAINT_INTS : L.CONSTRAINT_INTS]
    for e in np.flatnonzero(kinds == CLOSURE):
        row = I[L.I_CONSTRAINT] + e * L.CONSTRAINT_INTS
        name = _owner(plan, int(I[row + L.CONSTRAINT_ROW]))
        constraint = plan.model.constraints[name]
        if not isinstance(constraint, Closure) or isinstance(constraint.joint, Spherical | Universal):
            continue  # nothing in them has a wrong side
        frames, places = [], []
        for n, place in enumerate((L.FRAME_A, L.FRAME_B)):
            body = int(I[I[L.I_ATTACHMENT] + (I[row + L.ATTACHMENT0] + n) * L.ATTACHMENT_INTS])
            w = body * L.BODY_WIDTH + L.R_NM
            g = int(I[L.P_CONSTRAINT]) + int(e) * L.CONSTRAINT_REALS + place
            point = dynamics.P[g + (L.POINT_A if n == 0 else L.POINT_B) - place :][:3]
            origin = W[body * L.BODY_WIDTH + L.P_NM :][:3]
            places.append((None, origin + W[w : w + 9].reshape(3, 3) @ point))
            frames.append(W[w : w + 9].reshape(3, 3) @ dynamics.P[g : g + 9].reshape(3, 3))
        A, B = frames
        product = A.T @ B
        unturned = isinstance(constraint.joint, Fixed | Prismatic | Translational)
        opposite = np.trace(product) < 2.5 if unturned else product[2, 2] < 0
        if isinstance(constraint.joint, Screw) and constraint.joint.pitch:
            (_, p), (_, r) = places
            slide = float(A[:, 2] @ (r - p)) / constraint.joint.parameters[0]
            opposite = opposite or np.cos(slide - np.arctan2(product[1, 0], product[0, 0])) < 0
        if opposite:
            raise ModelError(
                f'the loop "{name}" is put together the wrong way round: the axes of its frames are opposite; '
                "turn one of the frames, or start nearer to the configuration that is meant"
            )


def independence(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray) -> tuple[int, float, str]:
    """How well the constraint equations are independent at a position: rank, least share, name of the constraint with it.

    The share of an equation is what is left of it, 0 to 1, after those before it in the order of pivots are satisfied. Where
    it goes to zero, and the rank falls, the position is singular: the system has one more freedom there.
    """
    plan, I, W = dynamics.plan, dynamics.I, dynamics.W
    rank, least, name = 0, 1.0, ""
    dynamics.multipliers(t, q, u)  # whatever the formulation, this leaves factors and the order of pivots
    clusters = I[I[L.I_CLUSTER] : I[L.I_CLUSTER] + I[L.CLUSTERS] * L.CLUSTER_INTS].reshape(-1, L.CLUSTER_INTS).tolist()
    for _, first, m, gram in clusters:
        factor, order = gram + m * m, gram + 2 * m * m
        pivots = W[order : order + int(W[order + m])].astype(int).tolist()
        rank += len(pivots)
        for n, k in enumerate(pivots):
            share = W[factor + k * m + n] ** 2 / W[int(I[L.W_ROW]) + (first + k) * L.ROW_WIDTH + L.SIZE_]
            if share < least:
                least, name = float(share), _owner(plan, first + k)
    return rank, least, name


def redundant_equations(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray) -> tuple[str, ...]:
    """Names of the constraint equations that follow from the others at this position."""
    plan, I, W = dynamics.plan, dynamics.I, dynamics.W
    if not I[L.CLUSTERS]:
        return ()
    dynamics.multipliers(t, q, u)  # whatever the formulation, this leaves the order of pivots
    names = []
    clusters = I[I[L.I_CLUSTER] : I[L.I_CLUSTER] + I[L.CLUSTERS] * L.CLUSTER_INTS].reshape(-1, L.CLUSTER_INTS).tolist()
    for _, first, m, gram in clusters:
        order = gram + 2 * m * m
        for k in W[order + int(W[order + m]) : order + m].tolist():
            name, number = plan.equations[first + int(k)]
            names.append(f"{name}[{number}]")
    return tuple(sorted(names))
