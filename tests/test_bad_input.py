"""Every wrong input gives an error that names the culprit and says what to do."""

import math

import numpy as np
import pytest

import kaneflex as kf

NAN, INF = math.nan, math.inf


def pendulum(**arguments) -> kf.System:
    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)), kf.Revolute("y"), **arguments)
    return s


def motorised() -> kf.System:
    s = pendulum()
    s.add_input("motor", kf.JointForce("rod"))
    return s


def twice_named():
    pendulum().add("rod", kf.Rigid(1.0))


def another_system():
    pendulum().add("second", kf.Rigid(1.0), parent=pendulum().add("x", kf.Rigid(1.0)))


def no_bodies():
    kf.System("empty").simulate(1.0)


def nothing_moves():
    s = kf.System("still")
    s.add("block", kf.Rigid(1.0))
    s.simulate(1.0)


def massless_leaf():
    s = pendulum()
    s.add("feather", kf.Rigid(0.0), kf.Revolute("x"), parent="rod")
    s.simulate(1.0)


def particle_that_turns():
    s = kf.System("particle")
    s.add("bead", kf.PointMass(1.0), kf.Revolute("z"))
    s.simulate(1.0)


def particle_on_ball():
    s = kf.System("particle")
    s.add("bead", kf.Rigid(1.0, com=(1, 0, 0)), kf.Spherical())
    s.simulate(1.0)


def two_parallel_slides():
    s = kf.System("slides")
    s.add("first", kf.Rigid(0.0), kf.Prismatic("x"))
    s.add("second", kf.Rigid(1.0), kf.Prismatic("x"), parent="first")
    s.simulate(1.0)


def blows_up():
    s = kf.System("blow-up")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"), q=1.0, rates=1.0)
    s.apply("push", kf.JointForce("cart", lambda t, x: 2.0 * x[0] ** 3, sees=["cart.q"]))
    s.simulate(10.0)


def overflows():
    s = kf.System("overflow")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"), q=1.0)
    s.apply("push", kf.JointForce("cart", lambda t, x: 1e6 * x[0], sees=["cart.q"]))
    s.simulate(100.0, method="rk4", step=1.0)


def stiff_spring():
    s = pendulum(q=0.1)
    s.apply("spring", kf.JointSpring("rod", stiffness=1e8))
    s.simulate(100.0, max_steps=1000)


def zero_length_spring():
    s = pendulum()
    s.apply("spring", kf.SpringDamper("N", "rod", stiffness=1.0, length=1.0))
    s.simulate(1.0)


def function_that_fails():
    s = pendulum()
    s.apply("push", kf.JointForce("rod", lambda t, x: x[7], sees=["rod.q"]))
    s.simulate(1.0)


def function_gives_nan():
    s = pendulum()
    s.apply("push", kf.JointForce("rod", lambda t: np.sqrt(0.5 - t)))
    s.simulate(1.0)


def big_rotor():
    s = kf.System("wheel")
    s.add("bus", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free())
    s.add_rotor("wheel", "bus", kf.Rotor("z", 2.0))
    s.simulate(1.0)


def heavy_rotor_spring():
    s = kf.System("wheel")
    s.add("bus", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Free())
    s.add_rotor("wheel", "bus", kf.Rotor("z", 0.2))
    s.apply("spring", kf.JointSpring("wheel", stiffness=1.0))


def base_taken():
    kf.System("moving", base=kf.MovingBase()).add("base", kf.Rigid(1.0))


def no_equilibrium():
    s = kf.System("fall", gravity=(0, 0, -9.81))
    s.add("stone", kf.PointMass(1.0), kf.Translational())
    s.equilibrium()


def acceleration_seen():
    s = pendulum()
    s.apply("push", kf.JointForce("rod", lambda t, x: x[0], sees=["rod.acceleration"]))
    s.simulate(1.0)


def missing_start():
    s = pendulum(q=0.1)
    s.add("second", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("y"), parent="rod")
    s.simulate(1.0, initial={"rod.q": 0.2})


def bad_pose():
    s = kf.System("custom")
    joint = kf.CustomJoint(lambda q: ([[1, 0, 0], [0, 2, 0], [0, 0, 1]], (q[0], 0, 0)), ("x",))
    s.add("sled", kf.Rigid(1.0), joint)
    s.simulate(1.0)


E = kf.ModelError
CASES = {
    # names
    "duplicate body": (twice_named, E, r'body "rod" already.*choose another'),
    "unknown parent": (lambda: pendulum().add("x", kf.Rigid(1.0), parent="rdo"), E, r'"x".*"rdo".*"rod"'),
    "own parent": (lambda: pendulum().add("x", kf.Rigid(1.0), parent="x"), E, r'"x" is its own parent.*cycles'),
    "parent of another system": (another_system, E, r'"x" belongs to another system'),
    "parent of wrong kind": (lambda: pendulum().add("x", kf.Rigid(1.0), parent=3), E, r'"x".*parent is 3'),
    "empty name": (lambda: pendulum().add("", kf.Rigid(1.0)), E, "give a name"),
    "dotted name": (lambda: pendulum().add("a.b", kf.Rigid(1.0)), E, r'"a.b".*no dots'),
    "reserved name": (lambda: pendulum().add("N", kf.Rigid(1.0)), E, r'"N" names the inertial frame'),
    "name of the base": (base_taken, E, r'"base" already'),
    "unknown frame": (lambda: pendulum().add("x", kf.Rigid(1.0), parent="rod", at="tpi"), E, r'"x".*"tpi"'),
    "duplicate frame": (
        lambda: (
            [pendulum_frame := pendulum(), pendulum_frame.add_frame("rod", "a", kf.Frame())]
            and pendulum_frame.add_frame("rod", "a", kf.Frame())
        ),
        E,
        r'"rod" has a frame "a" already',
    ),
    "unknown channel": (lambda: pendulum().simulate(0.1)["rid.q"], E, r'"rid.q".*"rod"'),
    "unknown quantity": (lambda: pendulum().simulate(0.1)["rod.speed"], E, r'"rod.speed".*velocity'),
    "load on unknown body": (lambda: pendulum().apply("f", kf.Force("arm", (1, 0, 0))), E, r'"f".*"arm".*"rod"'),
    "load on unknown frame": (lambda: pendulum().apply("f", kf.Force("rod.x", (1, 0, 0))), E, r'"f".*"rod".*"x"'),
    "load on the ground": (lambda: pendulum().apply("f", kf.Force("N", (1, 0, 0))), E, r'"f".*inertial frame'),
    "spring of unknown joint": (lambda: pendulum().apply("s", kf.JointSpring("arm")), E, r'"s".*"arm"'),
    "unknown coordinate": (lambda: pendulum().apply("s", kf.JointSpring("rod", coordinate="x")), E, r'"x".*"angle"'),
    "spring on a rotor's angle": (heavy_rotor_spring, E, r'"wheel" has no angle'),
    "unknown input": (lambda: motorised().simulate(1.0, inputs={"motr": 1.0}), E, r'"motr".*"motor"'),
    # numbers
    "negative mass": (lambda: kf.Rigid(-1.0), E, "mass is -1: it must not be negative"),
    "NaN mass": (lambda: kf.Rigid(NAN), E, "mass is nan: give a finite"),
    "text as mass": (lambda: kf.Rigid("1 kg"), E, "mass is '1 kg'"),
    "infinite com": (lambda: kf.Rigid(1.0, com=(0, INF, 0)), E, "com.*finite"),
    "short com": (lambda: kf.Rigid(1.0, com=(0, 1)), E, r"com.*shape \(2,\).*3 numbers"),
    "triangle inequality": (lambda: kf.Rigid(1.0, inertia=(1, 1, 3)), E, "triangle inequality.*1, 1, 3"),
    "negative inertia": (lambda: kf.Rigid(1.0, inertia=(1, 1, -1)), E, "negative principal value"),
    "asymmetric inertia": (lambda: kf.Rigid(1.0, inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), E, "not symmetric"),
    "NaN inertia": (lambda: kf.Rigid(1.0, inertia=(1, NAN, 1)), E, "inertia.*finite"),
    "inertia without mass": (lambda: kf.Rigid(0.0, inertia=(1, 1, 1)), E, "without mass has an inertia"),
    "zero axis": (lambda: kf.Revolute((0, 0, 0)), E, "axis of a Revolute joint is zero: give a direction"),
    "unknown axis": (lambda: kf.Prismatic("w"), E, 'Prismatic joint is "w"'),
    "NaN axis": (lambda: kf.Screw((0, NAN, 1)), E, "Screw.*finite"),
    "skew Hooke axes": (lambda: kf.Universal(("x", (1, 1, 0))), E, "Universal.*perpendicular"),
    "one Hooke axis": (lambda: kf.Universal(("x",)), E, "Universal.*two axes"),
    "mirror as rotation": (lambda: kf.Frame(rotation=np.diag([1, 1, -1])), E, "not a rotation matrix"),
    "NaN gravity": (lambda: kf.System("s", gravity=(0, 0, NAN)), E, "gravity.*finite"),
    "wrong q": (lambda: pendulum(q=(1, 2)), E, r'"rod": q has shape \(2,\)'),
    "infinite rate": (lambda: pendulum(rates=INF), E, r'"rod": rates.*finite'),
    "zero quaternion": (
        lambda: pendulum().add("x", kf.Rigid(1.0), kf.Spherical(), q=(0, 0, 0, 0)),
        E,
        r'"x".*quaternion is zero',
    ),
    "negative stiffness": (lambda: kf.JointSpring("rod", stiffness=-1.0), E, "stiffness is -1"),
    "NaN force": (lambda: kf.Force("rod", (0, NAN, 0)), E, "value.*finite"),
    "force of two numbers": (lambda: kf.Force("rod", (0, 1)), E, "value.*3 numbers"),
    "unknown axes": (lambda: kf.Force("rod", (0, 1, 0), axes="world"), E, '"world".*"inertial"'),
    "stop without bounds": (lambda: kf.JointStop("rod", stiffness=1.0), E, "no bound"),
    "stop upside down": (lambda: kf.JointStop("rod", 1.0, -1.0, 1.0), E, "lower must be below"),
    "rotor without inertia": (lambda: kf.Rotor("z", 0.0), E, "inertia of a rotor is 0: it must be positive"),
    "rotor heavier than its body": (big_rotor, E, r'"wheel" has more inertia.*"bus"'),
    "negative mu": (lambda: kf.CentralGravity(-1.0), E, "mu is -1"),
    "spring to itself": (lambda: pendulum().apply("s", kf.SpringDamper("rod", "rod")), E, '"s" joins.*itself'),
    # structure
    "no bodies": (no_bodies, E, '"empty" has no bodies: add one'),
    "nothing moves": (nothing_moves, E, '"still" has no speeds'),
    "massless leaf": (massless_leaf, E, '"feather" has no mass.*give it a mass'),
    "particle that turns": (particle_that_turns, E, 'singular.*"bead.angle"'),
    "particle on a ball joint": (particle_on_ball, E, 'singular.*"bead.x"'),
    "two parallel slides": (two_parallel_slides, E, 'singular.*"(first|second).slide"'),
    "not a body": (lambda: pendulum().add("x", 3.0), E, '"x": body is 3.0: give a Rigid'),
    "not a joint": (lambda: pendulum().add("x", kf.Rigid(1.0), "revolute"), E, '"x": joint is .revolute.'),
    "not a load": (lambda: pendulum().apply("f", (0, 0, 1)), E, '"f" is .*give a load'),
    "pose that is no rotation": (bad_pose, ValueError, "sled"),
    # runs
    "unknown keyword": (lambda: pendulum().simulate(1.0, tolerance=1e-6), TypeError, "tolerance"),
    "unknown keyword of a body": (lambda: kf.Rigid(1.0, weight=3), TypeError, "weight"),
    "unknown method": (lambda: pendulum().simulate(1.0, method="euler"), E, '"euler".*"dopri5"'),
    "unknown formulation": (lambda: pendulum().simulate(1.0, formulation="sparse"), E, '"sparse".*"dense"'),
    "unknown speeds": (lambda: pendulum().simulate(1.0, speeds="fast"), E, '"fast".*"efficient"'),
    "negative duration": (lambda: pendulum().simulate(-1.0), E, "duration is -1"),
    "NaN tolerance": (lambda: pendulum().simulate(1.0, rtol=NAN), E, "rtol is nan"),
    "fixed step missing": (lambda: pendulum().simulate(1.0, method="rk4"), E, '"rk4" has a fixed step: give step='),
    "times outside": (lambda: pendulum().simulate(1.0, times=[0, 2]), E, "times.*must lie in"),
    "too many samples": (lambda: pendulum().simulate(1.0, output=1e-9), E, "choose a longer interval"),
    "missing initial values": (missing_start, E, '"second.q" are missing'),
    "unknown initial value": (lambda: pendulum().simulate(1.0, initial={"rdo.q": 0}), E, '"rdo".*"rod"'),
    "NaN initial value": (lambda: pendulum().simulate(1.0, initial={"rod.q": NAN}), E, '"rod.q".*finite'),
    "NaN input": (lambda: motorised().simulate(1.0, inputs={"motor": NAN}), E, 'input "motor" is nan'),
    "function of wrong size": (
        lambda: [s := pendulum(), s.apply("f", kf.Force("rod", lambda t: (1.0, t)))] and s.simulate(1.0),
        ValueError,
        '"f".*2 values.*3',
    ),
    "function that fails": (function_that_fails, (ValueError, RuntimeError, IndexError), "push"),
    "function that turns NaN": (function_gives_nan, kf.SimulationError, r't = 0\.5.*"rod'),
    "acceleration in a force": (acceleration_seen, E, '"rod.acceleration".*not known before'),
    "zero-length spring": (zero_length_spring, E, "zero length"),
    "step size underflow": (blows_up, kf.SimulationError, r'step became too small at t = (1|0\.999\d*) s, where "cart'),
    "too many steps": (
        stiff_spring,
        kf.SimulationError,
        '1000 steps were spent by t = .*"rod.*raise max_steps',
    ),
    "no steps": (lambda: pendulum().simulate(1.0, max_steps=0), E, "max_steps is 0"),
    "state overflow": (overflows, kf.SimulationError, 'finite at t = .*"cart'),
    "no equilibrium": (no_equilibrium, E, 'no equilibrium of "fall".*"stone.z"'),
    "event without function": (lambda: kf.Event(3), E, "function is 3"),
    "event of no direction": (lambda: kf.Event(lambda t: t, direction=2), E, "direction is 2"),
    "controller of unknown input": (
        lambda: motorised().simulate(1.0, controllers=[kf.Sampled(0.1, lambda t, x: 0.0, ["rod.q"], "mtr")]),
        E,
        '"mtr".*"motor"',
    ),
    "controller of wrong size": (
        lambda: motorised().simulate(1.0, controllers=[kf.Sampled(0.1, lambda t, x: (0.0, 1.0), ["rod.q"], "motor")]),
        E,
        "motor gave 2 values",
    ),
    "negative period": (lambda: kf.Sampled(-1.0, abs, [], "motor"), E, "period.*-1"),
    "file that is no run": (lambda: kf.Run.load(__file__), E, "not a readable HDF5"),
    "file that is not there": (lambda: kf.Run.load("nothing.h5"), FileNotFoundError, "nothing.h5"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_named(case):
    act, error, message = CASES[case]
    with pytest.raises(error, match=f"(?s){message}"):
        act()


def test_quaternion_is_normalised_with_a_warning():
    s = kf.System("ball")
    with pytest.warns(UserWarning, match='"bob": q: the quaternion has length 2'):
        s.add("bob", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Spherical(), q=(2, 0, 0, 0))
    assert s.parts["bob"].q == (1, 0, 0, 0)


def test_failed_run_keeps_what_was_computed():
    with pytest.raises(kf.SimulationError) as caught:
        function_gives_nan()
    t = caught.value.trajectory.t
    assert 0.4 < t[-1] <= 0.5 + 1e-6 and np.all(np.isfinite(caught.value.trajectory.y))
