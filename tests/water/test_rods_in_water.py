"""Loads of water and ground on rods and cables, by their names."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.analysis import residual
from water.chains import CN, CT, DEEP, MASS, RHO, D, G, chain


def hanging(n=10, **sea):
    s = kf.System("cable", gravity=(0, 0, -G))
    s.add_rod("line", kf.Cable(100.0, MASS, n=n, plane="xz"), at=kf.Frame((0, 0, 0), (("y", np.pi / 2),)))
    s.apply("sea", kf.Morison("line", kf.Sea(RHO, surface=DEEP, **sea), D, CN, CT))
    return s


def test_cable_is_the_chain_built_by_hand():
    one, two = hanging(), chain(10, 100.0, kf.Sea(RHO, surface=DEEP))
    assert one.loads["sea"].bodies == tuple(f"line_{k + 1}" for k in range(10))
    found = [[m.frequency for m in s.modes(s.equilibrium())] for s in (one, two)]
    assert np.abs(np.subtract(*found)).max() < 1e-9


def test_one_function_of_time_serves_all_segments():
    s = hanging(n=50, current=(1.0, 0, 0), strength=lambda t: np.sin(t))
    assert len(s.dynamics().plan.laws) == 1
    run = s.simulate(1.0)
    assert run.audit.ok and abs(run["line.tip.position"][-1, 0]) > 1e-3


def test_bodies_without_an_element_are_refused():
    s = hanging()
    s.add("ball", kf.Rigid(1.0), kf.Fixed(), parent="line", at="tip")
    with pytest.raises(kf.ModelError, match=r'two ends of the element of "ball"'):
        s.apply("more", kf.SoftGround(["line", "ball"], 1e3))


def test_sizes_of_accelerations_without_constraints():
    """Those of a chain that is tied at its end are those of the same chain that is not."""
    sizes = []
    for tied in (True, False):
        s = chain(12, 60.0, kf.Sea(RHO, surface=DEEP), angle=0.2)
        if tied:
            s.constrain("tie", kf.PointOnLine("c12.tip", kf.Frame((40.0, 0, -20.0))))
        d = s.dynamics()
        x = np.concatenate([np.linspace(0.1, 0.2, 12), np.zeros(12)])
        sizes.append(residual._caused(d, 0.0, x, constrained=False))
    assert np.abs(sizes[0] / sizes[1] - 1).max() < 1e-9
