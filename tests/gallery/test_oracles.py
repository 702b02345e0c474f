"""The numbers that the gallery's looped and struck systems refer to, computed again by programs of their own."""

import numpy as np
import pytest
from oracles import (
    bricard,
    chaplygin_sleigh,
    component_modes,
    four_bar,
    lander,
    nose_cap,
    rattleback,
    rolling_disk,
    spacecraft_linkage,
)

from kaneflex.gallery import bricard as bricard_system
from kaneflex.gallery import chaplygin_sleigh as sleigh_system
from kaneflex.gallery import component_modes as component_system
from kaneflex.gallery import four_bar as four_bar_system
from kaneflex.gallery import lander as lander_system
from kaneflex.gallery import nose_cap as nose_cap_system
from kaneflex.gallery import rattleback as rattleback_system
from kaneflex.gallery import rolling_disk as disk_system
from kaneflex.gallery import spacecraft_linkage as linkage_system


def near(found, wanted, tolerance):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)


def test_four_bar():
    times = np.array(four_bar_system.TABLE)[:, 0]
    for row, force, y in zip(four_bar_system.TABLE, four_bar_system.FORCES, four_bar.motion(times), strict=True):
        near([*four_bar.angles(y[0]), y[1]], row[1:], 1e-10)
        acceleration, pins = four_bar.forces(y)
        near(pins.ravel(), force[1:], 2e-9)
        near(acceleration, four_bar.rhs(0, y)[1], 1e-11)  # Newton-Euler on free bodies = the equation of one coordinate


@pytest.mark.thorough
def test_bricard():
    assert bricard_system.TABLE == bricard.TABLE
    for row, y in zip(bricard.TABLE, bricard.motion(np.array(bricard.TABLE)[:, 0]), strict=True):
        near([*y, *bricard.angles(y[0])[0]], row[1:], 1e-10)


@pytest.mark.thorough
def test_spacecraft_linkage():
    times = [row[0] for row in linkage_system.PLACES]
    rows = zip(linkage_system.PLACES, linkage_system.SPEEDS, spacecraft_linkage.motion(times), strict=True)
    for places, speeds, y in rows:
        near([*y[10:14], y[8], *spacecraft_linkage.loop(y[9])[0], *y[14:]], places[1:], 1e-10)
        near(y[:8], speeds[1:], 1e-9)
        free, kane, rank = spacecraft_linkage.newton_euler(y)
        assert rank == 22
        near(free, kane, 1e-11)


def test_rolling_disk():
    table, forces = np.array(disk_system.TABLE), np.array(disk_system.FORCES)
    found = rolling_disk.reference(table[:, 0])
    near(found[:, :7], table, 2e-9)
    near(found[:, 7:], forces[:, 1:], 2e-8)


@pytest.mark.thorough
def test_rattleback():
    table = np.array(rattleback_system.TABLE[:5])  # the reversal is in it; the independent program is slow
    found, reversal = rattleback.reference(table[:, 0])
    near(found, table, 2e-8)
    near(reversal, rattleback_system.REVERSAL, 2e-8)


def test_lander():
    table = np.array(lander_system.TABLE)
    found, impacts, _ = lander.reference([*table[:, 0]])
    near(found, table, 2e-8)
    for a, b in zip(impacts, lander_system.IMPACTS, strict=True):
        near(a[0], b[0], 1e-8)
        assert (a[1] > 0) == (b[1] == "right")
        near(a[2], b[2], 1e-4)
        near(a[3], b[3], 1e-4)


@pytest.mark.parametrize(("e", "mu"), [(0.4, 0.2), (1.0, 0.0), (0.0, 0.0), (0.4, 5.0)])
def test_nose_cap(e, mu):
    found = nose_cap.NoseCap().impact(e, mu)
    strike = nose_cap_system.Strike({**nose_cap_system.DEFAULTS, "restitution": e, "friction": mu})
    near(strike.impulse, found.impulse, 1e-9)
    near(strike.lost, found.lost, 1e-9)
    assert found.sticks == (not strike.slips)
    near(strike.cap, [*found.a.velocity, *found.a.omega], 1e-12)
    near(strike.package, [*found.b.velocity, *found.b.omega], 1e-12)


def test_chaplygin_sleigh():
    sleigh, t = chaplygin_sleigh.Sleigh(2.0, 0.5, 0.3, -1.5, 0.8), np.linspace(0, 8, 9)
    exact = sleigh_system.exact(t, sleigh_system.DEFAULTS)
    for a, b in zip(sleigh.motion(t), exact.T, strict=False):
        near(a, b, 1e-12)
    near(sleigh.side_force(t), exact[:, 3], 1e-12)


def test_component_modes():
    for way, row in component_system.TABLE.items():
        near(component_modes.ritz(way, 0.5), row, 6e-8)
