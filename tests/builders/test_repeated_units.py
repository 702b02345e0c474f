"""Structures of repeated units: their freedoms by rank, their motion in closed form, and arguments that are refused."""

import math

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.builders import (
    folded_array,
    four_bar_mast,
    miura_fold,
    ring_truss,
    scissor_mast,
    scissor_ring,
    tetrahedral_truss,
)
from kaneflex.gallery import ring_truss as gallery_ring
from kaneflex.gallery import scissor_lift

TIGHT = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}


def freedoms(s: kf.System) -> int:
    """By the rank of all equations, as assembling finds it."""
    plan = s.dynamics().plan
    return plan.nu - (plan.header.rows - len(s.assemble().redundant))


@pytest.mark.parametrize("n", [4, 6, 10])
def test_freedoms_of_a_ring(n):
    """n - 3 in itself without gears, one with them, and six in space."""
    assert freedoms(ring_truss(n, synchronised=False)) == n - 3 + 6
    assert freedoms(ring_truss(n)) == 1 + 6


@pytest.mark.parametrize("n", [1, 2, 7])
def test_freedoms_of_a_mast_and_of_an_array(n):
    assert freedoms(scissor_mast(n)) == 1
    assert freedoms(scissor_mast(n, wall=False)) == 4
    assert freedoms(folded_array(n + 1)) == 1
    assert freedoms(four_bar_mast(n)) == 1
    assert freedoms(four_bar_mast(n, synchronised=False)) == n


@pytest.mark.parametrize("columns, rows", [(2, 2), (3, 2), (3, 4)])
def test_freedoms_of_a_fold(columns, rows):
    """One however large it is, and six in space."""
    assert freedoms(miura_fold(columns, rows, corner=1.1, fold=0.8)) == 1 + 6


@pytest.mark.parametrize("n", [2, 3])
def test_freedoms_of_a_tetrahedral_truss(n):
    assert freedoms(tetrahedral_truss(n)) == 1 + 6
    assert freedoms(tetrahedral_truss(n, synchronised=False)) == 2 + 6


def test_mast_of_four_bar_bays_swings_as_a_pendulum():
    """M t'^2/2 + m g y is constant, with (1) of `four_bar_mast`."""
    n, l, m, deck = 3, 0.7, 0.4, 0.9
    s = four_bar_mast(n, leg=l, leg_mass=m, deck_mass=deck, angle=-1.0, rate=0.3)
    s.gravity = (0, -9.81, 0)
    run = s.simulate(1.0, **TIGHT)
    t, rate, i = run["left0.q"], run["left0.rate"], np.arange(n)
    M = l**2 * (2 * m * ((i + 0.5) ** 2 + 1 / 12) + deck * (i + 1) ** 2).sum()
    lift = 9.81 * l * (2 * m * (i + 0.5) + deck * (i + 1)).sum()
    energy = M * rate**2 / 2 + lift * np.sin(t)
    assert energy == pytest.approx(np.full_like(t, M * 0.3**2 / 2 + lift * math.sin(-1.0)), abs=1e-8 * lift)
    assert np.ptp(t) > 0.5 and run.audit.ok


def test_array_unfolds_as_one_freedom():
    """Panels at angles +t and -t: against the energy of its springs."""
    n, w, m, k, pre, start = 5, 0.8, 2.0, 0.3, 0.2, 1.2
    s = folded_array(n, width=w, mass=m, angle=start, stiffness=k, preload=pre)
    run = s.simulate(2.0, **TIGHT)
    t, rate = run["panel0.q"], run["panel0.rate"]
    along = (np.arange(n) + 0.5) * w  # of the centres, times cos t; across, times sin t, (w/2)
    M = sum(m * (x**2 * np.sin(t) ** 2 + w**2 / 4 * np.cos(t) ** 2) + m * w**2 / 6 for x in along)
    stretch = lambda q: (q + pre) ** 2 + (n - 1) * (2 * q + pre) ** 2
    assert M * rate**2 / 2 == pytest.approx(k / 2 * (stretch(start) - stretch(t)), abs=1e-8)
    assert run["panel3.q"] == pytest.approx(-2 * t, abs=1e-12)
    assert run.audit.ok


@pytest.mark.parametrize("formulation", ["recursive", "cartesian"])
def test_ring_of_scissors_unfolds_as_one_freedom(formulation):
    """T = M t'^2/2 with bars that move along radii and turn in their sides, and hubs along radii and up or down; it ends
    before the ring is flat, where it may bend out of its plane: a singular position."""
    n, a, m, hub, k, pre, start = 5, 0.6, 0.7, 0.3, 2.0, 0.1, 1.2
    s = scissor_ring(n, arm=a, bar_mass=m, hub_mass=hub, angle=start, stiffness=k, preload=pre)
    run = s.simulate(0.5, formulation=formulation, **TIGHT)
    t, rate = run["down0.q"] / 2, run["down0.rate"] / 2
    near, far = a / math.tan(math.pi / n), a / math.sin(math.pi / n)
    bars = 2 * n * m * (near**2 * np.sin(t) ** 2 + a**2 / 3)
    hubs = 2 * n * hub * (far**2 * np.sin(t) ** 2 + a**2 * np.cos(t) ** 2)
    work = 2 * n * k * ((start + pre) ** 2 - (t + pre) ** 2)
    assert (bars + hubs) * rate**2 / 2 == pytest.approx(work, abs=1e-9 * work.max()) and np.ptp(t) > 0.5
    assert np.linalg.norm(run["upper2.position"] - run["upper0.position"], axis=1) == pytest.approx(
        2 * far * np.cos(t) * math.sin(2 * math.pi / n), abs=1e-11
    )
    assert run.audit.ok and freedoms(s) == 1 + 6


@pytest.mark.parametrize("formulation", ["recursive", "cartesian"])
def test_ring_and_lift_in_both_formulations(formulation):
    for example in (gallery_ring, scissor_lift):
        p = {**example.DEFAULTS, "bays": 6}
        run = example.simulate(example.build(p), p, formulation=formulation)
        assert run.plan.formulation.name == formulation and run.audit.ok
        for check in example.checks(run, p):
            assert check.ok, check


@pytest.mark.thorough
def test_ring_of_a_hundred_bays_unfolds_latches_and_rings():
    """In some 6,300 evaluations; loops stay closed to 1e-10 m, and the jump at the latches loses nothing."""
    p = {**gallery_ring.DEFAULTS, "bays": 100}
    run = gallery_ring.simulate(gallery_ring.build(p), p)
    assert run.statistics["evaluations"] < 8000
    for check in gallery_ring.checks(run, p):
        assert check.ok, check
    assert run.audit.ok and run.audit.position_violation < 1e-10
    (impact,) = run.impacts
    assert abs(float(np.diff(impact.energy)[0])) < 1e-10 and run.audit.dissipated_work > 25.0  # J, of 28.9 in the springs


@pytest.mark.thorough
def test_ring_of_a_hundred_bays_in_points_and_vectors():
    """In some 3,200 evaluations with an rtol of 1e-8; loops are closed, and latches book nothing."""
    p = {**gallery_ring.DEFAULTS, "bays": 100}
    latched = gallery_ring.unfolding(p)[0]
    duration = latched + gallery_ring.AFTER
    run = gallery_ring.build(p).simulate(
        duration, output=duration / 400, events=[gallery_ring.latches(p)], formulation="cartesian", method="dop853",
        rtol=1e-8, atol=1e-10,
    )  # fmt: skip
    assert run.statistics["evaluations"] < 5000
    assert run.audit.ok and run.audit.position_violation < 1e-10
    (impact,) = run.impacts
    assert impact.t == pytest.approx(latched, abs=1e-7)
    springs = 100 * p["stiffness"] / 2 * (p["start"] + p["preload"]) ** 2
    assert impact.energy[0] == pytest.approx(springs, rel=1e-8) and run.audit.energy_drift < 1e-6
    assert abs(float(np.diff(impact.energy)[0])) < 1e-10
    after = run.t > latched + 1e-6
    assert -run["top0.q"][after] == pytest.approx(gallery_ring.ringing(run.t[after], p), abs=1e-7)


REFUSED = {
    "a whole number of at least 4": lambda: ring_truss(2),
    "does not close": lambda: ring_truss(7),
    "length is 0": lambda: ring_truss(6, length=0.0),
    "neither flat nor folded": lambda: ring_truss(6, angle=math.pi / 2),
    "at least 1": lambda: scissor_mast(0),
    "arm is -1": lambda: scissor_mast(3, arm=-1.0),
    "between 0 and 1.5708": lambda: scissor_mast(3, angle=0.0),
    "panels of an array": lambda: folded_array(0),
    "rows of a fold": lambda: miura_fold(2, 0),
    "corner of a panel is 1.6 rad": lambda: miura_fold(2, 2, corner=1.6),
    "fold is 0 rad": lambda: miura_fold(2, 2, fold=0.0),
    "at least 2": lambda: tetrahedral_truss(1),
    "diagonal is 0.5 m: the truss does not unfold": lambda: tetrahedral_truss(2, diagonal=0.5),
    "pairs of a scissor ring": lambda: scissor_ring(2),
    "angle of a scissor ring is 0 rad": lambda: scissor_ring(4, angle=0.0),
    "bays of a mast": lambda: four_bar_mast(0),
    "leg_mass is 0": lambda: four_bar_mast(2, leg_mass=0.0),
}


@pytest.mark.parametrize("message", REFUSED)
def test_arguments_that_make_no_structure_are_refused(message):
    with pytest.raises(kf.ModelError, match=message):
        REFUSED[message]()
