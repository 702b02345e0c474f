"""Four flexible beams in a chain that floats: revolute, Hooke and ball joint, 52 degrees of freedom, the revolute driven.

Source: Banerjee and Lemak's chain of four flexible bodies, for which only the joints, the number of freedoms and computing
times are printed. This stand-in is complete: four aluminium beams of 4 m (E = 70 GPa, 2700 kg/m^3, section 40 mm along y by
20 mm along z: EI = 1867 about y and 7467 N m^2 about z, 2.16 kg/m), of each ten modes with the root held, x from root to
tip, six of them static shapes of loads at the tip where it carries the next bar; the first floats freely, the second turns
about z on its tip, the third is on a Hooke joint (y, then z), the last on a ball joint. The chain is at rest, bent at the
Hooke joint by 0.4 and -0.3 rad and at the ball joint by the rotation vector (0.3, 0.5, -0.2). The revolute joint is turned
by 90 degrees in 10 s, a(t) = 90 deg (t/T - sin(2 pi t/T)/(2 pi)).

Its elasticity is that of finite elements of the whole chain: the frequencies of small vibrations about the start, the driven
hinge held (with ten vibration modes and no static shapes the lowest two are 4 and 6 % too high), and those of the chain that
hangs straight in gravity from its first root, whose bars are stiffened by the weight of those below.

Nothing acts from outside: linear and angular momentum stay zero, and what the drive does is the whole energy. With ever
stiffer beams the torque of the drive becomes that of four rigid bars, which is checked on a chain 100 times as stiff with
strongly damped modes. Units: SI, rad.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.joints import Free, Revolute, Spherical, Universal
from kaneflex.results.run import Run
from kaneflex.structures import Beam, Flexible
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "length": 4.0, "E": 7e10, "density": 2700.0, "width": 0.04, "height": 0.02, "modes": 10, "angle": 90.0, "time": 10.0,
    "damping": 0.0,
}  # fmt: skip
BARS = ("first", "second", "third", "fourth")
HOOKE = (0.4, -0.3)
BALL = (0.3, 0.5, -0.2)
STIFFER = 100.0  # of the chain beside the rigid one
GRAVITY = 9.81  # m/s^2, where it hangs

#: Frequencies of the floating and of the hanging chain, rad/s, by finite elements of the whole, twelve to a bar.
FLOATING = (8.445223, 16.996733, 21.909622, 26.854937, 32.754725, 44.767313, 49.974447, 56.586551)
HANGING = (1.041413, 1.156367, 2.504934, 2.821123, 4.502987, 4.955502, 10.447017, 18.100868)


def build(p: Parameters) -> System:
    """The chain at rest."""
    return chain(p, [beam(p)] * 4)


def beam(p: Parameters, stiffer: float = 1.0, damping: float | None = None) -> Flexible:
    """One bar with its modes.

    Args:
        p: parameters.
        stiffer: factor on E.
        damping: of the modes; None for that of the parameters.
    """
    shape = (p["length"], p["E"] * stiffer, p["density"], p["width"], p["height"])
    return _beam(*shape, p["modes"], p["damping"] if damping is None else damping)


@cache
def _beam(L: float, E: float, rho: float, b: float, h: float, modes: int, damping: float) -> Flexible:
    EI = (E * b * h**3 / 12, E * h * b**3 / 12)
    return Flexible(Beam(L, E * b * h, EI, rho * b * h, elements=16), modes=modes, damping=damping)


def rigid_bar(p: Parameters) -> Rigid:
    """One bar without its modes."""
    modal = beam(p).modal
    m, s = float(modal.mass), np.array(modal.first_moment)
    centre = s / m
    J = np.array(modal.inertia) - m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return Rigid(m, com=centre, inertia=J, frames={"tip": (p["length"], 0, 0)})


def chain(p: Parameters, bars: list[Any], hanging: bool = False) -> System:
    """The four bars on their joints, the revolute one driven; floating, or hanging straight from the root of the first."""
    motion = profiles.smooth_step(np.radians(p["angle"]), p["time"])
    turn = np.linalg.norm(BALL)
    quaternion = (np.cos(turn / 2), *(np.sin(turn / 2) * np.array(BALL) / turn))
    system = System("four-flexible-bodies", gravity=(GRAVITY if hanging else 0.0, 0, 0))
    system.add("first", bars[0], None if hanging else Free())
    system.add("second", bars[1], Revolute("z", motion=motion), "first", "tip")
    system.add("third", bars[2], Universal(("y", "z")), "second", "tip", q=None if hanging else HOOKE)
    system.add("fourth", bars[3], Spherical(), "third", "tip", q=None if hanging else quaternion)
    return system


def frequencies(system: System) -> np.ndarray:
    """The eight lowest frequencies about the equilibrium at the start, but those of motions without strain, rad/s."""
    found = np.array([mode.frequency for mode in system.modes(system.equilibrium())])
    return found[found > 1e-4 * found[-1]][:8]


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The whole turn, sampled 500 times."""
    return _simulated(system, p, p["time"], formulation, speeds)


def _simulated(system: System, p: Parameters, duration: float, formulation: str, speeds: str) -> Run:
    return system.simulate(
        duration, method="dop853", rtol=1e-9, atol=1e-11, formulation=formulation, speeds=speeds, output=p["time"] / 500
    )


def reach(run: Run) -> np.ndarray:
    """Tip of the fourth bar from the root of the first, in the axes of the first, m."""
    e = run["first.q"][:, 3:]
    return _turned_back(e, run["fourth.tip.position"] - run["first.position"])


def _turned_back(e: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Vectors x in the axes that the quaternions e (scalar first) turn to."""
    s, v = e[:, :1], -e[:, 1:]
    t = 2 * np.cross(v, x)
    return x + s * t + np.cross(v, t)


def checks(run: Run, p: Parameters) -> list[Check]:
    """Frequencies; the torque from the energy and from other formulations, the rigid limit, momentum."""
    return _frequencies(p) + _torque(run, p) + _ways(run, p) + _rigid_limit(p) + _identities(run, p)


def _frequencies(p: Parameters) -> list[Check]:
    """Floating and hanging chain against finite elements of the whole; ten modes a bar show the seventh to 1 %."""
    if not unchanged(p, DEFAULTS, "angle", "time"):
        return []
    source, labels = "finite elements of the whole chain", [str(k + 1) for k in range(8)]
    allowed = np.array([2e-3] * 6 + [1.5e-2, 5e-3])
    floating, hanging = (frequencies(chain(p, [beam(p)] * 4, hanging)) for hanging in (False, True))
    return [
        worst("frequency at the start, rad/s", labels, floating, FLOATING, allowed * FLOATING, source),
        worst("frequency hanging in gravity, rad/s", labels, hanging, HANGING, 1e-3 * np.array(HANGING), source),
    ]


def _torque(run: Run, p: Parameters) -> list[Check]:
    """The torque as power over rate, the power from a spline through the energy."""
    from scipy.interpolate import CubicSpline

    power = CubicSpline(run.t, run["energy.total"])(run.t, 1)
    inner = slice(50, -50)
    gap = np.abs(power[inner] / run["second.rate"][inner] - run["second.drive"][inner]).max()
    scale = float(np.abs(run["second.drive"]).max())
    source = "rate of energy over rate of the joint, by a spline"
    return [Check("torque of the drive, largest difference, N m", float(gap), 0.0, 1e-4 * scale, source)]


def _ways(run: Run, p: Parameters) -> list[Check]:
    """The same motion and torque from the other formulations, in the first tenth of the run.

    Efficient modal speeds leave out that the rotary inertia of sections depends on the deflection, a term of second order
    in it: without rotary inertia they differ by terms of third order from the other speeds.
    """
    found, scale, n = [], float(np.abs(run["second.drive"]).max()), 51
    squared = float(np.abs(run["second.tip.deflection"][:n]).max()) ** 2 / p["length"]
    left_out = 0.02 * squared if run.plan.speeds == "constant-mass" else 0.0  # 0.016 is seen
    for formulation, speeds in (("recursive", "customary"), ("recursive", "efficient"), ("dense", "customary")):
        if (formulation, speeds) == (run.plan.formulation.name, run.plan.speeds):
            continue
        other = _simulated(build(p), p, p["time"] / 10, formulation, speeds)
        gap = float(np.abs(run["second.drive"][:n] - other["second.drive"]).max())
        found.append(Check(f"torque by {formulation} {speeds}, N m", gap, 0.0, 1e-8 * scale, "identity: one motion"))
        gap = float(np.abs(reach(run)[:n] - reach(other)).max())
        allowed = 1e-11 * p["length"] + left_out
        found.append(Check(f"reach by {formulation} {speeds}, m", gap, 0.0, allowed, "identity: one motion"))
    return found


def rigid_limit(p: Parameters) -> tuple[Run, Run]:
    """Runs of four rigid bars, and of four stiff ones with few and strongly damped modes."""
    few = {**p, "modes": min(2, p["modes"])}
    rigid, stiff = (chain(p, [bar] * 4) for bar in (rigid_bar(p), beam(few, STIFFER, 0.3)))
    return simulate(rigid, p), simulate(stiff, p)


def _rigid_limit(p: Parameters) -> list[Check]:
    rigid, stiff = rigid_limit(p)
    scale, source = float(np.abs(rigid["second.drive"]).max()), "run of four rigid bars"
    torque = float(np.abs(rigid["second.drive"] - stiff["second.drive"]).max())
    path = float(np.abs(reach(rigid) - reach(stiff)).max())
    return [
        Check(f"torque of a chain {STIFFER:g} times as stiff, N m", torque, 0.0, 1e-3 * scale, source),
        Check(f"reach of a chain {STIFFER:g} times as stiff, m", path, 0.0, 1e-4 * p["length"], source),
    ]


def _identities(run: Run, p: Parameters) -> list[Check]:
    mass = 4 * p["density"] * p["width"] * p["height"] * p["length"]
    scale = mass * p["length"] ** 2 * abs(np.radians(p["angle"])) / p["time"]
    H, P = (float(np.abs(run[f"momentum.{kind}"]).max()) for kind in ("central", "linear"))
    freedoms = float(run.u.shape[1])
    return [
        Check(
            "freedoms, the driven one among them", freedoms, 12.0 + 4 * p["modes"], 0.5, "identity: 6 + 1 + 2 + 3 + modes"
        ),
        Check("angular momentum, N m s", H, 0.0, 1e-10 * scale, "identity: nothing acts from outside"),
        Check("linear momentum, N s", P, 0.0, 1e-10 * scale / p["length"], "identity: nothing acts from outside"),
        balance(run, 1e-12),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Torque beside that of rigid bars; by three methods, as in the paper's Fig. 4; and the deflections of the tips."""
    picture, (top, middle, bottom) = panels(3, 1, size=(7.2, 7.0), sharex=True)
    rigid = simulate(chain(p, [rigid_bar(p)] * 4), p)
    top.plot(run.t, run["second.drive"], label="flexible bars")
    top.plot(rigid.t, rigid["second.drive"], "--", color=GREY, lw=1.0, label="rigid bars")
    efficient = simulate(build(p), p, speeds="constant-mass")
    dense = _simulated(build(p), p, p["time"] / 10, "dense", "customary")
    middle.plot(run.t, run["second.drive"], label="recursive")
    middle.plot(efficient.t, efficient["second.drive"], "--", color=COLOURS[1], label="recursive, efficient speeds")
    middle.plot(
        dense.t[::3], dense["second.drive"][::3], "o", color=COLOURS[2], mfc="none", ms=4, label="dense, first tenth"
    )
    for name, colour in zip(BARS, COLOURS, strict=False):
        bottom.plot(run.t, 1e3 * np.linalg.norm(run[f"{name}.tip.deflection"], axis=1), color=colour, lw=1.0, label=name)
    top.set(ylabel="torque of the drive, N m")
    middle.set(ylabel="torque by three methods, N m")
    bottom.set(xlabel="time, s", ylabel="tip deflection, mm")
    for ax in (top, middle, bottom):
        ax.margins(y=0.25)
        legend(ax, loc="upper right", ncols=4)
    title(picture, "Four flexible bodies on revolute, Hooke and ball joints")
    return picture


EXAMPLE = Example(
    name="four-flexible-bodies",
    title="Four flexible bodies on revolute, Hooke and ball joints, torque at the driven one (stand-in)",
    document="Banerjee and Lemak, efficient generalized speeds",
    source="Banerjee and Lemak's case; stand-in data, finite elements, energy, rigid limit, agreement of formulations",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
