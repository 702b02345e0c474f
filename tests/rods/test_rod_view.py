"""A rod on a page: one name, one smooth tube that is where the rod is."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.view.rods import rod_skin
from kaneflex.view.scene import scene_of


@pytest.fixture(scope="module")
def run():
    s = kf.System("whip", gravity=(0, 0, -9.81))
    s.add("hub", kf.Rigid(5.0, inertia=(1, 1, 1)), kf.Revolute("z"), rates=2.0)
    s.add_rod("line", kf.Cable(2.0, 0.5, n=12, points={"mid": 1.0}), parent="hub", at=(0.1, 0, 0))
    s.add("box", kf.Rigid(0.3, inertia=(0.01, 0.01, 0.01)), parent="line", at="tip")
    return s.simulate(0.5, rtol=1e-5, atol=1e-7, output=0.02)


def test_one_body_in_the_scene(run):
    scene = scene_of({"run": run}, "whip")
    bodies = scene.data["runs"][0]["bodies"]
    assert [b["name"] for b in bodies] == ["hub", "line", "box"] and [b["parent"] for b in bodies] == [-1, 0, 1]
    line = bodies[1]
    assert line["modes"]["shape"][0] == len(run.t) and [s["type"] for s in line["shapes"]] == ["skin"]
    assert [f["name"] for f in line["frames"]] == ["root", "mid", "tip"]
    assert "line.tip.position" in [p["name"] for p in scene.data["plots"] if p["shown"]]


def test_the_tube_is_where_the_rod_is(run):
    rod = run.model.rods["line"]
    poses = {name: (run[f"{name}.rotation"], run[f"{name}.position"]) for name in rod.segments}
    skin = rod_skin(rod, poses)
    for point in ("mid", "tip"):
        seen = skin.points[point] + skin.amplitudes @ skin.point_modes[point]
        assert np.abs(seen - run[f"line.{point}.position"]).max() <= 2e-3
    corners = skin.vertices + np.einsum("km,mvx->kvx", skin.amplitudes, skin.modes)
    ends = corners[:, -8:].mean(axis=1)
    assert np.abs(ends - run["line.tip.position"]).max() <= 3e-3


def test_the_report_has_one_row_for_it(run, tmp_path):
    text = run.report(tmp_path / "whip.html").read_text()
    assert "line: Cable" in text and "12 segments" in text and "line_3" not in text


def test_a_rod_in_a_reel_grows_out_of_its_exit():
    """No corner is behind the exit, from where the tube reaches to the tip; nor does its body reach back there."""
    s = kf.System("hoist", gravity=(0, 0, -9.81))
    s.add("sheave", kf.Rigid(1.0, inertia=(0.01, 0.01, 0.01)), kf.Revolute("y"), q=-0.2)
    down = kf.Frame((0, 0, 0), (("y", np.pi / 2),))
    s.add_rod("rope", kf.Cable(12.0, 0.8, n=12, plane="xz"), parent="sheave", at=down)
    s.add_feed("winch", "rope", reel=kf.Reel(), length=kf.profiles.smooth_step(8.0, 3.0, initial=2.0))
    run = s.simulate(3.0, rtol=1e-5, output=0.02)
    rod = run.model.rods["rope"]
    poses = {name: (run[f"{name}.rotation"], run[f"{name}.position"]) for name in rod.segments}
    skin = rod_skin(rod, poses, run["rope_1.slide"])
    centres = (
        (skin.vertices + np.einsum("km,mvx->kvx", skin.amplitudes, skin.modes)).reshape(len(run.t), -1, 8, 3).mean(axis=2)
    )
    drawn = np.linalg.norm(np.diff(centres, axis=1), axis=2).sum(axis=1)
    assert np.abs(drawn - run["winch.length"]).max() < 0.02 * 12.0
    assert np.abs(centres[:, 0]).max() < 2e-3 * 12.0
    root = skin.points["root"] + skin.amplitudes @ skin.point_modes["root"]
    assert np.abs(root).max() < 2e-3 * 12.0
    scene = scene_of({"run": run}, "hoist").data["runs"][0]["bodies"]
    lengths = [np.ptp(shape["points"], axis=0).max() for shape in scene[0]["shapes"] if "points" in shape]
    assert max(lengths, default=0.0) < 1.0
