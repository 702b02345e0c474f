"""Channels, audit, files and other forms of a run."""

import numpy as np
import pytest

import kaneflex as kf


def tree() -> kf.System:
    s = kf.System("tree", gravity=(0, 0, -9.81))
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=0.1)
    s.add(
        "arm",
        kf.Rigid(1.0, com=(0.2, 0, -0.5), inertia=(0.1, 0.2, 0.15), frames={"tip": kf.Frame((0, 0, -1), ("z", 0.5))}),
        kf.Universal(("x", "y")),
        parent="cart",
        q=(0.4, 0.2),
        rates=(1.0, -0.5),
    )
    s.add("ball", kf.Rigid(0.5, inertia=(0.1, 0.1, 0.1)), kf.Spherical(), parent="arm", at="tip", rates=(1, 2, 3))
    s.add_rotor("wheel", "ball", kf.Rotor("z", 0.02, rate=30.0))
    s.add_input("motor", kf.JointForce("cart"))
    s.apply("spring", kf.JointSpring("arm", stiffness=3.0, damping=0.1))
    s.apply("wind", kf.Force("arm.tip", (1.0, 0.2, 0), axes="inertial"))
    return s


@pytest.fixture(scope="module")
def run() -> kf.Run:
    return tree().simulate(2.0, output=1e-3, inputs={"motor": 0.3}, rtol=1e-10, atol=1e-12)


def test_every_channel_is_finite_and_has_a_row_per_sample(run):
    assert len(run.channels) > 50
    for name in run.channels:
        assert len(run[name]) == len(run.t) and np.all(np.isfinite(run[name])), name


@pytest.mark.parametrize("place", ["arm", "arm.tip", "ball"])
def test_velocity_and_acceleration_are_derivatives_of_position(run, place):
    h = run.t[1] - run.t[0]
    slope = lambda x: (8 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) / (12 * h)
    assert run[f"{place}.velocity"][2:-2] == pytest.approx(slope(run[f"{place}.position"]), abs=1e-8)
    assert run[f"{place}.acceleration"][2:-2] == pytest.approx(slope(run[f"{place}.velocity"]), abs=1e-6)


def test_omega_is_the_derivative_of_rotation(run):
    h = run.t[1] - run.t[0]
    R = run["arm.tip.rotation"]
    Rdot = (8 * (R[3:-1] - R[1:-3]) - (R[4:] - R[:-4])) / (12 * h)
    W = np.einsum("tji,tjk->tik", R[2:-2], Rdot)
    omega = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1)
    assert run["arm.tip.omega"][2:-2] == pytest.approx(omega, abs=1e-8)


def test_audit_balances_energy_and_catches_a_bad_run(run):
    assert run.audit.ok and run.audit.energy_drift < 1e-8
    assert run["energy.total"][-1] - run["energy.total"][0] == pytest.approx(
        run.audit.applied_work - run.audit.dissipated_work, rel=1e-8
    )
    rough = tree().simulate(2.0, method="rk4", step=0.1, inputs={"motor": 0.3})
    assert not rough.audit.ok and "FAILED" in str(rough.audit)


def test_power_of_loads_adds_up_to_the_work(run):
    power = run["wind.power"] + run["motor.power"]
    work = np.trapezoid(power, run.t)
    assert work == pytest.approx(run.audit.applied_work, rel=1e-5)
    assert np.trapezoid(run["spring.dissipation"], run.t) == pytest.approx(run.audit.dissipated_work, rel=1e-5)


def test_a_loaded_run_is_the_run_and_continues_exactly(run, tmp_path):
    path = run.save(tmp_path / "run.h5")
    again = kf.Run.load(path)
    assert np.array_equal(again.t, run.t) and np.array_equal(again.q, run.q) and np.array_equal(again.u, run.u)
    assert again["arm.tip.acceleration"] == pytest.approx(run["arm.tip.acceleration"])
    assert again.audit == run.audit and again.statistics == run.statistics
    on, off = run.extend(1.0), again.extend(1.0)
    assert np.array_equal(on.q, off.q) and np.array_equal(on.u, off.u) and on.t[-1] == 3.0


def test_continuation_is_as_good_as_one_run(run):
    whole = tree().simulate(3.0, output=1e-2, inputs={"motor": 0.3}, rtol=1e-10, atol=1e-12)
    assert run.extend(1.0).final.q == pytest.approx(whole.final.q, abs=1e-8)


def test_file_keeps_functions_as_text_and_asks_for_them(tmp_path):
    s = kf.System("cart")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"))
    push = lambda t: 2.0 * t
    s.apply("push", kf.JointForce("cart", push))
    run = s.simulate(1.0)
    path = run.save(tmp_path / "run.h5")
    bare = kf.Run.load(path)
    assert np.array_equal(bare["cart.q"], run["cart.q"]) and bare.audit.energy_drift == run.audit.energy_drift
    with pytest.raises(kf.ModelError, match=r'"push.value" is not in the file.*functions='):
        bare.extend(1.0)
    with pytest.raises(kf.ModelError, match=r'"cart.acceleration" needs functions.*"push.value"'):
        bare["cart.acceleration"]
    again = kf.Run.load(path, functions={"push.value": push})
    assert again.extend(1.0)["cart.q"][-1] == pytest.approx(8 / 3, rel=1e-8)


def test_saving_never_leaves_half_a_file(run, tmp_path, monkeypatch):
    path = run.save(tmp_path / "run.h5")
    before = path.read_bytes()
    monkeypatch.setattr("kaneflex.results.store.model_to_data", lambda model: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run.save(path)
    assert path.read_bytes() == before


def test_to_pandas_and_xarray(run):
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    frame = run.to_pandas(["arm.q", "energy.total"])
    assert list(frame.columns) == ["arm.q[0]", "arm.q[1]", "energy.total"] and frame.index.name == "t"
    data = run.to_xarray(["ball.rotation", "arm.q", "energy.total"])
    assert data["ball.rotation"].shape == (len(run.t), 3, 3) and np.array_equal(data["arm.q"], run["arm.q"])


def test_momentum_is_conserved_where_nothing_outside_acts():
    s = kf.System("free")
    s.add("hub", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Free(), rates=(1, 0, 0, 0, 0, 1.0))
    s.add("arm", kf.Rigid(1.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)), kf.Revolute("y"), parent="hub", rates=2.0)
    run = s.simulate(5.0)
    assert run.audit.linear_momentum_drift < 1e-6 and run.audit.angular_momentum_drift < 1e-6
    s.apply("push", kf.Force("arm", (1, 0, 0)))
    assert s.simulate(1.0).audit.linear_momentum_drift is None


def test_continuation_keeps_what_drove_the_run(tmp_path):
    s = kf.System("cart")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"))
    s.add_input("motor", kf.JointForce("cart"))
    ramp = lambda t: 2.0 * t
    run = s.simulate(1.0, inputs={"motor": ramp})
    assert run.extend(1.0)["cart.q"][-1] == pytest.approx(8 / 3, rel=1e-8)
    again = kf.Run.load(run.save(tmp_path / "run.h5"))
    assert np.array_equal(again["motor"], run["motor"]) and again["motor"][-1] == 2.0 and again.audit == run.audit
    assert np.array_equal(again["cart.acceleration"], run["cart.acceleration"])
    with pytest.raises(kf.ModelError, match=r'does not hold: give inputs for "motor" again'):
        again.extend(1.0)
    assert again.extend(1.0, inputs={"motor": ramp})["cart.q"][-1] == pytest.approx(8 / 3, rel=1e-8)
    held = s.simulate(1.0, controllers=[kf.Sampled(0.5, lambda t, x: 1.0 + t, ["cart.q"], "motor")])
    speed = held.extend(1.0)["cart.rate"][-1]
    assert speed == pytest.approx(0.5 * (1.0 + 1.5 + 2.0 + 2.5), rel=1e-9)
