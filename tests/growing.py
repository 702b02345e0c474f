"""Systems that change during a run: when, by what, and whether the books balance."""

import math
from functools import cache

import numpy as np
import pytest

import kaneflex as kf

G = 9.81
TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
LINK = kf.Rigid(0.1, com=(0.05, 0, 0), inertia=(1e-5, 1e-4, 1e-4), frames={"tip": (0.1, 0, 0)})


@cache
def passing(time):
    return lambda t: t - time


@cache
def every(interval):
    """A function with a zero at every multiple of an interval."""
    return lambda t: math.sin(math.pi * t / interval)


def at(time, action, **more) -> kf.Event:
    return kf.Event(passing(time), direction=1, action=action, **{"name": "change"} | more)


def hub(gravity=(0, 0, 0), mass=30.0, joint=None, rates=(0.1, 0.2, -0.1, 0.2, -0.1, 0.3)) -> kf.System:
    s = kf.System("hub", gravity=gravity)
    body = kf.Rigid(mass, com=(0.02, 0.01, -0.03), inertia=(3.0, 4.0, 5.0), frames={"tip": (0.4, 0.1, 0)})
    s.add("hub", body, kf.Free() if joint is None else joint, rates=rates)
    return s


def left_over(jump: kf.Impact) -> list[float]:
    """What of the momenta and the energy appears at a jump without having come with a body, relative to what there is."""
    came = jump.exchange
    pairs = (
        (jump.linear_momentum, came.linear_momentum),
        (jump.angular_momentum, came.angular_momentum),
        (jump.energy, came.energy),
    )
    scale = max(1.0, *(float(np.abs(x).max()) for (before, after), _ in pairs for x in (before, after)))
    return [float(np.abs(np.subtract(after, before) - x).max()) / scale for (before, after), x in pairs]


def check_books(run: kf.Run, tolerance=1e-12) -> None:
    """No momentum or energy comes from nowhere at a change, and over the run what came and what was done add up."""
    for jump in run.impacts:
        assert max(left_over(jump)) < tolerance
    a = run.audit
    gained = a.applied_work - a.dissipated_work + a.exchanged_energy
    assert a.energy_end - a.energy_start == pytest.approx(gained, abs=2 * len(run.segments) * a.limit * a.energy_scale)
    assert a.ok
