"""Collisions against closed forms: bodies, rods, chains, moving planes, loops; points that bounce, stay and are let go."""

import math

import numpy as np
import pytest
from oracles import collisions
from scipy.optimize import brentq
from trees import WAYS

import kaneflex as kf

G = 9.81
TIGHT = {"method": "dop853", "rtol": 1e-12, "atol": 1e-13}
UP = (("x", -math.pi / 2),)  # turns z to y: a floor under motion in the plane of x and y
FACE_DOWN = (("x", math.pi / 2),)
AFTER = 1e-10  # s after an impact at which velocities are read: they change by less than 1e-8 in that time


def facing(normal) -> np.ndarray:
    """A rotation matrix whose third column is the normal."""
    n = np.asarray(normal, float)
    x = np.cross(np.eye(3)[np.argmin(np.abs(n))], n)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(n, x), n])


def two_bodies(a, b, point, normal, **contact) -> kf.System:
    """Two free bodies whose axes are those of N when they meet; without contact= they pass through each other."""
    s = kf.System("two-bodies")
    faces = {"hit": kf.Frame(point - a.centre)}, {"face": kf.Frame(point - b.centre, facing(normal))}
    for name, body, frames in zip("ab", (a, b), faces, strict=True):
        rigid = kf.Rigid(body.mass, inertia=body.inertia, frames=frames)
        s.add(name, rigid, kf.Free(), q=(*body.centre, 1, 0, 0, 0), rates=(*body.velocity, *body.omega))
    if contact:
        s.contact("hit", kf.Contact("a.hit", on="b.face", **contact))
    return s


def earlier(system: kf.System, time: float) -> kf.State:
    """The state from which a system without loads comes to its own start after `time`: it runs backwards."""
    state = system.state()
    state.rates *= -1
    state = system.simulate(time, initial=state, output=time, **TIGHT).final
    state.rates *= -1
    state.t = 0.0
    return state


def some_body(rng, centre, velocity) -> collisions.Body:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    J = Q @ np.diag(rng.uniform(0.2, 0.35, 3)) @ Q.T
    return collisions.Body(
        rng.uniform(0.5, 2), (J + J.T) / 2, centre, velocity + 0.2 * rng.normal(size=3), rng.normal(size=3)
    )


def check_record(hit, impulse, lost, tolerance=1e-10):
    assert np.array(hit.impulse) == pytest.approx(np.array(impulse), abs=tolerance)
    assert hit.energy[0] - hit.energy[1] == pytest.approx(lost, abs=tolerance)


# -- two bodies ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("friction", [0.0, 0.05, 3.0])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_two_tumbling_bodies_collide(restitution, friction, way):
    rng = np.random.default_rng(3)
    n, p = rng.normal(size=3), rng.normal(size=3)
    n /= np.linalg.norm(n)
    along = facing(n)[:, 0]
    a = some_body(rng, p + 0.3 * n + 0.2 * rng.normal(size=3), -3 * n + 2 * along)
    b = some_body(rng, p - 0.4 * n + 0.2 * rng.normal(size=3), 0 * n)
    T = 0.05
    exact = collisions.collide(a, b, p, n, restitution, friction)
    slips = [(x[0].velocity_of(p) - x[1].velocity_of(p)) @ along for x in ((a, b), (exact.a, exact.b))]
    assert exact.sticks == (friction == 3.0) and (exact.sticks or min(slips) > 0)
    after = "bounce" if restitution else "slide"
    s = two_bodies(a, b, p, n, restitution=restitution, friction=friction, after=after)
    run = s.simulate(
        0.06,
        initial=earlier(two_bodies(a, b, p, n), T),
        times=[0, T + AFTER, 0.06],
        formulation=way[0],
        speeds=way[1],
        **TIGHT,
    )
    (hit,) = run.impacts
    assert hit.name == "hit" and hit.t == pytest.approx(T, abs=1e-11) and run.events == [(hit.t, "hit")]
    check_record(hit, exact.impulse, exact.lost)
    momentum = a.momentum + b.momentum
    for k in (0, 1):
        assert hit.linear_momentum[k] == pytest.approx(momentum[:3], abs=1e-11)
        assert hit.angular_momentum[k] == pytest.approx(momentum[3:], abs=1e-11)
    k = int(np.flatnonzero(run.t == T + AFTER)[0])
    for name, body in (("a", exact.a), ("b", exact.b)):
        assert run[f"{name}.velocity"][k] == pytest.approx(body.velocity, abs=1e-8)
        assert run[f"{name}.omega"][k] == pytest.approx(body.omega, abs=1e-8)
    assert run.audit.ok and run.audit.impacts == (hit,)
    assert run.audit.dissipated_work - run.audit.applied_work == pytest.approx(exact.lost, abs=1e-10)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_central_collision(e):
    s = kf.System("central")
    s.add("left", kf.PointMass(2.0), kf.Prismatic("x"), q=-1.0, rates=3.0)
    right = kf.Rigid(0.5, frames={"face": kf.Frame((0, 0, 0), facing((-1, 0, 0)))})
    s.add("right", right, kf.Prismatic("x"), q=1.0, rates=-1.0)
    s.contact("hit", kf.Contact("left", on="right.face", restitution=e))
    run = s.simulate(1.0)
    v1, v2, lost = collisions.central(2.0, 0.5, 3.0, -1.0, e)
    (hit,) = run.impacts
    assert hit.t == pytest.approx(0.5, abs=1e-12)
    assert (run["left.rate"][-1], run["right.rate"][-1]) == pytest.approx((v1, v2), abs=1e-12)
    assert hit.energy[0] - hit.energy[1] == pytest.approx(lost, abs=1e-12)
    assert hit.impulse == pytest.approx((2.0 * (v1 - 3.0), 0, 0), abs=1e-12) and run.audit.ok


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_particle_strikes_a_free_rod(e):
    m1, m2, length, arm, v = 0.4, 1.5, 2.0, 0.6, 3.0
    s = kf.System("particle-on-rod")
    side = kf.Frame((arm, 0, 0), FACE_DOWN)
    inertia = m2 * length**2 / 12
    s.add("rod", kf.Rigid(m2, inertia=(0.01, inertia, inertia), frames={"side": side}), kf.Planar("z"))
    s.add("bead", kf.PointMass(m1), kf.Translational(), q=(arm, -0.3, 0), rates=(0, v, 0))
    s.contact("hit", kf.Contact("bead", on="rod.side", restitution=e, after="bounce" if e else "slide"))
    run = s.simulate(0.1 + AFTER, output=0.1 + AFTER, **TIGHT)
    bead, middle, rate = collisions.particle_on_rod(m1, m2, length, arm, v, e)
    assert run["bead.velocity"][-1] == pytest.approx((0, bead, 0), abs=1e-8)
    assert run["rod.rate"][-1] == pytest.approx((0, middle, rate), abs=1e-8)
    assert len(run.impacts) == 1 and run.audit.ok


@pytest.mark.parametrize("mu", [0.05, 2.0])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_spinning_disks(e, mu):
    m, r, vn, vt, w = 2.0, 0.3, 1.5, -0.8, 7.0
    inertia = (m * r * r / 4, m * r * r / 4, m * r * r / 2)
    s = kf.System("disks")
    first = kf.Rigid(m, inertia=inertia, frames={"rim": (r, 0, 0)})
    s.add("first", first, kf.Planar("z"), rates=(vn, vt, w))
    second = kf.Rigid(m, inertia=inertia, frames={"rim": kf.Frame((-r, 0, 0), facing((-1, 0, 0)))})
    s.add("second", second, kf.Planar("z"), q=(2 * r, 0, 0))
    s.contact("hit", kf.Contact("first.rim", on="second.rim", restitution=e, friction=mu, after="bounce" if e else "slide"))
    run = s.simulate(AFTER, output=AFTER, **TIGHT)  # they touch at the start
    sticks, one, two = collisions.disks(m, r, vn, vt, w, e, mu)
    assert sticks == (mu == 2.0)
    assert run["first.rate"][-1] == pytest.approx(one, abs=1e-7)
    assert run["second.rate"][-1] == pytest.approx(two, abs=1e-7)


@pytest.mark.parametrize("mu", [0.05, 2.0])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_spinning_ball_on_the_floor(e, mu):
    r, vn, vt, w = 0.2, 2.0, 1.0, -9.0
    s = kf.System("ball")
    ball = kf.Rigid(1.3, inertia=0.4 * 1.3 * r * r, frames={"sole": (0, 0, -r)})
    s.add("ball", ball, kf.Free(), q=(0, 0, r, 1, 0, 0, 0), rates=(vt, 0, -vn, 0, w, 0))
    s.contact("floor", kf.Contact("ball.sole", restitution=e, friction=mu, after="bounce" if e else "slide"))
    run = s.simulate(AFTER, output=AFTER, **TIGHT)
    sticks, up, along, rate = collisions.ball_on_floor(r, vn, vt, w, e, mu)
    assert sticks == (mu == 2.0)
    assert run["ball.velocity"][-1] == pytest.approx((along, 0, up), abs=1e-7)
    assert run["ball.omega"][-1] == pytest.approx((0, rate, 0), abs=1e-7)


# -- rods and chains -------------------------------------------------------------------------------------------------------


def slender(m, length) -> kf.Rigid:
    J = m * length**2 / 12
    frames = {"left": (-length / 2, 0, 0), "right": (length / 2, 0, 0)}
    return kf.Rigid(m, inertia=(J / 100, J, J), frames=frames)


def falling_rod(angle, velocity, **contact) -> kf.System:
    """A rod of 3 kg and 2 m that meets the floor with its left end after 0.01 s."""
    s = kf.System("rod")
    s.add("floor", kf.Rigid(0.0, frames={"up": kf.Frame((0, 0, 0), UP)}))
    start = (0, math.sin(angle) - 0.01 * velocity[1], angle)
    s.add("rod", slender(3.0, 2.0), kf.Planar("z"), q=start, rates=(*velocity, 0))
    s.contact("end", kf.Contact("rod.left", on="floor.up", **contact))
    return s


@pytest.mark.parametrize("stick", [False, True])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("angle", [0.3, math.pi / 4, 1.2])
def test_dropped_rod(angle, e, stick):
    run = falling_rod(angle, (0, -2.0), restitution=e, friction=10.0 * stick).simulate(0.01 + AFTER, **TIGHT)
    exact = collisions.falling_rod(3.0, 2.0, angle, 2.0, e, stick=stick)
    (hit,) = run.impacts
    check_record(hit, (*exact.impulse, 0), exact.lost)
    assert run["rod.rate"][-1] == pytest.approx((*exact.velocity, exact.rate), abs=1e-8)
    assert hit.linear_momentum[1] == pytest.approx((3 * exact.velocity[0], 3 * exact.velocity[1], 0), abs=1e-11)
    assert run.audit.ok


@pytest.mark.parametrize("along", [-2.5, 4.0])
@pytest.mark.parametrize("angle", [0.4, 1.1, 2.2])
def test_rod_slips_on_a_rough_floor(angle, along):
    """Slip that does not end during the impact: friction is mu times the normal impulse, against the slip."""
    mu, e, v = 0.1, 0.5, np.array([along, -2.0, 0])
    run = falling_rod(angle, v[:2], restitution=e, friction=mu).simulate(0.0101, **TIGHT)
    J = np.diag([0.01, 1.0, 1.0])
    rod = collisions.Body(3.0, J, np.array([math.cos(angle), math.sin(angle), 0]), v, np.zeros(3))
    exact = collisions.collide(rod, None, np.zeros(3), (0, 1, 0), e, mu)
    assert not exact.sticks and exact.a.velocity_of((0, 0, 0))[0] * along > 0
    check_record(run.impacts[0], exact.impulse, exact.lost)
    assert run.impacts[0].impulse[0] == pytest.approx(-np.sign(along) * mu * run.impacts[0].impulse[1], rel=1e-12)


@pytest.mark.parametrize("angle", [0.5, math.pi - 0.5])
def test_rod_that_begins_to_slip_in_the_impact(angle):
    """No slip before, too little friction to stick: n.K n and n.K t of a rod's end, 1 + 3 c^2 and 3 s c over m."""
    mu, e, v, m = 0.2, 0.5, 2.0, 3.0
    c, s = math.cos(angle), math.sin(angle)
    side = np.sign(s * c)  # the end would slip towards -x when the rod leans to the right
    J = (1 + e) * v * m / (1 + 3 * c * c - mu * side * 3 * s * c)
    run = falling_rod(angle, (0, -v), restitution=e, friction=mu).simulate(0.0101, **TIGHT)
    assert run.impacts[0].impulse == pytest.approx((side * mu * J, J, 0), abs=1e-10)
    assert np.sign(run["rod.left.velocity"][-1, 0]) == -side


@pytest.mark.parametrize("along", [1e-9, 1e-3, 0.05, 0.2])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_rod_whose_slip_reverses(e, along):
    """Slip along x ends after J1 and goes on the other way for J2, as friction cannot hold the end; at 45 degrees
    m K.nn = m K.tt = 5/2 and m K.nt = -3/2. With less slip before, J1 goes to zero: nothing jumps.
    """
    mu, v, m, K, C = 0.1, 2.0, 3.0, 2.5 / 3, -1.5 / 3
    J1 = along / (mu * K - C)
    J2 = ((1 + e) * v - (K - mu * C) * J1) / (K + mu * C)
    assert J2 > 0 and mu < -C / K
    run = falling_rod(math.pi / 4, (along, -v), restitution=e, friction=mu).simulate(0.01 + AFTER, **TIGHT)
    (hit,) = run.impacts
    assert hit.impulse == pytest.approx((mu * (J2 - J1), J1 + J2, 0), abs=1e-9)
    slip = -(-C - mu * K) * J2
    assert run["rod.left.velocity"][-1] == pytest.approx((slip, e * v, 0), abs=1e-8)
    assert hit.energy[0] > hit.energy[1] and run.audit.ok and m * J1 >= 0


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("arm", [0.0, 0.7])
def test_level_rod_falls_on_an_edge(arm, e):
    """The plane is the rod's underside and the point stands in space: J = (1 + e) m v/(1 + 12 arm^2/length^2)."""
    m, length, v = 3.0, 2.0, 2.0
    s = kf.System("edge")
    s.add("edge", kf.Rigid(0.0, frames={"top": (arm, 0, 0)}))
    rod = slender(m, length)
    s.add("rod", rod, kf.Planar("z"), q=(0, 0.02, 0), rates=(0, -v, 0)).frame("under", rotation=FACE_DOWN)
    s.contact("hit", kf.Contact("edge.top", on="rod.under", restitution=e))
    run = s.simulate(0.01 + AFTER, **TIGHT)
    J = (1 + e) * m * v / (1 + 12 * arm**2 / length**2)
    check_record(run.impacts[0], (0, -J, 0), J * (1 - e) * v / 2)
    assert run["rod.rate"][-1] == pytest.approx((0, J / m - v, 12 * J * arm / (m * length**2)), abs=1e-8)


def two_links(angles, height, v, **contact) -> kf.System:
    """Two slender rods of 1.5 kg and 0.8 m, hinged, at absolute angles; the first one's left end is at `height`."""
    m, length = 1.5, 0.8
    s = kf.System("chain")
    s.add("floor", kf.Rigid(0.0, frames={"up": kf.Frame((0, 0, 0), UP)}))
    middle = np.array([math.cos(angles[0]), math.sin(angles[0])]) * length / 2 + (0, height)
    s.add("first", slender(m, length), kf.Planar("z"), q=(*middle, angles[0]), rates=(0, -v, 0))
    turn = angles[1] - angles[0]
    s.add("second", slender(m, length), kf.Revolute("z"), parent="first", at="right", hinge="left", q=turn)
    s.contact("end", kf.Contact("first.left", on="floor.up", **contact))
    return s


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_straight_chain_strikes_the_floor(way):
    run = two_links((0, 0), 0.02, 2.0).simulate(0.01 + AFTER, formulation=way[0], speeds=way[1], **TIGHT)
    J, after, lost = collisions.falling_chain(1.5, 2.0)
    check_record(run.impacts[0], (0, J, 0), lost)
    ends = [run[f"{frame}.velocity"][-1, 1] for frame in ("first.left", "second.left", "second.right")]
    assert ends == pytest.approx(after, abs=1e-8)


@pytest.mark.parametrize("stick", [False, True])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("angles", [(0.5, 1.4), (1.3, 0.2), (2.2, -0.4)])
def test_bent_chain_strikes_the_floor(angles, e, stick):
    s = two_links(angles, 0.02, 2.0, restitution=e, friction=50.0 * stick)
    after, impulses, lost = collisions.bent_chain(1.5, 0.8, angles, 2.0, e, stick=stick)
    for formulation, speeds in WAYS:
        run = s.simulate(0.01 + AFTER, formulation=formulation, speeds=speeds, **TIGHT)
        check_record(run.impacts[0], (impulses[3] if stick else 0, impulses[2], 0), lost)
        rates = [*run["first.rate"][-1], *run["second.velocity"][-1, :2], run["second.omega"][-1, 2]]
        assert rates == pytest.approx(list(after), abs=1e-7)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_centre_of_percussion(e):
    """A hinged rod strikes a wall at two thirds of its length: the hinge feels nothing, so all momentum is the wall's."""
    m, length, w = 2.0, 1.5, -1.7
    J = m * length**2 / 12
    impulses = {}
    for point, arm in (("sweet", 2 * length / 3), ("tip", length)):
        s = kf.System("bat")
        s.add("wall", kf.Rigid(0.0, frames={"face": kf.Frame((0, 0, 0), UP)}))
        bat = kf.Rigid(m, com=(length / 2, 0, 0), inertia=(0.01, J, J), frames={point: (arm, 0, 0)})
        s.add("bat", bat, kf.Revolute("z"), q=0.1, rates=w)
        s.contact("hit", kf.Contact(f"bat.{point}", on="wall.face", restitution=e))
        (hit,) = s.simulate(0.1, **TIGHT).impacts
        assert hit.t == pytest.approx(-0.1 / w, abs=1e-10)
        assert hit.impulse == pytest.approx((0, -(1 + e) * m * length**2 / 3 * w / arm, 0), abs=1e-9)
        impulses[point] = np.diff(hit.linear_momentum, axis=0)[0] - hit.impulse
    assert impulses["sweet"] == pytest.approx((0, 0, 0), abs=1e-9)
    assert impulses["tip"][1] == pytest.approx(-(1 + e) * m * length * w * (1 / 2 - 1 / 3), abs=1e-9)


# -- trees, loops, motions -------------------------------------------------------------------------------------------------


def acrobat(contact: kf.Contact | None = None) -> kf.System:
    """A tree of several kinds of joints with a wheel; one hand comes down to the floor."""
    rng = np.random.default_rng(5)
    s = kf.System("acrobat", gravity=(0, 0, -G))

    def body():
        return kf.Rigid(rng.uniform(1, 2), com=0.1 * rng.normal(size=3), inertia=rng.uniform(0.1, 0.15, 3))

    s.add("trunk", body(), kf.Free(), q=(0, 0, 1.05, 1, 0, 0, 0), rates=(0.3, -0.2, -2, *rng.normal(size=3)))
    s.add("arm", body(), kf.Universal(("x", "y")), parent="trunk", at=(0.3, 0, 0), q=(0.3, -0.2), rates=rng.normal(size=2))
    hand = s.add("hand", body(), kf.Spherical(), parent="arm", at=(0, 0, -0.5), rates=rng.normal(size=3))
    hand.frame("palm", (0.05, 0.02, -0.5))
    s.add("leg", body(), kf.Cylindrical((1, 1, 0)), parent="trunk", at=(-0.3, 0, 0), q=(0.2, 0.1), rates=rng.normal(size=2))
    s.add_rotor("wheel", "leg", kf.Rotor("z", 0.02, rate=30.0))
    if contact:
        s.contact("palm", contact)
    else:
        s.add_input("push", kf.Force("hand.palm", (0, 0, 1), axes="inertial"))
    return s


def response(system: kf.System, state: kf.State) -> float:
    """n.K n at the palm: what a unit force does to its acceleration."""
    up = [system.simulate(1e-9, initial=state, inputs={"push": x})["hand.palm.acceleration"][0, 2] for x in (0.0, 1.0)]
    return up[1] - up[0]


def test_tree_keeps_its_energy_or_loses_what_it_must():
    """At the normal speed v, e of it stays and (1 - e^2) v^2/(2 n.K n) of the energy goes."""
    touch = kf.Event(lambda t, x: x[2], ["hand.palm.position"], terminal=True)
    before = acrobat().simulate(1.0, events=[touch], **TIGHT)
    v, K = before["hand.palm.velocity"][-1, 2], response(acrobat(), before.final)
    assert v < -0.5
    duration = before.t[-1] + AFTER
    for e in (0.0, 0.4, 1.0):
        hits = []
        for formulation, speeds in WAYS:
            s = acrobat(kf.Contact("hand.palm", restitution=e, after="bounce" if e else "slide"))
            run = s.simulate(duration, formulation=formulation, speeds=speeds, **TIGHT)
            (hit,) = run.impacts
            hits.append(np.array([hit.t, *hit.impulse, *hit.energy, *hit.linear_momentum[1], *hit.angular_momentum[1]]))
            assert run.audit.ok and run["hand.palm.velocity"][-1, 2] == pytest.approx(-e * v, abs=1e-7)
            point = run["hand.palm.position"][-1]
        assert np.ptp(hits, axis=0).max() < 1e-9  # in whichever formulation and speeds
        check_record(hit, (0, 0, -(1 + e) * v / K), (1 - e * e) * v**2 / (2 * K), 1e-8)
        assert np.diff(hit.linear_momentum, axis=0)[0] == pytest.approx(hit.impulse, abs=1e-10)
        moment = np.cross(point, hit.impulse)
        assert np.diff(hit.angular_momentum, axis=0)[0] == pytest.approx(moment, abs=1e-8)


@pytest.mark.parametrize("friction", [0.0, 0.1, 5.0])
def test_held_joint_acts_like_a_rigid_one(friction):
    found = []
    for joint in (kf.Fixed(), kf.Revolute("y", motion=kf.profiles.hold(0.0)), kf.Prismatic("x", motion=lambda t: 0 * t)):
        s = kf.System("arm")
        s.add(
            "hub",
            kf.Rigid(2.0, inertia=(0.3, 0.4, 0.5)),
            kf.Free(),
            q=(0, 0, 1.02, 1, 0, 0, 0),
            rates=(0.3, 0.1, -2, 0, 0, 0),
        )
        leg = kf.Rigid(1.0, com=(0, 0, -0.4), inertia=(0.1, 0.1, 0.05), frames={"foot": (0.1, 0.2, -1.0)})
        s.add("leg", leg, joint, parent="hub", at=(0.2, 0, 0))
        s.contact("hit", kf.Contact("leg.foot", restitution=0.5, friction=friction))
        (hit,) = s.simulate(0.015).impacts
        found.append([*hit.impulse, *hit.energy])
    assert np.ptp(found, axis=0).max() < 1e-12


def parallelogram(**contact) -> kf.System:
    """Two cranks of 1 m and a coupler that stays level; its foot comes to the floor when the cranks are at 1 rad."""
    m, d, start = 1.5, 2.0, 1.2
    s = kf.System("parallelogram")
    s.add("floor", kf.Rigid(0.0, frames={"up": kf.Frame((0, math.sin(1.0), 0), UP)}))
    crank = kf.Rigid(m, com=(0.5, 0, 0), inertia=(0.01, m / 12, m / 12), frames={"tip": (1, 0, 0)})
    s.add("left", crank, kf.Revolute("z"), q=start, rates=-1.0)
    s.add("right", crank, kf.Revolute("z"), at=(d, 0, 0), q=start, rates=-1.0)
    bar = kf.Rigid(2.5, com=(d / 2, 0, 0), inertia=(0.01, 0.8, 0.8), frames={"tip": (d, 0, 0), "foot": (1.5, 0, 0)})
    s.add("bar", bar, kf.Revolute("z"), parent="left", at="tip", q=-start, rates=1.0)
    s.close("pin", "bar.tip", "right.tip", kf.Revolute("z"))
    s.contact("foot", kf.Contact("bar.foot", on="floor.up", **contact))
    return s


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("e", [0.5, 1.0])
def test_loop_stays_closed_through_an_impact(e, way):
    """One freedom: the crank's rate w becomes -e w, by J = (1 + e) M w/cos(angle), M = 2 m/3 + the coupler's mass."""
    run = parallelogram(restitution=e).simulate(0.5, formulation=way[0], speeds=way[1], **TIGHT)
    (hit,) = run.impacts
    M = 2 * 1.5 / 3 + 2.5
    assert hit.t == pytest.approx(0.2, abs=1e-11)
    check_record(hit, (0, (1 + e) * M / math.cos(1.0), 0), (1 - e * e) * M / 2)
    for name, rate in (("left", e), ("right", e), ("bar", -e)):
        assert run[f"{name}.rate"][-1] == pytest.approx(rate, abs=1e-10)
    assert run.audit.ok and run.audit.position_violation < 1e-12 and run.audit.velocity_violation < 1e-12


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("mu", [0.1, 0.5])
def test_friction_on_a_loop_of_one_freedom(mu, e, way):
    """The foot slips forth until it stops, and back as it rebounds: J1 (c + mu s) = M w, J2 (c - mu s) = e M w."""
    run = parallelogram(restitution=e, friction=mu).simulate(0.3, formulation=way[0], speeds=way[1], **TIGHT)
    c, s, M = math.cos(1.0), math.sin(1.0), 2 * 1.5 / 3 + 2.5
    J1, J2 = M / (c + mu * s), e * M / (c - mu * s)
    check_record(run.impacts[0], (mu * (J2 - J1), J1 + J2, 0), (1 - e * e) * M / 2)
    assert run["left.rate"][-1] == pytest.approx(e, abs=1e-10)
    assert run.audit.position_violation < 1e-12 and run.audit.velocity_violation < 1e-12


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("mu", [1.0, 3.0])
@pytest.mark.parametrize("after", ["slide", "stick", "bounce"])
def test_friction_locks_a_loop_of_one_freedom(mu, e, after):
    """With mu > cot(1) the foot cannot slip back, and so not rebound: it stops, by J (c + mu s) = M w, and stays."""
    run = parallelogram(restitution=e, friction=mu, after=after).simulate(0.3)
    c, s, M = math.cos(1.0), math.sin(1.0), 2 * 1.5 / 3 + 2.5
    (hit,) = run.impacts
    J = np.array(hit.impulse)
    if after != "stick":  # which is without regard to friction
        assert abs(J[0]) <= mu * J[1] * (1 + 1e-12)
    assert s * -J[0] + c * J[1] == pytest.approx(M, abs=1e-9)
    assert hit.energy[1] == pytest.approx(0, abs=1e-12) and np.abs(run.last["left.rate"][-1]) < 1e-12


@pytest.mark.parametrize("rate", [0.0, 1.3])
@pytest.mark.parametrize("friction", [0.0, 0.05, 3.0])
@pytest.mark.parametrize("e", [0.5, 1.0])
def test_ball_on_a_tilted_plate_that_moves(e, friction, rate):
    """The plate rises at 0.7 m/s and turns; seen from its face the ball comes at v - V."""
    s = kf.System("plate", gravity=(0, 0, -G))
    s.add("lift", kf.Rigid(1.0), kf.Prismatic("z", motion=kf.profiles.constant_rate(0.7)))
    plate = kf.Rigid(5.0, inertia=(1, 1, 1), frames={"face": kf.Frame((0, 0, 0.1), (("y", 0.3),))})
    s.add("plate", plate, kf.Revolute("y", motion=kf.profiles.constant_rate(rate)), parent="lift")
    s.add("ball", kf.PointMass(1.5), kf.Translational(), q=(0.2, 0.1, 0.3), rates=(0.5, 0.2, 0))
    s.contact("hit", kf.Contact("ball", on="plate.face", restitution=e, friction=friction))

    def at(t):
        n = np.array([math.sin(0.3 + rate * t), 0, math.cos(0.3 + rate * t)])
        face = np.array([0.1 * math.sin(rate * t), 0, 0.1 * math.cos(rate * t) + 0.7 * t])
        return n, face, np.array([0.2 + 0.5 * t, 0.1 + 0.2 * t, 0.3 - G * t * t / 2])

    def gap(t):
        n, face, p = at(t)
        return n @ (p - face)

    t = brentq(gap, 0, 0.5, xtol=1e-15)
    n, _, p = at(t)
    v = np.array([0.5, 0.2, -G * t])
    V = np.array([0, 0, 0.7]) + np.cross((0, rate, 0), p - (0, 0, 0.7 * t))
    exact = collisions.collide(collisions.Body(1.5, np.eye(3), p, v - V, np.zeros(3)), None, p, n, e, friction)
    run = s.simulate(0.25, **TIGHT)
    (hit,) = run.impacts
    assert hit.t == pytest.approx(t, abs=1e-11)
    assert hit.impulse == pytest.approx(exact.impulse, abs=1e-10)
    after = v + exact.impulse / 1.5
    assert run["ball.velocity"][-1] == pytest.approx(after - (0, 0, G * (0.25 - t)), abs=1e-10)
    assert hit.energy[1] - hit.energy[0] == pytest.approx(0.75 * (after @ after - v @ v), abs=1e-10)
    assert run.audit.ok


# -- bounces ---------------------------------------------------------------------------------------------------------------


def ball(height=1.0, velocity=(0, 0, 0), **contact) -> kf.System:
    s = kf.System("ball", gravity=(0, 0, -G))
    s.add("ball", kf.PointMass(2.0), kf.Translational(), q=(0, 0, height), rates=velocity)
    s.contact("floor", kf.Contact("ball", **contact))
    return s


@pytest.mark.parametrize("e", [0.3, 0.5, 0.8])
def test_bounces_are_a_geometric_series_that_ends(e):
    """Flight k takes 2 e^k v/g; below rest_speed the ball stays, by all flights 2 v e/(g (1 - e)) after the first fall."""
    rest = 1e-3
    v = math.sqrt(2 * G)
    run = ball(velocity=(0.4, 0, 0), restitution=e, after="slide", rest_speed=rest).simulate(6.0)
    count = math.ceil(math.log(rest / v) / math.log(e)) + 1
    times = [v / G * (1 + 2 * sum(e**k for k in range(1, n + 1))) for n in range(count)]
    assert [hit.t for hit in run.impacts] == pytest.approx(times, abs=1e-9)
    assert [hit.impulse[2] for hit in run.impacts[:3]] == pytest.approx([2 * (1 + e) * v * e**k for k in range(3)], abs=1e-8)
    assert times[-1] == pytest.approx(v / G * (1 + 2 * e / (1 - e)), abs=2 * rest / G / (1 - e))
    assert len(run.segments) == 1 and run.t[-1] == 6.0
    assert run["ball.q"][-1] == pytest.approx((0.4 * 6, 0, 0), abs=1e-10)
    assert run.last.loads("floor").force[-1] == pytest.approx((0, 0, 2 * G), abs=1e-10)
    assert run.last["floor.multipliers"][-1] == pytest.approx(2 * G)
    assert np.isnan(run["floor.multipliers"][0]) and np.isnan(run.loads("floor").force[0]).all()
    assert run.audit.ok and run.audit.penetration < 1e-10


@pytest.mark.parametrize("method", ["dopri5", "dop853", "rk4", "radau5", "sdirk4"])
def test_every_method_finds_the_bounces(method):
    step = {"step": 1e-3} if method == "rk4" else {}
    run = ball(restitution=1.0).simulate(4.0, method=method, **step)
    fall = math.sqrt(2 / G)
    assert [hit.t for hit in run.impacts] == pytest.approx([fall * (1 + 2 * k) for k in range(4)], abs=1e-8)
    assert run.audit.ok and run["energy.total"] == pytest.approx(2 * G, abs=1e-6)


def test_ball_between_floor_and_wall():
    """Two contacts of one point."""
    s = ball(velocity=(1.5, 0, 0), restitution=0.9)
    s.add("room", kf.Rigid(0.0, frames={"face": kf.Frame((1.0, 0, 0), facing((-1, 0, 0)))}))
    s.contact("wall", kf.Contact("ball", on="room.face", restitution=0.5))
    run = s.simulate(1.2)
    fall = math.sqrt(2 / G)
    assert [hit.name for hit in run.impacts] == ["floor", "wall"]
    assert [hit.t for hit in run.impacts] == pytest.approx([fall, 2 / 3], abs=1e-10)
    assert run["ball.q"][-1] == pytest.approx((1 - 0.75 * (1.2 - 2 / 3), 0, run["ball.q"][-1, 2]), abs=1e-10)
    assert run.audit.ok


def test_run_is_extended_through_bounces():
    s = ball(restitution=0.8, after="slide")
    whole, half = s.simulate(3.0), s.simulate(1.5)
    rest = half.extend(1.5)
    assert len(half.impacts) + len(rest.impacts) == len(whole.impacts) > 4
    assert [hit.t for hit in rest.impacts] == pytest.approx([hit.t for hit in whole.impacts[len(half.impacts) :]], abs=1e-10)
    assert rest.final["ball.q"] == pytest.approx(whole.final["ball.q"], abs=1e-9)


@pytest.mark.parametrize("e", [0.0, 0.1, 0.5, 0.9])
def test_bounces_without_end_come_to_rest(e):
    """At the end of their series, or at once where the ball starts at rest on the floor: it stays there, and slides on."""
    end = math.sqrt(2 / G) * (1 + 2 * e / (1 - e))
    run = ball(velocity=(0.1, 0, 0), restitution=e, after="bounce").simulate(end + 1.0)
    assert run.impacts[-1].t == pytest.approx(end, abs=3e-5 / (1 - e) ** 2)
    assert run["ball.q"][-1] == pytest.approx((0.1 * (end + 1.0), 0, 0), abs=1e-9) and run.audit.penetration < 1e-9
    assert run.last.loads("floor").force[-1] == pytest.approx((0, 0, 2 * G), abs=1e-9) and run.audit.ok
    run = ball(height=0.0, restitution=e, after="bounce").simulate(1.0)
    assert run["ball.q"][-1] == pytest.approx((0, 0, 0), abs=1e-12)


def test_point_below_its_plane_is_refused():
    with pytest.raises(kf.ModelError, match=r'"floor".*starts 0\.25 m below the plane: start it above'):
        ball(height=-0.25).simulate(1.0)


# -- points that stay ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", ["slide", "stick"])
@pytest.mark.parametrize("amplitude", [0.09, 0.1, 0.3])
def test_ball_leaves_a_shaken_table(after, amplitude):
    """z = A sin(w t): the ball leaves when A w^2 sin(w t) = g, flies, and comes down again."""
    w = 12.0
    s = kf.System("table", gravity=(0, 0, -G))
    shake = kf.profiles.cosine(amplitude, w, -math.pi / 2)
    s.add("table", kf.Rigid(1.0), kf.Prismatic("z", motion=shake))
    s.add("ball", kf.PointMass(1.5), kf.Translational(), q=(0.1, 0.2, 0), rates=(0, 0, amplitude * w))
    s.contact("touch", kf.Contact("ball", on="table", after=after))
    leaves = math.asin(G / (amplitude * w * w)) / w
    z, v = amplitude * math.sin(w * leaves), amplitude * w * math.cos(w * leaves)

    def height(t):
        return z + v * (t - leaves) - G / 2 * (t - leaves) ** 2 - amplitude * math.sin(w * t)

    lands = next(t for t in np.arange(leaves + 0.05, 5, 0.001) if height(t) < 0)
    lands = brentq(height, lands - 0.001, lands, xtol=1e-14)
    run = s.simulate(lands + 0.001, **TIGHT)
    assert [name for _, name in run.events] == ["touch", "touch lets go", "touch"]
    assert [t for t, _ in run.events] == pytest.approx([0, leaves, lands], abs=1e-9)
    on = run.segments[1]  # the first ends at once, when the ball is held, the third is the flight
    force = 1.5 * (G - amplitude * w * w * np.sin(w * on.t))
    assert on.loads("touch").force[:, 2] == pytest.approx(force, abs=1e-9)
    assert np.abs(on["ball.q"][:, 2] - on["table.q"]).max() < 1e-10
    speed = v - G * (lands - leaves) - amplitude * w * math.cos(w * lands)
    assert run.impacts[-1].impulse == pytest.approx((0, 0, -1.5 * speed), abs=1e-8)
    assert run.audit.ok


def test_ball_stays_on_a_table_that_is_shaken_gently():
    s = kf.System("table", gravity=(0, 0, -G))
    s.add("table", kf.Rigid(1.0), kf.Prismatic("z", motion=kf.profiles.cosine(0.068, 12.0)))  # A w^2 = 9.79 < g
    s.add("ball", kf.PointMass(1.5), kf.Translational(), q=(0.1, 0.2, 0.068))
    s.contact("touch", kf.Contact("ball", on="table", after="stick"))
    run = s.simulate(3.0)
    assert run.events == [(0.0, "touch")] and np.abs(run["ball.q"][:, 2] - run["table.q"]).max() < 1e-10
    assert 0 < run.last.loads("touch").force[:, 2].min() < 0.05


def test_ball_is_lifted_when_the_pull_exceeds_its_weight():
    """A pull of k t: let go at t0 = m g/k, then m z'' = k (t - t0)."""
    s = ball(height=0.0, after="stick")
    s.apply("pull", kf.Force("ball", lambda t: (0.0, 0.0, 30.0 * t)))
    run = s.simulate(1.0, **TIGHT)
    t0 = 2 * G / 30
    assert run.events[-1][1] == "floor lets go" and run.events[-1][0] == pytest.approx(t0, abs=1e-9)
    assert run["ball.q"][-1, 2] == pytest.approx(30 / 2 * (1 - t0) ** 3 / 6, abs=1e-9)
    assert run.segments[-1].loads("floor").force[:, 2] == pytest.approx(2 * G - 30 * run.segments[-1].t, abs=1e-9)


@pytest.mark.parametrize("after", ["slide", "stick"])
def test_ball_on_a_slope_slides_or_sticks(after):
    slope = 0.3
    s = kf.System("slope", gravity=(0, 0, -G))
    s.add("hill", kf.Rigid(0.0, frames={"face": kf.Frame((0, 0, 0), (("y", slope),))}))
    s.add("ball", kf.PointMass(2.0), kf.Translational(), q=(0, 0, 0.5), rates=(0.3, 0.1, 0))
    s.contact("touch", kf.Contact("ball", on="hill.face", after=after))
    run = s.simulate(1.0, **TIGHT)
    down = np.array([math.cos(slope), 0, -math.sin(slope)])
    n = np.array([math.sin(slope), 0, math.cos(slope)])
    t = brentq(lambda t: n @ (0.3 * t, 0.1 * t, 0.5 - G * t * t / 2), 0, 1, xtol=1e-15)
    p, v = np.array([0.3 * t, 0.1 * t, 0.5 - G * t * t / 2]), np.array([0.3, 0.1, -G * t])
    (hit,) = run.impacts
    assert hit.t == pytest.approx(t, abs=1e-11)
    assert hit.energy[0] == pytest.approx(2 * G * 0.5 + 0.3**2 + 0.1**2, rel=1e-11)  # with that of gravity
    if after == "stick":
        assert run["ball.q"][-1] == pytest.approx(p, abs=1e-9)
        assert hit.impulse == pytest.approx(-2 * v, abs=1e-9)
        assert run.last.loads("touch").force[-1] == pytest.approx((0, 0, 2 * G), abs=1e-9)
    else:
        along = v - (v @ n) * n
        end = p + along * (1 - t) + G * math.sin(slope) * (1 - t) ** 2 / 2 * down
        assert run["ball.q"][-1] == pytest.approx(end, abs=1e-9)
        assert hit.impulse == pytest.approx(-2 * (v @ n) * n, abs=1e-9)
        assert run.last.loads("touch").force[-1] == pytest.approx(2 * G * math.cos(slope) * n, abs=1e-9)


def test_ball_does_not_stay_on_a_table_that_falls_away():
    """The table falls at 20 m/s^2; the ball catches it up, takes its speed, and falls on at g."""
    s = kf.System("table", gravity=(0, 0, -G))
    s.add("table", kf.Rigid(1.0), kf.Prismatic("z", motion=lambda t: -10 * t * t))
    s.add("ball", kf.PointMass(1.5), kf.Translational(), q=(0, 0, 0.1), rates=(0.2, 0, -2.0))
    s.contact("touch", kf.Contact("ball", on="table"))
    run = s.simulate(0.5, **TIGHT)
    t = (2 - math.sqrt(4 - 0.4 * (10 - G / 2))) / (2 * (10 - G / 2))
    (hit,) = run.impacts
    assert hit.t == pytest.approx(t, abs=1e-11)
    rest = 0.5 - t
    assert run["ball.q"][-1] == pytest.approx((0.1, 0, -10 * t * t - 20 * t * rest - G * rest**2 / 2), abs=1e-9)
    assert "touch" not in run.model.constraints and run.audit.ok


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_ball_sticks_to_a_turning_plate(way):
    """Where it hit, as the plate sees it; the plate's joint takes the force that holds it."""
    s = kf.System("plate", gravity=(0, 0, -G))
    plate = kf.Rigid(5.0, inertia=(1, 1, 1), frames={"face": kf.Frame((0, 0.1, 0.2), (("y", 0.2),))})
    joint = kf.Universal(("x", "y"), motion={"angle1": lambda t: 0.3 + 0.2 * t, "angle2": lambda t: 0.1 - 0.3 * t})
    s.add("plate", plate, joint, at=(0, 0, -0.2))
    s.add("ball", kf.PointMass(1.5), kf.Translational(), q=(0.2, 0.1, 0.5), rates=(0.5, 0.2, 0))
    s.contact("touch", kf.Contact("ball", on="plate.face", after="stick"))
    run = s.simulate(1.0, formulation=way[0], speeds=way[1], **TIGHT)
    held = run.last
    assert "touch" in held.model.constraints and held.t[-1] - held.t[0] > 0.5
    seen = np.einsum("nji,nj->ni", held["plate.face.rotation"], held["ball.position"] - held["plate.face.position"])
    assert np.ptp(seen, axis=0).max() < 1e-10 and np.abs(seen[:, 2]).max() < 1e-10 and np.hypot(*seen[0, :2]) > 0.1
    force = 1.5 * (held["ball.acceleration"] + (0, 0, G))
    assert held.loads("touch").force == pytest.approx(force, abs=1e-8)
    assert run.audit.ok


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_rod_pivots_about_the_end_that_sticks(way):
    """A rod of 3 kg and 2 m lands on its left end at 45 degrees and turns about it: I_end w^2/2 + m g h stays."""
    s = falling_rod(math.pi / 4, (0, -2.0), after="stick")
    s.gravity = (0.0, -G, 0.0)
    run = s.simulate(0.3, formulation=way[0], speeds=way[1], **TIGHT)
    segment, mass, inertia = run.last, 3.0, 3.0 * 4 / 3
    angle, rate = segment["rod.q"][:, 2], segment["rod.rate"][:, 2]
    energy = inertia * rate**2 / 2 + mass * G * np.sin(angle)
    assert np.ptp(energy) < 1e-9 and rate[0] < 0 and len(run.impacts) == 1
    assert np.ptp(segment["rod.left.position"], axis=0).max() < 1e-11
    normal = mass * (G + -np.sin(angle) * rate**2 - np.cos(angle) * mass * G * np.cos(angle) / inertia)
    assert segment.loads("end").force[:, 1] == pytest.approx(normal, abs=1e-8)
    assert run.audit.ok


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("after", ["slide", "stick"])
def test_stool_lands_flat_on_three_feet(after, way):
    """Three contacts in one instant are one impact: all feet are held, each carries a third, only what may slide slides."""
    s = kf.System("stool", gravity=(0, 0, -G))
    feet = {f"foot{k}": (math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3), -0.5) for k in range(3)}
    start = (0, 0, 0.7, 1, 0, 0, 0)
    s.add("stool", kf.Rigid(3.0, inertia=(0.5, 0.5, 0.8), frames=feet), kf.Free(), q=start, rates=(0.4, 0, 0, 0, 0, 0))
    for foot in feet:
        s.contact(foot, kf.Contact(f"stool.{foot}", after=after))
    run = s.simulate(1.0, formulation=way[0], speeds=way[1])
    fall = math.sqrt(0.4 / G)
    (hit,) = run.impacts
    assert hit.name == "foot0, foot1, foot2" and hit.t == pytest.approx(fall, abs=1e-10)
    assert run.events == [(hit.t, foot) for foot in feet]
    before, later = hit.linear_momentum
    assert before == pytest.approx((1.2, 0, -3 * G * fall), abs=1e-9)
    assert later == pytest.approx((0 if after == "stick" else 1.2, 0, 0), abs=1e-9)
    each = dict(hit.impulses)
    assert list(each) == list(feet) and np.sum(list(each.values()), axis=0) == pytest.approx(
        np.subtract(later, before), abs=1e-9
    )
    assert hit.impulse == pytest.approx(np.subtract(later, before), abs=1e-9)
    if after == "slide":
        assert [P[2] for P in each.values()] == pytest.approx([G * fall] * 3, abs=1e-9)
    rest = run.last
    for foot in feet:
        assert rest.loads(foot).force[-1, 2] == pytest.approx(G, abs=1e-9)
    along = 0.4 * (fall if after == "stick" else 1.0)
    assert rest["stool.position"][-1] == pytest.approx((along, 0, 0.5), abs=1e-9)
    assert run.audit.ok and run.audit.penetration < 1e-10


@pytest.mark.parametrize("e", [0.5, 1.0])
def test_stool_bounces_off_flat(e):
    """All feet at once: the stool goes up at e times the speed it came down with, without turning."""
    s = kf.System("stool", gravity=(0, 0, -G))
    feet = {f"foot{k}": (math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3), -0.5) for k in range(3)}
    s.add("stool", kf.Rigid(3.0, inertia=(0.5, 0.5, 0.8), frames=feet), kf.Free(), q=(0, 0, 0.7, 1, 0, 0, 0))
    for foot in feet:
        s.contact(foot, kf.Contact(f"stool.{foot}", restitution=e, after="bounce"))
    run = s.simulate(math.sqrt(0.4 / G) + 0.05, output=0.001)
    (hit,) = run.impacts
    v = math.sqrt(0.4 * G)
    assert [P for _, P in hit.impulses] == [pytest.approx((0, 0, (1 + e) * v), abs=1e-11)] * 3
    assert hit.energy[0] - hit.energy[1] == pytest.approx(1.5 * (1 - e * e) * v * v, abs=1e-11)
    assert run["stool.velocity"][-1] == pytest.approx((0, 0, e * v - G * (run.t[-1] - hit.t)), abs=1e-10)
    assert np.abs(run["stool.omega"]).max() < 1e-11 and run.audit.ok and run.audit.penetration < 1e-9


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize(("after", "e"), [("slide", 0.0), ("stick", 0.0), ("slide", 0.3), ("bounce", 0.5)])
def test_table_lands_flat_on_four_feet(after, e, friction):
    """One foot too many to tell the shares of a rigid table: each gets a quarter, at every landing."""
    s = kf.System("table", gravity=(0, 0, -G))
    feet = {f"foot{k}": (math.cos(math.pi * k / 2), math.sin(math.pi * k / 2), -0.5) for k in range(4)}
    s.add("table", kf.Rigid(3.0, inertia=(0.5, 0.5, 0.8), frames=feet), kf.Free(), q=(0, 0, 0.7, 1, 0, 0, 0))
    for foot in feet:
        s.contact(foot, kf.Contact(f"table.{foot}", restitution=e, friction=friction, after=after))
    run = s.simulate(1.0 if after != "bounce" else 0.4)
    v = math.sqrt(0.4 * G)
    hits = {0.0: 1, 0.3: len(run.impacts), 0.5: 1}[e]
    assert len(run.impacts) == hits <= 8
    for k, hit in enumerate(run.impacts[:3]):
        assert [P for _, P in hit.impulses] == [pytest.approx((0, 0, 0.75 * (1 + e) * v * e**k), abs=1e-7)] * 4
    assert run.audit.ok
    if after != "bounce":
        assert run["table.position"][-1] == pytest.approx((0, 0, 0.5), abs=1e-9)
        assert [run.last.loads(foot).force[-1, 2] for foot in feet] == pytest.approx([0.75 * G] * 4, abs=1e-9)


def test_table_on_four_feet_is_lifted_at_one():
    """A force m g t at foot 0: by shares of least norm that foot is free at t = 1/3, and the table stands on the other three
    until the force takes the weight off feet 1 and 3 too: t = 1/2, when it turns about foot 2.
    """
    s = kf.System("table", gravity=(0, 0, -G))
    feet = {f"foot{k}": (math.cos(math.pi * k / 2), math.sin(math.pi * k / 2), -0.5) for k in range(4)}
    s.add("table", kf.Rigid(3.0, inertia=(0.5, 0.5, 0.8), frames=feet), kf.Free(), q=(0, 0, 0.5, 1, 0, 0, 0))
    for foot in feet:
        s.contact(foot, kf.Contact(f"table.{foot}"))
    s.apply("lift", kf.Force("table.foot0", lambda t: (0, 0, 3 * G * t)))
    run = s.simulate(0.52)
    times, words = zip(*run.events[-3:], strict=True)
    assert words == ("foot0 lets go", "foot1 lets go", "foot3 lets go")
    assert times == pytest.approx((1 / 3, 0.5, 0.5), abs=1e-9)
    assert list(run.model.constraints) == ["foot2"]
    stands = run.t < 0.5
    assert np.ptp(run["table.position"][stands], axis=0).max() < 1e-10 and run["table.foot0.position"][-1, 2] > 1e-7
    assert run["table.foot2.position"][-1, 2] == pytest.approx(0, abs=1e-10) and run.audit.ok


def test_rocking_stool_comes_to_rest():
    """Tilted, with restitution: feet strike one after another, and it ends level on all of them with its energy gone."""
    s = kf.System("stool", gravity=(0, 0, -G))
    feet = {f"foot{k}": (math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3), -0.5) for k in range(3)}
    start = (0, 0, 0.7, math.cos(0.025), math.sin(0.025), 0, 0)
    s.add("stool", kf.Rigid(3.0, inertia=(0.5, 0.5, 0.8), frames=feet), kf.Free(), q=start)
    for foot in feet:
        s.contact(foot, kf.Contact(f"stool.{foot}", restitution=0.3, friction=0.4, after="stick"))
    run = s.simulate(2.0)
    assert {hit.name for hit in run.impacts} == set(feet) and len(run.impacts) > 6
    assert all(hit.energy[1] <= hit.energy[0] + 1e-12 and hit.impulse[2] >= 0 for hit in run.impacts)
    assert run["stool.position"][-1, 2] == pytest.approx(0.5, abs=1e-9)
    assert run["energy.total"][-1] == pytest.approx(3 * G * 0.5, abs=1e-8)
    assert sum(run.last.loads(foot).force[-1, 2] for foot in feet) == pytest.approx(3 * G, abs=1e-8)
    assert run.audit.ok and run.audit.penetration < 1e-9


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau5", "sdirk4"])
@pytest.mark.parametrize("below", [0.1, 1e-3, 1e-6])
def test_a_collision_within_one_step_is_found(method, below):
    """Thrown up at a ceiling just below the apex: free flight takes one step from below it to below it again."""
    g = 9.81
    s = kf.System("throw", gravity=(0, 0, -g))
    s.add("ball", kf.Rigid(1.0), kf.Translational(), q=(0, 0, 0), rates=(0, 0, np.sqrt(2 * g)))
    s.add("roof", kf.Rigid(1.0), kf.Fixed(), at=kf.Frame((0, 0, 1 - below), (("x", np.pi),)))
    s.contact("hit", kf.Contact("ball", on="roof", restitution=1.0, after="bounce"))
    run = s.simulate(0.9, method=method)
    assert [i.t for i in run.impacts] == pytest.approx([np.sqrt(2 / g) * (1 - np.sqrt(below))], abs=1e-11)
    assert run.audit.ok
