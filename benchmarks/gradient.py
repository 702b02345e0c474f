"""Gradients: a flexible slew's cost by the 30 values of its torque, in runs of it; steps taken back against differences.

Processor time of `run.gradient` over that of a run by the usual method, of an integral over the slew and of its last angle;
the peer is what central differences take, two runs by each value.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from kaneflex import Fixed, Flexible, Frame, Integral, JointForce, Parameter, Revolute, Rigid, System, profiles
from kaneflex.benchmarking import Benchmark, BenchmarkError, Row
from kaneflex.structures import Beam

DURATION = 20.0  # s
NEAR = 1e-6  # of central differences, relative


def slew(points: int) -> tuple[System, list[str]]:
    """A hub with two panels of two modes each and masses at their tips, turned by a torque of straight lines."""
    system = System("slew")
    system.add("hub", Rigid(500.0, inertia=(400.0, 400.0, 400.0)), Revolute("z"))
    beam = Beam(8.0, 1.5e9, (1.5e9, 1500.0), 1.0, 10, GJ=1.5e9, rotary=0.0, polar=1e-3)
    panel = Flexible(beam, root="root", modes={"bending y": 2}, damping=0.005, carries=())
    for name, side in {"left": 1.0, "right": -1.0}.items():
        at = Frame((side, 0, 0), (("z", 0.0 if side > 0 else math.pi),))
        system.add(name, panel, Fixed(), parent="hub", at=at)
        system.add(f"{name}_tip", Rigid(2.0), Fixed(), parent=name, at="tip")
    times, names = np.linspace(0.0, 16.0, points), [f"T{k}" for k in range(points)]
    values = [Parameter(name, 4.0 * math.sin(math.pi * t / 8.0) + 0.1) for name, t in zip(names, times, strict=True)]
    system.apply("wheel", JointForce("hub", profiles.signal(times, values)))
    return system, names


def seconds(call: Callable[[], Any], times: int) -> float:
    """Least processor time of a call."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        call()
        found.append(time.process_time() - begun)
    return min(found)


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Time gradients and runs in turn; compare with differences."""
    points, often = (6, 2) if quick else (30, 7)
    system, names = slew(points)
    result = Benchmark("gradient")
    costs = {
        "integral of rate^2 + angle^2/10": Integral(lambda t, x: x[0] ** 2 + 0.1 * x[1] ** 2, ["hub.rate", "hub.q"]),
        "last angle": "hub.q",
    }
    run = system.simulate(DURATION)
    for what, cost in costs.items():
        say(what)
        run.gradient(cost, names)  # compiled now
        one = seconds(lambda: system.simulate(DURATION), often)
        all_names = seconds(lambda cost=cost: run.gradient(cost, names), often)
        result.rows.append(
            Row(f"{what} by {points} values", 3, "central differences", all_names / one, 2.0 * points, "runs")
        )
    sharp = {"rtol": 1e-11, "atol": 1e-13, "times": [DURATION]}
    found = system.simulate(DURATION, **sharp).gradient("hub.q", names)
    off = 0.0
    for k in range(0, points, max(1, points // 3)):
        value = system.parameters[names[k]].value
        low, high = (system.simulate(DURATION, parameters={names[k]: value + d}, **sharp)["hub.q"][-1] for d in (-0.1, 0.1))
        off = max(off, abs((high - low) / 0.2 / found[k] - 1))
    if off > NEAR:
        raise BenchmarkError(f"gradient and central differences are {off:.1e} apart")
    result.notes.append(f"one run: {1e3 * one:.1f} ms; differences of runs at 1e-11 agree to {off:.0e}; processor time")
    return result
