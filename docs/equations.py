"""Equations that docstrings display and cite: which numbers a module has, and which functions say that they compute them."""

import ast
import re
from collections.abc import Iterator
from functools import cache

NUMBER = re.compile(r" {2,}\((\d+)\)$", re.M)  # at the end of a displayed line
CITED = re.compile(r"\b[Ee]q(?:uation)?s?\.? ((?:\(\d+\)(?:,| to| and| or)? ?)+)(?:of `(\w+)`)?|`(\w+)` \((\d+)\)")


@cache
def displayed(text: str) -> dict[int, int]:
    """Numbers of the equations that are displayed in docstrings of modules and classes, with the lines of the source."""
    found = {}
    for node in ast.walk(ast.parse(text)) if NUMBER.search(text) else ():
        if isinstance(node, ast.Module | ast.ClassDef) and ast.get_docstring(node):
            first = node.body[0]
            lines = text.splitlines()[first.lineno - 1 : first.end_lineno]
            found |= {int(n[1]): first.lineno + k for k, line in enumerate(lines) if (n := NUMBER.search(line))}
    return found


def citations(text: str) -> Iterator[tuple[str | None, int, str]]:
    """(module or None, number, function or class or "") of equations that docstrings cite, ranges counted out."""
    for node in ast.walk(ast.parse(text)) if CITED.search(text) else ():
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for numbers, owner, other, number in CITED.findall(ast.get_docstring(node) or ""):
                found = [int(n) for n in re.findall(r"\d+", numbers or number)]
                if " to " in numbers:
                    found = list(range(found[0], found[-1] + 1))
                yield from ((owner or other or None, n, getattr(node, "name", "")) for n in found)
