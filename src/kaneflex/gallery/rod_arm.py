"""Two links that bend by a third of their length while their hinges fold: order-n motion, and the loads of the hinges.

Source: stand-in for A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), sections 10.2 (order-n algorithm for large
bending, motion and loads) and appendix B (an order-n code with an example), with data of its own: the links of
`two-link-arm`, 8 m each, EI = 566.71 N m^2, 0.20188 kg/m, folded in 10 s where that takes 40 s.

With s = t/T - sin(2 pi t/T)/(2 pi) the shoulder turns by (pi/2) s and the elbow by -(pi/2) s, about z; after T they are
held. d1 is the deflection of the elbow across the first link's root tangent, d2 that of the tip across the second's,
(X, Y) the tip. No modal theory of small deflections follows them. The links are rods of high order, `order` polynomials of
curvature each; the torques of the hinges follow in the same elimination of order n. They are also what inverse dynamics
of the motion gives, and by momentum and energy

    torque at the shoulder = d/dt of the angular momentum about it ,   sum of torque times rate = d/dt of the energy.   (1)

References: deflections, tip and torques by a chain of rigid rods in absolute angles, integrated by average acceleration and
extrapolated in rods and steps; largest deflections and tip by geometrically exact finite elements as well. Both
were computed apart. Units: SI, rad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import beam_data, impulse_of_drive, work_of_drives
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, sample, title, unchanged, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import positive, whole
from kaneflex.model.joints import Revolute
from kaneflex.model.rods.rod import Rod
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"time": 10.0, "angle": np.pi / 2, "order": 6}

#: Rows (t, d1, d2, X, Y, torque at the shoulder, at the elbow), m and N m, of the chain of rigid rods.
TABLE = (
    (2.5, -0.5075, -0.0725, 15.9209, -0.2638, 12.7192, 2.7456),
    (5.0, -1.0991, -0.1813, 14.1228, 2.8493, 27.1490, 5.6827),
    (7.5, 1.9627, 0.5021, 6.2049, 11.6633, -46.9884, -16.8546),
    (10.0, 0.3616, 0.3179, 7.5542, 9.1391, -4.6340, -10.7425),
    (12.5, -1.6423, -0.5223, 8.8867, 4.3942, 34.8495, 16.5110),
    (15.0, 2.4107, 0.3451, 4.4494, 11.6541, -62.2370, -11.4450),
)

#: The exact beam: d1 at 8.35 s, d2 at 12.05 s, m, about their largest; tip (X, Y) at times.
LARGEST = (2.5434, -0.7237)
TIP = ((5.0, 14.1228, 2.8492), (7.5, 6.2050, 11.6632), (10.0, 7.5541, 9.1393), (15.0, 4.4496, 11.6539))


def build(p: Parameters, driven: bool = True) -> System:
    """Both links along x, on hinges without mass, driven or free."""
    data, time = beam_data("8m"), positive(p["time"], "time")
    system = System("arm of rods")
    order = whole(p["order"], "order", least=2)
    for name, hinge, parent, sign in (("inner", "shoulder", None, 1), ("outer", "elbow", "inner", -1)):
        motion = profiles.smooth_step(sign * p["angle"], time) if driven else None
        place = {"parent": parent, "at": "tip"} if parent else {}
        system.add(hinge, Rigid(0.0), Revolute("z", motion=motion), **place)
        rod = Rod(data.length, data.mass_per_length, data.EI, order=order, plane="xy", radius=0.05)
        system.add_rod(name, rod, parent=hinge)
        system.show(hinge, drum(0.2, 0.4))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Half as long again as the fold, 1500 samples, which the sums over them need."""
    times = np.arange(1501) * (p["time"] / 1000)
    return system.simulate(float(times[-1]), method="radau5", rtol=1e-6, times=times, formulation=formulation, speeds=speeds)


def history(run: Run) -> np.ndarray:
    """Rows (d1, d2, X, Y, torque at the shoulder, at the elbow) at all samples."""
    tip = run["outer.tip.position"]
    d1, d2 = run["inner.tip.deflection"][:, 1], run["outer.tip.deflection"][:, 1]
    return np.column_stack([d1, d2, tip[:, :2], run["shoulder.drive"], run["elbow.drive"]])


def checks(run: Run, p: Parameters) -> list[Check]:
    """The chain of rods, the exact beam, and the torques by momentum, energy and inverse dynamics."""
    found = _tables(run) if unchanged(p, DEFAULTS, "order") and p["order"] >= 6 else []
    by_energy = work_of_drives(run, ("shoulder", "elbow"), 1e-6)
    return [*found, impulse_of_drive(run, "shoulder", 1e-6), by_energy, _inverse(run, p), balance(run, 1e-10)]


def _tables(run: Run) -> list[Check]:
    rows, table = history(run), np.array(TABLE)
    values, marks = rows[[sample(run, t) for t in table[:, 0]]], [f"at {t:g} s" for t in table[:, 0]]
    names = ("d1, m", "d2, m", "X, m", "Y, m", "torque at the shoulder, N m", "torque at the elbow, N m")
    chain, exact = "chain of rigid rods, apart", "geometrically exact finite elements, apart"
    allowed = (5e-4, 5e-4, 5e-4, 5e-4, 0.015, 0.015)
    found = [worst(name, marks, values[:, k], table[:, k + 1], allowed[k], chain) for k, name in enumerate(names)]
    for k, t, wanted in ((0, 8.35, LARGEST[0]), (1, 12.05, LARGEST[1])):
        found.append(Check(f"d{k + 1} at {t:g} s, m", float(rows[sample(run, t), k]), wanted, 4e-4, exact))
    tip = np.array(TIP)
    values, marks = rows[[sample(run, t) for t in tip[:, 0]], 2:4], [f"{a} at {t:g} s" for t in tip[:, 0] for a in "XY"]
    return [*found, worst("tip, m", marks, values, tip[:, 1:], 5e-4, exact)]


def _inverse(run: Run, p: Parameters) -> Check:
    """Torques of both hinges, free in another system, for the accelerations that differences of the run's speeds give."""
    dynamics, every = build(p, driven=False).dynamics(speeds=run.plan.speeds), float(run.t[1] - run.t[0])
    at = np.linspace(0.1, 0.9, 9) * (len(run.t) - 1)
    values, names = [], []
    for k in at.astype(int):
        rates = (8 * (run.u[k + 1] - run.u[k - 1]) - (run.u[k + 2] - run.u[k - 2])) / (12 * every)
        loads = dynamics.inverse_dynamics(run.q[k], run.u[k], rates)
        for hinge in ("shoulder", "elbow"):
            values.append((loads[dynamics.plan.index.joints[hinge].u0], run[f"{hinge}.drive"][k]))
            names.append(f"{hinge} at {run.t[k]:g} s")
    own, inverse = np.array(values)[:, 1], np.array(values)[:, 0]
    source = "identity: inverse dynamics of the motion"
    return worst("torque, N m", names, own, inverse, 1e-6 * float(np.abs(own).max()), source)


def figure(run: Run, p: Parameters) -> Figure:
    """Deflections, torques and the arm on its way, with the references."""
    picture, (left, middle, right) = panels(1, 3, size=(11.0, 3.8), width_ratios=(1.2, 1.2, 0.9))
    rows, table = history(run), np.array(TABLE)
    for ax, first, names in ((left, 0, ("elbow, $d_1$", "tip, $d_2$")), (middle, 4, ("shoulder", "elbow"))):
        for k, name in enumerate(names):
            ax.plot(run.t, rows[:, first + k], color=COLOURS[k], linewidth=1.1, label=name)
        if unchanged(p, DEFAULTS, "order"):
            ax.plot(table[:, 0], table[:, first + 1 : first + 3], "o", color=GREY, mfc="white", ms=4.5)
            ax.plot([], [], "o", color=GREY, mfc="white", ms=4.5, label="chain of rods")
        ax.set(xlabel="time, s", ylabel="torque at the hinge, N m" if first else "deflection, m")
        legend(ax)
    for k in np.linspace(0, len(run.t) - 1, 9).astype(int):
        for n, name in enumerate(("inner", "outer")):
            shape = run[f"{name}.shape"][k]
            right.plot(shape[:, 0], shape[:, 1], color=COLOURS[n], linewidth=1.2, alpha=0.2 + 0.8 * k / len(run.t))
    right.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    title(picture, "Arm of two rods that folds in ten seconds")
    return picture


EXAMPLE = Example(
    name="rod-arm",
    title="Arm of two rods with large bending, prescribed hinges and their loads (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="appendix B",
    source="Banerjee (2016), with data of its own",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
