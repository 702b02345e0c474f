"""System -> Plan: numbering, frames moved to the joints, tables filled."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.bodies.dispatch import CHAINS as BODY_KINDS
from kaneflex.kernels.forces import dispatch as kinds
from kaneflex.kernels.joints.custom import CUSTOM_JOINT, CUSTOM_POSE
from kaneflex.kernels.joints.dispatch import CHAINS as JOINT_KINDS
from kaneflex.kernels.node import NODE_JOINT
from kaneflex.kernels.sensors import SENSE_SUM
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.frames import Frame, NodeFrame, as_frame
from kaneflex.model.joints import speed_names
from kaneflex.model.model import GROUND, Model, Part
from kaneflex.model.profiles import Profile, Ready
from kaneflex.plan.blocks import add_drivers
from kaneflex.plan.body_laws import add_body_law
from kaneflex.plan.channels import SensorTable, add_channel
from kaneflex.plan.constraint_tables import element_of
from kaneflex.plan.formulation import Formulation, formulation_of
from kaneflex.plan.laws import CompiledFunction
from kaneflex.plan.laws.profiles import breaks_in, value_curve
from kaneflex.plan.load_tables import add_drives, add_load, add_motions, load_row
from kaneflex.plan.loop_tables import Element, LoopTables, delassus_sizes, integer_tables, lay_out
from kaneflex.plan.modal_tables import FlexibleTables, ModalIndex, seen_from, undeformed, with_constant_mass
from kaneflex.plan.placement import UPPER, placement
from kaneflex.plan.plan import Event, Index, JointIndex, Plan, Watch
from kaneflex.plan.state_layout import StateLayout

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
    if plain and key in model.plans and model.plans[key].is_current():
        return model.plans[key]
    builder = _Builder(model, way, speeds, dict(inputs or {}), events, dense_room, allow_missing)
    builder.watches = list(watches)
    plan = builder.plan()
    if plain:
        model.plans[key] = plan
    return plan


class _Builder:
    """Fills the tables in one sweep over the model."""

    def __init__(
        self,
        model: Model,
        formulation: Formulation,
        speeds: str,
        inputs: dict[str, Any],
        events: Any,
        dense: bool,
        missing: bool,
    ):
        self.model, self.formulation, self.speeds = model, formulation, speeds
        self.input_functions, self.events, self.dense = inputs, events, dense or formulation.is_dense
        self.body_rows, self.body_reals = [np.zeros(L.BODY_INTS, np.int64)], [np.zeros(L.BODY_REALS)]
        self.flexible = FlexibleTables()
        self.columns: list[list[int]] = []
        self.rotor_rows: list[list[int]] = []
        self.rotor_reals: list[list[float]] = []
        self.force_rows: list[np.ndarray] = []
        self.force_reals: list[np.ndarray] = []
        self.law_rows: list[list[int]] = []
        self.laws: list[CompiledFunction] = []
        self.sensors = SensorTable()
        self.index = Index(model.name)
        self.quaternions: list[int] = []
        self.elements: list[Element] = []
        self.breaks: set[float] = set()
        self.watches: list[Watch] = []
        self.frictions: dict[str, int] = {}  # contact whose point slides -> load
        self.motions = 0
        self.signal = len(model.inputs)
        self.sense = 0
        self.wires: list[tuple[int, int]] = []
        self.rotors_of: dict[str, list[tuple[str, Any]]] = {}
        for rotor, (owner, data) in model.rotors.items():
            self.rotors_of.setdefault(owner, []).append((rotor, data))
        self.state_rates: list[int] = []  # where the rate of each state of a block stands in the law outputs
        self.allow_missing = missing
        self.missing: list[str] = []

    def plan(self) -> Plan:
        for part in self.model.parts.values():
            self._body(part)
        _check_masses(self.model)
        self.index.inputs = {name: k for k, name in enumerate(self.model.inputs)}
        self.index.groups = {name: k + 1 for k, name in enumerate(self.model.groups)}
        self.index.units = dict(self.model.units)
        for name in self.input_functions:
            checks.known(name, self.model.inputs, "input")
        add_drivers(self, self.input_functions)
        add_drives(self)
        add_motions(self)
        for name, load in self.model.loads.items():
            add_load(self, name, load, None)
        for name, load in self.model.inputs.items():
            add_load(self, name, load, self.index.inputs[name])
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
            for node in self.model.parts[name].body.modal.nodes:  # type: ignore[attr-defined]
                self._node(name, node)
        return self._assemble(bodies, first_event)

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
            efficient = total and self.speeds != "customary" and (base or not prescribed)
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
        modal, speeds = seen_from(body.modal, R, p), L.RATES
        if self.formulation.undeformed:
            modal, speeds = undeformed(modal), L.UNDEFORMED
        elif self.speeds == "constant-mass":
            modal, speeds = with_constant_mass(modal), L.CONSTANT_MASS
        flexible = self.flexible.add_body(row, modal, q0, u0, len(loaded), speeds)
        self.body_rows[row][[L.MODES, L.FLEXIBLE]] = m, flexible
        self.index.modes[name] = ModalIndex(q0, u0, m, body.modal)
        for node in loaded:
            self._node(name, node)

    def _node(self, body: str, node: str) -> int:
        """Row of a node of a flexible body, added when first asked for."""
        if (body, node) not in self.index.nodes:
            parent = self.index.joints[body].row
            flexible = int(self.body_rows[parent][L.FLEXIBLE])
            number = self.flexible.add_node(flexible, self.flexible.seen[flexible].nodes[node])
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
        node = self.flexible.seen[int(self.body_rows[self.index.joints[body].row][L.FLEXIBLE])].nodes[frame.node]
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

    def law(self, function: Any, sees: Sequence[str], outputs: int, what: str, out: int | None = None) -> int:
        """Add a user function of the channels it sees; returns where its outputs begin in the signal."""
        first, size = len(self.sensors.integers), 0
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
        if isinstance(function, Profile):
            function = value_curve(function) if isinstance(function, Ready) else function.functions[0]
        law = CompiledFunction(function, size, outputs, name=what, symbolic=getattr(function, "symbolic", None))
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
        body, frame = place.partition(".")[::2]
        if body == GROUND:
            return 0, Frame()
        self.model.locate(place, what)
        found = self.index.frames[body].get(frame)
        if isinstance(found, NodeFrame):
            self._node(body, found.node)
        return self.index.place(body, frame)

    # -- putting together --------------------------------------------------------------------------------------------

    def _assemble(self, bodies: int, first_event: int) -> Plan:
        self.body, self.par = np.array(self.body_rows), np.array(self.body_reals)
        n, nu = len(self.body), len(self.columns)
        if nu == 0:
            raise ModelError(f'system "{self.model.name}" has no speeds: give at least one body a joint that moves')
        dense = int(self.dense)
        for element in self.elements:
            element.slides = element.name in self.frictions
        loops = lay_out(
            self.elements,
            self.body[:, L.PARENT],
            self.body[:, L.MODES] > 0,
            [c[L.BODY] for c in self.columns],
            self.formulation.is_dense,
        )
        self.body[:, L.PATH0 : L.CLOSES + 1] = loops.body_rows
        head = np.zeros(L.HEADER, np.int64)
        self._place_work(head, loops, dense)
        reals = self._reals(head, loops)
        ints = self._integers(head, loops, sum(map(len, reals)) - self.flexible.size)
        head[L.BODIES], head[L.ALL_BODIES], head[L.FLEXIBLES] = bodies, n, len(self.flexible.bodies)
        head[L.COORDINATES], head[L.SPEEDS] = len(self.index.coordinates), nu
        head[L.FRICTIONS] = len(self.frictions)
        head[L.ROTORS], head[L.FORCES], head[L.LAWS] = len(self.rotor_rows), len(self.force_rows), len(self.law_rows)
        head[L.INPUTS], head[L.EVENTS], head[L.FIRST_EVENT] = len(self.model.inputs), len(self.events), first_event
        head[L.QUATERNIONS], head[L.STATES] = len(self.quaternions), len(self.state_rates)
        head[L.MOTIONS], head[L.WATCHES] = self.motions, len(self.watches)
        head[L.PRESCRIBED_SPEEDS] = sum(c[L.PRESCRIBED] for c in self.columns)
        head[L.CONSTRAINTS], head[L.CLUSTERS] = len(self.elements), len(loops.clusters)
        head[L.ROWS] = sum(len(e.codes) for e in self.elements)
        spatial = {kind.FACTS.code for kind in kinds.CHAINS.kinds if kind.FACTS.spatial}
        placed = bool(self.law_rows) or bool(self.elements) or any(row[L.FORCE_KIND] in spatial for row in self.force_rows)
        head[L.PLACED] = int(placed or self.formulation.is_placed)
        head[L.GROUPS] = 1 + len(self.index.groups)
        head[L.SUMMED] = int(any(row[L.SENSOR_KIND] == SENSE_SUM for row in self.sensors.integers))
        for k in loops.order:
            first = loops.first_row[k]
            self.index.constraints[self.elements[k].name] = slice(first, first + len(self.elements[k].codes))
        I = np.concatenate([head, *ints])
        P = np.concatenate(reals)
        plan = Plan(self.model.kept(), self.formulation, self.speeds, I, P, self.index, self.laws, tuple(self.missing))
        plan.breaks = tuple(sorted(self.breaks))
        return plan

    def _place_work(self, head: np.ndarray, loops: LoopTables, dense: int) -> None:
        """Places of the tables in W."""
        n, nu = len(self.body), len(self.columns)
        rows, rubbing = sum(len(e.codes) for e in self.elements), len(self.frictions)
        tree = StateLayout(len(self.index.coordinates), nu, len(self.state_rates))
        speeds = self.body[:, L.NU] + 2 * self.body[:, L.MODES]
        paths = [int(speeds[i]) for i, _, _ in loops.path_entries]
        wrenches = [len(e.codes) * len(e.bodies) for e in self.elements]
        end = n * L.BODY_WIDTH
        for place, size in (
            (L.W_COLUMN, nu * L.COLUMN_WIDTH),
            (L.W_LAW_OUTPUT, self.signal),
            (L.W_LAW_INPUT, self.sense),
            (L.W_ENERGY, len(self.force_rows) * L.ENERGY_WIDTH),
            (L.W_TAU, nu),
            (L.W_ROW, (rows + rubbing) * L.ROW_WIDTH),
            (L.W_PATH, len(paths) * L.PATH_T + sum(paths)),
            (L.W_WRENCH, sum(wrenches) * L.WRENCH_WIDTH),
            (L.W_DELASSUS, sum(delassus_sizes(self.elements, loops))),
            (L.W_TERM, sum(len(e.terms) for e in self.elements)),
            (L.W_ZERO, L.projection_size_work(nu, len(self.index.coordinates))),
            (L.W_JACOBIAN, self.formulation.is_dense * L.jacobian_size_work(rows, nu, rubbing)),
            (L.W_OWN, self.formulation.room(tree, n, rows)),
            (L.W_FLEXIBLE, self.flexible.work),
            (L.W_FRICTION, rubbing * L.FRICTION_WIDTH),
            (L.W_NORMAL, L.pivoted_size_work(rubbing)),
            (L.W_STATE, len(self.state_rates)),
            (L.W_GROUP, (1 + len(self.index.groups)) * L.GROUP_WIDTH),
            (L.W_RANK, (rows > 0) * L.RANK_WIDTH),
            (L.W_PARTIAL, dense * n * nu * L.PARTIAL_WIDTH),
            (L.W_RATIO, dense * nu * nu),
            (L.W_MASS, dense * nu * nu),
        ):
            head[place] = end
            end += size
        head[L.W_SIZE] = end

    def _integers(self, head: np.ndarray, loops: LoopTables, first_modal: int) -> list[np.ndarray]:
        """The integer tables, their places noted in the header; data of flexible bodies are in P from `first_modal` on."""
        sensor_ints, _ = self.sensors.arrays()
        places = {"row": int(head[L.W_ROW]), "path_entry": int(head[L.W_PATH]), "delassus": int(head[L.W_DELASSUS])}
        tied = integer_tables(
            self.elements,
            loops,
            self.body[:, L.PARENT],
            self.body[:, L.U0],
            self.body[:, L.NU] + 2 * self.body[:, L.MODES],
            [c[L.BODY] for c in self.columns],
            {name: (m, *self.force_rows[m][[L.FORCE_BODY, L.FORCE_OTHER]].tolist()) for name, m in self.frictions.items()},
            places,
        )
        first = {self.elements[k].name: loops.first_row[k] for k in loops.order}
        flexible, nodes = self.flexible.integers(first_modal, int(head[L.W_FLEXIBLE]))
        group_rows, members = self._groups()
        tables = {
            -1: self.body.ravel(),
            L.I_COLUMN: np.array(self.columns, np.int64).ravel(),
            L.I_ROTOR: np.array(self.rotor_rows, np.int64).ravel(),
            L.I_FORCE: np.concatenate([np.zeros(0, np.int64), *self.force_rows]),
            L.I_LAW: np.array(self.law_rows, np.int64).ravel(),
            L.I_SENSOR: sensor_ints,
            L.I_STATE: np.array(self.state_rates, np.int64),
            L.I_GROUP: group_rows,
            L.I_MEMBER: members,
            L.I_WIRE: np.array(self.wires, np.int64).ravel(),
            L.I_QUATERNION: np.array(self.quaternions, np.int64),
            L.I_CONSTRAINT: tied["constraint"],
            L.I_ROW: tied["row"],
            L.I_CLUSTER: tied["cluster"],
            L.I_PATH: tied["path_entry"],
            L.I_ATTACHMENT: tied["attachment"],
            L.I_TERM: tied["term"],
            L.I_FLEXIBLE: flexible,
            L.I_NODE: nodes,
            L.I_WATCH: np.array([(first[w.constraint] + w.equation, w.friction > 0) for w in self.watches], int).ravel(),
            L.I_FRICTION: tied["friction"],
        }
        start = L.HEADER
        for place, table in tables.items():
            if place >= 0:
                head[place] = start
            start += len(table)
        return list(tables.values())

    def _groups(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the groups, the first being the whole system, and the lists of their bodies and rotors."""
        rows, lists = list[int](), list[int]()
        for names in (self.model.parts, *self.model.groups.values()):
            bodies = [self.index.joints[name].row for name in names]
            rotors = [k for k, (row, _) in enumerate(self.rotor_rows) if row in set(bodies)]
            rows += [len(lists), len(bodies), len(lists) + len(bodies), len(rotors)]
            lists += [*bodies, *rotors]
        return np.array(rows, np.int64), np.array(lists, np.int64)

    def _reals(self, head: np.ndarray, loops: LoopTables) -> list[np.ndarray]:
        """The tables of parameters, their places noted in the header."""
        elements = [self.elements[k] for k in loops.order]
        tables = {
            -1: self.par.ravel(),
            L.P_GRAVITY: np.array(self.model.gravity),
            L.P_ROTOR: np.array(self.rotor_reals, float).ravel(),
            L.P_FORCE: np.concatenate([np.zeros(0), *self.force_reals]),
            L.P_SENSOR: self.sensors.arrays()[1],
            L.P_CONSTRAINT: np.concatenate([np.zeros(0), *(e.reals for e in elements)]),
            L.P_TERM: np.array([t[3] for e in elements for t in e.terms]),
            L.P_WATCH: np.array([w.friction for w in self.watches], float),
        }
        start = 0
        for place, table in tables.items():
            if place >= 0:
                head[place] = start
            start += len(table)
        return [*tables.values(), *self.flexible.reals]


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
    """Something with mass must hang on every joint that moves freely."""
    heavy = {name: placement(part).mass[0] > 0 for name, part in model.parts.items()}
    for name in reversed(model.parts):
        part = model.parts[name]
        prescribed = model.base is not None and name in ("base", "base_origin")
        prescribed = prescribed or (
            part.joint.motion is not None and len(part.joint.motions(f'joint "{name}"')) == part.joint.facts.speeds
        )
        if not heavy[name] and part.joint.facts.speeds and not prescribed:
            raise ModelError(
                f'body "{name}" has no mass and nothing with mass hangs on it, but its joint moves: '
                "give it a mass, or a Fixed joint"
            )
        if part.parent != GROUND:
            heavy[part.parent] |= heavy[name]
