"""Component modes of chains of masses: every number is a reference computed independently of this package."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import kaneflex as kf
from kaneflex.structures.modes.damping import component_ratios, damping_influence, damping_matrix, partitioned_damping
from kaneflex.structures.modes.effective_mass import effective_mass_fractions
from kaneflex.structures.modes.eigenmodes import count_below, lowest_modes
from kaneflex.structures.modes.reduction import (
    attachment_modes,
    craig_bampton,
    fixed_interface_modes,
    guyan,
    project,
    residual_attachment_modes,
)
from kaneflex.structures.modes.synthesis import join, projected_system_modes
from kaneflex.structures.modes.truncation import pseudo_frequencies, truncation_vectors

DIGITS = 0.6e-6  # the references are printed to six decimals


def chain(masses: int, fixed: bool):
    """Unit masses and unit springs in a row, the first held to the ground by a spring or free."""
    K = 2 * np.eye(masses) - np.eye(masses, k=1) - np.eye(masses, k=-1)
    K[-1, -1] = 1
    if not fixed:
        K[0, 0] = 1
    return sparse.csr_array(np.eye(masses)), sparse.csr_array(K)


A = chain(8, fixed=True)
B = chain(6, fixed=False)


def whole():
    """A and B joined at A's last and B's first mass: 13 masses, that of the junction 2."""
    M, K = np.zeros((13, 13)), np.zeros((13, 13))
    for (m, k), at in ((A, slice(0, 8)), (B, slice(7, 13))):
        M[at, at] += m.toarray()
        K[at, at] += k.toarray()
    return sparse.csr_array(M), sparse.csr_array(K)


def joined(modes: int):
    return join({"A": craig_bampton(*A, [7], modes), "B": craig_bampton(*B, [0], modes)}, [(("A", 7), ("B", 0))])


def test_the_fixed_chain_has_its_exact_frequencies():
    squares, modes = lowest_modes(*A, 8)
    exact = [0.184537, 0.547326, 0.891477, 1.205269, 1.478018, 1.700434, 1.864944, 1.965946]
    assert np.sqrt(squares) == pytest.approx(2 * np.sin((2 * np.arange(1, 9) - 1) * np.pi / 34), rel=1e-12)
    assert np.sqrt(squares) == pytest.approx(exact, abs=DIGITS)
    assert np.abs(modes.T @ modes - np.eye(8)).max() < 1e-13


def test_guyan_reduction():
    reduced = guyan(*A, [3, 7])
    assert_allclose(reduced.K, [[0.5, -0.25], [-0.25, 0.25]], rtol=0, atol=1e-13)
    assert_allclose(reduced.M, [[2.75, 0.625], [0.625, 1.875]], rtol=0, atol=1e-13)
    assert reduced.frequencies() == pytest.approx([0.187957, 0.609286], abs=DIGITS)


def test_craig_bampton():
    squares, _ = fixed_interface_modes(*A, [7], 3)
    assert np.sqrt(squares) == pytest.approx([0.390181, 0.765367, 1.111140], abs=DIGITS)
    found = [craig_bampton(*A, [7], n).frequencies()[:2] for n in (1, 2, 3)]
    assert [f[0] for f in found] == pytest.approx([0.185146, 0.184656, 0.184570], abs=DIGITS)
    assert [f[1] for f in found] == pytest.approx([0.587599, 0.551048, 0.548265], abs=DIGITS)


def test_craig_bampton_matrices():
    reduced = craig_bampton(*A, [7], 2)
    signs = np.diag([*np.sign(reduced.M[2, :2]), 1])  # the signs of modes are free
    M = signs @ reduced.M @ signs
    expected = [[1, 0, 1.256835], [0, 1, 0.603553], [1.256835, 0.603553, 3.1875]]
    assert_allclose(M, expected, rtol=0, atol=DIGITS)
    assert_allclose(reduced.K, np.diag([0.152241, 0.585786, 0.125]), rtol=0, atol=DIGITS)
    assert reduced.kind == ("fixed-interface 1", "fixed-interface 2", "constraint 7")


def test_effective_mass():
    _, modes = lowest_modes(*A, 8)
    fractions = effective_mass_fractions(A[0], modes, np.ones((8, 1)))[:, 0]
    expected = [0.856332, 0.090828, 0.029656, 0.012894, 0.006111, 0.002819, 0.001104, 0.000257]
    assert fractions == pytest.approx(expected, abs=DIGITS)
    assert fractions.sum() == pytest.approx(1, abs=1e-12)


def test_frequency_filter_keeps_what_is_below_the_cut():
    kept = count_below(*A, 0.6**2)
    _, modes = lowest_modes(*A, kept)
    assert kept == 2
    assert effective_mass_fractions(A[0], modes, np.ones((8, 1))).sum() == pytest.approx(0.94716, abs=0.6e-5)


def at_five():
    load = np.zeros((8, 1))
    load[4] = 1
    return load


def test_modal_truncation_vector():
    M, K = A
    _, modes = lowest_modes(M, K, 2)
    X = truncation_vectors(M, K, modes, at_five())
    expected = [-0.162542, -0.245837, -0.185214, 0.058892, 0.497327, 0.116309, -0.112244, -0.217458]
    assert X[:, 0] == pytest.approx(expected, abs=DIGITS)
    assert np.abs(modes.T @ M @ X).max() < 1e-13
    assert pseudo_frequencies(M, K, X) == pytest.approx([1.056714], abs=DIGITS)


def response(M, K, vectors, load, omega):
    """Steady displacement under the load, at the load, of the component in the span of the vectors."""
    reduced = project(M, K, vectors, [""] * vectors.shape[1])
    return float((load.T @ vectors @ np.linalg.solve(reduced.K - omega**2 * reduced.M, vectors.T @ load)).item())


@pytest.mark.parametrize(
    ("omega", "exact", "modal", "corrected"),
    [(0.0, 5, 4.502673, 5), (0.3, -1.989907, -2.531819, -1.990895), (0.7, 0.525995, -0.489877, 0.396331)],
)
def test_response_with_and_without_the_truncation_vector(omega, exact, modal, corrected):
    M, K = A
    load = at_five()
    _, modes = lowest_modes(M, K, 2)
    X = truncation_vectors(M, K, modes, load)
    found = [response(M, K, v, load, omega) for v in (np.eye(8), modes, np.hstack([modes, X]))]
    assert found == pytest.approx([exact, modal, corrected], abs=DIGITS)


def test_residual_attachment_modes_give_the_same_static_answer():
    M, K = A
    squares, modes = lowest_modes(M, K, 2)
    residual = residual_attachment_modes(M, K, at_five(), modes, squares)
    assert residual == pytest.approx(truncation_vectors(M, K, modes, at_five()), abs=1e-12)


def test_attachment_modes_of_a_free_chain_are_inertia_relieved():
    M, K = B
    rigid = np.ones((6, 1))
    load = np.eye(6)[:, :1]
    shape = attachment_modes(M, K, load, rigid)
    # the chain accelerates by 1/6 as a whole; what strains it is the load less the inertia forces
    assert K @ shape == pytest.approx(load - 1 / 6, abs=1e-13)
    assert abs(float((rigid.T @ M @ shape).item())) < 1e-13


def test_components_joined_to_a_system():
    exact = [0.111055, 0.344260, 0.535484, 0.789184, 0.948678]
    squares, _ = lowest_modes(*whole(), 5)
    assert np.sqrt(squares) == pytest.approx(exact, abs=DIGITS)
    assert joined(1).modes(3)[0] == pytest.approx([0.111148, 0.344917, 0.571633], abs=DIGITS)
    assert joined(2).modes(5)[0] == pytest.approx([0.111070, 0.344356, 0.538458, 0.789938, 0.988598], abs=DIGITS)
    assert joined(3).modes(5)[0] == pytest.approx([0.111059, 0.344284, 0.536150, 0.789329, 0.952685], abs=DIGITS)


def test_reduction_by_projected_system_modes():
    squares, modes = lowest_modes(*whole(), 4)
    parts = {"A": (A, modes[:8]), "B": (B, modes[7:])}
    values, vectors = {}, {}
    for name, ((M, _), motion) in parts.items():
        values[name], vectors[name] = projected_system_modes(M, motion)
        assert vectors[name].T @ M @ vectors[name] == pytest.approx(np.eye(4), abs=1e-12)
    assert values["A"] == pytest.approx([0.999959, 0.953171, 0.520578, 0.018020], abs=DIGITS)
    assert values["B"] == pytest.approx([0.999838, 0.853814, 0.302432, 0.009068], abs=DIGITS)

    def system(kept):
        return join(
            {n: project(M, K, vectors[n][:, :kept], ["projected"] * kept) for n, ((M, K), _) in parts.items()},
            [(("A", 7), ("B", 0))],
        )

    assert system(4).modes(4)[0] == pytest.approx(np.sqrt(squares), rel=1e-10)
    assert system(3).modes(4)[0] == pytest.approx([0.112456, 0.344669, 0.535580, 0.789187], abs=DIGITS)


INFLUENCE = [
    [0.003839, 0.000103, 0.000013, 0.032351, 0.000096, 0.000007],
    [0.392497, 0.000924, 0.000090, 0.643530, 0.000802, 0.000045],
    [0.655520, 0.060916, 0.003372, 0.571112, 0.043399, 0.001512],
    [0.009818, 0.709273, 0.001468, 0.015043, 0.282826, 0.000469],
]


def test_influence_of_component_damping_on_the_system():
    influence, names = damping_influence(joined(3), 4)
    assert names == [("A", 0), ("A", 1), ("A", 2), ("B", 0), ("B", 1), ("B", 2)]
    assert influence == pytest.approx(np.array(INFLUENCE), abs=DIGITS)


def damping_ratios(M, C, K):
    """Damping ratios of the quadratic eigenproblem, by frequency."""
    n = len(M)
    values = np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]]))
    values = values[values.imag > 0]
    return (-values.real / np.abs(values))[np.argsort(np.abs(values))]


def test_damping_ratios_of_components_give_what_the_influence_says():
    system = joined(3)
    influence, names = damping_influence(system, 4)
    given, achieved = component_ratios(influence[1:], np.array([0.002, 0.003, 0.001]))
    assert np.all(given >= 0)
    assert achieved == pytest.approx([0.002, 0.003, 0.001], abs=1e-12)
    C = np.zeros_like(system.M)
    for (name, k), zeta in zip(names, given, strict=True):
        row = system.maps[name][k]
        C += 2 * zeta * np.sqrt(system.components[name].K[k, k]) * np.outer(row, row)
    # the influence matrix neglects coupling between modes, which is of second order in the damping
    assert damping_ratios(system.M, C, system.K)[1:4] == pytest.approx([0.002, 0.003, 0.001], rel=2e-3)


def test_the_systems_damping_matrix_gives_the_wanted_ratios():
    M, K = whole()
    squares, modes = lowest_modes(M, K, 13)
    wanted = np.linspace(0.01, 0.04, 13)
    C = damping_matrix(M, modes, np.sqrt(squares), wanted)
    assert damping_ratios(M.toarray(), C, K.toarray()) == pytest.approx(wanted, rel=1e-10)


def test_partitioned_damping():
    system = joined(3)
    plain = partitioned_damping(system, 0.01, 4, match=False)
    matched = partitioned_damping(system, 0.01, 4)
    assert np.abs(plain.achieved / 0.01 - 1).max() > 0.3  # what cutting the blocks between the bodies does by itself
    assert matched.achieved == pytest.approx(np.full(4, 0.01), rel=1e-6)
    C = sum(system.maps[n].T @ c @ system.maps[n] for n, c in matched.matrices.items())
    for c in matched.matrices.values():
        assert np.linalg.eigvalsh(c).min() > -1e-14
    assert damping_ratios(system.M, C, system.K)[:4] == pytest.approx(np.full(4, 0.01), rel=1e-2)


def test_craig_bampton_converges_at_the_third_power_on_a_rod():
    # in a rod the interface's linear shape leaves sine coefficients of k^-3, so an energy error of (modes)^-3
    M, K = chain(1500, fixed=True)
    exact = lowest_modes(M, K, 1)[0][0]
    counts = np.array([4, 6, 8, 12, 16, 24])
    errors = [craig_bampton(M, K, [1499], int(n)).frequencies()[0] ** 2 / exact - 1 for n in counts]
    rate = -np.polyfit(np.log(counts + 0.5), np.log(errors), 1)[0]
    assert rate == pytest.approx(3, abs=0.1)


def test_large_and_small_solvers_agree_and_find_double_modes():
    M1, K1 = chain(400, fixed=True)
    M, K = sparse.block_diag([M1, M1, M1], "csr"), sparse.block_diag([K1, K1, K1], "csr")
    squares, modes = lowest_modes(M, K, 9)
    exact = (2 * np.sin((2 * np.arange(1, 4) - 1) * np.pi / 1602)) ** 2
    assert squares == pytest.approx(np.repeat(exact, 3), rel=1e-8)
    assert modes.T @ (M @ modes) == pytest.approx(np.eye(9), abs=1e-10)


def test_free_chain_with_massless_coordinates():
    M, K = chain(41, fixed=False)
    M = sparse.csr_array(np.diag([1.0, 0.0] * 20 + [1.0]))
    squares, _ = lowest_modes(M, K, 5)
    # springs of stiffness 1/2 between 21 unit masses
    assert squares[0] == 0
    assert squares[1:] == pytest.approx(2 * np.sin(np.arange(1, 5) * np.pi / 42) ** 2, rel=1e-9)


def planar_beam(elements: int, EI: float):
    """Consistent mass and stiffness of a free beam of unit length and mass, deflection and slope at every node."""
    l, size = 1.0 / elements, 2 * (elements + 1)
    M, K = np.zeros((size, size)), np.zeros((size, size))
    shape = np.array([[12, 6 * l, -12, 6 * l], [0, 4 * l * l, -6 * l, 2 * l * l], [0, 0, 12, -6 * l], [0, 0, 0, 4 * l * l]])
    rows = [[156, 22 * l, 54, -13 * l], [0, 4 * l * l, 13 * l, -3 * l * l], [0, 0, 156, -22 * l], [0, 0, 0, 4 * l * l]]
    mass = np.array(rows)
    for e in range(elements):
        at = slice(2 * e, 2 * e + 4)
        K[at, at] += EI / l**3 * (np.triu(shape) + np.triu(shape, 1).T)
        M[at, at] += l / 420 * (np.triu(mass) + np.triu(mass, 1).T)
    return sparse.csr_array(M), sparse.csr_array(K)


@pytest.mark.parametrize("EI", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("elements", [10, 20, 40])
def test_a_free_component_on_its_ends_alone_has_its_rigid_motions(elements, EI):
    """Cubic shapes between the ends: two rigid motions, and sqrt(720), sqrt(8400) of one Hermite element, however fine the
    mesh is whose numbers they are sums of."""
    ends = [0, 1, 2 * elements, 2 * elements + 1]
    found = craig_bampton(*planar_beam(elements, EI), ends, 0).frequencies()
    assert found[:2] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert found[2:] == pytest.approx(np.sqrt(EI) * np.sqrt([720.0, 8400.0]), rel=1e-5)


def test_a_negative_spring_is_still_indefinite():
    M, K = planar_beam(10, 1.0)
    weak = K.toarray()
    weak[0, 0] -= 1e-3
    with pytest.raises(kf.ModelError, match="indefinite"):
        craig_bampton(M, sparse.csr_array(weak), [0, 1, 20, 21], 0).frequencies()
