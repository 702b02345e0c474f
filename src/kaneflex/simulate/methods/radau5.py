"""The implicit method for stiff systems."""

import numpy as np

from kaneflex.simulate.methods.contract import RungeKutta

_R = np.sqrt(6)
_C = np.array([(4 - _R) / 10, (4 + _R) / 10, 1])
_A = np.array(
    [
        [(88 - 7 * _R) / 360, (296 - 169 * _R) / 1800, (-2 + 3 * _R) / 225],
        [(296 + 169 * _R) / 1800, (88 + 7 * _R) / 360, (-2 - 3 * _R) / 225],
        [(16 - _R) / 36, (16 + _R) / 36, 1 / 9],
    ]
)
_GAMMA = 1 / (3 + 3 ** (2 / 3) - 3 ** (1 / 3))  # one over the real eigenvalue of A^-1
# The error gamma (h f(t_n, y_n) + e_1 z_1 + e_2 z_2 + e_3 z_3), z = h A k (HW IV.8.18)
_ERROR = _GAMMA * np.append(np.array([-13 - 7 * _R, -13 + 7 * _R, -1]) / 3 @ _A, 1)
# The collocation polynomial, of which the k are the slopes at the nodes: rows are the weights of the k, columns the
# coefficients of x, x^2, x^3
_BETA = np.linalg.inv(np.vander(_C, increasing=True)).T / [1, 2, 3]

#: Radau IIA with three stages, stiffly accurate, L-stable: Hairer and Wanner, Solving Ordinary Differential Equations II,
#: section IV.5, table 5.6 and section IV.8. Dense output: the collocation polynomial.
RADAU5 = RungeKutta(
    name="radau5",
    order=5,
    dense_order=3,
    error_order=3,
    implicit=True,
    A=_A,
    b=_A[2],
    c=_C,
    E=_ERROR[None],
    D=(_BETA @ [[1, 0, 0], [1, -1, 0], [1, -1, -1]]).T @ np.eye(3, 4),
    probe=0.85,  # where x (x - c_1) (x - c_2) (x - 1) is largest
    grow=8.0,
)
