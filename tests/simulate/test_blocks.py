"""Blocks: laws with states, against matrix exponentials, SciPy, python-control and hand-written programs."""

import ctypes
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag, expm
from sweeps import sweep

import kaneflex as kf

control = pytest.importorskip("control", reason="python-control is not installed (pip install 'kaneflex[control]')")

TIGHT = {"rtol": 1e-12, "atol": 1e-14, "method": "dop853"}


def cart(name="cart", *, q=0.3, rates=0.1, inputs=("motor",)) -> kf.System:
    """A cart of 2 kg on a spring of 5 N/m and a damper of 0.3 N s/m, pushed by its inputs."""
    s = kf.System(name)
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=q, rates=rates)
    s.apply("spring", kf.JointSpring("cart", stiffness=5.0, damping=0.3))
    for name in inputs:
        s.add_input(name, kf.JointForce("cart"))
    return s


PLANT = np.array([[0.0, 1.0], [-2.5, -0.15]])  # of the cart, x = (q, rate)
FORCE = np.array([[0.0], [0.5]])


def matrices(rng, states, sees, gives):
    A = rng.normal(size=(states, states)) - 1.5 * np.eye(states)
    return A, rng.normal(size=(states, sees)), rng.normal(size=(gives, states)), rng.normal(size=(gives, sees))


@sweep(16)
@given(st.integers(0, 2**32 - 1))
def test_random_blocks_are_the_linear_system_they_are(seed):
    """A cart with one to three StateSpace blocks of random size, one after the other or side by side: x(t) = exp(A t) x0."""
    rng = np.random.default_rng(seed)
    count, direct = int(rng.integers(1, 4)), bool(rng.integers(2))
    names = [f"motor{k}" for k in range(count)]
    s = cart(inputs=names)
    x0, A = np.array([0.3, 0.1]), PLANT.copy()
    for k, name in enumerate(names):
        states = int(rng.integers(2, 4))
        chained = k > 0 and bool(rng.integers(2))
        sees = ["cart.q", "cart.rate", *([f"block{k - 1}.z"] if chained else [])]
        before = len(s.blocks[f"block{k - 1}"].state_names) if chained else 0
        a, b, c, d = matrices(rng, states, 2 + before, 1)
        d *= direct
        start = rng.normal(size=states)
        s.add_block(f"block{k}", kf.blocks.StateSpace(a, b, c, d, start, sees=sees, drives=[name]))
        n = len(A)
        A = block_diag(A, a)
        A[n:, :2] = b[:, :2]
        A[1, :2] += d[0, :2] / 2
        A[1, n:] = c[0] / 2
        if chained:
            A[n:, n - before : n] = b[:, 2:]
            A[1, n - before : n] += d[0, 2:] / 2
        x0 = np.concatenate([x0, start])
    run = s.simulate(2.0, **TIGHT)
    x = np.concatenate([run.q[-1], run.u[-1], run.z[-1]])
    exact = expm(2.0 * A) @ x0
    assert x == pytest.approx(exact, abs=1e-10 * np.abs(expm(2.0 * np.abs(A))).max())
    with pytest.warns(UserWarning, match="not in equilibrium"):
        linear = s.linearize()
    assert pytest.approx(A, abs=1e-13 * np.abs(A).max()) == linear.A
    assert linear.states == run.plan.state_names


def test_linear_model_of_plant_and_block_is_python_controls_feedback_of_the_two():
    rng = np.random.default_rng(5)
    block = control.ss(*matrices(rng, 3, 1, 1))
    s = cart(q=0.0, rates=0.0, inputs=("motor", "push"))
    s.add_block("filter", kf.blocks.StateSpace(block, sees=["cart.q"], drives=["motor"]))
    linear = s.linearize(outputs=["cart.q"])
    plant = control.ss(PLANT, FORCE, [[1.0, 0.0]], 0)
    closed = control.feedback(plant, block, sign=1)
    found, exact = np.sort_complex(linear.eigenvalues()), np.sort_complex(closed.poles())
    assert found == pytest.approx(exact, abs=1e-12)
    at = 0.7j
    push = linear.inputs.index("push")
    response = linear.C @ np.linalg.solve(at * np.eye(5) - linear.A, linear.B[:, push])
    assert response[0] == pytest.approx(complex(closed(at)), rel=1e-12)


@pytest.mark.parametrize("given", ["numbers", "control"])
def test_transfer_function(given):
    num, den = [2.0, 1.0, 3.0], [1.5, 2.0, 4.0]
    function = control.tf(num, den)
    arguments = (num, den) if given == "numbers" else (function,)
    s = cart(q=0.0, rates=0.0)
    s.add_block("tf", kf.blocks.TransferFunction(*arguments, sees=["motor"]))
    linear = s.linearize(outputs=["tf.y"], inputs={})
    for at in (0.0, 0.3j, 2.0j):
        response = linear.C @ np.linalg.solve(at * np.eye(4) - linear.A, linear.B) + linear.D
        assert response[0, 0] == pytest.approx(complex(function(at)), rel=1e-12)


def hand_written_pid(t, y, kp, ki, kd, target, limit, tau, tracking):
    """The cart with a PID of its own, written out."""
    x, v, integral, slow = y
    slope = (x - slow) / tau
    wanted = kp * (target - x) + integral - kd * slope
    force = min(max(wanted, -limit), limit)
    return [v, (force - 5.0 * x - 0.3 * v) / 2.0, ki * (target - x) + (force - wanted) / tracking, slope]


def test_pid_with_saturation_is_the_hand_written_one():
    gains = {"kp": 60.0, "ki": 40.0, "kd": 15.0, "target": 1.0, "limit": 20.0, "tau": 0.05}
    s = cart(q=0.0, rates=0.0)
    s.add_block("servo", kf.blocks.PID(**gains, sees=["cart.q"], drives=["motor"]))
    run = s.simulate(4.0, times=[0.0, 0.05, 0.3, 1.0, 4.0], **TIGHT)
    arguments = (*gains.values(), 60.0 / 40.0)
    options = {"t_eval": run.t, "args": arguments, "rtol": 1e-12, "atol": 1e-13}
    own = solve_ivp(hand_written_pid, (0, 4), [0, 0, 0, 1.0], "LSODA", **options)
    found = np.column_stack([run["cart.q"], run["cart.rate"], run["servo.integral"], run["servo.filtered"]])
    assert found == pytest.approx(own.y.T, abs=2e-9)
    assert np.abs(run["motor"]).max() == 20.0 and np.abs(run["servo.motor"] - run["motor"]).max() == 0.0
    assert run["cart.q"][-1] == pytest.approx(1.0, abs=2e-2) and run.audit.ok


def test_anti_windup_matters():
    """Without back-calculation the integral of a saturated controller overshoots by far more."""
    overshoot = {}
    for tracking in (0.2, 1e6):
        s = cart(q=0.0, rates=0.0)
        pid = kf.blocks.PID(8.0, 8.0, 4.0, target=1.0, limit=6.0, tracking=tracking, sees="cart.q", drives="motor")
        s.add_block("servo", pid)
        overshoot[tracking] = s.simulate(15.0)["cart.q"].max() - 1.0
    assert overshoot[0.2] < 0.5 * overshoot[1e6]


def test_actuators_stay_within_their_limits():
    for block in (
        kf.blocks.FirstOrder(0.1, gain=10.0, limit=3.0, rate_limit=8.0, sees="cart.q", drives="motor"),
        kf.blocks.SecondOrder(20.0, 0.6, gain=10.0, limit=3.0, rate_limit=8.0, sees="cart.q", drives="motor"),
    ):
        s = cart(q=1.0, rates=0.0)
        s.add_block("servo", block)
        run = s.simulate(3.0, output=0.001)
        rate = np.diff(run["motor"]) / np.diff(run.t)
        fastest = np.abs(rate).max()
        assert fastest == pytest.approx(8.0, rel=2e-2) and fastest <= 8.0 + 1e-3  # what interpolating leaves
        assert np.abs(run["motor"]).max() < 3.0 * 1.25


def test_second_order_actuator_within_its_limits_is_linear():
    s = cart(q=0.0, rates=0.0, inputs=("motor", "push"))
    s.add_block("servo", kf.blocks.SecondOrder(20.0, 0.6, gain=2.0, sees="push", drives="motor"))
    linear = s.linearize(outputs=["motor"])
    at = 3.0j
    push = linear.inputs.index("push")
    response = linear.C @ np.linalg.solve(at * np.eye(4) - linear.A, linear.B[:, push]) + linear.D[:, push]
    assert response[0] == pytest.approx(2.0 * 400 / (at**2 + 2 * 0.6 * 20 * at + 400), rel=1e-12)


def heat(t, x, z):
    """Power lost in a motor warms it: z-dot = x^2 - z/5; its force falls with its temperature."""
    return -x[0] / (1 + z[0]), (x[0] * x[0] - z[0] / 5,)


def test_a_block_by_its_function():
    s = cart()
    s.add_block("motor_heat", kf.Block(heat, states=["temperature"], initial=0.2, sees=["cart.rate"], drives=["motor"]))
    run = s.simulate(5.0, **TIGHT)

    def own(t, y):
        force = -y[1] / (1 + y[2])
        return [y[1], (force - 5.0 * y[0] - 0.3 * y[1]) / 2.0, y[1] ** 2 - y[2] / 5]

    exact = solve_ivp(own, (0, 5), [0.3, 0.1, 0.2], "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    found = [run[name][-1] for name in ("cart.q", "cart.rate", "motor_heat.temperature")]
    assert found == pytest.approx(exact, abs=1e-11)
    assert run["motor_heat.z"].shape == (len(run.t),)
    assert run.final["motor_heat.temperature"] == pytest.approx(exact[2], abs=1e-11)


def test_every_form_of_result():
    forms = (
        lambda t, x, z: (-x[0], -z[0]),
        lambda t, x, z: ((-x[0],), (-z[0],)),
        lambda t, x, z: (-x, -z),
        lambda t, x, z: [[-x[0]], np.array([-z[0]])],
    )
    ends = []
    for f in forms:
        s = cart()
        s.add_block("b", kf.Block(f, states=1, initial=1.0, sees="cart.rate", drives="motor"))
        run = s.simulate(1.0)
        ends.append([run["cart.q"][-1], float(np.ravel(run["b.z"][-1])[0])])
    assert np.ptp(ends, axis=0) == pytest.approx(0.0, abs=1e-12)
    assert ends[0][1] == pytest.approx(np.exp(-1.0), rel=1e-8)


def test_outputs_without_feedthrough_close_loops_that_others_may_not():
    pair = {"sees": ["b.y"], "gives": ["y"]}, {"sees": ["a.y"], "gives": ["y"]}
    through = lambda t, x, z: (0.5 * x[0] + z[0], (-z[0],))
    s = cart()
    s.add_block("a", kf.Block(through, states=1, **pair[0]))
    s.add_block("b", kf.Block(through, states=1, **pair[1]))
    with pytest.raises(kf.ModelError, match='algebraic loop: block "a" sees block "b" sees block "a"'):
        s.simulate(1.0)
    s.blocks["b"] = kf.Block(lambda t, x, z: (x[0] - z[0],), states=1, initial=1.0, outputs=lambda t, z: z[0], **pair[1])
    run = s.simulate(1.0, **TIGHT)
    exact = expm(np.array([[-1.0, 0.0], [1.0, 0.5 - 1.0]])) @ [0.0, 1.0]  # za' = -za, zb' = ya - zb, ya = 0.5 zb + za
    assert [run["a.z_"][-1], run["b.z_"][-1]] == pytest.approx(exact, abs=1e-11)


def test_an_input_function_and_a_load_see_a_block():
    s = cart(inputs=("motor", "push"))
    s.add_block("lag", kf.blocks.FirstOrder(0.5, sees="push"))
    s.apply("drag", kf.JointForce("cart", lambda t, x: -x[0], sees=["lag.output"]))
    run = s.simulate(2.0, inputs={"push": 3.0, "motor": (lambda t, x: 2.0 * x[0], ["lag.lag"])}, **TIGHT)
    assert run["lag.output"] == pytest.approx(3.0 * (1 - np.exp(-2.0 * run.t)), abs=1e-11)
    assert run["motor"] == pytest.approx(2 * run["lag.output"], abs=1e-15)
    assert run["drag.power"] == pytest.approx(-run["lag.output"] * run["cart.rate"], abs=1e-12)


def test_equilibrium_finds_the_states_of_blocks():
    s = kf.System("arm", gravity=(0, -9.81, 0))
    s.add("arm", kf.Rigid(2.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.2)), kf.Revolute("z"), q=0.3)
    s.add_input("motor", kf.JointForce("arm"))
    s.add_block("servo", kf.blocks.PID(60.0, 40.0, 15.0, target=0.5, sees=["arm.q"], drives=["motor"]))
    rest = s.equilibrium()
    torque = 2.0 * 9.81 * 0.5 * np.cos(0.5)
    assert rest["arm.q"] == pytest.approx(0.5, abs=1e-12)
    assert [rest["servo.integral"], rest["servo.filtered"]] == pytest.approx([torque, 0.5], rel=1e-12)
    assert max(s.linearize(rest).eigenvalues().real) < 0
    run = s.simulate(1.0, initial=rest)
    assert np.ptp(run["arm.q"]) < 1e-9


def test_save_load_and_extend(tmp_path):
    s = cart()
    s.add_block("servo", kf.blocks.PID(60.0, 40.0, 15.0, limit=20.0, target=1.0, sees=["cart.q"], drives=["motor"]))
    whole, first = s.simulate(2.0), s.simulate(1.0)
    again = kf.Run.load(first.save(tmp_path / "run.h5"))
    assert again["servo.z"] == pytest.approx(first["servo.z"], abs=0.0) and again.model.blocks["servo"] == s.blocks["servo"]
    on = again.extend(1.0)
    for name in ("cart.q", "servo.integral", "motor"):
        assert on[name][-1] == pytest.approx(whole[name][-1], abs=1e-9)
    joined = first.extend(1.0, joined=True)
    assert joined["servo.z"].shape[0] == len(joined.t)


def test_functions_of_blocks_are_given_again_when_loaded(tmp_path):
    s = cart()
    s.add_block("b", kf.Block(heat, states=1, sees="cart.rate", drives="motor"))
    path = s.simulate(1.0).save(tmp_path / "run.h5")
    with pytest.raises(kf.ModelError, match=r'"b\.function"'):
        kf.Run.load(path).extend(1.0)
    assert kf.Run.load(path, functions={"b.function": heat}).extend(1.0).status == "done"


def test_states_go_on_through_impacts_and_changes():
    s = kf.System("ball", gravity=(0, 0, -9.81))
    s.add("ball", kf.PointMass(1.0), kf.Prismatic("z"), q=1.0)
    s.contact("floor", kf.Contact("ball", restitution=0.8, after="bounce"))
    s.add("disk", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"), rates=1.0)
    s.add_block("clock", kf.Block(lambda t, x, z: (1.0,), states=["time"], outputs=lambda t, z: (), gives=()))
    lock = kf.Event(lambda t: t - 0.7, action=lambda state, change: change.lock("disk"))
    run = s.simulate(1.0, events=[lock])
    assert len(run.segments) >= 1 and run["clock.time"] == pytest.approx(run.t, abs=1e-9)


def test_an_events_action_sets_a_state():
    s = cart()
    s.add_block("clock", kf.Block(lambda t, x, z: (1.0,), states=["time"], outputs=lambda t, z: (), gives=()))

    def reset(state):
        state["clock.time"] = 0.0

    run = s.simulate(1.0, events=[kf.Event(lambda t, x: x[0] - 0.4, sees=["clock.time"], action=reset, direction=1)])
    assert len(run.events) == 2 and run["clock.time"][-1] == pytest.approx(0.2, abs=1e-9)


def test_initial_values_by_name():
    s = cart()
    s.add_block("lag", kf.blocks.FirstOrder(0.5, sees="cart.q", drives="motor"))
    assert s.simulate(0.1, initial={"cart.q": 0.3, "lag.lag": 0.7})["motor"][0] == 0.7
    assert s.state({"lag.z": 0.4})["lag.lag"] == 0.4


@pytest.mark.parametrize("formulation", ["recursive", "dense", "embedded"])
@pytest.mark.parametrize("method", ["dopri5", "dop853", "sdirk4", "radau5", "cvode", "rk4"])
def test_in_every_formulation_and_method(formulation, method):
    def system():
        s = kf.System("four-bar", gravity=(0, -9.81, 0))
        rod = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1), frames={"tip": (1.0, 0, 0)})
        for k, name in enumerate(("left", "right")):
            s.add(name, rod, kf.Revolute("z"), at=(1.3 * k, 0, 0), q=1.0)
        s.constrain("top", kf.Distance("left.tip", "right.tip", 1.3))
        s.add_input("motor", kf.JointForce("left"))
        s.add_block("servo", kf.blocks.PID(30.0, 10.0, 5.0, target=1.3, sees=["left.q"], drives=["motor"]))
        return s

    step = {"step": 1e-3} if method == "rk4" else {}
    run = system().simulate(0.5, formulation=formulation, method=method, rtol=1e-9, atol=1e-11, **step)
    exact = system().simulate(0.5, **TIGHT)
    for name in ("left.q", "servo.integral", "motor"):
        assert run[name][-1] == pytest.approx(exact[name][-1], abs=2e-6)


BAD = {
    "no block": (lambda s: s.add_block("b", 3.0), "give a Block"),
    "unknown input": (lambda s: s.add_block("b", kf.blocks.PID(1.0, sees="cart.q", drives="rudder")), "rudder"),
    "driven twice": (
        lambda s: [s.add_block(n, kf.blocks.PID(1.0, sees="cart.q", drives="motor")) for n in "ab"],
        'input "motor", which block "a" drives',
    ),
    "outputs and inputs": (lambda s: kf.blocks.PID(1.0, sees="cart.q", drives=["motor", "push"]), "2 inputs and has 1"),
    "unknown channel": (lambda s: (s.add_block("b", kf.blocks.PID(1.0, sees="cart.z")), s.simulate(1.0)), 'block "b" sees'),
    "size": (
        lambda s: (s.add_block("b", kf.blocks.FirstOrder(1.0, sees="cart.position")), s.simulate(1.0)),
        "takes 1 values",
    ),
    "rates": (
        lambda s: (s.add_block("b", kf.Block(lambda t, x, z: ((), (1.0, 2.0)), states=1)), s.simulate(1.0)),
        "as its 1 rates of states",
    ),
    "returned": (lambda s: (s.add_block("b", kf.Block(lambda t, x, z: 1.0, states=1)), s.simulate(1.0)), "return .outputs"),
    "raises": (
        lambda s: (s.add_block("b", kf.Block(lambda t, x, z: x[5], states=1)), s.simulate(1.0)),
        "its function fails",
    ),
    "name of a state": (lambda s: kf.Block(heat, states=["z"]), 'one called "z"'),
    "two drivers": (
        lambda s: (
            s.add_block("b", kf.blocks.PID(1.0, sees="cart.q", drives="motor")),
            s.simulate(1.0, inputs={"motor": 1.0}),
        ),
        'by block "b" and by its entry',
    ),
    "time constant": (lambda s: kf.blocks.FirstOrder(0.0), "time_constant"),
    "improper": (lambda s: kf.blocks.TransferFunction([1, 0, 0], [1, 1]), "degree"),
    "sampled": (lambda s: kf.blocks.StateSpace(control.ss(1, 1, 1, 0, 0.1)), "continuous"),
    "shapes": (lambda s: kf.blocks.StateSpace(np.eye(2), np.ones((3, 1)), np.ones((1, 2))), "B of a StateSpace"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_blocks_are_refused_by_name(case):
    act, words = BAD[case]
    with pytest.raises(kf.ModelError, match=words):
        act(cart(inputs=("motor", "push")))


@pytest.mark.parametrize("block", ["pid", "state space", "table"])
def test_equations_in_symbols_have_the_states_of_blocks(block):
    """Symbols against kernels, also where a block's function does not run on symbols."""
    s = cart()
    knots = np.linspace(-2.0, 2.0, 9)
    blocks = {
        "pid": kf.blocks.PID(60.0, 40.0, 15.0, target=1.0, limit=20.0, sees=["cart.q"], drives=["motor"]),
        "state space": kf.blocks.StateSpace(
            [[-1.0, 2.0], [0.5, -3.0]], [[1.0], [2.0]], [[1.0, 1.0]], sees=["cart.q"], drives="motor"
        ),
        "table": kf.Block(
            lambda t, x, z: (np.interp(z[0], knots, knots**3), (x[0] - z[0],)), states=1, sees="cart.q", drives="motor"
        ),
    }
    s.add_block("servo", blocks[block])
    eq = s.equations()
    assert [eq.names[z] for z in eq.z] == list(s.dynamics().plan.index.states) and len(eq.zdot) == len(eq.z)
    run, symbolic = s.simulate(1.0, **TIGHT), s.simulate(1.0, equations=eq, **TIGHT)
    for name in ("cart.q", "servo.z", "motor"):
        gain = 1e3 if name == "motor" else 1.0  # of the controller, on what the steps leave
        assert symbolic[name] == pytest.approx(run[name], abs=1e-10 * gain)
    if block != "table":
        d, y = s.dynamics(), np.array([0.2, -0.4, *(0.1 + k for k in range(len(eq.z)))])
        assert eq.function()(0.0, y) == pytest.approx(d.derivative(0.0, d.layout.with_works(y))[: len(y)], rel=1e-12)


def test_c_code_has_the_states_of_blocks(tmp_path):
    s = cart()
    s.add_block("servo", kf.blocks.PID(60.0, 40.0, 15.0, target=1.0, sees=["cart.q"], drives=["motor"]))
    eq = s.equations()
    source, _ = eq.export_c(tmp_path)
    library = tmp_path / "cart.so"
    subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    rates = ctypes.CDLL(str(library)).cart_rates
    y = np.array([0.2, -0.4, 0.7, 0.1])
    parameters = np.array([eq.values[p] for p in sorted(eq.values, key=str)])
    q, u, x, r = y[:1].copy(), y[1:2].copy(), y[2:].copy(), np.zeros(1)
    qdot, xdot, udot = np.zeros(1), np.zeros(2), np.zeros(1)
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (q, u, x, r, parameters, qdot, xdot, udot)]
    assert rates(ctypes.c_double(0.0), *pointers) == 0
    d = s.dynamics()
    assert np.concatenate([qdot, udot, xdot]) == pytest.approx(d.derivative(0.0, d.layout.with_works(y))[:4], rel=1e-13)
