"""The audit of contact forces: a plane pushes and does not pull."""

import pytest

import kaneflex as kf
from kaneflex.simulate.contact.contacts import Contacts

G = 10.0


@pytest.fixture
def never_opens(monkeypatch):
    """Runs whose closed contacts are not watched: they stay closed whatever the forces."""
    begin = Contacts.__init__

    def unwatched(self, *arguments):
        begin(self, *arguments)
        self.watches = []

    monkeypatch.setattr(Contacts, "__init__", unwatched)
    monkeypatch.setattr(Contacts, "failing", lambda self, t, y: None)


def stone(mass=1.0, rate=10.0, **contact):
    """A particle on a floor under a lift that grows with time."""
    s = kf.System("stone", gravity=(0, 0, -G))
    s.add("stone", kf.PointMass(mass), kf.Translational(), q=(0, 0, 0))
    s.contact("floor", kf.Contact("stone", **contact))
    s.apply("pull", kf.Force("stone", lambda t: (0.0, 0.0, rate * t)))
    return s


@pytest.mark.parametrize("contact", [{}, {"friction": 0.5}, {"after": "stick"}], ids=str)
def test_a_contact_that_is_not_released_fails_the_audit(never_opens, contact):
    run = stone(**contact).simulate(2.0)
    assert run.events[-1][1] == "floor" and run["stone.position"][-1, 2] == pytest.approx(0, abs=1e-9)
    assert run.audit.tension == ((2.0, "floor", pytest.approx(G - 2 * 10.0, rel=1e-9)),)
    assert not run.audit.ok and 'contact "floor" is pulled with 10 N at t = 2 s' in str(run.audit)


def test_a_contact_that_is_released_passes():
    run = stone().simulate(2.0)
    assert run.events[-1][1] == "floor lets go" and run.audit.ok and run.audit.tension == ()


def table(x, y):
    """A rigid table on four feet at the corners of a square, with its mass centre above (x, y)."""
    feet = {f"foot{i}{j}": (i, j, -0.5) for i in (-1, 1) for j in (-1, 1)}
    s = kf.System("table", gravity=(0, 0, -G))
    s.add("table", kf.Rigid(2.0, com=(x, y, 0), inertia=(1, 1, 1), frames=feet), kf.Free(), q=(0, 0, 0.5, 1, 0, 0, 0))
    for foot in feet:
        s.contact(foot, kf.Contact(f"table.{foot}"))
        s.constraints.put(foot, kf.PointOnPlane(f"table.{foot}", "N"))
    return s


def test_shares_that_are_not_determined_are_no_tension(never_opens):
    """By least norm each foot has a quarter of m g (1 + x x_foot + y y_foot): a pull at (-1, -1). Three feet can do it."""
    run = table(0.6, 0.6).simulate(0.1)
    assert run["foot-1-1.multipliers"][-1] == pytest.approx(2 * G / 4 * (1 - 1.2), rel=1e-9)
    assert run.audit.ok and run.audit.tension == ()


def test_tension_that_no_shares_avoid(never_opens):
    """The mass centre is beyond the feet: the far ones are pulled."""
    run = table(1.2, 0.0).simulate(0.1)
    found = {name: N for _, name, N in run.audit.tension}
    assert found == {f"foot-1{j}": pytest.approx(2 * G / 4 * (1 - 1.2), rel=1e-6) for j in (-1, 1)}
    assert not run.audit.ok
