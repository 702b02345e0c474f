"""Rods out of reels: drives by tension, torque, law and brake in closed form, books, faults, and going on after a kill."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kaneflex as kf

C, LENGTH, BASE = 0.5, 2.0, 3.0  # kg/m, m, kg


def sledge(**feed):
    """A rod out of a reel on a base that slides along the rod, with 0.4 m/s."""
    s = kf.System("sledge")
    s.add("base", kf.Rigid(BASE, inertia=(1, 1, 1)), kf.Prismatic("x"), rates=0.4)
    s.add_rod("rod", kf.Rod(LENGTH, C, EI=10.0, n=8, plane="xy"), parent="base")
    s.add_feed("reel", "rod", reel=kf.Reel(), initial=0.3, **feed)
    return s


def by_hand(tension, until, rate):
    """Velocity of the base, length and rate: momentum of the part outside, and of the base with what is in the reel, from
    which c l' leaves per second with the velocity l'."""

    def law(t, y):
        _, l, r = y
        T = tension(l, r)
        back = (T - C * r * r) / (BASE + C * (LENGTH - l))
        return back, r, -T / (C * l) - back

    return solve_ivp(law, (0, until), (0.4, 0.3, rate), rtol=1e-12, atol=1e-12).y[:, -1]


@pytest.mark.parametrize("lawful", [False, True])
def test_tension_in_the_exit(lawful):
    """Constant, and a law that sees length and rate."""
    if lawful:
        tension = lambda t, x: 0.8 * (x[0] - 1.0) + 0.4 * x[1]
        s = sledge(tension=tension, sees=["reel.length", "reel.rate"])
    else:
        s = sledge(tension=-0.3)
    run = s.simulate(0.8, initial={"rod_1.slide.rate": 0.5}, rtol=1e-10)
    law = (lambda l, r: 0.8 * (l - 1.0) + 0.4 * r) if lawful else (lambda l, r: -0.3)
    found = run["base.slide.rate"][-1], run["reel.length"][-1], run["reel.rate"][-1]
    assert np.allclose(found, by_hand(law, 0.8, 0.5), rtol=1e-8)
    assert run["reel.tension"][-1] == pytest.approx(law(found[1], found[2]), abs=1e-9)
    assert np.ptp(run["momentum.linear"][:, 0]) < 1e-8 * run["momentum.linear"][0, 0]
    assert run["reel.outside"][-1] >= 3
    assert run.audit.ok


def test_torque_on_a_drum_with_inertia():
    """(J/r^2 + c L) l'' = M/r: what leaves the drum is as heavy outside. Work of the motor is the energy."""
    r, J, M = 0.2, 0.05, 0.3
    s = kf.System("winch")
    s.add("base", kf.Rigid(BASE, inertia=(1, 1, 1)), kf.Prismatic("z", motion=kf.profiles.hold(0.0)))
    s.add_rod("rod", kf.Rod(LENGTH, C, EI=10.0, n=8, plane="xy"), parent="base")
    s.add_feed("reel", "rod", reel=kf.Reel(r, J), torque=M, initial=0.3)
    run = s.simulate(1.4, rtol=1e-10)
    push = M / r / (J / r**2 + C * LENGTH)
    assert run["reel.length"][-1] == pytest.approx(0.3 + push * 1.4**2 / 2, rel=1e-9)
    assert run["reel_store.angle.rate"][-1] * r == pytest.approx(push * 1.4, rel=1e-9)
    assert run["energy.kinetic"][-1] == pytest.approx(M * run["reel_store.angle"][-1], rel=1e-8)
    assert run["reel.outside"][-1] >= 4
    assert run.audit.ok


def test_brake_by_a_law_of_friction():
    """A torque against the rate stops the drum; energy is lost in it."""
    r, J, M = 0.2, 0.05, 0.3
    s = kf.System("winch")
    s.add("base", kf.Rigid(BASE, inertia=(1, 1, 1)), kf.Prismatic("z", motion=kf.profiles.hold(0.0)))
    s.add_rod("rod", kf.Rod(LENGTH, C, EI=10.0, n=8, plane="xy"), parent="base")
    brake = lambda t, x: -M * np.tanh(x[0] / 1e-3)
    s.add_feed("reel", "rod", reel=kf.Reel(r, J), torque=brake, sees=["reel.rate"], initial=0.3)
    run = s.simulate(2.5, initial={"rod_1.slide.rate": 0.8, "reel_store.angle.rate": 0.8 / r}, rtol=1e-8)
    slowing = M / r / (J / r**2 + C * LENGTH)
    assert run["reel.length"][-1] == pytest.approx(0.3 + 0.8**2 / (2 * slowing), rel=1e-3)
    assert abs(run["reel.rate"][-1]) < 1e-8


def hoist(**feed):
    """A load on a rope that hangs straight down out of a drum with a motor."""
    s = kf.System("hoist", gravity=(0, 0, -9.81))
    s.add_rod("rope", kf.Cable(6.0, 0.4, n=12, plane="xz"), at=kf.Frame((0, 0, 0), (("y", np.pi / 2),)))
    s.add("load", kf.Rigid(5.0), kf.Fixed(), parent="rope", at="tip")
    s.add_feed("winch", "rope", reel=kf.Reel(0.2, 0.05), initial=2.0, **feed)
    return s


def test_winch_that_measures_its_tension():
    """A controller samples the tension and turns the motor until it is what is wanted. From one sample to the next it is
    (J/r^2 + c L + m) l'' = (m + c l) g + M/r, T = (m + c l)(g - l''); a sample sees T with the torque of before."""
    r, wanted, period, until = 0.2, 45.0, 0.05, 1.0
    s = hoist()
    s.add_input("motor", kf.JointForce("winch_store"))
    torque = lambda T, M: M + 0.2 * (T - wanted)
    kept = [0.0]

    def law(t, x):
        kept[0] = torque(x[0], kept[0] if t else 0.0)
        return kept[0]

    loop = kf.Sampled(period, law, sees=["winch.tension"], drives=["motor"])
    run = s.simulate(until, controllers=[loop], rtol=1e-10, output=period)
    whole, M, y = 0.05 / r**2 + 0.4 * 6.0 + 5.0, 0.0, [2.0, 0.0]
    push = lambda l, M: ((5.0 + 0.4 * l) * 9.81 + M / r) / whole
    for _ in range(round(until / period)):
        M = torque((5.0 + 0.4 * y[0]) * (9.81 - push(y[0], M)), M)
        y = solve_ivp(lambda t, y, M=M: (y[1], push(y[0], M)), (0, period), y, rtol=1e-11, atol=1e-12).y[:, -1]
    assert [run["winch.length"][-1], run["winch.rate"][-1]] == pytest.approx(y, rel=1e-8)
    assert run["winch.outside"][-1] > run["winch.outside"][0]
    assert run["winch.tension"][-1] == pytest.approx(wanted, abs=0.5)


def test_tension_is_not_known_before_the_forces_are():
    """A law that would see what it changes is told what could: one that drives the feed, or an input."""
    with pytest.raises(kf.ModelError, match=r'"winch.tension" is known with the solution only.* a Sampled controller all'):
        hoist(torque=lambda t, x: 0.1 * x[0], sees=["winch.tension"]).simulate(0.1)


def spacecraft(**feed):
    s = kf.System("hub")
    s.add("hub", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Free(), rates=(0.1, 0.05, 0.3, 0.1, 0, 0))
    rod = kf.Rod(4.0, 0.5, EI=(600.0, 500.0), GJ=400.0, n=8, damping=2e-3, radius=0.1)
    s.add_rod("boom", rod, parent="hub", at=kf.Frame((0.3, 0, 0.1)))
    s.add_feed("reel", "boom", **feed)
    return s


@pytest.mark.parametrize("reel", [kf.Reel(), kf.Reel(0.2, 0.05)])
def test_momentum_out_of_a_reel_and_into_it(reel):
    length = kf.profiles.table((0, 5, 10, 12), (0.5, 3.7, 0.6, 0.6))
    run = spacecraft(length=length, reel=reel).simulate(12.0, rtol=1e-8, method="dop853")
    for name in ("momentum.linear", "momentum.angular"):
        assert np.ptp(run[name], axis=0).max() < 1e-10 * np.linalg.norm(run[name][0])
    for jump in run.impacts:
        assert np.allclose(*jump.angular_momentum, rtol=1e-12, atol=1e-12)
        assert np.allclose(*jump.linear_momentum, rtol=1e-12, atol=1e-12)
    assert len(run.impacts) == 6
    assert run.audit.energy_drift < 1e-6


def test_capture_loses_half_of_impulse_times_closing_rate():
    """By the mass matrix of what is free: the impulse J stops the captured joint's rate w and loses J w/2. The motors that
    turn the hub and draw the rod in take the rest by their own impulses."""
    s = kf.System("capture")
    s.add("hub", kf.Rigid(10.0, inertia=(2, 2, 2)), kf.Revolute("z", motion=kf.profiles.constant_rate(0.5)))
    s.add_rod("boom", kf.Rod(4.0, 0.5, EI=20.0, n=4, plane="xy"), parent="hub")
    s.add_feed("reel", "boom", rate=-0.4, initial=3.5)
    jump = s.simulate(4.0, rtol=1e-10).impacts[0]
    just = s.simulate(jump.t * (1 - 1e-12), rtol=1e-10)
    after = s.simulate(jump.t * (1 + 1e-12), rtol=1e-10)
    names, captured = list(just.plan.index.speeds), 4 - int(just["reel.outside"][-1]) + 1
    free = [names.index(f"boom_{n}.angle") for n in range(captured, 5)]
    driven = [names.index("hub.angle"), names.index("boom_1.slide")]
    w, M = just[f"boom_{captured}.angle.rate"][-1], s.dynamics().mass_matrix(just.q[-1])
    impulse = w / np.linalg.inv(M[np.ix_(free, free)])[0, 0]
    change = np.linalg.solve(M[np.ix_(free, free)], np.eye(len(free))[0] * -impulse)
    motors = (M[np.ix_(driven, free)] @ change) @ (0.5, -0.4)
    assert abs(w) > 1e-3
    assert jump.energy[1] - jump.energy[0] == pytest.approx(motors - impulse * w / 2, rel=1e-6)
    lost = just.trajectory.y[-1, -1] - after.trajectory.y[-1, -1]  # work in dampers, the last state
    assert lost == pytest.approx(impulse * w / 2, rel=1e-3)


def test_weight_of_what_is_in_the_reel_does_not_pull():
    """A cable that hangs out of a reel: its tension is the weight of what is outside, with what hangs on it."""
    s = kf.System("hoist", gravity=(0, 0, -9.81))
    s.add_rod("rope", kf.Cable(6.0, 0.4, n=12, plane="xz"), at=kf.Frame((0, 0, 0), (("y", np.pi / 2),)))
    s.add("load", kf.Rigid(5.0), kf.Fixed(), parent="rope", at="tip")
    profile = kf.profiles.smooth_step(3.0, 2.0, initial=2.0)
    s.add_feed("winch", "rope", length=profile, reel=kf.Reel())
    run = s.simulate(2.0, rtol=1e-9)
    push = np.array([profile.functions[2](t) for t in run.t])
    closed = (5.0 + 0.4 * run["winch.length"]) * (9.81 - push)
    assert np.abs(run["winch.tension"] - closed).max() < 1e-8 * closed.max()
    assert run.audit.ok


def falling(**feed):
    s = kf.System("slack", gravity=(0, 0, -9.81))
    s.add_rod("rope", kf.Cable(6.0, 0.4, n=12, plane="xz"), at=kf.Frame((0, 0, 0), (("y", np.pi / 2 - 0.05),)))
    s.add_feed("winch", "rope", reel=kf.Reel(), **feed)
    return s


def test_slack_at_the_exit():
    """Paid out faster than it falls, the rope folds below the exit, and the books are kept."""
    run = falling(length=kf.profiles.smooth_step(4.0, 0.8, initial=1.0)).simulate(0.8, rtol=1e-7)
    assert run["winch.tension"].min() < 0
    assert run.audit.ok


def test_brake_that_locks_at_once():
    """An event locks the slide: the load stops by an impulse, booked; then the rope hangs."""
    s = kf.System("hoist", gravity=(0, 0, -9.81))
    s.add_rod("rope", kf.Cable(6.0, 0.4, n=12, plane="xz"), at=kf.Frame((0, 0, 0), (("y", np.pi / 2),)))
    s.add("load", kf.Rigid(5.0), kf.Fixed(), parent="rope", at="tip")
    s.add_feed("winch", "rope", tension=20.0, initial=1.0, reel=kf.Reel())
    lock = kf.Event(lambda t, x: x[0] - 3.3, ["winch.length"], action=lambda state, change: change.lock("rope_1"))
    run = s.simulate(2.0, events=[lock], rtol=1e-9)
    assert run["winch.length"][-1] == pytest.approx(3.3, abs=1e-9)
    assert run["winch.tension"][-1] == pytest.approx((5.0 + 0.4 * 3.3) * 9.81, rel=1e-9)
    jump = run.impacts[0]
    falls = solve_ivp(
        lambda t, y: (y[1], 9.81 - 20.0 / (5.0 + 0.4 * y[0])),
        (0, 2),
        (1.0, 0.0),
        rtol=1e-11,
        atol=1e-12,
        events=lambda t, y: y[0] - 3.3,
    ).y_events[0][0]
    assert jump.energy[0] - jump.energy[1] == pytest.approx((5.0 + 0.4 * 3.3) * falls[1] ** 2 / 2, rel=1e-6)
    assert run.audit.ok


def test_brake_that_locks_a_drum_at_once():
    """Drum, rope and load stop by an impulse that takes all of (J/r^2 + c L + m) l'^2/2; then the rope hangs."""
    lock = kf.Event(lambda t, x: x[0] - 3.3, ["winch.length"], action=lambda state, change: change.lock("rope_1"))
    run = hoist(torque=-8.0).simulate(1.5, events=[lock], rtol=1e-9)
    assert run["winch.length"][-1] == pytest.approx(3.3, abs=1e-9)
    assert run["winch.tension"][-1] == pytest.approx((5.0 + 0.4 * 3.3) * 9.81, rel=1e-9)
    assert run["winch_store.angle.rate"][-1] == 0
    gained = 9.81 * (5.0 * 1.3 + 0.4 * (3.3**2 - 2.0**2) / 2) - 8.0 * 1.3 / 0.2  # work of weight and motor
    assert run.impacts[0].energy[0] - run.impacts[0].energy[1] == pytest.approx(gained, rel=1e-7)
    assert run.audit.ok


def cut_at(segment):
    """Cut the rope there at 0.6 s."""
    cut = lambda state, change: change.attach(segment, "N", kf.Planar("y"))
    return kf.Event(lambda t, x: t - 0.6, [], action=cut)


def test_tether_cut():
    """The outer part falls freely, the inner one hangs on; drawn in up to the cut, or cut inside, it is refused by name."""
    run = falling(rate=0.5, initial=1.0).simulate(1.2, events=[cut_at("rope_12")], rtol=1e-9)
    assert run.audit.ok
    assert run["winch.length"][-1] == pytest.approx(1.6, abs=1e-9)
    after = run.t > 0.6
    middle = (run["rope_12.position"] + run["rope.tip.position"])[after, 2] / 2
    assert run["winch.outside"][-1] == 2
    assert np.polyfit(run.t[after] - 0.6, middle, 2)[0] == pytest.approx(-9.81 / 2, rel=1e-6)
    with pytest.raises(kf.SimulationError, match="drawn in up to where it was cut"):
        falling(length=kf.profiles.smooth_step(-1.8, 1.0, initial=2.0)).simulate(1.2, events=[cut_at("rope_12")])
    with pytest.raises(kf.ModelError, match='rod "rope" is cut at "rope_5", which is inside'):
        falling(rate=0.5, initial=1.0).simulate(1.2, events=[cut_at("rope_5")])


@pytest.mark.parametrize("initial", [0.0, 0.5, 0.75, 1.0])
def test_release_at_the_start(initial):
    """At a length at which a joint is let go, and with nothing outside."""
    s = kf.System("start", gravity=(0, 0, -9.81))
    s.add_rod("rope", kf.Cable(6.0, 0.4, n=12, plane="xz"), at=kf.Frame((0, 0, 0), (("y", np.pi / 2),)))
    s.add_feed("winch", "rope", rate=1.0, initial=initial, reel=kf.Reel())
    run = s.simulate(0.6, rtol=1e-8)
    assert run["winch.outside"][-1] == np.floor((initial + 0.6 - 0.25) / 0.5)
    assert run["winch.tension"][-1] == pytest.approx(0.4 * 9.81 * (initial + 0.6), rel=1e-6)


@pytest.mark.parametrize(
    ("feed", "message"),
    [
        ({"tension": 1.0}, "has a tension, but the whole rod lies straight"),
        ({"torque": 1.0, "reel": kf.Reel()}, "has a torque, but no drum"),
        ({"torque": 1.0, "force": 1.0}, "has a force and a torque"),
        ({"rate": 1.0, "tension": 1.0, "reel": kf.Reel()}, "has a tension, and a length or rate"),
    ],
)
def test_drives_that_are_refused(feed, message):
    with pytest.raises(kf.ModelError, match=message):
        spacecraft(**feed)


def test_reels_that_are_refused():
    with pytest.raises(kf.ModelError, match="radius of a reel is 0"):
        kf.Reel(0.0)
    with pytest.raises(kf.ModelError, match="a reel without a radius does not turn"):
        kf.Reel(inertia=1.0)
    s = kf.System("tapered")
    s.add_rod("rod", kf.Rod(1.0, lambda s: 1 + s, EI=1.0, n=4, plane="xy"))
    with pytest.raises(kf.ModelError, match="mass per length that changes"):
        s.add_feed("reel", "rod", rate=0.1, reel=kf.Reel())


def deploy(path: Path, until: float) -> None:
    """A long deployment, saved every half second."""
    s = spacecraft(length=kf.profiles.smooth_step(3.0, 6.0, initial=0.5), reel=kf.Reel())
    run = s.simulate(0.5, rtol=1e-7)
    run.save(path)
    while run.t[-1] < until - 1e-9:
        run = run.extend(0.5)
        run.save(path)


PIECE, PIECES = 0.4, 10  # s; of a deployment of which each is saved


def winch(path: Path, run: kf.Run | None = None) -> list[kf.Run]:
    """A rope of 60 rods with a load over a sheave, 24 of them let out and drawn in, or what is left of that: its pieces."""
    if run is None:
        s = kf.System("rope", gravity=(0, 0, -9.81))
        s.add("sheave", kf.Rigid(1.0, inertia=(0.01, 0.01, 0.01)), kf.Revolute("y"), q=-0.01)
        down = kf.Frame((0, 0, 0), (("y", np.pi / 2),))
        s.add_rod("rope", kf.Cable(60.0, 0.1, n=60, plane="xz"), parent="sheave", at=down)
        s.add("load", kf.Rigid(6.0), kf.Fixed(), parent="rope", at="tip")
        s.add_feed("winch", "rope", length=kf.profiles.cosine(-12.0, 2 * np.pi / 4.0, offset=45.0), reel=kf.Reel())
        run = s.simulate(PIECE, method="dopri5", rtol=1e-5, output=0.05)
        run.save(path)
    pieces = [run]
    while pieces[-1].t[-1] < PIECE * PIECES - 1e-9:
        pieces.append(pieces[-1].extend(PIECE))
        pieces[-1].save(path)
    return pieces


@pytest.mark.thorough
def test_killed_at_any_moment_of_a_long_deployment(tmp_path):
    """From outside, while it computes or saves, again and again: what was saved is whole, and going on from it gives the
    same bits as if nothing had happened."""
    pieces, path = winch(tmp_path / "whole.h5"), tmp_path / "parts.h5"
    outside = [piece["winch.outside"][-1] for piece in pieces]
    assert all(piece.audit.ok for piece in pieces)
    assert max(outside) - outside[-1] == 24
    whole = pieces[-1]
    stamp = lambda: path.stat().st_mtime_ns if path.exists() else 0
    random, killed = np.random.default_rng(5), []
    for _ in range(3 * PIECES):
        before = kf.Run.load(path) if path.exists() else None
        if before is not None and before.t[-1] == whole.t[-1]:
            break
        process, first = multiprocessing.get_context("fork").Process(target=winch, args=(path, before)), stamp()
        process.start()
        while process.is_alive() and stamp() == first:
            time.sleep(1e-3)
        process.join(random.uniform(0.0, 0.06))  # somewhere in the next piece, or in its saving
        if process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            killed.append(kf.Run.load(path).t[-1])
    assert len(set(killed)) >= 3
    last = winch(path, kf.Run.load(path))[-1]
    assert last.t[-1] == whole.t[-1]
    for name in ("load.position", "winch.outside", "winch.tension"):
        assert np.array_equal(last[name], whole[name])


def test_killed_in_the_middle_and_gone_on(tmp_path):
    whole, parts = tmp_path / "whole.h5", tmp_path / "parts.h5"
    deploy(whole, 4.0)

    def child():
        saves, kept = [0], kf.Run.save

        def save(run, path):
            saves[0] += 1
            if saves[0] == 5:
                os.kill(os.getpid(), signal.SIGKILL)
            return kept(run, path)

        kf.Run.save = save
        deploy(parts, 4.0)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    run = kf.Run.load(parts)
    assert run.t[-1] == 2.0
    while run.t[-1] < 4.0 - 1e-9:
        run = run.extend(0.5)
    other = kf.Run.load(whole)
    assert len(run.t) == len(other.t)
    assert np.abs(run["boom.tip.position"] - other["boom.tip.position"]).max() < 1e-12
    assert run["reel.outside"][-1] == other["reel.outside"][-1] > run["reel.outside"][0]
