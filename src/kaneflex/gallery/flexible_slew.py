"""A spacecraft with flexible panels turned from rest to rest: input shaping leaves no vibration, bang-bang does.

Source: N. C. Singer and W. P. Seering, Preshaping command inputs to reduce system vibration, Journal of Dynamic Systems,
Measurement, and Control 112 (1990) 76; T. Singh and S. R. Vadali, Robust time-optimal control: frequency domain approach,
Journal of Guidance, Control, and Dynamics 17 (1994) 346; data of this file.

A hub, inertia I, carries panels of length L on both sides, clamped at the radius r; a reaction wheel, whose inertia is not
in I, turns it about z by the torque T.
With J the inertia of all, w_k and p_k the frequencies and modes (unit modal mass) of a clamped beam and z the damping
ratio of each, the panels bend alike in opposite directions, h_k in the sum of both over sqrt 2, and

    J a'' + sum d_k h_k'' = T ,   h_k'' + 2 z w_k h_k' + w_k^2 h_k + d_k a'' = 0 ,   d_k = sqrt 2 int m (r + x) p_k dx . (1)

With one mode that is an oscillator, w = w_1/sqrt(1 - d^2/J), damping ratio z' = z w/w_1. After the last of steps D_j of the
torque at t_j it vibrates, with the pole s = w (-z' + i sqrt(1 - z'^2)), by

    h = g Re[(1 - i z'/sqrt(1 - z'^2)) sum D_j exp(s (t - t_j))] ,   g = d/(J w_1^2) .                             (2)

Bang-bang has D = T (1, -2, 1). A shaper sends the command several times, by parts, half a period P/2 = pi/(w sqrt(1 -
z'^2)) apart: ZV the parts (1, K)/(1 + K), ZVD (1, 2 K, K^2)/(1 + K)^2, K = exp(-pi z'/sqrt(1 - z'^2)). The sum in (2)
is then zero; of a frequency that is off by the part e ZV leaves the first power of e and ZVD the second. Turned parts
add up to the same angle.

The run is with several modes and the shaper named by `shaper`, for the first root of (1). Afterwards an attitude
loop, kp, kd on the hub, may hold the angle: its poles are those of (1) with T = -kp a - kd a'. Units: SI, rad.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, poles_off, title, worst
from kaneflex.model.blocks import AttitudeControl
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import known, not_negative, positive, whole
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Free
from kaneflex.model.parts import ReactionWheel
from kaneflex.model.profiles import signal
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.structures.beam import Beam
from kaneflex.structures.flexible import Flexible
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "hub": 400.0, "radius": 1.0, "length": 8.0, "per_length": 1.0, "EI": 1500.0, "damping": 0.005, "torque": 4.0,
    "angle": 0.4, "modes": 2, "shaper": "ZVD",
}  # fmt: skip
SIDES = {"left": 1.0, "right": -1.0}
SHAPERS = ("none", "ZV", "ZVD")
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-13}
SMALL = 0.02  # torque, N m, of the runs that are held against the closed form: turning then stiffens nothing
AFTER = 6.0  # s beyond the longest command
LOOP = {"kp": 60.0, "kd": 400.0}
WHEELS = {"wheel_x": (1.0, 0.0, 0.0), "wheel_y": (0.0, 1.0, 0.0), "wheel_z": (0.0, 0.0, 1.0)}
WHEEL = 0.1  # inertia of a wheel, kg m^2


# ---- (1) ----------------------------------------------------------------------------------------------------------------


def clamped(k: int) -> float:
    """The k-th root of cos x cosh x = -1."""
    middle = (k - 0.5) * math.pi
    return float(brentq(lambda x: math.cos(x) + 1 / math.cosh(x), middle - 0.5, middle + 0.5, xtol=1e-15))


def equations(p: Parameters, modes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass, damping and stiffness of (1) in the angle and the modes, from the modes of a clamped beam."""
    m, L, r = p["per_length"], p["length"], p["radius"]
    J = p["hub"] + 2 * m * ((r + L) ** 3 - r**3) / 3
    M, C, K = np.diag([J, *[1.0] * modes]), np.zeros((modes + 1, modes + 1)), np.zeros((modes + 1, modes + 1))
    for k in range(1, modes + 1):
        b = clamped(k)
        s = (math.sinh(b) - math.sin(b)) / (math.cosh(b) + math.cos(b))
        w = b**2 * math.sqrt(p["EI"] / (m * L**4))
        # of p = (cosh - cos - s (sinh - sin))/sqrt(m L), whose square has the integral 1/m: int p and int x p
        d = math.sqrt(2 * m * L) * (r * 2 * s / b + L * 2 / b**2)
        M[0, k] = M[k, 0] = d
        C[k, k], K[k, k] = 2 * p["damping"] * w, w**2
    return M, C, K


def oscillator(p: Parameters) -> tuple[float, float, float]:
    """w, z' and g of the oscillator that (1) with one mode is."""
    M, C, K = equations(p, 1)
    part = 1 - M[0, 1] ** 2 / M[0, 0]
    w = math.sqrt(K[1, 1] / part)
    return w, C[1, 1] / part / (2 * w), M[0, 1] / (M[0, 0] * K[1, 1])


def first_root(p: Parameters, modes: int) -> tuple[float, float]:
    """w and z' of the slowest vibration of (1)."""
    M, C, K = equations(p, modes)
    n = modes + 1
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    roots = np.linalg.eigvals(A)
    s = min(roots[roots.imag > 1e-6], key=abs)
    return abs(s), -s.real / abs(s)


# ---- commands -----------------------------------------------------------------------------------------------------------


def parts(shaper: str, w: float, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and parts of a shaper for an oscillator."""
    root = math.sqrt(1 - ratio**2)
    K, half = math.exp(-math.pi * ratio / root), math.pi / (w * root)
    row = {"none": [1.0], "ZV": [1.0, K], "ZVD": [1.0, 2 * K, K * K]}[known(shaper, SHAPERS, "shaper")]
    return half * np.arange(len(row)), np.array(row) / sum(row)


def steps(p: Parameters, shaper: str, w: float, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """Times at which the torque steps, ascending, and by how much over its size: bang-bang sent in parts."""
    J = equations(p, 0)[0][0, 0]
    time = 2 * math.sqrt(J * positive(p["angle"], "angle") / positive(p["torque"], "torque"))
    late, part = parts(shaper, w, ratio)
    times = np.add.outer(late, [0.0, time / 2, time]).ravel()
    sizes = np.multiply.outer(part, [1.0, -2.0, 1.0]).ravel()
    order = np.argsort(times)
    return times[order], sizes[order]


def command(size: float, times: np.ndarray, sizes: np.ndarray) -> dict[str, signal]:
    """The torque of these steps, N m, as that of the motor on the wheel: the hub feels the opposite."""
    values = -size * np.cumsum(sizes)
    return {"wheel_z": signal((*times, times[-1] + 1.0), (*values[:-1], 0.0, 0.0), between="steps")}


def residual(p: Parameters, size: float, times: np.ndarray, sizes: np.ndarray, t: float) -> float:
    """Amplitude of the vibration at t, after the last step, by (2)."""
    w, z, g = oscillator(p)
    root = math.sqrt(1 - z**2)
    total = (sizes * np.exp(w * (-z + 1j * root) * (t - times))).sum()
    return float(g * size * abs((1 - 1j * z / root) * total))


# ---- the system ---------------------------------------------------------------------------------------------------------


@cache
def _panel(L: float, EI: float, m: float, modes: int, damping: float) -> Flexible:
    """A panel as a beam that bends about z."""
    beam = Beam(L, 1e6 * EI, (1e6 * EI, EI), m, 40, GJ=1e6 * EI, rotary=0.0, polar=1e-3)
    return Flexible(beam, root="root", modes={"bending y": modes}, damping=damping)


def craft(p: Parameters, modes: int) -> System:
    """Hub with its wheels, and panels."""
    L, EI, m = (positive(p[name], name) for name in ("length", "EI", "per_length"))
    not_negative(p["damping"], "damping")
    system = System("flexible slew")
    system.add("hub", Rigid(500.0, inertia=(positive(p["hub"], "hub") + WHEEL,) * 3), Free(), q=(0, 0, 0, 1, 0, 0, 0))
    for name, side in SIDES.items():
        at = Frame((side * positive(p["radius"], "radius"), 0, 0), (("z", 0.0 if side > 0 else math.pi),))
        system.add(name, _panel(L, EI, m, modes, p["damping"]), Fixed(), parent="hub", at=at)
    for name, axis in WHEELS.items():
        system.add_part(name, ReactionWheel(axis, WHEEL), on="hub")
    system.show("hub", Box((2 * p["radius"], 1.6, 1.6)))
    return system


def build(p: Parameters) -> System:
    """With the modes of the run."""
    return craft(p, whole(p["modes"], "modes", least=1))


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The turn, and the vibration that is left."""
    w, z = first_root(p, int(p["modes"]))
    end = float(steps(p, "ZVD", w, z)[0][-1]) + AFTER
    torque = command(p["torque"], *steps(p, p["shaper"], w, z))
    return system.simulate(end, output=end / 300, inputs=torque, formulation=formulation, speeds=speeds, **FINE)


def turned(run: Run) -> np.ndarray:
    """The hub's angle, rad."""
    return 2 * np.arctan2(run["hub.q"][:, 6], run["hub.q"][:, 3])


def middle(run: Run, p: Parameters) -> np.ndarray:
    """The angle about which the hub swings, rad: J a + sum d_k h_k over J."""
    d = equations(p, int(p["modes"]))[0][0]
    both = (run["left.modes"] + run["right.modes"]) / math.sqrt(2)
    sign = np.sign(run["left.tip.deflection"][:, 1] @ both[:, 0])  # a mode may point either way
    return np.asarray(turned(run) + sign * both @ (d[1:] / d[0]))


def tip(run: Run) -> np.ndarray:
    """Deflection of the left panel's tip, m."""
    return np.asarray(run["left.tip.deflection"][:, 1])


def by_hand(p: Parameters, shaper: str, t: np.ndarray) -> np.ndarray:
    """Angle of the hub and deflection of the left tip by (1) at the times t, in columns: exact between the steps."""
    n = int(p["modes"]) + 1
    M, C, K = equations(p, n - 1)
    times, sizes = steps(p, shaper, *first_root(p, n - 1))
    A = np.zeros((2 * n + 1, 2 * n + 1))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n, : 2 * n] = -np.linalg.solve(M, np.hstack([K, C]))
    A[n : 2 * n, 2 * n] = np.linalg.solve(M, np.eye(n)[0])
    shape = [math.sqrt(2 / (p["per_length"] * p["length"])) * (-1) ** (k + 1) for k in range(1, n)]  # p_k(L)/sqrt 2
    y, now, found = np.zeros(2 * n + 1), 0.0, []
    for at, size in sorted([*((s, 0.0) for s in t), *zip(times, p["torque"] * sizes, strict=True)]):
        y = expm(A * (at - now)) @ y if at > now else y
        now, y[-1] = at, y[-1] + size
        if size == 0:
            found.append((y[0], shape @ y[1:n]))
    return np.array(found)


def checks(run: Run, p: Parameters) -> list[Check]:
    """The run beside (1), the residuals by (2), momentum, poles."""
    few = np.arange(0, len(run.t), 10)
    wanted, source = by_hand(p, p["shaper"], run.t[few]), "(1) by SciPy's matrix exponential, in this file"
    off = np.abs(np.column_stack([turned(run), tip(run)])[few] - wanted).max(axis=0)
    w, z = first_root(p, int(p["modes"]))
    times, sizes = steps(p, p["shaper"], w, z)
    torque = np.array([p["torque"] * np.clip(t - times, 0, None) @ sizes for t in run.t])  # its integral
    wheel = WHEEL * (run["wheel_z.rate"] + run["hub.omega"][:, 2])
    H, size = float(np.abs(run["momentum.central"]).max()), float(np.abs(wheel).max())
    return [
        Check("angle of the hub, largest difference, rad", float(off[0]), 0.0, 2e-5 * p["angle"], source),
        Check("tip of a panel, largest difference, m", float(off[1]), 0.0, 2e-3 * float(np.abs(wanted[:, 1]).max()), source),
        Check("angle at the end, swing of the hub taken off, rad", float(middle(run, p)[-1]), p["angle"], 1e-4 * p["angle"],
              "closed form: T t^2/(4 J)"),
        Check("momentum of the wheel and the integral of the torque, of its largest",
              float(np.abs(wheel + torque).max() / size), 0.0, 1e-11, "identity: angular momentum of the wheel"),
        Check("whole momentum, of the wheel's", H / size, 0.0, 1e-11, "identity: nothing acts from outside"),
        balance(run, 1e-11),
        *_residuals(p),
        *_robust(p),
        *_poles(p),
    ]  # fmt: skip


def left_over(p: Parameters, shaper: str, off: float) -> tuple[float, float]:
    """Amplitude of the mode after a shaped command of small torque, over the largest possible: of a run, and by (2).

    Args:
        p: parameters.
        shaper: its name.
        off: part by which the frequency that the shaper is made for is wrong.
    """
    w, z, g = oscillator(p)
    times, sizes = steps(p, shaper, (1 + off) * w, z)
    end, slow = float(times[-1]) + 1.0, math.sqrt(1 - z**2)
    run = craft(p, 1).simulate(end, output=end, inputs=command(SMALL, times, sizes), **FINE)
    h, rate = (float(run[f"left.{word}"][-1]) for word in ("mode1", "mode1.rate"))
    found = math.sqrt(2) * math.hypot(h, (rate + z * w * h) / (w * slow))  # of both panels
    return found / (4 * g * SMALL), residual(p, SMALL, times, sizes, end) / (4 * g * SMALL)


def _residuals(p: Parameters) -> list[Check]:
    """What is left of each command in the system with one mode."""
    found = []
    for shaper in SHAPERS:
        value, wanted = left_over(p, shaper, 0.0)
        found.append(Check(f"residual, {shaper}, of the largest", value, wanted, 1e-7, "closed form (2)"))
    return found


def _robust(p: Parameters) -> list[Check]:
    """Shapers for a frequency that is 5 and 10 % wrong."""
    rows = {shaper: [left_over(p, shaper, e) for e in (0.05, 0.1)] for shaper in ("ZV", "ZVD")}
    names = [f"{shaper}, {e} % off" for shaper in rows for e in (5, 10)]
    values, wanted = (np.ravel([[x[k] for x in row] for row in rows.values()]) for k in (0, 1))
    return [worst("residual, of the largest", names, values, wanted, 1e-7, "closed form (2)")]


def _poles(p: Parameters) -> list[Check]:
    """Poles with and without an attitude loop, beside those of (1)."""
    n = int(p["modes"])
    M, C, K = equations(p, n)
    found = []
    for word, loop in (("free", {"kp": 0.0, "kd": 0.0}), ("with the attitude loop", LOOP)):
        D, S = C.copy(), K.copy()
        D[0, 0], S[0, 0] = loop["kd"], loop["kp"]
        A = np.block([[np.zeros_like(M), np.eye(n + 1)], [-np.linalg.solve(M, S), -np.linalg.solve(M, D)]])
        wanted = np.linalg.eigvals(A)
        wanted = wanted[np.abs(wanted) > 1e-4]
        system = craft(p, n)
        if loop["kp"]:
            gains: dict[str, Any] = {name: (0.0, 0.0, value) for name, value in loop.items()}
            system.add_block("control", AttitudeControl("hub", **gains, axes=[*WHEELS.values()], drives=[*WHEELS]))
        poles = system.linearize().eigenvalues()
        far = poles_off(poles, wanted, relative=True)
        found.append(Check(f"poles, {word}, relative", far, 0.0, 2e-6, "(1) with the modes of a clamped beam"))
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """Tips of the three commands, and what is left by the error of the frequency."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.0), width_ratios=(1.4, 1))
    for k, shaper in enumerate(SHAPERS):
        other = run if shaper == p["shaper"] else simulate(build(p), {**p, "shaper": shaper})
        left.plot(other.t, 1e3 * tip(other), color=COLOURS[k], label="bang-bang" if shaper == "none" else shaper)
    few = np.arange(0, len(run.t), 10)
    left.plot(run.t[few], 1e3 * by_hand(p, p["shaper"], run.t[few])[:, 1], "o", color=GREY, mfc="white", ms=4, label="(1)")
    left.set(xlabel="time, s", ylabel="tip of a panel, mm")
    left.margins(y=0.25)
    legend(left, ncols=4, loc="upper center")
    w, z, g = oscillator(p)
    errors = np.linspace(-0.3, 0.3, 121)
    for k, shaper in enumerate(SHAPERS):
        rows = [steps(p, shaper, (1 + e) * w, z) for e in errors]
        values = [residual(p, 1.0, *row, float(row[0][-1]) + 1.0) / (4 * g) for row in rows]
        right.plot(100 * errors, values, color=COLOURS[k], label="bang-bang" if shaper == "none" else shaper)
    right.set(xlabel="error of the frequency, %", ylabel="residual, of the largest, (2)")
    right.set_ylim(0, 1.2)
    legend(right, loc="upper right")
    title(picture, "Slew of a flexible spacecraft: bang-bang and shaped commands")
    return picture


EXAMPLE = Example(
    name="flexible-slew",
    title="Flexible spacecraft turned from rest to rest with input shaping",
    document="Classics",
    chapter="spacecraft",
    source="Singer and Seering 1990; Singh and Vadali 1994; with data of its own",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
