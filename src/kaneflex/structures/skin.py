"""What is seen of a flexible body: a surface of triangles whose corners move with the modes.

Members become tubes of eight sides, plates surfaces, solids their outer faces, matrices lines between the nodes that they
couple, membranes sheets that let what is behind them be seen. A point of the surface at r from a node with modes phi
(displacement) and psi (rotation vector) has the modes phi + psi x r, so that tubes twist and their ends tilt. Second-order
displacements are left out: they are smaller than what an eye sees.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.beam import BeamElements
from kaneflex.structures.elements.matrices import GivenMatrices
from kaneflex.structures.elements.shell import ShellElements
from kaneflex.structures.elements.tetrahedron import TetrahedronElements
from kaneflex.structures.elements.truss import TrussElements

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaneflex.structures.modes.modal_data import NodeModes
    from kaneflex.structures.structure import Structure

SIDES = 8  # of a tube
THINNEST, THICKEST = 1 / 160, 1 / 12  # radius of a member, in sizes of the structure: thinner is not seen, thicker is wrong
CORD = 1 / 300  # of bars and rigid links, whose section is not known
DOT = 1 / 90  # of nodes between which nothing is known
MOST_DOTS = 2000
HAIR = 1 / 500  # of lines between nodes that matrices couple
MOST_LINES = 1500
# faces of a tetrahedron as seen from outside: corners, then the middles of the edges between them
_FACES = ((0, 2, 1, 6, 5, 4), (0, 1, 3, 4, 8, 7), (1, 2, 3, 5, 9, 8), (2, 0, 3, 6, 7, 9))
_SPLIT = ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5))  # a face with middles as four triangles
_OCTAHEDRON = ((0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5))


@dataclass(frozen=True, eq=False)
class Skin:
    """Nodes with their modes, and what lies between them; in the body's axes, from its origin.

    Args:
        points: places of the nodes, (n, 3), m.
        shapes: displacements and rotations of the nodes in the modes, (n, 6, m).
        members: pairs of nodes, (k, 2).
        across: unit vectors normal to the members, (k, 3).
        radii: half widths of the members along `across` and normal to it, (k, 2), m.
        faces: triangles of nodes, (f, 3).
        dots: nodes to be seen by themselves, (d,).
        sheets: triangles of nodes that are seen through, (s, 3).
    """

    points: Vector
    shapes: Vector
    members: Any = ()
    across: Any = ()
    radii: Any = ()
    faces: Any = ()
    dots: Any = ()
    sheets: Any = ()

    def __post_init__(self) -> None:
        for name, width, kind in (
            ("members", 2, np.int64), ("across", 3, float), ("radii", 2, float), ("faces", 3, np.int64),
            ("sheets", 3, np.int64),
        ):  # fmt: skip
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=kind).reshape(-1, width))
        object.__setattr__(self, "dots", np.asarray(self.dots, dtype=np.int64).reshape(-1))
        for name in ("points", "shapes"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    @property
    def size(self) -> float:
        """Largest extent of the nodes, m."""
        return float(np.ptp(self.points, axis=0).max(initial=0.0))

    @cached_property
    def surface(self) -> tuple[Vector, np.ndarray, Vector]:
        """Vertices (v, 3), triangles (t, 3), and the modes of the vertices (m, v, 3)."""
        return self._moving([_flat(self.faces), self._tubes(), self._octahedra()])

    @cached_property
    def sheet(self) -> tuple[Vector, np.ndarray, Vector]:
        """The same of what is seen through."""
        return self._moving([_flat(self.sheets)])

    def _moving(self, parts: list[tuple[np.ndarray, Vector, np.ndarray]]) -> tuple[Vector, np.ndarray, Vector]:
        """Vertices, triangles and modes of pieces given as nodes, arms from there, and triangles."""
        owner = np.concatenate([p[0] for p in parts])
        arm = np.concatenate([p[1] for p in parts])
        starts = np.cumsum([0, *(len(p[0]) for p in parts[:-1])])
        corners = np.concatenate([p[2] + s for p, s in zip(parts, starts, strict=True)])
        shapes = self.shapes[owner]
        modes = shapes[:, :3] + np.cross(shapes[:, 3:], arm[:, :, None], axisa=1, axisb=1, axisc=1)
        return self.points[owner] + arm, corners, np.ascontiguousarray(modes.transpose(2, 0, 1))

    def _tubes(self) -> tuple[np.ndarray, Vector, np.ndarray]:
        """Nodes of the rings' corners, arms from there, and triangles."""
        if not len(self.members):
            return np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros((0, 3), np.int64)
        along = self.points[self.members[:, 1]] - self.points[self.members[:, 0]]
        along = along / np.linalg.norm(along, axis=1)[:, None]
        other = np.cross(along, self.across)
        angle = 2 * np.pi * np.arange(SIDES) / SIDES
        y = self.radii[:, :1, None] * self.across[:, None] * np.cos(angle)[:, None]
        ring = y + self.radii[:, 1:, None] * other[:, None] * np.sin(angle)[:, None]
        # members in line share the ring at their common node
        look = np.column_stack([along, self.across, self.radii / self.radii.max()])
        keys = np.concatenate([np.column_stack([self.members[:, end], np.round(look, 6)]) for end in (0, 1)])
        _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        k, rings = len(self.members), len(first)
        a, b = number.reshape(-1)[:k], number.reshape(-1)[k:]
        i, j = np.arange(SIDES), (np.arange(SIDES) + 1) % SIDES
        A, B = SIDES * a[:, None], SIDES * b[:, None]
        sides = np.stack([A + i, A + j, B + j, A + i, B + j, B + i], axis=-1).reshape(-1, 3)
        fan = np.column_stack([np.zeros(SIDES - 2, np.int64), np.arange(1, SIDES - 1), np.arange(2, SIDES)])
        uses = np.bincount(np.concatenate([a, b]), minlength=rings)
        begins, ends = a[uses[a] == 1], b[uses[b] == 1]
        caps = [SIDES * begins[:, None, None] + fan[:, ::-1], SIDES * ends[:, None, None] + fan]
        nodes = keys[first, 0].astype(np.int64)
        triangles = np.concatenate([sides, *(cap.reshape(-1, 3) for cap in caps)])
        return np.repeat(nodes, SIDES), ring[first % k].reshape(-1, 3), triangles

    def _octahedra(self) -> tuple[np.ndarray, Vector, np.ndarray]:
        radius = DOT * (self.size or 1.0)
        corners = radius * np.concatenate([np.array([s * np.eye(3)[a] for s in (1, -1)]) for a in range(3)])
        arms = np.tile(corners, (len(self.dots), 1))
        triangles = 6 * np.arange(len(self.dots))[:, None, None] + np.array(_OCTAHEDRON)
        return np.repeat(self.dots, 6), arms, triangles.reshape(-1, 3)


def _flat(triangles: np.ndarray) -> tuple[np.ndarray, Vector, np.ndarray]:
    """Nodes that triangles use, no arms, and the triangles in their numbers."""
    used = np.unique(triangles)
    return used, np.zeros((len(used), 3)), np.searchsorted(used, triangles)


def skin_of(structure: "Structure", shapes: Vector, root: Any) -> Skin:
    """The skin of a structure.

    Args:
        structure: the finite-element model.
        shapes: its modes over all dofs, (6n + hidden, m).
        root: node at the body's origin; None where that is the structure's own.
    """
    origin = np.zeros(3) if root is None else structure.points[structure.node(root)]
    points, n = structure.points - origin, len(structure)
    size = float(np.ptp(points, axis=0).max()) or 1.0
    pairs, sections, faces = [], [], []
    unknown = False
    for group in structure.elements:
        if isinstance(group, BeamElements):
            pairs.append(group.nodes)
            sections.append((group.y_axis, np.clip(_half_widths(group), THINNEST * size, THICKEST * size)))
        elif isinstance(group, TrussElements):
            pairs.append(group.nodes)
            sections.append(_thin(points, group.nodes, CORD * size))
        elif isinstance(group, ShellElements):
            faces.append(group.nodes[:, :3])
            if group.nodes.shape[1] == 4:
                faces.append(group.nodes[:, [0, 2, 3]])
        elif isinstance(group, TetrahedronElements):
            faces.append(_outer(group.nodes))
        unknown = unknown or isinstance(group, GivenMatrices)
    if unknown:
        coupled = _coupled(structure, size)
        pairs.append(coupled)
        sections.append(_thin(points, coupled, HAIR * size))
    links = np.array([(b, a) for a, b in structure.follows.items()], dtype=np.int64).reshape(-1, 2)
    far = np.linalg.norm(points[links[:, 1]] - points[links[:, 0]], axis=1) > 1e-9 * size
    if not faces:  # what hangs on plates and solids is seen without its links
        pairs.append(links[far])
        sections.append(_thin(points, links[far], CORD * size))
    members = np.concatenate([np.zeros((0, 2), np.int64), *pairs])
    across = np.concatenate([np.zeros((0, 3)), *(s[0] for s in sections)])
    radii = np.concatenate([np.zeros((0, 2)), *(s[1] for s in sections)])
    triangles = np.concatenate([np.zeros((0, 3), np.int64), *faces])
    sheets = np.reshape(structure.shown, (-1, 3)).astype(np.int64)
    dots = np.arange(n)[:: 1 + n // MOST_DOTS] if unknown else np.zeros(0, np.int64)
    dots = np.setdiff1d(dots, members) if len(members) else dots  # the end of a line is seen
    shown = [members.ravel(), triangles.ravel(), sheets.ravel(), dots]
    used = np.unique(np.concatenate(shown))  # a solid's inner nodes are not seen
    by_node = np.asarray(shapes, dtype=float)[: 6 * n].reshape(n, 6, -1)
    members, triangles, dots, sheets = (np.searchsorted(used, x) for x in (members, triangles, dots, sheets))
    return Skin(points[used], by_node[used], members, across, radii, triangles, dots, sheets)


def _coupled(structure: "Structure", size: float) -> np.ndarray:
    """Lines that are known, else pairs of nodes that given matrices couple, or of which one moves as others say; none where
    they are too many."""
    if len(structure) > MOST_LINES:
        return np.zeros((0, 2), np.int64)
    pairs = structure.lines
    if pairs is None:
        given = [group.edges() for group in structure.elements if isinstance(group, GivenMatrices)]
        nodal = 6 * len(structure)
        rows, columns = structure.dependent[:nodal, :nodal].nonzero()
        pairs = np.concatenate([*given, np.column_stack([rows, columns]) // 6])
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    apart = np.linalg.norm(structure.points[pairs[:, 1]] - structure.points[pairs[:, 0]], axis=1) > 1e-9 * size
    return pairs[apart].astype(np.int64) if len(pairs) <= MOST_LINES else np.zeros((0, 2), np.int64)


def skin_of_nodes(nodes: "Mapping[str, NodeModes]") -> Skin:
    """Named nodes as dots, where nothing else is known.

    Args:
        nodes: of a ModalBody.
    """
    points = np.array([node.position for node in nodes.values()]).reshape(-1, 3)
    shapes = np.array([np.concatenate([node.Phi, node.Psi]) for node in nodes.values()])
    return Skin(points, shapes if len(shapes) else np.zeros((0, 6, 0)), dots=np.arange(len(points)))


def _half_widths(group: BeamElements) -> Vector:
    """Semi-axes (e, 2) along y and z of the solid elliptical sections with the same ratios of stiffness."""
    EA, EIy, EIz = (group.sections[:, :, k].mean(axis=1) for k in (0, 4, 5))
    return np.asarray(2 * np.sqrt(np.column_stack([EIz, EIy]) / EA[:, None]))


def _thin(points: Vector, pairs: np.ndarray, radius: float) -> tuple[Vector, Vector]:
    """Any direction normal to each pair, and a radius."""
    along = points[pairs[:, 1]] - points[pairs[:, 0]]
    along = along / np.linalg.norm(along, axis=1)[:, None]
    guide = np.eye(3)[np.abs(along).argmin(axis=1)]
    across = np.cross(along, guide)
    return across / np.linalg.norm(across, axis=1)[:, None], np.full((len(pairs), 2), radius)


def _outer(nodes: np.ndarray) -> np.ndarray:
    """Triangles of the faces of tetrahedra that belong to one element only."""
    if nodes.shape[1] == 4:
        faces = np.concatenate([nodes[:, f[:3]] for f in _FACES])
    else:
        faces = np.concatenate([nodes[:, f] for f in _FACES])
    corners = np.sort(faces[:, :3], axis=1)
    _, number, count = np.unique(corners, axis=0, return_inverse=True, return_counts=True)
    outer = faces[count[number.reshape(-1)] == 1]
    return outer if nodes.shape[1] == 4 else np.concatenate([outer[:, s] for s in _SPLIT])
