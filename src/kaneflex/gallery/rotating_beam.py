"""Frequencies of a rotating cantilever beam against its speed: out of the plane of rotation (flap), and in it (chord).

Sources: A. D. Wright et al., J. Applied Mechanics 49 (1982) 197-202, in the transcription of G. Bir (2009, table 3a), for
flap frequencies; H. H. Yoo, S. H. Shin, J. Sound and Vibration 212 (1998) 807-828 for the form of the tables with a hub;
all numbers recomputed apart from this package by Ritz's method. Tip mass: the load of one body on another stiffens it.

In units of length L, mass m L and time sqrt(m L^4/EI), with hub radius d, speed g and tip mass mu, small motion v obeys

    v'''' - [T v']' - s g^2 v = w^2 v ,   T = g^2 [d (1 - x) + (1 - x^2)/2 + mu (d + 1)] ,                             (1)

s = 0 for flap and 1 for chord, where stretch takes part as well: by Coriolis forces and with the stiffness a^2 = EA L^2/EI.
So w_chord^2 = w_flap^2 - g^2 for a beam that does not stretch; without T (`stiffening=false`) flap keeps its frequency at
rest.

The system is a hub that turns at constant speed and a `Flexible` beam; frequencies are those of `System.modes` about the
straight beam. The run is free vibration in the first mode, whose frequency is counted. Units: those above.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import knowingly_wrong
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, known, not_negative
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.structures.beam import Beam
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"plane": "flap", "speed": 6.0, "hub": 0.0, "tip_mass": 0.0, "stretch": 0.0, "stiffening": True}
AXES = {"flap": "y", "chord": "z"}  # the beam bends along y
WITHIN = 5e-3  # of every frequency
WITHIN_PRINTED = 1e-3  # of those that Wright printed
AMPLITUDE = 1e-5
WRIGHT = "Wright et al. (1982) in Bir (2009)"
PERIODS = 10

#: Flap frequencies 1-3 without hub, at speeds 0, 1, ... 12.
FLAP = (
    (3.5160, 22.0345, 61.6972), (3.6816, 22.1810, 61.8418), (4.1373, 22.6149, 62.2732), (4.7973, 23.3203, 62.9850),
    (5.5850, 24.2733, 63.9668), (6.4495, 25.4461, 65.2050), (7.3604, 26.8091, 66.6839), (8.2996, 28.3341, 68.3860),
    (9.2568, 29.9954, 70.2930), (10.2257, 31.7705, 72.3867), (11.2023, 33.6404, 74.6493), (12.1843, 35.5890, 77.0638),
    (13.1702, 37.6031, 79.6145),
)  # fmt: skip

#: First frequencies by hub radius: flap at speeds 2, 4, ... 12; chord at 2, 6, 10; chord with a = 70 at 2, 6, 10, 50.
HUB = {
    0.0: ((4.1373, 5.5850, 7.3604, 9.2568, 11.2023, 13.1702),
          (3.6218, 4.2632, 5.0490), (3.6196, 4.2393, 4.9700, 7.3336)),
    0.1: ((4.2122, 5.8026, 7.7260, 9.7682, 11.8578, 13.9692),
          (3.7072, 4.8674, 6.3724), (3.7049, 4.8401, 6.2726, 15.348)),
    0.5: ((4.4993, 6.5999, 9.0384, 11.5845, 14.1720, 16.7786),
          (4.0303, 6.7597, 10.0422), (4.0278, 6.7216, 9.8843, 30.374)),
    1.0: ((4.8337, 7.4750, 10.4439, 13.5074, 16.6064, 19.7215),
          (4.4005, 8.5484, 13.2579), (4.3978, 8.5001, 13.0482, 41.228)),
    1.5: ((5.1460, 8.2555, 11.6768, 15.1825, 18.7191, 22.2698),
          (4.7414, 10.0174, 15.8241), (4.7385, 9.9607, 15.5723, 48.922)),
    2.0: ((5.4399, 8.9664, 12.7881, 16.6859, 20.6112, 24.5491),
          (5.0590, 11.2932, 18.0228), (5.0558, 11.2290, 17.7343, 54.864)),
    5.0: ((6.9415, 12.3819, 18.0410, 23.7489, 29.4745, 35.2082),
          (6.6471, 17.0140, 27.7262), (6.6430, 16.9157, 27.2658, 74.017)),
}  # fmt: skip
COUPLED = 70.0

#: First chord frequencies with a = 70 about the beam as the spin has stretched it, by hub radius, at speeds 2, 6, 10.
STRETCHED = {0.0: (3.6186, 4.2315, 4.9487), 1.0: (4.3953, 8.4690, 12.9224)}

#: Flap frequencies 1, 2 with a tip mass, without hub, at speeds 0, 2, 4, 6, 10.
TIP_MASS = {
    0.5: ((2.0163, 16.9014), (2.9657, 18.1669), (4.7472, 21.5147), (6.6842, 26.1354), (10.6438, 37.1367)),
    1.0: ((1.5573, 16.2501), (2.6696, 18.1910), (4.5429, 23.0229), (6.5091, 29.2917), (10.4864, 43.4517)),
    2.0: ((1.1582, 15.8609), (2.4479, 19.0733), (4.3837, 26.3681), (6.3666, 35.1694), (10.3545, 54.1305)),
}


@cache
def beam_body(count: int, stretch: float, carries: bool, stiffening: bool) -> Flexible:
    """The beam along x, bending along y; stretch is sqrt(EA L^2/EI), 0 for a beam that hardly stretches."""
    EA = stretch**2 if stretch else 1e8
    beam = Beam(1.0, EA, (1e6, 1.0), 1.0, elements=40, GJ=1e5, rotary=0.0)
    loaded = {"plane xy" if stretch else "bending y": ModeChoice(count=count, residual=("tip",))}
    return Flexible(beam, modes=loaded if carries else ModeChoice(count=count), stiffening=stiffening)


def build(p: Parameters) -> System:
    """A hub at constant speed, about z for chord and about y for flap; the beam, and the tip mass, if any."""
    axis = AXES[known(p["plane"], AXES, "plane")]
    hub = Rigid(1.0, inertia=(1, 1, 1), frames={"rim": (not_negative(p["hub"], "hub"), 0, 0)})
    mass = not_negative(p["tip_mass"], "tip_mass")
    system = System("rotating beam")
    system.add("hub", hub, Revolute(axis, motion=profiles.constant_rate(p["speed"])))
    stretch = not_negative(p["stretch"], "stretch")
    count = 8 if not stretch else 20 if abs(p["speed"]) <= 20 else 44  # at high speed shapes are a string's: many modes
    system.add("beam", beam_body(count, stretch, bool(mass), p["stiffening"]), parent="hub", at="rim")
    system.show("hub", drum(max(p["hub"], 0.05), 0.16, axis))
    if mass:
        system.add("payload", Rigid(mass), parent="beam", at="tip")
    return system


def frequencies(count: int, **changes: float | str | bool) -> list[float]:
    """The lowest frequencies of a system with changed parameters."""
    return [mode.frequency for mode in build({**DEFAULTS, **changes}).modes()[:count]]


def unstretched(speed: float, hub: float) -> float:
    """The first chord frequency of a beam that can stretch but has not: tables know no static stretch, which is
    (speed/COUPLED)^2/3 of the length without hub, and changes frequencies by as much."""
    body = beam_body(20 if speed <= 20 else 44, COUPLED, False, True).modal
    K = body.stiffness_in_motion((-(speed**2) * hub, 0, 0), (0, 0, speed))
    one, none = np.eye(len(body)), np.zeros((len(body), len(body)))
    values = np.linalg.eigvals(np.block([[none, one], [-K, -body.gyroscopic((0, 0, speed))]])).imag
    return float(values[values > 0].min())


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Free vibration in the first mode, ten periods, 40 samples each, from where it is largest."""
    mode = system.modes()[0]
    if mode.eigenvalue.imag <= 0:
        raise ModelError(
            f"without stiffening the beam diverges at speed {p['speed']:g} and has no frequency: lower the speed"
        )
    turned = mode.shape * np.exp(-1j * np.angle(mode.shape[int(np.argmax(np.abs(mode.shape)))]))
    amplitude = turned / np.abs(turned).max() * AMPLITUDE
    half = len(amplitude) // 2  # modal coordinates, then their rates
    initial = {"beam.modes": amplitude[:half].imag, "beam.modes_rate": amplitude[half:].imag}
    times = np.arange(40 * PERIODS + 1) * (2 * math.pi / mode.frequency / 40)
    run = lambda: system.simulate(
        float(times[-1]), initial=initial, formulation=formulation, speeds=speeds, times=times, rtol=1e-9, atol=1e-15
    )
    return run() if p["stiffening"] else knowingly_wrong(run)


def counted(run: Run) -> float:
    """Frequency of a run, from the times at which the tip passes the axis, interpolated."""
    v, t = run["beam.tip.deflection"][:, 1], run.t
    k = np.flatnonzero(v[:-1] * v[1:] < 0)
    passes = t[k] - v[k] * (t[k + 1] - t[k]) / (v[k + 1] - v[k])
    return float(math.pi * (len(passes) - 1) / (passes[-1] - passes[0]))


def checks(run: Run, p: Parameters) -> list[Check]:
    """The frequency of the run against the tables and identities; all tables with the default parameters."""
    found = [*_of_the_run(run, p), balance(run, 1e-12)]
    return [*found, *_flap_and_chord(), *_hub(), *_tip_mass(), _too_early()] if unchanged(p, DEFAULTS) else found


def reference(p: Parameters) -> tuple[float, str] | None:
    """First frequency of the tables for these parameters, and where it is from; None where they have none."""
    speed, hub, mass = p["speed"], p["hub"], p["tip_mass"]
    if not p["stiffening"]:
        square = FLAP[0][0] ** 2 - (speed**2 if p["plane"] == "chord" else 0)
        plain = not mass and not p["stretch"] and square > 0
        return (math.sqrt(square), "closed form: frequency at rest, less the speed for chord") if plain else None
    if p["plane"] == "flap" and not hub and not mass and not p["stretch"] and speed in range(len(FLAP)):
        return FLAP[int(speed)][0], WRIGHT
    if mass in TIP_MASS and p["plane"] == "flap" and not hub and not p["stretch"] and speed in (0, 2, 4, 6, 10):
        return TIP_MASS[mass][(0, 2, 4, 6, 10).index(speed)][0], "Ritz's method, tip mass"
    if hub not in HUB or mass:
        return None
    flap, chord, coupled = HUB[hub]
    rows = {("flap", 0.0): ((2, 4, 6, 8, 10, 12), flap), ("chord", 0.0): ((2, 6, 10), chord)}
    rows["chord", COUPLED] = ((2, 6, 10, 50), coupled)
    speeds, row = rows.get((p["plane"], p["stretch"]), ((), ()))
    return (row[speeds.index(speed)], "Ritz's method, hub") if speed in speeds else None


def _of_the_run(run: Run, p: Parameters) -> list[Check]:
    found = counted(run)
    system = build(p)
    linear = system.modes(system.equilibrium())[0].frequency
    source = "identity: System.modes, of the same system about its steady state"
    share = WITHIN if p["stretch"] else 1e-7  # a beam that stretches vibrates about a length that is not that of the model
    result = [Check("frequency counted in the run, by the linear model", found, linear, share * linear, source)]
    published = reference(p)
    if published is not None:
        value, source = published
        result.append(Check("frequency counted in the run", found, value, WITHIN * value, source))
    if p["plane"] == "chord" and not p["stretch"]:
        flap = build({**p, "plane": "flap"}).modes()[0].frequency
        source = "closed form: sqrt(flap^2 - speed^2), without stretch"
        exact = math.sqrt(flap**2 - p["speed"] ** 2)
        result.append(Check("chord frequency from that of flap", found, exact, 1e-6 * exact, source))
    return result


def _rows(what: str, names: list[str], values: list[float], row: list[float], source: str, within: Any = WITHIN) -> Check:
    return worst(what, names, values, row, within * np.array(row), source)


def _flap_and_chord() -> list[Check]:
    """Modes 1 to 3 of flap at speeds 0 to 12, and of chord by the difference of squares."""
    names = [f"mode {k}" for k in (1, 2, 3)]
    found = []
    for speed, row in enumerate(FLAP):
        values = frequencies(3, speed=float(speed))
        found.append(_rows(f"flap, speed {speed}", names, values, list(row), WRIGHT, WITHIN_PRINTED))
        chord, source = [math.sqrt(w**2 - speed**2) for w in row], "the same, less the square of the speed"
        values = frequencies(3, plane="chord", speed=float(speed))
        found.append(_rows(f"chord, speed {speed}", names, values, chord, source, WITHIN_PRINTED))
    return found


def _hub() -> list[Check]:
    found = []
    cases = (("flap", 0.0, (2, 4, 6, 8, 10, 12)), ("chord", 0.0, (2, 6, 10)), ("chord", COUPLED, (2, 6, 10, 50)))
    for hub, rows in HUB.items():
        for (plane, stretch, speeds), row in zip(cases, rows, strict=True):
            if stretch:
                values = [unstretched(float(s), hub) for s in speeds]
            else:
                values = [frequencies(1, plane=plane, hub=hub, speed=float(s))[0] for s in speeds]
            names = [f"speed {s}" for s in speeds]
            word = f"{plane} with stretch" if stretch else plane
            within = np.array([2e-4, 2e-4, 2e-4, 2.5e-3]) if stretch else WITHIN
            found.append(_rows(f"first {word}, hub {hub:g}", names, values, list(row), "Ritz's method, apart", within))
    for hub, stretched in STRETCHED.items():
        spins = np.array([2.0, 6.0, 10.0])
        changes = {"plane": "chord", "stretch": COUPLED, "hub": hub}
        systems = [build({**DEFAULTS, **changes, "speed": float(s)}) for s in spins]
        values = [system.modes(system.equilibrium())[0].frequency for system in systems]
        names, source = [f"speed {s:g}" for s in spins], "geometrically exact beam, apart"
        within = 3e-5 * spins**2  # of what the stretch makes of the frequency the modes have but terms of second order
        found.append(_rows(f"first chord, stretched, hub {hub:g}", names, values, list(stretched), source, within))
    return found


def _tip_mass() -> list[Check]:
    found = []
    for mass, rows in TIP_MASS.items():
        for speed, row in zip((0, 2, 4, 6, 10), rows, strict=True):
            values = frequencies(2, tip_mass=mass, speed=float(speed))
            what = f"flap with a tip mass of {mass:g}, speed {speed}"
            found.append(_rows(what, ["mode 1", "mode 2"], values, list(row), "Ritz's method, apart"))
    return found


def _too_early() -> Check:
    """Linearised too early, a beam flaps at speed 12 as it does at rest."""
    value = frequencies(1, speed=12.0, stiffening=False)[0]
    return Check("flap at speed 12 without stiffening: wrong", value, FLAP[0][0], 1e-4, "closed form: that at rest")


def figure(run: Run, p: Parameters) -> Figure:
    """First frequencies against speed with the tables, for several hubs; and the vibration of the run."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.2), width_ratios=(1.4, 1))
    speeds = np.linspace(0, 12, 13)
    for hub, colour in zip((0.0, 0.5, 1.0), COLOURS, strict=False):
        for plane, style in (("flap", "-"), ("chord", "--")):
            values = [frequencies(1, plane=plane, hub=hub, speed=float(s))[0] for s in speeds]
            left.plot(speeds, values, style, color=colour, label=f"{plane}, hub {hub:g}")
        left.plot((2, 4, 6, 8, 10, 12), HUB[hub][0], "o", color=GREY, mfc="white", ms=4.5)
        left.plot((2, 6, 10), HUB[hub][1], "o", color=GREY, mfc="white", ms=4.5)
    left.plot([], [], "o", color=GREY, mfc="white", ms=4.5, label="tables")
    left.plot(speeds, np.full(13, FLAP[0][0]), ":", color="#111827", label="flap without stiffening: wrong")
    left.set(xlabel="speed, $\\sqrt{EI/(m L^4)}$", ylabel="first frequency, $\\sqrt{EI/(m L^4)}$")
    legend(left, loc="upper left")
    right.plot(run.t, run["beam.tip.deflection"][:, 1] / AMPLITUDE)
    right.set(xlabel="time, $\\sqrt{m L^4/EI}$", ylabel=f"tip deflection, {AMPLITUDE:g} L")
    title(picture, "Rotating cantilever: frequencies against speed")
    return picture


EXAMPLE = Example(
    name="rotating-beam",
    title="Frequencies of a rotating beam, with hub and tip mass",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 3",
    source="Wright et al. (1982); Yoo and Shin (1998)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
