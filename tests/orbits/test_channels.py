"""Channels of orbits: elements, angles from the local vertical, attitude, against other ways to compute them."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kaneflex as kf
from kaneflex.model.orbits import EARTH_MU, KeplerOrbit, elements, orbit_of

ORBIT = KeplerOrbit(EARTH_MU, 7.2e6, 0.1, 0.9, 1.2, 2.2, 0.4)
AWAY, DRIFT = np.array([90.0, 50.0, -300.0]), np.array([0.1, -0.2, 0.1])
NAMES = ("semi_major_axis", "eccentricity", "inclination", "node", "perigee", "true_anomaly")


def in_orbit() -> kf.System:
    """A bus that turns, and a small mass ahead of it, above and out of its plane."""
    s = kf.System("in orbit")
    (r, v), (ahead, faster) = ORBIT.state(0.0), ORBIT.state(0.1)
    s.add("bus", kf.Rigid(100.0, inertia=(80, 90, 20)), kf.Free(), q=(*r, 1, 0, 0, 0), rates=(*v, 0.001, 0.002, 0.0005))
    s.add("probe", kf.PointMass(1.0), kf.Translational(), q=ahead + AWAY, rates=faster + DRIFT)
    s.apply("earth", kf.CentralGravity(EARTH_MU))
    s.add_block("orbit", kf.blocks.OrbitalElements("bus", EARTH_MU))
    s.add_block("line", kf.blocks.LocalVertical("bus", "probe"))
    s.add_block("attitude", kf.blocks.OrbitAttitude("bus"))
    return s


@pytest.fixture(scope="module")
def run():
    return in_orbit().simulate(3000.0, method="dop853", rtol=1e-12, atol=1e-9, output=1.0)


def test_elements_stay_as_they_were_given(run):
    for name in NAMES[:5]:
        assert run[f"orbit.{name}"] == pytest.approx(getattr(ORBIT, name), rel=3e-9)
    r, _ = ORBIT.state(run.t[-1])
    assert np.abs(run["bus.position"][-1] - r).max() < 2e-4  # the bus has a size: (size/a)^2 of the orbit
    assert run.unit("orbit.node") == "rad" and run.unit("line.distance_rate") == "m/s"


def test_rates_are_those_of_the_angles(run):
    """Central differences over 1 s; the out-of-plane angle as well, since gravity alone does not turn the plane."""
    for name, scale in (("distance", 0.3), ("in_plane", 1e-3), ("out_of_plane", 1e-3)):
        values, rates = run[f"line.{name}"], run[f"line.{name}_rate"]
        difference = (values[2:] - values[:-2]) / 2
        assert np.ptp(values) > 100 * scale  # it moves
        assert np.abs(difference - rates[1:-1]).max() < 1e-5 * scale


def test_angles_of_a_line_by_spherical_coordinates(run):
    r, v, d = run["bus.position"], run["bus.velocity"], run["probe.position"] - run["bus.position"]
    up = r / np.linalg.norm(r, axis=1)[:, None]
    normal = np.cross(r, v)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    c = np.cos(run["line.out_of_plane"])[:, None]
    angle = run["line.in_plane"][:, None]
    built = (
        c * (np.cos(angle) * up + np.sin(angle) * np.cross(normal, up)) + np.sin(run["line.out_of_plane"])[:, None] * normal
    )
    assert np.abs(run["line.distance"][:, None] * built - d).max() < 1e-6


def test_attitude_by_scipy(run):
    r, v = run["bus.position"], run["bus.velocity"]
    for k in (0, 1000, 3000):
        down, right = -r[k], -np.cross(r[k], v[k])
        axes = [np.cross(right, down), right, down]
        local = np.array([a / np.linalg.norm(a) for a in axes]).T
        angles = Rotation.from_matrix(local.T @ run["bus.rotation"][k]).as_euler("ZYX")
        found = [run[f"attitude.{name}"][k] for name in ("yaw", "pitch", "roll")]
        assert np.abs(angles - found).max() < 1e-12
        turn = np.linalg.norm(np.cross(r[k], v[k])) / (r[k] @ r[k])
        w = run["bus.omega"][k] + turn * run["bus.rotation"][k].T @ local[:, 1]  # local axes turn about -y
        assert np.abs(w - [run[f"attitude.{name}"][k] for name in ("wx", "wy", "wz")]).max() < 1e-15


def test_laws_see_them_and_derivatives_are_exact():
    """A tension that sees the distance's rate is a SpringDamper's damper; C by the complex step is that by differences."""
    s = in_orbit()
    s.apply("brake", kf.SpringDamper("bus", "probe", tension=lambda t, x: 3.0 * x[0], sees=["line.distance_rate"]))
    other = in_orbit()
    other.apply("brake", kf.SpringDamper("bus", "probe", damping=3.0))
    ends = [x.simulate(60.0, method="dop853", rtol=1e-12, atol=1e-9)["probe.position"][-1] for x in (s, other)]
    assert np.abs(ends[0] - ends[1]).max() < 1e-6
    names = ["line.in_plane", "line.out_of_plane_rate", "attitude.roll", "orbit.node", "orbit.true_anomaly"]
    with pytest.warns(UserWarning, match="not in equilibrium"):
        linear = other.linearize(outputs=names)
    state = other.state()
    column = linear.states.index("probe.y")
    step = 20.0
    values = []
    for sign in (1, -1):
        moved = other.state()
        moved["probe.y"] = state["probe.y"] + sign * step
        values.append([float(other.channels(moved, n)[n]) for n in names])
    slope = (np.array(values[0]) - values[1]) / (2 * step)
    assert linear.C[:, column] == pytest.approx(slope, rel=2e-3, abs=1e-14)
    assert abs(slope[0]) > 1e-4


def test_a_line_seen_from_a_kepler_orbit():
    """In the frame that falls along the orbit, the line to the probe is what it is with the orbit in N."""
    (r, v), d = ORBIT.state(0.0), AWAY
    falling, inertial = kf.System("falling"), kf.System("inertial")
    falling.add("probe", kf.PointMass(1.0), kf.Translational(), q=d, rates=DRIFT)
    falling.add_block("line", kf.blocks.LocalVertical(ORBIT, "probe", down=True))
    inertial.add("bus", kf.PointMass(1.0), kf.Translational(), q=r, rates=v)
    inertial.add("probe", kf.PointMass(1.0), kf.Translational(), q=r + d, rates=v + DRIFT)
    inertial.add_block("line", kf.blocks.LocalVertical("bus", "probe", down=True))
    for name in falling.blocks["line"].output_names:
        a, b = (float(s.channels(s.state(), f"line.{name}")[f"line.{name}"]) for s in (falling, inertial))
        assert a == pytest.approx(b, rel=1e-8)


SINGULAR = {
    "circular": ((7e6, 0.0, 1.0, 0.4, 0.0, 2.0), (0.4, 0.0, 2.0)),
    "equatorial": ((7e6, 0.3, 0.0, 0.0, 1.1, 2.0), (0.0, 1.1, 2.0)),
    "both": ((7e6, 0.0, 0.0, 0.0, 0.0, 2.0), (0.0, 0.0, 2.0)),
    "retrograde": ((7e6, 0.3, math.pi, 0.0, 1.1, 2.0), (0.0, 1.1, 2.0)),
}


@pytest.mark.parametrize("case", SINGULAR)
def test_elements_where_there_is_no_node_or_perigee(case):
    given, wanted = SINGULAR[case]
    found = elements(*KeplerOrbit(EARTH_MU, *given).state(0.0), EARTH_MU)
    assert found[3:6] == pytest.approx(wanted, abs=1e-8)
    assert found[2] == pytest.approx(given[2], abs=1e-15)


@pytest.mark.parametrize("e", [0.0, 0.3, 0.9, 0.999])
def test_keplers_equation(e):
    """After any time the elements are the same, and the mean anomaly has grown by n t."""
    orbit = KeplerOrbit(EARTH_MU, 2e7, e, 0.5, 1.0, 2.0, 3.0)
    for t in (-2e5, 1.0, 1234.5, 9.9e5):
        r, v = orbit.state(t)
        h = 1e-3
        assert (orbit.state(t + h)[0] - orbit.state(t - h)[0]) / (2 * h) == pytest.approx(v, rel=1e-6, abs=1e-4)
        assert v @ v / 2 - EARTH_MU / np.linalg.norm(r) == pytest.approx(-EARTH_MU / 4e7, rel=1e-9)
    r, v = orbit.state(5 * orbit.period)
    assert r == pytest.approx(orbit.state(0.0)[0], abs=1e-2)
    again = orbit_of(*orbit.state(0.0), EARTH_MU)
    assert again.eccentricity == pytest.approx(e, abs=1e-12) and again.semi_major_axis == pytest.approx(2e7)


def test_saved_runs_hold_them(run, tmp_path):
    s = kf.System("falling")
    s.add("probe", kf.PointMass(1.0), kf.Translational(), q=(1, 2, 3))
    s.apply("earth", kf.OrbitGravity(ORBIT))
    s.add_block("line", kf.blocks.LocalVertical(ORBIT, "probe"))
    first = s.simulate(10.0)
    first.save(tmp_path / "run.h5")
    again = kf.Run.load(tmp_path / "run.h5").extend(10.0)
    assert again["line.in_plane"][-1] == pytest.approx(s.simulate(20.0)["line.in_plane"][-1], abs=1e-9)


REFUSED = {
    "falls": (lambda s: s.add_block("b", kf.blocks.LocalVertical("fall", "probe")), "the velocity is along the vertical"),
    "no line": (lambda s: s.add_block("b", kf.blocks.LocalVertical("probe", "twin")), "has no length"),
    "no plane": (lambda s: s.add_block("b", kf.blocks.OrbitalElements("fall", 1.0)), "no orbit with a plane"),
    "unknown": (lambda s: s.add_block("b", kf.blocks.OrbitAttitude("sonde")), "sonde"),
    "itself": (lambda s: s.add_block("b", kf.blocks.LocalVertical("probe", "probe")), "to itself"),
    "nothing": (lambda s: s.add_block("b", kf.blocks.OrbitalElements("", 1.0)), "names a place"),
    "sees": (lambda s: s.add_block("b", kf.blocks.OrbitalElements("probe", 1.0, sees=["probe.q"])), "leave sees= out"),
    "ellipse": (lambda s: KeplerOrbit(1.0, 1.0, 1.0), "give an ellipse"),
    "no ellipse": (lambda s: orbit_of((1, 0, 0), (0, 9, 0), 1.0), "no ellipse"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    act, message = REFUSED[case]
    s = kf.System("s")
    for name, v in (("probe", (0, 1, 0)), ("twin", (0, 1, 0)), ("fall", (-1, 0, 0))):
        s.add(name, kf.PointMass(1.0), kf.Translational(), q=(5, 0, 0), rates=v)
    with pytest.raises(Exception, match=message):
        act(s)
        s.simulate(1.0)
