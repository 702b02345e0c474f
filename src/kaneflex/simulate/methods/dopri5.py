"""Dormand and Prince's pair of orders 5 and 4."""

import numpy as np

from kaneflex.simulate.methods.contract import RungeKutta, hermite, lower

_B = np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0])
_B4 = np.array([5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40])
# the fourth-order term of the interpolant, weight of x^2 (1-x)^2
_QUARTIC = np.array(
    [
        -12715105075 / 11282082432,
        0,
        87487479700 / 32700410799,
        -10690763975 / 1880347072,
        701980252875 / 199316789632,
        -1453857185 / 822651844,
        69997945 / 29380423,
    ]
)

#: Dormand and Prince, J. Comput. Appl. Math. 6 (1980) 19; dense output of order 4 by Shampine, Math. Comp. 46 (1986)
#: 135, as in Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.6.
DOPRI5 = RungeKutta(
    name="dopri5",
    order=5,
    dense_order=4,
    error_order=4,
    fsal=True,
    A=lower(
        [],
        [1 / 5],
        [3 / 40, 9 / 40],
        [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        _B[:6],
    ),
    b=_B,
    c=np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1]),
    E=(_B - _B4)[None],
    D=np.vstack([hermite(_B, slots=7, first=0, last=6), _QUARTIC]),
)
