"""Rods of high order in motion: frequencies and histories from closed forms and the literature; what is stored, refused."""

import numpy as np
import pytest
from bodies.test_strain_rod import full_rod, plane_rod
from formulations import identities

import kaneflex as kf

CANTILEVER = np.array([3.516015, 22.034492, 61.697214, 120.901916])  # sqrt(EI/(m L^4))
FREE = np.array([22.373285, 61.672823, 120.903392])


def frequencies(s, state=None):
    return np.sort([mode.frequency for mode in s.modes(state)])


def clamped(rod):
    s = kf.System("clamped")
    s.add("rod", rod)
    return s


@pytest.mark.parametrize("plane", ["xy", "xz", None])
def test_frequencies_of_a_cantilever(plane):
    """In either plane, and in both with different stiffness."""
    rod = plane_rod(8, plane=plane, EI=(4.0, 1.0) if plane is None else 1.0)
    found, expected = frequencies(clamped(rod)), CANTILEVER[:3]
    if plane is None:
        expected = np.sort([*CANTILEVER[:3], *2 * CANTILEVER[:2]])
    assert found[: len(expected)] == pytest.approx(expected, rel=3e-6)


def test_frequencies_of_torsion_and_stretch():
    """(k - 1/2) pi sqrt(GJ/J)/L and (k - 1/2) pi sqrt(EA/m)/L."""
    given = {"GJ": 3.0, "EA": 50.0, "rotary_inertia": (0.2, 0.0, 0.0)}
    rod = kf.StrainRod(2.0, 1.5, 1.0, order={"torsion": 9, "axial": 9}, **given)
    k = np.arange(1, 4) - 0.5
    expected = np.sort([*k * np.pi * np.sqrt(3.0 / 0.2) / 2, *k * np.pi * np.sqrt(50.0 / 1.5) / 2])
    assert frequencies(clamped(rod))[:5] == pytest.approx(expected[:5], rel=2e-5)


def test_frequencies_of_a_free_rod():
    """Six motions of a rigid body (three in the plane) and the vibrations of a free beam."""
    s = kf.System("free")
    s.add("rod", plane_rod(11), kf.Planar("z"))
    found = frequencies(s)
    assert found[found > 1e-3][:3] == pytest.approx(FREE, rel=3e-5)


@pytest.mark.parametrize(("rate", "squared"), [(2.0, 4.1373), (6.0, 7.3604)])
def test_flapping_of_a_rotating_beam(rate, squared):
    """Out of the plane of rotation, at speeds over sqrt(EI/(m L^4)); Wright et al., J. Applied Mechanics 49 (1982) 197."""
    s = kf.System("rotor")
    rod = kf.StrainRod(1.0, 1.0, 1.0, order={"bending z": 8})
    s.add("blade", rod, kf.Revolute("z", motion=kf.profiles.constant_rate(rate)))
    found = frequencies(s)
    assert found[0] == pytest.approx(squared, abs=6e-5)


def test_kelvin_voigt_damping_of_modes():
    """A mode of frequency w loses w T/2 of critical damping."""
    s = clamped(plane_rod(6, damping=0.01))
    for mode in sorted(s.modes(), key=lambda mode: mode.frequency)[:2]:
        assert mode.damping == pytest.approx(0.01 * mode.frequency / 2, rel=1e-6)


@pytest.mark.parametrize(("order", "lowest"), [(3, -0.57373), (4, -0.57375)])
def test_spin_up(order, lowest):
    """Kane, Ryan and Banerjee's arm, spun up to 6 rad/s in 15 s: the tip lags by 0.5738 m at most (inextensible beam)."""
    s = kf.System("spin-up")
    rod = kf.StrainRod(10.0, 1.2, 1.4e4, order=order, plane="xy")
    s.add("arm", rod, kf.Revolute("z", motion=kf.profiles.spin_up(rate=6.0, time=15.0)))
    run = s.simulate(8.0, times=np.arange(0.0, 8.0, 0.01))
    assert run.audit.ok
    least = run["arm.tip.deflection"][:, 1].min()
    assert least == pytest.approx(lowest, abs=6e-6)
    assert least == pytest.approx(-0.5738, abs=1e-4)


def test_flying_beam():
    """Simo and Vu-Quoc's beam in free flight; places of both ends at 2.5 s and 5 s, of which two digits are certain."""
    s, push = kf.System("flying"), lambda t: 1.0 if t < 2.5 else 0.0
    rod = kf.StrainRod(10.0, 1.0, 500.0, EA=1e4, GA=1e4, order=8, plane="xy", rotary_inertia=10.0)
    s.add("rod", rod, kf.Planar("z"), q=(6.0, 0.0, np.arctan2(8.0, -6.0)))
    s.apply("force", kf.Force("rod", lambda t: (8.0 * push(t), 0.0, 0.0), axes="inertial"))
    s.apply("moment", kf.Torque("rod", lambda t: (0.0, 0.0, -80.0 * push(t))))
    run = s.simulate(5.0, times=[0.0, 1.0, 2.5, 5.0], rtol=1e-7)
    ends = np.hstack([run["rod.position"][1:, :2], run["rod.tip.position"][1:, :2]])
    expected = [[4.9999, -0.5224, 0.4239, 7.9130], [4.430, -0.785, 5.946, 8.970], [5.620, 4.763, 15.409, 4.265]]
    print(np.round(ends, 4))
    assert np.abs(ends - expected).max() < 0.01


def flight(order, push):
    """Far end of a free rod after 5 s, pushed and turned at the other end for half of that time."""
    s = kf.System("flight")
    rod = kf.StrainRod(10.0, 1.0, 500.0, order=order, plane="xy", rotary_inertia=10.0)
    s.add("rod", rod, kf.Planar("z"), q=(6.0, 0.0, np.arctan2(8.0, -6.0)))
    s.apply("force", kf.Force("rod", lambda t: (8.0 * push(t), 0.0, 0.0), axes="inertial"))
    s.apply("moment", kf.Torque("rod", lambda t: (0.0, 0.0, 80.0 * push(t))))
    return s.simulate(2.5, rtol=1e-9, atol=1e-9, method="dop853").extend(2.5)["rod.tip.position"][-1]


def smooth(t):
    return 2 * np.sin(np.pi * t / 2.5) ** 2 if t < 2.5 else 0.0


def sudden(t):
    return 1.0 if t < 2.5 else 0.0


def test_smooth_loads_converge_spectrally_and_sudden_ones_do_not():
    """From four coefficients to ten: a factor of hundreds, or of tens."""
    gained = []
    for push in (smooth, sudden):
        best = flight(13, push)
        few, many = (np.abs(flight(m, push) - best).max() for m in (4, 10))
        gained.append(few / many)
        print(push.__name__, few, many)
    assert gained[0] > 200 and gained[1] < 50


def test_one_rod_or_two_of_half_the_length():
    """A falling rod, whole and made of two that are fixed to each other, moves alike."""

    def tip(parts):
        s = kf.System("falling", gravity=(0, -9.81, 0))
        for k in range(parts):
            rod = plane_rod(8 // parts + 2, length=1.0 / parts)
            joint, on = (None, {"parent": f"r{k - 1}", "at": "tip"}) if k else (kf.Revolute("z"), {})
            s.add(f"r{k}", rod, joint, **on)
        run = s.simulate(0.3, rtol=1e-8, method="radau5")
        assert run.audit.ok
        return run[f"r{parts - 1}.tip.position"][-1]

    assert tip(2) == pytest.approx(tip(1), abs=1e-5)


def test_a_helix_is_exact():
    """Constant curvature k and twist w: radius k/(k^2 + w^2), rise w/sqrt(k^2 + w^2) along its axis."""
    k, w, s = 2.0, 1.0, 3.0
    rod = kf.StrainRod(s, 1.0, 1.0, order=1, curvature=(w, 0.0, k))
    rate, x = np.hypot(k, w), np.array([1.0, 0.0, 0.0])
    n = np.array([w, 0.0, k]) / rate
    along, angle = n * (n @ x), s * rate
    expected = along * s + ((x - along) * np.sin(angle) + np.cross(n, x) * (1 - np.cos(angle))) / rate
    assert rod.frames["tip"].p == pytest.approx(expected, abs=1e-13)


def test_a_tapered_rod_under_an_end_moment():
    """Slope of the tip: M times the integral of 1/EI."""
    s = clamped(plane_rod(6, length=2.0, EI=lambda s: 3.0 - s))
    s.apply("moment", kf.Torque("rod.tip", (0, 0, 1.2)))
    slope = s.channels(s.equilibrium(), "rod.tip.slope")["rod.tip.slope"]
    assert slope[2] == pytest.approx(1.2 * np.log(3.0), rel=1e-6)


def test_attraction_by_a_centre_keeps_energy():
    s, rng = kf.System("orbit"), np.random.default_rng(2)
    s.add("rod", full_rod(), kf.Free())
    s.apply("earth", kf.CentralGravity(50.0, centre=(0.0, 0.0, -9.0)))
    for formulation in ("recursive", "dense"):
        d = s.dynamics(formulation)
        q = s.state().q + 0.3 * rng.normal(size=d.plan.nq)
        q[3:7] /= np.linalg.norm(q[3:7])
        y = np.concatenate([q, rng.normal(size=d.plan.nu), [0.0, 0.0]])
        ydot = d.derivative(0.0, y)
        change, _ = identities.rate_of_sums(d, y, ydot)
        assert abs(change.sum() - ydot[-2:].sum()) <= 1e-10 * np.abs(change).max()


def test_linear_model_about_a_bent_rod():
    """Exact derivatives against differences, far from straight."""
    s = clamped(plane_rod(4, plane=None, GJ=1.0))
    s.apply("load", kf.Force("rod.tip", (0.0, 4.0, 2.0), axes="inertial"))
    rest = s.equilibrium()
    A, d, n, h = s.linearize(rest).A, s.dynamics(), 12, 1e-5
    columns = [(d.udot(rest.q + h * e, 0 * e) - d.udot(rest.q - h * e, 0 * e)).copy() / (2 * h) for e in np.eye(n)]
    K = np.column_stack(columns)
    assert A[n:, :n] == pytest.approx(K, abs=1e-6 * np.abs(K).max())


def test_a_run_is_stored_with_its_rod(tmp_path):
    s = kf.System("stored", gravity=(0, 0, -9.81))
    s.add("rod", full_rod(), kf.Revolute("y"))
    run = s.simulate(0.05)
    run.save(tmp_path / "run.kf")
    again = kf.Run.load(tmp_path / "run.kf")
    assert again["rod.tip.position"] == pytest.approx(run["rod.tip.position"], abs=1e-14)
    assert again.extend(0.05).q[-1] == pytest.approx(run.extend(0.05).q[-1], abs=1e-9)


def test_what_is_drawn_follows_the_rod():
    rod = full_rod()
    eta = 0.3 * np.random.default_rng(1).normal(size=(2, len(rod.modal)))
    vertices, triangles, moves = rod.skin.surface
    seen = vertices + np.tensordot(rod.drawn(eta), moves, 1)
    _, places = rod.pose(eta, [0.9, 2.0])
    centres = seen.reshape(2, -1, 8, 3).mean(axis=2)
    assert centres[:, -1] == pytest.approx(places[:, 1], abs=1e-7)
    assert np.abs(centres - places[:, :1]).max(axis=2).min() < 1e-7  # a ring is at the point
    corners = vertices[triangles]
    volume = np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert 0.8 < volume / (np.pi * rod.skin.radii[0, 0] ** 2 * 2.0) < 1.0  # seen from outside
    node = rod.drawn(eta) @ rod.node_moves("middle") + rod.frames["middle"].p
    assert node == pytest.approx(places[:, 0], abs=1e-7)


def test_report(tmp_path):
    s = clamped(plane_rod(3))
    s.apply("load", kf.Force("rod.tip", (0.0, 1.0, 0.0)))
    assert s.simulate(0.1).report(tmp_path / "rod.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"length": 0.0}, "length"),
        ({"EI": -1.0}, "EI"),
        ({"EI": (1.0, 2.0, 3.0)}, "EI"),
        ({"EI": lambda s: 0.9 - s}, "EI.*positive"),
        ({"EI": lambda s: 1.0 if s < 0.5 else 2.0}, "split the rod"),
        ({"order": 0}, "order"),
        ({"order": {}}, "at least one"),
        ({"order": {"bend": 3}}, "kind"),
        ({"order": {"axial": 3}}, "no stiffness"),
        ({"order": {"bending z": 3}}, "leaves its xy plane"),
        ({"curvature": (0.1, 0.0, 0.0)}, "leaves its xy plane"),
        ({"plane": "yz"}, "plane"),
        ({"points": {"far": 1.5}}, "beyond the tip"),
        ({"points": {"tip": 0.5}}, "its ends"),
        ({"damping": -1.0}, "damping"),
        ({"masses": 3}, "masses"),
        ({"frames": {"tip": (0, 0, 0)}}, "name of a point"),
        ({"GA": 5.0, "order": {"bending y": 4, "shear y": 4}}, "move no mass.*rotary_inertia"),
        ({"GJ": 5.0, "plane": None, "rotary_inertia": 0.0}, "torsion strains that move no mass"),
    ],
)
def test_what_makes_no_rod_is_refused(changes, words):
    with pytest.raises(kf.ModelError, match=words):
        plane_rod(**changes)


def test_what_rods_do_not_offer_is_refused_by_name():
    s = clamped(plane_rod(2))
    with pytest.raises(kf.ModelError, match=r'"rod" is a StrainRod.*none in symbols'):
        s.equations()
    with pytest.raises(kf.ModelError, match='"rod" is a rod of high order'):
        s.simulate(0.1, formulation="ruthless")


# -- as a Rod of a system --------------------------------------------------------------------------------------------------


def hanging(**given):
    """A rod clamped to a turned frame, with a weight at a point, at rest."""
    s = kf.System("hanging", gravity=(0, -9.81, 0))
    rod = kf.Rod(length=1.0, mass_per_length=0.4, EI=2.0, EA=200.0, plane="xy", points={"middle": 0.5}, **given)
    s.add_rod("boom", rod, at=kf.Frame((0.1, 0.2, 0.3)), root="clamped")
    s.add("weight", kf.Rigid(0.2), parent="boom", at="tip")
    return s, s.equilibrium()


def test_order_in_the_place_of_segments():
    """One word changes a chain into a rod of high order; both bend alike, to what segments leave of the order n^-2."""
    (one, rest), (many, other) = hanging(order={"bending y": 8, "axial": 8}), hanging(n=40)
    names = ("boom.tip.position", "boom.middle.position")
    for name in names:
        assert one.channels(rest, name)[name] == pytest.approx(many.channels(other, name)[name], abs=5e-4)
    body = one.parts["boom"].body
    found = one.channels(rest, "boom.shape", "boom.moment", "boom.curvature", "boom.tension", "boom.strain")
    assert found["boom.shape"][-1] == pytest.approx(one.channels(rest, names[0])[names[0]], abs=1e-12)
    assert found["boom.shape"][0] == pytest.approx([0.1, 0.2, 0.3], abs=1e-12)
    reach = np.array([found["boom.shape"][:, 0]]).T
    lever = np.trapezoid(np.interp(np.linspace(0, 1, 2001), body.arcs, reach[:, 0]), dx=1 / 2000) - 0.1
    weight, tip = 0.2 * 9.81 * (reach[-1, 0] - 0.1), 0.4 * 9.81 * lever
    assert found["boom.moment"][0] == pytest.approx(-(weight + tip), rel=2e-3)
    assert found["boom.moment"] == pytest.approx(2.0 * found["boom.curvature"], rel=1e-12)
    assert found["boom.tension"] == pytest.approx(200.0 * found["boom.strain"], rel=1e-12)
    slope = one.channels(rest, "boom.tip.slope")["boom.tip.slope"][2]
    assert found["boom.tension"][-1] == pytest.approx(-0.2 * 9.81 * np.sin(slope), abs=5e-4)


def test_a_rod_of_high_order_between_two_points():
    s = kf.System("arch", gravity=(0, 0, -9.81))
    rod = kf.Rod(length=1.0, mass_per_length=0.4, EI=(2.0, 3.0), GJ=1.0, order=4, damping_ratio=0.1)
    s.add_rod("arch", rod, root="pinned", tip="pinned", end=(0.9, 0.0, 0.0))
    assert s.add_point("arch", "crown", 0.5) == "arch.crown"
    run = s.simulate(0.2)
    assert run.audit.ok
    assert run["arch.tip.position"][-1] == pytest.approx([0.9, 0, 0], abs=1e-8)
    with pytest.raises(kf.ModelError, match="already"):
        s.add_point("arch", "crown", 0.4)
