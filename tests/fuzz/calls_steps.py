"""Valid calls of what is stepped from outside, and of what is exchanged with other programs."""

import functools
from pathlib import Path

import numpy as np
from fuzz.calls_model import system
from fuzz.calls_runs import CONTROL, EVENT, PATH, STATE, of, run, shared
from fuzz.calls_studies import swing
from fuzz.junk import MAPPING, OPTIONAL, POSITIVE, SEQUENCE, Call, Given, kind

import kaneflex as kf

V = Given
MODEL = """<mujoco model="arm"><compiler angle="radian"/><worldbody><body name="arm"><joint name="turn" axis="0 1 0"/>
<inertial pos="0 0 0.1" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""


def started() -> kf.Simulation:
    """A simulation of its own."""
    return moving().start()


@functools.cache
def moving() -> kf.System:
    """A system with three inputs."""
    s = system()
    s.add_input("drive", kf.JointForce("cart"))
    s.add_input("bend", kf.JointForce("arm"))
    return s


def model_file() -> type[kf.System]:
    Path("arm.xml").write_text(MODEL)
    return kf.System


def robot_model() -> type[kf.System]:
    Path("arm.sdf").write_text('<sdf version="1.9"><model name="arm"><link name="arm"/></model></sdf>')
    return kf.System


STEPS = {
    "System.start": of(
        shared,
        "start",
        initial=STATE,
        method=V("dopri5", OPTIONAL),
        inputs=V({}, MAPPING | OPTIONAL),
        controllers=V([CONTROL], SEQUENCE),
        events=V([EVENT], SEQUENCE),
    ),
    "Simulation.step": of(started, "step", dt=V(0.01, POSITIVE), inputs=V(np.zeros(3), OPTIONAL | MAPPING)),
    "Simulation.read": of(started, "read", **{"*names": V(("rod.q",))}),
    "Simulation.rewind": of(started, "rewind", state=STATE),
    "Simulation.realtime": Call(
        lambda: lambda **given: next(started().realtime(**given), None),
        {
            "dt": V(0.01, POSITIVE),
            "duration": V(0.02, POSITIVE | kind("inf")),
            "control": V(lambda state: np.zeros(3), OPTIONAL),
            "speed": V(1000.0, POSITIVE),
        },
    ),
}

EXCHANGE = {
    "Run.to_mat": of(run, "to_mat", path=PATH, names=V(["rod.q"], OPTIONAL | SEQUENCE)),
    "Assembled.from_mjcf": Call(lambda: model_file().from_mjcf, {"path": V("arm.xml", missing_file=True)}),
    "Assembled.from_sdf": Call(lambda: robot_model().from_sdf, {"path": V("arm.sdf", missing_file=True)}),
    "System.to_control": of(shared, "to_control", outputs=V(["rod.q"], SEQUENCE)),
    "System.to_fmu": of(
        swing,
        "to_fmu",
        path=V("swing.fmu", kind("word")),
        version=V("2.0"),
        initial=V({"rod.q": 0.1}, OPTIONAL | MAPPING),
        compiler=V("", kind("empty")),
    ),
}

CALLS: dict[str, Call] = STEPS | EXCHANGE
