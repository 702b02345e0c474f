"""A torque on a body."""

from dataclasses import dataclass
from typing import ClassVar

from kaneflex.kernels.forces import point_torque
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.model.forces.contract import LoadTable
from kaneflex.model.forces.force import Force
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Torque(Force):
    """A torque on the body that carries a frame.

    Args:
        at: body or frame.
        value: three components, N m, or a function giving them; of an input those of one unit of it.
        axes: "body" (the frame's own axes) or "inertial".
        sees: channels that the function's x is made of.
    """

    kind: ClassVar[LoadFacts] = point_torque.FACTS
    unit: ClassVar[str] = "N m"

    def fill(self, table: LoadTable) -> None:
        """Add one row to the table, as of a force, on something that turns."""
        table.check_turns(self.at)
        super().fill(table)
