"""Rods and cables against closed forms, published tables and identities."""

import math
import time

import numpy as np
import pytest
from scipy.optimize import brentq

import kaneflex as kf
from kaneflex.plan.build import build


def rod(n, plane="xy", **given):
    """A rod of unit length, mass and stiffness."""
    twist = {"GJ": 0.7} if plane is None else {}
    return kf.Rod(1.0, 1.0, **{"EI": 1.0, "n": n, "plane": plane, **twist, **given})


def cantilever(n, plane="xy", **given):
    s = kf.System("cantilever")
    s.add_rod("boom", rod(n, plane, **given))
    return s


def frequencies(s, **arguments):
    found = np.sort(np.abs(s.linearize(**arguments).eigenvalues().imag))[::2]
    return found[found > 1e-3 * found[-1] / len(found) ** 2]


# -- small deflections ------------------------------------------------------------------------------------------------------

# of a clamped chain with the root spring 2 EI/l (figures of the literature on rods and springs, five digits)
TABLE = {
    4: (3.41804, 20.0904),
    8: (3.49099, 21.5016),
    10: (3.49996, 21.6898),
    16: (3.50972, 21.8983),
    20: (3.51199, 21.9471),
    40: (3.51501, 22.0126),
}


@pytest.mark.parametrize("plane", ["xy", "xz", None])
@pytest.mark.parametrize("n", TABLE)
def test_frequencies_of_a_cantilever(n, plane):
    found = frequencies(cantilever(n, plane))
    first, second = np.unique(np.round(found, 7))[:2]
    assert first == pytest.approx(TABLE[n][0], abs=5e-6) and second == pytest.approx(TABLE[n][1], abs=5e-5)


@pytest.mark.parametrize(
    ("n", "first"), [(4, 2.80987), (8, 3.12445), (10, 3.19578), (16, 3.30894), (20, 3.34842), (40, 3.43022)]
)
def test_frequency_with_a_whole_spring_at_the_root(n, first):
    """EI/l at the root, as a chain has that does not know of half a segment there: of order 1/n only."""
    s = kf.System("cantilever")
    s.add_rod("boom", rod(n), root="pinned")
    s.apply("root", kf.JointSpring("boom_1", stiffness=float(n)))
    assert frequencies(s)[0] == pytest.approx(first, abs=5e-6)


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_compliance_of_the_tip(n):
    """Too large by 1/(2 n^2) exactly, for small deflections."""
    s, load = cantilever(n), 1e-6
    s.apply("load", kf.Force("boom.tip", (0, load, 0), axes="inertial"))
    tip = s.channels(s.equilibrium(), "boom.tip.position")["boom.tip.position"]
    assert 3 * tip[1] / load - 1 == pytest.approx(1 / (2 * n**2), abs=1e-9)


# exact first frequencies over sqrt(EI/mu L^4): roots of cos cosh = 1, tan = tanh
ENDS = {
    "clamped": ({"tip": "clamped", "end": (1, 0, 0)}, 22.37328545),
    "propped": ({"tip": "pinned", "end": (1, 0, 0)}, 15.41820572),
    "pinned": ({"root": "pinned", "tip": "pinned", "end": (1, 0, 0)}, math.pi**2),
    "flying": ({"root": "free"}, 22.37328545),
}


@pytest.mark.parametrize("ends", ENDS)
def test_order_of_convergence(ends):
    held, exact = ENDS[ends]
    errors = []
    for n in (10, 20, 40):
        s = kf.System(ends)
        s.add_rod("rod", rod(n, EA=None if ends == "flying" else 1e6), **held)
        errors.append(abs(frequencies(s)[0] / exact - 1))
    assert errors[0] < 0.02 and errors[2] < 1e-3
    assert errors[0] / errors[1] > 3.5 and errors[1] / errors[2] > 3.3  # order 2 or better


def test_taper_by_function_and_by_table():
    """EI (1 - s/2): the tip's deflection under a unit load is the integral of (1 - s)^2/EI."""
    exact = 2 * math.log(2) - 1  # of (1 - s)^2/(1 - s/2) from 0 to 1
    made = [lambda s: 1 - s / 2, ([0.0, 1.0], [1.0, 0.5]), lambda s: (1.0, 1 - s / 2)]
    for EI in made:
        found = []
        for n in (10, 20):
            s = cantilever(n, EI=EI)
            s.apply("load", kf.Force("boom.tip", (0, 1e-6, 0), axes="inertial"))
            found.append(s.channels(s.equilibrium(), "boom.tip.position")["boom.tip.position"][1] / 1e-6)
        assert found[1] == pytest.approx(exact, rel=2e-3)
        assert (found[0] - exact) / (found[1] - exact) == pytest.approx(4, abs=0.1)


def test_mass_along_a_taper():
    s = kf.System("taper")
    s.add_rod("boom", kf.Rod(2.0, lambda s: 1 + 3 * s**2, EI=1.0, n=7, plane="xy"))
    found = s.channels(None, "mass_centre.mass", "mass_centre.position", "mass_centre.inertia")
    assert found["mass_centre.mass"] == pytest.approx(10.0, rel=1e-12)
    assert found["mass_centre.position"][0] == pytest.approx(1.4, rel=1e-12)
    assert found["mass_centre.inertia"][2, 2] == pytest.approx(8 / 3 + 3 * 32 / 5 - 10 * 1.4**2, rel=1e-12)


@pytest.mark.parametrize("plane", ["xy", "xz", None])
def test_stretch_and_shear(plane):
    """A bar under a tip load, under its own weight, and a short beam whose shear is F L/GA: to second order at worst."""
    along = kf.System("bar")
    along.add_rod("b", rod(6, plane, EA=1e4))
    along.apply("pull", kf.Force("b.tip", (3.0, 0, 0), axes="inertial"))
    rest = along.equilibrium()
    found = along.channels(rest, "b.tip.position", "b.strain", "b.tension")
    assert found["b.tip.position"][0] - 1 == pytest.approx(3e-4, rel=1e-9)
    assert np.allclose(found["b.strain"], [0, *[3e-4] * 5], rtol=1e-9) and np.allclose(found["b.tension"], 3.0)
    heavy = kf.System("bar", gravity=(7.0, 0, 0))
    heavy.add_rod("b", rod(6, plane, EA=1e4))
    assert heavy.channels(heavy.equilibrium(), "b.tip.position")["b.tip.position"][0] - 1 == pytest.approx(3.5e-4, rel=1e-9)
    across = kf.System("short")
    GA = (20.0, 30.0)
    across.add_rod("b", rod(8, plane, EA=1e6, GA=GA, EI=(1e3, 2e3)))
    down = np.array([0, 0, 1e-5]) if plane == "xz" else np.array([0, 1e-5, 0])
    across.apply("push", kf.Force("b.tip", down, axes="inertial"))
    moved = across.channels(across.equilibrium(), "b.tip.position")["b.tip.position"] @ down / 1e-10
    k = 1 if plane == "xz" else 0
    bending = (1 + 1 / 128) / (3 * (1e3 if plane == "xz" else 2e3))
    assert moved == pytest.approx(1 / GA[k] + bending, rel=1e-6)


# -- large deflections ------------------------------------------------------------------------------------------------------

# v/L of n = 20 rods under a dead tip load P L^2/EI
ELASTICA = {1: 0.302075, 2: 0.493995, 5: 0.714598, 10: 0.811731}


@pytest.mark.parametrize("plane", ["xy", "xz", None])
@pytest.mark.parametrize("load", ELASTICA)
def test_elastica(load, plane):
    s = cantilever(20, plane)
    axis = 2 if plane == "xz" else 1
    s.apply("load", kf.Force("boom.tip", load * np.eye(3)[axis], axes="inertial"))
    found = s.channels(s.equilibrium(), "boom.tip.position", "boom.moment", "boom.curvature")
    assert found["boom.tip.position"][axis] == pytest.approx(ELASTICA[load], abs=5e-7)
    root = found["boom.moment"][0] if plane else found["boom.moment"][0, 2]
    assert abs(root) == pytest.approx(load * found["boom.tip.position"][0], rel=1e-9)
    assert np.allclose(found["boom.moment"], found["boom.curvature"], atol=1e-8)  # EI = 1


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("turns", [1, 2])
@pytest.mark.parametrize("plane", [None, "plane"])
def test_a_moment_rolls_it_up(plane, turns, axis):
    """The moment 2 pi EI/L closes a circle, in space as in either plane."""
    s = cantilever(20, {1: "xz", 2: "xy"}[axis] if plane else None)
    s.apply("moment", kf.Torque("boom.tip", 2 * math.pi * turns * np.eye(3)[axis]))
    found = s.channels(s.equilibrium(), "boom.tip.position", "boom.curvature", "boom.shape")
    assert np.allclose(found["boom.tip.position"], 0, atol=1e-9)
    bent = found["boom.curvature"] if plane else found["boom.curvature"][:, axis]
    assert np.allclose(bent, 2 * math.pi * turns, rtol=1e-9)
    assert found["boom.shape"].shape == (21, 3) and np.allclose(found["boom.shape"][-1], found["boom.tip.position"])


def test_curved_without_load():
    """An eighth of a circle is where it should be, to second order, and carries nothing."""
    for plane, curvature in (("xy", math.pi / 4), (None, (0.0, 0.0, math.pi / 4))):
        errors = []
        for n in (8, 16):
            s = cantilever(n, plane, curvature=curvature)
            found = s.channels(None, "boom.tip.position", "boom.moment", "boom.curvature", "boom.potential")
            exact = np.array([math.sin(math.pi / 4), 1 - math.cos(math.pi / 4), 0]) / (math.pi / 4)
            errors.append(np.linalg.norm(found["boom.tip.position"] - exact))
            assert np.allclose(found["boom.moment"], 0, atol=1e-12) and found["boom.potential"] == 0
            assert np.allclose(found["boom.curvature"], curvature)
        assert errors[0] / errors[1] == pytest.approx(4, abs=0.05) and errors[1] < 1e-3


def test_bend_of_45_degrees():
    """Bathe and Bolourchi's: a bend of radius 100 under 600 at its tip, out of its plane. The tip is between 15.55 and 15.9,
    46.84 and 47.3, 53.4 and 53.7 in the literature."""
    E, G = 1e7, 0.5e7
    bend = kf.Rod(100 * math.pi / 4, 1.0, EI=E / 12, GJ=G * 0.1406, n=40, curvature=(0, 0, 1 / 100), EA=E, GA=G * 5 / 6)
    s = kf.System("bend")
    s.add_rod("bend", bend)
    s.apply("load", kf.Force("bend.tip", (0, 0, 600.0), axes="inertial"))
    x, y, z = s.channels(s.equilibrium(), "bend.tip.position")["bend.tip.position"]
    assert x == pytest.approx(47.0, abs=0.3) and y == pytest.approx(15.7, abs=0.25) and z == pytest.approx(53.55, abs=0.2)


# -- cables -----------------------------------------------------------------------------------------------------------------


def catenary(span, length):
    """Parameter and sag of a catenary."""
    a = brentq(lambda a: 2 * a * math.sinh(span / (2 * a)) - length, span / 50, 1e3 * span)
    return a, a * (math.cosh(span / (2 * a)) - 1)


@pytest.mark.parametrize("plane", ["xz", None])
def test_a_cable_hangs_as_a_catenary(plane):
    a, sag = catenary(10.0, 12.0)
    errors = []
    for n in (10, 20, 40):
        s = kf.System("cable", gravity=(0, 0, -9.81))
        s.add_rod("c", kf.Cable(12.0, 2.0, n=n, plane=plane), tip="pinned", end=(10.0, 0, 0))
        found = s.channels(s.equilibrium(), "c.shape", "c.tension")
        errors.append((-found["c.shape"][:, 2].min() / sag - 1, found["c.tension"][n // 2] / (2 * 9.81 * a) - 1))
    assert np.abs(errors[2]).max() < 1e-3
    assert np.allclose(np.divide(errors[0], errors[1]), 4, atol=0.2) and np.allclose(
        np.divide(errors[1], errors[2]), 4, atol=0.2
    )


def test_an_elastic_catenary():
    """Between (0, 0) and (10, 3), of 11 m and 300 N: horizontal force and lift at the root solve Irvine's two equations."""
    L, w, EA, l, h = 11.0, 15.0, 300.0, 10.0, 3.0

    def misses(H, V):
        W = w * L
        x = H * L / EA + H / w * (math.asinh(V / H) - math.asinh((V - W) / H))
        z = V * L / EA - W * L / (2 * EA) + H / w * (math.hypot(1, V / H) - math.hypot(1, (V - W) / H))
        return x - l, z + h

    H, V = 50.0, 60.0
    for _ in range(50):
        f = np.array(misses(H, V))
        J = np.array([(np.array(misses(H + dH, V + dV)) - f) / 1e-6 for dH, dV in ((1e-6, 0), (0, 1e-6))]).T
        H, V = np.array([H, V]) - np.linalg.solve(J, f)
    errors = []
    for n in (20, 40):
        s = kf.System("cable", gravity=(0, 0, -10.0))
        s.add_rod("c", kf.Cable(L, w / 10, EA=EA, n=n, plane="xz"), tip="pinned", end=(l, 0, h))
        tension = s.channels(s.equilibrium(), "c.tension")["c.tension"]
        errors.append(tension[0] - math.hypot(H, V))
    assert abs(errors[1]) < 0.01 * math.hypot(H, V) and errors[0] / errors[1] == pytest.approx(4, abs=1.0)


def test_modes_of_a_hanging_chain():
    """omega = z/2 sqrt(g/L), z the zeros of J0 (Daniel Bernoulli): 2.40483, 5.52008, 8.65373."""
    exact = np.array([2.404826, 5.520078, 8.653728]) / 2 * math.sqrt(9.81)
    errors = []
    for n in (20, 40):
        s = kf.System("chain", gravity=(9.81, 0, 0))
        s.add_rod("c", kf.Cable(1.0, 1.0, n=n, plane="xy"))
        found = np.sort(np.abs(s.linearize().eigenvalues().imag))[::2][:3]
        errors.append(found / exact - 1)
    assert np.abs(errors[1]).max() < 5e-3 and np.allclose(errors[0] / errors[1], 4, atol=0.3)


def test_rotating_flap():
    """Flap frequency at the rate gamma = 6: 7.3237, 7.3510, 7.3580 with 10, 20, 40 rods; exact 7.3604."""
    for n, flap in ((10, 7.3237), (20, 7.3510), (40, 7.3580)):
        s = kf.System("rotor")
        s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.constant_rate(6.0)))
        s.add_rod("blade", rod(n, "xz"), parent="hub")
        found = np.sort(np.abs(s.linearize(s.assemble().state).eigenvalues().imag))
        assert found[found > 1][0] == pytest.approx(flap, abs=5e-5)


# -- the whole of it --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"EA": 300.0}, {"EA": 300.0, "GA": (200.0, 150.0)}], ids=["", "stretch", "shear"])
@pytest.mark.parametrize("plane", ["xy", "xz", None])
def test_a_damped_rod_keeps_its_books(plane, more):
    """Energy lost is what the material takes; dense and recursive are one motion; a file gives it back."""
    bent = 0.5 if plane else (0.2, 0.5, -0.7)
    s = kf.System("rod", gravity=(0.3, -1, -9.0))
    boom = rod(6, plane, EI=(2.0, 1.0), damping=0.01, curvature=bent, rotary_inertia=0.01, points={"mid": 0.4}, **more)
    s.add_rod("boom", boom)
    s.add(
        "box", kf.Rigid(0.3, inertia=(0.01, 0.01, 0.01)), kf.Revolute("z" if plane != "xz" else "y"), parent="boom", at="mid"
    )
    run = s.simulate(0.3, rtol=1e-9, atol=1e-11, output=0.1)
    assert run.audit.ok and run.audit.energy_drift < 1e-9
    lost = run["boom.dissipation"]
    assert lost[0] == 0 and lost[1:].min() > 0
    dense = s.simulate(0.3, rtol=1e-9, atol=1e-11, output=0.1, formulation="dense")
    assert np.allclose(dense.q, run.q, atol=1e-12)


def test_momentum_of_a_flying_rod():
    s = kf.System("noodle")
    s.add_rod("noodle", rod(5, None, EA=100.0, GA=50.0, damping=0.01), root="free")
    start = {f"noodle_{k}.wz": 0.7 * k for k in range(1, 6)} | {"noodle_1.vy": 1.0}
    run = s.simulate(0.3, initial=start, rtol=1e-10, atol=1e-12)
    assert run.audit.linear_momentum_drift < 1e-12 and run.audit.angular_momentum_drift < 1e-9 and run.audit.ok


def test_ratio_of_the_lowest_mode():
    for held, ratio in (({}, 0.03), ({"root": "free"}, 0.02), ({"root": "pinned"}, 0.02)):
        s = kf.System("damped")
        s.add_rod("boom", rod(30, damping_ratio=ratio), **held)
        values = s.linearize().eigenvalues()
        values = values[np.abs(values) > 1]
        first = values[np.argmin(np.abs(values))]
        assert -first.real / abs(first) == pytest.approx(ratio, rel=1e-3)


def test_one_name_everywhere():
    s = cantilever(12, None, points={"mid": 0.5})
    s.add("box", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"), parent="boom", at="mid")
    s.apply("push", kf.Force("boom.tip", lambda t, x: (0.0, -x[1], 0.0), axes="inertial", sees=["boom.mid.velocity"]))
    s.group("all", ["boom", "box"])
    text = s.describe()
    assert "boom: Rod on N, 1 kg, 1 m in 12 segments, root clamped, tip free" in text and "boom_" not in text
    assert "box: Revolute on boom" in text and "group of boom, box" in text
    run = s.simulate(0.01)
    assert not [name for name in run.channels if name.startswith("boom_")]
    assert {"boom.shape", "boom.curvature", "boom.tension", "boom.mid.position", "boom.potential"} <= set(run.channels)
    assert run["boom.shape"].shape == (len(run.t), 13, 3) and run.unit("boom.curvature") == "rad/m"
    assert run["all.mass_centre.mass"][0] == pytest.approx(2.0)
    assert s.rods["boom"].segments == tuple(f"boom_{k}" for k in range(1, 13)) and s.rods["boom"].lengths == (1 / 12,) * 12
    assert s.state()["boom.q"].shape == (48,)
    with pytest.raises(kf.ModelError, match=r'channel "boom\.tention" is not known'):
        run["boom.tention"]


def test_points_are_places():
    s = kf.System("points")
    s.add_rod("boom", rod(10, points={"joint": 0.3}))
    assert s.add_point("boom", "late", 0.25) == "boom.late"
    places = s.channels(None, "boom.late.position", "boom.joint.position", "boom.root.position", "boom.tip.position")
    assert [round(float(p[0]), 12) for p in places.values()] == [0.25, 0.3, 0.0, 1.0]
    assert s.locate("boom.late", "x")[0] == "boom_3" and s.locate("boom.joint", "x")[0] == "boom_4"
    s.constrain("tie", kf.Distance("boom.tip", (1.0, 0.5, 0), 0.5))
    s.contact("hit", kf.Contact("boom.late", on="N"))
    s.apply("spring", kf.SpringDamper("boom.late", "N", 1.0))
    s.loads["spring"] = kf.SpringDamper("boom.joint", "N", 2.0)
    assert s.loads["spring"].a == "boom_4.joint"


def test_files_hold_it(tmp_path):
    s = cantilever(5, None, EI=lambda s: (2.0 - s, 1.0), points={"mid": 0.5})
    s.add_rod("line", kf.Cable(0.5, 0.1, n=3), parent="boom", at="tip", tip="pinned", end=(1.3, 0.2, 0))
    run = s.simulate(0.02)
    back = kf.Run.load(run.save(tmp_path / "rod.h5"))
    for name in ("boom.shape", "boom.moment", "line.tension", "boom.mid.position"):
        assert np.array_equal(back[name], run[name]), name
    assert back.model.describe() == s.describe()
    more, again = run.extend(0.02), back.extend(0.02)
    assert np.array_equal(more.q, again.q)


def test_a_long_rod_costs_no_more_than_a_chain_of_bodies():
    """Declared and planned, beside the same joints and springs one by one: the best of alternate rounds."""

    def chain(s):
        for k in range(500):
            s.add(f"b{k}", kf.Rigid(0.1), kf.Spherical(), parent=f"b{k - 1}" if k else None, at=(0.1, 0, 0))
            s.apply(f"k{k}", kf.JointSpring(f"b{k}", 1.0))

    def seconds(make):
        s = kf.System("long")
        start = time.perf_counter()
        make(s)
        build(s)
        return time.perf_counter() - start

    rounds = [(seconds(lambda s: s.add_rod("rod", rod(500, None))), seconds(chain)) for _ in range(5)]
    ours, theirs = np.min(rounds, axis=0)
    assert ours < theirs


# -- what cannot be ---------------------------------------------------------------------------------------------------------


def built(rod, **held):
    s = kf.System("refused")
    s.add_rod("rod", rod, **held)


REFUSED = {
    "EI of a Rod is 0: give its bending stiffness, or use a Cable": lambda: rod(3, EI=0.0),
    "EI is -1.0: it must be positive": lambda: rod(3, EI=-1.0),
    "GJ of a Rod in space is missing": lambda: kf.Rod(1.0, 1.0, 1.0),
    "GA and no EA": lambda: rod(3, GA=1.0),
    "n, the number of segments of a Rod, is 0": lambda: rod(0),
    "length of a Rod is 0": lambda: kf.Rod(0.0, 1.0, 1.0, plane="xy"),
    "a rod that stretches has one segment": lambda: built(rod(1, EA=1.0)),
    "half a turn or more: give n = 7": lambda: built(rod(5, curvature=18.0)),
    "clamped, but a Cable does not resist bending": lambda: built(kf.Cable(1.0, 1.0), root="clamped"),
    "its tip is tied, but not to what": lambda: built(rod(3), tip="pinned"),
    "but the tip is free": lambda: built(rod(3), end=(1, 0, 0)),
    "cannot reach over 2 m": lambda: built(rod(3), tip="pinned", end=(2, 0, 0)),
    "plane are not in it": lambda: built(rod(3), tip="pinned", end=(0.5, 0, 0.5)),
    'plane of a Rod: "yz" is not known': lambda: rod(3, "yz"),
    'root, a joint or one of these words, "stuck"': lambda: built(rod(3), root="stuck"),
    'point "p" of a Rod is at 2 m': lambda: rod(3, points={"p": 2.0}),
    '"tip", which every rod has': lambda: rod(3, points={"tip": 0.5}),
    '"tension", which names a channel': lambda: rod(3, points={"tension": 0.5}),
    "damping and damping_ratio": lambda: rod(3, damping=0.1, damping_ratio=0.1),
    "rotary_inertia is -1.0: it must not be negative": lambda: rod(3, rotary_inertia=-1.0),
    "mass_per_length at 0 m is -1": lambda: kf.Rod(1.0, lambda s: -1.0, 1.0, plane="xy"),
    "arc lengths of EI must grow": lambda: rod(3, EI=([0, 0], [1, 1])),
    "curvature of a Rod in space is one number": lambda: rod(3, None, curvature=1.0),
}


@pytest.mark.parametrize("words", REFUSED)
def test_refused_by_name(words):
    with pytest.raises(kf.ModelError) as caught:
        REFUSED[words]()
    assert words in str(caught.value)


def test_names_on_rods_are_checked():
    s = cantilever(3)
    with pytest.raises(kf.ModelError, match='there is a rod "boom" already'):
        s.add("boom", kf.Rigid(1.0))
    with pytest.raises(kf.ModelError, match='there is a body "boom_2" already'):
        s.add("boom_2", kf.Rigid(1.0))
    with pytest.raises(kf.ModelError, match=r'"boom" is a rod: name a point of it, "boom\.root", "boom\.tip"'):
        s.apply("f", kf.Force("boom", (1, 0, 0)))
    with pytest.raises(kf.ModelError, match='point of rod "boom" "mid" is not known'):
        s.apply("f", kf.Force("boom.mid", (1, 0, 0)))
    with pytest.raises(kf.ModelError, match="name a point of rod"):
        s.add("box", kf.Rigid(1.0), parent="boom", at=(1, 0, 0))
    with pytest.raises(kf.ModelError, match='rod "boom" cannot be deleted'):
        del s.rods["boom"]
    with pytest.raises(kf.ModelError, match=r'channel "boom\.curvature" is no output'):
        s.linearize(outputs=["boom.curvature"])
