"""Chains of rods in water, with the cable of the checks: 20 mm thick, 2 N/m in water."""

import numpy as np

import kaneflex as kf

RHO, D, CN, CT, WEIGHT, G = 1025.0, 0.02, 1.2, 0.01, 2.0, 9.81
AREA = np.pi * D**2 / 4
MASS = WEIGHT / G + RHO * AREA  # kg/m: 0.525887
DEEP = 10.0  # height of the surface above the upper end, m: nothing leaves the water


def chain(n, length, sea, angle=np.pi / 2, gravity=(0, 0, -G), added_mass=1.0):
    """n rods in the plane xz that hang on the origin, the first turned down from x by an angle."""
    s, l, parent = kf.System("chain", gravity=gravity), length / n, None
    for k in range(n):
        rod = kf.Rigid(MASS * l, (l / 2, 0, 0), MASS * l**3 / 12 * np.array((1e-6, 1, 1)), {"tip": (l, 0, 0)})
        joint, at = kf.Revolute("y"), (0, 0, 0) if parent is None else "tip"
        s.add(f"c{k + 1}", rod, joint, parent=parent, at=at, q=0.0 if parent else angle)
        parent = f"c{k + 1}"
    bodies = [f"c{k + 1}" for k in range(n)]
    s.apply("sea", kf.Morison(bodies, sea, D, CN, CT, added_mass, element=((0, 0, 0), (l, 0, 0))))
    return s


def extrapolated(coarse, fine):
    """What values with n and 2n rods, of second order, tend to."""
    return (4 * np.asarray(fine) - np.asarray(coarse)) / 3
