"""Bulk data as analysts have it: included files, comments anywhere, several superelements, the order of rows."""

import numpy as np
import pytest

from kaneflex.model.checks import ModelError
from kaneflex.structures import from_nastran
from kaneflex.structures.readers.bulk_data import BulkData
from kaneflex.structures.readers.nastran_grids import read_grids

with np.printoptions():  # pyyeti changes how NumPy prints
    pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    import pandas as pd
    from pyyeti import nastran


def test_included_files_comments_and_blank_lines(tmp_path):
    (tmp_path / "wing" / "parts").mkdir(parents=True)
    (tmp_path / "deck.bdf").write_text(
        "SOL 103\ninclude 'dmap/not_here.v9'\nCEND\n  SPC = 3\nBEGIN BULK\n\n   \ninclude 'wing/\n   tip.bdf'\n"
        'INCLUDE "wing/root.bdf"\nRBE2,5,1,123456,2\n$ a comment between\n,3,\n\n,4\nENDDATA\nGRID,99,,9.,9.,9.\n'
    )
    (tmp_path / "wing" / "tip.bdf").write_text("\n$ tip\nGRID           1       0      1.    -2.5  3.5-1       0\n\n")
    wing = tmp_path / "wing"
    (wing / "root.bdf").write_text("INCLUDE parts/more.bdf\nINCLUDE 'more.bdf'\nINCLUDE 'wing/parts/more.bdf'\n")
    (wing / "more.bdf").write_text(f"GRID*   {2:16}{0:16}{0.5:16}{0.0:16}\n*       {2.0:16}\n")
    (wing / "parts" / "more.bdf").write_text("grid,3,,1.,1.,1.$ same line\nGRID,4,,0.,0.,1.\n")
    found = read_grids(tmp_path / "deck.bdf", None)
    assert found.ids.tolist() == [1, 2, 3, 4]
    assert found.points[:2] == pytest.approx(np.array([[1, -2.5, 0.35], [0.5, 0, 2]]))
    assert found.bulk.entries("rbe2") == [[5, 1, 123456, 2, "", "", "", "", 3, "", "", "", "", "", "", "", 4]]
    assert found.bulk.chosen("spc") == {3}
    (tmp_path / "wing" / "more.bdf").unlink()
    with pytest.raises(ModelError, match=r"root.bdf: an INCLUDE names a file that is not there: more.bdf \(looked for from"):
        read_grids(tmp_path / "deck.bdf", None)
    (tmp_path / "wing" / "more.bdf").write_text("INCLUDE 'tip.bdf'\nINCLUDE 'root.bdf'\n")
    with pytest.raises(ModelError, match="lead back to this file"):
        read_grids(tmp_path / "deck.bdf", None)


POINTS = {11: (0.0, 0.0, 0.0), 12: (1.0, 0.2, 0.1)}


def matrices(factor=1.0):
    """Two grids and three modal coordinates that do not look alike."""
    rigid = np.zeros((15, 6))
    x, y, z = POINTS[12]
    rigid[:6], rigid[6:12] = np.eye(6), np.eye(6)
    rigid[6:9, 3:] = -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    free = np.eye(15) - rigid @ np.linalg.pinv(rigid)
    K = free @ np.diag(np.arange(1.0, 16)) @ free * 1e3
    K[12:, :] = K[:, 12:] = 0
    K[12:, 12:] = np.diag([100.0, 200.0, 300.0])
    return factor * np.diag(np.r_[[2.0] * 3, [0.1] * 3, [1.0] * 3, [0.05] * 3, [1.0] * 3]), factor * K


def grids(shift=0.0):
    return "".join(f"GRID,{g},,{x + shift},{y},{z}\n" for g, (x, y, z) in POINTS.items())


def test_several_superelements_in_one_text_are_told_apart(tmp_path):
    labels = [(g, c) for g in POINTS for c in range(1, 7)] + [(9001 + k, 0) for k in range(3)]
    index = pd.MultiIndex.from_tuples(labels, names=["id", "dof"])
    text = ""
    for ident, factor in ((101, 1.0), (102, 2.0)):
        frames = [pd.DataFrame(A, index, index) for A in matrices(factor)]
        nastran.wtdmig(str(tmp_path / "one.pch"), dict(zip(("MAAX", "KAAX"), frames, strict=True)))
        text += f"BEGIN SUPER      {ident}\n{grids(factor)}SPOINT,9001,THRU,9003\n" + (tmp_path / "one.pch").read_text()
    both = tmp_path / "both.pch"
    both.write_text(text)
    with pytest.raises(ModelError, match="has superelements 101, 102: say which with superelement="):
        from_nastran(both, both)
    for ident, factor in ((101, 1.0), (102, 2.0)):
        read = from_nastran(both, both, superelement=ident)
        assert read.M.toarray() == pytest.approx(matrices(factor)[0], abs=1e-8)
        assert read.points[0, 0] == pytest.approx(factor)
    # one name twice in one superelement: no silent choice
    twice = tmp_path / "twice.pch"
    twice.write_text(grids() + "SPOINT,9001,THRU,9003\n" + 2 * (tmp_path / "one.pch").read_text())
    with pytest.raises(ModelError, match=r'has 2 matrices "MAAX"'):
        from_nastran(twice, twice)


@pytest.mark.parametrize("beside", ["pch", "asm alone", "pch alone"])
def test_rows_come_in_the_order_that_the_superelement_says(beside, tmp_path):
    # modal points with numbers below those of the grids, named between them
    order = [11, 3, 12, 1, 2]
    M, K = matrices()
    pick = np.r_[0:6, 14, 6:12, 12, 13]  # 3 is the third modal coordinate
    nastran.op4.write(str(tmp_path / "s.op4"), {"maa": M[np.ix_(pick, pick)], "kaa": K[np.ix_(pick, pick)]})
    pairs = ",".join(f"{g},{123456 if g > 10 else 0}" for g in order[:4])
    extrn = f"EXTRN,{pairs}\n,{order[4]},0\n"
    first, *rest = (",".join(f"{g},{g}" for g in part) for part in (order[:4], order[4:]))
    seconct = f"SEBULK,5,EXTOP4,,MANUAL,,,101\nSECONCT,5,0\n,{first}\n" + "".join(f",{line}\n" for line in rest)
    (tmp_path / "s.asm").write_text(seconct + grids() + "SPOINT,1,2,3\n")
    if beside != "asm alone":
        (tmp_path / "s.pch").write_text("BEGIN SUPER=5\n" + extrn + grids() + "SPOINT,1,THRU,3\n")
    read = from_nastran(tmp_path / "s.op4", tmp_path / ("s.pch" if beside == "pch alone" else "s.asm"))
    assert read.rows[[0, 6, 7, 13, 14], 0].tolist() == order
    modal = read.K.toarray()[12:, 12:]
    assert np.diag(modal) == pytest.approx([300, 100, 200], rel=1e-12)
    assert read.report.good, str(read.report)


def test_what_is_wrong_with_bulk_data_is_said(tmp_path):
    path = tmp_path / "a.bdf"
    for text, words in (
        (grids() + "GRID,11,,5.,0.,0.\n", "grid 11 is there twice, at other places or in other axes"),
        (grids() + "EXTRN,11,123456,13,123456\n", "point 13 is in the boundary and has no GRID or SPOINT entry"),
        ("$ nothing\n", "has no grid points"),
        ("GRID,1,7,0.,0.,0.\n", "grid 1 has its place in coordinate system 7, which has no CORD1x or CORD2x entry"),
        ("GRID,1,,0.,0.,0.,-1\n", "is a fluid point"),
        (grids() + "CORD1R,7,11,12,13\n", r"coordinate system 7 is defined by grids without places: \[13\]"),
        ("GRID,1,,zero,0.,0.\n", "cannot be read as Nastran's geometry"),
    ):
        path.write_text(text)
        with pytest.raises(ModelError, match=words):
            read_grids(path, None)
    path.write_text(grids() + "SPC1,4,12,11,THRU,15,BY,2\nASET1,123,11,THRU,12\n")
    assert BulkData(path).entries("spc1") == [[4, 12, 11, "THRU", 15, "BY", 2]]
    held = read_grids(path, None)
    assert held.rows[~held.sets["f"]].tolist() == [[11, 1], [11, 2]]
    assert held.rows[held.sets["a"]].tolist() == [[g, c] for g in (11, 12) for c in (1, 2, 3)]
