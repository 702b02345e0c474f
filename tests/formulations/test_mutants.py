"""The tests can fail: one parameter changed in its sixth digit must break a comparison of `identities`."""

import identities
import numpy as np
import pytest
from formulations.flexible import FlexibleRecipe
from identities import Motion
from trees import Recipe

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels import layout as L

RECIPE = Recipe(
    ("Free", "Universal", "Screw"),
    (-1, 0, 1),
    rotors=(False, True, False),
    loads=(("SpringDamper", "ground"), ("JointSpring", "all"), ("Force", "body")),
    seed=2,
)
CHANGE = 1e-6


def parameters(plan):
    """Entries of P that act: all that are not zero, but for what a planned load does not read."""
    names = {"gravity": slice(plan.I[L.P_GRAVITY], plan.I[L.P_GRAVITY] + 3)}
    for i in range(1, plan.I[L.BODIES]):
        names[f"body {i}"] = slice(i * L.BODY_REALS, (i + 1) * L.BODY_REALS)
    names["rotor"] = slice(plan.I[L.P_ROTOR], plan.I[L.P_FORCE])
    for m in range(plan.I[L.FORCES]):
        names[f"load {m}"] = slice(plan.I[L.P_FORCE] + m * L.FORCE_REALS, plan.I[L.P_FORCE] + (m + 1) * L.FORCE_REALS)
    return [(name, k) for name, part in names.items() for k in range(part.start, part.stop) if plan.P[k] != 0]


def mutant(plan, k, change=CHANGE):
    """The equations with the k-th parameter changed."""
    d = Dynamics(plan)
    d.P = plan.P.copy()
    d.P[k] *= 1 + change
    return d


@pytest.fixture(scope="module")
def tree():
    return RECIPE.tree()


def read(plan, name, k):
    """Whether the equations depend on the entry: a point load does not read its frame where axes are inertial."""
    return not (name.startswith("load") and k in unread(plan))


def unread(plan):
    """Entries of the frame of loads that are no point loads."""
    entries = set()
    for m in range(plan.I[L.FORCES]):
        if plan.I[plan.I[L.I_FORCE] + m * L.FORCE_INTS + L.FORCE_KIND] > 1:
            first = plan.I[L.P_FORCE] + m * L.FORCE_REALS + L.FRAME
            entries |= set(range(first, first + 9))
    return entries


def test_each_parameter_is_seen(tree):
    """In one formulation against the other."""
    plan = tree.plan("recursive", "customary")
    whole = Motion(tree.dynamics("dense", "customary"), tree)
    identities.same_motion(whole, Motion(Dynamics(plan), tree))
    blind = []
    tried = [(name, k) for name, k in parameters(plan) if read(plan, name, k)]
    for name, k in tried:
        try:
            identities.same_motion(whole, Motion(mutant(plan, k), tree))
        except AssertionError:
            continue
        blind.append((name, k))
    assert len(tried) > 60
    assert not blind


@pytest.mark.parametrize("way", [("recursive", "efficient"), ("dense", "customary")], ids="-".join)
def test_power_sees_masses_and_springs(tree, way):
    """In the energies against the powers."""
    plan = tree.plan(*way)
    motion = Motion(tree.dynamics(*way), tree)
    identities.power_is_energy_rate(motion)
    for k in (
        *(i * L.BODY_REALS + L.MASS for i in range(1, plan.I[L.BODIES])),
        2 * L.BODY_REALS + L.MASS_MOMENT,
        3 * L.BODY_REALS + L.INERTIA + 1,
        int(plan.I[L.P_GRAVITY]) + 1,
        int(plan.I[L.P_ROTOR]) + L.ROTOR_INERTIA,
        int(plan.I[L.P_FORCE]) + L.FORCE_LAW,
    ):
        motion.d = mutant(plan, k)
        motion.d.set_inputs(tree.inputs)
        with pytest.raises(AssertionError, match="power"):
            identities.power_is_energy_rate(motion)


def test_inverse_sees_udot(tree):
    motion = Motion(tree.dynamics("recursive", "efficient"), tree)
    identities.forward_is_inverse(motion)
    for k in range(motion.d.plan.nu):
        motion.ydot[motion.d.plan.nq + k] *= 1 + CHANGE
        with pytest.raises(AssertionError, match="joint forces"):
            identities.forward_is_inverse(motion)
        motion.ydot[motion.d.plan.nq + k] /= 1 + CHANGE


def test_momentum_sees_a_mass():
    tree = Recipe(("Free", "Revolute", "Spherical"), (-1, 0, 0), seed=1).tree()
    tree.tau[:6] = 0.0
    motion = Motion(tree.dynamics("recursive", "customary"), tree)
    identities.momentum_balances(motion)
    motion.d = mutant(motion.d.plan, 2 * L.BODY_REALS + L.MASS)
    with pytest.raises(AssertionError, match=r"momentum|mass centre"):
        identities.momentum_balances(motion)


def test_close_refuses_nan():
    with pytest.raises(AssertionError, match="not finite"):
        identities.close(np.array([1.0, np.nan]), np.array([1.0, np.nan]), "NaN")


def modal_data(plan):
    """Entries of P of each flexible body, and of each node that something hangs on, that are not zero."""
    I = plan.I
    for i in range(1, I[L.BODIES]):
        row = I[L.HEADER + i * L.BODY_INTS :]
        m, number = int(row[L.MODES]), row[L.FLEXIBLE]
        if m > 0:
            first, size = I[I[L.I_FLEXIBLE] + number * L.FLEXIBLE_INTS + L.FLEXIBLE_P], 13 * m + 13 * m * m
        elif number >= 0:
            node = I[L.I_NODE] + number * L.NODE_INTS
            m = int(I[L.HEADER + row[L.PARENT] * L.BODY_INTS + L.MODES])
            first, size = I[node + L.NODE_P], 3 + 6 * m + 6 * m * m
        else:
            continue
        yield first + np.flatnonzero(plan.P[first : first + size])


def test_data_of_flexible_bodies_are_seen():
    """Integrals, stiffness, damping and nodes of flexible bodies, in one formulation against the other."""
    tree = FlexibleRecipe(("Free", "Revolute", "Universal"), (-1, 0, 1), seed=4, modes=(3, 14, 2)).tree()
    plan = tree.plan("recursive", "customary")
    entries = np.concatenate(list(modal_data(plan)))
    whole = Motion(tree.dynamics("dense", "customary"), tree)
    identities.same_motion(whole, Motion(Dynamics(plan), tree))
    rng = np.random.default_rng(0)
    blind = []
    for k in rng.choice(entries, 150, replace=False):
        d = mutant(plan, k, 1e-3)
        try:
            identities.same_motion(whole, Motion(d, tree))
        except AssertionError:
            continue
        blind.append(int(k))
    assert not blind
