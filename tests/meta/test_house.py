"""Rules of the house that a machine can check."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import kaneflex.precompile  # noqa: F401  (brings in all kernels)
from kaneflex.kernels import backend
from kaneflex.kernels.schema import TABLES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "kaneflex"
MODULES = sorted(SOURCE.rglob("*.py"))
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


def table(heading):
    """Rows of the table below a heading of docs/architecture.md, as lists of cells."""
    part = ARCHITECTURE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")]
    assert len(rows) > 3, f"no table below {heading!r}"
    return rows[2:]


def files_in(text):
    """Files that a cell names."""
    return re.findall(r"`([\w./]+\.py)`", text)


# -- layers ------------------------------------------------------------------------------------------------------------

ORDER = [row[0].strip("`") for row in table("Order of the folders")]
# Imports inside functions that go up, and why; `if TYPE_CHECKING` may go where these go.
UPWARD = {
    ("results", "view"): "run.plot, run.report and run.view are methods of a run",
    ("results", "system"): "Run.load gives back a System",
    ("results", "analysis"): "run.sensitivities and run.gradient are methods of a run",
    ("structures", "view"): "Flexible.show_modes is a method of a body",
}
WHOLE = ("gallery", "benchmarking", "doctor", "cli")  # may import the package as its users do


def imports(node, kind="top"):
    """(kind, folder) of what a module imports of this package; kind is "top", "lazy" (in a function) or "typing"; the folder
    is "" where the package itself is imported, or a public name of it."""
    for child in ast.iter_child_nodes(node):
        inner = kind
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inner = "lazy"
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            inner = "typing"
        names = []
        if isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"relative import in line {child.lineno}"
            names = [f"kaneflex.{a.name}" for a in child.names] if child.module == "kaneflex" else [child.module]
        elif isinstance(child, ast.Import):
            names = [a.name for a in child.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == "kaneflex":
                folder = rest.partition(".")[0]
                yield kind, folder if folder in ORDER else ""
        yield from imports(child, inner)


def folder_of(path):
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def goes_wrong(own, kind, other):
    """Whether a folder must not import this."""
    if other == "":
        return own not in WHOLE
    return ORDER.index(other) > ORDER.index(own) and (kind == "top" or (own, other) not in UPWARD)


def test_the_order_has_every_folder_once():
    assert len(set(ORDER)) == len(ORDER)
    assert set(ORDER) | {"__init__"} == {folder_of(path) for path in MODULES}


@pytest.mark.parametrize("own", ORDER)
def test_a_folder_imports_only_folders_before_it(own):
    wrong = [
        (path.relative_to(SOURCE).as_posix(), kind, other or "the package itself")
        for path in MODULES
        if folder_of(path) == own
        for kind, other in imports(ast.parse(path.read_text()))
        if goes_wrong(own, kind, other)
    ]
    assert not wrong


def test_every_exception_of_the_order_is_used():
    found = {
        (folder_of(path), other)
        for path in MODULES
        if folder_of(path) in ORDER
        for kind, other in imports(ast.parse(path.read_text()))
        if kind == "lazy" and other and ORDER.index(other) > ORDER.index(folder_of(path))
    }
    assert found == set(UPWARD)


def test_imports_are_seen_wherever_they_are():
    text = """
import kaneflex
from kaneflex import System, view
from kaneflex.model.joints import Free
import numpy, kaneflex.plan.build
if TYPE_CHECKING:
    from kaneflex.cli import main
class A:
    def f(self):
        if self:
            from kaneflex.results import run
"""
    found = list(imports(ast.parse(text)))
    assert found == [
        ("top", ""), ("top", ""), ("top", "view"), ("top", "model"), ("top", "plan"), ("typing", "cli"), ("lazy", "results"),
    ]  # fmt: skip
    for wrong in (("model", "top", "plan"), ("model", "lazy", "plan"), ("results", "top", "view"), ("plan", "lazy", "")):
        assert goes_wrong(*wrong)
    for right in (("plan", "top", "model"), ("results", "lazy", "view"), ("results", "typing", "view"), ("cli", "top", "")):
        assert not goes_wrong(*right)


def test_other_pages_tell_the_same_order():
    text = (ROOT / "docs" / "index.md").read_text().partition("| stage | what it holds |")[2].partition("\n\n")[0]
    told = [name for line in text.splitlines()[2:] for name in re.findall(r"`(\w+)`", line.split("|")[1])]
    assert len(told) > 6 and set(told) <= set(ORDER)
    told.remove("kernels")  # knows nothing of what comes before it there
    assert told == sorted(told, key=ORDER.index)
    assert "docs/architecture.md" in (ROOT / "CONTRIBUTING.md").read_text()
    assert "docs/architecture.md" in (ROOT / "README.md").read_text()


# Compiled code beside that of `kernels`, and what fills tables or compares them: these may know where a number is.
TABLE_FILES = ("constraint_tables", "feed_tables", "load_tables", "loop_tables", "modal_tables")
WRITERS = ("assembly", "body_laws", "blocks", "build", "channels", "feeds", "stored_rods", *TABLE_FILES)
IN_WATER = ("added_mass", "morison", "slender", "soft_ground")
IN_ORBIT = ("central_gravity", "mutual_gravity", "orbit_gravity")
LOADS = ("force", "joint_spring", "joint_stop", "rod_elasticity", "spring_damper", *IN_ORBIT, *IN_WATER)
KNOW_PLACES = (
    {f"plan/{name}.py" for name in WRITERS}
    | {f"model/forces/{name}.py" for name in LOADS}
    | {
        "analysis/compiled_slopes.py",
        "analysis/variations.py",
        "formulations/kinds/embedded.py",
        "model/quantities.py",
        "symbolic/compiled_rates.py",
        "symbolic/kanes_method/side_stages.py",
    }
)


def test_only_kernels_and_planning_know_where_numbers_are():
    """All others read the arrays by name, see `kernels/tables.py`; they may name codes."""
    codes = {code[0] for table in TABLES for code in table.codes}
    compiled = {Path(module.__file__).relative_to(SOURCE).as_posix() for module in backend._modules}
    knowing = set()
    for path in MODULES:
        name, text = path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text())
        taken = [(n.module, a.name) for n in ast.walk(text) if isinstance(n, ast.ImportFrom) for a in n.names]
        homes = {"kaneflex.kernels.layout", "kaneflex.kernels.offsets", "kaneflex.kernels.block_offsets"}
        places = [x for module, x in taken if module in homes and x not in codes]
        if places or {("kaneflex.kernels", home.rpartition(".")[2]) for home in homes} & set(taken):
            knowing.add(name)
    outside = {name for name in knowing if not name.startswith("kernels/")}
    assert outside - compiled <= KNOW_PLACES <= outside  # some modules count as compiled once they are asked for


def test_oracles_are_independent():
    """What results are compared with shares no code with what computes them."""
    oracles = sorted((ROOT / "tests" / "oracles").rglob("*.py"))
    assert len(oracles) > 20
    for path in oracles:
        assert not list(imports(ast.parse(path.read_text()))), f"{path.name} imports kaneflex"


# -- the page on architecture ------------------------------------------------------------------------------------------


def test_the_route_of_a_run_names_files_that_exist():
    rows = table("The route of one run")
    files = [name for row in rows for cell in row[1:] for name in files_in(cell)]
    assert len(files) > 15
    assert not [name for name in files if not (SOURCE / name).is_file()]


# One of each kind that is there: the files that the table says to touch mention it.
KINDS = {
    "a joint": (("cylindrical", "cylindrical"), r"cylindrical"),
    "a load": (("line_force", "spring_damper"), r"SpringDamper|\bline_force\b"),
    "a kind of body": (("variable_mass", "variable_mass"), r"variable_?mass"),
    "a block": (("pid",), r"\bpid\b"),
    "a part": (("reaction_wheel",), r"ReactionWheel|reaction_wheel"),
    "an integrator": (("dopri5",), r"dopri5"),
    "a formulation": (("embedded",), r"embedded"),
    "a finite element": (("truss",), r"truss"),
    "a gallery system": (("double_pendulum",), r"$^"),
}


@pytest.mark.parametrize("row", table("To add something"), ids=lambda row: row[0])
def test_what_to_touch_is_there(row):
    kind, count, new, touch, tests = row
    assert kind in KINDS, f"say in KINDS which file is an example of {kind}"
    names, words = KINDS[kind]
    for pattern, name in zip(files_in(new), names, strict=True):
        assert (SOURCE / pattern.replace("NAME", name)).is_file()
    for file in files_in(touch):
        assert re.search(words, (SOURCE / file).read_text(), re.I), f"{file} does not mention {names}"
    needed = [file for part in touch.split(";") if " to be " not in f" {part}" for file in files_in(part)]
    assert int(count) == len(names) + len(needed)
    assert files_in(tests)
    assert not [file for file in files_in(tests) if not (ROOT / file).is_file()]


# -- files and settings ------------------------------------------------------------------------------------------------


def test_functions_are_short():
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                doc = ast.get_docstring(node, clean=False)
                lines = node.end_lineno - node.lineno + 1 - (len(doc.splitlines()) if doc else 0)
                assert lines <= 80, f"{node.name} of {path.name} has {lines} lines"


def test_nothing_speaks_of_how_the_work_is_organised():
    words = re.compile(r"\b(TODO|FIXME|sub-?agent|this session|issue #?\d)\b", re.I)
    for path in [*MODULES, *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        found = words.search(path.read_text())
        assert found is None, f"{path.name}: {found}"


def test_settings_are_alive():
    """Every path, module and marker that pyproject.toml names is there."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    for pattern in tool["hatch"]["build"]["targets"]["sdist"]["include"]:
        assert list(ROOT.glob(pattern.lstrip("/"))), pattern
    for pattern in tool["ruff"]["lint"]["per-file-ignores"]:
        head, _, inner = pattern.partition("{")
        names, _, tail = inner.partition("}")
        for name in names.split(","):
            assert list(ROOT.glob((head + name + tail).removesuffix("/**"))), pattern
    own = [m for o in tool["mypy"]["overrides"] for m in o["module"] if m.startswith("kaneflex.")]
    for module in own:
        place = ROOT / "src" / module.removesuffix(".*").replace(".", "/")
        assert place.is_dir() or place.with_suffix(".py").is_file(), module
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))
    for marker in tool["pytest"]["ini_options"]["markers"]:
        assert f"mark.{marker.partition(':')[0]}" in tests, marker


def test_heavy_tests_are_there():
    """Every line of heavy.txt names a test of a file."""
    tests = ROOT / "tests"
    for line in (tests / "heavy.txt").read_text().splitlines():
        path, _, name = line.partition("::")
        assert f"def {name.partition('[')[0]}(" in (tests / path).read_text(), line
