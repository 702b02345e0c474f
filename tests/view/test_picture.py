"""Pictures and films without a browser: what is seen is where the camera's geometry puts it, and films hold the motion."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import kaneflex as kf
from kaneflex.view.camera import framed, towards
from kaneflex.view.fittings import fittings, wheels_of
from kaneflex.view.geometry import drawing
from kaneflex.view.picture import FINE, Picture
from kaneflex.view.scene import scene_of
from kaneflex.view.solids import coil, solid_of

RED = "#d00000"


def pendulum() -> kf.Run:
    """A red ball that swings in the plane x, z on a rope, about y."""
    system = kf.System("ball", gravity=(0, 0, -9.81))
    system.add("ball", kf.Rigid(1.0, com=(0, 0, -1.0), inertia=(0.01, 0.01, 0.01)), kf.Revolute("y"), q=0.9)
    system.show("ball", kf.shapes.Sphere(0.1, position=(0, 0, -1.0), color=RED))
    system.apply("rope", kf.SpringDamper("ball", (0.0, 0.0, 0.5), stiffness=1.0, slack=True))
    return system.simulate(2.0, output=0.02)


@pytest.fixture(scope="module")
def run() -> kf.Run:
    return pendulum()


def red(image: np.ndarray) -> np.ndarray:
    """Mean place of what is red, across and down; NaN where nothing is."""
    r, g, b = np.moveaxis(image.astype(int), -1, 0)
    rows, columns = np.nonzero((r > 2 * g) & (r > 2 * b) & (r > 60))
    return np.array([columns.mean() + 0.5, rows.mean() + 0.5]) if len(rows) else np.full(2, np.nan)


def test_a_ball_is_seen_where_the_camera_looks_at_it(run: kf.Run) -> None:
    picture = Picture(scene_of({"ball": run}, "ball"), (240, 180), "front")
    for k in (0, 30, 77):
        image = picture.at(float(run.t[k]))
        assert image.shape == (180, 240, 3)
        q = run["ball.q"][k]
        place = np.array([-np.sin(q), 0.0, -np.cos(q)])
        wanted = picture.camera.seen(place)[:2] / FINE
        assert red(image) == pytest.approx(wanted, abs=1.5), k
    places = [red(picture.at(float(t)))[0] for t in run.t[::10]]
    assert min(places) > 10 and max(places) < 230 and np.ptp(places) > 60  # all of the motion, and not small


def test_what_is_in_front_hides_what_is_behind() -> None:
    """Two balls on a line of sight: the nearer one is seen, from either side."""
    system = kf.System("two")
    for name, y, color in (("near", -1.0, RED), ("far", 1.0, "#2060c0")):
        system.add(name, kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"), at=(0, y, 0))
        system.show(name, kf.shapes.Sphere(0.3, color=color))
    scene = scene_of({"two": system.simulate(0.1)}, "two")
    seen = {view: red(Picture(scene, (120, 90), view).at(0.0)) for view in ("front", "back")}
    assert np.isfinite(seen["front"]).all() and np.isnan(seen["back"]).all()


def test_a_camera_frames_points_to_the_edge() -> None:
    rng = np.random.default_rng(1)
    points, up = rng.uniform(-3, 3, (40, 3)) * (4, 1, 1), np.array([0.0, 0.0, 1.0])
    camera = framed(points, towards("iso", up, np.ptp(points, axis=0)), up, (400, 300), 0.1)
    seen = camera.seen(points)
    assert seen[:, 0].min() > 0 and seen[:, 0].max() < 400 and seen[:, 1].min() > 0 and seen[:, 1].max() < 300
    assert max(np.ptp(seen[:, 0]) / 400, np.ptp(seen[:, 1]) / 300) == pytest.approx(1 / 1.12, abs=0.02)


def test_solids_have_the_volume_of_their_shapes() -> None:
    def volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
        a, b, c = (vertices[triangles[:, k]] for k in range(3))
        return float(np.einsum("na,na->n", a, np.cross(b, c)).sum() / 6)

    shapes = {
        4 * np.pi / 3 * 0.006: {"type": "ellipsoid", "radii": [0.1, 0.2, 0.3]},
        0.024: {"type": "box", "size": [0.2, 0.3, 0.4], "position": [1, 2, 3], "axes": [0, -1, 0, 1, 0, 0, 0, 0, 1]},
        np.pi * 0.04 * 0.5: {"type": "cylinder", "radius": 0.2, "length": 0.5},
        np.pi * 0.04 * 0.5 / 3: {"type": "cone", "radius": 0.2, "length": 0.5},
        np.pi * 0.01 * 2: {"type": "tube", "points": np.array([[0, 0, 0], [0, 0, 1], [0, 0, 2.0]]), "radius": 0.1},
    }
    for wanted, shape in shapes.items():
        solid = solid_of(shape)
        assert abs(volume(solid.vertices, solid.triangles)) == pytest.approx(wanted, rel=0.07)
    vertices, _ = coil(2.0, 0.1)
    assert vertices[:, 2].min() == pytest.approx(0, abs=0.03) and vertices[:, 2].max() == pytest.approx(2, abs=0.03)


# -- films -------------------------------------------------------------------------------------------------------------


def test_a_gif_has_the_motion(run: kf.Run, tmp_path: Path) -> None:
    path = run.animate(tmp_path / "new" / "ball.gif", fps=10, size=(120, 90), view="front")
    with Image.open(path) as film:
        assert film.n_frames == 21 and film.size == (120, 90) and film.info["duration"] == 100
        places = []
        for k in range(0, 21, 4):
            film.seek(k)
            places.append(red(np.array(film.convert("RGB")))[0])
    picture = Picture(scene_of({"ball": run}, "ball"), (120, 90), "front")
    assert places == pytest.approx([red(picture.at(0.1 * k))[0] for k in range(0, 21, 4)], abs=1.5)


def test_a_film_in_mp4_has_all_frames(run: kf.Run, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed (pip install 'kaneflex[film]')")
    path = run.animate(tmp_path / "ball.mp4", fps=10, size=(121, 90), speed=2.0)
    frames, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert frames == 11 and seconds == pytest.approx(1.1, abs=0.11)
    reader = ffmpeg.read_frames(str(path))
    assert next(reader)["size"] == (120, 90)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"path": "film.avi"}, "ends in .mp4 or .gif"),
        ({"size": (8, 8)}, "8 by 8 pixels: give 16 to"),
        ({"speed": 1e-6}, "frames: give a speed of"),
        ({"view": "left"}, "iso"),
        ({"colour": "heat"}, 'cannot be coloured by "heat"'),
        ({"fps": 0}, "fps"),
    ],
)
def test_films_that_cannot_be(run: kf.Run, tmp_path: Path, changes: dict, words: str) -> None:
    given = {"path": "film.gif", "size": (32, 24)} | changes
    with pytest.raises(kf.ModelError, match=words):
        run.animate(tmp_path / given.pop("path"), **given)
    assert list(tmp_path.iterdir()) == []


# -- what is drawn beside bodies ---------------------------------------------------------------------------------------


def moved(run: kf.Run) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    return {name: (run[f"{name}.rotation"], run[f"{name}.position"]) for name in run.model.parts}


def test_rails_reach_as_far_as_something_slides() -> None:
    system = kf.System("slide", gravity=(0, 0, -9.81))
    system.add("base", kf.Rigid(5.0, inertia=(1, 1, 1)), kf.Revolute("z"), rates=0.5)
    system.add("slider", kf.Rigid(1.0, inertia=(0.01,) * 3), kf.Prismatic("y"), "base", (0.5, 0.2, 0), q=0.4)
    system.apply("spring", kf.JointSpring("slider", stiffness=30.0))
    run = system.simulate(3.0, output=0.01)
    (rail,) = fittings(system, moved(run), 2.0)["base"]
    assert rail.points[:, 0] == pytest.approx(0.5) and rail.points[:, 2] == pytest.approx(0)
    assert sorted(rail.points[:, 1]) == pytest.approx([run["slider.q"].min() + 0.08, run["slider.q"].max() + 0.32])
    system.show("base", kf.shapes.Sphere(0.1))
    assert "base" not in fittings(system, moved(run), 2.0)  # what was given shapes shows what is on it


def test_planes_exits_nozzles_wheels_and_coils_are_seen() -> None:
    system = kf.System("all", gravity=(0, 0, -9.81))
    system.add("bus", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Revolute("z"))
    system.add("lid", kf.Rigid(1.0, com=(0.5, 0, 0)), kf.Revolute("y"), "bus", (0.5, 0, 0))
    system.apply("hinge", kf.JointSpring("lid", stiffness=1.0))
    system.add_rotor("wheel", "bus", kf.Rotor("x", 0.1, rate=5.0))
    system.add_part("jet", kf.parts.Thruster(1.0, direction="y"), "bus", at=(0, 1.0, 0))
    system.add("bead", kf.Rigid(0.1), kf.Translational(), q=(2.0, 0, 0))
    system.constrain("ramp", kf.PointOnPlane("bead", kf.Frame((2.0, 0, 0), ("y", 0.5))))
    run = system.simulate(0.1, output=0.05)
    found = fittings(system, moved(run), 1.0)
    (plate,) = found["N"]
    assert plate.R[:, 2] == pytest.approx([np.sin(0.5), 0, np.cos(0.5)]) and plate.position == (2.0, 0.0, 0.0)
    (nozzle,) = found["bus"]
    assert nozzle.R[:, 2] == pytest.approx([0, 1, 0]) and nozzle.position[1] + nozzle.length == pytest.approx(1.0)
    drawn = drawing(system, {name: (R[0], p[0]) for name, (R, p) in moved(run).items()})
    (wheel,) = wheels_of(system, drawn.shapes, drawn.size)
    assert wheel.axes[:, 2] == pytest.approx([1, 0, 0]) and wheel.centre == pytest.approx([0, 0, 0])
    spring = drawn.shapes["lid"][-1]
    assert isinstance(spring, kf.shapes.Tube) and np.ptp(np.hypot(*spring.points[:, :2].T)) < 1e-12


def test_ground_is_the_grid_and_no_plate() -> None:
    system = kf.System("floor", gravity=(0, 0, -9.81))
    system.add("ball", kf.Rigid(1.0), kf.Translational(), q=(0, 0, 2.0))
    system.contact("floor", kf.Contact("ball"))
    run = system.simulate(0.1)
    assert fittings(system, moved(run), 1.0) == {}
    assert scene_of({"floor": run}, "floor").data["levels"] == {"bed": 0.0}


def test_units_of_inputs() -> None:
    system = kf.System("inputs")
    system.add("cart", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Prismatic("x"))
    system.add("arm", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"), "cart")
    system.add("craft", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free())
    loads = {
        "push": (kf.JointForce("cart"), "N"), "motor": (kf.JointForce("arm"), "N m"),
        "jet": (kf.Force("craft", (0, 0.6, 0.8)), "N"),
        "roll": (kf.JointForce("craft", coordinate="wx"), "N m"), "twice": (kf.Torque("craft", (0, 0, 2.0)), ""),
        "told": (kf.JointForce("arm"), "kN m"),
    }  # fmt: skip
    for name, (load, _) in loads.items():
        system.add_input(name, load)
    system.set_unit("told", "kN m")
    run = system.simulate(0.1)
    assert {name: run.unit(name) for name in loads} == {name: unit for name, (_, unit) in loads.items()}
