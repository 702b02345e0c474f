"""Superelements whose boundary holds them just so, one grid or a kinematic mount: its stiffness is rounding, of any sign."""

import numpy as np
import pytest
from scipy import linalg
from test_craig_bampton import FRAME

from kaneflex.model.checks import ModelError
from kaneflex.structures import ModeChoice, check, component_modes, from_craig_bampton, from_nastran
from kaneflex.structures.modes.reduction import craig_bampton

with np.printoptions():  # pyyeti changes how NumPy prints
    pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    from pyyeti import nastran

ONE = [("root", c) for c in range(6)]
MOUNT = [("root", 0), ("root", 1), ("root", 2), ("knee", 1), ("knee", 2), ("tip", 2)]
MODES = 10


def reduced(boundary):
    """M and K over six boundary dofs and modes, with what the reduction leaves where there is no stiffness."""
    dofs = np.array([6 * FRAME.node(name) + c for name, c in boundary])
    found = craig_bampton(FRAME.M, FRAME.K, dofs, MODES)
    order = np.r_[MODES : MODES + 6, :MODES]
    M, K = found.M[np.ix_(order, order)], found.K[np.ix_(order, order)]
    K[:6, :6] = 0.0
    return M, K


def noise(size):
    """Errors of a boundary's stiffness, such as differences of large numbers have."""
    A = np.random.default_rng(4).standard_normal((6, 6))
    A = A + A.T
    assert A.diagonal().min() < 0
    return np.pad(size * A, (0, MODES))


def free_modes(M, K):
    return np.sqrt(linalg.eigh(K, M, eigvals_only=True)[6:])


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-5, 1e-3])
def test_one_boundary_grid_in_local_axes(size, tmp_path):
    M, K = reduced(ONE)
    cylinder = np.array([[7, 2, 0], [0.1, -0.2, 0.3], [0.1, -0.2, 1.3], [1.1, 0.3, 0.3]])
    uset = nastran.addgrid(None, [11], "b", 0, FRAME.points[[FRAME.node("root")]], [cylinder])
    axes = nastran.rbgeom_uset(uset)[:3, :3]
    turn = linalg.block_diag(axes, axes, np.eye(MODES))
    M, given = (turn @ A @ turn.T for A in (M, K + noise(size)))
    nastran.wtextseout(str(tmp_path / "one"), se=5, bset=np.arange(6), uset=uset, spoint1=9001, maa=M, kaa=given)
    read = from_nastran(tmp_path / "one.op4", tmp_path / "one.asm", names={"root": 11})
    assert read.report.good, str(read.report)
    assert "all 1 nodes carry stiffness" in str(read.report)
    held = component_modes(read, "root", MODES).frequencies
    assert held == pytest.approx(component_modes(FRAME, "root", MODES).frequencies, rel=1e-9)
    assert component_modes(read, None, MODES).frequencies == pytest.approx(free_modes(M, K), rel=1e-9)
    for ours, theirs in zip(read.mass_properties(), FRAME.mass_properties(), strict=True):
        assert np.asarray(ours) == pytest.approx(np.asarray(theirs), abs=1e-9)
    below = component_modes(read, "root", ModeChoice(count=None, below=30.0)).frequencies
    assert below == pytest.approx(held[held < 30.0 * 2 * np.pi], rel=1e-9)
    assert 0 < len(below) < MODES


@pytest.mark.parametrize("size", [0.0, 1e-5])
def test_a_kinematic_mount_of_three_grids(size):
    M, K = reduced(MOUNT)
    points = np.array([FRAME.points[FRAME.node(name)] for name in ("root", "knee", "tip")])
    number = {"root": 0, "knee": 1, "tip": 2}
    dofs = [(number[name], c + 1) for name, c in MOUNT] + [(0, 0)] * MODES
    body = from_craig_bampton(M, K + noise(size), points, dofs, number)
    assert check(body).good, str(check(body))
    assert component_modes(body, None, MODES).frequencies == pytest.approx(free_modes(M, K), rel=1e-9)
    mounted = component_modes(body.averaged("mount", ["root", "knee", "tip"]), "mount", MODES).frequencies
    assert mounted**2 == pytest.approx(np.diag(K)[6:], rel=1e-9)


def test_a_boundary_that_is_tied_to_the_ground_is_not_taken_for_rounding():
    M, K = reduced(ONE)
    K[:6, :6] = 0.01 * M[:6, :6] * K[6, 6]  # the body swings at a tenth of its first frequency
    tied = check(from_craig_bampton(M, K, FRAME.points[[FRAME.node("root")]], names={"root": 0}))
    assert not tied.good
    assert any("strains the body" in f.text for f in tied.findings)
    with pytest.raises(ModelError, match="negative diagonal entry at boundary node 0, ux"):
        from_craig_bampton(M, K - 2 * np.pad(K[:6, :6], (0, MODES)), FRAME.points[[FRAME.node("root")]])


def test_single_precision(tmp_path):
    M, K = (A.astype(np.float32).astype(float) for A in reduced(ONE))
    nastran.op4.write(str(tmp_path / "one.op4"), {"maa": M, "kaa": K})
    place = ",".join(map(str, FRAME.points[FRAME.node("root")].tolist()))
    (tmp_path / "one.bdf").write_text(f"GRID,11,,{place}\nSPOINT,9001,THRU,{9000 + MODES}\n")
    read = from_nastran(tmp_path / "one.op4", tmp_path / "one.bdf", names={"root": 11})
    assert read.report.good, str(read.report)
    assert "numbers good to 6e-08" in str(read.report)
    expected = component_modes(FRAME, "root", MODES).frequencies
    assert component_modes(read, "root", MODES).frequencies == pytest.approx(expected, rel=1e-6)
