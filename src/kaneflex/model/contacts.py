"""Contacts: collisions of a point with a plane, and what comes after."""

from dataclasses import dataclass

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import Name, typed

AFTER = ("bounce", "slide", "stick")


@typed
@dataclass(frozen=True)
class Contact:
    """Collision of the origin of frame `point` with the plane z = 0 of frame `on`, which may move; z is the outward normal.

    A collision is found by itself and takes no time. The normal velocity is reversed and multiplied by the restitution
    (Newton's hypothesis); friction is Coulomb's: slip, sticking when slip ends and friction suffices, else slip on. So it is
    while a point stays on its plane.

    Args:
        point: "body.frame" or "body".
        on: frame of the plane: "body.frame", "body" or "N".
        restitution: 0 (plastic) to 1 (elastic).
        friction: Coulomb's coefficient, of impulses and forces, the same for slip and sticking.
        after: "slide": after a plastic collision the point stays in the plane until it would be pulled, sliding against
            friction, or resting where friction suffices; "stick": it stays where it hit, whatever the friction (or slides,
            if the plane would have to pull to stop it), until it would be pulled; "bounce": it bounces until that lifts it
            by less than a nanometre, then it stays as with "slide".
        rest_speed: with "slide" and "stick", approach speed below which a collision is plastic and the point stays, m/s.
    """

    point: Name
    on: Name = "N"
    restitution: float = 0.0
    friction: float = 0.0
    after: str = "slide"
    rest_speed: float = 1e-2

    def __post_init__(self) -> None:
        e = checks.number(self.restitution, "restitution of a Contact")
        if not 0 <= e <= 1:
            raise ModelError(f"restitution of a Contact is {e:g}: give 0 (plastic) to 1 (elastic)")
        if checks.number(self.friction, "friction of a Contact") < 0:
            raise ModelError(f"friction of a Contact is {self.friction:g}: it must not be negative")
        checks.known(self.after, AFTER, "what comes after a Contact:")
        checks.positive(self.rest_speed, "rest_speed of a Contact")
        for place in (self.point, self.on):
            if not isinstance(place, str):
                raise ModelError(f'a Contact has the place {place!r}: give "body.frame", "body" or "N"')
        if self.point.partition(".")[0] == self.on.partition(".")[0]:
            raise ModelError(f'a Contact of "{self.point}" on "{self.on}" is within one body: name two bodies')
