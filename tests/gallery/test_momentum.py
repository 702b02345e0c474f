"""Angular momentum about the mass centre of spacecraft and vehicles of the gallery: it changes by the integral of outside
torque, worked out here from forces and the places they act at, and jumps by the moment of impulses."""

from itertools import pairwise

import numpy as np
import pytest
from runs import gallery_run
from scipy.interpolate import make_interp_spline

from kaneflex.gallery import magnetic_damper

#: Nothing acts from outside, or uniform gravity alone; the audit must say so, and what leaves is counted in.
ALONE = (
    "capturing-arm", "dual-spin", "flywheel-storage", "free-beam", "spinning-spacecraft", "tilt-rotor", "torque-free-body",
)  # fmt: skip


def moment(run, places, forces):
    """Torque of forces (inertial axes) at places, about the mass centre."""
    centre = run["mass_centre.position"]
    return sum(np.cross(np.asarray(r) - centre, f) for r, f in zip(places, forces, strict=True))


def thrust_of_the_rocket(run, p):
    return moment(run, [run["nozzle.position"]], [p["thrust"] * run["nozzle.rotation"][:, :, 0]])


def thrust_of_the_tractor(run, p):
    return moment(run, [run["spacecraft.position"]], [run["thrust"][:, None] * np.array([1.0, 0.0, 0.0])])


def feet(run, p):
    closed = [foot for foot in ("left", "right") if foot in run.plan.index.constraints]
    places, forces = [run[f"lander.{foot}.position"] for foot in closed], [run.loads(foot).force for foot in closed]
    return moment(run, places, forces) + np.zeros((len(run.t), 3))


def field_and_gravity(run, p):
    """m x B on the ball, and 3 n^2 u x I u, u along the vertical."""
    orbit, n = magnetic_damper.orbit(p), magnetic_damper.orbit(p).rate
    up = np.column_stack([np.cos(n * run.t), 0 * run.t, np.sin(n * run.t)])
    size = magnetic_damper.Dipole().strength * (magnetic_damper.EARTH / orbit.semi_major_axis) ** 3
    B = size * (np.array([0.0, 0.0, 1.0]) - 3 * up * up[:, 2:])
    magnet = p["magnet"] * run["damper_ball.rotation"][:, :, 0]
    return np.cross(magnet, B) + 3 * n**2 * np.cross(up, np.einsum("nij,nj->ni", run["mass_centre.inertia"], up))


#: The outside torque; what is left of the balance, by the samples being apart, of the largest momentum; the first sample:
#: the ball of the damper swings to and fro about the field at first, faster than samples tell. The slewed spacecraft, whose
#: torque jumps, and the station have checks of their own, exact.
ACTED_ON = {
    "flexible-rocket": (thrust_of_the_rocket, 1e-5, 0),
    "gravity-tractor": (thrust_of_the_tractor, 1e-4, 0),
    "lander": (feet, 1e-8, 0),
    "tipping-lander": (feet, 1e-8, 0),
    "magnetic-damper": (field_and_gravity, 1e-7, 40),
}


def unexplained(run, p, torque, first=0):
    """Largest change of the momentum that the torque does not explain, of the largest momentum."""
    size = left = 0.0
    segments = [*run.segments, run.last] if run.segments else [run]
    for part in segments:
        every = np.flatnonzero(np.concatenate([[True], np.diff(part.t) > 1e-9]))[first:]
        t, H = part.t[every], part["momentum.central"][every]
        size = max(size, float(np.abs(H).max()))
        if len(t) > 8:
            given = make_interp_spline(t, torque(part, p)[every], 7).antiderivative()(t)
            left = max(left, float(np.abs(H - H[0] - given + given[0]).max()))
    for before, after in pairwise(segments):
        pushes = dict(before.impacts[-1].impulses)
        if not pushes:  # of constraints that come and go, whose impulses are not told apart
            continue
        jump, centre = after["momentum.central"][0] - before["momentum.central"][-1], before["mass_centre.position"][-1]
        given = sum(np.cross(before[f"lander.{foot}.position"][-1] - centre, P) for foot, P in pushes.items())
        left = max(left, float(np.abs(jump - given).max()))
    return left / size


@pytest.mark.parametrize("name", ALONE)
def test_momentum_stays(name):
    run, _ = gallery_run(name)
    drift = run.audit.angular_momentum_drift
    assert drift is not None and drift <= run.audit.limit


@pytest.mark.parametrize("name", ACTED_ON)
def test_momentum_is_the_integral_of_outside_torque(name):
    torque, limit, first = ACTED_ON[name]
    run, p = gallery_run(name)
    found = unexplained(run, p, torque, first)
    assert found < limit
    assert unexplained(run, p, lambda part, p: 1.01 * torque(part, p), first) > 10 * limit  # another torque is noticed
