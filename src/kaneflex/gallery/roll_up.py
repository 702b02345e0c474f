"""A rod rolled up into full circles by a moment at its tip, and let go.

Source: A. K. Banerjee, Flexible Multibody Dynamics, chapter 10 (beams of rods and springs); the roll-up is J. C. Simo and
L. Vu-Quoc's, Comput. Methods Appl. Mech. Eng. 58 (1986) 79.

A straight rod of length L and stiffness EI is clamped at its root. A moment M at its tip gives it everywhere the curvature

    1/R = M/EI ,                                                                                                      (1)

so that it becomes a full circle for M = 2 pi EI/L, and goes round m times for m times as much. So do n rods with springs
between them, exactly: each joint turns by M l/EI and the one at the root, which has twice the stiffness, by half of that.
The middles of the rods lie on the circle of the radius (l/2) cot(M l/2 EI). The energy in the springs is that of n - 1/2
lengths l: M^2 (L - l/2)/2 EI. In space it is the same about either axis, since the springs act on rotation vectors.
The run lets the rod go from its circle. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, balance, panels, title
from kaneflex.model.forces import Torque
from kaneflex.model.rods.rod import Rod
from kaneflex.plan.state import State
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"n": 16, "length": 1.0, "mass": 1.0, "stiffness": 1.0, "torsion": 0.8, "turns": 1.0}
DURATION = 0.12  # over sqrt(mass length^3/stiffness)


def build(p: Parameters, axis: int = 2) -> System:
    """The rod along x, in space, with a moment of a full turn at its tip as an input, about y or z."""
    L, EI = p["length"], p["stiffness"]
    system = System("roll-up")
    system.add_rod("rod", Rod(L, p["mass"] / L, EI=EI, GJ=p["torsion"], n=p["n"]))
    system.add_input("turns", Torque("rod.tip", 2 * math.pi * EI / L * np.eye(3)[axis]))
    return system


def rolled(system: System, turns: float) -> State:
    """The equilibrium under a moment of so many turns."""
    return system.equilibrium_path("turns", turns).states[-1]


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The rod let go."""
    time = math.sqrt(p["mass"] * p["length"] ** 3 / p["stiffness"])
    return system.simulate(
        DURATION * time,
        initial=rolled(system, p["turns"]),
        method="dop853",
        rtol=1e-8,
        atol=1e-10,
        formulation=formulation,
        speeds=speeds,
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """The circle, in both planes, its radius and its energy; what the run keeps."""
    n, L, EI, result = p["n"], p["length"], p["stiffness"], []
    source = "closed form: moment over stiffness"
    for axis, name in ((1, "y"), (2, "z")):
        for turns in (1.0, 2.0):
            system = build(p, axis)
            found = system.channels(rolled(system, turns), "rod.tip.position", "rod.curvature", inputs={"turns": turns})
            away = float(np.linalg.norm(found["rod.tip.position"])) / L
            result.append(Check(f"tip from root after {turns:g} turns about {name}, over L", away, 0.0, 1e-11, source))
            bent = found["rod.curvature"][:, axis] * L / (2 * math.pi * turns)
            what = f"least curvature about {name}, {turns:g} turns, over 2 pi/L"
            result.append(Check(what, bent.min(), 1.0, 1e-11, source))
    l, M = L / n, 2 * math.pi * EI / L * p["turns"]
    energy = M**2 * (L - l / 2) / (2 * EI)
    result.append(Check("energy of the rolled-up rod, J", run["rod.potential"][0], energy, 1e-12 * energy, "closed form"))
    middles = (run["rod.shape"][0, 1:] + run["rod.shape"][0, :-1]) / 2
    radius = l / 2 / abs(math.tan(M * l / (2 * EI)))
    centre = np.linalg.lstsq(2 * middles[:, :2] - 2 * middles[0, :2], np.sum(middles**2 - middles[0] ** 2, axis=1))[0]
    spread = np.linalg.norm(middles[:, :2] - centre, axis=1)
    result.append(Check("radius of the circle through the middles, m", spread.max(), radius, 1e-12 * L, "closed form, (1)"))
    result.append(Check("out of its plane, m", float(np.abs(run["rod.shape"][..., 2]).max()), 0.0, 1e-12 * L, "symmetry"))
    result.append(balance(run, 1e-7))
    return result


def figure(run: Run, p: Parameters) -> Figure:
    """Shapes as the moment grows, and as the rod unrolls."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.2))
    system = build(p)
    path = system.equilibrium_path("turns", p["turns"], longest=0.4)
    for k, (state, turns) in enumerate(zip(path.states, path.values, strict=True)):
        shape = system.channels(state, "rod.shape", inputs={"turns": float(turns)})["rod.shape"]
        left.plot(shape[:, 0], shape[:, 1], color=COLOURS[0], alpha=0.25 + 0.75 * k / max(len(path.states) - 1, 1))
    left.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    for k in np.linspace(0, len(run.t) - 1, 10).astype(int):
        shape = run["rod.shape"][k]
        right.plot(shape[:, 0], shape[:, 1], color=COLOURS[1], alpha=1 - 0.75 * k / (len(run.t) - 1))
    right.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    title(picture, f"{p['n']} rods rolled up by a moment at the tip (left), and let go (right)")
    return picture


EXAMPLE = Example(
    name="roll-up",
    title="Roll-up of a rod into full circles by a moment",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 10",
    source="Banerjee chapter 10; Simo and Vu-Quoc 1986",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
