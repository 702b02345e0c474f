"""Units of inputs, where their loads tell them."""

from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.forces import Force, JointForce
from kaneflex.model.forces.contract import Load
from kaneflex.model.joints import speed_names
from kaneflex.model.model import Model
from kaneflex.plan.channels import joint_units


def input_units(model: Model) -> dict[str, str]:
    """Units by input, of those that are a force or torque as they are; one that multiplies anything else has none here.

    Args:
        model: the model.
    """
    found = {name: _unit(model, load) for name, load in model.inputs.items()}
    return {name: unit for name, unit in found.items() if unit}


def _unit(model: Model, load: Load) -> str:
    value: Any = getattr(load, load.gain, None)
    if not isinstance(load, Force | JointForce) or checks.is_function(value) or abs(np.linalg.norm(value) - 1) > 1e-9:
        return ""
    if isinstance(load, Force):
        return load.unit
    if load.joint in model.rotors:
        return "N m"
    joint = model.parts[load.joint].joint
    _, units = joint_units(joint, lambda name: model.units.get(f"{load.joint}.{name}", ""))
    unit = units[speed_names(joint).index(load.coordinate) if load.coordinate else 0]
    return {"rad": "N m", "m": "N"}.get(unit, "")


__all__ = ["input_units"]
