"""The torque-free asymmetric body, beside its exact solution in elliptic functions.

Source: L. D. Landau and E. M. Lifshitz, Mechanics (3rd ed.), section 37, for any order of the inertias; the rotation after
one period is R. Montgomery's, "How much does the rigid body rotate?", American Journal of Physics 59 (1991) 394.

Euler's equations I1 w1' = (I2 - I3) w2 w3 (and cyclic) have two constants, 2 T = w . I w and H = |I w|. Let b be the axis of
the middle inertia. If H^2 > 2 T I_b the angular velocity circles the axis of the greatest inertia, otherwise that of the
least: call it c, and the remaining axis a. Then

    w_a = A cn(tau, m) ,  w_b = s B sn(tau, m) ,  w_c = s D dn(tau, m) ,   tau = tau_0 + n t                      (1)

    A^2 = (2 T I_c - H^2) / (I_a (I_c - I_a)) ,  B^2 = (2 T I_c - H^2) / (I_b (I_c - I_b)) ,
    D^2 = (H^2 - 2 T I_a) / (I_c (I_c - I_a)) ,  n^2 = (I_c - I_b) (H^2 - 2 T I_a) / (I_a I_b I_c) ,
    m = (I_b - I_a) (2 T I_c - H^2) / ((I_c - I_b) (H^2 - 2 T I_a)) ,                                             (2)

s the sign of w_c. The angular velocity repeats after 4 K(m) / |n|; the body has then turned about H by 2 T t / H less the
solid angle that H encloses in body axes. Units: SI, rad.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ellipj, ellipk, ellipkinc

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, solid, title, worst
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, known
from kaneflex.model.joints import Free
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"axis": "greatest", "i1": 2.0, "i2": 3.0, "i3": 4.2, "spin": 1.0, "wobble": 0.5}
PERIODS, SAMPLES = 3, 200  # of the run, and for each period
AXES = {"least": 0, "greatest": 2}


@dataclass(frozen=True)
class Exact:
    """The constants of (1): axes a, b, c, amplitudes A, B, D with their signs, parameter m, rate n and tau_0."""

    axes: tuple[int, int, int]
    amplitudes: tuple[float, float, float]
    m: float
    rate: float
    tau0: float

    @property
    def period(self) -> float:
        """Time in which the angular velocity repeats in body axes."""
        return float(4 * ellipk(self.m) / abs(self.rate))

    def omega(self, t: np.ndarray) -> np.ndarray:
        """Angular velocity in body axes, one row per time."""
        sn, cn, dn, _ = ellipj(self.tau0 + self.rate * t, self.m)
        w = np.empty((len(t), 3))
        for axis, amplitude, shape in zip(self.axes, self.amplitudes, (cn, sn, dn), strict=True):
            w[:, axis] = amplitude * shape
        return w


def exact(inertia: np.ndarray, omega0: np.ndarray) -> Exact:
    """The constants (2) of the motion through omega0."""
    I, w = inertia, omega0
    low, middle, high = (int(k) for k in np.argsort(I))
    if not I[low] < I[middle] < I[high]:
        raise ModelError(f"the inertias are {I[0]:g}, {I[1]:g}, {I[2]:g}: give three that differ")
    surplus = float(np.sum(I * (I - I[middle]) * w**2))  # H^2 - 2 T I_b, without the terms that cancel
    a, b, c = (low, middle, high) if surplus > 0 else (high, middle, low)
    k_a, k_b = I[a] * (I[c] - I[a]), I[b] * (I[c] - I[b])
    wobble = k_a * w[a] ** 2 + k_b * w[b] ** 2  # 2 T I_c - H^2
    spin = I[b] * (I[b] - I[a]) * w[b] ** 2 + I[c] * (I[c] - I[a]) * w[c] ** 2  # H^2 - 2 T I_a
    m = float((I[b] - I[a]) * wobble / ((I[c] - I[b]) * spin))
    if not 0 < m < 1:
        raise ModelError("the body turns steadily or about the middle axis: give it a spin and a wobble, spin the larger")
    even = (a, b, c) in {(0, 1, 2), (1, 2, 0), (2, 0, 1)}
    direction = np.sign(I[c] - I[b]) * (1 if even else -1)
    rate = float(direction * math.sqrt((I[c] - I[b]) * spin / (I[a] * I[b] * I[c])))
    s = 1.0 if w[c] >= 0 else -1.0
    amplitudes = math.sqrt(wobble / k_a), s * math.sqrt(wobble / k_b), s * math.sqrt(spin / (I[c] * (I[c] - I[a])))
    phase = math.atan2(s * w[b] * math.sqrt(abs(k_b)), w[a] * math.sqrt(abs(k_a)))
    return Exact((a, b, c), amplitudes, m, rate, float(ellipkinc(phase, m)))


def _data(p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """Inertias, and the angular velocity at the start: `spin` about the chosen axis, `wobble` across it."""
    inertia = np.array([p["i1"], p["i2"], p["i3"]])
    order = np.argsort(inertia)
    omega = np.full(3, float(p["wobble"]))
    omega[order[AXES[known(p["axis"], AXES, "axis")]]] = p["spin"]
    omega[order[1]] *= 0.5
    return inertia, omega


def build(p: Parameters) -> System:
    """A free body at the origin, turning."""
    inertia, omega = _data(p)
    system = System("torque-free body")
    system.add("body", Rigid(1.0, inertia=inertia), Free(), rates=(0, 0, 0, *omega))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Three periods of the angular velocity."""
    period = exact(*_data(p)).period
    return system.simulate(
        PERIODS * period,
        method="dop853",
        rtol=1e-12,
        atol=1e-13,
        formulation=formulation,
        speeds=speeds,
        output=period / SAMPLES,
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """The exact angular velocity, its period, the rotation after one period, energy and momentum."""
    inertia, omega0 = _data(p)
    motion, w = exact(inertia, omega0), run["body.rate"][:, 3:]
    scale = float(np.abs(omega0).max())
    gaps = np.abs(w - motion.omega(run.t)).max(axis=1)
    k = int(np.argmax(gaps))
    source = "closed form (1): Jacobi's elliptic functions"
    names = ("w1", "w2", "w3")
    energy = float(inertia @ omega0**2 / 2)
    H = float(np.linalg.norm(inertia * omega0))
    return [
        worst(f"at t = {run.t[k]:.3f} s, the worst", names, w[k], motion.omega(run.t[k : k + 1])[0], 1e-10 * scale, source),
        worst(f"after {PERIODS} periods", names, w[-1], omega0, 1e-10 * scale, "closed form: period 4 K(m) / |n|"),
        Check("period, s", _period(run), motion.period, 1e-11 * motion.period, "closed form: 4 K(m) / |n|"),
        _turn(run, inertia, motion),
        Check("energy at the end, J", float(run["energy.total"][-1]), energy, 1e-11 * energy, "closed form: w . I w / 2"),
        worst(
            "momentum at the end, inertial axes, kg m^2/s",
            ("H1", "H2", "H3"),
            run["momentum.angular"][-1],
            inertia * omega0,
            3e-11 * H,
            "identity: no torque, and the axes start together",
        ),
        balance(run, 1e-11),
    ]


def _period(run: Run) -> float:
    """Mean time between rising zeros of the first component that changes sign, by cubic interpolation of the samples."""
    from scipy.interpolate import CubicSpline

    w = run["body.rate"][:, 3:]
    k = next(k for k in (1, 0, 2) if w[:, k].min() < 0 < w[:, k].max())
    spline = CubicSpline(run.t, w[:, k])
    zeros = spline.roots(extrapolate=False)
    rising = zeros[spline(zeros, 1) > 0]
    return float((rising[-1] - rising[0]) / (len(rising) - 1))


def _turn(run: Run, inertia: np.ndarray, motion: Exact) -> Check:
    """Montgomery's rotation about H after one period, from the attitude of the run."""
    t = np.linspace(0, motion.period, 4000, endpoint=False)
    w = motion.omega(t)
    h = inertia * w
    H = float(np.linalg.norm(h[0]))
    rate = np.cross(h, w) / H
    h /= H
    axis = np.zeros(3)
    axis[motion.axes[2]] = math.copysign(1.0, w[0, motion.axes[2]])
    solid_angle = np.mean((np.cross(h, rate) @ axis) / (1 + h @ axis)) * motion.period
    exact_turn = float(np.sum(inertia * w[0] ** 2) / H * motion.period - solid_angle)
    R = run["body.rotation"][SAMPLES] @ run["body.rotation"][0].T
    sine = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) @ h[0] / 2
    turn = math.atan2(sine, (np.trace(R) - 1) / 2)
    turn += 2 * math.pi * round((exact_turn - turn) / (2 * math.pi))
    return Check(
        "turn about H after one period, rad", turn, exact_turn, 1e-10, "Montgomery (1991): 2 T t / H less the solid angle"
    )


def figure(run: Run, p: Parameters) -> Figure:
    """Angular velocity beside the closed form, and the path of H in body axes among its neighbours."""
    inertia, omega0 = _data(p)
    motion = exact(inertia, omega0)
    picture, axes = panels(1, 2, size=(9.6, 4.2), width_ratios=(1.5, 1))
    left = axes[0]
    points = np.linspace(0, run.t[-1], 46)
    for k in range(3):
        left.plot(run.t, run["body.rate"][:, 3 + k], color=COLOURS[k], label=rf"$\omega_{k + 1}$")
        left.plot(points, motion.omega(points)[:, k], "o", color=COLOURS[k], mfc="white", ms=4)
    left.plot([], [], "o", color=GREY, mfc="white", ms=4, label="elliptic functions")
    left.margins(y=0.15)
    left.set(xlabel="time, s", ylabel="angular velocity, body axes, rad/s")
    legend(left, loc="upper right", ncols=4, borderaxespad=0.1, columnspacing=1.2)
    axes[1].remove()
    ax = picture.add_subplot(left.get_gridspec()[1], projection="3d")
    _polhodes(ax, inertia)
    h = run["body.rate"][:, 3:] * inertia
    h /= np.linalg.norm(h[0])
    ax.plot(*h.T, color=COLOURS[1], linewidth=2.0)
    ax.plot(*h[0], "o", color="#111827", ms=4)
    title(picture, f"Torque-free body, spun about the axis of {p['axis']} inertia")
    return picture


def _polhodes(ax: Any, inertia: np.ndarray, elevation: float = 28, azimuth: float = 35) -> None:
    """The momentum sphere in body axes: a family of paths of H, those at its back faint."""
    e, z = math.radians(elevation), math.radians(azimuth)
    eye = np.array([math.cos(e) * math.cos(z), math.cos(e) * math.sin(z), math.sin(e)])
    low, middle, high = (int(k) for k in np.argsort(inertia))
    for pole, other in ((low, high), (high, low)):
        limit = math.atan(math.sqrt(_separatrix(inertia, pole, middle, other)))
        for angle in limit * np.linspace(0.12, 0.95, 6):
            for s in (-1, 1):
                h = np.zeros(3)
                h[pole], h[other] = s * math.cos(angle), math.sin(angle)
                path = exact(inertia, h / inertia)
                x = path.omega(np.linspace(0, path.period, 181)) * inertia
                front = (x @ eye > 0)[:, None]
                ax.plot(*np.where(front, np.nan, x).T, color="#e5e7eb", linewidth=0.7)
                ax.plot(*np.where(front, x, np.nan).T, color="#9ca3af", linewidth=0.7)
    solid(ax)
    ax.view_init(elevation, azimuth)
    ax.set_box_aspect((1, 1, 1), zoom=0.95)
    for axis, k in zip("xyz", (1, 2, 3), strict=True):
        getattr(ax, f"set_{axis}label")(f"$H_{k}/H$", labelpad=-4)
        getattr(ax, f"set_{axis}ticks")([-1, 0, 1])
        ax.tick_params(axis=axis, pad=-2, labelsize="small")


def _separatrix(I: np.ndarray, c: int, b: int, a: int) -> float:
    """(h_a / h_c)^2 of the separatrix in the plane of a and c: H^2 = 2 T I_b there."""
    return float(abs((1 - I[b] / I[c]) / (I[b] / I[a] - 1)))


EXAMPLE = Example(
    name="torque-free-body",
    title="Torque-free asymmetric body beside its exact solution",
    document="Classics",
    chapter="rigid bodies",
    source="Landau and Lifshitz, Mechanics, section 37; Montgomery (1991)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
