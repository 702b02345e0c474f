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


BAR = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1), frames={"tip": (1, 0, 0)})


def arms() -> kf.System:
    """Two hinged bars, and a body on every other kind of joint."""
    s = kf.System("arms", gravity=(0, -9.81, 0))
    s.add("a", BAR, kf.Revolute("z"), q=1.0)
    s.add("b", BAR, kf.Revolute("z"), parent="a", at="tip", q=-0.5)
    s.add("hooke", BAR, kf.Universal(("x", "y")), at=(3, 0, 0))
    s.add("ball", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1)), kf.Spherical(), at=(0, 3, 0))
    s.add("box", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1), frames={"foot": (0, 0, -1)}), kf.Free(), q=(0, 0, 5, 1, 0, 0, 0))
    s.add("post", BAR, at=(0, 0, 9))
    return s


def tied(*constraints) -> kf.Run:
    s = arms()
    for constraint in constraints:
        s.constrain("tie", constraint)
    return s.simulate(0.1)


def closed(a, b, joint) -> kf.Run:
    s = arms()
    s.close("loop", a, b, joint)
    return s.simulate(0.1)


def driven(joint, *constraints, **arguments) -> kf.Run:
    s = kf.System("driven")
    s.add("arm", BAR, joint)
    for constraint in constraints:
        s.constrain("tie", constraint)
    return s.simulate(0.1, **arguments)


def slider() -> kf.CustomJoint:
    return kf.CustomJoint(lambda q: (np.eye(3), (q[0], 0, 0)), ("x",))


def four_bar(**crank) -> kf.System:
    s = kf.System("four-bar")
    s.add("crank", BAR, kf.Revolute("z", **crank), q=1.0)
    s.add("rod", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1), frames={"tip": (2, 0, 0)}), kf.Revolute("z"), "crank", "tip", q=-0.5)
    rocker = kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1), frames={"tip": (1.5, 0, 0)})
    s.add("rocker", rocker, kf.Revolute("z"), at=(2, 0, 0), q=1.2)
    s.close("pin", "rod.tip", "rocker.tip", kf.Revolute("z"))
    return s


def touching(point, on="N", **start) -> kf.Run:
    s = arms()
    s.contact("touch", kf.Contact(point, on=on))
    return s.simulate(0.1, **start)


def held_already():
    s = kf.System("held", gravity=(0, 0, -9.81))
    s.add("bead", kf.PointMass(1.0), kf.Translational())
    s.constrain("table", kf.PointOnPlane("bead"))
    s.contact("touch", kf.Contact("bead"))
    s.simulate(0.1)


def changed(action) -> kf.Run:
    """Bars whose event at 0.05 s asks for a change."""
    return arms().simulate(0.1, events=[kf.Event(lambda t: t - 0.05, action=action)])


def named_twice():
    s = arms()
    s.constrain("rope", kf.Distance("a.tip", "N", 1.0))
    s.add("rope", BAR)


def gear_loads():
    s = arms()
    s.constrain("gear", kf.Gear("a", "b", 2.0))
    s.simulate(0.1).loads("gear")


E = kf.ModelError
CASES = {
    # names
    "duplicate body": (twice_named, E, r'body "rod" already.*choose another'),
    "unknown parent": (lambda: pendulum().add("x", kf.Rigid(1.0), parent="rdo"), E, r'"x".*"rdo".*"rod"'),
    "own parent": (lambda: pendulum().add("x", kf.Rigid(1.0), parent="x"), E, r'"x" is its own parent.*cycles'),
    "parent of another system": (another_system, E, r'"x" belongs to another system'),
    "parent of wrong kind": (lambda: pendulum().add("x", kf.Rigid(1.0), parent=3), E, r'"x".*parent is 3'),
    "empty name": (lambda: pendulum().add("", kf.Rigid(1.0)), E, "give a name"),
    "body without a name": (lambda: pendulum().add(kf.Rigid(1.0)), E, r'give a name first, such as add\("rigid", Rigid'),
    "load without a name": (lambda: pendulum().apply(kf.JointSpring("rod")), E, r'give a name first.*apply\("jointspring"'),
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
    "force of no numbers": (lambda: kf.Force("rod"), E, r'Force at "rod" has no value: .*components in N, .*unit of it'),
    "torque of one number": (lambda: kf.Torque("rod", 2.0), E, r'Torque at "rod" has the value 2\.0: .*components in N m'),
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
    "particle on a ball joint": (particle_on_ball, E, 'singular.*"bead.wx"'),
    "two parallel slides": (two_parallel_slides, E, 'singular.*"(first|second).slide"'),
    "not a body": (lambda: pendulum().add("x", 3.0), E, '"x": body is 3.0: give a Rigid'),
    "not a joint": (lambda: pendulum().add("x", kf.Rigid(1.0), "revolute"), E, '"x": joint is .revolute.'),
    "not a load": (lambda: pendulum().apply("f", (0, 0, 1)), E, '"f" is .*give a load'),
    "pose that is no rotation": (bad_pose, ValueError, "sled"),
    # constraints
    "constraint on unknown body": (lambda: tied(kf.Distance("a.tip", "arm", 1.0)), E, '"tie": body "arm".*"a"'),
    "constraint on unknown frame": (lambda: tied(kf.PointOnLine("a.tpi", "b")), E, '"tie": frame on "a" "tpi".*"tip"'),
    "plane on unknown body": (lambda: tied(kf.PointOnPlane("bxo")), E, '"tie": body "bxo".*"box"'),
    "end that is no point": (lambda: tied(kf.Distance("a.tip", (1, 2), 1.0)), E, r"b is \(1, 2\): give a place"),
    "constraint within a body": (
        lambda: tied(kf.Distance("a.tip", "a", 1.0)),
        E,
        '"tie" joins.*same body.*different bodies',
    ),
    "constraint within N": (lambda: tied(kf.Distance("N", (1, 0, 0), 1.0)), E, '"tie" joins.*same body'),
    "zero length": (lambda: kf.Distance("a", "b", 0.0), E, "length of a Distance is 0: it must be positive"),
    "length in words": (lambda: kf.Distance("a", "b", "long"), E, "length of a Distance is 'long': give one real number"),
    "rod that is too short": (
        lambda: tied(kf.Distance("b.tip", (9, 0, 0), 1.0)),
        E,
        'assembled.*"tie" stays off by 6.*lengths',
    ),
    "not a constraint": (lambda: tied(3), E, '"tie" is 3: give a constraint, e.g. Distance'),
    "constraint named like a body": (
        lambda: arms().constrain("a", kf.KnifeEdge("b")),
        E,
        'a body "a" already: choose another',
    ),
    "two constraints of one name": (
        lambda: tied(kf.PointOnPlane("a"), kf.PointOnPlane("b")),
        E,
        'a constraint "tie" already: choose another',
    ),
    "body named like a constraint": (named_twice, E, 'a constraint "rope" already: choose another'),
    "loop closed by a Free joint": (lambda: closed("a", "N", kf.Free()), E, "Free joint closes nothing: choose another"),
    "CustomJoint as a constraint": (
        lambda: kf.Closure("a", "b", slider()),
        E,
        "CustomJoint is no constraint by itself: close the loop with System.close",
    ),
    "CustomJoint onto the ground": (
        lambda: closed("a", "N", slider()),
        E,
        '"loop": a CustomJoint.*another body.*name one as b',
    ),
    "loop closed by a word": (lambda: closed("a", "N", "pin"), E, "closed by 'pin': give a joint"),
    "loop within a body": (lambda: closed("a.tip", "a", kf.Spherical()), E, '"loop" joins.*same body'),
    "loop of an unknown frame": (lambda: closed("a.tpi", "N", kf.Spherical()), E, '"loop": frame on "a" "tpi".*"tip"'),
    "loop that cannot be closed": (lambda: closed("b.tip", (5, 0, 0), kf.Revolute("z")), E, '"loop" stays off by .*lengths'),
    "loop of skew axes": (lambda: closed("b.tip", (1.2, 0, 0), kf.Revolute("x")), E, '"loop" stays off by .*frames'),
    "loop between things that stand": (lambda: closed("post", "N", kf.Fixed()), E, '"loop" stays off by 9'),
    "loop of opposite axes": (
        lambda: closed("b.tip", kf.Frame((1.2, 0, 0), ("x", math.pi)), kf.Revolute("z")),
        E,
        '"loop" is put together the wrong way round.*turn one of the frames',
    ),
    "motion in a closing joint": (
        lambda: closed("b.tip", (1.2, 0, 0), kf.Revolute("z", motion=lambda t: t)),
        E,
        "closes a loop follows no motion: put that joint into the tree",
    ),
    "two planes at once": (
        lambda: tied(kf.Constraint(lambda t, x: (x[2], x[2] - 1), ("box.position",))),
        E,
        '"tie" stays off by',
    ),
    "surface on a Frame of N": (
        lambda: kf.PointOnSurface("box", kf.Frame((0, 0, 1)), lambda x, y, z: z),
        E,
        'PointOnSurface has the place Frame.*give "body.frame", "body" or "N"',
    ),
    "rod between points that coincide": (
        lambda: tied(kf.Distance("b", "a.tip", 1.0)),
        E,
        '"tie" says nothing here: its ends coincide.*start elsewhere',
    ),
    "disk that lies flat": (
        lambda: tied(kf.Rolling("box", radii=(1, 1, 0))),
        E,
        '"tie" says nothing here: the disk lies flat',
    ),
    "surface that is no function": (
        lambda: kf.PointOnSurface("box", "N", 3),
        E,
        "PointOnSurface is 3: give a function of x, y",
    ),
    "surface with a branch": (
        lambda: tied(kf.PointOnSurface("box", "N", lambda x, y, z: x if x > 0 else z)),
        E,
        '"tie": .*does not run on symbols.*no branches',
    ),
    "surface without a point": (
        lambda: tied(kf.PointOnSurface("box", "N", lambda x, y, z: x * x + y * y + z * z + 1)),
        E,
        '"tie" stays off by',
    ),
    "disk without radii": (
        lambda: kf.Rolling("box", radii=(1, 0, 0)),
        E,
        r"radii.*\(1.0, 0.0, 0.0\).*at most one of them zero",
    ),
    "negative radius": (lambda: kf.Rolling("box", radii=(1, 1, -1)), E, "radii.*-1.*give semi-axes"),
    "one radius": (lambda: kf.Rolling("box", radii=1.0), E, "radii of a Rolling.*3 numbers"),
    "rolling on itself": (lambda: tied(kf.Rolling("box", on="box")), E, '"tie" joins.*same body'),
    "edge on its own body": (lambda: tied(kf.KnifeEdge("a.tip", on="a")), E, '"tie" joins.*same body'),
    "gear with itself": (lambda: kf.Gear("a", "a", 2.0), E, 'a Gear ties "a" to itself: name two joints'),
    "gear of no ratio": (lambda: kf.Gear("a", "b", 0.0), E, "ratio of a Gear is zero: give the ratio"),
    "Coupler of a list": (lambda: kf.Coupler(["a", "b"]), E, r"terms of a Coupler are \['a', 'b'\]: give a mapping"),
    "sees a number": (lambda: kf.Constraint(lambda t, x: x[0], (3,)), E, "sees of a Constraint: 3 is no name: give a list"),
    "empty Coupler": (lambda: kf.Coupler({}), E, "Coupler without terms ties nothing: give coefficients"),
    "zero coefficient": (lambda: kf.Coupler({"a": 0.0}), E, 'coefficient of "a" in a Coupler is zero: leave the term out'),
    "Coupler of an unknown joint": (lambda: tied(kf.Coupler({"arm": 1.0})), E, '"tie": body "arm".*"a"'),
    "Coupler of an unknown coordinate": (lambda: tied(kf.Coupler({"a.slide": 1.0})), E, '"tie".*"a" "slide".*"angle"'),
    "Coupler of a ball joint": (
        lambda: tied(kf.Coupler({"ball": 1.0})),
        E,
        '"tie": .*"ball".*quaternion.*scalar coordinates',
    ),
    "Coupler of a fixed joint": (lambda: tied(kf.Coupler({"post": 1.0})), E, '"tie": .*"post" is fixed'),
    "Coupler of two coordinates": (lambda: tied(kf.Coupler({"hooke": 1.0})), E, '"tie": .*angle1, angle2: name one'),
    "Coupler of one coordinate twice": (
        lambda: tied(kf.Coupler({"a": 1.0, "a.angle": 2.0})),
        E,
        '"tie" names a coordinate twice: add the coefficients',
    ),
    "infinite ratio": (lambda: kf.Gear("a", "b", INF), E, "ratio of a Gear is inf"),
    "equation that is no function": (
        lambda: kf.Constraint(3, ("a.angle",)),
        E,
        "Constraint is 3: give a function of t and x",
    ),
    "equation that sees a word": (
        lambda: kf.Constraint(abs, "a.angle"),
        E,
        "sees of a Constraint is 'a.angle': give a tuple",
    ),
    "equation that sees an unknown body": (
        lambda: tied(kf.Constraint(lambda t, x: x[0], ("arm.angle",))),
        E,
        '"tie": body "arm".*"a"',
    ),
    "equation that sees a velocity": (
        lambda: tied(kf.Constraint(lambda t, x: x[0], ("a.velocity",))),
        E,
        '"tie": .*"a" "velocity".*"angle"',
    ),
    "equation that sees an unknown frame": (
        lambda: tied(kf.Constraint(lambda t, x: x[0], ("a.tpi.position",))),
        E,
        '"a.tpi.position" is not known: body "a" has no frame "tpi".*"tip"',
    ),
    "equation with a branch": (
        lambda: tied(kf.Constraint(lambda t, x: x[0] if x[0] > 0 else 0.0, ("a.angle",))),
        E,
        '"tie": .*does not run on symbols.*no branches',
    ),
    "equation with a kink": (
        lambda: tied(kf.Constraint(lambda t, x: abs(x[0]) - 1, ("a.angle",))),
        E,
        r'"tie": .*abs\(x\[0\]\) has no derivative',
    ),
    "equation out of bounds": (lambda: tied(kf.Constraint(lambda t, x: x[4], ("a.angle",))), E, '"tie": .*hold 1 numbers'),
    "equation without unknowns": (
        lambda: tied(kf.Constraint(lambda t, x: 1.0, ("a.angle",))),
        E,
        '"tie": .*constrains nothing; leave it out',
    ),
    "equation of x alone": (
        lambda: tied(kf.Constraint(lambda x: x[0], ("a.angle",))),
        E,
        r'"tie": the function takes \(x\); it must take \(t, x\)',
    ),
    "equation without a root": (
        lambda: tied(kf.Constraint(lambda t, x: x[0] ** 2 + 1, ("a.angle",))),
        E,
        '"tie" stays off by 1.*start nearer',
    ),
    "velocity squared": (
        lambda: tied(kf.VelocityConstraint(lambda t, x, v: v[0] ** 2 - 1, ("a.angle",))),
        E,
        '"tie": .*not linear in v.*first power',
    ),
    "velocity constraint without velocity": (
        lambda: tied(kf.VelocityConstraint(lambda t, x, v: x[0], ("a.angle",))),
        E,
        '"tie": .*does not depend on v.*make it a Constraint',
    ),
    # motions
    "motion of a ball joint": (lambda: driven(kf.Spherical(motion=lambda t: t)), E, '"arm": .*scalar.*not Spherical: build'),
    "motion of a fixed joint": (lambda: driven(kf.Fixed(motion=lambda t: t)), E, '"arm": .*scalar coordinates, not Fixed'),
    "one motion for two coordinates": (
        lambda: driven(kf.Universal(motion=lambda t: t)),
        E,
        '"arm".*angle1, angle2: .*mapping',
    ),
    "motion of an unknown coordinate": (
        lambda: driven(kf.Revolute("z", motion={"slide": lambda t: t})),
        E,
        '"arm": .*"slide".*"angle"',
    ),
    "number as motion": (lambda: driven(kf.Revolute("z", motion=3.0)), E, "motion is 3.0: give a profile, e.g. prof"),
    "word as motion": (lambda: driven(kf.Revolute("z", motion="fast")), E, "motion is 'fast': give a profile"),
    "motion with a branch": (
        lambda: driven(kf.Revolute("z", motion=lambda t: 1.0 if t > 1 else 0.0)),
        E,
        '"arm.angle": .*does not run on symbols.*all three functions',
    ),
    "motion of two numbers": (
        lambda: driven(kf.Revolute("z", motion=lambda t: (t, t))),
        E,
        '"arm.angle": .*must return one',
    ),
    "motion of the state": (lambda: driven(kf.Revolute("z", motion=lambda t, x: t)), E, r'"arm.angle": .*must take \(t\)'),
    "rate that is no derivative": (
        lambda: driven(kf.Revolute("z", motion=kf.profiles.Motion(lambda t: t * t, lambda t: t, lambda t: 1.0))),
        E,
        '"arm.angle": the rate is not the derivative of the value: at t = 0.123 it is 0.123',
    ),
    "acceleration that is no derivative": (
        lambda: driven(kf.Revolute("z", motion=kf.profiles.Motion(lambda t: t * t, lambda t: 2 * t, lambda t: 1.0))),
        E,
        '"arm.angle": the acceleration is not the derivative of the rate',
    ),
    "constant as Motion": (lambda: kf.profiles.Motion(3.0), E, "value of a Motion is 3.0: .*hold"),
    "ramp of no time": (lambda: kf.profiles.spin_up(6.0, 0.0), E, "time of profiles.spin_up is 0: it must be positive"),
    "table out of order": (lambda: kf.profiles.table([0, 2, 1], [0, 1, 2]), E, r"times\[1\] is 2.*sort the points"),
    "motion against a constraint": (
        lambda: driven(kf.Revolute("z", motion=kf.profiles.hold(1.0)), kf.Coupler({"arm": 1.0}, 0.3)),
        E,
        'assembled: constraint "tie" stays off by 0.7.*hold less',
    ),
    "motion against a constraint's rate": (
        lambda: driven(kf.Revolute("z", motion=kf.profiles.constant_rate(1.0)), kf.Coupler({"arm": 1.0})),
        E,
        'no rates satisfy constraint "tie".*prescribed motion contradicts',
    ),
    "motion out of reach": (
        lambda: driven(kf.Revolute("z", motion=kf.profiles.hold(0.0)), kf.Distance("arm.tip", (0, 3, 0), 1.0)),
        E,
        '"tie" stays off by 2.16',
    ),
    "unknown joint kept": (lambda: four_bar().assemble(keep=("crnak",)), E, 'keep: joint "crnak".*"crank"'),
    "unknown coordinate kept": (lambda: four_bar().assemble(keep=("rod.slide",)), E, 'keep: .*"rod" "slide".*"angle"'),
    "one name kept": (lambda: four_bar().assemble(keep="crank.angle"), E, r"keep is 'crank\.angle': give a list"),
    "everything kept": (lambda: four_bar().assemble(keep=("crank", "rod", "rocker")), E, '"pin" stays off by.*keep'),
    # loads of joints and constraints
    "loads of nothing": (lambda: four_bar().simulate(0.1).loads("pni"), E, 'joint or constraint "pni".*"pin"'),
    "loads in unknown axes": (lambda: four_bar().simulate(0.1).loads("pin", axes="world"), E, '"inertial", "body".*"world"'),
    "loads at an unknown body": (lambda: four_bar().simulate(0.1).loads("pin", at="arm"), E, 'at: body "arm".*"crank"'),
    "loads at an unknown frame": (
        lambda: four_bar().simulate(0.1).loads("pin", at="rod.tpi"),
        E,
        'at: .*"rod" "tpi".*"tip"',
    ),
    "loads at no point": (lambda: four_bar().simulate(0.1).loads("pin", at=(1, 2)), E, "at has shape .*3 numbers"),
    "loads of a joint on its parent": (
        lambda: four_bar().simulate(0.1).loads("rod", body="crank"),
        E,
        '"rod" loads its outboard body "rod", not "crank"',
    ),
    "loads of a constraint on another body": (
        lambda: four_bar().simulate(0.1).loads("pin", body="crank"),
        E,
        'constraint "pin" loads "rod" and "rocker", not "crank"',
    ),
    "loads of a constraint on no body": (
        lambda: four_bar().simulate(0.1).loads("pin", body="rokcer"),
        E,
        'constraint "pin" loads "rod" and "rocker", not "rokcer"',
    ),
    "loads in no axes": (lambda: four_bar().simulate(0.1).loads("pin", axes=None), E, "axes is None: give a name"),
    "loads of a gear": (gear_loads, E, r'"gear" acts in joints: .*run\["gear.multipliers"\]'),
    # contacts
    "negative restitution": (lambda: kf.Contact("box", restitution=-0.1), E, "restitution of a Contact is -0.1: give 0"),
    "restitution above one": (lambda: kf.Contact("box", restitution=1.1), E, r"restitution.*1.1: give 0 \(plastic\) to 1"),
    "negative friction": (
        lambda: kf.Contact("box", friction=-1.0),
        E,
        "friction of a Contact is -1: it must not be negative",
    ),
    "unknown after": (lambda: kf.Contact("box", after="hold"), E, 'after a Contact: "hold".*"bounce", "slide", "stick"'),
    "rest speed of zero": (
        lambda: kf.Contact("box", rest_speed=0.0),
        E,
        "rest_speed of a Contact is 0: it must be positive",
    ),
    "contact within a body": (
        lambda: kf.Contact("box.foot", on="box"),
        E,
        '"box.foot" on "box" is within one body: name two',
    ),
    "contact of a tuple": (lambda: kf.Contact((0, 0, 1)), E, r'place \(0, 0, 1\): give "body.frame", "body" or "N"'),
    "contact on a Frame": (lambda: kf.Contact("box", on=kf.Frame()), E, 'place Frame.*: give "body.frame"'),
    "contact of a point of N": (
        lambda: touching("N", on="box"),
        E,
        '"touch": its point is fixed in N: name a point of a body',
    ),
    "contact of an unknown body": (lambda: touching("bxo"), E, '"touch": body "bxo".*"box"'),
    "contact of an unknown frame": (lambda: touching("box.foto"), E, '"touch": frame on "box" "foto".*"foot"'),
    "contact on an unknown body": (lambda: touching("box.foot", on="floor"), E, '"touch": body "floor".*"box"'),
    "not a contact": (lambda: arms().contact("touch", 3), E, '"touch" is 3: give a Contact'),
    "contact named like a body": (
        lambda: arms().contact("box", kf.Contact("a.tip")),
        E,
        'a body "box" already: choose another',
    ),
    "point below its plane": (
        lambda: touching("box.foot", on="post"),
        E,
        '"touch": its point starts 5 m below the plane: start it above, or turn',
    ),
    "contact that is held already": (
        held_already,
        E,
        '"bead" cannot move away from "N": .*take the contact out, or release',
    ),
    # changes during a run
    "lock of an unknown joint": (lambda: changed(lambda s, c: c.lock("arm")), E, 'lock: body "arm".*"a"'),
    "lock of an unknown coordinate": (lambda: changed(lambda s, c: c.lock("a", "slide")), E, 'lock: .*"a" "slide".*"angle"'),
    "lock of a fixed joint": (lambda: changed(lambda s, c: c.lock("post")), E, 'lock: the joint of "post" is fixed'),
    "prescribed unknown coordinate": (
        lambda: changed(lambda s, c: c.prescribe("a", lambda t: t, "slide")),
        E,
        'prescribe: .*"a" "slide".*"angle"',
    ),
    "lock of a ball joint": (lambda: changed(lambda s, c: c.lock("ball")), E, 'lock: .*"ball".*quaternion: attach the body'),
    "release of an unknown joint": (lambda: changed(lambda s, c: c.release("arm")), E, 'release: body "arm".*"a"'),
    "release of a free coordinate": (
        lambda: changed(lambda s, c: c.release("hooke", "angle1")),
        E,
        'release: prescribed coordinate of "hooke" "angle1"',
    ),
    "motion that begins elsewhere": (
        lambda: changed(lambda s, c: c.prescribe("a", kf.profiles.hold(2.0))),
        E,
        '"a.angle" begins at 2, but the joint is at 0.9.*let it begin where the joint is',
    ),
    "prescribed number": (
        lambda: changed(lambda s, c: c.prescribe("a", 2.0)),
        E,
        r'"a".*"angle" is 2.0: give .*hold\(2.0\)',
    ),
    "prescribed ball joint": (lambda: changed(lambda s, c: c.prescribe("ball", lambda t: t)), E, '"ball": .*not Spherical'),
    "prescribed fixed joint": (
        lambda: changed(lambda s, c: c.prescribe("post", lambda t: t)),
        E,
        'prescribe: the joint of "post" is fixed and has no coordinate',
    ),
    "attached by a word": (
        lambda: changed(lambda s, c: c.attach("box", "a", "revolute")),
        E,
        "attach: joint is 'revolute': give a joint",
    ),
    "attached to its own branch": (
        lambda: changed(lambda s, c: c.attach("a", "b")),
        E,
        'attach: "b" hangs on "a": .*own branch',
    ),
    "attached to itself": (lambda: changed(lambda s, c: c.attach("a", "a")), E, 'attach: "a" hangs on "a"'),
    "attached to nothing": (lambda: changed(lambda s, c: c.attach("box", "dock")), E, 'attach: body "dock".*"box"'),
    "unknown body attached": (lambda: changed(lambda s, c: c.attach("cargo", "box")), E, 'attach: body "cargo".*"box"'),
    "unknown body cut off": (lambda: changed(lambda s, c: c.detach("cargo")), E, 'detach: body "cargo".*"box"'),
    "unknown constraint taken off": (lambda: changed(lambda s, c: c.unconstrain("rope")), E, 'constraint "rope".*none yet'),
    "constraint put on under a body's name": (
        lambda: changed(lambda s, c: c.constrain("a", kf.PointOnPlane("b"))),
        E,
        'a body "a" already: choose another',
    ),
    "constraint put on nothing": (
        lambda: changed(lambda s, c: c.constrain("rope", kf.Distance("a", "arm", 1.0))),
        E,
        '"rope": body "arm".*"a"',
    ),
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
    "zero-length spring": (zero_length_spring, E, 'load "spring" has no direction at t = 0 s: its two ends coincide'),
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
    "action that is no function": (lambda: kf.Event(lambda t: t, action=3), E, "action is 3: give a function of the State"),
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
