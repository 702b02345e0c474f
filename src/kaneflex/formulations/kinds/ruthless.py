"""All products of speeds are dropped: "ruthless linearization".

Ref: Banerjee, Flexible Multibody Dynamics: Efficient Formulations and Applications (2016).
"""

from kaneflex.plan.formulation import Formulation, Stages, register
from kaneflex.plan.plan import Plan


class Ruthless(Formulation):
    """Order n, with inertia as at rest, velocities for the loads alone, and flexible bodies of undeformed shape."""

    name = "ruthless"
    about = "recursive without products of speeds: an approximation"
    exact = False
    undeformed = True

    def stages(self, plan: Plan) -> Stages:
        """Motion and loads without products of speeds."""
        return {"prepare": "prepare_at_rest", "sum_seen": "sum_seen_at_rest"}


register(Ruthless())
