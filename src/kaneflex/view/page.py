"""One self-contained page: HTML with its style, the viewer's script and data in it; it asks no network for anything."""

import base64
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from kaneflex.model.files import write_text

if TYPE_CHECKING:
    from kaneflex.view.scene import Scene

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
{content}
</main>
{script}</body>
</html>
"""


@cache
def asset(name: str) -> str:
    """Text of a file that comes with the package; empty when it is not there.

    Args:
        name: path below kaneflex/view.
    """
    file = files("kaneflex.view").joinpath(*name.split("/"))
    return file.read_text(encoding="utf-8").replace("\r\n", "\n") if file.is_file() else ""


def write_page(path: str | Path, title: str, sections: Iterable[str], scene: "Scene | None" = None) -> Path:
    """Write a page; its folder is made when missing.

    Args:
        path: the file.
        title: of the browser's window.
        sections: pieces of HTML in order; empty ones are left out.
        scene: what the viewer shows in the elements #kaneflex-viewer and #kaneflex-plots; None for a page without a script.
    """
    return write_text(path, page_text(title, sections, scene))


def page_text(title: str, sections: Iterable[str], scene: "Scene | None" = None, served: bool = False) -> str:
    """A page as text.

    Args:
        title, sections, scene: as for `write_page`.
        served: it may ask the server that it comes from.
    """
    policy = "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'"
    if served:
        policy += "; connect-src 'self'"
    style, script, bundle = asset("page.css"), "", asset("assets/viewer.js")
    if scene is not None and bundle:
        digest = base64.b64encode(hashlib.sha256(bundle.encode("utf-8")).digest()).decode("ascii")
        policy += f"; script-src 'sha256-{digest}'"
        style += asset("assets/viewer.css")
        script = (
            f'<script type="application/json" id="kaneflex-scene">{scene.json()}</script>\n'
            f'<script type="text/plain" id="kaneflex-bytes">{scene.numbers.text()}</script>\n'
            f"<script>{bundle}</script>\n"
        )
    content = "\n".join(s for s in sections if s)
    return _PAGE.format(policy=policy, title=escape(title), style=style, content=content, script=script)


# -- pieces ------------------------------------------------------------------------------------------------------------


def mark(ok: bool, words: str) -> str:
    """A few words on green or red.

    Args:
        ok: green.
        words: plain text.
    """
    return f'<span class="mark {"good" if ok else "bad"}">{escape(words)}</span>'


def section(title: str, body: str, remark: str = "") -> str:
    """A card with a heading.

    Args:
        title: plain text.
        body: HTML.
        remark: plain text below it.
    """
    below = f'\n<p class="soft">{escape(remark)}</p>' if remark else ""
    return f"<section>\n<h2>{escape(title)}</h2>\n{body}{below}\n</section>"


def viewer(scene: "Scene", title: str = "Motion") -> str:
    """The card that the viewer's script fills; words in its place where there is no script.

    Args:
        scene: what it shows.
        title: heading, plain text.
    """
    words = "<noscript><p>The moving picture needs scripts; all else on this page does not.</p></noscript>"
    if not asset("assets/viewer.js"):
        words = "<p>This installation has no viewer; the figures below are all there is.</p>"
    body = f'<div class="pair">\n<div id="kaneflex-viewer">{words}</div>\n<div id="kaneflex-plots"></div>\n</div>'
    return section(title, body, " ".join(scene.notes))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table that becomes a list of cards on a narrow screen.

    Args:
        heads: of the columns, plain text.
        rows: cells, HTML already.
        numbers: columns of numbers.
    """
    top = "".join(f'<th scope="col">{escape(h)}</th>' for h in heads)
    body = []
    for row in rows:
        cells = "".join(
            f'<td data-label="{escape(heads[k])}"{" class=number" if k in numbers else ""}>{cell}</td>'
            for k, cell in enumerate(row)
        )
        body.append(f"<tr>{cells}</tr>")
    rest = "\n".join(body)
    return f'<table class="stack">\n<thead><tr>{top}</tr></thead>\n<tbody>\n{rest}\n</tbody>\n</table>'


def listing(items: Mapping[str, str]) -> str:
    """Words and their values.

    Args:
        items: plain text.
    """
    return "<dl>" + "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in items.items()) + "</dl>"


def number(x: float | None, form: str = ".6g") -> str:
    """A number, or a dash for None.

    Args:
        x: the number.
        form: how it is written.
    """
    if x is None:
        return "–"
    return f"{x:{form}}" if math.isfinite(x) else "not finite"
