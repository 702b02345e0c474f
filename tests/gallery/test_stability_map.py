"""The map of stability of the lander over both speeds: runs against the closed form, and what slosh does to it."""

import pytest

from kaneflex.gallery import tipping_lander


@pytest.mark.thorough
@pytest.mark.parametrize("down", [0.6, 1.5, 3.0])
def test_boundary_of_the_rigid_lander_is_the_closed_form(down):
    p = {**tipping_lander.DEFAULTS, "down": down}
    exact = tipping_lander.threshold(p)
    assert abs(tipping_lander.boundary(p, within=0.01) - exact) < 0.01


@pytest.mark.thorough
def test_where_slosh_helps_and_harms():
    """A pendulum in the place of as much mass: after a slow fall the lander tips over earlier, after a fast one later."""
    moved = []
    for down in (0.6, 1.5, 3.0):
        p = {**tipping_lander.DEFAULTS, "down": down}
        liquid = {**p, "slosh": tipping_lander.LIQUID, "mass": p["mass"] - tipping_lander.LIQUID}
        moved.append(tipping_lander.boundary(liquid, within=0.02) - tipping_lander.threshold(p))
    assert moved[0] < -0.5 < moved[1] < -0.2 < 0.05 < moved[2]
