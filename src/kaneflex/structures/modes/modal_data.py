"""What the equations of motion need of one flexible body: its modal integrals and what motion does to its stiffness.

Every point of the body has, in the body's axes and from its origin O, the position

    r = p + sum phi_i eta_i + 1/2 sum g_ij eta_i eta_j                                                           (1)

with modes phi, mass-orthonormal and of diagonal stiffness, and second-order displacements g (see motion_stiffness). With v
the velocity of O, omega the angular velocity and sigma = d eta/dt, all in the body's axes, the kinetic energy is
V^T M(eta) V/2, V = (v, omega, sigma),

        | m U     -s~     B_j   |      s   = first_moment + B eta + 1/2 b2 eta eta
    M = | s~       J      D_j   |      B_j = B_j + sum_i b2_ij eta_i                                             (2)
        | B_j^T   D_j^T    1    |      J   = inertia + J1 eta + 1/2 J2 eta eta ,   D_j = D_j + sum_i eta_i D2_ij

so that rigid motion is right to second order in eta and its coupling with the modes to first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.typed import typed
from kaneflex.structures.modes.mass_integrals import PAIRS, MassIntegrals, mass_integrals
from kaneflex.structures.modes.motion_stiffness import second_order
from kaneflex.structures.skin import Skin
from kaneflex.structures.statics import Statics
from kaneflex.structures.structure import Structure

TRIED = 0.05  # rad: rotation at which modes are tried,
OVERLOOKED = 0.001  # part of a mode's mass that may be left out there
ORTHONORMAL = 1e-6  # how far Phi^T M Phi may be from the identity, and what else must vanish from zero


@typed
@dataclass(frozen=True, eq=False)
class NodeModes:
    """Motion of one node: position + Phi eta + 1/2 G eta eta; rotation vector Psi eta + 1/2 H eta eta.

    In the body's axes, m and rad; G and H are symmetric in the modes. A node without rotations (solids, bars) has Psi = 0.
    """

    position: Vector  # (3,) of the undeformed node, from O
    Phi: Vector  # (3, m)
    Psi: Vector  # (3, m)
    G: Vector  # (3, m, m)
    H: Vector  # (3, m, m)

    def __post_init__(self) -> None:
        _own_arrays(self)
        m = np.shape(self.Phi)[-1] if np.ndim(self.Phi) else 0
        _check_shapes(self, {"position": (3,), "Phi": (3, m), "Psi": (3, m), "G": (3, m, m), "H": (3, m, m)})


@dataclass(frozen=True, eq=False)
class Resultants:
    """Section loads and stress resultants: per_mode @ eta, named as `Structure.section_loads` does, SI units.

    They are those of the linear deformation sum phi_i eta_i alone.
    """

    labels: tuple[str, ...]
    per_mode: Vector  # (rows, m)

    def __post_init__(self) -> None:
        _own_arrays(self)


@typed
@dataclass(frozen=True, eq=False)
class ModalBody:
    """A flexible body in modal coordinates eta (kg^1/2 m); equations (1) and (2), arrays in the body's axes, about O.

    The six entries of J1 and J2 are xx, xy, xz, yy, yz, zz of the symmetric inertia matrix, J_xy = -int x y dm.

    Attributes:
        mass: kg.
        first_moment: (3,), int p dm.
        inertia: (3, 3), int (p.p U - p p^T) dm.
        stiffness: (m,), rad^2/s^2.
        damping: (m, m), C in eta'' + ... + C eta' + k eta, 1/s.
        B: (3, m), int phi_j dm.
        D: (3, m), int p x phi_j dm.
        J1: (6, m).
        b2: (3, m, m), int g_ij dm.
        J2: (6, m, m).
        J2_motion: (6, m, m), the part of J2 that second-order displacements have.
        D2: (3, m, m), int phi_i x phi_j dm, skew, + int p x g_ij dm, symmetric; and rotary parts.
        nodes: what moves with the material, by name.
        resultants: section loads per mode; None when the structure does not say: only M and K are known.
        skin: what is seen of it; None when nothing but the nodes is known.
    """

    mass: float
    first_moment: Vector
    inertia: Vector
    stiffness: Vector
    damping: Vector
    B: Vector
    D: Vector
    J1: Vector
    b2: Vector
    J2: Vector
    J2_motion: Vector
    D2: Vector
    nodes: Mapping[str, NodeModes]
    resultants: Resultants | None = None
    skin: Skin | None = None

    def __post_init__(self) -> None:
        _own_arrays(self)
        m = np.size(self.stiffness)
        shapes = {"first_moment": (3,), "inertia": (3, 3), "stiffness": (m,), "damping": (m, m), "J1": (6, m)}
        shapes |= dict.fromkeys(("B", "D"), (3, m)) | dict.fromkeys(("b2", "D2"), (3, m, m))
        _check_shapes(self, shapes | dict.fromkeys(("J2", "J2_motion"), (6, m, m)))
        for name, node in self.nodes.items():
            if node.Phi.shape[1] != m:
                raise ModelError(f'node "{name}" of a ModalBody has {node.Phi.shape[1]} modes, the body {m}')

    def __len__(self) -> int:
        """Number of modes."""
        return len(self.stiffness)

    @property
    def frequencies(self) -> Vector:
        """Natural frequencies with the root held (free when afloat), rad/s."""
        return np.sqrt(self.stiffness)

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


def _own_arrays(owner: NodeModes | Resultants | ModalBody) -> None:
    """Gives an object its own read-only copies of the arrays it is made of."""
    for field in fields(owner):
        if field.type is Vector:
            value = np.array(getattr(owner, field.name), dtype=float)
            value.setflags(write=False)
            object.__setattr__(owner, field.name, value)


def _check_shapes(owner: Any, shapes: Mapping[str, tuple[int, ...]]) -> None:
    for name, shape in shapes.items():
        if getattr(owner, name).shape != shape:
            raise ModelError(f"{name} of a {type(owner).__name__} has shape {getattr(owner, name).shape}: give {shape}")


@typed
def modal_body(
    structure: Structure,
    modes: Any,
    root: Any,
    nodes: Iterable[str] | Mapping[str, Any] = (),
    stiffening: bool = True,
    damping: Any = 0.005,
) -> ModalBody:
    """Modal integrals of a structure.

    Args:
        structure: the finite-element model; its axes are the body's axes.
        modes: Modes of it: `shapes` (6n, m), mass-orthonormal, and `stiffness` (m,).
        root: node at the origin O of the body's frame, which does not move in the modes; None for a body afloat, with O at
            the structure's origin and modes orthogonal to rigid motions.
        nodes: names of nodes to attach something to or to look at, or a mapping from names to nodes.
        stiffening: False leaves out second-order displacements, so that motion only softens: for comparison, wrong in
            fast motion.
        damping: ratio for all modes, ratios (m,), or the matrix C (m, m), 1/s.
    """
    shapes, stiffness = _checked(structure, modes, root)
    at = {name: structure.node(name) for name in nodes} if not isinstance(nodes, Mapping) else {
        checks.name(name, "name of a node"): structure.node(node) for name, node in nodes.items()
    }  # fmt: skip
    origin = np.zeros(3) if root is None else structure.points[structure.node(root)]
    mass, centre, _ = structure.mass_properties()
    integrals = mass_integrals(structure, shapes, centre)
    m, n = len(stiffness), len(structure)
    loads = np.zeros((6 * n, 12 + 6 * len(at)))
    loads[:, :12] = np.hstack([integrals.translation, integrals.rotation, integrals.inertia])
    for k, node in enumerate(at.values()):
        loads[6 * node : 6 * node + 6, 12 + 6 * k : 18 + 6 * k] = np.eye(6)
    if stiffening and m:
        second = second_order(Statics(structure, root), shapes, loads)
        momenta = _without_twisted_bending(structure, shapes, second[:6])
    else:
        second, momenta = np.zeros((loads.shape[1], m, m)), np.zeros((6, m, m))
    by_node = shapes.reshape(n, 6, m)
    found = {
        name: NodeModes(
            structure.points[node] - origin, by_node[node, :3], by_node[node, 3:],
            second[12 + 6 * k : 15 + 6 * k], second[15 + 6 * k : 18 + 6 * k],
        )
        for k, (name, node) in enumerate(at.items())
    }  # fmt: skip
    rigid = structure.rigid_body_vectors(origin)[:, 3:]
    labels, per_displacement = structure.section_loads()
    return ModalBody(
        mass=mass,
        first_moment=mass * (centre - origin),
        inertia=rigid.T @ (structure.M @ rigid),
        stiffness=stiffness,
        damping=_damping(damping, stiffness),
        nodes=found,
        resultants=Resultants(tuple(labels), per_displacement @ shapes) if labels else None,
        **_about_origin(integrals, shapes, second[:12], momenta, centre - origin),  # type: ignore[arg-type]
    )


def _without_twisted_bending(structure: Structure, shapes: Vector, momenta: Vector) -> Vector:
    """Momenta of the second-order displacements, without those of torsion with bending where (2) would lose its sign.

    (2) has the coupling with the modes to first order in eta and the modes' own mass to none. Twisting a bent member moves
    it sideways; that motion's momentum is in the coupling, its kinetic energy is not. For a slender member, whose rotary
    inertia is small beside that of its deflection, the mass matrix then has a negative eigenvalue at small deflections. The
    energy left out is at least momentum^2/(2 mass of the body): where that exceeds OVERLOOKED of the mode's own at a
    rotation of TRIED rad, these momenta are left out too. The inertia matrix and the nodes keep their second order, which
    costs no sign. Torsion: modes of mostly rotary energy.

    Args:
        structure: the finite-element model.
        shapes: modes (6n, m).
        momenta: int g_ij dm and int p x g_ij dm about the mass centre, (6, m, m).
    """
    m = shapes.shape[1]
    moves = shapes * (np.arange(len(shapes)) % 6 < 3)[:, None]
    torsion = np.einsum("ij,ij->j", moves, structure.M @ moves) < 0.5
    turns = np.abs(shapes.reshape(-1, 6, m)[:, 3:]).max(axis=(0, 1))
    eta = TRIED / np.maximum(turns, TRIED)
    rigid = structure.rigid_body_vectors(structure.mass_properties()[1])
    momentum = (momenta * eta)[:, torsion][:, :, ~torsion]
    inverse = np.linalg.pinv(rigid.T @ (structure.M @ rigid), hermitian=True)
    overlooked = np.einsum("aij,ab,bij->ij", momentum, inverse, momentum)
    return momenta * (torsion[:, None] == torsion) if overlooked.max(initial=0.0) > OVERLOOKED else momenta


def _about_origin(
    integrals: MassIntegrals, shapes: Vector, second: Vector, momenta: Vector, arm: Vector
) -> dict[str, Vector]:
    """B, D, J1, b2, J2, D2 about O, from integrals about the mass centre, which is at `arm` from O.

    Moving them exactly, with r = arm + rho, keeps them consistent with the first moment wherever O is.
    """
    B, D, J1 = integrals.translation.T @ shapes, integrals.rotation.T @ shapes, integrals.inertia.T @ shapes
    b2, D2, J2 = momenta[:3], integrals.D2 + momenta[3:6], integrals.J2 + second[6:12]
    return {
        "B": B,
        "D": D + np.cross(arm, B, axisb=0, axisc=0),
        "J1": J1 + _moved(arm, B),
        "b2": b2,
        "J2": J2 + _moved(arm, second[:3]),
        "J2_motion": second[6:12] + _moved(arm, second[:3]),
        "D2": D2 + np.cross(arm, b2, axisb=0, axisc=0),
    }


def _moved(arm: Vector, s: Vector) -> Vector:
    """Six entries of 2 (arm . s) U - arm s^T - s arm^T for first moments s (3, ...)."""
    along = np.tensordot(arm, s, 1)
    return np.stack([2 * along * (a == b) - arm[a] * s[b] - s[a] * arm[b] for a, b in PAIRS])


def _checked(structure: Structure, modes: Any, root: Any) -> tuple[Vector, Vector]:
    """Shapes and stiffness of the modes, after the checks that they belong to this structure and root."""
    if not hasattr(modes, "shapes") or not hasattr(modes, "stiffness"):
        raise ModelError(f"modes is {checks.shown(modes)}: give Modes, from component_modes(...)")
    shapes = np.array(modes.shapes, dtype=float)
    m = shapes.shape[1] if shapes.ndim == 2 else 0
    shapes = checks.array(shapes, (6 * len(structure), m), "shapes of the modes")
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
