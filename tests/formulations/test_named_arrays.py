"""M, bias and u-dot by name are the arrays, and Kane's equations hold by name."""

import numpy as np
import pytest

import kaneflex as kf


@pytest.fixture(scope="module")
def system():
    beam = kf.structures.Beam(length=2.0, EA=1e5, EI=200.0, mass_per_length=0.6, elements=2)
    s = kf.System("craft", gravity=(0, 0, -2.0))
    s.add("bus", kf.Rigid(3.0, inertia=(1, 2, 3)), kf.Free(), rates=(0, 0, 0, 0.1, 0.2, 0.3))
    s.add("arm", kf.Rigid(1.0, com=(0.5, 0, 0)), kf.Revolute("z"), parent="bus", q=0.2, rates=1.0)
    s.add("wing", kf.Flexible(beam, modes=2), kf.Revolute("y"), parent="bus")
    s.add_rotor("wheel", "bus", kf.Rotor("z", 0.1, 5.0))
    s.add_input("motor", kf.JointForce("arm"))
    return s


@pytest.mark.parametrize("speeds", ["customary", "efficient"])
def test_they_are_the_arrays_of_dynamics(system, speeds):
    found = system.matrices(speeds=speeds, inputs={"motor": 0.7})
    d, state = system.dynamics(speeds=speeds), system.state()
    d.set_inputs(np.array([0.7]))
    u = d.speeds_from_rates(state.q, state.rates)
    assert np.array_equal(np.asarray(found.M), d.mass_matrix(state.q))
    assert np.array_equal(np.asarray(found.bias), d.bias(state.q, u))
    assert np.array_equal(np.asarray(found.udot), d.udot_at(0.0, state.q, u))
    for k, name in enumerate(d.plan.index.speeds):
        assert found.bias[name] == found.bias.values[k]
        assert found.udot[d.plan.state_names[d.plan.nq + k]] == found.udot[d.plan.index.rates[k]] == found.udot.values[k]
        for j, other in enumerate(d.plan.index.speeds):
            assert found.M[name, other] == found.M.values[k, j]


def test_kanes_equations_hold_by_name(system):
    M, bias, udot = system.matrices({"arm.q": 0.4, "bus.q": (0, 0, 0, 1, 0, 0, 0), "wing.q": 0.1})
    for name in M.names:
        assert sum(M[name, other] * udot[other] for other in M.names) + bias[name] == pytest.approx(0.0, abs=1e-12)
    assert M["bus", "bus"].shape == (6, 6) and M["bus", "arm"].shape == (6,) and M["arm", "bus"].shape == (6,)
    assert np.array_equal(M["bus", "wing"], M["wing", "bus"].T) and M["wing", "wing"].shape == (3, 3)
    assert M["wheel", "wheel"] == M["wheel.rate", "wheel.rate"] == pytest.approx(0.1)
    assert M["bus.vx", "bus.vx"] == pytest.approx(3.0 + 1.0 + 1.2)


def test_tables_have_names(system):
    pytest.importorskip("pandas")
    found = system.matrices()
    table = found.M.to_pandas()
    assert table.loc["arm.angle", "bus.wz"] == found.M["arm.angle", "bus.wz"] and list(table.columns) == list(found.M.names)
    assert found.udot.to_pandas()["wing.mode2"] == found.udot["wing.mode2"]
    assert "arm.angle" in repr(found.bias) and len(found.M) == len(found.M.names)


def test_wrong_names_are_told(system):
    M, bias, _ = system.matrices()
    with pytest.raises(kf.ModelError, match=r'speed "arm.angel" is not known.*did you mean "arm.angle"'):
        bias["arm.angel"]
    with pytest.raises(kf.ModelError, match="give two names"):
        M["arm.angle"]
    with pytest.raises(kf.ModelError, match="speed 3 is not known"):
        M[3, "arm"]
