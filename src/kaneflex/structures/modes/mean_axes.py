"""A modal body in axes that turn with its mean rotation, as the kernels of `bodies.modal` take it.

The mean axes are turned by exp(Theta), Theta = T eta, about the root. In them the position r = p + phi eta + 1/2 g eta eta
is, to second order in eta, of the same form with

    phi^_j = phi_j - T_j x p ,   g^_ij = g_ij - (T_i x phi^_j + T_j x phi^_i) - (T_i x (T_j x p) + T_j x (T_i x p))/2 .  (1)

A field over the body is the sum of an affine one, a + F p, and of what is orthogonal to all affine fields in the sense of
the mass. With functions h_k of the place, 1/sqrt m and those along the principal axes of the mass about its centre,
int h_k h_l dm = 1 where k = l, else 0, the affine part of r is sum h_k c_k: as far as inertia goes it is that of up to four
points of unit mass at

    c_k = int h_k r dm = c_k0 + columns_k eta + 1/2 R_k eta eta ,                                                     (2)

of which the first, k = 0, is at sqrt m times the mass centre and moves with the root; the others feel rotations alone. The
second-order displacements are kept in (2), where the twelve momenta int g dm and int p g^T dm have all that is to be known
of them; the rest of phi^ has the integrals E = int phi phi^T dm of (3). So inertia is that of particles and of linear modes:
a sum of squares, whatever the deflection.

    d_ij = int phi_i x phi_j dm ,   inertia of phi eta: 1/2 eta (2 tr E 1 - E - E^T) eta ,   mass tr E                    (3)
"""

from dataclasses import dataclass, replace

import numpy as np

from kaneflex.kernels.layout import TILE
from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import cross_matrix
from kaneflex.structures.modes.modal_data import ModalBody, NodeModes, axial, six_of_inertia

EMPTY = 1e-12  # part of the largest second moment of the mass below which there is none along an axis
ROUNDING = 1e-12  # part of the largest entry of a group of forms below which one of them is zero
OF_POINTS = range(3, 15)  # forms of R_k
COLUMNS = 24  # room for columns of forms in the kernels


@dataclass(frozen=True)
class MeanShape:
    """Points and residual modes of a body. The forms are numbered: 3 of d, 12 of R_k, 6 of the residual inertia."""

    root: Vector  # (3,)
    mass: float  # its square root
    inertia: Vector  # (6,): of the undeformed body about the origin of M
    places: Vector  # (4, 3): c_k0
    turn: Vector  # (3, m): T
    columns: Vector  # (4, 3, m)
    residual: Vector  # (m, m): tr E
    forms: Vector  # (21, m, m)
    points: int  # number of c_k
    there: tuple[int, ...]  # forms that are not zero

    @property
    def second(self) -> list[int]:
        """Forms R_k that are there: of points along axes in which they move to second order; `mixed` ones last."""
        return [*(n for n in self.there if n in OF_POINTS and n not in self.mixed), *self.mixed]

    @property
    def mixed(self) -> list[int]:
        """Those of axes along which points move to first order too."""
        return [n for n in self.there if n in OF_POINTS and self._moves(n)]

    def _moves(self, n: int) -> bool:
        """Whether the columns of form n of R_k are more than rounding beside the modes' unit mass."""
        return bool(np.abs(self.columns.reshape(len(OF_POINTS), -1)[n - OF_POINTS.start]).max(initial=0.0) > ROUNDING)

    @property
    def order(self) -> list[int]:
        """Forms that are there as the kernels have them: those of R_k, of d, of the residual inertia."""
        turns, inertia = (n for n in self.there if n < OF_POINTS.start), (n for n in self.there if n >= OF_POINTS.stop)
        return [*self.second, *turns, *inertia]

    @property
    def linear(self) -> list[int]:
        """Those of R_k that are not there, of axes along which points move to first order."""
        return [n for n in OF_POINTS[: 3 * self.points] if n not in self.there and self._moves(n)]

    @property
    def slots(self) -> list[int]:
        """Place of every form's column among all: linear ones first, then those of `order`; last zeros for all others."""
        at = {n: slot for slot, n in enumerate([*self.linear, *self.order])}
        return [at.get(n, len(at)) for n in range(len(self.forms))]

    @property
    def form_of_slot(self) -> list[int]:
        """Form of every column; zeros after them."""
        found = [*self.linear, *self.order]
        return found + [0] * (len(self.forms) - len(found))

    def arrays(self) -> tuple[Vector, ...]:
        """All numbers that the kernels need, in the order of the block `shape` in `kernels.schema`.

        The modal mass that does not change is that of residual modes and of what moves linearly with the modes.
        """
        columns = np.zeros((COLUMNS, len(self.residual)))
        along = [n - OF_POINTS.start for n in self.linear + self.second]
        columns[: len(along)] = self.columns.reshape(len(OF_POINTS), -1)[along]
        linear = columns[: len(self.linear)]
        scalars = (self.root, np.array([self.mass]), self.inertia, self.places)
        moving = [n for n in self.order if n < OF_POINTS.stop]
        forms = in_tiles(self.forms[moving]), in_tiles(self.forms[self.order[len(moving) :]])
        return (*scalars, self.turn, columns, self.residual + linear.T @ linear, *forms)


def in_tiles(forms: Vector) -> Vector:
    """Forms (f, m, m) as the kernels add up their rows, (t, m, TILE): columns of all side by side, TILE in each tile."""
    f, m, _ = forms.shape
    tiles = -(-f * m // TILE)
    found = np.zeros((m, tiles * TILE), forms.dtype)
    found[:, : f * m] = forms.transpose(1, 0, 2).reshape(m, f * m)
    return found.reshape(m, tiles, TILE).transpose(1, 0, 2)


def mean_shape(body: ModalBody, root: Vector, inertia: Vector) -> MeanShape:
    """Points and residual modes of a body whose root is at `root` from the origin of M, and whose inertia there is known."""
    m, s, E0 = len(body), body.first_moment, body.second_moment
    T, whole = cross_matrix(body.turn.T), body.first_moment  # T~ (m, 3, 3)
    B = body.B - np.cross(body.turn, whole, axisa=0, axisb=0, axisc=0)
    C = body.C + np.einsum("ab,jbc->acj", E0, T)
    E = body.E + np.einsum("bai,jbc->acij", body.C, T) - np.einsum("iab,bcj->acij", T, body.C)
    E -= np.einsum("iab,bc,jcd->adij", T, E0, T)
    b2 = body.b2 - _both(np.einsum("iab,bj->aij", T, B)) - _both(np.einsum("iab,jbc,c->aij", T, T, s)) / 2
    C2 = body.C2 + _both(np.einsum("acj,icb->abij", C, T)) - _both(np.einsum("ad,ibc,jcd->abij", E0, T, T)) / 2
    centre, vectors, roots = _axes(body)
    points = 1 + len(roots)

    def along(plain: Vector, spread: Vector) -> Vector:
        """c_k of a field f with int f dm and int p f^T dm."""
        found = np.zeros((4, *plain.shape))
        found[0] = plain / np.sqrt(body.mass)
        found[1:points] = np.tensordot(vectors / roots, spread - np.multiply.outer(centre, plain), (0, 0))
        return found

    columns, R = along(B, C), along(b2, C2)
    E = E - np.einsum("kai,kbj->abij", columns, columns)
    mass = np.trace(E)
    groups = [axial(E), R.reshape(12, m, m), six_of_inertia(E)]
    sizes = [np.abs(E).max(initial=0.0), np.abs(R).max(initial=0.0), np.abs(E).max(initial=0.0)]
    forms, size = np.concatenate(groups), np.repeat(sizes, [len(group) for group in groups])
    there = tuple(np.flatnonzero(np.abs(forms).max(axis=(1, 2), initial=0.0) > ROUNDING * size).tolist())
    roots_and_places = float(np.sqrt(body.mass)), inertia, along(s, E0)
    return MeanShape(root, *roots_and_places, body.turn, columns, (mass + mass.T) / 2, forms, points, there)


def _axes(body: ModalBody) -> tuple[Vector, Vector, Vector]:
    """Mass centre, principal axes (3, k) of the mass about it, roots (k,) of its second moments, where there are some."""
    centre = body.first_moment / body.mass
    moments, vectors = np.linalg.eigh(body.second_moment - body.mass * np.outer(centre, centre))
    there = moments > EMPTY * np.abs(body.second_moment).max()
    return centre, vectors[:, there], np.sqrt(moments[there])


def _both(A: Vector) -> Vector:
    """A_ij + A_ji."""
    return A + A.swapaxes(-1, -2)


def in_mean_axes(node: NodeModes, turn: Vector) -> NodeModes:
    """Place and displacements (1) of a node in the mean axes, from the root; its rotation vector stays that in the body."""
    T = cross_matrix(turn.T)
    Phi = node.Phi - np.cross(turn, node.position, axisa=0, axisc=0)
    twice = np.einsum("iab,jbc,c->aij", T, T, node.position)
    return replace(node, Phi=Phi, G=node.G - _both(np.einsum("iab,bj->aij", T, Phi)) - _both(twice) / 2)
