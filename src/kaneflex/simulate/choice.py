"""`method="auto"`: an explicit method, or the linearly implicit one where that gets on faster.

Both are tried from the start for some steps: of an explicit method the step settles at what accuracy or stiffness allows, of
the other at what accuracy does. Evaluations of the right-hand side per second of motion then tell which one costs less. The
second is not tried, nor compiled, where the first would do with few steps.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kaneflex.simulate.integrator import Integrator, Problem, Reals
from kaneflex.simulate.methods import integrator

AUTO = "auto"
EXPLICIT, STIFF = "dopri5", "ros34pw2"
TRIES = 60  # steps
FEW = 3000  # steps that nobody waits for
EXPLICIT_COST = 6.0  # evaluations a step
TREE_COST = 9.0  # with the matrix along the tree, its solutions and the error counted as evaluations,
FULL_COST = 6.0  # with all entries, besides one for each
WORTH = 2.0  # how much less the linearly implicit method must cost


@dataclass(frozen=True)
class Choice:
    """What was chosen, why, and what the tries cost.

    Args:
        method: name of the method.
        why: in words.
        evaluations: of the right-hand side in the tries.
    """

    method: str = ""
    why: str = ""
    evaluations: int = 0


def choose(
    problem: Problem, seen: Callable[[Integrator], Integrator], t: float, y: Reals, stop: float, end: float
) -> Choice:
    """The method for a run from (t, y) to `end`; nothing beyond `stop` is looked at. `seen` makes an integrator one of y."""
    plain = replace(problem, event_directions=(), scanned=None, watched=False)

    def tried(method: str) -> tuple[float, int]:
        """Step that a method comes to, and its evaluations."""
        stepper = seen(integrator(method, plain))
        stepper.start(t, y)
        stepper.begin_samples()
        stepper.advance(stop, np.zeros(0), np.zeros((0, len(y))), TRIES)
        return stepper.step, stepper.evaluations

    explicit, first = tried(EXPLICIT)
    if end - t < FEW * explicit:
        return Choice(EXPLICIT, f"explicit steps are long enough: about {(end - t) / explicit:.0f} to the end", first)
    stiff, second = tried(STIFF)
    cost = TREE_COST if problem.has_tree else FULL_COST + problem.size
    told = f"after {TRIES} steps explicit ones are {explicit:.2g} s long, linearly implicit ones {stiff:.2g} s"
    better = WORTH * cost * explicit < EXPLICIT_COST * stiff
    return Choice(STIFF if better else EXPLICIT, told, first + second)
