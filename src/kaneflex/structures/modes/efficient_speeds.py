"""A modal body with efficient modal speeds, as the kernels of `constant_mass` take it.

Its points and residual modes are those of `mean_axes`, but in axes of the root: T = 0. The residual modes, phi less its
affine part, have the mass matrix E = 1 - columns^T columns. A spin omega turns them by omega x phi eta, of which the modes
themselves span

    phi E^+ w ,   w_i = int phi_i . (omega x phi eta) dm = sum omega_a (eta d_a)_i ,   E^+ = 1 + span^T span .            (1)

span has at most as many rows as the columns have: s v/sqrt(1 - s^2) of their singular values s and right vectors v. Where
s = 1 there is no residual mode, and w has no part along v. The inertia of the residual modes is then, in place of that of
`mean_axes`, 1/2 eta F eta with

    F_ab = d_a E^+ d_b^T + d_b E^+ d_a^T .                                                                               (2)

What is lost of omega x phi is kinetic energy, that is softening by spin: for a unit spin along axis a the stiffness

    1/2 F_aa - d_a E^+ d_a^T                                                                                             (3)

with F that of `mean_axes`. It is compared with the modal stiffness at the body's lowest frequency.
"""

from dataclasses import dataclass, replace

import numpy as np

from kaneflex.model.checks import Vector
from kaneflex.structures.modes.mean_axes import OF_POINTS, ROUNDING, MeanShape, mean_shape
from kaneflex.structures.modes.modal_data import PAIRS, ModalBody

NEGLIGIBLE = 1e-4  # part of the largest stiffening below which a form's is left out
WHOLE = 1e-8  # 1 - s^2 below which a combination of modes is an affine displacement
AXIS_FORMS = (15, 18, 20)  # xx, yy, zz of the residual inertia among the forms


@dataclass(frozen=True)
class EfficientShape:
    """What the kernels need of a body, and what its modes do not span."""

    shape: MeanShape  # in axes of the root, with (2) for the residual inertia; T is that of the nodes
    lost: float  # largest of (3), as a part of the stiffness, while the body turns at its lowest frequency


def lost_motion(body: ModalBody) -> float:
    """`EfficientShape.lost` of a body."""
    return efficient_shape(body, np.zeros(3), np.zeros(6)).lost


def undeformed_shape(body: ModalBody, root: Vector, inertia: Vector) -> MeanShape:
    """Points of a body that keeps its undeformed shape: nothing of second order."""
    return replace(mean_shape(_about_root(body), root, inertia), there=())


def efficient_shape(body: ModalBody, root: Vector, inertia: Vector) -> EfficientShape:
    """The shape of a body whose root is at `root` from the origin of M, and whose inertia there is known."""
    m = len(body)
    shape = mean_shape(_about_root(body), root, inertia)
    _, s, v = np.linalg.svd(shape.columns.reshape(12, m), full_matrices=False)
    there = (1 - s * s > WHOLE) & (s * s > WHOLE)
    span = v[there] * (s[there] / np.sqrt(1 - s[there] ** 2))[:, None]
    root_k = np.sqrt(np.maximum(body.stiffness, np.finfo(float).tiny))
    turns, inverse = [n for n in shape.there if n < OF_POINTS.start], np.eye(m) + span.T @ span
    F = np.array([shape.forms[a] @ inverse @ shape.forms[b].T for a, b in PAIRS])
    F = F + F.swapaxes(1, 2)
    forms = np.concatenate([shape.forms[: OF_POINTS.stop], F])
    spun = [OF_POINTS.stop + n for n, A in enumerate(F) if _largest(A) > ROUNDING * _largest(F)]
    own = replace(shape, turn=body.turn, forms=forms, there=(*turns, *_that_stiffen(shape, root_k), *spun))
    return EfficientShape(own, _lost(shape.forms, inverse, root_k))


def _about_root(body: ModalBody) -> ModalBody:
    return replace(body, turn=np.zeros_like(body.turn))


def _that_stiffen(shape: MeanShape, root_k: Vector) -> list[int]:
    """Forms R of c_k that change the stiffness by more than a negligible part of what the largest one does, when the body
    turns or, for its mass centre, is accelerated as one that turns."""
    size = np.linalg.norm(shape.places, axis=1)
    size[0] = max(size[1:].max(), np.finfo(float).tiny)
    scale = np.outer(root_k, root_k)
    change = {n: size[(n - OF_POINTS.start) // 3] * _largest(shape.forms[n] / scale) for n in shape.second}
    return [n for n in shape.second if change[n] > NEGLIGIBLE * max(change.values())]


def _lost(forms: Vector, inverse: Vector, root_k: Vector) -> float:
    """(3) by the stiffness, with E^+, for the worst of the three axes."""
    if not len(root_k):
        return 0.0
    lost = 0.0
    for d, F in zip(forms[:3], forms[list(AXIS_FORMS)], strict=True):
        rest = (F / 2 - d @ inverse @ d.T) / np.outer(root_k, root_k)
        lost = max(lost, float(np.linalg.eigvalsh(rest)[-1]) * float(root_k.min()) ** 2)
    return lost


def _largest(A: Vector) -> float:
    return float(np.abs(A).max(initial=0.0))
