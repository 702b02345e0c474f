"""What becomes of all that names a body which is removed during a run.

What acts on the body goes with it: loads, constraints, contacts, rotors and shapes; groups go on without it, and of a rod
the bodies and springs that are left, but not its name; a part goes as a whole. What only looks at it - functions of loads
and inputs, events, controllers, blocks - would have no value any more, and an input that something drives would have nothing
to act on: that is an error, which names them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kaneflex.model.checks import ModelError
from kaneflex.model.contacts import Contact
from kaneflex.model.forces import Load, RodElasticity, SlidingFriction
from kaneflex.model.model import GROUND, Model


def body_of(place: Any) -> str:
    """The body of a place or channel, "body" or "body.frame"; "N" for a place in the inertial frame."""
    return place.partition(".")[0] if isinstance(place, str) else GROUND


def branch(model: Model, name: str) -> list[str]:
    """A body and all that hang on it, directly or not, parents first."""
    found = {name: None}
    for part in model.parts.values():
        if part.parent in found:
            found[part.name] = None
    return list(found)


def remove_bodies(model: Model, bodies: Sequence[str]) -> list[str]:
    """Take bodies out of a model, with all that acts on them; names of what went along, the bodies not among them."""
    gone = set(bodies)
    parts = {name: x for name, x in model.installed.items() if x.on in gone or not gone.isdisjoint(x.bodies)}
    rotors = [name for name, (owner, _) in model.rotors.items() if owner in gone]
    gone |= set(rotors)
    contacts = [name for name, c in model.contacts.items() if not gone.isdisjoint(_bodies_of_contact(c))]
    lost: dict[str, list[str]] = {"parts": list(bodies), "frames": list(bodies), "rotors": rotors, "contacts": contacts}
    lost["loads"] = [
        name
        for name, load in model.loads.items()
        if not gone.isdisjoint(bodies_of_load(load)) or (isinstance(load, SlidingFriction) and load.contact in contacts)
    ]
    lost["inputs"] = [name for name, load in model.inputs.items() if not gone.isdisjoint(bodies_of_load(load))]
    lost["constraints"] = [
        name
        for name, c in model.constraints.items()
        if name in contacts or any(body_of(x) in gone for x in (*c.ends(), *c.channels(), *c.coordinates()))
    ]
    lost["rods"] = [name for name, rod in model.rods.items() if not gone.isdisjoint(rod.segments)]  # its bodies stay
    lost["shapes"] = [name for name in model.shapes if name in gone]
    lost["installed"] = list(parts)  # each as a whole, but for its bodies, which are among those that go
    for placed in parts.values():
        for table in ("loads", "inputs", "blocks", "constraints", "contacts", "rotors"):
            lost[table] = [*lost.get(table, ()), *placed.pieces.get(table, ())]
    shared = [name for name, load in model.loads.items() if hasattr(load, "bodies") or isinstance(load, RodElasticity)]
    fewer = {name: _without(model.loads[name], gone) for name in shared}
    lost["loads"] += [name for name, load in fewer.items() if load is None]
    for table, names in lost.items():
        if names or (table == "loads" and fewer):
            content = getattr(model, table).copy()
            content.update(fewer if table == "loads" else {})
            for name in names:
                content.pop(name, None)
            model.take_over(**{table: content})
    groups = {name: tuple(body for body in members if body not in gone) for name, members in model.groups.items()}
    lost["groups"] = [name for name, left in groups.items() if not left]
    if any(len(left) < len(model.groups[name]) for name, left in groups.items()):
        model.take_over(groups={name: left for name, left in groups.items() if left})
    tables = ("rotors", "loads", "inputs", "blocks", "constraints", "contacts", "groups", "rods", "installed")
    return list(dict.fromkeys(name for table in tables for name in lost.get(table, ())))


def _bodies_of_contact(contact: Contact) -> tuple[str, str]:
    return body_of(contact.point), body_of(contact.on)


def bodies_of_load(load: Any) -> list[str]:
    """Bodies, or rotors, that a load acts on; not those of a load with `bodies`, which acts on each for itself."""
    places = list(load.ends()) if isinstance(load, Load) else []
    places += [getattr(load, field) for field in ("at", "joint") if isinstance(getattr(load, field, None), str)]
    return [body_of(place) for place in places]


def _without(load: Any, gone: Iterable[str]) -> Any:
    """A load without the bodies that are gone; None where it has none left."""
    if isinstance(load, RodElasticity):
        kept = [k for k, name in enumerate(load.segments) if name not in set(gone)]
        segments = tuple(load.segments[k] for k in kept)
        modes = None if load.modes is None else load.modes[kept]
        return replace(load, segments=segments, stiffness=load.stiffness[kept], modes=modes) if kept else None
    if load.bodies is None or set(gone).isdisjoint(load.bodies):
        return load
    left = tuple(body for body in load.bodies if body not in gone)
    return replace(load, bodies=left) if left else None


def check_seen(model: Model, removed: Iterable[str], driven: Mapping[str, Any]) -> None:
    """Raise an error where something that stays looks at, or drives, something that was removed.

    Args:
        model: as it is from now on.
        removed: names of bodies, rotors, inputs, loads, constraints and blocks that it has no more.
        driven: inputs, controllers and events of the run.
    """
    gone = set(removed)
    if not gone:
        return
    seers = [(f'load "{name}"', getattr(x, "sees", ())) for name, x in model.loads.items()]
    seers += [(f'block "{name}"', x.sees) for name, x in model.blocks.items()]
    seers += [(f'event "{x.name}"', x.sees) for x in driven["events"]]
    seers += [(f"controller {k + 1}", x.sees) for k, x in enumerate(driven["controllers"])]
    seers += [(f'the function of input "{name}"', x[1]) for name, x in driven["inputs"].items() if isinstance(x, tuple)]
    for who, sees in seers:
        for channel in sees:
            if body_of(channel) in gone:
                raise ModelError(
                    f'"{body_of(channel)}" is removed, but {who} sees "{channel}": let it see what stays, or stop the run '
                    "there (terminal=True) and extend it with others"
                )
    drivers = [(f'block "{name}"', x.drives) for name, x in model.blocks.items()]
    drivers += [(f"controller {k + 1}", x.drives) for k, x in enumerate(driven["controllers"])]
    drivers += [("a function in inputs=", list(driven["inputs"]))]
    for who, drives in drivers:
        for name in drives:
            if name in gone:
                raise ModelError(
                    f'input "{name}" goes with what it acts on, but {who} drives it: keep the body, or stop the run there '
                    "(terminal=True) and extend it with other inputs and controllers"
                )


__all__ = ["bodies_of_load", "body_of", "branch", "check_seen", "remove_bodies"]
