"""The documentation builds without a warning, its code and its commands run, and cited equations are there."""

import contextlib
import io
import json
import re
import shlex
import subprocess
import sys
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
sys.path.append(str(ROOT / "docs"))
import book_page  # noqa: E402
import formulas  # noqa: E402
from equations import citations, displayed  # noqa: E402

SOURCE = ROOT / "src" / "kaneflex"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_docs_build_without_warnings(tmp_path):
    for extra in ("sphinx", "furo", "myst_parser", "math_core", "ziamath"):
        pytest.importorskip(extra, reason="the docs extra is not installed")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", ROOT / "docs", tmp_path]
    plain = ["-D", "html_theme=basic"]  # in half the time
    done = subprocess.run([*command, *plain], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = set(re.findall(r'id="kaneflex\.[\w.]*?(\w+)"', "".join(page.read_text() for page in tmp_path.glob("api*.html"))))
    modules = (kaneflex, kaneflex.structures, kaneflex.symbolic, kaneflex.profiles, kaneflex.blocks, kaneflex.orbits)
    modules += (kaneflex.parts,)
    public = {name for module in modules for name in module.__all__}
    assert public - {"structures", "blocks", "orbits", "parts", "profiles", "shapes", "sin", "cos", "sqrt"} <= shown
    for name, example in gallery.examples().items():
        assert example.title.partition("'")[0] in (tmp_path / "gallery" / f"{name}.html").read_text()
    # Pages fetch nothing from elsewhere, and what was typed as LaTeX is set.
    for page in tmp_path.rglob("*.html"):
        text = page.read_text()
        assert not re.search(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?//', text), page
        assert not re.search(r"\\(?:begin|frac|tfrac|dot|omega)\b", re.sub(r"<pre>.*?</pre>", "", text, flags=re.S)), page
    assert (tmp_path / "theory.html").read_text().count("<math") > 300
    assert (tmp_path / "_static" / "STIXTwoMath-Regular.ttf").exists()


def test_every_system_has_a_picture_and_its_checks_are_recorded():
    names = set(gallery.examples())
    hint = "run scripts/make-pictures NAME"
    assert set(json.loads((ROOT / "docs" / "gallery.json").read_text())) == names, hint
    assert {path.stem for path in (ROOT / "docs" / "images" / "gallery").glob("*.png")} == names, hint
    assert {path.stem for path in (ROOT / "docs" / "images" / "cards").glob("*.webp")} == names, hint


@pytest.mark.parametrize(
    ("typed", "set_"),
    [
        ("t'' = w^2 sin t ,   w^2 = 3 g/(2 L)      (1)", r"t'' = w^{2} \sin t , \quad w^{2} = 3 g/(2 L) && (1)"),
        ("Kg_ij = int m (L^2 - x^2)/2 phi_i' dx", r"\mathit{Kg}_{ij} = \int m (L^{2} - x^{2})/2 \phi_{i}' \,dx"),
        ("v+ = v + K P ,  K = 1/m - r~ I^-1 r~.", r"v^{+} = v + K P , \quad K = 1/m - \widetilde{r} I^{-1} \widetilde{r}."),
        ("w_edge = e^{it} sqrt(EI/(m L^4))", r"w_{\mathrm{edge}} = e^{it} \sqrt{EI/(m L^{4})}"),
        ("n.(v t) = 0 at a rim, a.b", r"n \cdot (v t) = 0 \text{ at a rim }, a \cdot b"),
        (
            "[1  u1'] [a^2]\n[0  m  ] [b  ]",
            r"\begin{bmatrix}1 & u_{1}' \\ 0 & m\end{bmatrix} \begin{bmatrix}a^{2} \\ b\end{bmatrix}",
        ),
    ],
)
def test_formulas_as_typed_become_mathematics(typed, set_):
    assert formulas.is_formula(typed) or "[" in typed
    plain = lambda text: re.sub(r"\s+", "", text)
    found = re.search(r"aligned}\s*& (.*?)\s*\\end{aligned}", formulas.display(typed), re.S)[1]
    assert plain(found) == plain(set_)


def test_words_and_tables_are_no_formulas():
    assert not formulas.is_formula("plain            four vibration modes with the tip free")
    assert not formulas.is_formula("the pipe both, with the angular momentum of its flow")
    assert not formulas.is_formula("see `x` = 3")


# -- code and commands -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_code_in_the_docs_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    methods, names = dict(METHODS), {}  # a page is read from top to bottom
    try:
        both = r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?"
        for block, shown in re.findall(both, page.read_text(), re.S):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                exec(compile(block, page.stem, "exec"), names)
            assert_printed(said.getvalue(), shown)
    finally:  # a page may add an integrator
        METHODS.clear()
        METHODS.update(methods)


def assert_printed(said, shown):
    """What a page shows behind a block of code is what it prints, "..." standing for the rest of a line."""
    for line, expected in zip(said.splitlines(), shown.splitlines(), strict=False):
        assert line.startswith(expected.removesuffix("...")) if expected.endswith("...") else line == expected
    assert len(said.splitlines()) >= len(shown.splitlines())


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


def test_equations_of_a_module_are_those_of_its_section():
    found = {name: sorted(displayed(text)) for name, text in MODULES.items() if "gallery" not in name and displayed(text)}
    assert found == {f"{name}.py": numbers for name, (_, _, _, numbers) in book_page.sections().items()}


@pytest.mark.thorough
def test_the_chapters_of_the_book_are_made_of_modules_that_are_there():
    """Each once; and the page leads from an equation to its line and to what computes it."""
    named = [module for _, modules in book_page.CHAPTERS.values() for module in modules.split()]
    assert len(named) == len(set(named)) and set(named) <= set(book_page.sections())
    chapters = {e.chapter for e in gallery.in_order() if e.document.startswith("Banerjee, Flexible")}
    numbers = lambda names: {n for name in names for n in re.findall(r"\d+", name)}
    assert numbers(chapters) <= numbers(book_page.CHAPTERS)
    page = book_page.text()
    (row,) = [line for line in page.splitlines() if "`kernels/energy.py`" in line]
    line = int(re.search(r"\(2\) line (\d+), `centre`", row)[1])
    assert (SOURCE / "kernels" / "energy.py").read_text().splitlines()[line - 1].endswith("(2)")


@pytest.mark.parametrize("folder", sorted({name.rpartition("/")[0] for name in MODULES}))
def test_cited_equations_are_there(folder):
    for module in MODULES:
        if module.rpartition("/")[0] == folder:
            equations_are_there(module)


def equations_are_there(module):
    for owner, number, _ in citations(MODULES[module]):
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
    assert displayed(text) == {1: 3}
    assert sorted(citations(text), key=lambda c: c[1]) == [
        (None, 1, "f"), (None, 2, "f"), (None, 3, "f"), (None, 4, "f"), ("other", 5, "f"), ("more", 6, "f"),
    ]  # fmt: skip
