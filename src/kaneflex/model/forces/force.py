"""A force at a point."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import point_force
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.model import checks
from kaneflex.model.forces.contract import Array, Load, LoadTable, see, value_over_time
from kaneflex.model.frames import GROUND
from kaneflex.model.typed import Name, typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model


@typed
@dataclass(frozen=True)
class Force(Load):
    """A force at a frame's origin.

    Args:
        at: body or frame.
        value: three components, N, or a function giving them; of an input those of one unit of it.
        axes: "body" (the frame's own axes) or "inertial".
        sees: channels that the function's x is made of.
    """

    at: Name
    value: Any = None  # refused, in words of its own
    axes: str = "body"
    sees: Sequence[str] = ()

    gain: ClassVar[str] = "value"
    kind: ClassVar[LoadFacts] = point_force.FACTS
    unit: ClassVar[str] = "N"

    def __post_init__(self) -> None:
        checks.known(self.axes, ("body", "inertial"), "axes")
        see(self)
        if not checks.is_function(self.value):
            if checks.dimensions(self.value) == 0:
                found = "no value" if self.value is None else f"the value {checks.shown(self.value)}"
                raise checks.ModelError(
                    f'{type(self).__name__} at "{self.at}" has {found}: give its three components in {self.unit}, of an '
                    f'input those of one unit of it: {type(self).__name__}("{self.at}", (0.0, 0.0, 1.0))'
                )
            object.__setattr__(self, "value", checks.vector(self.value, "value"))

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where it acts on no body of the model; `what` names it."""
        body, _ = model.locate(self.at, what)
        if body == GROUND:
            raise checks.ModelError(f"{what} acts on the inertial frame: name a body")

    def fill(self, table: LoadTable) -> None:
        """Add one row to the table, at the point and with the axes of the frame there."""
        body, frame = table.end(self.at)
        row = table.row(self.kind, FORCE_BODY=body, FORCE_AXES=int(self.axes == "inertial"))
        row.reals[L.POINT : L.POINT + 3] = frame.p
        row.reals[L.FRAME : L.FRAME + 9] = frame.R.ravel()
        table.set_value(row, self.value, self.sees)

    def ends(self) -> tuple[Any, ...]:
        """The point."""
        return (self.at,)

    def is_internal(self, roots: Collection[str]) -> bool:
        """Whatever the `roots`, only where it is none: commands of parts are inputs that have no effect of their own."""
        return not checks.is_function(self.value) and not any(self.value)

    def channels(self) -> tuple[str, ...]:
        """What `arrow` is made of."""
        return (f"{self.at}.position", f"{self.at}.rotation", *(self.sees if callable(self.value) else ()))

    def arrow(self, t: Array, values: Mapping[str, Array]) -> tuple[Array, Array, str] | None:
        """The value at the point over the times t, from the values of channels."""
        at, turn = values.get(f"{self.at}.position"), values.get(f"{self.at}.rotation")
        value = value_over_time(self.value, self.sees, 3, t, values)
        if at is None or turn is None or value is None:
            return None
        return at, np.einsum("nij,nj->ni", turn, value) if self.axes == "body" else value, self.unit
