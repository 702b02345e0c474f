"""Exudyn: `ObjectKinematicTree`, minimal coordinates, its mass matrix formed and solved at each evaluation."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .peer import SHORTEST_RUN, Peer
from .tree import Tree, chain

sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read at the first import
with contextlib.redirect_stdout(io.StringIO()):  # the import announces itself
    import exudyn as exu
    from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

Array = NDArray[np.float64]

_STAGES = 4  # evaluations in one step of RK44
_STEP = 1e-9  # so short that the state stays where it is

_SOLVERS = {
    "RK44, dense LU": exu.LinearSolverType.EXUdense,
    "RK44, Eigen dense": exu.LinearSolverType.EigenDense,
    "RK44, Eigen sparse": exu.LinearSolverType.EigenSparse,
    "RK44, Eigen sparse symmetric": exu.LinearSolverType.EigenSparseSymmetric,
}


class ExudynPeer(Peer):
    """Exudyn's kinematic tree in the fast build, on one thread, nothing written.

    There is no call for one evaluation, so its time is that of an explicit integration: 1 and 1 + N steps of RK44 at a
    vanishing step, the difference divided by 4 N, so that starting and ending the solver do not count.
    What flatters it: no Python at all between evaluations. What handicaps it: the vector updates and the bookkeeping of
    the steps are counted, a few vector operations of length n each. Four linear solvers are tried, the fastest counts
    (the default, a dense LU, is many times slower than Eigen's above some 50 joints). The tree's own algorithm forms
    the n by n mass matrix, so the cost grows like n^2 to n^3; Exudyn's documentation advises against long chains in
    one such object.
    """

    name = "Exudyn"
    version = exu.config.Version() if hasattr(exu, "config") else exu.__version__

    def __init__(self, tree: Tree) -> None:
        """Build the system."""
        super().__init__(tree)
        n = tree.n
        matrices, vectors = cast(Any, exu.Matrix3DList), cast(Any, exu.Vector3DList)  # their stubs lack a constructor
        self._container = exu.SystemContainer()
        self.mbs = self._container.AddSystem()
        self._node = self.mbs.AddNode(
            NodeGenericODE2(
                referenceCoordinates=[0.0] * n,
                initialCoordinates=[0.0] * n,
                initialCoordinates_t=[0.0] * n,
                numberOfODE2Coordinates=n,
            )
        )
        self._object = self.mbs.AddObject(
            ObjectKinematicTree(
                nodeNumber=self._node,
                jointTypes=[exu.JointType.RevoluteZ] * n,
                linkParents=tree.parent.tolist(),
                jointTransformations=matrices(list(tree.R_PJ)),
                jointOffsets=vectors(list(tree.p_PJ)),
                linkInertiasCOM=matrices(list(tree.inertia)),
                linkCOMs=vectors(list(tree.com)),
                linkMasses=tree.mass.tolist(),
                gravity=tree.gravity.tolist(),
                jointForceVector=[0.0] * n,
            )
        )
        self.mbs.Assemble()

    def _set(self, q: Array, u: Array, tau: Array) -> None:
        initial = exu.ConfigurationType.Initial
        self.mbs.SetObjectParameter(self._object, "jointForceVector", list(tau))
        self.mbs.systemData.SetODE2Coordinates(list(q), configuration=initial)
        self.mbs.systemData.SetODE2Coordinates_t(list(u), configuration=initial)

    def _solve(self, method: exu.DynamicSolverType, linear: exu.LinearSolverType, steps: int, step: float) -> float:
        """Integrate from the initial state; return the seconds it took."""
        settings = exu.SimulationSettings()
        settings.solution.file.write = False
        settings.solution.sensors.active = False
        settings.parallel.numberOfThreads = 1
        settings.linearSolver.solverType = linear
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.automaticStepSize = False
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = steps * step
        settings.timeIntegration.minimumStepSize = step / 1e3
        settings.timeIntegration.explicit.computeEndOfStepAccelerations = False
        settings.timeIntegration.explicit.useLieGroupIntegration = False  # no node here lives on a Lie group
        start = time.perf_counter()
        self.mbs.SolveDynamic(settings, solverType=method)
        return time.perf_counter() - start

    def accelerations(self, q: Array, u: Array, tau: Array) -> Array:
        """Forward dynamics from one explicit Euler step of length one, which is exact: u(1) = u + u'(q, u)."""
        self._set(q, u, tau)
        self._solve(exu.DynamicSolverType.ExplicitEuler, exu.LinearSolverType.EXUdense, 1, 1.0)
        return np.array(self.mbs.systemData.GetODE2Coordinates_t()) - u

    def _seconds(self, linear: exu.LinearSolverType, repeat: int) -> float:
        """Slope of the run time over the number of steps, from one step and from enough to outlast the start."""
        self._set(*self.tree.state())

        def run(steps: int) -> float:
            return min(self._solve(exu.DynamicSolverType.RK44, linear, steps, _STEP) for _ in range(repeat))

        start, more = run(1), 1
        while (elapsed := run(1 + more) - start) < max(SHORTEST_RUN, start):
            more *= 2
        return elapsed / (_STAGES * more)

    def variant_seconds(self, repeat: int = 5) -> dict[str, float]:
        """Seconds of one evaluation with each linear solver."""
        return {name: self._seconds(solver, repeat) for name, solver in _SOLVERS.items()}

    def call_overhead(self, repeat: int = 5) -> float:
        """Seconds of one evaluation of a one-joint tree: the solver loop's own cost, from above.

        No Python runs between evaluations; what remains is stepping and bookkeeping, with the dynamics of one joint.
        """
        return ExudynPeer(chain(1)).seconds_per_call(repeat)
