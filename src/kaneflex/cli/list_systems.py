"""`kaneflex list`, and how systems are found by name, document and chapter."""

import difflib
import importlib
import pkgutil
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kaneflex.cli.group import InputError, main
from kaneflex.cli.output import print_json
from kaneflex.cli.user_file import example_of_file

if TYPE_CHECKING:
    from kaneflex.gallery import Example

FIELDS = ("name", "title", "about", "document", "chapter", "source", "parameters")


@main.command("list")
@click.option("--group", help="Only systems whose document or chapter has these words in it.")
@click.option("--json", "as_json", is_flag=True, help=f"Print a JSON list of {{{', '.join(FIELDS)}}}.")
def list_systems(group: str | None, as_json: bool) -> None:
    """List the systems of the gallery by the document and the chapter they come from."""
    found = select(("all",), group)
    if as_json:
        print_json([{f: getattr(example, f) for f in FIELDS} for example in found])
        return
    width = max(len(example.name) for example in found)
    for document, members in groupby(found, lambda example: example.document):
        click.echo(document)
        for chapter, systems in groupby(members, lambda example: example.chapter):
            if chapter:
                click.echo(f"  {chapter}")
            for example in systems:
                click.echo(f"    {example.name:<{width}}  {example.title}")
    click.echo("Run one with: kaneflex run NAME; all of them with: kaneflex run all --out FOLDER")


def select(names: Sequence[str], group: str | None = None) -> "list[Example]":
    """The gallery systems of these names, each once.

    Args:
        names: names; "all" stands for every system, in the order of their documents.
        group: words that the document or the chapter must have in it; None for any.
    """
    from kaneflex.gallery import in_order

    found = [example for name in names for example in (in_order() if name == "all" else [find_example(name)])]
    words = re.compile(rf"\b{re.escape(group or '')}\b", re.I)  # "chapter 1" is not chapter 12
    chosen = {e.name: e for e in found if group is None or words.search(e.group)}
    if not chosen:
        documents = ", ".join(f'"{document}"' for document in dict.fromkeys(e.document for e in in_order()))
        raise InputError(f'no system is of the group "{group}": the documents are {documents}')
    return list(chosen.values())


def find_example(name: str) -> "Example":
    """The gallery system of that name, or the system of a file "name.py"; an error names the nearest.

    A system whose file is named like it is imported alone, without the rest of the gallery.
    """
    from kaneflex import gallery

    if name.endswith(".py"):
        return example_of_file(Path(name))
    stem = name.replace("-", "_")
    if any(module.name == stem for module in pkgutil.iter_modules(gallery.__path__)):
        example = getattr(importlib.import_module(f"{gallery.__name__}.{stem}"), "EXAMPLE", None)
        if example is not None and example.name == name:
            return example
    found = gallery.examples()
    if name in found:
        return found[name]
    near = difflib.get_close_matches(name.lower(), found, n=1, cutoff=0.0)
    hint = f'did you mean "{near[0]}"? ' if near else ""
    raise InputError(f'there is no system "{name}": {hint}kaneflex list shows all {len(found)}')


__all__ = ["find_example", "select"]
