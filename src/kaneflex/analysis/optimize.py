"""Design by gradients: the least of a cost over parameters, under constraints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from kaneflex.analysis.gradients import Cost, gradient
from kaneflex.analysis.variations import AnySystem, names_of
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.results.run import Run

Array = np.ndarray


@dataclass(frozen=True)
class Optimum:
    """The least of a cost.

    Attributes:
        values: of the parameters, by name.
        cost: there.
        run: the run there; `system` is the system at these values.
        runs: how many were made.
        ok: whether the search came to its end; `message` says how it ended.
    """

    values: dict[str, float]
    cost: float
    run: Run
    system: Any
    runs: int
    ok: bool
    message: str


@typed
def optimize(
    system: AnySystem,
    cost: Any,
    parameters: Sequence[str],
    constraints: Sequence[Any] = (),
    *,
    duration: float,
    iterations: int = 100,
    tolerance: float = 1e-8,
    **arguments: Any,
) -> Optimum:
    """The values of parameters at which a cost of a run is least, within their bounds, by sequential quadratic programming
    (SciPy's SLSQP) with the runs' own derivatives.

    Args:
        system: the system.
        cost: as for `Run.gradient`: a channel's name for its last value, an Integral, an EventTime, a function of a run.
        parameters: names of parameters.
        constraints: (cost, low, high) each, None for no bound; of a kind as `cost` is.
        duration: of the runs, s.
        iterations: most of them.
        tolerance: of the cost, as a part of it at the start.
        arguments: of `simulate`: initial, inputs, rtol, ...
    """
    names = names_of(parameters)
    iterations, tolerance = checks.whole(iterations, "iterations", least=1), checks.positive(tolerance, "tolerance")
    known = system.parameters
    for name in names:
        checks.known(name, known, "parameter")
    first = np.array([known[n].value for n in names])
    scale = np.where(first == 0, 1.0, np.abs(first))
    arguments.setdefault("rtol", 1e-9)
    kept: dict[Any, Any] = {}

    def run_at(x: Array) -> Run:
        key = (x * scale).tobytes()
        if kept.get("at") != key:
            values = dict(zip(names, map(float, x * scale), strict=True))
            kept.update(
                at=key, run=system.simulate(duration, parameters=values, **arguments), found={}, runs=kept.get("runs", 0) + 1
            )
        return kept["run"]

    def value_and_slope(number: int, what: Cost, x: Array) -> tuple[float, Array]:
        run = run_at(x)
        if number not in kept["found"]:
            value, slope = gradient(run, what, names)
            if np.ndim(value):
                raise ModelError(
                    f"cost {checks.shown(what)} is several numbers: give a function of a run that makes one of them"
                )
            kept["found"][number] = float(value), np.asarray(slope, float) * scale
        return kept["found"][number]

    rules = []
    for k, (what, low, high) in enumerate(map(_rule, constraints), 1):
        for sign, bound in ((1.0, low), (-1.0, high)):
            if bound is not None:
                rules.append(
                    {
                        "type": "ineq",
                        "fun": lambda x, k=k, w=what, s=sign, b=bound: s * (value_and_slope(k, w, x)[0] - b),
                        "jac": lambda x, k=k, w=what, s=sign: s * value_and_slope(k, w, x)[1],
                    }
                )
    begun = abs(value_and_slope(0, cost, first / scale)[0]) or 1.0
    bounds = [
        tuple(None if b is None else b / s for b in (known[n].low, known[n].high)) for n, s in zip(names, scale, strict=True)
    ]
    found = minimize(
        lambda x: value_and_slope(0, cost, x)[0] / begun,
        first / scale,
        jac=lambda x: value_and_slope(0, cost, x)[1] / begun,
        bounds=bounds,
        constraints=rules,
        method="SLSQP",
        options={"maxiter": iterations, "ftol": tolerance},
    )
    run = run_at(found.x)
    values = dict(zip(names, map(float, found.x * scale), strict=True))
    least = value_and_slope(0, cost, found.x)[0]
    return Optimum(values, least, run, system.at(values), kept["runs"], bool(found.success), str(found.message))


def _rule(given: Any) -> tuple[Any, float | None, float | None]:
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise ModelError(f'constraint {checks.shown(given)}: give (cost, low, high), e.g. ("arm.q", None, 0.1)')
    what, low, high = given
    numbers = [None if b is None else checks.number(b, "bound of a constraint") for b in (low, high)]
    return what, numbers[0], numbers[1]


__all__ = ["Optimum", "optimize"]
