"""One meaning per name: what a channel is called by names nothing else, and every state has a channel's name."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model import joints
from kaneflex.model import quantities as Q

BOX = {"inertia": (0.1, 0.2, 0.25)}


def slide(q):
    return np.eye(3), (q[0], 0, 0)


def everything() -> kf.System:
    """A body on many kinds of joint, a wheel, a flexible arm, loads of all kinds, a constraint and an input."""
    s = kf.System("everything")
    for kind in (kf.Revolute, kf.Cylindrical, kf.Planar, kf.Universal, kf.Spherical, kf.Translational, kf.Free):
        s.add(kind.__name__.lower(), kf.Rigid(1.0, frames={"tip": (0.2, 0, 0)}, **BOX), kind())
    s.add("driven", kf.Rigid(1.0, **BOX), kf.Prismatic("x", motion=kf.profiles.constant_rate(1.0)))
    beam = kf.structures.Beam(length=1.0, EA=1e4, EI=10.0, mass_per_length=1.0, elements=4)
    s.add("arm", kf.Flexible(beam, modes=2), kf.Revolute("z"))
    s.add_rotor("wheel", "free", kf.Rotor("z", 0.01))
    s.apply("spring", kf.JointSpring("revolute", stiffness=1.0, damping=0.1))
    s.add_input("motor", kf.JointForce("wheel"))
    s.constrain("rod", kf.Distance("free.tip", (0, 0, 0), 0.2))
    return s


@pytest.fixture(scope="module")
def run() -> kf.Run:
    return everything().simulate(0.02, output=0.01)


def test_every_channel_of_a_body_is_a_reserved_word_or_of_its_joint(run):
    """So that the reserved words are all words: a new channel that is not among them fails here."""
    for name in run.channels:
        head, _, tail = name.partition(".")
        if head not in run.plan.index.joints:
            continue
        frame, _, last = tail.rpartition(".")
        own = {n.partition(".")[2] for n in (*run.plan.index.coordinates, *run.plan.index.rates) if n.startswith(f"{head}.")}
        own |= {f"{word}_dot" for word in own}  # of rates
        assert tail in own or last in Q.OF_A_BODY, name
        assert frame == "" or frame in run.plan.index.frames[head] or tail in own, name


def test_channels_of_loads_constraints_and_the_system_are_words(run):
    assert {n.partition(".")[2] for n in run.channels if n.startswith("spring.")} == set(Q.suffixes(Q.LOAD))
    assert {n.partition(".")[2] for n in run.channels if n.startswith("rod.")} == set(Q.suffixes(Q.CONSTRAINT))
    assert len(set(run.channels)) == len(run.channels)
    for name in run.channels:
        assert len(run[name]) == len(run.t), name


@pytest.mark.parametrize("word", [*sorted(Q.OF_A_BODY), "mode1", "mode12", "q[0]"])
def test_a_channels_word_names_no_coordinate_and_no_frame(word):
    with pytest.raises(kf.ModelError, match=rf'coordinate of a CustomJoint is "{word}"'.replace("[", r"\[")):
        kf.CustomJoint(slide, (word,))
    with pytest.raises(kf.ModelError, match=r"frame.*names a channel"):
        kf.System("s").add("body", kf.Rigid(1.0, frames={word: (1, 0, 0)}), kf.Free())
    s = kf.System("s")
    body = s.add("body", kf.Rigid(1.0), kf.Prismatic("x"))
    with pytest.raises(kf.ModelError, match=r'frame on "body".*names a channel'):
        body.frame(word)
    assert not s.frames["body"]


@pytest.mark.parametrize("kind", [kf.Revolute, kf.Planar, kf.Universal, kf.Free, kf.Spherical, kf.Translational])
def test_a_coordinate_or_rate_names_no_frame_of_its_body(kind):
    joint = kind()
    for word in joints.joint_channels(joint):
        with pytest.raises(kf.ModelError, match=f'"{word}".*coordinate or rate'):
            kf.System("s").add("body", kf.Rigid(1.0, frames={word: (1, 0, 0)}), joint)
        with pytest.raises(kf.ModelError, match=f'"{word}".*coordinate or rate'):
            kf.System("s").add("body", kf.Rigid(1.0), joint).frame(word)


@pytest.mark.parametrize("word", Q.OF_THE_SYSTEM)
def test_words_of_the_system_name_nothing_in_it(word):
    s = kf.System("s")
    s.add("body", kf.Rigid(1.0), kf.Prismatic("x"))
    for act in (
        lambda: s.add(word, kf.Rigid(1.0)),
        lambda: s.add_rotor(word, "body", kf.Rotor("z", 1.0)),
        lambda: s.apply(word, kf.JointSpring("body")),
        lambda: s.add_input(word, kf.JointForce("body")),
        lambda: s.constrain(word, kf.PointOnPlane("body")),
        lambda: s.contact(word, kf.Contact("body")),
    ):
        with pytest.raises(kf.ModelError, match=f'"{word}" names channels'):
            act()


def test_all_names_of_states_are_channels_with_their_values(run):
    """Of q and of the rates, in runs, in states and in linear models: three ways to the same number."""
    index, k = run.plan.index, -1
    assert len({*index.coordinates, *index.rates}) == run.plan.nq + run.plan.nu
    state = run.state(k)
    for names, values in ((index.coordinates, state.q), (index.rates, state.rates)):
        for name, value in zip(names, values, strict=True):
            assert run[name][k] == state[name] == value, name
            state[name] = 7.0
            assert state[name] == 7.0
    assert np.all(state.q == 7.0) and np.all(state.rates == 7.0)


def turning(rates) -> kf.Run:
    s = kf.System("turning")
    s.add("bus", kf.Rigid(2.0, **BOX), kf.Free(), q=(1, 2, 3, 0.5, 0.5, 0.5, 0.5), rates=rates)
    return s.simulate(0.5)


def test_rates_of_a_free_joint_have_names_of_their_own():
    """vx.. are the velocity and wx.. the angular velocity in the body's axes; there is no rate of the coordinate x."""
    run = turning((1, 2, 3, 0.4, 0.5, 0.6))
    R = run["bus.rotation"]
    velocity = np.einsum("nji,nj->ni", R, run["bus.velocity"])
    for k, axis in enumerate("xyz"):
        assert run[f"bus.v{axis}"] == pytest.approx(velocity[:, k], abs=1e-12)
        assert np.array_equal(run[f"bus.w{axis}"], run["bus.omega"][:, k])
        assert run[f"bus.{axis}"] == pytest.approx(run["bus.position"][:, k], abs=1e-12)
        for wrong in (f"bus.{axis}.rate", f"bus.{axis}_rate", "bus.e0.rate", "bus.e3_rate"):
            with pytest.raises(kf.ModelError, match="vx, vy, vz, wx, wy, wz"):
                run[wrong]
            with pytest.raises(kf.ModelError, match="vx, vy, vz, wx, wy, wz"):
                run.final[wrong]
    assert np.array_equal(run["bus.rate"][-1], [run[f"bus.{n}"][-1] for n in ("vx", "vy", "vz", "wx", "wy", "wz")])


def test_the_rate_of_a_coordinate_is_its_derivative():
    s = kf.System("swing", gravity=(0, 0, -9.81))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -1)), kf.Universal(), q=(0.3, -0.4))
    run = s.simulate(0.2, output=1e-3)
    for name in ("rod.angle1", "rod.angle2"):
        slope = (run[name][2:] - run[name][:-2]) / 2e-3
        assert run[f"{name}.rate"][1:-1] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("coordinate, k, turns", [("wx", 0, True), ("wz", 2, True), ("vx", 0, False), ("vy", 1, False)])
def test_a_joint_force_on_a_free_joint_acts_where_its_name_says(coordinate, k, turns):
    s = kf.System("pushed")
    s.add("bus", kf.Rigid(2.0, **BOX), kf.Free())
    s.apply("push", kf.JointForce("bus", 3.0, coordinate=coordinate))
    run = s.simulate(0.1)
    change = np.zeros(3)
    change[k] = 3.0 / (BOX["inertia"][k] if turns else 2.0)
    assert run["bus.alpha" if turns else "bus.acceleration"][0] == pytest.approx(change)
    with pytest.raises(kf.ModelError, match='"vx", "vy", "vz", "wx", "wy", "wz"'):
        s.apply("other", kf.JointForce("bus", 3.0, coordinate=coordinate[1]))


def test_names_of_linear_models_are_those_of_channels():
    s = kf.System("flying", gravity=(0, 0, -9.81))
    s.add("bus", kf.Rigid(2.0, **BOX), kf.Free())
    s.add("arm", kf.Rigid(1.0, com=(0.1, 0, 0), **BOX), kf.Revolute("y"), parent="bus")
    s.add_rotor("wheel", "bus", kf.Rotor("z", 0.01))
    linear, run = s.linearize(), s.simulate(0.1)
    assert linear.states[-8:] == ("bus.vx", "bus.vy", "bus.vz", "bus.wx", "bus.wy", "bus.wz", "wheel.rate", "arm.angle.rate")
    for k, name in enumerate(linear.states):
        assert run[name][0] == linear.x0[k]
    again = s.linearize(outputs=linear.states)
    assert np.allclose(again.C, np.eye(len(linear.states))) and again.outputs == linear.states
    assert s.linearize(speeds="efficient").states[-8:-1:3] == ("bus.vx.u", "bus.wx.u", "wheel.u")


def test_initial_values_by_the_names_of_rates():
    s = kf.System("s")
    s.add("bus", kf.Rigid(2.0, **BOX), kf.Free())
    s.add("arm", kf.Rigid(1.0, **BOX), kf.Planar("z"), parent="bus")
    state = s.state({"bus.wy": 2.0, "bus.vz": -1.0, "arm.angle.rate": 0.5})
    assert np.array_equal(state["bus.rate"], [0, 0, -1, 0, 2, 0]) and np.array_equal(state["arm.rate"], [0, 0, 0.5])
