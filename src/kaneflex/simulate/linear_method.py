"""What a linearly implicit method is: its coefficients, and how the compiled loop takes them."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kaneflex.simulate.integrator import Integrator, Problem
from kaneflex.simulate.stepper import Shape, Stepper
from kaneflex.simulate.stepping import layout as at

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearlyImplicit:
    """A Rosenbrock method, or a W-method, whose order does not depend on the matrix A in the place of the Jacobian:

        (1 - h gamma A) k_i = f(t + alpha_i h, y + h sum alpha_ij k_j) + h A sum gamma_ij k_j + h gamma_i f_t ,         (1)
        y_n+1 = y + h sum b_j k_j ,    error  h sum (b_j - other_j) k_j .

    Args:
        name: as in `method=`.
        order: of convergence.
        error_order: order of the solution that the error estimate compares with.
        alpha: lower triangle without its diagonal.
        gamma: lower triangle, its diagonal being gamma.
        b: weights of the solution.
        other: of the one that it is compared with.
        exact_tangent: A is the Jacobian itself also where the matrix is that of the tree, which then finds it by iteration.
    """

    name: str
    order: int
    error_order: int
    alpha: Array
    gamma: Array
    b: Array
    other: Array
    exact_tangent: bool = False
    dense_order: int = 3
    adaptive: bool = field(default=True, init=False)
    implicit: bool = field(default=True, init=False)
    exact: bool = field(default=True, init=False)

    def integrator(self, problem: Problem) -> Integrator:
        """An integrator of this method."""
        return Stepper(_shape(self), problem)


@cache
def _shape(method: LinearlyImplicit) -> Shape:
    """The method as the loop takes it, in h sum gamma_ij k_j for k_i (HW IV.7.25): one matrix product less a stage."""
    s, gamma = len(method.b), method.gamma[0, 0]
    inverse = np.linalg.inv(method.gamma)
    slots = s + 2  # the stages, and the slopes at both ends
    A = np.zeros((slots, slots))
    A[:s, :s] = method.alpha @ inverse
    carried = np.eye(s) / gamma - inverse
    parts = {
        at.RK_A: A,
        at.RK_B: method.b @ inverse,
        at.RK_NODES: method.alpha.sum(axis=1),
        at.RK_E: (method.b - method.other) @ inverse,
        at.RK_GAMMA: np.array([gamma]),
        at.RK_AXES: np.concatenate([carried.ravel(), method.gamma.sum(axis=1)]),
    }
    places, length = [], 0
    for key, part in parts.items():
        places.append((key, length))
        length += part.size
    numbers = (s, slots, s, s + 1, False, 1, 3, 0)
    tableau = np.concatenate([part.ravel() for part in parts.values()])
    control = (True, method.error_order, 5.0, 0.1)
    return Shape(method.name, at.RK_LINEAR, *numbers, *control, tableau, tuple(places), exact_tangent=method.exact_tangent)
