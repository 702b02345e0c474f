"""Input files of MoorDyn: read, refused, written, and run beside MoorDyn itself."""

import ctypes

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.moordyn.file import read_moordyn
from water.chains import CN, CT, MASS, RHO, WEIGHT, D, G

TEXT = """--------------------- MoorDyn Input File ------------------------------------
two moorings of a buoy, and a float between two lines
----------------------- LINE TYPES ------------------------------------------
TypeName   Diam    Mass/m     EA     BA/-zeta    EI     Cd     Ca     CdAx    CaAx
(name)     (m)     (kg/m)     (N)    (N-s/-)   (N-m^2)  (-)    (-)    (-)     (-)
chain      0.05    20.0       1e9      -0.8       0      1.6    1.0    0.1     0.2   # of steel
rope       0.04    2.0        5e7       0         0      1.2    1.0    0.05    0.0
---------------------- POINT PROPERTIES -------------------------------------
ID    Type      X       Y       Z       Mass   Volume  CdA    Ca
(#)   (-)       (m)     (m)     (m)     (kg)   (m^3)   (m^2)  (-)
1     Fixed     0       0       -80.0   0      0       0      0
2     Vessel    173.107 0       -10.0   0      0       0      0
3     Fixed     0       50      -80.0   0      0       0      0
4     Connect   0       50      -50.0   40     0.2     0.3    0.5
5     Coupled   5       50      -2.0    0      0       0      0
---------------------- LINES ------------------------------------------------
ID   LineType   AttachA  AttachB  UnstrLen  NumSegs  LineOutputs
(#)   (name)     (#)      (#)       (m)       (-)     (-)
1     chain       1        2         200.0     10      p
2     rope        3        4         30.0      3       -
3     rope        5        4         48.5      4       -
---------------------- OPTIONS ----------------------------------------------
2             writeLog      Write a log file
0.001         dtM           time step (s)
1.0e5         kb            bottom stiffness (Pa/m)
1.0e4         cBot          bottom damping (Pa-s/m)
1025.0        WtrDnsty      water density (kg/m^3)
80            WtrDpth       water depth (m)
0.4           FrictionCoefficient
------------------------- need this line ------------------------------------
"""


@pytest.fixture
def path(tmp_path):
    there = tmp_path / "buoy.txt"
    there.write_text(TEXT)
    return there


def test_what_a_file_says(path):
    """Cables from the points that are held, one loop where two lines meet, and all loads of the water and the bed."""
    s = kf.System.from_moordyn(path)
    assert tuple(s.gravity) == (0, 0, -9.81) and list(s.rods) == ["line1", "line2", "line3"]
    chain, rope = s.rods["line1"].rod, s.rods["line2"].rod
    assert (chain.length, chain.n, chain.EA, chain.mass_per_length) == (200.0, 10, 1e9, 20.0)
    assert abs(chain.damping - 0.8 * 20.0 * np.sqrt(20.0 / 1e9)) < 1e-15 and rope.damping == 0
    assert s.parts["point4"].body.mass == 40.0 and s.parts["line2_1"].parent == "N" and s.parts["point4"].parent == "line2_3"
    assert set(s.constraints) == {"line1_tip", "line3_tip"}
    drag = s.loads["sea_line1"]
    assert (drag.diameter, drag.normal_drag, drag.tangential_drag) == (0.05, 1.6, 0.1)
    assert (drag.added_mass, drag.tangential_added_mass, len(drag.bodies)) == (1.0, 0.2, 10)
    float_ = s.loads["water_point4"]
    assert (float_.volume, float_.drag_area) == (0.2, 0.3) and abs(float_.matrix[0][0] - 0.5 * 1025 * 0.2) < 1e-12
    bed = s.loads["bed_line2"]
    assert (bed.stiffness, bed.damping, bed.level, bed.friction) == (1e5 * 0.04, 1e4 * 0.04, -80.0, (0.4, 0.4))
    assert s.loads["sea_line1"].medium == kf.Sea(1025.0, 80.0)


def test_line_that_touches_down(path):
    """Held where the closed form says, with its tension H + w h at the upper end."""
    s = kf.System.from_moordyn(path, stretch=False, plane=True)
    state = s.equilibrium()
    run = s.simulate(1e-6, initial=state, output=1e-6)
    w = (20.0 - RHO * np.pi * 0.05**2 / 4) * G
    assert abs(np.linalg.norm(run.loads("line1_tip").force[0]) / (15000.0 + 70.0 * w) - 1) < 0.01
    weight = 78.5 * (2.0 - RHO * np.pi * 0.04**2 / 4) * G  # of both ropes
    held = run.loads("line2_1").force[0][2] + run.loads("line3_1").force[0][2]
    assert abs(held - weight + (0.2 * 1025 - 40.0) * G) < 1e-6 * weight  # less what the float lifts


def test_there_and_back(path, tmp_path):
    """What is written is read as the same; points that were of no line are not written."""
    file, s = read_moordyn(path), kf.System.from_moordyn(path)
    again = read_moordyn(s.to_moordyn(tmp_path / "again.txt"))
    assert [again.types[line.kind][1:4] for line in again.lines.values()] == [
        file.types[line.kind][1:4] for line in file.lines.values()
    ]
    ends = lambda f: {frozenset((f.points[line.a].place, f.points[line.b].place)) for line in f.lines.values()}
    held = lambda f: {p.place: (p.attachment, p.mass, p.volume, p.CdA, p.Ca) for p in f.points.values()}
    assert ends(file) == ends(again) and held(file) == held(again)
    for key, value in file.options.items():
        assert abs(again.options[key] - value) < 1e-9 * abs(value)
    one, two = (kf.System.from_moordyn(p).describe() for p in (path, tmp_path / "again.txt"))
    assert one.partition("\n")[2].count("Cable") == two.partition("\n")[2].count("Cable") == 3


BAD = {  # what is replaced, by what, and the message
    "number": ("1e9 ", "1e9x", r"buoy.txt, line 6: EA is '1e9x': give a number"),
    "negative": ("0.04    2.0", "0.04    -2.0", r"line 7: Mass/m is -2.0: give a positive number"),
    "missing": ("0.2   # of steel", "", r"line 6: this has the nine columns of version 1|line 6: CaAx is missing"),
    "viscoelastic": ("5e7  ", "5e7|6e7", r"line 7: EA and BA of rope are"),
    "type": ("2     rope        3", "2     wire        3", r"line 20: line 2 is of type 'wire': there are chain, rope"),
    "point": ("1        2         200.0", "1        7         200.0", r"line 19: AttachB of line 1 is point 7, which"),
    "rod end": (
        "5        4         48.5",
        "R1A      4         48.5",
        r"line 21: AttachA of line 3 is on rod 1, which is not there",
    ),
    "attachment": ("1     Fixed", "1     Turret", r"line 11: the attachment of point 1 is 'turret'"),
    "option": ("80            WtrDpth", "80            Depth", r"line 28: there is no option 'depth'"),
    "waves": ("0.001         dtM", "3             WaveKin", r"line 24: wavekin is 3"),
    "twice": ("2     rope        3        4", "1     rope        3        4", r"line 20: there is a line 1 already"),
    "segments": ("48.5      4 ", "48.5      2.5", r"line 21: NumSegs of line 3 is 2.5: give a whole number"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_files(path, what):
    old, new, message = BAD[what]
    assert TEXT.count(old) == 1
    path.write_text(TEXT.replace(old, new))
    with pytest.raises(kf.ModelError, match=message):
        kf.System.from_moordyn(path)


def test_other_refusals(path, tmp_path):
    with pytest.raises(kf.ModelError, match=r'motions.*"point9"'):
        kf.System.from_moordyn(path, motions={"point9": {"z": kf.profiles.hold(0.0)}})
    with pytest.raises(kf.ModelError, match=r"nowhere\.txt"):
        kf.System.from_moordyn(tmp_path / "nowhere.txt")
    path.write_text(TEXT.replace("1     Fixed ", "1     Free  ").replace("2     Vessel", "2     Free  "))
    with pytest.raises(kf.ModelError, match=r"buoy.txt, line 19: line 1 hangs on nothing"):
        kf.System.from_moordyn(path)
    s = kf.System("empty")
    with pytest.raises(kf.ModelError, match="no rods or cables"):
        s.to_moordyn(tmp_path / "x.txt")
    s = kf.System("dry", gravity=(0, 0, -9.81))
    s.add_rod("line", kf.Cable(10.0, 1.0, n=3))
    with pytest.raises(kf.ModelError, match='rod "line" has no Morison load'):
        s.to_moordyn(tmp_path / "x.txt")


# -- beside MoorDyn ------------------------------------------------------------------------------------------------------

HANGING = f"""hanging cable with an end weight of 1500 N
---------------------- LINE TYPES -------------------------------------------
TypeName   Diam    Mass/m     EA     BA/-zeta    EI     Cd     Ca     CdAx    CaAx
(name)     (m)     (kg/m)     (N)    (N-s/-)   (N-m^2)  (-)    (-)    (-)     (-)
cable      {D}   {MASS:.12g}   1e6   -0.5     0       {CN}    1.0   {CT}    0.0
---------------------- POINTS -----------------------------------------------
ID  Attachment  X   Y   Z    Mass   Volume  CdA  Ca
(#) (word)     (m) (m) (m)   (kg)   (m^3)  (m^2) (-)
1   Free       0   0   -110.16  {1500 / G:.12g}   0   0   0
2   Coupled    0   0   -10   0   0   0   0
---------------------- LINES ------------------------------------------------
ID  LineType  AttachA AttachB UnstrLen NumSegs  Outputs
(#) (name)     (#)     (#)     (m)      (-)      (-)
1   cable       1       2      100.0    SEGMENTS   -
---------------------- OPTIONS ----------------------------------------------
0          writeLog
1          disableOutput
1          disableOutTime
0.001      dtM
rk4        tScheme
{G}        g
{RHO}      rho
200        WtrDpth
60         TmaxIC
1e-8       threshIC
---------------------- need this line ---------------------------------------
"""
FREQUENCY = 2 * np.pi / 10


def heave(t):
    """One metre in ten seconds, begun smoothly."""
    return (1 - np.exp(-((t / 3) ** 4))) * np.sin(FREQUENCY * t)


def by_moordyn(path, start, duration):
    """Force on the coupled point every 0.05 s, with motion and steps of 0.5 ms: MoorDyn keeps the velocity of a point from
    one call to the next, so that longer ones lose the inertia of its acceleration."""
    moordyn = pytest.importorskip("moordyn")
    system, step = moordyn.Create(str(path)), 5e-4
    moordyn.Init(system, list(start), [0, 0, 0])
    point, force = moordyn.GetPoint(system, 2), []
    for k in range(round(duration / step)):
        t = step * k
        rate = (heave(t + 1e-6) - heave(t - 1e-6)) / 2e-6
        moordyn.Step(system, [start[0], start[1], heave(t) + start[2]], [0, 0, rate], t, step)
        if k % 100 == 99:
            force.append(np.linalg.norm(moordyn.GetPointForce(point)))
    moordyn.Close(system)
    return np.array(force)


def test_heave_beside_moordyn(tmp_path):
    """The tension at the upper end of a hanging cable: m a and drag along it by hand, and MoorDyn's within 1 %."""
    path, peer = tmp_path / "cable.txt", tmp_path / "peer.txt"
    path.write_text(HANGING.replace("SEGMENTS", "10"))
    peer.write_text(HANGING.replace("SEGMENTS", "40"))
    s = kf.System.from_moordyn(path, motions={"point2": {"z": heave}}, stretch=False, plane=True)
    run = s.simulate(20.0, initial=s.equilibrium(), output=0.05, rtol=1e-7)
    tension = np.linalg.norm(run.loads("line1_1").force, axis=1)
    assert abs(tension[0] - 1500.0 - WEIGHT * 100.0) < 1e-6 and np.ptp(tension) > 150.0
    inertia = (1500.0 / G + 100.0 * MASS) * FREQUENCY**2
    drag = RHO * np.pi * CT * D * 100.0 / 2 * FREQUENCY**2
    late = run.t > 10.0
    z, rate = np.sin(FREQUENCY * run.t), np.cos(FREQUENCY * run.t)
    wanted = 1700.0 - inertia * z + drag * np.abs(rate) * rate
    assert np.abs(tension - wanted)[late].max() < 0.01
    assert np.abs(tension[1:] / by_moordyn(peer, (0, 0, -10.0), 20.0) - 1).max() < 0.01


HOIST = kf.profiles.smooth_step(-20.0, 20.0, initial=100.0)  # m of the hanging cable that are out


def hoisted(n):
    """The hanging cable on a winch that heaves, rod by rod, without drag along it."""
    s = kf.System("hoisted", gravity=(0, 0, -G))
    s.add("head", kf.Rigid(0.0), kf.Prismatic("z", motion=heave), at=(0, 0, -10.0))
    s.add("sheave", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1)), kf.Revolute("y"), parent="head")
    line = kf.Cable(100.0 * n / (n - 1), MASS, n=n, plane="xz", radius=D / 2)
    s.add_rod("line", line, parent="sheave", at=kf.Frame((0, 0, 0), (("y", np.pi / 2),)))
    s.add("load", kf.Rigid(1500 / G), kf.Fixed(), parent="line", at="tip")
    s.add_feed("winch", "line", length=HOIST, reel=kf.Reel())
    s.apply("sea", kf.Morison("line", kf.Sea(RHO, 200.0), D, CN, 0.0))
    return s


def hoisted_by_moordyn(path):
    """Force on the coupled point every 0.05 s; 20 segments all the time, which MoorDyn shortens evenly."""
    moordyn = pytest.importorskip("moordyn")
    system, step = moordyn.Create(str(path)), 5e-4
    moordyn.Init(system, [0, 0, -10.0], [0, 0, 0])
    point, line, force = moordyn.GetPoint(system, 2), moordyn.GetLine(system, 1), []
    for k in range(40000):
        t = step * k
        moordyn.SetLineUnstretchedLength(line, float(HOIST(t)))
        moordyn.SetLineUnstretchedLengthVel(line, float(HOIST.functions[1](t)))
        for _ in range(2):  # both give away a None that is not theirs: without these Python itself stops in the end
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(None))
        rate = (heave(t + 1e-6) - heave(t - 1e-6)) / 2e-6
        moordyn.Step(system, [0, 0, heave(t) - 10.0], [0, 0, rate], t, step)
        if k % 100 == 99:
            force.append(np.linalg.norm(moordyn.GetPointForce(point)))
    moordyn.Close(system)
    return np.array(force)


def test_hoisted_in_heave_beside_moordyn(tmp_path):
    """A load drawn in from 100 m to 80 m by a winch that heaves: weight and m a of load and cable by hand, to the order of
    the rods' length, and MoorDyn within 2 %. MoorDyn's nodes move with the cable's ends, not with its material: it is 1.1 %
    off by itself, and there is no drag along the cable, which it would take from them."""
    path = tmp_path / "cable.txt"
    path.write_text(HANGING.replace("SEGMENTS", "20").replace(f"1.0   {CT}    0.0", "1.0   0    0.0"))
    runs = [hoisted(n).simulate(20.0, rtol=1e-6, output=0.05) for n in (21, 41)]
    t, h = runs[0].t[1:], 1e-3
    up = (heave(t + h) - 2 * heave(t) + heave(t - h)) / h**2 - np.array([HOIST.functions[2](x) for x in t])
    out = np.array([HOIST(x) for x in t])
    closed = 1500.0 + WEIGHT * out + (1500.0 / G + MASS * out) * up
    off = [np.abs(run["winch.tension"][1:] / closed - 1).max() for run in runs]
    assert off[0] < 0.012 and 1.8 < off[0] / off[1] < 2.2
    assert runs[0]["winch.outside"][-1] < runs[0]["winch.outside"][0] - 3 and np.ptp(closed) > 250
    peer = hoisted_by_moordyn(path)
    assert np.abs(runs[0]["winch.tension"][1:] / peer - 1).max() < 0.02


CATENARY = """chain between two points
---------------------- LINE TYPES -------------------------------------------
TypeName   Diam    Mass/m     EA     BA/-zeta    EI     Cd     Ca     CdAx    CaAx
(name)     (m)     (kg/m)     (N)    (N-s/-)   (N-m^2)  (-)    (-)    (-)     (-)
chain      0.05    20.0     2.5e8     -0.8        0      1.6    1.0    0.1     0.0
---------------------- POINTS -----------------------------------------------
ID  Attachment  X   Y   Z    Mass   Volume  CdA  Ca
(#) (word)     (m) (m) (m)   (kg)   (m^3)  (m^2) (-)
1   Fixed      0        0   -80   0   0   0   0
2   Coupled    173.107  0   -10   0   0   0   0
---------------------- LINES ------------------------------------------------
ID  LineType  AttachA AttachB UnstrLen NumSegs  Outputs
(#) (name)     (#)     (#)     (m)      (-)      (-)
1   chain       1       2      200.0     20       -
---------------------- OPTIONS ----------------------------------------------
0          writeLog
1          disableOutput
1          disableOutTime
0.0005     dtM
rk4        tScheme
400        WtrDpth
300        TmaxIC
1e-6       threshIC
---------------------- need this line ---------------------------------------
"""


def test_sagging_line_beside_moordyn(tmp_path):
    """Heave at one end moves the line across itself, near its resonance: drag and added mass across count. Tension within
    0.4 % of MoorDyn's, and its swing of 4900 N within 4 %."""
    path = tmp_path / "chain.txt"
    path.write_text(CATENARY)
    s = kf.System.from_moordyn(path, motions={"point2": {"z": heave}}, stretch=False, plane=True)
    run = s.simulate(20.0, initial=s.equilibrium(), output=0.05, rtol=1e-6)
    tension = np.linalg.norm(run.loads("line1_tip").force, axis=1)
    assert np.ptp(tension) > 4000 and run.audit.ok
    peer = by_moordyn(path, (173.107, 0, -10.0), 20.0)
    assert np.abs(tension[1:] / peer - 1).max() < 0.004
    assert np.abs((tension[1:] - tension[1]) - (peer - peer[0])).max() < 0.04 * np.ptp(peer)
