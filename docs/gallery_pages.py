"""Pages of the gallery, written when the documentation is built: one for each system, from its own file, and a list.

What a page says is what the gallery file says at its top. Pictures and checks were kept from a run by scripts/make-pictures.
"""

import json
import re
from itertools import groupby
from pathlib import Path
from typing import Any

from kaneflex.gallery import Example, in_order
from kaneflex.model.files import write_text

HERE = Path(__file__).parent
FOLDER = HERE / "gallery"


def plain(text: str) -> str:
    """Text that Markdown shows as it is, but for what stands in backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if k % 2 else re.sub(r"([\\*_<>\[\]#$~|{}])", r"\\\1", part) for k, part in enumerate(parts))


def description(text: str) -> str:
    """A docstring in Markdown: what is indented stays as typed."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.splitlines()
        for indented, some in groupby(lines, lambda line: line.startswith("    ")):
            block = "\n".join(re.sub(r" {3,}(\(\d+\))$", r"   \1", line[4:]) if indented else line for line in some)
            paragraphs.append(f"```text\n{block}\n```" if indented else plain(block))
    return "\n\n".join(paragraphs)


def page(example: Example, checks: list[list[Any]]) -> str:
    """The page of one system.

    Args:
        example: the system.
        checks: name, reference, tolerance and source of each of its checks.
    """
    parts = [f"# {plain(example.title)}", f"*{plain(example.group)}.* {plain(example.source)}."]
    if (HERE / "images" / "gallery" / f"{example.name}.png").exists():
        parts.append(f"![{plain(example.title)}](../images/gallery/{example.name}.png)")
    parts.append(f"```text\nkaneflex run {example.name} --out results\n```")
    parts.append(description(example.description))
    rows = "\n".join(f"| `{key}` | {value} |" for key, value in example.parameters.items())
    parts.append(f"## Parameters\n\nChanged by `--set`, in SI units.\n\n| name | default |\n|---|---|\n{rows}")
    if checks:
        rows = "\n".join(f"| {plain(n)} | {ref:.9g} | {tol:.2g} | {plain(source)} |" for n, ref, tol, source in checks)
        head = "| what | reference | tolerance | source |\n|---|---|---|---|"
        parts.append(f"## What is checked\n\n{head}\n{rows}")
    module = example.build.__module__.rpartition(".")[2]
    parts.append(f"File: `src/kaneflex/gallery/{module}.py`")
    return "\n\n".join(parts) + "\n"


def contents() -> dict[str, str]:
    """All pages by the name of their file."""
    record = HERE / "gallery.json"
    checks = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    systems = in_order()
    pages = {f"{example.name}.md": page(example, checks.get(example.name, [])) for example in systems}
    parts = ["# Gallery", "Systems of the literature, each with what is known of it from elsewhere."]
    for document, members in groupby(systems, lambda example: example.document):
        parts.append(f"## {plain(document)}")
        for chapter, some in groupby(members, lambda example: example.chapter):
            lines = [f"- [{plain(e.title)}]({e.name}.md): {plain(e.about)}" for e in some]
            parts.append((f"**{plain(chapter[0].upper() + chapter[1:])}**\n\n" if chapter else "") + "\n".join(lines))
    names = "\n".join(example.name for example in systems)
    parts.append(f"```{{toctree}}\n:hidden:\n\n{names}\n```")
    return pages | {"index.md": "\n\n".join(parts) + "\n"}


def write(*_: Any) -> None:
    """Write pages that have changed, and remove those of systems that are no more."""
    FOLDER.mkdir(exist_ok=True)
    pages = contents()
    for name, text in pages.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_text(path, text)
    for path in FOLDER.glob("*.md"):
        if path.name not in pages:
            path.unlink()


def setup(app: Any) -> dict[str, bool]:
    """Make Sphinx write the pages before it reads."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
