"""Which channels a page plots, and their values."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.structures.modes.modal_nodes import followed
from kaneflex.view.rods import owners_of
from kaneflex.view.samples import Piece, gather

if TYPE_CHECKING:
    from kaneflex.results.run import Run

Array = np.ndarray
SHOWN = 5  # plots of a page that is opened
CANDIDATES = 12  # channels among which these are chosen
MOST_LINES = 120  # of all plots of one run that can be chosen
MOST_COMPONENTS = 9  # of one plot
NEGLIGIBLE = 1e-11  # of the largest value of the same unit: what is smaller is rounding, and shown as zero
TURNS = 2.0  # of a driven joint, from which on its rate says more than its angle
SUMS = ("energy.total", "energy.kinetic", "energy.potential", "momentum.linear", "momentum.angular")


def chosen_channels(run: "Run") -> list[str]:
    """What a page shows at first: how the joints and the nodes of flexible bodies move, and the energy.

    Args:
        run: the run.
    """
    index = run.plan.index
    found, turning = list[str](), list[str]()
    own = {"base", "base_origin"} if run.model.base is not None else set()
    own |= set(owners_of(run.model))
    found += [f"{rod}.tip.position" for rod in index.rods]
    for body, joint in index.joints.items():
        if body in own:
            continue
        if body in index.modes:
            found += _deflections(run, body)[:1]
        if joint.quaternion is not None:
            found += [f"{body}.position"] if "x" in joint.coordinate_names else []
            turning.append(f"{body}.omega")
        elif joint.coordinates and run.model.parts[body].joint.motion is None:
            found.append(_coordinates(run, body))
    others = {body: joint for body, joint in index.joints.items() if body not in own}
    driven = [_coordinates(run, body) for body, joint in others.items() if joint.coordinates and joint.quaternion is None]
    further = [_rate_of_many_turns(run, name) for name in driven if name not in found]
    inputs = [name for name in index.inputs if name not in index.inner]
    moving = list(dict.fromkeys([*found, *turning, *inputs, *further]))[:CANDIDATES]
    places = [f"{body}.position" for body in list(index.joints)[-1:]]
    values = {name: np.reshape(run[name], (len(run.t), -1)) for name in [*moving, *places]}
    without_rounding([run], [values])
    changing = [name for name in moving if np.ptp(np.nan_to_num(values[name]), axis=0).any()]
    return [*(changing or moving)[: SHOWN - 1], "energy.total"]


def _coordinates(run: "Run", body: str) -> str:
    """The channel of a joint's coordinates, or of the body's place where their number changes during the run."""
    joints = [part.plan.index.joints for part in (*run.segments, run.last)]
    steady = len({len(found[body].coordinate_names) for found in joints if body in found}) == 1
    return f"{body}.q" if steady else f"{body}.position"


def _rate_of_many_turns(run: "Run", name: str) -> str:
    """A coordinate's channel, or that of its rate where it is an angle that goes on and on."""
    if run.unit(name) != "rad" or np.ptp(np.nan_to_num(run[name])) <= TURNS * 2 * np.pi:
        return name
    return f"{name.removesuffix('.q')}.rate"


def without_rounding(runs: "Sequence[Run]", values: Sequence[dict[str, Array]]) -> None:
    """Set columns to zero that are zero but for rounding, judged by the largest value of the same unit in any run.

    Args:
        runs: the runs.
        values: of each run, its curves; changed.
    """
    largest = dict[str, float]()
    size = lambda x: float(np.abs(np.nan_to_num(x)).max(initial=0.0))
    for run, found in zip(runs, values, strict=True):
        for name, x in found.items():
            kind = run.unit(name) or name
            largest[kind] = max(largest.get(kind, 0.0), size(x))
    for run, found in zip(runs, values, strict=True):
        for name, x in found.items():
            small = [size(column) <= NEGLIGIBLE * largest[run.unit(name) or name] for column in x.T]
            found[name] = np.where(np.array(small) & np.isfinite(x), 0.0, x)


def further_channels(run: "Run") -> list[str]:
    """What else a page can show, the more interesting first.

    Args:
        run: the run.
    """
    index = run.plan.index
    groups: list[list[str]] = [[] for _ in range(7)]
    for rod, placed in index.rods.items():
        groups[0] += [f"{rod}.{point}.position" for point in placed.points if point != "root"]
        groups[0] += [f"{rod}.tip.velocity", *([f"{rod}.potential"] if rod in index.loads else [])]
    segments = owners_of(run.model)
    for body, joint in index.joints.items():
        if body in segments:
            continue
        groups[0] += [f"{body}.q"] if joint.coordinates and joint.quaternion is None else []
        groups[1] += [f"{body}.rate"] if joint.speeds else []
        if body in index.modes:
            groups[2] += _deflections(run, body)
            groups[5] += [f"{body}.modes"]
        groups[3].append(f"{body}.position")
        groups[4] += [f"{body}.omega"] if joint.speeds else []
        groups[6] += [f"{body}.{frame}.position" for frame in index.frames[body]]
    parts = [f"{part}.{x}" for part in run.model.installed if part in index.blocks for x in index.blocks[part].outputs]
    inputs = [name for name in index.inputs if name not in index.inner]
    names = [*SUMS, *inputs, *parts, *(f"{rotor}.rate" for rotor in index.rotors)]
    return list(dict.fromkeys([*names, *(name for group in groups for name in group)]))[:MOST_LINES]


def _deflections(run: "Run", body: str) -> list[str]:
    """Deflections of the nodes of a flexible body that its modes move, the largest first."""
    last = run.last
    if body not in last.plan.index.modes:
        return []
    eta = np.reshape(last[f"{body}.modes"], (len(last.t), -1))
    whole = last.model.parts[body].body.modal.nodes  # type: ignore[attr-defined]
    nodes = {name: whole[name] for name in followed(whole)}
    moved = {name: float(np.abs(eta @ nodes[name].Phi.T).max(initial=0.0)) for name in nodes}
    return [f"{body}.{name}.deflection" for name in sorted(nodes, key=lambda n: -moved[n]) if moved[name] > 0]


def curves(run: "Run", keep: Array, parts: Sequence[Piece], names: Sequence[str]) -> dict[str, Array]:
    """Values (K, k) of channels at the chosen samples; those that a run does not have are left out.

    Args:
        run: the run.
        keep: numbers of the samples.
        parts: the same samples as `pieces`.
        names: of channels.
    """
    found = gather(parts, names)
    for name in names:
        if name not in found:
            try:
                found[name] = np.asarray(run[name])[keep]
            except ModelError:
                continue
    return {name: found[name].reshape(len(keep), -1) for name in names if name in found}


def plots(
    runs: "Mapping[str, Run]", values: Sequence[Mapping[str, Array]], shown: Sequence[str], put: Any
) -> list[dict[str, Any]]:
    """The scene's plots: one per channel, or per unit of its numbers where these differ, with the lines of all runs.

    Args:
        runs: the runs by name.
        values: of each run, its curves.
        shown: channels that are seen when the page is opened.
        put: stores an array and gives its description.
    """
    names = dict.fromkeys([*shown, *(name for found in values for name in found)])
    result, room = [], MOST_LINES * len(values)
    for name in names:
        by_unit: dict[str, list[dict[str, Any]]] = {}
        for k, ((title, run), found) in enumerate(zip(runs.items(), values, strict=True)):
            columns = found.get(name)
            if columns is None or not (name in shown or columns.shape[1] <= MOST_COMPONENTS):
                continue
            labels = run.components(name) if columns.shape[1] > 1 else ("",)
            for label, unit, column in zip(labels, units_of(run, name, len(labels)), columns.T, strict=True):
                words = ", ".join(w for w in ((title if len(runs) > 1 else ""), label) if w)
                lines = by_unit.setdefault(unit, [])
                lines.append({"run": k, "label": words or name, "values": put(column, _type(column))})
        count = sum(map(len, by_unit.values()))
        if name not in shown and count > room:
            continue
        room -= count
        result += [{"name": name, "unit": unit, "shown": name in shown, "lines": lines} for unit, lines in by_unit.items()]
    return result


def units_of(run: "Run", name: str, count: int) -> tuple[str, ...]:
    """Units of the numbers of a channel, one for each.

    Args:
        run: the run.
        name: of the channel.
        count: of its numbers.
    """
    channel = run.plan.channels.get(name)
    units = channel.units if channel is not None else (run.unit(name),)
    return units if len(units) == count else (run.unit(name),) * count


def _type(column: Array) -> str:
    """Single precision suffices for the eye, unless a curve's changes are small beside its values."""
    finite = column[np.isfinite(column)]
    if not len(finite):
        return "f4"
    return "f8" if np.ptp(finite) < 1e-3 * np.abs(finite).max() or np.abs(finite).max() > 1e30 else "f4"
