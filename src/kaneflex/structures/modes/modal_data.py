"""What the equations of motion need of one flexible body: its modal integrals and what motion does to its stiffness.

Every point of the body has, in the body's axes and from its origin O, the position

    r = p + sum phi_i eta_i + 1/2 sum g_ij eta_i eta_j                                                           (1)

with modes phi, mass-orthonormal and of diagonal stiffness, and second-order displacements g (see motion_stiffness). The body
is given by the integrals of its mass (see mass_integrals) with 1, p, phi and g,

    int p dm, int p p^T dm ,  B = int phi_j dm, C = int p phi_j^T dm, E = int phi_i phi_j^T dm ,
    b2 = int g_ij dm, C2 = int p g_ij^T dm ,                                                                     (2)

and by T, the mean rotation of its material per modal coordinate. Of that rotation (1) is the second order; where the
equations of motion need more, they take it as a rotation, see `kernels.bodies.modal`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.typed import typed
from kaneflex.structures.modes.mass_integrals import MassIntegrals, mass_integrals
from kaneflex.structures.modes.modal_nodes import ModalNodes
from kaneflex.structures.modes.motion_stiffness import second_order
from kaneflex.structures.modes.node_modes import NodeModes, check_shapes, own_arrays
from kaneflex.structures.skin import Skin
from kaneflex.structures.statics import Statics
from kaneflex.structures.structure import Structure

#: The six entries of a symmetric 3x3 matrix, in the order of ModalBody.J1 and J2.
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
SLENDER = 0.1  # part of the largest moment of inertia below which the mass does not say how the body turns
ORTHONORMAL = 1e-6  # how far Phi^T M Phi may be from the identity, and what else must vanish from zero


@dataclass(frozen=True, eq=False)
class Resultants:
    """Section loads and stress resultants: per_mode @ eta, named as `Structure.section_loads` does, SI units.

    They are those of the linear deformation sum phi_i eta_i alone.
    """

    labels: tuple[str, ...]
    per_mode: Vector  # (rows, m)

    def __post_init__(self) -> None:
        own_arrays(self)


@typed
@dataclass(frozen=True, eq=False)
class ModalBody:
    """A flexible body in modal coordinates eta (kg^1/2 m); equations (1) and (2), arrays in the body's axes, about O.

    Attributes:
        mass: kg.
        first_moment: (3,), int p dm.
        second_moment: (3, 3), int p p^T dm; rotary inertia counts as directors have it, see `mass_integrals`.
        stiffness: (m,), rad^2/s^2.
        damping: (m, m), C in eta'' + ... + C eta' + k eta, 1/s.
        B: (3, m), int phi_j dm.
        C: (3, 3, m), int p phi_j^T dm.
        E: (3, 3, m, m), int phi_i phi_j^T dm; its trace is the identity.
        b2: (3, m, m), int g_ij dm.
        C2: (3, 3, m, m), int p g_ij^T dm.
        turn: (3, m), the mean rotation of the material, rad per unit of eta; zero for a body afloat and where there are no
            second-order displacements.
        nodes: what moves with the material, by name.
        stiffened: False when g has no more than the turning of rotary inertia, so that motion only softens the body.
        resultants: section loads per mode; None when the structure does not say: only M and K are known.
        skin: what is seen of it; None when nothing but the nodes is known.
        recovery: rows of outputs by name, see `structures.recovery.ModalRecovery`.
    """

    mass: float
    first_moment: Vector
    second_moment: Vector
    stiffness: Vector
    damping: Vector
    B: Vector
    C: Vector
    E: Vector
    b2: Vector
    C2: Vector
    turn: Vector
    nodes: Mapping[str, NodeModes]
    stiffened: bool = True
    resultants: Resultants | None = None
    skin: Skin | None = None
    recovery: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own_arrays(self)
        m = np.size(self.stiffness)
        shapes = {"first_moment": (3,), "second_moment": (3, 3), "stiffness": (m,), "damping": (m, m)}
        shapes |= dict.fromkeys(("B", "turn"), (3, m)) | {"C": (3, 3, m), "b2": (3, m, m)}
        check_shapes(self, shapes | dict.fromkeys(("E", "C2"), (3, 3, m, m)))
        for name, node in () if isinstance(self.nodes, ModalNodes) else self.nodes.items():
            if node.Phi.shape[1] != m:
                raise ModelError(f'node "{name}" of a ModalBody has {node.Phi.shape[1]} modes, the body {m}')

    def __len__(self) -> int:
        """Number of modes."""
        return len(self.stiffness)

    @property
    def frequencies(self) -> Vector:
        """Natural frequencies with the root held (free when afloat), rad/s."""
        return np.sqrt(self.stiffness)

    @property
    def inertia(self) -> Vector:
        """Inertia matrix (3, 3) of the undeformed body about O, kg m^2."""
        return np.trace(self.second_moment) * np.eye(3) - self.second_moment

    @property
    def D(self) -> Vector:
        """Angular momentum about O per modal speed at eta = 0, int p x phi_j dm, (3, m)."""
        return axial(self.C)

    @property
    def D2(self) -> Vector:
        """(3, m, m): int phi_i x phi_j dm, skew, + int p x g_ij dm, symmetric: angular momentum is (D + eta D2) sigma."""
        return axial(self.E) + axial(self.C2)

    @property
    def J1(self) -> Vector:
        """First derivatives of the inertia matrix, (6, m): xx, xy, xz, yy, yz, zz, with J_xy = -int x y dm."""
        return six_of_inertia(self.C)

    @property
    def J2(self) -> Vector:
        """Second derivatives of the inertia matrix at eta = 0, (6, m, m), in the order of J1."""
        return six_of_inertia(self.E) + self.J2_motion

    @property
    def J2_motion(self) -> Vector:
        """The part of J2 that second-order displacements have."""
        return six_of_inertia(self.C2)

    def stiffness_in_motion(self, acceleration: Any = (0, 0, 0), omega: Any = (0, 0, 0), alpha: Any = (0, 0, 0)) -> Vector:
        """Stiffness (m, m) of small modal coordinates while the body's frame moves as given, rad^2/s^2.

        The modal equations about eta = 0 are eta'' + (C + gyroscopic(omega)) eta' + this eta = loads: its own stiffness, the
        softening by spin and the stiffening by the loads that the motion causes.

        Args:
            acceleration: of O less gravity, m/s^2, in the body's axes.
            omega: angular velocity, rad/s, in the body's axes.
            alpha: angular acceleration, rad/s^2, in the body's axes.
        """
        a = checks.array(acceleration, (3,), "acceleration")
        w = checks.array(omega, (3,), "omega")
        products = np.array([w[i] * w[j] * (1 if i == j else 2) for i, j in PAIRS])
        turning = np.einsum("a,aij->ji", checks.array(alpha, (3,), "alpha"), self.D2)
        return np.diag(self.stiffness) + np.tensordot(a, self.b2, 1) + turning - np.tensordot(products, self.J2, 1) / 2

    def gyroscopic(self, omega: Any) -> Vector:
        """Skew matrix (m, m) of the Coriolis forces 2 int phi_j . (omega x phi_i) dm, 1/s; see `stiffness_in_motion`."""
        D = np.tensordot(checks.array(omega, (3,), "omega"), self.D2, 1)
        return D.T - D


def axial(X: Vector) -> Vector:
    """int a x b of X = int a b^T, (3, 3, ...)."""
    return np.stack([X[1, 2] - X[2, 1], X[2, 0] - X[0, 2], X[0, 1] - X[1, 0]])


def six_of_inertia(X: Vector) -> Vector:
    """Six entries of 2 tr X 1 - X - X^T, for X of shape (3, 3, ...); where it has two modes, symmetric in them."""
    six = np.stack([2 * np.trace(X) * (a == b) - X[a, b] - X[b, a] for a, b in PAIRS])
    return six if six.ndim < 3 else (six + six.transpose(0, 2, 1)) / 2


@typed
def modal_body(
    structure: Structure,
    modes: Any,
    root: Any,
    nodes: Iterable[str] | Mapping[str, Any] = (),
    stiffening: bool = True,
    damping: Any = 0.005,
    always: Iterable[str] = (),
) -> ModalBody:
    """Modal integrals of a structure.

    Args:
        structure: the finite-element model; its axes are the body's axes.
        modes: Modes of it: `shapes` over all dofs (6n, m), mass-orthonormal, and `stiffness` (m,).
        root: node at the origin O of the body's frame, which does not move in the modes; None for a body afloat, with O at
            the structure's origin and modes orthogonal to rigid motions.
        nodes: names of nodes to attach something to or to look at, or a mapping from names to nodes.
        stiffening: False leaves out second-order displacements, so that motion only softens: for comparison, wrong in
            fast motion.
        damping: ratio for all modes, ratios (m,), or the matrix C (m, m), 1/s.
        always: of the nodes those that a run follows, however many others there are.
    """
    shapes, stiffness = _checked(structure, modes, root)
    at = {name: structure.node(name) for name in nodes} if not isinstance(nodes, Mapping) else {
        checks.name(name, "name of a node"): structure.node(node) for name, node in nodes.items()
    }  # fmt: skip
    origin = np.zeros(3) if root is None else structure.points[structure.node(root)]
    mass, centre, _ = structure.mass_properties()
    integrals = mass_integrals(structure, shapes, centre)
    m, size = len(stiffness), structure.size
    loads, fields = np.hstack([integrals.translation, integrals.spread.reshape(size, 9)]), np.zeros((12, 3, 4))
    for b in range(3):
        fields[b, b, 0] = 1
        for a in range(3):  # the load of int p_a u_b dm
            fields[3 + 3 * a + b, b, 0], fields[3 + 3 * a + b, b, 1 + a] = -centre[a], 1
    second, statics = np.zeros((12, m, m)), None
    if stiffening and m:
        statics = Statics(structure, root)
        second = second_order(statics, shapes, loads, fields)
    stiffened = bool(np.any(second))
    second[:3] += integrals.first_of_turns
    second[3:12] += integrals.second_of_turns.reshape(9, m, m)
    found = ModalNodes(structure, shapes, statics if structure.stiffens else None, at, origin, frozenset(always))
    arm = centre - origin
    B, C = integrals.translation.T @ shapes, np.tensordot(integrals.spread, shapes, (0, 0))
    b2, C2 = second[:3], second[3:].reshape(3, 3, m, m)
    labels, per_displacement = structure.section_loads()
    return ModalBody(
        mass=mass,
        first_moment=mass * arm,
        second_moment=integrals.second_moment + mass * np.outer(arm, arm),
        stiffness=stiffness,
        damping=_damping(damping, stiffness),
        B=B,
        C=C + np.multiply.outer(arm, B),
        E=integrals.products,
        b2=b2,
        C2=C2 + np.multiply.outer(arm, b2),
        turn=_mean_rotation(structure, integrals, shapes, mass, arm) * (stiffened and root is not None),
        stiffened=stiffened,
        nodes=found,
        resultants=Resultants(tuple(labels), per_displacement @ shapes) if labels else None,
    )


def _mean_rotation(structure: Structure, integrals: MassIntegrals, shapes: Vector, mass: float, arm: Vector) -> Vector:
    """How the body turns about O with each mode, (3, m): the rotation T nearest to its displacements and rotations,

        int |phi_j - T_j x p|^2 dm + l^2 int |theta_j - T_j|^2 dm = min .

    The first alone is the rotation that takes all angular momentum; about an axis along which the body is slender, or
    slightly bent, it says little of the material. The second is the mean of the nodes' rotations, and l such that it counts
    where inertia is small; nodes without rotations have none, and there the body does not turn about such an axis.
    """
    second = integrals.second_moment + mass * np.outer(arm, arm)
    J = np.trace(second) * np.eye(3) - second
    C = np.tensordot(integrals.spread, shapes, (0, 0)) + np.multiply.outer(arm, integrals.translation.T @ shapes)
    n = len(structure)
    nodal = slice(0, 6 * n)
    turning = structure.active[nodal].reshape(n, 6)[:, 3:].all(axis=1)
    share = np.where(turning, integrals.translation[nodal].reshape(n, 6, 3)[:, :3].trace(axis1=1, axis2=2) / 3, 0.0)
    weight, mean = SLENDER * np.linalg.eigvalsh(J)[-1], np.zeros((3, shapes.shape[1]))
    if share.sum() > mass / 2:
        mean = np.einsum("n,nai->ai", share, shapes[nodal].reshape(n, 6, -1)[:, 3:]) / share.sum()
        return np.asarray(np.linalg.solve(J + weight * np.eye(3), axial(C) + weight * mean))
    return np.asarray(np.linalg.solve(J + weight * SLENDER * np.eye(3), axial(C)))


def _checked(structure: Structure, modes: Any, root: Any) -> tuple[Vector, Vector]:
    """Shapes and stiffness of the modes, after the checks that they belong to this structure and root."""
    if not hasattr(modes, "shapes") or not hasattr(modes, "stiffness"):
        raise ModelError(f"modes is {checks.shown(modes)}: give Modes, from component_modes(...)")
    shapes = np.array(modes.shapes, dtype=float)
    m = shapes.shape[1] if shapes.ndim == 2 else 0
    shapes = checks.array(shapes, (structure.size, m), "shapes of the modes")
    stiffness = checks.array(modes.stiffness, (m,), "stiffness of the modes")
    if np.any(stiffness < 0):
        raise ModelError(
            f"mode {int(np.argmax(stiffness < 0)) + 1} has a negative stiffness: take modes of a stable structure"
        )
    gram = shapes.T @ (structure.M @ shapes)
    if m and np.abs(gram - np.eye(m)).max() > ORTHONORMAL:
        raise ModelError(
            "modes are not mass-orthonormal on this structure: take them from component_modes of the same structure"
        )
    energy = shapes.T @ (structure.K @ shapes)
    if m and np.abs(energy - np.diag(stiffness)).max() > ORTHONORMAL * max(stiffness.max(), np.finfo(float).tiny):
        raise ModelError("modes do not have the stiffness they are given with: take both from component_modes")
    if root is None:
        rigid = structure.rigid_body_vectors(structure.mass_properties()[1])
        momentum = shapes.T @ (structure.M @ rigid)
        scale = np.sqrt(np.einsum("ij,ij->j", rigid, structure.M @ rigid))
        if m and np.any(np.abs(momentum) > 100 * ORTHONORMAL * scale):
            raise ModelError("modes of a body afloat (root=None) must be orthogonal to rigid motions: take free modes")
        return shapes, stiffness
    node = structure.node(root)
    if m and np.abs(shapes[6 * node : 6 * node + 6]).max() > ORTHONORMAL * np.abs(shapes).max():
        raise ModelError(f"{structure.describe(node)} moves in the modes: take modes with this root, or give their root")
    return shapes, stiffness


def _damping(given: Any, stiffness: Vector) -> Vector:
    """C from a ratio, ratios, or C itself."""
    m = len(stiffness)
    if checks.dimensions(given) == 2:
        C = checks.array(given, (m, m), "damping matrix")
        scale = max(float(np.abs(C).max(initial=0.0)), np.finfo(float).tiny)
        if m and np.linalg.eigvalsh((C + C.T) / 2)[0] < -1e-9 * scale:
            raise ModelError("damping matrix feeds energy in: its symmetric part must have no negative eigenvalue")
        return C
    if checks.dimensions(given) == 1:
        ratios = checks.array(given, (m,), "damping ratios")
    else:
        ratios = np.full(m, checks.number(given, "damping ratio"))
    if np.any(ratios < 0):
        raise ModelError(f"damping ratios {ratios.tolist()}: none may be negative")
    return np.diag(2 * ratios * np.sqrt(stiffness))
