"""Valid calls of structures and flexible bodies."""

import functools

import numpy as np
from fuzz.calls_model import fixed
from fuzz.calls_runs import PATH, of, result
from fuzz.junk import (
    ANYTHING,
    FLAG,
    FUNCTION,
    MAPPING,
    NAME,
    NOT_NEGATIVE,
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
from kaneflex import structures

V = Given
PLUS, LEAST, NU = V(1.0, POSITIVE), V(1.0, NOT_NEGATIVE), V(0.3, kind("zero"))
TWO = V((1.0, 2.0), POSITIVE | kind("two"))
NODE = kind("zero")  # nodes have numbers
LABEL = OPTIONAL | NAME
MATERIAL = {"E": V(1e9, POSITIVE), "nu": NU, "density": V(1e3, POSITIVE)}
SECTION = {
    "EA": V(1e6, POSITIVE),
    "EI": V((1e3, 2e3), POSITIVE | kind("two")),
    "mass_per_length": LEAST,
    "GJ": V(1e3, OPTIONAL | POSITIVE),
    "GA": V((1e5, 1e5), OPTIONAL | POSITIVE | kind("two")),
    "rotary": V((0.1, 0.2), OPTIONAL | NOT_NEGATIVE | kind("two")),
    "polar": V(0.3, OPTIONAL | NOT_NEGATIVE),
    "shear_centre": V((0.1, 0.0), kind("two")),
}


@functools.cache
def section() -> structures.Section:
    return structures.Section(EA=1e6, EI=1e3, mass_per_length=1.0)


def frame() -> structures.Framework:
    f = structures.Framework()
    for name, place in (("a", (0, 0, 0)), ("b", (1, 0, 0)), ("c", (1, 1, 0)), ("d", (0, 1, 0)), ("e", (0, 0, 0))):
        f.node(name, place)
    return f


@functools.cache
def beam() -> structures.Beam:
    return structures.Beam(length=1.0, EA=1e6, EI=1e3, mass_per_length=1.0, elements=3)


@functools.cache
def modes() -> structures.Modes:
    return structures.component_modes(beam(), "root", 2)


@functools.cache
def modal() -> structures.ModalBody:
    return structures.modal_body(beam(), modes(), "root", nodes=("tip",))


@functools.cache
def strain_rod() -> kf.StrainRod:
    return kf.StrainRod(1.0, 1.0, 1.0, order=2, plane="xy")


@functools.cache
def body() -> kf.Flexible:
    return kf.Flexible(beam(), modes=2)


SIX = 6 * len(beam().points)
TETRA = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
MASS, STIFFNESS = (np.kron(m, np.eye(3)) for m in (np.eye(2), np.array([[1.0, -1.0], [-1.0, 1.0]])))
CHOICE = {
    "method": V("fixed"),
    "count": V(3, OPTIONAL | kind("zero")),
    "total": V(3, OPTIONAL | kind("zero")),
    "below": V(1e3, OPTIONAL | POSITIVE),
    "effective_mass": V(0.1, kind("zero")),
    "residual": V(("tip",), SEQUENCE | kind("minus", "zero", "word", "long", "words", "texts", "seven", "two")),
    "loads": V(None, OPTIONAL | kind("matrix")),  # of a size that the structure tells
    "highest": V(1e3, OPTIONAL | POSITIVE),
}

CALLS: dict[str, Call] = {
    "Section": fixed(structures.Section, **SECTION),
    "Section.rectangle": fixed(structures.Section.rectangle, width=PLUS, height=PLUS, **MATERIAL),
    "Section.tube": fixed(structures.Section.tube, radius=V(2.0, POSITIVE), wall=V(0.1, POSITIVE), **MATERIAL),
    "Section.channel": fixed(
        structures.Section.channel, height=V(2.0, POSITIVE), width=PLUS, wall=V(0.01, POSITIVE), **MATERIAL
    ),
    "Beam": fixed(structures.Beam, length=PLUS, elements=V(2), **SECTION),
    "Plate": fixed(
        structures.Plate,
        length=PLUS,
        width=PLUS,
        thickness=V(0.01, POSITIVE),
        **MATERIAL,
        elements=V((2, 2)),
        root=V("edge", OPTIONAL),
    ),
    "Solid": fixed(structures.Solid, length=PLUS, width=PLUS, height=PLUS, **MATERIAL, elements=V((2, 1, 1))),
    "Solid.from_mesh": fixed(structures.Solid.from_mesh, points=V(TETRA), tetrahedra=V([(0, 1, 2, 3)]), **MATERIAL),
    "Mast": fixed(
        structures.Mast,
        length=PLUS,
        radius=V(0.1, POSITIVE),
        bays=V(2),
        EA=V((1e6, 1e6, 1e6)),
        mass_per_length=V((1.0, 1.0, 1.0)),
        sides=V(3),
        crossed=V(True, FLAG),
        joint_mass=V(0.1, NOT_NEGATIVE),
    ),
    "Reflector": fixed(
        structures.Reflector,
        diameter=V(5.0, POSITIVE),
        focal_length=PLUS,
        rib=V(section()),
        rim=V(section()),
        ribs=V(6),
        hub_diameter=V(0.5, OPTIONAL | POSITIVE),
        divisions=V(2),
        mesh_mass=V(0.1, NOT_NEGATIVE),
        cord_EA=V(1e3, NOT_NEGATIVE),
    ),
    "Framework.node": of(frame, "node", name=V("new", LABEL), position=V((0, 0, 2))),
    "Framework.beam": of(
        frame,
        "beam",
        start=V("a", NODE),
        end=V("b"),
        section=V(section()),
        elements=V(2),
        orientation=V((0, 1, 0), OPTIONAL),
        offsets=V(((0, 0, 0.1), (0, 0, 0.1)), OPTIONAL),
        name=V("beam", LABEL),
    ),
    "Framework.truss": of(
        frame, "truss", start=V("b", NODE), end=V("c", NODE), EA=PLUS, mass_per_length=LEAST, name=V("bar", LABEL)
    ),
    "Framework.membrane": of(frame, "membrane", first=V(["a", "b"], SEQUENCE), second=V(["a", "c"], SEQUENCE)),
    "Framework.mass": of(
        frame, "mass", node=V("a", NODE), mass=V(1.0, NOT_NEGATIVE), inertia=V((1, 1, 1)), offset=V((0, 0, 0.1))
    ),
    "Framework.spring": of(
        frame, "spring", node=V("e"), other=V("a", OPTIONAL | NODE), stiffness=V((1,) * 6), name=V("spring", LABEL)
    ),
    "Framework.link": of(frame, "link", **{"reference": V("a", NODE), "*dependents": V(("b",), NODE)}),
    "Framework.shell": of(
        frame,
        "shell",
        elements=V([("a", "b", "c", "d")]),
        thickness=V(0.01, POSITIVE),
        E=V(1e9, POSITIVE),
        nu=NU,
        density=V(1e3, NOT_NEGATIVE),
        name=V("shell", NAME),
    ),
    "Structure": fixed(
        structures.Structure,
        points=V(beam().points),
        names=V({"tip": 1}, MAPPING),
        elements=V(beam().elements),
        links=V([], SEQUENCE),
        hidden=V(0, kind("zero")),
        dependent=V(np.zeros((SIX, SIX)), OPTIONAL),
    ),
    "Structure.averaged": of(beam, "averaged", name=V("new", NAME), nodes=V(["tip"]), at=V((0, 0, 1), OPTIONAL)),
    "from_craig_bampton": fixed(
        structures.from_craig_bampton,
        M=V(np.eye(7)),
        K=V(np.diag([1.0] * 6 + [5.0])),
        points=V([(0, 0, 0)]),
        dofs=V([(0, c) for c in range(1, 7)] + [(0, 0)], OPTIONAL),
        names=V({"tip": 0}, OPTIONAL | MAPPING),
        inner_points=V((), SEQUENCE),
        inner=V(None, ANYTHING),  # not looked at without points
        viscous=V(np.diag([0.0] * 6 + [0.1]), OPTIONAL),
        structural=V(np.diag([0.0] * 6 + [0.2]), OPTIONAL),
        unit_loads=V([np.zeros((7, 7))] * 12, SEQUENCE),
        mass=V(None, OPTIONAL),
        geometric=V(lambda u: np.zeros((7, 7)), OPTIONAL | FUNCTION),
        rounding=V(1e-9, POSITIVE),
    ),
    "Recovery": fixed(
        structures.Recovery,
        labels=V(("a",)),
        displacement=V(np.ones((1, SIX)), OPTIONAL),
        acceleration=V(np.ones((1, SIX)), OPTIONAL),
        mode_acceleration=V(True, FLAG),
        unit=V("N", TEXT),
    ),
    "Recovery.rows": of(lambda: structures.Recovery(("a",), np.ones((1, SIX))), "rows", which=V(["a"], SEQUENCE)),
    "Structure.from_matrices": fixed(
        structures.Structure.from_matrices,
        M=V(MASS),
        K=V(STIFFNESS),
        points=V([(0, 0, 0), (1, 0, 0)]),
        names=V({"tip": 1}, OPTIONAL | MAPPING),
        geometric=V(lambda u: STIFFNESS, OPTIONAL | FUNCTION),
        rounding=V(1e-9, POSITIVE),
    ),
    "Structure.describe": of(beam, "describe", node=V(0, NODE)),
    "Structure.node": of(beam, "node", which=V("tip", NODE)),
    "Structure.held": of(beam, "held", root=V("root", OPTIONAL | NODE)),
    "Structure.linked": of(beam, "linked", name=V("new", NAME), nodes=V(["tip", 1]), at=V((0, 0, 1), OPTIONAL)),
    "Structure.named": of(beam, "named", new=V(1, NODE)),
    "Structure.geometric_stiffness": of(
        beam,
        "geometric_stiffness",
        displacement=V(np.zeros(SIX)),
        load=V(np.zeros(SIX), OPTIONAL),
        acceleration=V(np.zeros((3, 4)), OPTIONAL),
    ),
    "Structure.rigid_body_vectors": of(beam, "rigid_body_vectors", about=V((0, 0, 1))),
    "check": fixed(structures.check, structure=V(beam()), modes=V(True, FLAG)),
    "component_modes": fixed(
        structures.component_modes,
        structure=V(beam()),
        root=V("root", OPTIONAL | NODE),
        modes=V(2, kind("zero")),
        interfaces=V(["tip"], SEQUENCE),
    ),
    "modal_body": fixed(
        structures.modal_body,
        structure=V(beam()),
        modes=V(modes()),
        root=V("root", OPTIONAL | NODE),
        nodes=V(["tip"], SEQUENCE | MAPPING),
        stiffening=V(False, FLAG),
        damping=V(0.01, kind("zero", "real", "two", "matrix")),
        always=V((), SEQUENCE | kind("words", "generator")),
    ),
    "ModeChoice": fixed(structures.ModeChoice, **CHOICE),
    "Modes": result(modes),
    "NodeModes": result(lambda: modal().nodes["tip"]),
    "ModalBody": result(modal),
    "ModalBody.stiffness_in_motion": of(
        modal, "stiffness_in_motion", acceleration=V((0, 0, 1)), omega=V((0, 0, 1)), alpha=V((0, 0, 1))
    ),
    "ModalBody.gyroscopic": of(modal, "gyroscopic", omega=V((0, 0, 1))),
    "Flexible": fixed(
        kf.Flexible,
        structure=V(beam()),
        root=V("root", OPTIONAL | NODE),
        modes=V(2),
        nodes=V(["tip"], OPTIONAL | SEQUENCE),
        interfaces=V([], SEQUENCE),
        damping=V(0.01, kind("zero", "real", "two", "matrix")),
        stiffening=V(False, FLAG),
        frames=V({"knob": (1, 0, 0)}, MAPPING),
        carries=V([], SEQUENCE),
        static_shapes=V(False, FLAG),
        recovery=V({}, MAPPING),
    ),
    "StrainRod": fixed(
        kf.StrainRod,
        length=PLUS,
        mass_per_length=V(1.0, POSITIVE | FUNCTION),
        EI=V((1.0, 2.0), POSITIVE | FUNCTION | kind("two")),
        GJ=V(1.0, OPTIONAL | POSITIVE | FUNCTION),
        EA=V(1e3, OPTIONAL | POSITIVE | FUNCTION),
        GA=V((1e3, 2e3), OPTIONAL | POSITIVE | FUNCTION | kind("two")),
        order=V(2),
        plane=V(None, OPTIONAL),
        curvature=V((0.1, 0.0, 0.2), NUMBER | FUNCTION),
        rotary_inertia=V((0.1, 0.1, 0.2), OPTIONAL | NOT_NEGATIVE | FUNCTION),
        radius=V(0.1, OPTIONAL | POSITIVE),
        damping=V(0.01, NOT_NEGATIVE | MAPPING),
        points=V({"middle": 0.5}, MAPPING),
        masses=V(8, OPTIONAL),
        frames=V({"knob": (1, 0, 0)}, MAPPING),
        start=V(None, OPTIONAL),
    ),
    "StrainRod.pose": of(
        strain_rod, "pose", coefficients=V((0.1, 0.2), kind("two", "matrix")), s=V((0.2, 0.7), NOT_NEGATIVE)
    ),
    "StrainRod.drawn": of(strain_rod, "drawn", coordinates=V(np.zeros((1, 2)), ANYTHING)),
    "StrainRod.node_moves": of(strain_rod, "node_moves", node=V("tip")),
    "BodyBase.drawn": of(lambda: kf.Rigid(1.0), "drawn", coordinates=V(np.zeros((1, 2)), ANYTHING)),
    "Flexible.node_moves": of(body, "node_moves", node=V("tip")),
    "BodyBase.carrying": of(lambda: kf.Rigid(1.0), "carrying", node=V("tip", ANYTHING), what=V("body", ANYTHING)),
    "Flexible.carrying": of(body, "carrying", node=V("tip"), what=V("body", TEXT)),
    "Flexible.show_modes": of(
        body, "show_modes", path=PATH, title=V("Modes", OPTIONAL | TEXT), report=V(structures.check(beam(), False), OPTIONAL)
    ),
}
