"""Lagrange's top: a symmetric body with one point fixed, under gravity.

Source: H. Goldstein, Classical Mechanics (2nd ed.), section 5-7; the nutation's period is the elliptic integral of its
cubic.

A and C are the transverse and axial inertias about the fixed point, W = m g l the moment of the weight; n is the angular
velocity along the axis, theta the tilt of the axis from the upward vertical, phi its precession about it. Conserved are n,

    p = A phi' sin^2 theta + C n cos theta ,   E = A (theta'^2 + phi'^2 sin^2 theta)/2 + C n^2/2 + W cos theta    (1)

and z = cos theta moves between two roots z1 < z2 of a cubic whose third root z3 is above 1:

    z'^2 = (1 - z^2) (alpha - beta z) - (b - a z)^2 = beta (z - z1) (z - z2) (z - z3)                             (2)
    alpha = (2 E - C n^2)/A ,  beta = 2 W/A ,  a = C n/A ,  b = p/A ,  phi' = (b - a z)/(1 - z^2)

with period 4 K((z2 - z1)/(z3 - z1)) / sqrt(beta (z3 - z1)). A steady precession at tilt theta has one of two rates,

    A cos theta phi'^2 - C n phi' + W = 0                                                                         (3)

The run lets the axis go at rest (phi' = theta' = 0), so that it falls, precesses and rises to a cusp again; two further
runs start with the rates of (3). The top is a disc of radius r, at l from the point on a massless pin; a ball joint holds
it. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ellipk

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, lathed, legend, panels, rod, support, title
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.joints import Spherical
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"spin": 150.0, "tilt": 0.5, "mass": 0.5, "radius": 0.05, "length": 0.06, "gravity": 9.81}
PERIODS, SAMPLES = 6, 100  # of nutation in the run, and samples of each
TOLERANCES: dict[str, Any] = {"method": "dop853", "rtol": 1e-12, "atol": 1e-13}


def _inertias(p: Parameters) -> tuple[float, float, float]:
    """A, C about the fixed point, and W."""
    m, r, l = p["mass"], p["radius"], p["length"]
    return m * r**2 / 4 + m * l**2, m * r**2 / 2, m * p["gravity"] * l


def build(p: Parameters, precession: float = 0.0) -> System:
    """The top at its tilt, with a spin along its axis and, if given, a precession rate; z is up."""
    m, r, tilt = p["mass"], p["radius"], p["tilt"]
    if not 0 < tilt < math.pi:
        raise ModelError(f"tilt is {tilt:g}: give an angle between 0 and pi")
    disc = Rigid(m, com=(0, 0, p["length"]), inertia=m * r**2 * np.array([0.25, 0.25, 0.5]), frames={"tip": (0, 0, 1)})
    system = System("heavy top", gravity=(0, 0, -p["gravity"]))
    attitude = (math.cos(tilt / 2), math.sin(tilt / 2), 0, 0)
    system.add("top", disc, Spherical(), q=attitude, rates=(0, precession * math.sin(tilt), p["spin"]))
    l, h = p["length"], 0.2 * r
    outline = [(0, 0), (0.12 * r, 0.5 * l), (0.2 * r, l - h), (r, l - 0.3 * h), (r, l + 0.3 * h), (0.2 * r, l + h)]
    sides = ((r, "white"), (-r, "red"))
    stripes = [rod((x, 0, l + 0.35 * h), (0.2 * x, 0, l + h), 0.2 * h, color=color) for x, color in sides]
    system.show("top", lathed([*outline, (0.1 * r, l + r), (0, l + r)]), *stripes)
    system.show("N", *support((0, 0, 0), 0.5 * r, "z"))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Six nutations."""
    period = nutation(p)[2]
    return system.simulate(PERIODS * period, output=period / SAMPLES, formulation=formulation, speeds=speeds, **TOLERANCES)


def nutation(p: Parameters) -> tuple[float, float, float, float]:
    """Least and greatest tilt of the top let go at rest, its period, and the precession in one period, by (2)."""
    from scipy.integrate import quad

    A, C, W = _inertias(p)
    z2 = math.cos(p["tilt"])
    a, beta = C * p["spin"] / A, 2 * W / A
    b = a * z2
    # at rest b = a z2 and alpha = beta z2: (2) is (z2 - z) times beta (1 - z^2) - a^2 (z2 - z), with roots z1 and z3
    half, root = a**2 / (2 * beta), math.sqrt((a**2 / (2 * beta)) ** 2 + 1 - a**2 / beta * z2)
    z3 = half + root
    z1 = (a**2 / beta * z2 - 1) / z3
    period = 4 * ellipk((z2 - z1) / (z3 - z1)) / math.sqrt(beta * (z3 - z1))

    def turn(x: float) -> float:

        z = z1 + (z2 - z1) * math.sin(x) ** 2  # takes the roots of z'^2 out of the integral
        return 2 * (b - a * z) / (1 - z**2) / math.sqrt(beta * (z3 - z))

    precession = 2 * quad(turn, 0, math.pi / 2, epsabs=1e-13, epsrel=1e-13)[0]
    return p["tilt"], math.acos(z1), float(period), precession


def steady(p: Parameters) -> tuple[float, ...]:
    """Rates of steady precession, slow and fast, the roots of (3); none if the top spins too slowly."""
    A, C, W = _inertias(p)
    k, h = A * math.cos(p["tilt"]), C * p["spin"]
    square = h**2 - 4 * k * W
    if square <= 0:
        return ()
    large = (h + math.copysign(math.sqrt(square), h)) / 2
    return (W / large, large / k) if abs(k) > 1e-12 * A else (W / large,)


def _angles(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Tilt and precession over the run."""
    axis = run["top.rotation"][:, :, 2]
    tilt = np.arctan2(np.hypot(axis[:, 0], axis[:, 1]), axis[:, 2])
    return tilt, np.unwrap(np.arctan2(axis[:, 0], -axis[:, 1]))


def checks(run: Run, p: Parameters) -> list[Check]:
    """Bounds, period and precession of the nutation, both steady precessions, and the constants (1)."""
    _, C, W = _inertias(p)
    theta, phi = _angles(run)
    low, high, period, precession = nutation(p)
    source = "closed form (2)"
    z = math.cos(p["tilt"])
    energy, momentum = C * p["spin"] ** 2 / 2 + W * z, C * p["spin"] * z
    one = int(np.argmin(np.abs(run.t - period)))
    half = int(np.argmin(np.abs(run.t - period / 2)))
    found = [
        Check("tilt after half a nutation, rad", theta[half], high, 1e-10, f"{source}: root z1 of the cubic"),
        Check("greatest tilt, rad", float(theta.max()), high, 1e-10, f"{source}: root z1 of the cubic"),
        Check("least tilt, rad", float(theta.min()), low, 1e-12, f"{source}: root z2 of the cubic"),
        Check("tilt after six nutations, rad", theta[-1], low, 1e-10, f"{source}: period by an elliptic integral"),
        Check("precession in one nutation, rad", phi[one] - phi[0], precession, 1e-10, f"{source}: quadrature of phi'"),
    ]
    found += _steady(run, p)
    return [
        *found,
        Check("energy at the end, J", run["energy.total"][-1], energy, 1e-11 * abs(energy), "closed form (1)"),
        Check(
            "vertical momentum at the end, kg m^2/s",
            run["momentum.angular"][-1, 2],
            momentum,
            1e-10 * max(abs(momentum), C * abs(p["spin"])),
            "closed form (1)",
        ),
        Check("spin at the end, rad/s", run["top.omega"][-1, 2], p["spin"], 1e-12 * abs(p["spin"]), "identity: n' = 0"),
        balance(run, 2e-11),
    ]


def _steady(run: Run, p: Parameters) -> list[Check]:
    """Runs of half a second that start with the rates of (3): tilt and rate stay."""
    found = []
    o = run.trajectory.options
    for name, rate in zip(("slow", "fast"), steady(p), strict=False):
        other = build(p, rate).simulate(0.5, formulation=o.formulation, speeds=o.speeds, output=0.005, **TOLERANCES)
        theta, phi = _angles(other)
        source = "closed form (3)"
        mean = (phi[-1] - phi[0]) / 0.5
        found.append(Check(f"{name} steady precession, rad/s", float(mean), rate, 1e-10 * max(1.0, abs(rate)), source))
        k = int(np.argmax(np.abs(theta - p["tilt"])))
        found.append(Check(f"tilt in {name} steady precession, rad", float(theta[k]), p["tilt"], 1e-10, source))
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """Tilt between its bounds, precession, and the path of the axis on the unit sphere."""
    theta, phi = _angles(run)
    low, high, _, _ = nutation(p)
    picture, axes = panels(2, 2, size=(9.4, 4.6), width_ratios=(1.35, 1))
    top, bottom = axes[:, 0]
    top.plot(run.t, theta, color=COLOURS[0], label=r"tilt $\theta$")
    for k, bound in enumerate((low, high)):
        top.axhline(bound, color=GREY, linestyle="--", linewidth=1, label="roots of the cubic" if k == 0 else None)
    top.set(ylabel="tilt, rad", xticklabels=[])
    top.margins(y=0.28)
    legend(top, loc="upper right", ncols=2, borderaxespad=0.1)
    bottom.plot(run.t, phi, color=COLOURS[1], label=r"precession $\varphi$")
    bottom.plot(run.t, phi[-1] / run.t[-1] * run.t, "--", color=GREY, linewidth=1, label="its mean")
    bottom.set(xlabel="time, s", ylabel="precession, rad")
    legend(bottom, loc="upper left")
    for ax in axes[:, 1]:
        ax.remove()
    ball = picture.add_subplot(axes[0, 1].get_gridspec()[:, 1], projection="3d")
    _draw(ball, run)
    title(picture, f"Heavy top let go at rest: spin {p['spin']:g} rad/s, tilt {p['tilt']:g} rad")
    return picture


def _draw(ax: Any, run: Run) -> None:
    """The tip of the axis on the unit sphere, and the axis at the start."""
    tip = run["top.tip.position"]
    end = max(math.pi / 2, math.acos(float(tip[:, 2].min())) + 0.15)
    angle, s = np.linspace(0, 2 * math.pi, 121), np.linspace(-end, end, 81)
    for theta in np.linspace(0, end, 7)[1:]:
        circle = np.sin(theta) * np.cos(angle), np.sin(theta) * np.sin(angle), np.full_like(angle, np.cos(theta))
        ax.plot(*circle, color="#d1d5db", linewidth=0.6)
    for azimuth in np.linspace(0, math.pi, 9)[:-1]:
        ax.plot(np.sin(s) * np.cos(azimuth), np.sin(s) * np.sin(azimuth), np.cos(s), color="#d1d5db", linewidth=0.6)
    ax.plot(*tip.T, color=COLOURS[0], linewidth=1.8, label="path of the axis")
    ax.plot(*np.array([np.zeros(3), tip[0]]).T, color="#111827", linewidth=1.6, label="axis at the start")
    ax.plot(0, 0, 0, "o", color="#111827", ms=3)
    ax.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(min(0.0, math.cos(end)), 1))
    ax.set_box_aspect((2, 2, 1 - min(0.0, math.cos(end))), zoom=1.35)
    ax.set_axis_off()
    ax.view_init(38, -60)
    legend(ax, loc="lower center", ncols=2, bbox_to_anchor=(0.5, -0.05))


EXAMPLE = Example(
    name="heavy-top",
    title="Lagrange's top: nutation, and both steady precessions",
    document="Classics",
    chapter="rigid bodies",
    source="Goldstein, Classical Mechanics (2nd ed.), section 5-7",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
