"""The live view: pages are served to their own reader alone, systems step, change and end cleanly, and the page shows it."""

import http.client
import json
import threading
import time
import urllib.request
from collections.abc import Iterator

import numpy as np
import pytest
from view import browser
from view.looks import CONTRAST, FRAMES, SMALL, UNNAMED
from view.scenes import inflated

from kaneflex import Cable, Free, JointForce, JointSpring, Parameter, Prismatic, Revolute, Rigid, Rotor, System
from kaneflex.gallery import examples
from kaneflex.view.live import PIECES, SAMPLES, Live, Player
from kaneflex.view.stream import Stream, sampled


def arm() -> System:
    """A rod on a hinge with a spring that is a Parameter, and a motor."""
    stiffness = Parameter("stiffness", 40.0, low=10.0, high=90.0, unit="N m/rad")
    system = System("arm", gravity=(0, 0, -9.81))
    system.add("arm", Rigid(2.0, com=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2)), Revolute("y"), q=0.3)
    system.add("bob", Rigid(1.0, inertia=(0.1, 0.1, 0.1)), Prismatic("x"), "arm", (1, 0, 0), q=0.1)
    system.apply("spring", JointSpring("arm", stiffness=stiffness, damping=0.4))
    system.apply("slide", JointSpring("bob", stiffness=100.0))
    system.add_input("motor", JointForce("arm"))
    return system


@pytest.fixture
def show() -> Iterator:
    """Makes players and live systems on free ports, and closes them."""
    made = []

    def make(kind, *arguments, **more):
        made.append(kind(*arguments, **more, host="127.0.0.1", port=0))
        return made[-1]

    yield make
    for page in made:
        page.close()


def told(page, **message) -> int:
    """Tell the page's server something as its script does; the answer's status."""
    request = urllib.request.Request(
        f"{page.address}/told", json.dumps(message).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.status


# -- served ------------------------------------------------------------------------------------------------------------


def test_a_run_is_served_and_shown_at_a_time(show):
    run = arm().simulate(1.0, output=0.1)
    player = show(Player, run)
    with urllib.request.urlopen(player.address, timeout=10) as answer:
        text = answer.read().decode()
    assert answer.status == 200 and "<h1>arm</h1>" in text and "connect-src 'self'" in text
    player.seek(0.5)
    assert inflated(player.scene())["at"] == 0.5
    player.seek(7.0)
    assert player.scene().data["at"] == 1.0


def test_pages_of_others_are_refused(show):
    """A page elsewhere can neither read this one by another name for this machine nor tell it anything."""
    page = show(Live, arm())
    port, body = page.server.port, json.dumps({"do": "pause"})
    plain = {"Content-Type": "application/json"}
    for headers, status in (
        ({"Host": f"evil.example:{port}", **plain}, 403),
        ({"Host": f"127.0.0.1:{port}", "Origin": "http://evil.example", **plain}, 403),
        ({"Host": f"127.0.0.1:{port}", "Content-Type": "text/plain"}, 400),
        ({"Host": f"127.0.0.1:{port}", "Origin": f"http://127.0.0.1:{port}", **plain}, 204),
    ):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/told", body, headers)
        assert connection.getresponse().status == status
        connection.close()
        assert page.running is (status != 204)
    connection.request("GET", "/../etc/passwd")
    assert connection.getresponse().status == 404


def test_a_page_runs_by_itself_and_closes(show):
    page = show(Live, examples()["double-pendulum"])
    page.start(block=False)
    end = time.monotonic() + 20
    while page.t == 0 and time.monotonic() < end:
        time.sleep(0.02)
    assert page.t > 0
    page.close()
    page.close()
    assert not page._thread.is_alive()
    with pytest.raises(OSError):
        urllib.request.urlopen(page.address, timeout=2)


# -- simulated ---------------------------------------------------------------------------------------------------------


def test_a_live_system_moves_as_its_whole_run_does(show):
    example = examples()["double-pendulum"]
    page = show(Live, example)
    page.tick(0.0)
    page.tick(0.05)
    page.tick(0.35)
    assert page.t == pytest.approx(0.4) and not page.error
    whole = example.simulate(example.build(example.parameters), example.parameters)
    k = int(np.argmin(np.abs(whole.t - 0.4)))
    here = int(np.argmin(np.abs(page.run.t - whole.t[k])))
    for body in whole.model.parts:
        np.testing.assert_allclose(page.run[f"{body}.position"][here], whole[f"{body}.position"][k], atol=1e-9)


def test_pieces_are_the_run(show):
    """What is sent for each piece, put together, are the samples of one run; the wheel turns on from piece to piece."""
    system = System("craft")
    system.add("bus", Rigid(5.0, inertia=(1, 1.2, 1.5)), Free(), q=(7e6, 0, 0, 1, 0, 0, 0), rates=(7e3, 0, 0, 0.1, 0.2, 0))
    system.add_rotor("wheel", "bus", Rotor("z", 0.1, rate=3.0))
    run = system.simulate(0.3, output=0.1)
    stream = Stream(run, "craft")
    parts = [stream.scene.numbers.filled(sampled(stream.scene.data))]
    piece = run
    for _ in range(2):
        piece = piece.extend(0.3, output=0.1)
        message = stream.more(piece)
        block = np.frombuffer(__import__("base64").b64decode(message["bytes"]), "<f8")
        parts.append([block[a["at"] // 8 :][: int(np.prod(a["shape"]))].reshape(a["shape"]) for a in message["arrays"]])
    t, anchor, pose, wheel, *_ = (np.concatenate(x) for x in zip(*parts, strict=True))
    whole = system.simulate(0.9, output=0.1)
    np.testing.assert_allclose(t, whole.t, atol=1e-12)
    np.testing.assert_allclose(anchor + pose[:, :3], whole["bus.position"], atol=1e-6)
    turned = 2 * np.arctan2(wheel[:, 6], wheel[:, 3]) - 2 * np.arctan2(pose[:, 6], pose[:, 3])
    assert np.diff(np.unwrap(turned)) == pytest.approx(0.1 * np.mean(whole["wheel.rate"]), abs=0.01)


def test_rods_of_segments_are_drawn_by_these(show):
    system = System("line", gravity=(0, 0, -9.81))
    system.add_rod("line", Cable(2.0, 1.0, n=3, plane="xz"))
    page = show(Live, system, duration=1.0)
    page.tick(0.0)
    page.tick(0.1)
    names = [body["name"] for body in page.scene().data["runs"][0]["bodies"]]
    assert names == list(system.rods["line"].segments) and not page.error and len(page._sent) == 4


def test_parameters_change_the_motion_and_impossible_ones_are_said(show):
    page = show(Live, examples()["double-pendulum"])

    def place():
        page.tick(0.0)
        page.tick(0.5)
        return np.concatenate([page.run[f"{body}.position"][-1] for body in page.run.model.parts])

    before = place()
    told(page, parameter="gravity", value=4.0)
    after = place()
    assert np.abs(after - before).max() > 0.01
    told(page, parameter="mass", value=0.0)
    page.tick(0.0)
    assert page.error and page.error == page.scene().data["live"]["error"]
    page.tick(0.5)  # goes nowhere, and harms nothing
    told(page, parameter="case", value="Z")
    page.tick(0.0)
    assert '"Z"' in page.error
    told(page, parameter="weight", value=1.0)
    assert '"weight"' in page.error
    told(page, parameter="case", value="A")
    told(page, parameter="mass", value=1.0)
    np.testing.assert_array_equal(place(), after)
    assert not page.error


def test_a_users_system_has_its_parameters_units_and_inputs(show):
    page = show(Live, arm(), {"stiffness": 50.0}, duration=4.0)
    page.tick(0.0)
    controls = page.scene().data["live"]
    (stiffness,), (motor,) = controls["parameters"], controls["inputs"]
    assert (stiffness["value"], stiffness["low"], stiffness["high"], stiffness["unit"]) == (50.0, 10.0, 90.0, "N m/rad")
    assert motor["name"] == "motor" and motor["unit"] == "N m" and motor["value"] is None
    page.tick(0.2)
    t = page.run.t[-1]
    told(page, input="motor", value=30.0)
    page.tick(0.3)
    inputs = {"motor": lambda s: 30.0 if s > t else 0.0}
    whole = arm().simulate(page.run.t[-1], parameters={"stiffness": 50.0}, inputs=inputs, max_step=0.01)
    assert page.run["motor"][-1] == 30.0
    assert page.run["arm.q"][-1] == pytest.approx(whole["arm.q"][-1], abs=1e-6)
    told(page, input="motor", value=None)
    page.tick(0.1)
    assert page.run["motor"][-1] == 0.0


def test_pause_step_reset_and_speed(show):
    page = show(Live, arm(), duration=4.0)
    page.tick(0.0)
    assert told(page, do="pause") == 204
    page.tick(0.5)
    assert page.t == 0.0
    told(page, do="step")
    assert page.t == pytest.approx(4.0 / PIECES / SAMPLES) and not page.running
    told(page, do="run")
    told(page, speed=2.0)
    page.tick(0.1)
    assert page.t == pytest.approx(0.2 + 4.0 / PIECES / SAMPLES)
    told(page, do="reset")
    page.tick(0.0)
    assert page.t == 0.0


# -- in a browser ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    if browser.CHROMIUM is None:
        pytest.skip(browser.MISSING)
    with browser.Browser() as running:
        yield running


STAGE = """(() => {
  const r = document.querySelector(".kf-stage").getBoundingClientRect();
  return [[r.width, r.height], [r.x, r.y]];
})()"""


def until(page: browser.Page, what: str) -> None:
    """Wait until a script's expression is true."""
    page.run(f"new Promise((done) => {{ const look = () => ({what}) ? done() : setTimeout(look, 20); look(); }})")


def test_the_page_follows_and_steers_a_simulation(show, chromium):
    live = show(Live, arm(), duration=4.0)
    live.tick(0.0)
    page = chromium.open(None)
    page.allowed = live.address
    page.look(dark=False, moving=True)
    page.visit(live.address)
    page.run("kaneflex.ready.then(() => null)")
    with live.lock:
        for _ in range(8):
            live.tick(0.05)
    told(live, do="pause")
    until(page, f"Math.abs(kaneflex.time() - {live.t}) < 1e-6")
    drawn = page.run("kaneflex.pose(0, 1).position")
    k = np.searchsorted(live.run.t, live.t)
    assert drawn == pytest.approx(list(live.run["bob.position"][min(k, len(live.run.t) - 1)]), abs=0.02)
    words = page.run("document.querySelector('.kf-panel').textContent")
    assert "motor" in words and "N m/rad" in words
    bounds = page.run(
        "(() => { const s = document.querySelector('[aria-label=stiffness] input'); return [s.min, s.max, s.value]; })()"
    )
    assert bounds == ["10", "90", "40"]
    page.run("window.motor = document.querySelector('[aria-label=motor] input')")
    page.run("motor.value = 0.5, motor.dispatchEvent(new Event('input'))")
    end = time.monotonic() + 10
    while live.inputs["motor"].value is None and time.monotonic() < end:
        time.sleep(0.01)
    assert live.inputs["motor"].value == 0.5
    page.run("document.querySelector('button[title^=\"One sample on\"]').click()")
    until(page, f"kaneflex.time() > {live.t} + 1e-9" if live.t < 0.4 else "kaneflex.time() > 0.4")
    page.run("document.querySelector('button[title^=\"Start anew\"]').click()")
    while not live._stale and time.monotonic() < end:
        time.sleep(0.01)
    live.tick(0.0)
    until(page, "kaneflex.time() === 0")
    for width in (1280, 390):
        page.resize(width, 800)
        page.run(FRAMES)
        assert page.run("document.scrollingElement.scrollWidth <= innerWidth") and page.run(CONTRAST) == []
        assert page.run(SMALL) == 0 and page.run(UNNAMED) == 0
    live._say("the mass is zero")
    until(page, "document.querySelector('.kf-error').textContent === 'the mass is zero'")
    assert page.problems == []
    page.close()


def test_the_camera_keeps_up_with_what_moves(show, chromium):
    system = System("two")
    system.add("post", Rigid(1.0, inertia=(0.1, 0.1, 0.1)), Revolute("z"))
    system.add("runner", Rigid(1.0, inertia=(0.1, 0.1, 0.1)), Prismatic("x"), at=(0.5, 0, 0), rates=4.0)
    live = show(Live, system, duration=4.0)
    live.tick(0.0)
    page = chromium.open(None)
    page.allowed = live.address
    page.look(dark=False, moving=True)
    page.visit(live.address)
    page.run("kaneflex.ready.then(() => null)")
    for _ in range(30):
        live.tick(0.05)
    until(page, "kaneflex.time() > 1.4")
    page.run("new Promise((done) => setTimeout(done, 300))")
    box, corner = page.run(STAGE)
    inside = (np.array(page.run("kaneflex.pixel(0, 1)")) - corner) / box
    assert inside.min() > 0 and inside.max() < 1
    assert page.problems == []
    page.close()


def test_a_player_shows_the_time_that_is_asked_for(show, chromium):
    player = show(Player, arm().simulate(1.0, output=0.1))
    page = chromium.open(None)
    page.allowed = player.address
    page.visit(player.address)
    page.run("kaneflex.ready.then(() => null)")
    threading.Timer(0.1, player.seek, [0.7]).start()
    until(page, "kaneflex.time() === 0.7")
    assert page.problems == []
    page.close()
