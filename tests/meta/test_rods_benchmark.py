"""The benchmark of rods: engines move alike, the cheapest setting is found, and the table has all of them."""

import numpy as np
import pytest

pytest.importorskip("exudyn", reason="Exudyn is not installed (pip install 'kaneflex[oracles]')")
pytest.importorskip("mujoco", reason="MuJoCo is not installed (pip install 'kaneflex[oracles]')")
pytest.importorskip("moordyn", reason="MoorDyn is not installed (pip install 'kaneflex[oracles]')")

from benchmarks import rods
from benchmarks.peers.plane_beam import PENDULUM
from benchmarks.peers.rods_exudyn import ExudynPlaneBeam
from benchmarks.peers.rods_mujoco import MujocoPlaneBeam


def test_engines_move_alike():
    """The pendulum by three kinds of elements and chains: differences are those of the divisions."""
    exact = ExudynPlaneBeam(PENDULUM, "GE beam, 3 nodes", 24).run("GeneralizedAlpha", 2400, 0.95)[0]
    others = {
        1e-3: ExudynPlaneBeam(PENDULUM, "ANCF cable", 16).run("GeneralizedAlpha", 1200, 0.95)[0],
        2e-3: MujocoPlaneBeam(PENDULUM, "hinges", 20).run("RK4", 1200)[0],
        2e-2: MujocoPlaneBeam(PENDULUM, "flex", 20).run("discrete", 1200)[0],
    }
    for allowed, places in others.items():
        assert np.abs(places - exact).max() < allowed * PENDULUM.scale


def test_the_cheapest_is_found():
    """Of all sizes the one that takes least; a setting that is good by chance, and sizes that never are, are passed over."""
    errors = {("a", 1): 0.5, ("a", 2): 0.4, ("b", 1): 0.05, ("b", 2): 0.3, ("b", 3): 0.06, ("b", 4): 0.01}
    errors |= {("c", 1): 0.02, ("c", 2): 0.01}
    costs = {"a": 1.0, "b": 2.0, "c": 9.0}

    def run(model, setting):
        if (model, setting) not in errors:
            raise RuntimeError("the solver gives up")
        return np.array([errors[model, setting]]), costs[model] * setting, f"with {setting}"

    way = rods.Way("test", lambda size: size, ("a", "b", "c"), run, [(1, 2, 3, 4)])
    case = rods.Case("test", np.zeros(1), 1.0, 0.1, [way], {})
    found = rods.cheapest(case, way, 1)
    assert (found.seconds, found.error, found.words) == (6.0, 0.06, "b with 3")
    assert rods.cheapest(rods.Case("test", np.zeros(1), 1.0, 1e-3, [way], {}), way, 1) is None


@pytest.mark.thorough
def test_the_table():
    result = rods.measure(True, lambda _: None)
    assert {row.peer for row in result.rows} == {"Exudyn", "MuJoCo", None}
    assert all(row.ratio > 0 for row in result.rows if row.peer) and len(result.fits) == 1
    for name in ("spin-up", "pendulum", "noodle"):
        assert any(row.case.startswith(name) for row in result.rows)
