"""The book's beam and plate in large overall motion, a nonlinear beam beside them, and the general method against all three.

Numbers are recomputations of published problems: Kane, Ryan and Banerjee 1987 and Simo and Vu-Quoc 1988 (spin-up of beams),
Wright et al. 1982 (rotating beams), Banerjee and Kane 1989 (plate).
"""

import functools
import math

import numpy as np
import pytest

from kaneflex.model.checks import ModelError
from kaneflex.structures.beam import Beam
from kaneflex.structures.modes.modal_data import modal_body
from kaneflex.structures.modes.mode_selection import component_modes
from kaneflex.structures.plate import Plate
from kaneflex.structures.theories.book_beam import BookBeam
from kaneflex.structures.theories.book_plate import BookPlate
from tests.oracles.driven_body import base_driven, node_position
from tests.oracles.nonlinear_beam import NonlinearBeam

SVQ = {"length": 10.0, "EA": 2.8e7, "EI": 1.4e4, "mass_per_length": 1.2}
EIGHT = {"length": 8.0, "EA": 5.0313e6, "EI": 566.710, "mass_per_length": 0.2018806}
SHEAR = {"SVQ": (1e7, 6e-4), "8 m": (2.758e10 * 7.2968e-5, 2.2739e-5)}  # shear stiffness and rotary inertia
SPIN_UPS = {  # beam, final rate: tip at 2.5, 5, ... 15 s, and its peak
    ("SVQ", 6): ((-0.151285, -0.468782, -0.559520, -0.362842, -0.112648, 0.001297), -0.57436),
    ("8 m", 6): ((-0.21435, -0.62446, -0.70856, -0.43754, -0.12353, 0.00154), -0.75261),
    ("8 m", 4): ((-0.142925, -0.423044, -0.521064, -0.347739, -0.110507, 0.007373), -0.53439),
}
EXACT = {  # the same of the geometrically exact beam
    ("SVQ", 6): ((-0.15128, -0.46848, -0.5591, -0.3628, -0.1127, 0.0013), -0.5738),
    ("8 m", 4): ((-0.14292, -0.42265, -0.5204, -0.3477, -0.1105, 0.0074), -0.5336),
}
TIMES = np.arange(0, 18.01, 0.05)
MARKS = np.array([50, 100, 150, 200, 250, 300])


def data(name):
    return {"SVQ": SVQ, "8 m": EIGHT}[name]


def spin_up(rate, time, axis=2):
    """Ramp of Kane, Ryan and Banerjee about an axis through the root: (acceleration, omega, alpha)."""
    e = np.eye(3)[axis]

    def motion(t):
        if t >= time:
            return np.zeros(3), rate * e, np.zeros(3)
        turn = 2 * math.pi * t / time
        return (
            np.zeros(3),
            rate / time * (t - time / (2 * math.pi) * math.sin(turn)) * e,
            rate / time * (1 - math.cos(turn)) * e,
        )

    return motion


def in_plane(motion):
    """The same motion for the plane beam."""

    def plane(t):
        a, omega, alpha = motion(t)
        return (a[0], a[1]), omega[2], alpha[2]

    return plane


@functools.cache
def general(name, modes=3, stiffening=True):
    """A modal body of the beam that bends in the plane only."""
    d = data(name)
    beam = Beam(**{**d, "EI": (1e4 * d["EI"], d["EI"])}, elements=30, GJ=d["EI"] * 1e3)
    return modal_body(beam, component_modes(beam, "root", modes), "root", ("tip",), stiffening, 0.0)


@functools.cache
def exact(name, rate):
    GA, rotary = SHEAR[name]
    d = data(name)
    beam = NonlinearBeam(d["length"], d["EA"], GA, d["EI"], d["mass_per_length"], rotary, elements=8)
    return beam.run(in_plane(spin_up(rate, 15.0)), 18.0, 0.01)


# ---- spin-up of beams


@pytest.mark.parametrize("case", SPIN_UPS, ids=str)
def test_spin_up_of_the_books_beam(case):
    name, rate = case
    marks, peak = SPIN_UPS[case]
    beam = BookBeam(**data(name), modes=(1, 8, 0, 0))
    q = beam.respond(spin_up(rate, 15.0), TIMES)
    tip = beam.tip(q)[:, 1]
    assert tip[MARKS] == pytest.approx(marks, abs=3e-3 * abs(peak))
    assert tip.min() == pytest.approx(peak, rel=2e-3)
    extension = data(name)["mass_per_length"] * rate**2 * data(name)["length"] ** 3 / (3 * data(name)["EA"])
    assert beam.stretch(q)[-40:].mean() == pytest.approx(extension, rel=0.02)  # one stretch mode has 98.6 % of it


@pytest.mark.thorough
@pytest.mark.parametrize("case", EXACT, ids=str)
def test_spin_up_of_the_nonlinear_beam(case):
    marks, peak = EXACT[case]
    _, tip = exact(*case)
    assert tip[MARKS * 5, 1] == pytest.approx(marks, abs=1e-3 * abs(peak))
    assert tip[:, 1].min() == pytest.approx(peak, rel=1e-3)
    d = data(case[0])
    extension = d["mass_per_length"] * case[1] ** 2 * d["length"] ** 3 / (3 * d["EA"])
    after = tip[1600:]
    shortening = 0.581 / d["length"] * (after[:, 1] ** 2).mean()  # by what vibration is left, in the first mode's shape
    assert after[:, 0].mean() - d["length"] + shortening == pytest.approx(extension, rel=2e-3)


@pytest.mark.thorough
@pytest.mark.parametrize("case", SPIN_UPS, ids=str)
def test_spin_up_by_the_general_method(case):
    """The full equations of one driven modal body against the nonlinear beam (1 %) and the book's beam."""
    name, rate = case
    body = general(name)
    eta, _ = base_driven(body, spin_up(rate, 15.0), TIMES, rtol=1e-7, atol=1e-9)
    tip = node_position(body, body.nodes["tip"], eta)
    peak = SPIN_UPS[case][1]
    nonlinear = exact(name, rate)[1][::5]
    assert tip[:, 1] == pytest.approx(nonlinear[:, 1], abs=0.01 * abs(peak))
    assert tip[:, 1].min() == pytest.approx(nonlinear[:, 1].min(), rel=0.005)
    assert tip[MARKS, 1] == pytest.approx(SPIN_UPS[case][0], abs=5e-3 * abs(peak))
    # the tip comes in as the beam bends: second-order displacement, which the body has without a stretch mode
    bent = np.abs(nonlinear[:, 1]) > 0.3 * abs(peak)
    extension = data(name)["mass_per_length"] * rate**2 * data(name)["length"] ** 3 / (3 * data(name)["EA"])
    assert tip[bent, 0] == pytest.approx(nonlinear[bent, 0], abs=2 * extension)


@pytest.mark.thorough
def test_too_early_linearisation_diverges():
    """In the book's beam and in the general method alike."""
    wrong = {5.0: -0.5218, 7.0: -1.1096, 8.0: -2.127, 9.0: -7.447, 10.0: -72.0}
    times = np.array(sorted(wrong))
    beam = BookBeam(**SVQ, modes=(0, 6, 0, 0), stiffening=False)
    tip = beam.tip(beam.respond(spin_up(6, 15.0), times))[:, 1]
    assert tip == pytest.approx(list(wrong.values()), rel=2e-3)
    body = general("SVQ", stiffening=False)
    eta, _ = base_driven(body, spin_up(6, 15.0), times, rtol=1e-7, atol=1e-9)
    assert node_position(body, body.nodes["tip"], eta)[:, 1] == pytest.approx(list(wrong.values()), rel=0.01)


# ---- a beam carried by two rigid links


def arm(t, T=15.0, L=8.0):
    """Motion of the third link: a = acceleration of its root in its own axes; absolute angles f1, f2, f3."""
    x = min(t, T)
    s = x / T - math.sin(2 * math.pi * x / T) / (2 * math.pi)
    moving = t < T
    ds = (1 - math.cos(2 * math.pi * x / T)) / T * moving
    dds = 2 * math.pi / T**2 * math.sin(2 * math.pi * x / T) * moving
    slopes = np.array([math.pi / 2, math.pi / 2 - 3 * math.pi / 4, math.pi / 2 - 3 * math.pi / 4 - 5 * math.pi / 6])
    f, df, ddf = np.array([0, math.pi, 2 * math.pi]) + slopes * s, slopes * ds, slopes * dds
    a = sum(
        L * (ddf[k] * np.array([-math.sin(f[k]), math.cos(f[k])]) - df[k] ** 2 * np.array([math.cos(f[k]), math.sin(f[k])]))
        for k in range(2)
    )
    c, n = math.cos(f[2]), math.sin(f[2])
    return np.array([c * a[0] + n * a[1], -n * a[0] + c * a[1], 0]), np.array([0, 0, df[2]]), np.array([0, 0, ddf[2]])


ARM_TIMES = np.array([2.5, 5, 7.5, 10, 12.5, 20])
ARM = {
    "exact": (0.00498, 0.05584, 0.03137, -0.17892, -0.10749, 0.01420),
    "linear": (0.00498, 0.05584, 0.03137, -0.17898, -0.10751, 0.01422),
    "premature": (0.00499, 0.05713, 0.03186, -0.18255, -0.10846, 0.01449),
}


@pytest.mark.thorough
@pytest.mark.parametrize("stiffening", [True, False])
def test_manipulator_with_a_flexible_last_link(stiffening):
    expected = ARM["linear" if stiffening else "premature"]
    beam = BookBeam(**EIGHT, modes=(0, 6, 0, 0), stiffening=stiffening)
    assert beam.tip(beam.respond(arm, ARM_TIMES))[:, 1] == pytest.approx(expected, abs=4e-5)
    body = general("8 m", stiffening=stiffening)
    eta, _ = base_driven(body, arm, ARM_TIMES, rtol=1e-6, atol=1e-8)
    assert node_position(body, body.nodes["tip"], eta)[:, 1] == pytest.approx(expected, abs=1.5e-4)


@pytest.mark.thorough
def test_manipulator_with_the_nonlinear_beam():
    GA, rotary = SHEAR["8 m"]
    beam = NonlinearBeam(8.0, EIGHT["EA"], GA, EIGHT["EI"], EIGHT["mass_per_length"], rotary, elements=8)
    _, tip = beam.run(in_plane(arm), 20.0, 0.01)
    assert tip[np.round(ARM_TIMES / 0.01).astype(int), 1] == pytest.approx(ARM["exact"], abs=8e-5)


# ---- rotating beams


@pytest.mark.parametrize(
    ("gamma", "flap"),
    [
        (0, (3.5160, 22.0345, 61.6972)),
        (2, (4.1373, 22.6149, 62.2732)),
        (6, (7.3604, 26.8091, 66.6839)),
        (12, (13.1702, 37.6031, 79.6145)),
    ],
)
def test_frequencies_of_the_books_rotating_beam(gamma, flap):
    beam = BookBeam(1.0, 1e8, 1.0, 1.0, modes=(0, 0, 10, 0))
    assert beam.frequencies((0, 0, gamma))[:3] == pytest.approx(flap, rel=2e-5)
    assert beam.frequencies((0, gamma, 0))[:3] == pytest.approx(np.sqrt(np.array(flap) ** 2 - gamma**2), rel=5e-5)


@pytest.mark.parametrize(
    ("radius", "frequencies"),
    [(0, (3.6196, 4.2393, 4.9700, 7.3336)), (0.1, (3.7049, 4.8401, 6.2726, 15.348)), (0.5, (4.0278, 6.7216, 9.8843, 30.374)),
     (1, (4.3978, 8.5001, 13.0482, 41.228)), (1.5, (4.7385, 9.9607, 15.5723, 48.922)),
     (2, (5.0558, 11.2290, 17.7343, 54.864)), (5, (6.6430, 16.9157, 27.2658, 74.017))],
)  # fmt: skip
def test_chordwise_motion_of_the_books_beam_coupled_with_stretch(radius, frequencies):
    """A L^2/I = 70^2; first modes at gamma = 2, 6, 10, 50."""
    beam = BookBeam(1.0, 70.0**2, 1.0, 1.0, modes=(12, 12, 0, 0))
    for gamma, frequency in zip((2, 6, 10, 50), frequencies, strict=True):
        assert beam.frequencies((0, 0, gamma), (-(gamma**2) * radius, 0, 0))[0] == pytest.approx(frequency, rel=5e-4)


def test_shear_and_rotary_inertia_lower_the_frequencies():
    """Cantilever of Timoshenko: the finite elements, refined, give the same."""
    book = BookBeam(1.0, 1e4, (1.0, 2.0), 1.0, GJ=0.5, GA=(300.0, 200.0), rotary=(1e-3, 2e-3), modes=(2, 4, 4, 2))
    beam = Beam(1.0, 1e4, (1.0, 2.0), 1.0, elements=60, GJ=0.5, GA=(300.0, 200.0), rotary=(1e-3, 2e-3))
    assert np.sort(np.sqrt(book.stiffness))[:8] == pytest.approx(component_modes(beam, "root", 8).frequencies, rel=1e-3)


@pytest.mark.parametrize(
    ("GJ", "modes", "acceleration", "omega", "e"),
    [
        (1e4, (4, 6, 6, 0), (-3.0, 0.5, 1.0), (0.6, -0.8, 1.5), (0, 0)),
        (0.5, (4, 6, 6, 4), (-3.0, 0.0, 0.0), (0.0, 0.0, 1.8), (0, 0)),
        (0.5, (4, 6, 6, 4), (-3.0, 0.0, 0.0), (1.5, 0.0, 0.0), (0, 0)),
        (0.5, (4, 8, 8, 8), (-3.0, 0.0, 0.0), (0.0, 0.0, 1.8), (0.03, -0.02)),
    ],
    ids=["skew", "across", "along", "off the shear centre"],
)
def test_beam_and_general_method_agree_in_any_steady_motion(GJ, modes, acceleration, omega, e):
    """Stretch, shear, twist, rotary inertia, a shear centre off the centroid, skew spin, acceleration of the root.

    The book's beam that is soft in twist does not know what transverse loads do to it, so those are left to the stiff one.
    """
    d = {"EA": 5e4, "EI": (1.0, 2.0), "GJ": GJ, "GA": (3e4, 2e4), "rotary": (1e-3, 2e-3), "shear_centre": e}
    book = BookBeam(1.0, mass_per_length=1.0, modes=modes, **d)
    beam = Beam(1.0, mass_per_length=1.0, elements=60, **d)
    body = modal_body(beam, component_modes(beam, "root", 20), "root", damping=0.0)
    K, G = body.stiffness_in_motion(acceleration, omega), body.gyroscopic(omega)
    values = np.linalg.eigvals(np.block([[0 * K, np.eye(20)], [-K, -G]])).imag
    found = book.frequencies(omega, acceleration)[:6]
    assert np.sort(values[values > 0])[:6] == pytest.approx(found, rel=3e-4)
    at_rest = np.sort(np.sqrt(book.stiffness))[:6]
    assert np.abs(found / at_rest - 1).max() > 0.05  # the motion matters


# ---- plates


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("ratio", "radius", "gamma", "flap", "edge"),
    [
        (1, 0, 0, (3.4715, 8.5086, 21.2885, 27.1993), (3.4715, 8.5086, 21.2885, 27.1993)),
        (1, 0, 5, (6.4309, 11.1217, 24.6019, 29.1700), (4.0441, 8.5961, 23.8260, 27.6198)),
        (1, 1, 10, (16.6011, 20.5858, 35.2728, 44.4793), (13.2510, 14.9869, 29.1377, 43.2465)),
        (2, 0, 10, (11.1891, 20.6332, 33.2303, 55.7348), (5.0196, 15.0393, 31.6857, 53.9455)),
        (0.5, 0, 10, (11.1948, 15.1681, 22.1213, 32.1194), (5.0411, 6.1275, 10.3234, 19.1199)),
    ],
)
def test_frequencies_of_the_books_rotating_plate(ratio, radius, gamma, flap, edge):
    h = 1e-3
    plate = BookPlate(1.0, 1.0 / ratio, h, 12 * (1 - 0.3**2) / h**3, 0.3, 1 / h, modes=81, trials=9)
    pull = (-(gamma**2) * radius, 0, 0)
    assert plate.frequencies((0, 0, gamma), pull)[:4] == pytest.approx(flap, rel=1e-3)
    assert plate.frequencies((0, gamma, 0), pull)[:4] == pytest.approx(edge, rel=1e-3)


SHEET = {"length": 1.8288, "width": 1.2192, "thickness": 2.54e-3, "E": 6.8952e10, "nu": 0.3, "density": 2768.0}
CORNER = (-0.02196, -0.06279, -0.06737, -0.03862, -0.01121, -0.00006)  # at 5, 10, ... 30 s


def test_spin_up_of_the_books_plate():
    plate = BookPlate(**SHEET)
    assert np.sqrt(plate.stiffness[:6]) == pytest.approx((3.9625, 13.3746, 24.6301, 45.123, 61.42, 70.70), rel=1e-4)
    times = np.arange(0, 32.01, 0.1)
    q = plate.respond(spin_up(-10.0, 30.0, axis=1), times)
    corner = plate.deflection(q, 1.8288, 0.6096)
    assert corner[50:301:50] == pytest.approx(CORNER, abs=2e-5)
    assert corner.min() == pytest.approx(-0.0719, rel=1e-3)
    assert times[corner.argmin()] == pytest.approx(12.7, abs=0.15)
    assert plate.deflection(q, 1.8288, 0.0).min() == pytest.approx(-0.0723, rel=1e-3)
    assert np.abs(corner[times > 30]).max() < 1e-4


def test_plate_linearised_too_early_diverges():
    plate = BookPlate(**SHEET, stiffening=False)
    q = plate.respond(spin_up(-10.0, 30.0, axis=1), np.array([10.0, 12.5, 15.0]))
    assert plate.deflection(q, 1.8288, 0.6096) == pytest.approx((-0.0863, -0.248, -13.7), rel=5e-3)


@pytest.mark.thorough  # the gallery has this plate by the same modes
def test_spin_up_of_a_plate_by_the_general_method():
    sheet = Plate(**SHEET, elements=(12, 8))
    body = modal_body(sheet, component_modes(sheet, "root", 8), "root", ("corner-left",), damping=0.0)
    times = np.arange(0, 31, 0.5)
    eta, _ = base_driven(body, spin_up(-10.0, 30.0, axis=1), times, rtol=1e-6, atol=1e-8)
    corner = node_position(body, body.nodes["corner-left"], eta)[:, 2]
    assert corner[10:61:10] == pytest.approx(CORNER, abs=0.01 * 0.0719)
    assert corner.min() == pytest.approx(-0.0719, rel=0.01)


# ---- wrong input


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BookBeam(0.0, 1.0, 1.0, 1.0), "length is 0"),
        (lambda: BookBeam(1.0, 1.0, (1.0, -1.0), 1.0), "EI is -1"),
        (lambda: BookBeam(1.0, 1.0, 1.0, 1.0, modes=(1, 1, 1)), "give four numbers"),
        (lambda: BookBeam(1.0, 1.0, 1.0, 1.0, modes=(1, 1, 1, 1)), "twist modes need GJ"),
        (lambda: BookBeam(1.0, 1.0, 1.0, 1.0, modes=(1, 50, 1, 0)).stiffness, "50 modes are asked for"),
        (lambda: BookBeam(1.0, 1.0, 1.0, 1.0, GA=1.0).stiffness, "needs the rotary inertia"),
        (lambda: BookBeam(1.0, 1.0, 1.0, 1.0).respond(spin_up(1, 1), [1.0, 0.5]), "times must rise"),
        (lambda: BookBeam(1.0, 1.0, 1.0, 1.0).respond(lambda t: (0, 0, 0), [1.0]), "the base's motion"),
        (lambda: BookPlate(1.0, 1.0, 1.0, 1.0, 0.7, 1.0), "nu is 0.7"),
        (lambda: BookPlate(1.0, 1.0, 1.0, 1.0, 0.3, 1.0, modes=100), "modes is 100"),
    ],
)
def test_wrong_input_is_named(make, words):
    with pytest.raises(ModelError, match=words):
        make()
