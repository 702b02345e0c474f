"""The friction of a contact."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SlidingFriction:
    """The friction of a contact whose point slides; a run puts it on and off by itself.

    Args:
        contact: its name.
        angle: direction of the slip where it begins, rad from the first axis of the plane's frame towards the second; up to
            six coefficients by powers of t - since.
        since: s.
        until: s; up to then friction has the direction that `angle` says, which is that of the slip beforehand. None: it
            has the direction of the slip, and `angle` counts only where there is none.
    """

    contact: str
    angle: tuple[float, ...]
    since: float = 0.0
    until: float | None = None
