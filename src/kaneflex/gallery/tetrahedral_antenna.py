"""A tetrahedral truss, the back of an antenna, unfolds by springs: two grids of folding struts and rigid diagonals.

Source: tetrahedral trusses of deployable antennas; closed form derived for this file.

Hubs of mass m_h stand on two triangular grids with the mesh D = 2 s cos t, t being the angle of the links of length s and
mass m_l to the plane of the grids; rigid diagonals of length d and mass m_d hold the grids h = sqrt(d^2 - D^2/3) apart, and
the middle of each folding strut stands s sin t away from its grid. While all links turn alike, hubs do not turn: with v the
velocities of hubs and middles for t' = 1, less that of the mass centre,

    M(t) = sum m_h v.v + sum m/3 (v_1.v_1 + v_1.v_2 + v_2.v_2) ,                                                      (1)

the last over all bars with their ends. By symmetry the angular momentum is zero. Springs in the middle of every folding
strut, turned by 2 t + p, do the work: rate and time follow from the energy by a quadrature. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.builders import tetrahedral_truss
from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, balance, largest_difference, title, unfolding_figure, unfolding_time
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {
    "cells": 2, "link": 0.5, "diagonal": 0.8, "hub_mass": 0.2, "link_mass": 0.1, "diagonal_mass": 0.2, "start": 1.4,
    "end": 0.1, "stiffness": 0.1, "preload": 0.3,
}  # fmt: skip
ROOT3 = math.sqrt(3)


def build(p: Parameters) -> System:
    """The truss, folded and at rest."""
    return tetrahedral_truss(
        p["cells"], link=p["link"], diagonal=p["diagonal"], hub_mass=p["hub_mass"], link_mass=p["link_mass"],
        diagonal_mass=p["diagonal_mass"], angle=p["start"], stiffness=p["stiffness"], preload=p["preload"],
    )  # fmt: skip


def hubs(p: Parameters, t: Any) -> list[np.ndarray]:
    """Places of the hubs of both grids at an angle, which may be complex, m."""
    n, D = p["cells"], 2 * p["link"] * np.cos(t)
    h = np.sqrt(p["diagonal"] ** 2 - D**2 / 3)
    grids = []
    for size, x, y, z in ((n, 0.0, 0.0, 0 * h), (n - 1, 0.5, ROOT3 / 6, -h)):
        nodes = np.array([(i + j / 2, j * ROOT3 / 2) for j in range(size + 1) for i in range(size + 1 - j)])
        flat = (nodes + np.array([x, y])) * D
        grids.append(np.column_stack([flat, np.full(len(nodes), z)]))
    return grids


def bars(p: Parameters, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First ends, second ends and masses of all bars."""
    D, lift = 2 * p["link"] * math.cos(np.real(t)), p["link"] * np.sin(t) * np.array([0, 0, 1])
    grids, ends = hubs(p, t), []
    for sign, grid in zip((1, -1), grids, strict=True):
        for a in range(len(grid)):
            for b in range(a):
                if abs(np.linalg.norm((grid[a] - grid[b]).real) - D) < 1e-6 * D:
                    middle = (grid[a] + grid[b]) / 2 + sign * lift
                    ends += [(grid[a], middle, p["link_mass"]), (middle, grid[b], p["link_mass"])]
    for apex in grids[1]:
        for base in grids[0]:
            if abs(np.linalg.norm((base - apex)[:2].real) - D / ROOT3) < 1e-6 * D:
                ends.append((base, apex, p["diagonal_mass"]))
    first, second, masses = zip(*ends, strict=True)
    return np.array(first), np.array(second), np.array(masses)


def mass(t: float, p: Parameters) -> float:
    """M of (1)."""
    a, b, m = bars(p, t + 1e-30j)
    v, w, u = a.imag / 1e-30, b.imag / 1e-30, np.vstack(hubs(p, t + 1e-30j)).imag / 1e-30
    momentum = p["hub_mass"] * u.sum(axis=0) + m @ (v + w) / 2
    total = p["hub_mass"] * len(u) + m.sum()
    square = p["hub_mass"] * (u * u).sum() + m @ (v * v + v * w + w * w).sum(axis=1) / 3
    return float(square - momentum @ momentum / total)


def work(t: Any, p: Parameters) -> Any:
    """Of all springs since the start, J."""
    struts = len(bars(p, p["start"])[0]) - 3 * p["cells"] * (p["cells"] + 1) // 2
    return struts // 2 * 2 * p["stiffness"] * (p["start"] - t) * (p["start"] + t + p["preload"])


def duration(p: Parameters) -> float:
    """Time from the start to the end by (1)."""
    return unfolding_time(lambda t: mass(t, p), lambda t: float(work(t, p)), p["start"], p["end"])


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """From the start to the end by (1)."""
    tight: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}
    time = duration(p)
    return system.simulate(time, output=time / 100, formulation=formulation, speeds=speeds, **tight)


def checks(run: Run, p: Parameters) -> list[Check]:
    """Angle at the end, rates, the far corners of both grids, hubs that do not turn, and energy."""
    n = p["cells"]
    middle = "base_0_0_1_0_b"
    t = np.abs(run[f"{middle}.q"]) / 2
    M = np.array([mass(x, p) for x in t])
    scale = float(work(p["end"], p))
    energy = largest_difference(M * run[f"{middle}.rate"] ** 2 / 8, work(t, p))
    side = np.linalg.norm(run[f"base_{n}_0.position"] - run["base_0_0.position"], axis=1)
    deep = np.linalg.norm(run["apex_0_0.position"] - run[f"base_0_{n}.position"], axis=1)
    grids = [hubs(p, x) for x in t]
    far = np.array([np.linalg.norm(apex[0] - base[-1]) for base, apex in grids])
    turned = largest_difference(run[f"base_{n}_0.rotation"], run[f"base_{n}_0.rotation"][0])
    return [
        Check("angle at the end, rad", float(t[-1]), p["end"], 1e-10, "closed form: quadrature of (1)"),
        Check("kinetic energy by (1), largest difference, J", energy, 0.0, 4e-9 * scale, "energy of springs"),
        Check("side of the base, largest difference, m", largest_difference(side, 2 * n * p["link"] * np.cos(t)), 0.0, 5e-14,
              "geometry"),
        Check("from an apex to a far corner, largest difference, m", largest_difference(deep, far), 0.0, 1e-11, "geometry"),
        Check("turning of a far hub", turned, 0.0, 1e-9, "identity: hubs do not turn"),
        balance(run, 1e-8),
    ]  # fmt: skip


def figure(run: Run, p: Parameters) -> Figure:
    """Angle and energy over time, and the truss at its end."""
    t = np.abs(run["base_0_0_1_0_b.q"]) / 2
    picture, truss = unfolding_figure(run, t, "angle of the links", work(t, p))
    for k, alpha in ((0, 0.4), (len(t) - 1, 1.0)):
        a, b, m = bars(p, float(t[k]))
        for first, second, own in zip(a, b, m, strict=True):
            colour = COLOURS[1] if own == p["diagonal_mass"] else COLOURS[0]
            truss.plot(*np.array([first, second]).T, color=colour, alpha=alpha, linewidth=1.2)
    truss.set_aspect("equal")
    title(picture, "Tetrahedral truss: folded and unfolded")
    return picture


EXAMPLE = Example(
    name="tetrahedral-antenna",
    title="Tetrahedral truss of an antenna unfolds: two grids of folding struts with one freedom",
    document="Hu, Guan and Hou, fully Cartesian coordinates",
    chapter="large structures",
    source="tetrahedral trusses of deployable antennas; closed form derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
