"""Mass matrix, bias and u-dot by the names of the speeds."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.extras import optional
from kaneflex.plan.plan import Plan

Array = np.ndarray


class NamedArray:
    """A vector or a square matrix whose rows and columns are speeds.

    `x["arm.angle"]` is a number, `x["bus"]` those of all speeds of a body or rotor; a matrix takes two names,
    `M["bus", "arm.angle"]`. A speed is named like the coordinate that it is the rate of, or like its channel:
    "arm.angle", "arm.angle.rate", "bus.wx", "wheel.rate", "wing.mode1".

    Args:
        values: (n,) or (n, n).
        names: n names of speeds.
        places: numbers of the speeds that further names stand for.
    """

    def __init__(self, values: Array, names: tuple[str, ...], places: Mapping[str, list[int]]):
        self.values, self.names, self._places = values, names, places

    def _place(self, name: Any) -> Any:
        if not isinstance(name, str) or name not in self._places:
            near = get_close_matches(str(name), self._places, 3, 0.6)
            hint = f"; did you mean {' or '.join(map(checks.quoted, near))}?" if near else ""
            shown = checks.quoted(name) if isinstance(name, str) else checks.shown(name)
            raise ModelError(f"speed {shown} is not known: there {checks._have(list(self.names))}{hint}")
        found = self._places[name]
        return found[0] if len(found) == 1 else found

    def __getitem__(self, name: str | tuple[str, str]) -> Any:
        if self.values.ndim == 1:
            return self.values[self._place(name)]
        if not isinstance(name, tuple) or len(name) != 2:
            raise ModelError(f'{checks.shown(name)} is no place in a matrix: give two names, M["arm.angle", "hub.slide"]')
        row, column = (self._place(one) for one in name)
        return self.values[row][..., column]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype) if copy or dtype is not None else self.values

    def __len__(self) -> int:
        return len(self.values)

    def to_pandas(self) -> Any:
        """A pandas Series, or a DataFrame for a matrix, with the names of the speeds."""
        pd = optional("pandas", "to_pandas needs pandas", "frames")
        if self.values.ndim == 1:
            return pd.Series(self.values, index=list(self.names))
        return pd.DataFrame(self.values, index=list(self.names), columns=list(self.names))

    def __repr__(self) -> str:
        return f"NamedArray({', '.join(self.names)}:\n{np.array2string(self.values, precision=6)})"


class Matrices(NamedTuple):
    """Kane's equations M u-dot + bias = (forces beyond the applied ones) at a state, by name of the speeds.

    Attributes:
        M: mass matrix.
        bias: velocity terms less all applied forces.
        udot: rates of the speeds, where constraints and motions hold them with these.
    """

    M: NamedArray
    bias: NamedArray
    udot: NamedArray


def matrices(dynamics: Dynamics, t: float, q: Array, u: Array) -> Matrices:
    """The equations of motion at t, q and u."""
    names, places = dynamics.plan.index.speeds, _places(dynamics.plan)
    found = dynamics.mass_matrix(q, t), dynamics.bias(q, u, t), dynamics.udot_at(t, q, u)
    if not np.isfinite(found[2]).all():
        dynamics.check_regular(t, q, u)
    return Matrices(*(NamedArray(x, tuple(names), places) for x in found))


def _places(plan: Plan) -> dict[str, list[int]]:
    """Numbers of the speeds that a name stands for."""
    index, found = plan.index, dict[str, list[int]]()
    for k, names in enumerate(zip(index.speeds, index.rates, plan.state_names[plan.nq :], strict=False)):
        found.update((name, [k]) for name in names)
    for name, joint in index.joints.items():
        modes = index.modes[name].modes if name in index.modes else 0  # follow those of the joint
        if joint.speeds + modes:
            found[name] = list(range(joint.u0, joint.u0 + joint.speeds + modes))
    return found | {name: [k] for name, k in index.rotors.items()}


__all__ = ["Matrices", "NamedArray", "matrices"]
