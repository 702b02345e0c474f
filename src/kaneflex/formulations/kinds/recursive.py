"""Order n: joint speeds are eliminated body by body, from the tips to the base; see `formulations.recursive`."""

from kaneflex.plan.formulation import Formulation, register


class Recursive(Formulation):
    """The stages as they are."""

    name = "recursive"
    about = "order n, loops by multipliers"


register(Recursive())
