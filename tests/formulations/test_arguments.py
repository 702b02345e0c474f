"""No method of `Dynamics` reads or writes beyond an array: each refuses what does not fit, and names it."""

import inspect

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.plan.channels import SensorTable, add_channel


def system(name: str = "linkage") -> kf.System:
    """A driven crank, a flywheel, a quaternion, a constraint and two inputs: all sizes differ."""
    s = kf.System(name, gravity=(0, 0, -9.81))
    box = {"inertia": (0.1, 0.2, 0.25), "frames": {"tip": (0.3, 0.1, 0)}}
    s.add("crank", kf.Rigid(1.0, **box), kf.Revolute("z", motion=kf.profiles.constant_rate(1.0)))
    s.add("bus", kf.Rigid(2.0, **box), kf.Free())
    s.add_rotor("wheel", "bus", kf.Rotor("z", 0.01))
    s.add("arm", kf.Rigid(1.0, **box), kf.Universal(), parent="bus", at="tip")
    s.apply("spring", kf.JointSpring("arm", stiffness=2.0))
    s.add_input("motor", kf.JointForce("wheel"))
    s.add_input("push", kf.Force("bus", (1, 0, 0)))
    s.add_block("filter", kf.blocks.StateSpace(-np.eye(5), np.ones((5, 1)), np.ones((1, 5)), sees=["wheel.rate"]))
    s.constrain("plane", kf.PointOnPlane("bus.tip"))
    return s


SYSTEM = system()
WAYS = (("recursive", "customary"), ("embedded", "efficient"))
DYNAMICS = {way: SYSTEM.dynamics(*way) for way in WAYS}
PLAN = DYNAMICS[WAYS[0]].plan
NQ, NU, NZ, BODIES = PLAN.nq, PLAN.nu, 5, 4
TABLE = SensorTable()
for channel in ("bus.q", "arm.rate", "bus.tip.position", "motor"):
    add_channel(PLAN.index, TABLE, channel)


def fitting() -> dict[str, object]:
    """An argument of every name that fits."""
    q, u = SYSTEM.state().q, np.zeros(NU)
    rows = np.concatenate([q, u])[None, :].repeat(3, axis=0)
    return {
        "t": 0.5,
        "q": q,
        "u": u,
        "tau": np.zeros(NU),
        "udot": np.zeros(NU),
        "out": np.empty(NU),
        "rates": np.zeros(NU),
        "values": np.zeros(2),
        "z": np.zeros(NZ),
        "y": PLAN.layout.join(q, u),
        "times": np.arange(3.0),
        "states": rows,
        "inputs": np.zeros((3, 2)),
        "impulses": np.zeros((BODIES, 6)),
        "given": np.zeros(NU),
        "defects": np.zeros(1),
        "sweeps": 8,
        "limit": 0.5,
        "sensor_integers": TABLE.arrays()[0],
        "sensor_reals": TABLE.arrays()[1],
        "size": TABLE.size,
        "accelerations": False,
        "summed": True,
    }


METHODS = [
    (name, list(inspect.signature(method).parameters)[1:])
    for name, method in inspect.getmembers(kf.Dynamics, inspect.isfunction)
    if not name.startswith("_")
]
FLAGS = ("accelerations", "summed")
CASES = [(name, parameters, bad) for name, parameters in METHODS for bad in parameters if bad not in FLAGS]


def spoilt(name: str, value):
    """The argument in ways that do not fit."""
    if np.ndim(value) == 0:
        return [np.nan, np.inf, 1j, "x", None, [1.0, 2.0]] if name in ("t", "limit") else [-1]
    value = np.asarray(value)
    if value.dtype == np.int64:
        beyond, outside, elsewhere = value.copy(), value.copy(), value.copy()
        beyond[2], outside[4], elsewhere[1] = NQ, TABLE.size, 99  # index, first entry of the value, body of the first sensor
        return [value[:-1], value.astype(float), list(value), beyond, outside, elsewhere]
    bad = [value[:-1], value[:-3], value[:0], value.astype(complex), value[None], "x", None, float(value.flat[0])]
    bad += [np.concatenate([value, value])] * (name != "y")
    bad += [value[..., :-1]] * (value.ndim == 2)
    if name != "out":
        spoil = value.astype(float)
        spoil.flat[-1] = np.nan
        bad += [spoil, np.where(np.isnan(spoil), np.inf, spoil)]
    return bad


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("name, parameters", METHODS, ids=[name for name, _ in METHODS])
def test_fitting_arguments_are_taken_and_give_finite_numbers(name, parameters, way):
    arguments = {p: fitting()[p] for p in parameters}
    if name == "minimal" and way[0] != "embedded":
        return
    result = getattr(DYNAMICS[way], name)(**arguments)
    if isinstance(result, np.ndarray | float | tuple) and name != "minimal":
        assert all(np.isfinite(x).all() for x in (result if isinstance(result, tuple) else (result,)))


@pytest.mark.parametrize("name, parameters, bad", CASES, ids=[f"{n}-{b}" for n, _, b in CASES])
def test_arguments_that_do_not_fit_are_named(name, parameters, bad):
    for way, dynamics in DYNAMICS.items():
        if name == "minimal" and way[0] != "embedded":
            continue
        optional = inspect.signature(getattr(kf.Dynamics, name)).parameters[bad].default is None
        hot = name in ("udot", "bind")  # on fitting arrays they look at no numbers
        for value in spoilt(bad, fitting()[bad]):
            numbers = isinstance(value, np.ndarray) and value.dtype == float and value.shape == np.shape(fitting()[bad])
            long_enough = name in ("project", "follow") and np.ndim(value) == 1 and len(value) >= NQ + NU
            if (value is None and optional) or (hot and numbers) or long_enough:
                continue
            arguments = {p: fitting()[p] for p in parameters} | {bad: value}
            word = {"values": "inputs", "z": "states", "size": "sensor", "sensor_integers": "sensor"}.get(bad, bad)
            with pytest.raises(kf.ModelError, match=rf"\b{word}"):
                getattr(dynamics, name)(**arguments)


def test_what_is_changed_in_place_must_be_changeable():
    dynamics, y = DYNAMICS[WAYS[0]], fitting()["y"]
    for method in (dynamics.project, dynamics.follow):
        for bad in (list(y), y.astype(np.float32), np.repeat(y, 2)[::2]):
            with pytest.raises(kf.ModelError, match=f"in place.*{NQ + NU} numbers"):
                method(0.0, bad)
    frozen = fitting()["out"]
    frozen.flags.writeable = False
    with pytest.raises(kf.ModelError, match="out"):
        dynamics.bind(fitting()["q"], fitting()["u"], fitting()["tau"], frozen)
    with pytest.raises(kf.ModelError, match="out"):
        dynamics.udot(fitting()["q"], fitting()["u"], None, np.zeros(NU, int))


def test_read_only_lists_and_other_types_of_numbers_are_taken():
    for dynamics in DYNAMICS.values():
        q, u = fitting()["q"], np.linspace(0, 1, NU)
        expected = dynamics.udot(q, u), dynamics.rates_from_speeds(q, u), dynamics.kinetic_energy(q, u)
        frozen = u.copy()
        frozen.flags.writeable = False
        for other in (frozen, list(u), u.astype(np.longdouble), np.repeat(u, 2)[::2]):
            found = dynamics.udot(q, other), dynamics.rates_from_speeds(q, other), dynamics.kinetic_energy(q, other)
            for a, b in zip(found, expected, strict=True):
                assert np.array_equal(a, b)


def test_inputs_are_all_set_or_none():
    dynamics = SYSTEM.dynamics()
    before = dynamics.W.copy()
    for bad in ([], [1.0], [1.0, 2.0, 3.0], np.ones(200), [1.0, np.nan]):
        with pytest.raises(kf.ModelError, match=r"inputs \(motor, push\)"):
            dynamics.set_inputs(bad)
    assert np.array_equal(before, dynamics.W, equal_nan=True)
