"""Scenes read back as the viewer reads them."""

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.view.scene import Scene


def inflated(scene: Scene | Path) -> dict[str, Any]:
    """The scene of a page, or a scene itself, with NumPy arrays in place of their descriptions."""
    if isinstance(scene, Path):
        text = scene.read_text(encoding="utf-8")
        found = re.search(r'id="kaneflex-scene">(.*?)</script>.*?id="kaneflex-bytes">(.*?)</script>', text, re.S)
        assert found is not None, "the page has no scene"
        data, block = found[1], found[2]
    else:
        data, block = scene.json(), scene.numbers.text()
    assert "<" not in data
    return _arrays(json.loads(data), zlib.decompress(base64.b64decode(block)))


def _arrays(value: Any, block: bytes) -> Any:
    if isinstance(value, list):
        return [_arrays(v, block) for v in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"at", "shape", "type"}:
        assert value["at"] % 8 == 0
        count = int(np.prod(value["shape"]))
        return np.frombuffer(block, "<" + value["type"], count, value["at"]).reshape(value["shape"])
    return {k: _arrays(v, block) for k, v in value.items()}


def rotations(e: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) of unit quaternions (n, 4), scalar part first."""
    w, x, y, z = np.asarray(e, float).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)
