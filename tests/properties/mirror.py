"""The world in a mirror."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from properties.remakes import Remake

import kaneflex as kf
from kaneflex.model.bodies import BodyBase, Rotor
from kaneflex.model.constraints import ConstraintBase
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Joint
from kaneflex.model.part import Part

Array = np.ndarray
MIRROR = np.diag([1.0, -1.0, 1.0])  # of N and of every body's axes; it leaves z = 0 of N where it is
ACROSS = np.diag([1.0, 1.0, -1.0])  # of the axes that joints are written in, z along their axis
SIGNS: dict[type, tuple[float, ...]] = {  # of coordinates when a joint is mirrored by ACROSS
    kf.Revolute: (1,),
    kf.Screw: (1,),
    kf.Prismatic: (-1,),
    kf.Cylindrical: (1, -1),
    kf.Planar: (1, 1, 1),
    kf.Universal: (-1, -1),
    kf.Translational: (1, 1, -1),
    kf.SlidingPin: (1, 1),
    kf.Fixed: (),
}


class Mirrored(Remake):
    """The world in a mirror, y to -y: vectors change by MIRROR, turns by -MIRROR."""

    def gravity(self, g: Array) -> Array:
        return MIRROR @ g

    @staticmethod
    def joint(joint: Joint) -> Joint:
        """The joint in axes of its own, in which it is the same but for signs."""
        if isinstance(joint, kf.Universal):
            return replace(joint, axes=("x", "y"))
        if isinstance(joint, kf.Screw):
            return kf.Screw("z", -joint.pitch)
        if isinstance(joint, kf.SlidingPin):
            return replace(joint, axes=("x", "z"))
        along = "x" if isinstance(joint, kf.SlidingBall) else "z"
        return replace(joint, axis=along) if hasattr(joint, "axis") else joint

    @staticmethod
    def closing(joint: Joint) -> Joint:
        """A joint that closes a loop, between frames that are mirrored as all frames are."""
        changes: dict[str, Any] = {"axis": MIRROR @ joint.axis} if hasattr(joint, "axis") else {}
        if isinstance(joint, kf.Universal | kf.SlidingPin):
            changes["axes"] = tuple(MIRROR @ a for a in joint.axes)
        if isinstance(joint, kf.Screw):
            changes["pitch"] = -joint.pitch
        return replace(joint, **changes)

    @staticmethod
    def seat(frame: Frame, joint: Joint) -> Frame:
        """A frame that carries a side of a joint."""
        return replace(frame, position=MIRROR @ frame.p, rotation=MIRROR @ frame.R @ joint.alignment @ ACROSS)

    def frame(self, frame: Frame) -> Frame:
        return replace(frame, position=MIRROR @ frame.p, rotation=MIRROR @ frame.R @ MIRROR)

    def part(self, part: Part) -> Part:
        seats = {n: self.seat(getattr(part, n), part.joint) for n in ("at", "hinge")}
        return replace(part, joint=self.joint(part.joint), **seats)

    def body(self, body: BodyBase) -> BodyBase:
        S = MIRROR
        if isinstance(body, kf.Rigid):
            frames = {n: self.frame(f) for n, f in body.frames.items()}
            return replace(body, com=S @ body.com, inertia=S @ np.array(body.inertia) @ S, frames=frames)
        m = body.modal
        s = np.diag(S)
        v1, v2 = s[:, None], s[:, None, None]
        nodes = {
            n: replace(x, position=S @ x.position, Phi=v1 * x.Phi, Psi=-v1 * x.Psi, G=v2 * x.G, H=-v2 * x.H)
            for n, x in m.nodes.items()
        }
        return kf.Flexible(
            replace(
                m,
                first_moment=S @ m.first_moment,
                second_moment=S @ m.second_moment @ S,
                B=v1 * m.B,
                C=(v1 * v1.T)[..., None] * m.C,
                E=(v1 * v1.T)[..., None, None] * m.E,
                b2=v2 * m.b2,
                C2=(v1 * v1.T)[..., None, None] * m.C2,
                turn=-v1 * m.turn,
                nodes=nodes,
            )
        )

    def rotor(self, rotor: Rotor) -> Rotor:
        return replace(rotor, axis=-MIRROR @ rotor.axis)

    def load(self, load: Any) -> Any:
        if isinstance(load, kf.Force):
            return replace(load, value=(-1.0 if isinstance(load, kf.Torque) else 1.0) * MIRROR @ load.value)
        if isinstance(load, kf.SpringDamper):
            a, b = (e if isinstance(e, str) else tuple(MIRROR @ e) for e in (load.a, load.b))
            return replace(load, a=a, b=b)
        if isinstance(load, kf.CentralGravity):
            return replace(load, centre=MIRROR @ load.centre)
        joint = self.joint_of(load.joint)
        if joint is None or (isinstance(load, kf.JointSpring) and load.coordinate is None and not load.rest):
            return load
        if isinstance(joint, kf.Spherical | kf.Free | kf.SlidingBall):
            signs = dict(zip(("wx", "wy", "wz", "vx", "vy", "vz"), (-1, -1, 1, 1, 1, -1), strict=True))
            return replace(load, value=load.value * signs[load.coordinate])
        signs = dict(zip(joint.facts.coordinate_names, SIGNS[type(joint)], strict=True))
        if load.coordinate is None:
            assert len(set(signs.values())) == 1, "a load on coordinates that change differently"
        sign = next(iter(signs.values())) if load.coordinate is None else signs[load.coordinate]
        if isinstance(load, kf.JointForce):
            return replace(load, value=load.value * sign)
        return replace(load, rest=load.rest * sign)

    def contact(self, contact: kf.Contact) -> kf.Contact:
        return contact

    def constraint(self, constraint: ConstraintBase) -> ConstraintBase:
        changes: dict[str, Any] = {
            f.name: self.frame(x) for f in fields(constraint) if isinstance(x := getattr(constraint, f.name), Frame)
        }
        if isinstance(constraint, kf.Closure):
            changes["joint"] = self.closing(constraint.joint)
        if isinstance(constraint, kf.Coupler):
            changes["terms"] = {n: c * SIGNS[type(self.joint_of(n))][0] for n, c in constraint.terms.items()}
        return replace(constraint, **changes)

    def value(self, name: str, value: Array) -> Any:
        tail, joint = name.partition(".")[2], self.joint_of(name)
        if joint is None or tail.startswith("modes"):
            return value
        turns, slides = np.array([-1, -1, 1.0]), np.array([1, 1, -1.0])  # of an angular velocity and of a vector
        if isinstance(joint, kf.Spherical):
            return value * (turns if tail == "rate" else np.array([1, *turns]))
        if isinstance(joint, kf.SlidingBall):
            return value * np.concatenate([[1], turns if tail == "rate" else np.array([1, *turns])])
        if isinstance(joint, kf.Free):
            return value * np.concatenate([slides, turns if tail == "rate" else np.array([1, *turns])])
        return value * np.array(SIGNS[type(joint)])
