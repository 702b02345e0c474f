"""Gradients: of what a run ends with, costs along it, times of events, eigenvalues, equilibria."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kaneflex.analysis.adjoint import adjoint_gradient
from kaneflex.analysis.equilibrium import equilibrium
from kaneflex.analysis.linearize import linearize
from kaneflex.analysis.sensitivities import Sensitivities, tolerance_of
from kaneflex.analysis.variations import CENTRAL, STEP, AnySystem, NotDifferentiable, along, names_of
from kaneflex.model import checks
from kaneflex.model.blocks import Block
from kaneflex.model.checks import ModelError
from kaneflex.model.said import Asked
from kaneflex.model.typed import Name, typed
from kaneflex.plan.state import State
from kaneflex.plan.traced import check_arguments
from kaneflex.results.run import Run

Array = np.ndarray
COST = "kaneflex_cost"  # the block that adds up an integral
APART = 1e-7  # eigenvalues that are nearer to one another, as a part of the largest, are one


@typed
@dataclass(frozen=True)
class Integral:
    """A cost: the integral of a function over a run.

    Args:
        function: f(t, x), x the values of the channels in `sees`; one number.
        sees: channels.
    """

    function: Callable[..., Any]
    sees: Sequence[str] = ()


@typed
@dataclass(frozen=True)
class EventTime:
    """A cost: the time of an event, or of an impact, s.

    Args:
        name: of the event or contact.
        number: which of those of that name, from 0.
    """

    name: Name
    number: int = 0

    def __post_init__(self) -> None:
        checks.whole(self.number, f'number of the event "{self.name}"')


Cost = str | Integral | EventTime | Callable[[Any], float]


class ShiftedRun:
    """What a cost function sees of a run: its channels, moved along their derivatives."""

    def __init__(self, sensitivities: Sensitivities, number: int, kept: dict[str, Any]):
        self._of, self._number, self._kept, self.shift = sensitivities, number, kept, 0.0
        self.t = sensitivities.t

    def __getitem__(self, name: str) -> Array:
        if name not in self._kept:
            self._kept[name] = self._of.values(name), self._of.channel(name)
        value, change = self._kept[name]
        return np.asarray(value + self.shift * change[..., self._number])


def gradient(run: Run, cost: Cost, names: Any, tolerance: float | None = None) -> tuple[Any, Array]:
    """A cost of a run and its derivatives by parameters and initial values, (..., names); see `Run.gradient`."""
    wanted, asked = names_of(names), run.asked
    if tolerance is not None:
        checks.positive(tolerance, "tolerance")
    if asked is None:
        raise ModelError("derivatives are of runs that came from simulate: a file does not say how its run was asked for")
    if isinstance(cost, Integral):
        asked, cost = _with_integral(asked, cost), f"{COST}.total"
    if isinstance(cost, str):
        quick = adjoint_gradient(run, asked, wanted, tolerance_of(run, tolerance), cost)
        if quick is not None:
            return quick
    return cost_of(Sensitivities(run, wanted, tolerance, asked), cost)


def cost_of(found: Sensitivities, cost: Cost) -> tuple[Any, Array]:
    """A cost that is no integral, and its derivatives, from the derivatives of a run."""
    if isinstance(cost, str):
        return found.values(cost)[-1], found.final(cost)
    if isinstance(cost, EventTime):
        times = [t for t, name, _ in found.event_times if name == cost.name]
        change = found.event_time(cost.name, cost.number)
        return times[cost.number], change
    if isinstance(cost, Integral) or not checks.is_function(cost):
        raise ModelError(f"cost is {checks.shown(cost)}: give a channel, an Integral, an EventTime or a function of a run")
    check_arguments(cost, ("run",), "cost")
    kept: dict[str, Any] = {}
    changes = []
    for j in range(len(found.names)):
        run = ShiftedRun(found, j, kept)
        value = _number(cost(run))
        size = min(
            (float(np.abs(v).max()) / w for v, d in kept.values() if (w := float(np.abs(d[..., j]).max())) > 0), default=1.0
        )
        changes.append(float(along(partial(_at, run, cost), size or 1.0)))
    return value, np.array(changes)


def _at(run: ShiftedRun, cost: Callable[[Any], float], shift: float) -> float:
    run.shift = shift
    return _number(cost(run))


def _number(value: Any) -> float:
    return checks.number(value.item() if isinstance(value, np.ndarray) and value.size == 1 else value, "what the cost gives")


def _with_integral(asked: Asked, cost: Integral) -> Asked:
    """What was asked for, of the system with the integral as one state more."""
    system, function = copy.copy(asked.system), cost.function
    if cost.sees:
        block = Block(lambda t, x, z: function(t, x), ["total"], sees=cost.sees, outputs=lambda t, z: z[0], gives=["sum"])
    else:
        block = Block(lambda t, x, z: function(t), ["total"], outputs=lambda t, z: z[0], gives=["sum"])
    system.add_block(COST, block)
    return asked._replace(system=system)


@typed
def eigenvalue_gradients(
    system: AnySystem, names: Any, state: Mapping[str, Any] | State | None = None, *, at_equilibrium: bool = False
) -> list[tuple[complex, Array]]:
    """Eigenvalues of the linear model about a state, 1/s, and the derivatives of each by parameters:
    w^H A' v / w^H v with the left and right eigenvectors w and v.

    Args:
        system: the system.
        names: of its parameters.
        state: about which; the initial one when None. With `at_equilibrium` where the equilibrium is looked for.
        at_equilibrium: True for the equilibrium at every value of the parameters, which moves with them.
    """

    def matrix(at: Any) -> Array:
        about: Any = equilibrium(at, state) if at_equilibrium else state
        model = linearize(at, about)
        return (model.reduced() if model.quaternions else model).A

    A = matrix(system)
    values, vectors = np.linalg.eig(A)
    left = np.linalg.pinv(vectors).conj().T
    changes = [_difference(system, name, matrix) for name in names_of(names)]
    largest, found = float(np.abs(values).max()), []
    for k, value in enumerate(values):
        others = np.abs(np.delete(values, k) - value)
        if np.any(others <= APART * largest):
            raise NotDifferentiable(f"the eigenvalue {value:.6g} 1/s is a multiple one, whose derivative does not exist")
        if value.imag >= 0:
            found.append((complex(value), np.array([left[:, k].conj() @ dA @ vectors[:, k] for dA in changes])))
    return sorted(found, key=lambda pair: (abs(pair[0]), pair[0].imag))


@typed
def equilibrium_gradients(
    system: AnySystem, names: Any, guess: Mapping[str, Any] | State | None = None, **arguments: Any
) -> tuple[State, Array]:
    """The equilibrium near a guess, and the derivatives of its coordinates by parameters, (coordinates, names).

    Args:
        system: the system.
        names: of its parameters.
        guess, arguments: as for `System.equilibrium`.
    """
    base = equilibrium(system, guess, **arguments)

    def coordinates(at: Any) -> Array:
        found = equilibrium(at, base.copy(), **arguments)
        return np.asarray(found.q)

    changes = [_difference(system, name, coordinates, 30.0) for name in names_of(names)]
    return base, np.array(changes).T.reshape(len(base.q), len(changes))


def _difference(system: Any, name: str, function: Callable[[Any], Array], wider: float = 1.0) -> Array:
    """Derivative by a parameter of what is made of a system, by `variations` (1)."""
    checks.known(name, system.parameters, "parameter")
    value = system.parameters[name].value
    h = wider * STEP * (abs(value) or 1.0)
    return np.asarray(sum(weight / h * function(system.beyond({name: value + k * h})) for k, weight in CENTRAL))


__all__ = ["Cost", "EventTime", "Integral", "cost_of", "eigenvalue_gradients", "equilibrium_gradients", "gradient"]
