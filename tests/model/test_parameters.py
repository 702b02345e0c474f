"""Parameters: a system at other values is the system built with these values, without a compilation."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import kaneflex as kf
from kaneflex.cli import main
from kaneflex.model.codec import model_from_data, model_to_data
from kaneflex.model.recipes import holds, recipe_of
from kaneflex.plan.build import build
from kaneflex.plan.laws import machine

VALUES = {"mass": 1.3, "length": 0.8, "stiffness": 4.5, "EI": 260.0}


def parameters():
    return {
        "mass": kf.Parameter("mass", 1.0, low=0.1, unit="kg"),
        "length": kf.Parameter("length", 1.1, low=0.2, high=3.0, unit="m"),
        "stiffness": kf.Parameter("stiffness", 3.0, low=0.0),
        "EI": kf.Parameter("EI", 200.0),
    }


def everything(mass, length, stiffness, EI, with_functions=True):
    """A parameter in every kind of place."""
    s = kf.System("everything", gravity=(0, 0, -9.81 * length))
    hub = s.add(
        "hub", kf.Rigid(10 * mass, inertia=(mass, mass, mass * length**2), frames={"side": (length, 0, 0)}), kf.Revolute("z")
    )
    s.add(
        "arm", kf.Rigid(mass, com=(length / 2, 0, 0)), kf.Revolute("y"), parent=hub, at="side", q=0.1 * length, rates=-mass
    )
    s.add("prescribed", kf.Rigid(1.0), kf.Revolute("x", motion=kf.profiles.spin_up(rate=stiffness, time=2.0)), parent="arm")
    s.add_rod("boom", kf.Rod(length=length, EI=EI, GJ=90.0, EA=2.8e4, mass_per_length=mass, n=3), parent="hub")
    s.add_part("wheel", kf.parts.ReactionWheel("z", 0.1 * mass), on="hub")
    s.add_input("motor", kf.JointForce("hub", 1.0))
    s.add_block("servo", kf.blocks.PID(kp=stiffness, ki=1.0, kd=2 * stiffness, sees=["hub.q"], drives=["motor"]))
    s.apply("spring", kf.SpringDamper("arm", (0, 0, 2 * length), stiffness=stiffness, damping=0.1, length=np.sqrt(length)))
    if with_functions:
        s.apply("law", kf.JointForce("arm", lambda t, x: -stiffness * x[0] - mass * t, sees=["arm.q"]))
    s.loads["pull"] = kf.Force("boom.tip", (0, stiffness, 0))
    return s


def same(a, b):
    one, other = build(a), build(b)
    assert np.array_equal(one.P, other.P)
    assert np.array_equal(a.state().q, b.state().q) and np.array_equal(a.state().rates, b.state().rates)
    for law, twin in zip(one.laws, other.laws, strict=True):
        x = np.linspace(0.1, 0.7, law.inputs)
        assert np.array_equal(law._code.real.run(0.7, x), twin._code.real.run(0.7, x))


def test_a_system_at_values_is_the_system_built_with_them():
    own = parameters()
    s = everything(**own)
    assert s.parameters == own
    same(s, everything(**{name: p.value for name, p in own.items()}))
    at = s.at(VALUES)
    same(at, everything(**VALUES))
    assert {name: p.value for name, p in at.parameters.items()} == VALUES
    assert s.parameters == own  # the system itself is as it was
    same(at.at({name: p.value for name, p in own.items()}), s)


def test_files_keep_parameters():
    own = parameters()
    s = everything(**own, with_functions=False)
    again = model_from_data(json.loads(json.dumps(model_to_data(s))), {}, kf.System)
    same(again.at(VALUES), s.at(VALUES))
    assert [p.said for p in again.parameters.values()] == [p.said for p in s.parameters.values()]


def test_what_files_hold_as_numbers_only_is_said():
    s = everything(**parameters())
    with pytest.warns(UserWarning, match='as numbers only: it cannot hold a function of "law.'):
        data = model_to_data(s)
    assert "said" not in data


def test_a_flexible_body_follows_its_section():
    """Frequencies of a clamped beam go with the root of EI, where rotary inertia is none."""
    EI = kf.Parameter("EI", 1.4e4)
    s = kf.System("arm")
    beam = kf.structures.Beam(length=10.0, EA=2.8e7, EI=EI, mass_per_length=1.2, elements=6, rotary=1e-9)
    s.add("arm", kf.Flexible(beam, root="root", modes=2))
    before = [m.frequency for m in s.modes()]
    after = [m.frequency for m in s.modes(parameters={"EI": 4 * 1.4e4})]
    assert after == pytest.approx([2 * f for f in before], rel=1e-7)
    again = model_from_data(json.loads(json.dumps(model_to_data(s))), {}, kf.System)
    assert [m.frequency for m in again.modes(parameters={"EI": 4 * 1.4e4})] == pytest.approx(after, rel=1e-12)


def swinging(k, c=0.1):
    s = kf.System("swinging")
    s.add("bob", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"), q=1.0)
    s.apply("law", kf.JointForce("bob", lambda t, x, d=c: -k * x[0] - d * x[1], sees=["bob.q", "bob.rate"]))
    return s


def test_a_sweep_compiles_nothing(monkeypatch):
    k = kf.Parameter("k", 2.0)
    s = swinging(k)
    s.simulate(0.1)
    made = []
    monkeypatch.setattr(machine, "Machine", lambda *a, **b: made.append(a) or pytest.fail("compiled"))
    for value in (2.5, 3.0, 4.0):
        run = s.simulate(math.pi, parameters={"k": value}, rtol=1e-10)
        assert run["bob.q"][-1] == swinging(value).simulate(math.pi, rtol=1e-10)["bob.q"][-1]
        assert run.parameters["k"].value == value
        wd = math.sqrt(value - 0.0025)
        exact = math.exp(-0.05 * math.pi) * (math.cos(wd * math.pi) + 0.05 / wd * math.sin(wd * math.pi))
        assert run["bob.q"][-1] == pytest.approx(exact, abs=1e-8)
    swinging(3.3, c=0.2).simulate(0.1)  # captured numbers and defaults alike
    assert not made


def test_arguments_of_simulate_take_parameters():
    k, start = kf.Parameter("k", 2.0), kf.Parameter("start", 0.5, low=0.0)
    s = swinging(k)
    s.add_input("motor", kf.JointForce("bob", 1.0))
    run = s.simulate(1.0, initial={"bob.q": 2 * start}, inputs={"motor": lambda t: start * t}, parameters={"start": 0.25})
    other = s.simulate(1.0, initial={"bob.q": 0.5}, inputs={"motor": lambda t: 0.25 * t})
    assert run["bob.q"][-1] == other["bob.q"][-1]
    assert set(run.parameters) == {"k", "start"}


REFUSED = [
    ({"stifness": 1.0}, '"stifness" is not known: there are'),
    ({"mass": 0.0}, 'parameter "mass" is 0: it must be 0.1 or more'),
    ({"length": 4.0}, 'parameter "length" is 4: it must be from 0.2 to 3'),
]


@pytest.mark.parametrize(("values", "words"), REFUSED)
def test_unknown_names_and_values_outside_are_refused(values, words):
    with pytest.raises(kf.ModelError, match=words):
        everything(**parameters()).simulate(1.0, parameters=values)


def test_what_would_lose_a_parameter_is_refused():
    p = kf.Parameter("p", 2.0)
    lost = [lambda: float(p), lambda: p > 1, lambda: bool(p), lambda: math.sin(p), lambda: np.array([p, 1.0], float)]
    for losing in lost:
        with pytest.raises(kf.ModelError, match=r"take its \.value"):
            losing()
    with pytest.raises(kf.ModelError, match="does not take parameters"):
        kf.structures.Framework().node("a", (p, 0, 0))
    with pytest.raises(kf.ModelError, match="no finite number at p = 2"):
        1 / (p - 2)
    s = kf.System("two")
    s.add("a", kf.Rigid(p), kf.Free())
    s.add("b", kf.Rigid(kf.Parameter("p", 3.0)), kf.Free())
    with pytest.raises(kf.ModelError, match='two parameters "p"'):
        _ = s.parameters


def test_checks_hold_at_every_value():
    p = kf.Parameter("p", 1.0)
    s = kf.System("checked")
    s.add("a", kf.Rigid(p - 0.5, inertia=(1, 1, 1)), kf.Free())
    with pytest.raises(kf.ModelError, match=r"mass is -0\.1: it must not be negative"):
        s.at({"p": 0.4})


def test_arithmetic_is_that_of_numbers():
    p, q = kf.Parameter("p", 0.7), kf.Parameter("q", 2.0)
    made = [2 * p + 1, (p - q) / (3 - p), q**p, -(p**2), np.sin(p) * np.arctan2(p, q), abs(p - q), 2.0**p]
    for e in made:
        text = repr(e)
        functions = {"sin": np.sin, "arctan2": np.arctan2, "absolute": abs}
        assert eval(text, {"p": 0.7, "q": 2.0, **functions}) == pytest.approx(e.value, rel=1e-15), text
        again = e.at({"p": 0.9})
        assert eval(text, {"p": 0.9, "q": 2.0, **functions}) == pytest.approx(again.value, rel=1e-15), text
    row = np.array([1.0, 2.0]) * p
    assert [e.value for e in row] == [0.7, 1.4]


def test_equations_show_parameters_as_symbols(tmp_path):
    m, l, k = kf.Parameter("m", 1.2), kf.Parameter("l", 0.7), kf.Parameter("k", 3.0)
    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("bob", kf.PointMass(2 * m, com=(0, 0, -l)), kf.Revolute("y"), q=0.3)
    s.apply("law", kf.JointForce("bob", lambda t, x: -k * x[0], sees=["bob.q"]))
    equations = s.equations()
    names = {str(symbol): value for symbol, value in equations.values.items()}
    assert {name: names[name] for name in ("m", "l", "k")} == {"m": 1.2, "l": 0.7, "k": 3.0}
    assert str(equations.M[0][0]).replace(" ", "") in ("2*l**2*m", "2*m*l**2")
    assert "k" in str(equations.F[0])
    at = {"m": 0.9, "l": 1.1, "k": 5.0}
    put = equations.numbers({**equations.values, **at})
    state = {put.q[0]: 0.4, put.u[0]: 0.2}
    udot = float(put.F[0].xreplace(state)) / float(put.M[0][0])
    assert udot == pytest.approx(float(s.dynamics(parameters=at).udot(np.array([0.4]), np.array([0.2]))[0]), rel=1e-12)
    text = "".join(path.read_text() for path in equations.export_c(tmp_path))
    listed = text[text.index("p: parameters:") :][:200]
    assert all(f" {name}" in listed for name in at), listed


def test_a_file_runs_at_values_of_the_command_line(tmp_path):
    path = tmp_path / "arm.py"
    path.write_text(
        "import kaneflex as kf\n"
        "system = kf.System('arm')\n"
        "system.add('arm', kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute('z'), q=0.1)\n"
        "system.apply('joint', kf.JointSpring('arm', stiffness=kf.Parameter('stiffness', 4.0), damping=0.1))\n"
        "duration = 0.5\n"
    )
    done = CliRunner().invoke(main, ["run", str(path), "--set", "stiffness=9", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["parameters"] == {"stiffness": 9.0}
    wrong = CliRunner().invoke(main, ["run", str(path), "--set", "stifness=9"])
    assert wrong.exit_code != 0 and "stifness" in wrong.output


def test_what_a_run_leaves_is_not_searched_for_parameters():
    """A run costs what its steps do: neither the names of its plan nor what it left is searched, however many bodies there
    are, though they hold rods and joints that were made of parameters."""
    run = everything(**parameters()).simulate(0.01, output=0.01)
    assert holds(run.plan.index.rods)
    assert not holds(run.plan.index) and not holds(run.trajectory) and recipe_of(run) is None
    assert recipe_of(run.final.copy()) is None
