"""Reports of gallery systems, opened from disk: bodies, tips and cursors stand where the run says, in every look."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from runs import gallery_run
from view import browser
from view.looks import CONTRAST, FRAMES

import kaneflex as kf
from kaneflex.gallery import examples

SYSTEMS = ["double-pendulum", "four-bar", "beam-spin-up", "plate-spin-up"]
FLEXIBLE = {"beam-spin-up": "beam", "plate-spin-up": "plate"}


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    if browser.CHROMIUM is None:
        pytest.skip(browser.MISSING)
    with browser.Browser() as running:
        yield running


def written(name: str, path: Path) -> kf.Run:
    run, _ = gallery_run(name)
    run.report(path)
    return run


@pytest.fixture(scope="module", params=SYSTEMS)
def report(request, chromium, tmp_path_factory) -> Iterator[tuple[str, kf.Run, browser.Page]]:
    path = tmp_path_factory.mktemp("report") / f"{request.param}.html"
    run = written(request.param, path)
    page = chromium.open(path)
    page.run("kaneflex.ready.then(() => null)")
    yield request.param, run, page
    problems = page.problems
    page.close()
    assert problems == []


def rotation(q: list[float]) -> np.ndarray:
    """Rotation matrix of a unit quaternion, scalar part first."""
    w, v = q[0], np.array(q[1:])
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def test_scrubbing_puts_bodies_where_the_run_has_them(report):
    _, run, page = report
    names = page.run("kaneflex.scene.runs[0].bodies.map((b) => b.name)")
    shown = page.run("[...kaneflex.scene.runs[0].t]")
    for k in (0, len(shown) // 3, len(shown) - 1):
        page.run(f"kaneflex.seek({shown[k]!r})")
        sample = int(np.argmin(np.abs(run.t - shown[k])))
        for i, name in enumerate(names):
            if name in ("N", "ground"):
                continue
            drawn = page.run(f"kaneflex.pose(0, {i})")
            size = max(1.0, np.abs(run[f"{name}.position"]).max())
            np.testing.assert_allclose(drawn["position"], run[f"{name}.position"][sample], rtol=0, atol=1e-6 * size)
            np.testing.assert_allclose(rotation(drawn["quaternion"]), run[f"{name}.rotation"][sample], rtol=0, atol=1e-6)
        assert page.run("kaneflex.cursor()") == pytest.approx(shown[k], abs=1e-4 * shown[-1])


@pytest.mark.parametrize("report", FLEXIBLE, indirect=True)
def test_tips_of_flexible_bodies_stand_where_the_run_has_them(report):
    name, run, page = report
    body = FLEXIBLE[name]
    names = page.run("kaneflex.scene.runs[0].bodies.map((b) => b.name)")
    i = names.index(body)
    frames = page.run(f"kaneflex.scene.runs[0].bodies[{i}].frames.map((f) => f.name)")
    k = int(np.argmax(np.linalg.norm(run[f"{body}.tip.deflection"], axis=1)))
    page.run(f"kaneflex.seek({run.t[k]})")
    R, tip, deflection = run[f"{body}.rotation"][k], run[f"{body}.tip.position"][k], run[f"{body}.tip.deflection"][k]
    drawn = np.array(page.run(f"kaneflex.frame(0, {i}, {frames.index('tip')})"))
    # what is drawn is linear in the modes: all but the shortening along x, which is of second order, and terms of third
    # across, which turn with the mean axes; those are 0.23 d^3/L^2 for cantilevers with d from 0.01 to 0.6 m
    miss = R.T @ (drawn - tip)
    place = np.array(page.run(f"[...kaneflex.scene.runs[0].bodies[{i}].frames[{frames.index('tip')}].position]"))
    assert np.linalg.norm(deflection) > 0.05
    np.testing.assert_allclose(miss[1:], 0, atol=0.3 * np.linalg.norm(deflection) ** 3 / (place @ place) + 1e-5)
    assert abs(miss[0]) < 1.1 * abs(deflection[0])
    # the skin's end moves with the tip
    script = f"kaneflex.scene.runs[0].bodies[{i}].shapes.findIndex((s) => s.type === 'skin')"
    skin = page.run(script)
    rest = np.array(page.run(f"[...kaneflex.scene.runs[0].bodies[{i}].shapes[{skin}].vertices]")).reshape(-1, 3)
    away = np.linalg.norm(rest - place, axis=1)
    nearest = np.flatnonzero(away < away.min() + 1e-6)
    middle = np.mean([page.run(f"kaneflex.vertex(0, {i}, {skin}, {j})") for j in nearest], axis=0)
    np.testing.assert_allclose(middle, drawn, rtol=0, atol=1e-5)


def test_plots_say_what_the_run_says(report):
    _, run, page = report
    plots = page.run("kaneflex.scene.plots.map((p) => [p.name, p.shown, p.lines.length])")
    k = len(run.t) // 2
    page.run(f"kaneflex.seek({run.t[k]})")
    checked = 0
    for i, (name, _, lines) in enumerate(plots):
        values = np.ravel(np.asarray(run[name])[k]) if name in run.channels else []
        if len(values) != lines:
            continue
        size = np.abs(run[name]).max()
        shown = [page.run(f"kaneflex.plotted({i}, {j})") for j in range(lines)]
        np.testing.assert_allclose(shown, values, rtol=1e-6, atol=1e-6 * size)
        checked += 1
    assert checked >= 2


def test_playback_and_keys(report):
    _, _, page = report
    page.run("kaneflex.seek(0)")
    before = page.run("kaneflex.pose(0, 1)")
    page.press(" ")
    page.run("new Promise((done) => setTimeout(done, 300))")
    page.press(" ")
    assert page.run("kaneflex.playing()") is False
    assert page.run("kaneflex.time()") > 0
    assert page.run("kaneflex.pose(0, 1)") != before
    page.press("End")
    assert page.run("kaneflex.time()") == page.run("kaneflex.scene.runs[0].t.at(-1)")


def test_looks_of_a_report(report):
    _, _, page = report
    for width in (1280, 390):
        page.resize(width, 844)
        for dark in (False, True):
            page.look(dark)
            page.run(FRAMES)
            assert page.run("document.scrollingElement.scrollWidth <= innerWidth"), (width, dark)
            assert page.run(CONTRAST) == [], (width, dark)
    page.resize(1280, 800)
    page.look(False)


def test_comparison_shows_both_runs(chromium, tmp_path):
    example = examples()["double-pendulum"]
    earth, moon = (example.build({**example.parameters, "gravity": g}) for g in (9.81, 1.62))
    first, second = earth.simulate(2.0, output=0.02), moon.simulate(1.5, output=0.03)
    page = chromium.open(kf.compare({"earth": first, "moon": second}, tmp_path / "both.html"))
    page.run("kaneflex.ready.then(() => kaneflex.seek(1.0))")
    assert page.run("[...document.querySelectorAll('.kf-legend label')].map((e) => e.textContent)") == ["earth", "moon"]
    names = page.run("kaneflex.scene.runs[0].bodies.map((b) => b.name)")
    for i, run in enumerate((first, second)):
        place = [np.interp(1.0, run.t, p) for p in run["lower.position"].T]
        drawn = page.run(f"kaneflex.pose({i}, {names.index('lower')}).position")
        np.testing.assert_allclose(drawn, place, rtol=0, atol=1e-6)
    assert page.problems == []
    page.close()


def test_modes_of_a_plate_are_shown_one_at_a_time(chromium, tmp_path):
    body = gallery_run("plate-spin-up")[0].model.parts["plate"].body
    page = chromium.open(body.show_modes(tmp_path / "modes.html"))
    page.run("kaneflex.ready.then(() => kaneflex.pause())")
    count = page.run("kaneflex.scene.runs.length")
    assert page.run("document.querySelectorAll('.kf-modes tbody tr').length") == count > 3
    page.run("document.querySelectorAll('.kf-modes input')[2].click()")
    seen = page.run(f"Array.from({{ length: {count} }}, (_, i) => kaneflex.pose(i, 0).visible)")
    assert seen == [i == 2 for i in range(count)]
    page.run("shape = kaneflex.scene.runs[2].bodies[0].shapes[0], period = kaneflex.scene.runs[2].t.at(-1)")
    places = "Array.from({ length: shape.vertices.length / 3 }, (_, k) => kaneflex.vertex(2, 0, 0, k))"
    start, quarter = (np.array(page.run(f"kaneflex.seek({f} * period), {places}")) for f in (0.0, 0.25))
    moved = np.linalg.norm(quarter - start, axis=1).max()
    assert 0.05 < moved / page.run("kaneflex.scene.size") < 0.5
    assert page.problems == []
    page.close()


def test_sail_of_44_modes_opens_within_two_seconds(chromium, tmp_path):
    path = tmp_path / "sail.html"
    written("solar-sail", path)
    assert path.stat().st_size < 8e6
    seconds: list[float] = []
    while len(seconds) < 4 and not any(s < 2.0 for s in seconds):  # other tests may keep the machine busy meanwhile
        page = chromium.open(path)
        seconds.append(page.run("kaneflex.ready.then(() => performance.now())") / 1000)
        assert page.run("kaneflex.drawn()") > 0
        assert page.run("kaneflex.scene.runs[0].bodies.some((b) => b.modes && b.modes.shape[1] === 44)")
        assert page.problems == []
        page.close()
    assert min(seconds) < 2.0, seconds
