"""One boom with a payload, reduced in all the ways of a chapter on component modes, each beside what it must give.

Source: stand-in for A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), chapter 7; see also R. R. Craig, M. C. C.
Bampton, AIAA J. 6 (1968) 1313-1319, R. J. Guyan, AIAA J. 3 (1965) 380, and R. H. MacNeal, Computers and Structures 1
(1971) 581-601.

A uniform cantilever (m L, EI) carries a particle of mass mu m L at its tip. Its frequencies are w = b^2 sqrt(EI/(m L^4))
with

    1 + cos b cosh b + mu b (cos b sinh b - sin b cosh b) = 0                                                      (1)

The boom is a flexible body of four shapes and the payload a rigid body on its tip. The shapes are, way by way,

    plain               four vibration modes with the tip free
    guyan               static condensation to deflection and slope of middle and tip
    craig-bampton       two modes with the tip held, two constraint modes of the tip
    residual            three modes with the tip free, the residual flexibility of a force on it (MacNeal)
    truncation          three modes, the modal truncation vector of the same force: it spans the same
    projected           what four modes of the whole move of the boom, by singular values

Every set of shapes is a Ritz approximation, whose frequencies are upper bounds of (1). The table has them from the
functions themselves (cantilever and clamped-clamped modes, cubics), without finite elements. All but plain and projected
shapes give the static deflection F L^3/(3 EI) under a force at the tip exactly; plain modes give 12 sum 1/b_i^4 of it, mu
= 0. The run has such a force switched on; the tip's response is

    v = F L^3/(3 EI) - sum F phi(L)^2/w^2 cos w t ,   phi the modes of (1) in unit modal mass.                      (2)

Besides: effective masses of the boom, 4 s^2/b^2 with s = (sinh b - sin b)/(cosh b + cos b); the system's modes by
synthesis of two halves; and damping of the boom derived from that wanted of the whole. Units: SI, rad.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.optimize import brentq

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title, worst
from kaneflex.model.bodies import PointMass
from kaneflex.model.checks import known, positive
from kaneflex.model.forces import Force
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.structures.beam import Beam
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.modes.damping import damping_matrix
from kaneflex.structures.modes.effective_mass import effective_mass_fractions
from kaneflex.structures.modes.eigenmodes import lowest_modes
from kaneflex.structures.modes.mode_selection import component_modes
from kaneflex.structures.modes.reduction import craig_bampton, guyan, project, residual_attachment_modes
from kaneflex.structures.modes.synthesis import join, projected_system_modes
from kaneflex.structures.modes.truncation import truncation_vectors
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"way": "craig-bampton", "length": 4.0, "EI": 1500.0, "mass_per_length": 2.0, "payload": 0.5, "force": 0.5}
WAYS = ("plain", "guyan", "craig-bampton", "residual", "truncation", "projected")
ELEMENTS = 24
SHAPES = 4
DAMPING = (0.01, 0.02, 0.03, 0.04)  # wanted of the whole's modes

#: Frequencies over sqrt(EI/(m L^4)) with a payload of 0.5 m L, by each way's own functions.
TABLE = {
    "plain": (2.0165863, 16.9358705, 52.1252301, 108.2078944),
    "guyan": (2.0164019, 17.0418688, 60.7746459, 160.1578526),
    "craig-bampton": (2.0163118, 16.9014933, 51.7988516, 169.1379945),
    "residual": (2.0162990, 16.9014226, 51.7081237, 114.6611388),
    "truncation": (2.0162990, 16.9014226, 51.7081237, 114.6611388),
}


class Boom:
    """Finite elements of the boom in the plane, root held: M and K, with the payload `whole`, over (v, theta) per node."""

    def __init__(self, p: Parameters) -> None:
        self.L, m = positive(p["length"], "length"), positive(p["mass_per_length"], "mass_per_length")
        self.structure = Beam(self.L, 1e4 * p["EI"], positive(p["EI"], "EI"), m, ELEMENTS, rotary=0.0)
        self.dofs = np.array([6 * k + c for k in range(1, ELEMENTS + 1) for c in (1, 5)])
        self.M, self.K = (A[self.dofs][:, self.dofs].tocsr() for A in (self.structure.M, self.structure.K))
        self.tip = 2 * ELEMENTS - 2
        self.load = np.eye(2 * ELEMENTS)[:, [self.tip]]
        self.whole = sparse.csr_array(self.M + p["payload"] * m * self.L * (self.load @ self.load.T))

    def shapes(self, way: str, count: int = SHAPES) -> np.ndarray:
        """As many shapes by one of the ways, (dofs, count)."""
        squares, modes = lowest_modes(self.M, self.K, count)
        kept = modes[:, : count - 1]
        if way == "guyan":
            spaced = [round(ELEMENTS * k / (count // 2)) for k in range(1, count // 2 + 1)]
            return guyan(self.M, self.K, [2 * k - 2 + c for k in spaced for c in (0, 1)]).vectors
        if way == "craig-bampton":
            return craig_bampton(self.M, self.K, [self.tip, self.tip + 1], count - 2).vectors
        if way == "residual":
            extra = residual_attachment_modes(self.M, self.K, self.load, kept, squares[:-1])
            return np.hstack([kept, extra])
        if way == "truncation":
            return np.hstack([kept, truncation_vectors(self.M, self.K, kept, self.load)])
        if way == "projected":
            return projected_system_modes(self.M, lowest_modes(self.whole, self.K, count)[1])[1]
        return modes

    def full(self, shapes: np.ndarray) -> np.ndarray:
        """Shapes over all dofs of the structure, for a flexible body."""
        result = np.zeros((6 * (ELEMENTS + 1), shapes.shape[1]))
        result[self.dofs] = shapes
        return result


def build(p: Parameters) -> System:
    """The boom along x from its wall, reduced as asked, the payload on its tip, and the force across."""
    system = _system(p, known(p["way"], WAYS, "way"))
    system.apply("push", Force("payload", (0, p["force"], 0), axes="inertial"))
    system.show("payload", Sphere(0.04 * p["length"]))
    size = (0.03 * p["length"], 0.3 * p["length"], 0.3 * p["length"])
    system.show("N", Box(size, position=(-0.015 * p["length"], 0, 0), color="silver"))
    return system


def _system(p: Parameters, way: str, damping: Any = 0.0) -> System:
    """Boom and payload, without the force."""
    boom, system = Boom(p), System("component modes")
    system.add("boom", Flexible(boom.structure, modes=boom.full(boom.shapes(way)), damping=damping))
    mass = positive(p["payload"], "payload") * p["mass_per_length"] * boom.L
    system.add("payload", PointMass(mass), parent="boom", at="tip")
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Two periods of the first mode, 200 samples."""
    times = np.linspace(0, 4 * np.pi / exact(p, 1)[0], 201)
    return system.simulate(
        float(times[-1]), method="dop853", rtol=1e-10, atol=1e-12, formulation=formulation, speeds=speeds, times=times
    )


# ---- what is known without finite elements


@cache
def numbers(mu: float, count: int) -> np.ndarray:
    """The first b of (1)."""
    law = lambda b: 1 / np.cosh(b) + np.cos(b) + mu * b * (np.cos(b) * np.tanh(b) - np.sin(b))
    grid = np.linspace(0.3, np.pi * (count + 1), 60 * (count + 1))
    values = law(grid)
    at = np.nonzero(values[1:] * values[:-1] < 0)[0][:count]
    return np.array([brentq(law, grid[k], grid[k + 1], xtol=1e-14) for k in at])


def unit(p: Parameters) -> float:
    """sqrt(EI/(m L^4)), rad/s."""
    return float(np.sqrt(p["EI"] / (p["mass_per_length"] * p["length"] ** 4)))


def exact(p: Parameters, count: int) -> np.ndarray:
    """Frequencies by (1), rad/s."""
    return unit(p) * numbers(p["payload"], count) ** 2


def tip_and_mass(p: Parameters, count: int) -> tuple[np.ndarray, ...]:
    """Of the first modes of (1), phi(L), int phi dx/L and the modal mass over m L, that of the payload included."""
    b = numbers(p["payload"], count)
    x, weight = np.polynomial.legendre.leggauss(60)
    z = np.outer(b, np.append((x + 1) / 2, 1.0))
    s = ((np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b)))[:, None]  # no moment at the tip
    values = np.cosh(z) - np.cos(z) - s * (np.sinh(z) - np.sin(z))
    inside, tip = values[:, :-1], values[:, -1]
    return tip, inside @ weight / 2, inside**2 @ weight / 2 + p["payload"] * tip**2


def response(t: np.ndarray, p: Parameters) -> np.ndarray:
    """Tip deflection by six modes of (2), m."""
    tip, _, mass = tip_and_mass(p, 6)
    compliance = p["length"] ** 3 / p["EI"] * tip**2 / (mass * numbers(p["payload"], 6) ** 4)
    waves = np.cos(np.outer(t, exact(p, 6))) @ compliance
    return np.asarray(p["force"] * (p["length"] ** 3 / (3 * p["EI"]) - waves))


# ---- checks


def checks(run: Run, p: Parameters) -> list[Check]:
    """Frequencies and compliance way by way, then what else the chapter has, and the run's response."""
    systems = {way: _system(p, way) for way in WAYS}
    found = {way: np.array([mode.frequency for mode in s.modes(s.state())])[:SHAPES] for way, s in systems.items()}
    low = [float((found[way] / exact(p, SHAPES)).min()) for way in WAYS]
    wanted, got = response(run.t, p), run["payload.position"][:, 1]
    k, scale = int(np.argmax(np.abs(got - wanted))), float(np.abs(wanted).max())
    allowed = 2e-3 if p["way"] in ("plain", "guyan", "projected") else 5e-4
    return [
        *(_frequencies(way, found[way], p) for way in WAYS if way == "projected" or p["payload"] == DEFAULTS["payload"]),
        worst(
            "frequency over the exact one, where below 1", WAYS, np.minimum(low, 1), np.ones(len(WAYS)), 2e-7, "theory: Ritz"
        ),
        *(_static(way, p) for way in WAYS if way != "projected"),
        *_others(p),
        _damping(p),
        Check("tip deflection of the run where it differs most, m", got[k], wanted[k], allowed * scale, "closed form: (2)"),
        balance(run, 1e-10),
    ]


def _frequencies(way: str, found: np.ndarray, p: Parameters) -> Check:
    """The system's modes with the boom reduced in one way; elements are off by some 2e-5 in the fourth."""
    names, exactly = [f"frequency {k}" for k in range(1, SHAPES + 1)], way == "projected"
    rows = exact(p, SHAPES) / unit(p) if exactly else np.array(TABLE[way])
    source = "closed form: (1)" if exactly else "the same functions by Ritz's method, without elements"
    return worst(f"{way}, over sqrt(EI/mL^4)", names, found / unit(p), rows, 5e-5 * rows, source)


def _static(way: str, p: Parameters) -> Check:
    """Deflection under a force at the tip by a way's shapes, in terms of F L^3/3EI."""
    boom = Boom(p)
    shapes = boom.shapes(way)
    tip = shapes[boom.tip]
    share = float(tip @ np.linalg.solve(project(boom.M, boom.K, shapes, [way] * SHAPES).K, tip)) * 3 * p["EI"] / boom.L**3
    name = f"{way}: static deflection, of F L^3/3EI"
    if way == "plain":
        return Check(name, share, float((12 / numbers(0.0, SHAPES) ** 4).sum()), 2e-6, "closed form: 12 sum b^-4")
    return Check(name, share, 1.0, 1e-9, "theory: statically exact")


def _others(p: Parameters) -> list[Check]:
    """Effective masses, and the system's modes by synthesis of two halves."""
    boom, b = Boom(p), numbers(0.0, SHAPES)
    across = np.tile(np.eye(6)[1], ELEMENTS + 1)[:, None]
    found = effective_mass_fractions(boom.structure.M, boom.full(boom.shapes("plain")), across)[:, 0]
    fractions = 4 * ((np.sinh(b) - np.sin(b)) / (np.cosh(b) + np.cos(b)) / b) ** 2
    names = [f"mode {k}" for k in range(1, SHAPES + 1)]
    half = Boom({**p, "length": p["length"] / 2})
    loose = np.r_[[1, 5], half.dofs]
    M, K = (A[loose][:, loose].tolil() for A in (half.structure.M, half.structure.K))
    M[-2, -2] += p["payload"] * p["mass_per_length"] * p["length"]
    inner = craig_bampton(half.M, half.K, [half.tip, half.tip + 1], SHAPES)
    outer = craig_bampton(M.tocsr(), K.tocsr(), [0, 1], SHAPES)
    ties = [(("inner", half.tip + c), ("outer", c)) for c in (0, 1)]
    joined = join({"inner": inner, "outer": outer}, ties).modes(3)[0]
    return [
        worst("effective mass across, fraction", names, found, fractions, 2e-6, "closed form: 4 s^2/b^2"),
        worst("synthesis of two halves, rad/s", names[:3], joined, exact(p, 3), 1e-4 * exact(p, 3), "closed form: (1)"),
    ]


def _damping(p: Parameters) -> Check:
    """Damping of the boom alone that gives the whole the ratios wanted: the system's own, by its eigenvalues."""
    boom = Boom(p)
    modes = component_modes(boom.structure, "root", boom.full(boom.shapes("projected")))
    squares, vectors = lowest_modes(boom.whole, boom.K, SHAPES)
    C = damping_matrix(boom.whole, vectors, np.sqrt(squares), np.array(DAMPING))
    own = modes.shapes[boom.dofs]
    system = _system(p, "projected", own.T @ C @ own)
    found = [mode.damping for mode in system.modes(system.state())][:SHAPES]
    names = [f"mode {k}" for k in range(1, SHAPES + 1)]
    return worst("damping of the whole by the boom's", names, found, DAMPING, 1e-11, "what was asked for")


def figure(run: Run, p: Parameters) -> Figure:
    """Errors of the first three frequencies way by way, their fall with the number of shapes, and the response."""
    picture, (left, middle, right) = panels(1, 3, size=(11.6, 4.0), width_ratios=(1.1, 1, 1))
    boom, limit = Boom(p), exact(p, 3)
    error = lambda way, n: project(boom.whole, boom.K, boom.shapes(way, n), [way] * n).frequencies()[:3] / limit - 1
    shown = [way for way in WAYS if way not in ("truncation", "projected")]
    for k, way in enumerate(shown):
        off = error(way, SHAPES)
        left.bar(np.arange(3) + 0.2 * (k - 1.5), np.maximum(off, 1e-9), 0.18, color=COLOURS[k], label=way, bottom=1e-9)
        counts = np.arange(4, 13, 2)
        middle.semilogy(counts, [max(error(way, n)[1], 1e-9) for n in counts], "o-", ms=4, color=COLOURS[k], label=way)
    mesh = np.sqrt(lowest_modes(boom.whole, boom.K, 3)[0]) / limit - 1
    left.plot(range(3), mesh, "_", ms=44, color=GREY, label="all elements")
    middle.axhline(mesh[1], color=GREY, linestyle=":", label="all elements")
    left.set(yscale="log", xticks=range(3), xticklabels=["1", "2", "3"], xlabel="mode of the whole")
    left.set(ylabel="error of the frequency, relative", title=f"{SHAPES} shapes", ylim=(1e-9, 300))
    middle.set(xlabel="shapes of the boom", ylabel="error of mode 2, relative", title="more shapes", ylim=(1e-9, 1))
    wanted = response(run.t, p)
    right.plot(run.t, 1e3 * run["payload.position"][:, 1], label=f"run, {p['way']}")
    right.plot(run.t[::8], 1e3 * wanted[::8], "o", color=GREY, mfc="white", ms=4, label="closed form")
    right.set(xlabel="time, s", ylabel="tip deflection, mm", title="force switched on")
    right.margins(y=0.2)
    for ax in (left, middle, right):
        ax.title.set_fontsize("small")
        legend(ax, loc="upper right", ncols=1 if ax is middle else 2)
    title(picture, "One boom, reduced in the ways of the chapter")
    return picture


EXAMPLE = Example(
    name="component-modes",
    title="One boom reduced in all the ways of the chapter, and their errors (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 7",
    source="stand-in for chapter 7; closed forms and Ritz's method",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
