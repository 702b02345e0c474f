"""Forces and torques as arrows, and springs, ropes and rods as lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import ConstraintBase
from kaneflex.model.forces import Load
from kaneflex.model.forces.contract import on_body
from kaneflex.model.frames import GROUND, Frame
from kaneflex.model.joints import Fixed, Free
from kaneflex.view.rods import owners_of

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
    everything: list[Any] = [*loads_of(model).values(), *model.constraints.values()]
    for load in loads_of(model).values():
        names += load.channels()
    for thing in everything:
        if thing.drawn or isinstance(thing, ConstraintBase):
            names += [f"{end}.position" for end in thing.ends() if on_body(end)]
    return names


def loads_of(model: "Model") -> dict[str, Load]:
    """Loads and inputs by name, without those that a run puts on by itself.

    Args:
        model: the model.
    """
    return {name: load for name, load in {**model.loads, **model.inputs}.items() if isinstance(load, Load)}


def lines(model: "Model", values: dict[str, Array], count: int) -> Iterator[tuple[str, str, Array]]:
    """Names, kinds and ends (K, 2, 3) of springs, dampers, struts (both), ropes and rods.

    Args:
        model: the model.
        values: of the channels `places_of` names.
        count: number of samples.
    """
    everything: dict[str, Any] = {**loads_of(model), **model.constraints}
    spans = [(name, x.drawn, x.ends()) for name, x in everything.items() if x.drawn]
    for name, kind, ends in spans[:MOST_LINES]:
        a, b = (_place(end, values, count) for end in ends)
        if a is not None and b is not None:
            yield name, kind, np.stack([a, b], axis=1)


def applied(run: "Run", keep: Array, values: dict[str, Array]) -> Iterator[Arrow]:
    """Forces and torques from outside, inputs among them.

    Args:
        run: the run.
        keep: numbers of the samples.
        values: of the channels `places_of` names, at these samples.
    """
    found = 0
    for name, load in loads_of(run.model).items():
        drawn = load.arrow(run.t[keep], values) if found < MOST_APPLIED else None
        if drawn is not None:
            at, vector, unit = drawn
            if name in run.model.inputs:
                vector = vector * np.asarray(run[name])[keep][:, None]
            found += 1
            yield Arrow(name, "load", at, vector, unit, True)


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
    free = {n for n, part in model.parts.items() if isinstance(part.joint, Free)} | set(owners_of(model))
    fixed = [n for n, p in model.parts.items() if p.parent == GROUND and isinstance(p.joint, Fixed)]
    stands = {n for n in fixed if model.parts[n].body.mass_properties()[0] == 0}  # pass on what others load them with
    joints = [n for n in model.parts if n not in free | stands and n in poses][:MOST_JOINTS]
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
