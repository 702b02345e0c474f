"""The exact tangent in linearly implicit steps, in order n: the equations of a stage solved by iteration along the tree.

A stage wants k with (1 - g J) k = b, g = h gamma. The matrix M of the tree (`formulations.tree_matrix`) has of J what
joints and tension do. Of r = M^-1 (b - (1 - g J) k), which is M^-1 b where k = 0, directions p_j whose images
a_j = M^-1 (1 - g J) p_j are orthonormal, in the norm of the tolerances, take away what they can,

    k <- k + (a_j . r) p_j ,    r <- r - (a_j . r) a_j .                                                             (1)

The next direction is r itself, less what the others have of it. The matrix is the same for all stages of a step, and so are
the directions. A product J p is exact to rounding by the complex step, f(y + i e p) = f(y) + i e J p, with all that
rates depend on: loads on bodies, the ground, gyroscopic terms, the states of blocks. What is left in the end, a thousandth
of the tolerance unless RK_DIRECTIONS do not do, joins k, as M alone would have it; so does work, on which nothing depends.
Ref: Eisenstat, Elman and Schultz, SIAM J. Numer. Anal. 20 (1983) 345, for (1); Squire and Trapp, SIAM Review 40 (1998) 110.
"""

from kaneflex.formulations.evaluate import derivative
from kaneflex.formulations.tree_matrix import complex_place
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import complexes, integers_at, offset, sqrt
from kaneflex.simulate.stepping.layout import *
from kaneflex.simulate.stepping.mixing import weighted_product
from kaneflex.simulate.stepping.newton import solve_newton
from kaneflex.simulate.stepping.vectors import ask, copy_vector, slot

RK_DIRECTIONS = 24  # most of them in a step
RK_LEFT_OVER = 1000  # one over what may be left of a stage, 1 being the tolerance of a step


def exact_length(n):
    """Numbers that are kept: weights, directions and their images."""
    return (1 + 2 * RK_DIRECTIONS) * n


def direction(N, j):
    """Place in S of direction j."""
    return N[RK_KRYLOV] + (1 + j) * N[RK_SIZE]


def image(N, j):
    """Place in S of its image."""
    return direction(N, RK_DIRECTIONS + j)


def begin_exact(N, C, S):
    """r = M^-1 b, which is where k will be, less what directions of stages before take of it."""
    n, r, k = N[RK_SIZE], offset(S, N[RK_DELTA]), offset(S, slot(N, N[RK_INDEX]))
    if N[RK_PAIRS] == 0:
        weights = offset(S, N[RK_KRYLOV])
        for m in range(n):
            scale = S[N[RK_ATOL] + m] + C[RK_RTOL] * abs(S[N[RK_Y] + m])
            weights[m] = 1.0 / (scale * scale) if m < n - N[RK_WORKS] and m < N[RK_CHECKED] else 0.0
    for m in range(n):
        r[m] = k[m]
        k[m] = 0.0
    C[RK_NORM_FIRST] = residual(N, S)
    for j in range(N[RK_PAIRS]):
        take_direction(N, S, j)
    return next_direction(N, C, S)


def residual(N, S):
    """Norm of r."""
    r = offset(S, N[RK_DELTA])
    return sqrt(weighted_product(N[RK_SIZE], 1, offset(S, N[RK_KRYLOV]), r, r) / max(1, N[RK_CHECKED]))


def take_direction(N, S, j):
    """Eq. (1)."""
    n, r, k = N[RK_SIZE], offset(S, N[RK_DELTA]), offset(S, slot(N, N[RK_INDEX]))
    p, a = offset(S, direction(N, j)), offset(S, image(N, j))
    c = weighted_product(n, 1, offset(S, N[RK_KRYLOV]), a, r)
    for m in range(n):
        k[m] += c * p[m]
        r[m] -= c * a[m]


def next_direction(N, C, S):
    """Want J p along what is left, or go on to the next stage where that is little, or rounding."""
    j, left = N[RK_PAIRS], residual(N, S)
    if RK_LEFT_OVER * C[RK_H_TRY] * left > 1.0 and left > 1e-15 * C[RK_NORM_FIRST] and j < RK_DIRECTIONS:
        copy_vector(N[RK_SIZE], offset(S, N[RK_DELTA]), offset(S, direction(N, j)))
        ask(N, C, C[RK_T], direction(N, j), image(N, j))
        N[RK_PHASE] = RK_PRODUCT
        return RK_ALONG
    return end_exact(N, S)


def end_exact(N, S):
    """The last of k; the next stage."""
    n, k = N[RK_SIZE], slot(N, N[RK_INDEX])
    for m in range(n):
        S[k + m] += S[N[RK_DELTA] + m]
    N[RK_INDEX] += 1
    N[RK_PHASE] = RK_SOLVE
    return RK_GO


def end_direction(I, P, N, C, T, S, L, pivot):
    """The image of a direction, J p being in its place; both less what the others have of it, twice for rounding."""
    n, j, weights = N[RK_SIZE], N[RK_PAIRS], offset(S, N[RK_KRYLOV])
    p, a, g = offset(S, direction(N, j)), offset(S, image(N, j)), C[RK_H_TRY] * T[N[RK_GAMMA]]
    for m in range(n):
        a[m] = p[m] - g * a[m]
    solve_newton(I, P, N, C, T, S, L, pivot, a)
    for i in range(2 * j):
        other, its_image = offset(S, direction(N, i % j)), offset(S, image(N, i % j))
        c = weighted_product(n, 1, weights, its_image, a)
        for m in range(n):
            p[m] -= c * other[m]
            a[m] -= c * its_image[m]
    size = sqrt(weighted_product(n, 1, weights, a, a))
    if not 1e-200 < size < 1e200:
        return end_exact(N, S)
    for m in range(n):
        p[m] /= size
        a[m] /= size
    N[RK_PAIRS] = j + 1
    N[RK_CORRECTIONS] += 1
    take_direction(N, S, j)
    return next_direction(N, C, S)


def slope_along(I, P, W, N, C, S, X, Z, pivot):
    """J p at the start of the step, p being where a slope would be asked for. pivot[0] is the address of I with functions on
    complex numbers; the workspace for them is that of the tree's complex matrix, which is not made."""
    n, V = N[RK_SIZE], complexes(offset(X, complex_place(I)))
    y, p, out = offset(S, N[RK_Y]), offset(S, N[RK_ASK_Y]), offset(S, N[RK_ASK_OUT])
    if N[RK_PAIRS] == 0:  # inputs, and forces from outside
        for k in range(I[W_SIZE]):
            V[k] = complex(W[k], 0.0)
    for m in range(n):
        Z[m] = complex(y[m], 1e-30 * p[m])
    derivative(integers_at(pivot[0]), P, V, C[RK_ASK_T], Z, offset(Z, n))
    for m in range(n):
        out[m] = Z[n + m].imag / 1e-30
    N[RK_EVALUATIONS] += 1
