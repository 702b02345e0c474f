"""The law of impact at points that touch planes: Newton's restitution and Coulomb's friction.

An impulse J at a point changes its velocity relative to the plane by K J, K symmetric, in axes of which z is the plane's
normal. v is the velocity before, w = -e v_z the normal velocity after. Of these the first that holds is taken:

1. Stick: J = K^-1 (w z - v), when friction suffices: |J_t| <= mu J_z.
2. Slip along s, the direction of the slip before, throughout: J = J_z (z - mu s), when slip goes on until the end.
3. Slip that turns or ends during the impact. Friction opposes the slip of every moment, dJ = dJ_z (z - mu s(v)), until v_z
   is w. When slip ends the point sticks for the rest if friction suffices, else it begins to slip the one way in which
   slip grows without turning.

1 and 2 are Kane's and Banerjee's hypotheses, 3 is Routh's, in space Darboux's and Keller's. In each, J_z >= 0 and J is
within the friction cone. Where something else holds the point so that friction locks it - no impulse within the cone would
lift it off - it stays: it jams, without restitution.

Ref: Kane and Levinson, Dynamics (1985), section 5.8; Banerjee, Flexible Multibody Dynamics, appendix 2.A; Keller, Impact
with friction, J. Appl. Mech. 53 (1986) 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, nnls

Array = np.ndarray
NORMAL = np.array([0.0, 0.0, 1.0])
HELD = 1e-10  # of the largest: what K is less than in a direction that something holds
STOPPED = 1e-13  # of the velocity before: slip that has ended
SWEEPS, TURNS = 1000, 20  # of `impulses`: at most, and paths of slip that turns, which take long, in them


@dataclass(frozen=True)
class Law:
    """What is asked of one point.

    Attributes:
        wanted: normal velocity after the impact, m/s.
        friction: coefficient mu.
        sticks: whether the point sticks whatever the friction, unless the plane would have to pull.
    """

    wanted: float
    friction: float
    sticks: bool = False


@dataclass(frozen=True)
class Impulse:
    """The impulse on one point, N s, in axes of the plane, and how it came about: "stick", "slip", "turn" or "jam"."""

    J: Array
    kind: str


NONE = Impulse(np.zeros(3), "slip")


def impulse(K: Array, v: Array, law: Law) -> Impulse:
    """The impulse on one point; none when it is fast enough away from the plane already."""
    mu, speed = law.friction, float(np.linalg.norm(v))
    stick = np.linalg.pinv(K, rcond=HELD, hermitian=True) @ (law.wanted * NORMAL - v)  # the least one where K is singular
    if law.sticks and stick[2] >= 0:
        return Impulse(stick, "stick")
    if not v[2] < law.wanted:
        return NONE
    if mu == 0:
        return Impulse((law.wanted - v[2]) / K[2, 2] * NORMAL, "slip")
    met = float(np.linalg.norm(v + K @ stick - law.wanted * NORMAL)) <= 1e-9 * speed
    if met and np.hypot(stick[0], stick[1]) <= mu * stick[2]:
        return Impulse(stick, "stick")
    slip = np.array([v[0], v[1], 0.0])
    size = float(np.linalg.norm(slip))
    if size > STOPPED * speed:
        s = slip / size
        direction = NORMAL - mu * s
        gain = K[2] @ direction
        if gain > HELD * K[2, 2]:
            J = (law.wanted - v[2]) / gain * direction
            if (v + K @ J) @ s > 1e-12 * speed:
                return Impulse(J, "slip")
    return _turning(K, v, law.wanted, mu)


def _turning(K: Array, v: Array, wanted: float, mu: float) -> Impulse:
    """Hypothesis 3, in units of |v| and of the largest of K."""
    unit, stiffness = float(np.linalg.norm(v)), float(np.abs(K).max())
    K, v, wanted = K / stiffness, v / unit, wanted / unit
    first = _while_slipping(K, v, wanted, mu)
    now = v + K @ first
    left = wanted - now[2]
    if left <= 10 * STOPPED:
        return Impulse(first * unit / stiffness, "turn")
    onward = _from_rest(K, mu)
    gain = K[2] @ onward
    if gain <= HELD * K[2, 2]:
        return Impulse(first * unit / stiffness, "jam")
    return Impulse((first + left / gain * onward) * unit / stiffness, "turn")


def _while_slipping(K: Array, v: Array, wanted: float, mu: float) -> Array:
    """The impulse until slip ends or v_z is `wanted`.

    With slip r (cos a, sin a) and dJ_z = r dx, dr/dx = r f(a) and da/dx = h(a) are regular where slip ends, at x = infinity.
    """
    size = float(np.hypot(v[0], v[1]))
    if size <= STOPPED:
        return np.zeros(3)

    def rate(x: float, y: Array) -> Array:
        r, angle = y[0], y[1]
        s = np.array([np.cos(angle), np.sin(angle), 0.0])
        direction = NORMAL - mu * s
        growth = K @ direction
        return np.array([r * (growth @ s), -growth[0] * s[1] + growth[1] * s[0], *(r * direction)])

    def reached(x: float, y: Array) -> float:
        return float(v[2] + K[2] @ y[2:] - wanted)

    def stopped(x: float, y: Array) -> float:
        return float(y[0] - STOPPED)

    reached.terminal = stopped.terminal = True  # type: ignore[attr-defined]
    reached.direction = 1  # type: ignore[attr-defined]
    start = [size, np.arctan2(v[1], v[0]), 0, 0, 0]
    path = solve_ivp(
        rate, (0, 1e20), start, "LSODA", events=(reached, stopped), rtol=1e-12, atol=[1e-15, 1e-12, 1e-15, 1e-15, 1e-15]
    )
    return np.asarray(path.y[2:, -1])


def _from_rest(K: Array, mu: float) -> Array:
    """The direction of the impulse, per normal impulse, on a point without slip: within the cone such that it sticks, else
    on it such that slip grows along itself: K_tz - mu K_tt s = growth s, with one growth > 0 for which |s| = 1."""
    values, axes = np.linalg.eigh(K[:2, :2])
    free = values > HELD * max(float(values.max()), K[2, 2])
    values, axes = values[free], axes[:, free]
    pull = axes.T @ K[:2, 2]
    hold = -pull / values
    if np.linalg.norm(hold) <= mu:
        return np.array([*(axes @ hold), 1.0])

    def excess(growth: float) -> float:
        return float(np.linalg.norm(pull / (growth + mu * values))) - 1.0

    growth = brentq(excess, 0.0, float(np.linalg.norm(pull)), xtol=1e-300, rtol=1e-15)
    return np.array([*(axes @ (-mu * pull / (growth + mu * values))), 1.0])


def impulses(K: Array, v: Array, laws: Sequence[Law]) -> list[Impulse] | None:
    """The impulses on points that are struck in one instant: each obeys its law in the presence of the others.

    K and v are those of all points, three rows each. Without friction that is a linear complementarity problem; with it all
    points are corrected at a time, from there on, by a share that keeps this from overshooting. Points in like places of a
    symmetric body get like impulses. None when it does not converge.
    """
    if len(laws) == 1:
        return [impulse(K, v, laws[0])]
    normal = smooth(K[2::3, 2::3], np.array([law.wanted for law in laws]) - v[2::3])
    J = np.kron(normal, NORMAL)
    own = [slice(3 * i, 3 * i + 3) for i in range(len(laws))]
    if not any(law.friction or law.sticks for law in laws):
        return [Impulse(J[at], "slip") for at in own]
    alone = np.zeros_like(K)
    for at in own:
        alone[at, at] = np.linalg.pinv(K[at, at], rcond=HELD, hermitian=True)
    share = 1 / max(1.0, float(np.abs(np.linalg.eigvals(alone @ K)).max()))
    turns = 0
    for _ in range(SWEEPS):
        now = v + K @ J
        found = [impulse(K[at, at], now[at] - K[at, at] @ J[at], law) for at, law in zip(own, laws, strict=True)]
        step = share * (np.concatenate([x.J for x in found]) - J)
        J += step
        turns += sum(x.kind in ("turn", "jam") for x in found)
        if turns > TURNS:
            return None
        if np.abs(K @ step).max() <= 1e-13 * np.abs(v).max():
            return [Impulse(J[at], x.kind) for at, x in zip(own, found, strict=True)]
    return None


def smooth(K: Array, lack: Array) -> Array:
    """Normal impulses J >= 0 with K J >= lack, and K J = lack where J > 0; where they are not unique, the least.

    With K = G^T G they are the J >= 0 for which |G J - c| is least, G^T c = lack. A trace of stiffness makes G regular; the
    equations of the points that press are then solved without it.
    """
    values, axes = np.linalg.eigh(K)
    root = np.sqrt(np.maximum(values, 0.0) + 1e-13 * values.max())
    J, _ = nnls(root[:, None] * axes.T, axes.T @ lack / root)
    presses = 1e-9 * J.max() < J
    exact = np.zeros_like(J)
    exact[presses] = np.linalg.lstsq(K[np.ix_(presses, presses)], lack[presses], rcond=HELD)[0]
    met = np.all(exact >= 0) and np.all(K @ exact >= lack - 1e-10 * np.abs(lack).max())
    return exact if met else np.asarray(J)
