"""Damping of modes from the damping matrices that a finite-element model came with."""

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError, Vector
from kaneflex.structures.element_assembly import widened
from kaneflex.structures.elements.matrices import GivenMatrices
from kaneflex.structures.modes.mode_shapes import Modes
from kaneflex.structures.structure import Structure

VISCOUS, STRUCTURAL = "viscous", "structural"


def given_damping(structure: Structure, which: str) -> sparse.csr_array | None:
    """A damping matrix of a structure over all dofs; None where it was given none.

    Args:
        structure: the finite-element model.
        which: "viscous" (N s/m and its like), or "structural" (the imaginary part of the stiffness, N/m and its like).
    """
    groups = [g for g in structure.elements if isinstance(g, GivenMatrices) and getattr(g, which) is not None]
    total = sparse.csr_array((structure.size, structure.size))
    for group in groups:
        total = total + widened(group.scatter(getattr(group, which), len(structure)), structure.size)
    return total if groups else None


def model_damping(structure: Structure, modes: Modes) -> Vector:
    """Damping (m, m), 1/s, of modes by the matrices B (viscous) and K4 (structural) of their structure:

        c_ij = phi_i^T B phi_j + phi_i^T K4 phi_j / sqrt(omega_i omega_j) .

    The first is exact in the modes. The second takes as much energy in a cycle as structural damping does when a mode
    swings at its own frequency, a ratio g/2 for K4 = g K; at another frequency w it takes w/omega_i of that, where
    structural damping would take the same.
    """
    B, K4 = given_damping(structure, VISCOUS), given_damping(structure, STRUCTURAL)
    if B is None and K4 is None:
        raise ModelError('damping="model": the structure came with no damping matrix; give a ratio, ratios or a matrix')
    C = np.zeros((len(modes), len(modes)))
    if B is not None:
        C += modes.shapes.T @ (B @ modes.shapes)
    if K4 is not None:
        omega = modes.frequencies
        if np.any(omega == 0):
            raise ModelError('damping="model": structural damping of a mode without frequency is not defined: leave it out')
        C += modes.shapes.T @ (K4 @ modes.shapes) / np.sqrt(np.outer(omega, omega))
    return (C + C.T) / 2


def rigid_part(structure: Structure, which: str) -> float:
    """The largest part of a damping matrix that resists a rigid motion: 0 for damping between nodes alone."""
    A = given_damping(structure, which)
    if A is None:
        return 0.0
    R = structure.rigid_body_vectors(structure.mass_properties()[1])
    resisted, all_of_it = np.einsum("ij,ij->j", R, A @ R), np.einsum("ij,ij->j", R, A.diagonal()[:, None] * R)
    return float(np.max(np.abs(resisted) / np.maximum(all_of_it, np.finfo(float).tiny), initial=0.0))
