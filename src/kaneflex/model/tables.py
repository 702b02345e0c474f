"""Dictionaries of a model: they let it check and count every change of theirs, or refuse it."""

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, NoReturn, Protocol, TypeVar

from kaneflex.model.checks import ModelError
from kaneflex.model.said import records

V = TypeVar("V")

TABLES = {  # what each holds, and how it is changed
    "parts": ("body", "bodies come by add(...); one that is there stays as it is: build the system anew for another"),
    "frames": ("frame", 'frames come with the body or by add_frame("body", "name", Frame(...)), and stay as they are'),
    "rotors": ("rotor", "rotors come by add_rotor(...), and stay as they are"),
    "loads": ("load", 'loads come by apply(...), go by del system.loads["name"]'),
    "inputs": ("input", 'inputs come by add_input(...), go by del system.inputs["name"]'),
    "blocks": ("block", 'blocks come by add_block(...), go by del system.blocks["name"]'),
    "constraints": ("constraint", 'constraints come by constrain(...) or close(...), go by del system.constraints["name"]'),
    "contacts": ("contact", 'contacts come by contact(...), go by del system.contacts["name"]'),
    "groups": ("group", 'groups come by group(...), go by del system.groups["name"]'),
    "units": ("unit", 'units come by set_unit(...), go by del system.units["channel"]'),
    "rods": ("rod", "rods come by add_rod(...), and stay as they are"),
    "installed": ("part", 'parts come by add_part(...), go by del system.installed["name"]'),
    "shapes": ("shape", 'shapes come by show(...), go by del system.shapes["body"]'),
}
STAYING = ("parts", "frames", "rotors", "rods")  # tables that only grow: other entries refer to theirs


class Owner(Protocol):
    """What a table asks the model it belongs to."""

    def _check_entry(self, table: str, name: str, value: Any) -> Any:
        """The entry as the table keeps it; an error where it may not have it."""

    def _check_removal(self, table: str, name: str) -> None:
        """Raise an error where the table may not lose this entry; take out what goes with it."""

    def changed(self) -> None:
        """Take note of a change that is about to be made, or refuse it."""


class Settled(dict[str, V]):
    """A dictionary that says how it came about instead of being changed.

    Args:
        content: its entries.
        advice: what to do instead, for the error.
    """

    def __init__(self, content: Mapping[str, V], advice: str = "make a new one"):
        super().__init__(content)
        self.advice = advice

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ModelError(f"this dictionary cannot be changed: {self.advice}")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> Any:
        return type(self), (dict(self), self.advice)


class Table(MutableMapping[str, V]):
    """One of a model's tables, entries by name.

    Args:
        owner: the model, which is asked before every change and told of it.
        kind: which of its tables this is.
        content: entries it begins with, unchecked.
    """

    def __init__(self, owner: Owner, kind: str, content: Mapping[str, V] | None = None):
        self._owner, self._kind = owner, kind
        self._content: dict[str, V] = dict(content._content if isinstance(content, Table) else content or {})

    def __getitem__(self, name: str) -> V:
        return self._content[name]

    def __contains__(self, name: object) -> bool:
        return name in self._content

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __setitem__(self, name: str, value: V) -> None:
        with records(self._owner, "__setitem__", (name, value), {}, self._kind) as ((_, given), _):
            entry = self._owner._check_entry(self._kind, name, given)
            self._owner.changed()
            self._content[name] = entry

    def __delitem__(self, name: str) -> None:
        if name not in self._content:
            raise KeyError(name)
        with records(self._owner, "__delitem__", (name,), {}, self._kind):
            self._owner._check_removal(self._kind, name)
            self.take(name)

    def put(self, name: str, value: V) -> None:
        """Set an entry that has been checked."""
        self._owner.changed()
        self._content[name] = value

    def take(self, name: str) -> None:
        """Remove an entry, if it is there still, that has been checked."""
        self._owner.changed()
        self._content.pop(name, None)

    def reset(self, content: Mapping[str, V]) -> None:
        """Put these entries, which have been checked, in the place of all."""
        self._owner.changed()
        self._content = dict(content)

    def __or__(self, other: Mapping[str, V]) -> dict[str, V]:
        return {**self._content, **other}

    def __ror__(self, other: Mapping[str, V]) -> dict[str, V]:
        return {**other, **self._content}

    def copy(self) -> dict[str, V]:
        """The entries as a plain dictionary."""
        return dict(self._content)

    __copy__ = copy

    def __repr__(self) -> str:
        return repr(self._content)


__all__ = ["STAYING", "TABLES", "Owner", "Settled", "Table"]
