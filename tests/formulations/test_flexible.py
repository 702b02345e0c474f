"""Trees of rigid and flexible bodies: every formulation gives the same motion, and the balances of mechanics hold."""

import pytest
from formulations import identities, loops
from formulations.flexible import FlexibleRecipe, flexible_mechanisms, flexible_trees
from formulations.identities import Motion
from formulations.loops import LoopMotion
from hypothesis import assume, example, given
from sweeps import sweep
from trees import INTERNAL, JOINTS, LOADS

CHAIN = tuple(range(-1, 11))


@sweep(80)
@example(FlexibleRecipe(("Revolute",) * 12, CHAIN, seed=1, modes=(3,) * 12))
@example(FlexibleRecipe(("Universal", "Free") * 6, CHAIN, (True,) * 12, base="tumbling", seed=2, modes=(14, 0, 2) * 4))
@given(flexible_trees())
def test_ways_agree_and_power_is_energy_rate(recipe):
    tree = recipe.tree()
    identities.check_tree(tree)
    identities.check_tree(tree, tree.near_ways)


@pytest.mark.parametrize("modes", [2, 14, 44], ids=lambda m: f"{m}-modes")
@pytest.mark.parametrize("joint", JOINTS)
def test_every_joint_at_a_node(joint, modes):
    """Few modes, whose own matrix is factored, and many, which efficient modal speeds eliminate by an update."""
    tree = FlexibleRecipe(("Revolute", joint, "Universal"), (-1, 0, 1), seed=3, modes=(modes, 3, 0)).tree()
    identities.check_tree(tree)
    identities.check_tree(tree, tree.near_ways)


@pytest.mark.parametrize("load", LOADS, ids=lambda load: "-".join(load))
def test_load_at_nodes(load):
    """Each load alone, on a moving base, so that none hides behind another."""
    joints = ("Revolute", "Spherical", "Universal", "Cylindrical")
    recipe = FlexibleRecipe(joints, (-1, 0, 1, 1), (True, False, True), loads=(load,), seed=5, modes=(3, 2, 0, 14))
    tree = recipe.only(base="tumbling").tree()
    assert tree.model.loads or tree.model.inputs
    identities.check_tree(tree)
    identities.check_tree(tree, tree.near_ways)


@sweep(25)
@given(flexible_trees(most=8))
def test_mass_matrix(recipe):
    tree = recipe.tree()
    for d in (tree.ways | tree.near_ways).values():
        identities.mass_matrix_fits(Motion(d, tree))


@sweep(25)
@given(flexible_trees(most=12, loads=INTERNAL, bases=(), root="Free"))
def test_momentum(recipe):
    tree = recipe.tree()
    loads = tree.model.loads.values()
    assume(all(getattr(load, "joint", None) != "b0" for load in loads))  # that in the free joint acts from outside,
    assume(len(tree.names) > 1 or not loads)  # as a line does that has no other body to lead to
    tree.tau[:6] = 0.0
    for d in (tree.ways | tree.near_ways).values():
        identities.momentum_balances(Motion(d, tree))


@sweep(35)
@given(flexible_mechanisms())
def test_constraints_between_nodes(recipe):
    m = recipe.mechanism()
    assume(m.model.constraints)
    for ways in (m.ways, m.near_ways):
        found = [LoopMotion(d, m) for d in ways.values()]
        for motion in found:
            identities.same_motion(found[0], motion)
            loops.same_multipliers(found[0], motion)
            loops.constraints_stay(motion)
            loops.inverse_with_multipliers(motion)
        if ways is m.ways:  # the matrices are those of customary speeds
            loops.kkt_agrees(found[0])


@sweep(25)
@given(flexible_mechanisms())
def test_power_with_constraints(recipe):
    m = recipe.mechanism()
    assume(m.model.constraints)
    m.settle_rates()
    for d in (m.ways | m.near_ways).values():
        loops.power_balances(LoopMotion(d, m))
