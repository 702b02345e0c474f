"""A flexible rocket under thrust: bending softened by thrust, flutter, a nozzle on its gimbal, slosh.

Source: stand-in for A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapter 12 and appendix 12.A; T. R. Beal,
Dynamic Stability of a Flexible Missile under Constant and Pulsating Thrusts, AIAA J. 3 (1965), 486; J. S. Orr and T. M.
Barrows, Dynamics and Simulation of Flexible Rockets (2021), for tail-wags-dog. The loss of mass is in "rocket-ascent".

The rocket at lift-off is a uniform free beam along x, L = 40 m, 40 t, EI = 2e9 N m^2, aft end at the origin; the thrust T
pushes there, along the beam's own end. Gravity of the size T/M is put against it, so that the rocket hovers: by the
equivalence of the two its motions are those of one that is accelerated. Bending v across x obeys

    m v'' + EI v_xxxx + (T (1 - x/L) v_x)_x = 0   with free ends, thrust across T v_x at x = 0,                          (1)

whose frequencies come from Ritz's method with Legendre's polynomials in this file. Modes 1 and 2 come together near
T L^2/EI = 109.6: beyond that the beam flutters. The beam is (a) one body with its free modes, (b) n rods with springs EI n/L
between them, whose frequencies approach those of (1) as 1/n^2 (as 1/n^4
without thrust).

A nozzle, m_n = 500 kg, mass centre l_n = 1.5 m aft of its gimbal, is turned by delta against the rocket. On a rocket that is
kept from pitching the force across is T delta + m_n l_n delta'', which vanishes at w = sqrt(T/(m_n l_n)) = 40 rad/s
(tail-wags-dog). Free, with y of the gimbal, pitch th, phi = th + delta, mass centre l_c ahead, a = T/(m + m_n),

    m (y'' + l_c th'') + m_n (y'' - l_n phi'') = T phi ,
    (I + m l_c^2) th'' + m l_c (y'' - a th) + (I_n + m_n l_n^2) phi'' - m_n l_n (y'' - a phi) = 0 .                      (2)

A slosh mass m_s on a pendulum of length l, hung d ahead of the mass centre of the rigid rest (place y, pitch th), has

    T = (m y'^2 + I th'^2 + m_s (y' + (d - l) th' - l psi')^2)/2 , V = m_s a (l (th + psi)^2 - d th^2)/2 , F_y = T th .   (3)

A servo turns the nozzle to the angle kp th + kd th' that the nose asks for. Bending, which turns the nose against the
tail, then grows; a filter of the second order well below its frequency turns the phase, and bending fades. The poles are
those of Ritz's method with nozzle, servo and filter.

The run turns the nozzle by two commanded angles, about y and z; the torques of the gimbal are read (12.A). Units: SI, rad.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import block_diag, eigh, eigvals, expm
from scipy.optimize import brentq

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, poles_off, title, unchanged, worst
from kaneflex.model.blocks import BendingFilter, Block
from kaneflex.model.bodies import PointMass, Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import Force, JointForce, JointSpring
from kaneflex.model.joints import Free, Planar, Prismatic, Revolute, Universal
from kaneflex.model.parts import Engine
from kaneflex.model.profiles import versine
from kaneflex.model.shapes import Cone
from kaneflex.results.run import Run
from kaneflex.structures.beam import Beam
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "length": 40.0, "mass": 40e3, "EI": 2e9, "thrust": 1.2e6, "nozzle": 500.0, "arm": 1.5, "turn": 0.02, "time": 1.0,
}  # fmt: skip
MODES, DURATION = 10, 3.0
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}
SLOSH = {"mass": 4000.0, "length": 1.2, "ahead": 6.0}
RATES = (0.05, 0.25, 2.5)  # of pitch, filter and servo, over the first frequency of the free beam
RATIO, FADING = 0.7, 0.005  # damping ratios: of pitch, filter and servo; of bending
#: squares of the first two frequencies over EI/(m L^4) by T L^2/EI, and frequencies of the defaults, rad/s
PRINTED = {20.0: (381.396, 3337.98), 60.0: (184.673, 2357.95), 100.0: (194.554, 1160.21)}
FREE_FREE = (22.3733, 61.6728, 120.903)  # of the bare beam, over sqrt(EI/(m L^4))
FREE, LOADED, FLUTTER = 19.775381, (19.658534, 54.352889), (109.5, 109.7)
RITZ = "(1) by Ritz's method with polynomials, in this file"


@cache
def _beam(length: float, mass: float, EI: float, both: bool) -> Flexible:
    """The beam in mean axes; where it is to move in one plane alone, it is stiff in the other."""
    stiff = EI if both else (1e6 * EI, EI)
    beam = Beam(length, 1e5 * EI, stiff, mass / length, 40, GJ=1e4 * EI, rotary=0.0, polar=2.0 * mass / length)
    count = MODES if both else MODES + 6
    return Flexible(beam, root=None, modes=ModeChoice("free", count=count))


def body(p: Parameters, both: bool = False) -> Flexible:
    """The rocket by its modes."""
    for name in ("length", "mass", "EI", "thrust", "nozzle", "arm", "time"):
        positive(p[name], name)
    return _beam(p["length"], p["mass"], p["EI"], both)


def hovering(p: Parameters, push: float) -> System:
    """The bare beam in the plane, by modes, under a thrust of so many EI/L^2 that it follows."""
    P = push * p["EI"] / p["length"] ** 2
    system = System("rocket by modes", gravity=(-P / p["mass"], 0, 0))
    system.add("rocket", body(p), Planar("z"))
    system.apply("thrust", Force("rocket.root", (P, 0, 0)))
    return system


def rods(p: Parameters, n: int, push: float) -> System:
    """The same by n rods with springs in the joints between them."""
    P, l = push * p["EI"] / p["length"] ** 2, p["length"] / n
    system = System("rocket by rods", gravity=(-P / p["mass"], 0, 0))
    m = p["mass"] / n
    piece = Rigid(m, com=(l / 2, 0, 0), inertia=(m * l**2 / 1200, m * l**2 / 12, m * l**2 / 12), frames={"tip": (l, 0, 0)})
    for k in range(n):
        joint = Revolute("z") if k else Planar("z")
        system.add(f"rod{k}", piece, joint, parent=f"rod{k - 1}" if k else "N", at="tip" if k else None)
        if k:
            system.apply(f"bend{k}", JointSpring(f"rod{k}", p["EI"] / l))
    system.apply("thrust", Force("rod0", (P, 0, 0)))
    return system


def build(p: Parameters) -> System:
    """The rocket in space with its nozzle on a gimbal of two commanded angles."""
    if not abs(p["turn"]) <= 0.2:
        raise ModelError(f"turn is {p['turn']:g} rad: the nozzle turns by 0.2 rad at most")
    flexible, m = body(p, both=True), p["mass"] + p["nozzle"]
    system = System("flexible rocket", gravity=(-p["thrust"] / m, 0, 0))
    system.add("rocket", flexible, Free())
    first = versine(p["turn"], time=p["time"], start=0.2)
    command = {"angle1": first, "angle2": versine(-p["turn"] / 2, time=1.5 * p["time"], start=0.5)}
    system.add("nozzle", nozzle(p), Universal(("z", "y"), motion=command), parent="rocket", at="root")
    system.apply("thrust", Force("nozzle", (p["thrust"], 0, 0)))
    cone = Cone(0.9, 2.2 * p["arm"], position=(-2.2 * p["arm"], 0, 0), rotation=(("y", math.pi / 2),), color="grey")
    system.show("nozzle", cone)
    return system


def nozzle(p: Parameters) -> Rigid:
    """The nozzle: x along the thrust, gimbal at its origin."""
    J = p["nozzle"] * p["arm"] ** 2 / 4
    return Rigid(p["nozzle"], com=(-p["arm"], 0, 0), inertia=(J / 2, J, J))


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Three seconds in which the nozzle turns there and back."""
    return system.simulate(DURATION, output=0.01, formulation=formulation, speeds=speeds, **FINE)


# ---- (1) ----------------------------------------------------------------------------------------------------------------


def unit(p: Parameters) -> float:
    """sqrt(EI/(m L^4)), rad/s."""
    return math.sqrt(p["EI"] / (p["mass"] * p["length"] ** 3))


class Trials:
    """Legendre's polynomials on a beam: v, slope, bend at points x of 1 with weights w; values and slopes at its ends."""

    def __init__(self, count: int, L: float = 1.0):
        x, w = legendre.leggauss(40)
        self.x, self.w = (x + 1) / 2, w / 2
        found = [legendre.Legendre.basis(k, domain=[0, 1]) for k in range(count)]
        at = lambda d, x: np.array([f.deriv(d)(x) if d else f(x) for f in found]) / L**d
        self.v, self.slope, self.bend = (at(d, self.x) for d in range(3))
        (self.end, self.turn), (self.nose, self.lean) = ((at(0, x), at(1, x)) for x in (0.0, 1.0))

    def sums(self, mass: float, EI: float, L: float) -> tuple[np.ndarray, np.ndarray]:
        """Mass and stiffness of a beam."""
        return mass * (self.v * self.w) @ self.v.T, L * EI * (self.bend * self.w) @ self.bend.T

    def pressed(self, force: Any, L: float) -> np.ndarray:
        """Stiffness that a force of compression, at the points, takes off."""
        return L * (self.slope * self.w * force) @ self.slope.T


def squares(push: float, count: int = 2) -> np.ndarray:
    """Lowest squares of frequencies of (1), over EI/(m L^4), complex where they flutter."""
    b = Trials(16)
    M, K = b.sums(1.0, 1.0, 1.0)
    found = eigvals(K - b.pressed(push * (1 - b.x), 1.0) - push * np.outer(b.end, b.turn), M)
    return np.sort_complex(found[np.abs(found) > 0.5])[:count]


def measured(system: System, count: int = 2) -> np.ndarray:
    """Lowest squares of frequencies of bending by a linear model, (rad/s)^2."""
    values = system.linearize(system.state()).eigenvalues()
    found = np.sort_complex(-(values[values.imag > 1e-3] ** 2))
    return found[np.abs(found) > 1.0][:count]


def _bending(p: Parameters) -> list[Check]:
    """Frequencies by modes and by rods, printed and by (1); where the first two come together."""
    size, push = unit(p) ** 2, p["thrust"] * p["length"] ** 2 / p["EI"]
    found = []
    for x, tolerance in ((0.0, 2e-5), (push, 2e-5), *((x, 2e-3) for x in PRINTED)):
        values, wanted = measured(hovering(p, x)).real / size, squares(x).real
        names = [f"mode {k}" for k in (1, 2)]
        found.append(worst(f"squared frequency at T L^2/EI = {x:g}", names, values, wanted, tolerance * wanted, RITZ))
        if x in PRINTED:
            source = "independent program, printed"
            table = np.array(PRINTED[x])
            found.append(worst(f"squared frequency at {x:g}, printed", names, values, table, 2e-3 * table, source))
    if unchanged(p, DEFAULTS, "turn", "time", "nozzle", "arm"):
        values = np.sqrt(np.concatenate([measured(hovering(p, 0.0), 1), measured(hovering(p, push))]).real)
        source, wanted = "independent program, printed", np.array([FREE, *LOADED])
        names = ["free", "first with thrust", "second with thrust"]
        found.append(worst("bending, rad/s", names, values, wanted, 5e-6 * wanted, source))
    bare = np.sqrt(measured(hovering(p, 0.0), 3).real) / unit(p)
    names = [f"mode {k}" for k in (1, 2, 3)]
    found.append(worst("bending without thrust, over sqrt(EI/mL^4)", names, bare, FREE_FREE, (1e-4, 1e-3, 3e-3), "tables"))
    middle, half = sum(FLUTTER) / 2, (FLUTTER[1] - FLUTTER[0]) / 2
    found.append(Check("T L^2/EI at which modes 1 and 2 meet", _meeting(p), middle, half, "independent program, printed"))
    return [*found, *_by_rods(p, push)]


def _meeting(p: Parameters) -> float:
    """Thrust, in EI/L^2, beyond which the beam flutters, by bisection on linear models."""
    low, high = 105.0, 115.0
    while high - low > 0.01:
        middle = (low + high) / 2
        system = hovering(p, middle)
        grows = system.linearize(system.state()).eigenvalues()
        flutters = bool(np.any((grows.real > 1e-3 * unit(p)) & (grows.imag > unit(p))))
        low, high = (low, middle) if flutters else (middle, high)
    return (low + high) / 2


def _by_rods(p: Parameters, push: float) -> list[Check]:
    """Rods approach (1) as 1/n^2, and without thrust as 1/n^4."""
    found = []
    for word, x, order in (("", push, 2), (" without thrust", 0.0, 4)):
        exact = math.sqrt(squares(x, 1)[0].real)
        values = [math.sqrt(measured(rods(p, n, x), 1)[0].real) / unit(p) for n in (20, 40)]
        fine = values[1] + (values[1] - values[0]) / (2**order - 1)
        name, rate = f"rods{word}: order of the approach of the first frequency", (values[0] - exact) / (values[1] - exact)
        found.append(Check(name, math.log2(rate), float(order), 0.1, RITZ))
        found.append(Check(f"rods{word}: first frequency, extrapolated", fine, exact, 2e-5 * exact, RITZ))
    return found


def bent(p: Parameters, t: np.ndarray) -> np.ndarray:
    """Deflection of the nose in the plane of the first angle, mean axes, m: (1) with the nozzle at the end, driven by delta.

    The nozzle's mass centre is at v - l_n (v_x + delta); P_0 and P_1 are the rigid motion.
    """
    T, m, m_n, l_n, L = p["thrust"], p["mass"], p["nozzle"], p["arm"], p["length"]
    a, J = T / (m + m_n), m_n * l_n**2 / 4
    b = Trials(10, L)
    end, turn, (M, K) = b.end, b.turn, b.sums(m, p["EI"], L)
    swing = end - l_n * turn
    M = M + m_n * np.outer(swing, swing) + J * np.outer(turn, turn)
    K = K - b.pressed(m * a * (1 - b.x), L) + m_n * a * l_n * np.outer(turn, turn) - T * np.outer(end, turn)
    # delta = (turn/2)(1 - c) with c = cos(rate (t - 0.2)) while the nozzle turns: y' = A y + B (1, c, s), solved exactly
    rate, half = 2 * math.pi / p["time"], p["turn"] / 2
    steady = (T * end - m_n * a * l_n * turn) * half
    waving = (m_n * l_n * swing - J * turn) * half * rate**2 - steady
    A = np.zeros((2 * (n := len(end)) + 3, 2 * n + 3))
    A[:n, n : 2 * n], A[n : 2 * n, :n] = np.eye(n), -np.linalg.solve(M, K)
    after = A.copy()
    A[n : 2 * n, 2 * n], A[n : 2 * n, 2 * n + 1] = np.linalg.solve(M, steady), np.linalg.solve(M, waving)
    A[2 * n + 1, 2 * n + 2], A[2 * n + 2, 2 * n + 1] = -rate, rate
    start = np.zeros(2 * n + 3)
    start[2 * n : 2 * n + 2] = 1.0
    end_of_turn = expm(A * p["time"]) @ start
    while_turning = lambda s: expm(A * s) @ start if s < p["time"] else expm(after * (s - p["time"])) @ end_of_turn
    return np.array([while_turning(s)[2:n].sum() if s > 0 else 0.0 for s in t - 0.2])


# ---- the gimbal ---------------------------------------------------------------------------------------------------------


def gimballed(p: Parameters, held: bool = False, pinned: bool = False) -> System:
    """The rigid rocket and its nozzle in the plane, a motor in the gimbal; it hovers, free or kept from pitching
    (held), or its mass centre is held on a pin."""
    L, m = p["length"], p["mass"]
    system = System("rigid rocket", gravity=(-p["thrust"] / (m + p["nozzle"]), 0, 0))
    whole = Rigid(m, com=(L / 2, 0, 0), inertia=(m, m * L**2 / 12, m * L**2 / 12), frames={"middle": (L / 2, 0, 0)})
    if pinned:
        system.gravity = (0.0, 0.0, 0.0)
        system.add("rocket", whole, Revolute("z"), hinge="middle")
    elif held:
        system.add("rail", PointMass(0.0), Prismatic("x"))
        system.add("rocket", whole, Prismatic("y"), parent="rail")
    else:
        system.add("rocket", whole, Planar("z"))
    system.add("nozzle", nozzle(p), Revolute("z"), parent="rocket")
    system.apply("thrust", Force("nozzle", (p["thrust"], 0, 0)))
    system.add_input("motor", JointForce("nozzle"))
    return system


def response(system: System, output: str, row: int, w: float) -> complex:
    """Output over the gimbal's angle at the frequency w, both driven by the motor."""
    model = system.linearize(system.state(), outputs=[output, "nozzle.angle"])
    C, D = np.asarray(model.C)[[row, -1]], np.asarray(model.D)[[row, -1]]
    x = np.linalg.solve(1j * w * np.eye(len(model.A)) - model.A, model.B)
    over, angle = (C @ x + D)[:, 0]
    return complex(over / angle)


def by_hand(p: Parameters, w: float) -> complex:
    """Acceleration of the rocket's mass centre across over the gimbal's angle, by (2)."""
    T, m, m_n, l_n, l_c = p["thrust"], p["mass"], p["nozzle"], p["arm"], p["length"] / 2
    a, s2 = T / (m + m_n), -w * w
    I, J = m * p["length"] ** 2 / 12 + m * l_c**2, m_n * l_n**2 / 4 + m_n * l_n**2
    A = np.array([
        [(m + m_n) * s2, (m * l_c - m_n * l_n) * s2 - T],
        [(m * l_c - m_n * l_n) * s2, (I + J) * s2 - m * l_c * a + m_n * l_n * a],
    ])  # fmt: skip
    y, th = np.linalg.solve(A, [m_n * l_n * s2 + T, -J * s2 - m_n * l_n * a])
    return complex(s2 * (y + l_c * th))


def _gimbal(p: Parameters) -> list[Check]:
    """Tail-wags-dog from transfer functions of the linear model."""
    zero, size = math.sqrt(p["thrust"] / (p["nozzle"] * p["arm"])), p["thrust"] / p["mass"]
    held, free, pinned = gimballed(p, held=True), gimballed(p), gimballed(p, pinned=True)
    ratio = lambda w: response(held, "rocket.middle.acceleration", 1, w).real
    low, high = 0.5 * zero, 1.5 * zero
    wanted = [by_hand(p, f * zero).real for f in (0.1, 0.5, 0.9, 1.5)]
    values = [response(free, "rocket.middle.acceleration", 1, f * zero).real for f in (0.1, 0.5, 0.9, 1.5)]
    names = [f"{f:g} of the zero" for f in (0.1, 0.5, 0.9, 1.5)]
    crossing = math.sqrt((low**2 * ratio(high) - high**2 * ratio(low)) / (ratio(high) - ratio(low)))  # linear in w^2
    l_c, swung = p["length"] / 2, p["nozzle"] * p["arm"] ** 2 * 1.25
    pitch = math.sqrt(p["thrust"] * l_c / (swung + p["nozzle"] * p["arm"] * l_c))
    found = brentq(lambda w: response(pinned, "rocket.alpha", 2, w).real, 0.9 * pitch, 1.1 * pitch, xtol=1e-12)
    return [
        Check("moment vanishes at, rad/s", found, pitch, 1e-10, "closed form: sqrt(T l_c/(I_n + m_n l_n l_c))"),
        Check("force across vanishes at, rad/s", crossing, zero, 1e-12 * zero, "closed form: sqrt(T/m_n l_n)"),
        worst("acceleration across over gimbal angle, m/s^2", names, values, wanted, 3e-13 * size, "(2), in this file"),
    ]


def _slosh(p: Parameters) -> Check:
    """Frequency of the slosh mass in the rigid rocket under thrust."""
    L, m, T, (m_s, l, d) = p["length"], p["mass"], p["thrust"], SLOSH.values()
    a, I = T / (m + m_s), m * L**2 / 12
    system = System("rocket with slosh", gravity=(-a, 0, 0))
    system.add("rocket", Rigid(m, inertia=(m, I, I), frames={"tank": (d, 0, 0), "aft": (-L / 2, 0, 0)}), Planar("z"))
    system.add("slosh", PointMass(m_s), Revolute("z"), parent="rocket", at="tank", hinge=(l, 0, 0))
    system.apply("thrust", Force("rocket.aft", (T, 0, 0)))
    reach = np.array([1.0, d - l, -l])
    M = np.diag([m, I, 0.0]) + m_s * np.outer(reach, reach)
    K = m_s * a * np.array([[0, 0, 0], [0, l - d, l], [0, l, l]])
    K[0, 1] -= T
    wanted = math.sqrt(max(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    values = system.linearize(system.state()).eigenvalues()
    return Check("slosh in the rigid rocket, rad/s", float(values.imag.max()), wanted, 1e-12 * wanted, "(3), in this file")


def _slosh_in_bending(p: Parameters) -> Check:
    """Slosh and bending together: the pendulum hung in the nose of the flexible rocket, by modes and by Ritz's method.

    Its mass is at v - l (v_x + psi) of the nose, and the rocket carries it: N = T - m a x/L, a = T/(m + m_s).
    """
    L, m, T, m_s, l = p["length"], p["mass"], p["thrust"], SLOSH["mass"], SLOSH["length"]
    a = T / (m + m_s)
    system = System("flexible rocket with slosh", gravity=(-a, 0, 0))
    system.add("rocket", body(p), Planar("z"))
    system.add("slosh", PointMass(m_s), Revolute("z"), parent="rocket", at="tip", hinge=(l, 0, 0))
    system.apply("thrust", Force("rocket.root", (T, 0, 0)))
    b, n = Trials(14, L), 14
    M, K = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    reach, string = np.append(b.nose - l * b.lean, -l), np.append(b.lean, 1.0)
    M[:n, :n], K[:n, :n] = b.sums(m, p["EI"], L)
    K[:n, :n] -= b.pressed(T - m * a * b.x, L) + T * np.outer(b.end, b.turn)
    M, K = M + m_s * np.outer(reach, reach), K + m_s * a * l * np.outer(string, string)
    roots, found = eigvals(K, M).real, np.sqrt(measured(system, 3).real)
    wanted = np.sqrt(np.sort(roots[roots > 1.0])[:3])
    words, names = "slosh in the nose of the flexible rocket, rad/s", ("slosh", "first bending", "second bending")
    return worst(words, names, found, wanted, 1e-4 * wanted, "Ritz's method, in this file")


def steered(p: Parameters, filtered: bool) -> System:
    """The flexible rocket in the plane, hovering, its nozzle turned by what the nose sees."""
    kp, kd, w, stiffness, damping = steering(p)
    system = System("steered rocket", gravity=(-p["thrust"] / (p["mass"] + p["nozzle"]), 0, 0))
    system.add("rocket", replace(body(p), damping=FADING), Planar("z"))
    J = p["nozzle"] * p["arm"] ** 2 / 4
    engine = Engine(p["thrust"], 300.0, p["nozzle"], p["arm"], (J / 2, J), stiffness, damping, torque_limit=1e12)
    system.add_part("engine", engine, on="rocket.root")
    seen = ["rocket.tip.rotation", "rocket.tip.omega"]
    law = lambda t, x, z: (kp * np.arctan(x[3] / x[0]) + kd * x[11], ())
    if filtered:
        system.add_block("law", Block(law, gives=["angle"], sees=seen))
        system.add_block("filter", BendingFilter(w, RATIO, sees="law.angle", drives="engine_z"))
    else:
        system.add_block("law", Block(law, gives=["angle"], sees=seen, drives="engine_z"))
    return system


def steering(p: Parameters) -> tuple[float, ...]:
    """Gains of pitch and its rate, frequency of the filter, stiffness and damping of the servo."""
    pitch, bend, servo = (part * FREE_FREE[0] * unit(p) for part in RATES)
    share, J = p["mass"] * p["length"] / (6 * p["thrust"]), 1.25 * p["nozzle"] * p["arm"] ** 2  # I/(T l_c), about the gimbal
    return share * pitch**2, 2 * RATIO * share * pitch, bend, J * servo**2, 2 * RATIO * J * servo


def steered_by_hand(p: Parameters, filtered: bool) -> np.ndarray:
    """Poles of the same: Ritz's method, the nozzle's angle against the rocket as one more coordinate."""
    T, m, m_n, l_n, L = p["thrust"], p["mass"], p["nozzle"], p["arm"], p["length"]
    a, J, (kp, kd, f, stiffness, damping) = T / (m + m_n), m_n * l_n**2 / 4, steering(p)
    b, n = Trials(16, L), 17
    inertia, beam = b.sums(m, p["EI"], L)
    squares, shapes = eigh(beam, inertia)  # modes of the bare beam, which are damped one by one
    fading = inertia @ (shapes * (2 * FADING * np.sqrt(np.maximum(squares, 0.0)))) @ shapes.T @ inertia
    M, C = block_diag(inertia, 0.0), block_diag(fading, damping)
    K = block_diag(beam - b.pressed(m * a * (1 - b.x), L), stiffness)
    swing, phi = np.append(b.end - l_n * b.turn, -l_n), np.append(b.turn, 1.0)
    M = M + m_n * np.outer(swing, swing) + J * np.outer(phi, phi)
    K = K + m_n * a * l_n * np.outer(phi, phi) - T * np.outer(np.append(b.end, 0.0), phi)
    asked = np.kron((kp, kd), np.append(b.lean, 0.0))
    A = np.zeros((2 * n + 2, 2 * n + 2))
    A[:n, n : 2 * n], A[n : 2 * n, : 2 * n] = np.eye(n), -np.linalg.solve(M, np.hstack([K, C]))
    push = stiffness * np.linalg.solve(M, np.eye(n)[-1])
    if not filtered:
        A[n : 2 * n, : 2 * n] += np.outer(push, asked)
        return np.linalg.eigvals(A[: 2 * n, : 2 * n])
    A[n : 2 * n, 2 * n], A[2 * n, 2 * n + 1] = push, 1.0
    A[2 * n + 1, : 2 * n], A[2 * n + 1, 2 * n :] = f * f * asked, (-f * f, -2 * RATIO * f)
    return np.linalg.eigvals(A)


def _steering(p: Parameters) -> list[Check]:
    """Slow poles of the loop without and with the filter: by modes and by Ritz's method."""
    found, source = [], "Ritz's method, in this file; ten modes"
    for filtered, word in ((False, "without"), (True, "with")):
        own, system = steered_by_hand(p, filtered), steered(p, filtered)
        slow = own[(np.abs(own) < 1.5 * FREE_FREE[0] * unit(p)) & (np.abs(own) > 1e-3)]
        poles = system.linearize(inputs={"engine": 1.0}).eigenvalues()
        bending = slow[np.abs(slow).argmax()]
        here, off = poles[np.abs(poles - bending).argmin()], poles_off(poles, slow, relative=True)
        found += [
            Check(f"steered {word} a filter: poles, relative", off, 0.0, 1e-3, source),
            Check(f"steered {word} a filter: growth of bending, 1/s", float(here.real), float(bending.real), 1e-3, source),
        ]
    return found


def _torques(run: Run, p: Parameters) -> list[Check]:
    """Torques of the gimbal from Newton and Euler for the nozzle alone, and the axis that they have no part about."""
    R, r = run["nozzle.rotation"], np.array([-p["arm"], 0, 0])
    w, alpha, com = run["nozzle.omega"], run["nozzle.alpha"], nozzle(p)
    J = np.diag(com.inertia) if np.ndim(com.inertia) == 1 else np.array(com.inertia)
    gravity = np.array([-p["thrust"] / (p["mass"] + p["nozzle"]), 0, 0])
    a = np.einsum("nji,nj->ni", R, run["nozzle.acceleration"] - gravity)
    a = a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    torque = alpha @ J.T + np.cross(w, w @ J.T) + np.cross(r, p["nozzle"] * a)
    second = torque[:, 1]
    angle = run["nozzle.q"][:, 1]
    first = torque[:, 2] * np.cos(angle) - torque[:, 0] * np.sin(angle)
    wanted = np.column_stack([first, second])
    off, size = float(np.abs(run["nozzle.drive"] - wanted).max()), float(np.abs(wanted).max())
    return [Check("gimbal torques, largest difference, N m", off, 0.0, 1e-12 * size, "Newton and Euler")]


def checks(run: Run, p: Parameters) -> list[Check]:
    """Bending under thrust, flutter, rods, the gimbal, slosh, and the run's torques."""
    wanted, here = bent(p, run.t[::20]), run["rocket.tip.deflection"][::20, 1]
    size, off = float(np.abs(wanted).max()), float(np.abs(here - wanted).max())
    first = Check("bending at the nose, largest difference, m", off, 0.0, 0.01 * size, RITZ + ", with the nozzle")
    own = [_slosh(p), _slosh_in_bending(p), *_steering(p), *_torques(run, p), balance(run, 2e-12)]
    return [first, *_bending(p), *_gimbal(p), *own]


def figure(run: Run, p: Parameters) -> Figure:
    """The first two frequencies by thrust, and the torques of the gimbal."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2))
    push = np.linspace(0, 120, 61)
    rows = np.array([np.sqrt(squares(x)) for x in push])
    for k in range(2):
        left.plot(push, rows[:, k].real, color=COLOURS[k], label=f"mode {k + 1}, (1)")
    left.plot(push, np.abs(rows[:, 0].imag), ls=":", color=COLOURS[4], label="rate of growth")
    for x, row in PRINTED.items():
        left.plot([x, x], np.sqrt(row), "o", color=GREY, mfc="white", ms=6)
    left.set(xlabel="thrust, EI/L^2", ylabel="frequency, sqrt(EI/mL^4)")
    legend(left, loc="upper right")
    for k, name in enumerate(("about z", "about y")):
        right.plot(run.t, run["nozzle.drive"][:, k] / 1e3, color=COLOURS[2 + k], label=f"torque {name}")
    right.set(xlabel="time, s", ylabel="torque of the gimbal, kN m")
    legend(right)
    title(picture, "Flexible rocket: follower thrust and gimbal torques")
    return picture


EXAMPLE = Example(
    name="flexible-rocket",
    title="Flexible rocket under thrust with a gimballed nozzle (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 12",
    source="Banerjee 2016, chapter 12; Beal 1965; Orr and Barrows 2021; with stand-in data",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
