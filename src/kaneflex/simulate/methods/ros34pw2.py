"""The linearly implicit method for stiff chains, trees and loops."""

import numpy as np

from kaneflex.simulate.linear_method import LinearlyImplicit
from kaneflex.simulate.methods.contract import lower

_G = 0.435866521508459  # root of g^3 - 3 g^2 + 3 g/2 - 1/6: stiffly accurate and L-stable

#: Rang and Angermann, BIT Numerical Mathematics 45 (2005) 761: a W-method of order 3 with an embedded one of order 2.
ROS34PW2 = LinearlyImplicit(
    name="ros34pw2",
    order=3,
    error_order=2,
    alpha=lower([], [2 * _G], [8.4457060015369423e-1, -1.1299064236484185e-1], [0, 0, 1]),
    gamma=lower(
        [_G],
        [-2 * _G, _G],
        [-9.0338057013044082e-1, 5.4180672388095326e-2, _G],
        [2.4212380706095346e-1, -1.2232505839045147, 5.4526025533510214e-1, _G],
    ),
    b=np.array([2.4212380706095346e-1, -1.2232505839045147, 1.5452602553351020, _G]),
    other=np.array([3.7810903145819369e-1, -9.6042292212423178e-2, 0.5, 2.1793326075422950e-1]),
)
