"""Names of measured quantities, turned into rows of a sensor table."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels import sensors
from kaneflex.kernels.bodies import variable_mass
from kaneflex.model import checks, reserved_names
from kaneflex.model.frames import Frame, NodeFrame

if TYPE_CHECKING:
    from kaneflex.plan.plan import Index

_MOTION = dict(
    zip(
        reserved_names.MOTION,
        (
            (sensors.SENSE_POSITION, 3),
            (sensors.SENSE_VELOCITY, 3),
            (sensors.SENSE_OMEGA, 3),
            (sensors.SENSE_ROTATION, 9),
            (sensors.SENSE_ROTATION_RATE, 9),
            (sensors.SENSE_ACCELERATION, 3),
            (sensors.SENSE_ALPHA, 3),
        ),
        strict=True,
    )
)
_AFTER_SOLVE = ("acceleration", "alpha")
#: Last words of channels whose values are known once the equations of motion are solved.
NEEDS_SOLUTION = frozenset((*_AFTER_SOLVE, "power", "load", "drive", "multipliers", *reserved_names.VARIABLE))
_ENERGY = dict(zip(reserved_names.LOAD, (L.POTENTIAL, L.POWER_APPLIED, L.POWER_DISSIPATED), strict=True))


@dataclass
class SensorTable:
    """Rows of sensors, filled name by name; `take` says which entries of a row's value a name stands for."""

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

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """The table as flat arrays."""
        reals = np.concatenate(self.reals) if self.reals else np.zeros(0)
        return np.array(self.integers, dtype=np.int64).ravel(), reals


def add_channel(index: "Index", table: SensorTable, name: str, *, before_solve: bool = False) -> slice:
    """Append the sensor that a channel's name stands for.

    Names: "body.q", "body.rate", "body.<coordinate>" and "body.<coordinate>.rate" (where a quaternion describes the joint
    "body.wx", "body.wy", "body.wz", angular velocity, and "body.vx", "body.vy", "body.vz", velocity, in the child's axes),
    "body.position" (and velocity, omega, rotation, acceleration, alpha; position, velocity and acceleration in inertial
    axes, omega and alpha in the body's or frame's own), the same of a frame "body.frame.position", "body.load" (generalized
    forces in the joint: active ones and those that hold prescribed rates), "body.drive" (the latter alone),
    "body.current_mass" (kg) and "body.outlet_power" (W) of a body of variable mass, "constraint.multipliers", "rotor.rate",
    an input's name, "block.z" (all states of a block), "block.<state>", "block.<output>", and "load.potential" (J),
    "load.power" and "load.dissipation" (W, what the load adds to the system's energy and what it takes out of it).
    """
    head, _, tail = name.partition(".")
    if head in index.inputs and not tail:
        return table.add(sensors.SENSE_SIGNAL, 1, index=index.inputs[head])
    if head in index.constraints and tail == "multipliers" and not before_solve:
        rows = index.constraints[head]
        return table.add(sensors.SENSE_MULTIPLIER, rows.stop - rows.start, index=rows.start)
    if name in index.rates:
        return table.add(sensors.SENSE_RATE, 1, index=index.rates.index(name))
    if name in index.coordinates:
        return table.add(sensors.SENSE_Q, 1, index=index.coordinates.index(name))
    if head in index.modes and tail == "dissipation" and not before_solve:
        return _energy(index, table, f"{head}.modes", tail)
    if f"{head}.outlets" in index.loads and tail == "current_mass" and not before_solve:
        return table.add(sensors.SENSE_SIGNAL, 1, index=index.own_outputs[head] + variable_mass.VM_MASS)
    if f"{head}.outlets" in index.loads and tail == "outlet_power" and not before_solve:
        return _energy(index, table, f"{head}.outlets", "power")
    if head in index.loads and tail in _ENERGY and not before_solve:
        return _energy(index, table, head, tail)
    if head in index.blocks:
        return _block_channel(index, table, name, head, tail)
    if head not in index.joints:
        loads = [n for n in index.loads if "." not in n]
        owners = [*index.joints, *index.rotors, *index.inputs, *index.blocks, *loads, *index.constraints]
        raise checks.ModelError(
            f'channel "{name}" is not known: there is no body, rotor, input, block, load or constraint "{head}" '
            f"(there {checks._have(owners)})"
        )
    return _body_channel(index, table, name, head, tail, before_solve)


def _block_channel(index: "Index", table: SensorTable, name: str, head: str, tail: str) -> slice:
    """Channels of blocks: z, each state and each output by its name."""
    block = index.blocks[head]
    if tail == "z":
        return table.add(sensors.SENSE_STATE, len(block.states), index=block.z0)
    if tail in block.states:
        return table.add(sensors.SENSE_STATE, 1, index=block.z0 + block.states.index(tail))
    if tail in block.outputs:
        return table.add(sensors.SENSE_SIGNAL, 1, index=block.output0 + block.outputs.index(tail))
    known = ", ".join((*(("z", *block.states) if block.states else ()), *block.outputs))
    raise checks.ModelError(f'channel "{name}" is not known: block "{head}" has {known}')


def _energy(index: "Index", table: SensorTable, load: str, what: str) -> slice:
    places = [table.add(sensors.SENSE_ENERGY, L.ENERGY_WIDTH, index=row) for row in index.loads[load]]
    if len(places) == 1:
        start = places[0].start + _ENERGY[what]
        return slice(start, start + 1)
    return slice(places[0].start + _ENERGY[what], places[-1].stop, L.ENERGY_WIDTH)


def _body_channel(index: "Index", table: SensorTable, name: str, head: str, tail: str, before_solve: bool) -> slice:
    joint = index.joints[head]
    if tail == "q":
        return table.add(sensors.SENSE_Q, joint.coordinates, index=joint.q0)
    if tail == "rate":
        return table.add(sensors.SENSE_RATE, joint.speeds, index=joint.u0)
    if tail in ("load", "drive") and not before_solve:
        kind = sensors.SENSE_TAU if tail == "load" else sensors.SENSE_DRIVE
        return table.add(kind, joint.speeds, index=joint.u0)
    frame, _, what = tail.rpartition(".")
    if what in _MOTION:
        if before_solve and what in _AFTER_SOLVE:
            raise checks.ModelError(
                f'channel "{name}" is an acceleration, which is not known before the forces are: '
                "a function may see positions, velocities, coordinates and rates"
            )
        frames = index.frames[head]
        if frame and frame not in frames:
            raise checks.ModelError(f'channel "{name}": body "{head}" has no frame "{frame}", there {_list(frames)}')
        kind, size = _MOTION[what]
        row, where = index.place(head, frame)
        return table.add(kind, size, body=row, frame=where)
    if head in index.modes:
        place = _modal_channel(index, table, head, frame, what, before_solve)
        if place is not None:
            return place
    modal = [*reserved_names.MODAL, *(f"<node>.{word}" for word in reserved_names.NODAL)] if head in index.modes else []
    modal += reserved_names.VARIABLE if f"{head}.outlets" in index.loads and not before_solve else []
    own = [n.removeprefix(f"{head}.") for n in index.rates[joint.u0 : joint.u0 + joint.speeds]]
    quantities = ["q", "rate", "load", *joint.coordinate_names, *own, *modal, *_MOTION, *(f"<frame>.{m}" for m in _MOTION)]
    raise checks.ModelError(f'channel "{name}" is not known: body "{head}" has {", ".join(quantities)}')


def _modal_channel(index: "Index", table: SensorTable, head: str, frame: str, what: str, before_solve: bool) -> slice | None:
    """Channels of flexible bodies: modes, modes_rate, strain_energy; of their nodes: deflection, slope."""
    modes = index.modes[head]
    if what == "modes" and not frame:
        return table.add(sensors.SENSE_Q, modes.modes, index=modes.q0)
    if what == "modes_rate" and not frame:
        return table.add(sensors.SENSE_RATE, modes.modes, index=modes.u0)
    if what == "strain_energy" and not frame and not before_solve:
        return _energy(index, table, f"{head}.modes", "potential")
    found = index.frames[head].get(frame)
    if what in ("deflection", "slope") and isinstance(found, NodeFrame):
        row, own = index.nodes[head, found.node], index.own_frame[head]
        kind = sensors.SENSE_DEFLECTION if what == "deflection" else sensors.SENSE_SLOPE
        return table.add(kind, 3, body=row, index=modes.modes, frame=own)
    return None


def _list(names: object) -> str:
    return checks._have(list(names))  # type: ignore[call-overload]
