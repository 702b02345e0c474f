"""Runs of a system that have begun: one alone, or many side by side."""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kaneflex.model import checks
from kaneflex.model.said import Asked, at_values
from kaneflex.model.typed import typed
from kaneflex.plan.plan import Event
from kaneflex.plan.state import State
from kaneflex.results.awaited import warn_unreached
from kaneflex.results.run import Run
from kaneflex.simulate.alpha_method import AlphaMethod
from kaneflex.simulate.choice import EXPLICIT, usual_method
from kaneflex.simulate.lanes import in_threads
from kaneflex.simulate.sampled import Sampled
from kaneflex.simulate.segment import Going, driven
from kaneflex.simulate.simulate import Options, integrating, simulation
from kaneflex.simulate.trajectory import Trajectory

if TYPE_CHECKING:
    from kaneflex.model.model import Model
    from kaneflex.symbolic.system.system_equations import Equations


class Begun:
    """A run that has begun.

    Args:
        going: takes its steps.
        events: that were to be found.
    """

    def __init__(self, going: Going, events: Sequence[Event]):
        self.going, self.events = going, events
        self.asked: Asked | None = None

    def ended(self, trajectory: Trajectory) -> Run:
        """The run that it was."""
        run = Run(trajectory)
        run.asked = self.asked
        warn_unreached(run, self.events)
        return run


@typed
def begin(
    system: "Model",
    duration: float,
    *,
    initial: Mapping[str, Any] | State | None = None,
    method: str | AlphaMethod | None = None,
    formulation: str = "recursive",
    speeds: str = "customary",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    step: float | None = None,
    max_step: float = math.inf,
    max_steps: int = 5_000_000,
    output: float | None = None,
    times: Any = None,
    inputs: Mapping[str, Any] | None = None,
    controllers: Sequence[Sampled] = (),
    events: Sequence[Event] = (),
    equations: "Equations | None" = None,
    progress: bool | None = None,
) -> Begun:
    """Begin a run; arguments as of `System.simulate`."""
    if equations is not None:
        from kaneflex.symbolic.system.derivation import Equations

        if not isinstance(equations, Equations):
            raise checks.ModelError(f"equations is {checks.shown(equations)}: give those of this system, by equations()")
    if method is None:
        method = EXPLICIT if equations is not None else usual_method(system)
    going = simulation(
        system,
        duration,
        initial=initial,
        options=Options(method, formulation, speeds, rtol, atol, step, max_step, max_steps),
        output=output,
        times=times,
        inputs=inputs,
        controllers=controllers,
        events=events,
        rates=None if equations is None else equations.rates(),
        progress=progress,
    )
    return Begun(going, events or ())


def run_alone(begun: Begun) -> Run:
    """Take the steps of a run, one after the other."""
    with integrating():
        trajectory = driven(begun.going)
    return begun.ended(trajectory)


begin_at_values = at_values(begin)


def check_words(each: Sequence[Any], words: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Refuse what `System.simulate` does not take by name.

    Args:
        each: words for each run.
        words: for all.
    """
    known = [*list(inspect.signature(begin).parameters)[1:], "parameters"]
    for number, own in enumerate(each):
        if not isinstance(own, Mapping):
            raise checks.ModelError(
                f'run {number} of each is {checks.shown(own)}: give what simulate takes by name, {{"initial": {{...}}}}'
            )
        for name in (*own, *words):
            checks.known(name, known, "argument of simulate")
        if "duration" not in own and "duration" not in words:
            raise checks.ModelError(f"run {number} of each has no duration: give duration= for all, or for each")
    return list(each)


def run_each(
    system: "Model", each: Iterable[Mapping[str, Any]], words: Mapping[str, Any], threads: int
) -> Iterator[tuple[int, Any]]:
    """Runs of a system side by side, see `System.simulate_each`: number, and Run or exception, as they end.

    Args:
        system: of which they are.
        each: words of `System.simulate` for each run.
        words: for all.
        threads: how many take steps at the same time.
    """
    begun: dict[int, Begun] = {}

    def maker(number: int, own: Mapping[str, Any]) -> Callable[[], Going]:
        def make() -> Going:
            begun[number] = begin_at_values(system, **{**words, **own, "progress": False})
            return begun[number].going

        return make

    with integrating():
        for number, found in in_threads((maker(number, own) for number, own in enumerate(each)), threads):
            one = begun.pop(number, None)
            yield number, one.ended(found) if isinstance(found, Trajectory) and one is not None else found


__all__ = ["Begun", "begin", "begin_at_values", "check_words", "run_alone", "run_each"]
