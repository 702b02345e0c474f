"""Import of Nastran's files: files of a real run that pyyeti ships for its own tests, and files written here."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.structures.beam import Beam
from kaneflex.structures.framework import Framework
from kaneflex.structures.modes.component import Component
from kaneflex.structures.modes.mode_selection import component_modes
from kaneflex.structures.modes.reduction import fixed_interface_modes
from kaneflex.structures.readers.any_files import from_files
from kaneflex.structures.readers.nastran import from_nastran
from kaneflex.structures.section import Section
from kaneflex.structures.soundness import check
from kaneflex.structures.structure import Structure

with np.printoptions():  # pyyeti changes how NumPy prints
    pyyeti = pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    from pyyeti import nastran

SHIPPED = Path(pyyeti.__file__).parent / "tests" / "nas2cam_extseout"
shipped = pytest.mark.skipif(not SHIPPED.is_dir(), reason="this pyyeti was installed without its test data")


@shipped
@pytest.mark.parametrize("geometry", [{"geometry": "inboard.asm"}, {"geometry": "nas2cam.op2", "superelement": 102}])
def test_a_superelement_of_a_real_run(geometry):
    # an external superelement of NX Nastran: four grids, one of them in local axes, and eight modal coordinates; mm, kg, s
    geometry["geometry"] = SHIPPED / geometry["geometry"]
    s = from_nastran(SHIPPED / "inboard.op4", **geometry, length_unit=1e-3, names={"corner": 11})
    mass, centre, inertia = s.mass_properties()
    # the weight check that Nastran printed in inboard.out, there in mm: mass, centre and the rigid mass matrix MO
    assert mass == pytest.approx(1.755052, rel=1e-6)
    assert centre == pytest.approx([1.039998, 0.15, 0.15], rel=1e-6)
    xx, yy, xy, yz = 1.148825e-1, 2.305948, -2.737877e-1, -3.937911e-2
    assert inertia == pytest.approx(np.array([[xx, xy, xy], [xy, yy, yz], [xy, yz, yy]]), rel=1e-6)
    assert s.node("corner") == s.node("11") == 1
    report = str(s.report)
    assert "8 scalar points, taken as modal coordinates of a reduced (Craig-Bampton) model" in report
    assert "1 grid points have displacements in local axes, turned to basic ones: 11" in report
    assert "ok    rigid motions strain nothing" in report
    assert "first elastic mode of the free body is at 47.927 Hz" in report


@shipped
def test_the_same_frame_has_the_frequencies_that_nastran_printed():
    cards = lambda word: nastran.rdcards(str(SHIPPED / "inboard.blk"), word, return_var="list")
    frame = Framework()
    places = {}
    for g, _, x, y, z, *_ in cards("grid"):
        places[g] = np.array([x, y, z]) / 1000
        frame.node(f"g{g}", places[g])
    properties = {p: [v * 1e-6 if k == 0 else v * 1e-12 for k, v in enumerate(rest[:4])] for p, _, *rest in cards("pbar")}
    E, G, density = 6.894e10, 2.62e10, 2740.0
    for _, p, a, b, *toward in cards("cbar"):
        A, I1, _, J = properties[p]
        # Nastran's coupled mass of a bar has no rotary inertia; a little about its axis keeps torsion regular
        section = Section(E * A, E * I1, density * A, GJ=G * J, rotary=0.0, polar=1e-3 * density * J)
        aim = places[toward[0]] if isinstance(toward[0], int) else places[a] + np.array([float(v or 0) for v in toward[:3]])
        frame.beam(f"g{a}", f"g{b}", section, elements=1, orientation=aim - places[a])
    structure = frame.build()
    component = Component(structure, None)
    held, _ = component.boundary([structure.node(f"g{g}") for g in (3, 11, 19, 27)])
    squares, _ = fixed_interface_modes(component.M, component.K, held, 3)
    # inboard.out, real eigenvalues before augmentation of residual vectors, cycles
    assert np.sqrt(squares) / (2 * np.pi) == pytest.approx([6.129345, 6.130134, 23.63188], rel=1e-6)
    assert structure.mass_properties()[0] == pytest.approx(1.755052, rel=1e-6)


def frame():
    """A bent frame with a heavy end, in no plane."""
    f = Framework()
    section = Section(EA=1e7, EI=(800.0, 500.0), mass_per_length=0.9, GJ=400.0)
    for name, place in (("root", (0, 0, 0)), ("knee", (1, 0.2, 0)), ("tip", (1.2, 1, 0.5))):
        f.node(name, place)
    f.beam("root", "knee", section, elements=3)
    f.beam("knee", "tip", section, elements=2)
    f.mass("tip", 0.5, inertia=(0.01, 0.02, 0.015))
    return f.build()


CYLINDER = [[7, 2, 0], [0.1, -0.2, 0.3], [0.1, -0.2, 1.3], [1.1, 0.3, 0.3]]  # id and type, origin, point on z, point in x-z


def write(folder: Path, structure: Structure, local: bool = False, unit: float = 1.0, extra: str = "", **matrices):
    """Files of a structure as Nastran would give them: grids 10, 20, ... in units of `unit` metres."""
    ids = 10 * np.arange(1, len(structure) + 1)
    points = structure.points / unit
    system = np.array(CYLINDER, dtype=float)
    system[1:] /= unit
    uset = nastran.addgrid(None, ids, "b", 0, points, [system if local and k % 2 else 0 for k in range(len(ids))])
    rigid = nastran.rbgeom_uset(uset)
    axes = [rigid[6 * k : 6 * k + 3, :3] for k in range(len(ids))]  # basic components to local ones
    turn = sparse.block_diag([a for a in axes for _ in range(2)]).toarray()
    scale = np.tile([1, 1, 1, 1 / unit, 1 / unit, 1 / unit], len(ids))

    def given(A):
        return turn @ (scale[:, None] * np.asarray(A.todense() if sparse.issparse(A) else A) * scale) @ turn.T

    everything = {"mgg": given(structure.M), "kgg": given(structure.K)}
    for name, value in matrices.items():
        everything[name] = given(value) if len(value.shape) == 2 else turn @ value[:, None]  # displacements in metres
    nastran.op4.write(str(folder / "model.op4"), everything)
    nastran.uset2bulk(str(folder / "model.bdf"), uset)
    (folder / "model.bdf").write_text((folder / "model.bdf").read_text() + extra)
    return folder / "model.op4", folder / "model.bdf"


@pytest.mark.parametrize("local", [False, True], ids=["basic", "cylindrical"])
@pytest.mark.parametrize("unit", [1.0, 1e-3])
def test_matrices_come_back_as_they_were(local, unit, tmp_path):
    original = frame()
    files = write(tmp_path, original, local, unit)
    read = from_nastran(*files, names={"root": 10, "tip": 30}, length_unit=unit)
    written = 1e-8 * unit  # grids and coordinate systems are written with eight decimals
    for A, B in ((read.M, original.M), (read.K, original.K)):
        assert abs(A - B).max() < (10 * written if local else 1e-12) * abs(B).max()
    assert read.points == pytest.approx(original.points, abs=written)
    assert read.report.good, str(read.report)
    expected = component_modes(original, "root", 4).frequencies
    assert component_modes(read, "root", 4).frequencies == pytest.approx(expected, rel=1e-6)


def test_rigid_elements_become_links(tmp_path):
    original = frame()
    n = len(original)
    grids = np.vstack([original.points, [1.2, 1.0, 0.7]])
    M, K = (sparse.block_diag([A, np.zeros((6, 6))], "csr") for A in (original.M, original.K))
    wider = Structure.from_matrices(M, K, grids)
    cards = f"RBE2,900,30,123456,{10 * (n + 1)}\nRSPLINE,901,,10,20,,30\n"
    read = from_nastran(*write(tmp_path, wider, extra=cards), names={"root": 10})
    assert read.follows == {n: 2}
    assert "1 rigid links from RBE2, RBAR and RBE1 entries" in str(read.report)
    assert "LOOK  1 RSPLINE: not carried over" in str(read.report)
    expected = component_modes(original, "root", 4).frequencies
    assert component_modes(read, "root", 4).frequencies == pytest.approx(expected, rel=1e-9)


def test_differential_stiffness_of_load_cases_is_the_geometric_stiffness(tmp_path):
    beam = Beam(2.0, EA=1e6, EI=50.0, mass_per_length=0.5, elements=4)
    free = beam.held("root")
    E = beam.expand[:, free]
    solve = lambda load: E @ np.linalg.solve((E.T @ beam.K @ E).toarray(), E.T @ load)
    loads = np.zeros((2, 6 * len(beam)))
    loads[0, 6 * beam.node("tip")] = 1.0
    loads[1, 6 * beam.node("tip") + 1] = 1.0
    u = [solve(load) for load in loads]
    files = write(tmp_path, beam, kd1=beam.geometric_stiffness(u[0]), kd2=beam.geometric_stiffness(u[1]), u2=u[1])
    read = from_nastran(*files, differential=[("KD1", u[0]), ("KD2", "U2")])
    mixed = 3 * u[0] - 2 * u[1]
    assert abs(read.geometric_stiffness(mixed) - beam.geometric_stiffness(mixed)).max() < 1e-9
    with pytest.raises(ModelError, match="no combination of the 2 load cases"):
        read.geometric_stiffness(beam.points.ravel().repeat(2) + 1.0)


def changed(**parts):
    f = frame()
    M, K, points = f.M.toarray(), f.K.toarray(), f.points.copy()
    if "grounded" in parts:
        K[7, 7] += 1e4
    if "swapped" in parts:
        points[[1, 2]] = points[[2, 1]]
    if "half" in parts:
        M[1::6] *= 0.7
        M[:, 1::6] *= 0.7
    if "loose" in parts or "mass" in parts:
        points = np.vstack([points, [5.0, 5.0, 5.0]])
        M, K = (np.pad(A, (0, 6)) for A in (M, K))
        M[-6:-3, -6:-3] = np.eye(3) * (1.0 if "mass" in parts else 0.0)
    if "inches" in parts:
        points = points / 0.0254
        scale = np.tile([1, 1, 1, 1 / 0.0254, 1 / 0.0254, 1 / 0.0254], len(points))
        M, K = (scale[:, None] * A * scale / 175.1268 for A in (M, K))
    if "twice" in parts:
        M, K = (sparse.block_diag([A, A]).toarray() for A in (M, K))
        points = np.vstack([points, points + np.array([0, 0, 3])])
    return check(Structure.from_matrices(M, K, points))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("grounded", "strains the body"),
        ("swapped", "matrices and node coordinates do not belong together"),
        ("half", "the mass differs with direction by"),
        ("loose", "1 of 7 nodes carry no stiffness"),
        ("mass", "motions strain nothing, not six"),
        ("inches", "lengths look like inches"),
        ("twice", "the model falls into 2 parts"),
    ],
)
def test_what_is_wrong_is_said(wrong, words):
    report = changed(**{wrong: True})
    assert not report.good
    assert any(words in f.text for f in report.findings if not f.good), str(report)


def test_a_sound_model_gets_a_sound_report():
    report = check(frame())
    assert report.good, str(report)
    assert "plausible in SI units" in str(report)


def two_plates_apart():
    """Six nodes of a frame, and three bare ones that elements of the bulk data tie to them."""
    original = frame()
    grids = np.vstack([original.points, [[1.2, 1.0, 0.7], [0.6, 0.4, 0.3], [0.3, 0.1, 0.0]]])
    M, K = (sparse.block_diag([A, np.zeros((18, 18))], "csr") for A in (original.M, original.K))
    return original, Structure.from_matrices(M, K, grids)


def test_partial_rigid_elements_means_and_equations_are_carried_over(tmp_path):
    # grid 70 follows 30 in translations, 80 is the mean of 10, 20 and 30, 90 follows 20 by equations; each has a mass
    original, wider = two_plates_apart()
    M = wider.M.toarray()
    for node in (6, 7, 8):
        M[6 * node : 6 * node + 3, 6 * node : 6 * node + 3] = 0.2 * np.eye(3)
    given = Structure.from_matrices(M, wider.K, wider.points)
    cards = "RBE2,900,30,123,70\nRBE3,901,,80,123,1.0,123,10,20,\n,30\n"
    cards += "".join(f"MPC,5,90,{c},1.0,20,{c},-1.0\n" for c in (1, 2, 3))
    read = from_nastran(*write(tmp_path, given, extra=cards), names={"root": 10})
    assert "9 dofs depend on others by rigid elements, RBE3 and MPC entries" in str(read.report)
    arms = lambda a, b: -cross(read.points[a] - read.points[b])
    n = len(original)
    T = np.vstack([np.eye(6 * n), np.zeros((9, 6 * n))])  # by hand: translations of the three
    T[6 * n : 6 * n + 3, 12:18] = np.hstack([np.eye(3), arms(6, 2)])
    R = np.vstack([np.hstack([np.eye(3), -cross(read.points[k] - read.points[7])]) for k in (0, 1, 2)])
    mean = np.linalg.pinv(R)[:3]
    for k in range(3):
        T[6 * n + 3 : 6 * n + 6, 6 * k : 6 * k + 3] = mean[:, 3 * k : 3 * k + 3]
    T[6 * n + 6 : 6 * n + 9, 6:9] = np.eye(3)
    whole = original.M.toarray() + 0.2 * T[6 * n :].T @ T[6 * n :]
    expected = component_modes(Structure.from_matrices(whole, original.K, original.points), 0, 5).frequencies
    assert component_modes(read, "root", 5).frequencies == pytest.approx(expected, rel=1e-9)
    assert abs(expected[0] / component_modes(original, "root", 5).frequencies[0] - 1) > 0.05  # they do count


def cross(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def test_thru_grdset_cord1_and_retained_sets(tmp_path):
    original = frame()
    matrices, geometry = write(tmp_path, original)
    n = len(original)
    text = "GRDSET,,,,,,7\nCORD1R,7,10,20,30\n"
    text += "".join(f"GRID,{10 * (k + 1)},,{x:.9f},{y:.9f},{z:.9f}\n" for k, (x, y, z) in enumerate(original.points))
    geometry.write_text(text)
    a, b, c = original.points[:3]
    z = (b - a) / np.linalg.norm(b - a)
    x = (c - a) - (c - a) @ z * z
    x /= np.linalg.norm(x)
    local = np.column_stack([x, np.cross(z, x), z])
    turn = np.kron(np.eye(2 * n), local)  # the matrices as they would be in that system
    M, K = (turn.T @ A.toarray() @ turn for A in (original.M, original.K))
    nastran.op4.write(str(matrices), {"mgg": M, "kgg": K})
    read = from_nastran(matrices, geometry)
    assert abs(read.K - original.K).max() < 1e-6 * abs(original.K).max()
    with pytest.raises(ModelError, match="grid 10 has its displacements in coordinate system 8, which has no CORD1x"):
        geometry.write_text(text.replace("GRDSET,,,,,,7", "GRDSET,,,,,,8"))
        from_nastran(matrices, geometry)
    # matrices over retained dofs: four nodes by ASET1 with THRU, in basic axes
    keep = [0, 2, 3, 5]
    dofs = np.concatenate([6 * k + np.arange(6) for k in keep])
    from kaneflex.structures.modes.reduction import guyan

    small = guyan(original.M, original.K, dofs)
    nastran.op4.write(str(matrices), {"maa": small.M, "kaa": small.K})
    grids = "".join(f"GRID,{k + 1},,{x:.9f},{y:.9f},{z:.9f}\n" for k, (x, y, z) in enumerate(original.points))
    geometry.write_text(grids + "ASET1,123456,1\nASET1,123456,3,THRU,4\nASET,6,123456\n")
    read = from_nastran(matrices, geometry)
    assert list(read.names) == ["1", "3", "4", "6"]
    assert read.points == pytest.approx(original.points[keep], abs=1e-8)


def test_matrices_over_dofs_that_no_support_holds(tmp_path):
    # the drilling rotation of three grids is held by SPC1 with THRU, by SPC and by the grid itself: no rows in MFF, KFF
    original = frame()
    held = [6 * k + 5 for k in (1, 2, 4, 5)]
    free = np.setdiff1d(np.arange(6 * len(original)), held)
    M, K = (A.toarray()[np.ix_(free, free)] for A in (original.M, original.K))
    nastran.op4.write(str(tmp_path / "m.op4"), {"mff": M, "kff": K})
    grids = [f"GRID,{k + 1},,{x:.9f},{y:.9f},{z:.9f}" for k, (x, y, z) in enumerate(original.points)]
    grids[5] += ",,6"
    supports = ["SPC1,3,6,2,THRU,3", "SPC,4,5,6,0.0", "SPC1,9,123456,1", "SPCADD,7,3,4"]
    text = "\n".join(["SPC = 7", "BEGIN BULK", *grids, *supports])
    (tmp_path / "m.bdf").write_text(text + "\n")
    read = from_nastran(tmp_path / "m.op4", tmp_path / "m.bdf")
    assert np.flatnonzero(~read.active).tolist() == held
    assert abs(read.K.toarray()[np.ix_(free, free)] - K).max() < 1e-12 * abs(K).max()
    assert "4 dofs that SPC entries hold have no rows, of grid points 2, 3, 5, 6" in str(read.report)
    (tmp_path / "m.bdf").write_text(text.replace("SPC = 7", "$") + "\n")  # nobody says which set is taken
    with pytest.raises(ModelError, match="MFF has 32 rows, the geometry 36 in the g-set"):
        from_nastran(tmp_path / "m.op4", tmp_path / "m.bdf")


@pytest.mark.parametrize("digits", [7, 9, 11, 12, 13])
def test_tolerances_follow_the_digits_of_the_file(digits, tmp_path):
    original = frame()
    rounded = lambda A: np.array([[float(f"{x:.{digits - 1}e}") for x in row] for row in A.toarray()])
    files = write(tmp_path, original)
    nastran.op4.write(str(files[0]), {"mgg": rounded(original.M), "kgg": rounded(original.K)})
    read = from_nastran(*files, names={"root": 10})
    assert read.report.good, str(read.report)
    free, held = component_modes(original, None, 3).frequencies, component_modes(original, "root", 3).frequencies
    error = max(1e-7, 2e4 * 10.0**-digits)
    assert component_modes(read, None, 3).frequencies == pytest.approx(free, rel=error)
    assert component_modes(read, "root", 3).frequencies == pytest.approx(held, rel=error)


def test_mass_and_stiffness_in_a_text_each(tmp_path):
    # as OUTPUT4 writes formatted files of nine digits, called .dat like bulk data
    original = frame()
    _, geometry = write(tmp_path, original)
    paths = [tmp_path / "MGG.dat", tmp_path / "KGG.dat"]
    for path, A in zip(paths, (original.M, original.K), strict=True):
        nastran.op4.write(str(path), {path.stem.lower(): A.toarray()}, binary=False, digits=9)
    geometry = geometry.rename(tmp_path / "model.dat")
    for files in ([*paths, geometry], [geometry, *paths]):
        read = from_files(files)
        assert abs(read.K - original.K).max() < 1e-8 * abs(original.K).max()
        assert read.report.good, str(read.report)
    assert from_nastran(paths, geometry).mass_properties()[0] == pytest.approx(original.mass_properties()[0], rel=1e-8)
