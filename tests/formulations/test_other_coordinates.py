"""A formulation with coordinates of its own, added as an outsider would: it is all in `absolute`, and one call registers it.

Whatever is not the integration itself must work with it as with the others: initial values by name, channels, loads, events,
impacts, changes, blocks, audit, report, files, going on.
"""

import math

import numpy as np
import pytest
from formulations.absolute import Absolute
from formulations.identities import body_accelerations, close, set_tau
from hypothesis import given
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from sweeps import sweep
from trees import LOADS as ALL_LOADS
from trees import TIME, Tree, trees

import kaneflex as kf
from kaneflex.cli.run import run_systems
from kaneflex.formulations.integration_state import IntegrationState
from kaneflex.gallery import double_pendulum, four_bar, heavy_top
from kaneflex.kernels import backend
from kaneflex.plan.build import SPEEDS
from kaneflex.plan.formulation import FORMULATIONS, Formulation, register
from kaneflex.structures import Beam

LOADS = tuple(load for load in ALL_LOADS if load[0] != "RodElasticity")  # which brings joints that this formulation has not
TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
JOINTS = ("Fixed", "Free", "Prismatic", "Revolute", "Spherical")


@pytest.fixture(autouse=True, scope="module")
def absolute():
    """The formulation, known by its name."""
    register(Absolute())
    yield FORMULATIONS["absolute"]
    del FORMULATIONS["absolute"]


def rod(length=1.0, mass=1.0) -> kf.Rigid:
    across = mass * length**2 / 12
    return kf.Rigid(mass, com=(length / 2, 0, 0), inertia=(across / 10, across, across), frames={"tip": (length, 0, 0)})


def arms() -> kf.System:
    """Two hinged rods with a spring and a damper, the second so fast that it turns over many times."""
    s = kf.System("arms", gravity=(0, -9.81, 0))
    s.add("arm", rod(), kf.Revolute("z"), q=0.4)
    s.add("hand", rod(0.4, 0.3), kf.Revolute("z"), parent="arm", at="tip", q=0.2, rates=25.0)
    s.apply("spring", kf.JointSpring("arm", stiffness=3.0, damping=0.2))
    return s


@pytest.fixture(params=["absolute", "cartesian"])
def both(request):
    """Runs by a formulation with coordinates of its own, that from outside or that of the package, and by "recursive"."""
    ways = (request.param, "recursive")

    def runs(make, duration, **arguments) -> tuple[kf.Run, kf.Run]:
        found = tuple(make().simulate(duration, formulation=way, **{**TIGHT, **arguments}) for way in ways)
        assert [run.plan.formulation.name for run in found] == list(ways)
        return found

    return runs


def same(own: kf.Run, other: kf.Run, names, tolerance=1e-7):
    """Channels of two runs agree at all samples."""
    assert len(own.t) == len(other.t) and own.t == pytest.approx(other.t, abs=1e-9)
    for name in names:
        close(own[name], other[name], name, max(1.0, float(np.abs(other[name]).max())), tolerance)


# -- one evaluation --------------------------------------------------------------------------------------------------------


@sweep(80)
@given(trees(most=8, kinds=JOINTS, loads=LOADS, bases=(), rotors=False))
def test_states_go_there_and_back_and_accelerations_are_those_of_the_tree(recipe):
    tree = Tree(recipe)
    for speeds in SPEEDS:
        d, reference = tree.dynamics("absolute", speeds), tree.dynamics("recursive", speeds)
        x = np.concatenate([tree.q, d.speeds_from_rates(tree.q, tree.w), [0.3, -0.2]])
        state = IntegrationState(d, d.plan.formulation)
        y = state.from_tree(TIME, x)
        assert len(y) == state.layout.size >= 13 * len(tree.model.parts) + 2
        close(state.to_tree(np.array([TIME]), y[None, :])[0], x, "state", max(1.0, float(np.abs(x).max())), 1e-12)
        for one in (d, reference):
            set_tau(one, tree.tau)
        ydot, xdot = np.empty_like(y), np.empty_like(x)
        d.kernels.call_derivative(state.I, d.P, d.W, TIME, y, ydot)
        own = body_accelerations(d)
        reference.kernels.call_derivative(reference.I, reference.P, reference.W, TIME, x, xdot)
        close(own, body_accelerations(reference), f"accelerations, {speeds}", tolerance=1e-7)
        close(ydot[state.layout.works], xdot[-2:], "power", max(1.0, float(np.abs(xdot).max())), 1e-9)
        h = 1e-6  # and the rate of y is that of the state of the tree
        ahead, behind = (state.to_tree(np.array([TIME]), (y + way * h * ydot)[None, :])[0] for way in (1, -1))
        scale = max(1.0, *(float(np.abs(rates).max()) for rates in (xdot, ydot)))
        close((ahead - behind) / (2 * h), xdot, "rates", scale, 1e-6)


# -- against what the package did not compute ------------------------------------------------------------------------------


@pytest.mark.parametrize("example", [double_pendulum, four_bar, heavy_top], ids=lambda m: m.EXAMPLE.name)
def test_systems_of_the_literature_pass_their_checks(example):
    """A double pendulum, a closed loop, a body on a ball joint: angles, reaction forces and periods of their sources."""
    run = example.simulate(example.build(example.DEFAULTS), example.DEFAULTS, formulation="absolute")
    assert run.plan.formulation.name == "absolute" and run.audit.ok
    for check in example.checks(run, example.DEFAULTS):
        assert check.ok, check


def test_pendulum_on_a_ball_joint_is_that_of_euler_equations():
    J, c, m, g = np.array([0.3, 0.5, 0.4]), np.array([0.2, -0.1, 0.6]), 1.7, np.array([0, 0, -9.81])
    about = np.diag(J) + m * (c @ c * np.eye(3) - np.outer(c, c))

    def slope(t, y):
        e0, e, w = y[0], y[1:4], y[4:]
        down = g + 2 * np.cross(e, np.cross(e, g) - e0 * g)  # R^T g
        turn = np.linalg.solve(about, m * np.cross(c, down) - np.cross(w, about @ w))
        return np.concatenate([[-e @ w / 2], (e0 * w + np.cross(e, w)) / 2, turn])

    start, rates = np.array([0.8, 0.6, 0.0, 0.0]), np.array([0.5, -1.0, 3.0])
    s = kf.System("ball", gravity=g)
    s.add("body", kf.Rigid(m, com=c, inertia=J), kf.Spherical(), q=start, rates=rates)
    run = s.simulate(3.0, formulation="absolute", output=0.1, **TIGHT)
    own = solve_ivp(slope, (0, 3), [*start, *rates], "DOP853", t_eval=run.t, rtol=1e-12, atol=1e-13)
    assert np.hstack([run["body.q"], run["body.rate"]]) == pytest.approx(own.y.T, abs=1e-8)


# -- everything else of a run ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau5", "sdirk4"])
@pytest.mark.parametrize("speeds", ["customary", "efficient"])
def test_channels_turns_and_audit(both, method, speeds):
    own, other = both(arms, 2.0, method=method, speeds=speeds, rtol=1e-10, atol=1e-11)
    names = ("arm.q", "hand.q", "hand.rate", "hand.u", "hand.tip.position", "hand.tip.velocity", "hand.tip.acceleration")
    same(own, other, (*names, "hand.rotation", "spring.power", "energy.kinetic", "energy.total"), 2e-6)
    assert other["hand.q"][-1] > 4 * math.pi
    assert own.audit.ok and own.audit.dissipated_work == pytest.approx(other.audit.dissipated_work, rel=1e-6)


def test_loads_and_multipliers(both):
    make = lambda: four_bar.build(four_bar.DEFAULTS)
    own, other = both(make, 1.0, initial={"crank.q": 0.7, "crank.rate": 2.0})
    same(own, other, ("crank.q", "rocker.q", "pin.multipliers"))
    for name in ("crank", "coupler", "pin"):
        for what in ("force", "torque", "power", "net_power"):
            a, b = (getattr(run.loads(name), what) for run in (own, other))
            close(a, b, f"{what} of {name}", max(1.0, float(np.abs(b).max())), 1e-6)
    assert own.assembly.moved and own.assembly.redundant == other.assembly.redundant


def test_initial_values_by_name(both):
    own, other = both(arms, 0.5, initial={"arm.q": -0.3, "hand.angle": 7.0, "hand.rate": -2.0})
    assert [own["hand.q"][0], own["hand.rate"][0], own["arm.q"][0]] == pytest.approx([7.0, -2.0, -0.3], abs=1e-14)
    same(own, other, ("arm.q", "hand.q"))


def test_prescribed_motions(both):
    """What holds them, and its work, from the rows of single bodies."""

    def crank():
        s = kf.System("crank", gravity=(0, -9.81, 0))
        s.add("crank", rod(), kf.Revolute("z", motion=kf.profiles.smooth_step(2.0, 1.0)))
        s.add("bob", rod(0.5), kf.Revolute("z"), parent="crank", at="tip", q=0.3)
        return s

    own, other = both(crank, 1.0)
    same(own, other, ("crank.q", "bob.q", "crank.drive"))
    assert own.audit.ok and own.audit.applied_work == pytest.approx(other.audit.applied_work, rel=1e-8)


def test_events_actions_and_a_stop(both):
    def events():
        kick = kf.Event(lambda t, x: x[0], ["arm.q"], direction=-1, name="level", action=lambda state: push(state))
        return [kick, kf.Event(lambda t, x: x[0] - 18.0, ["hand.q"], terminal=True, name="six turns")]

    def push(state):
        state["arm.rate"] = state["arm.rate"] / 2

    own, other = both(arms, 3.0, events=events())
    assert [name for _, name in own.events] == [name for _, name in other.events] and len(own.events) >= 2
    assert [t for t, _ in own.events] == pytest.approx([t for t, _ in other.events], abs=1e-8)
    assert own.status == "event" and own["hand.q"][-1] == pytest.approx(18.0, abs=1e-9)
    assert own.audit.ok


def test_systems_that_change(both):
    """A joint that locks, and a body that is cut off: other coordinates in each segment."""
    events = [
        kf.Event(lambda t: t - 0.3, action=lambda state, change: change.lock("hand"), name="lock"),
        kf.Event(lambda t: t - 0.6, action=lambda state, change: change.detach("hand"), name="cut"),
    ]
    own, other = both(arms, 1.0, events=events)
    assert len(own.segments) == len(other.segments) == 2 and own.audit.ok
    assert [i.energy for i in own.impacts] == [pytest.approx(i.energy, rel=1e-8) for i in other.impacts]
    same(own, other, ("arm.q", "arm.rate", "hand.tip.position"))
    assert own.last["hand.q"].shape == (len(own.last.t), 7)


def test_impacts(both):
    def ball():
        s = kf.System("ball", gravity=(0, 0, -9.81))
        frames = {"low": (0.1, 0, -0.2)}
        body = kf.Rigid(1.0, inertia=(0.02, 0.03, 0.04), frames=frames)
        s.add("ball", body, kf.Free(), q=(0, 0, 1, 1, 0, 0, 0), rates=(0.3, 0, 0, 0.2, 0.5, 0))
        s.contact("floor", kf.Contact("ball.low", restitution=0.7))
        return s

    own, other = both(ball, 1.5)
    assert len(own.impacts) == len(other.impacts) >= 3
    assert [i.t for i in own.impacts] == pytest.approx([i.t for i in other.impacts], abs=1e-8)
    same(own, other, ("ball.position", "ball.q"), 1e-6)
    assert own.audit.ok


def test_a_point_that_rests_lets_go(both):
    """Its multiplier, which the formulation leaves in W, is what the event watches."""

    def cup():
        s = kf.System("rest", gravity=(0, 0, -9.81))
        s.add("slider", rod(), kf.Prismatic("z"), q=0.0)
        s.contact("floor", kf.Contact("slider", restitution=0.0))
        s.apply("lift", kf.Force("slider", lambda t: (0.0, 0.0, 20.0 * t), axes="inertial"))
        return s

    own, other = both(cup, 1.0)
    off = [t for t, name in own.events if name == "floor lets go"]
    assert off == pytest.approx([9.81 / 20], abs=1e-8)
    same(own, other, ("slider.q",))


def test_blocks_inputs_and_sampled_controllers(both):
    def servo():
        s = arms()
        s.add_input("motor", kf.JointForce("arm"))
        s.add_input("wrist", kf.JointForce("hand"))
        s.add_block("servo", kf.blocks.PID(60.0, 40.0, 15.0, target=0.5, sees=["arm.q"], drives=["motor"]))
        return s

    brake = kf.Sampled(0.05, lambda t, x: -0.05 * x[0], sees=["hand.rate"], drives=["wrist"])
    own, other = both(servo, 1.0, controllers=[brake])
    same(own, other, ("arm.q", "hand.rate", "servo.integral", "servo.filtered", "motor", "wrist"), 1e-6)


def test_report_files_and_going_on(tmp_path):
    run = arms().simulate(0.6, formulation="absolute", **TIGHT)
    run.save(tmp_path / "run.h5")
    loaded = kf.Run.load(tmp_path / "run.h5")
    assert np.array_equal(loaded["hand.tip.position"], run["hand.tip.position"])
    assert loaded.plan.formulation.name == "absolute"
    on, again = run.extend(0.4), loaded.extend(0.4)
    assert np.array_equal(on.q, again.q) and np.array_equal(on.u, again.u)
    whole = arms().simulate(1.0, formulation="absolute", **TIGHT)
    assert on.q[-1] == pytest.approx(whole.q[-1], abs=1e-8) and on.u[-1] == pytest.approx(whole.u[-1], abs=1e-7)
    other = run.extend(0.4, formulation="recursive")
    assert other.q[-1] == pytest.approx(whole.q[-1], abs=1e-8)
    run.report(tmp_path / "report.html")
    assert "absolute" in (tmp_path / "report.html").read_text()


def test_steps_end_on_the_joints(absolute):
    """What the integrator itself holds satisfies the joints, after steps of no great accuracy."""
    run = arms().simulate(1.0, formulation="absolute", method="dopri5", rtol=1e-4, atol=1e-5)
    state = IntegrationState(run.trajectory.dynamics, absolute)
    size = state.layout.size
    y = run.trajectory.stepper["store"][:size]  # y comes first
    arm, hand = y[:7], y[7:14]
    assert np.abs(arm[:3]).max() < 1e-14 and np.linalg.norm(arm[3:]) == pytest.approx(1, abs=1e-14)
    assert hand[:3] == pytest.approx(Rotation.from_quat(arm[3:], scalar_first=True).apply([1, 0, 0]), abs=1e-13)
    assert state.to_tree(np.array([1.0]), y[None, :])[0][:2] == pytest.approx(run.q[-1], abs=1e-12)


# -- what it does not offer ------------------------------------------------------------------------------------------------


def flexible(s):
    s.add("mast", kf.Flexible(Beam(length=2.0, EA=1e6, EI=50.0, mass_per_length=1.0, elements=4), modes=2), kf.Revolute("z"))


REFUSED = {
    "flexible bodies": (flexible, "mast"),
    "rotors": (lambda s: s.add_rotor("wheel", "arm", kf.Rotor("x", 0.01)), "wheel"),
    "joints of this kind": (lambda s: s.add("cross", rod(), kf.Universal(("x", "y"))), "cross"),
    "constraints of this kind": (lambda s: s.constrain("gear", kf.Gear("arm", "hand", ratio=2.0)), "gear"),
    "contacts with friction": (lambda s: s.contact("floor", kf.Contact("hand.tip", friction=0.2)), "floor"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_it_does_not_offer_is_refused_by_name(what):
    s = arms()
    add, name = REFUSED[what]
    add(s)
    with pytest.raises(kf.ModelError, match=f'formulation "absolute" does not take {what} \\("{name}"\\)'):
        s.simulate(0.1, formulation="absolute")


def test_equations_in_symbols_are_of_the_coordinates_of_joints():
    s = arms()
    with pytest.raises(kf.ModelError, match='use another formulation than "absolute"'):
        s.simulate(0.1, formulation="absolute", equations=s.equations())


def test_unknown_formulations_are_told_all_there_are():
    with pytest.raises(kf.ModelError) as caught:
        arms().simulate(0.1, formulation="relative")
    assert all(f'"{name}"' in str(caught.value) for name in FORMULATIONS) and "absolute" in FORMULATIONS


def test_a_stage_that_does_not_fit_is_refused():
    class Wrong(Formulation):
        name = "wrong"

        def __init__(self, **instead):
            self.instead = instead

        def stages(self, plan):
            return self.instead

    for instead, error in (({"solve": "prepare"}, TypeError), ({"solved": "solve_dense"}, NameError)):
        register(Wrong(**instead))
        try:
            with pytest.raises(error, match="solve"):
                arms().dynamics("wrong")
        finally:
            del FORMULATIONS["wrong"]
    with pytest.raises(kf.ModelError, match="no dots or spaces"):
        register(type("Spaced", (Formulation,), {"name": "two words"})())
    backend.connect(np.zeros(1000, np.int64))  # the usual table is as it was


def test_the_command_line_offers_all_formulations():
    (option,) = (one for one in run_systems.params if one.name == "formulation")
    assert list(option.type.choices) == [name for name in FORMULATIONS if name != "absolute"]
