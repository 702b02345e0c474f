"""Inertia of a deformed structure, to second order in its modal coordinates, from the mass matrices of its elements.

The structure turns at the rate e_a about a point c while it is deformed by u = sum phi_i eta_i. Its nodes then move at

    (e_a x (p + u), e_a)               p from c; velocity and angular velocity of a node                           (1)

and the mass matrix of an element turns with it. So the element keeps its mass matrix m as built, and takes velocities in
axes turned by t, the mean rotation of its nodes, and angular velocities in each node's own axes, turned by theta:

    V_a = (v - t x v + t x (t x v)/2 ,  e_a - theta x e_a + theta x (theta x e_a)/2) ,   v = e_a x (p + u)             (2)
    J_ab = sum V_a^T m V_b ,   D_aj = sum V_a^T m v_j ,   v_j = (phi_j - t x phi_j ,  theta_j - theta x theta_j/2)     (3)

over the elements, where the last of (3) is the angular velocity that goes with the rate of a rotation vector theta.
Whatever turns as a whole, a heavy node at a tip or a whole boom, keeps its inertia exactly, which mass matrices that do not
turn would change by the square of its rotation. Elements without nodal rotations (solids, bars) have the same mass in all
directions and need not turn.

Across a beam or plate what bends within one element is seen as its shape functions have it, along it only the chord: an
error in J and D at second order, of the order (element length)^2. Of a mass matrix that is given as a whole the elements
are unknown: there each pair of nodes turns by itself, which adds an error of the order of the sections' rotary inertia.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from kaneflex.model.checks import Vector
from kaneflex.structures.elements.contract import Elements, cross_matrix
from kaneflex.structures.elements.matrices import GivenMatrices
from kaneflex.structures.structure import Structure

#: The six entries of a symmetric 3x3 matrix, in the order of ModalBody.J1 and J2.
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
AXES = cross_matrix(np.eye(3))  # e_a x, for each a
CHUNK = 2000  # elements at a time, which bounds the memory


@dataclass(frozen=True)
class MassIntegrals:
    """Inertia about a point c, in the structure's axes; u stands for nodal displacements and rotations (6n,)."""

    translation: Vector  # (6n, 3): momentum of unit velocities; its product with u is int u dm
    rotation: Vector  # (6n, 3): momentum of unit rates about c; its product with u is int p x u dm
    inertia: Vector  # (6n, 6): gradient of the inertia matrix's six entries with respect to u, kg m
    J2: Vector  # (6, m, m): second order of J in the modes, without the second-order displacements
    D2: Vector  # (3, m, m): D_aj(eta) = ... + sum_i eta_i D2[a, i, j], likewise


def mass_integrals(structure: Structure, shapes: Vector, about: Vector) -> MassIntegrals:
    """Integrals of a structure's mass with its modes `shapes` (6n, m), about a point (m, in the structure's axes)."""
    n, m = len(structure), shapes.shape[1]
    rigid = structure.rigid_body_vectors(about)
    found = MassIntegrals(
        structure.M @ rigid[:, :3],
        structure.M @ rigid[:, 3:],
        np.zeros((6 * n, 6)),
        np.zeros((6, m, m)),
        np.zeros((3, m, m)),
    )
    for group in structure.elements:
        if max(_components(group)) < 3:
            _add_straight(found, group.scatter(group.mass(), n), rigid[:, 3:], shapes)
        else:
            for nodes, mass in _pieces(group):
                _add_turned(found, nodes, mass, rigid.reshape(n, 6, 6)[:, :, 3:], shapes.reshape(n, 6, m))
    return found


def _components(group: Elements) -> tuple[int, ...]:
    if isinstance(group, GivenMatrices):  # rotations that carry no mass do not count
        used = group.M.diagonal().reshape(-1, 6).any(axis=0)
        return tuple(np.flatnonzero(used).tolist())
    return group.components


def _pieces(group: Elements) -> Iterator[tuple[np.ndarray, Vector]]:
    """Nodes (e, k) and mass matrices (e, 6k, 6k) of the elements of a group, some thousands at a time."""
    if isinstance(group, GivenMatrices):
        yield from _pairs(group.M)
        return
    k = group.nodes.shape[1]
    at = (6 * np.arange(k)[:, None] + np.array(group.components)).ravel()
    own = group.mass()
    for first in range(0, len(own), CHUNK):
        part = own[first : first + CHUNK]
        if part.any():
            mass = np.zeros((len(part), 6 * k, 6 * k))
            mass[:, at[:, None], at] = part
            yield group.nodes[first : first + CHUNK], mass


def _pairs(M: sparse.csr_array) -> Iterator[tuple[np.ndarray, Vector]]:
    """A mass matrix given as a whole: each node, and each pair of nodes that it couples, is an element."""
    blocks = sparse.bsr_array(M, blocksize=(6, 6))
    rows = np.repeat(np.arange(len(blocks.indptr) - 1), np.diff(blocks.indptr))
    diagonal, upper = rows == blocks.indices, np.flatnonzero(rows < blocks.indices)
    yield rows[diagonal, None], blocks.data[diagonal]
    for first in range(0, len(upper), CHUNK):
        part = upper[first : first + CHUNK]
        mass = np.zeros((len(part), 12, 12))
        mass[:, :6, 6:], mass[:, 6:, :6] = blocks.data[part], blocks.data[part].transpose(0, 2, 1)
        yield np.stack([rows[part], blocks.indices[part]], axis=1), mass


def _add_straight(found: MassIntegrals, M: sparse.csr_array, rigid: Vector, shapes: Vector) -> None:
    """Adds a mass that is the same in all directions and has no rotations; unit rotations `rigid` (6n, 3)."""
    n, m = len(rigid) // 6, shapes.shape[1]
    F = (M @ rigid).reshape(n, 6, 3)[:, :3]
    swept = []  # e_a x u
    for a in range(3):
        V = np.zeros((n, 6, m))
        V[:, :3] = AXES[a] @ shapes.reshape(n, 6, m)[:, :3]
        swept.append(V.reshape(-1, m))
    M_swept, M_shapes = [M @ V for V in swept], M @ shapes
    gradient = found.inertia.reshape(n, 6, 6)
    for i, (a, b) in enumerate(PAIRS):
        gradient[:, :3, i] -= F[:, :, b] @ AXES[a].T + F[:, :, a] @ AXES[b].T
        product = swept[a].T @ M_swept[b]
        found.J2[i] += product + product.T
    for a in range(3):
        found.D2[a] += swept[a].T @ M_shapes


def _add_turned(found: MassIntegrals, nodes: np.ndarray, mass: Vector, rigid: Vector, shapes: Vector) -> None:
    """Adds elements that turn with their nodes.

    Args:
        found: what is added to.
        nodes: node numbers (e, k).
        mass: mass matrices (e, 6k, 6k).
        rigid: unit rotations about the point, by node (n, 6, 3).
        shapes: modes by node (n, 6, m).
    """
    (e, k), m = nodes.shape, shapes.shape[2]
    L = rigid[nodes]  # (e, k, 6, axis)
    F = (mass @ L.reshape(e, 6 * k, 3)).reshape(L.shape)
    v = shapes[nodes]  # (e, k, 6, mode)
    u, theta = v[:, :, :3], v[:, :, 3:]
    turn = theta.mean(axis=1)
    linear = []  # what in V_a is linear in the modes
    for a in range(3):
        P = np.empty_like(v)
        P[:, :, :3] = AXES[a] @ u + cross_matrix(L[:, :, :3, a]) @ turn[:, None]
        P[:, :, 3:] = AXES[a] @ theta
        linear.append(P)
    M_linear = [(mass @ P.reshape(e, 6 * k, m)).reshape(v.shape) for P in linear]
    M_v = (mass @ v.reshape(e, 6 * k, m)).reshape(v.shape)
    for i, (a, b) in enumerate(PAIRS):
        product = _product(linear[a], M_linear[b])
        for c, d in ((a, b), (b, a)):
            product += _second(L[..., c], F[..., d], AXES[c] @ u, turn, theta)
            _add_gradient(found.inertia[:, i], nodes, AXES[c], L[..., c], F[..., d])
        found.J2[i] += product + product.T
    for a in range(3):
        force, moment = cross_matrix(F[:, :, :3, a]), cross_matrix(F[:, :, 3:, a])
        # F . (-t_i x phi_j) = t_i . (F x phi_j), and likewise the moment's
        turning = _product(turn, (force @ u).sum(axis=1)) + _product(theta, moment @ theta) / 2
        found.D2[a] += _product(linear[a], M_v) + turning


def _product(A: Vector, B: Vector) -> Vector:
    """Sum of A_i B_j over all but the last index, (m, m)."""
    m = A.shape[-1]
    return np.asarray(A.reshape(-1, m).T @ B.reshape(-1, m))


def _second(L: Vector, F: Vector, swept: Vector, turn: Vector, theta: Vector) -> Vector:
    """Quadratic form (m, m) of F times what in V_c is quadratic in the modes; `swept` is e_c x u."""
    force, moment = F[:, :, :3], F[:, :, 3:]
    whole = _product(turn, (cross_matrix(force) @ swept).sum(axis=1))  # force . (-t x (e_c x u))
    whole += _product(turn, _twice(force, L[:, :, :3]).sum(axis=1) @ turn)
    return whole + _product(theta, _twice(moment, L[:, :, 3:]) @ theta)


def _twice(f: Vector, v: Vector) -> Vector:
    """Symmetric matrices G with t . G t = f . (t x (t x v))/2."""
    outer = f[..., :, None] * v[..., None, :]
    both = (outer + np.swapaxes(outer, -1, -2)) / 2
    return (both - np.einsum("...ii->...", outer)[..., None, None] * np.eye(3)) / 2


def _add_gradient(gradient: Vector, nodes: np.ndarray, axis: Vector, L: Vector, F: Vector) -> None:
    """Adds to (6n,) the gradient of F times the linear part of V_c with respect to nodal displacements and rotations."""
    by_node = gradient.reshape(-1, 6)
    np.add.at(by_node[:, :3], nodes, -F[:, :, :3] @ axis.T)
    common = np.cross(F[:, :, :3], L[:, :, :3]).sum(axis=1) / nodes.shape[1]
    np.add.at(by_node[:, 3:], nodes, common[:, None] - F[:, :, 3:] @ axis.T)
