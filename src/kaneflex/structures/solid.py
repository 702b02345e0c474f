"""Solids of quadratic tetrahedra: a box, or a mesh that is given."""

from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.typed import typed
from kaneflex.structures.elements.tetrahedron import EDGES, TetrahedronElements
from kaneflex.structures.framework import count
from kaneflex.structures.section import moduli
from kaneflex.structures.structure import Structure, coordinates


@typed
class Solid(Structure):
    """A box 0 <= x <= length, -width/2 <= y <= width/2, -height/2 <= z <= height/2 of quadratic tetrahedra.

    Named nodes: "root" and "tip", at the middles of the faces x = 0 and x = length, which follow them rigidly (a solid's own
    nodes have no rotations). `Solid.from_mesh` takes any mesh of tetrahedra.

    Args:
        length, width, height: along x, y, z, m.
        E: Young's modulus, Pa.
        nu: Poisson's ratio.
        density: kg/m^3.
        elements: numbers of cells along x, y, z, each divided into six tetrahedra.
    """

    def __init__(
        self,
        length: float,
        width: float,
        height: float,
        E: float,
        nu: float,
        density: float,
        elements: Any = (12, 2, 2),
    ) -> None:
        size = [checks.positive(v, k) for v, k in ((length, "length"), (width, "width"), (height, "height"))]
        if checks.dimensions(elements) != 1 or len(elements) != 3:
            raise ModelError(f"elements is {elements!r}: give three whole numbers, along x, y and z")
        cells = [count(n, f"elements along {axis}") for n, axis in zip(elements, "xyz", strict=True)]
        points, tetrahedra = _box(size, cells)
        points, group = quadratic(points, tetrahedra, E, nu, density)
        faces = [np.flatnonzero(np.abs(points[:, 0] - x) < 1e-9 * size[0]) for x in (0.0, size[0])]
        n = len(points)
        points = np.vstack([points, [0, 0, 0], [size[0], 0, 0]])
        links = [(n + k, int(node)) for k, face in enumerate(faces) for node in face]
        super().__init__(points, {"root": n, "tip": n + 1}, [group], links)

    @staticmethod
    def from_mesh(points: Any, tetrahedra: Any, E: float, nu: float, density: float) -> Structure:
        """A solid from a mesh of tetrahedra; nodes in the middles of edges are added.

        Name places with `Structure.named`, and make a root or an interface with `Structure.linked`.

        Args:
            points: (n, 3) coordinates of the corners, m.
            tetrahedra: (e, 4) numbers of corners, in any orientation.
            E: Young's modulus, Pa.
            nu: Poisson's ratio.
            density: kg/m^3.
        """
        p = coordinates(points, "points (corners)")
        t: Any = np.asarray(tetrahedra if checks.dimensions(tetrahedra) == 2 else ())
        if t.ndim != 2 or t.shape[1] != 4 or not len(t) or not np.issubdtype(t.dtype, np.integer):
            raise ModelError(f"tetrahedra has shape {t.shape}: give e by 4 whole numbers, the corners of each")
        unknown = t[(t < 0) | (t >= len(p))]
        if len(unknown):
            raise ModelError(f"tetrahedra name node {unknown[0]}: there are nodes 0 to {len(p) - 1}")
        p, group = quadratic(p, t, E, nu, density)
        return Structure(p, {}, [group])


def quadratic(points: Vector, t: np.ndarray, E: float, nu: float, rho: float) -> tuple[Vector, TetrahedronElements]:
    """Points with the middles of edges added, and the elements; corners turned so that volumes are positive."""
    E, _ = moduli(E, nu)
    rho = checks.positive(rho, "density")
    edges = points[t[:, 1:]] - points[t[:, :1]]
    volume = np.linalg.det(edges) / 6
    flat = np.abs(volume) < 1e-12 * np.abs(edges).max(axis=(1, 2)) ** 3
    if flat.any():
        k = int(np.argmax(flat))
        raise ModelError(f"tetrahedron {k} with nodes {t[k].tolist()} has no volume: remove it or move its nodes")
    t = np.where((volume < 0)[:, None], t[:, [1, 0, 2, 3]], t)
    pairs = np.sort(np.concatenate([t[:, pair] for pair in EDGES]), axis=1)
    unique, which = np.unique(pairs, axis=0, return_inverse=True)
    middles = len(points) + which.reshape(len(EDGES), len(t)).T
    everything = np.vstack([points, points[unique].mean(axis=1)])
    return everything, TetrahedronElements(np.hstack([t, middles]), points[t], E, float(nu), rho)


def _box(size: list[float], cells: list[int]) -> tuple[Vector, np.ndarray]:
    """Points of a grid, and six tetrahedra per cell around its diagonal, which fit from cell to cell."""
    lines = [np.linspace(0, size[0], cells[0] + 1)]
    lines += [np.linspace(-s / 2, s / 2, n + 1) for s, n in zip(size[1:], cells[1:], strict=True)]
    points = np.stack([c.ravel() for c in np.meshgrid(*lines, indexing="ij")], axis=1)
    step = np.array([(cells[1] + 1) * (cells[2] + 1), cells[2] + 1, 1])
    i, j, k = (c.ravel() for c in np.meshgrid(*(np.arange(n) for n in cells), indexing="ij"))
    first = i * step[0] + j * step[1] + k * step[2]
    found = []
    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
        path = np.cumsum([0, *step[list(order)]])
        found.append(first[:, None] + path)
    return points, np.concatenate(found)
