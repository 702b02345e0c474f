"""What loads in joints have in common."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from kaneflex.model import checks
from kaneflex.model.forces.contract import Load

if TYPE_CHECKING:
    from kaneflex.model.model import Model


class JointLoad(Load):
    """A load on the coordinates or rates of a joint, or on a rotor."""

    joint: str
    coordinate: str | None

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where the model has no such joint or rotor, or that no such coordinate; `what` names the load."""
        if self.joint in model.rotors:
            self._check_rotor(what)
            return
        checks.known(self.joint, model.parts, f"{what}: joint")
        if model.parts[self.joint].joint.facts.speeds == 0:
            raise checks.ModelError(f'{what}: the joint of "{self.joint}" is fixed and has no speed to act on')
        self._check_joint(model, what)

    def _check_rotor(self, what: str) -> None:
        """Raise an error where it cannot act on a rotor."""

    def _check_joint(self, model: "Model", what: str) -> None:
        """Raise an error where it cannot act on this joint: it acts on coordinates, of which some are quaternions."""
        facts = model.parts[self.joint].joint.facts
        if not facts.scalar_rates:
            self._check_quaternion(what)
        elif self.coordinate is not None:
            checks.known(self.coordinate, facts.coordinate_names, f'{what}: coordinate of joint "{self.joint}"')

    def _check_quaternion(self, what: str) -> None:
        """Raise an error where it cannot act on a joint that is described by a quaternion."""

    def _refuse_rotor(self, what: str) -> NoReturn:
        """Say why it cannot act on a rotor."""
        raise checks.ModelError(f'{what}: rotor "{self.joint}" has no angle, only a rate: give damping or a torque')

    def _refuse_quaternion(self, what: str) -> NoReturn:
        """Say why it cannot act on a quaternion."""
        raise checks.ModelError(
            f'{what}: the joint of "{self.joint}" is described by a quaternion: a JointSpring there is isotropic, '
            "without coordinate or rest, and a JointStop is not possible"
        )

    def _coordinates(self, joint: Any) -> Iterator[dict[str, int]]:
        """Column and coordinate of each coordinate that it acts on, as integers of a row; `joint` is of the plan's index."""
        for name in (self.coordinate,) if self.coordinate else joint.coordinate_names:
            k = joint.coordinate_names.index(name)
            yield {"FORCE_COLUMN": joint.u0 + k, "FORCE_COORDINATE": joint.q0 + k}

    def is_internal(self, roots: Collection[str]) -> bool:
        """Whether its joint is none of the roots: it acts between the two bodies of the joint."""
        return self.joint not in roots
