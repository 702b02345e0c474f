"""Quadratic tetrahedron with ten nodes (or four): solids, three dofs per node.

Straight edges, nodes in the middles of the edges; quadratic displacements, so bending is right with a few elements over the
depth. Strains are Green's, E = (H + H^T + H^T H)/2 with H the gradient of displacement; the geometric stiffness has all six
stresses.
"""

from dataclasses import dataclass

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import Elements

# corners of the edges in whose middles nodes 5 to 10 sit
EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
PAIRS = ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1))
STRESSES = ("sxx", "syy", "szz", "syz", "szx", "sxy")


@dataclass(frozen=True, eq=False)
class TetrahedronElements(Elements):
    """Tetrahedra of one isotropic material.

    Args:
        nodes: (e, 10) node numbers: four corners, then the middles of EDGES.
        corners: (e, 4, 3) coordinates of the corners, m, right-handed (positive volume).
        E: Young's modulus, Pa.
        nu: Poisson's ratio.
        density: kg/m^3.
        name: in the labels of stresses.
    """

    nodes: np.ndarray
    corners: Vector
    E: float
    nu: float
    density: float
    name: str = "solid"
    components = (0, 1, 2)

    def _geometry(self) -> tuple[Vector, Vector]:
        """Gradients of the four corner functions (e, 3, 4), and volumes (e,)."""
        J = self.corners[:, 1:] - self.corners[:, :1]
        inverse = np.linalg.inv(J)
        gradients = np.concatenate([-inverse.sum(axis=2, keepdims=True), inverse], axis=2)
        return gradients, np.linalg.det(J) / 6

    def _gradient(self, points: Vector) -> Vector:
        """Gradients of the ten functions at barycentric points (g, 4): (e, g, 3, 10)."""
        dL, _ = self._geometry()
        corner = np.einsum("gk,eak->egak", 4 * points - 1, dL)
        L = points[None, :, None, :]
        middle = [4 * (L[..., i] * dL[:, None, :, j] + L[..., j] * dL[:, None, :, i]) for i, j in EDGES]
        return np.concatenate([corner, np.stack(middle, axis=3)], axis=3)

    def _strain(self, points: Vector) -> Vector:
        """Strains (xx, yy, zz, 2yz, 2zx, 2xy) per dof, (e, g, 6, 30)."""
        d = self._gradient(points)
        B = np.zeros((*d.shape[:2], 6, 30))
        for row, (a, b) in enumerate(PAIRS):
            B[..., row, a::3] = d[..., b, :]
            B[..., row, b::3] = d[..., a, :]
        return B

    def _elasticity(self) -> Vector:
        nu = self.nu
        C = np.zeros((6, 6))
        C[:3, :3] = nu
        C[range(3), range(3)] = 1 - nu
        C[range(3, 6), range(3, 6)] = (1 - 2 * nu) / 2
        return self.E / ((1 + nu) * (1 - 2 * nu)) * C

    def stiffness(self) -> Vector:
        """Linear stiffness, (e, 30, 30)."""
        points, weights = _rule(2)
        B = self._strain(points)
        area = self._geometry()[1][:, None] * weights
        return np.einsum("egai,eg,ab,egbj->eij", B, area, self._elasticity(), B, optimize=True)

    def mass(self) -> Vector:
        """Consistent mass, (e, 30, 30)."""
        points, weights = _rule(4)
        N = _shape(points)
        m = np.einsum("gi,g,gj->ij", N, weights, N)
        return (self.density * self._geometry()[1])[:, None, None] * np.kron(m, np.eye(3))

    def geometric(self, displacement: Vector, acceleration: Vector | None = None) -> Vector:
        """int stress_ab u_,a . u_,b of the stress that nodal displacements (e, 30) cause, (e, 30, 30)."""
        points, weights = _rule(3)
        d = self._gradient(points)
        H = d @ displacement.reshape(-1, 1, 10, 3)
        strain = np.stack([H[..., a, b] + (H[..., b, a] if a != b else 0) for a, b in PAIRS], axis=2)
        stress = strain @ self._elasticity()
        S = stress[..., [[0, 5, 4], [5, 1, 3], [4, 3, 2]]] * (self._geometry()[1][:, None] * weights)[..., None, None]
        rows = d.reshape(len(d), -1, 10)
        k = rows.transpose(0, 2, 1) @ (S @ d).reshape(rows.shape)
        return np.einsum("eij,ab->eiajb", k, np.eye(3)).reshape(-1, 30, 30)

    def section_loads(self) -> tuple[list[str], Vector]:
        """Stresses (Pa) at the middle of every element; labels "solid-3.sxx"."""
        maps = self._elasticity() @ self._strain(np.full((1, 4), 0.25))[:, 0]
        return [f"{self.name}-{k}.{s}" for k in range(len(self.nodes)) for s in STRESSES], maps

    def edges(self) -> np.ndarray:
        """Straight edges between corners."""
        return np.concatenate([self.nodes[:, pair] for pair in EDGES])


def _shape(L: Vector) -> Vector:
    """The ten functions at barycentric points (g, 4): (g, 10)."""
    return np.concatenate([L * (2 * L - 1), np.stack([4 * L[:, i] * L[:, j] for i, j in EDGES], axis=1)], axis=1)


def _rule(degree: int) -> tuple[Vector, Vector]:
    """Barycentric points and weights (sum 1) on a tetrahedron, exact to the degree (2 to 4).

    Above degree 2 by Gauss-Legendre points in collapsed coordinates, whose weight adds two degrees.
    """
    if degree == 2:
        a = (5 - np.sqrt(5)) / 20
        return np.full((4, 4), a) + (1 - 4 * a) * np.eye(4), np.full(4, 0.25)
    x, w = np.polynomial.legendre.leggauss((degree + 4) // 2)
    x, w = (x + 1) / 2, w / 2
    r, s, t = (a.ravel() for a in np.meshgrid(x, x, x, indexing="ij"))
    weight = np.einsum("i,j,k->ijk", w, w, w).ravel() * 6 * (1 - r) ** 2 * (1 - s)
    points = np.stack([r, (1 - r) * s, (1 - r) * (1 - s) * t], axis=1)
    return np.column_stack([1 - points.sum(axis=1), points]), weight
