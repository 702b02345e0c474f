"""A force or torque in a joint."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kaneflex.kernels.forces import joint_load
from kaneflex.model import checks
from kaneflex.model.forces.contract import LoadTable, see
from kaneflex.model.forces.in_joints import JointLoad
from kaneflex.model.joints import speed_names
from kaneflex.model.typed import Name, typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model


@typed
@dataclass(frozen=True)
class JointForce(JointLoad):
    """Force or torque in a joint, conjugate to one of its rates (or to a rotor's).

    Args:
        joint: body whose inboard joint it is, or a rotor.
        value: N m or N, constant or a function.
        coordinate: which rate, by the coordinate's name; for ball and free joints "wx", "wy", "wz" are the components of
            the angular velocity (a torque) and "vx", "vy", "vz" those of the velocity (a force), in the body's axes.
        sees: channels that the function's x is made of.
    """

    joint: Name
    value: Any = 1.0
    coordinate: Name | None = None
    sees: Sequence[str] = ()

    gain: ClassVar[str] = "value"

    def __post_init__(self) -> None:
        see(self)
        if not checks.is_function(self.value):
            object.__setattr__(self, "value", checks.number(self.value, "value"))

    def _check_joint(self, model: "Model", what: str) -> None:
        """It acts on one rate."""
        names = speed_names(model.parts[self.joint].joint)
        if self.coordinate is None and len(names) > 1:
            raise checks.ModelError(f'{what}: joint "{self.joint}" has speeds {", ".join(names)}: name one as coordinate')
        if self.coordinate is not None:
            checks.known(self.coordinate, names, f'{what}: coordinate of joint "{self.joint}"')

    def fill(self, table: LoadTable) -> None:
        """Add one row to the table."""
        column = table.index.rotors.get(self.joint)
        if column is None:
            joint = table.index.joints[self.joint]
            column = joint.u0 + (joint.speed_names.index(self.coordinate) if self.coordinate else 0)
        table.set_value(table.row(joint_load.FACTS, FORCE_COLUMN=column), self.value, self.sees)
