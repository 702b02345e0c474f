"""A spinning spacecraft with three rotors, slosh pendulum, nutation damper and thrust: 12 degrees of freedom.

Source: the speeds are those of A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), eqs (1.22)-(1.26), which prints
no data; those below are stand-ins.

The gyrostat G (carrier and rotors, mass centre G*, axes g1 g2 g3, central inertia I with the rotors locked) has rotors
of axial inertia J along its three axes. P, a particle for the slosh, hangs along -g3 on a massless rod of length L_p from
z0 g3 by a universal joint: psi1 about g1, then psi2 about the turned 2-axis. Q, a particle for the nutation damper,
slides along g3 at b g1 from G*, on a spring and a dashpot; sigma is the spring's nominal length l plus its stretch, so that
Q is at b g1 + (sigma - l) g3. The thrust F g3 acts at r_N.

    u_{1..3} = v(G*) . g_i ,  u_{4..6} = omega(G) . g_i ,  u_{7..9} = rotor rates in G ,
    u_{10,11} = psi1', psi2' ,  u12 = sigma'

Case A has neither thrust nor damping and keeps energy and both momenta; case B has both. Without motor torques
u_{3+i} + u_{6+i} is constant in either. Case C is under three-axis control: it starts turned and tumbling, and the motors
of the rotors, by the quaternion e of G in N, bring it to the axes of N,

    T_i = 2 kp e0 e_i + kd u_{3+i}   on rotor i, -T_i on the carrier,

while the rotors take up the momentum that the tumbling had; nothing outside acts. Units: SI, rad.

The reference numbers come from the twelve equations of motion written out by hand and integrated by DOP853, apart from
this package, where two tolerances agree to 3e-12.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import balance, drum, legend, panels, rod, rounding, sample, title, unchanged, worst
from kaneflex.model.bodies import PointMass, Rigid, Rotor
from kaneflex.model.checks import known
from kaneflex.model.forces import Force, JointForce, JointSpring
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Free, Prismatic, Universal
from kaneflex.model.shapes import Cone, Cylinder, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"case": "A", "spin": 1.0, "wobble": 0.05, "psi1": 0.1, "psi2": -0.05, "stiffness": 20.0, "slosh_mass": 50.0}
DURATION = 20.0

MASS = 1000.0
INERTIA = ((600.0, 10.0, 0.0), (10.0, 500.0, -5.0), (0.0, -5.0, 800.0))
ROTOR_INERTIA, ROTOR_RATES = 0.5, (10.0, -5.0, 20.0)
SLOSH_LENGTH, SLOSH_PIVOT = 0.5, 0.2
DAMPER_MASS, DAMPER_ARM, NOMINAL = 5.0, 1.0, 0.8
NOZZLE = (0.002, 0.0, -1.0)
WHEELS = ((-0.6, 0, 0.6), (0, -0.6, 0.6), (0, 0, 0.7))  # where the rotors are drawn: their places do not matter

#: Thrust (N) and damping (N s/m) by case.
CASES = {"A": (0.0, 0.0), "B": (2000.0, 2.0), "C": (0.0, 2.0)}

#: Case C: gains kp (N m/rad) and kd (N m s/rad), 0.5 rad/s and 0.8 of critical damping for 600 kg m^2; the start.
GAINS = (150.0, 480.0)
TILT, TILT_AXIS, TUMBLE = 0.4, (2 / 3, -1 / 3, 2 / 3), (0.02, -0.03, 0.01)

#: Constants of case A, the momenta in inertial axes, the angular one about the origin.
ENERGY = 544.851959580
MOMENTUM = (-2.49271627, 6.99168007, 0.12463581)
ANGULAR_MOMENTUM = (35.59750428, -6.26307616, 815.17404395)

#: By case and time: quantity (number of a speed, or a name) -> value as printed.
TABLE: dict[str, dict[float, dict[int | str, str]]] = {
    "A": {
        10.0: {
            1: "-2.61115662e-3", 2: "-1.05196620e-2", 3: "-2.91891637e-3",
            4: "4.71398704e-2", 5: "-4.87857678e-2", 6: "0.999076410",
            7: "10.0028601", 8: "-4.95121423", 9: "20.0009236", 10: "-0.280144455", 11: "0.874810974", 12: "-2.10122807e-2",
            "psi1": "-1.16253653", "psi2": "-0.32425866", "sigma": "0.79258787",
        },
        20.0: {
            4: "-6.61582100e-3", 5: "-4.55038980e-2", 6: "0.999982476",
            "psi1": "2.484326", "psi2": "-0.05597762", "sigma": "0.79030296",
        },
    },
    "B": {
        5.0: {
            1: "-0.107059165", 2: "-0.260947599", 3: "9.47236326", 4: "-3.20498070e-2", 5: "-1.15791098e-2", 6: "1.00049970",
            10: "3.24339140e-2", 11: "7.08380159e-2", 12: "0.196000747",
            "psi1": "-0.03286079", "psi2": "-0.05747518", "sigma": "0.17453991",
        },
        10.0: {
            1: "0.61557861", 2: "-0.82657143", 3: "18.91858167", 4: "0.03430125", 5: "-0.06525607", 6: "0.99737167",
            10: "0.08396247", 11: "-0.11506832", 12: "-0.12122377",
            "psi1": "-0.08319178", "psi2": "0.00790279", "sigma": "0.35149289",
        },
        20.0: {
            3: "37.8521774", 4: "-3.03490560e-2", 5: "-4.72275736e-2", 6: "0.997204500",
            "psi1": "0.02220979", "psi2": "0.06241123", "sigma": "0.3244619",
        },
    },
    "C": {
        10.0: {
            1: "-1.92345484e-5", 2: "1.31909050e-5", 3: "1.26307677e-4",
            4: "-1.69819751e-3", 5: "1.00714768e-3", 6: "-5.73661980e-4",
            7: "40.6700321", 8: "-34.9957260", 9: "32.7150208",
            10: "1.87280942e-2", 11: "-1.22779252e-2", 12: "4.55751212e-3",
            "psi1": "0.454451244", "psi2": "-0.199711798", "sigma": "0.799603367",
            "e1": "-8.63945073e-4", "e2": "2.73798371e-5", "e3": "-7.03562446e-3",
        },
        20.0: {
            4: "7.87404777e-5", 5: "2.61532504e-5", 6: "3.71348914e-5", 7: "38.0325048", 8: "-34.5841817", 9: "31.7701940",
            12: "1.95626473e-4", "psi1": "0.629143322", "psi2": "-0.324162482", "sigma": "0.800249704",
            "e1": "-6.35311122e-5", "e2": "-5.05978746e-5", "e3": "3.61014039e-4",
        },
    },
}  # fmt: skip
#: Energy by case, at a time.
ENERGIES = {"B": (10.0, 189892.318526, 1e-6), "C": (20.0, 912.974971646, 2e-9)}
SOURCE = "equations written out by hand, integrated by DOP853"


def build(p: Parameters) -> System:
    """The spacecraft at the inertial origin, turning about an axis near g3; in case C turned and tumbling, controlled."""
    thrust, damping = CASES[known(p["case"], CASES, "case")]
    system = System("spinning spacecraft")
    controlled = p["case"] == "C"
    rates = (0.0, 0.0, 0.0, *(TUMBLE if controlled else (p["wobble"], 0.0, p["spin"])))
    half = TILT / 2 if controlled else 0.0
    attitude = (math.cos(half), *(math.sin(half) * x for x in TILT_AXIS))
    body = Rigid(MASS, inertia=INERTIA, frames={"nozzle": Frame(NOZZLE, (("y", -math.pi / 2),))})
    bus = system.add("bus", body, Free(), q=(0, 0, 0, *attitude), rates=rates)
    for i, (axis, rate) in enumerate(zip("xyz", ROTOR_RATES, strict=True)):
        system.add_rotor(f"rotor_{axis}", bus, Rotor(axis, ROTOR_INERTIA, rate=rate))
        if controlled:
            system.apply(f"motor_{axis}", JointForce(f"rotor_{axis}", _motor(i), sees=("bus.q", "bus.rate")))
    particle = Rigid(p["slosh_mass"], com=(0, 0, -SLOSH_LENGTH))
    start = (p["psi1"], p["psi2"])
    system.add("slosh", particle, Universal(("x", "y")), parent=bus, at=(0, 0, SLOSH_PIVOT), q=start)
    system.add("damper", PointMass(DAMPER_MASS), Prismatic("z"), parent=bus, at=(DAMPER_ARM, 0, -NOMINAL), q=NOMINAL)
    system.apply("spring", JointSpring("damper", stiffness=p["stiffness"], damping=damping, rest=NOMINAL))
    _show(system)
    if thrust:
        system.apply("thrust", Force("bus.nozzle", (thrust, 0, 0)))
    return system


def _motor(i: int) -> Callable[[Any, Any], Any]:
    """Torque of motor i on its rotor, of the bus's coordinates (position, quaternion) and speeds (velocity, rates)."""
    kp, kd = GAINS

    def torque(t: Any, x: Any) -> Any:
        return 2 * kp * x[3] * x[4 + i] + kd * x[10 + i]

    return torque


def _show(system: System) -> None:
    """A clear drum with nozzle and wheels, the slosh pendulum in it, and the damper's mass on a rail beside it."""
    x = DAMPER_ARM
    rail = rod((x, 0, -0.8), (x, 0, 0.8), 0.015, color="grey")
    wheels = [drum(0.16, 0.08, axis, position=at, color="grey") for axis, at in zip("xyz", WHEELS, strict=True)]
    nozzle = Cone(0.2, 0.4, position=NOZZLE, color="grey")
    inside = [*wheels, nozzle, rod((0.85, 0, 0), (x, 0, 0), 0.02, color="grey"), rail]
    system.show("bus", *inside, Cylinder(0.85, 1.6, opacity=0.3))
    bob = (0, 0, -SLOSH_LENGTH)
    system.show("slosh", Sphere(0.12, position=bob), rod((0, 0, 0), bob, 0.015), Sphere(0.03, color="grey"))
    system.show("damper", Sphere(0.09))


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Twenty seconds, sampled every 0.02 s."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-12, atol=1e-13, formulation=formulation, speeds=speeds, output=0.02
    )


def checks(run: Run, p: Parameters) -> list[Check]:
    """Printed states, printed invariants, and the laws of momentum and energy."""
    found = []
    if unchanged(p, DEFAULTS, "case"):
        found += _table(run, p["case"]) + _printed_sums(run, p["case"])
    found.append(balance(run, 1e-12))
    found += _exchanged(run) if p["case"] == "C" else _spins_kept(run)
    return found + ([_impulse(run, p)] if p["case"] == "B" else _conserved(run))


def _spins_kept(run: Run) -> list[Check]:
    """Total spins of the rotors, which no motor turns."""
    found = []
    for axis, k in zip("xyz", (3, 4, 5), strict=True):
        total = run["bus.rate"][:, k] + run[f"rotor_{axis}.rate"]
        source = "identity: no motor torque, J (u_3+i + u_6+i)' = 0"
        found.append(Check(f"u{k + 1} + u{k + 4} at the end, rad/s", float(total[-1]), float(total[0]), 1e-12, source))
    return found


def _exchanged(run: Run) -> list[Check]:
    """What each rotor has gained is the impulse of its motor, by Simpson's rule over the samples."""
    from scipy.integrate import simpson

    found, (kp, kd) = [], GAINS
    e, w = run["bus.q"][:, 3:], run["bus.rate"][:, 3:]
    for i, axis in enumerate("xyz"):
        spin = ROTOR_INERTIA * (w[:, i] + run[f"rotor_{axis}.rate"])
        impulse = float(simpson(2 * kp * e[:, 0] * e[:, 1 + i] + kd * w[:, i], x=run.t))
        gained = float(spin[-1] - spin[0])
        source = "identity: impulse of its motor"
        found.append(Check(f"momentum gained by rotor {axis}, N m s", gained, impulse, 1e-7, source))
    return found


def _quantities(run: Run, k: int) -> dict[int | str, float]:
    """The twelve speeds of the source by number, coordinates of the particles and the quaternion of G by name."""
    rotors = [run[f"rotor_{axis}.rate"][k] for axis in "xyz"]
    u = [*run["bus.rate"][k], *rotors, *run["slosh.rate"][k], run["damper.rate"][k]]
    found: dict[int | str, float] = {n + 1: float(value) for n, value in enumerate(u)}
    psi1, psi2 = run["slosh.q"][k]
    found |= {f"e{i}": float(run["bus.q"][k, 3 + i]) for i in (1, 2, 3)}
    return found | {"psi1": float(psi1), "psi2": float(psi2), "sigma": float(run["damper.q"][k])}


def _table(run: Run, case: str) -> list[Check]:
    """One check for each printed state; a number may differ by its rounding and 2e-11 of integration."""
    found = []
    for t, row in TABLE[case].items():
        here = _quantities(run, sample(run, t))
        labels = [f"u{n}" if isinstance(n, int) else n for n in row]
        allowed = [rounding(text) + 2e-11 for text in row.values()]
        found.append(
            worst(f"t = {t:g} s", labels, [here[n] for n in row], [float(x) for x in row.values()], allowed, SOURCE)
        )
    return found


def _printed_sums(run: Run, case: str) -> list[Check]:
    if case in ENERGIES:
        t, wanted, allowed = ENERGIES[case]
        energy = run["energy.total"][sample(run, t)]
        return [Check(f"energy at t = {t:g} s, J", float(energy), wanted, allowed, SOURCE)]
    P, H = run["momentum.linear"][-1], run["momentum.angular"][-1]
    return [
        Check("energy at the end, J", float(run["energy.total"][-1]), ENERGY, 2e-9, SOURCE),
        worst("linear momentum at the end, kg m/s", ("P1", "P2", "P3"), P, MOMENTUM, 6e-9, SOURCE),
        worst("angular momentum at the end, kg m^2/s", ("H1", "H2", "H3"), H, ANGULAR_MOMENTUM, 2e-8, SOURCE),
    ]


def _conserved(run: Run) -> list[Check]:
    source = "identity: nothing outside acts"
    return [
        Check("change of linear momentum, relative", _number(run.audit.linear_momentum_drift), 0.0, 1e-11, source),
        Check("change of angular momentum, relative", _number(run.audit.angular_momentum_drift), 0.0, 1e-11, source),
    ]


def _number(drift: float | None) -> float:
    return math.nan if drift is None else drift


def _impulse(run: Run, p: Parameters) -> Check:
    """Momentum gained along the inertial z axis, against the impulse of the thrust (Simpson's rule over the samples)."""
    from scipy.integrate import simpson

    thrust = CASES[p["case"]][0]
    impulse = thrust * simpson(run["bus.rotation"][:, 2, 2], x=run.t)
    gained = run["momentum.linear"][-1, 2] - run["momentum.linear"][0, 2]
    return Check("momentum gained along z, N s", float(gained), float(impulse), 1e-6, "identity: impulse of the thrust")


def figure(run: Run, p: Parameters) -> Figure:
    """Transverse rates, slosh, damper and the attitude of g3."""
    picture, axes = panels(2, 2, size=(9.4, 5.6))
    rates, slosh, damper, path = axes.ravel()
    for k, label in ((3, "$u_4$"), (4, "$u_5$")):
        rates.plot(run.t, run["bus.rate"][:, k], label=label)
    rates.set(xlabel="time, s", ylabel="transverse rate, rad/s")
    for k in (0, 1):
        slosh.plot(run.t, run["slosh.q"][:, k], label=rf"$\psi_{k + 1}$")
    slosh.set(xlabel="time, s", ylabel="slosh angle, rad")
    damper.plot(run.t, run["damper.q"], label=r"$\sigma$", color="#3a8f5c")
    damper.set(xlabel="time, s", ylabel="damper, m")
    g3 = run["bus.rotation"][:, :, 2]
    path.plot(g3[:, 0], g3[:, 1], color="#7a5aa6", label="tip of $g_3$")
    path.plot(g3[0, 0], g3[0, 1], "o", color="#111827", ms=4, label="start")
    path.set(xlabel="$n_1$ component", ylabel="$n_2$ component", aspect="equal")
    path.set_adjustable("datalim")
    for ax in axes.ravel():
        ax.margins(y=0.15)
        legend(ax, loc="upper right", ncols=2, borderaxespad=0.1)
    what = {"A": "no thrust, no damping", "B": "thrust 2 kN, damped", "C": "three-axis control by its rotors"}[p["case"]]
    title(picture, f"Spinning spacecraft, case {p['case']}: {what}")
    return picture


EXAMPLE = Example(
    name="spinning-spacecraft",
    title="Spinning spacecraft with rotors, slosh pendulum and nutation damper (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 1",
    source="Banerjee (2016), eqs (1.22)-(1.26), with stand-in data",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
