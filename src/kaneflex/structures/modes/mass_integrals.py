"""Integrals of a structure's mass with its modes: what is needed of the field r = p + phi eta + 1/2 g eta eta.

    int dm, int p dm, int p p^T dm ,   int phi_j dm, int p phi_j^T dm ,   int phi_i phi_j^T dm                        (1)

The mass of elements is that of points at p which move as their shape functions say, and of directors (see
`elements.contract`), whose p is the director d and whose phi is theta x d; they have no part in int dm, int p dm and
int phi dm. So (1) is exact for the finite elements, whatever turns keeps its inertia, and a kinetic energy made of (1) is a
sum of squares. A director turns as a unit vector does, so that it has a second-order displacement of its own besides that of
its section's rotation vector, theta x (theta x d)/2:                                                                 (2)

    int p (theta_i x (theta_j x d) + theta_j x (theta_i x d))^T dm/2 .

Of a mass matrix that is given as a whole the points are unknown. There every 6 by 6 block of a pair of nodes is read as the
mass, first moment and second moments of a piece that both nodes share: (m_ij, h_ij, K_ij) from a third of the trace of its
translations, from the skew part of translation with rotation, and from the symmetric part of rotations; whole pieces at a
node, mass that is the same in all directions, are met exactly. What a block has beyond that goes into the trace of
int phi_i phi_j^T, which makes the modal mass right, and the momenta are those of the matrix.

Of a model that is reduced to boundary nodes and modal coordinates even that is unknown: what its mass matrix tells of a
shape phi are its momenta and its mass. The field of least mass with these momenta is that of the rigid motion v + omega x p
with m v = int phi dm and J omega = int p x phi dm; the rest of the mass, of a field without momenta, moves in all directions
alike:                                                                                                                (3)

    int p phi_j^T dm = int p (omega_j x p)^T dm ,
    int phi_i phi_j^T dm = m v_i v_j^T + int (omega_i x p) (omega_j x p)^T dm + (what is left of int phi_i . phi_j dm) 1/3 .
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import MassPoints, cross_matrix
from kaneflex.structures.elements.matrices import GivenMatrices
from kaneflex.structures.structure import Structure

LEFT = 1e-5  # part of the mass below which there is none
CHUNK = 2000  # elements at a time, which bounds the memory
LEVI_CIVITA = np.moveaxis(cross_matrix(np.eye(3)), 0, 1)  # (a x b)_c = e_cab a_a b_b


@dataclass(frozen=True)
class MassIntegrals:
    """Integrals about a point c, in the structure's axes; u stands for displacements and rotations of all dofs (d,)."""

    second_moment: Vector  # (3, 3): int p p^T dm
    translation: Vector  # (d, 3): its product with u is int u dm
    spread: Vector  # (d, 3, 3): its product with u is int p u^T dm
    products: Vector  # (3, 3, m, m): int phi_i phi_j^T dm
    first_of_turns: Vector  # (3, m, m): int of (2)'s displacement, of offsets in matrices given as a whole
    second_of_turns: Vector  # (3, 3, m, m): (2)


def mass_integrals(structure: Structure, shapes: Vector, about: Vector) -> MassIntegrals:
    """Integrals of a structure's mass with its modes `shapes` (d, m), about a point (m, in the structure's axes)."""
    n, m = len(structure), shapes.shape[1]
    nodal = shapes[: 6 * n]
    found = MassIntegrals(
        np.zeros((3, 3)),
        structure.M @ structure.rigid_body_vectors(about)[:, :3],
        np.zeros((structure.size, 3, 3)),
        np.zeros((3, 3, m, m)),
        np.zeros((3, m, m)),
        np.zeros((3, 3, m, m)),
    )
    for group in structure.elements:
        if isinstance(group, GivenMatrices):
            if group.hidden:
                total = structure.mass_properties()[0]
                _add_reduced(found, group.scatter(group.M, n), structure.rigid_body_vectors(about), shapes, total)
            else:
                _add_given(found, group.scatter(group.M, n), structure.points - about, nodal.reshape(n, 6, m))
            continue
        points = group.mass_points()
        if points is None:
            scalar = group.scatter(group.mass(), n)[0::6][:, 0::6]
            _add_even(found, scalar, structure.points - about, nodal.reshape(n, 6, m)[:, :3])
        else:
            for piece, dofs in _pieces(points, group.dofs(n)):
                _add_points(found, piece, dofs, about, shapes)
    return found


def _pieces(points: Iterator[MassPoints], dofs: np.ndarray) -> Iterator[tuple[MassPoints, np.ndarray]]:
    """The points of some thousands of elements at a time, with the dofs of these."""
    for whole in points:
        for first in range(0, len(dofs), CHUNK):
            part = slice(first, first + CHUNK)
            yield MassPoints(whole.mass[part], whole.places[part], whole.motion[part], whole.directors), dofs[part]


def _add_even(found: MassIntegrals, mass: sparse.csr_array, p: Vector, u: Vector) -> None:
    """Adds a mass (n, n) that is the same in all directions; places (n, 3), displacements (n, 3, m)."""
    share = mass @ p
    found.second_moment[:] += p.T @ share
    by_node = found.spread[: 6 * len(p)].reshape(-1, 6, 3, 3)
    for b in range(3):
        by_node[:, b, :, b] += share
    moved = [mass @ u[:, b] for b in range(3)]
    for a in range(3):
        for b in range(3):
            found.products[a, b] += u[:, a].T @ moved[b]


def _add_points(found: MassIntegrals, piece: MassPoints, dofs: np.ndarray, about: Vector, shapes: Vector) -> None:
    """Adds points or directors; dofs (e, d)."""
    mass, m = piece.mass, shapes.shape[1]
    p = piece.places if piece.directors else piece.places - about
    motion = piece.motion
    if piece.directors:
        motion = -cross_matrix(p) @ motion  # theta x d
    found.second_moment[:] += np.einsum("eg,ega,egb->ab", mass, p, p, optimize=True)
    loads = np.einsum("eg,ega,egbi->eiab", mass, p, motion, optimize=True)
    np.add.at(found.spread, dofs, loads)
    u = (motion @ shapes[dofs][:, None]).reshape(-1, 3, m)
    weighted = mass.reshape(-1, 1, 1) * u
    for a in range(3):
        for b in range(3):
            found.products[a, b] += u[:, a].T @ weighted[:, b]
    if piece.directors:
        theta = (piece.motion @ shapes[dofs][:, None]).reshape(-1, 3, m)
        _add_turns(found.second_of_turns, np.einsum("eg,ega,egb->egab", mass, p, p).reshape(-1, 3, 3), theta)


def _add_turns(out: Vector, moments: Vector, theta: Vector) -> None:
    """Adds (2) for second moments K (k, 3, 3) of what turns by theta (k, 3, m): K_ac (theta (theta.c) - c theta.theta)."""
    turned = np.einsum("kac,kci->kai", moments, theta)
    for a in range(3):
        for b in range(3):
            product = turned[:, a].T @ theta[:, b]
            square = np.einsum("k,kci,kcj->ij", moments[:, a, b], theta, theta, optimize=True)
            out[a, b] += (product + product.T) / 2 - square


def _add_given(found: MassIntegrals, M: sparse.csr_array, p: Vector, shapes: Vector) -> None:
    """Adds a mass matrix (6n, 6n) given as a whole; places (n, 3), modes by node (n, 6, m)."""
    n, _, m = shapes.shape
    u, theta = shapes[:, :3], shapes[:, 3:]
    block = lambda a, b: M[a::6][:, b::6]
    mass = (block(0, 0) + block(1, 1) + block(2, 2)) / 3
    _add_even(found, mass, p, u)
    by_node = found.spread[: 6 * n].reshape(n, 6, 3, 3)
    ones = np.ones(n)
    arms = [(block(a, 3 + b) - block(b, 3 + a)) / 2 for a, b in ((1, 2), (2, 0), (0, 1))]  # h: displacement, rotation
    if any(h.nnz for h in arms):
        _add_offsets(found, arms, p, u, theta)
    rotary = [[(block(3 + a, 3 + b) + block(3 + b, 3 + a)) / 2 for b in range(3)] for a in range(3)]
    if any(rotary[a][a].nnz for a in range(3)):
        half = (rotary[0][0] + rotary[1][1] + rotary[2][2]) / 2
        moment = [[half - rotary[a][b] if a == b else -rotary[a][b] for b in range(3)] for a in range(3)]
        whole = np.stack([[moment[a][b] @ ones for b in range(3)] for a in range(3)])  # (3, 3, n)
        found.second_moment[:] += whole.sum(axis=2)
        # int d (theta x d)^T: its component ab per unit theta_c is e_bcd K_ad
        by_node[:, 3:] += np.einsum("bcd,adn->ncab", LEVI_CIVITA, whole)
        _add_turns(found.second_of_turns, np.moveaxis(whole, 2, 0), theta)
        swept = np.einsum("bcd,nci->dbni", LEVI_CIVITA, theta)  # theta x e_d, component b
        for d in range(3):
            for b in range(3):
                momentum = [moment[c][d] @ swept[d, b] for c in range(3)]
                for a in range(3):
                    found.products[a, b] += sum(swept[c, a].T @ momentum[c] for c in range(3))
    _meet_given(found, M, p, shapes.reshape(6 * n, m))


def _add_offsets(found: MassIntegrals, arms: list[sparse.csr_array], p: Vector, u: Vector, theta: Vector) -> None:
    """Adds the first moments h (three of (n, n)) of pieces that move with one node and turn with another."""
    n = len(p)
    by_node, ones = found.spread[: 6 * n].reshape(n, 6, 3, 3), np.ones(n)
    at_moved, at_turned = np.stack([h @ ones for h in arms]), np.stack([h.T @ ones for h in arms])  # (3, n)
    carried = np.stack([h.T @ p for h in arms])  # (3, n, 3): sum over displacing nodes of p_a h_c
    first = np.einsum("cna->ac", carried)
    found.second_moment[:] += first + first.T
    for b in range(3):
        by_node[:, b, :, b] += at_moved.T
    # int p (theta x h)^T per unit theta_c: e_bcd p_a h_d
    by_node[:, 3:] += np.einsum("bcd,dna->ncab", LEVI_CIVITA, carried)
    swept = sum(
        LEVI_CIVITA[:, c, d, None, None] * (arms[d] @ theta[:, c])[None] for c in range(3) for d in range(3) if c != d
    )  # (3, n, m): theta x h at the displacing nodes
    for a in range(3):
        for b in range(3):
            product = u[:, a].T @ swept[b]
            found.products[a, b] += product
            found.products[b, a] += product.T
    twice = lambda h: (
        np.einsum("nai,nb,nbj->aij", theta, h, theta, optimize=True)
        - np.einsum("na,nbi,nbj->aij", h, theta, theta, optimize=True)
    )
    both = twice(at_turned.T)
    found.first_of_turns[:] += (both + both.transpose(0, 2, 1)) / 2
    for a in range(3):
        both = twice(carried[:, :, a].T)
        found.second_of_turns[a] += (both + both.transpose(0, 2, 1)) / 2


def _meet_given(found: MassIntegrals, M: sparse.csr_array, p: Vector, shapes: Vector) -> None:
    """Momenta, inertia and modal mass as the matrix has them."""
    n = len(p)
    rigid = np.zeros((n, 6, 3))
    rigid[:, :3], rigid[:, 3:] = -cross_matrix(p), np.eye(3)
    turning = M @ rigid.reshape(6 * n, 3)
    J = rigid.reshape(6 * n, 3).T @ turning
    found.second_moment[:] = np.trace(J) * np.eye(3) / 2 - J
    spread = found.spread[: 6 * n]
    missing = turning - np.einsum("cab,iab->ic", LEVI_CIVITA, spread)
    spread += np.einsum("cab,ic->iab", LEVI_CIVITA, missing) / 2
    rest = shapes.T @ (M @ shapes) - np.trace(found.products)
    for a in range(3):
        found.products[a, a] += rest / 3


def _add_reduced(found: MassIntegrals, M: sparse.csr_array, rigid: Vector, shapes: Vector, total: float) -> None:
    """Adds (3) for a mass matrix over nodes and modal coordinates; rigid motions (d, 6) about the point of `found`.

    What a mass of nodes leaves of a reduced matrix has no momenta; of these there is only rounding, against the total mass.
    """
    momenta = M @ rigid
    whole = rigid.T @ momenta
    mass, J = np.trace(whole[:3, :3]) / 3, whole[3:, 3:]
    if mass < LEFT * total:
        rest = shapes.T @ (M @ shapes)
        found.products[:] += np.einsum("ab,ij->abij", np.eye(3) / 3, rest)
        return
    S = np.trace(J) * np.eye(3) / 2 - J
    found.second_moment[:] += S
    turn = momenta[:, 3:] @ np.linalg.pinv(J, rcond=1e-9, hermitian=True)  # omega per dof
    found.spread[:] += np.einsum("bcd,ic,ad->iab", LEVI_CIVITA, turn, S)
    v, omega = (momenta[:, :3].T @ shapes) / np.sqrt(mass), turn.T @ shapes
    swept = np.einsum("acd,ci->adi", LEVI_CIVITA, omega)  # omega x e_d, component a
    own = np.einsum("ai,bj->abij", v, v) + np.einsum("aci,cd,bdj->abij", swept, S, swept)
    rest = shapes.T @ (M @ shapes) - np.trace(own)
    found.products[:] += own + np.einsum("ab,ij->abij", np.eye(3) / 3, rest)
