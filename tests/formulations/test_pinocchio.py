"""The same random trees in Pinocchio, by its articulated-body algorithm. Its conventions are turned into ours here:

- quaternions have their scalar part last;
- a free joint's rates are ours: velocity, then angular velocity, both in the child's axes;
- a planar joint has (x, y, cos, sin) for q, and its velocity is in the child's axes, ours in the parent's;
- there is no fixed joint: a body without a joint is part of its parent.
"""

import numpy as np
import pytest
from hypothesis import given
from identities import close, relative_rate_rates
from sweeps import sweep
from trees import JOINTS, WAYS, Recipe, trees

from kaneflex.model.forces import Torque

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (pip install 'kaneflex[oracles]')")

CYCLES = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}  # the plane's first and second axis, and its normal


def pose(frame):
    return pin.SE3(frame.R, frame.p)


def cylindrical(joint):
    model = pin.JointModelComposite(2)
    model.addJoint(pin.JointModelRevoluteUnaligned(np.array(joint.axis)))
    model.addJoint(pin.JointModelPrismaticUnaligned(np.array(joint.axis)))
    return model


MAKE = {
    "Revolute": lambda joint: pin.JointModelRevoluteUnaligned(np.array(joint.axis)),
    "Prismatic": lambda joint: pin.JointModelPrismaticUnaligned(np.array(joint.axis)),
    "Cylindrical": cylindrical,
    "Screw": lambda joint: pin.JointModelHelicalUnaligned(np.array(joint.axis), joint.pitch / (2 * np.pi)),
    "Universal": lambda joint: pin.JointModelUniversal(*map(np.array, joint.axes)),
    "Spherical": lambda joint: pin.JointModelSpherical(),
    "Free": lambda joint: pin.JointModelFreeFlyer(),
    "Planar": lambda joint: pin.JointModelPlanar(),
    "Translational": lambda joint: pin.JointModelTranslation(),
    "Fixed": None,
}
COMMON = tuple(MAKE)
PUSHES = tuple((kind, way) for kind in ("Force", "Torque") for way in ("body", "inertial"))


def plane(joint):
    """Orientation of the plane's own axes: its normal is the third. A skew normal has axes of the package's choice."""
    if np.count_nonzero(joint.axis) == 1:
        k = int(np.argmax(np.abs(joint.axis)))
        R = np.eye(3)[:, list(CYCLES["xyz"[k]])]
        return R if joint.axis[k] > 0 else R @ np.diag([1.0, -1.0, -1.0])
    return joint.alignment


class Twin:
    """A tree in Pinocchio."""

    def __init__(self, tree):
        self.tree, self.model = tree, pin.Model()
        self.model.gravity.linear = np.array(tree.model.gravity)
        self.places, self.joints = {}, {}
        for part in tree.model.parts.values():
            self.add(part)
        self.data = self.model.createData()

    def add(self, part):
        mother, X = self.places.get(part.parent, (0, pin.SE3.Identity()))
        kind, at, hinge = type(part.joint).__name__, X * pose(part.at), pose(part.hinge)
        if kind == "Planar":
            turn = pin.SE3(plane(part.joint), np.zeros(3))
            at, hinge = at * turn, hinge * turn
        if kind == "Fixed":
            self.places[part.name] = (mother, at * hinge.inverse())
        else:
            joint = self.model.addJoint(mother, MAKE[kind](part.joint), at, part.name)
            self.places[part.name], self.joints[part.name] = (joint, hinge.inverse()), (joint, kind)
        if part.body.mass:
            inertia = pin.Inertia(part.body.mass, np.array(part.body.com), np.array(part.body.inertia))
            self.model.appendBodyToJoint(self.places[part.name][0], inertia, self.places[part.name][1])

    def joint_slices(self):
        """Name, kind, our q and w, Pinocchio's q and v of each joint."""
        index = self.tree.plan(*WAYS[0]).index.joints
        for name, (joint, kind) in self.joints.items():
            ours, theirs = index[name], self.model.joints[joint]
            yield (
                kind,
                slice(ours.q0, ours.q0 + ours.coordinates),
                slice(ours.u0, ours.u0 + ours.speeds),
                slice(theirs.idx_q, theirs.idx_q + theirs.nq),
                slice(theirs.idx_v, theirs.idx_v + theirs.nv),
            )

    def loads(self):
        """The tree's forces and torques, in the joints' axes about their origins."""
        total = [pin.Force.Zero() for _ in range(self.model.njoints)]
        model, zero = self.tree.model, np.zeros(3)
        gains = [*np.ones(len(model.loads)), *self.tree.inputs]
        for load, gain in zip([*model.loads.values(), *model.inputs.values()], gains, strict=True):
            body, frame = model.locate(load.at, "load")
            joint, X = self.places[body]
            value = gain * np.array(load.value)
            value = self.data.oMi[joint].rotation.T @ value if load.axes == "inertial" else X.rotation @ frame.R @ value
            total[joint] += (
                pin.Force(zero, value) if isinstance(load, Torque) else pin.Force(value, np.cross(X * frame.p, value))
            )
        return total

    def wdot(self):
        """Rates of the relative rates."""
        tree, model = self.tree, self.model
        q, v, tau, wdot = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv), np.zeros(model.nv)
        for kind, a, b, c, d in self.joint_slices():
            at, v[d], tau[d] = tree.q[a], tree.w[b], tree.tau[b]
            if kind == "Spherical":
                at = np.roll(at, -1)
            elif kind == "Free":
                at = [*at[:3], *np.roll(at[3:], -1)]
            elif kind == "Planar":
                R = rotation(at[2])
                at = [*at[:2], np.cos(at[2]), np.sin(at[2])]
                v[d], tau[d] = R.T @ tree.w[b], R.T @ tree.tau[b]
            q[c] = at
        pin.forwardKinematics(model, self.data, q)
        theirs = pin.aba(model, self.data, q, v, tau, self.loads())
        for kind, a, b, _, d in self.joint_slices():
            wdot[b] = theirs[d]
            if kind == "Planar":
                turning = v[d][2] * np.array([v[d][1], -v[d][0], 0.0])
                wdot[b] = rotation(tree.q[a][2]) @ (theirs[d] - turning)
        return wdot


def rotation(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def check(recipe):
    tree = recipe.tree()
    wanted = Twin(tree).wdot()
    for way in WAYS:
        d = tree.dynamics(*way)
        u = d.speeds_from_rates(tree.q, tree.w)
        udot = d.udot(tree.q, u, tree.tau)
        if way[1] == "customary":
            close(udot, wanted, f"u-dot, {d}")
        else:
            qdot = d.coordinate_rates(tree.q, u)
            close(relative_rate_rates(d, tree.q, u, qdot, udot), wanted, f"w-dot, {d}")


def test_pinocchio_has_all_but_custom_joints_and_those_of_rods():
    assert set(JOINTS) - set(COMMON) == {"CustomJoint", "SlidingBall", "SlidingPin"}


@pytest.mark.parametrize("kind", [k for k in COMMON if k != "Fixed"])
def test_each_joint(kind):
    for seed in range(4):
        check(Recipe((kind, "Fixed", kind, "Revolute", kind), (-1, 0, 1, 2, 1), loads=PUSHES, seed=seed))


@sweep(100)
@given(trees(kinds=COMMON, rotors=False, bases=(), loads=PUSHES))
def test_random_trees(recipe):
    check(recipe)
