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
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from kaneflex.simulate.contact.friction_law import ContactForces, ContactPoint, contact_forces
from kaneflex.simulate.contact.thresholds import (
    FOLLOWED,
    FOLLOWED_ANGLE,
    FOLLOWED_SMALL,
    GROWTH,
    HIGHEST_GAIN,
    IMMOVABLE,
    LOADED,
    MET,
    SHARE_FOUND,
    SLIP_ENDED,
    SLIP_LASTS,
)

Array = np.ndarray
NORMAL = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class ImpactLaw:
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


def impulse(K: Array, v: Array, law: ImpactLaw) -> Impulse:
    """The impulse on one point; none when it is fast enough away from the plane already."""
    mu, speed = law.friction, float(np.linalg.norm(v))
    least = np.linalg.pinv(K, rcond=IMMOVABLE, hermitian=True)  # where K is singular
    stick = least @ (law.wanted * NORMAL - v)
    if law.sticks and stick[2] >= 0:
        return Impulse(stick, "stick")
    if not v[2] < law.wanted:
        return NONE
    if mu == 0:
        return Impulse((law.wanted - v[2]) / K[2, 2] * NORMAL, "slip")
    met = float(np.linalg.norm(v + K @ stick - law.wanted * NORMAL)) <= MET * speed
    if met and np.hypot(stick[0], stick[1]) <= mu * stick[2]:
        return Impulse(stick, "stick")
    slip = np.array([v[0], v[1], 0.0])
    size = float(np.linalg.norm(slip))
    if size > SLIP_ENDED * speed:
        s = slip / size
        direction = NORMAL - mu * s
        gain = K[2] @ direction
        if gain > IMMOVABLE * K[2, 2]:
            J = (law.wanted - v[2]) / gain * direction
            if (v + K @ J) @ s > SLIP_LASTS * speed:
                return Impulse(J, "slip")
    return _turning(K, v, law.wanted, mu)


def _turning(K: Array, v: Array, wanted: float, mu: float) -> Impulse:
    """Hypothesis 3, in units of |v| and of the largest of K."""
    unit, stiffness = float(np.linalg.norm(v)), float(np.abs(K).max())
    K, v, wanted = K / stiffness, v / unit, wanted / unit
    first = _while_slipping(K, v, wanted, mu)
    now = v + K @ first
    left = wanted - now[2]
    if left <= 10 * SLIP_ENDED:
        return Impulse(first * unit / stiffness, "turn")
    onward = _from_rest(K, mu)
    gain = K[2] @ onward
    if gain <= IMMOVABLE * K[2, 2]:
        return Impulse(first * unit / stiffness, "jam")
    return Impulse((first + left / gain * onward) * unit / stiffness, "turn")


def _while_slipping(K: Array, v: Array, wanted: float, mu: float) -> Array:
    """The impulse until slip ends or v_z is `wanted`.

    With slip r (cos a, sin a) and dJ_z = r dx, dr/dx = r f(a) and da/dx = h(a) are regular where slip ends, at x = infinity.
    """
    size = float(np.hypot(v[0], v[1]))
    if size <= SLIP_ENDED:
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
        return float(y[0] - SLIP_ENDED)

    reached.terminal = stopped.terminal = True  # type: ignore[attr-defined]
    reached.direction = 1  # type: ignore[attr-defined]
    start, small = [size, np.arctan2(v[1], v[0]), 0, 0, 0], FOLLOWED_SMALL
    path = solve_ivp(
        rate, (0, 1e20), start, "LSODA", events=(reached, stopped), rtol=FOLLOWED, atol=[small, FOLLOWED_ANGLE, *[small] * 3]
    )
    return np.asarray(path.y[2:, -1])


def _from_rest(K: Array, mu: float) -> Array:
    """The direction of the impulse, per normal impulse, on a point without slip: within the cone such that it sticks, else
    on it such that slip grows along itself: K_tz - mu K_tt s = growth s, with one growth > 0 for which |s| = 1."""
    values, axes = np.linalg.eigh(K[:2, :2])
    free = values > IMMOVABLE * max(float(values.max()), K[2, 2])
    values, axes = values[free], axes[:, free]
    pull = axes.T @ K[:2, 2]
    hold = -pull / values
    if np.linalg.norm(hold) <= mu:
        return np.array([*(axes @ hold), 1.0])

    def excess(growth: float) -> float:
        return float(np.linalg.norm(pull / (growth + mu * values))) - 1.0

    growth = brentq(excess, 0.0, float(np.linalg.norm(pull)), xtol=1e-300, rtol=GROWTH)
    return np.array([*(axes @ (-mu * pull / (growth + mu * values))), 1.0])


def impulses(K: Array, v: Array, laws: Sequence[ImpactLaw]) -> list[Impulse] | None:
    """The impulses on points that are struck in one instant: each obeys its law in the presence of the others.

    K and v are those of all points, three rows each. One point alone is treated as said above; of several, friction opposes
    the slip after the impact. Newton's restitution and friction together may raise the energy: all wanted velocities away
    from the planes are then lowered alike, until it stays. None when no impulses were found.
    """
    found = _newton(K, v, laws, 1.0)
    if found is None or _gain(K, v, found) <= 0:
        return found
    low, high = 0.0, 1.0
    found = _newton(K, v, laws, low)
    while high - low > SHARE_FOUND:
        middle = (low + high) / 2
        other = _newton(K, v, laws, middle)
        if other is None or _gain(K, v, other) > 0:
            high = middle
        else:
            low, found = middle, other
    return found


def _newton(K: Array, v: Array, laws: Sequence[ImpactLaw], share: float) -> list[Impulse] | None:
    """The impulses with a share of the wanted velocities away from the planes."""
    laws = [replace(law, wanted=share * law.wanted) if law.wanted > 0 else law for law in laws]
    if len(laws) == 1:
        return [impulse(K, v, laws[0])]
    c = v.copy()
    c[2::3] -= [law.wanted for law in laws]
    found = contact_forces(K, c, [ContactPoint(law.friction, sticks=law.sticks) for law in laws])
    if any(law.sticks for law in laws) and (found is None or _drags(found)):
        found = contact_forces(K, c, [ContactPoint(law.friction) for law in laws])
    if found is None:
        return None
    return [Impulse(found.x[3 * k : 3 * k + 3], "stick" if w == "sticks" else "slip") for k, w in enumerate(found.does)]


def _drags(found: ContactForces) -> bool:
    """Whether a point is held along its plane without being pushed."""
    along = np.maximum(np.abs(found.x[0::3]), np.abs(found.x[1::3]))
    return bool(np.any((found.x[2::3] <= LOADED * found.x.max()) & (along > LOADED * found.x.max())))


def _gain(K: Array, v: Array, found: Sequence[Impulse]) -> float:
    """Kinetic energy that impulses add, beyond rounding."""
    J = np.concatenate([x.J for x in found])
    return float(J @ (v + K @ J / 2)) - HIGHEST_GAIN * float(np.abs(J).max() * np.abs(v).max())
