"""Craig-Bampton models: the same body as the full model with the same modes, files of real runs, recovery, coupled loads."""

from importlib.machinery import SourceFileLoader
from pathlib import Path

import numpy as np
import op2_files as op2
import pytest
from click.testing import CliRunner

import kaneflex as kf
from kaneflex.cli import main
from kaneflex.model.checks import ModelError
from kaneflex.structures import Recovery, Structure, check, component_modes, from_craig_bampton, from_nastran
from kaneflex.structures.framework import Framework
from kaneflex.structures.modes.modal_data import modal_body
from kaneflex.structures.modes.reduction import Reduction, craig_bampton
from kaneflex.structures.modes.synthesis import join
from kaneflex.structures.readers.nastran_recovery import recovery_from_nastran
from kaneflex.structures.section import Section
from kaneflex.structures.stored_body import load_body

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


@pytest.mark.parametrize(("length", "mass", "words"), [
    (1.0, 1.0, "plausible in SI units"), (1e-3, 1.0, "with length_unit=1e-3 (mm, kg)"),
    (1e-3, 1e3, "length_unit=1e-3 and mass_unit=1e3 (mm, t)"), (0.0254, 175.1268, "mass_unit=175.1268 (in, lbf s^2/in)"),
])  # fmt: skip
def test_units_of_a_reduced_model_are_guessed_from_its_density(length, mass, words):
    M, K, _ = reduced()
    scale = np.where(np.r_[np.tile([1, 1, 1, 0, 0, 0], 2), [0] * 8], 1.0, 1 / length)
    given = [scale[:, None] * A * scale / mass for A in (M, K)]
    bare = from_craig_bampton(*given, FRAME.points[BOUNDARY] / length, names={"root": 0, "tip": 1})
    units = next(f for f in check(bare).findings if "kg/m^3" in f.text)
    assert words in units.text
    assert units.good == (length == 1.0)


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
        (lambda a: a | {"dofs": np.tile([5, 7], (20, 1))}, "row 0 is node 5, component 7"),
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
    import pandas as pd
    from pyyeti import nastran

SHIPPED = Path(pyyeti.__file__).parent / "tests" / "nas2cam_extseout"
shipped = pytest.mark.skipif(not SHIPPED.is_dir(), reason="this pyyeti was installed without its test data")


def superelement(name):
    return from_nastran(SHIPPED / f"{name}.op4", SHIPPED / f"{name}.asm", length_unit=1e-3)


PUBLIC = SourceFileLoader("public", str(Path(__file__).parents[2] / "scripts" / "check-public-models")).load_module()


@shipped
def test_superelements_of_real_runs_are_what_their_listings_say():
    # frequencies held, free and coupled, mass properties, effective masses, recovery: each to its printed digits
    rows = list(PUBLIC.superelements(SHIPPED.parent))
    assert len(rows) >= 24  # a listing is not in the package
    assert sum(count for _, count, _, _ in rows) > 37000
    for what, _, error, allowed in rows:
        assert error <= allowed, what


@shipped
def test_two_superelements_joined_here_have_the_frequencies_of_the_run_that_joined_them():
    parts = {}
    for name in ("inboard", "outboard"):
        s = superelement(name)
        parts[name] = Reduction(np.eye(s.size), s.M.toarray(), s.K.toarray(), ("",) * s.size)
    coupled = PUBLIC.eigenvalues(SHIPPED / "assemble.out")
    assert len(coupled) == 48
    system = join(parts, [(("inboard", k), ("outboard", k)) for k in range(24)])
    assert np.sort(system.modes()[0])[6:54] / HERTZ == pytest.approx(coupled, rel=6e-7)
    # a static reduction to the grids would put the first free mode of one at 98 Hz
    assert component_modes(superelement("outboard"), None, 1).frequencies / HERTZ == pytest.approx(1.757662, abs=6e-7)


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


@shipped
def test_recovery_rows_give_what_nastran_recovered_itself():
    # displacements and bar forces inside the superelement, in the 66 modes of the system that it is a part of: MSC Nastran
    # wrote them to residual.op2, and the superelement's own coordinates in these modes follow from nas2cam.op4 (pyyeti)
    folder = SHIPPED.parent / "cla_test_data_2020"
    s = from_nastran(folder / "outboard.op4", folder / "outboard.asm", length_unit=1e-3)
    with nastran.op2.OP2(str(folder / "residual.op2")) as file:
        theirs = file.rdparampost(get_mats=False, get_ougs=True, get_drms=True, get_dr_tables=False, which="all")
    system = nastran.op2.rdnas2cam(str(folder / "nas2cam.op2"), str(folder / "nas2cam.op4"))
    coordinates = np.linalg.solve(s.to_file.toarray(), nastran.formulvs(system, 101))
    rows = recovery_from_nastran(s, folder / "outboard.op4", "MUG1", table=(folder / "outboard.pch", "TUG1"))
    words = ("T1", "T2", "T3", "R1", "R2", "R3")
    moved = theirs["ougv1"][1]
    expected = {f"{g}.{words[c - 1]}": row for (g, c), row in zip(moved.index, moved.to_numpy(), strict=True)}
    found = rows.displacement @ coordinates
    assert set(rows.labels) == set(expected)
    wanted = np.array([expected[label] for label in rows.labels])
    assert np.abs(found - wanted).max() < 1e-7 * np.abs(wanted).max()  # single precision in their file
    forces = recovery_from_nastran(s, folder / "outboard.op4", "MEF1", table=(folder / "outboard.pch", "TEF1"))
    bars = theirs["oef1x"][1]
    assert [label.split(".")[0] for label in forces.labels] == [str(e) for e, _ in bars.index]
    # the same grids as nodes inside, in metres and basic axes
    inside = from_nastran(folder / "outboard.op4", folder / "outboard.asm", length_unit=1e-3,
                          inner=("MUG1", folder / "outboard.blk"))  # fmt: skip
    assert "22 grid points inside move by MUG1: 1, 2, 9, 10, 17, ... 48" in str(inside.report)
    assert len(inside.lines) == 51  # its bars
    assert len(inside.averaged("mean", ["3", "11", "19"]).lines) == 51
    moved = inside.expand @ coordinates
    assert inside.M.trace() == pytest.approx(s.M.trace(), rel=1e-12)
    inner = [n for n in inside.names if n not in s.names]
    assert len(inner) == 22
    for name in inner:
        wanted = np.array([expected[f"{name}.{word}"] for word in words]) * np.array([1e-3] * 3 + [1] * 3)[:, None]
        node = inside.node(name)
        assert np.abs(moved[6 * node : 6 * node + 6] - wanted).max() < 2e-7 * np.abs(moved).max()
    found = forces.displacement @ coordinates
    assert np.abs(found - bars.to_numpy()).max() < 1e-7 * np.abs(bars.to_numpy()).max()


def test_a_tumbling_body_flies_as_the_full_one():
    body, dofs = with_inside()
    _, full = same_modes(body, dofs, "root", 4)
    runs = []
    for structure, modes in ((body, 4), (FULL, full)):
        s = kf.System("tumbling", gravity=(0, 0, 0))
        flexible = kf.Flexible(structure, root="root", modes=kf.structures.ModeChoice(count=4) if modes == 4 else modes,
                               nodes=("tip",), stiffening=False)  # fmt: skip
        s.add("body", flexible, kf.Free(), rates=(0.1, 0.2, -0.3, 3.0, -2.0, 4.0))
        runs.append(s.simulate(0.3, method="dop853", rtol=1e-11, atol=1e-13, output=0.05))
    for channel in ("body.position", "body.rotation", "body.tip.position", "body.tip.deflection", "body.omega"):
        a, b = (run[channel] for run in runs)
        assert np.abs(a - b).max() < 1e-8 * np.abs(b).max(), channel
    assert np.abs(runs[0]["body.tip.deflection"]).max() > 0.003  # it does bend


def launcher():
    """A beam along x, reduced to its ends and four modes."""
    beam = kf.structures.Beam(length=3.0, EA=2e6, EI=4e4, mass_per_length=4.0, elements=6)
    found = craig_bampton(beam.M, beam.K, np.r_[0:6, 36:42], 4)
    order = np.r_[4:16, :4]
    return found.M[np.ix_(order, order)], found.K[np.ix_(order, order)], beam.points[[0, 6]]


def spacecraft(folder):
    """The frame as an external superelement: matrices, recovery rows of the knee, and how its tip moves."""
    M, K, T = reduced()
    uset = nastran.addgrid(None, [11, 12], "b", 0, FRAME.points[BOUNDARY], 0)
    knee = 6 * FRAME.node("knee")
    name = str(folder / "spacecraft")
    rows = np.column_stack([np.full(6, 77), np.arange(1, 7)])
    given = {"maa": M, "kaa": K, "mug1": T[knee : knee + 6], "tug1": rows}
    nastran.wtextseout(name, se=5, bset=np.arange(12), uset=uset, spoint1=9001, **given)
    return M, K, T[knee : knee + 6]


@pytest.mark.thorough
def test_coupled_loads_are_those_of_pyyeti(tmp_path):
    from pyyeti.ode import SolveExp2

    M, K, knee = spacecraft(tmp_path)
    craft = from_nastran(tmp_path / "spacecraft.op4", tmp_path / "spacecraft.asm", names={"root": 11, "tip": 12})
    assert craft.report.good, str(craft.report)
    otm = recovery_from_nastran(craft, tmp_path / "spacecraft.op4", "MUG1", table=(tmp_path / "spacecraft.pch", "TUG1"))
    spring = np.random.default_rng(3).standard_normal((2, 20)) @ K  # forces inside, which no rigid motion causes
    ltm = Recovery(("bolt 17 tension", "bolt 18 tension"), spring @ craft.to_file.toarray(), acceleration=M[[0, 19]])
    stub = from_craig_bampton(*launcher(), names={"base": 0, "top": 1})
    s = kf.System("coupled loads", gravity=(0, 0, 0))
    A, w, F, v = 1e-7, 40.0, 1e-4, 70.0
    all_modes = lambda n: kf.structures.ModeChoice(count=n)
    s.add("launcher", kf.Flexible(stub, root="base", modes=all_modes(10), stiffening=False),
          kf.Prismatic("y", motion=kf.profiles.cosine(-A, w, offset=A)))  # fmt: skip
    recovery = {"otm": otm, "ltm": ltm}
    flexible = kf.Flexible(craft, "root", all_modes(14), nodes=("tip",), stiffening=False, recovery=recovery)
    s.add("craft", flexible, parent="launcher", at="top")
    s.apply("push", kf.Force("craft.tip", lambda t: (0, 0, F * np.sin(v * t))))
    times = np.linspace(0, 0.06, 13)
    run = s.simulate(0.06, method="dop853", rtol=1e-10, atol=1e-16, times=times)
    # the same by matrices: launcher (base, top, 4), craft (root = top, tip, 8); motion relative to the shaken base
    ML, KL, _ = launcher()
    size = 16 + 14
    own = np.r_[6:12, 16:30]
    MC, KC = np.zeros((size, size)), np.zeros((size, size))
    MC[:16, :16], KC[:16, :16] = ML, KL
    MC[np.ix_(own, own)] += M
    KC[np.ix_(own, own)] += K
    free = np.arange(6, size)
    h = 1e-5
    t = np.arange(0, 0.06 + h / 2, h)
    shake = A * w**2 * np.cos(w * t)
    rigid = np.zeros(size)
    rigid[[1, 7, 17]] = 1.0  # all translations along y
    force = -np.outer(MC @ rigid, shake)
    force[18] += F * np.sin(v * t)
    zero = np.zeros((len(free), len(free)))
    found = SolveExp2(MC[np.ix_(free, free)], zero, KC[np.ix_(free, free)], h).tsolve(force[free])
    x, a = np.zeros((size, len(t))), np.outer(rigid, shake)
    x[free] = found.d
    a[free] += found.a
    at = np.round(times / h).astype(int)
    interface = (M @ a[own] + K @ x[own])[:6, at].T  # on the craft, at its root
    loads = run.loads("craft", axes="body")
    for got, wanted in ((loads.force, interface[:, :3]), (loads.torque, interface[:, 3:])):
        assert np.abs(got - wanted).max() < 1e-6 * np.abs(wanted).max()
    relative = x[own] - np.vstack([np.eye(6), rigid_of_tip(), np.zeros((8, 6))]) @ x[own[:6]]  # against the craft's frame
    wanted = (knee @ relative)[:, at].T
    assert np.abs(run["craft.otm"] - wanted).max() < 1e-6 * np.abs(wanted).max()
    assert run["craft.otm.77.T3"] == pytest.approx(wanted[:, 2], abs=1e-6 * np.abs(wanted).max())
    wanted = (spring @ relative + M[[0, 19]] @ a[own])[0, at]
    assert np.abs(run["craft.ltm.bolt 17 tension"] - wanted).max() < 1e-6 * np.abs(wanted).max()


def rigid_of_tip():
    """How the tip of the frame follows the motion of its root, (6, 6)."""
    x, y, z = FRAME.points[BOUNDARY[1]] - FRAME.points[BOUNDARY[0]]
    R = np.eye(6)
    R[:3, 3:] = -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return R


def test_mode_acceleration_makes_up_for_modes_left_out():
    M, K, _ = reduced()
    bare = from_craig_bampton(M, K, FRAME.points[BOUNDARY], names={"root": 0, "tip": 1})
    rows = np.random.default_rng(3).standard_normal((1, 20)) @ K
    found = {}
    for word, count, extra in (("few", 2, False), ("few with statics", 2, True), ("all", 14, False)):
        s = kf.System("pushed", gravity=(0, 0, 0))
        recovery = {"ltm": Recovery(("N",), rows, mode_acceleration=extra)}
        choice = kf.structures.ModeChoice(count=count)
        s.add("craft", kf.Flexible(bare, root="root", modes=choice, stiffening=False, recovery=recovery),
              kf.Prismatic("z", motion=kf.profiles.cosine(1e-6, 0.5)))  # fmt: skip
        at_rest = {f"craft.mode{k + 1}": 0.25e-6 * b / w for k, (b, w) in enumerate(zip(
            s.parts["craft"].body.modal.B[2], s.parts["craft"].body.modal.stiffness, strict=True))}  # fmt: skip
        run = s.simulate(1e-3, initial=at_rest, times=[0.0, 1e-3])
        found[word] = run["craft.ltm.N"][0]
    assert found["few with statics"] == pytest.approx(found["all"], rel=1e-4)
    assert abs(found["few"] / found["all"] - 1) > 1e-2


def test_differential_stiffness_in_reduced_coordinates_stiffens_as_that_of_the_full_body():
    M, K, T = reduced(24)  # all there are, so that its statics is that of the full body
    dofs = dofs_of(BOUNDARY + INSIDE)
    full = Structure.from_matrices(FRAME.M, FRAME.K, FRAME.points, FRAME.names, geometric=FRAME.geometric_stiffness)
    inside = FRAME.points[INSIDE], T[dofs_of(INSIDE)], FRAME.M.toarray()[np.ix_(dofs, dofs)]
    small = lambda x: T.T @ (FRAME.geometric_stiffness(T @ x) @ T)
    body = from_craig_bampton(M, K, FRAME.points[BOUNDARY], None, {"root": 0, "tip": 1}, *inside, geometric=small)
    modes = component_modes(body, "root", 4)
    shapes = np.zeros((6 * len(full), 4))
    shapes[dofs] = modes.shapes[: 6 * len(full)]
    a, b = (modal_body(s, component_modes(s, "root", x), "root", ("tip",)) for s, x in ((body, modes), (full, shapes)))
    assert a.stiffened
    signs = np.sign(np.einsum("ij,ij->j", a.nodes["tip"].Phi, b.nodes["tip"].Phi))
    both = np.outer(signs, signs)
    for x, y in ((a.b2, b.b2), (a.C2, b.C2), (a.nodes["tip"].G, b.nodes["tip"].G), (a.nodes["tip"].H, b.nodes["tip"].H)):
        assert np.abs(x - y * both).max() < 1e-7 * np.abs(y).max()


def rows_in_files(folder, kind):
    """The spacecraft and rows of its knee in files of a kind: the structure, the file of rows and what tells them."""
    M, K, knee = spacecraft(folder)
    if kind == "op4":  # with the table of the .pch file beside it
        return M, K, knee, folder / "spacecraft.op4"
    if kind == "op2":
        path = folder / "rows.op2"
        path.write_bytes(op2.file(op2.matrix("MUG1", knee)))
        return M, K, knee, path
    labels = [(77, c) for c in range(1, 7)]
    over = [(g, c) for g in (11, 12) for c in range(1, 7)] + [(9001 + k, 0) for k in range(8)]
    columns = pd.RangeIndex(1, 21) if kind == "numbered DMIG" else pd.MultiIndex.from_tuples(over, names=["id", "dof"])
    shown = knee.copy()
    shown[:, 3] = 0.0  # a column without numbers is not in the file
    frame = pd.DataFrame(shown, pd.MultiIndex.from_tuples(labels, names=["id", "dof"]), columns)
    nastran.wtdmig(str(folder / "rows.pch"), {"MUG1": frame})
    return M, K, shown, folder / "rows.pch"


@pytest.mark.parametrize("kind", ["op4", "op2", "DMIG", "numbered DMIG"])
def test_recovery_rows_come_from_files_of_all_kinds(kind, tmp_path):
    _, _, knee, path = rows_in_files(tmp_path, kind)
    craft = from_nastran(tmp_path / "spacecraft.op4", tmp_path / "spacecraft.asm", names={"root": 11, "tip": 12})
    rows = recovery_from_nastran(craft, path, "MUG1")
    assert rows.labels == tuple("123456" if kind == "op2" else [f"77.{c}" for c in ("T1", "T2", "T3", "R1", "R2", "R3")])
    few = 1e-9 if "DMIG" in kind else 1e-15  # text of ten digits
    if kind == "op4":
        with pytest.raises(ModelError, match="MES1 is empty, as Nastran writes what it was not asked for"):
            recovery_from_nastran(craft, path, "MES1")
    assert np.abs(rows.displacement.toarray() - knee).max() < few * np.abs(knee).max()  # over the coordinates of the file


def test_rows_stay_when_nodes_are_added(tmp_path):
    spacecraft(tmp_path)
    craft = from_nastran(tmp_path / "spacecraft.op4", tmp_path / "spacecraft.asm", names={"root": 11, "tip": 12})
    rows = recovery_from_nastran(craft, tmp_path / "spacecraft.op4", "MUG1")
    body = lambda structure, root: kf.Flexible(structure, root, 6, recovery={"otm": rows}, stiffening=False).modal
    made = body(craft, "root"), body(craft.averaged("mean", ["root"]), "mean")
    plain, mean = (modal.recovery["otm"] for modal in made)
    assert np.abs(np.abs(mean.per_mode) - np.abs(plain.per_mode)).max() < 1e-8 * np.abs(plain.per_mode).max()
    assert mean.per_frame == pytest.approx(plain.per_frame, abs=1e-9)
    other = from_craig_bampton(*launcher(), names={"root": 0})
    with pytest.raises(ModelError, match='recovery "otm" has 20 columns: give 16'):
        body(other, "root")


def test_the_command_takes_all_files_of_a_superelement_and_keeps_its_rows(tmp_path):
    spacecraft(tmp_path)
    files = [str(tmp_path / f"spacecraft.{ending}") for ending in ("op4", "asm", "pch")]
    out = tmp_path / "craft.h5"
    (tmp_path / "inside.bdf").write_text("GRID,77,,{},{},{}\n".format(*FRAME.points[FRAME.node("knee")]))
    how = ["--inner", "MUG1", str(tmp_path / "inside.bdf"), "--name", "hinge=11", "--average", "hinge",
           "--recovery", "otm=MUG1", "--modes", "5", "--out", str(out)]  # fmt: skip
    done = CliRunner().invoke(main, ["import", *files, *how])
    assert done.exit_code == 0, done.output
    (rows,) = load_body(out).modal.recovery.values()
    assert rows.labels[:2] == ("77.T1", "77.T2")
    assert rows.per_mode.shape == (6, 5)
    for wrong, words in (([files[0]], "taken for Nastran's matrices; give the geometry"),
                         ([files[1]], "taken for Nastran's geometry; give the matrices"),
                         ([*files, "--recovery", "otm"], "--recovery otm: give NAME=MATRIX"),
                         ([*files, "--name", "hinge=x"], "--name hinge=x: give NAME=ID"),
                         ([*files, "--inner", "MAA", files[1]], "MAA does not tell its rows: put the .pch file"),
                         ([*files, "--inner", "MUG1", files[1]], "MUG1 has no rows of grid points of"),
                         ([*files, "--mass", "MXY", "--stiffness", "KAA"], 'has no matrix "MXY"')):  # fmt: skip
        failed = CliRunner().invoke(main, ["import", *wrong, "--out", str(out)])
        assert failed.exit_code == 2
        assert words in str(failed.exception or failed.output) + failed.output, failed.output
