"""Rigid elements, means and equations in any axes: against Nastran's own constraint matrices, and against null spaces."""

from pathlib import Path

import numpy as np
import pytest
from scipy import linalg
from scipy.io import loadmat

from kaneflex.model.checks import ModelError
from kaneflex.structures import Section, from_nastran
from kaneflex.structures.framework import Framework
from kaneflex.structures.readers.nastran_constraints import read_constraints
from kaneflex.structures.readers.nastran_grids import read_grids

with np.printoptions():  # pyyeti changes how NumPy prints
    pyyeti = pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    from pyyeti import nastran

SHIPPED = Path(pyyeti.__file__).parent / "tests" / "nastran_gm_data"


def motions(path):
    """Grids of a deck, what its entries tie, and all motions that they leave, in basic axes."""
    grid = read_grids(path, None)
    tied = read_constraints(grid.bulk, {int(g): k for k, g in enumerate(grid.ids)}, {}, grid.points, grid.axes)
    depends = tied.matrix(grid.points, grid.axes, 6 * len(grid.ids)).toarray()
    free = ~depends.any(axis=1)
    return grid, tied, (np.diag(free.astype(float)) + depends)[:, free]


@pytest.mark.skipif(not SHIPPED.is_dir(), reason="this pyyeti was installed without its test data")
@pytest.mark.parametrize("deck", sorted(SHIPPED.glob("*.dat")), ids=lambda path: path.stem[-8:])
def test_means_are_those_of_nastran(deck):
    # RBE3 with weights over grids in chained cylindrical and spherical axes, with and without UM; GM as NX Nastran formed it
    grid, tied, ours = motions(deck)
    GM = np.asarray(loadmat(deck.with_suffix(".mat"))["gm"][0][0][0])
    size = 6 * len(grid.ids)
    gone = sorted(6 * node + c for node, c in tied.gone)
    theirs = np.zeros((len(gone), size))
    theirs[:, gone] = np.eye(len(gone))
    theirs[:, np.setdiff1d(np.arange(size), gone)] = -GM
    local = linalg.block_diag(*np.repeat(grid.axes, 2, axis=0)).T
    assert ours.shape[1] == size - len(gone)
    assert np.abs(theirs @ local @ ours).max() < 1e-7 * np.abs(GM).max() * np.abs(ours).max()  # weights in single precision
    assert not [f for f in tied.notes if not f.good]


def frame():
    f = Framework()
    section = Section(EA=1e7, EI=(800.0, 500.0), mass_per_length=0.9, GJ=400.0)
    places = [(0, 0, 0), (1, 0.2, 0), (1.2, 1, 0.5), (0.4, 0.9, 0.1), (0.1, 1.5, 0.8), (0.8, 1.6, 0.4), (1.5, 1.4, 0.9),
              (0.5, 0.5, 0.9)]  # fmt: skip
    for k, place in enumerate(places):
        f.node(f"n{k}", place)
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 0)):
        f.beam(f"n{a}", f"n{b}", section)
    return f.build()


CYLINDER = [[7, 2, 0], [0.1, -0.2, 0.3], [0.1, -0.2, 1.3], [1.1, 0.3, 0.3]]  # id and type, origin, point on z, point in x-z
CARDS = """RBE2,900,30,13,80
RBAR,901,20,70,1234,23
RBE1,902,10,123,30,23,50,3
,UM,40,246
RROD,903,50,60,,2
MPC,5,60,3,2.0,20,1,-0.5
,,30,3,0.25,50,5,0.1
"""


def test_entries_of_all_kinds_in_local_axes_leave_the_motions_that_their_definitions_say(tmp_path):
    whole = frame()
    n, ids = len(whole), 10 * np.arange(1, 9)
    axes = [np.array(CYLINDER, dtype=float) if k % 2 else 0 for k in range(n)]
    uset = nastran.addgrid(None, ids, "b", 0, whole.points, axes)
    rigid = nastran.rbgeom_uset(uset)  # rows in the axes of each grid, about the origin
    turn = linalg.block_diag(*[rigid[6 * k : 6 * k + 3, :3] for k in range(n) for _ in range(2)])
    M, K = (turn @ A.toarray() @ turn.T for A in (whole.M, whole.K))
    nastran.op4.write(str(tmp_path / "m.op4"), {"mgg": M, "kgg": K})
    nastran.uset2bulk(str(tmp_path / "m.bdf"), uset)
    (tmp_path / "m.bdf").write_text((tmp_path / "m.bdf").read_text() + CARDS)
    dof = lambda grid, components: [6 * (grid // 10 - 1) + int(c) - 1 for c in str(components)]
    # over all dofs in the grids' axes, and a rigid motion for each element that has one: rows that are zero
    size, rows = 6 * n, []
    bodies = [dof(30, 123456) + dof(80, 13), dof(20, 123456) + dof(70, 123456),
              dof(10, 123) + dof(30, 23) + dof(50, 3) + dof(40, 246)]  # fmt: skip
    for k, members in enumerate(bodies):
        for d in members:
            row = np.zeros(size + 18)
            row[d], row[size + 6 * k : size + 6 * k + 6] = 1, -rigid[d]
            rows.append(row)
    rod = np.zeros(size + 18)
    along = whole.points[5] - whole.points[4]
    rod[:size] = np.r_[np.zeros(24), -along, np.zeros(3), along, np.zeros(15)] @ turn.T
    equation = np.zeros(size + 18)
    equation[dof(60, 3) + dof(20, 1) + dof(30, 3) + dof(50, 5)] = 2.0, -0.5, 0.25, 0.1
    left = linalg.null_space(np.array([*rows, rod, equation]))[:size]
    read = from_nastran(tmp_path / "m.op4", tmp_path / "m.bdf")
    assert read.expand.shape[1] == left.shape[1] == size - (2 + 6 + 3 + 1 + 1)
    squares = linalg.eigh(left.T @ K @ left, left.T @ M @ left, eigvals_only=True)
    # an equation that no rigid motion fulfils leaves fewer than six free ones: those of the held body are compared
    N = read.expand.toarray()
    ours = linalg.eigh(N.T @ read.K @ N, N.T @ read.M @ N, eigvals_only=True)
    assert np.abs(ours - squares).max() < 1e-7 * np.abs(squares).max()
    assert ours[7:27] == pytest.approx(squares[7:27], rel=1e-5)  # grids are written with eight decimals
    assert "13 dofs depend on others" in str(read.report)


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("RBAR,901,20,70,12,23\n", "RBAR 901: its independent dofs are not six that hold a rigid body"),
        ("RBE3,901,,80,123,1.0,123,10,20\n", "RBE3 901 does not tell a rotation"),
        ("RBE3,901,,80,123,1.0,123,10,20,\n,30,UM,10,12\n", "RBE3 901 has 2 dofs after UM: give 3"),
        ("RBE2,900,30,13,80\nRBE2,901,20,12,80\n", "contradict each other"),
        ("RBE2,900,30,13,85\n", "rigid elements name grid 85, which has no GRID entry"),
        ("MPC,5,80,12,1.0,10,1,-1.0\n", "an MPC entry cannot be read"),
    ],
)
def test_what_is_wrong_with_entries_is_said(cards, words, tmp_path):
    grids = "".join(f"GRID,{10 * (k + 1)},,{x},{y},{z}\n" for k, (x, y, z) in enumerate(frame().points.tolist()))
    (tmp_path / "m.bdf").write_text(grids + cards)
    with pytest.raises(ModelError, match=words):
        motions(tmp_path / "m.bdf")


def test_equations_of_the_set_that_case_control_chooses(tmp_path):
    grids = "".join(f"GRID,{10 * (k + 1)},,{x},{y},{z}\n" for k, (x, y, z) in enumerate(frame().points.tolist()))
    cards = "MPC,5,60,3,2.0,20,1,-0.5\nMPC,6,70,1,1.0,20,1,-1.0\nMPCADD,8,5,6\n"
    given = {"": None, "MPC = 6\nBEGIN BULK\n": {(6, 0)}, "MPC=8\nBEGIN BULK\n": {(5, 2), (6, 0)}, "BEGIN BULK\n": None,
             "TITLE = no\nBEGIN BULK\n": set()}  # fmt: skip
    for case, gone in given.items():
        (tmp_path / "m.bdf").write_text(case + grids + cards)
        _, tied, _ = motions(tmp_path / "m.bdf")
        assert tied.gone == (gone or set()), case
        assert any("MPC entries of several sets" in f.text for f in tied.notes) == (gone is None)
