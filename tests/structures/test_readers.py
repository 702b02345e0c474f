"""Other readers: CalculiX, tables in NumPy's and MATLAB's files; the command `kaneflex import`; bodies in own files."""

import re
import subprocess

import numpy as np
import pytest
from click.testing import CliRunner
from oracles import calculix
from scipy.io import savemat

import kaneflex as kf
from kaneflex.cli import main
from kaneflex.model.checks import ModelError
from kaneflex.results.envelopes import envelope
from kaneflex.structures import Beam, Recovery, Solid, component_modes
from kaneflex.structures.readers.any_files import from_files
from kaneflex.structures.readers.calculix import from_calculix
from kaneflex.structures.readers.tables import from_tables
from kaneflex.structures.stored_body import load_body, save_body

BEAM = Beam(length=2.0, EA=1e6, EI=50.0, mass_per_length=0.5, elements=4)

@calculix.missing
def test_matrices_of_calculix(tmp_path):
    # a bar of tetrahedra; with its face held the frequencies are those that CalculiX finds itself
    bar, material = Solid(0.6, 0.1, 0.08, 7e10, 0.33, 2700.0, elements=(3, 1, 1)), (7e10, 0.33, 2700.0)
    mesh = "C3D10", bar.points, bar.elements[0].nodes, material
    face = np.intersect1d(np.flatnonzero(np.abs(bar.points[:, 0]) < 1e-9), bar.elements[0].nodes)
    theirs = calculix.solid_frequencies(tmp_path, *mesh, face, 4)
    deck = calculix._deck(*mesh, [], 1)
    (tmp_path / "stored.inp").write_text(re.sub(r"\*FREQUENCY[^*]*", "*FREQUENCY, SOLVER=MATRIXSTORAGE\n", deck))
    subprocess.run(["ccx", "stored"], cwd=tmp_path, capture_output=True, timeout=60, check=False)
    read = from_calculix(tmp_path / "stored.inp", {"foot": int(face[0]) + 1})
    assert read.mass_properties()[0] == pytest.approx(0.6 * 0.1 * 0.08 * 2700.0, rel=1e-9)
    held = component_modes(read.linked("root", [str(k + 1) for k in face]), "root", 4)
    assert held.frequencies / (2 * np.pi) == pytest.approx(theirs, rel=2e-6)
    assert read.node("foot") == read.node(str(face[0] + 1))
    (tmp_path / "stored.mas").unlink()
    with pytest.raises(ModelError, match=r"stored.mas is not beside stored.inp: run CalculiX with \*FREQUENCY"):
        from_files([tmp_path / "stored.inp"])


def tables(folder, kind):
    rows = [(10 * (k // 6 + 1), k % 6 + 1) for k in range(30)]
    nodes = np.column_stack([10 * np.arange(1, 6), 1e3 * BEAM.points])
    scale = np.tile([1, 1, 1, 1e3, 1e3, 1e3], 5)
    given = {"M": scale[:, None] * BEAM.M.toarray() * scale, "K": scale[:, None] * BEAM.K.toarray() * scale}
    given |= {"nodes": nodes, "dofs": np.array(rows)}
    path = folder / f"beam.{kind}"
    np.savez(path, **given) if kind == "npz" else savemat(path, given)
    return path


@pytest.mark.parametrize("kind", ["npz", "mat"])
def test_tables_in_files_of_numpy_and_matlab(kind, tmp_path):
    read = from_tables(tables(tmp_path, kind), length_unit=1e-3)
    assert abs(read.K - BEAM.K).max() < 1e-9 * abs(BEAM.K).max()
    assert read.points == pytest.approx(BEAM.points)
    expected = component_modes(BEAM, "root", 3).frequencies
    assert component_modes(read, "10", 3).frequencies == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.full", "export its text with HBMAT"),
        ("a.sub", r"put them into an \.npz file"),
        ("a.odb", r"\*MATRIX OUTPUT, FORMAT=MATRIX INPUT"),
        ("a.unv", "give E, nu and density of its material"),
        ("a.mtx", "need the deck, .inp, with the nodes"),
        ("a.mapping", "give all four"),
        ("a.f06", "give matrices"),
    ],
)
def test_files_that_are_not_read_are_told_what_to_do(name, words, tmp_path):
    (tmp_path / name).write_text("anything")
    with pytest.raises(ModelError, match=words):
        from_files([tmp_path / name])


@pytest.mark.thorough
def test_the_command_writes_a_body_and_its_page(tmp_path):
    out = tmp_path / "beam.h5"
    how = ["--root", "10", "--modes", "4", "--length-unit", "1e-3"]
    done = CliRunner().invoke(main, ["import", str(tables(tmp_path, "npz")), "--out", str(out), *how])
    assert done.exit_code == 0, done.output
    assert "rigid motions strain nothing" in done.output
    page = (tmp_path / "beam.html").read_text()
    for words in ("Checks of the model", "inertia about the mass centre", "<dd>1 kg</dd>", "inertia z", "plausible in SI"):
        assert words in page, words
    body = load_body(out)
    expected = component_modes(BEAM, "root", 4).frequencies
    assert body.modal.frequencies == pytest.approx(expected, rel=1e-9)
    bad = CliRunner().invoke(main, ["import", str(tmp_path / "none.op4"), "--out", str(out)])
    assert bad.exit_code == 2
    with pytest.raises(ModelError, match="holds no flexible body"):
        import h5py

        h5py.File(tmp_path / "other.h5", "w").close()
        load_body(tmp_path / "other.h5")


def test_rows_of_a_stored_body_and_their_envelope_over_runs(tmp_path):
    rows = np.zeros((2, BEAM.size))
    rows[0, 6 * 4 + 1], rows[1, 6 * 4 + 2] = 1.0, 1.0  # displacements of the tip
    recovery = {"dtm": Recovery(("tip y", "tip z"), rows, unit="m")}
    body = kf.Flexible(BEAM, modes=kf.structures.ModeChoice(count=4), recovery=recovery)
    stored = load_body(save_body(body, tmp_path / "beam.h5"))
    runs = {}
    for name, speed in (("slow", 0.1), ("fast", -0.3)):
        s = kf.System("arm", gravity=(0, 0, 0))
        s.add("arm", stored, kf.Revolute("z", motion=kf.profiles.smooth_step(speed, time=1.0)))
        runs[name] = s.simulate(1.0, output=0.05)
    tip = runs["fast"]["arm.tip.deflection"][:, 1]
    assert runs["fast"]["arm.dtm.tip y"] == pytest.approx(tip, rel=2e-2, abs=1e-2 * np.abs(tip).max())
    assert runs["fast"].unit("arm.dtm.tip y") == "m"
    across, along = envelope(runs, ["arm.dtm"])
    assert across.label == "arm.dtm.tip y"
    assert across.largest.run == "fast"
    assert across.largest.value == pytest.approx(max(run["arm.dtm.tip y"].max() for run in runs.values()), rel=1e-12)
    assert across.smallest.value == pytest.approx(min(run["arm.dtm.tip y"].min() for run in runs.values()), rel=1e-12)
    assert along.largest.value == pytest.approx(0.0, abs=1e-12)
