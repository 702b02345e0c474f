"""A run in an HDF5 file, without pickle: arrays as they are, the model as JSON, all of it under a checksum.

A pickled run is the content of such a file, and beside it those functions that pickle finds again by name.

Where the system changes during the run, the model of the first segment is there whole, and of each later one what changed.
"""

import io
import json
import math
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import Assembly
from kaneflex.model.checks import ModelError
from kaneflex.model.codec import can_travel, model_after, model_changes, model_from_data, model_to_data
from kaneflex.model.files import FileError
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.plan import Plan
from kaneflex.plan.state import State
from kaneflex.results.run import Run
from kaneflex.results.sealed import Sheet, is_sealed, sealed, write_sealed
from kaneflex.simulate.choice import Choice
from kaneflex.simulate.contact.records import Impact
from kaneflex.simulate.exchange import Exchange
from kaneflex.simulate.simulate import Options, Trajectory

FORMAT = 3  # 1 had no checksum; up to 2 every segment had its whole model
READABLE = (2, 3)
STEPPER = {"ints": "i", "reals": "f", "store": "f"}
STATUSES = ("done", "event", "interrupted", "failed", "changed")


def save(run: Run, path: Path) -> Path:
    """Write a run; the file appears whole or not at all."""
    return write_sealed(path, _filler(run))


def _filler(run: Run) -> Callable[[Any], None]:
    """What writes a run into an open file."""

    def fill(file: Any) -> None:
        file.attrs["kaneflex_format"] = FORMAT
        file.attrs["lost"] = json.dumps(list(dict.fromkeys((*run.trajectory.lost, *_functions(run.trajectory)))))
        file.attrs["assembly"] = json.dumps(_assembly_data(run.trajectory.assembly, (*run.segments, run.last)[0].plan))
        before = None
        for k, segment in enumerate((*run.segments, run.last)):
            _save_segment(segment, file if segment is run.last else file.create_group(f"segment{k}"), before)
            before = segment.model

    return fill


def pickled(run: Run) -> tuple[Any, ...]:
    """What `Run.__reduce__` gives: the content of its file; of the functions that the file does not hold those that have
    names in modules, of the model by place, of inputs by name; and controllers and events, likewise."""
    functions: dict[str, Any] = {}
    for segment in (*run.segments, run.last):
        model_to_data(segment.model, functions)
    driven = run.trajectory.driven_by
    functions |= driven.get("inputs", {})
    functions = {place: function for place, function in functions.items() if can_travel(function)}
    others = {what: driven[what] for what in ("controllers", "events") if driven.get(what) and can_travel(driven[what])}
    return unpickled, (sealed(_filler(run)).getvalue(), functions, others)


def unpickled(content: bytes, functions: dict[str, Any], others: dict[str, Any]) -> Run:
    """The run that `pickled` took apart."""
    run = _load(io.BufferedReader(io.BytesIO(content)), Path("pickled run"), functions)
    run.trajectory.driven_by |= others
    run.trajectory.lost = tuple(what for what in run.trajectory.lost if what not in others)
    return run


def _save_segment(run: Run, file: Any, before: Model | None) -> None:
    """Write what a run has since the system last changed; `before` is the model until then, None in the first segment."""
    tr = run.trajectory
    if before is None:
        file.attrs["model"] = json.dumps(model_to_data(run.model))
    else:
        file.attrs["model_changes"] = json.dumps(model_changes(before, run.model))
    file.attrs["options"] = json.dumps({k: str(v) if v == math.inf else v for k, v in asdict(tr.options).items()})
    file.attrs["statistics"] = json.dumps(tr.statistics)
    file.attrs["events"] = json.dumps(tr.events)
    file.attrs["impacts"] = json.dumps([asdict(i) for i in tr.impacts])
    file.attrs["projection_failures"], file.attrs["unseen"] = json.dumps(tr.projection_failures), json.dumps(tr.unseen)
    file.attrs["clock"], file.attrs["before"] = json.dumps(tr.clock), json.dumps(tr.before)
    file.attrs["singular"] = json.dumps(tr.singular)
    if tr.choice is not None:
        file.attrs["choice"] = json.dumps(asdict(tr.choice))
    file.attrs["status"], file.attrs["message"] = tr.status, tr.message.replace("\0", "").encode("utf-8", "replace").decode()
    file.create_dataset("end", data=np.concatenate([[tr.at_end[0]], tr.at_end[1]]), dtype="<f8")
    for name in ("t", "y", "final_inputs"):
        file.create_dataset(name, data=getattr(tr, name), dtype="<f8")
    inputs = [run[name] for name in run.model.inputs]  # those of input functions as well, which the file cannot hold
    file.create_dataset("inputs", data=np.array(inputs).T.reshape(len(run.t), len(inputs)), dtype="<f8")
    for name, values in tr.stepper.items():
        group = file.require_group("stepper")
        group.create_dataset(name, data=values, dtype=f"<{STEPPER[name]}8")


def _assembly_data(assembly: Assembly | None, plan: Plan) -> dict[str, Any] | None:
    """An assembly as data; None where it was of a system that the run, an extension of another, no longer had."""
    if assembly is None or (len(assembly.state.q), len(assembly.state.rates)) != (plan.nq, plan.nu):
        return None
    at = assembly.state
    state = {"t": at.t, "q": at.q.tolist(), "rates": at.rates.tolist(), "z": at.z.tolist()}
    return {"state": state} | {k: getattr(assembly, k) for k in ("moved", "violation", "steps", "redundant", "corrected")}


def _functions(trajectory: Trajectory) -> list[str]:
    """What drove the run and cannot be stored, as `extend` asks for it: the argument, then which."""
    driven = trajectory.driven_by
    found = [f'inputs for "{name}"' for name in driven.get("inputs", {})]
    return found + [what for what in ("controllers", "events") if driven.get(what)]


def _input_of(what: str) -> str:
    """The input that an entry of `_functions` is about, or nothing."""
    return what.partition(' for "')[2].rstrip('"')


def load(path: Path, functions: dict[str, Any]) -> Run:
    """Read a run; what is wrong with its file is said by a FileError that names it."""
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    with _reading(path), path.open("rb") as stream:
        return _load(stream, path, functions)


def _load(stream: Any, path: Path, functions: dict[str, Any]) -> Run:
    """Read a run from a stream; `path` names it in errors."""
    with _reading(path):
        has_seal = is_sealed(stream, path)
        try:
            file = h5py.File(stream, "r")
        except OSError as e:
            raise FileError(f"{path} is not a readable HDF5 file: {e}") from e
        with file:
            written = file.attrs.get("kaneflex_format")
            if not isinstance(written, int | np.integer) or written not in (READABLE if has_seal else (1,)):
                raise FileError(f"{path} is not a run that this version of kaneflex can read: its format is {written!r}")
            sheet = Sheet(file, path)
            groups = sheet.sheets()
            numbered = {n: re.fullmatch(r"(?:segment|leg)(.*)", n) for n in groups}  # legs in older files
            found = {int(match[1]): groups[n] for n, match in numbered.items() if match}
            if sorted(found) != list(range(len(found))):
                raise sheet.wrong(f"a segment of the run is missing: there are {', '.join(map(str, sorted(found)))}")
            segments: list[Trajectory] = []
            for one in (*(found[k] for k in range(len(found))), sheet):
                segments.append(_load_segment(one, functions, segments[-1].plan.model if segments else None))
            trajectory = segments.pop()
            assembly = _assembly(sheet, (*segments, trajectory)[0].plan)
            for part in (*segments, trajectory):
                part.assembly = assembly
            lost = tuple(map(str, sheet.data("lost", list)))
    trajectory.segments, trajectory.lost = tuple(segments), tuple(what for what in lost if _input_of(what) not in functions)
    given = [_input_of(what) for what in lost if _input_of(what) in functions]
    trajectory.driven_by = {"inputs": {name: functions[name] for name in given}} if given else {}
    if not has_seal:
        warnings.warn(
            f"{path} was written before files had checksums: damage to it may go unnoticed; save it anew",
            UserWarning,
            stacklevel=4,
        )
    return Run(trajectory, quiet=True)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Name the file in every error: what a file says may be wrong in more ways than can be foreseen."""
    try:
        yield
    except FileError:
        raise
    except ModelError as e:
        raise FileError(f"{path}: {e}") from e
    except OSError as e:
        raise FileError(f"cannot read {path}: {e.strerror or e}") from e
    except RecursionError as e:
        raise FileError(f"{path}: what it holds is nested too deep") from e
    except Exception as e:
        raise FileError(f"{path} is not a run as kaneflex writes it: {type(e).__name__}: {e}") from e


def _model(sheet: Sheet, functions: dict[str, Any], before: Model | None) -> Model:
    """The model of a segment, whole or as what changed of the one before."""
    from kaneflex.system import System

    changes = sheet.data("model_changes", (dict, type(None)), "null")
    if before is None or changes is None:
        return model_from_data(sheet.data("model", dict), functions, System)
    return model_after(before, changes, functions)


def _load_segment(sheet: Sheet, functions: dict[str, Any], before: Model | None) -> Trajectory:
    """Read what `_save_segment` wrote; `before` is the model of the segment before this one."""
    model = _model(sheet, functions, before)
    settings = sheet.data("options", dict)
    settings["max_step"] = float(settings["max_step"])
    options = Options(**settings)
    plan = build(model, options.formulation, options.speeds, allow_missing=True)
    status = sheet.text("status")
    if status not in STATUSES:
        raise sheet.wrong(f'attribute "status" is "{status}", which no run has')
    t = sheet.numbers("t", (None,))
    if not np.isfinite(t).all() or np.any(np.diff(t) < 0):
        raise sheet.wrong('dataset "t" does not ascend')
    ended = status == "changed" and "stepper" not in sheet.sheets()  # nothing goes on from there
    stepper, size = None if ended else sheet.sheet("stepper"), plan.layout.size
    last = sheet.numbers("end", (size + 1,)) if sheet.has("end") else None
    return Trajectory(
        plan,
        Dynamics(plan),
        options,
        t,
        sheet.numbers("y", (len(t), size)),
        sheet.numbers("inputs", (len(t), len(model.inputs))),
        status,
        sheet.text("message"),
        {str(k): _number(v) for k, v in sheet.data("statistics", dict).items()},
        [(_number(t), str(name)) for t, name in sheet.data("events", list)],
        {} if stepper is None else {n: stepper.numbers(n, (None,), STEPPER[n]) for n in stepper.names()},
        sheet.numbers("final_inputs", (len(model.inputs),)),
        impacts=[_impact(i) for i in sheet.data("impacts", list, "[]")],
        projection_failures=[(_number(t), str(name)) for t, name in sheet.data("projection_failures", list, "[]")],
        singular=[(_number(t), str(name), _number(share)) for t, name, share in sheet.data("singular", list, "[]")],
        unseen=[(_number(t), str(name)) for t, name in sheet.data("unseen", list, "[]")],
        clock=_number(sheet.data("clock", float, json.dumps(float(t[0]) if len(t) else 0.0))),
        end=None if last is None else (float(last[0]), last[1:]),
        choice=_choice(sheet.data("choice", dict, "{}")),
        before=_numbers(sheet.data("before", list, "[0.0, 0.0, 0.0]"), 3),
    )


def _choice(data: dict[str, Any]) -> Choice | None:
    """What method="auto" chose."""
    return Choice(str(data["method"]), str(data["why"]), int(_number(data["evaluations"]))) if data else None


def _number(x: Any) -> Any:
    if isinstance(x, bool) or not isinstance(x, int | float):
        raise ModelError(f"{x!r} stands where a number should")
    return x


def _numbers(values: Any, count: int | None = None) -> tuple[float, ...]:
    if not isinstance(values, list) or count not in (None, len(values)):
        raise ModelError(f"{values!r} stands where {count or 'some'} numbers should")
    return tuple(_number(x) for x in values)


def _assembly(sheet: Sheet, plan: Plan) -> Assembly | None:
    data = sheet.data("assembly", (dict, type(None)), "null")
    if data is None:
        return None
    at = data["state"]
    q, rates = _numbers(at["q"], plan.nq), _numbers(at["rates"], plan.nu)
    z = np.array(_numbers(at.get("z", []), len(plan.index.states)))
    state = State(plan.index, _number(at["t"]), np.array(q), np.array(rates), z=z)
    moved, corrected = (
        tuple((str(n), _number(a), _number(b)) for n, a, b in data.get(key, ())) for key in ("moved", "corrected")
    )
    violation = (_number(data["violation"][0]), str(data["violation"][1]))
    return Assembly(state, moved, violation, int(data["steps"]), tuple(map(str, data["redundant"])), corrected)


def _impact(data: dict[str, Any]) -> Impact:
    pair = lambda x: (_numbers(x[0]), _numbers(x[1]))
    return Impact(
        _number(data["t"]),
        str(data["name"]),
        None if data["impulse"] is None else _numbers(data["impulse"]),
        _numbers(data["energy"], 2),  # type: ignore[arg-type]
        pair(data["linear_momentum"]),
        pair(data["angular_momentum"]),
        tuple((str(name), _numbers(x)) for name, x in data.get("impulses", ())),
        None if data.get("exchange") is None else _exchange(data["exchange"]),
    )


def _exchange(data: dict[str, Any]) -> Exchange:
    mass, energy = _number(data["mass"]), _number(data["energy"])
    P, H = (_numbers(data[key], 3) for key in ("linear_momentum", "angular_momentum"))
    return Exchange(mass, P, H, energy, *(tuple(map(str, data[key])) for key in ("added", "removed")))
