"""A model as plain data and back: what a file can hold without holding code."""

import copy
import inspect
import json
import pickle
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
    drained,
    forces,
    frames,
    joints,
    media,
    orbits,
    parts,
    profiles,
    shapes,
    variable_mass,
)
from kaneflex.model.checks import ModelError
from kaneflex.model.frames import Frame
from kaneflex.model.model import GROUND, Model
from kaneflex.model.parameters import Expression, Parameter
from kaneflex.model.part import Part
from kaneflex.model.parts.placed import PlacedPart
from kaneflex.model.recipes import holds, parameters_in, recipe_of
from kaneflex.model.rods.feed import Feed
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.rods.reel import FedRod, Reel, Store
from kaneflex.model.rods.rod import Cable, Rod
from kaneflex.model.said import SAYING, Remembering, Step
from kaneflex.model.tables import TABLES

TYPES = {
    cls.__name__: cls
    for module in (
        *(blocks, bodies, constraints, contacts, drained, forces),
        *(frames, media, orbits, profiles, shapes, variable_mass),
    )
    for cls in vars(module).values()
    if isinstance(cls, type) and is_dataclass(cls)
} | {cls.__name__: cls for cls in (Rod, Cable, PlacedRod, PlacedPart, Feed, Reel, FedRod, Store)}


#: tables
STORED = (
    *("parts", "rotors", "loads", "inputs", "blocks", "constraints"),
    *("contacts", "groups", "rods", "installed", "units", "shapes"),
)
_LOADS = (forces.Load, forces.SlidingFriction)
KINDS = {
    "loads": _LOADS,
    "inputs": _LOADS,
    "blocks": blocks.BlockBase,
    "constraints": constraints.ConstraintBase,
    "contacts": contacts.Contact,
    "rods": PlacedRod,
    "installed": PlacedPart,
}


STICKING = ("sticking ", "held ")  # and a contact: frame where its point sticks, on the body of its plane; the last is older


# types that `structures` adds to the above when it is loaded
LATER = dict.fromkeys(
    ("Flexible", "ModalBody", "ModalRecovery", "NodeModes", "Resultants", "Skin"), "kaneflex.structures.flexible"
)
LATER |= {name: f"kaneflex.structures.{name.lower()}" for name in ("Beam", "Mast", "Plate", "Reflector", "Section", "Solid")}
LATER |= dict.fromkeys(("StrainRod", "ArcSeries"), "kaneflex.structures.strain_rod")


class NotStored(ModelError):
    """Something made of parameters that a file cannot hold but as numbers."""


def encode(value: Any, where: str, functions: dict[str, Any] | None = None, said: bool = False) -> Any:
    """Data of JSON's kinds; a function is replaced by a note of its name and text.

    Args:
        value: what is to be stored.
        where: its place, by which functions are known.
        functions: takes the functions, by their places.
        said: True to keep expressions, by what constructors were given; else all is numbers.
    """
    if said and recipe_of(value) is not None:
        return _encode_made(value, where, functions)
    if hasattr(value, "as_stored"):
        value = value.as_stored()
    if isinstance(value, Parameter):
        return {"parameter": [value.name, value.value, value.low, value.high, value.unit]}
    if isinstance(value, Expression):
        return {"expression": value.function, "of": [encode(a, where) for a in value.arguments]}
    if is_dataclass(value) and not isinstance(value, type):
        content = {f.name: encode(getattr(value, f.name), f"{where}.{f.name}", functions, said) for f in fields(value)}
        return {"type": type(value).__name__} | content
    if isinstance(value, np.ndarray) and value.dtype == object:
        return encode(value.tolist(), where, functions, said)
    if isinstance(value, np.ndarray):
        return {"array": value.ravel().tolist(), "shape": list(value.shape)}
    if isinstance(value, Mapping):
        return {"mapping": [[k, encode(v, f"{where}.{k}", functions, said)] for k, v in value.items()]}
    if isinstance(value, tuple | list):
        return [encode(v, f"{where}[{k}]", functions, said) for k, v in enumerate(value)]
    if callable(value):
        if functions is not None:
            functions[where] = value
        try:
            text = inspect.getsource(value)
        except (OSError, TypeError):
            text = repr(value)
        if said and holds(value):
            raise NotStored(f'a function of "{where}", which refers to {", ".join(parameters_in(value))}')
        return {"function": where, "text": text}
    if said and not isinstance(value, str | int | float | type(None)):
        raise NotStored(f'the {type(value).__name__} of "{where}"')
    return value


def _encode_made(value: Any, where: str, functions: dict[str, Any] | None) -> Any:
    """A declaration that was made of parameters: by what its constructor was given."""
    recipe = recipe_of(value)
    assert recipe is not None
    if not isinstance(recipe.make, type) or recipe.make.__name__ not in {*_types(), *LATER}:
        raise NotStored(f'the {type(value).__name__} of "{where}"')
    given = inspect.signature(recipe.make).bind(*recipe.arguments, **recipe.words).arguments
    return {"type": recipe.make.__name__} | {k: encode(v, f"{where}.{k}", functions, True) for k, v in given.items()}


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
    if "parameter" in data:
        return Parameter(*data["parameter"])
    if "expression" in data:
        return Expression(data["expression"], *(decode(a, functions) for a in data["of"]))
    content = dict(data)
    kind = content.pop("type", None)
    made = getattr(import_module(LATER[kind]), kind, None) if kind in LATER else _types().get(kind)
    if made is None:
        raise ModelError(f"{kind!r} is no type of a model's parts")
    return made(**{k: decode(v, functions) for k, v in content.items()})


def _types() -> dict[str, Any]:
    """What parts of a model may be in files, by the names of their types."""
    return TYPES | joints.JOINTS | forces.LOADS | parts.PARTS | parts.BROUGHT


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


def model_to_data(model: Model, functions: dict[str, Any] | None = None) -> dict[str, Any]:
    """The model as data; one with parameters is the model before these and what was said from then on. Its functions, which
    data do not hold, are put into `functions` by their places."""
    if model.steps:
        try:
            return model_to_data(model.before, functions) | {"said": [_step(step, functions) for step in model.steps]}
        except NotStored as e:
            names = ", ".join(model.parameters)
            checks.warn(f"the file has the parameters {names} as numbers only: it cannot hold {e}")
    own = {"base", "base_origin"} if model.base is not None else set()
    return {
        "name": model.name,
        "gravity": list(model.gravity),
        "base": encode(model.base, "base", functions),
        **{table: [_entry(model, table, n, functions) for n in getattr(model, table) if n not in own] for table in STORED},
    }


def _step(step: Step, functions: dict[str, Any] | None) -> list[Any]:
    """A step as data; functions are known by places that begin with the name of what was said."""
    arguments, words = step.given
    name = str(arguments[0] if arguments else words.get("name", ""))
    kept = lambda value: encode(value, name, functions, True)
    return [step.table, step.method, [[kept(v) for v in arguments], {k: kept(v) for k, v in words.items()}]]


def _entry(model: Model, table: str, name: str, functions: dict[str, Any] | None = None) -> Any:
    """An entry of a model's table as data; frames are with the body that they are on."""
    value: Any = getattr(model, table)[name]
    if table == "rotors":
        return [name, value[0], encode(value[1], name, functions)]
    if table != "parts":
        return [name, encode(value, name, functions)]
    return {
        "name": name,
        "body": encode(value.body, name, functions),
        "joint": encode(value.joint, name, functions),
        "parent": value.parent,
        "at": encode(value.at, name, functions),
        "hinge": encode(value.hinge, name, functions),
        "q": value.q,
        "rates": value.rates,
        "frames": [[n, encode(f, n, functions)] for n, f in model.frames[name].items()],
    }


def model_changes(before: Model, after: Model) -> dict[str, Any]:
    """What of a model became another, as data: of every table that changed, entries that are gone, entries that are new or
    other than they were, and the order where it is not that of before with new ones behind.

    Entries that did not change are the very same objects, as in the models of one run.
    """
    changes: dict[str, Any] = {}
    for table in STORED:
        old, new = getattr(before, table).copy(), getattr(after, table).copy()
        gone = [name for name in old if name not in new]
        put = [name for name, value in new.items() if value is not old.get(name)]
        if table == "parts":
            framed = {n for n in new if n in old and not _same_frames(before.frames[n], after.frames[n])}
            put = [n for n in new if n in framed or new[n] is not old.get(n)]
        order = [*(name for name in old if name in new), *(name for name in new if name not in old)]
        one: dict[str, Any] = {"gone": gone} if gone else {}
        one |= {"put": [_entry(after, table, name) for name in put]} if put else {}
        one |= {"order": list(new)} if order != list(new) else {}
        if one:
            changes[table] = one
    return changes


def _same_frames(a: Mapping[str, Frame], b: Mapping[str, Frame]) -> bool:
    return a is b or (list(a) == list(b) and all(x is y for x, y in zip(a.values(), b.values(), strict=True)))


def model_after(before: Model, changes: dict[str, Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
    """The model that became of another by `model_changes`."""
    model, tables = copy.copy(before), dict[str, Any]()
    for table, one in changes.items():
        checks.known(table, STORED, "table of a model:")
        entries, frames = getattr(before, table).copy(), before.frames.copy()
        for name in one.get("gone", ()):
            checks.known(name, entries, f"what is gone of the {table}:")
            del entries[name]
            frames.pop(name, None)
        if table == "parts":
            for data in one.get("put", ()):
                part = _part(data, entries, functions)
                entries[part.name], frames[part.name] = part, _table(data["frames"], Frame, functions)
            tables["frames"] = frames
        else:
            parts = tables.get("parts", before.parts)
            entries |= _read_table(table, one.get("put", ()), parts, functions)
        if "order" in one:
            if sorted(one["order"]) != sorted(entries):
                raise ModelError(f"the order of the {table} names others than there are")
            entries = {name: entries[name] for name in one["order"]}
        tables[table] = entries
    _check_order(tables.get("parts", {}))
    model.take_over(**tables)
    return model


def _check_order(parts: Mapping[str, Part]) -> None:
    """Refuse parts that do not stand after their parents."""
    seen = {GROUND}
    for name, part in parts.items():
        checks.known(part.parent, seen, f'parent of body "{name}":')
        seen.add(name)


def model_from_data(data: dict[str, Any], functions: Mapping[str, Callable[..., Any]], make: Any = Model) -> Any:
    """The model again; `make` is Model or a subclass. Names and kinds are checked as those that a user gives."""
    model = make(data["name"], gravity=data["gravity"], base=decode(data["base"], functions))
    parts, places = dict(model.parts), dict(model.frames)
    for p in data["parts"]:
        part = _part(p, parts, functions)
        if part.name in parts:
            raise ModelError(f'there are two bodies "{part.name}"')
        parts[part.name], places[part.name] = part, _table(p["frames"], Frame, functions)
    # which older files do not have
    later = ("blocks", "constraints", "contacts", "groups", "rods", "installed", "units", "shapes")
    rows = {table: data.get(table, ()) if table in later else data[table] for table in STORED if table != "parts"}
    others = {table: _read_table(table, given, parts, functions) for table, given in rows.items()}
    model.take_over(parts=parts, frames=places, **others)
    for table, method, given in data.get("said", ()):
        checks.known(table, ("", *TABLES), "table of a model:")
        if method not in (("__setitem__", "__delitem__") if table else ("__setattr__", "_add_base", *SAYING)):
            raise ModelError(f"{checks.shown(method)} is nothing that is said to a model")
        arguments, words = decode(given[0], functions), {k: decode(v, functions) for k, v in given[1].items()}
        Step(method, (arguments, words), table).again(model, lambda x: x)
    return model


def _read_table(
    table: str, rows: Any, parts: Mapping[str, Part], functions: Mapping[str, Callable[..., Any]]
) -> dict[str, Any]:
    """The entries of a table, but of that of the parts, from rows of data."""
    if table == "groups":
        return {checks.name(name, "name"): _members(name, bodies, parts) for name, bodies in rows}
    if table == "units":
        return {_text(name): _text(unit) for name, unit in rows}
    if table not in ("rotors", "shapes"):
        return _table(rows, KINDS[table], functions)
    found: dict[str, Any] = {}
    for name, *given in rows:
        if table == "rotors":
            owner, rotor = given
            checks.known(owner, parts, f'body of rotor "{name}":')
            found[checks.name(name, "name")] = (owner, _a(bodies.Rotor, rotor, functions, f'"{name}"'))
        else:
            checks.known(name, [GROUND, *parts], "body to show:")
            found[name] = tuple(_a(shapes.Shape, x, functions, f'a shape of "{name}"') for x in given[0])
    return found


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
        if isinstance(value, Frame):
            own = next((name.removeprefix(word) for word in STICKING if name.startswith(word)), name)
        checks.name(own, "name")
    return found


# -- pickle: the same data, with functions by reference -------------------------------------------------------------------


def can_travel(value: Any) -> bool:
    """Whether pickle finds a function, or what holds functions, again by its name in a module; never by its code."""
    try:
        pickle.dumps(value)
    except Exception:
        return False
    return True


def pickled(model: Model) -> tuple[Any, ...]:
    """What `Model.__reduce__` gives: the model as its files hold it, functions by their places, and what else was set."""
    functions: dict[str, Any] = {}
    data = model_to_data(model, functions)
    for kind in _kinds_in(data):
        if kind not in LATER and kind not in _types():
            raise ModelError(f'system "{model.name}" cannot be pickled: a {kind} in it is of no type that files hold')
    for place, function in functions.items():
        if not can_travel(function):
            raise ModelError(
                f'system "{model.name}" cannot be pickled: the function at "{place}" is {checks.shown(function)}, which has '
                "no name in a module: define it with def outside of other functions"
            )
    known = {*vars(Model(model.name)), *vars(Remembering)}
    others = {key: value for key, value in vars(model).items() if key not in known}
    return unpickled, (type(model), json.dumps(data), functions, others)


def unpickled(make: Any, text: str, functions: dict[str, Any], others: dict[str, Any]) -> Any:
    """The model that `pickled` took apart."""
    model = model_from_data(json.loads(text), functions, make)
    model.__dict__.update(others)
    return model


def _kinds_in(data: Any) -> set[str]:
    """Names of all types in data that `encode` made."""
    if isinstance(data, Mapping):
        own = {data["type"]} if isinstance(data.get("type"), str) else set()
        return own.union(*map(_kinds_in, data.values()))
    return set().union(*map(_kinds_in, data)) if isinstance(data, list | tuple) else set()
