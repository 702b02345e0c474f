"""The equations that SymPy's KanesMethod derives, at random states."""

import numpy as np
import pytest
from identities import close, relative_rate_rates
from oracles.kanes_method import SYSTEMS, accelerations, mass_matrix
from trees import WAYS

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.bodies import Rigid
from kaneflex.model.joints import Prismatic, Revolute
from kaneflex.model.model import Model
from kaneflex.plan.build import build


def model_of(system):
    model = Model("oracle", gravity=system.gravity)
    for i, link in enumerate(system.links):
        model.add(
            f"link{i}",
            Rigid(link.mass, link.com, link.inertia_matrix()),
            {"revolute": Revolute, "prismatic": Prismatic}[link.joint](link.axis),
            f"link{link.parent}" if link.parent >= 0 else None,
            link.at,
        )
    return model


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_accelerations(system, way):
    d, rng, n = Dynamics(build(model_of(system), *way)), np.random.default_rng(4), len(system.links)
    wanted, M = accelerations(system), mass_matrix(system)
    for _ in range(20):
        q, w, tau = rng.uniform(-3, 3, n), 2 * rng.normal(size=n), 3 * rng.normal(size=n)
        qdd = wanted(q, w) + np.linalg.solve(M(q), tau)
        u = d.speeds_from_rates(q, w)
        udot = d.udot(q, u, tau)
        close(relative_rate_rates(d, q, u, w, udot), qdd, "rates of the relative rates")
        close(d.inverse_dynamics(q, u, udot), tau, "joint forces", np.abs(M(q) @ qdd).max() + np.abs(tau).max())
        if way[1] == "customary":
            close(udot, qdd, "u-dot")
            close(d.mass_matrix(q), M(q), "mass matrix")
