"""How many small motions of a system at rest have negative stiffness: by the signs of pivots, in order n.

With small displacements d of the bodies and s along the columns of their joints, d_i = X_i d_p + S_i s_i, what a joint
carries changes by dF, in the blocks of `static_tangent`, and what is left in the joints by dr, in the equations of a
border b by dg,

    dF_i = A d_i + B b + sum over children (X^T dF_c + C_c s_c) ,
    dr_i = S^T dF_i + V s_i ,    dg = sum B'^T d + G b .                                                                 (1)

b are multipliers of the constraints, and what couples bodies that share a load without being neighbours. From the tips to
the root s is eliminated with the pivot D = S^T A S + V of a joint, A and B then being those of all beyond it,

    A_p += X^T A X - L D^-1 L' ,    B_p += X^T B - L D^-1 S^T B ,    B'_p += X^T B' - L'^T D^-1 S^T B' ,
    G -= B'^T S D^-1 S^T B ,        L = X^T A S + C ,    L' = S^T A X .                                                  (2)

At an equilibrium of loads that have a potential D and the last G are symmetric, and as many motions have negative stiffness
as numbers in them are negative (Sylvester), less those that the equations of b have by themselves. A direction whose pivot
is next to nothing joins the border, so that no division is by it.
"""

import numpy as np

from kaneflex.analysis.static_tangent import StaticTangent, skew

Array = np.ndarray
WEAK = 1e-7  # of what a pivot is made of: less of it joins the border
ZERO = 1e-11  # of the same: what rounding leaves
SMALL = 1e-3  # of the largest stiffness anywhere: what every pivot is measured by at least
TINY = float(np.finfo(float).tiny)


def negative(tangent: StaticTangent) -> int:
    """The number of independent small motions whose stiffness is negative, as the constraints allow them."""
    return Elimination(tangent).negative()


class Elimination:
    """The elimination of (2), with all A and B of the bodies.

    Args:
        tangent: of an equilibrium of loads that have a potential.
    """

    def __init__(self, tangent: StaticTangent):
        tree, n = tangent.tree, tangent.tree.bodies
        self.tangent, self.tree, self.A = tangent, tree, tangent.own.copy()
        self.size = np.abs(np.diagonal(self.A, axis1=1, axis2=2)) + _turned(tangent)  # what A is made of, by its diagonal
        self.unit = _units(tangent, self.size)
        self.size += SMALL * self.unit
        self.X = np.zeros((n, 6, 6))
        E, r = tangent.E, tangent.r
        self.X[:, :3, :3], self.X[:, 3:, 3:], self.X[:, 3:, :3] = E, E, -E @ skew(r)
        self.count = 0  # of negative pivots
        self._border()

    def _border(self) -> None:
        """Multipliers of the constraints; for bodies that share a load displacements of one, and what equates them."""
        tree, tangent = self.tree, self.tangent
        columns, links, width = list[tuple[int, int, Array]](), list[tuple[int, int]](), tree.rows
        if tree.rows:
            columns += [(int(b), int(k), -w) for (_, b, k), w in zip(tree.ties, tangent.wrenches, strict=True)]
        for (a, b), other in zip(tree.pairs, tangent.other, strict=True):
            if a < b:  # and the transposed one the other way round
                for u, v in _parts(other, np.sqrt(self.unit)):
                    columns += [(int(a), width, u), (int(b), width + 1, -v)]
                    links.append((width, width + 1))
                    width += 2
        self.own = (_independent(tangent.closures()) if tree.rows else 0) + len(links)  # negative by themselves
        self.B = np.zeros((tree.bodies, 6, width))
        for body, column, w in columns:
            self.B[body, :, column] += w
        self.Bt, self.G, self.measure = self.B.copy(), np.zeros((width, width)), np.zeros(width)
        for i, j in links:
            self.G[i, j] = self.G[j, i] = self.measure[i] = self.measure[j] = 1.0

    def negative(self) -> int:
        """Eliminate, and count."""
        tree, free = self.tree, np.flatnonzero(self.tree.free)
        speeds = dict(zip(*_grouped(tree.body[free], free), strict=True))
        for body in range(tree.bodies - 1, 0, -1):
            self._eliminate(body, speeds.get(body))
        scale = np.sqrt(np.maximum(self.measure, TINY))
        values = np.linalg.eigvalsh((self.G + self.G.T) / (2 * np.outer(scale, scale)))
        return self.count + int((values < -ZERO).sum()) - self.own

    def _eliminate(self, body: int, speeds: Array | None) -> None:
        A, X, parent = self.A[body], self.X[body], int(self.tree.parent[body])
        AX, bordered = A @ X, len(self.G) > 0
        self.size[body] = _level(self.size[body])
        if parent:
            self.A[parent] += X.T @ AX
            self.size[parent] += (X * X).T @ self.size[body]
            if bordered:
                self.B[parent] += X.T @ self.B[body]
                self.Bt[parent] += X.T @ self.Bt[body]
        if speeds is None:
            return
        S, V = self.tangent.S[speeds].T, self.tangent.springs[self.tree.place[speeds]][:, speeds].T
        AS = A @ S
        values, shapes = _pivots(S.T @ AS + V, (S * S).T @ self.size[body] + np.abs(np.diagonal(V)))
        S = S @ shapes
        L, Lt = X.T @ (AS @ shapes) + self.tangent.carried[speeds].T @ shapes, AX.T @ S
        H, Ht = self.B[body].T @ S, self.Bt[body].T @ S
        strong = np.abs(values) > WEAK
        self._carry(parent, values[strong], L[:, strong], Lt[:, strong], H[:, strong], Ht[:, strong])
        for k in np.flatnonzero(~strong):
            none = np.zeros(len(self.G) - len(H))  # directions of one joint are not coupled to each other
            h, ht = np.append(H[:, k], none), np.append(Ht[:, k], none)
            self._delay(parent, float(values[k]), (L[:, k], Lt[:, k]), (h, ht))

    def _carry(self, parent: int, pivots: Array, L: Array, Lt: Array, H: Array, Ht: Array) -> None:
        """What is left of (2) when a joint is eliminated, by its pivots that are not weak."""
        self.count += int((pivots < 0).sum())
        if parent:
            self.A[parent] -= (L / pivots) @ Lt.T
            self.size[parent] += (np.abs(L * Lt) / np.abs(pivots)).sum(axis=1)
        if len(H):
            self.G -= (Ht / pivots) @ H.T
            self.measure += (np.abs(H * Ht) / np.abs(pivots)).sum(axis=1)
            if parent:
                self.B[parent] -= (L / pivots) @ H.T
                self.Bt[parent] -= (Lt / pivots) @ Ht.T

    def _delay(self, parent: int, value: float, L: tuple[Array, Array], H: tuple[Array, Array]) -> None:
        """Put a direction with next to no stiffness into the border; one that nothing else is coupled to has none."""
        arms = np.sqrt(_level(self.size[parent])) if parent else np.full(6, np.inf)
        if all(np.all(np.abs(x) <= ZERO * arms) for x in L) and all(
            np.all(np.abs(h) <= ZERO * np.sqrt(self.measure)) for h in H
        ):
            self.count += value < -ZERO
            return
        n = len(self.G)
        self.G = np.block([[self.G, H[1][:, None]], [H[0][None, :], np.array([[value]])]])
        self.measure = np.append(self.measure, 1.0)
        self.B, self.Bt = (np.concatenate([x, np.zeros((len(x), 6, 1))], axis=2) for x in (self.B, self.Bt))
        if parent:
            self.B[parent, :, n], self.Bt[parent, :, n] = L


def _turned(tangent: StaticTangent) -> Array:
    """Stiffness that the forces of the joints make where bodies turn, and far away where they shift, (n, 6)."""
    arm = np.linalg.norm(tangent.r, axis=1)
    arm[0] = 0.0  # of the ground, whose row means nothing
    moment, force = (np.linalg.norm(tangent.F[:, k], axis=1) for k in (slice(3), slice(3, 6)))
    turns, shifts = moment + force * arm, force / max(float(arm.sum()), TINY)
    return np.repeat(np.column_stack([turns, shifts]), 3, axis=1)


def _level(size: Array) -> Array:
    """The same for all axes: of turns, and of shifts."""
    return np.repeat(size.reshape(2, 3).max(axis=1), 3)


def _pivots(D: Array, size: Array) -> tuple[Array, Array]:
    """Eigenvalues of a pivot in parts of what it is made of, and their vectors as columns, of that size."""
    root = np.sqrt(np.where(size > 0, size, 1.0))
    if len(D) == 1:
        return D[0] / root**2, 1 / root[:, None]
    values, shapes = np.linalg.eigh((D + D.T) / (2 * np.outer(root, root)))
    return values, shapes / root[:, None]


def _parts(matrix: Array, unit: Array) -> list[tuple[Array, Array]]:
    """Vectors u, v whose products u v^T are a matrix, but for rounding."""
    U, sizes, V = np.linalg.svd(matrix / np.outer(unit, unit))
    return [(size * u * unit, v * unit) for size, u, v in zip(sizes, U.T, V, strict=True) if size > ZERO]


def _units(tangent: StaticTangent, size: Array) -> Array:
    """Largest stiffness anywhere against turns, and against shifts, (6,)."""
    found = size[1:].reshape(-1, 2, 3).max(axis=(0, 2), initial=0.0)
    springs = np.abs(tangent.springs).max(axis=0, initial=0.0)
    for k in (0, 1):
        along = (tangent.S[:, 3 * k : 3 * k + 3] ** 2).sum(axis=1)
        found[k] = max(found[k], float((springs[along > 0] / along[along > 0]).max(initial=0.0)))
    return np.repeat(np.where(found > 0, found, 1.0), 3)


def _independent(J: Array) -> int:
    """How many rows are independent."""
    return int(np.linalg.matrix_rank(J / np.maximum(np.linalg.norm(J, axis=1), TINY)[:, None], tol=1e-9))


def _grouped(owners: Array, items: Array) -> tuple[Array, list[Array]]:
    """Owners, and the items of each."""
    order = np.argsort(owners, kind="stable")
    found, first = np.unique(owners[order], return_index=True)
    return found, np.split(items[order], first[1:])


__all__ = ["negative"]
