"""A system may be declared in any order, stand anywhere, be turned, seen from a moving frame, in a mirror, in other
units, or start at another time: its motion is the same. Tolerances are a few times the errors seen, relative, at rtol =
1e-12."""

from dataclasses import replace

import numpy as np
import pytest
from properties.alike import Image, few_and_many, gap, holds, rows
from properties.mirror import MIRROR, Mirrored
from properties.remakes import Moved, Remake, Reordered, Scaled, Spoiled, anywhere
from properties.worlds import (
    INNER,
    SMOOTH,
    World,
    all_kinds,
    flexible,
    rigid,
    run_of,
    struck,
    system_of,
    world_of,
)
from trees import turn

import kaneflex as kf
from kaneflex.model.codec import model_from_data, model_to_data
from kaneflex.plan.state import State


def seen(kind: str, seed: int, remake: Remake, image: Image, spoil: float, **options) -> float:
    """How far the run of a world that was remade is from the image of its own run."""
    world = world_of(kind, seed)
    other = remake(Spoiled(spoil)(world) if spoil else world)
    return gap(run_of(kind, seed) if not options else world.run(**options), other.run(**options), world.bodies, image)


@all_kinds
@few_and_many
def test_order_of_adding(kind, seeds):
    def measure(seed, spoil=0.0):
        return seen(kind, seed, Reordered(seed), Image(), spoil)

    holds(measure, seeds, 1e-13 if kind in SMOOTH else 5e-11)


@all_kinds
@few_and_many
def test_turned_and_elsewhere(kind, seeds):
    def measure(seed, spoil=0.0):
        moved = anywhere(seed)
        return seen(kind, seed, moved, Image(Q=moved.Q, p=moved.p), spoil)

    holds(measure, seeds, 2e-12 if kind in SMOOTH else 1e-10)


@all_kinds
@few_and_many
def test_in_a_mirror(kind, seeds):
    def measure(seed, spoil=0.0):
        return seen(kind, seed, Mirrored(), Image(Q=MIRROR, S=MIRROR), spoil)

    holds(measure, seeds, 1e-13 if kind in SMOOTH else 5e-11)


@all_kinds
@few_and_many
def test_in_other_units(kind, seeds):
    """Lengths, masses and times by powers of two up to eight: only the absolute tolerance of the integrator knows units."""

    def measure(seed, spoil=0.0):
        L, root, T = 2.0 ** np.random.default_rng(seed).integers(-3, 4, 3)
        return seen(kind, seed, Scaled(L, root**2, T), Image(L=L, M=root**2, T=T), spoil)

    holds(measure, seeds, 1e-9)


@pytest.mark.parametrize("kind", SMOOTH)
@pytest.mark.parametrize("units", [(2.0**-7, 4.0, 2.0**-4), (2.0**9, 2.0**-8, 2.0**5)], ids=["small", "large"])
def test_in_other_units_to_the_bit(kind, units):
    """With powers of two and a fixed step nothing is rounded otherwise, but for constraints and iterations on them."""
    L, M, T = units

    def measure(seed, spoil=0.0):
        world = world_of(kind, seed)
        other = Scaled(L, M, T)(Spoiled(spoil)(world) if spoil else world)
        fixed = {"method": "rk4", "rtol": 1e-12, "atol": 1e-12}
        one, two = world.run(step=0.005, **fixed), other.run(step=0.005 * T, **fixed)
        return gap(one, two, world.bodies, Image(L=L, M=M, T=T))

    holds(measure, range(1), 0.0 if kind in ("rigid", "flexible") else 1e-10)


FLOATING = {
    "rigid": lambda seed: rigid(seed, root="Free", loads=INNER),
    "flexible": lambda seed: flexible(seed, root="Free", loads=INNER),
    "struck table": lambda seed: struck(seed, table=True),
    "struck flexible table": lambda seed: struck(seed, table=True, soft=True),
}


@pytest.mark.parametrize("kind", FLOATING)
@few_and_many
def test_seen_from_a_moving_frame(kind, seeds):
    """Galilei: what floats, with contacts between its bodies, does the same in a train."""

    def measure(seed, spoil=0.0):
        world = FLOATING[kind](seed)
        rng = np.random.default_rng(seed)
        train = Moved(turn(rng), rng.normal(size=3), 5 * rng.normal(size=3))
        other = train(Spoiled(spoil)(world) if spoil else world)
        return gap(world.run(), other.run(), world.bodies, Image(Q=train.Q, p=train.p, v=train.v))

    holds(measure, seeds, 2e-11)


def far_gap(kind: str, seed: int, away: float, spoil: float) -> float:
    far = Moved(None, (away, -0.3 * away, 0.2 * away))
    return seen(kind, seed, far, Image(p=far.p), spoil)


@all_kinds
@few_and_many
def test_far_from_the_origin(kind, seeds):
    """At 1e5 m positions are known to 1e-11 m: motions agree to a few times that, impacts as well."""

    def measure(seed, spoil=0.0):
        return far_gap(kind, seed, 1e5, spoil)

    holds(measure, seeds, 5e-10 if kind in SMOOTH else 2e-8)


@all_kinds
@few_and_many
def test_at_another_time(kind, seeds):
    """Nothing in these systems knows the time: a run from t = 8 s on is the run from 0."""

    def measure(seed, spoil=0.0):
        world = world_of(kind, seed)
        later = Spoiled(spoil)(world) if spoil else world
        now = later.system.state(later.start)
        state = State(now._index, 8.0, now.q, now.rates)
        return gap(run_of(kind, seed), later.run(initial=state), world.bodies)

    holds(measure, seeds, 1e-12 if kind in SMOOTH else 1e-10)


@all_kinds
def test_through_the_words_of_a_file(kind):
    """A model that was written down and read again gives the same bits, of rigid bodies; arrays of flexible ones are read
    in another layout of memory, in which sums are rounded otherwise."""

    def measure(seed, spoil=0.0):
        world = world_of(kind, seed)
        given = Spoiled(spoil)(world) if spoil else world
        read = system_of(model_from_data(model_to_data(given.system), {}))
        return gap(run_of(kind, seed), given.but(system=read).run(), world.bodies)

    holds(measure, range(1), 1e-11 if "flexible" in kind else 0.0)


@all_kinds
def test_two_worlds_do_not_know_of_each_other(kind):
    """Two systems in one, without anything between them, move as each does alone."""

    def measure(seed, spoil=0.0):
        one, two = world_of(kind, seed), world_of("rigid", seed + 10)
        run = together(one, Spoiled(spoil)(two) if spoil else two).run(output=one.span / 50)
        alone = two.but(span=one.span).run()
        seen = {f"{body}.{x}": run[f"other_{body}.{x}"] for body in two.bodies for x in ("position", "velocity")}
        at = rows(run)
        off = max(float(np.abs(alone[name] - x[at]).max()) for name, x in seen.items())
        return max(off / 10, gap(one.run(), run, one.bodies))

    holds(measure, range(1), 1e-10)


def together(one: World, two: World) -> World:
    """Both worlds in one system, the names of the second with "other_" before them."""
    text = model_to_data(two.system)
    names = [*two.system.parts, *two.system.rotors, *two.system.loads, *two.system.inputs, *two.system.constraints]

    def renamed(x):
        if isinstance(x, str):
            head, dot, tail = x.partition(".")
            return f"other_{head}{dot}{tail}" if head in names else x
        if isinstance(x, dict):
            return {renamed(k): renamed(v) for k, v in x.items()}
        return [renamed(v) for v in x] if isinstance(x, list) else x

    other = model_from_data(renamed(text), {})
    both = system_of(one.system)
    for table in ("parts", "frames", "rotors", "loads", "inputs", "constraints", "contacts"):
        both.take_over(**{table: getattr(both, table) | getattr(other, table)})
    off = np.array(both.gravity) - np.array(other.gravity)
    for name, part in other.parts.items():  # the gravity that the others have not
        mass, moment, _ = part.body.mass_properties()
        if mass and np.any(off):
            both.frames.put(name, {**both.frames[name], "weight": kf.Frame(moment / mass)})
            both.loads.put(f"weight_{name}", kf.Force(f"{name}.weight", -mass * off, "inertial"))
    assert not any(p.body.is_flexible for p in other.parts.values())
    start = {**one.start, **{f"other_{n}": x for n, x in two.start.items()}}
    return replace(one, system=both, start=start, inputs={**one.inputs, **{f"other_{n}": x for n, x in two.inputs.items()}})
