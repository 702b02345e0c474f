"""Pinocchio: the articulated-body algorithm, through `pinocchio.aba` with preallocated model, data and arrays."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from .peer import Peer, best_mean_time
from .tree import Tree

Array = NDArray[np.float64]

#: `pinocchio.Data` allocates tensors of n^3 entries; above this size it exhausts the memory of ordinary machines.
MOST_JOINTS = 400

_CONVENTIONS = {"aba, local convention": pin.Convention.LOCAL, "aba, world convention": pin.Convention.WORLD}


def build(tree: Tree) -> pin.Model:
    """Return the Pinocchio model of the tree; raise ValueError above `MOST_JOINTS`."""
    if tree.n > MOST_JOINTS:
        raise ValueError(
            f"{tree.n} joints: Pinocchio's Data allocates n^3 tensors and exhausts memory; at most {MOST_JOINTS} here"
        )
    model = pin.Model()
    model.gravity.linear = tree.gravity
    for i in range(tree.n):
        placement = pin.SE3(tree.R_PJ[i], tree.p_PJ[i])
        joint = model.addJoint(int(tree.parent[i]) + 1, pin.JointModelRZ(), placement, f"joint{i}")
        model.appendBodyToJoint(joint, pin.Inertia(tree.mass[i], tree.com[i], tree.inertia[i]), pin.SE3.Identity())
    order = [model.joints[i + 1].idx_v for i in range(tree.n)]
    if order != list(range(tree.n)):
        raise RuntimeError("Pinocchio numbered the joints in another order than the tree")
    return model


class PinocchioPeer(Peer):
    """`pinocchio.aba`, in its local (default) and world conventions.

    The binding copies q, v and tau into Eigen vectors at each call: part of its interface, O(n) and small.
    """

    name = "Pinocchio"
    version = pin.__version__

    def __init__(self, tree: Tree) -> None:
        """Build model and data."""
        super().__init__(tree)
        self.model = build(tree)
        self.data = self.model.createData()

    def accelerations(self, q: Array, u: Array, tau: Array) -> Array:
        """Forward dynamics by `aba`, local convention."""
        return np.array(pin.aba(self.model, self.data, q, u, tau))

    def variant_seconds(self, repeat: int = 5) -> dict[str, float]:
        """Seconds of one `aba` in each convention."""
        state = self.tree.state()
        return {
            name: best_mean_time(partial(pin.aba, self.model, self.data, *state, convention), repeat)
            for name, convention in _CONVENTIONS.items()
        }

    def call_overhead(self, repeat: int = 5) -> float:
        """Seconds of the same `aba` call on a model without joints: argument conversion and dispatch only."""
        model, nothing = pin.Model(), np.zeros(0)
        data = model.createData()
        call = partial(pin.aba, model, data, nothing, nothing, nothing, pin.Convention.LOCAL)
        return best_mean_time(call, repeat)


def arm_solve_ivp(
    tree: Tree, q0: Array, u0: Array, t_end: float, rtol: float, atol: float
) -> tuple[Array, Array, float, int]:
    """Simulate the unforced tree by SciPy's RK45 driven by `aba`.

    Return the step times, the final state (q, u), the seconds of the integration (model building excluded) and the
    number of evaluations. The faster of the two conventions is used, chosen by a short timing beforehand.
    """
    peer, n = PinocchioPeer(tree), tree.n
    timings = peer.variant_seconds(repeat=3)
    convention = _CONVENTIONS[min(timings, key=timings.__getitem__)]
    model, data, tau, y_dot = peer.model, peer.data, np.zeros(n), np.empty(2 * n)

    def rhs(t: float, y: Array) -> Array:
        y_dot[:n] = y[n:]
        y_dot[n:] = pin.aba(model, data, y[:n], y[n:], tau, convention)
        return y_dot.copy()

    start = time.perf_counter()
    solution = solve_ivp(rhs, (0.0, t_end), np.concatenate((q0, u0)), method="RK45", rtol=rtol, atol=atol)
    seconds = time.perf_counter() - start
    if not solution.success:
        raise RuntimeError(solution.message)
    return solution.t, solution.y[:, -1], seconds, int(solution.nfev)
