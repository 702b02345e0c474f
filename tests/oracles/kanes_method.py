"""Small open chains whose equations SymPy's KanesMethod derives: F_r + F_r* = 0, with u = q'.

A `System` is a list of `Link`s. Each hangs on its parent (or on the ground) by one revolute or prismatic joint. The
joint point is fixed in the parent. A revolute link's axes are the parent's turned by q about `axis`, its origin is the
joint point; a prismatic link's axes are parallel to the parent's, its origin is the joint point moved by q along
`axis`. A link without mass only adds its joint, as the first half of a Hooke joint does.

    accelerations(HOOKE_PENDULUM)(q, qd) -> qdd

Source: T. R. Kane and D. A. Levinson, Dynamics: Theory and Applications (McGraw-Hill, 1985), as
implemented in sympy.physics.mechanics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Vector = tuple[float, float, float]

X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Link:
    """A body and the joint it hangs on. Vectors at `at` and `axis` are in parent axes, `com` and `inertia` in its own.

    `inertia` is about the mass centre, as (xx, yy, zz, xy, yz, zx) entries of the symmetric matrix.
    """

    parent: int
    joint: str
    axis: Vector
    at: Vector = (0.0, 0.0, 0.0)
    mass: float = 0.0
    com: Vector = (0.0, 0.0, 0.0)
    inertia: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def inertia_matrix(self) -> Array:
        """Return `inertia` as a 3 x 3 matrix."""
        xx, yy, zz, xy, yz, zx = self.inertia
        return np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])


@dataclass(frozen=True)
class System:
    """Links, parents before children (-1 is the ground), and the gravity vector."""

    name: str
    links: tuple[Link, ...]
    gravity: Vector


#: Planar double pendulum on a cart: the cart slides along x, two bars hang along -y and turn about z.
CART_DOUBLE_PENDULUM = System(
    name="double pendulum on a cart",
    gravity=(0.0, -9.81, 0.0),
    links=(
        Link(-1, "prismatic", X, mass=2.0, inertia=(0.1, 0.1, 0.1, 0.0, 0.0, 0.0)),
        Link(0, "revolute", Z, at=(0.0, 0.1, 0.0), mass=1.2, com=(0.0, -0.35, 0.0), inertia=(0.05, 0.002, 0.05, 0, 0, 0)),
        Link(
            1,
            "revolute",
            Z,
            at=(0.0, -0.7, 0.0),
            mass=0.8,
            com=(0.02, -0.25, 0.0),
            inertia=(0.02, 0.001, 0.02, 0, 0, 0),
        ),
    ),
)

#: A body on a Hooke joint (q1 about the fixed x, q2 about the turned y), a second body on it, turning about z (q3),
#: and in that a slider along the second body's x (q4).
HOOKE_PENDULUM = System(
    name="Hooke-joint pendulum",
    gravity=(0.0, 0.0, -9.81),
    links=(
        Link(-1, "revolute", X),
        Link(0, "revolute", Y, mass=3.0, com=(0.1, -0.2, -0.5), inertia=(0.30, 0.25, 0.12, 0.03, -0.02, 0.04)),
        Link(
            1,
            "revolute",
            Z,
            at=(0.2, 0.1, -0.8),
            mass=1.5,
            com=(0.15, -0.05, 0.1),
            inertia=(0.04, 0.06, 0.05, -0.006, 0.004, 0.008),
        ),
        Link(2, "prismatic", X, at=(0.1, 0.2, -0.1), mass=0.4, inertia=(0.003, 0.004, 0.005, 0.0, 0.0, 0.0)),
    ),
)

#: A disc (about y) in an inner ring (about x) in an outer ring (about z), all three mass centres off the joint points.
GIMBALLED_DISC = System(
    name="spinning disc on a gimbal",
    gravity=(1.0, -2.0, -9.5),
    links=(
        Link(-1, "revolute", Z, mass=2.0, com=(0.05, 0.02, 0.1), inertia=(0.20, 0.18, 0.25, 0.01, 0.02, -0.01)),
        Link(0, "revolute", X, at=(0.1, 0.05, 0.3), mass=1.0, com=(0.0, 0.1, -0.03), inertia=(0.06, 0.04, 0.05, 0, 0, 0)),
        Link(1, "revolute", Y, at=(0.02, 0.2, 0.04), mass=4.0, com=(0.0, 0.1, 0.0), inertia=(0.05, 0.09, 0.05, 0, 0, 0)),
    ),
)

SYSTEMS: tuple[System, ...] = (CART_DOUBLE_PENDULUM, HOOKE_PENDULUM, GIMBALLED_DISC)


def _vector(frame: me.ReferenceFrame, components: Vector) -> me.Vector:
    x, y, z = (sm.Float(c, 17) if c else sm.Integer(0) for c in components)
    return x * frame.x + y * frame.y + z * frame.z


@lru_cache
def _functions(system: System) -> tuple[Callable[..., Array], Callable[..., Array]]:
    """Compiled mass matrix and forcing vector of M u' = f, as functions of the coordinates and the speeds."""
    q = me.dynamicsymbols(f"q0:{len(system.links)}")
    u = me.dynamicsymbols(f"u0:{len(system.links)}")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    frames, points, bodies, loads = {-1: N}, {-1: O}, [], []

    for i, link in enumerate(system.links):
        parent, axis = frames[link.parent], _vector(frames[link.parent], link.axis)
        frame = me.ReferenceFrame(f"B{i}")
        at = points[link.parent].locatenew(f"J{i}", _vector(parent, link.at))
        at.v2pt_theory(points[link.parent], N, parent)
        if link.joint == "revolute":
            frame.orient_axis(parent, axis, q[i])
            frame.set_ang_vel(parent, u[i] * axis)
            origin = at
        elif link.joint == "prismatic":
            frame.orient_axis(parent, axis, 0)
            frame.set_ang_vel(parent, 0 * axis)
            origin = at.locatenew(f"B{i}o", q[i] * axis)
            origin.set_vel(N, at.vel(N) + u[i] * axis + parent.ang_vel_in(N).cross(q[i] * axis))
        else:
            raise ValueError(f"link {i}: a joint is 'revolute' or 'prismatic', not {link.joint!r}")
        frames[i], points[i] = frame, origin
        if link.mass:
            com = origin.locatenew(f"C{i}", _vector(frame, link.com))
            com.v2pt_theory(origin, N, frame)
            inertia = me.inertia(frame, *(sm.Float(c, 17) if c else sm.Integer(0) for c in link.inertia))
            bodies.append(me.RigidBody(f"body{i}", com, frame, sm.Float(link.mass, 17), (inertia, com)))
            loads.append((com, link.mass * _vector(N, system.gravity)))

    rates = [u_i - q_i.diff(me.dynamicsymbols._t) for q_i, u_i in zip(q, u, strict=True)]
    kane = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=rates)
    kane.kanes_equations(bodies, loads)
    return (
        sm.lambdify((q, u), kane.mass_matrix, cse=True),
        sm.lambdify((q, u), kane.forcing, cse=True),
    )


def mass_matrix(system: System) -> Callable[[ArrayLike], Array]:
    """Return the function q -> M(q)."""
    matrix, _ = _functions(system)
    return lambda q: np.asarray(matrix(np.asarray(q, dtype=float), np.zeros(len(system.links))), dtype=float)


def accelerations(system: System) -> Callable[[ArrayLike, ArrayLike], Array]:
    """Return the function (q, qd) -> qdd, free of applied loads other than gravity."""
    matrix, forcing = _functions(system)

    def qdd(q: ArrayLike, qd: ArrayLike) -> Array:
        q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
        return np.linalg.solve(np.asarray(matrix(q, qd), dtype=float), np.asarray(forcing(q, qd), dtype=float).ravel())

    return qdd
