"""Motions of a KanesMethod's system, integrated in the package's compiled loop."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.simulate.methods import METHODS
from kaneflex.simulate.stepper import Status, Stepper
from kaneflex.symbolic import export
from kaneflex.symbolic.native import AddressedRates

if TYPE_CHECKING:
    from kaneflex.symbolic.kane import KanesMethod


@dataclass
class Motion:
    """A motion of a KanesMethod's system: times t, coordinates q and speeds u, a row per time; what it took."""

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    statistics: dict[str, int]


def simulate(
    method: "KanesMethod",
    duration: float,
    initial: Mapping[Any, float],
    values: Mapping[Any, float] | None = None,
    *,
    integrator: str = "dopri5",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output: float | None = None,
    max_steps: int = 1_000_000,
) -> Motion:
    """Integrate the equations of a KanesMethod in the package's compiled loop.

    Args:
        method: with its equations formed; without functions of time that are not given in terms of t.
        duration: s.
        initial: coordinates and speeds at the start, all of them; dependent ones must satisfy the constraints.
        values: numbers of all parameters, by name or symbol.
        integrator: "dopri5", "dop853" or "sdirk4".
        rtol, atol: tolerances of the local error.
        output: interval of the samples, s; duration/500 when left out.
        max_steps: most steps to try.
    """
    checks.known(integrator, [n for n, m in METHODS.items() if m.adaptive], "integrator")
    duration = checks.positive(duration, "duration")
    form = export.of_method(method)
    rates = AddressedRates(form, values)
    start = {str(method.symbols.engine(k)): checks.number(v, f'initial "{k}"') for k, v in initial.items()}
    names = [str(s) for s in (*form.q, *form.u)]
    for name in start:
        checks.known(name, names, "coordinate or speed")
    missing = [n for n in names if n not in start]
    if missing:
        raise ModelError(f"initial values of {', '.join(missing)} are missing")
    I = np.zeros(L.HEADER, np.int64)
    I[L.COORDINATES], I[L.SPEEDS] = len(form.q), len(form.u)
    rates.take_over(I)
    stepper = Stepper(integrator, (I, np.zeros(1), np.zeros(1)), len(names), len(names), rtol=rtol, atol=atol)
    interval = duration / 500 if output is None else checks.positive(output, "output interval")
    t = np.linspace(0.0, duration, max(1, math.ceil(duration / interval - 1e-9)) + 1)
    y = np.full((len(t), len(names)), np.nan)
    stepper.start(0.0, [start[n] for n in names])
    stepper.begin_samples()
    status = stepper.advance(duration, t, y, max_steps)
    if status != Status.DONE:
        raise ModelError(f"the integration stopped at t = {stepper.t:g} s ({status.name.lower().replace('_', ' ')})")
    statistics = {"steps": stepper.steps, "rejected": stepper.rejected, "evaluations": stepper.evaluations}
    return Motion(t, y[:, : len(form.q)], y[:, len(form.q) :], statistics)
