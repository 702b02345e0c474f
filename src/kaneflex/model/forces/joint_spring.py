"""A spring and damper in a joint."""

from dataclasses import dataclass
from typing import Any

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import ball_spring, joint_spring
from kaneflex.model import checks
from kaneflex.model.forces.contract import LoadTable
from kaneflex.model.forces.in_joints import JointLoad
from kaneflex.model.typed import Name, typed


@typed
@dataclass(frozen=True)
class JointSpring(JointLoad):
    """Spring and damper in a joint (or drag on a rotor): -stiffness (q - rest) - damping rate.

    Args:
        joint: body whose inboard joint it is, or a rotor.
        stiffness: N m/rad or N/m. damping: N m s/rad or N s/m. rest: rad or m.
        coordinate: which coordinate of a joint with several, by name; None for all of them. On ball and free joints
            stiffness and damping act on the rotation, isotropically.
    """

    joint: Name
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    coordinate: Name | None = None

    def __post_init__(self) -> None:
        for field in ("stiffness", "damping"):
            object.__setattr__(self, field, checks.not_negative(getattr(self, field), field))
        object.__setattr__(self, "rest", checks.number(self.rest, "rest"))

    def _check_rotor(self, what: str) -> None:
        """A rotor has drag only."""
        if self.stiffness:
            self._refuse_rotor(what)

    def _check_quaternion(self, what: str) -> None:
        """It is isotropic on ball and free joints."""
        if self.coordinate is not None or self.rest:
            self._refuse_quaternion(what)

    def fill(self, table: LoadTable) -> None:
        """Add a row to the table for each coordinate; one for a rotor, or for the rotation of a ball or free joint."""
        if self.joint in table.index.rotors:
            row = table.row(joint_spring.FACTS, FORCE_COLUMN=table.index.rotors[self.joint], FORCE_COORDINATE=-1)
            row.reals[L.FORCE_LAW + 1] = self.damping
            return
        joint: Any = table.index.joints[self.joint]
        if joint.quaternion is not None:
            first = joint.u0 + joint.speed_names.index("wx")
            row = table.row(ball_spring.FACTS, FORCE_COLUMN=first, FORCE_COORDINATE=joint.quaternion)
            row.reals[L.FORCE_LAW : L.FORCE_LAW + 2] = self.stiffness, self.damping
            return
        for place in self._coordinates(joint):
            row = table.row(joint_spring.FACTS, **place)
            row.reals[L.FORCE_LAW : L.FORCE_LAW + 3] = self.stiffness, self.damping, self.rest
