"""Angular momentum about the mass centre of spacecraft and vehicles of the gallery: it changes by the integral of outside
torque, worked out here from forces and the places they act at, and jumps by the moment of impulses."""

from itertools import pairwise

import numpy as np
import pytest
from gallery.test_gallery import VARIANTS
from runs import gallery_run
from scipy.interpolate import make_interp_spline

from kaneflex.gallery import examples, magnetic_damper, rocket_ascent, spinning_spacecraft

#: Nothing acts from outside, or uniform gravity alone; the audit must say so, and what leaves is counted in.
ALONE = (
    "capturing-arm", "dual-spin", "flexible-slew", "flywheel-storage", "free-beam", "refuelling", "spinning-spacecraft",
    "tilt-rotor", "torque-free-body",
)  # fmt: skip
#: Systems whose own checks have the balance, exact: a store that is no body
BY_THEMSELVES = ("space-station",)


def moment(run, places, forces):
    """Torque of forces (inertial axes) at places, about the mass centre."""
    centre = run["mass_centre.position"]
    return sum(np.cross(np.asarray(r) - centre, f) for r, f in zip(places, forces, strict=True))


def thrust_of_the_rocket(run, p):
    return moment(run, [run["nozzle.position"]], [p["thrust"] * run["nozzle.rotation"][:, :, 0]])


def thrust_of_the_tractor(run, p):
    return moment(run, [run["spacecraft.position"]], [run["engine.thrust"][:, None] * np.array([1.0, 0.0, 0.0])])


def thrust_of_the_spinning(run, p):
    R = run["bus.rotation"]
    at = run["bus.position"] + np.einsum("nij,j->ni", R, spinning_spacecraft.NOZZLE)
    return moment(run, [at], [spinning_spacecraft.CASES["B"][0] * R[:, :, 2]])


def feet(run, p):
    closed = [foot for foot in ("left", "right") if foot in run.plan.index.constraints]
    places, forces = [run[f"lander.{foot}.position"] for foot in closed], [run.loads(foot).force for foot in closed]
    return moment(run, places, forces) + np.zeros((len(run.t), 3))


def field_and_gravity(run, p):
    """m x B on the ball, and 3 n^2 u x I u, u along the vertical."""
    orbit, n = magnetic_damper.orbit(p), magnetic_damper.orbit(p).rate
    up = np.column_stack([np.cos(n * run.t), 0 * run.t, np.sin(n * run.t)])
    size = magnetic_damper.Dipole().strength * (magnetic_damper.EARTH / orbit.semi_major_axis) ** 3
    B = size * (np.array([0.0, 0.0, 1.0]) - 3 * up * up[:, 2:])
    magnet = p["magnet"] * run["damper_ball.rotation"][:, :, 0]
    return np.cross(magnet, B) + 3 * n**2 * np.cross(up, np.einsum("nij,nj->ni", run["mass_centre.inertia"], up))


#: The outside torque; what is left of the balance, by the samples being apart, of the largest momentum; the first sample:
#: the ball of the damper swings to and fro about the field at first, faster than samples tell.
ACTED_ON = {
    "flexible-rocket": (thrust_of_the_rocket, 1e-5, 0),
    "gravity-tractor": (thrust_of_the_tractor, 1e-4, 0),
    "lander": (feet, 1e-8, 0),
    "tipping-lander": (feet, 1e-8, 0),
    "magnetic-damper": (field_and_gravity, 1e-7, 40),
}
THRUST = {"case": "B"}  # of the spinning spacecraft, which nothing acts on else


def unexplained(run, p, torque, first=0):
    """Largest change of the momentum that the torque does not explain, of the largest momentum."""
    size = left = 0.0
    segments = [*run.segments, run.last] if run.segments else [run]
    for part in segments:
        every = np.flatnonzero(np.concatenate([[True], np.diff(part.t) > 1e-9]))[first:]
        t, H = part.t[every], part["momentum.central"][every]
        size = max(size, float(np.abs(H).max()))
        if len(t) > 8:
            given = make_interp_spline(t, torque(part, p)[every], 7).antiderivative()(t)
            left = max(left, float(np.abs(H - H[0] - given + given[0]).max()))
    for before, after in pairwise(segments):
        pushes = dict(before.impacts[-1].impulses)
        # a foot that is pinned, or was closed and stays so: it pushes with what else the linear momentum jumps by
        held = set(after.plan.index.constraints) - set(pushes)
        rest = after["momentum.linear"][0] - before["momentum.linear"][-1] - sum(np.asarray(P) for P in pushes.values())
        pushes |= dict.fromkeys(held, rest)
        assert len(held) <= 1
        jump, centre = after["momentum.central"][0] - before["momentum.central"][-1], before["mass_centre.position"][-1]
        given = sum(np.cross(before[f"lander.{foot}.position"][-1] - centre, P) for foot, P in pushes.items())
        left = max(left, float(np.abs(jump - given).max()))
    return left / size


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
    torque, limit, first = ACTED_ON[name]
    run, p = gallery_run(name, changes)
    found = unexplained(run, p, torque, first)
    assert found < limit
    assert unexplained(run, p, lambda part, p: 1.01 * torque(part, p), first) > 10 * limit  # another torque is noticed


PUSHED = [changes for name, changes in VARIANTS if name == "spinning-spacecraft" and THRUST.items() <= changes.items()]


@pytest.mark.parametrize("changes", PUSHED)
@pytest.mark.thorough
def test_momentum_of_the_spinning_spacecraft_under_thrust(changes):
    run, p = gallery_run("spinning-spacecraft", changes)
    assert unexplained(run, p, thrust_of_the_spinning) < 1e-9
    assert unexplained(run, p, lambda part, p: 1.01 * thrust_of_the_spinning(part, p)) > 1e-5


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


def on_canopies(run, p, area):
    """Momentum of the air that the canopies carry along about the payload, which has all mass, and what changes it."""
    c, H, torque = run["payload.position"], 0.0, 0.0
    for name, side in (("left", -1.0), ("right", 1.0)):
        a, n = (run[f"{name}.rotation"][:, :, k] for k in (2, 0))
        r, v = run[f"{name}.canopy.position"] - c, run[f"{name}.canopy.velocity"]
        along, across = np.sum(v * a, axis=1), np.sum(v * n, axis=1)
        carried = p["air"] * (along[:, None] * a + p["across"] * across[:, None] * n)
        Q = p["density"] * area * (along**2 + across**2) / 2
        angle = np.arctan(-across / along) - side * np.radians(p["trim"])
        force = (Q * p["axial"])[:, None] * a - (Q * (p["slope"] * angle + p["cubic"] * angle**3))[:, None] * n
        H, torque = H + np.cross(r, carried), torque + np.cross(r, force) - np.cross(run["payload.velocity"], carried)
    return H, torque


@runs_of(["two-parachutes"])
def test_momentum_of_the_parachutes(name, changes):
    run, p = gallery_run(name, changes)
    assert about(run, *on_canopies(run, p, p["area"])) < 1e-7
    assert about(run, *on_canopies(run, p, 1.01 * p["area"])) > 1e-5


def test_no_vehicle_is_left_out():
    """Spacecraft, rockets, landers and rotorcraft, each with its balance here or among its checks."""
    judged = {*ALONE, *ACTED_ON, *BY_THEMSELVES, "rocket-ascent", "two-parachutes"}
    vehicles = {n for n, e in examples().items() if "Roithmayr" in e.document or e.chapter == "chapter 12"}
    assert len(vehicles) >= 11 and vehicles <= judged, vehicles - judged
