"""Small vibrations of an inextensible rod in a plane about a large deflection, by shooting along the arc.

theta(s) is the slope, n the force across a section in inertial axes, m = EI theta' the moment:

    theta' = m/EI ,  m' = n_x sin theta - n_y cos theta ,  n' = -f ,

f being dead load per length; n = P, m = 0 at the tip. With theta + phi e^{i w t}, and x, y the displacements of a section,

    phi' = mu/EI ,   mu' = (n_x cos + n_y sin) phi + dn_x sin - dn_y cos ,
    x' = -sin phi ,  y' = cos phi ,  dn' = -rho w^2 (x, y) ,

phi = x = y = 0 at the clamped root and mu = dn = 0 at the tip: three solutions from the root make a singular matrix there.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

OPTIONS = {"rtol": 1e-10, "atol": 1e-12}


def _statics(s, y, EI, f, P, L):
    n = P + f * (L - s)
    return [y[1] / EI, n[0] * np.sin(y[0]) - n[1] * np.cos(y[0])]


def shape(EI, f, P, L=1.0):
    """theta(s) and moment at the root, of a rod that is clamped along x, by continuation in the load."""
    root = 0.0
    for part in np.linspace(0.1, 1.0, 10):

        def end(m, part=part):
            return solve_ivp(_statics, (0, L), [0.0, m], args=(EI, part * f, part * P, L), **OPTIONS).y[1, -1]

        step = 0.5 * max(1.0, abs(root))
        low, high = root - 0.05 * step, root + 0.05 * step
        while end(low) * end(high) > 0:
            low, high = low - 0.1 * step, high + 0.1 * step
        root = brentq(end, low, high, xtol=1e-13)
    found = solve_ivp(_statics, (0, L), [0.0, root], args=(EI, f, P, L), dense_output=True, **OPTIONS)
    return found.sol, root


def frequencies(EI, rho, f, P, count, L=1.0, steps=400):
    """The lowest frequencies, rad/s, of a rod with mass rho per length; by Runge's and Kutta's method in so many steps."""
    theta, _ = shape(EI, f, P, L)
    s = np.linspace(0, L, 2 * steps + 1)
    c, d, n = np.cos(theta(s)[0]), np.sin(theta(s)[0]), P[:, None] + np.outer(f, L - s)
    A, h = np.zeros((len(s), 6, 6)), L / steps  # of (phi, mu, x, y, dn)
    A[:, 0, 1], A[:, 2, 0], A[:, 3, 0] = 1 / EI, -d, c
    A[:, 1, 0], A[:, 1, 4], A[:, 1, 5] = n[0] * c + n[1] * d, d, -c

    def mismatch(w):
        A[:, 4, 2] = A[:, 5, 3] = -rho * w * w
        y = np.eye(6)[:, [1, 4, 5]]
        for k in range(0, 2 * steps, 2):
            a = A[k] @ y
            b = A[k + 1] @ (y + h / 2 * a)
            e = A[k + 1] @ (y + h / 2 * b)
            y = y + h / 6 * (a + 2 * b + 2 * e + A[k + 2] @ (y + h * e))
        return float(np.linalg.det(y[[1, 4, 5]]))

    unit, found = np.sqrt(EI / rho) / L**2, []
    w = 0.5 * unit
    before = mismatch(w)
    while len(found) < count:
        after = mismatch(w + unit)
        if before * after < 0:
            found.append(brentq(mismatch, w, w + unit, xtol=1e-9 * unit))
        w, before = w + unit, after
    return np.array(found)
