"""Every wrong structure gives an error that names the culprit and says what to do."""

import math

import numpy as np
import pytest

from kaneflex.model.checks import ModelError
from kaneflex.structures import Beam, Framework, Mast, Plate, Reflector, Section, Solid, Structure

GOOD = {"EA": 1e6, "EI": 50.0, "mass_per_length": 1.0}
SECTION = Section(**GOOD)
NAN = math.nan


def beam(**changes) -> Beam:
    return Beam(**{"length": 2.0, **GOOD, "elements": 2, **changes})


def plate(**changes) -> Plate:
    given = {"length": 2.0, "width": 1.0, "thickness": 0.01, "E": 7e10, "nu": 0.3, "density": 2700.0, "elements": (2, 2)}
    return Plate(**{**given, **changes})


def solid(**changes) -> Solid:
    given = {"length": 2.0, "width": 0.1, "height": 0.1, "E": 7e10, "nu": 0.3, "density": 2700.0, "elements": (2, 1, 1)}
    return Solid(**{**given, **changes})


def mast(**changes) -> Mast:
    given = {"length": 2.0, "radius": 0.1, "bays": 2, "EA": (1e6, 1e6, 1e6), "mass_per_length": (1, 1, 1)}
    return Mast(**{**given, **changes})


def dish(**changes) -> Reflector:
    return Reflector(**{"diameter": 4.0, "focal_length": 2.0, "rib": SECTION, "rim": SECTION, **changes})


def frame() -> Framework:
    f = Framework()
    for k, name in enumerate(("a", "b", "c", "d")):
        f.node(name, (k, 0.1 * k * k, 0))
    return f


def member(*arguments, **changes):
    frame().beam(*(arguments or ("a", "b", SECTION)), **changes)


def given(M=None, K=None, points=((0, 0, 0), (1, 0, 0)), **changes):
    return Structure.from_matrices(np.eye(6) if M is None else M, np.eye(6) if K is None else K, points, **changes)


def changed(A: np.ndarray, i: int, j: int, value: float) -> np.ndarray:
    A = A.copy()
    A[i, j] = value
    return A


def softened_beam():
    """The stiffness of a beam with its first bending stiffness turned to minus a tenth: only just indefinite."""
    b = beam(elements=6)
    E = b.expand[:, b.held("root")].toarray()
    K, M = E.T @ b.K @ E, E.T @ b.M @ E
    squares, V = np.linalg.eig(np.linalg.solve(M, K))
    first = int(np.argmin(squares.real))
    v = E @ V[:, first].real
    v /= math.sqrt(v @ (b.M @ v))
    Mv = b.M @ v
    bad = b.K.toarray() - 1.1 * squares[first].real * np.outer(Mv, Mv)
    Structure.from_matrices(b.M, bad, b.points)


def island():
    f = frame()
    f.beam("a", "b", SECTION)
    f.beam("c", "d", SECTION)
    f.build()


def idle_node():
    f = frame()
    f.beam("a", "b", SECTION)
    f.beam("b", "c", SECTION)
    f.build()


def unnamed_idle_node():
    f = frame()
    f.beam("a", "b", SECTION)
    f.link("a", "c", "d")
    f.node(None, (5, 6, 7))
    f.build()


def two_masters():
    f = frame()
    f.beam("a", "b", SECTION)
    f.link("a", "c")
    f.link("b", "c", "d")
    f.build()


def circle_of_links():
    f = frame()
    f.beam("a", "b", SECTION)
    f.link("c", "d")
    f.link("d", "c")
    f.build()


CASES = [
    (lambda: beam(length=0.0), "length is 0: it must be positive"),
    (lambda: beam(length=-1.0), "length is -1: it must be positive"),
    (lambda: beam(length=NAN), "length is nan: give a finite number"),
    (lambda: beam(EA=-1.0), r"EA \(axial stiffness\) is -1: it must be positive"),
    (lambda: beam(EI=0.0), r"EI \(bending stiffness\) is 0: it must be positive"),
    (lambda: beam(EI=(1.0, -2.0)), r"EI \(bending stiffness\), second value is -2"),
    (lambda: beam(EI=(1.0, 2.0, 3.0)), "has 3 values: give one number, or two"),
    (lambda: beam(EI="stiff"), "is 'stiff': give one real number"),
    (lambda: beam(GJ=-1.0), r"GJ \(torsional stiffness\) is -1"),
    (lambda: beam(GA=0.0), r"GA \(shear stiffness\) is 0"),
    (lambda: beam(mass_per_length=0.0), "mass_per_length is 0: it must be positive"),
    (lambda: beam(rotary=-1.0), "rotary .* is -1: it must not be negative"),
    (lambda: beam(polar=-1.0), "polar .* is -1"),
    (lambda: beam(elements=0), "elements is 0: give a whole number from 1"),
    (lambda: beam(elements=2.5), "elements is 2.5: give a whole number"),
    (lambda: beam(elements=True), "elements is True: give a whole number"),
    (lambda: beam().node("tpi"), 'node "tpi" is not known: there are "root", "tip"'),
    (lambda: beam().node(7), "node 7 is not there: nodes are numbered 0 to 2"),
    (lambda: beam().node((1.1, 0, 0)), r"no node at \(1.1, 0, 0\): the nearest is node 1 at \(1, 0, 0\), 0.1 m away"),
    (lambda: beam().node(None), "place of a node .*: give 3 numbers"),
    (lambda: beam().named(end=9), "node 9 is not there"),
    (lambda: beam().linked("tip", [0]), 'node "tip" is there already'),
    (lambda: beam().linked("hub", []), 'link "hub" has no nodes'),
    (lambda: beam().linked("hub", ["x"]), 'node "x" is not known'),
    (lambda: beam().geometric_stiffness(np.zeros(5)), r"displacement has shape \(5,\): give 18 numbers"),
    (lambda: beam().geometric_stiffness(np.zeros(18), np.zeros(4)), r"load has shape \(4,\): give 18 numbers"),
    (lambda: member("a", "b", SECTION, orientation=(1, 0.1, 0)), 'beam "a-b": orientation is along the beam'),
    (lambda: member("a", "a", SECTION), "goes from node 'a' to itself"),
    (lambda: member("a", "z", SECTION), 'beam "a-z": node "z" is not known: there are "a", "b", "c", "d"'),
    (lambda: member("a", 12, SECTION), "node 12 is not there"),
    (lambda: member("a", "b", "round"), "section is 'round': give a Section"),
    (lambda: member("a", "b", lambda s: s), "its section function gave .*; it must give a Section"),
    (lambda: member("a", "b", (SECTION, Section(**GOOD, GA=1.0))), "one end has shear stiffness GA and the other none"),
    (lambda: member("a", "b", SECTION, offsets=[(1, 0, 0)]), r"offsets has shape \(1, 3\)"),
    (lambda: member("a", "b", SECTION, offsets=[(1, 0.1, 0), (0, 0, 0)]), "has no length: its ends are at the same place"),
    (lambda: member("a", "b", SECTION, elements=-1), 'beam "a-b": elements is -1'),
    (lambda: frame().truss("a", "b", 0.0, 1.0), 'bar "a-b": EA is 0: it must be positive'),
    (lambda: frame().truss("a", "b", 1.0, -1.0), 'bar "a-b": mass_per_length is -1'),
    (lambda: frame().truss("b", "b", 1.0, 1.0), "to itself"),
    (lambda: frame().mass("x", 1.0), "mass at node 'x': node \"x\" is not known"),
    (lambda: frame().mass("a", -1.0), "mass at node 'a' is -1: it must not be negative"),
    (lambda: frame().mass("a", 1.0, inertia=(1, -1, 1)), "inertia is not symmetric and positive"),
    (lambda: frame().mass("a", 1.0, inertia=[[1, 1, 0], [0, 1, 0], [0, 0, 1]]), "inertia is not symmetric"),
    (lambda: frame().mass("a", 1.0, offset=(1, 2)), r"offset has shape \(2,\)"),
    (lambda: frame().spring("a"), "stiffness .*: give 6 by 6 numbers"),
    (lambda: frame().spring("a", stiffness=np.zeros(6)), "stiffness is zero"),
    (lambda: frame().spring("a", stiffness=[1, 1, 1, 1, 1, -1]), "not symmetric and positive semidefinite"),
    (lambda: frame().spring("a", "b", np.ones(6)), "its ends are apart, .* use `truss`"),
    (lambda: frame().link("a"), "give the nodes that follow it"),
    (lambda: frame().link("a", "q"), 'node "q" is not known'),
    (lambda: frame().node("a", (0, 0, 0)), 'node "a" is there already'),
    (lambda: frame().node("a.b", (0, 0, 0)), "a name has no dots"),
    (lambda: frame().node("e", (0, 0)), r'position of node "e" has shape \(2,\)'),
    (lambda: frame().node("e", (0, 0, NAN)), "give finite numbers"),
    (lambda: frame().shell([("a", "b")], 0.1, 1e9, 0.3, 1.0), "has 2 nodes; give 3 or 4"),
    (lambda: frame().shell([("a", "b", "x")], 0.1, 1e9, 0.3, 1.0), 'node "x" is not known'),
    (lambda: frame().shell([("a", "b", "b")], 0.1, 1e9, 0.3, 1.0), "has no area or is folded"),
    (lambda: frame().shell([("a", "c", "b", "d")], 0.1, 1e9, 0.3, 1.0), "no area or is folded"),
    (lambda: frame().shell([("a", "b", "c")], -0.1, 1e9, 0.3, 1.0), "thickness is -0.1"),
    (lambda: Framework().build(), "the framework has no nodes"),
    (island, r'node "c", node "d": not connected with node "a"; join the parts'),
    (idle_node, 'node "d": nothing is connected there'),
    (unnamed_idle_node, r"node 4 at \(5, 6, 7\): nothing is connected there"),
    (two_masters, 'node "c" follows both node "a" and node "b"'),
    (circle_of_links, "follows itself through other links"),
    (lambda: plate(thickness=0.0), "thickness is 0: it must be positive"),
    (lambda: plate(width=-1.0), "width is -1"),
    (lambda: plate(nu=0.5), r"nu \(Poisson's ratio\) is 0.5: give a value between -1 and 0.5"),
    (lambda: plate(E=0.0), r"E \(Young's modulus\) is 0"),
    (lambda: plate(density=-1.0), "density is -1"),
    (lambda: plate(elements=4), "elements is 4: give two whole numbers"),
    (lambda: plate(elements=(4, 0)), "elements along y is 0: give a whole number from 1"),
    (lambda: plate(root="corner"), "root is 'corner': give \"edge\" or None"),
    (lambda: solid(elements=(2, 2)), "give three whole numbers"),
    (lambda: solid(height=0.0), "height is 0"),
    (lambda: Solid.from_mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [(0, 1, 2, 3)], 1e9, 0.3, 1.0), "has no volume"),
    (lambda: Solid.from_mesh([(0, 0, 0)], [(0, 1, 2, 3)], 1e9, 0.3, 1.0), "tetrahedra name node 1: there are nodes 0 to 0"),
    (lambda: Solid.from_mesh([(0, 0, 0)], [(0, 0, 0)], 1e9, 0.3, 1.0), "give e by 4 whole numbers"),
    (lambda: Solid.from_mesh(3, [(0, 0, 0, 0)], 1e9, 0.3, 1.0), r"points \(corners\): give n by 3 numbers"),
    (lambda: mast(sides=5), "sides is 5: give 3 or 4 longerons"),
    (lambda: mast(bays=0), "bays is 0"),
    (lambda: mast(EA=(1e6, 1e6)), r"EA of longerons, battens and diagonals has shape \(2,\)"),
    (lambda: mast(EA=(1e6, -1e6, 1e6)), 'bar "batten-0-0": EA is -1e[+]06'),
    (lambda: mast(joint_mass=-1.0), "joint_mass is -1"),
    (lambda: dish(ribs=2), "ribs is 2: give at least 3"),
    (lambda: dish(hub_diameter=5.0), "hub_diameter is 5: it must be below the diameter 4"),
    (lambda: dish(rib="tube"), "rib is 'tube': give a Section"),
    (lambda: Section.tube(0.1, 0.2, 7e10, 0.3, 1.0), "wall is 0.2: it cannot exceed the radius 0.1"),
    (lambda: Section.rectangle(0.1, 0.0, 7e10, 0.3, 1.0), "height is 0"),
    (lambda: given(M=np.eye(7)), "with 2 nodes give 6 or 12 rows and columns"),
    (lambda: given(M=np.ones((6, 5))), r"M \(mass\) is 6 by 5"),
    (lambda: given(K=np.eye(12)), r"M is \(6, 6\) and K is \(12, 12\): give both over the same dofs"),
    (
        lambda: given(M=changed(np.eye(6), 0, 2, 0.1)),
        r"M \(mass\) is not symmetric: entry \(0, 2\) is 0.1 and \(2, 0\) is 0",
    ),
    (lambda: given(K=changed(np.eye(6), 3, 1, 0.1)), r"K \(stiffness\) is not symmetric"),
    (lambda: given(K=changed(np.eye(6), 4, 4, -1.0)), "negative diagonal entry at node 1, uy"),
    (lambda: given(M=changed(np.eye(6), 2, 2, -1.0)), r"M \(mass\) has a negative diagonal entry at node 0, uz"),
    (lambda: given(K=np.eye(6) - np.full((6, 6), 0.5)), r"K \(stiffness\) is indefinite"),
    (lambda: given(K=np.kron([[1.0, 1.0], [1.0, 0.0]], np.eye(3))), r"K \(stiffness\) is indefinite"),
    (softened_beam, r"K \(stiffness\) is indefinite"),
    (lambda: given(M=np.zeros((6, 6))), "no mass in translation"),
    (lambda: given(M=np.eye(6) * NAN), "entries that are not finite"),
    (lambda: given(M=np.eye(6) * 1j), "complex entries"),
    (lambda: given(M="heavy"), "cannot be read as a matrix"),
    (lambda: given(points=[(0, 0, 0), (1, 0)]), "points .*: give 2 by 3 numbers"),
    (lambda: given(points=[]), "there is no node"),
    (lambda: given(points=None), "give n by 3 numbers, not None"),
    (lambda: given(names={"tip": 2}), 'node "tip" is number 2: there are nodes 0 to 1'),
    (lambda: given(names={"tip": "b"}), "names is {'tip': 'b'}: give a mapping from a name to a whole number"),
    (lambda: given().held(0), r"node 0 at \(0, 0, 0\) has no rotations .* link it"),
    (lambda: given(geometric=lambda u: np.eye(3)).geometric_stiffness(np.zeros(12)), r"gave a matrix of shape \(3, 3\)"),
]


@pytest.mark.parametrize("make, message", CASES, ids=[str(k) for k in range(len(CASES))])
def test_a_wrong_structure_says_what_is_wrong(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_free_and_massless_parts_are_no_error():
    """Semidefinite matrices are right: a free body, and rotations without inertia."""
    free = beam()
    again = Structure.from_matrices(free.M, free.K, free.points)
    assert again.expand.shape == free.expand.shape
    chain = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert given(K=np.kron(chain, np.eye(3))).active.sum() == 6
