"""A state by name: time, coordinates and relative rates, whatever the generalized speeds of a run are."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.joints import unit_quaternion
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.plan.plan import Index, Plan


@typed
class State:
    """Time t (s), coordinates q and relative rates w as arrays, and each of them by name.

    Names: "body.q", "body.rate", "body.<coordinate>", "body.<coordinate>.rate" (where a quaternion describes the joint
    "body.wx", "body.wy", "body.wz", angular velocity, and "body.vx", "body.vy", "body.vz", velocity, in the child's axes),
    "rotor.rate", "block.z", "block.<state>".

    Args:
        index: where names stand in the arrays.
        t: s.
        q: coordinates, rad, m and quaternions.
        rates: relative rates w, rad/s and m/s.
        z: states of blocks; those at the start when None.
        given: which of q and of the rates somebody asked for, as two arrays of bool; None where that is not known. Values
            set by name are. Assembling keeps them before others.
    """

    def __init__(
        self,
        index: Index,
        t: float,
        q: np.ndarray,
        rates: np.ndarray,
        given: tuple[np.ndarray, np.ndarray] | None = None,
        z: np.ndarray | None = None,
    ):
        self._index = index
        self.t, self.q, self.rates = t, q, rates
        self.z = np.zeros(len(index.states)) if z is None else z
        if given is not None and not (
            len(given) == 2 and all(np.shape(g) == x.shape for g, x in zip(given, (self.q, self.rates), strict=True))
        ):
            raise ModelError(f"given has {len(given)} arrays: give one for q and one for the rates, as long as these")
        self.given = None if given is None else (np.array(given[0], bool), np.array(given[1], bool))

    @classmethod
    def _of(
        cls,
        index: Index,
        t: float,
        q: np.ndarray,
        rates: np.ndarray,
        given: tuple[np.ndarray, np.ndarray] | None,
        z: np.ndarray,
    ) -> "State":
        """The same of arrays that are right already, which are copied: many runs begin by it."""
        state = cls.__new__(cls)
        state._index, state._t = index, t
        state._q, state._rates, state._z = q.copy(), rates.copy(), z.copy()
        state.given = None if given is None else (given[0].copy(), given[1].copy())
        return state

    @property
    def t(self) -> float:
        """Time, s."""
        return self._t

    @t.setter
    def t(self, value: Any) -> None:
        self._t = checks.number(value, "time t of a state")

    @property
    def q(self) -> np.ndarray:
        """Coordinates, rad, m and quaternions."""
        return self._q

    @q.setter
    def q(self, value: Any) -> None:
        self._q = checks.sized(value, len(self._index.coordinates), "q of a state").copy()

    @property
    def rates(self) -> np.ndarray:
        """Relative rates, rad/s and m/s."""
        return self._rates

    @rates.setter
    def rates(self, value: Any) -> None:
        self._rates = checks.sized(value, len(self._index.rates), "rates of a state").copy()

    @property
    def z(self) -> np.ndarray:
        """States of blocks."""
        return self._z

    @z.setter
    def z(self, value: Any) -> None:
        self._z = checks.sized(value, len(self._index.states), "z of a state").copy()

    @property
    def system(self) -> str:
        """Name of the system that it is a state of."""
        return self._index.system

    def _place(self, name: str) -> tuple[np.ndarray, slice]:
        if not isinstance(name, str):
            raise ModelError(f'a state has no {checks.shown(name)}: give a name, e.g. "arm.q"')
        found = self._index.of_states.get(name)
        if found is None:
            found = self._index.of_states[name] = self._look_up(name)
        return getattr(self, found[0]), found[1]

    def _look_up(self, name: str) -> tuple[str, slice]:
        """Which array of a state has the values of a name, and where."""
        index = self._index
        for array, names in (("rates", index.rates), ("q", index.coordinates), ("z", index.states)):
            if name in names:
                k = names.index(name)
                return array, slice(k, k + 1)
        head, _, tail = name.partition(".")
        moving = head in self._index.joints or head in self._index.rotors  # a part's block may be called as its body is
        if head in self._index.blocks and (tail == "z" or not moving):
            block = self._index.blocks[head]
            if tail != "z":
                raise ModelError(f'block "{head}" has no state "{tail}": it has {", ".join(("z", *block.states))}')
            return "z", slice(block.z0, block.z0 + len(block.states))
        if head in self._index.rods:
            return self._of_rod(head, tail)
        checks.known(head, [*self._index.joints, *self._index.rotors, *self._index.blocks], "body, rotor or block")
        if head in self._index.rotors:
            raise ModelError(f'rotor "{head}" has no "{tail}", only a "rate"')
        joint = self._index.joints[head]
        if tail == "q":
            return "q", slice(joint.q0, joint.q0 + joint.coordinates)
        if tail == "rate":
            return "rates", slice(joint.u0, joint.u0 + joint.speeds)
        if head in self._index.modes and tail in ("modes", "modes_rate"):
            modes = self._index.modes[head]
            first, array = (modes.q0, "q") if tail == "modes" else (modes.u0, "rates")
            return array, slice(first, first + modes.modes)
        modal = ("modes", "modes_rate") if head in self._index.modes else ()
        rates = [n.removeprefix(f"{head}.") for n in self._index.rates[joint.u0 : joint.u0 + joint.speeds]]
        known = ("q", "rate", *joint.coordinate_names, *rates, *modal)
        raise ModelError(f'"{head}" has no "{tail}": it has {", ".join(known)}')

    def _of_rod(self, rod: str, word: str) -> tuple[str, slice]:
        """Coordinates or rates of all joints of a rod, from root to tip."""
        if word not in ("q", "rate"):
            raise ModelError(f'rod "{rod}" has no "{word}": it has q and rate, of all its joints; name segments for others')
        joints = [self._index.joints[name] for name in self._index.rods[rod].segments]
        first, last = joints[0], joints[-1]
        if word == "q":
            return "q", slice(first.q0, last.q0 + last.coordinates)
        return "rates", slice(first.u0, last.u0 + last.speeds)

    def __getitem__(self, name: str) -> Any:
        array, place = self._place(name)
        values = array[place]
        return float(values[0]) if len(values) == 1 else values.copy()

    def __setitem__(self, name: str, value: Any) -> None:
        array, place = self._place(name)
        n = place.stop - place.start
        array[place] = checks.several(value, n, f'"{name}"')
        if self.given is None:
            self.given = np.zeros(len(self.q), bool), np.zeros(len(self.rates), bool)
        if array is not self.z:
            self.given[0 if array is self.q else 1][place] = True

    def copy(self) -> "State":
        """An independent copy."""
        return State._of(self._index, self.t, self.q, self.rates, self.given, self.z)

    def __repr__(self) -> str:
        q, rates, z = (np.array2string(x, precision=4) for x in (self.q, self.rates, self.z))
        return f"State(t={self.t:g}, q={q}, rates={rates}{f', z={z}' if len(self.z) else ''})"


def initial_state(plan: Plan, initial: Mapping[str, Any] | None = None, t: float = 0.0) -> State:
    """The state that the model starts from, with `initial` values by name put in.

    With coordinates given, every joint must have its own from there or from `add`; rates default to rest.
    """
    if plan.declared is None or plan.declared[0] != plan.model.changes:  # many runs may start from the same
        plan.declared = plan.model.changes, _declared(plan), set()
    _, (q, rates, given, z), complete = plan.declared
    state = State._of(plan.index, t, q, rates, given, z)
    if initial is not None:
        put_in(plan.model, state, initial)
        names = frozenset(initial)
        if names not in complete:
            _check_complete(plan, initial)
            complete.add(names)
    return state


def _declared(plan: Plan) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Coordinates, rates, which of them somebody asked for, and states of blocks that the model starts from."""
    model, index = plan.model, plan.index
    q, rates = np.zeros(plan.nq), np.zeros(plan.nu)
    given = np.zeros(plan.nq, bool), np.zeros(plan.nu, bool)
    for name, part in model.parts.items():
        joint = index.joints[name]
        place = slice(joint.q0, joint.q0 + joint.coordinates)
        q[place] = part.joint.facts.neutral if part.q is None else part.q
        given[0][place] = part.q is not None
        if part.rates is not None:
            rates[joint.u0 : joint.u0 + joint.speeds] = part.rates
            given[1][joint.u0 : joint.u0 + joint.speeds] = True
    for name, modes in index.modes.items():
        q[modes.q0 : modes.q0 + modes.modes] = model.parts[name].body.start
    for name, (_, rotor) in model.rotors.items():
        rates[index.rotors[name]] = rotor.rate
    z = np.concatenate([np.zeros(0), *(model.blocks[name].start for name in index.blocks)])
    return q, rates, given, z


def state_of(plan: Plan, given: "Mapping[str, Any] | State | None", what: str, t: float = 0.0) -> State:
    """A finite state of the plan's system from what a user gave: a State, initial values by name, or None for the initial
    state.

    Args:
        plan: of the system.
        given: what the user gave; a State must be of this system, by its name and by all coordinates and rates.
        what: what it is, for messages.
        t: time of a state that is not given whole, s.
    """
    if given is not None and not isinstance(given, State | Mapping):
        raise ModelError(f'the {what} is {checks.shown(given)}: give a State, or values by name, e.g. {{"arm.q": 0.3}}')
    state = given if isinstance(given, State) else initial_state(plan, given, t)
    _check_system(plan, state, what)
    index = plan.index
    for values, names in ((state.q, index.coordinates), (state.rates, index.rates), (state.z, index.states)):
        if not np.isfinite(values).all():
            k = int(np.argmin(np.isfinite(values)))
            raise ModelError(f'the {what} is not finite: "{names[k]}" is {values[k]}')
    return state


def _check_system(plan: Plan, state: State, what: str) -> None:
    own, index = state._index, plan.index
    take = "take it from this system, or give values by name to state({...})"
    other = (own.coordinates, own.rates, own.states) != (index.coordinates, index.rates, index.states)
    if own is not index and other:
        raise ModelError(
            f"the {what} has {len(state.q)} coordinates and {len(state.rates)} rates of system "
            f'"{own.system}", system "{index.system}" has {plan.nq} and {plan.nu}{_first_other(own, index)}: {take}'
        )
    if own.system != index.system:
        raise ModelError(
            f'the {what} is of system "{own.system}", not of "{index.system}", '
            f"though their coordinates have the same names: {take}"
        )


def _first_other(own: Index, index: Index) -> str:
    """Word about the first name that two systems of as many coordinates and rates do not share."""
    pairs = [*zip(own.coordinates, index.coordinates, strict=False), *zip(own.rates, index.rates, strict=False)]
    return next((f' ("{b}" in the place of "{a}")' for a, b in pairs if a != b), "")


def put_in(model: Model, state: State, values: Mapping[str, Any]) -> None:
    """Put values by name into a state of the model; quaternions are made unit ones."""
    for name, value in values.items():
        state[name] = value
    for name, joint in state._index.turned_by_quaternions.items():
        place = slice(joint.q0, joint.q0 + joint.coordinates)
        state.q[place] = unit_quaternion(model.parts[name].joint, tuple(state.q[place]), f'initial "{name}.q"')


def _check_complete(plan: Plan, initial: Mapping[str, Any]) -> None:
    """Where places are given by name, every joint needs its own."""
    others, blocks = ("rate", "modes", "modes_rate"), plan.index.blocks
    names = [name for name in initial if name.partition(".")[0] not in blocks and name not in plan.index.rates]
    placing = any(name.partition(".")[2] not in others for name in names)
    for name, part in plan.model.parts.items():
        facts = part.joint.facts
        given = {f"{name}.q", *(f"{name}.{c}" for c in facts.coordinate_names)} & set(initial)
        if placing and facts.coordinates and part.q is None and not given and not _is_given(plan.model, name):
            raise ModelError(f'initial values of "{name}.q" are missing: give them in initial= or in add(..., q=...)')


def _is_given(model: Model, name: str) -> bool:
    """Whether a joint starts from what the model itself says: a base, or a joint whose coordinates follow motions."""
    joint = model.parts[name].joint
    prescribed = joint.motion is not None and len(joint.motions(f'joint "{name}"')) == joint.facts.coordinates
    return prescribed or (model.base is not None and name in ("base", "base_origin"))


__all__ = ["State", "initial_state", "put_in", "state_of"]
