"""Forces on points that touch planes, all at once: planes push and do not pull, friction is Coulomb's.

Forces x on m points, three numbers each in axes of which the last is the plane's normal, change the accelerations of the
points relative to their planes from c to a = c + K x. K is symmetric and may be singular: of a rigid body on four feet the
forces are not determined. The same holds of impulses and velocities. At every point

- along the normal, 0 <= x_n, 0 <= a_n and x_n a_n = 0;
- along the plane, |x_t| <= mu x_n, and x_t = -mu x_n a_t / |a_t| where a_t is not zero; or x_t = -mu x_n s for a point that
  slides in the direction s already; or a_t = 0 for a point that is to stick whatever the friction.

First it is seen whether all points may stay as they are: that is a matter of forces within cones, which are made of ever
finer pyramids. Else the normal forces of least norm under given friction and the friction under given normal forces are
found in turn (Panagiotopoulos). What they say of each point - it leaves, sticks, slips - is solved as equations by Newton's
method, and checked. Of few points all that they may do is tried where this fails.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.optimize import nnls

from kaneflex.simulate.contact.thresholds import (
    FEW,
    IDLE,
    IMMOVABLE,
    LEAST_NORM,
    LOADED,
    MET,
    NEWTON,
    NUDGES,
    SLACK,
    SWEEPS,
    TRACE,
    TURNS,
    WORTH,
)

Array = np.ndarray


@dataclass(frozen=True)
class ContactPoint:
    """A closed contact, as its friction law sees it.

    Attributes:
        friction: coefficient mu.
        slides: unit vector of the slip that there is, in the plane's first two axes; None for a point at rest.
        sticks: whether it stays where it is whatever the friction, as long as it is pushed.
    """

    friction: float
    slides: Array | None = None
    sticks: bool = False


@dataclass(frozen=True)
class ContactForces:
    """What was found: forces, accelerations, and what each point does: it "leaves", "touches" without being pushed, "sticks"
    or "slips"."""

    x: Array
    a: Array
    does: tuple[str, ...]


def contact_forces(K: Array, c: Array, points: Sequence[ContactPoint]) -> ContactForces | None:
    """The forces, and what they do; None when none were found.

    Points that are about to slip do so by hardly any acceleration, which tells little of its direction: where nothing is
    found, somewhat more is taken of what they are to be held against.
    """
    if not c.any():
        return ContactForces(0 * c, 0 * c, tuple("slips" if p.friction == 0 and not p.sticks else "sticks" for p in points))
    along = np.repeat([p.slides is None and p.friction > 0 for p in points], 3) & (np.arange(len(c)) % 3 < 2)
    for more in NUDGES if along.any() else NUDGES[:1]:
        search, units, size = _scaled(K, c * (1 + more * along), points)
        found = search.all_stay() or search.by_turns() or search.all_slide() or search.one_by_one()
        if found is not None:
            idle = found.a[2::3] <= MET
            does = tuple("touches" if w == "leaves" and i else w for w, i in zip(found.does, idle, strict=True))
            return ContactForces(found.x * units * size, found.a / units * size, does)
    return None


def can_all_stay(K: Array, c: Array, points: Sequence[ContactPoint]) -> bool:
    """Whether some forces hold all points as they are: none leaves, those at rest stick."""
    if not c.any():
        return True
    search, _, _ = _scaled(K, c, points)
    found = search.all_stay() or search.by_turns()
    return found is not None and found.does == search.as_now()[0]


def _scaled(K: Array, c: Array, points: Sequence[ContactPoint]) -> tuple["_Search", Array, float]:
    """The search in units of forces in which each point moves alike, along its plane and away from it; these units, and that
    of the accelerations in them. What a point moves has its own mass for either."""
    away = np.maximum(np.diag(K)[2::3], 1e-300)
    sideways = np.maximum(np.diag(K)[0::3], np.diag(K)[1::3])
    sideways = np.where(sideways > IMMOVABLE * away, sideways, away)
    units = np.column_stack([sideways, sideways, away]).ravel() ** -0.5
    size = float(np.abs(units * c).max())
    own = [replace(p, friction=p.friction * float(f)) for p, f in zip(points, np.sqrt(sideways / away), strict=True)]
    K = units[:, None] * K * units
    held = np.diag(K) <= IMMOVABLE  # across the plane of a plane mechanism, say: what K has there is rounding
    K[held], K[:, held] = 0.0, 0.0
    return _Search(K, units * c / size, own), units, size


class _Search:
    """The search where K and c are of the order of one."""

    def __init__(self, K: Array, c: Array, points: Sequence[ContactPoint]):
        self.K, self.c, self.points = K, c, points
        m = len(points)
        self.n = np.arange(2, 3 * m, 3)
        self.t = np.column_stack([self.n - 2, self.n - 1])
        self.mu = np.array([p.friction for p in points])

    # -- all stay as they are ----------------------------------------------------------------------------------------

    def all_stay(self) -> ContactForces | None:
        """Forces under which no point leaves, those at rest stick, and those that slide do so as they did."""
        does, slips = self.as_now()
        x = self._least_of_all(does, slips)
        if x is None and "sticks" in does:
            x = self.within_cones(does, slips)
        return None if x is None else ContactForces(x, self.c + self.K @ x, does)

    def all_slide(self) -> ContactForces | None:
        """The same where no point is at rest."""
        does, slips = self.as_now()
        x = None if "sticks" in does else self.within_cones(does, slips)
        return None if x is None else ContactForces(x, self.c + self.K @ x, does)

    def as_now(self) -> tuple[tuple[str, ...], list[Array | None]]:
        """What the points do when all stay as they are: those at rest stick, others slip where they slip to."""
        free = [p.slides is not None or (p.friction == 0 and not p.sticks) for p in self.points]
        return tuple("slips" if f else "sticks" for f in free), [p.slides for p in self.points]

    def _least_of_all(self, does: Sequence[str], slips: Sequence[Array | None]) -> Array | None:
        """Of all forces with which the points do as said, those of least norm, if they are within the cones."""
        columns, rows = [], []
        for k, (p, w) in enumerate(zip(self.points, does, strict=True)):
            if w == "sticks":
                columns += list(np.eye(len(self.c))[3 * k : 3 * k + 3])
                rows += [3 * k, 3 * k + 1]
            else:
                columns += [self._ray(k, d) for d in _directions(p, w, slips[k])]
            rows.append(3 * k + 2)
        basis = np.column_stack(columns)
        x = basis @ np.linalg.lstsq(self.K[rows] @ basis, -self.c[rows], rcond=LEAST_NORM)[0]
        met = np.abs(self.c[rows] + self.K[rows] @ x).max() <= 0.1 * MET
        free = np.array([p.sticks or w == "slips" for p, w in zip(self.points, does, strict=True)])
        within = free | (np.hypot(x[0::3], x[1::3]) <= self.mu * x[2::3])
        return x if met and within.all() and x[2::3].min() >= 0 else None

    def within_cones(self, does: Sequence[str], slips: Sequence[Array | None]) -> Array | None:
        """Forces with which all of a point that sticks, and the normal part of one that slips, has no acceleration; those on
        a point that slips have the direction that its slip says. None where there are none."""
        stays = np.concatenate([[w == "sticks", w == "sticks", w != "leaves"] for w in does])
        A, b = self.K[stays], -self.c[stays]
        columns = []
        for k, p in enumerate(self.points):
            columns += [self._ray(k, d) for d in _directions(p, does[k], slips[k])]
        for _ in range(60):
            rays = np.column_stack(columns)
            shares, _ = nnls(A @ rays, b, maxiter=100 * rays.shape[1])
            x = rays @ shares
            left = b - A @ x
            if np.abs(left).max() <= 0.1 * MET:
                return x
            gain, new = A.T @ left, []
            for k, p in enumerate(self.points):
                along = gain[self.t[k]]
                if does[k] == "sticks" and not p.sticks and np.hypot(*along) > 0:
                    ray = self._ray(k, p.friction * along / np.hypot(*along))
                    if gain @ ray > WORTH * float(left @ left) / max(float(np.abs(x).sum()), 1e-300):
                        new.append(ray)
            if not new:
                return None
            columns = [r for r, s in zip(columns, shares, strict=True) if s > 0] + new
        return None

    def _ray(self, k: int, along: Array) -> Array:
        """A force on point k: `along` its plane, and 1 away from it (none where `along` is more than one of friction)."""
        x = np.zeros_like(self.c)
        x[self.t[k]] = along[:2]
        x[self.n[k]] = 1.0 if len(along) == 2 else along[2]
        return x

    # -- some do not -------------------------------------------------------------------------------------------------

    def by_turns(self) -> ContactForces | None:
        """Normal forces and friction in turn, until what they say holds."""
        x, said, share, before = np.zeros_like(self.c), set(), 1.0, np.inf
        Knn = self.K[np.ix_(self.n, self.n)]
        for turn in range(TURNS):
            pushes = least_normal_forces(Knn, -(self.c + self.K @ x)[self.n] + Knn @ x[self.n])
            change = float(np.abs(pushes - x[self.n]).max())
            share = share / 2 if change > before else min(1.0, 1.2 * share)
            before = change
            x[self.n] += share * (pushes - x[self.n])
            self._rub(x)
            does = self._does(x)
            if does not in said or turn % 10 == 9:
                said.add(does)
                found = self._solved(x, does)
                if found is not None:
                    return found
        return None

    def one_by_one(self) -> ContactForces | None:
        """All that few points may do, tried in turn: where friction is large against the coupling of normal and slip,
        turns do not settle."""
        if len(self.points) > FEW:
            return None
        for way in product(*map(_ways, self.points)):
            x = np.zeros_like(self.c)
            for k, (_, slip) in enumerate(way):
                x[self.n[k]], x[self.t[k]] = 1.0, -self.mu[k] * slip
            found = self._solved(x, tuple(word for word, _ in way))
            if found is not None:
                return found
        return None

    def _rub(self, x: Array) -> None:
        """Friction under the normal forces in x, with which accelerations along the planes are as small as they get."""
        reach = self.mu * x[self.n]
        for k, p in enumerate(self.points):
            if p.slides is not None:
                x[self.t[k]] = -reach[k] * p.slides
        reach[[p.sticks for p in self.points] & (x[self.n] > 0)] = np.inf
        rests = np.array([p.slides is None for p in self.points])
        at, reach = self.t[rests], reach[rests]
        if not reach.any():
            x[at] = 0.0
            return
        K = self.K[np.ix_(at.ravel(), at.ravel())]
        step = 1 / max(float(np.linalg.eigvalsh(K)[-1]), 1e-300)
        y = last = x[at]
        given, pace = (self.c + self.K @ x)[at.ravel()] - K @ y.ravel(), 1.0
        for _ in range(SWEEPS):  # projected gradients with Nesterov's acceleration, begun anew where they lead uphill
            new = y - step * (given + K @ y.ravel()).reshape(-1, 2)
            new = new * np.minimum(1.0, reach / np.maximum(np.linalg.norm(new, axis=1), 1e-300))[:, None]
            faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
            uphill = float(np.sum((y - new) * (new - last))) > 0
            y = new if uphill else new + (pace - 1) / faster * (new - last)
            last, pace = new, 1.0 if uphill else faster
        x[at] = last

    def _does(self, x: Array) -> tuple[str, ...]:
        largest, words = float(x[self.n].max()), []
        for k, p in enumerate(self.points):
            reach = p.friction * x[self.n[k]]
            if x[self.n[k]] <= IDLE * largest:
                words.append("leaves")
            elif p.sticks or (p.slides is None and np.hypot(*x[self.t[k]]) < (1 - SLACK) * reach):
                words.append("sticks")
            else:
                words.append("slips")
        return tuple(words)

    def _solved(self, x: Array, does: tuple[str, ...]) -> ContactForces | None:
        """The forces near x with which each point does what is said; None where it would do something else."""
        x = np.where(np.repeat([w == "leaves" for w in does], 3), 0.0, x)
        s = [self._slip(x, k) if w == "slips" else None for k, w in enumerate(does)]
        for _ in range(30):
            left, J, columns = self._equations(x, does, s)
            change = np.linalg.lstsq(J, -left, rcond=NEWTON)[0] if len(left) else np.zeros(0)
            for value, (k, what) in zip(change, columns, strict=True):
                if what == "turn":
                    s[k] = _turned(s[k], float(np.clip(value, -0.5, 0.5)))
                else:
                    x[3 * k + what] += value
            for k, direction in enumerate(s):
                if direction is not None:
                    x[self.t[k]] = -self.mu[k] * x[self.n[k]] * direction
            if not np.abs(change).max(initial=0.0) > NEWTON * (1 + float(np.abs(x).max())):
                break
        return self._checked(x, does, s)

    def _slip(self, x: Array, k: int) -> Array:
        p, along = self.points[k], -x[self.t[k]]
        if p.slides is not None:
            return p.slides
        size = float(np.hypot(*along))
        return along / size if size > 0 else np.array([1.0, 0.0])

    def _equations(self, x: Array, does: Sequence[str], s: Sequence[Array | None]) -> tuple[Array, Array, list]:
        """What is left of the equations, their derivatives, and by what: (point, component of x, or "turn" of its slip)."""
        a, columns = self.c + self.K @ x, []
        rows: list[tuple[float, Array, tuple[int, float] | None]] = []
        by: list[tuple[int, int | str]] = []
        for k, w in enumerate(does):
            n, at = self.n[k], self.t[k]
            if w == "sticks":
                rows += [(a[i], self.K[i], None) for i in (*at, n)]
                by += [(k, i) for i in range(3)]
                columns += [np.eye(len(x))[3 * k + i] for i in range(3)]
            elif w == "slips":
                d, mu = s[k], self.mu[k]
                assert d is not None
                rows.append((a[n], self.K[n], None))
                by.append((k, 2))
                push = np.zeros_like(x)
                push[at], push[n] = -mu * d, 1.0
                columns.append(push)
                if self.points[k].slides is None and mu > 0:
                    across = np.array([-d[1], d[0]])
                    rows.append((across @ a[at], across @ self.K[at], (k, -d @ a[at])))
                    by.append((k, "turn"))
                    turn = np.zeros_like(x)
                    turn[at] = -mu * x[n] * across
                    columns.append(turn)
        if not rows:
            return np.zeros(0), np.zeros((0, 0)), []
        J = np.array([row for _, row, _ in rows]) @ np.column_stack(columns)
        for r, (_, _, own) in enumerate(rows):
            if own is not None:
                J[r, by.index((own[0], "turn"))] += own[1]
        return np.array([value for value, _, _ in rows]), J, by

    def _checked(self, x: Array, does: tuple[str, ...], s: Sequence[Array | None]) -> ContactForces | None:
        largest = max(float(np.abs(x).max()), 1e-300)
        if not np.isfinite(x).all():
            return None
        for attempt in range(2):
            a = self.c + self.K @ x
            met, within = True, True
            for k, w in enumerate(does):
                n, along, p = self.n[k], self.t[k], self.points[k]
                met &= bool(abs(a[n]) <= MET if w != "leaves" else a[n] >= -MET)
                within &= bool(x[n] >= -MET * largest)
                if w == "sticks":
                    met &= bool(np.abs(a[along]).max() <= MET)
                    within &= p.sticks or bool(np.hypot(*x[along]) <= p.friction * x[n] + MET * largest)
                elif w == "slips" and p.slides is None and p.friction > 0:
                    d = s[k]
                    assert d is not None
                    met &= bool(a[along] @ d > MET and abs(a[along] @ (-d[1], d[0])) <= MET)
            if not met:
                return None
            if within:
                return ContactForces(x, a, does)
            if attempt == 0:  # other forces may do the same
                other = self.within_cones(does, s)
                if other is None:
                    return None
                x = other
        return None


def _ways(p: ContactPoint) -> list[tuple[str, Array]]:
    """What a point may do, and the slip from which one that slips is sought."""
    none = np.zeros(2)
    ways = [("leaves", none)]
    if p.slides is not None or (p.friction == 0 and not p.sticks):
        return [*ways, ("slips", none if p.slides is None else p.slides)]
    starts = [] if p.sticks else [sense * d for d in np.eye(2) for sense in (1.0, -1.0)]
    return [("sticks", none), *ways, *(("slips", d) for d in starts)]


def _directions(p: ContactPoint, does: str, slip: Array | None) -> list[Array]:
    """Forces that make up those on a point, along its plane where 1 is the normal part; with three components otherwise."""
    if does == "leaves":
        return []
    if does == "slips":
        return [-p.friction * slip if slip is not None else np.zeros(2)]
    if p.sticks:
        return [np.zeros(2), *(np.array([*d, 0.0]) for d in ((1, 0), (-1, 0), (0, 1), (0, -1)))]
    return [p.friction * np.array([np.cos(x), np.sin(x)]) for x in np.arange(8) * np.pi / 4]


def _turned(s: Array, angle: float) -> Array:
    return np.array([s[0] * np.cos(angle) - s[1] * np.sin(angle), s[1] * np.cos(angle) + s[0] * np.sin(angle)])


def least_normal_forces(K: Array, lack: Array) -> Array:
    """Normal forces x >= 0 with K x >= lack, and K x = lack where x > 0; where they are not unique, the least.

    With K = G^T G they are the x >= 0 for which |G x - c| is least, G^T c = lack. A trace of stiffness makes G regular; the
    equations of the loaded points are then solved without it.
    """
    values, axes = np.linalg.eigh(K)
    root = np.sqrt(np.maximum(values, 0.0) + TRACE * values.max())
    x, _ = nnls(root[:, None] * axes.T, axes.T @ lack / root)
    loaded = LOADED * x.max() < x
    exact = np.zeros_like(x)
    exact[loaded] = np.linalg.lstsq(K[np.ix_(loaded, loaded)], lack[loaded], rcond=IMMOVABLE)[0]
    met = np.all(exact >= 0) and np.all(K @ exact >= lack - 0.1 * MET * np.abs(lack).max())
    return exact if met else np.asarray(x)
