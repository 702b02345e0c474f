"""Runs side by side in the vectors of the processor: each is the run that it would be alone."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex import running
from kaneflex.kernels.ops import LANES
from kaneflex.simulate import lanes

RUNS = 2 * LANES + 3  # more than there are lanes: some take the place of others


def arm():
    """Two links and a mass on a spring driven by a function, with parameters in bodies, loads and functions."""
    heavy, stiff, rate = kf.Parameter("heavy", 2.0), kf.Parameter("stiff", 30.0), kf.Parameter("rate", 3.0)
    s = kf.System("arm", gravity=(0, 0, -9.81))
    s.add("upper", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.4)), kf.Revolute("y"), q=0.6)
    lower = kf.Rigid(heavy, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.4))
    s.add("lower", lower, kf.Spherical(), "upper", (0, 0, -0.8), q=(1, 0, 0, 0))
    s.apply("spring", kf.JointSpring("upper", stiffness=stiff, damping=0.2))
    s.apply("push", kf.Force("lower", lambda t: (np.sin(rate * t), 0.0, 0.1 * t), axes="inertial"))
    return s


def words(rng):
    values = {"heavy": rng.uniform(1, 4), "stiff": rng.uniform(10, 60), "rate": rng.uniform(1, 6)}
    return {"parameters": values, "initial": {"upper.q": rng.uniform(-1, 1)}, "duration": rng.uniform(0.3, 2.0)}


def both(system, each, **common):
    """Runs side by side, and each alone."""
    found = dict(system.simulate_each(each, **common))
    assert sorted(found) == list(range(len(each)))
    return [(found[k], system.simulate(**{**common, **own})) for k, own in enumerate(each)]


@pytest.fixture
def batches(monkeypatch):
    """The batches that are made."""
    made = []

    class Seen(lanes.Batch):
        def __init__(self, *given):
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr(lanes, "Batch", Seen)
    return made


def test_each_is_the_run_that_it_would_be_alone(batches):
    rng = np.random.default_rng(3)
    pairs = both(arm(), [words(rng) for _ in range(RUNS)])
    assert batches
    for side, alone in pairs:
        assert side.statistics["steps"] == alone.statistics["steps"]
        assert side.t == pytest.approx(alone.t, abs=0)
        assert side["lower.position"] == pytest.approx(alone["lower.position"], rel=1e-10, abs=1e-11)
        assert side.parameters["heavy"].value == alone.parameters["heavy"].value
        assert side.audit.ok


def test_bits_do_not_depend_on_the_runs_beside(batches):
    rng = np.random.default_rng(4)
    each = [words(rng) for _ in range(LANES)]
    each[3]["initial"], each[3]["parameters"]["stiff"] = {"upper.q": 3e5}, 0.0  # sines of this angle come from the library
    makers = lambda chosen: [(lambda own=each[k]: running.begin_at_values(arm(), **own).going) for k in chosen]
    whole = dict(lanes.together(makers(range(LANES)), few=0))
    for chosen in ([2], [5, 3, 2, 0]):
        part = dict(lanes.together(makers(chosen), few=0))
        for n, k in enumerate(chosen):
            np.testing.assert_array_equal(part[n].y, whole[k].y)


def test_events_and_failures_are_those_of_each(batches):
    swung = kf.Event(lambda t, x: x[0], ["upper.q"], terminal=True, name="level")
    each = [{"initial": {"upper.q": q}} for q in (0.2, 0.5, 0.9, -0.4, 1.3)]
    each[2]["max_steps"] = 10
    found = dict(arm().simulate_each(each, duration=2.0, events=[swung]))
    assert isinstance(found[2], RuntimeError) and "10 steps" in str(found[2])
    for k in (0, 1, 3, 4):
        alone = arm().simulate(2.0, events=[swung], **each[k])
        assert found[k].status == alone.status == "event"
        assert found[k].events[0][0] == pytest.approx(alone.events[0][0], abs=1e-10)


def test_a_run_that_becomes_another_system_goes_on_alone(batches):
    s = kf.System("ball", gravity=(0, 0, -9.81))
    s.add("ball", kf.PointMass(1.0), kf.Translational())
    s.contact("floor", kf.Contact("ball", friction=0.3))
    each = [{"initial": {"ball.q": (0, 0, h), "ball.rate": (1.0, 0, 0)}} for h in (0.1, 0.5, 2.0)]
    for side, alone in both(s, each, duration=1.0):
        assert side["ball.position"] == pytest.approx(alone["ball.position"], abs=1e-10)
        assert [name for _, name in side.events] == [name for _, name in alone.events]


def test_bad_input_ends_its_own_run_only():
    with pytest.raises(kf.ModelError, match="run 0 of each has no duration"):
        arm().simulate_each([{}])
    with pytest.raises(kf.ModelError, match="output"):
        arm().simulate_each([{"outputs": 0.1}], duration=1.0)
    found = dict(arm().simulate_each([{}, {"parameters": {"heavi": 1.0}}, {"duration": -1.0}], duration=0.1))
    assert found[0].status == "done"
    assert "heavy" in str(found[1])
    assert "duration" in str(found[2])
