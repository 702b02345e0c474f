"""A rigid tree of revolute joints as plain arrays: the model that every engine in a comparison is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tree:
    """n bodies, each on one revolute joint; parents come before children, -1 is the ground.

    The joint frame J of body i is fixed in its parent P at position p_PJ and orientation R_PJ (v_P = R_PJ v_J). The
    joint turns about J's z axis; the body frame is J after that rotation. Mass centre and inertia (about the
    mass centre) are in body axes, gravity in ground axes.
    """

    parent: NDArray[np.int64]
    R_PJ: Array
    p_PJ: Array
    mass: Array
    com: Array
    inertia: Array
    gravity: Array

    @property
    def n(self) -> int:
        """Number of bodies, joints, coordinates and speeds."""
        return len(self.parent)

    def state(self, seed: int = 0) -> tuple[Array, Array, Array]:
        """Return a reproducible generic state and load (q, u, tau) of moderate size."""
        rng = np.random.default_rng(seed)
        return rng.uniform(-np.pi, np.pi, self.n), 0.5 * rng.standard_normal(self.n), rng.standard_normal(self.n)


def chain(n: int, seed: int = 0) -> Tree:
    """Return a serial chain: body i hangs on body i - 1."""
    return _random_tree(np.arange(n) - 1, seed)


def balanced_tree(n: int, seed: int = 0) -> Tree:
    """Return a binary tree filled level by level: body i hangs on body (i - 1) // 2."""
    return _random_tree((np.arange(n) - 1) // 2, seed)


def _random_tree(parent: NDArray[np.int64], seed: int) -> Tree:
    """Random frames and inertias on a given topology.

    Links are short (0.1 to 0.2) against the radius of gyration (about 0.4), so that the mass matrix stays well
    conditioned in long chains and all engines can agree to many digits. Every inertia is that of a real body:
    tr(S) 1 - S with S the positive definite second moment of its mass.
    """
    n, rng = len(parent), np.random.default_rng(seed)
    direction = rng.standard_normal((n, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    mass = rng.uniform(0.5, 1.5, n)
    axes = Rotation.random(n, rng=rng).as_matrix()
    moments = mass[:, None] * rng.uniform(0.03, 0.09, (n, 3))
    second_moment = np.einsum("nij,nj,nkj->nik", axes, moments, axes)
    trace = np.trace(second_moment, axis1=1, axis2=2)
    inertia = trace[:, None, None] * np.eye(3) - second_moment
    return Tree(
        parent=np.asarray(parent, dtype=np.int64),
        R_PJ=Rotation.random(n, rng=rng).as_matrix(),
        p_PJ=direction * rng.uniform(0.1, 0.2, (n, 1)),
        mass=mass,
        com=0.05 * rng.standard_normal((n, 3)),
        inertia=(inertia + inertia.transpose(0, 2, 1)) / 2,
        gravity=np.array([0.0, 0.0, -9.81]),
    )
