"""A run in an HDF5 file, without pickle: arrays as they are, the model as JSON."""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.model.codec import model_from_data, model_to_data
from kaneflex.plan.build import build
from kaneflex.plan.state import State
from kaneflex.results.run import Run
from kaneflex.simulate.assembly import Assembly
from kaneflex.simulate.impacts import Impact
from kaneflex.simulate.simulate import Options, Trajectory

FORMAT = 1


def save(run: Run, path: Path) -> Path:
    """Write a run; the file appears whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(partial, "w") as file:
        file.attrs["kaneflex_format"] = FORMAT
        file.attrs["lost"] = json.dumps(run.trajectory.lost or _functions(run.trajectory))
        for k, leg in enumerate((*run.legs, run.last)):
            _save_leg(leg, file if leg is run.last else file.create_group(f"leg{k}"))
    partial.replace(path)
    return path


def _save_leg(run: Run, file: Any) -> None:
    """Write what a run has since the system last changed."""
    tr = run.trajectory
    file.attrs["model"] = json.dumps(model_to_data(run.model))
    file.attrs["options"] = json.dumps({k: str(v) if v == math.inf else v for k, v in asdict(tr.options).items()})
    file.attrs["statistics"] = json.dumps(tr.statistics)
    file.attrs["events"] = json.dumps(tr.events)
    file.attrs["impacts"] = json.dumps([asdict(i) for i in tr.impacts])
    file.attrs["astray"] = json.dumps(tr.astray)
    file.attrs["singular"] = json.dumps(tr.singular)
    file.attrs["assembly"] = json.dumps(_assembly_data(tr.assembly))
    file.attrs["status"], file.attrs["message"] = tr.status, tr.message
    for name in ("t", "y", "final_inputs"):
        file.create_dataset(name, data=getattr(tr, name))
    inputs = [run[name] for name in run.model.inputs]  # those of input functions as well, which the file cannot hold
    file.create_dataset("inputs", data=np.array(inputs).T.reshape(len(run.t), len(inputs)))
    group = file.create_group("stepper")
    for name, values in tr.stepper.items():
        group.create_dataset(name, data=values)


def _assembly_data(assembly: Assembly | None) -> dict[str, Any] | None:
    if assembly is None:
        return None
    state = {"t": assembly.state.t, "q": assembly.state.q.tolist(), "rates": assembly.state.rates.tolist()}
    return {"state": state} | {k: getattr(assembly, k) for k in ("moved", "violation", "steps", "redundant", "corrected")}


def _functions(trajectory: Trajectory) -> list[str]:
    """What drove the run and cannot be stored, as `extend` asks for it: the argument, then which."""
    driven = trajectory.driven_by
    found = [f'inputs for "{name}"' for name in driven.get("inputs", {})]
    return found + [what for what in ("controllers", "events") if driven.get(what)]


def load(path: Path, functions: dict[str, Any]) -> Run:
    """Read a run."""
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        file = h5py.File(path, "r")
    except OSError as e:
        raise ModelError(f"{path.name} is not a readable HDF5 file: {e}") from e
    with file:
        if file.attrs.get("kaneflex_format") != FORMAT:
            raise ModelError(f"{path.name} is not a run that this version of kaneflex wrote")
        earlier = [name for name in sorted(file, key=lambda n: (len(n), n)) if name.startswith("leg")]
        legs = tuple(_load_leg(file[name], functions, ()) for name in earlier)
        trajectory = _load_leg(file, functions, tuple(json.loads(file.attrs["lost"])))
    trajectory.legs = legs
    return Run(trajectory, quiet=True)


def _load_leg(file: Any, functions: dict[str, Any], lost: tuple[str, ...]) -> Trajectory:
    """Read what `_save_leg` wrote."""
    from kaneflex.system import System

    model = model_from_data(json.loads(file.attrs["model"]), functions, System)
    settings = json.loads(file.attrs["options"])
    settings["max_step"] = float(settings["max_step"])
    options = Options(**settings)
    arrays = {name: np.array(file[name]) for name in ("t", "y", "inputs", "final_inputs")}
    plan = build(model, options.formulation, options.speeds, allow_missing=True)
    assembly = json.loads(file.attrs.get("assembly", "null"))
    if assembly is not None:
        state = assembly.pop("state")
        moved, corrected = (
            tuple((str(n), float(a), float(b)) for n, a, b in assembly.get(k, ())) for k in ("moved", "corrected")
        )
        violation = (float(assembly["violation"][0]), str(assembly["violation"][1]))
        at = State(plan.index, state["t"], np.array(state["q"]), np.array(state["rates"]))
        assembly = Assembly(at, moved, violation, assembly["steps"], tuple(assembly["redundant"]), corrected)
    return Trajectory(
        plan,
        Dynamics(plan),
        options,
        arrays["t"],
        arrays["y"],
        arrays["inputs"],
        str(file.attrs["status"]),
        str(file.attrs["message"]),
        json.loads(file.attrs["statistics"]),
        [(t, name) for t, name in json.loads(file.attrs["events"])],
        {name: np.array(values) for name, values in file["stepper"].items()},
        arrays["final_inputs"],
        impacts=[_impact(i) for i in json.loads(file.attrs.get("impacts", "[]"))],
        astray=[(t, name) for t, name in json.loads(file.attrs.get("astray", "[]"))],
        singular=[(t, name, share) for t, name, share in json.loads(file.attrs.get("singular", "[]"))],
        assembly=assembly,
        lost=lost,
    )


def _impact(data: dict[str, Any]) -> Impact:
    def plain(x: Any) -> Any:
        return tuple(plain(v) for v in x) if isinstance(x, list) else x

    return Impact(**{k: plain(v) for k, v in data.items()})
