"""Triangles of what a scene describes: shapes of bodies, and springs, dampers, ropes and rods between points."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray
SIDES = 28  # of what is round
TURNS, STEPS, WIRE = 9, 10, 5  # of a coil: its turns, parts of one, sides of its wire


@dataclass(frozen=True)
class Solid:
    """Triangles in a body's axes.

    Args:
        vertices: (v, 3), m.
        triangles: (t, 3).
        smooth: whether normals are shared by the triangles that meet at a vertex.
        color: "#rrggbb"; None for the body's own.
        opacity: 0 to 1.
        modes: displacements of the vertices in the modes, (m, v, 3); None for what is rigid.
        arcs: arc lengths of the vertices along a rod, (v,); None for what is none.
    """

    vertices: Array
    triangles: Array
    smooth: bool = False
    color: str | None = None
    opacity: float = 1.0
    modes: Array | None = None
    arcs: Array | None = None


def solid_of(shape: Mapping[str, Any]) -> Solid | None:
    """A shape of a scene whose arrays are in place; None of what has no surface.

    Args:
        shape: as the scene has it.
    """
    kind, smooth = shape["type"], True
    if kind == "line":
        return None
    if kind in ("skin", "mesh"):
        vertices, triangles = shape["vertices"], np.asarray(shape["triangles"], np.int64)
        smooth = kind == "skin"
    elif kind == "box":
        vertices, triangles = _box(shape["size"])
        smooth = False
    elif kind in ("sphere", "ellipsoid"):
        vertices, triangles = _ball(shape.get("radii") or [shape["radius"]] * 3)
    elif kind == "tube":
        vertices, triangles = tube(shape["points"], shape["radius"])
    else:
        top = 0.0 if kind == "cone" else shape["radius"]
        vertices, triangles = turned(shape["radius"], top, shape["length"], 0.0 if kind == "cone" else -shape["length"] / 2)
    R = np.reshape(shape.get("axes", np.eye(3)), (3, 3))
    vertices = np.asarray(vertices, float) @ R.T + np.reshape(shape.get("position", np.zeros(3)), 3)
    modes = shape.get("modes")
    return Solid(
        vertices, triangles, smooth, shape.get("color"), shape.get("opacity", 1.0),
        None if modes is None or not len(modes) else np.asarray(modes, float), shape.get("arcs"),
    )  # fmt: skip


def _box(size: Any) -> tuple[Array, Array]:
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.asarray(size, float) / 2
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return corners, np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))])


def _ball(radii: Any) -> tuple[Array, Array]:
    rows, columns = 14, SIDES
    polar, around = np.meshgrid(np.linspace(0, np.pi, rows + 1), 2 * np.pi * np.arange(columns) / columns, indexing="ij")
    unit = np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1)
    return unit.reshape(-1, 3) * np.asarray(radii, float), _sides(rows + 1, columns)


def _sides(rings: int, sides: int) -> Array:
    """Triangles between rings of corners one after the other."""
    i, j = np.arange(sides), (np.arange(sides) + 1) % sides
    a = sides * np.arange(rings - 1)[:, None]
    return np.stack([a + i, a + j, a + sides + j, a + i, a + sides + j, a + sides + i], axis=-1).reshape(-1, 3)


def turned(bottom: float, top: float, length: float, start: float) -> tuple[Array, Array]:
    """A body of revolution about z with flat ends.

    Args:
        bottom, top: radii, m.
        length: m.
        start: z of the bottom, m.
    """
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(SIDES)])
    ends = [ring * [r, r, 1] + [0, 0, z] for r, z in ((bottom, start), (top, start + length))]
    fan = np.column_stack([np.zeros(SIDES - 2, np.int64), np.arange(1, SIDES - 1), np.arange(2, SIDES)])
    triangles = np.concatenate([_sides(2, SIDES), 2 * SIDES + fan[:, ::-1], 3 * SIDES + fan])
    return np.concatenate([*ends, *ends]), triangles


def tube(points: Any, radius: float, sides: int = 10) -> tuple[Array, Array]:
    """A round tube along points, open at its ends' middles.

    Args:
        points: (n, 3), m.
        radius: m.
        sides: of its section.
    """
    points = np.asarray(points, float)
    along = np.gradient(points, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
    side = np.empty_like(along)
    before = np.cross(along[0], np.eye(3)[np.abs(along[0]).argmin()])
    for k, direction in enumerate(along):  # carried along without twist
        before = before - direction * (before @ direction)
        before = before / max(np.linalg.norm(before), 1e-300)
        side[k] = before
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.cos(angle)[:, None] * side[:, None] + np.sin(angle)[:, None] * np.cross(along, side)[:, None]
    fan = np.column_stack([np.zeros(sides - 2, np.int64), np.arange(1, sides - 1), np.arange(2, sides)])
    triangles = np.concatenate([_sides(len(points), sides), fan[:, ::-1], sides * (len(points) - 1) + fan])
    return (points[:, None] + radius * ring).reshape(-1, 3), triangles


def coil(length: float, radius: float) -> tuple[Array, Array]:
    """A spring along z, from 0 to its length.

    Args:
        length, radius: m.
    """
    part = np.linspace(0, 1, TURNS * STEPS + 1)
    wide = radius * np.minimum(1, np.minimum(part, 1 - part) / 0.05)
    angle = 2 * np.pi * TURNS * part
    return tube(np.column_stack([wide * np.cos(angle), wide * np.sin(angle), length * part]), 0.2 * radius, WIRE)


__all__ = ["Solid", "coil", "solid_of", "tube", "turned"]
