"""The report page: whole, offline, escaped."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from view.scenes import inflated

import kaneflex as kf
from kaneflex.gallery import Check
from kaneflex.view.curves import chosen_channels
from kaneflex.view.page import asset
from kaneflex.view.report import write_report

EMPTY = {"meta", "img", "br", "hr", "link", "input"}
SCRIPTS = 3  # scene, numbers, viewer


class Page(HTMLParser):
    """Collects tags, addresses and text, and checks that tags are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [str(v) for k, v in attrs if k in ("src", "href", "action", "data", "srcset")]
        assert not any(k.startswith("on") for k, _ in attrs)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("script", "style"):
            self.words.append(data)


def without_the_viewer(text: str) -> str:
    """A page without the viewer's script, which names spaces of XML, and style."""
    return text.replace(asset("assets/viewer.js"), "").replace(asset("assets/viewer.css"), "")


def swing(rods: int = 2, name: str = "rod") -> kf.Run:
    system = kf.System("swing", gravity=(0, 0, -9.81))
    parent = None
    for k in range(rods):
        rod = kf.Rigid(1.0, com=(0, 0, -0.5))
        parent = system.add(f"{name}{k}", rod, kf.Revolute("y"), parent=parent, at=(0, 0, -1.0) if k else None, q=0.1)
    system.apply("damper", kf.JointSpring(f"{name}0", damping=0.2))
    return system.simulate(0.2, output=0.05, method="auto")


@pytest.fixture(scope="module")
def run() -> kf.Run:
    return swing()


def text_of(page: Page) -> str:
    return " ".join(" ".join(page.words).split())


def test_one_page_without_network(run: kf.Run, tmp_path: Path) -> None:
    path = run.report(tmp_path / "new" / "report.html")
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert page.addresses and all(a.startswith("data:image/") for a in page.addresses)
    own = without_the_viewer(text)
    assert "http:" not in own and "https:" not in own
    assert "//" not in re.sub(r"data:[^\"]*|id=\"kaneflex-bytes\">[^<]*", "", own)
    assert page.tags.count("script") == SCRIPTS
    assert not {"link", "iframe", "object", "base", "form"} & set(page.tags)
    assert "url(" not in own and "@import" not in text
    places = {f"kaneflex-{place}" for place in ("viewer", "plots", "scene", "bytes")}
    assert places <= set(re.findall(r'id="([\w-]+)"', own))


def test_only_the_viewers_own_script_may_run(run: kf.Run, tmp_path: Path) -> None:
    text = run.report(tmp_path / "report.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None and policy[1].startswith("default-src 'none'; ")
    code = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert len(code) == 1
    digest = base64.b64encode(hashlib.sha256(code[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy[1]
    assert "unsafe-eval" not in policy[1] and "connect-src" not in policy[1]


def test_without_a_viewer_there_are_the_figures(run: kf.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaneflex.view.page.asset", lambda name: "" if name.startswith("assets/") else "p { }")
    page = Page(run.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "script" not in page.tags and page.tags.count("img") == 2
    assert "no viewer" in text_of(page)


def test_what_it_says(run: kf.Run, tmp_path: Path) -> None:
    checks = [Check("angle", 1.0, 1.0, 1e-9, "closed form"), Check("length", 2.0, 1.0, 1e-9, "a book")]
    path = write_report(
        run,
        tmp_path / "report.html",
        checks=checks,
        title="Swing",
        source="A paper",
        parameters={"mass": 1.5},
        command="kaneflex run swing",
    )
    text = text_of(Page(path.read_text(encoding="utf-8")))
    for words in (
        "Swing", "A paper", "1 of 2 checks passed", "closed form", "failed", "audit passed", "energy against work",
        "evaluations", f"dopri5, chosen: {run.method_choice}", "Revolute", "damper (JointSpring)", "mass 1.5",
        "kaneflex run swing", "not conserved here",
    ):  # fmt: skip
        assert words in text
    assert "quaternion" not in text


def test_without_a_command_it_shows_the_call(run: kf.Run, tmp_path: Path) -> None:
    text = text_of(Page(run.report(tmp_path / "report.html").read_text(encoding="utf-8")))
    assert "system.simulate(0.2, method='auto'" in text


def test_everything_is_escaped(tmp_path: Path) -> None:
    evil = "<script>alert('&\"')</script>"
    run = swing(1, name="<img>")
    checks = [Check(evil, np.nan, 0.0, 1.0, evil)]
    path = write_report(
        run,
        tmp_path / "report.html",
        checks=checks,
        title=evil,
        source=evil + " https://example.org/x.js",
        parameters={evil: evil},
        command=evil,
    )
    page = Page(path.read_text(encoding="utf-8"))
    assert page.tags.count("script") == SCRIPTS
    scene = inflated(path)
    assert scene["title"] == evil and scene["runs"][0]["bodies"][0]["name"] == "<img>0"
    assert all(a.startswith("data:") for a in page.addresses)
    assert text_of(page).count("alert('&\"')") >= 6
    assert "not finite" in text_of(page)


def test_a_given_figure_is_shown(run: kf.Run, tmp_path: Path) -> None:
    figure = run.plot("rod0.q")
    text = write_report(run, tmp_path / "report.html", figure=figure).read_text(encoding="utf-8")
    assert len(re.findall(r"<img ", without_the_viewer(text))) == 1


def test_a_crowded_figure_is_stored_as_pixels(run: kf.Run, tmp_path: Path) -> None:
    figure = run.plot("rod0.q")
    t = np.linspace(0, 0.2, 400)
    for k in range(200):
        figure.axes[0].plot(t, np.sin(1000 * t + k))
    text = write_report(run, tmp_path / "report.html", figure=figure).read_text(encoding="utf-8")
    assert "data:image/png;base64," in text


def test_a_long_chain_is_cut_and_no_recursion_is_needed(tmp_path: Path) -> None:
    path = swing(1200).report(tmp_path / "report.html")
    text = text_of(Page(path.read_text(encoding="utf-8")))
    assert "The first 200 of 1200 bodies" in text
    assert path.stat().st_size < 8e6
    assert f"{len(inflated(path)['runs'][0]['t'])} of" not in text  # five samples of it need no thinning


def test_a_joint_that_gets_more_coordinates(tmp_path: Path) -> None:
    """A pendulum's bob is cut off and flies: its one coordinate becomes three, and the page shows its place."""
    s = kf.System("cut", gravity=(0, 0, -9.81))
    s.add("bob", kf.Rigid(1.0, com=(1, 0, 0), inertia=(0, 0, 0)), kf.Revolute("y"))
    cut = kf.Event(lambda t: t - 0.2, action=lambda state, change: change.detach("bob"), name="cut")
    run = s.simulate(0.4, events=[cut])
    page = Page(run.report(tmp_path / "cut.html").read_text(encoding="utf-8"))
    assert "script" in page.tags and chosen_channels(run)[0] == "bob.position"
