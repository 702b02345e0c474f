"""Valid calls of parts."""

from typing import Any

import numpy as np
from fuzz.calls_model import LOOSE, ORBIT, PLACED, fixed, system
from fuzz.junk import FLAG, FUNCTION, NAME, NAMES, NOT_NEGATIVE, NUMBER, OPTIONAL, POSITIVE, TEXT, Call, Given, kind

import kaneflex as kf

V = Given
AXIS = V((0, 0, 1))
LIMIT = V(1.0, POSITIVE | kind("inf"))


def some(words: str, given: Given) -> dict[str, Any]:
    """The same for several arguments."""
    return dict.fromkeys(words.split(), given)


SEVERAL = {**LOOSE, "drives": V([], NAMES | NAME)}
GYRO = kf.parts.ControlMomentGyro(1.0, 1.0, 1.0)
SENSOR = {
    "bandwidth": LIMIT,
    "delay": V(0.0, NOT_NEGATIVE),
    "noise": V(0.0, NOT_NEGATIVE),
    "bias": V((0, 0, 0)),
    "rate": V(1.0, POSITIVE),
    "seed": V(1, kind("zero")),
}


def plain() -> kf.LinearModel:
    s = kf.System("cart")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"))
    s.add_input("push", kf.JointForce("cart"))
    return s.linearize(outputs=["cart.q"])


CALLS: dict[str, Call] = {
    "parts.ReactionWheel": fixed(
        kf.parts.ReactionWheel,
        axis=AXIS,
        **some("inertia coulomb_rate", V(1.0, POSITIVE)),
        **some("torque_limit speed_limit power_limit", LIMIT),
        **some("viscous coulomb static_imbalance dynamic_imbalance", V(0.0, NOT_NEGATIVE)),
        rate=V(0.0, NUMBER),
        mass=V(1.0, NOT_NEGATIVE),
        transverse=V(None, POSITIVE | OPTIONAL),
        motion=V(None, OPTIONAL | FUNCTION),
    ),
    "parts.ControlMomentGyro": fixed(
        kf.parts.ControlMomentGyro,
        momentum=V(1.0, NUMBER),
        **some("inertia mass bandwidth", V(1.0, POSITIVE)),
        gimbal=AXIS,
        spin=V((1, 0, 0)),
        inner=V(None, OPTIONAL),
        gimbal_inertia=V(None, kind("real") | OPTIONAL),
        angle=V(0.0, NUMBER),
        **some("rate_limit torque_limit", LIMIT),
    ),
    "parts.GyroCluster": fixed(
        kf.parts.GyroCluster,
        gyro=V(GYRO),
        gimbals=V(((1, 0, 0), (0, 1, 0), (0, 0, 1))),
        spins=V(((0, 1, 0), (0, 0, 1), (1, 0, 0))),
        **some("angles preferred", V(None, OPTIONAL)),
        steering=V("robust"),
        **some("weight gain", V(1.0, POSITIVE)),
    ),
    "parts.GyroCluster.pyramid": fixed(kf.parts.GyroCluster.pyramid, gyro=V(GYRO), skew=V(1.0, NUMBER)),
    "parts.MomentumStore": fixed(kf.parts.MomentumStore, initial=V((0, 0, 1))),
    "parts.Thruster": fixed(
        kf.parts.Thruster,
        **some("thrust specific_impulse", V(1.0, POSITIVE)),
        direction=AXIS,
        **some("rise fall minimum_impulse cycle", V(0.0, NOT_NEGATIVE)),
        fed=V(False, FLAG),
    ),
    "parts.ThrusterCluster": fixed(
        kf.parts.ThrusterCluster,
        thruster=V(kf.parts.Thruster(1.0)),
        places=V(kf.parts.couples(1.0)[0]),
        directions=V(kf.parts.couples(1.0)[1]),
        about=V((0, 0, 0)),
        controls=V("torque"),
    ),
    "parts.couples": fixed(kf.parts.couples, arm=V(1.0, POSITIVE)),
    "parts.MagneticTorquer": fixed(
        kf.parts.MagneticTorquer, limit=V(1.0, POSITIVE), field=V(kf.orbits.Dipole()), orbit=V(ORBIT, OPTIONAL)
    ),
    "parts.MagneticDamper": fixed(
        kf.parts.MagneticDamper,
        moment=V(1.0, NOT_NEGATIVE),
        **some("damping mass inertia", V(1.0, POSITIVE)),
        field=V(kf.orbits.Dipole()),
        orbit=V(ORBIT, OPTIONAL),
        turned=V((1, 0, 0, 0)),
    ),
    "parts.Gyro": fixed(kf.parts.Gyro, **SENSOR),
    "parts.StarTracker": fixed(kf.parts.StarTracker, target=V((1, 0, 0, 0)), **SENSOR),
    "parts.SunSensor": fixed(kf.parts.SunSensor, field_of_view=V(1.0, kind("real")), sun=V(kf.orbits.Sun()), **SENSOR),
    "parts.Accelerometer": fixed(kf.parts.Accelerometer, time=V(1.0, POSITIVE), gravity=V((0, 0, 1)), **SENSOR),
    "blocks.AttitudeError": fixed(kf.blocks.AttitudeError, body=V("rod", NAME), target=V((1, 0, 0, 0)), **PLACED),
    "blocks.AttitudeControl": fixed(
        kf.blocks.AttitudeControl,
        body=V("rod", NAME),
        **some("kp kd", V(1.0, NUMBER)),
        ki=V(0.0, NUMBER),
        target=V((1, 0, 0, 0)),
        rate=V((0, 0, 0)),
        limit=LIMIT,
        axes=V(None, OPTIONAL),
        **some("attitude gyro", V("", TEXT)),
        **PLACED,
    ),
    "blocks.DeadBand": fixed(
        kf.blocks.DeadBand,
        on=V(1.0, POSITIVE),
        off=V(None, NOT_NEGATIVE | OPTIONAL),
        time=V(1.0, POSITIVE),
        gain=V(1.0, NUMBER),
        **SEVERAL,
    ),
    "blocks.Notch": fixed(kf.blocks.Notch, **some("frequency width", V(1.0, POSITIVE)), depth=V(0.0, NOT_NEGATIVE), **LOOSE),
    "blocks.BendingFilter": fixed(kf.blocks.BendingFilter, **some("frequency damping", V(1.0, POSITIVE)), **LOOSE),
    "blocks.Resonators": fixed(kf.blocks.Resonators, frequencies=V([1.0], kind("two", "seven")), **SEVERAL),
    "blocks.Estimator": fixed(
        kf.blocks.Estimator,
        **some("A B C L", V(np.eye(2), kind("matrix"))),
        initial=V(None, OPTIONAL | kind("two")),
        **SEVERAL,
    ),
    "blocks.StateFeedback": fixed(
        kf.blocks.StateFeedback, K=V(np.eye(2), kind("matrix")), at=V(None, OPTIONAL | kind("two")), **SEVERAL
    ),
    "Sampled.of": fixed(kf.Sampled.of, block=V(kf.blocks.PID(1.0, sees="rod.q", drives="motor")), period=V(0.1, POSITIVE)),
    "LinearModel.lqr": Call(
        lambda: plain().lqr, {"Q": V([1.0, 1.0], kind("matrix", "two")), "R": V([1.0]), "states": V(None, OPTIONAL)}
    ),
    "LinearModel.kalman": Call(
        lambda: plain().kalman,
        {"process": V([1.0, 1.0], kind("matrix", "two")), "noise": V([1.0]), "states": V(None, OPTIONAL)},
    ),
    "parts.Parachute": fixed(
        kf.parts.Parachute,
        **some("line area density", V(1.0, POSITIVE)),
        **some("axial normal", V(0.5, NUMBER)),
        mass=V(1.0, NOT_NEGATIVE),
        **some("apparent angles", V((0.0, 0.0), kind("two"))),
        wind=V((0, 0, 0)),
    ),
    "parts.RotorDisk": fixed(
        kf.parts.RotorDisk,
        **some("radius speed chord lift_slope density", V(1.0, POSITIVE)),
        **some("drag inertia", V(0.0, NOT_NEGATIVE)),
        blades=V(2),
        sense=V(1, kind("minus")),
    ),
    "parts.Engine": fixed(
        kf.parts.Engine,
        **some("thrust specific_impulse mass stiffness angle_limit torque_limit", V(1.0, POSITIVE)),
        **some("arm damping rise", V(0.0, NOT_NEGATIVE)),
        inertia=V((1.0, 1.0), kind("two")),
        fed=V(False, FLAG),
    ),
    "parts.SloshTank": fixed(
        kf.parts.SloshTank,
        shape=V("box"),
        model=V("spring"),
        **some("radius height fill density acceleration", V(1.0, POSITIVE)),
        **some("damping shell", V(0.0, NOT_NEGATIVE)),
        inertia=V((0.0, 0.0, 0.0)),
    ),
    "parts.Transfer": fixed(
        kf.parts.Transfer,
        **some("amount time left contents", V(1.0, POSITIVE)),
        pipe=V(((1.0, 0.0, 0.0),)),
        start=V(0.0, NOT_NEGATIVE),
    ),
    "parts.Tank": fixed(
        kf.parts.Tank,
        shape=V("box"),
        **some("radius density", V(1.0, POSITIVE)),
        propellant=V(1.0, POSITIVE),
        height=V(1.0, POSITIVE),
        residual=V(None, POSITIVE | OPTIONAL),
        shell=V(0.0, NOT_NEGATIVE),
        feeds=V((), NAMES | NAME),
        outlet=V((0, 0, 0)),
        slosh=V(False, FLAG),
        damping=V(0.0, NOT_NEGATIVE),
        acceleration=V(9.81, POSITIVE),
    ),
    "parts.MovingMass": fixed(
        kf.parts.MovingMass,
        **some("mass bandwidth", V(1.0, POSITIVE)),
        axis=AXIS,
        lower=V(-10.0, NUMBER | kind("-inf")),
        upper=V(10.0, NUMBER | kind("inf")),
        place=V(0.0, NUMBER),
        force_limit=LIMIT,
        inertia=V((0, 0, 0)),
        motion=V(None, OPTIONAL | FUNCTION),
    ),
    "parts.Foot": fixed(
        kf.parts.Foot,
        crush=V(1.0, POSITIVE),
        **some("stroke mass stiffness", V(1.0, POSITIVE)),
        **some("length friction", V(0.0, NOT_NEGATIVE)),
        damping=V(None, POSITIVE | OPTIONAL),
        bending=V(None, POSITIVE | OPTIONAL | kind("inf")),
        ground=V("N", NAME),
        after=V("slide"),
    ),
    "blocks.MomentumManagement": fixed(
        kf.blocks.MomentumManagement,
        axes=V(((0, 0, 1), (1, 0, 0))),
        inertia=V(1.0, POSITIVE | kind("two")),
        gain=V(1.0, POSITIVE),
        law_of=V("torque"),
        target=V((0, 0, 0)),
        limit=LIMIT,
        **SEVERAL,
    ),
    "Sampled.chain": fixed(
        kf.Sampled.chain, blocks=V({"law": kf.blocks.PID(1.0, sees="rod.q", drives="motor")}), period=V(0.1, POSITIVE)
    ),
    "Assembled.add_part": Call(
        lambda: system().add_part,
        {
            "name": V("new", NAME),
            "part": V(kf.parts.ReactionWheel()),
            "on": V("rod", OPTIONAL),
            "at": V("tip", OPTIONAL),
        },
    ),
}
