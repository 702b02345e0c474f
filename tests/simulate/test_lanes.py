"""Runs side by side in the vectors of the processor: each is the run that it would be alone."""

import threading

import numpy as np
import pytest

import kaneflex as kf
from kaneflex import running
from kaneflex.kernels.ops import LANES
from kaneflex.simulate import lanes
from kaneflex.simulate.segment import Want

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
    common.pop("threads", None)
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


def test_runs_come_as_they_end(monkeypatch):
    """One that has ended is there while others still take steps in both threads: these go on once somebody has it."""
    somebody, waited, advance = threading.Event(), [], Want.advance

    def held(want):
        if want.segment.t1 > 0.05:
            waited.append(somebody.wait(5.0))
        return advance(want)

    monkeypatch.setattr(Want, "advance", held)
    s = kf.System("cart")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"), q=0.0, rates=1.0)
    each = [{"duration": 0.01}, {"duration": 0.1}, {"duration": 0.1}]
    for number, run in s.simulate_each(each, method="radau5", threads=2):
        assert run["cart.q"][-1] == pytest.approx(each[number]["duration"], rel=1e-12)
        if number == 0:
            somebody.set()
    assert waited and all(waited)


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


def rod(length, mass):
    inertia = (1e-3, mass * length**2 / 12, mass * length**2 / 12)
    return kf.Rigid(mass, com=(length / 2, 0, 0), inertia=inertia, frames={"tip": (length, 0, 0)})


def four_bar(coupler, rocker, angles, flexible=False):
    """Closed by a revolute joint in space: of five equations three are redundant, and which these are may differ."""
    s = kf.System("four-bar", gravity=(0, -9.81, 0))
    s.add("crank", rod(1.0, 2.0), kf.Revolute("z"), q=angles[0])
    beam = kf.structures.Beam(length=coupler, EA=1e6, EI=(900.0, 400.0), GJ=300.0, mass_per_length=1.0, elements=3)
    body = kf.Flexible(beam, root="root", modes=2, damping=0.01) if flexible else rod(coupler, 1.0)
    s.add("coupler", body, kf.Revolute("z"), parent="crank", at="tip", q=angles[1])
    s.add("rocker", rod(rocker, 1.5), kf.Revolute("z"), at=(3, 0, 0), q=angles[2])
    s.close("pin", "coupler.tip", "rocker.tip", kf.Revolute("z"))
    return s


def ties():
    """Points at a distance, rolling without slip, gears, and a surface that the user wrote."""
    ball = kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1))
    s = kf.System("ties", gravity=(0, 0, -9.81))
    s.add("a", ball, kf.Free(), q=(0, 0, 1, 1, 0, 0, 0))
    s.add("b", ball, kf.Free(), q=(2, 0, 1, 1, 0, 0, 0))
    s.add("wheel", ball, kf.Revolute("x"), at=(0, 5, 0))
    s.add("rack", kf.Rigid(1.0), kf.Prismatic("z"), at=(0, 6, 0))
    s.constrain("rod", kf.Distance("a", "b", length=2.0))
    s.constrain("floor", kf.Rolling("a", radii=(1, 1, 1)))
    s.constrain("gear", kf.Gear("wheel", "rack", ratio=0.3))
    s.constrain("bowl", kf.Constraint(lambda t, x: x[2] - 1 - 0.1 * (x[0] - 2) ** 2 - 0.1 * x[1] ** 2, sees=("b.position",)))
    return s


RATES = np.random.default_rng(5).uniform(-4, 4, RUNS).tolist()
BENT = (1.0, -0.53, 1.69)
LOOPS = {
    "redundant": (four_bar(2.5, 2.0, BENT), [{"crank.rate": rate} for rate in RATES]),
    "flexible": (four_bar(2.5, 2.0, BENT, flexible=True), [{"crank.rate": rate} for rate in RATES[:LANES]]),
    # a parallelogram: branches cross when it is flat, and steps there are as long as rounding lets them be
    "folding": (four_bar(3.0, 1.0, (1.0, -1.0, 1.0)), [{"crank.rate": 8 + rate} for rate in RATES]),
    "ties": (ties(), [{"b.rate": (0, rate, 0, 0, 0, 0), "rack.rate": rate} for rate in RATES[:LANES]]),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_closed_as_in_each_alone(batches, name):
    system, starts = LOOPS[name]
    passed, pairs = 0, both(system, [{"initial": start} for start in starts], duration=1.0, rtol=1e-9, atol=1e-9, threads=1)
    for side, alone in pairs:
        assert name == "folding" or side.statistics["steps"] == alone.statistics["steps"]
        assert side.q == pytest.approx(alone.q, rel=1e-8, abs=1e-8)
        singular, singular_alone = (run.trajectory.singular for run in (side, alone))
        assert [where for _, where, _ in singular] == [where for _, where, _ in singular_alone]
        passed += len(singular)
    assert pairs[1][0].audit.ok and batches and all(any(batch.W.std(axis=1) > 0) for batch in batches)
    assert passed > 0 or name != "folding"


def test_bits_of_closed_loops_do_not_depend_on_the_runs_beside():
    system, starts = LOOPS["folding"]
    makers = lambda chosen: [
        (lambda k=k: running.begin_at_values(system, duration=0.5, initial=starts[k]).going) for k in chosen
    ]
    whole = dict(lanes.together(makers(range(LANES)), few=0))
    part = dict(lanes.together(makers([6, 1]), few=0))
    np.testing.assert_array_equal(part[0].y, whole[6].y)
    np.testing.assert_array_equal(part[1].y, whole[1].y)


def test_a_lane_without_numbers_harms_no_other(batches):
    s, until = arm(), kf.Parameter("until", 1.0)
    s.apply("odd", kf.JointForce("upper", lambda t: np.sqrt(until - t)))
    each = [{"initial": {"upper.q": -0.1 * k}, "parameters": {"until": 0.05 if k == 3 else 1.0}} for k in range(LANES)]
    found = dict(s.simulate_each(each, duration=0.1, threads=1))
    assert isinstance(found[3], RuntimeError) and "stopped being finite at t = 0.05" in str(found[3])
    assert batches
    for k in {*range(LANES)} - {3}:
        assert found[k].status == "done"
        assert found[k].q == pytest.approx(s.simulate(0.1, **each[k]).q, rel=1e-9, abs=1e-10)


def test_bad_input_ends_its_own_run_only():
    with pytest.raises(kf.ModelError, match="run 0 of each has no duration"):
        arm().simulate_each([{}])
    with pytest.raises(kf.ModelError, match="output"):
        arm().simulate_each([{"outputs": 0.1}], duration=1.0)
    found = dict(arm().simulate_each([{}, {"parameters": {"heavi": 1.0}}, {"duration": -1.0}], duration=0.1))
    assert found[0].status == "done"
    assert "heavy" in str(found[1])
    assert "duration" in str(found[2])
