"""A row of flexible posts on a moving base, their tips joined by links: many loops, each through two flexible bodies.

Source: stand-in for A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), section 9.5, moving structures with many
loops.

N + 1 equal posts (length L, EI, mass m per length) are clamped to a base that slides along x as prescribed, with the
velocity (V/T) [t - sin(p t)/p], p = 2 pi/T. N rigid links (mass M) of the posts' distance are pinned to neighbouring
tips: N loops that share their posts. The links keep the tips together, so that the structure has two kinds of small
motions: all posts sway alike, each with mu m L = N M/(N + 1) on its tip; and posts bend with their tips at rest, N such
motions for each frequency:

    sway:  1 + cos b cosh b + mu b (cos b sinh b - sin b cosh b) = 0 ,   tips at rest:  tan b = tanh b ,
    w = b^2 sqrt(EI/(m L^4))                                                                                      (1)

The base excites the sway alone, mode by mode, with phi the modes in unit modal mass and g = int phi m dx + mu m L phi(L):

    v = -sum phi(L) g (V/T) [(1 - cos w t)/w^2 - (cos p t - cos w t)/(w^2 - p^2)] ,   t <= T                       (2)

And since all posts are loaded alike, pin k at the end of link k carries k/(N + 1) of the inertia of one link. Under gravity
the links weigh on the posts through their pins and soften the sway, as a payload does that of a beam accelerated along its
axis. Units: SI, rad.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from kaneflex.gallery.accelerated_beam import squares
from kaneflex.gallery.component_modes import Boom, numbers, tip_and_mass
from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import work_of_drives
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, redundant, title, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Prismatic, Revolute
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.modes.reduction import craig_bampton
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "loops": 6, "length": 1.5, "EI": 40.0, "mass_per_length": 0.4, "link": 0.3, "distance": 0.5, "speed": 0.5, "time": 1.5,
}  # fmt: skip
GRAVITY = 9.81  # in one of the checks
HELD = 2  # modes of a post with its tip at rest, besides its static shape


def alike(p: Parameters) -> dict[str, float]:
    """One post with its share of the links, as a boom with a payload."""
    share = p["loops"] * p["link"] / (p["loops"] + 1) / (p["mass_per_length"] * p["length"])
    return {"length": p["length"], "EI": p["EI"], "mass_per_length": p["mass_per_length"], "payload": share}


@cache
def _post(length: float, EI: float, mass_per_length: float) -> Flexible:
    """Static shape of a force at the tip, and modes with the tip held there: what a pin may do to it."""
    boom = Boom({"length": length, "EI": EI, "mass_per_length": mass_per_length, "payload": 0.0})
    return Flexible(boom.structure, modes=boom.full(craig_bampton(boom.M, boom.K, [boom.tip], HELD).vectors))


def build(p: Parameters, gravity: float = 0.0) -> System:
    """The base at the origin, posts up along y, links along x; gravity, m/s^2, is down."""
    if p["loops"] < 1:
        raise ModelError(f"loops is {p['loops']}: give at least one")
    d, m, L = positive(p["distance"], "distance"), positive(p["link"], "link"), positive(p["length"], "length")
    post = _post(L, p["EI"], p["mass_per_length"])
    link = Rigid(m, com=(d / 2, 0, 0), inertia=(0, m * d**2 / 12, m * d**2 / 12), frames={"end": (d, 0, 0)})
    system = System("row of posts", gravity=(0, -gravity, 0))
    slide = profiles.spin_up(rate=p["speed"], time=positive(p["time"], "time"))
    system.add("base", Rigid(5.0), Prismatic("x", motion=slide))
    up = (("z", np.pi / 2),)
    for k in range(p["loops"] + 1):
        system.add(f"post{k}", post, parent="base", at=Frame((k * d, 0, 0), up))
    for k in range(p["loops"]):
        system.add(f"link{k}", link, Revolute("z"), parent=f"post{k}", at="tip", q=-np.pi / 2)
        system.close(f"pin{k + 1}", f"link{k}.end", f"post{k + 1}.tip", Revolute("z"))
        system.show(f"link{k}", Box((d, 0.03 * L, 0.03 * L), position=(d / 2, 0, 0)))
    wide = d * (p["loops"] + 1)
    system.show("base", Box((wide, 0.06 * L, 0.3 * L), position=(wide / 2 - d / 2, -0.03 * L, 0), color="silver"))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """As long as the base gathers speed, 150 samples."""
    times = np.linspace(0, p["time"], 151)
    return system.simulate(
        p["time"], method="dop853", rtol=1e-8, atol=1e-10, formulation=formulation, speeds=speeds, times=times
    )


def frequencies(p: Parameters) -> np.ndarray:
    """The lowest 1 + N frequencies and the next one by (1), rad/s, ascending."""
    one = alike(p)
    unit = np.sqrt(p["EI"] / (p["mass_per_length"] * p["length"] ** 4))
    held = brentq(lambda b: np.tan(b) - np.tanh(b), 3.5, 4.3, xtol=1e-14)
    sway = numbers(one["payload"], 2) ** 2
    return np.asarray(unit * np.sort([sway[0], *[held**2] * p["loops"], sway[1]]))


def response(t: np.ndarray, p: Parameters) -> np.ndarray:
    """Deflection of the tips by six modes of (2), m."""
    one = alike(p)
    tip, area, mass = tip_and_mass(one, 6)
    w = numbers(one["payload"], 6) ** 2 * np.sqrt(p["EI"] / (p["mass_per_length"] * p["length"] ** 4))
    q = 2 * np.pi / p["time"]
    gain = tip * (area + one["payload"] * tip) / mass * p["speed"] / p["time"]
    waves = np.cos(np.outer(t, w))
    return np.asarray(-(((1 - waves) / w**2 - (np.cos(q * t)[:, None] - waves) / (w**2 - q**2)) @ gain))


def _under_gravity(p: Parameters) -> Check:
    """The sway's frequency where posts and links have weight: what the pins carry softens the posts."""
    system, one = build(p, GRAVITY), alike(p)
    unit = np.sqrt(p["EI"] / (p["mass_per_length"] * p["length"] ** 4))
    exact = unit * np.sqrt(squares(GRAVITY / (unit**2 * p["length"]), payload=one["payload"])[0])
    found = system.modes(system.state())[0].frequency
    source = "Ritz's method with powers, one post with its share of the links"
    return Check("first frequency under gravity, rad/s", found, float(exact), 1e-4 * exact, source)


def sway(run: Run, k: int) -> np.ndarray:
    """Deflection of tip k along the base's motion, m; the posts' y is against it."""
    return -run[f"post{k}.tip.deflection"][:, 1]


def checks(run: Run, p: Parameters) -> list[Check]:
    """Frequencies of both kinds, the sway that the base causes, equal tips, what the pins carry."""
    n, system = p["loops"], build(p)
    found = np.array([m.frequency for m in system.modes(system.state())])[: n + 2]
    exact = frequencies(p)
    names = [f"frequency {k + 1}" for k in range(n + 2)]
    wanted, got = response(run.t, p), sway(run, 0)
    k, size = int(np.argmax(np.abs(got - wanted))), float(np.abs(wanted).max())
    apart = max(float(np.abs(sway(run, j) - got).max()) for j in range(1, n + 1))
    inertia = p["link"] * run["link0.acceleration"][:, 0]
    pins = [run.loads(f"pin{j}").force[:, 0] + j / (n + 1) * inertia for j in range(1, n + 1)]
    off, scale = max(float(np.abs(x).max()) for x in pins), float(np.abs(inertia).max())
    return [
        worst("small motions, rad/s", names, found, exact, 2e-4 * exact, "closed form: (1)"),
        _under_gravity(p),
        Check("sway where it differs most, m", got[k], wanted[k], 5e-4 * size, "closed form: (2)"),
        Check("tips apart, m", apart, 0.0, 1e-12 * size, "identity: links keep their length"),
        Check(
            "force of the pins less their share of a link's inertia, N",
            off,
            0.0,
            scale * (size / p["length"]) ** 2,
            "closed form: k/(N + 1), to the sway squared",
        ),
        redundant(run, 3 * n, "plane loops closed by hinges in space"),
        balance(run, 1e-8),
        work_of_drives(run, ("base",), 5e-6),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """The row at its largest sway, drawn larger; the tips over time; and the forces of the pins."""
    picture, axes = panels(1, 3, size=(11.4, 3.8), width_ratios=(1.2, 1, 1))
    got = sway(run, 0)
    most, larger = int(np.argmax(np.abs(got))), 0.25 * p["length"] / np.abs(got).max()
    x = np.linspace(0, 1, 30)
    for factor, colour in ((0.0, GREY), (larger, COLOURS[0])):
        tips = [k * p["distance"] + factor * sway(run, k)[most] for k in range(p["loops"] + 1)]
        for k, tip in enumerate(tips):
            at = k * p["distance"]
            axes[0].plot(at + (tip - at) * (1.5 * x**2 - 0.5 * x**3), x * p["length"], color=colour, lw=1.2)
        axes[0].plot(tips, [p["length"]] * len(tips), "o-", ms=4, color=colour, lw=2)
    axes[0].set(xlabel="x, m", ylabel="y, m", aspect="equal", title=f"largest sway, {larger:.0f} times")
    axes[0].margins(0.04)
    axes[1].plot(run.t, 1e3 * got, label="run")
    axes[1].plot(run.t[::6], 1e3 * response(run.t[::6], p), "o", color=GREY, mfc="white", ms=4, label="closed form (2)")
    axes[1].set(xlabel="time, s", ylabel="sway of the tips, mm")
    legend(axes[1], loc="upper center")
    for j in range(1, p["loops"] + 1):
        axes[2].plot(run.t, -run.loads(f"pin{j}").force[:, 0], color=COLOURS[j % len(COLOURS)], label=f"pin {j}")
    axes[2].set(xlabel="time, s", ylabel="force of the pin on its link, N")
    axes[2].margins(y=0.3)
    legend(axes[2], loc="upper right", ncols=3)
    axes[0].title.set_fontsize("small")
    title(picture, f"{p['loops']} loops of flexible posts on a moving base")
    return picture


EXAMPLE = Example(
    name="row-of-posts",
    title="Moving base with flexible posts and links, many loops (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 9",
    source="stand-in for section 9.5; frequencies and response in closed form",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
