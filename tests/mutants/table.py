"""The table of mutants in the documentation: a row for each term."""

from dataclasses import dataclass
from pathlib import Path

from mutants.terms import MUTANTS, Mutant

HEAD = """# Terms broken on purpose

`make mutants` breaks one term of the equations at a time, in a copy of the sources, and asks whether a system of the gallery
notices by its own checks: a number outside its tolerance, an audit that fails, a run that stops. A row for each term has
where it is written, what was put in its place, and what was said by the systems that were asked: the first check that
failed. "passes" is a system that does not notice. The terms are those of `tests/mutants/terms.txt`. Last is the commit of
the sources that were broken, with + where they were changed since, and a dash where it was not noted.

| term | file | mutation | noticed by | sources |
|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Outcome:
    """What systems said of a mutant of these sources (a commit): nothing where they pass."""

    mutant: Mutant
    found: dict[str, str]
    sources: str

    @property
    def verdict(self) -> str:
        """Whether a system noticed."""
        return "noticed" if any(self.found.values()) else "survives"


def start_of_row(mutant: Mutant) -> str:
    """What a mutant's row begins with: term, file and mutation."""
    return f"| {mutant.term} | `{mutant.file}` | {code(mutant.before)} → {code(mutant.after)} |"


def code(text: str) -> str:
    """A piece of code within a table."""
    return f"`{text.replace('|', chr(92) + '|')}`"


def row(outcome: Outcome) -> str:
    """A mutant's row."""
    said = "; ".join(f"{command}: {' '.join(says.split()) or 'passes'}" for command, says in outcome.found.items())
    said = said.replace("|", chr(92) + "|")
    said = said if outcome.verdict == "noticed" else f"**nothing** ({said})"
    return f"{start_of_row(outcome.mutant)} {said} | {outcome.sources} |"


def rows_of(page: Path) -> dict[str, str]:
    """Rows of a page that was written before, by their terms."""
    lines = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    return {line.split(" | ")[0][2:]: line for line in lines if line.startswith("| ") and not line.startswith("| term |")}


def write_table(page: Path, outcomes: list[Outcome]) -> None:
    """Write the page, with rows of before where a term was not tried now."""
    rows = rows_of(page) | {o.mutant.term: row(o) for o in outcomes}
    text = HEAD + "\n".join(rows[m.term] for m in MUTANTS if m.term in rows) + "\n"
    page.write_text(text, encoding="utf-8")
