"""Events of contacts: functions of channels whose zeros are gaps that close and slips that end."""

from typing import Any

from kaneflex.kernels.ops import sqrt
from kaneflex.model.contacts import Contact
from kaneflex.model.model import GROUND
from kaneflex.plan.plan import Event
from kaneflex.simulate.contact.thresholds import STOPPED, SUNK


def gap(t: float, x: Any) -> Any:
    """Height of a point above a plane: x = position of the point, position and rotation of the plane's frame."""
    return x[8] * (x[0] - x[3]) + x[11] * (x[1] - x[4]) + x[14] * (x[2] - x[5])


def height(t: float, x: Any) -> Any:
    """Height of a point above z = 0 of N, or its rate: x = its position, or velocity."""
    return x[2]


def sinking(t: float, x: Any) -> Any:
    """`height` above a depth that no point gets to unless its way there was missed."""
    return x[2] + SUNK


def sinking_gap(t: float, x: Any) -> Any:
    """`gap` above that depth."""
    return gap(t, x) + SUNK


def gap_rate(t: float, x: Any) -> Any:
    """Rate of `gap`: x as there, then velocities of both origins and the rate of the rotation."""
    turning = x[23] * (x[0] - x[3]) + x[26] * (x[1] - x[4]) + x[29] * (x[2] - x[5])
    return turning + x[8] * (x[15] - x[18]) + x[11] * (x[16] - x[19]) + x[14] * (x[17] - x[20])


def contact_events(name: str, contact: Contact) -> tuple[Event, Event, Event]:
    """The events of a point reaching the plane, of being nearest to it, and of getting below it.

    The second does nothing itself. Both ends of a step may lie above the plane and the middle below: the search for the
    lowest point comes upon the plane first. The third is for points that begin on the plane, where rounding decides on which
    side of it: one that begins below, and goes down, does not reach the plane.
    """
    point, on = contact.point, contact.on
    if on == GROUND:
        places: tuple[str, ...] = (f"{point}.position",)
        rates: tuple[str, ...] = (f"{point}.velocity",)
        below = Event(sinking, places, -1, name=name)
        return Event(height, places, -1, name=name), Event(height, rates, 1, name=name), below
    places = (f"{point}.position", f"{on}.position", f"{on}.rotation")
    rates = (*places, f"{point}.velocity", f"{on}.velocity", f"{on}.rotation_rate")
    below = Event(sinking_gap, places, -1, name=name)
    return Event(gap, places, -1, name=name), Event(gap_rate, rates, 1, name=name), below


def slip_on_ground(t: float, x: Any) -> Any:
    """How much faster than STOPPED a point slides on z = 0 of N: x = its velocity."""
    return sqrt(x[0] * x[0] + x[1] * x[1]) - STOPPED


def slip_on_body(t: float, x: Any) -> Any:
    """How much faster than STOPPED a point slides on a plane that moves: x as for `gap_rate`."""
    dx, dy, dz = x[0] - x[3], x[1] - x[4], x[2] - x[5]
    r = (x[6] * dx + x[9] * dy + x[12] * dz, x[7] * dx + x[10] * dy + x[13] * dz, x[8] * dx + x[11] * dy + x[14] * dz)
    vx = x[15] - x[18] - x[21] * r[0] - x[22] * r[1] - x[23] * r[2]
    vy = x[16] - x[19] - x[24] * r[0] - x[25] * r[1] - x[26] * r[2]
    vz = x[17] - x[20] - x[27] * r[0] - x[28] * r[1] - x[29] * r[2]
    a, b = x[6] * vx + x[9] * vy + x[12] * vz, x[7] * vx + x[10] * vy + x[13] * vz
    return sqrt(a * a + b * b) - STOPPED


def stop_event(name: str, contact: Contact) -> Event:
    """The event of a sliding point coming to rest."""
    point, on = contact.point, contact.on
    if on == GROUND:
        return Event(slip_on_ground, (f"{point}.velocity",), -1, name=name)
    places = (f"{point}.position", f"{on}.position", f"{on}.rotation")
    rates = (f"{point}.velocity", f"{on}.velocity", f"{on}.rotation_rate")
    return Event(slip_on_body, (*places, *rates), -1, name=name)
