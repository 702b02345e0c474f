"""The table of docs/channels.md is the registry of channels."""

from pathlib import Path

from kaneflex.model import quantities as Q
from kaneflex.plan.channels import MODAL_UNIT, unit_along

PAGE = Path(__file__).parents[2] / "docs" / "channels.md"
HEADS = ("channel", "of", "unit", "numbers", "known with", "what")


def unit(q):
    """A unit as the page says it."""
    if q.unit not in (Q.X, Q.X_RATE, Q.X_SECOND, Q.F):
        return q.unit or "–"
    return unit_along(q.unit, MODAL_UNIT) if q.owner in (Q.FLEXIBLE, Q.MODE) else " or ".join(
        unit_along(q.unit, x) for x in ("rad", "m")
    )  # fmt: skip


def rows():
    """The table, a line for each row of the registry."""
    yield from (f"| {' | '.join(HEADS)} |", "|---" * len(HEADS) + "|")
    for q in Q.QUANTITIES:
        size = {0: "n", 9: "3 x 3"}.get(q.size, str(q.size))
        yield f"| {' | '.join((f'`{q.word}`', q.owner, unit(q), size, Q.STAGES[q.stage], q.about))} |"


def test_the_page_has_the_table_of_the_registry():
    text = PAGE.read_text()
    assert "\n".join(rows()) in text, "put this into docs/channels.md:\n" + "\n".join(rows())


def test_rows_are_told_apart():
    assert len(Q.ROWS) == len(Q.QUANTITIES)
