"""Bringing a system together: coordinates and rates that satisfy motions and constraints, near given ones."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels.constraints.dispatch import CLOSURE
from kaneflex.kernels.tables import Tables
from kaneflex.model import checks
from kaneflex.model.checks import ModelError, warn
from kaneflex.model.constraints import Closure, Distance, Rolling
from kaneflex.model.joints.contract import PARALLEL, UNTURNED
from kaneflex.model.typed import typed
from kaneflex.plan.plan import Plan
from kaneflex.plan.state import State, state_of

UNDEFINED = {
    Distance: "its ends coincide, so that it has no direction",
    Rolling: "the disk lies flat on the plane, so that it has no point of contact",
}
SWEEPS, LIMIT = 200, 0.3  # Newton steps, and the longest change of a rate (rad, m) in one of them
SILENT = 1e-6  # change of a given value, in rad, lengths of a body, or parts of a rate, that needs no word
CLOSE = 1e-3  # part of the fastest rate by which given rates that contradict one another may be moved
FAR = 1.0  # change of a given coordinate, rad or lengths of a body, that is refused


class AssemblyWarning(UserWarning):
    """A run does not start from the values that were given, as they do not fit together; it says where it does start."""


@typed
@dataclass(frozen=True)
class Assembly:
    """What assembling did.

    Attributes:
        state: the assembled state.
        moved: (name, before, after) of every coordinate and rate that changed by more than 1e-9.
        violation: largest defect of a constraint equation in the coordinates before, and the constraint's name.
        steps: Newton steps taken.
        redundant: constraint equations that follow from the others, as "name[k]".
        corrected: those of `moved` that had been given and could not be kept, where a coordinate changed by more than 1e-6
            rad or lengths of a body, a rate by more than 1e-6 of the fastest.
    """

    state: State
    moved: tuple[tuple[str, float, float], ...]
    violation: tuple[float, str]
    steps: int
    redundant: tuple[str, ...]
    corrected: tuple[tuple[str, float, float], ...] = ()

    def __str__(self) -> str:
        lines = [f"assembled in {self.steps} steps; before, the largest defect was {self.violation[0]:.3g}"]
        if self.violation[1]:
            lines[0] += f' in "{self.violation[1]}"'
        given = {name for name, _, _ in self.corrected}
        for name, before, after in self.moved:
            lines.append(f"  {name}: {before:.9g} -> {after:.9g}" + (" (was given)" if name in given else ""))
        if self.redundant:
            lines.append(
                f"  redundant: {', '.join(self.redundant)}; the motion does not depend on them, "
                "their multipliers are those of least norm"
            )
        return "\n".join(lines)

    def warn(self) -> None:
        """Say in one line which given values were not kept, if any."""
        if self.corrected:
            values = ", ".join(f"{name} {before:.6g} -> {after:.6g}" for name, before, after in self.corrected[:6])
            more = len(self.corrected) - 6
            warn(
                f"the start was assembled, as the values given do not fit together: {values}"
                + (f", and {more} more (run.assembly)" if more > 0 else ""),
                AssemblyWarning,
            )


def assemble(dynamics: Dynamics, state: State, keep: Sequence[str] = ()) -> Assembly:
    """Project a state onto motions and constraints, with the smallest change in the sense of kinetic energy.

    Values that were given (see State) are kept where the others can be moved to fit them; coordinates that do not fit
    together are all moved, but not by more than a radian or the length of a body; rates that do not fit together are
    refused, but for zeros among the rates of a joint with several. Flexible bodies keep their deflection where the joints
    alone can do it.

    Args:
        dynamics: of the system.
        state: where to begin.
        keep: coordinates ("joint.coordinate", "joint" or "body.modes") that stay; their rates follow like others.
    """
    plan = dynamics.plan
    state_of(plan, state, "state to assemble")
    if isinstance(keep, str):
        raise ModelError(f'keep is "{keep}": give a sequence of names, e.g. keep=("{keep}",)')
    worker = holding(dynamics, _columns_of(plan, keep)) if keep else dynamics
    y = plan.layout.join(state.q, worker.speeds_from_rates(state.q, state.rates), state.z)
    rates = state.rates.copy()
    if plan.header.motions:  # then the other rates are kept, not the speeds, whose meaning may depend on the driven ones
        worker.follow(state.t, y)
        driven = np.setdiff1d(np.arange(plan.nu), plan.free_speeds)
        rates[driven] = y[plan.layout.u][driven]
        y[plan.layout.u] = worker.speeds_from_rates(y[plan.layout.q], rates)
    before, _ = worker._equations(state.t, y[plan.layout.q], y[plan.layout.u])
    steps, q = _placed(worker, state, y)
    rates = _paced(dynamics, state, q, rates)
    corrected = _corrected(plan, state, q, rates)
    _check_kept(dynamics, state, q, rates, corrected)
    after = State(plan.index, state.t, q, rates, state.given, state.z)
    old, new = np.concatenate([state.q, state.rates]), np.concatenate([q, rates])
    worst = (0.0, "")
    if len(before):
        k = int(np.argmax(np.abs(before)))
        worst = (float(abs(before[k])), _owner(plan, k))
    u = dynamics.speeds_from_rates(q, rates)
    return Assembly(
        after,
        _changes(plan, old, new, np.abs(old - new) > 1e-9),
        worst,
        steps,
        redundant_equations(dynamics, state.t, q, u),
        _changes(plan, old, new, corrected),
    )


def _placed(worker: Dynamics, state: State, y: np.ndarray) -> tuple[int, np.ndarray]:
    """Newton steps and coordinates on the constraints: with given coordinates and the modes of flexible bodies held, or with
    as much of that as does."""
    plan, why = worker.plan, None
    for held in _attempts(plan, _given_coordinates(plan, state)):
        found = y.copy()
        helper = holding(worker, held) if len(held) else worker
        steps = helper.project(state.t, found, SWEEPS if len(held) < len(plan.free_speeds) else 0, LIMIT)
        q = found[plan.layout.q]
        why = _unmet(helper, state.t, q, found[plan.layout.u], steps) or _wrong_side(helper, state.t, q)
        if why is None:
            return steps, q
    if not np.isfinite(q).all():  # moves are weighted by inertia: where there is none, it is that
        worker.check_inertia(state.t, y[plan.layout.q])
    raise ModelError(why)


def _paced(worker: Dynamics, state: State, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Rates on the constraints, at coordinates that are: with given rates and modal rates held, or with as much of that as
    does."""
    plan, why = worker.plan, None
    given = np.zeros(plan.nu, bool) if state.given is None else state.given[1]
    for held in _attempts(plan, np.flatnonzero(given), np.flatnonzero(given & _firm(plan, state))):
        y = plan.layout.join(q, worker.speeds_from_rates(q, rates))
        (holding(worker, held) if len(held) else worker).project(state.t, y, 0, LIMIT)
        u = y[plan.layout.u]
        why = _left(worker, state.t, q, u)
        if why is None:
            return worker.rates_from_speeds(q, u)
    if not np.isfinite(u).all():
        worker.check_inertia(state.t, q)
    raise ModelError(why)


def _attempts(plan: Plan, *wanted: np.ndarray) -> list[np.ndarray]:
    """Speeds to hold, in the order in which it is tried: those of each set with all modes and without; the modes; none."""
    modes = np.array([k for m in plan.index.modes.values() for k in range(m.u0, m.u0 + m.modes)], int)
    sets = [x for one in (*wanted, np.zeros(0, int)) for x in (np.union1d(one, modes), one)]
    return [x for n, x in enumerate(sets) if not any(np.array_equal(x, other) for other in sets[:n])]


def _firm(plan: Plan, state: State) -> np.ndarray:
    """Rates that, once given, stay: not a zero among the rates of a joint with several, which must all be given together,
    nor that of a coordinate of such a joint that follows a motion."""
    firm, free = np.ones(plan.nu, bool), _is_free(plan)
    for j in plan.index.joints.values():
        columns = slice(j.u0, j.u0 + j.speeds)
        if j.speeds > 1 and free[columns].any():
            firm[columns] = free[columns] & (state.rates[columns] != 0)
    return firm


def _is_free(plan: Plan) -> np.ndarray:
    """Of every speed whether it is free, not prescribed."""
    free = np.zeros(plan.nu, bool)
    free[plan.free_speeds] = True
    return free


def _given_coordinates(plan: Plan, state: State) -> np.ndarray:
    """Speeds whose coordinates were given; of a joint with a quaternion only when all of it was."""
    if state.given is None:
        return np.zeros(0, int)
    asked, index = state.given[0], plan.index
    columns = [m.u0 + k for m in index.modes.values() for k in range(m.modes) if asked[m.q0 + k]]
    for j in index.joints.values():
        of_joint = asked[j.q0 : j.q0 + j.coordinates]
        scalar = j.quaternion is None
        columns += [j.u0 + k for k in range(j.speeds) if (of_joint[k] if scalar else of_joint.all())]
    return np.unique(np.array(columns, int))


def _corrected(plan: Plan, state: State, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Which of coordinates and rates were given (any, where that is not known) and were not kept."""
    old, new = np.concatenate([state.q, state.rates]), np.concatenate([q, rates])
    fastest = max(1.0, float(np.abs(old[plan.nq :]).max(initial=0.0)))
    sizes = np.concatenate([_sizes(plan), np.full(plan.nu, fastest)])
    moved = np.abs(new - old) > SILENT * sizes + 8 * np.spacing(np.abs(old))
    every_driven = ~_is_free(plan)
    for j in plan.index.joints.values():  # of a joint that is driven in part all numbers must be given: those are not meant
        driven = every_driven[j.u0 : j.u0 + j.speeds]
        for k in range(j.speeds if j.quaternion is None else 0):
            if driven[k] and not driven.all():
                moved[[j.q0 + k, plan.nq + j.u0 + k]] = False
    return moved if state.given is None else moved & np.concatenate(state.given)


def _check_kept(dynamics: Dynamics, state: State, q: np.ndarray, rates: np.ndarray, corrected: np.ndarray) -> None:
    """Refuse to move given coordinates by far, and given rates by more than imprecision explains."""
    plan = dynamics.plan
    if state.given is None:
        return
    far = corrected[: plan.nq] & (np.abs(q - state.q) > FAR * _sizes(plan))
    if far.any():
        raise ModelError(
            "the coordinates given are far from any that fit: "
            + _described(_changes(plan, state.q, q, far))
            + "; give fewer of them, so that the others can follow, or start nearer to the configuration that is meant"
        )
    fastest = max(float(np.abs(state.rates).max(initial=0.0)), float(np.abs(rates).max(initial=0.0)))
    clash = corrected[plan.nq :] & _firm(plan, state) & (np.abs(rates - state.rates) > CLOSE * fastest)
    if not clash.any():
        return
    names = np.concatenate([np.zeros(plan.nq, bool), clash])
    changes = _described(_changes(plan, np.append(state.q, state.rates), np.append(q, rates), names))
    driven = [plan.index.speeds[k] for k in np.flatnonzero(clash) if k not in plan.free_speeds]
    if driven:
        raise ModelError(f'the rate given for "{driven[0]}" is not that of its motion: {changes}; leave it out')
    _, speeds = dynamics._equations(state.t, q, dynamics.speeds_from_rates(q, state.rates))
    name = _owner(plan, int(np.argmax(np.abs(speeds))))
    raise ModelError(
        f'the rates given contradict constraint "{name}"; the nearest that fit are {changes}: '
        "give those, or fewer, so that the others can follow"
    )


def _sizes(plan: Plan) -> np.ndarray:
    """What a change of each coordinate is large beside: 1 for angles and quaternions, a body's length (m) for the others."""
    axis, arms = plan.tables.column.axis, np.sqrt(plan.tables.constraint.arm)
    length = float(arms.max()) if len(arms) else 1.0
    sizes = np.full(plan.nq, length)
    for j in plan.index.joints.values():
        for k in range(j.coordinates):
            turns = j.quaternion is not None and j.q0 + k >= j.quaternion
            if j.quaternion is None:
                turns = axis[j.u0 + k] < 3
            sizes[j.q0 + k] = 1.0 if turns else length
    return sizes


def _changes(plan: Plan, old: np.ndarray, new: np.ndarray, which: np.ndarray) -> tuple[tuple[str, float, float], ...]:
    return tuple((_named(plan, k), float(old[k]), float(new[k])) for k in np.flatnonzero(which).tolist())


def _described(changes: tuple[tuple[str, float, float], ...]) -> str:
    return ", ".join(f"{name} {before:.6g} -> {after:.6g}" for name, before, after in changes[:8])


def _named(plan: Plan, k: int) -> str:
    """Name of a coordinate, or of a rate, counted after the coordinates."""
    return plan.index.coordinates[k] if k < plan.nq else plan.index.rates[k - plan.nq]


def _owner(plan: Plan, row: int) -> str:
    return plan.equations[row][0]


def _columns_of(plan: Plan, keep: Sequence[str]) -> np.ndarray:
    """Speeds of coordinates that are named."""
    columns: list[int] = []
    for name in keep:
        joint, _, coordinate = name.partition(".")
        checks.known(joint, plan.index.joints, "keep: joint")
        if joint in plan.index.modes and coordinate == "modes":
            modes = plan.index.modes[joint]
            columns += range(modes.u0, modes.u0 + modes.modes)
            continue
        index = plan.index.joints[joint]
        names = index.speed_names
        if coordinate not in ("", "q"):
            checks.known(coordinate, names, f'keep: coordinate of joint "{joint}"')
            names = (coordinate,)
        columns += [index.u0 + index.speed_names.index(one) for one in names]
    return np.array(columns, int)


def holding(dynamics: Dynamics, columns: np.ndarray) -> Dynamics:
    """The dynamics with some speeds held; modal speeds of a body are held together."""
    worker = copy.copy(dynamics)
    worker.I = I = dynamics.I.copy()
    tables = Tables(I, {"I": I}, dynamics.plan.numbered)
    tables.column.prescribed[columns] = 1
    for name, modes in dynamics.plan.index.modes.items():
        if modes.u0 in columns:
            tables.flexible[name].locked = 1
    return worker


def _unmet(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray, steps: int) -> str | None:
    """Why the coordinates do not satisfy the constraints, if they do not, after so many Newton steps."""
    values, _ = dynamics._equations(t, q, u)
    if not len(values):
        return None
    plan = dynamics.plan
    k = int(np.argmax(np.where(np.isfinite(values), np.abs(values), np.inf)))
    if not np.isfinite(values[k]):
        return _nothing_said(plan, _owner(plan, k))
    if steps >= 0:
        return None
    return (
        f'the system cannot be assembled: constraint "{_owner(plan, k)}" stays off by {abs(values[k]):.3g} (m or rad); '
        "check lengths and frames, start nearer to a configuration that fits, or hold less (motions, keep)"
    )


def _nothing_said(plan: Plan, name: str) -> str:
    other = "the position is singular, or one of its functions is not finite"
    why = UNDEFINED.get(type(plan.model.constraints[name]), other)
    return f'the system cannot be assembled: constraint "{name}" says nothing here: {why}; start elsewhere'


def _left(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray) -> str | None:
    """Why the speeds do not satisfy the constraints, if they do not."""
    _, speeds = dynamics._equations(t, q, u)
    if not len(speeds):
        return None
    k = int(np.argmax(np.where(np.isfinite(speeds), np.abs(speeds), np.inf)))
    if not np.isfinite(speeds[k]):
        return _nothing_said(dynamics.plan, _owner(dynamics.plan, k))
    if abs(speeds[k]) <= 1e-9 * (1 + float(np.abs(u).max())):
        return None
    return (
        f'no rates satisfy constraint "{_owner(dynamics.plan, k)}" here: {abs(speeds[k]):.3g} (m/s or rad/s) is left; '
        "the position is singular, or a prescribed motion contradicts the constraint"
    )


def _wrong_side(dynamics: Dynamics, t: float, q: np.ndarray) -> str | None:
    """Equations of direction are satisfied by opposite directions too: which closing joint is put together that way."""
    plan, body = dynamics.plan, dynamics.work.body
    for row in plan.tables.constraint:
        name = _owner(plan, row.row) if row.kind == CLOSURE else ""
        constraint = plan.model.constraints.get(name)
        if not isinstance(constraint, Closure):
            continue
        words = set(constraint.joint.equations)
        if not words >= set(PARALLEL) and not words >= set(UNTURNED):
            continue  # nothing in it has a wrong side
        a, b = (body[i] for i in plan.tables.attachment.attached[row.attachment0 :][:2])
        A, B = a.r_nm @ row.frame_a, b.r_nm @ row.frame_b
        product = A.T @ B
        opposite = np.trace(product) < 2.5 if words >= set(UNTURNED) else product[2, 2] < 0
        if "screw" in words:
            p, r = a.p_nm + a.r_nm @ row.point_a, b.p_nm + b.r_nm @ row.point_b
            slide = float(A[:, 2] @ (r - p)) / constraint.joint.parameters[0]
            opposite = opposite or np.cos(slide - np.arctan2(product[1, 0], product[0, 0])) < 0
        if opposite:
            return (
                f'the loop "{name}" is put together the wrong way round: the axes of its frames are opposite; '
                "turn one of the frames, or start nearer to the configuration that is meant"
            )
    return None


def independence(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray) -> tuple[int, float, str]:
    """How well the constraint equations are independent at a position: rank, least share, name of the constraint with it.

    The share of an equation is what is left of it, 0 to 1, after those before it in the order of pivots are satisfied. Where
    it goes to zero, and the rank falls, the position is singular: the system has one more freedom there.
    """
    plan, sizes = dynamics.plan, dynamics.work.equation.size
    rank, least, name = 0, 1.0, ""
    dynamics.multipliers(t, q, u)  # whatever the formulation, this leaves factors and the order of pivots
    for cluster, solved in zip(plan.tables.cluster, dynamics.work.delassus, strict=True):
        pivots = solved.order[: int(solved.rank)].astype(int).tolist()
        rank += len(pivots)
        for k in pivots:
            share = solved.factor[k, k] ** 2 / sizes[cluster.row + k]
            if share < least:
                least, name = float(share), _owner(plan, cluster.row + k)
    return rank, least, name


def regular_rank(dynamics: Dynamics, t: float, y: np.ndarray) -> tuple[int, float]:
    """How many constraint equations are independent at y = (q, u, ...) or close to it, where it is singular itself, and the
    least share among them (see `independence`), in the measure of the formulation."""
    plan, noted = dynamics.plan, dynamics.work.rank[0]
    rate = dynamics.derivative(t, y)[: plan.nq]
    found = [(noted.count, noted.least)]
    fastest = float(np.abs(rate).max(initial=0.0))
    for way in (0.1, -0.1) if 0 < fastest < np.inf else ():
        beside = y.copy()
        beside[: plan.nq] += way / fastest * rate
        if dynamics.project(t, beside) >= 0:
            dynamics.derivative(t, beside)
            found.append((noted.count, noted.least))
    rank, share = max(found)
    return int(rank), float(share)


def redundant_equations(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray) -> tuple[str, ...]:
    """Names of the constraint equations that follow from the others at this position."""
    plan = dynamics.plan
    if not plan.equations:
        return ()
    dynamics.multipliers(t, q, u)  # whatever the formulation, this leaves the order of pivots
    names = []
    for cluster, solved in zip(plan.tables.cluster, dynamics.work.delassus, strict=True):
        for k in solved.order[int(solved.rank) : cluster.rows].tolist():
            name, number = plan.equations[cluster.row + int(k)]
            names.append(f"{name}[{number}]")
    return tuple(sorted(names))
