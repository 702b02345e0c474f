"""The reference: partial velocities, M assembled, one solve with multipliers; see `formulations.dense`."""

from kaneflex.plan.formulation import Formulation, Stages, register
from kaneflex.plan.plan import Plan


class Dense(Formulation):
    """u-dot by the mass matrix."""

    name = "dense"
    about = "the reference: the mass matrix, order n^3"
    is_dense = True

    def stages(self, plan: Plan) -> Stages:
        """The dense solve."""
        return {"solve": "solve_dense"}


register(Dense())
