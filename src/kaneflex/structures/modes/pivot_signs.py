"""Whether a sparse symmetric matrix has negative eigenvalues, from the signs of its pivots."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu


def is_semidefinite(A: sparse.csr_array, tolerance: float = 1e-9) -> bool:
    """True when no eigenvalue of the symmetric A, scaled to unit diagonal, is below -tolerance.

    The matrix plus tolerance times the identity is factored without row exchanges, A = L D L^T with D the pivots; by
    Sylvester's law of inertia their signs are those of the eigenvalues.
    """
    d = A.diagonal()
    used = d > 0
    if A[~used].nnz and np.abs(A[~used].data).max(initial=0.0) > 0:
        return False  # a zero on the diagonal with something beside it has a negative eigenvalue
    B = A[used][:, used]
    if not B.shape[0]:
        return True
    s = sparse.diags_array(1 / np.sqrt(d[used]))
    B = sparse.csc_array(s @ B @ s + tolerance * sparse.eye_array(B.shape[0]))
    try:
        factor = splu(B, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # entries so far apart in size that a pivot is lost
        return False
    if np.array_equal(factor.perm_r, factor.perm_c):
        return bool((factor.U.diagonal() > 0).all())
    # a zero pivot forced a row exchange, which only an indefinite matrix needs
    return False
