"""Exudyn on structures that unfold: bodies with redundant coordinates, joints by multipliers, sparse matrices.

Its sparse solver takes no redundant equations. So loops have those equations alone that they need: two of a pin in a plane,
and in the ring, which is not synchronised here as all bays move alike, three of the last upper pin, one of the last
lower.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from kaneflex.formulations.cartesian.features import closure_ties
from kaneflex.formulations.dynamics import Dynamics

from .deploying import LIFT_START, Deploying

sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read at the first import
with contextlib.redirect_stdout(io.StringIO()):  # the import announces itself
    import exudyn as exu
    from exudyn.itemInterface import (
        MarkerBodyPosition,
        MarkerBodyRigid,
        MarkerNodeCoordinate,
        NodeRigidBody2D,
        NodeRigidBodyEP,
        ObjectConnectorCoordinateSpringDamper,
        ObjectConnectorTorsionalSpringDamper,
        ObjectJointGeneric,
        ObjectJointRevolute2D,
        ObjectRigidBody,
        ObjectRigidBody2D,
    )


class ExudynDeploying:
    """The fast build on one thread, nothing written, by the trapezoidal rule of index 2."""

    name = "Exudyn"

    def __init__(self, structure: Deploying) -> None:
        """Translate the structure: bodies of the plane for a lift, of space for a ring."""
        self.structure = structure
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        d = structure.system.dynamics()
        state = structure.system.assemble().state
        self.plan = d.plan
        self.R, self.p = _poses(d, np.asarray(state.q))
        self.rows = {name: index.row for name, index in d.plan.index.joints.items()}
        self.pairs: list[tuple[Any, Any]] = []
        (self._lift if structure.name == "lift" else self._ring)()
        self.mbs.Assemble()

    def _lift(self) -> None:
        mbs, bodies, nodes = self.mbs, {}, {}
        for i in self.rows.values():
            R, row = self.R[i], self.plan.tables.body[i]
            com = np.asarray(row.mass_moment) / row.mass
            at, angle = self.p[i] + R @ com, float(np.arctan2(R[1, 0], R[0, 0]))
            inertia = np.ravel(row.inertia)[5] - row.mass * (com @ com)
            nodes[i] = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[at[0], at[1], angle]))
            bodies[i] = mbs.AddObject(ObjectRigidBody2D(mass=row.mass, inertia=inertia, nodeNumber=nodes[i])), com

        def marker(i: int, point: Any) -> Any:
            body, com = bodies[i]
            return mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=list(np.asarray(point) - com)))

        for i, row in enumerate(self.plan.tables.body):
            if i and row.parent:
                ends = [marker(int(row.parent), row.p_pf), marker(i, np.zeros(3))]
                mbs.AddObject(ObjectJointRevolute2D(markerNumbers=ends))
        for tie in closure_ties(self.plan):
            ends = [marker(tie.a, tie.point_a), marker(tie.b, tie.point_b)]
            mbs.AddObject(ObjectJointRevolute2D(markerNumbers=ends))
            self.pairs.append((ends[0], ends[1]))
        for j in range(self.structure.n):
            ends = [
                mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=nodes[self.rows[f"{side}{j}"]], coordinate=2)) for side in "ab"
            ]
            k = self.structure.stiffness
            mbs.AddObject(ObjectConnectorCoordinateSpringDamper(markerNumbers=ends, stiffness=k, offset=2 * LIFT_START))
        self.read = lambda: LIFT_START + float(mbs.systemData.GetODE2Coordinates()[2])  # of the first bar

    def _ring(self) -> None:
        mbs, bodies = self.mbs, {}
        for i in self.rows.values():
            row = self.plan.tables.body[i]
            quaternion = Rotation.from_matrix(self.R[i]).as_quat(scalar_first=True)
            node = mbs.AddNode(NodeRigidBodyEP(referenceCoordinates=[*self.p[i], *quaternion]))
            J = np.ravel(row.inertia)
            bodies[i] = mbs.AddObject(
                ObjectRigidBody(
                    physicsMass=row.mass, physicsInertia=[J[0], J[3], J[5], J[4], J[2], J[1]], nodeNumber=node,
                    physicsCenterOfMass=list(np.asarray(row.mass_moment) / row.mass),
                )
            )  # fmt: skip

        def marker(i: int, point: Any) -> Any:
            return mbs.AddMarker(MarkerBodyRigid(bodyNumber=bodies[i], localPosition=list(np.asarray(point))))

        def joint(ends: list[Any], axes: list[int], A: Any, B: Any) -> None:
            mbs.AddObject(ObjectJointGeneric(markerNumbers=ends, constrainedAxes=axes, rotationMarker0=A, rotationMarker1=B))

        loads = {load.joint: load for load in self.structure.system.loads.values()}
        names = {i: name for name, i in self.rows.items()}
        for i, row in enumerate(self.plan.tables.body):
            if i and row.parent:
                ends = [marker(int(row.parent), row.p_pf), marker(i, np.zeros(3))]
                joint(ends, [1, 1, 1, 1, 1, 0], np.asarray(row.r_pf), np.eye(3))
                spring = loads.get(names[i])
                if spring is not None:
                    mbs.AddObject(
                        ObjectConnectorTorsionalSpringDamper(
                            markerNumbers=ends, stiffness=spring.stiffness, offset=spring.rest,
                            rotationMarker0=np.asarray(row.r_pf), rotationMarker1=np.eye(3),
                        )
                    )  # fmt: skip
        last = self.structure.n - 1
        loops = [name for name in self.plan.index.constraints if not name.startswith("gear")]
        for name, tie in zip(loops, closure_ties(self.plan), strict=True):
            ends = [marker(tie.a, tie.point_a), marker(tie.b, tie.point_b)]
            axes = [1, 1, 1] if name == "rim" else [1, 0, 0] if name == f"foot{last}" else [1, 1, 0]
            joint(ends, [*axes, 0, 0, 0], tie.frame_a, tie.frame_b)
            self.pairs.append((ends[0], ends[1]))
        top, batten = self.rows["top0"], self.rows["batten0"]
        axes = np.asarray(self.plan.tables.body[top].r_pf)

        def read() -> float:
            A, B = (
                np.reshape(mbs.GetObjectOutputBody(bodies[i], exu.OutputVariableType.RotationMatrix, [0, 0, 0],
                                                   exu.ConfigurationType.Current), (3, 3)) for i in (batten, top)
            )  # fmt: skip
            E = (A @ axes).T @ B
            return -float(np.arctan2(E[1, 0], E[0, 0]))

        self.read = read

    def run(self, step: float, limit: float) -> tuple[float, float, float]:
        """Error of the angle at the end, rad, largest gap of a loop, m, and processor time, s."""
        s = exu.SimulationSettings()
        s.solution.file.write = False
        s.solution.sensors.active = False
        s.parallel.numberOfThreads = 1
        s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        s.linearSolver.reuseAnalyzedPattern = True
        t, duration = s.timeIntegration, self.structure.duration
        t.verboseMode, t.endTime, t.numberOfSteps, t.adaptiveStep = 0, duration, max(1, round(duration / step)), False
        t.newton.useModifiedNewton = True
        t.newton.relativeTolerance, t.newton.absoluteTolerance = 1e-7, 1e-9
        begun = time.process_time()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                self.mbs.SolveDynamic(s, solverType=exu.DynamicSolverType.TrapezoidalIndex2, showHints=False)
        except (RuntimeError, ValueError):
            return np.inf, np.inf, time.process_time() - begun
        seconds = time.process_time() - begun
        where = exu.ConfigurationType.Current
        place = lambda m: np.asarray(self.mbs.GetMarkerOutput(m, exu.OutputVariableType.Position, where))
        gap = max(float(np.abs(place(a) - place(b)).max()) for a, b in self.pairs)
        return abs(self.read() - self.structure.exact), gap, seconds


def _poses(d: Dynamics, q: Any) -> tuple[dict[int, Any], dict[int, Any]]:
    """Axes and places of M of all bodies."""
    d.udot(q, np.zeros(d.plan.nu))
    R, p = {0: np.eye(3)}, {0: np.zeros(3)}
    for i, row in enumerate(d.plan.tables.body):
        if i:
            up, w = int(row.parent), d.work.body[i]
            R[i] = R[up] @ np.reshape(w.r_mp, (3, 3)).T
            p[i] = p[up] + R[up] @ np.ravel(w.p_pm)
    return R, p
