"""Angular momentum about the mass centre of spacecraft and vehicles of the gallery, in every run: it changes by the integral
of outside torque, and jumps by the moment of impulses."""

import numpy as np
import pytest
from gallery.momentum import balance, recorded
from gallery.test_gallery import VARIANTS
from runs import gallery_run
from scipy.interpolate import make_interp_spline

from kaneflex.gallery import examples, rocket_ascent

#: Nothing acts from outside, or uniform gravity alone; the audit must say so, and what leaves is counted in.
ALONE = (
    "capturing-arm", "dual-spin", "flexible-slew", "flywheel-storage", "free-beam", "refuelling", "spinning-spacecraft",
    "tilt-rotor", "torque-free-body",
)  # fmt: skip
#: Something acts from outside: what the sums over the samples of the gallery's own runs may be off, of the momentum.
ACTED_ON = {
    "flexible-rocket": 1e-5, "gravity-tractor": 1e-5, "lander": 3e-5, "tipping-lander": 1e-9, "two-parachutes": 1e-7,
}  # fmt: skip
#: Judged by more samples than their runs have, with all runs of their checks
FINER = ("magnetic-damper", "space-station", "rocket-ascent")
#: The torque of a rocket steps where its tank runs empty, between two samples: these have to be close
SAMPLES = {"rocket-ascent": 4800}
THRUST = {"case": "B"}  # of the spinning spacecraft, which nothing acts on else


def runs_of(names, but=None):
    """Each system with its own parameters, and, in make thorough, with others, except where these contain `but`."""
    left = [(name, c) for name, c in VARIANTS if name in names and not (but and but.items() <= c.items())]
    others = [pytest.param(*one, marks=pytest.mark.thorough) for one in left]
    return pytest.mark.parametrize(("name", "changes"), [*((name, {}) for name in names), *others])


@runs_of(ALONE, but=THRUST)
def test_momentum_stays(name, changes):
    run, _ = gallery_run(name, changes)
    drift = run.audit.angular_momentum_drift
    assert drift is not None and drift <= run.audit.limit


@runs_of(ACTED_ON)
def test_momentum_is_the_integral_of_outside_torque(name, changes):
    run, _ = gallery_run(name, changes)
    found = balance(run)
    assert found.error < ACTED_ON[name] * found.size and found.unexplained < 1e-9
    assert balance(run, 1.01).unexplained > 100 * ACTED_ON[name]  # another torque is noticed


PUSHED = [changes for name, changes in VARIANTS if name == "spinning-spacecraft" and THRUST.items() <= changes.items()]


@pytest.mark.parametrize("changes", PUSHED)
@pytest.mark.thorough
def test_momentum_of_the_spinning_spacecraft_under_thrust(changes):
    run, _ = gallery_run("spinning-spacecraft", changes)
    found = balance(run)
    assert found.error < 1e-8 * found.size and found.unexplained < 1e-9
    assert balance(run, 1.01).unexplained > 1e-5


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted({*ALONE, *ACTED_ON, *FINER}))
def test_momentum_of_every_run(name):
    """Of the gallery's own run and of all that its checks make: the audit judges those that nothing acts on from outside."""
    example = examples()[name]
    p, noticed = example.settings({}), []

    def judge(run, steps):
        if (drift := run.audit.angular_momentum_drift) is not None:
            assert drift <= run.audit.limit
            return
        found = balance(run, steps=steps)
        assert found.error < 1e-3 * max(found.size, 1.0) and found.unexplained < 1e-8
        small = found.given < max(1e-3 * found.size, 1e3 * found.rounding)
        noticed.append(small or balance(run, 1.01, steps).unexplained > 1e-6)

    with recorded(judge, SAMPLES.get(name, 1200)):
        example.checks(example.simulate(example.build(p), p), p)
    assert all(noticed)


def about(run, H, torque):
    """Largest difference of the change of H and the integral of the torque, of the largest H."""
    t = run.t
    given = make_interp_spline(t, torque, 7).antiderivative()(t)
    return float(np.abs(H - H[0] - given + given[0]).max() / np.abs(H).max())


def in_flight(run, p, exhaust):
    """What the ascent's momentum about its mass centre c is, with the flow in it, and what changes it: with all momentum P,
    -(r - c) x (flow times velocity) of what leaves at r, and -c' x P."""
    n, l, rate = int(p["rods"]), p["length"] / p["rods"], rocket_ascent.flow(p)
    inner = {f"rod{k}": -l * rate * (2 * (n - k) - 1) / (2 * n) for k in range(n)}
    inner["nozzle"] = -2 * rocket_ascent.ARM * rate
    c, P, H = run["mass_centre.position"], run["momentum.linear"].copy(), run["momentum.central"].copy()
    for name, along in inner.items():
        flow = along * run[f"{name}.rotation"][:, :, 0]
        P += flow
        H += np.cross(run[f"{name}.position"] - c, flow)
    R, arm = run["nozzle.rotation"], -2 * rocket_ascent.ARM * run["nozzle.rotation"][:, :, 0]
    v = run["nozzle.velocity"] + np.cross(np.einsum("nij,nj->ni", R, run["nozzle.omega"]), arm) - exhaust * R[:, :, 0]
    taken = np.cross(run["nozzle.position"] + arm - c, rate * v)
    return H, -taken - np.cross(run["mass_centre.velocity"], P)


@runs_of(["rocket-ascent"])
def test_momentum_of_the_ascent(name, changes):
    """Nothing but what leaves turns the rocket; the audit says so too, of samples that follow its gimbal."""
    run, p = gallery_run(name, changes)
    assert about(run, *in_flight(run, p, p["exhaust"])) < 2e-5
    assert about(run, *in_flight(run, p, 1.01 * p["exhaust"])) > 1e-2
    assert run.audit.ok and run.audit.linear_momentum_drift < 1e-9 and run.audit.angular_momentum_drift < 1e-9


def test_no_vehicle_is_left_out():
    """Spacecraft, rockets, landers and rotorcraft."""
    judged = {*ALONE, *ACTED_ON, *FINER}
    vehicles = {n for n, e in examples().items() if "Roithmayr" in e.document or e.chapter == "chapter 12"}
    assert len(vehicles) >= 11 and vehicles <= judged, vehicles - judged
