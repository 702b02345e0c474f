"""What may change during a run: joints locked and released, bodies attached and detached, constraints put on and off.

A change makes a new model. Speeds jump as the new constraints demand, by impulses of those constraints alone, so that
momentum conjugate to all that stays free is conserved.
"""

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import layout as L
from kaneflex.model import checks
from kaneflex.model import joints as J
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Closure, ConstraintBase
from kaneflex.model.frames import Frame
from kaneflex.model.model import GROUND, Model, Part
from kaneflex.model.profiles import hold
from kaneflex.plan.build import Plan, build
from kaneflex.plan.state import State

AT_NEUTRAL = {J.Universal: (0, 1), J.Planar: (3, 4, 2), J.Screw: (2,)}  # axes of columns that change with q, at q = 0


class Change:
    """Collects what an event's action wants changed; times are those of the event."""

    def __init__(self, model: Model, state: State, poses: Mapping[str, tuple[np.ndarray, np.ndarray]]):
        self._state, self._poses = state, poses
        self.model = variant(model)
        self.wanted = False
        self.welded: dict[str, Closure] = {}  # constraints that act during the jump only
        self.moved: dict[str, tuple[float, ...]] = {}  # coordinates of joints that are new

    def _part(self, name: str, what: str) -> Part:
        checks.known(name, self.model.parts, f"{what}: body")
        return self.model.parts[name]

    def _replace(self, part: Part) -> None:
        self.model.parts[part.name] = part
        self.model.changes += 1
        self.wanted = True

    def lock(self, joint: str, coordinate: str | None = None) -> None:
        """Lock a joint, or one of its coordinates, where it is."""
        part = self._part(joint, "lock")
        names = part.joint.facts.coordinate_names if coordinate is None else (coordinate,)
        motions = {n: hold(self._state[f"{joint}.{n}"]) for n in names}
        if not part.joint.facts.scalar_rates:
            raise ModelError(f'lock: the joint of "{joint}" is described by a quaternion: attach the body instead')
        self._replace(replace(part, joint=replace(part.joint, motion={**part.joint.motions(joint), **motions})))

    def prescribe(self, joint: str, motion: Any, coordinate: str | None = None) -> None:
        """Make a joint's coordinate follow a motion, whose value at this time must be where the joint is."""
        part = self._part(joint, "prescribe")
        if not part.joint.facts.coordinate_names:
            raise ModelError(f'prescribe: the joint of "{joint}" is fixed and has no coordinate')
        name = part.joint.facts.coordinate_names[0] if coordinate is None else coordinate
        self._replace(replace(part, joint=replace(part.joint, motion={**part.joint.motions(joint), name: motion})))

    def release(self, joint: str, coordinate: str | None = None) -> None:
        """Let a locked or prescribed joint, or one of its coordinates, go."""
        part = self._part(joint, "release")
        motions = part.joint.motions(joint)
        if coordinate is None:
            motions = {}
        else:
            checks.known(coordinate, motions, f'release: prescribed coordinate of "{joint}"')
            del motions[coordinate]
        self._replace(replace(part, joint=replace(part.joint, motion=motions or None)))

    def constrain(self, name: str, constraint: ConstraintBase) -> None:
        """Put a constraint on; the start of it must nearly be satisfied."""
        self.model.constrain(name, constraint)
        self.wanted = True

    def unconstrain(self, name: str) -> None:
        """Take a constraint off."""
        checks.known(name, self.model.constraints, "constraint")
        del self.model.constraints[name]
        self.model.changes += 1
        self.wanted = True

    def detach(self, body: str) -> None:
        """Cut a body, and all that hangs on it, off its parent: its joint becomes Free."""
        part = self._part(body, "detach")
        R, p = self._poses[body]
        hook = Frame.of(part.hinge.R, part.hinge.p)
        R_M, p_M = R @ hook.R, p + R @ hook.p
        self.moved[body] = (*p_M, *quaternion(R_M))
        self._replace(replace(part, joint=J.Free(), parent=GROUND, at=Frame()))
        self._sort()

    def attach(self, body: str, to: str, joint: J.Joint | None = None) -> None:
        """Attach a body, and all that hangs on it, to another body by a joint, placed as they are now.

        Args:
            body: that is attached, at its hinge.
            to: the body it is attached to, or "N".
            joint: between them, neutral at this moment; Fixed when None.
        """
        joint = J.Fixed() if joint is None else joint
        if not isinstance(joint, J.Joint):
            raise ModelError(f'attach: joint is {joint!r}: give a joint, e.g. Revolute("z")')
        part = self._part(body, "attach")
        if to != GROUND:
            checks.known(to, self.model.parts, "attach: body")
        above = to
        while above != GROUND:
            if above == body:
                raise ModelError(f'attach: "{to}" hangs on "{body}": a body cannot be attached to its own branch')
            above = self.model.parts[above].parent
        (R, p), (R_to, p_to) = self._poses[body], self._poses.get(to, (np.eye(3), np.zeros(3)))
        at = Frame.of(R_to.T @ R @ part.hinge.R, R_to.T @ (p + R @ part.hinge.p - p_to))
        if not isinstance(joint, J.Free):
            frame = f"attached_{body}"
            end: Any = at if to == GROUND else f"{to}.{frame}"
            if to != GROUND:
                self.model.frames[to] = {**self.model.frames[to], frame: at}
            self.model.frames[body] = {**self.model.frames[body], frame: part.hinge}
            self.welded[f"attach_{body}"] = Closure(end, f"{body}.{frame}", replace(joint, motion=None))
        self.moved[body] = tuple(joint.facts.neutral)
        self._replace(replace(part, joint=joint, parent=to, at=at))
        self._sort()

    def _sort(self) -> None:
        """Parents before children again."""
        ordered: dict[str, Part] = {}

        def put(name: str) -> None:
            part = self.model.parts[name]
            if part.parent != GROUND and part.parent not in ordered:
                put(part.parent)
            ordered[name] = part

        for name in self.model.parts:
            if name not in ordered:
                put(name)
        self.model.parts = ordered
        self.model.changes += 1


def variant(model: Model) -> Model:
    """A copy whose tables of parts, frames and constraints may change."""
    other = copy.copy(model)
    other.parts, other.constraints = dict(model.parts), dict(model.constraints)
    other.frames = dict(model.frames)
    other.plans = {}
    return other


def quaternion(R: np.ndarray) -> tuple[float, ...]:
    """Unit quaternion, scalar part first, of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return (float(w), float(x), float(y), float(z))


def poses(dynamics: Dynamics, t: float, q: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """R and p (inertial) of every body's own frame."""
    return {name: (R, p) for name, (R, p, _, _) in motion_of_bodies(dynamics, t, q, np.zeros(dynamics.plan.nu)).items()}


def motion_of_bodies(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray) -> dict[str, tuple[np.ndarray, ...]]:
    """R, p, omega and v (inertial axes) of every body's own frame."""
    from kaneflex.plan.channels import SensorTable, add_channel

    table, found = SensorTable(), {}
    for name in dynamics.plan.index.joints:
        found[name] = [
            add_channel(dynamics.plan.index, table, f"{name}.{x}") for x in ("rotation", "position", "omega", "velocity")
        ]
    values, _ = dynamics.channels(np.array([t]), np.concatenate([q, u])[None, :], *table.arrays(), table.size)
    result: dict[str, tuple[np.ndarray, ...]] = {}
    for name, places in found.items():
        R, p, omega, v = (values[0, place] for place in places)
        R = R.reshape(3, 3)
        result[name] = (R, p, R @ omega, v)
    return result


def jump(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Speeds after those of prescribed joints and of constraints have been met by impulses."""
    plan, I = dynamics.plan, dynamics.I
    y = np.concatenate([q, u, [0.0, 0.0]])
    target = y.copy()
    given = np.zeros(plan.nu)
    if I[L.MOTIONS]:
        dynamics.follow(t, target)
        given = target[plan.nq : -2] - u
        off = target[: plan.nq] - q
        if np.abs(off).max() > 1e-9 * (1 + np.abs(q).max()):
            k = int(np.argmax(np.abs(off)))
            raise ModelError(
                f'the motion of "{plan.index.coordinates[k]}" begins at {target[k]:.6g}, but the joint is at {q[k]:.6g}: '
                "let it begin where the joint is"
            )
    _, speeds = dynamics.equations(t, q, u)
    return u + dynamics.respond(t, q, given=given, defects=speeds)


def changed_state(change: Change, old: Dynamics, options: Any, t: float, q: np.ndarray, u: np.ndarray) -> tuple[Plan, State]:
    """The state after a change, in the new model."""
    if change.welded:  # first the jump that makes the attached bodies move together, in the old tree
        welding = variant(old.plan.model)
        welding.frames = change.model.frames
        welding.constraints = {**welding.constraints, **change.welded}
        welding.changes += 1
        weld = Dynamics(build(welding, options.formulation, options.speeds))
        u = jump(weld, t, q, u)
    rates = old.rates_from_speeds(q, u)
    before = State(old.plan.index, t, q, rates)
    plan = build(change.model, options.formulation, options.speeds)
    after = State(plan.index, t, np.zeros(plan.nq), np.zeros(plan.nu))
    motion = motion_of_bodies(old, t, q, u) if change.moved else {}
    for name, index in plan.index.joints.items():
        if name in change.moved:
            after.q[index.q0 : index.q0 + index.coordinates] = change.moved[name]
            after.rates[index.u0 : index.u0 + index.speeds] = _relative_rates(change.model.parts[name], motion)
        elif index.coordinates:
            after[f"{name}.q"] = before[f"{name}.q"]
            after[f"{name}.rate"] = before[f"{name}.rate"]
    for name in plan.index.rotors:
        after[f"{name}.rate"] = before[f"{name}.rate"]
    new = Dynamics(plan)
    values, _ = new.equations(t, after.q, new.speeds_from_rates(after.q, after.rates))
    if len(values) and np.abs(values).max() > 1e-3:
        name, _ = plan.equations[int(np.argmax(np.abs(values)))]
        raise ModelError(
            f'constraint "{name}" is off by {np.abs(values).max():.3g} (m or rad) when it is put on: put it on where it is '
            "nearly satisfied"
        )
    v = new.speeds_from_rates(after.q, after.rates)
    after.rates = new.rates_from_speeds(after.q, jump(new, t, after.q, v))
    return plan, after


def _relative_rates(part: Part, motion: Mapping[str, tuple[np.ndarray, ...]]) -> list[float]:
    """Rates of a joint in its neutral pose (Free: any) from the motion of its bodies."""
    still = (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
    R, p, omega, v = motion[part.name]
    _, p_c, omega_c, v_c = motion.get(part.parent, still)
    axes = R @ part.hinge.R @ part.joint.alignment
    point = p + R @ part.hinge.p
    v = v + np.cross(omega, point - p) - v_c - np.cross(omega_c, point - p_c)
    twist = [*(axes.T @ (omega - omega_c)), *(axes.T @ v)]
    columns = AT_NEUTRAL.get(type(part.joint), part.joint.facts.axes)
    return [float(twist[k]) for k in columns]
