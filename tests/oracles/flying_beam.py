"""A beam in space that bends, twists, stretches and shears, thrown into free flight: by nodes in absolute coordinates.

Sections at n + 1 nodes have places x and rotations R (quaternions), half an interval of mass and rotary inertia at the ends.
Between two nodes, l apart, with the rotation vector phi from one to the next, in their own axes, and R half way on,

    force  n = EA ((x' - x)/l - R e_1) ,    moment  m = EI R phi/l ,                                                     (1)

onto the first node, and -n, -m onto the second; n acts with half the lever x' - x on each. Runge-Kutta steps of order 4; the
error goes with l^2. No part of the package is used.
Ref: Simo, Comput. Meth. Appl. Mech. Eng. 49 (1985) 55 (geometrically exact beams), for (1).
"""

from collections.abc import Callable

import numpy as np

Array = np.ndarray
LENGTH, MASS, STRETCH = 10.0, 1.0, 1e4
ROTARY = np.array([20.0, 10.0, 10.0])  # kg m, about the axes of a section
STRAIGHT = np.arctan2(8.0, -6.0)  # of the beam at the start, from (6, 0, 0)


def cross(a: Array, b: Array) -> Array:
    """Of rows: faster than that of numpy where they are few."""
    return np.stack(
        [
            a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
            a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
            a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
        ],
        axis=1,
    )


def product(a: Array, b: Array) -> Array:
    """Of quaternions (..., 4), the number first."""
    w = a[:, :1] * b[:, :1] - np.sum(a[:, 1:] * b[:, 1:], axis=1, keepdims=True)
    return np.hstack([w, a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + cross(a[:, 1:], b[:, 1:])])


def turned(q: Array, v: Array) -> Array:
    """Vectors turned by unit quaternions."""
    t = 2 * cross(q[:, 1:], v)
    return np.asarray(v + q[:, :1] * t + cross(q[:, 1:], t))


def slope(t: float, y: Array, n: int, EI: float, loads: Callable[[float], tuple[Array, Array]]) -> Array:
    """Rates of places, velocities, quaternions, and angular velocities in axes of the sections."""
    k = n + 1
    x, v, q, w = y[: 3 * k].reshape(k, 3), y[3 * k : 6 * k], y[6 * k : 10 * k].reshape(k, 4), y[10 * k :].reshape(k, 3)
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    length = LENGTH / n
    between = product(q[:-1] * [1, -1, -1, -1], q[1:])
    sine = np.linalg.norm(between[:, 1:], axis=1, keepdims=True)
    half = np.arctan2(sine, between[:, :1])  # half the angle
    phi = between[:, 1:] * np.where(sine > 1e-12, 2 * half / np.maximum(sine, 1e-12), 2.0)
    middle = q[:-1] + q[1:]
    middle = middle / np.linalg.norm(middle, axis=1, keepdims=True)
    arm = np.diff(x, axis=0)
    axis = turned(middle, np.tile([1.0, 0, 0], (n, 1)))
    force, moment = STRETCH * (arm / length - axis), EI * turned(middle, phi) / length
    f, m = np.zeros((k, 3)), np.zeros((k, 3))
    f[:-1] += force
    f[1:] -= force
    lever = cross(arm, force) / 2
    m[:-1] += moment + lever
    m[1:] += lever - moment
    push, twist = loads(t)
    f[0] += push
    m[0] += twist
    share = np.full((k, 1), length)
    share[[0, -1]] /= 2
    spin = product(q, np.hstack([np.zeros((k, 1)), w])) / 2
    own = turned(q * [1, -1, -1, -1], m) / share
    return np.concatenate([v, (f / (MASS * share)).ravel(), spin.ravel(), ((own - cross(w, ROTARY * w)) / ROTARY).ravel()])


def rise(t: float) -> float:
    """Triangle to 1 at 2.5 s and back to nothing at 5 s."""
    return max(0.0, 1 - abs(t / 2.5 - 1))


def in_space(t: float) -> tuple[Array, Array]:
    """The loads of the flight in space, N and N m."""
    return np.array([20.0, 0, 0]) * rise(t), np.array([0.0, 100.0, -200.0]) * rise(t)


def in_the_plane(t: float) -> tuple[Array, Array]:
    """The loads of the flight in the plane, N and N m."""
    return np.array([8.0, 0, 0]) * (t < 2.5), np.array([0.0, 0, -80.0]) * (t < 2.5)


def ends(n: int, EI: float, loads: Callable[[float], tuple[Array, Array]], times: Array) -> tuple[Array, Array]:
    """Places of the loaded and of the free end at the times, (k, 3), m; the loads may have kinks at 2.5 and 5 s."""
    k, turn = n + 1, STRAIGHT
    along = np.array([np.cos(turn), np.sin(turn), 0.0])
    x = np.array([6.0, 0, 0]) + np.linspace(0, LENGTH, k)[:, None] * along
    q = np.tile([np.cos(turn / 2), 0, 0, np.sin(turn / 2)], (k, 1))
    y, found = np.concatenate([x.ravel(), np.zeros(3 * k), q.ravel(), np.zeros(3 * k)]), []
    h = LENGTH / n / 100  # s: by the speed of waves, to which steps of this method could be 1.4 times as long
    whens = np.rint(times / h).astype(int)
    for step in range(int(whens[-1]) + 1):
        if step in whens:
            found.append(y[: 3 * k].copy())
        t = step * h
        within = lambda x, a=t, b=t + h: loads(min(max(x, a + 1e-9), b - 1e-9))  # loads jump at the ends of steps only
        a = slope(t, y, n, EI, within)
        b = slope(t + h / 2, y + h / 2 * a, n, EI, within)
        c = slope(t + h / 2, y + h / 2 * b, n, EI, within)
        d = slope(t + h, y + h * c, n, EI, within)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    places = np.array(found)
    return places[:, :3], places[:, 3 * n : 3 * k]


__all__ = ["ends", "in_space", "in_the_plane"]
