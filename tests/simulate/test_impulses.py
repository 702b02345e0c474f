"""The law of impact, for any mass matrix: restitution, the friction cone, and friction against the slip of every moment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from sweeps import sweep

from kaneflex.simulate.contact.impact_law import ImpactLaw, Impulse, impulse, impulses

SEEDS = st.integers(0, 2**32 - 1)


def some_impact(seed: int, planar: bool = False) -> tuple[np.ndarray, np.ndarray, float, float]:
    """K, v, e and mu: any mobility, even a nearly singular one; any slip, also none."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-1.5, 0, 3)
    K = A @ A.T * 10.0 ** rng.uniform(-2, 2)
    v = rng.normal(size=3) * 10.0 ** rng.uniform(-2, 2)
    v[:2] *= rng.choice([0.0, 1e-3, 1.0, 30.0])
    v[2] = -abs(v[2])
    if planar:
        K[1, :] = K[:, 1] = 0.0
        v[1] = 0.0
    return K, v, rng.uniform(0, 1), 10.0 ** rng.uniform(-2, 1)


def by_smooth_friction(K, v, wanted, mu) -> np.ndarray:
    """The impulse when friction opposes the slip of every moment, smoothed where slip is below 1e-7 of the speed."""
    tiny = 1e-7 * np.linalg.norm(v)

    def direction(J):
        slip = (v + K @ J)[:2]
        return np.array([*(-mu * slip / np.sqrt(slip @ slip + tiny**2)), 1.0])

    def reached(x, J):
        return (v + K @ J)[2] - wanted

    reached.terminal, reached.direction = True, 1
    path = solve_ivp(
        lambda x, J: direction(J),
        (0, 1e6 * np.linalg.norm(v) / K[2, 2]),
        np.zeros(3),
        "Radau",
        None,
        False,
        reached,
        rtol=1e-7,
    )
    return path.y[:, -1]


def check(K, v, e, mu, found: Impulse) -> None:
    J, after, size = found.J, v + K @ found.J, np.linalg.norm(v)
    s = v[:2] / max(np.linalg.norm(v[:2]), 1e-300)
    friction = np.linalg.norm(J[:2])
    rounding = np.finfo(float).eps * np.linalg.norm(K) * np.linalg.norm(J)  # of K J, where K is nearly singular
    assert J[2] > 0 and after[2] == pytest.approx(-e * v[2], abs=1e-9 * size + rounding)
    assert friction <= mu * J[2] * (1 + 1e-9)
    if found.kind == "stick":
        assert np.abs(after[:2]).max() <= 1e-9 * size + rounding
    elif found.kind == "slip":
        assert J[:2] == pytest.approx(-mu * J[2] * s, rel=1e-12) and after[:2] @ s > 0
    else:
        assert found.kind == "turn"


@sweep(300)
@given(SEEDS)
def test_any_impact_obeys_newton_and_coulomb(seed):
    K, v, e, mu = some_impact(seed)
    check(K, v, e, mu, impulse(K, v, ImpactLaw(-e * v[2], mu)))


@sweep(200)
@given(SEEDS)
def test_in_a_plane_slip_stops_and_reverses_or_not(seed):
    """In a plane the phases of an impact that does not stick are closed forms: slip until it stops, then stick or back."""
    K, v, e, mu = some_impact(seed, planar=True)
    found = impulse(K, v, ImpactLaw(-e * v[2], mu))
    check(K, v, e, mu, found)
    if found.kind == "stick":
        return
    sign = np.sign(v[0])
    J = np.zeros(3)
    if sign:
        d = np.array([-sign * mu, 0, 1])
        brake, gain = sign * (K @ d)[0], (K @ d)[2]
        stop = -sign * v[0] / brake if brake < 0 else np.inf
        end = -(1 + e) * v[2] / gain if gain > 0 else np.inf
        J = min(stop, end) * d
    now = v + K @ J
    if now[2] < -e * v[2] - 1e-12 * abs(v[2]):
        hold = -K[0, 2] / K[0, 0]
        d = np.array([np.clip(hold, -mu, mu), 0, 1])
        J = J + (-e * v[2] - now[2]) / (K @ d)[2] * d
    assert pytest.approx(J, abs=1e-8 * np.abs(J).max()) == found.J


def test_friction_follows_the_slip_that_turns():
    turns = 0
    for seed in range(150):
        K, v, e, mu = some_impact(seed)
        found = impulse(K, v, ImpactLaw(-e * v[2], mu))
        if found.kind == "turn" and np.linalg.cond(K) < 1e4:
            turns += 1
            exact = by_smooth_friction(K, v, -e * v[2], mu)
            assert pytest.approx(exact, abs=5e-3 * np.abs(found.J).max()) == found.J, seed
    assert turns > 20


def feet(seed: int, m: int, flat: bool) -> tuple[np.ndarray, np.ndarray, float, float]:
    """K and v of feet of one free body of any shape, all coming down on the ground, e and mu."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(m, 3))
    places[:, 2] = -0.5 if flat else places[:, 2]
    A = rng.normal(size=(3, 3))
    inertia = np.linalg.inv(A @ A.T + 0.3 * np.eye(3))
    moments = [np.cross(np.eye(3), r) for r in places]  # row k: e_k x r
    K = np.block([[np.eye(3) + a @ inertia @ b.T for b in moments] for a in moments])
    spin, v0 = 0.3 * rng.normal(size=3), np.array([*rng.normal(size=2), -3.0])
    return K, np.concatenate([v0 + np.cross(spin, r) for r in places]), rng.uniform(0, 1), rng.choice([0.0, 0.2, 0.6])


@pytest.mark.parametrize(("m", "common"), [(2, 10), (3, 10), (4, 10), (6, 10), (9, 8)])
def test_points_struck_together_obey_their_laws_together(m, common):
    """Each has its restitution or is left faster, keeps to its cone, and slips against friction or not at all. Where that
    would raise the energy, all restitutions are lower, and the energy stays. `common` of ten have common impulses."""
    solved = 0
    for seed in range(10):
        K, v, e, mu = feet(seed, m, seed % 2 == 0)
        found = impulses(K, v, [ImpactLaw(e * max(0.0, -x), mu) for x in v[2::3]])
        if found is None:  # the points collide one after another
            continue
        solved += 1
        J = np.concatenate([x.J for x in found]).reshape(-1, 3)
        after = (v + K @ J.ravel()).reshape(-1, 3)
        gain, size = J.ravel() @ (v + after.ravel()) / 2, np.abs(J).max() * np.abs(v).max()
        wanted = e * np.maximum(0.0, -v[2::3])
        if gain > -1e-9 * size and mu > 0:
            share = min(a / w for a, w, P in zip(after[:, 2], wanted, J[:, 2], strict=True) if P > 1e-9)
            wanted = share * wanted
        assert gain <= 1e-12 * size
        for P, w, a in zip(J, wanted, after, strict=True):
            assert P[2] >= -1e-9 and np.hypot(*P[:2]) <= mu * P[2] + 1e-8
            assert a[2] >= w - 1e-7 and (P[2] < 1e-8 or a[2] == pytest.approx(w, abs=1e-7))
            slip = np.hypot(*a[:2])
            assert slip < 1e-7 or P[:2] == pytest.approx(-mu * P[2] * a[:2] / slip, abs=1e-6)
    assert solved >= common


def test_energy_does_not_rise_by_friction_and_restitution():
    """Of one point: Newton's restitution where that loses energy, else what keeps it."""
    kept = 0
    for seed in (*range(15), 125, 168, 288, 367, 431, 543):
        K, v, e, mu = some_impact(seed)
        (found,) = impulses(K, v, [ImpactLaw(-e * v[2], mu)])
        after = v + K @ found.J
        gain, size = found.J @ (v + after) / 2, np.abs(found.J).max() * np.abs(v).max()
        raised = impulse(K, v, ImpactLaw(-e * v[2], mu)).J
        raised = raised @ (v + K @ raised / 2) > 1e-9 * size
        kept += raised
        assert gain <= 1e-12 * size and -1e-9 * abs(v[2]) <= after[2] <= -e * v[2] * (1 + 1e-9) + 1e-12
        assert raised or after[2] == pytest.approx(-e * v[2], abs=1e-9 * np.linalg.norm(v))
    assert kept == 6


def test_a_locked_point_stays():
    """K of one freedom along (1, 0, 1): an impulse that friction with mu = 2 lets through cannot lift the point off."""
    a = np.array([1.0, 0, 1.0])
    found = impulse(np.outer(a, a), -a, ImpactLaw(0.5, 2.0))
    assert found.kind == "jam" and -a + a * (a @ found.J) == pytest.approx(np.zeros(3), abs=1e-12)
    assert pytest.approx((2 / 3, 0, 1 / 3), abs=1e-12) == found.J
