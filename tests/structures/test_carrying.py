"""Bodies that carry others: static shapes of loads at their nodes among their modes; modes by kind; pinned modes."""

import numpy as np
import pytest
from scipy.linalg import eigh

import kaneflex as kf
from kaneflex.model.checks import ModelError
from kaneflex.simulate.changes import editable_copy
from kaneflex.structures import Beam, Framework, ModeChoice, Section, Structure, component_modes
from kaneflex.structures.flexible import PlainModesWarning

LENGTH, EA, EI, LINE = 2.0, 1e6, (150.0, 200.0), 1.5
BEAM = Beam(LENGTH, EA, EI, LINE, elements=12, GJ=90.0, rotary=0.0, polar=1e-3)
BLOCK = kf.Rigid(4.0, com=(0.2, 0, 0), inertia=(0.3, 0.4, 0.5))


def carrying(body, joint=None) -> kf.System:
    s = kf.System("arm")
    s.add("arm", body)
    s.add("block", BLOCK, joint, "arm", "tip")
    return s


def frequencies(system, count) -> np.ndarray:
    return np.array([mode.frequency for mode in system.modes()])[:count]


def whole(count) -> np.ndarray:
    """Beam and block as one structure: all its modes are those of the finite elements."""
    frame = Framework()
    for k in range(13):
        frame.node({0: "root", 12: "tip"}.get(k), (LENGTH * k / 12, 0, 0))
    section = Section(EA, EI, LINE, GJ=90.0, rotary=0.0, polar=1e-3)
    for k in range(12):
        frame.beam(k, k + 1, section)
    frame.mass("tip", 4.0, inertia=(0.3, 0.4, 0.5), offset=(0.2, 0, 0))
    return component_modes(frame.build(), "root", count).frequencies


def test_a_heavy_block_on_a_beam():
    """Ten modes by default within 5e-4 of the whole; by ten vibration modes the third frequency is over 5 % too high."""
    exact = whole(6)
    good = frequencies(carrying(kf.Flexible(BEAM, modes=10)), 6)
    np.testing.assert_allclose(good, exact, rtol=5e-4)
    with pytest.warns(PlainModesWarning, match=r'"arm" carries.*they lack 100 % under tip\.ux.* % under tip\.theta_z'):
        plain = carrying(kf.Flexible(BEAM, modes=10, static_shapes=False))
    assert frequencies(plain, 4)[2] > 1.05 * exact[2]


def with_block(modes) -> np.ndarray:
    """Frequencies of modes with the block at the tip, by its mass matrix there."""
    c = np.array([[0, 0, 0], [0, 0, -0.2], [0, 0.2, 0]])  # cross product with its mass centre
    at_tip = np.block([[4.0 * np.eye(3), -4.0 * c], [4.0 * c, np.diag([0.3, 0.4, 0.5]) - 4.0 * c @ c]])
    tip = modes.shapes[-6:]
    return np.sqrt(eigh(np.diag(modes.stiffness), np.eye(len(modes)) + tip.T @ at_tip @ tip, eigvals_only=True))


@pytest.mark.parametrize("count", range(1, 14))
def test_as_many_modes_as_asked_for(count):
    """Two thirds of them static shapes at most; the block vibrates as well as with vibration modes alone."""
    body = carrying(kf.Flexible(BEAM, modes=count)).parts["arm"].body
    modes = body.component_modes
    assert len(modes) == len(body.modal) == count
    assert sum(r.kept and r.why == "static shape of a load" for r in modes.records) == min(6, 2 * count // 3)
    lowest = min(count, 2)
    errors = [with_block(m)[:lowest] / whole(lowest) - 1 for m in (modes, component_modes(BEAM, "root", count))]
    assert (errors[0] < (1e-6 if count >= 9 else errors[1] + 0.002)).all()


def test_a_coarse_mesh_gives_all_its_modes():
    """Where static shapes depend on the vibration modes, more of these make up the number."""
    body = kf.Flexible(Beam(LENGTH, EA, EI, LINE, elements=2, GJ=90.0), modes=12)
    assert len(carrying(body).parts["arm"].body.modal) == 12


def test_what_carries_and_what_does_not():
    body = kf.Flexible(BEAM, modes=8)
    s = kf.System("several")
    s.add("arm", body)
    s.add("other", body, at=(0, 0, 1))
    assert s.parts["arm"].body is s.parts["other"].body is body
    s.add("block", BLOCK, parent="arm", at="tip")
    assert s.parts["other"].body is body and body.carries == ()
    assert s.parts["arm"].body.carries == ("tip",)
    s.constrain("rope", kf.Distance("other.tip", "block", 1.0))
    assert s.parts["other"].body is s.parts["arm"].body, "one analysis for both"
    for chosen in (ModeChoice(count=4), component_modes(BEAM, "root", 4), component_modes(BEAM, "root", 4).shapes):
        own = kf.Flexible(BEAM, modes=chosen)
        assert carrying(own).parts["arm"].body is own


def test_bodies_of_a_run_keep_their_modes():
    s = kf.System("late")
    s.add("arm", kf.Flexible(BEAM, modes=4))
    running = editable_copy(s)
    running.add("block", BLOCK, parent="arm", at="tip")
    running.constrain("rope", kf.Distance("arm.tip", "N", 1.0))
    assert running.parts["arm"].body is s.parts["arm"].body


def test_the_description_tells_the_modes_and_their_order():
    s = carrying(kf.Flexible(BEAM, modes=6))
    text = s.describe()
    assert "6 modes, 4 of them static shapes of loads at tip; Hz: " in text
    assert "fixed 1; " in text and "residual tip, " in text
    assert "carries" not in kf.System("x").describe()


def test_modes_by_kind():
    """Closed forms: cantilever in bending and in stretch, torsion of a bar."""
    choice = {"bending y": 2, "bending z": 1, "axial": 1, "torsion": 1}
    modes = component_modes(BEAM, "root", choice)
    bending = np.array([1.8751041, 4.6940911]) ** 2 / LENGTH**2
    exact = [
        *bending * np.sqrt(EI[1] / LINE),
        bending[0] * np.sqrt(EI[0] / LINE),
        np.pi / 2 / LENGTH * np.sqrt(EA / LINE),
        np.pi / 2 / LENGTH * np.sqrt(90.0 / 1e-3),
    ]
    np.testing.assert_allclose(modes.frequencies, np.sort(exact), rtol=1e-3)
    assert sorted(kind for kind in modes.kind) == ["axial 1", "bending y 1", "bending y 2", "bending z 1", "torsion 1"]
    by_plane = component_modes(BEAM, "root", {"plane xz": 3})
    assert not np.any(by_plane.shapes.reshape(-1, 6, 3)[:, [1, 3, 5]])
    carried = carrying(kf.Flexible(BEAM, modes={"bending y": 3})).parts["arm"].body.component_modes
    assert carried.kind == ("bending y 1", "residual tip.uy", "residual tip.theta_z")


def test_highest_keeps_static_shapes():
    choice = ModeChoice(count=6, residual=("tip",), highest=8.0)
    modes = component_modes(BEAM, "root", choice)
    assert len(modes) == 2 + 6
    assert sum(r.why == "above the highest of 8 Hz" for r in modes.records) == 4


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_body_between_two_pins(count):
    """Pinned modes on a pin at the root, the tip on a pin that slides: n^2 pi^2 sqrt(EI/m)/L^2, with any number of modes."""
    body = kf.Flexible(BEAM, modes={"bending y": ModeChoice("pinned", count=count)}, interfaces=("tip",))
    s = kf.System("pinned")
    s.add("beam", body, kf.Revolute("z"))
    s.add("slider", kf.Rigid(1e-9), kf.Prismatic("x"), q=LENGTH)
    s.close("pin", "beam.tip", "slider", kf.Revolute("z"))
    exact = (np.arange(1, count + 1) * np.pi / LENGTH) ** 2 * np.sqrt(EI[1] / LINE)
    np.testing.assert_allclose(frequencies(s, count), exact, rtol=1e-3)


def test_a_structure_on_the_ground():
    """Both ends clamped, the second by a closing joint: 22.3733 and 61.6728 sqrt(EI/m)/L^2."""
    s = kf.System("bridge")
    s.add("bridge", kf.Flexible(BEAM, modes=12))
    s.close("right", "bridge.tip", kf.Frame((LENGTH, 0, 0)), kf.Fixed())
    exact = np.outer([22.3733, 61.6728], np.sqrt(np.array(EI) / LINE)).ravel() / LENGTH**2
    np.testing.assert_allclose(frequencies(s, 4), exact, rtol=5e-4)


BENT = Structure.from_matrices(BEAM.M, BEAM.K, BEAM.points + np.outer(BEAM.points[:, 0] ** 2, (0, 0.1, 0)))
WRONG = {
    "along": (lambda: component_modes(BEAM, "root", {"bending x": 1}), "the member lies along x: name another direction"),
    "no kind": (lambda: component_modes(BEAM, "root", {"wobble": 1}), 'kind of modes "wobble" is not known'),
    "bent": (lambda: component_modes(BENT, 0, {"torsion": 1}), "do not lie on one line along x, y or z: choose a plane"),
    "none": (lambda: component_modes(BEAM, "root", {}), "modes by kind are none"),
    "vectors": (lambda: component_modes(BEAM, "root", {"axial": "two"}), "give a number or a ModeChoice"),
    "no root": (lambda: component_modes(BEAM, None, {"axial": 1}), 'the kind "axial" holds a root and none is given'),
    "free": (lambda: component_modes(BEAM, "root", {"axial": ModeChoice("free")}), "free modes are not chosen by kind"),
    "one pin": (lambda: component_modes(BEAM, "root", ModeChoice("pinned")), 'method "pinned" needs interfaces'),
    "total": (lambda: ModeChoice(total=-1), "total of modes is -1: it must not be negative"),
    "static": (lambda: kf.Flexible(BEAM, static_shapes=2), "static_shapes of a Flexible is 2: give True or False"),
    "carries": (lambda: kf.Flexible(BEAM, carries="tip"), "carries of a Flexible is 'tip': give a sequence of nodes"),
    "unknown": (lambda: kf.Flexible(BEAM, carries=("hand",)), 'node "hand" is not known'),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_choices_are_named(name):
    call, message = WRONG[name]
    with pytest.raises(ModelError, match=message):
        call()


def test_a_turned_frame_moves_with_its_node():
    """A joint about z of a frame turned by 0.3 about y is one about that axis at the node itself."""
    runs = []
    for turned in (True, False):
        s = kf.System("askew", gravity=(0, 0, -9.81))
        arm = s.add("arm", kf.Flexible(BEAM, modes=4))
        box = kf.Rigid(1.0, com=(0.2, 0.1, 0), inertia=(0.1, 0.1, 0.1))
        if turned:
            assert arm.frame("wrist", "tip", rotation=(("y", 0.3),)) == "arm.wrist"
            s.add("box", box, kf.Revolute("z"), "arm", "wrist", rates=1.0)
        else:
            axis = (np.sin(0.3), 0.0, np.cos(0.3))
            back = kf.Frame((0, 0, 0), (("y", -0.3),))
            s.add("box", box, kf.Revolute(axis), "arm", "tip", hinge=back, rates=1.0)
        runs.append(s.simulate(0.3, rtol=1e-9))
    one, other = runs
    assert np.abs(one["box.position"] - other["box.position"]).max() < 1e-7
    assert np.abs(one["box.rotation"] - other["box.rotation"]).max() < 1e-7
    assert np.abs(one["arm.tip.deflection"]).max() > 1e-3
    with pytest.raises(kf.ModelError, match='frame on "arm" "end"'):
        kf.System("x").add("arm", kf.Flexible(BEAM, modes=4)).frame("wrist", "end")
