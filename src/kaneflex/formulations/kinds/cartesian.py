"""Points and unit vectors, shared between bodies, as coordinates: for structures that are mostly loops; see
`formulations.cartesian.rates`."""

from weakref import ref

import numpy as np

from kaneflex.formulations.cartesian.tables import CartesianTables, make_tables
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
        """Flexible bodies: a point that others share would move in them, and be no part of their bases."""
        found = next((name for name, part in model.parts.items() if part.body.is_flexible), None)
        return None if found is None else f'flexible bodies ("{found}"): use formulation="recursive"'

    def layout(self, plan: Plan) -> StateLayout:
        """Points and vectors, then q of the tree, which is carried along; rates of the former, then spins of rotors."""
        free, tree = self.tables(plan).coordinates, plan.layout
        speeds = free + plan.header.rotors
        return StateLayout(free + tree.nq, speeds, tree.nz, tuple(free + k for k in tree.quaternions))

    def tolerances(self, plan: Plan, y: np.ndarray, atol: float) -> np.ndarray:
        """An error of an angle by `atol` at one end of a structure moves the other by `atol` times its length: points, and
        their velocities, may be off by that, where it is more than a metre. So may be q, which follows from the points."""
        layout, bounds = self.layout(plan), np.full(len(y), float(atol))
        free = [f for f in self.tables(plan).shared.features if not f.is_constant]
        places = (3 * np.flatnonzero([f.is_point for f in free])[:, None] + np.arange(3)).ravel()
        if len(places):
            length = max(1.0, float(np.ptp(y[places].reshape(-1, 3), axis=0).max()))
            for own in (places, layout.nq + places, slice(3 * len(free), layout.nq)):
                bounds[own] *= length
        return bounds

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
