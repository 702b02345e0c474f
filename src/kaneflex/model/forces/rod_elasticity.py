"""The springs between the segments of a rod."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import joint_spring, rod_bending, rod_modes, rod_shear, rod_shear_in_plane
from kaneflex.kernels.joints.planar import PLANAR
from kaneflex.model import checks
from kaneflex.model.forces.contract import Load, LoadTable
from kaneflex.model.typed import typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model


@typed
@dataclass(frozen=True, eq=False)
class RodElasticity(Load):
    """Stiffness and viscosity of a rod in the inboard joints of its segments; `System.add_rod` applies it by the rod's name.

    Moments are linear in the rotation vector between two segments, forces in the distance of their ends along the axes
    halfway between those of the two.

    Args:
        segments: the bodies, from root to tip.
        stiffness: of each one's inboard joint against turns about x, y and z (N m/rad) and slides along them (N/m), in axes
            of the joint's frame, (n, 6); it acts where the joint lets the segment move.
        damping: viscous time T, s: the forces are those of strain + T strain rate.
        modes: what modes lose beyond that: B of `kernels.forces.rod_modes` for turns about x, y and z in each joint and for
            at most 13 modes, sqrt(N m s), (n, 3, modes); modes of turns about one axis are none of another's.
    """

    segments: Any
    stiffness: Any
    damping: float = 0.0
    modes: Any = None

    def __post_init__(self) -> None:
        segments = checks.names(self.segments, "segments of a RodElasticity")
        if not segments:
            raise checks.ModelError("a RodElasticity has no segments: name one or more")
        stiffness = checks.array(self.stiffness, (len(segments), 6), "stiffness of a RodElasticity")
        if np.any(stiffness < 0):
            raise checks.ModelError("stiffness of a RodElasticity is negative somewhere: it must not be")
        stiffness.setflags(write=False)
        object.__setattr__(self, "segments", segments)
        object.__setattr__(self, "stiffness", stiffness)
        object.__setattr__(self, "damping", checks.not_negative(self.damping, "damping of a RodElasticity"))
        if self.modes is not None:
            count = np.shape(self.modes)[-1] if checks.dimensions(self.modes) == 3 else 1
            modes = checks.array(self.modes, (len(segments), 3, count), "modes of a RodElasticity")
            if count > rod_modes.MOST_MODES:
                raise checks.ModelError(f"a RodElasticity damps {count} modes: give {rod_modes.MOST_MODES} or fewer")
            modes.setflags(write=False)
            object.__setattr__(self, "modes", modes)

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where the model has no such segments, or one whose joint has axes of its own; `what` names it."""
        for name in self.segments:
            checks.known(name, model.parts, f"{what}: segment")
            A = np.abs(model.parts[name].joint.alignment)
            if not np.all((A == 0) | (A == 1)):
                raise checks.ModelError(
                    f'{what}: the joint of segment "{name}" has axes that are not the segment\'s: turn its frames instead'
                )

    def fill(self, table: LoadTable) -> None:
        """Add rows to the table for each joint that has some stiffness: one of its turns and one of its slides."""
        self._springs(table)
        if self.modes is not None:
            for axis in range(3):
                self._modes(table, axis)

    def _springs(self, table: LoadTable) -> None:
        time, turned = self.damping, dict[int, Any]()
        for name, given in zip(self.segments, self.stiffness.tolist(), strict=True):
            joint: Any = table.index.joints[name]
            if not any(given) or not joint.speeds:
                continue
            turns, slides = given[:3], given[3:]
            if id(joint.joint) not in turned:
                turned[id(joint.joint)] = _axes_of(joint)
            axes = turned[id(joint.joint)]
            if axes is not None:  # those of M are the segment's in another order
                turns, slides = (axes @ turns).tolist(), (axes @ slides).tolist()
            if joint.quaternion is not None:
                self._in_space(table, joint, turns, slides)
                continue
            if joint.joint.facts.code == PLANAR:
                if any(slides):
                    place = {"FORCE_COLUMN": joint.u0, "FORCE_COORDINATE": joint.q0}
                    row = table.row(rod_shear_in_plane.FACTS, **place)
                    row.reals[L.FORCE_LAW : L.FORCE_LAW + 3] = *slides[:2], time
                slides = (0.0, 0.0, 0.0)
            for k, coordinate in enumerate(joint.coordinate_names):
                stiffness = turns[2] if coordinate == "angle" else slides[0] if coordinate == "slide" else 0.0
                _scalar(table, joint, k, stiffness, time)

    def _in_space(self, table: LoadTable, joint: Any, turns: Any, slides: Any) -> None:
        """Rows of a joint with a quaternion: its rotation, and its slides."""
        if any(turns):
            first = joint.u0 + joint.speeds - 3
            row = table.row(rod_bending.FACTS, FORCE_COLUMN=first, FORCE_COORDINATE=joint.quaternion)
            row.reals[L.FORCE_LAW : L.FORCE_LAW + 4] = *turns, self.damping
        if joint.speeds == 6 and any(slides):
            row = table.row(rod_shear.FACTS, FORCE_COLUMN=joint.u0, FORCE_COORDINATE=joint.q0)
            row.reals[L.FORCE_LAW : L.FORCE_LAW + 4] = *slides, self.damping
        elif joint.speeds == 4:
            _scalar(table, joint, 0, slides[0], self.damping)

    def _modes(self, table: LoadTable, axis: int) -> None:
        """Rows of the modes of turns about an axis of the segments."""
        rows = []
        for name, given in zip(self.segments, self.modes[:, axis], strict=True):
            joint: Any = table.index.joints[name]
            axes = _axes_of(joint) if given.any() and joint.speeds else None
            turn = axis if axes is None else int(np.argmax(axes[:, axis]))
            column = None
            if joint.quaternion is not None:
                column = joint.u0 + joint.speeds - 3 + turn
            elif "angle" in joint.coordinate_names and turn == 2:
                column = joint.u0 + joint.coordinate_names.index("angle")
            if given.any() and column is not None:
                rows.append(table.row(rod_modes.FACTS, FORCE_COLUMN=column))
                rows[-1].reals[L.FORCE_LAW : L.FORCE_LAW + len(given)] = given
        if rows:
            rows[0].integers[L.FORCE_ROWS] = len(rows)

    def is_internal(self, roots: Collection[str]) -> bool:
        """Whether no joint that it acts in is one of the roots'."""
        stiff = (name for name, given in zip(self.segments, self.stiffness, strict=True) if given.any())
        return not any(name in roots for name in stiff)


def _axes_of(joint: Any) -> np.ndarray | None:
    """Which axis of M is which of the segment's, as a matrix; None where they are the same."""
    A = joint.joint.alignment
    return None if np.array_equal(A, np.eye(3)) else (A * A).T


def _scalar(table: LoadTable, joint: Any, k: int, stiffness: float, time: float) -> None:
    """A row of one coordinate, whose rate is that of the speed with the same number."""
    if stiffness:
        row = table.row(joint_spring.FACTS, FORCE_COLUMN=joint.u0 + k, FORCE_COORDINATE=joint.q0 + k)
        row.reals[L.FORCE_LAW : L.FORCE_LAW + 2] = stiffness, time * stiffness
