"""Nodes of decks in the manner of Abaqus: *NODE, *INCLUDE; those of CalculiX too."""

from pathlib import Path

from kaneflex.model.checks import ModelError
from kaneflex.structures.readers.matrix_files import there

DEEPEST = 20  # of included files


def deck_nodes(path: Path, depth: int = 0) -> dict[int, tuple[float, float, float]]:
    """Places of nodes of a deck, included files too."""
    if depth > DEEPEST:
        raise ModelError(f"{path}: files include each other in a circle: leave one out")
    found: dict[int, tuple[float, float, float]] = {}
    reading = False
    for line in path.read_text(errors="replace").splitlines():
        text = line.strip()
        if not text or text.startswith("**"):
            continue
        if text.startswith("*"):
            word = text.upper().replace(" ", "")
            reading = word.split(",")[0] == "*NODE"
            if word.startswith("*INCLUDE,INPUT="):
                found |= deck_nodes(there(path.parent / text.split("=", 1)[1].strip()), depth + 1)
            continue
        if reading:
            fields = [v.strip() for v in text.split(",") if v.strip()]
            try:
                x, y, z = ([float(v) for v in fields[1:4]] + [0.0] * 3)[:3]
                found[int(fields[0])] = (x, y, z)
            except (ValueError, IndexError) as e:
                raise ModelError(f"{path}: a line of *NODE is no number and place: {text!r}") from e
    return found
