"""Loops that share bodies: each is closed where it closes, whatever is still open there, and all of them hold together."""

import math

import numpy as np
import pytest
from formulations import loops
from formulations.flexible import FlexibleLoops, FlexibleRecipe
from formulations.loops import BUILT_IN, LoopMotion, Loops
from hypothesis import assume, given
from hypothesis import strategies as st
from sweeps import sweep
from trees import TIME, Recipe

import kaneflex as kf
from benchmarks.peers import scissors
from kaneflex.plan.build import build

START, END = math.radians(80), math.radians(20)
BY_JOINT, IN_PLANE = "by a revolute joint", "in the plane"


def opens(plan):
    """How many equations pass through bodies on which others close."""
    return int(plan.tables.cluster.opens.sum())


def agree(m, tolerance=1e-10):
    """u-dot and multipliers by the recursion and by the dense matrices; those of least norm too."""
    d, dense = m.dynamics("recursive", "customary"), m.dynamics("dense", "customary")
    one, other = LoopMotion(d, m), LoopMotion(dense, m)
    assert one.udot == pytest.approx(other.udot, rel=0, abs=tolerance * (1 + np.abs(other.udot).max()))
    loops.constraints_stay(one)
    found, wanted = (loops.by_name(x, x.multipliers(TIME, m.q, m.w)) for x in (d, dense))
    assert found == pytest.approx(wanted, rel=0, abs=tolerance * (1 + np.abs(wanted).max()))
    return one


@st.composite
def woven(draw, recipe=Recipe, made=Loops, **more):
    """Chains with branches and many ties, so that most joints are on several loops."""
    n = draw(st.integers(6, 12))
    joints = tuple(draw(st.sampled_from(("Universal", "Spherical", "Cylindrical"))) for _ in range(n))
    parents = tuple(max(-1, i - 1 - draw(st.sampled_from((0, 0, 0, 1, 3)))) for i in range(n))
    ties = tuple(draw(st.lists(st.sampled_from(BUILT_IN), min_size=6, max_size=10)))
    return made(recipe(joints, parents, seed=draw(st.integers(0, 2**20)), **more), ties, fitted=draw(st.booleans()))


@sweep(60)
@given(woven(), st.booleans())
def test_recursive_is_dense(recipe, doubled):
    m = recipe.mechanism()
    m.tau[:] = 0.0
    if doubled:
        m.double()
    assume(opens(m.plan("recursive", "customary")) > 0)
    motion = agree(m)
    if doubled:
        loops.least_norm(motion)


def test_flexible_bodies():
    joints, parents = ("Universal", "Revolute", "Spherical", "Revolute", "Spherical"), (-1, 0, 1, 1, 0)
    ties, shared = ("Distance", "Distance", "PointOnPlane", "Distance", "Gear"), 0
    for seed in range(6):
        recipe = FlexibleRecipe(joints, parents, seed=seed, modes=(4, 3, 0, 2, 0))
        m = FlexibleLoops(recipe, ties, fitted=seed % 2 == 1).mechanism()
        m.tau[:] = 0.0
        shared += opens(m.plan("recursive", "customary")) > 0
        agree(m)
        m.double()
        loops.least_norm(agree(m))
    assert shared >= 3


def triangle(system):
    """Three ties in one point of which any follows from the others, and which close on two bodies."""
    rod = kf.Rigid(1.0, com=(0.5, 0.1, 0), inertia=(0.2, 0.3, 0.4), frames={"tip": (1, 0, 0)})
    system.add("root", rod, kf.Spherical())
    system.add("trunk", rod, kf.Spherical(), "root", "tip")
    for k, (name, parent) in enumerate((("a", "trunk"), ("b", "trunk"), ("c", "root"))):
        system.add(f"{name}0", rod, kf.Spherical(), parent, (0.3 * k, 0.5, 0.2 * k))
        system.add(name, rod, kf.Spherical(), f"{name}0", "tip")
    for ends in ("ab", "bc", "ca"):
        system.close(f"tie_{ends}", f"{ends[0]}.tip", f"{ends[1]}.tip", kf.Spherical())
    return system


def test_redundant_across_bodies():
    """The equations found redundant close further in than some that they follow from; all of them share the load."""
    m = loops.Assembled(triangle(kf.System("triangle", gravity=(1, 2, -9.81))))
    plan = m.plan("recursive", "customary")
    assert sorted(plan.tables.cluster.body.tolist()) == [1, 2] and opens(plan) > 0
    assert len(m.model.assemble().redundant) == 3
    motion = agree(m, 1e-9)
    loops.least_norm(motion)
    ab, bc, ca = (motion.d.multipliers(TIME, m.q, motion.u)[plan.index.constraints[f"tie_{x}"]] for x in ("ab", "bc", "ca"))
    assert min(np.linalg.norm(x) for x in (ab, bc, ca)) > 0.3


# -- the scissor lift ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closing", scissors.CLOSINGS)
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_scissor_lift(n, closing):
    for wall in (True, False):
        d = scissors.lift(n, closing, 1.0, -0.3, wall).dynamics()
        udot = d.udot(*scissors.state(n, 1.0, -0.3))
        exact = scissors.acceleration(n, 1.0, -0.3, wall)
        turns = scissors.state(n, 1.0, 1.0)[1][2:]
        assert udot[2:] == pytest.approx(exact * turns, rel=1e-12 * n * n), wall


def test_reactions_of_a_lift():
    """Redundant equations are named, out of the plane and across the last ends, and loads are shared by least norm."""
    s = scissors.lift(5, BY_JOINT, 1.0, -0.3)
    s.constrain("across", kf.Constraint(lambda t, x: x[0] - x[3], sees=("a4.tip.position", "b4.tip.position")))
    m = loops.Assembled(s)
    assert opens(m.plan("recursive", "customary")) > 0
    names = s.assemble().redundant
    assert len(names) == 3 * 4 + 1 and sum(name.startswith("pin") for name in names) >= 3 * 4
    loops.least_norm(agree(m, 1e-9))
    found = m.dynamics("recursive", "customary").multipliers(TIME, m.q, m.w)
    assert abs(found[m.plan("recursive", "customary").index.constraints["across"]][0]) > 1e-3  # it has its share


def test_tables_of_a_lift_grow_with_its_length():
    """Of a bay more there is as much as of the one before, in all arrays, and no more equations are open at once."""
    plans = [build(scissors.lift(n, BY_JOINT, 1.0)) for n in (20, 40, 60)]
    for sizes in ([len(p.I) for p in plans], [p.header.w_size for p in plans]):
        assert sizes[2] - sizes[1] == sizes[1] - sizes[0]
    assert all(p.tables.cluster.opens.max() == 5 for p in plans)  # those of the neighbour


def extended(n, closing, **options):
    """A lift drawn out by the force: when it gets there, and its run."""
    there = kf.Event(lambda t, x: x[0] - END, sees=("a0.angle",), terminal=True, name="there")
    s = scissors.lift(n, closing, START)
    run = s.simulate(3.0 * n, events=[there], method="dop853", output=n / 4, progress=False, **options)
    return run.t[-1], run


def test_a_lift_that_is_drawn_out():
    t, run = extended(20, BY_JOINT, rtol=1e-9, atol=1e-10)
    assert t == pytest.approx(scissors.duration(20, START, END), rel=1e-9)
    assert run.audit.ok, run.audit
    q, _ = scissors.state(20, END, 0.0)
    assert run.q[-1] == pytest.approx(q, abs=1e-9)


def test_a_lift_comes_together():
    """Coordinates that were moved at random are projected back, with loops at rounding level."""
    d = scissors.lift(40, BY_JOINT, 1.0, -0.3).dynamics()
    q, u = scissors.state(40, 1.0, -0.3)
    rng = np.random.default_rng(3)
    y = d.layout.join(q + 1e-3 * rng.normal(size=q.size), u + 1e-3 * rng.normal(size=u.size))
    assert d.project(0.0, y) > 0
    values, speeds = d.equations(0.0, y[d.layout.q], y[d.layout.u])
    assert np.abs(values).max() < 1e-12 and np.abs(speeds).max() < 1e-11


@pytest.mark.thorough
@pytest.mark.parametrize("closing", [BY_JOINT, IN_PLANE])
def test_a_thousand_bays(closing):
    n = 1000
    d = scissors.lift(n, closing, 1.0, -0.3).dynamics()
    udot = d.udot(*scissors.state(n, 1.0, -0.3))
    assert udot[2:] == pytest.approx(scissors.acceleration(n, 1.0, -0.3) * scissors.state(n, 1.0, 1.0)[1][2:], rel=1e-8)
    t, run = extended(n, closing, rtol=1e-10, atol=1e-11)
    assert t == pytest.approx(scissors.duration(n, START, END), rel=1e-9)
    assert run.audit.ok, run.audit
