"""The W-method along the tree: coefficients, order whatever the matrix, steps that do not grow with n, tension, results."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

import kaneflex as kf
from benchmarks.deployment import tether
from kaneflex.simulate import segment
from kaneflex.simulate.methods import METHODS
from kaneflex.simulate.stepping import layout as at

sys.path.insert(0, str(Path(__file__).parent))
from test_tree_matrix import bending, chain, coupled, driven, floating, ladder, mixed, ring, stopped, tied, uses_tree

ROS = METHODS["ros34pw2"]


def test_conditions_of_order_for_any_matrix():
    """Hairer and Wanner II, table IV.7.2 (W-methods): of order 3 there are eight, in which alpha and gamma do not mix."""
    a, g, b = ROS.alpha, ROS.gamma, ROS.b
    alpha, gamma = a.sum(axis=1), g.sum(axis=1)
    conditions = {
        "1": (b.sum(), 1),
        "alpha": (b @ alpha, 1 / 2),
        "gamma": (b @ gamma, 0),
        "alpha^2": (b @ alpha**2, 1 / 3),
        "alpha alpha": (b @ a @ alpha, 1 / 6),
        "alpha gamma": (b @ a @ gamma, 0),
        "gamma alpha": (b @ g @ alpha, 0),
        "gamma gamma": (b @ g @ gamma, 0),
    }
    for name, (found, wanted) in conditions.items():
        assert found == pytest.approx(wanted, abs=2e-15), name
    assert ROS.other.sum() == pytest.approx(1, abs=1e-15)
    assert ROS.other @ alpha == pytest.approx(1 / 2, abs=1e-15)
    assert ROS.other @ gamma == pytest.approx(0, abs=1e-15)
    assert (a + g)[-1] == pytest.approx(b)  # stiffly accurate
    assert np.abs(ROS.other @ alpha**2 - 1 / 3) > 1e-2  # the other one is of order 2 only: there is an error to estimate


def fixed(system, duration, steps, **options):
    """The run with that many equal steps."""
    h = duration / steps
    loose = {"rtol": 0.1, "atol": 1e6, "step": h, "max_step": h}
    run = system.simulate(duration, method="ros34pw2", output=duration, **loose, **options)
    assert run.statistics["steps"] == steps
    return run


def balls(n: int, stiffness: float = 2.0) -> kf.System:
    """A chain in space of n rods on ball joints with springs, started with a twist."""
    s = kf.System("balls", gravity=(0, 0, -9.81))
    length, m = 1 / n, 1 / n
    across = m * length**2 / 12
    rod = kf.Rigid(m, com=(length / 2, 0, 0), inertia=(across, across, across), frames={"tip": (length, 0, 0)})
    for k in range(n):
        s.add(f"rod{k}", rod, kf.Spherical(), f"rod{k - 1}" if k else None, "tip" if k else None, rates=(0.5, 0.3 * k, -0.2))
        s.apply(f"joint{k}", kf.JointSpring(f"rod{k}", stiffness, 0.01))
    return s


def soft(n: int, height: float = 0.0) -> kf.System:
    """A chain in a plane, hung at a height, m."""
    s = kf.System("soft", gravity=(0, 0, -9.81))
    length, m = 1 / n, 1 / n
    rod = kf.Rigid(m, com=(length / 2, 0, 0), inertia=(m * length**2 / 12,) * 3, frames={"tip": (length, 0, 0)})
    for k in range(n):
        s.add(f"rod{k}", rod, kf.Revolute("y"), f"rod{k - 1}" if k else None, "tip" if k else (0, 0, height))
        s.apply(f"joint{k}", kf.JointSpring(f"rod{k}", 5.0, 0.01))
    return s


def soft_loop(n: int) -> kf.System:
    s = soft(n)
    s.constrain("end", kf.Distance(f"rod{n - 1}.tip", (1.0, 0.0, -0.8), 0.8))
    return s


def soft_pull(n: int) -> kf.System:
    """With springs from body to body, which the matrix along the tree has nothing of."""
    s = soft(n)
    s.apply("far", kf.SpringDamper("rod1.tip", f"rod{n - 1}.tip", 50.0, 0.5))
    return s


@pytest.mark.parametrize("make", [soft, balls, soft_loop, soft_pull])
def test_order_does_not_depend_on_the_matrix(make):
    """Order 3 by the matrix along the tree, which lacks gyroscopic terms, curvature, what pushes and what acts between
    bodies; in a plane, in space, with a constraint that projection holds."""
    system = make(4)
    exact = system.simulate(0.4, method="dop853", rtol=1e-13, atol=1e-14, output=0.4).q[-1]
    errors = []
    for steps in (256, 512, 1024):
        run = fixed(system, 0.4, steps)
        assert uses_tree(run)
        errors.append(np.abs(run.q[-1] - exact).max())
    for coarse, fine in itertools.pairwise(errors):
        assert np.log2(coarse / fine) == pytest.approx(3, abs=0.3)


def spin_up(n: int) -> kf.System:
    """Ten metres of beam on a hub that is spun up to 6 rad/s in 15 s, as n rods (Kane, Ryan, Banerjee 1987)."""
    s = kf.System("spin-up")
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.spin_up(rate=6.0, time=15.0)))
    length, m = 10 / n, 12 / n
    across = m * length**2 / 12
    rod = kf.Rigid(m, com=(length / 2, 0, 0), inertia=(across / 100, across, across), frames={"tip": (length, 0, 0)})
    for k in range(n):
        s.add(f"rod{k}", rod, kf.Revolute("z"), f"rod{k - 1}" if k else "hub", "tip" if k else None)
        s.apply(f"joint{k}", kf.JointSpring(f"rod{k}", (1 if k else 2) * 1.4e4 / length))
    return s


def deflection(run, n):
    """Of the tip, across the line that the hub carries, m."""
    return (np.sin(np.cumsum(run.q[:, 1:], axis=1)).sum(axis=1)) * 10 / n


def test_spin_up_in_steps_that_do_not_grow_with_n():
    """Lowest deflection of the tip with 10 and 20 rods -0.57980 and -0.57525 m (Banerjee's rods, chapter 10; computed by
    another program); 127 steps to 7 s where explicit ones are 19,000 with 20 rods and a million with 160."""
    times = np.linspace(6, 7, 101)
    for n, lowest in ((10, -0.57980), (20, -0.57525)):
        run = spin_up(n).simulate(7.0, method="ros34pw2", rtol=1e-5, atol=1e-7, times=times)
        assert deflection(run, n).min() == pytest.approx(lowest, abs=2e-5)
    counts = {}
    for n in (20, 160):
        statistics = spin_up(n).simulate(7.0, method="ros34pw2", rtol=1e-4, atol=1e-6, output=7.0).statistics
        counts[n] = statistics["steps"] + statistics["rejected"]
        assert statistics["evaluations"] < 9 * counts[n]
    assert counts[160] < 1.1 * counts[20] < 200


def test_all_entries_only_where_they_pay():
    """A pendulum that stretches and shears (data of Exudyn's documentation): segments that are pushed for a while have a
    tangent that the tree's matrix has not, and all entries, tried, make steps no longer. With them each step would take 150
    evaluations and more."""
    s = kf.System("pendulum", gravity=(0, -9.81, 0))
    rod = kf.Rod(0.5, 0.02, 8e-4, EA=2000.0, GA=650.0, n=24, plane="xy", rotary_inertia=8e-9)
    s.add_rod("beam", rod, root="pinned")
    run = s.simulate(0.5, method="ros34pw2", rtol=1e-4, atol=1e-4, output=0.5)
    assert run.statistics["evaluations"] < 15 * run.statistics["steps"]
    exact = s.simulate(0.5, method="dopri5", rtol=1e-6, atol=1e-6, output=0.5)
    assert run["beam.tip.position"][-1] == pytest.approx(exact["beam.tip.position"][-1], abs=2e-4)


def cable(n: int, joint) -> kf.System:
    """Ten metres of cable without any stiffness that hold a hundred tonnes: vibrations across of some thousand rad/s."""
    s = kf.System("cable", gravity=(0, 0, -9.81))
    length, m = 10 / n, 12 / n
    across = m * length**2 / 12
    rod = kf.Rigid(m, com=(length / 2, 0, 0), inertia=(across, across, across), frames={"tip": (length, 0, 0)})
    for k in range(n):
        turned = {"q": 1.4} if isinstance(joint, kf.Revolute) else {"q": (np.cos(0.7), 0, np.sin(0.7), 0)}
        s.add(f"rod{k}", rod, joint, f"rod{k - 1}" if k else None, "tip" if k else None, **({} if k else turned))
    s.add("weight", kf.Rigid(1e5, inertia=(1e3, 1e3, 1e3)), joint, f"rod{n - 1}", "tip")
    return s


@pytest.mark.parametrize("joint", [kf.Revolute("y"), kf.Spherical()], ids=["plane", "space"])
def test_tension_is_in_the_matrix(joint):
    """A pendulum with period 2 pi sqrt(L/g), swung out by 0.17 rad: steps of its own time scale, where those of an explicit
    method are bound by the vibrations across."""
    s = cable(20, joint)
    options = {"rtol": 1e-3, "atol": 1e-4, "output": 3.0}
    run = s.simulate(3.0, method="ros34pw2", **options)
    explicit = s.simulate(3.0, method="dopri5", **options)
    assert uses_tree(run)
    assert np.abs(run["weight.position"][-1] - explicit["weight.position"][-1]).max() < 0.02
    assert run.statistics["steps"] < 0.1 * explicit.statistics["steps"]


@pytest.mark.parametrize("make", [chain, stopped, driven, tied, mixed, floating, bending, ring, ladder, coupled])
def test_results_are_those_of_radau5(make):
    """Trees of all joints, given motions, stops and laws, loops, couplers, rolling, modes; work too."""
    system = make(8)
    exact = system.simulate(0.3, method="radau5", rtol=1e-9, atol=1e-10, output=0.03)
    run = system.simulate(0.3, method="ros34pw2", rtol=1e-6, atol=1e-7, output=0.03)
    scale = 1 + np.abs(exact.q).max()
    assert np.abs(run.q - exact.q).max() < 5e-6 * scale
    work, expected = (r.trajectory.y[:, r.plan.layout.works] for r in (run, exact))
    assert np.abs(work - expected).max() < 2e-5 * (1 + np.abs(expected).max())
    assert uses_tree(run) == (make is not tied)
    assert run.statistics["steps"] < 2000 or make is tied


def test_all_entries_serve_as_well(monkeypatch):
    monkeypatch.setattr(segment, "tree_serves", lambda I: False)
    exact = ring(8).simulate(0.3, method="radau5", rtol=1e-9, atol=1e-10, output=0.03)
    run = ring(8).simulate(0.3, method="ros34pw2", rtol=1e-6, atol=1e-7, output=0.03)
    assert not uses_tree(run)
    assert np.abs(run.q - exact.q).max() < 2e-6
    assert run.statistics["rejected"] < 0.1 * run.statistics["steps"]


def test_a_stiff_servo_follows_its_law():
    """f_t counts where a stiff spring is led by a function of time: the joint lags by its rate over K/D, 1e-4 s."""
    s = chain(8)
    law = lambda t, x: -1e8 * (x[0] - 0.3 * np.sin(2 * t)) - 1e4 * x[1]
    s.apply("servo", kf.JointForce("rod0", law, sees=["rod0.q", "rod0.rate"]))
    run = s.simulate(1.0, method="ros34pw2", rtol=1e-4, atol=1e-6, output=0.1)
    late = 0.3 * np.sin(2 * (run.t[1:] - 1e-4))
    assert np.abs(run["rod0.q"][1:] - late).max() < 5e-6
    assert run.statistics["steps"] < 1000


def test_events_samples_and_going_on(tmp_path):
    """Contacts and events within steps, and the same bits after a file."""
    s = soft(8, height=0.3)
    s.contact("floor", kf.Contact("rod7.tip", restitution=0.3))
    exact = s.simulate(0.5, method="radau5", rtol=1e-9, atol=1e-10, output=0.05)
    run = s.simulate(0.5, method="ros34pw2", rtol=1e-6, atol=1e-8, output=0.05)
    assert len(exact.events) > 0
    assert [name for _, name in run.events] == [name for _, name in exact.events]
    assert [t for t, _ in run.events] == pytest.approx([t for t, _ in exact.events], abs=1e-5)
    options = {"method": "ros34pw2", "rtol": 1e-5, "atol": 1e-7}
    half = balls(6).simulate(0.11, times=[0.11], **options)
    for kept in (half, kf.Run.load(half.save(tmp_path / "run.h5"))):
        on, again = kept.extend(0.14, times=[0.25]), half.extend(0.14, times=[0.25])
        assert np.array_equal(on.q[-1], again.q[-1]) and np.array_equal(on.u[-1], again.u[-1])


def test_memory_grows_with_n_only():
    """No room for a Jacobian with all entries, until it is wanted."""
    lengths = [
        len(chain(n).simulate(0.002, method="ros34pw2", rtol=1e-3, output=0.002).trajectory.stepper["store"])
        for n in (50, 200)
    ]
    assert lengths[1] < 4.2 * lengths[0]
    assert at.RK_FILLABLE < 2 * 500


def test_what_is_inside_a_reel_does_not_pull():
    """A tether that leaves its reel in orbit: the part inside has the pull of the line in all its joints, but the exit is
    pushed back by it. Taken for stiff it costs twelve times as many steps."""
    system, duration, _ = tether(40.0, 20)
    run = system.simulate(0.2 * duration, method="ros34pw2", rtol=1e-4, atol=1e-6, output=duration)
    assert run["reel.outside"][-1] > run["reel.outside"][0]
    assert run.statistics["steps"] < 300
