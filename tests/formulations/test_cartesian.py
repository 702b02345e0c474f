"""Points and unit vectors as coordinates: the same motion as that of the tree, in coordinates that loops do not cost."""

import math
from dataclasses import replace

import numpy as np
import pytest
from formulations.identities import body_accelerations, close, set_tau
from formulations.loops import BUILT_IN, mechanisms
from hypothesis import assume, given
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from sweeps import sweep
from trees import LOADS as ALL_LOADS
from trees import TIME, Tree, trees

import kaneflex as kf
from benchmarks.peers import scissors
from kaneflex.builders import scissor_mast, scissor_ring
from kaneflex.formulations.integration_state import IntegrationState
from kaneflex.gallery import bricard, examples, four_bar, scissor_lift, slider_crank, spacecraft_linkage, yo_yo
from kaneflex.plan.build import SPEEDS

LOADS = tuple(load for load in ALL_LOADS if load[0] != "RodElasticity")
JOINTS = (
    "Cylindrical", "Fixed", "Free", "Planar", "Prismatic", "Revolute", "Screw", "SlidingBall", "SlidingPin", "Spherical",
    "Translational", "Universal",
)  # fmt: skip


def rates(d, t, x):
    """State and its rate in Cartesian coordinates at the tree's state x."""
    state = IntegrationState(d, d.plan.formulation)
    y = state.from_tree(t, x)
    ydot = np.empty_like(y)
    d.kernels.call_derivative(state.I, d.P, d.W, t, y, ydot)
    return state, y, ydot


# -- one evaluation --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("balls", "pins", "points"), [(0, 0, 1), (1, 0, 1), (2, 0, 2), (3, 0, 3), (4, 0, 3), (0, 1, 1), (1, 1, 2), (0, 2, 2)]
)
def test_angular_velocity_of_random_bodies(balls, pins, points):
    """From rates of points and vectors that rotation matrices give: bases of one, two and three points, and two, one or no
    vectors, shared with balls and pins or of the body's own."""
    rng, most = np.random.default_rng(10 * pins + balls), 0
    for _ in range(20):
        s = kf.System("body")
        s.add("body", kf.Rigid(1.0, com=rng.normal(size=3), inertia=(1, 2, 2.5)), kf.Free())
        for k in range(balls + pins):
            joint = kf.Spherical() if k < balls else kf.Revolute(rng.normal(size=3))
            s.add(f"other{k}", kf.Rigid(1.0, inertia=(1, 1, 1)), joint, "body", at=rng.normal(size=3))
        d = s.dynamics("cartesian")
        state = IntegrationState(d, d.plan.formulation)
        R, p = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
        omega, v = rng.normal(size=3), rng.normal(size=3)
        y = state.from_tree(0.0, np.concatenate([neutral(d), np.zeros(d.plan.nu + 2)]))
        shared = d.plan.formulation.tables(d.plan).shared
        most = max(most, sum(f.is_point for f in shared.bases[1].features))
        free = [f for f in shared.features if not f.is_constant]
        for n, f in enumerate(free):
            arm = R @ y[3 * n : 3 * n + 3]
            y[3 * n : 3 * n + 3] = arm + f.is_point * p
            y[state.layout.nq + 3 * n :][:3] = np.cross(omega, arm) + f.is_point * v
        y[3 * len(free) :][:7] = [*p, *Rotation.from_matrix(R).as_quat(scalar_first=True)]
        x = state.to_tree(np.array([0.0]), y[None, :])[0]
        u = x[d.plan.nq :][:6]
        assert u == pytest.approx(np.concatenate([R.T @ v, R.T @ omega]), abs=1e-13)
    assert most == points


def neutral(d):
    """Coordinates of joints at rest in their reference positions."""
    q = np.zeros(d.plan.nq)
    q[list(d.plan.layout.quaternions)] = 1.0
    return q


@sweep(80)
@given(trees(most=8, kinds=JOINTS, loads=LOADS))
def test_states_go_there_and_back_and_accelerations_are_those_of_the_tree(recipe):
    tree = Tree(recipe)
    for speeds in SPEEDS:
        d, reference = tree.dynamics("cartesian", speeds), tree.dynamics("recursive", speeds)
        x = np.concatenate([tree.q, d.speeds_from_rates(tree.q, tree.w), [0.3, -0.2]])
        for one in (d, reference):
            set_tau(one, tree.tau)
        state, y, ydot = rates(d, TIME, x)
        own = body_accelerations(d)
        size = max(1.0, float(np.abs(x).max()))
        close(state.to_tree(np.array([TIME]), y[None, :])[0], x, "state", size, 1e-12)
        xdot = np.empty_like(x)
        reference.kernels.call_derivative(reference.I, reference.P, reference.W, TIME, x, xdot)
        close(own, body_accelerations(reference), f"accelerations, {speeds}", tolerance=1e-11)
        close(ydot[state.layout.works], xdot[-2:], "power", max(1.0, float(np.abs(xdot).max())), 1e-11)


@sweep(120)
@given(mechanisms(most=8, ties=BUILT_IN, fitted=True, kinds=JOINTS))
def test_random_loops(recipe):
    """Accelerations, the multipliers of what is not shared, and motion of loops that are closed."""
    m = recipe.mechanism()
    assume(m.model.constraints)
    d, reference = m.dynamics("cartesian", "customary"), m.dynamics("recursive", "customary")
    x = np.concatenate([m.q, m.w, [0.0, 0.0]])
    assume(reference.project(TIME, x) >= 0)
    for one in (d, reference):
        set_tau(one, m.tau)
    xdot = slope(reference, reference.I)(TIME, x)
    state, y, ydot = rates(d, TIME, x)
    close(body_accelerations(d), body_accelerations(reference), "accelerations", tolerance=1e-10)
    close(ydot[-2:], xdot[-2:], "power", max(1.0, float(np.abs(xdot).max())), 1e-10)
    left = [r for r in range(d.plan.header.rows) if r not in d.plan.formulation.tables(d.plan).shared.absorbed]
    if reference.work.rank.count[0] == reference.plan.header.rows and left:  # all multipliers are unique
        found, wanted = (one.work.equation.multiplier[left] for one in (d, reference))
        close(found, wanted, "multipliers", max(1.0, float(np.abs(wanted).max())), 1e-10)
    span, tight = (TIME, TIME + 0.05), {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}
    end = solve_ivp(slope(reference, reference.I), span, x, **tight).y[:-2, -1]
    if np.abs(end).max() < 100 * max(1.0, float(np.abs(x).max())):  # no singular position, where rates have no bounds
        own = solve_ivp(slope(d, state.I), span, y, **tight).y[:, -1]
        there = state.to_tree(np.array([span[1]]), own[None, :])[0, :-2]
        close(there, end, "motion", max(1.0, float(np.abs(end).max())), 1e-10)


def slope(d, I):
    """The rate of a state, of the tree or of what I are the tables of."""

    def rate(t, y):
        out = np.empty_like(y)
        d.kernels.call_derivative(I, d.P, d.W, t, np.ascontiguousarray(y), out)
        return out

    return rate


# -- motions ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", [four_bar, slider_crank, bricard, spacecraft_linkage], ids=lambda m: m.EXAMPLE.name)
def test_loops_of_the_gallery_pass_their_checks(example):
    """Without the roughness that redundant equations would give to the steps."""
    p = example.DEFAULTS
    run, other = (example.simulate(example.build(p), p, formulation=way) for way in ("cartesian", "recursive"))
    assert run.plan.formulation.name == "cartesian" and run.audit.ok
    for check in example.checks(run, p):
        assert check.ok, check
    assert run.statistics["steps"] < 1.5 * other.statistics["steps"]


@pytest.mark.parametrize(
    "example", [four_bar, slider_crank, bricard, spacecraft_linkage, scissor_lift], ids=lambda m: m.EXAMPLE.name
)
def test_loops_of_the_gallery_move_as_in_the_recursive_formulation(example):
    """Coordinates, rates, loads in all joints and multipliers at all times; accelerations from equal states."""
    duration = 1.0 if example is not scissor_lift else scissor_lift.duration(scissor_lift.DEFAULTS)
    s = example.build(example.DEFAULTS)
    tight = {"method": "dop853", "rtol": 1e-13, "atol": 1e-15, "output": duration / 20}
    run, other = (s.simulate(duration, formulation=way, **tight) for way in ("cartesian", "recursive"))
    pairs = [("coordinates", run.q, other.q), ("rates", run.u, other.u)]
    for name in (*run.plan.index.joints, *run.plan.index.constraints):
        pairs += [(f"{x} in {name}", *(getattr(one.loads(name), x) for one in (run, other))) for x in ("force", "torque")]
    for name in run.plan.index.constraints:
        pairs.append((f"multipliers of {name}", *(one[f"{name}.multipliers"] for one in (run, other))))
    for what, a, b in pairs:
        close(a, b, what, max(1.0, float(np.abs(b).max())), 1e-10)
    d, reference = s.dynamics("cartesian"), s.dynamics("recursive")
    for t, q, u in zip(other.t, other.q, other.u, strict=True):
        x = np.concatenate([q, u, [0.0, 0.0]])
        slope(reference, reference.I)(t, x)
        rates(d, t, x)
        close(body_accelerations(d), body_accelerations(reference), "accelerations", tolerance=1e-12)


QUICK = ("double-pendulum", "geared-crank", "heavy-top", "gravity-gradient", "lander", "rolling-disk", "rope-and-stop")
LONG = ("chaplygin-sleigh", "ladder", "magnetic-damper", "panel-fold", "rattleback")


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.thorough) for name in LONG)])
def test_other_systems_of_the_gallery_pass_their_checks(name):
    """Trees, gears, motions, rolling and skates, gravity gradients, impacts and ropes: what is read of a run is the same."""
    example = examples()[name]
    run = example.simulate(example.build(example.parameters), example.parameters, formulation="cartesian")
    assert run.plan.formulation.name == "cartesian" and run.audit.ok
    for check in example.checks(run, example.parameters):
        assert check.ok, check


def test_steps_do_not_depend_on_the_size_of_a_structure():
    """What is a thousand times as long moves alike where its inertia is the same: its points may be off by as much more."""
    steps = []
    for size in (1.0, 1e3):
        s = scissor_mast(4, arm=size, mass=1 / size**2, angle=1.3, wall=False)
        for j in range(4):
            s.apply(f"spring{j}", kf.JointSpring(f"b{j}", stiffness=8.0))
        run = s.simulate(0.5, formulation="cartesian", rtol=1e-13, atol=1e-6)
        steps.append(run.statistics["steps"])
    assert abs(steps[1] - steps[0]) <= 1 < steps[0] / 5


def test_cost_of_an_evaluation_grows_with_the_number_of_bays():
    """By the entries that are factored: the products that the elimination needs, which do not depend on the machine."""
    products = []
    for n in (50, 200):
        d = scissors.lift(n, "by a revolute joint", 1.0).dynamics("cartesian")
        tables = d.plan.formulation.tables(d.plan)
        products.append(tables.products)
    assert math.log(products[1] / products[0]) / math.log(4) < 1.1


# -- joints by their pose alone, points that slide -------------------------------------------------------------------------


def on_a_helix(q):
    """A turn about z and a slide along x, which are not at right angles in any sense, on a way that rises with both."""
    c, s = kf.cos(q[0]), kf.sin(q[0])
    R = ((c, -s, 0), (s, c, 0), (0, 0, 1))
    return R, (0.3 * q[1] * c + 0.1 * q[0] * q[0], 0.3 * q[1] * s + 0.2 * q[1], 0.2 * q[0] + 0.5 * q[1] * q[1])


def with_a_custom_joint():
    bar = kf.Rigid(1.3, com=(0.2, 0.1, 0.05), inertia=(0.2, 0.3, 0.4), frames={"tip": (0.6, 0.1, 0)})
    s = kf.System("helix", gravity=(0.3, -9.81, 1.0))
    s.add("a", bar, kf.Revolute("z"), q=0.2, rates=1.0)
    s.add("h", bar, kf.CustomJoint(on_a_helix, ("turn", "way")), "a", "tip", q=(0.5, 0.4), rates=(1.0, -0.5))
    s.add("b", bar, kf.Spherical(), "h", "tip", q=(1, 0, 0, 0), rates=(0.3, 0.1, -0.7))
    s.apply("turn", kf.JointSpring("h", coordinate="turn", stiffness=3.0))
    s.apply("way", kf.JointSpring("h", coordinate="way", stiffness=5.0, damping=0.3))
    return s


def test_joint_by_its_pose_alone():
    """It has no words for what it does not let move: that is all which is across its columns, of any angles and lengths."""
    s, tight = with_a_custom_joint(), {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}
    run, other = (s.simulate(0.5, formulation=way, **tight) for way in ("cartesian", "recursive"))
    assert run.plan.formulation.name == "cartesian" and run.audit.ok
    assert run.q[-1] == pytest.approx(other.q[-1], abs=1e-9) and run.u[-1] == pytest.approx(other.u[-1], abs=1e-8)
    for x in ("force", "torque"):
        assert getattr(run.loads("h"), x)[-1] == pytest.approx(getattr(other.loads("h"), x)[-1], abs=1e-7)
    d, reference = s.dynamics("cartesian"), s.dynamics("recursive")
    x = np.concatenate([other.q[-1], other.u[-1], [0.0, 0.0]])
    state, y, _ = rates(d, 0.0, x)
    xdot = np.empty_like(x)
    reference.kernels.call_derivative(reference.I, reference.P, reference.W, 0.0, x, xdot)
    close(body_accelerations(d), body_accelerations(reference), "accelerations", tolerance=1e-12)
    close(state.to_tree(np.array([0.0]), y[None, :])[0], x, "state", 1.0, 1e-12)


def test_block_that_slides_on_four_points():
    """They share its weight by least norm, one equation following from the others, and rub by their own coefficients."""
    corners = {"front-l": (0.3, 0.2), "front-r": (0.3, -0.2), "back-l": (-0.3, 0.2), "back-r": (-0.3, -0.2)}
    frames = {name: (x, y, -0.1) for name, (x, y) in corners.items()}
    s = kf.System("block", gravity=(9.81 * math.sin(0.5), 0, -9.81 * math.cos(0.5)))
    block = kf.Rigid(2.0, com=(0.05, 0.02, 0.0), inertia=(0.1, 0.2, 0.3), frames=frames)
    s.add("block", block, kf.Free(), q=(0, 0, 0.1, 1, 0, 0, 0), rates=(-1.5, 0.3, 0, 0, 0, 0.8))
    for name in frames:
        s.contact(name, kf.Contact(f"block.{name}", friction=0.15 if name.endswith("l") else 0.1))
    tight = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}
    run, other = (s.simulate(0.8, formulation=way, **tight) for way in ("cartesian", "recursive"))
    assert run.audit.ok and run.audit.dissipated_work == pytest.approx(other.audit.dissipated_work, rel=1e-9)
    assert run.q[-1] == pytest.approx(other.q[-1], abs=1e-9)
    for name in frames:
        assert run.loads(name).force[-1] == pytest.approx(other.loads(name).force[-1], abs=1e-7)


def test_block_goes_up_a_slope_and_down_again():
    """As far up as v^2/(2 g (sin + mu cos)); it stops and turns back, for tan is more than mu: both have the same events."""
    slope, mu, speed, g = 0.5, 0.3, 3.0, 9.81
    s = kf.System("block", gravity=(g * math.sin(slope), 0, -g * math.cos(slope)))
    s.add("block", kf.Rigid(2.0), kf.Translational(), q=(0, 0, 0), rates=(-speed, 0, 0))
    s.contact("floor", kf.Contact("block", friction=mu))
    run, other = (s.simulate(2.0, formulation=way) for way in ("cartesian", "recursive"))
    up = g * (math.sin(slope) + mu * math.cos(slope))
    (time,) = (t for t, name in run.events if "stops" in name)
    assert time == pytest.approx(speed / up, abs=1e-6)  # "stops" is a slip that is less than what counts
    back = g * (math.sin(slope) - mu * math.cos(slope))
    assert run["block.x"][-1] == pytest.approx(-(speed**2) / (2 * up) + back * (2.0 - time) ** 2 / 2, abs=2e-6)
    assert [name for _, name in run.events] == [name for _, name in other.events] and run.audit.ok
    assert [t for t, _ in run.events] == pytest.approx([t for t, _ in other.events], abs=1e-8)


# -- what it does not offer ------------------------------------------------------------------------------------------------


def flexible(s):
    beam = kf.structures.Beam(length=2.0, EA=1e6, EI=50.0, mass_per_length=1.0, elements=4)
    s.add("mast", kf.Flexible(beam, modes=2), kf.Revolute("z"))


def test_what_it_does_not_offer_is_refused_by_name():
    s = kf.System("arm")
    s.add("arm", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    flexible(s)
    refused = r'formulation "cartesian" does not take flexible bodies \("mast"\): use formulation="recursive"'
    with pytest.raises(kf.ModelError, match=refused):
        s.simulate(0.1, formulation="cartesian")


def test_axes_that_point_apart_in_a_closing_joint_are_refused():
    """They meet the equations of the joint, but a shared vector has one direction."""
    bar = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 1 / 12, 1 / 12), frames={"tip": (1, 0, 0)})
    back = replace(bar, frames={"tip": kf.Frame((1, 0, 0), (("x", math.pi),))})
    s = kf.System("four-bar", gravity=(0, -9.81, 0))
    s.add("a", bar, kf.Revolute("z"), q=1.3)
    s.add("b", bar, kf.Revolute("z"), "a", "tip", q=-1.3)
    s.add("c", back, kf.Revolute("z"), at=(1, 0, 0), q=1.3)
    s.close("pin", "b.tip", "c.tip", kf.Revolute("z"))
    with pytest.raises(kf.ModelError, match='the loop "pin" is put together the wrong way round'):
        s.simulate(0.1, formulation="cartesian")


# -- bodies without length, directions that are parallel, loops that do not close ---------------------------------------


@pytest.mark.parametrize("place", [(0, 0, 0), (0, 0, 0.4), (1e-5, 0, 0)], ids=["one point", "along the axis", "almost one"])
def test_body_whose_hinges_make_no_base(place):
    """Two hinges in one point, or one behind the other on their axis: a vector of its own takes the place of what fails."""
    link = kf.Rigid(1.0, com=(0.3, 0.1, 0), inertia=(0.2, 0.3, 0.4), frames={"next": place})
    s = kf.System("hinges", gravity=(0, -9.81, 0))
    s.add("a", link, kf.Revolute("z"), q=0.3, rates=0.5)
    s.add("b", link, kf.Revolute("z"), "a", "next", q=-0.8, rates=1.5)
    s.add("c", link, kf.Spherical(), "b", "next")
    d, reference = s.dynamics("cartesian"), s.dynamics("recursive")
    q, u = np.array([0.3, -0.8, 1, 0, 0, 0]), np.array([0.5, 1.5, 0.2, -0.4, 0.7])
    x = np.concatenate([q, u, [0.0, 0.0]])
    xdot = np.empty_like(x)
    reference.kernels.call_derivative(reference.I, reference.P, reference.W, 0.0, x, xdot)
    rates(d, 0.0, x)
    close(body_accelerations(d), body_accelerations(reference), "accelerations", tolerance=1e-12)


def strut(joint):
    """A slender rod without inertia about its line, from a ball on the ground to a ball on a mass."""
    start, rate = 0.6, 2.5
    s = kf.System("strut", gravity=(0, 0, -9.81))
    rod = kf.Rigid(2.0, com=(0, 0, -0.5), inertia=(1 / 6, 1 / 6, 0), frames={"end": (0, 0, -1)})
    s.add("rod", rod, joint)
    place, speed = (math.sin(start), 0, -math.cos(start)), (0, rate * math.sin(start), 0)
    s.add("mass", kf.Rigid(3.0), kf.Translational(), q=place, rates=speed)
    s.close("ball", "rod.end", "mass", kf.Spherical())
    return s


@pytest.mark.parametrize("axes", [("x", "y"), ((0.6, 0.8, 0), (-0.8, 0.6, 0))])
@pytest.mark.parametrize("way", ["cartesian", "recursive"])
def test_strut_between_two_balls(way, axes):
    """A spherical pendulum, integrated by SciPy. Its turn about its line counts for nothing: a joint without that freedom is
    the ball, whatever axes it has, and the ball itself is refused."""
    run = strut(kf.Universal(axes)).simulate(1.0, formulation=way, method="dop853", rtol=1e-11, atol=1e-12)
    I, lift, start, rate = 2.0 / 3 + 3, (1.0 + 3) * 9.81, 0.6, 2.5
    H = I * math.sin(start) ** 2 * rate

    def slope(t, y):
        s, c = math.sin(y[0]), math.cos(y[0])
        return [y[1], (H**2 * c / (I * s**3) - lift * s) / I, H / (I * s**2)]

    angle, _, around = solve_ivp(slope, (0, 1.0), [start, 0, 0], "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    wanted = math.sin(angle) * math.cos(around), math.sin(angle) * math.sin(around), -math.cos(angle)
    assert run["mass.position"][-1] == pytest.approx(wanted, abs=1e-10) and run.audit.ok
    with pytest.raises(kf.ModelError, match=r'nothing resists "rod\.wz".* use a joint without that freedom'):
        strut(kf.Spherical()).simulate(0.1, formulation=way)


def test_bars_in_a_plane_have_points_alone():
    """The normal of the plane is a constant, so that a bar has the coordinates of its two pins and no others."""
    s = kf.System("four-bar")
    s.add("a", crank(1.0), kf.Revolute("z"), q=1.0)
    s.add("b", crank(2.0), kf.Revolute("z"), "a", "tip", q=-1.0)
    s.add("c", crank(1.0), kf.Revolute("z"), at=(2, 0, 0), q=1.0)
    s.close("pin", "b.tip", "c.tip", kf.Revolute("z"))
    d = s.dynamics("cartesian")
    assert d.plan.formulation.tables(d.plan).coordinates == 2 * 3


def test_loop_that_cannot_close_is_named():
    bar = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 1 / 12, 1 / 12), frames={"tip": (1, 0, 0)})
    s = kf.System("four-bar")
    s.add("a", bar, kf.Revolute("z"), q=1.3)
    s.add("b", bar, kf.Revolute("z"), "a", "tip", q=-1.3)
    s.add("c", bar, kf.Revolute("z"), at=(4, 0, 0), q=1.3)
    s.close("pin", "b.tip", "c.tip", kf.Revolute("z"))
    with pytest.raises(kf.ModelError, match="pin"):
        s.simulate(0.1, formulation="cartesian")


def crank(length):
    return kf.Rigid(1.0, com=(length / 2, 0, 0), inertia=(0.01, 1 / 12, 1 / 12), frames={"tip": (length, 0, 0)})


def three_cranks(more):
    """A parallelogram with a third crank, longer by some play than the other two."""
    coupler = kf.Rigid(1.0, com=(1, 0, 0), inertia=(0.01, 1, 1), frames={"middle": (1, 0, 0), "tip": (2, 0, 0)})
    s = kf.System("three cranks", gravity=(0, -9.81, 0))
    s.add("a", crank(1.0), kf.Revolute("z"), q=1.0)
    s.add("b", coupler, kf.Revolute("z"), "a", "tip", q=-1.0)
    s.add("c", crank(1.0), kf.Revolute("z"), at=(2, 0, 0), q=1.0)
    s.add("d", crank(1.0 + more), kf.Revolute("z"), at=(1, 0, 0), q=1.0)
    s.close("end", "b.tip", "c.tip", kf.Revolute("z"))
    s.close("middle", "b.middle", "d.tip", kf.Revolute("z"))
    return s


def test_what_is_over_constrained_moves_if_it_fits_and_is_named_if_it_has_play():
    """Six equations too many: they are left out where all lengths fit, and the pin is named by how far it is off if not."""
    ends = [three_cranks(0.0).simulate(0.3, formulation=way).q[-1] for way in ("cartesian", "recursive")]
    assert ends[0] == pytest.approx(ends[1], abs=1e-8)
    with pytest.raises(kf.ModelError, match=r'constraint "middle" stays off by 0\.001'):
        three_cranks(1e-3).simulate(0.3, formulation="cartesian")


def test_loop_with_a_body_without_length():
    s = kf.System("hinge on a hinge", gravity=(0, -9.81, 0))
    s.add("a", crank(1.0), kf.Revolute("z"), q=0.5)
    s.add("b", kf.Rigid(1.0, inertia=(1, 1, 1), frames={"tip": (0, 0, 0)}), kf.Revolute("z"), "a", "tip", rates=1.0)
    s.add("c", crank(1.0), kf.Revolute("z"), q=0.5)
    s.close("pin", "b.tip", "c.tip", kf.Revolute("z"))
    run, other = (s.simulate(0.5, formulation=way) for way in ("cartesian", "recursive"))
    assert run.audit.ok and run.q[-1] == pytest.approx(other.q[-1], abs=1e-8)


def test_body_without_inertia_is_named():
    s = kf.System("point")
    s.add("point", kf.Rigid(1.0), kf.Spherical())
    with pytest.raises(kf.ModelError, match=r"point\.w"):
        s.simulate(0.1, formulation="cartesian")


def test_through_a_singular_position():
    """A parallelogram turns through the line in which it may go on in two ways: it stays a parallelogram."""
    s = kf.System("parallelogram")
    bars = ("a", 1.0, None, None, 1), ("b", 2.0, "a", "tip", -1), ("c", 1.0, None, (2, 0, 0), 1)
    for name, length, parent, at, sign in bars:
        s.add(name, crank(length), kf.Revolute("z"), parent, at, q=sign * 1.0, rates=sign * -3.0)
    s.close("pin", "b.tip", "c.tip", kf.Revolute("z"))
    run = s.simulate(0.7, formulation="cartesian")
    assert run.q[-1] == pytest.approx([-1.1, 1.1, -1.1], abs=1e-7) and run.audit.ok
    assert [name for _, name, _ in run.audit.singular] == ["pin"]


def test_ring_of_scissors_through_the_flat_position():
    """Where it may bend out of its plane: its energy is that of one freedom before and after, to some 1e-6 of 33 J; errors
    across the branch, which grow without bound beside that position, stop runs that ask for more."""
    n, a, m, hub, k, pre, start = 5, 0.6, 0.7, 0.3, 2.0, 0.1, 1.2
    s = scissor_ring(n, arm=a, bar_mass=m, hub_mass=hub, angle=start, stiffness=k, preload=pre)
    near, far = a / math.tan(math.pi / n), a / math.sin(math.pi / n)
    for way in ("cartesian", "recursive"):
        run = s.simulate(0.8, formulation=way, method="dop853", rtol=1e-5, atol=1e-7)
        t, rate = run["down0.q"] / 2, run["down0.rate"] / 2
        bars = 2 * n * m * (near**2 * np.sin(t) ** 2 + a**2 / 3)
        hubs = 2 * n * hub * (far**2 * np.sin(t) ** 2 + a**2 * np.cos(t) ** 2)
        work = 2 * n * k * ((start + pre) ** 2 - (t + pre) ** 2)
        assert (bars + hubs) * rate**2 / 2 == pytest.approx(work, abs=3e-4) and t[-1] < -1.0
        assert [name for _, name, _ in run.audit.singular] == ["rim"] and run.audit.ok
    with pytest.raises(kf.SimulationError, match='nearly singular there, where formulation="recursive" goes on'):
        s.simulate(0.8, formulation="cartesian", method="dop853", rtol=1e-12, atol=1e-14)


def test_yo_yo(monkeypatch):
    """Its coordinates grow evenly, so that steps in the tree's are all but exact; points go around, and take a smaller rtol
    to pass the same checks: errors are in proportion to it."""
    p, off = yo_yo.DEFAULTS, []
    for rtol in (1e-11, 1e-13):
        monkeypatch.setattr(yo_yo, "FINE", {"method": "dop853", "rtol": rtol, "atol": 0.1 * rtol})
        run = yo_yo.simulate(yo_yo.build(p), p, formulation="cartesian")
        off.append(next(c for c in yo_yo.checks(run, p) if "angular momentum" in c.name).value)
    for check in yo_yo.checks(run, p):
        assert check.ok, check
    assert off[1] < 0.02 * off[0] and run.audit.ok
