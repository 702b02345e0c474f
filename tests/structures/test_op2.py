"""Superelements from op2 files alone: matrices or DMIG tables, geometry, sets; several in one file."""

import tracemalloc
from pathlib import Path

import numpy as np
import op2_files as op2
import pytest
from scipy import sparse
from test_damaged_models import GRIDS, matrices

from kaneflex.model.checks import ModelError
from kaneflex.structures import from_nastran
from kaneflex.structures.readers.matrix_files import MatrixFile

with np.printoptions():  # pyyeti changes how NumPy prints
    pyyeti = pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    from pyyeti import nastran

SHIPPED = Path(pyyeti.__file__).parent / "tests" / "nas2cam_extseout"
SCALARS = [9001, 9002, 9003]
LABELS = [(g, c) for g in GRIDS for c in range(1, 7)] + [(s, 0) for s in SCALARS]


def same(read, M, K):
    assert np.abs(read.M.toarray() - M).max() < 1e-9 * np.abs(M).max()  # places of grids are in single precision
    assert np.abs(read.K.toarray() - K).max() < 1e-9 * np.abs(K).max()
    assert read.points == pytest.approx(np.array(list(GRIDS.values())), abs=1e-7)
    assert read.hidden == 3


@pytest.mark.parametrize("kind", ["matrices", "dmig"])
def test_a_superelement_in_one_op2_file(kind, tmp_path):
    M, K = matrices()
    pair = [op2.matrix("MAAX", M), op2.matrix("KAAX", K)]
    if kind == "dmig":
        pair = [op2.dmig("MAAX", LABELS, M), op2.dmig("KAAX", LABELS, K)]
    (tmp_path / "a.op2").write_bytes(op2.file(op2.geometry(GRIDS, SCALARS), *pair))
    read = from_nastran(tmp_path / "a.op2", tmp_path / "a.op2")
    same(read, M, K)
    assert "3 scalar points, taken as modal coordinates" in str(read.report)


def joined(kind, ids):
    """Two superelements, the second of twice the mass and stiffness, and the tables of what joins them."""
    M, K = matrices()
    write = op2.matrix if kind == "matrices" else lambda name, A: op2.dmig(name, LABELS, A)
    blocks = []
    for factor in (1, 2):
        blocks += [op2.geometry(GRIDS, SCALARS), write("MAAX", factor * M), write("KAAX", factor * K)]
    # id, joined to 0, tolerances and location; pairs of grids; -1 -1 after each
    connected = [v for ident in ids for v in (ident, 0, 0.0, 0, 11, 11, 12, 12, -1, -1)]
    return op2.file(*blocks, op2.geometry(GRIDS, SCALARS, connected=connected)) if ids else op2.file(*blocks)


@pytest.mark.parametrize("kind", ["matrices", "dmig"])
def test_several_superelements_in_one_op2_file_are_told_apart(kind, tmp_path):
    M, K = matrices()
    path = tmp_path / "both.op2"
    path.write_bytes(joined(kind, (101, 102)))
    with pytest.raises(ModelError, match=r"has superelements 0, 101, 102: say which with superelement="):
        from_nastran(path, path)
    same(from_nastran(path, path, superelement=101), M, K)
    same(from_nastran(path, path, superelement=102), 2 * M, 2 * K)
    with pytest.raises(ModelError, match="has no superelement 103: there are 0, 101, 102"):
        from_nastran(path, path, superelement=103)
    path.write_bytes(joined(kind, ()))
    with pytest.raises(ModelError, match=r"has 2 tables GEOM1S and does not say whose they are"):
        from_nastran(path, path, superelement=1)


@pytest.mark.skipif(not SHIPPED.is_dir(), reason="this pyyeti was installed without its test data")
def test_grids_and_sets_of_op2_files_of_real_runs():
    # the run that made the superelement (BSET1 and QSET1 in GEOM4S), and that which joined two (EXTRN in GEOM1S)
    inboard = from_nastran(SHIPPED / "inboard.op4", SHIPPED / "inboard.op2", length_unit=1e-3)
    assert "4 of 26 grid points 3, 11, 19, 27; 8 scalar points" in str(inboard.report)
    outboard = from_nastran(SHIPPED / "outboard.op4", SHIPPED / "assemble.op2", length_unit=1e-3, superelement=101)
    for read, name in ((inboard, "inboard"), (outboard, "outboard")):
        expected = from_nastran(SHIPPED / f"{name}.op4", SHIPPED / f"{name}.asm", length_unit=1e-3)
        assert abs(read.K - expected.K).max() < 1e-12 * abs(expected.K).max()
        assert read.points == pytest.approx(expected.points, abs=1e-9)
        assert read.report.good, str(read.report)


@pytest.mark.skipif(not SHIPPED.is_dir(), reason="this pyyeti was installed without its test data")
@pytest.mark.parametrize("kind", ["double_be", "double_le", "single_be", "single_le"])
def test_matrices_of_all_kinds_are_what_pyyeti_reads(kind):
    # real and complex, of single and double precision, full and sparse, in both orders of bytes
    path = SHIPPED.parent / "nastran_op2_data" / f"{kind}.op2"
    with nastran.op2.OP2(str(path)) as file:
        theirs = file.rdop2mats(which="all")
    read = MatrixFile(path)
    assert {name.upper() for name in theirs} <= set(read.names)
    kinds = set()
    for name, (expected, *_) in theirs.items():
        found = read[name].values
        kinds.add((sparse.issparse(found), np.iscomplexobj(found)))
        assert np.array_equal(found.toarray() if sparse.issparse(found) else found, expected), name
    assert len(kinds) > 1


def test_a_large_sparse_matrix_takes_no_room_for_zeros(tmp_path):
    n = 1500
    A = np.diag(np.arange(1.0, n + 1)) + np.diag(np.ones(n - 1), 1)
    (tmp_path / "a.op2").write_bytes(op2.file(op2.matrix("KGG", A)))
    tracemalloc.start()
    found = MatrixFile(tmp_path / "a.op2")["KGG"].values
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert abs(found - sparse.csc_array(A)).max() == 0
    assert taken < 5e6 < A.nbytes
