"""Component modes of beams and plates against closed forms; what every set of shapes must satisfy."""

import numpy as np
import pytest
from scipy.optimize import brentq

from kaneflex.model.checks import ModelError
from kaneflex.structures.beam import Beam
from kaneflex.structures.framework import Framework
from kaneflex.structures.modes.component import Component
from kaneflex.structures.modes.eigenmodes import lowest_modes
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.structures.modes.mode_selection import component_modes
from kaneflex.structures.modes.mode_shapes import Modes
from kaneflex.structures.modes.reduction import craig_bampton
from kaneflex.structures.plate import Plate
from kaneflex.structures.section import Section
from kaneflex.structures.structure import Structure

LENGTH, EI, MASS = 2.0, 3.0, 0.5
UNIT = np.sqrt(EI / (MASS * LENGTH**4))  # rad/s


def beam(elements=60, EI=(EI, 4 * EI), **more):
    """Slender enough that rotary inertia and axial modes stay out of the way: EA is large, rotary inertia none."""
    return Beam(LENGTH, EA=1e7, EI=EI, mass_per_length=MASS, elements=elements, GJ=2.0, rotary=0.0, polar=1e-4, **more)


def roots(f, count):
    """Roots of a characteristic equation near (k + 1/2) pi."""
    return np.array([brentq(f, k * np.pi + 1e-9, (k + 1) * np.pi) for k in range(count)])


def both_ways(betas, count):
    """Frequencies of bending about y and z together, the latter twice as high."""
    once = betas**2 * UNIT
    return np.sort(np.concatenate([once, 2 * once]))[:count]


def test_cantilever_frequencies_and_effective_masses():
    betas = roots(lambda b: np.cos(b) + 1 / np.cosh(b), 6)
    modes = component_modes(beam(EI=EI), "root", 12)
    bending = [k for k, r in enumerate(modes.records) if r.kept and max(r.fractions[1:]) > 1e-6]
    assert modes.frequencies[bending][::2][:5] == pytest.approx(betas[:5] ** 2 * UNIT, rel=1e-5)
    fractions = [max(modes.records[k].fractions) for k in bending][::2][:4]
    assert fractions == pytest.approx([0.613076, 0.188300, 0.064732, 0.033087], abs=5e-5)


def test_free_free_frequencies():
    betas = roots(lambda b: np.cos(b) - 1 / np.cosh(b), 6)
    betas = betas[betas > 1]
    modes = component_modes(beam(), None, 6)
    expected = both_ways(betas, 8)
    torsion = np.pi / LENGTH * np.sqrt(2.0 / 1e-4)
    assert modes.frequencies == pytest.approx(np.sort([*expected, torsion])[:6], rel=1e-5)


def test_free_modes_are_in_mean_axes():
    structure = beam()
    modes = component_modes(structure, None, 6)
    R = structure.rigid_body_vectors()
    momenta = R.T @ (structure.M @ modes.shapes)
    assert np.abs(momenta).max() < 1e-12 * np.sqrt(np.abs(R.T @ (structure.M @ R)).max())


def test_simply_supported_frequencies():
    structure = beam(EI=EI)
    component = Component(structure, None)
    columns, _ = component.boundary([structure.node("root"), structure.node("tip")])
    held = columns[[0, 1, 2, 3, 7, 8]]
    free = np.setdiff1d(np.arange(component.size), held)
    squares, _ = lowest_modes(component.M[free][:, free], component.K[free][:, free], 6)
    expected = np.repeat((np.pi * np.arange(1, 4)) ** 2, 2) * UNIT
    assert np.sqrt(squares) == pytest.approx(expected, rel=1e-5)


def at_node(structure, shapes, name):
    """The six rows of a node."""
    return shapes[6 * structure.node(name) : 6 * structure.node(name) + 6]


CHOICES = {
    "fixed": ModeChoice("fixed", count=7),
    "fixed-interface": ModeChoice("fixed-interface", count=4),
    "craig-bampton": ModeChoice("craig-bampton", count=4),
    "craig-bampton without vibration modes": ModeChoice("craig-bampton", count=0),
    "free": ModeChoice("free", count=6),
    "residual": ModeChoice("fixed", count=4, residual=("tip", "middle")),
    "free with residual": ModeChoice("free", count=4, residual=("tip",)),
    "below": ModeChoice(count=None, below=10.0),
}


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("linked", [False, True], ids=["plain", "linked"])
def test_every_set_is_orthonormal_and_rests_at_the_root(name, linked):
    structure = beam(elements=12).named(middle=6)
    if linked:  # a rigid arm at the tip, whose end is the interface
        structure = structure.linked("end", ["tip"], at=(LENGTH, 0.3, 0.1))
    tip = "end" if linked else "tip"
    interfaces = (tip,) if "interface" in name or "craig" in name else ()
    modes = component_modes(structure, "root", CHOICES[name], interfaces)
    size = np.sqrt(np.outer(modes.stiffness, modes.stiffness))
    assert modes.shapes.T @ (structure.M @ modes.shapes) == pytest.approx(np.eye(len(modes)), abs=1e-10)
    reduced = modes.shapes.T @ (structure.K @ modes.shapes)
    # K's entries are of the size of the highest frequency of all, and so is their rounding
    highest = structure.K.diagonal().max() / structure.M.diagonal()[structure.M.diagonal() > 0].min()
    assert np.abs(reduced - np.diag(modes.stiffness)).max() < 1e-15 * highest + 1e-9 * size.max()
    assert np.abs(at_node(structure, modes.shapes, "root")).max() == 0
    assert np.all(np.diff(modes.stiffness) >= 0)


def span_distance(M, a, b):
    """How far the unit-mass vectors of b stick out of the span of a."""
    a = a / np.sqrt(np.einsum("ij,ij->j", a, M @ a))
    b = b / np.sqrt(np.einsum("ij,ij->j", b, M @ b))
    rest = b - a @ np.linalg.lstsq(a.T @ (M @ a), a.T @ (M @ b), rcond=None)[0]
    return float(np.sqrt(np.abs(np.einsum("ij,ij->j", rest, M @ rest)).max()))


def test_free_modes_at_a_root_keep_the_span_with_the_rigid_motions():
    structure = beam(elements=12)
    R = structure.rigid_body_vectors()
    free = component_modes(structure, None, 5).shapes
    moved = component_modes(structure, "tip", ModeChoice("free", count=5)).shapes
    given = component_modes(structure, "tip", free).shapes
    assert span_distance(structure.M, np.hstack([R, free]), moved) < 1e-6
    assert span_distance(structure.M, moved, given) < 1e-6
    assert np.abs(at_node(structure, moved, "tip")).max() == 0


def test_modes_of_one_root_serve_another():
    structure = beam(elements=12)
    at_root = component_modes(structure, "root", 5)
    at_tip = component_modes(structure, "tip", at_root)
    R = structure.rigid_body_vectors()
    assert span_distance(structure.M, np.hstack([R, at_root.shapes]), at_tip.shapes) < 1e-6
    assert np.abs(at_node(structure, at_tip.shapes, "tip")).max() == 0


def test_orthonormal_modes_pass_unchanged():
    structure = beam()
    modes = component_modes(structure, "root", 5)
    again = component_modes(structure, "root", modes)
    assert again.shapes == pytest.approx(modes.shapes, abs=1e-8)
    assert again.kind == modes.kind


def tip_compliance(structure, modes, direction):
    """Displacement of the tip per unit force there, from the modes alone."""
    row = modes.shapes[6 * structure.node("tip") + direction]
    return float(np.sum(row**2 / modes.stiffness))


def test_residual_vectors_make_statics_exact():
    structure = beam()
    exact = LENGTH**3 / (3 * EI)  # along z, bending about y
    few = component_modes(structure, "root", 3)
    more = component_modes(structure, "root", ModeChoice(count=3, residual=("tip",)))
    static = component_modes(structure, "root", ModeChoice("craig-bampton", count=0), interfaces=("tip",))
    assert tip_compliance(structure, few, 2) < 0.9999 * exact
    assert tip_compliance(structure, more, 2) == pytest.approx(exact, rel=1e-8)
    assert tip_compliance(structure, static, 2) == pytest.approx(exact, rel=1e-8)
    assert tip_compliance(structure, more, 0) == pytest.approx(LENGTH / 1e7, rel=1e-8)


def test_loads_as_truncation_vectors():
    structure = beam()
    load = np.zeros((6 * len(structure), 1))
    load[2::6, 0] = structure.points[:, 0]  # a load that grows towards the tip
    modes = component_modes(structure, "root", ModeChoice(count=2, loads=load))
    free = structure.held("root")
    E = structure.expand[:, free]
    exact = E @ np.linalg.solve((E.T @ structure.K @ E).toarray(), E.T @ load[:, 0])
    found = modes.shapes @ ((modes.shapes.T @ load[:, 0]) / modes.stiffness)
    assert found == pytest.approx(exact, abs=1e-8 * np.abs(exact).max())
    assert any(kind.startswith("residual load 1") for kind in modes.kind)


def test_equal_frequencies_are_turned_to_the_axes():
    structure = beam(EI=EI)
    for root in ("root", None):
        modes = component_modes(structure, root, 6)
        along = np.abs(modes.shapes.reshape(len(structure), 6, -1)).max(axis=0)
        pairs = along[1:3, :6].T
        assert np.all(pairs.min(axis=1) < 1e-6 * pairs.max(axis=1))


def test_craig_bampton_converges_at_the_fifth_power_on_a_beam():
    # clamped modes carry beta_k^-5 of the rest of a smooth shape, whose energy goes with beta_k^4, beta_k = (k + 1/2) pi:
    # the sum of beta_k^-6 over the modes left out falls as (modes + 1)^-5
    structure = beam(elements=100)
    E = structure.expand[:, structure.held("root")]
    plane = [k for k in range(E.shape[1]) if k % 6 in (2, 4)]  # bending in x-z alone
    M, K = ((E.T @ A @ E)[plane][:, plane] for A in (structure.M, structure.K))
    tip = E[[6 * structure.node("tip") + 2, 6 * structure.node("tip") + 4]].indices
    interface = [plane.index(k) for k in tip]
    exact = lowest_modes(M, K, 4)[0]
    counts = np.array([4, 8, 16, 32, 48])
    found = [craig_bampton(M, K, interface, int(n)).frequencies()[:4] ** 2 for n in counts]
    errors = (np.array(found) / exact - 1)[:, 1:]  # the first mode is exact to rounding before its rate can be told
    rates = -np.diff(np.log(errors), axis=0) / np.diff(np.log(counts + 1))[:, None]
    assert np.all(np.diff(rates, axis=0) > 0)  # from below, for all of them
    assert rates[-1] == pytest.approx(np.full(3, 5.0), abs=0.1)


def test_below_and_count_together_keep_the_fewer():
    structure = beam(EI=EI)
    hertz = 3.516015 * UNIT / (2 * np.pi)
    assert len(component_modes(structure, "root", ModeChoice(count=6, below=2 * hertz))) == 2
    assert len(component_modes(structure, "root", ModeChoice(count=1, below=10 * hertz))) == 1
    assert len(component_modes(structure, "root", ModeChoice(count=None, below=0.5 * hertz))) == 0


def test_effective_mass_filter_drops_what_no_base_motion_excites():
    frame = Framework()
    section = Section(EA=1e7, EI=EI, mass_per_length=MASS, GJ=2.0)
    frame.node("root", (0, 0, 0))
    for name, y in (("left", 1.0), ("right", -1.0)):  # two arms: their antisymmetric modes move no mass as a whole
        frame.node(name, (0, y, 0))
        frame.beam("root", name, section, elements=8)
    structure = frame.build()
    everything = component_modes(structure, "root", 8)
    strict = component_modes(structure, "root", ModeChoice(count=8, effective_mass=0.2))
    dropped = [r for r in strict.records if not r.kept and "effective mass" in r.why]
    assert len(strict) + len(dropped) == len(everything) == 8
    assert dropped
    assert "dropped: effective mass below 0.2 in every direction" in strict.table()


def test_the_table_tells_what_was_kept_and_why():
    modes = component_modes(beam(EI=EI), "root", ModeChoice("craig-bampton", count=4, highest=5.0), interfaces=("tip",))
    table = modes.table()
    assert "constraint tip.uz" in table
    assert "dropped: beyond the 4 asked for" in table
    assert "dropped: above the highest of 5 Hz" in table
    assert len([r for r in modes.records if r.kept]) == len(modes)
    vibration = [r.frequency for r in modes.records if r.kept and r.kind.startswith("fixed-interface")]
    assert max(vibration, default=0.0) < 5


def test_a_body_tied_to_the_ground_has_no_free_modes():
    structure = beam(elements=3)
    K = structure.K.toarray()
    K[1, 1] += 1.0
    tied = Structure.from_matrices(structure.M, K, structure.points)
    with pytest.raises(ModelError, match="of the body strains it: it is held to the ground"):
        component_modes(tied, None, 2)


def test_modes_are_read_only():
    modes = component_modes(beam(), "root", 2)
    with pytest.raises(ValueError, match="read-only"):
        modes.shapes[0, 0] = 1.0
    assert isinstance(modes, Modes)


ALUMINIUM = {"E": 7e10, "nu": 0.3, "density": 2700.0}


def plate_unit(length, thickness):
    """sqrt(D / (rho h a^4)), rad/s."""
    D = ALUMINIUM["E"] * thickness**3 / (12 * (1 - ALUMINIUM["nu"] ** 2))
    return np.sqrt(D / (ALUMINIUM["density"] * thickness * length**4))


@pytest.mark.parametrize(
    ("width", "expected"),
    [  # Ritz solutions with nine by nine functions; the square plate's are classical
        (1.0, [3.4715, 8.5086, 21.2885, 27.1993]),
        (0.5, [3.4402, 14.8057, 21.4395, 48.1905]),
        (2.0, [3.4932, 5.3533, 10.1832, 19.0841]),
    ],
)
def test_cantilever_plate(width, expected):
    plate = Plate(1.0, width, 0.002, **ALUMINIUM, elements=(20, max(10, round(20 * width))))
    modes = component_modes(plate, "root", 4)
    assert modes.frequencies / plate_unit(1.0, 0.002) == pytest.approx(expected, rel=5e-3)


def test_simply_supported_plate():
    a, b, thickness = 1.0, 0.7, 0.002
    plate = Plate(a, b, thickness, **ALUMINIUM, elements=(24, 18), root=None)
    component = Component(plate, None)
    x, y = plate.points[:, 0], plate.points[:, 1]
    edge = (x < 1e-9) | (x > a - 1e-9) | (np.abs(y) > b / 2 - 1e-9)
    bending = np.concatenate([6 * np.flatnonzero(~edge) + 2, 6 * np.arange(len(plate)) + 3, 6 * np.arange(len(plate)) + 4])
    columns = plate.expand[np.sort(bending)].indices
    squares, _ = lowest_modes(component.M[columns][:, columns], component.K[columns][:, columns], 4)
    exact = sorted(np.pi**2 * (m**2 + (n * a / b) ** 2) for m in (1, 2, 3) for n in (1, 2, 3))[:4]
    assert np.sqrt(squares) / plate_unit(a, thickness) == pytest.approx(exact, rel=5e-3)
