"""Straight beam with two nodes: stretch, torsion, bending in two planes, with or without shear deformation.

Strains are those of the geometrically exact beam. With u the displacement of the axis, theta the rotation vector of the
section, e the unit vector along the beam and ' = d/dx, all in element axes,

    force strain  = R^T (r') - e   = u' - theta x e  +  [ -theta x u' + theta x (theta x e)/2 ] + ...          (1)
    moment strain = axial(R^T R')  = theta'          +  [ -theta x theta'/2 ] + ...                            (2)

Twist also shortens the fibres off the axis, which wind into helices: the section's mean axial strain grows by
r^2 (theta_x')^2/2, with r^2 the square of the polar radius of gyration about the shear centre, of a homogeneous section
(EIy + EIz)/EA + e^2 (Wagner).

The linear parts give the stiffness; the second-order parts, multiplied by the section loads n = (N, Vy, Vz) and
m = (T, My, Mz) of the stress state, give the geometric stiffness

    1/2 q^T KG q = int n . [ -theta x u' + theta x (theta x e)/2 ] - m . (theta x theta')/2 + N r^2 (theta_x')^2/2 dx .   (3)

So axial force, shear, bending moments and torque all take part, and node rotations are rotation vectors to second order.
Under inertia loads along the beam the section loads are those of the nodal displacements and those of the element with its
ends held: with the latter (3) errs as the shapes do, with the fourth power of the element's length.
Shape functions are the static solution of the element loaded at its ends, with its own section along it: for a uniform beam
the cubics with the shear parameter 12 EI/(GA L^2), for a varying one integrated numerically. So nodal loads give exact
displacements at the nodes, in (3) too (to the accuracy of four Gauss points where sections vary).

Nodes, mass and axial force are on the line of the centroids. The shear centre of a section is at e = (0, e_y, e_z) from
there, and it is the motion u + theta x e of that which bends, and the torque about it which twists,

    T_s = T - e_y Vz + e_z Vy :                                                                                      (4)

the shapes are found in dofs of the shear centre, and (3) has u and T of the centroid. e is constant along an element (its
mean, where it varies). Sections warp freely: there is no stiffness against that.
Ref: (4) Timoshenko, J. Franklin Inst. 239 (1945) 201; Kane, Ryan and Banerjee, J. Guidance 10 (1987) 139.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import Elements, MassPoints, cross_matrix

# four Gauss points integrate the mass of a uniform beam (degree 6) exactly; on 0..1
_X, _W = np.polynomial.legendre.leggauss(4)
GAUSS_POINTS, GAUSS_WEIGHTS = (_X + 1) / 2, _W / 2
# values at the Gauss points to their integral from 0 to each point, by the cubic through them
_POWERS = GAUSS_POINTS[:, None] ** np.arange(4)
CUMULATIVE = (_POWERS * GAUSS_POINTS[:, None] / np.arange(1, 5)) @ np.linalg.inv(_POWERS)

SECTION_FIELDS = ("EA", "GAy", "GAz", "GJ", "EIy", "EIz", "mass", "polar", "rotary_y", "rotary_z", "e_y", "e_z")
"""Section values, per unit length: axial, shear, torsion and bending stiffness (bending about y and about z, N m^2),
mass (kg/m), mass moments of inertia about x, y, z (kg m), and the shear centre from the centroid (m)."""
LOAD_NAMES = ("N", "Vy", "Vz", "T", "My", "Mz")


@dataclass(frozen=True, eq=False)
class BeamElements(Elements):
    """Beams between pairs of nodes.

    Args:
        nodes: (e, 2) node numbers.
        ends: (e, 2, 3) coordinates of the nodes, m.
        y_axis: (e, 3) unit vectors of the local y axes, normal to the beams.
        sections: (e, 4, 12) values of SECTION_FIELDS at the Gauss points; infinite GAy, GAz: no shear deformation.
        labels: (e,) what each element is called in the names of its section loads.
    """

    nodes: np.ndarray
    ends: Vector
    y_axis: Vector
    sections: Vector
    labels: tuple[str, ...] = ()

    @property
    def length(self) -> Vector:
        """Lengths (e,), m."""
        return np.linalg.norm(self.ends[:, 1] - self.ends[:, 0], axis=1)

    @property
    def axes(self) -> Vector:
        """Rotation matrices (e, 3, 3): rows are the local x, y, z axes in the structure's axes."""
        x = (self.ends[:, 1] - self.ends[:, 0]) / self.length[:, None]
        return np.stack([x, self.y_axis, np.cross(x, self.y_axis)], axis=1)

    @property
    def _shear_centre(self) -> Vector:
        """e_y and e_z, (2, e)."""
        return np.asarray(self.sections[:, :, 10:].mean(axis=1).T)

    def _turn(self) -> Vector:
        """From the structure's dofs to local dofs, those across the beam being of the shear centre, (e, 12, 12)."""
        T = np.zeros((len(self.nodes), 12, 12))
        for k in range(4):
            T[:, 3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = self.axes
        y, z = self._shear_centre[..., None]
        for k in (0, 6):
            T[:, k + 1] -= z * T[:, k + 3]
            T[:, k + 2] += y * T[:, k + 3]
        return T

    def _about_centroid(self, loads: Vector) -> Vector:
        """Section loads (e, 4, 6) with the torque about the centroid in place of that about the shear centre, (4)."""
        y, z = self._shear_centre[..., None]
        moved = loads.copy()
        moved[..., 3] += y * loads[..., 2] - z * loads[..., 1]
        return moved

    @cached_property
    def _fields(self) -> "_Fields":
        """Everything at the Gauss points per unit local dof, from the static solution of the beam loaded at its ends."""
        e, L = len(self.nodes), self.length
        u, theta, du, dtheta = (np.zeros((e, 4, 3, 12)) for _ in range(4))
        f = _Fields(u, theta, du, dtheta, loads=np.zeros((e, 4, 6, 12)), ends=np.zeros((e, 12, 12)))
        c = 1 / self.sections[:, :, :6]  # compliance; zero shear compliance where GA is infinite
        x = GAUSS_POINTS * L[:, None]
        dx = GAUSS_WEIGHTS * L[:, None]
        upto = lambda values: L[:, None] * np.einsum("gh,eh->eg", CUMULATIVE, values)
        for field, slope, row in ((u, du, 0), (theta, dtheta, 3)):  # stretch and twist: one constant load N
            N = np.outer(1 / (dx * c[:, :, row]).sum(axis=1), [-1.0, 1.0])
            columns = [row, row + 6]
            field[:, :, 0, columns] = np.array([1.0, 0.0]) + upto(c[:, :, row])[:, :, None] * N[:, None, :]
            slope[:, :, 0, columns] = c[:, :, row, None] * N[:, None, :]
            f.loads[:, :, row, columns] = N[:, None, :]
            f.ends[:, row, columns] = f.ends[:, 6 + row, columns] = N
        # deflection v with section rotation p = theta_z, or deflection w with p = -theta_y
        for across, turn, sign, shear, bend in ((1, 2, 1.0, 1, 5), (2, 1, -1.0, 2, 4)):
            columns = [across, 3 + turn, 6 + across, 9 + turn]
            signs = np.array([1.0, sign, 1.0, sign])
            m0, V = (k * signs for k in _bending(x, dx, L, c[:, :, bend], c[:, :, shear]))
            m = m0[:, None, :] - V[:, None, :] * x[:, :, None]
            dp = c[:, :, bend, None] * m
            slip = c[:, :, shear, None] * V[:, None, :]
            p = np.array([0, sign, 0, 0]) + np.stack([upto(dp[..., k]) for k in range(4)], axis=-1)
            v = np.array([1.0, 0, 0, 0]) + np.stack([upto((p + slip)[..., k]) for k in range(4)], axis=-1)
            u[:, :, across, columns], du[:, :, across, columns] = v, p + slip
            theta[:, :, turn, columns], dtheta[:, :, turn, columns] = sign * p, sign * dp
            f.loads[:, :, across, columns], f.loads[:, :, 3 + turn, columns] = V[:, None, :], sign * m
            for at, moment in ((0, m0), (6, m0 - V * L[:, None])):
                f.ends[:, at + across, columns], f.ends[:, at + 3 + turn, columns] = V, sign * moment
        y, z = self._shear_centre[..., None, None]
        for field, turned in ((u, theta), (du, dtheta)):  # from the shear centre to the centroid
            field[:, :, 1] += z * turned[:, :, 0]
            field[:, :, 2] -= y * turned[:, :, 0]
        return f

    def stiffness(self) -> Vector:
        """Linear stiffness, (e, 12, 12): the strain energy of the section loads."""
        loads = self._fields.loads
        weight = GAUSS_WEIGHTS[:, None] * self.length[:, None, None] / self.sections[:, :, :6]
        return _congruence(self._turn(), np.einsum("egai,ega,egaj->eij", loads, weight, loads, optimize=True))

    def mass(self) -> Vector:
        """Consistent mass with rotary and polar inertia, (e, 12, 12)."""
        u, theta = self._fields.u, self._fields.theta
        weight = GAUSS_WEIGHTS * self.length[:, None]
        line = np.einsum("egai,eg,egaj->eij", u, self.sections[:, :, 6] * weight, u, optimize=True)
        rotary = self.sections[:, :, 7:10] * weight[:, :, None]
        turning = np.einsum("egai,ega,egaj->eij", theta, rotary, theta, optimize=True)
        return _congruence(self._turn(), line + turning)

    def mass_points(self) -> Iterator[MassPoints]:
        """The axis at the Gauss points, and a director along each local axis.

        The second moments of a section's mass are half the sum of its rotary inertias less that about the axis itself.
        """
        weight, T = GAUSS_WEIGHTS * self.length[:, None], self._turn()
        to_structure = self.axes.transpose(0, 2, 1)[:, None]
        motion, turn = (to_structure @ field @ T[:, None] for field in (self._fields.u, self._fields.theta))
        yield MassPoints(self.sections[:, :, 6] * weight, self._gauss_places, motion)
        rotary = self.sections[:, :, 7:10] * weight[:, :, None]
        for a, mass in enumerate(np.moveaxis(rotary.sum(axis=2, keepdims=True) / 2 - rotary, 2, 0)):
            if np.abs(mass).max() > 1e-14 * np.abs(rotary).max():
                yield MassPoints(mass, np.broadcast_to(self.axes[:, None, a], motion.shape[:3]), turn, directors=True)

    @property
    def _gauss_places(self) -> Vector:
        """Gauss points (e, 4, 3) in the structure's axes."""
        start, end = self.ends[:, None, 0], self.ends[:, None, 1]
        return start + GAUSS_POINTS[:, None] * (end - start)

    def _held(self, acceleration: Vector) -> Vector:
        """Section loads (torque: about the shear centre) at the Gauss points, (e, 4, 6), under the inertia load of a field
        (3, 4), the ends being held.

        Those of the beam held at its start, then the load at its end that brings this back.
        """
        L, axes, c = self.length, self.axes, 1 / self.sections[:, :, :6]
        dx, x = GAUSS_WEIGHTS * L[:, None], GAUSS_POINTS * L[:, None]
        field = acceleration[:, 0] + self._gauss_places @ acceleration[:, 1:].T
        force = np.einsum("eab,egb->ega", axes, field) * self.sections[:, :, 6:7]
        turned = axes @ acceleration[:, 1:] @ axes.transpose(0, 2, 1)  # C in element axes; directors: d x C d
        rotary = self.sections[:, :, 7:10]
        second = rotary.sum(axis=2, keepdims=True) / 2 - rotary
        about = ((2, 1), (0, 2), (1, 0))
        moment = [second[..., b] * turned[:, None, a, b] - second[..., a] * turned[:, None, b, a] for a, b in about]
        y, z = self._shear_centre[..., None]
        moment[0] = moment[0] - y * force[..., 2] + z * force[..., 1]
        total = lambda values: np.einsum("eg,eg...->e...", dx, values)
        upto = lambda values: L[:, None, None] * np.einsum("gh,eha->ega", CUMULATIVE, values)
        beyond = lambda values: total(values)[:, None] - upto(values)
        loads = np.concatenate([beyond(force), beyond(np.stack(moment, axis=2))], axis=2)
        loads[:, :, 5] += beyond(loads[:, :, 1:2])[:, :, 0]
        loads[:, :, 4] -= beyond(loads[:, :, 2:3])[:, :, 0]
        for row in (0, 3):
            loads[:, :, row] -= (total(c[:, :, row] * loads[:, :, row]) / total(c[:, :, row]))[:, None]
        for across, turn, sign in ((1, 5, 1.0), (2, 4, -1.0)):
            m, slip = sign * c[:, :, turn] * loads[:, :, turn], c[:, :, across] * loads[:, :, across]
            end = np.stack([total(m), total((L[:, None] - x) * m) + total(slip)], axis=1)[..., None]
            m0, V = -np.linalg.solve(_flexibility(x, dx, L, c[:, :, turn], c[:, :, across]), end)[..., 0].T
            loads[:, :, across] += V[:, None]
            loads[:, :, turn] += sign * (m0[:, None] - V[:, None] * x)
        return loads

    def geometric(self, displacement: Vector, acceleration: Vector | None = None) -> Vector:
        """Geometric stiffness (3) of the section loads that nodal displacements (e, 12) cause, (e, 12, 12)."""
        f, T = self._fields, self._turn()
        loads = np.einsum("egai,eij,ej->ega", f.loads, T, displacement, optimize=True)
        if acceleration is not None:
            loads = loads + self._held(acceleration)
        loads = self._about_centroid(loads)
        n, m = loads[..., :3], loads[..., 3:]
        P = np.zeros((*n.shape[:2], 3, 3))  # n . theta x (theta x e) = theta^T P theta
        P[..., 0, :] += n / 2
        P[..., :, 0] += n / 2
        P -= n[..., :1, None] * np.eye(3)
        weight = (GAUSS_WEIGHTS * self.length[:, None])[..., None, None]

        def form(a: Vector, matrix: Vector, b: Vector) -> Vector:
            return np.einsum("egai,egab,egbj->eij", a, matrix * weight, b, optimize=True)

        half = form(f.theta, cross_matrix(n), f.du) + form(f.theta, P, f.theta) / 2
        half += form(f.theta, cross_matrix(m), f.dtheta) / 2
        radius_squared = self.sections[:, :, 4:6].sum(axis=2) / self.sections[:, :, 0]
        radius_squared = radius_squared + (self._shear_centre**2).sum(axis=0)[:, None]
        winding = np.zeros_like(P)
        winding[..., 0, 0] = n[..., 0] * radius_squared
        half += form(f.dtheta, winding, f.dtheta) / 2
        return _congruence(T, half + half.transpose(0, 2, 1))

    def section_loads(self) -> tuple[list[str], Vector]:
        """N, Vy, Vz, T (about the shear centre), My, Mz at both ends of every element; labels "beam-3.start.N"."""
        names = self.labels or tuple(f"beam-{k}" for k in range(len(self.nodes)))
        labels = [f"{name}.{end}.{load}" for name in names for end in ("start", "end") for load in LOAD_NAMES]
        return labels, self._fields.ends @ self._turn()


@dataclass(frozen=True, eq=False)
class _Fields:
    """Displacement u, rotation theta, their slopes and the section loads at Gauss points; section loads at both ends."""

    u: Vector
    theta: Vector
    du: Vector
    dtheta: Vector
    loads: Vector
    ends: Vector


def _bending(x: Vector, dx: Vector, L: Vector, bend: Vector, shear: Vector) -> tuple[Vector, Vector]:
    """Moment at the start and shear force per unit (v1, p1, v2, p2), each (e, 4), of a beam loaded at its ends.

    With m = m0 - V x, compliances bend = 1/EI and shear = 1/GA at the points x:
    p2 - p1 = int bend m,   v2 - v1 - p1 L = int (L - x) bend m + V int shear.
    """
    ends = np.zeros((len(L), 2, 4))
    ends[:, 0, [1, 3]] = -1.0, 1.0
    ends[:, 1, [0, 2]] = -1.0, 1.0
    ends[:, 1, 1] = -L
    found = np.asarray(np.linalg.solve(_flexibility(x, dx, L, bend, shear), ends), dtype=np.float64)
    return found[:, 0], found[:, 1]


def _flexibility(x: Vector, dx: Vector, L: Vector, bend: Vector, shear: Vector) -> Vector:
    """Rotation and deflection of the end per unit m0 and V, (e, 2, 2), the start being held."""
    lever = L[:, None] - x
    total = lambda values: (dx * values).sum(axis=1)
    A = np.empty((len(L), 2, 2))
    A[:, 0, 0], A[:, 0, 1] = total(bend), -total(x * bend)
    A[:, 1, 0], A[:, 1, 1] = total(lever * bend), total(shear) - total(lever * x * bend)
    return A


def _congruence(T: Vector, A: Vector) -> Vector:
    return np.einsum("eki,ekl,elj->eij", T, A, T, optimize=True)
