"""What is done to a system after a run counts in the next one, or is refused."""

import copy
import math
import pickle

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.model import STAYING, TABLES
from kaneflex.plan.build import build

G = 9.81


def falling(**arguments) -> kf.System:
    s = kf.System("fall", gravity=(0, 0, -G))
    body = kf.Rigid(2.0, inertia=(0.1, 0.1, 0.1), frames={"tip": (0, 0, 0.5)})
    s.add("stone", body, kf.Prismatic("z"), **arguments)
    return s


def loaded() -> kf.System:
    """One entry in every table."""
    s = falling()
    s.add_rotor("wheel", "stone", kf.Rotor("z", 0.01))
    s.apply("spring", kf.JointSpring("stone", stiffness=8.0))
    s.add_input("push", kf.JointForce("stone"))
    s.add_block("lag", kf.blocks.FirstOrder(0.5, sees="stone.rate", drives="push"))
    s.constrain("rod", kf.Distance("stone", (0, 1, 0), 1.0))
    s.contact("floor", kf.Contact("stone.tip"))
    s.group("all", ["stone"])
    s.set_unit("push", "N")
    s.show("stone", kf.shapes.Sphere(0.1))
    return s


def with_one(table: str) -> kf.System:
    """A system with one entry in a table; a rod brings bodies and so is by itself, as is a part."""
    if table not in ("rods", "installed"):
        return loaded()
    s = falling()
    if table == "installed":
        s.add_part("gyro", kf.parts.ReactionWheel(inertia=0.02), on="stone")
        return s
    s.add_rod("line", kf.Cable(1.0, 1.0, n=2), parent="stone")
    return s


def end(s: kf.System, **arguments) -> float:
    """Where the stone is after a second."""
    return float(s.simulate(1.0, **arguments)["stone.q"][-1])


def test_new_gravity_counts():
    s = falling()
    assert end(s) == pytest.approx(-G / 2)
    s.gravity = (0, 0, -1.6)
    assert end(s) == pytest.approx(-0.8)
    s.gravity = np.zeros(3)
    assert end(s) == 0.0 and s.gravity == (0.0, 0.0, 0.0)


def test_a_load_that_is_deleted_or_replaced_counts():
    s = falling()
    s.apply("hold", kf.JointForce("stone", 2.0 * G))
    assert end(s) == pytest.approx(0.0, abs=1e-12)
    s.loads["hold"] = kf.JointForce("stone", 2.0 * (G + 1))
    assert end(s) == pytest.approx(0.5)
    del s.loads["hold"]
    assert end(s) == pytest.approx(-G / 2)
    s.loads["hold"] = kf.JointForce("stone", 2.0 * G)
    assert end(s) == pytest.approx(0.0, abs=1e-12)
    assert isinstance(s.loads.pop("hold"), kf.JointForce)
    assert end(s) == pytest.approx(-G / 2)
    s.loads.update(hold=kf.JointForce("stone", 2.0 * G))
    assert end(s) == pytest.approx(0.0, abs=1e-12)
    s.loads.clear()
    assert end(s) == pytest.approx(-G / 2)


def test_an_input_that_is_deleted_is_gone():
    s = falling()
    s.add_input("lift", kf.JointForce("stone"))
    s.add_input("push", kf.JointForce("stone"))
    assert end(s, inputs={"push": 2 * G}) == pytest.approx(0.0, abs=1e-12)
    del s.inputs["lift"]
    assert end(s, inputs={"push": 2 * G}) == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(kf.ModelError, match='"lift"'):
        end(s, inputs={"lift": 1.0})
    assert s.dynamics().plan.index.inputs == {"push": 0}


def test_a_constraint_that_is_deleted_lets_go():
    s = falling()
    s.constrain("floor", kf.PointOnPlane("stone"))
    assert end(s) == pytest.approx(0.0, abs=1e-12)
    del s.constraints["floor"]
    assert end(s) == pytest.approx(-G / 2)


def test_a_contact_that_is_deleted_stops_nothing():
    s = falling(q=1.0)
    s.contact("floor", kf.Contact("stone"))
    assert end(s) == pytest.approx(0.0, abs=1e-9)
    del s.contacts["floor"]
    assert end(s) == pytest.approx(1.0 - G / 2)


def test_a_frame_that_comes_later_counts():
    s = falling()
    s.simulate(0.1)
    s.add_frame("stone", "top", kf.Frame((0, 0, 2.0)))
    assert s.simulate(0.1)["stone.top.position"][0] == pytest.approx([0, 0, 2])


def test_every_public_attribute_counts_or_refuses():
    """Whatever is set on a system changes it, and then `changes` counts, or an error says what to do."""
    s = loaded()
    accepted = {"name": "other", "gravity": (1, 2, 3)}
    for name in [n for n in vars(s) if not n.startswith("_")]:
        before = s.changes
        if name in accepted:
            s.dynamics()
            setattr(s, name, accepted[name])
            assert s.changes == before + 1 and not s.plans, name
            continue
        with pytest.raises(kf.ModelError, match=name.rstrip("s")):
            setattr(s, name, getattr(s, name))
        assert s.changes == before
    assert s.name == "other" and s.dynamics().plan.index.system == "other"


@pytest.mark.parametrize("gravity", [None, 9.81, (1, 2), (1, 2, math.nan), "abc", (1, 2, 1j), [[0, 0, 1]]])
def test_gravity_that_is_none_is_refused_as_in_the_constructor(gravity):
    s = falling()
    with pytest.raises(kf.ModelError, match="gravity"):
        s.gravity = gravity
    with pytest.raises(kf.ModelError, match="gravity"):
        kf.System("x", gravity=gravity)
    assert s.gravity == (0, 0, -G) and end(s) == pytest.approx(-G / 2)


@pytest.mark.parametrize("name", [None, "", "a.b", 3])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(kf.ModelError, match="name of the system"):
        falling().name = name


@pytest.mark.parametrize("table", TABLES)
def test_junk_in_a_table_is_refused(table):
    s = with_one(table)
    entries, before = getattr(s, table), s.changes
    (name,) = list(entries)
    for junk in (None, 3.0, "x\n" if table == "units" else "x", object(), {}, entries):  # a unit is any text that is seen
        for key in (name, "new", "with space", "stone", "energy", "N", 7):
            with pytest.raises(kf.ModelError):
                entries[key] = junk
            with pytest.raises(kf.ModelError):
                entries.update({key: junk})
            if key not in entries:
                with pytest.raises(kf.ModelError):
                    entries.setdefault(key, junk)
    assert s.changes == before and list(entries) == [name]


@pytest.mark.parametrize("table", STAYING)
def test_what_others_refer_to_stays(table):
    s = with_one(table)
    entries, before = getattr(s, table), s.changes
    (name,) = list(entries)
    acts = (lambda: entries.pop(name), lambda: entries.popitem(), entries.clear, lambda: entries.__delitem__(name))
    for act in (*acts, lambda: entries.__setitem__(name, entries[name])):
        with pytest.raises(kf.ModelError, match=f'"{name}".*come by|"{name}".*come with'):
            act()
    assert s.changes == before and list(entries) == [name]


def test_what_is_inside_cannot_be_changed_behind_the_systems_back():
    s = loaded()
    s.add("arm", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Planar("z", motion={"x": kf.profiles.hold(0.0)}))
    s.constrain("gear", kf.Coupler({"arm.angle": 1.0, "stone": -1.0}))
    inside = (s.frames["stone"], s.parts["stone"].body.frames, s.parts["arm"].joint.motion, s.constraints["gear"].terms)
    for mapping in inside:
        name = next(iter(mapping))
        acts = (lambda m=mapping, n=name: m.pop(n), mapping.clear, lambda m=mapping, n=name: m.update({n: 1}))
        for act in (*acts, lambda m=mapping, n=name: m.__setitem__(n, 1), lambda m=mapping, n=name: m.__delitem__(n)):
            with pytest.raises(kf.ModelError, match="cannot be changed"):
                act()
    with pytest.raises(kf.ModelError, match=r'"x" already|Frame'):
        s.add_frame("stone", "other", (1, 2, 3))


def test_the_dictionaries_given_may_be_used_again():
    frames, motion, terms = {"tip": (0, 0, 1)}, {"x": kf.profiles.hold(0.5)}, {"a.angle": 1.0, "b": -1.0}
    s = kf.System("s")
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 1), frames=frames), kf.Planar("z", motion=motion))
    s.add("b", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    s.constrain("gear", kf.Coupler(terms))
    frames.clear(), motion.clear(), terms.clear()
    assert "tip" in s.frames["a"] and "x" in s.parts["a"].joint.motion and len(s.constraints["gear"].terms) == 2


def test_a_name_that_is_taken_is_refused_in_a_table_too():
    s = loaded()
    with pytest.raises(kf.ModelError, match='input "push" already'):
        s.loads["push"] = kf.JointForce("stone", 1.0)


def test_plans_are_kept_until_something_changes():
    s = loaded()
    plan = build(s)
    assert build(s) is plan and build(s, "dense") is build(s, "dense") is not plan
    s.show("N", kf.shapes.Box((1, 1, 1)))
    assert build(s) is not plan


def test_a_copy_has_tables_of_its_own():
    s = loaded()
    s.dynamics()
    for other in (copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s))):
        assert type(other) is kf.System and not other.plans and s.plans
        other.gravity = (0, 0, 0)
        del other.loads["spring"]
        assert "spring" in s.loads and s.gravity == (0, 0, -G) and s.plans
        assert "spring" not in other.dynamics().plan.model.loads
    del s.loads["spring"]
    assert "spring" in loaded().loads and not s.plans


def test_tables_are_dictionaries_to_those_who_read():
    s = loaded()
    assert s.loads == {"spring": s.loads["spring"]} and len(s.loads) == 1 and list(s.loads) == ["spring"]
    assert s.loads | {"a": 1} == {"spring": s.loads["spring"], "a": 1} and {"a": 1} | s.loads == s.loads | {"a": 1}
    copied = s.loads.copy()
    copied.clear()
    assert type(copied) is dict and s.loads and repr(s.loads) == repr({"spring": s.loads["spring"]})
    with pytest.raises(KeyError):
        del s.loads["sprung"]
    assert s.loads.pop("sprung", 3) == 3
