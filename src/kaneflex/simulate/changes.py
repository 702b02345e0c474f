"""What may change during a run: joints locked and released, bodies attached and detached, constraints put on and off.

A change makes a new model. What lets go does so first: joints released, bodies detached and constraints taken off give no
impulses. Then speeds jump as what is new demands, by impulses of that alone, so that momentum conjugate to all that stays
free is conserved. A body that is attached without having been detached is still on its old joint during the jump.
"""

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model import checks
from kaneflex.model import joints as J
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Closure, ConstraintBase
from kaneflex.model.frames import Frame
from kaneflex.model.model import GROUND, Model, Part
from kaneflex.model.profiles import hold, motion_of
from kaneflex.plan.build import build
from kaneflex.plan.plan import Plan
from kaneflex.plan.state import State


class Change:
    """Collects what an event's action wants changed.

    Args:
        model: the system as it is.
        state: as the action has it by then.
        dynamics: of the system as it is.
    """

    def __init__(self, model: Model, state: State, dynamics: Dynamics):
        for value, kind in ((model, Model), (state, State), (dynamics, Dynamics)):
            if not isinstance(value, kind):
                raise ModelError(f"a Change is made with {checks.shown(value)}: give a {kind.__name__}")
        self._state, self._dynamics = state, dynamics
        self.model = editable_copy(model)
        self.released = editable_copy(model)  # what lets go has let go, what is attached hangs where it did
        self.wanted = False
        self.welded: dict[str, Closure] = {}  # ties of what is attached to its new place, during the jump only
        self.moved: dict[str, tuple[float, ...]] = {}  # coordinates of joints that are new
        self.freed: dict[str, tuple[float, ...]] = {}  # and of those new in the released model

    def _part(self, name: str, what: str) -> Part:
        checks.known(name, self.model.parts, f"{what}: body")
        return self.model.parts[name]

    def _pose(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """R and p (inertial) of a body's own frame, or of N."""
        if body == GROUND:
            return np.eye(3), np.zeros(3)
        R, p, _, _ = motion_of_bodies(self._dynamics, self._state.t, self._state.q, np.zeros(self._dynamics.plan.nu))[body]
        return R, p

    def _replace(self, part: Part) -> None:
        _put(self.model, part)
        self.wanted = True

    def _loosen(self, part: Part, q: tuple[float, ...] | None = None) -> None:
        """Let go before the jump too, unless the part is new there: what is attached in this action lets go after it."""
        if f"attach {part.name}" in self.welded:
            return
        _put(self.released, part)
        if q is not None:
            self.freed[part.name] = q

    def lock(self, joint: str, coordinate: str | None = None) -> None:
        """Lock a joint where it is, or one coordinate of it."""
        part = self._part(joint, "lock")
        names = part.joint.facts.coordinate_names
        if not names:
            raise ModelError(f'lock: the joint of "{joint}" is fixed and has no coordinate')
        if not part.joint.facts.scalar_rates:
            raise ModelError(f'lock: the joint of "{joint}" is described by a quaternion: attach the body instead')
        if coordinate is not None:
            checks.known(coordinate, names, f'lock: coordinate of joint "{joint}"')
            names = (coordinate,)
        motions = {n: hold(self._state[f"{joint}.{n}"]) for n in names}
        self._replace(replace(part, joint=replace(part.joint, motion={**part.joint.motions(joint), **motions})))

    def prescribe(self, joint: str, motion: Any, coordinate: str | None = None) -> None:
        """Make a joint's coordinate (None: its only one) follow a motion, whose value now must be where the joint is."""
        part = self._part(joint, "prescribe")
        if not part.joint.facts.coordinate_names:
            raise ModelError(f'prescribe: the joint of "{joint}" is fixed and has no coordinate')
        name = part.joint.facts.coordinate_names[0] if coordinate is None else coordinate
        checks.known(name, part.joint.facts.coordinate_names, f'prescribe: coordinate of joint "{joint}"')
        given = motion_of(motion, f'prescribe: motion of "{joint}", "{name}"')
        self._replace(replace(part, joint=replace(part.joint, motion={**part.joint.motions(joint), name: given})))

    def release(self, joint: str, coordinate: str | None = None) -> None:
        """Let a locked or prescribed joint go, or one coordinate of it."""
        part = self._part(joint, "release")
        motions = part.joint.motions(joint)
        if coordinate is None:
            motions = {}
        else:
            checks.known(coordinate, motions, f'release: prescribed coordinate of "{joint}"')
            del motions[coordinate]
        part = replace(part, joint=replace(part.joint, motion=motions or None))
        self._replace(part)
        self._loosen(part)

    def constrain(self, name: str, constraint: ConstraintBase) -> None:
        """Put a constraint on, under a new name; it must nearly be satisfied."""
        self.model.constrain(name, constraint)
        self.wanted = True

    def unconstrain(self, name: str) -> None:
        """Take the constraint of that name off."""
        checks.known(name, self.model.constraints, "constraint")
        for model in (self.model, self.released):
            model.constraints.pop(name, None)
        self.wanted = True

    def detach(self, body: str) -> None:
        """Cut a body, and all that hangs on it, off its parent: its joint becomes Free.

        A particle on which nothing hangs has no rotation that could be followed: it gets a Translational joint at its mass
        centre, and keeps its axes.
        """
        part = self._part(body, "detach")
        R, p = self._pose(body)
        if _is_particle(self.model, part):
            mass, moment, _ = part.body.mass_properties()
            part = replace(part, joint=J.Translational(), hinge=Frame.of(R.T, moment / mass))
            turned: tuple[float, ...] = ()
        else:
            part = replace(part, joint=J.Free())
            turned = quaternion(R @ part.hinge.R)
        part = replace(part, parent=GROUND, at=Frame())
        self.moved[body] = (*(p + R @ part.hinge.p), *turned)
        self._replace(part)
        self._loosen(part, self.moved[body])

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
        checks.known(to, [GROUND, *self.model.parts], "attach: body")
        above = to
        while above != GROUND:
            if above == body:
                raise ModelError(f'attach: "{to}" hangs on "{body}": a body cannot be attached to its own branch')
            above = self.model.parts[above].parent
        (R, p), (R_to, p_to) = self._pose(body), self._pose(to)
        at = Frame.of(R_to.T @ R @ part.hinge.R, R_to.T @ (p + R @ part.hinge.p - p_to))
        if not isinstance(joint, J.Free):
            frame = f"attached {body}"  # with a space, which no name of a user's has
            end: Any = at if to == GROUND else f"{to}.{frame}"
            if to != GROUND:
                self.model.frames.put(to, {**self.model.frames[to], frame: at})
            self.model.frames.put(body, {**self.model.frames[body], frame: part.hinge})
            self.welded[f"attach {body}"] = Closure(end, f"{body}.{frame}", replace(joint, motion=None))
        self.moved[body] = tuple(joint.facts.neutral)
        self._replace(replace(part, joint=joint, parent=to, at=at))


def _put(model: Model, part: Part) -> None:
    """Put a part into a editable_copy of a model in the place of that of its name, parents before children."""
    parts = {**model.parts, part.name: part}
    ordered: dict[str, Part] = {}

    def place(name: str) -> None:
        parent = parts[name].parent
        if parent != GROUND and parent not in ordered:
            place(parent)
        ordered[name] = parts[name]

    for name in parts:
        if name not in ordered:
            place(name)
    model.take_over(parts=ordered)


def _is_particle(model: Model, part: Part) -> bool:
    """Whether a body has its mass in one point, and nothing that turns with it."""
    mass, moment, inertia = part.body.mass_properties()
    if not isinstance(part.body, Rigid) or mass == 0 or any(p.parent == part.name for p in model.parts.values()):
        return False
    c = moment / mass
    return bool(np.abs(inertia - mass * (c @ c * np.eye(3) - np.outer(c, c))).max() <= 1e-14 * np.abs(inertia).max())


def editable_copy(model: Model) -> Model:
    """A copy whose tables may change."""
    return copy.copy(model)


def quaternion(R: np.ndarray) -> tuple[float, ...]:
    """Unit quaternion, scalar part first, of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return (float(w), float(x), float(y), float(z))


def motion_of_bodies(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray) -> dict[str, tuple[np.ndarray, ...]]:
    """R, p, omega and v (inertial axes) of every body's own frame."""
    bodies = list(dynamics.plan.index.joints)
    words = ("rotation", "position", "omega", "velocity")
    reader = ChannelReader(dynamics.plan, [f"{name}.{word}" for name in bodies for word in words])
    values = reader.read_one(dynamics, t, np.concatenate([q, u]))
    motion = {name: [values[f"{name}.{word}"] for word in words] for name in bodies}
    return {name: (R, p, R @ omega, v) for name, (R, p, omega, v) in motion.items()}


def jump(dynamics: Dynamics, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Speeds after those of prescribed joints and of constraints have been met by impulses."""
    plan = dynamics.plan
    target = dynamics.layout.join(q, u)
    given = np.zeros(plan.nu)
    if plan.header.motions:
        dynamics.follow(t, target)
        given = target[dynamics.layout.u] - u
        off = target[dynamics.layout.q] - q
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
    before = old
    if change.welded:  # first the jump that makes the attached bodies move together, where they hang before it
        tied = change.released
        tied.take_over(frames=change.model.frames, constraints={**tied.constraints, **change.welded})
        before, q, u = transfer_state(old, tied, change.freed, options, t, q, u)
        u = jump(before, t, q, u)
    new, q, u = transfer_state(before, change.model, change.moved, options, t, q, u)
    values, _ = new.equations(t, q, u)
    if len(values) and np.abs(values).max() > 1e-3:
        name, _ = new.plan.equations[int(np.argmax(np.abs(values)))]
        raise ModelError(
            f'constraint "{name}" is off by {np.abs(values).max():.3g} (m or rad) when it is put on: put it on where it is '
            "nearly satisfied"
        )
    return new.plan, State(new.plan.index, t, q, new.rates_from_speeds(q, jump(new, t, q, u)), z=new.z)


def transfer_state(
    old: Dynamics, model: Model, moved: Mapping[str, tuple[float, ...]], options: Any, t: float, q: np.ndarray, u: np.ndarray
) -> tuple[Dynamics, np.ndarray, np.ndarray]:
    """The same motion in another model: its dynamics, q and u. `moved` are the coordinates of joints that are new there."""
    before = State(old.plan.index, t, q, old.rates_from_speeds(q, u), z=old.z)
    plan = build(model, options.formulation, options.speeds)
    after = State(plan.index, t, np.zeros(plan.nq), np.zeros(plan.nu))
    motion = motion_of_bodies(old, t, q, u) if moved else {}
    for name, index in plan.index.joints.items():
        if name in moved:
            after.q[index.q0 : index.q0 + index.coordinates] = moved[name]
            after.rates[index.u0 : index.u0 + index.speeds] = _relative_rates(model.parts[name], motion)
        elif index.coordinates:
            after[f"{name}.q"] = before[f"{name}.q"]
            after[f"{name}.rate"] = before[f"{name}.rate"]
    for name in plan.index.rotors:
        after[f"{name}.rate"] = before[f"{name}.rate"]
    for name in plan.index.modes:
        after[f"{name}.modes"], after[f"{name}.modes_rate"] = before[f"{name}.modes"], before[f"{name}.modes_rate"]
    new = Dynamics(plan)
    new.set_states(before.z)
    return new, after.q, new.speeds_from_rates(after.q, after.rates)


def _relative_rates(part: Part, motion: Mapping[str, tuple[np.ndarray, ...]]) -> list[float]:
    """Rates of a joint in its neutral pose (Free: any) from the motion of its bodies."""
    still = (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
    R, p, omega, v = motion[part.name]
    _, p_c, omega_c, v_c = motion.get(part.parent, still)
    axes = R @ part.hinge.R @ part.joint.alignment
    point = p + R @ part.hinge.p
    v = v + np.cross(omega, point - p) - v_c - np.cross(omega_c, point - p_c)
    twist = [*(axes.T @ (omega - omega_c)), *(axes.T @ v)]
    columns = part.joint.facts.at_neutral or part.joint.facts.axes
    return [float(twist[k]) for k in columns]
