"""Static displacements of a structure that is held at its root, or afloat."""

from typing import Any

import numpy as np
from scipy import linalg, sparse

from kaneflex.model.checks import ModelError, Vector
from kaneflex.structures.modes.eigenmodes import factor
from kaneflex.structures.structure import Structure

SINGULAR = 1e-13  # a pivot below this part of its diagonal entry: the structure can move without strain


class Statics:
    """Displacements under nodal loads; the stiffness is factored once, for any number of loads.

    Args:
        structure: what is loaded.
        root: the node that is held (name, number or coordinates), or None for a body afloat: then every load is balanced
            by the inertia forces of the rigid motion that it would cause (inertia relief), and displacements have no part
            along rigid motions, in the sense of the mass matrix.
    """

    def __init__(self, structure: Structure, root: Any) -> None:
        self.structure = structure
        self.afloat = root is None
        free = structure.held(root)
        if self.afloat:
            self._rigid = structure.rigid_body_vectors()
            self._momentum = structure.M @ self._rigid
            self._rigid_mass = self._rigid.T @ self._momentum
            free = np.setdiff1d(free, self._supports())
        self._expand = sparse.csr_array(structure.expand[:, free])
        found = factor(self._expand.T @ structure.K @ self._expand) if len(free) else None
        if len(free) and (found is None or found.ratio < SINGULAR):
            although = "beyond rigid motion" if self.afloat else "though its root is held"
            raise ModelError(
                f"a part of {structure!r} moves without strain {although}: a mechanism, a loose node or a missing "
                "stiffness; connect it"
            )
        self._factor = found

    def relief(self, loads: Vector) -> Vector:
        """Acceleration (6, k) that loads (all dofs, k) cause of a body afloat: of its origin, and angular; else zero."""
        if not self.afloat:
            return np.zeros((6, loads.shape[1]))
        return np.asarray(linalg.lstsq(self._rigid_mass, self._rigid.T @ loads)[0])

    def balanced(self, loads: Vector) -> Vector:
        """The loads (all dofs, k) as the structure carries them: afloat less the inertia forces of its rigid motion."""
        return loads - self._momentum @ self.relief(loads) if self.afloat else loads

    def displacements(self, loads: Vector) -> Vector:
        """Displacements and rotations (all dofs, k), m and rad, under forces and moments (all dofs, k), N, N m."""
        if self._factor is None:
            return np.zeros_like(loads)
        u = self._expand @ self._factor.solve(self._expand.T @ self.balanced(loads))
        if self.afloat:
            u = u - self._rigid @ linalg.lstsq(self._rigid_mass, self._momentum.T @ u)[0]
        return np.asarray(u)

    def _supports(self) -> np.ndarray:
        """Six independent dofs that hold the body without straining it: those that tell its rigid motions apart best."""
        structure = self.structure
        centre = structure.mass_properties()[1]
        size = float(np.ptp(structure.points, axis=0).max()) or 1.0
        rigid = structure.rigid_body_vectors(centre)
        rigid[:, 3:] /= size
        E = sparse.csc_array(structure.expand)
        links = factor(E.T @ E)
        assert links is not None  # every independent dof has a row of its own
        own = links.solve(E.T @ rigid)
        return np.asarray(linalg.qr(own.T, mode="r", pivoting=True)[1][:6])
