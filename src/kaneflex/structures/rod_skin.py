"""What is seen of a rod of high order: a tube whose rings follow its sections.

The corners of the tube are linear in places and axes of the rings, which stand in the place of modal coordinates here, so
that whatever draws the skin of a flexible body draws this one, bent by any angle.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.structures.rod_tables import RodData
from kaneflex.structures.skin import SIDES, Skin

RINGS = 25
NUMBERS = 9  # of a ring: place, and two axes across


@dataclass(frozen=True, eq=False)
class RodSkin(Skin):
    """A tube along a rod; arguments as for Skin, and of the rings of the unstrained rod the axes across, (n, 3, 2), and the
    arc lengths, (n,), m."""

    crossed: Any = ()
    arcs: Any = ()

    @cached_property
    def surface(self) -> tuple[Vector, np.ndarray, Vector]:
        """Vertices (v, 3), triangles (t, 3), and what the numbers of the rings move of them (9n, v, 3)."""
        n, angle, radius = len(self.points), 2 * np.pi * np.arange(SIDES) / SIDES, float(self.radii[0, 0])
        around = radius * np.column_stack([np.cos(angle), np.sin(angle)])
        vertices = self.points[:, None] + np.einsum("nac,sc->nsa", self.crossed, around)
        moves = np.zeros((n, NUMBERS, n, SIDES, 3))
        for k in range(n):
            for a in range(3):
                moves[k, a, k, :, a] = 1.0
                moves[k, 3 + a, k, :, a], moves[k, 6 + a, k, :, a] = around[:, 0], around[:, 1]
        i, j, A = np.arange(SIDES), (np.arange(SIDES) + 1) % SIDES, SIDES * np.arange(n - 1)[:, None]
        B = A + SIDES
        sides = np.stack([A + i, A + j, B + j, A + i, B + j, B + i], axis=-1).reshape(-1, 3)
        fan = np.column_stack([np.zeros(SIDES - 2, np.int64), np.arange(1, SIDES - 1), np.arange(2, SIDES)])
        triangles = np.concatenate([sides, fan[:, ::-1], SIDES * (n - 1) + fan])
        return vertices.reshape(-1, 3), triangles, moves.reshape(NUMBERS * n, -1, 3)


def ring_arcs(data: RodData) -> Vector:
    """Arc lengths of the rings: evenly spaced, and those of the nodes."""
    L = data.strains.length
    return np.unique(np.round([*np.linspace(0, L, RINGS), *(node.arc for node in data.nodes.values())], 12))


def rings(data: RodData, eta: Vector) -> tuple[Vector, Vector]:
    """Places (k, n, 3) and axes across (k, n, 3, 2) of the rings, in axes of the root, for k rows of coefficients."""
    arcs = ring_arcs(data)
    R, p, _ = data.strains.poses(data.strains.steps(arcs), np.asarray(eta, float).T)
    return p.transpose(2, 0, 1), R[:, :, 1:].transpose(3, 0, 1, 2)


def ring_numbers(data: RodData, eta: Vector) -> Vector:
    """What stands in the place of modal coordinates, (k, 9n): changes from the unstrained rod."""
    p, across = rings(data, np.concatenate([np.zeros((1, len(data))), eta]))
    numbers = np.concatenate([p, across[..., 0], across[..., 1]], axis=-1)
    return np.asarray((numbers[1:] - numbers[0]).reshape(len(eta), -1))


def node_moves(data: RodData, arc: float) -> Vector:
    """By what the numbers of the rings move a node, (9n, 3)."""
    arcs = ring_arcs(data)
    moves = np.zeros((len(arcs), NUMBERS, 3))
    moves[int(np.argmin(np.abs(arcs - arc))), :3] = np.eye(3)
    return moves.reshape(-1, 3)


def rod_skin(data: RodData, radius: float) -> RodSkin:
    """The tube of a rod.

    Args:
        data: of the rod.
        radius: of the tube, m.
    """
    p, across = (found[0] for found in rings(data, np.zeros((1, len(data)))))
    n = len(p)
    shapes = np.zeros((n, 6, n, NUMBERS))
    for k in range(n):
        shapes[k, :3, k, :3] = np.eye(3)
    pairs = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    radii, more = np.full((n - 1, 2), radius), {"crossed": across, "arcs": ring_arcs(data)}
    return RodSkin(p, shapes.reshape(n, 6, -1), pairs, across[:-1, :, 0], radii, **more)
