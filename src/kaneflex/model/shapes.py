"""Shapes that show a body on a page: `system.show("arm", shapes.Box((1.0, 0.1, 0.1)))`. They have no mass and no effect.

Lengths are in m. A shape stands in its body's axes: `position` is its origin there, `rotation` turns its own axes. A body
without shapes of its own is drawn from its data, see kaneflex.view.geometry.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.mesh_files import read_mesh
from kaneflex.model.typed import typed

COLORS = {
    "black": "#000000",
    "blue": "#2563a8",
    "brown": "#a0522d",
    "gold": "#c2a100",
    "green": "#2a9d6f",
    "grey": "#8a939b",
    "orange": "#e08e1b",
    "purple": "#7b5ea7",
    "red": "#d1495b",
    "silver": "#c3c9ce",
    "white": "#ffffff",
}


@typed
@dataclass(frozen=True, eq=False, kw_only=True)
class Shape:
    """What all shapes have.

    Args:
        position: origin of the shape from the body's origin, in body axes, m.
        rotation: of the shape in the body, as for Frame: a 3x3 matrix, or turns in order, e.g. (("z", 0.3), ("x", 0.1)).
        color: "#rrggbb" or one of COLORS; None for the body's own.
        opacity: 1 (solid) to 0 (not seen).
    """

    position: Any = (0.0, 0.0, 0.0)
    rotation: Any = None
    color: str | None = None
    opacity: float = 1.0

    def __post_init__(self) -> None:
        self._keep("position", checks.vector(self.position, self._what("position")))
        if self.rotation is not None:
            R = checks.rotation(self.rotation, self._what("rotation"))
            self._keep("rotation", tuple(tuple(float(x) for x in row) for row in R))
        if self.color is not None:
            known = isinstance(self.color, str) and (self.color in COLORS or re.fullmatch("#[0-9a-fA-F]{6}", self.color))
            if not known:
                words = ", ".join(COLORS)
                raise ModelError(f'{self._what("color")} is {self.color!r}: give "#rrggbb" or one of {words}')
            self._keep("color", COLORS.get(self.color, self.color.lower()))
        opacity = checks.number(self.opacity, self._what("opacity"))
        if not 0 <= opacity <= 1:
            raise ModelError(f"{self._what('opacity')} is {opacity:g}: give 0 (not seen) to 1 (solid)")
        self._keep("opacity", opacity)

    @property
    def R(self) -> Vector:
        """Rotation matrix, components in the shape's axes to components in the body's."""
        return np.eye(3) if self.rotation is None else np.array(self.rotation)

    def _what(self, field: str) -> str:
        return f"{field} of a {type(self).__name__}"

    def _keep(self, field: str, value: Any) -> None:
        object.__setattr__(self, field, value)

    def _positive(self, *names: str) -> None:
        for name in names:
            self._keep(name, checks.positive(getattr(self, name), self._what(name)))

    def _three_positive(self, name: str) -> None:
        values = checks.vector(getattr(self, name), self._what(name))
        self._keep(name, tuple(checks.positive(x, f"{self._what(name)}, {a}") for x, a in zip(values, "xyz", strict=True)))

    def _points(self, name: str, least: int) -> None:
        given = getattr(self, name)
        n = len(given) if checks.dimensions(given) == 2 else -1
        if n < least:
            raise ModelError(f"{self._what(name)} are {given!r}: give at least {least} by 3 numbers, m")
        points = checks.array(given, (n, 3), self._what(name))
        points.setflags(write=False)
        self._keep(name, points)


@typed
@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box, centred.

    Args:
        size: lengths along its x, y and z axes, m.
        position, rotation, color, opacity: as for Shape.
    """

    size: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self._three_positive("size")


@typed
@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A sphere, centred.

    Args:
        radius: m.
        position, rotation, color, opacity: as for Shape.
    """

    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius")


@typed
@dataclass(frozen=True, eq=False)
class Ellipsoid(Shape):
    """An ellipsoid, centred.

    Args:
        radii: semi-axes along x, y and z, m.
        position, rotation, color, opacity: as for Shape.
    """

    radii: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self._three_positive("radii")


@typed
@dataclass(frozen=True, eq=False)
class Cylinder(Shape):
    """A cylinder about its z axis, centred.

    Args:
        radius: m.
        length: along z, m.
        position, rotation, color, opacity: as for Shape.
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius", "length")


@typed
@dataclass(frozen=True, eq=False)
class Cone(Cylinder):
    """A cone about its z axis, its base at z = 0 and its tip at z = length.

    Args:
        radius: of its base, m.
        length: along z, m.
        position, rotation, color, opacity: as for Shape.
    """


@typed
@dataclass(frozen=True, eq=False)
class Tube(Shape):
    """A round rod along a line of points.

    Args:
        points: two or more, (n, 3), in the shape's axes, m.
        radius: m.
        position, rotation, color, opacity: as for Shape.
    """

    points: Any
    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._points("points", 2)
        self._positive("radius")


@typed
@dataclass(frozen=True, eq=False)
class Line(Shape):
    """A thin line through points.

    Args:
        points: two or more, (n, 3), in the shape's axes, m.
        position, rotation, color, opacity: as for Shape.
    """

    points: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self._points("points", 2)


@typed
@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A surface of triangles.

    Args:
        vertices: (n, 3), in the shape's axes, m.
        triangles: (k, 3), numbers of their corners, counter-clockwise as seen from outside.
        position, rotation, color, opacity: as for Shape.
    """

    vertices: Any
    triangles: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self._points("vertices", 3)
        n = len(self.triangles) if checks.dimensions(self.triangles) == 2 else 0
        if not n:
            raise ModelError(f"{self._what('triangles')} are {checks.shown(self.triangles)}: give k by 3 numbers")
        given = checks.array(self.triangles, (n, 3), self._what("triangles"))
        triangles = given.astype(np.int64)
        if not np.array_equal(triangles, given) or triangles.min() < 0 or triangles.max() >= len(self.vertices):
            last = len(self.vertices) - 1
            raise ModelError(f"{self._what('triangles')} name vertices that are not there: give numbers 0 to {last}")
        triangles.setflags(write=False)
        self._keep("triangles", triangles)

    @classmethod
    def from_file(cls, path: str | Path, scale: Any = 1.0, **look: Any) -> "Mesh":
        """A mesh from an STL (binary or text) or OBJ file.

        Args:
            path: the file; its ending says which.
            scale: factor on its coordinates, one or three along its axes: 0.001 for millimetres.
            look: position, rotation, color and opacity, as for Shape.
        """
        factors = checks.vector((scale,) * 3 if checks.dimensions(scale) == 0 else scale, "scale of a Mesh")
        if 0.0 in factors:
            raise ModelError(f"scale of a Mesh is {scale!r}: it must not be zero")
        vertices, triangles = read_mesh(Path(path))
        if np.prod(factors) < 0:  # a mirror turns every triangle inside out
            triangles = triangles[:, ::-1]
        return cls(vertices * np.array(factors), triangles, **look)


__all__ = ["COLORS", "Box", "Cone", "Cylinder", "Ellipsoid", "Line", "Mesh", "Shape", "Sphere", "Tube"]
