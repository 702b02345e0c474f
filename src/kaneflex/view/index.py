"""The index of many runs: one page without scripts or network, a card with a picture for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from kaneflex.version import __version__
from kaneflex.view.page import mark, write_page


@dataclass(frozen=True)
class Entry:
    """A run as the index shows it.

    Args:
        title: heading of its card.
        about: one line on what it is.
        document: heading it stands below.
        chapter: where in the document; "" for nowhere.
        command: what to type to get the run.
        checks: how many passed, and how many there are.
        audit: whether the audit passed; None where nothing ran.
        seconds: how long all of it took, s.
        message: what went wrong; "" for nothing.
        link: address of its report, relative to the index; None where there is none.
        picture: image as a data address; None for none.
    """

    title: str
    about: str
    document: str
    chapter: str
    command: str
    checks: tuple[int, int]
    audit: bool | None
    seconds: float
    message: str = ""
    link: str | None = None
    picture: str | None = None

    @property
    def ok(self) -> bool:
        """True when it ran and all its checks and its audit passed."""
        return not self.message and self.audit is True and self.checks[0] == self.checks[1]


def write_index(entries: Sequence[Entry], path: str | Path, *, title: str, waiting: int = 0) -> Path:
    """Write the index of runs as one self-contained HTML file.

    Args:
        entries: the runs, in the order in which they are shown; neighbours of one document share a heading.
        path: the file; its folder is made when missing.
        title: heading of the page.
        waiting: how many runs are still to come.
    """
    later = f"; {waiting} still to run" if waiting else ""
    seconds = sum(entry.seconds for entry in entries)
    passed = sum(entry.ok for entry in entries)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{mark(passed == len(entries), f'{passed} of {len(entries)} systems passed')}"
        f' <span class="soft">{seconds:.1f} s, kaneflex {__version__}{later}</span></p>',
    ]
    for document, members in groupby(entries, lambda entry: entry.document):
        parts.append(f"<h2 class='group'>{escape(document)}</h2>")
        parts.append('<div class="cards">\n' + "\n".join(_card(entry) for entry in members) + "\n</div>")
    return write_page(path, title, parts)


def _card(entry: Entry) -> str:
    picture = f'<img alt="{escape(entry.title)}" src="{entry.picture}">' if entry.picture else ""
    words = f'<span class="title">{escape(entry.title)}</span>'
    head = f'<a href="{escape(entry.link)}">{picture}{words}</a>' if entry.link else picture + words
    good, number = entry.checks
    marks = [mark(good == number, f"{good} of {number} checks")]
    if entry.audit is not None:
        marks.append(mark(entry.audit, "audit passed" if entry.audit else "audit failed"))
    if entry.message:
        marks = [mark(False, "failed")]
    chapter = f'\n<p class="soft">{escape(entry.chapter)}</p>' if entry.chapter else ""
    return (
        f'<div class="card">\n{head}{chapter}\n<p class="soft">{escape(entry.message or entry.about)}</p>\n'
        f'<p class="last">{" ".join(marks)} <span class="soft">{entry.seconds:.1f} s</span></p>\n'
        f"<p><code>{escape(entry.command)}</code></p>\n</div>"
    )


__all__ = ["Entry", "write_index"]
