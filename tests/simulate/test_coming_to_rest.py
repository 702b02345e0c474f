"""Bodies that bounce, on planes of all kinds: no point of theirs gets below its plane, and no impact adds energy."""

import numpy as np
import pytest

import kaneflex as kf

G = 9.81
FLOORS = ("ground", "slope", "lift", "swing", "spring")


def floor(s: kf.System, kind: str, rng: np.random.Generator) -> str:
    """Add a floor and return the frame of its plane."""
    tilt = (("y", float(rng.uniform(-0.4, 0.4))), ("x", float(rng.uniform(-0.3, 0.3))))
    face = {"up": kf.Frame((0, 0, 0), tilt)}
    if kind == "ground":
        return "N"
    if kind == "slope":
        s.add("floor", kf.Rigid(0.0, frames=face))
    elif kind == "lift":
        shake = kf.profiles.cosine(0.05, float(rng.uniform(2, 9)), 0.0)
        s.add("floor", kf.Rigid(1.0, frames=face), kf.Prismatic("z", motion=shake), at=(0, 0, -0.05))
    elif kind == "swing":
        swing = kf.profiles.cosine(0.2, float(rng.uniform(1, 4)), 0.0)
        s.add("floor", kf.Rigid(1.0, inertia=(1, 1, 1), frames={"up": (0, 0, 0.1)}), kf.Revolute("y", motion=swing))
    else:
        s.add("floor", kf.Rigid(5.0, inertia=(2, 2, 2), frames={"up": (0, 0, 0.1)}), kf.Prismatic("z"), at=(0, 0, -0.2))
        s.apply("spring", kf.JointSpring("floor", 2000.0, damping=20.0))
    return "floor.up"


def thrown(seed: int, kind: str) -> tuple[kf.System, str]:
    """A body of any shape, spin, restitution and friction with one to four feet, and the frame of the plane it falls on."""
    rng = np.random.default_rng(seed)
    s = kf.System("thrown", gravity=(0, 0, -G))
    on = floor(s, kind, rng)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    J = Q @ np.diag(rng.uniform(0.1, 0.19, 3)) @ Q.T
    feet = {f"foot{k}": tuple(rng.uniform(-0.5, 0.5, 3)) for k in range(rng.choice([1, 1, 2, 4]))}
    q, spin = rng.normal(size=4), rng.choice([0.3, 2, 5]) * rng.normal(size=3)
    body = kf.Rigid(1.0, inertia=(J + J.T) / 2, frames=feet)
    s.add("body", body, kf.Free(), q=(0, 0, 1.3, *(q / np.linalg.norm(q))), rates=(*rng.normal(size=3), *spin))
    law = {"restitution": rng.choice([0.0, 0.2, 0.5]), "friction": rng.choice([0.0, 0.2, 0.5, 0.9])}
    for foot in feet:
        s.contact(foot, kf.Contact(f"body.{foot}", on=on, after="bounce", **law))
    return s, on


def check(seed: int, kind: str) -> bool:
    """Simulate, check, and say whether something came to rest on the plane."""
    s, on = thrown(seed, kind)
    run = s.simulate(1.2, output=0.002)
    assert run.status == "done"
    n, origin = np.array([0.0, 0, 1]), np.zeros(3)
    if on != "N":
        n, origin = run[f"{on}.rotation"][:, :, 2], run[f"{on}.position"]
    for foot in s.contacts:
        gap = np.sum(n * (run[f"body.{foot}.position"] - origin), axis=1)
        assert gap.min() > -1e-8
    if kind not in ("lift", "swing"):  # where a motion is prescribed that does work
        assert all(hit.energy[1] <= hit.energy[0] + 1e-10 for hit in run.impacts)
    assert run.audit.ok and run.audit.penetration < 1e-8
    return bool(run.segments)


@pytest.mark.parametrize("kind", FLOORS)
def test_no_point_sinks_and_no_impact_adds_energy(kind):
    assert sum(check(seed, kind) for seed in range(4)) >= 1


@pytest.mark.thorough
@pytest.mark.parametrize("kind", FLOORS)
def test_no_point_of_many_sinks(kind):
    assert sum(check(seed, kind) for seed in range(4, 44)) >= 10


def test_a_turning_body_comes_to_rest_on_its_foot():
    """Its bounces accumulate; from then on it slides and rests on its foot, and goes on turning."""
    s = kf.System("turning", gravity=(0, 0, -10.0))
    body = kf.Rigid(1.0, inertia=(0.1, 0.12, 0.15), frames={"foot": (0.1, 0.05, -0.2)})
    s.add("body", body, kf.Free(), q=(0, 0, 0.6, 1, 0, 0, 0), rates=(0.3, -0.2, 0, 0.5, -0.4, 0.3))
    s.contact("floor", kf.Contact("body.foot", restitution=0.5, friction=0.4, after="bounce"))
    run = s.simulate(1.5, output=0.01)
    flights = np.diff([hit.t for hit in run.impacts])
    assert flights[-4:] / flights[-5:-1] == pytest.approx(np.full(4, 0.5), abs=0.02)
    assert run["body.foot.position"][:, 2].min() > -1e-10 and run["body.foot.position"][run.t > 0.82, 2].max() < 1e-9
    assert [word for _, word in run.events[-3:]] == ["floor stops", "floor slips", "floor stops"]
    assert np.ptp(run["body.position"][-30:, 2]) > 1e-2 and run.audit.ok
