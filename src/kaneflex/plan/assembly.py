"""The rows that are collected of a model, and the arrays I and P that they become."""

from typing import Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import dispatch as kinds
from kaneflex.kernels.ops import LANES
from kaneflex.kernels.sensors import SENSE_Q, SENSE_RATE, SENSE_SIGNAL, SENSE_STATE, SENSE_SUM
from kaneflex.model.checks import ModelError
from kaneflex.model.media import Medium
from kaneflex.model.model import Model
from kaneflex.plan.cache_lines import LINE, aligned, up_to_line
from kaneflex.plan.channels import SensorTable
from kaneflex.plan.formulation import Formulation
from kaneflex.plan.laws import CompiledFunction
from kaneflex.plan.loop_tables import Element, LoopTables, delassus_sizes, integer_tables, lay_out
from kaneflex.plan.medium_tables import medium_arrays
from kaneflex.plan.modal_tables import FlexibleTables
from kaneflex.plan.plan import Index, Plan, Watch
from kaneflex.plan.state_layout import StateLayout


class CollectedRows:
    """Rows of all tables, as they are collected in one sweep over a model."""

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
        self.media: list[Medium] = []
        self.medium_rows: list[list[int]] = []
        self.added: dict[int, np.ndarray] = {}  # inertia without weight, by body
        self.law_rows: list[list[int]] = []
        self.laws: list[CompiledFunction] = []
        self.sensors = SensorTable()
        self.index = Index(model.name, gravity=model.gravity)
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

    def assemble(self, bodies: int, first_event: int) -> Plan:
        """The plan of what was collected: the first `bodies` rows of bodies are those that the equations need, others are
        nodes that only channels look at.

        Laws of events are those from `first_event` on.
        """
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
        ints = self._integers(head, loops, int(head[L.P_SPARE]) - self.flexible.size)
        head[L.BODIES], head[L.ALL_BODIES], head[L.FLEXIBLES] = bodies, n, len(self.flexible.bodies)
        head[L.COORDINATES], head[L.SPEEDS] = len(self.index.coordinates), nu
        head[L.FRICTIONS], head[L.MEDIA] = len(self.frictions), len(self.media)
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
        head[L.LOOKING] = int(any(self._looks(row) for row in self.sensors.integers))
        for k in loops.order:
            first = loops.first_row[k]
            self.index.constraints[self.elements[k].name] = slice(first, first + len(self.elements[k].codes))
        I = np.concatenate([head, *ints])
        P = aligned(sum(map(len, reals)))
        np.concatenate(reals, out=P)
        plan = Plan(self.model.kept(), self.formulation, self.speeds, I, P, self.index, self.laws, tuple(self.missing))
        plan.breaks = tuple(sorted(self.breaks))
        return plan

    def _looks(self, sensor: Any) -> bool:
        """Whether what a user function sees has to be found from the motion of bodies; a rate that is a speed has not."""
        if sensor[L.SENSOR_KIND] == SENSE_RATE:
            first, size = int(sensor[L.SENSOR_INDEX]), int(sensor[L.SENSOR_SIZE])
            return bool(self.flexible.bodies) or any(c[L.TOTAL] for c in self.columns[first : first + size])
        return sensor[L.SENSOR_KIND] not in (SENSE_Q, SENSE_SIGNAL, SENSE_STATE)

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
            (L.W_FLEXIBLE, self.flexible.work + (LINE if self.flexible.work else 0)),
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
        first_work = int(head[L.W_FLEXIBLE])
        flexible, nodes = self.flexible.integers(first_modal, first_work + up_to_line(first_work))
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
            L.I_OPEN: tied["open"],
            L.I_PATH: tied["path_entry"],
            L.I_ATTACHMENT: tied["attachment"],
            L.I_TERM: tied["term"],
            L.I_FLEXIBLE: flexible,
            L.I_NODE: nodes,
            L.I_WATCH: np.array([(first[w.constraint] + w.equation, w.friction > 0) for w in self.watches], int).ravel(),
            L.I_FRICTION: tied["friction"],
            L.I_MEDIUM: np.array(self.medium_rows, np.int64).ravel(),
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
        around = [np.zeros(0)]
        for medium in self.media:
            row, data = medium_arrays(medium, self.model.gravity)
            self.medium_rows.append([start, *row])
            around.append(data)
            start += len(data)
        for body, inertia in self.added.items():
            self.body[body, L.ADDED] = start
            around.append(inertia)
            start += len(inertia)
        around.append(np.zeros(up_to_line(start)))
        head[L.P_SPARE] = start + up_to_line(start) + self.flexible.size
        return [*tables.values(), *around, *self.flexible.reals, np.zeros(LANES)]
