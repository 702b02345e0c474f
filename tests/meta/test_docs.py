"""The documentation builds without a warning, its code and its commands run, and cited equations are there."""

import ast
import contextlib
import json
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

import kaneflex
import kaneflex.symbolic
from kaneflex import benchmarking, gallery
from kaneflex.cli import main
from kaneflex.simulate.methods import METHODS
from kaneflex.view import live

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "kaneflex"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_docs_build_without_warnings(tmp_path):
    for extra in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(extra, reason="the docs extra is not installed")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", ROOT / "docs", tmp_path]
    plain = ["-D", "html_theme=basic"]  # in half the time
    done = subprocess.run([*command, *plain], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = set(re.findall(r'id="kaneflex\.[\w.]*?(\w+)"', (tmp_path / "api.html").read_text()))
    modules = (kaneflex, kaneflex.structures, kaneflex.symbolic, kaneflex.profiles, kaneflex.blocks, kaneflex.orbits)
    modules += (kaneflex.parts,)
    public = {name for module in modules for name in module.__all__}
    assert public - {"structures", "blocks", "orbits", "parts", "profiles", "shapes", "sin", "cos", "sqrt"} <= shown
    for name, example in gallery.examples().items():
        assert example.title.partition("'")[0] in (tmp_path / "gallery" / f"{name}.html").read_text()


def test_every_system_has_a_picture_and_its_checks_are_recorded():
    names = set(gallery.examples())
    hint = "run scripts/make-pictures NAME"
    assert set(json.loads((ROOT / "docs" / "gallery.json").read_text())) == names, hint
    assert {path.stem for path in (ROOT / "docs" / "images" / "gallery").glob("*.png")} == names, hint


# -- code and commands -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_code_in_the_docs_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    methods, names = dict(METHODS), {}  # a page is read from top to bottom
    try:
        for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.S):
            exec(compile(block, page.stem, "exec"), names)
    finally:  # a page may add an integrator
        METHODS.clear()
        METHODS.update(methods)


def commands(text):
    """Lines of code blocks that are commands, and commands in the text, without what follows a #."""
    blocks = re.findall(r"^```(?:sh|console)\n(.*?)^```", text, re.S | re.M)
    lines = [line for block in blocks for line in block.splitlines()]
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    lines += [line.strip() for line in text.splitlines() if line.startswith("    ")]
    lines += re.findall(r"`((?:kaneflex|make) [^`]+)`", text)
    return [line.partition("#")[0].strip() for line in lines if re.match(r"(kaneflex|make) [a-z]", line.strip())]


COMMANDS = sorted({command for page in PAGES for command in commands(page.read_text())})
TYPED = [c for c in COMMANDS if c.startswith("kaneflex ") and not re.search(r"\b[A-Z]{3,}\b", c)]  # NAME: a pattern


def test_the_pages_have_commands():
    assert {"kaneflex list", "kaneflex doctor", "make demo", "make test", "make docs"} <= set(COMMANDS)
    text = "text\n\n    kaneflex list   # all\n\n```sh\nmake x\nls\n```\n\nSay `kaneflex run a`, not `kaneflexible`."
    assert commands(text) == ["make x", "kaneflex list", "kaneflex run a"]


#: Benchmarks that other tests run, with --quick.
MEASURED = {
    name for path in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"(\w+)\.measure\(True", path.read_text())
}


@pytest.mark.parametrize(
    "command", [pytest.param(c, marks=[pytest.mark.thorough] * (c == "kaneflex bench rigid")) for c in TYPED]
)
def test_a_command_of_the_docs_runs(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command)[1:]
    if words[0] == "bench" and len(words) > 1:
        words.append("--quick")
        if words[1] in MEASURED:  # a test of its own measures it in this way
            monkeypatch.setattr(benchmarking, "run", lambda path, quick, say: benchmarking.Benchmark(path.stem))
    if "all" in words:  # takes minutes: the two cheapest stand for all
        few = {name: gallery.examples()[name] for name in ("double-pendulum", "chaplygin-sleigh")}
        if "--group" not in words:
            monkeypatch.setattr(gallery, "examples", lambda: few)
    if words[0] == "live":  # it waits for Ctrl-C
        pytest.importorskip("viser", reason="viser is not installed (pip install 'kaneflex[view]')")
        words += ["--port", "0"]
        start = live.Live.start
        monkeypatch.setattr(live.Live, "start", lambda self, block: (start(self, False), self.close()))
    if words[:2] == ["bench", "rigid"]:  # Exudyn's fast build: a process has one build only
        subprocess.run([sys.executable, "-m", "kaneflex.cli", *words], check=True, stderr=subprocess.DEVNULL)
        return
    with contextlib.redirect_stderr(None):
        result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    if "--out" in words:
        out = tmp_path / words[words.index("--out") + 1]
        assert [*out.glob("*.html")]


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("make ")])
def test_a_target_of_the_docs_exists(command):
    makefile = (ROOT / "Makefile").read_text()
    for target in command.split()[1:]:
        assert re.search(rf"^{re.escape(target)}:", makefile, re.M), target


def test_the_demo_is_a_command_of_the_readme(tmp_path):
    """What `make demo` types runs, and writes what the README says."""
    demo = re.search(r"^demo:.*\n\t\$\(BIN\)/kaneflex (.*)", (ROOT / "Makefile").read_text(), re.M)[1]
    words = shlex.split(demo.replace("$(DEMO)", str(tmp_path)))
    assert CliRunner().invoke(main, words).exit_code == 0
    assert (tmp_path / "report.html").exists()


# -- equations ---------------------------------------------------------------------------------------------------------

MODULES = {path.relative_to(SOURCE).as_posix(): path.read_text() for path in sorted(SOURCE.rglob("*.py"))}
NUMBER = re.compile(r" {2,}\((\d+)\)$", re.M)  # at the end of a displayed line
CITED = re.compile(r"\b[Ee]q(?:uation)?s?\.? ((?:\(\d+\)(?:,| to| and| or)? ?)+)(?:of `(\w+)`)?|`(\w+)` \((\d+)\)")


@cache
def displayed(text):
    """Numbers of the equations that are displayed in docstrings of modules and classes."""
    owners = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Module | ast.ClassDef)]
    return {int(n) for node in owners for n in NUMBER.findall(ast.get_docstring(node) or "")}


def citations(text):
    """(module or None, number) of equations that docstrings cite, ranges counted out."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for numbers, owner, other, number in CITED.findall(ast.get_docstring(node) or ""):
                found = [int(n) for n in re.findall(r"\d+", numbers or number)]
                if " to " in numbers:
                    found = list(range(found[0], found[-1] + 1))
                yield from ((owner or other or None, n) for n in found)


@cache
def sections():
    """The module of every section of the theory pages, and the numbers of its equations."""
    found = {}
    for page in sorted((ROOT / "docs").glob("theory*.md")):
        for part in re.split(r"Module (?=`)", page.read_text())[1:]:
            module = re.match(r"`([\w/]+\.py)`", part)[1]
            found[module] = [int(n) for n in re.findall(r"(?:\\qquad|&) \((\d+)\)", part)]
    return found


def test_equations_of_a_module_are_those_of_its_section():
    found = {name: sorted(displayed(text)) for name, text in MODULES.items() if "gallery" not in name and displayed(text)}
    assert found == sections()


@pytest.mark.parametrize("folder", sorted({name.rpartition("/")[0] for name in MODULES}))
def test_cited_equations_are_there(folder):
    for module in MODULES:
        if module.rpartition("/")[0] == folder:
            equations_are_there(module)


def equations_are_there(module):
    for owner, number in citations(MODULES[module]):
        home = module
        if owner is not None:
            namesakes = [name for name in MODULES if name.endswith(f"/{owner}.py")]
            home = min(namesakes, key=lambda name: Path(name).parent != Path(module).parent)  # first in its own folder
        elif not displayed(MODULES[module]):
            home = f"{Path(module).parent}/__init__.py"
        assert number in displayed(MODULES[home]), f"{module} cites ({number}) of {home}"


def test_citations_are_seen():
    text = '''"""A module.

    a = b                                  (1)
"""
def f():
    """Eqs. (1) to (3), equation (4) and `other` (5); the bracket of Eq. (6) of `more`."""
'''
    assert displayed(text) == {1}
    assert sorted(citations(text), key=lambda c: c[1]) == [
        (None, 1), (None, 2), (None, 3), (None, 4), ("other", 5), ("more", 6),
    ]  # fmt: skip
