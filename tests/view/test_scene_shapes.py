"""Shapes that are given, read from files, stored, and made from a body's data."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from view.scenes import inflated

import kaneflex as kf
from kaneflex import shapes, structures
from kaneflex.model.codec import model_from_data, model_to_data
from kaneflex.model.shapes import Box, Cone, Cylinder, Ellipsoid, Line, Mesh, Shape, Sphere, Tube
from kaneflex.structures.skin import Skin, skin_of_nodes
from kaneflex.view.fittings import fittings
from kaneflex.view.geometry import Drawing, drawing
from kaneflex.view.scene import scene_of

CORNERS = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
ALL = (
    Box((1, 2, 3), color="red", opacity=0.5),
    Sphere(0.4, position=(1, 0, 0)),
    Ellipsoid((1, 2, 3)),
    Cylinder(0.1, 2.0, rotation=("x", np.pi / 2)),
    Cone(0.1, 0.3),
    Tube([(0, 0, 0), (1, 0, 0), (1, 1, 0)], 0.05),
    Line([(0, 0, 0), (1, 1, 1)]),
    Mesh(CORNERS, FACES, color="#00FF7f"),
)


def pendulum(*given: Shape) -> kf.System:
    system = kf.System("pendulum", gravity=(0, 0, -9.81))
    system.add("rod", kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 0)), kf.Revolute("y"), q=0.4)
    if given:
        system.show("rod", *given)
    return system


def volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


# -- given --------------------------------------------------------------------------------------------------------------


def test_shapes_do_not_touch_the_motion_and_reach_the_page() -> None:
    plain, shown = pendulum().simulate(0.2, output=0.1), pendulum(*ALL).simulate(0.2, output=0.1)
    assert np.array_equal(plain.q, shown.q)
    found = inflated(scene_of({"p": shown}, "p"))["runs"][0]["bodies"][0]["shapes"]
    assert [s["type"] for s in found] == ["box", "sphere", "ellipsoid", "cylinder", "cone", "tube", "line", "mesh"]
    assert found[0]["size"] == [1, 2, 3] and found[0]["color"] == "#d1495b" and found[0]["opacity"] == 0.5
    assert found[1]["position"] == [1, 0, 0] and "position" not in found[0] and "axes" not in found[0]
    assert found[3]["axes"] == pytest.approx([1, 0, 0, 0, 0, -1, 0, 1, 0], abs=1e-12)
    assert found[5]["points"].shape == (3, 3) and found[5]["radius"] == 0.05
    assert found[7]["triangles"].dtype == np.uint32 and found[7]["color"] == "#00ff7f"


def test_they_are_stored_with_the_model(tmp_path: Path) -> None:
    system = pendulum(*ALL)
    system.show("N", Box((5, 5, 0.1), position=(0, 0, -2)))
    loaded = kf.Run.load(system.simulate(0.1, output=0.1).save(tmp_path / "run.h5")).model
    assert [type(s) for s in loaded.shapes["rod"]] == [type(s) for s in ALL]
    for a, b in zip(loaded.shapes["rod"], ALL, strict=True):
        for name in vars(b):
            assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert loaded.shapes["N"][0].position == (0, 0, -2)


def test_a_model_stored_before_there_were_shapes() -> None:
    data = model_to_data(pendulum())
    del data["shapes"]
    assert model_from_data(data, {}).shapes == {}


def test_the_ground_can_be_shown() -> None:
    system = pendulum()
    system.show("N", Box((5, 5, 0.1)))
    bodies = inflated(scene_of({"p": system.simulate(0.1, output=0.1)}, "p"))["runs"][0]["bodies"]
    assert [b["name"] for b in bodies] == ["rod", "N"]
    assert np.array_equal(bodies[1]["pose"], [[0, 0, 0, 1, 0, 0, 0]] * 2)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Box((1, 0, 1)), "size of a Box, y is 0: it must be positive"),
        (lambda: Box(1.0), "size of a Box"),
        (lambda: Sphere(-1.0), "radius of a Sphere is -1"),
        (lambda: Sphere(1.0, color="pinkish"), "color of a Sphere is 'pinkish'"),
        (lambda: Sphere(1.0, opacity=2), "opacity of a Sphere is 2"),
        (lambda: Sphere(1.0, position=(0, 0)), "position of a Sphere"),
        (lambda: Cylinder(0.1, np.nan), "length of a Cylinder is nan"),
        (lambda: Cone(0.1, 1.0, rotation=np.ones((3, 3))), "rotation of a Cone is not a rotation"),
        (lambda: Tube([(0, 0, 0)], 0.1), "points of a Tube"),
        (lambda: Line([(0, 0, 0), (0, 0, np.inf)]), "points of a Line"),
        (lambda: Mesh(CORNERS, [(0, 1, 4)]), "triangles of a Mesh name vertices that are not there"),
        (lambda: Mesh(CORNERS, [(0, 1)]), "triangles of a Mesh"),
        (lambda: pendulum().show("leg", Sphere(1.0)), 'body to show: "leg" is not known'),
        (lambda: pendulum().show("rod", Sphere(1.0), "ball"), "shape 2 of body \"rod\" is 'ball'"),
    ],
)
def test_errors(make: Any, words: str) -> None:
    with pytest.raises(kf.ModelError) as error:
        make()
    assert words in str(error.value)


# -- files --------------------------------------------------------------------------------------------------------------


def stl(path: Path, binary: bool) -> Path:
    if binary:
        body = b"".join(struct.pack("<12fH", 0, 0, 0, *CORNERS[f].ravel(), 0) for f in FACES)
        path.write_bytes(b"solid but binary".ljust(80) + struct.pack("<I", len(FACES)) + body)
    else:
        rows = ["solid tetrahedron"]
        for f in FACES:
            rows += [" facet normal 0 0 0", "  outer loop", *(f"   vertex {x} {y} {z}" for x, y, z in CORNERS[f])]
            rows += ["  endloop", " endfacet"]
        path.write_text("\n".join([*rows, "endsolid"]))
    return path


@pytest.mark.parametrize("binary", [True, False])
def test_stl(tmp_path: Path, binary: bool) -> None:
    mesh = Mesh.from_file(stl(tmp_path / "part.STL", binary), scale=0.5, color="blue")
    assert mesh.vertices.shape == (4, 3) and mesh.triangles.shape == (4, 3) and mesh.color == "#2563a8"
    assert volume(mesh.vertices, mesh.triangles) == pytest.approx(1 / 48)
    mirrored = Mesh.from_file(tmp_path / "part.STL", scale=(-1, 1, 1))
    assert volume(mirrored.vertices, mirrored.triangles) == pytest.approx(1 / 6)


def test_obj(tmp_path: Path) -> None:
    path = tmp_path / "cube.obj"
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = ["1 2 4 3", "5/1 7/2/3 8//3 6", "-8 -4 -3 -7", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
    path.write_text("# cube\n" + "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {f}\n" for f in faces))
    mesh = Mesh.from_file(path)
    assert mesh.triangles.shape == (12, 3) and volume(mesh.vertices, mesh.triangles) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.dae", b"", "a.dae is no mesh that can be read"),
        ("a.stl", b"solid nothing\nendsolid", "neither a whole binary nor a whole text STL"),
        ("a.stl", b"solid\nvertex 1 2 x\n", "neither a binary nor a text STL"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", "a.obj, line 2"),
        ("a.obj", b"v 0 0 0\n", "has no triangles"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(kf.ModelError) as error:
        Mesh.from_file(tmp_path / name)
    assert words in str(error.value)
    with pytest.raises(kf.ModelError, match="cannot be read"):
        Mesh.from_file(tmp_path / "missing.stl")


# -- made from data -----------------------------------------------------------------------------------------------------


def drawn(system: kf.System) -> Drawing:
    run = system.simulate(0.01, output=0.01)
    return drawing(system, {name: (run[f"{name}.rotation"][0], run[f"{name}.position"][0]) for name in system.parts})


def alone(*arguments: Any, **more: Any) -> tuple[Drawing, tuple[Any, ...]]:
    system = kf.System("one")
    system.add("body", kf.Rigid(*arguments, **more), kf.Free())
    found = drawn(system)
    return found, tuple(found.shapes["body"])


def test_a_box_of_its_inertia() -> None:
    a, b, c = 1.0, 0.6, 0.4
    J = 2.0 / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    found, (box,) = alone(2.0, com=(0.1, 0, 0), inertia=J)
    assert isinstance(box, Box) and sorted(box.size) == pytest.approx([c, b, a])
    lengths = np.abs(box.R) @ box.size
    assert lengths == pytest.approx([a, b, c]) and box.position == pytest.approx((0.1, 0, 0))
    assert np.linalg.det(box.R) == pytest.approx(1) and found.size >= 0.39


def test_a_rod_a_disk_and_a_drum() -> None:
    system = pendulum()
    rod = drawn(system).shapes["rod"][0]
    assert isinstance(rod, Cylinder) and rod.length == pytest.approx(1.0) and np.abs(rod.R[:, 2]) == pytest.approx((0, 0, 1))
    _, (disk,) = alone(1.0, inertia=(0.25, 0.5, 0.25))
    assert isinstance(disk, Cylinder) and disk.radius == pytest.approx(1.0)
    assert np.abs(disk.R[:, 2]) == pytest.approx((0, 1, 0))
    r, h = 0.5, 2.0
    _, (drum,) = alone(1.0, inertia=((3 * r * r + h * h) / 12, (3 * r * r + h * h) / 12, r * r / 2))
    assert isinstance(drum, Cylinder) and (drum.radius, drum.length) == pytest.approx((r, h))


def test_point_masses_hang_on_rods() -> None:
    system = kf.System("double", gravity=(0, 0, -9.81))
    system.add("a", kf.Rigid(1.0, com=(0, 0, -1)), kf.Revolute("y"))
    system.add("b", kf.Rigid(8.0, com=(0, 0, -1)), kf.Revolute("y"), "a", at=(0, 0, -1))
    found = drawn(system)
    ball, rod, pin = found.shapes["a"]
    assert isinstance(ball, Sphere) and isinstance(rod, Tube) and isinstance(pin, Cylinder)
    assert rod.points == pytest.approx(np.array([(0, 0, 0), (0, 0, -1)])) and found.size == pytest.approx(2.0)
    assert found.shapes["b"][0].radius == pytest.approx(2 * ball.radius)
    assert np.abs(pin.R[:, 2]) == pytest.approx((0, 1, 0))


def test_what_hangs_below_its_joint_is_held() -> None:
    """A load on a line: its box does not reach the hook's joint, so that a rod does."""
    system = kf.System("crane", gravity=(0, 0, -9.81))
    system.add("trolley", kf.Rigid(mass=200.0), kf.Prismatic("x"))
    load = kf.Rigid(mass=50.0, com=(0, 0, -4.0), inertia=(8.0, 8.0, 2.0), frames={"hook": (0, 0, -4.0)})
    system.add("load", load, kf.Universal(("x", "y")), parent="trolley")
    shapes = drawn(system).shapes["load"]
    (rod,) = (s for s in shapes if isinstance(s, Tube))
    np.testing.assert_allclose(rod.points, [[0, 0, 0], [0, 0, -4.0]], atol=1e-12)
    (drum,) = (s for s in shapes if isinstance(s, Cylinder) and s.color is None)
    assert drum.length < 4.0 and drum.position[2] == -4.0


def test_a_slide_that_goes_far_is_a_line_and_no_rail() -> None:
    """A tether that is let out by an ideal slide reaches from its exit to what hangs on it, over the whole run."""
    system = kf.System("tethered")
    system.add("craft", kf.Rigid(100.0, inertia=(10, 10, 10)), kf.Free())
    system.add("end", kf.PointMass(1.0), kf.Prismatic("x"), parent="craft", at=(0.5, 0, 0), q=1.0, rates=100.0)
    run = system.simulate(10.0, output=1.0)
    (line,) = inflated(scene_of({"run": run}, "x"))["runs"][0]["lines"]
    assert line["name"] == "end" and line["kind"] == "rope"
    lengths = np.linalg.norm(line["points"][:, 1] - line["points"][:, 0], axis=1)
    np.testing.assert_allclose(lengths, 1.0 + 100.0 * run.t, rtol=1e-6)


def test_a_membrane_lets_its_booms_be_seen() -> None:
    frame = structures.Framework()
    frame.node("root", (0, 0, 0))
    frame.node("x", (1, 0, 0))
    frame.node("y", (0, 1, 0))
    section = structures.Section(EA=1e5, EI=10.0, mass_per_length=0.1, GJ=5.0)
    one, other = (frame.beam("root", end, section, elements=4) for end in ("x", "y"))
    frame.membrane(one[::4], other[::4])
    system = kf.System("sail")
    system.add("sail", kf.Flexible(frame.build(), root="root", modes=2))
    solid, sheet = inflated(scene_of({"run": system.simulate(0.1, output=0.1)}, "x"))["runs"][0]["bodies"][0]["shapes"]
    assert "opacity" not in solid and 0.6 < sheet["opacity"] < 0.9  # and it has a shadow
    corners = sheet["vertices"][sheet["triangles"]]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum() / 2
    assert area == pytest.approx(0.5) and sheet["modes"].shape == (2, 3, 3)
    assert np.abs(sheet["modes"]).max() == pytest.approx(np.abs(solid["modes"]).max(), rel=0.1)


def test_an_inertia_of_any_size_hides_nothing() -> None:
    system = kf.System("hub")
    system.add("hub", kf.Rigid(1.0, inertia=(1e6, 1e6, 1e6)), kf.Revolute("z"))
    system.add("arm", kf.Rigid(1.0, com=(2, 0, 0), inertia=(0.0, 1.3, 1.3)), kf.Revolute("z"), "hub")
    found = drawn(system)
    box = found.shapes["hub"][0]
    assert isinstance(box, Box) and max(box.size) <= 0.2 * found.size
    assert 1.9 < found.size < 4.1


def test_massless_bodies_are_small_and_their_links_seen() -> None:
    system = kf.System("gimbal")
    system.add("ring", kf.Rigid(0.0), kf.Revolute("x"))
    system.add("wheel", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("y"), "ring", at=(0, 3.0, 0))
    ring = drawn(system).shapes["ring"]
    assert [type(s) for s in ring] == [Tube, Cylinder]


def test_what_rolls_is_an_ellipsoid_or_a_disk() -> None:
    for radii, kind in (((0.3, 0.2, 0.1), Ellipsoid), ((0.3, 0.3, 0.0), Cylinder)):
        system = kf.System("roller", gravity=(0, 0, -9.81))
        system.add("stone", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free(), q=(0, 0, 0.1 + 0.2 * (radii[2] == 0), 1, 0, 0, 0))
        system.constrain("roll", kf.Rolling("stone", radii=radii))
        found = drawing(system, {"stone": (np.eye(3), np.zeros(3))})
        assert isinstance(found.shapes["stone"][0], kind)
        assert found.size >= 2 * max(radii)


def test_planes_on_bodies_are_seen() -> None:
    system = kf.System("table", gravity=(0, 0, -9.81))
    top = kf.Rigid(1.0, inertia=(1, 1, 1), frames={"top": kf.Frame((0, 0, 0.5), ("x", 0.2))})
    system.add("table", top, kf.Prismatic("x"))
    system.add("ball", kf.Rigid(1.0), kf.Translational(), q=(0, 0, 2.0))
    system.contact("drop", kf.Contact("ball", on="table.top"))
    (plate,) = fittings(system, {}, 1.0)["table"]
    assert isinstance(plate, Box) and plate.opacity < 1 and plate.position == (0, 0, 0.5)
    assert plate.R[:, 2] == pytest.approx((0, -np.sin(0.2), np.cos(0.2)))


# -- skins --------------------------------------------------------------------------------------------------------------


def test_a_solid_shows_its_outer_faces() -> None:
    body = kf.Flexible(structures.Solid(1.0, 0.2, 0.3, 7e10, 0.3, 2700.0, (4, 1, 1)), modes=2)
    vertices, triangles, modes = body.skin.surface
    assert volume(vertices, triangles) == pytest.approx(0.06)
    assert np.abs(modes[:, vertices[:, 0] < 1e-9]).max() == 0
    tip, end = body.modal.nodes["tip"], vertices[:, 0] > 1 - 1e-9
    rigid = tip.Phi.T[:, None] + np.cross(tip.Psi.T[:, None], vertices[end] - tip.position)  # the face follows the node
    assert modes[:, end] == pytest.approx(rigid, abs=1e-12)


@pytest.mark.parametrize(
    ("structure", "extent", "inside"),
    [
        (structures.Beam(2.0, 1e6, 100.0, 1.0), 2.0, True),
        (structures.Plate(2.0, 1.0, 0.01, 7e10, 0.3, 2700.0), 2.0, False),
        (
            structures.Reflector(
                4.0, 2.0, *(structures.Section.tube(r, 0.005, 7e10, 0.3, 2700.0) for r in (0.03, 0.02)), ribs=6
            ),
            4.0,
            True,
        ),
    ],
)
def test_skins_of_structures(structure: structures.Structure, extent: float, inside: bool) -> None:
    body = kf.Flexible(structure, modes=4)
    vertices, triangles, modes = body.skin.surface
    assert np.ptp(vertices, axis=0).max() == pytest.approx(extent, rel=0.06)
    assert modes.shape == (4, len(vertices), 3) and triangles.max() < len(vertices) and np.isfinite(modes).all()
    assert set(triangles.ravel()) == set(range(len(vertices)))
    if inside:
        assert volume(vertices, triangles) > 0  # tubes are closed and face outward
    named = {name: node for name, node in body.modal.nodes.items() if name != "root"}
    points, shapes = body.skin.points, body.skin.shapes
    for node in named.values():
        k = int(np.linalg.norm(points - node.position, axis=1).argmin())
        assert np.abs(shapes[k, :3] - node.Phi).max() < 1e-12 and np.abs(shapes[k, 3:] - node.Psi).max() < 1e-12


def test_matrices_alone_show_lines_between_the_nodes_that_they_couple() -> None:
    beam = structures.Beam(1.0, 1e6, 100.0, 1.0, elements=4)
    bare = structures.Structure.from_matrices(beam.M, beam.K, beam.points, {"root": 0, "tip": 4})
    skin = kf.Flexible(bare, modes=2, stiffening=False).skin
    assert skin.members.tolist() == [[k, k + 1] for k in range(4)] and not len(skin.dots)
    assert volume(*skin.surface[:2]) > 0


def test_a_body_from_a_file_without_a_skin_shows_its_nodes() -> None:
    modal = kf.Flexible(structures.Beam(1.0, 1e6, 100.0, 1.0), modes=2).modal
    assert modal.skin is None  # made when it is asked for, not before
    old = kf.Flexible(modal, None, 2)
    assert len(old.skin.dots) == len(modal.nodes) == len(skin_of_nodes(modal.nodes).points)
    assert isinstance(old.as_stored().structure.skin, Skin)


def test_all_public_shapes_are_documented() -> None:
    for name in shapes.__all__:
        if name != "COLORS":
            assert getattr(shapes, name).__doc__, name
