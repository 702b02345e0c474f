"""A plane cantilever on a moving base, geometrically exact: large displacements, stretch, shear and bending, in base axes.

Reissner's beam. With r = (x, y) the axis, phi the section's angle and ' = d/ds,

    stretch = cos phi x' + sin phi y' - 1 ,   shear = -sin phi x' + cos phi y' ,   bend = phi'                     (1)
    strain energy = int (EA stretch^2 + GA shear^2 + EI bend^2)/2 ds

on quadratic three-node elements, strains at two Gauss points (which keeps thin beams from locking), mass at three. In the
axes of the base, which turns at W(t) while the root is accelerated by a(t) (its components along these axes; gravity is
an acceleration of the root the other way),

    acceleration = a + r'' + 2 W J r' + (W' J - W^2) r ,   J = [[0, -1], [1, 0]]   (' = d/dt here) ,  phi'' + W'      (2)

is linear in r, so that the rigid part of the motion is exact whatever the time step. The root is clamped to the base, or
its section may turn, freely or by a given angle; at a hinge the section's angle is two numbers. Time steps: the
generalized-alpha method, second order.

Sources: E. Reissner, ZAMP 23 (1972) 795-804; J. C. Simo, L. Vu-Quoc, CMAME 66 (1988) for the spin-up; J. Chung,
G. M. Hulbert, J. Appl. Mech. 60 (1993) for the time steps. Nothing here knows modes, geometric stiffness or second-order
displacements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: t -> (acceleration of the root along the base's x and y, W, W')
PlaneMotion = Callable[[float], tuple[tuple[float, float], float, float]]
STILL: PlaneMotion = lambda t: ((0.0, 0.0), 0.0, 0.0)

TWO, TWO_WEIGHTS = np.polynomial.legendre.leggauss(2)
THREE, THREE_WEIGHTS = np.polynomial.legendre.leggauss(3)
TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
PLANE = np.diag([1.0, 1.0, 0.0])


def shapes(c: Array) -> tuple[Array, Array]:
    """Quadratic shape functions on -1..1 and their derivatives, (points, 3)."""
    return np.stack([c * (c - 1) / 2, 1 - c**2, c * (c + 1) / 2], axis=1), np.stack([c - 0.5, -2 * c, c + 0.5], axis=1)


@dataclass
class NonlinearBeam:
    length: float
    EA: float
    GA: float
    EI: float
    mass: float  # per length
    rotary: float
    elements: int = 10
    hinge: int | None = None  # the element before which there is one

    def __post_init__(self) -> None:
        self.nodes = np.linspace(0.0, self.length, 2 * self.elements + 1)
        at = 2 * np.arange(self.elements)[:, None] + np.arange(3)
        self.dofs = (3 * at[:, :, None] + np.arange(3)).reshape(self.elements, 9)
        self.size = 3 * len(self.nodes)
        if self.hinge is not None:
            self.dofs[self.hinge, 2] = self.size  # the angle beyond it comes last
            self.size += 1
        self.half = self.length / self.elements / 2
        N, _ = shapes(THREE)
        scalar = (N.T * THREE_WEIGHTS * self.half) @ N
        self.M = self._spread(scalar, np.diag([self.mass, self.mass, self.rotary]))
        self.turn, self.plane = self._spread(scalar, self.mass * TURN), self._spread(scalar, self.mass * PLANE)
        self.straight = np.zeros(self.size)
        self.straight[: 3 * len(self.nodes) : 3] = self.nodes
        self.tip = 3 * len(self.nodes) - 3 + np.arange(3)

    def _spread(self, scalar: Array, per_node: Array) -> Array:
        """A matrix of all dofs from one of an element's nodes and one of a node's dofs."""
        found = np.zeros((self.size, self.size))
        for own in self.dofs:
            found[np.ix_(own, own)] += np.kron(scalar, per_node)
        return found

    def _all(self, of_node: tuple[float, float, float]) -> Array:
        """The same x, y and phi everywhere."""
        found = np.zeros(self.size)
        for k in range(3):
            found[self.dofs[:, k::3]] = of_node[k]
        return found

    def internal(self, q: Array) -> tuple[Array, Array]:
        """Gradient and Hessian of the strain energy."""
        f, K = np.zeros_like(q), np.zeros((len(q), len(q)))
        N, dN = shapes(TWO)
        dN = dN / self.half
        own = q[self.dofs].reshape(self.elements, 3, 3)
        stiff = np.array([self.EA, self.GA, self.EI])
        for g in range(2):
            (dx, dy, dphi), phi = (dN[g] @ own).T, N[g] @ own[:, :, 2].T
            c, s = np.cos(phi), np.sin(phi)
            strain = np.stack([c * dx + s * dy - 1, -s * dx + c * dy, dphi])
            B = np.zeros((self.elements, 3, 3, 3))  # strain, node, dof
            B[:, 0, :, 0], B[:, 0, :, 1] = np.outer(c, dN[g]), np.outer(s, dN[g])
            B[:, 1, :, 0], B[:, 1, :, 1] = np.outer(-s, dN[g]), np.outer(c, dN[g])
            B[:, 0, :, 2], B[:, 1, :, 2] = np.outer(strain[1], N[g]), np.outer(-1 - strain[0], N[g])
            B[:, 2, :, 2] = dN[g]
            B = B.reshape(self.elements, 3, 9)
            load = stiff[:, None] * strain
            H = np.zeros((self.elements, 3, 3, 3, 3))
            mixed = np.outer(dN[g], N[g])
            for dof, a in ((0, -load[0] * s - load[1] * c), (1, load[0] * c - load[1] * s)):
                H[:, :, dof, :, 2] += a[:, None, None] * mixed
                H[:, :, 2, :, dof] += a[:, None, None] * mixed.T
            H[:, :, 2, :, 2] -= np.einsum("e,i,j->eij", load[0] * (1 + strain[0]) + load[1] * strain[1], N[g], N[g])
            w = TWO_WEIGHTS[g] * self.half
            np.add.at(f, self.dofs, w * np.einsum("esi,se->ei", B, load))
            tangent = w * (np.einsum("esi,s,esj->eij", B, stiff, B) + H.reshape(self.elements, 9, 9))
            np.add.at(K, (self.dofs[:, :, None], self.dofs[:, None, :]), tangent)
        return f, K

    def steady_frequencies(self, speed: float, hub: float) -> Array:
        """Frequencies of small motion about the beam as a constant spin has stretched it, its root at the radius `hub`."""
        q, free = self.straight.copy(), slice(3, None)
        base = self.M @ self._all((-(speed**2) * hub, 0.0, 0.0))
        for _ in range(30):
            f, K = self.internal(q)
            K = (K - speed**2 * self.plane)[free, free]
            change = np.linalg.solve(K, -(f + base - speed**2 * self.plane @ q)[free])
            q[free] += change
            if np.abs(change).max() < 1e-12 * self.length:
                break
        K = (self.internal(q)[1] - speed**2 * self.plane)[free, free]
        M, none = self.M[free, free], np.zeros_like(K)
        rates = np.linalg.solve(M, np.hstack([-K, -2 * speed * self.turn[free, free]]))
        values = np.linalg.eigvals(np.vstack([np.hstack([none, np.eye(len(K))]), rates])).imag
        return np.sort(values[values > 1e-6])

    def run(self, motion: PlaneMotion, duration: float, step: float) -> tuple[Array, Array]:
        """Times, and the tip's (x, y, phi) in the base's axes, from rest, clamped to the base."""
        t, q, _ = self.history(duration, step, motion)
        return t, q[:, self.tip]

    def history(
        self,
        duration: float,
        step: float,
        motion: PlaneMotion = STILL,
        *,
        turns: bool = False,
        angle: Callable[[float], float] | None = None,
        moment: Callable[[float], float] = lambda t: 0.0,
    ) -> tuple[Array, Array, Array]:
        """Times, all dofs in the base's axes, and the moment that holds the root, from rest in these axes.

        Args:
            duration: s. step: s.
            motion: of the base.
            turns: whether the root's section turns freely; else it is held, at nothing or at `angle`.
            angle: of the root's section over time, rad.
            moment: on the root's section where it turns, N m.
        """
        rho = 0.9  # spectral radius at infinity
        am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 + af - am
        beta = (1 + af - am) ** 2 / 4
        free = np.arange(2 if turns else 3, self.size)
        q = self.straight.copy()
        v, a, old = (np.zeros_like(q) for _ in range(3))
        count = round(duration / step)
        places, held = [q], [0.0]
        for k in range(count):
            t, end = (k + 1 - af) * step, (k + 1) * step
            (ax, ay), W, dW = motion(t)
            base = self.M @ self._all((ax, ay, dW))
            relative = dW * self.turn - W**2 * self.plane
            base[2] -= moment(t) if turns else 0.0
            # standard recurrences: q1, v1 by the auxiliary acceleration `new`
            new = old.copy()
            predicted_q = q + step * v + step**2 * (0.5 - beta) * old
            predicted_v = v + step * (1 - gamma) * old
            for _ in range(20):
                q1, v1 = predicted_q + step**2 * beta * new, predicted_v + step * gamma * new
                if angle is not None:
                    q1[2], v1[2] = angle(end), (angle(end) - angle(end - step)) / step
                a1 = ((1 - am) * new + am * old - af * a) / (1 - af)
                qm, vm, acc = (1 - af) * q1 + af * q, (1 - af) * v1 + af * v, (1 - af) * a1 + af * a
                f, K = self.internal(qm)
                out = self.M @ acc + 2 * W * self.turn @ vm + relative @ qm + base + f
                J = (1 - am) * self.M + (1 - af) * step * (gamma * 2 * W * self.turn + step * beta * (relative + K))
                change = np.linalg.solve(J[np.ix_(free, free)], -out[free])
                new[free] += change
                if np.abs(change).max() < 1e-9 * max(1.0, np.abs(new).max()):
                    break
            q, v, a, old = q1, v1, a1, new
            places.append(q)
            held.append(float(out[2]))
        middle = step * (np.arange(1, count + 1) - af)  # where `out` is
        t = step * np.arange(count + 1)
        return t, np.array(places), np.interp(t, np.r_[0.0, middle], held)
