"""A boom that is extruded from a turning base, and drawn in again.

Sources: T. R. Kane, A. K. Banerjee, Extrusion of a Beam from a Rotating Base, J. Guidance 12 (1989) 140-146; A. K. Banerjee,
Order-n Formulation of Extrusion of a Beam with Large Bending and Rotation, J. Guidance 15 (1992) 121-127; Flexible Multibody
Dynamics (Wiley, 2016), chapter 11. Their data were not found: the beam is the one of 8 m of chapter 3, EI = 566.71 N m^2,
0.2018806 kg/m, out of a base that turns with W = 0.3 rad/s.

Rods leave the base one by one: inside they are locked and slide along the exit, outside they turn with springs. Near the
exit these have the compliance of the boom outside, so that nothing rings when a rod leaves. One rod more stays in the base.

Reference: the linear extruding beam in eight modes of a cantilever of the present length l, whose material flows with
U (1 - x/l) seen from them, with the tension of rotation and of extrusion, computed apart. Its deflections grow as the
load of Coriolis, 2 W U per mass, meets an ever softer beam. Deployed from 1 m to 8 m in 14 s at a constant rate, which
ends within 0.1 s and leaves the boom swinging, or as l = 1 + 7 (p - sin(2 pi p)/(2 pi)), p = t/14 s, and drawn in so. The
material damps a little, in the reference too: without it the boom that is drawn in would still ring at its end.
Units: SI, rad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, sample, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Revolute
from kaneflex.model.rods.rod import Rod
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"n": 24, "EI": 566.71}
LENGTH, LINE_MASS, RATE, TIME = 8.0, 0.2018806, 0.3, 14.0
VISCOUS = 1e-4  # s: damps the first mode of the whole boom by less than 2e-4 of critical
STOPS = (TIME - 0.05, TIME + 0.05)  # s, when a constant rate ends


def stopped() -> profiles.Motion:
    """1 m to 8 m at a constant rate, slowed down evenly about 14 s."""
    (begin, end), rate = STOPS, (LENGTH - 1.0) / TIME
    slow = rate / (end - begin)
    return profiles.Motion(
        lambda t: np.where(t < begin, 1 + rate * t, LENGTH - slow * np.where(t > end, 0.0, end - t) ** 2 / 2),
        lambda t: np.where(t < begin, rate, slow * np.where(t > end, 0.0, end - t)),
        lambda t: np.where((t < begin) | (t > end), 0.0, -slow),
        breaks=STOPS,
    )


THIN = 0.01  # radius of a boom that bends in space, m

#: Length outside, m, by the way it is moved; and how long that is looked at, s.
WAYS: dict[str, Any] = {
    "smoothed": profiles.smooth_step(7.0, TIME, initial=1.0),
    "constant": stopped(),
    "drawn in": profiles.smooth_step(-7.0, TIME, initial=8.0),
}
LASTS = {"smoothed": TIME, "constant": TIME + 2.0, "drawn in": TIME}
#: Tip deflection of the linear continuum, m, at times, s.
CONTINUUM = {
    "smoothed": ((4, 6, 8, 10, 12, 14), (-0.000219, -0.003860, -0.022849, -0.042050, -0.019083, 0.001329)),
    "constant": (
        (2, 4, 6, 8, 10, 12, 13.95, 15, 16),
        (-0.000218, -0.001089, -0.003422, -0.008333, -0.017243, -0.031860, -0.053549, 0.052979, -0.047538),
    ),
    "drawn in": ((2, 4, 6, 8, 12), (0.020277, 0.043282, 0.021764, 0.003039, 0.000167)),
}
PEAKS = {"smoothed": (10,), "constant": (13.95, 15, 16), "drawn in": (4,)}  # s, where the limit of short rods is told


def total(p: Parameters) -> float:
    """Length of the boom, m: of n rods outside, and one that stays in the base."""
    return LENGTH * (p["n"] + 1) / p["n"]


def build(p: Parameters, way: str = "smoothed", space: bool = False) -> System:
    """The base, turning about z as prescribed, and the boom along its x axis, fed so; it bends in the plane or in space."""
    if p["n"] < 2:
        raise ModelError(f"n is {p['n']}: give at least 2 rods")
    system = System("extruded boom")
    system.add("base", Rigid(10.0, inertia=(2, 2, 2)), Revolute("z", motion=profiles.constant_rate(RATE)))
    EI = positive(p["EI"], "EI")
    bends: dict[str, Any] = {"EI": (EI, EI), "GJ": EI, "radius": THIN} if space else {"EI": EI, "plane": "xy"}
    rod = Rod(total(p), LINE_MASS, n=p["n"] + 1, damping=VISCOUS, **bends)
    system.add_rod("boom", rod, parent="base")
    system.add_feed("feed", rod="boom", out_of="base", length=WAYS[way])
    system.show("base", drum(0.3, 0.6))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """As long as it is moved, every 0.05 s."""
    return moved(system, "smoothed", formulation, speeds)


def moved(system: System, way: str, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The run of one way."""
    how: dict[str, Any] = {"formulation": formulation, "speeds": speeds}
    return system.simulate(LASTS[way], method="dopri5", rtol=1e-5, atol=1e-8, output=0.05, **how)


def deflection(run: Run) -> np.ndarray:
    """Of the tip across the line that the base carries, m."""
    return np.einsum("nij,ni->nj", run["base.rotation"], run["boom.tip.position"])[:, 1]


def checks(run: Run, p: Parameters) -> list[Check]:
    """The continuum's deflections, all three ways, and their limit for short rods; the force that feeds; the books."""
    found = [balance(run, 1e-8)]
    found.append(Check("joints outside at the end", float(run["feed.outside"][-1]), p["n"], 0.5, "8 m are out"))
    if unchanged(p, DEFAULTS, "n"):
        found += _beside_the_continuum(run, p)
    length = run["feed.length"]
    acceleration = WAYS["smoothed"].functions[2]
    assert acceleration is not None
    push = np.array([acceleration(t) for t in run.t])
    closed = LINE_MASS * total(p) * (push - RATE**2 * (length - total(p) / 2))
    k = int(np.argmax(np.abs(run["boom_1.drive"] - closed)))
    name = f"force that feeds, where it differs most, t = {run.t[k]:.4g} s, N"
    found.append(Check(name, float(run["boom_1.drive"][k]), float(closed[k]), 0.01, "m L (l'' - W^2 (l - L/2)), straight"))
    return [*found, _in_space(p)]


def _in_space(p: Parameters) -> Check:
    """A boom of few rods that may bend in space, in which it stays in the plane."""
    few = {**p, "n": 5}
    tight: dict[str, Any] = {"method": "dopri5", "rtol": 1e-6, "atol": 1e-9, "output": 0.05}
    plane, space = (deflection(build(few, space=s).simulate(TIME, **tight)) for s in (False, True))
    off, source = float(np.abs(space - plane).max()), "identity: bending in space is that in the plane"
    return Check("in space: tip deflection beside that in the plane, m", off, 0.0, 2e-6 * float(np.abs(plane).max()), source)


def _beside_the_continuum(run: Run, p: Parameters) -> list[Check]:
    """Deflections at times, and their limit by half as many rods; errors are of order 1/n^2."""
    found, source = [], "linear extruding beam, eight modes, computed apart"
    coarse = {**p, "n": p["n"] // 2}
    for way, (times, values) in CONTINUUM.items():
        one = run if way == "smoothed" else moved(build(p, way), way)
        v, size = deflection(one), max(map(abs, values))
        names, here = [f"at {t:g} s" for t in times], [v[sample(one, t)] for t in times]
        found.append(worst(f"{way}: tip deflection, m", names, here, values, 4 / p["n"] ** 2 * size, source))
        half, peaks = deflection(moved(build(coarse, way), way)), PEAKS[way]
        at = [sample(one, t) for t in peaks]
        limit, names = (4 * v[at] - half[at]) / 3, [f"at {t:g} s" for t in peaks]
        wanted = [values[times.index(t)] for t in peaks]
        found.append(worst(f"{way}: limit of short rods, m", names, limit, wanted, 4e-3 * size, source))
    rings, left = float(np.abs(v[one.t >= 12.0]).max()), CONTINUUM["drawn in"][1][-1]
    source = "linear extruding beam, largest at 12 s; without damping 0.000483"
    return [*found, Check("drawn in: rings after 12 s with, m", rings, left, 0.5 * left, source)]


def figure(run: Run, p: Parameters) -> Figure:
    """Tip deflection, all three ways, beside the continuum; the boom from the base at times."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.0), width_ratios=(1.2, 1))
    for n, way in enumerate(WAYS):
        one = run if way == "smoothed" else moved(build(p, way), way)
        left.plot(one.t, deflection(one), color=COLOURS[n], label=way)
        left.plot(*CONTINUUM[way], "o", color=GREY, mfc="white", ms=5, label="continuum" if n == 2 else None)
    left.set(xlabel="time, s", ylabel="tip deflection across, m")
    legend(left, loc="lower left")
    for n, t in enumerate((4.0, 6.0, 8.0, 10.0)):
        k = sample(run, t)
        shape = run["boom.shape"][k] @ run["base.rotation"][k]
        outside = shape[:, 0] >= -1e-9
        right.plot(shape[outside, 0], shape[outside, 1], color=COLOURS[n], label=f"{t:g} s")
    right.set(xlabel="along the base's axis, m", ylabel="across, m")
    legend(right, loc="lower left")
    title(picture, "Boom out of a base that turns with 0.3 rad/s")
    return picture


EXAMPLE = Example(
    name="extruded-boom",
    title="Boom extruded from a turning base, and drawn in",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 11",
    source="Kane and Banerjee (1989); Banerjee (1992); Banerjee (2016)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
