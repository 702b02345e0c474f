"""What a user function raises is raised by the call that evaluated it, and by no other."""

import warnings

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.kernels import backend
from kaneflex.plan.laws import SlowLawWarning

FAR = np.array([10.0])
REST = np.zeros(1)


class Table:
    def __call__(self, t, x):
        return table(t, x)


def table(t, x):
    """Compiled, it raises where x[0] is beyond its end."""
    if x[0] > 5.0 or t > 5.0:
        raise IndexError("beyond the end of the table")
    return -2.0 * x[0]


def system(law=table, name="bad"):
    s = kf.System(name)
    s.add("c", kf.Rigid(1.0), kf.Prismatic("x"), q=1.0)
    s.apply("spring", kf.JointForce("c", law, sees=["c.q"]))
    return s


def repeated(d):
    out, q = np.zeros(1), np.ones(1)
    for _ in range(3):
        d.udot(q, REST, None, out)
    q[0] = 10.0
    return d.udot(q, REST, None, out)


CALLS = {
    "udot": lambda d: d.udot(FAR, REST),
    "udot of lists": lambda d: d.udot([10.0], [0.0]),
    "udot again": repeated,
    "bind": lambda d: d.bind(FAR, REST, REST, np.zeros(1))(),
    "derivative": lambda d: d.derivative(0.0, np.array([10.0, 0.0, 0.0, 0.0])),
    "inverse dynamics": lambda d: d.inverse_dynamics(FAR, REST, REST),
    "bias": lambda d: d.bias(FAR, REST),
    "udot_at": lambda d: d.udot_at(0.0, FAR, REST),
    "time": lambda d: d.udot_at(6.0, REST, REST),
    "coordinate rates": lambda d: d.coordinate_rates(FAR, REST),
    "loads": lambda d: d.loads(np.zeros(1), np.array([[10.0, 0.0]])),
    "sample": lambda d: d.sample(np.zeros(2), np.array([[1.0, 0.0], [10.0, 0.0]])),
    "kinetic energy": lambda d: d.kinetic_energy(FAR, REST),
    "potential energy": lambda d: d.potential_energy(FAR),
    "momentum": lambda d: d.momentum(FAR, REST),
    "check": lambda d: d.check_regular(0.0, FAR, REST),
}


@pytest.mark.parametrize("law", [table, Table()], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_every_call_raises_what_a_law_raised(call, law):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowLawWarning)
        d = system(law).dynamics()
    with pytest.raises(IndexError, match="beyond the end") as caught:
        call(d)
    assert 'in load "spring"' in caught.value.__notes__[0]
    assert d.udot_at(0.0, np.ones(1), REST) == [-2.0]  # it was raised once


def test_another_system_does_not_see_it():
    bad, good = system().dynamics(), system(lambda t, x: -x[0], "good")
    with pytest.raises(IndexError):
        bad.udot_at(0.0, FAR, REST)
    assert good.simulate(1.0).status == "done"
    assert good.dynamics().udot_at(0.0, FAR, REST) == [-10.0]


def test_another_run_of_the_same_system_does_not_see_it():
    s = system()
    with pytest.raises(IndexError, match="beyond") as caught:
        s.simulate(1.0, initial={"c.q": 4.9, "c.rate": 20.0})
    assert 'in load "spring"' in caught.value.__notes__[0]
    assert s.simulate(1.0).status == "done"


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau5", "sdirk4", "cvode"])
def test_every_method_raises_it(method):
    pytest.importorskip("sksundae" if method == "cvode" else "numpy")
    with pytest.raises(IndexError, match="beyond") as caught:
        system().simulate(1.0, initial={"c.q": 4.9, "c.rate": 20.0}, method=method)
    assert 'in load "spring"' in caught.value.__notes__[0]


def test_motions_raise_in_follow_and_project():
    def value(t):
        if t > 0.5:
            raise IndexError("beyond the end of the table")
        return t * t

    s = kf.System("driven")
    s.add("c", kf.Rigid(1.0), kf.Prismatic("x", motion=kf.profiles.Motion(value, lambda t: 2.0 * t, lambda t: 2.0)))
    s.add("d", kf.Rigid(1.0), kf.Prismatic("y"), parent="c")
    d = s.dynamics()
    for call in (d.follow, d.project):
        with pytest.raises(IndexError) as caught:
            call(1.0, np.zeros(6))
        assert 'in motion of "c.slide"' in caught.value.__notes__[0]


def test_linearize_raises_it():
    s = system(lambda t, x: -2.0 * x[0] * (1.0 if x[0].real < 5.0 else np.zeros(1)[3]))
    with pytest.raises(IndexError) as caught:
        s.linearize(s.state({"c.q": 10.0}))
    assert 'in load "spring"' in caught.value.__notes__[0]


# ---- kernels that cannot be compiled


@pytest.fixture
def uncompiled(monkeypatch):
    """Lets stages be compiled anew, and fail."""
    backend.connect(np.zeros(1000, np.int64))
    world = backend.compiled()
    shared = world.tables[float,]
    kept, compiled = shared.addresses.copy(), dict(world.stages)

    def fail(*names):
        for n, key in enumerate(backend._stages):
            if key[1] in names:
                world.stages.pop((key, float), None)
                shared.compile_when_called(n, key, float)
        monkeypatch.setattr(backend, "_compiled_stage", lambda *arguments: 1 / 0)

    yield fail
    shared.addresses[:] = kept
    world.stages.update(compiled)


def test_a_kernel_that_cannot_be_compiled_is_an_error_of_the_call(uncompiled, monkeypatch, capfd):
    d = system(lambda t, x: -2.0 * x[0]).dynamics()
    y = np.array([1.0, 0.0, 0.0, 0.0])
    right = d.derivative(0.0, y)
    uncompiled("derivative", "prepare", "forward_pass")
    calls = (lambda: d.derivative(0.0, y), lambda: d.udot(FAR, REST), lambda: d.bind(FAR, REST, REST, np.zeros(1))())
    for call in calls:
        with pytest.raises(ZeroDivisionError) as caught:
            call()
        assert "was compiled" in caught.value.__notes__[0]
    monkeypatch.undo()
    assert np.array_equal(d.derivative(0.0, y), right)
    assert "Exception ignored" not in capfd.readouterr().err


def test_a_kernel_that_cannot_be_compiled_ends_a_run(uncompiled):
    s = system(lambda t, x: -2.0 * x[0])
    uncompiled("event_values")
    with pytest.raises(ZeroDivisionError, match="division"):
        s.simulate(1.0, events=[kf.Event(lambda t: t - 0.5)])
