"""Files of MuJoCo against MuJoCo's own mass matrix and accelerations."""

import numpy as np
import pytest

import kaneflex as kf

mujoco = pytest.importorskip("mujoco")

ARM = """<mujoco model="arm"><compiler angle="radian"/><option gravity="0 1 -9.81"/><worldbody>
<body name="base" pos="0.1 0.2 0.3" quat="0.9 0.1 -0.2 0.3">
  <joint name="lift" type="slide" axis="0 0 1" damping="0.3"/>
  <joint name="turn" axis="0 1 1" pos="0.05 0 0.02" stiffness="2"/>
  <inertial pos="0.01 0.02 0.1" quat="0.8 0.3 0.1 0" mass="2" diaginertia="0.03 0.02 0.04"/>
  <body name="plate" pos="0 0 0.1" quat="0.7 0.7 0 0">
    <inertial pos="0.1 0 0" mass="0.5" diaginertia="0.001 0.002 0.0015"/>
    <body name="tip" pos="0.4 0 0"><joint type="ball" pos="-0.1 0 0"/>
      <inertial pos="0.1 0 0.05" mass="1" fullinertia="0.02 0.02 0.03 0.001 0.002 -0.001"/></body></body>
</body></worldbody></mujoco>"""


def test_mass_matrix_and_accelerations_are_mujocos(tmp_path):
    (tmp_path / "arm.xml").write_text(ARM)
    theirs = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(theirs)
    s = kf.System.from_mjcf(tmp_path / "arm.xml")
    dynamics, random = s.dynamics(), np.random.default_rng(2)
    q = random.normal(size=6)
    q[2:] /= np.linalg.norm(q[2:])
    u = random.normal(size=5)
    data.qpos[:], data.qvel[:] = q, u
    mujoco.mj_forward(theirs, data)
    M = np.zeros((5, 5))
    mujoco.mj_fullM(theirs, data, M) if mujoco.__version__ >= "3.4" else mujoco.mj_fullM(theirs, M, data.qM)
    assert np.abs(dynamics.mass_matrix(q) - M).max() < 1e-12
    assert np.abs(dynamics.udot(q, u) - data.qacc).max() < 1e-9 * np.abs(data.qacc).max()


def test_a_free_body_is_mujocos(tmp_path):
    text = """<mujoco><worldbody><body name="bus" pos="1 2 3"><freejoint/>
      <inertial pos="0.1 0 0.2" mass="3" diaginertia="0.1 0.2 0.15"/>
      <body name="arm" pos="0.3 0 0"><joint axis="0 1 0"/>
        <inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.02 0.02"/></body>
    </body></worldbody></mujoco>"""
    (tmp_path / "free.xml").write_text(text)
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    s = kf.System.from_mjcf(tmp_path / "free.xml")
    data.qpos[7] = 0.4
    mujoco.mj_forward(theirs, data)
    M = np.zeros((7, 7))
    mujoco.mj_fullM(theirs, data, M) if mujoco.__version__ >= "3.4" else mujoco.mj_fullM(theirs, M, data.qM)
    state = s.state()
    state["arm.q"] = 0.4
    # MuJoCo's velocity is in inertial axes, which are ours as long as the body is not turned
    assert np.abs(s.dynamics().mass_matrix(state.q) - M).max() < 1e-12
    assert np.allclose(s.channels(state, "bus.position")["bus.position"], [1, 2, 3])


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('damping="0.3"', 'armature="0.3"', "armature"),
        ("</worldbody>", "</worldbody><actuator/>", "actuator"),
        ('type="ball"', 'type="screw"', "screw"),
        ('<inertial pos="0.1 0 0" mass="0.5" diaginertia="0.001 0.002 0.0015"/>', "", "plate.*no <inertial>"),
    ],
)
def test_what_has_no_counterpart_is_named(tmp_path, old, new, named):
    assert old in ARM
    (tmp_path / "arm.xml").write_text(ARM.replace(old, new))
    with pytest.raises(kf.ModelError, match=f"arm.xml, line .*{named}"):
        kf.System.from_mjcf(tmp_path / "arm.xml")
