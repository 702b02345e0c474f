"""Pages that are written when the documentation is built: one for each gallery system, pictures of all of them, and a
table of what is checked.

What a page says is what the gallery file says at its top, its formulas set as mathematics. Pictures and checks were kept
from a run by scripts/make-pictures. Reports that stand in build/gallery (`make gallery`) become part of the pages, to be
played there.
"""

import json
import re
import shutil
from itertools import groupby
from pathlib import Path
from typing import Any

from formulas import display, is_formula

from kaneflex.gallery import Example, in_order
from kaneflex.model.files import write_text

HERE = Path(__file__).parent
FOLDER = HERE / "gallery"
REPORTS = HERE.parent / "build" / "gallery"

CARDS = "`````{{container}} cards\n\n{}\n\n`````"
CARD = "````{{container}} card\n\n[![{title}]({images}/{name}.webp)]({name}.md)\n\n[{title}]({name}.md)\n\n````"
FRAME = """<iframe class="report" src="../reports/{0}.html" title="Report of {0}" loading="lazy"></iframe>
<p><a href="../reports/{0}.html">The report on a page of its own</a></p>"""


def plain(text: str) -> str:
    """Text that Markdown shows as it is, but for what stands in backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if k % 2 else re.sub(r"([\\*_<>\[\]#$~|{}])", r"\\\1", part) for k, part in enumerate(parts))


def description(text: str) -> str:
    """A docstring in Markdown: what is indented is mathematics, or stays as typed."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text):
        for indented, some in groupby(paragraph.splitlines(), lambda line: line.startswith("    ")):
            if not indented:
                paragraphs.append(plain("\n".join(some)))
                continue
            block = "\n".join(line[4:] for line in some)
            paragraphs.append(display(block) if is_formula(block) else f"```text\n{block}\n```")
    return "\n\n".join(paragraphs)


def page(example: Example, checks: list[list[Any]], is_played: bool) -> str:
    """The page of one system.

    Args:
        example: the system.
        checks: name, value, reference, tolerance and source of each of its checks.
        is_played: whether its report is there to be shown.
    """
    parts = [f"# {plain(example.title)}", f"*{plain(example.group)}.* {plain(example.source)}."]
    if (HERE / "images" / "gallery" / f"{example.name}.png").exists():
        parts.append(f"![{plain(example.title)}](../images/gallery/{example.name}.png)")
    parts.append(f"```text\nkaneflex run {example.name} --out results\n```")
    if is_played:
        parts.append(f"```{{raw}} html\n{FRAME.format(example.name)}\n```")
    parts.append(description(example.description))
    rows = "\n".join(f"| `{key}` | {value} |" for key, value in example.parameters.items())
    parts.append(f"## Parameters\n\nChanged by `--set`, in SI units.\n\n| name | default |\n|---|---|\n{rows}")
    if checks:
        parts.append("## What is checked\n\n" + TABLE.format("26 18 18 10 28", f"{HEAD}\n{table(checks)}"))
    module = example.build.__module__.rpartition(".")[2]
    parts.append(f"File: `src/kaneflex/gallery/{module}.py`")
    return "\n\n".join(parts) + "\n"


HEAD = "| what | value | reference | within | source |\n|---|---|---|---|---|"
TABLE = "```{{table}}\n:class: checks\n:widths: {}\n\n{}\n```"


def table(checks: list[list[Any]]) -> str:
    """Rows of checks, with as many digits of the value as the tolerance makes interesting."""
    return "\n".join(
        f"| {plain(name)} | {value:.9g} | {reference:.9g} | {tolerance:.2g} | {plain(source)} |"
        for name, value, reference, tolerance, source in checks
    )


def validation(systems: list[Example], checks: dict[str, list[list[Any]]]) -> str:
    """The page of every check of every system."""
    count = sum(len(rows) for rows in checks.values())
    parts = [
        "# Validation",
        f"Every number of the {len(systems)} gallery systems that is compared with one that this package did not "
        f"make: {count} of them, from "
        "closed forms, publications, other programs, and identities of physics. `scripts/make-pictures` kept them "
        "from a run; the tests of "
        "every system run it anew and hold each value against its reference, and this record against the checks. "
        "*As documentation* stands "
        "where others have printed something else.\n\nBeyond these, tests run the same motions beside Pinocchio, "
        "MuJoCo, Exudyn, MoorDyn, "
        "Basilisk, SymPy, PyDy, CalculiX and pyyeti, where these are installed (`tests/oracles` and the folders "
        "of their subjects), break one "
        "term of the equations at a time to see which system notices ([mutants](mutants.md)), and measure orders "
        "of convergence.",
    ]
    for document, members in groupby(systems, lambda example: example.document):
        lines = [HEAD.replace("| what", "| system | what").replace("|---", "|---|---", 1)]
        for e in members:
            lines += [f"| [{e.name}](gallery/{e.name}.md) {row}" for row in table(checks.get(e.name, [])).splitlines()]
        parts.append(f"## {plain(document)}\n\n" + TABLE.format("14 22 16 16 10 22", "\n".join(lines)))
    return "\n\n".join(parts) + "\n"


def reported() -> set[str]:
    """Systems whose reports are there."""
    return {path.parent.name for path in REPORTS.glob("*/report.html")}


def contents() -> dict[str, str]:
    """All pages by the name of their file, from the folder of the documentation."""
    record = HERE / "gallery.json"
    checks = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    systems, played = in_order(), reported()
    pages = {f"gallery/{e.name}.md": page(e, checks.get(e.name, []), e.name in played) for e in systems}
    parts = ["# Gallery", "Systems of the literature, each with what is known of it from elsewhere."]
    for document, members in groupby(systems, lambda example: example.document):
        parts.append(f"## {plain(document)}")
        for chapter, some in groupby(members, lambda example: example.chapter):
            cards = [CARD.format(title=plain(e.title), images="../images/cards", name=e.name) for e in some]
            head = f"**{plain(chapter[0].upper() + chapter[1:])}**\n\n" if chapter else ""
            parts.append(head + CARDS.format("\n\n".join(cards)))
    names = "\n".join(example.name for example in systems)
    parts.append(f"```{{toctree}}\n:hidden:\n\n{names}\n```")
    return pages | {"gallery/index.md": "\n\n".join(parts) + "\n", "validation.md": validation(systems, checks)}


def write(*_: Any) -> None:
    """Write pages that have changed, and remove those of systems that are no more."""
    FOLDER.mkdir(exist_ok=True)
    pages = contents()
    for name, text in pages.items():
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_text(path, text)
    for path in FOLDER.glob("*.md"):
        if f"gallery/{path.name}" not in pages:
            path.unlink()


def bring_reports(app: Any, error: Exception | None) -> None:
    """Put the reports beside the pages that show them."""
    if error is None and app.builder.format == "html":
        for name in reported():
            target = Path(app.outdir) / "reports" / f"{name}.html"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(REPORTS / name / "report.html", target)


def setup(app: Any) -> dict[str, bool]:
    """Make Sphinx write the pages before it reads, and bring the reports when it is done."""
    app.connect("builder-inited", write)
    app.connect("build-finished", bring_reports)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
