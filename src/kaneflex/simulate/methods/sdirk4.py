"""An L-stable implicit method for stiff systems."""

import numpy as np

from kaneflex.simulate.methods.contract import RungeKutta, lower

_B = np.array([25 / 24, -49 / 48, 125 / 16, -85 / 12, 1 / 4])
_B3 = np.array([59 / 48, -17 / 96, 225 / 32, -85 / 12, 0])
# Dense output y_n + h sum beta_j(x) k_j: rows are beta_j, columns the coefficients of x, x^2, x^3. They follow from
#   sum beta = x,  beta c = x^2/2,  beta c^2 = x^3/3,  beta A c = x^3/6   (order 3),
#   beta A^-1 c^2 = x^2,
# the last of which keeps it of order 2 on components so stiff that their stages lie on a slow solution. The cubic
# Hermite polynomial is of order 1 there, since the k_j are then only first-order slopes (stage order 1).
_BETA = np.array(
    [
        [97 / 32, -109 / 32, 17 / 12],
        [169 / 64, -669 / 64, 163 / 24],
        [-275 / 64, 2175 / 64, -175 / 8],
        [0, -85 / 4, 85 / 6],
        [-3 / 8, 9 / 8, -1 / 2],
        [0, 0, 0],
    ]
)

#: Singly diagonally implicit, stiffly accurate, order 4 with an embedded solution of order 3: Hairer and Wanner,
#: Solving Ordinary Differential Equations II, section IV.6, table 6.5. Dense output: as above.
SDIRK4 = RungeKutta(
    name="sdirk4",
    order=4,
    dense_order=3,
    error_order=3,
    implicit=True,
    A=lower(
        [1 / 4],
        [1 / 2, 1 / 4],
        [17 / 50, -1 / 25, 1 / 4],
        [371 / 1360, -137 / 2720, 15 / 544, 1 / 4],
        _B,
    ),
    b=_B,
    c=np.array([1 / 4, 3 / 4, 11 / 20, 1 / 2, 1]),
    E=np.append(_B - _B3, 0)[None],
    D=(_BETA @ [[1, 0, 0], [1, -1, 0], [1, -1, -1]]).T,
)
