"""Sail, chain, antenna, slider-crank and four-bar of flexible bodies: their references again, from programs of their own."""

import numpy as np
import pytest
from oracles import flexible_slider_crank, jointed_beams
from oracles import solar_sail as linear_sail
from runs import gallery_run

from kaneflex import ModelError
from kaneflex.gallery import examples, four_flexible_bodies, solar_sail
from kaneflex.gallery import flexible_antenna_deployment as antenna
from kaneflex.gallery import flexible_four_bar as four_bar
from kaneflex.gallery import flexible_slider_crank as slider_crank


def settings(name, **changes):
    return examples()[name].settings({key: str(value) for key, value in changes.items()})


# ---- solar sail ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0.0, 0.005])
def test_sail_table_is_the_linear_response(ratio):
    np.testing.assert_allclose(solar_sail.TABLE[ratio], linear_sail.numbers(ratio), rtol=0, atol=6e-7)


def test_linear_sail_is_the_one_of_the_stand_in():
    """Without inertia in torsion: the hub angles computed elsewhere, 17.592233 and 34.850351 degrees; damped, 34.923823."""
    kept = linear_sail.POLAR
    linear_sail.POLAR = 1e-9
    try:
        undamped, damped = linear_sail.numbers(0.0), linear_sail.numbers(0.005)
    finally:
        linear_sail.POLAR = kept
    np.testing.assert_allclose([*undamped[2:], damped[3]], [17.592233, 34.850351, 34.923823], rtol=0, atol=1e-5)
    np.testing.assert_allclose(damped[:2], [-0.11981, 0.17984], rtol=0, atol=5e-5)
    np.testing.assert_allclose(undamped[:2], [-0.13479, 0.24214], rtol=0, atol=3e-4)  # sampled more coarsely there


def test_slow_sail_is_linear_at_all_times():
    """What is not linear goes with the square of the torque: with a tenth of it the undamped history is that of (1)."""
    p = settings("solar-sail", damping=0, torque=0.07920695)
    run = solar_sail.simulate(solar_sail.build(p), p)
    angle, tip = linear_sail.response(run.t, 0.0)
    assert np.abs(10 * solar_sail.hub_angle(run) - angle).max() < 5e-4
    assert np.abs(10 * solar_sail.tip(run, "top") - tip).max() < 5e-4


@pytest.mark.thorough
def test_sail_of_one_body_and_of_five_differ_by_terms_of_third_order():
    """Half the torque makes an eighth of the difference: it is not the integrator's, which would be half."""
    gaps = []
    for torque in (1.0, 0.5):
        p = settings("solar-sail", damping=0, torque=torque)
        tips = []
        for system in (solar_sail.build(p), solar_sail.assembled(p)):
            run = system.simulate(60.0, method="dop853", rtol=1e-9, atol=1e-11, inputs={"torque": torque}, output=0.5)
            tips.append(solar_sail.tip(run, "top"))
        gaps.append(np.abs(tips[1] - tips[0]).max())
    assert 1e-9 < gaps[1] < 1e-5 and gaps[0] / gaps[1] == pytest.approx(8, rel=0.05)


def test_sail_frequencies():
    """44 modes: of each boom five in bending both ways and one in torsion, by the closed forms."""
    found = solar_sail.build(solar_sail.DEFAULTS).parts["sail"].body.modal.frequencies
    w = linear_sail.booms()[0]
    expected = np.sort([*np.repeat(w[:5], 8), *np.repeat(w[5], 4)])
    np.testing.assert_allclose(found, expected, rtol=2e-4)


# ---- four flexible bodies -----------------------------------------------------------------------------------------------


def test_chain_becomes_rigid_with_its_stiffness():
    """The torque differs from that of rigid bars in proportion to the compliance."""
    p = settings("four-flexible-bodies", modes=2)
    bars = {s: four_flexible_bodies.beam(p, s, 0.3) for s in (25.0, 100.0)}
    rigid = four_flexible_bodies.simulate(four_flexible_bodies.chain(p, [four_flexible_bodies.rigid_bar(p)] * 4), p)
    gaps = []
    for bar in bars.values():
        run = four_flexible_bodies.simulate(four_flexible_bodies.chain(p, [bar] * 4), p)
        gaps.append(np.abs(run["second.drive"] - rigid["second.drive"])[100:-100].max())
    assert gaps[0] / gaps[1] == pytest.approx(4, rel=0.3)


def test_chain_by_efficient_modal_speeds():
    """An approximation: near, and not the same."""
    p = settings("four-flexible-bodies", modes=4)
    system = four_flexible_bodies.build(p)
    exact, near = (four_flexible_bodies.simulate(system, p, speeds=s) for s in ("customary", "constant-mass"))
    gap = np.abs(exact["second.drive"] - near["second.drive"]).max() / np.abs(exact["second.drive"]).max()
    assert 1e-9 < gap < 1e-4


def test_chain_vibrates_as_finite_elements_do():
    """The tables of the floating and of the hanging chain, again."""
    np.testing.assert_allclose(jointed_beams.chain(), four_flexible_bodies.FLOATING, rtol=1e-6)
    hanging = jointed_beams.chain(gravity=four_flexible_bodies.GRAVITY)
    np.testing.assert_allclose(hanging, four_flexible_bodies.HANGING, rtol=1e-6)


# ---- antenna ------------------------------------------------------------------------------------------------------------


def test_turn_of_the_bus_by_rigid_bodies():
    """(1) against a run of rigid bodies in the same loop."""
    from kaneflex import Rigid

    p = antenna.DEFAULTS
    m, l = p["rib"] * p["mass_per_length"], p["rib"]
    rib = Rigid(m, com=(l / 2, 0, 0), inertia=(0, m * l**2 / 12, m * l**2 / 12), frames={"tip": (l, 0, 0)})
    run = antenna.simulate(antenna.antenna(p, rib), p)
    assert np.abs(antenna.bus_angle(run) - antenna.rigid_turn(run["driven.angle"], p)).max() < 1e-8


def test_antenna_sways_as_finite_elements_do():
    """The tables; and after deployment the lowest frequency of the whole, damping and the turn of the bus aside."""
    start = np.radians(antenna.DEFAULTS["start"])
    np.testing.assert_allclose(jointed_beams.antenna(start), antenna.FLOATING, rtol=1e-6)
    np.testing.assert_allclose(jointed_beams.antenna(np.pi / 2, pull=antenna.PULL), antenna.PULLED, rtol=1e-6)
    run, p = gallery_run("flexible-antenna-deployment")
    late = run.t > p["time"]
    t, x = run.t[late], run["driven.tip.deflection"][late, 1]
    zeros = t[1:][np.diff(np.sign(x - x.mean())) != 0]
    found = np.pi / np.diff(zeros).mean()
    lowest = jointed_beams.antenna(np.radians(p["end"]), count=2)
    assert np.abs(found / lowest - 1).min() < 0.02, "of the two lowest one is in the plane"


# ---- slider-crank -------------------------------------------------------------------------------------------------------


def test_the_slider_crank_begins_as_exact_beams_do():
    """The first half of the run by few elements and long steps, to 1 % of what the rod bends then."""
    rows = np.array([row for row in slider_crank.TABLE if row[0] <= 0.5])
    found = flexible_slider_crank.SliderCrank((2, 4)).run(0.75 * flexible_slider_crank.RAMP, 300, 15)
    at = np.rint(rows[:, 0] * 40).astype(int)
    assert np.abs(found[at, :2] - rows[:, 1:]).max() < 0.01 * np.abs(rows[:, 1]).max()


@pytest.mark.thorough
def test_the_table_of_the_slider_crank_is_that_of_exact_beams():
    rows = np.array(slider_crank.TABLE)
    found = flexible_slider_crank.motion(60, 36, (4, 8))[np.rint(rows[:, 0] * 60).astype(int)]
    np.testing.assert_allclose(found[:, :2], rows[:, 1:], rtol=0, atol=5e-6)


# ---- four-bar -----------------------------------------------------------------------------------------------------------


def test_table_of_the_four_bar_is_that_of_rods(monkeypatch):
    """Rods with 5 and 9 springs, extrapolated by 1/n^2, near the table, which is from 9 and 15."""
    p, fine = four_bar.DEFAULTS, dict(four_bar.RODS)
    rows = np.array(four_bar.TABLE)
    values = []
    for counts in ({"crank": 3, "coupler": 5, "rocker": 5}, fine):
        monkeypatch.setattr(four_bar, "RODS", counts)
        run = four_bar.simulate(four_bar.rods(p), p)
        k = np.rint(rows[:, 0] * 400).astype(int)
        values.append(np.column_stack([four_bar.bending(run, name)[k] for name in ("coupler", "rocker")]))
    coarse, near = values
    found = near + (near - coarse) * 25 / (81 - 25)
    assert np.abs(found - rows[:, 1:]).max() < 0.02 * np.abs(rows[:, 1:]).max()
    assert np.abs(near - rows[:, 1:]).max() < np.abs(coarse - rows[:, 1:]).max() / 2


def test_no_linkage_without_a_crank():
    with pytest.raises(ModelError, match="crank-rocker"):
        four_bar.build(settings("flexible-four-bar", crank=0.3))
