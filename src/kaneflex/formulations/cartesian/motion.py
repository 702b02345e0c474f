"""Bodies from points and unit vectors: where they are, how they move, and their partial velocities.

A body has a base of a point p_0 and two directions d_1, d_2, each a unit vector or the way between two points. With
l = |d_1|, a = d_2 . e_1, b = d_2 . e_2 its frame and angular velocity are, (3) to (15) of the paper,

    e_1 = d_1/l ,   e_3 = e_1 x d_2/|e_1 x d_2| ,   e_2 = e_3 x e_1 ,                                               (1)
    omega = e_1 x d_1'/l + e_1 s ,    s = e_3 . (d_2' - (a/l) d_1')/b ,                                             (2)

for any d_1, d_2, whether they keep their lengths and angle or not. The origin of M is p_0 + R c. Velocities are linear in
the rates of points and vectors: the partial velocities of a body are the columns Phi of (omega, v) = Phi y', in axes of M.
The angular acceleration is Phi y'' and, with l' = e_1 . d_1', e_1' = (d_1' - l' e_1)/l,

    -2 l' (e_1 x e_1')/l + s e_1' + e_1 s~ ,
    b s~ = (2 (a/l) l' - a') e_1' . e_3 + (d_2' - a e_1') . (omega x e_3) - s b' .                                   (3)

y = (points and vectors, q of the tree; rates of the former, total spins of rotors; states of blocks, works). q is carried
along so that turns are counted; what it is follows from the bodies, by two steps of Newton's method on each joint's pose.
Ref: Hu, Guan and Hou, on fully Cartesian coordinates for deployable structures.
On numbers only.
"""

from kaneflex.formulations.cartesian.layout import *
from kaneflex.kernels.algebra import (
    add,
    cross,
    dot,
    load3,
    load33,
    matmul,
    mul,
    scale,
    store3,
    store33,
    sub,
    tmul,
    transpose,
)
from kaneflex.kernels.joints.dispatch import joint_bias, joint_pose, joint_rates
from kaneflex.kernels.kinematics import carry_motion, move, rest, rotor_rates
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import integers_at, offset, reals_at, sqrt


def own_integers(I):
    """The integers of the formulation."""
    return offset(I, I[I_OWN])


def own_reals(I):
    """Its numbers."""
    return reals_at(I[I[I_OWN] + C_MEMORY])


def feature_place(C, X, y, k):
    """The point or vector k: a coordinate, or a constant where k is negative."""
    if k >= 0:
        found = load3(y, k)
    else:
        found = load3(X, C[C_CONSTANTS] + 3 * (-k - 1))
    return found


def feature_rate(y, speeds, k):
    """Its rate."""
    if k >= 0:
        found = load3(y, speeds + k)
    else:
        found = (0.0, 0.0, 0.0)
    return found


def outer_add(A, s, a, b):
    """A + s a b^T."""
    return (add(A[0], scale(s * a[0], b)), add(A[1], scale(s * a[1], b)), add(A[2], scale(s * a[2], b)))


def place_body(I, T, W, y, i):
    """Pose and motion of body i from its base, Eqs. (1) and (2), to its row; its columns Phi and what is not linear in y'',
    Eq. (3)."""
    C, X, speeds = own_integers(I), own_reals(I), I[COORDINATES]
    b, g, w = C[C_BODY_TABLE] + C_BODY_INTS * i, C[C_BODY_NUMBERS] + C_BODY_REALS * i, body_work(i)
    d1 = sub(feature_place(C, X, y, C[b + C_HEAD1]), feature_place(C, X, y, C[b + C_TAIL1]))
    d2 = sub(feature_place(C, X, y, C[b + C_HEAD2]), feature_place(C, X, y, C[b + C_TAIL2]))
    r1 = sub(feature_rate(y, speeds, C[b + C_HEAD1]), feature_rate(y, speeds, C[b + C_TAIL1]))
    r2 = sub(feature_rate(y, speeds, C[b + C_HEAD2]), feature_rate(y, speeds, C[b + C_TAIL2]))
    l = sqrt(dot(d1, d1))
    e1 = scale(1 / l, d1)
    normal = cross(e1, d2)
    h = sqrt(dot(normal, normal))
    e3 = scale(1 / h, normal)
    e2 = cross(e3, e1)
    a = dot(d2, e1)
    E = transpose((e1, e2, e3))
    R = matmul(E, transpose(load33(X, g)))
    c = mul(R, load3(X, g + C_ARM))
    z = 0 * l
    A1 = outer_add(scale_skew(1 / l, e1), -a / (h * l), e1, e3)
    A2 = outer_add(((z, z, z), (z, z, z), (z, z, z)), 1 / h, e1, e3)
    omega = add(mul(A1, r1), mul(A2, r2))
    v = add(feature_rate(y, speeds, C[b + C_ORIGIN]), cross(omega, c))
    store33(W, w + R_NM, R)
    store3(W, w + P_NM, add(feature_place(C, X, y, C[b + C_ORIGIN]), c))
    store3(W, w + OMEGA, tmul(R, omega))
    store3(W, w + V_, tmul(R, v))
    l_rate = dot(e1, r1)
    turn = scale(1 / l, sub(r1, scale(l_rate, e1)))  # e_1'
    s = dot(e3, sub(r2, scale(a, turn))) / h
    a_rate = dot(r2, e1) + dot(d2, turn)
    h_rate = dot(r2, e2) + dot(d2, cross(omega, e2))
    tilde = ((2 * a * l_rate / l - a_rate) * dot(turn, e3) + dot(sub(r2, scale(a, turn)), cross(omega, e3)) - s * h_rate) / h
    alpha = add(add(scale(-2 * l_rate / l, cross(e1, turn)), scale(s, turn)), scale(tilde, e1))
    out = C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i
    store3(X, out + C_BIAS, tmul(R, alpha))
    store3(X, out + C_BIAS + 3, tmul(R, add(cross(alpha, c), cross(omega, cross(omega, c)))))
    store_columns(C, X, i, R, matmul(transpose(R), A1), matmul(transpose(R), A2), load3(X, g + C_ARM))


def scale_skew(s, p):
    """s p~."""
    z = 0 * s
    return ((z, -s * p[2], s * p[1]), (s * p[2], z, -s * p[0]), (-s * p[1], s * p[0], z))


def store_columns(C, X, i, R, A1, A2, arm):
    """Phi of body i: what every point and vector of its base contributes to (omega, v), in axes of M; A1 and A2 are the
    parts of omega that the two directions have."""
    b, out = C[C_BODY_TABLE] + C_BODY_INTS * i, C[C_BODY_COLUMNS] + C_COLUMNS_WIDTH * i
    for n in range(C[b + C_REFS]):
        k = C[C_REF_TABLE] + C_REF_INTS * (C[b + C_REF0] + n)
        for m in range(3):
            turn = (
                C[k + 2] * A1[0][m] + C[k + 3] * A2[0][m],
                C[k + 2] * A1[1][m] + C[k + 3] * A2[1][m],
                C[k + 2] * A1[2][m] + C[k + 3] * A2[2][m],
            )
            slide = add(cross(turn, arm), scale(C[k + 1], R[m]))
            for r in range(3):
                X[out + r * C_MOST + 3 * n + m] = turn[r]
                X[out + (3 + r) * C_MOST + 3 * n + m] = slide[r]


def relate(I, T, P, W, i, x):
    """Coordinates and rates of body i's joint from its pose and motion beside its parent's: q by two steps of Newton's
    method from the q in x; R_MP, P_PM and the brackets of the accelerations with them."""
    b, w, C, X = body_row(i), body_work(i), own_integers(I), own_reals(I)
    wp, scratch = body_work(T[b + PARENT]), offset(X, C[C_SCRATCH])
    R, Rp, omega = load33(W, w + R_NM), load33(W, wp + R_NM), load3(W, w + OMEGA)
    E = matmul(transpose(R), Rp)
    r = tmul(Rp, sub(load3(W, w + P_NM), load3(W, wp + P_NM)))
    for _ in range(2 if T[b + NU] > 0 else 0):
        joint_pose(T, P, W, i, x)
        joint_duals(C, X, T, W, i)
        theta, apart = off_pose(W, w, E, r)
        joint_components(C, X, T, W, i, theta, apart)
        joint_rates(T, W, i, x, scratch)
        for k in range(T[b + Q0], T[b + Q0] + T[b + NQ]):
            x[k] += scratch[k]
        if T[b + NQ] > T[b + NU]:
            unit_quaternion(x, T[b + Q0] + T[b + NQ] - 4)
    joint_pose(T, P, W, i, x)
    joint_duals(C, X, T, W, i)
    if C[C[C_JOINT_TABLE] + i] > 0:
        theta, apart = off_pose(W, w, E, r)
        store3(X, C[C[C_JOINT_TABLE] + i] + C_OFF, theta)
        store3(X, C[C[C_JOINT_TABLE] + i] + C_OFF + 3, apart)
    store33(W, w + R_MP, E)
    store3(W, w + P_PM, r)
    v, Omega = load3(W, w + V_), mul(E, load3(W, wp + OMEGA))
    v_rel = sub(v, mul(E, add(load3(W, wp + V_), cross(load3(W, wp + OMEGA), r))))
    omega_rel = sub(omega, Omega)
    joint_components(C, X, T, W, i, omega_rel, v_rel)
    carry_motion(T, W, i, Omega, omega_rel, v_rel)
    joint_bias(T, P, W, i, x)
    store3(W, w + OMEGA, omega)
    store3(W, w + V_, v)


def off_pose(W, w, E, r):
    """Turn and way, in M, from the pose that the joint of the body at w has with its q to the pose E, r."""
    D = matmul(E, transpose(load33(W, w + R_MP)))  # 1 - theta~
    theta = ((D[1][2] - D[2][1]) / 2, (D[2][0] - D[0][2]) / 2, (D[0][1] - D[1][0]) / 2)
    return theta, mul(load33(W, w + R_MP), sub(r, load3(W, w + P_PM)))


def joint_duals(C, X, T, W, i):
    """For a joint that has columns alone, in any directions, S = Q R: the rows of R^-1 Q^T, which find its rates, and rows
    orthogonal to S, along which it does not move."""
    at, first, nu = C[C[C_JOINT_TABLE] + i], T[body_row(i) + U0], T[body_row(i) + NU]
    if at > 0:
        for n in range(6):
            begin_row(X, T, W, at, first, nu, n)
            for k in range(nu):
                X[at + C_FACTOR_OF_COLUMNS + 6 * k + n] = 0.0
            size = 0.0
            for _ in range(2):  # once more for the digits that the first lost
                for j in range(n):
                    along = 0.0
                    for m in range(6):
                        along += X[at + 6 * j + m] * X[at + 6 * n + m]
                    for m in range(6):
                        X[at + 6 * n + m] -= along * X[at + 6 * j + m]
                    if n < nu:
                        X[at + C_FACTOR_OF_COLUMNS + 6 * j + n] += along
            for m in range(6):
                size += X[at + 6 * n + m] * X[at + 6 * n + m]
            size = sqrt(size)
            for m in range(6):
                X[at + 6 * n + m] = X[at + 6 * n + m] / size
            if n < nu:
                X[at + C_FACTOR_OF_COLUMNS + 6 * n + n] = size
        for k in range(nu - 1, -1, -1):
            R = at + C_FACTOR_OF_COLUMNS + 6 * k
            for m in range(6):
                for j in range(k + 1, nu):
                    X[at + 6 * k + m] -= X[R + j] * X[at + 6 * j + m]
                X[at + 6 * k + m] = X[at + 6 * k + m] / X[R + k]


def begin_row(X, T, W, at, first, nu, n):
    """What row n is made of: a column, or the axis that has least of the rows before."""
    best, least = 0, 2.0
    for m in range(6):
        square = 0.0
        for j in range(n):
            square += X[at + 6 * j + m] * X[at + 6 * j + m]
        if square < least:
            best, least = m, square
    for m in range(6):
        if n < nu:
            X[at + 6 * n + m] = column_entry(T, W, first + n, m)
        else:
            X[at + 6 * n + m] = 1.0 if m == best else 0.0


def unit_quaternion(x, k):
    """Scale the quaternion at x[k:] to unit length."""
    s = 1 / sqrt(x[k] * x[k] + x[k + 1] * x[k + 1] + x[k + 2] * x[k + 2] + x[k + 3] * x[k + 3])
    for m in range(4):
        x[k + m] = x[k + m] * s


def column_entry(T, W, k, m):
    """Entry m of the column of speed k, angular first, in M."""
    axis = T[column_row(T, k) + AXIS]
    if axis < GENERAL:
        value = 1.0 if axis == m else 0.0
    else:
        value = W[column_work(T, k) + S_ + m]
    return value


def dual(C, X, T, W, k):
    """Torque and force, in M, that work along speed k alone: the product with a relative motion is its rate. Columns of
    joints are orthogonal, but for those of `joint_duals`."""
    i = T[column_row(T, k) + BODY]
    at = C[C[C_JOINT_TABLE] + i]
    if at > 0:
        at += 6 * (k - T[body_row(i) + U0])
        torque, force = load3(X, at), load3(X, at + 3)
    else:
        square = 0.0
        for m in range(6):
            square += column_entry(T, W, k, m) * column_entry(T, W, k, m)
        s = (column_entry(T, W, k, 0), column_entry(T, W, k, 1), column_entry(T, W, k, 2))
        d = (column_entry(T, W, k, 3), column_entry(T, W, k, 4), column_entry(T, W, k, 5))
        torque, force = scale(1 / square, s), scale(1 / square, d)
    return torque, force


def joint_components(C, X, T, W, i, turn, slide):
    """Rates of body i's joint, to RATE, that a relative motion has."""
    b = body_row(i)
    for k in range(T[b + U0], T[b + U0] + T[b + NU]):
        torque, force = dual(C, X, T, W, k)
        W[column_work(T, k) + RATE] = dot(torque, turn) + dot(force, slide)


def place_bodies(I, T, P, W, y, x):
    """Rows of all bodies from the points and vectors in y; q of the tree in x, which begins as that in y."""
    rest(T, P, W, 0.0)
    for k in range(T[COORDINATES]):
        x[k] = y[own_integers(I)[C_FREE] + k]
    for i in range(1, T[BODIES]):
        place_body(I, T, W, y, i)
        relate(I, T, P, W, i, x)
    for m in range(T[ROTORS]):
        spin = y[I[COORDINATES] + own_integers(I)[C_FREE] + m]
        W[column_work(T, T[rotor_row(T, m) + ROTOR_U]) + RATE] = spin - carried_spin(T, P, W, m)


def carried_spin(T, P, W, m):
    """What the body of rotor m has of its spin."""
    return dot(load3(P, rotor_par(T, m) + ROTOR_AXIS), load3(W, body_work(T[rotor_row(T, m) + ROTOR_BODY]) + OMEGA))


def cartesian_to_tree(I, P, W, t, y, x):
    """q and u of the tree from points and vectors."""
    T = integers_at(I[TREE])
    place_bodies(I, T, P, W, y, x)
    u = offset(x, T[COORDINATES])
    for i in range(1, T[BODIES]):
        b, w = body_row(i), body_work(i)
        for k in range(T[b + U0], T[b + U0] + T[b + NU]):
            c, axis = column_work(T, k), T[column_row(T, k) + AXIS]
            u[k] = W[c + RATE]
            if T[column_row(T, k) + TOTAL] == 1:
                Omega = mul(load33(W, w + R_MP), load3(W, body_work(T[b + PARENT]) + OMEGA))
                if axis < 3:
                    u[k] += Omega[0] if axis == 0 else (Omega[1] if axis == 1 else Omega[2])
                else:
                    u[k] += dot(load3(W, c + S_), Omega)
    for m in range(T[ROTORS]):
        k = T[rotor_row(T, m) + ROTOR_U]
        u[k] = W[column_work(T, k) + RATE] + T[column_row(T, k) + TOTAL] * carried_spin(T, P, W, m)


def cartesian_from_tree(I, P, W, t, x, y):
    """Points and vectors from q and u of the tree."""
    T, C, X = integers_at(I[TREE]), own_integers(I), own_reals(I)
    rest(T, P, W, 0.0)
    for i in range(1, T[BODIES]):
        w, wp = body_work(i), body_work(T[body_row(i) + PARENT])
        joint_pose(T, P, W, i, x)
        move(T, P, W, i, x, offset(x, T[COORDINATES]))
        Rp = load33(W, wp + R_NM)
        store3(W, w + P_NM, add(load3(W, wp + P_NM), mul(Rp, load3(W, w + P_PM))))
        store33(W, w + R_NM, matmul(Rp, transpose(load33(W, w + R_MP))))
    for n in range(C[C_FREE] // 3):
        k = C[C_FEATURE_TABLE] + 2 * n
        w, local = body_work(C[k]), load3(X, C[C_FEATURE_NUMBERS] + 3 * n)
        R, is_point = load33(W, w + R_NM), C[k + 1]
        arm = mul(R, local)
        store3(y, 3 * n, add(arm, scale(is_point, load3(W, w + P_NM))))
        rate = cross(mul(R, load3(W, w + OMEGA)), arm)
        store3(y, I[COORDINATES] + 3 * n, add(rate, scale(is_point, mul(R, load3(W, w + V_)))))
    for k in range(T[COORDINATES]):
        y[C[C_FREE] + k] = x[k]
    rotor_rates(T, P, W, offset(x, T[COORDINATES]))
    for m in range(T[ROTORS]):
        spin = W[column_work(T, T[rotor_row(T, m) + ROTOR_U]) + RATE] + carried_spin(T, P, W, m)
        y[I[COORDINATES] + C[C_FREE] + m] = spin
