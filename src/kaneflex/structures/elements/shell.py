"""Flat shell with three or four nodes: plate bending and membrane, six dofs per node.

All fields are interpolated from the corners and, with one function P_k per edge, from the middles of the edges (6-node
triangle, 8-node quadrilateral). L_i are the corner functions of the straight-sided element, d_k the vector of edge k from
node i to node j, l_k its length, t_k = d_k/l_k, theta rotation vectors, n the normal.

    displacement   U = sum L_i u_i + sum P_k d_k x (theta_j - theta_i)/8                                          (1)
    normal's tilt  b = sum L_i b_i + sum P_k t_k [ -3 (w_j - w_i)/(2 l_k) - 3/4 t_k . (b_i + b_j) ]               (2)

with w = u . n and b = theta x n. (1) is Allman's idea: an edge bends into a parabola by the difference of its end
rotations. In the plane it gives the membrane strains, with rotations about n as true dofs,

    strain = mean over the element (rotations times a) + b * deviation from the mean .                           (3)

a = b = 1 for the quadrilateral. Allman's triangle is too stiff in its plane; a = 3/2, b^2 = 1/2 after Bergan and Felippa
make it good, and any a, b pass the patch test, for the mean strain alone does the work of a constant stress. The equal
rotation of all nodes, which (1) does not feel, is tied to the rotation of the corners' displacements, as Hughes and Brezzi
do. (2) is the discrete Kirchhoff plate of Batoz: no shear strain along the edges, so thin plates only. Mass comes from (1)
and, for rotary inertia, (2).

Geometric stiffness. The membrane forces do work on the second order of Green's strain, int N_ab (U_,a . U_,b)/2, with b for
the slope of w. For the bending moments let omega be the rotation of the element's middle, from the corners' displacements.
Seen from axes that turn with it, node i at X_i (from the middle) has the second-order displacement and rotation

    -omega x u_i + omega x (omega x X_i)/2 ,    -omega x theta_i/2 ,                                              (4)

on which the nodal forces and moments of bending do work; what else they do inside an element is left out, for relative
rotations there vanish as elements become small. So a stressed plate turns freely by any rotation vector.

Ref: Batoz, Bathe, Ho 1980 (DKT); Batoz, Ben Tahar 1982 (DKQ); Allman 1984; Bergan, Felippa 1985;
Hughes, Brezzi 1989.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import Elements, MassPoints, cross_matrix

RESULTANTS = ("Nx", "Ny", "Nxy", "Mx", "My", "Mxy")
# stiffness that ties nodal rotations about the normal to the membrane's, relative to shear modulus times volume
DRILLING = 0.1
# per number of nodes: factors on the part of rotations in the mean strain, and on the strain's deviation, see (3)
WEIGHTS = {3: (1.5, math.sqrt(0.5)), 4: (1.0, 1.0)}


@dataclass(frozen=True, eq=False)
class ShellElements(Elements):
    """Flat triangles or quadrilaterals of one material.

    Args:
        nodes: (e, 3) or (e, 4) node numbers, in order around each element; quadrilaterals may be slightly warped.
        corners: (e, 3 or 4, 3) their coordinates, m.
        thickness: m.
        E: Young's modulus, Pa.
        nu: Poisson's ratio.
        density: kg/m^3.
        name: in the labels of stress resultants.
    """

    nodes: np.ndarray
    corners: Vector
    thickness: float
    E: float
    nu: float
    density: float
    name: str = "plate"

    @cached_property
    def axes(self) -> Vector:
        """Local axes (e, 3, 3) as rows: x is the structure's x laid into the plane (y where x is normal), z the normal."""
        c = self.corners
        last = c[:, 3] - c[:, 1] if c.shape[1] == 4 else c[:, 2] - c[:, 0]
        first = c[:, 2] - c[:, 0] if c.shape[1] == 4 else c[:, 1] - c[:, 0]
        z = np.cross(first, last)
        z /= np.linalg.norm(z, axis=1)[:, None]
        guide = np.where(np.abs(z[:, :1]) < 0.9, np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
        x = guide - z * np.einsum("ei,ei->e", guide, z)[:, None]
        x /= np.linalg.norm(x, axis=1)[:, None]
        return np.stack([x, np.cross(z, x), z], axis=1)

    @cached_property
    def _plane(self) -> Vector:
        """Corners in local x, y, (e, k, 2), from the element's middle."""
        local = np.einsum("eab,ekb->eka", self.axes, self.corners - self.corners.mean(axis=1)[:, None])
        return local[:, :, :2]

    def _shapes(self, rule: str) -> tuple[Vector, Vector, Vector, Vector, Vector]:
        """L (g,k), P (g,k), their gradients in local x, y (e,g,2,k), and areas of the points (e,g)."""
        L, dL, P, dP, weight = _parent_shapes(self.nodes.shape[1], rule)
        J = np.einsum("gak,ekb->egab", dL, self._plane)
        inverse = np.linalg.inv(J)
        area = np.linalg.det(J) * weight
        return L, P, inverse @ dL, inverse @ dP, area

    @cached_property
    def _edges(self) -> tuple[Vector, Vector]:
        """Edge vectors (e,k,3) in local axes with z = 0, and their lengths (e,k)."""
        d = np.zeros((*self._plane.shape[:2], 3))
        d[..., :2] = np.roll(self._plane, -1, axis=1) - self._plane
        return d, np.linalg.norm(d, axis=2)

    @cached_property
    def _bulge(self) -> Vector:
        """Deviation of U at the middle of the edges, (e, k, 3, 6k): d x (theta_j - theta_i)/8."""
        d, _ = self._edges
        k = d.shape[1]
        D = np.zeros((len(d), k, 3, 6 * k))
        for i in range(k):
            j = (i + 1) % k
            D[:, i, :, 6 * j + 3 : 6 * j + 6] += cross_matrix(d[:, i]) / 8
            D[:, i, :, 6 * i + 3 : 6 * i + 6] -= cross_matrix(d[:, i]) / 8
        return D

    @cached_property
    def _kink(self) -> Vector:
        """Deviation of the tilt b at the middle of the edges, (e, k, 2, 6k), see (2)."""
        d, l = self._edges
        t = d[..., :2] / l[..., None]
        k = d.shape[1]
        D = np.zeros((len(d), k, 2, 6 * k))
        for i in range(k):
            j = (i + 1) % k
            along = np.zeros((len(d), 6 * k))
            along[:, 6 * i + 2], along[:, 6 * j + 2] = 1.5 / l[:, i], -1.5 / l[:, i]
            for node in (i, j):  # b = (theta_y, -theta_x)
                along[:, 6 * node + 4] = -0.75 * t[:, i, 0]
                along[:, 6 * node + 3] = 0.75 * t[:, i, 1]
            D[:, i] = t[:, i, :, None] * along[:, None, :]
        return D

    def _displacement(self, L: Vector, P: Vector) -> Vector:
        """U, (..., 3, 6k), with L and P either values (g, k) or derivatives (e, g, k)."""
        k = L.shape[-1]
        corners = np.zeros((*L.shape[:-1], 3, 6 * k))
        for i in range(k):
            for a in range(3):
                corners[..., a, 6 * i + a] = L[..., i]
        spec = "gk,ekai->egai" if L.ndim == 2 else "egk,ekai->egai"
        return corners + np.einsum(spec, P, self._bulge, optimize=True)

    def _tilt(self, L: Vector, P: Vector) -> Vector:
        """b, (..., 2, 6k), likewise."""
        k = L.shape[-1]
        corners = np.zeros((*L.shape[:-1], 2, 6 * k))
        for i in range(k):
            corners[..., 0, 6 * i + 4] = L[..., i]
            corners[..., 1, 6 * i + 3] = -L[..., i]
        spec = "gk,ekai->egai" if L.ndim == 2 else "egk,ekai->egai"
        return corners + np.einsum(spec, P, self._kink, optimize=True)

    def _strain(self, field: Callable[[Vector, Vector], Vector], rule: str) -> tuple[Vector, Vector]:
        """xx, yy, 2xy of the gradient of a field, (e, g, 3, 6k), and areas of the points (e, g)."""
        _, _, dL, dP, area = self._shapes(rule)
        x, y = field(dL[:, :, 0], dP[:, :, 0]), field(dL[:, :, 1], dP[:, :, 1])
        return np.stack([x[..., 0, :], y[..., 1, :], x[..., 1, :] + y[..., 0, :]], axis=2), area

    def _membrane(self, rule: str) -> tuple[Vector, Vector]:
        """Membrane strains and areas: the mean over the element and the deviation from it, weighted as in (3)."""
        mean_factor, deviation_factor = WEIGHTS[self.nodes.shape[1]]
        over, area = self._strain(self._displacement, "full")
        mean = np.einsum("eg,egai->eai", area / area.sum(axis=1)[:, None], over)[:, None]
        strain, area = self._strain(self._displacement, rule)
        deviation = strain - mean
        k = self.nodes.shape[1]
        turning = [6 * i + c for i in range(k) for c in (3, 4, 5)]
        weighted = mean.copy()
        weighted[..., turning] *= mean_factor
        return weighted + deviation_factor * deviation, area

    @property
    def _plane_stress(self) -> Vector:
        nu = self.nu
        return self.E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])

    def _turn(self) -> Vector:
        """From the structure's dofs to local dofs, (e, 6k, 6k); nodes off the mean plane hang on it by rigid arms.

        The arms' own second order is left out of the geometric stiffness: elements are nearly flat.
        """
        k = self.nodes.shape[1]
        from_middle = self.corners - self.corners.mean(axis=1)[:, None]
        z = self.axes[:, 2]
        arm = -np.einsum("ekb,eb->ek", from_middle, z)[:, :, None] * z[:, None, :]
        T = np.zeros((len(self.nodes), 6 * k, 6 * k))
        for i in range(k):
            u, theta = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
            T[:, u, u] = T[:, theta, theta] = self.axes
            T[:, u, theta] = -self.axes @ cross_matrix(arm[:, i])
        return T

    def _global(self, local: Vector) -> Vector:
        T = self._turn()
        return T.transpose(0, 2, 1) @ local @ T

    def stiffness(self) -> Vector:
        """Membrane, bending and the tie of drilling rotations, (e, 6k, 6k)."""
        membrane, area = self._membrane("full")
        C = self.thickness * self._plane_stress
        K = np.einsum("egai,eg,ab,egbj->eij", membrane, area, C, membrane, optimize=True)
        return self._global(K + self._bending_stiffness)

    @cached_property
    def _bending_stiffness(self) -> Vector:
        """All but the membrane's: bending and the tie of drilling rotations, in local dofs, (e, 6k, 6k)."""
        t = self.thickness
        bending, area = self._strain(self._tilt, "bending")
        K = np.einsum("egai,eg,ab,egbj->eij", bending, area * t**3 / 12, self._plane_stress, bending, optimize=True)
        L, area = self._shapes("centre")[0], self._shapes("centre")[4]
        off = -self._rotation[:, 2]  # mean of the nodes' rotations minus the membrane's
        off[:, 5::6] += L[0]
        G = self.E / (2 * (1 + self.nu))
        return K + (DRILLING * G * t * area[:, 0])[:, None, None] * off[:, :, None] * off[:, None, :]

    def mass(self) -> Vector:
        """Consistent mass with rotary inertia, (e, 6k, 6k)."""
        L, P, _, _, area = self._shapes("full")
        U, b = self._displacement(L, P), self._tilt(L, P)
        rho = self.density * self.thickness * area
        M = np.einsum("egai,eg,egaj->eij", U, rho, U, optimize=True)
        M += np.einsum("egai,eg,egaj->eij", b, rho * self.thickness**2 / 12, b, optimize=True)
        return self._global(M)

    def mass_points(self) -> Iterator[MassPoints]:
        """The middle surface at the points of integration, and the normal as a director."""
        L, P, _, _, area = self._shapes("full")
        T, mass = self._turn()[:, None], self.density * self.thickness * area
        to_structure = self.axes.transpose(0, 2, 1)[:, None]
        z, middle = self.axes[:, 2], self.corners.mean(axis=1)
        height = np.einsum("gk,ekb,eb->eg", L, self.corners - middle[:, None], z)
        places = np.einsum("gk,ekb->egb", L, self.corners) - height[..., None] * z[:, None]
        yield MassPoints(mass, places, to_structure @ self._displacement(L, P) @ T)
        b = self._tilt(L, P)
        turn = np.stack([-b[:, :, 1], b[:, :, 0], np.zeros_like(b[:, :, 0])], axis=2)  # b = theta x n
        normal = np.broadcast_to(z[:, None], places.shape)
        yield MassPoints(mass * self.thickness**2 / 12, normal, to_structure @ turn @ T, directors=True)

    @cached_property
    def _membrane_forces(self) -> Vector:
        """Nx, Ny, Nxy times the areas of the points, per unit of local dofs, (e, g, 3, 6k)."""
        membrane, area = self._membrane("full")
        return (self.thickness * self._plane_stress) @ membrane * area[..., None, None]

    @cached_property
    def _rotation(self) -> Vector:
        """Rotation vector omega of the element's middle per unit of local dofs, (e, 3, 6k)."""
        dL = self._shapes("centre")[2][:, 0]
        omega = np.zeros((len(self.nodes), 3, 6 * self.nodes.shape[1]))
        omega[:, 0, 2::6], omega[:, 1, 2::6] = dL[:, 1], -dL[:, 0]
        omega[:, 2, 1::6], omega[:, 2, 0::6] = dL[:, 0] / 2, -dL[:, 1] / 2
        return omega

    @cached_property
    def _slopes(self) -> Vector:
        """U_,x and U_,y, the slope of w from the tilt, per unit of local dofs, (e, g, 2, 3, 6k)."""
        L, P, dL, dP, _ = self._shapes("full")
        slopes = np.stack([self._displacement(dL[:, :, a], dP[:, :, a]) for a in (0, 1)], axis=2)
        slopes[..., 2, :] = -self._tilt(L, P)
        return slopes

    def geometric(self, displacement: Vector, acceleration: Vector | None = None) -> Vector:
        """Geometric stiffness of the stress that nodal displacements (e, 6k) cause, (e, 6k, 6k)."""
        local = (self._turn() @ displacement[:, :, None])[..., 0]
        N = (self._membrane_forces @ local[:, None, :, None])[..., 0]
        force = np.stack([N[..., [0, 2]], N[..., [2, 1]]], axis=2)
        e, g, _, _, d = self._slopes.shape
        loaded = force @ self._slopes.reshape(e, g, 2, 3 * d)
        membrane = self._slopes.reshape(e, -1, d).transpose(0, 2, 1) @ loaded.reshape(e, -1, d)
        half = self._turning(local)
        return self._global(membrane + half + half.transpose(0, 2, 1))

    def _turning(self, local: Vector) -> Vector:
        """Half of the quadratic form of the work of bending on (4), (e, 6k, 6k), for local dofs (e, 6k)."""
        loads = (self._bending_stiffness @ local[:, :, None]).reshape(len(local), -1, 6)
        f, m = loads[..., :3], loads[..., 3:]
        X = np.concatenate([self._plane, np.zeros_like(self._plane[..., :1])], axis=2)
        outer = np.einsum("eka,ekb->eab", f, X)
        P = (outer + outer.transpose(0, 2, 1)) / 2 - np.trace(outer, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        W = np.concatenate([cross_matrix(f), cross_matrix(m) / 2], axis=3)  # (e, k, 3, 6): omega^T f~ u, omega^T m~ theta/2
        W = W.transpose(0, 2, 1, 3).reshape(len(local), 3, -1)
        return self._rotation.transpose(0, 2, 1) @ (W + P @ self._rotation / 2)

    def section_loads(self) -> tuple[list[str], Vector]:
        """Nx, Ny, Nxy (N/m), Mx, My, Mxy (N) at the middle of every element in local axes; labels "plate-3.Nx".

        Positive Mx puts the side of positive local z in tension when z is the normal of the nodes' order.
        """
        t, C = self.thickness, self._plane_stress
        membrane, bending = self._membrane("centre")[0], self._strain(self._tilt, "centre")[0]
        maps = np.concatenate([t * C @ membrane[:, 0], t**3 / 12 * C @ bending[:, 0]], axis=1)
        return [f"{self.name}-{k}.{r}" for k in range(len(self.nodes)) for r in RESULTANTS], maps @ self._turn()


@lru_cache
def _parent_shapes(k: int, rule: str) -> tuple[Vector, Vector, Vector, Vector, Vector]:
    """L (g,k), dL (g,2,k), P (g,k), dP (g,2,k) in parent coordinates, and weights (g,)."""
    return _triangle(rule) if k == 3 else _quadrilateral(rule)


def _triangle(rule: str) -> tuple[Vector, Vector, Vector, Vector, Vector]:
    if rule == "centre":
        points, weight = np.array([[1 / 3, 1 / 3]]), np.array([0.5])
    else:  # six points, exact to degree 4
        a, b = 0.445948490915965, 0.091576213509771
        points = np.array([[a, a], [1 - 2 * a, a], [a, 1 - 2 * a], [b, b], [1 - 2 * b, b], [b, 1 - 2 * b]])
        weight = np.repeat([0.223381589678011, 0.109951743655322], 3) / 2
    L = np.stack([1 - points.sum(axis=1), points[:, 0], points[:, 1]], axis=1)
    dL = np.broadcast_to(np.array([[-1.0, 1, 0], [-1, 0, 1]]), (len(points), 2, 3))
    after = np.roll(L, -1, axis=1)
    P = 4 * L * after
    dP = 4 * (dL * after[:, None] + L[:, None] * np.roll(dL, -1, axis=2))
    return L, dL, P, dP, weight


def _quadrilateral(rule: str) -> tuple[Vector, Vector, Vector, Vector, Vector]:
    x, w = np.polynomial.legendre.leggauss({"centre": 1, "bending": 2, "full": 3}[rule])
    r, s = (a.ravel() for a in np.meshgrid(x, x, indexing="ij"))
    R, S = np.array([-1.0, 1, 1, -1]), np.array([-1.0, -1, 1, 1])
    L = (1 + r[:, None] * R) * (1 + s[:, None] * S) / 4
    dL = np.stack([R * (1 + s[:, None] * S), S * (1 + r[:, None] * R)], axis=1) / 4
    P = np.stack([(1 - r**2) * (1 - s), (1 + r) * (1 - s**2), (1 - r**2) * (1 + s), (1 - r) * (1 - s**2)], axis=1) / 2
    Pr = np.stack([-2 * r * (1 - s), 1 - s**2, -2 * r * (1 + s), -(1 - s**2)], axis=1) / 2
    Ps = np.stack([-(1 - r**2), -2 * s * (1 + r), 1 - r**2, -2 * s * (1 - r)], axis=1) / 2
    return L, dL, P, np.stack([Pr, Ps], axis=1), np.outer(w, w).ravel()
