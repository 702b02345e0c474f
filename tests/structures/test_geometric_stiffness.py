"""Geometric stiffness: second-order displacements against exact rods, and buckling loads."""

import math

import numpy as np
import pytest
import scipy.linalg
from held import Held, nodal
from scipy.integrate import solve_ivp
from scipy.optimize import root as solve_root
from scipy.sparse.linalg import eigsh, splu
from scipy.spatial.transform import Rotation

from kaneflex.structures import Beam, Framework, Mast, Plate, Section, Solid, Structure

SECTION = {"EA": 3e5, "EI": (40.0, 90.0), "GJ": 25.0, "GA": (4e3, 7e3), "mass_per_length": 1.3}
LENGTH = 2.0
AXIS = np.array([1.0, 0, 0])


def bent_rod(strain, arm=(0.0, 0.0, 0.0)) -> np.ndarray:
    """Tip displacement and rotation vector of a rod with material strains strain(x) = (3 of force, 3 of moment), exactly."""

    def slope(x, y):
        R = y[3:].reshape(3, 3)
        e = strain(x, y)
        k = e[3:]
        K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
        return np.concatenate([R @ (e[:3] + AXIS), (R @ K).ravel()])

    start = np.concatenate([np.zeros(3), np.eye(3).ravel()])
    y = solve_ivp(slope, (0, LENGTH), start, method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    R = y[3:].reshape(3, 3)
    place = y[:3] + R @ np.array(arm)
    return np.concatenate([place - [LENGTH, 0, 0] - np.array(arm), Rotation.from_matrix(R).as_rotvec()])


def even_part(function, size: float) -> np.ndarray:
    """Second-order coefficient f2 of f(s) = s f1 + s^2 f2 + ..., free of terms to s^5."""
    at = lambda s: (function(s) + function(-s)) / (2 * s**2)
    return (4 * at(size / 2) - at(size)) / 3


RADIUS_SQUARED = (40.0 + 90.0) / 3e5  # twist winds fibres into helices: N = EA (stretch + r^2 twist^2/2)
FLEXIBILITY = 1 / np.array([3e5, 4e3, 7e3, 25.0, 40.0, 90.0])
TIP_LOADS = np.array([[30.0, 0.3, -0.2, 0.4, 0.5, -0.6], [0, 1, 0, 1, 0, 0], [0, 1, 0.5, 0, 0, 0], [10, 0, 0, 1, 1, 1]])


@pytest.mark.parametrize("load", TIP_LOADS)
@pytest.mark.parametrize("elements", [1, 3])
def test_second_order_tip_displacement_and_rotation_of_a_strained_rod(load, elements):
    """A cantilever is statically determinate: the strains of the linear solution, laid on the exact rod, give u_2."""
    beam = Beam(LENGTH, elements=elements, **SECTION)
    held = Held(beam)
    shape = held.solve(nodal(beam, "tip", load))

    def exact(size):
        n, tip_moment = load[:3], load[3:]

        def strain(x, y):
            m = tip_moment + np.cross([LENGTH - x, 0, 0], n)
            e = size * FLEXIBILITY * np.concatenate([n, m])
            e[0] -= RADIUS_SQUARED * e[3] ** 2 / 2
            return e

        return bent_rod(strain)

    expected = even_part(exact, 0.05)
    found = [held.second_order(nodal(beam, "tip", unit), shape) for unit in np.eye(6)]
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())
    assert np.abs(expected).max() > 1e-5


ARM = (0.1, 0.4, -0.3)


@pytest.mark.parametrize("arm", [(0.0, 0.0, 0.0), ARM])
def test_second_order_response_to_a_dead_force_of_the_exact_rod(arm):
    """Equilibrium of the exact rod under a tip force on a rigid arm, so that bending and torsion couple.

    To second order K b = -d(U3)(a), and for a test load with solution w:  b . load = -1/2 a KG(w) a - w KG(a) a.
    """
    force = np.array([0.5, 1.0, -0.7])
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("tip", (LENGTH, 0, 0))
    frame.beam("root", "tip", Section(**SECTION), elements=2)
    frame.mass("tip", 1.0)
    frame.node("end", (LENGTH + arm[0], arm[1], arm[2]) if any(arm) else (LENGTH, 0, 0))
    frame.mass("end", 1.0)
    frame.link("tip", "end")
    structure = frame.build()
    held = Held(structure)

    def exact(size):
        F = size * force

        def equilibrium(guess):
            def strain(x, y):
                R = y[3:].reshape(3, 3)
                e = FLEXIBILITY * np.concatenate([R.T @ F, R.T @ np.cross(guess - y[:3], F)])
                e[3] /= 1 + RADIUS_SQUARED * (R.T @ F)[0] * FLEXIBILITY[3]
                e[0] -= RADIUS_SQUARED * e[3] ** 2 / 2
                return e

            return bent_rod(strain, arm)

        start = np.array([LENGTH, 0, 0]) + arm
        found = solve_root(lambda g: equilibrium(g)[:3] + start - g, start, tol=1e-13)
        return equilibrium(found.x)

    expected = even_part(exact, 0.4)
    load = nodal(structure, "end", [*force, 0, 0, 0])
    a = held.solve(load)
    KG_a = structure.geometric_stiffness(a, load)
    found = []
    for unit in np.eye(6):
        test = nodal(structure, "end", unit)
        found.append(held.second_order(test, a) - held.solve(test) @ (KG_a @ a))
    np.testing.assert_allclose(found, expected, atol=2e-6 * np.abs(expected).max())


def test_foreshortening_of_the_elastica():
    """Tip load P on a cantilever: the tip comes back by P^2 L^5/(15 EI^2), the first term of the elastica's series."""
    EI, L, P = 14.0, 3.0, 0.6
    beam = Beam(L, EA=1e6, EI=EI, mass_per_length=1.0, elements=4)
    held = Held(beam)
    a = held.solve(nodal(beam, "tip", [0, P, 0, 0, 0, 0]))
    back = held.second_order(nodal(beam, "tip", [1, 0, 0, 0, 0, 0]), a)
    assert back == pytest.approx(-(P**2) * L**5 / (15 * EI**2), rel=1e-12)


def ring() -> Structure:
    frame = Framework()
    corners = [(0, 0, 0), (1, 0, 0.2), (1.2, 0.8, 0), (0.1, 1.1, -0.3)]
    for k, p in enumerate(corners):
        frame.node(f"n{k}", p)
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2)):
        frame.beam(f"n{a}", f"n{b}", Section(**SECTION), elements=2, offsets=[(0, 0, 0.1), (0.1, 0, 0)])
    return frame.build()


def plates() -> Structure:
    """A folded plate of quadrilaterals and triangles: bending and membrane at once."""
    frame = Framework()
    for k, p in enumerate([(0, 0, 0), (1, 0.1, 0.3), (2, 0, 0), (0, 1, 0), (1, 1.1, 0.3), (2.1, 1, 0.1)]):
        frame.node(f"n{k}", p)
    quad, triangles = ["n0", "n1", "n4", "n3"], [["n1", "n2", "n4"], ["n2", "n5", "n4"]]
    frame.shell([quad, *triangles], 0.05, 7e5, 0.3, 1.0)
    return frame.build()


def solid() -> Structure:
    points = np.array([(0, 0.1, 0.3), (2.1, 0, 0.2), (0.3, 2.2, 0), (0, 0.1, 2.4), (3.2, 3, 3.1)])
    return Solid.from_mesh(points, [(0, 1, 2, 3), (1, 2, 3, 4)], 7e5, 0.3, 1.0).named(n0=0, n2=4)


def mast() -> Structure:
    m = Mast(3.0, 0.4, 3, (1e5, 1e5, 1e5), (1, 1, 1))
    return m.named(n0=m.node("root"), n2=m.node("tip"))


@pytest.mark.parametrize("make", [ring, plates, solid, mast])
def test_a_stressed_structure_turns_freely(make):
    """Two opposite forces squeeze a free structure. A rigid rotation moves their points by omega x (omega x p)/2, and the
    geometric stiffness says just that: elements, offsets and links have no stiffness against turning as a whole."""
    s = make()
    a, b = s.node("n0"), s.node("n2")
    force = 5 * (s.points[b] - s.points[a])
    F = nodal(s, a, [*force, 0, 0, 0]) - nodal(s, b, [*force, 0, 0, 0])
    K = (s.expand.T @ s.K @ s.expand).toarray()
    u = s.expand @ np.linalg.lstsq(K, s.expand.T @ F, rcond=1e-11)[0]
    np.testing.assert_allclose(s.expand.T @ (s.K @ u), s.expand.T @ F, atol=1e-7)
    KG = s.geometric_stiffness(u, F)
    R = s.rigid_body_vectors()
    second = np.zeros((3, 3))
    for node, f in ((a, force), (b, -force)):
        p = s.points[node]
        second -= (np.outer(f, p) + np.outer(p, f)) / 2 - f @ p * np.eye(3)
    work = R.T @ (KG @ R)
    np.testing.assert_allclose(work[3:, 3:], second, atol=1e-8 * np.abs(second).max())
    np.testing.assert_allclose(work[:3], 0, atol=1e-8 * np.abs(second).max())


@pytest.mark.parametrize("axis", range(6))
def test_plates_bent_and_twisted_as_a_rod(axis):
    """A strip of plate as the rod, in all six components of its tip: the test load stresses it in bending too."""
    L, b, t, E = 10.0, 0.25, 0.01, 7e6
    plate = Plate(L, b, t, E, 0.0, 1.0, elements=(60, 2))
    plate = plate.linked("end", [k for k in range(len(plate)) if abs(plate.points[k, 0] - L) < 1e-9])
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("end", (L, 0, 0))
    section = Section(E * b * t, (E * b * t**3 / 12, E * t * b**3 / 12), b * t, GJ=E / 2 * b * t**3 / 3)
    frame.beam("root", "end", section, elements=10)
    found = []
    # shapes of equal size: bending across, twist, bending in the plane
    loads = np.diag([0, section.EI[1] * 3 / L**3, section.EI[0] * 3 / L**3, section.GJ / L, 0, 0])
    for structure in (plate, frame.build()):
        held = Held(structure)
        shapes = [held.solve(nodal(structure, "end", load)) for load in loads[1:4]]
        u = held.solve(nodal(structure, "end", np.eye(6)[axis]))
        KG = structure.geometric_stiffness(u, nodal(structure, "end", np.eye(6)[axis]))
        found.append([[-p @ (KG @ q) for p in shapes] for q in shapes])
    found = np.array(found)
    np.testing.assert_allclose(found[0], found[1], atol=0.02 * np.abs(found[1]).max() + 1e-6)


def test_pattern_loads_of_a_spinning_and_an_accelerated_cantilever():
    """figures: z11 pattern on the first mode 1.19334, a1 pattern 1.57088/L; errors fall as the element length squared."""
    L = 7.0
    errors = []
    for elements in (10, 20, 40):
        beam = Beam(L, EA=2.8e9, EI=1.4e4, mass_per_length=1.2, elements=elements, rotary=0.0, polar=1e-3)
        held = Held(beam)
        M = (held.expand.T @ beam.M @ held.expand).toarray()
        _, V = scipy.linalg.eigh(held.K.toarray(), M, subset_by_index=[0, 0])
        mode = held.expand @ V[:, 0]
        x = np.zeros((len(beam), 6))
        x[:, 0] = beam.points[:, 0]
        even = beam.M @ beam.rigid_body_vectors()[:, 0]
        errors.append(
            [
                -2 * held.second_order(beam.M @ x.ravel(), mode) / 1.19334 - 1,
                -2 * held.second_order(even, mode) / (1.57088 / L) - 1,
            ]
        )
    errors = np.abs(errors)
    assert errors[2].max() < 3e-4
    rates = np.log2(errors[0] / errors[1])
    assert (rates > 1.9).all() and (rates < 2.1).all()


def test_buckling_of_a_cantilever_by_axial_acceleration():
    beam = Beam(5.0, EA=1e8, EI=1.4e4, mass_per_length=1.2, elements=40)
    held = Held(beam)
    factor = held.buckling(-(beam.M @ beam.rigid_body_vectors()[:, 0]))[0]
    assert factor * 1.2 * 5.0**3 / 1.4e4 == pytest.approx(7.83735, rel=1e-3)


@pytest.mark.parametrize("held_end, effective", [("free", 2.0), ("pinned", 0.699156), ("guided", 1.0)])
def test_euler_columns(held_end, effective):
    EI, L = 30.0, 2.0
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("tip", (L, 0, 0))
    frame.beam("root", "tip", Section(EA=1e6, EI=(5 * EI, EI), mass_per_length=1.0), elements=16)
    stiff = 1e9 * EI
    support = {"pinned": [0, stiff, stiff, 0, 0, 0], "guided": [0, 0, 0, 0, stiff, stiff]}
    if held_end in support:
        frame.spring("tip", stiffness=support[held_end])
    column = frame.build()
    load = Held(column).buckling(nodal(column, "tip", [-1, 0, 0, 0, 0, 0]))[0]
    assert load == pytest.approx(math.pi**2 * EI / (effective * L) ** 2, rel=2e-5)


def test_euler_column_with_shear():
    """A column that shears: Haringx's relation P (1 + P/GA) = Pe, where shear is normal to the turned section."""
    EI, L, GA = 30.0, 2.0, 200.0
    column = Beam(L, EA=1e7, EI=EI, mass_per_length=1.0, elements=40, GA=GA)
    euler = math.pi**2 * EI / (2 * L) ** 2
    load = Held(column).buckling(nodal(column, "tip", [-1, 0, 0, 0, 0, 0]))[0]
    haringx = GA / 2 * (math.sqrt(1 + 4 * euler / GA) - 1)
    assert load == pytest.approx(haringx, rel=1e-3)


def test_lateral_torsional_buckling_of_a_narrow_cantilever():
    """Tip load 4.013 sqrt(EI GJ)/L^2 (Michell, Prandtl), weak bending and torsion, at the axis."""
    L, EI, GJ = 3.0, 20.0, 12.0
    beam = Beam(L, EA=1e8, EI=(1e6 * EI, EI), mass_per_length=1.0, elements=24, GJ=GJ)
    load = Held(beam).buckling(nodal(beam, "tip", [0, 0, -1, 0, 0, 0]))[0]
    assert load == pytest.approx(4.0126 * math.sqrt(EI * GJ) / L**2, rel=1e-3)


def test_torsional_buckling_of_a_column():
    """A column that is weak in torsion twists at P = GJ/r^2, whatever its length."""
    EA, EI, GJ = 1e6, (400.0, 200.0), 0.01
    column = Beam(1.0, EA, EI, 1.0, elements=4, GJ=GJ)
    load = Held(column).buckling(nodal(column, "tip", [-1, 0, 0, 0, 0, 0]))[0]
    assert load == pytest.approx(GJ * EA / sum(EI), rel=1e-9)


def test_a_pulled_strip_of_plate_twists_and_bends_as_a_beam():
    """The same strip as beam and as plate under tension: second-order shortening by bending and by twist, and its sway."""
    L, b, t, E = 20.0, 0.5, 0.01, 7e10
    plate = Plate(L, b, t, E, 0.0, 2700.0, elements=(80, 4))
    plate = plate.linked("end", [k for k in range(len(plate)) if abs(plate.points[k, 0] - L) < 1e-9])
    GJ = E / 2 * b * t**3 / 3  # of a thin plate, without the edges' correction of a rectangle
    section = Section(E * b * t, (E * b * t**3 / 12, E * t * b**3 / 12), 2700.0 * b * t, GJ=GJ)
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("end", (L, 0, 0))
    frame.beam("root", "end", section, elements=10)
    found = []
    for structure in (plate, frame.build()):
        held = Held(structure)
        pull, side = (nodal(structure, "end", axis) for axis in np.eye(6)[:2])
        bend, twist = (held.solve(nodal(structure, "end", axis)) for axis in np.eye(6)[2:4])
        both = held.second_order(side, bend + twist) - held.second_order(side, bend) - held.second_order(side, twist)
        found.append([held.second_order(pull, bend), both, held.second_order(pull, twist)])
    # ends that cannot warp hold back the plate's twist over 0.29 b at each end, 0.015 of its length in all
    np.testing.assert_allclose(found[0], found[1], rtol=0.02)
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-4)


def test_buckling_of_a_shaft_by_torque():
    """A cantilever shaft with a torque conjugate to the rotation vector of its end (semitangential): T L/EI = pi."""
    L, EI = 3.0, 20.0
    shaft = Beam(L, EA=1e8, EI=EI, mass_per_length=1.0, elements=32, GJ=1e6)
    torque = Held(shaft).buckling(nodal(shaft, "tip", [0, 0, 0, 1, 0, 0]))[0]
    assert torque * L / EI == pytest.approx(math.pi, rel=2e-3)


def test_buckling_of_a_square_plate():
    """Simply supported square plate pressed on two sides: 4 pi^2 D/b^2."""
    a, t, E, nu = 1.0, 0.004, 7e10, 0.3
    plate = Plate(a, a, t, E, nu, 2700.0, elements=(16, 16), root=None)
    D = E * t**3 / (12 * (1 - nu**2))
    points = plate.points
    fixed = np.zeros((len(plate), 6), dtype=bool)
    edge = (np.abs(points[:, 0] % a) < 1e-9) | (np.abs(np.abs(points[:, 1]) - a / 2) < 1e-9)
    fixed[edge, 2] = True
    middle = plate.node((a / 2, 0, 0))
    fixed[middle, :2] = True
    fixed[plate.node((0, 0, 0)), 1] = True
    free = np.flatnonzero(~fixed.ravel())
    K = plate.K[free][:, free].tocsc()
    F = np.zeros((len(plate), 6))
    h = a / 16
    share = np.where(np.abs(np.abs(points[:, 1]) - a / 2) < 1e-9, h / 2, h)
    F[np.abs(points[:, 0]) < 1e-9, 0] = share[np.abs(points[:, 0]) < 1e-9]
    F[np.abs(points[:, 0] - a) < 1e-9, 0] = -share[np.abs(points[:, 0] - a) < 1e-9]
    u = np.zeros(6 * len(plate))
    u[free] = splu(K).solve(F.ravel()[free])
    KG = plate.geometric_stiffness(u)[free][:, free]
    factor = 1 / eigsh(-KG, k=1, M=K, which="LA")[0][0]
    assert factor == pytest.approx(4 * math.pi**2 * D / a**2, rel=3e-3)


def test_lateral_buckling_of_a_narrow_plate():
    """The narrow cantilever again, made of plate elements that carry the tip load as membrane forces."""
    L, b, t, E, nu = 10.0, 0.5, 0.02, 7e10, 0.3
    plate = Plate(L, b, t, E, nu, 2700.0, elements=(40, 4))
    held = Held(plate)
    load = held.buckling(nodal(plate, "tip", [0, -1, 0, 0, 0, 0]))[0]
    EI, GJ = E * b * t**3 / 12, E / (2 * (1 + nu)) * b * t**3 / 3 * (1 - 0.63 * t / b)
    # the root of a plate cannot warp, and a strip of width L/20 bends a little stiffer than a beam
    assert load == pytest.approx(4.0126 * math.sqrt(EI * GJ) / L**2, rel=0.03)


def test_euler_column_of_quadratic_tetrahedra():
    L, h, E = 2.0, 0.1, 1e9
    solid = Solid(L, h, h, E, 0.0, 1000.0, elements=(16, 1, 1))
    load = Held(solid).buckling(nodal(solid, "tip", [-1, 0, 0, 0, 0, 0]))[0]
    euler = math.pi**2 * E * h**4 / 12 / (2 * L) ** 2
    GA = 5 / 6 * E / 2 * h**2
    assert load == pytest.approx(euler / (1 + euler / GA), rel=2e-3)


def test_geometric_stiffness_is_linear_in_the_stress():
    beam = Beam(LENGTH, elements=3, **SECTION)
    rng = np.random.default_rng(4)
    u, v = rng.standard_normal((2, 6 * len(beam)))
    both = beam.geometric_stiffness(2 * u - 3 * v)
    apart = 2 * beam.geometric_stiffness(u) - 3 * beam.geometric_stiffness(v)
    assert abs(both - apart).max() < 1e-9 * abs(both).max()
    assert abs(both - both.T).max() == 0


def test_unknown_geometric_stiffness_is_none():
    beam = Beam(LENGTH, elements=3, **SECTION)
    bare = Structure.from_matrices(beam.M, beam.K, beam.points, {"root": 0})
    assert bare.geometric_stiffness(np.zeros(24)) is None
    known = Structure.from_matrices(beam.M, beam.K, beam.points, {"root": 0}, geometric=beam.geometric_stiffness)
    u = np.arange(24.0)
    assert abs(known.geometric_stiffness(u) - beam.geometric_stiffness(u)).max() == 0
