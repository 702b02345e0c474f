"""The index of many runs: one page without scripts or network, a card with a picture for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from kaneflex.version import __version__
from kaneflex.view.page import mark, write_page


@dataclass(frozen=True)
class Entry:
    """A run as the index shows it.

    Args:
        title: heading of its card.
        about: one line on what it is.
        document: where it comes from.
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
        entries: the runs, in the order in which they are shown.
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
    parts.append('<div class="cards">\n' + "\n".join(_card(entry) for entry in entries) + "\n</div>")
    return write_page(path, title, parts)


def _card(entry: Entry) -> str:
    picture = f'<img alt="" src="{entry.picture}">' if entry.picture else '<span class="none"></span>'
    words = f'<h2 class="title">{escape(entry.title)}</h2>'
    head = f'<a href="{escape(entry.link)}">{picture}{words}</a>' if entry.link else picture + words
    good, number = entry.checks
    audit = "no audit" if entry.audit is None else f"audit {'passed' if entry.audit else 'failed'}"
    told = "" if entry.message else f"{good} of {number} checks, {audit}, "
    source = f"{entry.document}, {entry.chapter}" if entry.chapter else entry.document
    state = mark(entry.ok, "passed" if entry.ok else "failed")
    return (
        f'<article class="card">\n{head}\n'
        f'<p class="state">{state} <span class="soft">{told}{entry.seconds:.1f} s</span></p>\n'
        f'<p class="soft">{escape(entry.message or entry.about)}</p>\n<p class="soft last">{escape(source)}</p>\n'
        f"<p><code>{escape(entry.command)}</code></p>\n</article>"
    )


__all__ = ["Entry", "write_index"]
