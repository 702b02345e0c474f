"""The gallery's flexible bodies in large overall motion, beside programs of their own that know no modes."""

import numpy as np
import pytest
from oracles import driven_body, rotating_beam, spinning_lattice, two_link_arm
from oracles.nonlinear_beam import NonlinearBeam
from runs import gallery_run

from kaneflex import profiles
from kaneflex.gallery import beam_spin_up, examples, space_manipulator, spinning_antenna
from kaneflex.gallery import rotating_beam as beam_system
from kaneflex.gallery import two_link_arm as arm_system
from kaneflex.gallery.large_motion import BEAMS, beam_data

#: Shear stiffness, N, and rotary inertia, kg m, of the nonlinear beams.
SHEAR = {"SVQ": (1e7, 6e-4), "8m": (2.758e10 * 7.2968e-5, 2.2739e-5)}


def run_of(module, **changes):
    return gallery_run(module.EXAMPLE.name, changes)


def nonlinear(name):
    d = beam_data(name)
    return NonlinearBeam(d.length, d.EA, SHEAR[name][0], d.EI, d.mass_per_length, SHEAR[name][1], elements=8)


def test_the_systems_are_there():
    wanted = {
        "beam-spin-up", "plate-spin-up", "rotating-beam", "rotating-plate", "space-manipulator", "spinning-antenna",
        "two-link-arm",
    }  # fmt: skip
    assert wanted <= set(examples())


def test_beams_are_those_of_their_sources():
    beam = BEAMS["8m"]
    assert [beam.EA, beam.EI, beam.mass_per_length] == pytest.approx([5.0313e6, 566.710, 0.2018806], rel=1e-5)


@pytest.mark.parametrize(("name", "rate"), [("SVQ", 6.0), ("8m", 4.0)])
def test_beam_spin_up_follows_the_nonlinear_beam(name, rate):
    """All samples of the tip within 1 % of the largest deflection: across, and along where stretch and shortening meet."""
    run, _ = run_of(beam_spin_up, beam=name, rate=rate)
    _, speed, acceleration = profiles.spin_up(rate, 15.0).functions
    _, tip = nonlinear(name).run(lambda t: ((0.0, 0.0), speed(t), acceleration(t)), 18.0, 0.025)
    found = run["beam.tip.deflection"]
    peak = abs(tip[:, 1]).max()
    np.testing.assert_allclose(found[:, 1], tip[::2, 1], rtol=0, atol=0.01 * peak)
    np.testing.assert_allclose(found[:, 0], tip[::2, 0] - beam_data(name).length, rtol=0, atol=0.01 * abs(found[:, 0]).max())
    assert found[:, 1].min() == pytest.approx(tip[:, 1].min(), rel=2e-3)


def test_manipulator_follows_the_nonlinear_beam():
    run, p = run_of(space_manipulator)
    motion = space_manipulator.motion_of_the_root(p)

    def plane(t):
        a, omega, alpha = motion(t)
        return (a[0], a[1]), omega[2], alpha[2]

    _, tip = nonlinear("8m").run(plane, 20.0, 0.025)
    np.testing.assert_allclose(run["wrist.tip.deflection"][:, 1], tip[::2, 1], rtol=0, atol=0.01 * 0.179)


def test_manipulators_root_moves_as_the_angles_say():
    run, p = run_of(space_manipulator)
    motion = space_manipulator.motion_of_the_root(p)
    for k in (30, 150, 222):
        a, omega, alpha = motion(run.t[k])
        turn = run["wrist.rotation"][k]
        np.testing.assert_allclose(turn.T @ run["wrist.acceleration"][k], a, rtol=0, atol=1e-9)
        np.testing.assert_allclose(run["wrist.omega"][k], omega, rtol=0, atol=1e-9)
        np.testing.assert_allclose(run["wrist.alpha"][k], alpha, rtol=0, atol=1e-9)


# ---- two flexible links


@pytest.fixture(scope="module")
def arm():
    return run_of(arm_system)[0]


def test_arms_tables_are_those_of_a_chain_of_rods():
    """Both tables come from other programs; the finite elements' has as many digits as the chain confirms."""
    t, found = two_link_arm.motion()
    rows = [np.argmin(abs(t - row[0])) for row in arm_system.TABLE]
    table, torques = np.array(arm_system.TABLE), np.array(arm_system.TORQUES)
    np.testing.assert_allclose(found[rows, :2], table[:, 1:3], rtol=0, atol=4e-5)
    np.testing.assert_allclose(found[rows, 2:4], table[:, 3:], rtol=0, atol=1e-4)
    np.testing.assert_allclose(found[rows, 4:], torques[:, 1:], rtol=0, atol=1e-4)
    np.testing.assert_allclose(found[:, :2].min(axis=0), arm_system.PEAKS, rtol=0, atol=1e-5)


def test_table_of_the_spun_arm_begins_as_that_of_a_chain_of_rods():
    """The first 30 s by shorter chains and longer steps."""
    t, found = two_link_arm.motion(n=4, duration=30.0, step=0.1, angles=two_link_arm.spin)
    table = np.array([row for row in arm_system.SPUN if row[0] <= 30])
    rows = found[[np.argmin(abs(t - row[0])) for row in table]][:, [0, 1, 4, 5]]
    assert np.abs((rows - table[:, 1:]) / np.abs(table[:, 1:]).max(axis=0)).max() < 5e-3


@pytest.mark.thorough
def test_table_of_the_spun_arm_is_that_of_a_chain_of_rods():
    t, found = two_link_arm.motion(duration=66.0, step=0.04, angles=two_link_arm.spin)
    table = np.array(arm_system.SPUN)
    rows = found[[np.argmin(abs(t - row[0])) for row in table]][:, [0, 1, 4, 5]]
    np.testing.assert_allclose(rows, table[:, 1:], rtol=0, atol=1e-4)


def test_arm_follows_the_chain_of_rods(arm):
    """Deflections within 1 % of their peaks and torques within 2 % of theirs, at all common samples."""
    t, found = two_link_arm.motion(step=0.025)
    np.testing.assert_allclose(t, arm.t, rtol=0, atol=1e-9)
    mine = arm_system.history(arm)
    for k, share in enumerate((0.01, 0.01, 1e-4, 1e-4, 0.02, 0.02)):
        np.testing.assert_allclose(mine[:, k], found[:, k], rtol=0, atol=share * abs(found[:, k]).max())


def test_torque_at_the_elbow_is_newton_and_eulers(arm):
    """Torque on the outer link from its own momentum, by complex-step derivatives of one kinetic energy."""
    body = arm.model.parts["outer"].body.modal
    names = ("acceleration", "omega", "alpha", "rotation", "modes", "modes_rate")
    for k in (200, 700, 1200, 1900):
        a, omega, alpha, turn, eta, sigma = (arm[f"outer.{name}"][k] for name in names)
        _, _, torque = driven_body.respond(body, eta, sigma, turn.T @ a, turn.T @ omega, turn.T @ alpha)
        assert torque[2] == pytest.approx(arm["outer.drive"][k], rel=1e-8)


# ---- the lattice


def test_lattices_tables_are_those_of_the_exact_one():
    t, found = spinning_lattice.motion(5.0, 30.0, 30.0, 0.05)
    for row in spinning_antenna.TABLE:
        np.testing.assert_allclose(found[np.argmin(abs(t - row[0])), 0], row[1:], rtol=0, atol=6e-6)
    assert found[:, 0, 1].min() == pytest.approx(spinning_antenna.PEAK, abs=6e-6)
    t, found = spinning_lattice.motion(5.0, 30.0, 18.0, 0.05, linear=True)
    for time, value in spinning_antenna.WRONG:
        assert found[np.argmin(abs(t - time)), 0, 1] == pytest.approx(value, rel=1e-4)
    for speed, row in spinning_antenna.FREQUENCIES.items():
        np.testing.assert_allclose(spinning_lattice.Lattice().frequencies(speed, len(row)), row, rtol=0, atol=6e-5)


def test_lattice_is_the_oracles():
    structure, oracle = spinning_antenna.lattice(0.6), spinning_lattice.Lattice()
    mass, centre, _ = structure.mass_properties()
    assert mass == pytest.approx(oracle.M[::3, ::3].sum(), rel=1e-12)
    x = oracle.M[::3, ::3].sum(axis=0) @ oracle.x0 / mass
    np.testing.assert_allclose(centre, x - [oracle.hub, 0, 0], rtol=0, atol=1e-12)


def test_antenna_follows_the_exact_lattice():
    """All three feed joints at all samples, within 1 % of the largest displacement."""
    run, _ = run_of(spinning_antenna)
    t, found = spinning_lattice.motion(5.0, 30.0, 33.0, 0.05)
    for i in range(3):
        mine = run[f"boom.feed-{i}.deflection"]
        np.testing.assert_allclose(mine, found[::2, i], rtol=0, atol=0.01 * abs(spinning_antenna.PEAK))
    np.testing.assert_allclose(run.t, t[::2], rtol=0, atol=1e-9)


# ---- tables of the rotating beam


def test_rotating_beams_tables_are_ritzs():
    near = lambda found, row: np.testing.assert_allclose(found, row, rtol=0, atol=2e-4)
    for speed, row in enumerate(beam_system.FLAP):
        near(rotating_beam.frequencies(speed), row)
    for hub, (flap, chord, _) in beam_system.HUB.items():
        near([rotating_beam.frequencies(s, hub)[0] for s in (2, 4, 6, 8, 10, 12)], flap)
        near([rotating_beam.frequencies(s, hub, chord=True)[0] for s in (2, 6, 10)], chord)
    for mass, rows in beam_system.TIP_MASS.items():
        for speed, row in zip((0, 2, 4, 6, 10), rows, strict=True):
            near(rotating_beam.frequencies(speed, tip_mass=mass, count=2), row)


def test_stretched_beams_frequencies_are_those_of_exact_beams():
    """Without shear, by shear stiffnesses 1e5 and 1e6 and what is proportional to the compliance."""
    for hub, row in beam_system.STRETCHED.items():
        for speed, wanted in zip((2.0, 6.0, 10.0), row, strict=True):
            one, ten = (
                NonlinearBeam(1.0, beam_system.COUPLED**2, GA, 1.0, 1.0, 1e-9).steady_frequencies(speed, hub)
                for GA in (1e5, 1e6)
            )
            assert ten[0] + (ten[0] - one[0]) / 9 == pytest.approx(wanted, abs=2e-4)
