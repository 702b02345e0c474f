"""Every tree, every formulation, every choice of speeds: the same motion, and the balances of mechanics."""

import identities
import pytest
from hypothesis import example, given
from identities import Motion
from sweeps import sweep
from trees import INTERNAL, JOINTS, LOADS, WAYS, Recipe, trees


@sweep(80)
@example(Recipe(("Revolute",) * 40, tuple(range(-1, 39)), seed=1))
@example(Recipe(("Universal", "Free") * 20, tuple(range(-1, 39)), (True,) * 40, base="tumbling", seed=2))
@given(trees())
def test_ways_agree_and_power_is_energy_rate(recipe):
    identities.check_tree(recipe.tree())


@pytest.mark.parametrize("second", JOINTS)
@pytest.mark.parametrize("first", JOINTS)
def test_pairs_of_joints(first, second):
    """Each joint on each other, between bodies that turn, whatever Hypothesis draws."""
    identities.check_tree(Recipe(("Revolute", first, second, "Universal"), (-1, 0, 1, 2), seed=3).tree())


@pytest.mark.parametrize("base", ["sliding", "shaken", "turning", "tumbling"])
@pytest.mark.parametrize("load", LOADS, ids=lambda load: "-".join(load))
def test_load_on_moving_base(load, base):
    """Each load alone, so that none hides behind another."""
    recipe = Recipe(("Revolute", "Spherical", "Universal", "Cylindrical"), (-1, 0, 1, 1), (True, False, True), (), (load,))
    tree = recipe.only(base=base, seed=5).tree()
    assert tree.model.loads or tree.model.inputs
    identities.check_tree(tree)


@sweep(30)
@given(trees(most=15))
def test_mass_matrix(recipe):
    tree = recipe.tree()
    for d in tree.ways.values():
        motion = Motion(d, tree)
        identities.mass_matrix_fits(motion)
        identities.bias_balances_motion(motion)


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_bias_on_moving_base(way):
    tree = Recipe(("Revolute", "Universal"), (-1, 0), base="turning", seed=2).tree()
    identities.bias_balances_motion(Motion(tree.dynamics(*way), tree))


@sweep(30)
@given(trees(most=25, loads=INTERNAL, bases=(), root="Free"))
def test_momentum(recipe):
    tree = recipe.tree()
    tree.tau[:6] = 0.0
    for d in tree.ways.values():
        identities.momentum_balances(Motion(d, tree))
