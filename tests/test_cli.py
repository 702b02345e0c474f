"""The command line: what it prints, where, and with which exit status."""

import json
import math
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

import kaneflex as kf
from kaneflex import benchmarking
from kaneflex import doctor as doctor_module
from kaneflex.cli import main
from kaneflex.cli.output import plain
from kaneflex.gallery import DOCUMENTS, Check, Example, examples

NOISE = "this must not reach standard output"
PARAMETERS = {"angle": 0.3, "length": 1.0, "rods": 1}


def build(p: Any) -> kf.System:
    system = kf.System("swing", gravity=(0, 0, -9.81))
    parent = None
    for k in range(p["rods"]):
        rod = kf.Rigid(1.0, com=(0, 0, -p["length"]))
        parent = system.add(
            f"rod{k}", rod, kf.Revolute("y"), parent=parent, at=(0, 0, -p["length"]) if k else None, q=p["angle"]
        )
    return system


def simulate(system: kf.System, p: Any, *, formulation: str, speeds: str) -> kf.Run:
    print(NOISE)
    return system.simulate(1.0, formulation=formulation, speeds=speeds)


def checks(run: kf.Run, p: Any) -> list[Check]:
    return [Check("first angle", run["rod0.q"][0], 0.3, 1e-12, "as given")]


def figure(run: kf.Run, p: Any) -> Any:
    return run.plot("rod0.q")


def example(**changes: Any) -> Example:
    given = {
        "name": "swing",
        "title": "A swinging rod",
        "document": "Tests",
        "source": "none",
        "parameters": PARAMETERS,
        "build": build,
        "simulate": simulate,
        "checks": checks,
        "figure": figure,
    }
    return Example(**(given | changes))


def strict(text: str) -> Any:
    def refuse(token: str) -> Any:
        raise AssertionError(f"{token} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def gallery(monkeypatch: pytest.MonkeyPatch) -> dict[str, Example]:
    found = {"swing": example(), "other": example(name="other", document="More tests", chapter="chapter 12")}
    monkeypatch.setattr("kaneflex.gallery.examples", lambda: found)
    return found


def invoke(*words: str) -> Any:
    return CliRunner().invoke(main, list(words))


def one_line(result: Any) -> str:
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = [line for line in result.stderr.strip().splitlines() if line != NOISE]
    assert len(lines) == 1 and lines[0].startswith("kaneflex: ")
    return lines[0]


# -- list --------------------------------------------------------------------------------------------------------------


def test_list_groups_by_document(gallery: Any) -> None:
    text = invoke("list").stdout
    places = [text.index(words) for words in ("More tests", "chapter 12", "other", "Tests", "swing  ")]
    assert places == sorted(places)
    assert "A swinging rod" in text


def test_list_of_a_group(gallery: Any) -> None:
    text = invoke("list", "--group", "more TESTS").stdout
    assert "other" in text and "swing " not in text
    assert 'no system is of the group "chapter 1": the documents are "More tests", "Tests"' in one_line(
        invoke("list", "--group", "chapter 1")
    )


def test_the_gallery_is_listed_by_document_and_chapter() -> None:
    lines = invoke("list").stdout.splitlines()
    documents = [line for line in lines[:-1] if not line.startswith(" ")]
    assert documents == [d for d in DOCUMENTS if d in documents] and documents[0] == DOCUMENTS[0]
    chapters = [line.strip() for line in lines[: lines.index(documents[1])] if line.startswith("  chapter")]
    assert chapters == sorted(chapters, key=lambda c: int(re.findall(r"\d+", c)[0]))
    assert len([line for line in lines if line.startswith("    ")]) == len(examples())


def test_list_as_json(gallery: Any) -> None:
    rows = strict(invoke("list", "--json").stdout)
    fields = {"name", "title", "about", "document", "chapter", "source", "parameters"}
    assert [set(row) for row in rows] == [fields] * 2
    assert rows[0]["parameters"] == PARAMETERS
    assert [row["chapter"] for row in rows] == ["chapter 12", ""]
    assert rows[0]["about"] == "The command line: what it prints, where, and with which exit status."


# -- run ---------------------------------------------------------------------------------------------------------------


def test_run_shows_checks_audit_and_times(gallery: Any) -> None:
    result = invoke("run", "swing")
    assert result.exit_code == 0, result.output
    for words in ("first angle", "as given", "audit passed", "steps", "compiling"):
        assert words in result.stdout
    assert NOISE not in result.stdout


def test_run_writes_nothing_without_out(gallery: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("run", "swing").exit_code == 0
    assert list(tmp_path.iterdir()) == []


def test_run_as_json(gallery: Any) -> None:
    result = invoke("run", "swing", "--json", "--formulation", "dense", "--speeds", "efficient", "--set", "rods=2")
    assert result.exit_code == 0, result.output
    data = strict(result.stdout)
    assert data["name"] == "swing" and data["status"] == "done" and data["ok"] is True
    assert data["parameters"] == PARAMETERS | {"rods": 2}
    assert (data["formulation"], data["speeds"]) == ("dense", "efficient")
    assert set(data["checks"][0]) == {"name", "value", "reference", "tolerance", "ok", "source", "kind"}
    assert data["audit"]["ok"] is True and data["audit"]["energy_drift"] < 1e-6
    assert set(data["timing"]) == {"steps", "evaluations", "seconds", "compile_seconds", "total"}
    assert data["timing"]["total"] >= data["timing"]["seconds"] > 0
    assert NOISE in result.stderr


def test_run_writes_files(gallery: Any, tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    result = invoke("run", "swing", "--out", str(out), "--set", "angle=0.3", "--set", "length=2.5", "--json")
    assert result.exit_code == 0, result.output
    assert sorted(p.name for p in out.iterdir()) == ["figure.png", "report.html", "run.h5"]
    assert (out / "figure.png").read_bytes()[:4] == b"\x89PNG"
    assert kf.Run.load(out / "run.h5").model.parts["rod0"].body.com == (0, 0, -2.5)
    assert "kaneflex run swing --set length=2.5<" in (out / "report.html").read_text()
    assert [Path(f).name for f in strict(result.stdout)["files"]] == ["run.h5", "figure.png", "report.html"]


def test_several_systems_write_a_folder_each_and_an_index(gallery: Any, tmp_path: Path) -> None:
    result = invoke("run", "other", "swing", "--out", str(tmp_path), "--set", "length=2")
    assert result.exit_code == 0, result.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["index.html", "other", "swing"]
    assert sorted(p.name for p in (tmp_path / "other").iterdir()) == ["figure.png", "report.html", "run.h5"]
    page = (tmp_path / "index.html").read_text()
    assert re.search("other/report.html.*More tests, chapter 12.*swing/report.html.*Tests<", page, re.S)
    for words in ("2 of 2 systems passed", "1 of 1 checks", "audit passed", "kaneflex run swing --set length=2.0"):
        assert words in page
    assert page.count("data:image/png;base64,") == 2
    assert "<script" not in page and "http:" not in page and "https:" not in page
    assert "2 of 2 systems passed" in result.stdout and "index.html" in result.stdout
    assert "swing: 1 of 1 checks, audit passed" in result.stderr, "a line for each, on a pipe"


def test_all_of_them_and_a_group_of_them(gallery: Any) -> None:
    data = strict(invoke("run", "all", "--json").stdout)
    assert data["ok"] is True and data["index"] is None
    assert [system["name"] for system in data["systems"]] == ["other", "swing"]
    data = strict(invoke("run", "all", "--group", "more tests", "--json").stdout)
    assert [system["name"] for system in data["systems"]] == ["other"]
    data = strict(invoke("run", "swing", "all", "swing", "--json").stdout)
    assert [system["name"] for system in data["systems"]] == ["swing", "other"], "each once"


@pytest.mark.parametrize("error", [RuntimeError("a mistake"), kf.ModelError("a mistake"), ValueError("a mistake")])
def test_one_that_fails_does_not_stop_the_others(gallery: Any, tmp_path: Path, error: Exception) -> None:
    def fail(system: kf.System, p: Any, **ways: str) -> kf.Run:
        raise error

    gallery["other"] = example(name="other", simulate=fail)
    result = invoke("run", "all", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "1 of 2 systems passed" in result.stdout and "a mistake" in result.stdout
    assert "other: FAILED" in result.stderr and "swing: 1 of 1 checks" in result.stderr
    assert not (tmp_path / "other" / "report.html").exists() and (tmp_path / "swing" / "report.html").exists()
    page = (tmp_path / "index.html").read_text()
    assert "1 of 2 systems passed" in page and "a mistake" in page and "other/report.html" not in page


def test_a_failed_check_among_several_is_status_1(gallery: Any) -> None:
    gallery["swing"] = example(checks=lambda run, p: [Check("wrong", 1.0, 0.0, 1e-9, "test")])
    result = invoke("run", "all")
    assert result.exit_code == 1 and "0/1" in result.stdout and "1 of 2 systems passed" in result.stdout


@pytest.mark.parametrize("value", [1.0, math.nan, math.inf])
def test_a_failed_check_is_status_1(gallery: Any, value: float) -> None:
    gallery["swing"] = example(checks=lambda run, p: [Check("wrong", value, 0.0, 1e-9, "test")])
    result = invoke("run", "swing", "--json")
    assert result.exit_code == 1
    data = strict(result.stdout)
    assert data["ok"] is False and data["checks"][0]["ok"] is False
    assert data["checks"][0]["value"] == (value if math.isfinite(value) else None)
    assert "FAILED" in invoke("run", "swing").stdout


def test_a_failed_audit_is_status_1(gallery: Any) -> None:
    def coarse(system: kf.System, p: Any, **ways: str) -> kf.Run:
        return system.simulate(5.0, method="rk4", step=0.4, **ways)

    gallery["swing"] = example(simulate=coarse, parameters=PARAMETERS | {"angle": 2.5}, checks=lambda run, p: [])
    result = invoke("run", "swing")
    assert result.exit_code == 1
    assert "audit FAILED" in result.stdout


def test_a_failed_simulation_is_status_1(gallery: Any) -> None:
    def fail(system: kf.System, p: Any, **ways: str) -> kf.Run:
        raise kf.SimulationError("the step became too small", None)  # type: ignore[arg-type]

    gallery["swing"] = example(simulate=fail)
    result = invoke("run", "swing", "--json")
    assert result.exit_code == 1
    data = strict(result.stdout)
    assert data["status"] == "failed" and data["audit"] is None and "too small" in data["message"]
    text = invoke("run", "swing")
    assert text.exit_code == 1 and "too small" in text.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("run", "swimg"), 'did you mean "swing"'),
        (("run", "swing", "--set", "lenght=2"), 'no parameter "lenght"'),
        (("run", "swing", "--set", "length=long"), "give a finite number"),
        (("run", "swing", "--set", "length=nan"), "finite"),
        (("run", "swing", "--set", "rods=1.5"), "give a whole number"),
        (("run", "swing", "--set", "rods=inf"), "whole number"),
        (("run", "swing", "--set", "length"), "key=value"),
        (("run", "swing", "--set", "=2"), "key=value"),
        (("run", "swing", "--formulation", "lagrange"), "lagrange"),
        (("run", "swing", "--speeds", "none"), "none"),
        (("run",), "NAMES"),
        (("run", "swing", "swimg"), 'did you mean "swing"'),
        (("run", "all", "--set", "lenght=2"), 'no parameter "lenght"'),
        (("run", "all", "--group", "nobody"), 'no system is of the group "nobody"'),
        (("walk",), "walk"),
        (("run", "swing", "--colour"), "--colour"),
        (("bench", "simulat"), 'did you mean "simulate"'),
    ],
)
def test_bad_input_is_one_line_and_status_2(gallery: Any, words: tuple[str, ...], expected: str) -> None:
    assert expected in one_line(invoke(*words))


def test_a_model_that_cannot_be_is_bad_input(gallery: Any) -> None:
    assert "has no bodies" in one_line(invoke("run", "swing", "--set", "rods=0"))


def test_other_errors_of_changed_parameters_are_bad_input(gallery: Any) -> None:
    gallery["swing"] = example(build=lambda p: 1 / (p["length"] - 2.0))
    assert "ZeroDivisionError" in one_line(invoke("run", "swing", "--set", "length=2"))


def test_a_file_in_the_place_of_the_folder(gallery: Any, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    assert "cannot write" in one_line(invoke("run", "swing", "--out", str(tmp_path / "out")))


# -- bench -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def tiny_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "helper.py").write_text("x = 1\n")
    (folder / "tiny.py").write_text(
        textwrap.dedent(
            '''
            """A tiny benchmark."""
            from dataclasses import dataclass
            from kaneflex.benchmarking import Benchmark, Fit, Row

            def measure(quick, say):
                print("noise")
                say(f"quick is {quick}")
                rows = [Row("case", 7, "peer", 2.0, 5.0, "s"), Row("alone", 7, None, float("nan"), None, "s")]
                return Benchmark("tiny", rows, [Fit("case", 1.0)], ["a note"], ("click", "no-such-package"))
            '''
        )
    )
    (folder / "needs.py").write_text("import no_such_engine\n\ndef measure(quick, say): ...\n")
    monkeypatch.setattr(benchmarking, "places", lambda: [tmp_path / "nowhere", folder])
    return folder


def test_bench_as_json(tiny_benchmark: Path) -> None:
    result = invoke("bench", "tiny", "--quick", "--json")
    assert result.exit_code == 0, result.output
    data = strict(result.stdout)
    assert set(data) == {"name", "machine", "versions", "rows", "fits", "notes"}
    assert data["rows"][0] == {
        "case": "case", "size": 7, "peer": "peer", "kaneflex": 2.0, "peer_value": 5.0, "unit": "s", "ratio": 2.5,
    }  # fmt: skip
    assert data["rows"][1]["kaneflex"] is None and data["rows"][1]["ratio"] is None
    assert data["fits"] == [{"case": "case", "exponent": 1.0}]
    assert data["versions"]["click"] and data["versions"]["no-such-package"] is None
    assert "quick is True" in result.stderr and "noise" in result.stderr


def test_bench_as_table(tiny_benchmark: Path) -> None:
    text = invoke("bench", "tiny").stdout
    assert "2.50" in text and "a note" in text and "n^1.00" in text


def test_bench_lists(tiny_benchmark: Path) -> None:
    text = invoke("bench").stdout
    assert "tiny" in text and "A tiny benchmark." in text and "helper" not in text
    assert strict(invoke("bench", "--json").stdout) == [
        {"name": "needs", "title": "needs"},
        {"name": "tiny", "title": "A tiny benchmark."},
    ]


def test_bench_names_the_missing_engine(tiny_benchmark: Path) -> None:
    result = invoke("bench", "needs")
    assert result.exit_code == 1
    assert "no_such_engine" in result.stderr and "oracles" in result.stderr


def test_bench_outside_the_source_tree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(benchmarking, "places", lambda: [tmp_path])
    result = invoke("bench")
    assert result.exit_code == 1
    assert "source tree" in result.stderr and len(result.stderr.strip().splitlines()) == 1


def test_the_benchmarks_of_the_source_tree_are_found() -> None:
    assert {"rigid", "simulate"} <= set(benchmarking.benchmarks())


def test_growth() -> None:
    sizes = [30, 100, 300]
    assert benchmarking.growth(sizes, [2.0 * n**1.5 for n in sizes]) == pytest.approx(1.5, abs=1e-12)


# -- doctor and the rest -----------------------------------------------------------------------------------------------


def test_doctor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stale = tmp_path / "0123456789abcdef"
    stale.mkdir()
    (stale / "kernel.nbi").write_bytes(b"x" * 1000)
    (tmp_path / "something-else").mkdir()
    monkeypatch.setenv("KANEFLEX_CACHE", str(tmp_path))
    monkeypatch.setitem(doctor_module.OPTIONAL, "no_such_package", ("extra", "a wonder"))
    result = invoke("doctor")
    assert result.exit_code == 0
    for words in (
        "python",
        "llvmlite",
        "symengine",
        "h5py",
        f"rm -r {stale}",
        "nothing compiled",
        "[extra]",
        "a wonder",
    ):
        assert words in result.stdout
    assert "something-else" not in result.stdout
    data = strict(invoke("doctor", "--json").stdout)
    assert data["cache"]["others"] == [{"path": str(stale), "files": 1, "bytes": 1000}]


def test_version() -> None:
    result = invoke("--version")
    assert (result.exit_code, result.stdout.strip()) == (0, f"kaneflex {kf.__version__}")


def test_no_command_shows_help() -> None:
    result = invoke()
    assert result.exit_code == 0 and "Usage" in result.stdout


def _commands() -> list[click.Command]:
    return [main, *main.commands.values()]


@pytest.mark.parametrize("command", _commands(), ids=lambda c: str(c.name))
def test_every_option_is_documented(command: click.Command) -> None:
    context = click.Context(command)
    assert command.get_help(context)
    assert command.help
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{command.name}: {parameter.opts} has no help"
        else:
            assert str(parameter.human_readable_name) in str(command.help)


def test_plain_keeps_json_strict() -> None:
    data = plain(
        {"a": np.float64(1.5), "b": np.array([1.0, np.inf]), "c": (math.nan, np.int64(3)), "d": np.bool_(True), 5: None}
    )
    assert json.dumps(data, allow_nan=False) == '{"a": 1.5, "b": [1.0, null], "c": [null, 3], "d": true, "5": null}'


def _subprocess(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300, env=os.environ)


def test_as_a_process() -> None:
    result = _subprocess("-m", "kaneflex.cli", "run", "no-such-system")
    assert result.returncode == 2 and result.stdout == ""
    assert "no-such-system" in result.stderr and "Traceback" not in result.stderr


def test_starting_imports_nothing_heavy_that_is_not_needed() -> None:
    code = "import sys, kaneflex.cli; print([m for m in ('matplotlib', 'rich', 'h5py', 'pandas') if m in sys.modules])"
    assert _subprocess("-c", code).stdout.strip() == "[]"


def test_a_system_is_found_without_importing_the_others() -> None:
    code = "import sys; from kaneflex.cli.list_systems import *; "
    code += "print(find_example('double-pendulum').name, sorted(sys.modules))"
    name, _, modules = _subprocess("-c", code).stdout.partition(" ")
    assert name == "double-pendulum"
    assert "kaneflex.gallery.double_pendulum" in modules and "kaneflex.gallery.sieve" not in modules
