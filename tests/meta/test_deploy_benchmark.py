"""The benchmark of structures that unfold: all engines against the closed form, on small ones."""

import pytest

pytest.importorskip("mujoco", reason="MuJoCo is not installed (pip install 'kaneflex[oracles]')")
pytest.importorskip("exudyn", reason="Exudyn is not installed (pip install 'kaneflex[oracles]')")

from benchmarks import deploy
from benchmarks.peers import deploying
from benchmarks.peers.deploy_exudyn import ExudynDeploying
from benchmarks.peers.deploy_mujoco import MujocoDeploying


@pytest.mark.parametrize("name", deploying.STRUCTURES)
def test_engines_agree_with_the_closed_form(name):
    structure = deploying.STRUCTURES[name](4)
    for way in ("recursive", "cartesian"):
        deploy.own(structure, way, 0)  # raises where angle or loops are off
    for engine in (ExudynDeploying(structure), MujocoDeploying(structure)):
        error, gap, _ = engine.run(1e-3, 60.0)
        assert error < 1e-5 and gap < 1e-5, engine.name


def test_rows_of_the_equations():
    rows, _ = deploy.solutions("lift", 2, 1, True)
    assert [row.peer for row in rows] == ["null space, svd", "null space, putd", "null space, qr"]
    rows, _ = deploy.solutions("ring", 4, 1, False)
    assert [row.peer for row in rows] == ["SuperLU"]
