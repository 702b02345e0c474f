"""Rigid bodies on more feet than they need: their motion is determined, the shares of their feet are not."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kaneflex as kf

G, M, MU = 9.81, 2.0, 0.3
SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))
FEET = {
    "three": ((-1, -1), (1, -1), (0, 1.2)),
    "four": SQUARE,
    "five": (*SQUARE, (0, 0)),
    "six": (*SQUARE, (0, -1), (0, 1)),
    "nine": tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)),
    "uneven four": ((-1, -0.7), (1.2, -0.9), (0.8, 1.1), (-0.6, 1)),
    "uneven six": ((-0.9, 0.2), (1.1, -0.6), (0.3, 1.0), (-0.2, -1.1), (0.9, 0.8), (-0.7, -0.7)),
}


def box(feet, height=0.5, mu=MU, slope=0.0, above=0.0, rates=(0.0,) * 6, com=(0, 0, 0), **law) -> kf.System:
    """A box of 2 kg with feet at `height` below its origin, on a plane that falls along x."""
    frames = {f"foot{k}": (x, y, -height) for k, (x, y) in enumerate(feet)}
    s = kf.System("box", gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    body = kf.Rigid(M, com=com, inertia=(0.5, 0.6, 0.7), frames=frames)
    s.add("box", body, kf.Free(), q=(0, 0, height + above, 1, 0, 0, 0), rates=rates)
    for foot in frames:
        s.contact(foot, kf.Contact(f"box.{foot}", friction=mu, **law))
    return s


def shares(run: kf.Run) -> np.ndarray:
    """Forces on the feet that are held at the end, N."""
    return np.array([run.last.loads(name).force[-1] for name in run.model.contacts if name in run.model.constraints])


@pytest.mark.parametrize("com", [(0, 0, 0), (0.25, -0.3, 0.1)], ids=["in the middle", "near a corner"])
@pytest.mark.parametrize("feet", FEET)
def test_a_box_slides_to_a_stop(feet, com):
    """It decelerates at mu g and comes to rest after v^2/(2 mu g), wherever its feet and its mass centre are."""
    v = np.array([1.0, 0.3])
    run = box(FEET[feet], com=com, rates=(*v, 0, 0, 0, 0)).simulate(0.6)
    speed = float(np.hypot(*v))
    t, word = run.events[-1]
    assert word.endswith("stops") and t == pytest.approx(speed / (MU * G), abs=1e-6)
    assert run["box.position"][-1] == pytest.approx((*(speed * v / (2 * MU * G)), 0.5), abs=1e-7)
    assert run["box.omega"] == pytest.approx(0, abs=1e-6) and run.audit.ok and run.audit.penetration < 1e-9
    assert shares(run)[:, 2].min() >= -1e-9 and shares(run).sum(axis=0) == pytest.approx((0, 0, M * G), abs=1e-6)


@pytest.mark.parametrize("feet", FEET)
def test_a_box_stays_at_rest(feet):
    run = box(FEET[feet]).simulate(2.0)
    assert np.ptp(run["box.position"], axis=0) == pytest.approx((0, 0, 0), abs=1e-12) and len(run.segments) == 1
    assert shares(run)[:, 2].min() > 0 and shares(run).sum(axis=0) == pytest.approx((0, 0, M * G), abs=1e-9)


@pytest.mark.parametrize("beyond", [-0.1, -1e-4, 1e-4, 0.1])
@pytest.mark.parametrize("feet", ["four", "nine", "uneven four"])
def test_a_box_slides_down_a_slope_that_is_too_steep(feet, beyond):
    """Shares of least norm would let the upper feet slip sooner; together they hold until tan(slope) = mu."""
    slope = math.atan(MU) + beyond
    run = box(FEET[feet], height=0.3, slope=slope).simulate(0.5)
    gain = max(0.0, G * (math.sin(slope) - MU * math.cos(slope)))
    assert run["box.position"][-1] == pytest.approx((gain * 0.5**2 / 2, 0, 0.3), abs=1e-8) and run.audit.ok


@pytest.mark.parametrize("feet", ["four", pytest.param("nine", marks=pytest.mark.thorough)])
def test_a_box_slips_when_the_push_exceeds_friction(feet):
    """A push of k t at the height of the feet: from t0 = mu m g/k on, m x'' = k (t - t0)."""
    s = box(FEET[feet], height=0.3)
    for name, foot in (("left", 0), ("right", 3 if feet == "four" else 2)):
        s.apply(name, kf.Force(f"box.foot{foot}", lambda t: (6.0 * t, 0.0, 0.0)))
    run = s.simulate(1.0)
    t0 = MU * M * G / 12
    slips = [t for t, word in run.events if word.endswith("slips")]
    assert slips and slips[0] == pytest.approx(t0, abs=1e-6)
    assert run["box.position"][-1, 0] == pytest.approx(12 / M * (1 - t0) ** 3 / 6, abs=1e-6) and run.audit.ok


def test_a_spinning_box_stops():
    """Four feet at the distance r: the friction of all has the moment mu m g r."""
    spin, r = 2.0, math.sqrt(2)
    run = box(SQUARE, rates=(0, 0, 0, 0, 0, spin)).simulate(0.3)
    rate = MU * M * G * r / 0.7
    assert run.events[-1][0] == pytest.approx(spin / rate, abs=1e-6) and run.events[-1][1].endswith("stops")
    angle = 2 * np.arctan2(run["box.q"][-1, 6], run["box.q"][-1, 3])
    assert angle == pytest.approx(spin**2 / (2 * rate), abs=1e-6)
    assert run["box.position"][-1] == pytest.approx((0, 0, 0.5), abs=1e-9)


def test_a_box_that_slides_and_spins_stops_both_at_once():
    """Against its equations with four feet of equal load, which symmetry and a low mass centre give."""
    v, spin = np.array([0.6, 0.2]), 1.5

    def rate(t, y):
        c, s = np.cos(y[2]), np.sin(y[2])
        force, moment = np.zeros(2), 0.0
        for x in SQUARE:
            r = np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])
            slip = y[3:5] + y[5] * np.array([-r[1], r[0]])
            f = -MU * M * G / 4 * slip / np.hypot(*slip)
            force, moment = force + f, moment + r[0] * f[1] - r[1] * f[0]
        return [*y[3:], *(force / M), moment / 0.7]

    run = box(SQUARE, height=1e-6, rates=(*v, 0, 0, 0, spin)).simulate(0.25)
    exact = solve_ivp(rate, (0, 0.25), [0, 0, 0, *v, spin], rtol=1e-10, atol=1e-12).y[:, -1]
    assert run["box.position"][-1, :2] == pytest.approx(exact[:2], abs=1e-6)
    assert run["box.velocity"][-1, :2] == pytest.approx(exact[3:5], abs=1e-5)
    assert run["box.omega"][-1, 2] == pytest.approx(exact[5], abs=1e-5)


@pytest.mark.parametrize("law", [{}, {"restitution": 0.4}, {"restitution": 0.4, "after": "bounce"}], ids=str)
@pytest.mark.parametrize("feet", ["four", "nine", "uneven six"])
def test_a_box_dropped_flat_lands_flat(feet, law):
    """All feet strike at once and friction takes mu of all normal impulses."""
    v, h = 1.5, 0.2
    run = box(FEET[feet], above=h, rates=(v, 0, 0, 0, 0, 0), **law).simulate(1.2)
    fall = math.sqrt(2 * h / G)
    hit = run.impacts[0]
    e = law.get("restitution", 0.0)
    assert len(hit.impulses) == len(FEET[feet]) and hit.t == pytest.approx(fall, abs=1e-9)
    assert hit.impulse == pytest.approx((-MU * M * G * fall * (1 + e), 0, M * G * fall * (1 + e)), abs=1e-7)
    assert min(P[2] for _, P in hit.impulses) >= -1e-12
    assert all(i.energy[1] <= i.energy[0] + 1e-12 for i in run.impacts)
    assert run["box.position"][-1, 2] == pytest.approx(0.5, abs=1e-9) and np.abs(run["box.omega"]).max() < 1e-6
    assert run["box.velocity"][-1] == pytest.approx((0, 0, 0), abs=1e-9)
    if not law:
        left = v - MU * G * fall
        assert run["box.position"][-1, 0] == pytest.approx(v * fall + left**2 / (2 * MU * G), abs=1e-7)


def test_a_box_tips_over_its_front_feet():
    """On a slope with tan > b/h that is rough enough: it turns about its lower feet as a pendulum upside down."""
    b, h, slope = 0.3, 1.0, 0.4
    feet = [(b * x, b * y) for x, y in SQUARE]
    run = box(feet, height=h, mu=0.9, slope=slope).simulate(0.5)
    assert set(run.model.constraints) == {"foot1", "foot2"} and run["box.foot0.position"][-1, 2] > 1e-2
    assert np.ptp(run["box.foot1.position"], axis=0) == pytest.approx((0, 0, 0), abs=1e-9)
    inertia, arm, lean = 0.6 + M * (b * b + h * h), math.hypot(b, h), slope - math.atan2(b, h)

    def rate(t, y):
        return [y[1], M * G * arm * math.sin(y[0]) / inertia]

    exact = solve_ivp(rate, (0, 0.5), [lean, 0], rtol=1e-11, atol=1e-13).y[:, -1]
    assert run["box.omega"][-1, 1] == pytest.approx(exact[1], abs=1e-7)
    assert run.audit.ok and run.audit.penetration < 1e-9


@pytest.mark.parametrize(("seed", "law"), [(0, {}), (1, {"restitution": 0.3}), (2, {"restitution": 0.5, "after": "bounce"})])
def test_a_box_thrown_comes_to_rest_on_its_feet(seed, law):
    rng = np.random.default_rng(seed)
    s = box(SQUARE, mu=0.4, **law)
    turn = np.array([1, 0, 0, 0]) + 0.1 * rng.normal(size=4)
    start = (0, 0, 1.2, *(turn / np.linalg.norm(turn)))
    run = s.simulate(1.5, initial={"box.q": start, "box.rate": (*(0.5 * rng.normal(size=2)), 0, 0.3, -0.4, 0.5)})
    assert run["box.position"][-1, 2] == pytest.approx(0.5, abs=1e-9) and np.abs(run["box.rate"][-1]).max() < 1e-9
    assert run.audit.ok and run.audit.penetration < 1e-8
    assert all(i.energy[1] <= i.energy[0] + 1e-9 for i in run.impacts)
    assert shares(run).sum(axis=0) == pytest.approx((0, 0, M * G), abs=1e-6)


def pitched_lander(speed: float, **law) -> kf.System:
    """A lander in the plane, pitched up by 5 degrees, its left foot 0.05 m above the ground, which falls at 1 m/s there."""
    b, h, g, angle = 2.5, 3.0, 1.62, math.radians(5.0)
    s = kf.System("lander", gravity=(0, -g, 0))
    s.add("ground", kf.Rigid(0.0, frames={"soil": kf.Frame((0, 0, 0), (("x", -math.pi / 2),))}))
    body = kf.Rigid(5000.0, inertia=9000.0, frames={"left": (-b, -h, 0), "right": (b, -h, 0)})
    height = b * math.sin(angle) + h * math.cos(angle) + 0.05
    s.add("lander", body, kf.Planar("z"), q=(0, height, angle), rates=(speed, -math.sqrt(1 - 2 * g * 0.05), 0))
    for foot in ("left", "right"):
        s.contact(foot, kf.Contact(f"lander.{foot}", on="ground.soil", **law))
    return s


@pytest.mark.parametrize("after", ["stick", "slide"])
def test_a_foot_that_stops_and_cannot_be_held(after):
    """The second impact stops the right foot. Held there, the ground would pull it (the lander turns about it too fast);
    free, it would go down: so it slides, and the ground pushes by what keeps it from sinking."""
    mu = 10.0
    run = pitched_lander(5.0, friction=mu, after=after).simulate(0.6, method="dop853", rtol=1e-10, atol=1e-11)
    first, second = run.impacts
    assert first.name == "left" and second.name == "right"
    before, after_it = run.segments[1], run.segments[2]
    x, y, w = after_it["lander.rate"][0]
    assert (x + 3.0 * w, y + 2.5 * w) == pytest.approx((0, 0), abs=1e-10)
    about = lambda u: 9000.0 * u[2] + 5000.0 * (-2.5 * u[1] - 3.0 * u[0])  # of the right foot
    assert about(after_it["lander.rate"][0]) == pytest.approx(about(before["lander.rate"][-1]), rel=1e-10)
    K_tt, K_nn, K_tn = 1 / 5000 + 9 / 9000, 1 / 5000 + 2.5**2 / 9000, 3.0 * 2.5 / 9000
    sink = -1.62 + 3.0 * w**2  # acceleration of the foot without the ground
    along = -2.5 * w**2
    held = np.linalg.solve([[K_tt, K_tn], [K_tn, K_nn]], [-along, -sink])
    assert held[1] < 0 and sink < 0
    rubs = mu if after == "slide" else 0.0
    push = -sink / (K_nn + rubs * K_tn)
    assert after_it.loads("right").force[0][1] == pytest.approx(push, rel=1e-6)
    assert run.audit.ok and run.audit.penetration < 1e-9


@pytest.mark.parametrize("law", [{"mu": 0.0}, {"mu": MU}, {"mu": MU, "after": "stick"}], ids=["smooth", "rough", "pinned"])
@pytest.mark.parametrize("feet", ["three", "four", "uneven six"])
def test_a_box_is_lifted_off_all_of_its_feet_in_one_instant(feet, law):
    """By a pull k t at the mass centre, above the middle of the feet: let go at t0 = M g/k, then M z'' = k (t - t0)."""
    k, (x, y) = 40.0, np.mean(FEET[feet], axis=0)
    s = box([(a - x, b - y) for a, b in FEET[feet]], **law)
    s.apply("pull", kf.Force("box", lambda t: (0.0, 0.0, 40.0 * t), axes="inertial"))
    run = s.simulate(1.0, rtol=1e-9, atol=1e-11)
    t0, lost = M * G / k, [(t, word) for t, word in run.events if word.endswith("lets go")]
    assert [t for t, _ in lost] == pytest.approx([t0] * len(lost), abs=1e-9) and len(run.last.plan.index.constraints) == 0
    assert {word for _, word in lost} == {f"foot{n} lets go" for n in range(len(lost))} and len(lost) >= 3
    assert run["box.position"][-1] == pytest.approx((0, 0, 0.5 + k * (1 - t0) ** 3 / (6 * M)), abs=1e-9)
    assert run["box.omega"] == pytest.approx(0, abs=1e-9) and run.audit.ok
