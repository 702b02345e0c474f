"""What every part does: one name in lists, files, linear models; taken out and replaced as a whole, or not at all."""

import ast
import math
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from parts.examples import EXAMPLES, PLACE, spacecraft

import kaneflex as kf
from kaneflex.model.codec import model_from_data, model_to_data
from kaneflex.model.parts import PARTS, add_kind
from kaneflex.model.parts.contract import PartBase

KINDS = pytest.mark.parametrize("kind", sorted(PARTS))


def with_part(kind, name="unit"):
    s = spacecraft()
    s.add_part(name, EXAMPLES[kind](), on="bus", at=PLACE)
    return s


def test_every_part_has_an_example():
    own = {name for name, kind in PARTS.items() if kind.__module__.startswith("kaneflex.")}
    assert set(EXAMPLES) == own and set(kf.parts.__all__) == {*own, "couples"}


QUICK = ("ReactionWheel", "Thruster", "Engine")  # the laws of each are compiled
NAMED = [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.thorough) for kind in EXAMPLES]


@pytest.mark.parametrize("kind", NAMED)
def test_one_name(kind):
    """Lists, descriptions, channels and inputs name the part, not its pieces."""
    s = with_part(kind)
    (line,) = [line for line in s.describe().splitlines() if "unit" in line]
    assert line.startswith(f"  unit: {kind} on bus")
    commands = s.installed["unit"].pieces.get("commands", ())
    pieces = s.installed["unit"].names - {"unit", *commands}
    run = s.simulate(0.01)
    assert not [c for c in run.channels if c.partition(".")[0] in pieces]
    assert run.audit.ok
    assert s.linearize().inputs == tuple(commands)


@KINDS
def test_files_hold_it(kind, tmp_path):
    s = with_part(kind)
    data = model_to_data(s)
    again = model_from_data(data, {}, kf.System)
    assert again.installed["unit"] == s.installed["unit"]
    assert model_to_data(again) == data
    run = s.simulate(0.1)
    loaded = kf.Run.load(run.save(tmp_path / "run.h5"))
    assert loaded.model.installed["unit"].part == s.installed["unit"].part
    assert again.simulate(0.1)["bus.omega"][-1] == pytest.approx(run["bus.omega"][-1], abs=0)


LINEAR = [k if k in ("Foot", "Tank") else pytest.param(k, marks=pytest.mark.thorough) for k in sorted(PARTS)]


@pytest.mark.parametrize("kind", LINEAR)
def test_linear_model_is_exact(kind):
    """At a state of a run, commands given: A and B against differences of the equations of motion, of fourth order."""
    s = with_part(kind)
    commands = s.installed["unit"].pieces.get("commands", ())
    given = {name: 0.013 + 0.007 * k for k, name in enumerate(commands)}
    state = s.simulate(0.03, inputs=given).final
    linear = s.linearize(state, inputs=given)
    dynamics = s.dynamics()
    names = list(dynamics.plan.index.inputs)
    values = np.array([given.get(name, 0.0) for name in names])
    x0 = np.concatenate([state.q, dynamics.speeds_from_rates(state.q, state.rates), state.z])

    def slope(x, v):
        dynamics.set_inputs(v)
        return dynamics.derivative(state.t, np.concatenate([x, np.zeros(dynamics.layout.size - len(x))]))[: len(x)]

    def difference(f, h):
        """Of fourth order, and how far that of half the step is from it."""
        d = lambda h: (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)
        return d(h), np.abs(d(h) - d(h / 2)).max()

    for k in range(len(x0)):
        e = max(1.0, abs(x0[k])) * np.eye(len(x0))[k]
        column, off = difference(lambda h, e=e: slope(x0 + h * e, values) / e.max(), 1e-3)
        assert np.abs(linear.A[:, k] - column).max() < 1e-9 * (1 + np.abs(column).max()) + 4 * off, linear.states[k]
        assert off < 1e-6 * (1 + np.abs(column).max()), linear.states[k]
    for k, name in enumerate(linear.inputs):
        e = np.eye(len(names))[names.index(name)]
        column, off = difference(lambda h, e=e: slope(x0, values + h * e), 1e-3)
        assert np.abs(linear.B[:, k] - column).max() < 1e-9 * (1 + np.abs(column).max()) + 4 * off, name
        assert off < 1e-6 * (1 + np.abs(column).max())


#: values that no field of a part takes, by what it is made of
WRONG = (math.nan, "word", object())


@KINDS
def test_wrong_values_are_refused_by_name(kind):
    """Of each field that is a number, with the field's name or the part's in the message."""
    part = EXAMPLES[kind]()
    for field in fields(part):
        if not isinstance(getattr(part, field.name), float) or field.name == "motion":
            continue
        for wrong in WRONG:
            with pytest.raises(kf.ModelError, match=rf"{field.name}|{kind}"):
                replace(part, **{field.name: wrong})


@KINDS
def test_descriptions_and_docs_name_it(kind):
    part = EXAMPLES[kind]()
    assert part.describe() in with_part(kind).describe()
    assert f"`{kind}`" in (Path(__file__).parents[2] / "docs" / "spacecraft.md").read_text()


@KINDS
def test_it_goes_as_a_whole(kind):
    s, before = with_part(kind), model_to_data(spacecraft())
    del s.installed["unit"]
    assert model_to_data(s) == before


@KINDS
def test_another_takes_its_place(kind):
    s = with_part(kind)
    other = with_part(kind)
    s.installed["unit"] = EXAMPLES[kind]()
    assert model_to_data(s) == model_to_data(other)
    with pytest.raises(kf.ModelError, match='part "unit" is 3: give a part'):
        s.installed["unit"] = 3
    assert model_to_data(s) == model_to_data(other)


@KINDS
def test_pieces_stay_together(kind):
    s = with_part(kind)
    for table, names in s.installed["unit"].pieces.items():
        if table in ("loads", "inputs", "blocks", "constraints", "contacts"):
            with pytest.raises(kf.ModelError, match='belongs to part "unit": change or delete'):
                del getattr(s, table)[names[0]]


@KINDS
def test_a_removed_body_takes_it_along(kind):
    """In a run, with the body that the part is on."""
    s = with_part(kind)
    s.add("other", kf.Rigid(1.0), kf.Translational())
    run = s.simulate(1.0, events=[kf.Event(lambda t: t - 0.5, action=lambda state, change: change.remove("bus", "remove"))])
    last = run.last.model if hasattr(run.last, "model") else run.model
    assert "unit" not in last.installed and list(last.parts) == ["other"] and not last.blocks


def written_tests_of(kind):
    """Tests that name a kind, in what stands above them or in functions and constants of their file that they use: name ->
    text of all that."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if path.name == Path(__file__).name:
            continue
        text, defined, tests = path.read_text(), {}, []
        lines = text.splitlines()
        for node in ast.parse(text).body:
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]) - 1
            own = "\n".join(lines[first : node.end_lineno])
            if isinstance(node, ast.FunctionDef):
                defined[node.name] = own
                tests += [node.name] * node.name.startswith("test_")
            elif isinstance(node, ast.Assign):
                names = [name for target in node.targets for name in ast.walk(target)]
                defined |= {name.id: own for name in names if isinstance(name, ast.Name)}
        for test in tests:
            used, more = {test}, {test}
            while more := {w for name in more for w in re.findall(r"\w+", defined[name]) if w in defined} - used:
                used |= more
            whole = "\n".join(defined[name] for name in sorted(used))
            if re.search(rf"\b{kind}\b", whole):
                found[f"{path.stem}.{test}"] = whole
    return found


#: fields that bound what a part does
BOUNDS = re.compile(r"limit|lower|upper|stroke|residual|minimum|field_of_view")


@KINDS
def test_it_has_its_checks(kind):
    """Three closed forms or more, bad values that are refused by name, and limits that are reached and left."""
    tests = written_tests_of(kind)
    forms = [name for name in tests if "refused" not in name and "basilisk" not in name]
    assert len(forms) >= 3, forms
    assert any("refused" in name and re.search(rf"\b{kind}\b", text) for name, text in tests.items())
    bounds = [f.name for f in fields(PARTS[kind]) if BOUNDS.search(f.name)]
    named = [b for b in bounds if any(b in text for name, text in tests.items() if "refused" not in name)]
    whole = any(re.search("limit|stroke|empty", name + text) for name, text in tests.items())
    assert not bounds or named or whole, bounds


def test_what_names_it_holds_it():
    s = with_part("ReactionWheel")
    s.add_block("watch", kf.blocks.FirstOrder(0.1, sees="unit.speed"))
    before = model_to_data(s)
    with pytest.raises(kf.ModelError, match=r'part "unit" cannot go: block "watch" names "unit.speed"; delete that first'):
        del s.installed["unit"]
    assert model_to_data(s) == before and s.simulate(0.01).audit.ok
    del s.blocks["watch"]
    del s.installed["unit"]


def test_refused_by_name():
    s = spacecraft()
    wheel = EXAMPLES["ReactionWheel"]()
    with pytest.raises(kf.ModelError, match='frame on "bus" "tip" is not known'):
        s.add_part("wheel", wheel, on="bus", at="tip")
    with pytest.raises(kf.ModelError, match='there is a body "bus" already'):
        s.add_part("bus", wheel, on="bus")
    with pytest.raises(kf.ModelError, match="give a PartBase"):
        s.add_part("wheel", kf.Rotor("z", 1.0), on="bus")
    s.add_input("wheel_torque", kf.JointForce("bus", coordinate="wx"))
    before = model_to_data(s)
    with pytest.raises(kf.ModelError, match='there is a input "wheel_torque" already'):
        s.add_part("wheel", wheel, on="bus")
    assert model_to_data(s) == before
    with pytest.raises(kf.ModelError, match="parts come by add_part"):
        s.installed["new"] = wheel


def test_a_kind_of_somebody_else(tmp_path):
    """A class outside of the package, which files hold once it is made known."""
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Ballast(PartBase):
        mass: float

        def install(self, site):
            site.add("", kf.Rigid(self.mass), kf.Fixed())

    s = spacecraft()
    s.add_part("lead", Ballast(3.0), on="bus", at=(1, 0, 0))
    assert "lead: Ballast on bus" in s.describe()
    data = model_to_data(s)
    with pytest.raises(kf.ModelError, match="'Ballast' is no type of a model's parts"):
        model_from_data(data, {}, kf.System)
    add_kind(Ballast)
    try:
        assert model_from_data(data, {}, kf.System).installed["lead"].part == Ballast(3.0)
    finally:
        PARTS.pop("Ballast")
