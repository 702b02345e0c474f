"""Bodies of inertia alone, wheels that follow a motion, planes with a normal, and what a description tells."""

import numpy as np
import pytest

import kaneflex as kf

J, STIFF = 0.02, 3.0


def spun(**joint):
    s = kf.System("wheel")
    s.add("wheel", kf.Rigid(0.0, inertia=(J, J, J)), kf.Revolute("z"), q=0.5, **joint)
    s.apply("spring", kf.JointSpring("wheel", stiffness=STIFF))
    return s


@pytest.mark.parametrize("formulation", ["recursive", "dense"])
def test_a_body_of_inertia_alone_turns(formulation):
    run = spun().simulate(1.0, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert abs(run["wheel.q"] - 0.5 * np.cos(np.sqrt(STIFF / J) * run.t)).max() < 1e-7
    assert run.audit.ok


def test_inertia_alone_must_suit_the_joint():
    s = kf.System("x")
    s.add("slide", kf.Rigid(0.0, inertia=(J, J, J)), kf.Prismatic("x"))
    with pytest.raises(kf.ModelError, match=r'"slide" has no mass .* inertia about all axes of a joint'):
        s.simulate(0.1)
    s = kf.System("x")
    s.add("pin", kf.Rigid(0.0, inertia=(J, J, 0.0)), kf.Revolute("z"))
    with pytest.raises(kf.ModelError, match='"pin" has no mass'):
        s.simulate(0.1)
    s = kf.System("x")
    s.add("ball", kf.Rigid(0.0, inertia=(J, J, 0.0)), kf.Spherical())
    with pytest.raises(kf.ModelError, match='"ball" has no mass'):
        s.simulate(0.1)


def bus(rotor=None, body=None):
    s = kf.System("bus")
    given = kf.Rigid(10.0, com=(0.1, 0.0, 0.2), inertia=(3.0, 4.0, 5.0), points=[(0.5, (0.3, 0, 0))])
    s.add("bus", given if body is None else body, kf.Free(), rates=(0, 0, 0, 0.1, 0.2, 0.3))
    if rotor is not None:
        s.add_rotor("wheel", "bus", rotor)
    return s


@pytest.mark.parametrize("formulation", ["recursive", "dense"])
def test_a_driven_wheel_moves_its_body_as_a_free_one_with_that_torque_does(formulation):
    """The torque that the motion takes, given to a free rotor, makes the same motion of the wheel and of the body."""
    axis = (0.0, 0.6, 0.8)
    driven = bus(kf.Rotor(axis, 0.2, motion=kf.profiles.spin_up(40.0, 2.0)))
    tight = {"rtol": 1e-11, "atol": 1e-13, "formulation": formulation}
    run = driven.simulate(3.0, **tight)
    free = bus(kf.Rotor(axis, 0.2))
    free.add_input("motor", kf.JointForce("wheel"))
    wheel = kf.profiles.spin_up(40.0, 2.0).functions[2]
    other = free.simulate(3.0, inputs={"motor": (run.t, run["wheel.drive"])}, **tight)
    assert abs(run["wheel.rate"][-1] - 40.0) < 1e-9
    torque = 0.2 * (run["bus.alpha"] @ axis + [wheel(t) for t in run.t])
    assert abs(run["wheel.drive"] - torque).max() < 1e-8
    assert abs(other["wheel.rate"] - run["wheel.rate"]).max() < 2e-4      # the torque is sampled
    assert abs(other["bus.omega"] - run["bus.omega"]).max() < 1e-5
    assert abs(run["momentum.central"] - run["momentum.central"][0]).max() < 1e-9 and run.audit.ok


def test_a_driven_wheel_that_cannot_be():
    motion = kf.profiles.constant_rate(3.0)
    with pytest.raises(kf.ModelError, match="a rotor with a motion has a rate too"):
        kf.Rotor("z", 0.1, rate=3.0, motion=motion)
    with pytest.raises(kf.ModelError, match='rotor "wheel" has more inertia about its axis than body "bus"'):
        bus(kf.Rotor("z", 50.0, motion=motion))
    beam = kf.structures.Beam(length=2.0, EA=1e6, EI=100.0, mass_per_length=1.0, elements=2)
    with pytest.raises(kf.ModelError, match='body "bus" is not Rigid'):
        bus(kf.Rotor("z", 0.1, motion=motion), kf.Flexible(beam, modes=2))
    with pytest.raises(kf.ModelError, match=r"motion of a rotor is 3\.0"):
        kf.Rotor("z", 0.1, motion=3.0)


def test_a_driven_wheel_in_files(tmp_path):
    s = bus(kf.Rotor("z", 0.2, motion=kf.profiles.constant_rate(5.0)))
    run = s.simulate(0.1)
    run.save(tmp_path / "x.h5")
    again = kf.Run.load(tmp_path / "x.h5").extend(0.1)
    assert again["wheel.rate"][-1] == pytest.approx(5.0, abs=1e-12)


@pytest.mark.parametrize("plane", ["N", "slope.face", kf.Frame((0, 0, 0.1), (("y", 0.4),))])
def test_a_plane_by_its_normal_is_that_of_a_turned_frame(plane):
    normal = np.array([1.0, -2.0, 3.0])
    runs = []
    for said in (True, False):
        s = kf.System("plane", gravity=(0, 0, -9.81))
        face = kf.Frame((0, 0, 0.1), (("x", 0.2),))
        s.add("slope", kf.Rigid(2.0, inertia=(1, 1, 1), frames={"face": face}), kf.Revolute("y"))
        s.add("bead", kf.PointMass(1.0), kf.Translational())
        tie = kf.PointOnPlane("bead", plane, normal=normal)
        if not said:
            turn = kf.PointOnPlane("bead", normal=normal).alignment
            assert np.allclose(turn[:, 2], normal / np.linalg.norm(normal)) and np.linalg.det(turn) == pytest.approx(1)
            frame = s.frames["slope"]["face"] if plane == "slope.face" else kf.Frame() if plane == "N" else plane
            other = kf.Frame(frame.position, frame.R @ turn)
            if plane == "slope.face":
                s.add_frame("slope", "turned", other)
            tie = kf.PointOnPlane("bead", "slope.turned" if plane == "slope.face" else other)
        s.constrain("tie", tie)
        runs.append(s.simulate(0.3, initial={"slope.q": 0.0, "bead.q": (0, 0, 0.1 if plane != "N" else 0.0)}))
    one, other = runs
    assert abs(one["bead.position"] - other["bead.position"]).max() < 1e-10 and one["bead.velocity"].any()
    assert abs(one["tie.multipliers"] - other["tie.multipliers"]).max() < 1e-8
    if plane == "N":
        assert abs(one["bead.position"] @ normal).max() < 1e-12


def test_a_plane_needs_a_direction():
    with pytest.raises(kf.ModelError, match="normal of a PointOnPlane is zero"):
        kf.PointOnPlane("bead", normal=(0, 0, 0))


def test_a_description_tells_freedoms_frames_rotors_and_loads():
    s = bus(kf.Rotor("y", 0.2, rate=30.0))
    joint = kf.Universal(("x", "y"), motion={"angle2": kf.profiles.hold(0.1)})
    s.add("mast", kf.Rigid(1.0, frames={"top": (0, 0, 1)}), joint, "bus")
    s.apply("push", kf.Force("mast.top", (1.0, 0, 0)))
    s.add_input("motor", kf.JointForce("wheel"))
    s.close("tie", "mast.top", "N", kf.Spherical())
    text = s.describe()
    assert text.splitlines()[0] == "bus: 2 bodies, 1 rotors, 8 speeds, 1 constraints, gravity (0.0, 0.0, 0.0) m/s^2"
    assert "bus: Free on N, 10.5 kg, free: vx, vy, vz, wx, wy, wz\n" in text
    assert "wheel: rotor about (0, 1, 0), 0.2 kg m^2, 30 rad/s" in text
    assert "mast: Universal on bus, 1 kg, free: angle1, driven: angle2\n" in text and "frames top\n" in text
    assert "push: load, Force on mast.top" in text and "motor: input, JointForce on wheel" in text
    assert "tie: constraint, Closure on mast.top and N" in text
