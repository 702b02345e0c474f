"""Points and unit vectors, shared between bodies, as coordinates: for structures that are mostly loops; see
`formulations.cartesian.rates`."""

from weakref import ref

import numpy as np

from kaneflex.formulations.cartesian.tables import CartesianTables, make_tables
from kaneflex.model.joints import Free
from kaneflex.model.model import Model
from kaneflex.plan.formulation import OtherCoordinates, Stages, register
from kaneflex.plan.plan import Plan
from kaneflex.plan.state_layout import StateLayout


class Cartesian(OtherCoordinates):
    """Rigid bodies by points and vectors; joints by sharing them, or by equations."""

    name = "cartesian"
    about = "points and unit vectors that bodies share, for many loops"

    def __init__(self) -> None:
        self._last: tuple[ref[Plan], CartesianTables] | None = None

    def tables(self, plan: Plan) -> CartesianTables:
        """The tables of a plan; those of the last one are kept."""
        if self._last is None or self._last[0]() is not plan:
            self._last = ref(plan), make_tables(plan)
        return self._last[1]

    def refuses(self, model: Model) -> str | None:
        """Flexible bodies, sliding friction, and joints that have no words as loops."""
        reasons = {
            "flexible bodies": [n for n, part in model.parts.items() if part.body.is_flexible],
            "joints of this kind": [
                n for n, part in model.parts.items() if not part.joint.equations and not isinstance(part.joint, Free)
            ],
            "contacts with friction": [n for n, c in model.contacts.items() if c.friction],
        }
        found = next(((what, names) for what, names in reasons.items() if names), None)
        return None if found is None else f'{found[0]} ("{found[1][0]}"): use another formulation'

    def layout(self, plan: Plan) -> StateLayout:
        """Points and vectors, then q of the tree, which is carried along; rates of the former, then spins of rotors."""
        free, tree = self.tables(plan).coordinates, plan.layout
        speeds = free + plan.header.rotors
        return StateLayout(free + tree.nq, speeds, tree.nz, tuple(free + k for k in tree.quaternions))

    def own_tables(self, plan: Plan) -> tuple[list[int], list[float]]:
        """See `cartesian.layout`."""
        return self.tables(plan).integers.tolist(), []

    def own_memory(self, plan: Plan) -> np.ndarray:
        """Numbers, and room for the matrix."""
        return self.tables(plan).reals.copy()

    def integration_stages(self, plan: Plan) -> Stages:
        """The rate of y, its projection, and the ways to the tree and back."""
        return {
            "derivative": "cartesian_derivative",
            "to_tree": "cartesian_to_tree",
            "from_tree": "cartesian_from_tree",
            "project": "cartesian_project",
        }


register(Cartesian())
