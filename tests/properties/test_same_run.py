"""Runs cut in two, saved in between, sampled otherwise, made twice, by other formulations, speeds and methods; and run
backwards. Tolerances are a few times the errors seen at rtol = 1e-12."""

import numpy as np
import pytest
from properties.alike import few_and_many, gap, holds, rows, struck_gap
from properties.remakes import Spoiled
from properties.worlds import (
    SMOOTH,
    World,
    all_kinds,
    by_name,
    flexible,
    flexible_loops,
    looped,
    rigid,
    run_of,
    struck,
    undamped,
    world_of,
)

import kaneflex as kf


def given(kind: str, seed: int, spoil: float) -> World:
    world = world_of(kind, seed)
    return Spoiled(spoil)(world) if spoil else world


# -- cut in two ------------------------------------------------------------------------------------------------------------


def pieced_gap(whole: kf.Run, first: kf.Run, second: kf.Run, bodies) -> float:
    """How far two runs, one after the other, are from one run; a break of the first must be a multiple of the sampling."""
    at = rows(whole)
    worst = 0.0
    for what in ("position", "velocity"):
        for body in bodies:
            x = whole[f"{body}.{what}"][at]
            parts = [first[f"{body}.{what}"][rows(first, 21)], second[f"{body}.{what}"][rows(second, 31)]]
            y = np.concatenate([parts[0][:-1], parts[1]])
            worst = max(worst, float(np.abs(x - y).max()) / max(1.0, float(np.abs(x).max())))
    names = [i.name for i in whole.impacts]
    return worst if names == [i.name for i in (*first.impacts, *second.impacts)] else np.inf


@all_kinds
@few_and_many
def test_going_on(kind, seeds):
    """A run of 0.2 + 0.3 s is a run of 0.5 s. Without events the integrator goes on as if it had not stopped."""

    def measure(seed, spoil=0.0):
        world = given(kind, seed, spoil)
        first = world.run(duration=0.4 * world.span)
        second = first.extend(0.6 * world.span, output=world.span / 50)
        return pieced_gap(run_of(kind, seed), first, second, world.bodies)

    holds(measure, seeds, 1e-11 if kind in SMOOTH else 1e-10)


@all_kinds
def test_going_on_from_a_file(kind, tmp_path):
    """Nothing is lost in a file: going on from it gives the bits that going on at once gives."""

    def measure(seed, spoil=0.0):
        world = world_of(kind, seed)
        first = world.run(duration=0.4 * world.span)
        read = kf.Run.load(given(kind, seed, spoil).run(duration=0.4 * world.span).save(tmp_path / f"{seed}.h5"))
        on = {"output": world.span / 50} | ({"events": world.events} if world.events else {})
        one, other = first.extend(0.6 * world.span, **on), read.extend(0.6 * world.span, **on)
        return gap(one, other, world.bodies, n=31)

    holds(measure, range(1), 1e-11 if "flexible" in kind else 0.0)


@all_kinds
def test_a_short_run_is_the_beginning_of_a_long_one(kind):
    def measure(seed, spoil=0.0):
        long, short = run_of(kind, seed), given(kind, seed, spoil).run(duration=0.4 * world_of(kind, seed).span)
        at = rows(long)[:21]
        bodies = world_of(kind, seed).bodies
        return max(float(np.abs(long[f"{b}.position"][at] - short[f"{b}.position"][rows(short, 21)]).max()) for b in bodies)

    holds(measure, range(1), 1e-11)


# -- sampled otherwise -----------------------------------------------------------------------------------------------------


@all_kinds
@few_and_many
def test_samples_do_not_touch_the_run(kind, seeds):
    """Other intervals, or times one by one: the same bits at common times, and of impacts, but where samples are projected
    onto constraints. The intervals are halves of each other, so that common times have the same bits."""

    def measure(seed, spoil=0.0):
        world, T = given(kind, seed, spoil), world_of(kind, seed).span
        one = world_of(kind, seed).run(output=T / 32)
        some = np.random.default_rng(seed).uniform(0, T, 40)
        worst = 0.0
        for asked in ({"output": T / 128}, {"output": T / 16}, {"times": np.unique([*(T / 32 * np.arange(33)), *some])}):
            run = world.run(**asked)
            n = 17 if asked == {"output": T / 16} else 33
            a, b = rows(one, n), rows(run, n)
            worst = max(worst, struck_gap(one, run))
            for body in world.bodies:
                x, y = one[f"{body}.position"][a], run[f"{body}.position"][b]
                worst = max(worst, float(np.abs(x - y).max()))
        return worst

    holds(measure, seeds, 0.0)


@all_kinds
def test_made_twice(kind):
    """The same bits again, whatever else was run in between."""

    def measure(seed, spoil=0.0):
        world = world_of(kind, seed)
        one = world.run()
        world.run(initial={name: 1.1 * np.asarray(x) if name.endswith("rate") else x for name, x in world.start.items()})
        return gap(one, given(kind, seed, spoil).run(), world.bodies)

    holds(measure, range(1), 0.0)


# -- by other ways ---------------------------------------------------------------------------------------------------------

WAYS = [("dense", "customary"), ("recursive", "efficient"), ("embedded", "customary")]


@all_kinds
@pytest.mark.parametrize("way", [*WAYS, pytest.param(("dense", "efficient"), marks=pytest.mark.thorough)], ids="-".join)
@few_and_many
def test_formulations(kind, way, seeds):
    def measure(seed, spoil=0.0):
        other = given(kind, seed, spoil).run(formulation=way[0], speeds=way[1])
        return gap(run_of(kind, seed), other, world_of(kind, seed).bodies)

    holds(measure, seeds, 2e-10)


@all_kinds
@pytest.mark.parametrize(
    "method",
    [
        {"method": "dopri5", "rtol": 1e-11},
        pytest.param({"method": "rk4", "step": 2e-4}, marks=pytest.mark.thorough),
        pytest.param({"method": "sdirk4", "rtol": 1e-8}, marks=pytest.mark.thorough),
    ],
    ids=lambda method: method["method"],
)
def test_methods(kind, method):
    def measure(seed, spoil=0.0):
        other = given(kind, seed, spoil).run(atol=1e-11, **method)
        return gap(run_of(kind, seed), other, world_of(kind, seed).bodies)

    if method["method"] == "dopri5":
        holds(measure, range(1), 1e-9)
    else:
        holds(measure, range(1), 1e-5, spoil=1e-2)


# -- backwards -------------------------------------------------------------------------------------------------------------

ELASTIC = {"restitution": (1.0, 1.0), "friction": 0.0}
CONSERVATIVE = {
    "rigid": lambda seed: undamped(rigid(seed)),
    "flexible": lambda seed: undamped(flexible(seed)),
    "looped": lambda seed: undamped(looped(seed)),
    "flexible loops": lambda seed: undamped(flexible_loops(seed)),
    "struck": lambda seed: undamped(struck(seed, **ELASTIC)),
    "struck loops": lambda seed: undamped(struck(seed, loops=True, **ELASTIC)),
    "struck table": lambda seed: undamped(struck(seed, table=True, **ELASTIC)),
    "struck flexible": lambda seed: undamped(struck(seed, soft=True, **ELASTIC)),
}


@pytest.mark.parametrize("kind", CONSERVATIVE)
@few_and_many
def test_backwards(kind, seeds):
    """Speeds reversed at the end, the system goes back to its start, through elastic impacts without friction too."""

    def measure(seed, spoil=0.0):
        world = CONSERVATIVE[kind](seed)
        there = world.run()
        end = by_name(there.model, there.final)
        turned = {name: -np.asarray(x) if name.endswith("rate") else x for name, x in end.items()}
        again = world.but(start=turned)
        back = (Spoiled(spoil)(again) if spoil else again).run()
        worst = 0.0
        for body in world.bodies:
            for what, sign in (("position", 1), ("velocity", -1), ("rotation", 1), ("omega", -1)):
                x, y = there[f"{body}.{what}"][rows(there)], sign * back[f"{body}.{what}"][rows(back)][::-1]
                worst = max(worst, float(np.abs(x - y).max()) / max(1.0, float(np.abs(x).max())))
        return worst if len(there.impacts) == len(back.impacts) else np.inf

    holds(measure, seeds, 1e-9)
