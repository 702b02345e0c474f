"""`kaneflex run ... --out` may end at any moment: what is there is whole and of one run; the next start overwrites it."""

import multiprocessing
import os
import re
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.cli import main
from kaneflex.gallery import Check, Example

FORK = multiprocessing.get_context("fork")
NAMES = ("first", "second")


def simulate(system: kf.System, p: Any, *, formulation: str, speeds: str) -> kf.Run:
    return system.simulate(0.5, output=0.1, formulation=formulation, speeds=speeds)


def build(p: Any) -> kf.System:
    system = kf.System("swing", gravity=(0, 0, -9.81))
    system.add("rod", kf.Rigid(1.0, com=(0, 0, -p["length"])), kf.Revolute("y"), q=0.3)
    return system


def figure(run: kf.Run, p: Any) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(1, 1))


def checks(run: kf.Run, p: Any) -> list[Check]:
    return [Check("first angle", run["rod.q"][0], 0.3, 1e-12, "as given")]


def example(name: str) -> Example:
    return Example(
        name=name,
        title=f"Title of {name}",
        document="Tests",
        source="none",
        parameters={"length": 1.0},
        build=build,
        simulate=simulate,
        checks=checks,
        figure=figure,
    )


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What every process needs is loaded and compiled before it is started."""
    run = simulate(build({"length": 1.0}), {}, formulation="recursive", speeds="customary")
    run.report(tmp_path_factory.mktemp("ready") / "report.html")


@pytest.fixture(autouse=True)
def gallery(ready: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaneflex.gallery.examples", lambda: {name: example(name) for name in NAMES})


def command(out: Path, length: float) -> None:
    main(["run", *NAMES, "--set", f"length={length}", "--out", str(out), "--json"])


def start(out: Path, length: float, moments: int | None) -> int:
    """Run the command in a process of its own, which is killed when it has been to the disk so many times."""

    def child() -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        left = [moments]

        def counted(call: Any) -> Any:
            def then(*words: Any, **more: Any) -> Any:
                if left[0] is not None:
                    left[0] -= 1
                    if left[0] < 0:
                        os.kill(os.getpid(), signal.SIGKILL)
                return call(*words, **more)

            return then

        for name in ("open", "fsync", "replace", "unlink"):
            setattr(os, name, counted(getattr(os, name)))
        command(out, length)

    process = FORK.Process(target=child)
    process.start()
    process.join()
    return int(process.exitcode)


def whole(out: Path) -> set[str]:
    """Check what is there; names of the systems that are finished."""
    for file in out.rglob("[!.]*"):
        data = file.read_bytes() if file.is_file() else b""
        if file.suffix == ".html":
            assert data.endswith(b"</html>\n"), file
        elif file.suffix == ".png":
            assert data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82"), file
        elif file.suffix == ".h5":
            assert len(kf.Run.load(file).t) == 6
    finished = set()
    for report in out.glob("*/report.html"):
        finished.add(report.parent.name)
        length = -kf.Run.load(report.parent / "run.h5").model.parts["rod"].body.com[2]
        shown = re.search(r"<dt>length</dt><dd>(.*?)</dd>", report.read_text(encoding="utf-8"))
        assert shown is not None and float(shown[1]) == length and (report.parent / "figure.png").exists()
    if (out / "index.html").exists():
        links = re.findall(r'href="(.*?)"', (out / "index.html").read_text(encoding="utf-8"))
        assert all((out / link).exists() for link in links)
    return finished


def check(out: Path, moments: int) -> bool:
    """A start is killed, the next one is left alone, and one after that is killed too; whether they were."""
    first = start(out, 1.0, moments)
    assert first in (-signal.SIGKILL, 0)
    whole(out)
    assert start(out, 2.0, None) == 0
    assert whole(out) == set(NAMES)
    index = (out / "index.html").read_text(encoding="utf-8")
    assert "2 of 2 systems passed" in index and "still to run" not in index
    assert sorted(os.listdir(out / "first")) == ["figure.png", "report.html", "run.h5"]
    assert sorted(os.listdir(out)) == ["first", "index.html", "second"]
    assert start(out, 3.0, moments) == first
    whole(out)
    return first != 0


@pytest.mark.parametrize("moments", [8, *np.random.default_rng(3).integers(30, size=3)])
def test_killed_at_a_random_moment(tmp_path: Path, moments: int) -> None:
    assert check(tmp_path / "out", int(moments))


@pytest.mark.thorough
@pytest.mark.parametrize("moments", range(50))
def test_killed_at_every_moment(tmp_path: Path, moments: int) -> None:
    assert check(tmp_path / "out", moments) or moments > 30


def test_the_index_grows_with_the_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there after the first run, with what is still to come."""
    seen = []

    def look(entries: Any, path: Path, **more: Any) -> Path:
        seen.append(([entry.title for entry in entries], more["waiting"]))
        return path

    monkeypatch.setattr("kaneflex.view.index.write_index", look)
    (tmp_path / "index.html").write_text("of an earlier start")
    with pytest.raises(SystemExit):
        command(tmp_path, 1.0)
    assert seen == [(["Title of first"], 1), (["Title of first", "Title of second"], 0)]
    assert not (tmp_path / "index.html").exists()
