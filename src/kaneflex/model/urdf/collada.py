"""Triangles of a COLLADA (.dae) file: its geometry where the scene puts it, without materials and animation.

The file's unit of length is turned into m. Its up-axis is not: a URDF's visual takes coordinates as they are written.
"""

from pathlib import Path

import numpy as np

from kaneflex.model import checks
from kaneflex.model.urdf.xml import Node, read_xml

Surface = tuple[np.ndarray, np.ndarray]
DEPTH = 64  # of nodes in nodes; a node that holds itself would have no end


def read_collada(path: Path) -> Surface:
    """Vertices (n, 3), m, and triangles (k, 3) of a file.

    Args:
        path: of the file.
    """
    root = read_xml(path)
    named = {node.attributes["id"]: node for node in root.below() if "id" in node.attributes}
    unit = next((n for n in root.below() if n.tag == "unit"), None)
    scale = 1.0 if unit is None else unit.number("meter", "unit of length", 1.0)
    found: list[Surface] = []
    scenes = [scene for library in root.all("library_visual_scenes") for scene in library.all("visual_scene")]
    for scene in scenes[:1]:
        for node in scene.all("node"):
            _walk(node, np.diag([scale, scale, scale, 1.0]), named, found, DEPTH)
    if not found:
        root.fail("no triangles are in its scene: export the mesh as STL or OBJ")
    starts = np.cumsum([0, *(len(v) for v, _ in found)])
    triangles = [t + start for (_, t), start in zip(found, starts[:-1], strict=True)]
    return np.concatenate([v for v, _ in found]), np.concatenate(triangles)


def _walk(node: Node, above: np.ndarray, named: dict[str, Node], found: list[Surface], depth: int) -> None:
    """Collect the surfaces at a node and below it."""
    if depth == 0:
        node.fail("its nodes hold each other without end: export the mesh as STL or OBJ")
    X = above @ _transform(node)
    for child in node.children:
        if child.tag == "node":
            _walk(child, X, named, found, depth - 1)
        elif child.tag == "instance_node":
            _walk(_target(child, "url", named), X, named, found, depth - 1)
        elif child.tag == "instance_geometry":
            for vertices, triangles in _surfaces(_target(child, "url", named), named):
                mirrored = np.linalg.det(X[:3, :3]) < 0
                found.append((vertices @ X[:3, :3].T + X[:3, 3], triangles[:, ::-1] if mirrored else triangles))


def _target(node: Node, attribute: str, named: dict[str, Node]) -> Node:
    address = node.word(attribute, "reference")
    if not address.startswith("#") or address[1:] not in named:
        node.fail(f'"{address}" is not in this file: export the mesh into one file, or as STL or OBJ')
    return named[address[1:]]


def _values(node: Node, type_: type = float) -> np.ndarray:
    try:
        return np.array(node.text.split(), dtype=type_)
    except ValueError:
        node.fail(f"<{node.tag}> does not hold numbers: export the mesh again")


def _transform(node: Node) -> np.ndarray:
    X = np.eye(4)
    for step in node.children:
        if step.tag not in ("matrix", "translate", "rotate", "scale"):
            continue
        values = _values(step)
        if len(values) != {"matrix": 16, "rotate": 4}.get(step.tag, 3) or not np.all(np.isfinite(values)):
            step.fail(f"<{step.tag}> has {len(values)} numbers, or infinite ones: export the mesh again")
        Y = np.eye(4)
        if step.tag == "matrix":
            Y = values.reshape(4, 4)
        elif step.tag == "translate":
            Y[:3, 3] = values
        elif step.tag == "scale":
            Y[:3, :3] = np.diag(values)
        elif np.any(values[:3]):
            Y[:3, :3] = checks.turn(checks.axis(values[:3], "axis of a turn"), float(np.radians(values[3])))
        X = X @ Y
    return X


def _surfaces(geometry: Node, named: dict[str, Node]) -> list[Surface]:
    mesh = geometry.first("mesh")
    surfaces = []
    for part in [] if mesh is None else mesh.children:
        if part.tag not in ("triangles", "polylist", "polygons"):
            continue
        inputs = part.all("input")
        stride = 1 + max(int(i.number("offset", "input", 0.0)) for i in inputs) if inputs else 1
        place = next((i for i in inputs if i.attributes.get("semantic") == "VERTEX"), None)
        if place is None:
            part.fail(f"<{part.tag}> names no vertices: export the mesh again")
        vertices = _positions(_target(place, "source", named), named)
        loops = [_values(p, np.int64)[int(place.number("offset", "input", 0.0)) :: stride] for p in part.all("p")]
        corners = np.concatenate(loops) if loops else np.zeros(0, np.int64)
        counts = _counts(part, loops, corners)
        if len(corners) == 0:
            continue
        if corners.min() < 0 or corners.max() >= len(vertices):
            part.fail(f"<{part.tag}> names vertices that are not there: export the mesh again")
        surfaces.append((vertices, corners[_fans(counts)]))
    return surfaces


def _counts(part: Node, loops: list[np.ndarray], corners: np.ndarray) -> np.ndarray:
    """Corners of each polygon."""
    listed = part.first("vcount")
    if part.tag == "triangles":
        counts = np.full(len(corners) // 3, 3)
    elif part.tag == "polygons" or listed is None:
        counts = np.array([len(loop) for loop in loops], np.int64)
    else:
        counts = _values(listed, np.int64)
    if counts.sum() != len(corners) or (len(counts) and counts.min() < 0):
        part.fail(f"<{part.tag}> has another number of corners than it says: export the mesh again")
    return counts


def _fans(counts: np.ndarray) -> np.ndarray:
    """Triangles of polygons that lie one after another, each a fan from its first corner."""
    starts = np.cumsum(counts) - counts
    fans = [
        np.column_stack([starts[counts > k], starts[counts > k] + k - 1, starts[counts > k] + k])
        for k in range(2, int(counts.max()))
    ]
    return np.concatenate(fans) if fans else np.zeros((0, 3), np.int64)


def _positions(vertices: Node, named: dict[str, Node]) -> np.ndarray:
    place = next((i for i in vertices.all("input") if i.attributes.get("semantic") == "POSITION"), None)
    source = vertices if place is None else _target(place, "source", named)
    numbers, accessor = source.first("float_array"), next((n for n in source.below() if n.tag == "accessor"), None)
    if numbers is None:
        source.fail("it has no coordinates: export the mesh again")
    stride = 3 if accessor is None else int(accessor.number("stride", "accessor", 1.0))
    values = _values(numbers)
    if stride < 3 or len(values) % stride or not np.all(np.isfinite(values)):
        numbers.fail("its coordinates are not triples of finite numbers: export the mesh again")
    return values.reshape(-1, stride)[:, :3]
