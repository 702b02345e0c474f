"""Numbers that tethers, formations, tractors and cables in water are known by: the gallery's references give them."""

import math

import numpy as np
import pytest

from kaneflex.gallery import (
    electrodynamic_tether,
    flexible_rocket,
    gravity_tractor,
    hanging_tether,
    sinking_cable,
    space_station,
    swinging_cable,
    tethered_formation,
    tethered_satellite,
    towed_cable,
)
from kaneflex.model.checks import ModelError
from kaneflex.model.orbits import EARTH_RATE


def near(found, wanted):
    """To the last digit that is written."""
    assert found == pytest.approx(wanted, rel=6e-7)


def test_tethered_satellite():
    p = tethered_satellite.DEFAULTS
    W, m = tethered_satellite.orbit(p).rate, p["mass"]
    assert pytest.approx(1.157914e-3, rel=1e-6) == W
    for c, degrees in ((0.3, -11.789), (0.5, -20.905)):
        assert math.degrees(tethered_satellite.steady(c)) == pytest.approx(degrees, abs=6e-4)
    with pytest.raises(ModelError, match=r"beyond 0\.75"):
        tethered_satellite.steady(0.75)
    th = tethered_satellite.steady(0.3)
    near(3 * math.cos(th) ** 2 - 0.09, 2.784773)
    near(math.sqrt(3 * math.cos(2 * th) - 0.09), 1.630811)
    roots = {(6, 4): (-1 + 1.4142j,), (4, 4): (-0.3025, -2.5275, -0.585 + 1.893j), (5, 4): (-1, -1.596, -0.702 + 1.807j)}
    for (K1, K2), wanted in roots.items():
        for root in wanted:
            s = np.poly1d([1, K2, K1 + 4, 3 * K2, 3 * K1 - 9]).roots
            assert np.abs(s - root).min() < 8e-4
    l, tether = p["length"], hanging_tether.DEFAULTS["density"] * p["length"]
    assert 3 * m * W**2 * l == pytest.approx(41.671, abs=6e-4)
    assert 3 * W**2 * l * (m + tether / 2) == pytest.approx(48.268, abs=6e-4)


def test_hanging_tether():
    near(hanging_tether.string(164 / 518, 4), [1.732051, 10.427483, 20.457375, 30.573478])
    near(hanging_tether.string(1.0, 4), [1.732051, 6.708204, 12.742291, 18.915460])
    near(hanging_tether.string(math.inf, 3) ** 2, [3, 18, 45])
    assert math.pi * math.sqrt(3 * 518 / 164) == pytest.approx(9.671, abs=6e-4)  # of a constant tension: 7 % low


def test_formation():
    p = tethered_formation.DEFAULTS
    R = tethered_formation.radius(p)
    near([R, p["mass"] * p["spin"] ** 2 * math.sqrt(3) * R / 3], [582.201952, 84.033613])
    assert tethered_formation.frequencies(p) == pytest.approx([0.338909, 0.438909, 0.554527], abs=6e-7)
    assert tethered_formation.CHAINS[1][2:] == ((5.5, 10.5), (3.0, 9.625))


def test_electrodynamic_tether():
    p = electrodynamic_tether.DEFAULTS
    B, path = electrodynamic_tether.strength(p), electrodynamic_tether.orbit(p, 0.0)
    a, W, F = path.semi_major_axis, path.rate, B * electrodynamic_tether.LENGTH
    near([B, F], [2.723020e-5, 0.544604])
    assert F * (W - EARTH_RATE) * a == pytest.approx(3943.689, abs=0.02)
    gain = 2 * a * F / (electrodynamic_tether.MASS * W * a) * electrodynamic_tether.TURNS * path.period
    assert gain == pytest.approx(2552.16, abs=0.006)
    assert electrodynamic_tether._pushed(p)[0].reference == pytest.approx(2552.89, abs=0.1)


@pytest.mark.thorough
def test_libration_grows_by_current_alone():
    """The largest multiplier per orbit: 1 without current; with 5 A and 100 kg it grows by e in 58.35 orbits."""
    p = electrodynamic_tether.DEFAULTS
    still = electrodynamic_tether.growth({**p, "current": 0.0})
    assert still == pytest.approx((1.0, 1.0), abs=2e-6)
    found, floquet = electrodynamic_tether.growth(p)
    assert found == pytest.approx(floquet, abs=1e-6)
    assert 1 / math.log(floquet) == pytest.approx(58.35, abs=0.01)


def test_gravity_tractor():
    p = gravity_tractor.DEFAULTS
    assert gravity_tractor.pulls(p, held=True) == pytest.approx((2.485088, 2.502561), abs=6e-7)
    a = gravity_tractor.acceleration(p)
    assert a == pytest.approx(2.987e-10, abs=6e-14)
    assert 1e3 * a * 365.25 * 86400 == pytest.approx(9.427, abs=2e-3)
    assert gravity_tractor.e_fold(p) == pytest.approx(1777.799, abs=6e-4)
    k = gravity_tractor.NEWTON * gravity_tractor.asteroid_mass(p)
    assert math.sqrt(p["low"] ** 3 / (2 * k)) == pytest.approx(1737.240, abs=6e-4)
    T, l = gravity_tractor.pulls(p, held=True)[0], p["high"] - p["low"]
    rows = [(p["spacecraft"], p["high"]), (p["collected"], p["low"])]
    own = np.diag([k / r**3 + T / (l * m) for m, r in rows])
    own[0, 1], own[1, 0] = (-T / (l * m) for m, _ in rows)
    assert np.sort(np.sqrt(np.linalg.eigvals(own))) == pytest.approx([3.970207e-4, 1.450606e-3], rel=6e-7)


def test_station_rocket_and_flywheels():
    """Roots of the station without control, which its checks compare with those of the model; other numbers of parts."""
    a, b, c = space_station.inertia(space_station.DEFAULTS)
    kx, kz = (b - c) / a, (b - a) / c
    root = next(r for r in np.roots([1, 0, 1 + 3 * kx + kx * kz, 0, 4 * kx * kz]) if r.real > 0 < r.imag)
    near([math.sqrt(3 * (c - a) / b), root.real, root.imag], [1.517491, 1.050103, 0.705552])
    p = flexible_rocket.DEFAULTS
    assert math.sqrt(p["thrust"] / (p["nozzle"] * p["arm"])) == pytest.approx(40.0, rel=1e-12)
    assert p["thrust"] * p["length"] ** 2 / p["EI"] == pytest.approx(0.96)


def test_cables_in_water():
    p = towed_cable.DEFAULTS
    T, angle, behind, below = towed_cable.steady(p, 2.0)
    near([T, math.degrees(angle), behind, below], [2089.4108, 12.323117, 272.36861, 105.90735])
    angles = [math.degrees(towed_cable.critical_angle({**p, "speed": V})) for V in (1.0, 2.0, 5.0)]
    assert angles == pytest.approx([22.780, 11.5125, 4.6183], abs=6e-4)
    assert swinging_cable.swings(swinging_cable.DEFAULTS) == pytest.approx([0.184670, 0.423895, 0.664532], abs=6e-7)
    level = sinking_cable.exact({**sinking_cable.DEFAULTS, "slope": 0.0}, np.array([1e4]))[1]
    near(level, [0.403239])
