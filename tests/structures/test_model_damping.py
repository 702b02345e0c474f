"""Damping matrices of a finite-element model (viscous, structural) as damping of the body's modes."""

import numpy as np
import pytest
from scipy import linalg
from test_craig_bampton import BOUNDARY, FRAME, reduced

import kaneflex as kf
from kaneflex.model.checks import ModelError
from kaneflex.structures import ModeChoice, from_craig_bampton, from_nastran

with np.printoptions():  # pyyeti changes how NumPy prints
    pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    from pyyeti import nastran

M, K, _ = reduced()
INSIDE = np.random.default_rng(1).standard_normal((3, 20)) @ K  # forces that no rigid motion causes
DASHPOTS = 2e-11 * INSIDE.T @ INSIDE
NAMES = {"root": 0, "tip": 1}
POINTS = FRAME.points[BOUNDARY]


def eigenvalues(C, stiffness):
    m = len(stiffness)
    A = np.block([[np.zeros((m, m)), np.eye(m)], [-np.diag(stiffness), -C]])
    return upper(np.linalg.eigvals(A))


def upper(values):
    """Those of pairs with a positive imaginary part, in order of it."""
    return sorted(values[values.imag > 0], key=lambda s: s.imag)


def test_dashpots_of_the_model_damp_the_body_as_the_matrices_do():
    body = kf.Flexible(from_craig_bampton(M, K, POINTS, names=NAMES, viscous=DASHPOTS), modes=ModeChoice(count=14),
                       damping="model", stiffening=False).modal  # fmt: skip
    free = np.arange(6, 20)
    m, b, k = (A[np.ix_(free, free)] for A in (M, DASHPOTS, K))
    companion = np.block([[np.zeros((14, 14)), np.eye(14)], [-k, -b]])
    expected = np.array(upper(linalg.eigvals(companion, linalg.block_diag(np.eye(14), m))))
    C = body.damping
    assert np.abs(C - np.diag(np.diag(C))).max() > 0.1 * np.abs(C).max()  # modes are coupled
    assert 0.01 < np.max(-expected.real / np.abs(expected)) < 0.5
    assert len(expected) == 14
    assert np.abs(eigenvalues(C, body.stiffness) / expected - 1).max() < 1e-8


def test_structural_damping_is_a_ratio_of_half_the_loss_factor():
    structure = from_craig_bampton(M, K, POINTS, names=NAMES, structural=0.03 * K)
    held = kf.Flexible(structure.named(end=1), modes=6, damping="model", stiffening=False).modal
    assert held.damping == pytest.approx(np.diag(0.03 * held.frequencies), abs=1e-9 * held.frequencies.max())
    linked = structure.linked("plate", ["root", "tip"])  # matrices go along when nodes are added
    assert kf.Flexible(linked, root="plate", modes=3, damping="model", stiffening=False).modal.damping.trace() > 0


@pytest.mark.parametrize("kind", ["op4", "dmig"])
def test_damping_matrices_of_a_file(kind, tmp_path):
    uset = nastran.addgrid(None, [11, 12], "b", 0, POINTS, 0)
    name = tmp_path / "craft"
    given = {"maa": M, "kaa": K, "baa": DASHPOTS, "k4xx": 0.03 * K}
    nastran.wtextseout(str(name), se=5, bset=np.arange(12), uset=uset, spoint1=9001, **given)
    files = name.with_suffix(".op4"), name.with_suffix(".asm")
    if kind == "dmig":
        import pandas as pd

        labels = [(g, c) for g in (11, 12) for c in range(1, 7)] + [(9001 + k, 0) for k in range(8)]
        index = pd.MultiIndex.from_tuples(labels, names=["id", "dof"])
        named = {"MAAX": M, "KAAX": K, "BAAX": DASHPOTS, "K4AAX": 0.03 * K}
        nastran.wtdmig(str(tmp_path / "craft.dmig"), {n: pd.DataFrame(A, index, index) for n, A in named.items()})
        files = tmp_path / "craft.dmig", files[1]
    read = from_nastran(*files, names={"root": 11})
    said = str(read.report)
    for words in ('viscous damping, taken with damping="model"', "the same loss at each mode's own frequency"):
        assert words in said
    modal = kf.Flexible(read, modes=ModeChoice(count=5), damping="model", stiffening=False).modal
    wanted = from_craig_bampton(M, K, POINTS, names=NAMES, viscous=DASHPOTS, structural=0.03 * K)
    wanted = kf.Flexible(wanted, modes=ModeChoice(count=5), damping="model", stiffening=False).modal
    assert np.abs(np.abs(modal.damping) - np.abs(wanted.damping)).max() < 1e-6 * np.abs(wanted.damping).max()


def test_what_is_wrong_with_damping_is_said(tmp_path):
    with pytest.raises(ModelError, match="viscous damping has a negative diagonal entry"):
        from_craig_bampton(M, K, POINTS, viscous=-DASHPOTS)
    with pytest.raises(ModelError, match="came with no damping matrix"):
        kf.Flexible(from_craig_bampton(M, K, POINTS, names=NAMES), modes=3, damping="model").modal.damping  # noqa: B018
    with pytest.raises(ModelError, match="give a ratio, ratios, a matrix, or \"model\""):
        kf.Flexible(from_craig_bampton(M, K, POINTS, names=NAMES), modes=3, damping="file")
    uset = nastran.addgrid(None, [11, 12], "b", 0, POINTS, 0)
    name = tmp_path / "craft"
    nastran.wtextseout(str(name), se=5, bset=np.arange(12), uset=uset, spoint1=9001, maa=M, kaa=K, baa=0.5 * M)
    read = from_nastran(name.with_suffix(".op4"), name.with_suffix(".asm"))
    assert "viscous damping, resists a rigid motion" in str(read.report)
    nastran.op4.write(str(tmp_path / "b.op4"), {"maa": M, "kaa": K, "baa": np.eye(3)})
    with pytest.raises(ModelError, match="baa is 3 by 3, MAA has 20 rows"):
        from_nastran(tmp_path / "b.op4", name.with_suffix(".asm"), viscous="baa")
