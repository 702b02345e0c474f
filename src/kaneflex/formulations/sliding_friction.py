"""Normal forces of points that slide with friction, which friction depends on and changes.

Friction under a unit normal force loads the bodies with a wrench, which is carried through the elimination like that of a
multiplier: Eqs. (1) and (2) of `loop_elimination` then have a column more per point, B_rn = J_r M^-1 (wrench of n),

    A lambda + B N + beta - P^T a_L = 0 ,    N_n = (S lambda)_n ,                                                  (1)

S being what spreads multipliers over redundant equations by least norm. With lambda_0 those without friction,

    (1 + S A^-1 B) N = S lambda_0 ,    lambda = lambda_0 - A^-1 B N ,                                              (2)

of S only the rows of the points. The matrix has no symmetry, and near jamming any of its diagonal entries may vanish: its
rows are exchanged. All that shares joints with such points closes on the ground with them, because a body on which they
closed would get an inertia without symmetry: they are one cluster without open equations, whose matrix has the columns of B
as further rows, so that its factor has (L^-1 B)^T there. These kernels compare magnitudes, so they run on numbers, real or
complex, not on symbols.
"""

from kaneflex.formulations.least_norm import spread_cluster
from kaneflex.formulations.multipliers import (
    cluster_factor,
    cluster_height,
    equation_of,
    raise_multipliers,
)
from kaneflex.formulations.row_solve import factor_rows, solve_rows
from kaneflex.kernels.algebra import accumulate3, load3, scale
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import one_run, runs


def friction_column(I, c, n):
    """Place in W of the column of B for the n-th sliding point of cluster c: an entry for each of its equations."""
    b = cluster_row(I, c)
    return I[b + CLUSTER_DELASSUS] + (I[b + CLUSTER_ROWS] + n) * cluster_height(I, c)


def begin_friction(I, W):
    """Load the bodies with the friction of unit normal forces; nothing is carried yet."""
    z = 0 * W[OMEGA]
    for n in range(I[FRICTIONS]):
        b, w = friction_row(I, n), friction_work(I, n)
        r = equation_work(I, I[b + FRICTION_ROW])
        W[r + BETA], W[r + SIZE_], W[r + REACH], W[r + ARM] = z, z, z, 1 + z
        for k in range(6):
            W[r + CLOSING_WRENCH + k] = z
        for k in range(6):
            W[I[b + FRICTION_AT] + k] -= W[w + FRICTION_WRENCH + k]
            W[I[b + FRICTION_OTHER_AT] + k] -= W[w + FRICTION_OTHER + k]


def unload_friction(I, W):
    """No friction: for solutions in speeds."""
    for n in range(I[FRICTIONS]):
        for k in range(FRICTION_WIDTH):
            W[friction_work(I, n) + k] = 0 * W[OMEGA]


def multipliers_of(I, W, c, n):
    """Leave A^-1 B of the n-th sliding point of cluster c in the place of the multipliers."""
    m = I[cluster_row(I, c) + CLUSTER_ROWS]
    for k in range(m):
        W[equation_of(I, c, k) + MULTIPLIER] = W[cluster_factor(I, c) + (m + n) * m + k]
    raise_multipliers(I, W, c)


def solve_friction(I, W, c):
    """`solve_normals` in every run."""
    for run in range(runs(W)):
        solve_normals(I, one_run(W, run), c)


def solve_normals(I, W, c):
    """Eq. (2) for cluster c, the multipliers without friction being there; those of sliding points are normal forces."""
    b = cluster_row(I, c)
    m, k, first = I[b + CLUSTER_ROWS], I[b + CLUSTER_FRICTIONS], I[b + CLUSTER_ROW]
    K = I[W_NORMAL]
    for r in range(m):
        x = equation_work(I, first + r)
        W[x + REDUCED_BETA] = W[x + MULTIPLIER]
    spread_cluster(I, W, c)
    for n in range(k):
        W[K + pivoted_b_work(k) + n] = normal_multiplier(I, W, c, n)
    for n in range(k):
        multipliers_of(I, W, c, n)
        spread_cluster(I, W, c)
        for r in range(k):
            W[K + r * k + n] = normal_multiplier(I, W, c, r)
        W[K + n * k + n] += 1
    factor_rows(W, K, k)
    N = solve_rows(W, K, k)
    for n in range(k):
        W[equation_work(I, I[friction_row(I, I[b + CLUSTER_FRICTION] + n) + FRICTION_ROW]) + MULTIPLIER] = W[N + n]
        multipliers_of(I, W, c, n)
        for r in range(m):
            x = equation_work(I, first + r)
            W[x + REDUCED_BETA] -= W[x + MULTIPLIER] * W[N + n]
    for r in range(m):
        x = equation_work(I, first + r)
        W[x + MULTIPLIER] = W[x + REDUCED_BETA]


def normal_multiplier(I, W, c, n):
    """Multiplier that is the normal force on the n-th sliding point of cluster c."""
    b = friction_row(I, I[cluster_row(I, c) + CLUSTER_FRICTION] + n)
    return W[equation_work(I, I[b + FRICTION_NORMAL]) + MULTIPLIER]


def friction_powers(I, W):
    """Power of friction, of all points that slide, under the normal forces found."""
    for n in range(I[FRICTIONS]):
        b = friction_row(I, n)
        N = W[equation_work(I, I[b + FRICTION_ROW]) + MULTIPLIER]
        W[energy_work(I, I[b + FRICTION_LOAD]) + POWER_DISSIPATED] = N * W[friction_work(I, n) + FRICTION_POWER]


def add_friction_wrenches(I, W):
    """Friction under the normal forces found as loads on single bodies, in TORQUE and FORCE (inertia less applied)."""
    for n in range(I[FRICTIONS]):
        b, w = friction_row(I, n), friction_work(I, n)
        f = force_row(I, I[b + FRICTION_LOAD])
        N = W[equation_work(I, I[b + FRICTION_ROW]) + MULTIPLIER]
        i, j = body_work(I[f + FORCE_BODY]), body_work(I[f + FORCE_OTHER])
        accumulate3(W, i + TORQUE, scale(-N, load3(W, w + FRICTION_WRENCH)))
        accumulate3(W, i + FORCE, scale(-N, load3(W, w + FRICTION_WRENCH + 3)))
        if j > 0:
            accumulate3(W, j + TORQUE, scale(-N, load3(W, w + FRICTION_OTHER)))
            accumulate3(W, j + FORCE, scale(-N, load3(W, w + FRICTION_OTHER + 3)))
