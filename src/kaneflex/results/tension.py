"""Contacts that were pulled: a plane pushes, so that a closed contact in tension should have opened."""

from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import redundant_equations
from kaneflex.plan.build import build
from kaneflex.simulate.contact.closing import closed, friction_of, normal_multiplier, release, state_of
from kaneflex.simulate.contact.friction_law import ContactPoint, can_all_stay
from kaneflex.simulate.contact.kinematics import ContactKinematics, mobility
from kaneflex.simulate.contact.states import ContactState
from kaneflex.simulate.contact.thresholds import NO_SLIP
from kaneflex.simulate.trajectory import Trajectory

Array = np.ndarray
UNFELT = 1e-9  # m/s^2: a force that gives less to the whole mass is none


def pulled(trajectory: Trajectory, mass: float, limit: float) -> tuple[tuple[float, str, float], ...]:
    """Of every closed contact in tension at a sample: time, name and normal force, N, where it is pulled most.

    `mass` is that of the system, kg; forces below `limit` of the largest count as rounding. Where closed contacts are
    redundant, their shares in a load are not determined: none is in tension as long as some shares without tension, and
    within the cones of friction, move the system alike.
    """
    tr, model = trajectory, trajectory.plan.model
    names = closed(model)
    if not names or not len(tr.t):
        return ()
    _, _, multipliers = tr.dynamics.loads(tr.t, tr.y, tr.inputs)
    forces = {n: np.array([normal_multiplier(tr.dynamics, model, n, row) for row in multipliers]) for n in names}
    weight = mass * float(np.linalg.norm(model.gravity))
    least = -limit * max(float(np.abs(multipliers).max()), weight, mass * UNFELT / limit)
    suspects = np.flatnonzero(np.min([forces[n] for n in names], axis=0) < least).tolist()
    bad = [k for k in suspects if not _has_other_shares(tr, k, multipliers[k], limit)]
    found = []
    for n in names:
        most = min(bad, key=lambda k: forces[n][k], default=None)
        if most is not None and forces[n][most] < least:
            found.append((float(tr.t[most]), n, float(forces[n][most])))
    return tuple(found)


def _has_other_shares(trajectory: Trajectory, k: int, multipliers: Array, limit: float) -> bool:
    """Whether contact forces without tension, other than those of sample k, move the system as these do."""
    tr, model = trajectory, trajectory.plan.model
    q, u, _ = tr.plan.layout.split(tr.y[k])
    t, names = float(tr.t[k]), closed(model)
    if not redundant_equations(tr.dynamics, t, q, u):
        return False
    opened = model
    for n in names:
        opened = release(opened, n)
    free = Dynamics(build(opened, tr.options.formulation, tr.options.speeds))
    places = [ContactKinematics(free, model.contacts[n], t, q) for n in names]
    K, _ = mobility(places)
    x, held, points = np.zeros(3 * len(names)), np.zeros(3 * len(names), bool), []
    for m, (n, place) in enumerate(zip(names, places, strict=True)):
        contact, rows = model.contacts[n], multipliers[tr.plan.index.constraints[n]]
        friction = contact.friction * (1 + limit)
        if state_of(model, n) is ContactState.STICKING:
            x[3 * m : 3 * m + 3], held[3 * m : 3 * m + 3] = rows, True
            points.append(ContactPoint(friction, sticks=contact.after == "stick"))
            continue
        held[3 * m + 2], x[3 * m + 2] = True, rows[0]
        if friction_of(n) in model.loads:
            along = _direction(model.loads[friction_of(n)], t, place.velocity(u)[:2])
            points.append(ContactPoint(contact.friction, along))
            x[3 * m : 3 * m + 2] = -contact.friction * rows[0] * along
        else:
            points.append(ContactPoint(0.0))
    return can_all_stay(K, np.where(held, -K @ x, 0.0), points)


def _direction(load: Any, t: float, slip: Array) -> Array:
    """Unit vector that friction opposes, in the plane's first two axes."""
    angle = np.polyval(load.angle[::-1], t - load.since)
    along = np.array([np.cos(angle), np.sin(angle)])
    if load.until is None:
        along = slip + NO_SLIP * along
    return np.asarray(along / np.hypot(*along))
