"""What a model keeps of one body."""

from dataclasses import dataclass

from kaneflex.model.bodies import BodyBase
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Joint


@dataclass(frozen=True)
class Part:
    """A body as it stands in a system: what it is, where it hangs, and how it starts."""

    name: str
    body: BodyBase
    joint: Joint
    parent: str
    at: Frame
    hinge: Frame
    q: tuple[float, ...] | None
    rates: tuple[float, ...] | None


__all__ = ["Part"]
