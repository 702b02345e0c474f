"""Are the records of a binary file whole? Nastran's op2 and binary op4 files have each record between its lengths."""

import struct
from pathlib import Path

from kaneflex.model.checks import ModelError

FIRST = (4, 8, 24, 48)  # bytes of the first record, an op2 marker or an op4 header, in short or long words
WORDS = {24: "3i", 48: "3q"}  # column, row and number of words, with which the records of an op4 file begin
FLAGS = (0, 1, 2)  # what follows is a table, a matrix, or parts of one
LARGEST = 16  # bytes of a number
SHORT = 15  # words: as many are nothing, and the third number of a header is a form, less than this


def first_record(head: bytes) -> tuple[str, int] | None:
    """Order of bytes, "<" or ">", and length of the first record of a file that begins so; None for text and other kinds."""
    if len(head) < 4:
        return None
    found = ((order, struct.unpack(order + "i", head[:4])[0]) for order in "<>")
    return next(((order, length) for order, length in found if length in FIRST), None)


def check_records(path: Path) -> None:
    """An error for a file whose records do not follow each other to its end, or are not as long as the numbers before them
    say; text and files of other kinds pass.

    Readers trust these and would take memory for them, or take a file that was cut for a shorter one.
    """
    size = path.stat().st_size
    with open(path, "rb") as file:
        beginning = first_record(file.read(4))
        if beginning is None:
            return
        order, first = beginning
        length_of = struct.Struct(order + "i")
        numbers = struct.Struct(order + WORDS.get(first, "q" if first == 8 else "i"))
        wanted = 0  # numbers in the next record of an op2 file, where a key before it tells
        ended = False  # whether a negative key, the end of a record or column, came before: then 1 and a flag follow
        at = 0
        while at < size:
            file.seek(at)
            head = file.read(4)
            length = abs(length_of.unpack(head)[0]) if len(head) == 4 else size  # very long records come in signed parts
            file.seek(at + 4 + length)
            last = file.read(4) if at + 8 + length <= size else b""
            if len(last) < 4 or abs(length_of.unpack(last)[0]) != length:
                raise ModelError(
                    f"{path} is damaged or cut: a record of {length} bytes at byte {at} does not end as it should; export "
                    "it again, and send it as a binary file"
                )
            told: tuple[int, ...] = ()
            if length == numbers.size or (first in WORDS and length > numbers.size):
                file.seek(at + 4)
                told = numbers.unpack(file.read(numbers.size))
            if first in WORDS:
                least = told[2] * numbers.size // 3 if told and told[2] > SHORT else 0
                wrong = least > length - (numbers.size if least else 0)
            else:
                wrong = wanted > 0 and not first * wanted <= length <= LARGEST * wanted
                wrong = wrong or (ended and wanted == 1 and not (told and told[0] in FLAGS))
                # a record of one word may be a key itself or be what the key 1 tells of: it tells nothing
                ended, wanted = wanted < 0, told[0] if told and wanted <= 0 else 0
            if wrong:
                raise ModelError(
                    f"{path} is damaged: the record at byte {at} has {length} bytes, not as many as are told of; export it "
                    "again"
                )
            at += 8 + length
