"""Small quick systems for studies: what worker processes import."""

import os
import time

import numpy as np

import kaneflex as kf

SHORT = {"duration": 0.5, "output": 0.1}
LENGTH = {"mass": kf.normal(1.0, 0.1), "length": kf.uniform(0.5, 1.5)}
KEEP = ["rod.q", "final rod.q", "peak rod.rate", "rod.position at 0.2, 0.33"]


def system() -> kf.System:
    """A pendulum with two parameters."""
    mass, length = kf.Parameter("mass", 1.0, unit="kg"), kf.Parameter("length", 1.0, unit="m")
    swing = kf.System("swing", gravity=(0, 0, -9.81))
    swing.add("rod", kf.Rigid(mass, com=(0, 0, -length)), kf.Revolute("y"), q=0.3)
    return swing


def build(values):
    """The same by a function; texts choose the joint's axis."""
    swing = kf.System("swing", gravity=(0, 0, -9.81))
    joint = kf.Revolute(values.get("axis", "y"))
    swing.add("rod", kf.Rigid(values.get("mass", 1.0), com=(0, 0, -values["length"])), joint, q=0.3)
    return swing


def troubled(values):
    """Some values go wrong: in each of the ways that a run can."""
    trouble = values["trouble"]
    if trouble == "raises":
        raise ZeroDivisionError("the user's own")
    if trouble == "no system":
        return 3
    while trouble == "never ends":
        time.sleep(0)
    swing = build({"length": 1.0 if trouble != "bad model" else -np.inf})
    if trouble == "nan":
        swing.apply("odd", kf.JointForce("rod", lambda t: np.sqrt(0.2 - t)))
    if trouble == "never ends in a load":

        def endless(t):
            while t > 0.1:
                os.getpid()
            return 0.0

        swing.apply("odd", kf.JointForce("rod", endless))
    return swing


def ends_its_process(values):
    """One value ends the process that tries it."""
    if values["length"] == 7.0:
        os._exit(3)
    return build(values)


def logged(values):
    """Notes each start in the file that the environment names, then takes its time."""
    with open(os.environ["STUDY_LOG"], "a") as file:
        file.write(f"{values['length']!r}\n")
    time.sleep(float(os.environ.get("STUDY_SLOW", "0")))
    return build(values)


def slow(values):
    """Takes its time."""
    time.sleep(0.03)
    return build(values)


def same(one, other):
    """Whether two ensembles have the same bits, the time that runs took apart."""
    assert set(one.data.variables) == set(other.data.variables)
    for name in one.data.variables:
        a, b = np.asarray(one.data[name]), np.asarray(other.data[name])
        if name != "seconds":
            assert (a == b).all() if a.dtype.kind in "TUO" else a.tobytes() == b.tobytes(), name
    return True
