"""The flying beam of the gallery beside programs that are none of the package's, later and finer than its own checks."""

import numpy as np
import pytest

from kaneflex.gallery import flying_noodle
from kaneflex.gallery.flying_noodle import DEFAULTS, ENDS_IN_SPACE
from tests.oracles.flying_beam import ends, in_space


@pytest.mark.thorough
def test_the_places_in_space_are_those_of_nodes_in_absolute_coordinates():
    times = np.array([row[0] for row in ENDS_IN_SPACE])
    coarse, fine = (np.hstack(ends(n, 500.0, in_space, times)) for n in (16, 32))
    found = fine + (fine - coarse) / 3
    assert found == pytest.approx(np.array([[*row[1], *row[2]] for row in ENDS_IN_SPACE]), abs=4e-3)


@pytest.mark.thorough
def test_the_chain_comes_to_these_places_like_the_square_of_its_segments():
    errors = []
    for n in (10, 20):
        p = DEFAULTS | {"n": n, "space": True}
        run = flying_noodle.simulate(flying_noodle.build(p), p)
        at = [round(row[0] / 0.05) for row in ENDS_IN_SPACE]
        found = np.hstack([run["beam.root.position"][at], run["beam.tip.position"][at]])
        errors.append(np.abs(found - np.array([[*row[1], *row[2]] for row in ENDS_IN_SPACE])).max(axis=1))
    assert np.all(errors[1] < 0.025) and np.all(errors[0] / errors[1] > 3)


@pytest.mark.thorough
def test_after_thirteen_seconds_in_the_plane():
    """Geometrically exact finite elements, computed apart: ends at 13 s; 40 segments are 8 mm off, 80 2 mm."""
    p = DEFAULTS | {"n": 40}
    run = flying_noodle.build(p).simulate(13.0, method="ros34pw2", rtol=1e-6, atol=1e-7, output=13.0)
    assert run["beam.root.position"][-1, :2] == pytest.approx([26.218, -0.955], abs=0.012)
    assert run["beam.tip.position"][-1, :2] == pytest.approx([27.773, 8.718], abs=0.012)
