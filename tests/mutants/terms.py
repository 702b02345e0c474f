"""Terms of the equations, each with a way to break it, and the gallery systems that should notice: those of terms.txt.

Below the name of a file under src/kaneflex, after "@", each term has three lines: what it is, and after "->" the systems;
after "-" its text, which stands once in the file (a test looks); after "+" what a slip of the pen could have left of it.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """One term broken.

    Attributes:
        term: what it is, in words.
        file: where it is written, under src/kaneflex.
        before: its text.
        after: the text in its place.
        systems: what should notice, as on the command line after `kaneflex run`.
    """

    term: str
    file: str
    before: str
    after: str
    systems: tuple[str, ...]


def read(path: Path) -> tuple[Mutant, ...]:
    """The mutants of a file in this form."""
    found, file = [], ""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        head, *lines = block.splitlines()
        if head.startswith("@ "):
            file = head[2:]
            continue
        before, after = lines
        if not before.startswith("- ") or not after.startswith("+ "):
            raise ValueError(f"{path.name}: {head} is not followed by - and +")
        term, _, systems = head.partition(" -> ")
        found.append(Mutant(term, file, before[2:], after[2:], tuple(systems.split(", "))))
    return tuple(found)


MUTANTS = read(Path(__file__).with_name("terms.txt"))
