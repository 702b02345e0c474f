"""Exudyn's `ObjectFFRFreducedOrder`: a solid beam on a floating hub, of the mesh, matrices and modes that kaneflex has."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kaneflex.structures import Flexible, Structure
from kaneflex.structures.modes.mode_selection import component_modes

sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read at the first import
with contextlib.redirect_stdout(io.StringIO()):  # the import announces itself
    import exudyn as exu
    from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface
    from exudyn.itemInterface import ObjectRigidBody

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ending:
    """Where a run ends: place of the root (m), rotation matrix of the frame, modal coordinates; and its seconds."""

    position: Array
    axes: Array
    modes: Array
    seconds: float

    def tip(self, place: Array, shape: Array) -> Array:
        """A point of the body in inertial axes, m, from its undeformed place and its modal displacements."""
        return self.position + self.axes @ (place + shape @ self.modes)


class ExudynBeam:
    """A rigid hub, centred at the root of one flexible body of solid elements (three displacements a node).

    Hub and flexible body share the node of the floating frame, so that no joint is between them.
    """

    name = "Exudyn"
    ways: Sequence[str] = ("GeneralizedAlpha", "TrapezoidalIndex2")

    def __init__(self, structure: Structure, body: Flexible, hub: tuple[float, float], spin: Any, bent: Any) -> None:
        """Keep the matrices.

        Args:
            structure: of which the body was made.
            body: its modes are used.
            hub: its mass, kg, and its inertia about any axis, kg m^2.
            spin: angular velocity at the start, rad/s.
            bent: modal coordinates at the start, which are at rest.
        """
        shapes = component_modes(structure, body.root, body.modes).shapes
        solid = np.setdiff1d(np.arange(len(structure)), [structure.node(name) for name in structure.names])
        rows = (6 * solid[:, None] + np.arange(3)).ravel()
        self.points, self.basis = structure.points[solid], shapes[rows]
        self.M, self.K = structure.M.tocsr()[rows][:, rows], structure.K.tocsr()[rows][:, rows]
        gram = self.basis.T @ (self.M @ self.basis)
        if np.abs(gram - np.eye(gram.shape[0])).max() > 1e-9:
            raise ValueError("mass is not on the solid's own nodes: give a structure of solid elements only")
        self.hub, self.spin, self.bent = hub, list(map(float, spin)), list(map(float, bent))

    def run(self, way: str, step: float, accuracy: float, duration: float) -> Ending:
        """Integrate from the start by fixed steps.

        Args:
            way: one of `ways`.
            step: s.
            accuracy: wanted, for the tolerance of Newton's method in implicit methods.
            duration: s.
        """
        container = exu.SystemContainer()
        mbs = container.AddSystem()
        with contextlib.redirect_stdout(io.StringIO()):
            fem = FEMinterface()
            fem.nodes = {"Position": self.points}
            fem.massMatrix, fem.stiffnessMatrix = self.M, self.K
            fem.modeBasis = {"matrix": self.basis, "type": "NormalModes"}
            reduced = ObjectFFRFreducedOrderInterface(fem, rigidBodyNodeType=exu.NodeType.RotationEulerParameters)
            added = reduced.AddObjectFFRFreducedOrder(mbs, initialAngularVelocity=self.spin)
            mbs.SetNodeParameter(added["nGenericODE2"], "initialCoordinates", self.bent)
            m, J = self.hub
            mbs.AddObject(ObjectRigidBody(nodeNumber=added["nRigidBody"], mass=m, inertia=[J, J, J, 0, 0, 0]))
            mbs.Assemble()
        begun = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            mbs.SolveDynamic(
                self._settings(step, accuracy, duration),
                solverType=getattr(exu.DynamicSolverType, way),
                showHints=False,
            )
        seconds = time.perf_counter() - begun
        rigid, modes = added["nRigidBody"], added["nGenericODE2"]
        position = np.array(mbs.GetNodeOutput(rigid, exu.OutputVariableType.Position))
        axes = np.array(mbs.GetNodeOutput(rigid, exu.OutputVariableType.RotationMatrix)).reshape(3, 3)
        return Ending(position, axes, np.array(mbs.GetNodeOutput(modes, exu.OutputVariableType.Coordinates)), seconds)

    def _settings(self, step: float, accuracy: float, duration: float) -> Any:
        s = exu.SimulationSettings()
        s.solution.file.write = False
        s.solution.sensors.active = False
        s.parallel.numberOfThreads = 1
        s.linearSolver.solverType = exu.LinearSolverType.EXUdense
        t = s.timeIntegration
        t.verboseMode = 0
        t.endTime = duration
        t.numberOfSteps = max(1, round(duration / step))
        t.adaptiveStep = False
        t.newton.useModifiedNewton = True
        t.newton.relativeTolerance = accuracy / 100
        t.newton.absoluteTolerance = accuracy * 1e-4
        t.generalizedAlpha.spectralRadius = 1.0  # no numerical damping, which would only cost accuracy
        return s
