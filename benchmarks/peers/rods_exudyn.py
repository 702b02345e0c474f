"""Exudyn's beams in a plane: geometrically exact ones of two or three nodes, and ANCF cables."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from typing import Any

import numpy as np

from .plane_beam import Array, PlaneBeam

sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read at the first import
with contextlib.redirect_stdout(io.StringIO()):  # the import announces itself
    import exudyn as exu
    from exudyn import itemInterface as items
    from exudyn.beams import GenerateBeamElementsAlongLine

#: Kinds of elements by name.
ELEMENTS = ("GE beam, 2 nodes", "GE beam, 3 nodes", "ANCF cable")


class ExudynPlaneBeam:
    """A beam of equal elements. ANCF cables have neither shear nor rotary inertia."""

    name = "Exudyn"

    def __init__(self, beam: PlaneBeam, elements: str, number: int) -> None:
        """Build the model.

        Args:
            beam: what is modelled.
            elements: one of `ELEMENTS`.
            number: of elements.
        """
        self.beam, self.cable = beam, elements == "ANCF cable"
        self.container = exu.SystemContainer()
        with contextlib.redirect_stdout(io.StringIO()):
            self.mbs = self.container.AddSystem()
            self._build(elements, number)
            self.mbs.Assemble()
        self.start = self.mbs.systemData.GetSystemState()

    def _build(self, elements: str, number: int) -> None:
        b, mbs = self.beam, self.mbs
        if self.cable:
            template = items.ObjectANCFCable2D(massPerLength=b.mass, bendingStiffness=b.EI, axialStiffness=b.EA)
        else:
            template = items.ObjectBeamGeometricallyExact2D(
                massPerLength=b.mass, crossSectionInertia=b.rotary, bendingStiffness=b.EI, axialStiffness=b.EA,
                shearStiffness=b.GA, nodeNumbers=[0, 0] if elements == "GE beam, 2 nodes" else [0, 0, 0],
            )  # fmt: skip
        held = {"free": None, "pinned": [1, 1, 0, 0], "driven": [1, 1, 0, 0]}[b.root]
        made = GenerateBeamElementsAlongLine(
            mbs, [*b.start, 0.0], [*b.end, 0.0], number, template, gravity=[0, b.gravity, 0],
            groundConstraintsStart=held if held is None or self.cable else held[:3],
        )  # fmt: skip
        if b.root == "driven":
            self._drive(made["nodes"][0])
        if b.loaded > 0:
            self._load(made)
        self.tip = mbs.AddSensor(
            items.SensorNode(
                nodeNumber=made["nodes"][-1], storeInternal=True, outputVariableType=exu.OutputVariableType.Position
            )
        )

    def _drive(self, node: Any) -> None:
        """Angle of the root: a coordinate, or the two of the slope."""
        b, mbs = self.beam, self.mbs
        angle, rate = b.angle, b.rate
        assert angle is not None and rate is not None
        ground = mbs.AddNode(items.NodePointGround())
        fixed = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
        driven = {2: (lambda t: angle(t), lambda t: rate(t))}
        if self.cable:
            driven = {
                2: (lambda t: np.cos(angle(t)) - 1.0, lambda t: -np.sin(angle(t)) * rate(t)),
                3: (lambda t: np.sin(angle(t)), lambda t: np.cos(angle(t)) * rate(t)),
            }
        for coordinate, (place, speed) in driven.items():
            mbs.AddObject(
                items.ObjectConnectorCoordinate(
                    markerNumbers=[
                        fixed, mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate)),
                    ],
                    offsetUserFunction=lambda mbs, t, number, offset, f=place: f(t),
                    offsetUserFunction_t=lambda mbs, t, number, offset, f=speed: f(t),
                )
            )  # fmt: skip

    def _load(self, made: dict[str, Any]) -> None:
        """Force and moment at the root."""
        b, mbs = self.beam, self.mbs
        on = lambda t, size: size if t < b.loaded else 0.0
        point = mbs.AddMarker(items.MarkerNodePosition(nodeNumber=made["nodes"][0]))
        mbs.AddLoad(
            items.Force(
                markerNumber=point,
                loadVector=[b.force, 0, 0],
                loadVectorUserFunction=lambda mbs, t, load: [on(t, load[0]), 0, 0],
            )
        )
        if self.cable:
            body = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=made["elements"][0], localPosition=[0, 0, 0]))
        else:
            body = mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=made["nodes"][0]))
        mbs.AddLoad(
            items.Torque(
                markerNumber=body,
                loadVector=[0, 0, b.moment],
                loadVectorUserFunction=lambda mbs, t, load: [0, 0, on(t, load[2])],
            )
        )

    def run(self, way: str, steps: int, rho: float = 1.0, modified: bool = True) -> tuple[Array, float]:
        """Places of the tip at the samples, on a hub its deflection, and the seconds of the solver.

        Args:
            way: name of a `DynamicSolverType`.
            steps: number of equal ones, a multiple of that of the samples.
            rho: spectral radius at infinity of generalized-alpha.
            modified: whether Newton's matrix is kept for several steps.
        """
        self.mbs.systemData.SetSystemState(self.start)
        begun = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            self.mbs.SolveDynamic(
                self._settings(steps, rho, modified), solverType=getattr(exu.DynamicSolverType, way), showHints=False
            )
        seconds = time.process_time() - begun
        rows = np.array(self.mbs.GetSensorStoredData(self.tip))
        rows = rows[np.searchsorted(rows[:, 0], self.beam.period * np.arange(self.beam.samples + 1) - 1e-9)]
        return self.beam.seen(rows[:, 0], rows[:, 1:3]), seconds

    def _settings(self, steps: int, rho: float, modified: bool) -> Any:
        s = exu.SimulationSettings()
        s.solution.file.write = False
        s.solution.sensors.writePeriod = self.beam.period
        s.parallel.numberOfThreads = 1
        s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        t = s.timeIntegration
        t.verboseMode = 0
        t.endTime = self.beam.duration
        t.numberOfSteps = steps
        t.adaptiveStep = False
        t.newton.useModifiedNewton = modified
        t.newton.relativeTolerance = 1e-5  # smaller ones change nothing in the third digit
        t.newton.absoluteTolerance = 1e-5
        t.generalizedAlpha.spectralRadius = rho
        return s
