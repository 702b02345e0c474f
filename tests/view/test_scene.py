"""The scene of a run says what the run says: poses, deformation, loads, curves."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from view.scenes import inflated, rotations

import kaneflex as kf
from kaneflex import structures
from kaneflex.view import scene as scene_module
from kaneflex.view.curves import chosen_channels, without_rounding
from kaneflex.view.samples import Piece, thinned
from kaneflex.view.scene import Numbers, Track, scene_of


def beam(modes: int = 6) -> kf.Flexible:
    return kf.Flexible(structures.Beam(2.0, 1e6, (400.0, 600.0), 1.0, elements=8), modes=modes, damping=0.01)


def craft() -> kf.System:
    """A free bus with an arm, a flexible beam on it, a spring between two places, a force and an input."""
    system = kf.System("craft", gravity=(0, 0, -9.81))
    box = kf.Rigid(10.0, inertia=(3, 2, 1), frames={"corner": (0.5, 0.2, 0)})
    bus = system.add("bus", box, kf.Free(), rates=(0.3, 0.1, 0.5, 1, 0, 0.1))
    arm = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.001, 0.0833, 0.0833), frames={"end": (1.0, 0, 0)})
    system.add("arm", arm, kf.Revolute("z"), bus, at=(0.5, 0, 0), q=0.2, rates=0.5)
    system.add("beam", beam(), kf.Revolute("y"), "arm", at="end", rates=1.0)
    system.apply("spring", kf.SpringDamper("bus.corner", "beam.tip", stiffness=2.0, length=1.0))
    system.apply("wind", kf.Force("beam.tip", lambda t: (0.0, 0.2 * t, 0.1), axes="inertial"))
    system.add_input("thrust", kf.Torque("bus", (0, 0, 2.0)))
    return system


@pytest.fixture(scope="module")
def run() -> kf.Run:
    event = kf.Event(lambda t: t - 0.333, name="third")
    return craft().simulate(0.6, output=0.02, inputs={"thrust": lambda t: 1.0 + t}, events=[event])


@pytest.fixture(scope="module")
def scene(run: kf.Run) -> dict[str, Any]:
    return inflated(scene_of({"craft": run}, "Craft <&> co"))


def body(scene: dict[str, Any], name: str) -> dict[str, Any]:
    return next(b for b in scene["runs"][0]["bodies"] if b["name"] == name)


def test_poses_are_those_of_the_channels(run: kf.Run, scene: dict[str, Any]) -> None:
    assert scene["runs"][0]["t"] == pytest.approx(run.t, abs=0)
    assert [b["name"] for b in scene["runs"][0]["bodies"]] == ["bus", "arm", "beam"]
    assert [b["parent"] for b in scene["runs"][0]["bodies"]] == [-1, 0, 1]
    for name in ("bus", "arm", "beam"):
        pose = body(scene, name)["pose"]
        assert np.abs(pose[:, :3] - run[f"{name}.position"]).max() < 1e-6
        assert np.abs(rotations(pose[:, 3:]) - run[f"{name}.rotation"]).max() < 1e-6


def test_a_skin_is_where_the_nodes_are(run: kf.Run, scene: dict[str, Any]) -> None:
    """The middle of a tube's end is its node, up to second-order displacements; the end stands as the node is turned."""
    b = body(scene, "beam")
    assert np.abs(b["modes"] - run["beam.modes"]).max() < 1e-6
    skin = next(s for s in b["shapes"] if s["type"] == "skin")
    end = np.flatnonzero(np.abs(skin["vertices"][:, 0] - 2.0) < 1e-6)
    assert len(end) == 8
    local = skin["vertices"][end] + np.einsum("nm,mva->nva", b["modes"], skin["modes"][:, end])
    there = np.einsum("nij,nvj->nvi", run["beam.rotation"], local) + run["beam.position"][:, None]
    deflection = np.abs(run["beam.tip.deflection"]).max()
    assert 1e-3 < deflection < 0.1
    assert np.abs(there.mean(axis=1) - run["beam.tip.position"]).max() < deflection**2
    axis = run["beam.tip.rotation"][:, :, 0]  # the section's normal
    tilt = np.abs(np.einsum("nvi,ni->nv", there - there.mean(axis=1)[:, None], axis)).max()
    width = np.linalg.norm(there[0] - there[0].mean(axis=0), axis=1).max()
    slope = np.abs(run["beam.tip.slope"]).max()
    assert tilt < 2 * slope**2 * width < 0.2 * slope * width


def test_frames(run: kf.Run, scene: dict[str, Any]) -> None:
    corner = body(scene, "bus")["frames"][0]
    assert corner["name"] == "corner" and corner["position"] == [0.5, 0.2, 0.0] and corner["shape"] is None
    tip = next(f for f in body(scene, "beam")["frames"] if f["name"] == "tip")
    assert np.abs(run["beam.modes"] @ tip["shape"] - run["beam.tip.deflection"]).max() < 1e-3


def test_arrows(run: kf.Run, scene: dict[str, Any]) -> None:
    arrows = {a["name"]: a for a in scene["runs"][0]["arrows"]}
    thrust = np.einsum("nij,j->ni", run["bus.rotation"], (0, 0, 2.0)) * (1 + run.t)[:, None]
    assert np.abs(arrows["thrust"]["vector"] - thrust).max() < 1e-6 and arrows["thrust"]["unit"] == "N m"
    assert arrows["wind"]["vector"][-1] == pytest.approx((0, 0.12, 0.1), abs=1e-6)
    assert np.abs(arrows["wind"]["at"] - run["beam.tip.position"]).max() < 1e-6
    force = run.loads("arm").force
    assert np.abs(arrows["arm force"]["vector"] - force).max() < 1e-6 * np.abs(force).max()
    hinge = run["bus.position"] + run["bus.rotation"] @ (0.5, 0, 0)
    assert np.abs(arrows["arm force"]["at"] - hinge).max() < 1e-6
    assert "bus force" not in arrows and arrows["thrust"]["shown"] and not arrows["arm force"]["shown"]


def test_lines_events_and_up(run: kf.Run, scene: dict[str, Any]) -> None:
    (spring,) = scene["runs"][0]["lines"]
    ends = np.stack([run["bus.corner.position"], run["beam.tip.position"]], axis=1)
    assert (spring["name"], spring["kind"]) == ("spring", "spring") and np.abs(spring["points"] - ends).max() < 1e-6
    assert scene["runs"][0]["events"] == [{"t": pytest.approx(0.333), "name": "third"}]
    assert scene["up"] == [0, 0, 1] and scene["title"] == "Craft <&> co"
    assert 3.0 < scene["size"] < 5.0


def test_plots_have_the_channels(run: kf.Run, scene: dict[str, Any]) -> None:
    plots = {p["name"]: p for p in scene["plots"]}
    assert {"arm.q", "beam.tip.deflection", "energy.total", "thrust", "bus.omega"} <= set(plots)
    assert [p["name"] for p in scene["plots"] if p["shown"]] == [
        "bus.position", "arm.q", "beam.tip.deflection", "beam.q", "energy.total",
    ]  # fmt: skip
    for name, plot in plots.items():
        if name in ("bus.rate",):
            continue  # in two plots, since its numbers have two units
        values = np.asarray(run[name]).reshape(len(run.t), -1)
        assert len(plot["lines"]) == values.shape[1]
        for line, column in zip(plot["lines"], values.T, strict=True):
            assert np.abs(line["values"] - column).max() <= 1e-6 * max(np.abs(column).max(), 1e-3)
    assert plots["bus.position"]["unit"] == "m" and [x["label"] for x in plots["bus.position"]["lines"]] == ["x", "y", "z"]


def test_numbers_of_different_units_are_plots_of_their_own(run: kf.Run, scene: dict[str, Any]) -> None:
    rates = {p["unit"]: p["lines"] for p in scene["plots"] if p["name"] == "bus.rate"}
    assert set(rates) == {"m/s", "rad/s"}
    values = np.concatenate([[line["values"] for line in lines] for lines in rates.values()])
    assert np.abs(values - run["bus.rate"].T).max() < 1e-6
    assert [line["label"] for line in rates["m/s"]] == ["vx", "vy", "vz"]


def test_a_curve_that_hardly_changes_keeps_its_digits() -> None:
    system = kf.System("clock", gravity=(0, 0, -9.81))
    system.add("rod", kf.Rigid(1.0, com=(0, 0, -1)), kf.Revolute("y"), q=1.0)
    run = system.simulate(1.0, output=0.1)
    plots = {p["name"]: p for p in inflated(scene_of({"clock": run}, "clock"))["plots"]}
    assert plots["energy.total"]["lines"][0]["values"].dtype == np.float64
    assert plots["energy.total"]["lines"][0]["values"] == pytest.approx(run["energy.total"], abs=0)


def test_a_loaded_run_gives_the_same_scene(run: kf.Run, tmp_path: Path) -> None:
    loaded = kf.Run.load(run.save(tmp_path / "run.h5"), {"wind": run.model.loads["wind"].value})
    ours, theirs = inflated(scene_of({"craft": run}, "c")), inflated(scene_of({"craft": loaded}, "c"))
    for name in ("bus", "arm", "beam"):
        a, b = body(ours, name), body(theirs, name)
        assert np.array_equal(a["pose"], b["pose"])
        assert [s["type"] for s in a["shapes"]] == [s["type"] for s in b["shapes"]]
        for s, other in zip(a["shapes"], b["shapes"], strict=True):
            for field in s:
                assert np.array_equal(s[field], other[field]), field
    assert len(ours["plots"]) == len(theirs["plots"])


def test_without_its_functions_a_loaded_run_still_moves(run: kf.Run, tmp_path: Path) -> None:
    loaded = kf.Run.load(run.save(tmp_path / "run.h5"))
    scene = inflated(scene_of({"craft": loaded}, "c"))
    assert np.abs(body(scene, "arm")["pose"][:, :3] - run["arm.position"]).max() < 1e-6
    assert [a["name"] for a in scene["runs"][0]["arrows"]] == ["thrust"]


def test_a_body_that_is_not_there_has_nan() -> None:
    def swing(*names: str) -> kf.Run:
        system = kf.System("swing", gravity=(0, 0, -9.81))
        for name in names:
            system.add(name, kf.Rigid(1.0, com=(0, 0, -1)), kf.Revolute("y"), q=0.3)
        return system.simulate(0.2, output=0.1)

    runs = [swing("first", "second"), swing("second", "third")]
    parts = [Piece(r.plan, r.trajectory.dynamics, r.t, r.trajectory.y, None) for r in runs]
    track = Track("both", None, np.arange(6), Numbers(), parts=parts)
    poses = {name: track.poses[name][1] for name in track.bodies}
    assert list(poses) == ["first", "second", "third"]
    assert np.isnan(poses["first"][3:]).all() and np.isfinite(poses["first"][:3]).all()
    assert np.isnan(poses["third"][:3]).all() and np.isfinite(poses["second"]).all()
    data = inflated(scene_module.Scene({"format": 1, "runs": [track.data()]}, track.numbers))["runs"][0]
    assert np.isnan(data["bodies"][0]["pose"][3:]).all()


def test_a_run_with_legs() -> None:
    system = kf.System("drop", gravity=(0, 0, -9.81))
    system.add("ball", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free(), q=(0, 0, 1.0, 1, 0, 0, 0))
    system.contact("floor", kf.Contact("ball", restitution=0.0, after="stick"))
    run = system.simulate(0.8, output=0.05)
    assert run.segments
    data = inflated(scene_of({"drop": run}, "drop"))["runs"][0]
    assert np.abs(data["bodies"][0]["pose"][:, :3] - run["ball.position"]).max() < 1e-6
    assert [e["name"] for e in data["events"]] == ["floor"]
    push = next(a for a in data["arrows"] if a["name"] == "floor force")
    assert np.all(push["vector"][run.t < 0.44] == 0)
    assert push["vector"][-1] == pytest.approx((0, 0, 9.81), rel=1e-5)


def test_far_from_the_origin_there_is_an_anchor() -> None:
    system = kf.System("orbit")
    system.apply("earth", kf.CentralGravity(3.986004418e14))
    start = {"q": (7e6, 0, 0, 1, 0, 0, 0), "rates": (0, 7546.0, 0, 0, 0, 0.1)}
    system.add("bus", kf.Rigid(100.0, inertia=(30, 20, 10)), kf.Free(), **start)
    system.add("boom", kf.Rigid(1.0, com=(2, 0, 0)), kf.Revolute("z"), "bus", at=(1, 0, 0), rates=0.01)
    run = system.simulate(60.0, output=10.0)
    scene = inflated(scene_of({"orbit": run}, "orbit"))
    anchor = scene["runs"][0]["anchor"]
    assert anchor.dtype == np.float64
    for name in ("bus", "boom"):
        assert np.abs(anchor + body(scene, name)["pose"][:, :3] - run[f"{name}.position"]).max() < 1e-6
    assert 1.0 < scene["size"] < 10.0
    assert scene["up"] == [0, 0, 1]


def test_large_runs_are_thinned_and_the_page_says_so(run: kf.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_module, "BUDGET", 6000)
    found = scene_of({"craft": run}, "craft")
    t = inflated(found)["runs"][0]["t"]
    assert len(t) < len(run.t) and t[0] == run.t[0] and t[-1] == run.t[-1]
    assert found.notes == [f"craft: {len(t)} of {len(run.t)} samples are on this page; the run has all of them."]
    keep = thinned(run, 5)
    beside = np.searchsorted(run.t, 0.333)
    assert {beside - 1, beside} <= set(keep)


def test_modes_that_hardly_move_leave_a_skin_that_is_too_large(run: kf.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_module, "SKIN_BUDGET", 3000)
    found = body(inflated(scene_of({"craft": run}, "craft")), "beam")
    whole = np.abs(run["beam.modes"]).max(axis=0)
    count = found["modes"].shape[1]
    assert 0 < count < 6 and found["shapes"][0]["modes"].shape[0] == count
    assert np.abs(found["modes"]).max() == pytest.approx(whole.max(), rel=1e-6)


def test_errors(run: kf.Run) -> None:
    with pytest.raises(kf.ModelError, match="no run to show"):
        scene_of({}, "nothing")
    with pytest.raises(kf.ModelError, match=r'"segment\.q" is not known'):
        scene_of({"craft": run}, "craft", channels=["segment.q"])


def test_what_is_rounding_is_shown_as_zero(run: kf.Run) -> None:
    values = {
        "arm.position": np.array([[1.0, 1e-13, np.nan], [2.0, -1e-13, 1.0]]),
        "beam.tip.deflection": np.full((2, 1), 1e-10),
    }
    without_rounding([run], [values])
    np.testing.assert_array_equal(values["arm.position"], [[1.0, 0.0, np.nan], [2.0, 0.0, 1.0]])
    np.testing.assert_array_equal(values["beam.tip.deflection"], np.full((2, 1), 1e-10))


def test_a_page_opens_with_channels_that_change() -> None:
    spinner = kf.System("spinner")
    spinner.add("body", kf.Rigid(1.0, inertia=(1, 2, 3)), kf.Free(), rates=(0, 0, 0, 1, 0.1, 0))
    assert chosen_channels(spinner.simulate(1.0, output=0.1)) == ["body.omega", "energy.total"]
    for rate, shown in ((20.0, "hub.rate"), (3.0, "hub.q")):
        driven = kf.System("driven")
        driven.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.spin_up(rate, 2.0)))
        assert chosen_channels(driven.simulate(3.0, output=0.1)) == [shown, "energy.total"]
