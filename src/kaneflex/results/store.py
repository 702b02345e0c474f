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
from kaneflex.results.run import Run
from kaneflex.simulate.simulate import Options, Trajectory

FORMAT = 1


def save(run: Run, path: Path) -> Path:
    """Write a run; the file appears whole or not at all."""
    tr = run.trajectory
    partial = path.with_name(path.name + ".partial")
    partial.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(partial, "w") as file:
        file.attrs["kaneflex_format"] = FORMAT
        file.attrs["model"] = json.dumps(model_to_data(run.model))
        file.attrs["options"] = json.dumps({k: str(v) if v == math.inf else v for k, v in asdict(tr.options).items()})
        file.attrs["statistics"] = json.dumps(tr.statistics)
        file.attrs["events"] = json.dumps(tr.events)
        file.attrs["status"], file.attrs["message"] = tr.status, tr.message
        file.attrs["lost"] = json.dumps(tr.lost or _functions(tr))
        for name in ("t", "y", "final_inputs"):
            file.create_dataset(name, data=getattr(tr, name))
        inputs = [run[name] for name in run.model.inputs]  # those of input functions as well, which the file cannot hold
        file.create_dataset("inputs", data=np.array(inputs).T.reshape(len(run.t), len(inputs)))
        group = file.create_group("stepper")
        for name, values in tr.stepper.items():
            group.create_dataset(name, data=values)
    partial.replace(path)
    return path


def _functions(trajectory: Trajectory) -> list[str]:
    """What drove the run and cannot be stored, as `extend` asks for it: the argument, then which."""
    driven = trajectory.driven_by
    found = [f'inputs for "{name}"' for name in driven.get("inputs", {})]
    return found + [what for what in ("controllers", "events") if driven.get(what)]


def load(path: Path, functions: dict[str, Any]) -> Run:
    """Read a run."""
    from kaneflex.system import System

    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        file = h5py.File(path, "r")
    except OSError as e:
        raise ModelError(f"{path.name} is not a readable HDF5 file: {e}") from e
    with file:
        if file.attrs.get("kaneflex_format") != FORMAT:
            raise ModelError(f"{path.name} is not a run that this version of kaneflex wrote")
        model = model_from_data(json.loads(file.attrs["model"]), functions, System)
        settings = json.loads(file.attrs["options"])
        settings["max_step"] = float(settings["max_step"])
        options = Options(**settings)
        stepper = {name: np.array(values) for name, values in file["stepper"].items()}
        arrays = {name: np.array(file[name]) for name in ("t", "y", "inputs", "final_inputs")}
        plan = build(model, options.formulation, options.speeds, allow_missing=True)
        trajectory = Trajectory(
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
            stepper,
            arrays["final_inputs"],
            lost=tuple(json.loads(file.attrs["lost"])),
        )
    return Run(trajectory)
