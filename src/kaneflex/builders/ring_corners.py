"""Directions at the corners of a regular ring, whose sides are its bays."""

import math


def corner_turns(n: int) -> dict[str, float]:
    """Turns about z, rad, from the axes of a corner, whose x points outwards, to those of its bays, whose x lies along the
    bay and whose y lies across it: of the bay that goes out from there, and of the one that comes in."""
    return {"out": math.pi / 2 + math.pi / n, "in": math.pi / 2 - math.pi / n}
