"""Systems whose number of bodies changes during a run: what comes and goes is booked, and the motion is right."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from growing import LINK, TIGHT, G, at, check_books, every, hub, left_over
from scipy.spatial.transform import Rotation
from trees import WAYS

import kaneflex as kf
from kaneflex.simulate.pace import Pace

# -- growing and shrinking -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [80, pytest.param(300, marks=pytest.mark.thorough)])
def test_chain_grows_from_one_link_and_back(most):
    """Two changes a link. Mass, momenta and energy are booked through each; what came less what went is what is there."""

    def action(state, change):
        n = len(change.model.parts) - 1
        grown.append(n)
        if len(grown) < most:
            change.add(f"l{n}", LINK, kf.Revolute("z"), parent=f"l{n - 1}", at="tip", rates=0.2 * (-1) ** n)
        else:
            change.remove(f"l{n - 1}")

    grown: list[int] = []
    s = hub()
    s.add("l0", LINK, kf.Revolute("z"), parent="hub", at="tip", rates=0.3)
    step, changes = 1e-3, 2 * (most - 1)
    run = s.simulate((changes + 0.5) * step, events=[kf.Event(every(step), action=action, name="chain")], output=step)
    assert max(grown) == most - 1 + 1 and len(run.impacts) == changes and list(run.model.parts) == ["hub", "l0"]
    check_books(run)
    total = {key: np.sum([getattr(i.exchange, key) for i in run.impacts], axis=0) for key in ("mass", "linear_momentum")}
    assert total["mass"] == pytest.approx(0, abs=1e-12) and run.audit.exchanged_mass == pytest.approx(0, abs=1e-12)
    P = run["momentum.linear"]
    assert P[-1] - P[0] == pytest.approx(total["linear_momentum"], abs=1e-9)
    masses = [i.exchange.mass for i in run.impacts]
    assert masses == pytest.approx([0.1] * (most - 1) + [-0.1] * (most - 1), abs=1e-15)
    assert np.isnan(run[f"l{most - 1}.q"]).sum() == len(run.t) - len(run.segments[most - 1].t)


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_link_split_off_moves_like_one_whose_joint_is_let_go(way):
    """A body that is hub and link in one, until it is replaced by the hub alone with the link beside it: to the motion that
    is the same as a joint that is locked until then. The three links of a pendulum come one after the other."""
    bare = kf.Rigid(1.0, com=(0, 0, -0.2), inertia=(0.2, 0.3, 0.1), frames={"tip": (0, 0, -0.5)})
    link = kf.Rigid(0.4, com=(0.05, 0, -0.2), inertia=(0.02, 0.02, 0.01), frames={"tip": (0, 0, -0.4)})
    axes = ("x", "y", "x")
    settings = {"formulation": way[0], "speeds": way[1], **TIGHT}

    def with_links(body, joint, links):
        """A body with links fixed to it in line, as one."""
        mass, c, J = body.mass, np.array(body.com), np.array(body.inertia)
        parts = [(mass, c, J)]
        place = np.array(body.frames["tip"].position)
        for _ in range(links):
            parts.append((link.mass, place + link.com, np.array(link.inertia)))
            place = place + link.frames["tip"].position
        m = sum(p[0] for p in parts)
        com = sum(p[0] * p[1] for p in parts) / m
        about = sum(J + n * ((c - com) @ (c - com) * np.eye(3) - np.outer(c - com, c - com)) for n, c, J in parts)
        return kf.Rigid(m, com=tuple(com), inertia=about, frames=body.frames)

    s = kf.System("split", gravity=(0, 0, -G))
    s.add("b0", with_links(bare, None, 3), kf.Universal(("x", "y")), q=(0.4, -0.3), rates=(0.5, 1.0))

    def split(k):
        def action(state, change):
            body = bare if k == 0 else link
            change.replace(f"b{k}", body)
            change.add(f"b{k + 1}", with_links(link, None, 2 - k), kf.Revolute(axes[k]), parent=f"b{k}", at="tip")

        return action

    run = s.simulate(1.6, events=[at(0.4 * (k + 1), split(k), name=f"split {k}") for k in range(3)], **settings)
    whole = kf.System("whole", gravity=(0, 0, -G))
    whole.add("b0", bare, kf.Universal(("x", "y")), q=(0.4, -0.3), rates=(0.5, 1.0))
    for k in range(3):
        joint = kf.Revolute(axes[k], motion=kf.profiles.hold(0.0))
        whole.add(f"b{k + 1}", link, joint, parent=f"b{k}", at="tip", q=0.0)
    events = [at(0.4 * (k + 1), lambda state, change, k=k: change.release(f"b{k + 1}"), name=f"go {k}") for k in range(3)]
    exact = whole.simulate(1.6, events=events, **settings)
    for name in ("b0.q", "b0.rate"):
        assert run[name] == pytest.approx(exact[name], abs=1e-8)
    for k in (1, 2, 3):
        own = ~np.isnan(run[f"b{k}.q"])
        assert own.sum() > 50 and np.abs(run[f"b{k}.q"][own] - exact[f"b{k}.q"][own]).max() < 1e-8
    for jump in run.impacts:
        assert max(abs(x) for x in (jump.exchange.mass, jump.exchange.energy, *jump.exchange.linear_momentum)) < 1e-13
        assert max(left_over(jump)) < 1e-13
    assert run.audit.ok


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_body_that_vanishes_into_its_parent_moves_on_like_one_that_is_locked(way):
    settings = {"formulation": way[0], "speeds": way[1], **TIGHT}

    def world():
        s = hub(rates=(0.1, 0.2, -0.1, 0.8, -0.5, 0.3))
        s.add("arm", LINK, kf.Spherical(), parent="hub", at="tip", q=(0.8, 0.6, 0, 0), rates=(4.0, -3.0, 2.0))
        s.add("mast", LINK, kf.Universal(("y", "z")), parent="hub", at=(0, 0, 0.5), q=(0.3, 0.2), rates=(2.0, 1.0))
        s.add("tip", LINK, kf.Revolute("y"), parent="mast", at="tip", rates=-5.0)
        return s

    run = world().simulate(1.0, events=[at(0.3, lambda s, c: c.remove("tip", into_parent=True))], **settings)
    exact = world().simulate(1.0, events=[at(0.3, lambda s, c: c.lock("tip"))], **settings)
    for name in ("hub.position", "hub.rotation", "mast.q", "arm.q"):
        assert run[name] == pytest.approx(exact[name], abs=1e-9)
    (jump,), (locked,) = run.impacts, exact.impacts
    assert jump.energy == pytest.approx(locked.energy, abs=1e-12) and jump.energy[0] > jump.energy[1]
    assert jump.exchange.removed == ("tip",) and abs(jump.exchange.energy) < 1e-14 and jump.exchange.mass == 0
    assert np.abs(np.subtract(*jump.linear_momentum)).max() < 1e-13
    assert np.abs(np.subtract(*jump.angular_momentum)).max() < 1e-13
    assert run.audit.dissipated_work == pytest.approx(locked.energy[0] - locked.energy[1], rel=1e-9)
    assert run.audit.ok


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_links_fed_out_of_a_free_hub_keep_its_momentum(way):
    """The new link comes between the hub and the one that came last. Mass and both momenta stay; rates are as asked."""
    link = kf.Rigid(0.5, com=(0.1, 0, 0.02), inertia=(1e-3, 4e-3, 4e-3), frames={"tip": (0.2, 0, 0)})

    def feed(state, change):
        n = len(change.model.parts) - 1
        rates = (0.3, -0.2)
        change.add(f"l{n}", link, kf.Universal(("y", "z")), parent="hub", at="tip", rates=rates, out_of_parent=True)
        if n:
            change.attach(f"l{n - 1}", f"l{n}", kf.Spherical())

    def only(state, change):
        change.add("first", link, kf.Universal(("y", "z")), parent="hub", at="tip", rates=(3.0, -2.0), out_of_parent=True)

    settings = {"formulation": way[0], "speeds": way[1]}
    run = hub().simulate(0.1, events=[at(0.05, only)], **settings)
    assert run.last["first.rate"][0] == pytest.approx((3.0, -2.0), abs=1e-14)
    run = hub().simulate(1.15, events=[kf.Event(every(0.1), direction=-1, action=feed, name="feed")], rtol=1e-10, **settings)
    assert len(run.impacts) == 6 and run.model.parts["hub"].body.mass == pytest.approx(27.0, abs=1e-12)
    for jump in run.impacts:
        scale = float(np.abs(jump.linear_momentum[0]).max())
        assert np.abs(np.subtract(*jump.linear_momentum)).max() < 1e-12 * scale
        assert np.abs(np.subtract(*jump.angular_momentum)).max() < 1e-12 * max(scale, np.abs(jump.angular_momentum[0]).max())
        assert abs(jump.exchange.mass) < 1e-12 and abs(jump.exchange.energy) < 1e-12
    centre = run["mass_centre.position"]
    assert run.audit.ok and np.isfinite(centre).all()
    P, H = run["momentum.linear"], run["momentum.angular"]
    assert np.ptp(P, axis=0).max() < 1e-9 and np.ptp(H, axis=0).max() < 1e-8


def check_within(run: kf.Run, mass: float) -> None:
    """The run has one change, at which no momentum came, and that much mass, without velocity."""
    (jump,) = run.impacts
    for pair in (jump.linear_momentum, jump.angular_momentum):
        assert np.abs(np.subtract(*pair)).max() < 1e-12
    assert np.abs([jump.exchange.linear_momentum, jump.exchange.angular_momentum]).max() < 1e-12
    assert jump.exchange.mass == pytest.approx(mass, abs=1e-12) and run.audit.ok


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_link_that_is_reeled_in_keeps_momentum_however_it_is_stowed(way):
    """The link vanishes into the hub, whose mass is then where the reel is; the next one hangs on the hub from then on."""

    def reel_in(state, change):
        change.attach("l1", "hub", kf.Revolute("y"))
        change.remove("l0", into_parent=True)
        change.replace("hub", kf.Rigid(30.1, com=(0.02, 0.01, -0.03), inertia=(3.1, 4.1, 5.1)), keeps="momentum")

    s = hub(rates=(0.1, 0.2, -0.1, 0.8, -0.5, 0.3))
    s.add("l0", LINK, kf.Universal(("y", "z")), parent="hub", at="tip", q=(0.3, 0.2), rates=(2.0, 1.0))
    s.add("l1", LINK, kf.Revolute("y"), parent="l0", at="tip", rates=-5.0)
    run = s.simulate(0.4, events=[at(0.2, reel_in)], formulation=way[0], speeds=way[1])
    check_within(run, 0.0)
    assert run.model.parts["l1"].parent == "hub" and "l0" not in run.model.parts


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_momentum_stays_when_all_happens_at_once(way):
    """A body has one come out of it, takes up another and is replaced, in one action; so is its parent."""
    small = kf.Rigid(0.05, com=(0.05, 0, 0.02), inertia=(1e-3, 1e-3, 1e-3), frames={"tip": (0.1, 0, 0)})

    def turn_over(state, change):
        change.add("new", small, kf.Spherical(), parent="l0", at="tip", rates=(1, 2, 3), out_of_parent=True)
        change.replace("hub", kf.Rigid(20.0, inertia=(2, 3, 3)), keeps="momentum")
        change.remove("l1", into_parent=True)
        change.replace("l0", kf.Rigid(0.3, inertia=(0.1, 0.1, 0.1)), keeps="momentum")

    s = hub(rates=(0.1, 0.2, -0.1, 0.8, -0.5, 0.3))
    s.add("l0", LINK, kf.Universal(("y", "z")), parent="hub", at="tip", q=(0.3, 0.2), rates=(2.0, 1.0))
    s.add("l1", small, kf.Revolute("y"), parent="l0", at="tip", rates=-5.0)
    run = s.simulate(0.4, events=[at(0.2, turn_over)], formulation=way[0], speeds=way[1])
    check_within(run, -10.0 + 0.2)
    assert list(run.model.parts) == ["hub", "l0", "new"]


# -- mass that comes from outside, against closed forms ---------------------------------------------------------------------


def test_sled_that_picks_up_resting_links_slows_down_by_its_momentum():
    """m v stays: after k links v = m0 v0/(m0 + k m). Without gravity all times and the lost energy are known."""
    m0, v0, m, l, n = 2.0, 3.0, 0.25, 0.1, 12
    s = kf.System("sled")
    s.add("sled", kf.Rigid(m0, inertia=(1, 1, 1)), kf.Prismatic("x"), rates=v0)

    def pick(state, change):
        k = len(change.model.parts)
        change.add(f"p{k}", kf.PointMass(m), kf.Fixed(), parent="sled", at=(-0.1 * k, 0.2, 0), velocity=(0, 0, 0))

    ahead = kf.Event(lambda t, x: math.sin(math.pi * (x[0] / 0.1 - 0.5)), ["sled.q"], action=pick, name="pick up")
    speeds = [m0 * v0 / (m0 + k * m) for k in range(n + 1)]
    times = np.cumsum([l / 2 / v0, *(l / v for v in speeds[1:-1])])
    run = s.simulate(times[-1] + 0.01, events=[ahead], **TIGHT)
    assert [i.t for i in run.impacts] == pytest.approx(times, abs=1e-10)
    assert run["sled.rate"][-1] == pytest.approx(speeds[-1], abs=1e-11)
    for k, jump in enumerate(run.impacts):
        lost = speeds[k] ** 2 * (m0 + k * m) / 2 * m / (m0 + (k + 1) * m)
        assert jump.energy[0] - jump.energy[1] == pytest.approx(lost, rel=1e-10)
        assert jump.exchange.mass == pytest.approx(m) and abs(jump.exchange.energy) < 1e-14
        assert np.abs(jump.exchange.linear_momentum).max() < 1e-14
    assert run.audit.dissipated_work == pytest.approx(m0 * v0**2 / 2 * (1 - m0 / (m0 + n * m)), rel=1e-10)
    assert run.audit.exchanged_mass == pytest.approx(n * m) and run.audit.ok


def test_chain_that_falls_from_its_heap_falls_at_a_third_of_gravity():
    """Links that rest on the edge are picked up one by one: between two, free fall; at each, m v stays. A fine chain has
    v^2 = 2 (g/3) x, and loses half of what gravity gives it less what it keeps (Tait and Steele)."""
    m, l, n = 0.1, 0.01, 60
    s = kf.System("heap", gravity=(0, 0, -G))
    s.add("l1", kf.PointMass(m), kf.Prismatic((0, 0, -1)))

    def pick(state, change):
        k = len(change.model.parts)
        change.add(f"l{k + 1}", kf.PointMass(m), kf.Fixed(), parent=f"l{k}", at=(0, 0, l), velocity=(0, 0, 0))

    edge = kf.Event(lambda t, x: math.sin(math.pi * x[0] / 0.01), ["l1.q"], action=pick, name="pick up")
    squares = [0.0]
    for k in range(1, n + 1):
        squares.append((squares[-1] + 2 * G * l) * (k / (k + 1)) ** 2)
    run = s.simulate(2.0, events=[edge, kf.Event(lambda t, x: x[0] - 0.605, ["l1.q"], terminal=True)], **TIGHT)
    assert len(run.impacts) == n
    after = [segment["l1.rate"][0] for segment in (*run.segments[1:], run.last)]
    assert np.square(after) == pytest.approx(squares[1:], rel=1e-9)
    x = n * l
    assert squares[-1] / (2 * x) == pytest.approx(G / 3, rel=0.03)
    assert all(i.exchange.energy == pytest.approx(0.0, abs=1e-12) for i in run.impacts)  # links come at rest at z = 0
    assert run.audit.ok and run.audit.exchanged_mass == pytest.approx(n * m)
    given = G * (m * sum(k * l for k in range(1, n + 1)))
    assert run.audit.dissipated_work == pytest.approx(given - squares[-1] * (n + 1) * m / 2, rel=1e-9)


@pytest.mark.parametrize("joint", [kf.Fixed(), kf.Revolute((1, 1, 0)), kf.Spherical(), kf.Prismatic("y")], ids=str)
def test_body_that_comes_flying_is_caught_as_one_that_was_there_and_is_attached(joint):
    v, omega = np.array((1.0, -2.0, 0.5)), np.array((0.3, 0.7, -3.0))
    body = kf.Rigid(1.5, com=(0.1, 0.05, 0), inertia=(0.2, 0.25, 0.3))

    def catch(state, change):
        change.add("guest", body, joint, parent="arm", at="tip", velocity=v, omega=omega)

    def world():
        s = hub()
        s.add("arm", LINK, kf.Revolute("y"), parent="hub", at="tip", q=0.3, rates=1.0)
        return s

    run = world().simulate(0.4, events=[at(0.2, catch)], **TIGHT)
    end = run.segments[0]
    R, tip = end["arm.rotation"][-1], end["arm.tip.position"][-1]
    x, y, z, w = Rotation.from_matrix(R).as_quat()
    both = world()
    both.add("guest", body, kf.Free())
    start = {f"{name}.{what}": end[f"{name}.{what}"][-1] for name in ("hub", "arm") for what in ("q", "rate")}
    start["guest.q"] = (*tip, w, x, y, z)
    start |= dict(zip(("guest.wx", "guest.wy", "guest.wz"), R.T @ omega, strict=True))
    start |= dict(zip(("guest.vx", "guest.vy", "guest.vz"), R.T @ v, strict=True))
    docked = both.simulate(0.2, initial=start, events=[at(1e-9, lambda s, c: c.attach("guest", "arm", joint))], **TIGHT)
    (jump,), (dock,) = run.impacts, docked.impacts
    assert jump.energy[1] == pytest.approx(dock.energy[1], rel=1e-7)
    assert jump.energy[0] + jump.exchange.energy == pytest.approx(dock.energy[0], rel=1e-7)
    gained = np.subtract(jump.linear_momentum[1], jump.linear_momentum[0])
    assert gained == pytest.approx(1.5 * (v + np.cross(omega, R @ body.com)))
    assert jump.linear_momentum[1] == pytest.approx(dock.linear_momentum[1], abs=1e-7)
    assert jump.angular_momentum[1] == pytest.approx(dock.angular_momentum[1], abs=1e-7)
    assert max(left_over(jump)[:2]) < 1e-13
    assert run["hub.omega"][-1] == pytest.approx(docked["hub.omega"][-1], abs=1e-7)
    assert run.audit.ok


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_replaced_body_keeps_what_it_is_told_to(way):
    settings = {"formulation": way[0], "speeds": way[1]}
    heavy = kf.Rigid(2.0, com=(0.1, -0.2, 0), inertia=(0.2, 0.3, 0.4))

    def world():
        s = hub()
        s.add("arm", LINK, kf.Revolute("y"), parent="hub", at="tip", q=0.3, rates=1.0)
        s.apply("spring", kf.JointSpring("arm", stiffness=0.1))
        return s

    moving = world().simulate(0.3, events=[at(0.2, lambda s, c: c.replace("arm", heavy))], **settings)
    (jump,), before, after = moving.impacts, moving.segments[0], moving.last
    for name in ("hub.velocity", "hub.omega", "arm.velocity", "arm.omega"):
        assert after[name][0] == pytest.approx(before[name][-1], abs=1e-14)
    v, omega = before["arm.velocity"][-1], before["arm.rotation"][-1] @ before["arm.omega"][-1]
    R = before["arm.rotation"][-1]
    momentum = [b.mass * (v + np.cross(omega, R @ b.com)) for b in (heavy, LINK)]
    assert jump.exchange.linear_momentum == pytest.approx(momentum[0] - momentum[1], abs=1e-13)
    assert jump.exchange.mass == pytest.approx(1.9) and jump.exchange.added == ("arm",) and max(left_over(jump)) < 1e-13
    kept = world().simulate(0.3, events=[at(0.2, lambda s, c: c.replace("arm", heavy, keeps="momentum"))], **settings)
    (jump,) = kept.impacts
    for pair in (jump.linear_momentum, jump.angular_momentum):
        assert np.abs(np.subtract(*pair)).max() < 1e-13
    assert kept.last["arm.velocity"][0] != pytest.approx(v, abs=1e-3)
    assert jump.exchange.mass == pytest.approx(1.9) and np.abs(jump.exchange.linear_momentum).max() < 1e-13
    assert moving.audit.ok and kept.audit.ok


# -- books of random trees --------------------------------------------------------------------------------------------------

MOVING = (kf.Revolute("x"), kf.Prismatic((1, 2, 0)), kf.Universal(("y", "z")), kf.Spherical(), kf.Cylindrical("y"))
KINDS = (*MOVING, kf.Fixed())


def random_body(rng: random.Random) -> kf.Rigid:
    J = [rng.uniform(0.4, 0.6) for _ in range(3)]
    return kf.Rigid(rng.uniform(0.5, 2.0), com=[rng.uniform(-0.3, 0.3) for _ in range(3)], inertia=J)


def random_act(rng: random.Random, number: list[int]):
    def action(state, change):
        number[0] += 1
        names = list(change.model.parts)
        name, kind = rng.choice(names), rng.choice(("add", "add", "caught", "remove", "replace"))
        joint = rng.choice(KINDS)
        q = None if not joint.facts.scalar_rates else [rng.uniform(-1, 1) for _ in range(joint.facts.coordinates)]
        place = [rng.uniform(-0.5, 0.5) for _ in range(3)]
        if kind == "remove" and name != "b0":
            change.remove(name, children="remove")
        elif kind == "replace":
            change.replace(name, random_body(rng), keeps=rng.choice(("velocity", "momentum")))
        elif kind == "caught":
            motion = {"velocity": place, "omega": place[::-1]}
            change.add(f"n{number[0]}", random_body(rng), joint, parent=name, at=place, q=q, **motion)
        else:
            rates = [rng.uniform(-2, 2) for _ in range(joint.facts.speeds)]
            change.add(f"n{number[0]}", random_body(rng), joint, parent=name, at=place, q=q, rates=rates)
            if joint.facts.speeds == 1:
                change.apply(f"s{number[0]}", kf.JointSpring(f"n{number[0]}", stiffness=2.0))

    return action


@pytest.mark.parametrize("seed", range(8))
def test_books_of_random_trees_balance(seed):
    """What is booked body by body is what the kernels' sums differ by: mass, momenta, and energy where nothing strikes."""
    rng = random.Random(seed)
    s = kf.System("tree", gravity=(0.1, 0.2, -1.0))
    for k in range(4):
        place = {"parent": f"b{rng.randrange(k)}", "at": (0.2, 0.1, 0.3)} if k else {}
        s.add(f"b{k}", random_body(rng), rng.choice(MOVING) if k else kf.Free(), **place)
    formulation, speeds = WAYS[seed % len(WAYS)]
    event = kf.Event(every(0.05), action=random_act(rng, [0]), name="any")
    run = s.simulate(0.63, events=[event], formulation=formulation, speeds=speeds)
    assert len(run.impacts) == 12
    parts = [*run.segments, run.last]
    for jump, (before, after) in zip(run.impacts, pairwise(parts), strict=True):
        mass = [sum(p.body.mass_properties()[0] for p in x.model.parts.values()) for x in (before, after)]
        assert mass[1] - mass[0] == pytest.approx(jump.exchange.mass, abs=1e-12)
        assert max(left_over(jump)[:2]) < 1e-13
        lost = jump.energy[0] + jump.exchange.energy - jump.energy[1]
        assert lost > -1e-12 * max(1.0, abs(jump.energy[0])) or after.model.parts.keys() == before.model.parts.keys()
        assert after["momentum.linear"][0] == pytest.approx(before["momentum.linear"][-1] + jump.exchange.linear_momentum)
    assert run.audit.exchange_error < 1e-12 and run.audit.ok


def test_what_is_moved_by_mistake_is_not_booked_as_having_come(monkeypatch):
    """The books are those of the bodies that came: were the others to change their motion too, the audit would tell."""
    from kaneflex.simulate import changed_state

    def wrong(*arguments):
        new, q, u = right(*arguments)
        return new, q, 1.01 * u

    right = changed_state.transfer_state
    monkeypatch.setattr(changed_state, "transfer_state", wrong)
    run = hub().simulate(0.2, events=[at(0.1, lambda s, c: c.add("arm", LINK, kf.Revolute("z"), parent="hub", at="tip"))])
    assert run.audit.exchange_error > 1e-3 and not run.audit.ok


def test_many_changes_are_no_sign_of_standing_still_but_many_at_one_instant_are():
    pace = Pace(1.0)
    assert not any(pace.keeps_changing(1e-3 * k) for k in range(5000))
    pace = Pace(1.0)
    assert sum(pace.keeps_changing(0.5) for _ in range(Pace.MANY)) == 1
