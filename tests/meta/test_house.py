"""Rules of the house that a machine can check."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "kaneflex"
# kernels know nothing of models; each folder imports only those before it
ORDER = [
    "kernels",
    "model",
    "structures",
    "plan",
    "formulations",
    "simulate",
    "symbolic",
    "results",
    "view",
    "analysis",
    "study",
    "system",
    "precompile",
    "gallery",
    "benchmarking",
    "doctor",
    "cli",
]
MODULES = sorted(SOURCE.rglob("*.py"))


def imports(tree: ast.Module) -> list[str]:
    """Modules of this package that a module imports at its top level."""
    names = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("kaneflex"):
            names += [node.module] if node.module != "kaneflex" else [f"kaneflex.{a.name}" for a in node.names]
    return names


@pytest.mark.parametrize("own", ORDER)
def test_a_folder_imports_only_folders_before_it(own):
    for path in MODULES:
        if path.relative_to(SOURCE).with_suffix("").parts[0] == own:
            imports_only_folders_before_it(path)


def imports_only_folders_before_it(path):
    own = path.relative_to(SOURCE).with_suffix("").parts[0]
    if own == "__init__":
        return
    for name in imports(ast.parse(path.read_text())):
        other = name.split(".")[1]
        if other not in ORDER:  # a public name of the package, which only the last folders may take from there
            assert own in ("gallery", "benchmarking", "doctor", "cli"), f"{own} imports {name} from the package"
            continue
        assert ORDER.index(other) <= ORDER.index(own), f"{own} imports {name}"


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
