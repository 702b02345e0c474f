"""A stiffness that is never negative, in the place of the exact one: steps by it go down in the potential.

Far from an equilibrium the exact tangent of `static_tangent` has negative stiffness of its own: a line that lies some metres
deep in a stiff bed is pushed by forces far beyond its weight, and where these bend or press it the step of Newton's method
goes anywhere. Of the stiffness of a body against its turn and shift d there is kept

    sum over children T |r| (1 - e e^T) + |h| a (1 - e e^T) ,    T, a >= 0 ,                                           (1)

T being the tension of the child's joint along the arm r = |r| e that leads to it, and a the weight's pull along the body's
first moment of mass h = |h| e; and of what its loads change by with shifts, A across and k along,

    [[A k^-1 A^T, A], [A^T, k]] ,    k >= 0 ,                                                                        (2)

which is that of springs at points. Springs of the joints stay, so that the whole is symmetric, and not negative where these
are not. For a chain under tension (1) is the exact tangent but for parts that go with the length of its segments.
"""

import copy

import numpy as np

from kaneflex.analysis.static_tangent import StaticTangent

Array = np.ndarray


def downhill(tangent: StaticTangent) -> StaticTangent:
    """The matrix with (1) and (2) in the place of all that turned forces change."""
    found = copy.copy(tangent)
    own = _springs(tangent.own)
    tree = tangent.tree
    inner = np.flatnonzero(tree.parent[1:] > 0) + 1
    arm, force = tangent.r[inner], np.einsum("nji,nj->ni", tangent.E[inner], tangent.F[inner, 3:])
    np.add.at(own, tree.parent[inner], _across(arm, -force))
    h = tangent.inertia[1]  # as the matrix of a cross product
    own += _across(np.stack([h[:, 2, 1], h[:, 0, 2], h[:, 1, 0]], axis=1), -tangent.acceleration)
    found.own, found.other = own, np.zeros_like(tangent.other)
    found.F, found.turned = np.zeros_like(tangent.F), np.zeros_like(tangent.turned)
    found._assemble()
    return found


def _across(arm: Array, pull: Array) -> Array:
    """Stiffness of turns against pulls at the ends of arms, where these point outwards, (n, 6, 6)."""
    length = np.linalg.norm(arm, axis=1)
    e = arm / np.where(length > 0, length, 1.0)[:, None]
    size = np.maximum(np.einsum("ni,ni->n", e, pull), 0.0) * length
    found = np.zeros((len(arm), 6, 6))
    found[:, :3, :3] = size[:, None, None] * (np.eye(3) - e[:, :, None] * e[:, None, :])
    return found


def _springs(own: Array) -> Array:
    """(2) of changes of loads, (n, 6, 6)."""
    k, shapes = np.linalg.eigh((own[:, 3:, 3:] + own[:, 3:, 3:].transpose(0, 2, 1)) / 2)
    size = k.max(axis=1, initial=0.0)[:, None]
    there = k > 1e-12 * size
    A = own[:, :3, 3:] @ shapes * there[:, None, :]
    k, inverse = np.where(there, k, 0.0), np.where(there, 1 / np.where(there, k, 1.0), 0.0)
    found = np.zeros_like(own)
    found[:, :3, :3] = (A * inverse[:, None, :]) @ A.transpose(0, 2, 1)
    found[:, :3, 3:] = A @ shapes.transpose(0, 2, 1)
    found[:, 3:, :3] = found[:, :3, 3:].transpose(0, 2, 1)
    found[:, 3:, 3:] = (shapes * k[:, None, :]) @ shapes.transpose(0, 2, 1)
    return found


__all__ = ["downhill"]
