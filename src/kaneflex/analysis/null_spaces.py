"""Kane's equations with constraints, solved without multipliers: three ways to the null space of what constraints say.

Of  M y'' + B^T mu = f ,  B y'' = c  the first is multiplied by a basis N of the null space of B, B N = 0, which takes the
multipliers out; with y_0 that satisfies the second and y'' = y_0 + N z,

    (N^T M N) z = N^T (f - M y_0) .                                                                                 (1)

M may be singular, as that of points and vectors is, as long as no motion that B admits is without inertia; equations may
follow from others. The ways differ in where N comes from, and in the multipliers of redundant equations:

- "svd": from the singular value decomposition of B (Singh and Likins, J. Appl. Mech. 52 (1985) 943); multipliers of
  least norm;
- "putd": from the pseudo-uptriangular decomposition of B^T (Amirouche and Jia, J. Guidance 11 (1988) 39): Householder's
  reflections of one column after the other, in which a column that depends on those before it takes no row of the
  triangle; its multiplier is zero;
- "qr": from Householder's reflections with exchanges of columns, the longest remainder first.

All are dense and cost the cube of the number of unknowns: for small systems and for teaching. The formulation
"cartesian" solves the same equations by a sparse factorisation.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import qr, solve_triangular

from kaneflex.formulations.cartesian.matrices import Matrices
from kaneflex.model import checks
from kaneflex.model.checks import ModelError

Array = np.ndarray
RANK = 1e-10  # of the largest singular value, or of the length of an equation's gradient: less counts as nothing


def _svd(B: Array) -> tuple[Array, Callable[[Array], Array], Callable[[Array], Array]]:
    """N; y_0 from c; mu from f - M y''."""
    U, S, Vt = np.linalg.svd(B)
    rank = int((RANK * S.max(initial=0.0) < S).sum())
    U1, V1, s = U[:, :rank], Vt[:rank].T, S[:rank]
    return Vt[rank:].T, lambda c: V1 @ (U1.T @ c / s), lambda left: U1 @ (V1.T @ left / s)


def _triangular(
    Q: Array, R: Array, which: Array, rows: int
) -> tuple[Array, Callable[[Array], Array], Callable[[Array], Array]]:
    """The same from B^T = Q R with a triangle in the columns `which` of R."""
    rank = len(which)
    Q1, R1 = Q[:, :rank], R[:rank, :]

    def multipliers(left: Array) -> Array:
        mu = np.zeros(rows)
        mu[which] = solve_triangular(R1, Q1.T @ left)
        return mu

    return Q[:, rank:], lambda c: Q1 @ solve_triangular(R1, c[which], trans="T"), multipliers


def pseudo_uptriangular(A: Array) -> tuple[Array, Array, Array]:
    """Q, R and the numbers of independent columns of A = Q R, R being a triangle in these columns."""
    R, (n, m) = np.array(A, float), np.shape(A)
    Q = np.eye(n)
    which: list[int] = []
    for j in range(m):
        k, length = len(which), float(np.linalg.norm(A[:, j]))
        v = R[k:, j].copy()
        size = float(np.linalg.norm(v))
        if size <= RANK * length:
            R[k:, j] = 0.0
            continue
        v[0] += np.copysign(size, v[0])
        v /= np.linalg.norm(v)
        R[k:, j:] -= 2 * np.outer(v, v @ R[k:, j:])
        Q[:, k:] -= 2 * np.outer(Q[:, k:] @ v, v)
        R[k + 1 :, j] = 0.0
        which.append(j)
    return Q, R, np.array(which, int)


def _putd(B: Array) -> tuple[Array, Callable[[Array], Array], Callable[[Array], Array]]:
    Q, R, which = pseudo_uptriangular(B.T)
    return _triangular(Q, R[:, which], which, len(B))


def _qr(B: Array) -> tuple[Array, Callable[[Array], Array], Callable[[Array], Array]]:
    Q, R, order = qr(B.T, pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int((diagonal > RANK * diagonal.max(initial=0.0)).sum())
    return _triangular(Q, R[:, :rank], order[:rank], len(B))


WAYS = {"svd": _svd, "putd": _putd, "qr": _qr}


def null_space(B: Array, way: str = "svd") -> Array:
    """Columns that are an orthonormal basis of the motions that equations B y'' = c leave free, by "svd", "putd" or "qr"."""
    checks.known(way, list(WAYS), "way to a null space")
    B = np.asarray(B, float)
    if B.ndim != 2 or not np.isfinite(B).all():
        raise ModelError("B is not a matrix of finite numbers: give one row for every equation")
    return WAYS[way](B)[0] if len(B) else np.eye(B.shape[1])


def accelerations(matrices: Matrices, way: str = "svd") -> tuple[Array, Array]:
    """y'' and multipliers mu by (1).

    Args:
        matrices: M, B, f and c, see `kaneflex.formulations.cartesian.matrices`; any others of these shapes do.
        way: "svd", "putd" or "qr".
    """
    checks.known(way, list(WAYS), "way to a null space")
    M, B, f, c = (np.asarray(x, float) for x in (matrices.M, matrices.B, matrices.f, matrices.c))
    if M.shape != (len(f), len(f)) or B.shape != (len(c), len(f)):
        raise ModelError(f"M is {M.shape}, B {B.shape}, f {f.shape}, c {c.shape}: they do not belong together")
    if not len(c):
        return np.linalg.solve(M, f), np.zeros(0)
    N, particular, multipliers = WAYS[way](B)
    y = particular(c)
    try:
        y = y + N @ np.linalg.solve(N.T @ M @ N, N.T @ (f - M @ y))
    except np.linalg.LinAlgError:
        raise ModelError("a motion that the equations leave free has no inertia: N^T M N is singular") from None
    return y, multipliers(f - M @ y)


__all__ = ["accelerations", "null_space", "pseudo_uptriangular"]
