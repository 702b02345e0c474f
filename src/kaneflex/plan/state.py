"""A state by name: time, coordinates and relative rates, whatever the generalized speeds of a run are."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model, unit_quaternion
from kaneflex.model.typed import typed
from kaneflex.plan.plan import Index, Plan


@typed
class State:
    """Time t (s), coordinates q and relative rates w as arrays, and each of them by name.

    Names: "body.q", "body.rate", "body.<coordinate>", "rotor.rate".

    Args:
        index: where names stand in the arrays.
        t: s.
        q: coordinates, rad, m and quaternions.
        rates: relative rates w, rad/s and m/s.
    """

    def __init__(self, index: Index, t: float, q: np.ndarray, rates: np.ndarray):
        self._index = index
        self.t = float(t)
        self.q = np.array(q, float)
        self.rates = np.array(rates, float)

    def _place(self, name: str) -> tuple[np.ndarray, slice]:
        if not isinstance(name, str):
            raise ModelError(f'a state has no {checks.shown(name)}: give a name, e.g. "arm.q"')
        head, _, tail = name.partition(".")
        if head in self._index.rotors and tail == "rate":
            k = self._index.rotors[head]
            return self.rates, slice(k, k + 1)
        checks.known(head, [*self._index.joints, *self._index.rotors], "body or rotor")
        joint = self._index.joints[head]
        if tail == "q":
            return self.q, slice(joint.q0, joint.q0 + joint.coordinates)
        if tail == "rate":
            return self.rates, slice(joint.u0, joint.u0 + joint.speeds)
        if head in self._index.modes and tail in ("modes", "modes_rate"):
            modes = self._index.modes[head]
            first, array = (modes.q0, self.q) if tail == "modes" else (modes.u0, self.rates)
            return array, slice(first, first + modes.modes)
        modal = ("modes", "modes_rate") if head in self._index.modes else ()
        checks.known(tail, ("q", "rate", *joint.coordinate_names, *modal), f'"{head}" has no')
        k = joint.q0 + joint.coordinate_names.index(tail)
        return self.q, slice(k, k + 1)

    def __getitem__(self, name: str) -> Any:
        array, place = self._place(name)
        values = array[place]
        return float(values[0]) if len(values) == 1 else values.copy()

    def __setitem__(self, name: str, value: Any) -> None:
        array, place = self._place(name)
        n = place.stop - place.start
        array[place] = checks.several(value, n, f'"{name}"')

    def copy(self) -> "State":
        """An independent copy."""
        return State(self._index, self.t, self.q, self.rates)

    def __repr__(self) -> str:
        q, rates = (np.array2string(x, precision=4) for x in (self.q, self.rates))
        return f"State(t={self.t:g}, q={q}, rates={rates})"


def initial_state(plan: Plan, initial: Mapping[str, Any] | None = None, t: float = 0.0) -> State:
    """The state that the model starts from, with `initial` values by name put in.

    With coordinates given, every joint must have its own from there or from `add`; rates default to rest.
    """
    model, index = plan.model, plan.index
    q, rates = np.zeros(plan.nq), np.zeros(plan.nu)
    for name, part in model.parts.items():
        joint = index.joints[name]
        q[joint.q0 : joint.q0 + joint.coordinates] = part.joint.facts.neutral if part.q is None else part.q
        if part.rates is not None:
            rates[joint.u0 : joint.u0 + joint.speeds] = part.rates
    for name, (_, rotor) in model.rotors.items():
        rates[index.rotors[name]] = rotor.rate
    state = State(index, t, q, rates)
    if initial is not None:
        _put_in(model, state, initial)
    return state


def state_of(plan: Plan, given: "Mapping[str, Any] | State | None", what: str, t: float = 0.0) -> State:
    """A state of the plan's system from what a user gave: a State, initial values by name, or None for the initial state.

    Args:
        plan: of the system.
        given: what the user gave.
        what: what it is, for messages.
        t: time of a state that is not given whole, s.
    """
    if isinstance(given, State):
        if given.q.shape != (plan.nq,) or given.rates.shape != (plan.nu,):
            raise ModelError(
                f"the {what} has {len(given.q)} coordinates and {len(given.rates)} rates, "
                f'system "{plan.model.name}" has {plan.nq} and {plan.nu}: take it from this system'
            )
        return given
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(f'the {what} is {checks.shown(given)}: give a State, or values by name, e.g. {{"arm.q": 0.3}}')
    return initial_state(plan, given, t)


def _put_in(model: Model, state: State, initial: Mapping[str, Any]) -> None:
    for name, value in initial.items():
        state[name] = value
    others = ("rate", "modes", "modes_rate")
    placing = any(name.partition(".")[2] not in others for name in initial)
    for name, part in model.parts.items():
        facts = part.joint.facts
        given = {f"{name}.q", *(f"{name}.{c}" for c in facts.coordinate_names)} & set(initial)
        if placing and facts.coordinates and part.q is None and not given and not _is_given(model, name):
            raise ModelError(f'initial values of "{name}.q" are missing: give them in initial= or in add(..., q=...)')
        joint = state._index.joints[name]
        if joint.quaternion is not None:
            place = slice(joint.q0, joint.q0 + joint.coordinates)
            state.q[place] = unit_quaternion(part.joint, tuple(state.q[place]), f'initial "{name}.q"')


def _is_given(model: Model, name: str) -> bool:
    """Whether a joint starts from what the model itself says: a base, or a joint whose coordinates follow motions."""
    joint = model.parts[name].joint
    prescribed = joint.motion is not None and len(joint.motions(f'joint "{name}"')) == joint.facts.coordinates
    return prescribed or (model.base is not None and name in ("base", "base_origin"))


__all__ = ["State", "initial_state", "state_of"]
