"""The declaration of a system: bodies on joints, rotors, loads and inputs, by name. No numerics beyond checks."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kaneflex.model import checks, quantities
from kaneflex.model.blocks import BlockBase
from kaneflex.model.bodies import BodyBase, Rigid, RigidAsGiven, Rotor, without_wheel
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import Closure, ConstraintBase
from kaneflex.model.contacts import Contact
from kaneflex.model.entries import CHECKS, NAMED
from kaneflex.model.forces import Load, MovingBase, SlidingFriction
from kaneflex.model.frames import GROUND, Frame, NodeFrame, as_frame
from kaneflex.model.joints import (
    CustomJoint,
    Fixed,
    Joint,
    Revolute,
    Spherical,
    Translational,
    joint_channels,
    unit_quaternion,
)
from kaneflex.model.part import Part
from kaneflex.model.parts.build import remove_part, replace_part
from kaneflex.model.parts.placed import PlacedPart, owner_of
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.rods.places import on_segment, with_segments
from kaneflex.model.said import Remembering, records, said
from kaneflex.model.shapes import Shape
from kaneflex.model.tables import STAYING, TABLES, Settled, Table


def _settled(frames: Mapping[str, Frame]) -> Settled[Frame]:
    """Frames of a body as a dictionary that stays as it is; themselves where they are one of a model already."""
    advice = TABLES["frames"][1]
    return frames if isinstance(frames, Settled) and frames.advice == advice else Settled(frames, advice)


class Body:
    """Handle of a body in a system; names its frames."""

    def __init__(self, model: "Model", name: str):
        if not isinstance(model, Model):
            raise ModelError(f"a body belongs to a system, not to {checks.shown(model)}")
        self._model = model
        self.name = checks.known(name, model.parts, "body")

    def frame(self, name: str, position: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> str:
        """Add a named frame. Returns "body.frame".

        Args:
            name: of the frame.
            position: its origin in body axes, m; or the name of a frame of the body, a node of a flexible one say, with
                which the new frame moves: at its place, and turned from its axes by `rotation`.
            rotation: as of a Frame.
        """
        if not isinstance(position, str):
            return self._model.add_frame(self.name, name, Frame(position, rotation))
        frames = self._model.frames[self.name]
        at = frames[checks.known(position.removeprefix(f"{self.name}."), frames, f'frame on "{self.name}"')]
        return self._model.add_frame(self.name, name, replace(at, rotation=at.R @ Frame(rotation=rotation).R))

    def __repr__(self) -> str:
        return f"Body({self.name!r})"


class Model(Remembering):
    """Bodies, joints, rotors, loads and inputs by name.

    Every change of it goes through `changed`, which drops the plans of what it was: adding by the methods; `name` and
    `gravity`, which may be set; and the tables, which let entries be set and deleted where that makes sense and refuse
    with advice where it does not.

    Args:
        name: of the system.
        gravity: uniform gravity in inertial axes, m/s^2.
        base: a MovingBase, or None for an inertial base.

    Attributes:
        parts, frames, rotors, loads, inputs, blocks, constraints, contacts, groups, rods, installed, units, shapes: what was
            added, by name; `parts` are the bodies, `installed` what came by `add_part`.
        changes: how often the model has changed.
        plans: of this very state of the model, kept by `plan.build`.
    """

    is_kept = False  # True for the copy that a plan holds
    is_running = False  # True for the copies that a run changes: bodies keep their modes
    name: str
    gravity: tuple[float, float, float]
    base: MovingBase | None
    parts: Table[Part]
    frames: Table[Mapping[str, Frame]]
    rotors: Table[tuple[str, Rotor]]
    loads: Table[Load | SlidingFriction]
    inputs: Table[Load]
    blocks: Table[BlockBase]
    constraints: Table[ConstraintBase]
    contacts: Table[Contact]
    groups: Table[tuple[str, ...]]
    rods: Table[PlacedRod]
    installed: Table[PlacedPart]
    units: Table[str]
    shapes: Table[tuple[Shape, ...]]
    changes: int
    plans: dict[Any, Any]

    def __init__(self, name: str, *, gravity: Any = (0.0, 0.0, 0.0), base: MovingBase | None = None):
        self.__dict__.update({kind: Table(self, kind) for kind in TABLES}, base=None, changes=0, plans={})
        self.__dict__["gravity"] = (0.0, 0.0, 0.0)
        self._root = GROUND
        self.name, self.gravity = name, gravity
        if base is not None:
            self._add_base(base)

    # -- changes -----------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if name in TABLES:
            raise ModelError(f"the {name} of a system cannot be replaced as a whole: {TABLES[name][1]}")
        if name == "base":
            raise ModelError("the base of a system cannot be changed: give base= when the system is made")
        if name in ("changes", "plans"):
            raise ModelError(f'"{name}" of a system is kept by itself and cannot be set')
        if name == "name":
            value = checks.name(value.replace(" ", "-") if isinstance(value, str) else value, "name of the system")
        elif name == "gravity":
            with records(self, "__setattr__", (name, value), {}) as (given, _):
                value = checks.vector(given[1], "gravity")
        if name in ("name", "gravity") or self.is_kept:
            self.changed()
        super().__setattr__(name, value)

    def changed(self) -> None:
        """Take note of a change, before it is made: plans of the model as it was are of no use any more."""
        if self.is_kept:
            raise ModelError(
                f'this is system "{self.name}" as it was when a run was made of it: change the system itself, and run that'
            )
        self.__dict__.update(changes=self.changes + 1, plans={})

    def _check_entry(self, table: str, name: str, value: Any) -> Any:
        """The entry as a table keeps it, or an error where it may not have it; see `Table`."""
        if table in STAYING:
            raise ModelError(f'{TABLES[table][0]} "{name}" cannot be set: {TABLES[table][1]}')
        if table == "installed":
            return replace_part(self, name, value)
        self._check_own(table, name)
        if table not in ("shapes", "units") and name not in getattr(self, table):
            self._new_name(name)
        value = with_segments(self.rods, value) if self.rods else value
        CHECKS[table](self, name, value)
        return value

    def _check_removal(self, table: str, name: str) -> None:
        """Raise an error where a table may not lose this entry, and take out the pieces of a part; see `Table`."""
        if table in STAYING:
            raise ModelError(f'{TABLES[table][0]} "{name}" cannot be deleted: {TABLES[table][1]}')
        if table == "installed":
            remove_part(self, name)
        else:
            self._check_own(table, name)

    def _check_own(self, table: str, name: str) -> None:
        """Refuse to change an entry that is a piece of a part."""
        owner = owner_of(self.installed, table, name)
        if owner is not None and not self.is_running:
            kind, whole = TABLES[table][0], f'system.installed["{owner}"]'
            raise ModelError(f'{kind} "{name}" belongs to part "{owner}": change or delete {whole} as a whole')

    def take_over(self, **tables: Mapping[str, Any]) -> None:
        """Put these tables in the place of the model's, as they are: for what has been checked, a file's or a run's own.

        What parameters were becomes numbers.
        """
        self.changed()
        self.__dict__.update(steps=(), before=None)
        for kind, content in tables.items():
            if kind == "frames":
                content = {body: _settled(frames) for body, frames in content.items()}
            self.__dict__[checks.known(kind, TABLES, "table")] = Table(self, kind, content)

    def __copy__(self) -> "Model":
        """A model with tables of its own that may be changed; what is in them is shared, and never changes."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, plans={}, is_kept=False)
        other.__dict__.update({kind: Table(other, kind, getattr(self, kind)) for kind in TABLES})
        return other

    def kept(self) -> "Model":
        """A copy that cannot be changed, with the plans that were made so far; the model itself where it is such a copy."""
        if self.is_kept:
            return self
        other = copy.copy(self)
        other.__dict__.update(plans=self.plans, is_kept=True)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """All but the plans, which are full of addresses."""
        return self.__dict__ | {"plans": {}}

    def __deepcopy__(self, memo: dict[int, Any]) -> "Model":
        other = memo[id(self)] = object.__new__(type(self))
        other.__dict__.update(copy.deepcopy(self.__getstate__(), memo))
        return other

    def __reduce__(self) -> Any:
        """Pickle what a file would hold; functions by their names in modules, and refused where they have none."""
        from kaneflex.model.codec import pickled

        return pickled(self)

    @said
    def _add_base(self, base: MovingBase) -> None:
        if not isinstance(base, MovingBase):
            raise ModelError(f"base is {base!r}: give a MovingBase or None")
        self.__dict__["base"] = base
        if base.angular_acceleration is None:
            self.add("base", Rigid(0.0), Translational(), rates=base.velocity)
        else:
            self.add("base_origin", Rigid(0.0), Translational(), rates=base.velocity)
            self.add("base", Rigid(0.0), Spherical(), parent="base_origin", rates=base.angular_velocity)
        self._root = "base"

    # -- adding ------------------------------------------------------------------------------------------------------

    @said
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
        if isinstance(joint.motion, Mapping):
            joint = replace(joint, motion=Settled(joint.motion, "build the system anew for another motion"))
        for frame in body.frames:
            quantities.free(frame, f"{what}: name of a frame", joint_channels(joint))
        mother, place = self._place_on(parent, at, name, what)
        hook = self._frame_on(name, hinge, body.frames, f"{what}: hinge")
        if isinstance(hook, NodeFrame):
            raise ModelError(f'{what}: its hinge is the node "{hook.node}", which deforms away: make it the root')
        coordinates = self._initial_q(joint, q, f"{what}: q")
        speeds = None if rates is None else self._values(rates, joint.facts.speeds, f"{what}: rates")
        self._loaded(mother, place)
        self.frames.put(name, _settled(body.frames))
        self.parts.put(name, Part(name, body, joint, mother, place, hook, coordinates, speeds))
        return Body(self, name)

    @said
    def add_frame(self, body: str, name: str, frame: Frame) -> str:
        """Add the named frame to a body; returns "body.frame", `name` being that of the frame alone."""
        checks.known(body, self.parts, "body")
        quantities.free(name, f'name of a frame on "{body}"', joint_channels(self.parts[body].joint))
        if not isinstance(frame, Frame):
            raise ModelError(f'frame "{name}" on "{body}" is {checks.shown(frame)}: give a Frame')
        if name in self.frames[body]:
            raise ModelError(f'body "{body}" has a frame "{name}" already: choose another name')
        self.frames.put(body, _settled({**self.frames[body], name: frame}))
        return f"{body}.{name}"

    @said
    def add_rotor(self, name: str, body: "Body | str", rotor: Rotor) -> str:
        """Add an axisymmetric wheel to a body; its speed is named like a joint's.

        A rotor with a motion becomes a body of axial inertia alone on a Revolute joint that follows it, and the body that
        carries it is left what it has beyond that: `run["wheel.drive"]` is the torque on the wheel.

        Args:
            name: of the wheel.
            body: that carries it.
            rotor: its axis, inertia and first rate, or motion.
        """
        self._new_name(name)
        owner = body.name if isinstance(body, Body) else body
        checks.known(owner, self.parts, f'body of rotor "{name}":')
        if not isinstance(rotor, Rotor):
            raise ModelError(f'rotor "{name}" is {rotor!r}: give a Rotor')
        if rotor.motion is not None:
            part = self.parts[owner]
            self.parts.put(owner, replace(part, body=without_wheel(part.body, rotor, f'rotor "{name}"', owner)))
            wheel = RigidAsGiven(0.0, inertia=rotor.inertia * np.outer(rotor.axis, rotor.axis))
            self.add(name, wheel, Revolute(rotor.axis, motion=rotor.motion), owner)
        else:
            self.rotors.put(name, (owner, rotor))
        return name

    @said
    def apply(self, name: str, load: Load) -> str:
        """Apply a load; its energy and power become channels under its name."""
        self._new_name(name)
        self.loads[name] = load
        return name

    @said
    def add_input(self, name: str, load: Load) -> str:
        """Add a named input, whose value is given to `simulate`.

        Args:
            name: of the input.
            load: Force, Torque, JointForce or SpringDamper whose value (direction or gain) the input multiplies.
        """
        self._new_name(name)
        self.inputs[name] = load
        return name

    @said
    def add_block(self, name: str, block: BlockBase) -> str:
        """Add a block: a law with states, which become channels "name.state", as its outputs do.

        Args:
            name: of the block.
            block: kaneflex.Block, or one of kaneflex.blocks.
        """
        self._new_name(name)
        self.blocks[name] = block
        return name

    @said
    def constrain(self, name: str, constraint: ConstraintBase) -> str:
        """Add a constraint; its multipliers and loads are known by its name."""
        self._new_name(name)
        self.constraints[name] = constraint
        for place in constraint.ends():
            if isinstance(place, str):
                self._loaded(*self.locate(place, f'constraint "{name}"'))
        return name

    def _loaded(self, name: str, frame: Frame) -> None:
        """A joint or a constraint acts at a frame of a body: where it is a node, the body is given what it needs there."""
        if isinstance(frame, NodeFrame) and not self.is_running:
            part = self.parts[name]
            body = part.body.carrying(frame.node, f'body "{name}"')
            if body is not part.body:
                self.parts.put(name, replace(part, body=body))

    @said
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
        self._new_name(f"{name}_half")
        owner, hook = self.locate(b, what) if isinstance(b, str) else (GROUND, as_frame(b, what))
        mother, place = self.locate(a, what) if isinstance(a, str) else (GROUND, as_frame(a, what))
        if owner in (GROUND, mother):
            raise ModelError(f"{what}: a CustomJoint closes a loop onto another body than its inboard one: name one as b")
        part = self.parts[owner]
        mass, moment, J = part.body.mass_properties()
        if not isinstance(part.body, Rigid):
            raise ModelError(f'{what}: body "{owner}" is not Rigid and cannot be halved: close the loop at another body')
        if mass == 0 or any(body == owner for body, _ in self.rotors.values()):
            raise ModelError(f'{what}: body "{owner}" has no mass or carries a rotor: close the loop at another body')
        c = moment / mass
        half = Rigid(mass / 2, com=tuple(c), inertia=(J - mass * (c @ c * np.eye(3) - np.outer(c, c))) / 2)
        self.add(name, half, joint, mother, place, hinge=hook)
        self.parts.put(owner, replace(part, body=replace(half, frames=part.body.frames)))
        self.constrain(f"{name}_half", Closure(owner, name, Fixed()))
        return name

    @said
    def contact(self, name: str, contact: Contact) -> str:
        """Add a contact by name: collisions of a point with a plane."""
        self._new_name(name)
        self.contacts[name] = contact
        return name

    @said
    def group(self, name: str, bodies: Sequence["Body | str"]) -> str:
        """Name a group of bodies, whose mass, mass centre, momentum and energy become channels: "name.mass_centre.position".

        Rotors on the bodies count with them. What is summed is told in docs/channels.md.

        Args:
            name: of the group.
            bodies: the bodies or their names.
        """
        self._new_name(name)
        found = checks.items(bodies, f'bodies of group "{name}"')
        self.groups[name] = tuple(body.name if isinstance(body, Body) else body for body in found)
        return name

    @said
    def set_unit(self, channel: str, unit: str) -> None:
        """Say the unit of a channel whose unit nobody else knows: of an input, a block's state or output, a coordinate of a
        CustomJoint (its rates and loads follow), a constraint's multipliers. Plots and tables show it.

        Args:
            channel: its name, e.g. "motor" or "servo.torque".
            unit: e.g. "N m".
        """
        self.units[channel] = unit

    @said
    def show(self, body: "Body | str", *shapes: Shape) -> None:
        """Give a body (or "N", the inertial frame) shapes to be drawn by, in place of what is drawn from its data.

        They have no mass and no effect on the motion. Shapes given again for the same body are added.

        Args:
            body: the body or its name; "N" for the inertial frame.
            shapes: Box, Sphere, Mesh, ...: see kaneflex.shapes; none at all hides the body.
        """
        name = checks.known(body.name if isinstance(body, Body) else body, [GROUND, *self.parts], "body to show:")
        self.shapes[name] = (*self.shapes.get(name, ()), *shapes)

    # -- looking up --------------------------------------------------------------------------------------------------

    def locate(self, place: str, what: str) -> tuple[str, Frame]:
        """Body and frame of a place, "body" or "body.frame"; `what` says in an error who asks."""
        if not isinstance(place, str) or not isinstance(what, str):
            raise ModelError(f'{what}: {checks.shown(place)} is no place: give "body", "body.frame" or "N"')
        body, _, frame = on_segment(self.rods, place, what).partition(".")
        if body == GROUND and not frame:
            return GROUND, Frame()
        checks.known(body, self.parts, f"{what}: body")
        if not frame:
            return body, Frame()
        checks.known(frame, self.frames[body], f'{what}: frame on "{body}"')
        return body, self.frames[body][frame]

    def _place_on(self, parent: Any, at: Any, child: str, what: str) -> tuple[str, Frame]:
        """Body and frame on it that a joint is at; of a rod the segment."""
        rod = self.rods.get(parent) if isinstance(parent, str) else None
        if rod is not None:
            point = at.removeprefix(f"{parent}.") if isinstance(at, str) else at
            if not isinstance(point, str):
                points = ", ".join(f'"{p}"' for p in rod.points)
                raise ModelError(f'{what}: at is {checks.shown(at)}: name a point of rod "{parent}", {points}')
            parent, _, at = on_segment(self.rods, f"{parent}.{point}", what).partition(".")
        mother = self._parent_name(parent, child)
        return mother, self._frame_on(mother, at, self.frames.get(mother, {}), f"{what}: at")

    # -- checks ------------------------------------------------------------------------------------------------------

    def _new_name(self, name: Any) -> None:
        checks.name(name, "name")
        if name == GROUND:
            raise ModelError(f'"{GROUND}" names the inertial frame: choose another name')
        if name in quantities.OF_THE_SYSTEM:
            raise ModelError(f'"{name}" names channels of the whole system: choose another name')
        for table in NAMED:
            if name in getattr(self, table):
                raise ModelError(f'there is a {TABLES[table][0]} "{name}" already: choose another name')

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

    @staticmethod
    def _frame_on(body: str, value: Any, frames: Mapping[str, Frame], what: str) -> Frame:
        if value is None:
            return Frame()
        if isinstance(value, str):
            name = value.removeprefix(f"{body}.")
            return frames[checks.known(name, frames, f'{what}: frame on "{body}"')]
        return as_frame(value, what)

    @staticmethod
    def _values(value: Any, n: int, what: str) -> tuple[float, ...]:
        return tuple(float(v) for v in checks.several(value, n, what))

    @classmethod
    def _initial_q(cls, joint: Joint, q: Any, what: str) -> tuple[float, ...] | None:
        return None if q is None else unit_quaternion(joint, cls._values(q, joint.facts.coordinates, what), what)
