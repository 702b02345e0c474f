"""What bodies of variable mass have let go: the momentum that left a system, from the samples of its run.

With c the mass centre of what is there and P all momentum, of the flow in the bodies too, m_e that leaves at r_e with the
velocity v_e takes along, of the angular momentum H about c,

    (P + sum of m_e v_e - m gravity)' = 0 ,    H' = -sum (r_e - c) x m_e v_e - c' x P + outside torque about c .
"""

from typing import NamedTuple

import numpy as np

from kaneflex.kernels import energy as E
from kaneflex.kernels import sensors
from kaneflex.kernels.bodies import variable_mass as V
from kaneflex.model.checks import ModelError
from kaneflex.model.drained import DrainedMass
from kaneflex.model.variable_mass import VariableMass
from kaneflex.plan.channels import SensorTable
from kaneflex.simulate.simulate import Trajectory

_ORDER = 7  # of the splines that are integrated


class Departed(NamedTuple):
    """At every sample: momentum of the contents' flow in the bodies and of all that left since the first, inertial axes.

    Attributes:
        linear: less what uniform gravity gave since the first sample, kg m/s.
        central: angular, about the mass centre of what was there at each instant, kg m^2/s.
        error: of each by the samples being apart, as far as every other sample tells.
        spent: (time, body) of bodies without mass left.
    """

    linear: np.ndarray
    central: np.ndarray
    error: tuple[float, float]
    spent: tuple[tuple[float, str], ...]


def departed(trajectory: Trajectory) -> Departed | None:
    """What left over a trajectory; None without bodies of variable mass. Refuses one whose functions a file did not hold."""
    tr, index = trajectory, trajectory.plan.index
    names = [name for name, part in tr.plan.model.parts.items() if isinstance(part.body, VariableMass | DrainedMass)]
    if not names:
        return None
    if tr.plan.missing:
        lost = ", ".join(f'"{name}"' for name in tr.plan.missing)
        raise ModelError(f"the audit needs functions that the file could not hold: load it with functions for {lost}")
    inside, flux, spent = np.zeros((2, len(tr.t), 3)), np.zeros((2, len(tr.t), 3)), []
    sums, _ = tr.dynamics.sample(tr.t, tr.y, tr.inputs)
    centre, drift, own = (sums[:, k : k + 3] for k in (E.CENTRE, E.CENTRE_VELOCITY, E.LINEAR_MOMENTUM))
    for name in names:
        outputs, R, p, v, omega = _motion(tr, index.joints[name].row, index.own_outputs[name])
        for of, (linear, angular) in zip((inside, flux), _momenta(outputs, v, omega), strict=True):
            turned = np.einsum("nij,nj->ni", R, linear)
            of[0] += turned
            of[1] += np.cross(p - centre, turned) + np.einsum("nij,nj->ni", R, angular)
        empty = np.flatnonzero(~(outputs[:, V.VM_MASS] > 0))
        spent += [(float(tr.t[k]), name) for k in empty[:1]]
    flux[0] -= sums[:, [E.TOTAL_MASS]] * np.array(tr.plan.model.gravity)
    flux[1] += np.cross(drift, own + inside[0])
    left, error = _integrals(tr.t, flux)
    if any(tr.t[0] < t < tr.t[-1] for t in tr.plan.breaks):
        error = (np.inf, np.inf)  # flows may jump there, which sets contents in motion at once
    return Departed(inside[0] + left[0], inside[1] + left[1], error, tuple(spent))


def _motion(tr: Trajectory, row: int, place: int) -> tuple[np.ndarray, ...]:
    """Outputs of a body's function, and orientation, place, velocity and angular velocity (axes of M) of its frame M."""
    table = SensorTable()
    own = table.add(sensors.SENSE_SIGNAL, V.VM_OUTPUTS, index=place)
    kinds = ((sensors.SENSE_ROTATION, 9), (sensors.SENSE_POSITION, 3), (sensors.SENSE_VELOCITY, 3), (sensors.SENSE_OMEGA, 3))
    places = [table.add(kind, size, body=row) for kind, size in kinds]
    values, _ = tr.dynamics.channels(tr.t, tr.y, *table.arrays(), table.size, tr.inputs)
    R, p, v, omega = (values[:, at] for at in places)
    R = R.reshape(-1, 3, 3)
    return values[:, own], R, p, np.einsum("nji,nj->ni", R, v), omega


def _momenta(outputs: np.ndarray, v: np.ndarray, omega: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Linear and angular momentum (about M, in its axes) of the flow inside, and what leaves of both per second.

    The latter are sum m_e (v + omega x r_e + c_e) and sum r_e x m_e (v + omega x r_e + c_e).
    """

    def three(first: int) -> np.ndarray:
        return outputs[:, first : first + 3]

    K = np.zeros((len(outputs), 3, 3))
    K[:, *np.triu_indices(3)] = outputs[:, V.VM_JET : V.VM_JET + 6]
    K = K + np.triu(K, 1).transpose(0, 2, 1)
    arm = three(V.VM_FLOW) - three(V.VM_MOMENT_RATE)  # sum m_e r_e
    linear = -outputs[:, [V.VM_MASS_RATE]] * v + np.cross(omega, arm) + three(V.VM_EXIT_FORCE)
    angular = np.cross(arm, v) + np.einsum("nij,nj->ni", K, omega) + three(V.VM_EXIT_TORQUE)
    return (three(V.VM_FLOW), three(V.VM_SWIRL)), (linear, angular)


def _integrals(t: np.ndarray, flux: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """Integrals of two vectors from the first sample on, and what they are off by as every other sample tells."""
    from scipy.interpolate import make_interp_spline

    every = np.flatnonzero(np.concatenate([[True], np.diff(t) > 0]))  # events are sampled twice
    if len(every) < 2 * (_ORDER + 1) or not np.isfinite(flux).all():  # too few, or without any mass left
        return np.zeros_like(flux), (np.inf, np.inf)
    left, error = np.zeros_like(flux), []
    for k in (0, 1):
        left[k], coarse = (make_interp_spline(t[n], flux[k][n], _ORDER).antiderivative()(t) for n in (every, every[::2]))
        error.append(float(np.abs(left[k] - coarse)[: every[::2][-1] + 1].max()))
    return left, (error[0], error[1])
