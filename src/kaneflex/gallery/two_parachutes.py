"""A capsule under two parachutes: scissors, pendulum and maypole motions, and the limit cycle of an unstable canopy.

Source: stand-in for J. Pei, C. M. Roithmayr, R. L. Barton and D. A. Matz, Modal Analysis of a Two-Parachute System (AIAA
Aviation, 2019), whose coefficients are not public; E. S. Ray and R. A. Machin, Pendulum Motion in Main Parachute Clusters
(AIAA, 2015), for what is seen in flight.

A payload m hangs on two rigid lines of length L. Each canopy is the air that it carries along, inertia without weight:
m_a against acceleration along the line's axis a, m_n across it. With its velocity v at the angle alpha from the axis,
and Q = density |v|^2 S/2, it feels

    Q C_A along a ,   Q C_N(alpha) across, against v ,   C_N = C_Na (alpha - alpha_0) + C_3 (alpha - alpha_0)^3 .        (1)

- Steady descent, m_a = m_n: lines at alpha_0 from the vertical, density V^2 S C_A cos alpha_0 = m g.
- In the plane of both lines motions with equal and opposite angles (scissors, heave) and with equal ones (pendulum,
  lateral) do not mix. With the payload kept at the speed V, a line alone has s^2 + (k cos alpha_0/V) s + k/L = 0, k = Q
  C_Na/m_n.
- In space the turn about the vertical, the maypole, is not damped to first order: the canopies move across, at the same
  angle alpha. Centrifugal force spreads them, and then w' = -w^3 L cos alpha_0/V, so that 1/w^2 grows by 2 L cos
  alpha_0/V a second.
- Where C_N falls through alpha = alpha_0 = 0, C_Na = -c < 0, and m_a > m_n, so that Munk's moment holds the canopy up,
  a line under a payload of constant speed swings without end. By the describing function, C_Na + 3 C_3 A^2/4 = 0 for
  the angle alpha,

    A = sqrt(4 c/(3 C_3)) ,   w = (V/L) sqrt(m_a/m_n - 1) .                                                              (2)

  With m_a = m_n there is no such cycle: normal force is then all stiffness and all damping there is, and the canopy
  glides.

- Jets of the payload, which push it along x, turn the pendulum into a motion with the poles that are placed; scissors and
  heave do not feel them.

In space the pair is made of parts, `Parachute`; in the plane of lines on hinges. The reference motions are of equations in
this file, by Lagrange's method, integrated and differentiated by NumPy and
SciPy. Units: SI; angles rad, trim in degrees.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve
from scipy.signal import place_poles

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, poles_off, rod, title, unchanged, worst
from kaneflex.model.blocks import Block
from kaneflex.model.bodies import PointMass, Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.forces import AddedMass, Force
from kaneflex.model.joints import Prismatic, Revolute, Translational
from kaneflex.model.media import Air
from kaneflex.model.parts import Parachute, Thruster
from kaneflex.model.profiles import constant_rate
from kaneflex.model.shapes import Cone, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "payload": 9000.0, "air": 6000.0, "across": 1.0, "line": 50.0, "area": 962.1, "density": 1.1, "axial": 0.85,
    "slope": 0.5, "cubic": 0.0, "trim": 15.0, "gravity": 9.80665,
}  # fmt: skip
LINES = {"left": -1.0, "right": 1.0}
DURATION = 40.0
START = {"left": -0.08, "right": 0.16}  # rad beside the trim: scissors and pendulum
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-11}
OWN = "equations of this file, by Lagrange's method"
#: Eigenvalues of the defaults in the plane, 1/s, by an independent program; descent, m/s
PRINTED = {"scissors": -0.24177 + 0.21086j, "pendulum": -0.11172 + 0.48306j, "heave": -0.75487, "lateral": -0.32551}
DESCENT = 10.078451
#: the same for g = 9.81 m/s^2, and a line alone by its quadratic with cos alpha_0 = 1
OTHER = {"scissors": -0.24181 + 0.21090j, "pendulum": -0.11174 + 0.48314j, "heave": -0.7550, "lateral": -0.32556}
OTHER_DESCENT, ISOLATED, PERIOD = 10.0802, -0.222 + 0.200j, 13.005
JETS, HELD = 6e4, (-0.4 + 0.5j, -0.4 - 0.5j, -0.5)  # N of each jet; poles of the pendulum that they hold, 1/s


def normal_force(p: Parameters) -> Callable[[Any], Any]:
    """C_N by the angle alpha less its trim, rad."""
    slope, cubic = p["slope"], p["cubic"]
    return lambda d: slope * d + cubic * d * d * d


def in_plane(p: Parameters, trim: float) -> Callable[..., Any]:
    """The force on a canopy, line's axes, of a function that sees its velocity and rotation; alpha with its sign."""
    half, axial, slope, cubic = p["density"] * p["area"] / 2, p["axial"], p["slope"], p["cubic"]

    def force(t: float, x: Any) -> Any:
        along = x[0] * x[5] + x[1] * x[8] + x[2] * x[11]
        across = x[0] * x[3] + x[1] * x[6] + x[2] * x[9]
        d, Q = np.arctan(-across / along) - trim, half * (along * along + across * across)
        return -Q * (slope * d + cubic * d * d * d), 0.0, Q * axial

    return force


def cluster(p: Parameters, speed: float | None = None, lines: dict[str, float] = LINES) -> System:
    """Payload and canopies in the plane xz, the payload free or kept at a speed, m/s down."""
    L, trim = positive(p["line"], "line"), math.radians(p["trim"])
    system, down = System("two parachutes", gravity=(0, 0, -p["gravity"])), -(speed or sinking(p))
    payload = PointMass(positive(p["payload"], "payload"))
    if speed is None:
        system.add("rail", PointMass(0.0), Prismatic("x"), q=0.0, rates=0.0)
        system.add("payload", payload, Prismatic("z"), parent="rail", q=0.0, rates=down)
    else:
        system.add("payload", payload, Prismatic("z", motion=constant_rate(down)))
    air = positive(p["air"], "air") * np.diag([positive(p["across"], "across")] * 2 + [1.0])
    for name, side in lines.items():
        line = Rigid(0.0, frames={"canopy": (0, 0, L)})
        system.add(name, line, Revolute("y"), parent="payload", q=side * trim)
        system.apply(f"{name}_air", AddedMass(name, air, Air(p["density"]), at=(0, 0, L)))
        seen = [f"{name}.canopy.velocity", f"{name}.canopy.rotation"]
        system.apply(f"{name}_drag", Force(f"{name}.canopy", in_plane(p, side * trim), sees=seen))
        radius = math.sqrt(p["area"] / math.pi)
        canopy = Cone(radius, 0.5 * radius, position=(0, 0, L))
        ropes = [rod((0, 0, 0), (radius * x, radius * y, L), 0.05) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        system.show(name, canopy, *ropes)
    system.show("payload", Sphere(2.5, color="grey"))
    return system


def in_space(p: Parameters) -> System:
    """The pair in space from parts, C_3 = 0: alpha is positive, the normal force against the velocity across the axis."""
    trim, slope = math.radians(p["trim"]), p["slope"]
    system = System("two parachutes in space", gravity=(0, 0, -p["gravity"]))
    system.add("payload", PointMass(p["payload"]), Translational(), q=(0, 0, 0), rates=(0, 0, -sinking(p)))
    normal, air = ((0.0, -slope * trim), (1.0, slope * (1.0 - trim))), (p["air"], p["across"] * p["air"])
    for name, side in LINES.items():
        part = Parachute(
            p["line"], p["area"], p["axial"], normal, apparent=air, density=p["density"], angles=(0.0, side * trim)
        )
        system.add_part(name, part, on="payload")
    return system


def build(p: Parameters) -> System:
    """The pair in the plane, with angles beside the trim."""
    if not 0 < p["trim"] < 60 or p["slope"] <= 0:
        raise ModelError(f"trim {p['trim']:g} degrees, slope {p['slope']:g}: give 0 < trim < 60 and a positive slope")
    for name in ("density", "area", "axial"):
        positive(p[name], name)
    return cluster(p)


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Forty seconds from the steady descent, the lines turned a little."""
    angle, speed = steady(p)
    start = {f"{name}.q": side * angle + START[name] for name, side in LINES.items()}
    return system.simulate(
        DURATION, output=0.1, initial={**start, "payload.rate": -speed}, formulation=formulation, speeds=speeds, **FINE
    )


def sinking(p: Parameters) -> float:
    """Speed of the steady descent for m_a = m_n, m/s."""
    cosine = math.cos(math.radians(p["trim"]))
    return math.sqrt(p["payload"] * p["gravity"] / (p["density"] * p["area"] * p["axial"] * cosine))


# ---- the equations by hand ----------------------------------------------------------------------------------------------


def slope_of(y: np.ndarray, p: Parameters, push: float = 0.0) -> np.ndarray:
    """Rate of (angles of the lines, velocity of the payload along x and z, rates of the lines) in the plane; `push` on the
    payload along x.

    With v_a, v_n the velocity of a canopy along and across its line, T = (m_a v_a^2 + m_n v_n^2)/2 each.
    """
    L, m_a, v, coefficient = p["line"], p["air"], y[2:4], normal_force(p)
    m_n = m_a * p["across"]
    M, h = np.zeros((4, 4), y.dtype), np.zeros(4, y.dtype)
    M[0, 0] = M[1, 1] = p["payload"]
    h[:2] = push, -p["payload"] * p["gravity"]
    for i, side in enumerate(LINES.values()):
        s, c, w = np.sin(y[i]), np.cos(y[i]), y[4 + i]
        a, n = np.array([s, c]), np.array([c, -s])
        along, slip = v @ a, v @ n
        across = slip + L * w
        Q = p["density"] * p["area"] * (along**2 + across**2) / 2
        N = -Q * coefficient(np.arctan(-across / along) - side * math.radians(p["trim"]))
        M[:2, :2] += m_a * np.outer(a, a) + m_n * np.outer(n, n)
        M[:2, 2 + i] = M[2 + i, :2] = m_n * L * n
        M[2 + i, 2 + i] = m_n * L**2
        h[:2] += (Q * p["axial"] - (m_a * slip - m_n * across) * w) * a + (N - (m_a - m_n) * along * w) * n
        h[2 + i] = L * N + m_n * L * along * w + m_a * along * slip - m_n * across * along
    return np.concatenate([y[4:6], np.linalg.solve(M, h)])


def steady(p: Parameters) -> tuple[float, float]:
    """Angle of the lines and speed of the steady descent by the equations above."""
    left = lambda x: slope_of(np.array([-x[0], x[0], 0, -x[1], 0, 0]), p)[[3, 5]]
    found = fsolve(left, (math.radians(p["trim"]), sinking(p)), xtol=1e-13)
    return float(found[0]), float(found[1])


def eigenvalues(p: Parameters) -> np.ndarray:
    """Those of small motions about the steady descent, by complex steps, in the order of PRINTED."""
    angle, speed = steady(p)
    y = np.array([-angle, angle, 0, -speed, 0, 0], complex)
    columns = [slope_of(y + 1e-30j * e, p).imag / 1e-30 for e in np.eye(6)]
    values = np.linalg.eigvals(np.column_stack(columns))
    swing = sorted(values[values.imag > 1e-9], key=lambda s: s.imag)
    plain = np.sort(values[np.abs(values.imag) < 1e-9].real)
    if len(swing) != 2 or len(plain) != 2:
        raise ModelError("trim, slope: give a cluster with two motions that swing")
    return np.array([*swing, *plain])


# ---- checks -------------------------------------------------------------------------------------------------------------


def checks(run: Run, p: Parameters) -> list[Check]:
    """The run, the linear models in the plane and in space, the maypole and the limit cycle."""
    angle, speed = steady(p)
    y0 = [-angle + START["left"], angle + START["right"], 0, -speed, 0, 0]
    law = lambda t, y: slope_of(y, p)
    exact = solve_ivp(law, (0, run.t[-1]), y0, "DOP853", t_eval=run.t[::50], rtol=1e-11, atol=1e-12).y[:2].T
    found = np.column_stack([run[f"{name}.q"] for name in LINES])[::50]
    return [
        Check("angles of the run, largest difference, rad", float(np.abs(found - exact).max()), 0.0, 2e-10, OWN),
        balance(run, 2e-12),
        *_plane(p),
        *_apparent(p),
        _alone(p),
        *_maypole(p),
        *_cycle(p),
        *_by_jets(p),
    ]


def _plane(p: Parameters) -> list[Check]:
    """Descent, eigenvalues and shapes in the plane."""
    system = cluster(p)
    state, names = system.steady_motion({"payload.rate": None}), list(PRINTED)
    modes = [m for m in system.modes(state) if abs(m.eigenvalue) > 1e-4]
    values, exact = [], eigenvalues(p)
    for wanted in exact:
        values.append(min((m.eigenvalue for m in modes), key=lambda s: abs(s - wanted)))
    parts = lambda row: np.column_stack([np.real(row), np.abs(np.imag(row))])
    labels = [f"{name}, {part}" for name in names for part in ("real", "imaginary")]
    here, wanted = parts(values), parts(exact)
    found = [
        Check("steady descent, m/s", -float(state["payload.rate"]), steady(p)[1], 1e-11, OWN),
        worst("eigenvalues in the plane, 1/s", labels, here, wanted, 1e-12, OWN),
        Check("symmetric and antisymmetric shapes mixed", mixed(modes), 0.0, 1e-12, "closed form: symmetry"),
    ]
    if unchanged(p, DEFAULTS):
        source = "independent program, printed"
        found.append(Check("steady descent, printed, m/s", -float(state["payload.rate"]), DESCENT, 6e-7, source))
        found.append(worst("eigenvalues, printed, 1/s", labels, here, parts(list(PRINTED.values())), 6e-6, source))
        system = cluster({**p, "gravity": 9.81})
        state = system.steady_motion({"payload.rate": None})
        roots = system.linearize(state).eigenvalues()
        near = [complex(roots[np.abs(roots - wanted).argmin()]) for wanted in OTHER.values()]
        limits = [6e-5 if name == "heave" else 6e-6 for name in OTHER for _ in (0, 1)]
        found.append(Check("descent for g = 9.81, printed, m/s", -float(state["payload.rate"]), OTHER_DESCENT, 6e-5, source))
        rows, k = parts(list(OTHER.values())), p["density"] * p["area"] * OTHER_DESCENT**2 * p["slope"] / (2 * p["air"])
        alone = np.roots([1, k / OTHER_DESCENT, k / p["line"]])[0]
        off = abs(complex(alone.real, abs(alone.imag)) - ISOLATED)
        found.append(Check("isolated scissors, from the printed, 1/s", off, 0.0, 1e-3, source, "documentation"))
        found.append(worst("eigenvalues for g = 9.81, printed, 1/s", labels, parts(near), rows, limits, source))
        swing = 2 * math.pi / abs(near[list(OTHER).index("pendulum")].imag)
        found.append(Check("period of the pendulum for g = 9.81, printed, s", swing, PERIOD, 6e-4, source))
    return found


def mixed(modes: Any) -> float:
    """Least part of a mode, of its lines' angles, that the other symmetry has; the largest of all modes."""
    found = 0.0
    for mode in modes:
        shape = dict(zip(mode.states, mode.shape, strict=True))
        left, right = (shape[f"{name}.angle"] for name in LINES)
        found = max(found, min(abs(left + right), abs(left - right)) / max(abs(left), abs(right)))
    return float(found)


def _apparent(p: Parameters) -> list[Check]:
    """Descent and eigenvalues with half the inertia of air across the line: Munk's moment turns the canopies."""
    other = {**p, "across": 0.5 * p["across"]}
    system = cluster(other)
    state, exact = system.steady_motion({"payload.rate": None}), eigenvalues(other)
    values = system.linearize(state).eigenvalues()
    far = poles_off(values, exact)
    return [
        Check("half the air across: descent, m/s", -float(state["payload.rate"]), steady(other)[1], 1e-11, OWN),
        Check("half the air across: eigenvalues, largest difference, 1/s", far, 0.0, 1e-12, OWN),
    ]


def _alone(p: Parameters) -> Check:
    """A line whose payload is kept at the speed of descent."""
    V, trim = sinking(p), math.radians(p["trim"])
    system = cluster({**p, "across": 1.0}, speed=V, lines={"right": 1.0})
    values = system.linearize(system.state()).eigenvalues()
    k = p["density"] * p["area"] * V**2 * p["slope"] / (2 * p["air"])
    wanted = np.roots([1, k * math.cos(trim) / V, k / p["line"]])
    far = poles_off(values, wanted)
    return Check("a line alone: eigenvalues, largest difference, 1/s", far, 0.0, 1e-12, "closed form: its quadratic")


def _maypole(p: Parameters) -> list[Check]:
    """The linear model in space has the plane's eigenvalues, and turns freely; a slow turn decays as w^-2."""
    p = {**p, "across": 1.0, "cubic": 0.0}
    system, V, trim = in_space(p), sinking(p), math.radians(p["trim"])
    state = system.steady_motion({"payload.z.rate": None})
    values = system.linearize(state).eigenvalues()
    far = poles_off(values, eigenvalues(p))
    free = int(np.sum(np.abs(values) < 1e-5))
    w = 0.06 * V / p["line"]
    rates = {f"{name}.rate": (-w * math.tan(side * trim), 0.0) for name, side in LINES.items()}  # canopies move along y
    run = system.simulate(160.0, initial=rates, times=np.array([0.0, 60.0, 160.0]), method="dop853", rtol=1e-10, atol=1e-12)
    r, v = (run[f"right.canopy.{word}"] - run[f"payload.{word}"] for word in ("position", "velocity"))
    turn = (r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0]) / (r[:, 0] ** 2 + r[:, 1] ** 2)
    gain = float((turn[2] ** -2 - turn[1] ** -2) / (run.t[2] - run.t[1]))
    wanted = 2 * p["line"] * math.cos(trim) / V
    source, neutral = "closed form: 2 L cos alpha_0/V, slow turns", "x, y, z, drift along y, angle and rate of the maypole"
    return [
        Check("in space: the plane's eigenvalues, largest difference, 1/s", far, 0.0, 1e-12, OWN),
        Check("in space: freedoms of place and turn, eigenvalues 0", float(free), 6.0, 0.5, neutral),
        Check("maypole: growth of 1/w^2, s", gain, wanted, 0.005 * wanted, source),
    ]


def _cycle(p: Parameters) -> list[Check]:
    """The limit cycle (2) of both lines, scissors, under a payload of constant speed, c = 0.01, A = 0.1, m_n = m_a/2."""
    c, A, V = 0.01, 0.1, sinking({**p, "trim": 0.0})
    other = {**p, "trim": 0.0, "slope": -c, "cubic": 4 * c / (3 * A**2), "across": 0.5}
    w = V / p["line"]
    system = cluster(other, speed=V)
    # at the greatest angle alpha = th + L th'/V: th = A cos(wt - 45 degrees)/sqrt 2
    start = {"payload.q": 0.0} | {f"{name}.q": side * A / 2 for name, side in LINES.items()}
    start |= {f"{name}.rate": side * A * w / 2 for name, side in LINES.items()}
    run = system.simulate(16 * math.pi / w, initial=start, output=math.pi / (50 * w), **FINE)
    sizes, rates = [], []
    for name in LINES:
        v, R = run[f"{name}.canopy.velocity"], run[f"{name}.canopy.rotation"]
        alpha = np.arctan2(np.einsum("ni,ni->n", v, R[:, :, 0]), -np.einsum("ni,ni->n", v, R[:, :, 2]))[300:]
        sizes.append(float(np.abs(alpha).max()))
        rates.append(float(math.pi / np.diff(run.t[300:-1][np.diff(np.sign(alpha)) != 0]).mean()))
    source = "closed form: describing function (2), to the order of A^2"
    return [
        worst("limit cycle: amplitude of alpha, rad", list(LINES), sizes, [A] * 2, 0.01 * A, source),
        worst("limit cycle: frequency, rad/s", list(LINES), rates, [w] * 2, 0.005 * w, source),
    ]


def _by_jets(p: Parameters) -> list[Check]:
    """The pendulum held by two jets, each at half of its thrust when nothing is to be done: poles, and a run."""
    system = cluster(p)
    for name, side in (("ahead", 1.0), ("astern", -1.0)):
        system.add_part(name, Thruster(JETS, direction=(side, 0, 0)), on="payload")
    half = {"ahead": 0.5, "astern": 0.5}
    state = system.steady_motion({"payload.rate": None}, inputs=half)
    model = system.linearize(state, inputs=half)
    sees = ["left.q", "right.q", "left.rate", "right.rate", "rail.rate"]
    names = ("left.angle", "right.angle", "left.angle.rate", "right.angle.rate", "rail.slide.rate")
    at = [model.states.index(name) for name in names]
    mean = np.array([[0.5, 0.5, 0, 0, 0], [0, 0, 0.5, 0.5, 0], [0, 0, 0, 0, 1.0]])  # the motions that are antisymmetric
    A, B = model.A[np.ix_(at, at)], model.B[at, model.inputs.index("ahead")] / JETS
    K = place_poles(mean @ A @ np.linalg.pinv(mean), (mean @ B)[:, None], np.array(HELD)).gain_matrix[0] @ mean

    def law(t: Any, x: Any, z: Any) -> Any:
        push = -(K[0] * x[0] + K[1] * x[1] + K[2] * x[2] + K[3] * x[3] + K[4] * x[4])
        return (0.5 + push / (2 * JETS), 0.5 - push / (2 * JETS)), ()

    system.add_block("hold", Block(law, gives=[*half], sees=sees, drives=[*half]))
    own, poles = eigenvalues(p), system.linearize(state).eigenvalues()
    others = [own[0], own[0].conj(), own[2]]
    angle, speed = steady(p)
    start = {"left.q": -angle + 0.1, "right.q": angle + 0.1, "payload.rate": -speed}
    run = system.simulate(20.0, initial=start, output=1.0, **FINE)

    def by_hand(t: float, y: np.ndarray) -> np.ndarray:
        push = -float(K @ (y[0], y[1], y[4], y[5], y[2]))
        return slope_of(y, p, min(max(push, -JETS), JETS))

    first = [start["left.q"], start["right.q"], 0, -speed, 0, 0]
    exact = solve_ivp(by_hand, (0, 20.0), first, "DOP853", t_eval=run.t, rtol=1e-11, atol=1e-12).y[:2].T
    found = np.column_stack([run[f"{name}.q"] for name in LINES])
    return [
        Check("by jets: poles of the pendulum, 1/s", poles_off(poles, HELD), 0.0, 1e-8, "identity: poles placed are found"),
        Check("by jets: poles of scissors and heave, 1/s", poles_off(poles, others), 0.0, 1e-8, OWN),
        Check("by jets: angles, largest difference, rad", float(np.abs(found - exact).max()), 0.0, 2e-9, OWN),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Both angles beside the equations by hand, and the eigenvalues as the slope of C_N changes."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2), width_ratios=(1.4, 1))
    for k, name in enumerate(LINES):
        left.plot(run.t, np.degrees(run[f"{name}.q"]), color=COLOURS[k], label=f"{name} line")
    both = np.column_stack([run[f"{name}.q"] for name in LINES])
    left.plot(run.t, np.degrees(both.mean(axis=1)), ls=":", color=COLOURS[2], label="pendulum: their mean")
    left.set(xlabel="time, s", ylabel="angle from the vertical, degrees")
    legend(left, loc=(0.6, 0.62))
    slopes = np.linspace(0.1, 0.7, 13)
    rows = np.array([eigenvalues({**p, "slope": s})[:2] for s in slopes])
    for k, name in enumerate(("scissors", "pendulum")):
        right.plot(rows[:, k].real, rows[:, k].imag, ".-", color=COLOURS[3 + k], label=f"{name}, C_Na 0.1 to 0.7")
    here = eigenvalues(p)[:2]
    right.plot(here.real, here.imag, "o", color=GREY, mfc="white", ms=7, label="this cluster")
    right.set(xlabel="real part, 1/s", ylabel="imaginary part, rad/s")
    right.margins(0.1)
    legend(right, loc="center left")
    title(picture, "Capsule under two parachutes: scissors and pendulum")
    return picture


EXAMPLE = Example(
    name="two-parachutes",
    title="Capsule under two parachutes: scissors, pendulum, maypole (stand-in)",
    document="Roithmayr, applications of Kane's method",
    source="Pei, Roithmayr, Barton and Matz, AIAA 2019, with stand-in data",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
