"""Forces and torques as arrows, and springs, ropes and rods as lines."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import ConstraintBase, Distance
from kaneflex.model.forces import Force, SpringDamper, Torque
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free
from kaneflex.model.model import GROUND

if TYPE_CHECKING:
    from kaneflex.model.model import Model
    from kaneflex.results.run import Run

Array = np.ndarray
MOST_JOINTS = 8  # whose loads are shown
MOST_BODIES = 60  # of a system whose joint loads are computed
MOST_APPLIED = 20  # loads that act from outside
MOST_LINES = 400


@dataclass(frozen=True)
class Arrow:
    """A vector at a point over time.

    Args:
        name: what it is.
        kind: "load" for what acts from outside, "force" and "torque" for what joints and constraints carry.
        at: (K, 3), inertial axes, m; NaN where there is none.
        vector: (K, 3), inertial axes, N or N m.
        unit: "N" or "N m".
        shown: from the start.
    """

    name: str
    kind: str
    at: Array
    vector: Array
    unit: str
    shown: bool


def places_of(model: "Model") -> list[str]:
    """Channels that arrows and lines of a model need.

    Args:
        model: the model.
    """
    names: list[str] = []
    for load in {**model.loads, **model.inputs}.values():
        if isinstance(load, Force):
            names += [f"{load.at}.position", f"{load.at}.rotation"]
            names += load.sees if callable(load.value) else ()
        elif isinstance(load, SpringDamper):
            names += [f"{end}.position" for end in (load.a, load.b) if isinstance(end, str) and end != GROUND]
    for constraint in model.constraints.values():
        names += [f"{end}.position" for end in constraint.ends() if isinstance(end, str) and end != GROUND]
    return names


def lines(model: "Model", values: dict[str, Array], count: int) -> Iterator[tuple[str, Array]]:
    """Names and ends (K, 2, 3) of springs, dampers, ropes and rods.

    Args:
        model: the model.
        values: of the channels `places_of` names.
        count: number of samples.
    """
    everything: dict[str, Any] = {**model.loads, **model.inputs, **model.constraints}
    spans = [(name, x) for name, x in everything.items() if isinstance(x, SpringDamper | Distance)]
    for name, span in spans[:MOST_LINES]:
        a, b = (_place(end, values, count) for end in (span.a, span.b))
        if a is not None and b is not None:
            yield name, np.stack([a, b], axis=1)


def applied(run: "Run", keep: Array, values: dict[str, Array]) -> Iterator[Arrow]:
    """Forces and torques from outside, inputs among them.

    Args:
        run: the run.
        keep: numbers of the samples.
        values: of the channels `places_of` names, at these samples.
    """
    t = run.t[keep]
    loads = {**run.model.loads, **run.model.inputs}
    for name, load in [(n, x) for n, x in loads.items() if isinstance(x, Force)][:MOST_APPLIED]:
        at, turn = values.get(f"{load.at}.position"), values.get(f"{load.at}.rotation")
        value = _value(load, t, values)
        if at is None or turn is None or value is None:
            continue
        if name in run.model.inputs:
            value = value * np.asarray(run[name])[keep][:, None]
        vector = np.einsum("nij,nj->ni", turn, value) if load.axes == "body" else value
        yield Arrow(name, "load", at, vector, "N m" if isinstance(load, Torque) else "N", True)


def _value(load: Force, t: Array, values: dict[str, Array]) -> Array | None:
    """What a load's function gave, (K, 3); None where that is not known."""
    if not callable(load.value):
        return np.tile(np.array(load.value, dtype=float), (len(t), 1))
    function: Callable[..., Any] = load.value
    seen = [values.get(name) for name in load.sees]
    if any(x is None for x in seen):
        return None
    x = np.column_stack([np.asarray(s).reshape(len(t), -1) for s in seen]) if seen else None
    try:
        rows = [function(s) for s in t] if x is None else [function(s, row) for s, row in zip(t, x, strict=True)]
        found = np.array(rows, dtype=float)
    except Exception:  # a function written for symbols or compiled code, or one that the run's file does not hold
        return None
    return found if found.shape == (len(t), 3) else None


def joint_arrows(
    run: "Run", keep: Array, poses: dict[str, tuple[Array, Array]], values: dict[str, Array]
) -> Iterator[Arrow]:
    """Forces and torques in joints and constraints, on their outboard bodies.

    Args:
        run: the run.
        keep: numbers of the samples.
        poses: R (K, 3, 3) and p (K, 3) of bodies.
        values: of the channels `places_of` names.
    """
    if run.plan.missing or len(run.model.parts) > MOST_BODIES:
        return
    model = run.model
    joints = [n for n, part in model.parts.items() if not isinstance(part.joint, Free) and n in poses][:MOST_JOINTS]
    for name in joints:
        R, p = poses[name]
        yield from _pair(run, name, keep, p + R @ model.parts[name].hinge.p)
    ties: dict[str, ConstraintBase] = {}
    for segment in (*run.segments, run.last):
        ties |= segment.model.constraints
    for name, constraint in list(ties.items())[:MOST_JOINTS]:
        ends = [e for e in constraint.ends() if isinstance(e, str) and e.partition(".")[0] != GROUND]
        at = _place(ends[-1], values, len(keep)) if ends else None
        if at is not None:
            yield from _pair(run, name, keep, at)


def _pair(run: "Run", name: str, keep: Array, at: Array) -> Iterator[Arrow]:
    """Force and torque of one joint or constraint, where they are not zero."""
    try:
        loads = run.loads(name)
    except ModelError:  # it acts in joints, or needs functions that a file does not hold
        return
    reach = max(_largest(x) for x in (loads.force, loads.torque))
    for kind, vector, unit in (("force", loads.force, "N"), ("torque", loads.torque, "N m")):
        if _largest(vector) > 1e-9 * reach:
            yield Arrow(f"{name} {kind}", kind, at, vector[keep], unit, False)


def _largest(vectors: Array) -> float:
    return float(np.abs(np.nan_to_num(vectors)).max(initial=0.0))


def _place(end: Any, values: dict[str, Array], count: int) -> Array | None:
    """An end of a spring or constraint over time."""
    if isinstance(end, str) and end != GROUND:
        return values.get(f"{end}.position")
    point = (0.0, 0.0, 0.0) if isinstance(end, str) else end.position if isinstance(end, Frame) else end
    return np.tile(np.array(point, dtype=float), (count, 1))
