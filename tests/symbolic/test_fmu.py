"""FMUs run by FMPy, with its own solvers and with theirs, against our run."""

import numpy as np
import pytest

import kaneflex as kf

fmpy = pytest.importorskip("fmpy")
validation = pytest.importorskip("fmpy.validation")


def craft() -> kf.System:
    """A free body with a pendulum on it, an input and a block with a state: quaternions, rates, parameters."""
    s = kf.System("craft", gravity=(0, 0, -1.6))
    s.add("bus", kf.Rigid(10.0, inertia=(1.0, 2.0, 3.0)), kf.Free(), rates=(0.4, -0.2, 0.3, 0, 0, 1.0))
    boom = kf.Rigid(1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, 0.5))
    s.add("boom", boom, kf.Revolute("y"), parent="bus", at=(0, 0, 0.5), q=0.3)
    s.apply("hinge", kf.JointSpring("boom", stiffness=4.0, damping=0.1))
    s.add_input("motor", kf.JointForce("boom"))
    s.add_input("brake", kf.JointForce("boom"))
    s.add_block("lag", kf.blocks.FirstOrder(0.3, sees="boom.rate", drives="brake", gain=-0.5))
    return s


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_an_fmu_moves_as_our_run_does(tmp_path, version):
    s = craft()
    path = s.to_fmu(tmp_path / "craft.fmu", version=version)
    assert not validation.validate_fmu(str(path))
    run = s.simulate(1.0, output=0.1, rtol=1e-10, atol=1e-12, inputs={"motor": 0.7})
    signal = np.array([(0.0, 0.7), (1.0, 0.7)], dtype=[("time", float), ("motor", float)])
    names = [*run.plan.index.coordinates, *run.plan.index.rates, *run.plan.index.states]
    ours = np.column_stack([run.q, run.u, run.z])
    for kind, tolerance in (("CoSimulation", 2e-7), ("ModelExchange", 2e-5)):  # ours in C, and FMPy's CVODE
        result = fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=1.0, output_interval=0.1, input=signal, output=names, relative_tolerance=1e-9
        )
        theirs = np.column_stack([result[n] for n in names])
        assert theirs.shape == ours.shape and np.abs(theirs - ours).max() < tolerance, kind
    turned = {"boom.angle": 0.5}
    moved = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=1.0, output=names, start_values=turned)
    other = s.simulate(1.0, initial={"boom.q": 0.5, "bus.q": s.state()["bus.q"]})
    assert moved["boom.angle"][-1] == pytest.approx(other["boom.q"][-1], abs=1e-7)


def test_what_an_fmu_cannot_hold_is_named(tmp_path):
    s = craft()
    s.contact("ground", kf.Contact("bus"))
    with pytest.raises(kf.ModelError, match='no contact "ground"'):
        s.to_fmu(tmp_path / "craft.fmu")
    with pytest.raises(kf.ModelError, match=r"4\.0"):
        craft().to_fmu(tmp_path / "craft.fmu", version="4.0")
    with pytest.raises(kf.ModelError, match='compiler "no-such-compiler" cannot be run'):
        craft().to_fmu(tmp_path / "craft.fmu", compiler="no-such-compiler")
    assert not list(tmp_path.iterdir())
