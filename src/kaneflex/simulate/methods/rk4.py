"""The classical method of order 4 with a fixed step."""

import numpy as np

from kaneflex.simulate.methods.contract import RungeKutta, hermite, lower

_B = np.array([1, 2, 2, 1]) / 6

#: Kutta, Zeitschrift fuer Mathematik und Physik 46 (1901) 435. Dense output: cubic Hermite.
RK4 = RungeKutta(
    name="rk4",
    order=4,
    dense_order=3,
    A=lower([], [1 / 2], [0, 1 / 2], [0, 0, 1]),
    b=_B,
    c=np.array([0, 1 / 2, 1 / 2, 1]),
    D=hermite(_B, slots=5, first=0, last=4),
)
