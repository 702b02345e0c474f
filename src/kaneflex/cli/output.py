"""What the commands print: tables and strict JSON."""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click


def plain(value: Any) -> Any:
    """Data that strict JSON can hold: NumPy's numbers as Python's, what is not finite as null."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value
    if isinstance(value, Iterable):
        return [plain(v) for v in value]
    return str(value)


def print_json(value: Any) -> None:
    """Print a value as JSON on standard output."""
    click.echo(json.dumps(plain(value), indent=2, allow_nan=False, ensure_ascii=False))


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Print a table on standard output.

    Args:
        heads: words above the columns.
        rows: cells of each row; "FAILED" is shown in red.
        right: columns that are aligned on the right.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for k, head in enumerate(heads):
        table.add_column(head, justify="right" if k in right else "left", overflow="fold", no_wrap=k in right)
    for row in rows:
        table.add_row(*(Text(cell, style="bold red" if cell == "FAILED" else "") for cell in row))
    console = Console(file=sys.stdout)
    if not console.is_terminal:  # a file or a pipe has no width: do not break lines there
        console = Console(file=sys.stdout, width=240)
    console.print(table)


__all__ = ["plain", "print_json", "print_table"]
