"""Drag of air at rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import quadratic_drag
from kaneflex.model import checks
from kaneflex.model.forces.contract import Array, Load, LoadTable, on_body
from kaneflex.model.typed import Name, typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model


@typed
@dataclass(frozen=True)
class Drag(Load):
    """Drag of air at rest on a point.

    Args:
        at: body or frame.
        coefficient: force over the square of the speed, kg/m.
        slow: speed below which drag is linear, m/s.
    """

    at: Name
    coefficient: float
    slow: float = 0.0

    def __post_init__(self) -> None:
        for field in ("coefficient", "slow"):
            object.__setattr__(self, field, checks.not_negative(getattr(self, field), field))

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where it acts on no body of the model; `what` names it."""
        model.locate(self.at, what)
        if not on_body(self.at):
            raise checks.ModelError(f"{what} acts on the inertial frame: name a body")

    def fill(self, table: LoadTable) -> None:
        """Add one row to the table."""
        body, frame = table.end(self.at)
        row = table.row(quadratic_drag.FACTS, FORCE_BODY=body)
        row.reals[L.POINT : L.POINT + 3] = frame.p
        row.reals[L.FORCE_LAW : L.FORCE_LAW + 2] = self.coefficient, self.slow

    def ends(self) -> tuple[Any, ...]:
        """The point."""
        return (self.at,)

    def channels(self) -> tuple[str, ...]:
        """What `arrow` is made of."""
        return f"{self.at}.position", f"{self.at}.velocity"

    def arrow(self, t: Array, values: Mapping[str, Array]) -> tuple[Array, Array, str] | None:
        """The force over the times t, from the values of channels."""
        if any(name not in values for name in self.channels()):
            return None
        at, v = (values[name] for name in self.channels())
        speed = np.sqrt((v * v).sum(axis=1, keepdims=True) + self.slow**2)
        return at, -self.coefficient * speed * v, "N"
