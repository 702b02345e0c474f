"""MuJoCo: composite-rigid-body mass matrix, sparse L^T D L factor, recursive Newton-Euler bias."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from .peer import Peer, best_mean_time
from .tree import Tree

Array = NDArray[np.float64]

#: Everything that forward dynamics of a free-moving tree does not need.
_OFF = ("CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT", "SPRING", "DAMPER", "CLAMPCTRL", "WARMSTART",
        "FILTERPARENT", "ACTUATION", "SENSOR", "MIDPHASE", "EULERDAMP", "AUTORESET", "ISLAND")  # fmt: skip

#: Steps in one call of the variant that loops inside the engine.
_STEPS = 20


def _quaternion(R: Array) -> Array:
    """Scalar-first quaternion of a rotation matrix."""
    return Rotation.from_matrix(R).as_quat(scalar_first=True)


def build(tree: Tree | None) -> mujoco.MjModel:
    """Return the MuJoCo model of the tree, or of an empty world for None.

    The inertias are diagonalised here, since MuJoCo's own diagonalisation stops earlier.
    """
    spec = mujoco.MjSpec()
    spec.option.disableflags = sum(int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")) for flag in _OFF)
    spec.option.timestep = 1e-12  # only the stepping variant integrates: it must stay at its state
    if tree is None:
        return spec.compile()
    spec.option.gravity = tree.gravity
    bodies = [spec.worldbody]
    for i in range(tree.n):
        moments, axes = np.linalg.eigh(tree.inertia[i])
        axes[:, 2] *= np.linalg.det(axes)
        body = bodies[tree.parent[i] + 1].add_body(
            name=f"body{i}", pos=tree.p_PJ[i], quat=_quaternion(tree.R_PJ[i]), mass=tree.mass[i], ipos=tree.com[i],
            inertia=moments, iquat=_quaternion(axes), explicitinertial=True,
        )  # fmt: skip
        body.add_joint(name=f"joint{i}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
        bodies.append(body)
    return spec.compile()


class MujocoPeer(Peer):
    """MuJoCo with contacts, constraints, limits, passive forces, actuators, sensors and islands switched off.

    Ways to evaluate, of which the fastest counts:

    - `mj_forward`, the documented call, one crossing of the binding;
    - `mj_fwdPosition`, `mj_fwdVelocity`, `mj_fwdActuation`, `mj_fwdAcceleration`: forward dynamics without the
      constraint stage, four crossings;
    - the bare stages (kinematics, com quantities, mass matrix, factor, com velocities, bias force, solve), which skip
      all that a tree has no use for, seven crossings and one NumPy subtraction;
    - `mj_step` with many steps in one call: no Python between evaluations, but each adds a semi-implicit Euler update
      and three checks for bad numbers.

    What handicaps it: depth. The joint-space mass matrix of a chain is full, so that its factor is O(n^3) there; a
    balanced tree keeps it sparse. MuJoCo numbers bodies depth first; `accelerations` permutes, the timing does not.
    """

    name = "MuJoCo"
    version = mujoco.__version__

    def __init__(self, tree: Tree) -> None:
        """Build model and data, and set the state that the timing uses."""
        super().__init__(tree)
        self.model = build(tree)
        self.data = mujoco.MjData(self.model)
        self._dof = np.array([self.model.joint(f"joint{i}").dofadr[0] for i in range(tree.n)])

    def _set(self, q: Array, u: Array, tau: Array) -> None:
        self.data.qpos[self._dof], self.data.qvel[self._dof] = q, u
        self.data.qfrc_applied[self._dof] = tau

    def accelerations(self, q: Array, u: Array, tau: Array) -> Array:
        """Forward dynamics by `mj_forward`."""
        self._set(q, u, tau)
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc[self._dof].copy()

    def accelerations_by_stages(self, q: Array, u: Array, tau: Array) -> Array:
        """Forward dynamics by the bare stages; equals `accelerations` to rounding."""
        self._set(q, u, tau)
        result = _stages(self.model, self.data)()
        return result[0, self._dof].copy()

    def variant_seconds(self, repeat: int = 5) -> dict[str, float]:
        """Seconds of one evaluation by each way listed above."""
        self._set(*self.tree.state())
        return _time_variants(self.model, self.data, repeat)

    def call_overhead(self, repeat: int = 5) -> float:
        """Seconds of the fastest variant on an empty world: binding and stage dispatch, no dynamics."""
        timings = self.variant_seconds(repeat)
        fastest = min(timings, key=timings.__getitem__)
        model = build(None)
        return _time_variants(model, mujoco.MjData(model), repeat)[fastest]


def _stages(model: mujoco.MjModel, data: mujoco.MjData) -> Callable[[], Array]:
    """Return a call that runs only the stages that unconstrained forward dynamics needs and returns u' as (1, nv)."""
    bias, force, result = np.zeros(model.nv), np.zeros((1, model.nv)), np.zeros((1, model.nv))
    applied = data.qfrc_applied

    def call() -> Array:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_factorM(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, bias)
        np.subtract(applied, bias, out=force[0])
        mujoco.mj_solveM(model, data, result, force)
        return result

    return call


def _pipeline(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fwdActuation(model, data)
    mujoco.mj_fwdAcceleration(model, data)


def _time_variants(model: mujoco.MjModel, data: mujoco.MjData, repeat: int) -> dict[str, float]:
    step = best_mean_time(partial(mujoco.mj_step, model, data, _STEPS), repeat) / _STEPS
    return {
        "mj_forward": best_mean_time(partial(mujoco.mj_forward, model, data), repeat),
        "mj_fwd* without constraint stage": best_mean_time(partial(_pipeline, model, data), repeat),
        "bare stages": best_mean_time(_stages(model, data), repeat),
        "mj_step, many at once": step,
    }
