"""The declaration of a system: bodies on joints, rotors, loads and inputs, by name. No numerics beyond checks."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.bodies import BodyBase, Rigid, Rotor
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Closure, ConstraintBase
from kaneflex.model.contacts import Contact
from kaneflex.model.forces import (
    CentralGravity,
    Force,
    JointForce,
    JointSpring,
    JointStop,
    Load,
    MovingBase,
    SlidingFriction,
    SpringDamper,
)
from kaneflex.model.frames import Frame, NodeFrame, as_frame
from kaneflex.model.joints import CustomJoint, Fixed, Joint, Spherical, Translational
from kaneflex.model.shapes import Shape

GROUND = "N"


@dataclass(frozen=True)
class Part:
    """A body as it stands in a system: what it is, where it hangs, and how it starts."""

    name: str
    body: BodyBase
    joint: Joint
    parent: str
    at: Frame
    hinge: Frame
    q: tuple[float, ...] | None
    rates: tuple[float, ...] | None


class Body:
    """Handle of a body in a system; names its frames."""

    def __init__(self, model: "Model", name: str):
        if not isinstance(model, Model):
            raise ModelError(f"a body belongs to a system, not to {checks.shown(model)}")
        self._model = model
        self.name = checks.known(name, model.parts, "body")

    def frame(self, name: str, position: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> str:
        """Add a named frame; position in body axes, m. Returns "body.frame"."""
        return self._model.add_frame(self.name, name, Frame(position, rotation))

    def __repr__(self) -> str:
        return f"Body({self.name!r})"


class Model:
    """Bodies, joints, rotors, loads and inputs by name.

    Args:
        name: of the system.
        gravity: uniform gravity in inertial axes, m/s^2.
        base: a MovingBase, or None for an inertial base.
    """

    def __init__(self, name: str, *, gravity: Any = (0.0, 0.0, 0.0), base: MovingBase | None = None):
        self.name = checks.name(name.replace(" ", "-") if isinstance(name, str) else name, "name of the system")
        self.gravity = checks.vector(gravity, "gravity")
        self.base = base
        self.parts: dict[str, Part] = {}
        self.frames: dict[str, dict[str, Frame]] = {}
        self.rotors: dict[str, tuple[str, Rotor]] = {}
        self.loads: dict[str, Load | SlidingFriction] = {}
        self.inputs: dict[str, Load] = {}
        self.constraints: dict[str, ConstraintBase] = {}
        self.contacts: dict[str, Contact] = {}
        self.shapes: dict[str, tuple[Shape, ...]] = {}
        self.changes = 0
        self.plans: dict[Any, Any] = {}  # plans of this very state of the model, kept by `plan.build`
        self._root = GROUND
        if base is not None:
            self._add_base(base)

    def _add_base(self, base: MovingBase) -> None:
        if not isinstance(base, MovingBase):
            raise ModelError(f"base is {base!r}: give a MovingBase or None")
        if base.angular_acceleration is None:
            self.add("base", Rigid(0.0), Translational(), rates=base.velocity)
        else:
            self.add("base_origin", Rigid(0.0), Translational(), rates=base.velocity)
            self.add("base", Rigid(0.0), Spherical(), parent="base_origin", rates=base.angular_velocity)
        self._root = "base"

    # -- adding ------------------------------------------------------------------------------------------------------

    def add(
        self,
        name: str,
        body: BodyBase,
        joint: Joint | None = None,
        parent: "Body | str | None" = None,
        at: Any = None,
        *,
        hinge: Any = None,
        q: Any = None,
        rates: Any = None,
    ) -> Body:
        """Add a body on a joint.

        Args:
            name: of the body and of its inboard joint.
            body: its mass and shape.
            joint: between `at` on the parent and `hinge` on the body; Fixed when None.
            parent: body or its name; None for the base (inertial, unless the system has a MovingBase).
            at: on the parent: a frame's name, a position (m, parent's axes) or a Frame; None for the parent's origin.
            hinge: on the body, likewise; None for its origin.
            q: initial coordinates of the joint (a number where there is one); None for the neutral pose.
            rates: initial rates of the joint (rad/s, m/s); None for rest.
        """
        what = f'body "{name}"'
        self._new_name(name)
        if not isinstance(body, BodyBase):
            raise ModelError(f"{what}: body is {body!r}: give a Rigid or a Flexible")
        joint = Fixed() if joint is None else joint
        if not isinstance(joint, Joint):
            raise ModelError(f'{what}: joint is {joint!r}: give a joint, e.g. Revolute("z")')
        mother = self._parent_name(parent, name)
        self.frames[name] = dict(body.frames)
        try:
            place = self._frame_on(mother, at, f"{what}: at")
            hook = self._frame_on(name, hinge, f"{what}: hinge")
            if isinstance(hook, NodeFrame):
                raise ModelError(f'{what}: its hinge is the node "{hook.node}", which deforms away: make it the root')
            coordinates = self._initial_q(joint, q, f"{what}: q")
            n = joint.facts.speeds
            speeds = None if rates is None else self._values(rates, n, f"{what}: rates")
        except ModelError:
            del self.frames[name]
            raise
        self.parts[name] = Part(name, body, joint, mother, place, hook, coordinates, speeds)
        self.changes += 1
        return Body(self, name)

    def add_frame(self, body: str, name: str, frame: Frame) -> str:
        """Add the named frame to a body; returns "body.frame", `name` being that of the frame alone."""
        checks.known(body, self.parts, "body")
        checks.name(name, f'name of a frame on "{body}"')
        if not isinstance(frame, Frame):
            raise ModelError(f'frame "{name}" on "{body}" is {checks.shown(frame)}: give a Frame')
        if name in self.frames[body]:
            raise ModelError(f'body "{body}" has a frame "{name}" already: choose another name')
        self.frames[body][name] = frame
        self.changes += 1
        return f"{body}.{name}"

    def add_rotor(self, name: str, body: "Body | str", rotor: Rotor) -> str:
        """Add an axisymmetric wheel to a body; its speed is named like a joint's.

        Args:
            name: of the wheel.
            body: that carries it.
            rotor: its axis, inertia and first rate.
        """
        self._new_name(name)
        owner = body.name if isinstance(body, Body) else body
        checks.known(owner, self.parts, f'body of rotor "{name}":')
        if not isinstance(rotor, Rotor):
            raise ModelError(f'rotor "{name}" is {rotor!r}: give a Rotor')
        self.rotors[name] = (owner, rotor)
        self.changes += 1
        return name

    def apply(self, name: str, load: Load) -> str:
        """Apply a load; its energy and power become channels under its name."""
        self._new_name(name)
        self._check_load(name, load)
        self.loads[name] = load
        self.changes += 1
        return name

    def add_input(self, name: str, load: Load) -> str:
        """Add a named input, whose value is given to `simulate`.

        Args:
            name: of the input.
            load: Force, Torque, JointForce or SpringDamper whose value (direction or gain) the input multiplies.
        """
        self._new_name(name)
        if not isinstance(load, Force | JointForce | SpringDamper):
            raise ModelError(f'input "{name}" drives {load!r}: give a Force, Torque, JointForce or SpringDamper')
        value = load.tension if isinstance(load, SpringDamper) else load.value
        if callable(value):
            raise ModelError(f'input "{name}": its load has a function as value: give a constant direction or gain')
        self._check_load(name, load)
        self.inputs[name] = load
        self.changes += 1
        return name

    def constrain(self, name: str, constraint: ConstraintBase) -> str:
        """Add a constraint; its multipliers and loads are known by its name."""
        self._new_name(name)
        what = f'constraint "{name}"'
        if not isinstance(constraint, ConstraintBase):
            raise ModelError(f"{what} is {constraint!r}: give a constraint, e.g. Distance")
        for place in constraint.ends():
            if isinstance(place, str):
                self.locate(place, what)
            else:
                as_frame(place, f"{what}: end fixed in N")
        for channel in (*constraint.channels(), *constraint.coordinates()):
            checks.known(channel.partition(".")[0], self.parts, f"{what}: body")
        self.constraints[name] = constraint
        self.changes += 1
        return name

    def close(self, name: str, a: Any, b: Any, joint: Joint) -> str:
        """Close a loop by a joint between two frames.

        Args:
            name: of the closing joint.
            a: inboard frame: "body.frame", "body", "N", or a Frame or point of N.
            b: outboard frame, likewise.
            joint: any joint but Free, its axis in the axes of either frame. A CustomJoint is put into the tree under this
                name, with half of the outboard body on it and that half fixed to the other: nothing else changes.
        """
        if isinstance(joint, CustomJoint):
            return self._close_by_half(name, a, b, joint)
        return self.constrain(name, Closure(a, b, joint))

    def _close_by_half(self, name: str, a: Any, b: Any, joint: CustomJoint) -> str:
        what = f'loop "{name}"'
        owner, hook = self.locate(b, what) if isinstance(b, str) else (GROUND, as_frame(b, what))
        mother, place = self.locate(a, what) if isinstance(a, str) else (GROUND, as_frame(a, what))
        if owner in (GROUND, mother):
            raise ModelError(f"{what}: a CustomJoint closes a loop onto another body than its inboard one: name one as b")
        part = self.parts[owner]
        mass, moment, J = part.body.about_origin()
        if mass == 0 or any(body == owner for body, _ in self.rotors.values()):
            raise ModelError(f'{what}: body "{owner}" has no mass or carries a rotor: close the loop at another body')
        c = moment / mass
        half = Rigid(mass / 2, com=tuple(c), inertia=(J - mass * (c @ c * np.eye(3) - np.outer(c, c))) / 2)
        self.add(name, half, joint, mother, place, hinge=hook)
        self.parts[owner] = replace(part, body=replace(half, frames=part.body.frames))
        self.constrain(f"{name}_half", Closure(owner, name, Fixed()))
        return name

    def contact(self, name: str, contact: Contact) -> str:
        """Add a contact by name: collisions of a point with a plane."""
        self._new_name(name)
        if not isinstance(contact, Contact):
            raise ModelError(f'contact "{name}" is {contact!r}: give a Contact')
        for place in (contact.point, contact.on):
            self.locate(place, f'contact "{name}"')
        if contact.point.partition(".")[0] == GROUND:
            raise ModelError(f'contact "{name}": its point is fixed in N: name a point of a body')
        self.contacts[name] = contact
        self.changes += 1
        return name

    def show(self, body: "Body | str", *shapes: Shape) -> None:
        """Give a body (or "N", the inertial frame) shapes to be drawn by, in place of what is drawn from its data.

        They have no mass and no effect on the motion. Shapes given again for the same body are added.

        Args:
            body: the body or its name; "N" for the inertial frame.
            shapes: Box, Sphere, Mesh, ...: see kaneflex.shapes; none at all hides the body.
        """
        name = body.name if isinstance(body, Body) else body
        checks.known(name, [GROUND, *self.parts], "body to show:")
        for k, shape in enumerate(shapes):
            if not isinstance(shape, Shape):
                raise ModelError(f'shape {k + 1} of body "{name}" is {shape!r}: give a shape, e.g. shapes.Box((1, 1, 1))')
        self.shapes[name] = (*self.shapes.get(name, ()), *shapes)

    # -- looking up --------------------------------------------------------------------------------------------------

    def locate(self, place: str, what: str) -> tuple[str, Frame]:
        """Body and frame of a place, "body" or "body.frame"; `what` says in an error who asks."""
        if not isinstance(place, str) or not isinstance(what, str):
            raise ModelError(f'{what}: {checks.shown(place)} is no place: give "body", "body.frame" or "N"')
        body, _, frame = place.partition(".")
        if body == GROUND and not frame:
            return GROUND, Frame()
        checks.known(body, self.parts, f"{what}: body")
        if not frame:
            return body, Frame()
        checks.known(frame, self.frames[body], f'{what}: frame on "{body}"')
        return body, self.frames[body][frame]

    # -- checks ------------------------------------------------------------------------------------------------------

    def _new_name(self, name: Any) -> None:
        checks.name(name, "name")
        if name == GROUND:
            raise ModelError(f'"{GROUND}" names the inertial frame: choose another name')
        if name in ("energy", "momentum", "t"):
            raise ModelError(f'"{name}" names channels of the whole system: choose another name')
        for taken, kind in (
            (self.parts, "body"),
            (self.rotors, "rotor"),
            (self.loads, "load"),
            (self.inputs, "input"),
            (self.constraints, "constraint"),
            (self.contacts, "contact"),
        ):
            if name in taken:
                raise ModelError(f'there is a {kind} "{name}" already: choose another name')

    def _parent_name(self, parent: Any, child: str) -> str:
        if parent is None:
            return self._root
        if isinstance(parent, Body):
            if parent._model is not self:
                raise ModelError(f'body "{child}": its parent "{parent.name}" belongs to another system')
            return parent.name
        if not isinstance(parent, str):
            raise ModelError(f'body "{child}": parent is {parent!r}: give a body, its name, or None for the base')
        if parent == child:
            raise ModelError(f'body "{child}" is its own parent: a tree has no cycles; close loops with constraints')
        if parent == GROUND:
            return GROUND
        return checks.known(parent, self.parts, f'parent of body "{child}":')

    def _frame_on(self, body: str, value: Any, what: str) -> Frame:
        if value is None:
            return Frame()
        if isinstance(value, str):
            name = value.removeprefix(f"{body}.")
            frames = self.frames.get(body, {})
            return frames[checks.known(name, frames, f'{what}: frame on "{body}"')]
        return as_frame(value, what)

    @staticmethod
    def _values(value: Any, n: int, what: str) -> tuple[float, ...]:
        return tuple(float(v) for v in checks.several(value, n, what))

    @classmethod
    def _initial_q(cls, joint: Joint, q: Any, what: str) -> tuple[float, ...] | None:
        return None if q is None else unit_quaternion(joint, cls._values(q, joint.facts.coordinates, what), what)

    def _joint_name(self, name: Any, what: str) -> None:
        if name in self.rotors:
            return
        checks.known(name, self.parts, f"{what}: joint")
        if self.parts[name].joint.facts.speeds == 0:
            raise ModelError(f'{what}: the joint of "{name}" is fixed and has no speed to act on')

    def _check_load(self, name: str, load: Any) -> None:
        what = f'load "{name}"'
        if isinstance(load, Force):
            body, _ = self.locate(load.at, what)
            if body == GROUND:
                raise ModelError(f"{what} acts on the inertial frame: name a body")
        elif isinstance(load, SpringDamper):
            for end in (load.a, load.b):
                if isinstance(end, str):
                    self.locate(end, what)
                else:
                    checks.vector(end, f"{what}: end fixed in N")
            if not (isinstance(load.a, str) and load.a != GROUND) and not (isinstance(load.b, str) and load.b != GROUND):
                raise ModelError(f"{what} joins two points of the inertial frame: name a body")
            if load.a == load.b:
                raise ModelError(f"{what} joins {load.a!r} to itself: give two ends")
        elif isinstance(load, JointSpring | JointStop | JointForce):
            self._joint_name(load.joint, what)
            self._check_coordinate(load, what)
        elif isinstance(load, CentralGravity):
            for body in load.bodies or ():
                checks.known(body, self.parts, f"{what}: body")
        else:
            raise ModelError(f"{what} is {load!r}: give a load, e.g. Force or JointSpring")

    def _check_coordinate(self, load: JointSpring | JointStop | JointForce, what: str) -> None:
        if load.joint in self.rotors:
            if isinstance(load, JointStop) or (isinstance(load, JointSpring) and load.stiffness):
                raise ModelError(f'{what}: rotor "{load.joint}" has no angle, only a rate: give damping or a torque')
            return
        facts = self.parts[load.joint].joint.facts
        names = speed_names(self.parts[load.joint].joint)
        if isinstance(load, JointForce):
            if load.coordinate is None and len(names) > 1:
                raise ModelError(f'{what}: joint "{load.joint}" has speeds {", ".join(names)}: name one as coordinate')
            if load.coordinate is not None:
                checks.known(load.coordinate, names, f'{what}: coordinate of joint "{load.joint}"')
        elif facts.scalar_rates:
            if load.coordinate is not None:
                checks.known(load.coordinate, facts.coordinate_names, f'{what}: coordinate of joint "{load.joint}"')
        elif isinstance(load, JointStop) or load.coordinate is not None or load.rest:
            raise ModelError(
                f'{what}: the joint of "{load.joint}" is described by a quaternion: a JointSpring there is isotropic, '
                "without coordinate or rest, and a JointStop is not possible"
            )


def speed_names(joint: Joint) -> tuple[str, ...]:
    """Names of a joint's rates: its coordinates', or the components of velocity and angular velocity."""
    if joint.facts.scalar_rates:
        return joint.facts.coordinate_names
    return tuple(("x", "y", "z", "vx", "vy", "vz")[a] for a in joint.facts.axes)


def unit_quaternion(joint: Joint, q: tuple[float, ...], what: str) -> tuple[float, ...]:
    """q with its quaternion (if the joint has one) scaled to unit length, with a warning when that changes it."""
    if joint.facts.scalar_rates:
        return q
    e = np.array(q[-4:])
    length = float(np.linalg.norm(e))
    if length == 0:
        raise ModelError(f"{what}: the quaternion is zero: give a unit quaternion, (1, 0, 0, 0) for no rotation")
    if abs(length - 1) > 1e-6:
        checks.warn(f"{what}: the quaternion has length {length:.6g} and is normalised")
    return (*q[:-4], *(float(x) for x in e / length))
