"""Water or air around a rigid body."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import added_mass
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.forces.contract import Array, Load, LoadTable
from kaneflex.model.forces.slender import body_names, skew
from kaneflex.model.media import Medium
from kaneflex.model.typed import typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model

UPPER = np.triu_indices(3)


@typed
@dataclass(frozen=True)
class AddedMass(Load):
    """The fluid around rigid bodies: inertia without weight, which may differ by direction, buoyancy and drag.

    Forces and torques of the added mass are those of Kirchhoff's equations for a perfect fluid, with the destabilising
    torque of a body that moves at an angle to its axis (Munk's moment). The fluid's kinetic energy counts with the body's,
    its momentum does not.

    Args:
        bodies: name or names of rigid bodies.
        matrix: added mass in body axes: one number or a 3x3 matrix, kg, or a 6x6 matrix that takes accelerations (three of
            the point `at`, m/s^2, three angular ones, rad/s^2) to force and torque about `at`; symmetric.
        medium: Sea or Air, whose motion is that at the point `at`.
        volume: displaced, m^3, for buoyancy and the force of waves; its centre is `at`.
        at: point in body axes, m.
        drag_area: coefficient of drag times area, m^2, alike in all directions: ``1/2 density drag_area |u| u`` at `at`.
        slow: relative speed below which drag is linear, m/s.
    """

    bodies: str | Sequence[str]
    matrix: Any
    medium: Medium
    volume: float = 0.0
    at: Any = (0.0, 0.0, 0.0)
    drag_area: float = 0.0
    slow: float = 1e-6

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", body_names(self.bodies, "AddedMass"))
        for field in ("volume", "drag_area"):
            object.__setattr__(self, field, checks.not_negative(getattr(self, field), field))
        object.__setattr__(self, "slow", checks.positive(self.slow, "slow"))
        object.__setattr__(self, "at", checks.vector(self.at, "at"))
        A = _six(self.matrix)
        object.__setattr__(self, "matrix", tuple(tuple(float(x) for x in row) for row in A))

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where the model lacks one of the bodies; `what` names the load."""
        for name in self.bodies:
            checks.known(name, model.parts, f"{what}: body")
            if model.parts[name].body.is_flexible:
                raise ModelError(f'{what}: body "{name}" bends: fix a small rigid body to one of its nodes and name that')

    def heavier(self) -> Sequence[str]:
        """The bodies, where the fluid resists every acceleration of the point."""
        A = np.array(self.matrix)[:3, :3]
        return self.bodies if np.linalg.eigvalsh(A)[0] > 1e-9 * np.abs(A).max() else ()

    def fill(self, table: LoadTable) -> None:
        """Add a row to the table for each body, and the matrix to its inertia."""
        medium, first = table.medium(self.medium), None
        for name in self.bodies:
            body, frame = table.end(name)
            r = frame.p + frame.R @ np.array(self.at)
            A = seen_from(np.array(self.matrix), frame.R, r)
            row = table.row(added_mass.FACTS, FORCE_BODY=body, FORCE_MEDIUM=medium)
            if first is None:
                first = row
                table.set_value(row, self.medium.factor())
            for place in (L.FORCE_MODE, L.FORCE_LAW_OUTPUT):
                row.integers[place] = first.integers[place]
            row.reals[L.VALUE] = first.reals[L.VALUE]
            row.reals[L.POINT : L.POINT + 6] = A[3:, 3:][UPPER]
            row.reals[L.FRAME : L.FRAME + 9] = A[:3, 3:].ravel()
            diameter = (6 * self.volume / np.pi) ** (1 / 3) if self.volume else 1.0
            law = *A[:3, :3][UPPER], self.volume, diameter, *r, self.drag_area, self.slow
            row.reals[L.FORCE_LAW : L.FORCE_LAW + len(law)] = law
            table.add_inertia(body, A)


def _six(matrix: Any) -> Array:
    """The 6x6 matrix, checked."""
    dimensions = checks.dimensions(matrix)
    if dimensions == 0:
        matrix = checks.not_negative(matrix, "matrix") * np.eye(3)
    A = np.zeros((6, 6))
    if dimensions == 2 and np.shape(matrix) == (6, 6):
        A[:] = checks.array(matrix, (6, 6), "matrix")
    else:
        A[:3, :3] = checks.array(matrix, (3, 3), "matrix")
    if np.abs(A - A.T).max() > 1e-9 * np.abs(A).max():
        raise ModelError("matrix of an AddedMass is not symmetric: give a symmetric one")
    least = np.linalg.eigvalsh(A)[0]
    if least < -1e-9 * np.abs(A).max():
        raise ModelError(f"matrix of an AddedMass has the negative principal value {least:g}: fluid takes energy to move")
    return (A + A.T) / 2


def seen_from(A: Array, R: Array, r: Array) -> Array:
    """A 6x6 matrix of a point, linear part first, as that of the origin of M, angular part first, in axes of M; R takes
    components to axes of M, where the point is at r."""
    turn, back = np.kron(np.eye(2), R), np.roll(np.eye(6), 3, axis=0)
    B = back @ turn @ A @ turn.T @ back.T
    shift = np.block([[np.eye(3), np.zeros((3, 3))], [-skew(r), np.eye(3)]])
    return shift.T @ B @ shift
