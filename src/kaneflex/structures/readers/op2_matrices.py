"""Matrices of op2 files, as sparse or full as they are there."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.structures.readers.fortran_records import first_record

NUMBERS = {1: "f4", 2: "f8", 3: "c8", 4: "c16"}  # by the kind that the trailer tells, where integers have four bytes
FULL = 1 / 3  # part of the entries that are there from which on a matrix is kept full
BEFORE_COLUMNS = 13  # records: name, trailer, label and the keys between them


def read_matrix(path: Path, block: Any) -> Any:
    """A matrix whose columns stand in records of a row and the numbers that follow it.

    A key, which is a record of one integer, tells whether a record, the end of a column or that of the matrix comes.

    Args:
        path: the file; its records are whole.
        block: pyyeti's entry of the matrix, with start, stop, name and trailer (columns, rows and kind of its numbers).
    """
    with open(path, "rb") as file:
        order, width = first_record(file.read(4)) or ("<", 4)
        file.seek(block.start)
        records = _records(file.read(block.stop - block.start), order)
    integer = order + ("q" if width == 8 else "i")
    columns, rows, kind = block.trailer[1], block.trailer[2], block.trailer[4]
    wide = kind + 1 if width == 8 and kind in (1, 3) else kind
    number = np.dtype(order + NUMBERS.get(wide, "f8"))
    key = lambda: struct.unpack(integer, next(records))[0]
    parts: list[np.ndarray] = []
    starts: list[tuple[int, int]] = []  # row, column
    try:
        for _ in range(BEFORE_COLUMNS):
            next(records)
        column, more = 0, 1
        while more > 0:
            while key() > 0:
                words = next(records)
                starts.append((struct.unpack(integer, words[:width])[0] - 1, column))
                parts.append(np.frombuffer(words, number, offset=width))
            column += 1
            key()
            more = key()
    except (StopIteration, struct.error, ValueError) as e:
        raise ModelError(f"{path}: columns of {block.name} do not follow each other: it is damaged, export it again") from e
    lengths = np.array([len(part) for part in parts], dtype=int)
    first, where = np.array(starts, dtype=int).reshape(-1, 2).T
    if len(first) and (first.min() < 0 or (first + lengths).max() > rows or where.max() >= columns):
        raise ModelError(f"{path}: {block.name} has numbers outside of {rows} by {columns}: it is damaged, export it again")
    plain = complex if wide > 2 else float
    if lengths.sum() > FULL * rows * columns:
        full = np.zeros((rows, columns), plain, order="F")
        for (row, column), part in zip(starts, parts, strict=True):
            full[row : row + len(part), column] = part
        return full
    values = np.concatenate(parts, dtype=plain) if parts else np.zeros(0)
    along = np.concatenate([np.arange(a, a + n, dtype=np.int32) for a, n in zip(first, lengths, strict=True)] or [where])
    per_column = np.bincount(where, weights=lengths, minlength=columns) if len(where) else np.zeros(columns)
    return sparse.csc_array((values, along, np.r_[0, np.cumsum(per_column)].astype(np.int32)), shape=(rows, columns))


def _records(raw: bytes, order: str) -> Iterator[memoryview]:
    """Contents of the records one after the other."""
    at, length_of, view = 0, struct.Struct(order + "i"), memoryview(raw)
    while at < len(raw):
        (length,) = length_of.unpack(view[at : at + 4])
        yield view[at + 4 : at + 4 + abs(length)]
        at += 8 + abs(length)
