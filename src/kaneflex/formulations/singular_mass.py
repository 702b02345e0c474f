"""Which speed meets no inertia."""

import numpy as np
from scipy.linalg import lapack

from kaneflex.plan.plan import Plan


def singular_speed(M: np.ndarray, plan: Plan) -> int | None:
    """Number of the free speed that meets the least inertia, where a mass matrix is singular; None where it is not.

    Args:
        M: of the speeds of the plan.
        plan: says which of them are free.
    """
    free = plan.free_speeds
    if not len(free):
        return None
    A = M if len(free) == plan.nu else M[np.ix_(free, free)]
    d = A.diagonal()
    if not d.min() > 0:
        return int(free[np.argmin(d)])
    s = np.sqrt(d)
    scaled = A / (s * s[:, None])
    # The quick answer: every pivot of a regular matrix is well above rounding. NumPy's factorisation would hand the
    # interpreter to other threads for these microseconds.
    factor, failed = lapack.dpotrf(scaled, lower=1)
    if not failed and factor.diagonal().min() > 1e-5:
        return None
    values, vectors = np.linalg.eigh(scaled)
    return int(free[np.argmax(np.abs(vectors[:, 0]))]) if values[0] < 1e-13 else None
