"""A cantilever plate on a base in large overall motion, by polynomials and membrane forces.

Source: A. K. Banerjee, T. R. Kane, "Dynamics of a plate in large overall motion", J. Applied Mechanics 56 (1989) 887-892,
taken up in A. K. Banerjee's book on flexible multibody dynamics, chapter 4. Their stretch variables along the plate's middle
lead to the same stiffness as the membrane forces used here; the model is one of its own and checks the finite elements.

The plate lies in the x-y plane of the base's axes, 0 <= x <= a, -b/2 <= y <= b/2, clamped along x = 0. Its coordinates are
the modes of the deflection w. In a base that moves with (acceleration A, omega, alpha), z = alpha~ + omega~ omega~, each of
the six in-plane loads l, of amplitudes A_x, z_11, z_12 (along x, growing with 1, x, y) and A_y, z_21, z_22 (along y), has
a plane-stress solution N(l) under forces of that pattern, and with inertia forces against the accelerations

    q'' + [k + z_33 - sum_l amplitude_l Kg_l] q = - int w_j (A_z + z_31 x + z_32 y) dm                             (1)
    Kg_l = int (Nx w_x w_x + Ny w_y w_y + Nxy (w_x w_y + w_y w_x)) dx dy .                                        (2)

In-plane vibration is left out; it is far above the deflection's frequencies. Units: SI.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.structures.theories import ritz

POINTS = 24  # of the quadrature, each way


@dataclass(frozen=True, eq=False)
class BookPlate:
    """A uniform rectangular cantilever plate on a moving base, by equations (1) and (2) of this module.

    Args:
        length: a, along x, from the clamped edge, m.
        width: b, along y, m.
        thickness: m.
        E: Young's modulus, Pa.
        nu: Poisson's ratio.
        density: kg/m^3.
        modes: number of modes.
        trials: polynomials each way.
        stiffening: False drops the membrane forces: the prematurely linearised equations.
    """

    length: float
    width: float
    thickness: float
    E: float
    nu: float
    density: float
    modes: int = 20
    trials: int = 8
    stiffening: bool = True

    def __post_init__(self) -> None:
        for name in ("length", "width", "thickness", "E", "density"):
            checks.positive(getattr(self, name), name)
        if not 0 <= checks.number(self.nu, "nu") < 0.5:
            raise ModelError(f"nu is {self.nu:g}: Poisson's ratio lies from 0 to below 0.5")
        if not 1 <= self.modes <= self.trials**2:
            raise ModelError(f"modes is {self.modes}: give 1 to {self.trials**2}, or more trials")

    @cached_property
    def _grid(self) -> tuple[Vector, Vector, Vector]:
        """x, y (m) and weights (m^2) of all quadrature points."""
        s, w = ritz.gauss(POINTS)
        x, y = np.meshgrid(s * self.length, (s - 0.5) * self.width, indexing="ij")
        return x.ravel(), y.ravel(), np.outer(w, w).ravel() * self.length * self.width

    def _trial(self, x: Vector, y: Vector, power: int) -> dict[str, Vector]:
        """Products of polynomials in x (times x^power) and y, with their derivatives, each (trials^2, points)."""
        X = ritz.polynomials(self.trials, x / self.length, power)
        Y = ritz.polynomials(self.trials, y / self.width + 0.5)
        product = lambda i, j: np.einsum("ip,jp->ijp", X[i], Y[j]).reshape(-1, len(x)) / self.length**i / self.width**j
        return {
            "": product(0, 0),
            "x": product(1, 0),
            "y": product(0, 1),
            "xx": product(2, 0),
            "yy": product(0, 2),
            "xy": product(1, 1),
        }

    @cached_property
    def _modes(self) -> tuple[Vector, Vector]:
        """omega^2, and the modes as columns over the trial functions."""
        x, y, w = self._grid
        t = self._trial(x, y, 2)
        D = self.E * self.thickness**3 / 12 / (1 - self.nu**2)
        form = lambda a, b: (t[a] * w) @ t[b].T
        mixed = form("xx", "yy")
        K = D * (form("xx", "xx") + form("yy", "yy") + self.nu * (mixed + mixed.T) + 2 * (1 - self.nu) * form("xy", "xy"))
        return ritz.modes_of(K, self.density * self.thickness * form("", ""), self.modes, "modes of the plate")

    @cached_property
    def _membrane(self) -> Vector:
        """Kg (2, 3, modes, modes) of unit loads per mass along x and y, growing with 1, x, y."""
        x, y, w = self._grid
        t = self._trial(x, y, 1)
        C = self.E * self.thickness / (1 - self.nu**2)
        zero = np.zeros_like(t["x"])
        strains = [np.concatenate([t["x"], zero]), np.concatenate([zero, t["y"]]), np.concatenate([t["y"], t["x"]])]
        stress = [
            C * (strains[0] + self.nu * strains[1]),
            C * (strains[1] + self.nu * strains[0]),
            C * (1 - self.nu) / 2 * strains[2],
        ]
        K = sum((e * w) @ n.T for e, n in zip(strains, stress, strict=True))
        columns = self._modes[1]
        slopes = self._trial(x, y, 2)
        wx, wy = columns.T @ slopes["x"], columns.T @ slopes["y"]
        found = np.zeros((2, 3, self.modes, self.modes))
        for k, growth in enumerate((np.ones_like(x), x, y)):
            along = t[""] @ (self.density * self.thickness * growth * w)
            for axis in range(2):
                load = np.concatenate([along, 0 * along] if axis == 0 else [0 * along, along])
                Nx, Ny, Nxy = (w * (np.linalg.solve(K, load) @ n) for n in stress)
                mixed = (wx * Nxy) @ wy.T
                found[axis, k] = (wx * Nx) @ wx.T + (wy * Ny) @ wy.T + mixed + mixed.T
        return found

    @cached_property
    def _first(self) -> Vector:
        """int w (1, x, y) dm, (modes, 3)."""
        x, y, w = self._grid
        shapes = self._modes[1].T @ self._trial(x, y, 2)[""]
        return (shapes * w * self.density * self.thickness) @ np.stack([np.ones_like(x), x, y], axis=1)

    @property
    def stiffness(self) -> Vector:
        """omega^2 of the modes at rest, rad^2/s^2."""
        return self._modes[0]

    def equations(self, acceleration: Any, omega: Any, alpha: Any) -> tuple[Vector, Vector, Vector]:
        """Stiffness, gyroscopic matrix (zero) and load of the modes in a given motion of the base.

        Args:
            acceleration: of the middle of the clamped edge less gravity, m/s^2, in the base's axes.
            omega: angular velocity, rad/s.
            alpha: angular acceleration, rad/s^2.
        """
        A = np.asarray(acceleration, dtype=float)
        z = ritz.rates_matrix(np.asarray(omega, dtype=float), np.asarray(alpha, dtype=float))
        K = np.diag(self.stiffness) + z[2, 2] * np.eye(self.modes)
        if self.stiffening:
            K = K - np.tensordot(np.column_stack([A[:2], z[:2, :2]]), self._membrane, 2)
        return K, np.zeros_like(K), -self._first @ np.array([A[2], z[2, 0], z[2, 1]])

    def frequencies(self, omega: Any = (0, 0, 0), acceleration: Any = (0, 0, 0)) -> Vector:
        """Frequencies of small motion, rad/s, while the base turns steadily.

        Args:
            omega: angular velocity, rad/s, in the base's axes.
            acceleration: of the middle of the clamped edge less gravity, m/s^2.
        """
        K, G, _ = self.equations(acceleration, omega, np.zeros(3))
        return ritz.frequencies_of(K, G)

    def respond(self, motion: ritz.BaseMotion, times: Any) -> Vector:
        """Modal coordinates, one row per time, from rest.

        Args:
            motion: function of t giving acceleration of O less gravity, angular velocity and angular acceleration of the
                base, in its own axes.
            times: s, rising.
        """
        return ritz.driven(self.equations, motion, times)

    def deflection(self, q: Any, x: float, y: float) -> Vector:
        """w (m) at the place (x, y), one value per row of q."""
        shapes = self._modes[1].T @ self._trial(np.array([float(x)]), np.array([float(y)]), 2)[""]
        return np.asarray(np.asarray(q, dtype=float) @ shapes[:, 0])
