"""The viewer in a browser, on scenes written by hand: it draws what the numbers say, and says so when it cannot."""

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from view import browser, handmade
from view.looks import CONTRAST, FRAMES, NO_WEBGL, SMALL, UNNAMED

SOURCES = Path(__file__).parents[2] / "viewer"
Opener = Callable[..., browser.Page]


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    if browser.CHROMIUM is None:
        pytest.skip(browser.MISSING)
    with browser.Browser() as running:
        yield running


@pytest.fixture
def show(chromium: browser.Browser, tmp_path: Path) -> Iterator[Opener]:
    """Open a scene; at the end no page may have complained or asked a network for anything."""
    pages = []

    def opener(content=None, data=b"", width=1280, height=800, dark=False) -> browser.Page:
        if content is None:
            content, data = handmade.scene()
        page = chromium.open(handmade.write(tmp_path / f"{len(pages)}.html", content, data), width, height, dark=dark)
        page.run("kaneflex.ready.then(() => null)")
        pages.append(page)
        return page

    yield opener
    problems = [p for page in pages for p in page.problems]
    for page in pages:
        page.close()
    assert problems == []


@pytest.fixture(scope="module")
def shared(chromium, tmp_path_factory) -> Iterator[browser.Page]:
    """One page of the plain scene for tests that leave its controls as they were."""
    page = chromium.open(handmade.write(tmp_path_factory.mktemp("shared") / "page.html", *handmade.scene()))
    page.run("kaneflex.ready.then(() => null)")
    yield page
    problems = page.problems
    page.close()
    assert problems == []


def slerp(a: np.ndarray, b: np.ndarray, f: float) -> np.ndarray:
    """Quaternion between two, along the shorter arc."""
    b = b if a @ b >= 0 else -b
    angle = np.arccos(min(a @ b, 1.0))
    return a if angle < 1e-9 else (np.sin((1 - f) * angle) * a + np.sin(f * angle) * b) / np.sin(angle)


def test_bundle_is_made_from_the_present_sources():
    names = ["build.mjs", "package-lock.json", *(f"src/{p.name}" for p in (SOURCES / "src").iterdir())]
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(f"{name}\n".encode() + (SOURCES / name).read_bytes() + b"\n")
    for asset in ("viewer.js", "viewer.css"):
        first = (handmade.ASSETS / asset).read_text().splitlines()[0]
        assert digest.hexdigest() in first, f"{asset} is older than viewer/: run `make viewer`"


def test_bundle_keeps_the_licence_and_needs_no_eval():
    script = (handmade.ASSETS / "viewer.js").read_text()
    assert re.search(r"three\.js\s+The MIT License\s+Copyright", script[-2000:])
    assert "WITHOUT WARRANTY OF ANY KIND" in script[-2000:]
    assert "eval(" not in script
    assert "new Function" not in script
    assert len(script) < 800_000


@pytest.mark.parametrize("far", [False, True])
def test_bodies_stand_where_the_scene_says(show, shared, far):
    page = show(*handmade.scene(far=True)) if far else shared
    t = np.linspace(0.0, 6.0, 301)
    rows = [pose.astype("f4").astype(float) for pose in handmade.poses(t)]
    for moment in (0.0, 1.0, 1.234, 3.3333, 6.0):
        page.run(f"kaneflex.seek({moment})")
        k = min(int(np.searchsorted(t, moment, side="right")) - 1, 299)
        f = (moment - t[k]) / (t[k + 1] - t[k])
        anchor = np.array([7.0e6 + 7500.0 * moment, -3.0e5, 12.0]) if far else np.zeros(3)
        for body in (0, 1):
            drawn = page.run(f"kaneflex.pose(0, {body})")
            want = (1 - f) * rows[body][k] + f * rows[body][k + 1]
            assert drawn["visible"]
            np.testing.assert_allclose(drawn["position"], want[:3] + anchor, rtol=0, atol=2e-9 if not far else 1e-8)
            turn = slerp(*(q / np.linalg.norm(q) for q in rows[body][k : k + 2, 3:]), f)
            turn = turn * np.sign(turn @ drawn["quaternion"])
            np.testing.assert_allclose(drawn["quaternion"], turn, rtol=0, atol=1e-7)  # single precision


def test_skin_follows_its_mode_and_the_scale(shared):
    page = shared
    for scale in (1.0, 10.0):
        page.run(f"kaneflex.deformation({scale})")
        page.run("kaneflex.seek(2.0)")
        t = np.array([2.0])
        (row,) = handmade.poses(t)[1]
        b, q = handmade.angles(t)[1][0], scale * handmade.angles(t)[2][0]
        tip = row[:3] + np.array([np.cos(b) * q - np.sin(b), handmade.WIDTH, -np.sin(b) * q - np.cos(b)])
        np.testing.assert_allclose(page.run("kaneflex.vertex(0, 1, 0, 41)"), tip, rtol=0, atol=1e-6)
    page.run("kaneflex.deformation(1)")


def test_body_that_is_not_there_is_hidden(shared):
    page = shared
    for moment, there in ((5.0, True), (5.49, True), (5.51, False), (6.0, False)):
        page.run(f"kaneflex.seek({moment})")
        assert page.run("kaneflex.pose(0, 2).visible") is there, moment


def test_every_shape_is_drawn_in_its_place(show):
    content, data = handmade.scene()
    upper = content["runs"][0]["bodies"][0]
    turned = [0, -1, 0, 1, 0, 0, 0, 0, 1]  # x of the shape along y of the body
    upper["shapes"] = [
        {"type": "box", "size": [0.2, 0.3, 0.4], "color": "#884422", "opacity": 0.5},
        {"type": "ellipsoid", "radii": [0.1, 0.2, 0.3]},
        {"type": "cylinder", "radius": 0.1, "length": 0.5, "position": [1, 0, 0]},
        {"type": "cone", "radius": 0.1, "length": 0.5},
        {"type": "tube", "points": [[0, 0, 0], [0, 0, 1], [0, 1, 1]], "radius": 0.05},
        {"type": "line", "points": [[0, 0, 0], [1, 0, 0]], "axes": turned, "position": [0, 0, 2]},
        {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]], "axes": turned},
    ]
    page = show(content, data)
    angle = handmade.angles(np.array([0.0]))[0][0]
    back = np.array([[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]])

    def corners(shape: int, number: int) -> np.ndarray:
        points = page.run(f"Array.from({{ length: {number} }}, (_, k) => kaneflex.vertex(0, 0, {shape}, k))")
        return np.array(points) @ back.T

    extents = {
        0: (24, [-0.1, -0.15, -0.2], [0.1, 0.15, 0.2]),
        1: (693, [-0.1, -0.2, -0.3], [0.1, 0.2, 0.3]),
        2: (70, [0.9, -0.1, -0.25], [1.1, 0.1, 0.25]),
        3: (481, [-0.1, -0.1, 0.0], [0.1, 0.1, 0.5]),
    }
    for shape, (number, low, high) in extents.items():
        found = corners(shape, number)
        np.testing.assert_allclose(found.min(axis=0), low, atol=2e-3)
        np.testing.assert_allclose(found.max(axis=0), high, atol=2e-3)
    rings = corners(4, 36).reshape(3, 12, 3)
    np.testing.assert_allclose(rings.mean(axis=1), [[0, 0, 0], [0, 0, 1], [0, 1, 1]], atol=1e-6)
    np.testing.assert_allclose(corners(5, 2), [[0, 0, 2], [0, 1, 2]], atol=1e-6)
    np.testing.assert_allclose(corners(6, 3), [[0, 0, 0], [0, 1, 0], [-1, 0, 0]], atol=1e-6)


def test_bodies_are_seen_and_named(shared):
    page = shared
    page.run("kaneflex.seek(0), scrollTo(0, 0)")
    page.run("kaneflex.view('front')")
    page.run(FRAMES)
    x, y = page.run("kaneflex.pixel(0, 0)")  # of the upper link's hinge, at the end of its box
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x - 2, y=y + 3)
    assert page.run("document.querySelector('.kf-label.kf-on')?.textContent") == "upper"
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    assert page.run("document.querySelector('.kf-label.kf-on')") is None
    there = page.call("Page.captureScreenshot", format="png")["data"]
    page.run("kaneflex.show(0, false)")
    page.run(FRAMES)
    gone = page.call("Page.captureScreenshot", format="png")["data"]
    page.run("kaneflex.show(0, true)")
    page.run(FRAMES)
    assert gone != there
    assert page.call("Page.captureScreenshot", format="png")["data"] == there


def test_playback_runs_in_real_time_and_rests_when_paused(shared):
    page = shared
    assert page.run("kaneflex.speed()") == 1.0
    page.run("kaneflex.seek(0)")
    before = page.run("kaneflex.pose(0, 1).position")
    page.run("kaneflex.play(), new Promise((done) => setTimeout(done, 400))")
    assert page.run("kaneflex.playing()")
    page.run("kaneflex.pause()")
    assert 0.1 < page.run("kaneflex.time()") < 1.5
    assert page.run("kaneflex.pose(0, 1).position") != before
    page.run(FRAMES)
    drawn = page.run("kaneflex.drawn()")
    time.sleep(0.2)
    assert page.run("kaneflex.drawn()") == drawn


@pytest.mark.parametrize(("duration", "end", "fit"), [(5000.0, "/ 5000 s", "500×"), (0.05, "/ 0.05 s", "0.005×")])
def test_long_and_short_runs_tell_their_time(show, duration, end, fit):
    page = show(*handmade.scene(duration=duration))
    page.run(f"kaneflex.pause(); kaneflex.seek({duration / 4}); {FRAMES}")
    shown = page.run("document.querySelector('.kf-time').textContent")
    assert shown.endswith(end)
    assert float(shown.split(" /")[0]) == pytest.approx(duration / 4, rel=1e-3)
    assert fit in page.run("document.querySelector('option[value=fit]').textContent")


def test_keys(show):
    page = show()
    page.press(" ")
    assert page.run("kaneflex.playing()")
    page.press(" ")
    assert not page.run("kaneflex.playing()")
    page.press("Home")
    assert page.run("kaneflex.time()") == 0.0
    page.press("ArrowRight")
    assert page.run("kaneflex.time()") == pytest.approx(0.02)
    page.press("ArrowRight", shift=True)
    assert page.run("kaneflex.time()") == pytest.approx(0.22)
    page.press("ArrowLeft")
    assert page.run("kaneflex.time()") == pytest.approx(0.20)
    page.press("End")
    assert page.run("kaneflex.time()") == 6.0
    page.press("]")
    assert page.run("kaneflex.speed()") == 2.0
    pressed = "[...document.querySelectorAll('[aria-pressed=true]')].map((e) => e.textContent)"
    assert page.run(pressed) == ["grid", "traces", "loads"]
    for key in "atlgcf123456":
        page.press(key)
    assert page.run(pressed) == ["axes", "colour"]
    assert page.run("document.querySelector('[aria-label=\"Follow a body\"]').selectedOptions[0].textContent") == "upper"
    page.press("?")
    assert page.run("document.querySelector('dialog').open")
    page.press(" ")
    assert not page.run("kaneflex.playing()")


def test_keys_leave_text_fields_alone(show):
    content, data = handmade.scene()
    content["plots"] = [{**content["plots"][0], "name": f"channel {i}", "shown": i == 0} for i in range(20)]
    page = show(content, data)
    page.run("document.querySelector('#kaneflex-plots button').click()")
    page.run("document.querySelector('[type=search]').focus()")
    for key in ("1", "7", " "):
        page.press(key)
    assert page.run("document.querySelector('[type=search]').value") == "17 "
    assert not page.run("kaneflex.playing()")
    assert page.run("[...document.querySelectorAll('#kaneflex-plots .kf-tick')].filter((e) => !e.hidden).length") == 1


def test_plots_show_the_time_and_move_it(shared):
    page = shared
    page.run("kaneflex.seek(2.5)")
    assert page.run("kaneflex.cursor()") == pytest.approx(2.5, abs=1e-4)
    values = [handmade.angles(np.array([2.5]))[c][0] for c in (0, 2)]
    texts = page.run("[...document.querySelectorAll('.kf-key .kf-value')].map((e) => e.textContent)")
    assert [float(s.replace("−", "-")) for s in texts] == pytest.approx(values, rel=1e-4)
    assert page.run("[kaneflex.plotted(0, 0), kaneflex.plotted(2, 0)]") == pytest.approx(values, abs=1e-12)
    x, y, width = page.run(
        "(() => { const e = document.querySelector('.kf-area'); e.scrollIntoView({ block: 'center' });"
        " const r = e.getBoundingClientRect(); return [r.left, r.top + 60, r.width]; })()"
    )
    page.drag((x + width / 4, y), (x + width / 2, y), shift=True)
    middle = page.run("kaneflex.time()")
    assert 2.5 < middle < 3.5
    assert page.run("kaneflex.cursor()") == pytest.approx(middle, abs=1e-4)
    page.drag((x + width / 4, y), (x + width / 4, y))
    assert page.run("kaneflex.time()") < middle - 1
    page.drag((x + width / 2, y), (x + width / 2, y))
    assert page.run("kaneflex.time()") == pytest.approx(middle, abs=1e-9)
    page.drag((x + width / 4, y), (x + width / 3, y), (x + 3 * width / 4, y))
    assert page.run("kaneflex.time()") == middle
    assert page.run("kaneflex.cursor()") == pytest.approx(middle, abs=1e-4)
    page.run("kaneflex.seek(0)")
    hidden = "getComputedStyle(document.querySelector('.kf-cursor')).visibility"
    assert page.run(hidden) == "hidden"
    page.run("document.querySelector('#kaneflex-plots button[title^=\"Show all\"]').click()")
    assert page.run(hidden) == "visible"


KEPT = """(async () => {
  const make = URL.createObjectURL;
  let kept = null;
  URL.createObjectURL = (blob) => ((kept = blob), make.call(URL, blob));
  [...document.querySelectorAll(".kf-menu button")].find((b) => b.textContent === "%s").click();
  while (!kept) await new Promise((done) => setTimeout(done, 10));
  URL.createObjectURL = make;
  return kept.type === "image/png" ? [kept.type, kept.size] : [kept.type, await kept.text()];
})()"""


def test_a_plot_is_kept_as_numbers_strokes_and_pixels(show):
    page = show(*handmade.scene("comparison"))
    kind, text = page.run(KEPT % "CSV")
    first, second = (block.splitlines() for block in text.split("\n\n"))
    assert (kind, first[:2]) == ("text/csv", ['"run 1"', '"t in s","reference in rad"'])
    rows = np.array([[float(x) for x in row.split(",")] for row in first[2:]])
    np.testing.assert_allclose(rows[:, 1], handmade.angles(rows[:, 0])[0], rtol=0, atol=1e-12)
    assert second[1] == '"t in s","delayed in rad"'
    kind, text = page.run(KEPT % "SVG")
    drawing = ElementTree.fromstring(text)
    curves = [path for path in drawing.iter("{http://www.w3.org/2000/svg}path") if path.get("clip-path")]
    assert kind == "image/svg+xml" and len(curves) == 2 and "upper.angle in rad" in text
    page.run("document.querySelector('.kf-key').click()")  # hides the reference
    assert '"reference' not in page.run(KEPT % "CSV")[1]
    kind, size = page.run(KEPT % "PNG")
    assert kind == "image/png" and size > 1000


def test_a_page_plays_by_itself_unless_rest_is_asked_for(chromium, tmp_path):
    path = handmade.write(tmp_path / "page.html", *handmade.scene())
    page = chromium.open(None)
    page.look(dark=False, moving=True)
    page.load(path)
    page.run("kaneflex.ready.then(() => new Promise((done) => setTimeout(done, 300)))")
    assert page.run("kaneflex.playing()") and page.run("kaneflex.time()") > 0
    page.look(dark=False)
    page.load(path)
    page.run("kaneflex.ready.then(() => null)")
    assert not page.run("kaneflex.playing()") and page.run("kaneflex.time()") == 0
    assert page.problems == []
    page.close()


def test_a_click_says_what_a_body_is_and_plots_its_channels(show):
    content, data = handmade.scene()
    content["runs"][0]["bodies"][0]["facts"] = {"joint": "Revolute", "mass": "2 kg"}
    page = show(content, data)
    page.run("kaneflex.view('front')")
    page.run(FRAMES)
    x, y = page.run("kaneflex.pixel(0, 0)")
    page.drag((x - 2, y + 3), (x - 2, y + 3))
    card = "document.querySelector('.kf-card:not([hidden])')"
    assert page.run(f"{card}.querySelector('dl').textContent") == "jointRevolutemass2 kg"
    shown = "[...document.querySelectorAll('.kf-plot figcaption b')].map((e) => e.textContent)"
    assert page.run(shown) == ["upper.angle", "lower.mode"]
    page.run(f"{card}.querySelector('.kf-channels button').click()")
    assert page.run(shown) == ["lower.mode"]


def test_the_ruler_measures_what_the_camera_looks_at(shared):
    """Two frames of a body a known distance apart, across the line of sight, and the bar's pixels per metre."""
    page = shared
    page.run("kaneflex.seek(0), scrollTo(0, 0)")
    page.run("kaneflex.view('front')")
    page.run(FRAMES)
    ends = [np.array(page.run(f"kaneflex.pixel(0, {k})")) for k in (0, 1)]
    places = [np.array(page.run(f"kaneflex.pose(0, {k}).position")) for k in (0, 1)]
    width, words = page.run(
        "(() => { const r = document.querySelector('.kf-ruler');"
        " return [r.firstChild.getBoundingClientRect().width, r.textContent] })()"
    )
    length = float(words.split()[0]) * {"m": 1.0, "mm": 1e-3}[words.split()[1]]
    across = np.linalg.norm((places[1] - places[0])[[0, 2]])
    assert width / length == pytest.approx(np.linalg.norm(ends[1] - ends[0]) / across, rel=0.1)  # they are at other depths


def test_deflections_that_are_not_seen_are_offered_enlarged(show):
    content, data = handmade.scene()
    assert show(content, data).run("document.querySelector('.kf-offer')") is None
    for run in content["runs"]:
        for body in run["bodies"]:
            if body.get("modes"):
                about = body["modes"]
                kind = {"f4": "<f4", "f8": "<f8"}[about["type"]]
                values = np.frombuffer(data, kind, int(np.prod(about["shape"])), about["at"]) * 0.02
                data = data[: about["at"]] + values.astype(kind).tobytes() + data[about["at"] + values.nbytes :]
    page = show(content, data)
    assert "show" in page.run("document.querySelector('.kf-offer').textContent")
    page.run("document.querySelector('.kf-offer').click()")
    assert page.run("kaneflex.deformation()") > 1
    assert page.run("document.querySelector('.kf-offer')") is None


def test_channels_are_added_and_removed(show):
    page = show()
    names = "[...document.querySelectorAll('.kf-plot figcaption b')].map((e) => e.textContent)"
    assert page.run(names) == ["upper.angle", "lower.mode"]
    page.run("[...document.querySelectorAll('#kaneflex-plots .kf-tick input')][1].click()")
    assert page.run(names) == ["upper.angle", "lower.angle", "lower.mode"]
    page.run("document.querySelector('.kf-plot .kf-quiet').click()")
    assert page.run(names) == ["lower.angle", "lower.mode"]


def test_compared_runs_stand_side_by_side(show):
    page = show(*handmade.scene("comparison", far=True))
    page.run("kaneflex.seek(2.0)")
    first, second = (np.array(page.run(f"kaneflex.pose({i}, 1).position")) for i in (0, 1))
    want = handmade.poses(np.array([2.0, 1.5]))[1][:, :3]
    anchor = [7.0e6 + 15000.0, -3.0e5, 12.0]
    np.testing.assert_allclose(first - anchor, want[0], rtol=0, atol=1e-6)
    # its anchor is the first one's at the same sample, whose time differs: the drawing must follow its own
    late = np.linspace(0.0, 5.0, 150)
    own = np.interp(2.0, late, 7.0e6 + 7500.0 * np.linspace(0.0, 6.0, 301)[:150])
    np.testing.assert_allclose(second - [own, *anchor[1:]], want[1], rtol=0, atol=1e-3)
    page.run("kaneflex.show(1, false)")
    assert not page.run("kaneflex.pose(1, 1).visible")
    assert not page.run("document.querySelectorAll('.kf-legend input')[1].checked")
    page.run("kaneflex.show(1, true), kaneflex.seek(6)")
    np.testing.assert_allclose(page.run("kaneflex.plotted(0, 1)"), handmade.angles(np.array([4.5]))[0], atol=1e-12)


def test_modes_go_round_and_are_chosen_from_a_table(show):
    page = show(*handmade.scene("modes"))
    assert page.run("kaneflex.playing()")
    assert page.run("document.querySelectorAll('.kf-modes tbody tr').length") == 3
    visible = "[0, 1, 2].map((i) => kaneflex.pose(i, 0).visible)"
    assert page.run(visible) == [True, False, False]
    page.run("document.querySelectorAll('.kf-modes input')[2].click()")
    assert page.run(visible) == [False, False, True]
    page.run("kaneflex.seek(5.9), new Promise((done) => setTimeout(done, 300))")
    assert page.run("kaneflex.playing()")
    assert page.run("kaneflex.time()") < 5.9


def test_looks(show):
    page = show(*handmade.scene("comparison"))
    page.run("document.querySelectorAll('[aria-label^=Choose]').forEach((e) => e.click())")
    page.run("document.querySelector('#kaneflex-plots button').click()")
    for width in (1280, 390):
        page.resize(width, 800)
        for dark in (False, True):
            page.look(dark)
            page.run(FRAMES)
            assert page.run("document.scrollingElement.scrollWidth <= innerWidth"), (width, dark)
            assert page.run(CONTRAST) == [], (width, dark)
            assert page.run(SMALL) == 0, (width, dark)
    assert page.run(UNNAMED) == 0


def test_without_webgl_the_rest_works(chromium, tmp_path):
    page = chromium.open(None)
    page.call("Page.addScriptToEvaluateOnNewDocument", source=NO_WEBGL)
    page.load(handmade.write(tmp_path / "page.html", *handmade.scene()))
    page.run("kaneflex.ready.then(() => null)")
    assert "no WebGL" in page.run("document.querySelector('.kf-stage [role=alert]').textContent")
    page.run("kaneflex.seek(2.0)")
    assert page.run("kaneflex.cursor()") == pytest.approx(2.0, abs=1e-4)
    want = handmade.poses(np.array([2.0]))[1][0, :3]
    np.testing.assert_allclose(page.run("kaneflex.pose(0, 1).position"), want, rtol=0, atol=1e-6)
    page.close()


def _other_format(content, data):
    return {**content, "format": 2}, data


def _cut_short(content, data):
    return content, data[: len(data) // 2]


def _wrong_rows(content, data):
    content["runs"][0]["bodies"][1]["pose"]["shape"] = [300, 7]
    return content, data


def _unknown_shape(content, data):
    content["runs"][0]["bodies"][0]["shapes"] = [{"type": "torus"}]
    return content, data


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_other_format, "format 2"),
        (_cut_short, "outside the block"),
        (_wrong_rows, "pose of lower"),
        (_unknown_shape, "torus"),
    ],
)
def test_broken_data_are_named_on_the_page(chromium, tmp_path, damage, words):
    page = chromium.open(handmade.write(tmp_path / "page.html", *damage(*handmade.scene())))
    with pytest.raises(RuntimeError, match=words):
        page.run("kaneflex.ready")
    assert words in page.run("document.querySelector('#kaneflex-viewer [role=alert]').textContent")
    page.close()


def test_requests_and_errors_are_seen(chromium, tmp_path):
    """The watch itself: a page that asks a network and throws is reported."""
    path = tmp_path / "bad.html"
    path.write_text("<img src='http://127.0.0.1:9/x.png'><script>console.error('oh'); throw new Error('thrown')</script>")
    page = chromium.open(path)
    found = " ".join(page.problems)
    assert "request: http://127.0.0.1:9/x.png" in found
    assert "oh" in found
    assert "thrown" in found
    page.close()
