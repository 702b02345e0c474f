"""Which joints close a loop, and what is said of those that do not."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.kernels.joints import cylindrical
from kaneflex.model.joints import JOINTS

CLOSING = [kind for kind in JOINTS.values() if kind.closes]


def linkage(joint: kf.model.joints.Joint) -> kf.System:
    s = kf.System("linkage", gravity=(0, -9.81, 0))
    rod = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1), frames={"tip": (1, 0, 0)})
    s.add("a", rod, kf.Revolute("z"), q=1.0)
    s.add("b", rod, kf.Revolute("z"), parent="a", at="tip", q=-1.0)
    s.add("c", rod, kf.Revolute("z"), at=(1.0, 0, 0), q=1.0)
    s.close("pin", "b.tip", "c.tip", joint)
    return s


@dataclass(frozen=True)
class Hinge(kf.Revolute):
    """A case of a joint that is known."""


@dataclass(frozen=True)
class Odd(kf.model.joints.Joint):
    """A joint of one's own, in the tree."""

    facts: ClassVar = cylindrical.FACTS


@dataclass(frozen=True)
class Loose(kf.Revolute):
    """One that turns like its parent and slides too: its parent's equations are not its own."""

    facts: ClassVar = cylindrical.FACTS


@pytest.mark.parametrize("joint", [Odd(), Loose("z")], ids=lambda j: type(j).__name__)
def test_a_joint_without_loop_equations_is_named(joint):
    with pytest.raises(kf.ModelError, match=rf'loop "pin".*{type(joint).__name__} joint') as caught:
        linkage(joint).simulate(0.1)
    for kind in CLOSING:
        assert kind.__name__ in str(caught.value)
    assert "CustomJoint" in str(caught.value) and "Constraint" in str(caught.value)


def test_a_case_of_a_known_joint_closes_as_that():
    hinge, revolute = linkage(Hinge("z")).simulate(0.3), linkage(kf.Revolute("z")).simulate(0.3)
    assert np.array_equal(hinge["a.q"], revolute["a.q"]) and hinge.audit.ok


def test_all_joints_of_the_package_close_or_say_why():
    kinds = [k for k in vars(kf).values() if isinstance(k, type) and issubclass(k, kf.model.joints.Joint)]
    for kind in kinds:
        if kind is kf.CustomJoint:
            continue
        if kind is kf.Free:
            with pytest.raises(kf.ModelError, match="Free joint closes nothing"):
                linkage(kf.Free())
            continue
        assert kind in CLOSING, kind
        assert linkage(kind()).dynamics().plan.index.constraints["pin"].stop == len(kind.closes) == 6 - kind.facts.speeds
