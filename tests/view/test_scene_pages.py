"""Pages that compare runs, and pages of modes."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runs import gallery_run
from view.scenes import inflated, rotations
from view.test_report import Page, text_of, without_the_viewer

import kaneflex as kf
from kaneflex import structures
from kaneflex.view.compare import difference
from kaneflex.view.modes import FRAMES, REACH


def swing(length: float = 1.0, duration: float = 1.0, samples: int = 20, **more: Any) -> kf.Run:
    system = kf.System("swing", gravity=(0, 0, -9.81))
    system.add("rod", kf.Rigid(1.0, com=(0, 0, -length)), kf.Revolute("y"), q=0.3)
    return system.simulate(duration, output=duration / samples, **more)


def check_page(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    assert "http" not in re.sub("http-equiv", "", without_the_viewer(text))
    return Page(text)


def masses(path: Path) -> list[list[str]]:
    """Heads and rows of the table of effective masses."""
    (found,) = re.findall(r'class="wide masses"[^>]*>(.*?)</table>', path.read_text(encoding="utf-8"), re.S)
    rows = re.findall("<tr>(.*?)</tr>", found, re.S)
    return [[re.sub("<[^>]*>", "", cell) for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)] for row in rows]


# -- comparison ---------------------------------------------------------------------------------------------------------


def test_two_runs_beside_each_other(tmp_path: Path) -> None:
    first, other = swing(), swing(1.5, duration=0.8, samples=17)
    path = kf.compare({"short": first, "long": other}, tmp_path / "new" / "c.html", ["rod.q", "rod.position"])
    words = text_of(check_page(path))
    scene = inflated(path)
    assert scene["kind"] == "comparison" and [r["name"] for r in scene["runs"]] == ["short", "long"]
    assert [len(r["t"]) for r in scene["runs"]] == [len(first.t), len(other.t)]
    shown = [p for p in scene["plots"] if p["shown"]]
    assert [p["name"] for p in shown] == ["rod.q", "rod.position"]
    assert [(x["run"], x["label"]) for x in shown[0]["lines"]] == [(0, "short"), (1, "long")]
    assert shown[0]["lines"][1]["values"] == pytest.approx(other["rod.q"], abs=1e-6)
    assert "against short" in words and "short: audit passed" in words and "evaluations" in words
    apart, t, largest = difference(first, other, "rod.q") or (0, 0, 0)
    assert scene["at"] == t > 0  # it opens where they are farthest apart
    both = first.t <= 0.8
    exact = np.abs(first["rod.q"][both] - np.interp(first.t[both], other.t, other["rod.q"]))
    assert apart == exact.max() and t == first.t[both][exact.argmax()] and largest == np.abs(first["rod.q"]).max()
    assert f"{apart:.6g}" in words


def test_different_systems_can_be_compared(tmp_path: Path) -> None:
    system = kf.System("slide")
    system.add("cart", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Prismatic("x"), rates=1.0)
    path = kf.compare({"swing": swing(), "slide": system.simulate(0.5, output=0.1)}, tmp_path / "c.html")
    scene = inflated(path)
    assert [r["bodies"][0]["name"] for r in scene["runs"]] == ["rod", "cart"]
    energy = next(p for p in scene["plots"] if p["name"] == "energy.total")
    assert [x["run"] for x in energy["lines"]] == [0, 1]
    check_page(path)


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    run = swing()
    with pytest.raises(kf.ModelError, match="two or more"):
        kf.compare({"one": run}, tmp_path / "c.html")
    with pytest.raises(kf.ModelError, match='run "b" to compare is 3'):
        kf.compare({"a": run, "b": 3}, tmp_path / "c.html")  # type: ignore[dict-item]
    with pytest.raises(kf.ModelError, match=r'"segment\.q"'):
        kf.compare({"a": run, "b": run}, tmp_path / "c.html", ["segment.q"])
    assert not list(tmp_path.iterdir())


# -- modes --------------------------------------------------------------------------------------------------------------


def test_a_comparison_opens_where_the_runs_differ_most(tmp_path: Path) -> None:
    first, other = swing(), swing(1.5)
    found = {c: difference(first, other, c) or (0, 0, 1) for c in ("rod.q", "rod.rate")}
    ratios = {apart / largest: t for apart, t, largest in found.values()}
    assert len(set(ratios.values())) == 2
    at = inflated(kf.compare({"short": first, "long": other}, tmp_path / "c.html", list(found)))["at"]
    assert at == ratios[max(ratios)]


def test_modes_of_a_beam(tmp_path: Path) -> None:
    body = kf.Flexible(structures.Beam(2.0, 1e6, (40.0, 60.0), 1.0), modes=4, damping=0.01)
    path = body.show_modes(tmp_path / "modes.html")
    words = text_of(check_page(path))
    scene = inflated(path)
    assert scene["kind"] == "modes" and len(scene["runs"]) == 4
    hertz = body.modal.frequencies / (2 * np.pi)
    for j, run in enumerate(scene["runs"]):
        assert run["loop"] and len(run["t"]) == FRAMES + 1
        assert run["mode"]["frequency"] == pytest.approx(hertz[j]) and run["mode"]["damping"] == pytest.approx(0.01)
        q = run["bodies"][0]["modes"]
        assert q[0] == pytest.approx(q[-1]) and np.all(np.delete(q, j, axis=1) == 0)
        skin = run["bodies"][0]["shapes"][0]
        assert np.abs(q[0, j] * skin["modes"][j]).max() == pytest.approx(REACH * scene["size"], rel=0.1)
    heads, first = masses(path)[:2]  # of a cantilever: 61.3 % of its mass move with the first mode
    assert dict(zip(heads, first, strict=True))["mass z"] == "61.3 %" and first[heads.index("mass y")] == "0"
    assert "Effective masses" in words


def test_a_loaded_body_shows_its_modes(tmp_path: Path) -> None:
    body = kf.Flexible(structures.Beam(2.0, 1e6, (40.0, 60.0), 1.0), modes=2)
    here, there = (inflated(b.show_modes(tmp_path / f"{k}.html")) for k, b in enumerate((body, body.as_stored())))
    for a, b in zip(here["runs"], there["runs"], strict=True):
        assert a["bodies"][0]["modes"] == pytest.approx(b["bodies"][0]["modes"])
        assert a["mode"]["frequency"] == pytest.approx(b["mode"]["frequency"])


def test_modes_of_a_system(tmp_path: Path) -> None:
    """A double pendulum hanging, and a body that floats: oscillation, and rigid-body motion that is called so."""
    system = kf.System("double", gravity=(0, 0, -9.81))
    system.add("a", kf.Rigid(1.0, com=(0, 0, -1)), kf.Revolute("y"))
    system.add("b", kf.Rigid(1.0, com=(0, 0, -1)), kf.Revolute("y"), "a", at=(0, 0, -1))
    system.add("craft", kf.Rigid(1.0, inertia=(1, 2, 3)), kf.Free(), q=(3, 0, 0, 1, 0, 0, 0))
    path = system.show_modes(tmp_path / "modes.html")
    words = text_of(check_page(path))
    scene = inflated(path)
    swinging = [r for r in scene["runs"] if r["mode"]["frequency"] > 0]
    w = np.sqrt(9.81 * np.array([2 - np.sqrt(2), 2 + np.sqrt(2)]))
    assert [2 * np.pi * r["mode"]["frequency"] for r in swinging] == pytest.approx(w)
    assert "4 motions as a rigid body" in words
    for run, ratio in zip(swinging, (np.sqrt(2), -np.sqrt(2)), strict=True):
        angles = [rotations(b["pose"][:, 3:])[0] for b in run["bodies"][:2]]
        a, b = (np.arctan2(R[0, 2], R[0, 0]) for R in angles)
        assert b / a == pytest.approx(ratio, rel=0.02)  # of the absolute angles
        assert 0.03 < abs(a) < 0.6
    assert len(scene["runs"]) - len(swinging) == 4  # shifts and the turn about z: a tilted craft falls sideways
    for run in scene["runs"]:
        assert np.isfinite(run["bodies"][2]["pose"]).all()
        assert np.linalg.norm(run["bodies"][2]["pose"][:, 3:], axis=1) == pytest.approx(1, abs=1e-6)


def test_effective_masses_of_a_system_are_those_of_its_only_body(tmp_path: Path) -> None:
    """A cantilever: 0.6131, 0.1883, 0.0647 of its mass. With a free bus, vibration moves no mass centre."""
    beam = kf.Flexible(kf.structures.Beam(10.0, 2.8e7, (1.5e4, 1.4e4), 1.2, 20), modes=5)
    held, free = kf.System("held"), kf.System("free")
    held.add("arm", beam, kf.Fixed())
    free.add("bus", kf.Rigid(100.0, inertia=(20, 20, 20)), kf.Free())
    free.add("boom", beam, parent="bus")
    _, *rows, sums = masses(held.show_modes(tmp_path / "held.html"))
    assert [row[4] for row in rows] == ["61.3 %", "0", "18.8 %", "0", "6.47 %"]
    assert [row[5] for row in rows] == ["0", "61.3 %", "0", "18.8 %", "0"]
    assert sums[3:] == ["0", "86.6 %", "80.1 %"]
    _, rigid, *rows, _ = masses(free.show_modes(tmp_path / "free.html"))
    assert rigid[0] == "6 motions as a rigid body" and rigid[3:] == ["100 %"] * 3
    assert len(rows) == 5 and {row[4] for row in rows} == {"0"}


def test_modes_that_do_not_oscillate_and_those_of_held_systems(tmp_path: Path) -> None:
    system = kf.System("inverted", gravity=(0, 0, -9.81))
    system.add("rod", kf.Rigid(1.0, com=(0, 0, 1)), kf.Revolute("y"))
    system.add("base", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.hold(0.2)), at=(1, 0, 0))
    text = text_of(check_page(system.show_modes(tmp_path / "modes.html", title="Falls")))
    assert "grows without oscillation" in text and "decays without oscillation" in text and "Falls" in text
    scene = inflated(tmp_path / "modes.html")
    assert len(scene["runs"]) == 2 and np.ptp(scene["runs"][0]["bodies"][0]["pose"][:, 5]) > 0.01
    assert np.ptp(scene["runs"][0]["bodies"][1]["pose"], axis=0) == pytest.approx(0)


# -- gallery ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four-bar", "plate-spin-up", "lander"])
def test_pages_of_the_gallery(name: str, tmp_path: Path) -> None:
    run, _ = gallery_run(name)
    path = run.report(tmp_path / "report.html")
    check_page(path)
    assert path.stat().st_size < 2e6
    scene = inflated(path)
    for body in scene["runs"][0]["bodies"]:
        pose = body["pose"][:, :3]
        there = np.zeros(3) if body["name"] == "N" else run[f"{body['name']}.position"]
        assert np.abs(pose - there).max() <= 1e-6 * (1 + np.abs(pose).max())
        for shape in body["shapes"]:
            for field in ("size", "radius", "length"):
                assert np.min(shape.get(field, 1.0)) > 0 and np.max(shape.get(field, 0.0)) <= scene["size"]
