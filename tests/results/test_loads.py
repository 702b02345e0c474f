"""What joints and constraints carry, against Newton's and Euler's equations of every single body."""

import numpy as np
import pytest
from formulations.identities import close, largest
from formulations.loops import BUILT_IN, DERIVED, JOINT_KINDS, Loops, mechanisms
from hypothesis import assume, example, given, settings
from sweeps import sweep
from trees import WAYS, Recipe, trees

import kaneflex as kf
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.forces import Force, SpringDamper, Torque
from kaneflex.results.run import Run
from kaneflex.simulate.simulate import Options, simulate

PLAIN = (
    ("Force", "body"), ("Force", "inertial"), ("Torque", "body"), ("Torque", "inertial"), ("SpringDamper", "ground"),
    ("SpringDamper", "between"), ("JointSpring", "all"), ("JointSpring", "ball"), ("JointForce", "constant"),
)  # fmt: skip
TOLERANCE = 1e-8


def run_of(m, formulation="recursive", speeds="customary") -> Run:
    """A short run from where the mechanism is, three samples."""
    t = m.state().t
    inputs = dict(zip(m.model.inputs, m.inputs, strict=True))
    options = Options("dopri5", formulation, speeds, 1e-7, 1e-9)
    return Run(
        simulate(m.model, 2e-3, initial=m.state(), options=options, times=t + np.array([0, 1e-3, 2e-3]), inputs=inputs)
    )


def turned(R, x):
    return np.einsum("nij,nj->ni", R, np.broadcast_to(x, (len(R), 3)))


class Space:
    """Places, velocities and accelerations in inertial axes, from the channels of a run."""

    def __init__(self, run: Run):
        self.run, self.model, self.n = run, run.model, len(run.t)

    def place(self, end):
        """Position of "body", "body.frame", or of a point of N."""
        if not isinstance(end, str):
            return np.broadcast_to(getattr(end, "p", end), (self.n, 3))
        return np.zeros((self.n, 3)) if end == "N" else self.run[f"{end}.position"]

    def velocity(self, end):
        return self.run[f"{end}.velocity"] if isinstance(end, str) and end != "N" else np.zeros((self.n, 3))

    def applied(self, body):
        """Force and torque about the body's origin of the loads that act on a body beside gravity."""
        force, torque = np.zeros((self.n, 3)), np.zeros((self.n, 3))
        gains = dict.fromkeys(self.model.loads, 1.0) | {name: self.run[name][:, None] for name in self.model.inputs}
        for name, load in {**self.model.loads, **self.model.inputs}.items():
            for at, f, moment in self._of(load, gains[name]):
                if at.partition(".")[0] == body:
                    force = force + f
                    torque = torque + moment + np.cross(self.place(at) - self.place(body), f)
        return force, torque

    def _of(self, load, gain):
        """(place, force there, torque) of a load."""
        zero = np.zeros((self.n, 3))
        if isinstance(load, SpringDamper):
            d, v = self.place(load.b) - self.place(load.a), self.velocity(load.b) - self.velocity(load.a)
            length = np.linalg.norm(d, axis=1)[:, None]
            tension = load.stiffness * (length - load.length) + load.damping * np.sum(d * v, axis=1)[:, None] / length
            tension = tension + gain * load.tension
            ends = [(load.a, tension * d / length, zero), (load.b, -tension * d / length, zero)]
            return [e for e in ends if isinstance(e[0], str)]
        if isinstance(load, Force):
            value = np.broadcast_to(gain * np.array(load.value), (self.n, 3))
            if load.axes == "body":
                value = turned(self.run[f"{load.at}.rotation"], np.zeros(3) + value)
            return [(load.at, zero, value) if isinstance(load, Torque) else (load.at, value, zero)]
        return []

    def momentum_rate(self, body):
        """m (a_C - g), and the rate of the angular momentum about the body's origin with that force's moment."""
        part, run = self.model.parts[body].body, self.run
        R, w, alpha = run[f"{body}.rotation"], run[f"{body}.omega"], run[f"{body}.alpha"]
        J, com = np.array(part.inertia), np.array(part.com)
        turning, spin = alpha @ J, w @ J
        for name, (owner, rotor) in self.model.rotors.items():
            if owner == body:  # a wheel without torque about its axis: its total spin is constant
                axis = np.array(rotor.axis)
                turning = turning - rotor.inertia * np.outer(alpha @ axis, axis)
                spin = spin + rotor.inertia * np.outer(run[f"{name}.rate"], axis)
        c = turned(R, com)
        w, alpha = turned(R, w), turned(R, alpha)
        acceleration = run[f"{body}.acceleration"] + np.cross(alpha, c) + np.cross(w, np.cross(w, c))
        force = part.mass * (acceleration - np.array(self.model.gravity))
        return force, turned(R, turning) + np.cross(w, turned(R, spin)) + np.cross(c, force)


def bodies_of(model, constraint):
    """Bodies that a constraint acts on otherwise than through its joint."""
    places = [e for e in constraint.ends() if isinstance(e, str)]
    places += [c for c in constraint.channels() if c.endswith((".position", ".rotation"))]
    return {p.partition(".")[0] for p in places} - {"N"}


def balance(run: Run) -> None:
    """Newton and Euler for every body: joint, children's joints, constraints, gravity, loads."""
    space, model = Space(run), run.model
    off, scale = [], 1.0
    for body in model.parts:
        terms = [(1, run.loads(body, at=body))]
        terms += [(-1, run.loads(child, at=body)) for child, part in model.parts.items() if part.parent == body]
        for name, constraint in model.constraints.items():
            if body in bodies_of(model, constraint):
                terms.append((1, run.loads(name, at=body, body=body)))
        force, torque = space.applied(body)
        for sign, load in terms:
            force, torque = force + sign * load.force, torque + sign * load.torque
            scale = max(scale, largest(load.force, load.torque))
        wanted = space.momentum_rate(body)
        scale = max(scale, largest(*wanted))
        off.append((body, force - wanted[0], torque - wanted[1]))
    for body, force, torque in off:
        close(force, np.zeros_like(force), f"force on {body}", scale, TOLERANCE)
        close(torque, np.zeros_like(torque), f"torque on {body}", scale, TOLERANCE)


@sweep(50)
@example(Loops(Recipe(("Free", "Spherical", "Revolute", "Prismatic"), (-1, 0, 1, 0), loads=PLAIN, seed=3), ()))
@example(
    Loops(Recipe(("Revolute",) * 12, tuple(range(-1, 11)), (True,) * 12, base="tumbling", seed=4), BUILT_IN, False, True)
)
@given(mechanisms(ties=BUILT_IN, fitted=True, loads=PLAIN))
def test_every_body_obeys_newton_and_euler(recipe):
    m = recipe.mechanism()
    assume(m.model.constraints or not recipe.ties)
    balance(run_of(m))


@settings(max_examples=20)
@given(trees(most=14, kinds=JOINT_KINDS, loads=PLAIN))
def test_trees_obey_newton_and_euler(recipe):
    balance(run_of(Loops(recipe, ()).mechanism()))


@settings(max_examples=6)
@given(mechanisms(ties=DERIVED, fitted=True, loads=PLAIN, most=6, at_most=2))
def test_written_constraints_load_bodies(recipe):
    m = recipe.mechanism()
    assume(m.model.constraints)
    balance(run_of(m))


# -- ways to ask ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def linkage() -> Run:
    """A tree with constraints of many kinds, between bodies and to the ground; no loads but gravity."""
    kinds = ("Closure-Spherical", "Closure-Planar", "Distance", "PointOnLine", "PointOnPlane", "KnifeEdge", "Rolling")
    recipe = Recipe(
        ("Free", "Universal", "Spherical", "Free", "Cylindrical", "Free", "Spherical"), (-1, 0, 1, 0, 3, -1, 5), seed=2
    )
    m = Loops(recipe, (*kinds, *kinds), fitted=True).mechanism()
    assert {type(c).__name__ for c in m.model.constraints.values()} >= {"Closure", "Distance", "PointOnPlane", "Rolling"}
    assert any("N" in str(c.ends()) or not isinstance(c.ends()[0], str) for c in m.model.constraints.values())
    return run_of(m)


def end_of(run, name):
    """Body and place of the end that a joint or constraint loads."""
    if name in run.model.parts:
        return name, None
    end = next(e for e in reversed(run.model.constraints[name].ends()) if isinstance(e, str) and e != "N")
    return end.partition(".")[0], end


def names_of(run):
    return [*run.model.parts, *run.model.constraints]


def test_point_and_axes_move_the_load_and_do_not_change_it(linkage):
    run, space = linkage, Space(linkage)
    for name in names_of(run):
        body, _ = end_of(run, name)
        here = run.loads(name, at=body)
        scale = largest(here.force, here.torque)
        for at in ("b0", "b1.tip", "N", (0.3, -0.2, 0.5)):
            for axes in ("inertial", "body", "N", "b2", "b2.tip"):
                R = {"inertial": np.eye(3)[None], "N": np.eye(3)[None]}.get(axes)
                if R is None:
                    R = run[f"{body if axes == 'body' else axes}.rotation"]
                R = np.broadcast_to(R, (len(run.t), 3, 3)).transpose(0, 2, 1)
                there = run.loads(name, axes, at)
                moved = here.torque + np.cross(space.place(body) - space.place(at), here.force)
                close(there.force, turned(R, here.force), f"force of {name}", scale, 1e-12)
                close(there.torque, turned(R, moved), f"torque of {name}", scale, 1e-11)
                close(there.power, here.power, f"power of {name}", scale, 1e-11)


def test_default_point_is_the_joint_s_own(linkage):
    run = linkage
    for name in names_of(run):
        _, end = end_of(run, name)
        here = run.loads(name)
        if end is None:  # a joint's frame on its body
            part = run.model.parts[name]
            place = run[f"{name}.position"] + turned(run[f"{name}.rotation"], part.hinge.p)
            there = run.loads(name, at=name)
            moved = there.torque + np.cross(run[f"{name}.position"] - place, there.force)
            close(here.torque, moved, f"torque of {name}", largest(here.force, here.torque), 1e-12)
        else:
            close(here.torque, run.loads(name, at=end).torque, f"torque of {name}", largest(here.force, here.torque), 1e-12)


def test_power_is_that_of_the_load_on_the_moving_body(linkage):
    run = linkage
    for name in names_of(run):
        body, _ = end_of(run, name)
        load = run.loads(name, at=body)
        omega = turned(run[f"{body}.rotation"], run[f"{body}.omega"])
        power = np.sum(load.force * run[f"{body}.velocity"] + load.torque * omega, axis=1)
        close(load.power, power, f"power of {name}", largest(load.force, load.torque), 1e-12)


def test_ideal_joints_and_steady_constraints_do_no_work(linkage):
    run = linkage
    for name in names_of(run):
        load = run.loads(name)
        scale = (1 + largest(load.force, load.torque)) * largest(run.u)
        close(load.net_power, np.zeros(len(run.t)), f"net power of {name}", scale, 1e-12)


def test_constraints_act_and_react(linkage):
    run = linkage
    pairs = 0
    for name, constraint in run.model.constraints.items():
        bodies = bodies_of(run.model, constraint)
        if len(bodies) == 2:
            pairs += 1
            one, other = (run.loads(name, at="N", body=b) for b in sorted(bodies))
            close(one.force, -other.force, f"force of {name}", tolerance=1e-12)
            close(one.torque, -other.torque, f"torque of {name}", tolerance=1e-12)
    assert pairs


def test_both_formulations_load_alike():
    recipe = Recipe(("Free", "Universal", "Spherical", "Revolute", "Cylindrical"), (-1, 0, 1, 0, 3), seed=9)
    m = Loops(recipe, ("Closure-Spherical", "Distance", "KnifeEdge"), driven=True, fitted=True).mechanism()
    assert m.model.constraints and m.motions
    one = run_of(m)
    for way in WAYS[1:]:
        other = run_of(m, *way)
        for name in names_of(one):
            a, b = one.loads(name), other.loads(name)
            scale = 1 + largest(a.force, a.torque)
            close(a.force[0], b.force[0], f"force of {name}, {way}", scale, 1e-9)
            close(a.torque[0], b.torque[0], f"torque of {name}, {way}", scale, 1e-9)
            close(a.net_power[0], b.net_power[0], f"net power of {name}, {way}", scale, 1e-8)


# -- what delivers power -------------------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(
    mechanisms(
        ties=("Closure-Spherical", "Distance", "Gear"), driven=True, fitted=True, loads=PLAIN, at_most=2, rotors=False
    )
)
def test_net_power_is_generalized_forces_times_rates(recipe):
    """In a joint: springs, motors and drives; and couplers, which act there too."""
    m = recipe.mechanism()
    run = run_of(m)
    for name, joint in run.plan.index.joints.items():
        if not joint.speeds:
            continue
        load, w = run[f"{name}.load"].reshape(len(run.t), -1), run[f"{name}.rate"].reshape(len(run.t), -1)
        wanted = np.sum(load * w, axis=1)
        for tie, constraint in run.model.constraints.items():
            if isinstance(constraint, kf.Coupler):
                for place, factor in constraint.terms.items():
                    if place.partition(".")[0] == name:
                        k = joint.coordinate_names.index(place.partition(".")[2])
                        wanted = wanted + run[f"{tie}.multipliers"] * factor * w[:, k]
        found = run.loads(name)
        scale = 1 + largest(found.force, found.torque) * (1 + largest(run.u))
        close(found.net_power, wanted, f"net power of {name}", scale, 1e-10)


def test_moving_constraint_delivers_its_work():
    """Sum of the powers on all bodies = - multiplier times what depends on time alone; here for a growing distance."""
    s = kf.System("pushed", gravity=(0, 0, -9.81))
    s.add("a", kf.Rigid(1.0, inertia=(0.1, 0.2, 0.3)), kf.Free(), rates=(0.1, 0.2, 0.3, 1.0, 2.0, -1.0))
    s.add("b", kf.Rigid(2.0, inertia=(0.2, 0.2, 0.3)), kf.Free(), at=(1, 0, 0))
    s.add_frame("a", "f", kf.Frame((0.1, 0.2, 0.0)))
    grows = lambda t, x: kf.sqrt(sum((x[k] - x[3 + k]) ** 2 for k in range(3))) - 1 - 0.2 * t
    s.constrain("push", kf.Constraint(grows, ("a.f.position", "b.position")))
    run = s.simulate(1.0, rtol=1e-10, atol=1e-11)
    powers = sum(run.loads("push", body=b).power for b in ("a", "b"))
    close(powers, 0.2 * run["push.multipliers"], "power of the push", tolerance=1e-10)
    work = np.trapezoid(powers, run.t)
    assert run.audit.ok and work == pytest.approx(run.audit.applied_work, rel=1e-5)


# -- signs and shares ------------------------------------------------------------------------------------------------------


def test_signs():
    """A weight on a rope pulls with minus its weight; a weight on a plane presses; supports push up."""
    s = kf.System("signs", gravity=(0, 0, -10.0))
    s.add("weight", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Free(), at=(0, 0, -3))
    s.constrain("rope", kf.Distance("N", "weight", 3.0))
    s.add("block", kf.Rigid(3.0, inertia=(1, 1, 1)), kf.Free(), at=(5, 0, 0))
    s.constrain("floor", kf.PointOnPlane("block", "N"))
    s.add("shelf", kf.Rigid(4.0, com=(0.5, 0, 0)), kf.Fixed(), at=(9, 0, 0))
    run = s.simulate(0.1)
    assert run["rope.multipliers"] == pytest.approx(-20.0) and run["floor.multipliers"] == pytest.approx(30.0)
    assert run.loads("rope").force[-1] == pytest.approx([0, 0, 20.0], abs=1e-9)
    assert run.loads("floor").force[-1] == pytest.approx([0, 0, 30.0], abs=1e-9)
    assert run.loads("shelf").force[-1] == pytest.approx([0, 0, 40.0])
    assert run.loads("shelf").torque[-1] == pytest.approx([0, -20.0, 0])  # about its hinge: it would tip down


def test_a_door_on_two_hinges_shares_its_weight():
    """Redundant: what is determined is right, and what is not is shared by the multipliers of least norm."""
    s = kf.System("door", gravity=(0, 0, -10.0))
    frames = {"low": (0, 0, -0.5), "high": (0, 0, 0.5)}
    s.add(
        "door", kf.Rigid(6.0, com=(0.4, 0, 0), inertia=(1.0, 1.2, 0.4), frames=frames), kf.Free(), rates=(0, 0, 0, 0, 0, 2.0)
    )
    for name in frames:
        s.close(name, kf.Frame(frames[name]), f"door.{name}", kf.Revolute("z"))
    run = s.simulate(0.5)
    assert len(run.assembly.redundant) == 5
    balance(run)
    low, high = run.loads("low"), run.loads("high")
    assert low.force[:, 2] == pytest.approx(30.0) and high.force[:, 2] == pytest.approx(30.0)
    assert low.torque == pytest.approx(high.torque, abs=1e-9)
    assert run.audit.ok


def test_what_cannot_be_asked():
    s = kf.System("geared")
    for name in ("a", "b"):
        s.add(name, kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    s.constrain("gear", kf.Gear("a", "b", 2.0))
    run = s.simulate(0.1)
    for arguments, words in (
        (("gear",), "acts in joints"),
        (("nothing",), "joint or constraint"),
        (("a", "sideways"), "axes"),
        (("a", "inertial", "c"), "at"),
        (("a", "inertial", None, "b"), "outboard"),
    ):
        with pytest.raises(kf.ModelError, match=words):
            run.loads(*arguments)


def test_what_loads_need_is_read_in_one_pass(monkeypatch):
    """Motions of both bodies of a tie, and then nothing more of what is known."""
    s = kf.System("two")
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    s.add("b", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"), at=(1.0, 0, 0))
    s.constrain("tie", kf.Distance("a", "b", 1.0))
    run, passes, whole = s.simulate(0.1), [], Dynamics.channels
    monkeypatch.setattr(Dynamics, "channels", lambda *args, **words: passes.append(1) or whole(*args, **words))
    run.loads("tie")
    assert len(passes) == 1
    run.loads("b")
    run.loads("tie", axes="body")
    assert len(passes) == 1
