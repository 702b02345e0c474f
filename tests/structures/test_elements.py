"""Elements against closed forms, patch tests and scikit-fem."""

import math

import numpy as np
import pytest
from held import Held, nodal

from kaneflex.structures import Beam, Framework, Plate, Section, Solid, Structure
from kaneflex.structures.elements.shell import ShellElements

CANTILEVER = np.array([1.87510407, 4.69409113, 7.85475744, 10.99554073])


def mixed_structure() -> Structure:
    """Beams, bars, shells, masses, springs between nodes and links in one free structure, nothing parallel to an axis."""
    frame = Framework()
    rng = np.random.default_rng(7)
    for k, p in enumerate(rng.uniform(-1, 1, (8, 3))):
        frame.node(f"n{k}", p)
    section = Section(EA=3e5, EI=(40.0, 90.0), GJ=25.0, GA=(4e3, 7e3), mass_per_length=1.3)
    frame.beam("n0", "n1", section, elements=2, orientation=(0.3, -0.2, 1.0), offsets=[(0.1, 0, 0.2), (0, -0.1, 0)])
    frame.beam("n1", "n2", section, elements=1)
    frame.truss("n2", "n3", 2e5, 0.7)
    frame.truss("n1", "n3", 2e5, 0.7)
    frame.truss("n0", "n3", 2e5, 0.7)
    frame.shell([["n2", "n4", "n5"], ["n4", "n5", "n6"]], 0.01, 7e9, 0.3, 2700.0)
    frame.mass("n6", 2.0, inertia=(0.1, 0.2, 0.25), offset=(0.2, 0.1, -0.1))
    frame.link("n1", "n7")
    frame.node("twin", frame._points[7])
    frame.spring("n7", "twin", [1e3, 2e3, 3e3, 10, 20, 30])
    frame.mass("twin", 0.5, inertia=(0.01, 0.01, 0.01))
    return frame.build()


def test_rigid_motions_strain_nothing_and_give_the_mass_properties():
    s = mixed_structure()
    R = s.rigid_body_vectors()
    independent = np.linalg.lstsq(s.expand.toarray(), R, rcond=None)[0]
    np.testing.assert_allclose(s.expand @ independent, R, atol=1e-12)
    assert np.abs(s.K @ R).max() < 1e-9 * np.abs(s.K).max()
    labels, loads = s.section_loads()
    assert len(labels) == loads.shape[0] == len(set(labels))
    assert np.abs(loads @ R).max() < 1e-9 * np.abs(loads).max()
    K = (s.expand.T @ s.K @ s.expand).toarray()
    squares = np.linalg.eigvalsh(K)
    assert (squares < 1e-9 * squares[-1]).sum() == 6
    assert np.linalg.eigvalsh((s.expand.T @ s.M @ s.expand).toarray())[0] > -1e-12


def test_mass_properties_of_a_rod_with_a_ball_on_an_arm():
    frame = Framework()
    frame.node("root", (1, 0, 0))
    frame.node("tip", (1, 0, 3))
    frame.beam("root", "tip", Section(EA=1e6, EI=10, mass_per_length=2.0, rotary=0.0), elements=5)
    frame.mass("tip", 4.0, inertia=(0.1, 0.2, 0.3), offset=(0, 0.5, 0))
    mass, centre, inertia = frame.build().mass_properties()
    assert mass == pytest.approx(10.0)
    p = np.array([1, 0.5, 3])
    np.testing.assert_allclose(centre, (6 * np.array([1, 0, 1.5]) + 4 * p) / 10)
    expected = np.diag([18.0, 18 + 6, 6]) + np.diag([0.1, 0.2, 0.3]) + 4 * (p @ p * np.eye(3) - np.outer(p, p))
    expected[[0, 2], [2, 0]] -= 6 * 1 * 1.5
    np.testing.assert_allclose(inertia, expected, atol=1e-12)


def test_frequencies_of_a_cantilever_and_their_rate_of_convergence():
    """Bending after Euler: (1.8751, ...)^2 sqrt(EI/m L^4); stretch and torsion: odd quarters of a wave."""
    L, EA, EI, GJ, m, polar = 3.0, 1e7, (400.0, 900.0), 150.0, 2.0, 0.02
    errors = []
    for elements in (2, 4, 8):
        beam = Beam(L, EA, EI, m, elements=elements, GJ=GJ, rotary=0.0, polar=polar)
        w, _ = Held(beam).modes(40 if elements == 8 else 6 * elements)
        first = [w[i] for i in np.argsort(w)]
        weak, strong = (CANTILEVER[:2] ** 2 * math.sqrt(e / (m * L**4)) for e in EI)
        nearest = lambda x, w=first: min(abs(np.array(w) / x - 1))
        errors.append([nearest(weak[0]), nearest(weak[1]), nearest(strong[0])])
        torsion = math.pi / (2 * L) * math.sqrt(GJ / polar)
        stretch = math.pi / (2 * L) * math.sqrt(EA / m)
        if elements == 8:
            assert nearest(torsion) < 2e-3 and nearest(stretch) < 2e-3
    errors = np.array(errors)
    assert errors[2].max() < 1e-4
    assert (np.log2(errors[1] / errors[2]) > 3.7).all()  # fourth order


def test_a_timoshenko_cantilever():
    """Frequency equation of Huang (1961), solved here for r = 0.05, s = 0.1 by the exact 4x4 determinant."""
    from scipy.optimize import brentq

    L, EI, m = 1.0, 1.0, 1.0
    r2, s2 = 0.05**2, 0.1**2  # rotary m I/A L^2 and EI/(GA L^2)

    def determinant(b):
        """cantilever: EI psi'' + GA (v' - psi) + rho I w^2 psi = 0, GA (v'' - psi') + m w^2 v = 0"""
        w2 = b**2
        # v = A exp(k x), psi = c v: (1/s2) k^2 + w2 - (1/s2) k c = 0 ; k^2 c + (k - c)/s2 + r2 w2 c = 0
        squares = np.roots([1, w2 * (s2 + r2), w2 * (w2 * r2 * s2 - 1)])
        k = np.concatenate([[np.sqrt(q + 0j), -np.sqrt(q + 0j)] for q in squares])
        c = (k**2 + s2 * w2) / k
        rows = [np.ones(4), c, c * k * np.exp(k), (k - c) * np.exp(k)]
        return np.linalg.det(np.array(rows))

    def values(b):  # the determinant of pairs of conjugate columns is real or imaginary
        d = determinant(b)
        return d.imag if abs(d.imag) > abs(d.real) else d.real

    exact = [brentq(values, *bracket) for bracket in ((2.5, 3.6), (15.0, 21.0))]
    beam = Beam(L, EA=1e8, EI=(100 * EI, EI), mass_per_length=m, elements=40, GA=EI / s2, rotary=m * r2, GJ=100.0)
    w, _ = Held(beam).modes(30)
    for x in exact:
        assert np.abs(w / x - 1).min() < 5e-4


def test_static_deflection_with_shear_is_exact():
    L, EI, GA, P = 2.0, 90.0, 4e3, 3.0
    beam = Beam(L, EA=3e5, EI=(40.0, EI), mass_per_length=1.0, elements=1, GA=(GA, 7e3))
    u = Held(beam).solve(nodal(beam, "tip", [0, P, 0, 0, 0, 0])).reshape(-1, 6)[beam.node("tip")]
    np.testing.assert_allclose(u[1], P * L**3 / (3 * EI) + P * L / GA, rtol=1e-12)
    np.testing.assert_allclose(u[5], P * L**2 / (2 * EI), rtol=1e-12)


def test_section_loads_of_a_cantilever():
    """The load of the part beyond on the part before: a tip load P and a torque, carried to every section."""
    L, load = 2.0, np.array([5.0, 3.0, -2.0, 0.7, 0.2, 0.1])
    beam = Beam(L, EA=3e5, EI=(40.0, 90.0), mass_per_length=1.0, elements=4)
    labels, maps = beam.section_loads()
    values = dict(zip(labels, maps @ Held(beam).solve(nodal(beam, "tip", load)), strict=True))
    for k in range(4):
        for end, x in (("start", k * L / 4), ("end", (k + 1) * L / 4)):
            found = [values[f"beam-{k}.{end}.{c}"] for c in ("N", "Vy", "Vz", "T", "My", "Mz")]
            moment = load[3:] + np.cross([L - x, 0, 0], load[:3])
            np.testing.assert_allclose(found, [*load[:3], *moment], rtol=1e-8, atol=1e-8)


def test_a_tapered_beam():
    """A cone with its tip load: deflection of EI(x) = EI0 (1 - a x/L)^4 in closed form, by a double integral."""
    L, a, P = 2.0, 0.5, 3.0
    round_bar = lambda s: Section.tube(0.05 * (1 - a * s), 0.05 * (1 - a * s), 7e10, 0.3, 2700.0)
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("tip", (0, 0, L))
    frame.beam("root", "tip", round_bar, elements=8)
    cone = frame.build()
    EI = 7e10 * math.pi / 4 * 0.05**4
    # int_0^L (L - x)^2/EI dx = L^3/(3 EI0 (1 - a)) for a cone
    bending = P * L**3 / (3 * EI * (1 - a))
    shear = P * L / ((1 - a) * round_bar(0).values()[1])
    u = Held(cone).solve(nodal(cone, "tip", [P, 0, 0, 0, 0, 0])).reshape(-1, 6)[cone.node("tip")]
    assert u[0] == pytest.approx(bending + shear, rel=1e-8)
    volume = math.pi * 0.05**2 * L / 3 * (1 + 0.5 + 0.25)
    assert cone.mass_properties()[0] == pytest.approx(2700 * volume, rel=1e-12)


def test_linear_taper_is_the_function_of_the_same_values():
    a, b = Section(2e5, 80.0, 2.0, GJ=30.0), Section(1e5, (20.0, 10.0), 1.0, GJ=10.0)
    mean = lambda s: Section(
        2e5 - 1e5 * s,
        (80 - 60 * s, 80 - 70 * s),
        2 - s,
        GJ=30 - 20 * s,
        rotary=((8e-4 * (1 - s) + 2e-4 * s), (8e-4 * (1 - s) + 1e-4 * s)),
    )
    built = []
    for section in ((a, b), mean):
        frame = Framework()
        frame.node("root", (0, 0, 0))
        frame.node("tip", (2, 0, 0))
        frame.beam("root", "tip", section, elements=3)
        built.append(frame.build())
    assert abs(built[0].K - built[1].K).max() < 1e-9 * abs(built[0].K).max()
    assert abs(built[0].M - built[1].M).max() < 1e-12


def test_offsets_move_the_beam_off_its_nodes():
    """A beam on rigid arms under axial force: bent by the force times the arm."""
    L, arm, P, EA, EI = 2.0, 0.3, 10.0, 3e5, 90.0
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("tip", (L, 0, 0))
    frame.beam("root", "tip", Section(EA, EI, 1.0), elements=2, offsets=[(0, arm, 0), (0, arm, 0)])
    beam = frame.build()
    u = Held(beam).solve(nodal(beam, "tip", [P, 0, 0, 0, 0, 0])).reshape(-1, 6)[beam.node("tip")]
    np.testing.assert_allclose(u[5], P * arm * L / EI, rtol=1e-12)
    np.testing.assert_allclose(u[0], P * L / EA + P * arm**2 * L / EI, rtol=1e-12)


def test_orientation_turns_the_section():
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("tip", (0, 2, 0))
    section = Section(3e5, (40.0, 90.0), 1.0)
    frame.beam("root", "tip", section, orientation="z")
    beam = frame.build()
    held = Held(beam)
    tip = beam.node("tip")
    # local y is the structure's z: bending along z is about local z, with 90
    assert held.solve(nodal(beam, "tip", [0, 0, 1, 0, 0, 0]))[6 * tip + 2] == pytest.approx(8 / (3 * 90))
    assert held.solve(nodal(beam, "tip", [1, 0, 0, 0, 0, 0]))[6 * tip] == pytest.approx(8 / (3 * 40))


def patch(shape: str) -> tuple[np.ndarray, list]:
    """Five interior-distorted elements over a rectangle 2.4 x 1.2."""
    points = np.array([(0, 0), (2.4, 0), (2.4, 1.2), (0, 1.2), (0.4, 0.2), (1.8, 0.3), (1.6, 0.8), (0.8, 0.8)])
    quads = [(4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    if shape == "quadrilateral":
        return points, quads
    return points, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]


@pytest.mark.parametrize("shape", ["quadrilateral", "triangle"])
@pytest.mark.parametrize("kind", ["membrane", "bending"])
def test_patch_test_of_shells(shape, kind):
    """Displacements of a constant strain (curvature) on the boundary: the inside follows and the strain is constant."""
    points, elements = patch(shape)
    turn = np.linalg.qr(np.random.default_rng(3).standard_normal((3, 3)))[0]
    turn *= np.linalg.det(turn)
    corners = np.column_stack([points, np.zeros(8)]) @ turn.T
    nodes = np.array(elements)
    s = Structure(corners, {}, [ShellElements(nodes, corners[nodes], 0.02, 7e10, 0.3, 2700.0)])
    x, y = points.T
    exact = np.zeros((8, 6))
    if kind == "membrane":
        exx, eyy, exy, w = 1e-3, -4e-4, 3e-4, 2e-4
        exact[:, 0], exact[:, 1], exact[:, 5] = exx * x + (exy - w) * y, eyy * y + (exy + w) * x, w
    else:
        kx, ky, kxy = 1e-3, -4e-4, 3e-4
        exact[:, 2] = (kx * x**2 + ky * y**2) / 2 + kxy * x * y
        exact[:, 3], exact[:, 4] = ky * y + kxy * x, -(kx * x + kxy * y)
    exact = np.concatenate([exact[:, :3] @ turn.T, exact[:, 3:] @ turn.T], axis=1).ravel()
    inner, outer = np.arange(24, 48), np.arange(24)
    K = s.K.toarray()
    inside = np.linalg.solve(K[np.ix_(inner, inner)], -K[np.ix_(inner, outer)] @ exact[outer])
    np.testing.assert_allclose(inside, exact[inner], atol=1e-10 * np.abs(exact).max())


def test_one_shell_element_has_six_rigid_motions_only():
    for shape in ("quadrilateral", "triangle"):
        points, elements = patch(shape)
        nodes = np.array(elements)[:1]
        corners = np.column_stack([points, 0.1 * points[:, 0] * points[:, 1]])[nodes]  # warped
        K = ShellElements(nodes, corners, 0.3, 7e10, 0.3, 1.0).stiffness()[0]
        squares = np.linalg.eigvalsh(K)
        assert (squares < 1e-10 * squares[-1]).sum() == 6


@pytest.mark.parametrize("cut, tolerance", [(None, 2e-3), ("triangles", 1e-2)])
def test_in_plane_bending_of_a_strip_of_shells(cut, tolerance):
    L, b, t, E = 10.0, 1.0, 0.1, 7e10
    x, y = np.linspace(0, L, 21), np.linspace(-b / 2, b / 2, 5)
    frame = Framework()
    number = [[frame.node(None, (p, q, 0)) for q in y] for p in x]
    quads = [(number[i][j], number[i + 1][j], number[i + 1][j + 1], number[i][j + 1]) for i in range(20) for j in range(4)]
    halves = [half for q in quads for half in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))]
    frame.shell(quads if cut is None else halves, t, E, 0.0, 1.0)
    s = frame.build().linked("root", number[0]).linked("tip", number[-1])
    u = Held(s).solve(nodal(s, "tip", [0, 1, 0, 0, 0, 0]))[6 * s.node("tip") + 1]
    I = t * b**3 / 12
    assert u == pytest.approx(L**3 / (3 * E * I) + L / (5 / 6 * E / 2 * t * b), rel=tolerance)


def test_resultants_of_a_bent_and_stretched_plate():
    L, b, t, E, nu = 2.0, 1.0, 0.02, 7e10, 0.0
    plate = Plate(L, b, t, E, nu, 2700.0, elements=(8, 4))
    plate = plate.linked("end", [k for k in range(len(plate)) if abs(plate.points[k, 0] - L) < 1e-9])
    u = Held(plate).solve(nodal(plate, "end", [100.0, 0, 0, 0, -3.0, 0]))
    labels, maps = plate.section_loads()
    values = (maps @ u).reshape(-1, 6)
    assert labels[0] == "plate-0.Nx"
    np.testing.assert_allclose(values[:, 0], 100.0 / b, rtol=1e-6)
    # a moment about -y at the end bends it up and puts the lower side, -z, in tension
    np.testing.assert_allclose(values[:, 3], -3.0 / b, rtol=1e-6)
    np.testing.assert_allclose(values[:, [1, 2, 4, 5]], 0, atol=1e-6 * 100)


def test_tetrahedra_against_scikit_fem():
    """The same mesh of quadratic tetrahedra gives the same matrices."""
    skfem = pytest.importorskip("skfem", reason="scikit-fem is not installed (pip install 'kaneflex[fe]')")
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    rng = np.random.default_rng(5)
    mesh = skfem.MeshTet.init_tensor(np.linspace(0, 2, 3), np.linspace(0, 1, 2), np.linspace(0, 1, 2))
    points = mesh.p.T + 0.1 * rng.uniform(-1, 1, mesh.p.T.shape)
    E, nu, rho = 7.0, 0.3, 2.0
    ours = Solid.from_mesh(points, mesh.t.T, E, nu, rho)
    mesh = skfem.MeshTet(points.T, mesh.t)
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementTetP2()), intorder=4)
    K = linear_elasticity(*lame_parameters(E, nu)).assemble(basis)
    M = rho * skfem.BilinearForm(lambda u, v, w: skfem.helpers.dot(u, v)).assemble(basis)
    order = [6 * ours.node(basis.doflocs[:, d]) + int(c[2]) - 1 for d, c in enumerate(_dof_names(basis))]
    assert abs(ours.K[order][:, order] - K).max() < 1e-11
    assert abs(ours.M[order][:, order] - M).max() < 1e-12


def _dof_names(basis) -> list[str]:
    """u^1, u^2, u^3 of every dof, in scikit-fem's numbering."""
    names = [""] * basis.N
    for table in (basis.nodal_dofs, basis.edge_dofs):
        for component, row in enumerate(table):
            for dof in row:
                names[dof] = f"u^{component + 1}"
    return names


def test_tetrahedra_against_beam_theory():
    """A slender box (nu = 0: its held ends do not want to contract) bends as a Timoshenko beam in both planes."""
    L, b, h, E, nu = 2.0, 0.1, 0.2, 7e10, 0.0
    solid = Solid(L, b, h, E, nu, 2700.0, elements=(16, 2, 3))
    held, tip = Held(solid), 6 * solid.node("tip")
    G = E / (2 * (1 + nu))
    for axis, I in ((1, h * b**3 / 12), (2, b * h**3 / 12)):
        load = np.zeros(6)
        load[axis] = 1.0
        found = held.solve(nodal(solid, "tip", load))[tip + axis]
        assert found == pytest.approx(L**3 / (3 * E * I) + L / (5 / 6 * G * b * h), rel=3e-3)
    w, _ = held.modes(2)
    beam = CANTILEVER[0] ** 2 * np.sqrt(E * np.array([b**2, h**2]) / 12 / (2700 * L**4))
    np.testing.assert_allclose(w, beam, rtol=8e-3)
    mass, centre, _ = solid.mass_properties()
    assert mass == pytest.approx(2700 * L * b * h)
    np.testing.assert_allclose(centre, [L / 2, 0, 0], atol=1e-12)
