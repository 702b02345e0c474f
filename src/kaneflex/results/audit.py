"""The physics of a run, checked: energy against work, momentum where nothing outside acts, quaternions, constraints, the
signs of contact forces."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.initial_conditions import independence
from kaneflex.formulations.totals import momentum_of
from kaneflex.kernels import energy as E
from kaneflex.model.checks import warn
from kaneflex.model.forces import Load
from kaneflex.model.forces.contract import on_body
from kaneflex.model.joints import Free, Planar
from kaneflex.model.model import GROUND, Model
from kaneflex.model.typed import typed
from kaneflex.results.outflow import Departed, departed
from kaneflex.results.tension import pulled
from kaneflex.simulate.contact.records import Impact
from kaneflex.simulate.simulate import Trajectory

NEARLY = 1e-2  # of the usual share of a constraint equation: nearly singular
VIOLATION = 1e-8  # of constraints and contacts, that an audit lets pass
LOOSE = 1e-2  # relative drift that no tolerance excuses
SLOW = 0.3  # of the lowest frequency: spin up to which stiffening by motion, about 1.2 (spin/frequency)^2, may be left out


class UnseenEventWarning(UserWarning):
    """An event function changed so fast that the integrator may have missed some of its zeros."""


class StiffeningWarning(UserWarning):
    """A flexible body without stiffening by motion turned so fast that its answer cannot be trusted."""


@typed
@dataclass(frozen=True)
class Audit:
    """How well a run kept to its physics. Drifts are relative to `energy_scale` and to the largest momentum, at least to
    what the tolerance leaves of speeds.

    Attributes:
        energy_start, energy_end: kinetic plus potential energy at the start and the end, J.
        energy_scale: what energy drifts are relative to, J.
        applied_work: energy that loads, motions and events put into the system over the run, J; negative where they take
            more out.
        dissipated_work: energy lost to dampers, friction and impacts over the run, J: positive where it is lost.
        energy_drift: largest difference between E - E0 and the work over the run, relative.
        linear_momentum_drift, angular_momentum_drift: largest change relative to the largest value; None where momentum is
            not conserved (something outside acts). Angular momentum is about the mass centre when only uniform gravity acts,
            and with bodies of variable mass; of these what left, and what gravity gave, is counted in, or None where samples
            are too far apart to sum it up. Of what moves in a plane, on `Planar` joints: what the plane does not change.
        quaternion_drift: largest deviation of a quaternion from unit length.
        position_violation, velocity_violation: largest defect of a constraint equation in coordinates (m or 1) and in speeds
            (m/s or 1/s, relative to the fastest speed); None without constraints.
        rounding: what rounding alone may leave of a constraint equation in the coordinates, m or 1: more, the farther from
            the origin.
        projection_failures: (time, constraint) of steps that could not meet a constraint; the audit fails with one.
        singular: (time, constraint, share) where the run came nearest to singular positions, between samples too: there a
            constraint equation all but follows from the others (share 0 to 1, see `independence`), and the system may go on
            in more than one way.
        energy_drift_at: time after which most of the energy drift came about between two samples, s.
        penetration: how far a contact's point gets below its plane, m; None without contacts.
        impacts: jumps of the speeds, with momentum and energy before and after; energy_drift is that between them.
        limit: what the drifts are judged against, from the integrator's tolerance.
        unseen: (time, event) of events whose functions changed too fast to be followed: zeros may have been missed.
        unstiffened: flexible bodies without stiffening by motion that turned faster than 0.3 of their lowest frequency, each
            with the largest angular rate over that frequency. Their motion is not to be trusted, whatever the drifts are.
        spent: (time, body) of samples at which a body of variable mass has none left; the audit fails with one.
        tension: (time, contact, normal force in N) of closed contacts that their planes would have to pull, where most; the
            audit fails with one. Where contacts share a load in ways that are not determined, none of them is in tension as
            long as some shares without tension do the same.
        exchanged_mass, exchanged_energy: what came with bodies and loads that were added during the run, less what went with
            those removed, kg and J: energy_end - energy_start = applied_work - dissipated_work + exchanged_energy.
        exchange_error: largest momentum that appears at such a change without having come with a body, relative; None where
            there is no change at which momentum is conserved.
    """

    energy_start: float
    energy_end: float
    energy_scale: float
    applied_work: float
    dissipated_work: float
    energy_drift: float
    linear_momentum_drift: float | None
    angular_momentum_drift: float | None
    quaternion_drift: float
    limit: float
    position_violation: float | None = None
    velocity_violation: float | None = None
    impacts: tuple[Impact, ...] = ()
    penetration: float | None = None
    projection_failures: tuple[tuple[float, str], ...] = ()
    singular: tuple[tuple[float, str, float], ...] = ()
    energy_drift_at: float | None = None
    unstiffened: tuple[tuple[str, float], ...] = ()
    unseen: tuple[tuple[float, str], ...] = ()
    rounding: float = 0.0
    spent: tuple[tuple[float, str], ...] = ()
    tension: tuple[tuple[float, str, float], ...] = ()
    exchanged_mass: float = 0.0
    exchanged_energy: float = 0.0
    exchange_error: float | None = None

    @property
    def position_limit(self) -> float:
        """What `position_violation` is judged against, m or 1."""
        return max(VIOLATION, self.rounding)

    @property
    def ok(self) -> bool:
        """True when every drift is within the limit."""
        drifts = (self.energy_drift, self.linear_momentum_drift, self.angular_momentum_drift, self.quaternion_drift)
        kept = all(d is None or d <= self.limit for d in (*drifts, self.exchange_error))
        kept = kept and all(v is None or v <= VIOLATION for v in (self.velocity_violation, self.penetration))
        kept = kept and (self.position_violation or 0.0) <= self.position_limit
        return kept and not self.projection_failures and not self.spent and not self.tension

    def as_dict(self) -> dict[str, Any]:
        """All entries, and `ok`."""
        return asdict(self) | {"ok": self.ok}

    def __str__(self) -> str:
        def show(x: float | None) -> str:
            return "not conserved here" if x is None else f"{x:.2e}"

        verdict = "passed" if self.ok else f"FAILED (limit {self.limit:.0e})"
        return (
            f"audit {verdict}: energy {self.energy_start:.6g} -> {self.energy_end:.6g} J, work {self.applied_work:.6g} J, "
            f"dissipated {self.dissipated_work:.6g} J, energy drift {self.energy_drift:.2e}, linear momentum drift "
            f"{show(self.linear_momentum_drift)}, angular momentum drift {show(self.angular_momentum_drift)}"
            + self._exchanges()
            + self._violations()
            + "".join(f"; {_unsafe(body, ratio)}" for body, ratio in self.unstiffened)
            + "".join(f"; {_unfollowed(t, name)}" for t, name in self.unseen)
            + "".join(f'; "{name}" has no mass left at t = {t:.6g} s: end the run before' for t, name in self.spent)
            + "".join(f'; contact "{name}" is pulled with {-N:.3g} N at t = {t:.6g} s' for t, name, N in self.tension)
        )

    def _exchanges(self) -> str:
        if not any(i.exchange is not None for i in self.impacts):
            return ""
        text = f", exchanged {self.exchanged_mass:.6g} kg and {self.exchanged_energy:.6g} J"
        return text + ("" if self.exchange_error is None else f" (momentum to {self.exchange_error:.2e})")

    def _violations(self) -> str:
        if self.position_violation is None:
            return ""
        text = f", constraints violated by {self.position_violation:.2e} (positions), {self.velocity_violation:.2e} (speeds)"
        if self.projection_failures:
            t, name = self.projection_failures[0]
            text += f', "{name}" could not be met after {len(self.projection_failures)} steps, first at t = {t:.6g} s'
        if self.singular:
            places = ", ".join(f'"{name}" at t = {t:.6g} s' for t, name, _ in self.singular[:3])
            text += f", nearly singular {len(self.singular)} times: {places}{' ...' if len(self.singular) > 3 else ''}"
        if self.energy_drift > self.limit and self.energy_drift_at is not None:
            text += f", most of the energy drift after t = {self.energy_drift_at:.6g} s"
        return text


def joined(
    parts: list[Audit], impacts: tuple[Impact, ...], work: tuple[float, float], exchange_error: float | None = None
) -> Audit:
    """The audit of a run from those of its segments: the worst of each drift; `work` is applied and lost over the whole."""
    exchanges = [i.exchange for i in impacts if i.exchange is not None]

    def worst(name: str) -> Any:
        values = [getattr(p, name) for p in parts]
        return None if all(v is None for v in values) else max(v for v in values if v is not None)

    def kept(name: str) -> float | None:
        values = [getattr(p, name) for p in parts]
        return None if None in values else max(values)

    return Audit(
        parts[0].energy_start,
        parts[-1].energy_end,
        max(p.energy_scale for p in parts),
        *work,
        max(p.energy_drift * p.energy_scale for p in parts) / max(p.energy_scale for p in parts),
        kept("linear_momentum_drift"),
        kept("angular_momentum_drift"),
        worst("quaternion_drift"),
        worst("limit"),
        worst("position_violation"),
        worst("velocity_violation"),
        impacts,
        worst("penetration"),
        tuple(x for p in parts for x in p.projection_failures),
        tuple(x for p in parts for x in p.singular),
        max(parts, key=lambda p: p.energy_drift * p.energy_scale).energy_drift_at,
        _fastest([x for p in parts for x in p.unstiffened]),
        tuple(x for p in parts for x in p.unseen),
        max(p.rounding for p in parts),
        tuple(x for p in parts for x in p.spent),
        tuple(x for p in parts for x in p.tension),
        float(sum(x.mass for x in exchanges)),
        float(sum(x.energy for x in exchanges)),
        exchange_error,
    )


def exchange_error(segments: Sequence[Trajectory]) -> float | None:
    """Largest momentum that appears at a change of bodies without having come with them, relative to the momentum there is
    or, where that is small, to that of the parts; None without a change of a system that floats before and after."""
    worst = None
    for before, after in pairwise(segments):
        jump = before.impacts[-1] if before.impacts else None
        if jump is None or jump.exchange is None or not (_floats(before.plan.model) and _floats(after.plan.model)):
            continue
        came, scale = jump.exchange, None
        momenta = ((jump.linear_momentum, came.linear_momentum), (jump.angular_momentum, came.angular_momentum))
        for k, ((start, end), brought) in enumerate(momenta):
            defect = float(np.linalg.norm(np.subtract(end, start) - brought))
            size = max(float(np.linalg.norm(x)) for x in (start, end, brought))
            if defect > 1e-12 * size:  # a small sum of large parts
                scale = _scale_at_end(before) if scale is None else scale
                size = max(size, scale[k])
            worst = max(worst or 0.0, defect / max(size, 1e-300))
    return worst


def _scale_at_end(trajectory: Trajectory) -> tuple[float, float]:
    """`_momentum_scales` of the last sample."""
    tr = trajectory
    last = replace(tr, t=tr.t[-1:], y=tr.y[-1:], inputs=tr.inputs[-1:])
    return _momentum_scales(last, last.dynamics.sample(last.t, last.y, last.inputs)[0])


def _floats(model: Model) -> bool:
    """Whether no impulse can come from outside: all bodies hang on free ones, and no constraint acts on N."""
    roots = [p for p in model.parts.values() if p.parent == GROUND]
    free = model.base is None and all(isinstance(p.joint, Free) and p.joint.motion is None for p in roots)
    return free and not any(_acts_on_ground(c) or c.coordinates() for c in model.constraints.values())


def audit(trajectory: Trajectory) -> Audit:
    """The audit of a trajectory."""
    plan, y = trajectory.plan, trajectory.y
    sums, loads = trajectory.dynamics.sample(trajectory.t, y, trajectory.inputs)
    kinetic, potential = sums[:, E.KINETIC], sums[:, E.GRAVITY_POTENTIAL] + loads
    applied, dissipated = y[:, plan.layout.applied], y[:, plan.layout.dissipated]
    work = applied - applied[0]
    lost = dissipated[0] - dissipated  # the integrator counts it as work, negative
    total = kinetic + potential
    o = trajectory.options
    limit = min(LOOSE, max(1e-9, 1e3 * o.rtol)) if o.method != "rk4" else 1e-4
    weight = float(sums[0, E.TOTAL_MASS]) * float(np.linalg.norm(plan.model.gravity))
    scale = max(
        _energy_scale(y[:, plan.layout.works], kinetic, potential),
        weight * o.atol / limit,  # of what rests, heights are known to the tolerance
        trajectory.before[0],
        1e-300,
    )
    gone = departed(trajectory)
    linear_drift, angular_drift = _momentum_drifts(trajectory, sums, gone, limit)
    quaternions = [j.quaternion for j in plan.index.joints.values() if j.quaternion is not None]
    norms = [np.abs(np.linalg.norm(y[:, k : k + 4], axis=1) - 1).max() for k in quaternions]
    unexplained = total - total[0] - work + lost
    position, velocity, rounding = _violations(trajectory)
    return Audit(
        float(total[0]),
        float(total[-1]),
        scale,
        float(work[-1]),
        float(lost[-1]),
        float(np.abs(unexplained).max()) / scale,
        linear_drift,
        angular_drift,
        float(max(norms, default=0.0)),
        limit,
        position,
        velocity,
        penetration=_penetration(trajectory),
        projection_failures=tuple(trajectory.projection_failures),
        singular=_singular(trajectory),
        energy_drift_at=float(trajectory.t[np.argmax(np.abs(np.diff(unexplained)))]) if len(unexplained) > 1 else None,
        unstiffened=unstiffened(trajectory),
        unseen=tuple(trajectory.unseen),
        rounding=rounding,
        spent=() if gone is None else gone.spent,
        tension=pulled(trajectory, float(sums[0, E.TOTAL_MASS]), limit),
    )


def _momentum_drifts(
    trajectory: Trajectory, sums: np.ndarray, gone: Departed | None, limit: float
) -> tuple[float | None, float | None]:
    """Drifts of linear and angular momentum, with what left, where they are conserved and samples tell."""
    ways = conserved(trajectory.plan.model)
    if not any(way.any() for way in ways):
        return None, None
    still = not any(trajectory.plan.model.gravity)
    momentum, scale = momentum_of(sums), np.maximum(_momentum_scales(trajectory, sums), trajectory.before[1:])
    scale = np.maximum(scale, np.array(_sizes(sums)) * trajectory.options.atol / limit)  # speeds are known to the tolerance
    values = [momentum.linear, momentum.angular if still and np.trace(ways[0]) == 3 else momentum.central]
    kept = [still, True]
    if gone is not None:
        values = [momentum.linear + gone.linear, momentum.central + gone.central]
        sizes = [max(float(np.linalg.norm(x, axis=1).max()), y) for x, y in zip(values, scale, strict=True)]
        kept = [error <= limit * size for error, size in zip(gone.error, sizes, strict=True)]
    found = zip(values, ways, scale, kept, strict=True)
    drifts = [_drift(x @ way, float(size)) if good and way.any() else None for x, way, size, good in found]
    return drifts[0], drifts[1]


def scales(trajectory: Trajectory) -> tuple[float, ...]:
    """What an audit of what goes on from here measures drifts by, at least: energy, and the momenta of the parts that move
    and turn."""
    sums, loads = trajectory.dynamics.sample(trajectory.t, trajectory.y, trajectory.inputs)
    works = trajectory.y[:, trajectory.plan.layout.works]
    energy = _energy_scale(works, sums[:, E.KINETIC], sums[:, E.GRAVITY_POTENTIAL] + loads)
    return tuple(max(x) for x in zip((energy, *_momentum_scales(trajectory, sums)), trajectory.before, strict=True))


def _energy_scale(works: np.ndarray, kinetic: np.ndarray, potential: np.ndarray) -> float:
    sizes = (kinetic, works - works[0], 1e-6 * potential)
    return max(float(np.ptp(potential)), *(float(np.abs(x).max()) for x in sizes))


def _momentum_scales(trajectory: Trajectory, sums: np.ndarray) -> tuple[float, float]:
    kinetic = sums[:, E.KINETIC]
    return float(np.sqrt(2 * sums[0, E.TOTAL_MASS] * kinetic.max())), _turning_scale(trajectory, kinetic)


def _sizes(sums: np.ndarray) -> tuple[float, float]:
    """Mass of all, and the largest inertia about the mass centre, about any axis at most."""
    inertia = sums[:, E.CENTRAL_INERTIA : E.CENTRAL_INERTIA + 9 : 4].sum(axis=1)
    return float(sums[:, E.TOTAL_MASS].max()), float(inertia.max()) / 2


def unstiffened(trajectory: Trajectory) -> tuple[tuple[str, float], ...]:
    """Flexible bodies without second-order displacements that turned too fast for it, with spin over lowest frequency."""
    tr, lowest = trajectory, {}
    for name in tr.plan.index.modes:
        modal = tr.plan.model.parts[name].body.modal  # type: ignore[attr-defined]
        if len(modal) and not modal.stiffened and modal.stiffness.min() > 0:
            lowest[name] = float(modal.frequencies.min())
    if not lowest:
        return ()
    values = _read(tr, [f"{name}.omega" for name in lowest])
    rates = {name: float(np.linalg.norm(values[f"{name}.omega"], axis=1).max()) for name in lowest}
    return tuple((name, rate / lowest[name]) for name, rate in rates.items() if not rate <= SLOW * lowest[name])


def _fastest(found: Sequence[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Each body once, with its largest ratio."""
    return tuple({name: max(r for n, r in found if n == name) for name, _ in found}.items())


def _unsafe(body: str, ratio: float) -> str:
    return f'"{body}" turned at {ratio:.2g} of its lowest frequency without stiffening by motion: its answer is unsafe'


def _unfollowed(t: float, name: str) -> str:
    return f'event "{name}" changed too fast to be followed, first at t = {t:.6g} s: zeros may have been missed'


def warn_unseen(parts: Sequence[Trajectory]) -> None:
    """Warn of events that changed too fast to be followed."""
    for t, name in {name: (t, name) for part in reversed(parts) for t, name in part.unseen}.values():
        warn(f"{_unfollowed(t, name)}; give max_step=, or a smoother function", UnseenEventWarning)


def warn_unstiffened(parts: Sequence[Trajectory]) -> None:
    """Warn of flexible bodies that turned too fast to do without stiffening by motion, in any segment of a run."""
    for body, ratio in _fastest([x for part in parts for x in unstiffened(part)]):
        warn(f"{_unsafe(body, ratio)} (the limit is {SLOW:g}); leave out stiffening=False", StiffeningWarning)


def _singular(trajectory: Trajectory) -> tuple[tuple[float, str, float], ...]:
    """Where constraints are nearest to singular, or are, as steps and samples tell: time, constraint, its share."""
    plan = trajectory.plan
    if not plan.index.constraints:
        return ()
    rows = [
        independence(trajectory.dynamics, t, y[plan.layout.q], y[plan.layout.u])
        for t, y in zip(trajectory.t, trajectory.y, strict=True)
    ]
    rank = max(r for r, _, _ in rows)
    shares = np.array([share if r == rank else 0.0 for r, share, _ in rows])
    padded = np.concatenate([[np.inf], shares, [np.inf]])
    t, usual = trajectory.t, NEARLY * np.median(shares)
    low = (shares < usual) & (shares < padded[:-2]) & (shares <= padded[2:])
    found = [(float(t[k]), rows[k][2], float(shares[k])) for k in np.flatnonzero(low)]
    kept: list[tuple[float, str, float]] = []
    for one in sorted(found + trajectory.singular):  # what steps and samples tell of the same position is told once
        between = (t > kept[-1][0]) & (t < one[0]) if kept else np.ones(1, bool)
        if kept and np.all(shares[between] < usual) and not (kept[-1] in trajectory.singular and one in trajectory.singular):
            kept[-1] = min(kept[-1], one, key=lambda x: x[2])
        else:
            kept.append(one)
    return tuple(kept)


def _penetration(trajectory: Trajectory) -> float | None:
    """Depth of the contacts' points below their planes over the samples, m."""
    contacts = trajectory.plan.model.contacts.values()
    if not contacts:
        return None
    planes = [f"{c.on}.{what}" for c in contacts if c.on != GROUND for what in ("position", "rotation")]
    values = _read(trajectory, [*(f"{c.point}.position" for c in contacts), *planes])
    depth = 0.0
    for c in contacts:
        point = values[f"{c.point}.position"]
        height = point[:, 2]
        if c.on != GROUND:
            height = np.sum((point - values[f"{c.on}.position"]) * values[f"{c.on}.rotation"][:, :, 2], axis=1)
        depth = max(depth, -float(height.min()))
    return depth


def _violations(trajectory: Trajectory) -> tuple[float | None, float | None, float]:
    """Largest defects of the constraint equations over the samples, in coordinates and (relative) in speeds, and what
    rounding may leave of the former."""
    plan = trajectory.plan
    if not plan.index.constraints:
        return None, None, 0.0
    position = velocity = rounding = 0.0
    for t, y in zip(trajectory.t, trajectory.y, strict=True):
        values, speeds = trajectory.dynamics.equations(t, y[plan.layout.q], y[plan.layout.u])
        position = max(position, float(np.abs(values).max()))
        velocity = max(velocity, float(np.abs(speeds).max()))
        rounding = max(rounding, float(trajectory.dynamics.rounding(t, y[plan.layout.q]).max()))
    u = trajectory.y[:, plan.layout.u]
    return position, velocity / max(1.0, float(np.abs(u).max())), rounding


def _drift(values: np.ndarray, scale: float) -> float:
    """Largest change relative to the largest value, or to `scale`: parts may move while their sum is zero."""
    largest = max(float(np.linalg.norm(values, axis=1).max()), scale, 1e-300)
    return float(np.linalg.norm(values - values[0], axis=1).max()) / largest


def _turning_scale(trajectory: Trajectory, kinetic: np.ndarray) -> float:
    """2 T/omega with the fastest rotation of a body or rotor: the angular momentum that moves about inside the system."""
    index = trajectory.plan.index
    values = _read(trajectory, [*(f"{name}.omega" for name in index.joints), *(f"{name}.rate" for name in index.rotors)])
    return 2 * float(kinetic.max()) / max(*(float(np.abs(x).max()) for x in values.values()), 1e-300)


def _read(trajectory: Trajectory, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Channels of the motion at the samples."""
    tr = trajectory
    return ChannelReader(tr.plan, names).read(tr.dynamics, tr.t, tr.y, tr.inputs) if names else {}


def conserved(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Of linear momentum, and of angular momentum about the mass centre, what nothing from outside changes but uniform
    gravity: projectors, in inertial axes, which are zero where something acts."""
    roots = [p for p in model.parts.values() if p.parent == GROUND]
    loads = [*model.loads.values(), *model.inputs.values()]
    grounded = any(not on_body(c.on) for c in model.contacts.values())
    grounded = grounded or any(_acts_on_ground(c) for c in model.constraints.values())
    names = {p.name for p in roots}
    outside = grounded or model.base is not None
    outside = outside or any(isinstance(x, Load) and not x.is_internal(names) for x in loads)
    outside = outside or any(p.joint.motion is not None for p in roots)
    outside = outside or any(c.partition(".")[0] in names for x in model.constraints.values() for c in x.coordinates())
    linear, angular = (np.zeros((3, 3)) if outside else np.eye(3) for _ in (0, 1))
    for root in roots:
        axes = set(root.joint.facts.axes)
        if isinstance(root.joint, Planar):
            normal = root.at.R @ root.joint.axis
            linear = linear - np.outer(linear @ normal, normal)
            along = np.outer(normal, normal)
            angular = angular @ along if np.abs(angular @ along - along).max() < 1e-12 else 0 * angular
        else:
            linear, angular = linear * (axes >= {3, 4, 5}), angular * (axes >= set(range(6)))
    return linear, angular


def _acts_on_ground(constraint: Any) -> bool:
    """Constraints written by the user may contain positions in N; the others say what they tie."""
    return bool(constraint.channels()) or any(not on_body(end) for end in constraint.ends())
