"""What an integration is asked for, and what it leaves."""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import Assembly
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.plan.plan import Plan
from kaneflex.simulate.alpha_method import AlphaMethod
from kaneflex.simulate.choice import AUTO, Choice
from kaneflex.simulate.contact.records import Impact
from kaneflex.simulate.methods import METHODS, method_named


class SimulationError(RuntimeError):
    """A run could not go on, as its message says; what was computed is in `trajectory`."""

    def __init__(self, message: str, trajectory: "Trajectory"):
        super().__init__(message)
        self.trajectory = trajectory


@dataclass
class Options:
    """How a run is integrated; kept with the run."""

    method: Any = "dopri5"  # by name; a method with numbers of its own becomes its name with these
    formulation: str = "recursive"
    speeds: str = "customary"
    rtol: float = 1e-8
    atol: float = 1e-10
    step: float | None = None
    max_step: float = math.inf
    max_steps: int = 5_000_000

    def __post_init__(self) -> None:
        if isinstance(self.method, AlphaMethod):
            self.method = self.method.name
        if not (isinstance(self.method, str) and (self.method in METHODS or self.method.endswith(")"))):
            checks.known(self.method, [*METHODS, AUTO], "method")
        try:
            adaptive = self.method == AUTO or method_named(self.method).adaptive
        except ValueError as e:
            raise ModelError(str(e)) from e
        checks.positive(self.rtol, "rtol")
        checks.positive(self.atol, "atol")
        if self.step is not None:
            checks.positive(self.step, "step")
        if not (isinstance(self.max_steps, int) and self.max_steps > 0):
            raise ModelError(f"max_steps is {self.max_steps!r}: give a positive whole number")
        if not self.max_step > 0:
            raise ModelError(f"max_step is {self.max_step}: it must be positive")
        if not adaptive and self.step is None:
            raise ModelError(f'method "{self.method}" has a fixed step: give step= in seconds')


@dataclass
class Trajectory:
    """What the integrator left: samples, where it stopped and why, and all it needs to go on."""

    of_numbers: ClassVar[bool] = True  # see `model.recipes`: it is not searched for parameters

    plan: Plan
    dynamics: Dynamics
    options: Options
    t: np.ndarray
    y: np.ndarray
    inputs: np.ndarray
    status: str
    message: str
    statistics: dict[str, float]
    events: list[tuple[float, str]] = field(default_factory=list)
    stepper: dict[str, np.ndarray] = field(default_factory=dict)
    final_inputs: np.ndarray = field(default_factory=lambda: np.zeros(0))
    driven_by: dict[str, Any] = field(default_factory=dict)  # input functions, controllers and events, to go on with
    lost: tuple[str, ...] = ()  # of these, what a file could not hold
    segments: "tuple[Trajectory, ...]" = ()  # what came before the system last changed
    impacts: list[Impact] = field(default_factory=list)
    projection_failures: list[tuple[float, str]] = field(default_factory=list)  # time, constraint not met
    singular: list[tuple[float, str, float]] = field(default_factory=list)  # positions passed: t, constraint, its share
    assembly: Assembly | None = None  # how the start was made to satisfy motions and constraints
    unseen: list[tuple[float, str]] = field(default_factory=list)  # events that changed too fast to be followed: t, name
    clock: float = 0.0  # time that sampled controllers count from, s
    end: tuple[float, np.ndarray] | None = None  # t and y where the integrator stands; samples may end before
    choice: Choice | None = None  # what method="auto" chose
    before: tuple[float, ...] = (0.0, 0.0, 0.0)  # scales of energy and momenta in what this goes on from, see `audit`

    @property
    def at_end(self) -> tuple[float, np.ndarray]:
        """t and y from which to go on."""
        return (float(self.t[-1]), self.y[-1]) if self.end is None else self.end
