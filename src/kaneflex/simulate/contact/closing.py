"""A contact's state as part of a model: the constraint of the contact's name, and its friction as a load.

A sliding contact is a `PointOnPlane`, with a `SlidingFriction` where there is friction; a sticking one a spherical closure.
Open and unloaded contacts have neither.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.constraints import Closure, PointOnPlane
from kaneflex.model.forces import SlidingFriction
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Spherical
from kaneflex.model.model import GROUND, Model
from kaneflex.simulate.changes import editable_copy
from kaneflex.simulate.contact.kinematics import ContactKinematics
from kaneflex.simulate.contact.states import ContactState

Array = np.ndarray


def friction_of(name: str) -> str:
    """Name of the load that is a contact's friction."""
    return f"{name}.friction"


def closed(model: Model) -> list[str]:
    """Contacts that are closed at present: there is a constraint of the same name."""
    return [name for name in model.contacts if name in model.constraints]


def state_of(model: Model, name: str, unloaded: Sequence[str] = ()) -> ContactState:
    """The state of a contact in a model, `unloaded` being those that touch without being held."""
    if name not in model.constraints:
        return ContactState.UNLOADED if name in unloaded else ContactState.OPEN
    return ContactState.SLIDING if isinstance(model.constraints[name], PointOnPlane) else ContactState.STICKING


def impose(model: Model, name: str, state: ContactState, place: ContactKinematics, slip: Array | None) -> Model:
    """The model with a contact in a state; of one that slides against friction, `slip` is where to, in axes of the plane."""
    if state is ContactState.SLIDING:
        return slide(model, name, slip)
    return stick(model, name, place) if state is ContactState.STICKING else release(model, name)


def slide(model: Model, name: str, slip: Array | None = None) -> Model:
    """The model with a contact's point on its plane, where it slides against friction in the direction of `slip`; without
    friction when None."""
    other = release(model, name)
    contact = model.contacts[name]
    other.constraints.put(name, PointOnPlane(contact.point, contact.on))
    if slip is not None and contact.after != "stick" and contact.friction > 0:
        other.loads.put(friction_of(name), SlidingFriction(name, (float(np.arctan2(slip[1], slip[0])),)))
    return other


def stick(model: Model, name: str, place: ContactKinematics) -> Model:
    """The model with a contact's point where it is on its plane."""
    other, contact = release(model, name), model.contacts[name]
    body = contact.on.partition(".")[0]
    end: Any = Frame.of(place.R, place.point)
    if body != GROUND:
        R, p = place.values[f"{body}.rotation"], place.values[f"{body}.position"]
        at = Frame.of(R.T @ place.R, R.T @ (place.point - p))
        other.frames.put(body, {**other.frames[body], f"sticking {name}": at})
        end = f"{body}.sticking {name}"
    other.constraints.put(name, Closure(end, contact.point, Spherical()))
    return other


def release(model: Model, name: str) -> Model:
    """The model with a contact's point free."""
    other = editable_copy(model)
    other.constraints.pop(name, None)
    other.loads.pop(friction_of(name), None)
    return other


def sticks_by_friction(model: Model, name: str) -> bool:
    """Whether a closed contact sticks as long as friction suffices."""
    contact = model.contacts[name]
    sticks = state_of(model, name) is ContactState.STICKING
    return bool(sticks and contact.after != "stick" and contact.friction > 0)


def normal_row(model: Model, name: str) -> int:
    """Which equation of a closed contact's constraint is along the normal; those along the plane come before."""
    return 0 if state_of(model, name) is ContactState.SLIDING else 2


def normal_multiplier(dynamics: Dynamics, model: Model, name: str, multipliers: Array) -> float:
    """Normal multiplier (or impulse) of a closed contact, N: positive where its plane pushes."""
    return float(multipliers[dynamics.plan.index.constraints[name].start + normal_row(model, name)])


def margin(dynamics: Dynamics, model: Model, name: str, multipliers: Array) -> float:
    """What is left before a closed contact opens or slips: its normal multiplier, or what friction may hold beyond what it
    does hold."""
    normal = normal_multiplier(dynamics, model, name, multipliers)
    if not sticks_by_friction(model, name):
        return normal
    first = dynamics.plan.index.constraints[name].start
    return model.contacts[name].friction * normal - float(np.hypot(*multipliers[first : first + 2]))
