"""Modal integrals and motion stiffness against brute force, closed forms and published tables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, linalg, optimize

from kaneflex.model.checks import ModelError, turn
from kaneflex.structures.beam import Beam
from kaneflex.structures.framework import Framework
from kaneflex.structures.modes.mass_integrals import mass_integrals
from kaneflex.structures.modes.modal_data import PAIRS, axial, modal_body, six_of_inertia
from kaneflex.structures.modes.mode_selection import component_modes
from kaneflex.structures.modes.mode_shapes import Modes
from kaneflex.structures.plate import Plate
from kaneflex.structures.section import Section
from kaneflex.structures.statics import Statics
from kaneflex.structures.structure import Structure
from tests.oracles import driven_body


def steady(body, omega, acceleration=(0, 0, 0), more_mass=None, more_stiffness=None):
    """Frequencies of small motion in a steady rotation, from the arrays of a modal body; undamped."""
    m = len(body)
    K, G, M = body.stiffness_in_motion(acceleration, omega), body.gyroscopic(omega), np.eye(m)
    if more_mass is not None:
        M, K = M + more_mass, K + more_stiffness
    A = np.block([[np.zeros((m, m)), np.eye(m)], [-np.linalg.solve(M, K), -np.linalg.solve(M, G)]])
    values = np.linalg.eigvals(A)
    return np.sort(values.imag[values.imag > 0])


def unit_beam(elements=30, modes=12, EA=1e6, EI=(1.0, 1e4), stiffening=True, **more):
    """L = EI = rA = 1, so that frequencies are those of tables; bends along z only unless told otherwise."""
    beam = Beam(1.0, EA, EI, 1.0, elements=elements, GJ=1e3, rotary=1e-6, polar=2e-6, **more)
    return modal_body(beam, component_modes(beam, "root", modes), "root", ("tip",), stiffening, 0.0)


@pytest.fixture(scope="module")
def slender():
    return unit_beam()


# ---- a body of particles and bars, against brute force


class Cage:
    """Twelve unequal particles on a cage of elastic bars, over a base; bars know their exact length."""

    def __init__(self, seed=3):
        rng = np.random.default_rng(seed)
        corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=float)
        self.points = np.vstack([corners + (0, 0, h) + 0.15 * rng.standard_normal((3, 3)) * (h > 0) for h in (0, 1, 2, 3)])
        self.bars = np.array([(i, j) for i in range(12) for j in range(i) if abs(i // 3 - j // 3) <= 1])
        self.length = np.linalg.norm(self.points[self.bars[:, 1]] - self.points[self.bars[:, 0]], axis=1)
        self.k = rng.uniform(0.5, 2.0, len(self.bars)) * 100
        self.mass = rng.uniform(0.5, 2.0, 12)
        self.B = self.gradient(self.points)[1]  # elongations of small displacements
        self.K, self.M = self.B.T @ (self.k[:, None] * self.B), np.repeat(self.mass, 3)

    def gradient(self, x):
        """Elongations and their gradient at positions x."""
        d = x[self.bars[:, 1]] - x[self.bars[:, 0]]
        l = np.linalg.norm(d, axis=1)
        B = np.zeros((len(self.bars), 12, 3))
        rows = np.arange(len(self.bars))
        B[rows, self.bars[:, 1]], B[rows, self.bars[:, 0]] = d / l[:, None], -d / l[:, None]
        return l - self.length, B.reshape(len(self.bars), 36)

    def geometric(self, u):
        """Stiffness of the bars' forces under a small displacement, across each bar."""
        N = self.k * (self.B @ u)
        KG = np.zeros((36, 36))
        for (i, j), force, l in zip(self.bars, N, self.length, strict=True):
            e = (self.points[j] - self.points[i]) / l
            block = force / l * (np.eye(3) - np.outer(e, e))
            difference = np.zeros((3, 36))
            difference[:, 3 * i : 3 * i + 3], difference[:, 3 * j : 3 * j + 3] = -np.eye(3), np.eye(3)
            KG += difference.T @ block @ difference
        return KG

    def structure(self, held=True):
        whole = Structure.from_matrices(np.diag(self.M), self.K, self.points, {"top": 11}, self.geometric)
        return whole.linked("root", [0, 1, 2], at=self.points[0]) if held else whole

    def settled(self, u, held=True):
        """Where the particles rest when each bar's own length is changed as the displacement u changes it to first order.

        The least-squares position of the exactly nonlinear cage; a cage that is not held is kept from rigid motion beyond u.
        """
        wanted, root = self.B @ u, np.sqrt(self.k)
        hold = np.zeros((0, 36)) if held else (self.rigid() * self.M[:, None]).T
        free = slice(9, None) if held else slice(None)

        def where(x):
            moved = np.zeros(36)
            moved[free] = x
            return moved

        def residual(x):
            elongation = self.gradient(self.points + where(x).reshape(12, 3))[0]
            return np.concatenate([root * (elongation - wanted), hold @ (where(x) - u)])

        def jacobian(x):
            B = self.gradient(self.points + where(x).reshape(12, 3))[1]
            return np.vstack([root[:, None] * B, hold])[:, free]

        return where(optimize.least_squares(residual, u[free], jacobian, xtol=1e-15, ftol=1e-15, gtol=1e-15).x)

    def rigid(self):
        R = np.zeros((12, 3, 6))
        for a, e in enumerate(np.eye(3)):
            R[:, a, a] = 1
            R[:, :, 3 + a] = np.cross(e, self.points)
        return R.reshape(36, 6)

    def second_order(self, Phi, held=True, h=2e-3):
        """g (12, 3, m, m) by fourth-order differences of `settled`."""
        m = Phi.shape[1]

        def along(eta):
            f = lambda s: self.settled(Phi @ (s * h * eta), held)
            return (-f(2) + 16 * f(1) + 16 * f(-1) - f(-2)) / (12 * h**2)

        pure = [along(e) for e in np.eye(m)]
        g = np.zeros((36, m, m))
        for i in range(m):
            for j in range(m):
                g[:, i, j] = pure[i] if i == j else (along(np.eye(m)[i] + np.eye(m)[j]) - pure[i] - pure[j]) / 2
        return g.reshape(12, 3, m, m)


def three_dofs(shapes):
    return shapes.reshape(-1, 6, shapes.shape[1])[:12, :3]


def brute_force(cage, phi, g, origin):
    """b2, J2, D2 of particles at p + phi eta + g eta eta/2."""
    p, m = cage.points - origin, cage.mass
    b2 = np.einsum("n,naij->aij", m, g)
    D2 = np.einsum("n,nai,nbj->abij", m, phi, phi)
    D2 = np.stack([D2[1, 2] - D2[2, 1], D2[2, 0] - D2[0, 2], D2[0, 1] - D2[1, 0]])
    D2 = D2 + np.einsum("n,anij->aij", m, cross_first(p, g))
    moments = np.einsum("n,nai,nbj->abij", m, phi, phi) + np.einsum("n,na,nbij->abij", m, p, g)
    moments = moments + moments.transpose(1, 0, 3, 2)  # second derivative of int r r^T
    trace = np.einsum("aaij->ij", moments)
    J2 = np.stack([trace * (a == b) - (moments[a, b] + moments[a, b].T) / 2 for a, b in PAIRS])
    return b2, J2, D2


def cross_first(p, g):
    return np.stack(
        [
            p[:, (a + 1) % 3, None, None] * g[:, (a + 2) % 3] - p[:, (a + 2) % 3, None, None] * g[:, (a + 1) % 3]
            for a in range(3)
        ]
    )


@pytest.mark.parametrize("held", [True, False], ids=["held", "afloat"])
def test_second_order_integrals_are_those_of_the_nonlinear_cage(held):
    cage = Cage()
    structure = cage.structure(held)
    root = "root" if held else None
    modes = component_modes(structure, root, 4)
    body = modal_body(structure, modes, root, ("top",))
    phi = three_dofs(modes.shapes)
    g = cage.second_order(phi.reshape(36, -1), held)
    b2, J2, D2 = brute_force(cage, phi, g, cage.points[0] if held else np.zeros(3))
    scale = np.abs(J2).max()
    assert_allclose(body.J2, J2, rtol=0, atol=3e-6 * scale)
    assert_allclose(body.D2, D2, rtol=0, atol=3e-6 * np.abs(D2).max())
    assert_allclose(body.b2, b2, rtol=0, atol=3e-6 * np.abs(D2).max())
    assert_allclose(body.nodes["top"].G, g[11], rtol=0, atol=3e-6 * np.abs(g).max())
    without = modal_body(structure, modes, root, stiffening=False)
    assert np.abs(without.J2 - J2).max() > 0.1 * scale  # the second-order displacements are no small correction here


def test_first_order_integrals_are_sums_over_particles():
    cage = Cage()
    structure = cage.structure()
    modes = component_modes(structure, "root", 5)
    body = modal_body(structure, modes, "root")
    p, phi, m = cage.points - cage.points[0], three_dofs(modes.shapes), cage.mass
    assert body.mass == pytest.approx(m.sum(), rel=1e-12)
    assert body.first_moment == pytest.approx(m @ p, abs=1e-10)
    second = np.einsum("n,na,nb->ab", m, p, p)
    assert body.inertia == pytest.approx(np.trace(second) * np.eye(3) - second, abs=1e-10)
    assert_allclose(body.B, np.einsum("n,nai->ai", m, phi), rtol=0, atol=1e-10)
    assert_allclose(body.D, np.einsum("n,nia->ai", m, np.cross(p[:, None], phi.transpose(0, 2, 1))), rtol=0, atol=1e-10)
    moments = np.einsum("n,na,nbi->abi", m, p, phi)
    J1 = [2 * np.einsum("aai->i", moments) * (a == b) - moments[a, b] - moments[b, a] for a, b in PAIRS]
    assert_allclose(body.J1, np.array(J1), rtol=0, atol=1e-10)


def test_with_second_order_displacements_strain_energy_is_quadratic_up_to_fourth_order():
    cage = Cage()
    modes = component_modes(cage.structure(), "root", 3)
    Phi = three_dofs(modes.shapes).reshape(36, -1)
    g = cage.second_order(Phi).reshape(36, 3, 3)
    eta = np.array([0.3, -0.2, 0.25]) * 0.2

    def excess(s, with_g=True):
        u = Phi @ eta * s + with_g * np.einsum("aij,i,j->a", g, eta, eta) * s**2 / 2
        e = cage.gradient(cage.points + u.reshape(12, 3))[0]
        return abs(cage.k @ e**2 / 2 - modes.stiffness @ eta**2 * s**2 / 2)

    assert np.log2(excess(0.2) / excess(0.1)) == pytest.approx(4, abs=0.25)
    assert np.log2(excess(0.2, False) / excess(0.1, False)) == pytest.approx(3, abs=0.25)


# ---- turning elements


def test_what_turns_as_a_whole_keeps_its_inertia():
    """Rigid turns as shapes: J must become R J R^T to second order and D = J times the angular velocity to first."""
    frame = Framework()
    frame.node("a", (0, 0, 0))
    frame.node("b", (1.0, 0.5, 0.2))
    frame.node("c", (0.3, 1.2, -0.4))
    section = Section(EA=1e5, EI=(10.0, 30.0), mass_per_length=2.0, rotary=(0.2, 0.5))
    frame.beam("a", "b", section, elements=2)
    frame.beam("b", "c", section, elements=3)
    frame.mass("c", 3.0, inertia=(0.3, 0.9, 0.5), offset=(0.1, 0, 0.2))
    structure = frame.build()
    centre = structure.mass_properties()[1]
    rigid = structure.rigid_body_vectors(centre)[:, 3:]
    found = mass_integrals(structure, rigid, centre)
    J0 = rigid.T @ structure.M @ rigid
    C, C2, E0 = np.tensordot(found.spread, rigid, (0, 0)), found.second_of_turns.copy(), found.second_moment
    for group in structure.elements:  # r = R p to second order; directors turn by themselves
        for points in group.mass_points():
            if not points.directors:
                p, mass = (points.places - centre).reshape(-1, 3), points.mass.ravel()
                for i, e in enumerate(np.eye(3)):
                    for j, f in enumerate(np.eye(3)):
                        g = (np.cross(e, np.cross(f, p)) + np.cross(f, np.cross(e, p))) / 2
                        C2[:, :, i, j] += np.einsum("n,na,nb->ab", mass, p, g)
    J1, J2 = six_of_inertia(C), six_of_inertia(found.products) + six_of_inertia(C2)
    D2 = axial(found.products) + axial(C2)
    assert np.trace(E0) * np.eye(3) - E0 == pytest.approx(J0, abs=1e-12)
    assert axial(C) == pytest.approx(J0, abs=1e-12)
    assert np.trace(found.products) == pytest.approx(J0, abs=1e-12)
    cross = driven_body.cross_matrix
    eye = np.eye(3)
    for k, (a, b) in enumerate(PAIRS):
        assert J1[k] == pytest.approx([(cross(e) @ J0 - J0 @ cross(e))[a, b] for e in eye], abs=1e-12)
    for i in range(3):
        for j in range(3):
            E, F = cross(eye[i]), cross(eye[j])
            exact = (E @ F + F @ E) @ J0 / 2 - E @ J0 @ F - F @ J0 @ E + J0 @ (E @ F + F @ E) / 2
            assert J2[:, i, j] == pytest.approx([exact[a, b] for a, b in PAIRS], abs=1e-11)
            assert D2[:, i, j] == pytest.approx((E @ J0 - J0 @ E) @ eye[j] + J0 @ np.cross(eye[i], eye[j]) / 2, abs=1e-11)


def test_a_ball_at_the_tip_has_the_same_inertia_however_it_turns():
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("tip", (0, 0, 2.0))
    frame.beam("root", "tip", Section(EA=1e5, EI=(50.0, 80.0), mass_per_length=1e-9, GJ=20.0, rotary=1e-12), elements=1)
    frame.mass("tip", 4.0, inertia=(0.7, 0.7, 0.7))
    structure = frame.build()
    modes = component_modes(structure, "root", 5)
    body = modal_body(structure, modes, "root", ("tip",))
    tip = body.nodes["tip"]
    eta = 0.01 * np.array([1, -2, 3, 1, 2])
    for e in (eta, 2 * eta):
        r = tip.position + tip.Phi @ e + tip.G @ e @ e / 2
        found = body.inertia + driven_body.symmetric(body.J1 @ e + body.J2 @ e @ e / 2)
        third_order = 10 * 4 * np.linalg.norm(tip.Phi @ e) ** 3
        assert_allclose(found, 4 * (r @ r * np.eye(3) - np.outer(r, r)) + 0.7 * np.eye(3), rtol=0, atol=third_order)
        assert third_order < 0.02 * 0.7 * np.linalg.norm(tip.Psi @ e) ** 2  # what turning wrongly would do is far above


def test_a_twisted_blade_turns_back_into_the_plane_of_spin():
    """The propeller moment: J_zz of a section twisted by theta is Iz cos^2 + Iy sin^2, and J_yz = -(Iz - Iy) theta.

    Rotary inertia is far below what a nodal rotation would bring of the mass around it, (element length)^2, were the
    elements not to turn.
    """
    beam = Beam(1.0, 1e6, (1.0, 1.3), 1.0, elements=40, GJ=1e-3, rotary=(1e-6, 4e-6), polar=5e-6)
    modes = component_modes(beam, "root", 6)
    body = modal_body(beam, modes, "root", ("tip",), stiffening=False)
    twist = int(np.argmax(np.abs(body.nodes["tip"].Psi[0])))
    assert body.J2[5, twist, twist] / 2 == pytest.approx((1 - 4) / 5, rel=0.01)
    assert body.J2[3, twist, twist] / 2 == pytest.approx((4 - 1) / 5, rel=0.01)
    assert abs(body.J1[4, twist]) == pytest.approx(3e-6 * np.sqrt(2 / 5e-6) * 2 / np.pi, rel=1e-6)


@pytest.mark.parametrize("elements", [5, 10])
def test_errors_of_the_mesh_fall_with_its_fourth_power_or_faster(elements):
    """int (1 - x^2)/2 phi'^2 of the first two modes: the tension varies within the elements."""
    exact = np.array([cantilever_stiffening(b) for b in (1.875104068711961, 4.694091132974175)])

    def error(n):
        beam = Beam(1.0, 1e12, (1.0, 1e4), 1.0, elements=n)
        body = modal_body(beam, component_modes(beam, "root", 2), "root")
        return np.abs(-np.diag(body.J2[5]) / 2 - exact)

    coarse, fine = error(elements), error(2 * elements)
    assert np.log2(coarse / fine).min() > 4
    assert (fine / exact).max() < 1e-5


def cantilever_stiffening(b):
    """The integral by quadrature of the exact mode."""
    k = (np.sinh(b) - np.sin(b)) / (np.cosh(b) + np.cos(b))
    slope = lambda x: b * (np.sinh(b * x) + np.sin(b * x) - k * (np.cosh(b * x) - np.cos(b * x)))
    return integrate.quad(lambda x: (1 - x * x) / 2 * slope(x) ** 2, 0, 1, epsabs=1e-13, epsrel=1e-13)[0]


# ---- closed forms and tables (flap: spin axis across the plane of bending; chord: in it)


def test_unit_inertia_loads_on_the_first_cantilever_mode(slender):
    """int m (L^2 - x^2)/2 phi'^2 = 1.19334 and int m (L - x) phi'^2 = 1.57088/L; also of the second mode."""
    softened = unit_beam(stiffening=False)
    gain = (softened.J2 - slender.J2)[5] / 2
    assert np.diag(gain)[:2] == pytest.approx([1.19334, 6.47822], rel=2e-3)
    assert -np.diag(slender.b2[0])[:2] == pytest.approx([1.57088, 8.64714], rel=2e-3)


def test_axial_acceleration_buckles_a_cantilever(slender):
    """At m a L^3/EI = 7.83735, and with one mode at 7.870."""
    lowest = lambda a, body: np.linalg.eigvalsh(body.stiffness_in_motion((a, 0, 0)))[0]
    assert optimize.brentq(lowest, 5, 10, args=(slender,)) == pytest.approx(7.83735, rel=1e-3)
    assert optimize.brentq(lowest, 5, 10, args=(unit_beam(modes=1),)) == pytest.approx(7.870, rel=1e-3)


FLAP = {
    0: (3.5160, 22.0345, 61.6972), 1: (3.6816, 22.1810, 61.8418), 2: (4.1373, 22.6149, 62.2732),
    3: (4.7973, 23.3203, 62.9850), 4: (5.5850, 24.2733, 63.9668), 5: (6.4495, 25.4461, 65.2050),
    6: (7.3604, 26.8091, 66.6839), 7: (8.2996, 28.3341, 68.3860), 8: (9.2568, 29.9954, 70.2930),
    9: (10.2257, 31.7705, 72.3867), 10: (11.2023, 33.6404, 74.6493), 11: (12.1843, 35.5890, 77.0638),
    12: (13.1702, 37.6031, 79.6145),
}  # fmt: skip


@pytest.mark.parametrize("gamma", FLAP)
def test_rotating_beam_of_wright(slender, gamma):
    """Wright et al. 1982, as given by Bir 2009, table 3a; in the plane omega^2 is less by gamma^2."""
    assert steady(slender, (0, 0, gamma))[:3] == pytest.approx(FLAP[gamma], rel=1e-3)
    chord = np.sqrt(np.array(FLAP[gamma]) ** 2 - gamma**2)
    assert steady(slender, (0, gamma, 0))[:3] == pytest.approx(chord, rel=2e-3)


HUB = {  # radius: flap at gamma = 2, 4, 6, 8, 10, 12; chord without stretch at gamma = 2, 6, 10
    0.1: ((4.2122, 5.8026, 7.7260, 9.7682, 11.8578, 13.9692), (3.7072, 4.8674, 6.3724)),
    0.5: ((4.4993, 6.5999, 9.0384, 11.5845, 14.1720, 16.7786), (4.0303, 6.7597, 10.0422)),
    1: ((4.8337, 7.4750, 10.4439, 13.5074, 16.6064, 19.7215), (4.4005, 8.5484, 13.2579)),
    1.5: ((5.1460, 8.2555, 11.6768, 15.1825, 18.7191, 22.2698), (4.7414, 10.0174, 15.8241)),
    2: ((5.4399, 8.9664, 12.7881, 16.6859, 20.6112, 24.5491), (5.0590, 11.2932, 18.0228)),
    5: ((6.9415, 12.3819, 18.0410, 23.7489, 29.4745, 35.2082), (6.6471, 17.0140, 27.7262)),
}


@pytest.mark.parametrize("radius", HUB)
def test_rotating_beam_on_a_hub(slender, radius):
    flap, chord = HUB[radius]
    for gamma, frequency in zip((2, 4, 6, 8, 10, 12), flap, strict=True):
        assert steady(slender, (0, 0, gamma), (-(gamma**2) * radius, 0, 0))[0] == pytest.approx(frequency, rel=2e-3)
    for gamma, frequency in zip((2, 6, 10), chord, strict=True):
        assert steady(slender, (0, gamma, 0), (-(gamma**2) * radius, 0, 0))[0] == pytest.approx(frequency, rel=3e-3)


@pytest.mark.parametrize(
    ("radius", "frequencies"),
    [(0, (3.6196, 4.2393, 4.9700)), (1, (4.3978, 8.5001, 13.0482)), (5, (6.6430, 16.9157, 27.2658))],
)
def test_chordwise_motion_coupled_with_stretch(radius, frequencies):
    """A L^2/I = 70^2: Coriolis forces couple bending in the plane with stretch; first modes at gamma = 2, 6, 10."""
    body = unit_beam(EA=70.0**2, modes=24)
    for gamma, frequency in zip((2, 6, 10), frequencies, strict=True):
        assert steady(body, (0, gamma, 0), (-(gamma**2) * radius, 0, 0))[0] == pytest.approx(frequency, rel=3e-3)


TIP = {  # mass ratio: gamma: first two frequencies, first without the stiffening by the tip's own load
    0.5: {
        2: (2.9657, 18.1669, 2.3748),
        4: (4.7472, 21.5147, 3.2127),
        6: (6.6842, 26.1354, 4.2435),
        10: (10.6438, 37.1367, 6.4724),
    },
    1: {
        2: (2.6696, 18.1910, 1.8335),
        4: (4.5429, 23.0229, 2.4782),
        6: (6.5091, 29.2917, 3.2690),
        10: (10.4864, 43.4517, 4.9709),
    },
    2: {
        2: (2.4479, 19.0733, 1.3632),
        4: (4.3837, 26.3681, 1.8409),
        6: (6.3666, 35.1694, 2.4257),
        10: (10.3545, 54.1305, 3.6796),
    },
}


@pytest.mark.parametrize("mu", TIP)
def test_load_of_a_tip_mass_stiffens_through_the_node(slender, mu):
    """A particle on the node, outside the body: its centrifugal force acts through the node's second-order displacement."""
    tip = slender.nodes["tip"]
    for gamma, (first, second, omitted) in TIP[mu].items():
        more = mu * np.einsum("ai,aj->ij", tip.Phi, tip.Phi)
        own = -mu * gamma**2 * np.einsum("ai,aj->ij", tip.Phi[:2], tip.Phi[:2])
        drawn = -mu * gamma**2 * tip.G[0] * tip.position[0]
        assert steady(slender, (0, 0, gamma), more_mass=more, more_stiffness=own + drawn)[:2] == pytest.approx(
            (first, second), rel=3e-3
        )
        assert steady(slender, (0, 0, gamma), more_mass=more, more_stiffness=own)[0] == pytest.approx(omitted, rel=3e-3)


@pytest.mark.parametrize("mu", TIP)
def test_a_tip_mass_inside_the_structure_does_the_same(mu):
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("tip", (1, 0, 0))
    section = Section(EA=1e6, EI=(1.0, 1e4), mass_per_length=1.0, GJ=1e3, rotary=1e-6, polar=2e-6)
    frame.beam("root", "tip", section, elements=30)
    frame.mass("tip", mu)
    structure = frame.build()
    body = modal_body(structure, component_modes(structure, "root", 10), "root", damping=0.0)
    for gamma, (first, second, _) in TIP[mu].items():
        assert steady(body, (0, 0, gamma))[:2] == pytest.approx((first, second), rel=2e-3)


PLATES = {  # (a/b, hub/a, gamma): flap 1-4, edge 1-4
    (1, 0, 1): ((3.6397, 8.6286, 21.4325, 27.2796), (3.4996, 8.5124, 21.4038, 27.2099)),
    (1, 0, 2): ((4.1014, 8.9787, 21.8581, 27.5198), (3.5806, 8.5234, 21.7434, 27.2441)),
    (1, 0, 5): ((6.4309, 11.1217, 24.6019, 29.1700), (4.0441, 8.5961, 23.8260, 27.6198)),
    (1, 0, 10): ((11.1949, 16.6328, 31.9590, 34.9473), (5.0327, 8.8040, 26.2909, 32.3863)),
    (1, 1, 1): ((3.8494, 8.7155, 21.6153, 27.3214), (3.7172, 8.6004, 21.5866, 27.2521)),
    (1, 1, 2): ((4.8036, 9.3078, 22.5572, 27.6921), (4.3674, 8.8695, 22.4405, 27.4226)),
    (1, 1, 10): ((16.6011, 20.5858, 35.2728, 44.4793), (13.2510, 14.9869, 29.1377, 43.2465)),
    (2, 0, 2): ((4.0761, 15.0833, 22.0341, 48.5185), (3.5517, 14.8164, 21.9430, 48.4376)),
    (2, 0, 10): ((11.1891, 20.6332, 33.2303, 55.7348), (5.0196, 15.0393, 31.6857, 53.9455)),
    (0.5, 0, 2): ((4.1184, 6.0740, 10.9226, 19.7812), (3.6007, 5.3972, 10.1912, 19.0954)),
    (0.5, 0, 10): ((11.1948, 15.1681, 22.1213, 32.1194), (5.0411, 6.1275, 10.3234, 19.1199)),
}
MESHES = {1: (16, 16), 2: (20, 10), 0.5: (12, 24)}


@pytest.fixture(scope="module")
def plates():
    """Square, long and wide cantilever plates with D = m = a = 1."""
    found = {}
    h = 1e-3
    E = 12 * (1 - 0.3**2) / h**3
    for ratio, mesh in MESHES.items():
        plate = Plate(1.0, 1.0 / ratio, h, E, 0.3, 1 / h, elements=mesh)
        found[ratio] = modal_body(plate, component_modes(plate, "root", 30), "root", damping=0.0)
    return found


@pytest.mark.parametrize("case", PLATES, ids=str)
def test_rotating_cantilever_plates(plates, case):
    ratio, radius, gamma = case
    flap, edge = PLATES[case]
    pull = (-(gamma**2) * radius, 0, 0)
    assert steady(plates[ratio], (0, 0, gamma), pull)[:4] == pytest.approx(flap, rel=5e-3)
    assert steady(plates[ratio], (0, gamma, 0), pull)[:4] == pytest.approx(edge, rel=5e-3)


def test_a_free_beam_that_spins_about_its_centre():
    """Bending out of the plane of spin, against polynomials under the tension m W^2 (1/4 - x^2)/2."""
    beam = Beam(1.0, 1e6, (1.0, 1e4), 1.0, elements=32, GJ=1e3, rotary=1e-6, polar=2e-6)
    body = modal_body(beam, component_modes(beam, None, 10), None, damping=0.0)
    assert np.abs(body.B).max() < 1e-8
    assert np.abs(body.b2).max() < 1e-6
    centre = body.first_moment / body.mass
    assert np.abs(body.D - np.cross(centre, body.B, axisb=0, axisc=0)).max() < 1e-7
    gamma = 15.0
    x, w = np.polynomial.legendre.leggauss(40)
    x, w = x / 2, w / 2
    even = [np.polynomial.Legendre.basis(k, [-0.5, 0.5]) for k in range(0, 16, 2)]
    P, P1, P2 = (np.array([b.deriv(d)(x) if d else b(x) for b in even]) for d in range(3))
    K = (P2 * w) @ P2.T + gamma**2 * (P1 * w * (0.25 - x**2) / 2) @ P1.T
    exact = np.sqrt(linalg.eigh(K, (P * w) @ P.T, eigvals_only=True)[1:3])
    pull = -np.array([gamma**2 * 0.5, 0, 0])  # of the structure's origin, at one end
    assert np.abs(steady(body, (0, 0, gamma), pull)[:, None] - exact).min(axis=0) == pytest.approx(
        [0, 0], abs=3e-3 * exact[0]
    )


# ---- invariances


def cage_turned(R, shift):
    cage = Cage()
    cage.points = cage.points @ R.T + shift
    cage.B = cage.gradient(cage.points)[1]
    cage.K = cage.B.T @ (cage.k[:, None] * cage.B)
    return cage


def full(six):
    return np.array([[six[0], six[1], six[2]], [six[1], six[3], six[4]], [six[2], six[4], six[5]]])


def test_turning_the_axes_turns_the_integrals():
    R = turn((0.6, 0.0, 0.8), 0.7) @ turn((0.0, 1.0, 0.0), -1.1)
    plain, turned = Cage(), cage_turned(R, np.array([3.0, -1.0, 2.0]))
    modes = component_modes(plain.structure(), "root", 4)
    body = modal_body(plain.structure(), modes, "root", ("top",))
    n = len(modes.shapes) // 6
    moved = Modes(
        np.einsum("ab,nsbi->nsai", R, modes.shapes.reshape(n, 2, 3, 4)).reshape(6 * n, 4), modes.stiffness, modes.kind
    )
    other = modal_body(turned.structure(), moved, "root", ("top",))
    for name in ("first_moment", "B", "D", "b2", "D2"):
        assert getattr(other, name) == pytest.approx(np.tensordot(R, getattr(body, name), 1), abs=1e-8), name
    assert other.inertia == pytest.approx(R @ body.inertia @ R.T, abs=1e-9)
    for name in ("J1", "J2"):
        expected = np.einsum("ac,bd,cd...->ab...", R, R, full(getattr(body, name)))
        assert full(getattr(other, name)) == pytest.approx(expected, abs=1e-8), name
    for name in ("position", "Phi", "Psi", "G", "H"):
        expected = np.tensordot(R, getattr(body.nodes["top"], name), 1)
        assert getattr(other.nodes["top"], name) == pytest.approx(expected, abs=1e-8), name


def test_moving_the_root_along_a_rigid_arm_moves_the_integrals():
    beam = Beam(2.0, 1e5, (40.0, 70.0), 1.5, elements=6)
    arm = np.array([-0.7, 0.4, 0.3])
    longer = beam.linked("base", ["root"], at=arm)
    near = modal_body(beam, component_modes(beam, "root", 6), "root", ("tip",))
    modes = component_modes(longer, "base", 6)
    same = Modes(np.vstack([component_modes(beam, "root", 6).shapes, np.zeros((6, 6))]), modes.stiffness, modes.kind)
    far = modal_body(longer, same, "base", ("tip",))
    d = -arm
    assert far.nodes["tip"].position == pytest.approx(near.nodes["tip"].position + d, abs=1e-14)
    assert_allclose(far.nodes["tip"].G, near.nodes["tip"].G, rtol=0, atol=1e-10)
    assert_allclose(far.b2, near.b2, rtol=0, atol=1e-10)
    assert_allclose(far.D, near.D + np.cross(d, near.B, axisb=0, axisc=0), rtol=0, atol=1e-12)
    assert_allclose(far.D2, near.D2 + np.cross(d, near.b2, axisb=0, axisc=0), rtol=0, atol=1e-10)
    moved = [2 * np.tensordot(d, near.b2, 1) * (a == b) - d[a] * near.b2[b] - d[b] * near.b2[a] for a, b in PAIRS]
    assert_allclose(far.J2, near.J2 + np.array(moved), rtol=0, atol=1e-10)


def test_a_node_on_a_rigid_arm_follows_the_second_order_motion_of_its_reference():
    """r_arm = r_tip + exp(theta) d to second order, theta = Psi eta + H eta eta/2: G, Psi and H of both belong together."""
    frame = Framework()
    for name, place in {"root": (0, 0, 0), "knee": (1.0, 0.3, 0.0), "tip": (1.2, 1.0, 0.5), "arm": (1.5, 0.8, 1.1)}.items():
        frame.node(name, place)
    section = Section(EA=1e5, EI=(10.0, 30.0), mass_per_length=2.0, GJ=4.0, GA=3e3, rotary=(0.02, 0.05))
    frame.beam("root", "knee", section, elements=4)
    frame.beam("knee", "tip", section, elements=4)
    frame.link("tip", "arm")
    frame.mass("arm", 0.5, inertia=(0.1, 0.2, 0.3))
    structure = frame.build()
    body = modal_body(structure, component_modes(structure, "root", 5), "root", ("tip", "arm"))
    tip, arm = body.nodes["tip"], body.nodes["arm"]
    d = arm.position - tip.position
    twice = np.cross(tip.Psi.T[:, None], np.cross(tip.Psi.T, d)[None])  # psi_i x (psi_j x d)
    expected = tip.G + np.cross(tip.H, d, axisa=0, axisc=0) + (twice + twice.transpose(1, 0, 2)).transpose(2, 0, 1) / 2
    assert_allclose(arm.H, tip.H, rtol=0, atol=1e-9 * np.abs(tip.H).max())
    assert_allclose(arm.G, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    assert np.abs(tip.H).max() > 0.1 * np.abs(tip.Psi).max() ** 2  # there is something to compare


def test_a_given_mass_matrix_does_as_well_as_the_elements():
    """M, K and KG handed over as matrices: where the mass is between the nodes is not known. Its products with shapes, of
    first order (E, in D2) as of second (J2), are those of nodal values, which differ as the square of the element's length.
    Sums that M gives itself (B) do not differ, second-order displacements of the mass centre (b2) as the fourth power."""

    def difference(elements):
        beam = Beam(1.0, 1e6, (1.0, 4.0), 1.0, elements=elements, GJ=3.0, rotary=1e-8)
        given = Structure.from_matrices(beam.M, beam.K, beam.points, beam.names, beam.geometric_stiffness)
        modes = component_modes(beam, "root", 4)
        a, b = modal_body(beam, modes, "root", ("tip",)), modal_body(given, modes, "root", ("tip",))
        assert_allclose(b.nodes["tip"].G, a.nodes["tip"].G, rtol=0, atol=1e-9)
        assert_allclose(b.B, a.B, rtol=0, atol=1e-14)
        return np.array(
            [np.abs(getattr(b, name) - getattr(a, name)).max() / np.abs(a.J2).max() for name in ("J1", "D2", "J2", "b2")]
        )

    coarse, fine = difference(10), difference(20)
    np.testing.assert_array_less(fine, [6e-6, 1e-4, 3e-4, 5e-6])  # 4.9e-6, 7.9e-5, 2.6e-4, 3.9e-6
    np.testing.assert_allclose(np.log2(coarse / fine), [2, 2, 2, 4], atol=0.05)


# ---- the equations of a driven body


@pytest.fixture(scope="module")
def skew_body():
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("bend", (1.0, 0.2, 0.1))
    frame.node("tip", (1.2, 1.0, -0.3))
    section = Section(EA=1e5, EI=(10.0, 30.0), mass_per_length=2.0, GJ=8.0, rotary=(0.02, 0.05))
    frame.beam("root", "bend", section, elements=3)
    frame.beam("bend", "tip", section, elements=3)
    frame.mass("tip", 1.0, inertia=(0.03, 0.05, 0.04), offset=(0.1, 0, 0))
    structure = frame.build()
    return modal_body(structure, component_modes(structure, "root", 4), "root", ("tip",), damping=0.01)


def test_stiffness_in_motion_is_that_of_the_full_equations(skew_body):
    rng = np.random.default_rng(1)
    a, omega, alpha = rng.standard_normal((3, 3)) * 3
    m, h = len(skew_body), 1e-5
    zero = np.zeros(m)
    for k in range(m):
        e = h * np.eye(m)[k]
        change = [
            driven_body.mass_matrix(skew_body, s * x)[6:, 6:]
            @ driven_body.respond(skew_body, s * x, s * y, a, omega, alpha)[0]
            for x, y in ((e, zero), (zero, e))
            for s in (1, -1)
        ]
        K, C = (change[1] - change[0]) / (2 * h), (change[3] - change[2]) / (2 * h)
        assert_allclose(K, skew_body.stiffness_in_motion(a, omega, alpha)[:, k], rtol=1e-6, atol=1e-6)
        assert_allclose(C, (skew_body.gyroscopic(omega) + skew_body.damping)[:, k], rtol=1e-6, atol=1e-6)


def test_work_at_the_base_is_the_energy_gained(skew_body):
    """Turned about its root: torque . omega = d(kinetic + strain energy)/dt + damping, to rounding."""
    rng = np.random.default_rng(2)
    m = len(skew_body)
    eta, sigma = 0.1 * rng.standard_normal((2, m))
    omega, alpha = rng.standard_normal((2, 3))
    eta2, _, torque = driven_body.respond(skew_body, eta, sigma, (0, 0, 0), omega, alpha)

    def energy(s):
        V = np.concatenate([np.zeros(3), omega + s * alpha, sigma + s * eta2])
        e = eta + s * sigma
        return driven_body.kinetic_energy(skew_body, e, V) + skew_body.stiffness @ (e * e) / 2

    gained = energy(1e-30j).imag / 1e-30 + sigma @ skew_body.damping @ sigma
    assert torque @ omega == pytest.approx(gained, rel=1e-12)


# ---- damping, warnings, wrong input


def test_damping_may_be_a_ratio_ratios_or_a_matrix():
    beam = Beam(1.0, 1e4, 1.0, 1.0, elements=4)
    modes = component_modes(beam, "root", 3)
    omega = np.sqrt(modes.stiffness)
    assert modal_body(beam, modes, "root", damping=0.01).damping == pytest.approx(np.diag(0.02 * omega))
    assert modal_body(beam, modes, "root", damping=[0.01, 0.02, 0.03]).damping == pytest.approx(
        np.diag([0.02, 0.04, 0.06] * omega)
    )
    C = np.array([[2.0, 0.1, 0], [0.1, 1, 0], [0, 0, 3]])
    assert modal_body(beam, modes, "root", damping=C).damping == pytest.approx(C)


def test_matrices_without_geometric_stiffness_warn():
    beam = Beam(1.0, 1e4, 1.0, 1.0, elements=4)
    bare = Structure.from_matrices(beam.M, beam.K, beam.points, beam.names)
    modes = component_modes(bare, "root", 3)
    with pytest.warns(UserWarning, match="motion cannot stiffen it"):
        body = modal_body(bare, modes, "root")
    assert not body.stiffened
    assert not body.turn.any()


def test_root_as_a_node_rests_and_arrays_are_read_only():
    beam = Beam(1.0, 1e4, 1.0, 1.0, elements=4)
    body = modal_body(beam, component_modes(beam, "root", 3), "root", {"here": "root", "end": (1, 0, 0)})
    assert set(body.nodes) == {"here", "end"}
    assert not any(x.any() for x in (body.nodes["here"].Phi, body.nodes["here"].G, body.nodes["here"].H))
    with pytest.raises(ValueError, match="read-only"):
        body.E[0] = 0


def test_a_mechanism_is_named():
    frame = Framework()
    for name, place in {"root": (0, 0, 0), "tip": (1, 0, 0), "bob": (1, 0, -1)}.items():
        frame.node(name, place)
    frame.beam("root", "tip", Section(EA=1e4, EI=1.0, mass_per_length=1.0), elements=2)
    frame.truss("tip", "bob", EA=1e4, mass_per_length=0.1)
    pendulum = frame.build()
    for root in ("root", None):
        with pytest.raises(ModelError, match="moves without strain"):
            Statics(pendulum, root)


def wrong(**changes):
    beam = Beam(1.0, 1e4, 1.0, 1.0, elements=4)
    modes = component_modes(beam, "root", 3)
    given = {"structure": beam, "modes": modes, "root": "root", "nodes": ("tip",), "damping": 0.0}
    given |= {k: v(beam, modes) if callable(v) else v for k, v in changes.items()}
    return modal_body(**given)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"nodes": ("top",)}, 'node "top" is not known'),
        ({"damping": -0.1}, "none may be negative"),
        ({"damping": [0.1, 0.1]}, "damping ratios has shape"),
        ({"damping": -np.eye(3)}, "feeds energy in"),
        ({"root": "tip"}, 'node "tip" moves in the modes'),
        ({"root": None}, "orthogonal to rigid motions"),
        ({"modes": lambda b, m: Modes(2 * m.shapes, m.stiffness, m.kind)}, "not mass-orthonormal"),
        ({"modes": lambda b, m: Modes(m.shapes, 2 * m.stiffness, m.kind)}, "do not have the stiffness"),
        ({"modes": lambda b, m: Modes(m.shapes[:-6], m.stiffness, m.kind)}, "shapes of the modes"),
    ],
)
def test_wrong_input_is_named(changes, words):
    with pytest.raises(ModelError, match=words):
        wrong(**changes)
