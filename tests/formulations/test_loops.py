"""Random loops on random trees: every formulation and choice of speeds gives the same motion, and it is the right one."""

import pytest
from formulations import identities, loops
from formulations.loops import BUILT_IN, DERIVED, OF_TIME, TIES, LoopMotion, Loops, mechanisms
from hypothesis import assume, example, given, settings
from sweeps import sweep
from trees import FORMULATIONS, TIME, WAYS, Recipe

from kaneflex.gallery import bricard, four_bar

FEW = [("recursive", "efficient"), *((name, "customary") for name in FORMULATIONS if name != "recursive")]
assert WAYS[0] == ("recursive", "customary") and WAYS[1] == ("recursive", "efficient")


def all_motions(m):
    """Each way's motion, the first one's in customary speeds, and all of them the same."""
    found = [LoopMotion(d, m) for d in m.ways.values()]
    for other in found[1:]:
        identities.same_motion(found[0], other)
    for one, other in zip(found[1::2], found[3::2], strict=False):  # their u-dot, in efficient speeds
        identities.same_motion(one, other)
    return found


def check(m):
    """All ways agree; in each of them the constraints stay, and forces balance."""
    found = all_motions(m)
    for motion in found:
        loops.same_multipliers(found[0], motion)
        loops.constraints_stay(motion)
        loops.inverse_with_multipliers(motion)
    loops.kkt_agrees(found[0])


@sweep(100)
@example(Loops(Recipe(("Revolute", "Universal") * 20, tuple(range(-1, 39)), (True,) * 40, seed=7), BUILT_IN))
@example(Loops(Recipe(("Spherical",) * 12, (-1, 0, 1, 2, 3, 4, 0, 6, 7, 8, 9, 5), base="tumbling", seed=8), BUILT_IN, True))
@given(mechanisms(ties=BUILT_IN))
def test_ways_agree_and_constraints_stay(recipe):
    m = recipe.mechanism()
    assume(m.model.constraints)
    check(m)


@settings(max_examples=12)
@given(mechanisms(most=6, ties=DERIVED, at_most=2))
def test_written_constraints(recipe):
    m = recipe.mechanism()
    assume(m.model.constraints)
    check(m)


@pytest.mark.parametrize("fitted", [False, True], ids=["open", "closed"])
@pytest.mark.parametrize("kind", TIES)
def test_each_constraint(kind, fitted):
    """Each kind alone, whatever Hypothesis draws: between branches, along one, to the ground, on a moving base."""
    used = 0
    for seed in range(5):
        base = "tumbling" if seed == 4 else "inertial"
        recipe = Recipe(("Free", "Universal", "Cylindrical", "Planar"), (-1, 0, 1, 0), (True,), base=base, seed=seed)
        m = Loops(recipe, (kind,), driven=seed % 2 == 1, fitted=fitted).mechanism()
        if m.model.constraints:
            used += 1
            check(m)
    assert used >= 2


def test_custom_joint_in_a_loop():
    recipe = Recipe(("Free", "CustomJoint", "Universal", "Revolute"), (-1, 0, 1, 0), seed=4)
    m = Loops(recipe, ("Closure-Spherical", "Distance", "Coupler"), fitted=True).mechanism()
    assert len(m.model.constraints) >= 2
    check(m)


@sweep(35)
@given(mechanisms(ties=BUILT_IN, at_most=3))
def test_power_is_energy_rate(recipe):
    m = recipe.mechanism()
    assume(m.model.constraints)
    m.settle_rates()
    for way in FEW:
        loops.power_balances(LoopMotion(m.dynamics(*way), m))


@pytest.mark.parametrize("kind", OF_TIME)
def test_moving_constraints_do_work(kind):
    worked = 0
    for seed in range(4):
        recipe = Recipe(("Free", "Universal", "Cylindrical", "Planar"), (-1, 0, 1, 0), (True,), seed=seed)
        m = Loops(recipe, (kind,), driven=seed % 2 == 1, fitted=True).mechanism()
        if m.model.constraints:
            m.settle_rates()
            for way in FEW:
                motion = LoopMotion(m.dynamics(*way), m)
                loops.power_balances(motion)
            worked += abs(motion.multipliers @ loops.explicit(motion.d, m.q)) > 1e-3
    assert worked


@sweep(30)
@given(mechanisms(ties=BUILT_IN, at_most=3))
def test_saying_it_twice_changes_nothing(recipe):
    """The same motion, and each of the two carries half."""
    m = recipe.mechanism()
    assume(m.model.constraints)
    m.tau[:] = 0.0
    once = {way: LoopMotion(m.dynamics(*way), m) for way in FEW}
    m.double()
    for way in FEW:
        before, now = once[way], LoopMotion(m.dynamics(*way), m)
        identities.same_motion(before, now)
        loops.least_norm(now)
        found, rows = now.d.multipliers(TIME, m.q, now.u), now.d.plan.index.constraints
        for name, single in before.d.plan.index.constraints.items():
            for copy in (name, f"{name}again"):
                half, scale = before.multipliers[single] / 2, identities.largest(found)
                identities.close(found[rows[copy]], half, f"multipliers of {copy}, {now.d}", scale, 1e-9)


@sweep(30)
@given(loops.linkages())
def test_planar_loops_in_space(m):
    assume(m.is_clear())
    for motion in all_motions(m):
        loops.least_norm(motion)
        loops.constraints_stay(motion)


@pytest.mark.parametrize("gallery", [four_bar, bricard], ids=["four-bar", "bricard"])
def test_linkages_of_the_gallery(gallery):
    """Redundant only where they are assembled: three equations of five, and one of five."""
    m = loops.Assembled(gallery.build(gallery.DEFAULTS))
    for motion in all_motions(m):
        loops.least_norm(motion)
        loops.constraints_stay(motion)
        loops.power_balances(motion)
