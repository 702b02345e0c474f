"""Integrators on problems with known answers: orders, stiffness, tolerance, events, resuming, failures."""

import importlib.util
import math
import sys
import types

import numpy as np
import pytest
import scipy.integrate

from kaneflex.kernels import backend
from kaneflex.kernels.ops import cos, sin, sqrt
from kaneflex.simulate import stepping
from kaneflex.simulate.integrator import Status
from kaneflex.simulate.methods import METHODS, Problem, RungeKutta, integrator

HERE = [name for name in METHODS if name != "cvode" or importlib.util.find_spec("sksundae")]
ADAPTIVE = [name for name in HERE if METHODS[name].adaptive]
ORDERED = [name for name in HERE if METHODS[name].order]  # with a fixed step
EXACT = [name for name in HERE if METHODS[name].exact]
TABLEAUS = {name: method for name, method in METHODS.items() if isinstance(method, RungeKutta)}
IMPLICIT = [name for name, method in TABLEAUS.items() if method.implicit]
NOTHING = np.zeros(0)

# Problems, chosen by I[0]; I[1] chooses the event functions; I[2] = 1 keeps y at unit length.
CYCLE, FOLLOWER, SPRING, BLOW_UP, FALL, EDGE, VAN_DER_POL, LOADED, TURN = range(9)


def derivative(I, P, W, t, y, ydot):
    problem = I[0]
    if problem == 0:  # limit cycle: r' = r (1 - r^2), angle' = 1
        s = 1 - y[0] * y[0] - y[1] * y[1]
        ydot[0] = y[0] * s - y[1]
        ydot[1] = y[1] * s + y[0]
    elif problem == 1:  # Prothero and Robinson: y = cos t, approached at the rate P[0]
        ydot[0] = P[0] * (y[0] - cos(t)) - sin(t)
    elif problem == 2:  # critically damped stiff spring under a slow load: y = Re exp(i t) / (P[0] + i)^2
        ydot[0] = y[1]
        ydot[1] = cos(t) - P[0] * P[0] * y[0] - 2 * P[0] * y[1]
    elif problem == 3:  # y = 1 / (1 - t)
        ydot[0] = y[0] * y[0]
    elif problem == 4:  # free fall
        ydot[0] = y[1]
        ydot[1] = -P[0]
    elif problem == 5:  # y = sin t, and no numbers beyond t = P[0]
        ydot[0] = cos(t) + 0 * sqrt(P[0] - t)
    elif problem == 6:
        ydot[0] = y[1]
        ydot[1] = P[0] * (1 - y[0] * y[0]) * y[1] - y[0]
    elif problem == 7:  # oscillator with a quadrature that wants far smaller steps
        ydot[0] = y[1]
        ydot[1] = -y[0]
        ydot[2] = 1e6 * cos(60 * t)
    else:
        ydot[0] = y[1]
        ydot[1] = -y[0]


def normalise(I, y):
    if I[2] == 1:
        s = 1 / sqrt(y[0] * y[0] + y[1] * y[1])
        y[0] *= s
        y[1] *= s


def event_values(I, P, W, t, y, g):
    if I[1] == 1:
        g[0] = y[0]
    elif I[1] == 2:  # three functions, two of them with the same root
        g[0] = t - 0.7
        g[1] = 0.3 - t
        g[2] = 3 * (0.3 - t)


def project(I, P, W, t, y, sweeps, limit, slack):
    return 0


def kinetic_energy(I, P, W, t, y, out):
    out[0] = P[0]


def branches_meet(I, P, W, t, q):
    return 1


def moves_in_time(I, W):
    return 0


def make_tree_matrix(I, P, W, t, y, X, g, re, im, known):
    X[0] = g


def solve_tree_real(I, P, X, q, g, x):
    x[0] = g


def solve_tree_complex(I, P, X, q, re, im, x_re, x_im):
    x_re[0] = re


def complex_place(I):
    return 0


def tree_error(I, P, X, y, e, atol, rtol, count, out):
    out[0] = rtol


def coordinate_step(I, q, s, new):
    new[0] = q[0] + s[0]


def hold_momentum(I, P, W, t, y, t_new, new, h):
    W[0] = h


@pytest.fixture(scope="module", autouse=True)
def world():
    """Kernels that consist of the integrators and the problems above only."""
    problems = types.ModuleType("integrator_problems")
    problems.__file__ = __file__
    tree = (make_tree_matrix, solve_tree_real, solve_tree_complex, complex_place, tree_error, coordinate_step, hold_momentum)
    for f in (derivative, normalise, event_values, project, kinetic_energy, branches_meet, moves_in_time, *tree):
        twin = types.FunctionType(f.__code__, {}, f.__name__)
        twin.__module__ = problems.__name__
        setattr(problems, f.__name__, twin)
    sys.modules[problems.__name__] = problems  # compiled code that is loaded from the cache imports it
    usual = backend.source_hash()
    with pytest.MonkeyPatch.context() as patch:
        for name, empty in (("_modules", []), ("_stages", {}), ("_strict", set()), ("_apart", set())):
            patch.setattr(backend, name, empty)
        backend.register(problems, *stepping.MODULES, fastmath=False)
        yield
    backend.register()
    assert backend.source_hash() == usual  # else all that follows in this process compiles everything again
    del sys.modules[problems.__name__]


def make(method, problem, y0, t0=0.0, *, P=(0.0,), events=0, unit=0, n_error=None, **options):
    tables = (np.array([problem, events, unit]), np.array(P, dtype=float), np.zeros(1))
    if not METHODS[method].adaptive:
        options.setdefault("step", 0.01 if METHODS[method].order > 2 else 5e-4)
    stepper = integrator(method, Problem(tables, len(y0), len(y0) if n_error is None else n_error, **options))
    stepper.start(t0, np.array(y0, dtype=float))
    return stepper


def run(stepper, t_stop, times=NOTHING, max_steps=10**6):
    samples = np.full((len(times), stepper.size), np.nan)
    stepper.begin_samples()
    return stepper.advance(t_stop, np.asarray(times, dtype=float), samples, max_steps), samples


def cycle(t, r0=0.5):
    """Exact solution of CYCLE from (r0, 0)."""
    r = 1 / np.sqrt(1 + (1 / r0**2 - 1) * np.exp(-2 * np.asarray(t)))
    return np.stack([r * np.cos(t), r * np.sin(t)], axis=-1)


def slope(sizes, errors):
    return np.polyfit(np.log(sizes), np.log(errors), 1)[0]


# Orders


@pytest.fixture(scope="module")
def exact():
    """Van der Pol's oscillator, mu = 1, from (1/2, 1/2)."""
    return scipy.integrate.solve_ivp(
        lambda t, y: [y[1], (1 - y[0] ** 2) * y[1] - y[0]],
        (0, 4),
        [0.5, 0.5],
        "DOP853",
        dense_output=True,
        rtol=3e-14,
        atol=1e-15,
        max_step=0.02,
    ).sol


@pytest.mark.parametrize("name", ORDERED)
def test_order_of_convergence(name, exact):
    order = METHODS[name].order
    end, counts = (4.0, (16, 20, 24, 32, 40)) if order > 6 else (2.0, (40, 60, 90, 135, 200))
    errors = []
    for count in counts:
        stepper = make(name, VAN_DER_POL, [0.5, 0.5], P=[1], step=end / count, adaptive=False, rtol=1e-13, atol=1e-14)
        assert run(stepper, end)[0] == Status.DONE
        assert stepper.steps == count
        errors.append(np.abs(stepper.y - exact(end)).max())
    assert slope(end / np.array(counts), errors) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize("name", ORDERED)
def test_order_of_dense_output(name, exact):
    """The local error of an interpolant of order p goes with h^(p+1)."""
    order = METHODS[name].dense_order
    sizes = (0.6 if order > 6 else 0.1) / 1.3 ** np.arange(5)
    errors = []
    for h in sizes:
        times = h * np.linspace(0.05, 0.95, 19)
        stepper = make(name, VAN_DER_POL, [0.5, 0.5], P=[1], step=h, adaptive=False, rtol=1e-13, atol=1e-14)
        samples = run(stepper, h, times)[1]
        assert stepper.steps == 1
        errors.append(np.abs(samples - exact(times).T).max())
    assert slope(sizes, errors) - 1 == pytest.approx(order, abs=0.25)


def test_tableaus_agree_with_scipy():
    ours, theirs = METHODS["dop853"], scipy.integrate.DOP853
    for pair in ((ours.A, theirs.A), (ours.b, theirs.B), (ours.c, theirs.C), (ours.D[3:], theirs.D)):
        np.testing.assert_array_equal(*pair)
    np.testing.assert_array_equal(ours.A_extra, theirs.A_EXTRA)
    np.testing.assert_array_equal(ours.E[:, :13], [theirs.E5, theirs.E3])
    ours, theirs = METHODS["dopri5"], scipy.integrate.RK45
    np.testing.assert_allclose(np.abs(ours.E[0]), np.abs(theirs.E), atol=1e-16)
    k = np.random.default_rng(1).normal(size=7)
    for x in np.linspace(0, 1, 7):
        F = ours.D @ k
        value = x * (F[0] + (1 - x) * (F[1] + x * (F[2] + (1 - x) * F[3])))
        assert value == pytest.approx(k @ theirs.P @ x ** np.arange(1, 5), abs=1e-13)


@pytest.mark.parametrize("method", TABLEAUS.values(), ids=TABLEAUS)
def test_tableau_is_consistent(method):
    np.testing.assert_allclose(method.A.sum(axis=1), method.c, atol=1e-14)
    np.testing.assert_allclose(method.A_extra.sum(axis=1), method.c_extra, atol=1e-14)
    for power in range(method.order):  # quadrature conditions
        assert method.b @ method.c**power == pytest.approx(1 / (power + 1), abs=1e-14)
    np.testing.assert_allclose(method.E.sum(axis=1), 0, atol=1e-14)
    with pytest.raises(ValueError, match="read-only"):
        method.b[0] = 0


# Step control


@pytest.mark.parametrize("name", ADAPTIVE)
def test_tolerance_is_kept(name):
    times = np.linspace(0, 6, 25)
    exact = scipy.integrate.solve_ivp(
        lambda t, y: [y[1], 2 * (1 - y[0] ** 2) * y[1] - y[0]], (0, 6), [2, 0], "DOP853", times, rtol=1e-13, atol=1e-14
    ).y.T
    errors, steps = [], []
    for rtol in (1e-5, 1e-7, 1e-9):
        stepper = make(name, VAN_DER_POL, [2, 0], P=[2], rtol=rtol, atol=rtol)
        status, samples = run(stepper, 6.0, times)
        assert status == Status.DONE
        errors.append(np.abs(samples - exact).max() / rtol)
        steps.append(stepper.steps)
    assert max(errors) < (30 if METHODS[name].order else 500)  # local errors of a multistep method add up
    assert min(errors) > 1e-3  # the tolerance is met, not buried
    assert steps[0] < steps[1] < steps[2]


def test_scalar_and_vector_tolerance_agree():
    a, b = (make("dopri5", VAN_DER_POL, [2, 0], P=[2], atol=atol) for atol in (1e-7, [1e-7, 1e-7]))
    run(a, 5.0), run(b, 5.0)
    assert a.steps == b.steps
    np.testing.assert_array_equal(a.y, b.y)


def test_quadratures_do_not_steer_the_step():
    plain = make("dopri5", TURN, [1, 0])
    carried = make("dopri5", LOADED, [1, 0, 0], n_error=2)
    counted = make("dopri5", LOADED, [1, 0, 0])
    for stepper in (plain, carried, counted):
        assert run(stepper, 3.0)[0] == Status.DONE
    assert carried.steps == plain.steps
    np.testing.assert_array_equal(carried.y[:2], plain.y)
    assert counted.steps > 5 * plain.steps


@pytest.mark.parametrize("name", HERE)
def test_states_are_normalised(name):
    tolerances = {"rtol": 1e-3, "atol": 1e-3}
    loose = run(make(name, TURN, [1, 0], step=0.3, **tolerances), 20.0, np.linspace(0, 20, 77))[1]
    kept = run(make(name, TURN, [1, 0], unit=1, step=0.3, **tolerances), 20.0, np.linspace(0, 20, 77))[1]
    assert np.abs(np.linalg.norm(loose, axis=1) - 1).max() > 1e-6
    assert np.abs(np.linalg.norm(kept, axis=1) - 1).max() < 4e-16


@pytest.mark.parametrize("name", ORDERED)
def test_steps_end_at_the_stop(name):
    """No evaluation beyond t_stop, where EDGE has no value, and no sliver before it."""
    stepper = make(name, EDGE, [0], P=[1.0], step=0.1, max_step=0.1, rtol=0.01, atol=0.01)
    assert run(stepper, 1.0)[0] == Status.DONE
    assert stepper.t == 1.0
    assert (stepper.steps, stepper.rejected) == (10, 0)
    assert stepper.y[0] == pytest.approx(math.sin(1), abs=1e-4 if METHODS[name].order > 2 else 8e-4)  # h^2/12 sin 1


@pytest.mark.parametrize("name", HERE)
def test_step_survives_a_short_stop(name):
    stepper = make(name, TURN, [1, 0])
    run(stepper, 2.0)
    before = stepper.step
    run(stepper, 2.0 + 1e-9)
    assert stepper.t == 2.0 + 1e-9
    assert stepper.step >= before


def test_max_step_and_first_step():
    stepper = make("dop853", TURN, [1, 0], max_step=0.05)
    run(stepper, 1.0)
    assert stepper.steps >= 20
    stepper = make("dopri5", TURN, [1, 0], step=1e-5)
    run(stepper, 1.0, max_steps=1)
    assert stepper.t == 1e-5


@pytest.mark.parametrize("name", ADAPTIVE)
def test_step_far_too_long_is_soon_mended(name):
    stepper = make(name, VAN_DER_POL, [2, 0], P=[2], step=10.0)
    run(stepper, 20.0, max_steps=8)
    assert stepper.rejected >= 2
    assert stepper.steps >= 2


# Stiffness


def follower(t, stiffness):
    return np.cos(t)[:, None]


def spring(t, stiffness):
    z = np.exp(1j * t) / (stiffness + 1j) ** 2
    return np.stack([z.real, (1j * z).real], axis=-1)


@pytest.mark.parametrize("name", IMPLICIT)
@pytest.mark.parametrize("problem, exact, sign", [(FOLLOWER, follower, -1), (SPRING, spring, 1)])
def test_implicit_steps_do_not_depend_on_stiffness(name, problem, exact, sign):
    """Nor do the errors, in the dense output either: a stiff component alone would allow steps of any length."""
    times = np.linspace(0, 10, 101)
    steps = {}
    for stiffness in (1e5, 1e6, 1e7, 1e8):
        y0 = exact(times, stiffness)[0]
        stepper = make(name, problem, y0, P=[sign * stiffness], rtol=1e-6, atol=1e-6)
        status, samples = run(stepper, 10.0, times)
        assert status == Status.DONE
        np.testing.assert_allclose(samples, exact(times, stiffness), atol=5e-6)
        steps[stiffness] = stepper.steps + stepper.rejected
    assert max(steps.values()) < 250
    assert max(steps.values()) < 1.5 * min(steps.values()) + 10
    explicit = make("dopri5", problem, y0, P=[sign * 1e5], rtol=1e-6, atol=1e-6)
    run(explicit, 0.1)
    assert explicit.steps > 10 * steps[1e5]  # in a hundredth of the time: the problem is stiff


def test_jacobian_is_reused():
    """A linear problem needs few Jacobians and, once they are right, one slope for each of the five stages, and one for
    the error of the dense output."""
    stepper = make("sdirk4", FOLLOWER, [1], P=[-1e6], rtol=1e-6, atol=1e-6)
    run(stepper, 10.0)
    assert stepper.evaluations < 8 * (stepper.steps + stepper.rejected)


@pytest.mark.parametrize("name, most", [("sdirk4", 4.0), ("radau5", 1.1)])
def test_stiff_van_der_pol(name, most):
    """mu = 1000 through two jumps; the reference is SciPy's Radau, with a smaller tolerance, and its steps with the same."""
    stepper = make(name, VAN_DER_POL, [2, 0], P=[1e3], rtol=1e-7, atol=1e-9)
    assert run(stepper, 2000.0)[0] == Status.DONE
    exact, same = (
        scipy.integrate.solve_ivp(
            lambda t, y: [y[1], 1e3 * (1 - y[0] ** 2) * y[1] - y[0]], (0, 2000), [2, 0], "Radau", rtol=r, atol=1e-2 * r
        )
        for r in (1e-9, 1e-7)
    )
    assert stepper.y[0] == pytest.approx(exact.y[0, -1], rel=1e-4)
    assert stepper.steps < most * len(same.t)
    assert stepper.evaluations < 1.1 * most * same.nfev  # one more a step, which looks at the dense output


# Events


@pytest.mark.parametrize("name", ORDERED)  # to these a parabola is no matter
def test_time_of_fall(name):
    stepper = make(name, FALL, [3.0, 0.0], P=[9.81], events=1, event_directions=[-1])
    status, samples = run(stepper, 5.0, times := np.linspace(0, 5, 101))
    assert status == Status.EVENT
    assert stepper.event == 0
    exact = math.sqrt(2 * 3.0 / 9.81)
    assert stepper.t == pytest.approx(exact, abs=1e-12)
    assert -1e-11 < stepper.y[0] <= 0  # just after
    assert stepper.filled == np.sum(times <= stepper.t)
    before = times[: stepper.filled]
    np.testing.assert_allclose(samples[: stepper.filled, 0], 3 - 9.81 / 2 * before**2, atol=1e-12)
    assert np.isnan(samples[stepper.filled :]).all()


@pytest.mark.parametrize("name", HERE)
@pytest.mark.parametrize("direction, roots", [(1, [1.5, 3.5]), (-1, [0.5, 2.5]), (0, [0.5, 1.5, 2.5, 3.5])])
def test_roots_of_a_cosine(name, direction, roots):
    tolerances = {"rtol": 1e-12, "atol": 1e-13, "step": 2e-3} if name != "sdirk4" else {"rtol": 1e-10, "atol": 1e-11}
    low = METHODS[name].adaptive is False and METHODS[name].order == 2  # average accelerations: slower by h/2 : atan h/2
    roots = np.array(roots) * (1e-3 / math.atan(1e-3) if low else 1.0)
    stepper = make(name, TURN, [1, 0], events=1, event_directions=[direction], **tolerances)
    found = []
    while len(found) < 9 and run(stepper, 4 * math.pi)[0] == Status.EVENT:
        found.append(stepper.t / math.pi)
    assert found == pytest.approx(roots, abs=2e-9)
    assert stepper.t == 4 * math.pi
    np.testing.assert_allclose(stepper.y, [1, 0], atol=5e-6 if low else 1e-8)  # it went on from the very state of each event


@pytest.mark.parametrize("direction, first", [(1, 2.0), (-1, 1.0), (0, 1.0)])
def test_zero_at_the_start_is_no_event(direction, first):
    stepper = make("dop853", TURN, [0, 1], events=1, event_directions=[direction], rtol=1e-11, atol=1e-12)
    assert run(stepper, 10.0)[0] == Status.EVENT
    assert stepper.t / math.pi == pytest.approx(first, abs=1e-10)


def test_zero_at_the_start_is_found_when_the_first_step_returns():
    """A throw so short that the first step would fly over it."""
    stepper = make("dopri5", FALL, [0.0, 0.5], P=[1.0], events=1, event_directions=[-1], step=2.0)
    assert run(stepper, 10.0)[0] == Status.EVENT
    assert stepper.t == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("direction", [-1, 0])
@pytest.mark.parametrize("name", HERE)
def test_bouncing_ball(name, direction):
    """Impacts with restitution e at t_n = t_0 + 2 v_0 (e + ... + e^n) / g, each reported once."""
    g, e = 9.81, 0.6
    stepper = make(name, FALL, [1.0, 0.0], P=[g], events=1, event_directions=[direction])
    found = []
    while len(found) < 12:
        assert run(stepper, 5.0)[0] == Status.EVENT
        found.append(stepper.t)
        stepper.start(stepper.t, stepper.y * [1, -e])
    t0, v0 = math.sqrt(2 / g), math.sqrt(2 * g)
    exact = [t0 + 2 * v0 / g * sum(e**k for k in range(1, n + 1)) for n in range(12)]
    np.testing.assert_allclose(found, exact, atol=1e-10)


def test_first_of_several_events_and_simultaneous_ones():
    stepper = make("dopri5", TURN, [1, 0], events=2, event_directions=[0, 0, 0], step=1.0, rtol=1.0, atol=1.0)
    found = []
    while len(found) < 9 and run(stepper, 1.0)[0] == Status.EVENT:
        found.append((stepper.t, stepper.event))
        stepper.start(stepper.t, stepper.y, step=1.0)
    assert [index for _, index in found] == [1, 2, 0]
    assert [t for t, _ in found] == pytest.approx([0.3, 0.3, 0.7], abs=1e-12)
    assert found[0][0] == found[1][0]
    assert stepper.t == 1.0
    assert stepper.event == -1


def test_direction_hides_an_event():
    stepper = make("dopri5", TURN, [1, 0], events=2, event_directions=[-1, 1, -1])
    assert run(stepper, 1.0)[0] == Status.EVENT
    assert (stepper.event, round(stepper.t, 9)) == (2, 0.3)
    assert run(stepper, 1.0)[0] == Status.DONE


# Stopping and going on


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("budget", [1, 7])
def test_resumed_run_has_the_same_bits(name, budget):
    times = np.linspace(0, 20, 64)
    options = {"P": [5], "events": 1, "event_directions": [1], "rtol": 1e-6, "step": 0.01}

    def history(budget, swap):
        stepper = make(name, VAN_DER_POL, [2, 0], **options)
        samples, log = np.full((len(times), 2), np.nan), []
        for _ in range(10**4):
            status = stepper.advance(20.0, times, samples, budget)
            if status == Status.EVENT:
                log.append(stepper.t)
            if status == Status.DONE:
                break
            if swap:
                other = make(name, VAN_DER_POL, [1, 1], **options)
                other.restore(stepper.state())
                stepper = other
        assert stepper.t == 20.0
        return samples, log, stepper

    whole, events, a = history(10**6, swap=False)
    pieces, again, b = history(budget, swap=True)
    assert len(events) >= 1
    assert events == again
    np.testing.assert_array_equal(whole, pieces)
    np.testing.assert_array_equal(a.y, b.y)
    assert (a.steps, a.rejected, a.evaluations, a.step) == (b.steps, b.rejected, b.evaluations, b.step)


def test_budget_counts_attempts():
    stepper = make("dopri5", TURN, [1, 0])
    assert run(stepper, 1e3, max_steps=17)[0] == Status.BUDGET
    assert stepper.steps + stepper.rejected == 17
    assert run(stepper, 1e3, max_steps=0)[0] == Status.BUDGET
    assert stepper.steps + stepper.rejected == 17


@pytest.mark.parametrize("name", HERE)
def test_samples_are_at_their_times(name):
    times = np.array([0.0, 1e-12, 0.1, 0.1, 0.4, 1.0, 1.7, 2.0])
    stepper = make(name, CYCLE, [0.5, 0], rtol=1e-9, atol=1e-10)
    samples = np.full((len(times), 2), np.nan)
    assert stepper.advance(1.0, times, samples, 10**6) == Status.DONE
    assert stepper.filled == 6
    np.testing.assert_array_equal(samples[0], [0.5, 0])
    np.testing.assert_array_equal(samples[5], stepper.y)
    assert np.isnan(samples[6:]).all()
    assert stepper.advance(2.0, times, samples, 10**6) == Status.DONE
    np.testing.assert_array_equal(samples[7], stepper.y)
    np.testing.assert_allclose(samples, cycle(times), atol=3e-7)


def test_sampling_does_not_change_the_steps():
    for name in HERE:
        a, b = make(name, VAN_DER_POL, [2, 0], P=[5]), make(name, VAN_DER_POL, [2, 0], P=[5])
        run(a, 10.0), run(b, 10.0, np.linspace(0, 10, 333))
        np.testing.assert_array_equal(a.y, b.y)
        assert a.steps == b.steps


def test_extra_stages_only_when_needed():
    plain, sampled = make("dop853", TURN, [1, 0]), make("dop853", TURN, [1, 0])
    run(plain, 20.0), run(sampled, 20.0, [3.1, 3.10001, 11.2])
    assert plain.rejected == 0
    assert plain.evaluations == 2 + 12 * plain.steps
    assert sampled.evaluations == plain.evaluations + 2 * 3


# Failures


@pytest.mark.parametrize("name", HERE)
def test_blow_up_in_finite_time(name):
    stepper = make(name, BLOW_UP, [1.0])
    status, _ = run(stepper, 2.0)
    if METHODS[name].adaptive:
        assert status == Status.STEP_TOO_SMALL
        assert stepper.t == pytest.approx(1.0, abs=1e-6)
    else:
        assert status == Status.NOT_FINITE
    assert np.isfinite(stepper.y).all()
    assert stepper.steps + stepper.rejected < 10000


@pytest.mark.parametrize("name", HERE)
def test_right_hand_side_that_ends(name):
    stepper = make(name, EDGE, [0.0], P=[1.0])
    assert run(stepper, 2.0)[0] == Status.NOT_FINITE
    assert stepper.t == pytest.approx(1.0, abs=1e-12 if METHODS[name].adaptive else 0.02)
    assert stepper.y[0] == pytest.approx(math.sin(stepper.t), abs=1e-7)


@pytest.mark.parametrize("name", HERE)
@pytest.mark.parametrize("y0", [math.nan, math.inf])
def test_start_that_is_not_finite(name, y0):
    stepper = make(name, TURN, [y0, 0.0])
    assert run(stepper, 1.0)[0] == Status.NOT_FINITE
    assert (stepper.t, stepper.steps) == (0.0, 0)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"method": "euler"}, "euler"),
        ({"method": "rk4"}, "needs step"),
        ({"step": -1.0}, "step"),
        ({"max_step": 0.0}, "max_step"),
        ({"rtol": 0.0, "atol": 0.0}, "both zero"),
        ({"n_error": 3}, "n_error"),
        ({"event_directions": [2]}, "direction"),
    ],
)
def test_bad_arguments_are_named(options, words):
    method, n_error = options.pop("method", "dopri5"), options.pop("n_error", 2)
    with pytest.raises(ValueError, match=words):
        integrator(method, Problem((np.zeros(3, int), np.zeros(1), np.zeros(1)), 2, n_error, **options))


def test_bad_calls_are_named():
    stepper = make("dopri5", TURN, [1, 0], t0=1.0)
    with pytest.raises(ValueError, match="t_stop"):
        run(stepper, 0.5)
    with pytest.raises(ValueError, match="before"):
        run(stepper, 2.0, [0.5])
    with pytest.raises(ValueError, match="samples"):
        stepper.advance(2.0, np.zeros(2), np.zeros((3, 2)), 10)
    with pytest.raises(ValueError, match="another"):
        stepper.restore(make("dop853", TURN, [1, 0]).state())


# Newton's matrix


@pytest.mark.parametrize("name", IMPLICIT)
def test_coordinates_first_is_the_same_solution(name):
    """Their columns are eliminated by their own rows; the motion is that without knowing of them."""
    runs = [make(name, SPRING, [1e-3, 0], P=[1e4], rtol=1e-7, atol=1e-10, coordinates=k) for k in (0, 1)]
    for stepper in runs:
        assert run(stepper, 2.0)[0] == Status.DONE
    assert runs[0].steps == runs[1].steps and runs[0].evaluations == runs[1].evaluations
    np.testing.assert_allclose(runs[0].y, runs[1].y, atol=1e-13)


@pytest.mark.parametrize("name", IMPLICIT)
def test_work_needs_no_columns(name):
    """A Jacobian costs an evaluation less for each entry that is work."""
    full = make(name, FOLLOWER, [1, 0, 0], P=[-1e6], rtol=1e-6, atol=1e-6)
    short = make(name, FOLLOWER, [1, 0, 0], P=[-1e6], rtol=1e-6, atol=1e-6, works=2)
    run(full, 1.0), run(short, 1.0)
    assert full.jacobians == short.jacobians > 0
    assert full.evaluations - short.evaluations == 2 * full.jacobians
    np.testing.assert_array_equal(full.y, short.y)


def test_evaluations_of_radau5_are_all_counted():
    """Three for every Newton correction, one at each end, one within, and the columns of the Jacobians."""
    stepper = make("radau5", FOLLOWER, [1], P=[-1e6], rtol=1e-6, atol=1e-6)
    run(stepper, 10.0)
    tried = stepper.steps + stepper.rejected
    assert stepper.jacobians < 5
    assert 5 * tried - 5 <= stepper.evaluations - stepper.jacobians <= 9 * tried
