"""Modal coordinates on grid points, as decks without scalar points have them: the q-set says which, or the user."""

import numpy as np
import pytest
from click.testing import CliRunner
from test_craig_bampton import BOUNDARY, FRAME, SHIPPED, reduced, shipped

from kaneflex.cli import main
from kaneflex.model.checks import ModelError
from kaneflex.structures import component_modes, from_craig_bampton, from_nastran
from kaneflex.structures.stored_body import load_body

with np.printoptions():  # pyyeti changes how NumPy prints
    pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    import pandas as pd
    from pyyeti import nastran

M, K, _ = reduced()  # two grids and eight modes: those of a grid, and two components of another
PLAIN = from_craig_bampton(M, K, FRAME.points[BOUNDARY], names={"root": 0, "tip": 1})
MODES = [(901, c) for c in range(1, 7)] + [(902, 1), (902, 2)]
GRIDS = "".join(f"GRID,{g},,{x},{y},{z}\n" for g, (x, y, z) in zip((11, 12), FRAME.points[BOUNDARY].tolist(), strict=True))
# axes of the modal grids mean nothing
GRIDS += "CORD2C,7,,0.1,-0.2,0.3,0.1,-0.2,1.3,\n,1.1,0.3,0.3\nGRID,901,,0.,0.,0.,7\nGRID,902,,0.,0.,0.,7\n"
SETS = "BSET1,123456,11,12\nQSET1,123456,901\nQSET,902,12\n"


def written(folder, kind, sets):
    (folder / "m.bdf").write_text(GRIDS + sets)
    if kind == "op4":
        nastran.op4.write(str(folder / "m.op4"), {"maa": M, "kaa": K})
        return folder / "m.op4", folder / "m.bdf"
    index = pd.MultiIndex.from_tuples([(g, c) for g in (11, 12) for c in range(1, 7)] + MODES, names=["id", "dof"])
    nastran.wtdmig(str(folder / "m.pch"), {n: pd.DataFrame(A, index, index) for n, A in (("MAAX", M), ("KAAX", K))})
    return folder / "m.pch", folder / "m.bdf"


@pytest.mark.parametrize("kind", ["op4", "dmig"])
def test_grids_of_the_q_set_are_modal_coordinates(kind, tmp_path):
    read = from_nastran(*written(tmp_path, kind, SETS), names={"root": 11})
    assert read.report.good, str(read.report)
    assert "2 of 4 grid points 11, 12; 8 dofs of grid points of the q-set, taken as modal coordinates" in str(read.report)
    assert read.hidden == 8
    for root in ("root", None):
        expected = component_modes(PLAIN, root, 8).frequencies
        assert component_modes(read, root, 8).frequencies == pytest.approx(expected, rel=1e-8)


def test_the_user_says_which_grids_are_modal_coordinates(tmp_path):
    files = written(tmp_path, "op4", SETS.replace("QSET", "ASET"))
    files[1].write_text(files[1].read_text().replace("0.,7\n", "0.\n"))
    blind = from_nastran(*files)
    assert not blind.report.good  # a grid whose mass is that of modes is noticed
    told = from_nastran(*files, modal=[901, 902])
    assert told.hidden == 8
    assert component_modes(told, None, 8).frequencies == pytest.approx(component_modes(PLAIN, None, 8).frequencies, rel=1e-8)
    with pytest.raises(ModelError, match="modal: grid 903 is not in the geometry"):
        from_nastran(*files, modal=[901, 903])
    how = ["--modal", "901", "--modal", "902", "--root", "11", "--modes", "4", "--out", str(tmp_path / "m.h5")]
    done = CliRunner().invoke(main, ["import", *map(str, files), *how])
    assert done.exit_code == 0, done.output
    expected = component_modes(PLAIN, "root", 4).frequencies
    assert load_body(tmp_path / "m.h5").modal.frequencies == pytest.approx(expected, rel=1e-8)


@shipped
def test_a_real_run_whose_residual_does_not_say_which_grids_are_modal():
    # CSUPER: the frequencies of superelement 102, whose q-set is on grids, and of the whole are in test_craig_bampton
    files = [SHIPPED.parent / "nas2cam_csuper" / f"nas2cam.{kind}" for kind in ("op4", "op2")]
    inboard = from_nastran(*files, length_unit=1e-3, superelement=102)
    assert inboard.report.good, str(inboard.report)
    assert "12 dofs of grid points of the q-set" in str(inboard.report)
    assert not from_nastran(*files, length_unit=1e-3, superelement=0).report.good
    whole = from_nastran(*files, length_unit=1e-3, superelement=0, modal=[9990001, 9990002])
    assert whole.report.good, str(whole.report)
