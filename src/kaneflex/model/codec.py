"""A model as plain data and back: what a file can hold without holding code."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np

from kaneflex.model import (
    blocks,
    bodies,
    checks,
    constraints,
    contacts,
    forces,
    frames,
    joints,
    profiles,
    shapes,
    variable_mass,
)
from kaneflex.model.checks import ModelError
from kaneflex.model.frames import Frame
from kaneflex.model.model import GROUND, Model, Part

TYPES = {
    cls.__name__: cls
    for module in (blocks, bodies, constraints, contacts, forces, frames, profiles, shapes, variable_mass)
    for cls in vars(module).values()
    if isinstance(cls, type) and is_dataclass(cls)
}


# types that `structures` adds to the above when it is loaded
LATER = {"Flexible", "ModalBody", "NodeModes", "Resultants", "Skin"}


def encode(value: Any, where: str) -> Any:
    """Data of JSON's kinds; a function is replaced by a note of its name and text."""
    if hasattr(value, "as_stored"):
        value = value.as_stored()
    if is_dataclass(value) and not isinstance(value, type):
        content = {f.name: encode(getattr(value, f.name), f"{where}.{f.name}") for f in fields(value)}
        return {"type": type(value).__name__} | content
    if isinstance(value, np.ndarray):
        return {"array": value.ravel().tolist(), "shape": list(value.shape)}
    if isinstance(value, Mapping):
        return {"mapping": [[k, encode(v, f"{where}.{k}")] for k, v in value.items()]}
    if isinstance(value, tuple | list):
        return [encode(v, f"{where}[{k}]") for k, v in enumerate(value)]
    if callable(value):
        try:
            text = inspect.getsource(value)
        except (OSError, TypeError):
            text = repr(value)
        return {"function": where, "text": text}
    return value


def decode(data: Any, functions: Mapping[str, Callable[..., Any]]) -> Any:
    """The value again; functions are looked up by the place they had."""
    if isinstance(data, list):
        return tuple(decode(v, functions) for v in data)
    if not isinstance(data, dict):
        return data
    if "array" in data:
        return np.array(data["array"], float).reshape(data["shape"])
    if "mapping" in data:
        return {k: decode(v, functions) for k, v in data["mapping"]}
    if "function" in data and "type" not in data:
        return functions.get(data["function"], _missing(data["function"]))
    content = dict(data)
    kind = content.pop("type", None)
    if kind in LATER:
        import_module("kaneflex.structures.flexible")
    types = TYPES | joints.JOINTS | forces.LOADS
    if kind not in types:
        raise ModelError(f"{kind!r} is no type of a model's parts")
    return types[kind](**{k: decode(v, functions) for k, v in content.items()})


def _a(kind: type | tuple[type, ...], data: Any, functions: Mapping[str, Callable[..., Any]], what: str) -> Any:
    """The value again, which must be of a kind."""
    value = decode(data, functions)
    if not isinstance(value, kind):
        raise ModelError(f"{what} is {type(value).__name__}")
    return value


def _missing(where: str) -> Callable[..., Any]:
    def missing(t: float) -> Any:
        raise ModelError(f'the function "{where}" is not in the file: give it in functions={{"{where}": ...}} when loading')

    missing.is_missing = where  # type: ignore[attr-defined]
    return missing


def model_to_data(model: Model) -> dict[str, Any]:
    """The model as data."""
    own = {"base", "base_origin"} if model.base is not None else set()
    return {
        "name": model.name,
        "gravity": list(model.gravity),
        "base": encode(model.base, "base"),
        "parts": [
            {
                "name": p.name,
                "body": encode(p.body, p.name),
                "joint": encode(p.joint, p.name),
                "parent": p.parent,
                "at": encode(p.at, p.name),
                "hinge": encode(p.hinge, p.name),
                "q": p.q,
                "rates": p.rates,
                "frames": [[n, encode(f, n)] for n, f in model.frames[p.name].items()],
            }
            for p in model.parts.values()
            if p.name not in own
        ],
        "rotors": [[n, body, encode(r, n)] for n, (body, r) in model.rotors.items()],
        "loads": [[n, encode(x, n)] for n, x in model.loads.items()],
        "inputs": [[n, encode(x, n)] for n, x in model.inputs.items()],
        "blocks": [[n, encode(x, n)] for n, x in model.blocks.items()],
        "constraints": [[n, encode(x, n)] for n, x in model.constraints.items()],
        "contacts": [[n, encode(x, n)] for n, x in model.contacts.items()],
        "groups": [[n, list(x)] for n, x in model.groups.items()],
        "units": [[n, x] for n, x in model.units.items()],
        "shapes": [[n, encode(x, n)] for n, x in model.shapes.items()],
    }


def model_from_data(data: dict[str, Any], functions: Mapping[str, Callable[..., Any]], make: Any = Model) -> Any:
    """The model again; `make` is Model or a subclass. Names and kinds are checked as those that a user gives."""
    model = make(data["name"], gravity=data["gravity"], base=decode(data["base"], functions))
    parts, places = dict(model.parts), dict(model.frames)
    for p in data["parts"]:
        part = _part(p, parts, functions)
        if part.name in parts:
            raise ModelError(f'there are two bodies "{part.name}"')
        parts[part.name], places[part.name] = part, _table(p["frames"], Frame, functions)
    rotors = {}
    for name, owner, rotor in data["rotors"]:
        checks.known(owner, parts, f'body of rotor "{name}":')
        rotors[checks.name(name, "name")] = (owner, _a(bodies.Rotor, rotor, functions, f'"{name}"'))
    drawn = {}
    for name, found in data.get("shapes", ()):
        checks.known(name, [GROUND, *parts], "body to show:")
        drawn[name] = tuple(_a(shapes.Shape, x, functions, f'a shape of "{name}"') for x in found)
    loads = (forces.Load, forces.SlidingFriction)
    model.take_over(
        parts=parts,
        frames=places,
        rotors=rotors,
        loads=_table(data["loads"], loads, functions),
        inputs=_table(data["inputs"], loads, functions),
        blocks=_table(data.get("blocks", ()), blocks.BlockBase, functions),
        constraints=_table(data.get("constraints", ()), constraints.ConstraintBase, functions),
        contacts=_table(data.get("contacts", ()), contacts.Contact, functions),
        groups={checks.name(n, "name"): _members(n, x, parts) for n, x in data.get("groups", ())},
        units={_text(n): _text(x) for n, x in data.get("units", ())},
        shapes=drawn,
    )
    return model


def _part(p: dict[str, Any], parts: Mapping[str, Part], functions: Mapping[str, Callable[..., Any]]) -> Part:
    name = checks.name(p["name"], "name of a body")
    what, joint = f'body "{name}"', _a(joints.Joint, p["joint"], functions, f'joint of "{name}"')
    values = {}
    for key, count in (("q", joint.facts.coordinates), ("rates", joint.facts.speeds)):
        given = p[key]
        values[key] = None if given is None else tuple(map(float, checks.array(given, (count,), f"{what}: {key}")))
    return Part(
        name,
        _a(bodies.BodyBase, p["body"], functions, what),
        joint,
        p["parent"] if p["parent"] == GROUND else checks.known(p["parent"], parts, f"parent of {what}:"),
        _a(Frame, p["at"], functions, f"{what}: at"),
        _a(Frame, p["hinge"], functions, f"{what}: hinge"),
        values["q"],
        values["rates"],
    )


def _members(group: str, bodies: Any, parts: Mapping[str, Part]) -> tuple[str, ...]:
    """Bodies of a group, each of which must be there."""
    found = checks.names(bodies, f'bodies of group "{group}"')
    return tuple(checks.known(body, parts, f'group "{group}": body') for body in found)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ModelError(f"{checks.shown(value)} is no text")
    return value


def _table(rows: Any, kind: Any, functions: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """Pairs of names and values, each of a kind."""
    found = {}
    for name, data in rows:
        value = found[name] = _a(kind, data, functions, f'"{name}"')
        own = name.removesuffix(".friction") if isinstance(value, forces.SlidingFriction) else name
        checks.name(own, "name")
    return found
