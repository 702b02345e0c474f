"""Scissor lifts of up to a thousand bays against their closed form, and what rounding of their lengths does to it.

With ends at 1 and at r from the crossings, θ_0 = θ and r^j sin θ = sin θ_j,

    θ_j' = r^j cos θ/cos θ_j θ' ,    T = sum (x_j'^2 + θ_j'^2/3) ,    x_j+1 = x_j + r cos θ_j + cos θ_j+1 ,            (1)

and θ'' follows by Lagrange's equation. For r = 1 it is (2) of `scissors`; its derivative by r is what the lengths of the
bars, which are numbers of 53 binary digits as all others, leave open of θ'' at best.
"""

import math

import numpy as np
import pytest
from formulations.identities import STEP

from benchmarks.peers import scissors
from kaneflex.formulations.integration_state import IntegrationState

START, END, RATE = math.radians(80), math.radians(20), -0.3
ROUNDING = 2.0**-53
BY_JOINT = "by a revolute joint"


def angles(n, angle, rate, r):
    """θ_j and θ_j'."""
    k = np.cumprod(np.append(1.0, np.full(n - 1, r)))
    turned = np.arcsin(k * np.sin(angle))
    return turned, k * np.cos(angle) / np.cos(turned) * rate


def acceleration(n, angle, rate, r):
    """θ'' by (1), of real or complex r."""
    turned, t1 = angles(n, angle, 1.0, r)  # derivatives by θ from here on
    s, c = np.sin(turned), np.cos(turned)
    t2 = (s * t1**2 - s) / c
    along = lambda x: np.cumsum(x) + r * (np.cumsum(x) - x)
    x1, x2 = along(-s * t1), along(-c * t1**2 - s * t2)
    M, half = 2 * np.sum(x1**2 + t1**2 / 3), 2 * np.sum(x1 * x2 + t1 * t2 / 3)
    return (scissors.FORCE * (x1[-1] - r * s[-1] * t1[-1]) - half * rate**2) / M


def left_open(n, angle, rate):
    """Part of θ'' that a rounding error of r = 1 changes."""
    change = acceleration(n, angle, rate, 1 + 1j * STEP).imag / STEP
    return ROUNDING * abs(change / scissors.acceleration(n, angle, rate))


def found(d, x):
    """θ'' of the first bar."""
    if d.plan.formulation.name == "cartesian":
        state = IntegrationState(d, d.plan.formulation)
        I, y = state.I, state.from_tree(0.0, x)
    else:
        I, y = d.I, x
    d.kernels.call_derivative(I, d.P, d.W, 0.0, y, np.empty_like(y))
    return d.work.body["a0"].alpha[2]


@pytest.mark.parametrize("way", ["cartesian", "recursive"])
@pytest.mark.parametrize("n", [1, 10, 100])
def test_lengths_that_differ(n, way):
    """(1) is right, and so is its derivative: against bars of the model whose ends are not as far from the crossing."""
    angle, r = math.radians(60), 1 + 0.02 / n
    t, rates = angles(n, angle, RATE, r)
    q, u = (np.zeros(2 * n + 2) for _ in range(2))
    q[:2], u[:2] = (math.cos(angle), 0.0), (-math.sin(angle) * RATE, 0.0)
    for out, x in ((q, t), (u, rates)):
        out[2], out[3::2], out[4::2] = x[0], -2 * x, x[1:] + x[:-1]
    d = scissors.lift(n, BY_JOINT, angle, RATE, tip=r).dynamics(way)
    assert found(d, np.concatenate([q, u, [0.0, 0.0]])) == pytest.approx(acceleration(n, angle, RATE, r), rel=1e-10)
    assert acceleration(n, angle, RATE, 1.0) == pytest.approx(scissors.acceleration(n, angle, RATE), rel=1e-11)


def test_what_rounding_leaves_open():
    """A thousand bays, nearly folded: one rounding error in the lengths changes the solution itself by more than 1e-8."""
    assert left_open(1000, math.radians(88), RATE) == pytest.approx(5.5e-8, rel=0.05)
    assert left_open(1000, math.radians(80), RATE) < 1e-10
    n, angle, h = 1000, math.radians(80), 1e-7  # without complex numbers, by the digits that are left
    change = (acceleration(n, angle, RATE, 1 + h) - acceleration(n, angle, RATE, 1 - h)) / (2 * h)
    wanted = left_open(n, angle, RATE) / ROUNDING * abs(scissors.acceleration(n, angle, RATE))
    assert abs(change) == pytest.approx(wanted, rel=0.05)


@pytest.mark.parametrize("way", ["cartesian", "recursive"])
@pytest.mark.parametrize("closing", scissors.CLOSINGS)
@pytest.mark.parametrize("n", [1, 2, 5, 10, 50, 100, 200, pytest.param(1000, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("degrees", [60, 80, 88])
def test_accelerations(n, degrees, closing, way):
    """To 1e-8 and better, or to a few times what rounding of the lengths leaves open, where that is more."""
    angle = math.radians(degrees)
    d = scissors.lift(n, closing, angle, RATE).dynamics(way)
    got = found(d, np.concatenate([*scissors.state(n, angle, RATE), [0.0, 0.0]]))
    most = max(1e-12, 1e-14 * n * n, 4 * left_open(n, angle, RATE))
    assert degrees == 88 or most <= 1e-8
    assert got == pytest.approx(scissors.acceleration(n, angle, RATE), rel=most)


@pytest.mark.parametrize("way", ["cartesian", "recursive"])
@pytest.mark.parametrize("n", [1, 2, 5, 10, *(pytest.param(n, marks=pytest.mark.thorough) for n in (50, 100, 200, 1000))])
def test_motion(n, way):
    """To the end of the closed form, where it moves by 0.02 rad/s and more: the time is right to 1e-8 or better."""
    duration = scissors.duration(n, START, END)
    s = scissors.lift(n, BY_JOINT, START)
    run = s.simulate(duration, formulation=way, method="dop853", rtol=1e-9, atol=1e-11, output=duration)
    assert run["a0.angle"][-1] == pytest.approx(END, abs=1e-9)
    assert run.audit.ok
