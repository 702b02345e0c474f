"""Kernels on arrays that check every access: on random trees and mechanisms, and on systems with what these do not have."""

import numpy as np
import pytest
from bodies.rockets import floating_tree, random_state
from formulations.flexible import FlexibleLoops, FlexibleRecipe, flexible_mechanisms, flexible_trees
from formulations.loops import Assembled, mechanisms
from formulations.test_ruthless import craft
from hypothesis import given
from hypothesis import strategies as st
from kernels.checking import Checking, unknown
from sweeps import sweep
from trees import WAYS, Recipe, trees

import kaneflex as kf
from benchmarks.peers import scissors
from kaneflex.kernels.checked import CheckedArray, CheckError, Place
from kaneflex.kernels.layout import UPDATE
from kaneflex.kernels.schema import TABLES
from kaneflex.model.constraints import PointOnPlane
from kaneflex.model.forces import SlidingFriction
from kaneflex.plan.build import build
from kaneflex.plan.plan import Event, Watch

ways = st.sampled_from(WAYS)


def check(checking):
    checking.motion()
    checking.constraints()
    checking.channels()
    return checking.written


def check_tree(tree, way):
    return check(Checking(tree.plan(*way), tree.q, tree.w, tree.inputs))


@sweep(40)
@given(trees(most=6), ways)
def test_trees(recipe, way):
    check_tree(recipe.tree(), way)


@sweep(16)
@given(flexible_trees(most=4), ways)
def test_flexible_trees(recipe, way):
    check_tree(recipe.tree(), way)


@sweep(40)
@given(mechanisms(most=6), ways)
def test_mechanisms(recipe, way):
    check_tree(recipe.mechanism(), way)


@sweep(16)
@given(flexible_mechanisms(most=4), ways)
def test_flexible_mechanisms(recipe, way):
    check_tree(recipe.mechanism(), way)


def sliding_block(formulation):
    """A block that slides on a plane against friction, pulled by a servo whose input is a channel."""
    s = kf.System("block", gravity=(0, 0, -9.81))
    s.add("block", kf.Rigid(2.0), kf.Translational())
    s.add_frame("block", "side", kf.Frame((0.1, 0.2, 0.0)))
    s.contact("floor", kf.Contact("block.side", friction=0.3))
    s.constraints.put("floor", PointOnPlane("block.side", "N"))
    s.constrain("groove", kf.Coupler({"block.x": 1.0, "block.y": -2.0}, -0.1))
    s.loads.put("floor.friction", SlidingFriction("floor", (0.4, 0.1)))
    s.add_input("motor", kf.Force("block", (1.0, 0.5, 0.0)))
    s.add_block("servo", kf.blocks.PID(kp=2.0, ki=1.0, kd=0.5, sees=["block.x"], drives=["motor"]))
    event = Event(lambda t, x: x[0] - 1.0, sees=["block.position"])
    plan = build(s, formulation, events=[event], watches=[Watch("floor", 0)])
    return Checking(plan, (0.3, 0.2, 0.0), (1.0, 0.4, 0.0), (0.0,))


def driven_gear(formulation):
    """Two wheels that a gear couples, one of them driven."""
    s = kf.System("gear")
    s.add("driver", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.cosine(0.5, 1.0)))
    s.add("wheel", kf.Rigid(1.0, inertia=(1, 1, 2)), kf.Revolute("z"))
    s.constrain("teeth", kf.Gear("driver.angle", "wheel.angle", 2.0))
    return Checking(build(s, formulation), (0.1, 0.2), (0.3, 0.6))


def braked_wheel(formulation):
    """A wheel whose brake looks at its rate alone."""
    s = kf.System("wheel")
    s.add("wheel", kf.Rigid(1.0, inertia=(1, 1, 2)), kf.Revolute("z"))
    s.apply("brake", kf.JointForce("wheel", lambda t, x: -0.1 * x[0], sees=["wheel.rate"]))
    return Checking(build(s, formulation), (0.2,), (0.6,))


def attracted_arm(speeds):
    """A flexible arm with a body on its tip near an attracting centre."""
    s = kf.System("attracted")
    s.add("hub", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Free())
    s.add("arm", kf.Flexible(kf.structures.Beam(2.0, 2e5, (60.0, 40.0), 1.3, elements=8), modes=20), parent="hub")
    s.add("tip", kf.Rigid(1.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1)), kf.Revolute("z"), parent="arm", at="tip")
    s.apply("earth", kf.CentralGravity(50.0, centre=(0.0, 0.0, -9.0)))
    plan = build(s, "recursive", speeds)
    q = s.state().q + np.where(np.arange(plan.nq) > 6, 1e-5, 0.0)  # of stiff modes too
    return Checking(plan, q, np.linspace(0.1, 0.4, plan.nu))


def attracted_rods(formulation):
    """Rods of high order on each other, in space and in a plane, with a body on a point, a loop and an attracting centre."""
    s, order = kf.System("rods"), {"torsion": 2, "bending z": 2, "bending y": 3, "axial": 1, "shear y": 1, "shear z": 1}
    stiff = {"EI": (2.0, 3.0), "GJ": 1.0, "EA": 40.0, "GA": 30.0, "rotary_inertia": 0.2, "damping": 0.1}
    s.add("hub", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Free())
    rod = kf.StrainRod(2.0, 1.0, **stiff, order=order, curvature=(0.1, 0.2, 0.3), points={"middle": 0.9})
    s.add("boom", rod, kf.Revolute("y"), parent="hub")
    s.add("jib", kf.StrainRod(1.0, 1.0, 1.0, EA=50.0, order=3, plane="xy"), parent="boom", at="tip")
    s.add("load", kf.Rigid(1.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1)), kf.Revolute("z"), parent="boom", at="middle")
    s.constrain("rope", kf.Distance("jib.tip", "hub", 1.0))
    s.apply("earth", kf.CentralGravity(50.0, centre=(0.0, 0.0, -9.0)))
    plan = build(s, formulation)
    q = s.state().q + np.where(np.arange(plan.nq) > 6, 0.1, 0.0)
    return Checking(plan, q, np.linspace(0.1, 0.4, plan.nu))


def tied_arm():
    """A flexible arm tied to the ground at its tip, with efficient modal speeds: more modes than the rows of an update."""
    s = kf.System("tied")
    s.add("arm", kf.Flexible(kf.structures.Beam(2.0, 2e5, (60.0, 40.0), 1.3, elements=8), modes=40), kf.Revolute("z"))
    s.constrain("tie", kf.Distance("arm.tip", "N", 2.0))
    plan = build(s, "recursive", "constant-mass")
    assert plan.tables.flexible[0].solver == UPDATE
    return Checking(plan, s.state().q + np.where(np.arange(plan.nq) > 0, 1e-5, 0.0), np.linspace(0.1, 0.4, plan.nu))


def drained_craft(formulation):
    s = kf.System("craft")
    s.add("bus", kf.Rigid(10.0, inertia=(1, 2, 3)), kf.Free(), q=(0, 0, 0, 1, 0, 0, 0))
    s.add_part("tank", kf.parts.Tank("box", 0.2, 20.0, height=0.3, shell=1.0), on="bus", at=(0.1, 0, 0))
    plan = build(s, formulation)
    return Checking(plan, s.state().q, np.linspace(0.1, 0.4, plan.nu))


def other_systems():
    """What random trees do not have: friction, blocks, variable mass, motions without products of speeds."""
    for formulation in ("recursive", "dense", "embedded"):
        yield sliding_block(formulation)
        yield driven_gear(formulation)
        yield braked_wheel(formulation)
        yield attracted_rods(formulation)
        yield drained_craft(formulation)
        rocket = floating_tree((0, 0, -1), loops=True, flexible=True)
        yield Checking(build(rocket, formulation), *random_state(rocket))
    for speeds in ("customary", "constant-mass"):
        yield attracted_arm(speeds)
    yield tied_arm()
    state = craft().state()
    yield Checking(build(craft(), "ruthless"), state.q, np.linspace(0.1, 0.4, len(state.rates)))


@pytest.mark.thorough
def test_other_systems_and_who_writes_what():
    """Every kernel that the schema names as the writer of an entry does write it somewhere."""
    written = set().union(*(check(checking) for checking in other_systems()))
    lines = (("SpringDamper", "between"), ("SpringDamper", "smooth"))
    loads = (("CentralGravity", "all"), ("Force", "function"), *lines, ("JointForce", "constant"))
    joints = ("Free", "CustomJoint", "Universal", "Spherical", "Revolute", "Screw")
    tree = Recipe(joints, (-1, 0, 1, 0, 3, 4), (True,), (), loads, "shaken").tree()
    recipe = FlexibleRecipe(("Free", "Revolute", "Revolute", "Spherical"), (-1, 0, 1, 2), modes=(0, 14, 0, 3))
    twice = FlexibleLoops(recipe, ("Distance",)).mechanism()
    twice.double()
    assert len(twice.model.constraints) == 2
    shared = Assembled(scissors.lift(3, "by a revolute joint", 1.0))
    for way in (("recursive", "efficient"), ("dense", "customary")):
        written |= check_tree(tree, way) | check_tree(twice, way) | check_tree(shared, way)
    named = {
        (f"{table.name}.{field.within or field.name}", writer)
        for table in TABLES
        if table.array == "W"
        for field in table.fields
        for writer in field.writers.split()
        if writer != "start"
    }
    assert written - named == set()
    assert named - written == set()


# -- what is wrong is found --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tree():
    return Recipe(("Revolute", "Prismatic", "Free"), (-1, 0, 1), (), (), (("Force", "body"),)).tree()


def broken(tree, name, kernel):
    """u-dot with another kernel in the place of one."""
    checking = Checking(tree.plan("recursive", "customary"), tree.q, tree.w, tree.inputs)
    system = checking.system()
    kernels = system.kernels.call_udot.__globals__
    assert name in kernels
    kernels[name] = kernel(kernels, kernels[name])
    arguments = 0.0, checking.q, checking.u, unknown(checking.plan.nu)
    system.kernels.call_udot(system.I, system.P, system.W, *arguments)


def test_the_tree_is_right(tree):
    broken(tree, "move", lambda kernels, own: own)


def test_reading_before_writing_is_found(tree):
    with pytest.raises(CheckError, match=r"body\.J_, is read before it is written"):
        broken(tree, "body_inertia", lambda kernels, own: lambda I, P, W, t, i, q: own(I, P, W, t, i, q) if i < 3 else None)


def test_reading_beyond_a_table_is_found(tree):
    def past_the_end(kernels, own):
        return lambda I, P, W, m, z: own(I, P, W, m + 1, z)

    with pytest.raises(CheckError, match=r"outside of force"):
        broken(tree, "point_force", past_the_end)


def test_reading_beyond_the_bodies_is_found(tree):
    def too_many(kernels, own):
        def eliminate(I, W):
            own(I, W)
            return W[kernels["body_work"](I[kernels["BODIES"]]) + kernels["OMEGA"]]

        return eliminate

    with pytest.raises(CheckError, match=r"outside of body"):
        broken(tree, "eliminate", too_many)


def test_writing_what_belongs_to_others_is_found(tree):
    def meddling(kernels, own):
        def apply_forces(I, P, W, t, q):
            own(I, P, W, t, q)
            W[kernels["body_work"](1) + kernels["OMEGA"]] = 0.0

        return apply_forces

    with pytest.raises(CheckError, match=r"body\.OMEGA, is written by .*prepare"):
        broken(tree, "apply_forces", meddling)


def test_writing_parameters_is_found(tree):
    def meddling(kernels, own):
        def apply_forces(I, P, W, t, q):
            P[0] = 0.0

        return apply_forces

    with pytest.raises(CheckError, match=r"^P\[0\], nothing, is written"):
        broken(tree, "apply_forces", meddling)


def test_bounds_of_an_array():
    array = CheckedArray("x", np.arange(4.0))
    part = array[1:]
    assert part[2] == 3.0 and array[Place(2, 1, 3, "some")] == 2.0
    for k in (-1, 4, Place(1, 1, 3, "some") + 2, Place(2, 1, 3, "some") - 2):
        with pytest.raises(CheckError):
            array[k]
