"""Small vibrations of straight beams and rigid bodies tied by joints: finite elements in space, joints as equations.

Beams are Euler-Bernoulli's, with stretch, torsion and bending in two planes, cubic shapes for deflections and linear ones
for stretch and twist, consistent mass with the rotary inertia of the sections. All dofs, three displacements and three
rotations at a node, are in the axes of the whole. A joint holds the displacements of two points together, and the rotations
about some directions. With N a basis of the null space of these equations B x = 0,

    N^T K N v = omega^2 N^T M N v .                                                                                  (1)

Where gravity pulls at the straight beams along their axes, their tension P adds int P (v'^2 + w'^2)/2 dx to the energy.
Forces F at arms c on a rigid body would add -sum F . theta x (theta x c)/2; here sum F c^T vanishes, as two equal forces on
both sides of a weight make it. Nothing here knows of bodies with modes of their own or of a moving frame. """

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

Array = NDArray[np.float64]
Place = tuple[str, int]
EVERYTHING = np.eye(3)
BARS = ("first", "second", "third", "fourth")


@dataclass(frozen=True)
class Section:
    """EA (N), GJ, EI about y and about z (N m^2), and per length: mass (kg/m), polar and rotary inertia (kg m)."""

    EA: float
    GJ: float
    EIy: float
    EIz: float
    mass: float
    polar: float
    rotary_y: float
    rotary_z: float


def element(h: float, s: Section, tension: tuple[float, float] = (0.0, 0.0)) -> tuple[Array, Array]:
    """Mass and stiffness (12, 12) of a beam of length h along x, dofs (u, theta) of its first and then its second end.

    `tension` (N) at these ends is linear between them.
    """
    M, K = np.zeros((12, 12)), np.zeros((12, 12))
    for dof, mass, stiff in ((0, s.mass, s.EA), (3, s.polar, s.GJ)):
        both = np.ix_([dof, dof + 6], [dof, dof + 6])
        M[both] += mass * h / 6 * np.array([[2.0, 1.0], [1.0, 2.0]])
        K[both] += stiff / h * np.array([[1.0, -1.0], [-1.0, 1.0]])
    x, w = np.polynomial.legendre.leggauss(4)
    x, w = (x + 1) / 2, w * h / 2
    N = np.array([1 - 3 * x**2 + 2 * x**3, h * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, h * (x**3 - x**2)])
    dN = np.array([6 * x**2 - 6 * x, h * (1 - 4 * x + 3 * x**2), 6 * x - 6 * x**2, h * (3 * x**2 - 2 * x)]) / h
    ddN = np.array([12 * x - 6, h * (6 * x - 4), 6 - 12 * x, h * (6 * x - 2)]) / h**2
    for dofs, sign, rotary, stiff in (([1, 5, 7, 11], 1.0, s.rotary_z, s.EIz), ([2, 4, 8, 10], -1.0, s.rotary_y, s.EIy)):
        turn = np.array([1.0, sign, 1.0, sign])  # theta_y = -dw/dx
        at = np.ix_(dofs, dofs)
        M[at] += np.outer(turn, turn) * ((N * w * s.mass) @ N.T + (dN * w * rotary) @ dN.T)
        P = tension[0] + (tension[1] - tension[0]) * x
        K[at] += np.outer(turn, turn) * ((ddN * w * stiff) @ ddN.T + (dN * w * P) @ dN.T)
    return M, K


@dataclass
class Assembly:
    """Beams and rigid bodies by name; a beam's nodes are numbered from its first end, a rigid body has one."""

    M: list[Array] = field(default_factory=list)
    K: list[Array] = field(default_factory=list)
    rows: list[dict[int, Array]] = field(default_factory=list)
    start: dict[str, int] = field(default_factory=dict)
    size: int = 0

    def _block(self, name: str, M: Array, K: Array) -> None:
        self.start[name] = self.size
        self.size += len(M)
        self.M.append(M)
        self.K.append(K)

    def beam(
        self, name: str, length: float, section: Section, R: Array, elements: int, ends: tuple[float, float] = (0.0, 0.0)
    ) -> None:
        """A beam along the first column of R, whose others are the axes of its section; `ends`: tension there, N."""
        M, K = (np.zeros((6 * elements + 6,) * 2) for _ in range(2))
        turn, P = np.kron(np.eye(4), R), np.linspace(*ends, elements + 1)
        for e in range(elements):
            m, k = (turn @ A @ turn.T for A in element(length / elements, section, (P[e], P[e + 1])))
            at = slice(6 * e, 6 * e + 12)
            M[at, at] += m
            K[at, at] += k
        self._block(name, M, K)

    def rigid(self, name: str, mass: float, inertia: Sequence[float], centre: Sequence[float]) -> None:
        """A rigid body: inertia about its mass centre, which is at `centre` from the reference."""
        c, J = np.array(centre, float), np.diag(inertia)
        M = mass * np.eye(6)
        M[:3, 3:], M[3:, :3] = -mass * cross(c), mass * cross(c)
        M[3:, 3:] = J - mass * cross(c) @ cross(c)
        self._block(name, M, np.zeros((6, 6)))

    def hold(self, name: str, node: int = 0) -> None:
        """Fix a node to the ground."""
        self.rows += [{self.start[name] + 6 * node: unit} for unit in np.eye(6)]

    def joint(self, a: Place, b: Place, held: Array, arm_a: Array | None = None, arm_b: Array | None = None) -> None:
        """Points a and b (a node, and an arm from it on a rigid body) stay together, and so do rotations about `held`.

        `held` has directions as rows; none: a ball joint.
        """
        first, second = (self.start[name] + 6 * node for name, node in (a, b))
        for k in range(3):
            row = {}
            for at, arm, sign in ((first, arm_a, 1.0), (second, arm_b, -1.0)):
                entries = np.zeros(6)
                entries[k] = 1.0
                if arm is not None:
                    entries[3:] = -cross(arm)[k]
                row[at] = sign * entries
            self.rows.append(row)
        for direction in np.reshape(held, (-1, 3)):
            self.rows.append({first: np.r_[np.zeros(3), direction], second: -np.r_[np.zeros(3), direction]})

    def frequencies(self, strainless: int, count: int) -> Array:
        """The lowest but those of so many motions without strain, rad/s."""
        B = np.zeros((len(self.rows), self.size))
        for i, row in enumerate(self.rows):
            for at, entries in row.items():
                B[i, at : at + 6] = entries
        M, K, N = linalg.block_diag(*self.M), linalg.block_diag(*self.K), linalg.qr(B.T)[0][:, len(B) :]
        squares = linalg.eigh(N.T @ K @ N, N.T @ M @ N, eigvals_only=True, subset_by_index=(0, strainless + count - 1))
        if strainless and squares[strainless - 1] > 1e-6 * squares[strainless]:
            raise ValueError(f"there are fewer than {strainless} motions without strain: {squares[:strainless]}")
        return np.sqrt(squares[strainless:])


def cross(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turned(axis: Sequence[float], angle: float) -> Array:
    """The rotation by an angle about a unit axis."""
    return np.asarray(linalg.expm(angle * cross(np.array(axis))))


def chain(elements: int = 12, stiffness: float = 1.0, count: int = 8, gravity: float | None = None) -> Array:
    """Frequencies of the chain of four aluminium bars, the driven hinge held, rad/s.

    Bars of 4 m, 40 mm along y by 20 mm along z, E = 70 GPa, GJ that of a circular section; a clamped tie, a Hooke joint
    (y, then z) at 0.4 and -0.3 rad, a ball joint turned by the rotation vector (0.3, 0.5, -0.2). Without gravity it floats;
    with gravity (m/s^2, along x) its root is held and it hangs straight. `stiffness` is a factor.
    """
    E, rho, b, h = 7e10 * stiffness, 2700.0, 0.04, 0.02
    EIy, EIz, m = E * b * h**3 / 12, E * h * b**3 / 12, rho * b * h
    rotary = (m * h**2 / 12, m * b**2 / 12)
    section = Section(E * b * h, (EIy + EIz) / 2.6, EIy, EIz, m, sum(rotary), *rotary)
    y, z = np.eye(3)[1:]
    hooke, third, fourth = np.eye(3), np.eye(3), np.eye(3)
    if gravity is None:
        hooke = turned(y, 0.4)
        third = hooke @ turned(z, -0.3)
        fourth = third @ linalg.expm(cross(np.array([0.3, 0.5, -0.2])))
    whole = Assembly()
    weight = m * 4.0 * (gravity or 0.0)
    for k, R in enumerate((np.eye(3), np.eye(3), third, fourth)):
        whole.beam(BARS[k], 4.0, section, R, elements, ((4 - k) * weight, (3 - k) * weight))
    whole.joint(("first", elements), ("second", 0), EVERYTHING)
    whole.joint(("second", elements), ("third", 0), np.cross(y, hooke @ z))
    whole.joint(("third", elements), ("fourth", 0), np.zeros((0, 3)))
    if gravity is not None:
        whole.hold("first")
    return whole.frequencies(6 + 2 + 3 if gravity is None else 1, count)  # the hanging chain's last bar spins freely


def antenna(angle: float, elements: int = 12, stiffness: float = 1.0, count: int = 6, pull: float | None = None) -> Array:
    """Frequencies of the antenna with its driven hinge held at an angle (rad), rad/s.

    Data of `flexible_antenna_deployment`; `stiffness` is a factor on EI, EA and GJ. It floats; with `pull` (m/s^2) its bus
    is held and gravity pulls along the ribs, which then must be at a right angle.
    """
    EI, EA, GJ, line = 2000.0 * stiffness, 4e6 * stiffness, 1500.0 * stiffness, 0.5
    rotary = line * EI / EA
    section = Section(EA, GJ, EI, EI, line, 2 * rotary, rotary, rotary)
    R, xy = turned((0, 0, 1), angle), np.eye(3)[:2]
    tip = (pull or 0.0) * 20.0 / 2
    ends = (tip + line * 6.0 * (pull or 0.0), tip)
    whole = Assembly()
    whole.rigid("bus", 300.0, (80.0, 100.0, 120.0), (0, 0, 0))
    whole.beam("driven", 6.0, section, R, elements, ends)
    whole.beam("follower", 6.0, section, R, elements, ends)
    whole.rigid("panel", 20.0, (1.0, 5.0, 5.0), (0.75, 0, 0))
    whole.joint(("bus", 0), ("driven", 0), EVERYTHING, arm_a=np.array([0.5, 0.8, 0.0]))
    whole.joint(("bus", 0), ("follower", 0), xy, arm_a=np.array([2.0, 0.8, 0.0]))
    whole.joint(("driven", elements), ("panel", 0), xy)
    whole.joint(("follower", elements), ("panel", 0), xy, arm_b=np.array([1.5, 0.0, 0.0]))
    if pull is not None:
        whole.hold("bus")
    return whole.frequencies(6 if pull is None else 0, count)
