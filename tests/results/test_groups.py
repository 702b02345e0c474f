"""Sums over groups of bodies: by hand, by derivatives in time, and by what Newton and Euler say of them."""

import numpy as np
import pytest
from bodies.rockets import burning_mass, floating_tree, shrinking_inertia, wandering_centre
from scipy.interpolate import make_interp_spline

import kaneflex as kf

GRAVITY = np.array([0.3, -1.0, -2.0])
START = {
    "rocket.q": (3, -2, 1, 0.8, 0.2, -0.4, 0.4),
    "rocket.rate": (0.3, -0.2, 0.5, 0.4, -0.6, 0.3),
    "arm.q": (0.2, -0.3),
    "arm.rate": (0.7, -0.5),
    "tank.q": 0.4,
    "tank.rate": -0.8,
}


def slope(run, name, order=1):
    """Derivative of a channel by time, of an interpolating spline of degree 7, away from the ends."""
    values = run[name].reshape(len(run.t), -1)
    return make_interp_spline(run.t, values, k=7).derivative(order)(run.t[20:-20]).squeeze()


def inner(run, name):
    return run[name][20:-20].reshape(len(run.t) - 40, -1).squeeze()


@pytest.fixture(scope="module", params=["customary", "efficient", "constant-mass"])
def burning(request):
    """A rocket and a tank that drain, on either side of an arm that is flexible where that is exact."""
    s = floating_tree(tuple(GRAVITY), flexible=request.param != "constant-mass")
    s.group("stack", ["rocket", "tank"])
    s.group("rest", ["arm"])
    return s.simulate(0.5, initial=START, output=2e-3, rtol=1e-12, atol=1e-13, speeds=request.param)


@pytest.mark.parametrize("owner", ["", "stack.", "rest."])
def test_velocity_and_acceleration_are_the_derivatives_of_the_mass_centre(burning, owner):
    for name, rate in (("position", "velocity"), ("velocity", "acceleration")):
        found, exact = slope(burning, f"{owner}mass_centre.{name}"), inner(burning, f"{owner}mass_centre.{rate}")
        assert np.abs(exact).max() > 0.1
        assert found == pytest.approx(exact, abs=2e-7 * np.abs(exact).max())


def test_a_system_is_the_sum_of_its_groups(burning):
    for word in ("energy.kinetic", "momentum.linear", "momentum.angular", "mass_centre.mass"):
        assert burning[f"stack.{word}"] + burning[f"rest.{word}"] == pytest.approx(burning[word], rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("owner", ["", "stack.", "rest."])
def test_angular_momentum_about_the_mass_centre_is_that_about_the_origin_less_that_of_the_centre(burning, owner):
    c, P, H = (burning[owner + word] for word in ("mass_centre.position", "momentum.linear", "momentum.angular"))
    assert burning[f"{owner}momentum.central"] == pytest.approx(H - np.cross(c, P), abs=1e-11)


def test_by_hand_from_the_channels_of_the_bodies(burning):
    """Mass, mass centre, momentum and inertia of the stack from where its two bodies are and how they move."""
    run, t = burning, burning.t
    masses = {"rocket": np.array([burning_mass(x) for x in t]), "tank": 2 - 0.2 * t}
    centres = {"rocket": np.array([wandering_centre(x) for x in t])}
    centres["tank"] = np.column_stack([0.1 - 0.02 * t, 0 * t, 0 * t + 0.1])
    inertias = {"rocket": np.array([shrinking_inertia(x) for x in t]), "tank": np.diag([0.1, 0.2, 0.15])[None]}
    R = {b: run[f"{b}.rotation"] for b in masses}
    arm = {b: np.einsum("nij,nj->ni", R[b], centres[b]) for b in masses}
    at = {b: run[f"{b}.position"] + arm[b] for b in masses}
    total = sum(masses.values())
    centre = sum(masses[b][:, None] * at[b] for b in masses) / total[:, None]
    assert run["stack.mass_centre.mass"] == pytest.approx(total, rel=1e-13)
    assert run["stack.mass_centre.position"] == pytest.approx(centre, abs=1e-12)
    omega = {b: np.einsum("nij,nj->ni", R[b], run[f"{b}.omega"]) for b in masses}
    velocity = {b: run[f"{b}.velocity"] + np.cross(omega[b], arm[b]) for b in masses}
    momentum = sum(masses[b][:, None] * velocity[b] for b in masses)
    assert run["stack.momentum.linear"] == pytest.approx(momentum, abs=1e-11)
    central, J = 0.0, 0.0
    for b in masses:
        own = np.einsum("nij,njk,nlk->nil", R[b], np.broadcast_to(inertias[b], R[b].shape), R[b])
        d = at[b] - centre
        J = J + own + masses[b][:, None, None] * ((d * d).sum(1)[:, None, None] * np.eye(3) - d[:, :, None] * d[:, None, :])
        central = central + np.einsum("nij,nj->ni", own, omega[b]) + masses[b][:, None] * np.cross(d, velocity[b])
    wheel = run["rocket.rotation"] @ (np.array([1, 2, 2]) / 3)
    central = central + 0.02 * run["wheel.rate"][:, None] * wheel  # its part that turns with the rocket is in J
    assert run["stack.mass_centre.inertia"] == pytest.approx(J, abs=1e-11)
    assert run["stack.momentum.central"] == pytest.approx(central, abs=1e-11)


def flexible_tree():
    beam = kf.structures.Beam(length=2.0, EA=1e5, EI=40.0, mass_per_length=0.6, elements=5)
    s = kf.System("craft", gravity=tuple(GRAVITY))
    box = kf.Rigid(3.0, com=(0.1, 0, 0), inertia=(0.4, 0.5, 0.6))
    s.add("bus", box, kf.Free(), q=(1e4, 2e4, -3e4, 1, 0, 0, 0), rates=(1, 2, 3, 0.3, -0.5, 0.4))
    s.add("wing", kf.Flexible(beam, modes=4), kf.Revolute("z"), parent="bus", rates=1.0)
    s.add("tip", kf.Rigid(0.5, inertia=(0.1, 0.1, 0.1)), kf.Revolute("y"), parent="wing", at="tip", q=0.3, rates=-2.0)
    s.add_rotor("wheel", "bus", kf.Rotor("y", 0.05, 20.0))
    s.group("stack", ["wing", "tip"])
    return s


@pytest.mark.parametrize("formulation, speeds", [("recursive", "customary"), ("dense", "efficient")])
def test_in_free_fall_the_mass_centre_falls_and_the_central_momentum_stays(formulation, speeds):
    """Newton and Euler for a free system with a bending wing, far from the origin."""
    run = flexible_tree().simulate(0.5, formulation=formulation, speeds=speeds, rtol=1e-11, atol=1e-11, output=0.01)
    assert run["mass_centre.acceleration"] == pytest.approx(np.tile(GRAVITY, (len(run.t), 1)), abs=1e-9)
    v, m = run["mass_centre.velocity"], run["mass_centre.mass"]
    assert m == pytest.approx(3.0 + 1.2 + 0.5)
    assert v == pytest.approx(v[0] + run.t[:, None] * GRAVITY, abs=1e-8)
    assert run["momentum.linear"] == pytest.approx(m[:, None] * v, abs=1e-11)
    H = run["momentum.central"]
    assert np.abs(H[0]).max() > 1 and np.ptp(H, axis=0).max() < 1e-8 * np.abs(H).max()
    assert np.ptp(run["stack.momentum.central"], axis=0).max() > 0.1


def test_what_a_group_feels_is_the_joint_that_holds_it():
    """m (a - g) of what hangs on a joint is the force in that joint."""
    run = flexible_tree().simulate(0.3, output=0.01)
    force = run["stack.mass_centre.mass"][:, None] * (run["stack.mass_centre.acceleration"] - GRAVITY)
    assert run.loads("wing").force == pytest.approx(force, abs=1e-8)


def fall_towards(owner, body):
    """A body pushed by a force that sees the mass centre of a group, and an event that sees it too."""
    s = kf.System("seen")
    s.add("cart", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Prismatic("x"), q=1.0, rates=0.1)
    s.add("load", body, kf.Prismatic("x"), parent="cart", q=0.5, rates=-0.3)
    s.group("both", ["cart", "load"])
    sees = [f"{owner}mass_centre.position", f"{owner}mass_centre.velocity"]
    s.apply("hold", kf.Force("cart", lambda t, x: (-4.0 * x[0] - 0.5 * x[3], 0.0, 0.0), axes="inertial", sees=sees))
    return s, sees


@pytest.mark.parametrize("owner", ["", "both."])
@pytest.mark.parametrize("formulation", ["recursive", "dense"])
def test_laws_and_events_see_the_mass_centre(owner, formulation):
    """A force -k c - d c-dot on a system of mass m moves its mass centre as an oscillator, in closed form."""
    s, sees = fall_towards(owner, kf.Rigid(1.0, inertia=(1, 1, 1)))
    event = kf.Event(lambda t, x: x[0], sees=sees[:1], name="through")
    run = s.simulate(6.0, events=[event], formulation=formulation, rtol=1e-11, atol=1e-12)
    c0, v0 = (2.0 * 1.0 + 1.0 * 1.5) / 3, (2.0 * 0.1 + 1.0 * (0.1 - 0.3)) / 3
    decay, w = 0.5 / 6, np.sqrt(4.0 / 3 - (0.5 / 6) ** 2)
    exact = lambda t: np.exp(-decay * t) * (c0 * np.cos(w * t) + (v0 + decay * c0) / w * np.sin(w * t))
    assert run["mass_centre.position"][:, 0] == pytest.approx(exact(run.t), abs=1e-9)
    first = (np.arctan2(-c0 * w, v0 + decay * c0) % np.pi) / w
    assert [t for t, _ in run.events] == pytest.approx([first, first + np.pi / w], abs=1e-9)
    assert run.audit.ok


def test_an_event_sees_the_mass_centre_of_its_own_instant():
    """It moves in bodies too, as they deform and drain: values of an earlier evaluation would shift the event."""
    s = flexible_tree()
    tank = kf.VariableMass(lambda t: 4 - 3 * t, (lambda t: t, 0, 0), (1, 1, 1), [kf.Outlet((0, 0, 0))])
    s.add("tank", tank, kf.Revolute("x"), parent="bus")
    s.group("all", ["wing", "tank"])
    probe = s.simulate(0.5, output=0.05)
    for name in ("all.mass_centre.position", "all.mass_centre.velocity"):
        level = float(np.mean(probe[name][[3, 4], 1]))
        event = kf.Event(lambda t, x, level=level: x[1] - level, sees=[name], terminal=True, name="level")
        run = s.simulate(0.5, events=[event], rtol=1e-10, atol=1e-10)
        assert run.status == "event" and 0.1 < run.t[-1] < 0.3
        assert run[name][-1, 1] == pytest.approx(level, abs=1e-10 * max(1.0, abs(level)))


def test_blocks_and_controllers_see_the_mass_centre():
    s, _ = fall_towards("", kf.Rigid(1.0, inertia=(1, 1, 1)))
    del s.loads["hold"]
    s.add_input("push", kf.Force("cart", (1, 0, 0), axes="inertial"))
    s.add_input("idle", kf.Force("cart", (1, 0, 0), axes="inertial"))
    law = lambda t, x: (-4.0 * x[0] - 0.5 * x[3],)
    block = kf.Block(lambda t, x, z: (law(t, x), ()), sees=["mass_centre.position", "mass_centre.velocity"], drives=["push"])
    seen, plain = [], fall_towards("", kf.Rigid(1.0, inertia=(1, 1, 1)))[0].simulate(1.0, rtol=1e-11)

    def watch(t, x):
        seen.append(x[0])
        return [0.0]

    s.add_block("law", block)
    controller = kf.Sampled(0.5, watch, sees=["both.mass_centre.position"], drives=["idle"])
    run = s.simulate(1.0, rtol=1e-11, controllers=[controller], output=0.5)
    assert run["mass_centre.position"][-1] == pytest.approx(plain["mass_centre.position"][-1], abs=1e-9)
    assert seen[:2] == pytest.approx(run["both.mass_centre.position"][:2, 0], abs=1e-12)


def test_equations_in_symbols_see_the_mass_centre():
    s, _ = fall_towards("both.", kf.Rigid(1.0, inertia=(1, 1, 1)))
    run, own = (s.simulate(2.0, rtol=1e-11, atol=1e-12, equations=e) for e in (None, s.equations()))
    assert np.ptp(run["mass_centre.position"][:, 0]) > 1
    assert own["mass_centre.position"][-1] == pytest.approx(run["mass_centre.position"][-1], abs=1e-9)


def test_linear_models_have_mass_centres_as_outputs():
    s = flexible_tree()
    s.gravity = (0, 0, 0)
    names = ("stack.mass_centre.position", "stack.momentum.central", "wing.section_loads", "energy.total")
    with pytest.warns(UserWarning, match="equilibrium"):
        linear = s.linearize(outputs=names)
    assert len(linear.outputs) == len(linear.C) == 3 + 3 + len(s.simulate(0.01).labels("wing.section_loads")) + 1
    state = s.state()
    for name, step in (("wing.mode1", 1e-5), ("bus.wy", 1e-5), ("tip.angle", 1e-5)):
        ends = []
        for sign in (1, -1):
            moved = state.copy()
            moved[name] += sign * step
            ends.append(np.concatenate([np.ravel(x) for x in s.channels(moved, *names).values()]))
        column = linear.C[:, linear.states.index(name)]
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(column, rel=1e-5, abs=1e-5 * (1 + np.abs(column).max()))


def test_groups_are_in_files_and_in_the_description(tmp_path):
    s, _ = fall_towards("both.", kf.Rigid(1.0, inertia=(1, 1, 1)))
    assert "both: group of cart, load" in s.describe()
    del s.loads["hold"]
    s.set_unit("cart.q", "km")
    run = s.simulate(0.1)
    again = kf.Run.load(run.save(tmp_path / "run.h5"))
    assert again.channels == run.channels and again.unit("cart.q") == "km"
    assert np.array_equal(again["both.mass_centre.velocity"], run["both.mass_centre.velocity"])
    del s.groups["both"]
    assert "both.mass_centre.mass" not in s.simulate(0.1).channels
    assert "both.mass_centre.mass" in run.channels


def test_a_group_that_falls_apart_is_summed_all_the_same():
    """Bodies that are let go stay members."""
    s, _ = fall_towards("both.", kf.Rigid(1.0, inertia=(1, 1, 1)))
    del s.loads["hold"]
    event = kf.Event(lambda t: t - 0.5, action=lambda state, change: change.detach("load"), name="release")
    run = s.simulate(1.0, events=[event])
    assert run.segments and run["both.mass_centre.velocity"][:, 0] == pytest.approx(0.0, abs=1e-10)


BAD = {
    "unknown body": (["cart", "wagon"], 'group "g": body "wagon" is not known'),
    "nobody": ([], 'group "g".*one or more'),
    "a text": ("cart", 'bodies of group "g" is .cart.: give a list'),
    "twice": (["cart", "cart"], "twice"),
    "no mass": (["dot"], "no mass"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_groups_are_named(case):
    s, _ = fall_towards("both.", kf.Rigid(1.0, inertia=(1, 1, 1)))
    s.add("dot", kf.Rigid(0.0), parent="cart")
    bodies, message = BAD[case]
    with pytest.raises(kf.ModelError, match=message):
        s.group("g", bodies)
    with pytest.raises(kf.ModelError, match="already"):
        s.group("cart", ["cart"])
    with pytest.raises(kf.ModelError, match="already"):
        s.add("both", kf.Rigid(1.0))
