"""What is drawn beside bodies, in a browser: springs and ropes, colours of bodies, the orbit, values under the pointer."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from view import browser, handmade
from view.looks import FRAMES

Opener = Callable[..., browser.Page]
SCALE = ("#27408b", "#f6d746")  # of colours: the least and the largest


@pytest.fixture(scope="module")
def show(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opener]:
    """Open a scene in a page of its own, which may not complain."""
    if browser.CHROMIUM is None:
        pytest.skip(browser.MISSING)
    folder, pages = tmp_path_factory.mktemp("drawn"), []
    with browser.Browser() as running:

        def opener(content: dict, data: bytes) -> browser.Page:
            path: Path = handmade.write(folder / f"{len(pages)}.html", content, data)
            pages.append(running.open(path))
            pages[-1].run("kaneflex.ready.then(() => null)")
            return pages[-1]

        yield opener
        assert [p for page in pages for p in page.problems] == []


def lines(kinds: tuple[str, ...]) -> tuple[dict, bytes]:
    """A scene with a line of each kind from the origin to a point that moves along x, from 1 m to 2 m in a second."""
    blob = handmade.Blob()
    t = np.linspace(0.0, 1.0, 11)
    ends = np.zeros((11, 2, 3))
    ends[:, 1, 0] = 1 + t
    pose = np.column_stack([1 + t, 0 * t, 0 * t, 0 * t + 1, 0 * t, 0 * t, 0 * t])
    ball = {"name": "ball", "parent": -1, "pose": blob.add(pose), "shapes": [{"type": "sphere", "radius": 0.05}]}
    aside = [blob.add(ends + np.array([0, 0.3 * k, 0])) for k in range(len(kinds))]
    made = [{"name": kind, "kind": kind, "points": points} for kind, points in zip(kinds, aside, strict=True)]
    run = {"name": "run", "t": blob.add(t, "f8"), "bodies": [ball], "lines": made}
    return {"format": 1, "kind": "run", "title": "x", "up": [0, 0, 1], "size": 2.0, "runs": [run], "plots": []}, blob.data


def test_springs_ropes_and_rods_reach_from_end_to_end(show: Opener) -> None:
    kinds = ("spring", "damper", "strut", "rope", "rod")
    page = show(*lines(kinds))
    for t in (0.0, 0.55, 1.0):
        page.run(f"kaneflex.seek({t})")
        found = [page.run(f"kaneflex.link(0, {k})") for k in range(len(kinds))]
        assert [link["kind"] for link in found] == list(kinds) and all(link["visible"] for link in found)
        for k, link in enumerate(found):
            wanted = [[0, 0.3 * k, 0], [1 + t, 0.3 * k, 0]]
            np.testing.assert_allclose(link["ends"], wanted, atol=0.012)  # and the wire's width at a coil's ends
        widths = {link["kind"]: link["width"] for link in found}
        assert (
            widths["rope"] < widths["rod"] < widths["damper"] < widths["spring"] == pytest.approx(widths["strut"], rel=1e-6)
        )
        assert widths["spring"] == pytest.approx(2 * 1.2 * 0.016 * 2.0, rel=0.05)  # it is not stretched across
    page.run(f"kaneflex.view('front'), {FRAMES}")
    box = page.run("(() => { const r = document.querySelector('.kf-stage').getBoundingClientRect(); return [r.x, r.y]; })()")
    assert box  # and it has a name under the pointer
    x, y = page.run("kaneflex.pixel(0, 0)")
    zero = page.run("kaneflex.seek(0), kaneflex.pixel(0, 0)")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=zero[0] - 0.35 * (x - zero[0]), y=y)
    assert page.run("document.querySelector('.kf-label').textContent") in kinds


def test_paths_are_arcs_where_samples_are_few(show: Opener) -> None:
    """A tip that goes around in eight samples: its path is the circle that it is drawn on, not an octagon."""
    blob, angle = handmade.Blob(), np.linspace(0.0, 2 * np.pi, 9)
    pose = np.column_stack([0 * angle, 0 * angle, 0 * angle, np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)])
    tip = {"name": "tip", "position": [1.0, 0.0, 0.0], "axes": [1, 0, 0, 0, 1, 0, 0, 0, 1], "shape": None}
    arm = {"name": "arm", "parent": -1, "pose": blob.add(pose), "modes": None, "frames": [tip]}
    arm["shapes"] = [{"type": "box", "size": [1, 0.1, 0.1], "position": [0.5, 0, 0]}]
    run = {"name": "run", "t": blob.add(angle, "f8"), "bodies": [arm]}
    about = {"format": 1, "kind": "run", "title": "x", "up": [0, 0, 1], "size": 1.0, "runs": [run], "plots": []}
    page = show(about, blob.data)
    page.run("kaneflex.seek(5.0)")
    path = np.array(page.run("kaneflex.path(1)"))
    np.testing.assert_allclose(np.linalg.norm(path, axis=2), 1.0, atol=1e-6)
    middles = path.mean(axis=1)
    assert np.linalg.norm(middles, axis=1).min() > 0.999  # cos(pi / 8) = 0.92 of an octagon
    np.testing.assert_allclose(path[-1, 1], [np.cos(5.0), np.sin(5.0), 0], atol=1e-6)
    np.testing.assert_allclose(path[1:, 0], path[:-1, 1], atol=1e-12)


def test_bodies_take_the_colour_of_a_quantity(show: Opener) -> None:
    content, data = handmade.scene()
    blob = handmade.Blob()
    blob.data = data
    codes = np.linspace(0, 65535, 301).round()[:, None]
    upper = content["runs"][0]["bodies"][0]
    upper["along"] = {"arcs": [0.0], "values": {"speed": blob.add(codes, "u2")}}
    content |= {"colours": [{"name": "speed", "unit": "m/s", "range": [0.0, 3.0]}], "colour": "speed"}
    page = show(content, blob.data)
    own = page.run("kaneflex.tone(0, 1, 0)")
    assert page.run("kaneflex.seek(0), kaneflex.tone(0, 0, 0)") == SCALE[0]
    assert page.run("kaneflex.seek(6), kaneflex.tone(0, 0, 0)") == SCALE[1]
    assert page.run("kaneflex.tone(0, 1, 0)") == own  # it has no such quantity
    assert "3 m/s" in page.run("document.querySelector('.kf-scale').textContent")
    page.run("kaneflex.colour(''), kaneflex.seek(6)")
    assert page.run("kaneflex.tone(0, 0, 0)") not in SCALE


def test_an_orbit_is_drawn_to_scale(show: Opener) -> None:
    content, data = handmade.scene()
    blob = handmade.Blob()
    blob.data = data
    angle = np.linspace(0.0, 1.0, 301)
    circle = lambda a: 2.0e7 * np.column_stack([np.cos(a), np.sin(a), 0 * a])
    orbit = {"name": "Earth", "radius": 1.0e7, "path": blob.add(circle(angle))}
    content["runs"][0]["orbit"] = orbit | {"ellipse": blob.add(circle(np.linspace(0, 2 * np.pi, 97)))}
    page = show(content, blob.data)
    value = lambda what: float(page.run(f"document.querySelector('.kf-orbit {what[0]}').getAttribute('{what[1]}')"))
    middle = np.array([value((".kf-planet", name)) for name in ("cx", "cy")])
    radius = value((".kf-planet", "r"))
    for t, turned in ((0.0, 0.0), (6.0, 1.0)):
        page.run(f"kaneflex.seek({t})")
        here = np.array([value((".kf-here", name)) for name in ("cx", "cy")]) - middle
        np.testing.assert_allclose(here, 2 * radius * np.array([np.cos(turned), -np.sin(turned)]), atol=0.15)
    assert page.run("document.querySelector('.kf-orbit').textContent") == "Earth"


def test_values_are_those_under_the_pointer(show: Opener) -> None:
    page = show(*handmade.scene())
    page.run("kaneflex.seek(1.0)")
    values = "[...document.querySelectorAll('.kf-key .kf-value')].map((e) => e.textContent)"
    still = page.run(values)
    place = "document.querySelector('.kf-area')"
    page.run(f"{place}.scrollIntoView({{ block: 'center' }})")
    x, y, width = page.run(
        f"(() => {{ const r = {place}.getBoundingClientRect(); return [r.left, r.top + 50, r.width]; }})()"
    )
    at = 66 + 0.25 * (width - 86)  # a quarter of the time axis: its margins are 66 and 20 pixels
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + at, y=y)
    t = float(page.run("document.querySelector('.kf-hair:not([hidden]) span').textContent").split()[0])
    assert t == pytest.approx(1.5, abs=0.02)
    want = [handmade.angles(np.array([t]))[c][0] for c in (0, 2)]
    assert [float(s.replace("−", "-")) for s in page.run(values)] == pytest.approx(want, abs=0.01)
    assert page.run("kaneflex.time()") == 1.0
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    assert page.run(values) == still


def test_a_page_opens_still_at_the_time_that_it_is_given(show: Opener) -> None:
    content, data = handmade.scene("comparison")
    page = show({**content, "at": 2.5}, data)
    assert page.run("kaneflex.time()") == 2.5 and not page.run("kaneflex.playing()")


def test_motions_as_a_rigid_body_are_one_line(show: Opener) -> None:
    content, data = handmade.scene("modes")
    for run in content["runs"][:2]:
        run["mode"] = {"frequency": 0.0, "damping": 0.0, "text": {"motion": "rigid-body motion"}}
    page = show(content, data)
    seen = "[...document.querySelectorAll('.kf-modes tbody tr:not([hidden])')].length"
    assert page.run(seen) == 2 and "2 motions as a rigid body" in page.run("document.querySelector('.kf-modes').textContent")
    assert page.run("[0, 1, 2].map((i) => kaneflex.pose(i, 0).visible)") == [False, False, True]
    page.run("document.querySelector('.kf-fold button').click()")
    assert page.run(seen) == 4
    page.run("document.querySelectorAll('.kf-modes input')[0].click()")
    assert page.run("[0, 1, 2].map((i) => kaneflex.pose(i, 0).visible)") == [True, False, False]
