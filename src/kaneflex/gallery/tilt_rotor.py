"""A tilt-rotor aircraft: nacelles that turn, the moments of their rotors, trim through the conversion, a wing that bends.

Source: stand-in for J. Pei and C. M. Roithmayr, multibody tilt-rotor dynamics (AIAA Aviation, 2022), whose data are not
public; Kane's method for the XV-15, Int. J. Aerospace Engineering (2019), 9396352, for the bodies. Data of the class of
the XV-15.

A fuselage (x ahead, y to the left, z up) carries a nacelle at each tip of its wing, y = +-b, on a hinge about y; the
tilt d is 0 where the rotor's axis is ahead and 90 degrees where it is up. A rotor has the spin momentum h about that
axis. The mass centre of a nacelle with its rotor is on the hinge, where all hinges and the fuselage's mass centre are
in one line.

- Free, without air, rotors stopped: while the nacelles turn by d the fuselage turns by -2 I_n d/(I_f + 2 I_n), I_n the
  inertia of a nacelle with its rotor and I_f that of the fuselage with both lumped in the hinges, about y.
- Fuselage held, d' the rate of tilt: each rotor loads it by the moment d' h across axis and hinge; moments of rotors that
  turn alike add, those of rotors that turn opposite ways cancel. The torque that tilts a nacelle is I_n d''.
- Trim in level flight at the speed V, with lift and drag of wing and body from the angle of attack alpha, which is the
  pitch,

    L = Q S (C_L0 + a alpha) , D = Q S (C_D0 + k C_L^2) , Q = density V^2/2 ,
    2 T cos(alpha + d) = D ,   2 T sin(alpha + d) + L = m g ,   and the tail holds the moment.                          (1)

  The rotors are parts, `RotorDisk`, whose collective pitch an integrator finds. By Glauert's momentum theory the air goes
  through a disk of area A by v faster than the aircraft flies along its axis, V_a = V cos(alpha + d), and a rotor takes
  the power of its thrust and of its blades' profile drag,

    T = 2 density A v sqrt(V^2 - V_a^2 + (V_a + v)^2) ,   P = T (V_a + v) + (s C_d/8)(1 + mu^2) density A (Omega R)^3 .  (2)

- In flight the height, speed and pitch are held by the collective pitch of both rotors and the moment of the tail, by gains
  of least squares from the linear model. The motion is that of

    m x'' = 2 T cos(th + d) + F_x ,  m z'' = 2 T sin(th + d) + F_z - m g ,  I th'' = M ,                                (3)
    (8 R/3 pi) v' = T/(density A) - 2 v sqrt(u^2 + (w + v)^2) ,

  th the pitch, F the force of the air, I the inertia of all about the hinges, u and w the velocity of a hub across and along
  its axis, T by blade elements from them, v and the collective pitch.
- A wing that bends: in hover its tips rise by (T - m_n g) b^3/(3 EI) - m_w g b^3/(8 EI), m_w the mass of one side. It swings
  as a cantilever with the mass m_n and the inertia I_n at its tip, v = A (cosh x - cos x) + B (sinh x - sin x), x = c s/b,

    EI v'' = w^2 I_n v' ,   EI v''' = -w^2 m_n v   at its tip,   w^2 = EI c^4/(m_w b^3) .                                (4)

Units: SI; angles rad, tilt in degrees.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, poles_off, rod, title, worst
from kaneflex.model.blocks import Block, StateFeedback
from kaneflex.model.bodies import PointMass, Rigid, Rotor
from kaneflex.model.checks import positive
from kaneflex.model.forces import Force, JointForce
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Free, Prismatic, Revolute
from kaneflex.model.parts import RotorDisk
from kaneflex.model.profiles import hold, quintic
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.structures.beam import Beam
from kaneflex.structures.flexible import Flexible
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "mass": 4400.0, "Ix": 20e3, "Iy": 17e3, "Iz": 33e3, "nacelle": 500.0, "In": 280.0, "rotor": 140.0, "Ir": 420.0,
    "ahead": 1.3, "span": 4.9, "spin": 60.0, "time": 8.0, "gravity": 9.80665, "EI": 8e6, "wing": 180.0,
}  # fmt: skip
SIDES = {"left": 1.0, "right": -1.0}
AIR = {"density": 1.225, "area": 15.7, "CL0": 0.3, "slope": 5.0, "CD0": 0.06, "k": 0.06}
DISK: dict[str, Any] = {"radius": 3.8, "blades": 3, "chord": 0.36, "lift_slope": 5.7, "drag": 0.01, "density": 1.225}
#: speed, m/s, and tilt, degrees, along the conversion
CORRIDOR = ((20.0, 88.0), (35.0, 82.0), (50.0, 75.0), (65.0, 60.0), (80.0, 0.0))
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
FLIGHT = (50.0, math.radians(75.0))  # speed and tilt of the flight that is held
OFF = {"up.q": -3.0, "fuselage.q": 0.03, "ahead.rate": 1.5, "up.rate": -0.5}  # of trim at the start: m, rad, m/s
STATES = ("up.slide", "fuselage.angle", "ahead.slide.rate", "up.slide.rate", "fuselage.angle.rate")
CHANNELS = ("up.q", "fuselage.q", "ahead.rate", "up.rate", "fuselage.rate")
INFLOWS = ("left_rotor.inflow", "right_rotor.inflow")
#: weights of squares: of the states, and of the commands
WEIGHTS = (0.05, 400.0, 0.1, 0.2, 100.0, 0.0, 0.0)
COMMANDS = {"left_rotor": 1e3, "right_rotor": 1e3, "tail_moment": 1e-6}


def nacelle(p: Parameters) -> Rigid:
    """A nacelle without its rotor: the rotor ahead is balanced about the hinge, which is its origin."""
    J, m = positive(p["In"], "In"), positive(p["nacelle"], "nacelle")
    back = positive(p["rotor"], "rotor") * p["ahead"] / m
    return Rigid(m, com=(-back, 0, 0), inertia=(J / 3, J, J), frames={"hub": (p["ahead"], 0, 0)})


def rotor(p: Parameters) -> Rigid:
    """A rotor as a body, its axis x."""
    J = positive(p["Ir"], "Ir")
    return Rigid(p["rotor"], inertia=(J, J / 2, J / 2))


def tilted_inertia(p: Parameters) -> float:
    """I_n: nacelle and rotor about the hinge."""
    back = p["rotor"] * p["ahead"] / p["nacelle"]
    return float(p["In"] + p["nacelle"] * back**2 + p["Ir"] / 2 + p["rotor"] * p["ahead"] ** 2)


def lump(p: Parameters) -> Rigid:
    """A nacelle that holds the mass of its rotor, for rotors that are their spin alone."""
    whole = tilted_inertia(p)
    return Rigid(p["nacelle"] + p["rotor"], inertia=(p["In"] / 3 + p["Ir"], whole, whole))


def aircraft(p: Parameters, root: Any, tilt: Any, spins: tuple[float, float], bodies: bool = True) -> System:
    """Fuselage, nacelles and rotors.

    Args:
        p: parameters.
        root: joint of the fuselage.
        tilt: motion of the nacelles.
        spins: of the left and the right rotor, rad/s.
        bodies: rotors as bodies on hinges without friction, or by their spin alone in a nacelle that holds their mass.
    """
    system, b = System("tilt-rotor"), positive(p["span"], "span")
    inertia = tuple(positive(p[name], name) for name in ("Ix", "Iy", "Iz"))
    tips = {name: (0, side * b, 0) for name, side in SIDES.items()}
    system.add("fuselage", Rigid(positive(p["mass"], "mass"), inertia=inertia, frames=tips), root)
    for (name, _), spin in zip(SIDES.items(), spins, strict=True):
        hinge = Revolute("-y", motion=tilt)
        if bodies:
            system.add(name, nacelle(p), hinge, parent="fuselage", at=name)
            system.add(f"{name}_rotor", rotor(p), Revolute("x"), parent=name, at="hub", q=0.0, rates=spin)
        else:
            system.add(name, lump(p), hinge, parent="fuselage", at=name)
            system.add_rotor(f"{name}_rotor", name, Rotor("x", p["Ir"], spin))
    _show(system, p, bodies)
    return system


def _show(system: System, p: Parameters, bodies: bool) -> None:
    """A fuselage, a wing, two nacelles and the disks of their rotors."""
    wing = Box((1.5, 2 * p["span"], 0.2), color="silver")
    system.show("fuselage", drum(0.8, 9.0, "x"), wing, Box((0.8, 3.4, 0.1), position=(-4, 0, 0.8), color="silver"))
    for name in SIDES:
        system.show(name, drum(0.4, 2.4, "x", color="grey"))
        at = (0, 0, 0) if bodies else (p["ahead"], 0, 0)
        disk = drum(3.8, 0.05, "x", position=at, opacity=0.3)
        tips = [(3.8 * math.cos(a), 3.8 * math.sin(a)) for a in (0.0, math.pi / 3, 2 * math.pi / 3)]
        blades = [rod((at[0], -y, -z), (at[0], y, z), 0.06) for y, z in tips]
        system.show(f"{name}_rotor" if bodies else name, disk, *blades)


def conversion(p: Parameters) -> quintic:
    """The tilt from up to ahead over time."""
    return quintic(-math.pi / 2, positive(p["time"], "time"), initial=math.pi / 2)


def build(p: Parameters) -> System:
    """The aircraft free, without air: the nacelles go from up to ahead, rotors turn opposite ways."""
    return aircraft(p, Free(), conversion(p), (p["spin"], -p["spin"]))


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The conversion, and a little beyond."""
    until = 1.25 * p["time"]
    return system.simulate(until, output=until / 200, formulation=formulation, speeds=speeds, **FINE)


def pitch(run: Run) -> np.ndarray:
    """Pitch of the fuselage, nose down positive (about y), rad."""
    R = run["fuselage.rotation"]
    return np.arctan2(-R[:, 2, 0], R[:, 0, 0])


def checks(run: Run, p: Parameters) -> list[Check]:
    """What is kept, the fuselage's turn, gyroscopic moments, rotors in two ways, trim, and the wing."""
    H, P = run["momentum.central"], run["momentum.linear"]
    size = p["Ir"] * p["spin"]
    return [
        Check("linear momentum, N s", float(np.abs(P - P[0]).max()), 0.0, 1e-12 * size, "identity: nothing acts"),
        Check("angular momentum, N m s", float(np.abs(H - H[0]).max()), 0.0, 1e-12 * size, "identity: nothing acts"),
        balance(run, 1e-9),
        Check("pitch at the end of the run, rad", float(pitch(run)[-1]), swing(p), 1e-9, "closed form: no angular momentum"),
        *_held(p),
        _two_ways(p),
        *_trim(p),
        *_flight(p),
        _wing(p),
        _swinging(p),
    ]


def swing(p: Parameters) -> float:
    """Pitch, about y, after the nacelles have gone from up to ahead: they turn by 90 degrees about y."""
    return float(-2 * tilted_inertia(p) / (p["Iy"] + 2 * tilted_inertia(p)) * math.pi / 2)


def _held(p: Parameters) -> list[Check]:
    """Loads of the held fuselage while the nacelles tilt, at 1/4 and 1/2 of the time."""
    T, h = p["time"], p["Ir"] * p["spin"]
    tilt, times = conversion(p), np.array([0.0, T / 4, T / 2])
    found = {}
    for name, spins in {"alike": (p["spin"], p["spin"]), "opposite": (p["spin"], -p["spin"])}.items():
        run = aircraft(p, Fixed(), tilt, spins).simulate(T / 2, times=times, **FINE)
        found[name] = run, run.loads("fuselage").torque
    run, torque = found["alike"]
    rate, d = run["left.rate"][1:], run["left.q"][1:]
    # the axis (cos d, 0, sin d) moves by d' (-sin d, 0, cos d)
    wanted = 2 * h * np.column_stack([-rate * np.sin(d), 0 * d, rate * np.cos(d)])
    wanted[:, 1] = -2 * tilted_inertia(p) * run["left.rate_dot"][1:]
    second, size = found["opposite"][1], float(np.abs(wanted).max())
    across = float(np.abs(second[1:, [0, 2]]).max())
    drive = run["left.drive"]
    names = [f"{axis} at {t:g} s" for t in run.t[1:] for axis in "xyz"]
    turn, source = float(tilted_inertia(p) * run["left.rate_dot"][1]), "closed form: I_n d''"
    return [
        worst("held: moment of rotors that turn alike, N m", names, torque[1:], wanted, 1e-12 * size, "closed form: 2 d' h"),
        Check("held: moment across, rotors that turn opposite ways, N m", across, 0.0, 1e-12 * size, "closed form: none"),
        Check("held: torque that tilts, N m", float(drive[1]), turn, 1e-12 * size, source),
    ]


def _two_ways(p: Parameters) -> Check:
    """The free aircraft with rotors that turn alike, as bodies and by their spin alone."""
    ends = []
    for bodies in (True, False):
        system = aircraft(p, Free(), conversion(p), (p["spin"], p["spin"]), bodies)
        run = system.simulate(p["time"], output=p["time"], **FINE)
        ends.append(run["fuselage.rotation"][-1])
    off = float(np.abs(ends[0] - ends[1]).max())
    return Check("rotors as bodies and as Rotor, rotation at the end", off, 0.0, 2e-11, "identity: axisymmetric rotors")


# ---- trim ---------------------------------------------------------------------------------------------------------------


def whole_mass(p: Parameters) -> float:
    """All of the aircraft, kg."""
    return float(p["mass"] + 2 * (p["nacelle"] + p["rotor"]))


def by_hand(p: Parameters, V: float, tilt: float) -> np.ndarray:
    """Pitch up (rad) and thrust of a rotor (N) by (1)."""
    Q, S = AIR["density"] * V**2 / 2, AIR["area"]

    def left(x: np.ndarray) -> list[float]:
        alpha, T = x
        CL = AIR["CL0"] + AIR["slope"] * alpha
        drag, lift = Q * S * (AIR["CD0"] + AIR["k"] * CL**2), Q * S * CL
        along, up = 2 * T * math.cos(alpha + tilt) - drag, 2 * T * math.sin(alpha + tilt) + lift
        return [along, up - whole_mass(p) * p["gravity"]]

    return np.asarray(fsolve(left, (0.02, 1000.0), xtol=1e-13))


def airborne(p: Parameters, V: float, tilt: float) -> System:
    """The aircraft in its plane of symmetry, nacelles locked, wing, body and rotors in the air."""
    system = System("tilt-rotor in flight", gravity=(0, 0, -p["gravity"]))
    system.add("ahead", PointMass(0.0), Prismatic("x"), q=0.0, rates=V)
    system.add("up", PointMass(0.0), Prismatic("z"), parent="ahead", q=0.0, rates=0.0)
    tips = {name: (0, side * p["span"], 0) for name, side in SIDES.items()}
    body = Rigid(p["mass"], inertia=(p["Ix"], p["Iy"], p["Iz"]), frames=tips)
    system.add("fuselage", body, Revolute("-y"), parent="up", q=0.0)
    for name, side in SIDES.items():
        system.add(name, nacelle(p), Revolute("-y", motion=hold(tilt)), parent="fuselage", at=name)
        system.add(f"{name}_hub", rotor(p), Fixed(), parent=name, at="hub")
        disk = RotorDisk(**DISK, speed=p["spin"], sense=int(side), inertia=p["Ir"])
        system.add_part(f"{name}_rotor", disk, on=f"{name}_hub", at=Frame((0, 0, 0), (("y", math.pi / 2),)))
    half, CL0, slope, CD0, k = AIR["density"] * AIR["area"] / 2, AIR["CL0"], AIR["slope"], AIR["CD0"], AIR["k"]

    def air(t: float, x: Any) -> Any:
        alpha = x[2] - np.arctan(x[1] / x[0])
        speed = np.sqrt(x[0] * x[0] + x[1] * x[1])
        CL = CL0 + slope * alpha
        lift, drag = half * speed * CL, half * speed * (CD0 + k * CL * CL)
        return -drag * x[0] - lift * x[1], 0.0, lift * x[0] - drag * x[1]

    seen = ["ahead.rate", "up.rate", "fuselage.q"]
    system.apply("air", Force("fuselage", air, axes="inertial", sees=seen))
    system.add_input("tail_moment", JointForce("fuselage"))
    return system


def flying(p: Parameters, V: float, tilt: float) -> System:
    """The same with pitch and tail by integrators, which find trim."""
    system, rotors = airborne(p, V, tilt), [f"{name}_rotor" for name in SIDES]

    def pilot(t: float, x: Any, z: Any) -> Any:
        return (z[0], z[0]), V - x[0]

    def tail(t: float, x: Any, z: Any) -> Any:
        return z[0], -1000.0 * x[0]

    system.add_block("pilot", Block(pilot, states=["collective"], sees=["ahead.rate"], drives=rotors, initial=[0.2]))
    system.add_block("tail", Block(tail, states=["moment"], sees=["fuselage.rate"], drives=["tail_moment"]))
    return system


def trimmed(p: Parameters, V: float, tilt: float) -> tuple[float, ...]:
    """Pitch, thrust, inflow and power of a rotor, and collective pitch, of the steady flight that the system finds."""
    system = flying(p, V, tilt)
    spins = {f"{name}_rotor_spin.rate": side * p["spin"] for name, side in SIDES.items()}
    state = system.steady_motion({"ahead.rate": V, **spins})
    told = system.channels(state, "left_rotor.thrust", "left_rotor.inflow", "left_rotor.power")
    return float(state["fuselage.q"]), *(float(x) for x in told.values()), float(state["pilot.collective"])


def rates_in_flight(y: np.ndarray, u: Any, p: Parameters) -> np.ndarray:
    """(3): rates of height, pitch, speeds ahead and up, rate of pitch, both inflows, by two collectives and the moment."""
    _, th, V, up, q = y[:5]
    R, area, tip = DISK["radius"], math.pi * DISK["radius"] ** 2, p["spin"] * DISK["radius"]
    solidity, rho, d = DISK["blades"] * DISK["chord"] / (math.pi * R), DISK["density"], FLIGHT[1]
    c, s = np.cos(th + d), np.sin(th + d)
    along, across = V * c + up * s, up * c - V * s + p["ahead"] * q
    thrusts, flows = 0 * q, []
    for v, pitch in zip(y[5:], u[:2], strict=True):
        C_T = solidity * DISK["lift_slope"] / 2 * (pitch * (1 + 1.5 * (across / tip) ** 2) / 3 - (along + v) / tip / 2)
        T = rho * area * tip**2 * C_T
        flows.append((T / (rho * area) - 2 * v * np.sqrt(across**2 + (along + v) ** 2)) * 3 * math.pi / (8 * R))
        thrusts = thrusts + T
    alpha, speed, half = th - np.arctan(up / V), np.sqrt(V**2 + up**2), AIR["density"] * AIR["area"] / 2
    CL = AIR["CL0"] + AIR["slope"] * alpha
    lift, drag = half * speed * CL, half * speed * (AIR["CD0"] + AIR["k"] * CL**2)
    m, I = whole_mass(p), p["Iy"] + 2 * tilted_inertia(p)
    ahead = (thrusts * c - drag * V - lift * up) / m
    return np.array([up, q, ahead, (thrusts * s + lift * V - drag * up) / m - p["gravity"], u[2] / I, *flows])


def _flight(p: Parameters) -> list[Check]:
    """Linear models without and with the loop beside (3), poles, and the way back to trim."""
    V, tilt = FLIGHT
    pitch, _, inflow, _, collective = trimmed(p, V, tilt)
    state = {"fuselage.q": pitch, "ahead.rate": V, **dict.fromkeys(INFLOWS, inflow)}
    trim, names = np.array([0.0, pitch, V, 0.0, 0.0, inflow, inflow]), list(COMMANDS)
    system, u0 = airborne(p, V, tilt), np.array([collective, collective, 0.0])
    model = system.linearize(state, inputs=dict(zip(names, u0, strict=True)))
    order = [model.inputs.index(name) for name in names]
    K = model.lqr(WEIGHTS, [COMMANDS[name] for name in model.inputs], states=[*STATES, *INFLOWS])[order]
    at = [model.states.index(name) for name in (*STATES, *INFLOWS)]
    A, B = model.A[np.ix_(at, at)], model.B[np.ix_(at, order)]
    # what is held, such that the gain gives the commands of trim there
    loop = StateFeedback(K, at=trim + np.linalg.pinv(K) @ u0, sees=[*CHANNELS, *INFLOWS], drives=names)
    system.add_block("loop", loop)
    placed, poles = np.linalg.eigvals(A - B @ K), system.linearize(state).eigenvalues()
    by_step = lambda f: np.column_stack([f(trim + 1e-30j * e).imag / 1e-30 for e in np.eye(7)])
    own = by_step(lambda y: rates_in_flight(y, u0, p))
    law = lambda y: u0 - K @ (y - trim)
    run = system.simulate(20.0, initial={**state, **{k: x + state.get(k, 0.0) for k, x in OFF.items()}}, output=0.5, **FINE)
    start = trim + np.array([*(OFF.get(name, 0.0) for name in CHANNELS), 0.0, 0.0])
    slope = lambda t, y: rates_in_flight(y, law(y), p)
    exact = solve_ivp(slope, (0, 20.0), start, "DOP853", t_eval=run.t, rtol=1e-11, atol=1e-12)
    found = np.column_stack([run[name] for name in (*CHANNELS, *INFLOWS)])
    off = np.abs(found - exact.y.T).max(axis=0) / np.array([1.0, 1.0, 10.0, 10.0, 1.0, 10.0, 10.0])
    source = "(3) by complex steps"
    return [
        Check("flight: derivatives, of the largest", float(np.abs(A - own).max() / np.abs(own).max()), 0.0, 1e-12, source),
        Check("flight: poles of the loop, 1/s", poles_off(poles, placed), 0.0, 1e-8, "identity: poles placed are found"),
        Check("flight: way back to trim, largest difference, m, rad, 0.1 m/s", float(off.max()), 0.0, 1e-7,
              "(3), integrated by SciPy's DOP853"),
    ]  # fmt: skip


def through(p: Parameters, V: float, axis: float, T: float) -> tuple[float, float]:
    """Inflow and power of a rotor by (2); `axis` is its angle from the flight."""
    R, rho, along, across = DISK["radius"], DISK["density"], V * math.cos(axis), V * math.sin(axis)
    area, tip, solidity = math.pi * R**2, p["spin"] * R, DISK["blades"] * DISK["chord"] / (math.pi * R)
    v = brentq(lambda v: 2 * rho * area * v * math.hypot(across, along + v) - T, 0.0, 100.0, xtol=1e-13)
    return v, T * (along + v) + solidity * DISK["drag"] / 8 * (1 + (across / tip) ** 2) * rho * area * tip**3


def _trim(p: Parameters) -> list[Check]:
    """Pitch and thrust along the corridor."""
    found = np.array([trimmed(p, V, math.radians(d)) for V, d in CORRIDOR])
    hand = [by_hand(p, V, math.radians(d)) for V, d in CORRIDOR]
    flows = [through(p, V, x[0] + math.radians(d), x[1]) for (V, d), x in zip(CORRIDOR, hand, strict=True)]
    wanted = np.column_stack([hand, flows])
    names = [f"{V:g} m/s, {d:g} degrees" for V, d in CORRIDOR]
    return [
        worst("trim: pitch, rad", names, found[:, 0], wanted[:, 0], 1e-12, "(1), solved by SciPy"),
        worst("trim: thrust, N", names, found[:, 1], wanted[:, 1], 1e-8, "(1), solved by SciPy"),
        worst("trim: inflow of a rotor, m/s", names, found[:, 2], wanted[:, 2], 1e-10, "(2), solved by SciPy"),
        worst("trim: power of a rotor, W", names, found[:, 3], wanted[:, 3], 1e-6, "(2), solved by SciPy"),
    ]


def hovering(p: Parameters) -> System:
    """One side of the wing as a beam that carries its nacelle, whose rotor bears half of the weight, fuselage held."""
    b, EI = p["span"], positive(p["EI"], "EI")
    wing = Flexible(Beam(b, 1e4 * EI, EI, positive(p["wing"], "wing") / b, 10, GJ=EI), root="root", modes=6)
    system = System("wing in hover", gravity=(0, 0, -p["gravity"]))
    system.add("wing", wing, Fixed())
    system.add("nacelle", lump(p), Fixed(), parent="wing", at="tip")
    system.apply("thrust", Force("nacelle", (0, 0, whole_mass(p) * p["gravity"] / 2)))
    return system


def _wing(p: Parameters) -> Check:
    """Rise of the wing's tip in hover."""
    system, g, b = hovering(p), p["gravity"], p["span"]
    state = system.equilibrium()
    rise = float(system.channels(state, "wing.tip.deflection")["wing.tip.deflection"][2])
    tip = whole_mass(p) * g / 2 - (p["nacelle"] + p["rotor"]) * g
    wanted = (tip / 3 - p["wing"] * g / 8) * b**3 / p["EI"]
    return Check("wing in hover: rise of its tip, m", rise, wanted, 0.003 * wanted, "closed form, small deflections")


def _swinging(p: Parameters) -> Check:
    """First frequencies of the wing with its nacelle, without gravity and thrust, both ways."""
    b, EI, m_w, m_n = p["span"], p["EI"], p["wing"], p["nacelle"] + p["rotor"]

    def left(c: float) -> float:
        w2 = EI * c**4 / (m_w * b**3)
        ch, sh, co, si = math.cosh(c), math.sinh(c), math.cos(c), math.sin(c)
        shapes = ((ch - co, sh + si, ch + co, sh - si), (sh - si, ch - co, sh + si, ch + co))  # v and its derivatives
        rows = [
            (EI * v2 * (c / b) ** 2 - w2 * tilted_inertia(p) * v1 * c / b, EI * v3 * (c / b) ** 3 + w2 * m_n * v)
            for v, v1, v2, v3 in shapes
        ]
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]

    ends = [(x, y) for x, y in pairwise(np.linspace(0.1, 5.0, 500)) if left(x) * left(y) < 0][:2]
    wanted = np.repeat([brentq(left, *x, xtol=1e-13) ** 2 * math.sqrt(EI / (m_w * b**3)) for x in ends], 2)
    system = hovering(p)
    system.gravity = (0.0, 0.0, 0.0)
    del system.loads["thrust"]
    swings = system.linearize().eigenvalues().imag
    found = np.sort([x for x in swings if x > 1e-6 and np.abs(x / wanted - 1).min() < 0.1])[:4]
    names = [f"{k}, {way}" for k in ("first", "second") for way in ("up", "ahead")]
    return worst("wing and nacelle swing, rad/s", names, found, wanted, 1e-4 * wanted, "closed form: (4)")


def figure(run: Run, p: Parameters) -> Figure:
    """Tilt and pitch of the free aircraft, and trim along the corridor."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2))
    tilt, nose = np.degrees(run["left.q"]), -np.degrees(pitch(run))
    left.plot(run.t, tilt, color=COLOURS[0], label="tilt of the nacelles")
    left.plot(run.t, nose, color=COLOURS[1], label="pitch of the fuselage, nose up")
    part = 2 * tilted_inertia(p) / (p["Iy"] + 2 * tilted_inertia(p))
    left.plot(run.t[::20], part * (90 - tilt[::20]), "o", color=GREY, mfc="white", ms=5, label="closed form")
    left.set(xlabel="time, s", ylabel="angle, degrees")
    legend(left)
    V = np.array([row[0] for row in CORRIDOR])
    rows = np.array([by_hand(p, v, math.radians(d)) for v, d in CORRIDOR])
    right.plot(V, np.degrees(rows[:, 0]), "o-", color=COLOURS[2], label="pitch, degrees")
    right.plot(V, rows[:, 1] / 1e3, "s-", color=COLOURS[3], label="thrust of a rotor, kN")
    right.plot(V, [row[1] / 10 for row in CORRIDOR], ":", color=COLOURS[0], label="tilt, degrees / 10")
    right.set(xlabel="speed, m/s", ylabel="trim, degrees and kN")
    legend(right)
    title(picture, "Tilt-rotor: conversion without air, and trim in the air")
    return picture


EXAMPLE = Example(
    name="tilt-rotor",
    title="Tilt-rotor: nacelles, gyroscopic moments, trim through the conversion (stand-in)",
    document="Roithmayr, applications of Kane's method",
    source="Pei and Roithmayr, AIAA Aviation 2022, with stand-in data of the class of the XV-15",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
