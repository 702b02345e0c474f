"""Exudyn on the chain of four-bars: redundant coordinates with sparse algebra, and a kinematic tree with closed loops."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from . import fourbars
from .fourbars import BASE, COM, COUPLER, CRANK, GRAVITY, MASS, MOUNT, ROCKER, TURN, Ending, inertia

sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read at the first import
with contextlib.redirect_stdout(io.StringIO()):  # the import announces itself
    import exudyn as exu
    from exudyn.itemInterface import (
        LoadMassProportional,
        MarkerBodyMass,
        MarkerBodyPosition,
        MarkerKinematicTreeRigid,
        NodeGenericODE2,
        NodeRigidBody2D,
        ObjectGround,
        ObjectJointRevolute2D,
        ObjectJointSpherical,
        ObjectKinematicTree,
        ObjectRigidBody2D,
    )

Array = NDArray[np.float64]

LARGEST_TREE = 10  # four-bars; a kinematic tree forms dense matrices, and is many times slower than the bodies already here
CONTRACTIVITY = 0.1  # of the Newton iteration, above which its matrix is made anew; faster here than the usual 0.5


@dataclass(frozen=True)
class _Model:
    """An assembled system, and how joint angles and rates are read from it."""

    container: Any  # keeps the system alive
    mbs: Any
    read: Callable[[], tuple[Array, Array]]


def _planar_bodies(n: int) -> _Model:
    """Bodies of the plane with three coordinates each, and 4n revolute joints of two multipliers each."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    at = fourbars.poses(fourbars.state(fourbars.start(n), np.zeros(n))[0])
    com = [complex(*c) for c in COM]

    def marker(body: Any, z: complex) -> Any:
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[z.real, z.imag, 0.0]))

    def joint(body: Any, z: complex, other: Any, w: complex) -> None:
        mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[marker(body, z), marker(other, w)]))

    base, pivot, turn = mbs.AddObject(ObjectGround()), 0j, 0.0
    for k in range(n):
        links = []
        for link in range(3):
            z, angle = at.position[3 * k + link], at.angle[3 * k + link]
            node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[z.real, z.imag, angle]))
            body = mbs.AddObject(ObjectRigidBody2D(mass=MASS[link], inertia=inertia(link)[2], nodeNumber=node))
            weight = mbs.AddMarker(MarkerBodyMass(bodyNumber=body))
            mbs.AddLoad(LoadMassProportional(markerNumber=weight, loadVector=[0.0, -GRAVITY, 0.0]))
            links.append(body)
        crank, coupler, rocker = links
        joint(base, pivot, crank, -com[0])
        joint(crank, CRANK - com[0], coupler, -com[1])
        joint(base, pivot + BASE * np.exp(1j * turn), rocker, -com[2])
        joint(coupler, COUPLER - com[1], rocker, ROCKER - com[2])
        base, pivot, turn = coupler, complex(*MOUNT) - com[1], TURN
    mbs.Assemble()

    def read() -> tuple[Array, Array]:
        moved = np.array(mbs.systemData.GetODE2Coordinates()).reshape(-1, 3)[:, 2]
        rates = np.array(mbs.systemData.GetODE2Coordinates_t()).reshape(-1, 3)[:, 2]
        return _relative(at.angle + moved, TURN), _relative(rates, 0.0)

    return _Model(container, mbs, read)


def _relative(absolute: Array, turn: float) -> Array:
    """Joint angles (or rates) from those of the links against the ground."""
    crank, coupler, rocker = absolute.reshape(-1, 3).T
    base = np.concatenate(([0.0], coupler[:-1] + turn))
    return np.column_stack((crank - base, coupler - crank, rocker - base)).ravel()


def _tree(n: int) -> _Model:
    """One kinematic tree of 3n joints; a joint of two multipliers closes each loop."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    q = fourbars.state(fourbars.start(n), np.zeros(n))[0]
    matrices, vectors = cast(Any, exu.Matrix3DList), cast(Any, exu.Vector3DList)  # their stubs lack a constructor
    c, s = np.cos(TURN), np.sin(TURN)
    turned, straight = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.eye(3)
    parents, rotations, offsets = [], [], []
    for k in range(n):
        R, p = (turned, np.array([*MOUNT, 0.0])) if k else (straight, np.zeros(3))
        before = 3 * k - 2 if k else -1
        parents += [before, 3 * k, before]
        rotations += [R, straight, R]
        offsets += [p, np.array([CRANK, 0.0, 0.0]), p + R @ [BASE, 0.0, 0.0]]
    tree = mbs.AddObject(
        ObjectKinematicTree(
            nodeNumber=mbs.AddNode(NodeGenericODE2(referenceCoordinates=list(q), initialCoordinates=[0.0] * 3 * n,
                                                   initialCoordinates_t=[0.0] * 3 * n, numberOfODE2Coordinates=3 * n)),
            jointTypes=[exu.JointType.RevoluteZ] * 3 * n,
            linkParents=parents,
            jointTransformations=matrices(rotations),
            jointOffsets=vectors(offsets),
            linkInertiasCOM=matrices([np.diag(inertia(link)) for link in range(3)] * n),
            linkCOMs=vectors([np.array([*p, 0.0]) for p in COM] * n),
            linkMasses=list(MASS) * n,
            gravity=[0.0, -GRAVITY, 0.0],
        )
    )  # fmt: skip
    for k in range(n):
        ends = [
            mbs.AddMarker(MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=3 * k + i, localPosition=[l, 0.0, 0.0]))
            for i, l in ((1, COUPLER), (2, ROCKER))
        ]
        mbs.AddObject(ObjectJointSpherical(markerNumbers=ends, constrainedAxes=[1, 1, 0]))
    mbs.Assemble()

    def read() -> tuple[Array, Array]:
        moved, rates = mbs.systemData.GetODE2Coordinates(), mbs.systemData.GetODE2Coordinates_t()
        return q + np.array(moved), np.array(rates)

    return _Model(container, mbs, read)


_WAYS: dict[str, tuple[Callable[[int], _Model], str, float]] = {
    "planar bodies, index-2 trapezoidal": (_planar_bodies, "TrapezoidalIndex2", 1.0),
    "planar bodies, generalized alpha 0.8": (_planar_bodies, "GeneralizedAlpha", 0.8),
    "kinematic tree, index-2 trapezoidal": (_tree, "TrapezoidalIndex2", 1.0),
}


class ExudynLoops:
    """Exudyn in the fast build, on one thread, nothing written, with the sparse solver of Eigen.

    Its explicit integrators take no loops, so that the implicit ones of second order remain, here with a modified Newton
    iteration whose tolerance follows the wanted accuracy. What flatters it: no Python at all between steps, and plane
    bodies, where the others compute in space.
    """

    name = "Exudyn"
    order = 2  # of the error in the setting, which is the step
    first = 2e-3  # setting to try first, s
    fixed_steps = True

    def __init__(self, n: int) -> None:
        """Build nothing yet: each way has its own model."""
        self.n = n
        self.ways = [way for way, (build, _, _) in _WAYS.items() if build is not _tree or n <= LARGEST_TREE]
        self._models: dict[str, _Model] = {}

    def run(self, way: str, setting: float, accuracy: float, duration: float) -> Ending:
        """Integrate from the start with steps of `setting` seconds, Newton's tolerance following the accuracy."""
        build, method, radius = _WAYS[way]
        if way not in self._models:
            self._models[way] = build(self.n)
        model = self._models[way]
        s = exu.SimulationSettings()
        s.solution.file.write = False
        s.solution.sensors.active = False
        s.parallel.numberOfThreads = 1
        s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        s.linearSolver.reuseAnalyzedPattern = True
        t = s.timeIntegration
        t.verboseMode = 0
        t.endTime = duration
        t.numberOfSteps = max(1, round(duration / setting))
        t.adaptiveStep = False
        t.newton.useModifiedNewton = True
        t.newton.modifiedNewtonContractivity = CONTRACTIVITY
        t.newton.relativeTolerance = accuracy / 100
        t.newton.absoluteTolerance = accuracy * 1e-4
        t.generalizedAlpha.spectralRadius = radius
        begun = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):  # a solver that fails says so twice
            model.mbs.SolveDynamic(s, solverType=getattr(exu.DynamicSolverType, method), showHints=False)
        seconds = time.perf_counter() - begun
        return Ending(*model.read(), seconds)
