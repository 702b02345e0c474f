"""The plan: a system numbered and frozen into three flat arrays, and the way back from rows to names."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels import backend
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE
from kaneflex.kernels.tables import Row, Tables, width, with_header
from kaneflex.model.checks import ModelError, is_function, names
from kaneflex.model.frames import Frame, NodeFrame
from kaneflex.model.joints import Joint
from kaneflex.model.model import Model
from kaneflex.model.rods.feed import Feed
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.typed import Name, typed
from kaneflex.plan.cache_lines import aligned
from kaneflex.plan.channels import Channels
from kaneflex.plan.feeds import FeedIndex
from kaneflex.plan.formulation import Formulation
from kaneflex.plan.laws import CompiledFunction
from kaneflex.plan.modal_tables import ModalIndex
from kaneflex.plan.state_layout import StateLayout


@dataclass(frozen=True)
class JointIndex:
    """Where a body and its joint are in the tables."""

    row: int
    q0: int
    coordinates: int
    u0: int
    speeds: int
    coordinate_names: tuple[str, ...]
    speed_names: tuple[str, ...]
    quaternion: int | None
    joint: Joint


@dataclass(frozen=True)
class BlockIndex:
    """Where a block is in the tables: its first state in z, its first output in the law outputs, their names and units; of a
    feed its declaration."""

    z0: int
    states: tuple[str, ...]
    output0: int
    outputs: tuple[str, ...]
    units: tuple[str, ...] = ()  # of the outputs, where the block knows them
    feed: Feed | None = None


@dataclass
class Index:
    """From names to rows.

    `coordinates` and `rates` name every coordinate and every relative rate, each by a channel's name; `speeds` are what the
    generalized speeds are of: the coordinate, where there is one, that the speed is the rate of. `states` name the states of
    blocks.
    """

    of_numbers: ClassVar[bool] = True  # see `model.recipes`: it is not searched for parameters

    system: str = ""
    joints: dict[str, JointIndex] = field(default_factory=dict)
    own_frame: dict[str, Frame] = field(default_factory=dict)
    frames: dict[str, dict[str, Frame]] = field(default_factory=dict)
    rotors: dict[str, int] = field(default_factory=dict)
    inputs: dict[str, int] = field(default_factory=dict)
    loads: dict[str, list[int]] = field(default_factory=dict)
    constraints: dict[str, slice] = field(default_factory=dict)
    speeds: list[str] = field(default_factory=list)
    coordinates: list[str] = field(default_factory=list)
    rates: list[str] = field(default_factory=list)
    modes: dict[str, ModalIndex] = field(default_factory=dict)
    own_outputs: dict[str, int] = field(default_factory=dict)  # of functions of bodies, in the signal
    nodes: dict[tuple[str, str], int] = field(default_factory=dict)
    blocks: dict[str, BlockIndex] = field(default_factory=dict)
    states: list[str] = field(default_factory=list)
    groups: dict[str, int] = field(default_factory=dict)  # number of each; that of the whole system is 0
    rods: dict[str, PlacedRod] = field(default_factory=dict)
    inner: set[str] = field(default_factory=set)  # pieces of parts that are not called as the part is
    feeds: dict[str, FeedIndex] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)  # of channels, as the user said
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    of_states: dict[str, tuple[str, slice]] = field(default_factory=dict, compare=False, repr=False)  # names seen

    @cached_property
    def turned_by_quaternions(self) -> dict[str, JointIndex]:
        """The joints that have a quaternion among their coordinates."""
        return {name: joint for name, joint in self.joints.items() if joint.quaternion is not None}

    def place(self, body: str, frame: str = "") -> tuple[int, Frame]:
        """Row of the body, or of the node, that carries a frame, and the frame there."""
        if not frame:
            return self.joints[body].row, self.own_frame[body]
        found = self.frames[body][frame]
        if isinstance(found, NodeFrame) and (body, found.node) not in self.nodes:
            raise ModelError(
                f'node "{found.node}" of "{body}" is one of many, and was not followed: name it in nodes= of the Flexible'
            )
        return (self.nodes[body, found.node] if isinstance(found, NodeFrame) else self.joints[body].row), found


@typed
@dataclass(frozen=True)
class Event:
    """A function of time and of channels whose zeros the integrator finds, also where they are closer together than a step.

    Of several events at one instant all act, in order.

    Args:
        function: g(t) or g(t, x), x the values of the channels in `sees`; a profile is a function of t too.
        sees: channels.
        direction: +1 for rising, -1 for falling, 0 for both.
        terminal: True to stop the run there.
        action: called with the State at the event, or with the State and a Change; what it does to q and rates, and what it
            asks the Change for, is taken over. None to note the time only.
        name: shown in the run's list of events.
        awaited: whether a run in which it does not happen gives a warning that names it.
    """

    function: Any
    sees: Sequence[str] = ()
    direction: int = 0
    terminal: bool = False
    action: Any = None
    name: Name = "event"
    awaited: bool = False

    def __post_init__(self) -> None:
        if not is_function(self.function):
            raise ModelError(f'event "{self.name}": function is {self.function!r}: give a function of t, or of t and x')
        if self.action is not None and not is_function(self.action):
            raise ModelError(f'event "{self.name}": action is {self.action!r}: give a function of the State, or None')
        object.__setattr__(self, "sees", names(self.sees, f'event "{self.name}": sees'))
        if isinstance(self.direction, bool) or not isinstance(self.direction, int) or self.direction not in (-1, 0, 1):
            raise ModelError(f'event "{self.name}": direction is {self.direction!r}: give -1, 0 or 1')


@dataclass(frozen=True)
class Watch:
    """A contact's multipliers as an event function: zero where the normal force vanishes or, with friction, where the
    tangential forces, multipliers of the two equations before, reach the friction cone."""

    constraint: str
    equation: int
    friction: float = 0.0


@dataclass
class Plan:
    """Frozen tables of a system and the way back from rows to names."""

    model: Model
    formulation: Formulation
    speeds: str
    I: np.ndarray
    P: np.ndarray
    index: Index
    laws: list[CompiledFunction]
    missing: tuple[str, ...] = ()
    breaks: tuple[float, ...] = ()  # times at which given motions, loads, inputs or event functions are not smooth
    declared: Any = None  # the start that the model says: see `plan.state`
    begun: Any = None  # the last start of a run: see `simulate`
    regular: Any = None  # and how many constraint equations are independent there: see `simulate.segment`
    errors: list[BaseException] = field(default_factory=list)  # what user functions raised, called by compiled code

    def __post_init__(self) -> None:
        for law in self.laws:
            law.note_errors_in(self.errors)

    def is_current(self) -> bool:
        """Whether all that the user functions refer to is as it was when the plan was made."""
        return all(law.is_current() for law in self.laws)

    @property
    def is_repeatable(self) -> bool:
        """Whether a state always has the same rates: user functions know no more than they are given."""
        return all(law.compiled and law.fingerprint is not None for law in self.laws)

    def raise_errors(self) -> None:
        """Raise the first of what user functions raised since the last call of this."""
        if self.errors:
            error = self.errors[0]
            self.errors.clear()
            raise error

    @cached_property
    def is_constrained(self) -> bool:
        """Whether some coordinates follow motions or are tied by constraints."""
        return bool(self.header.constraints or self.header.motions)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.index.coordinates)

    @property
    def nu(self) -> int:
        """Number of speeds."""
        return len(self.index.speeds)

    @cached_property
    def tables(self) -> Tables:
        """I and P by name: `plan.tables.body["arm"].mass`."""
        return Tables(self.I, {"I": self.I, "P": self.P}, self.numbered)

    @property
    def header(self) -> Row:
        """Sizes and options of the system, by name."""
        return self.tables.header

    @cached_property
    def numbered(self) -> dict[str, dict[str, int]]:
        """Rows of the tables by name."""
        flexible = {name: n for n, name in enumerate(self.index.modes)}
        return {
            "body": {name: joint.row for name, joint in self.index.joints.items()},
            "rotor": {name: n for n, name in enumerate(self.index.rotors)},
            "constraint": {name: n for n, name in enumerate(self.index.constraints)},
            "flexible": flexible,
            "modal": flexible,
        }

    @cached_property
    def layout(self) -> StateLayout:
        """Where everything stands in the state y of a run: that of the tree, whatever coordinates are integrated."""
        quaternions = tuple(self.tables.quaternion.value.tolist())
        return StateLayout(self.nq, self.nu, int(self.header.states), quaternions)

    @cached_property
    def channels(self) -> Channels:
        """All that can be read by name."""
        return Channels(self.index)

    @cached_property
    def equations(self) -> list[tuple[str, int]]:
        """Constraint and number within it of every constraint equation."""
        rows = sorted(self.index.constraints.items(), key=lambda item: item[1].start)
        return [(name, k) for name, part in rows for k in range(part.stop - part.start)]

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """Names of (q, u, z): channels of all coordinates, of all speeds, with ".u" where these are not the rates, and of
        the states of blocks."""
        index = self.index
        total = [f"{name.removesuffix('.rate')}.u" for name in index.speeds]
        return (*index.coordinates, *(index.rates if self.speeds == "customary" else total), *index.states)

    @cached_property
    def numbers(self) -> np.ndarray:
        """All reals of the system itself by size but for zeros, without those of what a run reads or watches: alike in all
        its plans, which may begin tables at other lines of the cache."""
        P, h = self.P, self.header
        own = np.concatenate([P[: h.p_sensor], P[h.p_constraint : h.p_watch], P[h.p_watch + h.watches :]])
        return np.sort(own[own != 0])

    @cached_property
    def free_speeds(self) -> np.ndarray:
        """Numbers of the speeds that are not prescribed."""
        return np.flatnonzero(self.tables.column.prescribed == 0)

    def with_header(self, **words: int) -> np.ndarray:
        """A copy of I with other words in its header, see `kernels.tables`."""
        return with_header(self.I, **words)

    def work(self, W: np.ndarray) -> Tables:
        """A workspace of this plan by name: `plan.work(W).body["arm"].omega`."""
        return Tables(self.I, {"W": W}, self.numbered)

    def with_relative_speeds(self) -> np.ndarray:
        """A copy of I in which all speeds are relative rates."""
        I = self.I.copy()
        Tables(I, {"I": I}).column.total[:] = 0
        return I

    @cached_property
    def mass_room(self) -> tuple[dict[str, int], slice]:
        """Words of a header that has places in W for partial velocities and the mass matrix, beyond its end where the plan
        has none itself (else no words), and where in W the mass matrix is."""
        h, n = self.header, self.nu
        if len(self.work(np.zeros(int(h.w_size))).mass):
            return {}, slice(int(h.w_mass), int(h.w_mass) + n * n)
        ratio = int(h.w_partial) + width("partial", "W") * n * int(h.all_bodies)
        mass, size = ratio + n * n, ratio + 2 * n * n
        return {"w_ratio": ratio, "w_mass": mass, "w_size": size}, slice(mass, size)

    @cached_property
    def followers(self) -> tuple[list[int], list[int]]:
        """Coordinates and speeds that follow motions."""
        force = self.tables.force
        follow = (force.kind == JOINT_DRIVE) & (force.coordinate >= 0)
        return force.coordinate[follow].tolist(), force.column[follow].tolist()

    def workspace(self, dtype: Any = float) -> np.ndarray:
        """A workspace for one evaluation at a time; NaN until a stage writes it, but for inputs and outside forces."""
        W = aligned(int(self.header.w_size), dtype)
        W[:] = np.nan
        W[self._zero_at_first] = 0
        return W

    @cached_property
    def set_from_outside(self) -> tuple[slice, ...]:
        """Places in W of joint forces, of the states of blocks and of inputs."""
        h = self.header
        counted = (h.w_tau, h.speeds), (h.w_state, h.states), (h.w_law_output, h.inputs)
        return tuple(slice(int(start), int(start + count)) for start, count in counted)

    @cached_property
    def _zero_at_first(self) -> np.ndarray:
        """Places in W that hold zero before any stage has run, the same for every run of the plan."""
        W = np.arange(int(self.header.w_size))
        work = self.work(W)
        inputs, zero = work.law_output.value[: self.header.inputs], work.projection[0].zero
        places = (inputs, zero, work.tau.value, work.state.value, work.column.prescribed_rate, work.rank.drop)
        return np.concatenate([np.ravel(x) for x in places])

    def connect(self, I: np.ndarray, scalar: type = float) -> None:
        """Note in I, this plan's tables or a copy, where the compiled stages of its formulation are."""
        backend.connect(I, scalar, self.formulation.stages(self))

    def reading_tables(self, I: np.ndarray, scalar: type = float) -> np.ndarray:
        """A copy of I, this plan's tables, that gives multipliers of least norm and places of all bodies."""
        I = with_header(I, placed=1)
        backend.connect(I, scalar, self.formulation.reading_stages(self))
        return I

    def complex_tables(self) -> np.ndarray:
        """I with the addresses of the user functions' complex versions."""
        I = self.I.copy()
        Tables(I, {"I": I}).law.address[:] = [law.complex_address for law in self.laws]
        self.connect(I, complex)
        return I
