"""Deployment of an antenna panel by two flexible ribs, a closed loop on a spacecraft that floats freely.

Source: the deployments of chapter 8 of Banerjee's Flexible Multibody Dynamics, for which no data are printed here; a
stand-in, complete: a bus of 300 kg, inertia (80, 100, 120) kg m^2 about its mass centre; hinges about z at A = (0.5, 0.8, 0)
and B = (2.0, 0.8, 0) m; on each a rib of 6 m along its x axis, EI = 2000 N m^2 both ways, EA = 4 MN, GJ = 1500 N m^2, 0.5
kg/m, ten modes with the root held, six of them static shapes of loads at the tip; between their tips, on pins about z, a
rigid panel of 1.5 m, 20 kg and (1, 5, 5) kg m^2, parallel to AB. The hinge at A is driven from 20 to 110 degrees in 12 s by
a full sine of acceleration and then held; the hinge at B follows through the loop, which is cut at the panel's far pin and
closed there by a revolute joint.

Were the ribs rigid, the panel would keep its attitude on the bus. With r the mass centres of the bodies on the bus, c that
of all, ' the derivative by the driven angle a, and no angular momentum, the bus turns by

    b(a) = - int h/I da ,   I = sum (J + m |r - c|^2) ,   h = J_1 + J_2 + sum m (r - c) × (r' - c') .              (1)

With ribs 100 times as stiff the bus follows (1); with flexible ones it does so but for the swaying of the panel. How it
sways is checked by the frequencies of finite elements of the whole: stowed at the start, and pulled by 2 m/s^2 along the
ribs at 90 degrees, the bus held, where the tension that the panel puts on the ribs adds a seventh to the lowest frequency.
Units: SI.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, rod, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.joints import Free, Revolute
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.structures import Beam, Flexible
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEFAULTS = {
    "rib": 6.0, "EI": 2000.0, "mass_per_length": 0.5, "panel_mass": 20.0, "bus_mass": 300.0, "modes": 10, "damping": 0.005,
    "start": 20.0, "end": 110.0, "time": 12.0,
}  # fmt: skip
BUS_INERTIA, PANEL_INERTIA = (80.0, 100.0, 120.0), (1.0, 5.0, 5.0)
HINGES = {"A": (0.5, 0.8, 0.0), "B": (2.0, 0.8, 0.0)}
PANEL = 1.5  # length, m
EA, GJ = 4e6, 1500.0
STIFFER = 100.0  # of the ribs that stand for rigid ones
PULL = 2.0  # m/s^2

#: Frequencies without damping, rad/s, by finite elements of the whole, twelve to a rib: stowed and floating, and pulled.
FLOATING = (3.574819, 5.663316, 15.782648, 17.890911, 24.645300, 27.613537)
PULLED = (1.287299, 1.729897, 10.003867, 17.947781, 25.584534, 27.594907)


def build(p: Parameters) -> System:
    """The antenna stowed and at rest, bus axes along those of N."""
    return antenna(p, rib(p, p["damping"]))


def rib(p: Parameters, damping: float) -> Flexible:
    """One rib with its modes."""
    return _rib(p["rib"], p["EI"], p["mass_per_length"], p["modes"], damping)


@cache
def _rib(length: float, EI: float, line: float, modes: int, damping: float) -> Flexible:
    return Flexible(Beam(length, EA, EI, line, elements=16, GJ=GJ), modes=modes, damping=damping)


def antenna(p: Parameters, rib: Flexible | Rigid, pulled: bool = False) -> System:
    """Bus, ribs and panel, the loop closed; floating at the start, or the bus held and all pulled along the ribs."""
    start, end = np.radians(90.0 if pulled else p["start"]), np.radians(p["end"])
    motion = profiles.smooth_step(end - start, p["time"], initial=start)
    panel = Rigid(p["panel_mass"], com=(PANEL / 2, 0, 0), inertia=PANEL_INERTIA, frames={"far": (PANEL, 0, 0)})
    system = System("flexible-antenna-deployment", gravity=(0, PULL if pulled else 0.0, 0))
    system.add("bus", Rigid(p["bus_mass"], inertia=BUS_INERTIA, frames=HINGES), None if pulled else Free())
    system.add("driven", rib, Revolute("z", motion=motion), "bus", "A")
    system.add("follower", rib, Revolute("z"), "bus", "B", q=start)
    system.add("panel", panel, Revolute("z"), "driven", "tip", q=-start)
    system.show("bus", Box((1.8, 1.6, 1.4)), rod(HINGES["A"], HINGES["B"], 0.06))  # its face y = 0.8 m carries the hinges
    system.show("panel", Box((PANEL, 0.05, 1.2), position=(PANEL / 2, 0, 0)))
    system.close("pin", "panel.far", "follower.tip", Revolute("z"))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Deployment and half as long again, sampled every 0.05 s."""
    return system.simulate(
        1.5 * p["time"], method="dop853", rtol=1e-8, atol=1e-10, formulation=formulation, speeds=speeds, output=0.05
    )


def bus_angle(run: Run) -> np.ndarray:
    """Turn of the bus about z, rad."""
    e = run["bus.q"][:, 3:]
    return 2 * np.arctan2(e[:, 3], e[:, 0])


def rigid_turn(angle: np.ndarray, p: Parameters) -> np.ndarray:
    """Turn of the bus by (1) for driven angles that begin with the first, rad; plane vectors as complex numbers."""
    x, w = np.polynomial.legendre.leggauss(60)
    a0 = np.radians(p["start"])
    a = a0 + (angle[:, None] - a0) * (x + 1) / 2
    m = np.array([p["bus_mass"], *[p["rib"] * p["mass_per_length"]] * 2, p["panel_mass"]])
    along = p["rib"] * np.exp(1j * a)
    A, B = (complex(*HINGES[name][:2]) for name in "AB")
    r = np.stack([0 * along, A + along / 2, B + along / 2, A + along + PANEL / 2])
    slope = np.stack([0 * along, 1j * along / 2, 1j * along / 2, 1j * along])
    J_rib = m[1] * p["rib"] ** 2 / 12
    J = BUS_INERTIA[2] + 2 * J_rib + PANEL_INERTIA[2]
    r, slope = (y - np.tensordot(m / m.sum(), y, 1) for y in (r, slope))
    total = J + np.tensordot(m, abs(r) ** 2, 1)
    h = 2 * J_rib + np.tensordot(m, (r.conj() * slope).imag, 1)
    return -((h / total) @ w) * (angle - a0) / 2


def checks(run: Run, p: Parameters) -> list[Check]:
    """The loop, momentum and energy, the drive's torque, and the turn of the bus against (1)."""
    stiff = simulate(antenna(p, _rib(p["rib"], STIFFER * p["EI"], p["mass_per_length"], 2, 0.3)), p)
    exact = rigid_turn(run["driven.angle"], p)
    scale = float(np.abs(exact).max())
    source = "closed form: no angular momentum, (1)"
    gap = float(np.abs(bus_angle(stiff) - exact).max())
    late = run.t > p["time"]
    sway = float((bus_angle(run)[late] - exact[late]).mean())
    return [
        *_frequencies(p),
        Check(f"turn of the bus, ribs {STIFFER:g} times as stiff, rad", gap, 0.0, 1e-3 * scale, source),
        Check("turn of the bus after deployment, mean, from rigid ribs, rad", sway, 0.0, 5e-4 * scale, source),
        *_drive(run),
        *_identities(run, p),
    ]


def frequencies(system: System) -> np.ndarray:
    """The six lowest frequencies about the equilibrium at the start, but those of rigid motions, rad/s."""
    found = np.array([mode.frequency for mode in system.modes(system.equilibrium())])
    return found[found > 1e-4 * found[-1]][:6]


def _frequencies(p: Parameters) -> list[Check]:
    """Floating and pulled, without damping, against finite elements of the whole."""
    if not unchanged(p, DEFAULTS, "end", "time", "damping"):
        return []
    source, labels = "finite elements of the whole antenna", [str(k + 1) for k in range(6)]
    floating, pulled = (frequencies(antenna(p, rib(p, 0.0), way)) for way in (False, True))
    return [
        worst("frequency at the start, rad/s", labels, floating, FLOATING, 1e-3 * np.array(FLOATING), source),
        worst("frequency when pulled along the ribs, rad/s", labels, pulled, PULLED, 1e-3 * np.array(PULLED), source),
    ]


def _drive(run: Run) -> list[Check]:
    """Power of the drive against the rate of energy and dissipation, from the work summed by the trapezoidal rule."""
    power = run["driven.drive"] * run["driven.rate"]
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.t))])
    scale = float(np.abs(work).max())
    gap = abs(float(work[-1]) - run.audit.dissipated_work - float(run["energy.total"][-1] - run["energy.total"][0]))
    return [Check("work of the drive against energy, J", gap, 0.0, 1e-6 * scale, "work-energy theorem, trapezoidal rule")]


def _identities(run: Run, p: Parameters) -> list[Check]:
    gap = float(np.abs(run["panel.far.position"] - run["follower.tip.position"]).max())
    out = max(float(np.abs(run[f"{name}.tip.deflection"][:, 2]).max()) for name in ("driven", "follower"))
    scale = p["panel_mass"] * p["rib"] ** 2 * abs(np.radians(p["end"] - p["start"])) / p["time"]
    H, P = (float(np.abs(run[f"momentum.{kind}"]).max()) for kind in ("central", "linear"))
    return [
        Check("gap of the loop, m", gap, 0.0, 1e-12 * p["rib"], "identity: the loop stays closed"),
        Check("deflection out of the plane, m", out, 0.0, 1e-12 * p["rib"], "identity: symmetry"),
        Check("angular momentum, N m s", H, 0.0, 1e-10 * scale, "identity: nothing acts from outside"),
        Check("linear momentum, N s", P, 0.0, 1e-10 * scale / p["rib"], "identity: nothing acts from outside"),
        balance(run, 1e-10),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Turn of the bus, tip deflections and the drive's torque over time; the antenna on its bus at a few instants."""
    picture, axes = panels(3, 2, size=(9.6, 6.4), width_ratios=(1.5, 1))
    left = axes[:, 0]
    for ax in axes[:, 1]:
        ax.remove()
    exact = rigid_turn(run["driven.angle"], p)
    left[0].plot(run.t, np.degrees(bus_angle(run)), label="flexible ribs")
    left[0].plot(run.t, np.degrees(exact), "--", color=GREY, lw=1.0, label="rigid ribs")
    for name, colour in (("driven", COLOURS[0]), ("follower", COLOURS[1])):
        left[1].plot(run.t, 1e3 * run[f"{name}.tip.deflection"][:, 1], color=colour, label=f"{name} rib")
    left[2].plot(run.t, run["driven.drive"], color=COLOURS[2], label="drive")
    for ax, label in zip(left, ("turn of the bus, degrees", "tip deflection, mm", "torque at A, N m"), strict=True):
        ax.set_ylabel(label)
        ax.margins(y=0.2)
        legend(ax, loc="upper right", ncols=2)
    left[2].set_xlabel("time, s")
    _draw(picture.add_subplot(axes[0, 1].get_gridspec()[:, 1]), run, p)
    title(picture, "Antenna panel deployed by two flexible ribs")
    return picture


def _draw(ax: Axes, run: Run, p: Parameters) -> None:
    """Hinges, rib tips and panel in the axes of the bus, from stowed (dark) to deployed."""
    last, turn = int(np.searchsorted(run.t, p["time"])), np.exp(-1j * bus_angle(run))
    places = ("bus.A", "driven.tip", "follower.tip", "bus.B")
    points = np.array([(run[f"{n}.position"] - run["bus.position"]) @ (1, 1j, 0) * turn for n in places])
    for k in np.linspace(last, 0, 7).astype(int):
        style = {"color": "#111827"} if k == 0 else {"color": COLOURS[0], "alpha": 0.3 + 0.6 * k / last}
        ax.plot(points[:, k].real, points[:, k].imag, "-o", ms=3, lw=1.2, **style)
    ax.plot(0, 0, "s", color=GREY, ms=12)
    ax.set(xlabel="x of the bus, m", ylabel="y of the bus, m", aspect="equal")
    ax.spines[["top", "right"]].set_visible(False)
    ax.margins(0.08)


EXAMPLE = Example(
    name="flexible-antenna-deployment",
    title="Antenna panel deployed by two flexible ribs, a closed loop on a floating bus (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 8",
    source="after Banerjee, chapter 8; stand-in data, finite elements, rigid limit in closed form, momentum and energy",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
