"""Parts in a system: installed and taken out as a whole, or not at all."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.frames import Frame
from kaneflex.model.parts.contract import PartBase, Site
from kaneflex.model.parts.placed import PlacedPart
from kaneflex.model.tables import TABLES, Settled

if TYPE_CHECKING:
    from kaneflex.model.model import Body, Model


def add_part(model: "Model", name: str, part: PartBase, on: "Body | str | None", at: Any) -> PlacedPart:
    """See `System.add_part`."""
    what = f'part "{name}"'
    model._new_name(name)
    if not isinstance(part, PartBase):
        raise ModelError(f"{what} is {checks.shown(part)}: give a part, e.g. one of kaneflex.parts")
    if isinstance(on, str) and "." in on and at is None:
        body, place = model.locate(on, what)
    else:
        body, place = model._place_on(on, at, name, what)
    with _all_or_nothing(model):
        placed = _installed(model, name, part, body, place)
    return placed


def _installed(model: "Model", name: str, part: PartBase, body: str, place: Frame) -> PlacedPart:
    site = Site(model, name, body, place)
    frames = dict(model.frames.get(body, {}))
    part.install(site)
    driven = {n for block in site.pieces.get("blocks", ()) for n in model.blocks[block].drives}
    pieces = {table: tuple(names) for table, names in site.pieces.items()}
    pieces |= {"commands": tuple(n for n in pieces["commands"] if n not in driven)} if "commands" in pieces else {}
    added = tuple(f"{body}.{n}" for n in model.frames.get(body, {}) if n not in frames)
    pieces |= {"frames": added} if added else {}
    placed = PlacedPart(part, body, place, pieces)
    model.installed.put(name, placed)
    return placed


def remove_part(model: "Model", name: str) -> None:
    """Take the pieces of a part out of a model, unless something else names them."""
    with _all_or_nothing(model):
        gone = _take_out(model, name)
        _check_names(model, gone, name)


def replace_part(model: "Model", name: str, part: Any) -> PlacedPart:
    """Put another part in the place of one that is there."""
    if name not in model.installed:
        raise ModelError(f'there is no part "{name}" to be replaced: {TABLES["installed"][1]}')
    old = model.installed[name]
    if not isinstance(part, PartBase):
        raise ModelError(f'part "{name}" is {checks.shown(part)}: give a part, e.g. one of kaneflex.parts')
    hanging = [x for x, p in model.parts.items() if p.parent in old.bodies and x not in old.bodies]
    if hanging:
        raise ModelError(f'part "{name}" carries body "{hanging[0]}": build the system anew for another part')
    with _all_or_nothing(model):
        gone = _take_out(model, name)
        placed = _installed(model, name, part, old.on, old.at)
        _check_names(model, gone - _heads(model), name)
    return placed


def _take_out(model: "Model", name: str) -> set[str]:
    """Remove the pieces; the names that are no more."""
    placed = model.installed[name]
    model.installed.take(name)
    for table, names in placed.pieces.items():
        for piece in names if table in TABLES else ():
            if table == "frames":
                left = dict(model.frames[placed.on])
                del left[piece.partition(".")[2]]
                model.frames.put(placed.on, Settled(left, TABLES["frames"][1]))
            else:
                getattr(model, table).take(piece)
    for body in placed.bodies:
        model.frames.take(body)
        model.shapes.take(body)
    for channel in [c for c in model.units if c.partition(".")[0] in placed.names]:
        model.units.take(channel)
    return {piece for table, names in placed.pieces.items() if table != "units" for piece in names}


def _heads(model: "Model") -> set[str]:
    """Names of all that is there, and of frames."""
    heads = {name for table in TABLES if table not in ("units", "shapes", "frames") for name in getattr(model, table)}
    return heads | {f"{body}.{frame}" for body, frames in model.frames.items() for frame in frames}


def _check_names(model: "Model", gone: set[str], name: str) -> None:
    """Refuse that names are no more which something else has."""
    for table, entry, value in _entries(model):
        lost = next((word for word in _words(value) if _first(word, gone)), None)
        if lost is not None:
            kind = TABLES[table][0]
            raise ModelError(f'part "{name}" cannot go: {kind} "{entry}" names "{lost}"; delete that first')


def _first(word: str, gone: set[str]) -> bool:
    head, _, tail = word.partition(".")
    return head in gone or f"{head}.{tail.partition('.')[0]}" in gone


def _entries(model: "Model") -> Iterator[tuple[str, str, Any]]:
    for table in ("parts", "rotors", "loads", "inputs", "blocks", "constraints", "contacts", "groups", "installed"):
        for entry, value in getattr(model, table).items():
            yield table, entry, value.on if table == "installed" else value.parent if table == "parts" else value


def _words(value: Any) -> Iterator[str]:
    """All texts in a declaration."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for x in value.values():
            yield from _words(x)
    elif isinstance(value, tuple | list):
        for x in value:
            yield from _words(x)
    elif is_dataclass(value) and not isinstance(value, type):
        for f in fields(value):
            yield from _words(getattr(value, f.name))


@contextmanager
def _all_or_nothing(model: "Model") -> Iterator[None]:
    """Give the model its tables back where something fails."""
    before = {table: getattr(model, table).copy() for table in TABLES}
    try:
        yield
    except BaseException:
        for table, content in before.items():
            getattr(model, table).reset(content)
        raise


__all__ = ["add_part", "remove_part", "replace_part"]
