"""A system as a nonlinear input/output system of python-control."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from kaneflex.analysis.linearize import distinct
from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.model.extras import optional
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.state import state_of


def to_control(model: Model, outputs: Sequence[str] = ()) -> Any:
    """A python-control NonlinearIOSystem: states are coordinates, rates and states of blocks; see `System.to_control`."""
    control = optional("control", "to_control needs python-control", "control")
    for what, held in (("contact", model.contacts), ("constraint", model.constraints)):
        for name in held:
            raise ModelError(f'a system of python-control has no {what} "{name}": it has no events and no projection')
    plan = build(model)
    if plan.is_constrained or plan.index.feeds:
        raise ModelError("a system of python-control holds no given motions and no feeds: drive the joints by inputs")
    dynamics, layout, index = Dynamics(plan), plan.layout, plan.index
    driven = {name for block in model.blocks.values() for name in block.drives}
    free = [name for name in model.inputs if name not in driven]
    places = [list(model.inputs).index(name) for name in free]
    values = np.zeros(len(model.inputs))
    wanted = tuple(outputs)
    reader = ChannelReader(plan, wanted) if wanted else None
    states = [*index.coordinates, *index.rates, *index.states]

    def rates(t: float, x: Any, u: Any, params: Any) -> np.ndarray:
        values[places] = u
        dynamics.set_inputs(values)
        found: np.ndarray = dynamics.derivative(float(t), np.concatenate([x, np.zeros(layout.size - len(states))]))
        return found[: len(states)]

    def read(t: float, x: Any, u: Any, params: Any) -> np.ndarray:
        assert reader is not None
        values[places] = u
        dynamics.set_inputs(values)
        dynamics.set_states(np.array(x[len(states) - layout.nz :], float))
        found = reader.read(dynamics, np.array([float(t)]), np.array(x, float)[None, :], values[None, :])
        return np.concatenate([np.ravel(found[name][0]) for name in wanted])

    names = states
    if reader is not None:
        at = state_of(plan, None, "initial state")
        first = reader.read_one(dynamics, 0.0, np.concatenate([at.q, at.rates, at.z]))
        sizes = {c: int(np.size(first[c])) for c in wanted}
        names = [n for c, m in sizes.items() for n in ([c] if m == 1 else [f"{c}[{k}]" for k in range(m)])]
    groups = {"states": states, "inputs": free, "outputs": names}
    plain = {k: distinct(re.sub(r"^-|[.\[\]:]", "_", n) for n in group) for k, group in groups.items()}
    return control.nlsys(rates, None if reader is None else read, name=re.sub(r"\W", "_", model.name), **plain)


__all__ = ["to_control"]
