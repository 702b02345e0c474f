"""A State is of one system: another takes it by name or not at all."""

import numpy as np
import pytest

import kaneflex as kf


def pendulum(name="pendulum", body="rod", joint=None) -> kf.System:
    s = kf.System(name, gravity=(0, 0, -9.81))
    s.add(body, kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)), joint or kf.Revolute("y"), q=0.1)
    return s


def pairs() -> list[tuple[kf.System, kf.System]]:
    free, two = kf.System("free"), kf.System("two")
    free.add("bus", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Cylindrical("z"))
    for name in "ab":
        two.add(name, kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    return [
        (pendulum(), pendulum(body="arm")),
        (pendulum(), pendulum(joint=kf.Prismatic("z"))),
        (pendulum(), pendulum("other")),
        (free, two),
        (pendulum(), two),
    ]


USES = {
    "simulate": lambda s, state: s.simulate(0.1, initial=state),
    "assemble": lambda s, state: s.assemble(state),
    "linearize": lambda s, state: s.linearize(state),
    "modes": lambda s, state: s.modes(state),
    "equilibrium": lambda s, state: s.equilibrium(state),
    "show_modes": lambda s, state: s.show_modes("/nowhere/at/all", state),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("k", range(5))
def test_a_state_of_another_system_is_refused(use, k):
    own, other = pairs()[k]
    USES[use](own, own.state()) if use not in ("equilibrium", "show_modes") else None
    with pytest.raises(kf.ModelError, match=f'"{other.name}".*"{own.name}".*take it from this system'):
        USES[use](own, other.state())


def test_a_state_with_the_numbers_of_the_last_start_is_refused_too():
    own, other = pendulum(), pendulum("other")
    own.simulate(0.1)
    with pytest.raises(kf.ModelError, match='"other"'):
        own.simulate(0.1, initial=other.state())


@pytest.mark.parametrize("use", [use for use in USES if use != "show_modes"])
@pytest.mark.parametrize("bad", [3.0, "rod", [0.1, 0.0]])
def test_what_is_no_state_is_refused(use, bad):
    with pytest.raises(kf.ModelError, match=r"give a State|mapping"):
        USES[use](pendulum(), bad)


@pytest.mark.parametrize("use", [use for use in USES if use != "show_modes"])
def test_a_state_that_is_not_finite_is_refused(use):
    s = pendulum()
    for name in ("rod.q", "rod.rate"):
        state = s.state()
        (state.q if name == "rod.q" else state.rates)[0] = np.nan
        with pytest.raises(kf.ModelError, match=r'not finite: "rod\.angle'):
            USES[use](s, state)


def test_states_of_the_same_system_are_taken(tmp_path):
    """Of a run, of other speeds, of a system made anew, of a file, and of one whose joint was locked on the way."""
    s = pendulum()
    run = s.simulate(0.1, speeds="efficient")
    loaded = kf.Run.load(run.save(tmp_path / "run.h5"))
    lock = kf.Event(lambda t: t - 0.05, action=lambda state, change: change.lock("rod"))
    locked = s.simulate(0.1, events=[lock])
    for state in (run.final, run.state(0), loaded.final, locked.final, pendulum().state(), s.equilibrium()):
        assert s.simulate(0.1, initial=state)["rod.q"][0] == state["rod.q"]
        assert pendulum().simulate(0.1, initial=state.copy())["rod.q"][0] == state["rod.q"]
    s.apply("drag", kf.JointSpring("rod", damping=1.0))
    assert s.simulate(0.1, initial=run.final)["rod.q"][0] == run.final["rod.q"]
    assert loaded.extend(0.1).t[-1] == pytest.approx(0.2)


def test_values_of_another_system_by_name():
    other = pendulum("other").simulate(0.1).final
    s = pendulum()
    state = s.state({name: other[name] for name in ("rod.q", "rod.rate")})
    assert s.simulate(0.1, initial=state)["rod.q"][0] == other["rod.q"]


@pytest.mark.parametrize("bad", [[], [1.0, 2.0], 1.0, [1j], "x", None, [[1.0]]])
def test_arrays_of_a_state_keep_their_size(bad):
    state = pendulum().state()
    for what in ("q", "rates"):
        with pytest.raises(kf.ModelError, match=f"{what} of a state.*1 numbers"):
            setattr(state, what, bad)
    with pytest.raises(kf.ModelError, match="time t"):
        state.t = np.nan
    state.q, state.rates, state.t = [0.5], (2,), 3
    assert state["rod.q"] == 0.5 and state["rod.rate"] == 2.0 and state.t == 3.0
