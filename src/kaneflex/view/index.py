"""The index of many runs: one page without scripts or network, a card with a picture for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

import kaneflex

_STYLE = """
:root { color-scheme: light dark; --ground: #f6f7f8; --card: #ffffff; --ink: #1f272d; --soft: #5b6770; --line: #dde2e6;
  --good: #17784a; --good-ground: #e2f4ea; --bad: #b3261e; --bad-ground: #fce8e6; --accent: #2563a8; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181b; --card: #1d2327; --ink: #e4e8eb; --soft: #9aa6af;
  --line: #333c43; --good: #6fd8a2; --good-ground: #16382a; --bad: #ff9b92; --bad-ground: #45211f; --accent: #83b7ee; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 2rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .7rem; }
p { margin: .2rem 0; overflow-wrap: anywhere; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .8rem; display: flex;
  flex-direction: column; gap: .4rem; }
.card img { display: block; width: 100%; aspect-ratio: 16 / 10; object-fit: contain; background: #fff; border-radius: 6px; }
.card .title { font-weight: 600; line-height: 1.3; }
.soft { color: var(--soft); font-size: .88rem; }
.last { margin-top: auto; }
.mark { display: inline-block; padding: .05rem .55rem; border-radius: 999px; font-size: .82rem; font-weight: 600;
  white-space: nowrap; }
.good { color: var(--good); background: var(--good-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
code { font-size: .82rem; overflow-wrap: anywhere; }
"""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
{content}
</main>
</body>
</html>
"""


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


def write_index(entries: Sequence[Entry], path: str | Path, *, title: str) -> Path:
    """Write the index of runs as one self-contained HTML file.

    Args:
        entries: the runs, in the order in which they are shown; neighbours of one document share a heading.
        path: the file; its folder is made when missing.
        title: heading of the page.
    """
    passed = sum(entry.ok for entry in entries)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{_mark(passed == len(entries), f'{passed} of {len(entries)} systems passed')}"
        f' <span class="soft">{sum(entry.seconds for entry in entries):.1f} s, kaneflex {kaneflex.__version__}</span></p>',
    ]
    for document, members in groupby(entries, lambda entry: entry.document):
        parts.append(f"<h2>{escape(document)}</h2>")
        parts.append('<div class="cards">\n' + "\n".join(_card(entry) for entry in members) + "\n</div>")
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    page = _PAGE.format(title=escape(title), style=_STYLE, content="\n".join(parts))
    target.write_text(page, encoding="utf-8")
    return target


def _card(entry: Entry) -> str:
    picture = f'<img alt="{escape(entry.title)}" src="{entry.picture}">' if entry.picture else ""
    words = f'<span class="title">{escape(entry.title)}</span>'
    head = f'<a href="{escape(entry.link)}">{picture}{words}</a>' if entry.link else picture + words
    good, number = entry.checks
    marks = [_mark(good == number, f"{good} of {number} checks")]
    if entry.audit is not None:
        marks.append(_mark(entry.audit, "audit passed" if entry.audit else "audit failed"))
    if entry.message:
        marks = [_mark(False, "failed")]
    chapter = f'\n<p class="soft">{escape(entry.chapter)}</p>' if entry.chapter else ""
    return (
        f'<div class="card">\n{head}{chapter}\n<p class="soft">{escape(entry.message or entry.about)}</p>\n'
        f'<p class="last">{" ".join(marks)} <span class="soft">{entry.seconds:.1f} s</span></p>\n'
        f"<p><code>{escape(entry.command)}</code></p>\n</div>"
    )


def _mark(ok: bool, words: str) -> str:
    return f'<span class="mark {"good" if ok else "bad"}">{escape(words)}</span>'


__all__ = ["Entry", "write_index"]
