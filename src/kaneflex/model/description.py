"""A system in plain words."""

from collections.abc import Iterator, Mapping
from typing import Any

from kaneflex.model.frames import Frame
from kaneflex.model.joints.contract import speed_names
from kaneflex.model.model import Model, Part


def describe(model: Model) -> str:
    """The tree of a system, joint by joint with its freedoms, frames and rotors, then parts, loads, groups and blocks."""
    lines = [_head(model), *_tree(model)]
    lines += [f"  {name}: {placed.describe()}" for name, placed in model.installed.items()]
    told = {*model.rods, *model.installed}.union(*(placed.names for placed in model.installed.values()))
    segments = {name: rod for rod, placed in model.rods.items() for name in placed.segments}
    kinds: dict[str, Mapping[str, Any]] = {"load": model.loads, "input": model.inputs}
    kinds |= {"constraint": model.constraints, "contact": model.contacts}
    for kind, table in kinds.items():
        lines += [f"  {name}: {kind}, {_named(entry, segments)}" for name, entry in table.items() if name not in told]
    for name, bodies in model.groups.items():
        members = dict.fromkeys(segments.get(body, body) for body in bodies)
        lines.append(f"  {name}: group of {', '.join(members)}")
    for name, block in model.blocks.items():
        if name not in told:
            states, drives = ", ".join(block.state_names) or "none", ", ".join(block.drives) or "nothing"
            lines.append(f"  {name}: {type(block).__name__} block, states {states}, drives {drives}")
    return "\n".join(lines)


def _head(model: Model) -> str:
    """What there is of each kind, and the speeds."""
    segments = {name for placed in model.rods.values() for name in placed.segments}
    installed = {body for placed in model.installed.values() for body in placed.bodies}
    counts = {"bodies": len(model.parts) - len(segments) - len(installed)}
    counts |= {"rods": len(model.rods), "parts": len(model.installed), "rotors": len(model.rotors)}
    some = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count or kind == "bodies")
    speeds = sum(_speeds(part) for part in model.parts.values()) + len(model.rotors)
    ties = f", {len(model.constraints)} constraints" if model.constraints else ""
    return f"{model.name}: {some}, {speeds} speeds{ties}, gravity {model.gravity} m/s^2"


def _speeds(part: Part) -> int:
    """Speeds of a body that are integrated: of its joint, less those that follow motions, and of its modes."""
    driven = len(part.joint.motions(part.name))
    return part.joint.facts.speeds - driven + len(getattr(getattr(part.body, "modal", None), "stiffness", ()))


def _tree(model: Model) -> Iterator[str]:
    """A line for every body and rod, those that hang on it further in."""
    segments = {name: rod for rod, placed in model.rods.items() for name in placed.segments}
    installed = {body for placed in model.installed.values() for body in placed.bodies}
    carried: dict[str, list[str]] = {}
    told = {name for placed in model.installed.values() for name in placed.names}
    for name, (owner, rotor) in ((n, r) for n, r in model.rotors.items() if n not in told):
        axis = ", ".join(f"{x:g}" for x in rotor.axis)
        carried.setdefault(owner, []).append(f"{name}: rotor about ({axis}), {rotor.inertia:g} kg m^2, {rotor.rate:g} rad/s")
    depth = {"N": 0}
    for part in model.parts.values():
        rod = segments.get(part.name)
        first = rod is None or model.rods[rod].segments[0] == part.name
        depth[part.name] = depth[part.parent] + first
        indent, on = "  " * min(depth[part.name], 20), segments.get(part.parent, part.parent)
        if rod is not None:
            placed = model.rods[rod]
            if first:
                mass = sum(model.parts[name].body.mass_properties()[0] for name in placed.segments)
                yield f"{indent}{rod}: {type(placed.rod).__name__} on {on}, {mass:g} kg, {placed.describe()}"
        elif part.name not in installed:
            mass, when = part.body.mass_properties()[0], " at t = 0" if part.body.facts.outputs else ""
            yield f"{indent}{part.name}: {type(part.joint).__name__} on {on}, {mass:g} kg{when}{_freedoms(part)}"
            more = [*part.body.describe().splitlines(), *_frames(model, part.name), *carried.get(part.name, ())]
            yield from (f"{indent}  {line}" for line in more)


def _freedoms(part: Part) -> str:
    """What the speeds of a joint are called, and which of them follow motions."""
    driven = part.joint.motions(part.name)
    free = [name for name in speed_names(part.joint) if name not in driven]
    return (f", free: {', '.join(free)}" if free else "") + (f", driven: {', '.join(driven)}" if driven else "")


def _frames(model: Model, body: str) -> list[str]:
    """The frames of a body in one line, if it has any."""
    names = [name for name in model.frames[body] if not any(name.startswith(part) for part in model.installed)]
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return [f"frames {', '.join(names[:12])}{more}"] if names else []


def _named(entry: Any, segments: Mapping[str, str]) -> str:
    """A load or constraint by its kind and the places, joints or bodies that it names."""
    places = entry.ends() if hasattr(entry, "ends") else ()
    found = [place if isinstance(place, str) else "N" for place in places if isinstance(place, str | Frame | tuple)]
    if not found:
        named = (getattr(entry, key, None) for key in ("joint", "at", "point", "on", "body"))
        found = [place for place in named if isinstance(place, str)]
    found = [segments.get(place.partition(".")[0], place) for place in found]
    return type(entry).__name__ + (f" on {' and '.join(dict.fromkeys(found))}" if found else "")


__all__ = ["describe"]
