"""Rigid rods in input files of MoorDyn: read, refused, written, and run beside MoorDyn itself."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.moordyn.file import read_moordyn

G, RHO = 9.81, 1025.0
HEAD = """rods
---------------------- LINE TYPES -------------------------------------------
TypeName   Diam    Mass/m     EA     BA/-zeta    EI     Cd     Ca     CdAx    CaAx
(name)     (m)     (kg/m)     (N)    (N-s/-)   (N-m^2)  (-)    (-)    (-)     (-)
rope       0.04    2.0        5e6      -0.8        0      1.2    1.0    0.05    0.0
---------------------- ROD TYPES --------------------------------------------
TypeName   Diam    Mass/m    Cd     Ca    CdEnd   CaEnd
(name)     (m)     (kg/m)    (-)    (-)    (-)     (-)
heavy      0.2     120.0     0.8    1.0    1.1     0.6
buoyant    0.4     50.0      1.0    1.0    0.9     0.5
"""
BODIES = """---------------------- BODIES -----------------------------------------------
ID  Attachment  X0  Y0  Z0  r0  p0  y0  Mass  CG  I  Volume  CdA  Ca
(#) (word) (m) (m) (m) (deg) (deg) (deg) (kg) (m) (kg-m^2) (m^3) (m^2) (-)
1   free    0   20  -30  0  0  90   5000   0   2000   4.0   0|0   1.0
"""
RODS = """---------------------- RODS -------------------------------------------------
ID   RodType   Attachment  Xa    Ya    Za    Xb    Yb    Zb   NumSegs  RodOutputs
(#)  (name)    (word/ID)   (m)   (m)   (m)   (m)   (m)   (m)   (-)      (-)
"""
POINTS = """---------------------- POINTS -----------------------------------------------
ID  Attachment  X   Y   Z    Mass   Volume  CdA  Ca
(#) (word)     (m) (m) (m)   (kg)   (m^3)  (m^2) (-)
1   Fixed      -10  0  -60   0   0   0   0
2   Coupled     30  0  -20   0   0   0   0
"""
LINES = """---------------------- LINES ------------------------------------------------
ID  LineType  AttachA AttachB UnstrLen NumSegs  Outputs
(#) (name)     (#)     (#)     (m)      (-)      (-)
"""
OPTIONS = f"""---------------------- OPTIONS ----------------------------------------------
0          writeLog
1          disableOutput
1          disableOutTime
0.0005     dtM
rk4        tScheme
{G}        g
{RHO}      rho
100        WtrDpth
0.5        dtIC
TMAX       TmaxIC
1e-7       threshIC
---------------------- need this line ---------------------------------------
"""
EVERY = [
    "1 heavy Fixed 0 0 -40 0 0 -44 4",
    "2 heavy Pinned 5 0 -40 8 0 -44 4",
    "3 heavy Coupled 10 0 -40 10 3 -40 6",
    "4 heavy CoupledPinned 15 0 -40 15 0 -45 5",
    "5 buoyant Free 0 0 -20 1 2 -18 3",
]


def text(rods, lines="", tmax=0, bodies=""):
    rows = lambda section: "".join(f"{row} -\n" for row in section)
    return HEAD + bodies + RODS + rows(rods) + POINTS + LINES + rows(lines) + OPTIONS.replace("TMAX", str(tmax))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rods.txt"


def test_every_attachment(path):
    path.write_text(text([*EVERY, "6 heavy Body1 1 0 0 1 0 -3 3", "7 heavy Body1Pinned 2 0 0 2 0 -3 3"], bodies=BODIES))
    s = kf.System.from_moordyn(path, motions={"rod4": {"z": lambda t: 0.1 * t}})
    kinds = {f"rod{k}": type(s.parts[f"rod{k}"].joint).__name__ for k in range(1, 8)}
    assert list(kinds.values()) == ["Fixed", "Spherical", "Translational", "Spherical", "Free", "Fixed", "Spherical"]
    assert [s.parts[f"rod{k}"].parent for k in (1, 4, 6, 7)] == ["N", "rod4_point", "body1", "body1"]
    ends = {1: ((0, 0, -40), (0, 0, -44)), 2: ((5, 0, -40), (8, 0, -44)), 3: ((10, 0, -40), (10, 3, -40)),
            4: ((15, 0, -40), (15, 0, -45)), 5: ((0, 0, -20), (1, 2, -18)), 6: ((0, 21, -30), (0, 21, -33))}  # fmt: skip
    for k, (a, b) in ends.items():
        found = s.channels(None, f"rod{k}.A.position", f"rod{k}.B.position")
        assert np.allclose([*found.values()], [a, b], atol=1e-12), k
    rod, load = s.parts["rod2"].body, s.loads["sea_rod2"]
    assert rod.mass == pytest.approx(600.0) and rod.com == pytest.approx((2.5, 0, 0))
    assert (load.normal_drag, load.added_mass, load.diameter, load.pieces) == (0.8, 1.0, 0.2, 4)
    assert load.tangential_drag * np.pi * 0.2 * 5.0 == pytest.approx(1.1 * 2 * np.pi * 0.2**2 / 4)  # of both ends
    assert load.tangential_added_mass * np.pi * 0.2**2 / 4 * 5.0 == pytest.approx(0.6 * 4 / 3 * np.pi * 0.1**3)


def test_there_and_back(path, tmp_path):
    path.write_text(text(EVERY, ["1 rope 1 R5A 42.0 4", "2 rope R2B 2 30.0 3"]))
    file, again = read_moordyn(path), read_moordyn(kf.System.from_moordyn(path).to_moordyn(tmp_path / "again.txt"))
    for number, row in file.rods.items():
        other = again.rods[number]
        assert (other.attachment, other.segments) == (row.attachment, row.segments)
        assert np.allclose([*row.a, *row.b], [*other.a, *other.b], atol=1e-12)
        assert again.rod_types[other.kind][1:] == pytest.approx(file.rod_types[row.kind][1:], rel=1e-12)
    sides = lambda f: [{end for end in (line.a, line.b) if isinstance(end, str)} for line in f.lines.values()]
    assert sides(file) == sides(again) == [{"R5A"}, {"R2B"}]


BAD = {
    "type": (["1 light Fixed 0 0 -40 0 0 -44 4"], [], "line 14: rod 1 is of type 'light': there are heavy, buoyant"),
    "no length": (["1 heavy Fixed 0 0 -40 0 0 -44 0"], [], "line 14: rod 1 has no length"),
    "attachment": (["1 heavy Turret 0 0 -40 0 0 -44 4"], [], "the attachment of rod 1 is 'turret'"),
    "body": (["1 heavy Body3 0 0 -40 0 0 -44 4"], [], "rod 1 is on body 3, which is not there"),
    "end": (EVERY[:1], ["1 rope 1 R2A 42.0 4"], "AttachB of line 1 is on rod 2, which is not there"),
    "side": (EVERY[:1], ["1 rope 1 R1C 42.0 4"], "AttachB of line 1 is 'R1C': give the number of a point, or"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_rods(path, what):
    rods, lines, message = BAD[what]
    path.write_text(text(rods, lines))
    with pytest.raises(kf.ModelError, match=message):
        kf.System.from_moordyn(path)


def test_what_is_not_written(path):
    s = kf.System("float", gravity=(0, 0, -G))
    s.add("pole", kf.Rigid(10.0, com=(0.5, 0, 0), inertia=(1, 1, 1)), kf.Free())
    s.apply("sea", kf.Morison("pole", kf.Sea(RHO), 0.1, 1.0, element=((0, 0, 0), (2, 0, 0))))
    with pytest.raises(kf.ModelError, match='body "pole" is no uniform cylinder of the diameter'):
        s.to_moordyn(path)


def by_moordyn(path, start, rod, times):
    """Places of the ends of a rod at times, s."""
    moordyn = pytest.importorskip("moordyn")
    system = moordyn.Create(str(path))
    moordyn.Init(system, list(start), [0.0] * len(start))
    it, found, t = moordyn.GetRod(system, rod), [], 0.0
    last = moordyn.GetRodNumberNodes(it) - 1
    for until in times:
        if until > t:
            moordyn.Step(system, list(start), [0.0] * len(start), t, until - t)
            t = until
        found.append([*moordyn.GetRodNodePos(it, 0), *moordyn.GetRodNodePos(it, last)])
    moordyn.Close(system)
    return np.array(found)


def alone(path, rods):
    """The rods of a file without the line that MoorDyn wants besides."""
    path.write_text(text(rods, ["1 rope 1 2 70.0 2"]))
    s, found = kf.System.from_moordyn(path), kf.System("rod", gravity=(0, 0, -G))
    part = s.parts["rod1"]
    found.add("rod1", part.body, part.joint, at=part.at)
    found.apply("sea", s.loads["sea_rod1"])
    return found


def test_a_swinging_rod_beside_moordyn(path):
    """Pinned at its upper end and let go: weight, buoyancy, added mass and drag across it."""
    run = alone(path, ["1 heavy Pinned 0 0 -40 4 0 -43 20"]).simulate(6.0, output=0.5, rtol=1e-9)
    peer = by_moordyn(path, (30, 0, -20), 1, run.t)[1:]
    assert np.ptp(peer[:, 3]) > 4.5 and np.abs(run["rod1.B.position"][1:] - peer[:, 3:]).max() < 0.005


def test_a_sinking_rod_beside_moordyn(path):
    """Along its axis, by drag and added mass of its ends; the speed tends to that at which drag carries the net weight."""
    s = alone(path, ["1 heavy Free 0 0 -10 0 0 -15 10"])
    run = s.simulate(4.0, output=0.5, rtol=1e-9)
    peer = by_moordyn(path, (30, 0, -20), 1, run.t)[1:]
    assert np.abs(run["rod1.A.position"][1:] - peer[:, :3]).max() < 0.005 and run["rod1.A.position"][-1, 2] < -40
    area = np.pi * 0.2**2 / 4
    fastest = np.sqrt(2 * (120.0 - RHO * area) * 5.0 * G / (RHO * 2 * area * 1.1))
    late = s.simulate(60.0, output=1.0, rtol=1e-9)
    assert late["rod1.A.velocity"][-1, 2] == pytest.approx(-fastest, rel=1e-6)


BUOY = ["1 buoyant Free 0 0 -30 8 0 -25 10"], ["1 rope 1 R1A 32.0 8", "2 rope R1B 2 23.0 6"]


def test_lines_carry_what_lifts_a_rod(path):
    path.write_text(text(*BUOY))
    s = kf.System.from_moordyn(path)
    run = s.simulate(1e-6, initial=s.equilibrium(), output=1e-6)
    length, net = np.hypot(8, 5), lambda mass, d: (mass - RHO * np.pi * d**2 / 4) * G
    held = run.loads("line1_1").force[0] + run.loads("line2_tip").force[0]  # line 2 grows from the rod
    weight = net(50.0, 0.4) * length + net(2.0, 0.04) * (32.0 + 23.0)
    assert abs(held[2]) == pytest.approx(abs(weight), rel=1e-6) and np.abs(held[:2]).max() < 1e-4 * abs(weight)


@pytest.mark.thorough
def test_a_buoyant_rod_on_its_lines_beside_moordyn(path):
    """Free, held by a line from each end: where it rests, and about which place it still swings by a centimetre there."""
    path.write_text(text(*BUOY))
    s = kf.System.from_moordyn(path)
    found = s.channels(s.equilibrium(), "rod1.A.position", "rod1.B.position")
    peer = by_moordyn(path, (30, 0, -20), 1, np.arange(60.0, 120.0, 0.5)).mean(axis=0)
    assert np.abs(np.concatenate([*found.values()]) - peer).max() < 0.005
