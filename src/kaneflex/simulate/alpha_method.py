"""What Newmark's method and generalized-alpha are: four numbers, and how the compiled loop takes them."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.simulate.integrator import Integrator, Problem
from kaneflex.simulate.stepper import Shape, Stepper
from kaneflex.simulate.stepping import layout as at


class AlphaMethod:
    """A method of fixed steps with the equations of `stepping.alpha`; a subclass gives the four numbers."""

    order = 2
    dense_order = 2
    adaptive = False
    implicit = True
    exact = True

    @property
    def name(self) -> str:
        """As in `method=`."""
        raise NotImplementedError

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        raise NotImplementedError

    def integrator(self, problem: Problem) -> Integrator:
        """An integrator of this method.

        Args:
            problem: what is to be integrated.
        """
        return Stepper(_shape(self.name, self.numbers), problem)


@typed
@dataclass(frozen=True)
class Newmark(AlphaMethod):
    """Newmark's method with fixed steps: `simulate(10.0, method=kf.Newmark(), step=1e-3)`.

    beta = 1/4, gamma = 1/2, the average acceleration, keeps the amplitude of any vibration, however fast; it is of order 2.
    With gamma above 1/2 fast vibrations are damped, and the order is 1; beta = (gamma + 1/2)^2/4 then damps most.
    beta = 0 are central differences: nothing is solved for, and a step costs one evaluation, the least of all methods where
    the fastest vibration decides. It must be shorter than sqrt(2/gamma) over that frequency (rad/s), by a fifth where the
    system turns as it vibrates, else the motion grows without bounds; dampers shorten it further. Momentum is then kept to
    the method's order only.
    Ref: Newmark, J. Eng. Mech. 85 (1959) 67; Banerjee, Flexible Multibody Dynamics, section 10.3.

    Args:
        beta: share of the new acceleration in the displacement, at least gamma/2, or 0.
        gamma: share of the new acceleration in the velocity, at least 1/2.
    """

    beta: float = 0.25
    gamma: float = 0.5

    def __post_init__(self) -> None:
        beta, gamma = checks.number(self.beta, "beta of Newmark"), checks.number(self.gamma, "gamma of Newmark")
        if not gamma >= 0.5:
            raise ModelError(f"gamma of Newmark is {gamma:g}: below 1/2 vibrations grow")
        if beta != 0 and not 2 * beta >= gamma:
            raise ModelError(
                f"beta of Newmark is {beta:g}: below gamma/2 = {gamma / 2:g} fast vibrations grow; only 0 is of use there"
            )

    def integrator(self, problem: Problem) -> Integrator:
        """An integrator of this method.

        Args:
            problem: what is to be integrated.
        """
        if self.beta == 0 and problem.speeds == 0:
            raise ModelError("Newmark with beta = 0 moves coordinates by rates of joints: use customary speeds along a tree")
        return super().integrator(problem)

    @property
    def order(self) -> int:  # type: ignore[override]
        """Of convergence."""
        return 2 if self.gamma == 0.5 else 1

    @property
    def name(self) -> str:
        """As in `method=`."""
        return "newmark" if self == Newmark() else f"newmark(beta={self.beta!r}, gamma={self.gamma!r})"

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        return 0.0, 0.0, self.beta, self.gamma


@typed
@dataclass(frozen=True)
class GeneralizedAlpha(AlphaMethod):
    """Generalized-alpha with fixed steps: `simulate(10.0, method=kf.GeneralizedAlpha(rho=0.8), step=1e-3)`. Of order 2
    whatever rho is. Ref: Chung and Hulbert, J. Appl. Mech. 60 (1993) 371.

    Args:
        rho: spectral radius for infinitely fast vibrations, 0 to 1: what a step leaves of their amplitude. 1 keeps it.
    """

    rho: float = 1.0

    def __post_init__(self) -> None:
        rho = checks.number(self.rho, "rho of GeneralizedAlpha")
        if not 0 <= rho <= 1:
            raise ModelError(
                f"rho of GeneralizedAlpha is {rho:g}: give 0 (fast vibrations vanish in a step) to 1 (they stay)"
            )

    @property
    def name(self) -> str:
        """As in `method=`."""
        return "generalized-alpha" if self == GeneralizedAlpha() else f"generalized-alpha(rho={self.rho!r})"

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        am, af = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        gamma = 0.5 + af - am
        return am, af, (gamma + 0.5) ** 2 / 4, gamma


@cache
def _shape(name: str, numbers: tuple[float, float, float, float]) -> Shape:
    """Two slots for the slopes at both ends; the root of b of Newton's matrix, the four numbers, and g."""
    am, af, beta, gamma = numbers
    share = (1 - af) / (1 - am)
    tableau = np.array([math.sqrt(beta * share), *numbers, gamma * share])
    places = ((at.RK_GAMMA, 0), (at.RK_AXES, 1))
    control = (False, 0, 1.0, 1.0)
    return Shape(name, at.RK_ALPHA, 1, 2, 0, 1, False, 0, 3, 0, *control, tableau, places, solves=beta != 0)
