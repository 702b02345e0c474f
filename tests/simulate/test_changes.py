"""Systems that change during a run: joints locked, driven and released, bodies attached and cut off, constraints put on."""

import math
from functools import cache

import numpy as np
import pytest
from oracles import collisions
from scipy.optimize import brentq
from trees import WAYS

import kaneflex as kf
from kaneflex.simulate.trajectory import Options

G = 9.81
TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}


@cache
def passing(time):
    """A function that rises through zero at a time; the same one for the same time is compiled once."""
    return lambda t: t - time


def at(time, action, name="change") -> kf.Event:
    return kf.Event(passing(time), direction=1, action=action, name=name)


def check_momentum(jump, tolerance=1e-13):
    """Both momenta are the same on both sides, to rounding."""
    for before, after in (jump.linear_momentum, jump.angular_momentum):
        assert np.abs(np.subtract(after, before)).max() < tolerance * max(1.0, *np.abs(before))


def segments(run: kf.Run) -> tuple[kf.Run, ...]:
    return (*run.segments, run.last)


# -- locking and releasing -------------------------------------------------------------------------------------------------


def test_locked_disks_take_their_common_rate():
    s = kf.System("clutch")
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 2.0)), kf.Revolute("z"), rates=3.0)
    s.add("b", kf.Rigid(1.0, inertia=(1, 1, 1.5)), kf.Revolute("z"), parent="a", rates=-5.0)
    run = s.simulate(1.0, events=[at(0.3, lambda state, change: change.lock("b"))])
    rate, lost = collisions.lock_on_axis(2.0, 3.0, 1.5, -2.0)
    (jump,) = run.impacts
    assert jump.name == "change" and jump.t == pytest.approx(0.3, abs=1e-12) and jump.impulse is None
    assert jump.energy[0] - jump.energy[1] == pytest.approx(lost, rel=1e-13)
    assert jump.angular_momentum[1] == pytest.approx(jump.angular_momentum[0], abs=1e-13)
    assert run.last["a.rate"] == pytest.approx(rate, abs=1e-13) and np.abs(run.last["b.rate"]).max() == 0
    assert np.ptp(run.last["b.q"]) == 0 and run.last["b.q"][0] == pytest.approx(-1.5, abs=1e-12)
    assert run.audit.ok and run.audit.dissipated_work == pytest.approx(lost, rel=1e-12)


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_hinge_that_locks_makes_two_bodies_one(way):
    """In the plane, against the closed form, and onwards as a rigid body: the mass centre goes on, the rate stays."""
    m1, I1, arm1, w1 = 2.0, 0.3, 0.4, 1.1
    m2, I2, arm2, w2 = 1.2, 0.2, 0.7, -2.3
    s = kf.System("pair")
    s.add("first", kf.Rigid(m1, inertia=(I1, I1, I1), frames={"pin": (arm1, 0, 0)}), kf.Planar("z"), rates=(0.2, -0.1, w1))
    second = kf.Rigid(m2, com=(arm2, 0, 0), inertia=(I2, I2, I2))
    s.add("second", second, kf.Revolute("z"), parent="first", at="pin", q=0.4, rates=w2 - w1)
    run = s.simulate(
        1.0, events=[at(0.25, lambda state, change: change.lock("second"))], formulation=way[0], speeds=way[1], **TIGHT
    )
    before = run.segments[0]
    angle = math.pi - before["second.q"][-1]  # from the hinge to the mass centres
    rates = before["first.omega"][-1, 2], before["second.omega"][-1, 2]
    rate, lost = collisions.lock_in_plane(m1, I1, arm1, rates[0], m2, I2, arm2, rates[1], angle)
    (jump,) = run.impacts
    check_momentum(jump)
    assert jump.energy[0] - jump.energy[1] == pytest.approx(lost, rel=1e-11)
    assert run.last["first.omega"][:, 2] == pytest.approx(rate, abs=1e-9)
    assert run.audit.ok and np.ptp(run["momentum.linear"], axis=0).max() < 1e-9


def chain() -> kf.System:
    """A free chain of four bodies by a Universal joint and two hinges, with a wheel."""
    rng = np.random.default_rng(1)
    s = kf.System("chain")
    kinds = (kf.Free(), kf.Universal(("x", "y")), kf.Revolute((1, 0.2, 0.3)), kf.Prismatic("z"))
    for k, joint in enumerate(kinds):
        inertia = rng.uniform(0.1, 0.15, 3)
        body = kf.Rigid(rng.uniform(1, 2), com=0.1 * rng.normal(size=3), inertia=inertia, frames={"tip": (0.5, 0.1, 0.2)})
        q = None if k == 0 else 0.3 * rng.normal(size=joint.facts.coordinates)
        place = {"parent": f"b{k - 1}", "at": "tip"} if k else {}
        s.add(f"b{k}", body, joint, **place, q=q, rates=rng.normal(size=joint.facts.speeds))
    s.add_rotor("wheel", "b2", kf.Rotor("x", 0.01, rate=40.0))
    return s


@pytest.mark.parametrize(("joint", "coordinate"), [("b1", None), ("b1", "angle2"), ("b2", None), ("b3", None)])
def test_locking_in_a_tree_loses_just_the_energy_of_what_is_locked(joint, coordinate):
    """The rates d that are locked take d^T (S M^-1 S^T)^-1 d/2 with them, S choosing them; momentum stays."""
    found = []
    for formulation, speeds in WAYS:
        action = at(0.2, lambda state, change: change.lock(joint, coordinate))
        run = chain().simulate(0.5, events=[action], formulation=formulation, speeds=speeds, **TIGHT)
        (jump,) = run.impacts
        check_momentum(jump, 1e-12)
        found.append([*jump.energy, *run["b3.position"][-1], *run["b0.omega"][-1], run["wheel.rate"][-1]])
        assert run.audit.ok
        locked = run.last[f"{joint}.{coordinate or 'q'}"]
        assert np.ptp(locked, axis=0).max() < 1e-15 and len(segments(run)) == 2
    assert np.ptp(found, axis=0).max() < 1e-8
    state = chain().simulate(0.2, **TIGHT).final
    d = chain().dynamics()
    index = d.plan.index.joints[joint]
    names = list(index.coordinate_names)
    chosen = index.u0 + np.array([names.index(coordinate)] if coordinate else range(len(names)))
    rates = state.rates[chosen]
    S = np.linalg.inv(d.mass_matrix(state.q))[np.ix_(chosen, chosen)]
    assert found[0][0] - found[0][1] == pytest.approx(rates @ np.linalg.solve(S, rates) / 2, rel=1e-8)


def test_locked_joint_moves_like_a_fixed_one():
    """After locking, the pair is the rigid body of `dock`, whose motion a free body with that inertia has."""
    s = kf.System("pair")
    s.add("a", kf.Rigid(2.0, inertia=(0.5, 0.6, 0.7)), kf.Free(), rates=(0.1, 0.2, -0.3, 0.5, -0.8, 0.3))
    b = kf.Rigid(1.0, com=(0.3, 0, 0.1), inertia=(0.2, 0.3, 0.4))
    s.add("b", b, kf.Revolute("y"), parent="a", at=(0.5, 0, 0), q=0.3, rates=2.0)
    run = s.simulate(2.0, events=[at(0.5, lambda state, change: change.lock("b"))], **TIGHT)
    before = run.segments[0]
    parts = []
    for name, mass, J, com in (("a", 2.0, (0.5, 0.6, 0.7), (0, 0, 0)), ("b", 1.0, (0.2, 0.3, 0.4), (0.3, 0, 0.1))):
        R, omega = before[f"{name}.rotation"][-1], before[f"{name}.rotation"][-1] @ before[f"{name}.omega"][-1]
        r = R @ com
        parts.append(
            collisions.Body(
                mass,
                R @ np.diag(J) @ R.T,
                before[f"{name}.position"][-1] + r,
                before[f"{name}.velocity"][-1] + np.cross(omega, r),
                omega,
            )
        )
    one, lost = collisions.dock(*parts)
    (jump,) = run.impacts
    assert jump.energy[0] - jump.energy[1] == pytest.approx(lost, rel=1e-11)
    whole = kf.System("one")
    whole.add("one", kf.Rigid(one.mass, inertia=one.inertia), kf.Free())
    start = {"one.q": (*one.centre, 1, 0, 0, 0), "one.rate": (*one.velocity, *one.omega)}
    exact = whole.simulate(1.5, initial=start, **TIGHT)
    R = exact["one.rotation"][-1]
    place = one.centre + one.velocity * 1.5 + R @ (parts[0].centre - one.centre)
    assert run["a.position"][-1] == pytest.approx(place, abs=1e-9)
    assert run["a.rotation"][-1] == pytest.approx(R @ before["a.rotation"][-1], abs=1e-9)
    assert np.abs(run["b.rotation"][-1] - R @ before["b.rotation"][-1]).max() < 1e-9


def test_released_joint_goes_on_from_rest():
    """A pendulum that is locked for a while is late by that while."""
    s = kf.System("pendulum", gravity=(0, 0, -G))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)), kf.Revolute("y"), q=1.0)
    events = [
        at(0.0, None, name="begin"),
        at(1e-3, lambda state, change: change.lock("rod"), name="lock"),
        at(0.6, lambda state, change: change.release("rod"), name="release"),
    ]
    run = s.simulate(1.6, events=events, **TIGHT)
    locked, after = run.segments[1], run.last
    assert [name for _, name in run.events] == ["lock", "release"]
    moment = G * 0.5 * np.sin(locked["rod.q"])
    assert locked["rod.load"] == pytest.approx(moment, abs=1e-12) and locked["rod.drive"] == pytest.approx(moment, abs=1e-12)
    assert np.abs(after["rod.load"]).max() == 0 and np.abs(after["rod.drive"]).max() == 0
    free = s.simulate(1.0, initial={"rod.q": locked["rod.q"][-1]}, **TIGHT)
    assert after["rod.q"][-1] == pytest.approx(free["rod.q"][-1], abs=1e-9)
    assert run.audit.ok


def test_coordinates_of_one_joint_are_locked_and_released_one_by_one():
    def of(coordinate, what):
        return lambda state, change: getattr(change, what)("b1", coordinate)

    events = [at(0.1, of("angle1", "lock")), at(0.2, of("angle2", "lock")), at(0.4, of("angle1", "release"))]
    run = chain().simulate(0.6, events=events, **TIGHT)
    moves = [[np.ptp(segment[f"b1.{c}"]) > 1e-3 for c in ("angle1", "angle2")] for segment in segments(run)]
    assert moves == [[True, True], [False, True], [False, False], [True, False]]
    assert np.ptp(run.segments[2]["b1.q"], axis=0).max() < 1e-15
    assert run.impacts[2].energy[1] == pytest.approx(run.impacts[2].energy[0], rel=1e-13)
    assert run.audit.ok


# -- prescribing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_joint_is_driven_for_a_while(way):
    """Load of the drive by hand: I q'' + m g c sin q, less what the motor does; zero before and after."""
    s = kf.System("arm", gravity=(0, 0, -G))
    s.add("rod", kf.Rigid(2.0, com=(0, 0, -0.5), inertia=(0.2, 0.2, 0.01)), kf.Revolute("y"), q=0.4)
    s.add_input("motor", kf.JointForce("rod"))

    def drive(state, change):
        change.prescribe("rod", kf.profiles.smooth_step(0.7, 0.5, start=0.3, initial=state["rod.q"]))

    events = [at(0.3, drive, name="drive"), at(0.9, lambda state, change: change.release("rod"), name="off")]
    run = s.simulate(1.5, events=events, inputs={"motor": 0.5}, formulation=way[0], speeds=way[1], **TIGHT)
    driven = run.segments[1]
    p = np.minimum((driven.t - 0.3) / 0.5, 1.0)
    start = run.segments[0]["rod.q"][-1]
    assert driven["rod.q"] == pytest.approx(start + 0.7 * (p - np.sin(2 * math.pi * p) / (2 * math.pi)), abs=1e-12)
    acceleration = 0.7 / 0.25 * 2 * math.pi * np.sin(2 * math.pi * p)
    load = 0.7 * acceleration + 2 * G * 0.5 * np.sin(driven["rod.q"])
    assert driven["rod.load"] == pytest.approx(load, abs=1e-10)
    assert driven["rod.drive"] == pytest.approx(load - 0.5, abs=1e-10)
    assert np.concatenate([segment["rod.load"] for segment in segments(run)]) == pytest.approx(run["rod.load"])
    assert run["rod.load"][[0, -1]] == pytest.approx(0.5) and run["rod.drive"][[0, -1]] == pytest.approx(0.0)
    jump, off = run.impacts
    rate = run.segments[0]["rod.rate"][-1]
    assert jump.energy[0] - jump.energy[1] == pytest.approx(0.7 * rate**2 / 2, rel=1e-9)  # it is stopped first
    assert off.energy[0] == off.energy[1] and run.audit.ok
    assert len(run.t) == len(run.q) == len(run.u) == sum(len(segment.t) for segment in segments(run))


def test_prescribed_rate_is_met_by_an_impulse():
    """A disk at rest on a free disk is set to a relative rate: angular momentum stays, energy comes from the drive."""
    s = kf.System("disks")
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 2.0)), kf.Revolute("z"), rates=1.0)
    s.add("b", kf.Rigid(1.0, inertia=(1, 1, 1.5)), kf.Revolute("z"), parent="a")

    def drive(state, change):
        change.prescribe("b", kf.profiles.constant_rate(4.0, state["b.q"] - 4.0 * state.t))

    run = s.simulate(1.0, events=[at(0.5, drive)])
    w = (3.5 - 1.5 * 4.0) / 3.5
    assert run.last["a.rate"] == pytest.approx(w, abs=1e-12) and run.last["b.rate"] == pytest.approx(4.0)
    gain = (2 * w**2 + 1.5 * (w + 4) ** 2) / 2 - 3.5 / 2
    assert np.diff(run.impacts[0].energy) == pytest.approx(gain, rel=1e-12)
    assert run.audit.applied_work == pytest.approx(gain, rel=1e-9) and run.audit.ok


# -- attaching and cutting off ---------------------------------------------------------------------------------------------


def spacecraft() -> kf.System:
    """A chaser and a target with a swinging panel, free of loads."""
    s = kf.System("docking")
    s.add("chaser", kf.Rigid(2.0, inertia=(1, 1.2, 1.4)), kf.Free(), rates=(1, 0, 0, 0.1, 0.2, 0.3))
    target, hinge = kf.Rigid(1.0, inertia=(0.3, 0.2, 0.4)), kf.Frame((0.1, -0.2, 0.05), ("x", 0.4))
    s.add("target", target, kf.Free(), hinge=hinge, q=(2, 1, 0, 1, 0, 0, 0), rates=(-1, 0.5, 0, -0.4, 0.2, 0.1))
    panel = kf.Rigid(0.5, com=(0.1, 0, 0.2), inertia=(0.03, 0.02, 0.04))
    s.add("panel", panel, kf.Revolute("x"), parent="target", at=(0, 0.5, 0), rates=1.0)
    return s


def joints() -> dict[str, kf.model.joints.Joint | None]:
    return {
        "default": None,
        "Revolute": kf.Revolute("z"),
        "Prismatic": kf.Prismatic((1, 1, 0)),
        "Cylindrical": kf.Cylindrical("y"),
        "Screw": kf.Screw("z", pitch=0.3),
        "Universal": kf.Universal(("x", "z")),
        "Planar": kf.Planar("z"),
        "Spherical": kf.Spherical(),
        "Translational": kf.Translational(),
        "Free": kf.Free(),
        "held": kf.Revolute("x", motion=kf.profiles.hold(0.0)),
    }


@pytest.mark.parametrize("kind", joints())
def test_docking_by_any_joint_keeps_both_momenta(kind):
    joint = joints()[kind]
    freedom = 0 if joint is None else joint.facts.speeds
    found = []
    for formulation, speeds in WAYS:
        events = [
            at(0.3, lambda state, change: change.attach("target", "chaser", joint), name="dock"),
            at(0.6, lambda state, change: change.detach("target"), name="part"),
        ]
        run = spacecraft().simulate(1.0, events=events, formulation=formulation, speeds=speeds, **TIGHT)
        dock, part = run.impacts
        for jump in (dock, part):
            check_momentum(jump)
        assert part.energy[1] == pytest.approx(part.energy[0], rel=1e-13)
        assert dock.energy[1] < dock.energy[0] + 1e-13
        assert [segment.plan.nu for segment in segments(run)] == [13, 7 + freedom, 13]
        assert run.audit.ok and [name for _, name in run.events] == ["dock", "part"]
        momenta = np.column_stack([run["momentum.linear"], run["momentum.angular"]])
        assert np.ptp(momenta, axis=0).max() < 1e-9
        found.append([*dock.energy, *run["chaser.position"][-1], *run["target.position"][-1], *run["panel.omega"][-1]])
    assert np.ptp(found, axis=0).max() < 1e-8
    steps = np.linalg.norm(np.diff(run["target.position"], axis=0), axis=1)
    assert steps.max() < 3e-3 and len(run.t) == len(run["target.position"])
    for k in (0, 1):  # poses are the same on both sides of a change
        one, other = segments(run)[k : k + 2]
        assert one.t[-1] == other.t[0]
        for name in ("chaser", "target", "panel"):
            assert np.abs(one[f"{name}.position"][-1] - other[f"{name}.position"][0]).max() < 1e-13
            assert np.abs(one[f"{name}.rotation"][-1] - other[f"{name}.rotation"][0]).max() < 1e-13


def test_rigid_docking_is_the_closed_form():
    s = spacecraft()
    s.take_over(parts={name: part for name, part in s.parts.items() if name != "panel"})
    run = s.simulate(1.0, events=[at(0.3, lambda state, change: change.attach("target", "chaser"))], **TIGHT)
    before, after = run.segments[0], run.last
    bodies = []
    for name, mass, J in (("chaser", 2.0, (1, 1.2, 1.4)), ("target", 1.0, (0.3, 0.2, 0.4))):
        R = before[f"{name}.rotation"][-1]
        state = before[f"{name}.position"][-1], before[f"{name}.velocity"][-1], R @ before[f"{name}.omega"][-1]
        bodies.append(collisions.Body(mass, R @ np.diag(J) @ R.T, *state))
    one, lost = collisions.dock(*bodies)
    (jump,) = run.impacts
    assert jump.energy[0] - jump.energy[1] == pytest.approx(lost, rel=1e-12)
    for name in ("chaser", "target"):
        assert after[f"{name}.rotation"][0] @ after[f"{name}.omega"][0] == pytest.approx(one.omega, abs=1e-12)
        assert after[f"{name}.velocity"][0] == pytest.approx(one.velocity_of(after[f"{name}.position"][0]), abs=1e-12)


def test_stone_flies_from_a_sling_and_hits_the_floor():
    """Cut off at an angle, its mass centre goes on as a projectile, turning at the rate it had."""
    s = kf.System("sling", gravity=(0, 0, -G))
    s.add("arm", kf.Rigid(3.0, com=(0.5, 0, 0), inertia=(0.1, 0.5, 0.5)), kf.Revolute("y"), at=(0, 0, 2), rates=-4.0)
    stone = kf.Rigid(0.5, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01), frames={"centre": (0.1, 0, 0)})
    s.add("stone", stone, parent="arm", at=(1, 0, 0))
    s.contact("floor", kf.Contact("stone.centre", restitution=0.5))
    cut = kf.Event(lambda t, x: x[0] + 0.6, ["arm.q"], -1, action=lambda state, change: change.detach("stone"), name="cut")
    run = s.simulate(1.5, events=[cut], **TIGHT)
    before, after = run.segments[0], run.last
    assert [segment.plan.nu for segment in segments(run)] == [1, 7]
    p, v = before["stone.centre.position"][-1], before["stone.centre.velocity"][-1]
    t = after.t - after.t[0]
    lands = brentq(lambda x: p[2] + v[2] * x - G * x * x / 2, 0.1, 3.0)
    hit = run.impacts[-1]
    assert hit.name == "floor" and hit.t == pytest.approx(after.t[0] + lands, abs=1e-9)
    flying = t < lands
    path = p + np.outer(t, v) + np.outer(t * t / 2, (0, 0, -G))
    assert np.abs(after["stone.centre.position"] - path)[flying].max() < 1e-10
    assert after["stone.omega"] == pytest.approx(np.tile(before["stone.omega"][-1], (len(t), 1)), abs=1e-12)
    assert hit.impulse == pytest.approx((0, 0, -1.5 * 0.5 * (v[2] - G * lands)), abs=1e-9)
    assert run.impacts[0].energy[1] == pytest.approx(run.impacts[0].energy[0], rel=1e-13)
    assert run.audit.ok


def test_body_caught_by_the_ground_and_let_go():
    s = kf.System("catch", gravity=(0, 0, -G))
    s.add("box", kf.Rigid(2.0, inertia=(0.1, 0.2, 0.3)), kf.Free(), rates=(1, 0, 0, 0, 0, 3))
    s.add("flap", kf.Rigid(0.5, com=(0, 0, -0.2), inertia=(0.01, 0.01, 0.01)), kf.Revolute("x"), parent="box", q=0.5)
    events = [
        at(0.2, lambda state, change: change.attach("box", "N"), name="catch"),
        at(0.5, lambda state, change: change.detach("box"), name="drop"),
    ]
    run = s.simulate(1.0, events=events, **TIGHT)
    held = run.segments[1]
    assert [segment.plan.nu for segment in segments(run)] == [7, 1, 7]
    assert np.ptp(held["box.position"], axis=0).max() < 1e-14 and np.abs(held["box.velocity"]).max() < 1e-14
    assert run.impacts[1].energy[1] == pytest.approx(run.impacts[1].energy[0], rel=1e-12)
    check_momentum(run.impacts[1])
    drop = run.last["momentum.linear"][-1] - run.last["momentum.linear"][0]
    assert drop == pytest.approx((0, 0, -2.5 * G * 0.5), abs=1e-9) and run.audit.ok


def test_changes_of_one_moment_act_together():
    """Attaching and locking at once is one projection: the same as either first."""

    def ends(*actions):
        def act(state, change):
            for action in actions:
                action(change)

        run = spacecraft().simulate(0.6, events=[at(0.3, act)], **TIGHT)
        check_momentum(run.impacts[0], 1e-12)
        return [*run.impacts[0].energy, *run["panel.position"][-1], *run["chaser.omega"][-1]]

    def dock(change):
        change.attach("target", "chaser")

    def lock(change):
        change.lock("panel")

    assert ends(dock, lock) == pytest.approx(ends(lock, dock), abs=1e-12)
    one_by_one = [at(0.3, lambda state, change: dock(change)), at(0.3 + 1e-10, lambda state, change: lock(change))]
    run = spacecraft().simulate(0.6, events=one_by_one, **TIGHT)
    two = [run.impacts[0].energy[0], run.impacts[1].energy[1], *run["panel.position"][-1], *run["chaser.omega"][-1]]
    assert ends(dock, lock) == pytest.approx(two, abs=1e-8)


# -- constraints -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_rope_comes_taut_and_is_cut(way):
    """A puck on ice: the velocity along the rope is lost, then it goes round at the rate r x v/r^2, then straight."""
    m, p, v = 1.5, np.array([1.0, 0.5]), np.array([0.4, 1.2])
    s = kf.System("puck")
    s.add("puck", kf.PointMass(m), kf.Translational(), q=(*p, 0), rates=(*v, 0))

    def tie(state, change):
        change.constrain("rope", kf.Distance((0, 0, 0), "puck", float(np.linalg.norm(state["puck.q"]))))

    events = [at(0.2, tie, name="tie"), at(1.2, lambda state, change: change.unconstrain("rope"), name="cut")]
    run = s.simulate(2.0, events=events, formulation=way[0], speeds=way[1], **TIGHT)
    r = p + 0.2 * v
    length = float(np.linalg.norm(r))
    radial, w = float(r @ v) / length, float(r[0] * v[1] - r[1] * v[0]) / length**2
    tie_up, cut = run.impacts
    assert tie_up.energy[0] - tie_up.energy[1] == pytest.approx(m * radial**2 / 2, rel=1e-10)
    assert tie_up.angular_momentum[0] == pytest.approx(tie_up.angular_momentum[1], abs=1e-13)
    assert cut.energy[0] == pytest.approx(cut.energy[1], rel=1e-13)
    tied, angle = run.segments[1], math.atan2(r[1], r[0])
    path = length * np.column_stack([np.cos(angle + w * (tied.t - 0.2)), np.sin(angle + w * (tied.t - 0.2))])
    assert np.abs(tied["puck.q"][:, :2] - path).max() < 1e-9
    assert tied["rope.multipliers"] == pytest.approx(-m * w * w * length, abs=1e-8)  # the rope pulls
    force = tied.loads("rope", body="puck").force
    assert force[:, :2] == pytest.approx(-m * w * w * path, abs=1e-8)
    assert np.isnan(run["rope.multipliers"]).sum() == len(run.t) - len(tied.t)
    end = angle + w
    leaving = length * w * np.array([-math.sin(end), math.cos(end)])
    assert run["puck.q"][-1, :2] == pytest.approx(path[-1] + 0.8 * leaving, abs=1e-9)
    assert run.audit.ok and run.audit.position_violation < 1e-10


def pendulums() -> kf.System:
    """Two rods of 1 kg and 1 m whose tips meet."""
    s = kf.System("pendulums", gravity=(0, 0, -G))
    rod = kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 0.001), frames={"tip": (0, 0, -1)})
    s.add("left", rod, kf.Revolute("y"), q=-math.pi / 6)
    s.add("right", rod, kf.Revolute("y"), at=(1, 0, 0), q=math.pi / 6)
    return s


PIN = kf.Closure("left.tip", "right.tip", kf.Revolute("y"))


def test_loop_is_opened_during_a_run():
    """A triangle that stands still: the pin takes m g tan(30 degrees)/2 of either rod. Opened, both fall alike."""
    s = pendulums()
    s.constrain("pin", PIN)
    run = s.simulate(0.5, events=[at(0.2, lambda state, change: change.unconstrain("pin"))], **TIGHT)
    held, free = segments(run)
    assert np.abs(held["left.rate"]).max() < 1e-12
    force = held.loads("pin").force
    assert np.abs(force[:, 0]) == pytest.approx(G / 2 * math.tan(math.pi / 6), rel=1e-9) and np.abs(force[:, 2]).max() < 1e-9
    assert free["left.rate"] == pytest.approx(-free["right.rate"], abs=1e-10)
    alone = pendulums().simulate(0.3, **TIGHT)
    assert free["left.q"][-1] == pytest.approx(alone["left.q"][-1], abs=1e-9) and run.audit.ok


def test_loop_is_closed_during_a_run():
    """The rods swing apart and back; pinned when they meet again they stop, and all their energy of motion goes."""
    meet = kf.Event(
        lambda t, x: x[0] - x[1] + math.pi / 3,
        ["left.q", "right.q"],
        direction=1,
        action=lambda state, change: change.constrain("pin", PIN),
        name="meet",
    )
    start = {"left.q": -math.pi / 6, "right.q": math.pi / 6, "left.rate": -1.0, "right.rate": 1.0}
    for formulation, speeds in WAYS:
        run = pendulums().simulate(1.0, initial=start, events=[meet], formulation=formulation, speeds=speeds, **TIGHT)
        (jump,) = run.impacts
        assert jump.energy[0] - jump.energy[1] == pytest.approx(1 / 3, rel=1e-9)  # 2 I w^2/2
        assert np.abs(run.last["left.rate"]).max() < 1e-9 and run.audit.ok


# -- the run ---------------------------------------------------------------------------------------------------------------


def docking_run(**arguments) -> kf.Run:
    events = [
        at(0.25, lambda state, change: change.attach("target", "chaser", kf.Revolute("z")), name="dock"),
        at(0.5, lambda state, change: change.lock("panel"), name="lock"),
    ]
    return spacecraft().simulate(1.0, events=events, output=0.01, **TIGHT, **arguments)


def test_channels_run_through_all_legs():
    run = docking_run()
    assert len(run.segments) == 2 and all(not segment.segments for segment in segments(run)) and run.last is not run
    assert run.t == pytest.approx(np.concatenate([segment.t for segment in segments(run)]))
    assert np.all(np.diff(run.t) >= 0) and (np.diff(run.t) == 0).sum() == 2
    for name in ("panel.position", "panel.rotation", "panel.q", "chaser.rate", "energy.total", "momentum.angular", "t"):
        assert len(run[name]) == len(run.t)
        assert np.array_equal(run[name], np.concatenate([segment[name] for segment in segments(run)]))
    assert np.isnan(run["target.angle"][0]) and np.isfinite(run["target.angle"][-1])  # Free before, Revolute after
    assert [i.name for i in run.impacts] == ["dock", "lock"] and run.audit.impacts == tuple(run.impacts)
    assert run.audit.energy_start == pytest.approx(run["energy.total"][0])
    lost = sum(i.energy[1] - i.energy[0] for i in run.impacts)
    assert run.audit.dissipated_work == pytest.approx(-lost, rel=1e-9)
    assert run["energy.total"][-1] - run["energy.total"][0] == pytest.approx(lost, abs=1e-9)
    assert run.statistics["steps"] == sum(segment.statistics["steps"] for segment in segments(run))


def test_states_of_all_legs():
    run = docking_run()
    sizes = [segment.plan.nq for segment in segments(run)]
    assert sizes == [15, 9, 9] and run.plan.nq == 9
    for k in (0, 10, len(run.segments[0].t) - 1, len(run.segments[0].t), len(run.t) - 1, -1):
        state = run.state(k)
        assert state.t == run.t[k] and state["panel.q"] == run["panel.q"][k]
        assert state["chaser.q"] == pytest.approx(run["chaser.q"][k], abs=1e-15)
    assert run.final.t == 1.0 and len(run.state(0).q) == 15 and len(run.final.q) == 9


def test_numbered_coordinates_need_one_size():
    run = docking_run()
    for what in ("q", "u"):
        with pytest.raises(kf.ModelError, match=rf"changes during this run: take {what} of run.segments and run.last"):
            getattr(run, what)
    with pytest.raises(kf.ModelError, match=r'"target.q" changes its size.*run.segments and run.last'):
        run["target.q"]
    assert run.last.q.shape == (len(run.last.t), 9)


def test_run_goes_on_after_a_change():
    whole = docking_run()
    events = whole.trajectory.driven_by["events"]
    half = spacecraft().simulate(0.7, events=events, output=0.01, **TIGHT)
    rest = half.extend(0.3, output=0.01)
    assert rest.plan.nu == whole.plan.nu == half.plan.nu and not rest.impacts
    assert rest.final.q == pytest.approx(whole.final.q, abs=1e-9)
    early = spacecraft().simulate(0.4, events=events, output=0.01, **TIGHT)
    late = early.extend(0.6, output=0.01)
    assert [i.name for i in early.impacts] == ["dock"] and [i.name for i in late.impacts] == ["lock"]
    assert late.final.q == pytest.approx(whole.final.q, abs=1e-9)


def test_events_and_controllers_go_on_through_changes():
    """A sampled controller is called at the same instants, and an event is found as often, whether or not segments begin."""
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=1.0)
    s.add("other", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1)), kf.Prismatic("y"), rates=1.0)
    s.add_input("motor", kf.JointForce("cart"))
    calls: list[float] = []

    def law(t, x):
        calls.append(t)
        return -30 * x[0] - 2 * x[1]

    def go(*changes):
        calls.clear()
        through = kf.Event(lambda t, x: x[0], ["cart.q"], name="through")
        controller = kf.Sampled(0.1, law, ["cart.q", "cart.rate"], "motor")
        run = s.simulate(3.0, output=0.1, controllers=[controller], events=[through, *changes])
        return run, list(calls)

    plain, instants = go()
    changes = (
        at(0.55, lambda state, change: change.lock("other"), name="lock"),
        at(1.0, lambda state, change: change.release("other"), name="release"),  # at an instant of the controller
        at(1.73, lambda state, change: change.detach("other"), name="cut"),
    )
    run, others = go(*changes)
    assert others == pytest.approx(instants, abs=1e-12) and len(instants) == 30
    found = [t for t, name in run.events if name == "through"]
    assert found == pytest.approx([t for t, _ in plain.events], abs=1e-7) and len(found) > 2
    assert [name for _, name in run.events if name != "through"] == ["lock", "release", "cut"]
    first = np.unique(run.t, return_index=True)[1]
    at_samples = np.isin(np.round(run.t[first], 9), np.round(plain.t, 9))
    assert run["cart.q"][first][at_samples] == pytest.approx(plain["cart.q"], abs=1e-7)
    assert run["motor"][first][at_samples] == pytest.approx(plain["motor"], abs=1e-5)
    assert run.audit.ok


def test_action_may_change_the_state_as_well():
    """What an action writes into the state holds before the change acts on it."""
    s = kf.System("clutch")
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 2.0)), kf.Revolute("z"), rates=3.0)
    s.add("b", kf.Rigid(1.0, inertia=(1, 1, 1.5)), kf.Revolute("z"), parent="a", rates=-5.0)

    def act(state, change):
        state["a.rate"] = 6.0
        change.lock("b")

    run = s.simulate(1.0, events=[at(0.3, act)])
    assert run.last["a.rate"] == pytest.approx(collisions.lock_on_axis(2.0, 6.0, 1.5, 1.0)[0], abs=1e-12)
    nothing = s.simulate(1.0, events=[at(0.3, lambda state, change: None)])
    assert not nothing.segments and not nothing.impacts and nothing.events[0][1] == "change"


def test_wheel_keeps_its_spin_through_changes():
    s = spacecraft()
    s.add_rotor("wheel", "target", kf.Rotor("y", 0.02, rate=50.0))
    events = [
        at(0.3, lambda state, change: change.attach("target", "chaser"), name="dock"),
        at(0.6, lambda state, change: change.detach("target"), name="part"),
    ]
    for formulation, speeds in WAYS:
        run = s.simulate(1.0, events=events, formulation=formulation, speeds=speeds, **TIGHT)
        for jump in run.impacts:
            check_momentum(jump, 1e-12)
        spin = 0.02 * (run["wheel.rate"] + run["target.omega"][:, 1])  # nothing turns the wheel about its axis
        assert np.ptp(spin) < 1e-10 and run.audit.ok


# -- what lets go, and what joins ------------------------------------------------------------------------------------------


def passed_on(*events) -> kf.Run:
    """Two bodies that pass each other; the second carries a load on a ball joint."""
    s = kf.System("two")
    s.add("a", kf.Rigid(2.0, inertia=(1, 1.2, 1.4)), kf.Free(), rates=(1, 0, 0, 0.1, 0.2, 0.3))
    start = {"q": (2, 1, 0, 1, 0, 0, 0), "rates": (-1, 0.5, 0, -0.4, 0.2, 0.1)}
    s.add("b", kf.Rigid(1.0, inertia=(0.3, 0.2, 0.4)), kf.Free(), **start)
    load = kf.Rigid(1.0, com=(0.1, 0, 0), inertia=(0.3, 0.2, 0.4))
    s.add("load", load, kf.Spherical(), parent="b", at=(0, 0.5, 0))
    return s.simulate(0.5, events=list(events), **TIGHT)


def test_what_is_detached_and_attached_in_one_action_lets_go_first():
    """The joint that is left gives no impulse: body b goes on as it was, and a and the load are one by closed form."""
    run = passed_on(at(0.2, lambda state, change: (change.detach("load"), change.attach("load", "a"))))
    (hit,) = run.impacts
    check_momentum(hit, 1e-12)
    before, after = run.segments[0], run.last
    assert after["b.velocity"][0] == pytest.approx(before["b.velocity"][-1], abs=1e-12)
    assert after["b.omega"][0] == pytest.approx(before["b.omega"][-1], abs=1e-12)
    bodies = []
    for name, mass, inertia, com in (("a", 2.0, (1, 1.2, 1.4), (0, 0, 0)), ("load", 1.0, (0.3, 0.2, 0.4), (0.1, 0, 0))):
        R, p, v = (before[f"{name}.{x}"][-1] for x in ("rotation", "position", "velocity"))
        omega = R @ before[f"{name}.omega"][-1]
        c = R @ np.array(com)
        bodies.append(collisions.Body(mass, R @ np.diag(inertia) @ R.T, p + c, v + np.cross(omega, c), omega))
    one, lost = collisions.dock(*bodies)
    assert hit.energy[0] - hit.energy[1] == pytest.approx(lost, abs=1e-10)
    assert after["a.rotation"][0] @ after["a.omega"][0] == pytest.approx(one.omega, abs=1e-10)
    two = passed_on(
        at(0.2, lambda state, change: change.detach("load")),
        at(0.2 + 1e-9, lambda state, change: change.attach("load", "a")),
    )
    assert hit.energy[1] == pytest.approx(two.impacts[-1].energy[1], rel=1e-7) == pytest.approx(1.8584, abs=1e-4)


def test_run_whose_bodies_changed_their_joints_is_read_back(tmp_path):
    """What a joint began with means nothing to the next one: q and rates are not kept."""
    s = kf.System("catch")
    s.add("cart", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Prismatic("x"), rates=1.0)
    s.add("ball", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1)), kf.Free(), q=(0, 3, 0, 1, 0, 0, 0), rates=(4.0, 0, 0, 0, 0, 1.0))
    s.add("door", kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)), kf.Revolute("z"), parent="cart", q=0.3, rates=1.0)
    act = lambda state, change: (change.attach("ball", "cart"), change.detach("door"))
    run = s.simulate(0.2, output=0.05, events=[at(0.1, act)])
    again = kf.Run.load(run.save(tmp_path / "run.h5"))
    assert np.array_equal(again["ball.position"], run["ball.position"])
    assert np.array_equal(again["door.omega"], run["door.omega"]) and again.audit.ok


def test_constraint_taken_off_gives_no_impulse_to_what_is_attached():
    """A bead on a rope is cut off and caught by a cart at once: only the two share their momentum."""
    s = kf.System("catch")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), rates=1.0)
    s.add("bead", kf.PointMass(1.0), kf.Translational(), q=(0, 3, 0), rates=(4.0, 0, 0))
    s.constrain("rope", kf.Distance("bead", "N", 3.0))
    run = s.simulate(
        0.1, events=[at(0.05, lambda state, change: (change.unconstrain("rope"), change.attach("bead", "cart")))]
    )
    assert len(run.impacts) == 1
    along = run.segments[0]["bead.velocity"][-1, 0]
    assert run["cart.rate"][-1] == pytest.approx((2.0 + along) / 3, abs=1e-9) and run.audit.ok


def test_change_sees_the_state_as_the_action_left_it():
    s = kf.System("arm")
    arm = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    s.add("arm", arm, kf.Revolute("z"), rates=1.0)

    def act(state, change):
        state["arm.q"] = 2.0
        change.detach("arm")

    run = s.simulate(0.2, events=[at(0.1, act)])
    assert run.last["arm.rotation"][0][:, 0] == pytest.approx((math.cos(2), math.sin(2), 0), abs=1e-12)


def test_particle_cut_off_flies_on():
    """A particle has no rotation of its own; off its joint, its mass centre goes on straight."""
    for body, place in ((kf.PointMass(1.5), (0, 0, 0)), (kf.Rigid(1.5, com=(0.4, 0, 0)), (0.4, 0, 0))):
        s = kf.System("sling")
        s.add("arm", kf.Rigid(1.0, inertia=(1, 1, 1), frames={"tip": (2, 0, 0)}), kf.Revolute("z"), rates=3.0)
        s.add("stone", body, parent="arm", at="tip")
        run = s.simulate(0.5, events=[at(0.2, lambda state, change: change.detach("stone"))], **TIGHT)
        check_momentum(run.impacts[0])
        assert run.impacts[0].energy[1] == pytest.approx(run.impacts[0].energy[0], rel=1e-13)
        reach, angle = 2 + place[0], 0.6
        v = 3 * reach * np.array([-math.sin(angle), math.cos(angle), 0])
        centre = run.last["stone.position"] + np.einsum("nij,j->ni", run.last["stone.rotation"], place)
        start = reach * np.array([math.cos(angle), math.sin(angle), 0])
        assert centre[-1] == pytest.approx(start + 0.3 * v, abs=1e-10)
        assert np.abs(run.last["stone.omega"]).max() == 0 and run.audit.ok


def test_particle_with_something_on_it_is_free_to_turn():
    s = kf.System("pair")
    s.add("arm", kf.Rigid(1.0, inertia=(1, 1, 1), frames={"tip": (2, 0, 0)}), kf.Revolute("z"), rates=3.0)
    s.add("node", kf.PointMass(0.5), parent="arm", at="tip")
    s.add("disk", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.2)), parent="node", at=(0.3, 0, 0))
    run = s.simulate(0.5, events=[at(0.2, lambda state, change: change.detach("node"))], **TIGHT)
    assert run.last["node.omega"][-1] == pytest.approx((0, 0, 3), abs=1e-10) and run.audit.ok


# -- stopping and going on -------------------------------------------------------------------------------------------------


def clutch() -> kf.System:
    s = kf.System("clutch")
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 2.0)), kf.Revolute("z"), rates=3.0)
    s.add("b", kf.Rigid(1.0, inertia=(1, 1, 1.5)), kf.Revolute("z"), parent="a", rates=-5.0)
    return s


def test_run_that_a_change_stops_ends_after_the_change(tmp_path):
    stop = kf.Event(passing(0.3), direction=1, action=lambda state, change: change.lock("b"), name="lock", terminal=True)
    run = clutch().simulate(1.0, events=[stop])
    rate = collisions.lock_on_axis(2.0, 3.0, 1.5, -2.0)[0]
    assert run.status == "event" and '"lock"' in run.message and run.t[-1] == pytest.approx(0.3, abs=1e-12)
    assert len(run.impacts) == 1 and run.events == [(run.t[-1], "lock")] and len(run.last.t) == 1
    assert run.final["b.rate"] == 0 and run.final["a.rate"] == pytest.approx(rate, abs=1e-12)
    assert run.model.parts["b"].joint.motion is not None and run.audit.ok
    kf.Run.load(run.save(tmp_path / "run.h5"))
    for events in ([], [stop]):
        on = run.extend(0.2, events=events)
        assert on.status == "done" and on["a.rate"] == pytest.approx(rate, abs=1e-12) and np.ptp(on["b.q"]) == 0


def test_terminal_event_that_changes_the_state_leaves_it_changed():
    def act(state):
        state["a.rate"] = 7.0

    for time in (0.3, 0.25):  # the latter is also an instant of the output, to the last bit
        stop = kf.Event(passing(time), direction=1, action=act, terminal=True)
        run = clutch().simulate(1.0, events=[stop], output=0.125)
        assert run.final["a.rate"] == 7.0 and run.extend(0.1, events=[])["a.rate"][0] == 7.0


def test_run_goes_on_with_other_events():
    """Events dropped, added and changed from one stretch to the next: the motion is that of one run."""
    seen = kf.Event(lambda t, x: x[0] - 1.0, ["a.q"], name="seen")
    later = kf.Event(lambda t, x: x[0] - 2.0, ["a.q"], name="later")
    stretches = ([seen, later], [], [later], [seen], [])
    for options in ({}, {"method": "sdirk4"}):
        run = clutch().simulate(0.2, events=[seen], **options)
        names = [name for _, name in run.events]
        for events in stretches:
            run = run.extend(0.2, events=events)
            names += [name for _, name in run.events]
        assert run.final.q == pytest.approx((3.6, -6.0), abs=1e-7) and run.t[-1] == pytest.approx(1.2)
        assert names == ["seen", "later"]
    coarse = clutch().simulate(0.2).extend(0.2, options=Options(rtol=1e-4, method="dop853"))
    assert coarse.trajectory.options.method == "dop853" and coarse.final.q == pytest.approx((1.2, -2.0), abs=1e-9)
