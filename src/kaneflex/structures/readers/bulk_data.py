"""Nastran's bulk data: entries of a file and of those it includes, by name, and what case control chooses."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

from kaneflex.model.checks import ModelError
from kaneflex.structures.readers.nastran_library import chosen, nastran_tools

BEGIN = re.compile(r"begin\s+(?:bulk\b\s*)?(?:super\s*=?\s*(\d+))?", re.IGNORECASE)
CEND = re.compile(r"^\s*cend\b.*$", re.IGNORECASE | re.MULTILINE)
INCLUDE = re.compile(r"include\s*(['\"]?)(.*)", re.IGNORECASE)
WORD = re.compile(r"[a-z]\w*", re.IGNORECASE)
RESIDUAL = 0  # superelement of what follows BEGIN BULK


class BulkData:
    """The entries of bulk data; those of one superelement where a file has several (BEGIN SUPER).

    Args:
        path: the file; files that it includes are read in their places.
        superelement: whose entries, where several have grid points.
    """

    def __init__(self, path: Path, superelement: int | None = None) -> None:
        self.path = path
        self._case, parts = superelement_entries(path)
        with_grids = [ident for ident, entries in parts.items() if "grid" in entries]
        which = chosen(with_grids, superelement, path) if with_grids else next(iter(parts))
        self._entries = parts[which]

    def text(self, *words: str) -> StringIO:
        """Lines of all entries of these names."""
        return StringIO("".join(line for word in words for line in self._entries.get(word, ())))

    def entries(self, *words: str) -> list[list[Any]]:
        """Fields of all entries of these names, eight for each line; those that are blank are "".

        Args:
            words: names, e.g. "grid".
        """
        found: list[list[Any]] = []
        for word in words:
            found += nastran_tools().rdcards(self.text(word), word, return_var="list", blank="") or []
        return found

    def __contains__(self, word: str) -> bool:
        return word in self._entries

    @cached_property
    def coordinate_systems(self) -> dict[int, Any]:
        """CORD2x entries, as pyyeti has them."""
        return dict(nastran_tools().rdcord2cards(self.text("cord2r", "cord2c", "cord2s")))

    @property
    def scalar_points(self) -> list[int]:
        """Ids of SPOINT entries."""
        return sorted({ident for card in self.entries("spoint") for ident in expanded(card)})

    def chosen(self, word: str) -> set[int]:
        """Sets that case control chooses, e.g. those of "spc".

        Args:
            word: name of the command.
        """
        command = re.compile(rf"\s*{word}\s*=\s*(\d+)", re.IGNORECASE)
        return {int(found.group(1)) for line in self._case if (found := command.match(line))}

    def of_chosen_sets(self, word: str, entries: Sequence[Sequence[Any]]) -> list[list[Any]] | None:
        """Those entries, without their set's number, that belong to sets which case control chooses; all where there is one
        set and no case control; None where nothing tells which.

        Args:
            word: "spc" or "mpc", whose ADD entries join sets.
            entries: with the number of their set first.
        """
        sets: dict[int, list[list[Any]]] = {}
        for number, *rest in entries:
            sets.setdefault(int(number), []).append(list(rest))
        for number, *others in self.entries(word + "add"):
            sets[int(number)] = [card for k in expanded(others) for card in sets.get(k, [])]
        asked = self.chosen(word)
        if not sets or (self._case and not asked):
            return []
        if len(asked) > 1 or (not asked and len(sets) > 1):
            return None
        return sets.get(next(iter(asked or sets)), [])


def superelement_entries(path: Path) -> tuple[list[str], dict[int, dict[str, list[str]]]]:
    """Lines of case control, and those of bulk data by superelement and name of the entry, with the lines that go on.

    Args:
        path: the file; what it includes stands in its places.
    """
    lines = list(_lines(path, path.parent, ()))
    case: list[str] = []
    begun = next((k for k, line in enumerate(lines) if BEGIN.match(line)), None)
    if begun is not None and _superelement(lines[begun]) == RESIDUAL:
        case, lines = lines[:begun], lines[begun:]
    parts: dict[int, dict[str, list[str]]] = {RESIDUAL: {}}
    own, entry = parts[RESIDUAL], list[str]()
    for line in lines:
        if BEGIN.match(line):
            own, entry = parts.setdefault(_superelement(line), {}), []
            continue
        if word := WORD.match(line):
            entry = own.setdefault(word.group().lower(), [])
        entry.append(line)
    return case, parts


def expanded(values: Sequence[Any]) -> list[int]:
    """Ids of a list that may say "first THRU last", or "THRU last BY step"."""
    found: list[int] = []
    given = [v for v in values if v != ""]
    k = 0
    while k < len(given):
        if isinstance(given[k], str):
            if given[k].strip().upper() != "THRU" or not found or k + 1 == len(given):
                break  # an ALPHA or the like ends the list
            by = k + 3 < len(given) and str(given[k + 2]).strip().upper() == "BY"
            step = int(given[k + 3]) if by else 1
            found += range(found[-1] + step, int(given[k + 1]) + 1, step)
            k += 4 if by else 2
            continue
        if isinstance(given[k], float) and given[k] != int(given[k]):
            break  # a coefficient of thermal expansion
        found.append(int(given[k]))
        k += 1
    return found


def components(value: Any) -> list[int]:
    """Components, 0 to 5, of a field like 123456."""
    return [int(c) - 1 for c in str(value).removesuffix(".0") if c in "123456"]


def _superelement(line: str) -> int:
    found = BEGIN.match(line)
    return int(found.group(1) or RESIDUAL) if found else RESIDUAL


def _lines(path: Path, root: Path, inside: tuple[Path, ...]) -> Iterator[str]:
    """Lines up to ENDDATA that are no comments and not blank, with those of included files in their places."""
    if path.resolve() in inside:
        raise ModelError(f"{path}: INCLUDE lines lead back to this file: leave one out")
    whole = path.read_text(encoding="utf-8", errors="replace")
    rest = iter(CEND.split(whole, maxsplit=1)[-1].splitlines())  # what is executive control tells nothing of the model
    for line in rest:
        text = line.expandtabs().split("$", 1)[0].rstrip()
        if text[:7].lower() == "enddata":
            return
        if include := INCLUDE.match(text.lstrip()):
            place = _place(_whole_name(include, rest), path, root)
            yield from _lines(place, root, (*inside, path.resolve()))
        elif text:
            yield text + "\n"


def _whole_name(include: re.Match[str], rest: Iterator[str]) -> str:
    """The name of an included file, which may go on over lines where it is in quotes."""
    quote, name = include.groups()
    if not quote:
        return name.strip()
    while quote not in name and (line := next(rest, "")):
        name = name.strip() + line.strip()
    return name.split(quote)[0]


def _place(name: str, path: Path, root: Path) -> Path:
    """Where an included file is: beside the file that names it, or from the folder of the first."""
    for folder in (path.parent, root):
        if (found := (folder / name)).is_file():
            return found.resolve()
    raise ModelError(
        f"{path}: an INCLUDE names a file that is not there: {name} (looked for from {path.parent}"
        + (f" and {root})" if root != path.parent else ")")
    )
