"""A model as plain data and back: what a file can hold without holding code."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np

from kaneflex.model import bodies, constraints, contacts, forces, frames, joints, profiles, shapes
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model, Part

TYPES = {
    cls.__name__: cls
    for module in (bodies, constraints, contacts, forces, frames, joints, profiles, shapes)
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
    if content["type"] in LATER:
        import_module("kaneflex.structures.flexible")
    return TYPES[content.pop("type")](**{k: decode(v, functions) for k, v in content.items()})


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
        "constraints": [[n, encode(x, n)] for n, x in model.constraints.items()],
        "contacts": [[n, encode(x, n)] for n, x in model.contacts.items()],
        "shapes": [[n, encode(x, n)] for n, x in model.shapes.items()],
    }


def model_from_data(data: dict[str, Any], functions: Mapping[str, Callable[..., Any]], make: Any = Model) -> Any:
    """The model again; `make` is Model or a subclass."""
    model = make(data["name"], gravity=data["gravity"], base=decode(data["base"], functions))
    parts, places = dict(model.parts), dict(model.frames)
    for p in data["parts"]:
        parts[p["name"]] = Part(
            p["name"],
            decode(p["body"], functions),
            decode(p["joint"], functions),
            p["parent"],
            decode(p["at"], functions),
            decode(p["hinge"], functions),
            None if p["q"] is None else tuple(p["q"]),
            None if p["rates"] is None else tuple(p["rates"]),
        )
        places[p["name"]] = {n: decode(f, functions) for n, f in p["frames"]}
    entries = ("loads", "inputs", "constraints", "contacts", "shapes")
    model.take_over(
        parts=parts,
        frames=places,
        rotors={n: (body, decode(r, functions)) for n, body, r in data["rotors"]},
        **{table: {n: decode(x, functions) for n, x in data.get(table, ())} for table in entries},
    )
    return model
