"""Damping ratios of the lowest bending modes, each as it is asked for."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.rods import stiffness

RATIOS = (0.02, 0.005, 0.03, 0.01)


def boom(n: int, plane: str | None = "xy", ratios=RATIOS, **more) -> kf.Rod:
    return kf.Rod(2.0, 0.7, EI=(5.0, 2.0), GJ=3.0, n=n, plane=plane, damping_ratio=ratios, **more)


def linear(s: kf.System) -> np.ndarray:
    """Frequencies and ratios of all vibrations, from the lowest on."""
    values = s.linearize().eigenvalues()
    values = values[values.imag > 1e-3]
    values = values[np.argsort(np.abs(values))]
    return np.column_stack([np.abs(values), -values.real / np.abs(values)])


@pytest.mark.parametrize(("held", "plane"), [({}, "xy"), ({"root": "pinned"}, "xz"), ({"root": "free"}, "xy")])
def test_each_mode_has_its_ratio_and_higher_ones_that_of_the_material(held, plane):
    """C = T K + sum c a a^T M keeps the modes apart: the ratios are those given, and T omega/2 above them, T being the least
    of 2 ratio/omega; modes are those without damping."""
    s, bare = kf.System("damped"), kf.System("bare")
    s.add_rod("boom", boom(24, plane), **held)
    bare.add_rod("boom", boom(24, plane, None), **held)
    found, plain = linear(s), linear(bare)
    assert found[:, 0] == pytest.approx(plain[:, 0], rel=1e-6) and np.abs(plain[:, 1]).max() < 1e-9
    assert found[:4, 1] == pytest.approx(RATIOS, rel=1e-6)
    time = (2 * np.array(RATIOS) / found[:4, 0]).min()
    assert found[4:12, 1] == pytest.approx(time * found[4:12, 0] / 2, rel=1e-5)


def test_both_planes_of_a_rod_in_space():
    """About y and z, of which EI are 5 and 2: two modes each with their ratios."""
    s = kf.System("damped")
    s.add_rod("boom", boom(16, None, (0.04, 0.01)))
    found, softer = linear(s), kf.System("plane")
    softer.add_rod("boom", boom(16, "xy", (0.04, 0.01)))
    low = linear(softer)[:2, 0]
    for omega, ratio in zip(low, (0.04, 0.01), strict=True):
        for one in (omega, np.sqrt(2.5) * omega):
            row = found[np.argmin(np.abs(found[:, 0] - one))]
            assert row[0] == pytest.approx(one, rel=1e-4) and row[1] == pytest.approx(ratio, rel=1e-4)


def test_moments_of_a_finely_divided_rod_are_those_of_a_coarser_one(monkeypatch):
    """By modes of the finely divided rod itself, a^T C a = 2 ratio omega: moments of one of 60 segments in 100 joints."""
    monkeypatch.setattr(stiffness, "COARSE", 60)
    s = kf.System("damped")
    s.add_rod("boom", boom(100, ratios=(0.03, 0.02)))
    load = s.loads["boom"]
    monkeypatch.setattr(stiffness, "COARSE", 100)
    omega, moments = stiffness.bending_modes(s.rods["boom"].rod, "clamped", "free", 2)
    K, B, a = load.stiffness[:, 2], load.modes[:, 2], moments[:, :2] / load.stiffness[:, [2]]
    lost = ((B.T @ a) ** 2).sum(axis=0) + load.damping * (K[:, None] * a**2).sum(axis=0)
    assert lost / (2 * omega[:2]) == pytest.approx((0.03, 0.02), rel=3e-3)


def test_a_flying_rod_loses_energy_and_no_momentum(tmp_path):
    """Large motion: what is lost is what the books say, by all formulations, by implicit steps and after a file; with
    rates in its joints that bend it, and spinning."""
    s = kf.System("flying")
    s.add_rod("boom", boom(6, None, (0.2, 0.1)), root="free")
    start = {f"boom_{k}.wz": 0.9 * (-1) ** k for k in range(2, 7)} | {"boom_1.wy": 0.7, "boom_1.vz": 1.0}
    run = s.simulate(0.4, initial=start, method="dop853", rtol=1e-10, atol=1e-12, output=0.1)
    assert run.audit.ok and run.audit.energy_drift < 1e-9
    assert run.audit.linear_momentum_drift < 1e-11 and run.audit.angular_momentum_drift < 1e-9
    dense = s.simulate(0.4, initial=start, method="dop853", rtol=1e-10, atol=1e-12, output=0.1, formulation="dense")
    assert np.allclose(dense.q, run.q, atol=1e-10)
    implicit = s.simulate(0.4, initial=start, method="ros34pw2", rtol=1e-6, atol=1e-7, output=0.1)
    assert np.abs(implicit["boom.tip.position"] - run["boom.tip.position"]).max() < 1e-4
    assert run["boom.dissipation"][1:].min() > 0
    kept = kf.Run.load(run.save(tmp_path / "run.h5"))
    np.testing.assert_array_equal(kept["boom.dissipation"], run["boom.dissipation"])
    np.testing.assert_array_equal(kept.extend(0.1, output=0.1).q, run.extend(0.1, output=0.1).q)


def test_what_has_no_such_modes():
    with pytest.raises(kf.ModelError, match="has 2 bending modes and 4 damping ratios: give more segments"):
        kf.System("few").add_rod("boom", boom(2))
    with pytest.raises(kf.ModelError, match="14 numbers: give one to 13"):
        boom(20, ratios=[0.01] * 14)
    with pytest.raises(kf.ModelError, match="must not be negative"):
        boom(20, ratios=[0.01, -0.01])
    with pytest.raises(kf.ModelError, match="with an order is a list"):
        kf.Rod(1.0, 1.0, 1.0, plane="xy", order=4, damping_ratio=(0.01, 0.02))
    s = kf.System("fed")
    s.add("hub", kf.Rigid(5.0, inertia=(1, 1, 1)))
    s.add_rod("boom", boom(8), parent="hub")
    with pytest.raises(kf.ModelError, match="modes of a rod that grows"):
        s.add_feed("feed", "boom", out_of="hub", length=lambda t: 0.5 + 0.1 * t)
