"""Every wrong flexible body gives an error that names the culprit and says what to do."""

import dataclasses

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.frames import NodeFrame
from kaneflex.structures import Beam, Framework, Structure
from kaneflex.structures.modes.mode_selection import component_modes

BEAM = Beam(length=2.0, EA=1e5, EI=20.0, mass_per_length=0.5, elements=6)
MODES = component_modes(BEAM, "root", 3)


def system() -> kf.System:
    s = kf.System("arm", gravity=(0, 0, -1.0))
    s.add("hub", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    s.add("arm", kf.Flexible(BEAM, modes=5), parent="hub")
    return s


def flexible(structure=BEAM, **options):
    return lambda: kf.Flexible(structure, **options)


def add(*arguments, **options):
    return lambda: system().add("more", *arguments, **options)


def start(**values):
    return lambda: system().simulate(0.1, initial={"hub.q": 0.0} | {k.replace("__", "."): v for k, v in values.items()})


def channel(name):
    return lambda: system().simulate(0.1)[name]


def matrices(what, i, j, value):
    """The beam's matrices with one entry spoilt."""

    def make():
        A = {"M": BEAM.M.toarray(), "K": BEAM.K.toarray()}
        A[what][i, j] = value
        return kf.Flexible(Structure.from_matrices(A["M"], A["K"], BEAM.points, {"root": 0}))

    return make


def skewed(scale):
    """Modes one of which is mixed with another, or scaled."""
    shapes = MODES.shapes.copy()
    shapes[:, 1] = scale * shapes[:, 1] + (0.1 * shapes[:, 0] if scale == 1 else 0)
    return dataclasses.replace(MODES, shapes=shapes)


def loose():
    frame = Framework()
    for name, x in (("root", 0.0), ("a", 1.0), ("b", 2.0), ("c", 3.0)):
        frame.node(name, (x, 0, 0))
    frame.truss("root", "a", EA=1.0, mass_per_length=1.0)
    frame.truss("b", "c", EA=1.0, mass_per_length=1.0)
    frame.build()


def short():
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("tip", (0, 0, 0))
    frame.truss("root", "tip", EA=1.0, mass_per_length=1.0)
    frame.build()


def hinged_at_tip():
    kf.System("x").add("arm", kf.Flexible(BEAM), kf.Revolute("z"), hinge="tip")


def hinged_afloat():
    kf.System("x").add("arm", kf.Flexible(BEAM, root=None, modes=3), kf.Revolute("z"), hinge="root")


def tied(a, b):
    def make():
        s = system()
        s.constrain("rod", kf.Distance(a, b, 0.5))
        s.simulate(0.1)

    return make


def big_rotor():
    s = system()
    s.add_rotor("wheel", "arm", kf.Rotor("z", 100.0))
    s.simulate(0.1)


def rotor_that_modes_shed():
    """Less than the body's inertia, and more than what is left at its root when the beam bends."""
    s = system()
    s.add_rotor("wheel", "arm", kf.Rotor("z", 0.5 * float(s.parts["arm"].body.modal.inertia[2, 2])))
    s.simulate(0.1)


CASES = {
    "no structure": (flexible("beam"), r"structure of a Flexible is 'beam': give a Structure"),
    "unknown root": (flexible(root="hub"), r'node "hub" is not known: there are "root", "tip"'),
    "unknown node": (flexible(nodes=("hand",)), r'node "hand" is not known: there are "root", "tip"'),
    "one node": (flexible(nodes="tip"), r"nodes of a Flexible is 'tip': give a sequence of nodes"),
    "one interface": (flexible(interfaces="tip"), r"interfaces of a Flexible is 'tip': give a sequence of nodes"),
    "too many modes": (flexible(modes=1000), r"1000 modes are asked for, but .* has only 36"),
    "negative modes": (flexible(modes=-1), r"count of modes is -1: it must not be negative"),
    "no modes": (flexible(modes=0), r"modes of a Flexible is 0: a body without modes is a Rigid"),
    "modes in words": (flexible(modes="six"), r"modes is 'six': give a number of modes"),
    "mixed modes": (flexible(modes=skewed(1)), r"modes 0 and 1 are not orthogonal in the mass"),
    "scaled modes": (flexible(modes=skewed(2)), r"mode 1 has modal mass 4, not 1"),
    "negative damping": (flexible(damping=-0.1), r"damping ratios .* none may be negative"),
    "damping of another number": (flexible(damping=[0.1, 0.2]), r"damping ratios has shape \(2,\): give 6 numbers"),
    "active damping": (flexible(damping=-np.eye(6)), r"damping matrix feeds energy in"),
    "stiffening": (flexible(stiffening="yes"), r"stiffening of a Flexible is 'yes': give True or False"),
    "frame named as a node": (flexible(frames={"tip": (1, 0, 0)}), r'frame "tip" .* has the name of a node'),
    "frame on no node": (flexible(frames={"eye": NodeFrame((0, 0, 0), None, "eye")}), r'node "eye" is not known'),
    "frames in a list": (flexible(frames=[(1, 0, 0)]), r"frames of a Flexible is .* give a mapping"),
    "name of a frame": (flexible(frames={"a b": (1, 0, 0)}), r'name of a frame is "a b"'),
    "indefinite K": (matrices("K", 12, 12, -1.0), r"K \(stiffness\) has a negative diagonal entry at node 2, ux"),
    "asymmetric M": (matrices("M", 12, 18, 1.0), r"M \(mass\) is not symmetric: entry \(12, 18\)"),
    "loose parts": (loose, r'node "b", node "c": not connected with node "root"'),
    "zero length": (short, r"(?i)length"),
    "joint at no node": (add(kf.Rigid(1.0), None, "arm", "hand"), r'frame on "arm" "hand" is not known'),
    "joint on a deforming node": (hinged_at_tip, r'its hinge is the node "tip", which deforms away: make it the root'),
    "joint of a body afloat": (hinged_afloat, r'its hinge is the node "root", which deforms away'),
    "load at no node": (lambda: system().apply("f", kf.Force("arm.hand", (0, 0, 1))), r'"hand" is not known'),
    "frame there already": (lambda: system().add_frame("arm", "tip", kf.Frame()), r'has a frame "tip" already'),
    "constraint to itself": (tied("arm.tip", "arm.tip"), r'"rod" joins two places of the same body'),
    "constraint that cannot be met": (tied("arm.root", "hub"), r"cannot be assembled"),
    "rotor too big": (big_rotor, r'rotor "wheel" has more inertia about its axis than body "arm"'),
    "rotor that modes shed": (rotor_that_modes_shed, r'rotor "wheel" .* than flexible body "arm" has at its root.*rigid'),
    "initial modes too few": (start(arm__modes=[1, 2]), r'"arm.modes" has shape \(2,\): give 5 numbers'),
    "initial modes not finite": (start(arm__modes=[np.nan] * 5), r'"arm.modes" .* finite'),
    "initial modes of a rigid body": (start(hub__modes=[1.0]), r'"hub" has no "modes"'),
    "channel of no node": (channel("arm.hand.deflection"), r'channel "arm.hand.deflection" is not known'),
    "channel of no section": (
        channel("arm.section_loads.beam-9.start.N"),
        r'beam-9.start.N" is not known: section loads of "arm" are',
    ),
    "sections of a rigid body": (channel("hub.section_loads"), r'channel "hub.section_loads" is not known'),
    "unknown speeds": (lambda: system().simulate(0.1, speeds="fast"), r'speeds "fast" is not known'),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case):
    act, message = CASES[case]
    with pytest.raises(kf.ModelError, match=message):
        act()


def test_matrices_alone_are_warned_of():
    plain = Structure.from_matrices(BEAM.M, BEAM.K, BEAM.points, {"root": 0})
    with pytest.warns(UserWarning, match="motion cannot stiffen it"):
        kf.Flexible(plain, modes=2)
