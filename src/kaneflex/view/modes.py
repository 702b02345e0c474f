"""Pages of modes: those of one flexible body, and those of a whole system about a state, each as a motion of one period."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.joints import Fixed, Free
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.plan import Plan
from kaneflex.structures.skin import Skin
from kaneflex.version import __version__
from kaneflex.view.page import listing, mark, number, section, table, viewer, write_page
from kaneflex.view.samples import Piece
from kaneflex.view.scene import FORMAT, Numbers, Scene, Track, up_of

if TYPE_CHECKING:
    from kaneflex.structures.flexible import Flexible
    from kaneflex.structures.soundness import Report

Array = np.ndarray
FRAMES = 48  # of a period
PERIOD = 2.0  # s on the page, whatever the mode's own period is
REACH = 0.12  # largest displacement, in sizes of the system
TURN = 0.4  # and largest rotation, rad
STILL = 1e-9  # motion per unit of the mode, relative, below which nothing moves
MOST = 60  # modes of a page
LEAST = 1e-5  # part of a mass that is told
RIGID = "rigid-body motion"  # which pages look for
ROUNDING = 1e-9  # parts of an eigenvalue that are smaller, relative, are nought
_TRIED = 1e-4  # part of a mode in which its motion is measured


@dataclass(frozen=True)
class Motion:
    """A mode to be shown.

    Args:
        name: in the list of modes.
        frequency: Hz; 0 where nothing oscillates.
        damping: ratio.
        text: what else is to be said, by label.
        change: of the coordinates q, complex: q0 + Re(change exp(i phase)).
        masses: parts of the whole mass, and of the inertia, that it drags along, by axis.
    """

    name: str
    frequency: float
    damping: float
    text: dict[str, str]
    change: Array
    masses: dict[str, float]

    @property
    def is_rigid(self) -> bool:
        """Whether the system moves as one rigid body, or as a mechanism without stiffness."""
        return self.text.get("motion") == RIGID


def system_page(
    plan: Plan, q: Array, t: float, modes: Sequence[Any], changes: Array, path: str | Path, title: str | None = None
) -> Path:
    """Write the page of a system's modes.

    Args:
        plan: of the system.
        q: coordinates about which it is linear.
        t: time, s.
        modes: with eigenvalue, frequency (rad/s) and damping each.
        changes: of all coordinates in the modes, complex, (modes, nq).
        path: the file; its folder is made when missing.
        title: heading; the system's name when None.
    """
    fastest = max((mode.frequency for mode in modes), default=0.0)
    kept = _without_repeats(changes, [abs(mode.eigenvalue) <= 1e-6 * max(fastest, 1e-12) for mode in modes])
    modes, changes = [modes[k] for k in kept], changes[kept]
    words = [eigenvalue_entries(mode.eigenvalue, fastest) for mode in modes]
    rigid = [entry.get("motion") == RIGID for entry in words]
    motions, masses = [], _effective_masses(Dynamics(plan), q, changes, rigid)
    for k, (mode, change) in enumerate(zip(modes, changes, strict=True), start=1):
        hertz, text = mode.frequency / (2 * np.pi), words[k - 1]
        swings = "motion" not in text
        name = f"{k}: {hertz:.4g} Hz" if swings else f"{k}: {text['motion']}"
        largest = change[int(np.abs(change).argmax())] if np.any(change) else 1.0
        change = change * (abs(largest) / largest)  # the coordinates are farthest out when the period begins
        damping = mode.damping if swings and abs(mode.damping) > ROUNDING else 0.0
        own = {f"mass {a}": float(x) for a, x in zip("xyz", masses[k - 1], strict=True)}
        motions.append(Motion(name, hertz if swings else 0.0, damping, text, change, own))
    heading = f"Modes of {plan.model.name}" if title is None else title
    remark = f"linear about the state at t = {t:g} s; effective mass along x, y, z, of the whole system's"
    return _write(plan, q, t, motions, heading, path, remark)


def _without_repeats(changes: Array, rigid: Sequence[bool]) -> list[int]:
    """Numbers of the modes; a rigid-body motion comes with two eigenvalues, as a shift and as a drift, and is shown once."""
    kept: list[int] = []
    shown = np.zeros((0, changes.shape[1]), complex)
    for k, change in enumerate(changes):
        if rigid[k]:
            more = np.vstack([shown, change / max(float(np.abs(change).max(initial=0.0)), 1e-300)])
            if np.linalg.matrix_rank(more, tol=1e-6) == len(shown):
                continue
            shown = more
        kept.append(k)
    return kept


def _effective_masses(dynamics: Dynamics, q: Array, changes: Array, rigid: Sequence[bool]) -> Array:
    """Fractions of the system's mass along x, y, z that modes drag along: |P|^2 / (2 T m), P and T of q' = change.

    Of motions as a rigid body, which are mixed at will, each counts with what those before it leave: their sum is one.
    """
    nu = dynamics.plan.nu
    rates = np.column_stack([dynamics.coordinate_rates(q, e) for e in np.eye(nu)])
    momenta = np.column_stack([dynamics.momentum(q, e).linear for e in np.eye(nu)])
    M, mass = dynamics.mass_matrix(q), sum(part.body.mass_properties()[0] for part in dynamics.plan.model.parts.values())
    u = np.linalg.lstsq(rates, changes.T, rcond=None)[0]
    together = np.flatnonzero(rigid)
    for n, k in enumerate(together):
        for j in together[:n]:
            u[:, k] -= u[:, j] * (u[:, j].conj() @ M @ u[:, k]) / (u[:, j].conj() @ M @ u[:, j])
    twice = np.maximum(np.einsum("im,ij,jm->m", u.conj(), M, u).real, 1e-300)
    return np.asarray((np.abs(momenta @ u) ** 2 / (twice * mass)).T)


def eigenvalue_entries(eigenvalue: complex, fastest: float) -> dict[str, str]:
    """What an eigenvalue says, by label; "motion" where nothing oscillates.

    Args:
        eigenvalue: 1/s, of a pair the one with positive imaginary part.
        fastest: largest frequency of the system, rad/s, beside which a rigid-body motion has none.
    """
    size, s = abs(eigenvalue), eigenvalue.real
    both = {"eigenvalue, 1/s": f"{s if abs(s) > ROUNDING * size else 0.0:.4g} ± {eigenvalue.imag:.4g} i"}
    if size <= 1e-6 * max(fastest, 1e-12):
        return {"motion": RIGID, "eigenvalue, 1/s": f"{size:.2g}"}
    if eigenvalue.imag <= ROUNDING * size:
        words = f"{'decays' if s < 0 else 'grows'} without oscillation"
        return {"motion": words, "eigenvalue, 1/s": f"{s:.4g}", "time constant, s": f"{1 / size:.4g}"}
    grows = {"stability": "grows"} if s > ROUNDING * size else {}
    return both | {"period, s": f"{2 * np.pi / eigenvalue.imag:.4g}"} | grows


def component_page(body: "Flexible", path: str | Path, title: str | None = None, report: "Report | None" = None) -> Path:
    """Write the page of a flexible body's modes.

    Args:
        body: the body.
        path: the file; its folder is made when missing.
        title: heading; None for a plain one.
        report: what was found in its model.
    """
    modal = body.modal
    heading = "Modes of a flexible body" if title is None else title
    model = Model("body")
    model.add("body", body.as_stored(), Fixed() if body.root is not None else Free())  # without a node for each grid
    plan = build(model)
    place, m = plan.index.modes["body"], len(modal)
    q = np.zeros(plan.nq)
    for joint in plan.index.joints.values():
        if joint.quaternion is not None:
            q[joint.quaternion] = 1.0
    kinds = _kinds(body)
    masses = np.concatenate([modal.B**2 / modal.mass, modal.D**2 / np.maximum(np.diag(modal.inertia), 1e-300)[:, None]])
    motions = []
    for j, omega in enumerate(modal.frequencies):
        change = np.zeros(plan.nq, complex)
        change[place.q0 + j] = 1.0
        damping = float(modal.damping[j, j] / (2 * omega)) if omega > 0 else 0.0
        text = {"kind": kinds[j]} if kinds else {}
        names = [f"{what} {axis}" for what in ("mass", "inertia") for axis in "xyz"]
        hertz = float(omega / (2 * np.pi))
        motions.append(
            Motion(f"{j + 1}: {hertz:.4g} Hz", hertz, damping, text, change, dict(zip(names, masses[:, j], strict=True)))
        )
    sums = ", ".join(_percent(x) for x in masses[:, :m].sum(axis=1))
    held = "root held; " if body.root is not None else "free; " if kinds else ""  # a stored body does not tell
    remark = f"{held}effective mass along and inertia about x, y, z at the origin, of the whole body's; sums {sums}"
    return _write(plan, q, 0.0, motions, heading, path, remark, [_facts(body), _checks(report)])


def _facts(body: "Flexible") -> str:
    """Mass, mass centre and inertia, in the body's axes."""
    modal = body.modal
    centre = np.asarray(modal.first_moment) / modal.mass
    own = np.asarray(modal.inertia) - modal.mass * ((centre @ centre) * np.eye(3) - np.outer(centre, centre))
    own = np.where(np.abs(own) > ROUNDING * np.abs(own).max(), own, 0.0)
    centre = np.where(np.abs(centre) > ROUNDING * np.sqrt(np.trace(own) / modal.mass), centre, 0.0)
    rows = [(axis, *(number(x) for x in row)) for axis, row in zip("xyz", own, strict=True)]
    place = ", ".join(f"{x:.6g}" for x in centre)
    facts = {"mass": f"{modal.mass:.6g} kg", "mass centre from the body's origin": f"({place}) m"}
    lowest, highest = modal.frequencies[[0, -1]] / (2 * np.pi)
    facts["modes"] = f"{len(modal)}, {lowest:.4g} to {highest:.4g} Hz"
    inertia = table(("inertia about the mass centre, kg m²", "x", "y", "z"), rows, (1, 2, 3))
    body_and_table = listing(facts) + f'<div class="wide" tabindex="0">{inertia}</div>'
    return section("Body", body_and_table, "undeformed, in the body's axes")


def _checks(report: "Report | None") -> str:
    if report is None:
        return ""
    rows = [(mark(f.good, "ok" if f.good else "look"), escape(f.text)) for f in report.findings]
    return section("Checks of the model", table(("verdict", "what was found"), rows))


def _percent(fraction: float) -> str:
    if 0.5 * LEAST > fraction > ROUNDING:
        return f"< {100 * LEAST:g} %"
    return f"{100 * fraction:.3g} %" if fraction > ROUNDING else "0"


def _kinds(body: "Flexible") -> tuple[str, ...]:
    from kaneflex.structures.modes.modal_data import ModalBody

    return () if isinstance(body.structure, ModalBody) else body.component_modes.kind


def _write(plan: Plan, q: Array, t: float, motions: Sequence[Motion], heading: str, path: str | Path, remark: str,
           more: Sequence[str] = ()) -> Path:  # fmt: skip
    shown, notes = list(motions)[:MOST], []
    if len(shown) < len(motions):
        notes.append(f"The first {len(shown)} of {len(motions)} modes.")
    numbers, dynamics, runs, size = Numbers(), Dynamics(plan), [], 1.0
    for motion in shown:
        amplitude = _amplitude(plan, dynamics, q, t, motion.change)
        phase = np.exp(2j * np.pi * np.arange(FRAMES + 1) / FRAMES)
        rows = q + amplitude * np.real(phase[:, None] * motion.change)
        track = _track(plan, dynamics, rows, t, motion.name, numbers)
        size = track.size
        data = track.data()
        mode = {"frequency": motion.frequency, "damping": motion.damping, "text": motion.text}
        runs.append(data | {"t": numbers.put(np.linspace(0, PERIOD, FRAMES + 1), "f8"), "loop": True, "mode": mode})
    if not shown:
        runs.append(_track(plan, dynamics, q[None], t, "no modes", numbers).data())
    data = {"format": FORMAT, "kind": "modes", "title": heading, "up": up_of(plan.model), "size": size, "runs": runs}
    scene = Scene(data | {"plots": []}, numbers, notes)
    pieces = [
        f"<header>\n<h1>{escape(heading)}</h1>\n<p class='soft'>{escape(remark)}</p>\n</header>",
        viewer(scene, "Shapes"),
        *more,
        section("Effective masses", _masses_table(shown), f"kaneflex {__version__}"),
    ]
    return write_page(path, heading, pieces, scene)


def _masses_table(motions: Sequence[Motion]) -> str:
    """What each mode drags along, with bars; motions as a rigid body in one line, and the sums."""
    labels = list(motions[0].masses) if motions else []
    rigid = [m for m in motions if m.is_rigid]
    folded = len(rigid) > 1
    sums = lambda of: [_bar(sum(m.masses[label] for m in of)) for label in labels]
    rows = []
    for m in motions:
        if not folded or not m.is_rigid:
            frequency = m.text.get("motion") or number(m.frequency)
            rows.append((escape(m.name.partition(":")[0]), escape(frequency), number(m.damping, ".4g"), *sums([m])))
        elif m is rigid[0]:
            rows.append((f"{len(rigid)} motions as a rigid body", "0", "–", *sums(rigid)))
    rows.append(("sum", "", "", *sums(motions)))
    heads = ("mode", "frequency, Hz", "damping", *labels)
    return f'<div class="wide masses" tabindex="0">{table(heads, rows, range(1, len(heads)))}</div>'


def _bar(fraction: float) -> str:
    width = f"{100 * min(max(fraction, 0.0), 1.0):.1f}%"
    return f'<span class="bar" style="--part:{width}">{_percent(fraction)}</span>'


def _track(plan: Plan, dynamics: Dynamics, rows: Array, t: float, name: str, numbers: Numbers) -> Track:
    """States q, at rest, as a run of the scene."""
    rows = np.array(rows)
    for joint in plan.index.joints.values():
        if joint.quaternion is not None:
            e = rows[:, joint.quaternion : joint.quaternion + 4]
            e /= np.linalg.norm(e, axis=1)[:, None]
    y = np.hstack([rows, np.zeros((len(rows), plan.layout.size - plan.nq))])
    piece = Piece(plan, dynamics, np.full(len(rows), t), y, None)
    return Track(name, None, np.arange(len(rows)), numbers, parts=[piece])


def _amplitude(plan: Plan, dynamics: Dynamics, q: Array, t: float, change: Array) -> float:
    """Factor on a mode at which its largest displacement or rotation is well seen."""
    largest = float(np.abs(change).max(initial=0.0))
    if largest == 0:
        return 0.0
    small = _TRIED / largest
    rows = np.stack([q, q + small * change.real, q + small * change.imag])
    track = _track(plan, dynamics, rows, t, "", Numbers())
    moved = turned = 0.0
    for body in track.bodies:
        R, p = track.poses[body]
        points = _points(track, body)
        places = np.einsum("nij,nkj->nki", R, points) + p[:, None]
        moved = max(moved, float(np.hypot.reduce(places[1:] - places[0], axis=0).max(initial=0.0)))
        turned = max(turned, float(np.linalg.norm(R[1:] - R[0], axis=(1, 2)).max()) / np.sqrt(2))
    measure = max(moved / (REACH * track.size), turned / TURN)
    return 0.0 if measure <= STILL * _TRIED else small / measure


def _points(track: Track, body: str) -> Array:
    """Points of a body that are seen to move, (samples, k, 3), in its axes."""
    shapes = track.shapes[body]
    skins = [shape for shape in shapes if isinstance(shape, Skin)]
    fixed = [np.zeros(3), *(frame.p for frame in track.home[body].frames[body].values())]
    for shape in shapes:
        if not isinstance(shape, Skin):
            fixed.append(np.array(shape.position))
            fixed += [np.array(shape.position) + shape.R @ x for x in getattr(shape, "points", ())]
    samples = len(track.t)
    parts = [np.tile(np.array(fixed), (samples, 1, 1))]
    for skin in skins:
        eta = np.reshape(track.values[f"{body}.modes"], (samples, -1))
        parts.append(skin.points + np.einsum("nm,kam->nka", eta, skin.shapes[:, :3]))
    return np.concatenate(parts, axis=1)
