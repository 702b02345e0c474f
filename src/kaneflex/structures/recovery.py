"""Recovery rows of a flexible body: outputs that an analyst's matrices (OTM, LTM, DTM) make of its motion, by label."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.typed import typed
from kaneflex.structures.modes.mode_shapes import Modes
from kaneflex.structures.statics import Statics
from kaneflex.structures.structure import Structure


@typed
@dataclass(frozen=True, eq=False)
class Recovery:
    """Rows y = displacement @ x + acceleration @ x'', x being all dofs of a structure (6n, then its hidden coordinates), or
    those before nodes were added with `linked` or `averaged`.

    Accelerations are those of the material against an inertial frame less gravity, in the body's axes, displacements those
    against the body's frame: rows of displacement are of what rigid motion leaves alone (forces, stresses, displacements
    against the root). Rows of acceleration take the frame's linear and angular acceleration and those of the modes, not what
    a spin adds.

    Args:
        labels: names of the rows, different ones.
        displacement: (rows, dofs), dense or sparse; None for none.
        acceleration: (rows, dofs), likewise.
        mode_acceleration: count what the modes that were left out do statically under the acceleration of the body's frame.
        unit: of all rows; "" where they differ.
    """

    labels: Any
    displacement: Any = None
    acceleration: Any = None
    mode_acceleration: bool = True
    unit: str = ""

    def __post_init__(self) -> None:
        labels = tuple(checks.items(self.labels, "labels of a Recovery"))
        if not labels or not all(isinstance(label, str) and label for label in labels):
            raise ModelError(f"labels of a Recovery are {checks.shown(self.labels)}: give a name for each row")
        object.__setattr__(self, "labels", labels)
        twice = {label for label in labels if labels.count(label) > 1} if len(set(labels)) < len(labels) else set()
        if twice:
            raise ModelError(f"labels of a Recovery: {sorted(twice)[0]!r} is there twice: give each row a name of its own")
        if self.displacement is None and self.acceleration is None:
            raise ModelError("a Recovery has neither displacement= nor acceleration=: give rows of one of them")
        for word in ("displacement", "acceleration"):
            given = getattr(self, word)
            if given is None:
                continue
            if not sparse.issparse(given):
                columns = np.shape(given)[1] if checks.dimensions(given) == 2 else 1
                given = checks.array(given, (len(labels), columns), f"{word} of a Recovery")
            A = sparse.csr_array(given, dtype=float)
            if A.shape[0] != len(labels) or not np.isfinite(A.data).all():
                raise ModelError(f"{word} of a Recovery: give a matrix of finite numbers with {len(labels)} rows, as labels")
            object.__setattr__(self, word, A)

    def rows(self, which: Sequence[str]) -> "Recovery":
        """Some of its rows.

        Args:
            which: their labels.
        """
        at = [self.labels.index(checks.known(label, self.labels, "label")) for label in which]
        part = lambda A: None if A is None else A[at]
        return Recovery(tuple(which), part(self.displacement), part(self.acceleration), self.mode_acceleration, self.unit)


@dataclass(frozen=True, eq=False)
class ModalRecovery:
    """Rows of a Recovery for a body in modal coordinates.

    y = per_mode @ eta + per_second @ eta'' + per_frame @ (a, alpha), a being the acceleration of the body's origin less
    gravity and alpha the angular acceleration, in the body's axes.
    """

    labels: tuple[str, ...]
    unit: str
    per_mode: Vector  # (rows, m)
    per_second: Vector  # (rows, m)
    per_frame: Vector  # (rows, 6)


def modal_recovery(recovery: Recovery, structure: Structure, modes: Modes, root: Any, name: str) -> ModalRecovery:
    """Rows of a recovery for the modes of a structure; with mode acceleration, what the other shapes do statically:

    x = Phi eta - (K^-1 M R - Phi k^-1 Phi^T M R) (a, alpha) ,   R rigid motions about the body's origin .
    """
    shapes, r = modes.shapes, len(recovery.labels)
    given = recovery.displacement, recovery.acceleration
    D, A = (sparse.csr_array((r, structure.size)) if X is None else _over_all(X, structure, name) for X in given)
    origin = np.zeros(3) if root is None else structure.points[structure.node(root)]
    R = structure.rigid_body_vectors(origin)
    frame = A @ R
    if recovery.mode_acceleration and D.nnz and root is not None:
        loads = structure.M @ R
        static = Statics(structure, root).displacements(loads)
        frame = frame - D @ (static - shapes @ ((shapes.T @ loads) / modes.stiffness[:, None]))
    return ModalRecovery(recovery.labels, recovery.unit, D @ shapes, A @ shapes, frame)


def _over_all(rows: sparse.csr_array, structure: Structure, name: str) -> sparse.csr_array:
    """Rows over all dofs; nodes that were added to the structure of the rows have none."""
    more = structure.size - rows.shape[1]
    if more % 6 or not 0 <= more <= 6 * structure.added:
        raise ModelError(
            f'recovery "{name}" has {rows.shape[1]} columns: give {structure.size}, one for each dof of the structure'
        )
    nodal = rows.shape[1] - structure.hidden
    return sparse.csr_array(sparse.hstack([rows[:, :nodal], sparse.csr_array((rows.shape[0], more)), rows[:, nodal:]]))
