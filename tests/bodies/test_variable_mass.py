"""Bodies of variable mass against closed forms, against moving particles, and against the balances of mechanics."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from rockets import AXIS, TIME, floating_tree, random_state, rocket
from scipy.integrate import quad

import kaneflex as kf
from kaneflex.results.outflow import departed

TIGHT = {"rtol": 1e-12, "atol": 1e-13}
M0, BURN, EXIT, G = 120.0, 1.7, 900.0, 9.81


def mass(t):
    return M0 - BURN * t


def stage(at=(0, 0, -1), radius=1.0, **changes):
    """A stage that burns evenly: its inertia stays in proportion to its mass, its mass centre where it is."""
    k = radius**2
    outlets = [kf.Outlet(at, velocity=(0, 0, -EXIT))]
    given = {"inertia": lambda t: (k * mass(t), k * mass(t), k * mass(t) / 2), "outlets": outlets}
    return kf.VariableMass(mass, **{**given, **changes})


# -- closed forms ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flow", [None, BURN], ids=["flow-from-mass", "flow-given"])
def test_tsiolkovsky(flow):
    s = kf.System("rocket")
    body = stage(outlets=[kf.Outlet((0, 0, -1), flow, (0, 0, -EXIT))])
    s.add("stage", body, kf.Free(), rates=(1.0, 2, 3, 0, 0, 0))
    run = s.simulate(40.0, **TIGHT)
    gained = EXIT * np.log(M0 / mass(run.t))
    assert np.abs(run["stage.velocity"] - np.column_stack([0 * gained + 1, 0 * gained + 2, 3 + gained])).max() < 1e-8
    assert run["stage.current_mass"] == pytest.approx(mass(run.t), rel=1e-15)
    assert run.audit.ok and run.audit.linear_momentum_drift < 1e-9 and run.audit.angular_momentum_drift < 1e-9


def test_vertical_ascent():
    """v = c ln(m0/m) - g t, and the height that is its integral."""
    s = kf.System("rocket", gravity=(0, 0, -G))
    s.add("stage", stage(), kf.Prismatic("z"))
    run = s.simulate(40.0, **TIGHT)
    t, left = run.t, mass(run.t) / M0
    assert np.abs(run["stage.rate"] - (-EXIT * np.log(left) - G * t)).max() < 1e-8
    height = EXIT * M0 / BURN * (left * np.log(left) + 1 - left) - G * t**2 / 2
    assert np.abs(run["stage.q"] - height).max() < 1e-8 * np.abs(height).max()
    assert run.audit.ok


def test_mass_from_a_profile():
    """Tsiolkovsky's formula knows only how much is left, whatever the course in between."""
    s = kf.System("rocket")
    outlet = kf.Outlet((0, 0, 0), velocity=(kf.profiles.hold(-70.0), 0, 0))
    s.add("stage", kf.VariableMass(kf.profiles.quintic(-30.0, 2.0, 1.0, 50.0), outlets=[outlet]), kf.Prismatic("x"))
    run = s.simulate(4.0, output=0.1, **TIGHT)
    assert run["stage.rate"] == pytest.approx(70 * np.log(50 / run["stage.current_mass"]), abs=1e-8)
    assert run["stage.current_mass"][-1] == pytest.approx(20.0, rel=1e-14)
    in_symbols = s.simulate(4.0, equations=s.equations(), output=0.1, **TIGHT)
    assert in_symbols["stage.rate"] == pytest.approx(run["stage.rate"], abs=1e-9)


@pytest.mark.parametrize("ring", [0.0, 0.4, 1.2])
def test_spin_of_a_stage(ring):
    """C omega-dot + (C-dot + m_e rho^2) omega = 0 with C = m k^2: omega = omega_0 (m/m_0)^(rho^2/k^2 - 1)."""
    k2 = 0.5
    around = [(ring * np.cos(a), ring * np.sin(a), -1) for a in np.arange(3) * 2 * np.pi / 3]
    outlets = [kf.Outlet(p, BURN / 3, (0, 0, -EXIT)) for p in around]
    s = kf.System("spinning")
    s.add("stage", stage(outlets=outlets), kf.Free(), rates=(0, 0, 0, 0, 0, 2.0))
    run = s.simulate(40.0, **TIGHT)
    expected = 2.0 * (mass(run.t) / M0) ** (ring**2 / k2 - 1)
    assert np.abs(run["stage.omega"][:, 2] - expected).max() < 1e-8
    assert run.audit.ok and run.audit.angular_momentum_drift < 1e-9


@pytest.mark.parametrize("formulation", ["recursive", "dense", "embedded", "ruthless"])
@pytest.mark.parametrize("hinge", [0.0, 0.6])
def test_pitching_stage(hinge, formulation):
    """Jet damping about a fixed pivot at a distance d above the mass centre: J omega-dot + (J-dot + m_e r_e^2) omega = 0,
    J = m (k^2 + d^2) and r_e = l + d, the thrust having no arm: omega = omega_0 (m/m_0)^(r_e^2/(k^2 + d^2) - 1)."""
    k, arm = 1.0, 2.0
    s = kf.System("pitching")
    s.add("stage", stage((0, 0, -arm), k), kf.Revolute("y"), hinge=(0, 0, hinge), rates=0.3)
    run = s.simulate(40.0, formulation=formulation, **TIGHT)  # ruthless too: jet damping is no product of speeds
    expected = 0.3 * (mass(run.t) / M0) ** ((arm + hinge) ** 2 / (k**2 + hinge**2) - 1)
    assert np.abs(run["stage.rate"] - expected).max() < 1e-8
    assert run["stage.rate"][-1] < 0.03
    assert run.audit.ok


def test_pitch_of_a_free_stage():
    """The same about the mass centre of a stage that flies freely. As it spins, the transverse rates turn by the angle
    int (1 - C/A) omega_3 dt and shrink as (m/m_0)^(l^2/k^2 - 1)."""
    s = kf.System("coning")
    s.add("stage", stage((0, 0, -2.0)), kf.Free(), rates=(0, 0, 0, 0.1, 0, 1.5))
    run = s.simulate(30.0, **TIGHT)
    left = mass(run.t) / M0
    spin = 1.5 / left  # the outlet is on the axis
    angle = -np.array([quad(lambda t: 0.5 * 1.5 * M0 / mass(t), 0, t, epsabs=1e-13)[0] for t in run.t])
    transverse = 0.1 * left**3 * np.exp(-1j * angle)
    found = run["stage.omega"]
    assert np.abs(found[:, 2] - spin).max() < 1e-8
    assert np.abs(found[:, 0] + 1j * found[:, 1] - transverse.conj()).max() < 1e-8


def test_numbers_of_a_large_rocket():
    """40 t to 20 t in 45 s, as a slender rod 40 m long, and the spin of a cylinder with an exit of 0.6 of its radius."""
    half = lambda t: 40e3 * (1 - t / 90)
    s = kf.System("large")
    rod = (lambda t: half(t) * 40**2 / 12, lambda t: half(t) * 40**2 / 12, lambda t: half(t) / 2)
    exits = [kf.Outlet((r, 0, -20), 20e3 / 45 / 2, (0, 0, -2700)) for r in (-0.6 / np.sqrt(2), 0.6 / np.sqrt(2))]
    s.add("rocket", kf.VariableMass(half, inertia=rod, outlets=exits), kf.Free(), rates=(0, 0, 0, 0, 0, 1.0))
    s.add("pitching", kf.VariableMass(half, inertia=rod, outlets=[kf.Outlet((0, 0, -20))]), kf.Revolute("y"), rates=0.01)
    end = s.simulate(45.0, **TIGHT).final
    assert end["rocket.vz"] == pytest.approx(1871.49739, abs=1e-5)
    assert end["rocket.wz"] == pytest.approx(1.558329, abs=1e-6)
    assert end["pitching.rate"] == pytest.approx(0.01 / 4, abs=1e-10)


# -- against particles that move in a body ------------------------------------------------------------------------------


def course(t):
    return 0.2 + 0.3 * np.sin(1.3 * t)


@pytest.mark.parametrize("hinge", [(0, 0, 0), (0.1, -0.2, 0.3)])
def test_contents_that_move(hinge):
    """A body with a particle that is moved along a line through its origin, told as properties that change: nothing leaves,
    and the accelerations are the same to rounding."""
    m, p, J = 3.0, 0.7, np.diag([0.3, 0.4, 0.5])

    def centre(t):
        return [p / (m + p) * course(t) * x for x in AXIS]

    def inertia(t):
        moved_square = m * p / (m + p) * course(t) ** 2
        return [[J[i, j] + moved_square * (float(i == j) - AXIS[i] * AXIS[j]) for j in range(3)] for i in range(3)]

    told, moved = kf.System("told", gravity=(1, 2, 3)), kf.System("moved", gravity=(1, 2, 3))
    told.add("body", kf.VariableMass(m + p, centre, inertia), kf.Free(), hinge=hinge)
    moved.add("body", kf.Rigid(m, inertia=J), kf.Free(), hinge=hinge)
    moved.add("particle", kf.PointMass(p), kf.Prismatic(tuple(AXIS), motion=course), parent="body")
    q, u = random_state(told)
    for t in (0.0, 0.4, 1.7):
        one = told.dynamics().udot_at(t, q, u)
        other = moved.dynamics().udot_at(t, [*q, course(t)], [*u, 0.39 * np.cos(1.3 * t)])[:6]
        assert np.abs(one - other).max() < 1e-14 * np.abs(one).max() + 1e-14


def test_contents_that_run_in_a_circle():
    """Particles that run round a circle in a body, told as its inertia and a swirl; its joint is elsewhere."""
    m, p, radius, count = 3.0, 0.2, 0.8, 4
    course = lambda t: 0.3 * t + 0.5 * t * t

    told, moved = kf.System("told", gravity=(1, 2, 3)), kf.System("moved", gravity=(1, 2, 3))
    ring = count * p * radius**2
    J = np.array([0.3, 0.4, 0.5])
    body = kf.VariableMass(
        m + count * p, inertia=J + ring * np.array([0.5, 0.5, 1.0]), swirl=(0, 0, lambda t: ring * (0.3 + t))
    )
    told.add("body", body, kf.Free(), hinge=(0.2, -0.1, 0.4))
    moved.add("body", kf.Rigid(m, inertia=J), kf.Free(), hinge=(0.2, -0.1, 0.4))
    points = [(p, (radius * np.cos(a), radius * np.sin(a), 0)) for a in np.arange(count) * 2 * np.pi / count]
    moved.add("ring", kf.Rigid(0.0, points=points), kf.Revolute("z", motion=course), parent="body")
    q, u = random_state(told)
    for t in (0.0, 1.2):
        one = told.dynamics().udot_at(t, q, u)
        other = moved.dynamics().udot_at(t, [*q, course(t)], [*u, 0.3 + t])[:6]
        assert np.abs(one - other).max() < 1e-13 * np.abs(one).max()


# -- balances ----------------------------------------------------------------------------------------------------------


def test_power_of_what_leaves():
    """What the burning gives, m_e c^2/2, goes to the stage and to the gas, which leaves with the speed v - c."""
    s = kf.System("rocket")
    s.add("stage", stage(), kf.Prismatic("z"), rates=50.0)
    run = s.simulate(40.0, **TIGHT)
    gas = BURN * (run["stage.rate"] - EXIT) ** 2 / 2
    assert run["stage.outlet_power"] + gas == pytest.approx(BURN * EXIT**2 / 2, rel=1e-13)
    assert run.audit.energy_drift < 1e-10


@pytest.mark.parametrize("attraction", [False, True], ids=["gravity", "centre"])
def test_power_is_energy_rate(attraction):
    """The energy changes by the work that is noted: of the outlets, of all that leaves, and of the spring's damper."""
    s = floating_tree(gravity=(0.3, -2, 9))
    if attraction:
        s.apply("earth", kf.CentralGravity(30.0, (4.0, -3.0, 2.0)))
    q, u = random_state(s)
    start = kf.State(s.dynamics().plan.index, TIME, q, u)
    run = s.simulate(1.0, initial=start, output=0.05, **TIGHT)
    assert run.audit.energy_drift < 1e-10
    assert abs(run.audit.applied_work) > 10.0


@pytest.mark.parametrize("gravity", [(0, 0, 0), (0.3, -2, 9)], ids=["alone", "falling"])
def test_momentum_and_what_left(gravity):
    """The momentum of the system, of the flow in it, and of all that left is constant; without the latter it is not."""
    s = floating_tree(gravity=gravity)
    q, u = random_state(s)
    start = kf.State(s.dynamics().plan.index, 0.0, q, u)
    run = s.simulate(2.0, initial=start, output=0.005, method="dop853", rtol=1e-13, atol=1e-14)
    gone = departed(run.trajectory)
    linear, angular = run["momentum.linear"] + gone.linear, run["momentum.central"] + gone.central
    assert np.ptp(linear, axis=0).max() < 1e-12 * np.abs(gone.linear).max()
    assert np.ptp(angular, axis=0).max() < 1e-12 * np.abs(gone.central).max()
    assert np.ptp(run["momentum.linear"], axis=0).max() > 1.0
    assert run.audit.linear_momentum_drift < 1e-9 and run.audit.angular_momentum_drift < 1e-9


def test_mass_and_what_left():
    body = rocket()
    flow = lambda t: 1.3 - 0.8 * np.cos(2 * t)  # minus the rate of the mass
    left = quad(flow, 0, 2.0, epsabs=1e-14)[0]
    s = kf.System("m")
    s.add("rocket", body, kf.Free())
    run = s.simulate(2.0, output=1.0)
    assert run["rocket.current_mass"][-1] + left == pytest.approx(run["rocket.current_mass"][0], rel=1e-12)


# -- one motion --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flexible", [False, True], ids=["rigid", "flexible"])
@pytest.mark.parametrize("loops", [False, True], ids=["tree", "loop"])
def test_ways_agree(loops, flexible):
    s = floating_tree(gravity=(0, 0, -9.81), loops=loops, flexible=flexible)
    s.apply("earth", kf.CentralGravity(30.0, (4.0, -3.0, 2.0)))
    q, w = random_state(s)
    if flexible:
        modes = s.dynamics().plan.index.modes["arm"]
        q[modes.q0 : modes.q0 + modes.modes] *= 0.03
    found = []
    for formulation in ("recursive", "dense", "embedded"):
        for speeds in ("customary", "efficient"):
            d = s.dynamics(formulation=formulation, speeds=speeds)
            u = d.speeds_from_rates(q, w)
            udot = d.udot_at(TIME, q, u)
            if speeds == "customary":
                found.append(udot)
            tau = d.inverse_dynamics(q, u, udot, TIME)
            if not loops:
                assert np.abs(tau).max() < 1e-11 * np.abs(d.inverse_dynamics(q, u, 0 * u, TIME)).max()
    for other in found[1:]:
        assert np.abs(other - found[0]).max() < 1e-12 * np.abs(found[0]).max()


def test_place_of_the_joint_does_not_matter():
    """The same body on its Free joint at another place and turned: the same acceleration of the body's own origin."""
    found = []
    for hinge in (kf.Frame(), kf.Frame((0.4, -0.3, 0.9), (("y", 0.5),))):
        s = kf.System("one", gravity=(0, 0, -9.81))
        s.add("rocket", rocket(), kf.Free(), hinge=hinge, rates=(0, 0, 0, *(hinge.R.T @ [0.3, -0.8, 1.1])))
        run = s.simulate(0.5, output=0.1, **TIGHT)
        found.append(run["rocket.omega"])
    assert np.abs(found[0] - found[1]).max() < 1e-11


def test_linear_model_is_the_derivative():
    """The linear model, by complex steps, is the closed form to rounding."""
    s = kf.System("pitching")
    s.add("stage", stage((0, 0, -2.0)), kf.Revolute("y"), hinge=(0, 0, 0.6))
    linear = s.linearize(kf.State(s.dynamics().plan.index, 0.0, np.array([0.2]), np.array([0.3])))
    rate = -(2.6**2 / 1.36 - 1) * BURN / M0
    assert np.abs(np.array(linear.A) - [[0, 1], [0, rate]]).max() < 1e-15


# -- symbols -----------------------------------------------------------------------------------------------------------


def test_equations_in_symbols(tmp_path):
    """Symbols, and the C made of them, give the numbers of the kernels, at any time."""
    s = kf.System("pair", gravity=(0, 0, -9.81))
    s.add("rocket", rocket(), kf.Universal(("x", "y")), hinge=(0.1, 0.2, 0))
    s.add("arm", kf.Rigid(0.8, (0.2, 0, 0), (0.02, 0.05, 0.06)), kf.Revolute("z"), parent="rocket", at="nose")
    q, u = random_state(s)
    eq, y = s.equations(), np.concatenate([q, u])
    expected = s.dynamics().udot_at(TIME, q, u)
    assert eq.function()(TIME, y)[3:] == pytest.approx(expected, rel=1e-11, abs=1e-11)
    source, _ = eq.export_c(tmp_path)
    library = tmp_path / "pair.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-lm"], check=True)
    rates = ctypes.CDLL(str(library)).pair_rates
    array = np.ctypeslib.ndpointer(float, flags="C")
    rates.argtypes, rates.restype = [ctypes.c_double, *[array] * 6], ctypes.c_int
    numbers = np.array([eq.values[s] for s in sorted(eq.values, key=str)])
    qdot, udot = np.zeros(3), np.zeros(3)
    assert rates(TIME, q, u, np.zeros(1), numbers, qdot, udot) == 0
    assert udot == pytest.approx(expected, rel=1e-11, abs=1e-11)


# -- keeping and refusing ----------------------------------------------------------------------------------------------


def test_saved_and_loaded(tmp_path):
    s = kf.System("rocket")
    s.add("stage", stage(), kf.Prismatic("z"))
    run = s.simulate(2.0, output=0.5)
    run.save(tmp_path / "rocket.h5")
    functions = {"stage.mass": mass, "stage.inertia": lambda t: (mass(t), mass(t), mass(t) / 2)}
    again = kf.Run.load(tmp_path / "rocket.h5", functions=functions)
    assert np.array_equal(again["stage.rate"], run["stage.rate"])
    assert np.array_equal(again["stage.current_mass"], run["stage.current_mass"])
    assert again.model.parts["stage"].body.mass_properties()[0] == M0
    assert Path(again.report(tmp_path / "rocket.html")).stat().st_size > 1000
    without = kf.Run.load(tmp_path / "rocket.h5")
    assert without.model.parts["stage"].body.mass_properties()[0] == M0
    assert np.array_equal(without["stage.q"], run["stage.q"])
    for lost in (lambda: without.extend(1.0), lambda: without["stage.current_mass"], lambda: without.audit):
        with pytest.raises(kf.ModelError, match=r"stage\.mass"):
            lost()


def test_described():
    s = floating_tree()
    assert "rocket: Free on N, 9 kg at t = 0" in s.describe()
    assert "arm: Universal on rocket, 0.8 kg, free: angle1, angle2\n" in s.describe()


def test_burnt_out():
    """A run beyond the end of the mass says so."""
    s = kf.System("rocket")
    s.add("stage", kf.VariableMass(lambda t: 1 - t, outlets=[kf.Outlet((0, 0, 0), velocity=(0, 0, 0))]), kf.Prismatic("z"))
    run = s.simulate(2.0, output=0.1)
    assert not run.audit.ok and run.audit.spent == ((1.0, "stage"),)
    assert "no mass left at t = 1 s" in str(run.audit)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"mass": lambda t: 5 - t, "outlets": [kf.Outlet((0, 0, 0), 0.9)]},
            'body "stage": at t = 0 the mass falls by 1 kg/s, but 0.9',
        ),
        ({"mass": lambda t: 5 - t}, 'body "stage": at t = 0 the mass falls by 1 kg/s, but 0 kg/s leave'),
        ({"mass": lambda t: 5 - t if t < 1 else 4.0}, 'body "stage", mass: the function does not run on symbols'),
        ({"mass": 5.0, "com": lambda t: (t, 0)}, "com .* has 2 numbers at t = 0: give 3"),
        ({"mass": lambda t: -1.0}, "mass is -1 at t = 0"),
        ({"mass": lambda t: 1 / t}, "mass has no value at t = 0|mass is not finite at t = 0"),
        ({"mass": 5.0, "inertia": (1, 1, 3)}, "triangle inequality"),
        ({"mass": 5.0, "inertia": 7.0}, "inertia is 7.0: give three"),
        ({"mass": "heavy"}, "mass is 'heavy': give a number, a function"),
        ({"mass": 5.0, "outlets": [(0, 0, 0)]}, "outlets of a body have .*give Outlet"),
        ({"mass": 5.0, "outlets": [kf.Outlet((0, 0, 0)), kf.Outlet((0, 0, 1))]}, "several outlets have no flow"),
        ({"mass": 5.0, "outlets": [kf.Outlet("nozzle", 0.0)]}, 'frame of an outlet: "nozzle"'),
    ],
)
def test_refused(arguments, words):
    with pytest.raises(kf.ModelError, match=words):
        s = kf.System("rocket")
        s.add("stage", kf.VariableMass(**arguments), kf.Prismatic("z"))
        s.simulate(0.1)


def test_outlets_refused():
    for arguments, words in (
        ({"at": (1, 2)}, "at of an outlet"),
        ({"at": (0, 0, 0), "flow": "fast"}, "flow of an outlet is 'fast'"),
        ({"at": (0, 0, 0), "velocity": 3.0}, "velocity of an outlet is 3.0: give three"),
    ):
        with pytest.raises(kf.ModelError, match=words):
            kf.Outlet(**arguments)


def test_not_halved():
    s = kf.System("closed")
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    s.add("b", kf.VariableMass(2.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    pose = lambda q: ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], (q[0], 0, 0))
    with pytest.raises(kf.ModelError, match='"b" is not Rigid'):
        s.close("joint", "a", "b", kf.CustomJoint(pose, ("x",)))
