"""Refuelling in orbit: two docked spacecraft that turn while fuel runs from one to the other, by parcels and by flow.

Source: stand-in for J. Pei and C. M. Roithmayr, On-Orbit Refueling (AAS 22-096), whose data are not public; attitude
dynamics of coupled spacecraft undergoing fuel transfer, Multibody System Dynamics 46 (2019), 355.

Spacecraft A (2000 kg, own inertia 1500 kg m^2) and B (1000 kg, 800 kg m^2) are docked, their tanks d = 3 m apart, and
turn freely in the plane. Fuel, 300 kg, runs from A to B through a pipe that bows by e to the side, y = 4 e s (1 - s)
for x = d s. With m the fuel that has gone over, I(m) the inertia about the common mass centre and A = 2 e d/3 the area
between pipe and line of the tanks, which holds the mass centre,

    I w + h = H ,   h = -2 A m' ,   turn = int (H - h)/I dt ;                                                            (1)

the sign is that of a flow that goes round clockwise for e > 0. For a straight pipe h = 0. After the transfer w is
I(0)/I(300) = 0.91287512 of what it was, whatever the pipe.

(a) n parcels go one after the other, on given paths: bodies on prescribed joints. The turn approaches (1) as 1/n.
(b) Tanks and pipe are bodies of variable mass, the part `Transfer`: the tank of A has an outlet, that of B an inlet, and
    the pipe both, with the angular momentum of its flow. Without the pipe the fuel would jump, and the Coriolis force on
    it be lost.

Wrong models, whose errors are shown: no change of inertia, w = w0; a mass centre that stays where it was, by which the
inertia after the transfer is too large.

A wheel, whose momentum about z is H_w, may hold the attitude by the motor torque kp a + kd w while the fuel runs: with J
its inertia, which I counts in, I w + h - J w = H - H_w, so that

    ((I - J) w + h)' = -kp a - kd w ,                                                                                    (2)

with the poles of (I - J) s^2 + kd s + kp before and after the transfer, which is m = 300 (s - sin(2 pi s)/(2 pi)), s = t/T:
it begins and ends without flow. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, poles_off, rod, title, unchanged, worst
from kaneflex.model.blocks import StateFeedback
from kaneflex.model.bodies import PointMass, Rigid
from kaneflex.model.checks import positive, whole
from kaneflex.model.forces import OrbitGravity
from kaneflex.model.joints import Planar, Prismatic, Revolute
from kaneflex.model.orbits.kepler import KeplerOrbit
from kaneflex.model.parts import ReactionWheel, Transfer
from kaneflex.model.profiles import Motion, constant_rate
from kaneflex.model.shapes import Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "first": 2000.0, "second": 1000.0, "I1": 1500.0, "I2": 800.0, "apart": 3.0, "fuel": 300.0, "bow": 0.6, "spin": 0.01,
    "time": 100.0, "parcels": 20,
}  # fmt: skip
RATIO, INERTIAS = 0.91287512, (8572.727, 9390.909)  # kg m^2, before and after
RATE, BOOM = 0.0011, (0.3, 3.5, 300.0)  # of the orbit, 1/s; place (m) and mass (kg) of what makes the craft lopsided
MU = 3.986004418e14  # m^3/s^2
PIECES = 1000  # straight ones of the pipe
WHEEL, HELD = 2.0, (0.3, 0.7)  # kg m^2 of the wheel; frequency (rad/s) and damping ratio of its loop before the transfer
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}


def inertia(p: Parameters, gone: Any) -> Any:
    """Inertia about the common mass centre with so much fuel over, kg m^2."""
    a, b = p["first"] + p["fuel"] - gone, p["second"] + gone
    return p["I1"] + p["I2"] + a * b / (a + b) * p["apart"] ** 2


def over(p: Parameters, t: Any) -> Any:
    """Fuel that has gone over at t, kg."""
    s = t / p["time"]
    return p["fuel"] * (s - np.sin(2 * np.pi * s) / (2 * np.pi))


def flow(p: Parameters, t: Any) -> Any:
    """Its rate, kg/s."""
    return p["fuel"] / p["time"] * (1 - np.cos(2 * np.pi * t / p["time"]))


def inner(p: Parameters, t: Any) -> Any:
    """h of (1), kg m^2/s: that of the pipe's flow about a point on the line of the tanks."""
    return -4 / 3 * p["bow"] * p["apart"] * flow(p, t)


def rate(p: Parameters, t: Any) -> Any:
    """w by (1), rad/s."""
    return (inertia(p, 0.0) * p["spin"] - inner(p, t)) / inertia(p, over(p, t))


def turned(p: Parameters) -> float:
    """The turn during the transfer by (1), rad."""
    return float(quad(lambda t: rate(p, t), 0, p["time"], epsabs=1e-14, epsrel=1e-13)[0])


def spacecraft(p: Parameters) -> System:
    """A and B in one body, the tank of A at its origin, on a joint in the plane; it turns about the mass centre of all."""
    m1, m2, d = positive(p["first"], "first"), positive(p["second"], "second"), positive(p["apart"], "apart")
    fuel, spin = positive(p["fuel"], "fuel"), p["spin"]
    positive(p["time"], "time")
    system = System("refuelling")
    place = m2 * d / (m1 + m2)
    J = positive(p["I1"], "I1") + positive(p["I2"], "I2") + m1 * m2 / (m1 + m2) * d**2
    body = Rigid(m1 + m2, com=(place, 0, 0), inertia=(J, J, J), frames={"A": (0, 0, 0), "B": (d, 0, 0)})
    system.add("craft", body, Planar("z"), q=(0, 0, 0), rates=(0, -spin * m2 * d / (m1 + m2 + fuel), spin))
    system.show("craft", drum(0.9, 2.0, "y", opacity=0.4), drum(0.7, 1.6, "y", position=(d, 0, 0), opacity=0.4))
    for s in np.linspace(0, 0.95, 20):
        begin, end = ((d * x, 4 * p["bow"] * x * (1 - x), 0) for x in (s, s + 0.05))
        system.show("craft", rod(begin, end, 0.03))
    return system


def build(p: Parameters) -> System:
    """The transfer by variable mass, (b)."""
    whole(p["parcels"], "parcels", least=1)
    system = spacecraft(p)
    pipe = [(p["apart"] * x, 4 * p["bow"] * x * (1 - x), 0.0) for x in np.linspace(0, 1, PIECES + 1)[1:].tolist()]
    system.add_part("transfer", Transfer(p["fuel"], p["time"], pipe), on="craft", at="A")
    return system


def parcels(p: Parameters, n: int) -> System:
    """The transfer by n parcels, (a): each goes while the fuel that has gone over passes its share."""
    system, d, bow = spacecraft(p), p["apart"], p["bow"]
    shares = np.array([_when(p, k / n) for k in range(n + 1)])
    for k in range(n):
        begin, end = shares[k : k + 2]
        x, y = _way(begin, end, d, bow)
        system.add(f"slide{k}", PointMass(0.0), Prismatic("x", motion=x), parent="craft", at="A")
        system.add(f"parcel{k}", PointMass(p["fuel"] / n), Prismatic("y", motion=y), parent=f"slide{k}")
        system.show(f"parcel{k}", Sphere(0.1))
    return system


def _when(p: Parameters, part: float) -> float:
    """Time at which that part of the fuel has gone over."""
    return float(brentq(lambda t: over(p, t) - part * p["fuel"], 0.0, p["time"], xtol=1e-12 * p["time"]))


def _way(begin: float, end: float, d: float, bow: float) -> tuple[Motion, Motion]:
    """Motions along x and y of a parcel that goes its way between two times, from rest to rest."""
    span = end - begin

    def s(t: Any) -> Any:
        r = np.minimum(np.maximum((t - begin) / span, 0.0), 1.0)
        return r * r * r * (10 - 15 * r + 6 * r * r)

    def s1(t: Any) -> Any:
        r = np.minimum(np.maximum((t - begin) / span, 0.0), 1.0)
        return 30 * r * r * (1 - r) * (1 - r) / span

    def s2(t: Any) -> Any:
        r = np.minimum(np.maximum((t - begin) / span, 0.0), 1.0)
        return 60 * r * (1 - r) * (1 - 2 * r) / (span * span)

    breaks = (begin, end)
    x = Motion(lambda t: d * s(t), lambda t: d * s1(t), lambda t: d * s2(t), breaks=breaks)
    y = Motion(
        lambda t: 4 * bow * s(t) * (1 - s(t)),
        lambda t: 4 * bow * s1(t) * (1 - 2 * s(t)),
        lambda t: 4 * bow * (s2(t) * (1 - 2 * s(t)) - 2 * s1(t) * s1(t)),
        breaks=breaks,
    )
    return x, y


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """The transfer from begin to end."""
    return system.simulate(p["time"], output=p["time"] / 100, formulation=formulation, speeds=speeds, **FINE)


def checks(run: Run, p: Parameters) -> list[Check]:
    """The turn by variable mass and by parcels, and how far wrong models are off."""
    w, spin = run["craft.angle.rate"], p["spin"]
    source = "closed form (1)"
    off = float(np.abs(w - rate(p, run.t)).max())
    moves = run["mass_centre.position"]
    drift = float(np.abs(moves - moves[0]).max())
    ratio = inertia(p, 0.0) / inertia(p, p["fuel"])
    small = 2e-6 * spin  # fuel that is in the pipe and in the second tank at the start, pieces of the pipe
    found = [
        Check("variable mass: rate, largest difference, rad/s", off, 0.0, small, source),
        Check("variable mass: turn, rad", float(run["craft.angle"][-1]), turned(p), small * p["time"], source),
        Check("variable mass: mass centre moves, m", drift, 0.0, 2e-6 * p["apart"], "identity: nothing acts from outside"),
        Check("variable mass: rate at the end over the first", float(w[-1]) / spin, ratio, 2e-6, source),
        balance(run, 1e-9),
        *_by_parcels(p, ratio),
        *_wrong(p, ratio),
        *_by_a_wheel(p),
        _upright(p),
    ]
    if unchanged(p, DEFAULTS, "spin", "time", "bow", "parcels"):
        source = "independent program, printed"
        found.append(Check("rate at the end, printed", float(w[-1]) / spin, RATIO, 2e-6, source))
        about = [run["mass_centre.inertia"][k, 2, 2] for k in (0, -1)]
        found.append(worst("inertia, printed, kg m^2", ("before", "after"), about, INERTIAS, 0.05, source))
    return found


def _by_parcels(p: Parameters, ratio: float) -> list[Check]:
    """One parcel; and the turn by 4, 8 and 16 parcels beside (1)."""
    n = (4, 8, 16)
    loose: dict[str, Any] = {"method": "dop853", "rtol": 1e-9, "atol": 1e-11}
    runs = [parcels(p, k).simulate(p["time"], output=p["time"], **loose) for k in (1, *n)]
    ends = [float(run["craft.angle.rate"][-1]) / p["spin"] for run in runs]
    off = [float(run["craft.angle"][-1]) - turned(p) for run in runs[1:]]
    H = max(float(np.abs(np.diff(run["momentum.central"][:, 2])).max()) for run in runs)
    return [
        Check("one parcel: rate at the end over the first", ends[0], ratio, 1e-9, "closed form (1)"),
        Check("parcels: order of the approach of the turn", math.log2(abs(off[1] / off[2])), 1.0, 0.2, "theory: 1/n"),
        Check("parcels: angular momentum, N m s", H, 0.0, 1e-9 * inertia(p, 0.0) * p["spin"], "identity: nothing acts"),
    ]


def _upright(p: Parameters) -> Check:
    """Where gravity holds the docked craft on a circular orbit, with a mass to the side: before, in and after the transfer.

    The axis of the least inertia stays along the vertical, and it turns in the craft as the fuel goes over.
    """
    found, wanted = [], []
    for gone in (0.0, 0.5, 1.0):
        a, b = p["first"] + (1 - gone) * p["fuel"], p["second"] + gone * p["fuel"]
        places = ((0.0, 0.0, a), (p["apart"], 0.0, b), BOOM)
        system = System("refuelling in orbit")
        system.add("orbit", Rigid(0.0), Revolute("z", motion=constant_rate(RATE)))
        m = sum(w for _, _, w in places)
        x, y = (sum(row[k] * row[2] for row in places) / m for k in (0, 1))
        xx, yy, xy = (sum(w * (u - x) ** i * (v - y) ** j for u, v, w in places) for i, j in ((2, 0), (0, 2), (1, 1)))
        own = p["I1"] + p["I2"]
        I = np.array([[yy + own / 2, -xy, 0], [-xy, xx + own / 2, 0], [0, 0, xx + yy + own]])
        system.add("craft", Rigid(m, inertia=I), Revolute("z"), parent="orbit", q=-0.3)
        system.apply("earth", OrbitGravity(KeplerOrbit(MU, (MU / RATE**2) ** (1 / 3))))
        angle = -math.atan2(2 * xy, xx - yy) / 2
        found.append(float(system.equilibrium({"craft.q": angle + 0.05})["craft.q"]))
        wanted.append(angle)
    names = [f"{100 * gone:g} % over" for gone in (0.0, 0.5, 1.0)]
    return worst("in orbit: angle that gravity holds, rad", names, found, wanted, 1e-8, "closed form: principal axes")


def _by_a_wheel(p: Parameters) -> list[Check]:
    """Attitude held by a wheel: poles before and after the transfer, the motion, momentum of all."""
    system, (w, z) = build(p), HELD
    system.add_part("wheel", ReactionWheel((0, 0, 1), WHEEL), on="craft")
    effective = float(system.channels(None, "mass_centre.inertia")["mass_centre.inertia"][2, 2]) - WHEEL
    kp, kd = effective * w**2, 2 * z * w * effective
    loop = StateFeedback([[-kp, -kd]], sees=["craft.angle", "craft.angle.rate"], drives="wheel")
    system.add_block("hold", loop)
    run = system.simulate(p["time"], output=p["time"] / 20, **FINE)
    off, end, still = [], run.final, {"craft.q": (0.0, 0.0, 0.0), "craft.rate": (0.0, 0.0, 0.0)}
    for name, value in still.items():
        end[name] = value
    for state, I in ((still, effective), (end, float(run["mass_centre.inertia"][-1, 2, 2]) - WHEEL)):
        off.append(poles_off(system.linearize(state).eigenvalues(), np.roots([I, kd, kp]), relative=True))

    def law(t: float, y: np.ndarray) -> list[float]:
        rate = (y[1] - inner(p, t)) / (inertia(p, over(p, t)) - WHEEL)
        return [rate, -kp * y[0] - kd * rate]

    start = [0.0, (inertia(p, 0.0) - WHEEL) * p["spin"]]
    wanted = solve_ivp(law, (0, p["time"]), start, "DOP853", t_eval=run.t, rtol=1e-11, atol=1e-13).y[0]
    turn, H = run["craft.angle"], run["momentum.central"][:, 2]
    H = H + inner(p, run.t)  # with that of the flow in the pipe
    size = inertia(p, 0.0) * p["spin"]
    return [
        Check("by a wheel: poles before and after, relative", max(off), 0.0, 1e-8, "identity: as placed, and (2)"),
        Check("by a wheel: turn, largest difference, rad", float(np.abs(turn - wanted).max()), 0.0, 2e-6 * p["spin"] / w,
              "(2), integrated by SciPy's DOP853"),
        Check("by a wheel: momentum of all, of the first", float(np.abs(H - H[0]).max() / size), 0.0, 2e-5,
              "identity: nothing acts from outside"),
    ]  # fmt: skip


def _wrong(p: Parameters, ratio: float) -> list[Check]:
    """What the wrong models say of the rate at the end, relative to what is right."""
    still = 1 / ratio - 1
    a, b, d = p["first"] + p["fuel"], p["second"], p["apart"]
    centre = b * d / (a + b)  # of mass, before the transfer
    about = p["I1"] + p["I2"] + (a - p["fuel"]) * centre**2 + (b + p["fuel"]) * (d - centre) ** 2
    fixed = inertia(p, p["fuel"]) / about - 1
    move = p["fuel"] * d / (a + b)
    return [
        Check("wrong: no change of inertia, relative error", still, inertia(p, p["fuel"]) / inertia(p, 0.0) - 1, 1e-12,
              "closed form", "documentation"),
        Check("wrong: mass centre that stays, relative error", fixed, -(a + b) * move**2 / about, 1e-12,
              "closed form: Steiner", "documentation"),
    ]  # fmt: skip


def figure(run: Run, p: Parameters) -> Figure:
    """The rate by variable mass, by parcels and by wrong models; the error of parcels by their number."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2), width_ratios=(1.4, 1))
    n = int(p["parcels"])
    other = parcels(p, n).simulate(p["time"], output=p["time"] / 400, method="dop853", rtol=1e-8, atol=1e-10)
    unit = math.degrees(1.0)
    left.plot(other.t, unit * other["craft.angle.rate"], color=COLOURS[3], lw=0.8, label=f"{n} parcels")
    left.plot(run.t, unit * run["craft.angle.rate"], color=COLOURS[0], label="variable mass")
    left.plot(run.t[::10], unit * rate(p, run.t[::10]), "o", color=GREY, mfc="white", ms=5, label="closed form (1)")
    left.axhline(unit * p["spin"], ls=":", color=COLOURS[1], label="wrong: no change of inertia")
    left.set(xlabel="time, s", ylabel="rate, degrees/s")
    legend(left, loc="lower left")
    counts = np.array([2, 4, 8, 16])
    runs = [parcels(p, k).simulate(p["time"], output=p["time"], method="dop853", rtol=1e-9, atol=1e-11) for k in counts]
    off = [abs(float(r["craft.angle"][-1]) - turned(p)) * unit for r in runs]
    right.loglog(counts, off, "o-", color=COLOURS[3], label="parcels beside (1)")
    right.loglog(counts, off[-1] * counts[-1] / counts, ls=":", color=GREY, label="1/n")
    right.set_xticks(counts, [str(k) for k in counts])
    right.minorticks_off()
    right.set(xlabel="number of parcels", ylabel="error of the turn, degrees")
    legend(right)
    title(picture, "Refuelling in orbit: the docked spacecraft turn")
    return picture


EXAMPLE = Example(
    name="refuelling",
    title="Refuelling in orbit, by parcels and by variable mass (stand-in)",
    document="Roithmayr, applications of Kane's method",
    source="Pei and Roithmayr, AAS 22-096, with stand-in data; Multibody System Dynamics 46 (2019), 355",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
