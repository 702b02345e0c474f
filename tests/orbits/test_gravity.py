"""Gravity in orbits: oblateness, motion relative to an orbit, attraction between bodies."""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kaneflex as kf
from kaneflex.model.orbits import EARTH_J2, EARTH_MU, EARTH_RADIUS, KeplerOrbit

ORBIT = KeplerOrbit(EARTH_MU, 7.2e6, 0.02, 1.0, 0.3, 0.5, 0.1)
FINE = {"method": "dop853", "rtol": 1e-12, "atol": 1e-9}


def point(r, v, *loads, mass=10.0) -> kf.System:
    s = kf.System("point")
    s.add("sat", kf.PointMass(mass), kf.Translational(), q=r, rates=v)
    for k, load in enumerate(loads):
        s.apply(f"load{k}", load)
    return s


def j2_acceleration(t, y):
    """The usual formula in equatorial coordinates."""
    x, r = y[:3], np.linalg.norm(y[:3])
    k, z = 1.5 * EARTH_J2 * EARTH_MU * EARTH_RADIUS**2 / r**5, 5 * (y[2] / r) ** 2
    return [*y[3:], *(-EARTH_MU / r**3 * x - k * x * [1 - z, 1 - z, 3 - z])]


def test_oblateness_against_scipy():
    r, v = ORBIT.state(0.0)
    s = point(r, v, kf.CentralGravity(EARTH_MU, j2=EARTH_J2, radius=EARTH_RADIUS))
    run = s.simulate(2 * ORBIT.period, **FINE)
    by_hand = solve_ivp(j2_acceleration, (0, run.t[-1]), [*r, *v], "DOP853", rtol=1e-13, atol=1e-8).y[:3, -1]
    assert np.abs(run["sat.position"][-1] - by_hand).max() < 2e-4
    assert run.audit.ok and run.audit.energy_drift < 1e-10


def test_precession_of_node_and_perigee():
    """First-order rates of the node, -3/2 n J2 (R/p)^2 cos i, and of the perigee, 3/4 n J2 (R/p)^2 (5 cos^2 i - 1), Kozai's.
    J2 a tenth, where the second order is a tenth as well; the osculating elements are averaged over an orbit."""
    orbit, j2 = KeplerOrbit(EARTH_MU, 7.2e6, 0.05, 0.8, 0.3, 0.5), EARTH_J2 / 10
    s = point(*orbit.state(0.0), kf.CentralGravity(EARTH_MU, j2=j2, radius=EARTH_RADIUS))
    s.add_block("orbit", kf.blocks.OrbitalElements("sat", EARTH_MU))
    turns, samples = 20, 100
    times = np.arange(turns * samples) * orbit.period / samples
    run = s.simulate(float(times[-1]), times=times, **FINE)
    k = 1.5 * orbit.rate * j2 * (EARTH_RADIUS / (7.2e6 * (1 - 0.05**2))) ** 2
    wanted = {"node": -k * math.cos(0.8), "perigee": k * (2 - 2.5 * math.sin(0.8) ** 2)}
    for name, rate in wanted.items():
        mean = np.unwrap(run[f"orbit.{name}"]).reshape(turns, samples).mean(axis=1)
        assert (mean[-1] - mean[0]) / ((turns - 1) * orbit.period) == pytest.approx(rate, rel=2e-3)


def kepler_mp(r, v, t):
    """Two-body motion with 40 digits, by Lagrange's coefficients."""
    mu = mp.mpf(EARTH_MU)
    r0, rv = mp.norm(mp.matrix(r)), mp.fdot(r, v)
    a = 1 / (2 / r0 - mp.fdot(v, v) / mu)
    n, ec, es = mp.sqrt(mu / a**3), 1 - r0 / a, rv / mp.sqrt(mu * a)
    E = mp.findroot(lambda x: x - ec * mp.sin(x) + es * (1 - mp.cos(x)) - n * t, n * t)
    f, g = 1 - a / r0 * (1 - mp.cos(E)), t - (E - mp.sin(E)) / n
    return [f * x + g * y for x, y in zip(r, v, strict=True)]


def state_mp(orbit):
    """Position and velocity at the perigee of an orbit whose elements are doubles, with 40 digits."""
    a, e, i, node, w = map(
        mp.mpf, (getattr(orbit, n) for n in ("semi_major_axis", "eccentricity", "inclination", "node", "perigee"))
    )
    ci, si, cn, sn, cw, sw = mp.cos(i), mp.sin(i), mp.cos(node), mp.sin(node), mp.cos(w), mp.sin(w)
    p = [cn * cw - sn * sw * ci, sn * cw + cn * sw * ci, sw * si]
    q = [-cn * sw - sn * cw * ci, -sn * sw + cn * cw * ci, cw * si]
    fast = mp.sqrt(mp.mpf(EARTH_MU) / a * (1 + e) / (1 - e))
    return [a * (1 - e) * x for x in p], [fast * x for x in q]


@pytest.mark.parametrize("size", [1.0, 50.0])
def test_relative_motion_keeps_its_digits(size):
    """Three orbits beside an eccentric one, no drift to first order: 1e-9 m beside 7e6 m, against 40 digits."""
    orbit = KeplerOrbit(EARTH_MU, 7.0e6, 0.05, 0.9, 1.2, 2.2)
    with mp.workdps(40):
        R, V = state_mp(orbit)
        fast, slow = (np.array([float(x) for x in y]) for y in (V, R))
        d = size * np.cross(slow, fast) / np.linalg.norm(np.cross(slow, fast)) + size / 2 * fast / np.linalg.norm(fast)
        w = 1e-3 * d[[1, 2, 0]]
        w -= fast * (fast @ w + EARTH_MU / np.linalg.norm(slow) ** 3 * (slow @ d)) / (fast @ fast)  # the same energy
        run = point(d, w, kf.OrbitGravity(orbit)).simulate(3 * orbit.period, method="dop853", rtol=1e-14, atol=1e-17)
        t = mp.mpf(float(run.t[-1]))
        there = kepler_mp(
            [a + mp.mpf(float(b)) for a, b in zip(R, d, strict=True)],
            [a + mp.mpf(float(b)) for a, b in zip(V, w, strict=True)],
            t,
        )
        exact = [float(a - b) for a, b in zip(there, kepler_mp(R, V, t), strict=True)]
    assert np.abs(run["sat.position"][-1] - exact).max() < 1e-9
    assert run.audit.ok and run.audit.energy_drift < 1e-10


def oblate_mp(r):
    """Attraction by a round centre and by its J2, over the mass, with many digits: the usual formula."""
    mu, k = mp.mpf(EARTH_MU), mp.mpf(1.5) * mp.mpf(EARTH_J2) * mp.mpf(EARTH_RADIUS) ** 2
    square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    round_, z = -mu / (square * mp.sqrt(square)), 5 * r[2] * r[2] / square
    k /= square
    return [round_ * x * (1 + k * (n - z)) for x, n in zip(r, (1, 1, 3), strict=True)]


def extrapolated_mp(r, v, t, steps, order=11):
    """The motion under `oblate_mp` with many digits: Stoermer's rule with 1, 2, ... pieces a step, extrapolated in the
    square of their length (Hairer, Norsett and Wanner I, section II.14)."""
    h = t / steps
    for _ in range(steps):
        table = []
        start = oblate_mp(r)
        for n in range(1, order + 1):
            d = h / n
            move = [d * (x + d / 2 * a) for x, a in zip(v, start, strict=True)]
            place = [x + m for x, m in zip(r, move, strict=True)]
            for _ in range(n - 1):
                move = [m + d * d * a for m, a in zip(move, oblate_mp(place), strict=True)]
                place = [x + m for x, m in zip(place, move, strict=True)]
            fast = [m / d + d / 2 * a for m, a in zip(move, oblate_mp(place), strict=True)]
            row = [place + fast]
            for k, old in enumerate(table[-1] if table else ()):
                ratio = mp.mpf(n) ** 2 / mp.mpf(n - k - 1) ** 2 - 1
                row.append([x + (x - y) / ratio for x, y in zip(row[-1], old, strict=True)])
            table.append(row)
        r, v = table[-1][-1][:3], table[-1][-1][3:]
    return r


def test_relative_motion_about_an_oblate_earth_keeps_its_digits():
    """Two bodies 50 m apart for an orbit about an oblate Earth, which takes both some km from N: 1e-9 m beside 7e6 m."""
    orbit = KeplerOrbit(EARTH_MU, 7.0e6, 0.02, 0.9, 1.2, 2.2)
    starts = (np.zeros(3), np.zeros(3)), (np.array([20.0, -30.0, 35.0]), np.array([0.01, 0.02, -0.01]))
    s = kf.System("pair")
    for name, (d, w) in zip("ab", starts, strict=True):
        s.add(name, kf.PointMass(10.0), kf.Translational(), q=d, rates=w)
    s.apply("earth", kf.OrbitGravity(orbit, j2=EARTH_J2, radius=EARTH_RADIUS))
    run = s.simulate(orbit.period, method="dop853", rtol=1e-14, atol=1e-14)
    with mp.workdps(26):
        R, V = state_mp(orbit)
        t = mp.mpf(float(run.t[-1]))
        a, b = (
            extrapolated_mp(
                [x + mp.mpf(float(y)) for x, y in zip(R, d, strict=True)],
                [x + mp.mpf(float(y)) for x, y in zip(V, w, strict=True)],
                t,
                60,
            )
            for d, w in starts
        )
        there = kepler_mp(R, V, t)
        apart = [float(x - y) for x, y in zip(b, a, strict=True)]
        away = [float(x - y) for x, y in zip(a, there, strict=True)]
    assert np.linalg.norm(away) > 3e3
    assert np.abs(run["a.position"][-1] - away).max() < 1e-8
    assert np.abs(run["b.position"][-1] - run["a.position"][-1] - apart).max() < 1e-9
    assert run.audit.ok and run.audit.energy_drift < 1e-10


def test_clohessy_wiltshire():
    """On a circular orbit, at 0.1 mm: the closed form of the linear equations."""
    orbit = KeplerOrbit(EARTH_MU, 7.0e6)
    n, t = orbit.rate, np.linspace(0, 2 * orbit.period, 9)
    x0, y0, z0, vx, vy, vz = 1e-4, -2e-4, 1.5e-4, 1e-7, 2e-8, -1e-7
    s = point((x0, y0, z0), (vx - n * y0, vy + n * x0, vz), kf.OrbitGravity(orbit))
    s.add_block("line", kf.blocks.LocalVertical(orbit, "sat"))
    run = s.simulate(float(t[-1]), times=t, method="dop853", rtol=1e-13, atol=1e-17)
    sn, cn = np.sin(n * t), np.cos(n * t)
    x = (4 - 3 * cn) * x0 + sn / n * vx + 2 / n * (1 - cn) * vy
    y = 6 * (sn - n * t) * x0 + y0 + 2 / n * (cn - 1) * vx + (4 * sn - 3 * n * t) / n * vy
    level = run["line.distance"] * np.cos(run["line.out_of_plane"])
    found = level * np.cos(run["line.in_plane"]), level * np.sin(run["line.in_plane"]), run["sat.position"][:, 2]
    for a, b in zip(found, (x, y, z0 * cn + vz / n * sn), strict=True):
        assert np.abs(a - b).max() < 3e-11 and np.ptp(b) > 2e-4  # what is left is of second order


def test_orbit_gravity_is_central_gravity_in_another_frame():
    """A turning body with a rotor, far from the orbit: the difference of two places, and the same attitude."""
    r, v = ORBIT.state(0.0)
    far, fast = np.array([3e5, -2e5, 1e5]), np.array([100.0, 50.0, -20.0])
    runs = []
    for place, speed, load in ((far, fast, kf.OrbitGravity(ORBIT)), (r + far, v + fast, kf.CentralGravity(EARTH_MU))):
        s = kf.System("bus")
        body = kf.Rigid(10.0, com=(0.1, 0.2, 0), inertia=(8, 9, 3))
        s.add("bus", body, kf.Free(), q=(*place, 1, 0, 0, 0), rates=(*speed, 1e-3, 2e-3, 0))
        s.add_rotor("wheel", "bus", kf.Rotor("x", 0.1, rate=10.0))
        s.apply("earth", load)
        runs.append(s.simulate(4000.0, **FINE))
    assert np.abs(runs[1]["bus.position"][-1] - ORBIT.state(4000.0)[0] - runs[0]["bus.position"][-1]).max() < 1e-3
    assert np.abs(runs[1]["bus.rotation"][-1] - runs[0]["bus.rotation"][-1]).max() < 1e-8
    assert runs[0].audit.ok


def test_two_bodies_about_each_other():
    """Kepler's third law for two free bodies: an ellipse of period 2 pi sqrt(a^3/(G (m + M))); energy and momenta kept."""
    G, m, M, a, e = 2.0, 3.0, 5.0, 1.5, 0.4
    s = kf.System("pair")
    rate = math.sqrt(G * (m + M) / a**3)
    r, v = a * (1 - e), a * rate * math.sqrt((1 + e) / (1 - e))
    ball = {"inertia": (0.1, 0.1, 0.1), "com": (0.05, 0, 0)}
    s.add(
        "one",
        kf.Rigid(m, **ball),
        kf.Free(),
        q=(-0.05 + r * M / (m + M), 0, 0, 1, 0, 0, 0),
        rates=(0, v * M / (m + M), 0, 0, 0, 0),
    )
    s.add(
        "two",
        kf.Rigid(M, **ball),
        kf.Free(),
        q=(-0.05 - r * m / (m + M), 0, 0, 1, 0, 0, 0),
        rates=(0, -v * m / (m + M), 0, 0, 0, 0),
    )
    s.apply("gravity", kf.MutualGravity(constant=G))
    run = s.simulate(2 * math.pi / rate, method="dop853", rtol=1e-12, atol=1e-12)
    start, end = run["one.position"][[0, -1]]
    assert np.abs(end - start).max() < 1e-9
    assert np.linalg.norm(run["one.position"] - run["two.position"], axis=1).max() == pytest.approx(a * (1 + e), rel=1e-3)
    assert run.audit.ok and run.audit.angular_momentum_drift < 1e-11 and run.audit.energy_drift < 1e-10
    assert run["gravity.potential"][0] == pytest.approx(-G * m * M / r)


REFUSED = {
    "radius": (lambda: kf.CentralGravity(1.0, j2=0.1), "CentralGravity is 0.1: give the radius"),
    "radius beside": (lambda: kf.OrbitGravity(ORBIT, j2=0.1), "OrbitGravity is 0.1: give the radius"),
    "alone": (lambda: point((1, 0, 0), (0, 0, 0), kf.MutualGravity(["sat"])), "name two bodies"),
    "empty": (lambda: kf.OrbitGravity(ORBIT, []), "OrbitGravity is empty"),
    "unknown": (lambda: point((1, 0, 0), (0, 0, 0), kf.OrbitGravity(ORBIT, ["moon"])), "moon"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    make, message = REFUSED[case]
    with pytest.raises(kf.ModelError, match=message):
        make()
