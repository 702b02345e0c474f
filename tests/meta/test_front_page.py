"""The front page says what the pages behind it say, and its links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRONT = ("README.md", "docs/index.md")
NUMBER = re.compile(r"\b\d+(?:\.\d+)? (?:ms|s)\b")


def comparisons(page):
    """Rows of the table beside others: motion, both times, and where they are from."""
    table = re.search(r"\| motion \| kaneflex \|.*?\n\n", (ROOT / page).read_text(), re.S)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:] if line]


def anchors(text):
    """Of the headings of a page, as they are made."""
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in re.findall(r"(?m)^#+ (.*)$", text)}


def section(page, anchor):
    """The part of a page below a heading."""
    return next(p for p in re.split(r"(?m)^(?=#+ )", page.read_text()) if anchors(p.partition("\n")[0] + "\n") == {anchor})


@pytest.mark.parametrize("page", FRONT)
def test_measured_times_are_those_of_the_page_that_they_are_from(page):
    rows = comparisons(page)
    assert len(rows) > 6
    for motion, own, others, source in rows:
        path, anchor = re.search(r"\((.*)#(.*)\)", source).groups()
        there = section((ROOT / page).parent / path, anchor)
        for time in NUMBER.findall(f"{own} {others}"):
            assert re.search(rf"(?<![\d.]){re.escape(time)}\b", there), f"{motion}: {time} is not in {source}"


def test_both_front_pages_have_the_same_times():
    rows = [[(*row[:3], row[3].replace("(docs/", "(")) for row in comparisons(page)] for page in FRONT]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("page", [*FRONT, "CONTRIBUTING.md"])
def test_links_lead_somewhere(page):
    home = ROOT / page
    links = re.findall(r"\]\(([^)\s]+)\)", home.read_text())
    assert links
    for link in links:
        path, _, anchor = link.partition("#")
        target = home.parent / path
        written = target.name in ("book.md", "validation.md") or target.parent.name == "gallery"  # with the documentation
        assert written or target.exists(), link
        assert not anchor or anchor in anchors(target.read_text()), link
