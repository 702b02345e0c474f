"""Real robots against Pinocchio's reading of the same files: mass matrix, accelerations, poses of all links."""

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from kaneflex import System
from kaneflex.plan.channels import SensorTable, add_channel

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (pip install 'kaneflex[oracles]')")

FOLDER = "cmeel.prefix/share/example-robot-data/robots"
ROBOTS = [
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "pr2_description/urdf/pr2.urdf",
    "tiago_description/robots/tiago.urdf",
    "bolt_description/robots/bolt.urdf",
]
MIMICS = ["panda_description/urdf/panda.urdf", "talos_data/robots/talos_full_v2.urdf", "pr2_description/urdf/pr2.urdf"]
QUIET = pytest.mark.filterwarnings("ignore:.*(no distribution of mass|Coulomb friction)")
TOLERANCE = 1e-10

JOINTS = """<robot name="all"><link name="root"/>
<link name="b"><inertial><origin xyz="0.1 0 0.2" rpy="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.5" iyy="0.6" izz="0.7" ixy="0.01" ixz="0.02" iyz="-0.03"/></inertial></link>
<link name="c"><inertial><origin xyz="0 0.3 0"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="d"><inertial><origin xyz="0.3 0 0"/><mass value="3"/>
<inertia ixx="0.3" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"/>
<joint name="plane" type="planar"><parent link="root"/><child link="b"/><origin xyz="1 2 3" rpy="0.3 0.2 0.1"/>
<axis xyz="0 0 1"/></joint>
<joint name="float" type="floating"><parent link="b"/><child link="c"/><origin xyz="0 1 0" rpy="1 0 0"/></joint>
<joint name="slide" type="prismatic"><parent link="c"/><child link="d"/><origin xyz="0 0 1" rpy="0 1 0"/>
<axis xyz="1 2 3"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
<joint name="end" type="fixed"><parent link="d"/><child link="tip"/><origin xyz="0.1 0.2 0.3" rpy="1 2 3"/></joint>
</robot>"""


def robot_file(name):
    try:
        data = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("robots are not installed (pip install 'kaneflex[oracles]')")
    return Path(str(data.locate_file(FOLDER))) / name


class Twin:
    """A robot here and in Pinocchio at the same random state."""

    def __init__(self, file, floating, seed=0):
        self.system = System.from_urdf(file, floating=floating, meshes=False)
        base = (pin.JointModelFreeFlyer(),) if floating else ()
        self.model = pin.buildModelFromUrdf(str(file), *base)
        self.data = self.model.createData()
        self.dynamics = self.system.dynamics()
        rng = np.random.default_rng(seed)
        plan = self.dynamics.plan
        self.q, self.w = rng.uniform(-1, 1, plan.nq), rng.uniform(-1, 1, plan.nu)
        self.Q, self.V = np.zeros(self.model.nq), np.zeros(self.model.nv)
        self.order = np.zeros(self.model.nv, int)  # our speed for each of theirs
        self.turn = np.eye(self.model.nv)  # from our rates to theirs, which a planar joint has in the child's axes
        for k, name in enumerate(self.model.names[1:], start=1):
            self.put(self.model.joints[k], self.body(name))
        self.V[:] = self.turn @ self.w[self.order]
        self.extra = self.extra_of_planes()  # of their accelerations
        self.damping = np.zeros(plan.nu)
        for joint in self.system.urdf.joints.values():
            own = plan.index.joints[self.system.urdf.bodies[joint.child]]
            self.damping[own.u0 : own.u0 + own.speeds] = joint.damping

    def body(self, joint):
        urdf = self.system.urdf
        return urdf.body(joint) if joint in urdf.joints else urdf.bodies[urdf.root]

    def put(self, theirs, body):
        ours = self.dynamics.plan.index.joints[body]
        q = self.q[ours.q0 : ours.q0 + ours.coordinates]
        here, v = slice(theirs.idx_q, theirs.idx_q + theirs.nq), slice(theirs.idx_v, theirs.idx_v + theirs.nv)
        self.order[v] = np.arange(ours.u0, ours.u0 + ours.speeds)
        if ours.quaternion is not None:
            q[3:] /= np.linalg.norm(q[3:])
            self.Q[here] = [*q[:3], *np.roll(q[3:], -1)]
        elif ours.speeds == 3:
            c, s = np.cos(q[2]), np.sin(q[2])
            self.Q[here] = [q[0], q[1], c, s]
            self.turn[v, v] = [[c, s, 0], [-s, c, 0], [0, 0, 1]]
        else:
            self.Q[here] = q if theirs.nq == 1 else [np.cos(q[0]), np.sin(q[0])]

    def extra_of_planes(self):
        extra = np.zeros(self.model.nv)
        for joint in list(self.model.joints)[1:]:
            if joint.nv == 3:
                k, v = joint.idx_v, self.V
                extra[k : k + 2] = v[k + 2] * v[k + 1], -v[k + 2] * v[k]
        return extra

    def mass_matrix(self):
        M = np.triu(pin.crba(self.model, self.data, self.Q))
        return self.turn.T @ (M + np.triu(M, 1).T) @ self.turn

    def bias(self):
        """Forces less velocity terms, conjugate to our rates in their order."""
        h = pin.nonLinearEffects(self.model, self.data, self.Q, self.V)
        M = np.triu(pin.crba(self.model, self.data, self.Q))
        h = self.turn.T @ (h + (M + np.triu(M, 1).T) @ self.extra)
        return -h - self.damping[self.order] * self.w[self.order]

    def accelerations(self):
        tau = -self.damping[self.order] * self.w[self.order]
        a = pin.aba(self.model, self.data, self.Q, self.V, np.linalg.solve(self.turn.T, tau))
        return np.linalg.solve(self.turn, a - self.extra)


def near(found, wanted):
    assert np.abs(found - wanted).max() <= TOLERANCE * max(np.abs(wanted).max(), 1.0)


def check_poses(twin):
    urdf, table = twin.system.urdf, SensorTable()
    assert all(twin.model.existBodyName(name) for name in urdf.links)
    for body in urdf.bodies.values():
        for what in ("position", "rotation"):
            add_channel(twin.dynamics.plan.index, table, f"{body}.{what}")
    state = np.concatenate([twin.q, twin.w])[None, :]
    values = twin.dynamics.channels(np.zeros(1), state, *table.arrays(), table.size)[0].reshape(-1, 12)
    pin.framesForwardKinematics(twin.model, twin.data, twin.Q)
    for link, row in zip(urdf.bodies, values, strict=True):
        pose = twin.data.oMf[twin.model.getBodyId(link)]
        near(row[:3], pose.translation)
        near(row[3:], pose.rotation.ravel())


@QUIET
@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", ROBOTS, ids=lambda name: Path(name).stem)
def test_robots(name, floating):
    for seed in range(3):
        twin = Twin(robot_file(name), floating, seed)
        order = np.ix_(twin.order, twin.order)
        near(twin.dynamics.mass_matrix(twin.q)[order], twin.mass_matrix())
        check_poses(twin)
        if not twin.system.constraints:
            near(twin.dynamics.udot(twin.q, twin.w)[twin.order], twin.accelerations())


@QUIET
@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", MIMICS, ids=lambda name: Path(name).stem)
def test_mimics(name, floating):
    twin = Twin(robot_file(name), floating)
    urdf, index = twin.system.urdf, twin.dynamics.plan.index.joints
    T = np.eye(twin.dynamics.plan.nu)
    free = list(range(len(T)))
    for joint in urdf.joints.values():
        if joint.mimic is not None and joint.kind != "fixed":
            master, ratio, _ = urdf.master(joint.name)
            own, other = index[urdf.body(joint.name)].u0, index[urdf.body(master)].u0
            T[own] = ratio * np.eye(len(T))[other]
            free.remove(own)
    T = T[:, free]
    assert T.shape[1] < T.shape[0]
    twin.w = T @ twin.w[free]
    twin.V[:] = twin.w[twin.order]
    back = np.argsort(twin.order)
    M, F = twin.mass_matrix()[np.ix_(back, back)], twin.bias()[back]
    wanted = T @ np.linalg.solve(T.T @ M @ T, T.T @ F)
    near(twin.dynamics.udot(twin.q, twin.w), wanted)


def test_all_kinds_of_joints(tmp_path):
    file = tmp_path / "all.urdf"
    file.write_text(JOINTS)
    for seed in range(5):
        twin = Twin(file, False, seed)
        order = np.ix_(twin.order, twin.order)
        near(twin.dynamics.mass_matrix(twin.q)[order], twin.mass_matrix())
        near(twin.dynamics.udot(twin.q, twin.w)[twin.order], twin.accelerations())
        check_poses(twin)


@QUIET
@pytest.mark.filterwarnings("error:.*not shown")
@pytest.mark.parametrize("name", ["panda_description/urdf/panda.urdf", "kinova_description/robots/kinova.urdf"])
def test_meshes_of_robots_are_found(name):
    system = System.from_urdf(robot_file(name))
    assert sum(len(shapes) for shapes in system.shapes.values()) > 10
