"""What every part is: a frozen declaration that installs bodies, rotors, loads, inputs and blocks under one name.

A part is a dataclass of `PartBase`. Its method `install` adds the pieces by the `Site` that it is given, which names them:
a piece is called as the part is, or by that name and a word, "wheel_motor". What the part tells of itself are the outputs
and states of a block that is called as it is: "wheel.torque", "wheel.power". What it is told is an input of that name, made
by `Site.command`: its value is the channel "wheel". A piece's functions are blocks (or loads of constants), since files hold
no functions; a block that only this part uses is declared in the same file.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.blocks.contract import BlockBase
from kaneflex.model.bodies import BodyBase, Rotor
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import ConstraintBase
from kaneflex.model.entries import CHECKS
from kaneflex.model.forces import Load, Torque
from kaneflex.model.frames import GROUND, Frame, NodeFrame
from kaneflex.model.joints import Joint

if TYPE_CHECKING:
    from kaneflex.model.model import Model


SUPPLY = "supply"  # word of the input by which a tank feeds a part: 1, or 0 once it is empty


@dataclass(frozen=True)
class PartBase(ABC):
    """A part, as all of the package sees it. Subclasses are frozen dataclasses that check their numbers in `_check`."""

    def __post_init__(self) -> None:
        self._check()

    def _check(self) -> None:  # noqa: B027
        """Refuse values that make no sense, by their names."""

    @abstractmethod
    def install(self, site: "Site") -> None:
        """Add the pieces to the system; bodies and rotors come first."""

    def describe(self) -> str:
        """What a description of the system says of it, in few words."""
        return ""


def shared(part: PartBase, block: type[BlockBase]) -> dict[str, Any]:
    """Values of a part's fields that a block of its own has by the same names."""
    return {f.name: getattr(part, f.name) for f in fields(block) if hasattr(part, f.name)}


class Site:
    """Where a part is installed: adds its pieces, under names of its own.

    Each method takes the word that stands behind the part's name, "" for that name alone, and gives the name of the piece.

    Attributes:
        model: the system.
        name: of the part.
        body: that it is on, "N" for none.
        frame: where on the body; the part's own axes are those of the frame.
        what: the part in messages.
        pieces: names of what it has added, by table.
    """

    def __init__(self, model: "Model", name: str, body: str, frame: Frame):
        self.model, self.name, self.body, self.frame = model, name, body, frame
        self.what = f'part "{name}"'
        self.pieces: dict[str, list[str]] = {}

    @property
    def place(self) -> str:
        """The part's place, "body" or "body.frame": a frame of the part's name is added to the body where it needs one."""
        if self.body == GROUND:
            raise ModelError(f"{self.what} is on N: give on=, a body")
        plain = not isinstance(self.frame, NodeFrame) and not any(self.frame.position) and self.frame.rotation is None
        if plain:
            return self.body
        frames = self.model.frames[self.body]
        known = next((n for n, f in frames.items() if f == self.frame), None)
        if known is not None:
            return f"{self.body}.{known}"
        if isinstance(self.frame, NodeFrame):
            raise ModelError(f'{self.what} is at a node of "{self.body}" that has no name there: give at= by its name')
        return self.model.add_frame(self.body, self.name, self.frame)

    def axis(self, own: Any) -> tuple[float, float, float]:
        """A direction in the part's own axes, in axes of the body."""
        x, y, z = (self.frame.R @ np.array(own, float)).tolist()
        return x, y, z

    def named(self, word: str) -> str:
        """The name of a piece."""
        return f"{self.name}_{word}" if word else self.name

    def _note(self, table: str, word: str) -> str:
        name = self.named(word)
        if name in self.pieces.get(table, ()):
            raise ModelError(f'{self.what} adds two {table} "{name}": give them different words')
        if not any(name in names for names in self.pieces.values()):
            self.model._new_name(name)
        self.pieces.setdefault(table, []).append(name)
        return name

    def add(self, word: str, body: BodyBase, joint: Joint | None = None, *, parent: str | None = None, **more: Any) -> str:
        """Add a body on a joint at the part's place, or on another body of the part; arguments as for `System.add`."""
        name = self._note("parts", word)
        at = more.pop("at", self.frame if parent is None else None)
        if joint is not None and joint.facts.coordinates and joint.motion is None:
            more.setdefault("q", joint.facts.neutral)
        self.model.add(name, body, joint, self.body if parent is None else parent, at, **more)
        return name

    def add_rotor(self, word: str, rotor: Rotor, body: str | None = None) -> str:
        """Add a rotor to the body that the part is on, or to another; its axis is in that body's axes."""
        name = self._note("rotors", word)
        return self.model.add_rotor(name, self.body if body is None else body, rotor)

    def _put(self, table: str, word: str, value: Any) -> str:
        name = self._note(table, word)
        CHECKS[table](self.model, name, value)
        getattr(self.model, table).put(name, value)
        return name

    def apply(self, word: str, load: Load) -> str:
        """Apply a load."""
        return self._put("loads", word, load)

    def add_input(self, word: str, load: Load) -> str:
        """Add an input, mostly one that a block of the part drives."""
        return self._put("inputs", word, load)

    def command(self, word: str = "", unit: str = "") -> str:
        """Add an input that does nothing by itself: blocks of the part see its value by its name.

        Args:
            word: behind the part's name.
            unit: of the value.
        """
        body = self.body if self.body != GROUND else self.pieces["parts"][0]
        name = self.add_input(word, Torque(body, (0.0, 0.0, 0.0)))
        self.pieces.setdefault("commands", []).append(name)
        return self.unit(name, unit) if unit else name

    def supply(self) -> str:
        """Add the input by which a tank feeds the part; its value is 0 where none does."""
        body = self.body if self.body != GROUND else self.pieces["parts"][0]
        return self.add_input(SUPPLY, Torque(body, (0.0, 0.0, 0.0)))

    def add_block(self, word: str, block: BlockBase) -> str:
        """Add a block."""
        return self._put("blocks", word, block)

    def constrain(self, word: str, constraint: ConstraintBase) -> str:
        """Add a constraint."""
        name = self._put("constraints", word, constraint)
        for place in constraint.ends():
            if isinstance(place, str):
                self.model._loaded(*self.model.locate(place, self.what))
        return name

    def contact(self, word: str, contact: Any) -> str:
        """Add a contact."""
        return self._put("contacts", word, contact)

    def part(self, word: str, part: PartBase, frame: Frame | None = None) -> str:
        """Install another part as a piece of this one, at a frame of the same body; its commands are for blocks to drive.

        Args:
            word: behind the part's name.
            part: the other.
            frame: where on the body; None for the same place.
        """
        site = Site(self.model, self.named(word), self.body, self.frame if frame is None else frame)
        site.pieces = self.pieces
        part.install(site)
        return site.name

    def within(self, frame: Frame) -> Frame:
        """A frame that is given in the part's own axes, on the body."""
        return Frame.of(self.frame.R @ frame.R, self.frame.p + self.frame.R @ frame.p)

    def unit(self, channel: str, unit: str) -> str:
        """Say the unit of a channel; gives the channel."""
        self.pieces.setdefault("units", []).append(channel)
        self.model.units.put(channel, unit)
        return channel


__all__ = ["SUPPLY", "PartBase", "Site", "shared"]
