"""Constrained and driven systems in motion: assembling, drift, singular positions, given motions, written constraints."""

import math

import numpy as np
import pytest
from formulations.identities import close, largest
from formulations.loops import JOINT_KINDS, LoopMotion, Loops, prescribed
from hypothesis import assume, given
from sweeps import sweep
from trees import FORMULATIONS, TIME, WAYS, trees

import kaneflex as kf
from kaneflex import profiles
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import assemble
from kaneflex.gallery import bricard, four_bar
from kaneflex.plan.build import build
from kaneflex.simulate.simulate import SimulationError

G = 9.81
BARS = four_bar.DEFAULTS


def bar(mass: float, length: float) -> kf.Rigid:
    J = mass * length**2 / 12
    return kf.Rigid(mass, com=(length / 2, 0, 0), inertia=(0.01, J, J), frames={"tip": (length, 0, 0)})


def linkage(crank=0.8, coupler=2.2, rocker=1.6, ground=2.0, q=(0.6, -0.1, 1.2), axis="z", last=None, **joint) -> kf.System:
    """A four-bar whose closing frame on the rocker is `last`."""
    s = kf.System("linkage", gravity=(0, -G, 0))
    s.add("crank", bar(1.0, crank), kf.Revolute("z", **joint), q=None if joint else q[0])
    s.add("coupler", bar(1.0, coupler), kf.Revolute("z"), parent="crank", at="tip", q=q[1])
    s.add("rocker", bar(1.0, rocker), kf.Revolute("z"), at=(ground, 0, 0), q=q[2])
    s.add_frame("rocker", "end", kf.Frame((rocker, 0, 0)) if last is None else last)
    s.close("pin", "coupler.tip", "rocker.end", kf.Revolute(axis))
    return s


# -- assembling ----------------------------------------------------------------------------------------------------------


def test_a_start_that_nearly_fits_is_assembled_and_says_so():
    system, fits = four_bar.build(BARS), four_bar.angles(0.6, BARS)
    start = {"crank.angle": 0.6, "coupler.angle": fits[1] - 0.6 + 0.05, "rocker.angle": fits[2] - 0.04, "crank.rate": 2.0}
    found = system.assemble(start, keep=("crank.angle",))
    state = found.state
    assert state["crank.angle"] == 0.6 and state["crank.rate"] == 2.0
    assert state["coupler.angle"] == pytest.approx(fits[1] - 0.6, abs=1e-12)
    assert state["rocker.angle"] == pytest.approx(fits[2], abs=1e-12)
    ratios, _ = four_bar.influence(0.6, BARS)
    assert state["coupler.rate"] == pytest.approx(2.0 * (ratios[1] - 1), rel=1e-11)
    assert state["rocker.rate"] == pytest.approx(2.0 * ratios[2], rel=1e-11)
    moved = {name: (before, after) for name, before, after in found.moved}
    assert set(moved) == {"coupler.angle", "rocker.angle", "coupler.angle.rate", "rocker.angle.rate"}
    assert moved["rocker.angle"] == (start["rocker.angle"], state["rocker.angle"])
    assert found.violation[1] == "pin" and found.violation[0] == pytest.approx(0.16, abs=0.02)
    assert 0 < found.steps < 10
    text = str(found)
    assert "pin" in text and "rocker.angle" in text and "0.162" in text


def test_without_keep_the_change_is_the_smallest_in_kinetic_energy():
    """Corrections of the rates are orthogonal, in the mass matrix, to all motions that the constraints allow."""
    system, fits = four_bar.build(BARS), four_bar.angles(0.6, BARS)
    start = {"crank.angle": 0.6, "coupler.angle": fits[1] - 0.6, "rocker.angle": fits[2], "crank.rate": 2.0}
    state = system.state(start)
    state.given = None  # none of it must be kept
    found = system.assemble(state)
    d = system.dynamics()
    change = found.state.rates - state.rates
    ratios, _ = four_bar.influence(0.6, BARS)
    free = np.array([1.0, ratios[1] - 1.0, ratios[2]])
    assert np.linalg.norm(change) > 0.1
    close(free @ d.mass_matrix(found.state.q) @ change, 0.0, "work of the correction", largest(change), 1e-10)


def test_a_run_starts_assembled():
    run = linkage(q=(0.6, -0.1, 1.2)).simulate(0.1)
    assert run.assembly.moved and run.assembly.violation[1] == "pin"
    assert np.abs(run["coupler.tip.position"] - run["rocker.end.position"])[0].max() < 1e-12
    assert run.audit.ok and run.audit.position_violation < 1e-12
    assert linkage().assemble(run.state(0)).moved == ()  # what fits is left alone


def test_an_unconstrained_run_has_nothing_to_assemble():
    s = kf.System("free", gravity=(0, 0, -G))
    s.add("a", kf.Rigid(1.0, com=(0, 0, -1)), kf.Revolute("y"), q=0.3)
    assert s.simulate(0.1).assembly is None


def test_impossible_loops_name_the_worst_constraint():
    with pytest.raises(kf.ModelError, match=r'cannot be assembled: constraint "pin" stays off by'):
        linkage(ground=9.0).simulate(1.0)
    s = linkage()
    s.add("ball", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Spherical(), at=(0, 0, 5))
    s.constrain("rod", kf.Distance("ball", "N", 7.0))  # it is at 5 m
    with pytest.raises(kf.ModelError, match=r'"rod" stays off by 2 '):
        s.assemble()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_impossible_loops_are_refused_by_every_formulation(formulation):
    with pytest.raises(kf.ModelError, match='constraint "pin"'):
        linkage(ground=9.0).simulate(1.0, formulation=formulation)


@pytest.mark.parametrize("joint", [kf.Revolute("z"), kf.Cylindrical("z"), kf.Planar("x"), kf.Screw("z", pitch=0.2)])
def test_a_loop_put_together_the_wrong_way_round_is_refused(joint):
    """Equations of direction hold for opposite axes too."""
    for turn, fine in ((0.0, True), (math.pi, False)):
        s = kf.System("wrong")
        s.add("a", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free())
        s.add_frame("a", "end", kf.Frame((0, 0, 0), (("y", turn),)))
        s.close("hinge", "N", "a.end", joint)
        if fine:
            assert s.assemble().state["a.q"] == pytest.approx([0, 0, 0, 1, 0, 0, 0])
        else:
            with pytest.raises(kf.ModelError, match=r'"hinge" is put together the wrong way round'):
                s.assemble()


@pytest.mark.parametrize("joint", [kf.Fixed(), kf.Prismatic("x"), kf.Translational()])
def test_a_joint_that_does_not_turn_is_not_assembled_turned(joint):
    for turns in ((("x", math.pi),), (("x", math.pi / 2), ("y", math.pi / 2)), (("z", math.pi),)):
        s = kf.System("wrong")
        s.add("a", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free())
        s.add_frame("a", "end", kf.Frame((0, 0, 0), turns))
        s.close("slide", "N", "a.end", joint)
        with pytest.raises(kf.ModelError, match=r"wrong way round|cannot be assembled"):
            s.assemble()


@pytest.mark.parametrize("angle", [0.0, 1.0, -2.5, 3.1, 40.0])
def test_turned_closing_joints_are_right(angle):
    """A joint that turns may start at any angle."""
    for joint, advance in (
        (kf.Revolute("z"), 0.0),
        (kf.Cylindrical("z"), 0.3),
        (kf.Screw("z", pitch=0.4), 0.4 * angle / math.tau),
    ):
        s = kf.System("nut", gravity=(0, 0, -G))
        s.add("rod", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
        s.add("nut", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Cylindrical("z"), q=(angle, advance))
        s.close("thread", "rod", "nut", joint)
        assert s.assemble().moved == ()


def test_a_screw_half_a_turn_off_does_not_fit():
    """The sine of half a turn is zero too."""
    s = kf.System("nut", gravity=(0, 0, -G))
    s.add("rod", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    s.add("nut", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Cylindrical("z"), q=(0.0, 0.25))
    s.close("thread", "rod", "nut", kf.Screw("z", pitch=0.5))
    with pytest.raises(kf.ModelError, match=r'"thread" is put together the wrong way round'):
        s.assemble()


@pytest.mark.parametrize("slide", [0.2, 0.24, 0.26, 0.3])
def test_a_screw_nearly_half_a_turn_off_finds_the_next_turn(slide):
    s = kf.System("nut", gravity=(0, 0, -G))
    s.add("rod", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    s.add("nut", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Cylindrical("z"), q=(0.0, slide))
    s.close("thread", "rod", "nut", kf.Screw("z", pitch=0.5))
    state = s.assemble().state
    turns = (state["nut.angle"] - state["rod.angle"]) / math.tau
    assert state["nut.slide"] / 0.5 - turns == pytest.approx(1.0 if slide > 0.25 else 0.0, abs=1e-9)


def test_redundant_equations_are_named():
    run = linkage().simulate(0.1)
    assert run.assembly.redundant == ("pin[2]", "pin[3]", "pin[4]")
    assert "pin[3]" in str(run.assembly)
    s = kf.System("twice", gravity=(0, 0, -G))
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free(), at=(1, 0, 0))
    s.constrain("rod", kf.Distance("N", "a", 1.0))
    s.constrain("same", kf.Distance("N", "a", 1.0))
    assert s.assemble().redundant in (("rod[0]",), ("same[0]",))
    assert s.simulate(0.5).audit.ok


def test_motions_that_contradict_constraints_are_refused():
    s = linkage(motion=profiles.constant_rate(1.0, 0.6))
    s.constrain("stiff", kf.Gear("crank", "rocker", 3.0))
    with pytest.raises(kf.ModelError, match=r'"(stiff|pin)"'):
        s.simulate(0.1)
    s = kf.System("short")
    s.add("a", kf.Rigid(1.0), kf.Prismatic("x", motion=profiles.hold(3.0)))
    s.constrain("rod", kf.Distance("N", "a", 1.0))
    with pytest.raises(kf.ModelError, match=r'"rod" stays off by 2 '):
        s.simulate(0.1)


def test_what_keeps_its_place_moves_with_the_others():
    """A coordinate that is kept stays; its rate, which was not given, follows from the one that was."""
    fits = four_bar.angles(0.6, BARS)
    start = {"crank.angle": 0.63, "coupler.angle": fits[1] - 0.6, "rocker.angle": fits[2], "crank.rate": 2.0}
    state = four_bar.build(BARS).assemble(start, keep=("rocker.angle",)).state
    assert state["rocker.angle"] == fits[2] and state["crank.angle"] == pytest.approx(0.6, abs=1e-9)
    ratios, _ = four_bar.influence(0.6, BARS)
    assert state["crank.rate"] == 2.0 and state["rocker.rate"] == pytest.approx(2.0 * ratios[2], rel=1e-8)


def test_nothing_can_move_that_is_kept():
    with pytest.raises(kf.ModelError, match=r'"pin" stays off by .* or hold less'):
        linkage().assemble(keep=("crank", "coupler.angle", "rocker.angle"))
    with pytest.raises(kf.ModelError, match="keep"):
        linkage().assemble(keep=("crank.slide",))


def test_starts_without_a_direction_are_refused():
    """A rod between points that coincide, a thin disk that lies flat: where to push is not defined."""
    for tie in (kf.Distance("N", "a", 1.0), kf.Rolling("a", "N", (1.0, 1.0, 0.0))):
        s = kf.System("where", gravity=(0, 0, -G))
        s.add("a", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free())
        s.constrain("tie", tie)
        with pytest.raises(kf.ModelError, match='"tie"'):
            s.simulate(0.1)


def test_a_structure_stands():
    """A weight on three rods: nothing moves, and each carries a third of the weight over the cosine of its slope."""
    s = kf.System("truss", gravity=(0, 0, -10.0))
    s.add("weight", kf.Rigid(3.0), kf.Translational(), at=(0, 0, -1))
    for k in range(3):
        a = math.tau * k / 3
        s.constrain(f"rod{k}", kf.Distance((math.cos(a), math.sin(a), 0.0), "weight", math.sqrt(2)))
    for formulation in FORMULATIONS:
        run = s.simulate(1.0, formulation=formulation)
        for k in range(3):
            assert run[f"rod{k}.multipliers"] == pytest.approx(-10 * math.sqrt(2), rel=1e-9)
        assert np.abs(run["weight.q"]).max() < 1e-12 and run.audit.ok, str(run.audit)


def test_given_motions_are_taken_up_at_the_start():
    s = linkage(motion=profiles.cosine(0.3, 2.0, phase=-1.0, offset=0.5))
    found = s.assemble({"coupler.angle": 0.1, "rocker.angle": 1.2})
    assert found.state["crank.angle"] == pytest.approx(0.5 + 0.3 * math.cos(1.0))
    assert found.state["crank.rate"] == pytest.approx(0.6 * math.sin(1.0))
    assert "crank.angle" in {name for name, *_ in found.moved}


# -- drift ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gallery", "size", "duration", "options", "energy"),
    [
        (four_bar, 2.2, 100.0, {"method": "rk4", "step": 1e-3}, 1e-7),
        (four_bar, 2.2, 20.0, {"method": "dop853", "max_step": 2e-4, "rtol": 1e-10, "atol": 1e-12}, 1e-10),
        (bricard, 0.5, 20.0, {"method": "rk4", "step": 2e-4}, 1e-7),
    ],
    ids=["four-bar-rk4", "four-bar-dop853", "six-bar-rk4"],
)
def test_a_hundred_thousand_steps_leave_no_drift(gallery, size, duration, options, energy):
    run = gallery.build(gallery.DEFAULTS).simulate(duration, output=duration / 20, **options)
    assert run.statistics["steps"] >= 99_999 and run.statistics["projection_failures"] == 0
    assert run.audit.position_violation < 1e-10 * size
    assert run.audit.velocity_violation < 1e-10
    assert run.audit.energy_drift < energy


# -- singular positions ----------------------------------------------------------------------------------------------------


def parallelogram(gravity: float, angle: float, rate: float) -> kf.System:
    """Two equal cranks: flat, it may go on as a parallelogram or cross over."""
    s = kf.System("parallelogram", gravity=(0, -gravity, 0))
    s.add("crank", bar(1.0, 1.0), kf.Revolute("z"), q=angle, rates=rate)
    s.add("coupler", bar(1.0, 2.0), kf.Revolute("z"), parent="crank", at="tip", q=-angle, rates=-rate)
    s.add("rocker", bar(1.0, 1.0), kf.Revolute("z"), at=(2, 0, 0), q=angle, rates=rate)
    s.close("pin", "coupler.tip", "rocker.tip", kf.Revolute("z"))
    return s


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    ("gravity", "angle", "rate"),
    [(0.0, 1.0, 1.0), (G, 1.0, -6.0), (G, 1.0, -1.0), (G, 0.0, 0.0), (G, 0.0, 1.0), (0.0, math.pi, 2.0)],
)
def test_change_points_are_passed_or_reported(gravity, angle, rate, formulation):
    """Through flat positions, where the loop has one freedom more: never anything but numbers, and never out of joint."""
    for method in ("dopri5", "dop853"):
        try:
            run = parallelogram(gravity, angle, rate).simulate(
                4.0, method=method, formulation=formulation, rtol=1e-9, atol=1e-11
            )
        except SimulationError as error:
            assert "singular" in str(error) and np.isfinite(error.trajectory.y).all()
            continue
        assert run.status == "done" and np.isfinite(run.q).all() and np.isfinite(run.u).all()
        gap = np.abs(run["coupler.tip.position"] - run["rocker.tip.position"]).max()
        assert gap < 1e-9 or not run.audit.ok
        assert np.isfinite(run.loads("pin").force).all()


def test_a_parallelogram_that_coasts_turns_through_its_change_points():
    run = parallelogram(0.0, 1.0, 1.0).simulate(20.0)
    assert run["crank.angle"][-1] == pytest.approx(21.0, abs=1e-6)
    assert run["rocker.angle"][-1] == pytest.approx(21.0, abs=1e-6) and run.audit.ok


def test_singular_positions_are_in_the_audit():
    """Flat when the crank's angle is a multiple of pi: at t = k pi - 1 when it coasts from 1 rad."""
    run = parallelogram(0.0, 1.0, 1.0).simulate(20.0)
    times = [t for t, _, _ in run.audit.singular]
    assert times == pytest.approx(math.pi * np.arange(1, 7) - 1, abs=0.02)
    assert {name for _, name, _ in run.audit.singular} == {"pin"} and 'nearly singular 6 times: "pin" at t =' in str(
        run.audit
    )
    assert not run.audit.projection_failures and run.audit.ok
    folded = parallelogram(G, 0.0, 0.0).simulate(0.05).audit
    assert folded.singular[0][:2] == (0.0, "pin") and folded.singular[0][2] == 0
    assert linkage().simulate(1.0).audit.singular == ()


def test_steps_that_lose_a_constraint_fail_the_audit(tmp_path):
    """From flat, under gravity, this one crosses over again and again; a step that could not be projected has a time."""
    s = kf.System("parallelogram", gravity=(0, -G, 0))
    crank = kf.Rigid(1.5, com=(0.5, 0, 0), inertia=(0.01, 0.125, 0.125), frames={"tip": (1, 0, 0)})
    coupler = kf.Rigid(2.5, com=(1, 0, 0), inertia=(0.01, 0.8, 0.8), frames={"tip": (2, 0, 0)})
    s.add("left", crank, kf.Revolute("z"), q=0.0, rates=-1.0)
    s.add("right", crank, kf.Revolute("z"), at=(2, 0, 0), q=0.0, rates=-1.0)
    s.add("bar", coupler, kf.Revolute("z"), parent="left", at="tip", q=0.0, rates=1.0)
    s.close("pin", "bar.tip", "right.tip", kf.Revolute("z"))
    assert s.simulate(6.0).audit.projection_failures == ()  # a step that loses it is tried again, shorter
    s = linkage(crank=1.6, rocker=0.8, q=(1.0, -1.5, 0.3), motion=profiles.constant_rate(1.0, 1.0))
    run = s.simulate(1.0, method="rk4", step=0.1)  # a step that is fixed cannot be, where the drive pushes too far
    assert len(run.audit.projection_failures) == run.statistics["projection_failures"] > 0 and not run.audit.ok
    (t, name), count = run.audit.projection_failures[0], len(run.audit.projection_failures)
    assert name == "pin" and 0 < t <= 1
    assert f'"pin" could not be met after {count} steps, first at t = {t:.6g} s' in str(run.audit)
    assert kf.Run.load(run.save(tmp_path / "run.h5")).audit.projection_failures == run.audit.projection_failures


def test_a_run_that_spends_its_steps_at_a_singular_position_says_so():
    with pytest.raises(SimulationError, match='constraint "pin" is nearly singular there'):
        parallelogram(G, 0.0, 0.0).simulate(1.0, max_step=1e-4, max_steps=3)


def test_a_dead_centre_stops_the_drive_that_pushes_beyond_it():
    """The crank cannot turn as far as its motion says: the run ends with a word about the position, and with numbers."""
    s = linkage(crank=1.6, rocker=0.8, q=(1.0, -1.5, 0.3), motion=profiles.constant_rate(1.0, 1.0))
    with pytest.raises(SimulationError, match="singular") as failure:
        s.simulate(5.0)
    assert np.isfinite(failure.value.trajectory.y).all() and 0 < failure.value.trajectory.t[-1] < 5.0


# -- given motions -------------------------------------------------------------------------------------------------------


@sweep(40)
@given(trees(most=14, kinds=JOINT_KINDS))
def test_load_of_a_drive_is_that_of_inverse_dynamics(recipe):
    """The same motion without drives: what inverse dynamics asks for in the driven joints; elsewhere, nothing."""
    m = Loops(recipe, (), driven=True).mechanism()
    assume(m.motions)
    m.tau[:] = 0.0
    driven = LoopMotion(m.dynamics(*WAYS[0]), m)
    plain = Dynamics(build(recipe.tree().model, *WAYS[0]))
    plain.set_inputs(m.inputs)
    wanted = plain.inverse_dynamics(m.q, driven.u, driven.udot, TIME)
    scale = 1 + largest(wanted, plain.inverse_dynamics(m.q, driven.u, 0 * driven.udot, TIME))
    close(driven.holding, np.where(prescribed(driven.d), wanted, 0.0), "loads of the drives", scale)
    close(wanted[~prescribed(driven.d)], np.zeros(np.sum(~prescribed(driven.d))), "loads elsewhere", scale)
    for k, motion in m.motions.items():
        close(driven.udot[k], motion.functions[2](TIME), "given acceleration", 1.0, 1e-12)


def arm(motion) -> kf.System:
    """A driven shoulder, a sprung and damped elbow."""
    s = kf.System("arm", gravity=(0, -G, 0))
    s.add("upper", bar(2.0, 1.0), kf.Revolute("z", motion=motion))
    s.add("lower", bar(1.0, 0.8), kf.Revolute("z"), parent="upper", at="tip", q=0.4)
    s.apply("elbow", kf.JointSpring("lower", stiffness=3.0, damping=0.5))
    return s


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_work_of_a_drive_is_the_change_of_energy(formulation):
    run = arm(profiles.cosine(0.8, 3.0, phase=0.7)).simulate(
        3.0, formulation=formulation, method="dop853", rtol=1e-11, atol=1e-12, output=1e-3
    )
    power = run["upper.drive"] * run["upper.rate"]
    work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.t))])
    applied = run.trajectory.y[:, -2]
    assert np.abs(applied - work).max() < 1e-5 * np.abs(work).max()
    lost = run.trajectory.y[:, -1]
    assert np.abs(run["energy.total"] - run["energy.total"][0] - applied - lost).max() < 1e-9 * np.abs(applied).max()
    assert run.audit.ok
    assert np.abs(run["upper.angle"] - 0.8 * np.cos(3 * run.t + 0.7)).max() < 1e-13
    plain = arm(None).dynamics()
    for k in (0, 777, 3000):  # the drive's load by inverse dynamics of the same motion
        udot = run.trajectory.dynamics.udot_at(run.t[k], run.q[k], run.u[k])
        assert run["upper.drive"][k] == pytest.approx(plain.inverse_dynamics(run.q[k], run.u[k], udot)[0], rel=1e-10)


def test_a_driven_gear_train_needs_the_torque_of_all_its_wheels():
    """13 kg m^2 seen from the driven shaft: its own, and three times a ratio of two squared."""
    s = kf.System("gears")
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=profiles.cosine(1.0, 2.0)))
    s.add("b", kf.Rigid(1.0, inertia=(3, 3, 3)), kf.Revolute("z"))
    s.constrain("gear", kf.Gear("a", "b", 2.0))
    for formulation in FORMULATIONS:
        run = s.simulate(2.0, formulation=formulation, rtol=1e-10, atol=1e-12)
        assert run["a.drive"] == pytest.approx(-13 * 4 * np.cos(2 * run.t), abs=1e-9)
        assert run.audit.ok, str(run.audit)


def test_a_gear_between_two_drives_carries_nothing():
    """It says what the motions say; of all that it could carry, least is nothing."""
    s = kf.System("gears")
    for name, amplitude in (("a", 1.0), ("b", 2.0)):
        s.add(name, kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=profiles.cosine(amplitude, 2.0)))
    s.constrain("gear", kf.Gear("a", "b", 2.0, 0.0))
    for formulation in FORMULATIONS:
        run = s.simulate(1.0, formulation=formulation)
        assert run.assembly.redundant == ("gear[0]",) and np.all(run["gear.multipliers"] == 0)
        assert run["b.drive"] == pytest.approx(-8 * np.cos(2 * run.t), abs=1e-9) and run.audit.ok


def sprung_cart(motion) -> kf.System:
    s = kf.System("cart")
    s.add("cart", kf.Rigid(3.0), kf.Prismatic("x", motion=motion))
    s.add("bob", kf.Rigid(1.0), kf.Prismatic("x"), parent="cart")
    s.apply("spring", kf.JointSpring("bob", stiffness=16.0))
    return s


def sprung_answer(t, motion):
    """Relative motion x'' = -16 x - a(t), exactly, piece by piece of constant acceleration."""
    x, v, now = 0.0, 0.0, 0.0
    out = np.zeros(len(t))
    for end in (*(b for b in motion.breaks if b > 0), np.inf):
        a = motion.functions[2](now)
        part = (t >= now) & (t <= end)
        at = lambda s, x=x, v=v, a=a: (x + a / 16) * np.cos(4 * s) + v / 4 * np.sin(4 * s) - a / 16
        out[part] = at(t[part] - now)
        if end < np.inf:
            s = end - now
            x, v, now = at(s), -4 * (x + a / 16) * math.sin(4 * s) + v * math.cos(4 * s), end
    return out


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau5", "sdirk4"])
def test_breaks_cost_no_accuracy(method):
    """The acceleration of a bang-bang motion jumps: steps end there, and as few are needed as without jumps."""
    motion = profiles.bang_bang(1.0, 1.1, start=0.37)
    tolerance = {"rtol": 1e-10, "atol": 1e-12}
    run = sprung_cart(motion).simulate(3.0, method=method, **tolerance)
    assert np.abs(run["bob.q"] - sprung_answer(run.t, motion)).max() < (2e-7 if method == "sdirk4" else 3e-9)
    assert np.abs(run["cart.q"] - [motion.functions[0](t) for t in run.t]).max() < 1e-14
    smooth = sprung_cart(profiles.cosine(1.0, 3.0)).simulate(3.0, method=method, **tolerance)
    assert run.statistics["steps"] < 1.5 * smooth.statistics["steps"] + 20
    assert run.audit.ok and smooth.audit.ok
    load = run["cart.drive"]
    inner = [np.min(np.abs(run.t[k] - np.array(motion.breaks))) > 1e-9 for k in range(len(run.t))]
    wanted = 3.0 * np.array([motion.functions[2](t) for t in run.t]) - 16.0 * run["bob.q"]
    assert np.abs(load - wanted)[inner].max() < 1e-8


@pytest.mark.parametrize("method", ["radau5", "sdirk4"])
@pytest.mark.parametrize("driven", ["motion", "constraint", "force", "base"])
def test_implicit_steps_book_work_as_exactly_as_motion(driven, method):
    """Whatever shakes the cart: the work that is added up is as good as the states."""
    cart = None if driven != "motion" else profiles.cosine(1.0, 3.0)
    base = kf.MovingBase(lambda t: (-9 * math.cos(3 * t), 0.0, 0.0)) if driven == "base" else None
    s = kf.System("shaken", base=base)
    s.add("cart", kf.Rigid(3.0), None if base else kf.Prismatic("x", motion=cart), q=None if base or cart else 1.0)
    s.add("bob", kf.Rigid(1.0), kf.Prismatic("x"), parent="cart")
    s.apply("spring", kf.JointSpring("bob", stiffness=16.0))
    if driven == "force":
        s.apply("push", kf.JointForce("cart", lambda t: 5 * math.cos(3 * t)))
    elif driven == "constraint":
        s.constrain("held", kf.Constraint(lambda t, x: x[0] - kf.cos(3 * t), ("cart.slide",)))
    run = s.simulate(3.0, method=method, rtol=1e-8, atol=1e-10)
    assert run.audit.energy_drift < 1e-7, str(run.audit)


def test_a_run_goes_on_across_a_break():
    motion = profiles.bang_bang(1.0, 1.1, start=0.37)
    for stop in (0.2, 0.37, 0.5, 0.92, 1.47):
        run = sprung_cart(motion).simulate(stop, rtol=1e-10, atol=1e-12).extend(3.0 - stop)
        assert np.abs(run["bob.q"] - sprung_answer(run.t, motion)).max() < 3e-9, stop


# -- written constraints -------------------------------------------------------------------------------------------------


def pair(tie) -> kf.System:
    """Two free bodies tied somehow, moving anyhow."""
    s = kf.System("pair", gravity=(1.0, 2.0, -G))
    rng = np.random.default_rng(1)
    for name, at in (("a", (0, 0, 0)), ("b", (1, 1, 0))):
        frame = kf.Frame((0.2, 0.1, -0.3), (("x", 0.4), ("z", 0.7)))
        body = kf.Rigid(1.5, com=(0.1, 0.0, 0.2), inertia=(0.5, 0.6, 0.7), frames={"f": frame})
        q = rng.normal(size=7)
        s.add(name, body, kf.Free(), at=at, q=q / [1, 1, 1, *[np.linalg.norm(q[3:])] * 4], rates=rng.normal(size=6))
    s.add("shaft", kf.Rigid(1.0, com=(0.2, 0, 0), inertia=(0.1, 0.2, 0.3)), kf.Revolute("z"), parent="a", q=0.3, rates=0.5)
    s.add("slide", kf.Rigid(1.0, inertia=(0.1, 0.2, 0.3)), kf.Prismatic("x"), parent="b", q=0.1, rates=-0.2)
    s.constrain("tie", tie)
    return s


def as_distance(t, x):
    return kf.sqrt((x[0] - x[3]) ** 2 + (x[1] - x[4]) ** 2 + (x[2] - x[5]) ** 2) - 1.3


def as_knife_edge(t, x, v):
    return v[0] * x[4] + v[1] * x[7] + v[2] * x[10]


def as_plane(t, x):
    return x[2]


def as_gear(t, x):
    return x[1] - 2 * x[0] - 0.1


def as_gear_of_rates(t, x, v):
    return v[1] - 2 * v[0]


def as_ball(t, x):
    return x[0] - x[3], x[1] - x[4], x[2] - x[5]


def as_line(t, x):
    d = [x[k] - x[3 + k] for k in range(3)]
    return [sum(x[6 + 3 * k + axis] * d[k] for k in range(3)) for axis in range(2)]


PAIRS = {
    "distance": (kf.Distance("a.f", "b.f", 1.3), kf.Constraint(as_distance, ("a.f.position", "b.f.position"))),
    "knife-edge": (kf.KnifeEdge("a.f"), kf.VelocityConstraint(as_knife_edge, ("a.f.position", "a.f.rotation"))),
    "plane": (kf.PointOnPlane("a.f"), kf.Constraint(as_plane, ("a.f.position",))),
    "surface": (kf.PointOnPlane("a.f"), kf.PointOnSurface("a.f", "N", lambda x, y, z: z)),
    "line": (kf.PointOnLine("a.f", "b.f"), kf.Constraint(as_line, ("a.f.position", "b.f.position", "b.f.rotation"))),
    "gear": (kf.Gear("shaft", "slide", 2.0, 0.1), kf.Constraint(as_gear, ("shaft.angle", "slide.slide"))),
    "rates": (kf.Gear("shaft", "slide", 2.0), kf.VelocityConstraint(as_gear_of_rates, ("shaft", "slide.q"))),
    "ball": (
        kf.Closure((0.0, 0.0, 0.0), "a.f", kf.Spherical()),
        kf.Constraint(lambda t, x: (x[0], x[1], x[2]), ("a.f.position",)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_written_constraints_are_the_built_in_ones(name):
    """The same accelerations wherever the system is, and the same multipliers."""
    built, written = (pair(tie) for tie in PAIRS[name])
    state = built.state()
    for way in WAYS:
        one, other = built.dynamics(*way), written.dynamics(*way)
        u = one.speeds_from_rates(state.q, state.rates)
        close(one.udot_at(TIME, state.q, u), other.udot_at(TIME, state.q, u), f"u-dot, {way}")
        close(one.multipliers(TIME, state.q, u), other.multipliers(TIME, state.q, u), f"multipliers, {way}")
        for a, b in zip(one.equations(TIME, state.q, u), other.equations(TIME, state.q, u), strict=True):
            close(a, b, f"equations, {way}", 1 + largest(a))


def test_a_motion_is_a_constraint_of_time():
    """A drive and a Constraint that say the same: the same run; the multiplier is the drive's load."""
    one = arm(lambda t: 0.8 * kf.cos(3 * t)).simulate(1.0, rtol=1e-11, atol=1e-12)
    other = arm(None)
    other.constrain("drive", kf.Constraint(lambda t, x: x[0] - 0.8 * kf.cos(3 * t), ("upper.angle",)))
    run = other.simulate(1.0, initial={"upper.angle": 0.8, "lower.angle": 0.4}, rtol=1e-11, atol=1e-12)
    assert np.abs(one["lower.angle"] - run["lower.angle"]).max() < 1e-8
    assert np.abs(one["upper.drive"] - run["drive.multipliers"]).max() < 1e-6
    assert run.audit.ok and run.audit.applied_work == pytest.approx(one.audit.applied_work, rel=1e-7)


def test_a_loop_closed_by_a_custom_joint():
    """One that is a hinge: the same motion as with a hinge, and the same force in it."""

    def pose(q):
        c, s = np.cos(q[0]), np.sin(q[0])
        return [[c, -s, 0], [s, c, 0], [0, 0, 1]], [0, 0, 0]

    start = linkage().assemble().state
    hinge = linkage().simulate(1.0, initial=start, rtol=1e-10, atol=1e-12)
    s = linkage()
    del s.constraints["pin"]
    s.close("pin", "coupler.tip", "rocker.end", kf.CustomJoint(pose, ("angle",)))
    angles = {f"{name}.angle": start[f"{name}.angle"] for name in ("crank", "coupler", "rocker")}
    turn = angles["rocker.angle"] - angles["crank.angle"] - angles["coupler.angle"]
    run = s.simulate(1.0, initial=angles | {"pin.angle": turn}, rtol=1e-10, atol=1e-12)
    assert run.audit.ok
    for channel in ("crank.angle", "rocker.angle", "coupler.tip.position", "energy.total"):
        close(run[channel], hinge[channel], channel, 1 + largest(hinge[channel]), 1e-8)
    close(run.loads("pin").force, hinge.loads("pin").force, "force in the pin", tolerance=1e-7)


# -- keeping and going on --------------------------------------------------------------------------------------------------


def everything() -> kf.System:
    """A driven four-bar with a gear, a written constraint and a bob on a rope."""
    s = linkage(motion=profiles.cosine(0.3, 2.0, phase=-1.0, offset=0.5), q=(0.6, 0.0, 1.2))
    s.add("wheel", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.2)), kf.Revolute("z"), at=(0, 2, 0))
    s.constrain("gear", kf.Gear("crank", "wheel", -2.0))
    s.add("bob", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1)), kf.Free(), at=(0, 3, 0))
    s.constrain("rope", kf.Distance("rocker.tip", "bob", 1.5))
    s.constrain("wall", kf.Constraint(wall, ("bob.position",)))
    return s


def wall(t, x):
    return x[2] - 0.1 * kf.sin(t)


def test_a_constrained_run_is_saved_loaded_and_goes_on(tmp_path):
    system = everything()
    whole = system.simulate(1.0, rtol=1e-10, atol=1e-12, output=0.01)
    half = system.simulate(0.5, rtol=1e-10, atol=1e-12, output=0.01)
    assert whole.audit.ok and whole.assembly.moved
    path = half.save(tmp_path / "half.h5")
    loaded = kf.Run.load(path, {"wall.function": wall})
    assert np.array_equal(loaded.q, half.q) and loaded.model.constraints.keys() == system.constraints.keys()
    for name in ("pin", "gear", "rope", "wall"):
        assert np.array_equal(loaded[f"{name}.multipliers"], half[f"{name}.multipliers"])
    for name in ("crank", "rocker", "pin", "rope"):
        close(loaded.loads(name).force, half.loads(name).force, f"force of {name}", tolerance=1e-14)
    assert loaded.audit == half.audit and loaded.assembly is not None
    for run in (half.extend(0.5), loaded.extend(0.5)):
        assert run.t[-1] == 1.0 and run.audit.position_violation < 1e-12 and run.audit.ok
        for channel in ("rocker.angle", "bob.position", "rope.multipliers", "crank.drive"):
            close(run[channel][-1], whole[channel][-1], channel, 1 + largest(whole[channel]), 1e-7)


def test_a_function_that_a_file_cannot_hold_is_asked_for(tmp_path):
    path = everything().simulate(0.1).save(tmp_path / "run.h5")
    with pytest.raises(kf.ModelError, match=r"wall\.function"):
        kf.Run.load(path).extend(0.1)


# -- flexible bodies on constraints ------------------------------------------------------------------------------------


def soft_loop():
    """A flexible arm on a free hub, its tip to be pinned to a free body that is elsewhere."""
    beam = kf.structures.Beam(length=3.0, EA=1e5, EI=(40.0, 60.0), GJ=30.0, mass_per_length=0.7, elements=6)
    s = kf.System("soft-loop")
    s.add("hub", kf.Rigid(5.0, inertia=(1, 2, 2.5)), kf.Free())
    s.add("arm", kf.Flexible(beam, modes=6), kf.Spherical(), "hub", (0.5, 0.2, 0))
    s.add("other", kf.Rigid(1.0, inertia=(0.1, 0.2, 0.2)), kf.Free())
    s.close("pin", "arm.tip", "other", kf.Spherical())
    return s


@pytest.mark.parametrize("speeds", ["customary", "efficient", "constant-mass"])
@pytest.mark.parametrize("formulation", ["recursive", "dense"])
def test_assembly_leaves_deflections_where_joints_can_do_it(formulation, speeds):
    s, rng = soft_loop(), np.random.default_rng(1)
    d, state = s.dynamics(formulation, speeds), s.state()
    state["arm.modes"], state.rates[:] = 0.02 * rng.normal(size=6), rng.normal(size=len(state.rates))
    after = assemble(d, state).state
    if speeds != "constant-mass":  # whose speeds, when held, let a turn carry some of the deflection along
        assert np.array_equal(after["arm.modes"], state["arm.modes"])
    u = d.speeds_from_rates(after.q, after.rates)
    values, rates = d.equations(0.0, after.q, u)
    assert np.abs(values).max() < 1e-12 and np.abs(rates).max() < 1e-11
    y = np.concatenate([after.q, u, [0.0, 0.0]])
    again = y.copy()
    assert d.project(0.0, again) == 0
    assert np.abs(again - y).max() < 1e-10, "what satisfies the constraints is not moved"


def test_assembly_bends_what_must_bend():
    """Both ends of one loop on the same flexible body: only its modes can close it."""
    beam = kf.structures.Beam(length=2.0, EA=1e5, EI=40.0, mass_per_length=0.7, elements=4)
    s = kf.System("bow")
    s.add("arm", kf.Flexible(beam, modes=6), kf.Revolute("z"))
    s.constrain("string", kf.PointOnPlane("arm.tip", kf.Frame((0, 0, 0.1))))
    after = s.assemble().state
    assert s.dynamics().equations(0.0, after.q, after.rates)[0] == pytest.approx([0], abs=1e-12)
    assert np.abs(after["arm.modes"]).max() > 1e-3


def test_a_start_is_assembled_anew_where_it_differs():
    """A plan remembers the last start: another one is not taken for it, and what a run hands out is a copy."""
    s = linkage()
    first = s.simulate(0.2)
    q = {name: first.assembly.state[name] for name in ("crank.q", "coupler.q", "rocker.q")}
    first.assembly.state.q[:] = 0.0
    again = s.simulate(0.2)
    assert np.array_equal(first.q, again.q) and again.assembly.state["crank.q"] == q["crank.q"]
    other = s.simulate(0.2, initial={**q, "crank.q": q["crank.q"] + 0.1})
    assert abs(other.q[0, 0] - first.q[0, 0]) > 0.01 and other.assembly.violation[0] > 0.01
    assert np.array_equal(s.simulate(0.2).q, first.q)
