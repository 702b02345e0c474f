"""Rods coloured by what happens along them: the page's numbers are the run's, its colours those of its scale."""

from collections.abc import Iterator

import numpy as np
import pytest
from view import browser
from view.scenes import inflated

import kaneflex as kf
from kaneflex.view.scene import scene_of

SCALE = ("#27408b", "#2f7f9f", "#48ab8a", "#a8c256", "#f6d746")


@pytest.fixture(scope="module")
def run() -> kf.Run:
    """A boom of segments in a plane that stretches, one of high order in space on the tip of it."""
    s = kf.System("whip", gravity=(0, 0, -9.81))
    s.add_rod("boom", kf.Rod(2.0, 1.0, EI=4.0, EA=2e3, n=10, plane="xz"))
    s.add_rod("line", kf.Rod(1.0, 0.3, EI=1.0, GJ=0.8, order=3, curvature=(0.5, 0, 1)), parent="boom", at="tip")
    return s.simulate(0.4, method="radau5", rtol=1e-5, output=0.02)


@pytest.fixture(scope="module")
def scene(run):
    return inflated(scene_of({"whip": run}, "whip", colour="moment"))


def decoded(scene, body: str, name: str) -> np.ndarray:
    """Numbers of a body of the scene."""
    scale = next(c for c in scene["colours"] if c["name"] == name)
    low, high = scale["range"]
    codes = next(b for b in scene["runs"][0]["bodies"] if b["name"] == body)["along"]["values"][name]
    return low + (high - low) * np.asarray(codes, float) / 65535


def test_numbers_of_the_scene_are_the_runs(run, scene):
    across, along = lambda x: np.linalg.norm(x[..., 1:], axis=-1), lambda x: x[..., 0]
    wanted = {
        ("boom", "curvature"): run["boom.curvature"],
        ("boom", "moment"): run["boom.moment"],
        ("boom", "tension"): run["boom.tension"],
        ("boom", "strain"): run["boom.strain"],
        ("line", "curvature"): across(run["line.curvature"]),
        ("line", "twist"): along(run["line.curvature"]),
        ("line", "moment"): across(run["line.moment"]),
        ("line", "torque"): along(run["line.moment"]),
        ("boom", "speed"): np.stack(
            [np.linalg.norm(run[f"{b}.velocity"], axis=1) for b in run.model.rods["boom"].segments], 1
        ),
    }
    bodies = {b["name"]: b for b in scene["runs"][0]["bodies"]}
    assert {(name, what) for name in bodies for what in bodies[name].get("along", {"values": ()})["values"]} == set(wanted)
    spread = {c["name"]: c["range"][1] - c["range"][0] for c in scene["colours"]}
    for (body, what), values in wanted.items():
        found = decoded(scene, body, what)
        assert found.shape == values.shape
        assert np.abs(found - values).max() <= 0.51 * spread[what] / 65535 + 1e-8 * np.abs(values).max(), (body, what)
    assert {c["name"]: c["unit"] for c in scene["colours"]} == {
        "curvature": "rad/m", "twist": "rad/m", "moment": "N m", "torque": "N m", "tension": "N", "strain": "",
        "speed": "m/s",
    }  # fmt: skip
    assert np.allclose(bodies["boom"]["along"]["arcs"], run.model.rods["boom"].arc[:-1])


def test_corners_know_where_they_are_along_the_rod(run, scene):
    """At the start the boom lies along x, and the line has its own length."""
    boom, line = scene["runs"][0]["bodies"]
    (skin,) = boom["shapes"]
    corners = skin["vertices"] + np.tensordot(boom["modes"][0], skin["modes"].reshape(-1, *skin["vertices"].shape), 1)
    assert np.abs(corners[:, 0] - skin["arcs"]).max() < 5e-3
    (skin,) = line["shapes"]
    middles = skin["vertices"].reshape(-1, 8, 3).mean(axis=1)  # of the rings of the unstrained rod
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(middles, axis=0), axis=1))])
    assert np.abs(length - np.asarray(skin["arcs"])[::8]).max() < 2e-3


def test_one_scale_for_all_runs_of_a_page():
    made = {}
    for name, EI in (("soft", 1.0), ("stiff", 8.0)):
        s = kf.System(name, gravity=(0, 0, -9.81))
        s.add_rod("boom", kf.Rod(1.0, 1.0, EI=EI, n=4, plane="xz"))
        made[name] = s.simulate(0.1, output=0.01)
    scene = inflated(scene_of(made, "both", kind="comparison"))
    (scale,) = [c for c in scene["colours"] if c["name"] == "curvature"]
    every = np.concatenate([run["boom.curvature"] for run in made.values()])
    assert scale["range"] == pytest.approx([every.min(), every.max()], rel=1e-8)
    assert "strain" not in [c["name"] for c in scene["colours"]]  # neither stretches


def test_a_page_grows_little_by_them(run):
    scene = scene_of({"whip": run}, "whip")
    values = [v for b in scene.data["runs"][0]["bodies"] for v in b.get("along", {"values": {}})["values"].values()]
    stored = sum(2 * int(np.prod(v["shape"])) for v in values)
    assert 0 < stored < 0.25 * scene.numbers.size and scene.data["colour"] is None


def test_a_colour_is_refused_by_name(run, tmp_path):
    with pytest.raises(kf.ModelError, match='bodies cannot be coloured by "heat": there are curvature, twist, moment'):
        run.report(tmp_path / "no.html", colour="heat")
    s = kf.System("none")
    s.add("body", kf.Rigid(1.0), kf.Prismatic("z"))
    with pytest.raises(kf.ModelError, match='coloured by "tension": nothing in this run differs'):
        s.simulate(0.1).report(tmp_path / "no.html", colour="tension")


def test_a_page_has_the_levels_of_a_sea():
    def levels(**given):
        s = kf.System("sea", gravity=(0, 0, -9.81))
        s.add_rod("line", kf.Cable(20.0, 1.0, n=3, plane="xz"))
        s.apply("sea", kf.Morison("line", kf.Sea(1025.0, surface=2.0, **given), 0.02, 1.2))
        return s

    found = lambda s: scene_of({"sea": s.simulate(0.01)}, "sea").data["levels"]
    shown = [c["name"] for c in scene_of({"sea": levels().simulate(0.5, output=0.1)}, "sea").data["colours"]]
    assert shown == ["tension", "speed"]  # of a cable that does not stretch
    assert found(levels()) == {"water": 2.0} and found(levels(depth=12.0)) == {"water": 2.0, "bed": -10.0}
    s = levels(depth=12.0)
    s.apply("bed", kf.SoftGround("line", 1e3, level=-9.0))
    assert found(s) == {"water": 2.0, "bed": -9.0}


# -- in a browser -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(run, tmp_path_factory) -> Iterator[browser.Page]:
    if browser.CHROMIUM is None:
        pytest.skip(browser.MISSING)
    with browser.Browser() as running:
        path = run.report(tmp_path_factory.mktemp("colours") / "whip.html", colour="moment")
        page = running.open(path, 1280, 800)
        page.run("kaneflex.ready.then(() => null)")
        yield page
        assert page.problems == []


def linear(colour: str) -> np.ndarray:
    """Red, green and blue of a colour of the scale, linear in light."""
    c = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def shade(share: float) -> np.ndarray:
    """The colour at a share of the scale."""
    place = float(np.clip(share, 0, 1)) * (len(SCALE) - 1)
    k = min(int(place), len(SCALE) - 2)
    return (1 - place + k) * linear(SCALE[k]) + (place - k) * linear(SCALE[k + 1])


@pytest.mark.slow
@pytest.mark.parametrize(("body", "what"), [("boom", "moment"), ("boom", "curvature"), ("line", "twist")])
def test_colours_are_those_of_the_numbers(run, scene, page, body, what):
    """At samples and between them, at places and between these."""
    page.run(f"kaneflex.colour({what!r})")
    index = [b["name"] for b in scene["runs"][0]["bodies"]].index(body)
    shown = scene["runs"][0]["bodies"][index]
    low, high = next(c for c in scene["colours"] if c["name"] == what)["range"]
    values, arcs = decoded(scene, body, what), np.asarray(shown["along"]["arcs"])
    corners = np.asarray(shown["shapes"][0]["arcs"])
    for t in (0.1, 0.213):
        page.run(f"kaneflex.seek({t})")
        now = [np.interp(t, run.t, column) for column in values.T]
        for v in (0, len(corners) // 3, 2 * len(corners) // 3, len(corners) - 9):
            wanted = shade((np.interp(corners[v], arcs, now) - low) / (high - low))
            assert page.run(f"kaneflex.color(0, {index}, 0, {v})") == pytest.approx(list(wanted), abs=2e-4)


@pytest.mark.slow
def test_the_menu_and_the_scale(page, scene):
    page.run("kaneflex.colour('tension')")
    texts = lambda: page.run("[...document.querySelector('.kf-scale').children].map((e) => e.textContent)")
    low, high = next(c for c in scene["colours"] if c["name"] == "tension")["range"]
    name, first, _, last = texts()
    assert name == "tension" and last.endswith(" N")
    assert float(first.replace("−", "-")) == pytest.approx(low, rel=5e-3, abs=1e-6)
    assert float(last[:-2].replace("−", "-")) == pytest.approx(high, rel=5e-3)
    menu = "document.querySelector('[aria-label=\"Colour bodies by\"]')"
    names = [c["name"] for c in scene["colours"]]
    assert page.run(f"[...{menu}.options].map((e) => e.textContent)") == ["body", *names, "deflection"]
    assert page.run(f"{menu}.value") == "tension"
    page.run("kaneflex.seek(0.2)")
    assert page.run("kaneflex.color(0, 1, 0, 0)") is None  # the other rod does not stretch
    page.press("c")
    assert page.run("kaneflex.colour()") == "strain" and texts()[0] == "strain"
    page.run(f"{menu}.value = ''; {menu}.dispatchEvent(new Event('change'))")
    assert page.run("document.querySelector('.kf-scale').hidden") and page.run("kaneflex.color(0, 0, 0, 0)") is None


@pytest.mark.slow
def test_a_chain_of_segments_is_not_enlarged(page):
    """Of a rod of segments there is no deflection to enlarge: it is drawn where it is."""
    place = lambda: np.array(page.run("kaneflex.vertex(0, 0, 0, 100)"))
    before = place()
    page.run("kaneflex.deformation(10)")
    assert np.array_equal(place(), before)
    page.run("kaneflex.deformation(1)")


@pytest.mark.slow
def test_water_and_bed_are_where_they_should_be(page, tmp_path):
    s = kf.System("sea", gravity=(0, 0, -9.81))
    s.add_rod("line", kf.Cable(20.0, 1.0, n=3, plane="xz"))
    s.apply("sea", kf.Morison("line", kf.Sea(1025.0, surface=2.0), 0.02, 1.2))
    s.apply("bed", kf.SoftGround("line", 1e3, level=-9.0))
    page.load(s.simulate(0.5, output=0.1).report(tmp_path / "sea.html"))
    page.run("kaneflex.ready.then(() => null)")
    assert page.run("kaneflex.levels()") == {"ground": -9.0, "water": 2.0}
