"""A cantilever whose sections have their shear centre off the centroid: frequencies and buckling in closed form.

With w the deflection of the shear centres along z, theta the twist, e the place of the shear centre from the centroid along
y, so that centroids move by w - e theta, harmonic motion satisfies

    EI w'''' + r W^2 w'' - m W^2 (w - e theta) = 0 ,     GJ theta'' + W^2 [p theta - e m (w - e theta)] = 0 ,           (1)

m, r, p being mass and inertias of the section about y and x per length. The root is held; at the tip w'' = 0,
EI w''' + r W^2 w' = 0 and theta' = 0. W is where the determinant of the six conditions on six exponentials vanishes.

An axial load P through the tip's centroid leaves EI w'''' + P (w'' - e theta'') = 0 and (GJ - P R) theta' + P e w' = 0, R
the square of the radius of gyration about the shear centre, so that with P_w = EI (pi/2L)^2 it is critical at

    (P_w - P)(GJ - P R) = P^2 e^2 .                                                                                  (2)

Ref: (1) Dokumaci, J. Sound Vib. 119 (1987) 443, with rotary inertia; (2) Timoshenko, J. Franklin Inst. 239 (1945) 249.
"""

import numpy as np
from scipy.optimize import brentq


def frequencies(L: float, EI: float, GJ: float, m: float, r: float, p: float, e: float, count: int) -> np.ndarray:
    """The lowest frequencies of (1), rad/s."""

    def conditions(W: float) -> float:
        s = W * W
        # EI k^4 + r s k^2 - m s and its like of theta, in powers of k^2; w and theta are proportional by the second of (1)
        twist = np.array([GJ, s * (p + m * e * e)])
        bend = np.array([EI, r * s, -m * s])
        squares = np.roots(np.polyadd(np.polymul(bend, twist), [(m * e * s) * (e * m * s)]))
        k = np.concatenate([np.sqrt(squares.astype(complex)), -np.sqrt(squares.astype(complex))])
        theta = e * m * s / (GJ * k**2 + s * (p + m * e * e))
        grown = np.exp(k * L) / np.maximum(1, np.exp(k.real * L))  # columns of moderate size
        base = 1 / np.maximum(1, np.exp(k.real * L))
        rows = [base, k * base, theta * base, k**2 * grown, (EI * k**3 + r * s * k) * grown, k * theta * grown]
        scaled = [row / np.abs(row).max() for row in rows]
        # by pairs of k and -k the determinant is real or imaginary, whatever their number of real ones
        value = np.linalg.det(np.array(scaled)) / np.prod(k[:3])
        return float(value.real + value.imag)

    grid = np.geomspace(10.0, 1e3, 1_000)
    values = np.array([conditions(W) for W in grid])
    found = []
    for a, b, x, y in zip(grid[:-1], grid[1:], values[:-1], values[1:], strict=True):
        if x * y < 0 and len(found) < count:
            found.append(brentq(conditions, a, b, xtol=1e-12, rtol=1e-13))
    return np.array(found)


def critical_load(L: float, EI: float, GJ: float, squared_radius: float, e: float) -> float:
    """The least P of (2), N; squared_radius is about the shear centre."""
    bending = EI * (np.pi / (2 * L)) ** 2
    roots = np.roots([squared_radius - e * e, -(GJ + bending * squared_radius), bending * GJ])
    return float(min(roots[roots > 0]))
