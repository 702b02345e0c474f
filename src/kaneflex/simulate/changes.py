"""What may change during a run: joints locked and released, bodies attached and detached, constraints put on and off, and
bodies, loads, contacts and rotors added, removed and replaced.

A change makes a new model. What lets go does so first: joints released, bodies detached or removed and constraints taken off
give no impulses. What is added comes with the motion that is asked for. Then speeds jump as what is new demands, by impulses
of that alone, so that momentum conjugate to all that stays free is conserved. A body that is attached without having been
detached is still on its old joint during the jump.
"""

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model import checks
from kaneflex.model import joints as J
from kaneflex.model.blocks import BlockBase
from kaneflex.model.bodies import BodyBase, Rigid, Rotor
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Closure, ConstraintBase
from kaneflex.model.contacts import Contact
from kaneflex.model.forces import Load
from kaneflex.model.frames import Frame
from kaneflex.model.model import GROUND, Model
from kaneflex.model.part import Part
from kaneflex.model.profiles import hold, motion_of
from kaneflex.plan.build import build
from kaneflex.plan.state import State
from kaneflex.simulate.exchange import Motion
from kaneflex.simulate.parts import inertia_from, is_particle, put_part, quaternion, rigid_like
from kaneflex.simulate.removal import branch, remove_bodies
from kaneflex.simulate.transfer import Coordinates, motion_of_bodies, transfer_state

BASE = ("base", "base_origin")  # bodies of a MovingBase
KEEPS = ("velocity", "momentum")
CHILDREN = ("refuse", "remove")


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
        self.let_go = False  # whether something lets go before the jump
        self.welded: dict[str, Closure] = {}  # ties of what is attached to its new place, during the jump only
        self.added: set[str] = set()  # bodies that are new
        self.moved: dict[str, Coordinates] = {}  # coordinates of joints that are new on bodies that are not
        self.freed: dict[str, Coordinates] = {}  # and of those new in the released model
        self.changed: list[str] = []  # what was added or replaced
        self.removed: list[str] = []  # what was removed, and what went along
        self.momentum_kept: dict[str, BodyBase] = {}  # bodies as they were whose momentum is to be as it was
        self.kept_at_last: dict[str, BodyBase] = {}  # those of them that took up others before
        self.fed: list[str] = []  # bodies that came out of their parents
        self.caught: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # added bodies' own velocity and angular velocity
        self.captured: list[str] = []  # bodies that vanish into their parents

    @property
    def exchanges(self) -> bool:
        """Whether mass, or a load, comes or goes."""
        return bool(self.changed or self.removed)

    def _part(self, name: str, what: str) -> Part:
        checks.known(name, self.model.parts, f"{what}: body")
        return self.model.parts[name]

    def _motion(self, body: str) -> Motion:
        """Pose (inertial) of a body's own frame, at rest; of one that was added in this action too."""
        state, dynamics = self._state, self._dynamics
        q = state.q
        if body not in dynamics.plan.index.joints:
            plan = build(self.model, dynamics.plan.formulation.name, dynamics.plan.speeds)
            inputs, u = dict.fromkeys(self.model.inputs, 0.0), dynamics.speeds_from_rates(q, state.rates)
            dynamics, q, _ = transfer_state(dynamics, plan, self.moved, inputs, state.t, q, u)
        return motion_of_bodies(dynamics, state.t, q, np.zeros(dynamics.plan.nu), [body])[body]

    def _pose(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """R and p (inertial) of a body's own frame, or of N."""
        if body == GROUND:
            return np.eye(3), np.zeros(3)
        motion = self._motion(body)
        return motion.R, motion.p

    def _coordinate(self, joint: str, name: str) -> float:
        """Where a coordinate is, of a joint that is new in this action too."""
        part = self.model.parts[joint]
        k = part.joint.facts.coordinate_names.index(name)
        if joint in self.moved:
            return float(self.moved[joint][k])
        if joint in self.added:
            return float((part.joint.facts.neutral if part.q is None else part.q)[k])
        return float(self._state[f"{joint}.{name}"])

    def _replace(self, part: Part) -> None:
        put_part(self.model, part)
        self.wanted = True

    def _loosen(self, part: Part, q: tuple[float, ...] | None = None) -> None:
        """Free the joint before the impulses act, unless this action attaches the body: it is then freed after them."""
        if f"attach {part.name}" in self.welded:
            return
        put_part(self.released, part)
        self.let_go = True
        if q is not None:
            self.freed[part.name] = q

    # -- bodies, loads and contacts ------------------------------------------------------------------------------------

    def add(
        self,
        name: str,
        body: BodyBase,
        joint: J.Joint | None = None,
        parent: str | None = None,
        at: Any = None,
        *,
        hinge: Any = None,
        q: Any = None,
        rates: Any = None,
        velocity: Any = None,
        omega: Any = None,
        out_of_parent: bool = False,
    ) -> None:
        """Add a body on a joint. What it brings of mass, momentum and energy comes from outside, and is booked.

        Args:
            name: of the body and of its inboard joint; new in this run's system.
            body: its mass and shape.
            joint: between `at` on the parent and `hinge` on the body; Fixed when None.
            parent: name of a body, "N", or None for the base.
            at: on the parent: a frame's name, a position (m, parent's axes) or a Frame; None for the parent's origin.
            hinge: on the body, likewise; None for its origin.
            q: coordinates of the joint; None for the neutral pose.
            rates: rates of the joint with which the body comes (rad/s, m/s); None for rest relative to its parent.
            velocity: instead of `rates`: velocity of the body's origin with which it comes, inertial axes, m/s. What the
                joint does not allow of that is taken away by impulses in it: the body is caught.
            omega: angular velocity that goes with `velocity`, inertial axes, rad/s; None for zero.
            out_of_parent: the body comes out of its parent, which loses its mass: the parent's inertia shrinks in
                proportion, its mass centre stays where it is on it. Total momentum is kept by an impulse on the parent.
        """
        checks.name(name, "add: name of a body")
        _check_flag(out_of_parent, f'add: out_of_parent of "{name}"')
        if name in self.removed:
            raise ModelError(f'add: "{name}" is removed in this very action: choose another name')
        if velocity is None and omega is not None:
            raise ModelError(f'add: body "{name}" has an omega= without velocity=: give both, or rates=')
        if velocity is not None and (rates is not None or out_of_parent):
            raise ModelError(f'add: body "{name}" has a velocity= and rates= or out_of_parent=: give one of them')
        caught = None
        if velocity is not None:
            turning = (0.0, 0.0, 0.0) if omega is None else omega
            self._check_rigid(name, body, "a body with velocity=")
            given = {"velocity": velocity, "omega": turning}
            v, w = (np.array(checks.vector(x, f'{word} of body "{name}"')) for word, x in given.items())
            caught = v, w
        self.model.add(name, body, joint, parent, at, hinge=hinge, q=q, rates=rates)
        part = self.model.parts[name]
        if out_of_parent:
            try:
                self._take_from(part)
            except ModelError:
                remove_bodies(self.model, [name])
                raise
            self.fed.append(name)
        if caught is not None:
            self.caught[name] = caught
        self.released.frames.put(name, self.model.frames[name])
        self.released.parts.put(name, part)
        self.added.add(name)
        self._note(name)

    def _note(self, name: str) -> None:
        self.changed.append(name)
        self.wanted = True

    @staticmethod
    def _check_rigid(name: str, body: Any, what: str) -> None:
        if not isinstance(body, Rigid):
            raise ModelError(f'{what} is rigid, with constant mass: "{name}" is {checks.shown(body)}')

    def _take_from(self, part: Part) -> None:
        """Let the parent of a part lose the part's mass."""
        what = f'add: "{part.name}" comes out of its parent'
        if part.parent == GROUND or part.parent in BASE:
            raise ModelError(f'{what}, which is "{part.parent}": name a body with mass as parent')
        parent = self.model.parts[part.parent]
        for name, body in ((part.name, part.body), (parent.name, parent.body)):
            self._check_rigid(name, body, "what comes out of a body, or has something come out,")
        if self._has_taken_up(parent.name):
            raise ModelError(f'{what}, but "{parent.name}" takes up another in this very action: let this come first')
        mass, own = part.body.mass_properties()[0], parent.body.mass_properties()[0]
        if not mass < own:
            raise ModelError(f'{what} with {mass:g} kg, but "{parent.name}" has {own:g} kg: it must have more')
        self.momentum_kept.setdefault(parent.name, parent.body)
        _, moment, inertia = parent.body.mass_properties()
        share = 1 - mass / own
        self._put_body(parent, rigid_like(parent.body, own * share, moment * share, inertia * share))

    def _put_body(self, part: Part, body: BodyBase, *, released: bool = True) -> None:
        """Give a part another body, with the frames of both."""
        frames = {**self.model.frames[part.name], **body.frames}
        for model in (self.model, self.released) if released else (self.model,):
            if part.name in model.parts:
                model.frames.put(part.name, frames)
                model.parts.put(part.name, replace(model.parts[part.name], body=body))

    def replace(self, name: str, body: BodyBase, keeps: str = "velocity") -> None:
        """Give a body other mass properties, in the same axes and about the same origin; its frames stay.

        Args:
            name: of the body.
            body: that it becomes; neither may be flexible.
            keeps: "velocity": the body moves on as it did; what it gains or loses of mass comes or goes with its motion, and
                is booked. "momentum": its linear and angular momentum are as before, so that its motion changes; for mass
                that is moved about within it, or that comes from rest or is left at rest in N. Speeds then jump by impulses.
        """
        checks.known(keeps, KEEPS, f'replace: what "{name}" keeps:')
        part = self._part(name, "replace")
        if not isinstance(body, BodyBase):
            raise ModelError(f'replace: "{name}" becomes {checks.shown(body)}: give a body, e.g. Rigid(...)')
        if name in BASE and self.model.base is not None:
            raise ModelError(f'replace: "{name}" belongs to the moving base and stays as it is')
        if body.is_flexible or part.body.is_flexible:
            raise ModelError(f'replace: "{name}" is flexible, or becomes so: remove the body, and add another')
        late = self._has_taken_up(name)
        kept = self.kept_at_last if late else self.momentum_kept
        if keeps == "momentum":
            for one in (part.body, body):
                self._check_rigid(name, one, "replace: a body that keeps its momentum")
            kept.setdefault(name, part.body)
        elif name in kept:
            raise ModelError(f'replace: "{name}" keeps its momentum in this action: replace it before, or keep that')
        self._put_body(part, body, released=not late)
        self._note(name)

    def _has_taken_up(self, name: str) -> bool:
        """Whether another body vanishes into this one in this action."""
        return any(self.released.parts[one].parent == name for one in self.captured)

    def remove(self, name: str, children: str = "refuse", into_parent: bool = False) -> None:
        """Remove a body, or a load, constraint, contact, rotor or block, by name.

        A body takes its mass, momentum and energy out of the system, which is booked; the others move on as they did. What
        acts on it goes too: loads, constraints, contacts, rotors, and inputs that nothing drives. Something that sees it is
        an error: an event, a controller, a block, a function of a load or an input.

        Args:
            name: of what is removed.
            children: what becomes of bodies that hang on it: "refuse" to allow none, "remove" to remove them as well.
            into_parent: the body vanishes into its parent: its joint is brought to rest by impulses, and its mass is added
                to the parent's, where it is. Nothing leaves the system but the energy of the impulses.
        """
        checks.name(name, "remove: name")
        checks.known(children, CHILDREN, f'remove: children of "{name}":')
        _check_flag(into_parent, f'remove: into_parent of "{name}"')
        for table in ("loads", "contacts", "constraints", "rotors", "blocks"):  # a closed contact is a constraint too
            if name in getattr(self.model, table):
                if into_parent:
                    raise ModelError(f'remove: "{name}" is no body: leave out into_parent=')
                self._remove_from(table, name)
                return
        if name in self.model.inputs:
            raise ModelError(f'remove: "{name}" is an input, which goes with the body that it acts on')
        part = self._part(name, "remove")
        if name in BASE and self.model.base is not None:
            raise ModelError(f'remove: "{name}" belongs to the moving base, which stays')
        bodies = branch(self.model, name)
        new = [one for one in bodies if one in self.added]
        if new:
            raise ModelError(f'remove: "{new[0]}" is added in this very action: leave out both')
        if len(bodies) > 1 and (children == "refuse" or into_parent):
            more = "attach them elsewhere first" if into_parent else 'attach them elsewhere first, or give children="remove"'
            raise ModelError(f'remove: {", ".join(bodies[1:4])}{" ..." * (len(bodies) > 4)} hang on "{name}": {more}')
        if into_parent:
            self._merge(part)
        for one in bodies if not into_parent else ():
            for noted in (self.momentum_kept, self.kept_at_last, self.moved, self.freed):
                noted.pop(one, None)
            self.welded.pop(f"attach {one}", None)
        along = remove_bodies(self.model, bodies)
        self.removed += [*bodies, *along]
        hanging = {p.parent for p in self.released.parts.values() if p.name not in bodies}
        if not into_parent and hanging.isdisjoint(bodies):  # else others are attached elsewhere from there
            remove_bodies(self.released, bodies)
            self.let_go = True
        for gone in along:
            self.released.constraints.pop(gone, None)
        self.wanted = True

    def _remove_from(self, table: str, name: str) -> None:
        """Remove what is no body, with what belongs to it."""
        for model in (self.model, self.released):
            entries = getattr(model, table).copy()
            entries.pop(name, None)
            model.take_over(**{table: entries})
            if table == "contacts":  # what holds its point
                model.constraints.pop(name, None)
                model.loads.pop(f"{name}.friction", None)
        if table == "rotors":
            acting = [n for n, load in self.model.loads.items() if getattr(load, "joint", None) == name]
            driving = [n for n, load in self.model.inputs.items() if getattr(load, "joint", None) == name]
            for load in acting:
                self._remove_from("loads", load)
            for one in driving:
                self.model.inputs.pop(one)
                self.removed.append(one)
        self.removed.append(name)
        self.wanted = self.let_go = True

    def _merge(self, part: Part) -> None:
        """Add the mass of a part to its parent, where it is now."""
        what = f'remove: "{part.name}" vanishes into its parent'
        if part.parent == GROUND or part.parent in BASE:
            raise ModelError(f'{what}, which is "{part.parent}": leave out into_parent=')
        if part.name in self.moved:
            raise ModelError(f"{what}, to which it is attached in this very action: let it vanish in a later one")
        if part.name in self.kept_at_last:
            raise ModelError(f"{what}, but took up another and was replaced in this very action: replace its parent instead")
        parent = self.model.parts[part.parent]
        for name, body in ((part.name, part.body), (parent.name, parent.body)):
            self._check_rigid(name, body, "what vanishes into a body, or takes one up,")
        if any(owner == part.name for owner, _ in self.model.rotors.values()):
            raise ModelError(f"{what}, but carries a rotor: remove the rotor first")
        (R, p), (R_to, p_to) = self._pose(part.name), self._pose(part.parent)
        R, p = R_to.T @ R, R_to.T @ (p - p_to)
        (m, s, I), (mass, moment, inertia) = parent.body.mass_properties(), part.body.mass_properties()
        turned = R @ moment
        about = inertia_from(mass, turned, R @ inertia @ R.T, p)
        if m + mass > 0:
            self._put_body(parent, rigid_like(parent.body, m + mass, s + turned + mass * p, I + about), released=False)
        self.captured.append(part.name)
        self.changed.append(parent.name)

    def apply(self, name: str, load: Load) -> None:
        """Apply a load from now on, under a new name."""
        self.model.apply(name, load)
        self._note(name)

    def contact(self, name: str, contact: Contact) -> None:
        """Add a contact by name: collisions of a point with a plane, from now on."""
        self.model.contact(name, contact)
        self._note(name)

    def add_block(self, name: str, block: BlockBase) -> None:
        """Add a block from now on; its states start at their initial values.

        Args:
            name: of the block.
            block: what it sees, what it does and what it drives.
        """
        self.model.add_block(name, block)
        self._note(name)

    def add_rotor(self, name: str, body: str, rotor: Rotor) -> None:
        """Add an axisymmetric wheel to a body, which turns at its first rate from now on; see `System.add_rotor`.

        Args:
            name: of the wheel.
            body: that carries it, and whose mass and inertia include it.
            rotor: its axis, inertia and first rate.
        """
        self.model.add_rotor(name, body, rotor)
        if body in self.released.parts:
            self.released.rotors.put(name, self.model.rotors[name])
        self._note(name)

    # -- joints and constraints ----------------------------------------------------------------------------------------

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
        motions = {n: hold(self._coordinate(joint, n)) for n in names}
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
        if name in self.model.contacts:
            raise ModelError(f'unconstrain: "{name}" is a contact, which would close again: remove it')
        for model in (self.model, self.released):
            model.constraints.pop(name, None)
        self.wanted = self.let_go = True

    def detach(self, body: str) -> None:
        """Cut a body, and all that hangs on it, off its parent: its joint becomes Free.

        A particle on which nothing hangs has no rotation that could be followed: it gets a Translational joint at its mass
        centre, and keeps its axes.
        """
        part = self._part(body, "detach")
        R, p = self._pose(body)
        if is_particle(self.model, part):
            mass, moment, _ = part.body.mass_properties()
            part = replace(part, joint=J.Translational(), hinge=Frame.of(R.T, moment / mass))
            turned: tuple[float, ...] = ()
        else:
            part = replace(part, joint=J.Free())
            turned = quaternion(R @ part.hinge.R)
        part = replace(part, parent=GROUND, at=Frame(), q=None, rates=None)
        if body in self.added:
            raise ModelError(f'detach: "{body}" is added in this very action: add it where it is to be')
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
        if body in self.added:
            raise ModelError(f'attach: "{body}" is added in this very action: add it where it is to be')
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
            frames = self.released.frames
            if to != GROUND:
                frames.put(to, {**frames[to], frame: at})
            frames.put(body, {**frames[body], frame: part.hinge})
            self.welded[f"attach {body}"] = Closure(end, f"{body}.{frame}", replace(joint, motion=None))
        self.moved[body] = tuple(joint.facts.neutral)
        self._replace(replace(part, joint=joint, parent=to, at=at, q=None, rates=None))


def _check_flag(value: Any, what: str) -> None:
    if not isinstance(value, bool):
        raise ModelError(f"{what} is {checks.shown(value)}: give True or False")


def editable_copy(model: Model) -> Model:
    """A copy whose tables may change, while the bodies that stay keep their modes."""
    other = copy.copy(model)
    other.__dict__["is_running"] = True
    return other
