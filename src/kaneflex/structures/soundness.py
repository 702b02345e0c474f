"""Is a finite-element model what it should be? Checks of an assembled structure, reported in plain words."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.modes.component import RIGID_MOTIONS, Component, rigid_limit
from kaneflex.structures.modes.eigenmodes import lowest_modes
from kaneflex.structures.structure import Structure

# m/s: from soft rubber and sparse trusses to beryllium and diamond-like carbon
SLOW, FAST = 30.0, 2.5e4

# kg/m^3: from large booms and sails, mostly empty, to full blocks of heavy metal; TYPICAL is a spacecraft with its equipment
LIGHT, HEAVY, TYPICAL = 0.02, 2.5e4, 100.0
UNITS = {
    "with length_unit=1e-3 (mm, kg)": (1e-3, 1.0),
    "with length_unit=1e-3 and mass_unit=1e3 (mm, t)": (1e-3, 1e3),
    "with length_unit=0.0254 and mass_unit=175.1268 (in, lbf s^2/in)": (0.0254, 175.1268),
    "with length_unit=0.0254 and mass_unit=0.45359 (in, lb)": (0.0254, 0.45359237),
    "with length_unit=0.3048 and mass_unit=14.5939 (ft, slug)": (0.3048, 14.5939),
}


@dataclass(frozen=True)
class Finding:
    """One thing looked at: whether it is as it should be, and the words for it."""

    good: bool
    text: str


@dataclass(frozen=True)
class Report:
    """What was found in a model."""

    findings: tuple[Finding, ...]

    @property
    def good(self) -> bool:
        """Whether nothing asks for a look."""
        return all(f.good for f in self.findings)

    def __str__(self) -> str:
        return "\n".join(f"{'ok  ' if f.good else 'LOOK'}  {f.text}" for f in self.findings)


@typed
def check(structure: Structure, modes: bool = True) -> Report:
    """Mass properties, rigid motions, loose parts, mechanisms and units of a structure, in plain words.

    Args:
        structure: the finite-element model, not held anywhere.
        modes: compute the lowest modes of the free body, which finds mechanisms; the only costly check.
    """
    findings = [_mass_properties(structure), _mass_of_rigid_motion(structure), _rigid_motions(structure)]
    findings += [_loose_nodes(structure), _parts(structure), _units(structure)]
    if modes and findings[2].good:
        findings.append(_mechanisms(structure))
    return Report(tuple(findings))


def _mass_properties(structure: Structure) -> Finding:
    mass, centre, inertia = structure.mass_properties()
    c = centre
    own = inertia - mass * ((c @ c) * np.eye(3) - np.outer(c, c))
    principal = np.linalg.eigvalsh(own)
    small, middle, large = principal
    good = mass > 0 and small > -1e-9 * abs(large) and large <= (1 + 1e-9) * (small + middle)
    text = (
        f"mass {mass:.6g} kg, centre ({c[0]:.6g}, {c[1]:.6g}, {c[2]:.6g}) m, "
        f"principal inertias about it {principal[0]:.6g}, {principal[1]:.6g}, {principal[2]:.6g} kg m^2"
    )
    advice = "" if good else ": no real body has these; check the mass matrix and the coordinates"
    return Finding(bool(good), text + advice)


def _mass_of_rigid_motion(structure: Structure) -> Finding:
    """The 6x6 rigid mass matrix must be that of a body: m 1, m c~, symmetric inertia."""
    R = structure.rigid_body_vectors()
    rigid = R.T @ (structure.M @ R)
    mass = np.trace(rigid[:3, :3]) / 3
    size = float(np.ptp(structure.points, axis=0).max()) or 1.0
    off = np.abs(rigid[:3, :3] - mass * np.eye(3)).max() / mass
    skew = np.abs(rigid[:3, 3:] + rigid[:3, 3:].T).max() / (mass * size)
    if max(off, skew) < max(1e-6, 10 * structure.rounding):
        return Finding(True, "the mass is the same in all directions")
    return Finding(
        False,
        f"the mass differs with direction by {max(off, skew):.1e} of itself: dofs in local axes, in another order or "
        "without their mass",
    )


def _rigid_motions(structure: Structure) -> Finding:
    parts = Component(structure, None).rigid_strain()
    worst = int(np.argmax(parts))
    if parts[worst] < rigid_limit(structure):
        return Finding(True, f"rigid motions strain nothing (at most {parts[worst]:.0e} of the stiffness)")
    return Finding(
        False,
        f"a rigid {RIGID_MOTIONS[worst]} strains the body ({parts[worst]:.1e} of the stiffness): it is tied to the ground, "
        "or matrices and node coordinates do not belong together (order of nodes, local axes, units of length)",
    )


def _loose_nodes(structure: Structure) -> Finding:
    carries = structure.K.diagonal() != 0
    if structure.hidden:  # a boundary that holds the body just so moves it by its mass alone
        carries |= abs(structure.M[:, -structure.hidden :]).sum(axis=1) > 0
    carries |= np.diff(structure.dependent.indptr) > 0
    carries[structure.dependent.indices] = True
    stiff = carries[: 6 * len(structure)].reshape(-1, 6).any(axis=1)
    for dependent, reference in structure.follows.items():
        stiff[dependent] = stiff[reference] = stiff[dependent] or stiff[reference]
    loose = np.flatnonzero(~stiff)
    if not len(loose):
        return Finding(True, f"all {len(structure)} nodes carry stiffness")
    shown = ", ".join(structure.describe(int(k)) for k in loose[:5]) + (", ..." if len(loose) > 5 else "")
    return Finding(False, f"{len(loose)} of {len(structure)} nodes carry no stiffness: {shown}")


def _parts(structure: Structure) -> Finding:
    """Whether all nodes hang together through K, links and dependence; modal coordinates do so through M too."""
    nodes, hidden = len(structure), structure.hidden
    joined = structure.K + structure.dependent
    if hidden:
        joined = joined + structure.M
    pairs = np.array(list(structure.follows.items()), dtype=int).reshape(-1, 2)
    whose = np.concatenate([np.repeat(np.arange(nodes), 6), nodes + np.arange(hidden)])
    joined = joined.tocoo()
    rows, columns = (np.concatenate([whose[at], pairs[:, k]]) for k, at in enumerate((joined.row, joined.col)))
    graph = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(nodes + hidden,) * 2)
    part = sparse.csgraph.connected_components(graph, directed=False)[1][:nodes]
    used = structure.active[: 6 * nodes].reshape(-1, 6).any(axis=1)
    parts, first = np.unique(part[used], return_index=True)
    if len(parts) == 1:
        return Finding(True, "all parts are connected")
    places = [structure.describe(int(np.flatnonzero(used)[k])) for k in first[:4]]
    return Finding(False, f"the model falls into {len(parts)} parts, one each with {', '.join(places)}")


def _units(structure: Structure) -> Finding:
    """The speed of sound that the model has, E/rho squared-rooted, from its energy in a uniform stretch.

    A stretch eps x along one axis stores eps^2 (E V)/2 in a full solid, and E V over the mass is the square of the speed of
    sound; frames and shells store less along most directions, but not along all.
    """
    mass = structure.mass_properties()[0]
    extent = " x ".join(f"{v:.4g}" for v in np.ptp(structure.points, axis=0))
    if structure.hidden:
        return _units_by_density(structure)
    squares = []
    nodal = 6 * len(structure)
    for axis in range(3):
        u = np.zeros(structure.size)
        u[axis:nodal:6] = structure.points[:, axis] * structure.active[axis:nodal:6]
        squares.append(float(u @ (structure.K @ u)) / mass)
    speed = float(np.sqrt(max(squares)))
    text = f"size {extent} m, mass {mass:.4g} kg, speed of sound about {speed:.3g} m/s"
    if SLOW < speed < FAST:
        return Finding(True, text + ": plausible in SI units")
    return Finding(False, f"{text}: not that of a material in SI units ({_guess(speed)})")


def _units_by_density(structure: Structure) -> Finding:
    """The mean density of a reduced model, whose stiffness does not tell its material: its mass in the box that has its
    principal inertias, I_x = m (b^2 + c^2)/12 and so on."""
    mass, c, inertia = structure.mass_properties()
    principal = np.linalg.eigvalsh(inertia - mass * ((c @ c) * np.eye(3) - np.outer(c, c)))
    squares = 6 * (principal.sum() - 2 * principal) / mass if mass > 0 else np.zeros(3)
    if squares.min() <= 1e-8 * squares.max() or squares.max() <= 0:
        return Finding(True, f"mass {mass:.4g} kg on a line or in a plane: units cannot be told from it; taken as given")
    box = np.sqrt(squares)[::-1]
    density = float(mass / box.prod())
    size = " x ".join(f"{v:.3g}" for v in np.sort(box)[::-1])
    text = f"mass {mass:.4g} kg in a box of {size} m with its inertias: {density:.3g} kg/m^3"
    if LIGHT < density < HEAVY:
        return Finding(True, text + ": plausible in SI units")
    fitting = [(abs(np.log(density * m / x**3 / TYPICAL)), words, density * m / x**3) for words, (x, m) in UNITS.items()]
    fitting = [f for f in fitting if LIGHT < f[2] < HEAVY]
    advice = "check the units of length and mass"
    if fitting:
        _, words, there = min(fitting)
        advice = f"{words} it would be {there:.3g} kg/m^3"
    return Finding(False, f"{text}: no structure in SI units ({advice})")


def _guess(speed: float) -> str:
    if 5e5 < speed < FAST * 1e3:
        return "lengths look like millimetres: give length_unit=1e-3, and the unit of mass that goes with the deck"
    if 5e4 < speed <= 5e5:
        return "lengths look like inches: give length_unit=0.0254 and mass_unit=175.1268 for lbf s^2/in"
    return "check the units of length, force and mass"


def _mechanisms(structure: Structure) -> Finding:
    component = Component(structure, None)
    try:
        squares, _ = lowest_modes(
            component.M, component.K, min(9, component.size), "the free structure", rounding=component.rounding
        )
    except ModelError as e:
        return Finding(False, f"its modes cannot be found: {e}")
    zero = int(np.count_nonzero(squares == 0))
    if zero != 6:
        why = "there are mechanisms or loose parts" if zero > 6 else "it is tied to the ground, or badly scaled"
        return Finding(False, f"{zero} motions strain nothing, not six: {why}")
    if len(squares) == zero:
        return Finding(True, "no elastic modes: the model has only rigid motions")
    hertz = np.sqrt(squares[zero]) / (2 * np.pi)
    return Finding(True, f"six motions strain nothing; the first elastic mode of the free body is at {hertz:.5g} Hz")
