"""`method="auto"`: an explicit method, or the linearly implicit one where that gets on faster.

Both are tried from the start for some steps: of an explicit method the step settles at what accuracy or stiffness allows, of
the other at what accuracy does, though perhaps after a while, where a jerk at the start sends waves through a rod: it is
tried on for a small share of what the explicit method would cost to the end. Evaluations of the right-hand side per second
of motion then tell which one costs less. The second is not tried, nor compiled, where the first would do with few steps;
with rods of high order, which are stiff, with fewer.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kaneflex.model.model import Model
from kaneflex.simulate.integrator import Integrator, Problem, Reals, Status
from kaneflex.simulate.methods import integrator

AUTO = "auto"
EXPLICIT, STIFF = "dopri5", "ros34pw2"
TRIES = 60  # steps
FEW = 3000  # steps that nobody waits for,
FEW_OF_STIFF = 300  # and where it is known that the other method takes far less
EXPLICIT_COST = 6.0  # evaluations a step
TREE_COST = 9.0  # with the matrix along the tree, its solutions and the error counted as evaluations,
FULL_COST = 6.0  # with all entries, besides one for each
WORTH = 2.0  # how much less the linearly implicit method must cost
SHARE = 0.05  # of the explicit method's cost to the end, for which the other is tried


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
    problem: Problem, seen: Callable[[Integrator], Integrator], t: float, y: Reals, stop: float, end: float, few: int = FEW
) -> Choice:
    """The method for a run from (t, y) to `end`; nothing beyond `stop` is looked at. `seen` makes an integrator one of y;
    where the explicit method would do with `few` steps there is no choice."""
    plain = replace(problem, event_directions=(), scanned=None, watched=False)

    def started(method: str) -> Integrator:
        """An integrator by a method, at the start."""
        stepper = seen(integrator(method, plain))
        stepper.start(t, y)
        stepper.begin_samples()
        return stepper

    def goes_on(stepper: Integrator) -> bool:
        """Try some steps more: whether there could be others."""
        return stepper.advance(stop, np.zeros(0), np.zeros((0, len(y))), TRIES) == Status.BUDGET

    explicit = started(EXPLICIT)
    goes_on(explicit)
    if end - t < few * explicit.step:
        words = f"explicit steps are long enough: about {(end - t) / explicit.step:.0f} to the end"
        return Choice(EXPLICIT, words, explicit.evaluations)
    cost = (TREE_COST if problem.has_tree else FULL_COST + problem.size) * WORTH / EXPLICIT_COST
    stiff = started(STIFF)
    most = SHARE * EXPLICIT_COST * (end - t) / explicit.step
    while goes_on(stiff) and cost * explicit.step >= stiff.step and stiff.evaluations < most:
        pass
    told = (
        f"explicit steps are {explicit.step:.2g} s long, linearly implicit ones {stiff.step:.2g} s after {stiff.steps} steps"
    )
    better = cost * explicit.step < stiff.step
    return Choice(STIFF if better else EXPLICIT, told, explicit.evaluations + stiff.evaluations)


def usual_method(model: Model) -> str:
    """What a run is made with where nothing is said: rods may be stiff however slowly they move."""
    from kaneflex.structures.strain_rod import StrainRod

    rods = bool(model.rods) or any(isinstance(part.body, StrainRod) for part in model.parts.values())
    return AUTO if rods else EXPLICIT


def few_steps(model: Model) -> int:
    """Explicit steps with which no other method is tried."""
    from kaneflex.structures.strain_rod import StrainRod

    bodies = (part.body for part in model.parts.values())
    return FEW_OF_STIFF if any(isinstance(body, StrainRod) and body.is_stiff for body in bodies) else FEW
