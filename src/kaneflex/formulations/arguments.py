"""Arguments of `Dynamics`, checked before kernels read them, which look at no sizes."""

from typing import Any

import numpy as np

from kaneflex.kernels import sensors as S
from kaneflex.kernels.tables import width as row_width
from kaneflex.model.checks import ModelError, dimensions, finite, real, shown
from kaneflex.plan.plan import Plan

Array = np.ndarray
INTEGERS = row_width("sensor", "I")
SENSORS = max(number for name, number in vars(S).items() if name.startswith("SENSE_")) + 1  # kinds of them


def size_of_reals(integers: Array) -> int:
    """How many reals belong to a sensor table."""
    return len(integers) // INTEGERS * row_width("sensor", "P")


def in_place(y: Any, n: int, what: str) -> Array:
    """An array of n numbers or more that a kernel may change: contiguous, float64, finite."""
    fit = isinstance(y, np.ndarray) and y.dtype == np.float64 and y.ndim == 1 and len(y) >= n
    if not (fit and y.flags.c_contiguous and y.flags.writeable):
        raise ModelError(f"{what} is changed in place: give a contiguous float64 array of {n} numbers or more")
    return finite(y, n, what, least=True)


def table(value: Any, rows: int, columns: int, what: str, *, least: bool = False) -> Array:
    """A finite real array of rows and columns (`least`: or more of these), contiguous."""
    x = real(value, what, f"{rows} rows of {columns} numbers")
    if x.ndim != 2 or x.shape[0] != rows or (x.shape[1] < columns if least else x.shape[1] != columns):
        more = " or more" if least else ""
        raise ModelError(f"{what} have shape {np.shape(value)}: give {rows} rows of {columns} numbers{more}")
    if not np.isfinite(x).all():
        raise ModelError(f"{what} are not finite in row {int(np.argwhere(~np.isfinite(x))[0, 0])}: give finite numbers only")
    return x


def samples(plan: Plan, times: Any, states: Any) -> tuple[Array, Array]:
    """Times (s) and as many rows (q, u, ...)."""
    if dimensions(times) != 1:
        raise ModelError(f"times are {shown(times)}: give one time for each row of states")
    t = finite(times, len(times), "times")
    rows = table(states, len(t), plan.nq + plan.nu, "states (one row for each of times)", least=True)
    if plan.nq + plan.nu < rows.shape[1] < plan.layout.states:
        blocks = plan.layout.nz
        raise ModelError(f"states have {rows.shape[1]} columns: give q and u, or q, u and the {blocks} states of blocks")
    return t, rows


def check_sensors(plan: Plan, integers: Any, size: int) -> None:
    """Raise an error where a sensor table is not one of this plan: it would make kernels read, or write, elsewhere."""
    n = len(integers) // INTEGERS if isinstance(integers, np.ndarray) and integers.ndim == 1 else -1
    if n < 0 or integers.dtype != np.int64 or len(integers) != n * INTEGERS:
        raise ModelError(f"sensor_integers must be an int64 array, {INTEGERS} for each sensor: see SensorTable.arrays")
    kind, body, index, width, out = integers.reshape(n, INTEGERS).T
    header = plan.header
    room = np.full(SENSORS, np.iinfo(np.int64).max)
    room[[S.SENSE_RATE, S.SENSE_WDOT, S.SENSE_SPEED, S.SENSE_TAU, S.SENSE_DRIVE]] = plan.nu
    room[[S.SENSE_STATE, S.SENSE_SUM]] = plan.layout.nz, header.groups * row_width("group", "W")
    room[[S.SENSE_Q, S.SENSE_MULTIPLIER]] = plan.nq, header.rows
    room[S.SENSE_SIGNAL] = header.w_law_input - header.w_law_output
    room[S.SENSE_ENERGY] = header.forces + row_width("energy", "W") - 1
    known = (kind >= 0) & (kind < len(room)) & (body >= 0) & (body < header.all_bodies) & (index >= 0) & (width >= 0)
    fits = known & (out >= 0) & (out + width <= size)
    fits[known] &= index[known] + width[known] <= room[kind[known]]
    if not fits.all():
        raise ModelError(
            f'sensor {int(np.argmin(fits))} does not fit system "{plan.model.name}" or the {size} numbers of a row: '
            "make the table of this plan's index, see add_channel"
        )


__all__ = ["check_sensors", "in_place", "samples", "size_of_reals", "table"]
