"""Momentum, energy and power along runs and across impacts, from sums of our own over the bodies; systems that are
symmetric and stay so. Tolerances are a few times the errors seen at rtol = 1e-12."""

import numpy as np
import pytest
from formulations.flexible import particle_body
from properties.alike import few_and_many, holds
from properties.worlds import (
    INNER,
    World,
    flexible,
    flexible_loops,
    looped,
    rigid,
    struck,
    system_of,
    undamped,
)
from trees import direction, frame
from trees import rigid as some_body

import kaneflex as kf
from kaneflex.model.frames import Frame

Array = np.ndarray
ELASTIC = {"restitution": (1.0, 1.0), "friction": 0.0}
BETWEEN = tuple(x for x in INNER if x[1] != "rotor")


def momenta(world: World, run: kf.Run) -> tuple[Array, Array, Array]:
    """Momentum, angular momentum about the origin, and mass centre times mass, summed over rigid bodies and rotors here."""
    P, H, S = (np.zeros((len(run.t), 3)) for _ in range(3))
    for name, part in world.system.parts.items():
        body = part.body
        assert isinstance(body, kf.Rigid)
        R, w = run[f"{name}.rotation"], run[f"{name}.omega"]
        c = np.einsum("tij,j->ti", R, np.array(body.com))
        r = run[f"{name}.position"] + c
        v = run[f"{name}.velocity"] + np.cross(np.einsum("tij,tj->ti", R, w), c)
        spin = w @ np.array(body.inertia)
        for rotor_name, (owner, rotor) in world.system.rotors.items():
            if owner == name:
                spin = spin + rotor.inertia * np.outer(run[f"{rotor_name}.rate"], rotor.axis)
        P += body.mass * v
        S += body.mass * r
        H += np.einsum("tij,tj->ti", R, spin) + body.mass * np.cross(r, v)
    return P, H, S


FLOATING = {
    "rigid": lambda seed: rigid(seed, root="Free", loads=BETWEEN, gravity=False),
    "looped": lambda seed: looped(
        seed, root="Free", loads=BETWEEN, gravity=False, ties=("Spherical", "Distance", "PointOnLine")
    ),
    "struck table": lambda seed: still(struck(seed, table=True)),
    "held on a table": lambda seed: still(struck(seed, table=True, restitution=(0.0, 0.0), after="slide", feet=1)),
}


def still(world: World) -> World:
    """Without gravity: what falls has been falling, its feet towards the table."""
    system = system_of(world.system)
    system.gravity = (0.0, 0.0, 0.0)
    start = {n: np.array(x) for n, x in world.start.items()}
    root = world.bodies[0]
    R = world.poses([root])[root][0] @ system.parts[root].hinge.R
    start[f"{root}.rate"][:3] += R.T @ [0.0, 0.0, -1.0]
    return world.but(system=system, start=start)


def floats(world: World) -> bool:
    """Whether nothing ties a world to N."""
    ends = [e for c in world.system.constraints.values() for e in c.ends()]
    return all(isinstance(e, str) and e != "N" for e in ends)


def floating(kind: str, seed: int) -> World:
    return next(w for w in (FLOATING[kind](100 * seed + k) for k in range(100)) if floats(w))


@pytest.mark.parametrize("kind", FLOATING)
@few_and_many
def test_momentum_about_any_point(kind, seeds):
    """Of what floats, with springs, loops and contacts between its bodies, momentum and angular momentum about any point
    that is fixed or moves evenly are constant. The sums are those of the run's own channels."""

    def measure(seed, spoil=0.0):
        world = floating(kind, seed)
        run = (pulled(world, spoil) if spoil else world).run()
        P, H, _ = momenta(world, run)
        rng = np.random.default_rng(seed)
        place, velocity = rng.normal(size=3), rng.normal(size=3)
        about = place + np.outer(run.t, velocity)
        turned = H - np.cross(about, P) + np.cross(np.outer(run.t, velocity), P)  # d/dt (H - a x P) = -a-dot x P
        scale = max(1.0, float(np.abs(H).max()))
        own = max(float(np.abs(run["momentum.linear"] - P).max()), float(np.abs(run["momentum.angular"] - H).max()))
        return max(float(np.ptp(x, axis=0).max()) for x in (P, H, turned)) / scale + own / scale

    holds(measure, seeds, 1e-10, spoil=1e-3)


def pulled(world: World, by: float) -> World:
    """With a small force from outside."""
    system = system_of(world.system)
    system.apply("pull", kf.Force(world.bodies[0], (by, 0.0, 0.0), "inertial"))
    return world.but(system=system)


@pytest.mark.parametrize("kind", ["struck", "struck loops"])
@few_and_many
def test_momentum_given_by_planes(kind, seeds):
    """Between impacts P grows as m g t; at each it jumps by the impulse, and H by the moment of it at the struck point."""

    def measure(seed, spoil=0.0):
        world = struck(seed, loops=kind == "struck loops", loads=BETWEEN)
        run = (pulled(world, spoil) if spoil else world).run()
        P, _, _ = momenta(world, run)
        mass = sum(p.body.mass for p in world.system.parts.values())
        given = sum((np.outer(run.t > i.t, i.impulse) for i in run.impacts), np.zeros((len(run.t), 3)))
        off = np.abs(P - P[0] - mass * np.outer(run.t, world.system.gravity) - given).max()
        for i in run.impacts:
            before, after = map(np.array, i.linear_momentum)
            off = max(off, np.abs(after - before - i.impulse).max())
            places = {name: point_at(world, run, name, i.t) for name, _ in i.impulses}
            moment = sum((np.cross(places[name], J) for name, J in i.impulses), np.zeros(3))
            before, after = map(np.array, i.angular_momentum)
            off = max(off, np.abs(after - before - moment).max())
        return float(off) / max(1.0, float(np.abs(P).max()))

    holds(measure, seeds, 1e-9, spoil=1e-3)


def point_at(world: World, run: kf.Run, contact: str, t: float) -> Array:
    """Where a contact's point is at a time, by a run that ends there."""
    return world.run(duration=t, times=[t])[f"{world.system.contacts[contact].point}.position"][-1]


# -- energy ----------------------------------------------------------------------------------------------------------------

WORKED = {
    "rigid": lambda seed: rigid(seed),
    "flexible": lambda seed: flexible(seed),
    "looped": lambda seed: looped(seed),
    "flexible loops": lambda seed: flexible_loops(seed),
    "struck": lambda seed: struck(seed),
    "struck flexible": lambda seed: struck(seed, soft=True),
    "held": lambda seed: struck(seed, restitution=(0.0, 0.0), after="slide", feet=1),
    "held flexible": lambda seed: struck(seed, soft=True, restitution=(0.0, 0.0), after="slide", feet=1),
}


@pytest.mark.parametrize("kind", WORKED)
@few_and_many
def test_power_is_the_rate_of_energy(kind, seeds):
    """At random instants, away from impacts: dE/dt by differences of sixth order is the sum of the loads' powers."""

    def measure(seed, spoil=0.0):
        world = WORKED[kind](seed)
        hits = [t for t, _ in world.run(output=world.span).events]
        some = np.random.default_rng(seed).uniform(0.02, world.span - 0.02, 5)
        h = 1e-3
        some = np.array([t for t in some if all(abs(t - x) > 4 * h for x in hits)])
        if not len(some):
            return 0.0
        times = np.unique(np.add.outer(some, h * np.arange(-3, 4)))
        run = world.run(times=times)
        at = np.array([[int(np.argmin(np.abs(run.t - t - k * h))) for k in range(-3, 4)] for t in some])
        weights = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
        rate = run["energy.total"][at] @ weights
        names = [*run.model.loads, *run.model.inputs]
        power = sum(
            ((run[f"{n}.power"] - run[f"{n}.dissipation"])[at[:, 3]] for n in names if "." not in n), np.zeros(len(some))
        )
        power = power + friction_power(run, at[:, 3])
        power = power + sum((modal_dissipation(world, run, b)[at[:, 3]] for b in world.bodies), np.zeros(len(some)))
        scale = max(1.0, float(np.abs(run["energy.kinetic"]).max()))
        return float(np.abs(rate - (1 + spoil) * power - spoil).max()) / scale

    holds(measure, seeds, 1e-6, spoil=1e-3)


def modal_dissipation(world: World, run: kf.Run, body: str) -> Array:
    """- eta-dot C eta-dot of a flexible body."""
    part = world.system.parts[body]
    if not part.body.is_flexible:
        return np.zeros(len(run.t))
    rates = run[f"{body}.modes_rate"].reshape(len(run.t), -1)
    return -np.einsum("ti,ij,tj->t", rates, part.body.modal.damping, rates)


def friction_power(run: kf.Run, at: Array) -> Array:
    """Power of the plane's force on held points that slide."""
    total = np.zeros(len(at))
    for name, contact in run.model.contacts.items():
        force = run.loads(name).force if any(name in part.model.constraints for part in (*run.segments, run.last)) else None
        if force is not None:
            v = run[f"{contact.point}.velocity"]
            total += np.nan_to_num(np.sum(force * v, axis=1))[at]
    return total


@pytest.mark.parametrize("kind", ["struck", "struck loops", "struck table", "struck flexible"])
@few_and_many
def test_work_of_an_impact(kind, seeds):
    """The energy that an impact takes is the work of its impulses, J (v before + v after)/2 at the struck points:
    friction and restitution included. Elastic impacts without friction take none."""

    def measure(seed, spoil=0.0):
        how = {"soft": kind == "struck flexible", "loops": kind == "struck loops", "table": kind == "struck table"}
        worst = 0.0
        for more in ({}, ELASTIC):
            world = struck(seed, **how, **more)
            run = world.run()
            for i in run.impacts:
                work = sum(work_of(world, run, name, np.array(J), i.t) for name, J in i.impulses) * (1 + spoil)
                lost = i.energy[1] - i.energy[0]
                scale = max(1.0, abs(i.energy[0]))
                worst = max(worst, abs(work - lost) / scale, abs(lost) / scale if more else 0.0)
        return worst

    holds(measure, seeds, 1e-8, spoil=0.01)


def work_of(world: World, run: kf.Run, name: str, J: Array, t: float) -> float:
    """J (v before + v after)/2, velocities of the point relative to the plane's body, carried to the instant by
    accelerations."""
    contact, h = world.system.contacts[name], 3e-7  # what is left of velocities is of the order of h^2
    beside = world.run(times=[t - h, t + h], output=None)
    point, on = contact.point, contact.on
    v = beside[f"{point}.velocity"][[0, -1]] + np.outer([h, -h], np.ones(3)) * beside[f"{point}.acceleration"][[0, -1]]
    if on != "N":
        for k, sign in ((0, 1), (-1, -1)):
            R, w = beside[f"{on}.rotation"][k], beside[f"{on}.omega"][k]
            alpha = R @ beside[f"{on}.alpha"][k]
            r = beside[f"{point}.position"][k] - beside[f"{on}.position"][k]
            rate = beside[f"{on}.velocity"][k] + np.cross(R @ w, r)
            slip = beside[f"{point}.velocity"][k] - beside[f"{on}.velocity"][k]
            change = beside[f"{on}.acceleration"][k] + np.cross(alpha, r) + np.cross(R @ w, slip)
            v[k] -= rate + sign * h * change
    return float(J @ (v[0] + v[1]) / 2)


@pytest.mark.parametrize("kind", ["struck", "struck loops", "struck table"])
@few_and_many
def test_energy_of_elastic_runs(kind, seeds):
    """Without loads and friction energy is constant, through elastic impacts as well."""

    def measure(seed, spoil=0.0):
        how = {"loops": kind == "struck loops", "table": kind == "struck table", "loads": ()}
        world = undamped(struck(seed, **ELASTIC, **how))
        if spoil:
            world = struck(seed, restitution=(1 - spoil, 1 - spoil), friction=0.0, **how)
        E = world.run()["energy.total"]
        return float(np.ptp(E)) / max(1.0, float(np.abs(E).max()))

    holds(measure, seeds, 1e-11)


# -- symmetry --------------------------------------------------------------------------------------------------------------


def star(arms: int, seed: int, *, soft: bool = False, feet: str | None = None, friction: float = 0.0) -> World:
    """A hub that falls and spins about z, with like arms about it; each with a forearm and, asked for, a foot on z = 0."""
    rng = np.random.default_rng(seed)
    s, start = kf.System("star", gravity=(0, 0, -9.81)), {}
    s.add("hub", kf.Rigid(3.0, (0, 0, 0.1), (0.3, 0.3, 0.4)), kf.Free())
    start |= {"hub.q": (0, 0, 1.0, 1, 0, 0, 0), "hub.rate": (0, 0, -1.0, 0, 0, 2.0)}
    modal = particle_body(rng, 3)
    body = kf.Flexible(modal.__class__(**{**vars(modal), "stiffness": 1000 * modal.stiffness})) if soft else some_body(rng)
    forearm, place, axis = some_body(rng), frame(rng, 0.4, 0.5), direction(rng)
    for k in range(arms):
        angle = 2 * np.pi * k / arms
        c, n = np.cos(angle), np.sin(angle)
        R = np.array([[c, -n, 0], [n, c, 0], [0, 0, 1]])
        s.add(f"arm{k}", body, kf.Revolute(axis), "hub", Frame(R @ [0.3, 0.1, 0.0], R))
        s.add(f"hand{k}", forearm, kf.Universal(), f"arm{k}", place)
        s.add_frame(f"hand{k}", "foot", Frame((0.1, 0.05, -0.2)))
        s.apply(f"spring{k}", kf.JointSpring(f"arm{k}", 30.0, 0.5))
        start |= {f"arm{k}.q": 0.1, f"arm{k}.rate": 0.5, f"hand{k}.q": (0.2, -0.1), f"hand{k}.rate": (0.3, 0.4)}
        if soft:
            start |= {f"arm{k}.modes": 0.01 * np.ones(3), f"arm{k}.modes_rate": np.zeros(3)}
    world = World(s, start, 0.5)
    if feet:
        poses = world.poses([f"hand{k}.foot" for k in range(arms)])
        start["hub.q"] = (0, 0, 1.15 - min(p[2] for _, p, _, _ in poses.values()), 1, 0, 0, 0)
        for k in range(arms):
            e = 0.8 if feet == "bounce" else 0.0
            s.contact(f"foot{k}", kf.Contact(f"hand{k}.foot", restitution=e, friction=friction, after=feet))
    return world


def asymmetry(world: World, arms: int, spoil: float) -> float:
    """How far like arms are from moving alike, and the hub from its axis."""
    start = {**world.start, "arm0.rate": world.start["arm0.rate"] + spoil}
    run = world.but(start=start).run()
    assert run.impacts or not world.system.contacts, "nothing is struck"
    worst = float(np.abs(run["hub.position"][:, :2]).max())
    for part in ("arm", "hand"):
        for what in ("q", "rate"):
            values = np.array([run[f"{part}{k}.{what}"] for k in range(arms)])
            worst = max(worst, float(np.abs(values - values[0]).max()))
    return worst


ARMS = [(2, False), (3, False), (3, True), *(pytest.param(n, False, marks=pytest.mark.thorough) for n in (4, 5, 7))]


@pytest.mark.parametrize("feet", [None, "bounce", "slide"])
@pytest.mark.parametrize("arms, soft", ARMS)
@few_and_many
def test_symmetric_systems_stay_so(arms, soft, feet, seeds):
    """Arms that are alike move alike about a hub that does not leave its axis, when their feet strike in one instant too."""

    def measure(seed, spoil=0.0):
        return asymmetry(star(arms, seed + 1, soft=soft, feet=feet), arms, spoil)

    holds(measure, seeds, 1e-9)


def test_three_feet_that_let_go_in_one_instant():
    def measure(seed, spoil=0.0):
        return asymmetry(star(3, seed, soft=True, feet="slide"), 3, spoil)

    holds(measure, range(1), 1e-9)


@pytest.mark.parametrize("arms", [2, pytest.param(3, marks=pytest.mark.thorough)])
def test_symmetric_systems_stay_so_with_friction(arms):
    def measure(seed, spoil=0.0):
        return asymmetry(star(arms, seed, feet="bounce", friction=0.2), arms, spoil)

    holds(measure, range(2), 1e-9)
