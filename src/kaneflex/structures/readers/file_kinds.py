"""What a file of a finite-element program is, told by what is in it, whatever it is called."""

import re
from pathlib import Path

from kaneflex.structures.readers.fortran_records import first_record

WORDS = {
    "op4": "an op4 file, of matrices", "op2": "an op2 file", "hdf5": "an HDF5 file", "mat": "a MATLAB file",
    "npz": "a NumPy .npz file (or a zip archive)", "listing": "a listing (.f06), which has printed results only",
    "dmig": "a text with DMIG entries", "bulk": "a text with bulk data",
}  # fmt: skip
UNKNOWN = "no file of a kind that is known here"
OF_MATRICES = ("op4", "hdf5", "npz", "mat")  # and of nothing else
HEAD = 100_000  # bytes that are looked at
BEGINNINGS = ((b"\x89HDF", "hdf5"), (b"PK\x03\x04", "npz"), (b"MATLAB 5.0", "mat"))
# columns, rows, form, type, a name of eight letters, format
OP4_TEXT = re.compile(rb"\s*-?\d+\s+-?\d+\s+\d+\s+[1-4](?:.{8}\d*P,|\s*[A-Za-z]\w*\s)")
OP4_HEADER = (24, 48)  # bytes of the first record of a binary op4 file
LISTING = re.compile(rb"N A S T R A N|C A S E    C O N T R O L|B U L K   D A T A")
DMIG = re.compile(rb"^DMIG[*, ]", re.IGNORECASE | re.MULTILINE)
BULK = re.compile(
    rb"^(?:\$|GRID|SPOINT|CORD[12][RCS]|BEGIN|CEND|SOL |ASSIGN|INIT|INCLUDE|RBE[123]|MPC|ASET|EXTRN|SEBULK|DTI)[*, \w]*",
    re.IGNORECASE | re.MULTILINE,
)


def kind_of(path: Path) -> str:
    """One of WORDS; "" for what is none of these.

    Args:
        path: of a file that is there.
    """
    with open(path, "rb") as file:
        head = file.read(HEAD)
    for beginning, kind in BEGINNINGS:
        if head.startswith(beginning):
            return kind
    record = first_record(head)
    if record is not None:
        return "op4" if record[1] in OP4_HEADER else "op2"
    if OP4_TEXT.match(head):
        return "op4"
    for pattern, kind in ((LISTING, "listing"), (DMIG, "dmig"), (BULK, "bulk")):
        if pattern.search(head):
            return kind
    return ""
