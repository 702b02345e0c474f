"""A part as it stands in a system: what it is, where, and the entries that it is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kaneflex.model.frames import Frame
from kaneflex.model.tables import Settled


@dataclass(frozen=True)
class PlacedPart:
    """A part of a system, `system.installed["wheel"]`.

    Args:
        part: what it is.
        on: body that it is on, "N" for none.
        at: where on the body.
        pieces: names of its entries by table of the system: "parts" (bodies), "rotors", "loads", "inputs", "blocks", ...;
            inputs by which it is told something are among "commands" too.
    """

    part: Any
    on: str
    at: Frame
    pieces: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "pieces", Settled(self.pieces, "change or delete the part as a whole"))

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of its bodies, the first one added first."""
        return tuple(self.pieces.get("parts", ()))

    @property
    def names(self) -> set[str]:
        """Names of all its entries."""
        return {name for table, names in self.pieces.items() if table not in ("units", "frames") for name in names}

    def describe(self) -> str:
        """What a description of the system says of it."""
        more = self.part.describe()
        return f"{type(self.part).__name__} on {self.on}" + (f", {more}" if more else "")


Installed = Mapping[str, PlacedPart]


def inner_names(installed: Installed) -> set[str]:
    """Entries of parts that lists leave out: all but those that are called as their part is, and its commands."""
    inner = ({*placed.names} - {name, *placed.pieces.get("commands", ())} for name, placed in installed.items())
    return {piece for pieces in inner for piece in pieces}


def owner_of(installed: Installed, table: str, piece: str) -> str | None:
    """The part that an entry of a table belongs to; None where it is no part's."""
    return next((name for name, placed in installed.items() if piece in placed.pieces.get(table, ())), None)


__all__ = ["Installed", "PlacedPart", "inner_names", "owner_of"]
