"""Miura's fold: a sheet of rigid parallelograms that folds by one freedom, as maps and solar arrays do."""

import math
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from kaneflex.builders.counts import angle_between, at_least
from kaneflex.model import checks
from kaneflex.model.bodies import Rigid
from kaneflex.model.forces import JointSpring
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free, Revolute
from kaneflex.model.shapes import Mesh
from kaneflex.model.typed import typed
from kaneflex.system import System


@typed
def miura_fold(
    columns: int,
    rows: int,
    *,
    side: float = 1.0,
    edge: float = 1.0,
    corner: float = 1.0,
    mass: float = 1.0,
    fold: float = 1.0,
    stiffness: float = 0.0,
    preload: float = 0.0,
) -> System:
    """Panels panel_i_j, i < columns along x, j < rows along y, at rest and free in space.

    All corners lie where Schenk and Guest have them: corner (i, j) at

        x = i S ,    y = j L + V (i odd) ,    z = H (j odd) ,

    H = a sin(f) sin(g), L = sqrt(a^2 - H^2), V = a b cos(g)/L, S = sqrt(b^2 - V^2), for the side a, the edge b, the corner g
    between them and the fold f of the panels to the x-y plane. The axes of a panel have x along its edge from corner (i, j)
    and z along its normal. A hinge along an edge is at plus or minus 2 f. Panels are hinged in rows along y on those
    of j = 0; round every inner corner one hinge closes a loop (crease_i_j), of whose five equations at most three count.
    One freedom is left besides six in space.

    Args:
        columns, rows: numbers of panels.
        side: length a of the creases that run along y, m.
        edge: length b of those that zigzag along x, m.
        corner: acute angle g of a panel, rad.
        mass: of a panel, a thin uniform plate, kg.
        fold: angle f, rad: near pi/2 folded, 0 flat, where it could fold in other ways too.
        stiffness: of a torsion spring in every hinge along an edge, N m/rad.
        preload: angle by which these springs are still turned in the flat sheet, rad.
    """
    m, n = at_least(columns, 1, "columns of a fold"), at_least(rows, 1, "rows of a fold")
    a, b = checks.positive(side, "side"), checks.positive(edge, "edge")
    corner = angle_between(corner, 0.0, math.pi / 2, "corner of a panel")
    fold = angle_between(fold, 0.0, math.pi / 2, "fold")
    places = miura_corners(m, n, a, b, corner, fold)
    s, turns, kinds = System("Miura fold"), {}, [_panel(a, b, angle, mass) for angle in (corner, math.pi - corner)]
    for j in range(n):
        for i in range(m):
            name, panel = f"panel_{i}_{j}", kinds[i % 2]
            R = turns[i, j] = _axes(places[i, j], places[i + 1, j], places[i, j + 1])
            if i == j == 0:
                s.add(name, panel, Free(), q=(*places[0, 0], *Rotation.from_matrix(R).as_quat(scalar_first=True)))
            else:
                other, ways = ((i - 1, j), ("right", "left")) if j == 0 else ((i, j - 1), ("far", "near"))
                before = f"panel_{other[0]}_{other[1]}"
                q = _turn_about_x(turns[other] @ kinds[other[0] % 2].frames[ways[0]].R, R @ panel.frames[ways[1]].R)
                s.add(name, panel, Revolute("x"), before, ways[0], hinge=ways[1], q=q)
                if j and stiffness:
                    spring = JointSpring(name, stiffness=stiffness, rest=-math.copysign(preload, q))
                    s.apply(f"spring_{i}_{j}", spring)
            if i and j:
                s.close(f"crease_{i}_{j}", f"panel_{i - 1}_{j}.right", f"{name}.left", Revolute("x"))
            s.show(name, _sheet(panel, "blue" if (i + j) % 2 else "silver"))
    return s


def miura_corners(columns: int, rows: int, a: float, b: float, corner: float, fold: Any) -> Any:
    """Places of all corners, (columns + 1, rows + 1, 3), m; see `miura_fold`. The fold may be complex.

    Ref: Schenk and Guest, Geometry of Miura-folded metamaterials, PNAS 110 (2013) 3276.
    """
    H = a * np.sin(fold) * np.sin(corner)
    L = np.sqrt(a**2 - H**2)
    V = a * b * np.cos(corner) / L
    S = np.sqrt(b**2 - V**2)
    i, j = np.meshgrid(np.arange(columns + 1), np.arange(rows + 1), indexing="ij")
    return np.stack([i * S, j * L + (i % 2) * V, (j % 2) * H], axis=-1)


def _panel(a: float, b: float, corner: float, mass: float) -> Rigid:
    """A parallelogram with its first corner in the origin, an edge along x, and a frame with x along each of its creases."""
    m = checks.positive(mass, "mass")
    edge, side = np.array([b, 0, 0]), a * np.array([math.cos(corner), math.sin(corner), 0])
    inertia = m / 12 * sum(e @ e * np.eye(3) - np.outer(e, e) for e in (edge, side))
    along = (("z", corner),)
    frames = {"near": Frame(), "far": Frame(side), "left": Frame((0, 0, 0), along), "right": Frame(edge, along)}
    return Rigid(m, com=(edge + side) / 2, inertia=inertia, frames=frames)


def _axes(first: Any, along: Any, beside: Any) -> Any:
    """Axes of a panel: x from its first corner along the edge, z along its normal."""
    x, normal = (along - first) / np.linalg.norm(along - first), np.cross(along - first, beside - first)
    z = normal / np.linalg.norm(normal)
    return np.column_stack([x, np.cross(z, x), z])


def _turn_about_x(A: Any, B: Any) -> float:
    """Angle by which axes B are turned from axes A, about the x that they share."""
    R = A.T @ B
    return math.atan2(R[2, 1], R[1, 1])


def _sheet(panel: Rigid, colour: str) -> Mesh:
    """A panel to look at, both sides of it."""
    side, edge = panel.frames["far"].p, panel.frames["right"].p
    return Mesh((0 * edge, edge, edge + side, side), ((0, 1, 2), (0, 2, 3), (0, 2, 1), (0, 3, 2)), color=colour)
