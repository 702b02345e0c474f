"""Numbers that user functions refer to: as they are when a run starts, and data of code that is compiled once."""

import functools
import math
import os
import subprocess
import sys
import types
import warnings

import numba
import numpy as np
import pytest
import symengine

import kaneflex as kf
from kaneflex.kernels import symbolic_ops
from kaneflex.kernels.compiled_ops import call_law, pointer
from kaneflex.kernels.progress import progress
from kaneflex.plan.laws import CompiledFunction, SlowLawWarning, machine
from kaneflex.plan.motion_law import motion_law

GAIN = 2.0
SHAPE = (1.0, (2, True))


@numba.njit
def evaluate(address, t, x, out):
    call_law(address, t, pointer(x), 0, pointer(out), 0)


def values(law, t=0.5, x=(), dtype=np.float64):
    out = np.zeros(law.outputs, dtype)
    evaluate(law.address if dtype is np.float64 else law.complex_address, t, np.array([*x, 0.0], dtype), out)
    return out


@pytest.fixture
def no_compiling(monkeypatch):
    """From when it is called on, compiling a user function is an error."""

    def refuse(*arguments, **more):
        raise AssertionError("a user function was compiled")

    return lambda: monkeypatch.setattr(machine, "_compiled", refuse)


# ---- compiled once


def helper(v):
    return GAIN * v


def with_default(t, x, scale=1.0, *, shift=0.0):
    return scale * x[0] + shift


module = types.ModuleType("numbers_of_mine")


def makers():
    def closure(k):
        return lambda t, x: k * x[0] + t

    def whole(k):
        n = int(3 * k)
        return lambda t, x: float(n) * x[0]

    def array(k):
        K = np.array([k, -1.0, 2.0 * k])
        return lambda t, x: K[0] * x[0] + K[1] * t + K[2]

    def matrix(k):
        A = k * np.arange(6.0).reshape(2, 3)
        return lambda t, x: (A @ np.array([x[0], t, 1.0]))[1]

    def pair(k):
        p = (k, (2, k > 1.0))
        return lambda t, x: p[0] * x[0] + p[1][0] if p[1][1] else t

    def bound(k):
        return functools.partial(with_default, scale=k, shift=2.0 * k)

    def default(k):
        return lambda t, x, k=k: k * x[0]

    def helped(k):
        def inner(v):
            return k * v

        return lambda t, x: inner(x[0]) + inner(inner(t))

    def inside(k):
        return lambda t, x: sum([k * v for v in (x[0], t)])

    def numpys(k):
        k = np.float64(k)
        return lambda t, x: np.sin(k * x[0])

    def switch(k):
        on = k > 1.0
        return lambda t, x: k * x[0] if on else t

    return [closure, whole, array, matrix, pair, bound, default, helped, inside, numpys, switch]


@pytest.mark.parametrize("make", makers(), ids=lambda f: f.__name__)
def test_other_numbers_are_the_same_code(make, no_compiling):
    first = CompiledFunction(make(1.25), 1, 1, name="load 'f'")
    assert first.compiled
    no_compiling()
    for k in (1.5, 0.5, -3.0):
        f = make(k)
        law = CompiledFunction(f, 1, 1, name="load 'f'")
        assert law.compiled and law.machine_code == first.machine_code
        np.testing.assert_allclose(values(law, 0.5, [0.3]), f(0.5, np.array([0.3])), rtol=1e-14)
    np.testing.assert_allclose(values(first, 0.5, [0.3]), make(1.25)(0.5, np.array([0.3])), rtol=1e-14)


@pytest.mark.parametrize("make", [m for m in makers() if m.__name__ in ("closure", "array", "helped", "bound")])
def test_other_numbers_are_the_same_code_for_derivatives(make, no_compiling):
    _ = CompiledFunction(make(1.25), 1, 1, name="load 'f'").complex_address
    no_compiling()
    f, h = make(1.75), 1e-6
    step = values(CompiledFunction(f, 1, 1, name="load 'f'"), 0.5, [0.3 + 1e-30j], np.complex128)
    slope = (f(0.5, np.array([0.3 + h])) - f(0.5, np.array([0.3 - h]))) / (2 * h)
    np.testing.assert_allclose(step.imag / 1e-30, slope, rtol=1e-8)


def test_globals_of_a_helper_and_of_a_module(monkeypatch, no_compiling):
    monkeypatch.setattr(module, "stiffness", 3.0, raising=False)

    def law(t, x):
        return helper(x[0]) + module.stiffness

    first = CompiledFunction(law, 1, 1, name="load 'f'")
    assert first.compiled
    no_compiling()
    monkeypatch.setattr(module, "stiffness", 5.0)
    monkeypatch.setitem(globals(), "GAIN", 7.0)
    second = CompiledFunction(law, 1, 1, name="load 'f'")
    assert values(first, 0.0, [1.0]) == [5.0] and values(second, 0.0, [1.0]) == [12.0]


def test_ready_made_profiles_are_the_same_code(no_compiling):
    def law_of(profile):
        f = motion_law(profile, "motion")
        return CompiledFunction(f, 0, 3, name="motion", symbolic=f.symbolic)

    law_of(kf.profiles.hold(1.0))
    no_compiling()
    p = kf.profiles
    for profile in (p.spin_up(6.0, 15.0), p.quintic(1.0, 2.0), p.table([0, 1, 2, 3, 5, 7, 8], [0, 1, 3, 2, 2, 1, 0.5])):
        law = law_of(profile)
        for t in (0.3, 1.4, 6.0, 20.0):
            wanted = [profile.functions[k](t) for k in (2, 0, 1)]
            np.testing.assert_allclose(values(law, t), wanted, rtol=1e-13, atol=1e-13)


def test_derived_motions_are_the_same_code(no_compiling):
    def law_of(a, w, b):
        f = motion_law(lambda t: a * np.sin(w * t) + b * np.exp(-w * t), "motion")
        return CompiledFunction(f, 0, 3, name="motion", symbolic=f.symbolic)

    law_of(1.5, 0.3, 0.7)
    no_compiling()
    for a, w, b in ((-2.5, 0.7, 0.1), (0.2, 1.9, -3.0), (4.0, 0.6, 40.0)):
        t, law = 0.8, law_of(a, w, b)
        sine, cosine, decay = math.sin(w * t), math.cos(w * t), math.exp(-w * t)
        wanted = [w * w * (b * decay - a * sine), a * sine + b * decay, w * (a * cosine - b * decay)]
        np.testing.assert_allclose(values(law, t), wanted, rtol=1e-13)


def test_constraints_are_the_same_code(no_compiling):
    def rod(length):
        s = kf.System("rod", gravity=(0, 0, -9.81))
        s.add("a", kf.PointMass(1.0), kf.Translational(), q=(length, 0, 0))
        s.constrain("rod", kf.Constraint(lambda t, x: x[0] ** 2 + x[1] ** 2 + x[2] ** 2 - length**2, sees=["a.position"]))
        return s.simulate(0.2)

    rod(1.25)
    no_compiling()
    run = rod(1.75)
    np.testing.assert_allclose(np.linalg.norm(run["a.position"], axis=1), 1.75, rtol=1e-12)


def test_numbers_that_must_be_constants_are_compiled_in():
    """Which entry of a tuple of several types is wanted is a constant for Numba."""

    def make(n):
        return lambda t: float((t, 3)[n])

    laws = [CompiledFunction(make(n), 0, 1, name="load 'f'") for n in (0, 1, 0)]
    assert all(law.compiled for law in laws)
    assert [values(law)[0] for law in laws] == [0.5, 3.0, 0.5]
    assert laws[0].machine_code == laws[2].machine_code != laws[1].machine_code


def test_a_function_that_numba_refuses_is_tried_once(monkeypatch):
    tries = []
    compiled = machine._compiled
    monkeypatch.setattr(machine, "_compiled", lambda *a, **k: tries.append(1) or compiled(*a, **k))
    things = {"a": 1.0}
    for k in range(3):
        with pytest.warns(SlowLawWarning, match="things"):
            law = CompiledFunction(lambda t, k=float(k): things["a"] * k, 0, 1, name="load 'f'")
        assert values(law) == [k]
    assert len(tries) <= 2  # with the number as data, and as a constant


def test_an_array_of_the_users_is_copied_and_never_written_to():
    gains = np.array([1.0, 2.0])

    def keeps(t):
        gains[0] += 1.0
        return gains[0]

    with pytest.warns(SlowLawWarning):
        law = CompiledFunction(keeps, 0, 1, name="load 'f'")
    assert not law.compiled  # what it does to the array is meant for the user's own
    before = gains[0]
    assert values(law)[0] == before + 1.0 == gains[0]


def test_a_thousand_fresh_lambdas_are_quick():
    def make(k):
        return lambda t, x: -k * x[0] + np.sin(t)

    CompiledFunction(make(0.5), 1, 1, name="load 'f'")
    before = progress.seconds
    laws = [CompiledFunction(make(float(k)), 1, 1, name="load 'f'") for k in range(1000)]
    assert progress.seconds == before
    assert {law.machine_code for law in laws} == {laws[0].machine_code}
    assert [values(law, 0.0, [1.0])[0] for law in laws[:5]] == [0.0, -1.0, -2.0, -3.0, -4.0]


# ---- which values count


def pushed(law, **more):
    s = kf.System("pushed")
    s.add("c", kf.Rigid(1.0), kf.Prismatic("x"))
    s.apply("push", kf.JointForce("c", law, **more))
    return s


def test_a_changed_value_is_seen_by_the_next_run():
    force, forces = 2.0, np.array([1.0, 3.0])
    systems = [
        pushed(lambda t: force),
        pushed(lambda t: GAIN * force),
        pushed(lambda t: forces[1]),
        pushed(functools.partial(lambda a, t: a * force, 1.0)),
    ]
    s = kf.System("driven")
    s.add("c", kf.Rigid(1.0), kf.Prismatic("x", motion=lambda t: force * t * t / 2))
    complete = kf.System("driven")
    motion = kf.profiles.Motion(lambda t: force * t * t / 2, lambda t: force * t, lambda t: force)
    complete.add("c", kf.Rigid(1.0), kf.Prismatic("x", motion=motion))
    systems += [s, complete]
    ends = [s.simulate(1.0)["c.q"][-1] for s in systems]
    np.testing.assert_allclose(ends, [1.0, 2.0, 1.5, 1.0, 1.0, 1.0], rtol=1e-9)
    force, forces[1] = 6.0, 8.0
    ends = [s.simulate(1.0)["c.q"][-1] for s in systems]
    np.testing.assert_allclose(ends, [3.0, 6.0, 4.0, 3.0, 3.0, 3.0], rtol=1e-9)
    np.testing.assert_allclose([s.dynamics().udot_at(0.0, np.zeros(1), np.zeros(1))[0] for s in systems[:2]], [6.0, 12.0])


def test_an_unchanged_system_keeps_its_plan():
    force = 2.0
    s = pushed(lambda t: force)
    assert s.dynamics().plan is s.dynamics().plan
    before = s.dynamics().plan
    force = 3.0
    assert s.dynamics().plan is not before


def test_a_custom_joint_and_a_constraint_see_changed_values():
    slope, length = 0.5, 2.0

    def incline(q):
        return np.eye(3).tolist(), [q[0], slope * q[0], 0]

    s = kf.System("bead")
    s.add("bead", kf.Rigid(1.0), kf.CustomJoint(incline, ("s",)), rates=1.0)
    rod = kf.System("rod")
    rod.add("a", kf.PointMass(1.0), kf.Translational(), q=(2.0, 0, 0))
    rod.constrain("rod", kf.Constraint(lambda t, x: x[0] - length, sees=["a.position"]))
    assert s.simulate(1.0)["bead.position"][-1, 1] == pytest.approx(0.5)
    assert rod.simulate(0.1)["a.position"][-1, 0] == pytest.approx(2.0)
    slope, length = 0.25, 2.001
    assert s.simulate(1.0)["bead.position"][-1, 1] == pytest.approx(0.25)
    assert rod.assemble().state.q[0] == pytest.approx(2.001)


@pytest.mark.parametrize("interpreted", [False, True])
def test_values_count_as_they_are_when_the_run_starts(interpreted):
    """Also where the system becomes another one in the run, whose functions are made anew."""
    force, table = 1.0, {"one": 1.0}

    def law(t):
        return force * (table["one"] if interpreted else 1.0)

    def action(state, change):
        nonlocal force
        force = 50.0
        change.lock("other")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowLawWarning)
        s = pushed(law)
        s.add("other", kf.Rigid(1.0), kf.Prismatic("y"))
        run = s.simulate(1.0, events=[kf.Event(lambda t: t - 0.5, action=action)])
        assert len(run.segments) == 1 and run["c.q"][-1] == pytest.approx(0.5)
        force = 2.0
        assert s.simulate(1.0)["c.q"][-1] == pytest.approx(1.0)


@pytest.mark.filterwarnings("ignore::kaneflex.plan.laws.SlowLawWarning")
def test_objects_are_looked_into_and_may_be_replaced():
    box = types.SimpleNamespace(force=2.0)
    s = pushed(lambda t: box.force)
    assert s.simulate(1.0)["c.q"][-1] == pytest.approx(1.0)
    box.force = 4.0
    assert s.simulate(1.0)["c.q"][-1] == pytest.approx(2.0)
    box = types.SimpleNamespace(force=6.0)
    assert s.simulate(1.0)["c.q"][-1] == pytest.approx(3.0)


def test_inputs_and_events_follow_the_same_rule():
    force = 1.0
    s = kf.System("pushed")
    s.add("c", kf.Rigid(1.0), kf.Prismatic("x"))
    s.add_input("push", kf.JointForce("c"))

    def action(state):
        nonlocal force
        force = 50.0

    event = kf.Event(lambda t: t - 0.5 * force, action=action, name="half")
    run = s.simulate(1.0, inputs={"push": lambda t: force}, events=[event])
    assert run["c.q"][-1] == pytest.approx(0.5) and run.events == [(pytest.approx(0.5), "half")]
    force = 1.5
    run = s.simulate(1.0, inputs={"push": lambda t: force}, events=[event])
    assert run["c.q"][-1] == pytest.approx(0.75) and run.events == [(pytest.approx(0.75), "half")]


def test_a_function_that_counts_its_calls_keeps_its_state():
    calls = 0

    def law(t):
        nonlocal calls
        calls += 1
        return 1.0

    with pytest.warns(SlowLawWarning):
        run = pushed(law).simulate(1.0)
    assert calls > run.statistics["evaluations"]


def test_symbols_see_the_same_values():
    k = 3.0
    law = CompiledFunction(lambda t, x: k * x[0], 1, 1, name="load 'f'")
    k = 5.0
    t, a = symengine.symbols("t a")
    assert symbolic_ops.laws[law.symbolic_key](t, [a]) == [3.0 * a]


# ---- on disk

PROGRAM = """
import sys
import numpy as np
from kaneflex.kernels.progress import progress
from kaneflex.plan.laws import CompiledFunction, machine
import numba
from kaneflex.kernels import symbolic_ops
from kaneflex.kernels.compiled_ops import call_law, pointer

@numba.njit
def evaluate(address, t, x, out):
    call_law(address, t, pointer(x), 0, pointer(out), 0)

def inner(v):
    return EXPRESSION

def make(k, K):
    return lambda t, x: k * inner(x[0]) + K[1]

number = float(sys.argv[1])
law, out = CompiledFunction(make(number, np.array([1.0, number])), 1, 1, name="load 'f'"), np.zeros(1)
evaluate(law.address, 0.0, np.array([2.0]), out)
print(out[0], progress._functions)
tried = []
attempt, machine._compiled = machine._compiled, lambda *a, **k: tried.append(1) or attempt(*a, **k)
law = CompiledFunction(lambda t: number * float(f"{t:.3f}"), 0, 1, name="load 'g'")
print(law.compiled, len(tried))
"""


def test_a_second_process_compiles_nothing(tmp_path):
    def run(number, expression="v * v"):
        program = "import warnings; warnings.simplefilter('ignore')\n" + PROGRAM.replace("EXPRESSION", expression)
        environment = os.environ | {"KANEFLEX_CACHE": str(tmp_path)}
        arguments = [sys.executable, "-c", program, str(number)]
        done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=True)
        return [line.split() for line in done.stdout.splitlines()]

    first, second = run(1.5), run(2.5)
    assert [float(v) for v in first[0]] == [1.5 * 4.0 + 1.5, 1.0]
    assert [float(v) for v in second[0]] == [2.5 * 4.0 + 2.5, 0.0]
    assert first[1] == ["False", "2"] and second[1] == ["False", "0"]  # what cannot be compiled is known as well
    changed = run(2.5, "v + v + v")  # a helper
    assert [float(v) for v in changed[0]] == [2.5 * 6.0 + 2.5, 1.0]


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x80\x04.", b"\x80\x04K\x01."])
def test_damaged_files_are_as_good_as_none(content, tmp_path):
    path = tmp_path / "f.function"
    path.write_bytes(content)
    assert machine._load(path) is None


def test_files_that_were_not_used_for_long_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "_FILES", 4)
    for k in range(5):
        (tmp_path / f"{k}.function").write_bytes(b"")
        os.utime(tmp_path / f"{k}.function", (1000.0 - k, 1000.0 - k))
    machine._prune(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0.function", "1.function"]
