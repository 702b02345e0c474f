"""Currents and waves as the kernels have them, and sea states."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.kernels import backend, ops
from kaneflex.kernels import layout as L
from kaneflex.model.media import wave_number
from kaneflex.plan.medium_tables import medium_arrays

G = 9.81


def water(medium, t, x, gravity=(0, 0, -G), factor=1.0):
    """Velocity and acceleration at a place, by the kernels on a table with one medium."""
    row, P = medium_arrays(medium, gravity)
    I = np.zeros(L.HEADER + L.MEDIUM_INTS, np.int64)
    I[L.I_MEDIUM] = L.HEADER
    I[L.HEADER + 1 :] = row
    kernels = backend.interpreted(vars(ops))
    u, a = kernels.waves_at(I, P, 0, t, x)
    return np.array(u) + kernels.current_at(I, P, 0, x, factor), np.array(a)


@pytest.mark.parametrize("depth", [0.5, 5.0, 50.0, 5000.0])
@pytest.mark.parametrize("frequency", [0.3, 1.0, 4.0])
def test_dispersion(frequency, depth):
    k = wave_number(frequency, G, depth)
    assert abs(G * k * np.tanh(k * depth) - frequency**2) < 1e-13 * frequency**2


def test_shallow_and_deep_water():
    assert abs(wave_number(0.01, G, 1.0) - 0.01 / np.sqrt(G)) < 1e-5 * 0.01  # long waves run with sqrt(g h)
    assert abs(wave_number(3.0, G, 100.0) / wave_number(3.0, G) - 1) < 1e-14


@pytest.mark.parametrize("depth", [8.0, None])
@pytest.mark.parametrize("z", [0.0, -1.0, -7.5])
def test_airy_wave(depth, z):
    """The formulas of the text book, with cosh and sinh of their own."""
    A, w, e, b, t, x, y = 0.7, 1.3, 0.4, 0.5, 2.0, 3.0, -2.0
    k = wave_number(w, G, depth)
    theta = k * (x * np.cos(b) + y * np.sin(b)) - w * t + e
    C, S = (np.exp(k * z),) * 2 if depth is None else (f(k * (z + depth)) / np.sinh(k * depth) for f in (np.cosh, np.sinh))
    ahead = A * w * C * np.cos(theta)
    u = ahead * np.cos(b), ahead * np.sin(b), A * w * S * np.sin(theta)
    push = A * w**2 * C * np.sin(theta)
    a = push * np.cos(b), push * np.sin(b), -A * w**2 * S * np.cos(theta)
    sea = kf.Sea(depth=depth, surface=4.0, waves=[kf.Wave(A, w, b, e)])
    found = water(sea, t, (x, y, z + 4.0))
    assert np.allclose(found[0], u, rtol=1e-12, atol=1e-14) and np.allclose(found[1], a, rtol=1e-12, atol=1e-14)
    above = water(sea, t, (x, y, 9.0))
    assert np.allclose(above, water(sea, t, (x, y, 4.0)), rtol=1e-14)


def test_water_is_conserved_and_does_not_turn():
    """div u = 0 and rot u = 0, and a is the rate of u, by differences: whatever the depth and however gravity points."""
    t, waves = 1.7, [kf.Wave(0.5, 1.1, 0.3, 0.2), kf.Wave(0.3, 1.9, 2.0, 1.0)]
    for depth, surface, gravity in ((6.0, 2.0, (0, 0, -G)), (None, 1.0, (0, -G, 0)), (6.0, 3.0, (4.0, 1.0, -8.0))):
        sea, h, x = kf.Sea(depth=depth, surface=surface, waves=waves), 1e-5, np.array((0.3, 0.7, -0.4))
        differ = lambda d, sea=sea, x=x, g=gravity: water(sea, t, x + d, g)[0] - water(sea, t, x - d, g)[0]
        slope = np.array([differ(d) / (2 * h) for d in h * np.eye(3)])
        size = np.abs(slope).max()
        assert size > 1e-3 and abs(np.trace(slope)) < 1e-8 * size and np.abs(slope - slope.T).max() < 1e-8 * size
        rate = (water(sea, t + h, x, gravity)[0] - water(sea, t - h, x, gravity)[0]) / (2 * h)
        assert np.allclose(rate, water(sea, t, x, gravity)[1], rtol=1e-8, atol=1e-10)


def test_current_by_depth():
    """Straight lines between the given depths, constant beyond, times the factor."""
    sea = kf.Sea(surface=5.0, current=[(0.0, (2.0, 0, 0)), (10.0, (1.0, 0.5, 0)), (40.0, (0, 0, 0))])
    depths, vx, vy = [0.0, 10.0, 40.0], [2.0, 1.0, 0.0], [0.0, 0.5, 0.0]
    for depth in (-3.0, 0.0, 4.0, 10.0, 22.0, 40.0, 90.0):
        wanted = [np.interp(depth, depths, v) for v in (vx, vy)]
        assert np.allclose(water(sea, 0.0, (1, 2, 5.0 - depth), factor=1.5)[0], [1.5 * x for x in (*wanted, 0)], atol=1e-14)
    air = kf.Air(wind=[(0.0, (0, 0, 0)), (10.0, (0, 8.0, 0))])
    assert np.allclose(water(air, 0.0, (0, 0, 5.0))[0], (0, 4.0, 0), atol=1e-14)


@pytest.mark.parametrize("peakedness, ratio", [(1.0, 0.7118), (3.3, 0.7777), (5.0, 0.8052)])
def test_jonswap(peakedness, ratio):
    """Height by the energy; mean zero-crossing period over that of the peak as DNV-RP-C205 (2010), 3.5.5.4, fits it."""
    waves = kf.jonswap(3.0, 9.0, peakedness, components=4000, seed=3, band=(0.4, 20.0))
    energy = np.array([w.amplitude**2 / 2 for w in waves])
    w = np.array([w.frequency for w in waves])
    assert abs(4 * np.sqrt(energy.sum()) - 3.0) < 1e-12
    crossing = 2 * np.pi * np.sqrt(energy.sum() / (energy * w**2).sum())
    assert abs(crossing / 9.0 - ratio) < 0.005
    assert kf.jonswap(3.0, 9.0, seed=3) == kf.jonswap(3.0, 9.0, seed=3) != kf.jonswap(3.0, 9.0, seed=4)


BAD = {
    "density": (lambda: kf.Sea(density=0.0), "density is 0: it must be positive"),
    "depth": (lambda: kf.Sea(depth=-5.0), "depth is -5"),
    "order of depths": (lambda: kf.Sea(current=[(5.0, (1, 0, 0)), (2.0, (0, 0, 0))]), "depth 2 after 5.*ascending"),
    "pairs": (lambda: kf.Sea(current=[(5.0, (1, 0, 0), 3)]), "pairs of depth and velocity"),
    "no current": (lambda: kf.Air(wind=[]), "wind is empty"),
    "waves": (lambda: kf.Sea(waves=[1.0]), "waves hold 1.0"),
    "frequency": (lambda: kf.Wave(1.0, 0.0), "frequency of a wave is 0"),
    "band": (lambda: kf.jonswap(1.0, 8.0, band=(1.2, 3.0)), "band is 1.2 to 3"),
    "peakedness": (lambda: kf.jonswap(1.0, 8.0, 9.0), "peakedness is 9: give 1 to 7"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_media(what):
    make, message = BAD[what]
    with pytest.raises(kf.ModelError, match=message):
        make()


def test_waves_need_gravity():
    s = kf.System("floating")
    s.add("rod", kf.Rigid(1.0), kf.Free())
    s.apply("sea", kf.Morison("rod", kf.Sea(waves=[kf.Wave(1, 1)]), 0.1, 1.0, element=((0, 0, 0), (1, 0, 0))))
    with pytest.raises(kf.ModelError, match=r"waves.*no gravity"):
        s.simulate(0.1)
