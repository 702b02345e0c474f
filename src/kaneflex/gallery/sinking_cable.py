"""A straight cable that sinks in still water, level or aslant: along and across itself, each by a hyperbolic tangent.

Source: closed form, derived for this file from Morison's equation (Morison and others, Petroleum Transactions AIME 189
(1950), 149).

Released straight at a slope a, every part of a uniform cable feels the same, so that it stays straight and does not turn.
Along itself it moves with its mass m alone, across itself with m + m_a, the water that it moves along, m_a = rho pi d^2/4:

    m v_t' = w sin a - rho pi Ct d v_t^2/2 ,        v_t = V_t tanh(t w sin a/(m V_t)) ,                                 (1)
    (m + m_a) v_n' = w cos a - rho Cn d v_n^2/2 ,   v_n = V_n tanh(t w cos a/((m + m_a) V_n)) ,                          (2)

with V_t^2 = 2 w sin a/(rho pi Ct d) and V_n^2 = 2 w cos a/(rho Cn d), w = m g - m_a g being the weight in water. A level
cable sinks at sqrt(2 w/(rho Cn d)). A chain of rods gives this exactly, whatever their number. Units: SI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title
from kaneflex.model.checks import ModelError, positive, whole
from kaneflex.model.forces import Morison
from kaneflex.model.frames import Frame
from kaneflex.model.media import Sea
from kaneflex.model.rods.rod import Cable
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "length": 20.0, "diameter": 0.02, "weight": 2.0, "density": 1025.0, "Cn": 1.2, "Ct": 0.01, "slope": 10.0, "n": 8,
}  # fmt: skip
GRAVITY = 9.81
DURATION = 12.0
DEEP = 50.0  # m, of the upper end


def build(p: Parameters) -> System:
    """The cable at rest, its first end the higher one; z up."""
    d, rho = positive(p["diameter"], "diameter"), positive(p["density"], "density")
    if not 0 <= p["slope"] < 90:
        raise ModelError(f"slope is {p['slope']:g} deg: give 0 (level) to less than 90")
    mass = positive(p["weight"], "weight") / GRAVITY + rho * np.pi * d**2 / 4
    system = System("sinking cable", gravity=(0, 0, -GRAVITY))
    cable = Cable(positive(p["length"], "length"), mass, n=whole(p["n"], "n", least=1), plane="xz", radius=d / 2)
    system.add_rod("cable", cable, at=Frame((0, 0, 0), (("y", np.radians(p["slope"])),)), root="free")
    system.apply("sea", Morison("cable", Sea(rho, surface=DEEP), d, p["Cn"], p["Ct"]))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until it sinks steadily."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-10, atol=1e-11, formulation=formulation, speeds=speeds, output=0.05
    )


def exact(p: Parameters, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Speeds along and across, m/s, by (1) and (2)."""
    a, rho, d = np.radians(p["slope"]), p["density"], p["diameter"]
    moved = rho * np.pi * d**2 / 4
    mass = p["weight"] / GRAVITY + moved
    found = []
    for pull, drag, inertia in (
        (p["weight"] * np.sin(a), rho * np.pi * p["Ct"] * d / 2, mass),
        (p["weight"] * np.cos(a), rho * p["Cn"] * d / 2, mass + moved),
    ):
        found.append(np.sqrt(pull / drag) * np.tanh(np.sqrt(pull * drag) / inertia * t))
    return found[0], found[1]


def moving(run: Run, p: Parameters, end: str) -> tuple[np.ndarray, np.ndarray]:
    """Speeds of an end of the cable along and across where it began, m/s."""
    a, v = np.radians(p["slope"]), run[f"cable.{end}.velocity"]
    return v @ (np.cos(a), 0, -np.sin(a)), v @ (-np.sin(a), 0, -np.cos(a))


def checks(run: Run, p: Parameters) -> list[Check]:
    """Speeds of both ends at all samples, what drag took, and the speed of a level cable."""
    closed, level = "closed form: (1) and (2)", {**p, "slope": 0.0}
    found = [balance(run, 1e-9)]
    along, across = exact(p, run.t)
    for end in ("root", "tip"):
        t, n = moving(run, p, end)
        found.append(Check(f"speed of the {end} along, largest difference, m/s", _most(t - along), 0.0, 1e-7, closed))
        found.append(Check(f"speed of the {end} across, largest difference, m/s", _most(n - across), 0.0, 1e-7, closed))
    a, mass = np.radians(p["slope"]), p["weight"] / GRAVITY + p["density"] * np.pi * p["diameter"] ** 2 / 4
    fallen = float(-run["cable.tip.position"][-1, 2] - p["length"] * np.sin(a))
    moved = p["density"] * np.pi * p["diameter"] ** 2 / 4
    kinetic = (mass * along[-1] ** 2 + (mass + moved) * across[-1] ** 2) / 2
    lost = p["length"] * float(p["weight"] * fallen - kinetic)
    drag = "energy that drag took, J"
    found.append(Check(drag, run.audit.dissipated_work, lost, 1e-8 * lost, "closed form: weight's work"))
    flat = simulate(build(level), level)
    limit = float(np.sqrt(2 * p["weight"] / (p["density"] * p["Cn"] * p["diameter"])))
    speed = -float(flat["cable.tip.velocity"][-1, 2])
    return [*found, Check("a level cable sinks at, m/s", speed, limit, 1e-9, "closed form: sqrt(2 w/(rho Cn d))")]


def _most(x: np.ndarray) -> float:
    return float(np.abs(x).max())


def figure(run: Run, p: Parameters) -> Figure:
    """Where the cable is on its way, and its speeds."""
    picture, (left, right) = panels(1, 2, size=(9.5, 4.2))
    for k in range(0, len(run.t), 40):
        shape = run["cable.shape"][k]
        left.plot(shape[:, 0], shape[:, 2], color=COLOURS[0] if k == 0 else GREY, lw=1.5)
    left.set(xlabel="x, m", ylabel="height, m", aspect="equal")
    for colour, name, seen, closed in zip(
        COLOURS, ("along", "across"), moving(run, p, "tip"), exact(p, run.t), strict=False
    ):
        right.plot(run.t, seen, color=colour, label=f"{name}, run")
        right.plot(run.t[::15], closed[::15], "o", color=colour, mfc="white", ms=4, label=f"{name}, closed form")
    right.set(xlabel="time, s", ylabel="speed, m/s")
    legend(right, loc="center right")
    title(picture, "Straight cable that sinks in still water")
    return picture


EXAMPLE = Example(
    name="sinking-cable",
    title="Straight cable that sinks in still water",
    document="Classics",
    chapter="cables in water",
    source="closed form of Morison's equation, derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
