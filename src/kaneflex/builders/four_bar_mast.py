"""A mast of four-bar bays in series: parallelograms one above the other, which lie down and stand up together."""

import math

from kaneflex.builders.counts import at_least
from kaneflex.builders.thin_bar import thin_bar
from kaneflex.model import checks
from kaneflex.model.constraints import Coupler
from kaneflex.model.joints import Revolute
from kaneflex.model.shapes import Tube
from kaneflex.model.typed import typed
from kaneflex.system import System


@typed
def four_bar_mast(
    bays: int,
    *,
    leg: float = 1.0,
    width: float = 0.5,
    leg_mass: float = 1.0,
    deck_mass: float = 1.0,
    angle: float = math.pi / 4,
    rate: float = 0.0,
    synchronised: bool = True,
) -> System:
    """Legs left_i and right_i carry the deck deck_i, on which the next bay stands; the first stands on N, in the x-y plane.

    A leg at the angle 0 lies along x, at pi/2 it stands along y. Decks stay level. The right leg of each bay is closed on
    its deck (pin_i): a loop, three of whose five equations follow from the others. With n bays, all at the angle t,

        T = M t'^2/2 ,    M = l^2 sum over i of (2 m_l ((i + 1/2)^2 + 1/12) + m_d (i + 1)^2) .                          (1)

    Args:
        bays: their number n.
        leg: length l of a leg, m.
        width: of a deck between its legs, m.
        leg_mass, deck_mass: m_l and m_d, of uniform thin bars, kg.
        angle: of the legs, rad.
        rate: of that angle, rad/s.
        synchronised: whether gears make all angles one; else every bay moves by itself.
    """
    n, l, w = at_least(bays, 1, "bays of a mast"), checks.positive(leg, "leg"), checks.positive(width, "width")
    bars = [thin_bar(l, leg_mass, "leg_mass"), thin_bar(w, deck_mass, "deck_mass")]
    s = System("mast of four-bar bays")
    for i in range(n):
        ground = {"parent": f"deck{i - 1}"} if i else {}
        for side, at in (("left", (0.0, 0.0, 0.0)), ("right", (w, 0.0, 0.0))):
            s.add(f"{side}{i}", bars[0], Revolute("z"), at=at, q=angle, rates=rate, **ground)
            s.show(f"{side}{i}", Tube(((0, 0, 0), (l, 0, 0)), 0.02 * l, color="blue"))
        s.add(f"deck{i}", bars[1], Revolute("z"), f"left{i}", "tip", q=-angle, rates=-rate)
        s.close(f"pin{i}", f"right{i}.tip", f"deck{i}.tip", Revolute("z"))
        if synchronised and i:
            s.constrain(f"gear{i}", Coupler({f"left{i}": 1.0, f"left{i - 1}": -1.0}, 0.0))
        s.show(f"deck{i}", Tube(((0, 0, 0), (w, 0, 0)), 0.03 * l, color="silver"))
    return s
