"""Newmark's method and generalized-alpha: closed forms, orders, damping of what is too fast, energy of a flying noodle."""

import sys
from pathlib import Path

import numpy as np
import pytest

import kaneflex as kf

sys.path.insert(0, str(Path(__file__).parent))
from test_linearly_implicit import balls, soft, soft_loop


def oscillator(w: float, damping: float = 0.0) -> kf.System:
    s = kf.System("oscillator")
    s.add("bob", kf.Rigid(2.0), kf.Prismatic("x"), q=0.1)
    s.apply("spring", kf.JointSpring("bob", 2.0 * w * w, 2.0 * damping))
    return s


@pytest.mark.parametrize("h, frequency", [(0.02, 6.274936), (0.05, 6.232260), (0.1, 6.087916)])
@pytest.mark.parametrize("method", [kf.Newmark(), "newmark", kf.GeneralizedAlpha(rho=1.0)])
def test_frequency_of_average_accelerations(method, h, frequency):
    """(2/h) atan(w h/2), and the amplitude stays."""
    run = oscillator(2 * np.pi).simulate(40 * h, method=method, step=h, output=h)
    q = run["bob.q"]
    assert np.arccos((q[2:] + q[:-2]) / (2 * q[1:-1])).mean() / h == pytest.approx(frequency, abs=1e-6)
    energy = run["bob.q"] ** 2 * (2 * np.pi) ** 2 + run["bob.rate"] ** 2
    assert np.ptp(energy) < 1e-9 * energy[0]


def amplification(am, af, beta, gamma, w, d, h):
    """One step of u'' = -w^2 q - d u on (q, u, f, a): the equations of generalized-alpha, solved as a linear system."""
    old = np.array([[1, h, 0, h * h * (0.5 - beta)], [0, 1, 0, h * (1 - gamma)], [0, 0, -af, am], [0, 0, 0, 0]], float)
    new = np.array([[1, 0, 0, -beta * h * h], [0, 1, 0, -gamma * h], [0, 0, 1 - af, am - 1], [w * w, d, 1, 0]], float)
    return np.linalg.solve(new, old)


@pytest.mark.parametrize(
    "method", [kf.Newmark(0.3025, 0.6), kf.Newmark(0.5, 0.5), kf.GeneralizedAlpha(0.8), kf.GeneralizedAlpha(0)]
)
@pytest.mark.parametrize("w, d", [(2 * np.pi, 0.0), (40.0, 3.0), (1e4, 0.0)])
def test_amplification_matrix(method, w, d):
    """Each step is that of the closed matrix; from the start f = a."""
    h, steps = 0.05, 12
    run = oscillator(w, d).simulate(steps * h, method=method, step=h, output=h, rtol=1e-9, atol=1e-11)
    f = -w * w * 0.1
    x, A = np.array([0.1, 0.0, f, f]), amplification(*method.numbers, w, d, h)
    for k in range(1, steps + 1):
        x = A @ x
        assert run["bob.q"][k] == pytest.approx(x[0], abs=1e-9)
        assert run["bob.rate"][k] == pytest.approx(x[1], abs=1e-8 * w)


@pytest.mark.parametrize("rho", [0.9, 0.5])
def test_infinitely_fast_vibrations_lose_what_was_asked_for(rho):
    run = oscillator(1e6).simulate(60 * 0.01, method=kf.GeneralizedAlpha(rho), step=0.01, output=0.01)
    size = np.abs(run["bob.q"])
    assert (size[-1] / size[-21]) ** (1 / 20) == pytest.approx(rho, rel=0.05)  # a double root: k rho^k


@pytest.mark.parametrize("rho", [0.3, 0.6, 0.9])
def test_steps_are_those_of_chung_and_hulbert(rho):
    """Their Eqs. (17), (18) and (25) written out, at a frequency at which alpha_m counts: a thousandth of it more would be
    seen a thousand times over."""
    am, af, h, w = (2 * rho - 1) / (rho + 1), rho / (rho + 1), 0.05, 20.0
    run = oscillator(w).simulate(12 * h, method=kf.GeneralizedAlpha(rho), step=h, output=h, rtol=1e-9, atol=1e-11)
    ways = []
    for first in (am, am + 1e-3):
        x = np.array([0.1, 0.0, -w * w * 0.1, -w * w * 0.1])
        A = amplification(first, af, (1 - am + af) ** 2 / 4, 0.5 - am + af, w, 0.0, h)
        ways.append([(np.linalg.matrix_power(A, k) @ x)[0] for k in range(13)])
    assert run["bob.q"] == pytest.approx(ways[0], abs=1e-9) and np.abs(run["bob.q"] - ways[1]).max() > 1e-6


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9, 1.0])
def test_spectral_radius_of_the_closed_matrix(rho):
    """At infinity it is rho, and nowhere above 1; what slow vibrations lose is of fourth order in the step."""
    numbers = kf.GeneralizedAlpha(rho).numbers
    radius = lambda x: np.abs(np.linalg.eigvals(amplification(*numbers, x, 0.0, 1.0))).max()
    assert radius(1e7) == pytest.approx(rho, abs=5e-5)  # from which a double or triple root is a root of 1e-7 away
    assert max(radius(x) for x in np.logspace(-2, 6, 200)) < 1 + 1e-6
    lost = np.array([1 - radius(0.02), 1 - radius(0.04)])
    assert lost.max() < 2e-6
    if rho < 1:
        assert np.log2(lost[1] / lost[0]) == pytest.approx(4, abs=0.05) and radius(1.0) < 1 - 0.01 * (1 - rho) ** 3


def floating(n: int) -> kf.System:
    """A free chain in space."""
    s = balls(n)
    t = kf.System("floating", gravity=(0, 0, -9.81))
    for k in range(n):
        joint = kf.Free() if k == 0 else kf.Spherical()
        rates = {"rates": (0.5, -0.3, 1.0, 2.0, 1.0, -3.0)} if k == 0 else {}
        t.add(f"rod{k}", s.parts[f"rod{k}"].body, joint, f"rod{k - 1}" if k else None, "tip" if k else None, **rates)
        if k:
            t.apply(f"joint{k}", kf.JointSpring(f"rod{k}", 2.0))
    return t


@pytest.mark.parametrize("method", [kf.Newmark(), kf.GeneralizedAlpha(0.7), kf.Newmark(beta=0)])
@pytest.mark.parametrize("make", [soft, balls, floating, soft_loop])
@pytest.mark.parametrize("speeds", ["customary", "efficient"])
def test_order_two(make, method, speeds):
    """On chains in a plane and in space, free ones, and a loop, whatever the speeds are but for beta = 0."""
    system = make(4)
    if method.numbers[2] == 0 and speeds == "efficient":
        with pytest.raises(kf.ModelError, match="use customary speeds"):
            system.simulate(0.1, method=method, step=1e-3, speeds=speeds)
        return
    exact = system.simulate(0.3, method="dop853", rtol=1e-12, atol=1e-13, output=0.3)["rod3.tip.position"][-1]
    errors = []
    for steps in (300, 600, 1200) if speeds == "customary" else (1200, 2400, 4800):
        run = system.simulate(0.3, method=method, step=0.3 / steps, output=0.3, speeds=speeds)
        assert run.statistics["steps"] == steps
        assert run.statistics["corrections"] > steps or (method.numbers[2] == 0 and run.statistics["corrections"] == 0)
        errors.append(np.abs(run["rod3.tip.position"][-1] - exact).max())
    assert np.log2(errors[0] / errors[-1]) / 2 == pytest.approx(2, abs=0.25)


@pytest.mark.parametrize("h", [0.02, 0.1, 0.2])
@pytest.mark.parametrize("d", [0.0, 0.8])
def test_central_differences(h, d):
    """With beta = 0 the frequency is (2/h) asin(w h/2), and a step is that of its closed matrix: the damper acts on the
    speed v + h a that the step before foretells."""
    w, x = 2 * np.pi, np.array([0.1, 0.0, -((2 * np.pi) ** 2) * 0.1])
    run = oscillator(w, d).simulate(40 * h, method=kf.Newmark(beta=0), step=h, output=h)
    q, v = run["bob.q"], run["bob.rate"]
    assert run.statistics["evaluations"] <= 42 and run.statistics["jacobians"] == 0
    if d == 0:
        frequency = np.arccos((q[2:] + q[:-2]) / (2 * q[1:-1])).mean() / h
        assert frequency == pytest.approx(2 / h * np.arcsin(w * h / 2), abs=1e-7)
    for k in range(1, 41):
        moved = x[0] + h * x[1] + h * h / 2 * x[2]
        after = -w * w * moved - d * (x[1] + h * x[2])
        x = np.array([moved, x[1] + h / 2 * (x[2] + after), after])
        assert (q[k], v[k]) == (pytest.approx(x[0], abs=1e-11), pytest.approx(x[1], abs=1e-10))


def test_central_differences_that_are_too_long_are_told():
    """2/w is the longest step; beyond it nothing is left of the motion after some time."""
    w = 2 * np.pi
    kept = oscillator(w).simulate(100.0, method=kf.Newmark(beta=0), step=1.99 / w, output=1.0)
    assert np.abs(kept["bob.q"]).max() < 1.01
    with pytest.raises(kf.SimulationError, match="too large a fixed step"):
        oscillator(w).simulate(400.0, method=kf.Newmark(beta=0), step=2.1 / w)


def test_central_differences_on_a_rod_that_stretches():
    """The flying beam with stretch and shear: the speed of sound, 100 m/s, over segments of 1 m bounds the step, 0.01 s. Of
    order 2, and with steps of 0.7 of that what stays in free flight does so for its errors."""
    from kaneflex.gallery import flying_noodle

    system, errors = flying_noodle.build(flying_noodle.DEFAULTS | {"n": 10}), []
    exact = system.simulate(5.0, method="dop853", rtol=1e-8, atol=1e-10, output=0.5)
    for steps in (700, 1400):
        run = system.simulate(5.0, method=kf.Newmark(beta=0), step=5.0 / steps, output=0.5)
        assert run.statistics["evaluations"] < steps + 20
        errors.append(np.abs(run["beam.tip.position"] - exact["beam.tip.position"]).max())
    assert errors[1] < 2e-3 and np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.35)
    free = run.t > 2.5 + 1e-9
    assert np.ptp(run["energy.total"][free]) < 3e-4 * run["energy.total"][-1]
    assert np.abs(run["momentum.linear"][free, 0] - 20.0).max() < 0.003


def test_more_damping_costs_an_order():
    system = soft(3)
    exact = system.simulate(0.3, method="dop853", rtol=1e-12, atol=1e-13, output=0.3).q[-1]
    method = kf.Newmark(0.3025, 0.6)
    coarse, fine = (
        np.abs(system.simulate(0.3, method=method, step=h, output=0.3).q[-1] - exact).max() for h in (2e-4, 1e-4)
    )
    assert method.order == 1 and np.log2(coarse / fine) == pytest.approx(1, abs=0.1)


def noodle(n: int, EI: float) -> kf.System:
    """Simo and Vu-Quoc's flying beam (J. Appl. Mech. 53 (1986) 855) as n rods in a plane, force and moment until 2.5 s."""
    s = kf.System("noodle")
    length, m = 10 / n, 10 / n
    rod = kf.Rigid(
        m, com=(length / 2, 0, 0), inertia=(m * length**2 / 12 + 10 * length,) * 3, frames={"tip": (length, 0, 0)}
    )
    for k in range(n):
        place = {"q": (6.0, 0.0, np.arctan2(8, -6))} if k == 0 else {}
        s.add(
            f"rod{k}",
            rod,
            kf.Revolute("z") if k else kf.Planar(),
            f"rod{k - 1}" if k else None,
            "tip" if k else None,
            **place,
        )
        if k:
            s.apply(f"joint{k}", kf.JointSpring(f"rod{k}", EI / length))
    s.apply("force", kf.Force("rod0", lambda t: (8.0 if t < 2.5 else 0.0, 0.0, 0.0), axes="inertial"))
    s.apply("moment", kf.Torque("rod0", lambda t: (0.0, 0.0, -80.0 if t < 2.5 else 0.0)))
    return s


@pytest.mark.parametrize("EI", [500.0, 100.0])
def test_noodle_keeps_energy_and_its_mass_centre(EI):
    """After the loads are gone: energy within half a per cent over 5 s with rho = 1. The mass centre moves by the impulse
    20 N s on 10 kg: y = 4, x = 3 + 0.4 t^2, then 5.5 + 2 (t - 2.5), but for the method's error, of order 2."""
    run = noodle(20, EI).simulate(7.5, method=kf.GeneralizedAlpha(1.0), step=2e-3, output=0.05)
    after = run.t > 2.5
    energy = (run["energy.kinetic"] + run["energy.potential"])[after]
    assert np.ptp(energy) < 0.005 * energy[0]
    centre = run["mass_centre.position"]
    exact = np.where(after, 5.5 + 2 * (run.t - 2.5), 3 + 0.4 * run.t**2)
    assert np.abs(centre[:, 0] - exact).max() < 2e-3
    assert np.abs(centre[:, 1] - 4).max() < 2e-3


def flung(n: int) -> kf.System:
    """A free chain in space without gravity, with a load between two of its rods."""
    s = floating(n)
    s.gravity = (0, 0, 0)
    s.apply("between", kf.SpringDamper("rod0", f"rod{n - 1}.tip", 3.0, 0.1, length=0.2))
    return s


@pytest.mark.parametrize("method", [kf.GeneralizedAlpha(1.0), kf.GeneralizedAlpha(0.6), kf.Newmark()])
def test_momentum_stays_to_rounding(method):
    """Of a chain in space on which nothing acts from outside, at the ends of steps; long ones, so that the method's own
    error would be seen."""
    run = flung(5).simulate(2.0, method=method, step=0.01, output=0.1)
    for name in ("linear", "angular"):
        p = run[f"momentum.{name}"]
        assert np.abs(p - p[0]).max() < 1e-12 * np.abs(p).max()


def test_impulse_of_loads_is_all_that_momentum_gains():
    """Gravity, a force at the root and one in its joint, which are constant: P = (F + M g) t, to rounding."""
    s = floating(4)
    s.apply("push", kf.Force("rod0", (0.3, -0.2, 0.5), axes="inertial"))
    run = s.simulate(1.0, method=kf.Newmark(), step=0.01, output=0.1)
    gained = run["momentum.linear"] - run["momentum.linear"][0]
    mass = sum(part.body.mass for part in s.parts.values())
    exact = run.t[:, None] * np.array([0.3, -0.2, 0.5 - 9.81 * mass])
    assert np.abs(gained - exact).max() < 1e-12 * np.abs(exact).max()


def test_flying_rods_keep_energy_and_agree_with_explicit_steps():
    """The gallery's noodle with stretch and shear: energy within 1e-5 over 5 s of free flight, momentum to rounding."""
    from kaneflex.gallery import flying_noodle

    system = flying_noodle.build(flying_noodle.DEFAULTS | {"n": 12})
    run = system.simulate(7.5, method=kf.GeneralizedAlpha(1.0), step=2e-3, output=0.1)
    free = run.t > 2.5 + 1e-9
    energy, momentum, spin = (run[name][free] for name in ("energy.total", "momentum.linear", "momentum.angular"))
    assert np.ptp(energy) < 1e-5 * energy[0]
    assert np.abs(momentum[:, 0] - 20.0).max() < 1e-11 and np.ptp(spin[:, 2]) < 1e-11 * abs(spin[0, 2])
    other = system.simulate(7.5, method="dop853", rtol=1e-9, atol=1e-11, output=0.1)
    assert np.abs(run["beam.tip.position"] - other["beam.tip.position"])[run.t <= 5.0].max() < 2e-3


def test_numbers_of_a_method_are_kept(tmp_path):
    run = oscillator(3.0).simulate(0.1, method=kf.GeneralizedAlpha(0.8), step=0.01, output=0.05)
    kept = kf.Run.load(run.save(tmp_path / "run.h5"))
    assert kept.trajectory.options.method == "generalized-alpha(rho=0.8)"
    on, again = kept.extend(0.1, output=0.05), run.extend(0.1, output=0.05)
    np.testing.assert_array_equal(on.q, again.q)
    whole = oscillator(3.0).simulate(0.2, method="generalized-alpha(rho=0.8)", step=0.01, output=0.05)
    np.testing.assert_allclose(on.q[-1], whole.q[-1], rtol=1e-14)


@pytest.mark.parametrize(
    "give, words",
    [
        (lambda: kf.GeneralizedAlpha(1.2), "rho of GeneralizedAlpha is 1.2"),
        (lambda: kf.Newmark(0.1, 0.5), "beta of Newmark is 0.1"),
        (lambda: kf.Newmark(0.25, 0.4), "gamma of Newmark is 0.4"),
        (lambda: kf.Newmark(-0.1, 0.5), "beta of Newmark is -0.1"),
        (lambda: oscillator(1.0).simulate(1.0, method=kf.Newmark()), "fixed step: give step="),
        (lambda: oscillator(1.0).simulate(1.0, method="newmark(delta=3)", step=0.1), "newmark"),
        (lambda: oscillator(1.0).simulate(1.0, method="no(rho=1)", step=0.1), "no integration method"),
    ],
)
def test_wrong_numbers_are_named(give, words):
    with pytest.raises(kf.ModelError, match=words.replace("(", r"\(").replace(")", r"\)")):
        give()
