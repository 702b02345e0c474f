"""Rods that leave and enter a body during a run: closed forms, momentum and energy through releases and captures, faults."""

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.structures import Beam

PER_LENGTH = 0.2018806  # kg/m, of the 8 m beam


def extruded(n=8, EI=2e4, driven=False, **feed):
    """A boom in the plane out of a hub that turns about a fixed axis, freely or at a constant rate."""
    s = kf.System("extruded")
    spin = kf.profiles.constant_rate(0.3) if driven else None
    s.add("hub", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Revolute("z", motion=spin), rates=None if driven else 0.3)
    s.add_rod("boom", kf.Rod(8.0, PER_LENGTH, EI=EI, n=n, plane="xy", damping=1e-3), parent="hub")
    s.add_feed("reel", "boom", out_of="hub", **feed)
    return s


def in_space(**feed):
    s = kf.System("space")
    s.add("hub", kf.Rigid(20.0, inertia=(3, 4, 5)), kf.Free(), rates=(0.1, 0.2, 0.3, 0.02, 0, 0))
    rod = kf.Rod(4.0, 0.5, EI=(60.0, 50.0), GJ=40.0, n=8, damping=2e-3, radius=0.1)
    s.add_rod("boom", rod, parent="hub", at=kf.Frame((0.3, 0, 0.1)))
    s.add("tip", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1)), parent="boom", at="tip")
    s.add_feed("reel", "boom", **feed)
    return s


@pytest.fixture(scope="module")
def out_and_in():
    return in_space(length=kf.profiles.table((0, 5, 10, 12), (0.5, 3.7, 0.6, 0.6))).simulate(12.0, rtol=1e-7)


@pytest.mark.parametrize(("end", "ratio"), [(4.0, 2.369511), (8.0, 0.689877)])
def test_rigid_boom_on_a_hub_that_turns_freely(end, ratio):
    """Angular momentum: w = w0 I(l0)/I(l), I = I_hub + m' (l^3 + (L - l)^3)/3. The boom is stiff."""
    s = extruded(length=kf.profiles.smooth_step(end - 1.0, 20.0, initial=1.0))
    run = s.simulate(25.0, method="dopri5", rtol=1e-7)  # whose many steps keep it to rounding
    H = run["momentum.angular"][:, 2]
    assert np.ptp(H) < 1e-11 * H[0]
    last = run.t > 21.0
    assert run["hub.rate"][last].mean() / 0.3 == pytest.approx(ratio, rel=1e-6)
    assert run["reel.outside"][-1] == min(end, 7.0)


def test_force_that_feeds_a_straight_boom():
    """m' L (l'' - W^2 (l - L/2)), the whole rod sliding along its own axis."""
    profile = kf.profiles.smooth_step(6.0, 20.0, initial=1.5)
    run = extruded(driven=True, length=profile).simulate(20.0, rtol=1e-7)
    length, push = run["reel.length"], np.array([profile.functions[2](t) for t in run.t])
    closed = PER_LENGTH * 8.0 * (push - 0.3**2 * (length - 4.0))
    assert np.abs(run["boom_1.drive"] - closed).max() < 3e-4 * np.abs(closed).max()  # it bends a little


def test_momentum_and_energy_through_releases_and_captures(out_and_in):
    run = out_and_in
    P, H = run["momentum.linear"], run["momentum.angular"]
    assert run["reel.outside"].max() == 7
    assert run["reel.outside"][-1] == 2
    assert len(run.impacts) == 6
    assert np.ptp(P, axis=0).max() < 1e-9 * np.linalg.norm(P[0])
    assert np.ptp(H, axis=0).max() < 2e-9 * np.linalg.norm(H[0])
    assert run.audit.ok
    for jump in run.impacts:
        assert abs(jump.energy[1] - jump.energy[0]) < 1e-4 * jump.energy[0]  # the motor of a given length may do work
        assert np.allclose(*jump.angular_momentum, rtol=1e-12, atol=1e-12)


def test_power_of_the_feed_is_the_rate_of_energy(out_and_in):
    run = out_and_in
    power = run["boom_1.power"] + run["reel.power"] + run["boom.dissipation"]
    jumps = sum(jump.energy[1] - jump.energy[0] for jump in run.impacts)
    work = np.concatenate([[0.0], np.cumsum(np.diff(run.t) * (power[1:] + power[:-1]) / 2)])
    gained = run["energy.total"] - run["energy.total"][0]
    assert abs(jumps) < 1e-3
    assert np.abs(work - gained).max() < 3e-3 * np.abs(gained).max()  # of the rule of trapezoids


def test_formulations_agree(out_and_in):
    s = in_space(length=kf.profiles.table((0, 5, 10, 12), (0.5, 3.7, 0.6, 0.6)))
    other = s.simulate(12.0, rtol=1e-7, formulation="dense")
    assert np.abs(other["boom.shape"] - out_and_in["boom.shape"]).max() < 1e-9


def test_saved_in_the_middle_and_extended(out_and_in, tmp_path):
    s = in_space(length=kf.profiles.table((0, 5, 10, 12), (0.5, 3.7, 0.6, 0.6)))
    s.simulate(6.3, rtol=1e-7).save(tmp_path / "half.h5")
    rest = kf.Run.load(tmp_path / "half.h5").extend(5.7)
    assert np.abs(rest["boom.tip.position"][-1] - out_and_in["boom.tip.position"][-1]).max() < 1e-10
    assert rest["reel.outside"][-1] == 2


def test_tension_in_the_exit_does_not_jump_at_releases():
    """Of a boom that turns with W it is m' W^2 l^2/2; springs of one stiffness would set it ringing."""
    errors, jumps = [], []
    for n in (8, 16):
        s = extruded(n=n, EI=2e3, driven=True, rate=0.4, initial=1.1005)
        run = s.simulate(14.0, rtol=1e-7, output=0.002)
        tension, closed = run["reel.tension"], PER_LENGTH * 0.3**2 * run["reel.length"] ** 2 / 2
        k = np.flatnonzero(np.diff(run["reel.outside"]))
        grown = closed[k + 3] - closed[k]
        jumps.append(np.abs(tension[k + 3] - tension[k] - grown).max())  # what is left after 4 ms
        errors.append(np.median(np.abs(tension - closed)))
    assert max(jumps) < 5e-4 * closed.max()
    assert errors[1] < 0.35 * errors[0] < 0.002


def test_joints_near_the_exit_have_the_compliance_of_the_rod_outside():
    """Deflection of the tip by a force there: F l^3/(3 EI), whatever the length outside is, to order 2."""
    for length in (2.0, 2.1, 2.2, 2.3):
        s = kf.System("held")
        s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.hold(0.0)))
        s.add_rod("boom", kf.Rod(4.0, 0.2, EI=50.0, n=16, plane="xy"), parent="hub")
        s.add_feed("reel", "boom", length=kf.profiles.hold(length))
        s.apply("push", kf.Force("boom.tip", (0.0, 0.01, 0.0)))
        found = s.channels(s.equilibrium(), "boom.tip.position")["boom.tip.position"][1]
        assert found == pytest.approx(0.01 * length**3 / (3 * 50.0), rel=(0.25 / length) ** 2)


def test_driven_by_a_force():
    """A rod that slides freely out of a body at rest: the force moves it against the body, momentum stays zero."""
    s = kf.System("catapult")
    s.add("base", kf.Rigid(3.0, inertia=(1, 1, 1)), kf.Prismatic("x"))
    s.add_rod("rod", kf.Rod(2.0, 0.5, EI=10.0, n=4, plane="xy"), parent="base")
    s.add_feed("push", "rod", force=1.5, initial=0.1)
    run = s.simulate(1.0)
    assert run["push.length"][-1] == pytest.approx(0.1 + 1.5 / (3.0 * 1.0 / 4.0) / 2, rel=1e-9)
    assert np.abs(run["momentum.linear"]).max() < 1e-12


def test_rate_that_reverses_while_a_joint_is_in_the_exit():
    run = extruded(EI=2e3, length=kf.profiles.cosine(1.2, 2.0, offset=3.0)).simulate(9.0, rtol=1e-7)
    assert run.audit.ok
    assert run["reel.outside"].max() == 5
    assert run["reel.outside"].min() == 2
    H = run["momentum.angular"][:, 2]
    assert np.ptp(H) < 1e-10 * H[0]


def turned_back(place, out, beyond):
    """A boom whose rate reverses `beyond` a joint's release or capture, going out or in, and half a period later again."""
    s = extruded(EI=2e3, rate=0.1, initial=1.0)
    at = s.blocks["reel"].releases[place]
    middle = at + beyond - 0.7 if out else at - beyond + 0.7
    start = kf.profiles.cosine(0.7 * (-1 if out else 1), 1.5, offset=middle)
    run = extruded(EI=2e3, length=start).simulate(2 * np.pi / 1.5, rtol=1e-8, output=0.01)
    return run, start.functions[0](0.0)


@pytest.mark.parametrize("out", [True, False])
def test_rate_that_reverses_at_a_release_or_capture(out):
    """A little before it, at it and a little beyond: out of the exit and back, or in and out again while the guide turns
    the joint. The motion depends on where by as little."""
    ends = []
    for beyond in (-1e-4, 0.0, 1e-6, 1e-4):
        run, first = turned_back(3, out, beyond)
        H = run["momentum.angular"][:, 2]
        assert run.audit.ok
        assert np.ptp(H) < 1e-10 * abs(H[0])
        assert run["reel.length"][-1] == pytest.approx(first, abs=1e-9)
        moved = np.ptp(run["reel.outside"])
        assert moved >= 1
        ends.append([run["hub.rate"][-1], run["boom.tip.position"][-1, 1], moved])
    ends = np.array(ends)
    assert ends[-1, 2] == ends[0, 2] + 1  # one joint more comes and goes
    assert np.ptp(ends[:, :2], axis=0).max() < 5e-4


@pytest.mark.parametrize(
    ("tension", "load", "message"),
    [
        (-400.0, 0.0, 'feed "winch": rod "rope" is all outside at t = '),
        (60.0, 2.0, 'feed "winch": rod "rope" would be drawn in beyond its tip at t = '),
        (12.0, 0.0, 'feed "winch" has drawn rod "rope" in but for .* m and its drive pulls at next to no mass'),
    ],
    ids=["pushed out", "drawn in with a load", "drawn in"],
)
def test_length_beyond_the_ends_under_a_tension(tension, load, message):
    """Pushed out until all is outside; drawn in, with a load, and alone, when its acceleration grows without bounds."""
    s = kf.System("slack", gravity=(0, 0, -9.81))
    down = kf.Frame((0, 0, 0), (("y", np.pi / 2),))
    s.add_rod("rope", kf.Cable(6.0, 0.4, n=12, plane="xz"), at=down)
    if load:
        s.add("load", kf.Rigid(load), kf.Fixed(), parent="rope", at="tip")
    s.add_feed("winch", "rope", reel=kf.Reel(), tension=tension, initial=2.0)
    with pytest.raises(kf.SimulationError, match=message):
        s.simulate(5.0, rtol=1e-6)


def on_one_body(feeds, joint=None, **how):
    """A hub with rods to either side and up, of different kinds, fed by those of the feeds that are there."""
    s = kf.System("several")
    s.add("hub", kf.Rigid(10.0, inertia=(2, 2.5, 3)), joint or kf.Free(), rates=how.pop("rates", None))
    turns = {"left": ((-1, 0, 0), (0, -1, 0), (0, 0, 1)), "right": None, "up": ((0, 0, -1), (0, 1, 0), (1, 0, 0))}
    rods = {"left": (4.0, 0.2, 20.0, 6), "right": (3.0, 0.3, 30.0, 5), "up": (2.0, 0.1, 5.0, 5)}
    for name, feed in feeds.items():
        length, mass, EI, n = rods[name]
        rod = kf.Rod(length, mass, EI=(EI, 1.2 * EI), GJ=0.8 * EI, n=n, damping=2e-3, radius=0.15)
        s.add_rod(name, rod, parent="hub", at=kf.Frame((0, 0, 0), turns[name]))
        s.add_feed(f"{name}_feed", name, **feed)
    return s.simulate(3.0, **how)


SEVERAL = {
    "left": {"length": kf.profiles.smooth_step(2.0, 3.0, initial=1.0)},
    "right": {"length": kf.profiles.smooth_step(-1.2, 3.0, initial=2.1), "reel": kf.Reel()},
    "up": {"tension": -0.02, "reel": kf.Reel(), "initial": 0.6},
}


def test_several_feeds_on_a_free_body():
    """One lets out, one draws in, one pushes: momentum stays, both formulations agree."""
    how = {"rates": (0.1, 0.05, 0.3, 0.1, 0, 0), "rtol": 1e-8, "method": "dop853", "output": 0.1}
    run, other = (on_one_body(SEVERAL, formulation=way, **how) for way in ("recursive", "dense"))
    assert run.audit.ok
    for name in ("momentum.linear", "momentum.angular"):
        assert np.ptp(run[name], axis=0).max() < 1e-12 * np.linalg.norm(run[name][0])
    for name, (first, last) in {"left": (2, 5), "right": (4, 2), "up": (2, 4)}.items():
        assert list(run[f"{name}_feed.outside"][[0, -1]]) == [first, last]
        assert np.abs(run[f"{name}.tip.position"] - other[f"{name}.tip.position"]).max() < 1e-10


def test_several_feeds_on_a_held_body_are_each_as_if_alone():
    how = {"joint": kf.Revolute("z", motion=kf.profiles.constant_rate(0.3)), "rtol": 1e-9, "output": 0.1}
    run = on_one_body(SEVERAL, **how)
    for name, feed in SEVERAL.items():
        alone = on_one_body({name: feed}, **how)
        assert np.array_equal(run[f"{name}_feed.outside"], alone[f"{name}_feed.outside"])
        for channel in (f"{name}.tip.position", f"{name}_feed.tension"):
            assert np.abs(run[channel] - alone[channel]).max() < 1e-6 * max(1.0, np.abs(alone[channel]).max())


def out_of_what_moves(flexible, **how):
    """A boom out of a box at the tip of a rod that is fed itself, or of a beam in modes, on a free hub; it is drawn in."""
    s = kf.System("out of what moves")
    s.add("hub", kf.Rigid(20.0, inertia=(3, 4, 5)), kf.Free(), rates=(0.1, 0.2, 0.3, 0.02, 0, 0))
    if flexible:
        beam = Beam(length=3.0, EA=6e3, EI=(60.0, 50.0), GJ=40.0, mass_per_length=0.5, elements=6)
        s.add("arm", kf.Flexible(beam, root="root", modes=4, damping=0.01), parent="hub")
    else:
        arm = kf.Rod(3.0, 0.5, EI=(60.0, 50.0), GJ=40.0, n=6, damping=2e-3, radius=0.3)
        s.add_rod("arm", arm, parent="hub")
    s.add("box", kf.Rigid(2.0, inertia=(0.1, 0.1, 0.1)), kf.Fixed(), parent="arm", at="tip")
    rod = kf.Rod(2.0, 0.2, EI=(6.0, 5.0), GJ=4.0, n=5, damping=2e-3, radius=0.3)
    s.add_rod("boom", rod, parent="box", at=kf.Frame((0, 0, 0), (("z", 1.0),)))
    if not flexible:
        s.add_feed("own", "arm", length=kf.profiles.smooth_step(1.5, 3.0, initial=1.0), reel=kf.Reel())
    s.add_feed("reel", "boom", length=kf.profiles.smooth_step(-0.8, 3.0, initial=1.5), reel=kf.Reel())
    return s.simulate(3.0, rtol=1e-7, output=0.1, **how)


@pytest.mark.parametrize("flexible", [False, True])
def test_out_of_any_body(flexible):
    """Joints of one rod leave while those of another come back, farther out; a rod out of what stands on a beam in modes."""
    run, other = (out_of_what_moves(flexible, formulation=way) for way in ("recursive", "dense"))
    for name in ("momentum.linear", "momentum.angular"):
        assert np.ptp(run[name], axis=0).max() < 1e-12 * np.linalg.norm(run[name][0])
    assert run.audit.ok
    assert list(run["reel.outside"][[0, -1]]) == [4, 2]
    assert flexible or list(run["own.outside"][[0, -1]]) == [2, 5]
    assert len(run.impacts) == 2
    assert np.abs(run["boom.tip.position"] - other["boom.tip.position"]).max() < 1e-10


def test_two_feeds_on_one_body():
    s = kf.System("two")
    s.add("hub", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Free(), rates=(0, 0, 0.3, 0, 0, 0))
    for name, turn in (("left", ((-1, 0, 0), (0, -1, 0), (0, 0, 1))), ("right", None)):
        rod = kf.Rod(4.0, 0.2, EI=100.0, n=8, plane="xy", damping=1e-3)
        s.add_rod(name, rod, parent="hub", at=kf.Frame((0, 0, 0), turn))
        s.add_feed(f"{name}_feed", name, length=kf.profiles.smooth_step(2.0, 4.0, initial=1.0))
    run = s.simulate(4.0, rtol=1e-7)
    assert np.abs(run["left.tip.position"] + run["right.tip.position"])[:, :2].max() < 1e-8
    assert run["left_feed.outside"][-1] == run["right_feed.outside"][-1] == 6
    assert run.audit.ok


@pytest.mark.parametrize(
    ("feed", "message"),
    [
        ({"rate": 1.0, "initial": 7.0}, "is all outside at t = 1"),
        ({"rate": -1.0, "initial": 1.0}, "would be drawn in beyond its tip at t = 1"),
    ],
)
def test_length_beyond_the_ends_stops_the_run_by_name(feed, message):
    with pytest.raises(kf.SimulationError, match=f'feed "reel": rod "boom" {message}'):
        extruded(**feed).simulate(2.0)


@pytest.mark.parametrize(
    ("feed", "message"),
    [
        ({"rate": 1.0, "initial": 9.0}, "begins with 9 m outside"),
        ({"rate": 1.0, "length": kf.profiles.hold(2.0)}, "a length and a rate"),
        ({"rate": 1.0, "force": 2.0}, "has a force, and a length or rate"),
        ({"rate": 1.0, "sees": ("hub.rate",)}, "sees channels, but has no force"),
        ({"rate": 1.0, "out_of": "boom_1"}, 'is on "hub", not on "boom_1"'),
    ],
)
def test_feeds_that_are_refused(feed, message):
    s = kf.System("refused")
    s.add("hub", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Revolute("z"))
    s.add_rod("boom", kf.Rod(8.0, 1.0, EI=10.0, n=8, plane="xy"), parent="hub")
    with pytest.raises(kf.ModelError, match=message):
        s.add_feed("reel", "boom", **feed)


def test_rods_that_cannot_be_fed():
    s = kf.System("refused")
    s.add("hub", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Revolute("z"))
    s.add_rod("curved", kf.Rod(1.0, 1.0, EI=10.0, n=4, plane="xy", curvature=0.3), parent="hub")
    s.add_rod("tied", kf.Rod(1.0, 1.0, EI=10.0, EA=100.0, n=4, plane="xy"), parent="hub", tip="pinned", end=(0.9, 0, 0))
    s.add_rod("twice", kf.Rod(1.0, 1.0, EI=10.0, n=4, plane="xy"), parent="hub")
    s.add_feed("once", "twice", rate=0.1)
    for rod, message in (("curved", "curved without load"), ("tied", "tied at its tip"), ("twice", 'fed by "once" already')):
        with pytest.raises(kf.ModelError, match=message):
            s.add_feed("again", rod, rate=0.1)


def test_joint_inside_that_is_bent_at_the_start():
    s = extruded(rate=0.1, initial=1.0)
    bent = s.state()
    bent["boom_2.angle"] = 0.1
    with pytest.raises(kf.ModelError, match='segment "boom_2" is inside, but bent'):
        s.simulate(1.0, initial=bent)
