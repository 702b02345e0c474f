"""SDF files against numbers of Drake."""

import numpy as np
import pytest

import kaneflex as kf

ARM = """<sdf version="1.9"><world name="lab"><gravity>0.3 1 -9.81</gravity>
<model name="arm"><pose>0.5 -0.2 0.1 0.2 -0.1 0.4</pose>
  <frame name="shelf"><pose>0.1 0.3 -0.2 0.5 0 0.3</pose></frame>
  <link name="base"><pose relative_to="shelf">0.1 0.2 0.3 0.3 0.1 -0.2</pose>
    <inertial><pose>0.01 0.02 0.1 0.4 0 0.2</pose><mass>2</mass>
      <inertia><ixx>0.03</ixx><iyy>0.02</iyy><izz>0.04</izz><ixy>0.001</ixy><ixz>-0.002</ixz><iyz>0.003</iyz>
    </inertia></inertial></link>
  <link name="plate"><pose relative_to="base">0.4 0 0.1 0 0.7 0.2</pose>
    <inertial><pose>0.1 0 0 0 0 0</pose><mass>0.5</mass><inertia><ixx>0.001</ixx><iyy>0.002</iyy><izz>0.0015</izz>
    </inertia></inertial></link>
  <link name="fork"><pose relative_to="elbow" degrees="true">0.2 0.1 0 10 20 -30</pose>
    <inertial><mass>0.7</mass><inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.03</izz><ixy>0.001</ixy><ixz>0.002</ixz>
    <iyz>-0.001</iyz></inertia></inertial></link>
  <link name="tip"><pose relative_to="fork" rotation_format="quat_xyzw">0.3 0 0.05 0.1 -0.3 0.3 0.9</pose>
    <inertial><pose>0 0.05 0 0 0 0</pose><mass>0.2</mass><inertia><ixx>0.002</ixx><iyy>0.001</iyy><izz>0.0015</izz>
    </inertia></inertial></link>
  <frame name="elbow" attached_to="plate"><pose>0.25 -0.05 0.02 0.1 0.2 0.3</pose></frame>
  <joint name="turn" type="revolute"><parent>world</parent><child>base</child><pose>0.05 0 0.02 0.1 0 0</pose>
    <axis><xyz expressed_in="__model__">0 0.6 0.8</xyz><dynamics><damping>0.3</damping></dynamics></axis></joint>
  <joint name="slide" type="prismatic"><parent>base</parent><child>plate</child>
    <pose relative_to="base">0.2 0 0 0 0 0.5</pose>
    <axis><xyz>1 0 0</xyz><dynamics><damping>0.5</damping><spring_stiffness>20</spring_stiffness>
    <spring_reference>0.1</spring_reference></dynamics></axis></joint>
  <joint name="cross" type="universal"><parent>elbow</parent><child>fork</child><pose relative_to="elbow"/>
    <axis><xyz>0 0.6 0.8</xyz></axis><axis2><xyz>0 -0.8 0.6</xyz></axis2></joint>
  <joint name="wrist" type="continuous"><parent>fork</parent><child>tip</child>
    <axis><xyz>0 0 1</xyz></axis></joint>
</model></world></sdf>"""


def written(tmp_path, text):
    path = tmp_path / "model.sdf"
    path.write_text(text)
    return kf.System.from_sdf(path)


def test_poses_axes_and_masses_are_those_of_drake(tmp_path):
    """Mass matrix, accelerations, a place: pydrake 1.51.1, MultibodyPlant of this text, gravity set there by hand."""
    s = written(tmp_path, ARM)
    dynamics = s.dynamics()
    q, u = np.array([0.3, -0.2, 0.5, 0.7, -0.4]), np.array([0.5, -0.6, 0.8, -0.7, 0.9])
    assert s.name == "lab"
    assert dynamics.plan.index.coordinates == [
        "base.angle", "plate.slide", "fork.angle1", "fork.angle2", "tip.angle",
    ]  # fmt: skip
    M = [
        [0.27434971272511871, -0.016063927205323243, 0.0011200925493914391, -0.12267817200925882, -0.0014426070603848007],
        [-0.016063927205323243, 1.4, -0.11804872843912467, 0.03478575080955458, -0.009352334913971274],
        [0.0011200925493914391, -0.11804872843912467, 0.066591018093455578, 0.01502473737107614, 0.0021624175003778319],
        [-0.12267817200925882, 0.03478575080955458, 0.01502473737107614, 0.10426404392796598, 0.00118833092558625],
        [-0.0014426070603848007, -0.009352334913971274, 0.0021624175003778319, 0.00118833092558625, 0.002],
    ]
    assert dynamics.mass_matrix(q) == pytest.approx(np.array(M), abs=1e-14)
    rates = [8.821332973666824, 2.6966794534958223, -12.92010858419367, -0.587684928054375, 31.12903968984401]
    assert dynamics.udot(q, u) == pytest.approx(rates, abs=1e-10)
    state = s.state()
    state.q[:] = q
    tip = [0.6622978387284074, 0.8192229989966996, 0.39523484914420864]
    assert s.channels(state, "tip.position")["tip.position"] == pytest.approx(tip, abs=1e-14)


def test_free_links_and_several_models(tmp_path):
    """A link without a joint falls with the format's gravity; what is static stays; names begin with those of the models."""
    with pytest.warns(UserWarning, match="collisions are not taken over"):
        s = written(
            tmp_path,
            """<sdf version="1.7"><model name="ball"><pose>1 2 3 0 0 0</pose>
            <link name="b"><pose>0 0 1 0 0 0.5</pose><collision name="c"/></link></model>
            <model name="wall"><static>1</static><link name="w"/></model></sdf>""",
        )
    run = s.simulate(0.5)
    assert run["ball-b.position"][-1] == pytest.approx([1, 2, 4 - 9.8 / 8], abs=1e-9)
    assert run["wall-w.position"][-1] == pytest.approx([0, 0, 0])


LINKS = '<link name="a"/><link name="b"/>'


@pytest.mark.parametrize(
    ("inside", "problem"),
    [
        ("", "no bodies|no link"),
        (LINKS + "<include/>", "<include> has no counterpart here"),
        (LINKS + '<link name="a"/>', 'two links "a"'),
        (
            LINKS + '<joint name="j" type="screw"><parent>a</parent><child>b</child></joint>',
            'type "screw" have no counterpart',
        ),
        (LINKS + '<joint name="j" type="revolute"><parent>a</parent><child>b</child></joint>', "has 0 <axis>: give 1"),
        (LINKS + '<joint name="j" type="fixed"><parent>a</parent><child>c</child></joint>', 'no link, joint or frame "c"'),
        (LINKS + '<joint name="j" type="fixed"><parent>a</parent><child>world</child></joint>', "exchange parent and child"),
        (
            LINKS
            + '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint>'
            + '<joint name="k" type="fixed"><parent>world</parent><child>b</child></joint>',
            'child of joint "j" already',
        ),
        (
            LINKS
            + '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint>'
            + '<joint name="k" type="fixed"><parent>b</parent><child>a</child></joint>',
            "hang on one another in a ring",
        ),
        (
            '<link name="a"><pose relative_to="f"/></link><frame name="f"><pose relative_to="a"/></frame>',
            "relative to itself",
        ),
        ('<link name="a"><pose>1 2 3</pose></link>', '<pose> is "1 2 3": give 6 finite numbers'),
        ('<link name="a"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose></link>', "quaternion of its <pose> is zero"),
        ('<link name="a"><inertial auto="true"/></link>', "write it out"),
        ('<link name="a"><inertial><mass>-1</mass></inertial></link>', 'line 1: link "a": mass'),
        ('<link name="a"><gravity>false</gravity></link>', "<gravity> false has no counterpart"),
    ],
)
def test_what_has_no_counterpart_is_refused_by_name(tmp_path, inside, problem):
    with pytest.raises(kf.ModelError, match=problem):
        written(tmp_path, f'<sdf version="1.9"><model name="m">{inside}</model></sdf>').simulate(0.1)
