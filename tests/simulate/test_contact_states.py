"""The states of contacts: runs take the transitions of the table, and no others; the documentation prints it."""

import ast
import math
import re
from pathlib import Path

import numpy as np
import pytest
from simulate.test_driven_contacts import stone
from simulate.test_feet import FEET, box

import kaneflex as kf
from kaneflex.simulate.contact import closed, contacts
from kaneflex.simulate.contact.states import TRANSITIONS, Condition, ContactState, next_state, printed

G = 9.81
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def taken():
    """Transitions that runs take, and what they take them through, while these are made: (state, condition, state)."""
    found = set()
    step, resolve = contacts.next_state, closed.ClosedContacts.resolve

    def noted(state, condition):
        after = step(state, condition)
        found.add((state, condition, after))
        return after

    def resolved(self, failed=None):
        resolve(self, failed)
        found.update((self.before[n], self.conditions[n], self.states[n]) for n in self.names)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contacts, "next_state", noted)
        patch.setattr(closed.ClosedContacts, "resolve", resolved)
        yield found


def table(lift, *, ball=None, **contact):
    """A table on four feet, lifted at one by a share `lift` of its weight (a function of time), beside a ball that falls."""
    s = kf.System("table", gravity=(0, 0, -G))
    feet = {f"foot{k}": (math.cos(math.pi * k / 2), math.sin(math.pi * k / 2), -0.5) for k in range(4)}
    rates = contact.pop("rates", (0,) * 6)
    s.add("table", kf.Rigid(3.0, inertia=(0.5, 0.5, 0.8), frames=feet), kf.Free(), q=(0, 0, 0.5, 1, 0, 0, 0), rates=rates)
    for foot in feet:
        s.contact(foot, kf.Contact(f"table.{foot}", **contact))
    s.apply("lift", kf.Force("table.foot0", lambda t: (0, 0, 3 * G * lift(t))))
    if ball is not None:
        s.add("ball", kf.PointMass(0.1), kf.Translational(), q=(5, 0, ball))
        s.contact("bounce", kf.Contact("ball", restitution=0.8, after="bounce"))
    return s


def thrown():
    """A box that falls on its feet, and the tilt and the rates that it begins with."""
    s, rng = box(FEET["four"], mu=0.4), np.random.default_rng(0)
    turn = np.array([1, 0, 0, 0]) + 0.1 * rng.normal(size=4)
    start = (0, 0, 1.2, *(turn / np.linalg.norm(turn)))
    return s, {"box.q": start, "box.rate": (*(0.5 * rng.normal(size=2)), 0, 0.3, -0.4, 0.5)}


def lifted():
    """A stone thrown down on a floor, without restitution, under a force of twice its weight."""
    s = kf.System("stone", gravity=(0, 0, -G))
    s.add("stone", kf.PointMass(1.0), kf.Translational(), q=(0, 0, 0.5), rates=(0, 0, -5.0))
    s.contact("floor", kf.Contact("stone"))
    s.apply("lift", kf.Force("stone", (0, 0, 2 * G), axes="inertial"))
    return s


def up_and_down(t):
    """More than a third of the weight, for which foot 0 is free by shares of least norm, from 0.41 to 0.59 s."""
    return 0.4 * math.sin(math.pi * t)


def test_runs_take_every_transition_of_the_table(taken):
    s, initial = thrown()
    s.simulate(1.5, initial=initial)
    lifted().simulate(0.5)
    stone((1.0, 0.0), 5.0, "load", friction=0.4)
    stone((0.0, 1.0), 10.0, "load")
    box(FEET["nine"], com=(0.25, -0.3, 0.1), rates=(1.0, 0.3, 0, 0, 0, 0)).simulate(0.6)
    table(up_and_down, ball=0.6).simulate(1.0)
    table(up_and_down, ball=0.6, friction=0.5).simulate(1.0)
    table(up_and_down, friction=0.1, rates=(0.45, 0, 0, 0, 0, 0)).simulate(1.0)
    table(lambda t: t, after="stick").simulate(0.52)
    every = {(state, condition, after) for state, row in TRANSITIONS.items() for condition, after in row.items()}
    words = sorted(" ".join(x.value for x in one) for one in every - taken)
    assert not words, words
    assert taken == every


def test_nothing_else_may_happen():
    with pytest.raises(KeyError):
        next_state(ContactState.OPEN, Condition.STICKS)
    assert set(TRANSITIONS) == set(ContactState)
    assert {condition for row in TRANSITIONS.values() for condition in row} == set(Condition)


def test_thresholds_are_in_one_file():
    """No other file of the package has small numbers, but for those that keep zero out of a divisor."""
    folder = Path(contacts.__file__).parent
    for path in folder.glob("*.py"):
        numbers = [x.value for x in ast.walk(ast.parse(path.read_text())) if isinstance(x, ast.Constant)]
        small = [x for x in numbers if isinstance(x, float) and 1e-300 < x < 0.01]
        assert path.name == "thresholds.py" or not small, (path.name, small)
    for line in (folder / "thresholds.py").read_text().splitlines():
        assert not re.match(r"[A-Z_, ]+ = ", line) or "  # " in line, f"without a unit and a reason: {line}"


def test_the_documentation_prints_the_table():
    assert printed() in (DOCS / "constraints.md").read_text()
