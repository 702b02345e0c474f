"""The tests can fail: one parameter changed in its sixth digit must break a comparison of `identities`."""

import identities
import numpy as np
import pytest
from formulations.flexible import FlexibleRecipe
from identities import Motion
from trees import Recipe

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels.tables import Tables

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
    at, h = places(plan), plan.header
    names = {"gravity": at.gravity.value, "rotor": at.rotor.arrays[0]}
    names |= {f"body {i}": at.body.arrays[0][i] for i in range(1, h.bodies)}
    names |= {f"load {m}": at.force.arrays[0][m] for m in range(h.forces)}
    return [(name, k) for name, part in names.items() for k in part.ravel().tolist() if plan.P[k] != 0]


def places(plan):
    """The tables of P with places in the place of numbers."""
    return Tables(plan.I, {"P": np.arange(len(plan.P))})


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
    return set(places(plan).force.frame[plan.tables.force.kind > 1].ravel().tolist())


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
    at = places(plan)
    for k in (
        *at.body.mass[1 : plan.header.bodies],
        at.body[2].mass_moment[0],
        at.body[3].inertia[1],
        at.gravity.value[1],
        at.rotor[0].inertia,
        at.force[0].law[0],
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
    motion.d = mutant(motion.d.plan, places(motion.d.plan).body[2].mass)
    with pytest.raises(AssertionError, match=r"momentum|mass centre"):
        identities.momentum_balances(motion)


def test_close_refuses_nan():
    with pytest.raises(AssertionError, match="not finite"):
        identities.close(np.array([1.0, np.nan]), np.array([1.0, np.nan]), "NaN")


MODAL, NODAL = "k C root root_mass inertia places T c1 E forms", "p first forms"


def modal_data(plan):
    """Entries of P of each flexible body, and of each node that something hangs on, that are more than rounding; of E, which
    is symmetric, only the upper half is read."""
    at = places(plan)
    for row in list(plan.tables.body)[1 : plan.header.bodies]:
        if row.flexible >= 0:
            data, names = (at.modal, MODAL) if row.modes > 0 else (at.node_data, NODAL)
            fields = {name: getattr(data[row.flexible], name) for name in names.split()}
            if "E" in fields:
                fields["E"] = fields["E"][np.triu_indices(row.modes)]
            entries = np.concatenate([field.ravel() for field in fields.values()])
            yield entries[np.abs(plan.P[entries]) > 1e-12]


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
