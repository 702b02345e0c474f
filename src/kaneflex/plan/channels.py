"""What can be read of a system by name: rows of the registry, `model.quantities`, with owners, as rows of sensors."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels import sensors as S
from kaneflex.kernels.bodies import variable_mass
from kaneflex.kernels.joints.custom import CUSTOM_JOINT
from kaneflex.model import checks
from kaneflex.model import quantities as Q
from kaneflex.model.frames import Frame, NodeFrame
from kaneflex.model.quantities import Quantity
from kaneflex.plan.channel import Channel, place_channels
from kaneflex.plan.feed_channels import exit_channels
from kaneflex.plan.recovery_channels import recovery_channels
from kaneflex.plan.rod_channels import rod_channels
from kaneflex.plan.strain_rod_channels import strain_rod_channels
from kaneflex.structures.rod_tables import RodData

if TYPE_CHECKING:
    from kaneflex.model.joints import Joint
    from kaneflex.plan.plan import Index

MODAL_UNIT = "kg^½ m"


@dataclass
class SensorTable:
    """Rows of sensors, filled one after the other."""

    integers: list[list[int]] = field(default_factory=list)
    reals: list[np.ndarray] = field(default_factory=list)
    size: int = 0

    def add(self, kind: int, size: int, *, body: int = 0, index: int = 0, frame: Frame | None = None) -> slice:
        """Append a sensor; returns where its value lies."""
        row = np.zeros(L.SENSOR_REALS)
        f = Frame() if frame is None else frame
        row[L.SENSOR_POINT : L.SENSOR_POINT + 3] = f.p
        row[L.SENSOR_FRAME : L.SENSOR_FRAME + 9] = f.R.ravel()
        self.integers.append([kind, body, index, size, self.size])
        self.reals.append(row)
        self.size += size
        return slice(self.size - size, self.size)

    def add_channel(self, index: "Index", channel: Channel) -> slice:
        """Append the sensors of a channel; returns where their values lie."""
        first, body, frame = self.size, 0, None
        if channel.at is not None:
            body, frame = index.place(*channel.at)
        if channel.quantity.owner == Q.NODE and channel.at is not None:  # a node's motion in axes of its body
            frame = index.own_frame[channel.at[0]]
        for k, (kind, where, size) in enumerate(channel.sensors):
            if channel.places:
                body, frame = index.place(*channel.places[k])
            self.add(kind, size, body=body, index=where, frame=frame)
        return slice(first, self.size)

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """The table as flat arrays."""
        reals = np.concatenate(self.reals) if self.reals else np.zeros(0)
        return np.array(self.integers, dtype=np.int64).ravel(), reals


def add_channel(index: "Index", table: SensorTable, name: str, *, before_solve: bool = False) -> slice:
    """Append the sensors that a channel's name stands for; returns where their values lie.

    Args:
        index: of the system.
        table: to append to.
        name: of the channel.
        before_solve: refuse channels that user functions may not see.
    """
    return table.add_channel(index, Channels(index).known(name, before_solve=before_solve))


class Channels(Mapping[str, Channel]):
    """All channels of a system by name."""

    def __init__(self, index: "Index"):
        self.index = index
        self._of: dict[str, dict[str, Channel]] = {}

    def __getitem__(self, name: str) -> Channel:
        if not isinstance(name, str):
            raise KeyError(name)
        head, _, tail = name.partition(".")
        return self._owned(head)[tail]

    def __iter__(self) -> Iterator[str]:
        index = self.index
        system = Q.OF_THE_SYSTEM
        loads = [name for name in index.loads if "." not in name]  # those of bodies are in the channels of these
        segments = {name for rod in index.rods.values() for name in rod.segments}  # which the rod's own channels tell of
        joints = [name for name in index.joints if name not in segments]
        heads = (*index.groups, *joints, *index.rods, *index.rotors, *index.inputs, *index.blocks, *index.constraints)
        for head in dict.fromkeys((*system, *heads, *loads)):
            if head in index.inner:  # what the part's own channels tell of
                continue
            driven = head in index.joints and index.joints[head].joint.motion is not None
            for tail, channel in self._owned(head).items():
                one_of_many = tail.startswith("section_loads.") or (channel.quantity.word == "<recovery>" and "." in tail)
                if channel.quantity.listed and not one_of_many and (driven or tail != "drive"):
                    yield f"{head}.{tail}" if tail else head

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def known(self, name: str, *, before_solve: bool = False) -> Channel:
        """The channel of a name, or an error that says what there is.

        Args:
            name: of the channel.
            before_solve: take only those that user functions may see.
        """
        found = self.get(name)
        if found is None:
            raise checks.ModelError(f"channel {checks.quoted(name)} is not known: {self._advice(name)}")
        if before_solve and not found.is_seen:
            known = f"known with the {Q.STAGES[found.quantity.stage]} only"
            what = "an acceleration" if found.quantity.unit.endswith("/s²") else known
            raise checks.ModelError(
                f'channel "{name}" is {what}, which is not known before the forces are: '
                "a function may see positions, velocities, coordinates, rates and momenta, a Sampled controller all channels"
            )
        return found

    def _advice(self, name: object) -> str:
        """What there is near a name that is none."""
        head, _, tail = name.partition(".") if isinstance(name, str) else ("", "", "")
        index, own = self.index, self._owned(head)
        near = get_close_matches(str(name), [f"{head}.{word}" for word in own] if own else list(self), 3, 0.6)
        hint = f"; did you mean {' or '.join(map(checks.quoted, near))}?" if near else ""
        if head in index.modes and tail.partition(".")[0] == "section_loads":
            resultants = index.modes[head].modal.resultants
            if resultants is None:
                return (
                    f'"{head}" comes from mass and stiffness alone, which do not tell section loads: '
                    "build its structure from elements"
                )
            return f'section loads of "{head}" {checks._have(list(resultants.labels)).replace("is ", "are ", 1)}{hint}'
        if head in index.joints:
            frame = tail.rpartition(".")[0].partition(".")[0]
            first, speeds = index.joints[head].u0, index.joints[head].speeds
            rates = index.rates[first : first + speeds]
            if tail.rpartition(".")[2] in Q.suffixes(Q.PLACE) and frame not in index.frames[head]:
                return f'body "{head}" has no frame "{frame}", there {checks._have(list(index.frames[head]))}{hint}'
            plain = [word for word in own if "." not in word or f"{head}.{word}" in rates]
            node = [f"<node>.{word}" for word in Q.suffixes(Q.NODE)] if head in index.modes else []
            return f'body "{head}" has {", ".join([*plain, *node, *(f"<frame>.{w}" for w in Q.suffixes(Q.PLACE))])}{hint}'
        if own:
            return f'{self._kind(head)} "{head}" has {", ".join(own)}{hint}'
        loads = [n for n in index.loads if "." not in n]
        heads = [*index.joints, *index.rotors, *index.inputs, *index.blocks, *loads, *index.constraints, *index.groups]
        heads += index.rods
        kinds = "body, rod, rotor, input, block, load, constraint or group"
        return f"there is no {kinds} {checks.quoted(head)} (there {checks._have(heads)}){hint}"

    def _kind(self, head: str) -> str:
        index = self.index
        tables: dict[str, Iterable[str]] = {"rotor": index.rotors, "block": index.blocks, "group": index.groups}
        tables |= {"rod": index.rods, "input": index.inputs, "constraint": index.constraints, "load": index.loads}
        return next((kind for kind, names in tables.items() if head in names), "system")

    # -- the channels of one owner, by what stands after its name ---------------------------------------------------------

    def _owned(self, head: str) -> dict[str, Channel]:
        if head not in self._of:
            index, found = self.index, dict[str, Channel]()
            owners: dict[Callable[[str], dict[str, Channel]], Iterable[str]] = {
                self._system: Q.OF_THE_SYSTEM,
                self._group: index.groups,
                self._body: index.joints,
                self._rod: index.rods,
                self._rotor: index.rotors,
                self._input: index.inputs,
                self._block: index.blocks,
                self._constraint: index.constraints,
                self._load: () if "." in head else index.loads,
            }
            for make, names in owners.items():
                if head in names:
                    found = found | {tail: channel for tail, channel in make(head).items() if tail not in found}
            for tail, channel in found.items():
                unit = index.units.get(f"{head}.{tail}" if tail else head)
                if unit is not None:
                    found[tail] = replace(channel, units=(unit,))
            self._of[head] = found
        return self._of[head]

    def _system(self, head: str) -> dict[str, Channel]:
        found = {}
        for q in Q.QUANTITIES:
            word, _, tail = q.word.partition(".")
            if q.owner in (Q.SYSTEM, Q.GROUP) and word == head:
                found[tail] = _sum(q, 0)
        if head == "t":
            return {"": Channel(Q.ROWS[Q.SYSTEM, "t"], ("s",), (), weights=np.zeros((1, 0)))}  # no sensor has it
        loads = [(S.SENSE_ENERGY, row, L.ENERGY_WIDTH) for rows in self.index.loads.values() for row in rows]
        for tail in ("potential", "total") if head == "energy" else ():
            first = found[tail].quantity.at  # up to gravity's potential, before which the kinetic energy stands
            size = 1 + L.GRAVITY_POTENTIAL - first
            weights = np.concatenate([np.ones(size), np.tile(np.eye(L.ENERGY_WIDTH)[L.POTENTIAL], len(loads))])
            found[tail] = replace(found[tail], sensors=((S.SENSE_SUM, first, size), *loads), weights=weights[None, :])
        return found

    def _group(self, head: str) -> dict[str, Channel]:
        return {q.word: _sum(q, self.index.groups[head]) for q in Q.QUANTITIES if q.owner == Q.GROUP}

    def _body(self, head: str) -> dict[str, Channel]:
        index, joint = self.index, self.index.joints[head]
        units = joint_units(joint.joint, lambda name: index.units.get(f"{head}.{name}", ""))
        found = _joint(units, joint.q0, joint.u0, joint.coordinate_names, joint.speed_names, joint.joint.facts.scalar_rates)
        for frame in ("", *index.frames[head]):
            found |= place_channels(frame, (head, frame))
        if head in index.modes:
            found |= self._modal(head)
        if f"{head}.outlets" in index.loads:
            mass, power = (Q.ROWS[Q.VARIABLE, word] for word in ("current_mass", "outlet_power"))
            place = index.own_outputs[head] + variable_mass.VM_MASS
            found["current_mass"] = Channel(mass, (mass.unit,), ((mass.sensor, place, 1),))
            found["outlet_power"] = self._energy(power, f"{head}.outlets")
        return found

    def _modal(self, head: str) -> dict[str, Channel]:
        """Channels of a flexible body and of its nodes."""
        index, modes = self.index, self.index.modes[head]
        m, modal, eta = modes.modes, modes.modal, (S.SENSE_Q, modes.q0, modes.modes)
        names = tuple(f"mode{k + 1}" for k in range(m))
        units = modal.units if isinstance(modal, RodData) else (MODAL_UNIT,) * m
        all_ = _joint((units, units), modes.q0, modes.u0, names, names, True, Q.FLEXIBLE, Q.MODE)
        row = lambda word: Q.ROWS[Q.FLEXIBLE, word]
        found = all_ | {
            "strain_energy": self._energy(row("strain_energy"), f"{head}.modes"),
            "strain_energies": Channel(row("strain_energies"), ("J",), ((S.SENSE_MODE_ENERGY, 0, m),), (head, "")),
            "dissipation": self._energy(row("dissipation"), f"{head}.modes"),
        }
        for q in (q for q in Q.QUANTITIES if q.owner == Q.NODE):
            for frame, place in index.frames[head].items():
                if isinstance(modal, RodData) and modal.normal is None and q.word == "slope":
                    continue  # a turn in space by any angle is told by the rotation alone
                if isinstance(place, NodeFrame):
                    found[f"{frame}.{q.word}"] = Channel(q, (q.unit,), ((q.sensor, m, 3),), (head, frame))
                elif frame in modal.nodes:  # its modes do not move it
                    found[f"{frame}.{q.word}"] = Channel(q, (q.unit,), (), None, np.zeros((3, 0)))
        if isinstance(modal, RodData):
            found |= strain_rod_channels(head, modes, modal)
        if modal.resultants is not None:
            q, loads = row("section_loads"), modal.resultants
            units = section_units(loads.labels)
            found["section_loads"] = Channel(q, units, (eta,), None, loads.per_mode, loads.labels)
            for label, unit, weights in zip(loads.labels, units, loads.per_mode, strict=True):
                found[f"section_loads.{label}"] = Channel(q, (unit,), (eta,), None, weights[None, :])
        for name, recovery in getattr(modal, "recovery", {}).items():
            found |= recovery_channels(head, name, recovery, (modes.q0, modes.u0, m), index.gravity)
        return found

    def _rod(self, head: str) -> dict[str, Channel]:
        return rod_channels(self.index, self.index.rods[head])

    def _rotor(self, head: str) -> dict[str, Channel]:
        rows = [q for q in Q.QUANTITIES if q.owner == Q.ROTOR]
        return {q.word: Channel(q, (q.unit,), ((q.sensor, self.index.rotors[head], 1),)) for q in rows}

    def _input(self, head: str) -> dict[str, Channel]:
        return {"": Channel(Q.ROWS[Q.INPUT, "<input>"], ("",), ((S.SENSE_SIGNAL, self.index.inputs[head], 1),))}

    def _block(self, head: str) -> dict[str, Channel]:
        block, (z, state, output) = self.index.blocks[head], (Q.ROWS[Q.BLOCK, w] for w in ("z", "<state>", "<output>"))
        found = {}
        if block.states:
            found["z"] = Channel(z, ("",), ((z.sensor, block.z0, len(block.states)),), parts=block.states)
        for k, name in enumerate(block.states):
            found[name] = Channel(state, ("",), ((state.sensor, block.z0 + k, 1),))
        for k, name in enumerate(block.outputs):
            unit = block.units[k] if block.units else ""
            found[name] = Channel(output, (unit,), ((output.sensor, block.output0 + k, 1),))
        return found | (exit_channels(self.index, block.feed) if block.feed is not None else {})

    def _constraint(self, head: str) -> dict[str, Channel]:
        q, rows = Q.ROWS[Q.CONSTRAINT, "multipliers"], self.index.constraints[head]
        size = rows.stop - rows.start
        return {"multipliers": Channel(q, ("",), ((q.sensor, rows.start, size),), parts=tuple(map(str, range(1, size + 1))))}

    def _load(self, head: str) -> dict[str, Channel]:
        return {q.word: self._energy(q, head) for q in Q.QUANTITIES if q.owner == Q.LOAD}

    def _energy(self, q: Quantity, load: str) -> Channel:
        """An entry of the energy rows of a load, summed over these."""
        rows = self.index.loads[load]
        weights = np.tile(np.eye(L.ENERGY_WIDTH)[q.at], len(rows))
        return Channel(q, (q.unit,), tuple((q.sensor, row, L.ENERGY_WIDTH) for row in rows), None, weights[None, :])


def _sum(q: Quantity, group: int) -> Channel:
    """An entry of the row of a group of bodies."""
    return Channel(q, (q.unit,), ((q.sensor, group * L.GROUP_WIDTH + q.at, q.size),))


def _joint(
    units: tuple[tuple[str, ...], tuple[str, ...]],
    q0: int,
    u0: int,
    coordinates: tuple[str, ...],
    speeds: tuple[str, ...],
    scalar: bool,
    owner: str = Q.JOINT,
    one: str = Q.COORDINATE,
) -> dict[str, Channel]:
    """Channels of coordinates and rates: all of them, and each; `units` are rad or m of coordinates and of speeds."""
    found = {}
    for q in (q for q in Q.QUANTITIES if q.owner in (owner, one) and q.unit in (Q.X, Q.X_RATE, Q.X_SECOND, Q.F)):
        own, first, names = (units[0], q0, coordinates) if q.unit == Q.X else (units[1], u0, speeds)
        each = tuple(unit_along(q.unit, x) for x in own)
        if q.owner == owner and names:
            found[q.word] = Channel(q, each, ((q.sensor, first, len(names)),), parts=names)
        ending = q.word.partition(">")[2]
        for k, name in enumerate(names if q.owner == one else ()):
            word = name + (ending if scalar else ending.removeprefix(".rate"))
            found[word] = Channel(q, (each[k],), ((q.sensor, first + k, 1),))
    return found


def joint_units(joint: "Joint", declared: Callable[[str], str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rad or m of each coordinate of a joint, "" of a quaternion's, and of what each of its speeds is the rate of.

    Args:
        joint: the joint.
        declared: gives the unit of a coordinate of a CustomJoint by its name.
    """
    facts = joint.facts
    if facts.code == CUSTOM_JOINT:
        own = tuple(declared(name) for name in facts.coordinate_names)
        return own, own
    speeds = tuple("rad" if axis < 3 or total else "m" for axis, total in zip(facts.axes, facts.total, strict=True))
    if facts.scalar_rates:
        return speeds, speeds
    return ("m",) * (facts.coordinates - 4) + ("",) * 4, speeds


def unit_along(unit: str, x: str) -> str:
    """A unit of the registry for a coordinate in rad or m."""
    if unit == Q.F:
        return {"rad": "N m", "m": "N"}.get(x, "")
    return unit.replace("x", x) if x else ""


def section_units(labels: Iterable[str]) -> tuple[str, ...]:
    """Units of section loads by their labels: forces and moments of beams, bars and springs; those per length of plates,
    which have Mxy; stresses of solids."""
    ends = [label.rpartition(".") for label in labels]
    plates = {element for element, _, word in ends if word == "Mxy"}
    units = {True: {"N": "N/m", "M": "N"}, False: {"M": "N m", "T": "N m", "s": "Pa"}}
    return tuple(units[element in plates].get(word[:1], "N") for element, _, word in ends)


__all__ = ["Channel", "Channels", "SensorTable", "add_channel", "joint_units", "section_units", "unit_along"]
