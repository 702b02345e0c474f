"""The live view: pages are served, bodies stand where the run has them, live systems step, change and end cleanly."""

import builtins
import threading
import urllib.request

import numpy as np
import pytest

from kaneflex import Prismatic, Revolute, Rigid, SpringDamper, System, shapes
from kaneflex.gallery import examples

pytest.importorskip("viser", reason="viser is not installed (pip install 'kaneflex[view]')")

from kaneflex.view.live import Live, Player
from kaneflex.view.stage import Motion


def pendulum():
    system = System("pendulum", gravity=(0, 0, -9.81))
    system.add("arm", Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1)), Revolute("y"), q=0.3)
    system.add("bob", Rigid(1.0, inertia=(0.1, 0.1, 0.1)), Prismatic("x"), "arm", (1, 0, 0), q=0.1)
    system.apply("spring", SpringDamper("arm", "bob", stiffness=100.0, length=1.0))
    system.show(
        "arm",
        shapes.Box((1, 0.1, 0.1)),
        shapes.Sphere(0.1),
        shapes.Ellipsoid((0.1, 0.2, 0.3)),
        shapes.Cylinder(0.1, 0.5, color="red", opacity=0.5),
        shapes.Cone(0.1, 0.5, position=(0, 0, 1)),
        shapes.Tube([[0, 0, 0], [1, 0, 0], [1, 1, 0]], 0.02),
        shapes.Line([[0, 0, 0], [1, 0, 0]]),
        shapes.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]),
    )
    return system


@pytest.fixture
def show():
    """Makes players and live systems on free ports, and closes them."""
    made = []

    def make(kind, *arguments):
        made.append(kind(*arguments, host="127.0.0.1", port=0))
        return made[-1]

    yield make
    for page in made:
        page.close()


def rotation(e):
    w, v = e[0], np.array(e[1:])
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def test_a_run_is_served_and_bodies_stand_where_it_has_them(show):
    run = pendulum().simulate(1.0, output=0.1)
    player = show(Player, run)
    with urllib.request.urlopen(player.address, timeout=10) as answer:
        assert answer.status == 200 and b"<html" in answer.read().lower()
    for k in (0, 3, len(run.t) - 1):
        player.seek(run.t[k])
        for body in ("arm", "bob"):
            frame = player.stage.frames[body]
            np.testing.assert_allclose(frame.position, run[f"{body}.position"][k], atol=1e-12)
            np.testing.assert_allclose(rotation(frame.wxyz), run[f"{body}.rotation"][k], atol=1e-12)
        ends = player.stage._lines["spring"].points[0]
        np.testing.assert_allclose(ends, [run["arm.position"][k], run["bob.position"][k]], atol=1e-6)


def test_playing_moves_time_and_begins_again(show):
    player = show(Player, pendulum().simulate(1.0, output=0.1))
    player.tick(0.3)
    assert player.t == 0
    player.playing.value, player.speed.value = True, 2.0
    player.tick(0.3)
    assert player.t == player.slider.value == pytest.approx(0.6)
    player.tick(0.3)
    assert player.t == 1.0
    player.tick(0.3)
    assert player.t == 0.0


def test_between_samples_bodies_turn_evenly():
    run = pendulum().simulate(1.0, output=0.1)
    middle = Motion(run).at((run.t[2] + run.t[3]) / 2)
    angle = (run["arm.q"][2] + run["arm.q"][3]) / 2
    np.testing.assert_allclose(middle.poses["arm"][1], [np.cos(angle / 2), 0, np.sin(angle / 2), 0], atol=1e-12)


def test_flexible_bodies_bend_as_much_as_asked(show):
    example = examples()["beam-spin-up"]
    page = show(Live, example)
    page.tick(0.0)
    page.tick(1.0)
    [(body, handle, vertices, modes), *_] = page.stage._skins
    bent = handle.vertices - vertices
    assert np.abs(bent).max() > 0
    np.testing.assert_allclose(bent, np.tensordot(page.stage.now.modes[body], modes, 1), atol=1e-6)
    page.stage.deformation = 3.0
    page.stage.show(page.stage.now)
    np.testing.assert_allclose(handle.vertices - vertices, 3 * bent, atol=1e-6)


def test_a_live_system_moves_as_its_whole_run_does(show):
    example = examples()["double-pendulum"]
    page = show(Live, example)
    page.tick(0.0)
    page.tick(0.05)
    page.tick(0.35)
    assert page.t == pytest.approx(0.4) and not page.error
    whole = example.simulate(example.build(example.parameters), example.parameters)
    k = int(np.argmin(np.abs(whole.t - 0.4)))
    for body, frame in page.stage.frames.items():
        np.testing.assert_allclose(frame.position, whole[f"{body}.position"][k], atol=1e-9)


def test_parameters_change_the_motion_and_impossible_ones_are_said(show):
    page = show(Live, examples()["double-pendulum"])

    def place():
        page.tick(0.0)
        page.tick(0.5)
        return np.concatenate([frame.position for frame in page.stage.frames.values()])

    before = place()
    page.parameters["gravity"].value = 4.0
    page.reset()
    after = place()
    assert np.abs(after - before).max() > 0.01
    page.parameters["mass"].value = 0.0
    page.reset()
    page.tick(0.0)
    assert page.error and page.error in page.message.content
    page.tick(0.5)  # goes nowhere, and harms nothing
    page.parameters["case"].value = "Z"
    page.reset()
    page.tick(0.0)
    assert '"Z"' in page.error
    page.parameters["case"].value, page.parameters["mass"].value = "A", 1.0
    page.reset()
    np.testing.assert_array_equal(place(), after)
    assert not page.error and page.message.content == ""


def test_pause_holds_time(show):
    page = show(Live, examples()["double-pendulum"])
    page.tick(0.0)
    page.running.value = False
    page.tick(0.5)
    assert page.t == 0.0


def test_a_page_runs_by_itself_and_closes(show):
    page = show(Live, examples()["double-pendulum"])
    page.start(block=False)
    moved = threading.Event()
    tick = page.tick

    def watched(seconds):
        tick(seconds)
        if page.t > 0:
            moved.set()

    page.tick = watched
    assert moved.wait(20)
    page.close()
    page.close()
    assert not page._thread.is_alive()
    with pytest.raises(OSError):
        urllib.request.urlopen(page.address, timeout=2)


def test_a_far_system_is_drawn_near_its_anchor(show):
    system = System("far")
    system.add("ship", Rigid(10.0, inertia=(1, 1, 1)), Prismatic("x"), at=(7e6, 0, 0), rates=7e3)
    system.add("boat", Rigid(1.0, inertia=(1, 1, 1)), Revolute("z"), "ship", (1, 0, 0))
    player = show(Player, system.simulate(1.0, output=0.5))
    player.seek(1.0)
    np.testing.assert_allclose(player.stage.frames["boat"].position, [1, 0, 0], atol=1e-8)


def test_without_viser_the_error_says_what_to_install(monkeypatch):
    run = pendulum().simulate(0.1)
    real = builtins.__import__

    def without(name, *arguments):
        if name == "viser":
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r'pip install "kaneflex\[view\]"'):
        run.view()
