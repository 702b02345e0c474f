"""Stops in a joint."""

from dataclasses import dataclass

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import joint_stop
from kaneflex.model import checks
from kaneflex.model.forces.contract import LoadTable
from kaneflex.model.forces.in_joints import JointLoad
from kaneflex.model.typed import Name, typed


@typed
@dataclass(frozen=True)
class JointStop(JointLoad):
    """One-sided spring and damper beyond bounds of a coordinate.

    Args:
        joint: body whose inboard joint it is.
        lower, upper: bounds, rad or m; None for no bound.
        stiffness: N m/rad or N/m. damping: N m s/rad or N s/m, beyond the bound only.
        coordinate: which coordinate of a joint with several, by name.
    """

    joint: Name
    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    coordinate: Name | None = None

    def __post_init__(self) -> None:
        for field in ("lower", "upper"):
            if getattr(self, field) is not None:
                object.__setattr__(self, field, checks.number(getattr(self, field), field))
        if self.lower is None and self.upper is None:
            raise checks.ModelError("a JointStop has no bound: give lower, upper or both")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise checks.ModelError(f"bounds of a JointStop are {self.lower:g} and {self.upper:g}: lower must be below")
        object.__setattr__(self, "stiffness", checks.positive(self.stiffness, "stiffness"))
        object.__setattr__(self, "damping", checks.not_negative(self.damping, "damping"))

    def _check_rotor(self, what: str) -> None:
        """A rotor has no angle to be stopped at."""
        self._refuse_rotor(what)

    def _check_quaternion(self, what: str) -> None:
        """A quaternion has no bounds."""
        self._refuse_quaternion(what)

    def fill(self, table: LoadTable) -> None:
        """Add a row to the table for each bound of each coordinate."""
        for place in self._coordinates(table.index.joints[self.joint]):
            for bound, side in ((self.lower, -1.0), (self.upper, 1.0)):
                if bound is not None:
                    row = table.row(joint_stop.FACTS, **place)
                    row.reals[L.FORCE_LAW : L.FORCE_LAW + 4] = self.stiffness, self.damping, bound, side
