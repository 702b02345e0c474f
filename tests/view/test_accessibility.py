"""Every kind of page passes axe's rules, stays within its window and says nothing on the console, in both looks."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from runs import gallery_run
from view import browser
from view.looks import CONTRAST, FRAMES
from view.test_live import arm

import kaneflex as kf
from kaneflex.analysis.fit import Fit
from kaneflex.view.index import Entry, write_index
from kaneflex.view.live import Live

pytest.importorskip("axe_core_python", reason="axe-core-python is not installed (pip install 'kaneflex[test]')")
AXE = files("axe_core_python") / "axe.min.js"
FOUND = """axe.run(document, { resultTypes: ["violations"] }).then((r) =>
  r.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" | ")}`))"""
OPENED = """(() => {
  const closed = "#kaneflex-viewer [aria-label^=Choose], #kaneflex-plots .kf-bar button";
  for (const e of document.querySelectorAll(closed)) e.click();
  for (const e of document.querySelectorAll("details")) e.open = true;
})()"""
COVERED = """(() => {
  const seen = (e) => e.tagName !== "CANVAS" && e.offsetParent && getComputedStyle(e).opacity !== "0";
  const there = [...document.querySelectorAll(".kf-stage > *")].filter(seen);
  const boxes = there.map((e) => [e.className, e.getBoundingClientRect()]);
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return boxes.flatMap(([n, a], i) => boxes.slice(i + 1).filter(([, b]) => meet(a, b)).map(([m]) => `${n} and ${m}`));
})()"""
WIDER = """[...document.querySelectorAll("figure.wide")].filter((e) => e.scrollWidth > e.clientWidth + 1).length"""
KINDS = ("comparison", "modes", "body", "import", "fit", "study", "live")
HEAVY = [pytest.param(kind, marks=pytest.mark.thorough) for kind in KINDS]
PAGES = ["report", "index", *HEAVY]


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    if browser.CHROMIUM is None:
        pytest.skip(browser.MISSING)
    with browser.Browser() as running:
        yield running


def swing() -> kf.System:
    """A bar on a spring, whose stiffness and damping are parameters."""
    stiffness = kf.Parameter("stiffness", 300.0, low=10.0, unit="N m/rad")
    s = kf.System("swing")
    s.add("bar", kf.Rigid(2.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2)), kf.Revolute("z"), q=0.1)
    s.apply("joint", kf.JointSpring("bar", stiffness=stiffness, damping=kf.Parameter("damping", 0.5, low=0.0)))
    return s


def fitted() -> Fit:
    """Two parameters from an angle and a rate."""
    times = np.linspace(0.0, 0.5, 20)
    true = swing().simulate(0.5, times=times, parameters={"stiffness": 340.0})
    data = {name: true[name] + 1e-3 * np.cos(40 * times) for name in ("bar.q", "bar.rate")}
    return kf.fit(swing(), {"t": times, **data}, ["stiffness", "damping"], sigma=dict.fromkeys(data, 1e-3))


def studied(store: Path) -> kf.Ensemble:
    """Runs of which some fail, with envelopes, histograms and importance."""
    given = {"stiffness": kf.uniform(200.0, 400.0), "damping": kf.normal(0.5, 0.2)}
    keep = ["bar.q", "peak bar.rate", "final bar.q"]
    return kf.Study(swing(), given, runs=12, duration=0.3, keep=keep, store=store, design="latin").run(workers=0)


def written(kind: str, path: Path) -> Path:
    """A page of a kind."""
    if kind == "report":
        return gallery_run("double-pendulum")[0].report(path, colour="speed")
    if kind == "comparison":
        run = arm().simulate(0.5, output=0.05)
        return kf.compare(
            {"soft": run, "stiff, with a name that is long": arm().simulate(0.4, output=0.05, rtol=1e-4)}, path
        )
    if kind == "body":
        return kf.Flexible(kf.structures.Beam(2.0, 1e6, (40.0, 60.0), 1.0, 6), modes=4).show_modes(path)
    if kind == "import":
        plate = kf.structures.Plate(1.0, 0.5, 0.01, 7e10, 0.3, 2700.0, (4, 2))
        return kf.Flexible(plate, modes=4).show_modes(path, "panel, imported", kf.structures.check(plate))
    if kind == "fit":
        return fitted().report(path)
    if kind == "study":
        return studied(path.parent / "study.zarr").report(path, command="kaneflex study swing.toml")
    if kind == "modes":
        system = arm()
        system.add("craft", kf.Rigid(1.0, inertia=(1, 2, 3)), kf.Free(), q=(3, 0, 0, 1, 0, 0, 0))
        return system.show_modes(path)
    card = {"about": "It spins.", "document": "Classics", "chapter": "tops", "command": "kaneflex run top", "seconds": 1.0}
    states = ({"checks": (3, 3), "audit": True, "link": "top.html"}, {"checks": (1, 3), "audit": False})
    return write_index([Entry(title=f"Top {k}", **card, **s) for k, s in enumerate(states)], path, title="All")


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_passes_axe_at_every_size(kind, chromium, tmp_path):
    page, live = chromium.open(None), None
    if kind == "live":
        live = Live(arm(), host="127.0.0.1", port=0)
        page.allowed = live.address
        page.visit(live.address)
    else:
        page.load(written(kind, tmp_path / "page.html"))
    try:
        page.run("window.kaneflex ? kaneflex.ready.then(() => kaneflex.pause()) : null")
        page.run(AXE.read_text(encoding="utf-8") + ";null")
        page.run(OPENED)
        for width, dark in ((390, False), (1280, True), (2560, False)):
            page.resize(width, 900)
            page.look(dark)
            page.run(FRAMES)
            assert page.run("document.scrollingElement.scrollWidth - innerWidth") <= 0, (width, dark)
            assert page.run(CONTRAST) == [], (width, dark)
            assert page.run(WIDER) == 0, (width, dark)
            assert page.run(COVERED) == [], (width, dark)
            assert width == 2560 or page.run(FOUND) == [], (width, dark)
        assert page.problems == []
    finally:
        page.close()
        if live is not None:
            live.close()


@pytest.mark.thorough
def test_a_figure_of_a_narrow_page_is_enlarged_while_it_has_the_focus(chromium, tmp_path):
    page = chromium.open(gallery_run("double-pendulum")[0].report(tmp_path / "page.html"), 390, 844)
    sizes = "(() => { const f = document.querySelector('figure.wide'); return [f.clientWidth, f.scrollWidth]; })()"
    page.run("document.querySelector('figure.wide').scrollIntoView({ block: 'center' })")
    page.drag((195, 422))
    seen, whole = page.run(sizes)
    assert whole > 1.9 * seen and page.run("document.scrollingElement.scrollWidth") <= 390
    page.run("document.activeElement.blur()")
    assert page.run(sizes) == [seen, seen]
    page.close()


def test_what_is_written_on_a_drawing_stays_apart(chromium, tmp_path):
    """Offer of enlarged deflections, scales of arrows and colours, ruler, compass: in a small window too."""
    beam = kf.structures.Beam(2.0, 1e6, (4000.0, 6000.0), 1.0, 6)
    system = kf.System("arm", gravity=(0, 0, -9.81))
    system.add("arm", kf.Flexible(beam, modes=4), kf.Revolute("z"), rates=0.5)
    system.add_input("push", kf.Force("arm.tip", (0.0, 1.0, 0.0)))
    run = system.simulate(1.0, output=0.05, inputs={"push": 2.0})
    page = chromium.open(run.report(tmp_path / "page.html", colour="turning"))
    page.run("kaneflex.ready.then(() => kaneflex.pause())")
    for size in ((390, 844), (1280, 900), (2560, 1300)):
        page.resize(*size)
        page.run(FRAMES)
        for name in ("offer", "arrows", "scale", "ruler"):
            assert page.run(f"Boolean(document.querySelector('.kf-{name}')?.offsetParent)"), name
        assert page.run(COVERED) == [], size
    page.close()


def test_axe_finds_what_is_wrong(chromium, tmp_path):
    """The watch itself: a picture without words, and a button without a name."""
    path = tmp_path / "bad.html"
    path.write_text("<html lang=en><title>x</title><main><h1>x</h1><img src='data:,'><button></button></main></html>")
    page = chromium.open(path)
    page.run(AXE.read_text(encoding="utf-8") + ";null")
    assert {words.partition(":")[0] for words in page.run(FOUND)} >= {"image-alt", "button-name"}
    page.close()
