"""Are the records of a binary file whole? Nastran's op2 and binary op4 files have each record between its lengths."""

import struct
from pathlib import Path

from kaneflex.model.checks import ModelError

FIRST = (4, 8, 24, 48)  # bytes of the first record, an op2 marker or an op4 header, in short or long words
WORDS = {24: "3i", 48: "3q"}  # column, row and number of words, with which the records of an op4 file begin
SHORT = 15  # words: as many are nothing, and the third number of a header is a form, less than this


def first_record(head: bytes) -> tuple[str, int] | None:
    """Order of bytes, "<" or ">", and length of the first record of a file that begins so; None for text and other kinds."""
    if len(head) < 4:
        return None
    found = ((order, struct.unpack(order + "i", head[:4])[0]) for order in "<>")
    return next(((order, length) for order, length in found if length in FIRST), None)


def check_records(path: Path) -> None:
    """An error for a file whose records do not follow each other to its end; text and files of other kinds pass.

    Readers trust the lengths and would take memory for them, or take a file that was cut for a shorter one.
    """
    size = path.stat().st_size
    with open(path, "rb") as file:
        beginning = first_record(file.read(4))
        if beginning is None:
            return
        length_of = struct.Struct(beginning[0] + "i")
        of_op4 = struct.Struct(beginning[0] + WORDS[beginning[1]]) if beginning[1] in WORDS else None
        at = 0
        while at < size:
            file.seek(at)
            first = file.read(4)
            length = abs(length_of.unpack(first)[0]) if len(first) == 4 else size  # very long records come in signed parts
            file.seek(at + 4 + length)
            last = file.read(4) if at + 8 + length <= size else b""
            if len(last) < 4 or abs(length_of.unpack(last)[0]) != length:
                raise ModelError(
                    f"{path} is damaged or cut: a record of {length} bytes at byte {at} does not end as it should; export "
                    "it again, and send it as a binary file"
                )
            if of_op4 is not None and length >= of_op4.size:
                file.seek(at + 4)
                words = of_op4.unpack(file.read(of_op4.size))[2]
                if words > SHORT and words * of_op4.size // 3 > length - of_op4.size:
                    raise ModelError(
                        f"{path} is damaged: a column at byte {at} tells of {words} words and has {length} bytes; export it "
                        "again"
                    )
            at += 8 + length
