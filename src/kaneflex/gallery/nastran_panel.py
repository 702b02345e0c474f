"""A satellite turned with a flexible panel whose matrices come from Nastran's files, in millimetres and tonnes.

Source: P. C. Hughes, Spacecraft Attitude Dynamics (Wiley, 1986), chapter 3, a hub with flexible appendages; the panel is
the uniform cantilever of the textbooks.

The files are written here as Nastran would write them: grid points as bulk data, MGG and KGG as op4 text, assembled from
the matrices of slender beam elements, lengths in mm, masses in t, forces in N. `structures.from_nastran` reads them,
converts to SI and says in its report what it found. It needs the package pyyeti, of the extra `fe`.

A hub (inertia J) turns about z with the panel (length L, EI, mass m per length, along x from the axis) and is driven by a
constant torque T. With j = J/(m L^3) the frequencies are b^2 sqrt(EI/(m L^4)) of

    j b^3 (1 + cos b cosh b) + sin b cosh b - cos b sinh b = 0                                                     (1)

and the hub turns, with the slope s of each mode at its root (unit modal mass, that of the hub included), by

    q = T t^2/(2 (J + m L^3/3)) + sum T s^2/w^2 (1 - cos w t)                                                     (2)

Matrices say nothing of how motion stiffens the panel: the turn is slow, and `stiffening=False` says so. Units: SI, rad.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, title, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import positive
from kaneflex.model.forces import JointForce
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.structures.readers.nastran import from_nastran
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"hub": 12.0, "length": 4.0, "EI": 200.0, "mass_per_length": 1.5, "torque": 0.05}
ELEMENTS, MODES = 12, 4
MM, TONNE = 1e-3, 1e3  # units of the files, in m and kg
STIFFER = 1e3  # bending across, twist and stretch, in terms of bending in the plane


def element(h: float, EI: float, m: float) -> tuple[np.ndarray, np.ndarray]:
    """Mass and stiffness of a slender beam element over (v, theta) of both ends."""
    M = [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2]]
    M += [[54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]]
    K = [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2]]
    K += [[-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]]
    return m * h / 420 * np.array(M), EI / h**3 * np.array(K)


def matrices(length: float, EI: float, m: float) -> dict[str, np.ndarray]:
    """MGG and KGG of the free panel over six freedoms per grid point, in the units of the arguments."""
    h, n = length / ELEMENTS, 6 * (ELEMENTS + 1)
    found = {"MGG": np.zeros((n, n)), "KGG": np.zeros((n, n))}
    bars = np.array([[1, -1], [-1, 1]]) / h, np.array([[2, 1], [1, 2]]) * h / 6
    for k in range(ELEMENTS):
        at = 6 * k
        for rows, sign, stiff in (((1, 5, 7, 11), 1, 1.0), ((2, 4, 8, 10), -1, STIFFER)):
            turn, place = np.diag([1, sign, 1, sign]), np.ix_([at + r for r in rows], [at + r for r in rows])
            for name, A in zip(found, element(h, stiff * EI, m), strict=True):
                found[name][place] += turn @ A @ turn
        for first, density, stiffness in ((0, m, STIFFER * EI / h**2), (3, 1e-4 * m * h**2, STIFFER * EI)):
            place = np.ix_([at + first, at + first + 6], [at + first, at + first + 6])
            found["MGG"][place] += density * bars[1]
            found["KGG"][place] += stiffness * bars[0]
    return found


def op4(name: str, A: np.ndarray) -> str:
    """A matrix as op4 text: a header, then each column with its number, first row and count."""
    lines = [f"{A.shape[1]:8d}{A.shape[0]:8d}{6:8d}{2:8d}{name:8s}1P,3E23.16"]
    for k, column in enumerate(A.T, start=1):
        lines.append(f"{k:8d}{1:8d}{len(column):8d}")
        lines += ["".join(f"{x:23.16E}" for x in column[i : i + 3]) for i in range(0, len(column), 3)]
    return "\n".join([*lines, f"{A.shape[1] + 1:8d}{1:8d}{1:8d}", f"{1.0:23.16E}", ""])


@cache
def _panel(length: float, EI: float, mass_per_length: float) -> Flexible:
    """The panel, written to files in mm and t and read from them."""
    positive(EI, "EI"), positive(mass_per_length, "mass_per_length")
    h = positive(length, "length") / ELEMENTS / MM
    whole = matrices(length / MM, EI / MM**2, mass_per_length / TONNE * MM)  # mm, N mm^2, t/mm
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "panel.op4").write_text("".join(op4(name, A) for name, A in whole.items()))
        grids = "".join(f"GRID,{101 + k},,{k * h:.9f},0.,0.\n" for k in range(ELEMENTS + 1))
        (Path(folder) / "panel.bdf").write_text(grids)
        names = {"root": 101, "tip": 101 + ELEMENTS}
        files = Path(folder) / "panel.op4", Path(folder) / "panel.bdf"
        panel = from_nastran(*files, names=names, length_unit=MM, mass_unit=TONNE)
    return Flexible(panel, nodes=("tip",), modes=ModeChoice(count=MODES), stiffening=False)


def build(p: Parameters) -> System:
    """The hub on its axis, driven, with the panel along x."""
    J = positive(p["hub"], "hub")
    system = System("nastran panel")
    system.add("hub", Rigid(100.0, inertia=(J, J, J)), Revolute("z"), q=0.0)
    system.add("panel", _panel(p["length"], p["EI"], p["mass_per_length"]), parent="hub")
    system.apply("drive", JointForce("hub", p["torque"]))
    system.show("hub", drum(0.08 * p["length"], 0.16 * p["length"]))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Three periods of the first mode, 180 samples."""
    times = np.linspace(0, 6 * np.pi / exact(p, 1)[0][0], 181)
    return system.simulate(
        float(times[-1]), method="dop853", rtol=1e-9, atol=1e-12, formulation=formulation, speeds=speeds, times=times
    )


def exact(p: Parameters, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies by (1), rad/s, and the slope of each mode at the root in unit modal mass, 1/(kg^1/2 m)."""
    L, m = p["length"], p["mass_per_length"]
    j = p["hub"] / (m * L**3)
    law = lambda b: j * b**3 * (1 / np.cosh(b) + np.cos(b)) + np.sin(b) - np.cos(b) * np.tanh(b)
    grid = np.linspace(0.5, np.pi * (count + 1.5), 100 * (count + 2))
    at = np.nonzero(law(grid[1:]) * law(grid[:-1]) < 0)[0][:count]
    b = np.array([brentq(law, grid[k], grid[k + 1], xtol=1e-14) for k in at])
    x, weight = np.polynomial.legendre.leggauss(60)
    slopes = []
    for y in b:  # a sin + c sinh + cos - cosh, without moment and shear at the tip
        ends = [[-np.sin(y), np.sinh(y)], [-np.cos(y), np.cosh(y)]]
        a, c = np.linalg.solve(ends, [np.cos(y) + np.cosh(y), np.sinh(y) - np.sin(y)])
        z = y * (x + 1) / 2
        value = a * np.sin(z) + c * np.sinh(z) + np.cos(z) - np.cosh(z)
        mass = (value**2 @ weight) / 2 + j * (y * (a + c)) ** 2
        slopes.append(y * (a + c) / np.sqrt(mass * m * L**3))
    return b**2 * np.sqrt(p["EI"] / (m * L**4)), np.array(slopes)


def angle(t: np.ndarray, p: Parameters) -> np.ndarray:
    """The hub's angle by five modes of (2), rad."""
    w, s = exact(p, 5)
    rigid = p["hub"] + p["mass_per_length"] * p["length"] ** 3 / 3
    return np.asarray(p["torque"] * (t**2 / (2 * rigid) + (1 - np.cos(np.outer(t, w))) @ (s**2 / w**2)))


def checks(run: Run, p: Parameters) -> list[Check]:
    """Mass and frequencies of what was read, frequencies with the hub, and the hub's angle."""
    panel, w = run.model.parts["panel"].body.modal, exact(p, 3)[0]  # type: ignore[attr-defined]
    unit = np.sqrt(p["EI"] / (p["mass_per_length"] * p["length"] ** 4))
    held = unit * np.array([3.51601527, 22.0344916, 61.6972144])
    names = [f"mode {k}" for k in (1, 2, 3)]
    free = _frequencies(p)
    wanted, got = angle(run.t, p), run["hub.angle"]
    k = int(np.argmax(np.abs(got - wanted)))
    bent = abs(p["torque"]) * float((exact(p, 5)[1] ** 2 / exact(p, 5)[0] ** 2).sum())
    return [
        Check("mass that was read, kg", panel.mass, p["mass_per_length"] * p["length"], 1e-9, "closed form: m L"),
        worst("panel clamped, rad/s", names, panel.frequencies[:3], held, 3e-4 * held, "closed form: cos b cosh b = -1"),
        worst("panel on the hub, rad/s", names, free[:3], w, 5e-4 * w, "closed form: (1)"),
        Check("hub's angle where it differs most, rad", got[k], wanted[k], 1e-3 * bent, "closed form: (2)"),
        balance(run, 1e-10),
    ]


def _frequencies(p: Parameters) -> list[float]:
    """Of hub and panel without the torque, the turn apart."""
    system = build({**p, "torque": 0.0})
    return [mode.frequency for mode in system.modes(system.state()) if mode.frequency > 1e-3]


def figure(run: Run, p: Parameters) -> Figure:
    """What bending does to the hub's angle, and the panel's tip."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.0))
    rigid = p["torque"] * run.t**2 / (2 * (p["hub"] + p["mass_per_length"] * p["length"] ** 3 / 3))
    left.plot(run.t, 1e3 * (run["hub.angle"] - rigid), label="run")
    left.plot(run.t[::6], 1e3 * (angle(run.t, p) - rigid)[::6], "o", color=GREY, mfc="white", ms=4, label="closed form (2)")
    left.set(xlabel="time, s", ylabel="angle ahead of a rigid satellite, mrad")
    right.plot(run.t, 1e3 * run["panel.tip.deflection"][:, 1], color=COLOURS[1], label="tip of the panel")
    right.set(xlabel="time, s", ylabel="deflection, mm")
    for ax in (left, right):
        ax.margins(y=0.2)
        legend(ax, loc="upper right")
    title(picture, "Satellite with a panel read from Nastran's files")
    return picture


EXAMPLE = Example(
    name="nastran-panel",
    title="Satellite with a flexible panel read from Nastran's files",
    document="Classics",
    chapter="spacecraft",
    source="hub with a flexible appendage in closed form; Hughes, Spacecraft Attitude Dynamics, chapter 3",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
