"""Dependent speeds are eliminated instead of multipliers found; see `formulations.embedded`."""

from kaneflex.kernels.layout import embedded_size_work
from kaneflex.plan.formulation import Formulation, Stages, register
from kaneflex.plan.plan import Plan
from kaneflex.plan.state_layout import StateLayout


class Embedded(Formulation):
    """u-dot by the mass matrix of the independent speeds, where there are constraints; friction needs their multipliers."""

    name = "embedded"
    about = "dense, with dependent speeds eliminated instead of multipliers"
    is_dense = True

    def room(self, tree: StateLayout, bodies: int, rows: int) -> int:
        """For the equations of the independent speeds."""
        return embedded_size_work(tree.nu) if rows else 0

    def eliminates(self, plan: Plan) -> bool:
        """Unless points slide with friction."""
        return not plan.header.frictions

    def stages(self, plan: Plan) -> Stages:
        """The embedded solve where there are constraints to embed."""
        return {"solve": "solve_embedded" if self.eliminates(plan) and plan.equations else "solve_dense"}

    def reading_stages(self, plan: Plan) -> Stages:
        """The motion is the same, but the multipliers are not those of least norm."""
        return {"solve": "solve_dense"}


register(Embedded())
