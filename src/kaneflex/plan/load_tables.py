"""Applied loads and given motions of a model as rows of the tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.dispatch import BODY_FORCE, CHAINS
from kaneflex.kernels.forces.friction import FRICTION
from kaneflex.kernels.forces.joint_drive import JOINT_DRIVE
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import SlidingFriction
from kaneflex.model.forces.contract import LoadTable, Row
from kaneflex.model.frames import Frame
from kaneflex.model.media import Medium
from kaneflex.plan.placement import UPPER

if TYPE_CHECKING:
    from kaneflex.plan.build import _Builder


NO_SLIP = 1e-12  # m/s: a slip of less has no direction of its own


def load_row(builder: "_Builder", name: str, kind: int, **fields: int) -> tuple[np.ndarray, np.ndarray]:
    """A new row of the table of loads, with integers by the layout's names; integers and parameters to be filled."""
    if kind != BODY_FORCE and kind not in CHAINS.codes:
        raise ModelError(f'load "{name}": no kernel has the code {kind}: put its file into kernels/forces, or add_load it')
    row, reals = np.zeros(L.FORCE_INTS, np.int64), np.zeros(L.FORCE_REALS)
    row[L.FORCE_KIND] = kind
    for field_name, value in fields.items():
        row[getattr(L, field_name)] = value
    builder.index.loads.setdefault(name, []).append(len(builder.force_rows))
    builder.force_rows.append(row)
    builder.force_reals.append(reals)
    return row, reals


def kind_and_column(builder: "_Builder", row: int) -> tuple[int, int]:
    """Of a row of the table of loads: the code of its kind, and the speed that it acts on."""
    integers = builder.force_rows[row]
    return int(integers[L.FORCE_KIND]), int(integers[L.FORCE_COLUMN])


def put_on_body(builder: "_Builder", row: int, body: int) -> None:
    """Let a row of the table of loads name a body, by its row."""
    builder.force_rows[row][L.FORCE_BODY] = body


class Rows(LoadTable):
    """The rows of one load.

    Args:
        builder: whose table they are in.
        name: of the load.
        signal: the place of its factor in the signal where it is an input.
    """

    def __init__(self, builder: "_Builder", name: str, signal: int | None) -> None:
        self.builder, self.name, self.signal = builder, name, signal
        self.model, self.index = builder.model, builder.index
        self.what = f'load "{name}"' if signal is None else f'input "{name}"'

    def row(self, kind: LoadFacts, **integers: int) -> Row:
        """A new row."""
        return Row(kind, *load_row(self.builder, self.name, kind.code, **integers))

    def set_value(self, row: Row, value: Any, sees: Sequence[str] = ()) -> None:
        """The value of a row, which an input multiplies where it is constant."""
        if callable(value):
            row.integers[L.FORCE_MODE] = L.VECTOR
            row.integers[L.FORCE_LAW_OUTPUT] = self.builder.law(value, sees, row.kind.value, self.what)
            return
        row.reals[L.VALUE : L.VALUE + row.kind.value] = value
        if self.signal is not None:
            row.integers[L.FORCE_MODE], row.integers[L.FORCE_LAW_OUTPUT] = L.ALONG, self.signal

    def end(self, place: Any) -> tuple[int, Frame]:
        """Body and frame of a place."""
        return self.builder.end(place, self.what)

    def medium(self, medium: Medium) -> int:
        """Row of a medium."""
        media = self.builder.media
        if medium not in media:
            media.append(medium)
        return media.index(medium)

    def add_inertia(self, body: int, matrix: np.ndarray) -> None:
        """Add inertia without weight to a body."""
        upper = (matrix[:3, :3][UPPER], matrix[:3, 3:].ravel(), matrix[3:, 3:][UPPER])
        self.builder.added[body] = self.builder.added.get(body, 0) + np.concatenate(upper)

    def check_turns(self, place: str) -> None:
        """Refuse a node without rotation."""
        self.builder.check_turns(place.partition(".")[0], self.end(place)[1], self.what)


def add_load(builder: "_Builder", name: str, load: Any, signal: int | None) -> None:
    """Rows of a load; `signal` is the place of its factor in the signal where it is an input."""
    rows = Rows(builder, name, signal)
    if isinstance(load, SlidingFriction):
        _friction(builder, name, load, rows.what)
    else:
        load.fill(rows)


def _friction(builder: "_Builder", name: str, load: SlidingFriction, what: str) -> None:
    contact = builder.model.contacts[load.contact]
    if load.contact not in builder.model.constraints:  # it was taken off by hand
        return
    (i, a), (j, b) = builder.end(contact.point, what), builder.end(contact.on, what)
    _, reals = load_row(builder, name, FRICTION, FORCE_BODY=i, FORCE_OTHER=j)
    reals[L.POINT : L.POINT + 3] = a.p
    reals[L.FRAME : L.FRAME + 9] = b.R.ravel()
    reals[L.VALUE : L.VALUE + 3] = contact.friction, 1 / NO_SLIP if load.until is None else 0.0, load.since
    reals[L.VALUE + 3 : L.VALUE + 3 + len(load.angle)] = load.angle
    builder.frictions[load.contact] = len(builder.force_rows) - 1


def add_motions(builder: "_Builder") -> None:
    """Coordinates that follow functions of time: the law gives acceleration, value and rate."""
    for name, part in builder.model.parts.items():
        if part.joint.motion is None:
            continue
        joint = builder.index.joints[name]
        for coordinate, motion in part.joint.motions(f'joint "{name}"').items():
            from kaneflex.plan.motion_law import motion_law

            what = f'motion of "{name}.{coordinate}"'
            k = joint.coordinate_names.index(coordinate)
            row, _ = load_row(builder, name, JOINT_DRIVE, FORCE_COLUMN=joint.u0 + k, FORCE_COORDINATE=joint.q0 + k)
            row[L.FORCE_MODE], row[L.FORCE_LAW_OUTPUT] = L.VECTOR, builder.law(motion_law(motion, what), (), 3, what)
            builder.breaks.update(motion.breaks)
            builder.motions += 1


def add_drives(builder: "_Builder") -> None:
    """The accelerations of a moving base."""
    base = builder.model.base
    if base is None:
        return
    turning = base.angular_acceleration is not None
    for body, value in (
        ("base_origin" if turning else "base", base.acceleration),
        ("base", base.angular_acceleration),
    ):
        if value is None:
            continue
        signal = builder.law(value, (), 3, "acceleration of the base") if callable(value) else None
        for k in range(3):
            column = builder.index.joints[body].u0 + k
            row, reals = load_row(builder, "base", JOINT_DRIVE, FORCE_COLUMN=column, FORCE_COORDINATE=-1)
            if signal is None:
                reals[L.VALUE] = value[k]
            else:
                row[L.FORCE_MODE], row[L.FORCE_LAW_OUTPUT] = L.VECTOR, signal + k
