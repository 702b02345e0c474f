"""Craig-Bampton models: the same body as the full model with the same modes, files of real runs, recovery, coupled loads."""

from pathlib import Path

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.checks import ModelError
from kaneflex.structures import Recovery, Structure, check, component_modes, from_craig_bampton, from_nastran
from kaneflex.structures.framework import Framework
from kaneflex.structures.modes.effective_mass import effective_mass
from kaneflex.structures.modes.modal_data import modal_body
from kaneflex.structures.modes.reduction import Reduction, craig_bampton
from kaneflex.structures.modes.synthesis import join
from kaneflex.structures.readers.nastran_recovery import recovery_from_nastran
from kaneflex.structures.section import Section

HERTZ = 2 * np.pi


def frame():
    """A bent frame with a heavy end, in no plane."""
    f = Framework()
    section = Section(EA=1e7, EI=(800.0, 500.0), mass_per_length=0.9, GJ=400.0)
    for name, place in (("root", (0.1, 0, 0)), ("knee", (1, 0.2, 0)), ("tip", (1.2, 1, 0.5))):
        f.node(name, place)
    f.beam("root", "knee", section, elements=3)
    f.beam("knee", "tip", section, elements=2)
    f.mass("tip", 0.5, inertia=(0.01, 0.02, 0.015))
    return f.build()


FRAME = frame()
BOUNDARY = [FRAME.node("root"), FRAME.node("tip")]
INSIDE = [k for k in range(len(FRAME)) if k not in BOUNDARY]
dofs_of = lambda nodes: np.concatenate([6 * k + np.arange(6) for k in nodes])


def reduced(count=8):
    """M, K and the vectors of the frame over its two ends and fixed-interface modes."""
    found = craig_bampton(FRAME.M, FRAME.K, dofs_of(BOUNDARY), count)
    order = np.r_[count : count + 12, :count]
    return found.M[np.ix_(order, order)], found.K[np.ix_(order, order)], found.vectors[:, order]


def with_inside():
    M, K, T = reduced()
    dofs = dofs_of(BOUNDARY + INSIDE)
    names = {"root": 0, "tip": 1}
    points = FRAME.points[INSIDE], T[dofs_of(INSIDE)], FRAME.M.toarray()[np.ix_(dofs, dofs)]
    return from_craig_bampton(M, K, FRAME.points[BOUNDARY], None, names, *points), dofs


FULL = Structure.from_matrices(FRAME.M, FRAME.K, FRAME.points, FRAME.names)


def same_modes(body, dofs, root, count=6):
    """Modes of the reduced model, and the same shapes as modes of the full one."""
    modes = component_modes(body, root, count)
    shapes = np.zeros((6 * len(FULL), count))
    shapes[dofs] = modes.shapes[: 6 * len(FULL)]
    return modes, component_modes(FULL, root, shapes)


@pytest.mark.parametrize("root", ["root", None])
def test_the_reduced_body_is_the_full_one_with_the_same_modes(root):
    body, dofs = with_inside()
    modes, full = same_modes(body, dofs, root)
    assert modes.frequencies == pytest.approx(full.frequencies, rel=1e-10)
    a, b = modal_body(body, modes, root, ("tip",), False), modal_body(FULL, full, root, ("tip",), False)
    signs = np.sign(np.einsum("ij,ij->j", a.nodes["tip"].Phi, b.nodes["tip"].Phi))
    for name in ("mass", "first_moment", "second_moment", "B", "C", "E", "b2", "C2"):
        x, y = getattr(a, name), np.array(getattr(b, name))
        y = y * signs if name in ("B", "C") else y * np.outer(signs, signs) if name in ("E", "b2", "C2") else y
        assert np.abs(x - y).max() < 1e-10, name


def test_matrices_alone_have_exact_momenta_and_a_kinetic_energy_of_squares():
    M, K, _ = reduced()
    bare = from_craig_bampton(M, K, FRAME.points[BOUNDARY], names={"root": 0, "tip": 1})
    body, _ = with_inside()
    for root in ("root", None):
        a, b = (modal_body(s, component_modes(s, root, 6), root, ("tip",), False) for s in (bare, body))
        signs = np.sign(np.einsum("ij,ij->j", a.nodes["tip"].Phi, b.nodes["tip"].Phi))
        assert a.inertia == pytest.approx(b.inertia, abs=1e-10)
        assert np.abs(a.B - b.B * signs).max() < 1e-9
        assert np.abs(a.D - b.D * signs).max() < 1e-9
        assert np.trace(a.E) == pytest.approx(np.eye(6), abs=1e-10)
        whole = a.E.transpose(0, 2, 1, 3).reshape(18, 18)
        assert np.linalg.eigvalsh(whole)[0] > -1e-12
    assert check(bare).good, str(check(bare))


def test_the_mean_of_boundary_nodes_is_held_without_making_them_stiffer():
    M, K, _ = reduced()
    points = np.array([FRAME.points[k] for k in BOUNDARY])
    bare = from_craig_bampton(M, K, points, names={"root": 0, "tip": 1})
    one = bare.averaged("mean", ["root"])
    expected = component_modes(bare, "root", 6).frequencies
    assert component_modes(one, "mean", 6).frequencies == pytest.approx(expected, rel=1e-9)
    # a plate held by the mean of its corners: six dofs less than free, and the free modes are what they were
    plate = kf.structures.Plate(1.0, 0.8, 0.01, E=7e10, nu=0.3, density=2700.0, elements=(4, 4))
    corners = [(x, y, 0) for x in (0, 1.0) for y in (-0.4, 0.4)]
    given = Structure.from_matrices(plate.M, plate.K, plate.points)
    held = given.averaged("mean", corners)
    assert component_modes(held, None, 4).frequencies == pytest.approx(component_modes(given, None, 4).frequencies, rel=1e-8)
    modes = component_modes(held, "mean", 4)
    mean = sum(modes.shapes[6 * held.node(c) : 6 * held.node(c) + 3] for c in corners) / 4
    assert np.abs(mean).max() < 1e-10 * np.abs(modes.shapes).max()
    rigid = component_modes(given.linked("mean", corners), "mean", 4).frequencies
    assert modes.frequencies[0] < 0.9 * rigid[0]
    with pytest.raises(ModelError, match="do not tell a rotation"):
        given.averaged("mean", corners[:2])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda a: a | {"M": a["M"][:-1]}, "it must be square"),
        (lambda a: a | {"K": a["K"][:-1, :-1]}, "over the same coordinates"),
        (lambda a: a | {"K": -a["K"]}, "negative diagonal entry at boundary node 0, ux"),
        (lambda a: a | {"dofs": np.zeros((20, 2)) + [5, 7]}, "row 0 is node 5, component 7"),
        (lambda a: a | {"inner": 2 * a["inner"]}, "theta_x of inner node 0 misses the rigid theta_x of the boundary by 1"),
        (lambda a: a | {"mass": 0.5 * a["mass"]}, "its momenta differ from those of the reduced matrix by 4.5e-01"),
    ],
)
def test_what_is_wrong_with_matrices_is_said(change, words):
    M, K, T = reduced()
    dofs = dofs_of(BOUNDARY + INSIDE)
    given = {"M": M, "K": K, "points": FRAME.points[BOUNDARY], "inner_points": FRAME.points[INSIDE]}
    given |= {"inner": T[dofs_of(INSIDE)], "mass": FRAME.M.toarray()[np.ix_(dofs, dofs)]}
    with pytest.raises(ModelError, match=words):
        from_craig_bampton(**change(given))


with np.printoptions():  # pyyeti changes how NumPy prints
    pyyeti = pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    from pyyeti import nastran

SHIPPED = Path(pyyeti.__file__).parent / "tests" / "nas2cam_extseout"
shipped = pytest.mark.skipif(not SHIPPED.is_dir(), reason="this pyyeti was installed without its test data")
# inboard.out, outboard.out and assemble.out of that run, cycles: boundary held, with residual vectors; coupled, free
PRINTED = {
    "inboard": [6.129345, 6.130134, 23.63188, 70.47544, 70.78510, 104.6654, 188.0354, 208.5971],
    "outboard": [1.650001, 1.650249, 1.674265, 1.674687, 7.025350, 7.025411, 10.91274, 10.91454, 13.98578],
    "coupled": [1.698800, 1.767487, 1.857720, 3.419612, 7.024210],
}


def superelement(name):
    return from_nastran(SHIPPED / f"{name}.op4", SHIPPED / f"{name}.asm", length_unit=1e-3)


@shipped
def test_superelements_of_a_real_run_have_the_frequencies_that_were_printed():
    parts = {}
    for name in ("inboard", "outboard"):
        s = superelement(name)
        assert s.report.good, str(s.report)
        held = component_modes(s.linked("root", ["3", "11", "19", "27"]), "root", len(PRINTED[name]))
        assert held.frequencies / HERTZ == pytest.approx(PRINTED[name], rel=6e-7)
        parts[name] = Reduction(np.eye(s.size), s.M.toarray(), s.K.toarray(), ("",) * s.size)
    # outboard alone, free: its first elastic mode, which a static reduction to the grids put at 98 Hz
    assert component_modes(superelement("outboard"), None, 1).frequencies[0] / HERTZ == pytest.approx(1.757662, rel=1e-6)
    ties = [(("inboard", k), ("outboard", k)) for k in range(24)]
    system = join(parts, ties)
    free = np.sort(system.modes()[0])[6:11] / HERTZ
    assert free == pytest.approx(PRINTED["coupled"], rel=6e-7)
    whole = from_nastran(SHIPPED / "nas2cam.op4", SHIPPED / "nas2cam.op2", length_unit=1e-3, superelement=0)
    assert component_modes(whole, None, 5).frequencies / HERTZ == pytest.approx(PRINTED["coupled"], rel=6e-7)


@shipped
def test_several_superelements_are_never_the_last_one_silently():
    with pytest.raises(ModelError, match="has superelements 0, 101, 102: say which with superelement="):
        from_nastran(SHIPPED / "nas2cam.op4", SHIPPED / "nas2cam.op2")
    with pytest.raises(ModelError, match=r'3 matrices "MAA", of superelements 101 \(46 by 46\), 102 \(32 by 32\), 0'):
        from_nastran(SHIPPED / "nas2cam.op4", SHIPPED / "outboard.asm")


@shipped
def test_recovery_rows_of_a_real_run():
    s = superelement("outboard")
    rows = recovery_from_nastran(s, SHIPPED / "outboard.op4", "MUG1", table=(SHIPPED / "outboard.pch", "TUG1"))
    # the rows of boundary grid 3, in basic axes, are the grid's own displacements, in mm
    for component, name in enumerate(("T1", "T2", "T3")):
        row = rows.rows([f"3.{name}"]).displacement.toarray()[0]
        expected = np.zeros(s.size)
        expected[6 * s.node("3") + component] = 1e3
        assert row == pytest.approx(expected, abs=1e-9)
    # grid 45, inside, in basic axes, follows rigid motions of the body: outboard.blk has it at (0, 0, 150) mm
    cards = {g[0]: g for g in nastran.rdcards(str(SHIPPED / "outboard.blk"), "grid", return_var="list")}
    place = np.array([float(v or 0) for v in cards[45][2:5]]) / 1e3
    inner = rows.rows(["45.T1", "45.T2", "45.T3"]).displacement @ s.rigid_body_vectors(place)
    assert inner == pytest.approx(1e3 * np.eye(6)[:3], abs=2e-4)  # the file has these in single precision
    forces = recovery_from_nastran(s, SHIPPED / "outboard.op4", "MEF1")
    size = np.abs(forces.displacement.toarray()).sum(axis=1)
    assert np.abs(forces.displacement @ s.rigid_body_vectors()).max() < 1e-7 * size.max()
