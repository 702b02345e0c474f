"""URDF files: what is read, what is refused and how it is said, meshes, mimics, damping and friction."""

import struct
import warnings

import numpy as np
import pytest

from kaneflex import Rigid, System
from kaneflex.model.checks import ModelError
from kaneflex.model.codec import model_from_data, model_to_data
from kaneflex.model.urdf.collada import read_collada
from kaneflex.model.urdf.paths import find_mesh
from kaneflex.model.urdf.robot import read_urdf
from kaneflex.model.urdf.xml import read_xml

MASS = '<inertial><mass value="2"/><inertia ixx="1" iyy="2" izz="2.5"/></inertial>'
ENDS = '<parent link="a"/><child link="b"/>'


def link(name, inside=MASS):
    return f'<link name="{name}">{inside}</link>'


def joint(name, parent, child, inside="", kind="revolute"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def written(path, *parts, name="robot.urdf"):
    file = path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('<?xml version="1.0"?>\n<robot name="bot">\n' + "\n".join(parts) + "\n</robot>\n")
    return file


def pair(path, inside="", kind="revolute", **more):
    """A link on a joint on a root."""
    return System.from_urdf(written(path, link("a"), link("b"), joint("j", "a", "b", inside, kind)), **more)


# -- untrusted XML -------------------------------------------------------------------------------------------------------

LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<robot name="&c;"/>"""
OWN_FILE = '<?xml version="1.0"?>\n\n<!DOCTYPE robot [<!ENTITY x SYSTEM "{secret}">]>\n<robot name="r">&x;</robot>'
OUTSIDE = '<?xml version="1.0"?>\n<!DOCTYPE robot SYSTEM "{secret}">\n<robot name="r"><link name="a"/></robot>'
PARAMETER = '<?xml version="1.0"?>\n<!DOCTYPE robot [<!ENTITY % x SYSTEM "{secret}"> %x;]>\n<robot name="r"/>'


@pytest.mark.parametrize(("text", "line"), [(LAUGHS, 2), (OWN_FILE, 3), (OUTSIDE, 2), (PARAMETER, 2)])
@pytest.mark.parametrize("reader", [read_urdf, read_collada], ids=["urdf", "collada"])
def test_document_types_and_entities_are_refused(tmp_path, text, line, reader):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    file = tmp_path / "bad.urdf"
    file.write_text(text.replace("{secret}", secret.as_uri()))
    with pytest.raises(ModelError, match=rf"bad\.urdf, line {line}: .*DOCTYPE") as caught:
        reader(file)
    assert "the secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<robot>&nothing;</robot>", "line 1: .*undefined entity"),
        (b"<robot>\n<link></robot>", "line 2: .*mismatched tag"),
        (b"", "no element found"),
        (b"\x00\x01\x02", "not well-formed"),
        (b'<?xml version="1.0" encoding="klingon"?><robot/>', "klingon|encoding"),
    ],
)
def test_what_is_no_xml(tmp_path, data, words):
    (tmp_path / "x.urdf").write_bytes(data)
    with pytest.raises(ModelError, match=words):
        read_xml(tmp_path / "x.urdf")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ModelError, match=r"none\.urdf cannot be read: No such file"):
        System.from_urdf(tmp_path / "none.urdf")


def test_escaped_text_and_unused_xacro_namespace_are_fine(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text(f'<robot name="r&amp;d" xmlns:xacro="http://www.ros.org/wiki/xacro">{link("a")}</robot>')
    assert System.from_urdf(file, floating=True).name == "r&d"


@pytest.mark.parametrize("inside", ["<xacro:property name='x' value='1'/>", '<link name="${side}_arm"/>'])
def test_xacro_is_named(tmp_path, inside):
    file = tmp_path / "r.urdf"
    file.write_text(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{inside}</robot>')
    with pytest.raises(ModelError, match="run xacro first"):
        System.from_urdf(file)


# -- refusals ------------------------------------------------------------------------------------------------------------

J = '<joint name="j" type="{}">{}</joint>'
BAD = {
    "no link": ([], "the robot has no link"),
    "twice the link": ([link("a"), link("a")], 'line 4: there is a link "a" already'),
    "twice the joint": (
        [link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("j", "b", "c")],
        'a joint "j" already',
    ),
    "unknown link": ([link("a"), joint("j", "a", "ghost")], 'joint "j": its child "ghost" is not a link'),
    "no child": ([link("a"), J.format("fixed", '<parent link="a"/>')], 'joint "j" has no child'),
    "two parents": (
        [link("a"), link("b"), link("c"), joint("j", "a", "c"), joint("k", "b", "c")],
        'link "c" has two parents, by joints "j" and "k"',
    ),
    "two roots": ([link("a"), link("b")], 'links "a", "b" have no parent'),
    "no root": ([link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")], "no link is the root"),
    "loop": (
        [link("a"), link("b"), link("c"), joint("j", "b", "c"), joint("k", "c", "b")],
        'joints "j", "k" go round in a loop that does not reach the root "a"',
    ),
    "unknown type": ([link("a"), link("b"), joint("j", "a", "b", kind="ball")], 'joint "j": its type is "ball"'),
    "zero axis": ([link("a"), link("b"), joint("j", "a", "b", '<axis xyz="0 0 0"/>')], 'joint "j": its axis is zero'),
    "bad number": (
        [link("a"), link("b"), joint("j", "a", "b", '<origin xyz="1 2 nan"/>')],
        'line 5: joint "j": xyz of <origin> is "1 2 nan": give 3 finite numbers',
    ),
    "negative mass": (
        [link("a", '<inertial><mass value="-1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>')],
        'link "a": its mass is -1',
    ),
    "infinite mass": (
        [link("a", '<inertial><mass value="inf"/><inertia ixx="1" iyy="1" izz="1"/></inertial>')],
        'link "a": value of <mass> is "inf"',
    ),
    "no inertia": ([link("a", '<inertial><mass value="1"/></inertial>')], 'link "a": its <inertial> has no <inertia>'),
    "negative damping": (
        [link("a"), link("b"), joint("j", "a", "b", '<dynamics damping="-1"/>')],
        'joint "j": damping -1',
    ),
    "limits": (
        [link("a"), link("b"), joint("j", "a", "b", '<limit lower="1" upper="0" effort="1" velocity="1"/>')],
        'joint "j": its limits are 1 and 0',
    ),
    "mimics nothing": (
        [link("a"), link("b"), joint("j", "a", "b", '<mimic joint="ghost"/>')],
        'joint "j" mimics "ghost", which is not a joint',
    ),
    "mimics itself": ([link("a"), link("b"), joint("j", "a", "b", '<mimic joint="j"/>')], '"j" mimics itself'),
    "mimics a plane": (
        [link("a"), link("b"), link("c"), joint("j", "a", "b", kind="planar"), joint("k", "b", "c", '<mimic joint="j"/>')],
        '"j" is planar, with several coordinates',
    ),
    "box": (
        [link("a", '<visual><geometry><box size="1 0 1"/></geometry></visual>')],
        'link "a": <box> has the size',
    ),
    "same name": ([link("a.1"), link("a_1"), joint("j", "a.1", "a_1")], 'would both be named "a_1"'),
    "massless": (
        [link("a"), link("b", ""), joint("j", "a", "b")],
        r'body "b" has no mass and nothing with mass hangs on it.*<inertial>.*locked=\["joint"\]',
    ),
    "particle": (
        [
            link("a"),
            link("b", '<inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="0"/></inertial>'),
            joint("j", "a", "b"),
        ],
        'nothing resists "b.angle"',
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_refusals_name_the_culprit(tmp_path, case):
    parts, words = BAD[case]
    with pytest.raises(ModelError, match=words) as caught:
        System.from_urdf(written(tmp_path, *parts))
    assert "robot.urdf" in str(caught.value)


def test_another_format_is_named(tmp_path):
    (tmp_path / "x.sdf").write_text("<sdf/>")
    with pytest.raises(ModelError, match="this is a <sdf>"):
        System.from_urdf(tmp_path / "x.sdf")


# -- what becomes of it --------------------------------------------------------------------------------------------------


def test_rotated_inertia_and_a_turned_origin(tmp_path):
    inertial = (
        '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 -0.5 0.6"/><mass value="2"/>'
        '<inertia ixx="1.0" iyy="1.2" izz="1.4" ixy="0.1" ixz="-0.05" iyz="0.02"/></inertial>'
    )
    body = System.from_urdf(written(tmp_path, link("a", inertial)), floating=True).parts["a"].body
    c, s = np.cos([0.4, -0.5, 0.6]), np.sin([0.4, -0.5, 0.6])
    R = (
        np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
        @ np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
        @ np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    )
    wanted = R @ np.array([[1.0, 0.1, -0.05], [0.1, 1.2, 0.02], [-0.05, 0.02, 1.4]]) @ R.T
    assert body.mass == 2 and body.com == (0.1, 0.2, 0.3)
    np.testing.assert_allclose(body.inertia, wanted, atol=1e-15)


def test_axis_is_normalised_and_x_by_default(tmp_path):
    assert pair(tmp_path).parts["b"].joint.axis == (1, 0, 0)
    np.testing.assert_allclose(pair(tmp_path, '<axis xyz="0 3 4"/>').parts["b"].joint.axis, (0, 0.6, 0.8))


def test_limits_are_data(tmp_path):
    system = pair(tmp_path, '<limit lower="-1" upper="2" effort="30" velocity="4"/>')
    limit = system.urdf.joints["j"].limit
    assert (limit.lower, limit.upper, limit.effort, limit.velocity) == (-1, 2, 30, 4)
    assert pair(tmp_path, '<limit effort="3" velocity="4"/>', "continuous").urdf.joints["j"].limit.upper is None
    assert system.urdf.initial({"j": 0.3}) == {"b.q": 0.3} and system.urdf.body("j") == "b"
    with pytest.raises(ModelError, match='joint "elbow" is not known'):
        system.urdf.initial({"elbow": 1.0})


def test_damping_acts(tmp_path):
    system = pair(tmp_path, '<dynamics damping="0.5"/>', gravity=(0, 0, 0))
    run = system.simulate(2.0, initial={"b.rate": 1.0}, rtol=1e-10)
    assert run["b.rate"][-1] == pytest.approx(np.exp(-0.5 / 1.0 * 2.0), rel=1e-7)


def test_friction_is_left_out_loudly_or_acts(tmp_path):
    rubbing = '<dynamics friction="0.2"/>'
    with pytest.warns(UserWarning, match='Coulomb friction of "j" is left out: give friction_rate'):
        assert not pair(tmp_path, rubbing).loads
    run = pair(tmp_path, rubbing, friction_rate=1e-3, gravity=(0, 0, 0)).simulate(1.0, initial={"b.rate": 1.0})
    assert run["b.rate"][-1] == pytest.approx(1 - 0.2, abs=1e-5)  # inertia 1 about x
    with pytest.raises(ModelError, match="friction_rate is 0"):
        pair(tmp_path, rubbing, friction_rate=0.0)
    with pytest.raises(ModelError, match='"j" is planar and has Coulomb friction'):
        pair(tmp_path, rubbing, "planar", friction_rate=0.1)


def test_mimics_hold_through_a_chain(tmp_path):
    system = System.from_urdf(
        written(
            tmp_path,
            *map(link, "abcd"),
            joint("j", "a", "b", '<axis xyz="0 0 1"/>'),
            joint("k", "a", "c", '<axis xyz="0 1 0"/><mimic joint="j" multiplier="-2" offset="0.5"/>'),
            joint("l", "a", "d", '<mimic joint="k" multiplier="3"/>', "prismatic"),
        )
    )
    assert system.state()["c.q"] == 0.5 and system.state()["d.q"] == 1.5
    initial = system.urdf.initial({"j": 0.1})
    assert initial == pytest.approx({"b.q": 0.1, "c.q": 0.3, "d.q": 0.9})
    run = system.simulate(0.5, initial=initial | {"b.rate": 1.0, "c.rate": -2.0, "d.rate": -6.0})
    np.testing.assert_allclose(run["c.q"], -2 * run["b.q"] + 0.5, atol=1e-9)
    np.testing.assert_allclose(run["d.q"], 3 * run["c.q"], atol=1e-9)
    assert abs(run["b.q"][-1] - 0.1) > 0.1


def test_a_mimic_of_a_joint_at_rest_holds_its_offset(tmp_path):
    parts = [*map(link, "abc"), joint("j", "a", "b"), joint("k", "a", "c", '<mimic joint="j" offset="0.5"/>')]
    system = System.from_urdf(written(tmp_path, *parts), locked=["j"])
    assert type(system.parts["b"].joint).__name__ == "Fixed"
    assert system.simulate(0.1)["c.q"] == pytest.approx(0.5)


def test_bodies_and_locks_mend_a_massless_link(tmp_path):
    file = written(tmp_path, link("a"), link("b", ""), joint("j", "a", "b", '<axis xyz="0 0 1"/>'))
    assert System.from_urdf(file, locked=["j"]).parts["b"].body.mass == 0
    system = System.from_urdf(file, bodies={"b": Rigid(1.0, inertia=(1, 1, 1))})
    assert system.dynamics().mass_matrix(np.zeros(1)) == pytest.approx(1.0)
    with pytest.raises(ModelError, match='"ghost" is not known'):
        System.from_urdf(file, locked=["ghost"])
    with pytest.raises(ModelError, match='"ghost" is not known'):
        System.from_urdf(file, bodies={"ghost": Rigid(1.0)})


def test_an_inertia_that_cannot_be_is_kept_with_a_warning(tmp_path):
    odd = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="5"/></inertial>'
    file = written(tmp_path, link("a", odd))
    with pytest.warns(UserWarning, match='no distribution of mass has the inertia of "a"'):
        system = System.from_urdf(file, floating=True)
    again = model_from_data(model_to_data(system), {}, System)
    np.testing.assert_allclose(again.parts["a"].body.inertia, np.diag([1, 1, 5]))


def test_dots_and_spaces_in_names(tmp_path):
    system = System.from_urdf(written(tmp_path, link("a 1"), link("b.2"), joint("j.0", "a 1", "b.2")))
    assert list(system.parts) == ["a_1", "b_2"] and system.urdf.body("j.0") == "b_2"


# -- looks ---------------------------------------------------------------------------------------------------------------

BOX = '<visual><origin xyz="1 2 3"/><geometry>{}</geometry>{}</visual>'


def test_primitive_visuals_and_colours(tmp_path):
    looks = [
        BOX.format('<box size="1 2 3"/>', '<material name="m"/>'),
        BOX.format('<sphere radius="2"/>', '<material name="own"><color rgba="1 0.5 0 0.25"/></material>'),
        BOX.format('<cylinder radius="1" length="4"/>', '<material name="unknown"/>'),
        BOX.format('<capsule radius="1" length="4"/>', ""),
    ]
    green = '<material name="m"><color rgba="0 1 0 1"/></material>'
    system = System.from_urdf(written(tmp_path, green, link("a", MASS + "".join(looks))), floating=True)
    box, sphere, cylinder, *capsule = system.shapes["a"]
    assert box.size == (1, 2, 3) and box.position == (1, 2, 3) and box.color == "#00ff00"
    assert sphere.radius == 2 and sphere.color == "#ff8000" and sphere.opacity == 0.25
    assert cylinder.length == 4 and cylinder.color is None
    assert [s.position[2] for s in capsule] == [3, 1, 5]


def stl(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    corners = [0.0] * 3 + [0, 0, 0, 1, 0, 0, 0, 1, 0]
    path.write_bytes(bytes(80) + struct.pack("<I12fH", 1, *corners, 0))


def mesh(address, scale=""):
    return link("a", MASS + f'<visual><geometry><mesh filename="{address}" {scale}/></geometry></visual>')


def test_meshes_are_found(tmp_path, monkeypatch):
    urdf = written(tmp_path / "arm" / "urdf", link("a"))
    for place in ("arm/meshes/m.stl", "elsewhere/other/m.stl", "given/m.stl", "arm/urdf/near.stl"):
        stl(tmp_path / place)
    assert find_mesh("near.stl", urdf, {}) == urdf.parent / "near.stl"
    assert find_mesh("../meshes/m.stl", urdf, {}).samefile(tmp_path / "arm/meshes/m.stl")
    assert find_mesh("package://arm/meshes/m.stl", urdf, {}).samefile(tmp_path / "arm/meshes/m.stl")
    assert find_mesh("package://other/m.stl", urdf, {}) is None
    assert find_mesh("package://other/m.stl", urdf, {"other": tmp_path / "given"}) == tmp_path / "given/m.stl"
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "elsewhere"))
    assert find_mesh("package://other/m.stl", urdf, {}) == tmp_path / "elsewhere/other/m.stl"
    assert find_mesh((tmp_path / "given/m.stl").as_uri(), urdf, {}) == tmp_path / "given/m.stl"
    assert find_mesh("http://example.com/m.stl", urdf, {}) is None


def test_meshes_are_shown_and_missing_ones_named(tmp_path):
    stl(tmp_path / "m.stl")
    system = System.from_urdf(written(tmp_path, mesh("m.stl", 'scale="2 2 -2"')), floating=True)
    [shape] = system.shapes["a"]
    assert np.ptp(shape.vertices, axis=0) == pytest.approx([2, 2, 0])
    a, b, c = shape.vertices[shape.triangles[0]]
    assert np.cross(b - a, c - a)[2] < 0  # mirrored, and still seen from its own outside
    with pytest.warns(UserWarning, match="package://gone/x.stl is not found"):
        assert not System.from_urdf(written(tmp_path, mesh("package://gone/x.stl")), floating=True).shapes
    (tmp_path / "bad.stl").write_text("nothing")
    with pytest.warns(UserWarning, match=r"bad\.stl"):
        System.from_urdf(written(tmp_path, mesh("bad.stl")), floating=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not System.from_urdf(written(tmp_path, mesh("gone.stl")), floating=True, meshes=False).shapes


COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="f" count="15">0 0 0 1 0 0 1 1 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#f" count="5" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#p" offset="1"/>
<vcount>4 3</vcount><p>0 0 1 0 2 0 3 0 0 0 1 0 4 0</p></polylist>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>10 0 0</translate><rotate>0 0 1 90</rotate>
<node><instance_geometry url="{target}"/></node></node></visual_scene></library_visual_scenes></COLLADA>"""


def test_collada_geometry(tmp_path):
    file = tmp_path / "m.dae"
    file.write_text(COLLADA.format(corners="0 1 2", target="#g"))
    vertices, triangles = read_collada(file)
    assert len(triangles) == 2 + 1 + 1
    first = vertices[triangles[0]]
    np.testing.assert_allclose(first, 1e-3 * np.array([[10, 0, 0], [10, 1, 0], [9, 1, 0]]), atol=1e-15)
    system = System.from_urdf(written(tmp_path, mesh("m.dae")), floating=True)
    assert len(system.shapes["a"][0].triangles) == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"corners": "0 1 9"}, "vertices that are not there"),
        ({"corners": "0 1 x"}, "hold numbers"),
        ({"target": "other.dae#g"}, "one file"),
    ],
)
def test_bad_collada(tmp_path, change, words):
    file = tmp_path / "m.dae"
    file.write_text(COLLADA.format(**({"corners": "0 1 2", "target": "#g"} | change)))
    with pytest.raises(ModelError, match=words):
        read_collada(file)
