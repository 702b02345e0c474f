"""A slider-crank with an offset guide, its crank turned at constant rate: the torque that takes, and all its loads.

Source: textbook kinematics and Newton-Euler equations of the slider-crank, derived for this file; data of a small engine.

Crank from the bearing O to the crank pin A, rod from A to the wrist pin B, slider on the guide y = e. The crank's motion
is prescribed and the loop leaves no freedom, so that the run has nothing to find but the loads. With plane vectors as
complex numbers, gravity -i g, crank angle t, rod angle f, slide x, and ' = d/dt of the crank angle,

    sin f = (e - r sin t) / l ,            x = r cos t + l cos f ,
    f' = -r cos t / (l cos f) ,            f'' = (r sin t + l sin f f'^2) / (l cos f) ,
    x' = -r sin t - l sin f f' ,           x'' = -r cos t - l cos f f'^2 - l sin f f'' .                          (1)

At the rate w the wrist force on the slider is X = m_s w^2 x'' along the guide and, by moments about A, Y across it:

    l (X sin f - Y cos f) = J f'' w^2 + Im(conj(z - A) m (z'' w^2 + i g)) ,  z = A + p e^{if} the rod's mass centre.   (2)

One body after the other: force of the crank on the rod F_A = m (z'' w^2 + i g) + X + iY; guide force m_s g - Y and moment
m_s (c_x g - c_y w^2 x'') about B, c the slider's mass centre; torque Im(conj(A) F_A) + m_c g p_c cos t; bearing force
F_A + m_c (i g - p_c w^2 e^{it}), p_c the distance of the crank's mass centre from O.                            (3)

Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, balance, drum, legend, panels, rod, title
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Prismatic, Revolute
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "crank": 0.05, "rod": 0.18, "offset": 0.01, "rate": 150.0, "gravity": 9.81,
    "crank_mass": 1.2, "crank_centre": 0.01, "crank_inertia": 2.0e-3,
    "rod_mass": 0.6, "rod_centre": 0.06, "rod_inertia": 2.5e-3,
    "slider_mass": 0.8, "slider_x": 0.015, "slider_y": 0.005,
}  # fmt: skip
TURNS, SAMPLES = 3, 180


def kinematics(t: Any, p: Parameters) -> dict[str, np.ndarray]:
    """Rod angle f and slide x with their derivatives by the crank angle t, (1): f, f1, f2, x, x1, x2."""
    t = np.asarray(t, float)
    r, l = p["crank"], p["rod"]
    f = np.arcsin((p["offset"] - r * np.sin(t)) / l)
    f1 = -r * np.cos(t) / (l * np.cos(f))
    f2 = (r * np.sin(t) + l * np.sin(f) * f1**2) / (l * np.cos(f))
    x1 = -r * np.sin(t) - l * np.sin(f) * f1
    x2 = -r * np.cos(t) - l * np.cos(f) * f1**2 - l * np.sin(f) * f2
    return {"f": f, "f1": f1, "f2": f2, "x": r * np.cos(t) + l * np.cos(f), "x1": x1, "x2": x2}


def loads(t: Any, p: Parameters) -> dict[str, np.ndarray]:
    """Loads at crank angles t by (2)-(3): forces as x + i y on crank, rod and slider, guide, guide moment, torque."""
    t = np.asarray(t, float)
    k, w2, g = kinematics(t, p), p["rate"] ** 2, p["gravity"]
    e, A = np.exp(1j * k["f"]), p["crank"] * np.exp(1j * t)
    push = p["rod_mass"] * ((p["rod_centre"] * (1j * k["f2"] - k["f1"] ** 2) * e - A) * w2 + 1j * g)
    X = p["slider_mass"] * w2 * k["x2"]
    n = p["rod_inertia"] * k["f2"] * w2 + (p["rod_centre"] * e.conj() * push).imag
    Y = X * np.tan(k["f"]) - n / (p["rod"] * np.cos(k["f"]))
    at_A = push + X + 1j * Y
    return {
        "bearing": at_A + p["crank_mass"] * (1j * g - p["crank_centre"] * w2 * np.exp(1j * t)),
        "crank pin": at_A,
        "wrist pin": X + 1j * Y,
        "guide": 1j * (p["slider_mass"] * g - Y),
        "guide moment": p["slider_mass"] * (p["slider_x"] * g - p["slider_y"] * w2 * k["x2"]),
        "torque": (A.conj() * at_A).imag + p["crank_mass"] * g * p["crank_centre"] * np.cos(t),
    }


def build(p: Parameters) -> System:
    """Crank along x at t = 0; x along the guide, y up."""
    r, l = positive(p["crank"], "crank"), positive(p["rod"], "rod")
    if l <= r + abs(p["offset"]):
        raise ModelError(f"a rod of {l:g} m is too short for a crank of {r:g} m and an offset of {p['offset']:g} m to turn")
    start = {name: float(value) for name, value in kinematics(0.0, p).items()}
    J, R, w = p["crank_inertia"], p["rod_inertia"], p["rate"]
    crank = Rigid(p["crank_mass"], com=(p["crank_centre"], 0, 0), inertia=(J / 2, J / 2, J), frames={"tip": (r, 0, 0)})
    rod = Rigid(p["rod_mass"], com=(p["rod_centre"], 0, 0), inertia=(0, R, R), frames={"tip": (l, 0, 0)})
    slider = Rigid(p["slider_mass"], com=(p["slider_x"], p["slider_y"], 0))
    system = System("slider-crank", gravity=(0, -p["gravity"], 0))
    system.add("crank", crank, Revolute("z", motion=profiles.constant_rate(w)))
    system.add("rod", rod, Revolute("z"), parent="crank", at="tip", q=start["f"], rates=(start["f1"] - 1) * w)
    system.add("slider", slider, Prismatic("x"), at=(0, p["offset"], 0), q=start["x"], rates=start["x1"] * w)
    _show(system, r, l, p["offset"])
    system.close("wrist", "rod.tip", "slider", Revolute("z"))
    return system


def _show(system: System, r: float, l: float, offset: float) -> None:
    """Disk with crank pin, connecting rod, piston, and on the ground the crank's bearing and the guide's rails."""
    pin = drum(0.2 * r, 0.8 * r, position=(r, 0, 0), color="grey")
    system.show(
        "crank",
        drum(1.4 * r, 0.3 * r, position=(0, 0, -0.35 * r)),
        pin,
        drum(0.25 * r, 2 * r, position=(0, 0, -0.6 * r), color="grey"),
    )
    eyes = [drum(radius * r, 0.3 * r, position=(x, 0, 0)) for x, radius in ((0, 0.36), (l, 0.28))]
    system.show("rod", rod((0, 0, 0), (l, 0, 0), 0.13 * r), *eyes)
    system.show("slider", Box((r, 0.9 * r, 0.9 * r), opacity=0.6), drum(0.15 * r, 0.95 * r, color="grey"))
    middle, length = (l, offset, 0), 2 * r + 1.6 * r
    guides = [Box((length, 0.1 * r, 0.9 * r), position=np.add(middle, (0, y * r, 0)), color="silver") for y in (-0.5, 0.5)]
    system.show("N", *guides, Box((0.9 * r, 0.9 * r, 0.5 * r), position=(0, 0, -1.1 * r), color="silver"))


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Three turns of the crank, 180 samples each."""
    turn = 2 * math.pi / positive(abs(p["rate"]), "rate")
    times = np.arange(TURNS * SAMPLES + 1) * (turn / SAMPLES)
    return system.simulate(
        float(times[-1]), method="dop853", rtol=1e-12, atol=1e-13, formulation=formulation, speeds=speeds, times=times
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """Motion and loads at all samples against the closed forms; the torque's mean; what holds by itself."""
    return [*_motion(run, p), *_loads(run, p), *_identities(run, p)]


def _motion(run: Run, p: Parameters) -> list[Check]:
    w, pin = p["rate"], run["crank.tip.acceleration"]
    exact = kinematics(w * run.t, p)
    pairs = (
        ("crank angle, rad", run["crank.angle"], w * run.t, 1.0),
        ("rod angle, rad", run["crank.angle"] + run["rod.angle"], exact["f"], 1.0),
        ("slide, m", run["slider.slide"], exact["x"], p["crank"]),
        ("slider velocity, m/s", run["slider.rate"], w * exact["x1"], abs(w) * p["crank"]),
        ("slider acceleration, m/s^2", run["slider.acceleration"][:, 0], w**2 * exact["x2"], w**2 * p["crank"]),
        ("acceleration of the crank's end, m/s^2", np.linalg.norm(pin, axis=1), w**2 * p["crank"], w**2 * p["crank"]),
    )
    source = "closed form: (1)"
    return [
        Check(f"{name}, largest difference", float(np.abs(found - wanted).max()), 0.0, 5e-11 * scale, source)
        for name, found, wanted, scale in pairs
    ]


def measured(run: Run) -> dict[str, np.ndarray]:
    """The loads of a run, by the names and in the form of `loads`."""
    plane = lambda name: run.loads(name).force[:, 0] + 1j * run.loads(name).force[:, 1]
    return {
        "bearing": plane("crank"),
        "crank pin": plane("rod"),
        "wrist pin": plane("wrist"),
        "guide": plane("slider"),
        "guide moment": run.loads("slider").torque[:, 2],
        "torque": run["crank.load"],
    }


def _loads(run: Run, p: Parameters) -> list[Check]:
    exact, found = loads(p["rate"] * run.t, p), measured(run)
    force = float(abs(exact["bearing"]).max())
    result = []
    for name, wanted in exact.items():
        turning = name in ("torque", "guide moment")
        scale, unit = (force * p["crank"], "N m") if turning else (force, "N")
        gap = float(abs(found[name] - wanted).max())
        result.append(Check(f"{name}, largest difference, {unit}", gap, 0.0, 2e-11 * scale, "closed form: (2)-(3)"))
    return result


def _identities(run: Run, p: Parameters) -> list[Check]:
    torque, scale = run["crank.load"][:-1], float(np.abs(run["crank.load"]).max())
    gap = np.abs(run["rod.tip.position"] - run["slider.position"]).max()
    drive = np.abs(run.loads("crank").torque[:, 2] - run["crank.load"]).max()
    power = np.abs(run.loads("crank").net_power - run["crank.load"] * p["rate"]).max()
    return [
        Check("mean torque, N m", float(torque.mean()), 0.0, 1e-12 * scale, "identity: no net work in full turns"),
        Check("bearing moment less torque, N m", float(drive), 0.0, 1e-12 * scale, "identity: one load, read twice"),
        Check("power less torque times rate, W", float(power), 0.0, 1e-12 * scale * abs(p["rate"]), "identity: P = M w"),
        Check("gap at the wrist pin, m", float(gap), 0.0, 1e-10 * p["rod"], "identity: the loop stays closed"),
        balance(run, 1e-9),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Torque and guide force over one turn, the force in the crank pin as a polar curve, and the mechanism."""
    picture, axes = panels(2, 2, size=(9.6, 5.2), width_ratios=(1.3, 1))
    exact, found = loads(p["rate"] * run.t, p), measured(run)
    turn = slice(0, SAMPLES + 1)
    angle = np.degrees(p["rate"] * run.t[turn])
    top, bottom = axes[:, 0]
    top.plot(angle, found["torque"][turn], color=COLOURS[0], label="torque")
    top.plot(angle[::10], exact["torque"][turn][::10], "o", color=COLOURS[0], mfc="white", ms=4, label="closed form")
    top.set(ylabel="torque on the crank, N m", xticklabels=[])
    bottom.plot(angle, found["guide"][turn].imag, color=COLOURS[1], label="guide force")
    bottom.plot(angle[::10], exact["guide"][turn][::10].imag, "o", color=COLOURS[1], mfc="white", ms=4, label="closed form")
    bottom.set(xlabel="crank angle, degrees", ylabel="guide force on the slider, N")
    pins = axes[0, 1]
    for k, name in ((2, "crank pin"), (4, "wrist pin")):
        pins.plot(found[name][turn].real, found[name][turn].imag, color=COLOURS[k], label=name)
    pins.set(xlabel="force along x, N", ylabel="force along y, N")
    for ax in (top, bottom, pins):
        ax.margins(y=0.15)
        legend(ax, loc="upper right", ncols=2)
    _draw(axes[1, 1], run)
    title(picture, "Slider-crank at constant rate")
    return picture


def _draw(ax: Any, run: Run) -> None:
    """The mechanism at eight crank angles, 40 degrees apart, the first of them dark."""
    for k in range(7 * (SAMPLES // 9), -1, -(SAMPLES // 9)):
        x, y = np.array([(0.0, 0.0), run["crank.tip.position"][k, :2], run["rod.tip.position"][k, :2]]).T
        dark = k == 0
        ax.plot(x, y, "-o", ms=3, lw=1.8 if dark else 0.9, color="#111827" if dark else COLOURS[0], alpha=1 if dark else 0.5)
        ax.plot(x[2], y[2], "s", ms=7, color=COLOURS[1], alpha=1 if dark else 0.3)
    ax.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    ax.margins(0.08)


EXAMPLE = Example(
    name="slider-crank",
    title="Slider-crank at constant rate: torque, guide force and pin forces",
    document="Classics",
    chapter="closed loops",
    source="slider-crank kinematics and Newton-Euler equations in closed form, derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
