"""Pinocchio on the chain of four-bars and on the scissor lift: `constraintDynamics`, and `lcaba`, the articulated-body
algorithm with loops."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.integrate import ode, solve_ivp

from . import fourbars
from .fourbars import BASE, COM, COUPLER, CRANK, GRAVITY, MASS, MOUNT, ROCKER, TURN, Ending, inertia
from .peer import best_mean_time

Array = NDArray[np.float64]

#: Links in the order in which they are added, rocker first: numbers must be given depth first, or `constraintDynamics`
#: factors a wrong pattern without a word.
_ORDER = (2, 0, 1)
_BACK = (1, 2, 0)

#: Function and proximal parameter. A larger one takes more iterations and loses fewer digits, in `lcaba` only.
_FUNCTIONS = {
    "constraintDynamics": ("constraintDynamics", 1e-8),
    "lcaba 1e-3": ("lcaba", 1e-3),
    "lcaba 1e-4": ("lcaba", 1e-4),
}
_ITERATIONS, _RESIDUAL = 50, 1e-12
#: SciPy's integrators: those of `solve_ivp`, in Python, and those of `ode`, compiled.
_INTEGRATORS = ("solve_ivp DOP853", "ode dopri5", "ode dop853")


def build(n: int) -> tuple[pin.Model, pin.StdVec_RigidConstraintModel]:
    """Model of the tree, and its loops, closed in points: three rows each, of which one is redundant.

    A 6-dimensional constraint would lock the joint that closes the loop, and none of five dimensions is there.
    """
    model = pin.Model()
    model.gravity.linear = np.array([0.0, -GRAVITY, 0.0])
    loops = pin.StdVec_RigidConstraintModel()

    def along(x: float) -> pin.SE3:
        return pin.SE3(np.eye(3), np.array([x, 0.0, 0.0]))

    def add(parent: int, place: pin.SE3, link: int, name: str) -> int:
        joint = model.addJoint(parent, pin.JointModelRZ(), place, name)
        body = pin.Inertia(MASS[link], np.array([*COM[link], 0.0]), np.diag(inertia(link)))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
        return joint

    base, place = 0, pin.SE3.Identity()
    mounted = pin.SE3(pin.utils.rotate("z", TURN), np.array([*MOUNT, 0.0]))
    for k in range(n):
        rocker = add(base, place * along(BASE), 2, f"rocker{k}")
        crank = add(base, place, 0, f"crank{k}")
        coupler = add(crank, along(CRANK), 1, f"coupler{k}")
        ends = (coupler, along(COUPLER), rocker, along(ROCKER))
        loops.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, pin.ReferenceFrame.LOCAL))
        base, place = coupler, mounted
    return model, loops


def build_lift(n: int) -> tuple[pin.Model, pin.StdVec_RigidConstraintModel]:
    """Model of a scissor lift that is free in the plane, as `scissors` has it, closed in points."""
    model = pin.Model()
    model.gravity.linear = np.zeros(3)
    loops = pin.StdVec_RigidConstraintModel()
    bar = pin.Inertia(1.0, np.zeros(3), np.diag([1e-3, 1 / 3, 1 / 3]))
    end, centre = pin.SE3(np.eye(3), np.array([1.0, 0.0, 0.0])), pin.SE3.Identity()
    first = model.addJoint(0, pin.JointModelPX(), centre, "x")
    joint = model.addJoint(model.addJoint(first, pin.JointModelPY(), centre, "y"), pin.JointModelRZ(), centre, "a0")
    model.appendBodyToJoint(joint, bar, centre)
    bars = [joint]
    for k in range(1, 2 * n):  # all but the first bar a have their frames in their first ends, bars b in their centres
        joint = model.addJoint(joint, pin.JointModelRZ(), centre if k == 1 else end, f"bar{k}")
        model.appendBodyToJoint(joint, bar, centre if k % 2 == 1 else end)
        bars.append(joint)
    for k in range(3, 2 * n, 2):
        ends = (bars[k - 3], end if k == 3 else end * end, bars[k], end.inverse())
        loops.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, pin.ReferenceFrame.LOCAL))
    return model, loops


def _arguments(
    build: Callable[[int], tuple[pin.Model, pin.StdVec_RigidConstraintModel]], n: int, name: str
) -> tuple[Any, Any, Any, Any]:
    """Model, data, loops and their data for one function: none may be shared, as one function spoils them for another."""
    model, loops = build(n)
    data, loop_data = model.createData(), pin.StdVec_RigidConstraintData()
    for loop in loops:
        loop_data.append(loop.createData())
    if name == "lcaba":
        pin.computeJointMinimalOrdering(model, data, loops)
    else:
        pin.initConstraintDynamics(model, data, loops, loop_data)
    return model, data, loops, loop_data


def _reordered(x: Array, order: tuple[int, ...]) -> Array:
    """The three values of each four-bar in another order."""
    return np.ascontiguousarray(x.reshape(-1, 3)[:, order]).ravel()


class PinocchioLoops:
    """Pinocchio's two ways to constrained accelerations, driven by SciPy's integrators.

    The loops are not stabilised: over these short runs they open by less than the error allowed, and any correction costs.
    """

    name = "Pinocchio"
    order = 1  # of the error in the setting, which is the tolerance
    first = 1e-5  # setting to try first
    fixed_steps = False

    def __init__(self, n: int) -> None:
        """Build model and data."""
        self.n = n
        self.ways = [f"{function}, {integrator}" for function in _FUNCTIONS for integrator in _INTEGRATORS]
        self.functions = list(_FUNCTIONS)
        self._arguments = {function: _arguments(build, n, name) for function, (name, _) in _FUNCTIONS.items()}
        self._tau = np.zeros(3 * n)

    def _call(self, function: str) -> Callable[[Array, Array], Array]:
        """The function of q and u in Pinocchio's own order."""
        name, parameter = _FUNCTIONS[function]
        (model, data, loops, loop_data), tau = self._arguments[function], self._tau
        solve = getattr(pin, name)
        settings = pin.ProximalSettings(_RESIDUAL, parameter, _ITERATIONS)

        def call(q: Array, u: Array) -> Array:
            return solve(model, data, q, u, tau, loops, loop_data, settings)

        return call

    def accelerations(self, function: str, q: Array, u: Array) -> Array:
        """Joint accelerations at a state."""
        udot = self._call(function)(_reordered(q, _ORDER), _reordered(u, _ORDER))
        return _reordered(np.array(udot), _BACK)

    def seconds(self, function: str, q: Array, u: Array) -> float:
        """Seconds of one evaluation from Python."""
        return best_mean_time(partial(self._call(function), _reordered(q, _ORDER), _reordered(u, _ORDER)), 1)

    def run(self, way: str, setting: float, accuracy: float, duration: float) -> Ending:
        """Integrate from the start with a tolerance of `setting`; the accuracy says nothing here."""
        function, integrator = way.split(", ")
        call, n = self._call(function), 3 * self.n

        def rates(t: float, y: Array) -> Array:
            out = np.empty(2 * n)
            out[:n] = y[n:]
            out[n:] = call(y[:n], y[n:])
            return out

        q, u = fourbars.state(fourbars.start(self.n), np.zeros(self.n))
        y0 = np.concatenate((_reordered(q, _ORDER), u))
        family, method = integrator.split()
        begun = time.perf_counter()
        y = _integrate(family, method, rates, y0, setting, duration)
        seconds = time.perf_counter() - begun
        return Ending(_reordered(y[:n], _BACK), _reordered(y[n:], _BACK), seconds)


def _integrate(
    family: str, method: str, rates: Callable[[float, Array], Array], y0: Array, tolerance: float, duration: float
) -> Array:
    """The end of a run by one of SciPy's integrators."""
    if family == "solve_ivp":
        found = solve_ivp(rates, (0.0, duration), y0, method=method, rtol=tolerance, atol=tolerance)
        if not found.success:
            raise RuntimeError(found.message)
        return found.y[:, -1]
    solver = ode(rates).set_integrator(method, rtol=tolerance, atol=tolerance, nsteps=1_000_000)
    solver.set_initial_value(y0, 0.0)
    y = solver.integrate(duration)
    if not solver.successful():
        raise RuntimeError(f"{method} gave up")
    return y


class PinocchioLift:
    """Pinocchio's two ways to the accelerations of a scissor lift."""

    def __init__(self, n: int) -> None:
        """Build model and data."""
        self.functions = list(_FUNCTIONS)
        self._arguments = {function: _arguments(build_lift, n, name) for function, (name, _) in _FUNCTIONS.items()}
        self._tau = np.zeros(2 * n + 2)

    def _call(self, function: str, q: Array, u: Array) -> Callable[[], Array]:
        name, parameter = _FUNCTIONS[function]
        model, data, loops, loop_data = self._arguments[function]
        settings = pin.ProximalSettings(_RESIDUAL, parameter, _ITERATIONS)
        return partial(getattr(pin, name), model, data, q, u, self._tau, loops, loop_data, settings)

    def accelerations(self, function: str, q: Array, u: Array) -> Array:
        """Joint accelerations at a state."""
        return np.array(self._call(function, q, u)())

    def seconds(self, function: str, q: Array, u: Array) -> float:
        """Seconds of one evaluation from Python."""
        return best_mean_time(self._call(function, q, u), 1)
