"""Beams whose shear centre is off the centroid: they twist as they bend."""

import numpy as np
import pytest
from held import Held, nodal

import kaneflex as kf
from kaneflex.model.checks import ModelError
from kaneflex.structures import Beam, Framework, Section
from kaneflex.structures.theories.book_beam import BookBeam
from tests.oracles import channel_beam

L = 2.0
CHANNEL = Section.channel(height=0.1, width=0.05, wall=0.002, E=7e10, nu=0.33, density=2700.0)
EA, _, _, GJ, EIY, EIZ, M, POLAR, ROTARY_Y, ROTARY_Z, E_Y, _ = CHANNEL.values()
DATA = {"length": L, "EA": EA, "EI": (EIY, EIZ), "mass_per_length": M, "GJ": GJ, "rotary": (ROTARY_Y, ROTARY_Z)}
OFFSET = {"shear_centre": (E_Y, 0.0)}


def test_the_shear_centre_of_a_channel():
    """3 b^2/(h + 6 b) behind the web (Timoshenko), the centroid b^2/(2 b + h) before it."""
    h, b = 0.1, 0.05
    assert pytest.approx(-3 * b**2 / (h + 6 * b) - b**2 / (2 * b + h), rel=1e-14) == E_Y
    # the same as moments of the walls, sampled
    y = np.concatenate([np.zeros(100_000), *[np.linspace(0, b, 50_000)] * 2])
    z = np.concatenate([np.linspace(-h / 2, h / 2, 100_000), *[np.full(50_000, side) for side in (-h / 2, h / 2)]])
    dA = (2 * b + h) * 0.002 / len(y)
    assert ((z**2).sum() * dA * 7e10, y.var() * len(y) * dA * 7e10) == pytest.approx((EIY, EIZ), rel=1e-4)


def test_a_load_through_the_centroid_twists():
    """-P e_y L/(GJ) about the axis, a deflection larger by P e^2 L/(GJ); through the shear centre nothing twists."""
    beam, P = Beam(**DATA, **OFFSET, elements=3), 7.0
    held = Held(beam)
    u = held.solve(nodal(beam, "tip", [0, 0, P, 0, 0, 0])).reshape(-1, 6)[beam.node("tip")]
    assert u[3] == pytest.approx(-P * E_Y * L / GJ, rel=1e-9)
    assert u[2] == pytest.approx(P * L**3 / (3 * EIY) + P * E_Y**2 * L / GJ, rel=1e-9)
    u = held.solve(nodal(beam, "tip", [0, 0, P, P * E_Y, 0, 0])).reshape(-1, 6)[beam.node("tip")]
    assert abs(u[3]) < 1e-12 and u[2] == pytest.approx(P * L**3 / (3 * EIY), rel=1e-9)
    u = held.solve(nodal(beam, "tip", [0, P, 0, 0, 0, 0])).reshape(-1, 6)[beam.node("tip")]
    assert abs(u[3]) < 1e-12 and u[1] == pytest.approx(P * L**3 / (3 * EIZ), rel=1e-9)
    beam = Beam(**DATA, shear_centre=(0.0, E_Y), elements=3)
    u = Held(beam).solve(nodal(beam, "tip", [0, P, 0, 0, 0, 0])).reshape(-1, 6)[beam.node("tip")]
    assert u[[1, 3]] == pytest.approx([P * L**3 / (3 * EIZ) + P * E_Y**2 * L / GJ, P * E_Y * L / GJ], rel=1e-9)


def test_section_axes_turn_with_the_beam():
    """A beam along z, whose local y is -x: the same twist about its axis under a load along its local z."""
    frame = Framework()
    frame.node("root", (0, 0, 0))
    frame.node("tip", (0, 0, L))
    frame.beam("root", "tip", CHANNEL, elements=4, orientation=(-1, 0, 0))
    beam = frame.build()
    u = Held(beam).solve(nodal(beam, "tip", [0, -7.0, 0, 0, 0, 0])).reshape(-1, 6)[beam.node("tip")]  # z of it is -y
    assert u[5] == pytest.approx(-7.0 * E_Y * L / GJ, rel=1e-9)
    labels, maps = beam.section_loads()
    loads = dict(zip(labels, maps @ Held(beam).solve(nodal(beam, "tip", [0, -7.0, 0, 0, 0, 0])), strict=True))
    assert loads["root-tip-0.start.T"] == pytest.approx(-7.0 * E_Y)  # about the shear centre


@pytest.mark.parametrize("field", [False, True], ids=["tip force", "acceleration"])
def test_loads_through_the_centroids_twist_no_bent_beam(field):
    """They have no torque about the centroids, so that bending in two planes without twist has them do no second-order work;
    with the torque about the shear centre it would be P e int (theta_y theta_z' - theta_z theta_y') dx / 2."""
    beam = Beam(**DATA, shear_centre=(E_Y, 0.02), elements=6)
    held, way = Held(beam), np.array([0.0, 0.3, 1.0])
    load = nodal(beam, "tip", [*way, 0, 0, 0])
    acceleration = np.column_stack([way, np.zeros((3, 3))])
    if field:
        load = beam.M @ np.tile([*way, 0, 0, 0], len(beam))
    KG = beam.geometric_stiffness(held.solve(load), load, acceleration if field else None)
    x = np.linspace(0, L, len(beam))
    shape = np.zeros((len(beam), 6))
    shape[:, 1], shape[:, 5] = x**2, 2 * x
    shape[:, 2], shape[:, 4] = x**3, -3 * x**2
    torque = abs(E_Y) * (M * L / 2 if field else 1.0)
    assert abs(shape.ravel() @ KG @ shape.ravel()) < 1e-9 * torque * 2 * L**4


@pytest.fixture(scope="module")
def exact():
    return channel_beam.frequencies(L, EIY, GJ, M, ROTARY_Y, POLAR, E_Y, 5)


def test_frequencies_of_bending_and_twist_together(exact):
    """Finite elements and the book's beam against the closed form; without the offset they are far off."""
    along_y = {"modes": (0, 0, 8, 10)}
    found = np.sqrt(BookBeam(**DATA, **OFFSET, **along_y).stiffness[:5])
    assert found == pytest.approx(exact, rel=1e-5)
    w, shapes = Held(Beam(**DATA, **OFFSET, elements=60)).modes(12)
    sideways = np.abs(shapes.reshape(-1, 6, 12)[-1, 1]) > 1e-3  # bending along y goes on by itself
    assert w[~sideways][:5] == pytest.approx(exact, rel=2e-3)
    assert abs(Held(Beam(**DATA, elements=60)).modes(1)[0][0] / exact[0] - 1) > 0.01


def test_elements_converge_to_the_closed_form(exact):
    errors = [abs(Held(Beam(**DATA, **OFFSET, elements=n)).modes(1)[0][0] / exact[0] - 1) for n in (5, 10)]
    assert errors[1] == pytest.approx(errors[0] / 4, rel=0.05)  # twist is linear in an element


def test_buckling_by_bending_and_twist_together():
    """Under an axial load through the centroid, by the geometric stiffness; bending along y comes first and alone."""
    beam = Beam(**DATA, **OFFSET, elements=20)
    load = channel_beam.critical_load(L, EIY, GJ, (EIY + EIZ) / EA + E_Y**2, E_Y)
    expected = [EIZ * (np.pi / (2 * L)) ** 2, load]
    assert Held(beam).buckling(nodal(beam, "tip", [-1.0, 0, 0, 0, 0, 0]), 2) == pytest.approx(expected, rel=1e-3)
    assert load < 0.95 * GJ / ((EIY + EIZ) / EA + E_Y**2)  # of twist alone


def test_the_books_beam_and_the_general_method_turn_alike():
    """A base brought to speed about y drives bending along z, and with it twist; a hundredth of the stiffness would show."""
    ramp = kf.profiles.spin_up(rate=4.0, time=1.0)
    s = kf.System("turning")
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("y", motion=ramp))
    s.add("beam", kf.Flexible(Beam(**DATA, **OFFSET, elements=30), root="root", modes=5), parent="hub")
    run = s.simulate(1.2, output=0.02, method="radau5", rtol=1e-6)
    _, rate, change = ramp.functions
    motion = lambda t: (np.zeros(3), np.array([0, rate(t), 0]), np.array([0, change(t), 0]))
    book = BookBeam(**DATA, **OFFSET, modes=(1, 2, 6, 8))
    q = book.respond(motion, run.t)
    deflection, twist = run["beam.tip.deflection"][:, 2], run["beam.tip.slope"][:, 0]
    assert np.abs(twist).max() > 0.05 and np.abs(deflection).max() > 2e-3
    assert deflection == pytest.approx(book.tip(q)[:, 2], abs=3e-3 * np.abs(deflection).max())
    assert twist == pytest.approx(book.twist(q), abs=3e-3 * np.abs(twist).max())


def test_bad_shear_centres_are_named():
    with pytest.raises(ModelError, match="shear_centre"):
        Section(EA, EIY, M, shear_centre=0.1)
    with pytest.raises(ModelError, match="shear_centre"):
        BookBeam(**DATA, shear_centre=(0.1, 0.2, 0.3))
    with pytest.raises(ModelError, match=r"wall is 0\.03"):
        Section.channel(0.1, 0.05, 0.03, 7e10, 0.33, 2700.0)
