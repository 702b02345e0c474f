"""What a Runge-Kutta method is: its tableau, and what step control and dense output need to know of it.

Stage vectors k_j live in numbered slots. An explicit method has k_0 = f(t_n, y_n) in slot 0, its stages in slots 0 to
s-1, f(t_n+1, y_n+1) in the next slot (or in slot s-1 when the method is FSAL), then the extra stages of its dense
output. An implicit, stiffly accurate method has its stages in slots 0 to s-1, the last of them being f(t_n+1, y_n+1),
and f(t_n, y_n) in slot s.

How a method that is no Runge-Kutta method is added is said in `simulate/integrator.py`.
"""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kaneflex.simulate.integrator import Integrator, Problem
from kaneflex.simulate.stepper import Shape, Stepper
from kaneflex.simulate.stepping import layout as at

Array = NDArray[np.float64]
_NONE: Array = np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class RungeKutta:
    """A Runge-Kutta method: y_n+1 = y_n + h sum b_j k_j, k_i = f(t_n + c_i h, y_n + h sum a_ij k_j).

    An implicit method is stiffly accurate (b is the last row of A). Its A is lower triangular with equal entries gamma on
    the diagonal, or it has three stages that are solved for together, A having one real eigenvalue gamma and a complex
    pair. Its error is estimated as h (1 - h gamma J)^-1 E k, with f(t_n, y_n) in the last column of E.

    The local error is estimated as h E k, one row of `E` per estimate (DOP853 has two). The dense output is

        y(t_n + x h) = y_n + h x (F_0 + (1-x) (F_1 + x (F_2 + (1-x) (F_3 + ...)))),   F = D k,                       (1)

    with one row of `D` per F; F_0 = sum b_j k_j makes it end at y_n+1 (Hairer, Norsett, Wanner, section II.6).
    """

    name: str
    order: int
    dense_order: int  # order of the error of (1), as a method
    A: Array
    b: Array
    c: Array
    D: Array
    E: Array = field(default_factory=lambda: _NONE)  # no rows: the step is fixed
    error_order: int = 0  # order of the solution that the error estimate compares with
    fsal: bool = False  # the last stage of a step is the first of the next one
    implicit: bool = False
    A_extra: Array = field(default_factory=lambda: _NONE)  # extra stages of the dense output
    c_extra: Array = field(default_factory=lambda: np.zeros(0))
    probe: float = 0.75  # implicit: where in a step the dense output is looked at
    grow: float = 10.0  # largest and smallest change of the step in one go
    shrink: float = 0.2

    @property
    def exact(self) -> bool:
        """Whether what is restored goes on with the same bits."""
        return True

    def integrator(self, problem: Problem) -> Integrator:
        """An integrator of this method."""
        return Stepper(_shape(self), problem)

    def __post_init__(self) -> None:
        for name in ("A", "b", "c", "D", "E", "A_extra", "c_extra"):
            array = np.array(getattr(self, name), dtype=float)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def stages(self) -> int:
        """Number of stages s."""
        return len(self.b)

    @property
    def adaptive(self) -> bool:
        """Whether the method estimates its error, and so chooses its step."""
        return len(self.E) > 0

    @property
    def coupled(self) -> bool:
        """Whether implicit stages are solved for together."""
        return self.implicit and bool(np.any(np.triu(self.A, 1)))

    @property
    def first(self) -> int:
        """Slot of f(t_n, y_n)."""
        return self.stages if self.implicit else 0

    @property
    def last(self) -> int:
        """Slot of f(t_n+1, y_n+1)."""
        return self.stages - 1 if self.implicit or self.fsal else self.stages

    @property
    def slots(self) -> int:
        """Number of stage vectors kept."""
        return self.stages + (0 if self.fsal else 1) + len(self.c_extra)

    def dense_weights(self, x: float) -> tuple[Array, Array]:
        """Weights w, w' of the dense output (1): y(t_n + x h) = y_n + h w k, and its slope w' k."""
        w, slope = np.zeros(self.slots), np.zeros(self.slots)
        for j in range(len(self.D) - 1, -1, -1):
            factor, change = (1 - x, -1.0) if j % 2 else (x, 1.0)
            w, slope = (w + self.D[j]) * factor, slope * factor + (w + self.D[j]) * change
        return w, slope


@cache
def _shape(method: RungeKutta) -> Shape:
    """The method as the loop takes it, with the tableau in one array."""
    m, parts = method, _parts(method)
    places, length = [], 0
    for key, part in parts.items():
        places.append((key, length))
        length += part.size
    kind = at.RK_COUPLED if m.coupled else (at.RK_DIAGONAL if m.implicit else at.RK_EXPLICIT)
    numbers = (m.stages, m.slots, m.first, m.last, m.fsal, len(m.E), len(m.D), len(m.c_extra))
    control = (m.adaptive, m.error_order, m.grow, m.shrink)
    return Shape(m.name, kind, *numbers, *control, np.concatenate([p.ravel() for p in parts.values()]), tuple(places))


def _parts(method: RungeKutta) -> dict[int, Array]:
    """Parts of the tableau, every matrix with one column per slot, and of an implicit one what Newton's method needs."""
    slots, extra = method.slots, len(method.c_extra)
    A, c = np.zeros((slots, slots)), np.zeros(slots)
    A[: method.stages, : method.stages] = method.A
    c[: method.stages] = method.c
    if extra:
        A[slots - extra :, : method.A_extra.shape[1]] = method.A_extra
        c[slots - extra :] = method.c_extra
    roots, axes = np.array([method.A[0, 0], 0.0, 0.0]), np.zeros(0)
    if method.coupled:
        roots, axes = _eigenvectors(method)
    probe = np.array(method.dense_weights(method.probe) if method.implicit else ())
    matrices = {at.RK_A: A, at.RK_B: method.b, at.RK_NODES: c, at.RK_E: method.E, at.RK_D: method.D}
    return matrices | {at.RK_PROBE: probe, at.RK_GAMMA: np.append(roots, method.probe), at.RK_AXES: axes}


def _eigenvectors(method: RungeKutta) -> tuple[Array, Array]:
    """gamma and mu (real, imaginary part), and the matrices E, E^-1, A^-1 of `stepping.coupled`."""
    inverse = np.linalg.inv(method.A)
    values, vectors = np.linalg.eig(inverse)
    real, pair = int(np.argmin(np.abs(values.imag))), int(np.argmax(values.imag))
    v = vectors[:, pair] / vectors[-1, pair]
    axes = np.column_stack([(vectors[:, real] / vectors[-1, real]).real, v.real, v.imag])
    mu = 1 / values[pair].conj()
    return np.array([1 / values[real].real, mu.real, mu.imag]), np.array([axes, np.linalg.inv(axes), inverse])


def lower(*rows: ArrayLike) -> Array:
    """The square matrix whose lower triangle has these rows; short rows are filled with zeros."""
    matrix = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        entries = np.atleast_1d(np.asarray(row, dtype=float))
        matrix[i, : len(entries)] = entries
    return matrix


def hermite(b: ArrayLike, slots: int, first: int, last: int) -> Array:
    """D of the cubic that has the values and slopes of both ends: F_0 = b k, F_1 = k_first - F_0,
    F_2 = 2 F_0 - k_first - k_last."""
    D = np.zeros((3, slots))
    weights = np.asarray(b, dtype=float)
    D[:, : len(weights)] = np.outer([1, -1, 2], weights)
    D[1, first] += 1
    D[2, first] -= 1
    D[2, last] -= 1
    return D
