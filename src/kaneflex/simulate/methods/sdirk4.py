"""An L-stable implicit method for stiff systems."""

import numpy as np

from kaneflex.simulate.methods.contract import Method, hermite, lower

_B = np.array([25 / 24, -49 / 48, 125 / 16, -85 / 12, 1 / 4])
_B3 = np.array([59 / 48, -17 / 96, 225 / 32, -85 / 12, 0])

#: Singly diagonally implicit, stiffly accurate, order 4 with an embedded solution of order 3: Hairer and Wanner,
#: Solving Ordinary Differential Equations II, section IV.6, table 6.5. Dense output: cubic Hermite.
SDIRK4 = Method(
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
    D=hermite(_B, slots=6, first=5, last=4),
)
