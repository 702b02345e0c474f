"""A formulation that is no part of the package, in coordinates that are not the tree's: place and orientation of every body,
with joints and loops as equations for their accelerations.

    y = (p, e of every body; the angle of every hinge; v, omega of every body; z; works)

p is the origin of M in N, e the unit quaternion of M in N, v the velocity of the origin, all in inertial axes, omega the
angular velocity in axes of M. Newton's and Euler's equations of single bodies, joints and loops with multipliers lambda,

    | I  -C^T | | a      |   | -p + loads in joints |
    | C   0   | | lambda | = | -(bias of C a)       | ,                                                         (1)

are solved as they stand, in the least-squares sense where equations are redundant; a prescribed speed is one more equation.
Hinge angles count turns, which orientations do not. Rigid bodies on joints that turn about or slide along axes of M, loops
whose equations do not contain joint rates, contacts without friction.
"""

from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types
from scipy.spatial.transform import Rotation

from kaneflex.kernels import backend
from kaneflex.kernels import layout as L
from kaneflex.kernels.compiled_ops import integers_at
from kaneflex.kernels.joints.fixed import FIXED
from kaneflex.kernels.joints.free import FREE
from kaneflex.kernels.joints.prismatic import PRISMATIC
from kaneflex.kernels.joints.revolute import REVOLUTE
from kaneflex.kernels.joints.spherical import SPHERICAL
from kaneflex.model.constraints import Closure, Distance, PointOnLine, PointOnPlane
from kaneflex.plan.formulation import OtherCoordinates
from kaneflex.plan.state_layout import StateLayout

JOINTS = (FIXED, REVOLUTE, PRISMATIC, SPHERICAL, FREE)
CONSTRAINTS = (Closure, Distance, PointOnLine, PointOnPlane)
_integers: Any = integers_at


class Absolute(OtherCoordinates):
    """Places and orientations of bodies as coordinates."""

    name = "absolute"
    about = "every body by itself, joints as constraint equations"

    def refuses(self, model):
        reasons = {
            "flexible bodies": [n for n, part in model.parts.items() if part.body.is_flexible],
            "rotors": list(model.rotors),
            "joints of this kind": [n for n, part in model.parts.items() if part.joint.facts.code not in JOINTS],
            "constraints of this kind": [n for n, c in model.constraints.items() if not isinstance(c, CONSTRAINTS)],
            "contacts with friction": [n for n, c in model.contacts.items() if c.friction],
        }
        if model.base is not None:
            return "a moving base: use another formulation"
        found = next(((what, names) for what, names in reasons.items() if names), None)
        return None if found is None else f'{found[0]} ("{found[1][0]}"): use another formulation'

    def layout(self, plan):
        n, tree = int(plan.I[L.BODIES]) - 1, plan.layout
        rows = plan.I[L.HEADER : L.HEADER + (n + 1) * L.BODY_INTS].reshape(n + 1, L.BODY_INTS)
        hinges = int((rows[1:, L.JOINT] == REVOLUTE).sum())
        return StateLayout(7 * n + hinges, 6 * n, tree.nz, tuple(7 * i + 3 for i in range(n)))

    def own_tables(self, plan):
        """The angle of every body's joint in y, or -1, and the quaternion of every F in its parent."""
        n = int(plan.I[L.BODIES]) - 1
        hinged = plan.I[L.HEADER + L.BODY_INTS + L.JOINT :][: n * L.BODY_INTS : L.BODY_INTS] == REVOLUTE
        frames = plan.P[L.BODY_REALS + L.R_PF :][: n * L.BODY_REALS].reshape(n, -1)[:, :9]
        turns = Rotation.from_matrix(frames.reshape(n, 3, 3)).as_quat(scalar_first=True)
        return np.where(hinged, 7 * n + np.cumsum(hinged) - 1, -1).tolist(), turns.ravel().tolist()

    def own_room(self, tree, bodies, rows):
        return 4 * bodies

    def integration_stages(self, plan):
        return {name: int(f.address) for name, f in compiled().items()}


# -- quaternions, scalar part first ----------------------------------------------------------------------------------------


@numba.njit
def product(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@numba.njit
def conjugate(a):
    return a[0], -a[1], -a[2], -a[3]


@numba.njit
def turned(e, x):
    """The vector with components x in the turned frame, in the fixed one."""
    r = product(product(e, (0.0, x[0], x[1], x[2])), conjugate(e))
    return r[1], r[2], r[3]


@numba.njit
def joint_frame(I, T, W, i):
    """Quaternion of the frame F of body i's joint in its parent, which `own_tables` put behind the state of the tree."""
    k = I[L.W_OWN] + T[L.COORDINATES] + T[L.SPEEDS] + T[L.STATES] + 2 + 4 * (i - 1)
    return W[k], W[k + 1], W[k + 2], W[k + 3]


@numba.njit
def pose_in(y, i):
    """Place and quaternion of body i, from 1 on; those of N for 0."""
    if i == 0:
        return (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    k = 7 * (i - 1)
    return (y[k], y[k + 1], y[k + 2]), (y[k + 3], y[k + 4], y[k + 5], y[k + 6])


@numba.njit
def motion_in(y, speeds, i):
    """Velocity of the origin, inertial axes, and angular velocity, own axes, of body i."""
    if i == 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    k = speeds + 6 * (i - 1)
    return (y[k], y[k + 1], y[k + 2]), (y[k + 3], y[k + 4], y[k + 5])


@numba.njit
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@numba.njit
def sum_of(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@numba.njit
def less(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


# -- the three functions ----------------------------------------------------------------------------------------------------


@cache
def compiled():
    """C functions by the names of the stages whose place they take."""
    inner = backend.compiled().inner
    body_row, body_par, body_work = inner.body_row, inner.body_par, inner.body_work
    column_row, column_work = inner.column_row, inner.column_work
    constraint_row, attachment_row = inner.constraint_row, inner.attachment_row
    wrench_work, equation_work, offset = inner.wrench_work, inner.equation_work, inner.offset
    moving, prepare, tree_state = inner.moving, inner.prepare, inner.tree_state
    drives_of_single_bodies, prescribed_loads = inner.drives_of_single_bodies, inner.prescribed_loads
    load_states, state_rates, work_rates = inner.load_states, inner.state_rates, inner.work_rates

    def to_tree(I: Any, P: Any, W: Any, t: Any, y: Any, x: Any) -> None:
        T = _integers(I[L.TREE])
        bodies, nq, speeds = T[L.BODIES], T[L.COORDINATES], I[L.COORDINATES]
        for i in range(1, bodies):
            b, g = body_row(i), body_par(i)
            up, q, kind = T[b + L.PARENT], T[b + L.Q0], T[b + L.JOINT]
            (p0, e0), (p, e) = pose_in(y, up), pose_in(y, i)
            at = turned(e0, (P[g + L.P_PF], P[g + L.P_PF + 1], P[g + L.P_PF + 2]))
            frame = product(e0, joint_frame(I, T, W, i))
            apart, turn = turned(conjugate(frame), less(less(p, p0), at)), product(conjugate(frame), e)
            if kind == REVOLUTE:  # the angle nearest to the one that counts turns
                angle = 2 * np.arctan2(turn[3], turn[0])
                x[q] = angle + 2 * np.pi * np.round((y[I[I[L.I_OWN] + i - 1]] - angle) / (2 * np.pi))
            elif kind == PRISMATIC:
                x[q] = apart[2]
            elif kind == FREE:
                x[q], x[q + 1], x[q + 2] = apart
                x[q + 3], x[q + 4], x[q + 5], x[q + 6] = turn
            elif kind == SPHERICAL:
                x[q], x[q + 1], x[q + 2], x[q + 3] = turn
            (v0, w0), (v, w) = motion_in(y, speeds, up), motion_in(y, speeds, i)
            v = less(less(v, v0), cross(turned(e0, w0), less(p, p0)))
            v, relative = turned(conjugate(e), v), less(w, turned(conjugate(e), turned(e0, w0)))
            rates = (*relative, *v)
            for k in range(T[b + L.U0], T[b + L.U0] + T[b + L.NU]):
                c = column_row(T, k)
                x[nq + k] = w[T[c + L.AXIS]] if T[c + L.TOTAL] == 1 else rates[T[c + L.AXIS]]

    def from_tree(I: Any, P: Any, W: Any, t: Any, x: Any, y: Any) -> None:
        T = _integers(I[L.TREE])
        bodies, speeds = T[L.BODIES], I[L.COORDINATES]
        moving(T, P, W, x, offset(x, T[L.COORDINATES]))
        for i in range(1, bodies):
            b, w, q, kind = body_row(i), body_work(i), T[body_row(i) + L.Q0], T[body_row(i) + L.JOINT]
            p0, e0 = pose_in(y, T[b + L.PARENT])
            p = sum_of(p0, turned(e0, (W[w + L.P_PM], W[w + L.P_PM + 1], W[w + L.P_PM + 2])))
            turn = (1.0, 0.0, 0.0, 0.0)
            if kind == REVOLUTE:
                turn = (np.cos(x[q] / 2), 0.0, 0.0, np.sin(x[q] / 2))
                y[I[I[L.I_OWN] + i - 1]] = x[q]
            elif kind == FREE:
                turn = (x[q + 3], x[q + 4], x[q + 5], x[q + 6])
            elif kind == SPHERICAL:
                turn = (x[q], x[q + 1], x[q + 2], x[q + 3])
            e = product(product(e0, joint_frame(I, T, W, i)), turn)
            v = turned(e, (W[w + L.V_], W[w + L.V_ + 1], W[w + L.V_ + 2]))
            for k in range(3):
                y[7 * (i - 1) + k], y[speeds + 6 * (i - 1) + k] = p[k], v[k]
                y[speeds + 6 * (i - 1) + 3 + k] = W[w + L.OMEGA + k]
            for k in range(4):
                y[7 * (i - 1) + 3 + k] = e[k]

    def derivative(I: Any, P: Any, W: Any, t: Any, y: Any, ydot: Any) -> None:
        T = _integers(I[L.TREE])
        bodies, speeds, tree = T[L.BODIES], I[L.COORDINATES], T[L.COORDINATES] + T[L.SPEEDS]
        x = tree_state(I, P, W, t, y)
        load_states(T, W, x)
        prepare(T, P, W, t, x, offset(x, T[L.COORDINATES]))
        n = 6 * (bodies - 1)
        A, f = np.zeros((2 * n + T[L.ROWS], 2 * n + T[L.ROWS])), np.zeros(2 * n + T[L.ROWS])
        m = n  # rows so far
        for i in range(1, bodies):
            w, k = body_work(i), 6 * (i - 1)
            J = ((0, 1, 2), (1, 3, 4), (2, 4, 5))
            for r in range(3):
                f[k + r] -= W[w + L.TORQUE + r]
                f[k + 3 + r] -= W[w + L.FORCE + r]
                for s in range(3):
                    A[k + r, k + s] = W[w + L.J_ + J[r][s]]
                    A[k + 3 + r, k + 3 + s] = W[w + L.M_ + J[r][s]]
                    A[k + r, k + 3 + s] = A[k + 3 + s, k + r] = W[w + L.H_ + 3 * r + s]
        carried = np.zeros((6, 6))  # acceleration of the parent to what it carries to the child
        for i in range(1, bodies):
            b, w, k = body_row(i), body_work(i), 6 * (i - 1)
            up, wp = T[b + L.PARENT], body_work(T[b + L.PARENT])
            r = (W[w + L.P_PM], W[w + L.P_PM + 1], W[w + L.P_PM + 2])
            for s in range(3):
                E = (W[w + L.R_MP + 3 * s], W[w + L.R_MP + 3 * s + 1], W[w + L.R_MP + 3 * s + 2])
                arm = cross(r, E)
                for c in range(3):
                    carried[s, c] = carried[3 + s, 3 + c] = E[c]
                    carried[3 + s, c] = arm[c]
            free, given = np.zeros(6, np.int64), np.zeros(6)
            for j in range(T[b + L.U0], T[b + L.U0] + T[b + L.NU]):
                axis, load = T[column_row(T, j) + L.AXIS], W[column_work(T, j) + L.TAU]
                free[axis] = 1 - T[column_row(T, j) + L.PRESCRIBED]
                given[axis] = T[column_row(T, j) + L.PRESCRIBED] * W[column_work(T, j) + L.PRESCRIBED_RATE]
                f[k + axis] += load
                if up > 0:
                    for c in range(6):
                        f[6 * (up - 1) + c] -= carried[axis, c] * load
            for axis in range(6):
                if free[axis] == 1:
                    continue
                A[m, k + axis] = 1.0
                f[m] = W[w + L.BIAS_A + axis] + given[axis]
                for c in range(6):
                    if up > 0:
                        A[m, 6 * (up - 1) + c] = -carried[axis, c]
                    else:
                        f[m] += carried[axis, c] * W[wp + L.ALPHA + c]
                m += 1
        first = m
        for e in range(T[L.CONSTRAINTS]):
            b = constraint_row(T, e)
            for j in range(T[b + L.CONSTRAINT_ROWS]):
                f[m] = -W[equation_work(T, T[b + L.CONSTRAINT_ROW] + j) + L.GAMMA]
                for a in range(T[b + L.ATTACHMENTS]):
                    i, place = T[attachment_row(T, T[b + L.ATTACHMENT0] + a) + L.ATTACHED], wrench_work(T, e, j, a)
                    for c in range(6):
                        if i > 0:
                            A[m, 6 * (i - 1) + c] += W[place + c]
                        else:
                            f[m] -= W[place + c] * W[L.ALPHA + c]
                m += 1
        for j in range(n, m):
            for k in range(n):
                A[k, j] = -A[j, k]
        solved = np.linalg.lstsq(A[:m, :m], f[:m], 1e-11)[0]
        for e in range(T[L.CONSTRAINTS]):
            b = constraint_row(T, e)
            for j in range(T[b + L.CONSTRAINT_ROWS]):
                W[equation_work(T, T[b + L.CONSTRAINT_ROW] + j) + L.MULTIPLIER] = solved[first]
                first += 1
        for i in range(1, bodies):
            b, w, k = body_row(i), body_work(i), 6 * (i - 1)
            for c in range(6):
                W[w + L.ALPHA + c] = solved[k + c]
            _, e = pose_in(y, i)
            v, omega = motion_in(y, speeds, i)
            a = turned(e, (solved[k + 3], solved[k + 4], solved[k + 5]))
            turn = product(e, (0.0, omega[0], omega[1], omega[2]))
            for c in range(3):
                ydot[7 * (i - 1) + c] = v[c]
                ydot[speeds + k + c] = a[c] + P[T[L.P_GRAVITY] + c]
                ydot[speeds + k + 3 + c] = solved[k + c]
            for c in range(4):
                ydot[7 * (i - 1) + 3 + c] = turn[c] / 2
            if T[b + L.JOINT] == REVOLUTE:
                ydot[I[I[L.I_OWN] + i - 1]] = W[column_work(T, T[b + L.U0]) + L.RATE]
        if T[L.PRESCRIBED_SPEEDS] > 0:
            drives_of_single_bodies(T, P, W)
            prescribed_loads(T, W)
        own = I[L.COORDINATES] + I[L.SPEEDS]
        state_rates(T, W, offset(ydot, own - tree))
        work_rates(T, W, offset(ydot, own + T[L.STATES]))

    integers, reals = types.CPointer(types.int64), types.CPointer(types.float64)
    signature = types.void(integers, reals, reals, types.float64, reals, reals)
    return {f.__name__: numba.cfunc(signature, error_model="numpy")(f) for f in (to_tree, from_tree, derivative)}
