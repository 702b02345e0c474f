"""The scalar functions of `ops` on SymEngine objects, and on plain numbers."""

from typing import Any

import symengine
from symengine import cos, exp, sin, sqrt

from kaneflex.kernels.ops import (
    complexes,
    eight_totals,
    integers_at,
    lanes,
    lanes_at,
    offset,
    one_run,
    pointer,
    reals_at,
    row,
    row_of,
    row_part,
    row_total,
    runs,
    store_row,
)

__all__ = [
    "call_law", "complexes", "cos", "eight_totals", "exp", "integers_at", "lanes", "lanes_at", "offset", "one_run",
    "pointer", "ramp", "reals_at", "row", "row_of", "row_part", "row_total", "runs", "sin", "sqrt", "step", "store_row",
]  # fmt: skip

laws: dict[int, Any] = {}


def ramp(x: Any) -> Any:
    """max(x, 0)."""
    return symengine.Piecewise((x, symengine.Gt(x, 0)), (0, True))


def step(x: Any) -> Any:
    """1 where x > 0, else 0."""
    return symengine.Piecewise((1, symengine.Gt(x, 0)), (0, True))


def call_law(address: int, t: Any, x: Any, first: int, out: Any, start: int) -> None:
    """Call the user's Python function filed under `address` on symbols."""
    values = laws[int(address)](t, x[first:])
    for k, value in enumerate(values):
        out[start + k] = value
