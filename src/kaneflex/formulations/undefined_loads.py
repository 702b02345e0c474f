"""Loads that are not defined at a state: lines whose ends coincide, functions that give no finite number."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.kernels.forces.line_force import LINE_FORCE

if TYPE_CHECKING:
    from kaneflex.formulations.dynamics import Dynamics

SHORT = 1e-12  # m, and of the distance of the ends from the origin of N: a line without a direction


def undefined_load(dynamics: "Dynamics", t: float) -> str:
    """Why a load is not defined where the dynamics was last evaluated, at time t; empty where all are."""
    if said := line_without_length(dynamics, t):
        return said
    energy = dynamics.work.energy
    powers = np.column_stack([energy.potential, energy.power_applied, energy.power_dissipated])
    for name, rows in _loads(dynamics):
        if not np.isfinite(powers[rows]).all():
            return f'load "{name}" is not finite at t = {t:.6g} s: look for a division by zero or a root in its function'
    return ""


def line_without_length(dynamics: "Dynamics", t: float) -> str:
    """That the ends of a line coincide where the dynamics was last evaluated, at time t; empty where none do."""
    plan, body = dynamics.plan, dynamics.work.body
    for name, rows in _loads(dynamics):
        for m in rows:
            row = plan.tables.force[m]
            if row.kind != LINE_FORCE:
                continue
            ends = (row.body, row.point), (row.other, row.point_other)
            a, b = (body[i].p_nm + body[i].r_nm @ p for i, p in ends)
            if np.linalg.norm(b - a) <= SHORT * (1 + np.abs(a).max()):
                return (
                    f'load "{name}" has no direction at t = {t:.6g} s: its two ends coincide. Keep them apart; only a '
                    "spring of length 0 without damping and tension may pass through that place"
                )
    return ""


def _loads(dynamics: "Dynamics") -> Iterator[tuple[str, list[int]]]:
    """Loads and inputs by name, with their rows in the table of loads."""
    model = dynamics.plan.model
    return ((name, rows) for name, rows in dynamics.plan.index.loads.items() if name in model.loads or name in model.inputs)
