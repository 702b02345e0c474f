"""Bodies cut in two, wheels that are rotors or bodies, joints made of simpler ones, other axes in a body, bodies that
weigh next to nothing. Tolerances are a few times the errors seen at rtol = 1e-12."""

from dataclasses import replace

import numpy as np
import pytest
from properties.alike import few_and_many, gap, holds
from properties.graphs import joint_values
from properties.remakes import Remake, Spoiled
from properties.worlds import LOADS, World, all_kinds, flexible, looped, rigid, run_of, struck, system_of, world_of
from trees import direction, frame, turn
from trees import rigid as some_body

import kaneflex as kf
from kaneflex.model.bodies import BodyBase, Rotor
from kaneflex.model.frames import Frame
from kaneflex.model.part import Part

Array = np.ndarray
WHOLE = tuple(x for x in LOADS if x[0] != "CentralGravity")  # whose gradient is of second order in the size of each body
MAKE = {
    "rigid": lambda seed: rigid(seed, loads=WHOLE),
    "flexible": lambda seed: flexible(seed, loads=WHOLE),
    "looped": lambda seed: looped(seed, loads=WHOLE),
    "struck": struck,
    "struck table": lambda seed: struck(seed, table=True),
    "held": lambda seed: struck(seed, restitution=(0.0, 0.0), after="slide", feet=1),
}


def joined(one: kf.Rigid, other: kf.Rigid, where: Frame) -> kf.Rigid:
    """One body of two, the second in a frame of the first: masses, moments and inertias added, by the parallel axis
    theorem."""
    parts = [(one.mass, np.array(one.com), np.array(one.inertia))]
    parts.append((other.mass, where.p + where.R @ other.com, where.R @ np.array(other.inertia) @ where.R.T))
    mass = sum(m for m, _, _ in parts)
    c = sum(m * x for m, x, _ in parts) / mass
    J = sum(J + m * ((x - c) @ (x - c) * np.eye(3) - np.outer(x - c, x - c)) for m, x, J in parts)
    return replace(one, mass=mass, com=c, inertia=J)


class Welded(Remake):
    """Every rigid body gets a second one: melted into it, on a fixed joint, or floating and held by a fixed closure."""

    def __init__(self, seed: int, how: str, weight: float = 1.0):
        self.how, self.weight, self.rng = how, weight, np.random.default_rng([seed, 7])

    def __call__(self, world: World) -> World:
        self.motions, self.more = world.poses(), {}
        made = super().__call__(world)
        return made.but(start={**made.start, **self.more})

    def _add(self, system: kf.System, part: Part) -> None:
        body = part.body
        second, where, side = some_body(self.rng), frame(self.rng, 0.1, 0.4), frame(self.rng, 0.1, 0.4)
        if self.weight != 1:
            second = replace(second, mass=second.mass * self.weight, inertia=np.array(second.inertia) * self.weight)
        if not isinstance(body, kf.Rigid) or body.mass == 0:
            return super()._add(system, part)
        # the second body's own frame in the first's: `side` on it coincides with `where`
        R = where.R @ side.R.T
        own = Frame(where.p - R @ side.p, R)
        if self.how == "melted":
            return super()._add(system, replace(part, body=joined(body, second, own)))
        super()._add(system, part)
        name = f"{part.name}_half"
        if self.how == "fixed":
            system.add(name, second, kf.Fixed(), part.name, where, hinge=side)
            return None
        system.add(name, second, kf.Free())
        system.close(
            f"{name}_weld", system.add_frame(part.name, "weld", where), system.add_frame(name, "weld", side), kf.Fixed()
        )
        R_b, p_b, w, v = self.motions[part.name]
        motion = (R_b @ own.R, p_b + R_b @ own.p, w, v + np.cross(w, R_b @ own.p))
        still = (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
        q, rates = joint_values(kf.Free(), still, motion)
        self.more |= {f"{name}.q": q, f"{name}.rate": rates}
        return None


@pytest.mark.parametrize("how", ["fixed", "closed"])
@pytest.mark.parametrize("kind", MAKE)
@few_and_many
def test_two_halves_are_one_body(kind, how, seeds):
    def measure(seed, spoil=0.0):
        world = MAKE[kind](seed)
        other = Welded(seed, how)(Spoiled(spoil)(world) if spoil else world)
        return gap(Welded(seed, "melted")(world).run(), other.run(), world.bodies)

    holds(measure, seeds, 2e-11 if how == "fixed" else 2e-10)


@pytest.mark.parametrize("how", ["fixed", "closed"])
@pytest.mark.parametrize("kind", ["rigid", "looped", "struck"])
def test_what_weighs_next_to_nothing(kind, how):
    """A half of 1e-7 of its weight changes the motion by about as much, whether it hangs on a joint or on a closure; a
    tenth of it by a tenth."""

    def measure(seed, spoil=0.0):
        world = MAKE[kind](seed)
        run = world.run()
        more, less = (gap(run, Welded(seed, how, w + spoil)(world).run(), world.bodies) for w in (1e-7, 1e-8))
        assert spoil or 5 < more / less < 20
        return more

    holds(measure, range(1), 1e-6)


class Redescribed(Remake):
    """Every rigid body in other axes about another origin."""

    def __init__(self, seed: int):
        self.rng, self.own = np.random.default_rng([seed, 8]), {}

    def _add(self, system: kf.System, part: Part) -> None:
        if not isinstance(part.body, kf.Rigid):
            raise TypeError("a flexible body has its own axes")
        self.R, self.p = turn(self.rng), 0.5 * self.rng.normal(size=3)
        self.own[part.name] = self.R, self.p
        above = self.own.get(part.parent)
        at = part.at if above is None else self.seen(part.at, *above)
        super()._add(system, replace(part, at=at, hinge=self.frame(part.hinge)))

    @staticmethod
    def seen(frame: Frame, R: Array, p: Array) -> Frame:
        return Frame(R.T @ (frame.p - p), R.T @ frame.R)

    def frame(self, frame: Frame) -> Frame:
        return self.seen(frame, self.R, self.p)

    def body(self, body: BodyBase) -> BodyBase:
        assert isinstance(body, kf.Rigid)
        frames = {n: self.frame(f) for n, f in body.frames.items()}
        J = self.R.T @ np.array(body.inertia) @ self.R
        return replace(body, com=self.R.T @ (np.array(body.com) - self.p), inertia=J, frames=frames)

    def rotor(self, rotor: Rotor) -> Rotor:
        owner = next(o for o, r in self.world.system.rotors.values() if r is rotor)
        return replace(rotor, axis=self.own[owner][0].T @ rotor.axis)

    def load(self, load):
        """Loads at the body's own origin, or in its axes, are put to a frame there."""
        return load

    def constraint(self, constraint):
        return constraint


@pytest.mark.parametrize("kind", ["rigid", "looped", "struck", "struck table", "held"])
@few_and_many
def test_other_axes_in_a_body(kind, seeds):
    def measure(seed, spoil=0.0):
        world = at_frames(MAKE[kind](seed))
        other = Redescribed(seed)(Spoiled(spoil)(world) if spoil else world)
        return gap(world.run(), other.run(), [f"{b}.origin" for b in world.bodies])

    holds(measure, seeds, 2e-11)


def at_frames(world: World) -> World:
    """The world with all that names a body's own frame naming a frame "origin" there."""
    system = system_of(world.system)
    system.take_over(frames={b: {**frames, "origin": Frame()} for b, frames in system.frames.items()})

    def put(place):
        return f"{place}.origin" if place in system.parts else place

    for table in (system.loads, system.inputs):
        for name, load in table.items():
            changes = {x: put(getattr(load, x)) for x in ("at", "a", "b") if isinstance(getattr(load, x, None), str)}
            table[name] = replace(load, **changes)
    for name, c in system.constraints.items():
        changes = {
            x: put(getattr(c, x))
            for x in ("a", "b", "point", "line", "plane", "on", "at", "body")
            if isinstance(getattr(c, x, None), str)
        }
        system.constraints.put(name, replace(c, **changes))
    return world.but(system=system)


# -- wheels ----------------------------------------------------------------------------------------------------------------


class Wheels(Remake):
    """Rotors with a mass at the mass centre of their bodies: as rotors, which a body's inertia includes, or as bodies of
    their own on hinges."""

    def __init__(self, as_bodies: bool, ratio: float = 0.6):
        self.as_bodies, self.ratio = as_bodies, ratio

    def _wheel(self, rotor: Rotor) -> Array:
        a = np.array(rotor.axis)
        return rotor.inertia * (self.ratio * (np.eye(3) - np.outer(a, a)) + np.outer(a, a))

    def _add(self, system: kf.System, part: Part) -> None:
        if not self.as_bodies:
            for owner, rotor in self.world.system.rotors.values():
                if owner == part.name:
                    wheel = kf.Rigid(0.3, (0, 0, 0), self._wheel(rotor))
                    part = replace(part, body=joined(part.body, wheel, Frame(part.body.com)))
        super()._add(system, part)

    def order(self, items):
        return items if not self.as_bodies else [x for x in items if x[0] == "part"] + [x for x in items if x[0] != "part"]

    def __call__(self, world: World) -> World:
        if not self.as_bodies:
            return super().__call__(world)
        self.world, old = world, world.system
        bare = system_of(old)
        bare.take_over(rotors={})
        start = dict(world.start)
        for name, (owner, rotor) in old.rotors.items():
            com = old.parts[owner].body.com
            bare.add(name, kf.Rigid(0.3, (0, 0, 0), self._wheel(rotor)), kf.Revolute(rotor.axis), owner, com)
            start[f"{name}.q"] = 0.0
        return world.but(system=bare, start=start)


@pytest.mark.parametrize("kind", ["rigid", "looped", "struck"])
@few_and_many
def test_a_rotor_is_a_wheel_on_a_hinge(kind, seeds):
    def measure(seed, spoil=0.0):
        world = next(w for w in (MAKE[kind](1000 * seed + k) for k in range(100)) if w.system.rotors)
        other = Wheels(True, 0.6 + spoil)(world)
        return gap(Wheels(False)(world).run(), other.run(), world.bodies)

    holds(measure, seeds, 2e-11, margin=2)


# -- joints made of joints -------------------------------------------------------------------------------------------------

CHAINS = {
    "Universal": [kf.Revolute("x"), kf.Revolute("y")],
    "Cylindrical": [kf.Revolute("z"), kf.Prismatic("z")],
    "Translational": [kf.Prismatic("x"), kf.Prismatic("y"), kf.Prismatic("z")],
    "Planar": [kf.Prismatic("x"), kf.Prismatic("y"), kf.Revolute("z")],
    "Free": [kf.Translational(), kf.Spherical()],
}


@pytest.mark.parametrize("kind", CHAINS)
@few_and_many
def test_joints_made_of_joints(kind, seeds):
    """A joint is a chain of simpler ones with bodies without mass between them."""

    def measure(seed, spoil=0.0):
        rng = np.random.default_rng([seed, 9])
        bodies, places = [some_body(rng) for _ in range(3)], [(frame(rng, 0.3, 1), frame(rng, 0.1, 0.3)) for _ in range(3)]
        whole = {"Universal": kf.Universal(), "Cylindrical": kf.Cylindrical("z"), "Planar": kf.Planar("z")}.get(kind)
        whole = whole or {"Translational": kf.Translational(), "Free": kf.Free()}[kind]
        q, rates = 0.5 * rng.normal(size=whole.facts.coordinates), rng.normal(size=whole.facts.speeds)
        if kind == "Free":
            q[3:] /= np.linalg.norm(q[3:])
        runs = []
        for chain in ([whole], CHAINS[kind]):
            s = kf.System("chain", gravity=(1.0, -2.0, -9.0))
            s.add("a", bodies[0], kf.Revolute("y"), at=places[0][0], hinge=places[0][1], q=0.3, rates=0.5)
            parent, at, done_q, done_u = "a", places[1][0], 0, 0
            for k, joint in enumerate(chain):
                last = k == len(chain) - 1
                mine_q = q[done_q : done_q + joint.facts.coordinates]
                mine_u = rates[done_u : done_u + joint.facts.speeds]
                if kind == "Free" and k == 0 and not last:  # velocity of a free joint is in the child's axes
                    mine_u = turned_by(q[3:]) @ mine_u
                name = "b" if last else f"between{k}"
                body = bodies[1] if last else kf.Rigid(0.0)
                s.add(name, body, joint, parent, at, hinge=places[1][1] if last else None, q=mine_q, rates=mine_u)
                parent, at, done_q, done_u = name, None, done_q + len(mine_q), done_u + len(mine_u)
            c = replace(bodies[2], mass=bodies[2].mass * (1 + (spoil if len(chain) > 1 else 0.0)))
            s.add("c", c, kf.Spherical(), "b", places[2][0], hinge=places[2][1], rates=(1.0, -0.5, 0.7))
            runs.append(s.simulate(0.5, output=0.01, method="dop853", rtol=1e-12, atol=1e-13, progress=False))
        return gap(*runs, ["a", "b", "c"])

    holds(measure, seeds, 2e-11)


def turned_by(e: Array) -> Array:
    w, v = e[0], e[1:]
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


# -- beams -----------------------------------------------------------------------------------------------------------------


def beam(length: float, elements: int):
    return kf.structures.Beam(length=length, EA=2e5, EI=30.0, mass_per_length=0.8, elements=elements)


def frequencies(system: kf.System) -> Array:
    return np.sort([mode.frequency for mode in system.modes(system.state()) if mode.frequency > 0])


@pytest.mark.parametrize("tip", [0.5, pytest.param(0.0, marks=pytest.mark.thorough)])
def test_a_beam_in_two_pieces(tip):
    """A cantilever of four elements with all its modes has the frequencies of two of two elements, the second on the end of
    the first: both are the whole finite element model. The motions agree to the square of the slope, which the second piece
    follows as a whole."""

    def measure(seed, spoil=0.0):
        whole, pieces = kf.System("whole"), kf.System("pieces")
        whole.add("a", kf.Flexible(beam(2.0, 4), modes=24))
        pieces.add("a0", kf.Flexible(beam(1.0 + spoil, 2), modes=12))
        pieces.add("b", kf.Flexible(beam(1.0, 2), modes=12), parent="a0", at="tip")
        if tip:
            mass = kf.Rigid(tip, (0.1, 0.05, 0.02), (0.01, 0.02, 0.02))
            whole.add("m", mass, parent="a", at="tip")
            pieces.add("m", mass, parent="b", at="tip")
        one, two = frequencies(whole), frequencies(pieces)
        assert len(one) == len(two) == 24
        return float(np.abs(one / two - 1)[:12].max())

    holds(measure, range(1), 1e-7, margin=100)


@all_kinds
def test_frames_and_loads_of_nothing(kind):
    """Frames that nobody uses, loads of zero and inputs that are not given change nothing."""

    def measure(seed, spoil=0.0):
        world = world_of(kind, seed)
        system = system_of(world.system)
        idle = Frame(direction(np.random.default_rng(seed)))
        system.take_over(frames={b: {**frames, "idle": idle} for b, frames in system.frames.items()})
        for body in world.bodies:
            system.apply(f"nothing_{body}", kf.Force(f"{body}.idle", (spoil, 0.0, 0.0)))
            system.add_input(f"idle_{body}", kf.Torque(body, (1.0, 0.0, 0.0)))
        return gap(run_of(kind, seed), world.but(system=system).run(), world.bodies)

    holds(measure, range(1), 1e-12 if "struck" not in kind else 1e-10)
