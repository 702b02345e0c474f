"""Runs with flexible bodies: channels, loads, section loads, files, events, changes, and the warning about stiffening."""

import warnings

import numpy as np
import pytest
from oracles import driven_body

import kaneflex as kf
from kaneflex.results.audit import StiffeningWarning
from kaneflex.structures import Beam, Plate, Structure
from kaneflex.structures.modes.mode_choice import ModeChoice

BEAM = Beam(length=2.0, EA=1e5, EI=20.0, mass_per_length=0.5, elements=6)


def arm(**options) -> kf.System:
    s = kf.System("flexible-arm", gravity=(0, 0, -1.0))
    s.add("hub", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Universal(("z", "x")), rates=(0.7, 0.3))
    s.add("arm", kf.Flexible(BEAM, modes=5, damping=0.01, **options), parent="hub", at=(0.2, 0, 0))
    payload = kf.Rigid(0.3, com=(0.1, 0.05, 0), inertia=(0.01, 0.02, 0.02))
    s.add("payload", payload, kf.Revolute("y"), "arm", "tip", q=0.2, rates=1.0)
    s.add("free", kf.Rigid(0.5, inertia=(0.1, 0.1, 0.1)), kf.Free(), q=(3, 0, 0, 1, 0, 0, 0))
    return s


@pytest.fixture(scope="module")
def run() -> kf.Run:
    return arm().simulate(1.0, output=2e-3, rtol=1e-10, atol=1e-12)


def slope(run, x):
    return (8 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) / (12 * (run.t[1] - run.t[0]))


def test_every_channel_is_finite_and_has_a_row_per_sample(run):
    assert {"arm.modes", "arm.strain_energies", "arm.section_loads", "arm.tip.slope"} <= set(run.channels)
    for name in run.channels:
        assert len(run[name]) == len(run.t) and np.all(np.isfinite(run[name])), name


def test_a_node_moves_as_its_channels_say(run):
    assert run["arm.tip.velocity"][2:-2] == pytest.approx(slope(run, run["arm.tip.position"]), abs=1e-6)
    assert run["arm.tip.acceleration"][2:-2] == pytest.approx(slope(run, run["arm.tip.velocity"]), abs=1e-4)
    local = np.einsum("nji,nj->ni", run["arm.rotation"], run["arm.tip.position"] - run["arm.position"])
    assert run["arm.tip.deflection"] == pytest.approx(local - [2.0, 0, 0], abs=1e-12)
    assert not run["arm.root.deflection"].any()


def test_audit_and_energies(run):
    assert run.audit.ok and run.audit.energy_drift < 1e-8 and not run.audit.unstiffened
    assert run["arm.strain_energies"].sum(axis=1) == pytest.approx(run["arm.strain_energy"], rel=1e-12)
    assert np.trapezoid(run["arm.dissipation"], run.t) == pytest.approx(run.audit.dissipated_work, rel=1e-4)


# -- loads -----------------------------------------------------------------------------------------------------------------


def test_load_of_a_joint_at_a_node_is_newtons_and_eulers(run):
    """Force and torque on the payload from its own motion."""
    loads, R = run.loads("payload", at="payload"), run["payload.rotation"]
    c, J, mass = np.array([0.1, 0.05, 0.0]), np.diag([0.01, 0.02, 0.02]), 0.3
    omega, alpha = run["payload.omega"], run["payload.alpha"]
    local = np.cross(alpha, c) + np.cross(omega, np.cross(omega, c))
    force = mass * (run["payload.acceleration"] + np.einsum("nij,nj->ni", R, local) - run.model.gravity)
    about_centre = np.einsum("nij,nj->ni", R, alpha @ J + np.cross(omega, omega @ J))
    torque = about_centre + np.cross(np.einsum("nij,j->ni", R, c), force)
    assert loads.force == pytest.approx(force, abs=1e-10)
    assert loads.torque == pytest.approx(torque, abs=1e-10)
    assert np.abs(loads.net_power).max() < 1e-10 and np.abs(run["payload.load"]).max() < 1e-10


def test_load_of_the_root_is_the_rate_of_momentum():
    """Of arm and payload together."""
    s = kf.System("driven", gravity=(0, 0, -1.0))
    s.add("arm", kf.Flexible(BEAM, modes=5), kf.Revolute("z", motion=kf.profiles.smooth_step(1.0, 1.0)))
    s.add("payload", kf.Rigid(0.3, inertia=(0.01, 0.02, 0.02)), kf.Revolute("y"), "arm", "tip")
    run = s.simulate(0.5, output=1e-3, rtol=1e-11, atol=1e-13)
    loads = run.loads("arm", at=(0, 0, 0))
    weight = 1.3 * np.array([0, 0, -1.0])
    centre = (0.5 * 2 * _centre(run) + 0.3 * run["payload.position"]) / 1.3
    assert loads.force[2:-2] == pytest.approx(slope(run, run["momentum.linear"]) - weight, abs=1e-4)
    turning = slope(run, run["momentum.angular"]) - np.cross(centre, weight)[2:-2]
    assert loads.torque[2:-2] == pytest.approx(turning, abs=1e-4)
    assert run["arm.drive"] == pytest.approx(loads.torque[:, 2], abs=1e-10)


def _centre(run):
    """Mass centre of the arm, inertial axes."""
    modal = run.model.parts["arm"].body.modal
    eta = run["arm.modes"]
    moments = [driven_body.mass_matrix(modal, row)[3:6, :3] for row in eta]  # s~
    s = np.array([(m[2, 1], m[0, 2], m[1, 0]) for m in moments])
    return np.einsum("nij,nj->ni", run["arm.rotation"], s / modal.mass)


def test_load_of_a_constraint_at_a_node():
    """A rod from the tip to the ground pulls along itself, and its pull is its multiplier's."""
    s = kf.System("tied", gravity=(0, 0, -1.0))
    s.add("arm", kf.Flexible(BEAM, modes=5), kf.Revolute("y"), q=0.1)
    s.constrain("rod", kf.Distance((2.0, 0.0, 1.5), "arm.tip", 1.7))
    run = s.simulate(0.3, output=0.05)
    loads = run.loads("rod")
    along = np.array([2.0, 0.0, 1.5]) - run["arm.tip.position"]
    assert np.cross(loads.force, along) == pytest.approx(np.zeros((len(run.t), 3)), abs=1e-9)
    assert np.linalg.norm(loads.force, axis=1) == pytest.approx(np.abs(run["rod.multipliers"]), rel=1e-9)
    assert np.all(loads.force[:, 2] > 0) and run.audit.ok


# -- section loads ---------------------------------------------------------------------------------------------------------


def test_section_loads_of_a_hanging_load():
    """A cantilever at rest under a force at its tip: shear F, moment F (L - x); exact with the static shape of the tip."""
    modes = ModeChoice("craig-bampton", count=2)
    s = kf.System("cantilever")
    s.add("base", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Prismatic("x", motion=kf.profiles.hold(0.0)))
    s.add("arm", kf.Flexible(BEAM, modes=modes, interfaces=("tip",)), parent="base")
    s.apply("pull", kf.Force("arm.tip", (0, 0.01, -0.02), axes="inertial"))
    state = s.equilibrium()
    run = s.simulate(1e-6, initial=state, times=[0.0])
    for k in range(6):
        at = {end: run[f"arm.section_loads.beam-{k}.{end}.Mz"][0] for end in ("start", "end")}
        assert at["start"] == pytest.approx(0.01 * (2.0 - k / 3), rel=1e-5)
        assert at["end"] == pytest.approx(0.01 * (2.0 - (k + 1) / 3), rel=1e-5, abs=1e-7)
        assert abs(run[f"arm.section_loads.beam-{k}.start.My"][0]) == pytest.approx(0.02 * (2.0 - k / 3), rel=1e-5)
        assert run[f"arm.section_loads.beam-{k}.start.Vy"][0] == pytest.approx(0.01, rel=1e-5)
    assert run.labels("arm.section_loads")[5] == "beam-0.start.Mz" and run.labels("arm.modes")[0] == "mode1"


def test_tension_of_a_spinning_beam_needs_stretching_modes():
    """N = rho A W^2 (L^2 - x^2)/2, its mean over each element, but for the elements' own error, a thousandth for six;
    none from bending alone."""
    found = {}
    for name, modes in (("all", 36), ("bending", 4)):
        s = kf.System("spinning")
        s.add("arm", kf.Flexible(BEAM, modes=modes), kf.Revolute("z", motion=kf.profiles.constant_rate(2.0)))
        run = s.simulate(1e-6, initial=s.equilibrium(), times=[0.0])
        found[name] = np.array([run[f"arm.section_loads.beam-{k}.start.N"][0] for k in range(6)])
    x = np.arange(6) / 3
    mean = 0.5 * 4.0 * (4.0 - (x**2 + x / 3 + 1 / 27)) / 2  # over an element from x to x + 1/3
    assert found["all"] == pytest.approx(mean, abs=1.5e-3 * mean[0])
    assert np.abs(found["bending"]).max() < 1e-9


def test_stress_resultants_of_a_plate():
    """A mode's resultants are those of its shape; and a plate bent to a cylinder has the moments D, nu D."""
    plate = Plate(1.0, 0.5, 0.01, E=7e10, nu=0.3, density=2700.0, elements=(4, 2))
    body = kf.Flexible(plate, modes=3)
    s = kf.System("plate")
    s.add("panel", body, kf.Revolute("y"), q=0.0)
    run = s.simulate(1e-6, initial={"panel.q": 0.0, "panel.modes": [0, 1e-3, 0]}, times=[0.0])
    assert run["panel.section_loads"].shape == (1, 6 * 8) and run.labels("panel.section_loads")[0] == "plate-0.Nx"
    bent = np.zeros(6 * len(plate))
    bent[2::6], bent[4::6] = plate.points[:, 0] ** 2 / 2, -plate.points[:, 0]  # w'' = 1 along x
    labels, of_displacements = plate.section_loads()
    resultants = dict(zip(labels, of_displacements @ bent, strict=True))
    D = 7e10 * 0.01**3 / (12 * (1 - 0.3**2))
    assert abs(resultants["plate-3.Mx"]) == pytest.approx(D, rel=1e-6)
    assert resultants["plate-3.My"] == pytest.approx(0.3 * resultants["plate-3.Mx"], rel=1e-6)


def test_bodies_of_matrices_alone_have_no_section_loads():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = kf.Flexible(Structure.from_matrices(BEAM.M, BEAM.K, BEAM.points, {"root": 0, "tip": 6}), modes=2)
    s = kf.System("matrices")
    s.add("arm", body, kf.Revolute("z"))
    run = s.simulate(0.1)
    assert "arm.section_loads" not in run.channels
    with pytest.raises(kf.ModelError, match="mass and stiffness alone"):
        run["arm.section_loads"]


# -- files and forms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speeds", ["customary", "efficient", "constant-mass"])
def test_a_loaded_run_is_the_run_and_continues_exactly(tmp_path, speeds):
    run = arm().simulate(0.3, output=0.01, speeds=speeds)
    again = kf.Run.load(run.save(tmp_path / "run.h5"))
    assert again.channels == run.channels and again.audit == run.audit
    for name in run.channels:
        assert np.array_equal(again[name], run[name]), name
    on, off = run.extend(0.3), again.extend(0.3)
    assert np.array_equal(on.q, off.q) and np.array_equal(on.u, off.u)
    whole = arm().simulate(0.6, output=0.01, speeds=speeds)
    assert on["arm.tip.deflection"][-1] == pytest.approx(whole["arm.tip.deflection"][-1], abs=1e-7)


def test_many_modes_fit_in_a_file(tmp_path):
    s = kf.System("many")
    s.add("arm", kf.Flexible(BEAM, modes=36), kf.Revolute("z"), rates=1.0)
    run = s.simulate(0.01, output=0.01)
    again = kf.Run.load(run.save(tmp_path / "run.h5"))
    assert np.array_equal(again["arm.section_loads"], run["arm.section_loads"])


def test_frames(run):
    pytest.importorskip("pandas")
    frame = run.to_pandas(["arm.section_loads", "arm.modes"])
    assert frame.shape == (len(run.t), 72 + 5) and "arm.section_loads.beam-5.end.Mz" in frame.columns
    assert len(run.to_pandas().columns) > 200


# -- events, laws, changes -------------------------------------------------------------------------------------------------


def test_events_and_loads_see_deflections():
    sag = kf.Event(lambda t, x: x[2] + 0.03, sees=["arm.tip.deflection"], name="sag", terminal=True)
    run = arm().simulate(1.0, events=[sag])
    assert run.status == "event" and run["arm.tip.deflection"][-1, 2] == pytest.approx(-0.03, abs=1e-8)
    s = arm()
    s.apply("damper", kf.Force("arm.tip", lambda t, x: (0, 0, -0.1 * x[0]), sees=["arm.modes_rate"]))
    s.apply("steering", kf.JointForce("hub", lambda t, x: -x[1], coordinate="angle1", sees=["arm.tip.slope"]))
    assert s.simulate(0.5).audit.ok


def test_functions_see_nothing_that_is_recovered():
    s = arm()
    s.apply("servo", kf.JointForce("payload", lambda t, x: -x[0], sees=["arm.section_loads"]))
    with pytest.raises(kf.ModelError, match=r"arm\.section_loads"):
        s.simulate(0.1)


CHANGES = {
    "lock": lambda state, change: change.lock("payload"),
    "detach": lambda state, change: change.detach("payload"),
    "detach the arm": lambda state, change: change.detach("arm"),
    "attach": lambda state, change: change.attach("free", "N"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_keep_the_deformation(change):
    """Coordinates do not jump; nor do rates where nothing is stopped."""
    event = kf.Event(lambda t: t - 0.25, name="now", action=CHANGES[change])
    run = arm().simulate(0.5, output=0.05, events=[event])
    before = int(np.flatnonzero(np.diff(run.t) == 0)[0])
    assert np.abs(run["arm.modes"][before]).max() > 1e-3
    assert run["arm.modes"][before + 1] == pytest.approx(run["arm.modes"][before], abs=1e-14)
    if change.startswith("detach"):
        assert run["arm.modes_rate"][before + 1] == pytest.approx(run["arm.modes_rate"][before], abs=1e-12)


# -- stiffening left out ---------------------------------------------------------------------------------------------------


def spin_up(rate, stiffening) -> kf.System:
    s = kf.System("spin-up")
    s.add("arm", kf.Flexible(BEAM, modes=4, stiffening=stiffening), kf.Revolute("z", motion=kf.profiles.spin_up(rate, 2.0)))
    return s


LOWEST = float(kf.Flexible(BEAM, modes=1).modal.frequencies[0])


def test_fast_motion_without_stiffening_is_warned_of(tmp_path):
    with pytest.warns(StiffeningWarning, match=r'"arm" turned at 0\.4 of its lowest frequency.*limit is 0\.3'):
        run = spin_up(0.4 * LOWEST, False).simulate(2.0)
    assert run.audit.unstiffened == (("arm", pytest.approx(0.4, rel=1e-6)),)
    assert "without stiffening by motion" in str(run.audit)
    with warnings.catch_warnings():
        warnings.simplefilter("error", StiffeningWarning)
        assert kf.Run.load(run.save(tmp_path / "run.h5")).audit == run.audit


@pytest.mark.parametrize(("rate", "stiffening"), [(0.4, True), (0.25, False)], ids=["stiffening", "slow"])
def test_safe_motion_is_not_warned_of(rate, stiffening):
    with warnings.catch_warnings():
        warnings.simplefilter("error", StiffeningWarning)
        run = spin_up(rate * LOWEST, stiffening).simulate(2.0)
    assert run.audit.unstiffened == ()


def test_the_limit_is_where_a_tenth_of_the_stiffness_is_missing():
    """In the plane of rotation: 1.19 (spin/frequency)^2 of the first mode's stiffness, an eighth at 0.3 or less."""
    modal = kf.Flexible(BEAM, modes=1).modal
    without = kf.Flexible(BEAM, modes=1, stiffening=False).modal
    omega = (0.0, 0.0, 0.3 * LOWEST)
    missing = (modal.stiffness_in_motion(omega=omega) - without.stiffness_in_motion(omega=omega))[0, 0] / modal.stiffness[0]
    assert missing == pytest.approx(1.193 * 0.3**2, rel=0.01)
