"""Angular momentum of any run about the mass centre: its change, less the integral of what acts from outside, worked out
from forces and the places they act at, the air that is carried along, what leaves bodies of variable mass, and impulses."""

from collections.abc import Callable
from contextlib import contextmanager
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.interpolate import make_interp_spline

import kaneflex as kf
from kaneflex.model.contacts import Contact
from kaneflex.model.forces import AddedMass, JointForce, JointSpring, MagneticTorque, OrbitGravity, SlidingFriction
from kaneflex.model.forces.contract import on_body
from kaneflex.model.joints import Fixed
from kaneflex.model.model import GROUND
from kaneflex.model.orbits.places import absolute
from kaneflex.results.outflow import departed

Array = np.ndarray
ROUNDED = 1e-13  # of linear momentum times distance from the origin: beside that, central momentum is a small rest


class Balance(NamedTuple):
    """Of a run, N m s: what is left of the change of the momentum; how far its sums may be off, as every other sample tells;
    the largest momentum; the largest change from outside; what rounding leaves."""

    left: float
    error: float
    size: float
    given: float
    rounding: float

    @property
    def unexplained(self) -> float:
        """Part of the momentum beyond ten times what the sums are off."""
        return max(self.left - 10 * self.error - self.rounding, 0.0) / self.size if self.size else 0.0


def turned(R: Array, v: Array) -> Array:
    """R v at every sample."""
    return np.einsum("nij,nj->ni", R, v)


def from_outside(run: kf.Run) -> tuple[Array, Array]:
    """Of a segment: torque about the mass centre, and angular momentum of the air carried along, inertial axes."""
    model, t, centre = run.model, run.t, run["mass_centre.position"]
    roots = {name for name, part in model.parts.items() if part.parent == GROUND}
    total, air = np.zeros((2, len(t), 3))
    given = [(load, np.ones((len(t), 1))) for load in model.loads.values()]
    given += [(load, run[name][:, None]) for name, load in model.inputs.items()]
    for load, size in given:
        if isinstance(load, OrbitGravity):
            up = np.array([load.orbit.state(x)[0] for x in t])
            far = np.linalg.norm(up, axis=1)[:, None]
            up = up / far
            total += 3 * load.orbit.mu / far**3 * np.cross(up, turned(run["mass_centre.inertia"], up))
        elif isinstance(load, AddedMass):
            for name in load.bodies:
                R, at = run[f"{name}.rotation"], np.array(load.at)
                v = run[f"{name}.velocity"] + np.cross(turned(R, run[f"{name}.omega"]), R @ at)
                carried = R @ np.array(load.matrix)[:3, :3] @ np.swapaxes(R, 1, 2) @ v[:, :, None]
                air += np.cross(run[f"{name}.position"] + R @ at - centre, carried[:, :, 0])
                total -= np.cross(run["mass_centre.velocity"], carried[:, :, 0])
        elif isinstance(load, MagneticTorque):
            field, place, R = load.field.law(), absolute(load.orbit), run[f"{load.at}.rotation"]
            B = np.array([field(x, place(x, r, 0)) for x, r in zip(t, run[f"{load.at}.position"], strict=True)])
            total += np.cross(turned(R, np.broadcast_to(load.moment, B.shape)), B)
        elif isinstance(load, JointForce | JointSpring | SlidingFriction) or load.is_internal(roots) or not np.any(size):
            continue  # those of roots are among the loads of their joints, friction among those of its contact
        else:
            arrow = load.arrow(t, {name: run[name] for name in load.channels()})
            assert arrow is not None, f"{type(load).__name__} acts from outside: say its torque"
            at, value, unit = arrow
            total += np.cross(at - centre, value * size) if unit == "N" else value * size
    tied = [name for name in run.plan.index.constraints if not all(map(on_body, ends_of(model, name)))]
    for name in (*roots, *tied):
        load = run.loads(name, at=GROUND)
        total += load.torque - np.cross(centre, load.force)
    return total, air


def ends_of(model: kf.System, name: str) -> tuple:
    """What a constraint or a contact is between."""
    what = model.constraints[name] if name in model.constraints else model.contacts[name]
    return (what.on,) if isinstance(what, Contact) else what.ends()


def is_outside(model: kf.System, name: str) -> bool:
    """Whether an impulse of it comes from N, or from a body that is fixed there."""
    still = {body for body, part in model.parts.items() if part.parent == GROUND and isinstance(part.joint, Fixed)}
    return any(not on_body(end) or (isinstance(end, str) and end.partition(".")[0] in still) for end in ends_of(model, name))


def summed(t: Array, rate: Array) -> tuple[Array, float]:
    """Integral of a rate, and how much it may be off."""

    def over(t: Array, rate: Array, order: int) -> Array:
        found = make_interp_spline(t, rate, order).antiderivative()(t)
        return found - found[0]

    if len(t) < 4:
        return over(t, rate, 1), float(np.abs(np.diff(t)[:, None] * np.diff(rate, axis=0)).sum() / 2)
    order = min(7, (len(t) - 2) // 2 * 2 + 1)
    whole, few = over(t, rate, order), t[::2]
    half = min(7, (len(few) - 2) // 2 * 2 + 1)
    if half < 3:
        return whole, float(np.abs(over(t, rate, 1) - whole).max())
    return whole, float(np.abs(over(few, rate[::2], half) - whole[::2]).max())


def held(t: Array, rate: Array) -> tuple[Array, float]:
    """Integral of a rate that steps at samples, where runs have what it was before; exact."""
    return np.concatenate([np.zeros((1, 3)), np.cumsum(np.diff(t)[:, None] * rate[1:], axis=0)]), 0.0


def balance(run: kf.Run, part: float = 1.0, steps: bool = False) -> Balance:
    """Of all segments, and of the jumps between them; `part` of the torque counts, which is constant between samples where
    it `steps`."""
    segments = [*run.segments, run.last] if run.segments else [run]
    left = error = size = given = rounding = 0.0
    for one in segments:
        keep = np.flatnonzero(np.concatenate([[True], np.diff(one.t) > 1e-12]))
        H, gone = one["momentum.central"], departed(one.trajectory)
        if gone is not None:
            H, error = H + gone.central, max(error, gone.error[1])
        torque, air = from_outside(one)
        H = (H + air)[keep]
        size = max(size, float(np.abs(H).max()))
        far = np.abs(one["mass_centre.position"]).max() * np.abs(one["momentum.linear"]).max()
        rounding = max(rounding, ROUNDED * float(far))
        if np.any(torque) and len(keep) > 1:
            change, off = (held if steps else summed)(one.t[keep], part * torque[keep])
            H, error, given = H - change, max(error, off), max(given, float(np.abs(change).max()))
        left = max(left, float(np.abs(H - H[0]).max()))
    for before, after in pairwise(segments):
        jump = after["momentum.central"][0] - before["momentum.central"][-1]
        left = max(left, float(np.abs(jump - part * struck(before, after)).max()))
    return Balance(left, error, size, given, rounding)


def struck(before: kf.Run, after: kf.Run) -> Array:
    """Moment about the mass centre of the impulses from N between two segments."""
    if not before.impacts:
        return np.zeros(3)
    model, centre = after.model, before["mass_centre.position"][-1]
    pushes = {name: P for name, P in dict(before.impacts[-1].impulses).items() if is_outside(model, name)}
    # a foot that is pinned, or was closed and stays so: it pushes with what else the linear momentum jumps by
    pinned = [x for x in after.plan.index.constraints if x not in pushes and is_outside(model, x)]
    rest = after["momentum.linear"][0] - before["momentum.linear"][-1] - sum(np.asarray(P) for P in pushes.values())
    points = {name: getattr(model.contacts.get(name), "point", f"lander.{name}") for name in (*pushes, *pinned)}
    places = {name: before[f"{point}.position"][-1] for name, point in points.items()}
    pushes |= {name: rest / len(pinned) for name in pinned}
    return sum((np.cross(places[name] - centre, P) for name, P in pushes.items()), np.zeros(3))


@contextmanager
def recorded(judge: Callable[[kf.Run, bool], None], samples: int = 1200):
    """Every run that is made meanwhile is judged, and told whether torques step at its samples, as sampled controllers make
    them; other runs that something outside acts on are made again with more samples, most of them at first."""
    simulate = kf.System.simulate

    def watched(system: kf.System, *args, **options):
        run = simulate(system, *args, **options)
        fine, steps = run, bool(options.get("controllers"))
        if run.audit.angular_momentum_drift is None and not steps:
            others = {name: x for name, x in options.items() if name not in ("times", "output")}
            part = np.linspace(0, 1, max(samples, 2 * len(run.t)) + 1) ** 3
            fine = simulate(system, *args, **others, times=run.t[0] + (run.t[-1] - run.t[0]) * part)
        judge(fine, steps)
        return run

    kf.System.simulate = watched
    try:
        yield
    finally:
        kf.System.simulate = simulate
