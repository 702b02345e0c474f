"""Miura's fold of rigid panels unfolds by springs in its creases: one freedom in a sheet full of loops.

Source: geometry of Miura's fold by Schenk and Guest, PNAS 110 (2013) 3276; one freedom by Lagrange, derived for this file.

A sheet of parallelograms with sides a and b at the corner g, free in space and at rest, is folded to the angle f. All
corners r(f) are known in closed form (`miura_corners`). A panel of mass m with centre c, edge e_1 and side e_2 has

    T = m (c'.c' + (e_1'.e_1' + e_2'.e_2')/12)/2 ,    H = m (c × c' + (e_1 × e_1' + e_2 × e_2')/12) ,                 (1)

with rates r' = dr/df f'. The whole sheet moves and turns as well, so that its momentum and angular momentum stay zero:

    M(f) = sum of (1) about the mass centre, for f' = 1, less H.J^-1 H .                                              (2)

The creases along edges are at 2 f and have torsion springs: k ((2 f_0 + p)^2 - (2 f + p)^2)/2 is the work of each. So rate
and time follow from the energy by a quadrature. Round each inner corner four creases meet: of the five equations
of its loop at most three count, and all vertices together leave one freedom. Units: SI, rad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.builders import miura_fold
from kaneflex.builders.miura_fold import miura_corners
from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, balance, largest_difference, title, unfolding_figure, unfolding_time
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "columns": 4, "rows": 4, "side": 0.5, "edge": 0.6, "corner": 1.1, "mass": 0.3, "start": 1.4, "end": 0.2,
    "stiffness": 0.02, "preload": 0.3,
}  # fmt: skip


def build(p: Parameters) -> System:
    """The sheet, folded and at rest."""
    return miura_fold(
        p["columns"], p["rows"], side=p["side"], edge=p["edge"], corner=p["corner"], mass=p["mass"], fold=p["start"],
        stiffness=p["stiffness"], preload=p["preload"],
    )  # fmt: skip


def corners(f: Any, p: Parameters) -> np.ndarray:
    """Of all panels, at a fold, m."""
    return np.asarray(miura_corners(p["columns"], p["rows"], p["side"], p["edge"], p["corner"], f))


def mass(f: float, p: Parameters) -> float:
    """M of (2)."""
    places = corners(f + 1e-30j, p)
    parts, rates = (_parts(x) for x in (places.real, places.imag / 1e-30))
    weights = (1.0, 1 / 12, 1 / 12)  # of centre, edge and side
    square = sum(w * (v * v).sum() for w, v in zip(weights, rates, strict=True))
    H = sum(w * np.cross(r, v).sum(axis=0) for w, r, v in zip(weights, parts, rates, strict=True))
    J = sum(w * ((r * r).sum() * np.eye(3) - r.T @ r) for w, r in zip(weights, parts, strict=True))
    return float(p["mass"] * (square - H @ np.linalg.solve(J, H)))


def _parts(r: np.ndarray) -> list[np.ndarray]:
    """Of all panels, the centres from that of all, edges and sides."""
    edge, side = r[1:, :-1] - r[:-1, :-1], r[:-1, 1:] - r[:-1, :-1]
    centre = r[:-1, :-1] + (edge + side) / 2
    return [x.reshape(-1, 3) for x in (centre - centre.mean(axis=(0, 1)), edge, side)]


def work(f: Any, p: Parameters) -> Any:
    """Of all springs since the start, J."""
    creases = p["columns"] * (p["rows"] - 1)
    return 2 * creases * p["stiffness"] * (p["start"] - f) * (p["start"] + f + p["preload"])


def duration(p: Parameters) -> float:
    """Time from the start to the end by (2)."""
    return unfolding_time(lambda f: mass(f, p), lambda f: float(work(f, p)), p["start"], p["end"])


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From the start to the end by (2)."""
    tight: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}
    time = duration(p)
    return system.simulate(time, output=time / 100, formulation=formulation, speeds=speeds, **tight)


def checks(run: Run, p: Parameters) -> list[Check]:
    """The fold at the end, rates, all corners of a panel far from the first, loops, freedoms and energy."""
    m, n = p["columns"], p["rows"]
    f = np.abs(run["panel_0_1.q"]) / 2
    M = np.array([mass(x, p) for x in f])
    scale = float(work(p["end"], p))
    energy = largest_difference(M * run["panel_0_1.rate"] ** 2 / 8, work(f, p))
    source = "closed form: quadrature of (2)"
    wide = np.array([np.linalg.norm(corners(x, p)[m - 1, n - 1] - corners(x, p)[0, 0]) for x in f])
    seen = np.linalg.norm(run[f"panel_{m - 1}_{n - 1}.position"] - run["panel_0_0.position"], axis=1)
    gap = largest_difference(run[f"panel_{m - 2}_{n - 1}.right.position"], run[f"panel_{m - 1}_{n - 1}.left.position"])
    found = run.assembly.redundant if run.assembly is not None else ()
    counted = 5 * (m - 1) * (n - 1) - (m * n + 5 - 7)
    return [
        Check("fold at the end, rad", float(f[-1]), p["end"], 2e-10, source),
        Check("kinetic energy by (2), largest difference, J", energy, 0.0, 1e-8 * scale, "energy of springs"),
        Check("distance of first and last panel, largest difference, m", largest_difference(seen, wide), 0.0, 1e-11,
              "Schenk and Guest"),
        Check("gap of the last loop, m", gap, 0.0, 5e-12, "identity: the loops stay closed"),
        Check("redundant equations", float(len(found)), float(counted), 0.5, "identity: one freedom and six in space"),
        balance(run, 1e-8),
    ]  # fmt: skip


def figure(run: Run, p: Parameters) -> Figure:
    """Fold and energy over time, and the sheet at four instants."""
    f = np.abs(run["panel_0_1.q"]) / 2
    picture, sheet = unfolding_figure(run, f, "fold", work(f, p))
    for m, k in enumerate((0, 7 * len(f) // 8, len(f) - 1)):  # one below the other
        r = corners(f[k], p)
        r = r - r.mean(axis=(0, 1)) - m * np.array([0, 0, p["edge"] + p["side"]])
        sheet.plot_surface(*np.moveaxis(r, -1, 0), color=COLOURS[m], edgecolor="white", linewidth=1.0, rstride=1, cstride=1)
    sheet.set_aspect("equal")
    title(picture, f"Miura's fold of {p['columns']} by {p['rows']} panels")
    return picture


EXAMPLE = Example(
    name="panel-fold",
    title="Miura's fold of rigid panels unfolds by its springs: a sheet full of loops with one freedom",
    document="Hu, Guan and Hou, fully Cartesian coordinates",
    chapter="large structures",
    source="Schenk and Guest, PNAS 110 (2013) 3276; closed form derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
