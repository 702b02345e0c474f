"""Ready-made structures: frequencies, names and what they are made of."""

import math

import numpy as np
import pytest
import scipy.linalg
from held import Held, nodal
from scipy import sparse
from scipy.sparse.linalg import eigsh

import kaneflex.structures
from kaneflex.structures import Beam, Framework, Mast, Plate, Reflector, Section, Solid, Structure


def plate_frequencies(a: float, b: float, elements, spin=0.0, hub=0.0, axis="edge") -> np.ndarray:
    """Lowest four frequencies of a cantilever plate in sqrt(D/(rho h a^4)), spinning about an axis at x = -hub*a."""
    t, E, nu, rho = 0.002 * a, 7e10, 0.3, 2700.0
    plate = Plate(a, b, t, E, nu, rho, elements=elements)
    held = Held(plate)
    unit = math.sqrt(E * t**3 / (12 * (1 - nu**2)) / (rho * t * a**4))
    K = held.K
    if spin:
        # centrifugal field, in the plane normal to the spin axis: z ("flap", in-plane rotation) or y ("edge")
        across = 1 if axis == "flap" else 2
        field = np.zeros((len(plate), 6))
        field[:, 0], field[:, across] = hub * a + plate.points[:, 0], plate.points[:, across]
        load = plate.M @ field.ravel() * (spin * unit) ** 2
        KG = plate.geometric_stiffness(held.solve(load), load)
        away = np.zeros((len(plate), 6))
        away[:, [0, across]] = 1
        P = sparse.diags_array(away.ravel())
        K = K + held.expand.T @ (KG - (spin * unit) ** 2 * P @ plate.M @ P) @ held.expand
    return np.sqrt(eigsh(sparse.csc_array(K), k=4, M=held.M, sigma=0)[0]) / unit


# figures.md section 4: 9x9 Ritz with the full plane-stress solution; a/b, hub/a, spin, then four of "flap", four of "edge"
ROTATING_PLATES = [
    (1, 0, 0, (3.4715, 8.5086, 21.2885, 27.1993), None),
    (1, 0, 2, (4.1014, 8.9787, 21.8581, 27.5198), (3.5806, 8.5234, 21.7434, 27.2441)),
    (1, 0, 5, (6.4309, 11.1217, 24.6019, 29.1700), (4.0441, 8.5961, 23.8260, 27.6198)),
    (1, 1, 2, (4.8036, 9.3078, 22.5572, 27.6921), (4.3674, 8.8695, 22.4405, 27.4226)),
    (1, 1, 10, (16.6011, 20.5858, 35.2728, 44.4793), (13.2510, 14.9869, 29.1377, 43.2465)),
    (2, 0, 0, (3.4402, 14.8057, 21.4395, 48.1905), None),
    (2, 0, 10, (11.1891, 20.6332, 33.2303, 55.7348), (5.0196, 15.0393, 31.6857, 53.9455)),
    (0.5, 0, 0, (3.4932, 5.3533, 10.1832, 19.0841), None),
    (0.5, 0, 10, (11.1948, 15.1681, 22.1213, 32.1194), (5.0411, 6.1275, 10.3234, 19.1199)),
]


@pytest.mark.parametrize("ratio, hub, spin, flap, edge", ROTATING_PLATES)
def test_frequencies_of_still_and_spinning_plates(ratio, hub, spin, flap, edge):
    elements = {1: (14, 14), 2: (20, 10), 0.5: (10, 20)}[ratio]
    for axis, expected in (("flap", flap), ("edge", edge)):
        if expected is not None:
            found = plate_frequencies(1.0, 1.0 / ratio, elements, spin, hub, axis)
            np.testing.assert_allclose(found, expected, rtol=5e-3)


def test_static_frequencies_of_the_spin_up_plate():
    """72 x 48 x 0.1 in of aluminium, clamped at a short side: figures.md section 4."""
    plate = Plate(1.8288, 1.2192, 2.54e-3, 6.8952e10, 0.3, 2768.0, elements=(18, 12))
    w, _ = Held(plate).modes(6)
    np.testing.assert_allclose(w, [3.9625, 13.3746, 24.6301, 45.123, 61.42, 70.70], rtol=5e-3)


def test_plate_frequencies_converge():
    reference = np.array([3.4715, 8.5086, 21.2885, 27.1993])
    errors = [np.abs(plate_frequencies(1.0, 1.0, (n, n)) / reference - 1).max() for n in (4, 8, 16)]
    assert errors[0] / errors[1] > 2.5 and errors[1] / errors[2] > 2.5


def test_a_plate_has_its_names():
    plate = Plate(2.0, 1.0, 0.01, 7e10, 0.3, 2700.0, elements=(4, 2))
    np.testing.assert_allclose(plate.points[plate.node("corner-left")], [2, 0.5, 0])
    np.testing.assert_allclose(plate.points[plate.node("root-right")], [0, -0.5, 0])
    np.testing.assert_allclose(plate.points[plate.node("tip")], [2, 0, 0])
    np.testing.assert_allclose(plate.points[plate.node("centre")], [1, 0, 0])
    np.testing.assert_allclose(plate.points[plate.node("root")], [0, 0, 0])
    assert plate.mass_properties()[0] == pytest.approx(2.0 * 0.01 * 2700)
    assert set(plate.follows.values()) == {plate.names["root"]}


def test_the_beam_of_the_readme():
    beam = Beam(length=10.0, EA=2.8e7, EI=1.4e4, mass_per_length=1.2, elements=20)
    assert beam.names == {"root": 0, "tip": 20}
    assert len(beam) == 21 and beam.M.shape == (126, 126)
    assert "mass 12 kg" in repr(beam)
    slender = Beam(length=10.0, EA=2.8e7, EI=1.4e4, mass_per_length=1.2, rotary=0.0, polar=1e-3)
    np.testing.assert_allclose(Held(slender).modes(2)[0], 3.79773, rtol=2e-6)  # figures.md section 3, w1
    assert beam.node("tip") == beam.node(20) == beam.node((10, 0, 0)) == 20
    assert beam.edges.tolist() == [[k, k + 1] for k in range(20)]


def test_free_free_and_tip_mass_frequencies():
    """Free beam: 4.73004^2; rotating-beam table, mu = 1 at rest: 1.5573, 16.2501 (figures.md section 6)."""
    L, EI, m = 2.0, 50.0, 1.5
    unit = math.sqrt(EI / (m * L**4))
    beam = Beam(L, 1e7, EI, m, elements=20, rotary=0.0, polar=0.01)
    K, M = (beam.expand.T @ A @ beam.expand for A in (beam.K, beam.M))
    squares = scipy.linalg.eigh(K.toarray(), M.toarray(), eigvals_only=True)
    assert np.abs(squares[:6]).max() < 1e-6 * squares[6]
    np.testing.assert_allclose(np.sqrt(squares[6:8]) / unit, 4.730041**2, rtol=1e-5)
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("tip", (L, 0, 0))
    frame.beam("root", "tip", Section(1e7, (EI, 100 * EI), m, rotary=0.0, polar=0.01), elements=20)
    frame.mass("tip", m * L)
    w, _ = Held(frame.build()).modes(3)
    np.testing.assert_allclose([w[0] / unit, w[2] / unit], [1.5573, 16.2501], rtol=1e-4)


def bars_by_equilibrium(mast: Mast, load: np.ndarray) -> float:
    """Strain energy of a statically determinate mast from joint equilibrium alone (no stiffness matrix)."""
    bars = mast.elements[0]
    d = bars.ends[:, 1] - bars.ends[:, 0]
    length = np.linalg.norm(d, axis=1)
    d /= length[:, None]
    A = np.zeros((3 * len(mast), len(d)))
    for k, (i, j) in enumerate(bars.nodes):
        A[3 * i : 3 * i + 3, k], A[3 * j : 3 * j + 3, k] = d[k], -d[k]
    inner = [3 * k + c for k in range(len(mast) - 2) if k not in mast.follows for c in range(3)]
    # joints carry no load; the end ring's resultant is the load (six equations with the rigid plate's motion as unknowns)
    tip = mast.names["tip"]
    ring = [k for k, r in mast.follows.items() if r == tip]
    resultant = np.zeros((6, len(d)))
    for k in ring:
        arm = mast.points[k] - mast.points[tip]
        cross = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
        resultant += np.vstack([np.eye(3), cross]) @ A[3 * k : 3 * k + 3]
    rigid = {*mast.follows}
    used = [k for k, (i, j) in enumerate(bars.nodes) if not (i in rigid and j in rigid)]
    system = np.vstack([A[inner], resultant])[:, used]
    forces = np.linalg.solve(system, np.concatenate([np.zeros(len(inner)), -load]))
    return float(np.sum(forces**2 * length[used] / bars.EA[used]))


@pytest.mark.parametrize("load", np.eye(6))
def test_a_triangular_mast_is_determinate_and_agrees_with_joint_equilibrium(load):
    mast = Mast(6.0, 0.3, bays=5, EA=(4e6, 2e6, 1e6), mass_per_length=(0.4, 0.2, 0.1), joint_mass=0.05)
    u = Held(mast).solve(nodal(mast, "tip", load))
    assert u @ nodal(mast, "tip", load) == pytest.approx(bars_by_equilibrium(mast, load), rel=1e-8)


def test_a_mast_bends_as_its_longerons():
    L, R, EA = 6.0, 0.3, 4e6
    for sides in (3, 4):
        mast = Mast(L, R, 10, (EA, EA, EA / 10), (0.4, 0.2, 0.1), sides=sides, crossed=False)
        angle = Held(mast).solve(nodal(mast, "tip", [0, 0, 0, 0, 1, 0]))[6 * mast.node("tip") + 4]
        assert angle == pytest.approx(L / (sides / 2 * EA * R**2), rel=1e-6 if sides == 3 else 0.05)
    crossed = Mast(L, R, 10, (EA, EA, EA / 10), (0.4, 0.2, 0.1), crossed=True)
    # crossed diagonals leave no coupling of stretch and twist
    u = Held(crossed).solve(nodal(crossed, "tip", [1, 0, 0, 0, 0, 0]))
    assert abs(u[6 * crossed.node("tip") + 3]) < 1e-9 * abs(u[6 * crossed.node("tip")])


def test_a_reflector_has_its_mass_and_symmetry():
    rib, rim = Section.tube(0.03, 0.002, 7e10, 0.3, 1600.0), Section.tube(0.02, 0.001, 7e10, 0.3, 1600.0)
    dish = Reflector(10.0, 4.0, rib, rim, ribs=12, mesh_mass=0.05, cord_EA=1e4)
    mass, centre, inertia = dish.mass_properties()
    mesh = 0.05 * math.pi * (25 - 0.25)
    slope = lambda r: math.hypot(1, r / 8)
    arc = 12 * np.trapezoid([slope(r) for r in np.linspace(0.5, 5, 500)], np.linspace(0.5, 5, 500))
    around = 12 * 2 * 5 * math.sin(math.pi / 12)
    assert mass == pytest.approx(mesh + arc * rib.mass_per_length + around * rim.mass_per_length, rel=1e-3)
    np.testing.assert_allclose(centre[:2], 0, atol=1e-9)
    np.testing.assert_allclose(inertia[0, 0], inertia[1, 1], rtol=1e-9)
    assert np.allclose(dish.points[dish.node("rim-0")], [5, 0, 25 / 16])
    w, _ = Held(dish).modes(8)
    assert (w > 0.1).all()
    doubled = np.diff(w) / w[1:] < 1e-6
    assert doubled.any()  # symmetry: pairs of equal frequencies


def test_a_solid_from_a_mesh_gets_a_root():
    box = Solid(1.0, 0.2, 0.2, 1e9, 0.3, 1000.0, elements=(3, 1, 1))
    corners = np.array([(x, y, z) for x in (0, 0.5, 1.0) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
    cells = [(0, 4, 6, 7), (0, 6, 2, 7), (0, 2, 3, 7), (0, 3, 1, 7), (0, 1, 5, 7), (0, 5, 4, 7)]
    mesh = Solid.from_mesh(corners, np.array([*cells, *(np.array(cells) + 4)]), 1e9, 0.3, 1000.0)
    assert mesh.mass_properties()[0] == pytest.approx(40.0) == box.mass_properties()[0]
    face = [k for k in range(len(mesh)) if mesh.points[k, 0] == 0]
    rooted = mesh.linked("root", face)
    np.testing.assert_allclose(rooted.points[-1], [0, 0, 0], atol=1e-15)
    assert Held(rooted).modes(1)[0][0] > 0
    assert not mesh.active.reshape(-1, 6)[:, 3:].any()


def test_a_structure_given_as_matrices():
    beam = Beam(2.0, 1e6, 50.0, 1.5, elements=4)
    same = Structure.from_matrices(beam.M.toarray(), beam.K, beam.points, beam.names)
    assert abs(same.K - beam.K).max() == 0 and abs(same.M - beam.M).max() == 0
    np.testing.assert_allclose(Held(same).modes(3)[0], Held(beam).modes(3)[0])
    chain = np.diag([2.0, 2, 1]) - np.diag([1.0, 1], 1) - np.diag([1.0, 1], -1)
    K, M = np.kron(chain, np.diag([5.0, 3, 2])), np.kron(np.eye(3), np.eye(3))
    three = Structure.from_matrices(M, K, [(0, 0, 0), (1, 0, 0), (2, 0, 0)])
    assert three.expand.shape == (18, 9)
    assert abs(three.expand.T @ three.K @ three.expand - K).max() == 0
    rooted = three.linked("root", [0, 1, 2])
    assert np.array_equal(rooted.held("root"), [])
    seen = []
    given = Structure.from_matrices(M, K, three.points, geometric=lambda u: seen.append(u.shape) or sum(u) * K)
    KG = given.geometric_stiffness(np.tile([1.0, 0, 0, 7, 7, 7], 3))
    assert seen == [(9,)]
    assert abs(three.expand.T @ KG @ three.expand - 3 * K).max() < 1e-12


def test_links_follow_links():
    frame = Framework()
    for k in range(4):
        frame.node(f"n{k}", (k, 0, 0))
    frame.beam("n0", "n1", Section(1e6, 50.0, 1.0), elements=2)
    frame.mass("n3", 2.0)
    frame.mass("n2", 1.0)
    frame.link("n2", "n3")
    frame.link("n1", "n2")
    s = frame.build()
    assert s.follows == {3: 1, 2: 1}
    u = Held(s, "n0").solve(nodal(s, "n3", [0, 1, 0, 0, 0, 0])).reshape(-1, 6)
    np.testing.assert_allclose(u[3, 1], u[1, 1] + 2 * u[1, 5])
    np.testing.assert_allclose(u[3, 5], u[1, 5])
    # holding a node that follows holds what it follows
    assert np.array_equal(s.held("n3"), s.held("n1"))


def test_springs():
    frame = Framework()
    frame.node("a", (0, 0, 0))
    frame.node("b", (0, 0, 0))
    frame.mass("a", 1.0, inertia=(1, 1, 1))
    frame.mass("b", 1.0, inertia=(1, 1, 1))
    frame.spring("a", "b", [1, 2, 3, 4, 5, 6], name="hinge")
    s = frame.build()
    u = Held(s, "a").solve(nodal(s, "b", np.ones(6)))
    np.testing.assert_allclose(u[6:], 1 / np.arange(1, 7))
    labels, maps = s.section_loads()
    assert labels[0] == "hinge.Fx"
    np.testing.assert_allclose(maps @ u, 1)


def test_sections():
    square = Section.rectangle(0.1, 0.1, 2e11, 0.25, 7800.0).values()
    assert square[3] == pytest.approx(0.140577 * 0.1**4 * 8e10, rel=1e-5)  # Saint-Venant, J = 0.1406 a^4
    flat = Section.rectangle(0.2, 0.01, 2e11, 0.25, 7800.0).values()
    assert flat[5] / flat[4] == pytest.approx(400)  # stiff about z, the wide way
    assert flat[3] == pytest.approx(8e10 * 0.2 * 0.01**3 / 3 * (1 - 0.63 * 0.05), rel=1e-3)
    tube = Section.tube(0.05, 0.002, 2e11, 0.3, 7800.0).values()
    assert tube[4] == tube[5] == pytest.approx(2e11 * math.pi / 4 * (0.05**4 - 0.048**4))
    assert tube[1] / (tube[0] / 2.6) == pytest.approx(2 * 1.3 / (4 + 3 * 0.3), rel=1e-2)  # Cowper, thin tube


def test_what_is_public_is_documented():
    for name in kaneflex.structures.__all__:
        assert getattr(kaneflex.structures, name).__doc__


def test_structures_do_not_change():
    beam = Beam(2.0, 1e6, 50.0, 1.5, elements=2)
    with pytest.raises(ValueError, match="read-only"):
        beam.points[0, 0] = 1.0
    more = beam.named(middle=1)
    assert more.node("middle") == 1 and "middle" not in beam.names
