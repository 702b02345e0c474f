"""Touchdown of a lander with two feet and a slosh pendulum, in the plane; each foot that meets the ground stops there.

x along the ground, y up; the lander (mass m, central inertia I) has its feet at (-b, -h) and (b, -h) from its mass centre
and turns by theta, counter-clockwise; a particle (mass ms) swings on a massless rod l from a pivot at d above the mass
centre, at the angle beta from the downward vertical (absolute). With q = (x, y, theta, beta) and the Jacobians J of the
particle and G of the feet that are held,

    M = diag(m, m, I, 0) + ms J^T J ,   M q'' = weights - ms J^T a0 + G^T F ,   G q'' + G' q' = 0                 (1)

where a0 is the particle's acceleration at q'' = 0 and F are the forces on the held feet. A plastic impact at some feet,
which stay, gives impulses

    M (q'+ - q'-) = G^T P ,   G q'+ = 0.                                                                          (2)

Feet only push: of the feet on the ground those stay that take a pushing impulse, and the others must leave the ground;
a foot is let go when its normal force falls to zero. The momentum conjugate to beta, ms l e.v with e = (cos beta,
sin beta) and v the particle's velocity, is not changed by (2), as the feet do not depend on beta.

Rigid lander (ms = 0) that comes down level, at v_v down and v_h along, and pivots on its leading foot:

    w+ = m (h v_h - b v_v)/I_A ,   I_A = I + m (b^2 + h^2)   (forward, that is -theta')                           (3)

and tips over when I_A w+^2/2 > m g (sqrt(b^2 + h^2) - h).

Source: slosh and touchdown by generalized impulse and momentum, an application named by C. M. Roithmayr (J. Spacecraft and
Rockets, 2024, abstract); stand-in data, m = 5000 kg, I = 9000 kg m^2, b = 2.5 m, h = 3 m, g = 1.62 m/s^2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

#: w+ of (3) for v_v = 1 m/s by v_h, the barrier in J, and the v_h that tips the lander over by v_v.
RIGID_RATES = {1.0: 0.02933, 2.0: 0.20528, 2.5: 0.29326, 3.0: 0.38123}
BARRIER = 7331.5
THRESHOLDS = {1.0: 3.1904, 0.0: 2.3570}


@dataclass(frozen=True)
class Lander:
    """Stand-in data in SI units; ground: heights of the ground under the left and the right foot."""

    mass: float = 5000.0
    inertia: float = 9000.0
    b: float = 2.5
    h: float = 3.0
    gravity: float = 1.62
    slosh_mass: float = 0.0
    slosh_length: float = 1.0
    pivot: float = 0.5
    ground: tuple[float, float] = (0.0, 0.1)

    def rigid_rate(self, vh: float, vv: float) -> float:
        """w+ of (3)."""
        return self.mass * (self.h * vh - self.b * vv) / self.pivot_inertia

    @property
    def pivot_inertia(self) -> float:
        """I_A, of the rigid lander about a foot."""
        return self.inertia + self.mass * (self.b**2 + self.h**2)

    @property
    def barrier(self) -> float:
        """Energy that lifts the mass centre over the foot."""
        return self.mass * self.gravity * (np.hypot(self.b, self.h) - self.h)

    def threshold(self, vv: float) -> float:
        """v_h above which the rigid lander tips over."""
        w = np.sqrt(2 * self.barrier / self.pivot_inertia)
        return float((w * self.pivot_inertia / self.mass + self.b * vv) / self.h)

    def particle(self, q: ArrayLike, u: ArrayLike) -> tuple[Array, Array, Array]:
        """Position and Jacobian of the slosh particle, and its acceleration at q'' = 0."""
        x, y, th, be = np.asarray(q, dtype=float)
        _, _, w, v = np.asarray(u, dtype=float)
        d, l = self.pivot, self.slosh_length
        s, c, sb, cb = np.sin(th), np.cos(th), np.sin(be), np.cos(be)
        J = np.array([[1.0, 0.0, -d * c, l * cb], [0.0, 1.0, -d * s, l * sb]])
        a0 = np.array([d * s * w**2 - l * sb * v**2, -d * c * w**2 + l * cb * v**2])
        return np.array([x - d * s + l * sb, y + d * c - l * cb]), J, a0

    def foot(self, k: int, q: ArrayLike, u: ArrayLike) -> tuple[Array, Array, Array]:
        """Position and Jacobian of foot k (0 left, 1 right), and its acceleration at q'' = 0."""
        x, y, th, _ = np.asarray(q, dtype=float)
        w = np.asarray(u, dtype=float)[2]
        a, e = (-self.b, self.b)[k], -self.h
        s, c = np.sin(th), np.cos(th)
        r = np.array([a * c - e * s, a * s + e * c])
        return np.array([x, y]) + r, np.array([[1.0, 0.0, -r[1], 0.0], [0.0, 1.0, r[0], 0.0]]), -r * w**2

    def mass_matrix(self, q: ArrayLike, u: ArrayLike) -> tuple[Array, Array]:
        """M of (1) and the forces on its right side without the feet; without a pendulum, beta's row is an identity."""
        _, J, a0 = self.particle(q, u)
        ms, g = self.slosh_mass, self.gravity
        M = np.diag([self.mass, self.mass, self.inertia, 0.0]) + ms * J.T @ J
        f = np.array([0.0, -self.mass * g, 0.0, 0.0]) - ms * J.T @ (a0 + np.array([0.0, g]))
        if ms == 0:
            M[3, 3] = 1.0
        return M, f

    def accelerations(self, q: ArrayLike, u: ArrayLike, held: tuple[int, ...]) -> tuple[Array, Array]:
        """q'' and the forces on the held feet (two numbers each) by (1)."""
        M, f = self.mass_matrix(q, u)
        if not held:
            return np.linalg.solve(M, f), np.zeros(0)
        feet = [self.foot(k, q, u) for k in held]
        G, bias = np.vstack([J for _, J, _ in feet]), np.concatenate([a for _, _, a in feet])
        F = np.linalg.solve(G @ np.linalg.solve(M, G.T), -bias - G @ np.linalg.solve(M, f))
        return np.linalg.solve(M, f + G.T @ F), F

    def impact(self, q: ArrayLike, u: ArrayLike, touching: tuple[int, ...]) -> tuple[Array, dict[int, Array]]:
        """q'+ of (2) and the impulses by foot, for the feet on the ground that stay."""
        q, u = np.asarray(q, dtype=float), np.asarray(u, dtype=float)
        M, _ = self.mass_matrix(q, u)
        for size in range(len(touching), 0, -1):
            for stay in combinations(touching, size):
                G = np.vstack([self.foot(k, q, u)[1] for k in stay])
                if len(G) > 3:  # both feet held: the lander stops as a whole, impulses are not unique
                    continue
                P = np.linalg.solve(G @ np.linalg.solve(M, G.T), -G @ u)
                after = u + np.linalg.solve(M, G.T @ P)
                leave = [(self.foot(k, q, after)[1] @ after)[1] for k in touching if k not in stay]
                if np.all(P[1::2] >= 0) and all(v >= -1e-12 for v in leave):
                    return after, {k: P[2 * i : 2 * i + 2] for i, k in enumerate(stay)}
        raise ValueError("no set of feet takes the impact")

    def energy(self, q: ArrayLike, u: ArrayLike) -> float:
        """Kinetic energy and weights times heights."""
        q, u = np.asarray(q, dtype=float), np.asarray(u, dtype=float)
        p, J, _ = self.particle(q, u)
        v = J @ u
        kinetic = (self.mass * u[:2] @ u[:2] + self.inertia * u[2] ** 2 + self.slosh_mass * v @ v) / 2
        return float(kinetic + self.gravity * (self.mass * q[1] + self.slosh_mass * p[1]))

    def slosh_momentum(self, q: ArrayLike, u: ArrayLike) -> float:
        """Momentum conjugate to beta, ms l e.v."""
        _, J, _ = self.particle(q, u)
        return float(self.slosh_mass * J[:, 3] @ (J @ np.asarray(u, dtype=float)))


@dataclass
class Touchdown:
    """A motion with its impacts: (t, foot, state before, state after, impulses by foot), and pieces of dense output."""

    impacts: list[tuple[float, int, Array, Array, dict[int, Array]]] = field(default_factory=list)
    releases: list[tuple[float, int]] = field(default_factory=list)
    pieces: list[tuple[float, float, tuple[int, ...], object]] = field(default_factory=list)

    def at(self, t: float) -> Array:
        """State (q, q') at t; just after an impact at an impact's time."""
        for t0, t1, _, solution in reversed(self.pieces):
            if t0 <= t <= t1:
                y: Array = solution(t)  # type: ignore[operator]
                return y
        raise ValueError(f"the motion has no state at t = {t}")


def touchdown(data: Lander, q: ArrayLike, u: ArrayLike, duration: float, most: int = 20) -> Touchdown:
    """Integrate (1) between impacts and releases, at most `most` of them."""
    motion = Touchdown()
    t, y = 0.0, np.concatenate([np.asarray(q, dtype=float), np.asarray(u, dtype=float)])
    held: tuple[int, ...] = ()

    def rates(t: float, y: Array) -> Array:
        return np.concatenate([y[4:], data.accelerations(y[:4], y[4:], held)[0]])

    for _ in range(most):
        events = [_gap(data, k) if k not in held else _press(data, k, held) for k in (0, 1)]
        s = solve_ivp(
            rates, (t, duration), y, method="DOP853", rtol=1e-12, atol=1e-12, events=events, dense_output=True, max_step=0.05
        )
        motion.pieces.append((t, float(s.t[-1]), held, s.sol))
        if s.status == 0:
            return motion
        t, y = float(s.t[-1]), s.y[:, -1]
        k = 0 if len(s.t_events[0]) else 1
        if k in held:
            motion.releases.append((t, k))
            held = tuple(i for i in held if i != k)
            continue
        after, impulses = data.impact(y[:4], y[4:], tuple(sorted({*held, k})))
        new = np.concatenate([y[:4], after])
        motion.impacts.append((t, k, y, new, impulses))
        y, held = new, tuple(impulses)
    raise ValueError(f"more than {most} impacts and releases before t = {duration}")


def _gap(data: Lander, k: int):  # type: ignore[no-untyped-def]
    def gap(t: float, y: Array) -> float:
        p, J, _ = data.foot(k, y[:4], y[4:])
        value = float(p[1] - data.ground[k])
        return value if abs(value) > 1e-9 or (J @ y[4:])[1] < 0 else 1e-9  # a foot that leaves has no impact

    gap.terminal, gap.direction = True, -1  # type: ignore[attr-defined]
    return gap


def _press(data: Lander, k: int, held: tuple[int, ...]):  # type: ignore[no-untyped-def]
    def press(t: float, y: Array) -> float:
        _, F = data.accelerations(y[:4], y[4:], held)
        return float(F[2 * held.index(k) + 1])

    press.terminal, press.direction = True, -1  # type: ignore[attr-defined]
    return press


#: The lander with a slosh pendulum, and its touchdown: level at 2.5 m/s along and, at the rock, 1 m/s down.
SLOSHING = Lander(mass=4200.0, slosh_mass=800.0)


def start(data: Lander, along: float, down: float, drop: float = 0.05, beta: float = 0.0) -> tuple[Array, Array]:
    """q and q' of a level lander with its right foot `drop` above the ground, to strike at speeds `along` and `down`."""
    speed = np.sqrt(down**2 - 2 * data.gravity * drop)
    return np.array([0.0, data.ground[1] + drop + data.h, 0.0, beta]), np.array([along, -speed, 0.0, 0.0])


def reference(times: ArrayLike, duration: float = 3.2) -> tuple[Array, list[tuple[float, int, Array, float]], Array]:
    """Rows (t, x, y, theta, beta - theta, theta', beta' - theta'), impacts (t, foot, impulse, energy lost), forces.

    The forces are those on the right foot while it is held, rows (x, y) at the times, nan elsewhere.
    """
    data = SLOSHING
    motion = touchdown(data, *start(data, 2.5, 1.0), duration)
    rows, forces = [], []
    for t in np.asarray(times, dtype=float):
        x, y, th, be, _, _, w, v = state = motion.at(t)
        rows.append([t, x, y, th, be - th, w, v - w])
        held = next(feet for t0, t1, feet, _ in reversed(motion.pieces) if t0 <= t <= t1)
        forces.append(data.accelerations(state[:4], state[4:], held)[1] if held == (1,) else (np.nan, np.nan))
    impacts = []
    for t, foot, before, after, impulses in motion.impacts:
        lost = data.energy(before[:4], before[4:]) - data.energy(after[:4], after[4:])
        impacts.append((t, foot, impulses[foot], lost))
    return np.array(rows), impacts, np.array(forces)
