"""Normal forces of points that slide with friction: forces of that size in the place of friction move a system alike."""

import math

import numpy as np
import pytest
from formulations import loops
from formulations.flexible import FlexibleLoops, FlexibleRecipe
from formulations.loops import Loops, mechanisms
from hypothesis import assume, example, given
from sweeps import sweep
from trees import TIME, Recipe

import kaneflex as kf
from kaneflex.analysis.derivatives import Derivatives
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import layout as L
from kaneflex.model.forces import SlidingFriction
from kaneflex.model.frames import Frame
from kaneflex.plan.build import build
from kaneflex.simulate.changes import editable_copy
from kaneflex.simulate.contact.kinematics import ContactKinematics

KINDS = ("PointOnPlane", "PointOnPlane", "Distance", "Closure-Spherical", "Gear")


def sliding(m, mu):
    """The points of a mechanism that are held to planes, made contacts that slide with friction: their names."""
    names = []
    for name, tie in list(m.model.constraints.items()):
        if isinstance(tie, kf.PointOnPlane) and isinstance(tie.point, str):
            on = tie.plane if isinstance(tie.plane, str) else "N"
            del m.model.constraints[name]
            m.model.contact(name, kf.Contact(tie.point, on, friction=mu))
            m.model.constraints.put(name, kf.PointOnPlane(tie.point, on))
            names.append(name)
    m.changed()
    m.leave_out(m._spoilers())
    names = [name for name in names if name in m.model.constraints]
    for name in names:
        m.model.loads.put(f"{name}.friction", SlidingFriction(name, (0.3,)))
    m.changed()
    return names


def replaced(m, names, d, u, N):
    """The model with forces in the place of friction, and the dynamics of it as those of d."""
    other = editable_copy(m.model)
    for name, push in zip(names, N, strict=True):
        contact = other.contacts[name]
        place = ContactKinematics(d, contact, TIME, m.q)
        slip = place.velocity(u)[:2]
        force = place.R[:, :2] @ (-contact.friction * push * slip / np.hypot(*slip))
        other.loads.pop(f"{name}.friction")
        other.loads.put(f"{name} on point", kf.Force(contact.point, tuple(force), axes="inertial"))
        if contact.on != "N":
            arm = place.point - place.values[f"{contact.on}.position"]
            other.loads.put(f"{name} on plane", kf.Force(contact.on, tuple(-force), axes="inertial"))
            other.loads.put(f"{name} turning", kf.Torque(contact.on, tuple(np.cross(arm, -force)), axes="inertial"))
    made = Dynamics(build(other, d.plan.formulation.name, d.plan.speeds))
    made.set_inputs(m.inputs)
    return made


def check(m, mu=0.3):
    names = sliding(m, mu)
    assume(names)
    first = None
    for way, d in m.ways.items():
        u = d.speeds_from_rates(m.q, m.w)
        udot = d.udot_at(TIME, m.q, u)
        multipliers = d.multipliers(TIME, m.q, u)
        assume(np.abs(udot).max() < 1e4)  # else near jamming
        N = [multipliers[d.plan.index.constraints[name].start] for name in names]
        other = replaced(m, names, d, u, N)
        scale = 1e-9 * (1 + np.abs(udot).max())
        assert other.udot_at(TIME, m.q, u) == pytest.approx(udot, abs=scale), way
        forces = 1e-9 * (1 + np.abs(multipliers).max())
        found = loops.by_name(other, other.multipliers(TIME, m.q, u))  # which may have its equations in another order
        assert found == pytest.approx(loops.by_name(d, multipliers), abs=forces), way
        first = first or (udot, loops.by_name(d, multipliers))
        assert loops.by_name(d, multipliers) == pytest.approx(first[1], abs=10 * forces), way
        if way[1] == "customary":
            assert udot == pytest.approx(first[0], abs=10 * scale), way
    return d, u


@sweep(60)
@example(Loops(Recipe(("Free", "Universal", "Cylindrical", "Planar"), (-1, 0, 1, 0), (True,), seed=3), KINDS, True))
@given(mechanisms(ties=KINDS, most=8))
def test_forces_in_the_place_of_friction(recipe):
    check(recipe.mechanism())


@pytest.mark.parametrize("seed", range(6))
def test_on_flexible_bodies(seed):
    recipe = FlexibleRecipe(("Free", "Universal", "Revolute"), (-1, 0, 1), seed=seed, modes=(4, 2, 0))
    m = FlexibleLoops(recipe, ("PointOnPlane",) * 3, seed % 2 == 1).mechanism()
    check(m)


def sledge(mu=0.3, feet=4):
    """A rigid sledge on feet, one more than it needs, that slides and turns."""
    s = kf.System("sledge", gravity=(0, 0, -9.81))
    places = [(0.5, 0.4, -0.2), (-0.5, 0.4, -0.2), (-0.4, -0.5, -0.2), (0.6, -0.3, -0.2)][:feet]
    frames = {f"foot{k}": place for k, place in enumerate(places)}
    s.add("sledge", kf.Rigid(3.0, inertia=(0.2, 0.3, 0.4), frames=frames), kf.Free(), q=(0, 0, 0.2, 1, 0, 0, 0))
    for foot in frames:
        s.contact(foot, kf.Contact(f"sledge.{foot}", friction=mu))
        s.constraints.put(foot, kf.PointOnPlane(f"sledge.{foot}", "N"))
        s.loads.put(f"{foot}.friction", SlidingFriction(foot, (0.0,)))
    return s


@pytest.mark.parametrize("formulation", ["recursive", "dense", "embedded"])
def test_redundant_points_share_by_least_norm(formulation):
    """Newton's and Euler's equations of the sledge with friction of the shares found; no share along what moves nothing."""
    s = sledge()
    d = Dynamics(build(s, formulation))
    q, u = np.array([0, 0, 0.2, 1, 0, 0, 0]), np.array([1.0, 0.4, 0, 0, 0, 2.0])
    N = d.multipliers(0.0, q, u)
    places = np.array([s.frames["sledge"][f"foot{k}"].p for k in range(4)])
    state = ContactKinematics(d, s.contacts["foot0"], 0.0, q)
    assert state.gap() == pytest.approx(0, abs=1e-15)
    slips = np.array([ContactKinematics(d, s.contacts[f"foot{k}"], 0.0, q).velocity(u) for k in range(4)])
    forces = -0.3 * N[:, None] * slips[:, :2] / np.linalg.norm(slips[:, :2], axis=1, keepdims=True)
    full = np.column_stack([forces, N])
    assert full[:, 2].sum() == pytest.approx(3 * 9.81, rel=1e-12)
    assert np.cross(places, full).sum(axis=0)[:2] == pytest.approx([0, 0], abs=1e-10)
    none = np.linalg.svd(np.vstack([np.ones(4), places[:, :2].T]))[2][-1]  # pushes whose sum and moments vanish
    assert N @ none == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("formulation", ["recursive", "dense"])
def test_derivatives_by_the_complex_step(formulation):
    s = sledge(feet=3)
    d = Dynamics(build(s, formulation))
    rng = np.random.default_rng(2)
    q = np.array([0.1, -0.2, 0.2, 1, 0, 0, 0]) + 0.05 * rng.normal(size=7)
    q[3:] /= np.linalg.norm(q[3:])
    x = np.concatenate([q, rng.normal(size=6)])
    nq = d.plan.nq
    exact, _ = Derivatives(d, 0.0).motion(x, np.zeros(0), np.eye(len(x)))

    def udot(x):
        return d.udot_at(0.0, x[:nq], x[nq:])

    for k, e in enumerate(np.eye(len(x))):
        assert exact[nq:, k] == pytest.approx(loops.slope(lambda h, e=e: udot(x + h * e), 1e-3), abs=1e-6), k


def test_power_of_friction_is_its_force_times_slip():
    s = sledge(feet=3)
    d = Dynamics(build(s))
    q, u = np.array([0, 0, 0.2, 1, 0, 0, 0]), np.array([1.0, 0.4, 0, 0, 0, 2.0])
    rate = d.derivative(0.0, d.layout.join(q, u, np.zeros(0)))
    N = d.multipliers(0.0, q, u)
    speeds = [np.hypot(*ContactKinematics(d, s.contacts[f"foot{k}"], 0.0, q).velocity(u)[:2]) for k in range(3)]
    assert rate[d.layout.dissipated] == pytest.approx(-0.3 * N @ speeds, rel=1e-9)


def test_clusters_of_sliding_points_close_on_the_ground():
    """So that no body gets an inertia without symmetry, also where a loop closes further out."""
    s = kf.System("arm", gravity=(0, 0, -9.81))
    s.add("table", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Revolute("x"))
    arm = kf.Rigid(1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1), frames={"end": (0.6, 0, 0)})
    s.add("arm", arm, kf.Revolute("y"), "table")
    s.add("hand", kf.Rigid(0.5, inertia=(0.1, 0.1, 0.1)), kf.Revolute("z"), "arm", "end")
    s.constraints.put("tip", kf.PointOnPlane("hand", "table"))
    assert build(s).I[L.cluster_row(build(s).I, 0) + L.CLUSTER_BODY] == 1
    s.contact("rub", kf.Contact("hand", "table", friction=0.3))
    s.constraints.put("rub", s.constraints["tip"])
    del s.constraints["tip"]
    s.loads.put("rub.friction", SlidingFriction("rub", (0.0,)))
    I = build(s).I
    assert I[L.cluster_row(I, 0) + L.CLUSTER_BODY] == 0 and I[L.cluster_row(I, 0) + L.CLUSTER_FRICTIONS] == 1


def ladder(mu_floor, mu_wall):
    """A ladder that slides on a floor and along a wall, in a plane, with friction at both."""
    s = kf.System("ladder", gravity=(0, 0, -9.81))
    s.add("wall", kf.Rigid(1.0), kf.Fixed(), at=Frame((2.0, 0, 0), (("y", -math.pi / 2),)))
    rod = kf.Rigid(3.0, inertia=(0.1, 1.0, 1.0), frames={"foot": (-1.0, 0, 0), "head": (1.0, 0, 0)})
    s.add("rod", rod, kf.Planar("y"))
    for name, place, on, mu in (("foot", "rod.foot", "N", mu_floor), ("head", "rod.head", "wall", mu_wall)):
        s.contact(name, kf.Contact(place, on, friction=mu))
        s.constraints.put(name, kf.PointOnPlane(place, on))
        if mu > 0:
            s.loads.put(f"{name}.friction", SlidingFriction(name, (0.0,)))
    return s


@pytest.mark.parametrize("formulation", ["recursive", "dense"])
def test_a_vanishing_diagonal_entry(formulation):
    """Where one point alone would jam, N (1 - mu b) = a with mu = 1/b, friction of another decides: rows are exchanged."""
    q, u = np.array([0.4, -0.7, 0.9]), np.array([0.8, 0.5, 0.3])

    def normal(*mu):
        d = Dynamics(build(ladder(*mu), formulation))
        return d, d.multipliers(0.0, q, u)

    (_, none), (_, some) = normal(0.0, 0.0), normal(0.1, 0.0)
    b = (1 - none[0] / some[0]) / 0.1
    assert b > 0
    d, N = normal(1 / b, 0.3)
    assert np.abs(N).max() < 1e4
    places = {name: ContactKinematics(d, c, 0.0, q) for name, c in d.plan.model.contacts.items()}
    s = ladder(0.0, 0.0)
    for (name, place), mu, push in zip(places.items(), (1 / b, 0.3), N, strict=True):
        slip = place.velocity(u)[:2]
        force = place.R[:, :2] @ (-mu * push * slip / np.hypot(*slip))
        s.apply(f"{name}_force", kf.Force(f"rod.{name}", tuple(force), axes="inertial"))
    other = Dynamics(build(s, formulation))
    assert other.multipliers(0.0, q, u) == pytest.approx(N, rel=1e-9)
    assert other.udot_at(0.0, q, u) == pytest.approx(d.udot_at(0.0, q, u), rel=1e-9)


def test_symbols_refuse_sliding_friction():
    with pytest.raises(kf.ModelError, match='"foot0", "foot1", "foot2" slides with friction, whose normal force is not'):
        sledge(feet=3).equations()
