"""Places on rods, "rod.point", and lists of names with rods among them, in terms of the rods' segments."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from kaneflex.model.checks import ModelError
from kaneflex.model.rods.placed import PlacedRod

Rods = Mapping[str, PlacedRod]


def on_segment(rods: Rods, place: str, what: str) -> str:
    """A place on a rod as the place on its segment; any other place as it is. `what` says in an error who asks."""
    head, _, tail = place.partition(".")
    if head not in rods:
        return place
    if not tail:
        points = ", ".join(f'"{head}.{point}"' for point in rods[head].points)
        raise ModelError(f'{what}: "{head}" is a rod: name a point of it, {points}, or add one by add_point')
    return rods[head].frame_of(tail, f'{what}: point of rod "{head}"')


def with_segments(rods: Rods, value: Any) -> Any:
    """A declaration with segments in the place of rods: of its places, of its channels that are of a point, and, where it
    lists bodies, all segments of a rod."""
    if _are_names(value):
        return _names(rods, value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed: dict[str, Any] = {}
    for f in fields(value):
        own = getattr(value, f.name)
        if isinstance(own, str) and own.partition(".")[0] in rods:
            changed[f.name] = on_segment(rods, own, type(value).__name__)
        elif _are_names(own) and _names(rods, own) != tuple(own):
            changed[f.name] = _names(rods, own)
    return replace(value, **changed) if changed else value


def _are_names(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) > 0 and all(isinstance(x, str) for x in value)


def _names(rods: Rods, names: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        head, _, tail = name.partition(".")
        point, _, word = tail.partition(".")
        if head not in rods:
            found.append(name)
        elif not tail:
            found += rods[head].segments
        else:
            known = word and point in rods[head].points
            found.append(f"{rods[head].frame_of(point, head)}.{word}" if known else name)
    return tuple(found)


__all__ = ["on_segment", "with_segments"]
