"""System -> Plan: numbering, frames moved to the joints, tables filled."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.bodies.dispatch import CHAINS as BODY_KINDS
from kaneflex.kernels.forces import dispatch as kinds
from kaneflex.kernels.joints.custom import CUSTOM_JOINT, CUSTOM_POSE
from kaneflex.kernels.joints.dispatch import CHAINS as JOINT_KINDS
from kaneflex.kernels.node import NODE_JOINT
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.forces.contract import Load
from kaneflex.model.frames import Frame, NodeFrame, as_frame
from kaneflex.model.joints import speed_names
from kaneflex.model.model import GROUND, Model
from kaneflex.model.part import Part
from kaneflex.model.parts.placed import inner_names
from kaneflex.model.rods.feed import Feed
from kaneflex.model.rods.places import on_segment
from kaneflex.plan.assembly import CollectedRows
from kaneflex.plan.blocks import add_drivers
from kaneflex.plan.body_laws import add_body_law, add_contents
from kaneflex.plan.channels import add_channel
from kaneflex.plan.constraint_tables import element_of
from kaneflex.plan.feeds import add_feeds, feeds_of
from kaneflex.plan.formulation import formulation_of
from kaneflex.plan.input_units import input_units
from kaneflex.plan.laws import CompiledFunction
from kaneflex.plan.laws.profiles import breaks_in, plain_function
from kaneflex.plan.load_tables import add_drives, add_load, add_motions, load_row
from kaneflex.plan.loop_tables import Element
from kaneflex.plan.modal_tables import ModalIndex, SeenRod, inertia_beside_modes, seen_from
from kaneflex.plan.placement import UPPER, placement
from kaneflex.plan.plan import Event, JointIndex, Plan, Watch
from kaneflex.structures.modes.modal_data import ModalBody
from kaneflex.structures.modes.modal_nodes import followed
from kaneflex.structures.rod_tables import RodData

SPEEDS = ("customary", "efficient", "constant-mass")


def build(
    model: Model,
    formulation: str = "recursive",
    speeds: str = "customary",
    *,
    inputs: dict[str, Any] | None = None,
    events: Sequence[Event] = (),
    watches: Sequence["Watch"] = (),
    dense_room: bool = False,
    allow_missing: bool = False,
) -> Plan:
    """The plan of a model.

    Args:
        model: what the user said.
        formulation: name of one of `plan.formulation.FORMULATIONS`.
        speeds: "customary" (relative rates), "efficient" (total components along hinge axes), or "constant-mass" (these,
            and modal speeds with which a flexible body's mass matrix is constant: an approximation).
        inputs: what named inputs follow: functions of t, profiles, or (function of t and x, sees).
        events: event functions to compile in.
        watches: multipliers that are event functions too.
        dense_room: room for the mass matrix in a recursive plan too.
        allow_missing: let functions that a file could not hold give NaN; the plan's `missing` names them.
    """
    way = formulation_of(formulation)
    checks.known(speeds, SPEEDS, "speeds")
    if not model.parts:
        raise ModelError(f'system "{model.name}" has no bodies: add one')
    refused = way.refuses(model)
    if refused is not None:
        raise ModelError(f'formulation "{formulation}" does not take {refused}')
    plain = not inputs and not events and not watches and not dense_room and not allow_missing
    key = (formulation, speeds)  # the model drops its plans when it changes
    plain = plain and not any(isinstance(block, Feed) for block in model.blocks.values())  # its tables change in a run
    if plain and key in model.plans and model.plans[key].is_current():
        return model.plans[key]
    builder = _Builder(model, way, speeds, dict(inputs or {}), events, dense_room, allow_missing)
    builder.watches = list(watches)
    with _no_search_for_cycles():
        plan = builder.plan()
    if plain:
        model.plans[key] = plan
    return plan


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Python's search for garbage held off: it would go through all bodies again and again, and nothing becomes garbage."""
    searches = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searches:
            gc.enable()


class _Builder(CollectedRows):
    """Collects the rows in one sweep over the model."""

    def plan(self) -> Plan:
        self.fed = {segment for feed in feeds_of(self).values() for segment in feed.segments}
        for part in self.model.parts.values():
            self._body(part)
        _check_masses(self.model)
        self.index.inputs = {name: k for k, name in enumerate(self.model.inputs)}
        self.index.groups = {name: k + 1 for k, name in enumerate(self.model.groups)}
        self.index.rods = self.model.rods.copy()
        self.index.units = input_units(self.model) | dict(self.model.units)
        self.index.inner = inner_names(self.model.installed)
        for name in self.input_functions:
            checks.known(name, self.model.inputs, "input")
        add_drivers(self, self.input_functions)
        add_contents(self)
        add_drives(self)
        add_motions(self)
        for name, load in self.model.loads.items():
            add_load(self, name, load, None)
        for name, load in self.model.inputs.items():
            add_load(self, name, load, self.index.inputs[name])
        for k in add_feeds(self):
            self.columns[k][L.PRESCRIBED] = 1
        self.elements = [element_of(self, name, c) for name, c in self.model.constraints.items()]
        _measure_constraints(self.model, self.elements)
        for name, contact in self.model.contacts.items():  # impulses act on nodes, whether a law looks at these or not
            for place in (contact.point, contact.on):
                self.end(place, f'contact "{name}"')
        first_event = len(self.law_rows)
        for event in self.events:
            self.law(event.function, event.sees, 1, f'event "{event.name}"')
        bodies = len(self.body_rows)
        for name in self.index.modes:
            for node in followed(self.model.parts[name].body.modal.nodes):  # type: ignore[attr-defined]
                self._node(name, node)
        return self.assemble(bodies, first_event)

    # -- bodies ------------------------------------------------------------------------------------------------------

    def _body(self, part: Part) -> None:
        facts, name, row = part.joint.facts, part.name, len(self.body_rows)
        _check_codes(part)
        q0, u0 = len(self.index.coordinates), len(self.columns)
        placed = placement(part)
        R, p = placed.R, placed.p
        self.index.own_frame[name] = placed.own
        self.index.frames[name] = {n: placed.frame(f) for n, f in self.model.frames[name].items()}
        parent, at = 0, part.at
        if part.parent != GROUND:
            mother = self.model.parts[part.parent]
            parent = self.index.joints[part.parent].row
            if isinstance(at, NodeFrame):
                parent = self._node(part.parent, at.node)
                if not {0, 1, 2} <= set(facts.axes):  # it holds some turn
                    self.check_turns(part.parent, at, f'body "{name}"')
            at = placement(mother).frame(at)
        custom = -1
        if facts.code == CUSTOM_JOINT:
            custom = self._custom(part)
        head = [parent, facts.code, q0, u0, facts.coordinates, facts.speeds, custom]
        own = part.body.facts
        entries = np.zeros(L.BODY_INTS, np.int64)
        entries[: len(head)] = head
        entries[L.FLEXIBLE], entries[L.KIND], entries[L.BODY_LAW] = -1, own.code, -1
        self.body_rows.append(entries)
        self.body_reals.append(_parameters(part, at))
        base = name in ("base", "base_origin") and self.model.base is not None
        motions = {} if part.joint.motion is None else part.joint.motions(f'joint "{name}"')
        for k, (axis, total) in enumerate(zip(facts.axes, facts.total, strict=True)):
            prescribed = base or (bool(motions) and facts.coordinate_names[k] in motions)
            # a prescribed speed is the relative rate in every formulation: its own motion is what is given
            relative = (prescribed and not base) or name in self.fed
            efficient = total and self.speeds != "customary" and not relative
            self.columns.append([row, axis, int(efficient), int(prescribed)])
        quaternion = None
        if not facts.scalar_rates:
            quaternion = q0 + facts.coordinates - 4
            self.quaternions.append(quaternion)
        rates = speed_names(part.joint)
        self.index.joints[name] = JointIndex(
            row, q0, facts.coordinates, u0, facts.speeds, facts.coordinate_names, rates, quaternion, part.joint
        )
        self.index.coordinates += [f"{name}.{c}" for c in facts.coordinate_names]
        self.index.speeds += [f"{name}.{c}" for c in rates]
        self.index.rates += [f"{name}.{c}.rate" if facts.scalar_rates else f"{name}.{c}" for c in rates]
        if own.force:
            load_row(self, f"{name}.{own.force}", kinds.BODY_FORCE, FORCE_BODY=row)
        if part.body.is_flexible:
            self._modes(row, part, part.body, R, p)
        if own.outputs:
            add_body_law(self, row, part, R, p)
        for rotor, data in self.rotors_of.get(name, ()):
            self._rotor(row, rotor, R.T @ np.array(data.axis), data.inertia, name)

    def _modes(self, row: int, part: Part, body: Any, R: np.ndarray, p: np.ndarray) -> None:
        """Modal speeds of a flexible body, after those of its joint, and the nodes that carry bodies."""
        name, m = part.name, len(body.modal.stiffness)
        q0, u0 = len(self.index.coordinates), len(self.columns)
        self.columns += [[row, L.MODE, 0, 0]] * m
        self.index.coordinates += [f"{name}.mode{k + 1}" for k in range(m)]
        self.index.speeds += [f"{name}.mode{k + 1}" for k in range(m)]
        self.index.rates += [f"{name}.mode{k + 1}.rate" for k in range(m)]
        children = [c.at.node for c in self.model.parts.values() if c.parent == name and isinstance(c.at, NodeFrame)]
        loaded = list(dict.fromkeys(children))
        speeds = L.CONSTANT_MASS if self.speeds == "constant-mass" else L.RATES
        if self.formulation.undeformed:
            speeds = L.UNDEFORMED
        inertia = self.body_reals[row][L.INERTIA : L.INERTIA + 6].copy()  # rotors are taken out of it later
        if isinstance(body.modal, RodData):
            if speeds == L.UNDEFORMED:
                raise ModelError(f'"{name}" is a rod of high order, whose shape "{self.formulation.name}" would leave out')
            rod = SeenRod(body.modal, R.T, -R.T @ p)
            flexible = self.flexible.add_rod(row, rod, inertia, body.in_plane, q0, u0, len(loaded))
        else:
            flexible = self.flexible.add_body(name, row, seen_from(body.modal, R, p), inertia, q0, u0, len(loaded), speeds)
        self.body_rows[row][[L.MODES, L.FLEXIBLE]] = m, flexible
        self.index.modes[name] = ModalIndex(q0, u0, m, body.modal)
        for node in loaded:
            self._node(name, node)

    def _node(self, body: str, node: str) -> int:
        """Row of a node of a flexible body, added when first asked for."""
        if (body, node) not in self.index.nodes:
            parent = self.index.joints[body].row
            flexible = int(self.body_rows[parent][L.FLEXIBLE])
            number = self.flexible.add_node(flexible, node, len(self.body_rows))
            row = np.zeros(L.BODY_INTS, np.int64)
            row[[L.PARENT, L.JOINT, L.FLEXIBLE]] = parent, NODE_JOINT, number
            self.index.nodes[body, node] = len(self.body_rows)
            self.body_rows.append(row)
            self.body_reals.append(np.zeros(L.BODY_REALS))
        return self.index.nodes[body, node]

    def check_turns(self, body: str, frame: Frame, what: str) -> None:
        """Refuse a node that has no rotation of its own where one is needed."""
        if not isinstance(frame, NodeFrame):
            return
        node = self.flexible.seen[int(self.body_rows[self.index.joints[body].row][L.FLEXIBLE])].modal.nodes[frame.node]
        if np.any(node.Phi) and not np.any(node.Psi):
            raise ModelError(
                f'{what}: node "{frame.node}" of "{body}" has no rotation (a solid\'s or a bar\'s node), so it carries no '
                "torque: use a Spherical joint, or link some nodes to one that turns (Structure.linked)"
            )

    def _rotor(self, row: int, rotor: str, axis: np.ndarray, inertia: float, body: str) -> None:
        k = len(self.columns)
        self.columns.append([row, L.ROTOR, int(self.speeds != "customary"), 0])
        self.rotor_rows.append([row, k])
        self.rotor_reals.append([*axis, inertia])
        upper = self.body_reals[row][L.INERTIA : L.INERTIA + 6]
        upper -= inertia * np.outer(axis, axis)[UPPER]
        full = np.zeros((3, 3))
        full[UPPER] = upper
        full = full + np.triu(full, 1).T
        if np.linalg.eigvalsh(full)[0] < -1e-9 * max(inertia, float(np.abs(full).max())):
            raise ModelError(
                f'rotor "{rotor}" has more inertia about its axis than body "{body}", which must include it: '
                "raise the body's inertia"
            )
        if self.body_rows[row][L.MODES]:
            others = [(a, j) for (on, _), (*a, j) in zip(self.rotor_rows[:-1], self.rotor_reals, strict=False) if on == row]
            modal = self.flexible.seen[int(self.body_rows[row][L.FLEXIBLE])].modal
            left = inertia_beside_modes(modal, axis, others) if isinstance(modal, ModalBody) else np.inf
            if inertia > left * (1 + 1e-9):
                raise ModelError(
                    f'rotor "{rotor}" has more inertia about its axis, {inertia:.4g} kg m^2, than flexible body "{body}" '
                    f"has at its root: {left:.4g} kg m^2 is what turns with the root whatever the modes do; put the rotor "
                    "on a rigid body there, or its mass and inertia on the structure's root"
                )
        self.index.rotors[rotor] = k
        self.index.speeds.append(f"{rotor}.rate")
        self.index.rates.append(f"{rotor}.rate")

    def _custom(self, part: Part) -> int:
        from kaneflex.plan.custom_joint import custom_joint_laws  # brings SymPy, which takes half a second

        joint: Any = part.joint
        n = len(joint.coordinates)
        pose, bias = custom_joint_laws(joint.pose, n, name=f'joint "{part.name}"')
        first = len(self.law_rows)
        for law, size in ((pose, CUSTOM_POSE + 6 * n), (bias, 6)):
            self.laws.append(law)
            self.law_rows.append([law.address, 0, -1, self.sense, self.signal, 0, 0])
            self.signal += size
        self.sense += 2 * n
        return first

    # -- user functions ----------------------------------------------------------------------------------------------

    def law(
        self, function: Any, sees: Sequence[str], outputs: int, what: str, out: int | None = None, inputs: int = 0
    ) -> int:
        """Add a user function of the channels it sees, and of `inputs` more that a kernel puts there; returns where its
        outputs begin in the signal."""
        first, size = len(self.sensors.integers), inputs
        for name in sees:
            start = len(self.sensors.integers)
            self._use(name)
            place = add_channel(self.index, self.sensors, name, before_solve=True)
            self.sensors.integers[start][L.SENSOR_OUT] = size
            size += place.stop - place.start
        where = getattr(function, "is_missing", None)
        if where is not None:
            if not self.allow_missing:
                function(0.0)
            self.missing.append(where)
            function = _nothing(outputs)
        self.breaks |= breaks_in(function)
        plain = plain_function(function)
        law = CompiledFunction(plain, size, outputs, name=what, symbolic=getattr(plain, "symbolic", None))
        law.given = function
        if out is None:
            out, self.signal = self.signal, self.signal + outputs
        self.laws.append(law)
        self.law_rows.append([law.address, first, len(self.sensors.integers) - first, self.sense, out, 0, 0])
        self.sense += size
        return out

    def _use(self, channel: str) -> None:
        """Make sure that the node that a channel looks at, if it does, is there before the forces are."""
        body, frame = channel.split(".")[:2] if channel.count(".") == 2 else ("", "")
        found = self.index.frames.get(body, {}).get(frame)
        if isinstance(found, NodeFrame):
            self._node(body, found.node)

    # -- places -----------------------------------------------------------------------------------------------------

    def end(self, place: Any, what: str) -> tuple[int, Frame]:
        """Row of the body and frame of "body", "body.frame", "N", or a Frame or point of N."""
        if not isinstance(place, str):
            return 0, as_frame(place, what)
        place = on_segment(self.model.rods, place, what)
        body, frame = place.partition(".")[::2]
        if body == GROUND:
            return 0, Frame()
        self.model.locate(place, what)
        found = self.index.frames[body].get(frame)
        if isinstance(found, NodeFrame):
            self._node(body, found.node)
        return self.index.place(body, frame)


def _nothing(outputs: int) -> Any:
    """A function whose values are not known."""
    values = (np.nan,) * outputs
    return lambda t: values


POINTS = (L.POINT_A, L.POINT_B)


def _measure_constraints(model: Model, elements: list[Element]) -> None:
    """What rounding leaves of each constraint, and the square of a lever arm as they are in the system.

    Places on N count from their centroid, so that a system far from the origin has the arms it has there. A length that is
    but rounding of a place where something was held in a run is none: it would make torques look immense beside forces.
    """
    if not elements:
        return
    parts = list(model.parts.values())
    ends = [[(body, e.reals[at : at + 3]) for body, at in zip(e.bodies[:2], POINTS, strict=False)] for e in elements]
    on_ground = [part.at.p for part in parts if part.parent == GROUND] + [p for two in ends for body, p in two if body == 0]
    centre = np.mean(on_ground, axis=0) if on_ground else np.zeros(3)

    def arm(part: Part, centre: Any) -> float:
        at = part.at.p - centre if part.parent == GROUND else part.at.p
        return float(np.linalg.norm(at) + np.linalg.norm(part.hinge.p))

    rounding = 1e-13 + 1e-14 * sum(arm(part, 0.0) for part in parts)
    mean = sum(arm(part, centre) for part in parts) / len(parts)
    for element, two in zip(elements, ends, strict=True):
        own = [float(np.linalg.norm(p - centre if body == 0 else p)) for body, p in two]
        element.reals[L.CONSTRAINT_ROUNDING] = rounding
        longest = max(mean, *own, 0.0)
        element.reals[L.CONSTRAINT_ARM] = (longest if longest > 1e4 * rounding else 1.0) ** 2


def _parameters(part: Part, at: Frame) -> np.ndarray:
    """The row of a body in P; `at` is where its joint is, from the parent's M. It is kept with the part, as long as the
    parent is the same."""
    placed, parameters = placement(part), part.joint.parameters
    if placed.parameters is None or placed.parameters[0] is not at:
        g = np.zeros(L.BODY_REALS)
        g[L.R_PF : L.R_PF + 9] = (at.R @ part.joint.alignment).ravel()
        g[L.P_PF : L.P_PF + 3] = at.position
        g[L.MASS : L.INERTIA + 6] = placed.mass
        g[L.JOINT_PAR : L.JOINT_PAR + len(parameters)] = parameters
        placed.parameters = at, g
    return placed.parameters[1].copy()


def _check_codes(part: Part) -> None:
    """Joint and body must be of kinds that the kernels know: nothing in them says so of others."""
    for what, folder, code, known in (
        (type(part.joint).__name__, "joints", part.joint.facts.code, JOINT_KINDS.codes),
        (type(part.body).__name__, "bodies", part.body.facts.code, BODY_KINDS.codes),
    ):
        if code not in known:
            raise ModelError(
                f'body "{part.name}": no kernel has the code {code} of {what}: put its file into kernels/{folder}, or add '
                "it before the first run"
            )


def _check_masses(model: Model) -> None:
    """Something with mass must hang on every joint that moves freely, but where it turns a body with inertia alone."""
    heavy = {name: placement(part).mass[0] > 0 for name, part in model.parts.items()}
    loads = [load for load in model.loads.values() if isinstance(load, Load)]
    heavy |= {name: True for load in loads for name in load.heavier()}
    for name in reversed(model.parts):
        part = model.parts[name]
        prescribed = model.base is not None and name in ("base", "base_origin")
        prescribed = prescribed or (
            part.joint.motion is not None and len(part.joint.motions(f'joint "{name}"')) == part.joint.facts.speeds
        )
        if not heavy[name] and part.joint.facts.speeds and not prescribed and not _turns_inertia(part):
            raise ModelError(
                f'body "{name}" has no mass and nothing with mass hangs on it, but its joint moves: '
                "give it a mass, inertia about all axes of a joint that turns it and no more, or a Fixed joint"
            )
        if part.parent != GROUND:
            heavy[part.parent] |= heavy[name]


def _turns_inertia(part: Part) -> bool:
    """Whether a joint does no more than turn its body about axes that the body has inertia about, without any mass."""
    turns = [axis for axis in part.joint.facts.axes if axis < 3]
    if len(turns) < part.joint.facts.speeds:
        return False
    J = np.zeros((3, 3))
    J[UPPER] = placement(part).mass[4:]
    J = J + np.triu(J, 1).T
    return bool(np.linalg.eigvalsh(J[np.ix_(turns, turns)])[0] > 1e-9 * np.abs(J).max() > 0)
