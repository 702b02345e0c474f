"""What a file is, is told by what is in it: files of other names are read, those of the wrong kind refused in words."""

import numpy as np
import pytest
from test_craig_bampton import SHIPPED, shipped, spacecraft

from kaneflex.model.checks import ModelError
from kaneflex.structures import from_nastran
from kaneflex.structures.readers.any_files import from_files, matrices_first
from kaneflex.structures.readers.file_kinds import WORDS, kind_of

with np.printoptions():  # pyyeti changes how NumPy prints
    pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    from pyyeti import nastran


@pytest.fixture(scope="module")
def craft(tmp_path_factory):
    """A superelement in binary op4 and .asm, and what else may come by mistake."""
    folder = tmp_path_factory.mktemp("kinds")
    spacecraft(folder)
    (folder / "results.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    (folder / "listing.txt").write_text("1    a title\n0 N A S T R A N    E X E C U T I V E    C O N T R O L\n GRID\n")
    (folder / "letter.txt").write_text("Dear all,\nthe model is attached.\n")
    return folder


@pytest.mark.parametrize("name", ["craft.pch", "craft.bdf", "craft.h5", "craft.op2", "craft", "craft.dat"])
def test_matrices_are_read_whatever_their_file_is_called(name, craft):
    (craft / name).write_bytes((craft / "spacecraft.op4").read_bytes())
    expected = from_nastran(craft / "spacecraft.op4", craft / "spacecraft.asm")
    for order in ([craft / name, craft / "spacecraft.asm"], [craft / "spacecraft.asm", craft / name]):
        assert abs(from_files(order).K - expected.K).max() == 0


@pytest.mark.parametrize(("name", "words"), [
    ("listing.txt", r"is a listing \(.f06\), which has printed results only: give matrices as op4"),
    ("letter.txt", "is no file of a kind that is known here: give matrices as op4"),
    ("spacecraft.asm", "is a text with bulk data and has no DMIG entries: give it as the geometry"),
    ("results.h5", "cannot be read as MSC Nastran's HDF5 matrices"),
])  # fmt: skip
def test_what_is_given_as_matrices_and_has_none(name, words, craft):
    with pytest.raises(ModelError, match=words):
        from_nastran(craft / name, craft / "spacecraft.asm")


@pytest.mark.parametrize(("name", "words"), [
    ("listing.txt", r"is a listing \(.f06\), which has printed results only: as the geometry give bulk data"),
    ("letter.txt", "has no grid points: give the file with the GRID entries"),
    ("spacecraft.op4", r"is an op4 file, of matrices: as the geometry give .* an op2 file written with PARAM,POST,-1"),
    ("results.h5", "is an HDF5 file: as the geometry give bulk data"),
])  # fmt: skip
def test_what_is_given_as_the_geometry_and_has_none(name, words, craft):
    with pytest.raises(ModelError, match=words):
        from_nastran(craft / "spacecraft.op4", craft / name)


@shipped
def test_kinds_of_files_of_real_runs(tmp_path):
    expected = {"nas2cam.op4": "op4", "outboard.op4": "op4", "nas2cam.op2": "op2", "assemble.op2": "op2",
                "outboard.out": "listing", "inboard.out": "listing", "outboard.asm": "bulk", "outboard.pch": "bulk",
                "outboard.dat": "bulk", "outboard.blk": "bulk", "nas2cam.mat": "mat"}  # fmt: skip
    assert {name: kind_of(SHIPPED / name) for name in expected} == expected
    others = SHIPPED.parent
    for path in sorted((others / "nastran_op4_data").glob("*.op4")):  # texts and binary files of both orders of bytes
        assert kind_of(path) == "op4", path
    for path in sorted((others / "nastran_dmig_data").glob("*.pch")):
        assert kind_of(path) == "dmig", path
    mixed = [SHIPPED / "outboard.asm", SHIPPED / "nas2cam.op2", SHIPPED / "outboard.op4"]
    assert [p.suffix for p in matrices_first(mixed)] == [".op4", ".op2", ".asm"]
    nastran.op4.write(str(tmp_path / "a.txt"), {"kaa": np.eye(3)}, binary=False)
    assert kind_of(tmp_path / "a.txt") == "op4"
    assert set(expected.values()) < set(WORDS)
