"""Small motions about an equilibrium, without damping: how many of them grow or flutter, and which are the slowest."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, eigsh

Array = np.ndarray
NOTHING = 1e-12  # of the largest eigenvalue: what rounding leaves of the others
REAL = 1e-6  # of an eigenvalue: an imaginary part that is none
SLOWEST = 30  # motions that are looked at where loads have no potential,
NEAREST = 8  # and where one passes through zero


class Motions:
    """All small motions, or the slowest.

    Args:
        squares: of their eigenvalues, 1/s^2.
        shapes: columns of changes of x.

    Attributes:
        stable: whether all squares are real and not positive.
        growing, fluttering: number of real and positive ones, and of those that are not real.
    """

    def __init__(self, squares: Array, shapes: Array):
        self.squares, self.shapes = squares, shapes
        size = np.abs(squares)
        nothing = NOTHING * float(size.max(initial=0.0))
        flutter = np.abs(squares.imag) > np.maximum(nothing, REAL * size)
        grows = squares.real > nothing
        self.stable = not bool(flutter.any() or grows.any())
        self.growing, self.fluttering = int((grows & ~flutter).sum()), int(flutter.sum())

    def nearest(self) -> float:
        """The square nearest to zero; 0 where nothing can move."""
        if not self.squares.size:
            return 0.0
        return float(self.squares[int(np.argmin(np.abs(self.squares)))].real)

    def within(self, limit: float) -> Array:
        """Shapes of motions whose squares are no larger, rows of changes of x."""
        return np.asarray(self.shapes[:, np.abs(self.squares) <= limit].real.T)


class CountedMotions:
    """The same where loads have a potential, so that nothing flutters: those that grow are counted, and others are found
    when they are asked for.

    Args:
        growing: number of small motions that grow.
        slowest: gives the slowest ones.
    """

    def __init__(self, growing: int, slowest: Callable[[], Motions]):
        self.growing, self.fluttering, self.stable = growing, 0, growing == 0
        self._slowest = slowest

    @cached_property
    def slowest(self) -> Motions:
        """The slowest motions."""
        return self._slowest()

    def nearest(self) -> float:
        """The square nearest to zero."""
        return self.slowest.nearest()

    def within(self, limit: float) -> Array:
        """Shapes of motions whose squares are no larger, rows of changes of x."""
        return self.slowest.within(limit)


def slowest(solve: Callable[[Array], Array], mass: Callable[[Array], Array], n: int, symmetric: bool) -> tuple[Array, Array]:
    """Squares of the eigenvalues of M s'' + K s = 0 that are nearest to zero, and s as columns: by Lanczos's or Arnoldi's
    method on K^-1 M, each of whose steps is of order n.

    Args:
        solve: gives K^-1 r, as the constraints allow it.
        mass: gives M s.
        n: number of speeds.
        symmetric: whether K is.
    """
    operator = lambda act: LinearOperator((n, n), matvec=lambda v: act(np.asarray(v).ravel()), dtype=float)
    K, M = operator(lambda v: v), operator(mass)
    start = np.cos(1.0 + 1.7 * np.arange(n))
    try:
        if symmetric:
            values, shapes = eigsh(K, min(NEAREST, n - 2), M, sigma=0.0, v0=start, OPinv=operator(solve))
        else:
            inverse = operator(lambda v: solve(mass(v)))
            values, shapes = eigs(inverse, min(SLOWEST, n - 2), v0=start)
            values = 1 / np.where(values == 0, np.finfo(float).tiny, values)
    except ArpackNoConvergence as found:
        values, shapes = found.eigenvalues, found.eigenvectors
        values = values if symmetric else 1 / values
    return -values, shapes
