"""A rectangular flat plate."""

from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.elements.shell import ShellElements
from kaneflex.structures.framework import count
from kaneflex.structures.section import moduli
from kaneflex.structures.structure import Structure


@typed
class Plate(Structure):
    """A thin rectangular plate in the x-y plane, 0 <= x <= length, -width/2 <= y <= width/2.

    Named nodes: "corner-left" and "corner-right" (far corners, y > 0 and y < 0), "root-left" and "root-right" (corners at
    x = 0), "tip" (middle of the far edge) and "centre", the last two where a node is there, with even numbers of elements.
    "root" is a node at the origin that the whole edge x = 0 rigidly follows: holding it clamps the edge.

    Args:
        length: along x, m.
        width: along y, m.
        thickness: m.
        E: Young's modulus, Pa.
        nu: Poisson's ratio.
        density: kg/m^3.
        elements: numbers of quadrilateral elements along x and y.
        root: "edge" for the rigid edge described above; None for a plate without it, e.g. for free plates.
    """

    def __init__(
        self,
        length: float,
        width: float,
        thickness: float,
        E: float,
        nu: float,
        density: float,
        elements: Any = (12, 8),
        root: str | None = "edge",
    ) -> None:
        a, b = checks.positive(length, "length"), checks.positive(width, "width")
        t, rho = checks.positive(thickness, "thickness"), checks.positive(density, "density")
        E, _ = moduli(E, nu)
        if root not in ("edge", None):
            raise ModelError(f'root is {root!r}: give "edge" or None')
        if checks.dimensions(elements) != 1 or len(elements) != 2:
            raise ModelError(f"elements is {elements!r}: give two whole numbers, along x and along y")
        nx, ny = count(elements[0], "elements along x"), count(elements[1], "elements along y")
        points, quads = grid(np.linspace(0, a, nx + 1), np.linspace(-b / 2, b / 2, ny + 1))
        at = lambda i, j: i * (ny + 1) + j
        names = {"root-right": 0, "root-left": at(0, ny), "corner-right": at(nx, 0), "corner-left": at(nx, ny)}
        if ny % 2 == 0:
            names["tip"] = at(nx, ny // 2)
            if nx % 2 == 0:
                names["centre"] = at(nx // 2, ny // 2)
        links = []
        if root == "edge":
            names["root"] = len(points)
            links = [(len(points), at(0, j)) for j in range(ny + 1)]
            points = np.vstack([points, np.zeros(3)])
        super().__init__(points, names, [ShellElements(quads, points[quads], t, E, float(nu), rho)], links)


def grid(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) of a grid in the x-y plane, y running fastest, and its quadrilaterals (e, 4), counter-clockwise."""
    X, Y = np.meshgrid(x, y, indexing="ij")
    points = np.stack([X.ravel(), Y.ravel(), np.zeros(X.size)], axis=1)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(len(x) - 1), np.arange(len(y) - 1), indexing="ij"))
    first = i * len(y) + j
    return points, np.stack([first, first + len(y), first + len(y) + 1, first + 1], axis=1)
