"""A four-bar linkage of flexible links driven at 200 rpm: the bending of coupler and rocker.

Source: link data read in a public program for flexible multibody systems, which does not say where they are from; they are
remembered as those of Turcic and Midha's experiments (1984), unverified: aluminium links, ground 0.254 m, crank 0.108 m,
coupler 0.2794 m, rocker 0.2705 m; E = 71.016 GPa, 2714 kg/m^3; sections 1.0774e-4 m^2 with EI = 11.472 N m^2 (crank),
4.0645e-5 m^2 with EI = 0.616 N m^2 (coupler, rocker); 0.042 kg at each end of the coupler. Rate and start are chosen here:
the crank is brought to 200 rpm from rest within 1.1 turns by a sine-smoothed ramp; no damping.

The links stay in the plane. At 200 rpm they bend by 1 mm; towards 340 rpm the thrust in the rocker nears its Euler load,
83 N, and by the rods below its middle moves out by 10 mm: more than a theory of small deflections can follow.

The links are beams in space with modes of the root held, static shapes of loads at the tip among them. Beside it runs the
same linkage of rigid rods on springs: n springs EI/h at the middles of n pieces of length h = L/n of a link; it needs no
modes, no small deflection and no stiffening by motion, and converges like 1/n^2: the table. When the crank turns slowly, a
link is bent by the inertia forces of the rigid linkage alone: of a uniform pinned beam with accelerations a and b of its
ends normal to it, the middle is deflected by

    -m L^4 (a + b)/2 * 5/(384 EI) ,        m per length .                                                            (1)

Units: SI, rad.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.four_bar import angles, influence
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, sample, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.forces import JointSpring
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.structures import Flexible, Framework, Section
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "ground": 0.254, "crank": 0.108, "coupler": 0.2794, "rocker": 0.2705, "E": 7.1016e10, "density": 2714.0,
    "crank_EI": 11.472, "coupler_EI": 0.616, "rocker_EI": 0.616, "pin_mass": 0.042, "rpm": 200.0, "damping": 0.0,
    "start": 0.5,
}  # fmt: skip
AREA = {"crank": 1.0774e-4, "coupler": 4.0645e-5, "rocker": 4.0645e-5}
BARS = ("crank", "coupler", "rocker")
MODES = {"crank": 2, "coupler": 4, "rocker": 4}  # in the plane, of which two thirds at most are static shapes
RAMP = 7.0  # rad, of the crank while it speeds up
RODS = {"crank": 3, "coupler": 9, "rocker": 9}  # springs of each link in the linkage of rods
SLOW = 0.25  # of the rate, where (1) holds

#: Rows (time as a fraction of the run, deflection of the middles of coupler and rocker, m) by the linkage of rods,
#: extrapolated by 1/n^2 from 9 and 15 springs in coupler and rocker, 3 and 5 in the crank.
TABLE = (
    (0.1, -4.0673e-06, 4.9364e-06),
    (0.2, -3.5642e-05, -5.8236e-06),
    (0.3, -6.7048e-05, -7.2546e-05),
    (0.4, 1.9336e-04, -3.1845e-05),
    (0.5, 1.8234e-04, 1.1594e-04),
    (0.6, 3.8671e-04, 4.6471e-04),
    (0.7, 1.2645e-04, -2.8906e-04),
)


def times(p: Parameters) -> tuple[float, float]:
    """Rate of the crank, rad/s, and time of its ramp, s."""
    rate = p["rpm"] * np.pi / 30
    return float(rate), float(2 * RAMP / rate)


def build(p: Parameters) -> System:
    """The linkage at rest, undeformed; x along the ground."""
    links = {
        name: _link(p[name], p[f"{name}_EI"], AREA[name], p["E"], p["density"], _pin(name, p), p["damping"], MODES[name])
        for name in BARS
    }
    return _linkage("flexible-four-bar", p, {name: [link] for name, link in links.items()})


def _pin(name: str, p: Parameters) -> float:
    """Mass at the tip of a link: the coupler's near end is the crank's tip."""
    return 0.0 if name == "rocker" else float(p["pin_mass"])


@cache
def _link(
    length: float, EI: float, area: float, E: float, density: float, pin: float, damping: float, modes: int
) -> Flexible:
    """A link with modes, along x from its root to its tip; its section is a rectangle that bends in x-y."""
    height = np.sqrt(12 * EI / (E * area))
    width = area / height
    frame = Framework()
    for k in range(13):
        frame.node({0: "root", 6: "middle", 12: "tip"}.get(k), (length * k / 12, 0, 0))
    section = Section(EA=E * area, EI=(E * height * width**3 / 12, EI), mass_per_length=density * area)
    for k in range(12):
        frame.beam(k, k + 1, section)
    if pin:
        frame.mass("tip", pin)
    return Flexible(frame.build(), modes={"bending y": modes, "bending z": 1}, damping=damping)


def rods(p: Parameters) -> System:
    """The linkage of rigid rods on springs, without damping; a link has an odd number of springs, one in the middle."""
    links = {}
    for name, n in RODS.items():
        h, line = p[name] / n, p["density"] * AREA[name]
        pieces = [h / 2, *[h] * (n - 1), h / 2]
        links[name] = [_rod(line * l, l, _pin(name, p) if k == n else 0.0) for k, l in enumerate(pieces)]
    system = _linkage("four-bar of rods", p, links)
    for name, n in RODS.items():
        for j in range(1, n + 1):
            system.apply(f"{name}-spring{j}", JointSpring(f"{name}{j}", stiffness=p[f"{name}_EI"] * n / p[name]))
    return system


def _rod(m: float, l: float, pin: float) -> Rigid:
    """A thin uniform rod along x with a mass at its tip."""
    centre = (m * l / 2 + pin * l) / (m + pin)
    J = m * l**2 / 12 + m * (centre - l / 2) ** 2 + pin * (centre - l) ** 2
    return Rigid(m + pin, com=(centre, 0, 0), inertia=(0, J, J), frames={"tip": (l, 0, 0)})


def _linkage(title: str, p: Parameters, links: dict[str, list[Any]]) -> System:
    """Links, each a row of bodies that bend against each other about z, on their pins."""
    q = angles(p["start"], p)
    rate, ramp = times(p)
    system = System(title)
    drive = Revolute("z", motion=profiles.spin_up(rate, ramp, initial=p["start"]))
    roots: dict[str, tuple[Any, ...]] = {
        "crank": (drive, None, None, q[0]),
        "coupler": (Revolute("z"), _end("crank", links), "tip", q[1] - q[0]),
        "rocker": (Revolute("z"), None, (p["ground"], 0, 0), q[2]),
    }
    for name in BARS:
        joint, parent, at, angle = roots[name]
        start = {} if name == "crank" else {"q": angle}
        system.add(name, links[name][0], joint, parent, at, **start)
        for j, rod in enumerate(links[name][1:], 1):
            system.add(f"{name}{j}", rod, Revolute("z"), f"{name}{j - 1}" if j > 1 else name, "tip")
    system.close("pin", f"{_end('coupler', links)}.tip", f"{_end('rocker', links)}.tip", Revolute("z"))
    return system


def _end(name: str, links: dict[str, list[Any]]) -> str:
    """The last body of a link."""
    n = len(links[name]) - 1
    return f"{name}{n}" if n else name


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The ramp and one turn of the crank, 400 samples."""
    rate, ramp = times(p)
    duration = ramp + 2 * np.pi / rate
    return system.simulate(
        duration, method="dopri5", rtol=1e-7, atol=1e-9, formulation=formulation, speeds=speeds, output=duration / 400
    )


def bending(run: Run, name: str) -> np.ndarray:
    """Deflection of a link's middle from the line between its ends, m, positive to the left of the way to its tip."""
    rod = f"{name}1" in run.model.parts
    n = max([int(body[len(name) :]) for body in run.model.parts if body.startswith(name) and body != name], default=0)
    middle = f"{name}{(n + 1) // 2}" if rod else f"{name}.middle"
    root, mid, tip = (run[f"{x}.position"] @ (1, 1j, 0) for x in (name, middle, f"{name}{n}.tip" if rod else f"{name}.tip"))
    return ((mid - (root + tip) / 2) * (tip - root).conj()).imag / abs(tip - root)


def quasi_static(run: Run, name: str, p: Parameters) -> np.ndarray:
    """Deflection of the middle of coupler or rocker by (1), from the rigid linkage at the run's crank angles, m."""
    t, w = run["crank.angle"], run["crank.rate"]
    k = BARS.index(name)
    q = angles(t, p)
    f, f1 = influence(t, p)
    turn = lambda j: f[:, j] * run["crank.alpha"][:, 2] + f1[:, j] * w**2
    arm = lambda j: p[BARS[j]] * np.exp(1j * q[:, j]) * (1j * turn(j) - (f[:, j] * w) ** 2)
    root = arm(0) if name == "coupler" else 0 * arm(0)
    normal = lambda a: (a * np.exp(-1j * q[:, k])).imag
    mean = (normal(root) + normal(root + arm(k))) / 2
    return -5 / 384 * p["density"] * AREA[name] * p[name] ** 4 * mean / p[f"{name}_EI"]


def checks(run: Run, p: Parameters) -> list[Check]:
    """Bending against the linkage of rods, and of a slow linkage against (1); the loop and the energy."""
    found = []
    if unchanged(p, DEFAULTS):
        rows, source = np.array(TABLE), "run of rigid rods on springs"
        for k, name in enumerate(("coupler", "rocker"), 1):
            values = [bending(run, name)[sample(run, t * run.t[-1])] for t in rows[:, 0]]
            labels = [f"at {t:g} of the run" for t in rows[:, 0]]
            scale = float(np.abs(rows[:, k]).max())
            found.append(worst(f"bending of the {name}, m", labels, values, rows[:, k], 0.01 * scale, source))
    slow = {**p, "rpm": SLOW * p["rpm"]}
    gentle = simulate(build(slow), slow)
    for name in ("coupler", "rocker"):
        exact = quasi_static(gentle, name, slow)
        gap = float(np.abs(bending(gentle, name) - exact).max())
        what = f"bending of the {name} at {SLOW:g} of the rate, largest difference, m"
        found.append(Check(what, gap, 0.0, 0.02 * float(np.abs(exact).max()), "closed form: pinned beam under (1)"))
    gap = float(np.abs(run["coupler.tip.position"] - run["rocker.tip.position"]).max())
    return [
        *found,
        Check("gap of the loop, m", gap, 0.0, 1e-11 * p["coupler"], "identity: the loop stays closed"),
        balance(run, 1e-9),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Bending of coupler and rocker, beside that of rods and of (1), and the drive's torque."""
    picture, axes = panels(3, 1, size=(7.2, 6.6), sharex=True)
    for k, (ax, name) in enumerate(zip(axes, ("coupler", "rocker"), strict=False)):
        ax.plot(run.t, 1e3 * bending(run, name), color=COLOURS[k], label="modes")
        ax.plot(run.t, 1e3 * quasi_static(run, name, p), "--", color=GREY, lw=1.0, label="quasi-static")
        if unchanged(p, DEFAULTS):
            rows = np.array(TABLE)
            ax.plot(rows[:, 0] * run.t[-1], 1e3 * rows[:, k + 1], "o", color=COLOURS[k], mfc="white", ms=5, label="rods")
        ax.set(ylabel=f"{name}, mm")
    axes[2].plot(run.t, run["crank.drive"], color=COLOURS[2], label="drive")
    axes[2].set(ylabel="torque, N m", xlabel="time, s")
    for ax in axes:
        ax.margins(y=0.25)
        legend(ax, loc="upper left", ncols=3)
    title(picture, "Flexible four-bar at 200 rpm: bending of the links' middles")
    return picture


EXAMPLE = Example(
    name="flexible-four-bar",
    title="Four-bar linkage of flexible links driven at 200 rpm (stand-in)",
    document="Classics",
    chapter="closed loops",
    source="link data of a public program; rods on springs and pinned beams in closed form",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
