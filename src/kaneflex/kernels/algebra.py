"""3-vectors are tuples, 3x3 matrices tuples of rows, symmetric matrices the 6-tuple (xx, xy, xz, yy, yz, zz).

LLVM keeps tuples in registers and inlines these functions away; the same lines run on symbols.
"""


def cross(a, b):
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(s, a):
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


def half(a):
    """a/2."""
    return (a[0] / 2, a[1] / 2, a[2] / 2)


def transpose(A):
    """A^T."""
    return ((A[0][0], A[1][0], A[2][0]), (A[0][1], A[1][1], A[2][1]), (A[0][2], A[1][2], A[2][2]))


def column(A, k):
    """Column k of A."""
    return (A[0][k], A[1][k], A[2][k])


def mul(A, x):
    """A x."""
    return (dot(A[0], x), dot(A[1], x), dot(A[2], x))


def tmul(A, x):
    """A^T x."""
    return (
        A[0][0] * x[0] + A[1][0] * x[1] + A[2][0] * x[2],
        A[0][1] * x[0] + A[1][1] * x[1] + A[2][1] * x[2],
        A[0][2] * x[0] + A[1][2] * x[1] + A[2][2] * x[2],
    )


def matmul(A, B):
    """A B."""
    return (tmul(B, A[0]), tmul(B, A[1]), tmul(B, A[2]))


def madd(A, B):
    """A + B."""
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


def skew(p):
    """p~, with p~ x = p x x."""
    z = 0 * p[0]
    return ((z, -p[2], p[1]), (p[2], z, -p[0]), (-p[1], p[0], z))


def skew_mul(p, A):
    """p~ A."""
    return (
        sub(scale(p[1], A[2]), scale(p[2], A[1])),
        sub(scale(p[2], A[0]), scale(p[0], A[2])),
        sub(scale(p[0], A[1]), scale(p[1], A[0])),
    )


def congruence(E, A):
    """E^T A E."""
    B = matmul(A, E)
    return (
        tmul(B, (E[0][0], E[1][0], E[2][0])),
        tmul(B, (E[0][1], E[1][1], E[2][1])),
        tmul(B, (E[0][2], E[1][2], E[2][2])),
    )


def sym_mul(A, x):
    """A x for symmetric A."""
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[1] * x[0] + A[3] * x[1] + A[4] * x[2],
        A[2] * x[0] + A[4] * x[1] + A[5] * x[2],
    )


def sym_add(A, B):
    """A + B for symmetric matrices."""
    return (A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5])


def sym_full(A):
    """The 3x3 rows of symmetric A."""
    return ((A[0], A[1], A[2]), (A[1], A[3], A[4]), (A[2], A[4], A[5]))


def sym_congruence(E, A):
    """E^T A E for symmetric A."""
    x = sym_mul(A, (E[0][0], E[1][0], E[2][0]))
    y = sym_mul(A, (E[0][1], E[1][1], E[2][1]))
    w = sym_mul(A, (E[0][2], E[1][2], E[2][2]))
    return (
        E[0][0] * x[0] + E[1][0] * x[1] + E[2][0] * x[2],
        E[0][0] * y[0] + E[1][0] * y[1] + E[2][0] * y[2],
        E[0][0] * w[0] + E[1][0] * w[1] + E[2][0] * w[2],
        E[0][1] * y[0] + E[1][1] * y[1] + E[2][1] * y[2],
        E[0][1] * w[0] + E[1][1] * w[1] + E[2][1] * w[2],
        E[0][2] * w[0] + E[1][2] * w[1] + E[2][2] * w[2],
    )


def sym_rank_one(A, s, a):
    """A - s a a^T for symmetric A."""
    x = scale(s, a)
    return (
        A[0] - x[0] * a[0],
        A[1] - x[0] * a[1],
        A[2] - x[0] * a[2],
        A[3] - x[1] * a[1],
        A[4] - x[1] * a[2],
        A[5] - x[2] * a[2],
    )


def rank_one(A, s, a, b):
    """A - s a b^T."""
    x = scale(s, a)
    return (sub(A[0], scale(x[0], b)), sub(A[1], scale(x[1], b)), sub(A[2], scale(x[2], b)))


def shift_inertia(J, H, G, r):
    """J + r~ H^T - G r~, symmetric when G = H + r~ M."""
    return (
        J[0] - r[2] * H[0][1] + r[1] * H[0][2] - G[0][1] * r[2] + G[0][2] * r[1],
        J[1] - r[2] * H[1][1] + r[1] * H[1][2] + G[0][0] * r[2] - G[0][2] * r[0],
        J[2] - r[2] * H[2][1] + r[1] * H[2][2] - G[0][0] * r[1] + G[0][1] * r[0],
        J[3] + r[2] * H[1][0] - r[0] * H[1][2] + G[1][0] * r[2] - G[1][2] * r[0],
        J[4] + r[2] * H[2][0] - r[0] * H[2][2] - G[1][0] * r[1] + G[1][1] * r[0],
        J[5] - r[1] * H[2][0] + r[0] * H[2][1] - G[2][0] * r[1] + G[2][1] * r[0],
    )


def quaternion_matrix(e0, e1, e2, e3):
    """Rotation matrix of a unit quaternion, scalar part first: components in the turned frame to the fixed one."""
    return (
        (1 - 2 * (e2 * e2 + e3 * e3), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)),
        (2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1 * e1 + e3 * e3), 2 * (e2 * e3 - e0 * e1)),
        (2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1 * e1 + e2 * e2)),
    )


def load3(w, k):
    """The 3-vector at w[k]."""
    return (w[k], w[k + 1], w[k + 2])


def store3(w, k, a):
    """Write a 3-vector at w[k]."""
    w[k] = a[0]
    w[k + 1] = a[1]
    w[k + 2] = a[2]


def accumulate3(w, k, a):
    """Add a 3-vector at w[k]."""
    w[k] += a[0]
    w[k + 1] += a[1]
    w[k + 2] += a[2]


def load6(w, k):
    """The 6-tuple (symmetric matrix) at w[k]."""
    return (w[k], w[k + 1], w[k + 2], w[k + 3], w[k + 4], w[k + 5])


def store6(w, k, a):
    """Write a 6-tuple at w[k]."""
    w[k] = a[0]
    w[k + 1] = a[1]
    w[k + 2] = a[2]
    w[k + 3] = a[3]
    w[k + 4] = a[4]
    w[k + 5] = a[5]


def accumulate6(w, k, a):
    """Add a 6-tuple at w[k]."""
    w[k] += a[0]
    w[k + 1] += a[1]
    w[k + 2] += a[2]
    w[k + 3] += a[3]
    w[k + 4] += a[4]
    w[k + 5] += a[5]


def load33(w, k):
    """The 3x3 matrix at w[k]."""
    return (load3(w, k), load3(w, k + 3), load3(w, k + 6))


def store33(w, k, A):
    """Write a 3x3 matrix at w[k]."""
    store3(w, k, A[0])
    store3(w, k + 3, A[1])
    store3(w, k + 6, A[2])


def accumulate33(w, k, A):
    """Add a 3x3 matrix at w[k]."""
    accumulate3(w, k, A[0])
    accumulate3(w, k + 3, A[1])
    accumulate3(w, k + 6, A[2])
