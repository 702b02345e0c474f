"""How the forces that hold a tree at rest change with its shape, as a sparse matrix: order n in numbers and in work.

F_i is what the joint of body i carries onto it, d_i = (theta_i, p_i) a small turn and shift of the body, s the displacements
along the columns S of its joint, all in axes of M. With b_i the weight less what is applied to the body, lambda the
multipliers of constraints with the wrenches w, and X_i what carries displacements from the parent,

    d_i = X_i d_p + S_i s_i ,                        F_i = b_i - sum w lambda + sum over children X_c^T F_c ,        (1)
    r = S^T F - tau ,                                g = 0 .                                                         (2)

In a change of the shape X_c^T F_c has a part in which F_c is carried with the child, s_c alone; b_i and w change with the
places of the bodies that they are loads of, and tau with the joint's own coordinates. So the changes of (1) and (2) are
equations with few entries each in dF, d, s and d lambda, and s alone is left, with the tangent stiffness, when the rest
is eliminated, whose determinant is 1. What loads change by is exact, by the complex step: all bodies that share no load are
displaced at once, and all joints. A load that depends on the shape otherwise (a user function that reads positions) is not
in this matrix: see `is_exact`.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from kaneflex.analysis.derivatives import Derivatives, H
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.kernels.layout import GENERAL
from kaneflex.kernels.tables import Tables, width, with_header

Array = np.ndarray
SAME = 1e-7  # what the matrix may differ by from the derivative along a direction


def skew(v: Array) -> Array:
    """Matrices of the cross products with vectors, (n, 3, 3)."""
    found = np.zeros((len(v), 3, 3), v.dtype)
    found[:, 0, 1], found[:, 0, 2], found[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    found[:, 1, 0], found[:, 2, 0], found[:, 2, 1] = v[:, 2], -v[:, 1], v[:, 0]
    return found


def symmetric(x: Array) -> Array:
    """Matrices of the six numbers xx, xy, xz, yy, yz, zz each, (n, 3, 3)."""
    return x[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)


class StaticTree:
    """A tree at rest, with constraints: its forces, and their tangent.

    Args:
        dynamics: of the system.
        derivatives: its complex tables, at a time.
    """

    def __init__(self, dynamics: Dynamics, derivatives: Derivatives):
        plan, tables = dynamics.plan, dynamics.plan.tables
        self.dynamics, self.derivatives, self.t = dynamics, derivatives, derivatives.t
        self.nq, self.nu, self.rows = plan.nq, plan.nu, int(plan.header.rows)
        self.bodies = int(plan.header.bodies)
        self.parent = tables.body.parent[: self.bodies].astype(int)
        self.body = tables.column.body[: self.nu].astype(int)
        self.axis = tables.column.axis[: self.nu].astype(int)
        self.free = tables.column.prescribed[: self.nu] == 0
        u0, nu = tables.body.u0[: self.bodies].astype(int), tables.body.nu[: self.bodies].astype(int)
        q0, nq = tables.body.q0[: self.bodies].astype(int), tables.body.nq[: self.bodies].astype(int)
        self.place = np.arange(self.nu) - u0[self.body]  # of a speed within its joint
        self.widest = int(nu.max(initial=0))
        self.owner = np.repeat(np.arange(self.bodies), nq)  # of a coordinate
        order = np.concatenate([np.arange(a, a + n) for a, n in zip(q0, nq, strict=True)])
        self.owner = self.owner[np.argsort(order)]
        self.u0, self.width = u0[self.owner], nu[self.owner]
        self.ties, self.pairs = _ties(tables), _pairs(tables)
        self.colors = _colors(self.bodies, self.pairs)
        self.none = np.zeros(self.nu)
        self.I = with_header(dynamics.I, placed=1)

    def hold(self, q: Array, multipliers: Array) -> Array:
        """r of (2) at q: joint forces beyond the loads that hold the system."""
        d, tau = self.dynamics, np.empty(self.nu)
        d.kernels.call_hold(self.I, d.P, d.W, self.t, np.ascontiguousarray(q), self.none, multipliers, tau)
        return np.where(self.free, tau, 0.0)

    def closure(self) -> Array:
        """g of (2), after `hold`."""
        return self.dynamics.work.equation.value[: self.rows].copy() if self.rows else np.zeros(0)

    def columns(self) -> Array:
        """S of every speed, (nu, 6), after `hold`."""
        found = np.zeros((self.nu, 6))
        simple = self.axis < GENERAL
        found[np.flatnonzero(simple), self.axis[simple]] = 1
        if not simple.all():
            found[~simple] = self.dynamics.work.column.s[: self.nu][~simple]
        return found

    def directions(self, q: Array) -> Array:
        """Rates of the coordinates for unit rates of the joints' first speeds, of their second ones, ..., (widest, nq)."""
        found = np.zeros((self.widest, self.nq))
        for m in range(self.widest):
            found[m] = self.dynamics.coordinate_rates(q, np.where(self.place == m, 1.0, 0.0))
        return found

    def change(self, directions: Array, s: Array) -> Array:
        """Change of q for displacements s along the columns."""
        found = np.zeros(self.nq, s.dtype)
        for m in range(self.widest):
            has = self.width > m
            found[has] += directions[m][has] * s[self.u0[has] + m]
        return found

    def tangent(self, q: Array, multipliers: Array, inputs: Array) -> "StaticTangent":
        """The matrix at q."""
        return StaticTangent(self, q, multipliers, inputs)

    def is_exact(self, q: Array, multipliers: Array, inputs: Array) -> bool:
        """Whether the matrix is the derivative of r, by a direction that is not special."""
        s = np.where(self.free, np.cos(1.0 + 1.7 * np.arange(self.nu)), 0.0)
        found = self.tangent(q, multipliers, inputs)
        exact = found.along(s)
        return bool(np.abs(found.reduced(s)[0] - exact).max(initial=0.0) <= SAME * np.abs(exact).max(initial=0.0))


def _ties(tables: Tables) -> Array:
    """Of every wrench of a constraint on a body its place in the table, its body and its equation, (n, 3)."""
    found = []
    for c in tables.constraint:
        own = [int(tables.attachment[a].attached) for a in range(c.attachment0, c.attachment0 + c.attachments)]
        first = c.wrench // width("wrench", "W")
        for n in range(c.rows):
            found += [(first + n * c.attachments + a, b, c.row + n) for a, b in enumerate(own) if b > 0]
    return np.array(found, int).reshape(-1, 3)


def _pairs(tables: Tables) -> Array:
    """Pairs of bodies that share a load or a constraint, each in both orders, (n, 2)."""
    force = tables.force
    first, second = force.body.astype(int), force.other.astype(int)
    both = (first > 0) & (second > 0) & (first != second)
    found = {(int(a), int(b)) for a, b in zip(first[both], second[both], strict=True)}
    for c in tables.constraint:
        own = [int(tables.attachment[a].attached) for a in range(c.attachment0, c.attachment0 + c.attachments)]
        found |= {(a, b) for a in own for b in own if a > 0 and b > 0 and a != b}
    found |= {(b, a) for a, b in found}
    return np.array(sorted(found), int).reshape(-1, 2)


def _colors(bodies: int, pairs: Array) -> Array:
    """A number for every body, such that no two with one number share a load, or each a load with a third one."""
    near: dict[int, set[int]] = {}
    for a, b in pairs:
        near.setdefault(int(a), set()).add(int(b))
    colors = np.zeros(bodies, int)
    done: set[int] = set()
    for a in near:
        around = {c for b in near[a] for c in near[b]} | near[a]
        taken = {int(colors[b]) for b in around & done}
        colors[a] = next(k for k in range(len(taken) + 1) if k not in taken)
        done.add(a)
    return colors


class StaticTangent:
    """The matrix of the changes of (1) and (2) at a place.

    Unknowns are dF, d (six each of every body), s and d lambda; equations in the same order.
    """

    def __init__(self, tree: StaticTree, q: Array, multipliers: Array, inputs: Array):
        self.tree, self.q, self.multipliers, self.inputs = tree, q, multipliers, inputs
        tree.hold(q, multipliers)
        body, n = tree.dynamics.work.body, tree.bodies
        self.E, self.r = body.r_mp[:n].copy(), body.p_pm[:n].copy()
        self.F = np.hstack([body.torque[:n], body.force[:n]])
        self.R = body.r_nm[:n].copy()
        self.acceleration = np.einsum("nji,j->ni", self.R, -tree.dynamics.plan.tables.gravity.value)
        self.inertia = symmetric(body.m[:n]), body.h[:n].copy(), symmetric(body.j[:n])
        self.S = tree.columns()
        self.directions = tree.directions(q)
        if len(tree.ties):
            self.wrenches = tree.dynamics.work.wrench.arrays[0][tree.ties[:, 0]]
        self._start()
        self._joints()
        self._bodies()
        self._assemble()

    # -- what loads change by ------------------------------------------------------------------------------------------

    def _start(self) -> None:
        d, tree = self.tree.derivatives, self.tree
        self.zero = np.zeros(tree.nu, d.W.dtype)
        self.tau = np.empty(tree.nu, d.W.dtype)
        d.work.tau.value[:] = 0
        d.work.law_output.value[: len(self.inputs)] = self.inputs
        self.lam = self.multipliers.astype(d.W.dtype)

    def _hold(self, q: Array) -> Array:
        d = self.tree.derivatives
        d.kernels.call_hold(d.I, d.plan.P, d.W, d.t, q, self.zero, self.lam, self.tau)
        return self.tau

    def _joints(self) -> None:
        """Changes of tau and of the columns with the displacements in the own joint, (widest, nu) and (widest, nu, 6)."""
        tree, d = self.tree, self.tree.derivatives
        self.stiffness = np.zeros((tree.widest, tree.nu))
        self.turned = np.zeros((tree.widest, tree.nu, 6))
        general = tree.axis >= GENERAL
        for m in range(tree.widest):
            self._hold(self.q + 1j * H * self.directions[m])
            self.stiffness[m] = d.work.column.tau[: tree.nu].imag / H
            if general.any():
                self.turned[m][general] = d.work.column.s[: tree.nu][general].imag / H

    def _bodies(self) -> None:
        """Changes of b - sum w lambda with the places of bodies: of the own one, (n, 6, 6), and of the other of a pair."""
        tree, d, n = self.tree, self.tree.derivatives, self.tree.bodies
        self.own, self.other = np.zeros((n, 6, 6)), np.zeros((len(tree.pairs), 6, 6))
        q = self.q.astype(d.W.dtype)
        self._hold(q)
        places, turns = d.work.body.p_nm[:n], d.work.body.r_nm[:n]
        P, R = places.copy(), turns.copy()
        for color in range(int(tree.colors.max(initial=0)) + 1):
            which = (tree.colors == color) & (np.arange(n) > 0)
            for k in range(6):
                unit = np.eye(3)[[k % 3]]
                if k < 3:
                    turns[which] = R[which] + 1j * H * (self.R @ skew(unit)[0])[which]
                else:
                    places[which] = P[which] + 1j * H * (self.R @ unit[0])[which]
                d.kernels.call_load_in_place(d.I, d.plan.P, d.W, d.t, q)
                change = self._loads()
                places[:], turns[:] = P, R
                self.own[which, :, k] = change[which]
                if len(tree.pairs):
                    moved = which[tree.pairs[:, 1]]
                    self.other[moved, :, k] = change[tree.pairs[moved, 0]]
        M, Hm, _ = self.inertia
        a = skew(self.acceleration)  # components of the weight change by a x theta
        self.own[:, :3, :3] += Hm @ a
        self.own[:, 3:, :3] += M @ a

    def _loads(self) -> Array:
        tree, work = self.tree, self.tree.derivatives.work
        found = np.hstack([work.body.torque[: tree.bodies].imag, work.body.force[: tree.bodies].imag])
        if len(tree.ties):
            place, body, row = tree.ties.T
            (wrenches,) = work.wrench.arrays
            np.subtract.at(found, body, self.multipliers[row][:, None] * wrenches[place].imag)
        return found / H

    # -- the matrix ------------------------------------------------------------------------------------------------------

    def _assemble(self) -> None:
        tree, n = self.tree, self.tree.bodies
        k = 6 * (n - 1)
        self.at_d, self.at_s, self.at_l = k, 2 * k, 2 * k + tree.nu
        self.size = self.at_l + tree.rows
        entries = _Entries()
        six, inner = np.arange(6), np.flatnonzero(tree.parent[1:] > 0) + 1
        F = lambda body: (6 * (body - 1))[:, None] + six
        D = lambda body: self.at_d + F(body)
        bodies = np.arange(1, n)
        entries.diagonal(0, 2 * k)
        E, r = self.E[inner], self.r[inner]
        X = np.zeros((len(inner), 6, 6))
        X[:, :3, :3], X[:, 3:, 3:], X[:, 3:, :3] = E, E, -E @ skew(r)
        entries.blocks(F(tree.parent[inner]), F(inner), -X.transpose(0, 2, 1))
        entries.blocks(D(inner), D(tree.parent[inner]), -X)
        entries.blocks(F(bodies), D(bodies), -self.own[1:])
        if len(tree.pairs):
            entries.blocks(F(tree.pairs[:, 0]), D(tree.pairs[:, 1]), -self.other)
        speeds = np.flatnonzero(tree.free)
        s = self.at_s + speeds[:, None]
        S, b = self.S[speeds], tree.body[speeds]
        entries.blocks(D(b), s, -S[:, :, None])
        entries.blocks(s, F(b), S[:, None, :])
        self.carried = self._carried()
        carried, on = self.carried[speeds], tree.parent[b] > 0
        entries.blocks(F(tree.parent[b[on]]), s[on], -carried[on][:, :, None])
        self.springs = np.einsum("mni,ni->mn", self.turned, self.F[tree.body]) - self.stiffness
        for m in range(tree.widest):
            other = tree.dynamics.plan.tables.body.u0[b].astype(int) + m
            has = (tree.dynamics.plan.tables.body.nu[b] > m) & tree.free[np.minimum(other, tree.nu - 1)]
            entries.blocks(s[has], self.at_s + other[has][:, None], self.springs[m][speeds][has][:, None, None])
        fixed = self.at_s + np.flatnonzero(~tree.free)
        entries.add(fixed, fixed, np.ones(len(fixed)))
        if len(tree.ties):
            _, body, row = tree.ties.T
            w, line = self.wrenches, self.at_l + row[:, None]
            entries.blocks(F(body), line, w[:, :, None])
            entries.blocks(line, D(body), w[:, None, :])
        self.matrix = entries.matrix(self.size)

    def _carried(self) -> Array:
        """Changes of X^T F by unit displacements along the columns, on the parents, (nu, 6)."""
        S, b = self.S, self.tree.body
        E, r, F = self.E[b], self.r[b], self.F[b]
        back = lambda v: np.einsum("nji,nj->ni", E, v)
        n, f = back(np.cross(S[:, :3], F[:, :3])), back(np.cross(S[:, :3], F[:, 3:]))
        n = n + np.cross(r, f) + np.cross(back(S[:, 3:]), back(F[:, 3:]))
        return np.hstack([n, f])

    def reduced(self, s: Array) -> tuple[Array, Array]:
        """Changes of r and of g by displacements along the columns, s or the columns of s, all else following."""
        A, k = self.matrix, self.at_s
        x = splu(A[:k, :k]).solve(-(A[:k, k : self.at_l] @ s))
        found = A[k:, :k] @ x + A[k:, k : self.at_l] @ s
        found[: self.tree.nu][~self.tree.free] = 0.0
        return found[: self.tree.nu], found[self.tree.nu :]

    def closures(self) -> Array:
        """Changes of g by unit displacements along the columns, all bodies following, (rows, nu)."""
        A, k = self.matrix, self.at_s
        found = splu(A[:k, :k]).solve(A[self.at_l :, :k].toarray().T, "T")
        return np.asarray(-(A[:k, k : self.at_l].T @ found).T)

    def along(self, s: Array) -> Array:
        """What r changes by, by the complex step."""
        change = self.tree.change(self.directions, s)
        return np.where(self.tree.free, self._hold(self.q + 1j * H * change).imag / H, 0.0)


class _Entries:
    """Entries of a sparse matrix, gathered."""

    def __init__(self) -> None:
        self.rows, self.columns, self.values = list[Array](), list[Array](), list[Array]()

    def add(self, rows: Array, columns: Array, values: Array) -> None:
        self.rows.append(rows)
        self.columns.append(columns)
        self.values.append(values)

    def blocks(self, rows: Array, columns: Array, values: Array) -> None:
        """Blocks (n, a, b) at rows (n, a) and columns (n, b)."""
        shape = values.shape
        self.add(
            np.broadcast_to(rows[:, :, None], shape).ravel(),
            np.broadcast_to(columns[:, None, :], shape).ravel(),
            values.ravel(),
        )

    def diagonal(self, first: int, last: int) -> None:
        """Ones."""
        k = np.arange(first, last)
        self.add(k, k, np.ones(len(k)))

    def matrix(self, size: int) -> sparse.csc_matrix:
        values = np.concatenate(self.values)
        there = values != 0
        rows, columns = np.concatenate(self.rows)[there], np.concatenate(self.columns)[there]
        return sparse.coo_matrix((values[there], (rows, columns)), shape=(size, size)).tocsc()
