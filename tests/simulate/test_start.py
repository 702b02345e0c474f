"""The start of a run: far from the origin, from values that nearly fit, and from values that must be kept."""

import math
import warnings

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.formulations.initial_conditions import AssemblyWarning
from kaneflex.model.checks import ModelError


def dumbbell(place, length, angle, defect=0.0):
    """Two masses on a rod in the plane, centred at `place` (m along x); they are given `defect` too far apart."""
    d = (length + defect) / 2 * np.array([math.cos(angle), math.sin(angle), 0.0])
    s = kf.System("dumbbell")
    for name, x in (("a", -d), ("b", d)):
        s.add(name, kf.PointMass(1.0), kf.Translational(), q=np.array([place, 0.0, 0.0]) + x)
    s.constrain("rod", kf.Distance("a", "b", length))
    return s


@pytest.mark.parametrize(("place", "length"), [(1e6, 1.0), (7e6, 2000.0)])
def test_no_start_is_refused_for_the_spacing_of_numbers(place, length):
    """Positions are multiples of 1e-10 m and of 1e-9 m there."""
    for angle in np.random.default_rng(1).uniform(-np.pi, np.pi, 60):
        found = dumbbell(place, length, angle).assemble()
        d = found.state["b.q"] - found.state["a.q"]
        assert abs(np.linalg.norm(d) - length) < 8 * np.spacing(place)
        assert not found.corrected


@pytest.mark.parametrize(("place", "length"), [(0.0, 1.0), (1e6, 1.0), (7e6, 2000.0)])
def test_a_defect_of_a_millimetre_is_seen_everywhere(place, length):
    found = dumbbell(place, length, 0.7, defect=1e-3).assemble()
    d = found.state["b.q"] - found.state["a.q"]
    assert abs(np.linalg.norm(d) - length) < 1e-12 + 8 * np.spacing(place)
    assert found.violation[0] == pytest.approx(1e-3, rel=1e-4) and found.corrected
    s = dumbbell(place, length, 0.7)
    with pytest.raises(ModelError, match=r'"rod" stays off by 0\.001'):
        s.assemble({f"{n}.q": dumbbell(place, length, 0.7, 1e-3).state()[f"{n}.q"] for n in "ab"}, keep=("a", "b"))


def test_a_run_far_from_the_origin_passes_its_audit():
    s = dumbbell(7e6, 2000.0, 0.3)
    run = s.simulate(50.0, initial={"b.rate": (-0.6, 1.9, 0.0), "a.rate": (0.6, -1.9, 0.0)} | at_rest_along(0.3))
    assert run.audit.ok and not run.audit.projection_failures
    assert 1e-9 < run.audit.rounding < 1e-7


def at_rest_along(angle):
    """Rates of the two masses across the rod."""
    across = 2.0 * np.array([-math.sin(angle), math.cos(angle), 0.0])
    return {"a.rate": -across, "b.rate": across}


def test_angles_of_many_turns_are_blurred_too():
    """A four-bar whose crank has turned a million times: sine and cosine know its place to 1e-9."""
    s = parallelogram(crank=2 * np.pi * 1e6 + 1.0)
    assert s.assemble().steps <= 3


def parallelogram(crank=1.0, **rates):
    bar = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1), frames={"tip": (1, 0, 0)})
    s = kf.System("parallelogram")
    s.add("crank", bar, kf.Revolute("z"), q=crank, rates=rates.get("crank"))
    s.add("coupler", bar, kf.Revolute("z"), parent="crank", at="tip", q=-1.0, rates=rates.get("coupler"))
    s.add("rocker", bar, kf.Revolute("z"), at=(1, 0, 0), q=1.0, rates=rates.get("rocker"))
    s.close("pin", "coupler.tip", "rocker.tip", kf.Revolute("z"))
    return s


# -- values that are given are kept --------------------------------------------------------------------------------------


def unicycle(**rates):
    """A wheel on a frame that slides above the ground, rolling without slip."""
    s = kf.System("unicycle", gravity=(0, 0, -9.81))
    s.add("frame", kf.Rigid(20.0, inertia=(1, 1, 1)), kf.Translational(), q=(0, 0, 0.3), rates=rates.get("frame"))
    s.add("wheel", kf.Rigid(0.5, inertia=(0.03, 0.06, 0.03)), kf.Revolute("y"), parent="frame", rates=rates.get("wheel"))
    s.constrain("tyre", kf.Rolling("wheel", radii=(0.3, 0.0, 0.3)))
    return s


def test_a_spin_that_is_given_is_kept_and_the_frame_follows():
    for s in (unicycle(wheel=15.0), unicycle()):
        found = s.assemble({"wheel.rate": 15.0})
        assert found.state["wheel.rate"] == 15.0 and not found.corrected
        assert found.state["frame.rate"][0] == pytest.approx(15.0 * 0.3, abs=1e-9)


@pytest.mark.parametrize("speeds", ["customary", "efficient"])
def test_a_run_starts_with_it(speeds):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = unicycle(wheel=15.0).simulate(0.1, speeds=speeds)
    assert run["wheel.rate"][0] == pytest.approx(15.0, abs=1e-12)
    assert run["frame.velocity"][0, 0] == pytest.approx(4.5, abs=1e-9)


def test_rates_that_contradict_a_constraint_are_refused_by_name():
    s = unicycle(wheel=15.0, frame=(1.0, 0.0, 0.0))
    with pytest.raises(ModelError, match=r'contradict constraint "tyre".*(frame|wheel).*-> .*fewer'):
        s.simulate(0.1)
    with pytest.raises(ModelError, match=r'contradict constraint "pin".*rocker.*2 ->'):
        parallelogram(crank=1.0).assemble({"crank.rate": 1.0, "rocker.rate": 2.0})


def test_zeros_among_the_rates_of_a_joint_give_way():
    """A ball is given its velocity, and no spin because the joint wants six numbers: it rolls."""
    s = kf.System("ball", gravity=(0, 0, -9.81))
    s.add("ball", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1)), kf.Free(), q=(0, 0, 0.5, 1, 0, 0, 0), rates=(2, 0, 0, 0, 0, 0))
    s.constrain("floor", kf.Rolling("ball", radii=(0.5, 0.5, 0.5)))
    with pytest.warns(AssemblyWarning, match=r"ball\.w. 0 -> 4"):
        run = s.simulate(0.1)
    assert np.allclose(run["ball.velocity"], [2, 0, 0], atol=1e-9) and np.allclose(run["ball.omega"], [0, 4, 0], atol=1e-9)


def test_rates_of_few_digits_are_corrected_with_a_word():
    """1e-4 off: a parallelogram's cranks turn alike."""
    s = parallelogram()
    start = {"crank.rate": 3.0, "rocker.rate": 3.0003, "coupler.rate": -3.0}
    with pytest.warns(AssemblyWarning, match=r"rocker\.angle\.rate 3.0003 -> 3\.0"):
        run = s.simulate(0.1, initial=start)
    assert {name for name, _, _ in run.assembly.corrected} >= {"rocker.angle.rate"}
    assert "was given" in str(run.assembly)


def test_coordinates_that_are_given_are_kept_before_those_that_are_not():
    bar = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1), frames={"tip": (1, 0, 0)})
    s = kf.System("half given")
    s.add("crank", bar, kf.Revolute("z"), q=1.2)
    s.add("coupler", bar, kf.Revolute("z"), parent="crank", at="tip")
    s.add("rocker", bar, kf.Revolute("z"), at=(1, 0, 0))
    s.close("pin", "coupler.tip", "rocker.tip", kf.Revolute("z"))
    found = s.assemble()
    assert found.state["crank.q"] == 1.2 and not found.corrected and found.moved
    q = found.state.q
    assert np.allclose(dynamics_defect(s, q), 0, atol=1e-12)


def dynamics_defect(system, q):
    d = system.dynamics()
    return d.equations(0.0, q, np.zeros(d.plan.nu))[0]


def test_coordinates_that_nearly_fit_are_corrected_with_a_word_and_far_ones_refused():
    s = parallelogram(crank=1.05)
    with pytest.warns(AssemblyWarning, match=r"as the values given do not fit together: crank.angle 1.05 -> "):
        run = s.simulate(0.1)
    assert 1.0 < run.assembly.state["crank.q"] < 1.05
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallelogram(crank=1.0 + 1e-8).simulate(0.1)
    rod = dumbbell(0.0, 1.0, 0.0, defect=9.0)
    with pytest.raises(ModelError, match=r"coordinates given are far .*a.x -5 -> -0.5.*fewer"):
        rod.assemble()


def test_a_state_that_is_changed_by_name_keeps_what_was_changed():
    s = parallelogram()
    state = s.assemble().state
    state["rocker.rate"] = 2.0
    found = s.assemble(state)
    assert np.allclose(found.state.rates, [2.0, -2.0, 2.0], atol=1e-12) and found.state["rocker.rate"] == 2.0


def test_the_rate_of_a_motion_is_not_given_twice():
    s = kf.System("driven")
    bar = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    s.add("hub", bar, kf.Revolute("z", motion=kf.profiles.constant_rate(2.0)))
    s.add("arm", bar, kf.Revolute("z"), parent="hub", at=(1, 0, 0))
    with pytest.raises(ModelError, match=r'"hub\.angle" is not that of its motion: .* 3 -> 2'):
        s.simulate(0.1, initial={"hub.rate": 3.0})
    assert s.assemble({"hub.rate": 2.0}).state["hub.rate"] == 2.0


def test_a_joint_that_is_driven_in_part_takes_numbers_for_all_of_it():
    s = kf.System("driven in part")
    hub = kf.Universal(("z", "x"), motion={"angle1": kf.profiles.constant_rate(2.0)})
    s.add("hub", kf.Rigid(2.0, inertia=(1, 2, 3)), hub, q=(0, 0.3), rates=(0, 0.7))
    found = s.assemble()
    assert np.allclose(found.state.rates, [2.0, 0.7]) and not found.corrected
