"""A scene written by hand, with motions known in closed form: what the viewer's tests read back from the drawing."""

import base64
import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

ASSETS = Path(__file__).parents[2] / "src" / "kaneflex" / "view" / "assets"
LENGTH = 1.0  # of each link, m
WIDTH = 0.1
STYLE = """:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; padding: 1rem; background: Canvas; color: CanvasText; }
"""


class Blob:
    """Numbers one after another, each at a multiple of eight bytes."""

    def __init__(self) -> None:
        self.data = b""

    def add(self, values: Any, kind: str = "f4") -> dict[str, Any]:
        """Append an array and describe it as the scene does."""
        array = np.ascontiguousarray(values, dtype=f"<{kind}")
        self.data += b"\0" * (-len(self.data) % 8)
        at = len(self.data)
        self.data += array.tobytes()
        return {"at": at, "shape": list(array.shape), "type": kind}


def angles(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles of the two links about y, rad, and the modal coordinate of the second one, m."""
    return 0.9 * np.cos(2.0 * t), 1.3 * np.sin(3.0 * t), 0.15 * np.sin(5.0 * t)


def _pose(x: np.ndarray, z: np.ndarray, angle: np.ndarray) -> np.ndarray:
    zero = np.zeros_like(x)
    return np.column_stack([x, zero, z, np.cos(angle / 2), zero, np.sin(angle / 2), zero])


def poses(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows x y z qw qx qy qz of both links: each hangs down its own -z axis."""
    a, b, _ = angles(t)
    end = -LENGTH * np.sin(a), -LENGTH * np.cos(a)
    return _pose(np.zeros_like(a), np.zeros_like(a), a), _pose(*end, b)


def _strip(n: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A flat strip along -z with one mode, x = (s/L)^2: vertices, triangles and mode."""
    s = np.linspace(0.0, LENGTH, n + 1)
    vertices = np.array([(0.0, side * WIDTH, -x) for x in s for side in (-1, 1)])
    triangles = [f for i in range(n) for f in ((2 * i, 2 * i + 1, 2 * i + 3), (2 * i, 2 * i + 3, 2 * i + 2))]
    mode = np.zeros((1, len(vertices), 3))
    mode[0, :, 0] = np.repeat((s / LENGTH) ** 2, 2)
    return vertices, np.array(triangles), mode


def _run(blob: Blob, name: str, t: np.ndarray, delay: float, anchor: np.ndarray | None) -> dict[str, Any]:
    first, second = poses(t - delay)
    vertices, triangles, mode = _strip()
    late = second.copy()
    late[t > t[-1] - 0.5] = np.nan  # a third body that vanishes before the end
    tip = {"name": "tip", "position": [0.0, 0.0, -LENGTH], "axes": [1, 0, 0, 0, 1, 0, 0, 0, 1], "shape": [[1.0, 0.0, 0.0]]}
    skin = {"type": "skin", "vertices": blob.add(vertices), "triangles": blob.add(triangles, "u4"), "modes": blob.add(mode)}
    box = {"type": "box", "size": [WIDTH, WIDTH, LENGTH], "position": [0, 0, -LENGTH / 2]}
    bob = {"type": "sphere", "radius": 0.08}
    lower = {"name": "lower", "parent": 0, "pose": blob.add(second)}
    q = angles(t - delay)[2]
    force = np.column_stack([np.zeros_like(t), np.zeros_like(t), 20.0 + 10.0 * np.sin(t)])
    pin = {"name": "pin", "kind": "force", "unit": "N", "shown": True}
    rope = np.stack([np.zeros((len(t), 3)), second[:, :3]], axis=1)
    return {
        "name": name,
        "t": blob.add(t, "f8"),
        "loop": False,
        "anchor": None if anchor is None else blob.add(anchor, "f8"),
        "bodies": [
            {"name": "upper", "parent": -1, "pose": blob.add(first), "modes": None, "shapes": [box], "frames": []},
            lower | {"modes": blob.add(q[:, None]), "shapes": [skin], "frames": [tip]},
            {"name": "bob", "parent": 1, "pose": blob.add(late), "modes": None, "shapes": [bob], "frames": []},
        ],
        "arrows": [pin | {"at": blob.add(np.zeros((len(t), 3))), "vector": blob.add(force)}],
        "lines": [{"name": "rope", "points": blob.add(rope), "color": None}],
        "events": [{"t": 1.0, "name": "kick"}],
        "mode": None,
    }


def scene(
    kind: str = "run", *, samples: int = 301, far: bool = False, duration: float = 6.0
) -> tuple[dict[str, Any], bytes]:
    """The scene and its numbers; a comparison has a second run half a second behind."""
    blob = Blob()
    t = np.linspace(0.0, duration, samples)
    anchor = np.tile([7.0e6, -3.0e5, 12.0], (samples, 1)) + t[:, None] * [7500.0, 0.0, 0.0] if far else None
    runs = [_run(blob, "reference", t, 0.0, anchor)]
    if kind == "comparison":
        late = np.linspace(0.0, 5.0, samples // 2)
        runs.append(_run(blob, "delayed", late, 0.5, None if anchor is None else anchor[: len(late)]))
    if kind == "modes":
        for number, run in enumerate(runs * 3):
            runs[number:] = [{**run, "name": f"mode {number + 1}", "loop": True, "mode": _mode(number)}]
    plots = []
    for c, (name, unit) in enumerate((("upper.angle", "rad"), ("lower.angle", "rad"), ("lower.mode", "m"))):
        lines = [
            {"run": i, "label": run["name"], "values": blob.add(angles(_times(blob, run) - (0.5 if i else 0.0))[c], "f8")}
            for i, run in enumerate(runs)
        ]
        plots.append({"name": name, "unit": unit, "shown": c != 1, "lines": lines})
    page = {"format": 1, "kind": kind, "title": "By hand", "up": [0, 0, 1], "size": 2.0, "runs": runs, "plots": plots}
    return page, blob.data


def _mode(number: int) -> dict[str, Any]:
    return {"frequency": 1.5 * (number + 1), "damping": 0.01, "text": {"effective mass x": "12 %"}}


def _times(blob: Blob, run: dict[str, Any]) -> np.ndarray:
    about = run["t"]
    return np.frombuffer(blob.data, "<f8", about["shape"][0], about["at"])


def write(path: Path, content: dict[str, Any], data: bytes) -> Path:
    """A page with nothing but the viewer, under the policy that reports have."""
    script = (ASSETS / "viewer.js").read_text()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    text = json.dumps(content).replace("<", "\\u003c")
    path.write_text(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><title>{content.get("title", "")}</title>'
        f"<style>{STYLE}{(ASSETS / 'viewer.css').read_text()}</style></head>"
        '<body><div id="kaneflex-viewer"></div><div id="kaneflex-plots"></div>'
        f'<script type="application/json" id="kaneflex-scene">{text}</script>'
        f'<script type="text/plain" id="kaneflex-bytes">{base64.b64encode(zlib.compress(data)).decode()}</script>'
        f"<script>{script}</script></body></html>",
        encoding="utf-8",
    )
    return path
