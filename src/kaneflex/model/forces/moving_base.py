"""A base that is moved."""

from dataclasses import dataclass
from typing import Any

from kaneflex.model import checks
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class MovingBase:
    """A base with prescribed acceleration that carries the bodies attached to nothing else.

    Args:
        acceleration: of the base's origin in N, inertial axes, m/s^2: three numbers or a function of t.
        angular_acceleration: in base axes, rad/s^2: three numbers or a function of t; None for a base that does not turn.
        velocity, angular_velocity: at the start, inertial axes and base axes.
    """

    acceleration: Any = (0.0, 0.0, 0.0)
    angular_acceleration: Any = None
    velocity: Any = (0.0, 0.0, 0.0)
    angular_velocity: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for field in ("acceleration", "angular_acceleration"):
            value = getattr(self, field)
            given = checks.is_function(value) or (value is None and field == "angular_acceleration")
            if not given:
                object.__setattr__(self, field, checks.vector(value, field.replace("_", " ") + " of the base"))
        for field in ("velocity", "angular_velocity"):
            object.__setattr__(self, field, checks.vector(getattr(self, field), field.replace("_", " ") + " of the base"))
