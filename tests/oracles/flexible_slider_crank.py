"""A slider-crank of two elastic bars, geometrically exact: crank and rod as Reissner beams in the plane, in inertial axes.

The strain energy is that of `nonlinear_beam`, (1) there: large displacements, stretch, shear, bending on quadratic elements.
Coordinates are the places and section angles of all nodes, (x, y, phi), in axes that stand still, so that the mass matrix is
constant and nothing is relative. The crank's first node stays at O and its section there turns by the given angle; its last
node and the rod's first are one place with two angles; the rod's last node moves along x, and carries the slider's mass:

    M q'' + dU/dq = 0    on the coordinates that are not given.                                                      (1)

Start: crank and rod straight along x, undeformed and at rest. In the time T the crank's rate grows to w by

    w (t/T - sin(2 pi t/T)/(2 pi)) ,                                                                                 (2)

within one turn if T = 4 pi/w, and stays. Time steps: the
generalized-alpha method (J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993)), second order; two lengths of the step are
extrapolated to none. Nothing here knows modes, floating frames or second-order displacements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from oracles.nonlinear_beam import NonlinearBeam

Array = NDArray[np.float64]
CRANK, ROD, RATE = 0.15, 0.3, 150.0
RAMP = 4 * math.pi / RATE
E, NU, DENSITY, SLIDER = 2e11, 0.3, 7870.0, 0.0334
DIAMETERS = {"crank": 0.012, "rod": 0.006}
SHEAR = 0.9  # shear factor of a round section
COLUMNS = ("rod's middle", "crank's tip", "slide")


def bar(length: float, diameter: float, elements: int, stiffness: float = 1.0) -> NonlinearBeam:
    """A round steel bar."""
    area, I = math.pi * diameter**2 / 4, math.pi * diameter**4 / 64
    young = E * stiffness
    GA = SHEAR * young / (2 * (1 + NU)) * area
    return NonlinearBeam(length, young * area, GA, young * I, DENSITY * area, DENSITY * I, elements)


@dataclass
class SliderCrank:
    elements: tuple[int, int] = (3, 6)  # of crank and rod
    stiffness: float = 1.0

    def __post_init__(self) -> None:
        self.crank = bar(CRANK, DIAMETERS["crank"], self.elements[0], self.stiffness)
        self.rod = bar(ROD, DIAMETERS["rod"], self.elements[1], self.stiffness)
        a, b = len(self.crank.straight), len(self.rod.straight)
        self.at_crank = np.arange(a)
        self.at_rod = np.r_[a - 3, a - 2, a + np.arange(b - 2)]  # shares x, y of the crank's last node
        n = a + b - 2
        M = np.zeros((n, n))
        for beam, at in self.parts():
            M[np.ix_(at, at)] += beam.M
        M[n - 3, n - 3] += SLIDER
        self.M = M
        self.given = np.array([0, 1, 2, n - 2])
        self.free = np.setdiff1d(np.arange(n), self.given)

    def parts(self) -> tuple[tuple[NonlinearBeam, Array], ...]:
        return (self.crank, self.at_crank), (self.rod, self.at_rod)

    def internal(self, q: Array) -> tuple[Array, Array]:
        f, K = np.zeros_like(q), np.zeros((len(q), len(q)))
        for beam, at in self.parts():
            force, stiff = beam.internal(q[at])
            f[at] += force
            K[np.ix_(at, at)] += stiff
        return f, K

    def start(self) -> Array:
        """Straight along x."""
        q = np.zeros(len(self.M))
        for (beam, at), x0 in zip(self.parts(), (0.0, CRANK), strict=True):
            q[at] = beam.straight
            q[at[::3]] += x0
        return q

    def outputs(self, q: Array) -> Array:
        """The rod's middle across its chord, the crank's tip across the crank's root tangent, the slide: m."""
        crank, rod = (q[at].reshape(-1, 3) for _, at in self.parts())
        points = rod[:, 0] + 1j * rod[:, 1]
        chord = points[-1] - points[0]
        middle = ((points[len(points) // 2] - points[0]) / (chord / abs(chord))).imag
        tip = (complex(*crank[-1, :2]) * np.exp(-1j * q[2])).imag
        return np.array([middle, tip, points[-1].real])

    def run(self, duration: float, steps: int, every: int) -> Array:
        """The columns of `outputs` at the start and after every so many steps."""
        rho, h, free = 0.95, duration / steps, self.free  # spectral radius at infinity
        am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma, beta = 0.5 + af - am, (1 + af - am) ** 2 / 4
        q = self.start()
        v, a, old = (np.zeros_like(q) for _ in range(3))
        inner, rows = np.ix_(free, free), [self.outputs(q)]
        for k in range(1, steps + 1):
            new = old.copy()
            for _ in range(20):
                q1 = q + h * v + h**2 * ((0.5 - beta) * old + beta * new)
                v1 = v + h * ((1 - gamma) * old + gamma * new)
                a1 = ((1 - am) * new + am * old - af * a) / (1 - af)
                for values, given in zip((q1, v1, a1), turn(k * h), strict=True):
                    values[self.given] = 0.0, 0.0, given, 0.0
                f, K = self.internal((1 - af) * q1 + af * q)
                out = self.M @ ((1 - af) * a1 + af * a) + f
                J = (1 - am) * self.M[inner] + (1 - af) * h**2 * beta * K[inner]
                change = linalg.solve(J, -out[free], check_finite=False)
                new[free] += change
                if np.abs(change).max() < 1e-9 * np.abs(new).max():
                    break
            q, v, a, old = q1, v1, a1, new
            if k % every == 0:
                rows.append(self.outputs(q))
        return np.array(rows)


def turn(t: float) -> tuple[float, float, float]:
    """Angle of the crank's root, its rate and acceleration, by (2)."""
    if t >= RAMP:
        return RATE * (t - RAMP / 2), RATE, 0.0
    c, s = math.cos(2 * math.pi * t / RAMP), math.sin(2 * math.pi * t / RAMP)
    angle = RATE * (t**2 / (2 * RAMP) + RAMP * (c - 1) / (4 * math.pi**2))
    return angle, RATE * (t / RAMP - s / (2 * math.pi)), RATE * (1 - c) / RAMP


def motion(samples: int, steps: int = 30, elements: tuple[int, int] = (3, 6), stiffness: float = 1.0) -> Array:
    """Rows of `outputs` at the start and `samples` times, from two lengths of the step, extrapolated to none.

    Args:
        samples: in the run of two turns, one of them while the crank's rate grows.
        steps: between two samples, of the longer kind.
        elements: of crank and rod.
        stiffness: factor on E.
    """
    model, duration = SliderCrank(elements, stiffness), 1.5 * RAMP
    coarse, fine = (model.run(duration, n * samples, n) for n in (steps, 2 * steps))
    return fine + (fine - coarse) / 3
