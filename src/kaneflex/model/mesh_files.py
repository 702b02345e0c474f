"""Triangles from STL and OBJ files: geometry only, colours and textures are left out."""

import itertools
from pathlib import Path

import numpy as np

from kaneflex.model.checks import ModelError, Vector

_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])  # of a binary STL file
_HEADER = 84


def read_mesh(path: Path) -> tuple[Vector, np.ndarray]:
    """Vertices (n, 3) and triangles (k, 3) of a file, in the file's units and axes.

    Args:
        path: an .stl or .obj file.
    """
    readers = {".stl": _stl, ".obj": _obj}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ModelError(f"{path.name} is no mesh that can be read: give an .stl or .obj file")
    try:
        content = path.read_bytes()
    except OSError as e:
        raise ModelError(f"the mesh {path} cannot be read: {e.strerror}") from e
    vertices, triangles = reader(content, path.name)
    if not len(triangles):
        raise ModelError(f"{path.name} has no triangles: give a file with a surface")
    if not np.isfinite(vertices).all():
        raise ModelError(f"{path.name} has coordinates that are not finite")
    return vertices, triangles


def _stl(content: bytes, name: str) -> tuple[Vector, np.ndarray]:
    count = int.from_bytes(content[80:_HEADER], "little") if len(content) >= _HEADER else -1
    if count >= 0 and len(content) == _HEADER + count * _RECORD.itemsize:  # its size tells: texts begin with "solid",
        corners = np.frombuffer(content, _RECORD, count, _HEADER)["corners"].reshape(-1, 3)  # as some binary files do
    else:
        rows = [line.split()[1:4] for line in content.split(b"\n") if line.lstrip()[:6].lower() == b"vertex"]
        try:
            corners = np.array(rows, dtype=float).reshape(-1, 3)
        except ValueError as e:
            raise ModelError(f"{name} is neither a binary nor a text STL file") from e
        if len(corners) % 3 or not len(corners):
            raise ModelError(f"{name} is neither a whole binary nor a whole text STL file")
    vertices, number = np.unique(np.asarray(corners, dtype=float), axis=0, return_inverse=True)
    triangles = number.reshape(-1, 3)
    a, b, c = triangles.T
    return vertices, triangles[(a != b) & (b != c) & (c != a)]


def _obj(content: bytes, name: str) -> tuple[Vector, np.ndarray]:
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for number, line in enumerate(content.decode("utf-8", errors="replace").splitlines(), start=1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                x, y, z = (float(w) for w in words[1:4])
                vertices.append([x, y, z])
            elif words[:1] == ["f"]:
                corners = [int(w.partition("/")[0]) for w in words[1:]]
                corners = [k - 1 if k > 0 else len(vertices) + k for k in corners]  # negative ones count from the last
                if len(corners) < 3 or min(corners) < 0 or max(corners) >= len(vertices):
                    raise ValueError("a face names vertices that are not there")
                triangles += [(corners[0], b, c) for b, c in itertools.pairwise(corners[1:])]
        except ValueError as e:
            raise ModelError(f"{name}, line {number}: {line.strip()!r} is not what an OBJ file has there: {e}") from e
    return np.array(vertices, dtype=float).reshape(-1, 3), np.array(triangles, dtype=np.int64).reshape(-1, 3)
