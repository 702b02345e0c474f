"""A cantilever beam on a base in large overall motion: the theory of Kane, Ryan and Banerjee with its arc-length stretch.

Source: T. R. Kane, R. R. Ryan, A. K. Banerjee, "Dynamics of a cantilever beam attached to a moving base", J. Guidance 10
(1987) 139-151, taken up in A. K. Banerjee's book on flexible multibody dynamics, chapter 3. Their way, written anew: a model
of its own, that shares nothing with the finite elements and modal integrals of the rest of the package, and checks them.

The beam lies along x of the base's axes, root at O. Its coordinates are modes of the stretch s of its axis measured along
the arc, of the deflections v, w along y, z, and of the section's rotations theta (twist, and those of bending, which differ
from the slopes of the axis where it shears). A point of the axis is then at

    (x + s - 1/2 int_0^x (v'^2 + w'^2),  v,  w)                                                                    (1)

whose shortening makes the partial velocities right to first order in the coordinates before anything is linearised. In a
base that moves with (a, omega, alpha), z = alpha~ + omega~ omega~, the equations are, with f = (s, v, w),

    q_j'' + [2 int f_j.(omega x f_i) dm] q_i' + [k_j + int f_j.(z f_i) dm - a_1 H0_ji - z_11 H1_ji] q_i
        = - int f_j.(a + z x e_1) dm ,   H0, H1 = int m (L - x), m (L^2 - x^2)/2 times (v_i' v_j' + w_i' w_j') dx   (2)

and, for the rotations of sections with inertia I per length, with h = I omega, in the same places

    I omega~ + omega~ I - h~                                                          for 2 omega x
    I alpha~ - (I alpha)~/2 + omega~ I omega~ - (h omega^T + omega h^T)/2 + h.omega   for z                       (3)
    I alpha + omega x h                                                               for a + z x e_1 .

Where the shear centre of the sections is at e from the centroid, v and w of (1) are those of the centroids, v_s + e_z
theta_x and w_s - e_y theta_x, while the beam bends as v_s and w_s say: deflection and twist have mass in common, and the
modes are those of both together.

The axis alone has second-order displacements here. So the theory does not know how transverse loads couple bending with
twist (the sideways buckling of a flat beam), nor how tension stiffens twist; the general method does.

Without H0 and H1 the velocities are linearised too early, and a beam that turns faster than its lowest frequency seems to
diverge. Units: SI.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.structures.theories import ritz

POINTS = 48  # of the quadrature along the beam
TRIALS = 12  # polynomials per field


@dataclass(frozen=True, eq=False)
class BookBeam:
    """A uniform cantilever on a moving base, by equations (2) and (3) of this module.

    Args:
        length: m.
        EA: axial stiffness, N.
        EI: bending stiffness, N m^2: one number, or (about y, about z).
        mass_per_length: kg/m.
        GJ: torsional stiffness, N m^2; needed for twist modes.
        GA: shear stiffness, N: one number, or (along y, along z); None: no shear deformation.
        rotary: mass moment of inertia of the section per length, kg m: one number, or (about y, about z); the one about x
            is their sum.
        modes: numbers of modes of stretch, deflection along y, deflection along z, and twist; of such shapes, where they are
            coupled by the shear centre.
        shear_centre: from the centroid, (y, z), m.
        stiffening: False drops H0 and H1: the prematurely linearised equations.
    """

    length: float
    EA: float
    EI: Any
    mass_per_length: float
    GJ: float | None = None
    GA: Any = None
    rotary: Any = 0.0
    modes: tuple[int, int, int, int] = (2, 4, 4, 0)
    stiffening: bool = True
    shear_centre: Any = (0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("length", "EA", "mass_per_length"):
            checks.positive(getattr(self, name), name)
        for name in ("EI", "GA"):
            for value in _two(getattr(self, name), name):
                if value is not None:
                    checks.positive(value, name)
        for value in _two(self.rotary, "rotary"):
            checks.not_negative(value, "rotary")
        checks.array(self.shear_centre, (2,), "shear_centre (y, z from the centroid)")
        if len(self.modes) != 4 or any(n < 0 for n in self.modes) or not sum(self.modes):
            raise ModelError(f"modes is {self.modes!r}: give four numbers of modes (stretch, along y, along z, twist)")
        if self.modes[3] and (self.GJ is None or sum(_two(self.rotary, "rotary")) <= 0):
            raise ModelError("twist modes need GJ and rotary: give both, or no twist modes")

    @cached_property
    def _section_inertia(self) -> Vector:
        """Mass moments of inertia per length about x, y, z, kg m."""
        about_y, about_z = _two(self.rotary, "rotary")
        return np.array([about_y + about_z, about_y, about_z])

    @cached_property
    def _shapes(self) -> "_Shapes":
        return _Shapes(self)

    @property
    def stiffness(self) -> Vector:
        """omega^2 of the modes at rest, rad^2/s^2, in the order of `modes`; rising, where the shear centre couples them."""
        return self._shapes.squares

    def equations(self, acceleration: Any, omega: Any, alpha: Any) -> tuple[Vector, Vector, Vector]:
        """Stiffness, gyroscopic matrix and load of the modes in a given motion of the base.

        Args:
            acceleration: of the root less gravity, m/s^2, in the base's axes.
            omega: angular velocity, rad/s.
            alpha: angular acceleration, rad/s^2.
        """
        a, w, dw = np.asarray(acceleration, dtype=float), np.asarray(omega, dtype=float), np.asarray(alpha, dtype=float)
        z, W, A = ritz.rates_matrix(w, dw), _cross(w), _cross(dw)
        S, I = self._shapes, np.diag(self._section_inertia)
        h = I @ w
        turning = I @ A - _cross(I @ dw) / 2 + W @ I @ W - (np.outer(h, w) + np.outer(w, h)) / 2 + (h @ w) * np.eye(3)
        K = np.diag(S.squares) + np.tensordot(z, S.products, 2) + np.tensordot(turning, S.turns, 2)
        G = np.tensordot(2 * W, S.products, 2) + np.tensordot(I @ W + W @ I - _cross(h), S.turns, 2)
        if self.stiffening:
            K = K - a[0] * S.H0 - z[0, 0] * S.H1
        load = -(a @ S.first[0] + z[:, 0] @ S.first[1]) - (I @ dw + W @ h) @ S.turn
        return K, G, load

    def frequencies(self, omega: Any = (0, 0, 0), acceleration: Any = (0, 0, 0)) -> Vector:
        """Frequencies of small motion, rad/s, while the base turns steadily.

        Args:
            omega: angular velocity, rad/s, in the base's axes.
            acceleration: of the root less gravity, m/s^2.
        """
        K, G, _ = self.equations(acceleration, omega, np.zeros(3))
        return ritz.frequencies_of(K, G)

    def respond(self, motion: ritz.BaseMotion, times: Any) -> Vector:
        """Modal coordinates, one row per time, from rest.

        Args:
            motion: function of t giving acceleration of the root less gravity, angular velocity and angular acceleration of
                the base, in its own axes.
            times: s, rising.
        """
        return ritz.driven(self.equations, motion, times)

    def tip(self, q: Any) -> Vector:
        """Displacement of the tip along x, y, z (1), m, one row per row of q."""
        q = np.asarray(q, dtype=float)
        S = self._shapes
        moved = q @ S.tip.T
        moved[..., 0] -= np.einsum("...i,ij,...j->...", q, S.shortening, q) / 2
        return np.asarray(moved)

    def twist(self, q: Any) -> Vector:
        """Rotation of the tip about x, rad."""
        return np.asarray(np.asarray(q, dtype=float) @ self._shapes.tip_twist)

    def stretch(self, q: Any) -> Vector:
        """Elongation of the axis, measured along the arc, m."""
        return np.asarray(np.asarray(q, dtype=float) @ self._shapes.tip[0])


class _Shapes:
    """Integrals of a beam's modes at rest."""

    def __init__(self, beam: BookBeam) -> None:
        x, weights = ritz.gauss(POINTS)
        L, m = beam.length, beam.mass_per_length
        families = [_bar(beam.EA, m, beam.modes[0]), *(_bending(beam, k) for k in (0, 1))]
        families.append(_bar(beam.GJ or 1.0, beam._section_inertia[0], beam.modes[3]))
        self.squares = np.concatenate([f[0] for f in families]) / L**2
        total = sum(beam.modes)
        ends = np.concatenate([x, [1.0]])
        f, theta, slope = np.zeros((3, total, len(ends))), np.zeros((3, total, len(ends))), np.zeros((2, total, len(ends)))
        at = 0
        for k, (squares, fields) in enumerate(families):
            mine = slice(at, at + len(squares))
            at += len(squares)
            value, slopes, turn = fields(ends)
            scale = 1 / np.sqrt(L)  # unit modal mass over the length
            if k == 3:
                theta[0, mine] = value * scale
                for across, arm in ((1, beam.shear_centre[1]), (2, -beam.shear_centre[0])):
                    f[across, mine] = arm * value * scale
                    slope[across - 1, mine] = arm * slopes * scale / L
                continue
            f[k, mine] = value * scale
            if k > 0:
                slope[k - 1, mine] = slopes * scale / L
                theta[3 - k, mine] = turn * scale / L * (1 if k == 1 else -1)
        if np.any(beam.shear_centre):
            f, theta, slope = self._uncouple(beam, weights * L, f, theta, slope)
        self.tip, self.tip_twist = f[:, :, -1], theta[0, :, -1]
        f, theta, slope = f[..., :-1], theta[..., :-1], slope[..., :-1]
        dx = weights * L
        self.products = np.einsum("aip,bjp,p->abij", f, f, m * dx, optimize=True)
        self.turns = np.einsum("aip,bjp,p->abij", theta, theta, dx, optimize=True)
        self.H0, self.H1, self.shortening = (
            np.einsum("kip,kjp,p->ij", slope, slope, c * dx, optimize=True)
            for c in (m * L * (1 - x), m * L**2 * (1 - x**2) / 2, np.ones_like(x))
        )
        self.first = np.einsum("aip,np->nai", f, np.stack([m * dx, m * L * x * dx]))
        self.turn = np.einsum("aip,p->ai", theta, dx)

    def _uncouple(self, beam: BookBeam, dx: Vector, *fields: Vector) -> list[Vector]:
        """The fields of modes of unit modal mass that are combined from those of deflections and of twist."""
        mass = beam.mass_per_length * np.einsum("aip,ajp,p->ij", fields[0][..., :-1], fields[0][..., :-1], dx)
        mass += np.einsum("a,aip,ajp,p->ij", beam._section_inertia, fields[1][..., :-1], fields[1][..., :-1], dx)
        self.squares, columns = scipy.linalg.eigh(np.diag(self.squares), mass)
        return [np.einsum("aip,ij->ajp", field, columns) for field in fields]


def _bar(stiffness: float, mass: float, count: int) -> tuple[Vector, Any]:
    """omega^2 L^2 and fields of stretch or twist modes on a unit length, of unit modal mass."""
    x, w = ritz.gauss(POINTS)
    P, P1, _ = ritz.polynomials(TRIALS, x, 1)
    squares, columns = ritz.modes_of(stiffness * (P1 * w) @ P1.T, mass * (P * w) @ P.T, count, "modes along the axis")

    def fields(at: Vector) -> tuple[Vector, Vector, Vector]:
        value, slope, _ = ritz.polynomials(TRIALS, at, 1)
        return columns.T @ value, columns.T @ slope, np.zeros((count, len(at)))

    return squares, fields


def _bending(beam: BookBeam, k: int) -> tuple[Vector, Any]:
    """omega^2 L^2 and fields of deflection modes along y (k = 0) or z (k = 1) on a unit length: v, v', turn (times L)."""
    x, w = ritz.gauss(POINTS)
    L, m, count = beam.length, beam.mass_per_length, beam.modes[1 + k]
    EI, GA = _two(beam.EI, "EI")[1 - k], _two(beam.GA, "GA")[k]
    inertia = beam._section_inertia[2 - k]
    if GA is None:  # sections stay normal to the axis
        P, P1, P2 = ritz.polynomials(TRIALS, x, 2)
        K, M = EI / L**2 * (P2 * w) @ P2.T, m * (P * w) @ P.T + inertia / L**2 * (P1 * w) @ P1.T
    else:  # trial functions of the deflection, then of the turn
        P, P1, _ = ritz.polynomials(TRIALS, x, 1)
        shear = np.concatenate([P1, -P])
        K = GA * (shear * w) @ shear.T
        K[TRIALS:, TRIALS:] += EI / L**2 * (P1 * w) @ P1.T
        M = np.zeros_like(K)
        M[:TRIALS, :TRIALS], M[TRIALS:, TRIALS:] = m * (P * w) @ P.T, inertia / L**2 * (P * w) @ P.T
        if not inertia:
            raise ModelError("shear deformation needs the rotary inertia of the section: give rotary")
    squares, columns = ritz.modes_of(K, M, count, "bending modes")

    def fields(at: Vector) -> tuple[Vector, Vector, Vector]:
        value, slope, _ = ritz.polynomials(TRIALS, at, 2 if GA is None else 1)
        own = columns[: len(value)].T
        return own @ value, own @ slope, own @ slope if GA is None else columns[TRIALS:].T @ value

    return squares, fields


def _two(value: Any, what: str) -> tuple[Any, Any]:
    if np.ndim(value) == 0:
        return value, value
    if len(value) != 2:
        raise ModelError(f"{what} is {value!r}: give one number or two")
    return value[0], value[1]


def _cross(v: Vector) -> Vector:
    a, b, c = v
    return np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
