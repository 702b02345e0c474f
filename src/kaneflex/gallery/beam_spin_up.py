"""A beam brought to speed on a turning base: right, and wrong where the velocities are linearised too early.

Sources: T. R. Kane, R. R. Ryan, A. K. Banerjee, J. Guidance 10 (1987) 139-151; A. K. Banerjee, Flexible Multibody Dynamics
(Wiley, 2016), chapter 3; J. C. Simo, L. Vu-Quoc, CMAME 66 (1988) 125-161 for the beam of 10 m.

The base turns about z by the ramp W(t) = (W_s/T) [t - T/(2 pi) sin(2 pi t/T)]; the beam lies along x with its root on the
axis. It lags behind, straightens as the centrifugal force grows, and ends with a small vibration about the radial line.
With bending v = sum phi_i q_i and stretch s = sum psi_k p_k the linear equations about the turning base are

    q'' + [k + W^2 (Kg - 1)] q + 2 W G^T p' + W' G^T p = -W' int m x phi
    p'' + [k - W^2] p - 2 W G q' - W' G q = W^2 int m x psi                                                       (1)
    Kg_ij = int m (L^2 - x^2)/2 phi_i' phi_j' dx ,   G_ki = int m psi_k phi_i dx .

Without Kg the beam loses its stiffness when W passes its first frequency, 3.516 sqrt(EI/(m L^4)), and seems to break: that
is `stiffening=false`. In the steady state the tip is m W^2 L^3/(3 EA) further out. Units: SI, rad.

References: (1) with 8 modes, integrated apart; a geometrically exact beam (Reissner) by finite elements, apart as well; and
the book's theory, run beside every check (`structures.theories.book_beam`), which shares nothing with finite elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.large_motion import beam_data, knowingly_wrong, stretching_beam, work_of_drives
from kaneflex.gallery.shared import COLOURS, GREY, balance, drum, legend, panels, sample, title, worst
from kaneflex.model import profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"beam": "SVQ", "rate": 6.0, "time": 15.0, "modes": 6, "stiffening": True}
AFTER = 1.2  # the run lasts this many times the ramp
WRONG_UNTIL = 2 / 3  # and this many without stiffening, until the answer is nonsense

#: Times in the tables, s, for a ramp of 15 s.
MARKS = (2.5, 5.0, 7.5, 10.0, 12.5, 15.0)

#: Tip deflection at those times and its peak, m, by (1) with 8 modes.
LINEAR = {
    ("SVQ", 6.0): ((-0.151285, -0.468782, -0.559520, -0.362842, -0.112648, 0.001297), -0.57436),
    ("8m", 6.0): ((-0.21435, -0.62446, -0.70856, -0.43754, -0.12353, 0.00154), -0.75261),
    ("8m", 4.0): ((-0.142925, -0.423044, -0.521064, -0.347739, -0.110507, 0.007373), -0.53439),
}

#: The same of the geometrically exact beam.
EXACT = {
    ("SVQ", 6.0): ((-0.15128, -0.46848, -0.5591, -0.3628, -0.1127, 0.0013), -0.5738),
    ("8m", 4.0): ((-0.14292, -0.42265, -0.5204, -0.3477, -0.1105, 0.0074), -0.5336),
}

#: Tip deflection at times, m, without Kg, 6 modes.
WRONG = {
    ("SVQ", 6.0): ((5.0, -0.5218), (7.0, -1.1096), (8.0, -2.127), (9.0, -7.447), (10.0, -72.0)),
    ("8m", 6.0): ((6.5, -1.59), (7.5, -3.99), (9.0, -78.9)),
    ("8m", 4.0): ((7.0, -0.849), (9.0, -2.365), (10.0, -6.82)),
}


def build(p: Parameters) -> System:
    """A hub that turns about z as prescribed, and the beam along its x axis."""
    positive(p["rate"], "rate")
    if p["modes"] < 1:
        raise ModelError(f"modes is {p['modes']}: give at least 1")
    beam_data(p["beam"])
    system = System("beam spin-up")
    ramp = profiles.spin_up(rate=p["rate"], time=positive(p["time"], "time"))
    system.add("hub", Rigid(1.0, inertia=(1, 1, 1)), Revolute("z", motion=ramp))
    system.add("beam", stretching_beam(p["beam"], p["modes"], p["stiffening"]), parent="hub")
    system.show("hub", drum(0.4, 0.9))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """A fifth longer than the ramp, sampled every 1/300 of it; less far without stiffening."""
    count = round(300 * (AFTER if p["stiffening"] else WRONG_UNTIL))
    times = np.arange(count + 1) * (p["time"] / 300)
    run = lambda: system.simulate(float(times[-1]), formulation=formulation, speeds=speeds, times=times)
    return run() if p["stiffening"] else knowingly_wrong(run)


def checks(run: Run, p: Parameters) -> list[Check]:
    """Tables and peaks, the book's theory beside, the extension, and what happens without stiffening."""
    if not p["stiffening"]:
        return [*_wrong(run, p), _beside(run, p), balance(run, 1e-11)]
    found = [*_right(run, p), _beside(run, p), _extension(run, p), balance(run, 1e-11), work_of_drives(run, ("hub",), 1e-5)]
    if (p["beam"], p["rate"]) in WRONG and p["time"] == DEFAULTS["time"]:
        other = {**p, "stiffening": False}
        found += _wrong(simulate(build(other), other, formulation=run.plan.formulation.name, speeds=run.plan.speeds), p)
    return found


def _right(run: Run, p: Parameters) -> list[Check]:
    """Against the tables of (1) and of the exact beam; a mode or two are not enough for them."""
    tip, case = run["beam.tip.deflection"][:, 1], (p["beam"], p["rate"])
    found: list[Check] = []
    if p["time"] != DEFAULTS["time"] or p["modes"] < 3:
        return found
    names = [f"at {t:g} s" for t in MARKS]
    for table, share, source in ((LINEAR, 2e-3, "(1), 8 modes, integrated apart"), (EXACT, 0.01, "exact beam, apart")):
        if case in table:
            row, peak = table[case]
            values = [tip[sample(run, t)] for t in MARKS]
            found += [
                worst(f"tip deflection, m ({source})", names, values, row, share * abs(peak), source),
                Check(f"largest tip deflection, m ({source})", float(tip.min()), peak, share * abs(peak), source),
            ]
    return found


def _wrong(run: Run, p: Parameters) -> list[Check]:
    """The table of the wrong answer; its growth magnifies small differences, hence 1 % and half a unit of the last digit."""
    rows = WRONG.get((p["beam"], p["rate"]), ())
    if not rows or p["time"] != DEFAULTS["time"] or p["modes"] < 3:
        return []
    times, row = zip(*rows, strict=True)
    values = [run["beam.tip.deflection"][sample(run, t), 1] for t in times]
    names = [f"at {t:g} s" for t in times]
    source = "(1) without Kg, 6 modes, integrated apart"
    return [worst("tip deflection without stiffening, m", names, values, row, 0.01 * np.abs(row), source)]


def by_the_book(run: Run, p: Parameters) -> np.ndarray:
    """Tip deflection, m, by the book's theory at the samples of a run."""
    _, rate, acceleration = profiles.spin_up(rate=p["rate"], time=p["time"]).functions
    assert rate is not None and acceleration is not None
    beam = beam_data(p["beam"]).by_the_book((1, max(8, p["modes"]), 0, 0), p["stiffening"])
    motion = lambda t: (np.zeros(3), np.array([0, 0, rate(t)]), np.array([0, 0, acceleration(t)]))
    return np.asarray(beam.tip(beam.respond(motion, run.t))[:, 1])


def _beside(run: Run, p: Parameters) -> Check:
    """The book's theory at all samples; 1 % of the largest deflection, more with one mode or two."""
    tip, book = run["beam.tip.deflection"][:, 1], by_the_book(run, p)
    k = int(np.argmax(np.abs(tip - book)))
    share = 0.01 if p["modes"] >= 3 else 0.03
    source = "the book's theory of the beam, run beside"
    allowed = share * float(np.abs(book).max())
    name = f"tip deflection where it differs most, t = {run.t[k]:.4g} s, m"
    return Check(name, float(tip[k]), float(book[k]), allowed, source)


def _extension(run: Run, p: Parameters) -> Check:
    """Mean over the time after the ramp; the vibration that is left shortens the beam by 0.58 v^2/L (first mode)."""
    data, after = beam_data(p["beam"]), run.t > p["time"]
    x, v = run["beam.tip.deflection"][after, 0], run["beam.tip.deflection"][after, 1]
    found = float((x + 0.58 * v**2 / data.length).mean())
    exact = data.extension(p["rate"])
    return Check("steady extension, m", found, exact, 0.01 * exact, "closed form: m W^2 L^3/(3 EA)")


def figure(run: Run, p: Parameters) -> Figure:
    """Tip deflection: with stiffening, by the tables, and the wrong answer; and the tip's way along the beam."""
    picture, (left, right) = panels(1, 2, size=(9.4, 4.0), width_ratios=(1.6, 1))
    tip = run["beam.tip.deflection"]
    left.plot(run.t, tip[:, 1], label="this run" if p["stiffening"] else "this run, without stiffening")
    case = (p["beam"], p["rate"])
    if p["stiffening"]:
        other = {**p, "stiffening": False}
        wrong = simulate(build(other), other)
        v = wrong["beam.tip.deflection"][:, 1]
        seen = v > 1.8 * tip[:, 1].min()
        left.plot(wrong.t[seen], v[seen], "--", color=COLOURS[1], label="without stiffening: wrong")
        left.plot(run.t, by_the_book(run, p), ":", color="#111827", linewidth=1.2, label="the book's theory")
        if case in EXACT and p["time"] == DEFAULTS["time"]:
            left.plot(MARKS, EXACT[case][0], "o", color=GREY, mfc="white", ms=5, label="exact beam")
    left.set(xlabel="time, s", ylabel="tip deflection across, m")
    legend(left, loc="upper right", bbox_to_anchor=(1, 0.62))
    right.plot(run.t, 1e3 * tip[:, 0], color=COLOURS[2], label="this run")
    right.axhline(1e3 * beam_data(p["beam"]).extension(p["rate"]), color=GREY, linestyle=":", label="steady extension")
    right.set(xlabel="time, s", ylabel="tip displacement along, mm")
    legend(right, loc="lower right")
    title(picture, f"Spin-up of the beam {p['beam']} to {p['rate']:g} rad/s")
    return picture


EXAMPLE = Example(
    name="beam-spin-up",
    title="Beam on a base that is brought to speed, right and wrong",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 3",
    source="Kane, Ryan and Banerjee (1987); Simo and Vu-Quoc (1988)",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
