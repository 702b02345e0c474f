"""A rocket that burns its mass: speed gained, jet damping, spin, and an ascent that turns by gravity; rigid and of rods.

Source: stand-in for A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapter 12; A. K. Banerjee, Dynamics of
a Variable-Mass, Flexible-Body System, J. Guidance 23 (2000), 501; F. O. Eke and S.-M. Wang, Equations of Motion of
Two-Phase Variable Mass Systems with Solid Base, J. Applied Mechanics 61 (1994), for the spin of cylinders.

The rocket is a uniform rod along x, L = 40 m, that burns evenly along its length from 40 t to 20 t in 45 s; the gas
leaves at its aft end, x = 0, with v_e = 2700 m/s: T = 1.2 MN.

- Without gravity the speed gained is v_e ln(m0/m1) = 1871.49739 m/s.
- Jet damping of the pitch rate: I w' = -(I' + |m'| (L/2)^2) w with I = m L^2/12, so that w = w0 (m/m0)^2.
- A cylinder of radius R, inertia m R^2/2 about its axis, whose gas leaves evenly from a disk of radius R_e, spins by
  w = w0 (m/m0)^((R_e/R)^2 - 1): 1.558329 w0 for R_e = 0.6 R at half its mass.
- By n rods with springs between them, each passing on to the next one what it burns and what it was given: the flow
  along the rocket is |m'| (1 - x/L), and each rod has an inlet at its fore end and an outlet at its aft end. The
  nozzle's flow comes in at the gimbal and leaves at its exit. Stiff rods turn as the rigid rocket.
- Ascent: after a short vertical flight the rocket is tilted, and its nozzle keeps it along its velocity: a gravity turn,

    v' = T/m - g sin gamma ,   gamma' = -g cos gamma / v ,   h' = v sin gamma ,   s' = v cos gamma ,                   (1)

  as far as the nozzle needs no angle for that.
- A rocket of parts, `Engine` and a cylindrical `Tank` whose contents slosh, flies straight up until the tank runs empty; the
  engine's gimbal holds it by the angles of hull, nozzle and slosh mode. With m(t) in the tank, w of it in the mode, l
  below its pivot at x_p, and y of the gimbal, th, phi, psi of hull, nozzle and mode from the vertical, T the thrust and a
  what is felt along the axis, a mass on the flow's way adds to that of fixed bodies

    2 (S' + w' x_p) th' - 2 (w l)' psi' + (S'' + w'' x_p) th - (w l)'' psi   across,
    (I' + w' x_p^2) th' - 2 x_p (w l)' psi' - x_p (w l)'' (psi - th)   about the gimbal,   (w l^2)' psi'  in the mode,   (2)

  S and I the moments of what is frozen about the gimbal, where the flow leaves.
- The same as a point in air of the density r = r_0 exp(-h/h_0): the drag r v^2 C_D S/2 is taken off T, and the dynamic
  pressure r v^2/2 has its maximum on the way.

The run is without air. Flow inside the rocket is along its axis. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.signal import place_poles

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, poles_off, title, unchanged, worst
from kaneflex.model.blocks import StateFeedback
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import Force, JointForce, JointSpring
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free, Planar, Prismatic, Revolute, Translational
from kaneflex.model.parts import Engine, Tank
from kaneflex.model.parts.thruster import G0
from kaneflex.model.shapes import Cone
from kaneflex.model.variable_mass import Outlet, VariableMass
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "length": 40.0, "full": 40e3, "empty": 20e3, "burn": 45.0, "exhaust": 2700.0, "gravity": 9.80665, "EI": 2e9,
    "rods": 5, "tilt": 0.06,
}  # fmt: skip
GAINED, SPIN = 1871.49739, 1.558329  # m/s; w/w0 for R_e = 0.6 R at half mass
VERTICAL = 6.0  # s of vertical flight before the turn
NOZZLE, ARM = 500.0, 1.5  # kg; m from the gimbal to its mass centre
SEEN = ["rod0.angle", "rod0.angle.rate", "mass_centre.velocity", "nozzle.q", "nozzle.rate"]
AIR = {"density": 1.225, "scale": 8000.0, "drag": 2.5}  # r_0 (kg/m^3), h_0 (m), C_D S (m^2)
DAMPING = 2e-3  # of the material, s
#: of the rocket of parts, kg, kg m^2, m: hull with its middle and inertia; tank with its place, and what cannot be used;
#: inertia along and across, stiffness and damping of the nozzle
HULL: dict[str, float] = {"mass": 14e3, "middle": 19.0, "inertia": 1.6e6}
TANK: dict[str, float] = {"radius": 1.6, "height": 9.0, "density": 360.0, "shell": 900.0, "acceleration": 40.0}
PLACE, RESIDUAL, BELL, SERVO = 9.0, 300.0, (100.0, 300.0), (2e6, 6e4)
XI = 1.8411837813406593  # zero of the derivative of Bessel's function
HELD = (-0.8 + 0.8j, -0.8 - 0.8j, -0.35, -0.5 + 4.5j, -0.5 - 4.5j, -25.0 + 20.0j, -25.0 - 20.0j)  # 1/s
ACROSS = ("hull.angle", "engine.angle2", "tank_slosh.angle1")
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-11}


def flow(p: Parameters) -> float:
    """Mass burnt, kg/s."""
    full, empty = positive(p["full"], "full"), positive(p["empty"], "empty")
    if empty >= full:
        raise ModelError(f"empty is {empty:g} kg: give less than full, {full:g} kg")
    return float((full - empty) / positive(p["burn"], "burn"))


def stick(full: float, rate: float, l: float, outlets: Any) -> VariableMass:
    """A uniform rod from x = 0 to l that burns evenly: its mass at first (kg), what it burns (kg/s), its outlets."""

    def mass(t: Any) -> Any:
        return full - rate * t

    def inertia(t: Any) -> Any:
        J = (full - rate * t) * l * l / 12
        return J / 100, J, J

    return VariableMass(mass, (l / 2, 0, 0), inertia, outlets=outlets, frames={"fore": (l, 0, 0)})


def whole(p: Parameters) -> VariableMass:
    """The rocket as one body, aft end at its origin."""
    return stick(p["full"], flow(p), positive(p["length"], "length"), [exhaust(p)])


def exhaust(p: Parameters) -> Outlet:
    """The aft end of the rocket without a nozzle."""
    return Outlet((0, 0, 0), velocity=(-p["exhaust"], 0, 0))


def of_rods(p: Parameters, system: System, start: float, aft: Outlet, root: Any, **first: Any) -> None:
    """The rocket by rods from aft to fore: each gets flow from the next one and passes on more; `start` seconds burnt."""
    n, rate = int(p["rods"]), flow(p)
    if n < 1:
        raise ModelError(f"rods is {n}: give 1 or more")
    l, full = positive(p["length"], "length") / n, (p["full"] - rate * start) / n
    for k in range(n):
        outlets = [aft if k == 0 else Outlet((0, 0, 0))]
        if k < n - 1:
            outlets.append(Outlet((l, 0, 0), flow=-rate * (n - k - 1) / n))
        more = first if k == 0 else {"parent": f"rod{k - 1}", "at": "fore"}
        system.add(f"rod{k}", stick(full, rate / n, l, outlets), Revolute("z") if k else root, **more)
        if k:
            system.apply(f"bend{k}", JointSpring(f"rod{k}", positive(p["EI"], "EI") / l, DAMPING * p["EI"] / l))
        system.show(f"rod{k}", drum(1.4, l, "x", position=(l / 2, 0, 0)))


def build(p: Parameters) -> System:
    """The rocket of rods when its turn begins, tilted, along its velocity; the nozzle is held by a controlled gimbal."""
    if not 0 < p["tilt"] < 0.5 or not p["burn"] > 2 * VERTICAL:
        longer = f"give 0 < tilt < 0.5 and a burn beyond {2 * VERTICAL:g}"
        raise ModelError(f"tilt {p['tilt']:g} rad, burn {p['burn']:g} s: {longer}")
    (speed, height), angle = climb(p, VERTICAL), math.pi / 2 - p["tilt"]
    if speed <= 0:
        raise ModelError("the rocket does not lift off: give more exhaust, or less gravity")
    system = System("rocket ascent", gravity=(0, -p["gravity"], 0))
    along, half = np.array([math.cos(angle), math.sin(angle)]), p["length"] / 2
    x, y = np.array([0.0, height]) - half * along
    rates = (*(speed * along), 0.0)
    of_rods(p, system, VERTICAL, Outlet((0, 0, 0)), Planar("z"), q=(x, y, angle), rates=rates)
    rate, v_e = flow(p), p["exhaust"]
    bell = VariableMass(
        NOZZLE, (-ARM, 0, 0), (100.0, 300.0, 300.0),
        outlets=[Outlet((0, 0, 0), flow=-rate), Outlet((-2 * ARM, 0, 0), velocity=(-v_e, 0, 0))],
    )  # fmt: skip
    system.add("nozzle", bell, Revolute("z"), parent="rod0", q=0.0)
    system.apply("gimbal", JointForce("nozzle", steering(p["gravity"]), sees=SEEN))
    cone = Cone(0.9, 3.0, position=(-3.0, 0, 0), rotation=(("y", math.pi / 2),), color="grey")
    system.show("nozzle", cone)
    return system


def steering(g: float) -> Any:
    """Torque of the gimbal, N m, that turns the nozzle so that the rocket stays along its velocity."""

    def torque(t: float, x: Any) -> Any:
        sine, cosine = np.sin(x[0]), np.cos(x[0])
        ahead = np.arctan((x[3] * cosine - x[2] * sine) / (x[2] * cosine + x[3] * sine))  # of the velocity, from the axis
        turn = -g * x[2] / (x[2] * x[2] + x[3] * x[3])  # rate of the flight path angle by (1)
        wanted = -0.6 * ahead + 0.9 * (x[1] - turn)
        return 4e6 * (wanted - x[5]) - 8e4 * x[6]

    return torque


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until the rocket is empty; samples are dense at first, where the nozzle finds its angle, for the audit to sum up what
    leaves through it."""
    until = p["burn"] - VERTICAL
    times = until * np.linspace(0, 1, 401) ** 2
    return system.simulate(until, times=times, formulation=formulation, speeds=speeds, **FINE)


def path(p: Parameters, t: np.ndarray) -> np.ndarray:
    """Speed, flight path angle, height and way by (1) at the times t from the begin of the turn, in columns."""
    v0, h0 = climb(p, VERTICAL)
    rate, g = flow(p), p["gravity"]

    def law(s: float, y: np.ndarray) -> list[float]:
        v, gamma = y[0], y[1]
        m = p["full"] + NOZZLE - rate * (s + VERTICAL)
        pull = rate * p["exhaust"] / m - g * math.sin(gamma)
        return [pull, -g * math.cos(gamma) / v, v * math.sin(gamma), v * math.cos(gamma)]

    start = (v0, math.pi / 2 - p["tilt"], h0, 0.0)
    found = solve_ivp(law, (0, t[-1]), start, "DOP853", t_eval=t, rtol=1e-11, atol=1e-10)
    return np.asarray(found.y.T)


def climb(p: Parameters, t: float) -> tuple[float, float]:
    """Speed and height after a vertical flight of t seconds."""
    full, rate, v_e = p["full"] + NOZZLE, flow(p), p["exhaust"]
    ratio = 1 - rate * t / full
    speed = -v_e * math.log(ratio) - p["gravity"] * t
    return speed, v_e * full / rate * (ratio * math.log(ratio) + 1 - ratio) - p["gravity"] * t**2 / 2


def flown(run: Run) -> np.ndarray:
    """Speed, flight path angle, height and way of the rocket's mass centre, the inner flow left out, in columns."""
    place, v = run["mass_centre.position"], run["momentum.linear"] / run["mass_centre.mass"][:, None]
    angle = np.arctan2(v[:, 1], v[:, 0])
    return np.column_stack([np.hypot(v[:, 0], v[:, 1]), angle, place[:, 1], place[:, 0]])


def checks(run: Run, p: Parameters) -> list[Check]:
    """The laws of burning bodies, rigid and of rods, and the turn of the run."""
    ends = flown(run)[-1] - flown(run)[0]
    wanted = path(p, run.t[[0, -1]])
    gain = wanted[1] - wanted[0]
    source = "(1), integrated by SciPy's DOP853; the nozzle steers"
    names = ("speed, m/s", "flight path angle, rad", "height, m", "way, m")
    turn = [
        Check(f"turn: {name}, gained", float(a), float(b), part * abs(float(b)), source)
        for name, a, b, part in zip(names, ends, gain, (1e-3, 0.03, 1e-3, 0.03), strict=True)
    ]
    return [*turn, balance(run, 1e-12), *_gained(p), *_damping(p), _spin(), *_in_air(p), *_of_parts(p)]


def _gained(p: Parameters) -> list[Check]:
    """Speed without gravity."""
    system = System("rocket")
    system.add("rocket", whole(p), Prismatic("x"))
    run = system.simulate(p["burn"], output=p["burn"], **FINE)
    value, wanted = float(run["rocket.rate"][-1]), p["exhaust"] * math.log(p["full"] / p["empty"])
    found = [Check("speed gained, m/s", value, wanted, 1e-10 * wanted, "closed form: v_e ln(m0/m1)")]
    if unchanged(p, DEFAULTS, "tilt", "rods", "EI", "gravity", "length"):
        found.append(Check("speed gained, printed, m/s", value, GAINED, 6e-6, "closed form, printed"))
    return found


def _damping(p: Parameters) -> list[Check]:
    """Pitch rate at the end of the burn over that at its begin, of one body and of rods, without gravity."""
    w, wanted, source = 0.01, (p["empty"] / p["full"]) ** 2, "closed form: (m/m0)^2"
    system = System("rocket")
    system.add("rocket", whole(p), Free(), rates=(0, 0, 0, 0, w, 0))
    one = system.simulate(p["burn"], output=p["burn"], **FINE)["rocket.omega"][-1, 1] / w
    chain = System("rocket of rods")
    of_rods(p, chain, 0.0, exhaust(p), Planar("z"), rates=(0, 0, w))
    run = chain.simulate(p["burn"], output=p["burn"], method="dop853", rtol=1e-8, atol=1e-9)
    return [
        Check("pitch rate at the end over the first", float(one), wanted, 5e-11, source),
        Check("pitch rate at the end over the first, rods", float(run["rod0.angle.rate"][-1]) / w, wanted, 5e-7, source),
    ]


def _spin() -> Check:
    """A cylinder that spins, at half its mass. A ring of R_e/sqrt 2 has the mean square radius of a disk of R_e = 0.6 R."""

    def mass(t: Any) -> Any:
        return 2.0 - t / 10

    def inertia(t: Any) -> Any:
        return (2.0 - t / 10) / 2, 2.0 - t / 10, 2.0 - t / 10

    r, thirds = 0.6 / math.sqrt(2), (0.0, 2 * math.pi / 3, -2 * math.pi / 3)
    ring = [Outlet((0, r * math.cos(a), r * math.sin(a)), flow=0.1 / 3) for a in thirds]
    system = System("cylinder")
    system.add("cylinder", VariableMass(mass, (0, 0, 0), inertia, outlets=ring), Revolute("x"), rates=1.0)
    run = system.simulate(10.0, output=10.0, **FINE)
    return Check("spin at half mass, R_e = 0.6 R", float(run["cylinder.rate"][-1]), SPIN, 6e-7, "closed form, printed")


def _in_air(p: Parameters) -> list[Check]:
    """The gravity turn of a burning point in air, thrust along the velocity, beside (1) with drag."""
    full, rate, v_e, g = p["full"] + NOZZLE, flow(p), p["exhaust"], p["gravity"]
    (v0, h0), angle, until = climb(p, VERTICAL), math.pi / 2 - p["tilt"], p["burn"] - VERTICAL
    r0, scale, area = AIR["density"], AIR["scale"], AIR["drag"]

    def mass(t: Any) -> Any:
        return full - rate * (t + VERTICAL)

    def push(t: Any, x: Any) -> Any:
        speed = np.sqrt(x[3] * x[3] + x[4] * x[4])
        along = rate * v_e / speed - r0 * np.exp(-x[1] / scale) * speed * area / 2
        return along * x[3], along * x[4], 0.0

    system = System("ascent in air", gravity=(0, -g, 0))
    body = VariableMass(mass, outlets=[Outlet((0, 0, 0), flow=rate)])  # leaves without speed: the thrust is in `push`
    start = (v0 * math.cos(angle), v0 * math.sin(angle), 0.0)
    system.add("rocket", body, Translational(), q=(0, h0, 0), rates=start)
    system.apply("push", Force("rocket", push, axes="inertial", sees=["rocket.position", "rocket.velocity"]))
    times = np.linspace(0, until, 101)
    run = system.simulate(until, times=times, **FINE)

    def law(s: float, y: np.ndarray) -> list[float]:
        v, gamma, h = y[:3]
        drag = r0 * math.exp(-h / scale) * v * v * area / 2
        pull = (rate * v_e - drag) / (full - rate * (s + VERTICAL)) - g * math.sin(gamma)
        return [pull, -g * math.cos(gamma) / v, v * math.sin(gamma), v * math.cos(gamma)]

    wanted = solve_ivp(law, (0, until), (v0, angle, h0, 0.0), "DOP853", t_eval=times, rtol=1e-12, atol=1e-10).y
    place, v = run["rocket.position"], run["rocket.velocity"]
    speed = np.hypot(v[:, 0], v[:, 1])
    found = np.array([speed, np.arctan2(v[:, 1], v[:, 0]), place[:, 1], place[:, 0]])
    pressure = [float((r0 * np.exp(-h / scale) * x * x / 2).max()) for h, x in ((found[2], speed), (wanted[2], wanted[0]))]
    names, source = ("speed", "flight path angle", "height", "way"), "(1) with drag, integrated by SciPy's DOP853"
    ends = wanted[:, -1]
    return [
        worst("in air: at the end of the burn, m, m/s, rad", names, found[:, -1], ends, 1e-8 * np.abs(ends), source),
        Check("in air: largest dynamic pressure, Pa", pressure[0], pressure[1], 1e-8 * pressure[1], source),
    ]


# ---- of parts -----------------------------------------------------------------------------------------------------------


def of_parts(p: Parameters) -> System:
    """The rocket of parts on its way up, x, in the plane; the engine takes from the tank."""
    k, c = SERVO
    system = System("rocket of parts", gravity=(-p["gravity"], 0, 0))
    J = HULL["inertia"]
    system.add("hull", Rigid(HULL["mass"], com=(HULL["middle"], 0, 0), inertia=(J, J, J)), Planar("z"))
    v_e = p["exhaust"]
    engine = Engine(flow(p) * v_e, v_e / G0, NOZZLE, ARM, BELL, k, c, fed=True)
    system.add_part("engine", engine, on="hull")
    load = p["full"] - p["empty"] + RESIDUAL
    more: dict[str, Any] = {"feeds": "engine", "residual": RESIDUAL, "outlet": (0, 0, -PLACE), "slosh": True, **TANK}
    up = Frame((PLACE, 0, 0), (("y", math.pi / 2),))  # z of the tank is x of the hull
    system.add_part("tank", Tank("cylinder", propellant=load, **more), on="hull", at=up)
    return system


class Level:
    """What is in the tank, m, and its derivatives by time while it burns: of potential flow in a cylinder."""

    def __init__(self, p: Parameters, m: float):
        self.p, self.m, self.full = p, m, p["full"] - p["empty"] + RESIDUAL
        d, slow = 1e-3 * m, -flow(p)
        self.value = self.of(m)
        self.first = slow * self.slope(m)
        self.second = slow**2 * (self.slope(m + d) - self.slope(m - d)) / (2 * d)

    def mode(self, m: Any) -> tuple[Any, Any, Any, Any]:
        """Depth; mass, height and length of the mode."""
        r, k = TANK["radius"], XI / TANK["radius"]
        h = m / (TANK["density"] * math.pi * r**2)
        T = np.tanh(k * h)
        return h, m * 2 * T / (k * h * (XI**2 - 1)), h - 2 / k * np.tanh(k * h / 2), 1 / (k * T)

    def of(self, m: Any) -> Any:
        """Mass w, w l, w l^2 of the mode, mass, S and I of what is frozen; l below the pivot, where it is at first."""
        _, _, high, long = self.mode(self.full)
        pivot, (h, w, z, _) = high + long, self.mode(m)
        l, b, r, rest = pivot - z, PLACE, TANK["radius"], m - w
        S, J = m * h / 2 - w * z, m * (r**2 / 4 + h**2 / 3) - w * z**2
        return np.array([w, w * l, w * l**2, rest, S + rest * b, J + 2 * b * S + rest * b**2])

    def slope(self, m: float) -> Any:
        """Its derivative by m."""
        return self.of(m + 1e-20j).imag / 1e-20

    def equations(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """M, C, K of (2) in y, th, phi, psi with the servo at rest, and a."""
        n, (k, c), T = NOZZLE, SERVO, flow(self.p) * self.p["exhaust"]
        w, wl, wll, rest, S, I = self.value
        (w1, wl1, wll1, _, S1, I1), (w2, wl2, _, _, S2, _) = self.first, self.second
        _, _, high, long = self.mode(self.full)
        x_p, shell, middle = PLACE + high + long, TANK["shell"], PLACE + TANK["height"] / 2
        wall = shell * (TANK["radius"] ** 2 / 2 + TANK["height"] ** 2 / 12)
        S += HULL["mass"] * HULL["middle"] + shell * middle
        I += HULL["inertia"] + HULL["mass"] * HULL["middle"] ** 2 + wall + shell * middle**2
        mass = rest + HULL["mass"] + shell
        a = (T - S2 - w2 * x_p + wl2) / (mass + w + n)
        M = np.array([[mass, S, 0, 0], [S, I, 0, 0], [0, 0, BELL[1], 0], [0, 0, 0, 0]], float)
        nozzle, bob = np.array([1.0, 0, -ARM, 0]), np.array([1.0, x_p, 0, 0])
        M += n * np.outer(nozzle, nozzle) + w * np.outer(bob, bob)
        M[3, :], M[:, 3] = -wl * bob, -wl * bob
        M[3, 3] = wll
        C, K = np.zeros((4, 4)), np.zeros((4, 4))
        C[0, 1], C[0, 3] = 2 * (S1 + w1 * x_p), -2 * wl1
        C[1, 1], C[1, 3], C[3, 3] = I1 + w1 * x_p**2, -2 * x_p * wl1, wll1
        K[0, 1:] = S2 + w2 * x_p, -T, -wl2
        K[1, 1], K[1, 3] = -a * S - x_p * (w * a - wl2), -x_p * wl2
        K[2, 2], K[3, 3] = n * ARM * a, wl * a
        between = np.array([0, -1.0, 1.0, 0])
        K, C = K + k * np.outer(between, between), C + c * np.outer(between, between)
        g, l = TANK["acceleration"], wl / w
        lean = np.array([0, -1.0, 0, 1.0])  # the torque that stands for a pivot that stays
        return M, C, K + w * g * l * (l / self.mode(self.m)[3] - 1) * np.outer(lean, lean), a


def _of_parts(p: Parameters) -> list[Check]:
    """Poles of the rocket of parts without and with its loop, and its last way up, from a lean until the tank runs empty."""
    full, g, on = p["full"] - p["empty"] + RESIDUAL, p["gravity"], {"engine": 1.0}
    off, names = [], ["full", "half", "nearly empty"]
    for m in (full, full / 2, 2 * RESIDUAL):
        M, C, K, felt = Level(p, m).equations()
        hovering = of_parts({**p, "gravity": felt})
        A = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
        wanted = np.linalg.eigvals(A)
        poles = hovering.linearize({"tank.propellant": m}, inputs=on).eigenvalues()
        off.append(poles_off(poles, wanted[np.abs(wanted) > 1e-3], relative=True))
    hovering, system = of_parts({**p, "gravity": Level(p, full).equations()[3]}), of_parts(p)
    model = hovering.linearize(inputs=on)
    sees = [*ACROSS, "hull.y.rate", *(f"{name}.rate" for name in ACROSS)]
    at = [model.states.index(name) for name in sees]
    B = model.B[at, model.inputs.index("engine_z")][:, None]
    K = place_poles(model.A[np.ix_(at, at)], B, np.array(HELD)).gain_matrix
    for one in (hovering, system):
        one.add_block("hold", StateFeedback(K, sees=sees, drives="engine_z"))
    loop = poles_off(hovering.linearize(inputs=on).eigenvalues(), HELD)
    lean, first = 1e-3, full / 4  # of what is in the tank: its level falls where that moves the slosh mode
    end = (first - RESIDUAL) / flow(p)
    times, state = np.linspace(0, 1.05 * end, 211), {"hull.q": (0, 0, lean), "tank.propellant": first}
    run = system.simulate(float(times[-1]), initial=state, inputs=on, times=times, **FINE)

    def law(t: float, y: np.ndarray) -> np.ndarray:
        M, C, S, _ = Level(p, first - flow(p) * t).equations()
        q, v = y[:4], y[4:]
        x = np.array([q[1], q[2] - q[1], -(q[3] - q[1]), v[0], v[1], v[2] - v[1], -(v[3] - v[1])])
        push = SERVO[0] * -float(K[0] @ x) * np.array([0, -1.0, 1.0, 0])
        return np.append(v, np.linalg.solve(M, push - C @ v - S @ q))

    burning = run.t < end
    start = [0, lean, lean, lean, 0, 0, 0, 0]
    wanted = solve_ivp(law, (0, end), start, "DOP853", t_eval=run.t[burning], rtol=1e-10, atol=1e-14).y
    turns = np.column_stack([run["hull.angle"], run["tank_slosh.q"][:, 0]])[burning]
    exact = np.column_stack([wanted[1], wanted[1] - wanted[3]])
    gain = quad(lambda t: Level(p, first - flow(p) * t).equations()[3], 0, end, epsrel=1e-10)[0] - g * end
    last = float(run["hull.rate"][-1, 0]) + g * (float(run.t[-1]) - end)
    empty, word = run.events[-1]
    source = "(2), in this file, with Abramson's formulas for the mode"
    return [
        worst("of parts: poles, relative", names, off, [0.0] * 3, 1e-9, source),
        Check("of parts: poles of the loop, 1/s", loop, 0.0, 1e-8, "identity: poles placed are poles found"),
        Check("of parts: turns of hull and slosh, largest difference, rad", float(np.abs(turns - exact).max()), 0.0,
              4e-6 * lean, source + ", integrated by SciPy's DOP853"),
        Check("of parts: speed gained, m/s", last, gain, 1e-6 * gain, "integral of a less gravity, (2); the lean is small"),
        Check("of parts: the tank runs empty, s", empty if word == "tank runs empty" else math.nan, end, 1e-9 * end,
              "closed form: what can be used over the flow"),
        Check("of parts: energy balance, relative", run.audit.energy_drift, 0.0, 1e-12, "identity: E - E(0) = work done"),
    ]  # fmt: skip


def figure(run: Run, p: Parameters) -> Figure:
    """The path beside (1), and what the gimbal and the bending do."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2), width_ratios=(1, 1.2))
    found, wanted = flown(run), path(p, run.t)
    left.plot(found[:, 3] / 1e3, found[:, 2] / 1e3, color=COLOURS[0], label="run")
    left.plot(wanted[::10, 3] / 1e3, wanted[::10, 2] / 1e3, "o", color=GREY, mfc="white", ms=5, label="gravity turn (1)")
    left.set(xlabel="way, km", ylabel="height, km")
    legend(left)
    right.plot(run.t, 1e3 * run["nozzle.q"], color=COLOURS[1], label="nozzle against the rocket")
    bend = run[f"rod{int(p['rods']) - 1}.rotation"]
    low = run["rod0.rotation"]
    angle = np.arctan2(bend[:, 1, 0], bend[:, 0, 0]) - np.arctan2(low[:, 1, 0], low[:, 0, 0])
    right.plot(run.t, 1e3 * angle, color=COLOURS[2], label="nose against the aft end")
    right.set(xlabel="time, s", ylabel="angle, mrad")
    legend(right)
    title(picture, "Ascent of a flexible rocket that burns its mass")
    return picture


EXAMPLE = Example(
    name="rocket-ascent",
    title="Flexible rocket of variable mass: jet damping and a gravity turn (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 12",
    source="Banerjee 2000; Banerjee 2016, chapter 12; Eke and Wang 1994; with stand-in data",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
