"""A copy of the sources in which all mutants live side by side.

Each statement with a term in it becomes a choice by a number, which a process reads from its environment when it starts. So
kernels are compiled once for all mutants, and number 0 is the package as it is.
"""

import ast
import shutil
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from mutants.terms import Mutant

NUMBER = "KANEFLEX_MUTANT"
OPS = f'''

import os

__all__.append("mutant")
NUMBER_OF_MUTANT = int(os.environ.get("{NUMBER}", "0"))


def mutant():
    """Which mutant this process is."""
    return NUMBER_OF_MUTANT
'''
COMPILED_OPS = '''

from llvmlite import binding
from numba import cfunc

from kaneflex.kernels.ops import NUMBER_OF_MUTANT

_number = cfunc(types.int64())(lambda: NUMBER_OF_MUTANT)
binding.add_symbol("kaneflex_mutant", _number.address)
mutant = types.ExternalFunction("kaneflex_mutant", types.int64())
'''
SYMBOLIC_OPS = "\n\nfrom kaneflex.kernels.ops import mutant\n"
IMPORT = "from kaneflex.kernels.ops import mutant\n"


def statement(source: str, text: str) -> ast.stmt:
    """The smallest statement of a source that has a text in it, which stands there once."""
    if source.count(text) != 1:
        raise ValueError(f"stands {source.count(text)} times in its file: {text}")
    first = source.count("\n", 0, source.index(text)) + 1
    last = first + text.count("\n")
    around = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.stmt) and n.lineno <= first and last <= _end(n)]
    return min(around, key=lambda n: _end(n) - n.lineno)


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def with_choices(source: str, mutants: dict[int, Mutant]) -> str:
    """A source whose terms are chosen among by number."""
    places = defaultdict(list)
    for number, mutant in mutants.items():
        found = statement(source, mutant.before)
        places[found.lineno, _end(found)].append(number)
    lines = source.splitlines(keepends=True)
    for (first, last), numbers in sorted(places.items(), reverse=True):
        whole = "".join(lines[first - 1 : last])
        indent = whole[: len(whole) - len(whole.lstrip())]
        made = ""
        for number in numbers:
            word = "elif" if made else "if"
            made += f"{indent}{word} mutant() == {number}:\n"
            made += _deeper(whole.replace(mutants[number].before, mutants[number].after))
        lines[first - 1 : last] = [made, f"{indent}else:\n", _deeper(whole)]
    return "".join(lines)


def _deeper(text: str) -> str:
    return "".join(f"    {line}" for line in text.splitlines(keepends=True))


def with_import(source: str) -> str:
    """A source that knows `mutant`."""
    body = ast.parse(source).body
    first = next(n for n in body[1:] if not (isinstance(n, ast.ImportFrom) and n.module == "__future__"))
    lines = source.splitlines(keepends=True)
    return "".join([*lines[: first.lineno - 1], IMPORT, *lines[first.lineno - 1 :]])


def breed(source: Path, copy: Path, mutants: Sequence[Mutant]) -> None:
    """Copy the sources, `source` being the folder of the package's folder, with mutants 1, 2, ... among them."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    files: dict[str, dict[int, Mutant]] = defaultdict(dict)
    for number, mutant in enumerate(mutants, start=1):
        files[mutant.file][number] = mutant
    for name, some in files.items():
        file = copy / "kaneflex" / name
        file.write_text(with_import(with_choices(file.read_text(encoding="utf-8"), some)), encoding="utf-8")
    for name, more in (("ops", OPS), ("compiled_ops", COMPILED_OPS), ("symbolic_ops", SYMBOLIC_OPS)):
        with (copy / "kaneflex" / "kernels" / f"{name}.py").open("a", encoding="utf-8") as file:
            file.write(more)
