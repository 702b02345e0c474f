"""A flexible body in a file of its own: its integrals and its skin, ready for any system."""

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from kaneflex.model import codec
from kaneflex.model.checks import ModelError
from kaneflex.model.files import atomic_write
from kaneflex.model.typed import typed
from kaneflex.structures.flexible import Flexible

KIND = "kaneflex flexible body"


@typed
def save_body(body: Flexible, path: str | Path, report: str = "") -> Path:
    """Write a flexible body to an HDF5 file.

    Args:
        body: the body; a run's nodes are kept with it.
        path: the file.
        report: words on where it comes from.
    """
    with atomic_write(path) as part, h5py.File(part, "w") as file:
        file.attrs["kind"] = KIND
        file["report"] = report
        text = json.dumps(codec.encode(body, "body")).encode()
        file.create_dataset("body", data=np.frombuffer(text, dtype=np.uint8), compression="gzip")
    return Path(path)


@typed
def load_body(path: str | Path) -> Flexible:
    """The flexible body of a file that `save_body` or `kaneflex import` wrote."""
    try:
        with h5py.File(path, "r") as file:
            if file.attrs.get("kind") != KIND:
                raise ModelError(f"{path} holds no flexible body: it is another HDF5 file")
            data: Any = json.loads(bytes(file["body"][:]))
        body = codec.decode(data, {})
    except (OSError, KeyError, ValueError, TypeError) as e:
        raise ModelError(f"{path} cannot be read as a flexible body: {e}") from e
    if not isinstance(body, Flexible):
        raise ModelError(f"{path} holds no flexible body")
    return body
