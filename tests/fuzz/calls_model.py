"""Valid calls of what describes a system."""

import functools
from pathlib import Path
from typing import Any

import numpy as np
from fuzz.junk import (
    FLAG,
    FUNCTION,
    MAPPING,
    NAME,
    NAMES,
    NOT_NEGATIVE,
    NOT_ZERO,
    NUMBER,
    OPTIONAL,
    POSITIVE,
    SEQUENCE,
    TEXT,
    Call,
    Given,
    kind,
)

import kaneflex as kf
from kaneflex import profiles, shapes
from kaneflex.model.model import Body

V = Given
TURN = (("z", 0.3), ("x", 0.1))
FRAMES = V({"tip": (1, 0, 0)}, MAPPING)
MOTION = V(
    profiles.hold(0.0), OPTIONAL | FUNCTION | MAPPING
)  # one that does not suit the joint is refused with the joint's name
AXIS = V("y")
PLACE = V("rod.tip", NAME)
SEES = V(["rod.q"], NAMES)
LAW = lambda t, x: 0.0
ORBIT = kf.orbits.KeplerOrbit(1.0, 2.0)
LOOK = {
    "position": V((0, 0, 1)),
    "rotation": V(TURN, OPTIONAL),
    "color": V("red", OPTIONAL),
    "opacity": V(0.5, kind("zero")),
}
POINTS = V([(0, 0, 0), (1, 0, 0), (0, 1, 0)])


def system() -> kf.System:
    """Two rods on a cart, with an input, a wheel, a load, and frames."""
    s = kf.System("fuzzed", gravity=(0, 0, -9.81))
    rod = kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01), frames={"tip": (0, 0, -1)})
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=0.0)
    s.add("rod", rod, kf.Revolute("y"), parent="cart", q=0.1)
    s.add("arm", rod, kf.Revolute("y"), parent="rod", at="tip", q=0.0)
    s.add_rotor("wheel", "rod", kf.Rotor("z", 0.001))
    s.add_input("motor", kf.JointForce("rod"))
    s.apply("rail", kf.JointSpring("cart", stiffness=5.0, damping=1.0))
    return s


def with_rod() -> kf.System:
    s = system()
    s.add_rod("cable", kf.Cable(2.0, 1.0, n=3))
    return s


def fixed(call: Any, /, **arguments: Given) -> Call:
    return Call(lambda: call, arguments)


def of_system(method: str, /, **arguments: Given) -> Call:
    return Call(lambda: getattr(system(), method), arguments)


BODY = {
    "mass": V(1.0, NOT_NEGATIVE),
    "com": V((0, 0, 1)),
    "inertia": V((1, 1, 1), NOT_NEGATIVE),
    "frames": FRAMES,
    "points": V([(1.0, (0, 0, 1))], SEQUENCE),
}
RIGID = {**BODY, "inertia": V((0, 0, 0), NOT_NEGATIVE)}

STRAND = {
    "length": V(2.0, POSITIVE),
    "mass_per_length": V(1.0, POSITIVE | FUNCTION),
    "EA": V(5.0, POSITIVE | FUNCTION | OPTIONAL),
    "n": V(4),
    "plane": V(None, OPTIONAL),
    "radius": V(0.01, POSITIVE | OPTIONAL),
    "points": V({"mid": 1.0}, MAPPING),
}

PARTS = {
    "Rigid": fixed(kf.Rigid, **BODY),
    "PointMass": fixed(kf.PointMass, **RIGID),
    "VariableMass": fixed(
        kf.VariableMass,
        mass=V(lambda t: 2 - 0.1 * t, POSITIVE),
        com=V((0, 0, 1)),
        inertia=V((1, 1, 1)),
        outlets=V([kf.Outlet((0, 0, -1))], SEQUENCE),
        frames=FRAMES,
        swirl=V((0, 0, 0.1), FUNCTION),
        start=V(None, OPTIONAL),
    ),
    "Outlet": fixed(
        kf.Outlet, at=V((0, 0, -1), NAME), flow=V(0.1, OPTIONAL | NUMBER | FUNCTION), velocity=V((0, 0, -300.0), FUNCTION)
    ),
    "Rotor": fixed(
        kf.Rotor, axis=AXIS, inertia=V(1.0, POSITIVE), rate=V(1.0, NUMBER), motion=V(None, OPTIONAL | FUNCTION | MAPPING)
    ),
    "Frame": fixed(kf.Frame, position=V((0, 0, 1)), rotation=V(TURN, OPTIONAL)),
    "Frame.of": fixed(kf.Frame.of, R=V(np.eye(3)), p=V(np.zeros(3))),
    "Fixed": fixed(kf.Fixed, motion=V(None, OPTIONAL | FUNCTION | MAPPING)),
    "Spherical": fixed(kf.Spherical, motion=V(None, OPTIONAL | FUNCTION | MAPPING)),
    "Free": fixed(kf.Free, motion=V(None, OPTIONAL | FUNCTION | MAPPING)),
    "Translational": fixed(kf.Translational, motion=V({"x": profiles.hold(0.0)}, OPTIONAL | FUNCTION | MAPPING)),
    "Revolute": fixed(kf.Revolute, axis=AXIS, motion=MOTION),
    "Prismatic": fixed(kf.Prismatic, axis=AXIS, motion=MOTION),
    "Cylindrical": fixed(kf.Cylindrical, axis=AXIS, motion=V({"slide": profiles.hold(0.0)}, OPTIONAL | FUNCTION | MAPPING)),
    "Screw": fixed(kf.Screw, axis=AXIS, pitch=V(0.1, NUMBER), motion=MOTION),
    "Planar": fixed(kf.Planar, axis=AXIS, motion=V({"x": profiles.hold(0.0)}, OPTIONAL | FUNCTION | MAPPING)),
    "Universal": fixed(
        kf.Universal, axes=V(("x", "y")), motion=V({"angle1": profiles.hold(0.0)}, OPTIONAL | FUNCTION | MAPPING)
    ),
    "SlidingBall": fixed(kf.SlidingBall, axis=AXIS, motion=V(None, OPTIONAL | FUNCTION | MAPPING)),
    "SlidingPin": fixed(
        kf.SlidingPin, axes=V(("x", "y")), motion=V({"angle": profiles.hold(0.0)}, OPTIONAL | FUNCTION | MAPPING)
    ),
    "CustomJoint": fixed(
        kf.CustomJoint,
        pose=V(lambda q: (np.eye(3), (q[0], 0, 0)), FUNCTION),
        coordinates=V(("s",), kind("words", "texts")),
        motion=MOTION,
    ),
    "Joint.motions": Call(
        lambda: kf.Revolute("z", motion=profiles.hold(0.0)).motions, {"what": V("joint", NAME | kind("empty"))}
    ),
    "Closure": fixed(kf.Closure, a=PLACE, b=PLACE, joint=V(kf.Revolute("y"))),
    "Reel": fixed(kf.Reel, radius=V(0.3, POSITIVE), inertia=V(0.1, NOT_NEGATIVE), axis=V("y", OPTIONAL)),
    "Distance": fixed(kf.Distance, a=PLACE, b=PLACE, length=V(1.0, POSITIVE)),
    "PointOnLine": fixed(kf.PointOnLine, point=PLACE, line=PLACE),
    "PointOnPlane": fixed(kf.PointOnPlane, point=PLACE, plane=PLACE, normal=AXIS),
    "PointOnSurface": fixed(kf.PointOnSurface, point=PLACE, on=PLACE, surface=V(lambda x, y, z: z, FUNCTION)),
    "Coupler": fixed(kf.Coupler, terms=V({"rod": 1.0, "arm": -2.0}), offset=V(0.0, OPTIONAL | NUMBER)),
    "Gear": fixed(kf.Gear, a=V("rod", NAME), b=V("arm", NAME), ratio=V(2.0, NOT_ZERO), offset=V(0.0, OPTIONAL | NUMBER)),
    "KnifeEdge": fixed(kf.KnifeEdge, at=PLACE, on=PLACE),
    "Rolling": fixed(kf.Rolling, body=PLACE, on=PLACE, radii=V((1, 1, 1))),
    "Constraint": fixed(kf.Constraint, function=V(LAW, FUNCTION), sees=V(["rod.q"], kind("words", "texts"))),
    "VelocityConstraint": fixed(kf.VelocityConstraint, function=V(LAW, FUNCTION), sees=V(["rod.q"], kind("words", "texts"))),
    "Contact": fixed(
        kf.Contact,
        point=V("rod.tip", NAME),
        on=V("N", NAME),
        restitution=V(0.5, kind("zero")),
        friction=V(0.5, NOT_NEGATIVE),
        after=V("slide"),
        rest_speed=V(0.1, POSITIVE),
    ),
    "Force": fixed(kf.Force, at=V("rod", NAME), value=V((1, 0, 0), FUNCTION), axes=V("inertial"), sees=SEES),
    "Torque": fixed(kf.Torque, at=V("rod", NAME), value=V((1, 0, 0), FUNCTION), axes=V("inertial"), sees=SEES),
    "SpringDamper": fixed(
        kf.SpringDamper,
        a=PLACE,
        b=PLACE,
        stiffness=V(1.0, NOT_NEGATIVE),
        damping=V(1.0, NOT_NEGATIVE),
        length=V(1.0, NOT_NEGATIVE),
        slack=V(True, FLAG),
        tension=V(1.0, NUMBER | FUNCTION),
        sees=SEES,
    ),
    "JointSpring": fixed(
        kf.JointSpring,
        joint=V("rod", NAME),
        stiffness=V(1.0, NOT_NEGATIVE),
        damping=V(1.0, NOT_NEGATIVE),
        rest=V(0.1, NUMBER),
        coordinate=V("angle", OPTIONAL | NAME),
    ),
    "JointStop": fixed(
        kf.JointStop,
        joint=V("rod", NAME),
        lower=V(-2.0, OPTIONAL | NUMBER),
        upper=V(3.0, OPTIONAL | NUMBER),
        stiffness=V(1.0, POSITIVE),
        damping=V(1.0, NOT_NEGATIVE),
        coordinate=V("angle", OPTIONAL | NAME),
    ),
    "JointForce": fixed(
        kf.JointForce,
        joint=V("rod", NAME),
        value=V(1.0, NUMBER | FUNCTION),
        coordinate=V("angle", OPTIONAL | NAME),
        sees=SEES,
    ),
    "CentralGravity": fixed(
        kf.CentralGravity,
        mu=V(1.0, POSITIVE),
        centre=V((0, 0, 9)),
        bodies=V(["rod"], OPTIONAL | kind("words", "texts")),
        j2=V(0.001, NUMBER),
        radius=V(1.0, POSITIVE),
        axis=AXIS,
    ),
    "OrbitGravity": fixed(
        kf.OrbitGravity,
        orbit=V(ORBIT),
        bodies=V(["rod"], OPTIONAL | kind("words", "texts")),
        j2=V(0.001, NUMBER),
        radius=V(1.0, POSITIVE),
        axis=AXIS,
    ),
    "OrbitalDrag": fixed(
        kf.OrbitalDrag,
        at=PLACE,
        atmosphere=V(kf.orbits.Atmosphere(1.0, 1.0, 1.0)),
        area=V(1.0, POSITIVE),
        coefficient=V(1.0, NOT_NEGATIVE),
        normal=V("y", OPTIONAL),
        orbit=V(ORBIT, OPTIONAL),
    ),
    "MagneticTorque": fixed(
        kf.MagneticTorque,
        at=PLACE,
        moment=V((0, 0, 1), FUNCTION),
        field=V(kf.orbits.Dipole()),
        orbit=V(ORBIT, OPTIONAL),
        sees=SEES,
    ),
    "CurrentTether": fixed(
        kf.CurrentTether,
        places=V(["rod", "rod.tip"], kind("words", "texts")),
        current=V(1.0, NUMBER | FUNCTION),
        field=V(kf.orbits.Dipole()),
        orbit=V(ORBIT, OPTIONAL),
        sees=SEES,
    ),
    "MutualGravity": fixed(
        kf.MutualGravity, bodies=V(["rod", "arm"], OPTIONAL | kind("words", "texts")), constant=V(1.0, POSITIVE)
    ),
    "Sea": fixed(
        kf.Sea,
        density=V(1025.0, POSITIVE),
        depth=V(50.0, OPTIONAL | POSITIVE),
        surface=V(1.0, NUMBER),
        current=V([(0.0, (1, 0, 0)), (9.0, (0, 0, 0))]),
        strength=V(0.5, NUMBER | FUNCTION),
        waves=V([kf.Wave(1.0, 1.0)], SEQUENCE | MAPPING),
    ),
    "Air": fixed(kf.Air, density=V(1.2, POSITIVE), wind=V((5, 0, 0)), gust=V(1.1, NUMBER | FUNCTION)),
    "Wave": fixed(
        kf.Wave, amplitude=V(1.0, NOT_NEGATIVE), frequency=V(1.0, POSITIVE), heading=V(0.3, NUMBER), phase=V(0.1, NUMBER)
    ),
    "jonswap": fixed(
        kf.jonswap,
        height=V(2.0, NOT_NEGATIVE),
        period=V(8.0, POSITIVE),
        peakedness=V(3.3, POSITIVE),
        components=V(5),
        seed=V(1, kind("zero")),
        heading=V(0.2, NUMBER),
        band=V((0.5, 4.0)),
    ),
    "Morison": fixed(
        kf.Morison,
        bodies=V(["rod"], NAME | kind("words", "texts")),
        medium=V(kf.Sea()),
        diameter=V(0.1, POSITIVE),
        normal_drag=V(1.2, NOT_NEGATIVE),
        tangential_drag=V(0.01, NOT_NEGATIVE),
        added_mass=V(1.0, NOT_NEGATIVE),
        tangential_added_mass=V(0.1, NOT_NEGATIVE),
        element=V(((0, 0, 0), (0, 0, -1)), OPTIONAL),
        section=V(0.01, OPTIONAL | NOT_NEGATIVE),
        pieces=V(2),
        slow=V(1e-5, POSITIVE),
    ),
    "AddedMass": fixed(
        kf.AddedMass,
        bodies=V(["rod"], NAME | kind("words", "texts")),
        matrix=V(np.eye(3), NOT_NEGATIVE),
        medium=V(kf.Sea()),
        volume=V(0.1, NOT_NEGATIVE),
        at=V((0, 0, 1)),
        drag_area=V(0.1, NOT_NEGATIVE),
        slow=V(1e-5, POSITIVE),
    ),
    "SoftGround": fixed(
        kf.SoftGround,
        bodies=V(["rod"], NAME | kind("words", "texts")),
        stiffness=V(1e3, POSITIVE),
        damping=V(10.0, NOT_NEGATIVE),
        friction=V(0.3, NOT_NEGATIVE | kind("two")),
        slip=V(0.01, POSITIVE),
        level=V(-1.0, NUMBER),
        normal=V((0, 0, 1), OPTIONAL),
        radius=V(0.01, NOT_NEGATIVE),
        element=V(((0, 0, 0), (0, 0, -1)), OPTIONAL),
        pieces=V(2),
    ),
    "RodElasticity": fixed(
        kf.RodElasticity,
        segments=V(["rod"], kind("words", "texts")),
        stiffness=V([(1, 1, 1, 0, 0, 0)]),
        damping=V(0.1, NOT_NEGATIVE),
        modes=V([[(0.1,), (0.2,), (0.0,)]], OPTIONAL),
    ),
    "Rod": fixed(
        kf.Rod,
        **STRAND,
        EI=V((2.0, 1.0), POSITIVE | FUNCTION | kind("two")),
        GJ=V(1.0, POSITIVE | FUNCTION | OPTIONAL),
        GA=V((2.0, 1.0), POSITIVE | FUNCTION | OPTIONAL | kind("two")),
        curvature=V((0.1, 0.2, 0.3), FUNCTION | kind("zero")),
        rotary_inertia=V(0.1, NOT_NEGATIVE | FUNCTION | OPTIONAL),
        damping=V(0.0, kind("zero")),
        damping_ratio=V(0.1, NOT_NEGATIVE | OPTIONAL | kind("two", "seven")),
        order=V(None, OPTIONAL | MAPPING),
    ),
    "Cable": fixed(kf.Cable, **STRAND, damping=V(0.1, NOT_NEGATIVE)),
    "MovingBase": fixed(
        kf.MovingBase,
        acceleration=V((0, 0, 1), FUNCTION),
        angular_acceleration=V((0, 0, 1), OPTIONAL | FUNCTION),
        velocity=V((0, 0, 1)),
        angular_velocity=V((0, 0, 1)),
    ),
    "Event": fixed(
        kf.Event,
        function=V(LAW, FUNCTION),
        sees=SEES,
        direction=V(1, kind("zero", "minus")),
        terminal=V(True, FLAG),
        action=V(lambda state: None, OPTIONAL | FUNCTION),
        name=V("event", NAME),
        awaited=V(False, FLAG),
    ),
    "Newmark": fixed(kf.Newmark, beta=V(0.6, NOT_NEGATIVE), gamma=V(0.6)),
    "GeneralizedAlpha": fixed(kf.GeneralizedAlpha, rho=V(0.8, kind("zero"))),
    "Sampled": fixed(
        kf.Sampled,
        period=V(0.1, POSITIVE),
        law=V(LAW, FUNCTION),
        sees=V(["rod.q"], NAMES | NAME),
        drives=V(["motor"], kind("words", "texts") | NAME),
    ),
}

WIRED = {"sees": V(["rod.q"], NAMES | NAME), "drives": V(["motor"], NAMES | NAME)}
LOOSE = {"sees": V(["rod.q"], NAMES | NAME), "drives": V([], NAME | SEQUENCE)}
PLACED = {"sees": V([], SEQUENCE), "drives": V([], SEQUENCE)}
BLOCKS = {
    "Block": fixed(
        kf.Block,
        function=V(lambda t, x, z: (x, z), FUNCTION),
        states=V(("a",), NAMES | NAME | kind("zero", "seven")),
        initial=V((0.0,), OPTIONAL | NUMBER),
        gives=V(("out",), OPTIONAL | kind("words", "texts") | NAME),
        outputs=V(None, OPTIONAL | FUNCTION),
        **WIRED,
    ),
    "blocks.StateSpace": fixed(
        kf.blocks.StateSpace,
        A=V([[-1.0]], NUMBER),
        B=V([[1.0]], NUMBER),
        C=V([[1.0]], NUMBER),
        D=V([[1.0]], OPTIONAL | NUMBER),
        initial=V((0.0,), OPTIONAL | NUMBER),
        states=V(("a",), OPTIONAL),
        gives=V(("out",), OPTIONAL | NAME),
        **LOOSE,
    ),
    "blocks.TransferFunction": fixed(
        kf.blocks.TransferFunction,
        num=V([1.0, 2.0], NUMBER | kind("two", "no numbers", "list", "tuple")),
        den=V([1.0, 2.0, 3.0], kind("seven")),
        initial=V((0.0, 0.0), OPTIONAL | kind("two")),
        gives=V(("out",), OPTIONAL | NAME),
        **LOOSE,
    ),
    "blocks.FirstOrder": fixed(
        kf.blocks.FirstOrder,
        time_constant=V(1.0, POSITIVE),
        gain=V(1.0, NUMBER),
        limit=V(1.0, POSITIVE | kind("inf")),
        rate_limit=V(1.0, POSITIVE | kind("inf")),
        initial=V(0.0, NUMBER),
        **LOOSE,
    ),
    "blocks.SecondOrder": fixed(
        kf.blocks.SecondOrder,
        frequency=V(1.0, POSITIVE),
        damping=V(1.0, POSITIVE),
        gain=V(1.0, NUMBER),
        limit=V(1.0, POSITIVE | kind("inf")),
        rate_limit=V(1.0, POSITIVE | kind("inf")),
        initial=V(0.0, NUMBER),
        **LOOSE,
    ),
    "blocks.PID": fixed(
        kf.blocks.PID,
        kp=V(1.0, NUMBER),
        ki=V(1.0, NUMBER),
        kd=V(1.0, NUMBER),
        target=V(0.0, NUMBER),
        limit=V(1.0, POSITIVE | kind("inf")),
        tau=V(0.1, POSITIVE),
        tracking=V(1.0, POSITIVE | OPTIONAL),
        initial=V(0.0, NUMBER),
        **LOOSE,
    ),
    "blocks.LocalVertical": fixed(
        kf.blocks.LocalVertical,
        origin=V("cart", NAME),
        end=V("rod", NAME),
        down=V(True, FLAG),
        centre=V((0, 0, 9)),
        **PLACED,
    ),
    "blocks.OrbitAttitude": fixed(
        kf.blocks.OrbitAttitude, body=V("rod", NAME), orbit=V("cart", TEXT), centre=V((0, 0, 9)), **PLACED
    ),
    "blocks.Sunlight": fixed(
        kf.blocks.Sunlight,
        of=V("rod", NAME),
        sun=V(kf.orbits.Sun()),
        shadow=V("cone"),
        radius=V(1.0, POSITIVE),
        orbit=V(ORBIT, OPTIONAL),
        **PLACED,
    ),
    "blocks.ElectromotiveForce": fixed(
        kf.blocks.ElectromotiveForce,
        places=V(["rod", "cart"], kind("words", "texts")),
        field=V(kf.orbits.Dipole()),
        rate=V(1.0, NUMBER),
        orbit=V(ORBIT, OPTIONAL),
        sees=V([], NAMES | NAME),
        drives=V([], SEQUENCE | NAME),
    ),
    "blocks.OrbitalElements": fixed(
        kf.blocks.OrbitalElements,
        of=V("rod", NAME),
        mu=V(1.0, POSITIVE),
        centre=V((0, 0, 9)),
        orbit=V(ORBIT, OPTIONAL),
        **PLACED,
    ),
}

ORBITS = {
    "orbits.KeplerOrbit": fixed(
        kf.orbits.KeplerOrbit,
        mu=V(1.0, POSITIVE),
        semi_major_axis=V(2.0, POSITIVE),
        eccentricity=V(0.1, kind("zero")),
        inclination=V(0.1, NUMBER),
        node=V(0.1, NUMBER),
        perigee=V(0.1, NUMBER),
        true_anomaly=V(0.1, NUMBER),
    ),
    "orbits.Dipole": fixed(
        kf.orbits.Dipole,
        strength=V(1.0, NUMBER),
        radius=V(1.0, POSITIVE),
        tilt=V(0.1, NUMBER),
        longitude=V(0.1, NUMBER),
        rate=V(0.1, NUMBER),
        centre=V((0, 0, 9)),
    ),
    "orbits.Dipole.at": fixed(kf.orbits.Dipole().at, t=V(1.0, NUMBER), position=V((1, 2, 3))),
    "orbits.Atmosphere": fixed(
        kf.orbits.Atmosphere,
        density=V(1.0, POSITIVE),
        height=V(1.0, NUMBER),
        scale=V(1.0, POSITIVE),
        radius=V(1.0, POSITIVE),
        rate=V(1.0, NUMBER),
        centre=V((0, 0, 9)),
    ),
    "orbits.Sun": fixed(kf.orbits.Sun, day=V(1.0, NUMBER)),
    "orbits.Sun.at": fixed(kf.orbits.Sun().at, t=V(1.0, NUMBER)),
    "orbits.KeplerOrbit.state": fixed(ORBIT.state, t=V(1.0, NUMBER)),
    "orbits.orbit_of": fixed(kf.orbits.orbit_of, position=V((1, 0, 0)), velocity=V((0, 1, 0)), mu=V(1.0, POSITIVE)),
}

PROFILES = {
    "profiles.Motion": fixed(
        profiles.Motion,
        value=V(LAW, FUNCTION),
        rate=V(LAW, FUNCTION | OPTIONAL),
        acceleration=V(LAW, FUNCTION | OPTIONAL),
        breaks=V((0.5,), SEQUENCE | kind("two", "seven")),
    ),
    "profiles.motion_of": fixed(profiles.motion_of, given=V(LAW, FUNCTION), what=V("motion", NAME | kind("empty"))),
    "profiles.spin_up": fixed(
        profiles.spin_up, rate=V(6.0, NUMBER), time=V(15.0, POSITIVE), start=V(0.0, NUMBER), initial=V(0.0, NUMBER)
    ),
    "profiles.cosine": fixed(
        profiles.cosine, amplitude=V(6.0, NUMBER), frequency=V(1.0, NUMBER), phase=V(0.0, NUMBER), offset=V(0.0, NUMBER)
    ),
    "profiles.versine": fixed(profiles.versine, amplitude=V(6.0, NUMBER), time=V(1.0, POSITIVE), start=V(0.0, NUMBER)),
    "profiles.table": fixed(profiles.table, times=V([0, 1]), values=V([3, 4], kind("two")), ends=V("natural")),
    "profiles.signal": fixed(
        profiles.signal, times=V([0, 1], kind("two")), values=V([3, 4], kind("two")), between=V("steps")
    ),
    "profiles.hold": fixed(profiles.hold, value=V(1.0, NUMBER)),
    "profiles.constant_rate": fixed(profiles.constant_rate, rate=V(1.0, NUMBER), initial=V(1.0, NUMBER)),
} | {
    f"profiles.{name}": fixed(
        getattr(profiles, name), change=V(1.0, NUMBER), time=V(1.0, POSITIVE), start=V(0.0, NUMBER), initial=V(0.0, NUMBER)
    )
    for name in ("smooth_step", "bang_bang", "quintic")
}
PROFILES["profiles.table"].arguments["times"] = V([0, 1], kind("two"))

SHAPES = {
    "shapes.Shape": fixed(shapes.Shape, **LOOK),
    "shapes.Box": fixed(shapes.Box, size=V((1, 2, 3)), **LOOK),
    "shapes.Sphere": fixed(shapes.Sphere, radius=V(1.0, POSITIVE), **LOOK),
    "shapes.Ellipsoid": fixed(shapes.Ellipsoid, radii=V((1, 2, 3)), **LOOK),
    "shapes.Cylinder": fixed(shapes.Cylinder, radius=V(1.0, POSITIVE), length=V(1.0, POSITIVE), **LOOK),
    "shapes.Cone": fixed(shapes.Cone, radius=V(1.0, POSITIVE), length=V(1.0, POSITIVE), **LOOK),
    "shapes.Tube": fixed(shapes.Tube, points=POINTS, radius=V(1.0, POSITIVE), **LOOK),
    "shapes.Line": fixed(shapes.Line, points=POINTS, **LOOK),
    "shapes.Mesh": fixed(shapes.Mesh, vertices=POINTS, triangles=V([(0, 1, 2)]), **LOOK),
}


def mesh_file() -> str:
    Path("corner.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    return "corner.obj"


SHAPES["shapes.Mesh.from_file"] = Call(
    lambda: functools.partial(shapes.Mesh.from_file) if mesh_file() else None,
    {"path": V("corner.obj", missing_file=True), "scale": V(0.001, NOT_ZERO), **LOOK},
)

LOAD = V(kf.JointSpring("rod", stiffness=1.0))
SYSTEM = {
    "System": fixed(kf.System, name=V("new", NAME), gravity=V((0, 0, 1)), base=V(None, OPTIONAL)),
    "Body": Call(lambda: Body, {"model": V(system()), "name": V("rod")}),
    "Body.frame": Call(
        lambda: Body(system(), "rod").frame,
        {"name": V("new", NAME), "position": V((0, 0, 1)), "rotation": V(TURN, OPTIONAL)},
    ),
    "Model.add": of_system(
        "add",
        name=V("new", NAME),
        body=V(kf.Rigid(1.0)),
        joint=V(kf.Revolute("z"), OPTIONAL),
        parent=V("rod", OPTIONAL),
        at=V("tip", OPTIONAL),
        hinge=V((0, 0, 1), OPTIONAL),
        q=V(0.1, NUMBER | OPTIONAL),
        rates=V(0.1, NUMBER | OPTIONAL),
    ),
    "Assembled.add_rod": of_system(
        "add_rod",
        name=V("new", NAME),
        rod=V(kf.Cable(2.0, 1.0, n=3)),
        parent=V("rod", OPTIONAL),
        at=V("tip", OPTIONAL),
        root=V("pinned", OPTIONAL),
        tip=V("pinned"),
        end=V("arm.tip"),
    ),
    "Assembled.add_feed": Call(
        lambda: with_rod().add_feed,
        {
            "name": V("new", NAME),
            "rod": V("cable"),
            "out_of": V("N", OPTIONAL),
            "length": V(None, OPTIONAL),
            "rate": V(None, OPTIONAL),
            "force": V(LAW, NUMBER | OPTIONAL | FUNCTION),
            "tension": V(None, OPTIONAL),
            "torque": V(None, OPTIONAL),
            "reel": V(None, OPTIONAL),
            "sees": V(["rod.q"], NAMES),
            "initial": V(0.5, NOT_NEGATIVE | OPTIONAL),
        },
    ),
    "Assembled.add_point": Call(
        lambda: with_rod().add_point, {"rod": V("cable"), "name": V("new", NAME), "s": V(1.0, kind("zero", "real"))}
    ),
    "Model.add_frame": of_system("add_frame", body=V("rod"), name=V("new", NAME), frame=V(kf.Frame((0, 0, 1)))),
    "Model.add_rotor": of_system("add_rotor", name=V("new", NAME), body=V("rod"), rotor=V(kf.Rotor("z", 1.0))),
    "Model.apply": of_system("apply", name=V("new", NAME), load=LOAD),
    "Model.add_block": of_system("add_block", name=V("new", NAME), block=V(kf.blocks.PID(1.0, sees="rod.q"))),
    "Model.add_input": of_system("add_input", name=V("new", NAME), load=V(kf.JointForce("rod"))),
    "Model.constrain": of_system("constrain", name=V("new", NAME), constraint=V(kf.PointOnPlane("rod.tip"))),
    "Model.close": of_system("close", name=V("new", NAME), a=V("arm.tip"), b=V("N"), joint=V(kf.Spherical())),
    "Model.group": of_system("group", name=V("new", NAME), bodies=V(["rod"])),
    "Model.set_unit": of_system("set_unit", channel=V("rod.q"), unit=V("km", TEXT)),
    "Model.contact": of_system("contact", name=V("new", NAME), contact=V(kf.Contact("rod.tip"))),
    "Model.show": of_system("show", **{"body": V("rod"), "*shapes": V((shapes.Box((1, 1, 1)),))}),
    "Model.locate": of_system("locate", place=V("rod.tip"), what=V("load", NAME | kind("empty"))),
}

CALLS: dict[str, Call] = PARTS | BLOCKS | ORBITS | PROFILES | SHAPES | SYSTEM
